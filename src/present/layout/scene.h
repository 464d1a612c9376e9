/* The drawing of a graph as somebody sees it: some groups open, others closed.
 *
 * Groups are the items of an outline (scopes, fusion groups, bodies). Each open group is drawn by
 * itself (layout.h), from the inside out, and put into its parent as one box; groups that look the
 * same are drawn once. An edge of the graph becomes an edge between the two siblings that hold its
 * ends; where it leads into or out of an open group, it meets the wires inside at the group's upper
 * or lower side.
 *
 * Constants are no boxes, unless the outline has them (mi_outline_options). What more than a
 * handful of boxes read (masks, position tables) is a hub: its edges are stubs that a view draws as
 * labels. */
#ifndef MI_PRESENT_LAYOUT_SCENE_H
#define MI_PRESENT_LAYOUT_SCENE_H

#include "analyse/outline.h"
#include "present/layout/layout.h"

enum mi_box_flag {
    MI_BOX_GROUP = 1,         /* has something inside */
    MI_BOX_OPEN = 2,          /* and shows it */
    MI_BOX_PORT = 4,          /* where wires enter or leave an open group; no item of its own */
    MI_BOX_HUB = 8,           /* its edges are stubs */
    MI_BOX_NOT_EXECUTED = 16, /* framework op, or compiled node without a task */
    MI_BOX_INSERTED = 32,     /* by the compiler */
    MI_BOX_FUSED = 64,        /* stands for several framework ops */
    MI_BOX_DTYPE = 128,       /* gives another element type than it reads */
    MI_BOX_INPUT = 256,       /* of the graph; stands for no node */
    MI_BOX_OUTPUT = 512,
    MI_BOX_PART = 1024,    /* a run of children of a long group; its label is "2/5" */
    MI_BOX_DYNAMIC = 2048, /* some dimension is not known before the run */
    MI_BOX_ABSENT = 4096,  /* of a comparison: this side has nothing there */
    MI_BOX_CONSTANT = 8192 /* holds a constant, or is one that no node holds */
};

struct mi_scene_box {
    uint32_t item;   /* of the outline */
    uint32_t parent; /* box that it lies in, from 1; 0 = none */
    float x, y, width, height;
    uint16_t flags;
    uint8_t category; /* of its node, or the one that most time or nodes of a group have */
};

struct mi_scene_edge {
    uint32_t from, to;    /* boxes, from 1 */
    uint32_t first_point; /* points first .. first of the next edge */
    uint32_t weight;      /* edges of the graph that it stands for */
    uint8_t flags;        /* enum mi_layout_edge_flag */
    uint8_t tags;         /* of all the edges that it stands for */
};

struct mi_scene {
    struct mi_scene_box *boxes;  /* [box_count]; 0 is unused, parents before children */
    struct mi_scene_edge *edges; /* [edge_count + 1]; the last one closes the points */
    struct mi_layout_point *points;
    uint32_t box_count, edge_count, point_count;
    uint32_t closed_count; /* groups that were closed again to keep to the limit */
    float width, height;
};

struct mi_scene_options {
    uint32_t max_boxes; /* 0 = 20,000 */
};

/* What does not change while somebody opens and closes groups: edges between items, sizes. One for
 * an outline; read by any number of threads at once. */
struct mi_scenery {
    const struct mi_outline *outline;
    uint32_t *depth; /* [items] below item 0 */
    uint32_t *order; /* [order_count] items, parents before children */
    uint32_t order_count;
    uint32_t *from, *to; /* [edge_count] items of the ends */
    uint32_t edge_count;
    uint8_t *tags;      /* [edge_count] bits that mean something to whoever set them; NULL = none */
    uint16_t *flags;    /* [items] MI_BOX_..., but OPEN, PORT, HUB */
    uint8_t *category;  /* [items] */
    uint8_t *is_hidden; /* [items] constants, and groups of nothing else */
};

bool mi_scenery_init(struct mi_scenery *set, const struct mi_outline *outline,
                     struct mi_error *err);
void mi_scenery_fini(struct mi_scenery *set);

/* Draws what is below item `root` (0 = all). `is_open` [items]: groups whose inside is wanted; the
 * root counts as open. The scene is freed with mi_scene_fini(). */
bool mi_scene_draw(const struct mi_scenery *set, uint32_t root, const uint8_t *is_open,
                   const struct mi_scene_options *options, struct mi_scene *scene,
                   struct mi_error *err);
void mi_scene_fini(struct mi_scene *scene);

#endif
