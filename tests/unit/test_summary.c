/* Time accounting and the summary, against numbers worked out by hand. */
#include "alloc_fail.h"
#include "analyse/accounting.h"
#include "analyse/pass.h"
#include "hand_model.h"
#include "present/text/report_json.h"
#include "present/text/report_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const uint32_t nothing[4] = {0};

/* A loop of 100 ns with bodies [10, 40) and [30, 60) on two streams, one of which holds a task of
 * its own; then a sync task. */
static void parents_count_once(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_account account;
    hand_init(&hand);
    uint32_t one = hand_track(&hand, "one", 1), two = hand_track(&hand, "two", 2);
    uint32_t loop = hand_task(&hand, one, "loop", MI_TASK_CONTROL, 0, 0, 100, 0);
    uint32_t body = hand_task(&hand, one, "body", MI_TASK_CONTROL, 0, 10, 30, loop);
    hand_task(&hand, two, "other", MI_TASK_COMPUTE, 0, 30, 30, loop);
    hand_task(&hand, one, "inner", MI_TASK_COMPUTE, 0, 12, 8, body);
    hand_task(&hand, one, "wait", MI_TASK_SYNC, 0, 100, 50, 0);
    hand_task(&hand, two, "late", MI_TASK_COMPUTE, 0, 90, 40, loop); /* sticks out of its parent */
    hand_finish(&hand);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    /* in the order of streams and starts */
    static const int64_t own_ns[] = {0, 100 - 50 - 10, 30 - 8, 8, 50, 30, 40};
    for (uint32_t t = 1; t < 7; t++)
        assert_int_equal(account.own_ns[t], own_ns[t]);
    assert_int_equal(account.run_count, 1);
    assert_true(account.runs[0].is_counted);
    assert_int_equal(account.runs[0].tasks, 5);
    assert_int_equal(account.runs[0].total_ns, 40 + 22 + 8 + 30 + 40);
    assert_int_equal(account.runs[0].end_ns, 130);
    mi_account_fini(&account);
    hand_fini(&hand);
}

static uint32_t counted_of(uint32_t runs, const char *warmup)
{
    struct hand hand;
    struct mi_account account;
    hand_init(&hand);
    uint32_t track = hand_track(&hand, "s", 0);
    for (uint32_t r = 0; r < runs; r++) /* numbers need not be dense */
        hand_task(&hand, track, "t", MI_TASK_COMPUTE, r * 1000000, r * 10, 1, 0);
    if (warmup)
        mi_add_fact(&hand.model.all,
                    &(struct mi_fact_row){.source = hand.source,
                                          .name = hand_str(&hand, "setting:warmup"),
                                          .text = hand_str(&hand, warmup)});
    hand_finish(&hand);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    uint32_t counted = account.counted_runs;
    for (uint32_t r = 0; r < runs; r++)
        assert_int_equal(account.runs[r].is_counted, r >= runs - counted);
    mi_account_fini(&account);
    hand_fini(&hand);
    return counted;
}

static void warm_up_is_kept_apart(void **state)
{
    (void)state;
    assert_int_equal(counted_of(1, NULL), 1);
    assert_int_equal(counted_of(2, NULL), 2);
    assert_int_equal(counted_of(3, NULL), 2);
    assert_int_equal(counted_of(9, NULL), 8);
    assert_int_equal(counted_of(9, "4"), 5);
    assert_int_equal(counted_of(9, "0"), 8);
    assert_int_equal(counted_of(3, "7"), 1);
    assert_int_equal(counted_of(9, "many"), 8);
    assert_int_equal(counted_of(2, "1"), 2);
}

/* Two captures with three and four runs; in the second the last run has no end. */
static void runs_of_captures_are_apart(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_account account;
    hand_init(&hand);
    for (uint32_t capture = 1; capture <= 2; capture++) {
        struct mi_source_row source = {.path = hand_str(&hand, "p"), .capture = capture};
        hand.source = mi_model_add_source(&hand.model, &source, (struct mi_bytes){0}, NULL);
        uint32_t track = hand_track(&hand, "s", 0);
        for (uint32_t r = 0; r < 2 + capture; r++)
            hand_task(&hand, track, "t", MI_TASK_COMPUTE, r, capture * 1000 + r * 10, 1, 0);
    }
    mi_add_fact(&hand.model.all, &(struct mi_fact_row){.source = hand.source,
                                                       .name = hand_str(&hand, "setting:runs-done"),
                                                       .text = hand_str(&hand, "3")});
    hand_finish(&hand);
    assert_true(mi_account_init(&account, &hand.model, NULL));
    const bool counted[] = {false, true, true, false, true, true, false};
    assert_int_equal(account.run_count, 7);
    assert_int_equal(account.group_count, 2);
    assert_int_equal(account.counted_runs, 4);
    for (uint32_t r = 0; r < 7; r++) {
        assert_int_equal(account.runs[r].run, r < 3 ? r : r - 3);
        assert_int_equal(account.runs[r].is_counted, counted[r]);
        assert_int_equal(account.runs[r].tasks, 1);
        assert_int_equal(account.runs[r].end_ns - account.runs[r].first_ns, 1);
    }
    mi_account_fini(&account);
    hand_fini(&hand);
}

/* --- the pass --- */

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

static const struct mi_cell *fact_of(const struct mi_report *report, const char *name)
{
    for (uint32_t f = 0; f < report->fact_count; f++)
        if (strcmp(report->facts[f].name, name) == 0)
            return &report->facts[f].cell;
    fail_msg("no fact %s", name);
    return NULL;
}

static struct mi_report summarise(const struct hand *hand, const struct mi_args *args)
{
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    mi_report_init(&report);
    assert_true(mi_pass_summary.run(&hand->model, args, &report, &err));
    assert_false(report.failed);
    return report;
}

/* Framework a, b; compiled c (from a and b), r (inserted). Tasks: c 600, r 300, a name without node
 * 100. */
static void build_joined(struct hand *hand)
{
    hand_init(hand);
    struct mi_batch *all = &hand->model.all;
    hand_graph(hand, MI_LAYER_FRAMEWORK, 0);
    uint32_t a = hand_node(hand, "a", "Conv", "", nothing, NULL);
    uint32_t b = hand_node(hand, "b", "Relu", "", nothing, NULL);
    hand_graph(hand, MI_LAYER_COMPILED, 0);
    uint32_t c = hand_node(hand, "c", "FusedConv", "", nothing, NULL);
    uint32_t r = hand_node(hand, "r", "Reorder", "", nothing, NULL);
    hand_node(hand, "idle", "Reshape", "", nothing, NULL);
    for (int i = 0; i < 2; i++)
        mi_add_lowered(all, &(struct mi_lowered_row){.framework = {i ? b : a},
                                                     .compiled = {c},
                                                     .confidence = i ? MI_LIKELY : MI_CERTAIN});
    mi_add_birth(all, &(struct mi_birth_row){.node = {c}, .origin = MI_ORIGIN_FUSED});
    mi_add_birth(all, &(struct mi_birth_row){.node = {r}, .origin = MI_ORIGIN_INSERTED});
    uint32_t one = hand_track(hand, "one", 1), two = hand_track(hand, "two", 2);
    for (uint32_t run = 0; run < 2; run++) {
        int64_t at = run * 10000;
        hand_executed(hand, c, hand_task(hand, one, "c", MI_TASK_COMPUTE, run, at, 300, 0));
        hand_executed(hand, r, hand_task(hand, two, "r", MI_TASK_TRANSFER, run, at + 100, 150, 0));
        hand_task(hand, two, "stranger", MI_TASK_COMPUTE, run, at + 200, 50, 0);
        hand_task(hand, two, "wait", MI_TASK_SYNC, run, at + 400, 77, 0);
    }
    hand_finish(hand);
}

static void numbers_of_a_joined_model(void **state)
{
    (void)state;
    struct hand hand;
    build_joined(&hand);
    struct mi_report report = summarise(&hand, NULL);
    assert_int_equal(fact_of(&report, "tasks")->number, 6);
    assert_int_equal(fact_of(&report, "total_ns")->number, 1000);
    assert_int_equal(fact_of(&report, "sync_tasks")->number, 2);
    assert_int_equal(fact_of(&report, "sync_ns")->number, 154);
    assert_int_equal(fact_of(&report, "makespan_ns")->number, 300);
    assert_int_equal(fact_of(&report, "explained_compiled_share")->number, 900000);
    /* the inserted node has no origin by nature: 600 of 700 */
    assert_int_equal(fact_of(&report, "explained_framework_share")->number, 857143);
    assert_int_equal(table_of(&report, "by_type")->row_count, 3);
    assert_int_equal(cell_of(&report, "by_type", 0, "total_ns")->number, 600);
    assert_int_equal(cell_of(&report, "by_type", 0, "nodes")->number, 1);
    assert_int_equal(cell_of(&report, "by_type", 0, "tasks")->number, 2);
    assert_int_equal(cell_of(&report, "by_type", 0, "average_ns")->number, 300);
    assert_int_equal(cell_of(&report, "by_type", 0, "share")->number, 600000);
    assert_memory_equal(cell_of(&report, "by_type", 2, "op_type")->text.at, "stranger", 8);
    /* [100, 250) and [200, 250) overlap: 150 of 200 busy, twice */
    assert_memory_equal(cell_of(&report, "by_stream", 1, "stream")->text.at, "two", 3);
    assert_int_equal(cell_of(&report, "by_stream", 1, "total_ns")->number, 400);
    assert_int_equal(cell_of(&report, "by_stream", 1, "busy_ns")->number, 300);
    assert_int_equal(cell_of(&report, "links", 0, "certain")->number, 4);
    assert_int_equal(cell_of(&report, "links", 1, "likely")->number, 1);
    assert_int_equal(cell_of(&report, "links", 1, "certain_share")->number, 500000);
    assert_int_equal(table_of(&report, "unexplained")->row_count, 1);
    assert_int_equal(cell_of(&report, "unexplained", 0, "total_ns")->number, 100);
    mi_report_fini(&report);
    hand_fini(&hand);
}

static void the_rest_is_folded(void **state)
{
    (void)state;
    struct hand hand;
    build_joined(&hand);
    struct mi_arg top = {.param = &mi_pass_summary.params[0], .text = "1", .number = 1};
    struct mi_report report = summarise(&hand, &(struct mi_args){.list = &top, .count = 1});
    assert_int_equal(table_of(&report, "by_type")->row_count, 2);
    assert_int_equal(cell_of(&report, "by_type", 1, "total_ns")->number, 400);
    assert_int_equal(cell_of(&report, "by_type", 1, "share")->number, 400000);
    mi_report_fini(&report);
    hand_fini(&hand);
}

/* Only a graph: nodes are counted, nothing is timed. */
static void graphs_alone_are_counted(void **state)
{
    (void)state;
    struct hand hand;
    hand_init(&hand);
    hand_graph(&hand, MI_LAYER_FRAMEWORK, 0);
    for (int i = 0; i < 3; i++)
        hand_node(&hand, "", i ? "Conv" : "Relu", "", nothing, NULL);
    hand_finish(&hand);
    struct mi_report report = summarise(&hand, NULL);
    assert_int_equal(cell_of(&report, "by_type", 0, "nodes")->number, 2);
    assert_true(cell_of(&report, "by_type", 0, "total_ns")->is_none);
    assert_int_equal(cell_of(&report, "layers", 0, "nodes")->number, 3);
    mi_report_fini(&report);
    hand_fini(&hand);
}

static void every_pass_takes_an_empty_model(void **state)
{
    (void)state;
    struct hand hand;
    hand_init(&hand);
    hand_finish(&hand);
    for (size_t p = 0; p < mi_pass_count; p++) {
        struct mi_arg name = {.param = &mi_passes[p]->params[0], .text = "x"};
        struct mi_args args = {.list = &name, .count = 1};
        bool wants_name =
            mi_passes[p]->params[0].name && strcmp(mi_passes[p]->params[0].name, "name") == 0;
        struct mi_report report;
        struct mi_error err = MI_ERROR_INIT;
        mi_report_init(&report);
        if (!mi_passes[p]->run(&hand.model, wants_name ? &args : NULL, &report, &err))
            assert_int_equal(err.code, MI_ENOTFOUND);
        mi_report_fini(&report);
    }
    hand_fini(&hand);
}

/* Runs a pass and writes its report with the n-th allocation failing. True once n is beyond the
 * last. */
static bool survives(const struct hand *hand, const struct mi_pass *pass, long n)
{
    struct mi_arg name = {.param = &pass->params[0], .text = "c"};
    struct mi_args args = {.list = &name, .count = 1};
    bool wants_name = pass->params[0].name && strcmp(pass->params[0].name, "name") == 0 &&
                      strcmp(pass->name, "graph") != 0 && strcmp(pass->name, "map") != 0;
    struct mi_report report;
    struct mi_sink text, json;
    struct mi_error err = MI_ERROR_INIT;
    mi_report_init(&report);
    mi_sink_init_memory(&text);
    mi_sink_init_memory(&json);
    alloc_left = n;
    bool ok = pass->run(&hand->model, wants_name ? &args : NULL, &report, &err) && !report.failed;
    if (ok) {
        mi_report_write_text(&report, &(struct mi_text_options){.columns = 60}, &text);
        ok = mi_report_write_json(&report, &json, NULL) && !mi_sink_failed(&text);
    }
    bool is_over = alloc_left > 0;
    alloc_left = -1;
    if (!ok && err.code != MI_OK)
        assert_int_equal(err.code, MI_ENOMEM);
    if (is_over)
        assert_true(ok);
    mi_sink_fini(&text);
    mi_sink_fini(&json);
    mi_report_fini(&report);
    return is_over;
}

static void passes_survive_running_out_of_memory(void **state)
{
    (void)state;
    struct hand hand;
    build_joined(&hand);
    for (size_t p = 0; p < mi_pass_count; p++) {
        long n = 0;
        while (!survives(&hand, mi_passes[p], n))
            n++;
        assert_true(n > 1);
    }
    hand_fini(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_count_once),
        cmocka_unit_test(warm_up_is_kept_apart),
        cmocka_unit_test(runs_of_captures_are_apart),
        cmocka_unit_test(numbers_of_a_joined_model),
        cmocka_unit_test(the_rest_is_folded),
        cmocka_unit_test(graphs_alone_are_counted),
        cmocka_unit_test(every_pass_takes_an_empty_model),
        cmocka_unit_test(passes_survive_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
