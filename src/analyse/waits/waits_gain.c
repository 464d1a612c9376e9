/* What waits cost over several runs, and which of them stay. */
#include "analyse/waits/waits_parts.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>

enum {
    MOST_RUNS = 8,    /* gains are averaged over so many */
    MOST_QUEUES = 400 /* candidates that are simulated, the longest first */
};

/* --- the order of waits --- */

static int compare_lengths(const void *left, const void *right)
{
    const struct mi_wait *a = left, *b = right;
    if (a->wait_ns != b->wait_ns)
        return a->wait_ns > b->wait_ns ? -1 : 1;
    if (a->vertex != b->vertex)
        return a->vertex < b->vertex ? -1 : 1;
    if (a->wait != b->wait)
        return a->wait < b->wait ? -1 : 1;
    return (a->lane > b->lane) - (a->lane < b->lane);
}

static int64_t counted_gain(const struct mi_wait *wait)
{
    return wait->gain_ns > 0 ? wait->gain_ns : 0;
}

static int compare_gains(const void *left, const void *right)
{
    const struct mi_wait *a = left, *b = right;
    if (counted_gain(a) != counted_gain(b))
        return counted_gain(a) > counted_gain(b) ? -1 : 1;
    return compare_lengths(left, right);
}

static int compare_vertices(const void *left, const void *right)
{
    const struct mi_wait *a = left, *b = right;
    if (a->vertex != b->vertex)
        return a->vertex < b->vertex ? -1 : 1;
    return compare_gains(left, right);
}

static void sort(struct mi_waits *waits, int (*compare)(const void *, const void *))
{
    if (waits->count)
        qsort(waits->list, waits->count, sizeof *waits->list, compare);
}

/* Only the longest queues are simulated; there is one for each task of a busy stream. */
static void drop_queues(struct mi_waits *waits)
{
    uint32_t kept = 0, queues = 0;
    for (uint32_t i = 0; i < waits->count; i++)
        if (waits->list[i].verdict != MI_WAIT_QUEUE || queues++ < MOST_QUEUES)
            waits->list[kept++] = waits->list[i];
    waits->count = kept;
}

/* Of several lanes for one task the best stays. */
static void choose_lanes(struct mi_waits *waits)
{
    uint32_t kept = 0, last = MI_TG_NONE;
    sort(waits, compare_vertices);
    for (uint32_t i = 0; i < waits->count; i++) {
        const struct mi_wait *wait = &waits->list[i];
        bool is_queue = wait->verdict == MI_WAIT_QUEUE;
        if (is_queue && wait->vertex == last)
            continue;
        last = is_queue ? wait->vertex : last;
        waits->list[kept++] = *wait;
    }
    waits->count = kept;
}

/* --- gains --- */

/* The same task in another run: its stream and its number there. */
static uint64_t key_of(const struct mi_taskgraph *graph, uint32_t vertex)
{
    return mi_pair(
        graph->track[graph->lane[vertex]],
        (uint32_t)mi_some_get(graph->model->all.rows.tasks.native_id[graph->task[vertex]]));
}

static uint32_t lane_of(const struct mi_taskgraph *graph, uint32_t track)
{
    for (uint32_t l = 0; l < graph->lane_count; l++)
        if (graph->track[l] == track)
            return l;
    return MI_TG_NONE;
}

static uint32_t subject_of(const struct mi_wait *wait)
{
    return wait->wait != MI_TG_NONE ? wait->wait : wait->vertex;
}

static void place_waits(const struct mi_waits_pass *p, const struct mi_taskgraph *graph,
                        const struct mi_map *places, struct mi_wait_place *list)
{
    for (uint32_t i = 0; i < p->waits.count; i++) {
        const struct mi_wait *wait = &p->waits.list[i];
        uint32_t lane = MI_TG_NONE;
        list[i].vertex = mi_map_get(places, key_of(&p->graph, subject_of(wait))) - 1;
        if (wait->verdict == MI_WAIT_QUEUE)
            lane = lane_of(graph, p->graph.track[wait->lane]);
        if (wait->verdict == MI_WAIT_QUEUE && lane == MI_TG_NONE)
            list[i].vertex = MI_TG_NONE;
        list[i].lane = lane;
    }
}

static bool map_graph(const struct mi_taskgraph *graph, struct mi_map *places)
{
    bool ok = mi_map_reserve(places, graph->count);
    for (uint32_t v = 0; ok && v < graph->count; v++)
        if (mi_some_get(graph->model->all.rows.tasks.native_id[graph->task[v]]) >= 0)
            ok = mi_map_set(places, key_of(graph, v), v + 1);
    return ok;
}

static bool measure_in(struct mi_waits_pass *p, const struct mi_taskgraph *graph)
{
    struct mi_whatif whatif;
    struct mi_map places = {0};
    struct mi_wait_place *list = mi_mem_new((size_t)p->waits.count + 1, sizeof *list);
    if (!mi_whatif_init(&whatif, graph, p->err)) {
        mi_mem_free(list);
        return false;
    }
    bool is_own = graph == &p->graph, ok = list && (is_own || map_graph(graph, &places));
    for (uint32_t i = 0; ok && is_own && i < p->waits.count; i++)
        list[i] = (struct mi_wait_place){subject_of(&p->waits.list[i]), p->waits.list[i].lane};
    if (ok && !is_own)
        place_waits(p, graph, &places, list);
    if (ok)
        mi_waits_measure(&p->waits, &whatif, list);
    mi_map_fini(&places);
    mi_mem_free(list);
    mi_whatif_fini(&whatif);
    return ok || mi_fail(p->err, MI_ENOMEM, "out of memory for the waits");
}

/* Further runs of the same device, as far as the budget goes. */
static bool measure_others(struct mi_waits_pass *p, uint32_t chosen)
{
    const struct mi_tg_unit *mine = &p->units.list[chosen];
    uint32_t runs = 1;
    for (uint32_t u = 0; u < p->units.count && runs < MOST_RUNS; u++) {
        const struct mi_tg_unit *unit = &p->units.list[u];
        struct mi_taskgraph graph;
        if (u == chosen || !unit->is_counted || unit->device != mine->device ||
            unit->rank != mine->rank ||
            p->account.runs[unit->run].group != p->account.runs[mine->run].group ||
            p->waits.budget <= (int64_t)unit->tasks * 4)
            continue;
        if (!mi_taskgraph_init(&graph, p->model, &p->account, &p->deps, unit->run, unit->rank,
                               unit->device, p->err))
            return false;
        bool ok = measure_in(p, &graph);
        mi_taskgraph_fini(&graph);
        if (!ok)
            return false;
        runs++;
    }
    return true;
}

/* Means of what was measured; drops queues that gain less than `least_ns`. */
static void settle(struct mi_waits_pass *p, int64_t least_ns)
{
    struct mi_waits *waits = &p->waits;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < waits->count; i++) {
        struct mi_wait *wait = &waits->list[i];
        if (wait->gain_runs)
            wait->gain_ns = wait->gain_sum_ns / wait->gain_runs;
        if (wait->verdict != MI_WAIT_QUEUE || wait->gain_ns >= least_ns)
            waits->list[kept++] = *wait;
    }
    waits->count = kept;
}

bool mi_waits_gain(struct mi_waits_pass *p, uint32_t chosen)
{
    sort(&p->waits, compare_lengths);
    drop_queues(&p->waits);
    if (!measure_in(p, &p->graph))
        return false;
    settle(p, p->least_gain_ns / 2); /* what costs nothing here needs no second look */
    choose_lanes(&p->waits);
    bool is_open = false;
    for (uint32_t i = 0; i < p->waits.count; i++)
        is_open = is_open || p->waits.list[i].gain_ns >= p->least_gain_ns / 2;
    if (is_open && !mi_args_find(p->args, "run") && !measure_others(p, chosen))
        return false;
    settle(p, p->least_gain_ns);
    sort(&p->waits, compare_gains);
    return true;
}
