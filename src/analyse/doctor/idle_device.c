/* Most of the run nothing runs: neither compute nor transfers on any stream. A notice, told where
 * no rule above knows the cause; `critical` says what the chain waits for. A collective whose parts
 * are told runs only while they do: in between it waits for other ranks, which is said. */
#include "analyse/accounting/spans.h"
#include "analyse/doctor/doctor.h"

static const struct mi_doctor_limit limits[] = {
    {"least-percent", 40, N_("so much of the run nothing runs")}, {.name = NULL}};

/* Collectives of the run that stand on the lane of their group, from its begin on. */
static void add_collectives(const struct mi_doctor *d, struct mi_spans *collectives)
{
    const struct mi_taskgraph *graph = &d->runs[0].graph;
    const struct mi_tables *rows = d->rows;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        uint32_t track = rows->tasks.track[t].v;
        int64_t start_ns = mi_ns_sub(rows->tasks.start_ns[t], graph->begin_ns);
        int64_t end_ns = mi_ns_add(start_ns, rows->tasks.dur_ns[t]);
        if (rows->tracks.kind[track] != MI_TRACK_GROUP || d->account.run_of[t] != graph->run ||
            rows->tracks.rank[track] != graph->rank || rows->tracks.device[track] != graph->device)
            continue;
        start_ns = start_ns > 0 ? start_ns : 0;
        end_ns = end_ns < graph->makespan_ns ? end_ns : graph->makespan_ns;
        if (start_ns < end_ns)
            mi_spans_add(collectives, start_ns, end_ns);
    }
    mi_spans_join(collectives);
}

static void tell(struct mi_doctor *d, int64_t idle_ns, int64_t waiting_ns)
{
    mi_doctor_add(
        d, &(struct mi_finding){
               .severity = MI_NOTICE,
               .sentence = waiting_ns > 0
                               ? N_("for %1 of the run nothing runs on any stream; for %2 of "
                                    "it collectives wait for other ranks")
                               : N_("for %1 of the run nothing runs on any stream"),
               .args = {mi_doctor_span(d, idle_ns), mi_doctor_span(d, waiting_ns)},
               .cost_ns = idle_ns,
               .cost_from = N_("sum of times")});
}

static bool run(struct mi_doctor *d)
{
    const struct mi_taskgraph *graph = &d->runs[0].graph;
    struct mi_spans busy = {0}, collectives = {0};
    for (uint32_t v = 0; v < graph->count; v++)
        if (graph->role[v] == MI_TG_WORK)
            mi_spans_add(&busy, graph->start_ns[v], graph->end_ns[v]);
    mi_spans_join(&busy);
    add_collectives(d, &collectives);
    bool ok = !busy.failed && !collectives.failed;
    int64_t last_ns = ok && busy.count ? busy.list[busy.count - 1].end_ns : 0;
    int64_t idle_ns = ok ? last_ns - mi_spans_measure(&busy) : 0;
    if (ok && idle_ns / 100 >= graph->makespan_ns / 10000 * mi_doctor_limit(d, "least-percent"))
        tell(d, idle_ns,
             mi_spans_within(&collectives, 0, last_ns) - mi_spans_shared(&collectives, &busy));
    mi_spans_fini(&busy);
    mi_spans_fini(&collectives);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_idle_device = {
    .name = "idle_device",
    .question = N_("runs in which the device is idle mostly"),
    .advice =
        N_("`critical` lists what the time goes to: waits, gaps between tasks, late launches."),
    .needs = MI_DOCTOR_TASKS,
    .limits = limits,
    .run = run,
};
