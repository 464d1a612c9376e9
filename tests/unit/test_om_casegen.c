/* Offline models made by the generator of cases, compared with what it says is in them: all kinds
 * of networks, both headers, both widths of tables, compressed or not, several streams, branches.
 * Skipped where the generator or Python is not at hand. */
#include "ge_find.h"

#include "casegen.h"

static const char *const recipes[] = {
    "--family cnn --size 60 --seed 101",
    "--family transformer --size 120 --seed 102 --om-header old --om-table 32",
    "--family moe --size 150 --seed 103 --om-table 32",
    "--family branchy --size 90 --seed 104 --streams 3 --no-compress",
    "--family custom --size 60 --seed 105 --cmo",
    "--family gated --size 100 --seed 106 --streams 4 --event-reuse --cmo --om-header old",
    "--family towers --size 80 --seed 107 --no-origin 0.5 --memcpy-output",
    "--family wide --size 200 --seed 108 --rename 0.3 --insert 0.2",
    "--family chain --size 300 --seed 109 --dtype float16",
};

/* --- counts of the file --- */

static void check_counts(const struct reading *r, const json_t *om)
{
    const struct mi_tables *rows = &r->batch.rows;
    struct edges edges = count_edges(r, 0);
    assert_int_equal(rows->nodes.count - 1, casegen_number(om, "ops"));
    assert_int_equal(rows->graphs.count - 1, casegen_number(om, "graphs"));
    assert_int_equal(edges.data, casegen_number(om, "data_edges"));
    assert_int_equal(edges.control, casegen_number(om, "control_edges"));
    assert_int_equal(edges.empty, casegen_number(om, "empty_inputs"));
    assert_int_equal(edges.dangling, 0);
    assert_int_equal(rows->planned.count - 1, casegen_number(om, "tasks"));
    assert_int_equal(r->batch.counts.in, casegen_number(om, "ops") + casegen_number(om, "tasks"));
    assert_int_equal(r->batch.counts.kept, r->batch.counts.in);
    const char *op;
    json_t *count;
    json_object_foreach(json_object_get(om, "op_types"), op, count)
        assert_int_equal(count_ops(r, op), json_integer_value(count));
    json_object_foreach(json_object_get(om, "task_types"), op, count)
    {
        const struct mi_ge_task_type *type = mi_ge_task_type(atoi(op));
        assert_int_equal(count_tasks(r, type->name), json_integer_value(count));
    }
    char kernels[32];
    snprintf(kernels, sizeof kernels, "%lld", (long long)casegen_number(om, "kernels"));
    assert_text(r, fact_named(r, "kernels"), kernels);
    for (uint32_t d = 1; d < rows->diags.count; d++)
        if (rows->diags.severity[d] >= MI_NOTICE)
            fail_msg("%s", (const char *)mi_batch_text(&r->batch, rows->diags.text[d]).at);
}

/* --- each node --- */

static void check_names(const struct reading *r, uint32_t node, const json_t *truth)
{
    const struct mi_recorded *recorded = &r->batch.rows.recorded;
    const json_t *origins = json_object_get(truth, "origins");
    size_t count = json_array_size(origins), found = 0;
    for (uint32_t i = 1; i < recorded->count; i++) {
        if (recorded->node[i].v != node)
            continue;
        bool is_origin = false;
        for (size_t k = 0; k < count; k++)
            is_origin = is_origin || text_is(r, recorded->name[i],
                                             json_string_value(json_array_get(origins, k)));
        assert_true(is_origin);
        found++;
    }
    bool is_recorded = json_is_true(json_object_get(truth, "origins_recorded"));
    if (count > 1)
        assert_int_equal(found, is_recorded ? count : 0);
}

static void check_tensor(const struct reading *r, uint32_t node, const json_t *truth)
{
    const struct mi_values *values = &r->batch.rows.values;
    const char *dtype = casegen_text(truth, "dtype");
    if (!r->batch.rows.nodes.out_count[node] || !*dtype)
        return;
    uint32_t value = output_of(r, node, 0);
    if (text_is(r, values->type[value], "control"))
        return;
    assert_text(r, values->dtype[value], mi_ge_dtype_of_name(mi_cstr(dtype)));
    assert_text(r, values->format[value], casegen_text(truth, "format"));
}

static void check_node(const struct reading *r, uint32_t node, const json_t *truth)
{
    const struct mi_tables *rows = &r->batch.rows;
    assert_text(r, rows->nodes.op[node], casegen_text(truth, "type"));
    assert_int_equal(rows->nodes.native_id[node], casegen_number(truth, "id"));
    if (strcmp(casegen_text(truth, "type"), "If") != 0)
        assert_int_equal(rows->nodes.stream[node], casegen_number(truth, "stream"));
    check_names(r, node, truth);
    check_tensor(r, node, truth);
    const char *kernel = casegen_text(truth, "kernel");
    const json_t *tasks = json_object_get(truth, "model_tasks");
    for (size_t k = 0; k < json_array_size(tasks); k++) {
        uint32_t task = (uint32_t)json_integer_value(json_array_get(tasks, k)) + 1;
        assert_in_range(task, 1, rows->planned.count - 1);
        assert_int_equal(rows->planned.op_name[task].v, rows->nodes.name[node].v);
        if (rows->planned.op_index[task] >= 0)
            assert_int_equal(rows->planned.op_index[task], rows->nodes.native_id[node]);
        assert_int_equal(rows->planned.stream[task], casegen_number(truth, "stream"));
        if (text_is(r, rows->planned.type[task], "KERNEL"))
            assert_text(r, rows->planned.kernel[task], kernel);
    }
}

static void check_nodes(const struct reading *r, const json_t *truth)
{
    const json_t *compiled = json_object_get(truth, "compiled");
    size_t count = json_array_size(compiled);
    for (size_t i = 0; i < count; i++) {
        const json_t *entry = json_array_get(compiled, i);
        uint32_t node = 0;
        for (uint32_t n = 1; n < r->batch.rows.nodes.count && !node; n++)
            if (text_is(r, r->batch.rows.nodes.name[n], casegen_text(entry, "node")) &&
                r->batch.rows.nodes.native_id[n] == casegen_number(entry, "id"))
                node = n;
        if (!node)
            fail_msg("no node %s", casegen_text(entry, "node"));
        check_node(r, node, entry);
    }
}

static void check_case(const char *folder, const json_t *truth)
{
    struct reading r;
    char path[512];
    snprintf(path, sizeof path, "%s/model.om", folder);
    assert_true(reading_file(&r, NULL, path));
    assert_true(r.ok);
    check_counts(&r, json_object_get(json_object_get(truth, "files"), "model.om"));
    check_nodes(&r, truth);
    reading_fini(&r);
}

static void as_the_generator_says(void **state)
{
    (void)state;
    casegen_each(recipes, sizeof recipes / sizeof *recipes, "--stages none", check_case);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_generator_says)};
    return cmocka_run_group_tests(tests, casegen_setup, casegen_teardown);
}
