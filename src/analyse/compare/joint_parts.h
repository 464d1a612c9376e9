/* How the joint graph is put together; see joint.h. */
#ifndef MI_ANALYSE_COMPARE_JOINT_PARTS_H
#define MI_ANALYSE_COMPARE_JOINT_PARTS_H

#include "analyse/compare/joint.h"

struct joiner {
    struct mi_joint *joint;
    const struct mi_match *match;
    struct mi_batch *out; /* of the joint model */
    uint32_t *stamp;      /* [values of both sides] vertex that has the joint value already */
    uint8_t *is_paired;   /* [values of the base] constants that have a partner */
};

static inline const struct mi_tables *joiner_rows(const struct joiner *j, unsigned side)
{
    return &j->match->model[side]->all.rows;
}

/* The text of a side as one of the joint model. */
static inline mi_str_id joiner_text(const struct joiner *j, unsigned side, mi_str_id text)
{
    return mi_batch_str(j->out, mi_model_text(j->match->model[side], text));
}

/* joint_values.c: tensors and ports, once graphs and nodes are there. */
void mi_joint_add_values(struct joiner *j);

/* joint_groups.c: fusion groups, and which ops became which nodes. False: out of memory. */
bool mi_joint_add_groups(struct joiner *j);

#endif
