/* Data dependencies between nodes, across subgraphs, as two lists of neighbours.
 *
 * Vertices: each node under its row number, and one vertex per graph (nodes.count + graph) that
 * stands for the entry of a body. An edge leads
 *   - from the producer of a tensor to each node that reads it, also inside bodies that capture it,
 *   - from what feeds the owner of a body to the body's entry, and from the entry to the readers of
 * the body's inputs,
 *   - from the producers of a body's outputs to the owner.
 * So a body lies between what its owner reads and its owner. What a loop hands from one turn to the
 * next is left out: it would be a cycle. Control edges and constants are left out too. Bodies of
 * model-local functions stand for themselves; a call is a node like any other. */
#ifndef MI_ANALYSE_DEPS_H
#define MI_ANALYSE_DEPS_H

#include "model/model.h"

struct mi_deps {
    uint32_t vertex_count; /* nodes.count + graphs.count */
    uint32_t edge_count;   /* edges are 1 .. edge_count - 1, at most one per pair of vertices */
    uint32_t *from, *to;   /* [edge_count] vertices */
    struct mi_csr out, in; /* vertex -> edges */
};

bool mi_deps_init(struct mi_deps *deps, const struct mi_model *model, struct mi_error *err);
void mi_deps_fini(struct mi_deps *deps);

/* Marks with `bit` all vertices that can be reached from `start` (not itself), along the edges or
 * against them. `marks` [vertex_count]. False: out of memory. */
bool mi_deps_reach(const struct mi_deps *deps, uint32_t start, bool backwards, uint8_t *marks,
                   uint8_t bit);

/* The vertices with a mark != 0 in topological order, those of equal rank by row number: fills
 * `order` [vertex_count] with *count of them. Vertices on or behind cycles come last, by row
 * number; *cyclic counts them. False: out of memory. */
bool mi_deps_order(const struct mi_deps *deps, const uint8_t *marks, uint32_t *order,
                   uint32_t *count, uint32_t *cyclic);

/* True for Constant and its like: nodes that only hold a value. */
bool mi_is_constant_node(const struct mi_model *model, mi_node_id node);

#endif
