/* graph.json: the nodes of both layers with everything known about them, the edges, the graphs.
 * One record per line, so that it can be searched by line tools too. */
#include "present/export/common.h"

struct writer {
    const struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_relate relate;
    struct mi_jw jw;
};

/* --- tensors --- */

static void write_tensor_fields(struct writer *w, mi_value_id value)
{
    const struct mi_values *values = &w->rows->values;
    mi_export_id(&w->jw, "tensor_id", value.v);
    mi_export_name(&w->jw, "name", w->model, values->name[value.v]);
    mi_export_enum(&w->jw, "kind", MI_E_value_kind, values->kind[value.v]);
    mi_export_text(&w->jw, "type", w->model, values->type[value.v]);
    mi_export_text(&w->jw, "dtype", w->model, values->dtype[value.v]);
    mi_export_text(&w->jw, "format", w->model, values->format[value.v]);
    mi_export_shape(&w->jw, w->model, value);
    mi_export_enum(&w->jw, "dtype_from", MI_E_known, values->dtype_from[value.v]);
    mi_export_enum(&w->jw, "shape_from", MI_E_known, values->shape_from[value.v]);
}

static void write_ports(struct writer *w, const char *key, uint32_t first, uint32_t count)
{
    const struct mi_ports *ports = &w->rows->ports;
    mi_jw_key(&w->jw, key);
    mi_jw_begin_array(&w->jw);
    for (uint32_t p = first; p < first + count; p++) {
        if (!ports->value[p].v) {
            mi_jw_null(&w->jw);
            continue;
        }
        mi_value_id real = mi_relate_real_value(w->model, ports->value[p]);
        mi_jw_begin_object(&w->jw);
        write_tensor_fields(w, ports->value[p]);
        mi_export_node_id(&w->jw, "producer_node_id", &w->relate, w->rows->values.producer[real.v]);
        mi_export_known(&w->jw, "data_bytes", w->rows->values.data_bytes[ports->value[p].v]);
        mi_jw_member_bool(&w->jw, "is_control", ports->is_control[p]);
        if (ports->is_back[p])
            mi_jw_member_bool(&w->jw, "is_back", true);
        mi_jw_end(&w->jw);
    }
    mi_jw_end(&w->jw);
}

/* --- attributes --- */

static void write_real(struct mi_jw *jw, double value)
{
    if (value - value == 0)
        mi_jw_double(jw, value);
    else /* JSON has no word for it */
        mi_jw_text(jw, value > 0 ? "inf" : value < 0 ? "-inf" : "nan");
}

static void write_item(struct writer *w, enum mi_attr_kind kind, uint32_t item)
{
    const struct mi_items *items = &w->rows->items;
    switch (kind) {
    case MI_ATTR_INT:
    case MI_ATTR_INTS:
        mi_export_exact(&w->jw, items->int_value[item]);
        return;
    case MI_ATTR_BOOL:
    case MI_ATTR_BOOLS:
        mi_jw_bool(&w->jw, items->int_value[item] != 0);
        return;
    case MI_ATTR_FLOAT:
    case MI_ATTR_FLOATS:
        write_real(&w->jw, items->real_value[item]);
        return;
    case MI_ATTR_TENSOR:
    case MI_ATTR_TENSORS:
        if (!items->value[item].v)
            break;
        mi_jw_begin_object(&w->jw);
        write_tensor_fields(w, items->value[item]);
        mi_export_known(&w->jw, "data_bytes", w->rows->values.data_bytes[items->value[item].v]);
        mi_jw_end(&w->jw);
        return;
    case MI_ATTR_GRAPH:
    case MI_ATTR_GRAPHS:
        mi_jw_begin_object(&w->jw);
        mi_export_id(&w->jw, "graph_id", items->graph[item].v);
        mi_jw_end(&w->jw);
        return;
    case MI_ATTR_UNDEFINED:
    case MI_ATTR_STRING:
    case MI_ATTR_STRINGS:
    case MI_ATTR_TYPE:
    case MI_ATTR_TYPES:
    case MI_ATTR_REFERENCE:
    case MI_ATTR_OPAQUE:
        break;
    }
    mi_jw_string(&w->jw, mi_model_text(w->model, items->text[item]));
}

static bool is_list(enum mi_attr_kind kind)
{
    return kind == MI_ATTR_INTS || kind == MI_ATTR_FLOATS || kind == MI_ATTR_STRINGS ||
           kind == MI_ATTR_BOOLS || kind == MI_ATTR_TYPES || kind == MI_ATTR_TENSORS ||
           kind == MI_ATTR_GRAPHS;
}

static void write_attributes(struct writer *w, uint32_t node)
{
    const struct mi_attrs *attrs = &w->rows->attrs;
    uint32_t first = w->rows->nodes.first_attr[node];
    mi_jw_key(&w->jw, "attributes");
    mi_jw_begin_array(&w->jw);
    for (uint32_t a = first; a < first + w->rows->nodes.attr_count[node]; a++) {
        enum mi_attr_kind kind = (enum mi_attr_kind)attrs->kind[a];
        uint32_t end = attrs->first_item[a] + attrs->item_count[a];
        mi_jw_begin_object(&w->jw);
        mi_export_name(&w->jw, "name", w->model, attrs->name[a]);
        mi_export_enum(&w->jw, "kind", MI_E_attr_kind, kind);
        mi_jw_key(&w->jw, "value");
        if (is_list(kind))
            mi_jw_begin_array(&w->jw);
        else if (!attrs->item_count[a])
            mi_jw_null(&w->jw);
        else
            end = attrs->first_item[a] + 1;
        for (uint32_t i = attrs->first_item[a]; i < end; i++)
            write_item(w, kind, i);
        if (is_list(kind))
            mi_jw_end(&w->jw);
        mi_jw_end(&w->jw);
    }
    mi_jw_end(&w->jw);
}

/* --- relations of a node --- */

static void write_fate(struct writer *w, uint32_t node)
{
    const struct mi_fates *fates = &w->rows->fates;
    uint32_t fate = w->model->index.fate_of[node];
    mi_jw_member_text(&w->jw, "fate", fate ? mi_enum_name(MI_E_fate, fates->fate[fate]) : NULL);
    mi_jw_member_text(&w->jw, "fate_reason",
                      fate ? mi_enum_name(MI_E_reason, fates->reason[fate]) : NULL);
    mi_export_node_id(&w->jw, "fate_into", &w->relate, fate ? fates->into[fate] : (mi_node_id){0});
    mi_jw_member_text(&w->jw, "fate_confidence",
                      fate ? mi_enum_name(MI_E_confidence, fates->confidence[fate]) : NULL);
}

static void write_origin(struct writer *w, uint32_t node)
{
    const struct mi_births *births = &w->rows->births;
    uint32_t birth = w->model->index.birth_of[node];
    mi_value_id serves = birth ? births->serves[birth] : (mi_value_id){0};
    mi_jw_member_text(&w->jw, "origin",
                      birth ? mi_enum_name(MI_E_origin, births->origin[birth]) : NULL);
    mi_export_text(&w->jw, "serves", w->model,
                   serves.v ? w->rows->values.name[serves.v] : MI_NO_STR);
}

/* What the verdict rests on: a framework op has a fate, a compiled node an origin, no node both. */
static void write_evidence(struct writer *w, uint32_t node)
{
    uint32_t fate = w->model->index.fate_of[node], birth = w->model->index.birth_of[node];
    mi_str_id evidence = fate    ? w->rows->fates.evidence[fate]
                         : birth ? w->rows->births.evidence[birth]
                                 : MI_NO_STR;
    mi_export_text(&w->jw, "evidence", w->model, evidence);
}

static void write_links(struct writer *w, mi_node_id node, bool is_compiled)
{
    const struct mi_lowered *links = &w->rows->lowered;
    const struct mi_csr *csr =
        is_compiled ? &w->model->index.framework_of : &w->model->index.compiled_of;
    mi_jw_key(&w->jw, "links");
    mi_jw_begin_array(&w->jw);
    for (uint32_t i = csr->first[node.v]; i < csr->first[node.v + 1]; i++) {
        uint32_t link = csr->list[i];
        mi_node_id other = is_compiled ? links->framework[link] : links->compiled[link];
        mi_jw_begin_object(&w->jw);
        mi_export_node_id(&w->jw, "node_id", &w->relate, other);
        mi_export_enum(&w->jw, "layer_level", MI_E_layer, mi_node_layer(w->model, other));
        mi_export_enum(&w->jw, "role", MI_E_role, links->role[link]);
        mi_export_enum(&w->jw, "confidence", MI_E_confidence, links->confidence[link]);
        mi_export_text(&w->jw, "rule", w->model, links->rule[link]);
        mi_export_text(&w->jw, "evidence", w->model, links->evidence[link]);
        mi_export_text(&w->jw, "conflict", w->model, links->conflict[link]);
        mi_jw_end(&w->jw);
    }
    mi_jw_end(&w->jw);
}

static void write_branch(struct writer *w, mi_node_id node)
{
    struct mi_branch branch = mi_relate_branch(w->model, node);
    mi_jw_key(&w->jw, "branch");
    if (!branch.owner.v) {
        mi_jw_null(&w->jw);
        return;
    }
    mi_jw_begin_object(&w->jw);
    mi_export_node_id(&w->jw, "node_id", &w->relate, branch.owner);
    mi_export_id(&w->jw, "graph_id", branch.graph.v);
    mi_export_text(&w->jw, "role", w->model, w->rows->graphs.role[branch.graph.v]);
    mi_jw_end(&w->jw);
}

/* --- records --- */

/* The tensor whose shape, dtype and format stand for the node: its first output. */
static mi_value_id main_value(struct writer *w, uint32_t node)
{
    const struct mi_nodes *nodes = &w->rows->nodes;
    for (uint32_t i = 0; i < nodes->out_count[node]; i++) {
        mi_value_id value = w->rows->ports.value[nodes->first_out[node] + i];
        if (value.v)
            return value;
    }
    return (mi_value_id){0};
}

static bool write_node(struct writer *w, uint32_t node, struct mi_error *err)
{
    const struct mi_nodes *nodes = &w->rows->nodes;
    const struct mi_values *values = &w->rows->values;
    mi_node_id id = {node};
    enum mi_layer layer = mi_node_layer(w->model, id);
    mi_value_id value = main_value(w, node);
    struct mi_id_list list;
    mi_export_begin_record(&w->jw);
    mi_export_node_id(&w->jw, "node_id", &w->relate, id);
    mi_export_enum(&w->jw, "layer_level", MI_E_layer, layer);
    mi_export_id(&w->jw, "row_id", node);
    mi_export_name(&w->jw, "op_type", w->model, nodes->op[node]);
    mi_export_name(&w->jw, "name", w->model, nodes->name[node]);
    mi_jw_hex_note(&w->jw, "name_hex", mi_model_text(w->model, nodes->name[node]));
    mi_export_shape(&w->jw, w->model, value);
    if (!mi_relate_fused_from(&w->relate, id, &list))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    mi_export_ids(&w->jw, "fused_from", list);
    if (!mi_relate_tasks(&w->relate, id, &list))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    mi_export_ids(&w->jw, "mapped_task_ids", list);
    mi_export_name(&w->jw, "domain", w->model, nodes->domain[node]);
    mi_export_text(&w->jw, "dtype", w->model, value.v ? values->dtype[value.v] : MI_NO_STR);
    mi_export_text(&w->jw, "format", w->model, value.v ? values->format[value.v] : MI_NO_STR);
    mi_export_enum(&w->jw, "dtype_from", MI_E_known, value.v ? values->dtype_from[value.v] : 0);
    mi_export_enum(&w->jw, "shape_from", MI_E_known, value.v ? values->shape_from[value.v] : 0);
    mi_export_enum(&w->jw, "category", MI_E_category, nodes->category[node]);
    mi_export_id(&w->jw, "graph_id", nodes->graph[node].v);
    mi_jw_member_i64(&w->jw, "position", nodes->position[node]);
    mi_export_known(&w->jw, "native_id", nodes->native_id[node]);
    mi_export_known(&w->jw, "logical_stream", nodes->stream[node]);
    mi_jw_member_bool(&w->jw, "is_fused", mi_relate_is_fused(w->model, id));
    write_branch(w, id);
    write_fate(w, node);
    write_origin(w, node);
    write_evidence(w, node);
    write_links(w, id, layer == MI_LAYER_COMPILED);
    write_ports(w, "inputs", nodes->first_in[node], nodes->in_count[node]);
    write_ports(w, "outputs", nodes->first_out[node], nodes->out_count[node]);
    write_attributes(w, node);
    mi_jw_end(&w->jw);
    return true;
}

static void write_graphs(struct writer *w)
{
    const struct mi_graphs *graphs = &w->rows->graphs;
    const uint32_t *first = w->model->index.graph_first_node;
    mi_jw_key(&w->jw, "graphs");
    mi_jw_begin_array(&w->jw);
    for (uint32_t g = 1; g < graphs->count; g++) {
        mi_export_begin_record(&w->jw);
        mi_export_id(&w->jw, "graph_id", g);
        mi_export_enum(&w->jw, "layer_level", MI_E_layer, graphs->layer[g]);
        mi_export_enum(&w->jw, "kind", MI_E_graph_kind, graphs->kind[g]);
        mi_export_name(&w->jw, "name", w->model, graphs->name[g]);
        mi_export_text(&w->jw, "domain", w->model, graphs->domain[g]);
        mi_export_id(&w->jw, "source_id", graphs->source[g].v);
        mi_export_node_id(&w->jw, "owner_node_id", &w->relate, graphs->parent[g]);
        mi_export_text(&w->jw, "role", w->model, graphs->role[g]);
        mi_jw_member_i64(&w->jw, "node_count", first[g + 1] - first[g]);
        write_ports(w, "inputs", graphs->first_in[g], graphs->in_count[g]);
        write_ports(w, "outputs", graphs->first_out[g], graphs->out_count[g]);
        mi_jw_end(&w->jw);
    }
    mi_jw_end(&w->jw);
}

/* One edge per input that a node makes; into inner graphs too, by the tensor they capture. */
static void write_edges_into(struct writer *w, uint32_t node)
{
    const struct mi_nodes *nodes = &w->rows->nodes;
    const struct mi_values *values = &w->rows->values;
    for (uint32_t i = 0; i < nodes->in_count[node]; i++) {
        uint32_t port = nodes->first_in[node] + i;
        mi_value_id value = mi_relate_real_value(w->model, w->rows->ports.value[port]);
        mi_node_id producer = value.v ? values->producer[value.v] : (mi_node_id){0};
        if (!producer.v)
            continue;
        mi_export_begin_record(&w->jw);
        mi_export_enum(&w->jw, "layer_level", MI_E_layer, mi_node_layer(w->model, producer));
        mi_export_node_id(&w->jw, "from_node_id", &w->relate, producer);
        mi_export_node_id(&w->jw, "to_node_id", &w->relate, (mi_node_id){node});
        mi_jw_member_i64(&w->jw, "to_input", i);
        mi_export_id(&w->jw, "tensor_id", value.v);
        mi_export_name(&w->jw, "tensor", w->model, values->name[value.v]);
        mi_jw_member_bool(&w->jw, "is_control", w->rows->ports.is_control[port]);
        if (w->rows->ports.is_back[port])
            mi_jw_member_bool(&w->jw, "is_back", true);
        mi_jw_end(&w->jw);
    }
}

static void write_facts(struct writer *w)
{
    const struct mi_facts *facts = &w->rows->facts;
    mi_jw_key(&w->jw, "facts");
    mi_jw_begin_array(&w->jw);
    for (uint32_t f = 1; f < facts->count; f++) {
        mi_export_begin_record(&w->jw);
        mi_export_id(&w->jw, "source_id", facts->source[f].v);
        mi_export_name(&w->jw, "name", w->model, facts->name[f]);
        mi_export_name(&w->jw, "text", w->model, facts->text[f]);
        mi_jw_end(&w->jw);
    }
    mi_jw_end(&w->jw);
}

bool mi_export_graph_json(const struct mi_view *view, struct mi_sink *sink, struct mi_error *err)
{
    struct writer w = {.model = view->model, .rows = &view->model->all.rows};
    if (!mi_relate_init(&w.relate, view->model, err))
        return false;
    mi_jw_init(&w.jw, sink, NULL);
    mi_jw_begin_object(&w.jw);
    mi_jw_member_text(&w.jw, "schema", "model-inspector-graph/1");
    mi_export_start(&w.jw, w.model);
    mi_export_sources(&w.jw, w.model);
    write_facts(&w);
    write_graphs(&w);
    mi_jw_key(&w.jw, "nodes");
    mi_jw_begin_array(&w.jw);
    bool ok = true;
    for (uint32_t n = 1; ok && n < w.rows->nodes.count; n++)
        ok = write_node(&w, n, err) && !mi_sink_failed(sink);
    mi_jw_end(&w.jw);
    mi_jw_key(&w.jw, "edges");
    mi_jw_begin_array(&w.jw);
    for (uint32_t n = 1; ok && n < w.rows->nodes.count; n++)
        write_edges_into(&w, n);
    mi_jw_end(&w.jw);
    mi_export_diagnostics(&w.jw, w.model);
    mi_jw_end(&w.jw);
    ok = mi_jw_finish(&w.jw, err) && ok;
    mi_relate_fini(&w.relate);
    return ok;
}
