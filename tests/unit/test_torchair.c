/* What TorchAir writes: its graph in three forms, and FX graphs in logs. */
#include "onnx_find.h"

#include <stdio.h>

static void open_data(struct reading *r, const char *below, const char *reader)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/%s", MI_SOURCE_DIR, below);
    if (!reading_file(r, mi_reader_find(reader), path))
        fail_msg("no file %s", path);
    if (!r->ok)
        fail_msg("%s", r->err.text);
}

static void check_add(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t add = node_named(r, "Add"), end = node_named(r, "NetOutput");
    uint32_t x = in_value(r, add, 0);
    assert_int_equal(rows->nodes.count - 1, 3);
    assert_int_equal(rows->nodes.native_id[add], -1);
    assert_int_equal(rows->nodes.stream[add], -1);
    assert_text(r, rows->graphs.stage[1], "dynamo_original_graph");
    assert_int_equal(rows->graphs.stage_index[1], 1);
    assert_int_equal(rows->graphs.layer[1], MI_LAYER_COMPILED);
    assert_text(r, rows->nodes.name[rows->values.producer[x].v], "x");
    assert_text(r, rows->values.dtype[x], "float32");
    assert_int_equal(rows->values.dim_count[x], 1);
    assert_int_equal(rows->dims.size[rows->values.first_dim[x]], 2);
    assert_int_equal(rows->nodes.in_count[end], 2);
    assert_false(rows->ports.is_control[rows->nodes.first_in[end]]);
    assert_true(rows->ports.is_control[rows->nodes.first_in[end] + 1]);
    assert_int_equal(rows->attrs.kind[attr_named(r, node_named(r, "x"), "index")], MI_ATTR_INT);
}

/* A GraphDef without the model around it. */
static void bare_text(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "ge_proto/dynamo_original_graph_1_rank_0_pid_7_ts_20250101000000000.txt",
              "ge_proto");
    check_add(&r);
    assert_text(&r, r.batch.rows.graphs.name[1], "graph_1");
    reading_fini(&r);
}

/* The same for TensorBoard, with text in its attributes. */
static void for_tensorboard(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "torchair_pbtxt/dynamo_original_graph_1_rank_0_pid_7_ts_20250101000000000.pbtxt",
              "torchair_pbtxt");
    check_add(&r);
    uint32_t a = attr_named(&r, node_named(&r, "Add"), "sizes");
    assert_int_equal(r.batch.rows.attrs.kind[a], MI_ATTR_INTS);
    assert_int_equal(r.batch.rows.items.int_value[item(&r, a, 1)], 4);
    reading_fini(&r);
    reading_bytes(
        &r, mi_reader_find("torchair_pbtxt"),
        mi_cstr("node { name: 'a' op: 'A' attr { key: '[o]y' value { s: 'shape { dim' } }\n"
                "attr { key: 'k' value { s: 'i: 1 }' } } }"),
        NULL, NULL);
    assert_true(r.ok);
    assert_int_equal(reading_diag(&r, "torchair.attr_broken"), 2);
    assert_int_equal(r.batch.rows.nodes.count - 1, 1);
    reading_fini(&r);
}

#define PY "torchair_py/dynamo_optimized_graph_1_rank_0_pid_7_ts_20250101000000001.py"

/* The FX graph of the comments. */
static void fx_of_python(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, PY, "torchair_py");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->graphs.count - 1, 2);
    assert_int_equal(rows->graphs.layer[1], MI_LAYER_FRAMEWORK);
    assert_int_equal(rows->graphs.in_count[1], 2);
    assert_int_equal(rows->graphs.out_count[1], 1);
    assert_text(&r, rows->values.name[rows->ports.value[rows->graphs.first_out[1]].v], "scaled");
    uint32_t mm = node_named(&r, "mm"), cat = node_named(&r, "cat"), a;
    assert_text(&r, rows->nodes.op[mm], "aten.mm.default");
    assert_int_equal(rows->nodes.in_count[mm], 2);
    uint32_t x = in_value(&r, mm, 0);
    assert_int_equal(rows->values.kind[x], MI_VALUE_INPUT);
    assert_text(&r, rows->values.dtype[x], "float16");
    assert_text(&r, rows->dims.symbol[rows->values.first_dim[x]], "s0");
    assert_int_equal(rows->dims.size[rows->values.first_dim[x] + 1], 2);
    assert_int_equal(rows->nodes.in_count[cat], 2);
    assert_int_equal(in_value(&r, cat, 1), out_value(&r, mm, 0));
    a = attr_named(&r, mm, "source_line");
    assert_int_equal(rows->items.int_value[item(&r, a, 0)], 24);
    a = attr_named(&r, cat, "source_file");
    assert_text(&r, rows->items.text[item(&r, a, 0)], "/src/app/net, really.py");
    a = attr_named(&r, cat, "source_code");
    assert_text(&r, rows->items.text[item(&r, a, 0)], "return y.split(2, dim=-1)");
    a = attr_named(&r, node_named(&r, "scaled"), "tag");
    assert_text(&r, rows->items.text[item(&r, a, 0)], "a, b");
    reading_fini(&r);
}

static uint32_t node_of_graph(const struct reading *r, uint32_t graph, const char *name)
{
    const struct mi_nodes *nodes = &r->batch.rows.nodes;
    for (uint32_t n = 1; n < nodes->count; n++)
        if (nodes->graph[n].v == graph && text_is(r, nodes->name[n], name))
            return n;
    fail_msg("no node %s", name);
    return 0;
}

static const char *const pairs[][2] = {{"Transpose", "mm"},
                                       {"MatMulV2", "mm"},
                                       {"SplitV", "split"},
                                       {"ConcatV2", "cat"},
                                       {"Mul", "scaled"}};

/* The GE graph of the calls, and which FX node each call was made for. */
static void ge_of_python(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, PY, "torchair_py");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->graphs.layer[2], MI_LAYER_COMPILED);
    assert_text(&r, rows->graphs.stage[2], "dynamo_optimized_graph");
    uint32_t matmul = node_of_graph(&r, 2, "MatMulV2"), concat = node_of_graph(&r, 2, "ConcatV2");
    uint32_t x = node_of_graph(&r, 2, "x");
    assert_int_equal(rows->nodes.in_count[matmul], 4);
    assert_int_equal(in_value(&r, matmul, 2), 0);
    assert_int_equal(in_value(&r, matmul, 0), out_value(&r, x, 0));
    assert_text(&r, rows->values.dtype[out_value(&r, x, 0)], "float16");
    assert_int_equal(rows->dims.size[rows->values.first_dim[out_value(&r, x, 0)]], -1);
    assert_text(&r, rows->values.name[in_value(&r, concat, 0)], "SplitV:1");
    assert_int_equal(rows->nodes.in_count[concat], 3);
    assert_true(rows->ports.is_control[rows->nodes.first_in[concat] + 2]);
    size_t count = sizeof pairs / sizeof *pairs;
    assert_int_equal(rows->recorded.count - 1, count);
    assert_int_equal(rows->lowering_notes.count - 1, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(rows->recorded.node[i + 1].v, node_of_graph(&r, 2, pairs[i][0]));
        assert_text(&r, rows->recorded.name[i + 1], pairs[i][1]);
        assert_text(&r, rows->recorded.via[i + 1], "fx_code");
        assert_int_equal(rows->lowering_notes.framework[i + 1].v,
                         node_of_graph(&r, 1, pairs[i][1]));
        assert_text(&r, rows->lowering_notes.compiled_name[i + 1], pairs[i][0]);
    }
    reading_fini(&r);
}

static void broken_python(void **state)
{
    (void)state;
    struct reading r;
    reading_bytes(&r, mi_reader_find("torchair_py"),
                  mi_cstr("# File nothing\n## FX Code: no call\n## FX Code: a = f(b, \"\n"
                          "## FX Code: c = f(%s, (, ]\nx = ge.\n y_0, _ = ge.A(q, [1, x], k=)\n"
                          "# File \"/p\", line x, in\n## FX Code: d: torch.int64[2 = g(c)"),
                  NULL, NULL);
    assert_true(r.batch.counts.lost > 0);
    assert_int_equal(reading_diag(&r, "torchair.fx_broken"), r.batch.counts.lost);
    assert_text(&r, r.batch.rows.nodes.op[node_named(&r, "A")], "A");
    reading_fini(&r);
    reading_bytes(&r, mi_reader_find("torchair_py"), mi_cstr("import ge\n"), NULL, NULL);
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_EFORMAT);
    reading_fini(&r);
}

/* FX graphs among the lines of a log. */
static void fx_in_log(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "fx_text/log.txt", "fx_text");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->graphs.count - 1, 2);
    assert_int_equal(rows->nodes.count - 1, 3);
    uint32_t mm = node_named(&r, "mm"), cat = node_named(&r, "cat"), a;
    assert_int_equal(rows->values.kind[in_value(&r, mm, 0)], MI_VALUE_INPUT);
    assert_int_equal(rows->values.kind[in_value(&r, mm, 1)], MI_VALUE_CONSTANT);
    assert_int_equal(rows->nodes.in_count[cat], 3);
    assert_int_equal(in_value(&r, cat, 2), out_value(&r, mm, 0));
    a = attr_named(&r, cat, "tag");
    assert_int_equal(rows->items.int_value[item(&r, a, 0)], 3);
    a = attr_named(&r, cat, "arg1");
    assert_int_equal(rows->items.int_value[item(&r, a, 0)], -1);
    assert_text(&r, rows->nodes.op[node_named(&r, "relu")], "relu");
    assert_int_equal(rows->graphs.out_count[1], 1);
    assert_int_equal(rows->graphs.out_count[2], 0);
    reading_fini(&r);
}

/* The graph before it is compiled, in binary. */
static void air(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "air/net.air", "air");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->graphs.layer[1], MI_LAYER_FRAMEWORK);
    assert_int_equal(rows->nodes.count - 1, 4);
    uint32_t weight = out_value(&r, node_named(&r, "w"), 0);
    assert_int_equal(in_value(&r, node_named(&r, "y"), 1), weight);
    assert_int_equal(rows->values.kind[weight], MI_VALUE_CONSTANT);
    assert_text(&r, rows->values.data_path[weight], "weight/w.bin");
    assert_int_equal(rows->values.data_bytes[weight], 4);
    assert_int_equal(rows->values.data_offset[weight], 0);
    assert_text(&r, rows->values.dtype[weight], "float16");
    assert_int_equal(rows->nodes.native_id[1], -1);
    assert_fact(&r, "model_name", "model");
    assert_fact(&r, "framework", "MindSpore");
    reading_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bare_text),     cmocka_unit_test(for_tensorboard),
        cmocka_unit_test(fx_of_python),  cmocka_unit_test(ge_of_python),
        cmocka_unit_test(broken_python), cmocka_unit_test(fx_in_log),
        cmocka_unit_test(air),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
