/* GE graphs in the forms for viewers and for people: small files of each. */
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

/* Fields of descriptors come one by one, sorted by name; sub-graphs as nodes that are none. */
static void as_onnx(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "ge_onnx/ge_onnx_00000002_graph_1_Build.pbtxt", "ge_onnx");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->graphs.count - 1, 2);
    assert_int_equal(rows->nodes.count - 1, 3);
    assert_text(&r, rows->graphs.name[1], "net");
    assert_text(&r, rows->graphs.name[2], "net_sub");
    uint32_t call = node_named(&r, "net_sub_PartitionedCall_0"), a;
    assert_int_equal(rows->graphs.parent[2].v, call);
    assert_int_equal(rows->nodes.native_id[call], 5);
    assert_int_equal(rows->nodes.stream[call], -1);
    assert_int_equal(rows->nodes.native_id[node_named(&r, "x")], 0);
    assert_text(&r, rows->nodes.op[call], "PartitionedCall");
    assert_text(&r, rows->values.format[in_value(&r, call, 0)], "NCHW");
    assert_int_equal(in_value(&r, call, 1), 0);
    assert_true(rows->ports.is_control[rows->nodes.first_in[call] + 2]);
    uint32_t second = out_value(&r, call, 1);
    assert_text(&r, rows->values.dtype[out_value(&r, call, 0)], "float32");
    assert_text(&r, rows->values.dtype[second], "int64");
    assert_text(&r, rows->values.origin_dtype[second], "int32");
    assert_int_equal(rows->values.dim_count[second], 1);
    a = attr_named(&r, call, "flag"); /* an INT without value */
    assert_int_equal(rows->attrs.kind[a], MI_ATTR_INT);
    assert_int_equal(rows->items.int_value[item(&r, a, 0)], 0);
    assert_int_equal(rows->attrs.item_count[attr_named(&r, call, "empty")], 0);
    a = attr_named(&r, call, "words");
    assert_text(&r, rows->items.text[item(&r, a, 1)], "b");
    a = attr_named(&r, call, "scale");
    assert_true(rows->items.real_value[item(&r, a, 0)] == 0.5);
    reading_fini(&r);
}

/* Numbers of descriptors that the file chooses do not decide what is allocated. */
static void hostile_onnx(void **state)
{
    (void)state;
    struct reading r;
    reading_bytes(
        &r, mi_reader_find("ge_onnx"),
        mi_cstr("graph { node { op_type: 'ge:A' attribute { name: 'output_desc_dtype:999999'\n"
                "s: 'DT_FLOAT' } attribute { name: 'output_desc_:1' i: 1 }\n"
                "attribute { name: 'input_desc_shape:3' ints: 'x' ints: [4, 5] type: 7 }\n"
                "attribute { name: 'output_desc_shape:4000' ints: 1 }\n"
                "attribute { g { node { } } } attribute: 1 name: 'a' }\n"
                "node { op_type: 'subgraph' name: 's' attribute { g { node { name: 'b' } } } }\n"
                "node { name: 'cut' op_type"),
        NULL, NULL);
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_ETRUNCATED);
    assert_int_equal(r.err.line, 7);
    assert_int_equal(r.batch.rows.graphs.count - 1, 2);
    assert_int_equal(r.batch.rows.nodes.count - 1, 2);
    assert_int_equal(r.batch.counts.lost, 1);
    reading_fini(&r);
}

/* An attribute that states values of several kinds has the last. */
static void mixed_onnx(void **state)
{
    (void)state;
    struct reading r;
    reading_bytes(&r, mi_reader_find("ge_onnx"),
                  mi_cstr("graph { node { op_type: 'ge:A' attribute { name: 'a' ints: [1, 2, 3]\n"
                          "strings: 'x' } attribute { name: 'b' floats: [1, 2] i: 7 }\n"
                          "attribute { name: 'c' s: 's' ints: 5 type: STRING } } }"),
                  NULL, NULL);
    const struct mi_tables *rows = &r.batch.rows;
    uint32_t a = attr_named(&r, 1, "a"), b = attr_named(&r, 1, "b"), c = attr_named(&r, 1, "c");
    assert_int_equal(rows->attrs.kind[a], MI_ATTR_STRINGS);
    assert_int_equal(rows->attrs.item_count[a], 1);
    assert_text(&r, rows->items.text[item(&r, a, 0)], "x");
    assert_int_equal(rows->attrs.kind[b], MI_ATTR_INT);
    assert_int_equal(rows->items.int_value[item(&r, b, 0)], 7);
    assert_int_equal(rows->attrs.kind[c], MI_ATTR_INTS);
    assert_int_equal(rows->items.int_value[item(&r, c, 0)], 5);
    reading_fini(&r);
}

static void readable(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "ge_readable/ge_readable_00000000_graph_0_PreRunBegin.txt", "ge_readable");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->graphs.count - 1, 4);
    assert_text(&r, rows->graphs.stage[1], "PreRunBegin");
    uint32_t top = node_named(&r, "a/b"), cond = node_named(&r, "if"), a;
    assert_text(&r, rows->nodes.op[top], "TopKV2");
    assert_int_equal(rows->nodes.in_count[top], 2);
    assert_text(&r, rows->values.name[in_value(&r, top, 1)], "c:0");
    assert_text(&r, rows->values.name[in_value(&r, cond, 0)], "a/b:0");
    assert_int_equal(rows->values.producer[in_value(&r, cond, 1)].v, node_named(&r, "x"));
    for (uint32_t g = 2; g <= 3; g++)
        assert_int_equal(rows->graphs.parent[g].v, cond);
    assert_text(&r, rows->graphs.role[2], "then_branch");
    assert_int_equal(rows->graphs.parent[4].v, node_named(&r, "call"));
    assert_int_equal(rows->graphs.out_count[1], 2);
    uint32_t last = rows->ports.value[rows->graphs.first_out[1] + 1].v;
    assert_text(&r, rows->values.name[last], "a/b:1");
    a = attr_named(&r, top, "sorted");
    assert_int_equal(rows->attrs.kind[a], MI_ATTR_BOOL);
    a = attr_named(&r, top, "li");
    assert_int_equal(rows->attrs.kind[a], MI_ATTR_INTS);
    a = attr_named(&r, top, "s");
    assert_text(&r, rows->items.text[item(&r, a, 0)], "a, b");
    a = attr_named(&r, top, "ll");
    assert_text(&r, rows->items.text[item(&r, a, 0)], "{{1}, {2}}");
    assert_int_equal(rows->nodes.native_id[top], -1);
    reading_fini(&r);
}

/* Names with everything that separates in them; lines that are cut or foreign. */
static void odd_readable(void **state)
{
    (void)state;
    struct reading r;
    reading_bytes(
        &r, mi_reader_find("ge_readable"),
        mi_cstr("graph(\"n\"):\r\n  %a (1), b=c : [#users=1] = Node[type=A] ()\r\n"
                "  %y : [#users=1] = Node[type=B] (inputs = (x=%a (1), b=c, z=%a (1), b=c))\n"
                "  %g : [#users=1] = get_element[node=%y](x)\n  %w : nothing\n foreign\n"
                "  %cut : [#users=1] = Node[type=C] (inputs = (x=%y"),
        NULL, NULL);
    assert_true(r.ok);
    uint32_t y = node_named(&r, "y");
    assert_int_equal(r.batch.rows.nodes.in_count[y], 2);
    assert_int_equal(r.batch.rows.values.producer[in_value(&r, y, 1)].v,
                     node_named(&r, "a (1), b=c"));
    node_named(&r, "cut");
    assert_int_equal(reading_diag(&r, "ge_readable.line_broken"), 4);
    assert_int_equal(r.batch.counts.lost, 1);
    reading_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_onnx),  cmocka_unit_test(hostile_onnx), cmocka_unit_test(mixed_onnx),
        cmocka_unit_test(readable), cmocka_unit_test(odd_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
