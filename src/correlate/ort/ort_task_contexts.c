#include "correlate/ort/ort_task_names.h"

#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"

struct building {
    struct mi_ort_contexts *contexts;
    const struct mi_tables *rows;
    struct mi_map map; /* (context, kernel) -> pair */
    uint32_t *climb;   /* tasks on the way to one whose pair is known */
    uint32_t climb_count, climb_room;
};

static uint32_t *pair_at(const struct mi_ort_contexts *contexts, uint32_t task)
{
    return &contexts->pair_of[task - contexts->first_task];
}

static bool set_pair(struct building *b, uint32_t task)
{
    struct mi_ort_contexts *contexts = b->contexts;
    uint32_t parent = b->rows->tasks.parent[task].v, kernel = b->rows->tasks.kernel[task].v;
    uint32_t context = parent ? *pair_at(contexts, parent) : 0;
    uint32_t *pair = mi_map_at(&b->map, mi_pair(context, kernel));
    if (!pair || !mi_vec_room(&contexts->pairs, &contexts->pair_room, contexts->pair_count,
                              sizeof *contexts->pairs))
        return false;
    if (!*pair) {
        *pair = contexts->pair_count++;
        contexts->pairs[*pair] =
            (struct mi_ort_pair){.context = context,
                                 .kernel = kernel,
                                 .first_task = task,
                                 .depth = context ? contexts->pairs[context].depth + 1 : 0};
    }
    *pair_at(contexts, task) = *pair;
    contexts->pairs[*pair].task_count++;
    if (task < contexts->pairs[*pair].first_task)
        contexts->pairs[*pair].first_task = task;
    return true;
}

static bool push_climb(struct building *b, uint32_t task)
{
    if (!mi_vec_room(&b->climb, &b->climb_room, b->climb_count, sizeof *b->climb))
        return false;
    b->climb[b->climb_count++] = task;
    return true;
}

/* The enclosing task may stand before or behind it, so the way up is walked first. */
static bool pair_up(struct building *b, uint32_t task)
{
    b->climb_count = 0;
    for (uint32_t t = task; t && !*pair_at(b->contexts, t); t = b->rows->tasks.parent[t].v)
        if (!push_climb(b, t))
            return false;
    while (b->climb_count)
        if (!set_pair(b, b->climb[--b->climb_count]))
            return false;
    return true;
}

/* Pairs by depth: an enclosing node is known before what it encloses. Counting keeps it linear. */
static bool order_pairs(struct mi_ort_contexts *contexts)
{
    uint32_t count = contexts->pair_count, deepest = 0;
    for (uint32_t p = 1; p < count; p++)
        if (contexts->pairs[p].depth > deepest)
            deepest = contexts->pairs[p].depth;
    uint32_t *first = mi_mem_zero((size_t)deepest + 2, sizeof *first);
    contexts->order = mi_mem_new((size_t)count + 1, sizeof *contexts->order);
    if (!first || !contexts->order) {
        mi_mem_free(first);
        return false;
    }
    for (uint32_t p = 1; p < count; p++)
        first[contexts->pairs[p].depth + 1]++;
    for (uint32_t d = 1; d <= deepest + 1; d++)
        first[d] += first[d - 1];
    for (uint32_t p = 1; p < count; p++)
        contexts->order[first[contexts->pairs[p].depth]++] = p;
    mi_mem_free(first);
    return true;
}

static bool is_of(const struct mi_tables *rows, uint32_t task, uint32_t profile)
{
    return rows->kernels.source[rows->tasks.kernel[task].v].v == profile;
}

/* Tasks of one track follow one another; several tracks run side by side. */
static void look_at_runs(struct mi_ort_contexts *contexts, const struct mi_tables *rows,
                         uint32_t profile)
{
    uint32_t track = 0;
    contexts->is_serial = true;
    for (uint32_t t = contexts->first_task; t < contexts->task_end; t++) {
        if (!is_of(rows, t, profile))
            continue;
        if (track && rows->tasks.track[t].v != track)
            contexts->is_serial = false;
        track = rows->tasks.track[t].v;
        if (rows->tasks.run[t] >= contexts->run_count)
            contexts->run_count = rows->tasks.run[t] + 1;
    }
}

bool mi_ort_contexts_init(struct mi_ort_contexts *contexts, const struct mi_model *model,
                          uint32_t profile, uint32_t first_task, uint32_t task_end)
{
    const struct mi_tables *rows = &model->all.rows;
    struct building b = {.contexts = contexts, .rows = rows};
    *contexts =
        (struct mi_ort_contexts){.pair_count = 1, .first_task = first_task, .task_end = task_end};
    contexts->pair_of = mi_mem_zero((size_t)(task_end - first_task) + 1, sizeof *contexts->pair_of);
    bool ok = contexts->pair_of != NULL;
    for (uint32_t t = first_task; ok && t < task_end; t++)
        if (is_of(rows, t, profile))
            ok = pair_up(&b, t);
    ok = ok && order_pairs(contexts);
    look_at_runs(contexts, rows, profile);
    mi_map_fini(&b.map);
    mi_mem_free(b.climb);
    return ok;
}

void mi_ort_contexts_fini(struct mi_ort_contexts *contexts)
{
    mi_mem_free(contexts->pairs);
    mi_mem_free(contexts->order);
    mi_mem_free(contexts->pair_of);
    *contexts = (struct mi_ort_contexts){0};
}
