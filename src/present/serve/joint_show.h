/* What a side of a comparison tells of a box of the joint drawing. */
#ifndef MI_PRESENT_SERVE_JOINT_SHOW_H
#define MI_PRESENT_SERVE_JOINT_SHOW_H

#include "present/serve/layout_columns.h"
#include "present/serve/site_diff.h"

/* Texts that are made lie in `arena`. What the side does not have is marked MI_BOX_ABSENT. */
struct mi_shown_box mi_joint_show(const struct mi_joint_drawn *joint, unsigned side,
                                  const struct mi_scene_box *box, struct mi_arena *arena);

#endif
