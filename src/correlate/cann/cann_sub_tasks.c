/* Tasks that belong to a collective, where no file says so.
 *
 * A collective is drawn on a lane of its own and its sub-tasks (copies, notifies, reductions) on
 * the streams: the same work twice. It begins with the first of them. A task is a sub-task if it
 * lies within the collective and shares its connection id with it, or stream and task id with the
 * task that the collective begins with (all sub-tasks of one FFTS+ task have its id). */
#include "base/mem.h"
#include "correlate/cann/cann_tables.h"
#include "correlate/cann/cann_twins.h"

enum {
    STEPS_PER_TASK = 64,
    MAX_STARTERS = 8,
    ROUNDING_NS = 2, /* ends of collectives are computed with parts of a nanosecond */
};

struct search {
    struct mi_model *model;
    struct mi_tasks *tasks;
    const uint32_t *collections;
    uint32_t *order, count;
    uint8_t *has_parts; /* [tasks.count] */
    uint64_t steps;     /* that may still be taken */
};

static bool is_collective(const struct search *s, uint32_t t)
{
    const struct mi_tables *rows = &s->model->all.rows;
    return rows->kernels.kind[s->tasks->kernel[t].v] == MI_TASK_COMMUNICATION &&
           rows->tracks.kind[s->tasks->track[t].v] != MI_TRACK_STREAM;
}

static bool is_near(const struct search *s, uint32_t collective, uint32_t t)
{
    const struct mi_tables *rows = &s->model->all.rows;
    uint32_t a = s->tasks->track[collective].v, b = s->tasks->track[t].v;
    return rows->tracks.kind[b] == MI_TRACK_STREAM &&
           rows->tracks.device[a] == rows->tracks.device[b] &&
           s->collections[rows->tracks.source[a].v] == s->collections[rows->tracks.source[b].v];
}

static int64_t end_of(const struct search *s, uint32_t t)
{
    int64_t end;
    return __builtin_add_overflow(s->tasks->start_raw[t], s->tasks->dur_ns[t], &end) ? INT64_MAX
                                                                                     : end;
}

/* The tasks that start with the collective at place `at` of the order. */
static uint32_t find_starters(const struct search *s, uint32_t at, uint32_t *starters)
{
    const struct mi_tasks *tasks = s->tasks;
    uint32_t count = 0, collective = s->order[at], from = at;
    while (from > 1 && at - from < STEPS_PER_TASK &&
           tasks->start_raw[s->order[from - 1]] == tasks->start_raw[collective])
        from--;
    for (uint32_t i = from; i < s->count && i - from < 2 * STEPS_PER_TASK; i++) {
        uint32_t t = s->order[i];
        if (tasks->start_raw[t] != tasks->start_raw[collective])
            break;
        if (count < MAX_STARTERS && t != collective && mi_some_get(tasks->native_id[t]) >= 0 &&
            is_near(s, collective, t) && end_of(s, t) <= end_of(s, collective))
            starters[count++] = t;
    }
    return count;
}

static bool is_part(const struct search *s, uint32_t collective, const uint32_t *starters,
                    uint32_t count, uint32_t t)
{
    const struct mi_tasks *tasks = s->tasks;
    if (mi_some_u32(tasks->connection[t]) != MI_NO_CONNECTION &&
        mi_some_u32(tasks->connection[collective]) != MI_NO_CONNECTION)
        return mi_some_u32(tasks->connection[t]) == mi_some_u32(tasks->connection[collective]);
    for (uint32_t i = 0; i < count; i++)
        if (tasks->track[starters[i]].v == tasks->track[t].v &&
            mi_some_get(tasks->native_id[starters[i]]) == mi_some_get(tasks->native_id[t]))
            return true;
    return false;
}

static void take_parts(struct search *s, uint32_t at)
{
    struct mi_tasks *tasks = s->tasks;
    uint32_t collective = s->order[at], starters[MAX_STARTERS];
    uint32_t count = find_starters(s, at, starters), from = at;
    int64_t end = end_of(s, collective);
    int64_t start = tasks->start_raw[collective] - ROUNDING_NS;
    end = end > INT64_MAX - ROUNDING_NS ? end : end + ROUNDING_NS;
    while (from > 1 && tasks->start_raw[s->order[from - 1]] >= start && s->steps)
        from--, s->steps--;
    for (uint32_t i = from; i < s->count && tasks->start_raw[s->order[i]] < end && s->steps; i++) {
        uint32_t t = s->order[i];
        s->steps--;
        if (t != collective && !tasks->parent[t].v && !is_collective(s, t) &&
            is_near(s, collective, t) && end_of(s, t) <= end &&
            is_part(s, collective, starters, count, t))
            tasks->parent[t].v = collective;
    }
}

/* A collective that may have parts which no file assigns to it. */
static bool is_open(const struct search *s, uint32_t t)
{
    return is_collective(s, t) &&
           (!s->has_parts[t] || mi_some_u32(s->tasks->connection[t]) != MI_NO_CONNECTION);
}

bool mi_cann_find_sub_tasks(struct mi_model *model, const uint32_t *collections)
{
    struct search s = {.model = model,
                       .tasks = &model->all.rows.tasks,
                       .collections = collections,
                       .steps = (uint64_t)model->all.rows.tasks.count * STEPS_PER_TASK};
    uint32_t todo = 0;
    s.has_parts = mi_mem_zero(s.tasks->count, 1);
    for (uint32_t t = 1; s.has_parts && t < s.tasks->count; t++)
        s.has_parts[s.tasks->parent[t].v] = 1;
    for (uint32_t t = 1; s.has_parts && t < s.tasks->count; t++)
        todo +=
            collections[model->all.rows.kernels.source[s.tasks->kernel[t].v].v] && is_open(&s, t);
    bool ok = s.has_parts != NULL;
    if (ok && todo)
        s.order = mi_cann_order(model, collections, &s.count);
    ok = ok && (!todo || s.order);
    for (uint32_t i = 1; ok && todo && i < s.count; i++)
        if (is_open(&s, s.order[i]))
            take_parts(&s, i);
    mi_mem_free(s.has_parts);
    mi_mem_free(s.order);
    return ok;
}
