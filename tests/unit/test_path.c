/* Dependencies and paths: who is ancestor of whom, across bodies and in damaged graphs, how many
 * paths there are, which chain is longest, where the element type changes. */
#include "analyse/deps.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "base/mem.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

static const uint32_t nothing[4] = {0};

/* --- the pass --- */

static struct mi_report run_path(const struct hand *hand, const char *name, bool expect)
{
    struct mi_arg arg = {.param = &mi_params_path[0], .text = name};
    struct mi_args args = {.list = &arg, .count = 1};
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    mi_report_init(&report);
    assert_int_equal(mi_pass_path.run(&hand->model, &args, &report, &err), expect);
    assert_int_equal(err.code == MI_OK, expect);
    return report;
}

static const struct mi_report_table *table_of(const struct mi_report *report, const char *name)
{
    for (uint32_t t = 0; t < report->table_count; t++)
        if (strcmp(report->tables[t].name, name) == 0)
            return &report->tables[t];
    fail_msg("no table %s", name);
    return NULL;
}

static const struct mi_cell *cell_of(const struct mi_report_table *table, uint32_t row,
                                     const char *column)
{
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

/* Names of the nodes of the cone in their order, each with < = or > for its place, * if in the
 * chain. */
static const char *cone_text(const struct mi_report *report)
{
    static char text[512];
    const struct mi_report_table *table = table_of(report, "nodes");
    size_t len = 0;
    text[0] = 0;
    for (uint32_t r = 0; r < table->row_count; r++) {
        const struct mi_cell *name = cell_of(table, r, "name");
        const char *relation = cell_of(table, r, "relation")->word;
        len += (size_t)snprintf(text + len, sizeof text - len, "%s%s%.*s%s", r ? " " : "",
                                strcmp(relation, "ancestor") == 0 ? "<"
                                : strcmp(relation, "itself") == 0 ? "="
                                                                  : ">",
                                (int)name->text.len, (const char *)name->text.at,
                                !cell_of(table, r, "is_in_chain")->is_none &&
                                        cell_of(table, r, "is_in_chain")->number
                                    ? "*"
                                    : "");
    }
    return text;
}

/* x -> a -> b, c -> d -> e; side -> f reads x alone; d is fed by a constant too. */
static void build_diamond(struct hand *hand)
{
    uint32_t x, a, b, c, d, k, out[8];
    hand_init(hand);
    mi_graph_id graph = hand_graph(hand, MI_LAYER_COMPILED, 0);
    x = hand_value(hand, "x", MI_VALUE_INPUT, "float32", 0);
    hand_node(hand, "k", "Constant", "float16", nothing, &k);
    out[0] = hand_node(hand, "a", "Relu", "float32", (uint32_t[4]){x}, &a);
    out[1] = hand_node(hand, "b", "Cast", "float16", (uint32_t[4]){a}, &b);
    out[2] = hand_node(hand, "c", "Cast", "float16", (uint32_t[4]){a}, &c);
    out[3] = hand_node(hand, "d", "Add", "float16", (uint32_t[4]){b, c, k}, &d);
    uint32_t e;
    out[4] = hand_node(hand, "e", "Neg", "float16", (uint32_t[4]){d}, &e);
    hand_node(hand, "f", "Neg", "float32", (uint32_t[4]){x}, NULL);
    hand_output(hand, graph, e);
    uint32_t track = hand_track(hand, "s", 0);
    static const int64_t dur_ns[] = {10, 20, 50, 5, 1};
    for (int i = 0; i < 5; i++)
        hand_executed(hand, out[i],
                      hand_task(hand, track, "t", MI_TASK_COMPUTE, 0, 100 * i, dur_ns[i], 0));
    hand_finish(hand);
}

static void a_diamond(void **state)
{
    (void)state;
    struct hand hand;
    build_diamond(&hand);
    struct mi_report report = run_path(&hand, "d", true);
    assert_string_equal(cone_text(&report), "<a* <b <c* =d* >e*");
    assert_memory_equal(fact_of(&report, "paths")->text.at, "2", 2);
    assert_int_equal(fact_of(&report, "ancestors")->number, 3);
    assert_int_equal(fact_of(&report, "descendants")->number, 1);
    assert_int_equal(fact_of(&report, "chain_ns")->number, 10 + 50 + 5 + 1);
    assert_int_equal(fact_of(&report, "dtype_changes")->number, 2);
    const struct mi_report_table *nodes = table_of(&report, "nodes");
    assert_true(
        mi_bytes_equal(cell_of(nodes, 1, "dtype_change")->text, MI_LIT("float32 -> float16")));
    assert_true(cell_of(nodes, 3, "dtype_change")->is_none);
    const struct mi_report_table *ends = table_of(&report, "graph_tensors");
    assert_int_equal(ends->row_count, 1); /* x is not listed among the graph's inputs here */
    mi_report_fini(&report);
    report = run_path(&hand, "f", true);
    assert_string_equal(cone_text(&report), "=f");
    assert_true(fact_of(&report, "chain_ns")->is_none); /* it has no task */
    mi_report_fini(&report);
    report = run_path(&hand, "nobody", false);
    mi_report_fini(&report);
    hand_fini(&hand);
}

static void link_to(struct hand *hand, uint32_t framework, uint32_t compiled, enum mi_role role)
{
    mi_add_lowered(&hand->model.all, &(struct mi_lowered_row){.framework = {framework},
                                                              .compiled = {compiled},
                                                              .role = (uint8_t)role,
                                                              .confidence = MI_LIKELY});
}

/* x -> a -> b -> c, which stands before them in the file; one compiled node computes a, b and c and
 * took in d, which reads c. Its time stands at c, once. */
static void fused_time_counts_once(void **state)
{
    (void)state;
    struct hand hand;
    uint32_t out[4], node[4], fused;
    hand_init(&hand);
    hand_graph(&hand, MI_LAYER_FRAMEWORK, 0);
    uint32_t x = hand_value(&hand, "x", MI_VALUE_INPUT, "float32", 0);
    node[2] = hand_node(&hand, "c", "Neg", "float32", (uint32_t[4]){x}, &out[2]);
    node[0] = hand_node(&hand, "a", "Neg", "float32", (uint32_t[4]){x}, &out[0]);
    node[1] = hand_node(&hand, "b", "Neg", "float32", (uint32_t[4]){out[0]}, &out[1]);
    node[3] = hand_node(&hand, "d", "Identity", "float32", (uint32_t[4]){out[2]}, &out[3]);
    struct mi_tables *rows = &hand.model.all.rows;
    rows->ports.value[rows->nodes.first_in[node[2]]].v = out[1];
    hand_graph(&hand, MI_LAYER_COMPILED, 0);
    fused = hand_node(&hand, "abc", "Fused", "float32", nothing, NULL);
    for (int i = 0; i < 3; i++)
        link_to(&hand, node[i], fused, MI_ROLE_COMPUTED);
    link_to(&hand, node[3], fused, MI_ROLE_ABSORBED);
    uint32_t track = hand_track(&hand, "s", 0);
    hand_executed(&hand, fused, hand_task(&hand, track, "t", MI_TASK_COMPUTE, 0, 0, 30, 0));
    hand_finish(&hand);
    struct mi_report report = run_path(&hand, "b", true);
    assert_string_equal(cone_text(&report), "<a* =b* >c* >d*");
    assert_int_equal(fact_of(&report, "chain_ns")->number, 30);
    const struct mi_report_table *nodes = table_of(&report, "nodes");
    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(cell_of(nodes, r, "time_ns")->is_none, r != 2);
    assert_int_equal(cell_of(nodes, 2, "time_ns")->number, 30);
    mi_report_fini(&report);
    report = run_path(&hand, "abc", true);
    assert_int_equal(fact_of(&report, "chain_ns")->number, 30);
    mi_report_fini(&report);
    hand_fini(&hand);
}

/* before -> owner(body: inner reads `before` from outside and the owner's input) -> after */
static void bodies_lie_between(void **state)
{
    (void)state;
    struct hand hand;
    hand_init(&hand);
    hand_graph(&hand, MI_LAYER_FRAMEWORK, 0);
    uint32_t x = hand_value(&hand, "x", MI_VALUE_INPUT, "", 0), before, fed, owner_out;
    hand_node(&hand, "before", "Relu", "", (uint32_t[4]){x}, &before);
    hand_node(&hand, "feeds", "Relu", "", (uint32_t[4]){x}, &fed);
    uint32_t owner = hand_node(&hand, "owner", "Loop", "", (uint32_t[4]){fed}, &owner_out);
    hand_node(&hand, "after", "Relu", "", (uint32_t[4]){owner_out}, NULL);
    mi_graph_id body = hand_graph(&hand, MI_LAYER_FRAMEWORK, owner);
    uint32_t turn = hand_value(&hand, "turn", MI_VALUE_INPUT, "", 0), first, last;
    uint32_t outer = hand_value(&hand, "before", MI_VALUE_OUTER, "", before);
    hand_node(&hand, "first", "Add", "", (uint32_t[4]){turn, outer}, &first);
    hand_node(&hand, "last", "Neg", "", (uint32_t[4]){first}, &last);
    hand_output(&hand, body, last);
    hand_finish(&hand);
    struct mi_report report = run_path(&hand, "first", true);
    assert_string_equal(cone_text(&report), "<before <feeds =first >last >owner >after");
    assert_memory_equal(fact_of(&report, "paths")->text.at, "2", 2);
    mi_report_fini(&report);
    report = run_path(&hand, "before", true);
    assert_string_equal(cone_text(&report), "=before >first >last >owner >after");
    mi_report_fini(&report);
    report = run_path(&hand, "owner", true);
    assert_string_equal(cone_text(&report), "<before <feeds <first <last =owner >after");
    mi_report_fini(&report);
    hand_fini(&hand);
}

/* a <-> b, reached from s: terminates, says so, keeps everybody. */
static void cycles_end(void **state)
{
    (void)state;
    struct hand hand;
    hand_init(&hand);
    hand_graph(&hand, MI_LAYER_FRAMEWORK, 0);
    uint32_t s, a, b;
    hand_node(&hand, "s", "Relu", "", nothing, &s);
    uint32_t node = hand_node(&hand, "a", "Add", "", (uint32_t[4]){s, s}, &a);
    hand_node(&hand, "b", "Relu", "", (uint32_t[4]){a}, &b);
    /* the second input of a becomes b */
    struct mi_tables *rows = &hand.model.all.rows;
    rows->ports.value[rows->nodes.first_in[node] + 1].v = b;
    hand_finish(&hand);
    struct mi_report report = run_path(&hand, "s", true);
    assert_string_equal(cone_text(&report), "=s >a >b");
    assert_int_equal(report.finding_count, 1);
    assert_string_equal(report.findings[0].rule, "cycle");
    mi_report_fini(&report);
    hand_fini(&hand);
}

/* `blocks` blocks of two parallel nodes: 2^blocks paths, counted in time linear in the nodes. */
static void many_paths_are_counted(void **state)
{
    (void)state;
    static const struct {
        uint32_t blocks;
        const char *text;
    } cases[] = {{1, "2"},
                 {10, "1024"},
                 {63, "9223372036854775808"},
                 {100, "1.26e30"},
                 {20000, "3.98e6020"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct hand hand;
        hand_init(&hand);
        hand_graph(&hand, MI_LAYER_FRAMEWORK, 0);
        uint32_t at, left, right;
        hand_node(&hand, "first", "Relu", "", nothing, &at);
        for (uint32_t b = 0; b < cases[i].blocks; b++) {
            hand_node(&hand, "", "Relu", "", (uint32_t[4]){at}, &left);
            hand_node(&hand, "", "Relu", "", (uint32_t[4]){at}, &right);
            hand_node(&hand, "", "Add", "", (uint32_t[4]){left, right}, &at);
        }
        hand_finish(&hand);
        struct mi_report report = run_path(&hand, "first", true);
        const struct mi_cell *paths = fact_of(&report, "paths");
        assert_int_equal(paths->text.len, strlen(cases[i].text));
        assert_memory_equal(paths->text.at, cases[i].text, paths->text.len);
        assert_int_equal(fact_of(&report, "descendants")->number, 3 * (int64_t)cases[i].blocks);
        mi_report_fini(&report);
        hand_fini(&hand);
    }
}

static void several_of_a_name_are_refused(void **state)
{
    (void)state;
    struct hand hand;
    hand_init(&hand);
    hand_graph(&hand, MI_LAYER_FRAMEWORK, 0);
    hand_node(&hand, "n", "Relu", "", nothing, NULL);
    hand_node(&hand, "n", "Relu", "", nothing, NULL);
    hand_node(&hand, "node:1", "Relu", "", nothing, NULL);
    hand_finish(&hand);
    struct mi_report report = run_path(&hand, "n", false);
    mi_report_fini(&report);
    report = run_path(&hand, "node:2", true);
    assert_string_equal(cone_text(&report), "=n");
    mi_report_fini(&report);
    report = run_path(&hand, "node:1", true); /* a name beats a number */
    assert_string_equal(cone_text(&report), "=node:1");
    mi_report_fini(&report);
    report = run_path(&hand, "compiled:n", false);
    mi_report_fini(&report);
    hand_fini(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diamond),
        cmocka_unit_test(fused_time_counts_once),
        cmocka_unit_test(bodies_lie_between),
        cmocka_unit_test(cycles_end),
        cmocka_unit_test(many_paths_are_counted),
        cmocka_unit_test(several_of_a_name_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
