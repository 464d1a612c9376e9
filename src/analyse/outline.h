/* The outline of graphs: nodes below the scopes that their names spell ("/layer1/attn/MatMul") or
 * below their fusion groups, bodies below the nodes that own them. Lists and drawings fold by it.
 */
#ifndef MI_ANALYSE_OUTLINE_H
#define MI_ANALYSE_OUTLINE_H

#include "analyse/accounting.h"
#include "base/arena.h"

/* Items form a tree below item 0. What is below an item was not always added after it: bodies are
 * hung below their owners at the end. */
struct mi_outline_item {
    uint32_t parent, first, last, next; /* items; 0 = none */
    uint32_t graph, node, group, value; /* what it stands for; all 0: a scope or a part */
    uint32_t part;                      /* place among the parts of its group, from 1; 0 = none */
    bool is_output;                     /* of the graph; else `value` is an input, or a constant */
    struct mi_bytes label;              /* borrowed from the model or the outline's arena */
    int64_t nodes, tasks, total_ns;     /* of a graph, scope or group: all below */
};

struct mi_outline_options {
    int layer;                  /* enum mi_layer; -1 = framework and compiled */
    bool by_group;              /* below fusion groups instead of scopes */
    bool flat;                  /* neither */
    bool with_ends;             /* inputs and outputs of main graphs that no node stands for */
    bool with_constants;        /* with ends: constants that no node makes, too, see below */
    bool adopt;                 /* nodes without a scope join that of their neighbours */
    uint32_t most_children;     /* items with more are cut into parts; 0 = any number is fine */
    struct mi_bytes name, type; /* only nodes that match; empty = all */
};

struct mi_outline {
    const struct mi_model *model;
    struct mi_outline_options options;
    struct mi_outline_item *items; /* [count] */
    uint32_t count, room;
    uint32_t *item_of_graph;    /* [graphs.count] */
    uint32_t *item_of_node;     /* [nodes.count] */
    uint32_t *item_of_value;    /* [values.count] of inputs, constants; NULL without ends */
    struct mi_node_time *times; /* [nodes.count]; NULL without tasks */
    struct mi_arena arena;      /* labels that are made */
    struct mi_map scopes;       /* (item, part of the name) -> item of the scope */
    struct mi_strings parts;    /* parts of names */
    /* Fusion groups by row, and behind them compiled nodes as the groups of their framework ops.
     * An item's `group` from groups.count on is such a node. */
    uint32_t *group_of;      /* [nodes.count]; 0 = none. NULL: not folded by groups */
    uint32_t *item_of_group; /* [groups.count + nodes.count] */
};

/* The model must be frozen, and outlive the outline. Release with mi_outline_fini(), also after a
 * failure. */
bool mi_outline_init(struct mi_outline *outline, const struct mi_model *model,
                     const struct mi_outline_options *options, struct mi_error *err);
void mi_outline_fini(struct mi_outline *outline);

/* Cuts items with more than options.most_children children into parts: runs of children in the
 * order of the data, so that wires lead from a part to later ones. Called by mi_outline_init(). */
bool mi_outline_cut(struct mi_outline *outline, struct mi_error *err);

/* Puts nodes without a scope in their names into that of their neighbours. Called by
 * mi_outline_init() where options.adopt says so. */
bool mi_outline_adopt(struct mi_outline *outline, struct mi_error *err);

/* Hangs constants beside what reads them: a tensor that no node makes gets an item, and a node that
 * only holds one goes there from where neither name nor neighbours had put it. All other items stay
 * what they are, under the same numbers. Called by mi_outline_init() where options.with_constants
 * says so. */
bool mi_outline_add_constants(struct mi_outline *outline, struct mi_error *err);

/* True for items of constants where options.with_constants asks for them. */
bool mi_outline_is_constant(const struct mi_outline *outline, uint32_t item);

/* Adds an item without children below none yet; 0: out of memory. For the files of the outline. */
uint32_t mi_outline_add(struct mi_outline *outline, struct mi_outline_item item);
void mi_outline_attach(struct mi_outline *outline, uint32_t child, uint32_t parent);

/* A scope around a single node is no help: the node's item, and a label with the scope in it. */
uint32_t mi_outline_unwrap(const struct mi_outline *outline, uint32_t item, struct mi_bytes *label);

#endif
