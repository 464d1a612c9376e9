/* GE graphs as protobuf text and as JSON: one small graph in every spelling, and damaged. */
#include "onnx_find.h"

#include <stdio.h>
#include <stdlib.h>

#define PLAIN "ge_proto/ge_proto_00000003_graph_2_Build.txt"

static void open_data(struct reading *r, const char *below, const char *reader)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/%s", MI_SOURCE_DIR, below);
    if (!reading_file(r, mi_reader_find(reader), path))
        fail_msg("no file %s", path);
}

static void read_text(struct reading *r, const char *text, const struct mi_limits *limits)
{
    reading_bytes(r, mi_reader_find("ge_proto"), mi_cstr(text), NULL, limits);
}

/* --- the plain spelling --- */

static void plain_nodes(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, PLAIN, "ge_proto");
    const struct mi_tables *rows = &r.batch.rows;
    if (!r.ok)
        fail_msg("%s", r.err.text);
    assert_int_equal(rows->graphs.count - 1, 3);
    assert_text(&r, rows->graphs.name[1], "net");
    assert_text(&r, rows->graphs.stage[1], "Build");
    assert_int_equal(rows->graphs.stage_index[1], 4);
    assert_fact(&r, "graph_id", "2");
    assert_fact(&r, "soc_version", "Ascend310");
    assert_int_equal(rows->nodes.count - 1, 9);
    uint32_t conv = node_named(&r, "a/b:c"), cond = node_named(&r, "line\nend");
    assert_int_equal(rows->nodes.native_id[conv], 1);
    assert_int_equal(rows->nodes.stream[conv], 2);
    assert_int_equal(rows->nodes.in_count[conv], 4);
    assert_text(&r, rows->values.name[in_value(&r, conv, 0)], "x:0");
    assert_int_equal(rows->values.kind[in_value(&r, conv, 1)], MI_VALUE_CONSTANT);
    assert_int_equal(in_value(&r, conv, 2), 0);
    assert_true(rows->ports.is_control[rows->nodes.first_in[conv] + 3]);
    assert_int_equal(in_value(&r, cond, 0), out_value(&r, conv, 0));
    assert_int_equal(rows->values.kind[in_value(&r, cond, 1)], MI_VALUE_DANGLING);
    assert_int_equal(reading_diag(&r, "ge.dangling"), 1);
    assert_int_equal(rows->graphs.parent[2].v, cond);
    assert_text(&r, rows->graphs.role[2], "then_branch");
    assert_text(&r, rows->graphs.role[3], "else_branch");
    reading_fini(&r);
}

static void assert_value(const struct reading *r, uint32_t value, const char *dtype,
                         const char *format, const int64_t *dims, uint32_t count)
{
    const struct mi_tables *rows = &r->batch.rows;
    assert_text(r, rows->values.dtype[value], dtype);
    assert_text(r, rows->values.format[value], format);
    assert_int_equal(rows->values.dim_count[value], count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(rows->dims.size[rows->values.first_dim[value] + i], dims[i]);
}

static void plain_values(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, PLAIN, "ge_proto");
    const struct mi_tables *rows = &r.batch.rows;
    uint32_t conv = node_named(&r, "a/b:c"), weight = out_value(&r, node_named(&r, "w"), 0);
    assert_value(&r, in_value(&r, conv, 0), "float16", "NCHW", (const int64_t[]){1, 8, 4, -1}, 4);
    assert_value(&r, out_value(&r, conv, 0), "float32", "NC1HWC0",
                 (const int64_t[]){1, 1, 4, 4, 16}, 5);
    assert_value(&r, weight, "int8", "ND", (const int64_t[]){2}, 1);
    assert_int_equal(rows->values.data_bytes[weight], 2);
    assert_int_equal(rows->values.data_offset[weight], -1);
    assert_int_equal(rows->recorded.count - 1, 2);
    assert_text(&r, rows->recorded.name[1], "conv");
    assert_text(&r, rows->recorded.name[2], "relu");
    int64_t offsets[MI_BUFFER_WORKSPACE + 1] = {0};
    for (uint32_t b = 1; b < rows->buffers.count; b++)
        if (rows->buffers.port[b] == 0)
            offsets[rows->buffers.kind[b]] = rows->buffers.offset_bytes[b];
    assert_int_equal(offsets[MI_BUFFER_INPUT], 512);
    assert_int_equal(offsets[MI_BUFFER_OUTPUT], 1024);
    reading_fini(&r);
}

static void plain_attributes(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, PLAIN, "ge_proto");
    const struct mi_tables *rows = &r.batch.rows;
    uint32_t conv = node_named(&r, "a/b:c"), a;
    a = attr_named(&r, conv, "pass_name");
    assert_int_equal(rows->attrs.kind[a], MI_ATTR_STRINGS);
    assert_text(&r, rows->items.text[item(&r, a, 0)], "FusePass");
    a = attr_named(&r, conv, "strides");
    assert_int_equal(rows->attrs.kind[a], MI_ATTR_INTS);
    assert_int_equal(rows->items.int_value[item(&r, a, 1)], 2);
    a = attr_named(&r, conv, "scale");
    assert_int_equal(rows->attrs.kind[a], MI_ATTR_FLOAT);
    assert_true(rows->items.real_value[item(&r, a, 0)] == (double)1e-5f);
    a = attr_named(&r, conv, "flag");
    assert_int_equal(rows->attrs.kind[a], MI_ATTR_BOOL);
    assert_int_equal(rows->items.int_value[item(&r, a, 0)], 1);
    a = attr_named(&r, conv, "words");
    assert_int_equal(rows->attrs.kind[a], MI_ATTR_STRINGS);
    assert_int_equal(rows->attrs.item_count[a], 0);
    a = attr_named(&r, conv, "kind");
    assert_text(&r, rows->items.text[item(&r, a, 0)], "float16");
    a = attr_named(&r, conv, "call");
    assert_text(&r, rows->items.text[item(&r, a, 0)], "f");
    a = attr_named(&r, conv, "ranges");
    assert_text(&r, rows->items.text[item(&r, a, 0)], "[1,2]");
    a = attr_named(&r, conv, "blob");
    assert_text(&r, rows->items.text[item(&r, a, 0)], "5 bytes");
    reading_fini(&r);
}

/* --- other spellings --- */

static void same_cell(const struct reading *a, const struct reading *b, enum mi_table_no which,
                      const struct mi_column_info *column, uint32_t row)
{
    const struct mi_any_table *x =
        (const struct mi_any_table *)(const void *)((const char *)&a->batch.rows +
                                                    mi_table_infos[which].at);
    const struct mi_any_table *y =
        (const struct mi_any_table *)(const void *)((const char *)&b->batch.rows +
                                                    mi_table_infos[which].at);
    if (column->kind == MI_KIND_F64) {
        const double *p = mi_column_array(x, column), *q = mi_column_array(y, column);
        if (p[row] == q[row])
            return;
    } else {
        int64_t p = mi_column_int(x, column, row), q = mi_column_int(y, column, row);
        if (column->kind != MI_KIND_STR && p == q)
            return;
        if (column->kind == MI_KIND_STR &&
            mi_bytes_equal(mi_batch_text(&a->batch, (mi_str_id){(uint32_t)p}),
                           mi_batch_text(&b->batch, (mi_str_id){(uint32_t)q})))
            return;
    }
    fail_msg("%s, row %u: %s differs", mi_table_infos[which].name, row, column->name);
}

/* Same rows but for what the name of the file says, and for sizes that `b` does not state. */
static void assert_same(const struct reading *a, const struct reading *b)
{
    static const enum mi_table_no tables[] = {MI_T_nodes,    MI_T_values, MI_T_dims,
                                              MI_T_ports,    MI_T_attrs,  MI_T_items,
                                              MI_T_recorded, MI_T_groups, MI_T_members};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        const struct mi_table_info *info = &mi_table_infos[tables[t]];
        const struct mi_any_table *x =
            (const struct mi_any_table *)(const void *)((const char *)&a->batch.rows + info->at);
        const struct mi_any_table *y =
            (const struct mi_any_table *)(const void *)((const char *)&b->batch.rows + info->at);
        if (x->count != y->count)
            fail_msg("%s: %u rows and %u", info->name, x->count - 1, y->count - 1);
        for (uint32_t row = 1; row < x->count; row++)
            for (unsigned c = 0; c < info->column_count; c++)
                same_cell(a, b, tables[t], &info->columns[c], row);
    }
}

static void odd_spelling(void **state)
{
    (void)state;
    struct reading plain, odd;
    open_data(&plain, PLAIN, "ge_proto");
    open_data(&odd, "ge_proto/odd_spelling.txt", "ge_proto");
    if (!odd.ok)
        fail_msg("%s", odd.err.text);
    assert_same(&plain, &odd);
    reading_fini(&plain);
    reading_fini(&odd);
}

static void as_json(void **state)
{
    (void)state;
    struct reading plain, json;
    open_data(&plain, PLAIN, "ge_proto");
    open_data(&json, "atc_json/offline.json", "atc_json");
    if (!json.ok)
        fail_msg("%s", json.err.text);
    assert_fact(&json, "soc_version", "Ascend310");
    assert_same(&plain, &json);
    reading_fini(&plain);
    reading_fini(&json);
}

/* The newer JSON: attributes by their names. */
static void as_visual_json(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "atc_json/ge_visual_00000000_graph_0.json", "atc_json");
    const struct mi_tables *rows = &r.batch.rows;
    if (!r.ok)
        fail_msg("%s", r.err.text);
    uint32_t y = node_named(&r, "y"), a = attr_named(&r, y, "text");
    struct mi_bytes text = mi_batch_text(&r.batch, rows->items.text[item(&r, a, 0)]);
    assert_true(mi_bytes_equal(text, MI_LIT("a\0b\xc3\xa9")));
    a = attr_named(&r, node_named(&r, "x"), "value");
    assert_int_equal(rows->attrs.kind[a], MI_ATTR_INTS);
    assert_int_equal(rows->attrs.item_count[a], 2);
    a = attr_named(&r, y, "names");
    assert_int_equal(rows->attrs.kind[a], MI_ATTR_STRINGS);
    a = attr_named(&r, y, "real");
    assert_true(rows->items.real_value[item(&r, a, 0)] == 0.5);
    assert_value(&r, in_value(&r, y, 0), "int64", "", (const int64_t[]){2}, 1);
    assert_text(&r, rows->values.origin_format[in_value(&r, y, 0)], "NHWC");
    assert_int_equal(rows->recorded.count - 1, 1);
    assert_text(&r, rows->recorded.name[1], "relu_1");
    reading_fini(&r);
}

/* --- damage --- */

static void cut(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "ge_proto/ge_proto_00001_cut.txt", "ge_proto");
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_ETRUNCATED);
    assert_int_equal(r.err.line, 61);
    assert_int_equal(r.batch.rows.nodes.count - 1, 1);
    assert_int_equal(r.batch.counts.lost, 1);
    reading_fini(&r);
}

static void broken_values(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r,
              "graph {\n op { name: 5 type: \"A\" id: \"x\" attr: 3\n"
              "  attr { key: \"k\" value { i: \"no\" list { b: 7 } unknown: 1 } } later { } } }\n",
              NULL);
    assert_true(r.ok);
    assert_int_equal(r.batch.rows.nodes.count - 1, 1);
    assert_text(&r, r.batch.rows.nodes.op[1], "A");
    assert_int_equal(reading_diag(&r, "ge.value_broken"), 5);
    assert_int_equal(reading_diag(&r, "ge.unknown_field"), 2);
    for (uint32_t d = 1; d < r.batch.rows.diags.count; d++)
        assert_int_not_equal(r.batch.rows.diags.line[d], 0);
    reading_fini(&r);
}

/* Syntax that breaks: what stands before it is kept. */
static void broken_syntax(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, "graph { op { name: \"a\" type: \"A\" }\n op { name: \"b\" type: } }", NULL);
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_EFORMAT);
    assert_int_equal(r.err.line, 2);
    assert_int_equal(r.batch.rows.nodes.count - 1, 1);
    assert_int_equal(r.batch.counts.lost, 1);
    reading_fini(&r);
    read_text(&r, "attr { key: \"soc_version\" value { s: \"x\" } }", NULL);
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_EFORMAT);
    reading_fini(&r);
}

/* Names: without colon, with one, twice, empty, with NUL; long ones are cut at the limit. */
static void names(void **state)
{
    (void)state;
    struct reading r;
    const struct mi_limits limits = {.max_string_bytes = 16};
    read_text(&r,
              "op { name: \"p:1\" type: \"A\" } op { name: \"p:1\" type: \"B\" }\n"
              "op { name: \"a\\000b\" type: \"C\" input: \"p:1\" input: \"p:1:0\" }\n"
              "op { type: \"D\" input: \"a\\000b\" input: \"\\xff\\376:0\" }\n"
              "op { name: \"a name that is much too long\" type: \"E\" }\n",
              &limits);
    const struct mi_tables *rows = &r.batch.rows;
    assert_true(r.ok);
    assert_int_equal(rows->nodes.count - 1, 5);
    assert_int_equal(rows->nodes.native_id[1], -1);
    assert_int_equal(rows->values.producer[in_value(&r, 3, 0)].v, 1);
    assert_int_equal(rows->values.producer[in_value(&r, 3, 1)].v, 1);
    assert_int_equal(rows->values.producer[in_value(&r, 4, 0)].v, 3);
    assert_int_equal(rows->values.kind[in_value(&r, 4, 1)], MI_VALUE_DANGLING);
    assert_text(&r, rows->nodes.name[5], "a name that is m");
    assert_int_equal(reading_diag(&r, "ge.string_cut"), 1);
    reading_fini(&r);
}

/* Keys of a dump that was made after the compression of attributes. */
static void compressed_keys(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r,
              "graph { op { type: \"A\" attr { key: \"\\000\\002\" value { i: 7 } }\n"
              "attr { key: \"\\000\\001\\002\" value { i: 8 } } } }",
              NULL);
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->items.int_value[item(&r, attr_named(&r, 1, "#1"), 0)], 7);
    assert_int_equal(rows->items.int_value[item(&r, attr_named(&r, 1, "#127"), 0)], 8);
    reading_fini(&r);
}

/* A graph within an attribute, and one within an attribute of that. */
static void graphs_in_attributes(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r,
              "graph { name: \"root\" op { name: \"s\" type: \"SuperKernel\"\n"
              " attr { key: \"_sk_sub_graph\" value { g { name: \"in\"\n"
              "  op { name: \"x\" type: \"Data\" }\n"
              "  op { name: \"y\" type: \"Relu\" input: \"x:0\" attr { key: \"more\" value {\n"
              "   list { g { name: \"deep\" op { name: \"z\" type: \"NoOp\" } } } } } } } } } }\n"
              " op { name: \"t\" type: \"NoOp\" } }\n"
              "graph { name: \"last\" op { name: \"u\" type: \"NoOp\" } }",
              NULL);
    const struct mi_tables *rows = &r.batch.rows;
    if (!r.ok)
        fail_msg("%s", r.err.text);
    assert_int_equal(rows->graphs.count - 1, 4);
    assert_int_equal(rows->nodes.count - 1, 6);
    assert_text(&r, rows->graphs.name[2], "in");
    assert_text(&r, rows->graphs.role[2], "_sk_sub_graph");
    assert_int_equal(rows->graphs.parent[2].v, node_named(&r, "s"));
    assert_text(&r, rows->graphs.name[3], "deep");
    assert_int_equal(rows->graphs.parent[3].v, node_named(&r, "y"));
    assert_int_equal(rows->nodes.graph[node_named(&r, "u")].v, 4);
    reading_fini(&r);
}

/* `count` times a text, between two others. */
static char *repeated(const char *before, const char *text, size_t count, const char *behind)
{
    size_t len = strlen(text), at = strlen(before);
    char *all = malloc(at + len * count + strlen(behind) + 1);
    assert_non_null(all);
    memcpy(all, before, at);
    for (size_t i = 0; i < count; i++, at += len)
        memcpy(all + at, text, len);
    memcpy(all + at, behind, strlen(behind) + 1);
    return all;
}

/* Nesting that the file chooses ends in an error, not on the stack. */
static void nested_deep(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum mi_code code;
    } cases[] = {{"attr { key: \"k\" value { t { desc { ", MI_ELIMIT},
                 {"attr { key: \"k\" value { func { ", MI_ELIMIT},
                 {"attr { key: \"k\" value { g { op { type: \"A\" ", MI_ELIMIT},
                 {"attr { value { func { ", MI_ELIMIT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading r;
        char *text = repeated("graph { op { type: \"A\" ", cases[i].text, 100000, "");
        read_text(&r, text, NULL);
        assert_false(r.ok);
        assert_int_equal(r.err.code, cases[i].code);
        reading_fini(&r);
        free(text);
    }
}

/* One token of a megabyte: a name is cut at no limit, weights and kernels are only measured. */
static void long_tokens(void **state)
{
    (void)state;
    struct reading r;
    char *text =
        repeated("graph { op { type: \"Const\" attr { key: \"value\" value { t { data: \"",
                 "\\001a\\\"", 300000, "\" } } } attr { key: \"b\" value { bt: 'x' } } } }");
    read_text(&r, text, NULL);
    if (!r.ok)
        fail_msg("%s", r.err.text);
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->values.data_bytes[out_value(&r, 1, 0)], 900000);
    assert_int_equal(rows->items.count > 100, 0);
    reading_fini(&r);
    free(text);
    text = repeated("graph { op { type: \"A\" name: \"", "n", 1000000, "\" } }");
    read_text(&r, text, NULL);
    assert_true(r.ok);
    assert_int_equal(mi_batch_text(&r.batch, r.batch.rows.nodes.name[1]).len, 1000000);
    reading_fini(&r);
    free(text);
}

static bool stop_at_once(void *user, uint64_t done_bytes)
{
    (void)done_bytes;
    ++*(int *)user;
    return false;
}

/* The user stops; a limit of rows is reached. */
static void stopped(void **state)
{
    (void)state;
    int calls = 0;
    struct mi_batch batch;
    struct mi_error err = MI_ERROR_INIT;
    char *text = repeated("graph { ", "op { name: \"a\" type: \"A\" }\n", 5000, "}");
    struct mi_source src = {.path = "test",
                            .bytes = mi_cstr(text),
                            .role = "",
                            .progress = stop_at_once,
                            .user = &calls};
    assert_true(mi_batch_init(&batch, src.bytes, &err));
    assert_false(mi_reader_find("ge_proto")->read(&src, &batch, &err));
    assert_int_equal(err.code, MI_ECANCELLED);
    assert_int_equal(calls, 1);
    assert_true(batch.rows.nodes.count > 1);
    mi_batch_fini(&batch);

    struct reading r;
    const struct mi_limits limits = {.max_rows = 100};
    read_text(&r, text, &limits);
    assert_int_equal(r.err.code, MI_ELIMIT);
    assert_true(r.batch.rows.nodes.count < 110);
    reading_fini(&r);
    free(text);
}

/* JSON that is cut or odd. */
static void json_damage(void **state)
{
    (void)state;
    struct reading r;
    const struct mi_reader *reader = mi_reader_find("atc_json");
    reading_bytes(&r, reader,
                  MI_LIT("{\"graph\":{\"op\":[{\"name\":\"a\tb\",\"type\":\"A\",\"id\":\"5\"},"
                         "{\"name\":\"\xff\",\"type\":\"B\",\"input\":\"a\tb:0\","
                         "\"attr\":{\"key\":\"k\",\"value\":{\"b\":\"true\"}},"
                         "\"output_desc\":[3,null,{\"shape\":{\"dim\":\"7\"}}],\"new\":[1]},"
                         "{\"name\":\"c\",\"ty"),
                  NULL, NULL);
    const struct mi_tables *rows = &r.batch.rows;
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_ETRUNCATED);
    assert_int_equal(rows->nodes.count - 1, 2);
    assert_int_equal(rows->nodes.native_id[1], 5);
    assert_int_equal(rows->values.producer[in_value(&r, 2, 0)].v, 1);
    assert_int_equal(rows->attrs.kind[attr_named(&r, 2, "k")], MI_ATTR_BOOL);
    assert_value(&r, out_value(&r, 2, 0), "", "", (const int64_t[]){7}, 1);
    assert_int_equal(reading_diag(&r, "ge.unknown_field"), 1);
    reading_fini(&r);
    char *deep = repeated("{\"graph\":[{\"op\":[{\"type\":\"A\",\"attr\":[",
                          "{\"key\":\"k\",\"value\":{\"t\":{\"desc\":{\"attr\":[", 5000, "");
    reading_bytes(&r, reader, mi_cstr(deep), NULL, NULL);
    assert_false(r.ok);
    reading_fini(&r);
    free(deep);
}

/* Text and JSON of other programs. */
static void not_claimed(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "graph",
        "graph { }",
        "graph { node { op_type: \"Relu\" } }",
        "op { name: \"Add\" }",
        "op { name: \"Add\" input_arg { name: \"x\" type: DT_FLOAT } }",
        "node { name: \"x\" op: \"Placeholder\" attr { key: \"T\" value { type: DT_FLOAT } } }",
        "layer { name: \"x\" type: \"Data\" }",
        "name: \"net\" layer { type: \"Data\" }",
        "op { name: \"x\" type: DT_FLOAT }",
        "{\"graph\": []}",
        "{\"graph\": [{\"op\": []}]}",
        "{\"graph\": [{\"op\": [{\"kind\": 1}]}]}",
        "{\"traceEvents\": []}",
        "{\"format\": \"other\", \"graph\": [{\"op\": [{\"type\": \"A\"}]}]}",
        "graph(\"x\")",
        "graph():",
        "import torchair",
        "x = ge.Data()"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mi_bytes bytes = mi_cstr(texts[i]);
        const struct mi_probe probe = {
            .path = "ge_proto_0_Build.txt", .head = bytes, .bytes = bytes};
        static const char *const readers[] = {"ge_proto",       "ge_onnx",     "ge_readable",
                                              "torchair_pbtxt", "torchair_py", "fx_text",
                                              "atc_json"};
        for (size_t k = 0; k < sizeof readers / sizeof *readers; k++)
            if (mi_reader_find(readers[k])->sniff(&probe))
                fail_msg("%s claims: %s", readers[k], texts[i]);
    }
}

/* Texts that a writer put into bytes are texts where the attribute is known; others are a size. */
static void texts_as_bytes(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r,
              "graph { op { name: \"a\" type: \"A\"\n"
              " attr { key: \"pass_name\" value { bt: \"P\\101ss\" } }\n"
              " attr { key: \"_datadump_original_op_names\" value { list { bt: \"fw/a\" } } }\n"
              " attr { key: \"other\" value { bt: \"P\\101ss\" } } } }",
              NULL);
    const struct mi_tables *rows = &r.batch.rows;
    assert_true(r.ok);
    assert_text(&r, rows->items.text[item(&r, attr_named(&r, 1, "pass_name"), 0)], "PAss");
    assert_text(&r, rows->items.text[item(&r, attr_named(&r, 1, "other"), 0)], "4 bytes");
    assert_int_equal(rows->recorded.count - 1, 1);
    assert_text(&r, rows->recorded.name[1], "fw/a");
    reading_fini(&r);
}

/* Names and texts as numbers, and what the dictionaries lack. */
static void compressed_attributes(void **state)
{
    (void)state;
    struct reading r;
    open_data(&r, "ge_proto/ge_proto_00000009_graph_2_AfterAttrsCompress.txt", "ge_proto");
    const struct mi_tables *rows = &r.batch.rows;
    assert_true(r.ok);
    uint32_t conv = node_named(&r, "conv"), relu = node_named(&r, "relu");
    assert_int_equal(rows->recorded.count - 1, 2);
    assert_text(&r, rows->recorded.name[1], "fw/conv");
    assert_text(&r, rows->recorded.name[2], "fw/relu");
    assert_int_equal(rows->groups.count - 1, 1);
    assert_text(&r, rows->groups.name[1], "7");
    uint32_t attr = attr_named(&r, conv, "_kernelname");
    assert_int_equal(rows->attrs.kind[attr], MI_ATTR_STRING);
    assert_text(&r, rows->items.text[rows->attrs.first_item[attr]], "te_conv");
    attr = attr_named(&r, conv, "strides");
    assert_int_equal(rows->attrs.kind[attr], MI_ATTR_INTS);
    assert_int_equal(rows->items.int_value[rows->attrs.first_item[attr] + 1], 4);
    assert_int_equal(rows->items.int_value[rows->attrs.first_item[attr_named(&r, conv, "#7")]], 5);
    attr = attr_named(&r, relu, "_kernelname");
    assert_text(&r, rows->items.text[rows->attrs.first_item[attr]], "#44");
    assert_int_equal(reading_diag(&r, "ge.attr_name_unknown"), 1);
    assert_int_equal(reading_diag(&r, "ge.attr_text_unknown"), 1);
    reading_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_nodes),
        cmocka_unit_test(plain_values),
        cmocka_unit_test(plain_attributes),
        cmocka_unit_test(odd_spelling),
        cmocka_unit_test(as_json),
        cmocka_unit_test(as_visual_json),
        cmocka_unit_test(cut),
        cmocka_unit_test(broken_values),
        cmocka_unit_test(broken_syntax),
        cmocka_unit_test(names),
        cmocka_unit_test(compressed_keys),
        cmocka_unit_test(graphs_in_attributes),
        cmocka_unit_test(nested_deep),
        cmocka_unit_test(long_tokens),
        cmocka_unit_test(stopped),
        cmocka_unit_test(json_damage),
        cmocka_unit_test(compressed_attributes),
        cmocka_unit_test(texts_as_bytes),
        cmocka_unit_test(not_claimed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
