/* Most of the run nothing runs: neither compute nor transfers on any stream. A notice, told where
 * no rule above knows the cause; `critical` says what the chain waits for. */
#include "analyse/doctor/doctor.h"
#include "base/mem.h"

#include <stdlib.h>

static const struct mi_doctor_limit limits[] = {
    {"least-percent", 40, N_("so much of the run nothing runs")}, {.name = NULL}};

struct span {
    int64_t start_ns, end_ns;
};

static int compare_spans(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static bool run(struct mi_doctor *d)
{
    const struct mi_taskgraph *graph = &d->runs[0].graph;
    struct span *spans = mi_mem_new((size_t)graph->count + 1, sizeof *spans);
    int64_t idle_ns = 0, busy_to = 0;
    uint32_t count = 0;
    if (!spans)
        return false;
    for (uint32_t v = 0; v < graph->count; v++)
        if (graph->role[v] == MI_TG_WORK)
            spans[count++] = (struct span){graph->start_ns[v], graph->end_ns[v]};
    if (count)
        qsort(spans, count, sizeof *spans, compare_spans);
    for (uint32_t i = 0; i < count; i++) {
        if (spans[i].start_ns > busy_to)
            idle_ns = mi_ns_add(idle_ns, spans[i].start_ns - busy_to);
        if (spans[i].end_ns > busy_to)
            busy_to = spans[i].end_ns;
    }
    mi_mem_free(spans);
    if (idle_ns / 100 < graph->makespan_ns / 10000 * mi_doctor_limit(d, "least-percent"))
        return true;
    mi_doctor_add(
        d, &(struct mi_finding){.severity = MI_NOTICE,
                                .sentence = N_("for %1 us of the run nothing runs on any stream"),
                                .args = {mi_doctor_us(d, idle_ns)},
                                .cost_ns = idle_ns,
                                .cost_from = N_("sum of times")});
    return true;
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
