/* Which clock stays, which ones are moved and how far, and what is stated of each: found by planted
 * faults that other tests let pass. Figures are small enough to check on paper. */
#include "clock_hand.h"

#include <stdlib.h>

/* Four calls of 1006 us that wait for their run, which shows `off` too little and lasts from 0 to
 * `end` + 5 us. */
static void run_under(mi_track_id thread, uint32_t track, int64_t off, int64_t end)
{
    for (int64_t i = 1; i <= 4; i++) {
        int64_t at = i * 10 * MS;
        mi_slice_id whole =
            call(thread, "aclmdlExecute", "acl", (mi_slice_id){0}, at - 9000, 1018000);
        mi_slice_id run = call(thread, "ModelExecute", "model", whole, at - 4000, 1006000);
        launched(track, run, at - off, 5000);
        launched(track, run, at + end - off, 5000);
    }
}

static const struct mi_fits *fits(void)
{
    return &hand.model.all.rows.fits;
}

/* What ends behind the call that waited for it is moved into the call, and no further. */
static void ends_are_moved_into_their_call(void **state)
{
    (void)state;
    mi_track_id thread = host_thread();
    uint32_t one = stream(1);
    run_under(thread, one, -7 * MS, 995000);
    calibrate();
    assert_in_range(-moved(1), 7 * MS - 2000 - 10, 7 * MS - 2000 + 10);
    assert_int_equal(fits()->violations_after[fit_of(one)], 0);
    assert_int_equal(hand.model.all.rows.slices.start_ns[1], 10 * MS - 9000);
}

/* A run that lasts 17 us longer than its call: by as much on both sides. */
static void a_run_longer_than_its_call_lies_around_it(void **state)
{
    (void)state;
    mi_track_id thread = host_thread();
    uint32_t one = stream(1);
    run_under(thread, one, -7 * MS, 1018000);
    calibrate();
    assert_in_range(-moved(1), 7 * MS + 12500 - 10, 7 * MS + 12500 + 10);
}

/* Streams that calls bind on both sides are moved each by itself. */
static void calls_move_each_stream(void **state)
{
    (void)state;
    mi_track_id thread = host_thread();
    uint32_t one = stream(1), two = stream(2);
    run_under(thread, one, 7 * MS, 995000);
    uint32_t first = hand.model.all.rows.tasks.count;
    run_under(thread, two, -3 * MS, 995000);
    calibrate();
    assert_in_range(moved(1), 7 * MS - 4000 - 10, 7 * MS + 2000 + 10);
    assert_in_range(-moved(first), 3 * MS - 2000 - 10, 3 * MS - 2000 + 10);
}

/* Launches move streams 1 and 2, stream 1 moves 2 further, and 2 moves 3 twice: each as far as the
 * last of it needs, whatever comes first. */
static void moves_go_on_from_stream_to_stream(void **state)
{
    (void)state;
    mi_track_id thread = host_thread();
    uint32_t one = stream(1), two = stream(2), three = stream(3);
    pair(two, 20 * MS, three, 20 * MS + 1000, 20);
    pair(one, 20 * MS, two, 20 * MS + 1000, 20);
    launched(two, call(thread, "launch", "node", (mi_slice_id){0}, 35 * MS, 9000), 30 * MS, 10);
    launched(one, call(thread, "launch", "node", (mi_slice_id){0}, 40 * MS, 9000), 30 * MS, 10);
    calibrate();
    assert_in_range(moved(3), 10 * MS, 10 * MS + 10);               /* stream 1 */
    assert_in_range(moved(1), 10 * MS - 1000, 10 * MS - 1000 + 20); /* stream 2 */
    assert_in_range(moved(2), 10 * MS - 2000, 10 * MS - 2000 + 30); /* stream 3 */
}

/* Two streams agree, the third does not, though it has most tasks: it is the one that is moved. */
static void most_agree_with_the_reference(void **state)
{
    (void)state;
    uint32_t one = stream(1), two = stream(2), three = stream(3);
    for (int i = 1; i <= 4; i++) {
        pair(one, i * MS, two, i * MS + 150, 40000);
        pair(two, i * MS + 300000, one, i * MS + 300150, 40000);
        pair(two, i * MS + 500000, three, i * MS + 500150 + 5 * MS, 40000);
        pair(three, i * MS + 700000 + 5 * MS, two, i * MS + 700150, 40000);
    }
    for (int i = 0; i < 40; i++)
        event(three, record_kernel, 9 * MS + i * 1000, 20);
    calibrate();
    assert_int_equal(fits()->is_reference[fit_of(three)], 0);
    assert_int_equal(fits()->is_reference[fit_of(one)] + fits()->is_reference[fit_of(two)], 1);
    assert_in_range(fits()->offset_ns[fit_of(three)], 5 * MS - 500, 5 * MS + 500);
}

/* The reference is no better known than what ties it; and bounds that are not alike on both sides
 * are stated the right way round, whichever of the two it is. */
static void what_is_stated_holds_for_either_reference(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        hand_fini(&hand);
        setup(NULL);
        uint32_t one = stream(1), two = stream(2);
        for (int i = 1; i <= 20; i++) {
            pair(one, i * MS, two, i * MS + 60 + 5 * MS, 40000);
            pair(two, i * MS + 500000 + 5 * MS, one, i * MS + 500460, 40000);
        }
        for (int i = 0; i < 40; i++)
            event(turn ? two : one, record_kernel, 40 * MS + i * 1000, 20);
        calibrate();
        uint32_t reference = fit_of(turn ? two : one), other = fit_of(turn ? one : two);
        assert_true(fits()->is_reference[reference]);
        assert_in_range(fits()->uncertainty_ns[reference], 200, 700);
        assert_in_range(fits()->uncertainty_ns[other], 200, 700);
        int64_t true_ns = turn ? -5 * MS : 5 * MS;
        assert_true(fits()->low_ns[other] <= true_ns && true_ns <= fits()->high_ns[other]);
        /* an end is no earlier than its record: 60 and 460 ns are left between them */
        assert_in_range(fits()->high_ns[other] - fits()->low_ns[other], 450, 1400);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ends_are_moved_into_their_call, setup, teardown),
        cmocka_unit_test_setup_teardown(a_run_longer_than_its_call_lies_around_it, setup, teardown),
        cmocka_unit_test_setup_teardown(calls_move_each_stream, setup, teardown),
        cmocka_unit_test_setup_teardown(moves_go_on_from_stream_to_stream, setup, teardown),
        cmocka_unit_test_setup_teardown(most_agree_with_the_reference, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_stated_holds_for_either_reference, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
