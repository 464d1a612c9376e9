/* MindIR models: functions, primitives, constants, names from outside, and files that are encrypted
 * or something else. */
#include "check_batch.h"
#include "onnx_find.h"

#include <stdio.h>
#include <string.h>

static void open_data(struct reading *r)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/mindir/net.mindir", MI_SOURCE_DIR);
    assert_true(reading_file(r, NULL, path));
    if (!r->ok)
        fail_msg("%s", r->err.text);
    assert_null(check_batch(&r->batch));
}

static void nodes_and_primitives(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r);
    const struct mi_tables *rows = &r.batch.rows;
    uint32_t matmul = node_named(&r, "Default/network/MatMul-op1");
    assert_int_equal(rows->nodes.count - 1, 9);
    assert_int_equal(r.batch.counts.kept, 9);
    assert_text(&r, rows->nodes.op[matmul], "MatMul");
    assert_text(&r, rows->items.text[item(&r, attr_named(&r, matmul, "ir_name"), 0)], "main:y:3");
    uint32_t transpose = attr_named(&r, matmul, "transpose_b");
    assert_int_equal(rows->attrs.kind[transpose], MI_ATTR_BOOL);
    assert_int_equal(rows->items.int_value[item(&r, transpose, 0)], 0);
    uint32_t scale = item(&r, attr_named(&r, matmul, "scale"), 0);
    assert_true(rows->items.real_value[scale] == 0.5);
    assert_text(&r, rows->items.text[item(&r, attr_named(&r, matmul, "mode"), 0)], "fast");
    assert_int_equal(rows->attrs.kind[attr_named(&r, matmul, "core")], MI_ATTR_BOOL);
    uint32_t y = out_value(&r, matmul, 0);
    assert_text(&r, rows->values.name[y], "main:y:3");
    assert_text(&r, rows->values.dtype[y], "float32");
    assert_int_equal(rows->values.dim_count[y], 2);
    uint32_t names = attr_named(&r, node_named(&r, "Default/shared/Mul-op5"), "input_names");
    assert_int_equal(rows->attrs.kind[names], MI_ATTR_STRINGS);
    assert_text(&r, rows->items.text[item(&r, names, 1)], "y");
    assert_fact(&r, "producer", "MindSpore");
    assert_fact(&r, "mind_ir_version", "2");
    reading_fini(&r);
}

static void constants_and_parameters(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r);
    const struct mi_tables *rows = &r.batch.rows;
    uint32_t value = attr_named(&r, node_named(&r, "main:c:1"), "value");
    assert_int_equal(rows->attrs.kind[value], MI_ATTR_INT);
    assert_int_equal(rows->items.int_value[item(&r, value, 0)], 5);
    value = attr_named(&r, node_named(&r, "main:t:2"), "value");
    assert_int_equal(rows->attrs.kind[value], MI_ATTR_INTS);
    assert_int_equal(rows->items.int_value[item(&r, value, 1)], 2);
    uint32_t k = node_named(&r, "main:k:6");
    value = attr_named(&r, k, "value");
    assert_int_equal(rows->attrs.kind[value], MI_ATTR_TENSOR);
    assert_int_equal(rows->values.data_bytes[rows->items.value[item(&r, value, 0)].v], 8);
    assert_int_equal(rows->attrs.kind[attr_named(&r, k, "to")], MI_ATTR_TYPE);
    assert_text(&r, rows->items.text[item(&r, attr_named(&r, k, "to"), 0)], "float16");
    assert_text(&r, rows->items.text[item(&r, attr_named(&r, k, "nothing"), 0)], "None");
    uint32_t w = value_named(&r, 1, "w"), big = value_named(&r, 1, "big");
    assert_int_equal(rows->values.kind[w], MI_VALUE_CONSTANT);
    assert_text(&r, rows->values.dtype[w], "float16");
    assert_int_equal(rows->values.data_bytes[w], 12);
    assert_memory_equal(r.input.bytes.at + rows->values.data_offset[w], "0123456789ab", 12);
    assert_text(&r, rows->values.data_path[big], "net_variables/data_0");
    assert_int_equal(rows->values.data_offset[big], 64);
    assert_int_equal(rows->values.data_bytes[big], 4000);
    uint32_t x = rows->ports.value[rows->graphs.first_in[1]].v;
    assert_text(&r, rows->values.name[x], "x");
    assert_int_equal(rows->dims.size[rows->values.first_dim[x] + 1], -1);
    reading_fini(&r);
}

static void functions(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r);
    const struct mi_tables *rows = &r.batch.rows;
    uint32_t node = node_named(&r, "Default/Switch-op2");
    assert_int_equal(rows->graphs.count - 1, 3);
    /* One node alone names it: its body. */
    assert_text(&r, rows->graphs.name[2], "then");
    assert_int_equal(rows->graphs.kind[2], MI_GRAPH_SUBGRAPH);
    assert_int_equal(rows->graphs.parent[2].v, node);
    assert_text(&r, rows->graphs.role[2], "input[1]");
    /* Named by several, by itself too: a function. */
    assert_text(&r, rows->graphs.name[3], "shared");
    assert_int_equal(rows->graphs.kind[3], MI_GRAPH_FUNCTION);
    uint32_t call = node_named(&r, "Default/call-op3");
    assert_text(&r, rows->nodes.op[call], "shared");
    assert_int_equal(rows->items.graph[item(&r, attr_named(&r, call, "calls"), 0)].v, 3);
    assert_int_equal(rows->items.graph[item(&r, attr_named(&r, node, "input[2]"), 0)].v, 3);
    assert_text(&r, rows->values.type[in_value(&r, node, 1)], "function");
    /* Names of another graph. */
    uint32_t relu = node_named(&r, "Default/then/ReLU-op4");
    uint32_t outer = in_value(&r, relu, 0);
    assert_int_equal(rows->values.kind[outer], MI_VALUE_OUTER);
    assert_int_equal(rows->values.outer[outer].v, value_named(&r, 1, "main:y:3"));
    assert_int_equal(rows->values.kind[in_value(&r, relu, 1)], MI_VALUE_DANGLING);
    assert_int_equal(reading_diag(&r, "mindir.dangling"), 1);
    reading_fini(&r);
}

static int sniff(const char *text, size_t len)
{
    struct mi_bytes bytes = {(const uint8_t *)text, len};
    struct mi_probe probe = {.path = "x", .head = mi_bytes_sub(bytes, 0, 4096), .bytes = bytes};
    return mi_reader_mindir.sniff(&probe);
}

#define SNIFF(text) sniff(text, sizeof(text) - 1)

static void encrypted(void **state)
{
    (void)state;
    static const char *const texts[] = {"\330\136\072\177 secret", "\331\136\072\177 secret",
                                        "\332\136\072\177 secret"};
    for (size_t i = 0; i < 3; i++) {
        struct reading r;
        assert_int_equal(sniff(texts[i], strlen(texts[i])), 100);
        reading_bytes(&r, &mi_reader_mindir, mi_cstr(texts[i]), NULL, NULL);
        assert_false(r.ok);
        assert_int_equal(r.err.code, MI_EUNSUPPORTED);
        assert_non_null(strstr(r.err.text, "encrypted"));
        reading_fini(&r);
    }
}

static void what_is_not_ours(void **state)
{
    (void)state;
    assert_true(SNIFF("\012\0050.1.1\072\006\012\004\042\002Ad") > 0);
    assert_true(SNIFF("\022\011MindSpore\072\002\022\000") > 0);
    assert_int_equal(SNIFF("\010\007\072\006\012\004\042\002Ad"), 0);
    assert_int_equal(SNIFF("\012\003net\072\006\012\004\042\002Ad"), 0);
    assert_int_equal(SNIFF("\012\0050.1.1"), 0);
    assert_int_equal(SNIFF(""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_and_primitives),
        cmocka_unit_test(constants_and_parameters),
        cmocka_unit_test(functions),
        cmocka_unit_test(encrypted),
        cmocka_unit_test(what_is_not_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
