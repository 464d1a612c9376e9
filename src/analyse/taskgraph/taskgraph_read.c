/* What a task graph tells: readiness, slack, the critical chain. */
#include "analyse/taskgraph/taskgraph.h"
#include "base/mem.h"

static bool is_between(const struct mi_taskgraph *graph, const struct mi_tg_edge *edge)
{
    return graph->lane[edge->from] != graph->lane[edge->to];
}

int64_t mi_tg_ready(const struct mi_taskgraph *graph, uint32_t vertex)
{
    int64_t ready_ns = 0;
    for (uint32_t e = graph->first_in[vertex]; e < graph->first_in[vertex + 1]; e++) {
        const struct mi_tg_edge *edge = &graph->edges[e];
        if (edge->kind != MI_TG_DATA && edge->kind != MI_TG_CONTROL)
            continue;
        int64_t then_ns =
            mi_ns_add(graph->end_ns[edge->from], is_between(graph, edge) ? edge->lag_ns : 0);
        ready_ns = then_ns > ready_ns ? then_ns : ready_ns;
    }
    return ready_ns;
}

uint32_t mi_tg_work_before(const struct mi_taskgraph *graph, uint32_t vertex)
{
    do
        vertex = graph->prev[vertex];
    while (vertex != MI_TG_NONE && graph->role[vertex] != MI_TG_WORK);
    return vertex;
}

uint32_t mi_tg_work_after(const struct mi_taskgraph *graph, uint32_t vertex)
{
    do
        vertex = graph->next[vertex];
    while (vertex != MI_TG_NONE && graph->role[vertex] != MI_TG_WORK);
    return vertex;
}

/* --- slack --- */

static void lower(int64_t *latest_ns, int64_t then_ns)
{
    if (then_ns < *latest_ns)
        *latest_ns = then_ns;
}

int64_t *mi_tg_slack(const struct mi_taskgraph *graph)
{
    int64_t *latest_ns = mi_mem_new((size_t)graph->count + 1, sizeof *latest_ns);
    if (!latest_ns)
        return NULL;
    for (uint32_t v = 0; v < graph->count; v++)
        latest_ns[v] = graph->makespan_ns;
    for (uint32_t v = graph->count; v-- > 0;) {
        int64_t arrival_ns = latest_ns[v] - graph->busy_ns[v] - graph->gap_ns[v];
        if (graph->prev[v] != MI_TG_NONE)
            lower(&latest_ns[graph->prev[v]], arrival_ns + graph->overlap_ns[v]);
        for (uint32_t e = graph->first_in[v]; e < graph->first_in[v + 1]; e++) {
            const struct mi_tg_edge *edge = &graph->edges[e];
            if (edge->kind == MI_TG_SIGNAL)
                lower(&latest_ns[edge->from], latest_ns[v] - edge->lag_ns);
            else if (is_between(graph, edge))
                lower(&latest_ns[edge->from], arrival_ns - edge->lag_ns);
        }
    }
    for (uint32_t v = 0; v < graph->count; v++)
        latest_ns[v] -= graph->end_ns[v];
    return latest_ns;
}

/* --- the critical chain --- */

struct walk {
    struct mi_tg_chain *chain;
    uint32_t room;
    int64_t upto_ns; /* what lies behind is explained */
    bool failed;
};

/* A piece from `from_ns` to what is explained; nothing where that has passed. */
static void add_piece(struct walk *walk, enum mi_tg_piece_kind kind, uint32_t vertex,
                      int64_t from_ns)
{
    struct mi_tg_chain *chain = walk->chain;
    if (from_ns >= walk->upto_ns || walk->failed)
        return;
    if (chain->count == walk->room) {
        walk->room = walk->room ? 2 * walk->room : 64;
        void *pieces = mi_mem_resize(chain->pieces, walk->room, sizeof *chain->pieces);
        walk->failed = !pieces;
        if (!pieces)
            return;
        chain->pieces = pieces;
    }
    chain->pieces[chain->count++] =
        (struct mi_tg_piece){(uint8_t)kind, vertex, from_ns, walk->upto_ns};
    walk->upto_ns = from_ns;
}

/* Adds what led to the end of a vertex and returns what it had waited for. */
static uint32_t step_back(struct walk *walk, const struct mi_taskgraph *graph, uint32_t v)
{
    const struct mi_tg_edge *edge = &graph->edges[graph->binding_edge[v]];
    uint8_t by = graph->binding[v];
    if (by == MI_TG_BY_EDGE && edge->kind == MI_TG_SIGNAL) {
        add_piece(walk, MI_TG_PIECE_WAIT, v, graph->end_ns[edge->from]);
        return edge->from;
    }
    add_piece(walk, graph->role[v] == MI_TG_WORK ? MI_TG_PIECE_WORK : MI_TG_PIECE_WAIT, v,
              graph->start_ns[v]);
    uint32_t before = by == MI_TG_BY_EDGE ? edge->from : graph->prev[v];
    add_piece(walk, by == MI_TG_BY_LAUNCH ? MI_TG_PIECE_LAUNCH : MI_TG_PIECE_GAP, v,
              before == MI_TG_NONE ? 0 : graph->end_ns[before]);
    return before;
}

bool mi_tg_chain_init(struct mi_tg_chain *chain, const struct mi_taskgraph *graph,
                      struct mi_error *err)
{
    struct walk walk = {.chain = chain, .upto_ns = graph->makespan_ns};
    uint32_t at = MI_TG_NONE;
    *chain = (struct mi_tg_chain){0};
    for (uint32_t v = 0; v < graph->count; v++)
        if (graph->end_ns[v] == graph->makespan_ns)
            at = v;
    while (at != MI_TG_NONE && !walk.failed)
        at = step_back(&walk, graph, at);
    for (uint32_t i = 0; i < chain->count / 2; i++) {
        struct mi_tg_piece piece = chain->pieces[i];
        chain->pieces[i] = chain->pieces[chain->count - 1 - i];
        chain->pieces[chain->count - 1 - i] = piece;
    }
    if (walk.failed)
        mi_tg_chain_fini(chain);
    return !walk.failed || mi_fail(err, MI_ENOMEM, "out of memory for the critical chain");
}

void mi_tg_chain_fini(struct mi_tg_chain *chain)
{
    mi_mem_free(chain->pieces);
    *chain = (struct mi_tg_chain){0};
}
