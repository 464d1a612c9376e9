/* Caffe networks in both forms: layers of both kinds, in-place tops, inputs, parameters, weights.
 */
#include "check_batch.h"
#include "onnx_find.h"

#include <stdio.h>
#include <string.h>

static void open_data(struct reading *r, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/%s", MI_SOURCE_DIR, name);
    assert_true(reading_file(r, NULL, path));
    if (!r->ok)
        fail_msg("%s: %s", name, r->err.text);
    assert_null(check_batch(&r->batch));
}

static void assert_input(const struct reading *r, const char *node, uint32_t k, const char *value)
{
    assert_text(r, r->batch.rows.values.name[in_value(r, node_named(r, node), k)], value);
}

static void check_layers(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    assert_text(r, rows->graphs.name[1], "net");
    assert_int_equal(rows->nodes.count - 1, 5);
    assert_int_equal(r->batch.counts.kept, 5);
    /* In-place layers make new tensors, one after the other. */
    assert_input(r, "relu", 0, "conv");
    assert_text(r, rows->values.name[out_value(r, node_named(r, "relu"), 0)], "conv#2");
    assert_input(r, "again", 0, "conv#2");
    assert_input(r, "pool", 0, "conv#3");
    /* Bottoms behind a top. */
    assert_input(r, "sum", 0, "pool");
    assert_input(r, "sum", 1, "mask");
    assert_input(r, "sum", 2, "lost");
    assert_int_equal(rows->nodes.out_count[node_named(r, "sum")], 1);
    assert_int_equal(reading_diag(r, "caffe.dangling"), 1);
    assert_int_equal(rows->graphs.in_count[1], 2);
    uint32_t mask = rows->ports.value[rows->graphs.first_in[1] + 1].v;
    assert_text(r, rows->values.name[mask], "mask");
    assert_int_equal(rows->values.dim_count[mask], 4);
    assert_int_equal(rows->dims.size[rows->values.first_dim[mask] + 1], 1);
    assert_int_equal(rows->graphs.out_count[1], 1);
    uint32_t out = rows->ports.value[rows->graphs.first_out[1]].v;
    assert_text(r, rows->values.name[out], "sum");
}

static void check_params(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t conv = node_named(r, "conv"), sum = node_named(r, "sum");
    uint32_t kernel = attr_named(r, conv, "convolution_param.kernel_size");
    assert_int_equal(rows->attrs.kind[kernel], MI_ATTR_INTS);
    assert_int_equal(rows->attrs.item_count[kernel], 2);
    assert_int_equal(rows->items.int_value[item(r, kernel, 1)], 5);
    uint32_t bias = attr_named(r, conv, "convolution_param.bias_term");
    assert_int_equal(rows->attrs.kind[bias], MI_ATTR_BOOL);
    assert_int_equal(rows->items.int_value[item(r, bias, 0)], 0);
    uint32_t slope = attr_named(r, node_named(r, "relu"), "relu_param.negative_slope");
    assert_true(rows->items.real_value[item(r, slope, 0)] == 0.25);
    uint32_t pool = attr_named(r, node_named(r, "pool"), "pooling_param.pool");
    assert_text(r, rows->items.text[item(r, pool, 0)], "AVE");
    uint32_t operation = attr_named(r, sum, "eltwise_param.operation");
    assert_text(r, rows->items.text[item(r, operation, 0)], "SUM");
    uint32_t weight = rows->items.value[item(r, attr_named(r, conv, "blobs"), 0)].v;
    assert_text(r, rows->values.dtype[weight], "float32");
    assert_int_equal(rows->values.dim_count[weight], 4);
    assert_int_equal(rows->dims.size[rows->values.first_dim[weight] + 3], 5);
}

static void both_forms(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "caffe/net.prototxt");
    check_layers(&r);
    check_params(&r);
    reading_fini(&r);
    open_data(&r, "caffe_model/net.caffemodel");
    check_layers(&r);
    check_params(&r);
    uint32_t blobs = attr_named(&r, node_named(&r, "conv"), "blobs");
    uint32_t weight = r.batch.rows.items.value[item(&r, blobs, 0)].v;
    assert_int_equal(r.batch.rows.values.data_bytes[weight], 12);
    assert_memory_equal(r.input.bytes.at + r.batch.rows.values.data_offset[weight],
                        "\0\0\0\0\0\0\200\77\0\0\0\100", 12);
    reading_fini(&r);
}

static void legacy_layers(void **state)
{
    (void)state;
    static const char *const files[] = {"caffe/legacy.prototxt", "caffe_model/legacy.caffemodel"};
    for (size_t i = 0; i < 2; i++) {
        struct reading r;
        open_data(&r, files[i]);
        const struct mi_tables *rows = &r.batch.rows;
        assert_int_equal(rows->nodes.count - 1, 3);
        assert_text(&r, rows->nodes.op[node_named(&r, "c")], "Convolution");
        assert_text(&r, rows->nodes.op[node_named(&r, "r")], "ReLU");
        assert_text(&r, rows->nodes.op[node_named(&r, "p")], "Pooling");
        assert_input(&r, "p", 0, "c#2");
        uint32_t out = attr_named(&r, node_named(&r, "c"), "convolution_param.num_output");
        assert_int_equal(rows->items.int_value[item(&r, out, 0)], 2);
        assert_int_equal(rows->values.dim_count[in_value(&r, node_named(&r, "c"), 0)], 4);
        reading_fini(&r);
    }
}

static void real_files(void **state)
{
    (void)state;
    struct reading r;
    if (!reading_file(&r, NULL, shared_path("samples/cann-static/framework/caffe_abs.pbtxt")))
        skip();
    assert_true(r.ok);
    assert_int_equal(r.batch.rows.nodes.count - 1, 2);
    assert_text(&r, r.batch.rows.graphs.name[1], "TestAbs");
    uint32_t data = in_value(&r, node_named(&r, "abs"), 0);
    assert_int_equal(r.batch.rows.values.dim_count[data], 4);
    assert_int_equal(r.batch.rows.dims.size[r.batch.rows.values.first_dim[data]], 64);
    reading_fini(&r);
    if (!reading_file(&r, NULL, shared_path("samples/cann-static/framework/caffe_add.pbtxt")))
        skip();
    assert_true(r.ok);
    assert_int_equal(r.batch.rows.nodes.count - 1, 3);
    /* The layer `data` makes a new blob of the name that the input has. */
    assert_input(&r, "reshape", 0, "data#2");
    assert_int_equal(r.batch.rows.values.dim_count[in_value(&r, node_named(&r, "reshape"), 1)], 1);
    reading_fini(&r);
}

static void cut_text(void **state)
{
    (void)state;
    struct reading r;
    reading_bytes(&r, &mi_reader_caffe,
                  MI_LIT("name: 'n'\nlayer { name: 'a' type: 'A' top: 'a' }\nlayer { name: 'b' "
                         "type: 'B' bottom: 'a' b_param { x { y: [1, 2"),
                  NULL, NULL);
    assert_null(check_batch(&r.batch));
    assert_false(r.ok);
    assert_int_equal(r.err.line, 3);
    assert_int_equal(r.batch.counts.kept, 1);
    assert_int_equal(r.batch.counts.lost, 1);
    reading_fini(&r);
}

/* Parameters nested without end end at a level; what is behind them is still read. */
static void deep_parameters(void **state)
{
    (void)state;
    char text[1024] = "layer { name: 'a' type: 'A' p ";
    for (int i = 0; i < 50; i++)
        strcat(text, "{ x ");
    strcat(text, "{ y: 1 }");
    for (int i = 0; i < 50; i++)
        strcat(text, "}");
    strcat(text, " q { z: 7 w: -1.5 on: true mode: FAST } top: 't' }");
    struct reading r;
    reading_bytes(&r, &mi_reader_caffe, mi_cstr(text), NULL, NULL);
    assert_null(check_batch(&r.batch));
    assert_true(r.ok);
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->items.int_value[item(&r, attr_named(&r, 1, "q.z"), 0)], 7);
    assert_true(rows->items.real_value[item(&r, attr_named(&r, 1, "q.w"), 0)] == -1.5);
    assert_int_equal(rows->attrs.kind[attr_named(&r, 1, "q.on")], MI_ATTR_BOOL);
    assert_text(&r, rows->items.text[item(&r, attr_named(&r, 1, "q.mode"), 0)], "FAST");
    assert_int_equal(rows->nodes.out_count[1], 1);
    reading_fini(&r);
}

static int sniff(const struct mi_reader *reader, const char *text, size_t len)
{
    struct mi_bytes bytes = {(const uint8_t *)text, len};
    struct mi_probe probe = {.path = "x", .head = mi_bytes_sub(bytes, 0, 4096), .bytes = bytes};
    return reader->sniff(&probe);
}

#define SNIFF(reader, text) sniff(&reader, text, sizeof(text) - 1)

static void what_is_not_ours(void **state)
{
    (void)state;
    assert_true(SNIFF(mi_reader_caffe, "layers { type: RELU bottom: 'a' }") > 0);
    assert_int_equal(SNIFF(mi_reader_caffe, "net: 'x.prototxt' layer { type: 'A' name: 'b' }"), 0);
    assert_int_equal(SNIFF(mi_reader_caffe, "name: 'a' op { name: 'b' type: 'c' }"), 0);
    assert_int_equal(SNIFF(mi_reader_caffe, "node { name: 'a' op: 'b' }"), 0);
    assert_int_equal(SNIFF(mi_reader_caffe, "name: 'a'"), 0);
    assert_true(SNIFF(mi_reader_caffe_model, "\012\001n\242\006\006\012\001a\022\001A") > 0);
    assert_int_equal(SNIFF(mi_reader_caffe_model, "\012\001n\072\006\012\001a\022\001A"), 0);
    assert_int_equal(SNIFF(mi_reader_caffe_model, "\012\001n"), 0);
    assert_int_equal(SNIFF(mi_reader_caffe_model, ""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms),      cmocka_unit_test(legacy_layers),
        cmocka_unit_test(real_files),      cmocka_unit_test(cut_text),
        cmocka_unit_test(deep_parameters), cmocka_unit_test(what_is_not_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
