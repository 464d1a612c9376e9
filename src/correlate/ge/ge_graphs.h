/* Graphs that GE, the graph engine of CANN, made. */
#ifndef MI_CORRELATE_GE_GRAPHS_H
#define MI_CORRELATE_GE_GRAPHS_H

#include "model/model.h"

/* How much a form of a GE graph tells, the more the higher: an offline model has the tasks, text
 * for people leaves most out. 0 = no form of GE. */
unsigned mi_ge_form(const struct mi_model *model, uint32_t source);

static inline bool mi_is_ge_graph(const struct mi_model *model, uint32_t graph)
{
    return mi_ge_form(model, model->all.rows.graphs.source[graph].v) != 0;
}

/* What a node is for. Ops that compute, whatever they compute, are MI_GE_OP_PLAIN. */
enum mi_ge_op {
    MI_GE_OP_PLAIN,
    MI_GE_OP_BOUNDARY, /* Data, NetOutput: where tensors enter and leave a graph */
    MI_GE_OP_CONST,
    MI_GE_OP_CALL, /* PartitionedCall: its body is a part of the graph around it */
    MI_GE_OP_SEND,
    MI_GE_OP_RECV,
    MI_GE_OP_CONTROL,   /* orders or switches streams: labels, StreamActive, ... */
    MI_GE_OP_CONVERSION /* hands a tensor on: Cast, TransData, copies */
};

enum mi_ge_op mi_ge_op_of(const struct mi_model *model, uint32_t node);

/* The node's attribute of that name, 0 = none. */
uint32_t mi_node_attr(const struct mi_model *model, uint32_t node, mi_str_id name);

/* The first number of an attribute, `fallback` where there is none. */
int64_t mi_node_int(const struct mi_model *model, uint32_t node, mi_str_id name, int64_t fallback);

#endif
