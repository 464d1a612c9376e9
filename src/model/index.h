/* Lookups over the tables, each an array addressed by id; built by model.c, read by everybody.
 *
 * A `struct mi_csr` lists, for each row a of one table, the rows b of another that belong to it:
 *     for (uint32_t i = csr.first[a]; i < csr.first[a + 1]; i++) use(csr.list[i]);
 * The rows of one a are in ascending order. */
#ifndef MI_MODEL_INDEX_H
#define MI_MODEL_INDEX_H

#include "base/map.h"
#include "model/tables.h"

struct mi_csr {
    uint32_t *first; /* [row count + 1] */
    uint32_t *list;
    uint32_t row_count; /* rows of the table a, including row 0 */
};

struct mi_index {
    /* built by mi_model_index_graphs() */
    uint32_t *graph_first_node; /* [graphs.count + 1] nodes of graph g: first[g] .. first[g + 1),
                                   for g >= 1 */
    struct mi_csr consumers;    /* value -> nodes that read it (a node once per port) */
    struct mi_csr inner;        /* node -> graphs that it owns (bodies, branches) */
    struct mi_csr outer_uses;   /* value -> OUTER values of inner graphs that stand for it */
    struct mi_map node_by_name; /* (graph, name) -> first node of that name */
    uint32_t
        *next_same_name; /* [nodes.count] next node of equal name in the same graph; 0 = none */
    struct mi_map value_by_name; /* (graph, name) -> value */

    /* built by mi_model_freeze() */
    struct mi_csr node_tasks;    /* node -> its tasks in order, once per link: model/links.h */
    struct mi_csr compiled_of;   /* framework node -> rows of `lowered` */
    struct mi_csr framework_of;  /* compiled node -> rows of `lowered` */
    uint32_t *kernel_first;      /* [kernels.count] its first task, 0 = none ... */
    uint32_t *kernel_count;      /* ... and how many it has: a list would take 4 bytes a task */
    uint32_t *track_first_task;  /* [tracks.count + 1] tasks of track t: first[t] .. first[t + 1) */
    uint32_t *track_first_slice; /* [tracks.count + 1] the same for slices */
    uint32_t *fate_of, *birth_of; /* [nodes.count] row of `fates` / `births`; 0 = none */
};

void mi_index_fini(struct mi_index *index);

/* For keys[i] in 0 .. row_count - 1, i in 1 .. count - 1: lists the i of each key. Key 0 is
 * skipped. `keys` are 32-bit ids. false: out of memory. */
bool mi_csr_build(struct mi_csr *csr, uint32_t row_count, const uint32_t *keys, uint32_t count);
void mi_csr_fini(struct mi_csr *csr);

static inline uint32_t mi_csr_count(const struct mi_csr *csr, uint32_t row)
{
    return row < csr->row_count ? csr->first[row + 1] - csr->first[row] : 0;
}

#endif
