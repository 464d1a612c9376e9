/* Joining graphs that are small enough to see at a glance what is right: each way in which a
 * compiler changes a graph, and each way in which joining it can go wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "joining.h"
#include "onnx_text.h"

struct joined {
    struct joining joining;
    struct onnx_writer framework, compiled;
};

static void join(struct joined *j, const char *framework, const char *compiled, const char *profile)
{
    *j = (struct joined){0};
    joining_init(&j->joining);
    onnx_from_text(&j->framework, framework);
    joining_bytes(&j->joining, "onnx", (struct mi_bytes){j->framework.at, j->framework.len}, "f");
    if (compiled) {
        onnx_from_text(&j->compiled, compiled);
        joining_bytes(&j->joining, "ort_onnx", (struct mi_bytes){j->compiled.at, j->compiled.len},
                      "c");
    }
    if (profile)
        joining_bytes(&j->joining, "ort_profile", mi_cstr(profile), "p");
    if (!joining_run(&j->joining))
        fail_msg("%s", j->joining.err.text);
}

static void leave(struct joined *j)
{
    joining_fini(&j->joining);
    onnx_writer_fini(&j->framework);
    onnx_writer_fini(&j->compiled);
}

/* --- looking things up --- */

static const struct mi_tables *rows_of(const struct joined *j)
{
    return &j->joining.model.all.rows;
}

/* The node of a layer with that name; of "graph/name" in the graph of that role or name. */
static uint32_t node(const struct joined *j, enum mi_layer layer, const char *path)
{
    const struct mi_model *model = &j->joining.model;
    const char *slash = strchr(path, '/');
    struct mi_bytes name = mi_cstr(slash ? slash + 1 : path);
    for (uint32_t n = 1; n < rows_of(j)->nodes.count; n++) {
        uint32_t g = rows_of(j)->nodes.graph[n].v;
        struct mi_bytes in = {(const uint8_t *)path, slash ? (size_t)(slash - path) : 0};
        if (rows_of(j)->graphs.layer[g] != layer)
            continue;
        if (mi_bytes_equal(mi_model_text(model, rows_of(j)->nodes.name[n]), mi_cstr(path)))
            return n;
        if (mi_bytes_equal(mi_model_text(model, rows_of(j)->nodes.name[n]), name) &&
            (!slash || mi_bytes_equal(mi_model_text(model, rows_of(j)->graphs.role[g]), in) ||
             mi_bytes_equal(mi_model_text(model, rows_of(j)->graphs.name[g]), in)))
            return n;
    }
    fail_msg("no node %s", path);
    return 0;
}

static uint32_t find_link(const struct joined *j, const char *framework, const char *compiled)
{
    uint32_t f = node(j, MI_LAYER_FRAMEWORK, framework), c = node(j, MI_LAYER_COMPILED, compiled);
    for (uint32_t r = 1; r < rows_of(j)->lowered.count; r++)
        if (rows_of(j)->lowered.framework[r].v == f && rows_of(j)->lowered.compiled[r].v == c)
            return r;
    return 0;
}

static void assert_link(const struct joined *j, const char *framework, const char *compiled,
                        enum mi_role role, enum mi_confidence confidence)
{
    uint32_t link = find_link(j, framework, compiled);
    if (!link)
        fail_msg("no link from %s to %s", framework, compiled);
    if (rows_of(j)->lowered.role[link] != role ||
        rows_of(j)->lowered.confidence[link] != confidence)
        fail_msg("%s to %s: %s, %s", framework, compiled,
                 mi_enum_name(MI_E_role, rows_of(j)->lowered.role[link]),
                 mi_enum_name(MI_E_confidence, rows_of(j)->lowered.confidence[link]));
}

static void assert_link_count(const struct joined *j, const char *compiled, uint32_t count)
{
    assert_int_equal(
        mi_csr_count(&j->joining.model.index.framework_of, node(j, MI_LAYER_COMPILED, compiled)),
        count);
}

/* `into`: name of the compiled node, NULL = none. */
static void assert_fate(const struct joined *j, const char *framework, enum mi_fate fate,
                        enum mi_reason reason, const char *into)
{
    const struct mi_fates *fates = &rows_of(j)->fates;
    uint32_t row = j->joining.model.index.fate_of[node(j, MI_LAYER_FRAMEWORK, framework)];
    assert_int_not_equal(row, 0);
    if (fates->fate[row] != fate || fates->reason[row] != reason)
        fail_msg("%s: %s, %s", framework, mi_enum_name(MI_E_fate, fates->fate[row]),
                 mi_enum_name(MI_E_reason, fates->reason[row]));
    assert_int_equal(fates->into[row].v, into ? node(j, MI_LAYER_COMPILED, into) : 0);
}

static void assert_birth(const struct joined *j, const char *compiled, enum mi_origin origin)
{
    uint32_t row = j->joining.model.index.birth_of[node(j, MI_LAYER_COMPILED, compiled)];
    assert_int_not_equal(row, 0);
    if (rows_of(j)->births.origin[row] != origin)
        fail_msg("%s: %s", compiled, mi_enum_name(MI_E_origin, rows_of(j)->births.origin[row]));
}

/* A profile in which each of the named nodes ran once, one after the other. */
static char *profile_of(const char *names)
{
    size_t room = 65536, len = 0;
    char *text = malloc(room);
    int at = 100;
    if (!text)
        abort();
    len += (size_t)snprintf(text, room,
                            "[\n{\"cat\" : \"Session\",\"pid\" :1,\"tid\" :1,\"dur\" :9000,"
                            "\"ts\" :50,\"ph\" : \"X\",\"name\" :\"model_run\",\"args\" : {}},\n"
                            "{\"cat\" : \"Session\",\"pid\" :1,\"tid\" :1,\"dur\" :8900,\"ts\" "
                            ":60,\"ph\" : \"X\",\"name\" :\"SequentialExecutor::Execute\",\"args\" "
                            ": {}}");
    while (*names) {
        size_t word = strcspn(names, " ");
        size_t colon = strcspn(names, ":");
        len += (size_t)snprintf(text + len, room - len,
                                ",\n{\"cat\" : \"Node\",\"pid\" :1,\"tid\" :1,\"dur\" :10,\"ts\" "
                                ":%d,\"ph\" : \"X\",\"name\" :\"%.*s_kernel_time\",\"args\" : "
                                "{\"op_name\" : \"%.*s\",\"provider\" : \"CPUExecutionProvider\","
                                "\"node_index\" : \"0\",\"input_type_shape\" : [],"
                                "\"output_type_shape\" : []}}",
                                at, (int)colon, names, (int)(word - colon - 1), names + colon + 1);
        at += 20;
        names += word + (names[word] != 0);
    }
    snprintf(text + len, room - len, "\n]\n");
    return text;
}

/* --- what compilers do --- */

static void test_kept(void **state)
{
    (void)state;
    struct joined j;
    const char *model = "in x\nout y\na Abs x a\nb Neg a y\n";
    char *profile = profile_of("a:Abs b:Neg");
    join(&j, model, model, profile);
    assert_link(&j, "a", "a", MI_ROLE_COMPUTED, MI_CERTAIN);
    assert_fate(&j, "a", MI_FATE_EXECUTED, MI_REASON_OWN_NODE, "a");
    assert_birth(&j, "a", MI_ORIGIN_KEPT);
    leave(&j);
    free(profile);
}

static void test_fused(void **state)
{
    (void)state;
    struct joined j;
    char *profile = profile_of("f:FusedGemm");
    join(&j, "in x\nout y\nconst w 1\ng Gemm x,w a\nr Relu a y\n",
         "in x\nout y\nconst w2 1\nf com.microsoft:FusedGemm x,w2 y\n", profile);
    assert_link(&j, "g", "f", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_link(&j, "r", "f", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_fate(&j, "g", MI_FATE_FUSED_INTO, MI_REASON_FUSED, "f");
    assert_birth(&j, "f", MI_ORIGIN_FUSED);
    leave(&j);
    free(profile);
}

/* The name still tells of the BatchNormalization; the Add and the Relu behind it are in the Conv.
 */
static void test_residual(void **state)
{
    (void)state;
    struct joined j;
    join(&j,
         "in x\nout y\nconst w 1\nconst s 2\np Abs x p\nc Conv p,w c\nbn BatchNormalization "
         "c,s,s,s,s b\n"
         "add Add b,p d\nrelu Relu d e\nlast Neg e y\n",
         "in x\nout y\nconst w2 1\np Abs x p\n"
         "b_nchwc_token_3 com.microsoft.nchwc:Conv p,w2,,p reorder_1\ntext activation Relu\n"
         "ReorderOutput com.microsoft.nchwc:ReorderOutput reorder_1 e\nlast Neg e y\n",
         NULL);
    assert_link_count(&j, "b_nchwc_token_3", 4);
    assert_link(&j, "relu", "b_nchwc_token_3", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_link(&j, "add", "b_nchwc_token_3", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_birth(&j, "ReorderOutput", MI_ORIGIN_INSERTED);
    const struct mi_births *births = &rows_of(&j)->births;
    uint32_t row = j.joining.model.index.birth_of[node(&j, MI_LAYER_COMPILED, "ReorderOutput")];
    assert_true(mi_bytes_equal(
        mi_model_text(&j.joining.model, rows_of(&j)->values.name[births->serves[row].v]),
        MI_LIT("e")));
    leave(&j);
}

static void test_folded(void **state)
{
    (void)state;
    struct joined j;
    join(&j, "in x\nout y\nconst k 2\ns Sqrt k k1\ni Identity k1 k2\nm Mul x,k2 y\n",
         "in x\nout y\nconst k2 2\nm Mul x,k2 y\n", NULL);
    assert_link(&j, "s", "m", MI_ROLE_FOLDED, MI_LIKELY);
    assert_fate(&j, "s", MI_FATE_FOLDED, MI_REASON_CONSTANT, "m");
    assert_fate(&j, "i", MI_FATE_FOLDED, MI_REASON_CONSTANT, "m");
    assert_birth(&j, "m", MI_ORIGIN_KEPT);
    leave(&j);
}

static void test_merged(void **state)
{
    (void)state;
    struct joined j;
    join(&j, "in x\nout y\nr1 Relu x a\nr2 Relu x b\ns Sigmoid b c\nadd Add a,c y\n",
         "in x\nout y\nr2 Relu x b\ns Sigmoid b c\nadd Add b,c y\n", NULL);
    assert_fate(&j, "r1", MI_FATE_REMOVED, MI_REASON_MERGED, "r2");
    assert_link_count(&j, "add", 1);
    assert_link(&j, "add", "add", MI_ROLE_COMPUTED, MI_CERTAIN);
    leave(&j);
}

/* Attributes and constants tell values apart. */
static void test_not_merged(void **state)
{
    (void)state;
    struct joined j;
    join(&j,
         "in x\nout y\nconst k 1\nconst l 1\nconst m 2\na Elu x a\nattr alpha 1\nb Elu x b\nattr "
         "alpha 2\n"
         "c Mul x,k c\nd Mul x,l d\ne Mul x,m e\ns Sum a,b,c,d,e y\n",
         "in x\nout y\nconst k 1\na Elu x a\nattr alpha 1\nc Mul x,k c\ns Sum a,a,c,c,c y\n", NULL);
    assert_fate(&j, "d", MI_FATE_REMOVED, MI_REASON_MERGED, "c");
    uint32_t row = j.joining.model.index.fate_of[node(&j, MI_LAYER_FRAMEWORK, "b")];
    assert_int_not_equal(rows_of(&j)->fates.reason[row], MI_REASON_MERGED);
    row = j.joining.model.index.fate_of[node(&j, MI_LAYER_FRAMEWORK, "e")];
    assert_int_not_equal(rows_of(&j)->fates.reason[row], MI_REASON_MERGED);
    leave(&j);
}

static void test_identity(void **state)
{
    (void)state;
    struct joined j;
    join(&j, "in x\nout y\na Abs x a\ni Identity a b\nd Dropout b c\nn Neg c d\no Identity d y\n",
         "in x\nout y\na Abs x a\nn Neg a y\n", NULL);
    assert_fate(&j, "i", MI_FATE_REMOVED, MI_REASON_IDENTITY, "n");
    assert_fate(&j, "d", MI_FATE_REMOVED, MI_REASON_IDENTITY, "n");
    assert_fate(&j, "o", MI_FATE_REMOVED, MI_REASON_IDENTITY, "n");
    assert_link(&j, "i", "n", MI_ROLE_ABSORBED, MI_LIKELY);
    assert_birth(&j, "n", MI_ORIGIN_KEPT);
    leave(&j);
    /* Kept under its own name it is a node like others. */
    join(&j, "in x\nout y\na Abs x a\no Identity a y\n", "in x\nout y\na Abs x a\no Identity a y\n",
         NULL);
    assert_link(&j, "o", "o", MI_ROLE_COMPUTED, MI_CERTAIN);
    assert_birth(&j, "o", MI_ORIGIN_KEPT);
    leave(&j);
}

static void test_dead(void **state)
{
    (void)state;
    struct joined j;
    const char *model = "in x\nout y\na Abs x y\ndead Neg x z\n";
    join(&j, model, "in x\nout y\na Abs x y\n", NULL);
    assert_fate(&j, "dead", MI_FATE_REMOVED, MI_REASON_DEAD, NULL);
    leave(&j);
    char *profile = profile_of("a:Abs dead:Neg");
    join(&j, model, model, profile); /* kept and run */
    assert_fate(&j, "dead", MI_FATE_EXECUTED, MI_REASON_OWN_NODE, "dead");
    leave(&j);
    free(profile);
}

static void test_casts(void **state)
{
    (void)state;
    struct joined j;
    join(&j,
         "in x\nout y\na Abs x a\nc1 Cast a b\nc2 Cast b c\nn Neg c y\ntype a 1\ntype b 11\ntype c "
         "1\n",
         "in x\nout y\na Abs x a\nn Neg a y\n", NULL);
    assert_link(&j, "c1", "n", MI_ROLE_ABSORBED, MI_LIKELY);
    assert_fate(&j, "c2", MI_FATE_REMOVED, MI_REASON_ABSORBED, "n");
    leave(&j);
}

/* Nothing is left of two Transposes that cancel; others are part of what the node computes. */
static void test_transposes(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        bool cancel;
    } cases[] = {{"attr perm 1,2,0\n", "attr perm 2,0,1\n", true},
                 {"attr perm 1,2,0\n", "attr perm 1,2,0\n", false},
                 {"", "attr perm 2,1,0\n", true},
                 {"attr perm 0,2,1\n", "", false},
                 {"", "", true},
                 {"attr perm 1,0\n", "attr perm 2,0,1\n", false},
                 {"attr perm 7,-1\n", "attr perm 7,-1\n", false}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[256];
        struct joined j;
        snprintf(text, sizeof text,
                 "in x\nout y\na Abs x a\nt1 Transpose a b\n%st2 Transpose b c\n%sn Neg c y\n",
                 cases[c].first, cases[c].second);
        join(&j, text, "in x\nout y\na Abs x a\nn Neg a y\n", NULL);
        enum mi_role role = cases[c].cancel ? MI_ROLE_ABSORBED : MI_ROLE_COMPUTED;
        assert_link(&j, "t1", "n", role, MI_LIKELY);
        assert_link(&j, "t2", "n", role, MI_LIKELY);
        assert_fate(&j, "t2", cases[c].cancel ? MI_FATE_REMOVED : MI_FATE_FUSED_INTO,
                    cases[c].cancel ? MI_REASON_ABSORBED : MI_REASON_FUSED, "n");
        leave(&j);
    }
}

static void test_duplicated(void **state)
{
    (void)state;
    struct joined j;
    join(&j,
         "in x\nout y\nconst s 1\ndq DequantizeLinear x,s a\nl Abs a b\nr Neg a c\nadd Add b,c y\n",
         "in x\nout y\nconst s 1\ndq DequantizeLinear x,s a\n"
         "dq/duplicated DequantizeLinear x,s a_1\nl Abs a b\nr Neg a_1 c\nadd Add b,c y\n",
         NULL);
    assert_link(&j, "dq", "dq", MI_ROLE_SHARED, MI_CERTAIN);
    assert_link(&j, "dq", "dq/duplicated", MI_ROLE_SHARED, MI_LIKELY);
    assert_link_count(&j, "r", 1);
    leave(&j);
}

/* Two fused nodes need the same part of the source; each computes it for itself. */
static void test_shared(void **state)
{
    (void)state;
    struct joined j;
    join(&j, "in x\nin m\nout y\nmask Sub m,x k\na Mul x,k a\nb Div x,k b\nadd Add a,b y\n",
         "in x\nin m\nout y\nA com.microsoft:Attention x,m a\nB com.microsoft:Attention x,m b\n"
         "add Add a,b y\n",
         NULL);
    assert_link(&j, "mask", "A", MI_ROLE_SHARED, MI_LIKELY);
    assert_link(&j, "mask", "B", MI_ROLE_SHARED, MI_LIKELY);
    assert_link(&j, "a", "A", MI_ROLE_COMPUTED, MI_LIKELY);
    leave(&j);
}

static void test_shapes(void **state)
{
    (void)state;
    struct joined j;
    join(&j, "in x\nout y\nconst i 0\na Abs x a\nsh Shape x s\ng Gather s,i g\nr Reshape a,g y\n",
         "in x\nout y\nconst g2 8\na Abs x a\nr Reshape a,g2 y\n", NULL);
    assert_fate(&j, "sh", MI_FATE_FOLDED, MI_REASON_SHAPE_KNOWN, "r");
    assert_fate(&j, "g", MI_FATE_FOLDED, MI_REASON_SHAPE_KNOWN, "r");
    assert_link(&j, "r", "r", MI_ROLE_COMPUTED, MI_CERTAIN);
    leave(&j);
}

/* One operator becomes two nameless ones with a tensor between them that only the compiler knows.
 */
static void test_expanded(void **state)
{
    (void)state;
    struct joined j;
    join(&j, "in x\nout y\na Abs x a\nh HardSwish a b\nn Neg b y\n",
         "in x\nout y\na Abs x a\nh0 HardSigmoid a _inlfunc_t\nh1 Mul a,_inlfunc_t b\nn Neg b y\n",
         NULL);
    assert_link(&j, "h", "h0", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_link(&j, "h", "h1", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_birth(&j, "h0", MI_ORIGIN_LOWERED);
    leave(&j);
}

static void test_quantised(void **state)
{
    (void)state;
    struct joined j;
    join(
        &j,
        "in x\nout y\nconst s 1\nconst w 1\nq0 QuantizeLinear x,s q0\nd0 DequantizeLinear q0,s d0\n"
        "conv Conv d0,w c\nrelu Relu c r\nq1 QuantizeLinear r,s q1\nd1 DequantizeLinear q1,s y\n",
        "in x\nout y\nconst s 1\nconst w 1\nq0 QuantizeLinear x,s q0\nTranspose Transpose q0 q0_t\n"
        "conv_token_1 com.microsoft:QLinearConv q0_t,s,s,w,s,s,s,s conv\n"
        "Transpose_2 Transpose conv q1\nd1 DequantizeLinear q1,s y\n",
        NULL);
    assert_link_count(&j, "conv_token_1", 4);
    assert_link(&j, "q1", "conv_token_1", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_birth(&j, "Transpose", MI_ORIGIN_INSERTED);
    assert_birth(&j, "Transpose_2", MI_ORIGIN_INSERTED);
    leave(&j);
}

/* --- functions --- */

static const char functions[] = "in x\nout y\na Abs x a\none loc:G a b\ntwo loc:F b c\nn Neg c y\n"
                                "function loc F p q\nr Relu p t\ns Sigmoid t q\nend\n"
                                "function loc G p q\nf1 loc:F p u\nf2 loc:F u v\nc Cos v q\nend\n";

static void test_function_fused(void **state)
{
    (void)state;
    struct joined j;
    char *profile = profile_of("a:Abs K:K two:K n:Neg");
    join(&j, functions,
         "in x\nout y\na Abs x a\nK com.microsoft:K a b\ntwo com.microsoft:K b c\nn Neg c y\n",
         profile);
    assert_fate(&j, "one", MI_FATE_EXECUTED, MI_REASON_OWN_NODE, "K");
    assert_fate(&j, "two", MI_FATE_EXECUTED, MI_REASON_OWN_NODE, "two");
    assert_fate(&j, "F/r", MI_FATE_FUSED_INTO, MI_REASON_FUSED, "K");
    assert_link(&j, "F/r", "two", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_link(&j, "G/f2", "K", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_birth(&j, "K", MI_ORIGIN_FUSED);
    leave(&j);
    free(profile);
}

static void test_function_inlined(void **state)
{
    (void)state;
    struct joined j;
    join(&j, functions,
         "in x\nout y\na Abs x a\nr0 Relu a _0\ns0 Sigmoid _0 _1\nr1 Relu _1 _2\ns1 Sigmoid _2 _3\n"
         "c0 Cos _3 b\n_inlfunc_F_r Relu b _4\ns2 Sigmoid _4 c\nn Neg c y\n",
         NULL);
    assert_link_count(&j, "r0", 3); /* the node, the call in G, the call of G */
    assert_link(&j, "G/f1", "r0", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_link(&j, "G/f2", "s1", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_link_count(&j, "c0", 2);
    assert_link(&j, "two", "s2", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_birth(&j, "s1", MI_ORIGIN_KEPT);
    leave(&j);
}

/* The ends of names help where the operators do not run side by side. */
static void test_function_partly(void **state)
{
    (void)state;
    struct joined j;
    join(&j,
         "in x\nout y\nf loc:F x y\nfunction loc F p q\na Abs p t\nb Cos t u\nc Sin u v\nd Tan v "
         "q\nend\n",
         "in x\nout y\n_inlfunc_F_a Abs x _0\nfused com.microsoft:CosSin _0 _1\nd0 Tan _1 y\n",
         NULL);
    assert_link_count(&j, "_inlfunc_F_a", 2);
    assert_link(&j, "F/a", "_inlfunc_F_a", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_link_count(&j, "fused", 3);
    assert_link(&j, "F/b", "fused", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_link_count(&j, "d0", 2);
    leave(&j);
}

/* --- control flow --- */

static const char two_branches[] = "in x\nin c\nout y\np Abs x p\nif If c q\n"
                                   "{ then_branch\nout t\nr Relu p t0\ns Sigmoid t0 t\n}\n"
                                   "{ else_branch\nout e\ns Neg p e\n}\nn Neg q y\n";

static void test_branches(void **state)
{
    (void)state;
    struct joined j;
    join(&j, two_branches,
         "in x\nin c\nout y\np Abs x p\nif If c q\n"
         "{ then_branch\nout t\nfused com.microsoft:RS p t\n}\n"
         "{ else_branch\nout e\ns Neg p e\n}\nn Neg q y\n",
         NULL);
    assert_link(&j, "then_branch/r", "fused", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_link(&j, "then_branch/s", "fused", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_link(&j, "else_branch/s", "else_branch/s", MI_ROLE_COMPUTED, MI_CERTAIN);
    assert_link_count(&j, "else_branch/s", 1);
    leave(&j);
}

static void test_inlined_branch(void **state)
{
    (void)state;
    struct joined j;
    char *profile =
        profile_of("p:Abs _if_then_branch_Relu:Relu _if_then_branch_Sigmoid:Sigmoid n:Neg");
    join(&j,
         "in x\nconst c 1\nout y\np Abs x p\nif If c q\n"
         "{ then_branch\nout t\nr Relu p t0\ns Sigmoid t0 t\n}\n"
         "{ else_branch\nout e\ns Neg p e\n}\nn Neg q y\n",
         "in x\nout y\np Abs x p\n_if_then_branch_Relu Relu p _if_then_branch_t0\n"
         "_if_then_branch_Sigmoid Sigmoid _if_then_branch_t0 q\nn Neg q y\n",
         profile);
    assert_link(&j, "then_branch/r", "_if_then_branch_Relu", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_link(&j, "then_branch/s", "_if_then_branch_Sigmoid", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_fate(&j, "else_branch/s", MI_FATE_NOT_EXECUTED, MI_REASON_BRANCH_NOT_TAKEN, NULL);
    assert_fate(&j, "if", MI_FATE_REMOVED, MI_REASON_ABSORBED, "_if_then_branch_Sigmoid");
    assert_fate(&j, "then_branch/r", MI_FATE_EXECUTED, MI_REASON_OWN_NODE, "_if_then_branch_Relu");
    leave(&j);
    free(profile);
}

static void test_not_taken(void **state)
{
    (void)state;
    struct joined j;
    char *profile = profile_of("p:Abs if:If n:Neg");
    join(&j, two_branches, two_branches, profile);
    assert_fate(&j, "if", MI_FATE_EXECUTED, MI_REASON_OWN_NODE, "if");
    assert_fate(&j, "then_branch/r", MI_FATE_NOT_EXECUTED, MI_REASON_BRANCH_NOT_TAKEN, "r");
    assert_fate(&j, "else_branch/s", MI_FATE_NOT_EXECUTED, MI_REASON_BRANCH_NOT_TAKEN,
                "else_branch/s");
    leave(&j);
    free(profile);
}

/* --- what was captured --- */

static void test_no_task(void **state)
{
    (void)state;
    struct joined j;
    const char *model = "in x\nout y\na Abs x a\nr Reshape a b\nn Neg b y\n";
    char *profile = profile_of("a:Abs n:Neg");
    join(&j, model, model, profile);
    assert_fate(&j, "r", MI_FATE_NOT_EXECUTED, MI_REASON_NO_TASK, "r");
    leave(&j);
    /* Cut off within the last event: what is missing may have been there. */
    profile[strlen(profile) - 60] = 0;
    join(&j, model, model, profile);
    assert_fate(&j, "r", MI_FATE_NOT_EXECUTED, MI_REASON_NOT_CAPTURED, "r");
    leave(&j);
    free(profile);
}

static void test_no_profile(void **state)
{
    (void)state;
    struct joined j;
    join(&j, "in x\nout y\na Abs x a\ng Gemm a b\nr Relu b y\n",
         "in x\nout y\na Abs x a\nf com.microsoft:FusedGemm a y\n", NULL);
    assert_fate(&j, "a", MI_FATE_NOT_EXECUTED, MI_REASON_NOT_CAPTURED, "a");
    assert_fate(&j, "g", MI_FATE_FUSED_INTO, MI_REASON_FUSED, "f");
    leave(&j);
}

static void test_no_compiled_graph(void **state)
{
    (void)state;
    struct joined j;
    char *profile = profile_of("a:Abs");
    join(&j, "in x\nout y\na Abs x a\nn Neg a y\n", NULL, profile);
    assert_fate(&j, "a", MI_FATE_EXECUTED, MI_REASON_OWN_NODE, NULL);
    assert_fate(&j, "n", MI_FATE_NOT_EXECUTED, MI_REASON_NO_COMPILED_GRAPH, NULL);
    leave(&j);
    free(profile);
}

/* --- conflicts --- */

/* The name says one thing, the dataflow another: neither is certain. */
static void test_conflict(void **state)
{
    (void)state;
    struct joined j;
    join(&j, "in x\nout y\nout z\nr Relu x a\ns Relu a y\nn Neg a z\n",
         "in x\nout y\nout z\ns Relu x a\nr Relu a y\nn Neg a z\n", NULL);
    const struct mi_lowered *links = &rows_of(&j)->lowered;
    for (uint32_t r = 1; r < links->count; r++) {
        uint32_t n = links->compiled[r].v;
        if (n == node(&j, MI_LAYER_COMPILED, "n"))
            continue;
        assert_int_not_equal(links->confidence[r], MI_CERTAIN);
        assert_int_not_equal(links->conflict[r].v, 0);
    }
    assert_int_equal(find_link(&j, "s", "s"), 0);
    assert_link(&j, "r", "s", MI_ROLE_COMPUTED, MI_GUESS);
    leave(&j);
}

/* Equal names in models that are not the same: the surroundings tell. */
static void test_other_model(void **state)
{
    (void)state;
    struct joined j;
    join(&j, "in x\nin z\nout y\na Add x,z a\nn Neg a b\nm Abs b c\ns Sum c,x y\n",
         "in x\nin z\nout y\na Add x,z a\nm Abs z c\ns Sum c,x y\n", NULL);
    assert_link(&j, "a", "a", MI_ROLE_COMPUTED, MI_CERTAIN);
    assert_link(&j, "m", "m", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_int_not_equal(rows_of(&j)->lowered.conflict[find_link(&j, "m", "m")].v, 0);
    leave(&j);
}

/* Equal names, other sizes: perhaps a run on other inputs. */
static void test_other_size(void **state)
{
    (void)state;
    struct joined j;
    join(&j, "in x\nout y\na Abs x a\nn Neg a y\ntype a 1 2,8\n",
         "in x\nout y\na Abs x a\nn Neg a y\ntype a 1 3,8\n", NULL);
    assert_link(&j, "a", "a", MI_ROLE_COMPUTED, MI_LIKELY);
    assert_int_not_equal(rows_of(&j)->lowered.conflict[find_link(&j, "a", "a")].v, 0);
    assert_link(&j, "n", "n", MI_ROLE_COMPUTED, MI_CERTAIN);
    leave(&j);
}

/* Two models and their compiled forms in one session stay apart. */
static void test_two_models(void **state)
{
    (void)state;
    const char *texts[] = {"in x\nout y\na Abs x a\nb Neg a y\n",
                           "in u\nout v\na Sin u p\nb Cos p v\n"};
    struct onnx_writer bytes[4] = {{0}};
    struct joining joining;
    joining_init(&joining);
    for (int i = 0; i < 4; i++) {
        onnx_from_text(&bytes[i], texts[i == 1 || i == 2]);
        joining_bytes(&joining, i < 2 ? "onnx" : "ort_onnx",
                      (struct mi_bytes){bytes[i].at, bytes[i].len}, "m");
    }
    assert_true(joining_run(&joining));
    const struct mi_tables *rows = &joining.model.all.rows;
    assert_int_equal(rows->lowered.count - 1, 4);
    for (uint32_t r = 1; r < rows->lowered.count; r++) {
        assert_int_equal(rows->lowered.confidence[r], MI_CERTAIN);
        assert_int_equal(rows->nodes.op[rows->lowered.framework[r].v].v,
                         rows->nodes.op[rows->lowered.compiled[r].v].v);
    }
    joining_fini(&joining);
    for (int i = 0; i < 4; i++)
        onnx_writer_fini(&bytes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kept),
        cmocka_unit_test(test_fused),
        cmocka_unit_test(test_residual),
        cmocka_unit_test(test_folded),
        cmocka_unit_test(test_merged),
        cmocka_unit_test(test_not_merged),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_dead),
        cmocka_unit_test(test_casts),
        cmocka_unit_test(test_transposes),
        cmocka_unit_test(test_duplicated),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_expanded),
        cmocka_unit_test(test_quantised),
        cmocka_unit_test(test_function_fused),
        cmocka_unit_test(test_function_inlined),
        cmocka_unit_test(test_function_partly),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_inlined_branch),
        cmocka_unit_test(test_not_taken),
        cmocka_unit_test(test_no_task),
        cmocka_unit_test(test_no_profile),
        cmocka_unit_test(test_no_compiled_graph),
        cmocka_unit_test(test_conflict),
        cmocka_unit_test(test_other_model),
        cmocka_unit_test(test_other_size),
        cmocka_unit_test(test_two_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
