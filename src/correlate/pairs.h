/* Which framework graph a compiled graph was made from. */
#ifndef MI_CORRELATE_PAIRS_H
#define MI_CORRELATE_PAIRS_H

#include "base/vec.h"
#include "model/model.h"

struct mi_graph_pair {
    uint32_t framework, compiled; /* rows of mi_graphs */
};

struct mi_graph_pairs {
    struct mi_graph_pair *at; /* main graphs first, then bodies of nodes that pair up by name */
    uint32_t count, room;
    uint32_t main_count; /* of those at the start */
};

/* Each compiled main graph is paired with the framework main graph that shares most with it: the
 * folder of its file, names of tensors. A compiled graph that shares nothing with any of several
 * framework graphs stays alone; so does one that fits two equally well. Needs the lookups over
 * graphs. false: out of memory. */
bool mi_graph_pairs_find(struct mi_graph_pairs *pairs, const struct mi_model *model,
                         struct mi_error *err);
void mi_graph_pairs_fini(struct mi_graph_pairs *pairs);

#endif
