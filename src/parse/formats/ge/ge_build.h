/* From the ops of GE to rows: the one place that knows what GE's fields and attributes mean. Every
 * reader of a GE form (.om, ge_proto text, atc JSON, TorchAir text) walks its own syntax and says
 * here what it sees, in the order of the file:
 *
 *   mi_ge_init(&ge, out, &options);
 *     mi_ge_graph_begin(&ge, none);
 *       mi_ge_graph_name(&ge, name);
 *       mi_ge_op_begin(&ge);
 *         mi_ge_op_name(&ge, ...);  type, id, stream, input, number, subgraph
 *         mi_ge_attr_begin(&ge, "pass_name");  an attribute of what is open: here of the op
 *           mi_ge_attr_text(&ge, ...);
 *         mi_ge_attr_end(&ge);
 *         mi_ge_desc_begin(&ge, MI_GE_OUT);  attributes of a descriptor are begun in between
 *         mi_ge_desc_end(&ge);
 *       mi_ge_op_end(&ge);
 *     mi_ge_graph_end(&ge);
 *     mi_ge_attr_begin(&ge, "soc_version");  outside graphs: of the model
 *     ...
 *   mi_ge_model_end(&ge);
 *   mi_ge_fini(&ge);
 *
 * Within an op (graph, descriptor) the order does not matter. Begin and end nest strictly. Texts
 * are borrowed for the call only: those outside the batch's mapping are copied. A `begin` that
 * returns false or NULL means: skip that value, do not end it (not kept on purpose, or nested too
 * deep). Nothing here fails: damage is counted in diagnostics of the batch ("ge.*"), lack of memory
 * makes the batch fail. `ge->offset` and `ge->line`, kept up to date by the caller, are the places
 * of those diagnostics. Ledger: the builder counts ops (counts.in, kept, lost by op_drop); what a
 * reader cannot read at all it adds to counts.in and lost itself.
 *
 * What becomes what:
 *
 * - op: a node; native_id = id (0 when absent), stream = stream_id. Data, Const, NetOutput and
 *   Variable are nodes like the others.
 * - input: a port. "src:idx" is split at the last colon and resolved when the graph ends, to the
 *   first op of that name; "" is a port without value, ":-1" a control port.
 * - output: a value called "src:idx", of kind ACTIVATION; of Data and its kin INPUT, of Const and
 *   its kin CONSTANT (both with their node as producer). A source that does not exist gives
 *   DANGLING. Control edges come from an output port of their own, type "control".
 * - output_desc: dtype, shape, format (name of the layout alone) and attributes of the value.
 *   Sub-format and C0, where stated, are int attributes "sub_format" and "C0"; an output that takes
 *   over the memory of an input has "reuse_input". Origins (_datadump_origin_*, else origin_format,
 *   origin_data_type) are columns. origin_shape is kept only where it differs from the shape.
 * - input_desc: sizes of buffers; _parent_node_index of NetOutput. All else repeats what stands at
 *   the producer and is not kept.
 * - input_i, output_i, workspace, workspace_bytes: rows of `buffers`.
 * - attribute: an attribute of the node; equal runs of rows of `items`,
 *   `dims` and attributes of descriptors stand once. Not kept:
 *   helpers of the serialisation (_input_name_key, _ir_*, ...), kernel binaries, the `value` of a
 *   Const (it is its output's data). <op>_kernelname is called _kernelname; pass_name is a list of
 *   strings whatever its form.
 * - recorded names (_datadump_original_op_names, original_op_names, ...): rows of `recorded` with
 *   via = attribute. The attribute itself is kept only while it holds no name (an empty list: the
 *   compiler says that there is none).
 * - scopes (fusion_scope, _l1_fusion_scope, _thread_scope_id, ...): also groups of two or more
 *   nodes of a graph; the attribute stays.
 * - sub-graphs: graphs named in subgraph_name get their owner as parent, and its role; inputs are
 *   ordered by _parent_node_index. Graphs inside attributes (_sk_sub_graph, ...) are sub-graphs
 * with the attribute's name as role.
 * - facts: attributes of the model, and those of the first graph whose name does not begin with an
 *   underscore; functions (GraphOptions, ...) as NAME:KEY. */
#ifndef MI_PARSE_FORMATS_GE_BUILD_H
#define MI_PARSE_FORMATS_GE_BUILD_H

#include "base/map.h"
#include "model/batch.h"
#include "parse/formats/ge/ge_enums.h"

#define MI_GE_MAX_NEST 32 /* attributes and descriptors inside each other */

struct mi_ge_options {
    enum mi_layer layer;
    mi_str_id stage;           /* for graphs.stage; none = finished */
    uint32_t stage_index;      /* for graphs.stage_index */
    uint32_t max_depth;        /* of graphs inside attributes; 0 = 32 */
    uint32_t max_string_bytes; /* longer texts are cut; 0 = 16 MiB */
    bool without_ids;          /* id and stream_id say nothing: native_id and stream are -1 */
};

enum mi_ge_side {
    MI_GE_IN,   /* OpDef.input_desc */
    MI_GE_OUT,  /* OpDef.output_desc */
    MI_GE_VALUE /* td or t of an attribute */
};

/* Number lists of an op, OpDef 28 to 32. */
enum mi_ge_list {
    MI_GE_INPUT_I,
    MI_GE_OUTPUT_I,
    MI_GE_WORKSPACE,
    MI_GE_WORKSPACE_BYTES,
    MI_GE_LISTS
};

/* What a TensorDescriptor says in numbers; preset, the caller changes what it finds. */
struct mi_ge_desc {
    int64_t size_bytes;   /* of the buffer; preset -1: unknown */
    int64_t weight_bytes; /* weight_size; preset -1: unknown */
    int64_t
        weight_offset; /* data_offset, within the weights; preset 0, as the absent field means */
    int64_t
        data_at; /* of data in the message itself, from the start of the file; preset -1: none */
    int64_t data_bytes;  /* size of that data; preset -1: unknown */
    int64_t reuse_input; /* reuse_input_index where reuse_input is set; preset -1: none */
};

struct mi_ge_state; /* private, ge_build.c */

struct mi_ge {
    struct mi_batch *out;
    uint64_t offset;       /* place of what is read, or MI_NO_OFFSET */
    uint32_t line;         /* same, 0 = unknown */
    int64_t weights_at;    /* start of the weights in the file; preset -1: no weights */
    int64_t weights_bytes; /* size of the weights */
    mi_str_id fact_prefix; /* put before the names of facts, with a colon; none = nothing */
    mi_node_id node;       /* the op that is open will have this id; after op_end: it had */
    mi_graph_id graph;     /* the graph that is open */
    struct mi_ge_state *s;
};

/* false: out of memory (the batch has failed, too). fini is right after both. */
bool mi_ge_init(struct mi_ge *ge, struct mi_batch *out, const struct mi_ge_options *options);
void mi_ge_fini(struct mi_ge *ge);

/* What follows is another model: sub-graphs are looked for among its own graphs first. */
void mi_ge_unit(struct mi_ge *ge);

/* Ends what belongs together: finds the owners of sub-graphs among all graphs since the last call.
 * Several sub-models of one file share one call. */
void mi_ge_model_end(struct mi_ge *ge);

/* --- graphs: one at a time --- */

/* Opens a graph; `declared` is one that mi_ge_attr_graph() has given, or none for a new one. */
mi_graph_id mi_ge_graph_begin(struct mi_ge *ge, mi_graph_id declared);
void mi_ge_graph_expect(struct mi_ge *ge, uint32_t ops); /* room for so many ops, where known */

/* `ops` of `all` are done, and so many bytes are left of the graph: room for what the others will
 * need if they are like these. Once per graph. */
void mi_ge_graph_extrapolate(struct mi_ge *ge, uint32_t ops, uint32_t all, uint64_t bytes_left);
void mi_ge_graph_name(struct mi_ge *ge, struct mi_bytes name);
void mi_ge_graph_output(struct mi_ge *ge,
                        struct mi_bytes output); /* "node:idx", without NetOutput */
void mi_ge_graph_end(struct mi_ge *ge);

/* --- ops --- */

void mi_ge_op_begin(struct mi_ge *ge);
void mi_ge_op_name(struct mi_ge *ge, struct mi_bytes name);
void mi_ge_op_type(struct mi_ge *ge, struct mi_bytes type);
void mi_ge_op_id(struct mi_ge *ge, int64_t id);
void mi_ge_op_stream(struct mi_ge *ge, int64_t stream);
void mi_ge_op_input(struct mi_ge *ge, struct mi_bytes input);
void mi_ge_op_number(struct mi_ge *ge, enum mi_ge_list list, int64_t number);
void mi_ge_op_subgraph(struct mi_ge *ge, struct mi_bytes name);
void mi_ge_op_end(struct mi_ge *ge);
void mi_ge_op_drop(
    struct mi_ge *ge); /* instead of op_end: nothing of it becomes rows; it is lost */

/* Scopes that stand outside of the ops (`fm` of older models): once the graph has ended, a number
 * for each node that has one, then the end, which makes groups of those that share one. */
void mi_ge_scope(struct mi_ge *ge, enum mi_group_kind kind, int64_t number, mi_node_id node);
void mi_ge_scopes_end(struct mi_ge *ge, mi_graph_id graph);

/* --- descriptors --- */

/* NULL: skip it. The pointer is valid until desc_end. */
struct mi_ge_desc *mi_ge_desc_begin(struct mi_ge *ge, enum mi_ge_side side);
void mi_ge_desc_dtype(struct mi_ge *ge, int64_t proto_number);
void mi_ge_desc_dtype_name(struct mi_ge *ge, struct mi_bytes name); /* DT_FLOAT16, or a number */
void mi_ge_desc_layout(struct mi_ge *ge, struct mi_bytes layout);   /* FRACTAL_Z:32 */
void mi_ge_desc_dim(struct mi_ge *ge, int64_t size);
void mi_ge_desc_end(struct mi_ge *ge);

/* Whether the attributes of descriptors of that side are worth reading for the op that is open, by
 * what is known of it so far (its type). */
bool mi_ge_wants_desc_attrs(const struct mi_ge *ge, enum mi_ge_side side);

/* --- attributes --- */

bool mi_ge_attr_begin(struct mi_ge *ge, struct mi_bytes name);
bool mi_ge_attr_begin_id(struct mi_ge *ge, mi_str_id name); /* interned in ge->out: no hashing */
void mi_ge_attr_end(struct mi_ge *ge);

/* The value is a list; `val_type` is ListValue.val_type, 0 = not stated. Any time before the end.
 */
void mi_ge_attr_list(struct mi_ge *ge, int64_t val_type);
int64_t mi_ge_val_type_of_name(struct mi_bytes name); /* VT_LIST_STRING -> 1, or a number */

/* One element. */
void mi_ge_attr_int(struct mi_ge *ge, int64_t value);
void mi_ge_attr_float(struct mi_ge *ge, double value);
void mi_ge_attr_bool(struct mi_ge *ge, bool value);
void mi_ge_attr_text(struct mi_ge *ge, struct mi_bytes text); /* s */
void mi_ge_attr_text_id(struct mi_ge *ge, mi_str_id text);    /* same, interned in ge->out */
void mi_ge_attr_blob(struct mi_ge *ge, uint64_t size_bytes);  /* bt, expression: size only */

/* Whether the attribute that is open is known to be text: bytes in it are text then (some writers
 * put pass_name or original names into bt). */
bool mi_ge_attr_is_text(const struct mi_ge *ge);
void mi_ge_attr_dtype(struct mi_ge *ge, int64_t ge_number); /* dt */
/* td, t: mi_ge_desc_begin(ge, MI_GE_VALUE) while the attribute is open. */

/* g: an element that is a graph; read it after the present graph has ended and before any other but
 * those declared earlier, with mi_ge_graph_begin(ge, the id): graphs are filled in the order of
 * their rows. None: too deep, skip it. */
mi_graph_id mi_ge_attr_graph(struct mi_ge *ge);

/* func, na: the function's own attributes are begun and ended in between. false: skip it. */
bool mi_ge_attr_func_begin(struct mi_ge *ge);
void mi_ge_attr_func_name(struct mi_ge *ge, struct mi_bytes name);
void mi_ge_attr_func_end(struct mi_ge *ge);

/* list_list_int, list_list_float: one inner list. */
void mi_ge_attr_inner_begin(struct mi_ge *ge);
void mi_ge_attr_inner_end(struct mi_ge *ge);

#endif
