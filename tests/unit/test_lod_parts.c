/* Arrows, busy devices and counters of the timeline, against what a plain walk over the tables
 * finds. */
#include "analyse/accounting.h"
#include "present/lod/busy.h"
#include "present/lod/counters.h"
#include "present/lod/flows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc_fail.h"
#include "hand_model.h"
#include "rng.h"

enum { STREAMS = 3, TASKS = 600, LINE = 200000 };

static struct hand hand;
static struct mi_lod lod;
static struct mi_arrows arrows;

static uint32_t device_track(const char *name, int64_t number, int64_t device)
{
    uint32_t track = hand_track(&hand, name, number);
    hand.model.all.rows.tracks.device[track] = device;
    return track;
}

static uint32_t call(uint32_t track, int64_t start_ns)
{
    return mi_add_slice(&hand.model.all, &(struct mi_slice_row){.track = {track},
                                                                .name = hand_str(&hand, "call"),
                                                                .category = hand_str(&hand, "node"),
                                                                .connection = UINT32_MAX,
                                                                .correlation = UINT32_MAX,
                                                                .start_raw = start_ns,
                                                                .start_ns = start_ns,
                                                                .dur_ns = 5,
                                                                .record_offset = -1})
        .v;
}

/* Three streams on two devices; every third task has a launch, every fifth waits for the one
 * before. */
static void build(uint64_t seed)
{
    static const enum mi_task_kind kinds[] = {MI_TASK_COMPUTE, MI_TASK_TRANSFER,
                                              MI_TASK_COMMUNICATION, MI_TASK_COMPUTE};
    struct mi_batch *all = &hand.model.all;
    uint32_t streams[STREAMS], before = 0;
    int64_t at[STREAMS] = {0};
    hand_init(&hand);
    for (uint32_t t = 0; t < STREAMS; t++)
        streams[t] = device_track("stream", t, t == 2);
    uint32_t thread = hand_track(&hand, "thread", 9);
    for (uint32_t i = 0; i < TASKS; i++) {
        uint32_t t = (uint32_t)rng_below(&seed, STREAMS);
        int64_t dur = (int64_t)rng_below(&seed, 500);
        at[t] += (int64_t)rng_below(&seed, 100) * (rng_below(&seed, 50) ? 1 : 30);
        uint32_t task =
            hand_task(&hand, streams[t], "op", kinds[rng_below(&seed, 4)], 0, at[t], dur, 0);
        if (i % 3 == 0)
            all->rows.tasks.launch[task].v = call(thread, at[t] - 20);
        if (i % 5 == 4)
            mi_add_signal(all, &(struct mi_signal_row){.record = {before},
                                                       .wait = {task},
                                                       .confidence = MI_LIKELY,
                                                       .rule = hand_str(&hand, "hand")});
        before = task;
        at[t] += dur;
    }
    hand_finish(&hand);
    assert_true(mi_lod_init(&lod, &hand.model, NULL, NULL));
    assert_true(mi_arrows_init(&arrows, &hand.model, NULL));
}

static void drop(void)
{
    mi_arrows_fini(&arrows);
    mi_lod_fini(&lod);
    hand_fini(&hand);
}

/* --- arrows --- */

static bool is_inside(uint32_t task, int64_t from, int64_t to)
{
    int64_t start = hand.model.all.rows.tasks.start_ns[task];
    return start >= from && start < to;
}

static uint32_t count_plainly(unsigned kinds, int64_t from, int64_t to)
{
    const struct mi_tables *rows = &hand.model.all.rows;
    uint32_t count = 0;
    for (uint32_t t = 1; kinds & 1U << MI_ARROW_LAUNCH && t < rows->tasks.count; t++)
        count += rows->tasks.launch[t].v && is_inside(t, from, to);
    for (uint32_t s = 1; kinds & 1U << MI_ARROW_SIGNAL && s < rows->signals.count; s++)
        count += is_inside(rows->signals.wait[s].v, from, to);
    return count;
}

static void check_arrow(const struct mi_arrow *arrow)
{
    const struct mi_tables *rows = &hand.model.all.rows;
    uint32_t to = arrow->to.id, from = arrow->from.id;
    int64_t start = rows->tasks.start_ns[to];
    assert_false(arrow->to.is_host);
    assert_int_equal(lod.lanes[arrow->to.lane].track.v, rows->tasks.track[to].v);
    if (arrow->kind == MI_ARROW_LAUNCH) {
        assert_true(arrow->from.is_host);
        assert_int_equal(rows->tasks.launch[to].v, from);
        assert_int_equal(arrow->from.at_ns, rows->slices.start_ns[from]);
        assert_int_equal(arrow->to.at_ns, start);
        return;
    }
    int64_t done = rows->tasks.start_ns[from] + rows->tasks.dur_ns[from];
    assert_int_equal(arrow->kind, MI_ARROW_SIGNAL);
    assert_int_equal(arrow->confidence, MI_LIKELY);
    assert_int_equal(arrow->from.at_ns, done);
    assert_int_equal(arrow->to.at_ns, done > start ? start + rows->tasks.dur_ns[to] : start);
}

static void arrows_of_a_window_are_all_there(void **state)
{
    (void)state;
    static struct mi_arrow out[TASKS * 2];
    uint64_t seed = 11;
    build(5);
    for (int i = 0; i < 500; i++) {
        int64_t from = (int64_t)rng_below(&seed, LINE) - 100;
        int64_t to = from + (int64_t)rng_below(&seed, LINE);
        unsigned kinds = (unsigned)rng_below(&seed, 4);
        uint32_t total,
            count = mi_arrows_in(&arrows, &lod, kinds, from, to, out, TASKS * 2, &total);
        assert_int_equal(total, count_plainly(kinds, from, to));
        assert_int_equal(count, total);
        for (uint32_t k = 0; k < count; k++) {
            check_arrow(&out[k]);
            assert_true(is_inside(out[k].to.id, from, to));
        }
    }
    drop();
}

static void where_there_are_many_they_are_chosen_evenly(void **state)
{
    (void)state;
    enum { ROOM = 20 };
    struct mi_arrow out[ROOM];
    uint32_t total, count, early = 0;
    build(5);
    unsigned launches = 1U << MI_ARROW_LAUNCH;
    count = mi_arrows_in(&arrows, &lod, launches, INT64_MIN, INT64_MAX, out, ROOM, &total);
    assert_int_equal(total, (TASKS + 2) / 3);
    assert_int_equal(count, ROOM);
    for (uint32_t i = 0; i < count; i++)
        early += hand.model.all.rows.tasks.track[out[i].to.id].v == 1;
    assert_in_range(early, 3, 12); /* a third of the streams, not all of the room */
    count = mi_arrows_in(&arrows, &lod, UINT32_MAX, INT64_MIN, INT64_MAX, out, ROOM, &total);
    assert_int_equal(count, ROOM);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(out[i].kind, MI_ARROW_SIGNAL);
    drop();
}

static void arrows_at_a_task_and_at_a_call(void **state)
{
    (void)state;
    struct mi_arrow out[64];
    build(5);
    const struct mi_tables *rows = &hand.model.all.rows;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        uint32_t expect = rows->tasks.launch[t].v != 0, total;
        for (uint32_t s = 1; s < rows->signals.count; s++)
            expect += rows->signals.wait[s].v == t || rows->signals.record[s].v == t;
        assert_int_equal(mi_arrows_at(&arrows, &lod, false, t, out, 64, &total), expect);
        assert_int_equal(total, expect);
    }
    for (uint32_t s = 1; s < rows->slices.count; s++) {
        uint32_t total;
        assert_int_equal(mi_arrows_at(&arrows, &lod, true, s, out, 64, &total), 1);
        assert_int_equal(rows->tasks.launch[out[0].to.id].v, s);
    }
    drop();
}

static void places_in_lanes_are_found(void **state)
{
    (void)state;
    build(5);
    for (uint32_t t = 1; t < hand.model.all.rows.tasks.count; t++) {
        uint32_t lane = mi_lod_lane_of(&lod, false, t);
        assert_true(lane < lod.lane_count);
        uint32_t place = mi_lod_place_of(&lod.lanes[lane], t);
        assert_true(place < lod.lanes[lane].count);
        assert_int_equal(
            lod.lanes[lane].ids ? lod.lanes[lane].ids[place] : lod.lanes[lane].first_id + place, t);
    }
    drop();
}

static void times_as_exported_move_the_lanes(void **state)
{
    (void)state;
    struct mi_lod raw;
    struct mi_lod_slice out[4];
    build(5);
    const struct mi_tasks *tasks = &hand.model.all.rows.tasks;
    int64_t *starts = calloc(tasks->count, sizeof *starts);
    for (uint32_t t = 1; t < tasks->count; t++)
        starts[t] = tasks->start_ns[t] + 1000000;
    assert_true(
        mi_lod_init(&raw, &hand.model, &(struct mi_lod_filter){.task_start_ns = starts}, NULL));
    assert_int_equal(mi_lod_query(&raw, 0, 0, 1000000, 1, out, 4), 0);
    assert_int_equal(mi_lod_query(&raw, 0, 0, INT64_MAX, 1, out, 4), 4);
    assert_int_equal(out[0].start_ns,
                     starts[raw.lanes[0].ids ? raw.lanes[0].ids[0] : raw.lanes[0].first_id]);
    mi_lod_fini(&raw);
    free(starts);
    drop();
}

/* --- busy --- */

static enum mi_task_kind kind_of(uint8_t band)
{
    return band == 0 ? MI_TASK_COMPUTE : band == 1 ? MI_TASK_TRANSFER : MI_TASK_COMMUNICATION;
}

/* One flag per nanosecond. */
static void mark_plainly(const struct mi_busy_band *band, uint8_t *flags)
{
    const struct mi_tables *rows = &hand.model.all.rows;
    memset(flags, 0, LINE);
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        if (rows->tracks.device[rows->tasks.track[t].v] == band->device &&
            rows->kernels.kind[rows->tasks.kernel[t].v] == kind_of(band->kind))
            memset(flags + rows->tasks.start_ns[t], 1, (size_t)rows->tasks.dur_ns[t]);
}

static void bands_agree_with_flags(void **state)
{
    (void)state;
    static uint8_t flags[LINE], share[256];
    struct mi_account account;
    struct mi_busy busy;
    uint64_t seed = 3;
    build(5);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    assert_true(mi_busy_init(&busy, &account, hand.model.all.rows.tasks.start_ns, NULL));
    assert_int_equal(busy.band_count, 6);
    assert_true(busy.end_ns < LINE);
    for (uint32_t b = 0; b < busy.band_count; b++) {
        mark_plainly(&busy.bands[b], flags);
        for (int i = 0; i < 50; i++) {
            int64_t step = 1 + (int64_t)rng_below(&seed, 300),
                    from = (int64_t)rng_below(&seed, LINE - 256 * 300);
            mi_busy_query(&busy.bands[b], from, step, 256, share);
            for (int64_t s = 0; s < 256; s++) {
                int64_t taken = 0;
                for (int64_t k = 0; k < step; k++)
                    taken += flags[from + s * step + k];
                int64_t expect = taken * 255 / step;
                assert_int_equal(share[s], taken && !expect ? 1 : expect);
            }
        }
    }
    mi_busy_fini(&busy);
    mi_account_fini(&account);
    drop();
}

static void the_overview_agrees_with_flags(void **state)
{
    (void)state;
    static uint8_t flags[LINE];
    struct mi_account account;
    struct mi_busy busy;
    build(5);
    const struct mi_tables *rows = &hand.model.all.rows;
    assert_true(mi_account_init(&account, &hand.model, NULL));
    assert_true(mi_busy_init(&busy, &account, rows->tasks.start_ns, NULL));
    for (uint32_t track = 1; track <= STREAMS; track++) {
        memset(flags, 0, LINE);
        for (uint32_t t = 1; t < rows->tasks.count; t++)
            if (rows->tasks.track[t].v == track)
                memset(flags + rows->tasks.start_ns[t], 1, (size_t)rows->tasks.dur_ns[t]);
        for (int64_t s = 0; s < MI_BUSY_STEPS; s++) {
            int64_t taken = 0;
            for (int64_t k = busy.first_ns + s * busy.step_ns;
                 k < busy.first_ns + (s + 1) * busy.step_ns && k < LINE; k++)
                taken += flags[k];
            int64_t expect = taken * 255 / busy.step_ns;
            assert_int_equal(busy.tracks[track * MI_BUSY_STEPS + s], taken && !expect ? 1 : expect);
        }
    }
    mi_busy_fini(&busy);
    mi_account_fini(&account);
    drop();
}

static void gaps_lie_where_no_task_runs(void **state)
{
    (void)state;
    struct mi_account account;
    struct mi_busy busy;
    hand_init(&hand);
    uint32_t a = device_track("a", 0, 0), b = device_track("b", 1, 1);
    hand_task(&hand, a, "x", MI_TASK_COMPUTE, 0, 0, 100000, 0);
    hand_task(&hand, b, "y", MI_TASK_COMPUTE, 0, 90000, 50000, 0);
    hand_task(&hand, a, "x", MI_TASK_COMPUTE, 1, 500000, 100000, 0);
    hand_task(&hand, a, "z", MI_TASK_SYNC, 1, 600500, 100, 0);
    hand_task(&hand, b, "y", MI_TASK_COMPUTE, 1, 900000, 5, 0);
    hand_finish(&hand);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    assert_true(mi_busy_init(&busy, &account, hand.model.all.rows.tasks.start_ns, NULL));
    assert_int_equal(busy.gap_count, 2);
    assert_int_equal(busy.gaps[0].start_ns, 140000);
    assert_int_equal(busy.gaps[0].end_ns, 500000);
    assert_int_equal(busy.gaps[1].start_ns, 600600);
    assert_int_equal(busy.gaps[1].end_ns, 900000);
    assert_int_equal(busy.end_ns, 900005);
    assert_int_equal(busy.tracks[(size_t)a * MI_BUSY_STEPS], MI_BUSY_FULL);
    assert_int_equal(busy.tracks[(size_t)a * MI_BUSY_STEPS + 300], 0);
    mi_busy_fini(&busy);
    mi_account_fini(&account);
    hand_fini(&hand);
}

/* --- counters --- */

static void counters_keep_extremes_and_order(void **state)
{
    (void)state;
    static const struct {
        int64_t at_ns;
        double value;
    } list[] = {{50, 3}, {10, 1}, {11, 9}, {12, 2}, {30, -4}, {31, NAN}, {90, 7}};
    struct mi_counter_series series;
    struct mi_counter_step out[8];
    hand_init(&hand);
    struct mi_batch *all = &hand.model.all;
    mi_counter_id counter =
        mi_add_counter(all, &(struct mi_counter_row){.source = hand.source,
                                                     .name = hand_str(&hand, "memory"),
                                                     .unit = hand_str(&hand, "B")});
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        mi_add_sample(all, &(struct mi_sample_row){
                               .counter = counter, .at_ns = list[i].at_ns, .value = list[i].value});
    hand_finish(&hand);
    assert_true(mi_counter_series_init(&series, &hand.model, NULL));
    assert_true(series.least[1] == -4 && series.greatest[1] == 9);
    assert_int_equal(mi_counter_series_query(&series, 1, 11, 60, 10, out, 8), 4);
    assert_true(out[0].at_ns == 10 && out[0].last == 1); /* before the window */
    assert_true(out[1].at_ns == 11 && out[1].least == 2 && out[1].greatest == 9 &&
                out[1].last == 2);
    assert_true(out[2].at_ns == 30 && out[2].last == -4);
    assert_true(out[3].at_ns == 50 && out[3].last == 3);
    assert_int_equal(mi_counter_series_query(&series, 1, 11, 60, 10, out, 2), 2);
    mi_counter_series_fini(&series);
    hand_fini(&hand);
}

/* --- memory --- */

static void every_failing_allocation_is_an_error(void **state)
{
    (void)state;
    struct mi_account account;
    build(5);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    for (int n = 0, done = 0; done < 3; n++) {
        struct mi_busy busy;
        struct mi_counter_series series;
        struct mi_arrows more;
        done = 0;
        alloc_left = n;
        if (mi_busy_init(&busy, &account, hand.model.all.rows.tasks.start_ns, NULL)) {
            mi_busy_fini(&busy);
            done++;
        }
        alloc_left = n;
        if (mi_counter_series_init(&series, &hand.model, NULL)) {
            mi_counter_series_fini(&series);
            done++;
        }
        alloc_left = n;
        if (mi_arrows_init(&more, &hand.model, NULL)) {
            mi_arrows_fini(&more);
            done++;
        }
        alloc_left = -1;
        assert_true(n < 10000);
    }
    mi_account_fini(&account);
    drop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrows_of_a_window_are_all_there),
        cmocka_unit_test(where_there_are_many_they_are_chosen_evenly),
        cmocka_unit_test(arrows_at_a_task_and_at_a_call),
        cmocka_unit_test(places_in_lanes_are_found),
        cmocka_unit_test(times_as_exported_move_the_lanes),
        cmocka_unit_test(bands_agree_with_flags),
        cmocka_unit_test(the_overview_agrees_with_flags),
        cmocka_unit_test(gaps_lie_where_no_task_runs),
        cmocka_unit_test(counters_keep_extremes_and_order),
        cmocka_unit_test(every_failing_allocation_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
