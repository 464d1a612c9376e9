/* From what a user types to rows: names of nodes, tasks and tensors, or numbers as reports print
 * them. */
#ifndef MI_ANALYSE_FIND_H
#define MI_ANALYSE_FIND_H

#include "base/arena.h"
#include "model/model.h"

enum mi_find_how {
    MI_FOUND_NODE,    /* "node:12" or the name of a node */
    MI_FOUND_TENSOR,  /* name of a tensor: its producer */
    MI_FOUND_READERS, /* name of a tensor that no node makes: the nodes that read it */
    MI_FOUND_TASK     /* "task:7" or the name of a task */
};

struct mi_found {
    enum mi_find_how how;
    mi_node_id *nodes; /* [node_count] in row order; of a task: the node it ran, if known */
    uint32_t node_count;
    mi_task_id *tasks; /* [task_count] those named, in the order of the tasks table */
    uint32_t task_count;
};

enum { MI_FIND_MOST = 1000 }; /* longer lists are cut */

/* Finds `name`, which may begin with "framework:", "compiled:" or "stage:" to tell the layers
 * apart; without that, nodes of stages count if there are no others. A number counts only if no
 * node has that very name. MI_ENOTFOUND names something similar, if there is any. Lists lie in
 * `arena`. */
bool mi_find(const struct mi_model *model, struct mi_bytes name, struct mi_arena *arena,
             struct mi_found *found, struct mi_error *err);

#endif
