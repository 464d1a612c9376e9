/* Tasks of a captured model (ACL graph) in a profile, and the list of that model's tasks: both have
 * model, stream and task id. The list alone knows which record a wait waits for. */
#include "base/decimal.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "correlate/cann/cann_tables.h"
#include "correlate/cann/cann_tasks.h"
#include "correlate/matcher.h"

#define SEVERAL UINT32_MAX

struct joining {
    struct mi_model *model;
    const struct mi_tables *rows;
    uint32_t *collections;
    struct mi_map graphs;  /* (model, collection or 0) -> graph, or SEVERAL */
    struct mi_map streams; /* (graph, stream) -> number, from 1 */
    struct mi_map planned; /* (that number, task id) -> planned task */
    uint32_t stream_count, graph_count, only_graph;
    struct mi_cann_event *events;
    uint32_t event_count, event_room;
};

static bool is_listed(const struct joining *j, uint32_t graph)
{
    uint32_t source = j->rows->graphs.source[graph].v;
    return mi_bytes_equal(mi_model_text(j->model, j->rows->sources.reader[source]),
                          MI_LIT("acl_graph"));
}

static bool put_graph(struct joining *j, int64_t number, uint32_t collection, uint32_t graph)
{
    uint32_t *at = mi_map_at(&j->graphs, mi_pair((uint32_t)number, collection));
    if (at)
        *at = *at && *at != graph ? SEVERAL : graph;
    return at != NULL;
}

/* "model 7" is called by its number. */
static bool map_graphs(struct joining *j)
{
    const struct mi_graphs *graphs = &j->rows->graphs;
    int64_t number;
    for (uint32_t g = 1; g < graphs->count; g++) {
        struct mi_bytes name = mi_model_text(j->model, graphs->name[g]);
        if (!is_listed(j, g) || !mi_bytes_starts(name, MI_LIT("model ")) ||
            mi_decimal_i64(mi_bytes_sub(name, 6, name.len), &number) != 0)
            continue;
        uint32_t collection = j->rows->sources.collection[graphs->source[g].v];
        j->only_graph = g;
        j->graph_count++;
        if (!put_graph(j, number, 0, g) || (collection && !put_graph(j, number, collection, g)))
            return false;
    }
    return true;
}

static bool map_planned(struct joining *j)
{
    const struct mi_planned *planned = &j->rows->planned;
    for (uint32_t p = 1; p < planned->count; p++) {
        if (!is_listed(j, planned->graph[p].v) || planned->native_id[p] < 0)
            continue;
        uint32_t *stream =
            mi_map_at(&j->streams, mi_pair(planned->graph[p].v, (uint32_t)planned->stream[p]));
        if (!stream)
            return false;
        if (!*stream)
            *stream = ++j->stream_count;
        uint32_t *at = mi_map_at(&j->planned, mi_pair(*stream, (uint32_t)planned->native_id[p]));
        if (!at)
            return false;
        *at = *at ? SEVERAL : p;
    }
    return true;
}

/* The list of the model that the task belongs to. Tables without a model column leave it open:
 * then the only list there is may be it. */
static uint32_t graph_of(const struct joining *j, uint32_t task, bool *is_stated)
{
    uint32_t kernel = j->rows->tasks.kernel[task].v;
    int64_t number = j->rows->kernels.model[kernel];
    uint32_t collection = j->collections[j->rows->kernels.source[kernel].v];
    *is_stated = number >= 0;
    if (number < 0)
        return j->graph_count == 1 ? j->only_graph : 0;
    if (number >= UINT32_MAX)
        return 0;
    uint32_t graph = mi_map_get(&j->graphs, mi_pair((uint32_t)number, collection));
    if (!graph)
        graph = mi_map_get(&j->graphs, mi_pair((uint32_t)number, 0));
    return graph == SEVERAL ? 0 : graph;
}

static uint32_t planned_of(const struct joining *j, uint32_t task, bool *is_stated)
{
    uint32_t graph = graph_of(j, task, is_stated), track = j->rows->tasks.track[task].v;
    int64_t stream = j->rows->tracks.native_id[track],
            id = mi_some_get(j->rows->tasks.native_id[task]);
    if (!graph || stream < 0 || id < 0)
        return 0;
    uint32_t list = mi_map_get(&j->streams, mi_pair(graph, (uint32_t)stream));
    uint32_t found = list ? mi_map_get(&j->planned, mi_pair(list, (uint32_t)id)) : 0;
    return found == SEVERAL ? 0 : found;
}

static bool same_sync(const struct joining *j, uint32_t task, uint32_t planned)
{
    enum mi_sync sync = (enum mi_sync)j->rows->kernels.sync[j->rows->tasks.kernel[task].v];
    struct mi_bytes type = mi_model_text(j->model, j->rows->planned.type[planned]);
    return (sync == MI_SYNC_RECORD && mi_bytes_ends(type, MI_LIT("_RECORD"))) ||
           (sync == MI_SYNC_WAIT && mi_bytes_ends(type, MI_LIT("_WAIT")));
}

static bool join_tasks(struct joining *j)
{
    const struct mi_tasks *tasks = &j->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        bool is_stated;
        uint32_t kernel = tasks->kernel[t].v;
        if (j->rows->kernels.sync[kernel] == MI_SYNC_NONE ||
            !j->collections[j->rows->kernels.source[kernel].v])
            continue;
        uint32_t planned = planned_of(j, t, &is_stated);
        if (!planned || !j->rows->planned.peer[planned].v || !same_sync(j, t, planned))
            continue;
        if (!mi_vec_room(&j->events, &j->event_room, j->event_count, sizeof *j->events))
            return false;
        j->events[j->event_count++] =
            (struct mi_cann_event){.task = t, .planned = planned, .is_sure = is_stated};
    }
    return true;
}

static bool run(struct mi_model *model, struct mi_error *err)
{
    struct joining j = {
        .model = model, .rows = &model->all.rows, .collections = mi_cann_collections(model)};
    bool ok = j.collections && map_graphs(&j);
    if (ok && j.graph_count)
        ok = map_planned(&j) && join_tasks(&j) &&
             mi_cann_pair_events(model, j.collections, j.events, j.event_count);
    mi_map_fini(&j.graphs);
    mi_map_fini(&j.streams);
    mi_map_fini(&j.planned);
    mi_mem_free(j.events);
    mi_mem_free(j.collections);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for the tasks of captured models");
}

const struct mi_matcher mi_matcher_acl_graph = {
    .name = "acl_graph",
    .title = N_("model, stream and task id of captured models"),
    .needs = MI_HAS_TASKS,
    .run = run,
};
