/* Steps: which items are seen; what each edge becomes in the open groups that it passes; each group
 * drawn from the inside out; all of them put into each other. */
#include "present/layout/scene.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "present/layout/box_text.h"
#include "present/layout/lay.h"
#include "present/layout/scene_limit.h"

#include <string.h>

#define NONE UINT32_MAX
#define PORT UINT32_C(0x80000000) /* an end that is a port, not an item */

enum { MAX_BOXES = 20000, HUB_READERS = 16 };

/* Sizes in pixels of the page at scale 1. */
static const float leaf_height = 48, group_height = 40, end_height = 32, least_width = 84,
                   least_group = 124, most_width = 210, group_padding = 14, group_header = 24,
                   port_width = 6;

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

/* --- what is seen --- */

static bool is_open(const struct scene *s, uint32_t item)
{
    return item == s->root || (s->is_open[item] && s->set->flags[item] & MI_BOX_GROUP);
}

/* Returns how many boxes are seen. */
static uint32_t find_seen(struct scene *s)
{
    uint32_t count = 0;
    memset(s->seen_as, 0xff, s->set->outline->count * sizeof *s->seen_as);
    s->seen_as[s->root] = s->root;
    for (uint32_t k = 0; k < s->set->order_count; k++) {
        uint32_t item = s->set->order[k], parent = s->items[item].parent;
        if (item == s->root || s->seen_as[parent] == NONE || !item)
            continue;
        if (s->set->is_hidden[item])
            continue; /* and so is all below it */
        bool is_seen = s->seen_as[parent] == parent && is_open(s, parent);
        s->seen_as[item] = is_seen ? item : s->seen_as[parent];
        count += is_seen;
    }
    return count;
}

static uint32_t count_children(const struct scene *s, uint32_t item)
{
    uint32_t count = 0;
    for (uint32_t child = s->items[item].first; child; child = s->items[child].next)
        count += !s->set->is_hidden[child];
    return count;
}

/* Closes groups until few enough boxes are left. */
static bool keep_limit(struct scene *s, uint32_t most, uint32_t *closed)
{
    struct mi_scene_limit limit = {.set = s->set,
                                   .root = s->root,
                                   .is_open = s->is_open,
                                   .seen_as = s->seen_as,
                                   .seen = find_seen(s),
                                   .most = most};
    bool ok = mi_scene_keep_limit(&limit);
    *closed = limit.closed;
    return ok;
}

/* --- edges --- */

static uint64_t key_of(uint32_t group, uint32_t from, uint32_t to)
{
    uint32_t parts[3] = {group, from, to};
    return mi_hash64((struct mi_bytes){(const uint8_t *)parts, sizeof parts});
}

static bool grow(void **list, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return true;
    uint32_t more = *room ? *room * 2 : 256;
    void *bigger = mi_mem_resize(*list, more, size);
    if (!bigger)
        return false;
    *list = bigger;
    *room = more;
    return true;
}

static uint32_t port_for(struct scene *s, uint32_t group, uint32_t source, bool is_in)
{
    uint32_t *at = mi_map_at(&s->port_at, key_of(group, source, is_in));
    if (!at)
        return NONE;
    if (!*at) {
        if (!grow((void **)&s->ports, s->port_count, &s->port_room, sizeof *s->ports)) {
            *at = 1; /* the map must not hold an empty value; the drawing fails anyway */
            return NONE;
        }
        s->ports[s->port_count++] = (struct port){group, source, is_in};
        *at = s->port_count;
    }
    return PORT | (*at - 1);
}

static bool add_wire(struct scene *s, uint32_t group, uint32_t from, uint32_t to, uint32_t source)
{
    if (from == NONE || to == NONE)
        return false;
    uint32_t *at = mi_map_at(&s->wire_at, key_of(group, from, to));
    if (!at)
        return false;
    if (*at) {
        struct wire *wire = &s->wires[*at - 1];
        wire->weight++;
        wire->source = wire->source == source ? source : NONE;
        wire->tags |= s->tags;
        return true;
    }
    *at = s->wire_count + 1;
    if (!grow((void **)&s->wires, s->wire_count, &s->wire_room, sizeof *s->wires))
        return false;
    s->wires[s->wire_count++] = (struct wire){group, from, to, source, 1, s->tags};
    return true;
}

/* From the innermost open group of either end outwards to the group that holds both. */
static bool add_edge(struct scene *s, uint32_t a, uint32_t b)
{
    const uint32_t *depth = s->set->depth;
    uint32_t source = a, from = a, to = b; /* what is drawn: the item, or a port once outside */
    while (a != b && s->items[a].parent != s->items[b].parent) {
        bool climb_a = depth[a] >= depth[b], climb_b = depth[b] >= depth[a];
        if (climb_a) {
            uint32_t group = s->items[a].parent, port = port_for(s, group, source, false);
            if (!add_wire(s, group, from, port, source))
                return false;
            a = from = group;
        }
        if (climb_b) {
            uint32_t group = s->items[b].parent, port = port_for(s, group, source, true);
            if (!add_wire(s, group, port, to, source))
                return false;
            b = to = group;
        }
    }
    return a == b || add_wire(s, s->items[a].parent, from, to, source);
}

/* Items that many others read. */
static bool find_hubs(struct scene *s)
{
    struct mi_map pairs = {0};
    uint16_t *readers = mi_mem_zero(s->set->outline->count, sizeof *readers);
    bool ok = readers != NULL;
    for (uint32_t e = 0; ok && e < s->set->edge_count; e++) {
        uint32_t a = s->seen_as[s->set->from[e]], b = s->seen_as[s->set->to[e]];
        if (a == NONE || b == NONE || a == b || readers[a] > HUB_READERS)
            continue;
        uint32_t *at = mi_map_at(&pairs, mi_pair(a, b));
        ok = at != NULL;
        if (ok && !*at) {
            *at = 1;
            s->is_hub[a] = ++readers[a] > HUB_READERS;
        }
    }
    mi_map_fini(&pairs);
    mi_mem_free(readers);
    return ok;
}

static uint8_t tags_of(const struct scene *s, uint32_t edge)
{
    return s->set->tags ? s->set->tags[edge] : 0;
}

static bool list_wires(struct scene *s)
{
    if (!find_hubs(s))
        return false;
    for (uint32_t e = 0; e < s->set->edge_count; e++) {
        uint32_t a = s->seen_as[s->set->from[e]], b = s->seen_as[s->set->to[e]];
        s->tags = tags_of(s, e);
        if (a != NONE && b != NONE && a != b && !s->is_hub[a] && !add_edge(s, a, b))
            return false;
    }
    uint32_t *groups = mi_mem_new((size_t)s->wire_count + s->port_count + 1, sizeof *groups);
    uint32_t *rows = mi_mem_new((size_t)s->wire_count + s->port_count + 1, sizeof *rows);
    bool ok = groups && rows;
    for (uint32_t w = 0; ok && w < s->wire_count; w++) {
        groups[w] = s->wires[w].group;
        rows[w] = w;
    }
    ok = ok && mi_lay_lists(&s->by_group, s->set->outline->count, s->wire_count, groups, rows);
    for (uint32_t p = 0; ok && p < s->port_count; p++) {
        groups[p] = s->ports[p].group;
        rows[p] = p;
    }
    ok = ok && mi_lay_lists(&s->ports_of, s->set->outline->count, s->port_count, groups, rows);
    mi_mem_free(groups);
    mi_mem_free(rows);
    return ok;
}

/* --- groups --- */

static void measure_closed(struct scene *s, uint32_t item)
{
    uint16_t flags = s->set->flags[item];
    float width = mi_box_text_width(s->set->outline, item, &s->texts);
    float least = flags & MI_BOX_GROUP ? least_group : least_width; /* it tells numbers, too */
    s->width[item] = width < least ? least : width > most_width ? most_width : width;
    bool is_end = flags & (MI_BOX_INPUT | MI_BOX_OUTPUT | MI_BOX_CONSTANT);
    s->height[item] = flags & MI_BOX_GROUP ? group_height : is_end ? end_height : leaf_height;
}

static uint32_t *place_of(struct scene *s, uint32_t end)
{
    return end & PORT ? &s->place[s->set->outline->count + (end & ~PORT)] : &s->place[end];
}

struct local { /* the graph inside an open group */
    uint32_t boxes, edges;
    float *width, *height;
    uint8_t *pin;
    uint32_t *from, *to;
};

static bool make_local(struct scene *s, uint32_t group, struct local *l)
{
    uint32_t ports = s->ports_of.first[group + 1] - s->ports_of.first[group];
    uint32_t first = s->by_group.first[group], end = s->by_group.first[group + 1];
    size_t room = (size_t)count_children(s, group) + ports + 1;
    l->width = mi_mem_zero(room, sizeof *l->width);
    l->height = mi_mem_zero(room, sizeof *l->height);
    l->pin = mi_mem_zero(room, sizeof *l->pin);
    l->from = mi_mem_zero((size_t)(end - first) + 1, sizeof *l->from);
    l->to = mi_mem_zero((size_t)(end - first) + 1, sizeof *l->to);
    if (!l->width || !l->height || !l->pin || !l->from || !l->to)
        return false;
    for (uint32_t child = s->items[group].first; child; child = s->items[child].next) {
        if (s->set->is_hidden[child])
            continue;
        s->place[child] = l->boxes;
        l->width[l->boxes] = s->width[child];
        l->height[l->boxes++] = s->height[child];
    }
    for (uint32_t i = s->ports_of.first[group]; i < s->ports_of.first[group + 1]; i++) {
        uint32_t port = s->ports_of.list[i];
        *place_of(s, PORT | port) = l->boxes;
        l->pin[l->boxes] = s->ports[port].is_in ? MI_PIN_TOP : MI_PIN_BOTTOM;
        l->width[l->boxes++] = port_width;
    }
    for (uint32_t i = first; i < end; i++) {
        l->from[l->edges] = *place_of(s, s->wires[s->by_group.list[i]].from);
        l->to[l->edges++] = *place_of(s, s->wires[s->by_group.list[i]].to);
    }
    return true;
}

static void local_fini(struct local *l)
{
    mi_mem_free(l->width);
    mi_mem_free(l->height);
    mi_mem_free(l->pin);
    mi_mem_free(l->from);
    mi_mem_free(l->to);
}

static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    uint64_t pair[2] = {hash, mi_hash64((struct mi_bytes){data, size})};
    return mi_hash64((struct mi_bytes){(const uint8_t *)pair, sizeof pair});
}

static uint64_t hash_local(const struct local *l)
{
    uint64_t hash = mi_pair(l->boxes, l->edges);
    hash = mix(hash, l->width, l->boxes * sizeof *l->width);
    hash = mix(hash, l->height, l->boxes * sizeof *l->height);
    hash = mix(hash, l->pin, l->boxes * sizeof *l->pin);
    hash = mix(hash, l->from, l->edges * sizeof *l->from);
    return mix(hash, l->to, l->edges * sizeof *l->to);
}

static bool draw_group(struct scene *s, uint32_t group, struct mi_error *err)
{
    struct local l = {0};
    bool ok = make_local(s, group, &l);
    uint32_t *at = ok ? mi_map_at(&s->drawn, hash_local(&l)) : NULL;
    if (at && !*at) {
        struct mi_layout_graph graph = {l.boxes, l.edges, l.width, l.height, l.from, l.to, l.pin};
        *at = s->drawing_count + 1;
        ok = mi_layout_draw(&graph, NULL, &s->drawings[s->drawing_count].layout, err);
        s->drawing_count += ok;
    }
    ok = ok && at;
    if (ok) {
        s->drawing_of[group] = *at;
        const struct mi_layout *layout = &s->drawings[*at - 1].layout;
        s->width[group] = layout->width + 2 * group_padding;
        s->height[group] = layout->height + group_header + group_padding;
    }
    local_fini(&l);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while drawing a graph");
}

/* Children stand behind their parents in `order`, so backwards is from the inside out. */
static bool draw_groups(struct scene *s, struct mi_error *err)
{
    for (uint32_t k = s->set->order_count; k-- > 0;) {
        uint32_t item = s->set->order[k];
        if (s->seen_as[item] != item)
            continue;
        if (!is_open(s, item))
            measure_closed(s, item);
        else if (!draw_group(s, item, err))
            return false;
    }
    return true;
}

/* --- the result --- */

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
        flags |= is_open(s, child) ? MI_BOX_OPEN : 0;
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
                                                                   .width = port_width,
                                                                   .flags = MI_BOX_PORT};
    }
}

/* Where the port of a wire at an open group's border is; the point itself elsewhere. */
static struct mi_layout_point at_border(struct writing *w, const struct wire *wire, bool is_in,
                                        struct mi_layout_point point)
{
    struct scene *s = w->s;
    uint32_t item = is_in ? wire->to : wire->from;
    if (item & PORT || !is_open(s, item) || wire->source == NONE)
        return point;
    uint32_t port = mi_map_get(&s->port_at, key_of(item, wire->source, is_in));
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
            w->out->edges[*at - 1].tags |= tags_of(s, e);
        } else if (ok) {
            *at = w->out->edge_count + 1;
            w->out->edges[w->out->edge_count++] =
                (struct mi_scene_edge){.from = w->box[a],
                                       .to = w->box[b],
                                       .first_point = w->out->point_count,
                                       .weight = 1,
                                       .flags = MI_EDGE_STUB,
                                       .tags = tags_of(s, e)};
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

static bool write_out(struct scene *s, uint32_t seen, struct mi_scene *out)
{
    struct writing w = {.s = s, .out = out};
    bool ok = make_room(&w, seen);
    for (int edges = 0; ok && edges < 2; edges++) /* ports must stand before edges lead to them */
        for (uint32_t k = 0; k < s->set->order_count; k++) {
            uint32_t item = s->set->order[k];
            if (s->seen_as[item] != item || !is_open(s, item))
                continue;
            const struct mi_scene_box *box = &out->boxes[w.box[item]];
            float x = box->x + group_padding, y = box->y + group_header;
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

static void scene_fini(struct scene *s)
{
    for (uint32_t d = 0; d < s->drawing_count; d++)
        mi_layout_fini(&s->drawings[d].layout);
    mi_mem_free(s->drawings);
    mi_mem_free(s->is_open);
    mi_mem_free(s->seen_as);
    mi_mem_free(s->wires);
    mi_mem_free(s->ports);
    mi_map_fini(&s->wire_at);
    mi_map_fini(&s->port_at);
    mi_map_fini(&s->drawn);
    mi_mem_free(s->is_hub);
    mi_mem_free(s->place);
    mi_mem_free(s->drawing_of);
    mi_lay_lists_fini(&s->by_group);
    mi_lay_lists_fini(&s->ports_of);
    mi_mem_free(s->width);
    mi_mem_free(s->height);
    mi_arena_fini(&s->texts);
}

static bool prepare(struct scene *s, const uint8_t *is_open)
{
    size_t items = s->set->outline->count;
    s->is_open = mi_mem_new(items, 1);
    s->seen_as = mi_mem_new(items, sizeof *s->seen_as);
    s->is_hub = mi_mem_zero(items, 1);
    s->drawing_of = mi_mem_zero(items, sizeof *s->drawing_of);
    s->width = mi_mem_zero(items, sizeof *s->width);
    s->height = mi_mem_zero(items, sizeof *s->height);
    if (!s->is_open || !s->seen_as || !s->is_hub || !s->drawing_of || !s->width || !s->height)
        return false;
    memcpy(s->is_open, is_open, items);
    return true;
}

static bool draw(struct scene *s, const struct mi_scene_options *options, struct mi_scene *out,
                 struct mi_error *err)
{
    uint32_t limit = options && options->max_boxes ? options->max_boxes : MAX_BOXES;
    if (!keep_limit(s, limit, &out->closed_count))
        return false;
    uint32_t seen = find_seen(s), open = 0;
    for (uint32_t k = 0; k < s->set->order_count; k++)
        open += is_open(s, s->set->order[k]);
    if (!list_wires(s))
        return false;
    s->drawings = mi_mem_zero((size_t)open + 1, sizeof *s->drawings);
    s->place = mi_mem_zero((size_t)s->set->outline->count + s->port_count + 1, sizeof *s->place);
    return s->drawings && s->place && draw_groups(s, err) && write_out(s, seen, out);
}

bool mi_scene_draw(const struct mi_scenery *set, uint32_t root, const uint8_t *is_open,
                   const struct mi_scene_options *options, struct mi_scene *scene,
                   struct mi_error *err)
{
    struct scene s = {.set = set, .items = set->outline->items, .root = root};
    *scene = (struct mi_scene){0};
    mi_arena_init(&s.texts);
    bool ok = prepare(&s, is_open) && draw(&s, options, scene, err);
    scene_fini(&s);
    if (!ok)
        mi_scene_fini(scene);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while drawing a graph");
}

void mi_scene_fini(struct mi_scene *scene)
{
    mi_mem_free(scene->boxes);
    mi_mem_free(scene->edges);
    mi_mem_free(scene->points);
    *scene = (struct mi_scene){0};
}
