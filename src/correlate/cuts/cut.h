/* Dataflow cuts: which part of the framework graph each compiled node computes.
 *
 * A compiler keeps the names of some tensors. Such a tensor is an anchor: it means the same in both
 * graphs. What lies in the framework graph between the anchors that a compiled node reads and those
 * that it writes is what the node computes. docs/correlation.md has the method, its limits and what
 * was measured; the parts are
 *
 *   cut_class.c    value numbers: tensors of the framework graph that must be equal
 *   cut_join.c     one pair of graphs after the other, from the outside in
 *   cut_anchor.c   anchors, by name and by what is known of ONNX Runtime's own names
 *   cut_ge.c       anchors of GE graphs, by the origins that are recorded there
 *   cut_unit.c     compiled nodes without an anchor between them form one unit
 *   cut_walk.c     the walk back from the outputs of a unit to its inputs
 *   cut_align.c    units of several nodes in detail
 *   cut_emit.c     links, births and fates that follow
 */
#ifndef MI_CORRELATE_CUT_H
#define MI_CORRELATE_CUT_H

#include "base/arena.h"
#include "correlate/cuts/flow.h"

enum mi_unit_state {
    MI_UNIT_UNANCHORED, /* no output has an anchor: nothing is known */
    MI_UNIT_CONST,      /* computes from constants alone */
    MI_UNIT_INSERTED,   /* reads and writes the same tensor of the framework graph */
    MI_UNIT_EXACT,      /* the walk ended exactly at what the unit reads */
    MI_UNIT_INEXACT
};

struct mi_unit {
    uint32_t first_member, member_count;   /* in members: nodes of the compiled flow */
    uint32_t first_covered, covered_count; /* in found: nodes of the framework flow */
    uint32_t first_folded, folded_count;   /* in found: constant ones whose value it contains */
    uint32_t target;                       /* first output: tensor of the framework flow */
    enum mi_unit_state state;
    mi_str_id evidence;
};

struct mi_scope_pair {
    uint32_t framework, compiled; /* scopes */
    bool is_part; /* the compiled one is a part of what stands for the framework one */
};

/* Operators that the rules know by name. */
#define MI_CUT_OPS(X)                                                                              \
    X(identity, "Identity")                                                                        \
    X(dropout, "Dropout")                                                                          \
    X(cast, "Cast")                                                                                \
    X(shape, "Shape")                                                                              \
    X(size, "Size")                                                                                \
    X(add, "Add")                                                                                  \
    X(quantize, "QuantizeLinear")                                                                  \
    X(reorder_input, "ReorderInput")                                                               \
    X(reorder_output, "ReorderOutput")                                                             \
    X(transpose, "Transpose")                                                                      \
    X(reshape, "Reshape")                                                                          \
    X(squeeze, "Squeeze")                                                                          \
    X(unsqueeze, "Unsqueeze")                                                                      \
    X(flatten, "Flatten")

/* What earlier matchers found about a GE graph. */
struct mi_cut_ge {
    uint32_t *flow_node;  /* [nodes.count] node + 1 of f that a framework row is; 0 = none */
    uint8_t *is_complete; /* [nodes.count] all origins of the compiled row are recorded */
    uint8_t *is_claimed;  /* [f.node_count] recorded as an origin */
    uint32_t *named_by;   /* [f.node_count] compiled row that is recorded or called after it */
    struct mi_csr links;  /* compiled row -> rows of lowered that are recorded */
    uint8_t *is_linked;   /* [nodes.count] compiled row has a link of any kind */
    uint32_t *in_set, *class_known, stamp; /* scratch of the anchors */
};

struct mi_cut {
    struct mi_model *model;
    const char *rule; /* name of the matcher */
    bool is_ge;       /* what anchors are, and what is known before: ge */
    struct mi_cut_ge ge;
    struct mi_flow f, o;   /* framework, compiled */
    struct mi_arena arena; /* the arrays below */
    uint32_t *anchor;      /* [o.tensor_count] tensor of f; 0 = none */
    uint32_t *class_of;    /* [f.tensor_count] value number, 1 .. class_count */
    uint32_t class_count;
    uint8_t *is_anchored;   /* [class_count + 1] the class holds an anchor */
    uint8_t *is_image;      /* [f.tensor_count] some anchor is this very tensor */
    struct mi_map f_tensor; /* (scope, name) -> tensor */
    struct mi_map f_node;   /* (scope, name) -> node + 1; MI_FLOW_NONE = several */
    uint32_t *cover_count;  /* [f.node_count] units that the node is part of */

    struct mi_scope_pair *scopes; /* the pairs to be done, then those done */
    uint32_t scope_count, scope_room;
    uint8_t *is_paired; /* [f.scope_count] has a counterpart */

    struct mi_unit *units;
    uint32_t unit_count, unit_room;
    struct mi_u32s members, found;
    uint32_t *unit_of; /* [o.node_count] unit + 1 */
    uint32_t *origin;  /* [o.node_count] node + 1 of f that it alone computes; 0 = see its unit */
    uint32_t *aligned_in; /* [f.node_count] last unit + 1 in which it is the origin of one member */
    uint8_t *branch_runs; /* [f.scope_count] dissolved: its nodes stand in the owner's graph */

    /* scratch of the walk; stamps are unit numbers + 1 */
    uint32_t *node_seen, *tensor_seen;          /* [f.node_count], [f.tensor_count] */
    uint32_t *class_in, *class_out, *class_hit; /* [class_count + 1] read, written, stopped at */
    struct mi_u32s stack;
    uint64_t budget; /* steps that walks may still take */
    bool is_out_of_budget;

    struct mi_cut_ops {
#define MI_CUT_OP(field, name) uint32_t field;
        MI_CUT_OPS(MI_CUT_OP)
#undef MI_CUT_OP
    } ops;
};

/* Joins all pairs of main graphs whose compiled graph is one of GE, or none of them. */
bool mi_cut_join(struct mi_model *model, const char *rule, bool is_ge, struct mi_error *err);

/* All return false when memory is out. */
bool mi_cut_ge_prepare(struct mi_cut *cut);
bool mi_cut_ge_anchors(struct mi_cut *cut, struct mi_scope_pair pair);
bool mi_cut_classes(struct mi_cut *cut);
bool mi_cut_anchors(struct mi_cut *cut, struct mi_scope_pair pair);
bool mi_cut_units(struct mi_cut *cut, struct mi_scope_pair pair);
bool mi_cut_walk(struct mi_cut *cut, uint32_t unit);
bool mi_cut_align(struct mi_cut *cut, uint32_t unit); /* right after its walk and its bodies */
bool mi_cut_emit(struct mi_cut *cut);

/* A zeroed array in the cut's arena; NULL: out of memory. */
void *mi_cut_array(struct mi_cut *cut, size_t count, size_t size);

/* Adds a pair of scopes to be done. */
bool mi_cut_pair(struct mi_cut *cut, uint32_t framework, uint32_t compiled);

/* Names for evidence: at most 200 bytes of it, whole UTF-8 sequences. */
#define MI_NAME_MAX   200
#define MI_NAME(text) (int)mi_cut_name_len(text), (const char *)(text).at
size_t mi_cut_name_len(struct mi_bytes text);

#endif
