#include "present/serve/layout_columns.h"

static void add_texts(struct mi_columns *c, const struct mi_shown_box *shown, uint32_t count)
{
    static const uint16_t ids[4] = {MI_COL_LABEL_END, MI_COL_OP_END, MI_COL_TYPE_END,
                                    MI_COL_CHANGE_END};
    struct mi_bytes *texts = mi_arena_alloc(&c->arena, (count + 1) * sizeof *texts);
    c->failed |= !texts;
    for (int t = 0; !c->failed && t < 4; t++) {
        for (uint32_t b = 0; b < count; b++) {
            const struct mi_box_text *text = &shown[b].text;
            texts[b] = t == 0   ? text->label
                       : t == 1 ? text->op
                       : t == 2 ? text->type
                                : text->change;
        }
        mi_columns_add_texts(c, ids[t], texts, count, MI_BOX_MOST_TEXT);
    }
}

static uint32_t at_most(uint32_t number, uint32_t most)
{
    return number < most ? number : most;
}

static void add_boxes(struct mi_columns *c, const struct mi_scene *scene,
                      const struct mi_shown_box *shown)
{
    const struct mi_scene_box *boxes = scene->boxes;
    uint32_t count = scene->box_count;
    MI_COLUMN(c, MI_COL_BOX_GROUP, MI_F_U32, uint32_t, count, boxes[i].item);
    MI_COLUMN(c, MI_COL_BOX_PARENT, MI_F_U32, uint32_t, count, boxes[i].parent);
    MI_COLUMN(c, MI_COL_BOX_X, MI_F_F32, float, count, boxes[i].x);
    MI_COLUMN(c, MI_COL_BOX_Y, MI_F_F32, float, count, boxes[i].y);
    MI_COLUMN(c, MI_COL_BOX_WIDTH, MI_F_F32, float, count, boxes[i].width);
    MI_COLUMN(c, MI_COL_BOX_HEIGHT, MI_F_F32, float, count, boxes[i].height);
    MI_COLUMN(c, MI_COL_BOX_FLAGS, MI_F_U16, uint16_t, count, shown[i].flags);
    MI_COLUMN(c, MI_COL_BOX_CATEGORY, MI_F_U8, uint8_t, count, shown[i].category);
    MI_COLUMN(c, MI_COL_BOX_NODE, MI_F_U32, uint32_t, count, shown[i].node);
    MI_COLUMN(c, MI_COL_BOX_NODES, MI_F_U32, uint32_t, count, shown[i].nodes);
    MI_COLUMN(c, MI_COL_BOX_TIME, MI_F_I64, int64_t, count, shown[i].time_ns);
    MI_COLUMN(c, MI_COL_BOX_CONSTANTS, MI_F_U8, uint8_t, count,
              at_most(shown[i].text.constants, UINT8_MAX));
    MI_COLUMN(c, MI_COL_BOX_MEMBERS, MI_F_U16, uint16_t, count,
              at_most(shown[i].text.members, UINT16_MAX));
}

static void add_edges(struct mi_columns *c, const struct mi_scene *scene, const uint8_t *edge_flags)
{
    const struct mi_scene_edge *edges = scene->edges;
    uint32_t wires = scene->edge_count, more = wires + 1;
    MI_COLUMN(c, MI_COL_EDGE_FROM, MI_F_U32, uint32_t, wires, edges[i].from);
    MI_COLUMN(c, MI_COL_EDGE_TO, MI_F_U32, uint32_t, wires, edges[i].to);
    MI_COLUMN(c, MI_COL_EDGE_POINT, MI_F_U32, uint32_t, more, edges[i].first_point);
    MI_COLUMN(c, MI_COL_EDGE_FLAGS, MI_F_U8, uint8_t, wires, edge_flags[i]);
    MI_COLUMN(c, MI_COL_EDGE_WEIGHT, MI_F_U32, uint32_t, wires, edges[i].weight);
    MI_COLUMN(c, MI_COL_POINTS, MI_F_F32, float, 2 * scene->point_count,
              i & 1 ? scene->points[i / 2].y : scene->points[i / 2].x);
}

void mi_layout_columns(struct mi_columns *c, const struct mi_scene *scene,
                       const struct mi_shown_box *shown, const uint8_t *edge_flags,
                       int64_t total_ns)
{
    add_boxes(c, scene, shown);
    add_texts(c, shown, scene->box_count);
    add_edges(c, scene, edge_flags);
    float *whole = mi_columns_add(c, MI_COL_WHOLE, MI_F_F32, 3);
    int64_t *total = mi_columns_add(c, MI_COL_TOTAL_TIME, MI_F_I64, 1);
    if (!whole || !total)
        return;
    whole[0] = scene->width;
    whole[1] = scene->height;
    whole[2] = (float)scene->closed_count;
    *total = total_ns;
}

void mi_layout_reply(struct mi_reply *reply, struct mi_columns *c, const struct mi_scene *scene)
{
    if (c->failed) {
        mi_reply_error(reply, 500, "no_memory", "out of memory for a drawing");
        return;
    }
    struct mi_frame frame = {.kind = MI_FRAME_SCENE,
                             .rows = scene->box_count,
                             .step_ns = 1,
                             .columns = c->list,
                             .column_count = c->count};
    mi_reply_frame(reply, &frame);
}
