/* FX graphs of PyTorch as text, turned into rows: what the lines of a Python log and the comments
 * of a TorchAir dump have in common.
 *
 *   name: torch.float32[2, s0]npu:0 = torch.ops.aten.add.Tensor(x: torch.float32[2, s0]npu:0, 1)
 *   %name : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, 1), ...)
 *
 * Placeholders become inputs of the graph, get_attr becomes a constant, everything else a node of
 * one output. Arguments that name a value are inputs in their order; all others are attributes:
 * "arg<position>" or their keyword. */
#ifndef MI_PARSE_FX_ROWS_H
#define MI_PARSE_FX_ROWS_H

#include "base/map.h"
#include "model/batch.h"

struct mi_fx {
    struct mi_batch *out;
    mi_graph_id graph;
    struct mi_map values; /* name -> value */
    mi_value_id *inputs;  /* [input_count] of the graph, in order */
    uint32_t input_count, input_room;
    uint32_t first_value; /* rows before are not of this graph */
    uint32_t position;    /* of the next node */
};

/* How the arguments are written. */
enum mi_fx_style {
    MI_FX_PLAIN,  /* x, y: torch.int64[2]cpu, [1, 2], dtype=torch.float32 */
    MI_FX_PERCENT /* %x, 1 */
};

struct mi_fx_call {
    struct mi_bytes name, target;
    struct mi_bytes type;   /* annotation of the result; may be empty */
    struct mi_bytes args;   /* without the brackets around them */
    struct mi_bytes kwargs; /* "a: 1, b: %x" of the percent style; may be empty */
    enum mi_fx_style style;
    /* Where the user's program says so; path empty: not known. */
    struct mi_bytes path, code;
    int64_t line;
};

/* A framework graph; `out` is borrowed until mi_fx_end(). */
void mi_fx_begin(struct mi_fx *fx, struct mi_batch *out, mi_str_id name);

/* A value that no node makes: INPUT (of the graph) or CONSTANT. Known names are left alone. */
mi_value_id mi_fx_value(struct mi_fx *fx, struct mi_bytes name, struct mi_bytes type,
                        enum mi_value_kind kind);

mi_node_id mi_fx_node(struct mi_fx *fx, const struct mi_fx_call *call);

/* The graph returns what `text` names ("mul, None, t_1"). */
void mi_fx_return(struct mi_fx *fx, struct mi_bytes text, enum mi_fx_style style);

/* For files that do not say what is returned: all results that nothing reads. */
void mi_fx_return_unread(struct mi_fx *fx);

/* Fills in the inputs of the graph and frees what is not in the batch. */
void mi_fx_end(struct mi_fx *fx);

#endif
