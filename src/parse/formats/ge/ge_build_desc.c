/* The builder of GE graphs: tensor descriptors. */
#include "base/mem.h"
#include "parse/formats/ge/ge_state.h"

struct mi_ge_desc *mi_ge_desc_begin(struct mi_ge *ge, enum mi_ge_side side)
{
    struct mi_ge_state *s = ge->s;
    struct ge_frame *top = ge_top(ge);
    if (mi_batch_failed(ge->out) || !s->in_op)
        return NULL;
    if (side != MI_GE_VALUE)
        mi_ge_close(ge, 0);
    else if (!top || top->of != GE_OF_ATTR || s->frame_count == MI_GE_MAX_NEST)
        return NULL;
    struct ge_frame *frame = &s->frames[s->frame_count++];
    *frame = (struct ge_frame){.of = GE_OF_DESC,
                               .side = side,
                               .first_item = s->stack_count,
                               .first_attr = s->attrs_count,
                               .first_dim = s->dims_count,
                               .merged_offset = -1,
                               .order = -1,
                               .desc = {.size_bytes = -1,
                                        .reuse_input = -1,
                                        .weight_bytes = -1,
                                        .data_at = -1,
                                        .data_bytes = -1},
                               .value = {.data_offset = -1, .data_bytes = -1}};
    return &frame->desc;
}

static struct ge_frame *desc_of(const struct mi_ge *ge)
{
    struct ge_frame *top = ge_top(ge);
    return top && top->of == GE_OF_DESC ? top : NULL;
}

void mi_ge_desc_dtype(struct mi_ge *ge, int64_t proto_number)
{
    struct ge_frame *desc = desc_of(ge);
    const char *name = mi_ge_dtype_of_proto(proto_number);
    if (desc)
        desc->value.dtype = name ? mi_ge_word(ge, mi_cstr(name))
                                 : mi_batch_printf(ge->out, "ge:%lld", (long long)proto_number);
}

void mi_ge_desc_dtype_name(struct mi_ge *ge, struct mi_bytes name)
{
    struct ge_frame *desc = desc_of(ge);
    int64_t number = 0;
    size_t digits = 0;
    while (digits < name.len && digits < 9 && name.at[digits] >= '0' && name.at[digits] <= '9')
        number = 10 * number + (name.at[digits++] - '0');
    if (!desc)
        return;
    if (digits && digits == name.len)
        mi_ge_desc_dtype(ge, number);
    else
        desc->value.dtype = mi_ge_dtype_id(ge, name);
}

void mi_ge_desc_layout(struct mi_ge *ge, struct mi_bytes layout)
{
    struct ge_frame *desc = desc_of(ge);
    struct mi_bytes sub;
    if (!desc)
        return;
    desc->value.format = mi_ge_word(ge, mi_ge_layout_name(layout, &sub));
    uint32_t number = 0;
    for (size_t i = 0; i < sub.len && i < 9 && sub.at[i] >= '0' && sub.at[i] <= '9'; i++)
        number = 10 * number + (uint32_t)(sub.at[i] - '0');
    if (number)
        desc->sub = number;
}

void mi_ge_desc_dim(struct mi_ge *ge, int64_t size)
{
    struct ge_frame *desc = desc_of(ge);
    struct mi_dim_row row = {.size = size};
    if (!desc || desc->side == MI_GE_IN)
        return;
    if (ge->s->dims_count - desc->first_dim < GE_MAX_RANK)
        GE_PUSH(ge, dims, row);
    else
        mi_batch_diag(ge->out, MI_LOSS, "ge.rank", ge->offset, ge->line,
                      "a tensor of more than %u dimensions", GE_MAX_RANK);
}

/* A single -2 means: not even the rank is known; a single -3: no real tensor. */
static void end_shape(struct mi_ge *ge, struct ge_frame *desc)
{
    struct mi_ge_state *s = ge->s;
    uint32_t count = s->dims_count - desc->first_dim;
    const struct mi_dim_row *dims = s->dims + desc->first_dim;
    desc->value.has_shape = count ? count > 1 || dims[0].size >= -1 : desc->value.dtype.v != 0;
    desc->value.dim_count = desc->value.has_shape ? count : 0;
    desc->value.first_dim = mi_ge_share_dims(ge, dims, desc->value.dim_count);
    s->dims_count = desc->first_dim;
}

/* Bytes of the elements; -1 if a dimension or the type has none. */
static int64_t data_size(const struct mi_ge *ge, const struct mi_value_row *value)
{
    const struct mi_dims *dims = &ge->out->rows.dims;
    int64_t bits = mi_ge_dtype_bits(mi_batch_text(ge->out, value->dtype));
    if (!bits || !value->has_shape || mi_batch_failed(ge->out))
        return -1;
    for (uint32_t i = 0; i < value->dim_count; i++) {
        int64_t size = dims->size[value->first_dim + i];
        if (size < 0 || (size && bits > INT64_MAX / 2 / size))
            return -1;
        bits *= size;
    }
    return (bits + 7) / 8;
}

static void end_data(struct mi_ge *ge, struct ge_frame *desc)
{
    const struct mi_ge_desc *d = &desc->desc;
    if (desc->side == MI_GE_OUT && ge->s->info.role != MI_GE_ROLE_CONST)
        return; /* weight_size says nothing of what is computed */
    desc->value.data_bytes = d->weight_bytes;
    if (d->data_at >= 0) {
        desc->value.data_offset = d->data_at;
        desc->value.data_bytes = d->data_bytes;
        return;
    }
    if (desc->value.data_bytes < 0)
        desc->value.data_bytes = d->data_bytes >= 0 ? d->data_bytes : data_size(ge, &desc->value);
    int64_t size = desc->value.data_bytes, offset = d->weight_offset;
    if (!offset && desc->merged_offset >= 0)
        offset = desc->merged_offset;
    if (ge->weights_at < 0 || size <= 0)
        return;
    if (desc->side == MI_GE_OUT && d->weight_bytes < 0)
        desc->value.data_bytes = -1; /* its attribute `value` knows */
    else if (offset >= 0 && offset <= ge->weights_bytes && size <= ge->weights_bytes - offset)
        desc->value.data_offset = ge->weights_at + offset;
    else if (desc->side != MI_GE_OUT)
        mi_batch_diag(ge->out, MI_NOTICE, "ge.weights_outside", ge->offset, ge->line,
                      "a constant of %lld bytes at %lld lies outside the weights (%lld bytes)",
                      (long long)size, (long long)offset, (long long)ge->weights_bytes);
}

/* The attribute origin_shape goes where it says the same as the shape. */
static void drop_ir_shape(struct mi_ge *ge, const struct ge_frame *desc)
{
    struct mi_ge_state *s = ge->s;
    const struct mi_tables *rows = &ge->out->rows;
    if (!desc->ir_shape || desc->ir_shape > s->attrs_count || mi_batch_failed(ge->out))
        return;
    struct mi_attr_row *attr = &s->attrs[desc->ir_shape - 1];
    if (attr->item_count != desc->value.dim_count || (!attr->item_count && !desc->value.has_shape))
        return;
    for (uint32_t i = 0; i < attr->item_count; i++)
        if (rows->items.int_value[attr->first_item + i] !=
            rows->dims.size[desc->value.first_dim + i])
            return;
    memmove(attr, attr + 1, (s->attrs_count - desc->ir_shape) * sizeof *attr);
    s->attrs_count--;
}

static void end_output(struct mi_ge *ge, struct ge_frame *desc)
{
    struct mi_ge_state *s = ge->s;
    struct mi_value_row *value = &desc->value;
    drop_ir_shape(ge, desc);
    if (!value->origin_dtype.v)
        value->origin_dtype = desc->ir_dtype;
    if (!value->origin_format.v)
        value->origin_format = desc->ir_format;
    if (desc->c0)
        mi_ge_note(ge, s->c0, desc->c0);
    if (desc->sub)
        mi_ge_note(ge, s->sub_format, desc->sub);
    if (desc->desc.reuse_input >= 0)
        mi_ge_note(ge, s->reuse_input, desc->desc.reuse_input);
    value->attr_count = s->attrs_count - desc->first_attr;
    value->first_attr = mi_ge_share_attrs(ge, s->attrs + desc->first_attr, value->attr_count);
    GE_PUSH(ge, outs, *value);
    GE_PUSH(ge, out_sizes, desc->desc.size_bytes);
}

/* An element of an attribute; of a Const's `value` the data of its output. */
static void end_value(struct mi_ge *ge, struct ge_frame *desc)
{
    struct mi_ge_state *s = ge->s;
    struct ge_frame *attr = ge_top(ge);
    struct mi_value_row value = desc->value;
    if (!attr || attr->of != GE_OF_ATTR)
        return;
    if (attr->known == GE_CONST_VALUE && s->info.role == MI_GE_ROLE_CONST) {
        s->constant = value;
        return;
    }
    struct ge_item item = {.kind = MI_ATTR_TENSOR};
    value.graph = ge->graph;
    value.kind = MI_VALUE_CONSTANT;
    item.row.value = mi_add_value(ge->out, &value);
    if (s->stack_count - attr->first_item < GE_MAX_ITEMS)
        GE_PUSH(ge, stack, item);
    else
        attr->is_long = true;
}

void mi_ge_pop_desc(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    struct ge_frame desc = s->frames[--s->frame_count];
    s->stack_count = desc.first_item;
    if (mi_batch_failed(ge->out))
        return;
    if (desc.side == MI_GE_IN) {
        GE_PUSH(ge, in_sizes, desc.desc.size_bytes);
        GE_PUSH(ge, net_order, desc.order);
        return;
    }
    end_shape(ge, &desc);
    if (mi_batch_failed(ge->out))
        return; /* rows may be missing */
    end_data(ge, &desc);
    if (desc.side == MI_GE_OUT)
        end_output(ge, &desc);
    else
        end_value(ge, &desc);
    s->attrs_count = desc.first_attr;
}

void mi_ge_desc_end(struct mi_ge *ge)
{
    mi_ge_close_to(ge, GE_OF_DESC);
    if (desc_of(ge))
        mi_ge_close(ge, ge->s->frame_count - 1);
}
