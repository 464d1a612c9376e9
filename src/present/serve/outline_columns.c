#include "present/serve/outline_columns.h"

#include "analyse/deps.h"
#include "base/json_scan.h"

/* --- what is asked for --- */

static void read_items(struct mi_json *js, struct mi_outline_wish *wish)
{
    unsigned flags;
    int64_t item;
    wish->has_items = true;
    mi_json_begin_array(js);
    while (mi_json_next_item(js))
        if (mi_json_i64(js, &item, &flags) && wish->count < MI_MOST_ITEMS)
            wish->items[wish->count++] = item > 0 && item < UINT32_MAX ? (uint32_t)item : 0;
}

bool mi_outline_wish_read(struct mi_outline_wish *wish, const struct mi_request *request,
                          struct mi_reply *reply)
{
    struct mi_json js;
    struct mi_json_string key, word;
    *wish = (struct mi_outline_wish){.folding = {.layer = MI_LAYER_FRAMEWORK}};
    mi_json_init(&js, request->body, NULL);
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key)) {
        if (mi_bytes_equal(key.raw, MI_LIT("layer")) && mi_json_string(&js, &word))
            wish->folding.layer = mi_site_layer(word.raw);
        else if (mi_bytes_equal(key.raw, MI_LIT("fold")) && mi_json_string(&js, &word))
            wish->folding.fold = mi_site_fold(word.raw);
        else if (mi_bytes_equal(key.raw, MI_LIT("constants")))
            mi_json_bool(&js, &wish->folding.with_constants);
        else if (mi_bytes_equal(key.raw, MI_LIT("items")))
            read_items(&js, wish);
    }
    if (mi_json_failed(&js))
        mi_reply_failure(reply, &js.error);
    return !mi_json_failed(&js);
}

/* --- the shape --- */

/* Of each item the first of it and its later siblings that is drawn; 0 = none. Runs of constants
 * are long: each is walked twice, and no more. */
static uint32_t *list_drawn(const struct mi_drawn *drawn, struct mi_arena *arena)
{
    const struct mi_outline_item *items = drawn->outline.items;
    uint32_t *found = mi_arena_alloc(arena, drawn->outline.count * sizeof *found);
    for (uint32_t above = 0; found && above < drawn->outline.count; above++)
        for (uint32_t c = items[above].first, waiting = c; c; c = items[c].next) {
            found[c] = 0;
            if (drawn->scenery.is_hidden[c])
                continue;
            for (; waiting != c; waiting = items[waiting].next)
                found[waiting] = c;
            found[c] = c;
            waiting = items[c].next;
        }
    if (found)
        found[0] = 0;
    return found;
}

/* A scope around a single node is one line, like its box. */
static uint32_t first_below(const struct mi_drawn *drawn, const uint32_t *first_drawn,
                            uint32_t item)
{
    bool is_group = !item || drawn->scenery.flags[item] & MI_BOX_GROUP;
    return is_group ? first_drawn[drawn->outline.items[item].first] : 0;
}

/* A constant that is no box: what reads it first stands for it. */
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

void mi_outline_add_shape(struct mi_columns *c, const struct mi_drawn *drawn,
                          const uint32_t *node_of, uint32_t nodes)
{
    const struct mi_outline_item *items = drawn->outline.items;
    uint32_t count = drawn->outline.count, *first_drawn = list_drawn(drawn, &c->arena);
    c->failed |= !first_drawn;
    if (c->failed)
        return;
    MI_COLUMN(c, MI_COL_ITEM_ABOVE, MI_F_U32, uint32_t, count, items[i].parent);
    MI_COLUMN(c, MI_COL_ITEM_FIRST, MI_F_U32, uint32_t, count, first_below(drawn, first_drawn, i));
    MI_COLUMN(c, MI_COL_ITEM_NEXT, MI_F_U32, uint32_t, count, first_drawn[items[i].next]);
    MI_COLUMN(c, MI_COL_ITEM_OF_NODE, MI_F_U32, uint32_t, nodes,
              item_of_node(drawn, node_of ? node_of[i] : i));
}

/* --- single items --- */

void mi_outline_add_items(struct mi_columns *c, const struct mi_shown_box *shown, uint32_t count)
{
    struct mi_bytes *texts = mi_arena_alloc(&c->arena, (count + (size_t)1) * sizeof *texts);
    c->failed |= !texts;
    for (int t = 0; !c->failed && t < 2; t++) {
        for (uint32_t i = 0; i < count; i++)
            texts[i] = t ? shown[i].text.op : shown[i].text.label;
        mi_columns_add_texts(c, t ? MI_COL_ITEM_OP_END : MI_COL_ITEM_LABEL_END, texts, count,
                             MI_BOX_MOST_TEXT);
    }
    MI_COLUMN(c, MI_COL_ITEM_NODE, MI_F_U32, uint32_t, count, shown[i].node);
    MI_COLUMN(c, MI_COL_ITEM_NODES, MI_F_U32, uint32_t, count, shown[i].nodes);
    MI_COLUMN(c, MI_COL_ITEM_TIME, MI_F_I64, int64_t, count, shown[i].time_ns);
    MI_COLUMN(c, MI_COL_ITEM_FLAGS, MI_F_U16, uint16_t, count, shown[i].flags);
    MI_COLUMN(c, MI_COL_ITEM_CATEGORY, MI_F_U8, uint8_t, count, shown[i].category);
}

void mi_outline_reply(struct mi_reply *reply, struct mi_columns *c, uint32_t rows)
{
    if (c->failed) {
        mi_reply_error(reply, 500, "no_memory", "out of memory for an outline");
        return;
    }
    struct mi_frame frame = {.kind = MI_FRAME_OUTLINE,
                             .rows = rows,
                             .step_ns = 1,
                             .columns = c->list,
                             .column_count = c->count};
    mi_reply_frame(reply, &frame);
}
