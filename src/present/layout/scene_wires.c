/* What each edge becomes in the open groups that it passes. */
#include "base/mem.h"
#include "present/layout/scene_steps.h"

enum { HUB_READERS = 16 };

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
    uint32_t *at = mi_map_at(&s->port_at, mi_scene_key(group, source, is_in));
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
    uint32_t *at = mi_map_at(&s->wire_at, mi_scene_key(group, from, to));
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

bool mi_scene_list_wires(struct scene *s)
{
    if (!find_hubs(s))
        return false;
    for (uint32_t e = 0; e < s->set->edge_count; e++) {
        uint32_t a = s->seen_as[s->set->from[e]], b = s->seen_as[s->set->to[e]];
        s->tags = mi_scene_tags(s, e);
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
