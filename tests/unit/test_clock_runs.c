/* Clocks bound by runs of a model: a task of the application starts each, and what stands behind it
 * on its stream begins when the run is over. Figures are small enough to check on paper. */
#include "correlate/clocks/calibrate.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define MS 1000000

enum { RUNS = 5, OFF = 10 * MS };

static struct hand hand;
static uint32_t app, model;          /* the two streams */
static uint32_t tasks[RUNS + 1][2];  /* of each run, from 1 */
static uint32_t around[RUNS + 1][2]; /* what starts it, and what comes behind */

static uint32_t stream(int64_t number)
{
    struct mi_tracks *tracks = &hand.model.all.rows.tracks;
    mi_clock_id clock = mi_add_clock(
        &hand.model.all, &(struct mi_clock_row){.name = hand_str(&hand, "stream"),
                                                .ns_per_tick = 1,
                                                .residual_ns = -1,
                                                .note = hand_str(&hand, "as exported")});
    uint32_t track = hand_track(&hand, "stream", number);
    tracks->clock[track] = clock;
    tracks->device[track] = 0;
    return track;
}

static int setup(void **state)
{
    (void)state;
    hand_init(&hand);
    hand.model.all.rows.sources.reader[hand.source.v] = hand_str(&hand, "msprof_csv");
    app = stream(1);
    model = stream(2);
    mi_add_slice(&hand.model.all, &(struct mi_slice_row){.name = hand_str(&hand, "step")});
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    hand_fini(&hand);
    return 0;
}

/* A run of two tasks, from 200 us after its start on; `off`: what the model's stream shows. */
static void run_at(uint32_t run, int64_t start, int64_t off)
{
    for (int i = 0; i < 2; i++) {
        tasks[run][i] = hand_task(&hand, model, i ? "second" : "first", MI_TASK_COMPUTE, run,
                                  start + off + 200000 + i * 100000, 100000, 0);
        hand.model.all.rows.tasks.by[tasks[run][i]] = MI_BY_NODE;
    }
}

/* The task that starts a run as the application counts them, and one that begins behind the run. */
static void start_at(uint32_t run, int64_t start)
{
    around[run][0] = hand_task(&hand, app, "MODEL_EXECUTE", MI_TASK_SYNC, run, start, 10000, 0);
    around[run][1] = hand_task(&hand, app, "copy", MI_TASK_TRANSFER, run, start + 500000, 10000, 0);
}

static int64_t moved(uint32_t task)
{
    const struct mi_tasks *rows = &hand.model.all.rows.tasks;
    return rows->start_ns[task] - rows->start_raw[task];
}

static void calibrate(void)
{
    struct mi_error err = {0};
    assert_true(mi_calibrate(&hand.model, &err));
}

/* Each run shows 10 ms too much: one of the streams is moved against the other. */
static void runs_are_moved_between_their_start_and_what_follows(void **state)
{
    (void)state;
    const struct mi_tasks *rows = &hand.model.all.rows.tasks;
    for (uint32_t run = 1; run <= RUNS; run++) {
        start_at(run, run * 50 * MS);
        run_at(run, run * 50 * MS, OFF);
    }
    calibrate();
    for (uint32_t run = 1; run <= RUNS; run++) {
        uint32_t last = tasks[run][1];
        assert_true(rows->start_ns[around[run][0]] <= rows->start_ns[tasks[run][0]]);
        assert_true(rows->start_ns[last] + rows->dur_ns[last] <= rows->start_ns[around[run][1]]);
        assert_int_equal(moved(last), moved(tasks[1][0]));
        assert_int_equal(moved(around[run][1]), moved(around[1][0]));
    }
}

/* The application's second start was lost, so that it counts the others wrong: by that count each
 * run began a whole run too early. Nothing may be concluded from it. */
static void a_lost_start_moves_nothing(void **state)
{
    (void)state;
    for (uint32_t run = 1; run <= RUNS; run++) {
        if (run != 2)
            start_at(run > 2 ? run - 1 : run, run * 50 * MS);
        run_at(run, run * 50 * MS, 0);
    }
    calibrate();
    for (uint32_t run = 1; run <= RUNS; run++)
        for (int i = 0; i < 2; i++)
            assert_int_equal(moved(tasks[run][i]), 0);
    assert_int_equal(hand.model.all.rows.fits.count - 1, 0);
}

/* Two starts of one run: which of them it was is not known, the other runs are bound. */
static void a_run_started_twice_is_not_bound(void **state)
{
    (void)state;
    for (uint32_t run = 1; run <= RUNS; run++) {
        start_at(run, run * 50 * MS);
        run_at(run, run * 50 * MS, 0);
    }
    start_at(3, 3 * 50 * MS + 20 * MS); /* behind the run that it claims to have started */
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    assert_true(fits->count > 1);
    for (uint32_t f = 1; f < fits->count; f++) {
        assert_int_equal(fits->offset_ns[f], 0);
        assert_int_equal(fits->violations_before[f], 0);
    }
    assert_int_equal(moved(tasks[3][0]), 0);
}

int main(void)
{
    const struct CMUnitTest tests_of_runs[] = {
        cmocka_unit_test_setup_teardown(runs_are_moved_between_their_start_and_what_follows, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_lost_start_moves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_started_twice_is_not_bound, setup, teardown),
    };
    return cmocka_run_group_tests(tests_of_runs, NULL, NULL);
}
