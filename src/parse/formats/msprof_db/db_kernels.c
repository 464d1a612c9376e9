/* Kernels: what a task runs, once for all tasks that run it. */
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "parse/formats/msprof/msprof_columns.h"
#include "parse/formats/msprof/msprof_tensors.h"
#include "parse/formats/msprof/msprof_types.h"
#include "parse/formats/msprof_db/db_read.h"

static struct mi_bytes text_of(struct mi_db_reading *r, mi_str_id id)
{
    return mi_batch_text(r->db.batch, id);
}

/* The type that the graph engine gives says most; at level 0 there is only the runtime's. */
static const struct mi_msprof_type *type_of(struct mi_db_reading *r, struct mi_bytes core,
                                            struct mi_bytes host)
{
    (void)r;
    const struct mi_msprof_type *type = mi_msprof_type_find(core);
    return mi_msprof_is_absent(core) || type->kind == MI_TASK_OTHER ? mi_msprof_type_find(host)
                                                                    : type;
}

static mi_str_id tensors(struct mi_db_reading *r, const struct mi_db_info *info,
                         enum mi_db_say shapes, enum mi_db_say types)
{
    struct mi_batch *batch = r->db.batch;
    mi_str_id shape = mi_db_string(r, info->says[shapes]);
    mi_str_id type = mi_db_string(r, info->says[types]);
    return mi_msprof_tensors(batch, &r->scratch, text_of(r, shape), text_of(r, type));
}

static mi_kernel_id add_kernel(struct mi_db_reading *r, uint32_t number, int64_t type_id,
                               int64_t model)
{
    static const struct mi_db_info nothing = {{-1, -1, -1, -1, -1, -1, -1, -1, -1}};
    const struct mi_db_info *info = number ? &r->infos[number] : &nothing;
    struct mi_batch *batch = r->db.batch;
    struct mi_kernel_row kernel = {.node_index = -1,
                                   .model = model,
                                   .type = mi_db_string(r, type_id),
                                   .node_name = mi_db_name(r, info->says[MI_DB_NAME]),
                                   .op = mi_db_name(r, info->says[MI_DB_OP]),
                                   .group = mi_db_name(r, info->says[MI_DB_GROUP])};
    mi_str_id core = mi_db_name(r, info->says[MI_DB_CORE]);
    mi_str_id step = mi_db_name(r, info->says[MI_DB_STEP]);
    const struct mi_msprof_type *type = type_of(r, text_of(r, core), text_of(r, kernel.type));
    bool is_part = info->says[MI_DB_STEP] != -1 || info->says[MI_DB_GROUP] != -1;
    kernel.kind = (uint8_t)type->kind;
    kernel.sync = (uint8_t)type->sync;
    kernel.engine = mi_batch_cstr(batch, type->engine);
    if (type->kind == MI_TASK_OTHER)
        kernel.engine = kernel.type;
    if (is_part || mi_msprof_is_collective(text_of(r, kernel.node_name)))
        kernel.kind = MI_TASK_COMMUNICATION;
    else if (kernel.node_name.v && kernel.kind == MI_TASK_OTHER)
        kernel.kind = MI_TASK_COMPUTE;
    kernel.name = kernel.node_name.v ? kernel.node_name : step.v ? step : kernel.type;
    kernel.inputs = tensors(r, info, MI_DB_IN_SHAPES, MI_DB_IN_TYPES);
    kernel.outputs = tensors(r, info, MI_DB_OUT_SHAPES, MI_DB_OUT_TYPES);
    return mi_add_kernel(batch, &kernel);
}

static bool has_room(struct mi_db_reading *r)
{
    if (!mi_vec_room(&r->kernels, &r->kernel_room, r->kernel_count, sizeof *r->kernels))
        return false;
    if (!r->kernel_count)
        r->kernel_count = 1; /* 0 means none */
    return true;
}

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static bool is_kernel(const struct mi_db_kernel *kernel, uint32_t info, int64_t type, int64_t model)
{
    return kernel->info == info && kernel->type == type && kernel->model == model;
}

/* The place of a kernel, which is added if it is new. 0: out of memory. */
static uint32_t place_of(struct mi_db_reading *r, uint32_t info, int64_t type, int64_t model)
{
    uint64_t hash = mix(mix(info, (uint64_t)type), (uint64_t)model);
    for (;; hash++) {
        uint32_t *at = mi_map_at(&r->kernel_places, hash);
        if (!at || !has_room(r)) {
            mi_batch_fail(r->db.batch, MI_ENOMEM, "out of memory for kernels");
            return 0;
        }
        if (*at && is_kernel(&r->kernels[*at], info, type, model))
            return *at;
        if (*at)
            continue;
        uint32_t place = *at = r->kernel_count++;
        r->kernels[place] = (struct mi_db_kernel){.type = type,
                                                  .model = model,
                                                  .info = info,
                                                  .kernel = add_kernel(r, info, type, model).v};
        return place;
    }
}

mi_kernel_id mi_db_kernel_of(struct mi_db_reading *r, uint32_t info, int64_t type, int64_t model)
{
    /* models run again and again: what followed the last kernel then, mostly follows it now */
    uint32_t last = r->last_kernel, place = last ? r->kernels[last].next : 0;
    if (!place || !is_kernel(&r->kernels[place], info, type, model))
        place = place_of(r, info, type, model);
    if (!place)
        return (mi_kernel_id){0};
    if (last)
        r->kernels[last].next = place;
    r->last_kernel = place;
    return (mi_kernel_id){r->kernels[place].kernel};
}
