/* PyTorch's exported programs: the same graph in every packing, arguments of each kind, damage. */
#include "check_batch.h"
#include "onnx_find.h"

#include <stdio.h>
#include <string.h>

static void open_data(struct reading *r, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/pt2/%s", MI_SOURCE_DIR, name);
    assert_true(reading_file(r, NULL, path));
    assert_null(check_batch(&r->batch));
}

static void check_nodes(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t linear = node_named(r, "linear"), split = node_named(r, "getitem");
    assert_int_equal(rows->nodes.count - 1, 5);
    assert_int_equal(r->batch.counts.kept, 5);
    assert_text(r, rows->nodes.op[linear], "aten.linear.default");
    assert_int_equal(rows->nodes.in_count[linear], 2);
    assert_text(r, rows->values.name[in_value(r, linear, 1)], "p_w");
    assert_int_equal(rows->nodes.out_count[split], 2);
    assert_text(r, rows->values.name[out_value(r, split, 1)], "getitem_1");
    /* A size that is computed is a value like a tensor. */
    uint32_t size = in_value(r, split, 1);
    assert_text(r, rows->values.name[size], "sym_size");
    assert_text(r, rows->values.type[size], "sym_int");
    assert_int_equal(rows->values.producer[size].v, node_named(r, "sym_size"));
    uint32_t trace = attr_named(r, linear, "stack_trace");
    assert_text(r, rows->items.text[item(r, trace, 0)],
                "  File \"model.py\", line 7, in forward\n    y = self.lin(x)\n");
    uint32_t stack = attr_named(r, linear, "nn_module_stack");
    assert_text(r, rows->items.text[item(r, stack, 0)],
                "L__self__,,Net;L__self___lin,lin,torch.nn.Linear");
}

static void check_attrs(const struct reading *r)
{
    static const struct {
        const char *name;
        enum mi_attr_kind kind;
        uint32_t count;
        const char *text;
    } attrs[] = {{"sizes", MI_ATTR_INTS, 2, ""},
                 {"scales", MI_ATTR_FLOATS, 2, ""},
                 {"dtype", MI_ATTR_TYPE, 1, "float16"},
                 {"device", MI_ATTR_STRING, 1, "npu:1"},
                 {"memory_format", MI_ATTR_STRING, 1, "channels_last"},
                 {"flag", MI_ATTR_BOOL, 1, ""},
                 {"words", MI_ATTR_STRINGS, 2, "a"},
                 {"shape", MI_ATTR_STRINGS, 2, "sym_size"},
                 {"alpha", MI_ATTR_FLOAT, 1, ""},
                 {"odd", MI_ATTR_OPAQUE, 1, "{\"real\":1,\"imag\":2}"}};
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t split = node_named(r, "getitem");
    for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++) {
        uint32_t attr = attr_named(r, split, attrs[i].name);
        assert_int_equal(rows->attrs.kind[attr], attrs[i].kind);
        assert_int_equal(rows->attrs.item_count[attr], attrs[i].count);
        assert_text(r, rows->items.text[item(r, attr, 0)], attrs[i].text);
    }
    assert_int_equal(rows->items.int_value[item(r, attr_named(r, split, "sizes"), 1)], -3);
    assert_true(rows->items.real_value[item(r, attr_named(r, split, "scales"), 0)] == 1);
    assert_true(rows->items.real_value[item(r, attr_named(r, split, "alpha"), 0)] == 2);
    assert_text(r, rows->items.text[item(r, attr_named(r, split, "words"), 1)], "b\xc3\xa9");
    assert_text(r, rows->items.text[item(r, attr_named(r, node_named(r, "linear"), "bias"), 0)],
                "None");
}

static void check_values(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t w = value_named(r, 1, "p_w"), x = value_named(r, 1, "x");
    assert_int_equal(rows->values.kind[w], MI_VALUE_CONSTANT);
    assert_int_equal(rows->values.kind[x], MI_VALUE_INPUT);
    assert_int_equal(rows->graphs.in_count[1], 3);
    assert_text(r, rows->values.dtype[w], "float32");
    assert_text(r, rows->attrs.name[rows->values.first_attr[w]], "parameter_name");
    assert_text(r, rows->items.text[rows->attrs.first_item[rows->values.first_attr[w]]],
                "lin.weight");
    assert_text(r, rows->values.dtype[x], "float16");
    assert_int_equal(rows->dims.size[rows->values.first_dim[x]], -1);
    assert_text(r, rows->dims.symbol[rows->values.first_dim[x]], "s0");
    assert_int_equal(rows->dims.size[rows->values.first_dim[x] + 1], 3);
    assert_text(r, rows->values.dtype[value_named(r, 1, "getitem")], "bfloat16");
    assert_int_equal(rows->values.kind[value_named(r, 1, "missing")], MI_VALUE_DANGLING);
    assert_int_equal(reading_diag(r, "pt2.dangling"), 1);
}

static void check_bodies(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t cond = node_named(r, "cond");
    assert_int_equal(rows->graphs.count - 1, 3);
    assert_int_equal(rows->graphs.kind[2], MI_GRAPH_SUBGRAPH);
    assert_int_equal(rows->graphs.parent[2].v, cond);
    assert_text(r, rows->graphs.role[2], "true_graph");
    assert_text(r, rows->graphs.name[3], "false_graph_0");
    uint32_t attr = attr_named(r, cond, "false_graph");
    assert_int_equal(rows->items.graph[item(r, attr, 0)].v, 3);
    assert_int_equal(rows->graphs.in_count[2], 1);
    assert_int_equal(rows->values.producer[rows->ports.value[rows->graphs.first_out[2]].v].v,
                     node_named(r, "relu"));
    assert_int_equal(rows->nodes.in_count[cond], 3);
    assert_int_equal(in_value(r, cond, 2), 0);
}

static void every_packing(void **state)
{
    (void)state;
    static const char *const files[] = {"program.json", "stored.pt2", "packed.pt2"};
    for (size_t i = 0; i < 3; i++) {
        struct reading r;
        open_data(&r, files[i]);
        if (!r.ok)
            fail_msg("%s: %s", files[i], r.err.text);
        check_nodes(&r);
        check_attrs(&r);
        check_values(&r);
        check_bodies(&r);
        assert_fact(&r, "schema_version", "8.2");
        assert_fact(&r, "torch_version", "2.6.0");
        assert_fact(&r, "opset:aten", "10");
        reading_fini(&r);
    }
}

/* Whatever stands before the cut is there, whole nodes at least. */
static void cut_text(void **state)
{
    (void)state;
    struct reading whole, r;
    open_data(&whole, "program.json");
    struct mi_bytes bytes = whole.input.bytes;
    const char *at = strstr((const char *)bytes.at, "torch.ops.aten.split");
    assert_non_null(at);
    reading_bytes(&r, &mi_reader_pt2, mi_bytes_sub(bytes, 0, (size_t)(at - (const char *)bytes.at)),
                  NULL, NULL);
    assert_null(check_batch(&r.batch));
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_ETRUNCATED);
    assert_int_equal(r.batch.counts.in, 3);
    assert_int_equal(r.batch.counts.kept, 2);
    assert_int_equal(r.batch.counts.lost, 1);
    assert_text(&r, r.batch.rows.nodes.op[node_named(&r, "linear")], "aten.linear.default");
    reading_fini(&r);
    reading_fini(&whole);
}

/* Bodies inside bodies end at the limit. */
static void deep(void **state)
{
    (void)state;
    enum { DEPTH = 600 };
    static char text[DEPTH * 160];
    size_t len = (size_t)snprintf(text, sizeof text, "{\"opset_version\":{},\"graph_module\":");
    for (int i = 0; i < DEPTH; i++)
        len += (size_t)snprintf(
            text + len, sizeof text - len,
            "{\"graph\":{\"nodes\":[{\"target\":\"t\",\"inputs\":[{\"name\":\"g\",\"arg\":{\"as_"
            "graph\":{\"name\":\"n\",\"graph\":");
    struct reading r;
    reading_bytes(&r, &mi_reader_pt2, (struct mi_bytes){(const uint8_t *)text, len}, NULL, NULL);
    assert_null(check_batch(&r.batch));
    assert_false(r.ok);
    assert_true(r.batch.rows.graphs.count < DEPTH);
    reading_fini(&r);
}

static int sniff(const char *text)
{
    struct mi_bytes bytes = mi_cstr(text);
    struct mi_probe probe = {.path = "x", .head = mi_bytes_sub(bytes, 0, 4096), .bytes = bytes};
    return mi_reader_pt2.sniff(&probe);
}

static void what_is_not_ours(void **state)
{
    (void)state;
    assert_true(sniff("{\"schema_version\":{}, \"graph_module\": {") > 0);
    assert_true(sniff("{\"opset_version\":{}, \"range_constraints\": {}, \"x\": 1}") > 0);
    assert_int_equal(sniff("{\"graph\":{}}"), 0);
    assert_int_equal(sniff("[]"), 0);
    assert_int_equal(sniff("PK\003\004"), 0);
    assert_int_equal(sniff(""), 0);
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/zip/members.zip", MI_SOURCE_DIR);
    struct reading r;
    assert_false(reading_file(&r, NULL, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_packing),
        cmocka_unit_test(cut_text),
        cmocka_unit_test(deep),
        cmocka_unit_test(what_is_not_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
