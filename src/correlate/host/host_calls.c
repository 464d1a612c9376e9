/* Op calls of a profile as nodes of a framework graph.
 *
 * A node is a call within a step: the k-th call of a path of scopes. Later steps call the same
 * nodes as far as their calls repeat; what they call besides are nodes of their own. An op that
 * only calls other ops is a scope of these, no node. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/host/host_graphs.h"
#include "model/sort.h"

/* --- which ops call something --- */

static bool is_launch(const struct mi_host_graphs *g, uint32_t slice)
{
    return mi_host_slice_level(&g->ops, slice) == MI_HOST_NODE &&
           mi_some_u32(g->rows->slices.connection[slice]) != MI_NO_CONNECTION;
}

bool mi_host_find_calls(struct mi_host_graphs *g)
{
    const struct mi_tables *rows = g->rows;
    uint8_t *has_inner = mi_mem_zero(rows->slices.count, 1);
    if (!has_inner)
        return false;
    for (uint32_t s = 1; s < rows->slices.count; s++) {
        if (mi_host_slice_level(&g->ops, s) == MI_HOST_OP)
            has_inner[mi_host_op_of(&g->ops, rows->slices.parent[s].v)] = 1;
        else if (is_launch(g, s))
            g->is_call[mi_host_op_of(&g->ops, s)] = 1;
    }
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        uint32_t launch = rows->tasks.launch[t].v;
        g->asker[t] = launch ? mi_host_op_of(&g->ops, launch) : 0;
        if (!g->asker[t])
            g->asker[t] = g->ops.statements[t];
        g->is_call[g->asker[t]] = 1;
    }
    for (uint32_t s = 1; s < rows->slices.count; s++)
        g->is_call[s] =
            mi_host_slice_level(&g->ops, s) == MI_HOST_OP && (g->is_call[s] || !has_inner[s]);
    g->is_call[0] = 0;
    mi_mem_free(has_inner);
    return true;
}

/* --- nodes --- */

static bool call_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    if (rows->slices.start_ns[a] != rows->slices.start_ns[b])
        return rows->slices.start_ns[a] > rows->slices.start_ns[b];
    return a > b;
}

struct calls {
    struct mi_host_graphs *g;
    mi_graph_id graph;
    uint32_t *order, count;
    struct mi_map turns; /* (scope, step) -> calls so far */
    struct mi_map nodes; /* (scope, turn) -> node */
    uint32_t position;
};

static void add_scope(struct mi_host_graphs *g, struct mi_node_row *row, uint32_t scope)
{
    struct mi_batch *all = &g->model->all;
    row->first_attr = mi_next_row(all, attrs);
    if (!scope)
        return;
    uint32_t item = mi_next_row(all, items);
    mi_add_item(all, &(struct mi_item_row){.text = mi_host_scope_path(g, scope)});
    mi_add_attr(all, &(struct mi_attr_row){.name = mi_batch_cstr(all, "scope"),
                                           .kind = MI_ATTR_STRING,
                                           .first_item = item,
                                           .item_count = 1});
    row->attr_count = 1;
}

static uint32_t add_node(struct calls *c, uint32_t slice)
{
    struct mi_host_graphs *g = c->g;
    struct mi_batch *all = &g->model->all;
    uint32_t scope = g->scope_of[slice];
    struct mi_node_row row = {.graph = c->graph,
                              .name = mi_host_unique_name(g, mi_host_scope_path(g, scope)),
                              .op = g->rows->slices.name[slice],
                              .position = c->position++,
                              .native_id = -1,
                              .stream = -1,
                              .first_in = mi_next_row(all, ports),
                              .first_out = mi_next_row(all, ports)};
    add_scope(g, &row, scope ? g->scopes[scope].parent : 0);
    return mi_add_node(all, &row).v;
}

static bool place_call(struct calls *c, uint32_t slice)
{
    struct mi_host_graphs *g = c->g;
    uint32_t scope = g->scope_of[slice], step = 0;
    if (mi_host_step_count(&g->steps, g->collection) > 1)
        step = mi_host_steps_begun(&g->steps, g->collection, g->rows->slices.start_ns[slice]);
    uint32_t *turn = mi_map_at(&c->turns, mi_pair(scope, step));
    if (!turn)
        return false;
    uint32_t *node = mi_map_at(&c->nodes, mi_pair(scope, ++*turn));
    if (!node)
        return false;
    if (!*node)
        *node = add_node(c, slice);
    g->node_of[slice] = *node;
    return *node != 0;
}

bool mi_host_add_ops(struct mi_host_graphs *g, mi_str_id name)
{
    const struct mi_tables *rows = g->rows;
    struct calls c = {.g = g, .count = 1, .order = mi_mem_new(rows->slices.count, sizeof *c.order)};
    if (!c.order)
        return false;
    c.order[0] = 0;
    for (uint32_t s = 1; s < rows->slices.count; s++)
        if (g->is_call[s] && mi_host_collection_of_slice(rows, s) == g->collection)
            c.order[c.count++] = s;
    bool ok = mi_rows_sort(rows, c.order, c.count, call_behind);
    if (ok && c.count > 1)
        c.graph = mi_add_graph(
            &g->model->all,
            &(struct mi_graph_row){.source = rows->tracks.source[rows->slices.track[c.order[1]].v],
                                   .layer = MI_LAYER_FRAMEWORK,
                                   .kind = MI_GRAPH_MAIN,
                                   .name = name,
                                   .first_in = mi_next_row(&g->model->all, ports),
                                   .first_out = mi_next_row(&g->model->all, ports)});
    for (uint32_t i = 1; ok && i < c.count; i++)
        ok = place_call(&c, c.order[i]);
    mi_map_fini(&c.turns);
    mi_map_fini(&c.nodes);
    mi_mem_free(c.order);
    return ok;
}
