/* Tasks that are ready and stand in the queue of a stream behind work they do not depend on, while
 * a stream of their producers or consumers is idle: the queue is the dependency. */
#include "analyse/waits/waits_parts.h"

#include "base/mem.h"

struct queues {
    struct mi_waits *waits;
    const struct mi_taskgraph *graph;
    int64_t *work_to; /* [count] work on its lane up to and with this vertex */
    uint32_t *tried;  /* [lane_count] vertex + 1 that was tried there last */
    int64_t begin_ns; /* first start of a task with known data */
};

static bool is_need(const struct mi_tg_edge *edge)
{
    return edge->kind == MI_TG_DATA || edge->kind == MI_TG_CONTROL;
}

/* When the last task that it needs had ended. */
static int64_t inputs_end(const struct queues *q, uint32_t v)
{
    int64_t end_ns = INT64_MIN;
    for (uint32_t e = q->graph->first_in[v]; e < q->graph->first_in[v + 1]; e++) {
        uint32_t from = q->graph->edges[e].from;
        if (is_need(&q->graph->edges[e]) && q->graph->end_ns[from] > end_ns)
            end_ns = q->graph->end_ns[from];
    }
    return end_ns == INT64_MIN ? q->begin_ns : end_ns;
}

/* Place in lane_list behind the vertices of the lane that started before `at_ns`. */
static uint32_t started_before(const struct mi_taskgraph *graph, uint32_t lane, int64_t at_ns)
{
    uint32_t lo = graph->lane_first[lane], hi = graph->lane_first[lane + 1];
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (graph->start_ns[graph->lane_list[middle]] < at_ns)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Work done on a lane before a moment. */
static int64_t work_until(const struct queues *q, uint32_t lane, int64_t at_ns)
{
    const struct mi_taskgraph *graph = q->graph;
    uint32_t place = started_before(graph, lane, at_ns);
    if (place == graph->lane_first[lane])
        return 0;
    uint32_t last = graph->lane_list[place - 1];
    int64_t done_ns = q->work_to[last];
    if (graph->role[last] == MI_TG_WORK && graph->end_ns[last] > at_ns)
        done_ns -= graph->end_ns[last] - at_ns;
    return done_ns;
}

/* Whether the lane was idle long enough for the task to have run there. */
static bool was_idle(const struct queues *q, uint32_t lane, int64_t from_ns, int64_t to_ns)
{
    int64_t work_ns = work_until(q, lane, to_ns) - work_until(q, lane, from_ns);
    return to_ns - from_ns - work_ns >= q->waits->least_wait_ns;
}

static void add_candidate(const struct queues *q, uint32_t v, uint32_t lane, int64_t ready_ns)
{
    const struct mi_taskgraph *graph = q->graph;
    if (lane == graph->lane[v] || q->tried[lane] == v + 1)
        return;
    q->tried[lane] = v + 1;
    if (was_idle(q, lane, ready_ns, graph->start_ns[v]))
        mi_waits_add(q->waits,
                     &(struct mi_wait){.verdict = MI_WAIT_QUEUE,
                                       .confidence = MI_CERTAIN,
                                       .vertex = v,
                                       .wait = MI_TG_NONE,
                                       .cause = MI_TG_NONE,
                                       .later = MI_TG_NONE,
                                       .lane = lane,
                                       .wait_ns = mi_ns_sub(graph->start_ns[v], ready_ns)});
}

/* One candidate for each lane of its neighbours that was idle while it waited. */
static void add_candidates(const struct queues *q, uint32_t v, int64_t ready_ns)
{
    const struct mi_taskgraph *graph = q->graph;
    for (uint32_t e = graph->first_in[v]; e < graph->first_in[v + 1]; e++)
        if (is_need(&graph->edges[e]))
            add_candidate(q, v, graph->lane[graph->edges[e].from], ready_ns);
    for (uint32_t i = graph->out.first[v + 1]; i < graph->out.first[v + 2]; i++) {
        const struct mi_tg_edge *edge = &graph->edges[graph->out.list[i] - 1];
        if (is_need(edge))
            add_candidate(q, v, graph->lane[edge->to], ready_ns);
    }
}

uint32_t mi_waits_blocker(const struct mi_taskgraph *graph, uint32_t v, int64_t ready_ns)
{
    uint32_t blocker = MI_TG_NONE;
    int64_t most_ns = 0;
    for (uint32_t p = graph->prev[v]; p != MI_TG_NONE && graph->end_ns[p] > ready_ns;
         p = graph->prev[p]) {
        int64_t from_ns = graph->start_ns[p] > ready_ns ? graph->start_ns[p] : ready_ns;
        int64_t ns = mi_ns_sub(graph->end_ns[p], from_ns);
        if (graph->role[p] == MI_TG_WORK && graph->end_ns[p] <= graph->start_ns[v] &&
            ns > most_ns) {
            most_ns = ns;
            blocker = p;
        }
    }
    return blocker;
}

/* Bodies of control flow run where the control flow runs. */
static bool is_movable(const struct mi_taskgraph *graph, uint32_t v)
{
    const struct mi_tables *rows = &graph->model->all.rows;
    uint32_t owner = rows->graphs.parent[rows->nodes.graph[graph->node[v]].v].v;
    return graph->role[v] == MI_TG_WORK && graph->knows_data[v] &&
           (!owner || mi_bytes_equal(mi_model_text(graph->model, rows->nodes.op[owner]),
                                     MI_LIT("PartitionedCall")));
}

static void prepare(struct queues *q)
{
    const struct mi_taskgraph *graph = q->graph;
    q->begin_ns = INT64_MAX;
    for (uint32_t v = 0; v < graph->count; v++) {
        uint32_t prev = graph->prev[v];
        int64_t work_ns = graph->role[v] == MI_TG_WORK ? graph->end_ns[v] - graph->start_ns[v] : 0;
        q->work_to[v] = mi_ns_add(prev == MI_TG_NONE ? 0 : q->work_to[prev], work_ns);
        if (graph->role[v] == MI_TG_WORK && graph->knows_data[v] &&
            graph->start_ns[v] < q->begin_ns)
            q->begin_ns = graph->start_ns[v];
    }
}

bool mi_waits_find_queues(struct mi_waits *waits)
{
    const struct mi_taskgraph *graph = waits->graph;
    struct queues q = {.waits = waits, .graph = graph};
    q.work_to = mi_mem_new((size_t)graph->count + 1, sizeof *q.work_to);
    q.tried = mi_mem_zero((size_t)graph->lane_count + 1, sizeof *q.tried);
    bool ok = q.work_to && q.tried;
    if (ok)
        prepare(&q);
    for (uint32_t v = 0; ok && v < graph->count; v++) {
        uint32_t before = is_movable(graph, v) ? mi_tg_work_before(graph, v) : MI_TG_NONE;
        if (before == MI_TG_NONE)
            continue;
        int64_t ready_ns = inputs_end(&q, v);
        if (graph->end_ns[before] > ready_ns &&
            mi_ns_sub(graph->start_ns[v], ready_ns) >= waits->least_wait_ns)
            add_candidates(&q, v, ready_ns);
    }
    mi_mem_free(q.work_to);
    mi_mem_free(q.tried);
    return ok;
}
