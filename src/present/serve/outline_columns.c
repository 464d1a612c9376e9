#include "present/serve/outline_columns.h"

#include "analyse/deps.h"

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

void mi_outline_add_shape(struct mi_columns *c, const struct mi_drawn *drawn,
                          const uint32_t *node_of, uint32_t nodes)
{
    const struct mi_outline_item *items = drawn->outline.items;
    uint32_t count = drawn->outline.count;
    MI_COLUMN(c, MI_COL_ITEM_ABOVE, MI_F_U32, uint32_t, count, items[i].parent);
    MI_COLUMN(c, MI_COL_ITEM_FIRST, MI_F_U32, uint32_t, count, first_below(drawn, i));
    MI_COLUMN(c, MI_COL_ITEM_NEXT, MI_F_U32, uint32_t, count, drawn_from(drawn, items[i].next));
    MI_COLUMN(c, MI_COL_ITEM_OF_NODE, MI_F_U32, uint32_t, nodes,
              item_of_node(drawn, node_of ? node_of[i] : i));
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
