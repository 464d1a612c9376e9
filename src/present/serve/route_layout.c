/* POST layout: the drawing of a layer with some groups open, as a binary frame.
 *
 *   body   {"layer": "framework" | "compiled", "fold": "scope" | "group" | "none",
 *           "open": [group, ..], "root": group, "depth": N}
 *
 * Groups are numbers of an earlier reply; without "open" those above depth N (2 if not given) are
 * open. Columns (ids below), per box from 1 on: group number, box it lies in, x, y, width, height,
 * flags, category, node, nodes inside, time, label, operator type, type of what it makes, change of
 * the element type, constants, members; per edge: boxes, first point (one more than edges), flags,
 * weight; points as x, y pairs; width and height of the whole, and how many groups were closed to
 * keep to the limit; time of the whole. */
#include "base/json_scan.h"
#include "base/mem.h"
#include "present/layout/box_text.h"
#include "present/serve/columns.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"

enum column {
    BOX_GROUP = 1,
    BOX_PARENT,
    BOX_X,
    BOX_Y,
    BOX_WIDTH,
    BOX_HEIGHT,
    BOX_FLAGS,
    BOX_CATEGORY,
    BOX_NODE,
    BOX_NODES,
    BOX_TIME, /* total of the counted tasks, ns */
    LABEL_END,
    LABEL_BYTES,
    EDGE_FROM,
    EDGE_TO,
    EDGE_POINT,
    EDGE_FLAGS,
    EDGE_WEIGHT,
    POINTS,
    WHOLE,
    BOX_CONSTANTS, /* inputs that are constant */
    BOX_MEMBERS,   /* framework ops of a compiled node that has several */
    OP_END,
    OP_BYTES,
    TYPE_END,
    TYPE_BYTES,
    CHANGE_END,
    CHANGE_BYTES,
    TOTAL_TIME /* of the whole layer */
};

enum { DEFAULT_DEPTH = 2, ENOUGH_BOXES = 12, MOST_DEPTH = 10 };

struct wish {
    enum mi_layer layer;
    enum mi_fold fold;
    uint32_t root, depth;
    bool has_open;
    struct mi_bytes open; /* the list as written */
};

/* --- what is asked for --- */

static void read_wish(struct mi_json *js, struct wish *wish)
{
    struct mi_json_string key, word;
    unsigned flags;
    int64_t number;
    mi_json_begin_object(js);
    while (mi_json_next_key(js, &key)) {
        if (mi_bytes_equal(key.raw, MI_LIT("layer")) && mi_json_string(js, &word)) {
            wish->layer = mi_site_layer(word.raw);
        } else if (mi_bytes_equal(key.raw, MI_LIT("fold")) && mi_json_string(js, &word)) {
            wish->fold = mi_site_fold(word.raw);
        } else if (mi_bytes_equal(key.raw, MI_LIT("root")) && mi_json_i64(js, &number, &flags)) {
            wish->root = number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
        } else if (mi_bytes_equal(key.raw, MI_LIT("depth")) && mi_json_i64(js, &number, &flags)) {
            wish->depth = number > 0 && number < UINT32_MAX ? (uint32_t)number : 0;
        } else if (mi_bytes_equal(key.raw, MI_LIT("open"))) {
            wish->has_open = mi_json_skip(js, &wish->open);
        }
    }
}

static void open_listed(const struct mi_drawn *drawn, struct mi_bytes list, uint8_t *is_open)
{
    struct mi_json js;
    unsigned flags;
    int64_t item;
    mi_json_init(&js, list, NULL);
    mi_json_begin_array(&js);
    while (mi_json_next_item(&js))
        if (mi_json_i64(&js, &item, &flags) && item > 0 && item < drawn->outline.count)
            is_open[item] = 1;
}

/* Opens down to a depth; a graph that is one scope within another goes on until there is something
 * to see. */
static void open_by_depth(const struct mi_drawn *drawn, uint32_t depth, uint8_t *is_open)
{
    uint32_t seen = 0;
    for (; seen < ENOUGH_BOXES && depth < MOST_DEPTH; depth += seen < ENOUGH_BOXES) {
        seen = 0;
        for (uint32_t i = 1; i < drawn->outline.count; i++)
            seen += drawn->scenery.depth[i] <= depth && !drawn->scenery.is_hidden[i];
    }
    for (uint32_t i = 1; i < drawn->outline.count; i++)
        is_open[i] = drawn->scenery.depth[i] < depth;
}

/* --- the answer --- */

static bool is_port(const struct mi_scene_box *box)
{
    return box->flags & MI_BOX_PORT;
}

static uint32_t node_of(const struct mi_drawn *drawn, const struct mi_scene_box *box)
{
    struct mi_bytes label;
    return is_port(box)
               ? 0
               : drawn->outline.items[mi_outline_unwrap(&drawn->outline, box->item, &label)].node;
}

static int64_t time_of(const struct mi_drawn *drawn, const struct mi_scene_box *box)
{
    const struct mi_outline_item *item = &drawn->outline.items[box->item];
    return is_port(box)                         ? 0
           : item->node && drawn->outline.times ? drawn->outline.times[item->node].total_ns
                                                : item->total_ns;
}

static void add_texts(struct mi_columns *c, const struct mi_drawn *drawn, const struct mi_scene *s)
{
    struct mi_bytes *texts[4];
    uint32_t count = s->box_count;
    for (int t = 0; t < 4; t++)
        texts[t] = mi_arena_alloc(&c->arena, (count + 1) * sizeof *texts[t]);
    uint8_t *constants = mi_columns_add(c, BOX_CONSTANTS, MI_F_U8, count);
    uint16_t *members = mi_columns_add(c, BOX_MEMBERS, MI_F_U16, count);
    c->failed |= !texts[0] || !texts[1] || !texts[2] || !texts[3];
    for (uint32_t b = 0; !c->failed && b < count; b++) {
        struct mi_box_text text = {0};
        if (b && !is_port(&s->boxes[b]))
            text = mi_box_text(&drawn->outline, s->boxes[b].item, &c->arena);
        texts[0][b] = text.label;
        texts[1][b] = text.op;
        texts[2][b] = text.type;
        texts[3][b] = text.change;
        constants[b] = text.constants > UINT8_MAX ? UINT8_MAX : (uint8_t)text.constants;
        members[b] = text.members > UINT16_MAX ? UINT16_MAX : (uint16_t)text.members;
    }
    static const uint16_t ids[4] = {LABEL_END, OP_END, TYPE_END, CHANGE_END};
    for (int t = 0; !c->failed && t < 4; t++)
        mi_columns_add_texts(c, ids[t], texts[t], count, MI_BOX_MOST_TEXT);
}

static void add_scene(struct mi_columns *c, const struct mi_drawn *drawn, const struct mi_scene *s)
{
    const struct mi_outline_item *items = drawn->outline.items;
    const struct mi_scene_box *boxes = s->boxes;
    const struct mi_scene_edge *edges = s->edges;
    uint32_t count = s->box_count, wires = s->edge_count, more = wires + 1;
    MI_COLUMN(c, BOX_GROUP, MI_F_U32, uint32_t, count, boxes[i].item);
    MI_COLUMN(c, BOX_PARENT, MI_F_U32, uint32_t, count, boxes[i].parent);
    MI_COLUMN(c, BOX_X, MI_F_F32, float, count, boxes[i].x);
    MI_COLUMN(c, BOX_Y, MI_F_F32, float, count, boxes[i].y);
    MI_COLUMN(c, BOX_WIDTH, MI_F_F32, float, count, boxes[i].width);
    MI_COLUMN(c, BOX_HEIGHT, MI_F_F32, float, count, boxes[i].height);
    MI_COLUMN(c, BOX_FLAGS, MI_F_U16, uint16_t, count, boxes[i].flags);
    MI_COLUMN(c, BOX_CATEGORY, MI_F_U8, uint8_t, count, boxes[i].category);
    MI_COLUMN(c, BOX_NODE, MI_F_U32, uint32_t, count, node_of(drawn, &boxes[i]));
    MI_COLUMN(c, BOX_NODES, MI_F_U32, uint32_t, count, items[boxes[i].item].nodes);
    MI_COLUMN(c, BOX_TIME, MI_F_I64, int64_t, count, time_of(drawn, &boxes[i]));
    add_texts(c, drawn, s);
    MI_COLUMN(c, EDGE_FROM, MI_F_U32, uint32_t, wires, edges[i].from);
    MI_COLUMN(c, EDGE_TO, MI_F_U32, uint32_t, wires, edges[i].to);
    MI_COLUMN(c, EDGE_POINT, MI_F_U32, uint32_t, more, edges[i].first_point);
    MI_COLUMN(c, EDGE_FLAGS, MI_F_U8, uint8_t, wires, edges[i].flags);
    MI_COLUMN(c, EDGE_WEIGHT, MI_F_U32, uint32_t, wires, edges[i].weight);
    MI_COLUMN(c, POINTS, MI_F_F32, float, 2 * s->point_count,
              i & 1 ? s->points[i / 2].y : s->points[i / 2].x);
    float *whole = mi_columns_add(c, WHOLE, MI_F_F32, 3);
    if (whole) {
        whole[0] = s->width;
        whole[1] = s->height;
        whole[2] = (float)s->closed_count;
    }
    int64_t *total = mi_columns_add(c, TOTAL_TIME, MI_F_I64, 1);
    if (total)
        *total = 0;
    for (uint32_t g = items[0].first; total && g; g = items[g].next)
        *total = mi_ns_add(*total, items[g].total_ns);
}

static void answer(const struct mi_drawn *drawn, const struct mi_scene *scene,
                   struct mi_reply *reply)
{
    struct mi_columns c;
    mi_columns_init(&c);
    add_scene(&c, drawn, scene);
    if (c.failed) {
        mi_reply_error(reply, 500, "no_memory", "out of memory for a drawing");
    } else {
        struct mi_frame frame = {.kind = MI_FRAME_SCENE,
                                 .rows = scene->box_count,
                                 .step_ns = 1,
                                 .columns = c.list,
                                 .column_count = c.count};
        mi_reply_frame(reply, &frame);
    }
    mi_columns_fini(&c);
}

void mi_route_layout(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    struct wish wish = {.layer = MI_LAYER_FRAMEWORK, .depth = DEFAULT_DEPTH};
    struct mi_error err = MI_ERROR_INIT;
    struct mi_scene scene;
    struct mi_json js;
    mi_json_init(&js, request->body, NULL);
    read_wish(&js, &wish);
    if (mi_json_failed(&js)) {
        mi_reply_failure(reply, &js.error);
        return;
    }
    const struct mi_drawn *drawn = mi_site_drawn(site, wish.layer, wish.fold, &err);
    uint8_t *is_open = drawn ? mi_mem_zero(drawn->outline.count, 1) : NULL;
    if (!is_open) {
        mi_fail(&err, MI_ENOMEM, "out of memory for a drawing");
        mi_reply_failure(reply, &err);
        return;
    }
    if (wish.root >= drawn->outline.count)
        wish.root = 0;
    if (wish.has_open)
        open_listed(drawn, wish.open, is_open);
    else
        open_by_depth(drawn, wish.depth, is_open);
    if (mi_scene_draw(&drawn->scenery, wish.root, is_open, NULL, &scene, &err)) {
        answer(drawn, &scene, reply);
        mi_scene_fini(&scene);
    } else {
        mi_reply_failure(reply, &err);
    }
    mi_mem_free(is_open);
}
