#include "present/layout/scene_limit.h"

#include "base/mem.h"

struct closing {
    struct mi_scene_limit *limit;
    const struct mi_outline_item *items;
    uint32_t *children; /* [items] boxes right below */
    uint32_t *open;     /* [items] of them groups that are open */
    uint32_t *place;    /* [items] in the order of the scenery */
    uint64_t *heap;     /* groups that hold no open one, the one to be closed next on top */
    uint32_t heap_count;
};

static bool is_candidate(const struct closing *c, uint32_t item)
{
    const struct mi_scene_limit *limit = c->limit;
    return item && item != limit->root && limit->seen_as[item] == item && limit->is_open[item] &&
           limit->set->flags[item] & MI_BOX_GROUP;
}

/* --- heap --- */

static void push(struct closing *c, uint32_t item)
{
    uint64_t key = (uint64_t)c->children[item] << 32 | c->place[item];
    uint32_t at = c->heap_count++;
    while (at && c->heap[(at - 1) / 2] < key) {
        c->heap[at] = c->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    c->heap[at] = key;
}

/* Returns the item. */
static uint32_t pop(struct closing *c)
{
    uint64_t top = c->heap[0], last = c->heap[--c->heap_count];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= c->heap_count)
            break;
        if (child + 1 < c->heap_count && c->heap[child + 1] > c->heap[child])
            child++;
        if (c->heap[child] <= last)
            break;
        c->heap[at] = c->heap[child];
        at = child;
    }
    c->heap[at] = last;
    return c->limit->set->order[(uint32_t)top];
}

/* --- closing --- */

static void count(struct closing *c)
{
    const struct mi_scenery *set = c->limit->set;
    for (uint32_t k = 0; k < set->order_count; k++) {
        uint32_t item = set->order[k];
        c->place[item] = k;
        if (!item)
            continue;
        c->children[c->items[item].parent] += !set->is_hidden[item];
        c->open[c->items[item].parent] += is_candidate(c, item);
    }
    for (uint32_t k = 0; k < set->order_count; k++)
        if (is_candidate(c, set->order[k]) && !c->open[set->order[k]])
            push(c, set->order[k]);
}

static void close_groups(struct closing *c)
{
    struct mi_scene_limit *limit = c->limit;
    while (limit->seen > limit->most && c->heap_count) {
        uint32_t item = pop(c), parent = c->items[item].parent;
        limit->is_open[item] = 0;
        limit->seen -= c->children[item];
        limit->closed++;
        if (is_candidate(c, parent) && --c->open[parent] == 0)
            push(c, parent);
    }
}

bool mi_scene_keep_limit(struct mi_scene_limit *limit)
{
    struct closing c = {.limit = limit, .items = limit->set->outline->items};
    size_t items = limit->set->outline->count;
    if (limit->seen <= limit->most)
        return true;
    c.children = mi_mem_zero(items, sizeof *c.children);
    c.open = mi_mem_zero(items, sizeof *c.open);
    c.place = mi_mem_zero(items, sizeof *c.place);
    c.heap = mi_mem_new(items, sizeof *c.heap);
    bool ok = c.children && c.open && c.place && c.heap;
    if (ok) {
        count(&c);
        close_groups(&c);
    }
    mi_mem_free(c.children);
    mi_mem_free(c.open);
    mi_mem_free(c.place);
    mi_mem_free(c.heap);
    return ok;
}
