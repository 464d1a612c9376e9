/* ONNX attributes. The type says which member counts; files older than that field leave it out, and
 * then the first member that is there decides. A member equal to its default may be missing. */
#include "parse/formats/onnx/onnx_read.h"

/* AttributeProto.AttributeType, and the field that holds the elements. */
static const struct kind {
    enum mi_attr_kind kind;
    uint32_t field;
    bool is_list;
} kinds[] = {{MI_ATTR_UNDEFINED, 0, false}, {MI_ATTR_FLOAT, 2, false},  {MI_ATTR_INT, 3, false},
             {MI_ATTR_STRING, 4, false},    {MI_ATTR_TENSOR, 5, false}, {MI_ATTR_GRAPH, 6, false},
             {MI_ATTR_FLOATS, 7, true},     {MI_ATTR_INTS, 8, true},    {MI_ATTR_STRINGS, 9, true},
             {MI_ATTR_TENSORS, 10, true},   {MI_ATTR_GRAPHS, 11, true}, {MI_ATTR_TENSOR, 22, false},
             {MI_ATTR_TENSORS, 23, true},   {MI_ATTR_TYPE, 14, false},  {MI_ATTR_TYPES, 15, true}};

#define KIND_COUNT (sizeof kinds / sizeof *kinds)

/* What one walk over an attribute finds. */
struct attr {
    struct mi_bytes name, reference;
    uint64_t type;  /* as in the file */
    uint32_t field; /* of the first member that holds a value */
    bool has_type;
};

/* Where the elements of the attribute at hand go. */
struct target {
    mi_graph_id graph;
    mi_node_id node;
    mi_str_id name;
    uint32_t depth, count;
    bool is_list;
};

static bool is_member(uint32_t field)
{
    for (size_t i = 1; i < KIND_COUNT; i++)
        if (kinds[i].field == field)
            return true;
    return false;
}

static struct attr scan(struct onnx *o, struct mi_pb pb)
{
    struct attr attr = {.field = 0};
    while (mi_pb_next(&pb)) {
        switch (pb.key) {
        case MI_PB_KEY(1, MI_PB_LEN):
            attr.name = pb.bytes;
            break;
        case MI_PB_KEY(20, MI_PB_VARINT):
            attr.type = pb.value;
            attr.has_type = pb.value != 0;
            break;
        case MI_PB_KEY(21, MI_PB_LEN):
            attr.reference = pb.bytes;
            break;
        case MI_PB_KEY(13, MI_PB_LEN): /* doc_string */
            break;
        default:
            if (!is_member(mi_pb_field(&pb)))
                mi_onnx_unknown(o, &pb, "AttributeProto");
            else if (!attr.field)
                attr.field = mi_pb_field(&pb);
        }
    }
    return attr;
}

static void add_item(struct onnx *o, struct target *target, const struct mi_item_row *row)
{
    mi_add_item(o->out, row);
    target->count++;
}

static void add_tensor(struct onnx *o, struct target *target, struct mi_pb pb, bool is_sparse)
{
    struct onnx_tensor tensor;
    (is_sparse ? mi_onnx_sparse : mi_onnx_tensor)(o, pb, &tensor);
    /* Without its name: that one is no name of the graph and may equal one. */
    tensor.row.graph = target->graph;
    tensor.row.kind = MI_VALUE_CONSTANT;
    mi_value_id value = mi_add_value(o->out, &tensor.row);
    add_item(o, target, &(struct mi_item_row){.value = value});
}

static void add_graph(struct onnx *o, struct target *target, const struct mi_pb *pb)
{
    mi_str_id role = target->name;
    struct mi_bytes text = mi_batch_text(o->out, role);
    if (target->is_list)
        role = mi_batch_printf(o->out, "%.*s[%u]", MI_ONNX_SHOW(text), target->count);
    mi_graph_id graph =
        mi_onnx_queue(o, pb, MI_GRAPH_SUBGRAPH, target->node, role, target->depth + 1);
    add_item(o, target, &(struct mi_item_row){.graph = graph});
}

static void too_long(struct onnx *o, uint64_t at)
{
    mi_batch_diag(o->out, MI_NOTICE, "onnx.attr_long", at, 0,
                  "an attribute with more elements than are kept");
}

static void add_numbers(struct onnx *o, struct target *target, const struct mi_pb *pb,
                        enum mi_pb_type scalar)
{
    for (struct mi_pb_packed it = mi_pb_packed(pb, scalar); mi_pb_packed_next(&it);) {
        struct mi_item_row row = {.int_value = 0};
        if (target->count >= ONNX_MAX_ITEMS) {
            too_long(o, mi_pb_offset(pb));
            return;
        }
        if (scalar == MI_PB_VARINT)
            row.int_value = mi_pb_to_i64(it.value);
        else
            row.real_value = (double)mi_pb_to_float(it.value);
        add_item(o, target, &row);
    }
}

/* The element or elements of one field; anything of another wire type is left out. */
static void add_field(struct onnx *o, struct target *target, const struct mi_pb *pb)
{
    enum mi_pb_type scalar =
        mi_pb_field(pb) == 2 || mi_pb_field(pb) == 7 ? MI_PB_FIXED32 : MI_PB_VARINT;
    switch (mi_pb_field(pb)) {
    case 2:
    case 3:
    case 7:
    case 8:
        if (mi_pb_type(pb) != scalar && (mi_pb_type(pb) != MI_PB_LEN || !target->is_list))
            break;
        add_numbers(o, target, pb, scalar);
        return;
    case 4:
    case 9:
        if (mi_pb_type(pb) != MI_PB_LEN)
            break;
        mi_str_id text = mi_onnx_name(o, pb->bytes, mi_pb_payload_offset(pb));
        add_item(o, target, &(struct mi_item_row){.text = text});
        return;
    case 5:
    case 10:
    case 22:
    case 23:
        if (mi_pb_type(pb) != MI_PB_LEN)
            break;
        add_tensor(o, target, mi_pb_sub(pb), mi_pb_field(pb) > 20);
        return;
    case 6:
    case 11:
        if (mi_pb_type(pb) != MI_PB_LEN)
            break;
        add_graph(o, target, pb);
        return;
    default:
        if (mi_pb_type(pb) != MI_PB_LEN)
            break;
        mi_str_id type = mi_onnx_type_text(o, mi_pb_sub(pb));
        add_item(o, target, &(struct mi_item_row){.text = type});
        return;
    }
    mi_onnx_unknown(o, pb, "AttributeProto");
}

static void add_elements(struct onnx *o, struct mi_pb pb, uint32_t field, struct target *target)
{
    while (mi_pb_next(&pb) && !mi_batch_failed(o->out)) {
        if (mi_pb_field(&pb) != field)
            continue;
        if (target->count >= ONNX_MAX_ITEMS || (target->count && !target->is_list)) {
            too_long(o, mi_pb_offset(&pb));
            return;
        }
        add_field(o, target, &pb);
    }
}

/* INT, FLOAT and STRING always have one element: what is missing has its default. */
static void add_default(struct onnx *o, enum mi_attr_kind kind, struct target *target)
{
    if (target->count == 0 &&
        (kind == MI_ATTR_INT || kind == MI_ATTR_FLOAT || kind == MI_ATTR_STRING))
        add_item(o, target, &(struct mi_item_row){.int_value = 0});
}

/* The kind by type, by member, or undefined. */
static struct kind kind_of(const struct attr *attr)
{
    if (attr->has_type)
        return attr->type < KIND_COUNT ? kinds[attr->type]
                                       : (struct kind){MI_ATTR_OPAQUE, 0, false};
    for (size_t i = 1; i < KIND_COUNT; i++)
        if (kinds[i].field == attr->field)
            return kinds[i];
    return kinds[0];
}

void mi_onnx_attr(struct onnx *o, struct mi_pb pb, mi_graph_id graph, mi_node_id node,
                  uint32_t depth)
{
    uint64_t at = mi_pb_offset(&pb);
    struct attr attr = scan(o, pb);
    struct kind kind = kind_of(&attr);
    struct target target = {.graph = graph,
                            .node = node,
                            .name = mi_onnx_name(o, attr.name, at),
                            .depth = depth,
                            .is_list = kind.is_list};
    uint32_t first = mi_next_row(o->out, items);
    if (attr.reference.len) {
        kind.kind = MI_ATTR_REFERENCE;
        mi_str_id text = mi_onnx_name(o, attr.reference, at);
        add_item(o, &target, &(struct mi_item_row){.text = text});
    } else if (kind.kind == MI_ATTR_OPAQUE) {
        mi_batch_diag(o->out, MI_NOTICE, "onnx.attr_type", at, 0,
                      "the attribute \"%.*s\" is of the unknown type %llu", MI_ONNX_SHOW(attr.name),
                      (unsigned long long)attr.type);
        mi_str_id text = mi_batch_printf(o->out, "onnx:%llu", (unsigned long long)attr.type);
        add_item(o, &target, &(struct mi_item_row){.text = text});
    } else if (kind.kind != MI_ATTR_UNDEFINED) {
        add_elements(o, pb, kind.field, &target);
        add_default(o, kind.kind, &target);
    }
    mi_add_attr(o->out, &(struct mi_attr_row){.name = target.name,
                                              .kind = (uint8_t)kind.kind,
                                              .first_item = first,
                                              .item_count = target.count});
}

void mi_onnx_note(struct onnx *o, const char *prefix, struct mi_bytes key, struct mi_bytes text,
                  uint64_t offset)
{
    uint32_t first = mi_next_row(o->out, items);
    mi_str_id text_id = mi_onnx_name(o, text, offset);
    mi_str_id name = key.len ? mi_batch_printf(o->out, "%s:%.*s", prefix, MI_ONNX_SHOW(key))
                             : mi_batch_cstr(o->out, prefix);
    mi_add_item(o->out, &(struct mi_item_row){.text = text_id});
    mi_add_attr(o->out,
                &(struct mi_attr_row){
                    .name = name, .kind = MI_ATTR_OPAQUE, .first_item = first, .item_count = 1});
}

void mi_onnx_pair(struct mi_pb pb, struct mi_bytes *key, struct mi_bytes *text)
{
    while (mi_pb_next(&pb)) {
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN))
            *key = pb.bytes;
        else if (pb.key == MI_PB_KEY(2, MI_PB_LEN))
            *text = pb.bytes;
    }
}
