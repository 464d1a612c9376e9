/* Transfers that stand in the way of computation on its own stream, although what they move was
 * there long before. Cost: the run with all of them on a stream of their own. */
#include "analyse/doctor/doctor.h"
#include "base/mem.h"

static const struct mi_doctor_limit limits[] = {
    {"least-early-us", 5, N_("what it moves was there so long before")},
    MI_DOCTOR_LIMITS(5, 5),
    {.name = NULL}};

struct overlap {
    struct mi_doctor *d;
    uint8_t *is_taken; /* [nodes.count] */
};

static bool is_transfer(const struct mi_doctor *d, const struct mi_taskgraph *graph, uint32_t v)
{
    uint32_t kernel = d->rows->tasks.kernel[graph->task[v]].v;
    return graph->role[v] == MI_TG_WORK && d->rows->kernels.kind[kernel] == MI_TASK_TRANSFER;
}

/* The lane computes besides: [lane_count]. NULL: out of memory. */
static uint8_t *find_busy(const struct mi_doctor *d, const struct mi_taskgraph *graph)
{
    uint8_t *computes = mi_mem_zero((size_t)graph->lane_count + 1, 1);
    for (uint32_t v = 0; computes && v < graph->count; v++)
        if (graph->role[v] == MI_TG_WORK && !is_transfer(d, graph, v))
            computes[graph->lane[v]] = 1;
    return computes;
}

static void apart(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user)
{
    const struct overlap *o = user;
    for (uint32_t v = 0; v < run->graph.count; v++)
        if (run->graph.node[v] && o->is_taken[run->graph.node[v]] &&
            run->graph.role[v] == MI_TG_WORK)
            mi_whatif_move_apart(whatif, v);
}

static uint32_t take(struct overlap *o, const uint8_t *computes)
{
    struct mi_doctor *d = o->d;
    const struct mi_taskgraph *graph = &d->runs[0].graph;
    int64_t early_ns = mi_doctor_limit(d, "least-early-us") * 1000;
    uint32_t count = 0;
    for (uint32_t v = 0; v < graph->count; v++) {
        uint32_t node = graph->node[v];
        if (!node || o->is_taken[node] || d->claimed[node] || !graph->knows_data[v] ||
            !is_transfer(d, graph, v) || !computes[graph->lane[v]] ||
            mi_ns_sub(graph->start_ns[v], mi_tg_ready(graph, v)) < early_ns)
            continue;
        o->is_taken[node] = 1;
        count++;
    }
    return count;
}

static bool run(struct mi_doctor *d)
{
    struct overlap o = {.d = d, .is_taken = mi_mem_zero(d->rows->nodes.count, 1)};
    uint8_t *computes = o.is_taken ? find_busy(d, &d->runs[0].graph) : NULL;
    uint32_t count = computes ? take(&o, computes) : 0;
    int64_t cost_ns = count ? mi_doctor_gain(d, apart, &o) : 0, sum_ns = 0;
    if (mi_doctor_matters(d, cost_ns)) {
        for (uint32_t n = 1; n < d->rows->nodes.count; n++)
            if (o.is_taken[n]) {
                d->claimed[n] = 1;
                sum_ns = mi_ns_add(sum_ns, d->node_ns[n]);
                mi_doctor_subject(d, n, 0, (struct mi_bytes){0});
            }
        mi_doctor_add(d, &(struct mi_finding){
                             .severity = MI_WARNING,
                             .sentence = N_("%1 transfers of %2 stand between computation on its "
                                            "stream, although what they move was there before"),
                             .args = {mi_doctor_number(d, count), mi_doctor_span(d, sum_ns)},
                             .cost_ns = cost_ns,
                             .cost_from = N_("up to, by simulation on a stream of their own")});
    }
    bool ok = computes != NULL;
    mi_mem_free(computes);
    mi_mem_free(o.is_taken);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_missed_overlap = {
    .name = "missed_overlap",
    .question = N_("transfers that computation could hide"),
    .advice =
        N_("Give these transfers a stream of their own and an event for their readers, or start "
           "them a step earlier; where there are many small ones, move more at once."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS,
    .limits = limits,
    .run = run,
};
