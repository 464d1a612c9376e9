/* Ops of the framework that the profile lists among those of a fused node that ran. It speaks where
 * no compiled graph does. */
#include "base/mem.h"
#include "correlate/cann/cann_tables.h"

#define SEVERAL UINT32_MAX

/* Names of nodes that ran, by id. */
static bool map_names_that_ran(const struct mi_tables *rows, struct mi_map *ran)
{
    uint8_t *has_tasks = mi_mem_zero(rows->kernels.count, 1);
    bool ok = has_tasks != NULL;
    for (uint32_t t = 1; ok && t < rows->tasks.count; t++)
        has_tasks[rows->tasks.kernel[t].v] = 1;
    for (uint32_t k = 1; ok && k < rows->kernels.count; k++)
        if (has_tasks[k] && rows->kernels.node_name[k].v)
            ok = mi_map_set(ran, rows->kernels.node_name[k].v, 1);
    mi_mem_free(has_tasks);
    return ok;
}

static bool map_ops(const struct mi_model *model, struct mi_map *ops)
{
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    for (uint32_t n = 1; n < nodes->count; n++) {
        if (!nodes->name[n].v || mi_node_layer(model, (mi_node_id){n}) != MI_LAYER_FRAMEWORK)
            continue;
        uint32_t *at = mi_map_at(ops, nodes->name[n].v);
        if (!at)
            return false;
        *at = *at ? SEVERAL : n;
    }
    return true;
}

/* The notes of one node stand together; one op alone was not fused. */
static void mark(const struct mi_fusion_notes *notes, const struct mi_map *ran,
                 const struct mi_map *ops, uint8_t *is_fused)
{
    for (uint32_t from = 1, end; from < notes->count; from = end) {
        for (end = from + 1; end < notes->count && notes->source[end].v == notes->source[from].v &&
                             notes->node_name[end].v == notes->node_name[from].v;
             end++)
            ;
        if (end - from < 2 || !mi_map_get(ran, notes->node_name[from].v))
            continue;
        for (uint32_t f = from; f < end; f++) {
            uint32_t op = mi_map_get(ops, notes->original[f].v);
            if (op && op != SEVERAL)
                is_fused[op] = 1;
        }
    }
}

bool mi_cann_mark_fused(const struct mi_model *model, uint8_t *is_fused)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_map ran = {0}, ops = {0};
    if (rows->fusion_notes.count <= 1)
        return true;
    bool ok = map_names_that_ran(rows, &ran) && map_ops(model, &ops);
    if (ok)
        mark(&rows->fusion_notes, &ran, &ops, is_fused);
    mi_map_fini(&ran);
    mi_map_fini(&ops);
    return ok;
}
