/* The graphs of both sides of a comparison as one: partners are one node, what only one side has
 * stands where its neighbours do. It is a model like any other - graphs, nodes, tensors, fusion
 * groups, links between layers - for whoever folds and draws graphs, and knows nothing of times,
 * attributes and the data of constants. Partners have the texts and types of the base.
 *
 * A match never contradicts the order of the data, so the joint graph has no cycles that neither
 * side has. */
#ifndef MI_ANALYSE_COMPARE_JOINT_H
#define MI_ANALYSE_COMPARE_JOINT_H

#include "analyse/compare/compare.h"

struct mi_joint {
    struct mi_model model; /* frozen; has copies of all texts */
    /* Rows of the joint model by rows of a side; 0 = not in it, as are stages of a build. */
    uint32_t *graph_of[MI_CMP_SIDES]; /* [graphs.count of the side] */
    uint32_t *node_of[MI_CMP_SIDES];  /* [nodes.count of the side] */
    uint32_t *value_of[MI_CMP_SIDES]; /* [values.count of the side]; of what nothing reads 0 */
    /* And back, by rows of the joint model; 0 = not on that side. */
    uint32_t *side_graph[MI_CMP_SIDES]; /* [graphs.count] */
    uint32_t *side_node[MI_CMP_SIDES];  /* [nodes.count] */
};

/* Fails when memory is out; freed with mi_joint_fini(), also after a failure. The match is not
 * needed afterwards. */
bool mi_joint_init(struct mi_joint *joint, const struct mi_match *match, struct mi_error *err);
void mi_joint_fini(struct mi_joint *joint);

#endif
