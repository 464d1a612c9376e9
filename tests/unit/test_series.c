/* Nodes followed through the stages of a build: by name, by recorded ops, by neighbours; parts of
 * graphs, several builds in one folder, nodes without names or with one name. */
#include "alloc_fail.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "analyse/series/series.h"
#include "base/mem.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const uint32_t nothing[4] = {0};

/* A dump: a source of its own with one graph. */
static void dump(struct hand *hand, const char *path, const char *stage, uint32_t number)
{
    struct mi_source_row row = {.path = hand_str(hand, path), .reader = hand_str(hand, "ge_proto")};
    mi_source_id source = mi_model_add_source(&hand->model, &row, (struct mi_bytes){0}, NULL);
    hand->graph =
        mi_add_graph(&hand->model.all, &(struct mi_graph_row){.source = source,
                                                              .layer = MI_LAYER_STAGE,
                                                              .kind = MI_GRAPH_MAIN,
                                                              .name = hand_str(hand, "net"),
                                                              .stage = hand_str(hand, stage),
                                                              .stage_index = number});
}

static void record(struct hand *hand, uint32_t node, const char *name)
{
    mi_add_recorded(&hand->model.all,
                    &(struct mi_recorded_row){.node = {node},
                                              .name = hand_str(hand, name),
                                              .via = hand_str(hand, "original_op_names")});
}

/* Whether some change of that kind in that stage (counted from 0 over all builds) is about `name`.
 */
static bool has(const struct hand *hand, const struct mi_series *series, uint32_t stage,
                enum mi_change_kind kind, const char *name)
{
    for (uint32_t i = 0; i < series->change_count; i++) {
        const struct mi_change *change = &series->changes[i];
        mi_node_id node = change->kind >= MI_CHANGE_FUSED_INTO ? change->before : change->after;
        if (change->stage == stage && change->kind == kind &&
            mi_bytes_equal(mi_model_text(&hand->model, hand->model.all.rows.nodes.name[node.v]),
                           mi_cstr(name)))
            return true;
    }
    return false;
}

static uint32_t count(const struct mi_series *series, uint32_t stage)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < series->change_count; i++)
        n += series->changes[i].stage == stage;
    return n;
}

static struct mi_series follow(struct hand *hand)
{
    struct mi_series series;
    struct mi_error err = MI_ERROR_INIT;
    hand_finish(hand);
    assert_true(mi_series_init(&series, &hand->model, &err));
    return series;
}

static void no_stages_no_series(void **state)
{
    (void)state;
    struct hand hand;
    hand_init(&hand);
    hand_graph(&hand, MI_LAYER_COMPILED, 0);
    hand_node(&hand, "a", "Relu", "float32", nothing, NULL);
    struct mi_series series = follow(&hand);
    assert_int_equal(series.stage_count, 0);
    assert_int_equal(series.change_count, 0);
    mi_series_fini(&series);
    mi_model_fini(&hand.model);
}

/* a -> b -> c becomes a -> bc; a also changes its element type, and a Cast stands on a -> bc. */
static void fused_and_cast(void **state)
{
    (void)state;
    struct hand hand;
    uint32_t a, b, cast;
    hand_init(&hand);
    dump(&hand, "d/ge_proto_00001_A.txt", "A", 1);
    hand_node(&hand, "a", "Data", "float32", nothing, &a);
    hand_node(&hand, "b", "Conv2D", "float32", (uint32_t[4]){a}, &b);
    hand_node(&hand, "c", "Relu", "float32", (uint32_t[4]){b}, NULL);
    dump(&hand, "d/ge_proto_00007_B.txt", "B", 7);
    hand_node(&hand, "a", "Data", "float16", nothing, &a);
    hand_node(&hand, "cast", "Cast", "float32", (uint32_t[4]){a}, &cast);
    uint32_t bc = hand_node(&hand, "b_c", "Conv2D", "float32", (uint32_t[4]){cast}, NULL);
    record(&hand, bc, "b");
    record(&hand, bc, "c");
    struct mi_series series = follow(&hand);
    assert_int_equal(series.stage_count, 2);
    assert_int_equal(series.stages[1].number, 7);
    assert_true(has(&hand, &series, 1, MI_CHANGE_DTYPE, "a"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_INSERTED, "cast"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_FUSED, "b_c"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_FUSED_INTO, "b"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_FUSED_INTO, "c"));
    assert_int_equal(series.change_count, 5);
    mi_series_fini(&series);
    mi_model_fini(&hand.model);
}

/* One source that is recorded on a single new node is that node under another name and type; one
 * that is recorded on two is split. */
static void renamed_or_split(void **state)
{
    (void)state;
    struct hand hand;
    hand_init(&hand);
    dump(&hand, "ge_proto_00001_A.txt", "A", 1);
    hand_node(&hand, "one", "MatMul", "float32", nothing, NULL);
    hand_node(&hand, "many", "LSTM", "float32", nothing, NULL);
    hand_node(&hand, "same", "Relu", "float32", nothing, NULL);
    dump(&hand, "ge_proto_00002_B.txt", "B", 2);
    uint32_t other = hand_node(&hand, "other", "MatMulV2", "float32", nothing, NULL);
    record(&hand, other, "one");
    record(&hand, hand_node(&hand, "gates", "MatMulV2", "float32", nothing, NULL), "many");
    record(&hand, hand_node(&hand, "cell", "DynamicRNN", "float32", nothing, NULL), "many");
    hand_node(&hand, "same", "Relu", "float32", nothing, NULL);
    struct mi_series series = follow(&hand);
    assert_true(has(&hand, &series, 1, MI_CHANGE_RENAMED, "other"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_RETYPED, "other"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_SPLIT, "gates"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_SPLIT, "cell"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_SPLIT_INTO, "many"));
    assert_int_equal(series.change_count, 5);
    assert_int_equal(series.track_of[other], series.track_of[1]);
    mi_series_fini(&series);
    mi_model_fini(&hand.model);
}

/* Without records: the neighbours tell which is which, and only if no other could be meant. */
static void neighbours_tell(void **state)
{
    (void)state;
    struct hand hand;
    uint32_t a, b, c;
    hand_init(&hand);
    for (uint32_t stage = 1; stage <= 2; stage++) {
        dump(&hand, stage == 1 ? "ge_proto_1_A.txt" : "ge_proto_2_B.txt", stage == 1 ? "A" : "B",
             stage);
        hand_node(&hand, "a", "Abs", "float32", nothing, &a);
        hand_node(&hand, "b", "Abs", "float32", (uint32_t[4]){a}, &b);
        hand_node(&hand, stage == 1 ? "x" : "x2", "Relu", "float32", (uint32_t[4]){b}, &c);
        hand_node(&hand, stage == 1 ? "y" : "y2", "Add", "float32", (uint32_t[4]){c, a}, NULL);
        hand_node(&hand, stage == 1 ? "k" : "k2", "Const", "float32", nothing, NULL);
        /* Two alike on both sides: any pairing would be a guess. */
        hand_node(&hand, stage == 1 ? "t" : "t2", "Exp", "float32", (uint32_t[4]){a}, NULL);
        hand_node(&hand, stage == 1 ? "u" : "u2", "Exp", "float32", (uint32_t[4]){a}, NULL);
        for (int i = 0; i < 8; i++) {
            char name[8];
            snprintf(name, sizeof name, "f%d", i);
            hand_node(&hand, name, "Log", "float32", nothing, NULL);
        }
    }
    struct mi_series series = follow(&hand);
    assert_int_equal(series.build_count, 1);
    assert_true(has(&hand, &series, 1, MI_CHANGE_RENAMED, "x2"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_RENAMED, "y2"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_REMOVED, "k"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_INSERTED, "k2"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_REMOVED, "t"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_INSERTED, "u2"));
    mi_series_fini(&series);
    mi_model_fini(&hand.model);
}

/* What a part lacks is not gone; the whole stage after it has the last word. */
static void parts_lack(void **state)
{
    (void)state;
    struct hand hand;
    uint32_t value;
    hand_init(&hand);
    dump(&hand, "ge_proto_1_A.txt", "A", 1);
    hand_node(&hand, "a", "Relu", "float32", nothing, NULL);
    hand_node(&hand, "b", "Exp", "float32", nothing, NULL);
    hand_node(&hand, "c", "Log", "float32", nothing, NULL);
    dump(&hand, "ge_proto_2_P.txt", "P", 2);
    hand_node(&hand, "p0", "PlaceHolder", "float32", nothing, &value);
    hand_node(&hand, "a", "Relu6", "float32", (uint32_t[4]){value}, NULL);
    dump(&hand, "ge_proto_3_P.txt", "P", 3);
    hand_node(&hand, "b", "Exp", "float16", nothing, &value);
    hand_node(&hand, "e0", "End", "float16", (uint32_t[4]){value}, NULL);
    dump(&hand, "ge_proto_4_B.txt", "B", 4);
    hand_node(&hand, "a", "Relu6", "float32", nothing, NULL);
    hand_node(&hand, "b", "Exp", "float16", nothing, NULL);
    struct mi_series series = follow(&hand);
    assert_int_equal(series.stage_count, 3);
    assert_int_equal(series.stages[1].graph_count, 2);
    assert_int_equal(series.stages[1].nodes, 2);
    assert_true(has(&hand, &series, 1, MI_CHANGE_RETYPED, "a"));
    assert_true(has(&hand, &series, 1, MI_CHANGE_DTYPE, "b"));
    assert_int_equal(count(&series, 1), 2);
    assert_true(has(&hand, &series, 2, MI_CHANGE_REMOVED, "c"));
    assert_int_equal(count(&series, 2), 1);
    mi_series_fini(&series);
    mi_model_fini(&hand.model);
}

/* Two graphs of one process in turn, by number and without: two builds each. */
static void builds_apart(void **state)
{
    (void)state;
    static const char *const paths[2][4] = {
        {"ge_proto_00000001_graph_1_A.txt", "ge_proto_00000002_graph_2_A.txt",
         "ge_proto_00000003_graph_1_B.txt", "ge_proto_00000004_graph_2_B.txt"},
        {"ge_proto_00001_A.txt", "ge_proto_00002_A.txt", "ge_proto_00003_B.txt",
         "ge_proto_00004_B.txt"}};
    for (int naming = 0; naming < 2; naming++) {
        struct hand hand;
        hand_init(&hand);
        for (uint32_t i = 0; i < 4; i++) {
            dump(&hand, paths[naming][i], i < 2 ? "A" : "B", i + 1);
            hand_node(&hand, i % 2 ? "a" : "x", "Relu", "float32", nothing, NULL);
            hand_node(&hand, i % 2 ? "b" : "y", "Exp", i < 2 ? "float32" : "float16", nothing,
                      NULL);
        }
        struct mi_series series = follow(&hand);
        assert_int_equal(series.build_count, 2);
        assert_int_equal(series.stage_count, 4);
        assert_int_equal(series.change_count, 2);
        assert_true(has(&hand, &series, 1, MI_CHANGE_DTYPE, "y"));
        assert_true(has(&hand, &series, 3, MI_CHANGE_DTYPE, "b"));
        mi_series_fini(&series);
        mi_model_fini(&hand.model);
    }
}

/* Nodes without names and with equal names: each is followed by its place, none is lost. */
static void odd_names(void **state)
{
    (void)state;
    struct hand hand;
    hand_init(&hand);
    for (uint32_t stage = 1; stage <= 2; stage++) {
        dump(&hand, stage == 1 ? "ge_proto_1_A.txt" : "ge_proto_2_B.txt", stage == 1 ? "A" : "B",
             stage);
        hand_node(&hand, "twin", "Relu", "float32", nothing, NULL);
        hand_node(&hand, "twin", "Exp", "float32", nothing, NULL);
        if (stage == 2)
            hand_node(&hand, "", "Log", "float32", nothing, NULL);
    }
    struct mi_series series = follow(&hand);
    assert_int_equal(series.change_count, 1);
    assert_int_equal(series.changes[0].kind, MI_CHANGE_INSERTED);
    assert_int_equal(series.track_of[1], series.track_of[3]);
    assert_int_equal(series.track_of[2], series.track_of[4]);
    mi_series_fini(&series);
    mi_model_fini(&hand.model);
}

/* a -> b becomes a -> t -> u -> b: that edge is split by t; c -> b goes. */
static void edges_split(void **state)
{
    (void)state;
    struct hand hand;
    uint32_t a, c, t, u;
    hand_init(&hand);
    dump(&hand, "ge_proto_1_A.txt", "A", 1);
    hand_node(&hand, "a", "Relu", "float32", nothing, &a);
    hand_node(&hand, "c", "Relu", "float32", nothing, &c);
    hand_node(&hand, "b", "Add", "float32", (uint32_t[4]){a, c}, NULL);
    dump(&hand, "ge_proto_2_B.txt", "B", 2);
    hand_node(&hand, "a", "Relu", "float32", nothing, &a);
    hand_node(&hand, "c", "Relu", "float32", nothing, &c);
    hand_node(&hand, "t", "Cast", "float32", (uint32_t[4]){a}, &t);
    hand_node(&hand, "u", "TransData", "float32", (uint32_t[4]){t}, &u);
    hand_node(&hand, "b", "Add", "float32", (uint32_t[4]){u, u}, NULL);
    struct mi_series series = follow(&hand);
    uint32_t split = 0, gone = 0, new = 0;
    for (uint32_t i = 0; i < series.edge_count; i++) {
        const struct mi_edge_change *edge = &series.edges[i];
        split += edge->is_gone && edge->by == series.track_of[6];
        gone += edge->is_gone && !edge->by;
        new += !edge->is_gone;
    }
    assert_int_equal(split, 1);
    assert_int_equal(gone, 1);
    assert_int_equal(new, 3);
    mi_series_fini(&series);
    mi_model_fini(&hand.model);
}

/* --- events of planned tasks --- */

static uint32_t planned(struct hand *hand, const char *type, int64_t event)
{
    return mi_add_planned(&hand->model.all, &(struct mi_planned_row){.graph = hand->graph,
                                                                     .type = hand_str(hand, type),
                                                                     .kind = MI_TASK_SYNC,
                                                                     .event = event,
                                                                     .label = -1,
                                                                     .op_index = -1,
                                                                     .block_dim = -1,
                                                                     .record_offset = -1})
        .v;
}

/* --- memory --- */

/* Runs a pass with the n-th allocation failing; true once n is beyond the last. */
static bool survives(const struct hand *hand, const struct mi_pass *pass, const char *name, long n)
{
    struct mi_arg arg = {.param = &pass->params[0], .text = name};
    struct mi_args args = {.list = &arg, .count = name ? 1 : 0};
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    mi_report_init(&report);
    alloc_left = n;
    bool ok = pass->run(&hand->model, &args, &report, &err);
    bool is_over = alloc_left > 0;
    alloc_left = -1;
    assert_int_equal(err.code, ok ? MI_OK : MI_ENOMEM);
    if (is_over)
        assert_true(ok && !report.failed);
    mi_report_fini(&report);
    return is_over;
}

static void memory_runs_out(void **state)
{
    (void)state;
    struct hand hand;
    uint32_t a, b;
    hand_init(&hand);
    dump(&hand, "ge_proto_1_A.txt", "A", 1);
    hand_node(&hand, "a", "Relu", "float32", nothing, &a);
    hand_node(&hand, "b", "Add", "float32", (uint32_t[4]){a}, &b);
    hand_node(&hand, "c", "Add", "float32", (uint32_t[4]){b}, NULL);
    dump(&hand, "ge_proto_2_B.txt", "B", 2);
    hand_node(&hand, "a", "Relu", "float16", nothing, &a);
    hand_node(&hand, "t", "Cast", "float32", (uint32_t[4]){a}, &b);
    uint32_t bc = hand_node(&hand, "bc", "Add", "float32", (uint32_t[4]){b}, NULL);
    record(&hand, bc, "b");
    record(&hand, bc, "c");
    planned(&hand, "EVENT_RECORD", 1);
    planned(&hand, "EVENT_WAIT", 1);
    hand_finish(&hand);
    const struct {
        const struct mi_pass *pass;
        const char *name;
    } runs[] = {{&mi_pass_stages, NULL}, {&mi_pass_stages, "b"}, {&mi_pass_stages, "*c"},
                {&mi_pass_show, "b"},    {&mi_pass_plan, NULL},  {&mi_pass_check, NULL}};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        long n = 0;
        while (!survives(&hand, runs[i].pass, runs[i].name, n))
            n++;
        assert_true(n > 1);
    }
    mi_model_fini(&hand.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_stages_no_series), cmocka_unit_test(fused_and_cast),
        cmocka_unit_test(renamed_or_split),    cmocka_unit_test(neighbours_tell),
        cmocka_unit_test(parts_lack),          cmocka_unit_test(builds_apart),
        cmocka_unit_test(odd_names),           cmocka_unit_test(edges_split),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
