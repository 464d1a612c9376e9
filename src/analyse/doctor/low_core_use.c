/* A heavy node that was tiled for few cores, while its like - equal type and equal tensors - use
 * several times as many and take a fraction of the time. A node without any like is compared with
 * all of its type that use far more cores. Where its like are fast on as few, cores explain nothing
 * and slow_op tells of it. Cost: the run with it as fast as those. */
#include "analyse/doctor/doctor.h"
#include "base/mem.h"

#include <stdlib.h>

enum { MOST_LIKE = 256 };

static const struct mi_doctor_limit limits[] = {
    {"least-times", 2, N_("its like use so many times the cores ...")},
    {"least-times-of-type", 8, N_("... or, where it has no like, others of its type do ...")},
    {"least-slower-percent", 250, N_("... and it takes so many hundredths of their time")},
    MI_DOCTOR_LIMITS(10, 10),
    {.name = NULL}};

struct cores {
    int64_t *of_node; /* [nodes.count] most that a task of it uses */
    int64_t *of_type; /* [of_type.row_count] most that a node of that type uses */
};

struct low {
    uint32_t node;
    int64_t blocks, usual_blocks, usual_ns;
};

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static bool has_like(const struct mi_doctor *d, uint32_t node)
{
    uint32_t op = d->rows->nodes.op[node].v;
    for (uint32_t i = d->of_type.first[op]; i < d->of_type.first[op + 1]; i++)
        if (d->of_type.list[i] != node && mi_doctor_is_like(d, node, d->of_type.list[i]))
            return true;
    return false;
}

/* Mostly no node of the type uses more cores at all, and thousands of them need not be looked at.
 */
static bool may_be_low(const struct mi_doctor *d, const struct cores *cores, uint32_t node)
{
    int64_t like = mi_doctor_limit(d, "least-times");
    int64_t type = mi_doctor_limit(d, "least-times-of-type");
    return cores->of_type[d->rows->nodes.op[node].v] >=
           cores->of_node[node] * (like < type ? like : type);
}

/* Time and cores of those of its like, or of its type, that use more cores. */
static bool find_usual(const struct mi_doctor *d, const int64_t *blocks, struct low *low)
{
    int64_t times[MOST_LIKE], cores[MOST_LIKE];
    size_t count = 0;
    uint32_t op = d->rows->nodes.op[low->node].v;
    bool by_like = has_like(d, low->node);
    int64_t least =
        low->blocks * mi_doctor_limit(d, by_like ? "least-times" : "least-times-of-type");
    for (uint32_t i = d->of_type.first[op]; i < d->of_type.first[op + 1] && count < MOST_LIKE;
         i++) {
        uint32_t other = d->of_type.list[i];
        if (other == low->node || d->claimed[other] || blocks[other] < least ||
            (by_like && !mi_doctor_is_like(d, low->node, other)) || mi_doctor_is_on_cpu(d, other))
            continue;
        times[count] = d->node_ns[other];
        cores[count++] = blocks[other];
    }
    if (!count)
        return false;
    qsort(times, count, sizeof *times, compare_times);
    qsort(cores, count, sizeof *cores, compare_times);
    low->usual_ns = times[count / 2];
    low->usual_blocks = cores[count / 2];
    return true;
}

static void speed_up(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user)
{
    const struct low *low = user;
    for (uint32_t i = run->places.first[low->node]; i < run->places.first[low->node + 1]; i++)
        mi_whatif_shorten(whatif, run->places.list[i] - 1, low->usual_ns);
}

static void judge(struct mi_doctor *d, const int64_t *blocks, uint32_t node)
{
    struct low low = {.node = node, .blocks = blocks[node]};
    if (!find_usual(d, blocks, &low) ||
        d->node_ns[node] / 100 < low.usual_ns / 10000 * mi_doctor_limit(d, "least-slower-percent"))
        return;
    int64_t cost_ns = mi_doctor_gain(d, speed_up, &low);
    if (!mi_doctor_matters(d, cost_ns))
        return;
    d->claimed[node] = 1;
    mi_doctor_subject(d, node, 0, (struct mi_bytes){0});
    mi_doctor_add(
        d, &(struct mi_finding){
               .severity = MI_WARNING,
               .sentence = N_("%1 runs on %2 cores; its like use %3 and take %4"),
               .args = {mi_doctor_name(d, node), mi_doctor_number(d, low.blocks),
                        mi_doctor_number(d, low.usual_blocks), mi_doctor_span(d, low.usual_ns)},
               .cost_ns = cost_ns,
               .cost_from = N_("simulation, the time with more cores that of its like")});
}

/* False: no plan tells of cores. */
static bool count_cores(const struct mi_doctor *d, struct cores *cores)
{
    const struct mi_tables *rows = d->rows;
    bool has_any = false;
    for (uint32_t p = 1; p < rows->planned.count; p++) {
        uint32_t node = rows->planned.node[p].v;
        if (rows->planned.kind[p] != MI_TASK_COMPUTE || !node ||
            rows->planned.block_dim[p] <= cores->of_node[node])
            continue;
        cores->of_node[node] = rows->planned.block_dim[p];
        has_any = true;
    }
    for (uint32_t op = 0; op < d->of_type.row_count; op++)
        for (uint32_t i = d->of_type.first[op]; i < d->of_type.first[op + 1]; i++) {
            int64_t blocks = cores->of_node[d->of_type.list[i]];
            cores->of_type[op] = blocks > cores->of_type[op] ? blocks : cores->of_type[op];
        }
    return has_any;
}

static bool run(struct mi_doctor *d)
{
    struct cores cores = {.of_node = mi_mem_zero(d->rows->nodes.count, sizeof *cores.of_node),
                          .of_type =
                              mi_mem_zero((size_t)d->of_type.row_count + 1, sizeof *cores.of_type)};
    bool ok = cores.of_node && cores.of_type;
    bool has_any = ok && count_cores(d, &cores);
    if (ok && !has_any)
        d->not_checked = N_("needs an offline model: it says how many cores a task uses");
    for (uint32_t n = 1; has_any && n < d->rows->nodes.count; n++)
        if (cores.of_node[n] > 0 && mi_doctor_ran(d, n) && !d->claimed[n] &&
            may_be_low(d, &cores, n))
            judge(d, cores.of_node, n);
    mi_mem_free(cores.of_node);
    mi_mem_free(cores.of_type);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_low_core_use = {
    .name = "low_core_use",
    .question = N_("heavy nodes that run on few cores"),
    .advice =
        N_("Have %1 tiled for more cores: tune it (AOE, a tiling of its own), and look at shapes "
           "whose outer dimensions are too small to be split."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS | MI_DOCTOR_COMPILED,
    .limits = limits,
    .run = run,
};
