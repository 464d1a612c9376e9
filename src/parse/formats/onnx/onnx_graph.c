/* ONNX graphs, functions and nodes.
 *
 * A node is a record of the ledger. Each is read with an error of its own: lengths frame the
 * messages, so damage inside one leaves the others readable. Fields may come in any order, hence
 * several walks over a message: inputs, then outputs, then attributes. */
#include "parse/formats/onnx/onnx_read.h"

/* Nodes of one graph that room is made for beforehand. */
enum { LEAST_EXPECTED = 1000, MOST_EXPECTED = 4000000 };

/* --- nodes --- */

struct head {
    struct mi_bytes name, op, domain;
};

static struct head scan_node(struct onnx *o, struct mi_pb pb, struct mi_error *err)
{
    struct head head = {.name = {NULL, 0}};
    pb = mi_onnx_apart(pb, err);
    while (mi_pb_next(&pb)) {
        switch (pb.key) {
        case MI_PB_KEY(3, MI_PB_LEN):
            head.name = pb.bytes;
            break;
        case MI_PB_KEY(4, MI_PB_LEN):
            head.op = pb.bytes;
            break;
        case MI_PB_KEY(7, MI_PB_LEN):
            head.domain = pb.bytes;
            break;
        case MI_PB_KEY(1, MI_PB_LEN):
        case MI_PB_KEY(2, MI_PB_LEN):
        case MI_PB_KEY(5, MI_PB_LEN):
        case MI_PB_KEY(6, MI_PB_LEN):
        case MI_PB_KEY(8, MI_PB_LEN):
        case MI_PB_KEY(9, MI_PB_LEN):
        case MI_PB_KEY(10, MI_PB_LEN): /* device_configurations */
            break;
        default:
            mi_onnx_unknown(o, &pb, "NodeProto");
        }
    }
    return head;
}

static uint32_t add_inputs(struct onnx *o, struct mi_pb pb, mi_graph_id graph)
{
    struct mi_error err;
    uint32_t count = 0;
    pb = mi_onnx_apart(pb, &err);
    while (mi_pb_next(&pb)) {
        if (pb.key != MI_PB_KEY(1, MI_PB_LEN))
            continue;
        mi_str_id name = mi_onnx_name(o, pb.bytes, mi_pb_payload_offset(&pb));
        mi_value_id value = mi_onnx_use(o, graph, name);
        mi_add_port(o->out, &(struct mi_port_row){.value = value});
        count++;
    }
    return count;
}

static uint32_t add_outputs(struct onnx *o, struct mi_pb pb, mi_graph_id graph, mi_node_id node)
{
    struct mi_error err;
    uint32_t count = 0;
    pb = mi_onnx_apart(pb, &err);
    while (mi_pb_next(&pb)) {
        if (pb.key != MI_PB_KEY(2, MI_PB_LEN))
            continue;
        uint64_t at = mi_pb_payload_offset(&pb);
        mi_str_id name = mi_onnx_name(o, pb.bytes, at);
        mi_value_id value = mi_onnx_define(o, graph, name, MI_VALUE_ACTIVATION, node, at);
        mi_add_port(o->out, &(struct mi_port_row){.value = value});
        count++;
    }
    return count;
}

static void add_attr(struct onnx *o, const struct mi_pb *pb, mi_graph_id graph, mi_node_id node,
                     uint32_t depth)
{
    struct mi_error err;
    mi_onnx_attr(o, mi_onnx_apart(mi_pb_sub(pb), &err), graph, node, depth);
    if (err.code)
        mi_batch_diag(o->out, MI_LOSS, "onnx.attr_broken", err.offset, 0,
                      "an attribute could be read in part only: %s", err.text);
}

/* Attributes in file order, and behind them what else the node says. */
static uint32_t add_attrs(struct onnx *o, struct mi_pb pb, mi_graph_id graph, mi_node_id node,
                          uint32_t depth)
{
    struct mi_error err;
    struct mi_bytes none = {NULL, 0};
    uint32_t first = mi_next_row(o->out, attrs);
    for (struct mi_pb at = mi_onnx_apart(pb, &err); mi_pb_next(&at);)
        if (at.key == MI_PB_KEY(5, MI_PB_LEN))
            add_attr(o, &at, graph, node, depth);
    for (struct mi_pb at = mi_onnx_apart(pb, &err); mi_pb_next(&at);) {
        if (at.key == MI_PB_KEY(6, MI_PB_LEN)) {
            mi_onnx_note(o, "doc_string", none, at.bytes, mi_pb_payload_offset(&at));
        } else if (at.key == MI_PB_KEY(8, MI_PB_LEN)) {
            mi_onnx_note(o, "overload", none, at.bytes, mi_pb_payload_offset(&at));
        } else if (at.key == MI_PB_KEY(9, MI_PB_LEN)) {
            struct mi_bytes key = none, text = none;
            mi_onnx_pair(mi_pb_sub(&at), &key, &text);
            mi_onnx_note(o, "metadata", key, text, mi_pb_payload_offset(&at));
        }
    }
    return mi_next_row(o->out, attrs) - first;
}

static void note_name(struct onnx *o, mi_graph_id graph, mi_str_id name, mi_node_id node,
                      uint64_t offset)
{
    if (!name.v || mi_batch_failed(o->out))
        return;
    struct mi_bytes text = mi_batch_text(o->out, name);
    uint32_t *slot = mi_map_at(&o->nodes, mi_pair(graph.v, name.v));
    if (!slot)
        mi_batch_fail(o->out, MI_ENOMEM, "out of memory for the names of nodes");
    else if (*slot)
        mi_batch_diag(o->out, MI_NOTICE, "onnx.node_name_twice", offset, 0,
                      "more than one node of a graph is called \"%.*s\"", MI_ONNX_SHOW(text));
    else
        *slot = node.v;
}

static void read_node(struct onnx *o, const struct mi_pb *field, const struct onnx_job *job,
                      uint32_t position)
{
    struct mi_error err;
    struct mi_pb pb = mi_pb_sub(field);
    uint64_t at = mi_pb_payload_offset(field);
    struct head head = scan_node(o, pb, &err);
    o->out->counts.in++;
    if (err.code)
        mi_batch_diag(o->out, MI_LOSS, "onnx.node_broken", err.offset, 0,
                      "a node could be read in part only: %s", err.text);
    if (head.op.len == 0 && (err.code || field->is_clipped)) {
        o->out->counts.lost++;
        return;
    }
    if (head.op.len == 0)
        mi_batch_diag(o->out, MI_NOTICE, "onnx.node_without_op", at, 0,
                      "a node without operator type");
    mi_node_id node = {mi_next_row(o->out, nodes)};
    struct mi_node_row row = {.graph = job->graph,
                              .name = mi_onnx_name(o, head.name, at),
                              .op = mi_onnx_name(o, head.op, at),
                              .domain = mi_onnx_domain(o, head.domain, at),
                              .position = position,
                              .native_id = -1,
                              .stream = -1};
    note_name(o, job->graph, row.name, node, at);
    row.first_in = mi_next_row(o->out, ports);
    row.in_count = add_inputs(o, pb, job->graph);
    row.first_out = mi_next_row(o->out, ports);
    row.out_count = add_outputs(o, pb, job->graph, node);
    row.first_attr = mi_next_row(o->out, attrs);
    row.attr_count = add_attrs(o, pb, job->graph, node, job->depth);
    if (mi_add_node(o->out, &row).v)
        o->out->counts.kept++;
}

/* All fields number `node_field` of the graph or function. */
/* Room for what the nodes of a graph become, so that big tables need not grow step by step. That it
 * could not be had shows when the rows are added. */
static void expect_nodes(struct onnx *o, const struct onnx_job *job, uint32_t node_field)
{
    struct mi_error err;
    struct mi_pb pb = mi_onnx_apart(job->pb, &err);
    uint32_t count = 0;
    while (count < MOST_EXPECTED && mi_pb_next(&pb))
        count += pb.key == MI_PB_KEY(node_field, MI_PB_LEN);
    if (count < LEAST_EXPECTED)
        return;
    mi_table_reserve(&o->out->rows, MI_T_nodes, count);
    mi_table_reserve(&o->out->rows, MI_T_values, count + count / 8);
    mi_table_reserve(&o->out->rows, MI_T_ports, 2 * count + count / 2);
    mi_map_reserve(&o->values, count + count / 8);
    mi_map_reserve(&o->nodes, count);
}

static void read_nodes(struct onnx *o, const struct onnx_job *job, uint32_t node_field)
{
    struct mi_error err;
    expect_nodes(o, job, node_field);
    struct mi_pb pb = mi_onnx_apart(job->pb, &err);
    uint32_t position = 0;
    while (mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(node_field, MI_PB_LEN)) {
            if (!mi_onnx_step(o, mi_pb_offset(&pb)))
                return;
            read_node(o, &pb, job, position++);
        }
}

/* --- values --- */

/* ValueInfoProto; `type` stands on its TypeProto. */
struct info {
    struct mi_bytes name;
    struct mi_pb type;
    bool has_type;
};

static struct info scan_info(struct onnx *o, struct mi_pb pb)
{
    struct info info = {.has_type = false};
    while (mi_pb_next(&pb)) {
        switch (pb.key) {
        case MI_PB_KEY(1, MI_PB_LEN):
            info.name = pb.bytes;
            break;
        case MI_PB_KEY(2, MI_PB_LEN):
            info.type = mi_pb_sub(&pb);
            info.has_type = true;
            break;
        case MI_PB_KEY(3, MI_PB_LEN): /* doc_string */
        case MI_PB_KEY(4, MI_PB_LEN): /* metadata_props */
            break;
        default:
            mi_onnx_unknown(o, &pb, "ValueInfoProto");
        }
    }
    return info;
}

static void broken_value(struct onnx *o, const struct mi_error *err)
{
    if (err->code)
        mi_batch_diag(o->out, MI_LOSS, "onnx.value_broken", err->offset, 0,
                      "the description of a tensor could be read in part only: %s", err->text);
}

/* The row of that name if it comes from `kind`, else none. */
static mi_value_id known_as(const struct onnx *o, mi_graph_id graph, mi_str_id name,
                            enum mi_value_kind kind)
{
    uint32_t found = mi_map_get(&o->values, mi_pair(graph.v, name.v));
    bool is_it = found && o->out->rows.values.kind[found] == kind;
    return (mi_value_id){is_it ? found : 0};
}

/* Before version 4 every initialiser had to be listed as an input too and could not be overridden;
 * since then an input with an initialiser has a default value. */
static void read_input(struct onnx *o, const struct mi_pb *field, mi_graph_id graph)
{
    struct mi_error err;
    uint64_t at = mi_pb_payload_offset(field);
    struct info info = scan_info(o, mi_onnx_apart(mi_pb_sub(field), &err));
    mi_str_id name = mi_onnx_name(o, info.name, at);
    mi_value_id value = known_as(o, graph, name, MI_VALUE_CONSTANT);
    if (!value.v)
        value = mi_onnx_define(o, graph, name, MI_VALUE_INPUT, (mi_node_id){0}, at);
    else if (o->ir_version >= 4)
        o->out->rows.values.kind[value.v] = MI_VALUE_INPUT;
    if (info.has_type)
        mi_onnx_value_type(o, value, info.type);
    mi_add_port(o->out, &(struct mi_port_row){.value = value});
    broken_value(o, &err);
}

static void fill_constant(struct onnx *o, mi_value_id value, const struct mi_value_row *row)
{
    struct mi_values *values = &o->out->rows.values;
    values->data_offset[value.v] = row->data_offset;
    values->data_bytes[value.v] = row->data_bytes;
    values->data_path[value.v] = row->data_path;
    values->data_form[value.v] = row->data_form;
    if (values->dtype[value.v].v)
        return;
    values->type[value.v] = row->type;
    values->dtype[value.v] = row->dtype;
    values->has_shape[value.v] = row->has_shape;
    values->first_dim[value.v] = row->first_dim;
    values->dim_count[value.v] = row->dim_count;
}

static void read_initialiser(struct onnx *o, const struct mi_pb *field, mi_graph_id graph)
{
    struct mi_error err;
    struct onnx_tensor tensor;
    uint64_t at = mi_pb_payload_offset(field);
    struct mi_pb pb = mi_onnx_apart(mi_pb_sub(field), &err);
    (mi_pb_field(field) == 15 ? mi_onnx_sparse : mi_onnx_tensor)(o, pb, &tensor);
    broken_value(o, &err);
    mi_str_id name = mi_onnx_name(o, tensor.name, at);
    if (!name.v) {
        mi_batch_diag(o->out, MI_NOTICE, "onnx.initialiser_unnamed", at, 0,
                      "an initialiser without a name, which nothing can use");
        return;
    }
    mi_value_id value = known_as(o, graph, name, MI_VALUE_INPUT);
    if (!value.v || o->out->rows.values.data_bytes[value.v] >= 0)
        value = mi_onnx_define(o, graph, name, MI_VALUE_CONSTANT, (mi_node_id){0}, at);
    else if (o->ir_version < 4)
        o->out->rows.values.kind[value.v] = MI_VALUE_CONSTANT;
    if (value.v)
        fill_constant(o, value, &tensor.row);
}

static void read_output(struct onnx *o, const struct mi_pb *field, mi_graph_id graph)
{
    struct mi_error err;
    struct info info = scan_info(o, mi_onnx_apart(mi_pb_sub(field), &err));
    mi_str_id name = mi_onnx_name(o, info.name, mi_pb_payload_offset(field));
    mi_value_id value = mi_onnx_use(o, graph, name);
    if (info.has_type)
        mi_onnx_value_type(o, value, info.type);
    mi_add_port(o->out, &(struct mi_port_row){.value = value});
    broken_value(o, &err);
}

static void read_value_info(struct onnx *o, const struct mi_pb *field, mi_graph_id graph)
{
    struct mi_error err;
    uint64_t at = mi_pb_payload_offset(field);
    struct info info = scan_info(o, mi_onnx_apart(mi_pb_sub(field), &err));
    mi_str_id name = mi_onnx_name(o, info.name, at);
    mi_value_id value = {mi_map_get(&o->values, mi_pair(graph.v, name.v))};
    if (!value.v)
        mi_batch_diag(o->out, MI_INFO, "onnx.value_unused", at, 0,
                      "a type is given for the tensor \"%.*s\", which its graph does not have",
                      MI_ONNX_SHOW(info.name));
    else if (info.has_type)
        mi_onnx_value_type(o, value, info.type);
    broken_value(o, &err);
}

/* --- graphs --- */

static bool is_main(const struct onnx *o, mi_graph_id graph)
{
    return o->out->rows.graphs.kind[graph.v] == MI_GRAPH_MAIN;
}

static void broken_graph(struct onnx *o, const struct onnx_job *job, const struct mi_error *err)
{
    if (err->code && is_main(o, job->graph))
        mi_fail_at(&o->broken, err->code, err->offset, 0, "%s", err->text);
    else if (err->code)
        mi_batch_diag(o->out, MI_LOSS, "onnx.graph_broken", err->offset, 0,
                      "what stands behind this place in a body or function cannot be read: %s",
                      err->text);
}

/* Everything that exists before the first node runs. */
static void read_definitions(struct onnx *o, const struct onnx_job *job)
{
    struct mi_error err;
    struct mi_pb pb = mi_onnx_apart(job->pb, &err);
    struct mi_graphs *graphs = &o->out->rows.graphs;
    uint32_t first = mi_next_row(o->out, ports);
    while (mi_pb_next(&pb)) {
        switch (pb.key) {
        case MI_PB_KEY(2, MI_PB_LEN):
            graphs->name[job->graph.v] = mi_onnx_name(o, pb.bytes, mi_pb_payload_offset(&pb));
            break;
        case MI_PB_KEY(5, MI_PB_LEN):
        case MI_PB_KEY(15, MI_PB_LEN):
            if (!mi_onnx_step(o, mi_pb_offset(&pb)))
                return;
            read_initialiser(o, &pb, job->graph);
            break;
        case MI_PB_KEY(10, MI_PB_LEN):
            if (is_main(o, job->graph) && pb.bytes.len)
                mi_onnx_fact(o, "graph_doc", pb.bytes, mi_pb_payload_offset(&pb));
            break;
        case MI_PB_KEY(11, MI_PB_LEN):
            if (!mi_onnx_step(o, mi_pb_offset(&pb)))
                return;
            read_input(o, &pb, job->graph);
            break;
        case MI_PB_KEY(1, MI_PB_LEN):  /* nodes: later */
        case MI_PB_KEY(12, MI_PB_LEN): /* outputs: later */
        case MI_PB_KEY(13, MI_PB_LEN): /* types: later */
        case MI_PB_KEY(14, MI_PB_LEN): /* quantization_annotation */
        case MI_PB_KEY(16, MI_PB_LEN): /* metadata_props */
            break;
        default:
            mi_onnx_unknown(o, &pb, "GraphProto");
        }
    }
    graphs->first_in[job->graph.v] = first;
    graphs->in_count[job->graph.v] = mi_next_row(o->out, ports) - first;
    broken_graph(o, job, &err);
}

static void read_outputs(struct onnx *o, const struct onnx_job *job)
{
    struct mi_error err;
    struct mi_graphs *graphs = &o->out->rows.graphs;
    uint32_t first = mi_next_row(o->out, ports);
    for (struct mi_pb pb = mi_onnx_apart(job->pb, &err); mi_pb_next(&pb);)
        if (pb.key == MI_PB_KEY(12, MI_PB_LEN))
            read_output(o, &pb, job->graph);
    graphs->first_out[job->graph.v] = first;
    graphs->out_count[job->graph.v] = mi_next_row(o->out, ports) - first;
    for (struct mi_pb pb = mi_onnx_apart(job->pb, &err); mi_pb_next(&pb);) {
        if (pb.key != MI_PB_KEY(13, MI_PB_LEN))
            continue;
        if (!mi_onnx_step(o, mi_pb_offset(&pb)))
            return;
        read_value_info(o, &pb, job->graph);
    }
}

void mi_onnx_graph(struct onnx *o, const struct onnx_job *job)
{
    uint32_t first_value = mi_next_row(o->out, values);
    uint32_t first_node = mi_next_row(o->out, nodes);
    read_definitions(o, job);
    read_nodes(o, job, 1);
    read_outputs(o, job);
    mi_onnx_resolve(o, job->graph, first_value, job->pb.base);
    if (mi_next_row(o->out, nodes) == first_node)
        mi_batch_diag(o->out, is_main(o, job->graph) ? MI_NOTICE : MI_INFO, "onnx.graph_empty",
                      job->pb.base, 0, "a graph without nodes");
}

/* --- functions --- */

static mi_str_id function_name(struct onnx *o, struct mi_bytes name, struct mi_bytes overload,
                               uint64_t at)
{
    if (overload.len == 0)
        return mi_onnx_name(o, name, at);
    return mi_batch_printf(o->out, "%.*s:%.*s", MI_ONNX_SHOW(name), MI_ONNX_SHOW(overload));
}

/* Name, domain and inputs. */
static void read_signature(struct onnx *o, const struct onnx_job *job)
{
    struct mi_error err;
    struct mi_pb pb = mi_onnx_apart(job->pb, &err);
    struct mi_graphs *graphs = &o->out->rows.graphs;
    struct mi_bytes name = {NULL, 0}, overload = {NULL, 0};
    uint32_t first = mi_next_row(o->out, ports);
    while (mi_pb_next(&pb)) {
        uint64_t at = mi_pb_offset(&pb);
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN)) {
            name = pb.bytes;
        } else if (pb.key == MI_PB_KEY(4, MI_PB_LEN)) {
            mi_str_id input = mi_onnx_name(o, pb.bytes, at);
            mi_value_id value =
                mi_onnx_define(o, job->graph, input, MI_VALUE_INPUT, (mi_node_id){0}, at);
            mi_add_port(o->out, &(struct mi_port_row){.value = value});
        } else if (pb.key == MI_PB_KEY(10, MI_PB_LEN)) {
            graphs->domain[job->graph.v] = mi_onnx_domain(o, pb.bytes, at);
        } else if (pb.key == MI_PB_KEY(13, MI_PB_LEN)) {
            overload = pb.bytes;
        } else if (mi_pb_field(&pb) > 14 || mi_pb_type(&pb) != MI_PB_LEN) {
            mi_onnx_unknown(o, &pb, "FunctionProto");
        }
    }
    graphs->name[job->graph.v] = function_name(o, name, overload, job->pb.base);
    graphs->first_in[job->graph.v] = first;
    graphs->in_count[job->graph.v] = mi_next_row(o->out, ports) - first;
    broken_graph(o, job, &err);
}

void mi_onnx_function(struct onnx *o, const struct onnx_job *job)
{
    struct mi_error err;
    struct mi_graphs *graphs = &o->out->rows.graphs;
    uint32_t first_value = mi_next_row(o->out, values);
    read_signature(o, job);
    read_nodes(o, job, 7);
    uint32_t first = mi_next_row(o->out, ports);
    for (struct mi_pb pb = mi_onnx_apart(job->pb, &err); mi_pb_next(&pb);)
        if (pb.key == MI_PB_KEY(5, MI_PB_LEN)) {
            mi_str_id name = mi_onnx_name(o, pb.bytes, mi_pb_payload_offset(&pb));
            mi_value_id value = mi_onnx_use(o, job->graph, name);
            mi_add_port(o->out, &(struct mi_port_row){.value = value});
        }
    graphs->first_out[job->graph.v] = first;
    graphs->out_count[job->graph.v] = mi_next_row(o->out, ports) - first;
    for (struct mi_pb pb = mi_onnx_apart(job->pb, &err); mi_pb_next(&pb);)
        if (pb.key == MI_PB_KEY(12, MI_PB_LEN))
            read_value_info(o, &pb, job->graph);
    mi_onnx_resolve(o, job->graph, first_value, job->pb.base);
}
