#include "present/serve/joint_show.h"

/* A node's box is named with the scopes that it stands alone in. */
static uint32_t with_scopes(const struct mi_outline *outline, uint32_t item)
{
    struct mi_bytes label;
    for (uint32_t above = outline->items[item].parent;
         above && mi_outline_unwrap(outline, above, &label) == item && !outline->items[above].node;
         above = outline->items[above].parent)
        item = above;
    return item;
}

static struct mi_shown_box show_own(const struct mi_joint_view *view, uint32_t own, bool is_lone,
                                    struct mi_arena *arena)
{
    const struct mi_outline *outline = &view->own->outline;
    return (struct mi_shown_box){
        .text = mi_box_text(outline, is_lone ? with_scopes(outline, own) : own, arena),
        .node = outline->items[own].node,
        .flags = view->own->scenery.flags[own],
        .category = view->own->scenery.category[own]};
}

struct mi_shown_box mi_joint_show(const struct mi_joint_drawn *joint, unsigned side,
                                  const struct mi_scene_box *box, struct mi_arena *arena)
{
    static const uint16_t of_place = MI_BOX_GROUP | MI_BOX_OPEN | MI_BOX_PORT | MI_BOX_HUB;
    const struct mi_joint_view *view = &joint->view[side];
    const struct mi_outline *outline = &joint->drawn.outline;
    struct mi_shown_box shown = {.flags = box->flags, .category = box->category};
    struct mi_bytes label;
    if (!box->item || box->flags & MI_BOX_PORT)
        return shown;
    if (!view->is_there[box->item])
        return (struct mi_shown_box){.flags = (uint16_t)((box->flags & of_place) | MI_BOX_ABSENT)};
    uint32_t inner = mi_outline_unwrap(outline, box->item, &label), own = view->item[inner];
    if (own && (outline->items[inner].node || outline->items[inner].value)) {
        shown = show_own(view, own, inner != box->item, arena);
        shown.flags = (uint16_t)((shown.flags & ~of_place) | (box->flags & of_place));
    } else {
        shown.text = mi_box_text(outline, box->item, arena);
    }
    shown.nodes = view->nodes[box->item];
    shown.time_ns = view->total_ns[box->item];
    return shown;
}
