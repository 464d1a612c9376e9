/* Moving data - copies, and changes of layout or element type - takes a large part of all work. A
 * notice: it says whether there are many small moves (the model is cut too fine) or few that
 * nothing hides. Cost: the time in which data is moved and nothing else runs. */
#include "analyse/accounting/spans.h"
#include "analyse/doctor/doctor.h"

enum { SMALL_NS = 10000, MANY = 50, MOST_SUBJECTS = 20 };

static const struct mi_doctor_limit limits[] = {
    {"least-percent", 20, N_("moving data takes so much of all work")},
    MI_DOCTOR_LIMITS(10, 10),
    {.name = NULL}};

struct moves {
    struct mi_spans moved, other;
    int64_t moved_ns, all_ns, count;
};

static bool moves_data(const struct mi_doctor *d, const struct mi_taskgraph *graph, uint32_t v)
{
    uint32_t kernel = d->rows->tasks.kernel[graph->task[v]].v, node = graph->node[v];
    return d->rows->kernels.kind[kernel] == MI_TASK_TRANSFER ||
           (node ? mi_doctor_converts(d, node) ||
                       d->rows->nodes.category[node] == MI_CATEGORY_DATA_MOVEMENT
                 : d->rows->kernels.category[kernel] == MI_CATEGORY_DATA_MOVEMENT);
}

static bool measure(const struct mi_doctor *d, struct moves *m)
{
    const struct mi_taskgraph *graph = &d->runs[0].graph;
    for (uint32_t v = 0; v < graph->count; v++) {
        int64_t dur_ns = graph->end_ns[v] - graph->start_ns[v];
        if (graph->role[v] != MI_TG_WORK)
            continue;
        bool is_move = moves_data(d, graph, v);
        mi_spans_add(is_move ? &m->moved : &m->other, graph->start_ns[v], graph->end_ns[v]);
        m->all_ns = mi_ns_add(m->all_ns, dur_ns);
        m->moved_ns = mi_ns_add(m->moved_ns, is_move ? dur_ns : 0);
        m->count += is_move;
    }
    mi_spans_join(&m->moved);
    mi_spans_join(&m->other);
    return !m->moved.failed && !m->other.failed;
}

static void list_longest(struct mi_doctor *d)
{
    const struct mi_taskgraph *graph = &d->runs[0].graph;
    int64_t least_ns = d->makespan_ns / 200;
    uint32_t told = 0;
    for (uint32_t v = 0; v < graph->count && told < MOST_SUBJECTS; v++)
        if (graph->role[v] == MI_TG_WORK && graph->end_ns[v] - graph->start_ns[v] >= least_ns &&
            moves_data(d, graph, v)) {
            mi_doctor_subject(d, graph->node[v], graph->task[v], (struct mi_bytes){0});
            told++;
        }
}

static bool run(struct mi_doctor *d)
{
    struct moves m = {.count = 0};
    bool ok = measure(d, &m);
    int64_t cost_ns = ok ? mi_spans_measure(&m.moved) - mi_spans_shared(&m.moved, &m.other) : 0;
    struct mi_cell share = mi_cell_share(m.moved_ns, m.all_ns);
    if (ok && !share.is_none && share.number >= mi_doctor_limit(d, "least-percent") * 10000 &&
        mi_doctor_matters(d, cost_ns)) {
        bool is_fine = m.count >= MANY && m.moved_ns / m.count < SMALL_NS;
        list_longest(d);
        mi_doctor_add(
            d, &(struct mi_finding){
                   .severity = MI_NOTICE,
                   .sentence =
                       is_fine ? N_("moving data takes %1 % of all work, in %2 tasks of %3 each: "
                                    "the model is cut fine; for %4 nothing else runs")
                               : N_("moving data takes %1 % of all work, in %2 tasks of %3 each; "
                                    "for %4 nothing else runs"),
                   .args = {mi_arena_printf(d->arena, "%d.%d", (int)(share.number / 10000),
                                            (int)(share.number / 1000 % 10)),
                            mi_doctor_number(d, m.count), mi_doctor_span(d, m.moved_ns / m.count),
                            mi_doctor_span(d, cost_ns)},
                   .cost_ns = cost_ns,
                   .cost_from = N_("sum of times")});
    }
    mi_spans_fini(&m.moved);
    mi_spans_fini(&m.other);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_transfer_share = {
    .name = "transfer_share",
    .question = N_("a large part of the work moves data"),
    .advice =
        N_("See which edges the moves serve (`map`, more_tasks_than_nodes) and which transfers "
           "could run beside computation (`overlap`); cut the model into fewer parts, and keep "
           "data in the layout and type that its readers want."),
    .needs = MI_DOCTOR_TASKS,
    .limits = limits,
    .run = run,
};
