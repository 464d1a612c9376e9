/* Types of tensors: each rule on a hand-built node, what devices report, what contradicts what; and
 * on real models that definitions and reports agree. */
#include "correlate/types/types.h"

#include "correlate/types/types.def"
#include "joining.h"
#include "model/links.h"
#include "onnx_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FOLDER "samples/onnxruntime/"

/* --- models --- */

struct typed {
    struct joining joining;
    struct onnx_writer framework, compiled;
};

static struct mi_tables *rows_of(struct typed *t)
{
    return &t->joining.model.all.rows;
}

static void enter(struct typed *t, const char *framework, const char *compiled)
{
    *t = (struct typed){0};
    joining_init(&t->joining);
    onnx_from_text(&t->framework, framework);
    joining_bytes(&t->joining, "onnx", (struct mi_bytes){t->framework.at, t->framework.len}, "f");
    if (!compiled)
        return;
    onnx_from_text(&t->compiled, compiled);
    joining_bytes(&t->joining, "ort_onnx", (struct mi_bytes){t->compiled.at, t->compiled.len}, "c");
}

static void fill(struct typed *t)
{
    assert_true(mi_model_index_graphs(&t->joining.model, &t->joining.err));
    assert_true(mi_fill_types(&t->joining.model, &t->joining.err));
    assert_true(mi_model_freeze(&t->joining.model, &t->joining.err));
}

static void leave(struct typed *t)
{
    joining_fini(&t->joining);
    onnx_writer_fini(&t->framework);
    onnx_writer_fini(&t->compiled);
}

/* The value of that name in the first graph of the layer that has one which is no capture. */
static uint32_t value_of(struct typed *t, enum mi_layer layer, const char *name)
{
    const struct mi_tables *rows = rows_of(t);
    for (uint32_t v = 1; v < rows->values.count; v++)
        if (rows->values.kind[v] != MI_VALUE_OUTER &&
            rows->graphs.layer[rows->values.graph[v].v] == layer &&
            mi_bytes_equal(mi_model_text(&t->joining.model, rows->values.name[v]), mi_cstr(name)))
            return v;
    fail_msg("no tensor %s", name);
    return 0;
}

/* "float32[1,N,?]", "float32", "[2]", "" */
static const char *type_text(struct typed *t, uint32_t v)
{
    static char text[256];
    const struct mi_tables *rows = rows_of(t);
    struct mi_bytes dtype = mi_model_text(&t->joining.model, rows->values.dtype[v]);
    int len = snprintf(text, sizeof text, "%.*s", (int)dtype.len, (const char *)dtype.at);
    for (uint32_t i = 0; rows->values.has_shape[v] && i <= rows->values.dim_count[v]; i++) {
        uint32_t dim = rows->values.first_dim[v] + i;
        len += snprintf(text + len, sizeof text - (size_t)len, "%s", i ? "" : "[");
        if (i == rows->values.dim_count[v]) {
            snprintf(text + len, sizeof text - (size_t)len, "]");
            break;
        }
        struct mi_bytes symbol = mi_model_text(&t->joining.model, rows->dims.symbol[dim]);
        const char *comma = i ? "," : "";
        if (rows->dims.size[dim] >= 0)
            len += snprintf(text + len, sizeof text - (size_t)len, "%s%lld", comma,
                            (long long)rows->dims.size[dim]);
        else
            len += snprintf(text + len, sizeof text - (size_t)len, "%s%.*s", comma,
                            symbol.len ? (int)symbol.len : 1,
                            symbol.len ? (const char *)symbol.at : "?");
    }
    return text;
}

static void check_in(struct typed *t, enum mi_layer layer, const char *name, const char *type,
                     enum mi_known dtype_from, enum mi_known shape_from)
{
    uint32_t v = value_of(t, layer, name);
    if (strcmp(type_text(t, v), type) != 0)
        fail_msg("%s is %s, not %s", name, type_text(t, v), type);
    assert_int_equal(rows_of(t)->values.dtype_from[v], dtype_from);
    assert_int_equal(rows_of(t)->values.shape_from[v], shape_from);
}

static void check(struct typed *t, const char *name, const char *type)
{
    bool has_shape = strchr(type, '[') != NULL;
    check_in(t, MI_LAYER_FRAMEWORK, name, type,
             *type && *type != '[' ? MI_KNOWN_DERIVED : MI_KNOWN_NOT,
             has_shape ? MI_KNOWN_DERIVED : MI_KNOWN_NOT);
}

static const char *diag_text(const struct joining *joining, const char *code, int64_t *times)
{
    static char text[512];
    const struct mi_diags *diags = &joining->model.all.rows.diags;
    *times = 0;
    text[0] = 0;
    for (uint32_t d = 1; d < diags->count; d++) {
        if (!mi_bytes_equal(mi_model_text(&joining->model, diags->code[d]), mi_cstr(code)))
            continue;
        struct mi_bytes found = mi_model_text(&joining->model, diags->text[d]);
        *times += diags->times[d];
        snprintf(text, sizeof text, "%.*s", (int)found.len, (const char *)found.at);
    }
    return text;
}

static int64_t conflicts(struct typed *t)
{
    int64_t times;
    diag_text(&t->joining, "types.conflict", &times);
    return times;
}

/* --- rules --- */

static const struct rule_case {
    const char *op;
    const char *inputs; /* element types of TensorProto; 0 = absent */
    const char *attr;   /* line of the node */
    const char *outputs;
} rule_cases[] = {
    {"Relu", "1", NULL, "float32[2,3]"},
    {"Identity", "9", NULL, "bool[2,3]"},
    {"Add", "10 10", NULL, "float16[2,3]"},
    {"MatMul", "11 11", NULL, "float64"},
    {"Conv", "16 16", NULL, "bfloat16"},
    {"Cast", "1", "attr to 10", "float16[2,3]"},
    {"Cast", "1", "attr to 0", "[2,3]"},
    {"Cast", "1", "attr to 99", "[2,3]"},
    {"Cast", "1", "text to FLOAT16", "[2,3]"},
    {"CastLike", "1 3", NULL, "int8[2,3]"},
    {"Shape", "1", NULL, "int64[2]"},
    {"Equal", "7 7", NULL, "bool[2,3]"},
    {"Not", "9", NULL, "bool[2,3]"},
    {"TopK", "1 7", NULL, "float32 int64"},
    {"MaxPool", "3", NULL, "int8 int64"},
    {"ArgMax", "1", NULL, "int64[1,3]"},
    {"Where", "9 7 7", NULL, "int64[2,3]"},
    {"OneHot", "7 7 10", NULL, "float16"},
    {"Gather", "1 7", NULL, "float32[2,3,3]"},
    {"Split", "10", NULL,
     "float16[?,3] float16[?,3] float16[?,3] float16[?,3] float16[?,3] float16[?,3]"},
    {"BatchNormalization", "10 10 10 1 1", NULL, "float16[2,3] float32 float32"},
    {"LayerNormalization", "10 10", NULL, "float16[2,3] float32 float32"},
    {"LayerNormalization", "1 1", "attr stash_type 11", "float32[2,3] float64"},
    {"Dropout", "1", NULL, "float32[2,3] "},
    {"QuantizeLinear", "1 1 3", NULL, "int8[2,3]"},
    {"QuantizeLinear", "1 1", NULL, "uint8[2,3]"},
    {"QuantizeLinear", "1 1", "attr output_dtype 5", "int16[2,3]"},
    {"QuantizeLinear", "1 1 4", "attr output_dtype 0", "uint16[2,3]"},
    {"DequantizeLinear", "2 10 2", NULL, "float16[2,3]"},
    {"DynamicQuantizeLinear", "1", NULL, "uint8[2,3] float32 uint8"},
    {"QLinearConv", "2 1 2 3 1 3 1 3", NULL, "int8"},
    {"ConvInteger", "2 2", NULL, "int32"},
    {"EyeLike", "6", NULL, "int32[2,3]"},
    {"EyeLike", "6", "attr dtype 1", "float32[2,3]"},
    {"RandomNormal", "", NULL, "float32"},
    {"ConstantOfShape", "7", NULL, "float32"},
    {"LSTM", "10 10 10", NULL, "float16 float16 float16"},
    {"com.microsoft:QGemm", "2 1 2 3 1 3 0 1 2", NULL, "uint8"},
    {"com.microsoft:QGemm", "2 1 2 3 1 3", NULL, "float32"},
    {"com.microsoft:QAttention", "2 3 1 1 1", NULL, "float32"},
    {"com.microsoft:FusedConv", "1 1", NULL, "float32"},
    {"com.microsoft:SkipLayerNormalization", "10 10 10", NULL,
     "float16[2,3] float32 float32 float16"},
    {"com.microsoft.nchwc:Conv", "1 1", NULL, "float32"},
    {"com.ms.internal.nhwc:Relu", "1", NULL, "float32"},
    {"com.ms.internal.nhwc:MaxPool", "1", NULL, "float32"},
    {"ai.onnx.ml:TreeEnsembleClassifier", "11", NULL, " float32"},
    {"ai.onnx.ml:Scaler", "11", NULL, "float32"},
    {"Unheard", "1", NULL, ""},
    {"vendor.own:Relu", "1", NULL, ""},
    {"com.microsoft:Unheard", "1", NULL, ""},
    {"Relu", "0", NULL, ""},
    {"Add", "", NULL, ""},
};

/* The next word of a list separated by single blanks, which may be empty; false at the end. */
static bool next_word(const char **list, char *word, size_t room)
{
    if (!*list)
        return false;
    size_t len = strcspn(*list, " ");
    snprintf(word, room, "%.*s", (int)len, *list);
    *list = (*list)[len] ? *list + len + 1 : NULL;
    return true;
}

static void write_case(char *text, size_t room, const struct rule_case *c, size_t number)
{
    char word[64], inputs[256] = "", outputs[256] = "", values[512] = "";
    const char *list = *c->inputs ? c->inputs : NULL;
    for (int i = 0; next_word(&list, word, sizeof word); i++) {
        size_t at = strlen(inputs);
        bool is_there = strcmp(word, "0") != 0;
        snprintf(inputs + at, sizeof inputs - at, "%si%d", i ? "," : "", i);
        if (!is_there)
            inputs[strlen(inputs) - 2] = 0;
        else
            snprintf(values + strlen(values), sizeof values - strlen(values), "in i%d %s 2,3\n", i,
                     word);
    }
    list = c->outputs;
    for (int i = 0; next_word(&list, word, sizeof word); i++)
        snprintf(outputs + strlen(outputs), sizeof outputs - strlen(outputs), "%so%d", i ? "," : "",
                 i);
    snprintf(text, room, "n%zu %s %s %s\n%s\n%s", number, c->op, *inputs ? inputs : "-", outputs,
             c->attr ? c->attr : "", values);
}

static void test_rules(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof rule_cases / sizeof *rule_cases; c++) {
        char text[2048], word[64], name[16];
        const char *list = rule_cases[c].outputs;
        struct typed t;
        write_case(text, sizeof text, &rule_cases[c], c);
        enter(&t, text, NULL);
        fill(&t);
        for (int i = 0; next_word(&list, word, sizeof word); i++) {
            snprintf(name, sizeof name, "o%d", i);
            check(&t, name, word);
        }
        assert_int_equal(conflicts(&t), 0);
        leave(&t);
    }
}

/* The table is sorted, without doubles, and names types that exist. */
static void test_table(void **state)
{
    (void)state;
    static const struct {
        const char *domain, *op;
    } table[] = {
#define ROW(domain, op, ...) {domain, op},
        MI_TYPE_RULES(ROW)
#undef ROW
    };
    size_t count = sizeof table / sizeof *table;
    assert_true(count > 200);
    for (size_t i = 1; i < count; i++) {
        int order = strcmp(table[i - 1].domain, table[i].domain);
        if (order > 0 || (order == 0 && strcmp(table[i - 1].op, table[i].op) >= 0))
            fail_msg("%s %s stands too late", table[i].domain, table[i].op);
    }
#define MI_NUMBER(number, name) +1
    assert_int_equal(0 MI_DTYPE_TABLE(MI_NUMBER), 26);
#undef MI_NUMBER
}

/* --- through graphs --- */

static void test_chain(void **state)
{
    (void)state;
    struct typed t;
    enter(&t,
          "in x 1 2,N\n"
          "a Relu x a\nb Cast a b\nattr to 10\nc vendor.own:Thing b c\nd Relu c d\n"
          "s Shape b s\ne Cast d e\nattr to 7\nf Add e,s f\n",
          NULL);
    fill(&t);
    check_in(&t, MI_LAYER_FRAMEWORK, "x", "float32[2,N]", MI_KNOWN_DECLARED, MI_KNOWN_DECLARED);
    check(&t, "a", "float32[2,N]");
    check(&t, "b", "float16[2,N]");
    check(&t, "c", "");
    check(&t, "d", "");
    check(&t, "s", "int64[2]");
    check(&t, "e", "int64");
    check(&t, "f", "int64");
    leave(&t);
}

/* Nodes that stand in the wrong order, and a cycle that can never be known. */
static void test_order(void **state)
{
    (void)state;
    struct typed t;
    enter(&t, "in x 1 4\nb Neg a b\na Abs x a\np Add q,x p\nq Neg r q\nr Abs q r\n", NULL);
    fill(&t);
    check(&t, "a", "float32[4]");
    check(&t, "b", "float32[4]");
    check(&t, "q", "");
    check(&t, "p", "");
    leave(&t);
}

static void test_bodies(void **state)
{
    (void)state;
    struct typed t;
    enter(&t,
          "in x 10 2,2\nin trip 7 -\nin go 9 -\n"
          "deep Relu x deep\n"
          "loop Loop trip,go,x final,stack\n"
          "{ body\n"
          "in turn 0\nin cond 0\nin carried 0\nout again 0\nout next 0\nout row 0\n"
          "again Identity cond again\nnext Add carried,deep next\nrow Cast turn row\nattr to 6\n"
          "inner Relu deep inner\n"
          "}\n"
          "choice If go chosen\n"
          "{ then_branch\nout yes 0\nyes Neg deep yes\n}\n"
          "{ else_branch\nout no 0\nno vendor.own:Thing deep no\n}\n",
          NULL);
    fill(&t);
    check(&t, "turn", "int64");
    check(&t, "cond", "bool");
    check(&t, "carried", "float16");
    check(&t, "next", "float16");
    check(&t, "inner", "float16[2,2]");
    check(&t, "final", "float16");
    check(&t, "stack", "int32");
    check(&t, "yes", "float16[2,2]");
    check(&t, "no", "");
    check(&t, "chosen", "float16");
    /* a captured tensor is what it stands for */
    const struct mi_values *values = &rows_of(&t)->values;
    unsigned captured = 0;
    for (uint32_t v = 1; v < values->count; v++)
        if (values->kind[v] == MI_VALUE_OUTER) {
            assert_string_equal(type_text(&t, v), "float16[2,2]");
            assert_int_equal(values->dtype_from[v], MI_KNOWN_DERIVED);
            captured++;
        }
    assert_true(captured >= 3);
    leave(&t);
}

/* Branches that contradict each other give something that is never known. */
static void test_varies(void **state)
{
    (void)state;
    struct typed t;
    enter(&t,
          "in go 9 -\nin x 1 2\nin y 7 2\nchoice If go chosen\n"
          "{ then_branch\nout a 0\na Identity x a\n}\n{ else_branch\nout b 0\nb Identity y b\n}\n"
          "z Relu chosen z\n",
          NULL);
    fill(&t);
    check(&t, "a", "float32[2]");
    check(&t, "chosen", "");
    check(&t, "z", "");
    leave(&t);
}

static void test_functions(void **state)
{
    (void)state;
    static const char function[] = "function my.own Twice a b\nm Relu a m\nn Neg m b\nend\n";
    char text[512];
    struct typed t;
    snprintf(text, sizeof text, "in x 10 2\nu my.own:Twice x p\nv my.own:Twice p q\n%s", function);
    enter(&t, text, NULL);
    fill(&t);
    check(&t, "p", ""); /* its own result comes back in: not before all callers are known */
    leave(&t);
    snprintf(text, sizeof text, "in x 10 2\nin y 10 3\nu my.own:Twice x p\nv my.own:Twice y q\n%s",
             function);
    enter(&t, text, NULL);
    fill(&t);
    check(&t, "m", "float16");
    check(&t, "p", "float16");
    check(&t, "q", "float16");
    leave(&t);
    snprintf(text, sizeof text, "in x 10 2\nin y 1 3\nu my.own:Twice x p\nv my.own:Twice y q\n%s",
             function);
    enter(&t, text, NULL);
    fill(&t);
    check(&t, "m", "");
    check(&t, "p", "");
    leave(&t);
}

static void test_constants(void **state)
{
    (void)state;
    static const int64_t dims[] = {2};
    struct typed t;
    enter(&t, "k Constant - k\nattr value_int 3\nn Neg w n\nconst w 1\n", NULL);
    size_t graph = onnx_begin(&t.compiled, 7); /* a second model, byte by byte */
    size_t node = onnx_node_begin(&t.compiled, "c", "Constant", "", "", "c");
    size_t attr = onnx_attr_begin(&t.compiled, "value", 4);
    onnx_tensor(&t.compiled, 5, "", 7, dims, 1, "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
    onnx_end(&t.compiled, attr);
    onnx_end(&t.compiled, node);
    node = onnx_node_begin(&t.compiled, "o", "ConstantOfShape", "", "c", "o");
    attr = onnx_attr_begin(&t.compiled, "value", 4);
    onnx_tensor(&t.compiled, 5, "", 9, dims, 0, "\1", 1);
    onnx_end(&t.compiled, attr);
    onnx_end(&t.compiled, node);
    onnx_end(&t.compiled, graph);
    onnx_opset(&t.compiled, "", 17);
    joining_bytes(&t.joining, "onnx", (struct mi_bytes){t.compiled.at, t.compiled.len}, "g");
    fill(&t);
    check(&t, "k", "int64[]");
    check(&t, "n", "float32[1]");
    check(&t, "c", "int64[2]");
    check(&t, "o", "bool");
    leave(&t);
}

/* --- contradictions --- */

static void test_conflict(void **state)
{
    (void)state;
    int64_t times;
    struct typed t;
    enter(&t, "in x 1 2,3\na Relu x a\ntype a 10 2,3\nb Neg a b\nc Abs x c\ntype c 1 4,3\n", NULL);
    fill(&t);
    check_in(&t, MI_LAYER_FRAMEWORK, "a", "float16[2,3]", MI_KNOWN_DECLARED, MI_KNOWN_DECLARED);
    check(&t, "b", "float16[2,3]"); /* follows what is declared */
    check_in(&t, MI_LAYER_FRAMEWORK, "c", "float32[4,3]", MI_KNOWN_DECLARED, MI_KNOWN_DECLARED);
    assert_string_equal(diag_text(&t.joining, "types.conflict", &times),
                        "the tensor \"a\" is declared as float16, but its operator gives float32");
    assert_int_equal(times, 2);
    leave(&t);
}

/* --- graphs made to be slow --- */

enum { TANGLE = 3000 };

/* An If whose result i is what stands in result i of another one (or i - 1: `back`). */
static void write_tangle(struct onnx_writer *w, char name, char other, int back)
{
    static char names[TANGLE * 8];
    size_t len = 0;
    for (int i = 0; i < TANGLE; i++)
        len += (size_t)snprintf(names + len, sizeof names - len, "%s%c%d", i ? "," : "", name, i);
    size_t node = onnx_node_begin(w, "if", "If", "", "go", names);
    size_t attr = onnx_attr_begin(w, "then_branch", 5), body = onnx_begin(w, 6);
    for (int i = 0; i < TANGLE; i++) {
        char from[16], to[16];
        if (i < back)
            snprintf(from, sizeof from, "start");
        else
            snprintf(from, sizeof from, "%c%d", other, i - back);
        snprintf(to, sizeof to, "%c_%d", name, i);
        onnx_node(w, to, "Identity", "", from, to);
        size_t out = onnx_begin(w, 12);
        onnx_text(w, 1, to);
        onnx_end(w, out);
    }
    onnx_end(w, body);
    onnx_end(w, attr);
    onnx_end(w, node);
}

/* Two that feed each other make a chain along which each is looked at thousands of times. */
static void test_tangle(void **state)
{
    (void)state;
    int64_t times;
    struct typed t = {0};
    joining_init(&t.joining);
    onnx_int(&t.framework, 1, 8);
    size_t graph = onnx_begin(&t.framework, 7);
    write_tangle(&t.framework, 'a', 'b', 1);
    write_tangle(&t.framework, 'b', 'a', 0);
    onnx_value(&t.framework, 11, "go", 9, "");
    onnx_value(&t.framework, 11, "start", 1, "2");
    onnx_node(&t.framework, "n", "Neg", "", "start", "n");
    onnx_end(&t.framework, graph);
    onnx_opset(&t.framework, "", 17);
    joining_bytes(&t.joining, "onnx", (struct mi_bytes){t.framework.at, t.framework.len}, "f");
    fill(&t);
    diag_text(&t.joining, "types.cut_off", &times);
    assert_int_equal(times, 1);
    check(&t, "n", "");
    leave(&t);
}

/* --- observed --- */

/* A task of the node that reports `outputs`. */
static void add_task(struct typed *t, enum mi_layer layer, const char *node, const char *outputs,
                     enum mi_confidence confidence)
{
    struct mi_batch *all = &t->joining.model.all;
    for (uint32_t n = 1; n < all->rows.nodes.count; n++) {
        if (all->rows.graphs.layer[all->rows.nodes.graph[n].v] != layer ||
            !mi_bytes_equal(mi_batch_text(all, all->rows.nodes.name[n]), mi_cstr(node)))
            continue;
        if (all->rows.tracks.count < 2)
            mi_add_track(all, &(struct mi_track_row){.source = {1}});
        mi_kernel_id kernel =
            mi_add_kernel(all, &(struct mi_kernel_row){.source = {1},
                                                       .op = all->rows.nodes.op[n],
                                                       .outputs = mi_batch_cstr(all, outputs)});
        mi_task_id task = mi_add_task(
            all, &(struct mi_task_row){.track = {1}, .kernel = kernel, .record_offset = -1});
        mi_link_add(all, &(struct mi_executed_row){
                             .node = {n}, .task = task, .confidence = (uint8_t)confidence});
        return;
    }
    fail_msg("no node %s", node);
}

static void link_nodes(struct typed *t, const char *framework, const char *compiled,
                       enum mi_confidence confidence)
{
    struct mi_batch *all = &t->joining.model.all;
    uint32_t found[3] = {0};
    for (uint32_t n = 1; n < all->rows.nodes.count; n++) {
        unsigned layer = all->rows.graphs.layer[all->rows.nodes.graph[n].v];
        const char *name = layer == MI_LAYER_COMPILED ? compiled : framework;
        if (mi_bytes_equal(mi_batch_text(all, all->rows.nodes.name[n]), mi_cstr(name)))
            found[layer] = n;
    }
    mi_add_lowered(all, &(struct mi_lowered_row){.framework = {found[MI_LAYER_FRAMEWORK]},
                                                 .compiled = {found[MI_LAYER_COMPILED]},
                                                 .role = MI_ROLE_COMPUTED,
                                                 .confidence = (uint8_t)confidence});
}

#define OBSERVED MI_KNOWN_OBSERVED

/* Without a compiled graph tasks stand at the framework nodes. */
static void test_observed(void **state)
{
    (void)state;
    static const enum mi_layer layer = MI_LAYER_FRAMEWORK;
    struct typed t;
    enter(&t,
          "in x 1 2,3\na own:A x a\nb own:B x b\nc own:C x c,,d\ne own:E x e\nf own:F x f\n"
          "g own:G x g\nh own:H x h\ni own:I x i\nr Relu a r\n",
          NULL);
    add_task(&t, layer, "a", "float16[2,3]", MI_CERTAIN);
    add_task(&t, layer, "a", "float16[2,5]", MI_CERTAIN); /* sizes differ */
    add_task(&t, layer, "a", "float16[2,3]", MI_CERTAIN);
    add_task(&t, layer, "b", "float16[2,3]", MI_CERTAIN);
    add_task(&t, layer, "b", "float32[2]", MI_CERTAIN); /* all differs */
    add_task(&t, layer, "c", "int64[];bool[7]", MI_LIKELY);
    add_task(&t, layer, "e", "int64[];bool[7]", MI_CERTAIN); /* one too many */
    add_task(&t, layer, "f", "", MI_CERTAIN);
    add_task(&t, layer, "g", "float32[2", MI_CERTAIN);
    add_task(&t, layer, "h", "int64[1]", MI_GUESS);
    add_task(&t, layer, "i", "opaque[1]", MI_CERTAIN);
    fill(&t);
    check_in(&t, layer, "a", "float16[2,?]", OBSERVED, OBSERVED);
    check(&t, "r", "float16[2,?]");
    check(&t, "b", "");
    check_in(&t, layer, "c", "int64[]", OBSERVED, OBSERVED);
    check_in(&t, layer, "d", "bool[7]", OBSERVED, OBSERVED);
    check(&t, "e", "");
    check(&t, "f", "");
    check(&t, "g", "");
    check(&t, "h", "");
    check_in(&t, layer, "i", "[1]", MI_KNOWN_NOT, OBSERVED);
    assert_int_equal(conflicts(&t), 0);
    leave(&t);
}

/* To the framework graph go the tensors that are the same: equal name, linked makers, own layout.
 */
static void test_observed_twins(void **state)
{
    (void)state;
    struct typed t;
    enter(&t, "in x\na own:A x a\nb own:B a b\nc own:C b c\nd own:D c d\nout d 0\n",
          "in x\na own:A x a\nb com.microsoft.nchwc:Conv a b\nc com.microsoft:QLinearConv b c\n"
          "attr channels_last 1\nd own:D c d\nout d 0\n");
    add_task(&t, MI_LAYER_COMPILED, "a", "float32[1,2]", MI_CERTAIN);
    add_task(&t, MI_LAYER_COMPILED, "b", "float32[1,16]", MI_CERTAIN);
    add_task(&t, MI_LAYER_COMPILED, "c", "uint8[1,16]", MI_CERTAIN);
    add_task(&t, MI_LAYER_COMPILED, "d", "uint8[4]", MI_CERTAIN);
    link_nodes(&t, "a", "a", MI_CERTAIN);
    link_nodes(&t, "b", "b", MI_LIKELY);
    link_nodes(&t, "c", "c", MI_LIKELY);
    link_nodes(&t, "d", "d", MI_GUESS);
    fill(&t);
    check_in(&t, MI_LAYER_COMPILED, "b", "float32[1,16]", OBSERVED, OBSERVED);
    check_in(&t, MI_LAYER_FRAMEWORK, "a", "float32[1,2]", OBSERVED, OBSERVED);
    check_in(&t, MI_LAYER_FRAMEWORK, "b", "float32", OBSERVED, MI_KNOWN_NOT);
    check_in(&t, MI_LAYER_FRAMEWORK, "c", "uint8", OBSERVED, MI_KNOWN_NOT);
    check_in(&t, MI_LAYER_FRAMEWORK, "d", "", MI_KNOWN_NOT, MI_KNOWN_NOT);
    leave(&t);
}

static void test_observed_conflict(void **state)
{
    (void)state;
    int64_t times;
    struct typed t;
    enter(&t, "in x 1 2,3\na own:A x a\ntype a 10 2,N\nr Relu x r\n", NULL);
    add_task(&t, MI_LAYER_FRAMEWORK, "a", "float32[2,9]", MI_CERTAIN);
    add_task(&t, MI_LAYER_FRAMEWORK, "r", "float16[2,3]", MI_CERTAIN);
    fill(&t);
    check_in(&t, MI_LAYER_FRAMEWORK, "a", "float16[2,N]", MI_KNOWN_DECLARED, MI_KNOWN_DECLARED);
    check_in(&t, MI_LAYER_FRAMEWORK, "r", "float16[2,3]", OBSERVED, OBSERVED);
    assert_string_equal(diag_text(&t.joining, "types.conflict", &times),
                        "the tensor \"a\" is declared as float16, but the device reported float32");
    assert_int_equal(times, 2);
    leave(&t);
}

/* --- real models --- */

static const char *const samples[][2] = {
    {"bert_attention", "seq1"},
    {"bert_tiny", "seq1"},
    {"bert_tiny", "ort1201seq1"},
    {"control_flow", "seq1"},
    {"custom_domain", "seq1"},
    {"functions", "seq1"},
    {"qdq_net", "seq1"},
    {"inception_branches", "seq1"},
    {"inception_branches", "par2"},
    {"resnet18_q", "seq1"},
    {"mobilenetv3_w25", "seq1"},
    {"inception_branches", "ort1131par"},
};

static const char *sample_path(size_t sample, bool has_run, const char *suffix)
{
    char below[256];
    snprintf(below, sizeof below, FOLDER "%s%s%s%s", samples[sample][0], has_run ? "." : "",
             has_run ? samples[sample][1] : "", suffix);
    return shared_path(below);
}

static void load(struct joining *joining, size_t sample, bool has_profile)
{
    joining_init(joining);
    if (!joining_file(joining, "onnx", sample_path(sample, false, ".onnx")))
        skip();
    assert_true(joining_file(joining, "ort_onnx", sample_path(sample, true, ".opt.onnx")));
    if (has_profile)
        assert_true(
            joining_file(joining, "ort_profile", sample_path(sample, true, ".profile.json")));
    assert_true(joining_run(joining));
}

struct agreement {
    unsigned dtypes, shapes, unknown, all;
};

/* The same rows without and with the profile: what was derived is what was observed. */
static void compare(const struct joining *graphs, const struct joining *all, struct agreement *sum)
{
    const struct mi_values *a = &graphs->model.all.rows.values, *b = &all->model.all.rows.values;
    const int64_t *size_a = graphs->model.all.rows.dims.size,
                  *size_b = all->model.all.rows.dims.size;
    assert_int_equal(a->count, b->count);
    for (uint32_t v = 1; v < a->count; v++) {
        sum->all++;
        sum->unknown += b->dtype_from[v] == MI_KNOWN_NOT;
        if (a->dtype_from[v] == MI_KNOWN_DERIVED && b->dtype_from[v] == MI_KNOWN_OBSERVED) {
            assert_true(mi_bytes_equal(mi_model_text(&graphs->model, a->dtype[v]),
                                       mi_model_text(&all->model, b->dtype[v])));
            sum->dtypes++;
        }
        if (a->shape_from[v] != MI_KNOWN_DERIVED || b->shape_from[v] != MI_KNOWN_OBSERVED)
            continue;
        assert_int_equal(a->dim_count[v], b->dim_count[v]);
        for (uint32_t i = 0; i < a->dim_count[v]; i++)
            if (size_a[a->first_dim[v] + i] >= 0 && size_b[b->first_dim[v] + i] >= 0)
                assert_int_equal(size_a[a->first_dim[v] + i], size_b[b->first_dim[v] + i]);
        sum->shapes++;
    }
}

static void test_samples(void **state)
{
    (void)state;
    struct agreement sum = {0};
    for (size_t s = 0; s < sizeof samples / sizeof *samples; s++) {
        struct joining graphs, all;
        int64_t times;
        load(&graphs, s, false);
        load(&all, s, true);
        const char *text = diag_text(&graphs, "types.conflict", &times);
        if (times)
            fail_msg("%s: %s", samples[s][0], text);
        text = diag_text(&all, "types.conflict", &times);
        if (times)
            fail_msg("%s: %s", samples[s][0], text);
        struct agreement before = sum;
        compare(&graphs, &all, &sum);
        print_message("%s %s: %u dtypes, %u shapes agree; %u of %u without dtype\n", samples[s][0],
                      samples[s][1], sum.dtypes - before.dtypes, sum.shapes - before.shapes,
                      sum.unknown - before.unknown, sum.all - before.all);
        joining_fini(&graphs);
        joining_fini(&all);
    }
    assert_true(sum.dtypes > 300);
    assert_true(sum.shapes > 0);
}

/* --- many nodes --- */

/* A table that were looked through for each of them would not come to an end. */
enum { NODES = 1000000 };

static void test_many(void **state)
{
    (void)state;
    static const char *const ops[] = {"Relu", "Neg", "Cast", "MatMul"};
    size_t room = (size_t)NODES * 48, len = 0;
    char *text = malloc(room);
    struct typed t;
    assert_non_null(text);
    len += (size_t)snprintf(text, room, "in t0 1 2,3\n");
    for (unsigned i = 0; i < NODES; i++) {
        const char *op = ops[i % 4];
        len += (size_t)snprintf(text + len, room - len, "n%u %s t%u%s%.0u t%u\n%s", i, op, i,
                                i % 4 == 3 ? ",t" : "", i % 4 == 3 ? i / 2 : 0, i + 1,
                                i % 4 == 2 ? "attr to 1\n" : "");
    }
    enter(&t, text, NULL);
    free(text);
    assert_true(mi_model_index_graphs(&t.joining.model, &t.joining.err));
    assert_true(mi_fill_types(&t.joining.model, &t.joining.err));
    assert_true(mi_model_freeze(&t.joining.model, &t.joining.err));
    check(&t, "t1000000", "float32");
    leave(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_varies),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_tangle),
        cmocka_unit_test(test_observed),
        cmocka_unit_test(test_observed_twins),
        cmocka_unit_test(test_observed_conflict),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
