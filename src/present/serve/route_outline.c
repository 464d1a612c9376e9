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
#include "present/serve/columns.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"

enum column {
    ITEM_ABOVE = 1,
    ITEM_FIRST,
    ITEM_NEXT,
    ITEM_OF_NODE,
    LABEL_END,
    LABEL_BYTES,
    OP_END,
    OP_BYTES,
    ITEM_NODE,
    ITEM_NODES,
    ITEM_TIME,
    ITEM_FLAGS,
    ITEM_CATEGORY
};

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

/* --- the shape --- */

/* The first of this item and its later siblings that is drawn. */
static uint32_t drawn_from(const struct mi_drawn *drawn, uint32_t item)
{
    while (item && drawn->scenery.is_hidden[item])
        item = drawn->outline.items[item].next;
    return item;
}

/* A scope around a single node is one line, like its box. */
static uint32_t first_below(const struct mi_drawn *drawn, uint32_t item)
{
    bool is_group = !item || drawn->scenery.flags[item] & MI_BOX_GROUP;
    return is_group ? drawn_from(drawn, drawn->outline.items[item].first) : 0;
}

/* A constant is no box: what reads it first stands for it. */
static uint32_t item_of_node(const struct mi_drawn *drawn, uint32_t node)
{
    const struct mi_model *model = drawn->outline.model;
    const struct mi_tables *rows = &model->all.rows;
    uint32_t item = drawn->outline.item_of_node[node], first = rows->nodes.first_out[node];
    for (uint32_t p = first; item && p < first + rows->nodes.out_count[node]; p++) {
        uint32_t value = rows->ports.value[p].v;
        const struct mi_csr *readers = &model->index.consumers;
        if (!drawn->scenery.is_hidden[item])
            break;
        if (value && readers->first[value] < readers->first[value + 1])
            item = drawn->outline.item_of_node[readers->list[readers->first[value]]];
    }
    return item;
}

static void add_shape(struct mi_columns *c, const struct mi_drawn *drawn)
{
    const struct mi_outline_item *items = drawn->outline.items;
    uint32_t count = drawn->outline.count, nodes = drawn->outline.model->all.rows.nodes.count;
    MI_COLUMN(c, ITEM_ABOVE, MI_F_U32, uint32_t, count, items[i].parent);
    MI_COLUMN(c, ITEM_FIRST, MI_F_U32, uint32_t, count, first_below(drawn, i));
    MI_COLUMN(c, ITEM_NEXT, MI_F_U32, uint32_t, count, drawn_from(drawn, items[i].next));
    MI_COLUMN(c, ITEM_OF_NODE, MI_F_U32, uint32_t, nodes, item_of_node(drawn, i));
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
    uint32_t count = wish->count, *node = mi_columns_add(c, ITEM_NODE, MI_F_U32, count);
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
    mi_columns_add_texts(c, LABEL_END, labels, count, MI_BOX_MOST_TEXT);
    mi_columns_add_texts(c, OP_END, ops, count, MI_BOX_MOST_TEXT);
    MI_COLUMN(c, ITEM_NODES, MI_F_U32, uint32_t, count, outline->items[known[i]].nodes);
    MI_COLUMN(c, ITEM_TIME, MI_F_I64, int64_t, count, time_of(drawn, known[i], node[i]));
    MI_COLUMN(c, ITEM_FLAGS, MI_F_U16, uint16_t, count, drawn->scenery.flags[known[i]]);
    MI_COLUMN(c, ITEM_CATEGORY, MI_F_U8, uint8_t, count, drawn->scenery.category[known[i]]);
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
        add_shape(&c, drawn);
    if (c.failed) {
        mi_reply_error(reply, 500, "no_memory", "out of memory for an outline");
    } else {
        struct mi_frame frame = {.kind = MI_FRAME_OUTLINE,
                                 .rows = wish.has_items ? wish.count : drawn->outline.count,
                                 .step_ns = 1,
                                 .columns = c.list,
                                 .column_count = c.count};
        mi_reply_frame(reply, &frame);
    }
    mi_columns_fini(&c);
}
