/* TensorFlow nodes and their attributes: NodeDef, AttrValue. An attribute's key may come behind its
 * value, so its row is added when both have been seen. */
#include "parse/formats/tf/tf_read.h"

/* clang-format off */
static const struct mi_msg_field node_def[] = {
    {1, MI_MSG_BYTES, "name"}, {2, MI_MSG_BYTES, "op"}, {3, MI_MSG_BYTES, "input"},
    {4, MI_MSG_BYTES, "device"}, {5, MI_MSG_SUB, "attr"},
    {6, MI_MSG_SUB, "experimental_debug_info"}, {7, MI_MSG_SUB, "experimental_type"}};
MI_MSG_SCHEMA(attr_entry, {1, MI_MSG_BYTES, "key"}, {2, MI_MSG_SUB, "value"});
MI_MSG_SCHEMA(attr_value,
    {1, MI_MSG_SUB, "list"}, {2, MI_MSG_BYTES, "s"}, {3, MI_MSG_INT, "i"}, {4, MI_MSG_FLOAT, "f"},
    {5, MI_MSG_INT, "b"}, {6, MI_MSG_INT, "type"}, {7, MI_MSG_SUB, "shape"},
    {8, MI_MSG_SUB, "tensor"}, {9, MI_MSG_BYTES, "placeholder"}, {10, MI_MSG_SUB, "func"});
MI_MSG_SCHEMA(list_value,
    {2, MI_MSG_BYTES, "s"}, {3, MI_MSG_INT, "i"}, {4, MI_MSG_FLOAT, "f"}, {5, MI_MSG_INT, "b"},
    {6, MI_MSG_INT, "type"}, {7, MI_MSG_SUB, "shape"}, {8, MI_MSG_SUB, "tensor"},
    {9, MI_MSG_SUB, "func"});
MI_MSG_SCHEMA(name_attr_list, {1, MI_MSG_BYTES, "name"}, {2, MI_MSG_SUB, "attr"});
MI_MSG_SCHEMA(debug_info, {1, MI_MSG_BYTES, "original_node_names"},
    {2, MI_MSG_BYTES, "original_func_names"});
/* clang-format on */

const struct mi_msg_schema mi_tf_node_def = MI_MSG_TABLE(node_def);

/* What an AttrValue turned out to be. */
struct attr {
    enum mi_attr_kind kind;
    mi_str_id function; /* name of the function that a `func` names */
    uint32_t count;     /* items */
    mi_graph_id graph;
};

static void add_item(struct tf *t, struct attr *attr, const struct mi_item_row *row, uint64_t at)
{
    if (attr->count >= MI_FW_MAX_ITEMS) {
        mi_batch_diag(t->fw.out, MI_NOTICE, "tf.attr_long", at, 0,
                      "an attribute with more elements than are kept");
        return;
    }
    mi_add_item(t->fw.out, row);
    attr->count++;
}

/* A shape as text: [1,?,N], or ? where not even the rank is known. */
static mi_str_id shape_text(struct tf *t, const struct mi_value_row *row)
{
    char text[256];
    size_t len = 0;
    const struct mi_dims *dims = &t->fw.out->rows.dims;
    if (!row->has_shape || mi_batch_failed(t->fw.out))
        return mi_batch_cstr(t->fw.out, "?");
    text[len++] = '[';
    for (uint32_t i = 0; i < row->dim_count && len < sizeof text - 32; i++) {
        int64_t size = dims->size[row->first_dim + i];
        if (i)
            text[len++] = ',';
        if (size < 0) {
            text[len++] = '?';
            continue;
        }
        char digits[24];
        size_t count = 0;
        do
            digits[count++] = (char)('0' + size % 10);
        while (size /= 10);
        while (count)
            text[len++] = digits[--count];
    }
    text[len++] = ']';
    return mi_batch_str(t->fw.out, (struct mi_bytes){(const uint8_t *)text, len});
}

/* Shapes stand as values of their own, so that their dimensions can be used, and as text. */
static void add_shape(struct tf *t, struct attr *attr, const struct mi_msg *field, bool is_list)
{
    uint64_t at = mi_msg_offset(field);
    struct mi_value_row row = {
        .graph = attr->graph, .kind = MI_VALUE_CONSTANT, .data_offset = -1, .data_bytes = -1};
    mi_tf_shape(t, mi_msg_enter(field, &mi_tf_shape_proto, NULL), &row);
    mi_str_id text = shape_text(t, &row);
    row.type = mi_batch_cstr(t->fw.out, "shape");
    mi_value_id value = mi_add_value(t->fw.out, &row);
    attr->kind = is_list ? MI_ATTR_TYPES : MI_ATTR_TYPE;
    add_item(t, attr, &(struct mi_item_row){.text = text, .value = value}, at);
}

static void add_tensor(struct tf *t, struct attr *attr, const struct mi_msg *field, bool is_list)
{
    uint64_t at = mi_msg_offset(field);
    struct mi_value_row row = {.graph = attr->graph, .kind = MI_VALUE_CONSTANT};
    mi_tf_tensor(t, mi_msg_enter(field, &mi_tf_tensor_proto, NULL), &row);
    mi_value_id value = mi_add_value(t->fw.out, &row);
    attr->kind = is_list ? MI_ATTR_TENSORS : MI_ATTR_TENSOR;
    add_item(t, attr, &(struct mi_item_row){.value = value}, at);
}

static void add_function(struct tf *t, struct attr *attr, const struct mi_msg *field, bool is_list)
{
    uint64_t at = mi_msg_offset(field);
    mi_str_id name = MI_NO_STR;
    for (struct mi_msg msg = mi_msg_enter(field, &name_attr_list, NULL); mi_msg_next(&msg);)
        if (msg.number == 1)
            name = mi_fw_name(&t->fw, mi_msg_bytes(&msg), at);
    attr->kind = is_list ? MI_ATTR_STRINGS : MI_ATTR_STRING;
    if (!is_list)
        attr->function = name;
    add_item(t, attr, &(struct mi_item_row){.text = name}, at);
}

static void add_numbers(struct tf *t, struct attr *attr, const struct mi_msg *field,
                        enum mi_attr_kind kind)
{
    for (struct mi_msg_numbers it = mi_msg_numbers(field); mi_msg_numbers_next(&it);) {
        struct mi_item_row row = {.int_value = it.whole, .real_value = it.real};
        add_item(t, attr, &row, mi_msg_offset(field));
    }
    attr->kind = kind;
}

static void add_types(struct tf *t, struct attr *attr, const struct mi_msg *field, bool is_list)
{
    attr->kind = is_list ? MI_ATTR_TYPES : MI_ATTR_TYPE;
    if (field->text || mi_pb_type(&field->pb) == MI_PB_VARINT) {
        mi_str_id type = mi_tf_dtype(t, field);
        add_item(t, attr, &(struct mi_item_row){.text = type}, mi_msg_offset(field));
        return;
    }
    struct mi_msg one = *field;
    for (struct mi_msg_numbers it = mi_msg_numbers(field); mi_msg_numbers_next(&it);) {
        one.pb.key = MI_PB_KEY(6, MI_PB_VARINT);
        one.pb.value = (uint64_t)it.whole;
        mi_str_id type = mi_tf_dtype(t, &one);
        add_item(t, attr, &(struct mi_item_row){.text = type}, mi_msg_offset(field));
    }
}

static void add_text(struct tf *t, struct attr *attr, const struct mi_msg *field,
                     enum mi_attr_kind kind)
{
    uint64_t at = mi_msg_offset(field);
    mi_str_id text = mi_fw_name(&t->fw, mi_msg_bytes(field), at);
    add_item(t, attr, &(struct mi_item_row){.text = text}, at);
    attr->kind = kind;
}

/* One member of AttrValue or of its list; the numbers are those of AttrValue. */
static void add_member(struct tf *t, struct attr *attr, const struct mi_msg *field, uint32_t member,
                       bool is_list)
{
    switch (member) {
    case 2:
        add_text(t, attr, field, is_list ? MI_ATTR_STRINGS : MI_ATTR_STRING);
        break;
    case 3:
        add_numbers(t, attr, field, is_list ? MI_ATTR_INTS : MI_ATTR_INT);
        break;
    case 4:
        add_numbers(t, attr, field, is_list ? MI_ATTR_FLOATS : MI_ATTR_FLOAT);
        break;
    case 5:
        add_numbers(t, attr, field, is_list ? MI_ATTR_BOOLS : MI_ATTR_BOOL);
        break;
    case 6:
        add_types(t, attr, field, is_list);
        break;
    case 7:
        add_shape(t, attr, field, is_list);
        break;
    case 8:
        add_tensor(t, attr, field, is_list);
        break;
    case 9:
        add_text(t, attr, field, MI_ATTR_REFERENCE);
        break;
    case 10:
        add_function(t, attr, field, is_list);
        break;
    default:
        break;
    }
}

static void add_list(struct tf *t, struct attr *attr, const struct mi_msg *field)
{
    struct mi_msg msg = mi_msg_enter(field, &list_value, NULL);
    enum mi_attr_kind first = MI_ATTR_UNDEFINED;
    while (mi_msg_next(&msg)) {
        add_member(t, attr, &msg, msg.number == 9 ? 10 : msg.number, true);
        if (first == MI_ATTR_UNDEFINED)
            first = attr->kind;
        attr->kind = first; /* a list of two kinds is broken; the first one names it */
    }
    if (first == MI_ATTR_UNDEFINED)
        attr->kind = MI_ATTR_STRINGS; /* empty, and of any kind */
}

static void read_value(struct tf *t, struct attr *attr, struct mi_msg msg)
{
    while (mi_msg_next(&msg)) {
        if (msg.number && attr->kind != MI_ATTR_UNDEFINED)
            continue; /* one member at most may be set */
        if (msg.number == 1)
            add_list(t, attr, &msg);
        else
            add_member(t, attr, &msg, msg.number, false);
    }
}

static void note_call(struct tf *t, mi_str_id name, uint32_t attr)
{
    if (!name.v || !mi_fw_room(&t->fw, &t->calls, t->call_count, &t->call_room, sizeof *t->calls))
        return;
    t->calls[t->call_count++] = (struct tf_call){attr, name};
}

static void read_attr(struct tf *t, const struct mi_msg *field, mi_graph_id graph)
{
    struct mi_error err;
    struct attr attr = {.kind = MI_ATTR_UNDEFINED, .graph = graph};
    uint32_t first = mi_next_row(t->fw.out, items);
    mi_str_id key = MI_NO_STR;
    struct mi_msg msg = mi_msg_enter(field, &attr_entry, &err);
    while (mi_msg_next(&msg)) {
        if (msg.number == 1) {
            key = mi_fw_name(&t->fw, mi_msg_bytes(&msg), mi_msg_offset(&msg));
        } else if (msg.number == 2) {
            read_value(t, &attr, mi_msg_enter(&msg, &attr_value, NULL));
        }
    }
    if (err.code)
        mi_batch_diag(t->fw.out, MI_LOSS, "tf.attr_broken", err.offset, 0,
                      "an attribute could be read in part only: %s", err.text);
    note_call(t, attr.function, mi_next_row(t->fw.out, attrs));
    mi_fw_attr(&t->fw, key, attr.kind, first);
}

static void read_debug(struct tf *t, const struct mi_msg *field)
{
    uint32_t first = mi_next_row(t->fw.out, items);
    struct mi_msg msg = mi_msg_enter(field, &debug_info, NULL);
    while (mi_msg_next(&msg))
        if (msg.number == 1) {
            mi_str_id text = mi_fw_name(&t->fw, mi_msg_bytes(&msg), mi_msg_offset(&msg));
            mi_add_item(t->fw.out, &(struct mi_item_row){.text = text});
        }
    if (mi_next_row(t->fw.out, items) > first)
        mi_fw_attr(&t->fw, mi_batch_cstr(t->fw.out, "original_node_names"), MI_ATTR_STRINGS, first);
}

static void note_input(struct tf *t, const struct mi_msg *field, uint32_t node)
{
    mi_str_id text = mi_fw_name(&t->fw, mi_msg_bytes(field), mi_msg_offset(field));
    if (!mi_fw_room(&t->fw, &t->inputs, t->input_count, &t->input_room, sizeof *t->inputs))
        return;
    t->inputs[t->input_count++] = (struct tf_input){node, text};
}

/* Nodes are found by the first of their name; a second one is kept and marked. */
static void note_name(struct tf *t, const struct mi_node_row *row, mi_node_id node, uint64_t at)
{
    if (!row->name.v || mi_batch_failed(t->fw.out))
        return;
    uint32_t *slot = mi_map_at(&t->nodes, mi_pair(row->graph.v, row->name.v));
    if (!slot) {
        mi_batch_fail(t->fw.out, MI_ENOMEM, "out of memory for the names of nodes");
        return;
    }
    if (!*slot) {
        *slot = node.v;
        return;
    }
    struct mi_bytes text = mi_batch_text(t->fw.out, row->name);
    mi_batch_diag(t->fw.out, MI_NOTICE, "tf.node_name_twice", at, 0,
                  "more than one node of a graph is called \"%.*s\"; inputs mean the first",
                  MI_FW_SHOW(text));
    mi_fw_note(
        &t->fw, "same_name_as",
        mi_batch_printf(t->fw.out, "node #%u of the graph", t->fw.out->rows.nodes.position[*slot]));
}

/* What is left of a node that was cut off or is no node. */
static bool is_lost(struct tf *t, const struct mi_msg *field, const struct mi_node_row *row,
                    const struct mi_error *err)
{
    bool is_cut = mi_msg_is_cut(field);
    if (err->code)
        mi_batch_diag(t->fw.out, MI_LOSS, "tf.node_broken", err->offset, 0,
                      "a node could be read in part only: %s", err->text);
    else if (field->text && is_cut)
        mi_batch_diag(t->fw.out, MI_LOSS, "tf.node_broken", field->text->err->offset,
                      field->text->err->line, "a node could be read in part only: %s",
                      field->text->err->text);
    return field->text ? is_cut : !row->op.v && (err->code || is_cut);
}

void mi_tf_node(struct tf *t, const struct mi_msg *field, mi_graph_id graph, uint32_t first_node)
{
    struct mi_error err;
    uint64_t at = mi_msg_offset(field);
    mi_node_id node = {mi_next_row(t->fw.out, nodes)};
    uint32_t inputs = t->input_count, calls = t->call_count;
    struct mi_node_row row = {.graph = graph,
                              .position = node.v - first_node,
                              .native_id = -1,
                              .stream = -1,
                              .first_attr = mi_next_row(t->fw.out, attrs)};
    struct mi_msg msg = mi_msg_enter(field, &mi_tf_node_def, &err);
    t->fw.out->counts.in++;
    while (mi_msg_next(&msg)) {
        uint64_t here = mi_msg_offset(&msg);
        if (msg.number == 1)
            row.name = mi_fw_name(&t->fw, mi_msg_bytes(&msg), here);
        else if (msg.number == 2)
            row.op = mi_fw_name(&t->fw, mi_msg_bytes(&msg), here);
        else if (msg.number == 3)
            note_input(t, &msg, row.position);
        else if (msg.number == 4 && mi_msg_bytes(&msg).len)
            mi_fw_note(&t->fw, "device", mi_fw_name(&t->fw, mi_msg_bytes(&msg), here));
        else if (msg.number == 5)
            read_attr(t, &msg, graph);
        else if (msg.number == 6)
            read_debug(t, &msg);
    }
    if (is_lost(t, field, &row, &err)) {
        t->input_count = inputs;
        t->call_count = calls;
        t->fw.out->counts.lost++;
        return;
    }
    if (!row.op.v)
        mi_batch_diag(t->fw.out, MI_NOTICE, "tf.node_without_op", at, 0,
                      "a node without operator type");
    note_name(t, &row, node, at);
    row.attr_count = mi_next_row(t->fw.out, attrs) - row.first_attr;
    if (mi_add_node(t->fw.out, &row).v)
        t->fw.out->counts.kept++;
    else
        t->fw.out->counts.lost++;
}
