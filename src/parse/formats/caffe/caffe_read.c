/* Caffe networks, in text and wire format alike: layers with named blobs between them. A layer that
 * writes over its input (`top` equals `bottom`) makes a new tensor: name, name#2, name#3. */
#include "parse/formats/caffe/caffe_read.h"

#include "base/mem.h"

#include <stdio.h>

/* clang-format off */
static const struct mi_msg_field net[] = {
    {1, MI_MSG_BYTES, "name"}, {2, MI_MSG_SUB, "layers"}, {3, MI_MSG_BYTES, "input"},
    {4, MI_MSG_INT, "input_dim"}, {5, MI_MSG_INT, "force_backward"}, {6, MI_MSG_SUB, "state"},
    {7, MI_MSG_INT, "debug_info"}, {8, MI_MSG_SUB, "input_shape"}, {100, MI_MSG_SUB, "layer"}};
MI_MSG_SCHEMA(layer,
    {1, MI_MSG_BYTES, "name"}, {2, MI_MSG_BYTES, "type"}, {3, MI_MSG_BYTES, "bottom"},
    {4, MI_MSG_BYTES, "top"}, {7, MI_MSG_SUB, "blobs"});
MI_MSG_SCHEMA(legacy_layer,
    {2, MI_MSG_BYTES, "bottom"}, {3, MI_MSG_BYTES, "top"}, {4, MI_MSG_BYTES, "name"},
    {5, MI_MSG_INT, "type"}, {6, MI_MSG_SUB, "blobs"});
MI_MSG_SCHEMA(shape, {1, MI_MSG_INT, "dim"});
MI_MSG_SCHEMA(blob,
    {1, MI_MSG_INT, "num"}, {2, MI_MSG_INT, "channels"}, {3, MI_MSG_INT, "height"},
    {4, MI_MSG_INT, "width"}, {5, MI_MSG_FLOAT, "data"}, {7, MI_MSG_SUB, "shape"},
    {8, MI_MSG_DOUBLE, "double_data"});
/* clang-format on */

const struct mi_msg_schema mi_caffe_net = MI_MSG_TABLE(net);

/* What a field of a layer is, in both numberings. */
enum role { PARAM, NAME, TYPE, BOTTOM, TOP, BLOBS };

static enum role role_of(uint32_t number, bool is_legacy)
{
    static const enum role now[] = {PARAM, NAME, TYPE, BOTTOM, TOP, PARAM, PARAM, BLOBS};
    static const enum role old[] = {PARAM, PARAM, BOTTOM, TOP, NAME, TYPE, BLOBS, PARAM};
    return number > 7 ? PARAM : is_legacy ? old[number] : now[number];
}

/* --- blobs --- */

static void add_dims(struct caffe *c, const struct mi_msg *field, uint32_t *count)
{
    for (struct mi_msg_numbers it = mi_msg_numbers(field); mi_msg_numbers_next(&it);)
        mi_fw_dim(&c->fw, it.whole, MI_NO_STR, mi_msg_offset(field), count);
}

static void add_shape(struct caffe *c, const struct mi_msg *field, uint32_t *count)
{
    for (struct mi_msg msg = mi_msg_enter(field, &shape, NULL); mi_msg_next(&msg);)
        if (msg.number == 1)
            add_dims(c, &msg, count);
}

/* Makes a new tensor that `name` stands for from here on. */
static mi_value_id define(struct caffe *c, mi_str_id name, enum mi_value_kind kind,
                          mi_node_id producer)
{
    struct mi_batch *out = c->fw.out;
    uint32_t *times = mi_map_at(&c->versions, name.v);
    if (!times || mi_batch_failed(out)) {
        mi_batch_fail(out, MI_ENOMEM, "out of memory for the names of tensors");
        return (mi_value_id){0};
    }
    mi_str_id shown = name;
    if (++*times > 1) {
        struct mi_bytes text = mi_batch_text(out, name);
        uint8_t *room = mi_scratch_room(&c->scratch, text.len + 16);
        if (room) {
            memcpy(room, text.at, text.len);
            int more = snprintf((char *)room + text.len, 16, "#%u", *times);
            shown = mi_batch_str(out, (struct mi_bytes){room, text.len + (size_t)more});
        }
    }
    mi_value_id value = mi_fw_value(&c->fw, c->graph, shown, kind, producer);
    if (value.v && !mi_map_set(&c->tops, name.v, value.v))
        mi_batch_fail(out, MI_ENOMEM, "out of memory for the names of tensors");
    return value;
}

static mi_value_id use(struct caffe *c, mi_str_id name, uint64_t at)
{
    mi_value_id value = {name.v ? mi_map_get(&c->tops, name.v) : 0};
    if (!value.v && name.v) {
        struct mi_bytes text = mi_batch_text(c->fw.out, name);
        mi_batch_diag(c->fw.out, MI_NOTICE, "caffe.dangling", at, 0,
                      "the blob \"%.*s\" is used but no layer before makes it", MI_FW_SHOW(text));
        value = define(c, name, MI_VALUE_DANGLING, (mi_node_id){0});
    }
    if (value.v && !mi_map_set(&c->used, value.v, 1))
        mi_batch_fail(c->fw.out, MI_ENOMEM, "out of memory for the names of tensors");
    return value;
}

/* BlobProto: a weight. */
static void read_blob(struct caffe *c, const struct mi_msg *field)
{
    struct mi_value_row row = {.graph = c->graph,
                               .kind = MI_VALUE_CONSTANT,
                               .has_shape = true,
                               .data_offset = -1,
                               .data_bytes = -1,
                               .first_dim = mi_next_row(c->fw.out, dims)};
    struct mi_fw_data data = {.field_count = 0};
    unsigned bits = 32;
    for (struct mi_msg msg = mi_msg_enter(field, &blob, NULL); mi_msg_next(&msg);) {
        if (msg.number >= 1 && msg.number <= 4)
            add_dims(c, &msg, &row.dim_count);
        else if (msg.number == 7)
            add_shape(c, &msg, &row.dim_count);
        if (msg.number == 8)
            bits = 64;
        if ((msg.number == 5 || msg.number == 8) && !msg.text)
            mi_fw_data_field(&data, &msg.pb, msg.start_at);
    }
    row.dtype = mi_batch_cstr(c->fw.out, bits == 64 ? "float64" : "float32");
    mi_fw_place(&c->fw, &data, false, &row);
    if (row.data_bytes < 0)
        row.data_bytes = mi_fw_bytes(&c->fw, &row, bits);
    mi_value_id value = mi_add_value(c->fw.out, &row);
    uint32_t first = mi_next_row(c->fw.out, items);
    mi_add_item(c->fw.out, &(struct mi_item_row){.value = value});
    mi_fw_attr(&c->fw, mi_batch_cstr(c->fw.out, "blobs"), MI_ATTR_TENSOR, first);
}

/* --- layers --- */

struct row {
    struct mi_node_row node;
    bool is_legacy;
};

static void note_name(struct caffe *c, mi_str_id **names, uint32_t *count, uint32_t *room,
                      mi_str_id name)
{
    if (mi_fw_room(&c->fw, names, *count, room, sizeof **names))
        (*names)[(*count)++] = name;
}

static void read_layer_field(struct caffe *c, struct row *row, const struct mi_msg *msg)
{
    uint64_t at = mi_msg_offset(msg);
    switch (role_of(msg->number, row->is_legacy)) {
    case NAME:
        row->node.name = mi_fw_name(&c->fw, mi_msg_bytes(msg), at);
        break;
    case TYPE:
        if (!row->is_legacy) {
            row->node.op = mi_fw_name(&c->fw, mi_msg_bytes(msg), at);
        } else {
            const char *type = mi_caffe_legacy_type(msg);
            row->node.op = mi_batch_cstr(c->fw.out, type ? type : "?");
        }
        break;
    case BOTTOM:
        note_name(c, &c->bottoms, &c->bottom_count, &c->bottom_room,
                  mi_fw_name(&c->fw, mi_msg_bytes(msg), at));
        break;
    case TOP:
        note_name(c, &c->tops_made, &c->top_count, &c->top_room,
                  mi_fw_name(&c->fw, mi_msg_bytes(msg), at));
        break;
    case BLOBS:
        read_blob(c, msg);
        break;
    case PARAM:
        mi_caffe_param(c, msg, row->is_legacy);
        break;
    }
}

/* The shape that an Input layer states for its only top. */
static void input_shape(struct caffe *c, const struct mi_node_row *row, mi_value_id value)
{
    struct mi_batch *out = c->fw.out;
    mi_str_id name = mi_strings_find(&out->strings, MI_LIT("input_param.shape.dim"));
    for (uint32_t a = row->first_attr; name.v && a < row->first_attr + row->attr_count; a++) {
        if (out->rows.attrs.name[a].v != name.v || !value.v || mi_batch_failed(out))
            continue;
        uint32_t count = 0, first = mi_next_row(out, dims);
        for (uint32_t i = 0; i < out->rows.attrs.item_count[a]; i++)
            mi_fw_dim(&c->fw, out->rows.items.int_value[out->rows.attrs.first_item[a] + i],
                      MI_NO_STR, MI_NO_OFFSET, &count);
        out->rows.values.has_shape[value.v] = true;
        out->rows.values.first_dim[value.v] = first;
        out->rows.values.dim_count[value.v] = count;
    }
}

static void add_ports(struct caffe *c, struct row *row, mi_node_id node, uint64_t at)
{
    struct mi_batch *out = c->fw.out;
    row->node.first_in = mi_next_row(out, ports);
    for (uint32_t i = 0; i < c->bottom_count; i++) {
        mi_value_id value = use(c, c->bottoms[i], at);
        mi_add_port(out, &(struct mi_port_row){.value = value});
    }
    row->node.in_count = mi_next_row(out, ports) - row->node.first_in;
    row->node.first_out = mi_next_row(out, ports);
    for (uint32_t i = 0; i < c->top_count; i++) {
        mi_value_id value = define(c, c->tops_made[i], MI_VALUE_ACTIVATION, node);
        if (c->top_count == 1)
            input_shape(c, &row->node, value);
        mi_add_port(out, &(struct mi_port_row){.value = value});
    }
    row->node.out_count = mi_next_row(out, ports) - row->node.first_out;
}

static bool is_lost(struct caffe *c, const struct mi_msg *field, const struct row *row,
                    const struct mi_error *err)
{
    const struct mi_error *damage = field->text ? field->text->err : err;
    if (damage->code)
        mi_batch_diag(c->fw.out, MI_LOSS, "caffe.layer_broken", damage->offset, damage->line,
                      "a layer could be read in part only: %s", damage->text);
    bool is_cut = mi_msg_is_cut(field);
    return field->text ? is_cut : !row->node.op.v && (err->code || is_cut);
}

static void read_layer(struct caffe *c, const struct mi_msg *field)
{
    struct mi_error err;
    struct mi_batch *out = c->fw.out;
    mi_node_id node = {mi_next_row(out, nodes)};
    struct row row = {.node = {.graph = c->graph,
                               .position = (uint32_t)out->counts.kept,
                               .native_id = -1,
                               .stream = -1,
                               .first_attr = mi_next_row(out, attrs)},
                      .is_legacy = field->number == 2};
    const struct mi_msg_schema *schema = row.is_legacy ? &legacy_layer : &layer;
    uint64_t at = mi_msg_offset(field);
    out->counts.in++;
    c->bottom_count = c->top_count = 0;
    c->first_attr = row.node.first_attr;
    for (struct mi_msg msg = mi_msg_enter(field, schema, &err); mi_msg_next(&msg);)
        read_layer_field(c, &row, &msg);
    if (is_lost(c, field, &row, &err)) {
        out->counts.lost++;
        return;
    }
    if (!row.node.op.v)
        mi_batch_diag(out, MI_NOTICE, "caffe.layer_without_type", at, 0, "a layer without type");
    row.node.attr_count = mi_next_row(out, attrs) - row.node.first_attr;
    add_ports(c, &row, node, at);
    if (mi_add_node(out, &row.node).v)
        out->counts.kept++;
    else
        out->counts.lost++;
}

/* --- the network --- */

static void read_inputs(struct caffe *c, struct mi_msg msg)
{
    struct mi_batch *out = c->fw.out;
    uint32_t first = mi_next_row(out, ports);
    c->first_value = mi_next_row(out, values);
    while (mi_msg_next(&msg) && mi_fw_step(&c->fw, mi_msg_offset(&msg))) {
        uint64_t at = mi_msg_offset(&msg);
        if (msg.number == 1) {
            mi_str_id name = mi_fw_name(&c->fw, mi_msg_bytes(&msg), at);
            out->rows.graphs.name[c->graph.v] = name;
        } else if (msg.number == 3) {
            mi_str_id name = mi_fw_name(&c->fw, mi_msg_bytes(&msg), at);
            mi_value_id value = {0};
            if (name.v)
                value = define(c, name, MI_VALUE_INPUT, (mi_node_id){0});
            mi_add_port(out, &(struct mi_port_row){.value = value});
        }
    }
    out->rows.graphs.first_in[c->graph.v] = first;
    out->rows.graphs.in_count[c->graph.v] = mi_next_row(out, ports) - first;
}

/* The value of input `index`, or none. */
static mi_value_id input_at(const struct caffe *c, uint32_t index)
{
    const struct mi_tables *rows = &c->fw.out->rows;
    if (mi_batch_failed(c->fw.out) || index >= rows->graphs.in_count[c->graph.v])
        return (mi_value_id){0};
    return rows->ports.value[rows->graphs.first_in[c->graph.v] + index];
}

static void set_shape(struct caffe *c, mi_value_id value, uint32_t first, uint32_t count)
{
    struct mi_values *values = &c->fw.out->rows.values;
    if (!value.v || mi_batch_failed(c->fw.out))
        return;
    if (!values->has_shape[value.v])
        values->first_dim[value.v] = first;
    values->has_shape[value.v] = true;
    values->dim_count[value.v] += count;
}

/* Layers, and the shapes of inputs: the n-th input_shape, or four numbers of input_dim each. */
static void read_layers(struct caffe *c, struct mi_msg msg)
{
    uint32_t shapes = 0, numbers = 0;
    while (mi_msg_next(&msg) && mi_fw_step(&c->fw, mi_msg_offset(&msg))) {
        uint32_t first = mi_next_row(c->fw.out, dims), count = 0;
        if (msg.number == 2 || msg.number == 100) {
            read_layer(c, &msg);
        } else if (msg.number == 8) {
            add_shape(c, &msg, &count);
            set_shape(c, input_at(c, shapes++), first, count);
        } else if (msg.number == 4) {
            for (struct mi_msg_numbers it = mi_msg_numbers(&msg); mi_msg_numbers_next(&it);) {
                mi_value_id value = input_at(c, numbers++ / 4);
                first = mi_next_row(c->fw.out, dims);
                count = 0;
                mi_fw_dim(&c->fw, it.whole, MI_NO_STR, mi_msg_offset(&msg), &count);
                set_shape(c, value, first, count);
            }
        }
    }
}

/* A network declares no outputs: what no layer takes comes out. */
static void add_outputs(struct caffe *c)
{
    struct mi_batch *out = c->fw.out;
    uint32_t first = mi_next_row(out, ports), end = mi_next_row(out, values);
    for (uint32_t v = c->first_value; v < end && !mi_batch_failed(out); v++)
        if (out->rows.values.producer[v].v && !mi_map_get(&c->used, v))
            mi_add_port(out, &(struct mi_port_row){.value = {v}});
    out->rows.graphs.first_out[c->graph.v] = first;
    out->rows.graphs.out_count[c->graph.v] = mi_next_row(out, ports) - first;
}

void mi_caffe_read(struct caffe *c, mi_caffe_open_fn *open, void *user)
{
    c->graph = mi_fw_graph(&c->fw, MI_GRAPH_MAIN, MI_NO_STR);
    if (!c->graph.v)
        return;
    read_inputs(c, open(user));
    read_layers(c, open(user));
    if (mi_next_row(c->fw.out, nodes) == 1)
        mi_batch_diag(c->fw.out, MI_NOTICE, "caffe.net_empty", 0, 0, "a network without layers");
    add_outputs(c);
}

void mi_caffe_fini(struct caffe *c)
{
    mi_map_fini(&c->tops);
    mi_map_fini(&c->versions);
    mi_map_fini(&c->used);
    mi_scratch_fini(&c->scratch);
    mi_mem_free(c->bottoms);
    mi_mem_free(c->tops_made);
}
