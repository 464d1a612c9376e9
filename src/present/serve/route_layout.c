/* POST layout: the drawing of a layer with some groups open, as a binary frame.
 *
 *   body   {"layer": "framework" | "compiled", "fold": "scope" | "group" | "none",
 *           "constants": true | false, "open": [group, ..], "root": group, "depth": N}
 *
 * Without "layer" it is the first of them that there is: a page asks before it knows what there is.
 * With "constants" they are boxes of their own, beside what reads them; else only counted at it.
 * Groups are numbers of an earlier reply (the same with and without constants); without "open"
 * those above depth N (2 if not given) are open. Columns (layout_columns.h), per box from 1 on:
 * group number, box it lies in, x, y, width, height, flags, category, node, nodes inside, time,
 * label, operator type, type of what it makes, change of the element type, constants, members; per
 * edge: boxes, first point (one more than edges), flags, weight; points as x, y pairs; width and
 * height of the whole, and how many groups were closed to keep to the limit; time of the whole. */
#include "model/has.h"
#include "present/serve/layout_columns.h"
#include "present/serve/layout_wish.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"

static struct mi_shown_box show(const struct mi_drawn *drawn, const struct mi_scene_box *box,
                                struct mi_arena *arena)
{
    const struct mi_outline *outline = &drawn->outline;
    const struct mi_outline_item *item = &outline->items[box->item];
    struct mi_shown_box shown = {
        .flags = box->flags, .category = box->category, .nodes = (uint32_t)item->nodes};
    struct mi_bytes label;
    if (!box->item || box->flags & MI_BOX_PORT)
        return shown;
    shown.text = mi_box_text(outline, box->item, arena);
    shown.node = outline->items[mi_outline_unwrap(outline, box->item, &label)].node;
    shown.time_ns =
        item->node && outline->times ? outline->times[item->node].total_ns : item->total_ns;
    return shown;
}

static int64_t whole_time(const struct mi_drawn *drawn)
{
    const struct mi_outline_item *items = drawn->outline.items;
    int64_t total_ns = 0;
    for (uint32_t g = items[0].first; g; g = items[g].next)
        total_ns = mi_ns_add(total_ns, items[g].total_ns);
    return total_ns;
}

static void answer(const struct mi_drawn *drawn, const struct mi_scene *scene,
                   struct mi_reply *reply)
{
    struct mi_columns c;
    mi_columns_init(&c);
    struct mi_shown_box *shown =
        mi_arena_alloc(&c.arena, ((size_t)scene->box_count + 1) * sizeof *shown);
    uint8_t *flags = mi_arena_alloc(&c.arena, (size_t)scene->edge_count + 1);
    c.failed |= !shown || !flags;
    for (uint32_t b = 0; !c.failed && b < scene->box_count; b++)
        shown[b] = show(drawn, &scene->boxes[b], &c.arena);
    for (uint32_t e = 0; !c.failed && e < scene->edge_count; e++)
        flags[e] = scene->edges[e].flags;
    if (!c.failed)
        mi_layout_columns(&c, scene, shown, flags, whole_time(drawn));
    mi_layout_reply(reply, &c, scene);
    mi_columns_fini(&c);
}

void mi_route_layout(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    struct mi_layout_wish wish;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_scene scene;
    if (!mi_layout_wish_read(&wish, request, reply))
        return;
    unsigned has = mi_model_has(mi_site_model(site));
    if (!wish.has_layer && !(has & MI_HAS_FRAMEWORK_GRAPH) && has & MI_HAS_COMPILED_GRAPH)
        wish.folding.layer = MI_LAYER_COMPILED;
    const struct mi_drawn *drawn = mi_site_drawn(site, wish.folding, &err);
    if (drawn && mi_layout_wish_draw(&wish, drawn, &scene, &err)) {
        answer(drawn, &scene, reply);
        mi_scene_fini(&scene);
    } else {
        mi_reply_failure(reply, &err);
    }
}
