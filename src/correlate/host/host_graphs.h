/* Graphs that are made of a profile, between the parts of that step. */
#ifndef MI_CORRELATE_HOST_GRAPHS_H
#define MI_CORRELATE_HOST_GRAPHS_H

#include "correlate/host/host.h"

struct mi_host_scope { /* a name within an outer scope; 0 = the outermost */
    uint32_t parent;
    mi_str_id name;
};

struct mi_host_graphs {
    struct mi_model *model;
    struct mi_tables *rows;
    struct mi_host_ops ops;
    struct mi_host_steps steps;
    uint32_t collection; /* at hand */

    struct mi_host_scope *scopes; /* from 1 */
    uint32_t scope_count, scope_room;
    struct mi_map scope_of_name; /* (outer scope, name) -> scope */
    uint32_t *scope_of;          /* [slices.count] scope that the span opens or lies in; UINT32_MAX
                                    = not yet known */
    uint8_t *is_call;    /* [slices.count] an op that launched something, or the innermost */
    uint32_t *node_of;   /* [slices.count] framework node of an op call; 0 = none */
    uint32_t *asker;     /* [tasks.count] op that asked for the task */
    struct mi_map names; /* name -> nodes of the graph at hand that are called so */
};

/* Scopes of all spans. False: out of memory, as below. */
bool mi_host_find_scopes(struct mi_host_graphs *g);

/* The path of a scope as a name, for example AlexNet_0/Conv2d_0/aten::conv2d. */
mi_str_id mi_host_scope_path(struct mi_host_graphs *g, uint32_t scope);

/* Makes the name unique in the graph at hand: the second one ends in #2. */
mi_str_id mi_host_unique_name(struct mi_host_graphs *g, mi_str_id name);

/* Finds out which ops called something, and the asker of each task. */
bool mi_host_find_calls(struct mi_host_graphs *g);

/* The framework graph of the collection at hand: a node for each call within a step. */
bool mi_host_add_ops(struct mi_host_graphs *g, mi_str_id name);

/* The compiled graph: a node for each thing that a call launched, and all links. */
bool mi_host_add_works(struct mi_host_graphs *g, mi_str_id name);

#endif
