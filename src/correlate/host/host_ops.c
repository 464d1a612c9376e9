/* From a call to the op of the framework that asked for it.
 *
 *   op (thread A) > Enqueue, correlation C  ~~>  Dequeue, correlation C (thread B) > acl > node
 *
 * Only C is an id; all else is nesting in time. Without a task queue the calls lie in the op. */
#include "base/mem.h"
#include "correlate/host/host.h"

enum { MAX_CLIMB = 4096, UNKNOWN_LEVEL = 255 };

enum mi_host_level mi_host_slice_level(const struct mi_host_ops *ops, uint32_t slice)
{
    return (enum mi_host_level)ops->levels[ops->model->all.rows.slices.category[slice].v];
}

static bool find_levels(struct mi_host_ops *ops)
{
    const struct mi_slices *slices = &ops->model->all.rows.slices;
    uint32_t strings = ops->model->all.strings.count;
    ops->levels = mi_mem_new(strings, 1);
    if (!ops->levels)
        return false;
    memset(ops->levels, UNKNOWN_LEVEL, strings);
    for (uint32_t s = 0; s < slices->count; s++) {
        uint32_t category = slices->category[s].v;
        if (ops->levels[category] == UNKNOWN_LEVEL)
            ops->levels[category] =
                (uint8_t)mi_host_level(mi_model_text(ops->model, slices->category[s]));
    }
    return true;
}

static bool is_named(const struct mi_host_ops *ops, uint32_t slice, const char *start)
{
    struct mi_bytes name = mi_model_text(ops->model, ops->model->all.rows.slices.name[slice]);
    return mi_bytes_starts(name, mi_cstr(start));
}

static bool note_enqueues(struct mi_host_ops *ops)
{
    const struct mi_tables *rows = &ops->model->all.rows;
    for (uint32_t s = 1; s < rows->slices.count; s++)
        if (mi_some_u32(rows->slices.correlation[s]) != MI_NO_CONNECTION &&
            mi_host_slice_level(ops, s) == MI_HOST_QUEUE && is_named(ops, s, "Enqueue") &&
            !mi_map_set(&ops->enqueues,
                        mi_pair(mi_host_collection_of_slice(rows, s),
                                mi_some_u32(rows->slices.correlation[s])),
                        s))
            return false;
    return true;
}

static bool states_op(struct mi_bytes category)
{
    return mi_bytes_equal(category, MI_LIT("async_npu")) ||
           mi_bytes_equal(category, MI_LIT("torch_to_npu"));
}

static bool note_statements(struct mi_host_ops *ops)
{
    const struct mi_tables *rows = &ops->model->all.rows;
    const struct mi_flows *flows = &rows->flows;
    ops->statements = mi_mem_zero(rows->tasks.count, sizeof *ops->statements);
    for (uint32_t f = 1; ops->statements && f < flows->count; f++) {
        uint32_t op = flows->from_slice[f].v;
        if (op && states_op(mi_model_text(ops->model, flows->category[f])) &&
            mi_host_slice_level(ops, op) == MI_HOST_OP)
            ops->statements[flows->to_task[f].v] = op;
    }
    return ops->statements != NULL;
}

bool mi_host_ops_init(struct mi_host_ops *ops, const struct mi_model *model)
{
    *ops = (struct mi_host_ops){.model = model};
    return find_levels(ops) && note_enqueues(ops) && note_statements(ops);
}

void mi_host_ops_fini(struct mi_host_ops *ops)
{
    mi_mem_free(ops->levels);
    mi_mem_free(ops->statements);
    mi_map_fini(&ops->enqueues);
    *ops = (struct mi_host_ops){0};
}

uint32_t mi_host_op_of(const struct mi_host_ops *ops, uint32_t slice)
{
    const struct mi_slices *slices = &ops->model->all.rows.slices;
    for (uint32_t steps = 0; slice && steps < MAX_CLIMB; steps++) {
        enum mi_host_level level = mi_host_slice_level(ops, slice);
        if (level == MI_HOST_OP)
            return slice;
        uint32_t enqueue = 0;
        if (level == MI_HOST_QUEUE && mi_some_u32(slices->correlation[slice]) != MI_NO_CONNECTION &&
            is_named(ops, slice, "Dequeue"))
            enqueue = mi_map_get(&ops->enqueues,
                                 mi_pair(mi_host_collection_of_slice(&ops->model->all.rows, slice),
                                         mi_some_u32(slices->correlation[slice])));
        slice = slices->parent[enqueue ? enqueue : slice].v;
    }
    return 0;
}
