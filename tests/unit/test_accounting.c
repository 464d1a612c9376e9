/* Sets of moments, envelopes, collectives, marked steps, devices apart: on paper first. */
#include "analyse/accounting/lanes.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

/* --- sets --- */

static struct mi_spans spans_of(const int64_t (*list)[2], uint32_t count)
{
    struct mi_spans spans = {0};
    for (uint32_t i = 0; i < count; i++)
        mi_spans_add(&spans, list[i][0], list[i][1]);
    mi_spans_join(&spans);
    assert_false(spans.failed);
    return spans;
}

static void sets_are_measured(void **state)
{
    (void)state;
    static const int64_t list[][2] = {{10, 20}, {0, 5}, {15, 30}, {4, 4}, {29, 29}, {40, 41}};
    struct mi_spans spans = spans_of(list, 6), none = {0};
    assert_int_equal(spans.count, 3);
    assert_int_equal(mi_spans_measure(&spans), 5 + 20 + 1);
    assert_int_equal(mi_spans_measure(&none), 0);
    assert_int_equal(mi_spans_within(&spans, 3, 12), 2 + 2);
    assert_int_equal(mi_spans_within(&spans, 5, 10), 0);
    assert_int_equal(mi_spans_within(&spans, -9, 99), 26);
    static const int64_t others[][2] = {{2, 11}, {18, 19}, {25, 60}};
    struct mi_spans other = spans_of(others, 3);
    assert_int_equal(mi_spans_shared(&spans, &other), 3 + 1 + 1 + 5 + 1);
    assert_int_equal(mi_spans_shared(&other, &spans), 11);
    assert_int_equal(mi_spans_shared(&spans, &none), 0);
    mi_spans_fini(&spans);
    mi_spans_fini(&other);
}

static void sets_hold_at_the_ends_of_the_range(void **state)
{
    (void)state;
    static const int64_t far[][2] = {{INT64_MIN, INT64_MAX}};
    struct mi_spans spans = spans_of(far, 1);
    assert_int_equal(mi_spans_measure(&spans), INT64_MAX);
    assert_int_equal(mi_spans_within(&spans, 5, 7), 2);
    mi_spans_fini(&spans);
}

/* Many intervals in a bad order: the same as on a line of flags. */
static void sets_agree_with_flags(void **state)
{
    (void)state;
    enum { LINE = 1000, COUNT = 300 };
    uint8_t flags[LINE] = {0};
    int64_t list[COUNT][2], expect = 0;
    uint32_t seed = 7;
    for (uint32_t i = 0; i < COUNT; i++) {
        seed = seed * 1103515245 + 12345;
        list[i][0] = (seed >> 8) % (LINE - 20);
        list[i][1] = list[i][0] + (seed >> 24) % 7;
        for (int64_t at = list[i][0]; at < list[i][1]; at++)
            flags[at] = 1;
    }
    struct mi_spans spans = spans_of((const int64_t(*)[2])list, COUNT);
    for (int i = 0; i < LINE; i++)
        expect += flags[i];
    assert_int_equal(mi_spans_measure(&spans), expect);
    for (int i = 0; i < LINE; i++)
        assert_int_equal(mi_spans_within(&spans, i, i + 1), flags[i]);
    mi_spans_fini(&spans);
}

/* --- envelopes and collectives --- */

/* The envelope [0, 100) of a MIX kernel with parts [5, 40) and [40, 95); a collective [100, 300) on
 * its group's lane, made of a copy [110, 150), a wait [150, 280) and the envelope [110, 290) that
 * both stand in. */
static void each_moment_counts_once(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_account account;
    hand_init(&hand);
    uint32_t stream = hand_track(&hand, "stream", 1), group = hand_track(&hand, "group", 2);
    uint32_t mix = hand_task(&hand, stream, "mix", MI_TASK_CONTROL, 0, 0, 100, 0);
    struct mi_tables *rows = &hand.model.all.rows;
    rows->kernels.type[rows->tasks.kernel[mix].v] = hand_str(&hand, "KERNEL_MIX_AIC");
    hand_task(&hand, stream, "cube", MI_TASK_COMPUTE, 0, 5, 35, mix);
    hand_task(&hand, stream, "vector", MI_TASK_COMPUTE, 0, 40, 55, mix);
    uint32_t reduce = hand_task(&hand, group, "allReduce", MI_TASK_COMMUNICATION, 0, 100, 200, 0);
    uint32_t envelope = hand_task(&hand, stream, "ffts", MI_TASK_COMPUTE, 0, 110, 180, reduce);
    hand_task(&hand, stream, "copy", MI_TASK_TRANSFER, 0, 110, 40, envelope);
    uint32_t wait = hand_task(&hand, stream, "notify", MI_TASK_SYNC, 0, 150, 130, envelope);
    rows->kernels.sync[rows->tasks.kernel[wait].v] = MI_SYNC_WAIT;
    hand_finish(&hand);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    /* in the order of streams and starts: mix, cube, vector, ffts, copy, notify, allReduce */
    static const int64_t own_ns[] = {0, 0, 35, 55, 0, 0, 0, 200};
    static const enum mi_account_part parts[] = {MI_PART_WORK,   MI_PART_CONTAINER, MI_PART_WORK,
                                                 MI_PART_WORK,   MI_PART_INSIDE,    MI_PART_INSIDE,
                                                 MI_PART_INSIDE, MI_PART_WORK};
    for (uint32_t t = 1; t < 8; t++) {
        assert_int_equal(account.own_ns[t], own_ns[t]);
        assert_int_equal(mi_account_part(&account, t), parts[t]);
        assert_int_equal(mi_account_counts(&account, (mi_task_id){t}), parts[t] == MI_PART_WORK);
    }
    assert_int_equal(account.runs[0].tasks, 3);
    assert_int_equal(account.runs[0].total_ns, 290);
    struct mi_lanes lanes = {0};
    mi_lanes_add_track(&lanes, &account, stream);
    assert_true(mi_lanes_join(&lanes));
    assert_int_equal(mi_spans_measure(&lanes.kinds[MI_LANE_COMPUTE]), 90);
    assert_int_equal(mi_spans_measure(&lanes.kinds[MI_LANE_TRANSFER]), 0);
    /* the envelope is part of the collective, too */
    assert_int_equal(mi_spans_measure(&lanes.kinds[MI_LANE_COMMUNICATION]), 180);
    assert_int_equal(mi_spans_measure(&lanes.kinds[MI_LANE_WAIT]), 130);
    mi_lanes_add_track(&lanes, &account, group);
    assert_true(mi_lanes_join(&lanes));
    assert_int_equal(mi_spans_measure(&lanes.kinds[MI_LANE_COMMUNICATION]), 200);
    assert_int_equal(mi_spans_measure(&lanes.work), 290);
    mi_lanes_fini(&lanes);
    mi_account_fini(&account);
    hand_fini(&hand);
}

/* A task that claims to enclose itself, and two that enclose each other: no endless walk. */
static void circles_end(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_account account;
    hand_init(&hand);
    uint32_t stream = hand_track(&hand, "stream", 1);
    uint32_t self = hand_task(&hand, stream, "self", MI_TASK_CONTROL, 0, 0, 10, 0);
    uint32_t one = hand_task(&hand, stream, "one", MI_TASK_CONTROL, 0, 10, 10, 0);
    uint32_t two = hand_task(&hand, stream, "two", MI_TASK_CONTROL, 0, 20, 10, one);
    struct mi_tasks *tasks = &hand.model.all.rows.tasks;
    tasks->parent[self].v = self;
    tasks->parent[one].v = two;
    hand_finish(&hand);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    assert_int_equal(account.runs[0].total_ns, 30);
    mi_account_fini(&account);
    hand_fini(&hand);
}

/* --- runs --- */

static void add_step(struct hand *hand, const char *kind, int64_t number, int64_t device,
                     int64_t start_ns, int64_t dur_ns)
{
    mi_add_window(&hand->model.all, &(struct mi_window_row){.source = hand->source,
                                                            .kind = hand_str(hand, kind),
                                                            .number = number,
                                                            .model = -1,
                                                            .device = device,
                                                            .start_ns = start_ns,
                                                            .dur_ns = dur_ns});
}

/* Nothing repeats, four steps are marked, one of them by two files: the first is warm-up, what lies
 * between steps is apart, and the launch decides. */
static void marked_steps_are_runs(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_account account;
    hand_init(&hand);
    for (int64_t s = 3; s >= 0; s--)
        add_step(&hand, "step", 50 + s, -1, 1000 * s, 900);
    add_step(&hand, "step", 51, -1, 1000, 900);
    add_step(&hand, "session", -1, -1, 0, 100000);
    uint32_t stream = hand_track(&hand, "stream", 1), thread = hand_track(&hand, "thread", 2);
    hand_task(&hand, stream, "a", MI_TASK_COMPUTE, 0, 100, 50, 0);
    hand_task(&hand, stream, "b", MI_TASK_COMPUTE, 0, 1100, 50, 0);
    uint32_t late = hand_task(&hand, stream, "c", MI_TASK_COMPUTE, 0, 2010, 50, 0);
    hand_task(&hand, stream, "between", MI_TASK_COMPUTE, 0, 2950, 20, 0);
    hand_task(&hand, stream, "d", MI_TASK_COMPUTE, 0, 3100, 50, 0);
    hand.model.all.rows.tasks.launch[late] = mi_add_slice(
        &hand.model.all, &(struct mi_slice_row){.track = {thread}, .start_ns = 1880, .dur_ns = 9});
    hand_finish(&hand);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    assert_int_equal(account.run_count, 4); /* no task was launched in the third step */
    static const uint32_t run[] = {0, 1, 3, UINT32_MAX};
    static const int64_t total[] = {50, 100, 50, 20}, number[] = {50, 51, 53, 0};
    for (uint32_t r = 0; r < 4; r++) {
        assert_int_equal(account.runs[r].run, run[r]);
        assert_int_equal(account.runs[r].total_ns, total[r]);
        assert_int_equal(account.runs[r].is_counted, r == 1 || r == 2);
        assert_int_equal(account.runs[r].is_outside, r == 3);
        if (r < 3)
            assert_int_equal(hand.model.all.rows.windows.number[account.runs[r].window.v],
                             number[r]);
    }
    assert_int_equal(account.counted_runs, 2);
    mi_account_fini(&account);
    hand_fini(&hand);
}

/* Runs that repeat are told by the tasks; what is marked is only noted. */
static void repeating_tasks_are_stronger_than_marks(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_account account;
    hand_init(&hand);
    add_step(&hand, "iteration", 1, -1, 0, 5000);
    uint32_t stream = hand_track(&hand, "stream", 1);
    hand_task(&hand, stream, "a", MI_TASK_COMPUTE, 0, 100, 50, 0);
    hand_task(&hand, stream, "a", MI_TASK_COMPUTE, 1, 6000, 50, 0);
    hand_finish(&hand);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    assert_int_equal(account.run_count, 2);
    assert_int_equal(account.runs[0].window.v, 1);
    assert_int_equal(account.runs[1].window.v, 0);
    assert_true(account.runs[0].is_counted && account.runs[1].is_counted);
    mi_account_fini(&account);
    hand_fini(&hand);
}

/* What belongs to no run beside some is apart: it makes none longer, and is not counted where the
 * first is warm-up. */
static void tasks_of_no_run_are_outside(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_account account;
    hand_init(&hand);
    uint32_t stream = hand_track(&hand, "stream", 1);
    hand_task(&hand, stream, "first", MI_TASK_COMPUTE, MI_NO_RUN, 0, 50, 0);
    for (uint32_t run = 0; run < 3; run++)
        hand_task(&hand, stream, "a", MI_TASK_COMPUTE, run, 1000 * (run + 1), 100, 0);
    hand_finish(&hand);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    assert_int_equal(account.run_count, 4);
    for (uint32_t r = 0; r < 4; r++) {
        assert_int_equal(account.runs[r].is_outside, r == 3);
        assert_int_equal(account.runs[r].is_counted, r == 1 || r == 2);
        assert_int_equal(account.runs[r].end_ns - account.runs[r].first_ns, r == 3 ? 50 : 100);
    }
    assert_int_equal(account.counted_runs, 2);
    mi_account_fini(&account);
    hand_fini(&hand);
}

/* Two devices of one collection, and one of another: each has its own runs and steps. */
static void devices_are_apart(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_account account;
    hand_init(&hand);
    static const char *const paths[] = {"x/PROF_1/out/a.csv", "x/PROF_1/b.json", "x/PROF_2/a.csv"};
    static const int64_t devices[] = {0, 1, 1};
    for (int i = 0; i < 3; i++) {
        struct mi_source_row source = {.path = hand_str(&hand, paths[i])};
        hand.source = mi_model_add_source(&hand.model, &source, (struct mi_bytes){0}, NULL);
        uint32_t track = hand_track(&hand, "stream", i);
        hand.model.all.rows.tracks.device[track] = devices[i];
        hand_task(&hand, track, "a", MI_TASK_COMPUTE, 0, 10 * i, 5, 0);
        if (i == 1) {
            add_step(&hand, "iteration", 7, 0, 0, 100);
            track = hand_track(&hand, "second", 9);
            hand.model.all.rows.tracks.device[track] = 1;
            hand_task(&hand, track, "b", MI_TASK_COMPUTE, 0, 30, 5, 0);
        }
    }
    hand_finish(&hand);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    assert_int_equal(account.group_count, 3);
    assert_int_equal(account.run_count, 3);
    static const int64_t ends[] = {5, 35, 25};
    for (uint32_t g = 0; g < 3; g++) {
        const struct mi_account_run *run = &account.runs[account.groups[g].first_run];
        assert_int_equal(account.groups[g].device, devices[g]);
        assert_int_equal(account.groups[g].run_count, 1);
        assert_int_equal(run->end_ns, ends[g]);
        assert_int_equal(run->window.v != 0, g == 0);
    }
    assert_int_equal(account.group_of[2], account.group_of[3]);
    mi_account_fini(&account);
    hand_fini(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_measured),
        cmocka_unit_test(sets_hold_at_the_ends_of_the_range),
        cmocka_unit_test(sets_agree_with_flags),
        cmocka_unit_test(each_moment_counts_once),
        cmocka_unit_test(circles_end),
        cmocka_unit_test(marked_steps_are_runs),
        cmocka_unit_test(repeating_tasks_are_stronger_than_marks),
        cmocka_unit_test(tasks_of_no_run_are_outside),
        cmocka_unit_test(devices_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
