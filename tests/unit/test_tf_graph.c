/* TensorFlow graphs: loops, names, functions, attributes, and that the spelling does not matter. */
#include "check_batch.h"
#include "onnx_find.h"

#include <stdio.h>
#include <string.h>

static const char *data_path(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/tests/data/%s", MI_SOURCE_DIR, name);
    return path;
}

static void open_data(struct reading *r, const char *name, const char *reader)
{
    assert_true(reading_file(r, NULL, data_path(name)));
    if (!r->ok)
        fail_msg("%s: %s", name, r->err.text);
    assert_null(check_batch(&r->batch));
    reading_fini(r);
    assert_true(reading_file(r, mi_reader_find(reader), data_path(name)));
    assert_true(r->ok);
}

static void assert_input(const struct reading *r, const char *node, uint32_t k, const char *value)
{
    assert_text(r, r->batch.rows.values.name[in_value(r, node_named(r, node), k)], value);
}

static void assert_dtype(const struct reading *r, const char *node, uint32_t k, const char *dtype)
{
    assert_text(r, r->batch.rows.values.dtype[out_value(r, node_named(r, node), k)], dtype);
}

/* What both spellings of the loop must give. */
static void check_loop(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    assert_int_equal(rows->nodes.count - 1, 14);
    assert_int_equal(r->batch.counts.kept, 14);
    uint32_t merge = node_named(r, "merge"), body = node_named(r, "body");
    assert_input(r, "merge", 0, "enter:0");
    assert_input(r, "merge", 1, "next:0");
    assert_int_equal(rows->ports.is_back[rows->nodes.first_in[merge]], 0);
    assert_int_equal(rows->ports.is_back[rows->nodes.first_in[merge] + 1], 1);
    assert_int_equal(rows->values.producer[in_value(r, merge, 1)].v, node_named(r, "next"));
    assert_input(r, "body", 0, "switch:1");
    assert_input(r, "body", 1, "ten:0");
    assert_input(r, "body", 2, "^cond");
    assert_int_equal(rows->ports.is_control[rows->nodes.first_in[body] + 1], 0);
    assert_int_equal(rows->ports.is_control[rows->nodes.first_in[body] + 2], 1);
    assert_int_equal(rows->nodes.out_count[node_named(r, "cond")], 2);
    assert_int_equal(rows->nodes.out_count[node_named(r, "switch")], 2);
    assert_int_equal(rows->nodes.out_count[node_named(r, "done")], 0);
    /* Both nodes of one name are kept and marked; inputs mean the first. */
    assert_text(r, rows->nodes.op[1], "Placeholder");
    assert_text(r, rows->nodes.name[2], "x");
    assert_text(r, rows->values.name[out_value(r, 2, 0)], "x#2:0");
    assert_int_equal(rows->attrs.kind[attr_named(r, 2, "same_name_as")], MI_ATTR_OPAQUE);
    assert_int_equal(rows->values.producer[in_value(r, node_named(r, "enter"), 0)].v, 1);
    assert_int_equal(reading_diag(r, "tf.node_name_twice"), 1);
    /* Names that nothing has. */
    assert_input(r, "out", 1, "gone:3");
    assert_int_equal(rows->values.kind[in_value(r, node_named(r, "out"), 1)], MI_VALUE_DANGLING);
    assert_int_equal(reading_diag(r, "tf.dangling"), 2);
}

static void check_loop_values(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t x = out_value(r, 1, 0);
    assert_dtype(r, "less", 0, "bool");
    assert_dtype(r, "half", 0, "float16");
    assert_dtype(r, "switch", 1, "int32");
    assert_text(r, rows->values.dtype[x], "int32");
    assert_int_equal(rows->values.dim_count[x], 2);
    assert_int_equal(rows->dims.size[rows->values.first_dim[x]], 2);
    assert_int_equal(rows->dims.size[rows->values.first_dim[x] + 1], -1);
    assert_text(r, rows->dims.symbol[rows->values.first_dim[x] + 1], "n");
    uint32_t ten = attr_named(r, node_named(r, "ten"), "value");
    assert_int_equal(rows->attrs.kind[ten], MI_ATTR_TENSOR);
    assert_int_equal(rows->values.data_bytes[rows->items.value[item(r, ten, 0)].v], 8);
    assert_int_equal(rows->values.dim_count[out_value(r, node_named(r, "ten"), 0)], 1);
    /* What is fed, and what nobody uses. */
    assert_int_equal(rows->graphs.in_count[1], 1);
    assert_int_equal(rows->ports.value[rows->graphs.first_in[1]].v, x);
    bool has_out = false;
    for (uint32_t i = 0; i < rows->graphs.out_count[1]; i++)
        has_out |= text_is(r, rows->values.name[rows->ports.value[rows->graphs.first_out[1] + i].v],
                           "out:0");
    assert_true(has_out);
}

static void check_loop_attrs(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t enter = node_named(r, "enter"), half = node_named(r, "half");
    uint32_t body = node_named(r, "body"), exit_node = node_named(r, "exit");
    uint32_t frame = attr_named(r, enter, "frame_name");
    assert_text(r, rows->items.text[item(r, frame, 0)], "while\"\001");
    uint32_t flag = attr_named(r, enter, "is_constant");
    assert_int_equal(rows->attrs.kind[flag], MI_ATTR_BOOL);
    assert_int_equal(rows->items.int_value[item(r, flag, 0)], 0);
    assert_int_equal(rows->items.int_value[item(r, attr_named(r, enter, "parallel_iterations"), 0)],
                     10);
    uint32_t alpha = item(r, attr_named(r, half, "alpha"), 0);
    assert_true(rows->items.real_value[alpha] == (double)0.1F);
    uint32_t ksize = attr_named(r, half, "ksize");
    assert_int_equal(rows->attrs.kind[ksize], MI_ATTR_INTS);
    assert_int_equal(rows->items.int_value[item(r, ksize, 1)], -2);
    assert_int_equal(rows->attrs.item_count[attr_named(r, half, "none")], 0);
    uint32_t empty = attr_named(r, body, "empty");
    assert_int_equal(rows->attrs.kind[empty], MI_ATTR_UNDEFINED);
    assert_int_equal(rows->attrs.item_count[empty], 0);
    uint32_t device = attr_named(r, body, "device");
    assert_text(r, rows->items.text[item(r, device, 0)], "/device:CPU:0");
    uint32_t names = attr_named(r, exit_node, "original_node_names");
    assert_text(r, rows->items.text[item(r, names, 1)], "b");
    uint32_t list = attr_named(r, node_named(r, "switch"), "_class");
    assert_int_equal(rows->attrs.kind[list], MI_ATTR_STRINGS);
    assert_int_equal(rows->attrs.item_count[list], 2);
}

static void loops(void **state)
{
    (void)state;
    static const char *const files[][2] = {{"tf_graph/loop.pb", "tf_graph"},
                                           {"tf_graph_text/loop.pbtxt", "tf_graph_text"},
                                           {"tf_graph_text/spelled.pbtxt", "tf_graph_text"}};
    for (size_t i = 0; i < 3; i++) {
        struct reading r;
        open_data(&r, files[i][0], files[i][1]);
        print_message("%s\n", files[i][0]);
        check_loop(&r);
        check_loop_values(&r);
        check_loop_attrs(&r);
        assert_fact(&r, "producer_version", "134");
        assert_fact(&r, "min_consumer", "12");
        reading_fini(&r);
    }
}

static void places_of_constants(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "tf_graph/loop.pb", "tf_graph");
    uint32_t ten = item(&r, attr_named(&r, node_named(&r, "ten"), "value"), 0);
    uint32_t value = r.batch.rows.items.value[ten].v;
    int64_t at = r.batch.rows.values.data_offset[value];
    assert_true(at > 0 && (size_t)at + 8 <= r.input.bytes.len);
    assert_memory_equal(r.input.bytes.at + at, "\n\0\0\0\013\0\0\0", 8);
    assert_text(&r, r.batch.rows.values.data_form[value], "");
    reading_fini(&r);
    open_data(&r, "tf_graph_text/loop.pbtxt", "tf_graph_text");
    ten = item(&r, attr_named(&r, node_named(&r, "ten"), "value"), 0);
    assert_int_equal(r.batch.rows.values.data_offset[r.batch.rows.items.value[ten].v], -1);
    reading_fini(&r);
}

static uint32_t graph_named(const struct reading *r, const char *name)
{
    for (uint32_t i = 1; i < r->batch.rows.graphs.count; i++)
        if (text_is(r, r->batch.rows.graphs.name[i], name))
            return i;
    fail_msg("no graph %s", name);
    return 0;
}

static void check_functions(const struct reading *r)
{
    const struct mi_tables *rows = &r->batch.rows;
    uint32_t twice = graph_named(r, "twice"), outer = graph_named(r, "outer");
    assert_int_equal(rows->graphs.kind[twice], MI_GRAPH_FUNCTION);
    assert_int_equal(rows->graphs.in_count[twice], 1);
    assert_int_equal(rows->graphs.out_count[twice], 2);
    uint32_t arg = rows->ports.value[rows->graphs.first_in[twice]].v;
    assert_text(r, rows->values.name[arg], "a");
    assert_int_equal(rows->values.kind[arg], MI_VALUE_INPUT);
    assert_int_equal(in_value(r, node_named(r, "mul"), 0), arg);
    assert_input(r, "mul", 1, "two:output:0");
    uint32_t result = rows->ports.value[rows->graphs.first_out[twice]].v;
    assert_int_equal(rows->values.producer[result].v, node_named(r, "mul"));
    assert_int_equal(rows->ports.value[rows->graphs.first_out[twice] + 1].v, arg);
    assert_text(r, rows->nodes.op[node_named(r, "call")], "twice");
    uint32_t f = attr_named(r, node_named(r, "pc"), "f");
    assert_int_equal(rows->attrs.kind[f], MI_ATTR_GRAPH);
    assert_int_equal(rows->items.graph[item(r, f, 0)].v, outer);
    uint32_t unknown = attr_named(r, node_named(r, "nowhere"), "f");
    assert_int_equal(rows->attrs.kind[unknown], MI_ATTR_STRING);
    assert_text(r, rows->items.text[item(r, unknown, 0)], "unknown");
    assert_dtype(r, "pc", 1, "float16");
    assert_int_equal(out_value(r, node_named(r, "pc"), 0), 0);
    assert_int_equal(rows->values.has_shape[out_value(r, node_named(r, "in"), 0)], 0);
}

static void functions(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "tf_graph/functions.pb", "tf_graph");
    check_functions(&r);
    reading_fini(&r);
    open_data(&r, "tf_graph_text/functions.pbtxt", "tf_graph_text");
    check_functions(&r);
    reading_fini(&r);
    open_data(&r, "tf_graph/saved_model.pb", "tf_graph");
    check_functions(&r);
    assert_int_equal(r.batch.rows.graphs.count - 1, 4);
    assert_int_equal(r.batch.rows.graphs.kind[graph_named(&r, "train")], MI_GRAPH_MAIN);
    graph_named(&r, "serve,gpu");
    assert_fact(&r, "tensorflow_version", "2.15.0");
    reading_fini(&r);
}

/* Counts taken by other programs. */
static void real_files(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned nodes;
    } samples[] = {{"tf_add.pb", 3},
                   {"conv2d.pb", 3},
                   {"merge.pb", 4},
                   {"model.pb", 10},
                   {"tensor_array.pb", 6},
                   {"test_constant.pb", 5},
                   {"test_depth_wise_conv2d.pb", 8},
                   {"test_enter.pb", 4},
                   {"test_switch.pb", 6},
                   {"test_getnext_dynamic_fusion.pbtxt", 5}};
    unsigned read = 0;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct reading r;
        char below[256];
        snprintf(below, sizeof below, "samples/cann-static/framework/%s", samples[i].name);
        if (!reading_file(&r, NULL, shared_path(below)))
            continue;
        read++;
        if (!r.ok)
            fail_msg("%s: %s", samples[i].name, r.err.text);
        assert_int_equal(r.batch.rows.nodes.count - 1, samples[i].nodes);
        assert_int_equal(r.batch.counts.lost, 0);
        assert_int_equal(reading_diag(&r, "tf.dangling"), 0);
        assert_int_equal(reading_diag(&r, "tf.type_unknown"), 0);
        if (i == 0) {
            assert_text(&r, r.batch.rows.nodes.op[node_named(&r, "add_test_1")], "Add");
            assert_input(&r, "add_test_1", 1, "Placeholder_1:0");
        }
        reading_fini(&r);
    }
    if (!read)
        skip();
}

static void read_text(struct reading *r, const char *text)
{
    reading_bytes(r, &mi_reader_tf_graph_text, mi_cstr(text), NULL, NULL);
    assert_null(check_batch(&r->batch));
}

/* A dump that was cut: everything up to the last whole node, and where it ends. */
static void cut_text(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, "node { name: \"a\" op: \"A\" }\nnode { name: \"b\" op: \"B\" input: \"a\" }\n"
                  "node { name: \"c\" op: \"C\" input: \"b");
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_ETRUNCATED);
    assert_int_equal(r.err.line, 3);
    assert_int_equal(r.batch.rows.nodes.count - 1, 2);
    assert_int_equal(r.batch.counts.kept, 2);
    assert_int_equal(r.batch.counts.lost, 1);
    assert_input(&r, "b", 0, "a:0");
    reading_fini(&r);
}

/* Outputs with absurd numbers do not fill the memory; names with NUL stay whole. */
static void hostile_names(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r,
              "node { name: \"a\" op: \"A\" } node { name: \"b\" op: \"B\" input: \"a:4000000000\""
              " input: \"a:99999\" input: \"a:007\" input: \"a:7\" input: \":1\" input: \"\""
              " input: \"^\" } node { name: \"n\\000x\" op: \"<script>\" }"
              " node { name: \"\" op: \"\" } node { }");
    assert_true(r.ok);
    assert_true(r.batch.rows.ports.count < 200000);
    uint32_t b = node_named(&r, "b");
    assert_int_equal(in_value(&r, b, 2), in_value(&r, b, 3));
    assert_int_equal(in_value(&r, b, 5), 0);
    uint32_t nul = b + 1;
    assert_true(
        mi_bytes_equal(mi_batch_text(&r.batch, r.batch.rows.nodes.name[nul]), MI_LIT("n\0x")));
    assert_true(
        mi_bytes_equal(mi_batch_text(&r.batch, r.batch.rows.values.name[out_value(&r, nul, 0)]),
                       MI_LIT("n\0x:0")));
    assert_int_equal(reading_diag(&r, "tf.node_without_op"), 2);
    reading_fini(&r);
}

/* Fields and wire types of later versions are stepped over. */
static void unknown_fields(void **state)
{
    (void)state;
    static const char bytes[] = "\012\017\012\001a\022\001A"           /* a node, in which stand */
                                "\243\001\010\001\244\001"             /* a group */
                                "\360\001\007"                         /* and field 30 */
                                "\012\011\012\001b\022\001B\032\001a"  /* a node */
                                "\052\002xx"                           /* debug_info */
                                "\300\002\001";                        /* field 40 */
    static const char damaged[] = "\012\010\012\001a\022\001A\012\011" /* a name beyond its node */
                                  "\012\011\012\001b\022\001B\032\001a";
    struct reading r;
    reading_bytes(&r, &mi_reader_tf_graph,
                  (struct mi_bytes){(const uint8_t *)bytes, sizeof bytes - 1}, NULL, NULL);
    assert_null(check_batch(&r.batch));
    assert_true(r.ok);
    assert_int_equal(r.batch.counts.kept, 2);
    assert_input(&r, "b", 0, "a:0");
    assert_int_equal(reading_diag(&r, "tf.unknown_field"), 1);
    assert_int_equal(reading_diag(&r, "tf.node_broken"), 0);
    reading_fini(&r);
    /* Damage inside one node leaves the other readable. */
    reading_bytes(&r, &mi_reader_tf_graph,
                  (struct mi_bytes){(const uint8_t *)damaged, sizeof damaged - 1}, NULL, NULL);
    assert_null(check_batch(&r.batch));
    assert_int_equal(r.batch.counts.kept, 2);
    assert_int_equal(reading_diag(&r, "tf.node_broken"), 1);
    reading_fini(&r);
}

static void nothing_but_an_empty_input(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, "node { name: \"a\" op: \"NoOp\" input: \"\" }");
    assert_true(r.ok);
    assert_int_equal(r.batch.rows.values.count - 1, 0);
    assert_int_equal(in_value(&r, 1, 0), 0);
    reading_fini(&r);
}

static void colons_in_names(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, "node { name: \"s:x\" op: \"A\" } node { name: \"b\" op: \"B\" input: \"s:x\""
                  " input: \"s:x:1\" input: \"s:2\" }");
    assert_true(r.ok);
    assert_input(&r, "b", 0, "s:x:0");
    assert_input(&r, "b", 1, "s:x:1");
    assert_int_equal(r.batch.rows.values.kind[in_value(&r, node_named(&r, "b"), 2)],
                     MI_VALUE_DANGLING);
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
    assert_true(SNIFF(mi_reader_tf_graph_text, "node { name: 'a' op: 'b' }") > 0);
    assert_true(SNIFF(mi_reader_tf_graph_text, "# c\nversions { producer: 1 } node { op: 'b' ") >
                0);
    assert_int_equal(SNIFF(mi_reader_tf_graph_text, "graph { node { op_type: 'b' } }"), 0);
    assert_int_equal(SNIFF(mi_reader_tf_graph_text, "node { name: 'a' op_type: 'b' }"), 0);
    assert_int_equal(SNIFF(mi_reader_tf_graph_text,
                           "node { name: 'a' op: 'b' attr { key: '[i]x' value { s: '' } } }"),
                     0);
    assert_int_equal(SNIFF(mi_reader_tf_graph_text, "layer { name: 'a' type: 'b' }"), 0);
    assert_int_equal(SNIFF(mi_reader_tf_graph_text, ""), 0);
    assert_true(SNIFF(mi_reader_tf_graph, "\012\006\012\001a\022\001b") > 0);
    assert_int_equal(SNIFF(mi_reader_tf_graph, "\012\006\012\001a\020\001b"), 0);
    assert_int_equal(SNIFF(mi_reader_tf_graph, "\012\003abc"), 0);
    assert_int_equal(SNIFF(mi_reader_tf_graph, "\012\003abc\072\006\012\001a\022\001b"), 0);
    assert_int_equal(SNIFF(mi_reader_tf_graph, "\010\007\022\003abc"), 0);
    assert_int_equal(SNIFF(mi_reader_tf_graph, ""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops),
        cmocka_unit_test(places_of_constants),
        cmocka_unit_test(functions),
        cmocka_unit_test(real_files),
        cmocka_unit_test(cut_text),
        cmocka_unit_test(hostile_names),
        cmocka_unit_test(unknown_fields),
        cmocka_unit_test(colons_in_names),
        cmocka_unit_test(nothing_but_an_empty_input),
        cmocka_unit_test(what_is_not_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
