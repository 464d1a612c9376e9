/* Runs of tasks that no loaded model issues: steps of a training loop.
 *
 * A task belongs to the step in which its op was called; on the device it may well run when the
 * host is in the next one. What was asked for before the first step is a run of its own. */
#include "base/mem.h"
#include "correlate/host/host.h"
#include "model/sort.h"

/* --- steps --- */

static uint32_t collection_of(const struct mi_tables *rows, uint32_t window)
{
    return rows->sources.collection[rows->windows.source[window].v];
}

static bool window_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_windows *w = &rows->windows;
    if (collection_of(rows, a) != collection_of(rows, b))
        return collection_of(rows, a) > collection_of(rows, b);
    if (w->start_ns[a] != w->start_ns[b])
        return w->start_ns[a] > w->start_ns[b];
    return w->number[a] > w->number[b];
}

/* What two files say of one step counts once; so do several windows of one number. */
static void drop_repeated(struct mi_host_steps *s)
{
    const struct mi_windows *w = &s->rows->windows;
    uint32_t kept = 1;
    for (uint32_t i = 1; i < s->count; i++) {
        uint32_t a = s->order[kept - 1], b = s->order[i];
        if (kept > 1 && w->number[a] == w->number[b] && w->number[b] >= 0 &&
            collection_of(s->rows, a) == collection_of(s->rows, b))
            continue;
        s->order[kept++] = b;
    }
    s->count = kept;
}

bool mi_host_steps_init(struct mi_host_steps *steps, const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t collections = rows->sources.count + 1;
    *steps = (struct mi_host_steps){.rows = rows, .count = 1};
    steps->order = mi_mem_zero(rows->windows.count, sizeof *steps->order);
    steps->first = mi_mem_zero((size_t)collections + 3, sizeof *steps->first);
    if (!steps->order || !steps->first)
        return false;
    for (uint32_t w = 1; w < rows->windows.count; w++)
        if (collection_of(rows, w) &&
            mi_bytes_equal(mi_model_text(model, rows->windows.kind[w]), MI_LIT("step")))
            steps->order[steps->count++] = w;
    if (!mi_rows_sort(rows, steps->order, steps->count, window_behind))
        return false;
    drop_repeated(steps);
    for (uint32_t i = 1; i < steps->count; i++)
        steps->first[collection_of(rows, steps->order[i]) + 1]++;
    steps->first[0] = 1;
    for (uint32_t c = 1; c < collections + 3; c++)
        steps->first[c] += steps->first[c - 1];
    return true;
}

void mi_host_steps_fini(struct mi_host_steps *steps)
{
    mi_mem_free(steps->order);
    mi_mem_free(steps->first);
    *steps = (struct mi_host_steps){0};
}

uint32_t mi_host_step_count(const struct mi_host_steps *steps, uint32_t collection)
{
    return steps->first[collection + 1] - steps->first[collection];
}

uint32_t mi_host_steps_begun(const struct mi_host_steps *steps, uint32_t collection, int64_t at_ns)
{
    uint32_t low = steps->first[collection], high = steps->first[collection + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (steps->rows->windows.start_ns[steps->order[middle]] <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low - steps->first[collection];
}

/* --- runs --- */

struct numbering {
    struct mi_tables *rows;
    struct mi_host_ops ops;
    struct mi_host_steps steps;
    uint8_t *is_left;    /* [collections + 2] not to be numbered by steps: a loaded model repeats */
    uint8_t *has_before; /* [collections + 2] something was asked for before the first step */
};

static int64_t asked_at(const struct numbering *n, uint32_t t)
{
    const struct mi_tasks *tasks = &n->rows->tasks;
    uint32_t launch = tasks->launch[t].v;
    uint32_t op = launch ? mi_host_op_of(&n->ops, launch) : n->ops.statements[t];
    if (op)
        return n->rows->slices.start_ns[op];
    return launch ? n->rows->slices.start_ns[launch] : tasks->start_ns[t];
}

static void number(struct numbering *n)
{
    struct mi_tasks *tasks = &n->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++)
        n->is_left[mi_host_collection_of_task(n->rows, t)] |= tasks->run[t] != 0;
    for (uint32_t c = 0; c <= n->rows->sources.count; c++)
        n->is_left[c] |= !c || mi_host_step_count(&n->steps, c) < 2;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t c = mi_host_collection_of_task(n->rows, t);
        if (n->is_left[c])
            continue;
        tasks->run[t] = mi_host_steps_begun(&n->steps, c, asked_at(n, t));
        n->has_before[c] |= tasks->run[t] == 0;
    }
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint32_t c = mi_host_collection_of_task(n->rows, t);
        tasks->run[t] -= !n->is_left[c] && !n->has_before[c];
    }
}

bool mi_host_number_steps(struct mi_model *model, struct mi_error *err)
{
    struct numbering n = {.rows = &model->all.rows};
    if (n.rows->tasks.count <= 1 || n.rows->windows.count <= 2)
        return true;
    n.is_left = mi_mem_zero((size_t)n.rows->sources.count + 2, 1);
    n.has_before = mi_mem_zero((size_t)n.rows->sources.count + 2, 1);
    bool ok = n.is_left && n.has_before && mi_host_steps_init(&n.steps, model);
    if (ok && n.steps.count > 2) {
        ok = mi_host_ops_init(&n.ops, model);
        if (ok)
            number(&n);
        mi_host_ops_fini(&n.ops);
    }
    mi_host_steps_fini(&n.steps);
    mi_mem_free(n.is_left);
    mi_mem_free(n.has_before);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while numbering steps");
}
