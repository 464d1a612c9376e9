/* A drawing in the making: what the steps of scene.c share. One thread. */
#ifndef MI_PRESENT_LAYOUT_SCENE_STEPS_H
#define MI_PRESENT_LAYOUT_SCENE_STEPS_H

#include "base/hash.h"
#include "base/map.h"
#include "present/layout/lay.h"
#include "present/layout/scene.h"

#define NONE UINT32_MAX
#define PORT UINT32_C(0x80000000) /* an end that is a port, not an item */

/* Around what stands in an open group, in pixels of the page at scale 1. */
#define MI_GROUP_PADDING 14.0F
#define MI_GROUP_HEADER  24.0F
#define MI_PORT_WIDTH    6.0F

struct port {
    uint32_t group, source; /* open group; visible item that the wire comes from */
    bool is_in;
};

struct wire {                 /* an edge as it is drawn within one open group */
    uint32_t group, from, to; /* ends are items, or PORT | row of ports */
    uint32_t source;          /* item that it comes from; NONE if several */
    uint32_t weight;
    uint8_t tags;
};

struct drawing { /* an open group, drawn */
    struct mi_layout layout;
};

struct scene {
    const struct mi_scenery *set;
    const struct mi_outline_item *items;
    uint32_t root;
    uint8_t *is_open;  /* [items] */
    uint32_t *seen_as; /* [items] visible item that holds it; NONE = outside the root */
    struct wire *wires;
    uint32_t wire_count, wire_room;
    uint8_t tags; /* of the edge at hand */
    struct port *ports;
    uint32_t port_count, port_room;
    struct mi_map wire_at, port_at; /* keys are hashes of what they stand for */
    uint8_t *is_hub;                /* [items] */
    uint32_t *place;                /* [items], then ports: number within its group's drawing */
    struct drawing *drawings;
    uint32_t drawing_count;
    struct mi_map drawn;       /* hash of a local graph -> drawing + 1 */
    uint32_t *drawing_of;      /* [items] drawing + 1 of an open group */
    struct lay_lists by_group; /* wires of a group */
    struct lay_lists ports_of; /* ports of a group */
    float *width, *height;     /* [items] */
    struct mi_arena texts;     /* that boxes are measured by */
};

static inline bool mi_scene_is_open(const struct scene *s, uint32_t item)
{
    return item == s->root || (s->is_open[item] && s->set->flags[item] & MI_BOX_GROUP);
}

/* Tags of an edge of the scenery. */
static inline uint8_t mi_scene_tags(const struct scene *s, uint32_t edge)
{
    return s->set->tags ? s->set->tags[edge] : 0;
}

/* The key of a wire, or (group, source, is_in) of a port. */
static inline uint64_t mi_scene_key(uint32_t group, uint32_t from, uint32_t to)
{
    uint32_t parts[3] = {group, from, to};
    return mi_hash64((struct mi_bytes){(const uint8_t *)parts, sizeof parts});
}

/* Fills wires, ports, hubs and their lists by group; needs seen_as. False: no memory. */
bool mi_scene_list_wires(struct scene *s);

/* Draws all open groups, the inner ones first; needs wires and room for drawings and places. */
bool mi_scene_draw_groups(struct scene *s, struct mi_error *err);

/* Puts all drawings into each other; `seen`: how many boxes there are. False: no memory. */
bool mi_scene_write(struct scene *s, uint32_t seen, struct mi_scene *out);

#endif
