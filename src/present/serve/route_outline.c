/* POST outline: the tree that a drawing folds by, as a binary frame.
 *
 *   body   {"layer": .., "fold": .., "items": [item, ..]}
 *
 * Without "items" the shape of the tree: the item above each item, its first child and next sibling
 * (what is never drawn left out), and the item of each node of the model (of a
 * constant that of its first reader). So a page finds the
 * nearest visible box of any node by itself. With "items" what is to be said about these, in their
 * order: label, operator type, node, nodes inside, time, flags, category. Items that do not exist
 * have no texts. */
#include "base/json_scan.h"
#include "present/layout/box_text.h"
#include "present/serve/outline_columns.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"

enum { MOST_ITEMS = 4096 };

struct wish {
    enum mi_layer layer;
    enum mi_fold fold;
    bool has_items;
    uint32_t items[MOST_ITEMS], count;
};

static void read_items(struct mi_json *js, struct wish *wish)
{
    unsigned flags;
    int64_t item;
    wish->has_items = true;
    mi_json_begin_array(js);
    while (mi_json_next_item(js))
        if (mi_json_i64(js, &item, &flags) && wish->count < MOST_ITEMS)
            wish->items[wish->count++] = item > 0 && item < UINT32_MAX ? (uint32_t)item : 0;
}

static void read_wish(struct mi_json *js, struct wish *wish)
{
    struct mi_json_string key, word;
    mi_json_begin_object(js);
    while (mi_json_next_key(js, &key)) {
        if (mi_bytes_equal(key.raw, MI_LIT("layer")) && mi_json_string(js, &word))
            wish->layer = mi_site_layer(word.raw);
        else if (mi_bytes_equal(key.raw, MI_LIT("fold")) && mi_json_string(js, &word))
            wish->fold = mi_site_fold(word.raw);
        else if (mi_bytes_equal(key.raw, MI_LIT("items")))
            read_items(js, wish);
    }
}

/* --- single items --- */

static int64_t time_of(const struct mi_drawn *drawn, uint32_t item, uint32_t node)
{
    const struct mi_outline_item *at = &drawn->outline.items[item];
    return node && drawn->outline.times
               ? mi_ns_add(drawn->outline.times[node].total_ns, at->node ? at->total_ns : 0)
               : at->total_ns;
}

static void add_items(struct mi_columns *c, const struct mi_drawn *drawn, const struct wish *wish)
{
    const struct mi_outline *outline = &drawn->outline;
    uint32_t count = wish->count, *node = mi_columns_add(c, MI_COL_ITEM_NODE, MI_F_U32, count);
    struct mi_bytes *labels = mi_arena_alloc(&c->arena, (count + 1) * sizeof *labels);
    struct mi_bytes *ops = mi_arena_alloc(&c->arena, (count + 1) * sizeof *ops);
    uint32_t *known = mi_arena_alloc(&c->arena, (count + 1) * sizeof *known);
    c->failed |= !labels || !ops || !known;
    for (uint32_t i = 0; !c->failed && i < count; i++) {
        struct mi_bytes label;
        known[i] = wish->items[i] < outline->count ? wish->items[i] : 0;
        struct mi_box_text text =
            known[i] ? mi_box_text(outline, known[i], &c->arena) : (struct mi_box_text){0};
        labels[i] = text.label;
        ops[i] = text.op;
        node[i] = outline->items[mi_outline_unwrap(outline, known[i], &label)].node;
    }
    if (c->failed)
        return;
    mi_columns_add_texts(c, MI_COL_ITEM_LABEL_END, labels, count, MI_BOX_MOST_TEXT);
    mi_columns_add_texts(c, MI_COL_ITEM_OP_END, ops, count, MI_BOX_MOST_TEXT);
    MI_COLUMN(c, MI_COL_ITEM_NODES, MI_F_U32, uint32_t, count, outline->items[known[i]].nodes);
    MI_COLUMN(c, MI_COL_ITEM_TIME, MI_F_I64, int64_t, count, time_of(drawn, known[i], node[i]));
    MI_COLUMN(c, MI_COL_ITEM_FLAGS, MI_F_U16, uint16_t, count, drawn->scenery.flags[known[i]]);
    MI_COLUMN(c, MI_COL_ITEM_CATEGORY, MI_F_U8, uint8_t, count, drawn->scenery.category[known[i]]);
}

void mi_route_outline(struct mi_site *site, const struct mi_request *request,
                      struct mi_reply *reply)
{
    struct wish wish = {.layer = MI_LAYER_FRAMEWORK};
    struct mi_error err = MI_ERROR_INIT;
    struct mi_columns c;
    struct mi_json js;
    mi_json_init(&js, request->body, NULL);
    read_wish(&js, &wish);
    if (mi_json_failed(&js)) {
        mi_reply_failure(reply, &js.error);
        return;
    }
    const struct mi_drawn *drawn = mi_site_drawn(site, wish.layer, wish.fold, &err);
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
