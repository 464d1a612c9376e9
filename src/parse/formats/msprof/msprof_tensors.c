#include "parse/formats/msprof/msprof_tensors.h"

#include "parse/formats/msprof/msprof_columns.h"
#include "parse/formats/msprof/msprof_types.h"

/* Cuts the next element off a list, without quotes and blanks around it. */
static bool next_element(struct mi_bytes *list, bool *is_first, struct mi_bytes *element)
{
    if (!*is_first) {
        if (!list->len)
            return false;
        *list = mi_bytes_sub(*list, 1, list->len);
    }
    *is_first = false;
    size_t len = 0;
    while (len < list->len && list->at[len] != ';')
        len++;
    *element = mi_bytes_sub(*list, 0, len);
    *list = mi_bytes_sub(*list, len, list->len);
    return true;
}

/* Lists that say that there is nothing. */
static bool is_empty_list(struct mi_bytes text)
{
    return mi_msprof_is_absent(text) || mi_bytes_equal(text, MI_LIT("NULL"));
}

static uint8_t *put_dims(uint8_t *out, struct mi_bytes dims)
{
    *out++ = '[';
    for (size_t i = 0; i < dims.len; i++)
        if (dims.at[i] > ' ' && dims.at[i] != '"')
            *out++ = dims.at[i];
    *out++ = ']';
    return out;
}

mi_str_id mi_msprof_tensors(struct mi_batch *batch, struct mi_scratch *scratch,
                            struct mi_bytes shapes, struct mi_bytes types)
{
    struct mi_bytes dims, type;
    bool first_shape = true, first_type = true, is_first = true;
    if (is_empty_list(types))
        return MI_NO_STR;
    /* per element at most: eight bytes more than its type has, brackets, semicolon */
    uint8_t *start = mi_scratch_room(scratch, shapes.len + types.len * 13 + 16);
    uint8_t *out = start;
    if (!start) {
        mi_batch_fail(batch, MI_ENOMEM, "out of memory for shapes");
        return MI_NO_STR;
    }
    while (next_element(&types, &first_type, &type)) {
        if (!next_element(&shapes, &first_shape, &dims))
            dims = (struct mi_bytes){0};
        if (!is_first)
            *out++ = ';';
        is_first = false;
        out += mi_msprof_dtype(mi_msprof_trim(type), out);
        out = put_dims(out, dims);
    }
    return mi_batch_str(batch, (struct mi_bytes){start, (size_t)(out - start)});
}
