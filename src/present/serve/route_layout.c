/* POST layout: the drawing of a layer with some groups open, as a binary frame.
 *
 *   body   {"layer": "framework" | "compiled", "fold": "scope" | "group" | "none",
 *           "open": [group, ..], "root": group, "depth": N}
 *
 * Groups are numbers of an earlier reply; without "open" those above depth N (2 if not given) are
 * open. Columns (ids below), per box from 1 on: group number, box it lies in, x, y, width, height,
 * flags, category, node, nodes inside, time, label; per edge: boxes, first point (one more than
 * edges), flags, weight; points as x, y pairs; width and height of the whole, and how many groups
 * were closed to keep to the limit. */
#include "base/json_scan.h"
#include "base/mem.h"
#include "present/serve/frame.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"

#include <string.h>

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
    COLUMNS = WHOLE
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
            wish->layer = mi_bytes_equal(word.raw, MI_LIT("compiled")) ? MI_LAYER_COMPILED
                                                                       : MI_LAYER_FRAMEWORK;
        } else if (mi_bytes_equal(key.raw, MI_LIT("fold")) && mi_json_string(js, &word)) {
            wish->fold = mi_bytes_equal(word.raw, MI_LIT("group"))  ? MI_FOLD_GROUP
                         : mi_bytes_equal(word.raw, MI_LIT("none")) ? MI_FOLD_NONE
                                                                    : MI_FOLD_SCOPE;
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

struct columns {
    struct mi_frame_column list[COLUMNS];
    uint32_t count;
    struct mi_arena arena;
    bool failed;
};

/* Room for a column; NULL once memory is out. */
static void *add_column(struct columns *c, enum column id, enum mi_frame_type type, size_t count)
{
    static const uint8_t sizes[] = {0, 1, 2, 4, 4, 8, 8};
    void *values = mi_arena_alloc(&c->arena, (count + 1) * sizes[type]);
    c->failed |= !values;
    if (!c->failed)
        c->list[c->count++] = (struct mi_frame_column){(uint16_t)id, type, (uint32_t)count, values};
    return c->failed ? NULL : values;
}

/* One column of the boxes, taken from the scene. */
#define BOX_COLUMN(c, scene, id, type, ctype, value)                                               \
    do {                                                                                           \
        ctype *values_ = add_column(c, id, type, (scene)->box_count);                              \
        for (uint32_t b = 0; values_ && b < (scene)->box_count; b++)                               \
            values_[b] = (ctype)(value);                                                           \
    } while (0)

#define EDGE_COLUMN(c, scene, id, type, ctype, count, value)                                       \
    do {                                                                                           \
        ctype *values_ = add_column(c, id, type, count);                                           \
        for (uint32_t e = 0; values_ && e < (count); e++)                                          \
            values_[e] = (ctype)(value);                                                           \
    } while (0)

static void add_labels(struct columns *c, const struct mi_drawn *drawn,
                       const struct mi_scene *scene)
{
    uint32_t *ends = add_column(c, LABEL_END, MI_F_U32, scene->box_count);
    uint32_t total = 0;
    struct mi_bytes label;
    for (uint32_t b = 0; ends && b < scene->box_count; b++) {
        label = (struct mi_bytes){0};
        if (b && !(scene->boxes[b].flags & MI_BOX_PORT))
            mi_outline_unwrap(&drawn->outline, scene->boxes[b].item, &label);
        total += label.len > MI_SCENE_MOST_LABEL ? MI_SCENE_MOST_LABEL : (uint32_t)label.len;
        ends[b] = total;
    }
    uint8_t *bytes = ends ? add_column(c, LABEL_BYTES, MI_F_U8, total) : NULL;
    for (uint32_t b = 1; bytes && b < scene->box_count; b++) {
        if (scene->boxes[b].flags & MI_BOX_PORT)
            continue;
        mi_outline_unwrap(&drawn->outline, scene->boxes[b].item, &label);
        memcpy(bytes + ends[b - 1], label.at, ends[b] - ends[b - 1]);
    }
}

static uint32_t node_of(const struct mi_drawn *drawn, const struct mi_scene_box *box)
{
    struct mi_bytes label;
    return box->flags & MI_BOX_PORT
               ? 0
               : drawn->outline.items[mi_outline_unwrap(&drawn->outline, box->item, &label)].node;
}

static int64_t time_of(const struct mi_drawn *drawn, const struct mi_scene_box *box)
{
    const struct mi_outline_item *item = &drawn->outline.items[box->item];
    return box->flags & MI_BOX_PORT             ? 0
           : item->node && drawn->outline.times ? drawn->outline.times[item->node].total_ns
                                                : item->total_ns;
}

static void add_scene(struct columns *c, const struct mi_drawn *drawn, const struct mi_scene *s)
{
    const struct mi_outline_item *items = drawn->outline.items;
    BOX_COLUMN(c, s, BOX_GROUP, MI_F_U32, uint32_t, s->boxes[b].item);
    BOX_COLUMN(c, s, BOX_PARENT, MI_F_U32, uint32_t, s->boxes[b].parent);
    BOX_COLUMN(c, s, BOX_X, MI_F_F32, float, s->boxes[b].x);
    BOX_COLUMN(c, s, BOX_Y, MI_F_F32, float, s->boxes[b].y);
    BOX_COLUMN(c, s, BOX_WIDTH, MI_F_F32, float, s->boxes[b].width);
    BOX_COLUMN(c, s, BOX_HEIGHT, MI_F_F32, float, s->boxes[b].height);
    BOX_COLUMN(c, s, BOX_FLAGS, MI_F_U16, uint16_t, s->boxes[b].flags);
    BOX_COLUMN(c, s, BOX_CATEGORY, MI_F_U8, uint8_t, s->boxes[b].category);
    BOX_COLUMN(c, s, BOX_NODE, MI_F_U32, uint32_t, node_of(drawn, &s->boxes[b]));
    BOX_COLUMN(c, s, BOX_NODES, MI_F_U32, uint32_t, items[s->boxes[b].item].nodes);
    BOX_COLUMN(c, s, BOX_TIME, MI_F_I64, int64_t, time_of(drawn, &s->boxes[b]));
    add_labels(c, drawn, s);
    EDGE_COLUMN(c, s, EDGE_FROM, MI_F_U32, uint32_t, s->edge_count, s->edges[e].from);
    EDGE_COLUMN(c, s, EDGE_TO, MI_F_U32, uint32_t, s->edge_count, s->edges[e].to);
    EDGE_COLUMN(c, s, EDGE_POINT, MI_F_U32, uint32_t, s->edge_count + 1, s->edges[e].first_point);
    EDGE_COLUMN(c, s, EDGE_FLAGS, MI_F_U8, uint8_t, s->edge_count, s->edges[e].flags);
    EDGE_COLUMN(c, s, EDGE_WEIGHT, MI_F_U32, uint32_t, s->edge_count, s->edges[e].weight);
    EDGE_COLUMN(c, s, POINTS, MI_F_F32, float, 2 * s->point_count,
                e & 1 ? s->points[e / 2].y : s->points[e / 2].x);
    float *whole = add_column(c, WHOLE, MI_F_F32, 3);
    if (whole) {
        whole[0] = s->width;
        whole[1] = s->height;
        whole[2] = (float)s->closed_count;
    }
}

static void answer(const struct mi_drawn *drawn, const struct mi_scene *scene,
                   struct mi_reply *reply)
{
    struct columns c = {.count = 0};
    mi_arena_init(&c.arena);
    add_scene(&c, drawn, scene);
    if (c.failed) {
        mi_reply_error(reply, 500, "no_memory", "out of memory for a drawing");
    } else {
        struct mi_frame frame = {.kind = MI_FRAME_SCENE,
                                 .rows = scene->box_count,
                                 .step_ns = 1,
                                 .columns = c.list,
                                 .column_count = c.count};
        reply->media = "application/octet-stream";
        mi_frame_write(&frame, &reply->body);
    }
    mi_arena_fini(&c.arena);
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
