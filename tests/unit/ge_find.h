/* Counts and finds rows of GE graphs in what a reader made; fails the test where there is none. */
#ifndef MI_TESTS_GE_FIND_H
#define MI_TESTS_GE_FIND_H

#include "onnx_find.h"
#include "parse/formats/ge/ge_enums.h"

/* Edges of one graph, or of all (graph 0). */
struct edges {
    int data, control, empty, dangling;
};

static inline struct edges count_edges(const struct reading *r, uint32_t graph)
{
    const struct mi_tables *rows = &r->batch.rows;
    struct edges edges = {0, 0, 0, 0};
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        for (uint32_t i = 0; i < rows->nodes.in_count[n]; i++) {
            uint32_t port = rows->nodes.first_in[n] + i;
            mi_value_id value = rows->ports.value[port];
            if (graph && rows->nodes.graph[n].v != graph)
                continue;
            edges.control += rows->ports.is_control[port];
            edges.empty += !value.v;
            edges.data += value.v && !rows->ports.is_control[port];
            edges.dangling += value.v && rows->values.kind[value.v] == MI_VALUE_DANGLING;
        }
    return edges;
}

static inline int count_nodes(const struct reading *r, uint32_t graph)
{
    int count = 0;
    for (uint32_t n = 1; n < r->batch.rows.nodes.count; n++)
        count += !graph || r->batch.rows.nodes.graph[n].v == graph;
    return count;
}

static inline int count_ops(const struct reading *r, const char *op)
{
    int count = 0;
    for (uint32_t n = 1; n < r->batch.rows.nodes.count; n++)
        count += text_is(r, r->batch.rows.nodes.op[n], op);
    return count;
}

static inline int count_tasks(const struct reading *r, const char *type)
{
    int count = 0;
    for (uint32_t p = 1; p < r->batch.rows.planned.count; p++)
        count += text_is(r, r->batch.rows.planned.type[p], type);
    return count;
}

static inline uint32_t graph_named(const struct reading *r, const char *name)
{
    for (uint32_t g = 1; g < r->batch.rows.graphs.count; g++)
        if (text_is(r, r->batch.rows.graphs.name[g], name))
            return g;
    fail_msg("no graph %s", name);
    return 0;
}

/* The attribute row, or 0. */
static inline uint32_t find_attr(const struct reading *r, uint32_t first, uint32_t count,
                                 const char *name)
{
    for (uint32_t i = first; i < first + count; i++)
        if (text_is(r, r->batch.rows.attrs.name[i], name))
            return i;
    return 0;
}

static inline uint32_t node_attr(const struct reading *r, uint32_t node, const char *name)
{
    const struct mi_nodes *nodes = &r->batch.rows.nodes;
    return find_attr(r, nodes->first_attr[node], nodes->attr_count[node], name);
}

static inline uint32_t value_attr(const struct reading *r, uint32_t value, const char *name)
{
    const struct mi_values *values = &r->batch.rows.values;
    return find_attr(r, values->first_attr[value], values->attr_count[value], name);
}

/* The value at output k. */
static inline uint32_t output_of(const struct reading *r, uint32_t node, uint32_t k)
{
    const struct mi_tables *rows = &r->batch.rows;
    assert_true(k < rows->nodes.out_count[node]);
    return rows->ports.value[rows->nodes.first_out[node] + k].v;
}

static inline int count_recorded(const struct reading *r, uint32_t node)
{
    int count = 0;
    for (uint32_t i = 1; i < r->batch.rows.recorded.count; i++)
        count += r->batch.rows.recorded.node[i].v == node;
    return count;
}

static inline mi_str_id fact_named(const struct reading *r, const char *name)
{
    for (uint32_t i = 1; i < r->batch.rows.facts.count; i++)
        if (text_is(r, r->batch.rows.facts.name[i], name))
            return r->batch.rows.facts.text[i];
    return MI_NO_STR;
}

/* "1,4,64" */
static inline void assert_shape(const struct reading *r, uint32_t value, const char *shape)
{
    const struct mi_tables *rows = &r->batch.rows;
    char text[256] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < rows->values.dim_count[value] && at < 200; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", i ? "," : "",
                               (long long)rows->dims.size[rows->values.first_dim[value] + i]);
    assert_string_equal(text, shape);
}

/* The buffer of that kind and port. */
static inline uint32_t buffer_of(const struct reading *r, uint32_t node, enum mi_buffer_kind kind,
                                 uint32_t port)
{
    const struct mi_buffers *buffers = &r->batch.rows.buffers;
    for (uint32_t i = 1; i < buffers->count; i++)
        if (buffers->node[i].v == node && buffers->kind[i] == kind && buffers->port[i] == port)
            return i;
    fail_msg("no buffer %d of node %u", kind, node);
    return 0;
}

#endif
