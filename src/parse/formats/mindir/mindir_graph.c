/* MindIR graphs and nodes. The fields stand in mindir.c. */
#include "parse/formats/mindir/mindir_read.h"

#define MAX_REPEAT 16u /* attributes read again for further nodes, times the size of the file */

/* --- values --- */

bool mi_mindir_set(struct mindir *m, struct mi_map *map, uint64_t key, uint32_t value)
{
    if (value && !mi_map_set(map, key, value))
        return mi_batch_fail(m->fw.out, MI_ENOMEM, "out of memory for the names of tensors");
    return true;
}

/* A value comes into being, unless an input was there first under its name. */
static mi_value_id define(struct mindir *m, mi_graph_id graph, mi_str_id name,
                          enum mi_value_kind kind, mi_node_id producer, uint64_t at)
{
    struct mi_values *values = &m->fw.out->rows.values;
    if (!name.v || mi_batch_failed(m->fw.out))
        return (mi_value_id){0};
    mi_value_id value = {mi_map_get(&m->values, mi_pair(graph.v, name.v))};
    if (value.v && values->kind[value.v] == MI_VALUE_DANGLING) {
        values->kind[value.v] = (uint8_t)kind;
        values->producer[value.v] = producer;
    } else {
        struct mi_bytes text = mi_batch_text(m->fw.out, name);
        if (value.v)
            mi_batch_diag(m->fw.out, MI_NOTICE, "mindir.value_twice", at, 0,
                          "the tensor \"%.*s\" is defined more than once in its graph",
                          MI_FW_SHOW(text));
        value = mi_fw_value(&m->fw, graph, name, kind, producer);
        mi_mindir_set(m, &m->values, mi_pair(graph.v, name.v), value.v);
    }
    if (!mi_map_get(&m->names, name.v))
        mi_mindir_set(m, &m->names, name.v, value.v);
    return value;
}

static mi_value_id use(struct mindir *m, mi_graph_id graph, mi_str_id name)
{
    if (!name.v || mi_batch_failed(m->fw.out))
        return (mi_value_id){0};
    mi_value_id value = {mi_map_get(&m->values, mi_pair(graph.v, name.v))};
    if (value.v)
        return value;
    bool is_function = mi_map_get(&m->graphs, name.v) != 0;
    value = mi_fw_value(&m->fw, graph, name, is_function ? MI_VALUE_CONSTANT : MI_VALUE_DANGLING,
                        (mi_node_id){0});
    if (value.v && is_function)
        m->fw.out->rows.values.type[value.v] = mi_batch_cstr(m->fw.out, "function");
    mi_mindir_set(m, &m->values, mi_pair(graph.v, name.v), value.v);
    return value;
}

/* Type and shape of a row go to a value that has none. */
static void describe(struct mindir *m, mi_value_id value, const struct mi_value_row *row)
{
    struct mi_values *values = &m->fw.out->rows.values;
    if (!value.v || mi_batch_failed(m->fw.out) || values->dtype[value.v].v)
        return;
    values->type[value.v] = row->type;
    values->dtype[value.v] = row->dtype;
    values->has_shape[value.v] = row->has_shape;
    values->first_dim[value.v] = row->first_dim;
    values->dim_count[value.v] = row->dim_count;
}

/* ValueInfoProto: its name and, of the first tensor, type and shape. */
static mi_str_id read_info(struct mindir *m, struct mi_pb pb, struct mi_value_row *row)
{
    struct mi_bytes name = {NULL, 0};
    uint64_t at = mi_pb_offset(&pb);
    bool has_tensor = false;
    *row = (struct mi_value_row){.data_offset = -1, .data_bytes = -1};
    while (mi_pb_next(&pb)) {
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN)) {
            name = pb.bytes;
        } else if (pb.key == MI_PB_KEY(2, MI_PB_LEN) && !has_tensor) {
            struct mindir_tensor tensor;
            mi_mindir_tensor(m, mi_pb_sub(&pb), &tensor);
            *row = tensor.row;
            has_tensor = true;
        }
    }
    return mi_fw_name(&m->fw, name, at);
}

/* --- nodes --- */

struct head {
    struct mi_bytes name, op, scope;
};

static struct head scan_node(struct mi_pb pb)
{
    struct head head = {.name = {NULL, 0}};
    while (mi_pb_next(&pb)) {
        if (pb.key == MI_PB_KEY(3, MI_PB_LEN))
            head.name = pb.bytes;
        else if (pb.key == MI_PB_KEY(4, MI_PB_LEN))
            head.op = pb.bytes;
        else if (pb.key == MI_PB_KEY(7, MI_PB_LEN))
            head.scope = pb.bytes;
    }
    return head;
}

static const struct mindir_primitive *primitive_of(const struct mindir *m, struct mi_bytes op)
{
    if (!mi_bytes_starts(op, MI_LIT("REF::")))
        return NULL;
    mi_str_id name = mi_strings_find(&m->fw.out->strings, mi_bytes_sub(op, 5, op.len));
    uint32_t place = name.v ? mi_map_get(&m->by_primitive, name.v) : 0;
    return place ? &m->primitives[place - 1] : NULL;
}

/* The operator: that of the primitive, the name of the function, or what stands there. */
static mi_str_id op_of(struct mindir *m, struct mi_bytes op, uint64_t at)
{
    struct mi_error err;
    const struct mindir_primitive *primitive = primitive_of(m, op);
    if (primitive) {
        for (struct mi_pb pb = mi_fw_apart(primitive->pb, &err); mi_pb_next(&pb);)
            if (pb.key == MI_PB_KEY(2, MI_PB_LEN) && pb.bytes.len)
                return mi_fw_name(&m->fw, pb.bytes, at);
    }
    if (!mi_bytes_starts(op, MI_LIT("REF::")))
        return mi_fw_name(&m->fw, op, at);
    mi_str_id name = mi_fw_name(&m->fw, mi_bytes_sub(op, 5, op.len), at);
    if (!primitive && !mi_map_get(&m->graphs, name.v))
        mi_batch_diag(m->fw.out, MI_INFO, "mindir.op_unknown", at, 0,
                      "an operator \"%.*s\" that is neither a primitive nor a function of the file",
                      MI_FW_SHOW(op));
    return name;
}

static uint32_t add_inputs(struct mindir *m, struct mi_pb pb, mi_graph_id graph)
{
    uint32_t first = mi_next_row(m->fw.out, ports);
    while (mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN)) {
            mi_str_id name = mi_fw_name(&m->fw, pb.bytes, mi_pb_payload_offset(&pb));
            mi_value_id value = use(m, graph, name);
            mi_add_port(m->fw.out, &(struct mi_port_row){.value = value});
        }
    return mi_next_row(m->fw.out, ports) - first;
}

static uint32_t add_outputs(struct mindir *m, struct mi_pb pb, mi_graph_id graph, mi_node_id node,
                            const struct mi_value_row *type)
{
    uint32_t first = mi_next_row(m->fw.out, ports);
    while (mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(2, MI_PB_LEN)) {
            uint64_t at = mi_pb_payload_offset(&pb);
            mi_str_id name = mi_fw_name(&m->fw, pb.bytes, at);
            mi_value_id value = define(m, graph, name, MI_VALUE_ACTIVATION, node, at);
            describe(m, value, type);
            mi_add_port(m->fw.out, &(struct mi_port_row){.value = value});
        }
    return mi_next_row(m->fw.out, ports) - first;
}

/* Functions among the inputs, each as an attribute that leads to its graph. */
static void add_closures(struct mindir *m, struct mi_pb pb, mi_node_id node)
{
    uint32_t index = 0;
    for (; mi_pb_next(&pb); index += pb.key == MI_PB_KEY(1, MI_PB_LEN)) {
        if (pb.key != MI_PB_KEY(1, MI_PB_LEN))
            continue;
        mi_str_id name = mi_strings_find(&m->fw.out->strings, pb.bytes);
        if (!name.v || !mi_map_get(&m->graphs, name.v))
            continue;
        mi_str_id role = mi_batch_printf(m->fw.out, "input[%u]", index);
        mi_graph_id graph = mi_mindir_use(m, name, node, role);
        uint32_t first = mi_next_row(m->fw.out, items);
        mi_add_item(m->fw.out, &(struct mi_item_row){.text = name, .graph = graph});
        mi_fw_attr(&m->fw, role, MI_ATTR_GRAPH, first);
    }
}

/* The attributes in field `field` of `pb`; what describes the output goes to `type` instead. */
static void add_attrs(struct mindir *m, struct mi_pb pb, uint32_t field, mi_graph_id graph,
                      mi_node_id node, struct mi_value_row *type)
{
    while (mi_pb_next(&pb) && !mi_batch_failed(m->fw.out)) {
        struct mi_error err;
        if (pb.key != MI_PB_KEY(field, MI_PB_LEN))
            continue;
        struct mi_pb attr = mi_fw_apart(mi_pb_sub(&pb), &err);
        if (!type || !mi_mindir_abstract(m, attr, type))
            mi_mindir_attr(m, attr, graph, node);
        if (err.code)
            mi_batch_diag(m->fw.out, MI_LOSS, "mindir.attr_broken", err.offset, 0,
                          "an attribute could be read in part only: %s", err.text);
    }
}

/* Many nodes may share one large primitive: its attributes would fill the memory. */
static bool may_repeat(struct mindir *m, const struct mindir_primitive *primitive)
{
    m->repeated_bytes += (uint64_t)(primitive->pb.end - primitive->pb.at);
    if (m->repeated_bytes / MAX_REPEAT <= m->fw.src->bytes.len + 4096)
        return true;
    mi_batch_diag(m->fw.out, MI_LOSS, "mindir.primitive_repeated", primitive->pb.base, 0,
                  "primitives that many nodes share; their attributes are left out from here on");
    return false;
}

static void add_all_attrs(struct mindir *m, struct mi_pb pb, const struct head *head,
                          const struct mi_node_row *row, mi_node_id node, struct mi_value_row *type)
{
    struct mi_error err;
    const struct mindir_primitive *primitive = primitive_of(m, head->op);
    add_attrs(m, mi_fw_apart(pb, &err), 5, row->graph, node, type);
    if (primitive && may_repeat(m, primitive))
        add_attrs(m, mi_fw_apart(primitive->pb, &err), 3, row->graph, node, NULL);
    add_attrs(m, mi_fw_apart(pb, &err), 8, row->graph, node, NULL);
    add_closures(m, mi_fw_apart(pb, &err), node);
    mi_str_id callee = {0};
    if (!primitive && mi_map_get(&m->graphs, row->op.v))
        callee = row->op;
    if (callee.v) {
        mi_str_id role = mi_batch_cstr(m->fw.out, "calls");
        uint32_t first = mi_next_row(m->fw.out, items);
        mi_graph_id graph = mi_mindir_use(m, callee, node, role);
        mi_add_item(m->fw.out, &(struct mi_item_row){.text = callee, .graph = graph});
        mi_fw_attr(&m->fw, role, MI_ATTR_GRAPH, first);
    }
    if (head->scope.len && head->name.len)
        mi_fw_note(&m->fw, "ir_name", mi_fw_name(&m->fw, head->name, mi_pb_offset(&pb)));
}

static void read_node(struct mindir *m, const struct mi_pb *field, mi_graph_id graph,
                      uint32_t position)
{
    struct mi_error err, more;
    struct mi_batch *out = m->fw.out;
    uint64_t at = mi_pb_payload_offset(field);
    struct mi_pb pb = mi_fw_apart(mi_pb_sub(field), &err);
    struct head head = scan_node(pb);
    out->counts.in++;
    if (err.code)
        mi_batch_diag(out, MI_LOSS, "mindir.node_broken", err.offset, 0,
                      "a node could be read in part only: %s", err.text);
    if (!head.op.len && (err.code || field->is_clipped)) {
        out->counts.lost++;
        return;
    }
    if (!head.op.len)
        mi_batch_diag(out, MI_NOTICE, "mindir.node_without_op", at, 0,
                      "a node without operator type");
    mi_node_id node = {mi_next_row(out, nodes)};
    struct mi_value_row type = {.data_offset = -1};
    struct mi_node_row row = {.graph = graph,
                              .name =
                                  mi_fw_name(&m->fw, head.scope.len ? head.scope : head.name, at),
                              .op = op_of(m, head.op, at),
                              .position = position,
                              .native_id = -1,
                              .stream = -1};
    row.first_attr = mi_next_row(out, attrs);
    add_all_attrs(m, pb, &head, &row, node, &type);
    row.attr_count = mi_next_row(out, attrs) - row.first_attr;
    row.first_in = mi_next_row(out, ports);
    row.in_count = add_inputs(m, mi_fw_apart(pb, &more), graph);
    row.first_out = mi_next_row(out, ports);
    row.out_count = add_outputs(m, mi_fw_apart(pb, &more), graph, node, &type);
    if (mi_add_node(out, &row).v)
        out->counts.kept++;
    else
        out->counts.lost++;
}

/* --- graphs --- */

static void read_parameter(struct mindir *m, const struct mi_pb *field, mi_graph_id graph)
{
    struct mi_error err;
    struct mindir_tensor tensor;
    struct mi_values *values = &m->fw.out->rows.values;
    uint64_t at = mi_pb_payload_offset(field);
    mi_mindir_tensor(m, mi_fw_apart(mi_pb_sub(field), &err), &tensor);
    mi_str_id name = mi_fw_name(&m->fw, tensor.name, at);
    mi_value_id value = define(m, graph, name, MI_VALUE_CONSTANT, (mi_node_id){0}, at);
    describe(m, value, &tensor.row);
    if (value.v && !mi_batch_failed(m->fw.out)) {
        values->data_offset[value.v] = tensor.row.data_offset;
        values->data_bytes[value.v] = tensor.row.data_bytes;
        values->data_form[value.v] = tensor.row.data_form;
        values->data_path[value.v] = tensor.row.data_path;
    }
    if (err.code)
        mi_batch_diag(m->fw.out, MI_LOSS, "mindir.value_broken", err.offset, 0,
                      "the description of a tensor could be read in part only: %s", err.text);
}

static void read_end(struct mindir *m, const struct mi_pb *field, mi_graph_id graph, bool is_input)
{
    struct mi_error err;
    struct mi_value_row row;
    uint64_t at = mi_pb_payload_offset(field);
    mi_str_id name = read_info(m, mi_fw_apart(mi_pb_sub(field), &err), &row);
    mi_value_id value = is_input ? define(m, graph, name, MI_VALUE_INPUT, (mi_node_id){0}, at)
                                 : use(m, graph, name);
    describe(m, value, &row);
    mi_add_port(m->fw.out, &(struct mi_port_row){.value = value});
    if (err.code)
        mi_batch_diag(m->fw.out, MI_LOSS, "mindir.value_broken", err.offset, 0,
                      "the description of a tensor could be read in part only: %s", err.text);
}

static void broken(struct mindir *m, mi_graph_id graph, const struct mi_error *err)
{
    if (err->code && m->fw.out->rows.graphs.kind[graph.v] == MI_GRAPH_MAIN)
        mi_fail_at(&m->fw.broken, err->code, err->offset, 0, "%s", err->text);
    else if (err->code)
        mi_batch_diag(m->fw.out, MI_LOSS, "mindir.graph_broken", err->offset, 0,
                      "what stands behind this place in a function cannot be read: %s", err->text);
}

void mi_mindir_graph(struct mindir *m, struct mi_pb graph_pb, mi_graph_id graph)
{
    struct mi_error err;
    struct mi_batch *out = m->fw.out;
    struct mi_graphs *graphs = &out->rows.graphs;
    uint32_t position = 0, first = mi_next_row(out, ports);
    for (struct mi_pb pb = mi_fw_apart(graph_pb, &err);
         mi_pb_next(&pb) && mi_fw_step(&m->fw, mi_pb_offset(&pb));) {
        if (pb.key == MI_PB_KEY(3, MI_PB_LEN))
            read_parameter(m, &pb, graph);
        else if (pb.key == MI_PB_KEY(5, MI_PB_LEN))
            read_end(m, &pb, graph, true);
    }
    graphs->first_in[graph.v] = first;
    graphs->in_count[graph.v] = mi_next_row(out, ports) - first;
    for (struct mi_pb pb = mi_fw_apart(graph_pb, &err);
         mi_pb_next(&pb) && mi_fw_step(&m->fw, mi_pb_offset(&pb));)
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN))
            read_node(m, &pb, graph, position++);
    first = mi_next_row(out, ports);
    for (struct mi_pb pb = mi_fw_apart(graph_pb, &err);
         mi_pb_next(&pb) && mi_fw_step(&m->fw, mi_pb_offset(&pb));)
        if (pb.key == MI_PB_KEY(6, MI_PB_LEN))
            read_end(m, &pb, graph, false);
    graphs->first_out[graph.v] = first;
    graphs->out_count[graph.v] = mi_next_row(out, ports) - first;
    broken(m, graph, &err);
}
