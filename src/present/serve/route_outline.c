/* POST outline: the tree that a drawing folds by, as a binary frame.
 *
 *   body   {"layer": .., "fold": .., "constants": .., "items": [item, ..]}
 *
 * Without "items" the shape of the tree: the item above each item, its first child and next sibling
 * (what is never drawn left out), and the item of each node of the model (of a
 * constant that is no box that of its first reader). So a page finds the
 * nearest visible box of any node by itself. With "items" what is to be said about these, in their
 * order: label, operator type, node, nodes inside, time, flags, category. Items that do not exist
 * have no texts. */
#include "present/layout/box_text.h"
#include "present/serve/outline_columns.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"

static int64_t time_of(const struct mi_drawn *drawn, uint32_t item, uint32_t node)
{
    const struct mi_outline_item *at = &drawn->outline.items[item];
    return node && drawn->outline.times
               ? mi_ns_add(drawn->outline.times[node].total_ns, at->node ? at->total_ns : 0)
               : at->total_ns;
}

static struct mi_shown_box show(const struct mi_drawn *drawn, uint32_t item, struct mi_arena *arena)
{
    const struct mi_outline *outline = &drawn->outline;
    struct mi_bytes label;
    if (!item || item >= outline->count)
        return (struct mi_shown_box){.nodes = 0};
    uint32_t node = outline->items[mi_outline_unwrap(outline, item, &label)].node;
    return (struct mi_shown_box){.text = mi_box_text(outline, item, arena),
                                 .node = node,
                                 .nodes = (uint32_t)outline->items[item].nodes,
                                 .time_ns = time_of(drawn, item, node),
                                 .flags = drawn->scenery.flags[item],
                                 .category = drawn->scenery.category[item]};
}

static void add_items(struct mi_columns *c, const struct mi_drawn *drawn,
                      const struct mi_outline_wish *wish)
{
    struct mi_shown_box *shown =
        mi_arena_alloc(&c->arena, (wish->count + (size_t)1) * sizeof *shown);
    c->failed |= !shown;
    for (uint32_t i = 0; shown && i < wish->count; i++)
        shown[i] = show(drawn, wish->items[i], &c->arena);
    if (shown)
        mi_outline_add_items(c, shown, wish->count);
}

void mi_route_outline(struct mi_site *site, const struct mi_request *request,
                      struct mi_reply *reply)
{
    struct mi_outline_wish wish;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_columns c;
    if (!mi_outline_wish_read(&wish, request, reply))
        return;
    const struct mi_drawn *drawn = mi_site_drawn(site, wish.folding, &err);
    if (!drawn) {
        mi_reply_failure(reply, &err);
        return;
    }
    mi_columns_init(&c);
    if (wish.has_items)
        add_items(&c, drawn, &wish);
    else
        mi_outline_add_shape(&c, drawn, NULL, mi_site_model(site)->all.rows.nodes.count);
    mi_outline_reply(reply, &c, wish.has_items ? wish.count : drawn->outline.count);
    mi_columns_fini(&c);
}
