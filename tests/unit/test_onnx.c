/* ONNX reader on small models with everything in them: what each row says. */
#include "onnx_find.h"

#include "check_batch.h"
#include "onnx_text.h"

#include <stdlib.h>
#include <string.h>

/* Reads one of the cases; the bytes live in `w`. */
static void read_case(struct reading *r, struct onnx_writer *w, const char *name)
{
    const char *complaint;
    *w = onnx_case_bytes(name);
    reading_bytes(r, mi_reader_find("onnx"), (struct mi_bytes){w->at, w->len}, NULL, NULL);
    complaint = check_batch(&r->batch);
    if (complaint)
        fail_msg("%s", complaint);
}

static void done(struct reading *r, struct onnx_writer *w)
{
    mi_batch_fini(&r->batch);
    onnx_writer_fini(w);
}

static void nodes_ports_values(void **state)
{
    (void)state;
    struct onnx_writer w;
    struct reading r;
    read_case(&r, &w, "plain");
    const struct mi_tables *rows = &r.batch.rows;
    assert_true(r.ok);
    assert_int_equal(rows->graphs.count, 2);
    assert_int_equal(rows->graphs.layer[1], MI_LAYER_FRAMEWORK);
    assert_int_equal(rows->graphs.kind[1], MI_GRAPH_MAIN);
    assert_text(&r, rows->graphs.name[1], "plain");
    uint32_t conv = node_named(&r, "conv"), relu = node_named(&r, "relu");
    assert_text(&r, rows->nodes.op[conv], "Conv");
    assert_int_equal(rows->nodes.domain[relu].v, 0); /* ai.onnx is the empty one */
    assert_int_equal(rows->nodes.position[relu], 1);
    assert_int_equal(rows->nodes.native_id[relu], -1);
    assert_int_equal(rows->nodes.stream[relu], -1);
    assert_int_equal(rows->nodes.in_count[conv], 2);
    assert_int_equal(in_value(&r, relu, 0), out_value(&r, conv, 0));
    uint32_t x = value_named(&r, 1, "x"), weights = value_named(&r, 1, "w");
    uint32_t c = value_named(&r, 1, "c");
    assert_int_equal(rows->values.kind[x], MI_VALUE_INPUT);
    assert_int_equal(rows->values.kind[weights], MI_VALUE_CONSTANT);
    assert_int_equal(rows->values.kind[c], MI_VALUE_ACTIVATION);
    assert_int_equal(rows->values.producer[c].v, conv);
    assert_int_equal(rows->values.dim_count[c], 4);
    assert_text(&r, rows->dims.symbol[rows->values.first_dim[c]], "N");
    assert_int_equal(rows->dims.size[rows->values.first_dim[c]], -1);
    assert_int_equal(rows->dims.size[rows->values.first_dim[c] + 2], 224);
    assert_int_equal(rows->dims.size[rows->values.first_dim[c] + 3], -1);
    assert_int_equal(rows->dims.symbol[rows->values.first_dim[c] + 3].v, 0);
    assert_text(&r, rows->values.dtype[c], "float32");
    assert_int_equal(rows->values.data_offset[c], -1);
    assert_int_equal(rows->values.data_bytes[weights], 24);
    assert_int_equal(w.at[rows->values.data_offset[weights]], 1);
    assert_int_equal(rows->graphs.in_count[1], 1);
    assert_int_equal(rows->ports.value[rows->graphs.first_in[1]].v, x);
    assert_int_equal(rows->ports.value[rows->graphs.first_out[1]].v, value_named(&r, 1, "y"));
    assert_int_equal(reading_diag(&r, "onnx.value_unused"), 1);
    assert_int_equal(r.batch.counts.in, 2);
    assert_int_equal(r.batch.counts.kept, 2);
    done(&r, &w);
}

static void facts_and_notes(void **state)
{
    (void)state;
    struct onnx_writer w;
    struct reading r;
    read_case(&r, &w, "plain");
    assert_fact(&r, "ir_version", "8");
    assert_fact(&r, "producer", "tests");
    assert_fact(&r, "producer_version", "1.0");
    assert_fact(&r, "opset:ai.onnx", "17");
    assert_fact(&r, "opset:com.microsoft", "1");
    assert_fact(&r, "metadata:author", "nobody");
    assert_fact(&r, "graph_doc", "a graph");
    uint32_t conv = node_named(&r, "conv"), doc = attr_named(&r, conv, "doc_string");
    assert_int_equal(r.batch.rows.attrs.kind[doc], MI_ATTR_OPAQUE);
    assert_text(&r, r.batch.rows.items.text[item(&r, doc, 0)], "from layer one");
    uint32_t meta = attr_named(&r, conv, "metadata:namespace");
    assert_text(&r, r.batch.rows.items.text[item(&r, meta, 0)], "net/one");
    done(&r, &w);
}

/* Version 3 lists weights as inputs, and has no types of attributes. */
static void version_3(void **state)
{
    (void)state;
    struct onnx_writer w;
    struct reading r;
    read_case(&r, &w, "version_3");
    const struct mi_tables *rows = &r.batch.rows;
    uint32_t weights = value_named(&r, 1, "w");
    assert_int_equal(rows->values.kind[weights], MI_VALUE_CONSTANT);
    assert_int_equal(rows->values.data_bytes[weights], 16);
    assert_int_equal(rows->graphs.in_count[1], 2);
    assert_int_equal(rows->values.count, 5);
    assert_int_equal(reading_diag(&r, "onnx.value_twice"), 0);
    assert_int_equal(rows->nodes.name[1].v, 0);
    uint32_t min = attr_named(&r, 1, "min");
    assert_int_equal(rows->attrs.kind[min], MI_ATTR_FLOAT);
    assert_true(rows->items.real_value[item(&r, min, 0)] == -1.5);
    done(&r, &w);
}

static void bodies(void **state)
{
    (void)state;
    struct onnx_writer w;
    struct reading r;
    read_case(&r, &w, "bodies");
    const struct mi_tables *rows = &r.batch.rows;
    uint32_t loop = node_named(&r, "loop"), branch_node = node_named(&r, "if");
    assert_int_equal(rows->graphs.count, 5);
    uint32_t body = rows->items.graph[item(&r, attr_named(&r, loop, "body"), 0)].v;
    uint32_t branch = rows->items.graph[item(&r, attr_named(&r, branch_node, "then_branch"), 0)].v;
    assert_int_equal(rows->graphs.parent[body].v, loop);
    assert_text(&r, rows->graphs.role[body], "body");
    assert_int_equal(rows->graphs.kind[body], MI_GRAPH_SUBGRAPH);
    assert_int_equal(rows->graphs.parent[branch].v, branch_node);
    assert_text(&r, rows->graphs.role[branch], "then_branch");
    assert_text(&r, rows->graphs.name[branch], "then");

    /* From the branch through the body to the main graph, one row in each. */
    uint32_t inner = value_named(&r, branch, "deep"), between = value_named(&r, body, "deep");
    uint32_t origin = value_named(&r, 1, "deep");
    assert_int_equal(rows->values.kind[inner], MI_VALUE_OUTER);
    assert_int_equal(rows->values.outer[inner].v, between);
    assert_int_equal(rows->values.kind[between], MI_VALUE_OUTER);
    assert_int_equal(rows->values.outer[between].v, origin);
    assert_int_equal(rows->values.kind[origin], MI_VALUE_ACTIVATION);
    assert_int_equal(rows->values.outer[value_named(&r, branch, "mid")].v,
                     value_named(&r, body, "mid"));
    assert_int_equal(rows->values.kind[value_named(&r, branch, "nowhere")], MI_VALUE_DANGLING);
    assert_int_equal(rows->values.kind[value_named(&r, branch, "shadow")], MI_VALUE_ACTIVATION);
    assert_int_equal(reading_diag(&r, "onnx.dangling"), 1);
    assert_int_equal(reading_diag(&r, "onnx.shadow"), 1);
    assert_int_equal(in_value(&r, node_named(&r, "sum"), 0), inner);
    done(&r, &w);
}

static void functions(void **state)
{
    (void)state;
    struct onnx_writer w;
    struct reading r;
    read_case(&r, &w, "functions");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->graphs.count, 3);
    assert_int_equal(rows->graphs.kind[2], MI_GRAPH_FUNCTION);
    assert_text(&r, rows->graphs.name[2], "Scale");
    assert_text(&r, rows->graphs.domain[2], "my.domain");
    assert_int_equal(rows->graphs.parent[2].v, 0);
    assert_int_equal(rows->graphs.in_count[2], 1);
    assert_int_equal(rows->graphs.out_count[2], 1);
    assert_text(&r, rows->nodes.op[2], "Softmax");
    assert_int_equal(rows->nodes.graph[2].v, 2);
    uint32_t axis = attr_named(&r, 2, "axis");
    assert_int_equal(rows->attrs.kind[axis], MI_ATTR_REFERENCE);
    assert_text(&r, rows->items.text[item(&r, axis, 0)], "axis");
    assert_int_equal(in_value(&r, 2, 0), value_named(&r, 2, "a"));
    assert_int_equal(reading_diag(&r, "onnx.dangling"), 0);
    done(&r, &w);
}

static void attributes(void **state)
{
    (void)state;
    struct onnx_writer w;
    struct reading r;
    read_case(&r, &w, "attributes");
    const struct mi_tables *rows = &r.batch.rows;
    static const struct {
        const char *name;
        enum mi_attr_kind kind;
        uint32_t count;
    } wanted[] = {{"int", MI_ATTR_INT, 1},         {"zero", MI_ATTR_INT, 1},
                  {"float", MI_ATTR_FLOAT, 1},     {"string", MI_ATTR_STRING, 1},
                  {"tensor", MI_ATTR_TENSOR, 1},   {"graph", MI_ATTR_GRAPH, 1},
                  {"floats", MI_ATTR_FLOATS, 3},   {"ints", MI_ATTR_INTS, 3},
                  {"strings", MI_ATTR_STRINGS, 2}, {"type", MI_ATTR_TYPE, 1},
                  {"sparse", MI_ATTR_TENSOR, 1},   {"future", MI_ATTR_OPAQUE, 1}};
    size_t count = sizeof wanted / sizeof *wanted;
    assert_int_equal(rows->nodes.attr_count[1], count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t attr = rows->nodes.first_attr[1] + i;
        assert_text(&r, rows->attrs.name[attr], wanted[i].name);
        assert_int_equal(rows->attrs.kind[attr], wanted[i].kind);
        assert_int_equal(rows->attrs.item_count[attr], wanted[i].count);
    }
#define ITEM(attr, k) item(&r, attr_named(&r, 1, attr), k)
    assert_int_equal(rows->items.int_value[ITEM("int", 0)], -7);
    assert_int_equal(rows->items.int_value[ITEM("zero", 0)], 0);
    assert_true(rows->items.real_value[ITEM("float", 0)] == 0.25);
    struct mi_bytes text = mi_batch_text(&r.batch, rows->items.text[ITEM("string", 0)]);
    assert_int_equal(text.len, 5);
    assert_memory_equal(text.at, "a\0b<\xff", 5);
    assert_true(text.at > w.at && text.at < w.at + w.len); /* borrowed */
    assert_true(rows->items.real_value[ITEM("floats", 2)] == 1.0);
    assert_int_equal(rows->items.int_value[ITEM("ints", 1)], 2);
    assert_int_equal(rows->items.int_value[ITEM("ints", 2)], -1);
    assert_text(&r, rows->items.text[ITEM("strings", 0)], "one");
    assert_text(&r, rows->items.text[ITEM("type", 0)], "tensor(float32)");
    assert_text(&r, rows->items.text[ITEM("future", 0)], "onnx:99");
    assert_int_equal(reading_diag(&r, "onnx.attr_type"), 1);

    /* The tensor is called y like the output, which stays what y means. */
    uint32_t tensor = rows->items.value[ITEM("tensor", 0)].v;
    assert_int_equal(rows->values.kind[tensor], MI_VALUE_CONSTANT);
    assert_int_equal(rows->values.name[tensor].v, 0);
    assert_int_equal(rows->values.data_bytes[tensor], 8);
    assert_int_equal(rows->values.producer[value_named(&r, 1, "y")].v, 1);
    uint32_t sparse = rows->items.value[ITEM("sparse", 0)].v;
    assert_text(&r, rows->values.type[sparse], "sparse_tensor(float32)");
    assert_int_equal(rows->values.dim_count[sparse], 2);
    assert_int_equal(rows->dims.size[rows->values.first_dim[sparse] + 1], 200);
    uint32_t graph = rows->items.graph[ITEM("graph", 0)].v;
    assert_int_equal(rows->graphs.parent[graph].v, 1);
#undef ITEM
    done(&r, &w);
}

static void types(void **state)
{
    (void)state;
    struct onnx_writer w;
    struct reading r;
    read_case(&r, &w, "types");
    const struct mi_values *values = &r.batch.rows.values;
    uint32_t seq = value_named(&r, 1, "seq"), opt = value_named(&r, 1, "opt");
    assert_text(&r, values->type[seq], "sequence(map(int64,tensor(float32)))");
    assert_text(&r, values->dtype[seq], "float32");
    assert_int_equal(values->has_shape[seq], 0);
    assert_text(&r, values->type[opt], "optional(tensor(string))");
    assert_int_equal(values->has_shape[opt], 1);
    assert_int_equal(values->dim_count[opt], 0);
    assert_text(&r, values->type[value_named(&r, 1, "sparse")], "sparse_tensor(float32)");
    uint32_t unknown = value_named(&r, 1, "odd");
    assert_text(&r, values->dtype[unknown], "onnx:99");
    assert_int_equal(values->type[unknown].v, 0);
    assert_text(&r, values->type[value_named(&r, 1, "opaque")], "opaque(dom,Thing)");
    struct mi_bytes deep = mi_batch_text(&r.batch, values->type[value_named(&r, 1, "deep")]);
    assert_int_equal(deep.len, 40 * 10 + strlen("map(int64,tensor(float32))"));
    done(&r, &w);
}

static void tensors(void **state)
{
    (void)state;
    static const struct {
        const char *name, *dtype, *form, *path;
        int64_t bytes;
        bool has_offset;
        int first; /* byte at the offset; -1: not looked at */
    } wanted[] = {{"raw", "float32", "", "", 12, true, 0},
                  {"floats", "float32", "", "", 12, true, 0},
                  {"longs", "int64", "varint", "", 4, true, 1},
                  {"single", "float32", "fields", "", 10, true, 4 << 3 | 5},
                  {"texts", "string", "fields", "", 7, true, 6 << 3 | 2},
                  {"out", "float32", "", "weights/../w.bin", 12, true, -1},
                  {"sparse", "float32", "", "", 12, true, 0},
                  {"none", "float32", "", "", -1, false, -1},
                  {"half", "int4", "", "", 3, true, 0x21},
                  {"empty", "uint8", "", "", 0, true, -1}};
    struct onnx_writer w;
    struct reading r;
    read_case(&r, &w, "tensors");
    const struct mi_values *values = &r.batch.rows.values;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        uint32_t v = value_named(&r, 1, wanted[i].name);
        assert_int_equal(values->kind[v], MI_VALUE_CONSTANT);
        assert_text(&r, values->dtype[v], wanted[i].dtype);
        assert_text(&r, values->data_form[v], wanted[i].form);
        assert_text(&r, values->data_path[v], wanted[i].path);
        assert_int_equal(values->data_bytes[v], wanted[i].bytes);
        assert_int_equal(values->data_offset[v] >= 0, wanted[i].has_offset);
        if (wanted[i].first >= 0)
            assert_int_equal(w.at[values->data_offset[v]], wanted[i].first);
    }
    assert_int_equal(values->data_offset[value_named(&r, 1, "out")], 4096);
    assert_int_equal(reading_diag(&r, "onnx.tensor_without_data"), 1);
    assert_int_equal(reading_diag(&r, "onnx.tensor_size"), 0);
    done(&r, &w);
}

static void doubtful(void **state)
{
    (void)state;
    struct onnx_writer w;
    struct reading r;
    read_case(&r, &w, "odd");
    assert_true(r.ok);
    assert_int_equal(r.batch.rows.nodes.count, 5);
    assert_int_equal(reading_diag(&r, "onnx.node_name_twice"), 1);
    assert_int_equal(reading_diag(&r, "onnx.order"), 1);
    assert_int_equal(reading_diag(&r, "onnx.value_twice"), 1);
    assert_int_equal(reading_diag(&r, "onnx.opset_absurd"), 1);
    assert_int_equal(reading_diag(&r, "onnx.unknown_field"), 2);
    assert_int_equal(reading_diag(&r, "onnx.node_without_op"), 1);
    /* The later definition is what later nodes read. */
    assert_int_equal(in_value(&r, node_named(&r, "fourth"), 0),
                     out_value(&r, node_named(&r, "third"), 0));
    done(&r, &w);

    read_case(&r, &w, "empty");
    assert_true(r.ok);
    assert_int_equal(reading_diag(&r, "onnx.graph_empty"), 1);
    assert_int_equal(reading_diag(&r, "onnx.opset_missing"), 1);
    assert_int_equal(r.batch.rows.graphs.in_count[1], 1);
    done(&r, &w);
}

/* The role in the manifest decides, whichever reader it is. */
static void roles(void **state)
{
    (void)state;
    struct onnx_writer w = onnx_case_bytes("plain");
    struct mi_bytes bytes = {w.at, w.len};
    static const struct {
        const char *reader, *role;
        enum mi_layer layer;
    } wanted[] = {{"onnx", "", MI_LAYER_FRAMEWORK},
                  {"onnx", MI_ROLE_OPTIMISED_MODEL, MI_LAYER_COMPILED},
                  {"ort_onnx", "", MI_LAYER_COMPILED},
                  {"ort_onnx", MI_ROLE_SOURCE_MODEL, MI_LAYER_FRAMEWORK}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct reading r;
        reading_bytes(&r, mi_reader_find(wanted[i].reader), bytes, wanted[i].role, NULL);
        assert_int_equal(r.batch.rows.graphs.layer[1], wanted[i].layer);
        mi_batch_fini(&r.batch);
    }
    onnx_writer_fini(&w);
}

/* A cut keeps the nodes before it and says where the file ends. */
static void truncated(void **state)
{
    (void)state;
    struct onnx_writer w = onnx_case_bytes("bodies");
    uint32_t before = 0;
    for (size_t len = 1; len < w.len; len++) {
        uint8_t *part = malloc(len);
        struct reading r;
        assert_non_null(part);
        memcpy(part, w.at, len);
        reading_bytes(&r, mi_reader_find("onnx"), (struct mi_bytes){part, len}, NULL, NULL);
        if (!r.ok) {
            assert_true(r.err.code == MI_ETRUNCATED || r.err.code == MI_EFORMAT);
            assert_true(r.err.offset <= len);
        }
        /* Nodes of bodies vanish for a moment while the fields of their parent are cut. */
        assert_true(r.batch.counts.kept + 1 >= (int64_t)before);
        before = (uint32_t)r.batch.counts.kept;
        mi_batch_fini(&r.batch);
        free(part);
    }
    assert_int_equal(before, 9);
    onnx_writer_fini(&w);
}

/* Damage inside one node loses that node and no other. */
static void broken_node(void **state)
{
    (void)state;
    struct onnx_writer w = {0};
    struct reading r;
    onnx_int(&w, 1, 8);
    size_t graph = onnx_begin(&w, 7);
    onnx_node(&w, "one", "Relu", "", "x", "a");
    onnx_bytes(&w, 1, "\x0a\x7f", 2); /* an input of 127 bytes in a node of two */
    size_t node = onnx_node_begin(&w, "three", "Relu", "", "a", "b");
    onnx_bytes(&w, 5, "\x0a\x01k\x18", 4); /* an attribute cut inside */
    onnx_attr_int(&w, "whole", 3);
    onnx_end(&w, node);
    onnx_end(&w, graph);
    reading_bytes(&r, mi_reader_find("onnx"), (struct mi_bytes){w.at, w.len}, NULL, NULL);
    assert_true(r.ok);
    assert_int_equal(r.batch.counts.in, 3);
    assert_int_equal(r.batch.counts.kept, 2);
    assert_int_equal(r.batch.counts.lost, 1);
    assert_int_equal(reading_diag(&r, "onnx.node_broken"), 1);
    assert_int_equal(reading_diag(&r, "onnx.attr_broken"), 1);
    uint32_t three = node_named(&r, "three"), whole = attr_named(&r, three, "whole");
    assert_int_equal(r.batch.rows.nodes.position[three], 2);
    assert_int_equal(r.batch.rows.items.int_value[item(&r, whole, 0)], 3);
    done(&r, &w);
}

/* Bodies in bodies, `depth` deep. */
static void nest(struct onnx_writer *w, unsigned depth)
{
    size_t begins[400][3];
    for (unsigned i = 0; i < depth; i++) {
        begins[i][0] = onnx_node_begin(w, "", "If", "", "c", "");
        begins[i][1] = onnx_attr_begin(w, "then_branch", 5);
        begins[i][2] = onnx_begin(w, 6);
    }
    onnx_node(w, "innermost", "Relu", "", "x", "y");
    for (unsigned i = depth; i-- > 0;)
        for (unsigned k = 3; k-- > 0;)
            onnx_end(w, begins[i][k]);
}

static void limits(void **state)
{
    (void)state;
    struct onnx_writer w = {0};
    struct reading r;
    const struct mi_limits few_rows = {.max_rows = 4}, short_names = {.max_string_bytes = 3};
    onnx_int(&w, 1, 8);
    size_t graph = onnx_begin(&w, 7);
    nest(&w, 300);
    onnx_value(&w, 11, "c", 9, "");
    onnx_value(&w, 11, "x", 1, "2");
    onnx_end(&w, graph);
    struct mi_bytes bytes = {w.at, w.len};
    reading_bytes(&r, mi_reader_find("onnx"), bytes, NULL, NULL);
    assert_true(r.ok);
    assert_int_equal(reading_diag(&r, "onnx.too_deep"), 1);
    assert_int_equal(r.batch.rows.nodes.count - 1, 256);
    mi_batch_fini(&r.batch);

    reading_bytes(&r, mi_reader_find("onnx"), bytes, NULL, &few_rows);
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_ELIMIT);
    mi_batch_fini(&r.batch);

    reading_bytes(&r, mi_reader_find("onnx"), bytes, NULL, &short_names);
    assert_true(reading_diag(&r, "onnx.string_cut") > 0);
    done(&r, &w);
}

/* Long lists and many dimensions are cut with a notice, whatever their encoding. */
static void long_lists(void **state)
{
    (void)state;
    static uint8_t ones[100000];
    struct onnx_writer w = {0};
    struct reading r;
    memset(ones, 1, sizeof ones);
    onnx_int(&w, 1, 8);
    size_t graph = onnx_begin(&w, 7);
    size_t node = onnx_node_begin(&w, "n", "Trees", "ai.onnx.ml", "x", "y");
    size_t attr = onnx_attr_begin(&w, "ids", 7);
    onnx_bytes(&w, 8, ones, sizeof ones);
    onnx_end(&w, attr);
    onnx_end(&w, node);
    size_t tensor = onnx_begin(&w, 5);
    onnx_bytes(&w, 1, ones, sizeof ones);
    onnx_text(&w, 8, "x");
    onnx_end(&w, tensor);
    onnx_end(&w, graph);
    reading_bytes(&r, mi_reader_find("onnx"), (struct mi_bytes){w.at, w.len}, NULL, NULL);
    assert_true(r.ok);
    assert_int_equal(reading_diag(&r, "onnx.attr_long"), 1);
    assert_int_equal(r.batch.rows.attrs.item_count[1], 65536);
    assert_true(reading_diag(&r, "onnx.rank") > 0);
    assert_int_equal(r.batch.rows.values.dim_count[value_named(&r, 1, "x")], 1024);
    done(&r, &w);
}

static bool stop(void *user, uint64_t done_bytes)
{
    *(uint64_t *)user = done_bytes;
    return false;
}

static void cancelled(void **state)
{
    (void)state;
    struct onnx_writer w = {0};
    struct mi_batch batch;
    struct mi_error err = MI_ERROR_INIT;
    uint64_t at = 0;
    size_t graph = onnx_begin(&w, 7);
    for (int i = 0; i < 10000; i++)
        onnx_node(&w, "", "Relu", "", "x", "x");
    onnx_end(&w, graph);
    struct mi_source src = {
        .path = "m.onnx", .bytes = {w.at, w.len}, .role = "", .progress = stop, .user = &at};
    assert_true(mi_batch_init(&batch, src.bytes, &err));
    assert_false(mi_reader_find("onnx")->read(&src, &batch, &err));
    assert_int_equal(err.code, MI_ECANCELLED);
    assert_true(at > 0 && batch.rows.nodes.count < 10000);
    mi_batch_fini(&batch);
    onnx_writer_fini(&w);
}

static void layouts(void **state)
{
    (void)state;
    struct onnx_writer w = {0};
    struct reading r;
    onnx_from_text(&w, "in x\n"
                       "c1 com.microsoft.nchwc:Conv x a\n"
                       "relu Relu a b\n"
                       "add Add b,x c\n"
                       "out com.microsoft.nchwc:ReorderOutput c d\n"
                       "neg Neg d e\n"
                       "pool com.microsoft:NhwcMaxPool e y\n"
                       "out y\n");
    for (unsigned layer = MI_LAYER_FRAMEWORK; layer <= MI_LAYER_COMPILED; layer++) {
        bool compiled = layer == MI_LAYER_COMPILED;
        reading_bytes(&r, mi_reader_find("onnx"), (struct mi_bytes){w.at, w.len},
                      compiled ? "optimised" : "source", NULL);
        assert_true(r.ok);
        static const char *const names[] = {"x", "a", "b", "c", "d", "e", "y"};
        static const char *const wanted[] = {"", "NCHWc", "NCHWc", "NCHWc", "", "", "NHWC"};
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            assert_text(&r, r.batch.rows.values.format[value_named(&r, 1, names[i])],
                        compiled ? wanted[i] : "");
        mi_batch_fini(&r.batch);
    }
    onnx_writer_fini(&w);
}

/* Read by force, anything else ends in an error. */
static void no_model(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "<!DOCTYPE html>", "\x08\x08", "version https://"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct reading r;
        reading_bytes(&r, mi_reader_find("onnx"), mi_cstr(texts[i]), NULL, NULL);
        assert_false(r.ok);
        assert_int_not_equal(r.err.code, MI_OK);
        mi_batch_fini(&r.batch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_ports_values),
        cmocka_unit_test(facts_and_notes),
        cmocka_unit_test(version_3),
        cmocka_unit_test(bodies),
        cmocka_unit_test(functions),
        cmocka_unit_test(attributes),
        cmocka_unit_test(types),
        cmocka_unit_test(tensors),
        cmocka_unit_test(doubtful),
        cmocka_unit_test(roles),
        cmocka_unit_test(truncated),
        cmocka_unit_test(broken_node),
        cmocka_unit_test(limits),
        cmocka_unit_test(long_lists),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(layouts),
        cmocka_unit_test(no_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
