/* The step as a whole: declared, then observed, then derived; and what contradicts what. */
#include "correlate/types/types.h"

#include "correlate/cuts/cut.h"
#include "correlate/types/types.def"
#include "correlate/types/types_parts.h"

/* Nested bodies are far fewer; only damaged links between values make more steps. */
#define MAX_OUTER 256u

/* --- reading --- */

uint32_t mi_types_origin(const struct mi_types *types, uint32_t value)
{
    const struct mi_values *values = &types->model->all.rows.values;
    for (uint32_t i = 0; i < MAX_OUTER && values->kind[value] == MI_VALUE_OUTER; i++) {
        if (!values->outer[value].v)
            break;
        value = values->outer[value].v;
    }
    return value;
}

struct mi_tensor_type mi_types_of(const struct mi_types *types, uint32_t value)
{
    const struct mi_values *values = &types->model->all.rows.values;
    value = mi_types_origin(types, value);
    struct mi_tensor_type type = types->derived[value];
    if (values->dtype_from[value] != MI_KNOWN_NOT) {
        type.type = values->type[value].v;
        type.dtype = values->dtype[value].v;
        type.dtype_state = MI_TYPE_KNOWN;
    }
    if (values->shape_from[value] != MI_KNOWN_NOT) {
        type.first_dim = values->first_dim[value];
        type.dim_count = values->dim_count[value];
        type.shape_state = MI_TYPE_KNOWN;
    }
    return type;
}

bool mi_types_shapes_differ(const struct mi_model *model, uint32_t first_dim, uint32_t dim_count,
                            uint32_t other_first, uint32_t other_count)
{
    const int64_t *size = model->all.rows.dims.size;
    if (dim_count != other_count)
        return true;
    for (uint32_t i = 0; i < dim_count && first_dim != other_first; i++)
        if (size[first_dim + i] >= 0 && size[other_first + i] >= 0 &&
            size[first_dim + i] != size[other_first + i])
            return true;
    return false;
}

/* --- contradictions --- */

static mi_str_id tell_dtypes(struct mi_types *types, uint32_t value,
                             const struct mi_types_contradiction *what)
{
    struct mi_batch *all = &types->model->all;
    struct mi_bytes name = mi_batch_text(all, all->rows.values.name[value]);
    struct mi_bytes known = mi_batch_text(all, what->known);
    struct mi_bytes other = mi_batch_text(all, what->other);
    if (all->rows.values.dtype_from[value] != MI_KNOWN_DECLARED)
        return mi_batch_printf(
            all, "the device reported the tensor \"%.*s\" as %.*s, but its operator gives %.*s",
            MI_NAME(name), MI_NAME(known), MI_NAME(other));
    return what->by == MI_KNOWN_OBSERVED
               ? mi_batch_printf(
                     all, "the tensor \"%.*s\" is declared as %.*s, but the device reported %.*s",
                     MI_NAME(name), MI_NAME(known), MI_NAME(other))
               : mi_batch_printf(
                     all, "the tensor \"%.*s\" is declared as %.*s, but its operator gives %.*s",
                     MI_NAME(name), MI_NAME(known), MI_NAME(other));
}

static mi_str_id tell_shapes(struct mi_types *types, uint32_t value,
                             const struct mi_types_contradiction *what)
{
    struct mi_batch *all = &types->model->all;
    struct mi_bytes name = mi_batch_text(all, all->rows.values.name[value]);
    if (all->rows.values.shape_from[value] != MI_KNOWN_DECLARED)
        return mi_batch_printf(all,
                               "the device reported another shape for the tensor \"%.*s\" than "
                               "its operator gives",
                               MI_NAME(name));
    return what->by == MI_KNOWN_OBSERVED
               ? mi_batch_printf(all,
                                 "the tensor \"%.*s\" is declared with another shape than the "
                                 "device reported",
                                 MI_NAME(name))
               : mi_batch_printf(all,
                                 "the tensor \"%.*s\" is declared with another shape than its "
                                 "operator gives",
                                 MI_NAME(name));
}

bool mi_types_conflict(struct mi_types *types, uint32_t value,
                       const struct mi_types_contradiction *what)
{
    struct mi_tables *rows = &types->model->all.rows;
    mi_source_id source = rows->graphs.source[rows->values.graph[value].v];
    uint32_t *row = mi_map_at(&types->diags, source.v);
    if (!row)
        return false;
    if (*row) {
        rows->diags.times[*row]++;
        return true;
    }
    *row = mi_add_diag(
               &types->model->all,
               &(struct mi_diag_row){.source = source,
                                     .code = mi_batch_cstr(&types->model->all, "types.conflict"),
                                     .severity = MI_NOTICE,
                                     .times = 1,
                                     .offset = -1,
                                     .text = what->known.v ? tell_dtypes(types, value, what)
                                                           : tell_shapes(types, value, what)})
               .v;
    return *row != 0;
}

static bool check_value(struct mi_types *types, uint32_t v)
{
    const struct mi_values *values = &types->model->all.rows.values;
    const struct mi_tensor_type *derived = &types->derived[v];
    bool dtypes_differ = values->dtype_from[v] != MI_KNOWN_NOT &&
                         derived->dtype_state == MI_TYPE_KNOWN && values->dtype[v].v &&
                         derived->dtype && values->dtype[v].v != derived->dtype;
    bool shapes_differ =
        values->shape_from[v] != MI_KNOWN_NOT && derived->shape_state == MI_TYPE_KNOWN &&
        mi_types_shapes_differ(types->model, values->first_dim[v], values->dim_count[v],
                               derived->first_dim, derived->dim_count);
    return (!dtypes_differ ||
            mi_types_conflict(types, v,
                              &(struct mi_types_contradiction){
                                  MI_KNOWN_DERIVED, values->dtype[v], {derived->dtype}})) &&
           (!shapes_differ ||
            mi_types_conflict(types, v, &(struct mi_types_contradiction){.by = MI_KNOWN_DERIVED}));
}

/* --- writing --- */

static void mark_declared(struct mi_values *values)
{
    for (uint32_t v = 1; v < values->count; v++) {
        if (values->dtype[v].v || values->type[v].v)
            values->dtype_from[v] = MI_KNOWN_DECLARED;
        if (values->has_shape[v])
            values->shape_from[v] = MI_KNOWN_DECLARED;
    }
}

static void write_derived(const struct mi_types *types, uint32_t v)
{
    struct mi_values *values = &types->model->all.rows.values;
    const struct mi_tensor_type *derived = &types->derived[v];
    if (values->dtype_from[v] == MI_KNOWN_NOT && derived->dtype_state == MI_TYPE_KNOWN) {
        values->type[v].v = derived->type;
        values->dtype[v].v = derived->dtype;
        values->dtype_from[v] = MI_KNOWN_DERIVED;
    }
    if (values->shape_from[v] == MI_KNOWN_NOT && derived->shape_state == MI_TYPE_KNOWN) {
        values->has_shape[v] = 1;
        values->first_dim[v] = derived->first_dim;
        values->dim_count[v] = derived->dim_count;
        values->shape_from[v] = MI_KNOWN_DERIVED;
    }
}

/* A captured value is the value it stands for, however that is known. */
static void copy_origin(const struct mi_types *types, uint32_t v)
{
    struct mi_values *values = &types->model->all.rows.values;
    uint32_t origin = mi_types_origin(types, v);
    if (values->dtype_from[v] == MI_KNOWN_NOT) {
        values->type[v] = values->type[origin];
        values->dtype[v] = values->dtype[origin];
        values->dtype_from[v] = values->dtype_from[origin];
    }
    if (values->shape_from[v] == MI_KNOWN_NOT) {
        values->has_shape[v] = values->has_shape[origin];
        values->first_dim[v] = values->first_dim[origin];
        values->dim_count[v] = values->dim_count[origin];
        values->shape_from[v] = values->shape_from[origin];
    }
}

static bool finish(struct mi_types *types)
{
    const struct mi_values *values = &types->model->all.rows.values;
    for (uint32_t v = 1; v < values->count; v++) {
        if (values->kind[v] == MI_VALUE_OUTER)
            continue;
        if (!check_value(types, v))
            return false;
        write_derived(types, v);
    }
    for (uint32_t v = 1; v < values->count; v++)
        if (values->kind[v] == MI_VALUE_OUTER)
            copy_origin(types, v);
    return true;
}

static void name_dtypes(struct mi_types *types)
{
#define MI_DTYPE(number, name) types->dtypes[number] = mi_batch_cstr(&types->model->all, name);
    MI_DTYPE_TABLE(MI_DTYPE)
#undef MI_DTYPE
}

bool mi_fill_types(struct mi_model *model, struct mi_error *err)
{
    struct mi_types types = {.model = model};
    mark_declared(&model->all.rows.values);
    name_dtypes(&types);
    types.derived = mi_mem_zero(model->all.rows.values.count, sizeof *types.derived);
    types.rules = mi_rules_new(&types);
    bool ok = types.derived && types.rules && mi_types_observe(&types, err) &&
              mi_types_derive(&types, err) && finish(&types) && !mi_batch_failed(&model->all);
    mi_mem_free(types.derived);
    mi_rules_free(types.rules);
    mi_map_fini(&types.diags);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for types of tensors");
}
