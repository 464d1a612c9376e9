/* Times of each op in each sample, kept only where it ran: ops times samples may be far more than
 * there are tasks. */
#include "analyse/compare/compare_parts.h"
#include "base/mem.h"

#include <stdlib.h>

struct gatherer {
    struct mi_compare *compare;
    unsigned side;
    struct mi_csr tasks_of[MI_CMP_CAPTURES]; /* op -> tasks */
    int64_t *ns;                             /* [sample_count] of the op at hand */
    uint8_t *seen;                           /* [sample_count] */
    uint32_t *samples;                       /* those seen */
    int64_t *list;                           /* [sample_count] for the median */
};

static int compare_samples(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Adds a time to its sample; returns how many samples were seen so far. */
static uint32_t add_time(struct gatherer *g, uint32_t sample, int64_t ns, uint32_t count)
{
    if (!g->seen[sample]) {
        g->seen[sample] = 1;
        g->ns[sample] = 0;
        g->samples[count++] = sample;
    }
    g->ns[sample] = mi_ns_add(g->ns[sample], ns);
    return count;
}

/* The tasks of an op of one capture. */
static uint32_t add_tasks(struct gatherer *g, uint32_t c, uint32_t op, uint32_t count)
{
    const struct mi_cmp_capture *capture = &g->compare->side[g->side].captures[c];
    const struct mi_csr *csr = &g->tasks_of[c];
    for (uint32_t i = csr->first[op]; i < csr->first[op + 1]; i++) {
        uint32_t task = csr->list[i];
        uint32_t sample = capture->sample_of[capture->account.run_of[task]] - 1;
        count = add_time(g, sample, capture->account.own_ns[task], count);
    }
    return count;
}

/* Where an op did not run in every sample, the zeros stand before all others. */
static int64_t median_of(struct gatherer *g, uint32_t count)
{
    uint32_t all = g->compare->side[g->side].sample_count, zeros = all - count;
    uint32_t middle = all ? (all - 1) / 2 : 0;
    for (uint32_t i = 0; i < count; i++)
        g->list[i] = g->ns[g->samples[i]];
    if (!all || middle < zeros)
        return 0;
    mi_cmp_median(g->list, count); /* sorts */
    return g->list[middle - zeros];
}

static void gather(struct gatherer *g)
{
    struct mi_compare *compare = g->compare;
    struct mi_cmp_time *times = compare->times[g->side];
    uint32_t used = 0;
    for (uint32_t o = 1; o < compare->op_count; o++) {
        struct mi_cmp_op *op = &compare->ops[o];
        struct mi_cmp_type *type = &compare->types[op->type];
        uint32_t count = 0;
        for (uint32_t c = 0; c < compare->side[g->side].capture_count; c++)
            count = add_tasks(g, c, o, count);
        if (!count)
            continue;
        qsort(g->samples, count, sizeof *g->samples, compare_samples);
        op->first_time[g->side] = used;
        op->time_count[g->side] = count;
        op->median_ns[g->side] = median_of(g, count);
        type->tasks[g->side] += op->tasks[g->side];
        type->is_collective = type->is_collective || op->is_collective;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t sample = g->samples[i];
            times[used++] = (struct mi_cmp_time){sample, g->ns[sample]};
            type->total_ns[g->side] = mi_ns_add(type->total_ns[g->side], g->ns[sample]);
            g->seen[sample] = 0;
        }
    }
}

/* Medians of types: their ops are added up sample by sample. */
static bool gather_types(struct gatherer *g)
{
    struct mi_compare *compare = g->compare;
    struct mi_csr ops_of = {0};
    uint32_t *types = mi_mem_new(compare->op_count, sizeof *types);
    for (uint32_t o = 0; types && o < compare->op_count; o++)
        types[o] = compare->ops[o].time_count[g->side] ? compare->ops[o].type : 0;
    bool ok = types && mi_csr_build(&ops_of, compare->type_count, types, compare->op_count);
    for (uint32_t t = 1; ok && t < compare->type_count; t++) {
        uint32_t count = 0;
        for (uint32_t i = ops_of.first[t]; i < ops_of.first[t + 1]; i++) {
            const struct mi_cmp_op *op = &compare->ops[ops_of.list[i]];
            for (uint32_t k = 0; k < op->time_count[g->side]; k++) {
                const struct mi_cmp_time *time =
                    &compare->times[g->side][op->first_time[g->side] + k];
                count = add_time(g, time->sample, time->ns, count);
            }
        }
        compare->types[t].median_ns[g->side] = median_of(g, count);
        for (uint32_t i = 0; i < count; i++)
            g->seen[g->samples[i]] = 0;
    }
    mi_csr_fini(&ops_of);
    mi_mem_free(types);
    return ok;
}

static bool gather_side(struct mi_compare *compare, unsigned side)
{
    struct mi_cmp_side *at = &compare->side[side];
    struct gatherer g = {.compare = compare, .side = side};
    size_t samples = (size_t)at->sample_count + 1, tasks = 1;
    bool ok = true;
    for (uint32_t c = 0; ok && c < at->capture_count; c++) {
        uint32_t count = at->captures[c].model->all.rows.tasks.count;
        tasks += count;
        ok = mi_csr_build(&g.tasks_of[c], compare->op_count, at->captures[c].op_of, count);
    }
    g.ns = mi_mem_zero(samples, sizeof *g.ns);
    g.seen = mi_mem_zero(samples, sizeof *g.seen);
    g.samples = mi_mem_zero(samples, sizeof *g.samples);
    g.list = mi_mem_zero(samples, sizeof *g.list);
    compare->times[side] = mi_mem_new(tasks, sizeof **compare->times);
    ok = ok && g.ns && g.seen && g.samples && g.list && compare->times[side];
    if (ok)
        gather(&g);
    ok = ok && gather_types(&g);
    for (uint32_t c = 0; c < at->capture_count; c++)
        mi_csr_fini(&g.tasks_of[c]);
    mi_mem_free(g.ns);
    mi_mem_free(g.seen);
    mi_mem_free(g.samples);
    mi_mem_free(g.list);
    return ok;
}

bool mi_cmp_find_times(struct mi_compare *compare)
{
    return gather_side(compare, MI_CMP_BASE) && gather_side(compare, MI_CMP_NEW);
}
