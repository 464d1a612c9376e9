/* Building the working form of a graph: scopes, inlined functions, captured names. */
#include "correlate/cuts/flow.h"

#include "correlate/cuts/flow_build.h"

/* Functions that call functions can expand without end, so what inlining may add is bounded. */
#define INLINE_FACTOR 8u
#define INLINE_SLACK  (1u << 18)
#define MAX_DEPTH     64u
#define MAX_OUTER     256u
#define MAX_SCOPES    256u

#define ABSENT UINT32_MAX /* in `inlined`: the call does not pass this input */

struct frame { /* a list of nodes that is being appended to a scope */
    uint32_t at, end, call;
};

struct build {
    struct mi_flow *flow;
    const struct mi_tables *rows;
    const struct mi_index *index;
    uint32_t source;
    uint32_t lo, hi;          /* values of the source: [lo, hi) */
    uint32_t *direct;         /* [hi - lo] tensor of a value outside functions; 0 = none yet */
    struct mi_map inlined;    /* (call, value) -> tensor, or ABSENT */
    struct mi_map functions;  /* (domain, name) -> graph */
    struct mi_csr captured;   /* graph -> (OUTER value - lo + 1) */
    uint32_t *scope_of_graph; /* [graphs.count] scope + 1, outside functions */
    struct frame *frames;
    uint32_t frame_count, frame_room;
    uint32_t budget; /* nodes, calls and scopes that may still be added by inlining */
};

static uint32_t source_of_value(const struct build *b, uint32_t value)
{
    return b->rows->graphs.source[b->rows->values.graph[value].v].v;
}

/* First value of a source >= `source`: the rows of one source are contiguous, in source order. */
static uint32_t first_value(const struct build *b, uint32_t source)
{
    uint32_t lo = 1, hi = b->rows->values.count;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (source_of_value(b, middle) < source)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static bool find_functions(struct build *b)
{
    const struct mi_graphs *graphs = &b->rows->graphs;
    for (uint32_t g = 1; g < graphs->count; g++)
        if (graphs->kind[g] == MI_GRAPH_FUNCTION && graphs->source[g].v == b->source &&
            !mi_map_set(&b->functions, mi_pair(graphs->domain[g].v, graphs->name[g].v), g))
            return false;
    return true;
}

static bool find_captured(struct build *b)
{
    const struct mi_values *values = &b->rows->values;
    uint32_t count = b->hi - b->lo + 1;
    uint32_t *keys = mi_mem_zero(count, sizeof *keys);
    if (!keys)
        return false;
    for (uint32_t v = b->lo; v < b->hi; v++)
        if (values->kind[v] == MI_VALUE_OUTER)
            keys[v - b->lo + 1] = values->graph[v].v;
    bool ok = mi_csr_build(&b->captured, b->rows->graphs.count, keys, count);
    mi_mem_free(keys);
    return ok;
}

/* --- tensors --- */

static uint32_t add_tensor(struct build *b, uint32_t value, uint32_t scope)
{
    struct mi_flow *flow = b->flow;
    if (!mi_vec_room(&flow->tensors, &flow->tensor_room, flow->tensor_count, sizeof *flow->tensors))
        return 0;
    uint32_t flags = value && b->rows->values.kind[value] == MI_VALUE_CONSTANT ? MI_FLOW_CONST : 0;
    flow->tensors[flow->tensor_count] =
        (struct mi_flow_tensor){.value = value, .scope = scope, .flags = flags};
    return flow->tensor_count++;
}

/* The tensor of a value as seen from `call`, made on first use. `*tensor` 0 = absent.
 * false: out of memory. */
static bool tensor_of(struct build *b, uint32_t call, uint32_t value, uint32_t *tensor)
{
    const struct mi_values *values = &b->rows->values;
    for (uint32_t hops = 0; values->kind[value] == MI_VALUE_OUTER && hops < MAX_OUTER; hops++) {
        if (!values->outer[value].v)
            break;
        value = values->outer[value].v;
    }
    *tensor = 0;
    if (value < b->lo || value >= b->hi)
        return true;
    uint32_t *slot =
        call ? mi_map_at(&b->inlined, mi_pair(call, value)) : &b->direct[value - b->lo];
    if (!slot)
        return false;
    if (!*slot) {
        uint32_t scope = call ? 0 : b->scope_of_graph[values->graph[value].v];
        *slot = add_tensor(b, value, scope ? scope - 1 : MI_FLOW_NONE);
        if (!*slot)
            return false;
    }
    *tensor = *slot == ABSENT ? 0 : *slot;
    return true;
}

static bool push_port(struct build *b, uint32_t call, uint32_t value)
{
    uint32_t tensor = 0;
    return (!value || tensor_of(b, call, value, &tensor)) && mi_u32s_push(&b->flow->ports, tensor);
}

/* --- scopes --- */

static bool add_scope(struct build *b, struct mi_flow_scope scope)
{
    struct mi_flow *flow = b->flow;
    if (!mi_vec_room(&flow->scopes, &flow->scope_room, flow->scope_count, sizeof *flow->scopes))
        return false;
    if (!scope.call)
        b->scope_of_graph[scope.graph] = flow->scope_count + 1;
    flow->scopes[flow->scope_count++] = scope;
    return true;
}

/* Bodies and branches of a node, and the tensors that they capture. */
static bool add_flow_bodies(struct build *b, struct mi_flow_node *n, uint32_t scope)
{
    const struct mi_csr *inner = &b->index->inner;
    uint32_t depth = b->flow->scopes[scope].depth + 1;
    n->first_scope = b->flow->scope_count;
    if (depth > MAX_SCOPES)
        return true;
    for (uint32_t i = inner->first[n->node]; i < inner->first[n->node + 1]; i++) {
        uint32_t graph = inner->list[i];
        if (b->rows->graphs.kind[graph] != MI_GRAPH_SUBGRAPH || (n->call && !b->budget))
            continue;
        b->budget -= n->call ? 1 : 0;
        for (uint32_t k = b->captured.first[graph]; k < b->captured.first[graph + 1]; k++) {
            if (!push_port(b, n->call, b->captured.list[k] + b->lo - 1))
                return false;
            n->capture_count++;
        }
        if (!add_scope(b, (struct mi_flow_scope){.graph = graph,
                                                 .owner = b->flow->node_count + 1,
                                                 .parent = scope,
                                                 .call = n->call,
                                                 .depth = depth}))
            return false;
        n->scope_count++;
    }
    return true;
}

static bool add_flow_node(struct build *b, uint32_t row, uint32_t call, uint32_t scope)
{
    struct mi_flow *flow = b->flow;
    const struct mi_nodes *nodes = &b->rows->nodes;
    const struct mi_ports *ports = &b->rows->ports;
    struct mi_flow_node n = {.node = row, .call = call, .scope = scope};
    n.first_in = flow->ports.count;
    for (uint32_t i = 0; i < nodes->in_count[row]; i++)
        if (!ports->is_control[nodes->first_in[row] + i]) {
            if (!push_port(b, call, ports->value[nodes->first_in[row] + i].v))
                return false;
            n.in_count++;
        }
    if (!add_flow_bodies(b, &n, scope))
        return false;
    n.first_out = flow->ports.count;
    for (uint32_t i = 0; i < nodes->out_count[row]; i++)
        if (!ports->is_control[nodes->first_out[row] + i]) {
            if (!push_port(b, call, ports->value[nodes->first_out[row] + i].v))
                return false;
            n.out_count++;
        }
    if (!mi_vec_room(&flow->nodes, &flow->node_room, flow->node_count, sizeof *flow->nodes))
        return false;
    flow->nodes[flow->node_count++] = n;
    return true;
}

/* --- functions --- */

/* The function that a node calls, or 0: none, or it may not be inlined any more. */
static uint32_t callee(struct build *b, uint32_t row, uint32_t call)
{
    const struct mi_nodes *nodes = &b->rows->nodes;
    if (!b->functions.count)
        return 0;
    uint32_t graph = mi_map_get(&b->functions, mi_pair(nodes->domain[row].v, nodes->op[row].v));
    if (!graph)
        return 0;
    uint32_t size = b->index->graph_first_node[graph + 1] - b->index->graph_first_node[graph];
    if (b->flow->calls[call].depth >= MAX_DEPTH || size >= b->budget) {
        b->flow->is_cut_off = true;
        return 0;
    }
    b->budget -= size + 1;
    return graph;
}

static bool bind_inputs(struct build *b, uint32_t graph, uint32_t row, uint32_t call, uint32_t from)
{
    const struct mi_tables *rows = b->rows;
    for (uint32_t i = 0; i < rows->graphs.in_count[graph]; i++) {
        uint32_t value = rows->ports.value[rows->graphs.first_in[graph] + i].v, tensor = 0;
        uint32_t given =
            i < rows->nodes.in_count[row] ? rows->ports.value[rows->nodes.first_in[row] + i].v : 0;
        if (given && !tensor_of(b, from, given, &tensor))
            return false;
        if (value && !mi_map_set(&b->inlined, mi_pair(call, value), tensor ? tensor : ABSENT))
            return false;
    }
    return true;
}

static bool bind_outputs(struct build *b, uint32_t graph, uint32_t row, uint32_t call,
                         uint32_t from)
{
    const struct mi_tables *rows = b->rows;
    uint32_t count = rows->graphs.out_count[graph];
    for (uint32_t i = 0; i < count && i < rows->nodes.out_count[row]; i++) {
        uint32_t inner = rows->ports.value[rows->graphs.first_out[graph] + i].v, tensor = 0;
        uint32_t given = rows->ports.value[rows->nodes.first_out[row] + i].v;
        if (!inner || !given)
            continue;
        if (!tensor_of(b, from, given, &tensor))
            return false;
        uint32_t *slot = mi_map_at(&b->inlined, mi_pair(call, inner));
        if (!slot)
            return false;
        if (!*slot)
            *slot = tensor;
        else if (*slot != ABSENT && *slot != tensor)
            b->flow->tensors[tensor].alias = *slot; /* the function hands an input through */
    }
    return true;
}

static bool push_frame(struct build *b, uint32_t graph, uint32_t call)
{
    if (!mi_vec_room(&b->frames, &b->frame_room, b->frame_count, sizeof *b->frames))
        return false;
    b->frames[b->frame_count++] = (struct frame){b->index->graph_first_node[graph],
                                                 b->index->graph_first_node[graph + 1], call};
    return true;
}

static bool inline_call(struct build *b, uint32_t graph, uint32_t row, uint32_t from)
{
    struct mi_flow *flow = b->flow;
    if (!mi_vec_room(&flow->calls, &flow->call_room, flow->call_count, sizeof *flow->calls))
        return false;
    uint32_t call = flow->call_count++;
    flow->calls[call] = (struct mi_flow_call){row, from, flow->calls[from].depth + 1};
    return bind_inputs(b, graph, row, call, from) && bind_outputs(b, graph, row, call, from) &&
           push_frame(b, graph, call);
}

static bool fill_scope(struct build *b, uint32_t s)
{
    struct mi_flow *flow = b->flow;
    flow->scopes[s].first_node = flow->node_count;
    b->frame_count = 0;
    if (!push_frame(b, flow->scopes[s].graph, flow->scopes[s].call))
        return false;
    while (b->frame_count) {
        struct frame *top = &b->frames[b->frame_count - 1];
        if (top->at >= top->end) {
            b->frame_count--;
            continue;
        }
        uint32_t row = top->at++, call = top->call, graph = callee(b, row, call);
        if (graph ? !inline_call(b, graph, row, call) : !add_flow_node(b, row, call, s))
            return false;
    }
    flow->scopes[s].node_count = flow->node_count - flow->scopes[s].first_node;
    return true;
}

/* --- the end of building --- */

static uint32_t unalias(struct mi_flow *flow, uint32_t tensor)
{
    for (uint32_t hops = 0; flow->tensors[tensor].alias && hops < MAX_OUTER; hops++)
        tensor = flow->tensors[tensor].alias;
    return tensor;
}

/* Ports for inputs and outputs of a graph, by place. */
static bool push_boundary(struct build *b, uint32_t call, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!push_port(b, call, b->rows->ports.value[first + i].v))
            return false;
    return true;
}

static bool mark_boundaries(struct build *b)
{
    struct mi_flow *flow = b->flow;
    const struct mi_graphs *graphs = &b->rows->graphs;
    for (uint32_t s = 0; s < flow->scope_count; s++) {
        struct mi_flow_scope *scope = &flow->scopes[s];
        uint32_t g = scope->graph;
        scope->first_in = flow->ports.count;
        scope->in_count = graphs->in_count[g];
        if (!push_boundary(b, scope->call, graphs->first_in[g], scope->in_count))
            return false;
        scope->first_out = flow->ports.count;
        scope->out_count = graphs->out_count[g];
        if (!push_boundary(b, scope->call, graphs->first_out[g], scope->out_count))
            return false;
        for (uint32_t i = 0; i < scope->out_count; i++)
            flow->tensors[unalias(flow, flow->ports.at[scope->first_out + i])].flags |=
                MI_FLOW_OUTPUT;
    }
    return true;
}

static void set_producers(struct mi_flow *flow)
{
    for (uint32_t p = 0; p < flow->ports.count; p++)
        flow->ports.at[p] = unalias(flow, flow->ports.at[p]);
    for (uint32_t n = 0; n < flow->node_count; n++)
        for (uint32_t i = 0; i < flow->nodes[n].out_count; i++) {
            struct mi_flow_tensor *tensor = &flow->tensors[mi_flow_out(flow, &flow->nodes[n], i)];
            if (!tensor->producer)
                tensor->producer = n + 1;
        }
    flow->tensors[0].producer = 0;
    flow->tensors[0].flags = 0;
}

static bool build_flow(struct build *b, uint32_t graph)
{
    struct mi_flow *flow = b->flow;
    uint64_t budget = (uint64_t)b->rows->nodes.count * INLINE_FACTOR + INLINE_SLACK;
    b->budget = budget < UINT32_MAX / 8 ? (uint32_t)budget : UINT32_MAX / 8;
    b->lo = first_value(b, b->source);
    b->hi = first_value(b, b->source + 1);
    b->direct = mi_mem_zero(b->hi - b->lo, sizeof *b->direct);
    b->scope_of_graph = mi_mem_zero(b->rows->graphs.count, sizeof *b->scope_of_graph);
    flow->call_count = 1;
    if (!b->direct || !b->scope_of_graph || !find_functions(b) || !find_captured(b) ||
        !mi_vec_room(&flow->calls, &flow->call_room, 1, sizeof *flow->calls))
        return false;
    flow->calls[0] = (struct mi_flow_call){0};
    add_tensor(b, 0, MI_FLOW_NONE); /* tensor 0: absent */
    if (!flow->tensor_count || !add_scope(b, (struct mi_flow_scope){.graph = graph}))
        return false;
    for (uint32_t s = 0; s < flow->scope_count; s++)
        if (!fill_scope(b, s))
            return false;
    if (!mark_boundaries(b))
        return false;
    set_producers(flow);
    return mi_flow_finish(flow);
}

bool mi_flow_init(struct mi_flow *flow, const struct mi_model *model, mi_graph_id graph,
                  struct mi_error *err)
{
    *flow = (struct mi_flow){.model = model};
    struct build b = {.flow = flow, .rows = &model->all.rows, .index = &model->index};
    b.source = b.rows->graphs.source[graph.v].v;
    bool ok = build_flow(&b, graph.v);
    mi_mem_free(b.direct);
    mi_mem_free(b.scope_of_graph);
    mi_mem_free(b.frames);
    mi_map_fini(&b.inlined);
    mi_map_fini(&b.functions);
    mi_csr_fini(&b.captured);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while joining graphs");
}

void mi_flow_fini(struct mi_flow *flow)
{
    mi_mem_free(flow->nodes);
    mi_mem_free(flow->tensors);
    mi_mem_free(flow->calls);
    mi_mem_free(flow->scopes);
    mi_mem_free(flow->order);
    mi_u32s_fini(&flow->ports);
    mi_csr_fini(&flow->readers);
    *flow = (struct mi_flow){0};
}
