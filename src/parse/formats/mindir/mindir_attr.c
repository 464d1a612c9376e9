/* MindIR attributes and tensors. Of a tensor everything is read but its numbers. Sequences nest
 * without end in the format; one level becomes items, what is deeper is left out. */
#include "parse/formats/mindir/mindir_read.h"

/* TensorProto.DataType by number, with bits per element; attributes share 1 to 16. */
static const struct dtype {
    const char *name;
    unsigned bits;
} dtypes[] = {{"", 0},          {"float32", 32}, {"uint8", 8},      {"int8", 8},
              {"uint16", 16},   {"int16", 16},   {"int32", 32},     {"int64", 64},
              {"string", 0},    {"bool", 8},     {"float16", 16},   {"float64", 64},
              {"uint32", 32},   {"uint64", 64},  {"complex64", 64}, {"complex128", 128},
              {"bfloat16", 16}, {"float64", 64}, {"qint4x2", 8}};

#define DTYPE_COUNT ((int64_t)(sizeof dtypes / sizeof *dtypes))

enum {
    FLOAT = 1,
    STRING = 8,
    BOOL = 9,
    FLOAT16 = 10,
    DOUBLE = 11,
    COMPLEX64 = 14,
    BFLOAT16 = 16,
    TENSOR = 17,
    TENSORS = 19,
    TUPLE = 20,
    LIST = 21,
    DICT = 22,
    NONE = 25,
    CLOSURE_FIRST = 26, /* of a primitive, a graph, a partial call, several of them */
    GRAPH_CLOSURE = 27,
    CLOSURE_LAST = 29
};

static mi_str_id dtype_name(struct mindir *m, int64_t number, uint64_t at)
{
    if (number >= 0 && number < DTYPE_COUNT)
        return mi_batch_cstr(m->fw.out, dtypes[number].name);
    mi_batch_diag(m->fw.out, MI_NOTICE, "mindir.type_unknown", at, 0,
                  "an element type with the unknown number %lld", (long long)number);
    return mi_batch_printf(m->fw.out, "mindir:%lld", (long long)number);
}

/* ExternalDataProto: location=1 offset=2 length=3. */
static void read_external(struct mindir *m, struct mi_pb pb, struct mi_value_row *row)
{
    row->data_offset = 0;
    while (mi_pb_next(&pb)) {
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN))
            row->data_path = mi_fw_name(&m->fw, pb.bytes, mi_pb_payload_offset(&pb));
        else if (pb.key == MI_PB_KEY(2, MI_PB_VARINT))
            row->data_offset = mi_pb_i64(&pb) < 0 ? -1 : mi_pb_i64(&pb);
        else if (pb.key == MI_PB_KEY(3, MI_PB_VARINT))
            row->data_bytes = mi_pb_i64(&pb) < 0 ? -1 : mi_pb_i64(&pb);
    }
}

static bool is_data(uint32_t field)
{
    return (field >= 3 && field <= 6) || (field >= 9 && field <= 11);
}

void mi_mindir_tensor(struct mindir *m, struct mi_pb pb, struct mindir_tensor *tensor)
{
    struct mi_fw_data data = {.field_count = 0};
    struct mi_pb external = pb;
    int64_t type = 0;
    uint32_t first_data = 0;
    uint64_t at = mi_pb_offset(&pb), start = at;
    bool has_external = false;
    *tensor = (struct mindir_tensor){
        .row = {.has_shape = true, .first_dim = mi_next_row(m->fw.out, dims)}};
    for (; mi_pb_next(&pb); start = mi_pb_offset(&pb)) {
        uint32_t field = mi_pb_field(&pb);
        if (field == 1 && (mi_pb_type(&pb) == MI_PB_VARINT || mi_pb_type(&pb) == MI_PB_LEN)) {
            for (struct mi_pb_packed it = mi_pb_packed(&pb, MI_PB_VARINT); mi_pb_packed_next(&it);)
                mi_fw_dim(&m->fw, mi_pb_to_i64(it.value), MI_NO_STR, start, &tensor->row.dim_count);
        } else if (pb.key == MI_PB_KEY(2, MI_PB_VARINT)) {
            type = mi_pb_i32(&pb);
        } else if (pb.key == MI_PB_KEY(7, MI_PB_LEN)) {
            tensor->name = pb.bytes;
        } else if (pb.key == MI_PB_KEY(12, MI_PB_LEN)) {
            external = mi_pb_sub(&pb);
            has_external = true;
        } else if (is_data(field)) {
            first_data = first_data ? first_data : field;
            mi_fw_data_field(&data, &pb, start);
        }
    }
    tensor->row.dtype = dtype_name(m, type, at);
    tensor->has_data = data.field_count || has_external;
    mi_fw_place(&m->fw, &data, first_data == 4 || first_data == 6 || first_data == 11,
                &tensor->row);
    if (has_external)
        read_external(m, external, &tensor->row);
    if (tensor->row.data_bytes < 0 && tensor->has_data && type > 0 && type < DTYPE_COUNT)
        tensor->row.data_bytes = mi_fw_bytes(&m->fw, &tensor->row, dtypes[type].bits);
}

/* --- attributes --- */

/* What one walk over an AttributeProto finds. */
struct attr {
    struct mi_bytes name, text, reference;
    int64_t type, whole;
    double real;
    uint32_t field; /* of the first member that holds a value */
};

static struct attr scan(struct mi_pb pb)
{
    struct attr attr = {.type = 0};
    while (mi_pb_next(&pb)) {
        uint32_t field = mi_pb_field(&pb);
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN))
            attr.name = pb.bytes;
        else if (pb.key == MI_PB_KEY(2, MI_PB_FIXED32))
            attr.real = (double)mi_pb_to_float(pb.value);
        else if (pb.key == MI_PB_KEY(3, MI_PB_VARINT))
            attr.whole = mi_pb_i64(&pb);
        else if (pb.key == MI_PB_KEY(4, MI_PB_FIXED64))
            attr.real = mi_pb_to_double(pb.value);
        else if (pb.key == MI_PB_KEY(5, MI_PB_LEN))
            attr.text = pb.bytes;
        else if (pb.key == MI_PB_KEY(15, MI_PB_LEN))
            attr.reference = pb.bytes;
        else if (pb.key == MI_PB_KEY(16, MI_PB_VARINT))
            attr.type = mi_pb_i32(&pb);
        if (!attr.field && ((field >= 2 && field <= 13) || field == 17))
            attr.field = field;
    }
    return attr;
}

/* The kind of a scalar by type, or by the member that is set; OPAQUE for everything else. */
static enum mi_attr_kind scalar_kind(const struct attr *attr)
{
    if (attr->type == STRING || (!attr->type && attr->field == 5))
        return MI_ATTR_STRING;
    if (attr->type == BOOL)
        return MI_ATTR_BOOL;
    if (attr->type == FLOAT || attr->type == FLOAT16 || attr->type == DOUBLE ||
        attr->type == BFLOAT16 || (!attr->type && (attr->field == 2 || attr->field == 4)))
        return MI_ATTR_FLOAT;
    if ((attr->type > FLOAT && attr->type < COMPLEX64) || (!attr->type && attr->field == 3))
        return MI_ATTR_INT;
    return MI_ATTR_OPAQUE;
}

static enum mi_attr_kind plural(enum mi_attr_kind kind)
{
    switch ((unsigned)kind) {
    case MI_ATTR_STRING:
        return MI_ATTR_STRINGS;
    case MI_ATTR_BOOL:
        return MI_ATTR_BOOLS;
    case MI_ATTR_FLOAT:
        return MI_ATTR_FLOATS;
    case MI_ATTR_INT:
        return MI_ATTR_INTS;
    default:
        return MI_ATTR_OPAQUE;
    }
}

static void add_scalar(struct mindir *m, const struct attr *attr, uint64_t at)
{
    mi_str_id text = mi_fw_name(&m->fw, attr->text, at);
    mi_add_item(m->fw.out, &(struct mi_item_row){
                               .int_value = attr->whole, .real_value = attr->real, .text = text});
}

/* The elements of a repeated member: 8 floats, 9 doubles, 10 ints, 11 strings. */
static enum mi_attr_kind add_repeated(struct mindir *m, struct mi_pb pb, uint32_t field)
{
    enum mi_pb_type type = field == 8 ? MI_PB_FIXED32 : field == 9 ? MI_PB_FIXED64 : MI_PB_VARINT;
    uint32_t count = 0;
    for (; mi_pb_next(&pb) && count < MI_FW_MAX_ITEMS; count++) {
        if (mi_pb_field(&pb) != field)
            continue;
        if (field == 11 && mi_pb_type(&pb) == MI_PB_LEN) {
            mi_str_id text = mi_fw_name(&m->fw, pb.bytes, mi_pb_payload_offset(&pb));
            mi_add_item(m->fw.out, &(struct mi_item_row){.text = text});
        }
        if (field == 11 || (mi_pb_type(&pb) != type && mi_pb_type(&pb) != MI_PB_LEN))
            continue;
        for (struct mi_pb_packed it = mi_pb_packed(&pb, type); mi_pb_packed_next(&it);) {
            if (++count > MI_FW_MAX_ITEMS)
                break;
            double real = type == MI_PB_FIXED32 ? (double)mi_pb_to_float(it.value)
                                                : mi_pb_to_double(it.value);
            mi_add_item(m->fw.out,
                        &(struct mi_item_row){.int_value =
                                                  type == MI_PB_VARINT ? mi_pb_to_i64(it.value) : 0,
                                              .real_value = type == MI_PB_VARINT ? 0 : real});
        }
    }
    if (count >= MI_FW_MAX_ITEMS)
        mi_batch_diag(m->fw.out, MI_NOTICE, "mindir.attr_long", mi_pb_offset(&pb), 0,
                      "an attribute with more elements than are kept");
    return field == 11 ? MI_ATTR_STRINGS : field == 10 ? MI_ATTR_INTS : MI_ATTR_FLOATS;
}

/* A tensor of an attribute; one without shape and data is the name of an element type. */
static enum mi_attr_kind add_tensors(struct mindir *m, struct mi_pb pb, mi_graph_id graph)
{
    uint32_t first = mi_next_row(m->fw.out, items), count = 0;
    bool is_type = true;
    while (mi_pb_next(&pb) && count < MI_FW_MAX_ITEMS) {
        struct mindir_tensor tensor;
        if (pb.key != MI_PB_KEY(6, MI_PB_LEN) && pb.key != MI_PB_KEY(12, MI_PB_LEN))
            continue;
        mi_mindir_tensor(m, mi_pb_sub(&pb), &tensor);
        tensor.row.graph = graph;
        tensor.row.kind = MI_VALUE_CONSTANT;
        is_type = is_type && !tensor.has_data && !tensor.row.dim_count;
        mi_value_id value = mi_add_value(m->fw.out, &tensor.row);
        mi_add_item(m->fw.out, &(struct mi_item_row){.value = value, .text = tensor.row.dtype});
        count++;
    }
    if (count == 1 && is_type && mi_next_row(m->fw.out, items) > first)
        m->fw.out->rows.items.value[first] = (mi_value_id){0};
    return count == 1 ? (is_type ? MI_ATTR_TYPE : MI_ATTR_TENSOR) : MI_ATTR_TENSORS;
}

/* TUPLE and LIST: elements of one scalar kind, else as much text as there is. */
static enum mi_attr_kind add_sequence(struct mindir *m, struct mi_pb pb)
{
    enum mi_attr_kind kind = MI_ATTR_UNDEFINED;
    uint32_t count = 0;
    while (mi_pb_next(&pb) && count < MI_FW_MAX_ITEMS) {
        if (pb.key != MI_PB_KEY(17, MI_PB_LEN))
            continue;
        struct attr attr = scan(mi_pb_sub(&pb));
        enum mi_attr_kind one = plural(scalar_kind(&attr));
        if (kind == MI_ATTR_UNDEFINED)
            kind = one;
        if (kind != one || one == MI_ATTR_OPAQUE)
            kind = MI_ATTR_OPAQUE;
        add_scalar(m, &attr, mi_pb_payload_offset(&pb));
        count++;
    }
    return kind == MI_ATTR_UNDEFINED ? MI_ATTR_INTS : kind;
}

/* What has no kind of its own, by its name. */
static enum mi_attr_kind add_other(struct mindir *m, const struct attr *attr, uint64_t at)
{
    mi_str_id text = mi_fw_name(&m->fw, attr->text, at);
    if (!text.v && attr->type == NONE)
        text = mi_batch_cstr(m->fw.out, "None");
    else if (!text.v && attr->type)
        text = mi_batch_printf(m->fw.out, "mindir:%lld", (long long)attr->type);
    mi_add_item(m->fw.out, &(struct mi_item_row){.text = text});
    return MI_ATTR_OPAQUE;
}

mi_graph_id mi_mindir_use(struct mindir *m, mi_str_id name, mi_node_id node, mi_str_id role)
{
    mi_graph_id graph = {name.v ? mi_map_get(&m->graphs, name.v) : 0};
    if (graph.v && mi_fw_room(&m->fw, &m->uses, m->use_count, &m->use_room, sizeof *m->uses))
        m->uses[m->use_count++] = (struct mindir_use){graph.v, node, role};
    return graph;
}

static enum mi_attr_kind add_value(struct mindir *m, const struct attr *attr, struct mi_pb pb,
                                   mi_graph_id graph, mi_node_id node)
{
    uint64_t at = mi_pb_offset(&pb);
    if (attr->type == GRAPH_CLOSURE) {
        mi_str_id name = mi_fw_name(&m->fw, attr->text, at);
        mi_graph_id named = mi_mindir_use(m, name, node, mi_fw_name(&m->fw, attr->name, at));
        mi_add_item(m->fw.out, &(struct mi_item_row){.text = name, .graph = named});
        return named.v ? MI_ATTR_GRAPH : MI_ATTR_OPAQUE;
    }
    if (attr->field >= 8 && attr->field <= 11)
        return add_repeated(m, pb, attr->field);
    if (attr->type == TUPLE || attr->type == LIST)
        return add_sequence(m, pb);
    if (attr->type == TENSOR || attr->type == TENSORS || attr->field == 6 || attr->field == 12)
        return add_tensors(m, pb, graph);
    enum mi_attr_kind kind = scalar_kind(attr);
    if (kind == MI_ATTR_OPAQUE)
        return attr->type || attr->field ? add_other(m, attr, at) : MI_ATTR_UNDEFINED;
    add_scalar(m, attr, at);
    return kind;
}

void mi_mindir_attr(struct mindir *m, struct mi_pb pb, mi_graph_id graph, mi_node_id node)
{
    struct attr attr = scan(pb);
    mi_str_id name = mi_fw_name(&m->fw, attr.name, mi_pb_offset(&pb));
    uint32_t first = mi_next_row(m->fw.out, items);
    enum mi_attr_kind kind = add_value(m, &attr, pb, graph, node);
    mi_fw_attr(&m->fw, name, kind, first);
}

bool mi_mindir_abstract(struct mindir *m, struct mi_pb pb, struct mi_value_row *row)
{
    struct attr attr = scan(pb);
    struct mindir_tensor tensor = {.has_data = false};
    uint32_t count = 0;
    bool is_old = mi_bytes_starts(attr.reference, MI_LIT("shape:"));
    if (!is_old && !mi_bytes_equal(attr.name, MI_LIT("shape")))
        return false;
    if (attr.type >= CLOSURE_FIRST && attr.type <= CLOSURE_LAST) {
        row->type = mi_batch_cstr(m->fw.out, "function");
        return true;
    }
    if (attr.type == TUPLE || attr.type == LIST || attr.type == DICT) {
        row->type = mi_batch_cstr(m->fw.out, attr.type == TUPLE  ? "tuple"
                                             : attr.type == LIST ? "list"
                                                                 : "dict");
        return true;
    }
    while (mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(6, MI_PB_LEN) || pb.key == MI_PB_KEY(12, MI_PB_LEN)) {
            if (count++ == 0)
                mi_mindir_tensor(m, mi_pb_sub(&pb), &tensor);
        }
    if (!count || tensor.has_data)
        return is_old;
    row->dtype = tensor.row.dtype;
    row->has_shape = true;
    row->first_dim = tensor.row.first_dim;
    row->dim_count = tensor.row.dim_count;
    return true;
}
