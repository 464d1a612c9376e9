/* POST diff/layout?side=base: one side of the joint drawing of both graphs of a comparison, as a
 * binary frame.
 *
 *   body   as of POST layout; groups are those of the joint graph
 *
 * For one body both sides get the same boxes and wires at the same places; what a side does not
 * have is marked (MI_BOX_ABSENT, MI_EDGE_ABSENT). Nodes, texts, times and marks are those of the
 * side. Columns as of POST layout, and per box: kinds of changes in it (bits, the order of
 * mi_differs_names), boxes in it that changed, what its time differs by (new - base). */
#include "present/serve/joint_show.h"
#include "present/serve/layout_wish.h"
#include "present/serve/routes.h"
#include "present/serve/site_diff.h"

static void add_differences(struct mi_columns *c, const struct mi_joint_drawn *joint,
                            const struct mi_scene *scene)
{
    const struct mi_scene_box *boxes = scene->boxes;
    uint32_t count = scene->box_count;
    MI_COLUMN(c, MI_COL_BOX_DIFFERS, MI_F_U16, uint16_t, count, joint->differs[boxes[i].item]);
    MI_COLUMN(c, MI_COL_BOX_CHANGED, MI_F_U32, uint32_t, count, joint->changed[boxes[i].item]);
    MI_COLUMN(c, MI_COL_BOX_DELTA, MI_F_I64, int64_t, count, joint->delta_ns[boxes[i].item]);
}

static void answer(const struct mi_joint_drawn *joint, unsigned side, const struct mi_scene *scene,
                   struct mi_reply *reply)
{
    struct mi_columns c;
    mi_columns_init(&c);
    struct mi_shown_box *shown =
        mi_arena_alloc(&c.arena, ((size_t)scene->box_count + 1) * sizeof *shown);
    uint8_t *flags = mi_arena_alloc(&c.arena, (size_t)scene->edge_count + 1);
    c.failed |= !shown || !flags;
    for (uint32_t b = 0; !c.failed && b < scene->box_count; b++)
        shown[b] = mi_joint_show(joint, side, &scene->boxes[b], &c.arena);
    for (uint32_t e = 0; !c.failed && e < scene->edge_count; e++) {
        bool is_there = scene->edges[e].tags & 1U << side;
        flags[e] = (uint8_t)(scene->edges[e].flags | (is_there ? 0 : MI_EDGE_ABSENT));
    }
    if (!c.failed) {
        mi_layout_columns(&c, scene, shown, flags, joint->view[side].total_ns[0]);
        add_differences(&c, joint, scene);
    }
    mi_layout_reply(reply, &c, scene);
    mi_columns_fini(&c);
}

void mi_route_joint_layout(struct mi_site *site, const struct mi_request *request,
                           struct mi_reply *reply)
{
    struct mi_layout_wish wish;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_scene scene;
    if (!mi_layout_wish_read(&wish, request, reply))
        return;
    const struct mi_joint_drawn *joint = mi_site_joint_drawn(site, wish.folding, &err);
    if (joint && mi_layout_wish_draw(&wish, &joint->drawn, &scene, &err)) {
        answer(joint, mi_site_side(site), &scene, reply);
        mi_scene_fini(&scene);
    } else {
        mi_reply_failure(reply, &err);
    }
}
