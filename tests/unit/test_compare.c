/* Two runs side by side: samples and their noise, ops without a graph, what no longer overlaps, and
 * what a change costs, on models that are checked on paper. */
#include "alloc_fail.h"
#include "analyse/compare/compare_parts.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { US = 1000, RUNS = 4 };

static const uint32_t nothing[4] = {0};

/* One task per run, 1 ms apart. */
static void runs_of(struct hand *hand, uint32_t track, uint32_t node, const char *name,
                    int64_t start_us, int64_t dur_us)
{
    for (uint32_t run = 0; run < RUNS; run++) {
        uint32_t task = hand_task(hand, track, name, MI_TASK_COMPUTE, run,
                                  (1000 * run + start_us) * US, dur_us * US, 0);
        if (node)
            hand_executed(hand, node, task);
    }
}

/* in -> a -> (long on stream 0, side on stream `side_stream`) -> out; side begins at side_us. */
static void fork_and_join(struct hand *hand, uint32_t side_stream, int64_t side_us, int64_t out_us,
                          int64_t long_us)
{
    uint32_t in, a, b, c;
    hand_init(hand);
    hand_graph(hand, MI_LAYER_COMPILED, 0);
    hand_node(hand, "in", "Data", "float16", nothing, &in);
    uint32_t node_a = hand_node(hand, "a", "MatMul", "float16", (uint32_t[4]){in}, &a);
    uint32_t node_b = hand_node(hand, "long", "MatMul", "float16", (uint32_t[4]){a}, &b);
    uint32_t node_c = hand_node(hand, "side", "Filter", "float16", (uint32_t[4]){a}, &c);
    uint32_t node_d = hand_node(hand, "out", "Add", "float16", (uint32_t[4]){b, c}, NULL);
    uint32_t stream[2] = {hand_track(hand, "stream 0", 0), hand_track(hand, "stream 1", 1)};
    runs_of(hand, stream[0], node_a, "a", 0, 100);
    runs_of(hand, stream[0], node_b, "long", 100, long_us);
    runs_of(hand, stream[side_stream], node_c, "side", side_us, 150);
    runs_of(hand, stream[0], node_d, "out", out_us, 50);
    hand_finish(hand);
}

static void compare_two(struct mi_compare *compare, const struct hand *base, const struct hand *new)
{
    const struct mi_model *one = &base->model, *two = &new->model;
    const struct mi_model *const *models[] = {&one, &two};
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_compare_init(compare, models, (uint32_t[]){1, 1},
                                &(struct mi_cmp_options){-1, -1}, &err));
}

static void nothing_differs(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_compare compare;
    fork_and_join(&hand, 1, 100, 300, 200);
    compare_two(&compare, &hand, &hand);
    assert_int_equal(compare.side[0].sample_count, RUNS - 1); /* the first one is warm-up */
    assert_int_equal(compare.side[0].makespan_ns, 350 * US);
    assert_int_equal(compare.side[0].work_ns, 500 * US);
    assert_int_equal(compare.change_count, 0);
    assert_int_equal(compare.cause_count, 0);
    assert_int_equal(compare.serial_count, 0);
    mi_compare_fini(&compare);
    hand_fini(&hand);
}

/* side queues behind long now: 100 + 200 + 150 + 50 instead of 100 + 200 + 50. */
static void serial_costs_its_length(void **state)
{
    (void)state;
    struct hand base, new;
    struct mi_compare compare;
    fork_and_join(&base, 1, 100, 300, 200);
    fork_and_join(&new, 0, 300, 450, 200);
    compare_two(&compare, &base, &new);
    assert_int_equal(compare.serial_count, 1);
    const struct mi_cmp_serial *serial = &compare.serials[0];
    assert_int_equal(serial->order, MI_CMP_ONE_STREAM);
    assert_int_equal(serial->overlap_ns, 150 * US);
    assert_int_equal(serial->samples, RUNS - 1);
    assert_int_equal(serial->mover, serial->op[1]);
    assert_int_equal(compare.cause_count, 1);
    assert_string_equal(compare.causes[0].rule, "parallel_to_serial");
    assert_int_equal(compare.cause_ops[compare.causes[0].first_op], serial->mover);
    assert_true(compare.causes[0].is_simulated);
    assert_int_equal(compare.causes[0].cost_ns, 150 * US);
    assert_int_equal(compare.change_count, 1);
    assert_int_equal(compare.changes[0].kind, MI_CMP_STREAM);
    mi_compare_fini(&compare);
    hand_fini(&base);
    hand_fini(&new);
}

/* side meets long in so many of the counted runs of the base, in none on the new side. */
static void met_in(struct hand *hand, unsigned meetings)
{
    uint32_t in, a, b, c;
    hand_init(hand);
    hand_graph(hand, MI_LAYER_COMPILED, 0);
    hand_node(hand, "in", "Data", "float16", nothing, &in);
    uint32_t node_a = hand_node(hand, "long", "MatMul", "float16", (uint32_t[4]){in}, &a);
    uint32_t node_b = hand_node(hand, "side", "Filter", "float16", (uint32_t[4]){in}, &b);
    hand_node(hand, "out", "Add", "float16", (uint32_t[4]){a, b}, &c);
    uint32_t stream[2] = {hand_track(hand, "stream 0", 0), hand_track(hand, "stream 1", 1)};
    for (uint32_t run = 0; run < RUNS; run++) {
        int64_t start = (int64_t)1000 * run * US, late = run >= RUNS - meetings ? 0 : 250 * US;
        hand_executed(hand, node_a,
                      hand_task(hand, stream[0], "long", MI_TASK_COMPUTE, run, start, 200 * US, 0));
        hand_executed(
            hand, node_b,
            hand_task(hand, stream[1], "side", MI_TASK_COMPUTE, run, start + late, 150 * US, 0));
    }
    hand_finish(hand);
}

/* Of three counted runs one is less than half, two are more. */
static void serial_counts_from_half_of_the_runs(void **state)
{
    (void)state;
    for (unsigned meetings = 1; meetings <= 2; meetings++) {
        struct hand base, new;
        struct mi_compare compare;
        met_in(&base, meetings);
        met_in(&new, 0);
        compare_two(&compare, &base, &new);
        assert_int_equal(compare.serial_count, meetings == 2 ? 1 : 0);
        mi_compare_fini(&compare);
        hand_fini(&base);
        hand_fini(&new);
    }
}

/* long takes 300 instead of 200. Off the longest path the same costs nothing: there it is side. */
static void slower_by_type(void **state)
{
    (void)state;
    struct hand base, new;
    struct mi_compare compare;
    fork_and_join(&base, 1, 100, 300, 200);
    fork_and_join(&new, 1, 100, 400, 300);
    compare_two(&compare, &base, &new);
    assert_int_equal(compare.cause_count, 1);
    assert_string_equal(compare.causes[0].rule, "slow_op");
    assert_int_equal(compare.causes[0].op_count, 1);
    assert_int_equal(compare.causes[0].time_ns, 100 * US);
    assert_int_equal(compare.causes[0].cost_ns, 100 * US);
    mi_compare_fini(&compare);
    compare_two(&compare, &new, &base);
    assert_string_equal(compare.causes[0].rule, "fast_op");
    assert_int_equal(compare.causes[0].cost_ns, -100 * US);
    mi_compare_fini(&compare);
    hand_fini(&base);
    hand_fini(&new);
}

static void kernels_alone(struct hand *hand, bool with_more)
{
    hand_init(hand);
    uint32_t stream = hand_track(hand, "stream 0", 0);
    runs_of(hand, stream, 0, "one", 0, 100);
    runs_of(hand, stream, 0, "two", 100, 50);
    if (with_more)
        runs_of(hand, stream, 0, "three", 150, 30);
    hand_finish(hand);
}

/* Without graphs ops are kernels of one name and type. */
static void without_graphs(void **state)
{
    (void)state;
    struct hand base, new;
    struct mi_compare compare;
    kernels_alone(&base, false);
    kernels_alone(&new, true);
    compare_two(&compare, &base, &new);
    assert_int_equal(compare.op_count - 1, 3);
    assert_int_equal(compare.side[0].layer, MI_LAYER_NONE);
    assert_int_equal(compare.cause_count, 1);
    assert_string_equal(compare.causes[0].rule, "op_added");
    assert_int_equal(compare.causes[0].cost_ns, 30 * US);
    mi_compare_fini(&compare);
    hand_fini(&base);
    hand_fini(&new);
}

/* Two captures of one side are samples of the same ops. */
static void several_captures(void **state)
{
    (void)state;
    struct hand hand[3];
    struct mi_compare compare;
    fork_and_join(&hand[0], 1, 100, 300, 200);
    fork_and_join(&hand[1], 1, 100, 304, 204);
    fork_and_join(&hand[2], 1, 100, 302, 202);
    const struct mi_model *base[] = {&hand[0].model, &hand[1].model}, *new[] = {&hand[2].model};
    const struct mi_model *const *models[] = {base, new};
    int64_t list[2 * RUNS];
    assert_true(mi_compare_init(&compare, models, (uint32_t[]){2, 1},
                                &(struct mi_cmp_options){-1, -1}, NULL));
    assert_int_equal(compare.side[0].sample_count, 2 * (RUNS - 1));
    for (uint32_t o = 1; o < compare.op_count; o++) {
        const struct mi_cmp_op *op = &compare.ops[o];
        assert_int_equal(op->tasks[0], 2 * op->tasks[1]);
        if (op->node[0] != 3)
            continue;
        mi_cmp_op_samples(&compare, MI_CMP_BASE, o, list);
        assert_int_equal(list[0], 200 * US);
        assert_int_equal(list[2 * (RUNS - 1) - 1], 204 * US);
    }
    assert_int_equal(compare.cause_count, 0);
    mi_compare_fini(&compare);
    for (int i = 0; i < 3; i++)
        hand_fini(&hand[i]);
}

static void noise(void **state)
{
    (void)state;
    int64_t quiet[] = {100000, 100010, 99990, 100000, 100020},
            up[] = {104000, 104010, 103990, 104020, 104000};
    int64_t wild[] = {90000, 100000, 110000, 120000, 80000},
            later[] = {95000, 106000, 115000, 125000, 85000};
    int64_t one[] = {100000}, other[] = {109000}, third[] = {111000},
            small[] = {102000, 102000, 102000};
    assert_true(mi_cmp_differs(quiet, 5, up, 5, 0));
    assert_false(mi_cmp_differs(quiet, 5, up, 5, 20000)); /* usual among the others */
    assert_false(mi_cmp_differs(quiet, 5, small, 3, 0));  /* too little to matter */
    assert_false(mi_cmp_differs(wild, 5, later, 5, 0));
    assert_false(mi_cmp_differs(one, 1, other, 1, 0));
    assert_true(mi_cmp_differs(one, 1, third, 1, 0));
}

static void unknown_device(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_compare compare;
    struct mi_error err = MI_ERROR_INIT;
    kernels_alone(&hand, false);
    const struct mi_model *one = &hand.model;
    const struct mi_model *const *models[] = {&one, &one};
    assert_false(mi_compare_init(&compare, models, (uint32_t[]){1, 1},
                                 &(struct mi_cmp_options){-1, 9}, &err));
    assert_int_equal(err.code, MI_ENOTFOUND);
    hand_fini(&hand);
}

static void out_of_memory(void **state)
{
    (void)state;
    struct hand base, new;
    bool ok = false;
    fork_and_join(&base, 1, 100, 300, 200);
    fork_and_join(&new, 0, 350, 500, 250);
    const struct mi_model *one = &base.model, *two = &new.model;
    const struct mi_model *const *models[] = {&one, &two};
    for (long n = 0; !ok; n++) {
        struct mi_compare compare;
        struct mi_error err = MI_ERROR_INIT;
        alloc_left = n;
        ok = mi_compare_init(&compare, models, (uint32_t[]){1, 1}, &(struct mi_cmp_options){-1, -1},
                             &err);
        alloc_left = -1;
        assert_true(ok || err.code == MI_ENOMEM);
        if (ok) {
            assert_int_equal(compare.cause_count, 2);
            mi_compare_fini(&compare);
        }
    }
    hand_fini(&base);
    hand_fini(&new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_differs),
        cmocka_unit_test(serial_costs_its_length),
        cmocka_unit_test(serial_counts_from_half_of_the_runs),
        cmocka_unit_test(slower_by_type),
        cmocka_unit_test(without_graphs),
        cmocka_unit_test(several_captures),
        cmocka_unit_test(noise),
        cmocka_unit_test(unknown_device),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
