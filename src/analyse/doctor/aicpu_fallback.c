/* Nodes that run on an AI CPU, where the others run on the device's cores. Cost: the run with the
 * node as fast as its like on a core, or as the median of all nodes on cores where there is none.
 */
#include "analyse/doctor/doctor.h"
#include "base/mem.h"

#include <stdlib.h>

enum { MOST_FINDINGS = 20 };

static const struct mi_doctor_limit limits[] = {MI_DOCTOR_LIMITS(5, 5), {.name = NULL}};

struct fallback {
    uint32_t node;
    int64_t usual_ns;
};

static void speed_up(struct mi_whatif *whatif, const struct mi_doctor_run *run, const void *user)
{
    const struct fallback *f = user;
    for (uint32_t i = run->places.first[f->node]; i < run->places.first[f->node + 1]; i++) {
        uint32_t v = run->places.list[i] - 1;
        if (whatif->busy_ns[v] > f->usual_ns)
            mi_whatif_shorten(whatif, v, f->usual_ns);
    }
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static bool is_heavy(const struct mi_doctor *d, uint32_t node)
{
    uint8_t category = d->rows->nodes.category[node];
    return category == MI_CATEGORY_CONVOLUTION || category == MI_CATEGORY_FULLY_CONNECTED;
}

/* Median over the other nodes that ran on cores. False: out of memory. */
static bool find_median(const struct mi_doctor *d, int64_t *median_ns)
{
    uint32_t count = 0;
    int64_t *list = mi_mem_new(d->rows->nodes.count, sizeof *list);
    for (uint32_t n = 1; list && n < d->rows->nodes.count; n++)
        if (mi_doctor_ran(d, n) && !is_heavy(d, n) && !mi_doctor_is_on_cpu(d, n))
            list[count++] = d->node_ns[n];
    if (count)
        qsort(list, count, sizeof *list, compare_times);
    *median_ns = count ? list[count / 2] : -1;
    mi_mem_free(list);
    return list != NULL;
}

static bool tell(struct mi_doctor *d, uint32_t node, int64_t median_ns)
{
    int64_t usual_ns = mi_doctor_usual_ns(d, d->rows->nodes.op[node], node);
    struct fallback f = {node, usual_ns >= 0 ? usual_ns : median_ns};
    int64_t cost_ns = f.usual_ns < 0 ? -1 : mi_doctor_gain(d, speed_up, &f);
    if (cost_ns < 0 || !mi_doctor_matters(d, cost_ns))
        return false;
    d->claimed[node] = 1;
    mi_doctor_subject(d, node, 0, (struct mi_bytes){0});
    mi_doctor_add(
        d, &(struct mi_finding){
               .severity = MI_WARNING,
               .sentence = usual_ns >= 0
                               ? N_("%1 runs on an AI CPU and takes %2; a %3 on a core takes %4")
                               : N_("%1 runs on an AI CPU and takes %2; nodes on cores take %4, "
                                    "by median"),
               .args = {mi_doctor_name(d, node), mi_doctor_span(d, d->node_ns[node]),
                        mi_model_text(d->model, d->rows->nodes.op[node]),
                        mi_doctor_span(d, f.usual_ns)},
               .cost_ns = cost_ns,
               .cost_from = N_("simulation, the time on a core estimated")});
    return true;
}

static bool run(struct mi_doctor *d)
{
    int64_t median_ns;
    uint32_t told = 0;
    if (!find_median(d, &median_ns))
        return false;
    for (uint32_t n = 1; n < d->rows->nodes.count && told < MOST_FINDINGS; n++)
        if (!d->claimed[n] && mi_doctor_is_on_cpu(d, n))
            told += tell(d, n, median_ns);
    return true;
}

const struct mi_doctor_rule mi_doctor_rule_aicpu_fallback = {
    .name = "aicpu_fallback",
    .question = N_("nodes that run on an AI CPU"),
    .advice =
        N_("Find out why %1 has no kernel on a core: its element type (int64, double), a dynamic "
           "shape, an attribute. Cast before it, fix the shape, or replace the op."),
    .needs = MI_DOCTOR_TASKS | MI_DOCTOR_LINKS,
    .limits = limits,
    .run = run,
};
