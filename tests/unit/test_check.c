/* The migration check on graphs built by hand: what is told alone, what is a setting of the
 * compiler, and what is no difference. */
#include "analyse/pass.h"
#include "base/mem.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const uint32_t nothing[4] = {0};

enum { CHAIN = 6 };

/* A chain of ops in both layers, each op linked to its node. */
struct chain {
    struct hand hand;
    uint32_t op[CHAIN], node[CHAIN], tensor[CHAIN], carrier[CHAIN];
};

static uint32_t add_value_shape(struct hand *hand, uint32_t value, int64_t rows, int64_t columns)
{
    struct mi_values *values = &hand->model.all.rows.values;
    values->has_shape[value] = true;
    values->first_dim[value] = mi_next_row(&hand->model.all, dims);
    values->dim_count[value] = 2;
    mi_add_dim(&hand->model.all, &(struct mi_dim_row){.size = rows});
    mi_add_dim(&hand->model.all, &(struct mi_dim_row){.size = columns});
    return value;
}

static void link(struct hand *hand, uint32_t op, uint32_t node)
{
    mi_add_lowered(&hand->model.all, &(struct mi_lowered_row){.framework = {op},
                                                              .compiled = {node},
                                                              .role = MI_ROLE_COMPUTED,
                                                              .confidence = MI_CERTAIN});
}

static struct chain begin(const char *before, const char *const after[CHAIN])
{
    struct chain chain;
    hand_init(&chain.hand);
    hand_graph(&chain.hand, MI_LAYER_FRAMEWORK, 0);
    for (int i = 0; i < CHAIN; i++) {
        char name[8];
        snprintf(name, sizeof name, "op%d", i);
        chain.op[i] = hand_node(&chain.hand, name, "Relu", before,
                                i ? (uint32_t[4]){chain.tensor[i - 1]} : nothing, &chain.tensor[i]);
        add_value_shape(&chain.hand, chain.tensor[i], 2, 3);
    }
    hand_graph(&chain.hand, MI_LAYER_COMPILED, 0);
    for (int i = 0; i < CHAIN; i++) {
        char name[8];
        snprintf(name, sizeof name, "node%d", i);
        chain.node[i] =
            hand_node(&chain.hand, name, "Relu", after[i],
                      i ? (uint32_t[4]){chain.carrier[i - 1]} : nothing, &chain.carrier[i]);
        link(&chain.hand, chain.op[i], chain.node[i]);
    }
    return chain;
}

static struct mi_report check(struct chain *chain)
{
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    hand_finish(&chain->hand);
    mi_report_init(&report);
    assert_true(mi_pass_check.run(&chain->hand.model, NULL, &report, &err));
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

/* How many rows have that severity and change; *node is the op of the last of them. */
static uint32_t rows(const struct mi_report *report, const char *severity, const char *change,
                     int64_t *node)
{
    const struct mi_report_table *table = table_of(report, "changes");
    uint32_t count = 0;
    for (uint32_t r = 0; r < table->row_count; r++) {
        const struct mi_cell *row = &table->cells[(size_t)r * table->column_count];
        if (strcmp(row[0].word, severity) != 0 || strcmp(row[1].word, change) != 0)
            continue;
        count++;
        if (node)
            *node = row[2].number;
    }
    return count;
}

static void end(struct chain *chain, struct mi_report *report)
{
    mi_report_fini(report);
    mi_model_fini(&chain->hand.model);
}

#define HALF  "float16"
#define WHOLE "float32"

static void equal_graphs_are_clean(void **state)
{
    (void)state;
    struct chain chain =
        begin(HALF, (const char *const[CHAIN]){HALF, HALF, HALF, HALF, HALF, HALF});
    struct mi_report report = check(&chain);
    assert_int_equal(table_of(&report, "changes")->row_count, 0);
    assert_int_equal(report.finding_count, 0);
    end(&chain, &report);
}

static void one_of_many_is_told_with_what_depends_on_it(void **state)
{
    (void)state;
    struct chain chain =
        begin(HALF, (const char *const[CHAIN]){HALF, HALF, WHOLE, HALF, HALF, HALF});
    int64_t node = 0;
    struct mi_report report = check(&chain);
    assert_int_equal(rows(&report, "warning", "dtype", &node), 1);
    assert_int_equal(node, chain.op[2]);
    assert_int_equal(table_of(&report, "downstream")->row_count, 3);
    assert_int_equal(table_of(&report, "changes")->row_count, 1);
    assert_int_equal(report.findings[0].severity, MI_WARNING);
    assert_int_equal(report.findings[0].node.v, chain.op[2]);
    assert_true(mi_bytes_equal(report.findings[0].args[3], MI_LIT("3")));
    end(&chain, &report);
}

static void what_most_do_is_a_setting(void **state)
{
    (void)state;
    struct chain chain =
        begin(WHOLE, (const char *const[CHAIN]){HALF, HALF, HALF, HALF, WHOLE, HALF});
    int64_t node = 0;
    struct mi_report report = check(&chain);
    assert_int_equal(rows(&report, "info", "dtype", NULL), 5);
    assert_int_equal(rows(&report, "notice", "kept_dtype", &node), 1);
    assert_int_equal(node, chain.op[4]);
    assert_int_equal(rows(&report, "warning", "dtype", NULL), 0);
    assert_int_equal(table_of(&report, "downstream")->row_count, 0);
    end(&chain, &report);
}

static void two_of_six_are_no_setting(void **state)
{
    (void)state;
    struct chain chain =
        begin(WHOLE, (const char *const[CHAIN]){HALF, WHOLE, WHOLE, HALF, WHOLE, WHOLE});
    struct mi_report report = check(&chain);
    assert_int_equal(rows(&report, "warning", "dtype", NULL), 2);
    assert_int_equal(rows(&report, "notice", "kept_dtype", NULL), 0);
    assert_int_equal(table_of(&report, "downstream")->row_count, 5);
    end(&chain, &report);
}

/* Other numbers of elements are an error; unknown sizes, dropped ones and other orders are none. */
static void shapes(void **state)
{
    (void)state;
    struct chain chain =
        begin(HALF, (const char *const[CHAIN]){HALF, HALF, HALF, HALF, HALF, HALF});
    int64_t node = 0;
    add_value_shape(&chain.hand, chain.carrier[0], 2, 3);
    add_value_shape(&chain.hand, chain.carrier[1], 2, 4);
    add_value_shape(&chain.hand, chain.carrier[2], -1, 4);
    add_value_shape(&chain.hand, chain.carrier[3], 3, 2);
    add_value_shape(&chain.hand, chain.carrier[4], 16, 16);
    chain.hand.model.all.rows.values.format[chain.carrier[4]] = hand_str(&chain.hand, "FRACTAL_NZ");
    struct mi_report report = check(&chain);
    assert_int_equal(rows(&report, "error", "shape", &node), 1);
    assert_int_equal(node, chain.op[1]);
    assert_int_equal(rows(&report, "info", "layout", &node), 1);
    assert_int_equal(node, chain.op[4]);
    end(&chain, &report);
}

/* The op at the end of a fused node is compared, those inside are not; records beat links. */
static void fused_and_recorded(void **state)
{
    (void)state;
    struct chain chain =
        begin(HALF, (const char *const[CHAIN]){HALF, HALF, HALF, HALF, HALF, WHOLE});
    struct mi_values *values = &chain.hand.model.all.rows.values;
    int64_t node = 0;
    link(&chain.hand, chain.op[4], chain.node[5]);
    values->origin_name[chain.carrier[5]] = hand_str(&chain.hand, "op5");
    struct mi_report report = check(&chain);
    assert_int_equal(rows(&report, "warning", "dtype", &node), 1);
    assert_int_equal(node, chain.op[5]);
    end(&chain, &report);
}

static void gone_and_added(void **state)
{
    (void)state;
    struct chain chain =
        begin(HALF, (const char *const[CHAIN]){HALF, HALF, HALF, HALF, HALF, HALF});
    struct mi_batch *all = &chain.hand.model.all;
    int64_t node = 0;
    mi_add_fate(all, &(struct mi_fate_row){.node = {chain.op[3]},
                                           .fate = MI_FATE_REMOVED,
                                           .reason = MI_REASON_UNLINKED});
    mi_add_fate(all, &(struct mi_fate_row){.node = {chain.op[4]},
                                           .fate = MI_FATE_REMOVED,
                                           .reason = MI_REASON_IDENTITY});
    mi_add_fate(all, &(struct mi_fate_row){.node = {chain.op[0]}, /* reads nothing: an input */
                                           .fate = MI_FATE_REMOVED,
                                           .reason = MI_REASON_UNLINKED});
    mi_add_birth(all, &(struct mi_birth_row){.node = {chain.node[5]},
                                             .origin = MI_ORIGIN_INSERTED,
                                             .serves = {chain.carrier[4]}});
    struct mi_report report = check(&chain);
    assert_int_equal(rows(&report, "warning", "vanished", &node), 1);
    assert_int_equal(node, chain.op[3]);
    assert_int_equal(rows(&report, "info", "removed", &node), 1);
    assert_int_equal(node, chain.op[4]);
    assert_int_equal(rows(&report, "notice", "added", &node), 1);
    assert_int_equal(node, chain.op[4]);
    end(&chain, &report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_graphs_are_clean),
        cmocka_unit_test(one_of_many_is_told_with_what_depends_on_it),
        cmocka_unit_test(what_most_do_is_a_setting),
        cmocka_unit_test(two_of_six_are_no_setting),
        cmocka_unit_test(shapes),
        cmocka_unit_test(fused_and_recorded),
        cmocka_unit_test(gone_and_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
