/* An eager run has no graph file: its profile tells of ops of the framework and of what they
 * launched. These become the framework layer and the compiled layer, two graphs for each rank. */
#include "correlate/host/host_graphs.h"

#include "base/mem.h"
#include "correlate/cann/cann_tables.h"

static bool add_graphs(struct mi_host_graphs *g, uint32_t source)
{
    struct mi_bytes path = mi_collection_name(g->model, source);
    mi_str_id name = mi_batch_str(&g->model->all, path);
    bool ok = mi_host_add_ops(g, name);
    mi_map_fini(&g->names);
    ok = ok && mi_host_add_works(g, name);
    mi_map_fini(&g->names);
    return ok && !mi_batch_failed(&g->model->all);
}

/* [sources.count + 1] for collections with ops a file that has some. NULL: out of memory. */
static uint32_t *find_collections(const struct mi_host_graphs *g)
{
    const struct mi_tables *rows = g->rows;
    uint32_t *with_ops = mi_mem_zero((size_t)rows->sources.count + 1, sizeof *with_ops);
    for (uint32_t s = 1; with_ops && s < rows->slices.count; s++) {
        uint32_t *at = &with_ops[mi_host_collection_of_slice(rows, s)];
        if (!*at && mi_host_slice_level(&g->ops, s) == MI_HOST_OP)
            *at = rows->tracks.source[rows->slices.track[s].v].v;
    }
    return with_ops;
}

static bool make(struct mi_host_graphs *g)
{
    uint32_t *with_ops = find_collections(g);
    bool ok = with_ops != NULL, any = false;
    for (uint32_t c = 1; ok && c <= g->rows->sources.count; c++)
        any |= with_ops[c] != 0;
    if (ok && any) {
        g->scope_of = mi_mem_new(g->rows->slices.count, sizeof *g->scope_of);
        g->is_call = mi_mem_zero(g->rows->slices.count, 1);
        g->node_of = mi_mem_zero(g->rows->slices.count, sizeof *g->node_of);
        g->asker = mi_mem_zero(g->rows->tasks.count, sizeof *g->asker);
        ok = g->scope_of && g->is_call && g->node_of && g->asker && mi_host_find_scopes(g) &&
             mi_host_find_calls(g);
    }
    for (uint32_t c = 1; ok && c <= g->rows->sources.count; c++) {
        g->collection = c;
        ok = !with_ops[c] || add_graphs(g, with_ops[c]);
    }
    mi_mem_free(with_ops);
    return ok;
}

bool mi_host_make_graphs(struct mi_model *model, struct mi_error *err)
{
    struct mi_host_graphs g = {.model = model, .rows = &model->all.rows};
    if (g.rows->graphs.count > 1 || g.rows->slices.count <= 1)
        return true;
    bool ok = mi_host_ops_init(&g.ops, model) && mi_host_steps_init(&g.steps, model) && make(&g);
    mi_host_ops_fini(&g.ops);
    mi_host_steps_fini(&g.steps);
    mi_mem_free(g.scopes);
    mi_map_fini(&g.scope_of_name);
    mi_mem_free(g.scope_of);
    mi_mem_free(g.is_call);
    mi_mem_free(g.node_of);
    mi_mem_free(g.asker);
    if (!ok)
        return mi_fail(err, MI_ENOMEM, "out of memory for the graphs of a profile");
    if (g.rows->graphs.count <= 1)
        return true;
    mi_index_fini(&model->index);
    return mi_model_index_graphs(model, err);
}
