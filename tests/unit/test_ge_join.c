/* Joining what GE makes: recorded origins, cuts without them, stages, planned tasks, fates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "alloc_fail.h"
#include "ge_text.h"
#include "joining.h"
#include "onnx_text.h"

#define DUMPS_MAX 4

struct joined {
    struct joining joining;
    struct onnx_writer framework;
    char *dumps[DUMPS_MAX];
    uint32_t dump_count;
};

static void add_dump(struct joined *j, const char *path, const char *text)
{
    char *dump = ge_from_text(text);
    j->dumps[j->dump_count++] = dump;
    joining_bytes(&j->joining, "ge_proto", mi_cstr(dump), path);
}

/* What the reader takes from the name of the file. */
static void set_stage(struct joined *j, uint32_t index, const char *stage)
{
    struct mi_batch *all = &j->joining.model.all;
    uint32_t source = all->rows.sources.count - 1;
    for (uint32_t g = 1; g < all->rows.graphs.count; g++)
        if (all->rows.graphs.source[g].v == source) {
            all->rows.graphs.stage[g] = mi_batch_cstr(all, stage);
            all->rows.graphs.stage_index[g] = index;
        }
}

static void begin(struct joined *j, const char *framework, const char *compiled)
{
    *j = (struct joined){0};
    joining_init(&j->joining);
    onnx_from_text(&j->framework, framework);
    joining_bytes(&j->joining, "onnx", (struct mi_bytes){j->framework.at, j->framework.len}, "f");
    if (compiled)
        add_dump(j, "ge_proto_00046_Build.txt", compiled);
}

static void run(struct joined *j)
{
    if (!joining_run(&j->joining))
        fail_msg("%s", j->joining.err.text);
}

static void join(struct joined *j, const char *framework, const char *compiled)
{
    begin(j, framework, compiled);
    run(j);
}

static void leave(struct joined *j)
{
    joining_fini(&j->joining);
    onnx_writer_fini(&j->framework);
    for (uint32_t i = 0; i < j->dump_count; i++)
        free(j->dumps[i]);
}

/* --- looking things up --- */

static struct mi_tables *rows_of(struct joined *j)
{
    return &j->joining.model.all.rows;
}

static uint32_t find_node(struct joined *j, enum mi_layer layer, const char *name)
{
    const struct mi_model *model = &j->joining.model;
    for (uint32_t n = 1; n < rows_of(j)->nodes.count; n++)
        if (rows_of(j)->graphs.layer[rows_of(j)->nodes.graph[n].v] == layer &&
            mi_bytes_equal(mi_model_text(model, rows_of(j)->nodes.name[n]), mi_cstr(name)))
            return n;
    return 0;
}

static uint32_t node(struct joined *j, enum mi_layer layer, const char *name)
{
    uint32_t n = find_node(j, layer, name);
    if (!n)
        fail_msg("no node %s", name);
    return n;
}

static uint32_t find_link(struct joined *j, const char *framework, const char *compiled)
{
    uint32_t f = node(j, MI_LAYER_FRAMEWORK, framework), c = node(j, MI_LAYER_COMPILED, compiled);
    for (uint32_t r = 1; r < rows_of(j)->lowered.count; r++)
        if (rows_of(j)->lowered.framework[r].v == f && rows_of(j)->lowered.compiled[r].v == c)
            return r;
    return 0;
}

static void assert_link(struct joined *j, const char *framework, const char *compiled,
                        enum mi_confidence confidence, const char *rule)
{
    uint32_t link = find_link(j, framework, compiled);
    if (!link)
        fail_msg("no link from %s to %s", framework, compiled);
    struct mi_bytes made_by = mi_model_text(&j->joining.model, rows_of(j)->lowered.rule[link]);
    if (rows_of(j)->lowered.confidence[link] != confidence ||
        !mi_bytes_equal(made_by, mi_cstr(rule)))
        fail_msg("%s to %s: %s by %.*s", framework, compiled,
                 mi_enum_name(MI_E_confidence, rows_of(j)->lowered.confidence[link]),
                 (int)made_by.len, (const char *)made_by.at);
}

static void assert_no_link(struct joined *j, const char *framework, const char *compiled)
{
    if (find_link(j, framework, compiled))
        fail_msg("%s is linked to %s", framework, compiled);
}

static void assert_links(struct joined *j, const char *compiled, uint32_t count)
{
    assert_int_equal(
        mi_csr_count(&j->joining.model.index.framework_of, node(j, MI_LAYER_COMPILED, compiled)),
        count);
}

static void assert_fate(struct joined *j, const char *framework, enum mi_fate fate,
                        enum mi_reason reason)
{
    const struct mi_fates *fates = &rows_of(j)->fates;
    uint32_t row = j->joining.model.index.fate_of[node(j, MI_LAYER_FRAMEWORK, framework)];
    if (fates->fate[row] != fate || fates->reason[row] != reason)
        fail_msg("%s: %s, %s", framework, mi_enum_name(MI_E_fate, fates->fate[row]),
                 mi_enum_name(MI_E_reason, fates->reason[row]));
}

/* `serves`: name of the tensor, NULL = none. */
static void assert_birth(struct joined *j, const char *compiled, enum mi_origin origin,
                         const char *serves)
{
    const struct mi_births *births = &rows_of(j)->births;
    uint32_t row = j->joining.model.index.birth_of[node(j, MI_LAYER_COMPILED, compiled)];
    if (births->origin[row] != origin)
        fail_msg("%s: %s", compiled, mi_enum_name(MI_E_origin, births->origin[row]));
    struct mi_bytes name =
        mi_model_text(&j->joining.model, rows_of(j)->values.name[births->serves[row].v]);
    if (!mi_bytes_equal(name, mi_cstr(serves ? serves : "")))
        fail_msg("%s serves %.*s", compiled, (int)name.len, (const char *)name.at);
}

/* --- recorded origins --- */

static const char chain[] = "in x\nout y\na Abs x p\nb Neg p q\nc Relu q r\nd Sqrt r y\n";

static void test_records(void **state)
{
    (void)state;
    struct joined j;
    join(&j, chain,
         "graph g\nx Data -\nab AutomaticBufferFusionOp x rec=b+a\nc Relu ab rec=\n"
         "z Sqrt c rec=d\nNode_Output NetOutput z none\n");
    assert_link(&j, "a", "ab", MI_CERTAIN, "recorded");
    assert_link(&j, "b", "ab", MI_CERTAIN, "recorded");
    assert_link(&j, "c", "c", MI_CERTAIN, "recorded");
    assert_link(&j, "d", "z", MI_CERTAIN, "recorded");
    assert_links(&j, "ab", 2);
    assert_birth(&j, "ab", MI_ORIGIN_FUSED, NULL);
    assert_birth(&j, "c", MI_ORIGIN_KEPT, NULL);
    assert_birth(&j, "x", MI_ORIGIN_BOUNDARY, NULL);
    assert_fate(&j, "a", MI_FATE_FUSED_INTO, MI_REASON_FUSED);
    leave(&j);
}

static void test_doubts(void **state)
{
    (void)state;
    struct joined j;
    join(&j, chain,
         "graph g\nx Data -\nc1 MatMulV2 x rec=a\nb1 Neg c1 rec=b\nb2 Neg b1 rec=b\n"
         "PartitionedCall_c_Relu_3 Relu b2 rec=PartitionedCall_c_Relu_3\n"
         "z Sqrt PartitionedCall_c_Relu_3 rec=d+nobody\nNode_Output NetOutput z none\n");
    assert_link(&j, "a", "c1", MI_LIKELY, "recorded"); /* Abs does not become a product */
    assert_link(&j, "b", "b1", MI_LIKELY, "recorded"); /* named by two */
    assert_link(&j, "b", "b2", MI_LIKELY, "recorded");
    uint32_t link = find_link(&j, "b", "b2");
    assert_int_not_equal(rows_of(&j)->lowered.conflict[link].v, 0);
    assert_link(&j, "c", "PartitionedCall_c_Relu_3", MI_LIKELY, "recorded"); /* scoped */
    assert_link(&j, "d", "z", MI_CERTAIN, "recorded");
    leave(&j);
    join(&j, chain,
         "graph g\nx Data -\na Abs x rec=\nb1 Neg a rec=b multi\nb2 Neg b1 rec=b multi\n"
         "c Relu b2 rec=\nd Sqrt c rec=\nNode_Output NetOutput d none\n");
    assert_link(&j, "b", "b1", MI_CERTAIN, "recorded"); /* and says so */
    assert_link(&j, "b", "b2", MI_CERTAIN, "recorded");
    leave(&j);
}

static void test_tensor_against_record(void **state)
{
    (void)state;
    struct joined j;
    join(&j, chain, "graph g\nx Data -\nab Abs x rec=a+b org=c\nNode_Output NetOutput ab none\n");
    assert_link(&j, "b", "ab", MI_LIKELY, "recorded");
    assert_no_link(&j, "c", "ab");
    leave(&j);
}

/* --- without records --- */

static void test_tensor_origin(void **state)
{
    (void)state;
    struct joined j;
    join(&j, chain,
         "graph g\nx Data -\nn1 AutomaticBufferFusionOp x org=b\ntrans_Cast_0 Cast n1\n"
         "n2 Vanished trans_Cast_0 org=c\nd Sqrt n2 rec=\nNode_Output NetOutput d none\n");
    assert_link(&j, "b", "n1", MI_LIKELY, "ge_cuts");
    assert_link(&j, "a", "n1", MI_LIKELY, "ge_cuts");
    assert_link(&j, "c", "n2", MI_LIKELY, "ge_cuts");
    assert_links(&j, "n1", 2);
    assert_links(&j, "n2", 1);
    assert_birth(&j, "trans_Cast_0", MI_ORIGIN_INSERTED, "q");
    leave(&j);
}

static const char net[] = "in x\nout y\nconst w 1\nconst s 2\nconv Conv x,w c1\n"
                          "bn BatchNormalization c1,s,s,s,s c2\nrelu Relu c2 c3\n"
                          "fc MatMul c3,w m1\nbias Add m1,s m2\nlast Sigmoid m2 y\n";

/* Nothing but names: the Conv took the normalisation in, the product its bias. */
static void test_names_alone(void **state)
{
    (void)state;
    struct joined j;
    join(&j, net,
         "graph g\nx Data -\nw Const -\ns Const -\nconv Conv2D x,w,s\nrelu Relu conv\n"
         "fc MatMulV2 relu,w,s\nlast Sigmoid fc\nNode_Output NetOutput last none\n");
    assert_links(&j, "conv", 2);
    assert_link(&j, "bn", "conv", MI_LIKELY, "ge_cuts");
    assert_link(&j, "bias", "fc", MI_LIKELY, "ge_cuts");
    assert_links(&j, "relu", 1);
    assert_links(&j, "fc", 2);
    assert_links(&j, "last", 1);
    assert_birth(&j, "w", MI_ORIGIN_CONSTANT, NULL);
    leave(&j);
}

static void test_joined_names(void **state)
{
    (void)state;
    struct joined j;
    join(&j, net,
         "graph g\nx Data -\nw Const -\ns Const -\nconvrelu Conv2D x,w,s\n"
         "fc_Product_pass.7 Gelu convrelu,w,s\nlast Sigmoid fc_Product_pass.7 rec=\n"
         "Node_Output NetOutput last none\n");
    assert_link(&j, "conv", "convrelu", MI_LIKELY, "ge_cuts");
    assert_link(&j, "bn", "convrelu", MI_LIKELY, "ge_cuts");
    assert_link(&j, "relu", "convrelu", MI_LIKELY, "ge_cuts");
    assert_links(&j, "convrelu", 3);
    assert_links(&j, "fc_Product_pass.7", 2);
    assert_link(&j, "bias", "fc_Product_pass.7", MI_LIKELY, "ge_cuts");
    leave(&j);
}

/* What a node of known origins reads tells what the node before it makes. */
static void test_reads(void **state)
{
    (void)state;
    struct joined j;
    join(&j, chain,
         "graph g\nx Data -\nu1 Foo x\nTransData_9 TransData u1\nu2 Sqrt TransData_9 rec=c+d\n"
         "Node_Output NetOutput u2 none\n");
    assert_links(&j, "u1", 2);
    assert_link(&j, "b", "u1", MI_LIKELY, "ge_cuts");
    assert_birth(&j, "TransData_9", MI_ORIGIN_INSERTED, "q");
    leave(&j);
}

static void test_branches(void **state)
{
    (void)state;
    struct joined j;
    join(
        &j,
        "in x\nin c\nout y\na Abs x p\nif If c h\n{ then_branch\nout t\nn Neg p t0\n"
        "n2 Relu t0 t\n}\n{ else_branch\nout u\nm Exp p u\n}\nz Sqrt h y\n",
        "graph g\nx Data -\nc Data -\na Abs x rec=\n"
        "sw LabelSwitchByIndex c rec=if none\nif If c,a rec= sub=g_then+g_else\n"
        "end LabelSet sw:-1 none\nz Sqrt if rec=\nNode_Output NetOutput z none\n"
        "graph g_then\nd0 Data - int:_parent_node_index=1\nls LabelSet sw:-1 none\nfoo Foo d0\n"
        "n2 Relu foo\nout0 NetOutput n2 none\n"
        "graph g_else\nd1 Data - int:_parent_node_index=1\nm Exp d1 rec=\nout1 NetOutput m none\n");
    assert_link(&j, "n", "foo", MI_LIKELY, "ge_cuts"); /* between the owner's input and n2 */
    assert_links(&j, "foo", 1);
    assert_link(&j, "n2", "n2", MI_LIKELY, "ge_cuts");
    assert_link(&j, "m", "m", MI_CERTAIN, "recorded");
    assert_links(&j, "d0", 0);
    assert_link(&j, "if", "if", MI_CERTAIN, "recorded"); /* its switch names it, too */
    assert_link(&j, "if", "sw", MI_CERTAIN, "recorded");
    assert_birth(&j, "end", MI_ORIGIN_INSERTED, NULL);
    leave(&j);
}

/* Bodies of partitioned calls are parts of the graph around the call. */
static void test_parts(void **state)
{
    (void)state;
    struct joined j;
    join(&j, chain,
         "graph g\nx Data -\nn0 Foo x\ncall PartitionedCall n0 sub=inner\nd Sqrt call rec=\n"
         "Node_Output NetOutput d none\n"
         "graph inner\ni0 Data - int:_parent_node_index=0\nn1 Foo i0\nc Relu n1 rec=\n"
         "out NetOutput c none\n");
    assert_links(&j, "call", 0);
    assert_birth(&j, "call", MI_ORIGIN_BOUNDARY, NULL);
    assert_link(&j, "c", "c", MI_CERTAIN, "recorded");
    assert_links(&j, "c", 1);
    leave(&j);
    join(&j, chain,
         "graph g\nx Data -\na Abs x rec=\ncall PartitionedCall a sub=inner\nd Sqrt call rec=\n"
         "Node_Output NetOutput d none\n"
         "graph inner\ni0 Data - int:_parent_node_index=0\nn1 Foo i0\nc Relu n1 rec=\n"
         "out NetOutput c none\n");
    assert_link(&j, "b", "n1", MI_LIKELY, "ge_cuts");
    assert_links(&j, "n1", 1);
    leave(&j);
}

static void test_folded(void **state)
{
    (void)state;
    struct joined j;
    join(&j,
         "in x\nout y\nconst k 1\nk2 Exp k k2\ns Shape x s\ng Gather s,k g\nr Reshape x,g r\n"
         "i Identity r i\na Mul i,k2 y\nlost Neg x lost\n",
         "graph g\nx Data -\nk Const -\nr Reshape x,k rec=\na Mul r,k rec=\n"
         "Node_Output NetOutput a none\n");
    assert_fate(&j, "k2", MI_FATE_FOLDED, MI_REASON_CONSTANT);
    assert_fate(&j, "s", MI_FATE_FOLDED, MI_REASON_SHAPE_KNOWN);
    assert_fate(&j, "g", MI_FATE_FOLDED, MI_REASON_SHAPE_KNOWN);
    assert_fate(&j, "i", MI_FATE_REMOVED, MI_REASON_IDENTITY);
    assert_fate(&j, "lost", MI_FATE_REMOVED, MI_REASON_DEAD);
    leave(&j);
}

/* --- events and inserted nodes --- */

static void test_events(void **state)
{
    (void)state;
    struct joined j;
    join(&j, chain,
         "graph g\nx Data -\na Abs x rec=\nS0 Send a:-1 int:event_id=0 none\n"
         "R0 Recv - int:event_id=0 none\nb Neg a,R0:-1 rec=\nS1 Send b:-1 int:event_id=0 none\n"
         "R1 Recv - int:event_id=0 none\nc Relu b,R1:-1 rec=\n"
         "act StreamActive c:-1 none\nd Sqrt c rec=\nNode_Output NetOutput d none\n");
    assert_birth(&j, "S0", MI_ORIGIN_INSERTED, "a:0");
    assert_birth(&j, "R0", MI_ORIGIN_INSERTED, "a:0");
    assert_birth(&j, "S1", MI_ORIGIN_INSERTED, "b:0");
    assert_birth(&j, "R1", MI_ORIGIN_INSERTED, "b:0");
    assert_birth(&j, "act", MI_ORIGIN_INSERTED, NULL);
    leave(&j);
}

/* --- stages --- */

static enum mi_layer layer_of(struct joined *j, uint32_t source)
{
    for (uint32_t g = 1; g < rows_of(j)->graphs.count; g++)
        if (rows_of(j)->graphs.source[g].v == source)
            return (enum mi_layer)rows_of(j)->graphs.layer[g];
    return MI_LAYER_NONE;
}

static void test_stages(void **state)
{
    (void)state;
    struct joined j;
    static const char first[] = "graph g\nx Data -\na Abs x\nb Neg a\nc Relu b\nd Sqrt c\n"
                                "Node_Output NetOutput d none\n";
    static const char last[] = "graph g\nx Data -\nab Foo x rec=a+b\nc Relu ab rec=\n"
                               "d Sqrt c rec=\nNode_Output NetOutput d none\n";
    static const char other[] =
        "graph other\nx Data -\nq Exp x rec=\nNode_Output NetOutput q none\n";
    begin(&j, chain, NULL);
    add_dump(&j, "dumps/ge_proto_00046_Build.txt", last);
    set_stage(&j, 47, "Build");
    add_dump(&j, "dumps/ge_proto_00004_PreRunBegin.txt", first);
    set_stage(&j, 5, "PreRunBegin");
    add_dump(&j, "dumps/ge_proto_00050_Build.txt", other);
    set_stage(&j, 51, "Build");
    run(&j);
    assert_int_equal(layer_of(&j, 2), MI_LAYER_COMPILED);
    assert_int_equal(layer_of(&j, 3), MI_LAYER_STAGE);
    assert_int_equal(layer_of(&j, 4), MI_LAYER_COMPILED); /* another build */
    assert_link(&j, "a", "ab", MI_CERTAIN, "recorded");
    assert_int_equal(rows_of(&j)->births.count - 1, 5 + 3);
    leave(&j);
    begin(&j, chain, NULL); /* the last stage where there is no finished graph; files far apart */
    add_dump(&j, "one/ge_proto_00004_PreRunBegin.txt", first);
    set_stage(&j, 5, "PreRunBegin");
    add_dump(&j, "one/ge_proto_00026_afterUBMatch.txt", last);
    set_stage(&j, 27, "afterUBMatch");
    add_dump(&j, "two/ge_proto_00004_PreRunBegin.txt", first);
    set_stage(&j, 5, "PreRunBegin");
    run(&j);
    assert_int_equal(layer_of(&j, 2), MI_LAYER_STAGE);
    assert_int_equal(layer_of(&j, 3), MI_LAYER_COMPILED);
    assert_int_equal(layer_of(&j, 4), MI_LAYER_COMPILED);
    leave(&j);
}

/* --- planned tasks --- */

static const char planned_graph[] =
    "graph g\nx Data -\na Abs x rec=\nb Neg a rec=\nc Reshape b rec=c\nd Sqrt c rec=\n"
    "Node_Output NetOutput d none\n";

static uint32_t plan(struct joined *j, const char *type, int64_t stream, int64_t op_index,
                     const char *op_name, int64_t event)
{
    struct mi_batch *all = &j->joining.model.all;
    bool is_sync = strstr(type, "EVENT") != NULL;
    uint32_t position = all->rows.planned.count ? all->rows.planned.count - 1 : 0, graph = 1;
    while (all->rows.graphs.layer[graph] != MI_LAYER_COMPILED)
        graph++;
    return mi_add_planned(all,
                          &(struct mi_planned_row){.graph = {graph},
                                                   .position = position,
                                                   .type = mi_batch_cstr(all, type),
                                                   .kind = is_sync ? MI_TASK_SYNC : MI_TASK_COMPUTE,
                                                   .stream = stream,
                                                   .event = event,
                                                   .label = -1,
                                                   .op_index = op_index,
                                                   .op_name = mi_batch_cstr(all, op_name),
                                                   .block_dim = -1,
                                                   .record_offset = -1})
        .v;
}

static void assert_planned(struct joined *j, uint32_t task, const char *name, const char *rule,
                           enum mi_confidence confidence)
{
    const struct mi_planned *planned = &rows_of(j)->planned;
    uint32_t n = name ? node(j, MI_LAYER_COMPILED, name) : 0;
    assert_int_equal(planned->node[task].v, n);
    assert_int_equal(planned->confidence[task], confidence);
    struct mi_bytes by = mi_model_text(&j->joining.model, planned->rule[task]);
    assert_true(mi_bytes_equal(by, mi_cstr(rule)));
    assert_int_not_equal(planned->evidence[task].v, 0);
}

static void test_planned(void **state)
{
    (void)state;
    struct joined j;
    begin(&j, chain, planned_graph);
    uint32_t start = plan(&j, "FUSION_START", 0, -1, "", -1);
    uint32_t barrier = plan(&j, "BARRIER", 0, -1, "", -1);
    uint32_t a = plan(&j, "KERNEL", 0, 1, "a", -1);
    uint32_t elsewhere = plan(&j, "KERNEL", 1, 2, "", -1);
    uint32_t cmo = plan(&j, "CMO", 0, -1, "", -1);
    uint32_t named = plan(&j, "CMO", 0, -1, "d", -1);
    uint32_t leader = plan(&j, "KERNEL", 0, 4, "a", -1);
    uint32_t zero = plan(&j, "KERNEL", 0, 0, "", -1);
    uint32_t exit = plan(&j, "MODEL_EXIT", 0, -1, "", -1);
    uint32_t nobody = plan(&j, "KERNEL", 0, 77, "nobody", -1);
    uint32_t end = plan(&j, "END_GRAPH", 0, -1, "", -1);
    run(&j);
    assert_planned(&j, start, "a", "adjacency", MI_GUESS);
    assert_planned(&j, barrier, "a", "adjacency", MI_GUESS);
    assert_planned(&j, a, "a", "op_index", MI_CERTAIN);
    assert_planned(&j, elsewhere, "b", "op_index", MI_CERTAIN);
    assert_planned(&j, cmo, "a", "adjacency", MI_GUESS);
    assert_planned(&j, named, "d", "task_index_op_name", MI_CERTAIN);
    assert_planned(&j, leader, "d", "op_index", MI_LIKELY);
    assert_int_not_equal(rows_of(&j)->planned.conflict[leader].v, 0);
    assert_planned(&j, zero, NULL, "", MI_CONFIDENCE_NONE);
    assert_planned(&j, exit, NULL, "", MI_CONFIDENCE_NONE);
    assert_planned(&j, nobody, NULL, "", MI_CONFIDENCE_NONE);
    assert_planned(&j, end, "Node_Output", "adjacency", MI_LIKELY);
    /* fates: planned is executed as long as no run is known */
    assert_fate(&j, "a", MI_FATE_EXECUTED, MI_REASON_OWN_NODE);
    assert_fate(&j, "c", MI_FATE_NOT_EXECUTED, MI_REASON_NO_TASK);
    leave(&j);
}

static void test_event_pairs(void **state)
{
    (void)state;
    struct joined j;
    begin(&j, chain, planned_graph);
    uint32_t r1 = plan(&j, "EVENT_RECORD", 0, 1, "", 3);
    uint32_t n1 = plan(&j, "NOTIFY_RECORD", 0, 1, "", 3); /* numbers of its own */
    uint32_t w1 = plan(&j, "EVENT_WAIT", 1, 2, "", 3);
    uint32_t w2 = plan(&j, "EVENT_WAIT", 2, 2, "", 3);
    uint32_t r2 = plan(&j, "EVENT_RECORD", 0, 1, "", 3); /* the number is used again */
    uint32_t w3 = plan(&j, "EVENT_WAIT", 1, 2, "", 3);
    uint32_t again = plan(&j, "EVENT_WAIT", 2, 2, "", 3);
    uint32_t memory = plan(&j, "MEM_EVENT_WAIT", 2, 2, "", 3); /* numbered apart, too */
    uint32_t reset = plan(&j, "EVENT_RESET", 2, 2, "", 3);
    uint32_t early = plan(&j, "EVENT_WAIT", 1, 2, "", 5);
    uint32_t early_too = plan(&j, "EVENT_WAIT", 2, 2, "", 5);
    uint32_t late = plan(&j, "EVENT_RECORD", 0, 1, "", 5);
    uint32_t alone = plan(&j, "EVENT_WAIT", 0, 1, "", 9);
    run(&j);
    const struct mi_planned *planned = &rows_of(&j)->planned;
    assert_int_equal(planned->peer[w1].v, r1);
    assert_int_equal(planned->peer[w2].v, r1);
    assert_int_equal(planned->peer[r1].v, w1);
    assert_int_equal(planned->peer[n1].v, 0);
    assert_int_equal(planned->peer[w3].v, r2);
    assert_int_equal(planned->peer[r2].v, w3);
    assert_int_equal(planned->peer[early].v, late);
    assert_int_equal(planned->peer[early_too].v, late);
    assert_int_equal(planned->peer[late].v, early);
    assert_int_equal(planned->peer[again].v, r2);
    assert_int_equal(planned->peer[memory].v, 0);
    assert_int_equal(planned->peer[reset].v, 0);
    assert_int_equal(planned->peer[alone].v, 0);
    leave(&j);
}

/* Which branch runs only a run tells; what a partitioned call holds runs with it. */
static void test_planned_bodies(void **state)
{
    (void)state;
    struct joined j;
    begin(&j,
          "in x\nin c\nout y\na Abs x p\nif If c h\n{ then_branch\nout t\nn Neg p t\n}\n"
          "{ else_branch\nout u\nm Exp p u\n}\nz Sqrt h y\n",
          "graph g\nx Data -\nc Data -\ncall PartitionedCall x sub=inner\n"
          "if If c,call rec= sub=g_then+g_else\nz Sqrt if rec=\nNode_Output NetOutput z none\n"
          "graph inner\ni0 Data - int:_parent_node_index=0\na Abs i0 rec=\n"
          "graph g_then\nd0 Data - int:_parent_node_index=1\nn Neg d0 rec=\n"
          "graph g_else\nd1 Data - int:_parent_node_index=1\nm Exp d1 rec=\n");
    plan(&j, "KERNEL", 0, 2, "", -1);  /* call */
    plan(&j, "KERNEL", 0, 4, "", -1);  /* z */
    plan(&j, "KERNEL", 0, 9, "", -1);  /* n */
    plan(&j, "KERNEL", 0, 11, "", -1); /* m */
    run(&j);
    assert_fate(&j, "a", MI_FATE_EXECUTED, MI_REASON_OWN_NODE);
    assert_fate(&j, "n", MI_FATE_EXECUTED, MI_REASON_OWN_NODE);
    uint32_t fate = j.joining.model.index.fate_of[node(&j, MI_LAYER_FRAMEWORK, "n")];
    assert_int_equal(rows_of(&j)->fates.confidence[fate], MI_GUESS);
    fate = j.joining.model.index.fate_of[node(&j, MI_LAYER_FRAMEWORK, "z")];
    assert_int_equal(rows_of(&j)->fates.confidence[fate], MI_CERTAIN);
    leave(&j);
}

/* Numbers start again in sub-graphs: the graph of the list itself comes first, names help. */
static void test_repeated_numbers(void **state)
{
    (void)state;
    struct joined j;
    begin(&j, chain,
          "graph g\nx Data -\na Abs x\ncall PartitionedCall a sub=h\nd Sqrt call\n"
          "graph h\nk Neg -\nl Relu k\nm Exp l\n");
    struct mi_nodes *nodes = &rows_of(&j)->nodes;
    nodes->native_id[node(&j, MI_LAYER_COMPILED, "l")] = 1;  /* as a has */
    nodes->native_id[node(&j, MI_LAYER_COMPILED, "k")] = 40; /* twice, both inside */
    nodes->native_id[node(&j, MI_LAYER_COMPILED, "m")] = 40;
    uint32_t own = plan(&j, "KERNEL", 0, 1, "", -1);
    uint32_t both = plan(&j, "KERNEL", 0, 40, "m", -1);
    uint32_t unclear = plan(&j, "KERNEL", 0, 40, "", -1);
    run(&j);
    assert_planned(&j, own, "a", "op_index", MI_CERTAIN);
    assert_planned(&j, both, "m", "op_index", MI_CERTAIN);
    assert_planned(&j, unclear, NULL, "", MI_CONFIDENCE_NONE);
    leave(&j);
}

/* --- a real model --- */

static const char *sample(const char *name, char *path, size_t room)
{
    const char *shared = getenv("MI_SHARED");
    snprintf(path, room, "%s/samples/cann-static/%s", shared ? shared : MI_SOURCE_DIR "/../shared",
             name);
    return path;
}

static void test_lanenet(void **state)
{
    (void)state;
    char path[1024];
    struct joined j = {0};
    joining_init(&j.joining);
    if (!joining_file(&j.joining, "onnx",
                      sample("framework/lanenet_epoch_122_batch_8_AUG.onnx", path, sizeof path)) ||
        !joining_file(&j.joining, "om", sample("om/lanenet_ascend310b4.om", path, sizeof path))) {
        joining_fini(&j.joining);
        skip();
    }
    run(&j);
    const struct mi_tables *rows = rows_of(&j);
    uint32_t recorded = 0, kernels = 0, tied = 0, by_fate[8] = {0}, unlinked = 0;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        uint32_t fate = j.joining.model.index.fate_of[n];
        bool is_recorded = false;
        if (!fate)
            continue;
        by_fate[rows->fates.fate[fate]]++;
        unlinked += rows->fates.reason[fate] == MI_REASON_UNLINKED;
        const struct mi_csr *csr = &j.joining.model.index.compiled_of;
        for (uint32_t i = csr->first[n]; i < csr->first[n + 1]; i++)
            is_recorded |= rows->lowered.confidence[csr->list[i]] == MI_CERTAIN;
        recorded += is_recorded;
    }
    assert_int_equal(recorded, 355);
    assert_int_equal(by_fate[MI_FATE_EXECUTED] + by_fate[MI_FATE_FUSED_INTO], 355);
    assert_int_equal(by_fate[MI_FATE_FOLDED] + by_fate[MI_FATE_REMOVED], 107);
    assert_int_equal(unlinked, 0);
    uint8_t *has_kernel = calloc(rows->nodes.count, 1);
    assert_non_null(has_kernel);
    assert_int_equal(rows->planned.count - 1, 410);
    for (uint32_t t = 1; t < rows->planned.count; t++) {
        bool is_kernel = mi_bytes_equal(mi_model_text(&j.joining.model, rows->planned.type[t]),
                                        MI_LIT("KERNEL"));
        assert_int_not_equal(rows->planned.evidence[t].v, 0);
        tied += rows->planned.node[t].v && rows->planned.confidence[t] == MI_CERTAIN;
        if (!is_kernel)
            continue;
        assert_int_equal(has_kernel[rows->planned.node[t].v], 0);
        has_kernel[rows->planned.node[t].v] = 1;
        kernels++;
    }
    free(has_kernel);
    assert_int_equal(kernels, 152);
    assert_int_equal(tied, 410);
    leave(&j);
}

/* --- damage --- */

static const char rough[] =
    "graph g\nx Data -\nw Const -\ns Const -\nconvrelu Conv2D x,w,s\n"
    "trans_Cast_1 Cast convrelu\nfc MatMulV2 trans_Cast_1,w,s rec=fc+bias\n"
    "S0 Send fc:-1 int:event_id=0 none\nR0 Recv - int:event_id=0 none\n"
    "last Sigmoid fc,R0:-1 org=last\nif If last sub=h\nNode_Output NetOutput last none\n"
    "graph h\nd Data - int:_parent_node_index=0\nbn Relu d\no NetOutput bn none\n";

static void begin_rough(struct joined *j)
{
    begin(j, net, rough);
    plan(j, "EVENT_RECORD", 0, 6, "", 3);
    plan(j, "KERNEL", 0, 3, "convrelu", -1);
    plan(j, "CMO", 0, -1, "", -1);
    plan(j, "EVENT_WAIT", 0, 7, "", 3);
    add_dump(j, "ge_proto_00004_PreRunBegin.txt", rough);
}

static void test_memory(void **state)
{
    (void)state;
    bool ok = false;
    for (long left = 0; !ok; left++) {
        struct joined j;
        begin_rough(&j);
        assert_true(mi_model_index_graphs(&j.joining.model, &j.joining.err));
        alloc_left = left;
        ok = mi_correlate(&j.joining.model, &j.joining.err);
        alloc_left = -1;
        assert_int_equal(j.joining.err.code, ok ? MI_OK : MI_ENOMEM);
        leave(&j);
        assert_in_range(left, 0, 100000);
    }
}

/* Any byte of a dump another: whatever is read is joined without harm. */
static void test_flips(void **state)
{
    (void)state;
    const char *rounds = getenv("MI_ROUNDS");
    uint64_t rng = 7;
    for (long i = 0; i < (rounds ? atol(rounds) : 1000); i++) {
        struct joined j;
        begin(&j, net, NULL);
        char *dump = ge_from_text(rough);
        for (int k = 0; k < 4; k++) {
            rng = rng * UINT64_C(6364136223846793005) + 1442695040888963407u;
            size_t at = (size_t)(rng >> 33) % strlen(dump);
            dump[at] = k & 1 ? dump[(at * 7) % strlen(dump)] : (char)(dump[at] ^ 1);
        }
        j.dumps[j.dump_count++] = dump;
        joining_bytes(&j.joining, "ge_proto", mi_cstr(dump), "ge_proto_00046_Build.txt");
        if (rows_of(&j)->graphs.count > 2)
            plan(&j, "KERNEL", 0, (int64_t)(rng % 12), "fc", -1);
        run(&j);
        leave(&j);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_doubts),
        cmocka_unit_test(test_tensor_against_record),
        cmocka_unit_test(test_tensor_origin),
        cmocka_unit_test(test_names_alone),
        cmocka_unit_test(test_joined_names),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_branches),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_folded),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_planned),
        cmocka_unit_test(test_event_pairs),
        cmocka_unit_test(test_planned_bodies),
        cmocka_unit_test(test_repeated_numbers),
        cmocka_unit_test(test_lanenet),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_flips),
    };
    cmocka_set_test_filter(getenv("MI_TEST"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
