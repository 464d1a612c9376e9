/* Times of a task graph: lags, gaps, what each vertex waited for. */
#include "analyse/taskgraph/taskgraph_parts.h"
#include "base/mem.h"

#include <stdlib.h>

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static int64_t median(int64_t *list, uint32_t count)
{
    if (!count)
        return 0;
    qsort(list, count, sizeof *list, compare_times);
    return list[count / 2];
}

/* A wait that began before the record had ended and ended behind it, as far as clocks tell. */
static bool has_blocked(const struct mi_taskgraph *graph, const struct mi_tg_edge *edge)
{
    return graph->end_ns[edge->from] > graph->start_ns[edge->to] &&
           mi_ns_sub(graph->end_ns[edge->from], graph->end_ns[edge->to]) <= MI_TG_TREMBLE_NS;
}

struct typical {
    int64_t *list;      /* scratch [count + edge_count] */
    int64_t signal_ns;  /* end of a record to the end of a wait that blocked */
    int64_t passing_ns; /* a wait that did not block */
    int64_t gap_ns;     /* from the end of a task to the start of work behind it */
};

static uint32_t work_before(const struct mi_taskgraph *graph, uint32_t v)
{
    do {
        v = graph->prev[v];
    } while (v != MI_TG_NONE && graph->role[v] == MI_TG_RECORD);
    return v;
}

static void find_typical(struct mi_taskgraph *graph, struct typical *t)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < graph->edge_count; e++)
        if (graph->edges[e].kind == MI_TG_SIGNAL && has_blocked(graph, &graph->edges[e]))
            t->list[count++] =
                graph->end_ns[graph->edges[e].to] - graph->end_ns[graph->edges[e].from];
    t->signal_ns = median(t->list, count);
    count = 0;
    for (uint32_t e = 0; e < graph->edge_count; e++) {
        uint32_t work = graph->edges[e].kind == MI_TG_SIGNAL && has_blocked(graph, &graph->edges[e])
                            ? work_before(graph, graph->edges[e].from)
                            : MI_TG_NONE;
        if (work != MI_TG_NONE)
            t->list[count++] = graph->end_ns[graph->edges[e].to] - graph->end_ns[work];
    }
    graph->event_lag_ns = median(t->list, count);
    count = 0;
    for (uint32_t v = 0; v < graph->count; v++) {
        bool blocked = false, has_signal = false;
        for (uint32_t e = graph->first_in[v]; e < graph->first_in[v + 1]; e++)
            if (graph->edges[e].kind == MI_TG_SIGNAL) {
                has_signal = true;
                blocked = blocked || has_blocked(graph, &graph->edges[e]);
            }
        if (has_signal && !blocked)
            t->list[count++] = graph->end_ns[v] - graph->start_ns[v];
    }
    t->passing_ns = median(t->list, count);
    count = 0;
    for (uint32_t v = 0; v < graph->count; v++)
        if (graph->role[v] == MI_TG_WORK && graph->prev[v] != MI_TG_NONE &&
            graph->start_ns[v] >= graph->end_ns[graph->prev[v]])
            t->list[count++] = graph->start_ns[v] - graph->end_ns[graph->prev[v]];
    t->gap_ns = median(t->list, count);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How long data takes to the lane of its reader, as far as is known: no longer than the wait for
 * it, right before the reader, took. */
static int64_t data_lag(const struct mi_taskgraph *graph, const struct mi_tg_edge *edge)
{
    uint32_t prev = graph->prev[edge->to];
    int64_t lag_ns =
        least(graph->event_lag_ns, graph->start_ns[edge->to] - graph->end_ns[edge->from]);
    if (prev != MI_TG_NONE && graph->end_ns[prev] >= graph->end_ns[edge->from])
        lag_ns = least(lag_ns, graph->end_ns[prev] - graph->end_ns[edge->from]);
    return lag_ns;
}

/* Where the effect was seen before its cause, the lag is negative: what was seen stands. */
static void set_lag(struct mi_taskgraph *graph, struct mi_tg_edge *edge, const struct typical *t)
{
    bool is_signal = edge->kind == MI_TG_SIGNAL;
    bool is_between = graph->lane[edge->from] != graph->lane[edge->to];
    int64_t seen = mi_ns_sub(is_signal ? graph->end_ns[edge->to] : graph->start_ns[edge->to],
                             graph->end_ns[edge->from]);
    if (is_signal)
        edge->lag_ns = has_blocked(graph, edge) ? seen : least(t->signal_ns, seen);
    else if (edge->kind == MI_TG_DATA || edge->kind == MI_TG_CONTROL)
        edge->lag_ns = is_between ? data_lag(graph, edge) : graph->event_lag_ns;
    else if (edge->kind == MI_TG_START && seen > t->gap_ns)
        edge->lag_ns = seen - t->gap_ns; /* the lane starts late, whatever its first task is */
    else
        edge->lag_ns = least(0, seen);
    edge->is_violated = is_between && seen < -MI_TG_TREMBLE_NS;
    graph->violated_count += edge->is_violated;
    graph->signal_count += is_signal && is_between;
    graph->data_count += edge->kind == MI_TG_DATA && is_between;
}

static bool counts_at_start(const struct mi_taskgraph *graph, const struct mi_tg_edge *edge)
{
    return edge->kind != MI_TG_SIGNAL && graph->lane[edge->from] != graph->lane[edge->to];
}

/* When the vertex could have begun, and what was last. */
static int64_t arrival(struct mi_taskgraph *graph, uint32_t v)
{
    int64_t at = 0;
    uint32_t prev = graph->prev[v];
    graph->binding[v] = MI_TG_BY_NOTHING;
    if (prev != MI_TG_NONE) {
        int64_t over = mi_ns_sub(graph->end_ns[prev], graph->start_ns[v]);
        graph->overlap_ns[v] = over > 0 ? over : 0;
        at = graph->end_ns[prev] - graph->overlap_ns[v];
        graph->binding[v] = MI_TG_BY_ORDER;
    }
    if (graph->release_ns[v] > graph->start_ns[v])
        graph->release_ns[v] = INT64_MIN; /* launched behind its start: that clock tells nothing */
    if (graph->release_ns[v] > at) {
        at = graph->release_ns[v];
        graph->binding[v] = MI_TG_BY_LAUNCH;
    }
    for (uint32_t e = graph->first_in[v]; e < graph->first_in[v + 1]; e++) {
        const struct mi_tg_edge *edge = &graph->edges[e];
        int64_t then = mi_ns_add(graph->end_ns[edge->from], edge->lag_ns);
        if (counts_at_start(graph, edge) && (then > at || graph->binding[v] == MI_TG_BY_NOTHING)) {
            at = then > at ? then : at;
            graph->binding[v] = MI_TG_BY_EDGE;
            graph->binding_edge[v] = e;
        }
    }
    return at;
}

static void set_vertex(struct mi_taskgraph *graph, uint32_t v, const struct typical *t)
{
    int64_t dur_ns = graph->end_ns[v] - graph->start_ns[v];
    int64_t latest = INT64_MIN;
    graph->gap_ns[v] = graph->start_ns[v] - arrival(graph, v);
    graph->busy_ns[v] = dur_ns;
    for (uint32_t e = graph->first_in[v]; e < graph->first_in[v + 1]; e++) {
        const struct mi_tg_edge *edge = &graph->edges[e];
        if (edge->kind != MI_TG_SIGNAL || !has_blocked(graph, edge))
            continue;
        graph->busy_ns[v] = least(t->passing_ns, dur_ns);
        if (graph->end_ns[edge->from] > latest) { /* several records: the last one */
            latest = graph->end_ns[edge->from];
            graph->binding[v] = MI_TG_BY_EDGE;
            graph->binding_edge[v] = e;
        }
    }
}

bool mi_tg_set_times(struct mi_tg_builder *builder)
{
    struct mi_taskgraph *graph = builder->graph;
    struct typical t = {0};
    t.list = mi_mem_new((size_t)graph->count + graph->edge_count + 1, sizeof *t.list);
    if (!t.list)
        return false;
    find_typical(graph, &t);
    for (uint32_t e = 0; e < graph->edge_count; e++)
        set_lag(graph, &graph->edges[e], &t);
    for (uint32_t v = 0; v < graph->count; v++)
        set_vertex(graph, v, &t);
    mi_mem_free(t.list);
    return true;
}
