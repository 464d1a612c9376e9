/* Constants as items. Each goes into the innermost item that holds all nodes which read it, but
 * stays in its own graph, and out of what is one box with a single node (fusion groups, scopes
 * around one node): so it is seen wherever what it feeds is seen. Tensors that nothing reads get no
 * item. */
#include "analyse/deps.h"
#include "analyse/describe.h"
#include "analyse/outline.h"
#include "base/mem.h"

enum { NOT_READ = UINT32_MAX };

struct hanging {
    struct mi_outline *tree;
    uint32_t known;          /* items before */
    uint32_t *depth;         /* [known] below item 0; 0 = not in the tree */
    uint32_t *home_of_value; /* [values.count] what holds all readers; NOT_READ */
    uint32_t *home_of_node;  /* [nodes.count] the same of nodes that hold constants */
    uint32_t *to;            /* [known] new parents; 0 = stays */
};

/* --- where readers are --- */

/* Down to the first child, on to the next, up again. */
static void measure_depths(struct hanging *h)
{
    const struct mi_outline_item *items = h->tree->items;
    uint32_t at = items[0].first;
    while (at) {
        h->depth[at] = h->depth[items[at].parent] + 1;
        if (items[at].first) {
            at = items[at].first;
            continue;
        }
        while (at && !items[at].next)
            at = items[at].parent;
        at = at ? items[at].next : 0;
    }
}

static void join_reader(const struct hanging *h, uint32_t *home, uint32_t item)
{
    const struct mi_outline_item *items = h->tree->items;
    uint32_t x = item && h->depth[item] ? items[item].parent : NOT_READ, y = *home;
    while (x != NOT_READ && y != NOT_READ && x != y) {
        if (h->depth[x] >= h->depth[y])
            x = items[x].parent;
        else
            y = items[y].parent;
    }
    if (x != NOT_READ)
        *home = x;
}

static uint32_t *home_of(const struct hanging *h, uint32_t value)
{
    const struct mi_model *model = h->tree->model;
    const struct mi_values *values = &model->all.rows.values;
    mi_node_id producer = values->producer[value];
    if (producer.v)
        return mi_is_constant_node(model, producer) ? &h->home_of_node[producer.v] : NULL;
    return values->kind[value] == MI_VALUE_CONSTANT ? &h->home_of_value[value] : NULL;
}

static void find_homes(const struct hanging *h)
{
    const struct mi_outline *tree = h->tree;
    const struct mi_csr *readers = &tree->model->index.consumers;
    for (uint32_t v = 1; v < tree->model->all.rows.values.count; v++) {
        uint32_t *home = home_of(h, mi_value_origin(tree->model, (mi_value_id){v}).v);
        for (uint32_t i = readers->first[v]; home && i < readers->first[v + 1]; i++)
            join_reader(h, home, tree->item_of_node[readers->list[i]]);
    }
    for (uint32_t i = 1; i < h->known; i++) { /* the graph gives it away */
        uint32_t *home = tree->items[i].is_output ? home_of(h, tree->items[i].value) : NULL;
        if (home)
            join_reader(h, home, i);
    }
}

/* --- where constants go --- */

static uint32_t place_for(const struct hanging *h, uint32_t home, uint32_t graph)
{
    const struct mi_outline_item *items = h->tree->items;
    uint32_t place = home;
    for (uint32_t at = home; at != graph; at = items[at].parent) {
        struct mi_bytes label;
        if (!at)
            return graph;
        if (items[at].node || items[at].group || mi_outline_unwrap(h->tree, at, &label) != at)
            place = items[at].parent;
    }
    return place;
}

/* Sums of all that is above a node that moves. */
static void count_again(struct hanging *h, uint32_t node, uint32_t above, int sign)
{
    struct mi_outline_item *items = h->tree->items;
    struct mi_node_time time =
        h->tree->times ? h->tree->times[node] : (struct mi_node_time){.tasks = 0};
    for (; above; above = items[above].parent) {
        items[above].nodes += sign;
        items[above].tasks += sign * time.tasks;
        items[above].total_ns = sign > 0 ? mi_ns_add(items[above].total_ns, time.total_ns)
                                         : mi_ns_sub(items[above].total_ns, time.total_ns);
    }
}

static void move_nodes(struct hanging *h)
{
    const struct mi_outline *tree = h->tree;
    const struct mi_nodes *nodes = &tree->model->all.rows.nodes;
    for (uint32_t n = 1; n < nodes->count; n++) {
        uint32_t item = tree->item_of_node[n], home = h->home_of_node[n];
        uint32_t graph = tree->item_of_graph[nodes->graph[n].v], parent = tree->items[item].parent;
        if (!item || home == NOT_READ || !h->depth[item] || !h->depth[graph] ||
            tree->items[item].first || !(tree->items[parent].graph || tree->items[parent].part))
            continue;
        uint32_t place = place_for(h, home, graph);
        if (place == parent)
            continue;
        h->to[item] = place;
        count_again(h, n, parent, -1);
        count_again(h, n, place, 1);
    }
}

/* Lists of children without those that move, then with them, in the order of their numbers. */
static void relink(struct hanging *h)
{
    struct mi_outline_item *items = h->tree->items;
    for (uint32_t above = 0; above < h->known; above++) {
        uint32_t child = items[above].first;
        items[above].first = items[above].last = 0;
        while (child) {
            uint32_t next = items[child].next;
            items[child].next = 0;
            if (!h->to[child])
                mi_outline_attach(h->tree, child, above);
            child = next;
        }
    }
    for (uint32_t i = 1; i < h->known; i++)
        if (h->to[i])
            mi_outline_attach(h->tree, i, h->to[i]);
}

static bool add_values(struct hanging *h)
{
    struct mi_outline *tree = h->tree;
    const struct mi_values *values = &tree->model->all.rows.values;
    for (uint32_t v = 1; v < values->count; v++) {
        uint32_t graph = tree->item_of_graph[values->graph[v].v];
        if (h->home_of_value[v] == NOT_READ || !h->depth[graph])
            continue;
        uint32_t item = mi_outline_add(
            tree, (struct mi_outline_item){.value = v,
                                           .label = mi_model_text(tree->model, values->name[v])});
        if (!item)
            return false;
        tree->item_of_value[v] = item;
        mi_outline_attach(tree, item, place_for(h, h->home_of_value[v], graph));
    }
    return true;
}

/* --- the whole --- */

bool mi_outline_is_constant(const struct mi_outline *outline, uint32_t item)
{
    const struct mi_outline_item *at = &outline->items[item];
    if (!outline->options.with_constants)
        return false;
    if (at->value)
        return !at->is_output &&
               outline->model->all.rows.values.kind[at->value] == MI_VALUE_CONSTANT;
    return at->node && mi_is_constant_node(outline->model, (mi_node_id){at->node});
}

static uint32_t *new_homes(uint32_t count)
{
    uint32_t *homes = mi_mem_new(count, sizeof *homes);
    for (uint32_t i = 0; homes && i < count; i++)
        homes[i] = NOT_READ;
    return homes;
}

bool mi_outline_add_constants(struct mi_outline *outline, struct mi_error *err)
{
    const struct mi_tables *rows = &outline->model->all.rows;
    struct hanging h = {.tree = outline,
                        .known = outline->count,
                        .depth = mi_mem_zero(outline->count, sizeof *h.depth),
                        .home_of_value = new_homes(rows->values.count),
                        .home_of_node = new_homes(rows->nodes.count),
                        .to = mi_mem_zero(outline->count, sizeof *h.to)};
    bool ok = h.depth && h.home_of_value && h.home_of_node && h.to;
    if (ok) {
        measure_depths(&h);
        find_homes(&h);
        move_nodes(&h);
        relink(&h);
        ok = add_values(&h);
    }
    mi_mem_free(h.depth);
    mi_mem_free(h.home_of_value);
    mi_mem_free(h.home_of_node);
    mi_mem_free(h.to);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for the constants of a graph");
}
