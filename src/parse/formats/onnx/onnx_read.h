/* What the files of the ONNX reader share. Private to onnx*.c and ort_onnx.c.
 *
 * Order of work: the top level is walked once and leaves a queue of graphs; each graph is read to
 * its end before the next one, so the node rows of one graph are contiguous and every enclosing
 * graph is complete before its bodies are read. Bodies found on the way go to the end of the queue:
 * no recursion, whatever the nesting. */
#ifndef MI_PARSE_FORMATS_ONNX_READ_H
#define MI_PARSE_FORMATS_ONNX_READ_H

#include "base/map.h"
#include "base/pb_wire.h"
#include "parse/reader.h"

#define ONNX_MAX_ITEMS 65536u /* elements of one attribute that become rows */
#define ONNX_MAX_RANK  1024u  /* dimensions of one value that become rows */

/* Rows for names that bodies take from further out than the next graph: more would let a small file
 * fill the memory. */
#define ONNX_MAX_BETWEEN 1000000u

/* A graph that waits to be read. */
struct onnx_job {
    struct mi_pb pb; /* over GraphProto or FunctionProto; its `err` is set when it is read */
    mi_graph_id graph;
    uint32_t depth; /* 0: not inside a node */
};

struct onnx {
    const struct mi_source *src;
    struct mi_batch *out;
    struct mi_error *err;
    struct mi_error broken; /* first damage that hides the rest of a main graph or of the file */
    struct mi_error cut;    /* where the file ends too early; MI_OK if it does not */
    uint32_t max_depth, max_string_bytes, max_rows;
    enum mi_layer layer;
    int64_t ir_version; /* 0 if the file names none */
    struct onnx_job *jobs;
    size_t job_count, job_room;
    struct mi_map values; /* (graph, name) -> value that the name stands for just now */
    struct mi_map nodes;  /* (graph, name) -> node */
    uint32_t between;     /* rows made for names that only pass through a graph */
    uint32_t steps;       /* since the last report of progress */
};

/* --- onnx_look.c: recognition --- */

/* What a look at the structure tells without reading it. */
struct onnx_look {
    int score;        /* 0: no ModelProto ... 100 */
    bool is_from_ort; /* opset_import shows what only ONNX Runtime's writer leaves */
};

struct onnx_look mi_onnx_look(struct mi_bytes bytes);

/* --- onnx.c: the whole file --- */

/* The `read` of both readers; the role in the manifest goes before `layer`. */
bool mi_onnx_read(const struct mi_source *src, enum mi_layer layer, struct mi_batch *out,
                  struct mi_error *err);

/* One more record; false: stop (memory, limits, cancelled), and o->err says why. */
bool mi_onnx_step(struct onnx *o, uint64_t offset);

/* A name as a row, cut to the limit. */
mi_str_id mi_onnx_name(struct onnx *o, struct mi_bytes text, uint64_t offset);

/* An operator domain; "ai.onnx" is the empty one. */
mi_str_id mi_onnx_domain(struct onnx *o, struct mi_bytes text, uint64_t offset);

/* Something the file says about itself. */
void mi_onnx_fact(struct onnx *o, const char *name, struct mi_bytes text, uint64_t offset);

/* Counts a field that is not in the schema. */
void mi_onnx_unknown(struct onnx *o, const struct mi_pb *pb, const char *message);

/* Adds the row of a graph and queues its content. `parent` and `role` are none for main graphs and
 * functions. */
mi_graph_id mi_onnx_queue(struct onnx *o, const struct mi_pb *pb, enum mi_graph_kind kind,
                          mi_node_id parent, mi_str_id role, uint32_t depth);

/* First bytes of a name for a message: arguments of "%.*s". */
#define MI_ONNX_SHOW(name)                                                                         \
    (int)((name).len < 80 ? (name).len : 80), (name).len ? (const char *)(name).at : ""

/* The same cursor with an error of its own: damage inside it stays inside. */
static inline struct mi_pb mi_onnx_apart(struct mi_pb pb, struct mi_error *err)
{
    *err = MI_ERROR_INIT;
    pb.err = err;
    return pb;
}

/* --- onnx_graph.c: graphs, functions, nodes --- */

void mi_onnx_graph(struct onnx *o, const struct onnx_job *job);
void mi_onnx_function(struct onnx *o, const struct onnx_job *job);

/* --- onnx_scope.c: which value a name stands for --- */

/* The value that `name` stands for in `graph`; one that is not known yet is DANGLING until
 * mi_onnx_define() or mi_onnx_resolve() says better. */
mi_value_id mi_onnx_use(struct onnx *o, mi_graph_id graph, mi_str_id name);

/* A value comes into being. A second definition of a name gets a row of its own, which later uses
 * mean. */
mi_value_id mi_onnx_define(struct onnx *o, mi_graph_id graph, mi_str_id name,
                           enum mi_value_kind kind, mi_node_id producer, uint64_t offset);

/* Ends a graph: turns its rows from `first_value` on that are still DANGLING into OUTER ones where
 * an enclosing graph has the name, with a row in each graph between. */
void mi_onnx_resolve(struct onnx *o, mi_graph_id graph, uint32_t first_value, uint64_t offset);

/* --- onnx_type.c: types and tensors --- */

/* Element type by its number in TensorProto; "onnx:99" for one that is not known; none for 0. */
mi_str_id mi_onnx_dtype(struct onnx *o, int64_t number);

/* Fills type, dtype and shape of a value from a TypeProto; a value that has them keeps them. */
void mi_onnx_value_type(struct onnx *o, mi_value_id value, struct mi_pb pb);

/* A TypeProto as text: sequence(tensor(float32)[1,N,?]). */
mi_str_id mi_onnx_type_text(struct onnx *o, struct mi_pb pb);

/* What a TensorProto or SparseTensorProto says but its numbers; `name` is borrowed. */
struct onnx_tensor {
    struct mi_bytes name;
    struct mi_value_row row; /* type, dtype, shape, where the data lies */
};

void mi_onnx_tensor(struct onnx *o, struct mi_pb pb, struct onnx_tensor *tensor);
void mi_onnx_sparse(struct onnx *o, struct mi_pb pb, struct onnx_tensor *tensor);

/* --- onnx_layout.c: layouts --- */

/* Fills in the layout of what the nodes of a compiled graph make, once all are read. */
void mi_onnx_layouts(struct onnx *o);

/* --- onnx_attr.c: attributes of nodes --- */

/* Reads the AttributeProto `pb` of the node that will be `node`. */
void mi_onnx_attr(struct onnx *o, struct mi_pb pb, mi_graph_id graph, mi_node_id node,
                  uint32_t depth);

/* Something beside the attributes (doc_string, metadata) that is shown like one. */
void mi_onnx_note(struct onnx *o, const char *prefix, struct mi_bytes key, struct mi_bytes text,
                  uint64_t offset);

/* The two strings of a StringStringEntryProto, borrowed. */
void mi_onnx_pair(struct mi_pb pb, struct mi_bytes *key, struct mi_bytes *text);

#endif
