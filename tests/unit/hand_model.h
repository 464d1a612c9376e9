/* Models built by hand, small enough to check on paper. */
#ifndef MI_TESTS_HAND_MODEL_H
#define MI_TESTS_HAND_MODEL_H

#include "model/links.h"

#include <stdlib.h>

struct hand {
    struct mi_model model;
    mi_source_id source;
    mi_graph_id graph; /* graph that nodes and values are added to */
};

static inline mi_str_id hand_str(struct hand *hand, const char *text)
{
    return mi_batch_cstr(&hand->model.all, text);
}

static inline void hand_init(struct hand *hand)
{
    *hand = (struct hand){0};
    if (!mi_model_init(&hand->model, NULL))
        abort();
    struct mi_source_row row = {.path = hand_str(hand, "hand"), .reader = hand_str(hand, "none")};
    hand->source = mi_model_add_source(&hand->model, &row, (struct mi_bytes){0}, NULL);
}

/* All nodes of one graph must be added before those of the next. */
static inline mi_graph_id hand_graph(struct hand *hand, enum mi_layer layer, uint32_t parent)
{
    hand->graph = mi_add_graph(
        &hand->model.all, &(struct mi_graph_row){.source = hand->source,
                                                 .layer = (uint8_t)layer,
                                                 .kind = parent ? MI_GRAPH_SUBGRAPH : MI_GRAPH_MAIN,
                                                 .name = hand_str(hand, parent ? "body" : "main"),
                                                 .role = hand_str(hand, parent ? "body" : ""),
                                                 .parent = {parent}});
    return hand->graph;
}

static inline uint32_t hand_value(struct hand *hand, const char *name, enum mi_value_kind kind,
                                  const char *dtype, uint32_t outer)
{
    return mi_add_value(&hand->model.all, &(struct mi_value_row){.graph = hand->graph,
                                                                 .name = hand_str(hand, name),
                                                                 .kind = (uint8_t)kind,
                                                                 .outer = {outer},
                                                                 .dtype = hand_str(hand, dtype),
                                                                 .data_offset = -1,
                                                                 .data_bytes = -1})
        .v;
}

/* A node with at most four inputs (0 ends) and one output value of its own name; returns the node,
 * its output is *out. */
static inline uint32_t hand_node(struct hand *hand, const char *name, const char *op,
                                 const char *dtype, const uint32_t in[4], uint32_t *out)
{
    struct mi_batch *all = &hand->model.all;
    struct mi_node_row row = {.graph = hand->graph,
                              .name = hand_str(hand, name),
                              .op = hand_str(hand, op),
                              .native_id = -1,
                              .stream = -1,
                              .first_in = mi_next_row(all, ports)};
    for (; row.in_count < 4 && in[row.in_count]; row.in_count++)
        mi_add_port(all, &(struct mi_port_row){.value = {in[row.in_count]}});
    uint32_t value = hand_value(hand, name, MI_VALUE_ACTIVATION, dtype, 0);
    row.first_out = mi_next_row(all, ports);
    row.out_count = 1;
    mi_add_port(all, &(struct mi_port_row){.value = {value}});
    uint32_t node = mi_add_node(all, &row).v;
    all->rows.values.producer[value].v = node;
    if (out)
        *out = value;
    return node;
}

/* Makes `value` the only output of graph `graph`. */
static inline void hand_output(struct hand *hand, mi_graph_id graph, uint32_t value)
{
    struct mi_graphs *graphs = &hand->model.all.rows.graphs;
    graphs->first_out[graph.v] = mi_next_row(&hand->model.all, ports);
    graphs->out_count[graph.v] = 1;
    mi_add_port(&hand->model.all, &(struct mi_port_row){.value = {value}});
}

static inline uint32_t hand_track(struct hand *hand, const char *name, int64_t number)
{
    return mi_add_track(&hand->model.all, &(struct mi_track_row){.source = hand->source,
                                                                 .kind = MI_TRACK_STREAM,
                                                                 .name = hand_str(hand, name),
                                                                 .rank = -1,
                                                                 .device = -1,
                                                                 .process = -1,
                                                                 .native_id = number})
        .v;
}

/* A task with a kernel of its own. Returns its row before sorting. */
static inline uint32_t hand_task(struct hand *hand, uint32_t track, const char *name,
                                 enum mi_task_kind kind, uint32_t run, int64_t start_ns,
                                 int64_t dur_ns, uint32_t parent)
{
    struct mi_batch *all = &hand->model.all;
    mi_kernel_id kernel =
        mi_add_kernel(all, &(struct mi_kernel_row){.source = hand->source,
                                                   .name = hand_str(hand, name),
                                                   .node_name = hand_str(hand, name),
                                                   .node_index = -1,
                                                   .op = hand_str(hand, name),
                                                   .kind = (uint8_t)kind});
    return mi_add_task(all, &(struct mi_task_row){.track = {track},
                                                  .kernel = kernel,
                                                  .parent = {parent},
                                                  .native_id = -1,
                                                  .run = run,
                                                  .start_raw = start_ns,
                                                  .start_ns = start_ns,
                                                  .dur_ns = dur_ns,
                                                  .record_offset = -1})
        .v;
}

static inline void hand_executed(struct hand *hand, uint32_t node, uint32_t task)
{
    mi_link_add(&hand->model.all, &(struct mi_executed_row){.node = {node},
                                                            .task = {task},
                                                            .confidence = MI_CERTAIN,
                                                            .rule = hand_str(hand, "hand")});
}

static inline void hand_finish(struct hand *hand)
{
    if (mi_batch_failed(&hand->model.all))
        abort();
    if (!mi_model_index_graphs(&hand->model, NULL))
        abort();
    if (!mi_model_freeze(&hand->model, NULL))
        abort();
}

static inline void hand_fini(struct hand *hand)
{
    mi_model_fini(&hand->model);
}

#endif
