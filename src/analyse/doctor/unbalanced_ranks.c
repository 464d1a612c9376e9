/* Ranks of one job of which one takes longer for its own work. Collectives make all end together:
 * what tells is the work besides them. Only ranks that run the same kinds of operators equally
 * often are compared. Cost: how much longer its runs, or its work, are than the median of the
 * others. */
#include "analyse/doctor/doctor.h"
#include "base/mem.h"

#include <stdlib.h>

static const struct mi_doctor_limit limits[] = {
    {"least-percent", 5, N_("it takes so many hundredths longer")},
    {"most-different-percent", 10, N_("so many tasks in a hundred may be of other types")},
    MI_DOCTOR_LIMITS(20, 20),
    {.name = NULL}};

struct rank {
    int64_t rank, work_ns, makespan_ns, runs;
};

static int compare_work(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (a->work_ns != b->work_ns)
        return a->work_ns < b->work_ns ? -1 : 1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static struct rank *rank_of(struct rank *ranks, uint32_t *count, int64_t number)
{
    uint32_t i = 0;
    while (i < *count && ranks[i].rank != number)
        i++;
    if (i == *count)
        ranks[(*count)++] = (struct rank){.rank = number};
    return &ranks[i];
}

/* Work besides collectives and mean makespans of each rank, per run. */
static uint32_t measure(const struct mi_doctor *d, struct rank *ranks)
{
    const struct mi_tables *rows = d->rows;
    uint32_t count = 0;
    for (uint32_t u = 0; u < d->units.count; u++) {
        const struct mi_tg_unit *unit = &d->units.list[u];
        if (unit->rank < 0 || !unit->is_counted || d->account.runs[unit->run].is_outside)
            continue;
        struct rank *rank = rank_of(ranks, &count, unit->rank);
        rank->runs++;
        if (unit->mean_makespan_ns > rank->makespan_ns)
            rank->makespan_ns = unit->mean_makespan_ns;
    }
    for (uint32_t t = 1; count && t < rows->tasks.count; t++) {
        int64_t number = rows->tracks.rank[rows->tasks.track[t].v];
        uint32_t kind = rows->kernels.kind[rows->tasks.kernel[t].v];
        const struct mi_account_run *run = &d->account.runs[d->account.run_of[t]];
        if (number < 0 || kind == MI_TASK_COMMUNICATION || run->is_outside ||
            !mi_account_counts(&d->account, (mi_task_id){t}))
            continue;
        struct rank *rank = rank_of(ranks, &count, number);
        rank->work_ns = mi_ns_add(rank->work_ns, d->account.own_ns[t]);
    }
    for (uint32_t i = 0; i < count; i++)
        ranks[i].work_ns /= ranks[i].runs ? ranks[i].runs : 1;
    return count;
}

/* How many tasks of two ranks do not match by operator type, of a hundred. -1: out of memory. */
static int64_t difference_of(const struct mi_doctor *d, const struct rank *a, const struct rank *b)
{
    const struct mi_tables *rows = d->rows;
    int64_t *counts = mi_mem_zero(d->model->all.strings.count, sizeof *counts);
    int64_t all = 0, different = 0;
    for (uint32_t t = 1; counts && t < rows->tasks.count; t++) {
        int64_t number = rows->tracks.rank[rows->tasks.track[t].v];
        bool is_a = number == a->rank;
        uint32_t kernel = rows->tasks.kernel[t].v;
        if ((!is_a && number != b->rank) || rows->kernels.kind[kernel] == MI_TASK_COMMUNICATION ||
            !mi_account_counts(&d->account, (mi_task_id){t}))
            continue;
        counts[rows->kernels.op[kernel].v] += is_a ? b->runs : -a->runs;
        all += is_a ? b->runs : a->runs;
    }
    for (uint32_t s = 0; counts && s < d->model->all.strings.count; s++)
        different += counts[s] < 0 ? -counts[s] : counts[s];
    bool ok = counts != NULL;
    mi_mem_free(counts);
    return !ok ? -1 : all ? different * 100 / all : 100;
}

static bool run(struct mi_doctor *d)
{
    struct rank *ranks =
        mi_mem_new((size_t)d->units.count + d->rows->tracks.count + 1, sizeof *ranks);
    uint32_t count = ranks ? measure(d, ranks) : 0;
    int64_t different = 0;
    if (count >= 2) {
        qsort(ranks, count, sizeof *ranks, compare_work);
        const struct rank *slow = &ranks[count - 1], *usual = &ranks[(count - 1) / 2];
        different = difference_of(d, slow, usual);
        int64_t more_ns = mi_ns_sub(slow->work_ns, usual->work_ns);
        int64_t longer_ns = mi_ns_sub(slow->makespan_ns, usual->makespan_ns);
        int64_t cost_ns = longer_ns > 0 && d->rows->peers.count <= 1 ? longer_ns : more_ns;
        if (different > mi_doctor_limit(d, "most-different-percent"))
            d->not_checked = N_("needs ranks that run the same operators");
        else if (different >= 0 &&
                 more_ns >= usual->work_ns / 100 * mi_doctor_limit(d, "least-percent") &&
                 mi_doctor_matters(d, cost_ns))
            mi_doctor_add(
                d, &(struct mi_finding){
                       .severity = MI_WARNING,
                       .subject = mi_arena_printf(d->arena, "rank %lld", (long long)slow->rank),
                       .sentence = N_("rank %1 works %2 in a run, the others %3"),
                       .args = {mi_doctor_number(d, slow->rank), mi_doctor_span(d, slow->work_ns),
                                mi_doctor_span(d, usual->work_ns)},
                       .cost_ns = cost_ns,
                       .cost_from = N_("sum of times")});
    }
    bool ok = ranks && different >= 0;
    mi_mem_free(ranks);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_unbalanced_ranks = {
    .name = "unbalanced_ranks",
    .question = N_("ranks of which one takes longer for its work"),
    .advice = N_(
        "Compare what rank %1 runs with another: more or longer data, another clock of the chip, "
        "a neighbour on the same host; share the work out anew."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_RANKS,
    .limits = limits,
    .run = run,
};
