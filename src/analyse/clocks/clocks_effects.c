#include "analyse/clocks/clocks_effects.h"

#include "base/mem.h"
#include "base/vec.h"

#include <stdlib.h>

static int64_t minus(int64_t a, int64_t b)
{
    int64_t d;
    return __builtin_sub_overflow(a, b, &d) ? (a < b ? INT64_MIN : INT64_MAX) : d;
}

static int64_t plus(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* Only clocks that count nanoseconds are calibrated. */
int64_t mi_exported_start(const struct mi_model *model, uint32_t task)
{
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_clocks *clocks = &rows->clocks;
    uint32_t clock = rows->tracks.clock[rows->tasks.track[task].v].v;
    if (!clock || clocks->ns_per_tick[clock] != 1 || !clocks->note[clock].v)
        return rows->tasks.start_ns[task];
    int64_t since = minus(rows->tasks.start_raw[task], clocks->ref_raw[clock]);
    return plus(since, minus(clocks->ref_ns[clock], model->start_unix_ns));
}

/* Worse is further back, calibrated; then as exported; then the order of the rows. */
static int compare_effects(const void *left, const void *right)
{
    const struct mi_effect *a = left, *b = right;
    if (a->after_ns != b->after_ns)
        return a->after_ns < b->after_ns ? -1 : 1;
    if (a->before_ns != b->before_ns)
        return a->before_ns < b->before_ns ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->cause != b->cause)
        return a->cause < b->cause ? -1 : 1;
    return (a->effect > b->effect) - (a->effect < b->effect);
}

/* Keeps at most twice as many as are wanted, so that each is sorted a few times at most. */
static bool keep(struct mi_effects *effects, const struct mi_effect *effect, uint32_t most)
{
    if (effects->worst_count == effects->worst_room && effects->worst_room >= 2 * most) {
        qsort(effects->worst, effects->worst_count, sizeof *effects->worst, compare_effects);
        effects->worst_count = most;
    }
    if (!mi_vec_room(&effects->worst, &effects->worst_room, effects->worst_count,
                     sizeof *effects->worst))
        return false;
    effects->worst[effects->worst_count++] = *effect;
    return true;
}

static void count(struct mi_effect_count *into, const struct mi_effect *effect)
{
    bool is_first = !into->pairs++;
    into->violated_before += effect->before_ns < 0;
    into->violated_after += effect->after_ns < 0;
    if (is_first || effect->before_ns < into->worst_before_ns)
        into->worst_before_ns = effect->before_ns;
    if (is_first || effect->after_ns < into->worst_after_ns)
        into->worst_after_ns = effect->after_ns;
}

static bool add(struct mi_effects *effects, const struct mi_effect *effect, uint32_t most)
{
    count(&effects->count[effect->kind], effect);
    return (effect->before_ns >= 0 && effect->after_ns >= 0) || !most ||
           keep(effects, effect, most);
}

static bool find_signals(struct mi_effects *effects, const struct mi_model *model, uint32_t most)
{
    const struct mi_signals *signals = &model->all.rows.signals;
    const struct mi_tasks *tasks = &model->all.rows.tasks;
    for (uint32_t s = 1; s < signals->count; s++) {
        uint32_t record = signals->record[s].v, wait = signals->wait[s].v;
        int64_t longer = minus(tasks->dur_ns[wait], tasks->dur_ns[record]);
        struct mi_effect effect = {
            MI_EFFECT_EVENT, record, wait,
            plus(minus(mi_exported_start(model, wait), mi_exported_start(model, record)), longer),
            plus(minus(tasks->start_ns[wait], tasks->start_ns[record]), longer)};
        if (mi_bytes_equal(mi_model_text(model, signals->rule[s]), MI_LIT("timing")))
            continue; /* these follow by definition */
        if (!add(effects, &effect, most))
            return false;
    }
    return true;
}

static bool find_launches(struct mi_effects *effects, const struct mi_model *model, uint32_t most)
{
    const struct mi_tasks *tasks = &model->all.rows.tasks;
    const struct mi_slices *slices = &model->all.rows.slices;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t slice = tasks->launch[t].v;
        if (!slice)
            continue;
        struct mi_effect effect = {MI_EFFECT_LAUNCH, slice, t,
                                   minus(mi_exported_start(model, t), slices->start_ns[slice]),
                                   minus(tasks->start_ns[t], slices->start_ns[slice])};
        count(&effects->by_track[tasks->track[t].v], &effect);
        if (!add(effects, &effect, most))
            return false;
    }
    return true;
}

bool mi_effects_find(struct mi_effects *effects, const struct mi_model *model, uint32_t most)
{
    *effects = (struct mi_effects){
        .by_track = mi_mem_zero(model->all.rows.tracks.count, sizeof *effects->by_track)};
    if (!effects->by_track || !find_signals(effects, model, most) ||
        !find_launches(effects, model, most))
        return false;
    if (effects->worst_count)
        qsort(effects->worst, effects->worst_count, sizeof *effects->worst, compare_effects);
    if (effects->worst_count > most)
        effects->worst_count = most;
    return true;
}

void mi_effects_fini(struct mi_effects *effects)
{
    mi_mem_free(effects->by_track);
    mi_mem_free(effects->worst);
}
