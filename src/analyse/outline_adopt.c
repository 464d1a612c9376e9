/* Scopes for nodes whose names spell none. Compilers name what they put in by themselves
 * ("trans_TransData_17"), so it would lie beside the whole model though it belongs into the middle
 * of it. Such a node goes into the innermost scope that holds all neighbours which have one. Nodes
 * at the border of a graph, without producers or without readers, stay where they are. */
#include "analyse/deps.h"
#include "analyse/outline.h"
#include "base/mem.h"

enum { ROUNDS = 4 /* along chains of such nodes */ };

struct adopting {
    struct mi_outline *tree;
    struct mi_deps deps;
    uint32_t *depth; /* [items] */
};

static bool is_scope(const struct mi_outline_item *item)
{
    return !item->graph && !item->node && !item->group && !item->value;
}

/* The innermost item that holds both; 0 if none does. */
static uint32_t common(const struct adopting *a, uint32_t x, uint32_t y)
{
    const struct mi_outline_item *items = a->tree->items;
    while (x != y) {
        if (a->depth[x] >= a->depth[y])
            x = items[x].parent;
        else
            y = items[y].parent;
    }
    return x;
}

/* What holds the scoped neighbours on one side of a node; `found` counts all neighbours. */
static uint32_t join_side(const struct adopting *a, uint32_t node, bool is_in, uint32_t scope,
                          uint32_t *found)
{
    const struct mi_outline *tree = a->tree;
    const struct mi_csr *side = is_in ? &a->deps.in : &a->deps.out;
    const uint32_t *far = is_in ? a->deps.from : a->deps.to;
    for (uint32_t k = side->first[node]; k < side->first[node + 1]; k++) {
        uint32_t other = far[side->list[k]];
        uint32_t item = other < tree->model->all.rows.nodes.count ? tree->item_of_node[other] : 0;
        uint32_t parent = item ? tree->items[item].parent : 0;
        *found += item != 0;
        bool is_here = tree->model->all.rows.nodes.graph[node].v ==
                       (item ? tree->model->all.rows.nodes.graph[other].v : 0);
        if (parent && is_here && is_scope(&tree->items[parent]))
            scope = scope ? common(a, scope, parent) : parent;
    }
    return scope;
}

static bool is_lone(const struct adopting *a, uint32_t node)
{
    return !mi_csr_count(&a->deps.in, node) && !mi_csr_count(&a->deps.out, node);
}

/* Puts a node without data beside another one that is in a scope. */
static uint32_t follow(struct adopting *a, uint32_t node, uint32_t other)
{
    struct mi_outline_item *items = a->tree->items;
    uint32_t item = a->tree->item_of_node[node], place = a->tree->item_of_node[other];
    if (!item || !place || !is_lone(a, node) || !items[items[item].parent].graph ||
        !is_scope(&items[items[place].parent]))
        return 0;
    items[item].parent = items[place].parent;
    a->depth[item] = a->depth[place];
    return 1;
}

/* Along control edges, both ways. */
static uint32_t follow_control(struct adopting *a)
{
    const struct mi_tables *rows = &a->tree->model->all.rows;
    uint32_t count = 0;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        uint32_t first = rows->nodes.first_in[n];
        for (uint32_t p = first; p < first + rows->nodes.in_count[n]; p++) {
            uint32_t from = rows->values.producer[rows->ports.value[p].v].v;
            if (rows->ports.is_control[p] && from &&
                rows->nodes.graph[from].v == rows->nodes.graph[n].v)
                count += follow(a, n, from) + follow(a, from, n);
        }
    }
    return count;
}

/* Returns how many items got a new parent. */
static uint32_t adopt_once(struct adopting *a)
{
    struct mi_outline_item *items = a->tree->items;
    uint32_t count = 0;
    for (uint32_t i = 1; i < a->tree->count; i++) {
        uint32_t node = items[i].node, before = 0, after = 0;
        if (!node || !items[items[i].parent].graph)
            continue;
        uint32_t scope = join_side(a, node, true, 0, &before);
        scope = join_side(a, node, false, scope, &after);
        if (!before || !after || !scope || !is_scope(&items[scope]))
            continue;
        items[i].parent = scope;
        a->depth[i] = a->depth[scope] + 1;
        count++;
    }
    return count;
}

/* Lists of children anew; graphs come behind nodes, as they were added. */
static void attach_all(struct mi_outline *tree)
{
    for (uint32_t i = 0; i < tree->count; i++)
        tree->items[i].first = tree->items[i].last = tree->items[i].next = 0;
    for (int graphs = 0; graphs < 2; graphs++)
        for (uint32_t i = 1; i < tree->count; i++)
            if ((tree->items[i].graph != 0) == graphs)
                mi_outline_attach(tree, i, tree->items[i].parent);
}

/* Scopes stand before what is in them; bodies may stand before their owners, and are as deep as
 * their graph makes them: what is adopted never leaves its graph. */
static void measure_depths(struct adopting *a)
{
    const struct mi_outline_item *items = a->tree->items;
    for (uint32_t i = 1; i < a->tree->count; i++)
        a->depth[i] = items[i].graph ? 1 : a->depth[items[i].parent] + 1;
}

bool mi_outline_adopt(struct mi_outline *outline, struct mi_error *err)
{
    struct adopting a = {.tree = outline};
    uint32_t count = 0;
    if (!mi_deps_init(&a.deps, outline->model, err))
        return false;
    a.depth = mi_mem_zero(outline->count, sizeof *a.depth);
    if (a.depth) {
        measure_depths(&a);
        for (int round = 0; round < ROUNDS; round++) {
            uint32_t more = adopt_once(&a);
            count += more;
            if (!more)
                break;
        }
        count += follow_control(&a);
        if (count)
            attach_all(outline);
    }
    bool ok = a.depth != NULL;
    mi_mem_free(a.depth);
    mi_deps_fini(&a.deps);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for the scopes of a graph");
}
