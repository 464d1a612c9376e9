/* TensorFlow types, shapes and tensors, and what the attributes of a node say about its outputs. Of
 * a tensor everything is read but its numbers. */
#include "parse/formats/tf/tf_read.h"

/* DataType by number, with bits per element (0: not of a fixed size). */
static const struct dtype {
    const char *word, *name;
    unsigned bits;
} dtypes[] = {{"DT_INVALID", "", 0},
              {"DT_FLOAT", "float32", 32},
              {"DT_DOUBLE", "float64", 64},
              {"DT_INT32", "int32", 32},
              {"DT_UINT8", "uint8", 8},
              {"DT_INT16", "int16", 16},
              {"DT_INT8", "int8", 8},
              {"DT_STRING", "string", 0},
              {"DT_COMPLEX64", "complex64", 64},
              {"DT_INT64", "int64", 64},
              {"DT_BOOL", "bool", 8},
              {"DT_QINT8", "qint8", 8},
              {"DT_QUINT8", "quint8", 8},
              {"DT_QINT32", "qint32", 32},
              {"DT_BFLOAT16", "bfloat16", 16},
              {"DT_QINT16", "qint16", 16},
              {"DT_QUINT16", "quint16", 16},
              {"DT_UINT16", "uint16", 16},
              {"DT_COMPLEX128", "complex128", 128},
              {"DT_HALF", "float16", 16},
              {"DT_RESOURCE", "resource", 0},
              {"DT_VARIANT", "variant", 0},
              {"DT_UINT32", "uint32", 32},
              {"DT_UINT64", "uint64", 64},
              {"DT_FLOAT8_E5M2", "float8e5m2", 8},
              {"DT_FLOAT8_E4M3FN", "float8e4m3fn", 8},
              {"DT_FLOAT8_E4M3FNUZ", "float8e4m3fnuz", 8},
              {"DT_FLOAT8_E4M3B11FNUZ", "float8e4m3b11fnuz", 8},
              {"DT_FLOAT8_E5M2FNUZ", "float8e5m2fnuz", 8},
              {"DT_INT4", "int4", 4},
              {"DT_UINT4", "uint4", 4},
              {"DT_INT2", "int2", 2},
              {"DT_UINT2", "uint2", 2}};

#define DTYPE_COUNT ((int64_t)(sizeof dtypes / sizeof *dtypes))
#define REFERENCE   100 /* added to the number where a variable is handed on by reference */

/* clang-format off */
static const struct mi_msg_field shape_proto[] = {{2, MI_MSG_SUB, "dim"}, {3, MI_MSG_INT, "unknown_rank"}};
MI_MSG_SCHEMA(dim_proto, {1, MI_MSG_INT, "size"}, {2, MI_MSG_BYTES, "name"});
static const struct mi_msg_field tensor_proto[] = {
    {1, MI_MSG_INT, "dtype"}, {2, MI_MSG_SUB, "tensor_shape"}, {4, MI_MSG_BYTES, "tensor_content"},
    {5, MI_MSG_FLOAT, "float_val"}, {6, MI_MSG_DOUBLE, "double_val"}, {7, MI_MSG_INT, "int_val"},
    {8, MI_MSG_BYTES, "string_val"}, {9, MI_MSG_FLOAT, "scomplex_val"},
    {10, MI_MSG_INT, "int64_val"}, {11, MI_MSG_INT, "bool_val"},
    {12, MI_MSG_DOUBLE, "dcomplex_val"}, {13, MI_MSG_INT, "half_val"},
    {14, MI_MSG_SUB, "resource_handle_val"}, {15, MI_MSG_SUB, "variant_val"},
    {16, MI_MSG_INT, "uint32_val"}, {17, MI_MSG_INT, "uint64_val"},
    {18, MI_MSG_BYTES, "float8_val"}};
/* clang-format on */

const struct mi_msg_schema mi_tf_shape_proto = MI_MSG_TABLE(shape_proto);
const struct mi_msg_schema mi_tf_tensor_proto = MI_MSG_TABLE(tensor_proto);

/* The number of the type that the current field holds; -1 for a word that is none. */
static int64_t type_number(const struct mi_msg *msg)
{
    if (!msg->text || msg->text->kind != MI_PBT_WORD)
        return mi_msg_int(msg, NULL, 0);
    struct mi_bytes word = msg->text->raw;
    int64_t more = 0;
    if (mi_bytes_ends(word, MI_LIT("_REF"))) {
        word.len -= 4;
        more = REFERENCE;
    }
    for (int64_t i = 0; i < DTYPE_COUNT; i++)
        if (mi_bytes_equal(word, mi_cstr(dtypes[i].word)))
            return i + more;
    return -1;
}

static mi_str_id type_name(struct tf *t, int64_t number, uint64_t offset)
{
    int64_t plain = number > REFERENCE ? number - REFERENCE : number;
    if (plain >= 0 && plain < DTYPE_COUNT)
        return mi_batch_cstr(t->fw.out, dtypes[plain].name);
    mi_batch_diag(t->fw.out, MI_NOTICE, "tf.type_unknown", offset, 0,
                  "an element type with the unknown number %lld", (long long)number);
    return mi_batch_printf(t->fw.out, "tf:%lld", (long long)number);
}

mi_str_id mi_tf_dtype(struct tf *t, const struct mi_msg *msg)
{
    return type_name(t, type_number(msg), mi_msg_offset(msg));
}

void mi_tf_shape(struct tf *t, struct mi_msg msg, struct mi_value_row *row)
{
    row->has_shape = true;
    row->first_dim = mi_next_row(t->fw.out, dims);
    row->dim_count = 0;
    while (mi_msg_next(&msg)) {
        uint64_t at = mi_msg_offset(&msg);
        if (msg.number == 3 && mi_msg_int(&msg, NULL, 0))
            row->has_shape = false;
        if (msg.number != 2)
            continue;
        int64_t size = 0;
        mi_str_id symbol = MI_NO_STR;
        for (struct mi_msg dim = mi_msg_enter(&msg, &dim_proto, NULL); mi_msg_next(&dim);) {
            if (dim.number == 1)
                size = mi_msg_int(&dim, NULL, 0);
            else if (dim.number == 2)
                symbol = mi_fw_name(&t->fw, mi_msg_bytes(&dim), at);
        }
        mi_fw_dim(&t->fw, size, symbol, at, &row->dim_count);
    }
    if (!row->has_shape)
        row->dim_count = 0;
}

void mi_tf_tensor(struct tf *t, struct mi_msg msg, struct mi_value_row *row)
{
    struct mi_fw_data data = {.field_count = 0};
    uint32_t first_data = 0;
    int64_t type = 0;
    row->has_shape = true;
    row->data_offset = row->data_bytes = -1;
    while (mi_msg_next(&msg)) {
        if (msg.number == 1) {
            type = type_number(&msg);
        } else if (msg.number == 2) {
            mi_tf_shape(t, mi_msg_enter(&msg, &mi_tf_shape_proto, NULL), row);
        } else if (msg.number >= 4 && !msg.text) {
            if (!data.field_count)
                first_data = msg.number;
            mi_fw_data_field(&data, &msg.pb, msg.start_at);
        }
    }
    row->dtype = type_name(t, type, mi_msg_offset(&msg));
    bool is_varint = first_data != 4 && first_data != 5 && first_data != 6 && first_data != 9 &&
                     first_data != 12 && first_data != 18;
    mi_fw_place(&t->fw, &data, is_varint, row);
    if (row->data_bytes < 0 && type > 0 && type < DTYPE_COUNT)
        row->data_bytes = mi_fw_bytes(&t->fw, row, dtypes[type].bits);
}

/* --- outputs --- */

/* Where the element type of an output stands, for operators that do not simply have it in `dtype`
 * or `T`: the names of attributes or =types, one per output, the last for all further ones. An
 * attribute that is a list has one type per output. Source: the public definitions of the ops. */
static const struct rule {
    const char *op, *types;
} rules[] = {{"All", "=bool"},
             {"Any", "=bool"},
             {"ArgMax", "output_type"},
             {"ArgMin", "output_type"},
             {"BatchFunction", "Tout"},
             {"Bitcast", "type"},
             {"Bucketize", "=int32"},
             {"Cast", "DstT"},
             {"Case", "Tout"},
             {"DecodeRaw", "out_type"},
             {"Dequantize", "=float32"},
             {"Equal", "=bool"},
             {"FusedBatchNormV2", "T U"},
             {"FusedBatchNormV3", "T U"},
             {"Gather", "Tparams"},
             {"GatherNd", "Tparams"},
             {"GatherV2", "Tparams"},
             {"Greater", "=bool"},
             {"GreaterEqual", "=bool"},
             {"If", "Tout"},
             {"IsFinite", "=bool"},
             {"IsInf", "=bool"},
             {"IsNan", "=bool"},
             {"Iterator", "=resource"},
             {"IteratorGetNext", "output_types"},
             {"IteratorV2", "=resource"},
             {"Less", "=bool"},
             {"LessEqual", "=bool"},
             {"LogicalAnd", "=bool"},
             {"LogicalNot", "=bool"},
             {"LogicalOr", "=bool"},
             {"LoopCond", "=bool"},
             {"Merge", "T =int32"},
             {"NonMaxSuppressionV2", "=int32"},
             {"NonMaxSuppressionV3", "=int32"},
             {"NotEqual", "=bool"},
             {"PartitionedCall", "Tout"},
             {"PyFunc", "Tout"},
             {"QuantizeV2", "T =float32"},
             {"Range", "Tidx"},
             {"Rank", "=int32"},
             {"RefMerge", "T =int32"},
             {"ResourceGather", "dtype"},
             {"Shape", "out_type"},
             {"ShapeN", "out_type"},
             {"Size", "out_type"},
             {"StatefulPartitionedCall", "Tout"},
             {"StatelessIf", "Tout"},
             {"StatelessWhile", "T"},
             {"StringJoin", "=string"},
             {"StringToHashBucketFast", "=int64"},
             {"SymbolicGradient", "Tout"},
             {"TensorArrayV3", "=resource =float32"},
             {"TensorArrayWriteV3", "=float32"},
             {"TensorArrayScatterV3", "=float32"},
             {"TensorArraySizeV3", "=int32"},
             {"TopK", "T =int32"},
             {"TopKV2", "T =int32"},
             {"Unique", "T out_idx"},
             {"UniqueWithCounts", "T out_idx"},
             {"VarHandleOp", "=resource"},
             {"Where", "=int64"},
             {"While", "T"}};

bool mi_tf_is_sink(struct mi_bytes op)
{
    static const char *const sinks[] = {
        "NoOp",  "Assert",    "ControlTrigger",   "Abort",   "SaveV2",
        "_Send", "_HostSend", "AssignVariableOp", "_Retval", "OutfeedEnqueueOpV2"};
    for (size_t i = 0; i < sizeof sinks / sizeof *sinks; i++)
        if (mi_bytes_equal(op, mi_cstr(sinks[i])))
            return true;
    return false;
}

/* Attributes of a node that are looked at, per output: more would take time without end. */
#define MAX_ATTRS 512u

static uint32_t find_attr(const struct tf *t, mi_node_id node, struct mi_bytes name)
{
    const struct mi_tables *rows = &t->fw.out->rows;
    mi_str_id id = mi_strings_find(&t->fw.out->strings, name);
    uint32_t first = rows->nodes.first_attr[node.v], count = rows->nodes.attr_count[node.v];
    for (uint32_t i = first; id.v && i < first + (count < MAX_ATTRS ? count : MAX_ATTRS); i++)
        if (rows->attrs.name[i].v == id.v)
            return i;
    return 0;
}

/* Item `index` of an attribute; of a single one that item, whatever the index. 0: none. */
static uint32_t item_of(const struct tf *t, uint32_t attr, uint32_t index)
{
    const struct mi_attrs *attrs = &t->fw.out->rows.attrs;
    if (!attr || !attrs->item_count[attr])
        return 0;
    if (attrs->kind[attr] == MI_ATTR_TYPE || attrs->kind[attr] == MI_ATTR_TENSOR)
        index = 0;
    return index < attrs->item_count[attr] ? attrs->first_item[attr] + index : 0;
}

/* Word `index` of a rule, the last one if there are fewer. */
static struct mi_bytes word_of(const char *words, uint32_t index)
{
    struct mi_bytes word = mi_cstr(words);
    for (;;) {
        const uint8_t *blank = memchr(word.at, ' ', word.len);
        size_t len = blank ? (size_t)(blank - word.at) : word.len;
        if (!index-- || !blank)
            return mi_bytes_sub(word, 0, len);
        word = mi_bytes_sub(word, len + 1, word.len);
    }
}

static mi_str_id output_dtype(struct tf *t, mi_node_id node, uint32_t index)
{
    const struct mi_tables *rows = &t->fw.out->rows;
    struct mi_bytes op = mi_batch_text(t->fw.out, rows->nodes.op[node.v]);
    struct mi_bytes names[2] = {MI_LIT("dtype"), MI_LIT("T")};
    size_t count = 2;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (mi_bytes_equal(op, mi_cstr(rules[i].op))) {
            names[0] = word_of(rules[i].types, index);
            count = 1;
            break;
        }
    if (mi_bytes_starts(names[0], MI_LIT("=")))
        return mi_batch_str(t->fw.out, mi_bytes_sub(names[0], 1, names[0].len));
    for (size_t i = 0; i < count; i++) {
        uint32_t attr = find_attr(t, node, names[i]);
        uint32_t item = item_of(t, attr, index);
        bool is_type = attr && (rows->attrs.kind[attr] == MI_ATTR_TYPE ||
                                rows->attrs.kind[attr] == MI_ATTR_TYPES);
        if (item && is_type && !rows->items.value[item].v)
            return rows->items.text[item];
    }
    return MI_NO_STR;
}

/* The constant or shape that tells the shape of an output. */
static mi_value_id shape_source(struct tf *t, mi_node_id node, uint32_t index)
{
    const struct mi_tables *rows = &t->fw.out->rows;
    struct mi_bytes op = mi_batch_text(t->fw.out, rows->nodes.op[node.v]);
    uint32_t item = item_of(t, find_attr(t, node, MI_LIT("_output_shapes")), index);
    if (!item && mi_bytes_equal(op, MI_LIT("Const")))
        item = item_of(t, find_attr(t, node, MI_LIT("value")), 0);
    bool has_shape =
        mi_bytes_starts(op, MI_LIT("Placeholder")) || mi_bytes_starts(op, MI_LIT("Variable"));
    if (!item && has_shape)
        item = item_of(t, find_attr(t, node, MI_LIT("shape")), 0);
    return item ? rows->items.value[item] : (mi_value_id){0};
}

void mi_tf_output_type(struct tf *t, mi_node_id node, uint32_t index, mi_value_id value)
{
    struct mi_values *values = &t->fw.out->rows.values;
    if (!value.v || mi_batch_failed(t->fw.out))
        return;
    mi_str_id dtype = output_dtype(t, node, index);
    mi_value_id from = shape_source(t, node, index);
    values->dtype[value.v] = dtype;
    if (!from.v)
        return;
    values->has_shape[value.v] = values->has_shape[from.v];
    values->first_dim[value.v] = values->first_dim[from.v];
    values->dim_count[value.v] = values->dim_count[from.v];
}
