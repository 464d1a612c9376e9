/* What compiling did to tensors. Element types that the model as a whole changed (at least half of
 * those of that type, and three) are the setting of the compiler; what differs from it stands out.
 */
#include "analyse/check/check_parts.h"
#include "base/mem.h"

enum { FEW = 3, MOST_PAIRS = 64 };

/* --- element types --- */

mi_str_id mi_check_dtype_before(const struct mi_check *check, mi_value_id before, mi_value_id after)
{
    const struct mi_values *values = &check->model->all.rows.values;
    return values->dtype[before.v].v ? values->dtype[before.v] : values->origin_dtype[after.v];
}

/* How many tensors went from one element type to another. */
struct pair {
    uint32_t from, to, count;
};

struct pairs {
    struct pair list[MOST_PAIRS];
    uint32_t count;
};

static void count_pair(struct pairs *pairs, uint32_t from, uint32_t to)
{
    uint32_t i = 0;
    while (i < pairs->count && (pairs->list[i].from != from || pairs->list[i].to != to))
        i++;
    if (i == MOST_PAIRS)
        return;
    if (i == pairs->count)
        pairs->list[pairs->count++] = (struct pair){from, to, 0};
    pairs->list[i].count++;
}

/* The type that the model as a whole made of `from`; `from` itself if there is none. */
static uint32_t usual(const struct pairs *pairs, uint32_t from)
{
    uint32_t all = 0, best = 0, to = from;
    for (uint32_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->list[i];
        all += pair->from == from ? pair->count : 0;
        if (pair->from == from && pair->to != from && pair->count > best) {
            best = pair->count;
            to = pair->to;
        }
    }
    return best >= FEW && best * 2 >= all ? to : from;
}

static bool has_types(const struct mi_check *check, uint32_t before, uint32_t *from, uint32_t *to)
{
    const struct mi_values *values = &check->model->all.rows.values;
    uint32_t after = check->carrier[before];
    if (!after || !values->producer[before].v)
        return false;
    *from = mi_check_dtype_before(check, (mi_value_id){before}, (mi_value_id){after}).v;
    *to = values->dtype[after].v;
    return *from && *to;
}

static bool compare_dtype(struct mi_check *check, const struct pairs *pairs, uint32_t before)
{
    const struct mi_values *values = &check->model->all.rows.values;
    uint32_t from, to;
    if (!has_types(check, before, &from, &to))
        return true;
    uint32_t expected = usual(pairs, from);
    if (from == to && expected == from)
        return true;
    struct mi_check_change change = {.kind = from == to ? MI_CHECK_KEPT : MI_CHECK_DTYPE,
                                     .severity = from == to       ? MI_NOTICE
                                                 : to == expected ? MI_INFO
                                                                  : MI_WARNING,
                                     .framework = values->producer[before],
                                     .compiled = values->producer[check->carrier[before]],
                                     .before = {before},
                                     .after = {check->carrier[before]},
                                     .is_model_wide = from != to && to == expected};
    return mi_check_add(check, &change);
}

/* --- shapes and layouts --- */

static bool is_plain(struct mi_bytes format)
{
    static const char *const plain[] = {"", "ND", "NCHW", "NHWC", "NCDHW", "NDHWC", "HWCN", "CHWN"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (mi_bytes_equal(format, mi_cstr(plain[i])))
            return true;
    return false;
}

const int64_t *mi_check_plain_sizes(const struct mi_model *model, uint32_t value, uint32_t *rank)
{
    const struct mi_tables *rows = &model->all.rows;
    mi_str_id name = mi_strings_find(&model->all.strings, MI_LIT("origin_shape"));
    uint32_t first = rows->values.first_attr[value];
    for (uint32_t a = first; name.v && a < first + rows->values.attr_count[value]; a++)
        if (rows->attrs.name[a].v == name.v && rows->attrs.kind[a] == MI_ATTR_INTS) {
            *rank = rows->attrs.item_count[a];
            return &rows->items.int_value[rows->attrs.first_item[a]];
        }
    if (!rows->values.has_shape[value] ||
        !is_plain(mi_model_text(model, rows->values.format[value])))
        return NULL;
    *rank = rows->values.dim_count[value];
    return &rows->dims.size[rows->values.first_dim[value]];
}

/* Sizes that are not known before the run agree with any. A tensor of other rank or order is the
 * same if it has as many elements: compilers drop dimensions of 1 and choose the order. */
static bool same_sizes(const int64_t *a, uint32_t a_rank, const int64_t *b, uint32_t b_rank)
{
    uint64_t a_count = 1, b_count = 1;
    bool equal = a_rank == b_rank;
    for (uint32_t i = 0; i < a_rank; i++) {
        if (a[i] < 0)
            return true;
        a_count *= (uint64_t)a[i];
        equal = equal && i < b_rank && (a[i] == b[i] || b[i] < 0);
    }
    for (uint32_t i = 0; i < b_rank; i++) {
        if (b[i] < 0)
            return true;
        b_count *= (uint64_t)b[i];
    }
    return equal || a_count == b_count;
}

static bool compare_shape(struct mi_check *check, uint32_t before)
{
    const struct mi_tables *rows = &check->model->all.rows;
    uint32_t after = check->carrier[before], rank;
    const int64_t *sizes = mi_check_plain_sizes(check->model, after, &rank);
    if (!rows->values.has_shape[before] || !sizes ||
        same_sizes(&rows->dims.size[rows->values.first_dim[before]], rows->values.dim_count[before],
                   sizes, rank))
        return true;
    return mi_check_add(check, &(struct mi_check_change){.kind = MI_CHECK_SHAPE,
                                                         .severity = MI_ERROR,
                                                         .framework = rows->values.producer[before],
                                                         .compiled = rows->values.producer[after],
                                                         .before = {before},
                                                         .after = {after}});
}

static bool compare_layout(struct mi_check *check, uint32_t before)
{
    const struct mi_values *values = &check->model->all.rows.values;
    uint32_t after = check->carrier[before];
    mi_str_id was =
        values->format[before].v ? values->format[before] : values->origin_format[after];
    if (is_plain(mi_model_text(check->model, values->format[after])) ||
        was.v == values->format[after].v)
        return true;
    return mi_check_add(check, &(struct mi_check_change){.kind = MI_CHECK_LAYOUT,
                                                         .severity = MI_INFO,
                                                         .framework = values->producer[before],
                                                         .compiled = values->producer[after],
                                                         .before = {before},
                                                         .after = {after}});
}

bool mi_check_tensors(struct mi_check *check)
{
    const struct mi_values *values = &check->model->all.rows.values;
    struct pairs pairs = {.count = 0};
    uint32_t from, to;
    for (uint32_t v = 1; v < values->count; v++)
        if (has_types(check, v, &from, &to))
            count_pair(&pairs, from, to);
    for (uint32_t v = 1; v < values->count; v++)
        if (check->carrier[v] && (!compare_dtype(check, &pairs, v) || !compare_shape(check, v) ||
                                  !compare_layout(check, v)))
            return false;
    return true;
}
