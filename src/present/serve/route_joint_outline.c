/* POST diff/outline?side=base: the tree that the joint drawing of a comparison folds by, as a
 * binary frame.
 *
 *   body   {"layer": .., "fold": .., "constants": .., "items": [item, ..]}
 *
 * Without "items" the item above each item, its first child and next sibling, and the item of each
 * node of the side; with them what the side says about these, and the other one about what only it
 * has (MI_BOX_ABSENT). Columns as of POST outline. */
#include "present/serve/joint_show.h"
#include "present/serve/outline_columns.h"
#include "present/serve/routes.h"

static struct mi_shown_box show(const struct mi_joint_drawn *joint, unsigned side, uint32_t item,
                                struct mi_arena *arena)
{
    if (!item || item >= joint->drawn.outline.count)
        return (struct mi_shown_box){.nodes = 0};
    struct mi_scene_box box = {.item = item,
                               .flags = joint->drawn.scenery.flags[item],
                               .category = joint->drawn.scenery.category[item]};
    if (joint->view[side].is_there[item])
        return mi_joint_show(joint, side, &box, arena);
    struct mi_shown_box shown = mi_joint_show(joint, !side, &box, arena);
    shown.node = 0; /* a row of the other side */
    shown.flags |= MI_BOX_ABSENT;
    return shown;
}

static void add_items(struct mi_columns *c, const struct mi_joint_drawn *joint, unsigned side,
                      const struct mi_outline_wish *wish)
{
    struct mi_shown_box *shown =
        mi_arena_alloc(&c->arena, (wish->count + (size_t)1) * sizeof *shown);
    c->failed |= !shown;
    for (uint32_t i = 0; shown && i < wish->count; i++)
        shown[i] = show(joint, side, wish->items[i], &c->arena);
    if (shown)
        mi_outline_add_items(c, shown, wish->count);
}

void mi_route_joint_outline(struct mi_site *site, const struct mi_request *request,
                            struct mi_reply *reply)
{
    struct mi_outline_wish wish;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_columns c;
    unsigned side = mi_site_side(site);
    if (!mi_outline_wish_read(&wish, request, reply))
        return;
    const struct mi_joint_drawn *drawn = mi_site_joint_drawn(site, wish.folding, &err);
    const struct mi_joint *joint = drawn ? mi_site_joint(site, &err) : NULL;
    if (!joint) {
        mi_reply_failure(reply, &err);
        return;
    }
    mi_columns_init(&c);
    if (wish.has_items)
        add_items(&c, drawn, side, &wish);
    else
        mi_outline_add_shape(&c, &drawn->drawn, joint->node_of[side],
                             mi_site_model(site)->all.rows.nodes.count);
    mi_outline_reply(reply, &c, wish.has_items ? wish.count : drawn->drawn.outline.count);
    mi_columns_fini(&c);
}
