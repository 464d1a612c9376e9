#include "analyse/gate/measures.h"

#include "analyse/report.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum { MILLION = 1000000, LEVEL_OPS = 200, LEVEL_LEAST = 10 };
enum { MAKESPAN_ROW, LEVEL_ROW }; /* in the list */

struct pick {
    int64_t ns;
    uint32_t op;
};

struct taker {
    struct mi_gate_measures *out;
    const struct mi_compare *compare;
    uint32_t counts[MI_CMP_SIDES], total; /* samples */
    struct pick *picks;                   /* ops that both sides ran, costliest first */
    uint32_t pick_count;
    uint32_t *row_of_type; /* [type_count] measure + 1 */
    int64_t *room;         /* [total] */
};

static int costlier(const void *left, const void *right)
{
    const struct pick *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return (a->op > b->op) - (a->op < b->op);
}

static int64_t share_of(int64_t part, int64_t whole)
{
    return whole > 0 ? mi_cell_share(part, whole).number : 0;
}

/* The smallest share that any rule of the kind wants to see; above all: there is no such rule. */
static int64_t least_share(const struct mi_gate_rules *rules, enum mi_gate_kind kind)
{
    int64_t least = MILLION + 1;
    for (uint32_t i = 0; i < rules->count; i++)
        if (rules->list[i].kind == kind && rules->list[i].least_share < least)
            least = rules->list[i].least_share;
    return least;
}

/* --- what is measured --- */

static struct mi_gate_measure *add_measure(struct taker *t, enum mi_gate_kind kind, uint32_t row)
{
    struct mi_gate_measure *measure = &t->out->list[t->out->count++];
    *measure = (struct mi_gate_measure){.kind = kind, .row = row};
    return measure;
}

static void pick_ops(struct taker *t)
{
    const struct mi_compare *compare = t->compare;
    for (uint32_t o = 1; o < compare->op_count; o++) {
        const struct mi_cmp_op *op = &compare->ops[o];
        if (op->median_ns[MI_CMP_BASE] > 0 && op->median_ns[MI_CMP_NEW] > 0)
            t->picks[t->pick_count++] = (struct pick){op->median_ns[MI_CMP_BASE], o};
    }
    qsort(t->picks, t->pick_count, sizeof *t->picks, costlier);
}

static void add_ops(struct taker *t, int64_t least)
{
    int64_t work_ns = t->compare->side[MI_CMP_BASE].work_ns;
    for (uint32_t i = 0; i < t->pick_count; i++) {
        int64_t share = share_of(t->picks[i].ns, work_ns);
        if (share < least)
            return;
        if (i >= MI_GATE_MOST_OPS) {
            t->out->left_out++;
            continue;
        }
        struct mi_gate_measure *measure = add_measure(t, MI_GATE_op_time, t->picks[i].op);
        measure->share_ppm = share;
        measure->is_collective = t->compare->ops[t->picks[i].op].is_collective;
    }
}

static void add_types(struct taker *t, int64_t least)
{
    int64_t all_ns = 0;
    for (uint32_t y = 1; y < t->compare->type_count; y++)
        all_ns = mi_ns_add(all_ns, t->compare->types[y].total_ns[MI_CMP_BASE]);
    for (uint32_t y = 1; y < t->compare->type_count; y++) {
        const struct mi_cmp_type *type = &t->compare->types[y];
        int64_t share = share_of(type->total_ns[MI_CMP_BASE], all_ns);
        if (type->total_ns[MI_CMP_BASE] <= 0 || type->total_ns[MI_CMP_NEW] <= 0 || share < least)
            continue;
        struct mi_gate_measure *measure = add_measure(t, MI_GATE_type_time, y);
        measure->share_ppm = share;
        measure->is_collective = type->is_collective;
        t->row_of_type[y] = t->out->count;
    }
}

/* --- samples --- */

static void read_op(struct taker *t, uint32_t op, int64_t *samples)
{
    mi_cmp_op_samples(t->compare, MI_CMP_BASE, op, samples);
    mi_cmp_op_samples(t->compare, MI_CMP_NEW, op, samples + t->counts[MI_CMP_BASE]);
}

static void read_makespans(const struct taker *t, int64_t *samples)
{
    for (unsigned side = 0; side < MI_CMP_SIDES; side++)
        for (uint32_t i = 0; i < t->counts[side]; i++)
            *samples++ = t->compare->side[side].samples[i].makespan_ns;
}

static void read_types(struct taker *t)
{
    for (uint32_t o = 1; o < t->compare->op_count; o++) {
        const struct mi_cmp_op *op = &t->compare->ops[o];
        uint32_t row = t->row_of_type[op->type];
        if (!row || (!op->tasks[MI_CMP_BASE] && !op->tasks[MI_CMP_NEW]))
            continue;
        int64_t *samples = t->out->samples + (size_t)(row - 1) * t->total;
        read_op(t, o, t->room);
        for (uint32_t i = 0; i < t->total; i++)
            samples[i] = mi_ns_add(samples[i], t->room[i]);
    }
}

static void read_all(struct taker *t)
{
    for (uint32_t m = 0; m < t->out->count; m++) {
        int64_t *samples = t->out->samples + (size_t)m * t->total;
        if (t->out->list[m].kind == MI_GATE_makespan)
            read_makespans(t, samples);
        else if (t->out->list[m].kind == MI_GATE_op_time)
            read_op(t, t->out->list[m].row, samples);
    }
    read_types(t);
}

static void name_all(struct taker *t, struct mi_arena *arena)
{
    for (uint32_t m = 0; m < t->out->count; m++) {
        struct mi_gate_measure *measure = &t->out->list[m];
        int64_t *samples = t->out->samples + (size_t)m * t->total;
        if (measure->kind == MI_GATE_op_time)
            measure->name = mi_cmp_op_name(t->compare, measure->row, arena);
        else if (measure->kind == MI_GATE_type_time)
            measure->name = mi_arena_copy(arena, mi_cmp_type_name(t->compare, measure->row));
        memcpy(t->room, samples, t->total * sizeof *samples);
        measure->base_ns = mi_cmp_median(t->room, t->counts[MI_CMP_BASE]);
        measure->new_ns = mi_cmp_median(t->room + t->counts[MI_CMP_BASE], t->counts[MI_CMP_NEW]);
    }
}

/* --- levels --- */

/* Takes out of operators and types what is common to all operators of a run. */
static bool level_all(struct taker *t, struct mi_error *err)
{
    uint32_t used = t->pick_count < LEVEL_OPS ? t->pick_count : LEVEL_OPS;
    if (used < LEVEL_LEAST)
        return true;
    int64_t *samples = mi_mem_new((size_t)used * t->total, sizeof *samples);
    const int64_t **rows = mi_mem_new(used, sizeof *rows);
    double *levels = mi_mem_new(t->total, sizeof *levels);
    bool ok = (samples && rows && levels) || mi_fail(err, MI_ENOMEM, "out of memory");
    for (uint32_t i = 0; ok && i < used; i++) {
        rows[i] = samples + (size_t)i * t->total;
        read_op(t, t->picks[i].op, samples + (size_t)i * t->total);
    }
    ok = ok && mi_noise_levels(rows, used, t->total, levels, err);
    for (uint32_t m = 0; ok && m < t->out->count; m++)
        for (uint32_t i = 0; i < t->total; i++) {
            int64_t *sample = &t->out->samples[(size_t)m * t->total + i];
            if (t->out->list[m].kind == MI_GATE_LEVEL)
                *sample = (int64_t)(levels[i] * MILLION + 0.5);
            else if (t->out->list[m].kind != MI_GATE_makespan)
                *sample = (int64_t)((double)*sample / levels[i] + 0.5);
        }
    t->out->is_levelled = ok;
    mi_mem_free(samples);
    mi_mem_free(rows);
    mi_mem_free(levels);
    return ok;
}

/* Where all operators alike changed by more than chance, that is part of what each of them did; so
 * it is where the makespan did, which is no clearer than the level but has another noise. Both
 * noises, of the level and of an operator beside it, are independent of each other. */
static void add_level(struct mi_gate_measures *out)
{
    const struct mi_noise_series *makespan = &out->noise.series[MAKESPAN_ROW];
    const struct mi_noise_series *level = &out->noise.series[LEVEL_ROW];
    bool has_changed =
        fabs(level->change) > level->chance || fabs(makespan->change) > makespan->chance;
    if (!out->is_levelled || !out->noise.is_known || !has_changed)
        return;
    for (uint32_t m = LEVEL_ROW + 1; m < out->count; m++) {
        struct mi_noise_series *series = &out->noise.series[m];
        series->change = (1 + series->change) * (1 + level->change) - 1;
        series->chance = hypot(series->chance, level->chance);
        series->sure = hypot(series->sure, level->sure);
    }
}

/* --- all of it --- */

static bool measure(struct taker *t, const struct mi_gate_rules *rules, struct mi_arena *arena,
                    struct mi_error *err)
{
    struct mi_gate_measures *out = t->out;
    add_measure(t, MI_GATE_makespan, 0);
    add_measure(t, MI_GATE_LEVEL, 0);
    pick_ops(t);
    add_ops(t, least_share(rules, MI_GATE_op_time));
    add_types(t, least_share(rules, MI_GATE_type_time));
    out->samples = mi_mem_zero((size_t)out->count * t->total, sizeof *out->samples);
    out->noise.series = mi_mem_zero(out->count, sizeof *out->noise.series);
    if (!out->samples || !out->noise.series)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    read_all(t);
    name_all(t, arena);
    if (!level_all(t, err))
        return false;
    for (uint32_t m = 0; m < out->count; m++)
        out->noise.series[m].samples = out->samples + (size_t)m * t->total;
    out->noise.series_count = out->count;
    out->noise.false_alarms = (double)rules->false_alarms_ppm / MILLION;
    if (!mi_noise_measure(&out->noise, err))
        return false;
    add_level(out);
    return true;
}

bool mi_gate_measures_init(struct mi_gate_measures *measures, const struct mi_compare *compare,
                           const struct mi_gate_rules *rules, struct mi_arena *arena,
                           struct mi_error *err)
{
    struct taker t = {.out = measures, .compare = compare};
    *measures = (struct mi_gate_measures){0};
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        t.counts[side] = measures->noise.counts[side] = compare->side[side].sample_count;
        t.total += t.counts[side];
    }
    if (!t.counts[MI_CMP_BASE] || !t.counts[MI_CMP_NEW])
        return true;
    size_t most = (size_t)compare->op_count + compare->type_count + LEVEL_ROW + 1;
    measures->list = mi_mem_new(most, sizeof *measures->list);
    t.picks = mi_mem_new(compare->op_count + (size_t)1, sizeof *t.picks);
    t.row_of_type = mi_mem_zero(compare->type_count + (size_t)1, sizeof *t.row_of_type);
    t.room = mi_mem_new(t.total, sizeof *t.room);
    bool ok = measures->list && t.picks && t.row_of_type && t.room;
    if (!ok)
        mi_fail(err, MI_ENOMEM, "out of memory");
    ok = ok && measure(&t, rules, arena, err);
    mi_mem_free(t.picks);
    mi_mem_free(t.row_of_type);
    mi_mem_free(t.room);
    return ok;
}

void mi_gate_measures_fini(struct mi_gate_measures *measures)
{
    mi_mem_free(measures->list);
    mi_mem_free(measures->samples);
    mi_mem_free(measures->noise.series);
    *measures = (struct mi_gate_measures){0};
}
