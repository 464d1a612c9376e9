/* Which groups are closed again so that a drawing has few enough boxes. */
#ifndef MI_PRESENT_LAYOUT_SCENE_LIMIT_H
#define MI_PRESENT_LAYOUT_SCENE_LIMIT_H

#include "present/layout/scene.h"

struct mi_scene_limit {
    const struct mi_scenery *set;
    uint32_t root;           /* stays open */
    uint8_t *is_open;        /* [items] gets changed */
    const uint32_t *seen_as; /* [items] itself where the item is a box while all that is open is */
    uint32_t seen;           /* boxes then */
    uint32_t most;
    uint32_t closed; /* result: groups that were closed */
};

/* Closes the open groups with most children until few enough boxes are left; what holds open groups
 * comes last, since closing it would hide more than was asked for. Of equal ones the later first.
 * False: out of memory. */
bool mi_scene_keep_limit(struct mi_scene_limit *limit);

#endif
