/* How a task graph is built: vertices and their order, then edges, then times. */
#ifndef MI_ANALYSE_TASKGRAPH_PARTS_H
#define MI_ANALYSE_TASKGRAPH_PARTS_H

#include "analyse/taskgraph/taskgraph.h"

enum { MI_TG_TREMBLE_NS = 1000 }; /* clocks are no better than this */

struct mi_tg_builder {
    struct mi_taskgraph *graph;
    const struct mi_model *model;
    const struct mi_tables *rows;
    const struct mi_account *account;
    const struct mi_deps *deps;
    uint8_t *kernel_role;   /* [kernels.count] */
    uint8_t *graph_is_open; /* [graphs.count] its nodes have known dependencies */
    uint32_t *planned_of;   /* [nodes.count] first planned task; 0 = none */
    uint32_t *vertex_of;    /* [tasks.count] vertex + 1 of a task, or of what encloses it; 0 none */
    uint32_t edge_room;
    bool failed; /* out of memory */
};

/* Vertices in list order and their lanes; false: out of memory. */
bool mi_tg_add_vertices(struct mi_tg_builder *builder, bool by_plan);

/* All edges, ordered by `to`; false: out of memory. */
bool mi_tg_add_edges(struct mi_tg_builder *builder);

/* Lags, gaps and bindings; false: out of memory. */
bool mi_tg_set_times(struct mi_tg_builder *builder);

/* True if the kernel of the vertex has that name. */
bool mi_tg_is_named(const struct mi_taskgraph *graph, uint32_t vertex, struct mi_bytes name);

#endif
