/* The timeline at any scale, against what a plain walk over all tasks finds. */
#include "present/lod/lod.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "hand_model.h"
#include "rng.h"

enum { TRACKS = 3, TASKS = 3000, ROOM = 5000 };

static struct hand hand;
static struct mi_lod lod;

static void build(uint64_t seed, bool overlapping)
{
    struct mi_error err = MI_ERROR_INIT;
    hand_init(&hand);
    uint32_t tracks[TRACKS];
    int64_t at[TRACKS] = {0};
    for (uint32_t t = 0; t < TRACKS; t++)
        tracks[t] = hand_track(&hand, "stream", t);
    for (uint32_t i = 0; i < TASKS; i++) {
        uint32_t t = (uint32_t)rng_below(&seed, TRACKS);
        int64_t dur = (int64_t)rng_below(&seed, 1000) * (rng_below(&seed, 50) ? 1 : 100);
        at[t] += (int64_t)rng_below(&seed, 500);
        hand_task(&hand, tracks[t], i % 2 ? "Conv" : "Relu", MI_TASK_COMPUTE, 0, at[t], dur, 0);
        at[t] += overlapping ? dur / 3 : dur;
    }
    assert_true(mi_model_index_graphs(&hand.model, &err));
    assert_true(mi_model_freeze(&hand.model, &err));
    assert_true(mi_lod_init(&lod, &hand.model, NULL, &err));
}

static void drop(void)
{
    mi_lod_fini(&lod);
    mi_model_fini(&hand.model);
}

static uint32_t id_at(const struct mi_lod_lane *lane, uint32_t place)
{
    return lane->ids ? lane->ids[place] : lane->first_id + place;
}

static void lanes_hold_every_task_once_without_overlaps(void **state)
{
    (void)state;
    build(5, true);
    const struct mi_tasks *tasks = &hand.model.all.rows.tasks;
    uint8_t *seen = calloc(tasks->count, 1);
    uint32_t total = 0;
    for (uint32_t l = 0; l < lod.lane_count; l++) {
        const struct mi_lod_lane *lane = &lod.lanes[l];
        for (uint32_t i = 0; i < lane->count; i++, total++) {
            uint32_t id = id_at(lane, i), before = i ? id_at(lane, i - 1) : 0;
            assert_int_equal(tasks->track[id].v, lane->track.v);
            assert_false(seen[id]++);
            if (i && lane->depth + 1 < MI_LOD_MOST_DEPTH)
                assert_true(tasks->start_ns[before] + tasks->dur_ns[before] <= tasks->start_ns[id]);
        }
    }
    assert_int_equal(total, TASKS);
    assert_true(lod.lane_count > TRACKS);
    free(seen);
    drop();
}

/* Counts add up to the tasks of the window, the longest is the longest, nothing overlaps. */
static void check_window(uint32_t lane_no, int64_t from, int64_t to, int64_t step)
{
    static struct mi_lod_slice out[ROOM];
    const struct mi_lod_lane *lane = &lod.lanes[lane_no];
    const struct mi_tasks *tasks = &hand.model.all.rows.tasks;
    uint32_t got = mi_lod_query(&lod, lane_no, from, to, step, out, ROOM), place = 0;
    while (place < lane->count && tasks->start_ns[id_at(lane, place)] < from &&
           ((place + 1 < lane->count && tasks->start_ns[id_at(lane, place + 1)] < from) ||
            tasks->start_ns[id_at(lane, place)] + tasks->dur_ns[id_at(lane, place)] <= from))
        place++;
    for (uint32_t i = 0; i < got; i++) {
        int64_t longest = -1;
        uint32_t first = id_at(lane, place);
        assert_int_equal(out[i].start_ns, tasks->start_ns[first]);
        for (uint32_t k = 0; k < out[i].count; k++, place++)
            if (tasks->dur_ns[id_at(lane, place)] > longest)
                longest = tasks->dur_ns[id_at(lane, place)];
        assert_int_equal(tasks->dur_ns[out[i].id], longest);
        if (out[i].count == 1)
            assert_int_equal(out[i].dur_ns, longest);
        if (i && out[i - 1].start_ns >= from)
            assert_true((out[i - 1].start_ns - from) / step < (out[i].start_ns - from) / step);
    }
    assert_true(place == lane->count || tasks->start_ns[id_at(lane, place)] >= to);
}

static void queries_agree_with_a_plain_walk(void **state)
{
    (void)state;
    for (int overlapping = 0; overlapping < 2; overlapping++) {
        build(17, overlapping);
        uint64_t seed = 3;
        int64_t end = 2000000;
        for (int i = 0; i < 3000; i++) {
            int64_t from = (int64_t)rng_below(&seed, (size_t)end) - 1000;
            int64_t to = from + 1 + (int64_t)rng_below(&seed, (size_t)end);
            int64_t step = 1 + (int64_t)rng_below(&seed, i % 3 ? 100 : 100000);
            check_window((uint32_t)rng_below(&seed, lod.lane_count), from, to, step);
        }
        drop();
    }
}

static void a_full_answer_ends_early(void **state)
{
    (void)state;
    struct mi_lod_slice out[4];
    build(9, false);
    assert_int_equal(mi_lod_query(&lod, 0, 0, INT64_MAX, 1, out, 4), 4);
    assert_int_equal(mi_lod_query(&lod, 0, INT64_MAX - 1, INT64_MAX, 1, out, 4), 0);
    assert_int_equal(mi_lod_query(&lod, 0, INT64_MIN, INT64_MAX, INT64_MAX, out, 4), 1);
    assert_int_equal(out[0].count, lod.lanes[0].count);
    assert_int_equal(mi_lod_query(&lod, 0, INT64_MIN, INT64_MAX, 1, out, 4),
                     1); /* too far for steps */
    drop();
}

static void a_filter_leaves_the_rest_out(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_lod some;
    build(9, false);
    const struct mi_tables *rows = &hand.model.all.rows;
    uint8_t *kernels = calloc(rows->kernels.count, 1);
    uint32_t wanted = 0, found = 0;
    for (uint32_t k = 1; k < rows->kernels.count; k++)
        kernels[k] =
            mi_bytes_equal(mi_model_text(&hand.model, rows->kernels.name[k]), MI_LIT("Conv"));
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        wanted += kernels[rows->tasks.kernel[t].v];
    struct mi_lod_filter filter = {.kernels = kernels};
    assert_true(mi_lod_init(&some, &hand.model, &filter, &err));
    for (uint32_t l = 0; l < some.lane_count; l++) {
        found += some.lanes[l].count;
        for (uint32_t i = 0; i < some.lanes[l].count; i++)
            assert_true(kernels[rows->tasks.kernel[id_at(&some.lanes[l], i)].v]);
    }
    assert_int_equal(found, wanted);
    assert_true(wanted > 0 && wanted < TASKS);
    mi_lod_fini(&some);
    free(kernels);
    drop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_hold_every_task_once_without_overlaps),
        cmocka_unit_test(queries_agree_with_a_plain_walk),
        cmocka_unit_test(a_full_answer_ends_early),
        cmocka_unit_test(a_filter_leaves_the_rest_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
