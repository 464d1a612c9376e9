/* Clocks fitted to each other by causes and effects: offsets, drifts, wrong pairs, bounds on one
 * side. Figures are small enough to check on paper. */
#include "alloc_fail.h"
#include "clock_hand.h"
#include "correlate/clocks/band.h"
#include "correlate/clocks/calibrate.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* --- bands --- */

static void lines_stay_between_points(void **state)
{
    (void)state;
    struct mi_place above[] = {{30, 9}, {0, 5}, {10, 8}, {20, 7}}, below[] = {{10, -1}, {0, -1}};
    double slope, low, high;
    uint32_t above_count = mi_hull_of(above, 4), below_count = mi_hull_of(below, 2);
    assert_int_equal(above_count, 3); /* (10, 8) lies above the line from (0, 5) to (20, 7) */
    assert_int_equal(below_count, 2);
    struct mi_band band = {above, below, above_count, below_count, 0};
    assert_true(fabs(mi_band_width(&band, &slope) - 4) < 1e-9); /* 5 over 1 */
    mi_band_at(&band, 100, &low, &high);
    assert_true(fabs(low - 1) < 1e-9 && fabs(high - 5) < 1e-9); /* no slope: the same anywhere */
    band.max_slope = 0.1;
    mi_band_at(&band, 40, &low, &high); /* up from (0, 5); over (10, 1) and down */
    assert_true(fabs(high - 9) < 1e-6);
    assert_true(fabs(low - (1 - 3)) < 1e-6);
    band.below_count = 0;
    mi_band_at(&band, 0, &low, &high);
    assert_true(isinf(low) && fabs(high - 5) < 1e-6);
    struct mi_place over[] = {{0, -9}}; /* D >= 9 and D <= 5: no line fits, 7 is in the middle */
    band = (struct mi_band){above, over, above_count, 1, 0};
    assert_true(mi_band_width(&band, &slope) < 0);
    mi_band_at(&band, 0, &low, &high);
    assert_true(fabs(low - 7) < 1e-6 && fabs(high - 7) < 1e-6);
}

/* --- fits --- */

/* Stream 2 shows 5 ms too much. */
static void an_offset_is_found(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int i = 1; i <= 4; i++) {
        pair(one, i * MS, two, i * MS + 150 + 5 * MS, 40000);
        pair(two, i * MS + 500000 + 5 * MS, one, i * MS + 500150, 40000);
    }
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    uint32_t a = fit_of(one), b = fit_of(two);
    assert_int_equal(fits->count - 1, 2);
    assert_true(fits->group[a] && fits->group[a] == fits->group[b]);
    assert_int_equal(fits->is_reference[a] + fits->is_reference[b], 1);
    int64_t apart = fits->offset_ns[b] - fits->offset_ns[a];
    assert_in_range(apart, 5 * MS - 20, 5 * MS + 20); /* both ways take the same time */
    uint32_t other = fits->is_reference[a] ? b : a;
    assert_in_range(fits->uncertainty_ns[other], 20, 500);
    assert_true(fits->low_ns[other] <= fits->offset_ns[other] &&
                fits->high_ns[other] >= fits->offset_ns[other]);
    assert_int_equal(fits->anchors[b], 8);
    assert_int_equal(fits->blocked[b], 8);
    assert_int_equal(fits->violations_before[b], 4);
    assert_int_equal(fits->violations_after[b], 0);
    assert_int_equal(moved(2) - moved(1), -apart); /* wait on stream 2, record on stream 1 */
    assert_true(hand.model.all.rows.tasks.start_raw[2] == MS + 150 + 5 * MS - 40000);
}

/* Waits end 60 ns behind their record on the one stream and 460 on the other: the middle is 200 ns
 * off, and what is stated says so, by little more than needed. */
static void the_true_offset_lies_within_what_is_stated(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int i = 1; i <= 20; i++) {
        pair(one, i * MS, two, i * MS + 60 + 5 * MS, 40000);
        pair(two, i * MS + 500000 + 5 * MS, one, i * MS + 500460, 40000);
    }
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    uint32_t a = fit_of(one), b = fit_of(two), other = fits->is_reference[a] ? b : a;
    int64_t off = fits->offset_ns[b] - fits->offset_ns[a] - 5 * MS;
    assert_in_range(off < 0 ? -off : off, 150, 250);
    assert_in_range(fits->uncertainty_ns[other], 260, 700);
    int64_t true_ns = other == b ? 5 * MS : -5 * MS;
    assert_true(fits->low_ns[other] <= true_ns && true_ns <= fits->high_ns[other]);
}

/* Stream 2 gains 80 us a second. */
static void a_drift_is_found(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int64_t i = 0; i < 40; i++) {
        int64_t at = i * 50 * MS, fast = at + at / 12500;
        pair(one, at, two, fast + 150, 40000);
        pair(two, fast + 8, one, at + 250, 40000);
    }
    calibrate();
    const struct mi_tasks *tasks = &hand.model.all.rows.tasks;
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    double apart = fits->drift_ppm[fit_of(two)] - fits->drift_ppm[fit_of(one)];
    assert_true(fabs(apart - 80) < 0.5);
    int64_t shift = tasks->start_ns[2] + 40000 - 150 - (tasks->start_ns[1] + 20);
    assert_in_range(shift + 150, 0, 300);
    for (uint32_t t = 1; t < tasks->count; t += 4) { /* record and wait, all along */
        int64_t gap = tasks->start_ns[t + 1] + 40000 - (tasks->start_ns[t] + 20);
        assert_in_range(gap, 0, 350);
        gap = tasks->start_ns[t + 3] + 40000 - (tasks->start_ns[t + 2] + 20);
        assert_in_range(gap, 0, 350);
    }
}

/* Clocks of which one is all wrong: 400 us a second, far from what a fit takes for granted. */
static void a_great_drift_is_found(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int64_t i = 0; i < 60; i++) {
        int64_t at = i * 100 * MS, fast = at + at / 2500;
        pair(one, at, two, fast + 150, 40000);
        pair(two, fast + 8, one, at + 250, 40000);
    }
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    double apart = fits->drift_ppm[fit_of(two)] - fits->drift_ppm[fit_of(one)];
    assert_true(fabs(apart - 400) < 1);
    assert_int_equal(fits->violations_after[fit_of(two)], 0);
    assert_in_range(fits->residual_ns[fit_of(two)], 0, 200);
}

/* What agrees is not touched, not even by a nanosecond. */
static void right_clocks_are_left_alone(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int i = 1; i <= 5; i++)
        pair(one, i * MS, two, i * MS + 60 + i * 37, 50000);
    calibrate();
    for (uint32_t t = 1; t < hand.model.all.rows.tasks.count; t++)
        assert_int_equal(moved(t), 0);
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    assert_int_equal(fits->offset_ns[fit_of(two)], 0);
    assert_true(fits->uncertainty_ns[fit_of(two)] > 0);
    assert_int_equal(fits->violations_before[fit_of(two)], 0);
}

/* One length that was exported wrong moves no clock, in front of its cause or far behind it. */
static void one_wrong_pair_moves_nothing(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int i = 1; i <= 20; i++) {
        pair(one, i * MS, two, i * MS + 100 + i * 9 - (i == 7 ? 1000 : 0), 50000);
        pair(two, i * MS + 400000, one, i * MS + 400100 + i * 9 + (i == 9 ? 2500 : 0), 50000);
    }
    calibrate();
    for (uint32_t t = 1; t < hand.model.all.rows.tasks.count; t++)
        assert_int_equal(moved(t), 0);
    assert_int_equal(hand.model.all.rows.fits.violations_before[fit_of(two)], 1);
}

/* ... but a small drift does: it is in front of its causes again and again. */
static void a_small_drift_is_no_wrong_pair(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int64_t i = 1; i <= 20; i++) { /* 50 ppm: a microsecond at the end */
        pair(one, i * MS, two, i * MS + 150 - i * 50, 50000);
        pair(two, i * MS + 400000 - i * 50, one, i * MS + 400150, 50000);
    }
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    uint32_t fit = fit_of(fits->is_reference[fit_of(one)] ? two : one);
    assert_int_equal(fits->violations_before[fit], 17);
    assert_int_equal(fits->violations_after[fit], 0);
    assert_true(fits->offset_ns[fit] != 0);
}

static void wrong_pairs_are_rejected(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int i = 1; i <= 12; i++)
        pair(one, i * MS, two, i * MS + 150 + 3 * MS - (i == 5 ? 2 * MS : 0), 40000);
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    int64_t apart = fits->offset_ns[fit_of(two)] - fits->offset_ns[fit_of(one)];
    assert_in_range(apart, 3 * MS - 300, 3 * MS + 300);
    assert_int_equal(fits->rejected[fit_of(two)], 1);
    assert_int_equal(fits->anchors[fit_of(two)], 11);
}

/* Waits that did not block bound one side only. */
static void one_side_is_no_anchor(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int i = 1; i <= 4; i++)
        pair(one, i * MS, two, i * MS + 300000, 20);
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    uint32_t fit = fit_of(two);
    assert_int_equal(fits->group[fit], 0);
    assert_int_equal(fits->uncertainty_ns[fit], -1);
    assert_int_equal(fits->offset_ns[fit], 0);
    assert_true(fits->low_ns[fit] == INT64_MIN);
    assert_int_equal(fits->high_ns[fit], 300000);
    for (uint32_t t = 1; t < hand.model.all.rows.tasks.count; t++)
        assert_int_equal(moved(t), 0);
}

/* ... and where that is broken the wait goes behind its record, no further. */
static void one_side_is_kept(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int i = 1; i <= 4; i++)
        pair(one, i * MS, two, i * MS - 70000 + i * 1000, 20);
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    assert_int_equal(moved(1), 0);
    assert_in_range(moved(2), 69000, 69005); /* the first wait was 69 us early */
    assert_int_equal(fits->uncertainty_ns[fit_of(two)], -1);
    assert_int_equal(fits->violations_before[fit_of(two)], 4);
    assert_int_equal(fits->violations_after[fit_of(two)], 0);
}

static void one_wait_is_not_certain(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    pair(one, MS, two, 9 * MS, 400000);
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    int64_t apart = fits->offset_ns[fit_of(two)] - fits->offset_ns[fit_of(one)];
    assert_in_range(apart, 8 * MS - 500, 8 * MS);
    assert_int_equal(fits->uncertainty_ns[fit_of(one)], -1);
    assert_int_equal(fits->uncertainty_ns[fit_of(two)], -1);
}

/* Streams 1 - 2 - 3: the ends share no event. */
/* ... and the others do not go by a clock that rests on it, however many tasks it has. */
static void the_reference_is_not_tied_by_one_wait(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2), three = stream(3);
    for (int i = 1; i <= 4; i++) {
        pair(one, i * MS, two, i * MS + 150 + 5 * MS, 40000);
        pair(two, i * MS + 500000 + 5 * MS, one, i * MS + 500150, 40000);
    }
    pair(one, 5 * MS, three, 5 * MS + 150 - 3 * MS, 400000);
    for (int i = 0; i < 40; i++)
        event(three, record_kernel, 6 * MS + i * 1000, 20);
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    assert_int_equal(fits->group[fit_of(three)], fits->group[fit_of(one)]);
    assert_false(fits->is_reference[fit_of(three)]);
    assert_int_equal(fits->uncertainty_ns[fit_of(three)], -1);
    assert_true(fits->uncertainty_ns[fit_of(one)] >= 0);
    assert_true(fits->uncertainty_ns[fit_of(two)] >= 0);
}

static void errors_add_up_along_a_chain(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2), three = stream(3);
    for (int i = 1; i <= 6; i++) {
        pair(one, i * MS, two, i * MS + 100 + 2 * MS, 40000);
        pair(two, i * MS + 2 * MS + 400000, three, i * MS + 400100 - 3 * MS, 40000);
    }
    for (int i = 0; i < 30; i++) /* the reference is the one with most tasks */
        event(one, record_kernel, i * 1000, 10);
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    uint32_t a = fit_of(one), b = fit_of(two), c = fit_of(three);
    assert_true(fits->is_reference[a]);
    assert_int_equal(fits->offset_ns[a], 0);
    assert_in_range(fits->offset_ns[b] - (2 * MS - 400), 0, 800);
    assert_in_range(fits->offset_ns[c] + 3 * MS + 800, 0, 1600);
    assert_true(fits->uncertainty_ns[c] > fits->uncertainty_ns[b]);
    assert_true(llabs(fits->offset_ns[c] + 3 * MS) <= fits->uncertainty_ns[c]);
}

/* --- the host --- */

/* Exporters align host and device no better than some 20 us: nothing is moved for that. */
static void a_usual_misfit_is_stated(void **state)
{
    (void)state;
    mi_track_id thread = host_thread();
    uint32_t one = stream(1);
    uint32_t early =
        launched(one, call(thread, "launch", "node", (mi_slice_id){0}, MS, 9000), MS - 20528, 10);
    launched(one, call(thread, "launch", "node", (mi_slice_id){0}, 2 * MS, 9000), 2 * MS + 50, 10);
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    uint32_t fit = fit_of(one);
    assert_int_equal(moved(early), 0);
    assert_int_equal(fits->offset_ns[fit], 0);
    assert_int_equal(fits->high_ns[fit], -20528);
    assert_true(fits->low_ns[fit] == INT64_MIN);
    assert_int_equal(fits->uncertainty_ns[fit], -1);
    assert_int_equal(fits->violations_after[fit], 1);
}

/* Ten milliseconds are no misfit. Streams of which nothing else is known go together. */
static void tasks_are_moved_behind_their_launch(void **state)
{
    (void)state;
    mi_track_id thread = host_thread();
    uint32_t one = stream(1), two = stream(2);
    uint32_t a =
        launched(one, call(thread, "launch", "node", (mi_slice_id){0}, 20 * MS, 9000), 10 * MS, 10);
    uint32_t b =
        launched(two, call(thread, "launch", "node", (mi_slice_id){0}, 21 * MS, 9000), 12 * MS, 10);
    calibrate();
    assert_in_range(moved(a), 10 * MS, 10 * MS + 5);
    assert_int_equal(moved(b), moved(a));
    assert_int_equal(hand.model.all.rows.fits.uncertainty_ns[fit_of(one)], -1);
}

/* A synchronous call bounds its run on both sides; the host keeps its time. */
static void a_synchronous_call_ties_to_the_host(void **state)
{
    (void)state;
    mi_track_id thread = host_thread();
    uint32_t one = stream(1), two = stream(2);
    int64_t off = 7 * MS; /* both streams are behind by this */
    for (int64_t i = 1; i <= 4; i++) {
        int64_t at = i * 10 * MS;
        mi_slice_id whole =
            call(thread, "aclmdlExecute", "acl", (mi_slice_id){0}, at - 9000, 1018000);
        mi_slice_id run = call(thread, "ModelExecute", "model", whole, at - 4000, 1006000);
        launched(one, run, at - off, 5000);          /* 4 us behind the call */
        launched(two, run, at + 995000 - off, 5000); /* the call ends 2 us behind it */
        pair(one, at + 10000 - off, two, at + 10150 - off, 5000);
        pair(two, at + 500000 - off, one, at + 500150 - off, 5000);
        mi_slice_id other = call(thread, "ModelExecute", "model", whole, at - 4000, 1006000);
        launched(one, other, at + 994000 - off, 5000);
    }
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    uint32_t host = fit_of(thread.v), a = fit_of(one), b = fit_of(two);
    assert_true(host && fits->is_reference[host]);
    assert_int_equal(fits->offset_ns[host], 0);
    assert_in_range(-fits->offset_ns[a], off - 4000, off + 4000);
    assert_true(llabs(fits->offset_ns[a] + off) <= fits->uncertainty_ns[a]);
    assert_in_range(fits->offset_ns[b] - fits->offset_ns[a] + 300, 0, 600);
    assert_int_equal(fits->violations_after[a], 0);
}

/* --- ranks --- */

/* Collectives of rank 1 end 3 ms later than those of rank 0, give and take some 10 us. */
static void ranks_end_collectives_together(void **state)
{
    (void)state;
    struct mi_source_row row = {.path = hand_str(&hand, "other"),
                                .reader = hand_str(&hand, "none")};
    mi_source_id other = mi_model_add_source(&hand.model, &row, (struct mi_bytes){0}, NULL);
    hand.model.all.rows.sources.collection[hand.source.v] = 1;
    hand.model.all.rows.sources.collection[other.v] = 2;
    mi_track_id thread = host_thread();
    uint32_t one = stream(1), two = stream(1);
    hand.model.all.rows.tracks.source[two] = other;
    hand.model.all.rows.tracks.source[thread.v] = other;
    mi_slice_id slice = call(thread, "launch", "node", (mi_slice_id){0}, MS, 9000);
    uint32_t last = 0;
    for (int64_t i = 1; i <= 5; i++) {
        uint32_t first = event(one, record_kernel, i * 10 * MS, 100 * 1000);
        last = event(two, record_kernel, i * 10 * MS + 3 * MS + i * 4000, 50 * 1000);
        mi_add_peer(&hand.model.all, &(struct mi_peer_row){.task = {last}, .first = {first}});
    }
    calibrate();
    assert_int_equal(moved(1), 0);
    assert_int_equal(moved(last), -3 * MS - 12000); /* the median */
    assert_int_equal(hand.model.all.rows.slices.start_ns[slice.v], MS - 3 * MS - 12000);
    assert_int_equal(hand.model.all.rows.slices.start_raw[slice.v], MS);
}

static void without_signals_nothing_is_done(void **state)
{
    (void)state;
    event(stream(1), record_kernel, 100, 20);
    calibrate();
    assert_int_equal(hand.model.all.rows.fits.count, 1);
}

/* Streams to which a file gives one clock are told apart. */
static void a_shared_clock_is_split(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    struct mi_tracks *tracks = &hand.model.all.rows.tracks;
    tracks->clock[two] = tracks->clock[one];
    for (int i = 1; i <= 4; i++)
        pair(one, i * MS, two, i * MS + 150 + 5 * MS, 40000);
    calibrate();
    tracks = &hand.model.all.rows.tracks;
    assert_int_not_equal(tracks->clock[one].v, tracks->clock[two].v);
    assert_true(fit_of(one) && fit_of(two));
    assert_in_range(moved(1) - moved(2), 5 * MS - 500, 5 * MS + 500);
}

/* Times that no capture has: nothing overflows, and starts stay numbers. */
static void absurd_times_do_no_harm(void **state)
{
    (void)state;
    static const int64_t times[] = {INT64_MIN + 50000, -1, 0, 7, INT64_MAX / 2, INT64_MAX};
    enum { COUNT = sizeof times / sizeof *times };
    mi_track_id thread = host_thread();
    uint32_t streams[3] = {stream(1), stream(2), stream(3)};
    for (int i = 0; i < COUNT * COUNT * 3; i++) {
        int64_t a = times[i % COUNT], b = times[i / COUNT % COUNT];
        pair(streams[i % 3], a, streams[(i + 1) % 3], b, i % 4 ? 20 : 40000);
        uint32_t task = event(streams[i % 3], record_kernel, a, 20);
        hand.model.all.rows.tasks.launch[task] =
            call(thread, "ModelExecute", "model", (mi_slice_id){0}, b, INT64_MAX);
    }
    calibrate();
    assert_true(hand.model.all.rows.fits.count > 1);
}

static bool calibrate_with(long left)
{
    struct mi_error err = {0};
    setup(NULL);
    uint32_t one = stream(1), two = stream(2), three = stream(3);
    for (int i = 1; i <= 4; i++) {
        pair(one, i * MS, two, i * MS + 5 * MS, 40000);
        pair(one, i * MS, three, i * MS - 9000, 20);
    }
    alloc_left = left;
    bool ok = mi_calibrate(&hand.model, &err);
    alloc_left = -1;
    assert_int_equal(err.code, ok ? MI_OK : MI_ENOMEM);
    hand_fini(&hand);
    return ok;
}

static void memory_runs_out(void **state)
{
    (void)state;
    long left = 0;
    while (!calibrate_with(left))
        assert_in_range(++left, 1, 10000);
    assert_true(left > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_stay_between_points),
        cmocka_unit_test_setup_teardown(an_offset_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(the_true_offset_lies_within_what_is_stated, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_drift_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(a_great_drift_is_found, setup, teardown),
        cmocka_unit_test_setup_teardown(right_clocks_are_left_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(one_wrong_pair_moves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_small_drift_is_no_wrong_pair, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_pairs_are_rejected, setup, teardown),
        cmocka_unit_test_setup_teardown(one_side_is_no_anchor, setup, teardown),
        cmocka_unit_test_setup_teardown(one_side_is_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(one_wait_is_not_certain, setup, teardown),
        cmocka_unit_test_setup_teardown(the_reference_is_not_tied_by_one_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_add_up_along_a_chain, setup, teardown),
        cmocka_unit_test_setup_teardown(a_usual_misfit_is_stated, setup, teardown),
        cmocka_unit_test_setup_teardown(tasks_are_moved_behind_their_launch, setup, teardown),
        cmocka_unit_test_setup_teardown(a_synchronous_call_ties_to_the_host, setup, teardown),
        cmocka_unit_test_setup_teardown(ranks_end_collectives_together, setup, teardown),
        cmocka_unit_test_setup_teardown(without_signals_nothing_is_done, setup, teardown),
        cmocka_unit_test_setup_teardown(a_shared_clock_is_split, setup, teardown),
        cmocka_unit_test_setup_teardown(absurd_times_do_no_harm, setup, teardown),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
