/* Runs of a loaded model and the calls that executed it. Its tasks were put onto their streams when
 * it was loaded; what starts a run is aclmdlExecute. Calls and runs are matched in order, and only
 * where there are as many of both. */
#include "base/decimal.h"
#include "base/mem.h"
#include "correlate/hook/hook_parts.h"
#include "correlate/vec.h"

#include <stdlib.h>

enum { NO_MODEL = -1, SEVERAL = -2 };

struct execution {
    uint64_t model; /* (capture, model id) */
    int64_t start_ns;
    uint32_t slice;
};

struct runs {
    struct mi_model *model;
    struct mi_tables *rows;
    struct execution *list;
    uint32_t count, room;
    struct mi_map first; /* (capture, model id) -> place of its first execution + 1 */
    struct mi_map total; /* the same -> runs of its tasks */
    int64_t *model_of;   /* [tracks.count] the only model whose tasks the stream has */
};

static int compare(const void *left, const void *right)
{
    const struct execution *a = left, *b = right;
    if (a->model != b->model)
        return a->model < b->model ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->slice < b->slice ? -1 : a->slice > b->slice;
}

static bool list_executions(struct runs *r)
{
    const struct mi_slices *slices = &r->rows->slices;
    for (uint32_t s = 1; s < slices->count; s++) {
        int64_t model;
        uint32_t source = r->rows->tracks.source[slices->track[s].v].v;
        if (!r->rows->sources.capture[source] ||
            !mi_bytes_starts(mi_model_text(r->model, slices->name[s]), MI_LIT("aclmdlExecute")) ||
            mi_decimal_i64(mi_model_text(r->model, slices->item[s]), &model) != 0 || model < 0 ||
            model >= UINT32_MAX)
            continue;
        if (!mi_vec_room(&r->list, &r->room, r->count, sizeof *r->list))
            return false;
        r->list[r->count++] = (struct execution){
            mi_pair(r->rows->sources.capture[source], (uint32_t)model), slices->start_ns[s], s};
    }
    if (r->count > 1)
        qsort(r->list, r->count, sizeof *r->list, compare);
    for (uint32_t i = 0; i < r->count; i++)
        if ((!i || r->list[i - 1].model != r->list[i].model) &&
            !mi_map_set(&r->first, r->list[i].model, i + 1))
            return false;
    return true;
}

/* Events and copies state no model: they are of the one whose stream it is. */
static bool look_at_streams(struct runs *r)
{
    const struct mi_tasks *tasks = &r->rows->tasks;
    r->model_of = mi_mem_new((size_t)r->rows->tracks.count + 1, sizeof *r->model_of);
    for (uint32_t t = 0; r->model_of && t < r->rows->tracks.count; t++)
        r->model_of[t] = NO_MODEL;
    for (uint32_t t = 1; r->model_of && t < tasks->count; t++) {
        int64_t model = r->rows->kernels.model[tasks->kernel[t].v];
        int64_t *known = &r->model_of[tasks->track[t].v];
        if (model >= 0 && *known != model)
            *known = *known == NO_MODEL && model < UINT32_MAX ? model : SEVERAL;
    }
    return r->model_of != NULL;
}

/* Of which model the task is, as a key; 0 = of none that is known. */
static uint64_t model_of(const struct runs *r, uint32_t task)
{
    uint32_t track = r->rows->tasks.track[task].v;
    uint32_t capture = r->rows->sources.capture[r->rows->tracks.source[track].v];
    int64_t model = r->model_of[track];
    return capture && model >= 0 ? mi_pair(capture, (uint32_t)model) : 0;
}

static bool count_runs(struct runs *r)
{
    const struct mi_tasks *tasks = &r->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint64_t model = model_of(r, t);
        uint32_t *at = model && mi_map_get(&r->first, model) ? mi_map_at(&r->total, model) : NULL;
        if (model && mi_map_get(&r->first, model) && !at)
            return false;
        if (at && *at <= tasks->run[t])
            *at = tasks->run[t] + 1;
    }
    return true;
}

static uint32_t executions_of(const struct runs *r, uint32_t first)
{
    uint32_t count = 0;
    while (first + count < r->count && r->list[first + count].model == r->list[first].model)
        count++;
    return count;
}

static bool set_launches(struct runs *r)
{
    struct mi_tasks *tasks = &r->rows->tasks;
    struct mi_map fits = {0}; /* model -> 1 = as many calls as runs, 2 = not */
    bool ok = true;
    for (uint32_t t = 1; ok && t < tasks->count; t++) {
        uint64_t model = model_of(r, t);
        uint32_t first = model ? mi_map_get(&r->first, model) : 0;
        uint32_t *verdict = first ? mi_map_at(&fits, model) : NULL;
        ok = !first || verdict;
        if (verdict && !*verdict)
            *verdict = executions_of(r, first - 1) == mi_map_get(&r->total, model) ? 1 : 2;
        if (verdict && *verdict == 1 && !tasks->launch[t].v)
            tasks->launch[t].v = r->list[first - 1 + tasks->run[t]].slice;
    }
    mi_map_fini(&fits);
    return ok;
}

bool mi_hook_join_runs(struct mi_model *model)
{
    struct runs r = {.model = model, .rows = &model->all.rows};
    bool ok = list_executions(&r);
    if (ok && r.count)
        ok = look_at_streams(&r) && count_runs(&r) && set_launches(&r);
    mi_mem_free(r.list);
    mi_mem_free(r.model_of);
    mi_map_fini(&r.first);
    mi_map_fini(&r.total);
    return ok;
}
