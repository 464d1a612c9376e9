/* Compiled nodes that GE put in, and what they serve: boundaries and constants, conversions, and
 * the nodes that keep streams in order. Only for nodes that no link was found for. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/ge/ge_graphs.h"
#include "correlate/matcher.h"

#define MAX_HOPS 64u

struct inserted {
    struct mi_model *model;
    const struct mi_tables *rows;
    uint8_t *has_link;   /* [nodes.count] */
    struct mi_map sends; /* (graph, event) -> the last Send */
    mi_str_id event_id;
};

static void add_birth(struct inserted *s, uint32_t node, enum mi_origin origin, uint32_t serves,
                      const char *evidence)
{
    mi_add_birth(&s->model->all,
                 &(struct mi_birth_row){.node = {node},
                                        .origin = (uint8_t)origin,
                                        .serves = {serves},
                                        .evidence = mi_batch_cstr(&s->model->all, evidence)});
}

/* The first input that is (not) a control edge. */
static uint32_t first_input(const struct inserted *s, uint32_t node, bool is_control)
{
    const struct mi_nodes *nodes = &s->rows->nodes;
    for (uint32_t i = 0; i < nodes->in_count[node]; i++) {
        uint32_t port = nodes->first_in[node] + i, value = s->rows->ports.value[port].v;
        if (value && (s->rows->ports.is_control[port] != 0) == is_control)
            return value;
    }
    return 0;
}

/* What a conversion hands on, seen through other conversions before it. */
static uint32_t handed_on(const struct inserted *s, uint32_t node)
{
    uint32_t value = first_input(s, node, false);
    for (uint32_t hops = 0; value && hops < MAX_HOPS; hops++) {
        uint32_t producer = s->rows->values.producer[value].v;
        if (!producer || s->has_link[producer] ||
            mi_ge_op_of(s->model, producer) != MI_GE_OP_CONVERSION)
            break;
        uint32_t before = first_input(s, producer, false);
        if (!before)
            break;
        value = before;
    }
    return value;
}

/* The first output of a node that is data. */
static uint32_t first_output(const struct inserted *s, uint32_t node)
{
    const struct mi_nodes *nodes = &s->rows->nodes;
    for (uint32_t i = 0; i < nodes->out_count[node]; i++) {
        uint32_t port = nodes->first_out[node] + i;
        if (s->rows->ports.value[port].v && !s->rows->ports.is_control[port])
            return s->rows->ports.value[port].v;
    }
    return 0;
}

/* The node that waits behind a Recv: the first that it has a control edge to. */
static uint32_t waiter_of(const struct inserted *s, uint32_t recv)
{
    const struct mi_nodes *nodes = &s->rows->nodes;
    for (uint32_t i = 0; i < nodes->out_count[recv]; i++) {
        uint32_t value = s->rows->ports.value[nodes->first_out[recv] + i].v;
        if (value && mi_csr_count(&s->model->index.consumers, value))
            return s->model->index.consumers.list[s->model->index.consumers.first[value]];
    }
    return 0;
}

/* The tensor for whose sake one stream waits for another: what the waiting node reads of the node
 * that is waited for, else what that node makes. */
static uint32_t carried(const struct inserted *s, uint32_t send, uint32_t recv)
{
    const struct mi_nodes *nodes = &s->rows->nodes;
    uint32_t before = s->rows->values.producer[first_input(s, send, true)].v;
    uint32_t waiter = recv ? waiter_of(s, recv) : 0;
    for (uint32_t i = 0; before && waiter && i < nodes->in_count[waiter]; i++) {
        uint32_t port = nodes->first_in[waiter] + i, value = s->rows->ports.value[port].v;
        if (value && !s->rows->ports.is_control[port] &&
            s->rows->values.producer[value].v == before)
            return value;
    }
    return before ? first_output(s, before) : 0;
}

/* Numbers of events are used again: a Recv belongs to the last Send of its number. */
static bool judge_event(struct inserted *s, uint32_t node, enum mi_ge_op op)
{
    int64_t event = mi_node_int(s->model, node, s->event_id, -1);
    uint32_t send = 0;
    if (event >= 0 && event < UINT32_MAX) {
        uint32_t *slot =
            mi_map_at(&s->sends, mi_pair(s->rows->nodes.graph[node].v, (uint32_t)event));
        if (!slot)
            return false;
        send = *slot;
        *slot = op == MI_GE_OP_SEND || !send ? node : send;
    }
    if (op == MI_GE_OP_SEND)
        return true; /* with its Recv, or at the end */
    uint32_t serves = send ? carried(s, send, node) : 0;
    if (send && send != node && mi_ge_op_of(s->model, send) == MI_GE_OP_SEND)
        add_birth(s, send, MI_ORIGIN_INSERTED, serves, N_("lets another stream go on"));
    add_birth(s, node, MI_ORIGIN_INSERTED, serves, N_("waits for another stream"));
    return true;
}

static bool judge_node(struct inserted *s, uint32_t node)
{
    enum mi_ge_op op = mi_ge_op_of(s->model, node);
    switch (op) {
    case MI_GE_OP_BOUNDARY:
        add_birth(s, node, MI_ORIGIN_BOUNDARY, 0, N_("an input or output of the graph"));
        break;
    case MI_GE_OP_CALL:
        add_birth(s, node, MI_ORIGIN_BOUNDARY, 0, N_("calls a part of the graph"));
        break;
    case MI_GE_OP_CONST:
        add_birth(s, node, MI_ORIGIN_CONSTANT, 0, N_("holds a constant"));
        break;
    case MI_GE_OP_CONVERSION:
        add_birth(s, node, MI_ORIGIN_INSERTED, handed_on(s, node),
                  N_("converts or copies a tensor; no origin is recorded"));
        break;
    case MI_GE_OP_CONTROL:
        add_birth(s, node, MI_ORIGIN_INSERTED, 0, N_("orders or switches streams"));
        break;
    case MI_GE_OP_SEND:
    case MI_GE_OP_RECV:
        return judge_event(s, node, op);
    case MI_GE_OP_PLAIN:
        break;
    }
    return true;
}

static bool judge_all(struct inserted *s)
{
    const struct mi_tables *rows = s->rows;
    for (uint32_t r = 1; r < rows->lowered.count; r++)
        s->has_link[rows->lowered.compiled[r].v] |=
            rows->lowered.role[r] == MI_ROLE_COMPUTED || rows->lowered.role[r] == MI_ROLE_SHARED;
    for (uint32_t g = 1; g < rows->graphs.count; g++) {
        if (rows->graphs.layer[g] != MI_LAYER_COMPILED || !mi_is_ge_graph(s->model, g))
            continue;
        const uint32_t *first = s->model->index.graph_first_node;
        for (uint32_t n = first[g]; n < first[g + 1]; n++)
            if (!s->has_link[n] && !judge_node(s, n))
                return false;
        for (uint32_t n = first[g]; n < first[g + 1]; n++)
            if (!s->has_link[n] && mi_ge_op_of(s->model, n) == MI_GE_OP_SEND)
                add_birth(s, n, MI_ORIGIN_INSERTED, carried(s, n, 0),
                          N_("lets another stream go on")); /* the first birth of a node counts */
    }
    return !mi_batch_failed(&s->model->all);
}

static bool run_inserted(struct mi_model *model, struct mi_error *err)
{
    struct inserted s = {.model = model, .rows = &model->all.rows};
    s.event_id = mi_batch_cstr(&model->all, "event_id");
    s.has_link = mi_mem_zero(s.rows->nodes.count, 1);
    bool ok = s.has_link && judge_all(&s);
    mi_mem_free(s.has_link);
    mi_map_fini(&s.sends);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for nodes without origin");
}

const struct mi_matcher mi_matcher_ge_inserted = {
    .name = "ge_inserted",
    .title = N_("nodes that GE puts in"),
    .needs = MI_HAS_COMPILED_GRAPH,
    .run = run_inserted,
};
