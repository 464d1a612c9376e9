/* Collectives that all but one rank wait in: it comes late. Cost: the time from the first to the
 * last start of each collective, in a run. */
#include "analyse/doctor/doctor.h"
#include "base/mem.h"

static const struct mi_doctor_limit limits[] = {MI_DOCTOR_LIMITS(20, 10), {.name = NULL}};

struct parts {
    int64_t first_ns, last_ns;
    uint32_t last; /* task that started last */
};

static void widen(struct parts *parts, const struct mi_tasks *tasks, uint32_t task)
{
    int64_t start_ns = tasks->start_ns[task];
    if (!parts->last || start_ns < parts->first_ns)
        parts->first_ns = start_ns;
    if (!parts->last || start_ns > parts->last_ns) {
        parts->last_ns = start_ns;
        parts->last = task;
    }
}

static bool is_of_run(const struct mi_doctor *d, uint32_t task)
{
    return d->account.run_of[task] < d->account.run_count &&
           d->account.runs[d->account.run_of[task]].run ==
               d->account.runs[d->runs[0].graph.run].run;
}

static bool run(struct mi_doctor *d)
{
    const struct mi_peers *peers = &d->rows->peers;
    const struct mi_tasks *tasks = &d->rows->tasks;
    struct parts *parts = mi_mem_zero(tasks->count, sizeof *parts);
    int64_t sum_ns = 0, count = 0, most_ns = 0;
    uint32_t worst = 0;
    if (!parts)
        return false;
    if (peers->count <= 1)
        d->not_checked = N_("needs collectives that are seen on two ranks");
    for (uint32_t p = 1; p < peers->count; p++) {
        widen(&parts[peers->first[p].v], tasks, peers->first[p].v);
        widen(&parts[peers->first[p].v], tasks, peers->task[p].v);
    }
    for (uint32_t t = 1; t < tasks->count; t++) {
        int64_t late_ns = parts[t].last ? mi_ns_sub(parts[t].last_ns, parts[t].first_ns) : 0;
        if (!late_ns || !is_of_run(d, t))
            continue;
        sum_ns = mi_ns_add(sum_ns, late_ns);
        count++;
        if (late_ns > most_ns) {
            most_ns = late_ns;
            worst = t;
        }
    }
    if (mi_doctor_matters(d, sum_ns) && worst) {
        uint32_t last = parts[worst].last;
        int64_t rank = d->rows->tracks.rank[tasks->track[last].v];
        mi_doctor_subject(d, 0, last, mi_cstr(N_("comes last")));
        mi_doctor_add(d, &(struct mi_finding){
                             .severity = MI_WARNING,
                             .subject = mi_arena_printf(d->arena, "rank %lld", (long long)rank),
                             .sentence = N_("ranks wait %1 for each other in %2 collectives; the "
                                            "longest wait is %3, for rank %4"),
                             .args = {mi_doctor_span(d, sum_ns), mi_doctor_number(d, count),
                                      mi_doctor_span(d, most_ns), mi_doctor_number(d, rank)},
                             .cost_ns = sum_ns,
                             .cost_from = N_("sum of times")});
    }
    mi_mem_free(parts);
    return true;
}

const struct mi_doctor_rule mi_doctor_rule_late_collective = {
    .name = "late_collective",
    .question = N_("collectives that wait for one rank"),
    .advice = N_(
        "See what rank %4 does before it (`timeline --around`): more work, a late host, or a start "
        "that was not synchronised, as in a first step."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_RANKS,
    .limits = limits,
    .run = run,
};
