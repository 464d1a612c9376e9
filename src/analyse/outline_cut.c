/* Parts of long groups: nobody reads a thousand boxes in one, and drawing them takes long. Children
 * are ordered by their rank - the longest way from an input of the data - and cut into runs of
 * equal length. A node's rank is below that of all that reads it, so wires between nodes never lead
 * back to an earlier part, cycles apart; a scope stands where its first node does. */
#include "analyse/deps.h"
#include "analyse/outline.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = 1 << 20 };

struct child {
    bool is_box; /* constants are none: they do not count, and go into the last part */
    uint32_t item, rank, place; /* place: among its siblings before */
};

/* Longest ways over all nodes; what stands on a cycle comes last. */
static uint32_t *rank_vertices(const struct mi_deps *deps)
{
    uint8_t *marks = mi_mem_new(deps->vertex_count, 1);
    uint32_t *order = mi_mem_new(deps->vertex_count, sizeof *order);
    uint32_t *rank = mi_mem_zero(deps->vertex_count, sizeof *rank);
    uint32_t count = 0, cyclic = 0;
    if (marks)
        memset(marks, 1, deps->vertex_count);
    bool ok = marks && order && rank && mi_deps_order(deps, marks, order, &count, &cyclic);
    for (uint32_t i = 0; ok && i < count; i++) {
        uint32_t v = order[i];
        for (uint32_t k = deps->out.first[v]; k < deps->out.first[v + 1]; k++) {
            uint32_t to = deps->to[deps->out.list[k]];
            if (i < count - cyclic && rank[to] <= rank[v])
                rank[to] = rank[v] + 1;
        }
    }
    mi_mem_free(marks);
    mi_mem_free(order);
    if (ok)
        return rank;
    mi_mem_free(rank);
    return NULL;
}

/* The rank of a scope or group is that of its first node. */
static uint32_t *rank_items(const struct mi_outline *tree, const uint32_t *vertices)
{
    const struct mi_outline_item *items = tree->items;
    uint32_t *rank = mi_mem_new(tree->count, sizeof *rank);
    for (uint32_t i = 0; rank && i < tree->count; i++)
        rank[i] = items[i].value && !items[i].is_output ? 0 : UINT32_MAX;
    for (uint32_t i = tree->count; rank && i-- > 1;) { /* scopes stand before what is in them */
        uint32_t parent = items[i].parent;
        if (items[i].node)
            rank[i] = vertices[items[i].node];
        if (!items[parent].node && rank[i] < rank[parent])
            rank[parent] = rank[i];
    }
    return rank;
}

static int compare_children(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    if (x->is_box != y->is_box)
        return x->is_box ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

static bool is_box(const struct mi_outline *tree, uint32_t item)
{
    uint32_t node = tree->items[item].node;
    return !node || !mi_is_constant_node(tree->model, (mi_node_id){node});
}

static uint32_t count_boxes(const struct mi_outline *tree, uint32_t parent, uint32_t *children)
{
    uint32_t boxes = 0;
    *children = 0;
    for (uint32_t c = tree->items[parent].first; c; c = tree->items[c].next) {
        ++*children;
        boxes += is_box(tree, c);
    }
    return boxes;
}

static bool hang_into_parts(struct mi_outline *tree, uint32_t parent, const struct child *list,
                            uint32_t count, uint32_t boxes, uint32_t parts)
{
    uint32_t part = 0, item = 0;
    tree->items[parent].first = tree->items[parent].last = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i < boxes && (uint64_t)i * parts / boxes >= part) {
            part++;
            item = mi_outline_add(
                tree,
                (struct mi_outline_item){
                    .part = part, .label = mi_arena_printf(&tree->arena, "%u/%u", part, parts)});
            if (!item)
                return false;
            mi_outline_attach(tree, item, parent);
        }
        tree->items[list[i].item].next = 0;
        mi_outline_attach(tree, list[i].item, item);
    }
    return true;
}

/* Parts of parts until no list is too long. `rank` covers the items that were there before. */
static bool cut(struct mi_outline *tree, uint32_t parent, const uint32_t *rank, uint32_t known)
{
    uint32_t most = tree->options.most_children, count;
    uint32_t boxes = count_boxes(tree, parent, &count);
    while (boxes > most) {
        uint32_t parts = (boxes + most - 1) / most, n = 0;
        struct child *list = parts < MOST_PARTS ? mi_mem_new(count, sizeof *list) : NULL;
        if (!list)
            return false;
        for (uint32_t c = tree->items[parent].first; c; c = tree->items[c].next, n++)
            list[n] = (struct child){is_box(tree, c), c, c < known ? rank[c] : n, n};
        qsort(list, n, sizeof *list, compare_children);
        bool ok = hang_into_parts(tree, parent, list, n, boxes, parts);
        mi_mem_free(list);
        if (!ok)
            return false;
        boxes = count = parts;
    }
    return true;
}

static bool is_any_too_long(const struct mi_outline *tree)
{
    uint32_t children;
    for (uint32_t i = 0; i < tree->count; i++)
        if (count_boxes(tree, i, &children) > tree->options.most_children)
            return true;
    return false;
}

bool mi_outline_cut(struct mi_outline *outline, struct mi_error *err)
{
    struct mi_deps deps;
    uint32_t known = outline->count;
    if (!is_any_too_long(outline))
        return true;
    if (!mi_deps_init(&deps, outline->model, err))
        return false;
    uint32_t *vertices = rank_vertices(&deps);
    uint32_t *rank = vertices ? rank_items(outline, vertices) : NULL;
    bool ok = rank != NULL;
    for (uint32_t i = 0; ok && i < known; i++)
        ok = cut(outline, i, rank, known);
    mi_mem_free(vertices);
    mi_mem_free(rank);
    mi_deps_fini(&deps);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for the parts of a graph");
}
