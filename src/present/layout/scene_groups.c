/* Open groups, drawn from the inside out; groups that are alike inside are drawn once. */
#include "base/hash.h"
#include "base/mem.h"
#include "present/layout/box_text.h"
#include "present/layout/scene_steps.h"

/* Sizes in pixels of the page at scale 1. */
static const float leaf_height = 48, group_height = 40, end_height = 32, least_width = 84,
                   least_group = 124, most_width = 210;

static uint32_t count_children(const struct scene *s, uint32_t item)
{
    uint32_t count = 0;
    for (uint32_t child = s->items[item].first; child; child = s->items[child].next)
        count += !s->set->is_hidden[child];
    return count;
}

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
        l->width[l->boxes++] = MI_PORT_WIDTH;
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
        s->width[group] = layout->width + 2 * MI_GROUP_PADDING;
        s->height[group] = layout->height + MI_GROUP_HEADER + MI_GROUP_PADDING;
    }
    local_fini(&l);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while drawing a graph");
}

/* Children stand behind their parents in `order`, so backwards is from the inside out. */
bool mi_scene_draw_groups(struct scene *s, struct mi_error *err)
{
    for (uint32_t k = s->set->order_count; k-- > 0;) {
        uint32_t item = s->set->order[k];
        if (s->seen_as[item] != item)
            continue;
        if (!mi_scene_is_open(s, item))
            measure_closed(s, item);
        else if (!draw_group(s, item, err))
            return false;
    }
    return true;
}
