#include "correlate/types/types_ask.h"

#include "base/pb_wire.h"

#define MAX_LIST_DATA (MI_ASK_RANK * (int64_t)sizeof(int64_t))

static uint32_t input_of(const struct mi_ask *ask, uint32_t i)
{
    const struct mi_nodes *nodes = &ask->rows->nodes;
    return i < nodes->in_count[ask->node] ? ask->rows->ports.value[nodes->first_in[ask->node] + i].v
                                          : 0;
}

bool mi_ask_shape(struct mi_ask *ask, uint32_t i, struct mi_shape *out)
{
    uint32_t value = input_of(ask, i);
    if (!value)
        return false;
    struct mi_tensor_type type = mi_types_of(ask->types, value);
    ask->varies = ask->varies || type.shape_state == MI_TYPE_VARIES;
    if (type.shape_state != MI_TYPE_KNOWN || type.type || type.dim_count > MI_ASK_RANK)
        return false;
    out->rank = type.dim_count;
    for (uint32_t d = 0; d < type.dim_count; d++) {
        int64_t size = ask->rows->dims.size[type.first_dim + d];
        if (size > MI_ASK_SIZE)
            return false;
        out->at[d].size = size < 0 ? -1 : size;
        out->at[d].symbol = size < 0 ? ask->rows->dims.symbol[type.first_dim + d].v : 0;
    }
    return true;
}

uint32_t mi_ask_attr(const struct mi_ask *ask, const char *name)
{
    const struct mi_nodes *nodes = &ask->rows->nodes;
    uint32_t first = nodes->first_attr[ask->node];
    for (uint32_t a = first; a < first + nodes->attr_count[ask->node]; a++)
        if (mi_bytes_equal(mi_model_text(ask->types->model, ask->rows->attrs.name[a]),
                           mi_cstr(name)))
            return a;
    return 0;
}

int64_t mi_ask_int(const struct mi_ask *ask, const char *name, int64_t otherwise)
{
    uint32_t attr = mi_ask_attr(ask, name);
    return attr && ask->rows->attrs.kind[attr] == MI_ATTR_INT &&
                   ask->rows->attrs.item_count[attr] == 1
               ? ask->rows->items.int_value[ask->rows->attrs.first_item[attr]]
               : otherwise;
}

static bool items_of(const struct mi_ask *ask, uint32_t attr, struct mi_int_list *out)
{
    uint32_t count = ask->rows->attrs.item_count[attr];
    if (ask->rows->attrs.kind[attr] != MI_ATTR_INTS || count > MI_ASK_RANK)
        return false;
    out->count = count;
    for (uint32_t i = 0; i < count; i++)
        out->at[i] = ask->rows->items.int_value[ask->rows->attrs.first_item[attr] + i];
    return true;
}

bool mi_ask_ints(const struct mi_ask *ask, const char *name, struct mi_int_list *out,
                 bool *is_there)
{
    uint32_t attr = mi_ask_attr(ask, name);
    *is_there = attr != 0;
    return !attr || items_of(ask, attr, out);
}

/* A constant of int64, at most one number per dimension, from the bytes of its file. */
static bool read_constant(const struct mi_ask *ask, uint32_t value, struct mi_int_list *out)
{
    const struct mi_values *values = &ask->rows->values;
    int64_t bytes = values->data_bytes[value];
    uint32_t source = ask->rows->graphs.source[values->graph[value].v].v;
    if (values->kind[value] != MI_VALUE_CONSTANT || values->data_path[value].v ||
        values->dtype[value].v != ask->types->dtypes[7].v || values->data_offset[value] < 0 ||
        bytes < 0 || bytes > MAX_LIST_DATA || !values->has_shape[value] ||
        values->dim_count[value] > 1)
        return false;
    int64_t count = values->dim_count[value] ? ask->rows->dims.size[values->first_dim[value]] : 1;
    struct mi_bytes data = mi_model_record(ask->types->model, (mi_source_id){source},
                                           values->data_offset[value], bytes);
    if (count < 0 || count > MI_ASK_RANK || data.len != (size_t)bytes ||
        values->data_form[value].v || bytes != count * (int64_t)sizeof(int64_t))
        return false;
    out->count = (uint32_t)count;
    for (uint32_t i = 0; i < out->count; i++) {
        uint64_t bits = 0;
        for (unsigned k = 0; k < 8; k++)
            bits |= (uint64_t)data.at[i * 8 + k] << 8 * k;
        out->at[i] = mi_pb_to_i64(bits);
    }
    return true;
}

/* The numbers of an input that is a constant. */
static bool input_list(const struct mi_ask *ask, uint32_t i, struct mi_int_list *out)
{
    uint32_t value = input_of(ask, i);
    if (!value)
        return false;
    value = mi_types_origin(ask->types, value);
    uint32_t maker = ask->rows->values.producer[value].v;
    if (!maker)
        return read_constant(ask, value, out);
    const struct mi_ask constant = {.types = ask->types, .rows = ask->rows, .node = maker};
    if (ask->rows->nodes.domain[maker].v ||
        !mi_bytes_equal(mi_model_text(ask->types->model, ask->rows->nodes.op[maker]),
                        MI_LIT("Constant")))
        return false;
    uint32_t attr = mi_ask_attr(&constant, "value_ints");
    if (attr)
        return items_of(&constant, attr, out);
    attr = mi_ask_attr(&constant, "value");
    return attr && ask->rows->attrs.kind[attr] == MI_ATTR_TENSOR &&
           ask->rows->attrs.item_count[attr] == 1 &&
           read_constant(ask, ask->rows->items.value[ask->rows->attrs.first_item[attr]].v, out);
}

bool mi_ask_list(const struct mi_ask *ask, const char *attr, uint32_t input,
                 struct mi_int_list *out, bool *is_there)
{
    if (!mi_ask_ints(ask, attr, out, is_there))
        return false;
    if (*is_there)
        return true;
    *is_there = input_of(ask, input) != 0;
    return !*is_there || input_list(ask, input, out);
}
