/* What the files of the MindIR reader share. Private to mindir*.c. */
#ifndef MI_PARSE_FORMATS_MINDIR_READ_H
#define MI_PARSE_FORMATS_MINDIR_READ_H

#include "base/map.h"
#include "parse/formats/shared/fw_read.h"

struct mindir_primitive {
    struct mi_pb pb; /* over PrimitiveProto */
};

/* A graph that is named by a node: by an input, or by an attribute. */
struct mindir_use {
    uint32_t graph;
    mi_node_id node;
    mi_str_id role;
};

struct mindir {
    struct mi_fw fw;
    struct mi_map graphs;       /* name -> graph */
    struct mi_map values;       /* (graph, name) -> value */
    struct mi_map names;        /* name -> value that is defined somewhere */
    struct mi_map by_primitive; /* name -> place in `primitives` + 1 */
    struct mindir_primitive *primitives;
    uint32_t primitive_count, primitive_room;
    struct mindir_use *uses;
    uint32_t use_count, use_room;
    uint64_t repeated_bytes; /* of primitives that were read for nodes, so far */
};

/* --- mindir_graph.c --- */

/* Sets key -> value in one of the maps; false: out of memory, which the batch knows then. */
bool mi_mindir_set(struct mindir *m, struct mi_map *map, uint64_t key, uint32_t value);

/* Reads a GraphProto whose row is there already. */
void mi_mindir_graph(struct mindir *m, struct mi_pb graph_pb, mi_graph_id graph);

/* --- mindir_attr.c --- */

/* Type, shape and place of the numbers of a TensorProto; `name` is borrowed. */
struct mindir_tensor {
    struct mi_bytes name;
    struct mi_value_row row;
    bool has_data;
};

void mi_mindir_tensor(struct mindir *m, struct mi_pb pb, struct mindir_tensor *tensor);

/* Reads one AttributeProto of the node that will be `node` as an attribute. */
void mi_mindir_attr(struct mindir *m, struct mi_pb pb, mi_graph_id graph, mi_node_id node);

/* If the AttributeProto describes what a node gives (its name is "shape"): the tensor that stands
 * in it, or what it is instead ("tuple"), into `row`. */
bool mi_mindir_abstract(struct mindir *m, struct mi_pb pb, struct mi_value_row *row);

/* Notes that `node` names the graph `name`; none if there is no such graph. */
mi_graph_id mi_mindir_use(struct mindir *m, mi_str_id name, mi_node_id node, mi_str_id role);

#endif
