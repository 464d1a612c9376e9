/* The parts of the matcher ort_task_names.
 *
 *   ort_task_names.c       the matcher: picks the graph of each profile, emits the links
 *   ort_task_contexts.c    distinct (enclosing task, kernel) pairs of a profile: few, however many
 *                          tasks there are
 *   ort_task_resolve.c     the node of each pair, with evidence and confidence */
#ifndef MI_CORRELATE_ORT_TASK_NAMES_H
#define MI_CORRELATE_ORT_TASK_NAMES_H

#include "model/model.h"

/* A kernel in one place of the nesting: all tasks of a pair run the same node. */
struct mi_ort_pair {
    uint32_t context; /* pair of the enclosing control-flow task; 0 = the main graph */
    uint32_t kernel;
    uint32_t first_task, task_count;
    uint32_t depth; /* enclosing tasks */

    uint32_t node; /* 0 = none found */
    enum mi_confidence confidence;
    mi_str_id evidence, conflict;
};

/* The pairs of one profile. */
struct mi_ort_contexts {
    struct mi_ort_pair *pairs; /* [pair_count], 0 unused */
    uint32_t pair_count, pair_room;
    uint32_t *order;               /* [pair_count - 1] pairs by depth, then by first appearance */
    uint32_t first_task, task_end; /* rows among which its tasks are */
    uint32_t *pair_of;             /* [task_end - first_task] 0 = not a task of this profile */
    uint32_t run_count;
    bool is_serial; /* no two tasks side by side: order of execution means something */
};

/* All tasks of the profile must lie in first_task .. task_end - 1. false: out of memory. */
bool mi_ort_contexts_init(struct mi_ort_contexts *contexts, const struct mi_model *model,
                          uint32_t profile, uint32_t first_task, uint32_t task_end);
void mi_ort_contexts_fini(struct mi_ort_contexts *contexts);

/* The graph that the kernels of a profile are looked up in. */
struct mi_ort_target {
    struct mi_model *model;
    uint32_t profile;      /* source */
    uint32_t graph_source; /* source of the graphs */
    uint32_t main_graph;   /* row of graphs */
    enum mi_layer layer;   /* framework: there is no compiled graph */
    struct mi_map names;   /* name -> node; MI_ORT_SEVERAL = more than one */
    uint32_t rivals;       /* other sources that fit as well */
    bool same_session;     /* one capture folder says that all its files are of one session */
};

#define MI_ORT_SEVERAL UINT32_MAX

/* The kernel's name is made of its type and number, or empty: its node has no name. */
bool mi_ort_is_unnamed(const struct mi_model *model, uint32_t kernel);

/* Fills node, confidence, evidence and conflict of all pairs. false: out of memory. */
bool mi_ort_resolve(const struct mi_ort_target *target, struct mi_ort_contexts *contexts);

#endif
