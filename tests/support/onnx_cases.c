/* Small ONNX models with everything in them; see the header. */
#include "onnx_cases.h"

#include <stdlib.h>
#include <string.h>

enum { FLOAT = 1, UINT8 = 2, INT64 = 7, STRING = 8, BOOL = 9, INT4 = 22 };

static size_t begin_model(struct onnx_writer *w, int64_t ir_version)
{
    onnx_int(w, 1, ir_version);
    onnx_text(w, 2, "tests");
    onnx_text(w, 3, "1.0");
    size_t graph = onnx_begin(w, 7);
    return graph;
}

static void end_model(struct onnx_writer *w, size_t graph)
{
    onnx_end(w, graph);
    onnx_opset(w, "", 17);
}

/* x -> Conv(w, absent bias) -> Relu -> y, with symbolic and unknown dimensions. */
static void plain(struct onnx_writer *w)
{
    static const int64_t dims[] = {2, 3, 1, 1}, pads[] = {0, 0, 0, 0};
    static const uint8_t weights[24] = {1};
    size_t graph = begin_model(w, 8);
    size_t conv = onnx_node_begin(w, "conv", "Conv", "", "x,w,", "c");
    onnx_attr_ints(w, "pads", pads, 4);
    onnx_attr_int(w, "group", 1);
    onnx_text(w, 6, "from layer one");
    size_t pair = onnx_begin(w, 9);
    onnx_text(w, 1, "namespace");
    onnx_text(w, 2, "net/one");
    onnx_end(w, pair);
    onnx_end(w, conv);
    onnx_node(w, "relu", "Relu", "ai.onnx", "c", "y");
    onnx_text(w, 2, "plain");
    onnx_tensor(w, 5, "w", FLOAT, dims, 4, weights, sizeof weights);
    onnx_text(w, 10, "a graph");
    onnx_value(w, 11, "x", FLOAT, "N,3,224,?");
    onnx_value(w, 12, "y", FLOAT, "N,2,224,?");
    onnx_value(w, 13, "c", FLOAT, "N,2,224,?");
    onnx_value(w, 13, "gone", FLOAT, "1");
    end_model(w, graph);
    onnx_opset(w, "com.microsoft", 1);
    size_t meta = onnx_begin(w, 14);
    onnx_text(w, 1, "author");
    onnx_text(w, 2, "nobody");
    onnx_end(w, meta);
}

/* The same as version 3 wrote it: the initialiser is an input too, no types of attributes. */
static void version_3(struct onnx_writer *w)
{
    static const int64_t dims[] = {4};
    static const uint8_t data[16] = {2};
    size_t graph = begin_model(w, 3);
    size_t node = onnx_node_begin(w, "", "Clip", "", "x", "c");
    size_t attr = onnx_attr_begin(w, "min", 0);
    onnx_float(w, 2, -1.5F);
    onnx_end(w, attr);
    onnx_end(w, node);
    onnx_node(w, "", "Add", "", "c,w", "y");
    onnx_value(w, 11, "x", FLOAT, "4");
    onnx_value(w, 11, "w", FLOAT, "4");
    onnx_tensor(w, 5, "w", FLOAT, dims, 1, data, sizeof data);
    onnx_value(w, 12, "y", FLOAT, "4");
    end_model(w, graph);
}

/* An attribute of type GRAPH; its content follows until both are ended. */
static size_t begin_body(struct onnx_writer *w, const char *attr_name, size_t *graph)
{
    size_t attr = onnx_attr_begin(w, attr_name, 5);
    *graph = onnx_begin(w, 6);
    return attr;
}

static void end_body(struct onnx_writer *w, size_t attr, size_t graph)
{
    onnx_end(w, graph);
    onnx_end(w, attr);
}

/* If in a Loop body: the branch uses `deep` from two graphs up and `mid` from one up; `shadow`
 * exists inside and outside; `nowhere` exists in no graph. */
static void bodies(struct onnx_writer *w)
{
    size_t graph = begin_model(w, 8), body_graph, branch_graph;
    onnx_node(w, "first", "Relu", "", "x", "deep");
    onnx_node(w, "other", "Relu", "", "x", "shadow");
    size_t loop = onnx_node_begin(w, "loop", "Loop", "", "trip,cond", "y");
    size_t body = begin_body(w, "body", &body_graph);
    onnx_node(w, "middle", "Neg", "", "i", "mid");
    size_t cond = onnx_node_begin(w, "if", "If", "", "c", "out");
    size_t branch = begin_body(w, "then_branch", &branch_graph);
    onnx_node(w, "sum", "Add", "", "deep,mid", "t");
    onnx_node(w, "lost", "Add", "", "t,nowhere", "shadow");
    onnx_text(w, 2, "then");
    onnx_value(w, 12, "shadow", FLOAT, NULL);
    end_body(w, branch, branch_graph);
    branch = begin_body(w, "else_branch", &branch_graph);
    onnx_node(w, "copy", "Identity", "", "deep", "e");
    onnx_value(w, 12, "e", FLOAT, NULL);
    end_body(w, branch, branch_graph);
    onnx_end(w, cond);
    onnx_value(w, 11, "i", INT64, "");
    onnx_value(w, 11, "c", BOOL, "");
    onnx_value(w, 12, "c", BOOL, "");
    onnx_value(w, 12, "out", FLOAT, NULL);
    end_body(w, body, body_graph);
    onnx_end(w, loop);
    onnx_node(w, "last", "Relu", "", "y", "z");
    onnx_value(w, 11, "x", FLOAT, "2,2");
    onnx_value(w, 11, "trip", INT64, "");
    onnx_value(w, 11, "cond", BOOL, "");
    onnx_value(w, 12, "z", FLOAT, NULL);
    end_model(w, graph);
}

/* A model-local function with a reference to its own attribute, and a call of it. */
static void functions(struct onnx_writer *w)
{
    size_t graph = begin_model(w, 8);
    size_t call = onnx_node_begin(w, "call", "Scale", "my.domain", "x", "y");
    onnx_attr_int(w, "axis", 1);
    onnx_end(w, call);
    onnx_value(w, 11, "x", FLOAT, "4");
    onnx_value(w, 12, "y", FLOAT, "4");
    end_model(w, graph);
    onnx_opset(w, "my.domain", 1);
    size_t function = onnx_begin(w, 25);
    onnx_text(w, 1, "Scale");
    onnx_text(w, 4, "a");
    onnx_text(w, 5, "b");
    onnx_text(w, 6, "axis");
    size_t node = onnx_begin(w, 7);
    onnx_text(w, 1, "a");
    onnx_text(w, 2, "b");
    onnx_text(w, 4, "Softmax");
    size_t attr = onnx_attr_begin(w, "axis", 2);
    onnx_text(w, 21, "axis");
    onnx_end(w, attr);
    onnx_end(w, node);
    size_t opset = onnx_begin(w, 9);
    onnx_int(w, 2, 17);
    onnx_end(w, opset);
    onnx_text(w, 10, "my.domain");
    onnx_end(w, function);
}

static void float_list(struct onnx_writer *w, const char *name, size_t count)
{
    size_t attr = onnx_attr_begin(w, name, 6);
    for (size_t i = 0; i < count; i++)
        onnx_float(w, 7, 0.5F * (float)i);
    onnx_end(w, attr);
}

/* Each kind of attribute, also of unknown type, without value, and packed. */
static void attributes(struct onnx_writer *w)
{
    static const int64_t dims[] = {2};
    static const uint8_t packed[] = {1, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
    size_t graph = begin_model(w, 8), body, attr;
    size_t node = onnx_node_begin(w, "n", "Many", "custom", "x", "y");
    onnx_attr_int(w, "int", -7);
    onnx_end(w, onnx_attr_begin(w, "zero", 2));
    attr = onnx_attr_begin(w, "float", 1);
    onnx_float(w, 2, 0.25F);
    onnx_end(w, attr);
    attr = onnx_attr_begin(w, "string", 3);
    onnx_bytes(w, 4, "a\0b<\xff", 5);
    onnx_end(w, attr);
    attr = onnx_attr_begin(w, "tensor", 4);
    onnx_tensor(w, 5, "y", FLOAT, dims, 1, "\0\0\0\0\0\0\0\0", 8);
    onnx_end(w, attr);
    attr = begin_body(w, "graph", &body);
    onnx_node(w, "inner", "Relu", "", "x", "r");
    end_body(w, attr, body);
    float_list(w, "floats", 3);
    attr = onnx_attr_begin(w, "ints", 7);
    onnx_bytes(w, 8, packed, sizeof packed);
    onnx_end(w, attr);
    attr = onnx_attr_begin(w, "strings", 8);
    onnx_text(w, 9, "one");
    onnx_text(w, 9, "");
    onnx_end(w, attr);
    attr = onnx_attr_begin(w, "type", 13);
    size_t type = onnx_begin(w, 14), tensor = onnx_begin(w, 1);
    onnx_int(w, 1, FLOAT);
    onnx_end(w, tensor);
    onnx_end(w, type);
    onnx_end(w, attr);
    attr = onnx_attr_begin(w, "sparse", 11);
    size_t sparse = onnx_begin(w, 22);
    onnx_tensor(w, 1, "", FLOAT, dims, 1, "\0\0\0\0\0\0\0\0", 8);
    onnx_int(w, 3, 100);
    onnx_int(w, 3, 200);
    onnx_end(w, sparse);
    onnx_end(w, attr);
    onnx_end(w, onnx_attr_begin(w, "future", 99));
    onnx_end(w, node);
    onnx_value(w, 11, "x", FLOAT, "2");
    onnx_value(w, 12, "y", FLOAT, "2");
    end_model(w, graph);
}

/* A value info whose TypeProto is `depth` sequences around a map from int64 to a tensor. */
static void nested_type(struct onnx_writer *w, uint32_t field, const char *name, unsigned depth)
{
    size_t begins[64][2], value = onnx_begin(w, field);
    onnx_text(w, 1, name);
    size_t type = onnx_begin(w, 2);
    for (unsigned i = 0; i < depth; i++) {
        begins[i][0] = onnx_begin(w, 4);
        begins[i][1] = onnx_begin(w, 1);
    }
    size_t map = onnx_begin(w, 5);
    onnx_int(w, 1, INT64);
    size_t inner = onnx_begin(w, 2), tensor = onnx_begin(w, 1);
    onnx_int(w, 1, FLOAT);
    onnx_end(w, tensor);
    onnx_end(w, inner);
    onnx_end(w, map);
    for (unsigned i = depth; i-- > 0;) {
        onnx_end(w, begins[i][1]);
        onnx_end(w, begins[i][0]);
    }
    onnx_end(w, type);
    onnx_end(w, value);
}

/* Kinds of values: sequences, maps, optional, sparse, opaque, unknown element type. */
static void types(struct onnx_writer *w)
{
    size_t graph = begin_model(w, 8);
    onnx_node(w, "n", "Any", "custom", "seq,deep,opt,sparse,odd,opaque", "y");
    nested_type(w, 11, "seq", 1);
    nested_type(w, 11, "deep", 40);
    size_t value = onnx_begin(w, 11);
    onnx_text(w, 1, "opt");
    size_t type = onnx_begin(w, 2), optional = onnx_begin(w, 9), elem = onnx_begin(w, 1);
    size_t tensor = onnx_begin(w, 1);
    onnx_int(w, 1, STRING);
    onnx_end(w, onnx_begin(w, 2));
    onnx_end(w, tensor);
    onnx_end(w, elem);
    onnx_end(w, optional);
    onnx_end(w, type);
    onnx_end(w, value);
    value = onnx_begin(w, 11);
    onnx_text(w, 1, "sparse");
    type = onnx_begin(w, 2);
    tensor = onnx_begin(w, 8);
    onnx_int(w, 1, FLOAT);
    onnx_end(w, tensor);
    onnx_end(w, type);
    onnx_end(w, value);
    onnx_value(w, 11, "odd", 99, "1,-5");
    value = onnx_begin(w, 11);
    onnx_text(w, 1, "opaque");
    type = onnx_begin(w, 2);
    tensor = onnx_begin(w, 7);
    onnx_text(w, 1, "dom");
    onnx_text(w, 2, "Thing");
    onnx_end(w, tensor);
    onnx_end(w, type);
    onnx_end(w, value);
    onnx_value(w, 12, "y", FLOAT, NULL);
    end_model(w, graph);
}

static void external(struct onnx_writer *w, const char *key, const char *text)
{
    size_t pair = onnx_begin(w, 13);
    onnx_text(w, 1, key);
    onnx_text(w, 2, text);
    onnx_end(w, pair);
}

/* Ways to hold numbers: raw, packed, one field each, strings, in another file, sparse, absent. */
static void tensors(struct onnx_writer *w)
{
    static const int64_t dims[] = {3};
    static const uint8_t varints[] = {1, 0x80, 0x01, 3}, floats[12] = {0};
    size_t graph = begin_model(w, 8), tensor;
    onnx_node(w, "n", "Sum", "", "raw,floats,longs,single,texts,out,sparse,none,half,empty", "y");
    onnx_tensor(w, 5, "raw", FLOAT, dims, 1, floats, sizeof floats);
    tensor = onnx_begin(w, 5);
    onnx_bytes(w, 4, floats, sizeof floats); /* before dims: any order is fine */
    onnx_bytes(w, 1, "\3", 1);
    onnx_int(w, 2, FLOAT);
    onnx_text(w, 8, "floats");
    onnx_end(w, tensor);
    tensor = onnx_begin(w, 5);
    onnx_int(w, 1, 3);
    onnx_int(w, 2, INT64);
    onnx_bytes(w, 7, varints, sizeof varints);
    onnx_text(w, 8, "longs");
    onnx_end(w, tensor);
    tensor = onnx_begin(w, 5);
    onnx_int(w, 1, 2);
    onnx_int(w, 2, FLOAT);
    onnx_float(w, 4, 1.0F);
    onnx_float(w, 4, 2.0F);
    onnx_text(w, 8, "single");
    onnx_end(w, tensor);
    tensor = onnx_begin(w, 5);
    onnx_int(w, 1, 2);
    onnx_int(w, 2, STRING);
    onnx_text(w, 6, "a");
    onnx_text(w, 6, "bc");
    onnx_text(w, 8, "texts");
    onnx_end(w, tensor);
    tensor = onnx_begin(w, 5);
    onnx_int(w, 1, 3);
    onnx_int(w, 2, FLOAT);
    onnx_text(w, 8, "out");
    external(w, "location", "weights/../w.bin");
    external(w, "offset", "4096");
    onnx_int(w, 14, 1);
    onnx_end(w, tensor);
    size_t sparse = onnx_begin(w, 15);
    onnx_tensor(w, 1, "sparse", FLOAT, dims, 1, floats, sizeof floats);
    tensor = onnx_begin(w, 2);
    onnx_int(w, 1, 3);
    onnx_int(w, 2, INT64);
    onnx_bytes(w, 7, "\1\2\3", 3);
    onnx_end(w, tensor);
    onnx_int(w, 3, 1000);
    onnx_end(w, sparse);
    tensor = onnx_begin(w, 5);
    onnx_int(w, 1, 7);
    onnx_int(w, 2, FLOAT);
    onnx_text(w, 8, "none");
    onnx_end(w, tensor);
    static const int64_t five[] = {5}, zero[] = {0, 4};
    onnx_tensor(w, 5, "half", INT4, five, 1, "\x21\x43\x05", 3);
    onnx_tensor(w, 5, "empty", UINT8, zero, 2, "", 0);
    onnx_value(w, 12, "y", FLOAT, NULL);
    end_model(w, graph);
}

/* Doubtful in every way that still is a graph: cycle, double names, absurd operator set, unknown
 * fields, an operator without a type. */
static void odd(struct onnx_writer *w)
{
    onnx_int(w, 1, 8);
    onnx_int(w, 99, 1);
    size_t graph = onnx_begin(w, 7);
    onnx_node(w, "same", "Add", "", "x,b", "a");
    onnx_node(w, "same", "Relu", "", "a", "b");
    onnx_node(w, "third", "Relu", "", "x", "b");
    onnx_node(w, "fourth", "", "", "b", "y");
    onnx_text(w, 77, "later");
    onnx_value(w, 11, "x", FLOAT, "4");
    onnx_value(w, 12, "y", FLOAT, "4");
    onnx_end(w, graph);
    onnx_opset(w, "", 9999);
}

static void empty(struct onnx_writer *w)
{
    size_t graph = begin_model(w, 8);
    onnx_value(w, 11, "x", FLOAT, "4");
    onnx_value(w, 12, "x", FLOAT, "4");
    onnx_end(w, graph);
}

/* What ONNX Runtime's writer leaves: its own operator sets, used or not. */
static void optimised(struct onnx_writer *w)
{
    static const char *const domains[] = {"com.microsoft.experimental",
                                          "ai.onnx.ml",
                                          "ai.onnx.training",
                                          "ai.onnx.preview.training",
                                          "com.microsoft",
                                          "com.microsoft.nchwc",
                                          "org.pytorch.aten"};
    static const int64_t dims[] = {16, 3, 1, 1};
    static const uint8_t weights[192] = {1};
    size_t graph = begin_model(w, 8);
    size_t conv = onnx_node_begin(w, "conv_nchwc", "Conv", "com.microsoft.nchwc", "x,w", "c");
    size_t attr = onnx_attr_begin(w, "activation", 3);
    onnx_text(w, 4, "Relu");
    onnx_end(w, attr);
    onnx_end(w, conv);
    onnx_node(w, "ReorderOutput", "ReorderOutput", "com.microsoft.nchwc", "c", "y");
    onnx_tensor(w, 5, "w", FLOAT, dims, 4, weights, sizeof weights);
    onnx_value(w, 11, "x", FLOAT, "1,3,8,8");
    onnx_value(w, 12, "y", FLOAT, "1,2,8,8");
    end_model(w, graph);
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        onnx_opset(w, domains[i], 1);
}

const struct onnx_case onnx_cases[] = {
    {"onnx", "attributes", attributes},
    {"onnx", "bodies", bodies},
    {"onnx", "empty", empty},
    {"onnx", "functions", functions},
    {"onnx", "odd", odd},
    {"onnx", "plain", plain},
    {"onnx", "tensors", tensors},
    {"onnx", "types", types},
    {"onnx", "version_3", version_3},
    {"ort_onnx", "optimised", optimised},
};

const size_t onnx_case_count = sizeof onnx_cases / sizeof *onnx_cases;

struct onnx_writer onnx_case_bytes(const char *name)
{
    struct onnx_writer w = {0};
    for (size_t i = 0; i < onnx_case_count; i++)
        if (strcmp(onnx_cases[i].name, name) == 0)
            onnx_cases[i].write(&w);
    if (w.len == 0)
        abort();
    return w;
}
