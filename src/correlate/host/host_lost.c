/* Launches whose tasks were not recorded: the device side loses the head of a collection, or its
 * ring overflows, while the calls of the host are there. Launches from when a model was loaded say
 * nothing about a run. */
#include "base/mem.h"
#include "correlate/host/host.h"

static bool is_named(const struct mi_model *model, mi_str_id text, const char *name)
{
    return mi_bytes_equal(mi_model_text(model, text), mi_cstr(name));
}

static bool lies_in_load(const struct mi_model *model, uint32_t slice)
{
    const struct mi_slices *slices = &model->all.rows.slices;
    for (unsigned steps = 0; slice && steps < 64; steps++) {
        if (is_named(model, slices->name[slice], "ModelLoad"))
            return true;
        slice = slices->parent[slice].v;
    }
    return false;
}

bool mi_host_find_lost(const struct mi_model *model, struct mi_map *names)
{
    const struct mi_tables *rows = &model->all.rows;
    uint8_t *has_task = mi_mem_zero(rows->slices.count, 1);
    bool ok = has_task != NULL;
    for (uint32_t t = 1; ok && t < rows->tasks.count; t++)
        has_task[rows->tasks.launch[t].v] = 1;
    for (uint32_t s = 1; ok && s < rows->slices.count; s++)
        if (!has_task[s] && rows->slices.item[s].v &&
            mi_some_u32(rows->slices.connection[s]) != MI_NO_CONNECTION &&
            is_named(model, rows->slices.category[s], "node") && !lies_in_load(model, s))
            ok = mi_map_set(names, rows->slices.item[s].v, 1);
    mi_mem_free(has_task);
    return ok;
}
