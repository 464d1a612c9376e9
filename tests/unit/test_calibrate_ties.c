/* What ties clocks, and what does not: waits that are taken to have blocked, calls that wait for
 * their run, collectives of ranks. Figures are small enough to check on paper. */
#include "clock_hand.h"

#include <stdlib.h>

/* Few records tell little of how much clocks scatter: a wait has to last 400 ns more than they do.
 */
static void short_waits_of_few_have_not_blocked(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int i = 1; i <= 4; i++) {
        pair(one, i * MS, two, i * MS + 300, 300);
        pair(two, i * MS + 500000, one, i * MS + 500500, 500);
    }
    calibrate();
    assert_int_equal(hand.model.all.rows.fits.blocked[fit_of(one)], 4);
}

/* What nearly all records last counts, not the shortest of them: 400 + 2.5 * 200. */
static void waits_last_longer_than_records_do(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2);
    for (int i = 1; i <= 4; i++) {
        pair(one, i * MS, two, i * MS + 300, 850);
        pair(two, i * MS + 500000, one, i * MS + 500500, 950);
    }
    for (int i = 0; i < 20; i++)
        event(one, record_kernel, 9 * MS + i * 1000, 200);
    calibrate();
    assert_int_equal(hand.model.all.rows.fits.blocked[fit_of(one)], 4);
}

/* Whether two clocks that one wait of so long ties are taken to tell of each other. The cause is on
 * the first clock, or (`is_back`) on the second; `also` bounds by so much more than the wait that
 * blocked. */
static bool one_wait_ties(int64_t dur, bool is_back, const int64_t *also)
{
    hand_fini(&hand);
    setup(NULL);
    uint32_t one = stream(1), two = stream(2);
    uint32_t from = is_back ? two : one, to = is_back ? one : two;
    pair(from, MS, to, 9 * MS, dur);
    if (also)
        pair(from, 2 * MS, to, 10 * MS - *also, 20);
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    return fits->group[fit_of(one)] != 0 && fits->group[fit_of(one)] == fits->group[fit_of(two)];
}

/* Records last 20 ns, so that waits of more than 450 have blocked; a single one has to last four
 * times as long. */
static void a_single_wait_must_be_long(void **state)
{
    (void)state;
    assert_false(one_wait_ties(1800, false, NULL));
    assert_true(one_wait_ties(1801, false, NULL));
    assert_false(one_wait_ties(1800, true, NULL));
    assert_true(one_wait_ties(1801, true, NULL));
}

/* A wait cannot end before its record, so that the shortest way bounds all others: by up to 2 us
 * more than the single wait that blocked. */
static void a_single_wait_must_not_be_contradicted(void **state)
{
    (void)state;
    static const int64_t within = 2000, beyond = 2001;
    for (int is_back = 0; is_back < 2; is_back++) {
        assert_true(one_wait_ties(400000, is_back, &within));
        assert_false(one_wait_ties(400000, is_back, &beyond));
    }
}

/* A pair that was found by its times cannot say anything about times. */
static void pairs_found_by_timing_do_not_count(void **state)
{
    (void)state;
    struct mi_signals *signals = &hand.model.all.rows.signals;
    uint32_t one = stream(1), two = stream(2);
    for (int i = 1; i <= 4; i++) {
        pair(one, i * MS, two, i * MS + 5 * MS, 40000);
        signals->rule[signals->count - 1] = hand_str(&hand, "timing");
    }
    calibrate();
    assert_int_equal(hand.model.all.rows.fits.count - 1, 0);
    assert_int_equal(moved(2), 0);
}

/* Runs as a host sees them: a call of so long, in which two streams, `off` behind, run something to
 * its end, or beyond. */
static void run_under(const char *name, mi_track_id thread, uint32_t stream_of_run, int64_t off,
                      int64_t end)
{
    for (int64_t i = 1; i <= 4; i++) {
        int64_t at = i * 10 * MS;
        mi_slice_id whole = call(thread, name, "acl", (mi_slice_id){0}, at - 9000, 1018000);
        mi_slice_id run = call(thread, "ModelExecute", "model", whole, at - 4000, 1006000);
        launched(stream_of_run, run, at - off, 5000);
        launched(stream_of_run, run, at + end - off, 5000);
    }
}

/* Only the plain call waits for its run: of one that does not, tasks may end long behind it. */
static void an_asynchronous_call_ties_no_end(void **state)
{
    (void)state;
    static const char *const names[] = {"aclmdlExecuteAsync", "aclmdlExecute"};
    for (int i = 0; i < 2; i++) {
        if (i) {
            hand_fini(&hand);
            setup(NULL);
        }
        mi_track_id thread = host_thread();
        uint32_t one = stream(1);
        run_under(names[i], thread, one, 0, 5 * MS);
        calibrate();
        const struct mi_fits *fits = &hand.model.all.rows.fits;
        assert_int_equal(fits->low_ns[fit_of(one)] != INT64_MIN, i);
        if (i == 0)
            assert_int_equal(moved(1), 0);
    }
}

/* Bounds of calls on both sides: so loose a tie makes no group, though it bounds. */
static void calls_alone_make_no_group(void **state)
{
    (void)state;
    mi_track_id thread = host_thread();
    uint32_t one = stream(1);
    run_under("aclmdlExecute", thread, one, 0, 995000);
    calibrate();
    const struct mi_fits *fits = &hand.model.all.rows.fits;
    assert_int_equal(fits->group[fit_of(one)], 0);
    assert_int_equal(fits->uncertainty_ns[fit_of(one)], -1);
    assert_true(fits->low_ns[fit_of(one)] > INT64_MIN && fits->high_ns[fit_of(one)] < INT64_MAX);
}

/* Effects more than 20 us before their cause as well as more than 20 us behind it at the least: not
 * the causes that they were taken for, and nothing is moved for them. */
static void bounds_that_contradict_move_nothing(void **state)
{
    (void)state;
    static const int64_t aparts[] = {25000, 60000};
    for (size_t i = 0; i < sizeof aparts / sizeof *aparts; i++) {
        hand_fini(&hand);
        setup(NULL);
        uint32_t one = stream(1), two = stream(2);
        for (int k = 1; k <= 3; k++) { /* each is said to come before the other */
            pair(one, k * MS, two, k * MS - aparts[i] / 2, 20);
            pair(two, k * MS + 500000, one, k * MS + 500000 - aparts[i] / 2 - 3000, 20);
        }
        calibrate();
        for (uint32_t t = 1; t < hand.model.all.rows.tasks.count; t++)
            assert_int_equal(moved(t), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(short_waits_of_few_have_not_blocked, setup, teardown),
        cmocka_unit_test_setup_teardown(waits_last_longer_than_records_do, setup, teardown),
        cmocka_unit_test_setup_teardown(a_single_wait_must_be_long, setup, teardown),
        cmocka_unit_test_setup_teardown(a_single_wait_must_not_be_contradicted, setup, teardown),
        cmocka_unit_test_setup_teardown(pairs_found_by_timing_do_not_count, setup, teardown),
        cmocka_unit_test_setup_teardown(an_asynchronous_call_ties_no_end, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_alone_make_no_group, setup, teardown),
        cmocka_unit_test_setup_teardown(bounds_that_contradict_move_nothing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
