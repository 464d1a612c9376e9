#include "parse/formats/msprof/msprof_kernel.h"

#include "base/decimal.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "parse/formats/msprof/msprof_tensors.h"
#include "parse/formats/msprof/msprof_types.h"

/* What makes two rows the same launch. */
static const enum mi_msprof_role part_roles[MI_MSPROF_PARTS] = {
    MI_MSPROF_OP_NAME,       MI_MSPROF_KERNEL,       MI_MSPROF_OP,
    MI_MSPROF_TYPE,          MI_MSPROF_INPUT_SHAPES, MI_MSPROF_INPUT_TYPES,
    MI_MSPROF_OUTPUT_SHAPES, MI_MSPROF_OUTPUT_TYPES, MI_MSPROF_MODEL};

struct mi_msprof_seen {
    uint32_t kernel;
    uint32_t next;                          /* place of the one that followed it last */
    struct mi_bytes parts[MI_MSPROF_PARTS]; /* in the file */
};

void mi_msprof_kernels_init(struct mi_msprof_kernels *kernels, struct mi_batch *batch,
                            const struct mi_msprof_columns *columns, uint32_t max_name_bytes)
{
    *kernels = (struct mi_msprof_kernels){
        .batch = batch, .max_name_bytes = max_name_bytes, .seen_count = 1};
    for (unsigned p = 0; p < MI_MSPROF_PARTS; p++)
        if (columns->place[part_roles[p]] >= 0)
            kernels->part_at[kernels->part_count++] = (uint32_t)columns->place[part_roles[p]];
}

void mi_msprof_kernels_fini(struct mi_msprof_kernels *kernels)
{
    mi_map_fini(&kernels->places);
    mi_mem_free(kernels->seen);
    mi_scratch_fini(&kernels->scratch);
}

/* --- texts of a new kernel --- */

static mi_str_id add_name(struct mi_msprof_kernels *kernels, const struct mi_msprof_row *row,
                          enum mi_msprof_role role)
{
    struct mi_bytes text = mi_msprof_field(row, role);
    int32_t place = row->columns->place[role];
    /* some exporters write 0 for a type that they do not know */
    if (mi_msprof_is_absent(text) || (role == MI_MSPROF_OP && mi_bytes_equal(text, MI_LIT("0"))))
        return MI_NO_STR;
    if (text.len > kernels->max_name_bytes) {
        mi_batch_diag(kernels->batch, MI_NOTICE, "msprof.name_cut", MI_NO_OFFSET, row->row->line,
                      "a name of %zu bytes was cut", text.len);
        text.len = kernels->max_name_bytes;
    }
    if (!row->surplus && (uint32_t)place < row->row->count && row->row->fields[place].has_escape) {
        uint8_t *out = mi_scratch_room(&kernels->scratch, text.len);
        if (!out) {
            mi_batch_fail(kernels->batch, MI_ENOMEM, "out of memory for a name");
            return MI_NO_STR;
        }
        text = (struct mi_bytes){out, mi_csv_unescape(text, out)};
    }
    return mi_batch_str(kernels->batch, text);
}

/* --- rows --- */

/* The loaded model as exported; -1 = the table does not say. */
static int64_t model_of(const struct mi_msprof_row *row)
{
    int64_t model;
    return mi_decimal_i64(mi_msprof_field(row, MI_MSPROF_MODEL), &model) == 0 && model >= 0 ? model
                                                                                            : -1;
}

static mi_kernel_id add_kernel(struct mi_msprof_kernels *kernels, const struct mi_msprof_row *row)
{
    struct mi_batch *batch = kernels->batch;
    struct mi_bytes type_name = mi_msprof_field(row, MI_MSPROF_TYPE);
    struct mi_bytes op_name = mi_msprof_field(row, MI_MSPROF_OP_NAME);
    const struct mi_msprof_type *type = mi_msprof_type_find(type_name);
    struct mi_kernel_row kernel = {.node_name = add_name(kernels, row, MI_MSPROF_OP_NAME),
                                   .node_index = -1,
                                   .op = add_name(kernels, row, MI_MSPROF_OP),
                                   .kind = (uint8_t)type->kind,
                                   .sync = (uint8_t)type->sync,
                                   .engine = mi_batch_cstr(batch, type->engine),
                                   .model = model_of(row)};
    kernel.name = add_name(kernels, row, MI_MSPROF_KERNEL);
    if (!kernel.name.v)
        kernel.name = kernel.node_name.v ? kernel.node_name : mi_batch_str(batch, type_name);
    if (type->kind == MI_TASK_OTHER && !mi_msprof_is_absent(type_name))
        kernel.engine = mi_batch_str(batch, type_name);
    if (!mi_msprof_is_absent(type_name))
        kernel.type = mi_batch_str(batch, type_name);
    /* tables of operators hold nothing but computing and collectives, whatever their type says */
    if (mi_msprof_is_collective(op_name))
        kernel.kind = MI_TASK_COMMUNICATION;
    else if (kernel.node_name.v && kernel.kind == MI_TASK_OTHER)
        kernel.kind = MI_TASK_COMPUTE;
    kernel.inputs =
        mi_msprof_tensors(batch, &kernels->scratch, mi_msprof_field(row, MI_MSPROF_INPUT_SHAPES),
                          mi_msprof_field(row, MI_MSPROF_INPUT_TYPES));
    kernel.outputs =
        mi_msprof_tensors(batch, &kernels->scratch, mi_msprof_field(row, MI_MSPROF_OUTPUT_SHAPES),
                          mi_msprof_field(row, MI_MSPROF_OUTPUT_TYPES));
    return mi_add_kernel(batch, &kernel);
}

static uint64_t mix(uint64_t hash, uint64_t more)
{
    hash = (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct mi_bytes *parts, uint32_t count)
{
    uint64_t hash = 0;
    for (uint32_t p = 0; p < count; p++)
        hash = mix(hash, mi_hash64(parts[p]) + p);
    return hash;
}

static bool same_parts(const struct mi_bytes *a, const struct mi_bytes *b, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++)
        if (a[p].len != b[p].len || !mi_bytes_same(a[p].at, b[p].at, a[p].len))
            return false;
    return true;
}

static bool has_room(struct mi_msprof_kernels *kernels)
{
    return mi_vec_room(&kernels->seen, &kernels->seen_room, kernels->seen_count,
                       sizeof *kernels->seen) ||
           mi_batch_fail(kernels->batch, MI_ENOMEM, "out of memory for kernels");
}

/* The place of a kernel in `seen`, which is its last if the kernel is new. 0: out of memory. */
static uint32_t place_of(struct mi_msprof_kernels *kernels, const struct mi_bytes *parts)
{
    if (!has_room(kernels))
        return 0;
    for (uint64_t hash = hash_of(parts, kernels->part_count);; hash++) {
        uint32_t *place = mi_map_at(&kernels->places, hash);
        if (!place) {
            mi_batch_fail(kernels->batch, MI_ENOMEM, "out of memory for kernels");
            return 0;
        }
        if (!*place)
            return *place = kernels->seen_count;
        if (same_parts(kernels->seen[*place].parts, parts, kernels->part_count))
            return *place;
    }
}

mi_kernel_id mi_msprof_kernel_of(struct mi_msprof_kernels *kernels, const struct mi_msprof_row *row,
                                 uint32_t lane)
{
    struct mi_bytes parts[MI_MSPROF_PARTS];
    for (uint32_t p = 0; p < kernels->part_count; p++)
        parts[p] = mi_msprof_cell(row, kernels->part_at[p]);
    /* models run again and again: what followed the last kernel then, mostly follows it now */
    lane %= MI_MSPROF_LANES;
    uint32_t last = kernels->last[lane], place = last ? kernels->seen[last].next : 0;
    if (!place || !same_parts(kernels->seen[place].parts, parts, kernels->part_count))
        place = place_of(kernels, parts);
    if (!place)
        return (mi_kernel_id){0};
    struct mi_msprof_seen *seen = &kernels->seen[place];
    if (place == kernels->seen_count) {
        kernels->seen_count++;
        memcpy(seen->parts, parts, kernels->part_count * sizeof *parts);
        seen->next = 0;
        seen->kernel = add_kernel(kernels, row).v;
    }
    if (last)
        kernels->seen[last].next = place;
    kernels->last[lane] = place;
    return (mi_kernel_id){seen->kernel};
}
