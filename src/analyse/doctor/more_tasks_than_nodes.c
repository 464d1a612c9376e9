/* Many more tasks than ops of the model: what the others are, and what the inserted ones cost.
 *
 * Inserted conversions are mostly needed; the cost is what a run without any of them would gain, an
 * upper bound. Faults among them have rules of their own. */
#include "analyse/doctor/doctor.h"
#include "base/mem.h"

enum { MOST_SUBJECTS = 1000, NAME_BYTES = 200 };

static const struct mi_doctor_limit limits[] = {
    {"least-percent", 150, N_("so many tasks for 100 ops that ran")},
    MI_DOCTOR_LIMITS(5, 10),
    {.name = NULL}};

struct tasks {
    int64_t own, inserted, sync, others;
};

/* What the tasks of the run are. */
static struct tasks count_tasks(const struct mi_doctor *d)
{
    const struct mi_taskgraph *graph = &d->runs[0].graph;
    struct tasks count = {0};
    for (uint32_t v = 0; v < graph->count; v++) {
        uint32_t node = graph->node[v];
        if (graph->role[v] != MI_TG_WORK)
            count.sync++;
        else if (!node)
            count.others++;
        else if (mi_doctor_is_inserted(d, node))
            count.inserted++;
        else
            count.own++;
    }
    return count;
}

static int shown(struct mi_bytes name)
{
    return (int)(name.len < NAME_BYTES ? name.len : NAME_BYTES);
}

/* Which edge a conversion serves. */
static struct mi_bytes edge_of(struct mi_doctor *d, uint32_t node)
{
    const struct mi_csr *readers = &d->model->index.consumers;
    uint32_t out = mi_doctor_output(d->rows, node), in = mi_doctor_input(d->rows, node);
    uint32_t reader = mi_csr_count(readers, out) ? readers->list[readers->first[out]] : 0;
    struct mi_bytes from = mi_doctor_name(d, d->rows->values.producer[in].v);
    struct mi_bytes to = mi_doctor_name(d, reader);
    return mi_arena_printf(d->arena, N_("between %.*s and %.*s"), shown(from),
                           (const char *)from.at, shown(to), (const char *)to.at);
}

static int64_t cost_of(struct mi_doctor *d)
{
    uint32_t count = 0, *nodes = mi_mem_new(d->rows->nodes.count, sizeof *nodes);
    if (!nodes) {
        d->failed = true;
        return 0;
    }
    for (uint32_t n = 1; n < d->rows->nodes.count; n++)
        if (mi_doctor_ran(d, n) && mi_doctor_converts(d, n)) {
            nodes[count++] = n;
            if (count <= MOST_SUBJECTS)
                mi_doctor_subject(d, n, 0, edge_of(d, n));
        }
    int64_t cost_ns = mi_doctor_gain_without(d, (struct mi_doctor_nodes){nodes, count});
    mi_mem_free(nodes);
    return cost_ns;
}

static bool run(struct mi_doctor *d)
{
    struct tasks count = count_tasks(d);
    int64_t all = count.own + count.inserted + count.sync + count.others;
    if (!count.own || all * 100 < count.own * mi_doctor_limit(d, "least-percent"))
        return true;
    int64_t cost_ns = cost_of(d);
    mi_doctor_add(
        d,
        &(struct mi_finding){
            .severity = mi_doctor_matters(d, cost_ns) ? MI_NOTICE : MI_INFO,
            .sentence = N_("%1 of the tasks of a run are ops of the model; besides there are %2 "
                           "inserted conversions and copies, %3 tasks for events and control, %4 "
                           "of the runtime and the application"),
            .args = {mi_doctor_number(d, count.own), mi_doctor_number(d, count.inserted),
                     mi_doctor_number(d, count.sync), mi_doctor_number(d, count.others)},
            .cost_ns = cost_ns > 0 ? cost_ns : -1,
            .cost_from = N_("up to, by simulation without any inserted node")});
    return true;
}

const struct mi_doctor_rule mi_doctor_rule_more_tasks_than_nodes = {
    .name = "more_tasks_than_nodes",
    .question = N_("many more tasks than ops of the model"),
    .advice =
        N_("`map` tells for each inserted node which edge it serves. Feed inputs and weights in "
           "the layout and type that the first op wants, and keep ops with equal demands "
           "together."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS | MI_DOCTOR_COMPILED,
    .limits = limits,
    .run = run,
};
