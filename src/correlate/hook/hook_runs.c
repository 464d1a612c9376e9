/* Runs of a loaded model and the calls that executed it. Its tasks were put onto their streams when
 * it was loaded; what starts a run is aclmdlExecute. Where there are as many of both they are
 * matched in order. A profile of a part of the time has fewer runs: they are consecutive
 * executions, none of which can begin after its run, and a call that waits for its run ends after
 * it; where that leaves one place for them, it is theirs. */
#include "base/decimal.h"
#include "base/mem.h"
#include "base/vec.h"
#include "correlate/hook/hook_parts.h"

#include <stdlib.h>

enum { NO_MODEL = -1, SEVERAL = -2, MAX_WORK = 4000000 };

struct execution {
    uint64_t model; /* (home, model id) */
    int64_t start_ns, end_ns;
    uint32_t slice;
    bool is_waiting; /* the call returns when the run has ended */
};

struct run {
    int64_t start_ns, end_ns; /* of its tasks */
};

struct group {            /* runs of one model in one profile */
    uint64_t model;       /* as of its executions */
    uint32_t runs, first; /* first: of them in `all` */
    int64_t shift;        /* execution of run 0; -1 = not known */
};

struct runs {
    struct mi_model *model;
    struct mi_tables *rows;
    struct execution *list;
    uint32_t count, room;
    const uint32_t *owners; /* [sources.count] */
    struct mi_map first;    /* (home, model id) -> place of its first execution + 1 */
    struct mi_map group_of; /* (collection, model id) -> group + 1 */
    struct group *groups;
    uint32_t group_count, group_room;
    struct run *all;
    int64_t *model_of; /* [tracks.count] the only model whose tasks the stream has */
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

static int64_t end_of(int64_t start_ns, int64_t dur_ns)
{
    int64_t end_ns;
    return __builtin_add_overflow(start_ns, dur_ns, &end_ns) ? INT64_MAX : end_ns;
}

/* Each twice: among those of its process, and among those of the capture. */
static bool add_execution(struct runs *r, uint32_t slice, uint32_t model)
{
    const struct mi_slices *slices = &r->rows->slices;
    uint32_t source = r->rows->tracks.source[slices->track[slice].v].v;
    struct execution call = {
        .start_ns = slices->start_ns[slice],
        .end_ns = end_of(slices->start_ns[slice], slices->dur_ns[slice]),
        .slice = slice,
        .is_waiting =
            mi_bytes_equal(mi_model_text(r->model, slices->name[slice]), MI_LIT("aclmdlExecute"))};
    const uint64_t keys[] = {mi_pair(r->rows->sources.capture[source], model),
                             mi_pair(mi_hook_home(r->model, r->owners, source), model)};
    for (size_t k = 0; k < 2; k++) {
        if (!mi_vec_room(&r->list, &r->room, r->count, sizeof *r->list))
            return false;
        call.model = keys[k];
        r->list[r->count++] = call;
    }
    return true;
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
        if (!add_execution(r, s, (uint32_t)model))
            return false;
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

static uint32_t source_of(const struct runs *r, uint32_t task)
{
    return r->rows->kernels.source[r->rows->tasks.kernel[task].v].v;
}

/* Executions that the task may be of, as a key; 0 = there are none. Tasks of a process are of its
 * own calls. */
static uint64_t key_of(const struct runs *r, uint32_t task)
{
    uint32_t home = mi_hook_home(r->model, r->owners, source_of(r, task));
    int64_t model = r->model_of[r->rows->tasks.track[task].v];
    if (!home || model < 0)
        return 0;
    uint64_t key = mi_pair(home, (uint32_t)model);
    return mi_map_get(&r->first, key) ? key : 0;
}

/* NULL: no memory. */
static struct group *group_of(struct runs *r, uint32_t task, uint64_t key)
{
    uint32_t collection = r->rows->sources.collection[source_of(r, task)];
    uint32_t *at = mi_map_at(&r->group_of, mi_pair(collection, (uint32_t)key));
    if (!at)
        return NULL;
    if (!*at) {
        if (!mi_vec_room(&r->groups, &r->group_room, r->group_count, sizeof *r->groups))
            return NULL;
        r->groups[r->group_count] = (struct group){.model = key};
        *at = ++r->group_count;
    }
    return &r->groups[*at - 1];
}

static bool measure_runs(struct runs *r)
{
    const struct mi_tasks *tasks = &r->rows->tasks;
    uint32_t total = 0;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint64_t key = key_of(r, t);
        struct group *group = key ? group_of(r, t, key) : NULL;
        if (key && !group)
            return false;
        if (group && group->runs <= tasks->run[t])
            group->runs = tasks->run[t] + 1;
    }
    for (uint32_t g = 0; g < r->group_count; g++) {
        r->groups[g].first = total;
        total += r->groups[g].runs;
    }
    r->all = mi_mem_new((size_t)total + 1, sizeof *r->all);
    for (uint32_t i = 0; r->all && i < total; i++)
        r->all[i] = (struct run){INT64_MAX, INT64_MIN};
    for (uint32_t t = 1; r->all && t < tasks->count; t++) {
        uint64_t key = key_of(r, t);
        const struct group *group = key ? group_of(r, t, key) : NULL;
        if (!group)
            continue;
        struct run *run = &r->all[group->first + tasks->run[t]];
        int64_t start = tasks->start_ns[t], end = end_of(start, tasks->dur_ns[t]);
        run->start_ns = start < run->start_ns ? start : run->start_ns;
        run->end_ns = end > run->end_ns ? end : run->end_ns;
    }
    return r->all != NULL;
}

/* The executions that the group's runs may be of, in order; *count: how many. */
static const struct execution *executions_of(const struct runs *r, const struct group *group,
                                             uint32_t *count)
{
    uint32_t first = mi_map_get(&r->first, group->model) - 1, end;
    for (end = first; end < r->count && r->list[end].model == group->model; end++)
        ;
    *count = end - first;
    return &r->list[first];
}

static bool may_be(const struct execution *call, const struct run *run)
{
    return run->start_ns > run->end_ns || /* nothing of it is there */
           (call->start_ns <= run->start_ns && (!call->is_waiting || run->end_ns <= call->end_ns));
}

static void place_group(const struct runs *r, struct group *group, const struct execution *calls,
                        uint32_t count)
{
    uint32_t found = 0, work = 0;
    group->shift = -1;
    if (count == group->runs)
        group->shift = 0;
    for (uint32_t shift = 0;
         count > group->runs && shift + group->runs <= count && found < 2 && work < MAX_WORK;
         shift++) {
        uint32_t i = 0;
        while (i < group->runs && may_be(&calls[shift + i], &r->all[group->first + i]))
            i++;
        work += i + 1;
        if (i == group->runs && ++found == 1)
            group->shift = shift;
    }
    if (found > 1 || work >= MAX_WORK)
        group->shift = -1;
}

static void set_launches(struct runs *r)
{
    struct mi_tasks *tasks = &r->rows->tasks;
    uint32_t count = 0;
    for (uint32_t g = 0; g < r->group_count; g++) {
        const struct execution *calls = executions_of(r, &r->groups[g], &count);
        place_group(r, &r->groups[g], calls, count);
    }
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint64_t key = key_of(r, t);
        const struct group *group = key ? group_of(r, t, key) : NULL;
        if (!group || group->shift < 0 ||
            (tasks->launch[t].v && mi_some_get(tasks->native_id[t]) >= 0))
            continue; /* without ids the launch known so far is that of the load */
        const struct execution *calls = executions_of(r, group, &count);
        tasks->launch[t].v = calls[group->shift + tasks->run[t]].slice;
    }
}

bool mi_hook_join_runs(struct mi_model *model, const uint32_t *owners)
{
    struct runs r = {.model = model, .rows = &model->all.rows, .owners = owners};
    bool ok = list_executions(&r);
    if (ok && r.count) {
        ok = look_at_streams(&r) && measure_runs(&r);
        if (ok)
            set_launches(&r);
    }
    mi_mem_free(r.list);
    mi_mem_free(r.model_of);
    mi_map_fini(&r.first);
    mi_map_fini(&r.group_of);
    mi_mem_free(r.groups);
    mi_mem_free(r.all);
    return ok;
}
