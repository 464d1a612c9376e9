/* Freezing: the final order of tasks and the lookups over links. */
#include "base/mem.h"
#include "model/model.h"

#include <stdlib.h>

/* --- task order --- */

struct order_key {
    uint32_t track, row;
    int64_t start_ns, dur_ns;
};

static int compare_keys(const void *left, const void *right)
{
    const struct order_key *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    if (a->dur_ns != b->dur_ns) /* the one that encloses the other comes first */
        return a->dur_ns > b->dur_ns ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static bool is_sorted(const struct mi_tasks *tasks)
{
    for (uint32_t t = 2; t < tasks->count; t++) {
        struct order_key a = {tasks->track[t - 1].v, t - 1, tasks->start_ns[t - 1],
                              tasks->dur_ns[t - 1]};
        struct order_key b = {tasks->track[t].v, t, tasks->start_ns[t], tasks->dur_ns[t]};
        if (compare_keys(&a, &b) > 0)
            return false;
    }
    return true;
}

/* Rearranges every column of the tasks: new row i takes old row order[i].row. */
static bool permute(struct mi_tables *rows, const struct order_key *order)
{
    struct mi_any_table *tasks = mi_any_table(rows, MI_T_tasks);
    const struct mi_table_info *info = &mi_table_infos[MI_T_tasks];
    uint8_t *old = mi_mem_new(tasks->count, sizeof(int64_t));
    if (!old)
        return false;
    for (unsigned c = 0; c < info->column_count; c++) {
        const struct mi_column_info *column = &info->columns[c];
        uint8_t *array = mi_column_array(tasks, column);
        memcpy(old, array, tasks->count * column->size);
        for (uint32_t t = 1; t < tasks->count; t++)
            memcpy(array + t * column->size, old + order[t].row * column->size, column->size);
    }
    mi_mem_free(old);
    return true;
}

static bool sort_tasks(struct mi_tables *rows)
{
    struct mi_tasks *tasks = &rows->tasks;
    if (is_sorted(tasks))
        return true;
    struct order_key *order = mi_mem_new(tasks->count, sizeof *order);
    uint32_t *new_row = mi_mem_zero(tasks->count, sizeof *new_row);
    bool ok = order && new_row;
    if (ok) {
        for (uint32_t t = 1; t < tasks->count; t++)
            order[t] =
                (struct order_key){tasks->track[t].v, t, tasks->start_ns[t], tasks->dur_ns[t]};
        qsort(order + 1, tasks->count - 1, sizeof *order, compare_keys);
        for (uint32_t t = 1; t < tasks->count; t++)
            new_row[order[t].row] = t;
        ok = permute(rows, order);
    }
    if (ok) {
        for (uint32_t t = 1; t < tasks->count; t++)
            tasks->parent[t].v = new_row[tasks->parent[t].v];
        for (uint32_t e = 1; e < rows->executed.count; e++)
            rows->executed.task[e].v = new_row[rows->executed.task[e].v];
    }
    mi_mem_free(order);
    mi_mem_free(new_row);
    return ok;
}

/* --- lookups over links --- */

/* `executed` rows are put into the order of their tasks, so that lists by node follow time. */
static int compare_links(const void *left, const void *right)
{
    const struct mi_executed_row *a = left, *b = right;
    if (a->task.v != b->task.v)
        return a->task.v < b->task.v ? -1 : 1;
    if (a->confidence != b->confidence) /* the strongest link of a task comes first */
        return a->confidence > b->confidence ? -1 : 1;
    return a->node.v < b->node.v ? -1 : a->node.v > b->node.v;
}

static bool sort_executed(struct mi_tables *rows)
{
    struct mi_executed *links = &rows->executed;
    bool sorted = true;
    for (uint32_t e = 2; sorted && e < links->count; e++)
        sorted = links->task[e - 1].v < links->task[e].v;
    if (sorted)
        return true;
    struct mi_executed_row *list = mi_mem_new(links->count, sizeof *list);
    if (!list)
        return false;
#define MI_COL(T, name, type, kind, extra, unit, meaning) list[e].name = links->name[e];
    for (uint32_t e = 1; e < links->count; e++) {
        MI_EXECUTED_COLUMNS(MI_COL, executed)
    }
#undef MI_COL
    qsort(list + 1, links->count - 1, sizeof *list, compare_links);
#define MI_COL(T, name, type, kind, extra, unit, meaning) links->name[e] = list[e].name;
    for (uint32_t e = 1; e < links->count; e++) {
        MI_EXECUTED_COLUMNS(MI_COL, executed)
    }
#undef MI_COL
    mi_mem_free(list);
    return true;
}

static bool index_links(struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_index *index = &model->index;
    uint32_t node_count = rows->nodes.count;
    index->task_link = mi_mem_zero(rows->tasks.count, sizeof *index->task_link);
    index->fate_of = mi_mem_zero(node_count, sizeof *index->fate_of);
    index->birth_of = mi_mem_zero(node_count, sizeof *index->birth_of);
    index->track_first_task =
        mi_mem_zero((size_t)rows->tracks.count + 1, sizeof *index->track_first_task);
    if (!index->task_link || !index->fate_of || !index->birth_of || !index->track_first_task)
        return false;
    for (uint32_t e = rows->executed.count - 1; e >= 1 && rows->executed.count > 1; e--)
        index->task_link[rows->executed.task[e].v] = e;
    for (uint32_t f = 1; f < rows->fates.count; f++)
        index->fate_of[rows->fates.node[f].v] = f;
    for (uint32_t b = 1; b < rows->births.count; b++)
        index->birth_of[rows->births.node[b].v] = b;
    uint32_t task = 1;
    for (uint32_t t = 0; t <= rows->tracks.count; t++) {
        while (task < rows->tasks.count && rows->tasks.track[task].v < t)
            task++;
        index->track_first_task[t] = task;
    }
    return mi_csr_build(&index->node_tasks, node_count, (const uint32_t *)rows->executed.node,
                        rows->executed.count) &&
           mi_csr_build(&index->compiled_of, node_count, (const uint32_t *)rows->lowered.framework,
                        rows->lowered.count) &&
           mi_csr_build(&index->framework_of, node_count, (const uint32_t *)rows->lowered.compiled,
                        rows->lowered.count) &&
           mi_csr_build(&index->kernel_tasks, rows->kernels.count,
                        (const uint32_t *)rows->tasks.kernel, rows->tasks.count);
}

bool mi_model_freeze(struct mi_model *model, struct mi_error *err)
{
    struct mi_tables *rows = &model->all.rows;
    if (mi_batch_failed(&model->all))
        return mi_fail(err, model->all.error.code, "%s", model->all.error.text);
    if (!sort_tasks(rows) || !sort_executed(rows) || !index_links(model))
        return mi_fail(err, MI_ENOMEM, "out of memory for lookups");
    model->frozen = true;
    return true;
}
