/* Hidden and exposed, on paper: one device with a stream that computes and one that moves. */
#include "analyse/pass.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const uint32_t nothing[4] = {0};

static const struct mi_report_table *table_of(const struct mi_report *report, const char *name)
{
    for (uint32_t t = 0; t < report->table_count; t++)
        if (strcmp(report->tables[t].name, name) == 0)
            return &report->tables[t];
    fail_msg("no table %s", name);
    return NULL;
}

static const struct mi_cell *cell_of(const struct mi_report *report, const char *table_name,
                                     uint32_t row, const char *column)
{
    const struct mi_report_table *table = table_of(report, table_name);
    assert_true(row < table->row_count);
    for (unsigned c = 0; c < table->column_count; c++)
        if (strcmp(table->columns[c].name, column) == 0)
            return &table->cells[row * table->column_count + c];
    fail_msg("no column %s", column);
    return NULL;
}

static struct mi_report measure(const struct hand *hand)
{
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    mi_report_init(&report);
    assert_true(mi_pass_overlap.run(&hand->model, NULL, &report, &err));
    assert_false(report.failed);
    return report;
}

/* Graph: x -> a -> b -> d and w -> load -> d, c stands alone behind x. In each of two runs
 *     compute   a [0, 40)   b [40, 60)   wait [60, 100)   d [100, 130)   c [130, 150)
 *     moves     load [50, 100)   reduce [120, 140)
 * so 10 of 50 are hidden, and beside the load could run a, b and c: 80. */
static void build(struct hand *hand)
{
    uint32_t x, w, a, b, load;
    hand_init(hand);
    hand_graph(hand, MI_LAYER_COMPILED, 0);
    x = hand_value(hand, "x", MI_VALUE_INPUT, "", 0);
    w = hand_value(hand, "w", MI_VALUE_INPUT, "", 0);
    uint32_t nodes[5];
    nodes[0] = hand_node(hand, "a", "MatMul", "", (uint32_t[4]){x}, &a);
    nodes[1] = hand_node(hand, "b", "Relu", "", (uint32_t[4]){a}, &b);
    nodes[2] = hand_node(hand, "load", "MemcpyAsync", "", (uint32_t[4]){w}, &load);
    nodes[3] = hand_node(hand, "d", "MatMul", "", (uint32_t[4]){b, load}, NULL);
    nodes[4] = hand_node(hand, "c", "Relu", "", (uint32_t[4]){x}, NULL);
    hand->model.all.rows.nodes.category[nodes[2]] = MI_CATEGORY_DATA_MOVEMENT;
    uint32_t compute = hand_track(hand, "compute", 1), moves = hand_track(hand, "moves", 2);
    for (uint32_t run = 0; run < 2; run++) {
        int64_t at = run * 1000;
        static const int64_t times[4][3] = {{0, 0, 40}, {1, 40, 20}, {3, 100, 30}, {4, 130, 20}};
        static const char *const names[] = {"a", "b", "load", "d", "c"};
        for (int i = 0; i < 4; i++)
            hand_executed(hand, nodes[times[i][0]],
                          hand_task(hand, compute, names[times[i][0]], MI_TASK_COMPUTE, run,
                                    at + times[i][1], times[i][2], 0));
        uint32_t wait = hand_task(hand, compute, "wait", MI_TASK_SYNC, run, at + 60, 40, 0);
        struct mi_tables *rows = &hand->model.all.rows;
        rows->kernels.sync[rows->tasks.kernel[wait].v] = MI_SYNC_WAIT;
        hand_executed(hand, nodes[2],
                      hand_task(hand, moves, "load", MI_TASK_TRANSFER, run, at + 50, 50, 0));
        hand_task(hand, moves, "reduce", MI_TASK_COMMUNICATION, run, at + 120, 20, 0);
    }
    hand_finish(hand);
}

static void hidden_and_exposed(void **state)
{
    (void)state;
    struct hand hand;
    build(&hand);
    struct mi_report report = measure(&hand);
    assert_int_equal(table_of(&report, "overlap")->row_count, 3);
    static const struct {
        const char *column;
        int64_t device, compute, moves;
    } expected[] = {
        {"extent_ns", 300, 300, 300},
        {"compute_ns", 220, 220, 0},
        {"transfer_ns", 100, 0, 100},
        {"transfer_hidden_ns", 20, 0, 20},
        {"transfer_exposed_ns", 80, 0, 80},
        {"communication_ns", 40, 0, 40},
        {"communication_hidden_ns", 40, 0, 40},
        {"communication_exposed_ns", 0, 0, 0},
        {"wait_ns", 80, 80, 0},
        {"idle_ns", 0, 80, 160},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const char *column = expected[i].column;
        assert_int_equal(cell_of(&report, "overlap", 0, column)->number, expected[i].device);
        assert_int_equal(cell_of(&report, "overlap", 1, column)->number, expected[i].compute);
        assert_int_equal(cell_of(&report, "overlap", 2, column)->number, expected[i].moves);
    }
    assert_int_equal(table_of(&report, "pairs")->row_count, 3);
    assert_int_equal(cell_of(&report, "pairs", 0, "shared_ns")->number, 20);
    assert_int_equal(cell_of(&report, "pairs", 0, "first_share")->number, 200000);
    assert_int_equal(cell_of(&report, "pairs", 1, "second_share")->number, 181818);
    mi_report_fini(&report);
    hand_fini(&hand);
}

static void what_it_could_hide_behind(void **state)
{
    (void)state;
    struct hand hand;
    build(&hand);
    struct mi_report report = measure(&hand);
    assert_int_equal(table_of(&report, "exposed")->row_count, 1); /* the collective is hidden */
    assert_int_equal(cell_of(&report, "exposed", 0, "tasks")->number, 2);
    assert_int_equal(cell_of(&report, "exposed", 0, "total_ns")->number, 100);
    assert_int_equal(cell_of(&report, "exposed", 0, "exposed_ns")->number, 80);
    assert_int_equal(cell_of(&report, "exposed", 0, "behind_ns")->number, 80);
    assert_int_equal(cell_of(&report, "exposed", 0, "behind_node")->number, 1);
    mi_report_fini(&report);
    hand_fini(&hand);
}

/* Copies of the application: one in front of all compute, one behind it; and a node of which the
 * graph tells nothing: no claim is made. */
static void copies_of_the_application(void **state)
{
    (void)state;
    struct hand hand;
    hand_init(&hand);
    hand_graph(&hand, MI_LAYER_COMPILED, 0);
    uint32_t lone = hand_node(&hand, "lone", "MemcpyAsync", "", nothing, NULL);
    uint32_t one = hand_track(&hand, "one", 1), two = hand_track(&hand, "two", 2);
    uint32_t three = hand_track(&hand, "three", 3);
    for (uint32_t run = 0; run < 2; run++) {
        int64_t at = run * 1000;
        hand_task(&hand, one, "in", MI_TASK_TRANSFER, run, at, 30, 0);
        hand_task(&hand, two, "k", MI_TASK_COMPUTE, run, at + 40, 100, 0);
        hand_task(&hand, one, "out", MI_TASK_TRANSFER, run, at + 150, 20, 0);
        hand_executed(&hand, lone,
                      hand_task(&hand, three, "lone", MI_TASK_TRANSFER, run, at + 30, 5, 0));
    }
    hand_finish(&hand);
    struct mi_report report = measure(&hand);
    assert_int_equal(table_of(&report, "exposed")->row_count, 3);
    assert_string_equal(cell_of(&report, "exposed", 0, "behind")->word, "the run before");
    assert_string_equal(cell_of(&report, "exposed", 1, "behind")->word, "the run after");
    assert_int_equal(cell_of(&report, "exposed", 2, "node")->number, lone);
    assert_true(cell_of(&report, "exposed", 2, "behind")->is_none);
    mi_report_fini(&report);
    hand_fini(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_and_exposed),
        cmocka_unit_test(what_it_could_hide_behind),
        cmocka_unit_test(copies_of_the_application),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
