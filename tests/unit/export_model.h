/* The model that the tests of the exports share: small, but with one of everything.
 *
 * Framework: Conv "conv" -> Relu "relu" -> Identity "id" -> If "if" (then: Add "add") and a node
 * with a hostile name. Compiled: "conv+relu" (fused), "if" (kept) with "add" (kept) in its branch,
 * "cast" (inserted). Two runs on two streams with a wait and a record, one host thread with the
 * runs. */
#ifndef MI_TESTS_UNIT_EXPORT_MODEL_H
#define MI_TESTS_UNIT_EXPORT_MODEL_H

#include "base/sink.h"
#include "model/links.h"

#include <stdlib.h>

#define EXPORT_START_NS INT64_C(1736412474723783388)

/* NUL, quotes, markup, bidi override, byte that is not UTF-8, line end, comma, formula. */
#define HOSTILE_NAME "=1+1\0\"'<script>\\ \xe2\x80\xae\xff\n,;\xe4\xb8\xad"

struct export_ids {
    mi_node_id conv, relu, identity, branch, add, hostile; /* framework */
    mi_node_id c_conv, c_branch, c_add, c_cast;            /* compiled */
    mi_graph_id graph, then_graph, c_graph, c_then;
};

static inline mi_value_id test_value(struct mi_batch *batch, mi_graph_id graph, const char *name,
                                     enum mi_value_kind kind, mi_node_id producer,
                                     const char *dtype)
{
    uint32_t first_dim = mi_next_row(batch, dims);
    mi_add_dim(batch, &(struct mi_dim_row){.size = -1, .symbol = mi_batch_cstr(batch, "batch")});
    mi_add_dim(batch, &(struct mi_dim_row){.size = 3});
    mi_add_dim(batch, &(struct mi_dim_row){.size = -1});
    return mi_add_value(batch, &(struct mi_value_row){.graph = graph,
                                                      .name = mi_batch_cstr(batch, name),
                                                      .kind = (uint8_t)kind,
                                                      .producer = producer,
                                                      .dtype = mi_batch_cstr(batch, dtype),
                                                      .format = mi_batch_cstr(batch, "NCHW"),
                                                      .has_shape = 1,
                                                      .first_dim = first_dim,
                                                      .dim_count = 3,
                                                      .data_offset = -1,
                                                      .data_bytes = -1});
}

/* A node with one input (may be 0) and one new output `*out`. */
static inline mi_node_id test_node(struct mi_batch *batch, mi_graph_id graph, struct mi_bytes name,
                                   const char *op, mi_value_id in, const char *out_name,
                                   mi_value_id *out)
{
    uint32_t first = mi_next_row(batch, ports);
    mi_node_id node = {mi_next_row(batch, nodes)};
    *out = test_value(batch, graph, out_name, MI_VALUE_ACTIVATION, node, "float16");
    mi_add_port(batch, &(struct mi_port_row){.value = in});
    mi_add_port(batch, &(struct mi_port_row){.value = *out});
    return mi_add_node(batch, &(struct mi_node_row){.graph = graph,
                                                    .name = mi_batch_str(batch, name),
                                                    .op = mi_batch_cstr(batch, op),
                                                    .position = node.v,
                                                    .native_id = -1,
                                                    .stream = -1,
                                                    .category = MI_CATEGORY_CONVOLUTION,
                                                    .first_in = first,
                                                    .in_count = 1,
                                                    .first_out = first + 1,
                                                    .out_count = 1,
                                                    .first_attr = mi_next_row(batch, attrs),
                                                    .attr_count = 0});
}

static inline mi_graph_id test_graph(struct mi_batch *batch, enum mi_layer layer, const char *name,
                                     mi_node_id parent)
{
    return mi_add_graph(
        batch, &(struct mi_graph_row){.layer = (uint8_t)layer,
                                      .kind = parent.v ? MI_GRAPH_SUBGRAPH : MI_GRAPH_MAIN,
                                      .name = mi_batch_cstr(batch, name),
                                      .parent = parent,
                                      .role = mi_batch_cstr(batch, parent.v ? "then_branch" : ""),
                                      .first_in = mi_next_row(batch, ports),
                                      .first_out = mi_next_row(batch, ports)});
}

/* Attributes of the node added last. */
static inline void test_attributes(struct mi_batch *batch, mi_node_id node)
{
    struct mi_nodes *nodes = &batch->rows.nodes;
    nodes->first_attr[node.v] = mi_next_row(batch, attrs);
    nodes->attr_count[node.v] = 3;
    mi_add_attr(batch, &(struct mi_attr_row){.name = mi_batch_cstr(batch, "ends"),
                                             .kind = MI_ATTR_INTS,
                                             .first_item = mi_next_row(batch, items),
                                             .item_count = 2});
    mi_add_item(batch, &(struct mi_item_row){.int_value = 7});
    mi_add_item(batch, &(struct mi_item_row){.int_value = INT64_MAX});
    mi_add_attr(batch, &(struct mi_attr_row){.name = mi_batch_cstr(batch, "alpha"),
                                             .kind = MI_ATTR_FLOAT,
                                             .first_item = mi_next_row(batch, items),
                                             .item_count = 1});
    mi_add_item(batch, &(struct mi_item_row){.real_value = -1.0 / 0.0});
    mi_add_attr(batch, &(struct mi_attr_row){.name = mi_batch_cstr(batch, "mode"),
                                             .kind = MI_ATTR_STRING,
                                             .first_item = mi_next_row(batch, items),
                                             .item_count = 1});
    mi_add_item(batch, &(struct mi_item_row){.text = mi_batch_str(batch, MI_LIT(HOSTILE_NAME))});
}

static inline void test_graphs(struct mi_batch *batch, struct export_ids *ids)
{
    mi_node_id none = {0};
    mi_value_id x, y, z, out, cond;
    ids->graph = test_graph(batch, MI_LAYER_FRAMEWORK, "net", none);
    x = test_value(batch, ids->graph, "x", MI_VALUE_INPUT, none, "float32");
    ids->conv = test_node(batch, ids->graph, MI_LIT("conv"), "Conv", x, "conv_out", &y);
    test_attributes(batch, ids->conv);
    ids->relu = test_node(batch, ids->graph, MI_LIT("relu"), "Relu", y, "relu_out", &z);
    ids->identity = test_node(batch, ids->graph, MI_LIT("id"), "Identity", z, "cond", &cond);
    ids->branch = test_node(batch, ids->graph, MI_LIT("if"), "If", cond, "if_out", &out);
    ids->hostile = test_node(batch, ids->graph, MI_LIT(HOSTILE_NAME), "Custom", (mi_value_id){0},
                             "unused", &out);
    ids->then_graph = test_graph(batch, MI_LAYER_FRAMEWORK, "then", ids->branch);
    mi_value_id captured = test_value(batch, ids->then_graph, "relu_out", MI_VALUE_OUTER, none, "");
    batch->rows.values.outer[captured.v] = z;
    ids->add = test_node(batch, ids->then_graph, MI_LIT("add"), "Add", captured, "sum", &out);

    ids->c_graph = test_graph(batch, MI_LAYER_COMPILED, "net_opt", none);
    x = test_value(batch, ids->c_graph, "x", MI_VALUE_INPUT, none, "float32");
    ids->c_cast = test_node(batch, ids->c_graph, MI_LIT("cast"), "Cast", x, "x_fp16", &y);
    ids->c_conv =
        test_node(batch, ids->c_graph, MI_LIT("conv+relu"), "FusedConv", y, "relu_out", &z);
    ids->c_branch = test_node(batch, ids->c_graph, MI_LIT("if"), "If", z, "if_out", &out);
    ids->c_then = test_graph(batch, MI_LAYER_COMPILED, "then", ids->c_branch);
    captured = test_value(batch, ids->c_then, "relu_out", MI_VALUE_OUTER, none, "");
    batch->rows.values.outer[captured.v] = z;
    ids->c_add = test_node(batch, ids->c_then, MI_LIT("add"), "Add", captured, "sum", &out);
}

static inline void test_link(struct mi_batch *batch, mi_node_id framework, mi_node_id compiled,
                             enum mi_role role)
{
    mi_add_lowered(batch, &(struct mi_lowered_row){.framework = framework,
                                                   .compiled = compiled,
                                                   .role = (uint8_t)role,
                                                   .confidence = MI_CERTAIN,
                                                   .rule = mi_batch_cstr(batch, "test"),
                                                   .evidence = mi_batch_cstr(batch, "by hand")});
}

static inline void test_fate(struct mi_batch *batch, mi_node_id node, enum mi_fate fate,
                             enum mi_reason reason, mi_node_id into)
{
    mi_add_fate(batch, &(struct mi_fate_row){.node = node,
                                             .fate = (uint8_t)fate,
                                             .reason = (uint8_t)reason,
                                             .into = into,
                                             .confidence = MI_CERTAIN});
}

static inline void test_birth(struct mi_batch *batch, mi_node_id node, enum mi_origin origin)
{
    mi_add_birth(batch, &(struct mi_birth_row){.node = node, .origin = (uint8_t)origin});
}

static inline void test_links(struct mi_batch *batch, const struct export_ids *ids)
{
    test_link(batch, ids->conv, ids->c_conv, MI_ROLE_COMPUTED);
    test_link(batch, ids->relu, ids->c_conv, MI_ROLE_COMPUTED);
    test_link(batch, ids->branch, ids->c_branch, MI_ROLE_COMPUTED);
    test_link(batch, ids->add, ids->c_add, MI_ROLE_COMPUTED);
    test_link(batch, ids->identity, ids->c_branch, MI_ROLE_FOLDED);
    test_link(batch, ids->hostile, ids->c_conv, MI_ROLE_ABSORBED);
    test_fate(batch, ids->conv, MI_FATE_FUSED_INTO, MI_REASON_FUSED, ids->c_conv);
    test_fate(batch, ids->relu, MI_FATE_FUSED_INTO, MI_REASON_FUSED, ids->c_conv);
    test_fate(batch, ids->identity, MI_FATE_FOLDED, MI_REASON_CONSTANT, ids->c_branch);
    test_fate(batch, ids->branch, MI_FATE_EXECUTED, MI_REASON_OWN_NODE, ids->c_branch);
    test_fate(batch, ids->add, MI_FATE_EXECUTED, MI_REASON_OWN_NODE, ids->c_add);
    test_fate(batch, ids->hostile, MI_FATE_REMOVED, MI_REASON_DEAD, (mi_node_id){0});
    test_birth(batch, ids->c_conv, MI_ORIGIN_FUSED);
    test_birth(batch, ids->c_branch, MI_ORIGIN_KEPT);
    test_birth(batch, ids->c_add, MI_ORIGIN_KEPT);
    test_birth(batch, ids->c_cast, MI_ORIGIN_INSERTED);
}

static inline mi_kernel_id test_kernel(struct mi_batch *batch, struct mi_bytes name,
                                       enum mi_task_kind kind, enum mi_sync sync)
{
    return mi_add_kernel(
        batch, &(struct mi_kernel_row){.name = mi_batch_str(batch, name),
                                       .node_index = -1,
                                       .kind = (uint8_t)kind,
                                       .sync = (uint8_t)sync,
                                       .outputs = mi_batch_cstr(batch, "float16[1,3];int64[]")});
}

static inline mi_task_id test_task(struct mi_batch *batch, mi_track_id track, mi_kernel_id kernel,
                                   uint32_t run, int64_t start_ns, int64_t dur_ns, mi_node_id node)
{
    static const int64_t native = 100;
    mi_task_id task =
        mi_add_task(batch, &(struct mi_task_row){.track = track,
                                                 .kernel = kernel,
                                                 .native_id = native + run,
                                                 .by = MI_BY_COMPILER,
                                                 .run = run,
                                                 .start_raw = EXPORT_START_NS + start_ns,
                                                 .start_ns = start_ns,
                                                 .dur_ns = dur_ns,
                                                 .record_offset = -1});
    if (node.v)
        mi_link_add(batch, &(struct mi_executed_row){.node = node,
                                                     .task = task,
                                                     .confidence = MI_LIKELY,
                                                     .rule = mi_batch_cstr(batch, "name"),
                                                     .evidence = mi_batch_cstr(batch, "equal")});
    return task;
}

static inline mi_track_id test_track(struct mi_batch *batch, enum mi_track_kind kind,
                                     const char *name, mi_clock_id clock, int64_t device,
                                     int64_t native_id)
{
    return mi_add_track(batch, &(struct mi_track_row){.kind = (uint8_t)kind,
                                                      .name = mi_batch_cstr(batch, name),
                                                      .clock = clock,
                                                      .rank = -1,
                                                      .device = device,
                                                      .process = -1,
                                                      .native_id = native_id});
}

static inline void test_slice(struct mi_batch *batch, mi_track_id track, const char *category,
                              uint32_t run, int64_t start_ns, int64_t dur_ns)
{
    mi_add_slice(batch, &(struct mi_slice_row){.track = track,
                                               .name = mi_batch_printf(batch, "a %s", category),
                                               .category = mi_batch_cstr(batch, category),
                                               .run = run,
                                               .start_raw = EXPORT_START_NS + start_ns,
                                               .start_ns = start_ns,
                                               .dur_ns = dur_ns});
}

/* Per run of 100 us: on stream 7 a cast (1.5 us), a wait, the convolution (20 us, with a task
 * inside and one that overlaps its end), a record; on stream 8 the If with the Add in it. */
static inline void test_tasks(struct mi_batch *batch, const struct export_ids *ids)
{
    mi_node_id none = {0};
    mi_clock_id clock =
        mi_add_clock(batch, &(struct mi_clock_row){.name = mi_batch_cstr(batch, "device"),
                                                   .ref_raw = EXPORT_START_NS,
                                                   .ref_ns = EXPORT_START_NS,
                                                   .ns_per_tick = 1,
                                                   .residual_ns = -1,
                                                   .note = mi_batch_cstr(batch, "by hand")});
    mi_track_id s7 = test_track(batch, MI_TRACK_STREAM, "stream 7", clock, 0, 7);
    mi_track_id s8 = test_track(batch, MI_TRACK_STREAM, "stream 8", clock, 0, 8);
    mi_track_id host = test_track(batch, MI_TRACK_THREAD, "main", clock, -1, 4711);
    mi_kernel_id compute =
        test_kernel(batch, MI_LIT("MatMul_kernel"), MI_TASK_COMPUTE, MI_SYNC_NONE);
    mi_kernel_id odd = test_kernel(batch, MI_LIT(HOSTILE_NAME), MI_TASK_COMPUTE, MI_SYNC_NONE);
    mi_kernel_id wait = test_kernel(batch, MI_LIT("EVENT_WAIT"), MI_TASK_SYNC, MI_SYNC_WAIT);
    mi_kernel_id record = test_kernel(batch, MI_LIT("EVENT_RECORD"), MI_TASK_SYNC, MI_SYNC_RECORD);
    mi_kernel_id control = test_kernel(batch, MI_LIT("If_kernel"), MI_TASK_CONTROL, MI_SYNC_NONE);
    for (uint32_t run = 0; run < 2; run++) {
        int64_t at = -1500 + (int64_t)run * 100000;
        /* Rows that viewers would trip over: the inner one first, and one that crosses both. */
        test_slice(batch, host, "execute", run, at - 500, 80000);
        test_slice(batch, host, "run", run, at - 500, 90000);
        test_slice(batch, host, "api", run, at + 85000, 10000);
        test_task(batch, s7, compute, run, at, 1500, ids->c_cast);
        test_task(batch, s7, wait, run, at + 2000, 250, none);
        test_task(batch, s7, compute, run, at + 3000, 20000, ids->c_conv);
        test_task(batch, s7, odd, run, at + 4000, 1000, none);
        test_task(batch, s7, compute, run, at + 22000, 3000, none);
        test_task(batch, s7, record, run, at + 26000, 10, none);
        test_task(batch, s8, control, run, at + 30000, 5000, ids->c_branch);
        test_task(batch, s8, compute, run, at + 31000, 1001, ids->c_add);
    }
}

/* A frozen model of all that. false: out of memory. */
static inline bool export_model(struct mi_model *model, struct export_ids *ids)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_batch batch;
    if (!mi_model_init(model, &err) || !mi_batch_init(&batch, (struct mi_bytes){0}, &err))
        return false;
    mi_source_id source = mi_model_add_source(
        model,
        &(struct mi_source_row){.path = mi_batch_cstr(&model->all, "dir/net.onnx"),
                                .reader = mi_batch_cstr(&model->all, "test"),
                                .records_in = 3,
                                .records_kept = 2,
                                .records_lost = 1},
        MI_LIT(""), &err);
    test_graphs(&batch, ids);
    test_tasks(&batch, ids);
    mi_add_fact(&batch, &(struct mi_fact_row){.name = mi_batch_cstr(&batch, "producer"),
                                              .text = mi_batch_cstr(&batch, "test")});
    mi_batch_diag(&batch, MI_LOSS, "test.broken", 17, 0, "a record is broken");
    model->start_unix_ns = EXPORT_START_NS;
    if (!mi_model_merge(model, source, &batch, &err) || !mi_model_index_graphs(model, &err))
        return false;
    test_links(&model->all, ids);
    return mi_model_freeze(model, &err);
}

#endif
