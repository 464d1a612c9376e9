/* Dumps of all stages made by the generator of cases, compared with what it says is in them, and
 * the last one with the offline model of the same build. Skipped where the generator or Python is
 * not at hand. */
#include "ge_find.h"

#include "casegen.h"

static const char *const recipes[] = {
    "--family cnn --size 60 --seed 201",
    "--family transformer --size 120 --seed 202 --dump-naming new --crlf",
    "--family moe --size 150 --seed 203 --detail compact",
    "--family branchy --size 90 --seed 204 --streams 3 --detail full",
    "--family gated --size 100 --seed 205 --streams 4 --event-reuse",
    "--family towers --size 80 --seed 206 --no-origin 0.5",
    "--family custom --size 60 --seed 207 --dump-naming new",
};

/* The file of a case, recognised by its content. */
static void open_case(struct reading *r, const char *folder, const char *sub, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", folder, sub, name);
    if (!reading_file(r, NULL, path))
        fail_msg("%s: not recognised", path);
    if (!r->ok)
        fail_msg("%s: %s", path, r->err.text);
    for (uint32_t d = 1; d < r->batch.rows.diags.count; d++)
        if (r->batch.rows.diags.severity[d] >= MI_NOTICE)
            fail_msg("%s: %s", path,
                     (const char *)mi_batch_text(&r->batch, r->batch.rows.diags.text[d]).at);
}

/* A node by name; 0: there is none. */
static uint32_t find_node(const struct reading *r, struct mi_bytes name)
{
    const struct mi_nodes *nodes = &r->batch.rows.nodes;
    for (uint32_t n = 1; n < nodes->count; n++)
        if (mi_bytes_equal(mi_batch_text(&r->batch, nodes->name[n]), name))
            return n;
    return 0;
}

/* --- a stage and the one before --- */

static void check_missing(const struct reading *from, const struct reading *in, const json_t *truth,
                          const char *key)
{
    const json_t *list = json_object_get(truth, key);
    size_t count = 0;
    for (uint32_t n = 1; n < from->batch.rows.nodes.count; n++)
        count += !find_node(in, mi_batch_text(&from->batch, from->batch.rows.nodes.name[n]));
    assert_int_equal(count, json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct mi_bytes name = mi_cstr(json_string_value(json_array_get(list, i)));
        assert_true(find_node(from, name) && !find_node(in, name));
    }
}

static void check_retyped(const struct reading *before, const struct reading *now,
                          const json_t *truth)
{
    size_t count = 0;
    for (uint32_t n = 1; n < now->batch.rows.nodes.count; n++) {
        uint32_t old = find_node(before, mi_batch_text(&now->batch, now->batch.rows.nodes.name[n]));
        count +=
            old && !mi_bytes_equal(mi_batch_text(&before->batch, before->batch.rows.nodes.op[old]),
                                   mi_batch_text(&now->batch, now->batch.rows.nodes.op[n]));
    }
    assert_int_equal(count, json_array_size(json_object_get(truth, "retyped")));
}

static void check_fused(const struct reading *r, const json_t *truth)
{
    const struct mi_recorded *recorded = &r->batch.rows.recorded;
    const json_t *list = json_object_get(truth, "fused");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i), *names = json_array_get(pair, 1);
        uint32_t node = node_named(r, json_string_value(json_array_get(pair, 0)));
        size_t found = 0;
        for (uint32_t k = 1; k < recorded->count; k++)
            for (size_t j = 0; recorded->node[k].v == node && j < json_array_size(names); j++)
                found += text_is(r, recorded->name[k], json_string_value(json_array_get(names, j)));
        /* Names may be hidden on purpose, but all of a node or none. */
        assert_true(found == 0 || found == json_array_size(names));
    }
}

static void check_stage(const struct reading *r, const json_t *truth)
{
    const struct mi_tables *rows = &r->batch.rows;
    assert_int_equal(rows->nodes.count - 1, casegen_number(truth, "file_ops"));
    assert_int_equal(r->batch.counts.kept, casegen_number(truth, "file_ops"));
    assert_int_equal(count_edges(r, 0).dangling, 0);
    for (uint32_t g = 1; g < rows->graphs.count; g++)
        assert_text(r, rows->graphs.stage[g], casegen_text(truth, "stage"));
}

static void check_stages(const char *folder, const json_t *truth)
{
    struct reading before = {.ok = false}, now;
    const json_t *stages = json_object_get(truth, "stages");
    assert_true(json_array_size(stages) > 1);
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *stage = json_array_get(stages, i);
        open_case(&now, folder, "ge_dump/", casegen_text(stage, "file"));
        check_stage(&now, stage);
        if (i > 0) {
            assert_true(now.batch.rows.graphs.stage_index[1] >
                        before.batch.rows.graphs.stage_index[1]);
            check_missing(&now, &before, stage, "inserted");
            check_missing(&before, &now, stage, "removed");
            check_retyped(&before, &now, stage);
            check_fused(&now, stage);
            reading_fini(&before);
        }
        before = now;
    }
    reading_fini(&before);
}

/* --- the last stage, as text, dressed up as ONNX, and as .om --- */

static bool same_text(const struct reading *a, mi_str_id x, const struct reading *b, mi_str_id y)
{
    return mi_bytes_equal(mi_batch_text(&a->batch, x), mi_batch_text(&b->batch, y));
}

static void assert_same_inputs(const struct reading *a, uint32_t x, const struct reading *b,
                               uint32_t y)
{
    const struct mi_tables *p = &a->batch.rows, *q = &b->batch.rows;
    assert_int_equal(p->nodes.in_count[x], q->nodes.in_count[y]);
    for (uint32_t i = 0; i < p->nodes.in_count[x]; i++) {
        uint32_t v = in_value(a, x, i), w = in_value(b, y, i);
        assert_int_equal(!v, !w);
        assert_true(same_text(a, p->values.name[v], b, q->values.name[w]));
        assert_int_equal(p->values.kind[v], q->values.kind[w]);
    }
}

/* Same nodes in the same order, with the same edges, types and streams. */
static void assert_same_graphs(const struct reading *a, const struct reading *b)
{
    const struct mi_tables *p = &a->batch.rows, *q = &b->batch.rows;
    assert_int_equal(p->nodes.count, q->nodes.count);
    assert_int_equal(p->graphs.count, q->graphs.count);
    for (uint32_t n = 1; n < p->nodes.count; n++) {
        uint32_t twin = find_node(b, mi_batch_text(&a->batch, p->nodes.name[n]));
        assert_int_not_equal(twin, 0);
        assert_true(same_text(a, p->nodes.op[n], b, q->nodes.op[twin]));
        assert_int_equal(p->nodes.native_id[n], q->nodes.native_id[twin]);
        assert_int_equal(p->nodes.stream[n], q->nodes.stream[twin]);
        assert_same_inputs(a, n, b, twin);
        for (uint32_t i = 0; i < p->nodes.out_count[n] && i < q->nodes.out_count[twin]; i++) {
            uint32_t v = out_value(a, n, i), w = out_value(b, twin, i);
            assert_true(same_text(a, p->values.dtype[v], b, q->values.dtype[w]));
            assert_true(same_text(a, p->values.format[v], b, q->values.format[w]));
            assert_int_equal(p->values.dim_count[v], q->values.dim_count[w]);
        }
    }
}

static void check_build(const char *folder, const json_t *truth)
{
    const json_t *stages = json_object_get(truth, "stages");
    const json_t *last = json_array_get(stages, json_array_size(stages) - 1);
    struct reading proto, onnx, om;
    open_case(&proto, folder, "ge_dump/", casegen_text(last, "file"));
    open_case(&onnx, folder, "ge_dump/", casegen_text(last, "onnx_file"));
    open_case(&om, folder, "", "model.om");
    assert_int_equal(onnx.batch.rows.nodes.count - 1, casegen_number(last, "onnx_nodes"));
    assert_int_equal(onnx.batch.rows.graphs.count - 2, casegen_number(last, "onnx_subgraphs"));
    assert_same_graphs(&proto, &om);
    assert_int_equal(proto.batch.rows.recorded.count, om.batch.rows.recorded.count);
    if (onnx.batch.rows.values.dtype[out_value(&onnx, 1, 0)].v) /* else only names and edges */
        assert_same_graphs(&proto, &onnx);
    reading_fini(&proto);
    reading_fini(&onnx);
    reading_fini(&om);
}

static void check_case(const char *folder, const json_t *truth)
{
    check_stages(folder, truth);
    check_build(folder, truth);
}

static void as_the_generator_says(void **state)
{
    (void)state;
    casegen_each(recipes, sizeof recipes / sizeof *recipes, "--stages all", check_case);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_generator_says)};
    return cmocka_run_group_tests(tests, casegen_setup, casegen_teardown);
}
