#include "analyse/taskgraph/whatif.h"

#include "base/mem.h"

#include <string.h>

/* task removed; its signals are ignored; nobody hears it; it does not wait for data */
enum { GONE = 1, DEAF = 2, MUTE = 4, BLIND = 8 };

static void copy_graph(struct mi_whatif *whatif)
{
    const struct mi_taskgraph *graph = whatif->graph;
    size_t count = graph->count;
    memcpy(whatif->prev, graph->prev, count * sizeof *whatif->prev);
    memcpy(whatif->next, graph->next, count * sizeof *whatif->next);
    memcpy(whatif->lane, graph->lane, count * sizeof *whatif->lane);
    memcpy(whatif->gap_ns, graph->gap_ns, count * sizeof *whatif->gap_ns);
    memcpy(whatif->busy_ns, graph->busy_ns, count * sizeof *whatif->busy_ns);
    memset(whatif->marks, 0, count);
    whatif->touched_count = 0;
    whatif->apart = MI_TG_NONE;
}

/* To be called before a vertex is changed. */
static void touch(struct mi_whatif *whatif, uint32_t v)
{
    if (whatif->touched_count < MI_WHATIF_TOUCHED)
        whatif->touched[whatif->touched_count] = v;
    whatif->touched_count++;
}

bool mi_whatif_init(struct mi_whatif *whatif, const struct mi_taskgraph *graph,
                    struct mi_error *err)
{
    size_t count = (size_t)graph->count + 1;
    *whatif = (struct mi_whatif){.graph = graph};
    whatif->prev = mi_mem_new(count, sizeof *whatif->prev);
    whatif->next = mi_mem_new(count, sizeof *whatif->next);
    whatif->lane = mi_mem_new(count, sizeof *whatif->lane);
    whatif->gap_ns = mi_mem_new(count, sizeof *whatif->gap_ns);
    whatif->busy_ns = mi_mem_new(count, sizeof *whatif->busy_ns);
    whatif->marks = mi_mem_new(count, sizeof *whatif->marks);
    whatif->end_ns = mi_mem_new(count, sizeof *whatif->end_ns);
    if (!whatif->prev || !whatif->next || !whatif->lane || !whatif->gap_ns || !whatif->busy_ns ||
        !whatif->marks || !whatif->end_ns) {
        mi_whatif_fini(whatif);
        return mi_fail(err, MI_ENOMEM, "out of memory for a simulation");
    }
    copy_graph(whatif);
    return true;
}

void mi_whatif_fini(struct mi_whatif *whatif)
{
    mi_mem_free(whatif->prev);
    mi_mem_free(whatif->next);
    mi_mem_free(whatif->lane);
    mi_mem_free(whatif->gap_ns);
    mi_mem_free(whatif->busy_ns);
    mi_mem_free(whatif->marks);
    mi_mem_free(whatif->end_ns);
    *whatif = (struct mi_whatif){0};
}

void mi_whatif_reset(struct mi_whatif *whatif)
{
    const struct mi_taskgraph *graph = whatif->graph;
    whatif->apart = MI_TG_NONE;
    if (whatif->touched_count > MI_WHATIF_TOUCHED) {
        copy_graph(whatif);
        return;
    }
    for (uint32_t i = 0; i < whatif->touched_count; i++) {
        uint32_t v = whatif->touched[i];
        whatif->prev[v] = graph->prev[v];
        whatif->next[v] = graph->next[v];
        whatif->lane[v] = graph->lane[v];
        whatif->gap_ns[v] = graph->gap_ns[v];
        whatif->busy_ns[v] = graph->busy_ns[v];
        whatif->marks[v] = 0;
    }
    whatif->touched_count = 0;
}

/* --- changes --- */

void mi_whatif_shorten(struct mi_whatif *whatif, uint32_t vertex, int64_t busy_ns)
{
    touch(whatif, vertex);
    whatif->busy_ns[vertex] = busy_ns;
}

void mi_whatif_launch(struct mi_whatif *whatif, uint32_t vertex, int64_t gap_ns)
{
    touch(whatif, vertex);
    whatif->gap_ns[vertex] = gap_ns;
}

void mi_whatif_remove(struct mi_whatif *whatif, uint32_t vertex)
{
    touch(whatif, vertex);
    whatif->marks[vertex] |= GONE;
    whatif->busy_ns[vertex] = whatif->gap_ns[vertex] = 0;
}

void mi_whatif_remove_wait(struct mi_whatif *whatif, uint32_t wait)
{
    touch(whatif, wait);
    whatif->marks[wait] |= GONE | DEAF;
    whatif->busy_ns[wait] = whatif->gap_ns[wait] = 0;
}

void mi_whatif_forget_data(struct mi_whatif *whatif, uint32_t wait)
{
    for (uint32_t v = whatif->next[wait]; v != MI_TG_NONE; v = whatif->next[v]) {
        touch(whatif, v);
        whatif->marks[v] |= BLIND;
    }
}

static void unlink_vertex(struct mi_whatif *whatif, uint32_t v)
{
    uint32_t prev = whatif->prev[v], next = whatif->next[v];
    if (prev != MI_TG_NONE) {
        touch(whatif, prev);
        whatif->next[prev] = next;
    }
    if (next != MI_TG_NONE) {
        touch(whatif, next);
        whatif->prev[next] = prev;
    }
}

/* The last vertex of the lane, as it is now, before `v`. */
static uint32_t place_before(const struct mi_whatif *whatif, uint32_t v, uint32_t lane)
{
    const struct mi_taskgraph *graph = whatif->graph;
    uint32_t lo = graph->lane_first[lane], hi = graph->lane_first[lane + 1];
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (graph->lane_list[middle] < v)
            lo = middle + 1;
        else
            hi = middle;
    }
    while (lo > graph->lane_first[lane] && whatif->lane[graph->lane_list[lo - 1]] != lane)
        lo--;
    uint32_t at = lo > graph->lane_first[lane] ? graph->lane_list[lo - 1] : MI_TG_NONE;
    while (at != MI_TG_NONE && whatif->next[at] != MI_TG_NONE && whatif->next[at] < v)
        at = whatif->next[at];
    return at;
}

static uint32_t first_of_lane(const struct mi_whatif *whatif, uint32_t lane)
{
    const struct mi_taskgraph *graph = whatif->graph;
    for (uint32_t i = graph->lane_first[lane]; i < graph->lane_first[lane + 1]; i++)
        if (whatif->lane[graph->lane_list[i]] == lane)
            return graph->lane_list[i];
    return MI_TG_NONE;
}

static void link_vertex(struct mi_whatif *whatif, uint32_t v, uint32_t lane)
{
    uint32_t before = place_before(whatif, v, lane);
    uint32_t after = before != MI_TG_NONE ? whatif->next[before] : first_of_lane(whatif, lane);
    whatif->lane[v] = lane;
    whatif->prev[v] = before;
    whatif->next[v] = after;
    if (before != MI_TG_NONE) {
        touch(whatif, before);
        whatif->next[before] = v;
    }
    if (after != MI_TG_NONE) {
        touch(whatif, after);
        whatif->prev[after] = v;
    }
}

/* The waits right before it and the records right behind it lose their effect. */
static void silence(struct mi_whatif *whatif, uint32_t vertex)
{
    const struct mi_taskgraph *graph = whatif->graph;
    for (uint32_t w = whatif->prev[vertex]; w != MI_TG_NONE && graph->role[w] == MI_TG_WAIT;
         w = whatif->prev[w]) {
        touch(whatif, w);
        whatif->marks[w] |= DEAF;
    }
    for (uint32_t r = whatif->next[vertex]; r != MI_TG_NONE && graph->role[r] == MI_TG_RECORD;
         r = whatif->next[r]) {
        touch(whatif, r);
        whatif->marks[r] |= MUTE;
    }
}

void mi_whatif_move(struct mi_whatif *whatif, uint32_t vertex, uint32_t lane)
{
    silence(whatif, vertex);
    touch(whatif, vertex);
    unlink_vertex(whatif, vertex);
    link_vertex(whatif, vertex, lane);
}

void mi_whatif_move_apart(struct mi_whatif *whatif, uint32_t vertex)
{
    silence(whatif, vertex);
    touch(whatif, vertex);
    unlink_vertex(whatif, vertex);
    whatif->lane[vertex] = whatif->graph->lane_count;
    whatif->prev[vertex] = whatif->apart;
    whatif->next[vertex] = MI_TG_NONE;
    if (whatif->apart != MI_TG_NONE) {
        touch(whatif, whatif->apart);
        whatif->next[whatif->apart] = vertex;
    }
    whatif->apart = vertex;
}

/* --- the simulation --- */

/* The latest end over the edges that count at the start of `v`, but at least `at_ns`. */
static int64_t arrive(const struct mi_whatif *whatif, uint32_t v, int64_t at_ns)
{
    const struct mi_taskgraph *graph = whatif->graph;
    for (uint32_t e = graph->first_in[v]; e < graph->first_in[v + 1]; e++) {
        const struct mi_tg_edge *edge = &graph->edges[e];
        bool is_data = edge->kind == MI_TG_DATA || edge->kind == MI_TG_CONTROL;
        if (edge->kind == MI_TG_SIGNAL || whatif->lane[edge->from] == whatif->lane[v] ||
            (is_data && whatif->marks[v] & BLIND))
            continue;
        int64_t then_ns = mi_ns_add(whatif->end_ns[edge->from], edge->lag_ns);
        at_ns = then_ns > at_ns ? then_ns : at_ns;
    }
    return at_ns;
}

/* A task that was moved to the front of a lane waits for what started the lane; on one of its own
 * for what started the lane that it came from. */
static int64_t start_of_lane(const struct mi_whatif *whatif, uint32_t v, int64_t at_ns)
{
    const struct mi_taskgraph *graph = whatif->graph;
    uint32_t lane = whatif->lane[v] < graph->lane_count ? whatif->lane[v] : graph->lane[v];
    uint32_t first = graph->lane_list[graph->lane_first[lane]];
    for (uint32_t e = graph->first_in[first]; e < graph->first_in[first + 1]; e++) {
        const struct mi_tg_edge *edge = &graph->edges[e];
        if (edge->kind == MI_TG_START && edge->from < v && whatif->end_ns[edge->from] > at_ns)
            at_ns = whatif->end_ns[edge->from];
    }
    return at_ns;
}

static int64_t hear(const struct mi_whatif *whatif, uint32_t wait, int64_t at_ns)
{
    const struct mi_taskgraph *graph = whatif->graph;
    for (uint32_t e = graph->first_in[wait]; e < graph->first_in[wait + 1]; e++) {
        const struct mi_tg_edge *edge = &graph->edges[e];
        if (edge->kind != MI_TG_SIGNAL || whatif->marks[edge->from] & MUTE)
            continue;
        int64_t then_ns = mi_ns_add(whatif->end_ns[edge->from], edge->lag_ns);
        at_ns = then_ns > at_ns ? then_ns : at_ns;
    }
    return at_ns;
}

int64_t mi_whatif_run(struct mi_whatif *whatif)
{
    const struct mi_taskgraph *graph = whatif->graph;
    int64_t makespan_ns = 0;
    for (uint32_t v = 0; v < graph->count; v++) {
        int64_t at_ns =
            graph->release_ns[v] > 0 && !(whatif->marks[v] & GONE) ? graph->release_ns[v] : 0;
        uint32_t prev = whatif->prev[v];
        if (prev != MI_TG_NONE) {
            int64_t free_ns =
                whatif->end_ns[prev] - (prev == graph->prev[v] ? graph->overlap_ns[v] : 0);
            at_ns = free_ns > at_ns ? free_ns : at_ns;
        } else if (graph->prev[v] != MI_TG_NONE) {
            at_ns = start_of_lane(whatif, v, at_ns);
        }
        at_ns = arrive(whatif, v, at_ns);
        int64_t end_ns = at_ns + whatif->gap_ns[v] + whatif->busy_ns[v];
        if (graph->role[v] == MI_TG_WAIT && !(whatif->marks[v] & DEAF))
            end_ns = hear(whatif, v, end_ns);
        whatif->end_ns[v] = end_ns;
        makespan_ns = end_ns > makespan_ns ? end_ns : makespan_ns;
    }
    return makespan_ns;
}
