/* Clocks of ranks, told by the ends of their collectives: what is moved, which way, and what is
 * left alone. Found by planted faults that other tests let pass. */
#include "clock_hand.h"

#include <stdlib.h>

enum { RANKS = 3, TURNS = 5 };

static uint32_t tracks[RANKS + 1]; /* a stream of each, from 1 */
static mi_source_id sources[RANKS + 1];

/* Ranks are numbered as their collections are. */
static void three_ranks(void)
{
    for (uint32_t rank = 1; rank <= RANKS; rank++) {
        struct mi_source_row row = {.path = hand_str(&hand, "rank"),
                                    .reader = hand_str(&hand, "none")};
        sources[rank] = mi_model_add_source(&hand.model, &row, (struct mi_bytes){0}, NULL);
        hand.model.all.rows.sources.collection[sources[rank].v] = rank;
        tracks[rank] = stream(1);
        hand.model.all.rows.tracks.source[tracks[rank]] = sources[rank];
    }
    mi_add_slice(&hand.model.all, &(struct mi_slice_row){.name = hand_str(&hand, "step")});
}

/* Collectives of two ranks: that of `first` is the one that rows of peers refer to; the other one
 * ends later by `later` and by as much as `scatter` more from turn to turn. Returns the last task
 * of the other rank. */
static uint32_t together(uint32_t first, uint32_t other, int64_t later, int64_t scatter)
{
    uint32_t last = 0;
    for (int64_t i = 0; i < TURNS; i++) {
        int64_t end = (i + 1) * 10 * MS;
        uint32_t one = event(tracks[first], record_kernel, end, 100000);
        last = event(tracks[other], record_kernel, end + later + i * scatter, 50000);
        mi_add_peer(&hand.model.all, &(struct mi_peer_row){.task = {last}, .first = {one}});
    }
    return last;
}

/* Rank 3 ends 3 ms behind rank 1 and 5 ms behind rank 2, of which nothing else is known. */
static void ranks_are_joined_over_others(void **state)
{
    (void)state;
    three_ranks();
    uint32_t of_three = together(1, 3, 3 * MS, 0);
    uint32_t other = together(2, 3, 5 * MS, 0);
    calibrate();
    assert_int_equal(moved(of_three), -3 * MS);
    assert_int_equal(moved(other), -3 * MS);
    assert_int_equal(moved(other - 1), 2 * MS); /* rank 2 is 2 ms before rank 1 */
    assert_int_equal(moved(1), 0);
}

/* ... and it does not matter which of two ranks the rows begin with. */
static void either_rank_may_come_first(void **state)
{
    (void)state;
    three_ranks();
    uint32_t of_one = together(2, 1, -4 * MS, 0);
    calibrate();
    assert_int_equal(moved(of_one), 0);
    assert_int_equal(moved(of_one - 1), -4 * MS);
}

/* Everything of a rank is moved, by the same: what is counted and how its steps lie, too. */
static void all_of_a_rank_is_moved(void **state)
{
    (void)state;
    static const int64_t laters[] = {3 * MS, 99000, 101000, -101000};
    for (size_t i = 0; i < sizeof laters / sizeof *laters; i++) {
        hand_fini(&hand);
        setup(NULL);
        three_ranks();
        struct mi_batch *all = &hand.model.all;
        uint32_t task = together(1, 2, laters[i], 0);
        mi_counter_id counter = mi_add_counter(
            all, &(struct mi_counter_row){.source = sources[2], .name = hand_str(&hand, "memory")});
        mi_add_sample(
            all, &(struct mi_sample_row){.counter = counter, .at_raw = 7 * MS, .at_ns = 7 * MS});
        mi_add_window(all, &(struct mi_window_row){.source = sources[2],
                                                   .kind = hand_str(&hand, "step"),
                                                   .start_raw = 8 * MS,
                                                   .start_ns = 8 * MS,
                                                   .dur_ns = 1000});
        calibrate();
        int64_t by = llabs(laters[i]) > 100000 ? laters[i] : 0; /* hosts agree no better */
        assert_int_equal(moved(task), -by);
        assert_int_equal(all->rows.samples.at_ns[1], 7 * MS - by);
        assert_int_equal(all->rows.windows.start_ns[1], 8 * MS - by);
    }
}

/* Ends that lie now close together and now 400 us apart are not those of one collective. */
static void ends_that_scatter_move_nothing(void **state)
{
    (void)state;
    three_ranks();
    uint32_t task = together(1, 2, 3 * MS, 150000);
    calibrate();
    assert_int_equal(moved(task), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ranks_are_joined_over_others, setup, teardown),
        cmocka_unit_test_setup_teardown(either_rank_may_come_first, setup, teardown),
        cmocka_unit_test_setup_teardown(all_of_a_rank_is_moved, setup, teardown),
        cmocka_unit_test_setup_teardown(ends_that_scatter_move_nothing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
