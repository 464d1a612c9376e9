/* What the files of the TensorFlow readers share. Private to tf_*.c.
 *
 * Order of work: the nodes of a graph are read one by one, with names and attributes; inputs are
 * kept as text, since a node may name one that follows (loops do). At the end of the graph all
 * names are known and mi_tf_link() makes tensors and ports. */
#ifndef MI_PARSE_FORMATS_TF_READ_H
#define MI_PARSE_FORMATS_TF_READ_H

#include "base/map.h"
#include "parse/formats/shared/fw_read.h"
#include "parse/formats/shared/message.h"

/* An input as written, of the node `node` rows behind the first of its graph. */
struct tf_input {
    uint32_t node;
    mi_str_id text;
};

/* An output argument of a function and what its `ret` says that it is. */
struct tf_result {
    mi_str_id name, text, dtype;
};

/* An attribute that names a function: attribute row, name of the function. */
struct tf_call {
    uint32_t attr;
    mi_str_id name;
};

struct tf {
    struct mi_fw fw;
    struct mi_scratch scratch; /* strings of a text with escapes */
    struct mi_map nodes;       /* (graph, name) -> first node of that name */
    struct mi_map args;        /* (graph, name) -> argument of a function */
    struct mi_map functions;   /* name -> graph */
    struct mi_map ends;        /* (node, output as text) -> value; (0, text) -> dangling */
    struct tf_input *inputs;   /* of the graph at hand */
    uint32_t input_count, input_room;
    struct mi_map result_of;   /* name -> place in `results` + 1 */
    struct tf_result *results; /* of the function at hand */
    uint32_t result_count, result_room;
    struct tf_call *calls; /* of the GraphDef at hand */
    uint32_t call_count, call_room;
    uint64_t holes; /* outputs that nobody uses in front of one that is used, so far */
};

/* --- tf_node.c --- */

extern const struct mi_msg_schema mi_tf_node_def;

/* Reads one NodeDef, a record of the ledger. */
void mi_tf_node(struct tf *t, const struct mi_msg *field, mi_graph_id graph, uint32_t first_node);

/* --- tf_type.c --- */

/* The current field as the name of an element type; none if it has none. */
mi_str_id mi_tf_dtype(struct tf *t, const struct mi_msg *msg);

/* TensorShapeProto into the shape columns of `row`. */
void mi_tf_shape(struct tf *t, struct mi_msg msg, struct mi_value_row *row);

/* A TensorProto: all but its numbers. */
void mi_tf_tensor(struct tf *t, struct mi_msg msg, struct mi_value_row *row);

extern const struct mi_msg_schema mi_tf_shape_proto, mi_tf_tensor_proto;

/* Type and shape of output `index` of a node, as far as its attributes tell them. */
void mi_tf_output_type(struct tf *t, mi_node_id node, uint32_t index, mi_value_id value);

/* Whether an operator has no outputs at all. */
bool mi_tf_is_sink(struct mi_bytes op);

/* --- tf_link.c --- */

/* Ends a graph whose nodes start at `first_node`: tensors, ports, inputs and outputs. */
void mi_tf_link(struct tf *t, mi_graph_id graph, uint32_t first_node, uint64_t offset);

/* --- tf_graph.c --- */

extern const struct mi_msg_schema mi_tf_graph_def;

/* Reads a GraphDef into a main graph and its functions. `open` gives a new cursor at its start each
 * time it is called. */
typedef struct mi_msg mi_tf_open_fn(void *user);
void mi_tf_graph_read(struct tf *t, mi_tf_open_fn *open, void *user, mi_str_id name,
                      uint64_t offset);
void mi_tf_fini(struct tf *t);

#endif
