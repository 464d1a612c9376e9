/* What is to be fitted, and the causes and effects that tie it. */
#include "base/mem.h"
#include "correlate/clocks/parts.h"

#include <stdlib.h>
#include <string.h>

/* --- units --- */

/* Streams of a device are fitted one by one, though a file may give them one clock; everything else
 * goes by its clock. */
static bool number_units(struct mi_calibration *c)
{
    const struct mi_tracks *tracks = &c->rows->tracks;
    uint32_t *by_clock = mi_mem_zero(c->rows->clocks.count, sizeof *by_clock);
    c->unit_of = mi_mem_zero(tracks->count, sizeof *c->unit_of);
    c->units = mi_mem_zero((size_t)tracks->count + 1, sizeof *c->units);
    c->unit_count = 1;
    if (!by_clock || !c->unit_of || !c->units) {
        mi_mem_free(by_clock);
        return false;
    }
    for (uint32_t t = 1; t < tracks->count; t++) {
        bool is_stream = tracks->kind[t] == MI_TRACK_STREAM && tracks->device[t] >= 0;
        uint32_t clock = tracks->clock[t].v, *shared = is_stream ? NULL : &by_clock[clock];
        if (!clock)
            continue;
        if (shared && *shared) {
            c->unit_of[t] = *shared;
            continue;
        }
        c->units[c->unit_count].track = t;
        c->units[c->unit_count].is_host = tracks->device[t] < 0;
        c->unit_of[t] = c->unit_count;
        if (shared)
            *shared = c->unit_count;
        c->unit_count++;
    }
    mi_mem_free(by_clock);
    return true;
}

static void look_at_tasks(struct mi_calibration *c)
{
    const struct mi_tasks *tasks = &c->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        struct mi_unit *unit = &c->units[c->unit_of[tasks->track[t].v]];
        if (unit->tasks++ && tasks->start_ns[t] >= unit->first_start)
            continue;
        unit->first_start = tasks->start_ns[t];
        unit->first_task = t;
    }
    c->base_ns = tasks->count > 1 ? tasks->start_ns[1] : 0;
}

/* --- points --- */

bool mi_ties_add_point(struct mi_collector *k, uint32_t cause_unit, uint32_t effect_unit,
                       struct mi_point point)
{
    struct mi_calibration *c = k->c;
    if (!cause_unit || !effect_unit || cause_unit == effect_unit)
        return true;
    bool forward = cause_unit < effect_unit;
    uint32_t low = forward ? cause_unit : effect_unit, high = forward ? effect_unit : cause_unit;
    uint32_t *at = mi_map_at(&k->pairs, mi_pair(low, high));
    if (!at)
        return false;
    if (!*at) {
        if (!mi_vec_room(&c->ties, &k->tie_room, c->tie_count, sizeof *c->ties))
            return false;
        c->ties[c->tie_count] = (struct mi_tie){
            .low = low, .high = high, .with_host = c->units[low].is_host || c->units[high].is_host};
        *at = ++c->tie_count;
    }
    struct mi_tie *tie = &c->ties[*at - 1];
    if (!k->is_filling) {
        tie->count++;
        return true;
    }
    point.flags |= forward ? MI_POINT_FORWARD : 0;
    tie->forward += forward;
    tie->loose += (point.flags & MI_POINT_LOOSE) != 0;
    tie->blocked += (point.flags & MI_POINT_BLOCKED) != 0;
    c->points[tie->first + tie->count++] = point;
    return true;
}

/* --- signals --- */

static int compare_durations(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* Records and waits that need not wait take the same, next to no time, so that what records last
 * tells what a wait that did not block may last, scatter of the clocks included. */
static bool find_blocked(struct mi_collector *k)
{
    enum { LOOKED_AT = 4096, FEW = 64 };
    const struct mi_signals *signals = &k->c->rows->signals;
    const struct mi_tasks *tasks = &k->c->rows->tasks;
    const struct mi_kernels *kernels = &k->c->rows->kernels;
    int64_t *list = mi_mem_new(LOOKED_AT, sizeof *list);
    uint32_t count = 0, total = 0, seen = 0;
    if (!list)
        return false;
    for (uint32_t t = 1; t < tasks->count && signals->count > 1; t++)
        total += kernels->sync[tasks->kernel[t].v] == MI_SYNC_RECORD;
    uint32_t step = total / LOOKED_AT + 1;
    for (uint32_t t = 1; t < tasks->count && total && count < LOOKED_AT; t++)
        if (kernels->sync[tasks->kernel[t].v] == MI_SYNC_RECORD && seen++ % step == 0)
            list[count++] = tasks->dur_ns[t];
    if (count)
        qsort(list, count, sizeof *list, compare_durations);
    int64_t usual = count ? list[count - 1 - count / 50] : 0;
    /* few records do not show how much the clocks scatter */
    k->c->blocked_ns = (total < FEW ? 400 : 50) + (double)usual * 2.5;
    k->c->scatter_ns = 0.45 * (double)usual; /* of a difference of two ends */
    mi_mem_free(list);
    return true;
}

static bool collect_signals(struct mi_collector *k)
{
    struct mi_calibration *c = k->c;
    const struct mi_signals *signals = &c->rows->signals;
    const struct mi_tasks *tasks = &c->rows->tasks;
    for (uint32_t s = 1; s < signals->count; s++) {
        uint32_t record = signals->record[s].v, wait = signals->wait[s].v;
        double record_dur = (double)tasks->dur_ns[record], wait_dur = (double)tasks->dur_ns[wait];
        struct mi_point point = {
            .cause = mi_since_base(c, tasks->start_ns[record]) + record_dur,
            .effect = mi_since_base(c, tasks->start_ns[wait]) + wait_dur,
            .cause_dur = (float)record_dur,
            .effect_dur = (float)wait_dur,
            .flags = wait_dur > c->blocked_ns ? MI_POINT_BLOCKED : 0,
        };
        if (mi_bytes_equal(mi_model_text(c->model, signals->rule[s]), MI_LIT("timing")))
            continue; /* time cannot prove itself */
        if (!mi_ties_add_point(k, c->unit_of[tasks->track[record].v],
                               c->unit_of[tasks->track[wait].v], point))
            return false;
    }
    return true;
}

/* --- the step --- */

static bool collect_all(struct mi_collector *k)
{
    return collect_signals(k) && mi_ties_of_runs(k) && mi_ties_of_launches(k);
}

static bool make_room(struct mi_collector *k)
{
    struct mi_calibration *c = k->c;
    size_t total = 0;
    uint32_t longest = 0;
    for (uint32_t t = 0; t < c->tie_count; t++) {
        c->ties[t].first = (uint32_t)total;
        total += c->ties[t].count;
        longest = c->ties[t].count > longest ? c->ties[t].count : longest;
        c->ties[t].count = 0;
    }
    if (total >= UINT32_MAX / 4)
        return false;
    c->points = mi_mem_new(total + 1, sizeof *c->points);
    c->places = mi_mem_new((size_t)longest * 2 + 1, sizeof *c->places);
    c->sample = mi_mem_new(MI_SAMPLE_MAX, sizeof *c->sample);
    return c->points && c->places && c->sample;
}

bool mi_ties_collect(struct mi_calibration *c)
{
    struct mi_collector k = {.c = c};
    bool ok = number_units(c);
    if (ok)
        look_at_tasks(c);
    ok = ok && find_blocked(&k) && collect_all(&k) && make_room(&k);
    k.is_filling = true;
    ok = ok && collect_all(&k);
    mi_map_fini(&k.pairs);
    mi_launches_fini(k.launches);
    return ok;
}
