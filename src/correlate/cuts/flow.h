/* The working form of one graph with its bodies: model-local functions are inlined, names captured
 * by a body are inputs of the node that owns it, and tensors are numbers that all scopes share.
 *
 * Everything is built with explicit stacks in time linear in the rows touched; functions that
 * expand without end are cut off by a budget and stay opaque calls. Ids are local: 0 = none for
 * tensors and calls; nodes and scopes count from 0. */
#ifndef MI_CORRELATE_FLOW_H
#define MI_CORRELATE_FLOW_H

#include "base/map.h"
#include "base/vec.h"
#include "model/model.h"

#define MI_FLOW_NONE UINT32_MAX

struct mi_flow_node {
    uint32_t node; /* row of mi_nodes; of the definition if inlined */
    uint32_t call; /* call it was inlined from; 0 = it stands where it was written */
    uint32_t scope;
    uint32_t first_in, in_count;       /* ports: inputs as written; tensor 0 = absent */
    uint32_t capture_count;            /* ports behind them: tensors that its bodies capture */
    uint32_t first_out, out_count;     /* ports */
    uint32_t first_scope, scope_count; /* its bodies and branches */
};

enum mi_flow_tensor_flags {
    MI_FLOW_CONST = 1,  /* an initialiser, or computed from constants alone */
    MI_FLOW_OUTPUT = 2, /* an output of its graph */
    MI_FLOW_SHAPE = 4   /* depends on the shapes of other tensors and on constants alone */
};

struct mi_flow_tensor {
    uint32_t value;    /* row of mi_values */
    uint32_t producer; /* node + 1; 0 = none: graph input, constant, undefined */
    uint32_t alias;    /* tensor that it is another name of; 0 = none (only while building) */
    uint32_t scope;    /* where its name is known; MI_FLOW_NONE inside an inlined function */
    uint32_t flags;
};

struct mi_flow_call {
    uint32_t node;   /* row of mi_nodes: the call as written */
    uint32_t parent; /* call that this one stands in; 0 = none */
    uint32_t depth;
};

struct mi_flow_scope {
    uint32_t graph;  /* row of mi_graphs */
    uint32_t owner;  /* node + 1 that owns it; 0 for the main graph */
    uint32_t parent; /* scope of the owner */
    uint32_t call, depth;
    uint32_t first_node, node_count;
    uint32_t first_in, in_count;   /* ports: inputs of the graph, by place */
    uint32_t first_out, out_count; /* ports: outputs of the graph, by place */
};

struct mi_flow {
    const struct mi_model *model;
    struct mi_flow_node *nodes;
    struct mi_flow_tensor *tensors; /* [tensor_count], 0 unused */
    struct mi_flow_call *calls;     /* [call_count], 0 unused */
    struct mi_flow_scope *scopes;
    struct mi_u32s ports;
    uint32_t node_count, tensor_count, call_count, scope_count;
    uint32_t node_room, tensor_room, call_room, scope_room;
    uint32_t *order;       /* [node_count] producers first; nodes on cycles stand last */
    uint32_t cyclic_count; /* of those at the end of `order` */
    struct mi_csr readers; /* tensor -> nodes + 1, a node once per port */
    bool is_cut_off;       /* a budget ended the inlining of functions */
};

/* Builds the form of `graph` (a main graph). On failure `err` says MI_ENOMEM. */
bool mi_flow_init(struct mi_flow *flow, const struct mi_model *model, mi_graph_id graph,
                  struct mi_error *err);
void mi_flow_fini(struct mi_flow *flow); /* fine on a zeroed one */

/* Input i (as written or captured), output i. */
static inline uint32_t mi_flow_in(const struct mi_flow *flow, const struct mi_flow_node *n,
                                  uint32_t i)
{
    return flow->ports.at[n->first_in + i];
}

static inline uint32_t mi_flow_out(const struct mi_flow *flow, const struct mi_flow_node *n,
                                   uint32_t i)
{
    return flow->ports.at[n->first_out + i];
}

static inline uint32_t mi_flow_all_in(const struct mi_flow_node *n)
{
    return n->in_count + n->capture_count;
}

static inline mi_str_id mi_flow_op(const struct mi_flow *flow, const struct mi_flow_node *n)
{
    return flow->model->all.rows.nodes.op[n->node];
}

static inline mi_str_id mi_flow_node_name(const struct mi_flow *flow, const struct mi_flow_node *n)
{
    return flow->model->all.rows.nodes.name[n->node];
}

static inline mi_str_id mi_flow_name(const struct mi_flow *flow, uint32_t tensor)
{
    return flow->model->all.rows.values.name[flow->tensors[tensor].value];
}

static inline bool mi_flow_is_const(const struct mi_flow *flow, uint32_t tensor)
{
    return (flow->tensors[tensor].flags & MI_FLOW_CONST) != 0;
}

/* The id of an operator name; one that no string has if the model does not know it. */
mi_str_id mi_known_op(const struct mi_model *model, const char *name);

/* Draws random numbers, so that equal inputs do not mean equal outputs. */
bool mi_flow_is_random(const struct mi_flow *flow, const struct mi_flow_node *node);

#endif
