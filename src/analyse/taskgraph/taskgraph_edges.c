/* Edges of a task graph: signals, data, starts and ends of a model. */
#include "analyse/taskgraph/taskgraph_parts.h"
#include "base/mem.h"

#include <string.h>

enum { MAX_STEPS = 256 }; /* nodes without a task that are looked through for one task */

static void add_edge(struct mi_tg_builder *b, uint32_t from, uint32_t to, enum mi_tg_kind kind,
                     uint8_t confidence)
{
    struct mi_taskgraph *graph = b->graph;
    if (from == to)
        return;
    if (from > to) {
        graph->dropped_count++;
        return;
    }
    if (graph->edge_count == b->edge_room) {
        uint32_t room = b->edge_room ? b->edge_room + b->edge_room / 2 : graph->count + 64;
        void *edges = room > graph->edge_count
                          ? mi_mem_resize(graph->edges, room, sizeof *graph->edges)
                          : NULL;
        if (!edges) {
            b->failed = true;
            return;
        }
        graph->edges = edges;
        b->edge_room = room;
    }
    graph->edges[graph->edge_count++] = (struct mi_tg_edge){
        .from = from, .to = to, .kind = (uint8_t)kind, .confidence = confidence};
}

bool mi_tg_is_named(const struct mi_taskgraph *graph, uint32_t vertex, struct mi_bytes name)
{
    const struct mi_tables *rows = &graph->model->all.rows;
    uint32_t kernel = rows->tasks.kernel[graph->task[vertex]].v;
    return mi_bytes_equal(mi_model_text(graph->model, rows->kernels.name[kernel]), name);
}

/* --- signals --- */

static void add_signals(struct mi_tg_builder *b)
{
    const struct mi_signals *signals = &b->rows->signals;
    for (uint32_t s = 1; s < signals->count; s++) {
        uint32_t from = b->vertex_of[signals->record[s].v], to = b->vertex_of[signals->wait[s].v];
        if (from && to)
            add_edge(b, from - 1, to - 1, MI_TG_SIGNAL, signals->confidence[s]);
    }
}

/* --- data --- */

/* The vertices of each node, in list order: first[node], then same[vertex]; all + 1. */
struct places {
    uint32_t *first, *count; /* [nodes.count] */
    uint32_t *same;          /* [vertices] next of the same node */
    uint32_t *nth;           /* [vertices] which of its node, from 0 */
    uint32_t *seen;          /* [deps.vertex_count] node vertex + 1 that looked through it last */
    uint32_t *stamp;         /* [vertices] consumer + 1 of the last edge from here */
    uint32_t stack[MAX_STEPS];
};

static bool list_places(const struct mi_tg_builder *b, struct places *p)
{
    const struct mi_taskgraph *graph = b->graph;
    size_t nodes = b->rows->nodes.count;
    p->first = mi_mem_zero(nodes, sizeof *p->first);
    p->count = mi_mem_zero(nodes, sizeof *p->count);
    p->same = mi_mem_zero((size_t)graph->count + 1, sizeof *p->same);
    p->nth = mi_mem_zero((size_t)graph->count + 1, sizeof *p->nth);
    p->seen = mi_mem_zero(b->deps->vertex_count, sizeof *p->seen);
    p->stamp = mi_mem_zero((size_t)graph->count + 1, sizeof *p->stamp);
    uint32_t *last = mi_mem_zero(nodes, sizeof *last);
    bool ok = p->first && p->count && p->same && p->nth && p->seen && p->stamp && last;
    for (uint32_t v = 0; ok && v < graph->count; v++) {
        uint32_t node = graph->node[v];
        if (!node || graph->role[v] == MI_TG_WAIT || graph->role[v] == MI_TG_RECORD)
            continue;
        p->nth[v] = p->count[node]++;
        if (last[node])
            p->same[last[node] - 1] = v + 1;
        else
            p->first[node] = v + 1;
        last[node] = v + 1;
    }
    mi_mem_free(last);
    return ok;
}

/* The task of `node` whose result this vertex reads: that of the same round where both ran equally
 * often, else the last one before it; MI_TG_NONE: none. */
static uint32_t producer_of(const struct mi_tg_builder *b, const struct places *p, uint32_t node,
                            uint32_t vertex)
{
    uint32_t mine = b->graph->node[vertex], found = MI_TG_NONE;
    bool by_round = p->count[node] == p->count[mine];
    for (uint32_t at = p->first[node]; at; at = p->same[at - 1]) {
        if (by_round ? p->nth[at - 1] == p->nth[vertex] : at - 1 < vertex)
            found = at - 1;
        if (by_round ? found != MI_TG_NONE : at - 1 >= vertex)
            break;
    }
    return found;
}

static void add_from_node(struct mi_tg_builder *b, struct places *p, uint32_t node, uint32_t vertex,
                          enum mi_tg_kind kind)
{
    uint32_t from = producer_of(b, p, node, vertex);
    if (from == MI_TG_NONE || p->stamp[from] == vertex + 1)
        return;
    p->stamp[from] = vertex + 1;
    add_edge(b, from, vertex, kind, MI_CERTAIN);
}

/* Follows the dependencies back from the node of a vertex to the next nodes with tasks. */
static void add_data(struct mi_tg_builder *b, struct places *p, uint32_t vertex)
{
    const struct mi_deps *deps = b->deps;
    uint32_t open = 0, steps = 0;
    p->stack[open++] = b->graph->node[vertex];
    while (open) {
        uint32_t at = p->stack[--open];
        for (uint32_t i = deps->in.first[at]; i < deps->in.first[at + 1]; i++) {
            uint32_t from = deps->from[deps->in.list[i]];
            if (p->seen[from] == vertex + 1)
                continue;
            p->seen[from] = vertex + 1;
            if (from < b->rows->nodes.count && p->first[from])
                add_from_node(b, p, from, vertex, MI_TG_DATA);
            else if (++steps < MAX_STEPS && open < MAX_STEPS)
                p->stack[open++] = from;
            else
                b->graph->knows_data[vertex] = 0;
        }
    }
}

static void add_control(struct mi_tg_builder *b, struct places *p, uint32_t vertex)
{
    const struct mi_tables *rows = b->rows;
    uint32_t node = b->graph->node[vertex];
    for (uint32_t i = 0; i < rows->nodes.in_count[node]; i++) {
        uint32_t port = rows->nodes.first_in[node] + i;
        uint32_t from = rows->values.producer[rows->ports.value[port].v].v;
        if (rows->ports.is_control[port] && from && p->first[from])
            add_from_node(b, p, from, vertex, MI_TG_CONTROL);
    }
}

static bool add_needs(struct mi_tg_builder *b)
{
    struct places p = {0};
    bool ok = list_places(b, &p);
    for (uint32_t v = 0; ok && v < b->graph->count; v++) {
        uint8_t role = b->graph->role[v];
        if (!b->graph->node[v] || role == MI_TG_WAIT || role == MI_TG_RECORD)
            continue;
        add_data(b, &p, v);
        add_control(b, &p, v);
    }
    mi_mem_free(p.first);
    mi_mem_free(p.count);
    mi_mem_free(p.same);
    mi_mem_free(p.nth);
    mi_mem_free(p.seen);
    mi_mem_free(p.stamp);
    return ok;
}

/* --- starts and ends --- */

static bool starts_streams(const struct mi_taskgraph *graph, uint32_t vertex)
{
    return graph->role[vertex] != MI_TG_WORK &&
           (mi_tg_is_named(graph, vertex, MI_LIT("MODEL_EXECUTE")) ||
            mi_tg_is_named(graph, vertex, MI_LIT("STREAM_ACTIVE")));
}

/* The first task of a lane waits for the last start of a model or stream that ended before it. */
static void add_starts(struct mi_tg_builder *b, const uint32_t *marks, uint32_t mark_count)
{
    struct mi_taskgraph *graph = b->graph;
    for (uint32_t l = 0; l < graph->lane_count; l++) {
        uint32_t first = graph->lane_list[graph->lane_first[l]], best = MI_TG_NONE;
        for (uint32_t i = 0; i < mark_count; i++)
            if (graph->lane[marks[i]] != l && marks[i] < first &&
                graph->end_ns[marks[i]] <= graph->start_ns[first] &&
                (best == MI_TG_NONE || graph->end_ns[marks[i]] > graph->end_ns[best]))
                best = marks[i];
        if (best != MI_TG_NONE)
            add_edge(b, best, first, MI_TG_START, MI_LIKELY);
    }
}

/* What the application does on the stream that started the model, once all lanes have ended: the
 * host waited for them, so its launch tells nothing of its own. */
static void add_returns(struct mi_tg_builder *b, uint32_t mark)
{
    struct mi_taskgraph *graph = b->graph;
    int64_t end_ns = INT64_MIN;
    for (uint32_t l = 0; l < graph->lane_count; l++) {
        uint32_t last = graph->lane_list[graph->lane_first[l + 1] - 1];
        if (l != graph->lane[mark] && graph->end_ns[last] > end_ns)
            end_ns = graph->end_ns[last];
    }
    uint32_t back = graph->next[mark];
    while (back != MI_TG_NONE && graph->start_ns[back] < end_ns)
        back = graph->next[back];
    if (back == MI_TG_NONE || end_ns == INT64_MIN)
        return;
    for (uint32_t l = 0; l < graph->lane_count; l++)
        if (l != graph->lane[mark])
            add_edge(b, graph->lane_list[graph->lane_first[l + 1] - 1], back, MI_TG_RETURN,
                     MI_LIKELY);
    for (; back != MI_TG_NONE; back = graph->next[back])
        graph->release_ns[back] = INT64_MIN;
}

static bool add_frames(struct mi_tg_builder *b)
{
    struct mi_taskgraph *graph = b->graph;
    uint32_t *marks = mi_mem_new((size_t)graph->count + 1, sizeof *marks), count = 0;
    uint32_t last_execute = MI_TG_NONE;
    if (!marks)
        return false;
    for (uint32_t v = 0; v < graph->count; v++)
        if (starts_streams(graph, v)) {
            marks[count++] = v;
            if (mi_tg_is_named(graph, v, MI_LIT("MODEL_EXECUTE")))
                last_execute = v;
        }
    add_starts(b, marks, count);
    if (last_execute != MI_TG_NONE)
        add_returns(b, last_execute);
    mi_mem_free(marks);
    return true;
}

/* --- all of them --- */

static void set_releases(struct mi_tg_builder *b)
{
    struct mi_taskgraph *graph = b->graph;
    for (uint32_t v = 0; v < graph->count; v++) {
        uint32_t launch = b->rows->tasks.launch[graph->task[v]].v;
        graph->release_ns[v] =
            launch ? mi_ns_sub(b->rows->slices.start_ns[launch], graph->begin_ns) : INT64_MIN;
    }
}

/* Counting sort by `to`; edges to one vertex keep their order. */
static bool sort_edges(struct mi_taskgraph *graph)
{
    graph->first_in = mi_mem_zero((size_t)graph->count + 2, sizeof *graph->first_in);
    struct mi_tg_edge *sorted = mi_mem_new((size_t)graph->edge_count + 1, sizeof *sorted);
    uint32_t *at = mi_mem_new((size_t)graph->count + 1, sizeof *at);
    uint32_t *from = mi_mem_new((size_t)graph->edge_count + 1, sizeof *from);
    bool ok = graph->first_in && sorted && at && from;
    for (uint32_t e = 0; ok && e < graph->edge_count; e++)
        graph->first_in[graph->edges[e].to + 1]++;
    for (uint32_t v = 0; ok && v < graph->count; v++) {
        at[v] = graph->first_in[v];
        graph->first_in[v + 1] += graph->first_in[v];
    }
    for (uint32_t e = 0; ok && e < graph->edge_count; e++)
        sorted[at[graph->edges[e].to]++] = graph->edges[e];
    if (ok) {
        mi_mem_free(graph->edges);
        graph->edges = sorted;
        from[0] = 0;
        for (uint32_t e = 0; e < graph->edge_count; e++)
            from[e + 1] = sorted[e].from + 1;
        ok = mi_csr_build(&graph->out, graph->count + 1, from, graph->edge_count + 1);
        sorted = NULL;
    }
    mi_mem_free(sorted);
    mi_mem_free(at);
    mi_mem_free(from);
    return ok;
}

bool mi_tg_add_edges(struct mi_tg_builder *builder)
{
    set_releases(builder);
    add_signals(builder);
    return add_needs(builder) && add_frames(builder) && !builder->failed &&
           sort_edges(builder->graph);
}
