/* Names that a GE graph states, looked up among the nodes of a framework model. */
#ifndef MI_CORRELATE_GE_NAMES_H
#define MI_CORRELATE_GE_NAMES_H

#include "correlate/pairs.h"

struct mi_ge_names {
    const struct mi_model *model;
    uint32_t *framework_of; /* [graphs.count] framework graph that a compiled graph stands for */
    struct mi_map nodes;    /* (framework main graph, name) -> node; UINT32_MAX = several */
};

/* Ready for the GE graphs among `pairs`. false: out of memory. */
bool mi_ge_names_init(struct mi_ge_names *names, const struct mi_model *model,
                      const struct mi_graph_pairs *pairs);
void mi_ge_names_fini(struct mi_ge_names *names); /* fine on a zeroed one */

enum mi_name_fit {
    MI_NAME_UNIQUE, /* one node of the model has the name */
    MI_NAME_NEAR,   /* several have, one of them in the graph at hand */
    MI_NAME_SCOPED  /* the name stands inside the one that was looked for */
};

/* The node that a name means for a node of compiled graph `graph`; 0 = none, or not known which. */
uint32_t mi_ge_name_find(const struct mi_ge_names *names, uint32_t graph, mi_str_id name,
                         enum mi_name_fit *fit);

/* Takes a name apart into names of framework nodes, as GE joins them when it fuses: "AB" is made of
 * A and B, "A_LayerNorm_pass.3" begins with A. Returns how many there are, at most `room`; 0 = the
 * name does not begin with one. `*is_all`: nothing is left over. `*budget` is what may still be
 * spent on it, in bytes looked at. */
uint32_t mi_ge_name_split(const struct mi_ge_names *names, uint32_t graph, mi_str_id name,
                          uint32_t *nodes, uint32_t room, bool *is_all, uint64_t *budget);

#endif
