/* Streams of a loaded model against its plan.
 *
 * The hook states which file a model id stands for. The plan of that file lists the tasks of each
 * logical stream; a stream of the device on which only that model ran has the same ones, with
 * ascending ids, in every run. Where their number is equal, all that is told of them agrees, and no
 * other logical stream fits, the k-th id is the k-th planned task: that is certain, for events and
 * copies too, which have no name. */
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "correlate/hook/hook_parts.h"
#include "model/links.h"

#include <stdlib.h>

#define MIXED UINT32_MAX

struct lane {      /* a stream of the device */
    uint32_t load; /* of the model that ran on it; 0 = none, MIXED = several, or none for sure */
    struct mi_u32s tasks; /* one of each id, in the order of ids */
};

struct plan {
    struct mi_model *model;
    struct mi_tables *rows;
    struct lane *lanes;     /* [tracks.count] */
    const uint32_t *owners; /* [sources.count] */
    struct mi_map load_of;  /* (home, model) -> load, or MIXED; each load is of two homes */
    uint32_t *planned_of;   /* [tasks.count] planned task, 0 = not known for sure */
    struct mi_map first_of; /* (track, id) -> place in lane.tasks + 1 */
};

static bool map_load(struct plan *p, uint32_t home, uint32_t load)
{
    const struct mi_loads *loads = &p->rows->loads;
    uint32_t *at = mi_map_at(&p->load_of, mi_pair(home, (uint32_t)loads->model[load]));
    if (!at)
        return false;
    if (*at && *at != MIXED && loads->graph[*at].v != loads->graph[load].v)
        *at = MIXED;
    else if (!*at)
        *at = load;
    return true;
}

/* Each among those of its process, and among those of the capture. */
static bool map_loads(struct plan *p)
{
    const struct mi_loads *loads = &p->rows->loads;
    for (uint32_t l = 1; l < loads->count; l++) {
        uint32_t capture = p->rows->sources.capture[loads->source[l].v];
        if (!capture || loads->model[l] < 0 || !loads->graph[l].v)
            continue;
        if (!map_load(p, capture, l) ||
            !map_load(p, mi_hook_home(p->model, p->owners, loads->source[l].v), l))
            return false;
    }
    return true;
}

/* The load of the model that the task states; 0 = it states none, MIXED = not known. */
static uint32_t load_of_task(const struct plan *p, uint32_t task)
{
    uint32_t kernel = p->rows->tasks.kernel[task].v;
    int64_t model = p->rows->kernels.model[kernel];
    uint32_t home = mi_hook_home(p->model, p->owners, p->rows->kernels.source[kernel].v);
    if (model < 0)
        return 0;
    uint32_t load =
        model < UINT32_MAX && home ? mi_map_get(&p->load_of, mi_pair(home, (uint32_t)model)) : 0;
    return load ? load : MIXED;
}

static bool fill_lanes(struct plan *p)
{
    const struct mi_tasks *tasks = &p->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        struct lane *lane = &p->lanes[tasks->track[t].v];
        uint32_t load = load_of_task(p, t);
        if (tasks->parent[t].v)
            continue;
        if (load && lane->load && lane->load != load)
            lane->load = MIXED;
        else if (load)
            lane->load = load;
        if (mi_some_get(tasks->native_id[t]) < 0) {
            lane->load = MIXED;
            continue;
        }
        uint32_t *at = mi_map_at(
            &p->first_of, mi_pair(tasks->track[t].v, (uint32_t)mi_some_get(tasks->native_id[t])));
        if (!at || (!*at && !mi_u32s_push(&lane->tasks, t)))
            return false;
        *at = 1;
    }
    return true;
}

/* --- one lane --- */

struct id_of_task {
    int64_t id;
    uint32_t task;
};

static int by_id(const void *left, const void *right)
{
    const struct id_of_task *a = left, *b = right;
    return (a->id > b->id) - (a->id < b->id);
}

static bool sort_lane(struct plan *p, struct lane *lane)
{
    struct id_of_task *list = mi_mem_new((size_t)lane->tasks.count + 1, sizeof *list);
    if (!list)
        return false;
    for (uint32_t i = 0; i < lane->tasks.count; i++)
        list[i] = (struct id_of_task){mi_some_get(p->rows->tasks.native_id[lane->tasks.at[i]]),
                                      lane->tasks.at[i]};
    if (lane->tasks.count > 1)
        qsort(list, lane->tasks.count, sizeof *list, by_id);
    for (uint32_t i = 0; i < lane->tasks.count; i++)
        lane->tasks.at[i] = list[i].task;
    mi_mem_free(list);
    return true;
}

/* Whether what is told of the task agrees with the planned one; *is_named: by a name. */
static bool agrees(const struct plan *p, uint32_t task, uint32_t planned, bool *is_named)
{
    const struct mi_tables *rows = p->rows;
    uint32_t kernel = rows->tasks.kernel[task].v, node = rows->planned.node[planned].v;
    uint32_t name = rows->kernels.node_name[kernel].v;
    struct mi_bytes type = mi_model_text(p->model, rows->planned.type[planned]);
    enum mi_sync sync = mi_bytes_ends(type, MI_LIT("_RECORD")) ? MI_SYNC_RECORD
                        : mi_bytes_ends(type, MI_LIT("_WAIT")) ? MI_SYNC_WAIT
                                                               : MI_SYNC_NONE;
    if (rows->kernels.sync[kernel] != (uint8_t)sync)
        return false;
    if (!name)
        return rows->kernels.kind[kernel] == rows->planned.kind[planned] || sync != MI_SYNC_NONE;
    *is_named = node && rows->nodes.name[node].v == name;
    return *is_named;
}

/* The planned tasks of the graph's logical stream are those of the lane, one for one. `list` gets
 * them. */
static bool fits(const struct plan *p, const struct lane *lane, uint32_t graph, int64_t stream,
                 uint32_t *list)
{
    const struct mi_planned *planned = &p->rows->planned;
    uint32_t count = 0, named = 0;
    for (uint32_t q = 1; q < planned->count; q++) {
        bool is_named = false;
        if (planned->graph[q].v != graph || planned->stream[q] != stream || planned->parent[q].v)
            continue;
        if (count == lane->tasks.count || !agrees(p, lane->tasks.at[count], q, &is_named))
            return false;
        named += is_named;
        list[count++] = q;
    }
    return count == lane->tasks.count && named;
}

/* The logical streams of the graph, each once. */
static bool list_streams(const struct plan *p, uint32_t graph, struct mi_u32s *streams)
{
    const struct mi_planned *planned = &p->rows->planned;
    for (uint32_t q = 1; q < planned->count; q++) {
        bool is_known = planned->graph[q].v != graph || planned->stream[q] < 0 ||
                        planned->stream[q] > UINT32_MAX;
        for (uint32_t i = 0; !is_known && i < streams->count; i++)
            is_known = streams->at[i] == (uint32_t)planned->stream[q];
        if (!is_known && !mi_u32s_push(streams, (uint32_t)planned->stream[q]))
            return false;
    }
    return true;
}

static bool place_lane(struct plan *p, struct lane *lane)
{
    uint32_t graph = p->rows->loads.graph[lane->load].v, found = 0;
    struct mi_u32s streams = {0};
    uint32_t *list = mi_mem_new((size_t)lane->tasks.count + 1, sizeof *list);
    uint32_t *kept = mi_mem_new((size_t)lane->tasks.count + 1, sizeof *kept);
    bool ok = list && kept && sort_lane(p, lane) && list_streams(p, graph, &streams);
    for (uint32_t s = 0; ok && s < streams.count && found < 2; s++)
        if (fits(p, lane, graph, streams.at[s], list) && ++found == 1)
            memcpy(kept, list, lane->tasks.count * sizeof *kept);
    for (uint32_t i = 0; ok && found == 1 && i < lane->tasks.count; i++)
        p->planned_of[lane->tasks.at[i]] = kept[i];
    mi_mem_free(list);
    mi_mem_free(kept);
    mi_u32s_fini(&streams);
    return ok;
}

/* What was found for the first task of an id holds for those of the other runs. */
static bool spread(struct plan *p)
{
    const struct mi_tasks *tasks = &p->rows->tasks;
    struct mi_map by_key = {0};
    bool ok = true;
    for (uint32_t t = 1; ok && t < tasks->count; t++)
        if (p->planned_of[t])
            ok = mi_map_set(&by_key,
                            mi_pair(tasks->track[t].v, (uint32_t)mi_some_get(tasks->native_id[t])),
                            p->planned_of[t]);
    for (uint32_t t = 1; ok && t < tasks->count; t++)
        if (mi_some_get(tasks->native_id[t]) >= 0 && !tasks->parent[t].v)
            p->planned_of[t] = mi_map_get(
                &by_key, mi_pair(tasks->track[t].v, (uint32_t)mi_some_get(tasks->native_id[t])));
    mi_map_fini(&by_key);
    return ok;
}

/* --- what follows --- */

/* The plan stands for links that are not contradicted, and makes those that are not there. */
static void raise_links(struct plan *p, mi_str_id rule, mi_str_id text)
{
    const struct mi_executed *links = &p->rows->executed;
    for (uint32_t t = 1; t < p->rows->tasks.count; t++) {
        uint32_t planned = p->planned_of[t], own = p->rows->tasks.link[t].v;
        uint32_t node = planned ? p->rows->planned.node[planned].v : 0;
        struct mi_executed_row link = {.node = {node},
                                       .task = {t},
                                       .confidence = p->rows->planned.confidence[planned],
                                       .rule = rule,
                                       .evidence = text};
        if (!node)
            continue;
        if (!own || links->conflict[own].v)
            mi_link_add(&p->model->all, &link);
        else if (link.confidence == MI_CERTAIN && links->confidence[own] != MI_CERTAIN)
            mi_link_replace(&p->model->all, &link); /* perhaps of the model of another process */
    }
}

/* Pairs that the plan states, of tasks that are those of the plan for sure. */
static void raise_signals(struct plan *p, mi_str_id text)
{
    struct mi_signals *signals = &p->rows->signals;
    for (uint32_t s = 1; s < signals->count; s++) {
        uint32_t record = p->planned_of[signals->record[s].v];
        uint32_t wait = p->planned_of[signals->wait[s].v];
        if (record && wait && p->rows->planned.peer[wait].v == record && record < wait &&
            signals->confidence[s] == MI_LIKELY) {
            signals->confidence[s] = MI_CERTAIN;
            signals->evidence[s] = text;
        }
    }
}

static void conclude(struct plan *p)
{
    struct mi_batch *all = &p->model->all;
    mi_str_id rule = mi_batch_cstr(all, "hook_calls");
    mi_str_id link = mi_batch_cstr(
        all, N_("a hook saw which file was loaded, and the tasks of the stream are those of its "
                "plan, one for one"));
    mi_str_id pair = mi_batch_cstr(
        all, N_("the plan pairs them, and a hook saw which file was loaded: the tasks are those "
                "of its plan, one for one"));
    raise_links(p, rule, link);
    raise_signals(p, pair);
}

bool mi_hook_join_plan(struct mi_model *model, const uint32_t *owners)
{
    struct plan p = {.model = model, .rows = &model->all.rows, .owners = owners};
    uint32_t tracks = p.rows->tracks.count;
    p.lanes = mi_mem_zero((size_t)tracks + 1, sizeof *p.lanes);
    p.planned_of = mi_mem_zero((size_t)p.rows->tasks.count + 1, sizeof *p.planned_of);
    bool ok = p.lanes && p.planned_of && map_loads(&p) && fill_lanes(&p);
    for (uint32_t t = 1; ok && t < tracks; t++)
        if (p.lanes[t].load && p.lanes[t].load != MIXED)
            ok = place_lane(&p, &p.lanes[t]);
    ok = ok && spread(&p);
    if (ok)
        conclude(&p);
    for (uint32_t t = 1; p.lanes && t < tracks; t++)
        mi_u32s_fini(&p.lanes[t].tasks);
    mi_mem_free(p.lanes);
    mi_mem_free(p.planned_of);
    mi_map_fini(&p.load_of);
    mi_map_fini(&p.first_of);
    return ok && !mi_batch_failed(&model->all);
}
