/* A task on a stream of the application starts a run of a loaded model; what stands behind it on
 * that stream begins when the run is over. All tasks of the run lie between the two. Where starts
 * were lost, which run the others started is known from times only, and nothing is concluded. */
#include "base/mem.h"
#include "correlate/cann/cann_tables.h"
#include "correlate/clocks/parts.h"
#include "model/sort.h"

struct span { /* of one run on one stream */
    uint32_t unit;
    int64_t first, last;
    uint32_t next; /* of the same device and run + 1 */
};

struct runs {
    struct mi_collector *k;
    const struct mi_tables *rows;
    uint32_t *device_of;    /* [tracks.count] its source and device, from 1 */
    uint8_t *is_model;      /* [tracks.count] has tasks of nodes */
    uint8_t *has_starts;    /* [tracks.count] models are started there */
    uint8_t *is_start;      /* [kernels.count] starts a model */
    uint32_t *missing;      /* [tracks.count + 1] of each device: runs less starts */
    struct mi_map spans_of; /* (track, run) -> span + 1 */
    struct mi_map runs_of;  /* (device, run) -> its last span + 1 */
    struct mi_map starts;   /* (device, run) -> task that starts it, or TWICE */
    struct span *spans;
    uint32_t span_count, span_room;
};

#define TWICE UINT32_MAX

static void look_at_tasks(struct runs *r)
{
    const struct mi_tasks *tasks = &r->rows->tasks;
    const struct mi_kernels *kernels = &r->rows->kernels;
    for (uint32_t k = 1; k < kernels->count; k++)
        r->is_start[k] = mi_bytes_equal(mi_model_text(r->k->c->model, kernels->name[k]),
                                        MI_LIT("MODEL_EXECUTE"));
    for (uint32_t t = 1; t < tasks->count; t++)
        r->is_model[tasks->track[t].v] |= tasks->by[t] == MI_BY_NODE;
}

static bool note_start(struct runs *r, uint32_t task)
{
    const struct mi_tasks *tasks = &r->rows->tasks;
    uint32_t *at =
        mi_map_at(&r->starts, mi_pair(r->device_of[tasks->track[task].v], tasks->run[task]));
    if (!at)
        return false;
    if (!*at)
        r->missing[r->device_of[tasks->track[task].v]]--;
    *at = *at ? TWICE : task;
    return true;
}

static bool note_task(struct runs *r, uint32_t task)
{
    const struct mi_tasks *tasks = &r->rows->tasks;
    uint32_t track = tasks->track[task].v, run = tasks->run[task];
    int64_t start = tasks->start_ns[task], end;
    if (__builtin_add_overflow(start, tasks->dur_ns[task], &end))
        end = INT64_MAX;
    uint32_t *at = mi_map_at(&r->spans_of, mi_pair(track, run));
    if (!at)
        return false;
    if (*at) {
        struct span *span = &r->spans[*at - 1];
        span->first = start < span->first ? start : span->first;
        span->last = end > span->last ? end : span->last;
        return true;
    }
    if (!mi_vec_room(&r->spans, &r->span_room, r->span_count, sizeof *r->spans))
        return false;
    uint32_t *list = mi_map_at(&r->runs_of, mi_pair(r->device_of[track], run));
    if (!list)
        return false;
    r->missing[r->device_of[track]] += !*list;
    r->spans[r->span_count] =
        (struct span){.unit = r->k->c->unit_of[track], .first = start, .last = end, .next = *list};
    *at = *list = ++r->span_count;
    return true;
}

/* `behind`: the task that follows the start on its stream, 0 = none. */
static bool bound_run(struct runs *r, uint32_t start, uint32_t behind)
{
    const struct mi_tasks *tasks = &r->rows->tasks;
    struct mi_calibration *c = r->k->c;
    uint32_t unit = c->unit_of[tasks->track[start].v];
    uint32_t device = r->device_of[tasks->track[start].v];
    uint64_t key = mi_pair(device, tasks->run[start]);
    if (r->missing[device] || mi_map_get(&r->starts, key) == TWICE)
        return true;
    bool ok = true;
    for (uint32_t s = mi_map_get(&r->runs_of, key); ok && s; s = r->spans[s - 1].next) {
        const struct span *span = &r->spans[s - 1];
        ok = mi_ties_add_point(r->k, unit, span->unit,
                               (struct mi_point){.cause = mi_since_base(c, tasks->start_ns[start]),
                                                 .effect = mi_since_base(c, span->first),
                                                 .flags = MI_POINT_LOOSE});
        if (ok && behind)
            ok = mi_ties_add_point(
                r->k, span->unit, unit,
                (struct mi_point){.cause = mi_since_base(c, span->last),
                                  .effect = mi_since_base(c, tasks->start_ns[behind]),
                                  .flags = MI_POINT_LOOSE});
    }
    return ok;
}

static bool stands_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_tasks *tasks = &rows->tasks;
    if (tasks->track[a].v != tasks->track[b].v)
        return tasks->track[a].v > tasks->track[b].v;
    return tasks->start_ns[a] > tasks->start_ns[b];
}

/* Streams on which models are started, in the order of time. */
static bool bound_all(struct runs *r)
{
    const struct mi_tasks *tasks = &r->rows->tasks;
    uint32_t count = 1, *list = mi_mem_new(tasks->count, sizeof *list);
    bool ok = list != NULL;
    for (uint32_t t = 1; ok && t < tasks->count; t++)
        if (r->has_starts[tasks->track[t].v])
            list[count++] = t;
    ok = ok && mi_rows_sort(r->rows, list, count, stands_behind);
    for (uint32_t i = 1; ok && i < count; i++) {
        bool is_last = i + 1 == count || tasks->track[list[i]].v != tasks->track[list[i + 1]].v;
        if (r->is_start[tasks->kernel[list[i]].v])
            ok = bound_run(r, list[i], is_last ? 0 : list[i + 1]);
    }
    mi_mem_free(list);
    return ok;
}

static bool bound_runs(struct runs *r)
{
    const struct mi_tasks *tasks = &r->rows->tasks;
    bool ok = true, has_any = false;
    for (uint32_t t = 1; ok && t < tasks->count; t++) {
        uint32_t track = tasks->track[t].v;
        if (!r->device_of[track] || !r->is_start[tasks->kernel[t].v])
            continue;
        r->has_starts[track] = 1;
        has_any = true;
        ok = note_start(r, t);
    }
    for (uint32_t t = 1; ok && has_any && t < tasks->count; t++) {
        uint32_t track = tasks->track[t].v;
        if (r->is_model[track] && !r->has_starts[track] && r->device_of[track] &&
            tasks->run[t] != MI_NO_RUN)
            ok = note_task(r, t);
    }
    return ok && (!has_any || bound_all(r));
}

bool mi_ties_of_runs(struct mi_collector *k)
{
    struct runs r = {.k = k, .rows = k->c->rows};
    uint32_t *collections = mi_cann_collections(k->c->model);
    r.device_of = collections ? mi_cann_devices(k->c->model, collections) : NULL;
    r.is_model = mi_mem_zero(r.rows->tracks.count, 1);
    r.has_starts = mi_mem_zero(r.rows->tracks.count, 1);
    r.is_start = mi_mem_zero(r.rows->kernels.count, 1);
    r.missing = mi_mem_zero((size_t)r.rows->tracks.count + 1, sizeof *r.missing);
    bool ok = r.device_of && r.is_model && r.has_starts && r.is_start && r.missing;
    if (ok)
        look_at_tasks(&r);
    ok = ok && bound_runs(&r);
    mi_map_fini(&r.spans_of);
    mi_map_fini(&r.runs_of);
    mi_map_fini(&r.starts);
    mi_mem_free(collections);
    mi_mem_free(r.spans);
    mi_mem_free(r.device_of);
    mi_mem_free(r.is_model);
    mi_mem_free(r.has_starts);
    mi_mem_free(r.is_start);
    mi_mem_free(r.missing);
    return ok;
}
