/* ONNX types and tensors. Of a tensor everything is read but its numbers: where they lie is enough.
 *
 * Wrapped types nest in one line only (a sequence of optionals of maps of ...), so a loop unwraps
 * them. */
#include "base/decimal.h"
#include "parse/formats/onnx/onnx_read.h"

#include <stdio.h>

/* TensorProto.DataType; bits per element, 0 = not of a fixed size. */
static const struct dtype {
    const char *name;
    unsigned bits;
} dtypes[] = {{"", 0},
              {"float32", 32},
              {"uint8", 8},
              {"int8", 8},
              {"uint16", 16},
              {"int16", 16},
              {"int32", 32},
              {"int64", 64},
              {"string", 0},
              {"bool", 8},
              {"float16", 16},
              {"float64", 64},
              {"uint32", 32},
              {"uint64", 64},
              {"complex64", 64},
              {"complex128", 128},
              {"bfloat16", 16},
              {"float8e4m3fn", 8},
              {"float8e4m3fnuz", 8},
              {"float8e5m2", 8},
              {"float8e5m2fnuz", 8},
              {"uint4", 4},
              {"int4", 4},
              {"float4e2m1", 4},
              {"float8e8m0", 8},
              {"uint2", 2},
              {"int2", 2}};

#define DTYPE_COUNT ((int64_t)(sizeof dtypes / sizeof *dtypes))

mi_str_id mi_onnx_dtype(struct onnx *o, int64_t number)
{
    if (number >= 0 && number < DTYPE_COUNT)
        return mi_batch_cstr(o->out, dtypes[number].name);
    return mi_batch_printf(o->out, "onnx:%lld", (long long)number);
}

/* --- types --- */

/* Text of bounded length; what does not fit becomes "...". */
struct text {
    char at[1024];
    size_t len;
    bool is_full;
};

static void put(struct text *text, struct mi_bytes more)
{
    size_t room = sizeof text->at - 3 - text->len;
    if (text->is_full || more.len == 0)
        return;
    text->is_full = more.len > room;
    size_t len = text->is_full ? 3 : more.len;
    memcpy(text->at + text->len, text->is_full ? (const uint8_t *)"..." : more.at, len);
    text->len += len;
}

static void put_int(struct text *text, int64_t number)
{
    char digits[MI_DECIMAL_ROOM];
    size_t len = mi_decimal_format_i64(number, digits);
    put(text, (struct mi_bytes){(const uint8_t *)digits, len});
}

struct type {
    struct text text; /* as in attributes, or without shapes for values */
    bool has_shape_text;
    bool is_wrapped;    /* anything but a plain tensor */
    int64_t elem;       /* element type of the innermost tensor */
    struct mi_pb shape; /* its TensorShapeProto */
    bool has_shape;
};

/* A dimension: size -1 = unknown or named. */
static void read_dim(struct mi_pb pb, int64_t *size, struct mi_bytes *symbol)
{
    *size = -1;
    *symbol = (struct mi_bytes){NULL, 0};
    while (mi_pb_next(&pb)) {
        if (pb.key == MI_PB_KEY(1, MI_PB_VARINT))
            *size = mi_pb_i64(&pb) >= 0 ? mi_pb_i64(&pb) : -1;
        else if (pb.key == MI_PB_KEY(2, MI_PB_LEN))
            *symbol = pb.bytes;
    }
}

static void put_shape(struct type *type)
{
    struct mi_pb pb = type->shape;
    bool is_first = true;
    put(&type->text, MI_LIT("["));
    while (mi_pb_next(&pb)) {
        int64_t size;
        struct mi_bytes symbol;
        if (pb.key != MI_PB_KEY(1, MI_PB_LEN))
            continue;
        if (!is_first)
            put(&type->text, MI_LIT(","));
        is_first = false;
        read_dim(mi_pb_sub(&pb), &size, &symbol);
        if (size >= 0)
            put_int(&type->text, size);
        else
            put(&type->text, symbol.len ? mi_bytes_sub(symbol, 0, 64) : MI_LIT("?"));
    }
    put(&type->text, MI_LIT("]"));
}

/* TypeProto.Tensor and .SparseTensor are laid out alike. */
static void read_leaf(struct onnx *o, struct mi_pb pb, struct mi_bytes word, struct type *type)
{
    while (mi_pb_next(&pb)) {
        if (pb.key == MI_PB_KEY(1, MI_PB_VARINT)) {
            type->elem = mi_pb_i32(&pb);
        } else if (pb.key == MI_PB_KEY(2, MI_PB_LEN)) {
            type->shape = mi_pb_sub(&pb);
            type->has_shape = true;
        } else {
            mi_onnx_unknown(o, &pb, "TypeProto.Tensor");
        }
    }
    put(&type->text, word);
    put(&type->text, MI_LIT("("));
    put(&type->text, mi_batch_text(o->out, mi_onnx_dtype(o, type->elem)));
    put(&type->text, MI_LIT(")"));
    if (type->has_shape && type->has_shape_text)
        put_shape(type);
}

/* Steps from a Sequence, Optional or Map to the TypeProto inside; false if it names none. */
static bool read_wrapper(struct onnx *o, struct mi_pb *pb, uint32_t field, struct type *type)
{
    struct mi_pb inner = *pb;
    uint32_t elem_field = field == 5 ? 2 : 1;
    int64_t key = 0;
    bool found = false;
    while (mi_pb_next(&inner)) {
        if (inner.key == MI_PB_KEY(elem_field, MI_PB_LEN)) {
            *pb = mi_pb_sub(&inner);
            found = true;
        } else if (field == 5 && inner.key == MI_PB_KEY(1, MI_PB_VARINT)) {
            key = mi_pb_i32(&inner);
        }
    }
    put(&type->text, field == 4   ? MI_LIT("sequence(")
                     : field == 5 ? MI_LIT("map(")
                                  : MI_LIT("optional("));
    if (field == 5) {
        put(&type->text, mi_batch_text(o->out, mi_onnx_dtype(o, key)));
        put(&type->text, MI_LIT(","));
    }
    return found;
}

static void read_opaque(struct mi_pb pb, struct type *type)
{
    struct mi_bytes domain = {NULL, 0}, name = {NULL, 0};
    while (mi_pb_next(&pb)) {
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN))
            domain = pb.bytes;
        else if (pb.key == MI_PB_KEY(2, MI_PB_LEN))
            name = pb.bytes;
    }
    put(&type->text, MI_LIT("opaque("));
    put(&type->text, mi_bytes_sub(domain, 0, 128));
    put(&type->text, MI_LIT(","));
    put(&type->text, mi_bytes_sub(name, 0, 128));
    put(&type->text, MI_LIT(")"));
}

/* One level: the member that is set last counts. Returns its field number, 0 = none; *pb then
 * stands on its content. */
static uint32_t read_level(struct onnx *o, struct mi_pb *pb)
{
    struct mi_pb outer = *pb;
    uint32_t field = 0;
    while (mi_pb_next(&outer)) {
        switch (outer.key) {
        case MI_PB_KEY(1, MI_PB_LEN):
        case MI_PB_KEY(4, MI_PB_LEN):
        case MI_PB_KEY(5, MI_PB_LEN):
        case MI_PB_KEY(7, MI_PB_LEN):
        case MI_PB_KEY(8, MI_PB_LEN):
        case MI_PB_KEY(9, MI_PB_LEN):
            field = mi_pb_field(&outer);
            *pb = mi_pb_sub(&outer);
            break;
        case MI_PB_KEY(6, MI_PB_LEN): /* denotation */
            break;
        default:
            mi_onnx_unknown(o, &outer, "TypeProto");
        }
    }
    return field;
}

static void read_type(struct onnx *o, struct mi_pb pb, struct type *type)
{
    uint32_t depth = 0;
    for (bool is_open = true; is_open;) {
        uint32_t field = read_level(o, &pb);
        is_open = false;
        if (field == 1) {
            read_leaf(o, pb, MI_LIT("tensor"), type);
        } else if (field == 8) {
            type->is_wrapped = true;
            read_leaf(o, pb, MI_LIT("sparse_tensor"), type);
        } else if (field == 7) {
            type->is_wrapped = true;
            read_opaque(pb, type);
        } else if (field) {
            type->is_wrapped = true;
            is_open = read_wrapper(o, &pb, field, type) && depth + 1 < o->max_depth;
            depth++;
        }
    }
    while (depth--)
        put(&type->text, MI_LIT(")"));
}

static void add_dim(struct onnx *o, int64_t size, struct mi_bytes symbol, uint64_t offset,
                    uint32_t *count)
{
    if (*count >= ONNX_MAX_RANK) {
        mi_batch_diag(o->out, MI_LOSS, "onnx.rank", offset, 0,
                      "a tensor of more than %u dimensions; the others are left out",
                      ONNX_MAX_RANK);
        return;
    }
    mi_str_id name = mi_onnx_name(o, symbol, offset);
    mi_add_dim(o->out, &(struct mi_dim_row){.size = size, .symbol = name});
    ++*count;
}

void mi_onnx_value_type(struct onnx *o, mi_value_id value, struct mi_pb pb)
{
    struct mi_values *values = &o->out->rows.values;
    if (!value.v || values->dtype[value.v].v || values->type[value.v].v)
        return;
    struct type type = {.has_shape_text = false};
    read_type(o, pb, &type);
    if (type.is_wrapped)
        values->type[value.v] =
            mi_batch_str(o->out, (struct mi_bytes){(const uint8_t *)type.text.at, type.text.len});
    values->dtype[value.v] = mi_onnx_dtype(o, type.elem);
    if (!type.has_shape || values->has_shape[value.v])
        return;
    uint32_t first = mi_next_row(o->out, dims), count = 0;
    while (mi_pb_next(&type.shape)) {
        int64_t size;
        struct mi_bytes symbol;
        if (type.shape.key != MI_PB_KEY(1, MI_PB_LEN))
            continue;
        read_dim(mi_pb_sub(&type.shape), &size, &symbol);
        add_dim(o, size, symbol, mi_pb_payload_offset(&type.shape), &count);
    }
    values->has_shape[value.v] = true;
    values->first_dim[value.v] = first;
    values->dim_count[value.v] = count;
}

mi_str_id mi_onnx_type_text(struct onnx *o, struct mi_pb pb)
{
    struct type type = {.has_shape_text = true};
    read_type(o, pb, &type);
    return mi_batch_str(o->out, (struct mi_bytes){(const uint8_t *)type.text.at, type.text.len});
}

/* --- tensors --- */

/* Where the numbers of a tensor lie, gathered field by field. */
struct data {
    unsigned field_count;
    uint32_t key;            /* of the first field */
    struct mi_bytes payload; /* of the first field, if length-delimited */
    uint64_t payload_at;
    uint64_t start, end; /* of all fields, tags included */
    bool is_external;
    struct mi_bytes location, offset, length;
};

static void note_data(struct data *data, const struct mi_pb *pb, uint64_t start)
{
    if (data->field_count++ == 0) {
        data->key = pb->key;
        data->start = start;
        data->payload = pb->bytes;
        if (mi_pb_type(pb) == MI_PB_LEN)
            data->payload_at = mi_pb_payload_offset(pb);
    }
    data->end = mi_pb_offset(pb);
}

static void read_external(struct mi_pb pb, struct data *data)
{
    struct mi_bytes key = {NULL, 0}, text = {NULL, 0};
    mi_onnx_pair(pb, &key, &text);
    if (mi_bytes_equal(key, MI_LIT("location")))
        data->location = text;
    else if (mi_bytes_equal(key, MI_LIT("offset")))
        data->offset = text;
    else if (mi_bytes_equal(key, MI_LIT("length")))
        data->length = text;
}

/* Number of bytes of `row`'s elements, one behind the other; -1 unknown. */
static int64_t size_by_shape(const struct onnx *o, const struct mi_value_row *row, int64_t number)
{
    const struct mi_dims *dims = &o->out->rows.dims;
    unsigned bits = number >= 0 && number < DTYPE_COUNT ? dtypes[number].bits : 0;
    int64_t count = 1;
    bool is_known = bits && row->dim_count < ONNX_MAX_RANK && !mi_batch_failed(o->out);
    for (uint32_t i = 0; i < row->dim_count && is_known; i++) {
        int64_t size = dims->size[row->first_dim + i];
        is_known = size >= 0 && (size == 0 || count <= INT64_MAX / 256 / size);
        count = is_known ? count * size : 0;
    }
    return is_known ? (count * bits + 7) / 8 : -1;
}

static int64_t external_number(struct onnx *o, struct mi_bytes text, uint64_t at, int64_t absent)
{
    int64_t number = absent;
    if (text.len && (mi_decimal_i64(text, &number) || number < 0)) {
        mi_batch_diag(o->out, MI_NOTICE, "onnx.external_data", at, 0,
                      "external data with the place \"%.*s\", which is no number",
                      MI_ONNX_SHOW(text));
        return -1;
    }
    return number;
}

/* Data from a field of the tensor itself: raw bytes, packed numbers, or one field per element. */
static void place_inline(struct onnx *o, const struct data *data, struct mi_value_row *row)
{
    uint32_t field = data->key >> 3;
    bool is_packed = data->field_count == 1 && (data->key & 7) == MI_PB_LEN && field != 6;
    row->data_offset = (int64_t)(is_packed ? data->payload_at : data->start);
    row->data_bytes = is_packed ? (int64_t)data->payload.len : (int64_t)(data->end - data->start);
    if (!is_packed)
        row->data_form = mi_batch_cstr(o->out, "fields");
    else if (field == 5 || field == 7 || field == 11)
        row->data_form = mi_batch_cstr(o->out, "varint");
}

static void place_data(struct onnx *o, const struct data *data, struct mi_value_row *row,
                       int64_t number, uint64_t at)
{
    int64_t size = size_by_shape(o, row, number);
    row->data_offset = row->data_bytes = -1;
    if (data->is_external || (data->location.len && !data->field_count)) {
        row->data_path = mi_onnx_name(o, data->location, at);
        row->data_offset = external_number(o, data->offset, at, 0);
        row->data_bytes = external_number(o, data->length, at, size);
    } else if (data->field_count) {
        place_inline(o, data, row);
    } else if (size == 0) {
        row->data_bytes = 0;
    } else {
        mi_batch_diag(o->out, MI_INFO, "onnx.tensor_without_data", at, 0,
                      "a constant without its data");
    }
    if (!row->data_form.v && size >= 0 && row->data_bytes >= 0 && row->data_bytes != size &&
        !o->cut.code)
        mi_batch_diag(o->out, MI_NOTICE, "onnx.tensor_size", at, 0,
                      "a constant has %lld bytes of data where its type and shape make %lld",
                      (long long)row->data_bytes, (long long)size);
}

/* The elements of a repeated int64 `dims`. */
static void add_dims(struct onnx *o, const struct mi_pb *pb, uint32_t *count)
{
    for (struct mi_pb_packed it = mi_pb_packed(pb, MI_PB_VARINT); mi_pb_packed_next(&it);)
        add_dim(o, mi_pb_to_i64(it.value), (struct mi_bytes){NULL, 0}, mi_pb_offset(pb), count);
}

void mi_onnx_tensor(struct onnx *o, struct mi_pb pb, struct onnx_tensor *tensor)
{
    struct data data = {.field_count = 0};
    int64_t number = 0;
    uint64_t at = mi_pb_offset(&pb), start = at;
    *tensor = (struct onnx_tensor){.row = {.has_shape = true}};
    tensor->row.first_dim = mi_next_row(o->out, dims);
    for (; mi_pb_next(&pb); start = mi_pb_offset(&pb)) {
        switch (pb.key) {
        case MI_PB_KEY(1, MI_PB_LEN):
        case MI_PB_KEY(1, MI_PB_VARINT):
            add_dims(o, &pb, &tensor->row.dim_count);
            break;
        case MI_PB_KEY(2, MI_PB_VARINT):
            number = mi_pb_i32(&pb);
            break;
        case MI_PB_KEY(4, MI_PB_LEN):
        case MI_PB_KEY(4, MI_PB_FIXED32):
        case MI_PB_KEY(5, MI_PB_LEN):
        case MI_PB_KEY(5, MI_PB_VARINT):
        case MI_PB_KEY(6, MI_PB_LEN):
        case MI_PB_KEY(7, MI_PB_LEN):
        case MI_PB_KEY(7, MI_PB_VARINT):
        case MI_PB_KEY(9, MI_PB_LEN):
        case MI_PB_KEY(10, MI_PB_LEN):
        case MI_PB_KEY(10, MI_PB_FIXED64):
        case MI_PB_KEY(11, MI_PB_LEN):
        case MI_PB_KEY(11, MI_PB_VARINT):
            note_data(&data, &pb, start);
            break;
        case MI_PB_KEY(8, MI_PB_LEN):
            tensor->name = pb.bytes;
            break;
        case MI_PB_KEY(13, MI_PB_LEN):
            read_external(mi_pb_sub(&pb), &data);
            break;
        case MI_PB_KEY(14, MI_PB_VARINT):
            data.is_external = pb.value == 1;
            break;
        case MI_PB_KEY(3, MI_PB_LEN):  /* segment */
        case MI_PB_KEY(12, MI_PB_LEN): /* doc_string */
        case MI_PB_KEY(16, MI_PB_LEN): /* metadata_props */
            break;
        default:
            mi_onnx_unknown(o, &pb, "TensorProto");
        }
    }
    tensor->row.dtype = mi_onnx_dtype(o, number);
    place_data(o, &data, &tensor->row, number, at);
}

void mi_onnx_sparse(struct onnx *o, struct mi_pb pb, struct onnx_tensor *tensor)
{
    uint32_t first = 0, count = 0;
    struct mi_pb dims = pb;
    *tensor = (struct onnx_tensor){.row = {.data_offset = -1, .data_bytes = -1}};
    while (mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN))
            mi_onnx_tensor(o, mi_pb_sub(&pb), tensor);
    /* The shape of the whole replaces that of the list of values. */
    first = mi_next_row(o->out, dims);
    while (mi_pb_next(&dims))
        if (dims.key == MI_PB_KEY(3, MI_PB_LEN) || dims.key == MI_PB_KEY(3, MI_PB_VARINT))
            add_dims(o, &dims, &count);
    struct mi_bytes dtype = mi_batch_text(o->out, tensor->row.dtype);
    tensor->row.type = mi_batch_printf(o->out, "sparse_tensor(%.*s)", MI_ONNX_SHOW(dtype));
    tensor->row.has_shape = true;
    tensor->row.first_dim = first;
    tensor->row.dim_count = count;
}
