/* The drawings of all groups put into each other: boxes, edges and their ways on one plane. */
#include "base/mem.h"
#include "present/layout/scene_steps.h"

struct writing {
    struct scene *s;
    struct mi_scene *out;
    uint32_t *box; /* [items + ports] box of an item or port */
};

static void write_boxes_of(struct writing *w, uint32_t group, float x, float y)
{
    struct scene *s = w->s;
    const struct mi_layout *layout = &s->drawings[s->drawing_of[group] - 1].layout;
    uint32_t parent = group == s->root ? 0 : w->box[group], place = 0;
    for (uint32_t child = s->items[group].first; child; child = s->items[child].next) {
        if (s->set->is_hidden[child])
            continue;
        uint16_t flags = s->set->flags[child];
        flags |= mi_scene_is_open(s, child) ? MI_BOX_OPEN : 0;
        flags |= s->is_hub[child] ? MI_BOX_HUB : 0;
        w->box[child] = w->out->box_count;
        w->out->boxes[w->out->box_count++] =
            (struct mi_scene_box){.item = child,
                                  .parent = parent,
                                  .x = x + layout->x[place],
                                  .y = y + layout->y[place],
                                  .width = s->width[child],
                                  .height = s->height[child],
                                  .flags = flags,
                                  .category = s->set->category[child]};
        place++;
    }
    for (uint32_t i = s->ports_of.first[group]; i < s->ports_of.first[group + 1]; i++, place++) {
        w->box[s->set->outline->count + s->ports_of.list[i]] = w->out->box_count;
        w->out->boxes[w->out->box_count++] = (struct mi_scene_box){.item = group,
                                                                   .parent = parent,
                                                                   .x = x + layout->x[place],
                                                                   .y = y + layout->y[place],
                                                                   .width = MI_PORT_WIDTH,
                                                                   .flags = MI_BOX_PORT};
    }
}

/* Where the port of a wire at an open group's border is; the point itself elsewhere. */
static struct mi_layout_point at_border(struct writing *w, const struct wire *wire, bool is_in,
                                        struct mi_layout_point point)
{
    struct scene *s = w->s;
    uint32_t item = is_in ? wire->to : wire->from;
    if (item & PORT || !mi_scene_is_open(s, item) || wire->source == NONE)
        return point;
    uint32_t port = mi_map_get(&s->port_at, mi_scene_key(item, wire->source, is_in));
    if (!port)
        return point;
    const struct mi_scene_box *box = &w->out->boxes[w->box[s->set->outline->count + port - 1]];
    return (struct mi_layout_point){box->x + box->width / 2, point.y};
}

static uint32_t box_of(const struct writing *w, uint32_t end)
{
    return end & PORT ? w->box[w->s->set->outline->count + (end & ~PORT)] : w->box[end];
}

/* A port stands at the border of its group, whatever rank it was drawn in. */
static float border_of(const struct writing *w, uint32_t end, float y)
{
    const struct port *port = end & PORT ? &w->s->ports[end & ~PORT] : NULL;
    if (!port || port->group == w->s->root)
        return y;
    const struct mi_scene_box *group = &w->out->boxes[w->box[port->group]];
    return port->is_in ? group->y : group->y + group->height;
}

static void write_edges_of(struct writing *w, uint32_t group, float x, float y)
{
    struct scene *s = w->s;
    const struct mi_layout *layout = &s->drawings[s->drawing_of[group] - 1].layout;
    for (uint32_t i = s->by_group.first[group]; i < s->by_group.first[group + 1]; i++) {
        const struct wire *wire = &s->wires[s->by_group.list[i]];
        uint32_t e = i - s->by_group.first[group];
        uint32_t first = w->out->point_count;
        for (uint32_t p = layout->first_point[e]; p < layout->first_point[e + 1]; p++)
            w->out->points[w->out->point_count++] =
                (struct mi_layout_point){x + layout->points[p].x, y + layout->points[p].y};
        if (w->out->point_count > first) {
            struct mi_layout_point *begin = &w->out->points[first];
            struct mi_layout_point *end = &w->out->points[w->out->point_count - 1];
            *begin = at_border(w, wire, false, *begin);
            *end = at_border(w, wire, true, *end);
            begin->y = border_of(w, wire->from, begin->y);
            end->y = border_of(w, wire->to, end->y);
        }
        w->out->edges[w->out->edge_count++] = (struct mi_scene_edge){.from = box_of(w, wire->from),
                                                                     .to = box_of(w, wire->to),
                                                                     .first_point = first,
                                                                     .weight = wire->weight,
                                                                     .flags = layout->edge_flags[e],
                                                                     .tags = wire->tags};
    }
}

/* Edges of hubs: from box to box, without a way. */
static bool write_stubs(struct writing *w)
{
    struct scene *s = w->s;
    struct mi_map pairs = {0};
    bool ok = true;
    for (uint32_t e = 0; ok && e < s->set->edge_count; e++) {
        uint32_t a = s->seen_as[s->set->from[e]], b = s->seen_as[s->set->to[e]];
        if (a == NONE || b == NONE || a == b || !s->is_hub[a])
            continue;
        uint32_t *at = mi_map_at(&pairs, mi_pair(a, b));
        ok = at != NULL;
        if (ok && *at) {
            w->out->edges[*at - 1].weight++;
            w->out->edges[*at - 1].tags |= mi_scene_tags(s, e);
        } else if (ok) {
            *at = w->out->edge_count + 1;
            w->out->edges[w->out->edge_count++] =
                (struct mi_scene_edge){.from = w->box[a],
                                       .to = w->box[b],
                                       .first_point = w->out->point_count,
                                       .weight = 1,
                                       .flags = MI_EDGE_STUB,
                                       .tags = mi_scene_tags(s, e)};
        }
    }
    mi_map_fini(&pairs);
    return ok;
}

static uint32_t count_stubs(const struct scene *s)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < s->set->edge_count; e++) {
        uint32_t a = s->seen_as[s->set->from[e]];
        count += a != NONE && s->is_hub[a];
    }
    return count;
}

static bool make_room(struct writing *w, uint32_t seen)
{
    struct scene *s = w->s;
    size_t points = 0, items = s->set->outline->count;
    for (uint32_t k = 0; k < s->set->order_count; k++) {
        uint32_t item = s->set->order[k], drawing = s->drawing_of[item];
        const struct mi_layout *layout = drawing ? &s->drawings[drawing - 1].layout : NULL;
        points += layout ? layout->first_point[layout->edge_count] : 0;
    }
    w->box = mi_mem_zero(items + s->port_count + 1, sizeof *w->box);
    w->out->boxes = mi_mem_zero((size_t)seen + s->port_count + 1, sizeof *w->out->boxes);
    w->out->edges = mi_mem_zero((size_t)s->wire_count + count_stubs(s) + 1, sizeof *w->out->edges);
    w->out->points = mi_mem_new(points + 1, sizeof *w->out->points);
    w->out->box_count = 1;
    return w->box && w->out->boxes && w->out->edges && w->out->points;
}

bool mi_scene_write(struct scene *s, uint32_t seen, struct mi_scene *out)
{
    struct writing w = {.s = s, .out = out};
    bool ok = make_room(&w, seen);
    for (int edges = 0; ok && edges < 2; edges++) /* ports must stand before edges lead to them */
        for (uint32_t k = 0; k < s->set->order_count; k++) {
            uint32_t item = s->set->order[k];
            if (s->seen_as[item] != item || !mi_scene_is_open(s, item))
                continue;
            const struct mi_scene_box *box = &out->boxes[w.box[item]];
            float x = box->x + MI_GROUP_PADDING, y = box->y + MI_GROUP_HEADER;
            (edges ? write_edges_of : write_boxes_of)(&w, item, x, y);
        }
    ok = ok && write_stubs(&w);
    if (ok) {
        out->edges[out->edge_count].first_point = out->point_count;
        out->width = s->width[s->root];
        out->height = s->height[s->root];
    }
    mi_mem_free(w.box);
    return ok;
}
