/* Steps: which items are seen; what each edge becomes in the open groups that it passes; each group
 * drawn from the inside out; all of them put into each other. */
#include "present/layout/scene.h"

#include "base/mem.h"
#include "present/layout/scene_limit.h"
#include "present/layout/scene_steps.h"

#include <string.h>

enum { MAX_BOXES = 20000 };

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
        bool is_seen = s->seen_as[parent] == parent && mi_scene_is_open(s, parent);
        s->seen_as[item] = is_seen ? item : s->seen_as[parent];
        count += is_seen;
    }
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
        open += mi_scene_is_open(s, s->set->order[k]);
    if (!mi_scene_list_wires(s))
        return false;
    s->drawings = mi_mem_zero((size_t)open + 1, sizeof *s->drawings);
    s->place = mi_mem_zero((size_t)s->set->outline->count + s->port_count + 1, sizeof *s->place);
    return s->drawings && s->place && mi_scene_draw_groups(s, err) && mi_scene_write(s, seen, out);
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
