#include "analyse/deps.h"

#include "analyse/describe.h"
#include "base/mem.h"

bool mi_is_constant_node(const struct mi_model *model, mi_node_id node)
{
    static const char *const holders[] = {"Constant", "Const", "Constants"};
    struct mi_bytes op = mi_model_text(model, model->all.rows.nodes.op[node.v]);
    for (size_t i = 0; i < sizeof holders / sizeof *holders; i++)
        if (mi_bytes_equal(op, mi_cstr(holders[i])))
            return true;
    return false;
}

/* --- building --- */

struct builder {
    const struct mi_model *model;
    struct mi_deps *deps;
    uint32_t *stamp; /* [vertex_count] target of the last edge from here */
    uint32_t room;
};

/* The vertex that a value comes from; 0: from outside, or a constant. */
static uint32_t source_of(const struct mi_model *model, mi_value_id value)
{
    const struct mi_tables *rows = &model->all.rows;
    value = mi_value_origin(model, value);
    mi_node_id producer = rows->values.producer[value.v];
    if (rows->values.kind[value.v] == MI_VALUE_INPUT) {
        uint32_t graph = rows->values.graph[value.v].v;
        return rows->graphs.parent[graph].v ? rows->nodes.count + graph : 0;
    }
    return producer.v && !mi_is_constant_node(model, producer) ? producer.v : 0;
}

static void add_edge(struct builder *builder, uint32_t from, uint32_t to)
{
    struct mi_deps *deps = builder->deps;
    if (!from || from == to || builder->stamp[from] == to || deps->edge_count == builder->room)
        return;
    builder->stamp[from] = to;
    deps->from[deps->edge_count] = from;
    deps->to[deps->edge_count++] = to;
}

static void add_ports(struct builder *builder, uint32_t first, uint32_t count, uint32_t to)
{
    const struct mi_ports *ports = &builder->model->all.rows.ports;
    for (uint32_t i = first; i < first + count; i++)
        if (ports->value[i].v && !ports->is_control[i] && !ports->is_back[i])
            add_edge(builder, source_of(builder->model, ports->value[i]), to);
}

static void add_edges(struct builder *builder)
{
    const struct mi_tables *rows = &builder->model->all.rows;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        const struct mi_csr *inner = &builder->model->index.inner;
        add_ports(builder, rows->nodes.first_in[n], rows->nodes.in_count[n], n);
        for (uint32_t i = inner->first[n]; i < inner->first[n + 1]; i++) {
            uint32_t graph = inner->list[i];
            add_ports(builder, rows->graphs.first_out[graph], rows->graphs.out_count[graph], n);
        }
    }
    for (uint32_t g = 1; g < rows->graphs.count; g++) {
        uint32_t owner = rows->graphs.parent[g].v;
        if (owner)
            add_ports(builder, rows->nodes.first_in[owner], rows->nodes.in_count[owner],
                      rows->nodes.count + g);
    }
}

/* An upper bound of the number of edges; 0 if there are too many for 32 bits. */
static uint32_t edge_room(const struct mi_tables *rows)
{
    uint64_t room = 1;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        room += rows->nodes.in_count[n];
    for (uint32_t g = 1; g < rows->graphs.count; g++)
        room +=
            (uint64_t)rows->graphs.out_count[g] + rows->nodes.in_count[rows->graphs.parent[g].v];
    return room < UINT32_MAX ? (uint32_t)room : 0;
}

bool mi_deps_init(struct mi_deps *deps, const struct mi_model *model, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    *deps =
        (struct mi_deps){.vertex_count = rows->nodes.count + rows->graphs.count, .edge_count = 1};
    struct builder builder = {.model = model, .deps = deps, .room = edge_room(rows)};
    if (!builder.room)
        return mi_fail(err, MI_ELIMIT, "more than 2^32 edges");
    builder.stamp = mi_mem_zero(deps->vertex_count, sizeof *builder.stamp);
    deps->from = mi_mem_new(builder.room, sizeof *deps->from);
    deps->to = mi_mem_new(builder.room, sizeof *deps->to);
    bool ok = builder.stamp && deps->from && deps->to;
    if (ok)
        add_edges(&builder);
    mi_mem_free(builder.stamp);
    ok = ok && mi_csr_build(&deps->out, deps->vertex_count, deps->from, deps->edge_count) &&
         mi_csr_build(&deps->in, deps->vertex_count, deps->to, deps->edge_count);
    if (!ok)
        mi_deps_fini(deps);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}

void mi_deps_fini(struct mi_deps *deps)
{
    mi_mem_free(deps->from);
    mi_mem_free(deps->to);
    mi_csr_fini(&deps->out);
    mi_csr_fini(&deps->in);
    *deps = (struct mi_deps){0};
}

/* --- sweeps --- */

bool mi_deps_reach(const struct mi_deps *deps, uint32_t start, bool backwards, uint8_t *marks,
                   uint8_t bit)
{
    const struct mi_csr *edges = backwards ? &deps->in : &deps->out;
    const uint32_t *ends = backwards ? deps->from : deps->to;
    uint32_t *stack = mi_mem_new(deps->vertex_count, sizeof *stack);
    uint32_t open = 0;
    if (!stack)
        return false;
    stack[open++] = start;
    while (open) {
        uint32_t vertex = stack[--open];
        for (uint32_t i = edges->first[vertex]; i < edges->first[vertex + 1]; i++) {
            uint32_t next = ends[edges->list[i]];
            if (next != start && !(marks[next] & bit)) {
                marks[next] |= bit;
                stack[open++] = next;
            }
        }
    }
    mi_mem_free(stack);
    return true;
}

/* --- order --- */

/* A heap of vertices, the least on top. */
static void heap_push(uint32_t *heap, uint32_t *count, uint32_t vertex)
{
    uint32_t at = (*count)++;
    while (at && heap[(at - 1) / 2] > vertex) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = vertex;
}

static uint32_t heap_pop(uint32_t *heap, uint32_t *count)
{
    uint32_t top = heap[0], last = heap[--*count], at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= *count)
            break;
        if (child + 1 < *count && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= last)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

/* Takes `vertex` out of the cone: successors that waited for nothing else become ready. */
static void release(const struct mi_deps *deps, const uint8_t *marks, uint32_t vertex,
                    uint32_t *waits, uint32_t *heap, uint32_t *ready)
{
    waits[vertex] = UINT32_MAX; /* done */
    for (uint32_t i = deps->out.first[vertex]; i < deps->out.first[vertex + 1]; i++) {
        uint32_t next = deps->to[deps->out.list[i]];
        if (marks[next] && waits[next] != UINT32_MAX && --waits[next] == 0)
            heap_push(heap, ready, next);
    }
}

bool mi_deps_order(const struct mi_deps *deps, const uint8_t *marks, uint32_t *order,
                   uint32_t *count, uint32_t *cyclic)
{
    uint32_t *waits = mi_mem_zero(deps->vertex_count, sizeof *waits);
    uint32_t *heap = mi_mem_new(deps->vertex_count, sizeof *heap);
    uint32_t ready = 0;
    bool ok = waits && heap;
    *count = *cyclic = 0;
    for (uint32_t e = 1; ok && e < deps->edge_count; e++)
        if (marks[deps->from[e]] && marks[deps->to[e]])
            waits[deps->to[e]]++;
    for (uint32_t v = 1; ok && v < deps->vertex_count; v++)
        if (marks[v] && !waits[v])
            heap_push(heap, &ready, v);
    while (ok && ready) {
        order[*count] = heap_pop(heap, &ready);
        release(deps, marks, order[(*count)++], waits, heap, &ready);
    }
    for (uint32_t v = 1; ok && v < deps->vertex_count; v++)
        if (marks[v] && waits[v] != UINT32_MAX) {
            order[(*count)++] = v;
            ++*cyclic;
        }
    mi_mem_free(waits);
    mi_mem_free(heap);
    return ok;
}
