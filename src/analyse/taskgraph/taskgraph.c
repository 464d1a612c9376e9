/* Vertices of a task graph: which tasks, in which order. */
#include "analyse/taskgraph/taskgraph.h"

#include "analyse/taskgraph/taskgraph_parts.h"
#include "base/mem.h"

#include <string.h>

enum { MAX_NESTING = 64 };

/* --- what a task is --- */

static bool contains(struct mi_bytes text, struct mi_bytes part)
{
    for (; text.len >= part.len; text = mi_bytes_sub(text, 1, text.len))
        if (mi_bytes_starts(text, part))
            return true;
    return false;
}

static uint8_t role_of(const struct mi_model *model, uint32_t kernel)
{
    static const char *const labels[] = {"LABEL", "SWITCH", "ACTIVE"};
    const struct mi_kernels *kernels = &model->all.rows.kernels;
    if (kernels->kind[kernel] != MI_TASK_SYNC)
        return MI_TG_WORK;
    if (kernels->sync[kernel] != MI_SYNC_NONE)
        return kernels->sync[kernel] == MI_SYNC_WAIT ? MI_TG_WAIT : MI_TG_RECORD;
    struct mi_bytes name = mi_model_text(model, kernels->name[kernel]);
    if (name.len > 128)
        return MI_TG_MARK;
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (contains(name, mi_cstr(labels[i])))
            return MI_TG_LABEL;
    return MI_TG_MARK;
}

static bool is_here(const struct mi_tg_builder *b, uint32_t task)
{
    const struct mi_taskgraph *graph = b->graph;
    const struct mi_tracks *tracks = &b->rows->tracks;
    uint32_t track = b->rows->tasks.track[task].v;
    return b->account->run_of[task] == graph->run && tracks->rank[track] == graph->rank &&
           tracks->device[track] == graph->device;
}

/* The outermost task that encloses this one on its own track. */
static uint32_t outermost(const struct mi_tg_builder *b, uint32_t task)
{
    const struct mi_tasks *tasks = &b->rows->tasks;
    for (unsigned depth = 0; depth < MAX_NESTING; depth++) {
        uint32_t parent = tasks->parent[task].v;
        if (!parent || parent == task || tasks->track[parent].v != tasks->track[task].v ||
            !is_here(b, parent))
            break;
        task = parent;
    }
    return task;
}

/* --- the order --- */

/* One track: its tasks in order, each with a key that never falls. */
struct source {
    uint32_t track, next, end; /* tasks */
    int64_t key;
    bool has_plan;
};

struct merger {
    struct mi_tg_builder *b;
    struct source *sources;
    uint32_t source_count;
    uint32_t *heap, heap_count; /* sources, the least key on top */
    uint8_t *is_left_out;       /* [tasks.count] */
    uint8_t *matters;           /* [tracks.count] more than marks of the runtime ran there */
    bool by_plan;
    int64_t model_begin_ns; /* first start of a planned task */
};

static int64_t end_of(const struct mi_tasks *tasks, uint32_t t)
{
    return mi_ns_add(tasks->start_ns[t], tasks->dur_ns[t]);
}

static uint32_t node_of(const struct mi_tg_builder *b, uint32_t task)
{
    uint32_t link = b->model->all.rows.tasks.link[task].v;
    return link ? b->rows->executed.node[link].v : 0;
}

/* By time: a wait stands behind its record even where it seems to end a little before it.
 * By plan: tasks without a place in the plan follow the one before them; lanes without any stand
 * before the model or behind it. */
static int64_t key_of(const struct merger *m, const struct source *source, uint32_t task)
{
    const struct mi_tasks *tasks = &m->b->rows->tasks;
    bool is_wait = m->b->kernel_role[tasks->kernel[task].v] == MI_TG_WAIT;
    if (!m->by_plan)
        return mi_ns_add(end_of(tasks, task), is_wait ? MI_TG_TREMBLE_NS : 0);
    if (!source->has_plan)
        return tasks->start_ns[task] < m->model_begin_ns ? -1 : INT64_MAX;
    return m->b->planned_of[node_of(m->b, task)];
}

/* Goes on to the next task of the source that counts; false: there is none. */
static bool advance(const struct merger *m, struct source *source)
{
    while (source->next < source->end && m->is_left_out[source->next])
        source->next++;
    if (source->next == source->end)
        return false;
    int64_t key = key_of(m, source, source->next);
    source->key = key > source->key ? key : source->key;
    return true;
}

static bool is_before(const struct merger *m, uint32_t a, uint32_t b)
{
    const struct source *left = &m->sources[a], *right = &m->sources[b];
    return left->key != right->key ? left->key < right->key : a < b;
}

static void sift_down(struct merger *m, uint32_t at)
{
    uint32_t moved = m->heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= m->heap_count)
            break;
        if (child + 1 < m->heap_count && is_before(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (!is_before(m, m->heap[child], moved))
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = moved;
}

/* Streams on which only the runtime left its marks (profiling on, off) belong to no run. */
static void leave_out_marks(struct merger *m)
{
    const struct mi_tasks *tasks = &m->b->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++)
        if (m->is_left_out[t] != 1 && (m->b->kernel_role[tasks->kernel[t].v] != MI_TG_MARK ||
                                       m->b->model->all.rows.tasks.link[t].v))
            m->matters[tasks->track[t].v] = 1;
    for (uint32_t t = 1; t < tasks->count; t++)
        if (!m->matters[tasks->track[t].v])
            m->is_left_out[t] = 1;
}

/* Leaves out what is not of this run, what lies within others, and collectives that are told by
 * their sub-tasks. Returns how many tasks are left. */
static uint32_t choose(struct merger *m)
{
    const struct mi_tables *rows = m->b->rows;
    const struct mi_tasks *tasks = &rows->tasks;
    uint32_t left = 0;
    for (uint32_t t = 1; t < tasks->count; t++)
        m->is_left_out[t] = !is_here(m->b, t);
    leave_out_marks(m);
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t parent = tasks->parent[t].v;
        if (m->is_left_out[t] == 1 || !parent || parent == t)
            continue;
        if (tasks->track[parent].v == tasks->track[t].v) {
            if (is_here(m->b, parent))
                m->is_left_out[t] = 2;
        } else if (rows->tracks.kind[tasks->track[parent].v] == MI_TRACK_GROUP) {
            m->is_left_out[parent] = 1;
        }
    }
    for (uint32_t t = 1; t < tasks->count; t++)
        left += !m->is_left_out[t];
    return left;
}

static void find_sources(struct merger *m)
{
    const struct mi_tables *rows = m->b->rows;
    const uint32_t *first = m->b->model->index.track_first_task;
    m->model_begin_ns = INT64_MAX;
    for (uint32_t track = 1; track < rows->tracks.count; track++) {
        struct source source = {track, first[track], first[track + 1], INT64_MIN, false};
        for (uint32_t t = source.next; m->by_plan && t < source.end; t++) {
            if (m->is_left_out[t] || !m->b->planned_of[node_of(m->b, t)])
                continue;
            source.has_plan = true;
            if (rows->tasks.start_ns[t] < m->model_begin_ns)
                m->model_begin_ns = rows->tasks.start_ns[t];
        }
        m->sources[m->source_count++] = source;
    }
    for (uint32_t s = 0; s < m->source_count; s++)
        if (advance(m, &m->sources[s]))
            m->heap[m->heap_count++] = s;
    for (uint32_t i = m->heap_count / 2; i-- > 0;)
        sift_down(m, i);
}

static void add_vertex(struct mi_tg_builder *b, uint32_t task, uint32_t lane, uint32_t *last)
{
    struct mi_taskgraph *graph = b->graph;
    const struct mi_tasks *tasks = &b->rows->tasks;
    uint32_t v = graph->count++, link = b->model->all.rows.tasks.link[task].v;
    uint32_t node = node_of(b, task);
    graph->task[v] = task;
    graph->node[v] = node;
    graph->lane[v] = lane;
    graph->prev[v] = last[lane];
    graph->next[v] = MI_TG_NONE;
    if (last[lane] != MI_TG_NONE)
        graph->next[last[lane]] = v;
    last[lane] = v;
    graph->role[v] = b->kernel_role[tasks->kernel[task].v];
    graph->knows_data[v] = node && b->graph_is_open[b->rows->nodes.graph[node].v] &&
                           b->rows->executed.confidence[link] >= MI_LIKELY;
    graph->start_ns[v] = mi_ns_sub(tasks->start_ns[task], graph->begin_ns);
    graph->end_ns[v] = mi_ns_add(graph->start_ns[v], tasks->dur_ns[task]);
    if (graph->end_ns[v] > graph->makespan_ns)
        graph->makespan_ns = graph->end_ns[v];
    b->vertex_of[task] = v + 1;
}

/* Numbers the lanes that have tasks, and takes the least key again and again. */
static void merge(struct merger *m, uint32_t *lane_of, uint32_t *last)
{
    struct mi_taskgraph *graph = m->b->graph;
    for (uint32_t s = 0; s < m->source_count; s++) {
        lane_of[s] = graph->lane_count;
        if (m->sources[s].next < m->sources[s].end) {
            last[graph->lane_count] = MI_TG_NONE;
            graph->track[graph->lane_count++] = m->sources[s].track;
        }
    }
    while (m->heap_count) {
        uint32_t s = m->heap[0];
        add_vertex(m->b, m->sources[s].next++, lane_of[s], last);
        if (!advance(m, &m->sources[s]))
            m->heap[0] = m->heap[--m->heap_count];
        if (m->heap_count)
            sift_down(m, 0);
    }
}

static bool list_lanes(struct mi_taskgraph *graph)
{
    graph->lane_first = mi_mem_zero((size_t)graph->lane_count + 1, sizeof *graph->lane_first);
    graph->lane_list = mi_mem_new((size_t)graph->count + 1, sizeof *graph->lane_list);
    uint32_t *at = mi_mem_new((size_t)graph->lane_count + 1, sizeof *at);
    bool ok = graph->lane_first && graph->lane_list && at;
    for (uint32_t v = 0; ok && v < graph->count; v++)
        graph->lane_first[graph->lane[v] + 1]++;
    for (uint32_t l = 0; ok && l < graph->lane_count; l++) {
        at[l] = graph->lane_first[l];
        graph->lane_first[l + 1] += graph->lane_first[l];
    }
    for (uint32_t v = 0; ok && v < graph->count; v++)
        graph->lane_list[at[graph->lane[v]]++] = v;
    mi_mem_free(at);
    return ok;
}

static bool make_columns(struct mi_taskgraph *graph, size_t count, size_t lanes)
{
    graph->task = mi_mem_new(count, sizeof *graph->task);
    graph->node = mi_mem_new(count, sizeof *graph->node);
    graph->lane = mi_mem_new(count, sizeof *graph->lane);
    graph->prev = mi_mem_new(count, sizeof *graph->prev);
    graph->next = mi_mem_new(count, sizeof *graph->next);
    graph->role = mi_mem_new(count, sizeof *graph->role);
    graph->knows_data = mi_mem_new(count, sizeof *graph->knows_data);
    graph->start_ns = mi_mem_new(count, sizeof *graph->start_ns);
    graph->end_ns = mi_mem_new(count, sizeof *graph->end_ns);
    graph->gap_ns = mi_mem_zero(count, sizeof *graph->gap_ns);
    graph->busy_ns = mi_mem_zero(count, sizeof *graph->busy_ns);
    graph->overlap_ns = mi_mem_zero(count, sizeof *graph->overlap_ns);
    graph->release_ns = mi_mem_new(count, sizeof *graph->release_ns);
    graph->binding = mi_mem_zero(count, sizeof *graph->binding);
    graph->binding_edge = mi_mem_zero(count, sizeof *graph->binding_edge);
    graph->track = mi_mem_zero(lanes, sizeof *graph->track);
    return graph->task && graph->node && graph->lane && graph->prev && graph->next && graph->role &&
           graph->knows_data && graph->start_ns && graph->end_ns && graph->gap_ns &&
           graph->busy_ns && graph->overlap_ns && graph->release_ns && graph->binding &&
           graph->binding_edge && graph->track;
}

static void set_enclosed(struct mi_tg_builder *b, const uint8_t *is_left_out)
{
    for (uint32_t t = 1; t < b->rows->tasks.count; t++)
        if (is_left_out[t] == 2)
            b->vertex_of[t] = b->vertex_of[outermost(b, t)];
}

bool mi_tg_add_vertices(struct mi_tg_builder *builder, bool by_plan)
{
    const struct mi_tables *rows = builder->rows;
    uint32_t tracks = rows->tracks.count;
    struct merger m = {.b = builder, .by_plan = by_plan};
    m.sources = mi_mem_new((size_t)tracks + 1, sizeof *m.sources);
    m.heap = mi_mem_new((size_t)tracks + 1, sizeof *m.heap);
    m.is_left_out = mi_mem_zero(rows->tasks.count, 1);
    m.matters = mi_mem_zero(tracks, 1);
    uint32_t *lane_of = mi_mem_zero((size_t)tracks + 1, sizeof *lane_of);
    uint32_t *last = mi_mem_zero((size_t)tracks + 1, sizeof *last);
    bool ok = m.sources && m.heap && m.is_left_out && m.matters && lane_of && last;
    if (ok) {
        uint32_t count = choose(&m);
        int64_t begin_ns = INT64_MAX;
        for (uint32_t t = 1; t < rows->tasks.count; t++)
            if (!m.is_left_out[t] && rows->tasks.start_ns[t] < begin_ns)
                begin_ns = rows->tasks.start_ns[t];
        builder->graph->begin_ns = count ? begin_ns : 0;
        ok = make_columns(builder->graph, (size_t)count + 1, (size_t)tracks + 1);
    }
    if (ok) {
        find_sources(&m);
        merge(&m, lane_of, last);
        set_enclosed(builder, m.is_left_out);
        builder->graph->is_planned_order = by_plan;
        ok = list_lanes(builder->graph);
    }
    mi_mem_free(m.sources);
    mi_mem_free(m.heap);
    mi_mem_free(m.is_left_out);
    mi_mem_free(m.matters);
    mi_mem_free(lane_of);
    mi_mem_free(last);
    return ok;
}

/* --- the whole --- */

static bool prepare(struct mi_tg_builder *b)
{
    const struct mi_tables *rows = b->rows;
    b->kernel_role = mi_mem_zero(rows->kernels.count, sizeof *b->kernel_role);
    b->graph_is_open = mi_mem_zero(rows->graphs.count, sizeof *b->graph_is_open);
    b->planned_of = mi_mem_zero(rows->nodes.count, sizeof *b->planned_of);
    b->vertex_of = mi_mem_zero(rows->tasks.count, sizeof *b->vertex_of);
    if (!b->kernel_role || !b->graph_is_open || !b->planned_of || !b->vertex_of)
        return false;
    for (uint32_t k = 1; k < rows->kernels.count; k++)
        b->kernel_role[k] = role_of(b->model, k);
    for (uint32_t e = 1; e < b->deps->edge_count; e++)
        if (b->deps->to[e] < rows->nodes.count)
            b->graph_is_open[rows->nodes.graph[b->deps->to[e]].v] = 1;
    for (uint32_t p = 1; p < rows->planned.count; p++) {
        uint32_t node = rows->planned.node[p].v;
        if (node && !b->planned_of[node] && !rows->planned.parent[p].v)
            b->planned_of[node] = p;
    }
    return true;
}

static bool build(struct mi_tg_builder *b, bool by_plan)
{
    struct mi_taskgraph fresh = {.model = b->model,
                                 .run = b->graph->run,
                                 .rank = b->graph->rank,
                                 .device = b->graph->device};
    mi_taskgraph_fini(b->graph);
    *b->graph = fresh;
    b->edge_room = 0;
    memset(b->vertex_of, 0, b->rows->tasks.count * sizeof *b->vertex_of);
    return mi_tg_add_vertices(b, by_plan) && mi_tg_add_edges(b);
}

/* The compiler's list is the better order, as long as nothing that was seen contradicts it. */
static bool build_best(struct mi_tg_builder *b)
{
    bool has_plan = b->rows->planned.count > 1;
    if (!build(b, has_plan))
        return false;
    uint32_t dropped = b->graph->dropped_count;
    if (!has_plan || !dropped)
        return true;
    if (!build(b, false))
        return false;
    return b->graph->dropped_count <= dropped || build(b, true);
}

bool mi_taskgraph_init(struct mi_taskgraph *graph, const struct mi_model *model,
                       const struct mi_account *account, const struct mi_deps *deps, uint32_t run,
                       int64_t rank, int64_t device, struct mi_error *err)
{
    *graph = (struct mi_taskgraph){.model = model, .run = run, .rank = rank, .device = device};
    struct mi_tg_builder b = {
        .graph = graph, .model = model, .rows = &model->all.rows, .account = account, .deps = deps};
    bool ok = prepare(&b) && build_best(&b) && mi_tg_set_times(&b);
    mi_mem_free(b.kernel_role);
    mi_mem_free(b.graph_is_open);
    mi_mem_free(b.planned_of);
    mi_mem_free(b.vertex_of);
    if (!ok)
        mi_taskgraph_fini(graph);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for the graph of tasks");
}

void mi_taskgraph_fini(struct mi_taskgraph *graph)
{
    mi_mem_free(graph->task);
    mi_mem_free(graph->node);
    mi_mem_free(graph->lane);
    mi_mem_free(graph->prev);
    mi_mem_free(graph->next);
    mi_mem_free(graph->role);
    mi_mem_free(graph->knows_data);
    mi_mem_free(graph->start_ns);
    mi_mem_free(graph->end_ns);
    mi_mem_free(graph->gap_ns);
    mi_mem_free(graph->busy_ns);
    mi_mem_free(graph->overlap_ns);
    mi_mem_free(graph->release_ns);
    mi_mem_free(graph->binding);
    mi_mem_free(graph->binding_edge);
    mi_mem_free(graph->edges);
    mi_mem_free(graph->first_in);
    mi_csr_fini(&graph->out);
    mi_mem_free(graph->track);
    mi_mem_free(graph->lane_first);
    mi_mem_free(graph->lane_list);
    *graph = (struct mi_taskgraph){0};
}
