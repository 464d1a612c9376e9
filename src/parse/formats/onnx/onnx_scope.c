/* ONNX names: a tensor is known by its name within its graph, and a body sees the names of all
 * graphs around it. */
#include "parse/formats/onnx/onnx_read.h"

static mi_value_id add_value(struct onnx *o, mi_graph_id graph, mi_str_id name,
                             enum mi_value_kind kind, mi_node_id producer)
{
    return mi_add_value(o->out, &(struct mi_value_row){.graph = graph,
                                                       .name = name,
                                                       .kind = (uint8_t)kind,
                                                       .producer = producer,
                                                       .data_offset = -1,
                                                       .data_bytes = -1});
}

static uint32_t *slot_of(struct onnx *o, mi_graph_id graph, mi_str_id name)
{
    uint32_t *slot = mi_map_at(&o->values, mi_pair(graph.v, name.v));
    if (!slot)
        mi_batch_fail(o->out, MI_ENOMEM, "out of memory for the names of tensors");
    return slot;
}

mi_value_id mi_onnx_use(struct onnx *o, mi_graph_id graph, mi_str_id name)
{
    if (!name.v || mi_batch_failed(o->out))
        return (mi_value_id){0};
    uint32_t *slot = slot_of(o, graph, name);
    if (slot && !*slot)
        *slot = add_value(o, graph, name, MI_VALUE_DANGLING, (mi_node_id){0}).v;
    return (mi_value_id){slot ? *slot : 0};
}

mi_value_id mi_onnx_define(struct onnx *o, mi_graph_id graph, mi_str_id name,
                           enum mi_value_kind kind, mi_node_id producer, uint64_t offset)
{
    if (!name.v || mi_batch_failed(o->out))
        return (mi_value_id){0};
    uint32_t *slot = slot_of(o, graph, name);
    if (!slot)
        return (mi_value_id){0};
    struct mi_values *values = &o->out->rows.values;
    struct mi_bytes text = mi_batch_text(o->out, name);
    if (*slot && values->kind[*slot] == MI_VALUE_DANGLING) {
        mi_batch_diag(o->out, MI_NOTICE, "onnx.order", offset, 0,
                      "the tensor \"%.*s\" is used before the node that makes it; "
                      "the nodes are not sorted or form a cycle",
                      MI_ONNX_SHOW(text));
        values->kind[*slot] = (uint8_t)kind;
        values->producer[*slot] = producer;
        return (mi_value_id){*slot};
    }
    if (*slot)
        mi_batch_diag(o->out, MI_NOTICE, "onnx.value_twice", offset, 0,
                      "the tensor \"%.*s\" is defined more than once in its graph",
                      MI_ONNX_SHOW(text));
    *slot = add_value(o, graph, name, kind, producer).v;
    return (mi_value_id){*slot};
}

/* The graph around `graph`; none for main graphs and functions. */
static mi_graph_id around(const struct onnx *o, mi_graph_id graph)
{
    const struct mi_tables *rows = &o->out->rows;
    mi_node_id parent = rows->graphs.parent[graph.v];
    return parent.v ? rows->nodes.graph[parent.v] : (mi_graph_id){0};
}

/* The value of that name in the nearest graph around `graph`, or none. */
static mi_value_id find_around(const struct onnx *o, mi_graph_id graph, mi_str_id name)
{
    uint32_t found = 0;
    for (graph = around(o, graph); graph.v && !found; graph = around(o, graph))
        found = mi_map_get(&o->values, mi_pair(graph.v, name.v));
    return (mi_value_id){found};
}

/* `inner` stands for `outer` of the graph around it; `origin` is what both come from. */
static void make_outer(struct onnx *o, mi_value_id inner, mi_value_id outer, mi_value_id origin)
{
    struct mi_values *values = &o->out->rows.values;
    values->kind[inner.v] = MI_VALUE_OUTER;
    values->outer[inner.v] = outer;
    values->type[inner.v] = values->type[origin.v];
    values->dtype[inner.v] = values->dtype[origin.v];
    values->has_shape[inner.v] = values->has_shape[origin.v];
    values->first_dim[inner.v] = values->first_dim[origin.v];
    values->dim_count[inner.v] = values->dim_count[origin.v];
}

/* Links `value`, unknown in its own graph, to `found` through the graphs between; false if there is
 * nothing to link to. */
static bool capture(struct onnx *o, mi_value_id value, mi_value_id found)
{
    struct mi_values *values = &o->out->rows.values;
    if (!found.v || values->kind[found.v] == MI_VALUE_DANGLING || o->between > ONNX_MAX_BETWEEN)
        return false;
    mi_graph_id owner = values->graph[found.v], graph = values->graph[value.v];
    mi_str_id name = values->name[value.v];
    for (graph = around(o, graph); graph.v != owner.v; graph = around(o, graph)) {
        mi_value_id between = mi_onnx_use(o, graph, name);
        if (!between.v)
            return true; /* out of memory: the batch knows */
        make_outer(o, value, between, found);
        value = between;
        o->between++;
    }
    make_outer(o, value, found, found);
    return true;
}

void mi_onnx_resolve(struct onnx *o, mi_graph_id graph, uint32_t first_value, uint64_t offset)
{
    struct mi_values *values = &o->out->rows.values;
    if (mi_batch_failed(o->out))
        return; /* the node that owns the graph may be missing */
    bool is_inner = around(o, graph).v != 0;
    uint32_t end = values->count;
    for (uint32_t i = first_value; i < end && !mi_batch_failed(o->out); i++) {
        mi_str_id name = values->name[i];
        if (values->graph[i].v != graph.v || !name.v)
            continue;
        bool is_unknown = values->kind[i] == MI_VALUE_DANGLING;
        mi_value_id outer = is_inner ? find_around(o, graph, name) : (mi_value_id){0};
        struct mi_bytes text = mi_batch_text(o->out, name);
        if (is_unknown && !capture(o, (mi_value_id){i}, outer))
            mi_batch_diag(o->out, MI_NOTICE, "onnx.dangling", offset, 0,
                          "the tensor \"%.*s\" is used but nothing makes it", MI_ONNX_SHOW(text));
        else if (!is_unknown && outer.v && values->kind[i] != MI_VALUE_OUTER)
            mi_batch_diag(o->out, MI_INFO, "onnx.shadow", offset, 0,
                          "the tensor \"%.*s\" of a body hides one of the same name outside",
                          MI_ONNX_SHOW(text));
    }
}
