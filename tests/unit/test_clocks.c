/* Raw times to capture time: exact integers, known and unknown origins. */
#include "correlate/clocks/clocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define ORIGIN INT64_C(1736412474723783388)

static struct mi_model model;

static int setup(void **state)
{
    (void)state;
    return mi_model_init(&model, NULL) ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    mi_model_fini(&model);
    return 0;
}

static mi_clock_id add_clock(int64_t ref_raw, int64_t ref_ns, double ns_per_tick, bool is_known)
{
    return mi_add_clock(&model.all, &(struct mi_clock_row){
                                        .ref_raw = ref_raw,
                                        .ref_ns = ref_ns,
                                        .ns_per_tick = ns_per_tick,
                                        .note = mi_batch_cstr(&model.all, is_known ? "test" : "")});
}

static mi_track_id add_track(mi_clock_id clock)
{
    return mi_add_track(&model.all, &(struct mi_track_row){.clock = clock});
}

static void tasks_and_slices_get_capture_time(void **state)
{
    (void)state;
    mi_track_id first = add_track(add_clock(0, ORIGIN + 1000, 1000, true));
    mi_track_id second = add_track(add_clock(0, ORIGIN, 1000, true));
    mi_track_id lost = add_track(add_clock(0, 0, 1000, false));
    mi_track_id none = add_track((mi_clock_id){0});
    mi_track_id tracks[] = {first, second, lost, none};
    for (int i = 0; i < 4; i++) {
        mi_add_task(&model.all,
                    &(struct mi_task_row){.track = tracks[i], .start_raw = 9007199254741});
        mi_add_slice(&model.all, &(struct mi_slice_row){.track = tracks[i], .start_raw = -3});
    }
    mi_clocks_apply(&model);
    assert_int_equal(model.start_unix_ns, ORIGIN); /* the earliest one */
    const struct mi_tasks *tasks = &model.all.rows.tasks;
    const struct mi_slices *slices = &model.all.rows.slices;
    assert_int_equal(tasks->start_ns[1], INT64_C(9007199254741000) + 1000);
    assert_int_equal(tasks->start_ns[2], INT64_C(9007199254741000));
    assert_int_equal(tasks->start_ns[3], INT64_C(9007199254741000));
    assert_int_equal(tasks->start_ns[4], INT64_C(9007199254741));
    assert_int_equal(slices->start_ns[1], -2000);
    assert_int_equal(slices->start_ns[3], -3000);
    assert_int_equal(tasks->start_raw[1], 9007199254741);
    mi_clocks_apply(&model);
    assert_int_equal(tasks->start_ns[1], INT64_C(9007199254741000) + 1000);
}

static void the_manifest_decides_the_start(void **state)
{
    (void)state;
    mi_track_id track = add_track(add_clock(50, ORIGIN, 1000, true));
    mi_add_task(&model.all, &(struct mi_task_row){.track = track, .start_raw = 51});
    model.start_unix_ns = ORIGIN - 7;
    mi_clocks_apply(&model);
    assert_int_equal(model.start_unix_ns, ORIGIN - 7);
    assert_int_equal(model.all.rows.tasks.start_ns[1], 1007);
}

static void origin_counts_back_from_the_reference(void **state)
{
    (void)state;
    add_clock(50, ORIGIN, 1000, true);
    mi_clocks_apply(&model);
    assert_int_equal(model.start_unix_ns, ORIGIN - 50000);
}

static void no_clock_has_an_origin(void **state)
{
    (void)state;
    mi_track_id track = add_track(add_clock(0, 12345, 1000, false));
    mi_add_task(&model.all, &(struct mi_task_row){.track = track, .start_raw = 2});
    mi_clocks_apply(&model);
    assert_int_equal(model.start_unix_ns, 0);
    assert_int_equal(model.all.rows.tasks.start_ns[1], 2000);
}

static void fractions_and_ends_of_the_range(void **state)
{
    (void)state;
    mi_clock_id ten = add_clock(0, 0, 10, false), fitted = add_clock(100, 0, 20.25, false);
    mi_clock_id broken = add_clock(0, 0, 1e300, false), drift = add_clock(0, 0, 0.5, false);
    assert_int_equal(mi_clock_to_capture(&model, ten, 7), 70);
    assert_int_equal(mi_clock_to_capture(&model, fitted, 104), 81);
    assert_int_equal(mi_clock_to_capture(&model, fitted, 96), -81);
    assert_int_equal(mi_clock_to_capture(&model, drift, 9), 5);
    assert_int_equal(mi_clock_to_capture(&model, broken, 9), 0);
    assert_int_equal(mi_clock_to_capture(&model, ten, INT64_MAX), INT64_MAX);
    assert_int_equal(mi_clock_to_capture(&model, ten, INT64_MIN), INT64_MIN);
    assert_int_equal(mi_clock_to_capture(&model, (mi_clock_id){99}, 5), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tasks_and_slices_get_capture_time, setup, teardown),
        cmocka_unit_test_setup_teardown(the_manifest_decides_the_start, setup, teardown),
        cmocka_unit_test_setup_teardown(origin_counts_back_from_the_reference, setup, teardown),
        cmocka_unit_test_setup_teardown(no_clock_has_an_origin, setup, teardown),
        cmocka_unit_test_setup_teardown(fractions_and_ends_of_the_range, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
