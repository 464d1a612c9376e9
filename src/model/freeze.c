/* Freezing: the final order of tasks and slices, and the lookups over links. */
#include "base/mem.h"
#include "model/links.h"
#include "model/sort.h"

/* --- order --- */

static bool task_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_tasks *tasks = &rows->tasks;
    if (tasks->track[a].v != tasks->track[b].v)
        return tasks->track[a].v > tasks->track[b].v;
    if (tasks->start_ns[a] != tasks->start_ns[b])
        return tasks->start_ns[a] > tasks->start_ns[b];
    return tasks->dur_ns[a] < tasks->dur_ns[b]; /* the one that encloses the other comes first */
}

static bool slice_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_slices *slices = &rows->slices;
    if (slices->track[a].v != slices->track[b].v)
        return slices->track[a].v > slices->track[b].v;
    if (slices->start_ns[a] != slices->start_ns[b])
        return slices->start_ns[a] > slices->start_ns[b];
    return slices->dur_ns[a] < slices->dur_ns[b];
}

/* Columns that hold rows of a sorted table follow them. */
static void renumber(struct mi_tables *rows, enum mi_table_no which, const uint32_t *new_row)
{
    for (int t = 0; t < MI_TABLE_COUNT; t++) {
        const struct mi_table_info *info = &mi_table_infos[t];
        struct mi_any_table *table = mi_any_table(rows, (enum mi_table_no)t);
        for (unsigned c = 0; c < info->column_count; c++) {
            const struct mi_column_info *column = &info->columns[c];
            if (column->kind != MI_KIND_ID || column->extra != (int)which || table->count <= 1)
                continue;
            uint32_t *list = mi_column_array(table, column);
            if (mi_mem_is_zero(list, table->count * sizeof *list))
                continue;
            for (uint32_t row = 1; row < table->count; row++)
                if (list[row]) /* what is zero may take no memory */
                    list[row] = new_row[list[row]];
        }
    }
}

static bool sort_spans(struct mi_tables *rows, enum mi_table_no which, const mi_track_id *track,
                       mi_stands_behind *behind)
{
    const struct mi_keys tracks = {(const uint32_t *)track, rows->tracks.count};
    uint32_t *new_row;
    if (!mi_table_sort(rows, which, &tracks, behind, &new_row))
        return false;
    if (new_row)
        renumber(rows, which, new_row);
    mi_mem_free(new_row);
    return true;
}

/* --- lookups over links --- */

static bool count_kernel_tasks(struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_index *index = &model->index;
    index->kernel_first = mi_mem_zero(rows->kernels.count, sizeof *index->kernel_first);
    index->kernel_count = mi_mem_zero(rows->kernels.count, sizeof *index->kernel_count);
    if (!index->kernel_first || !index->kernel_count)
        return false;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        uint32_t kernel = rows->tasks.kernel[t].v;
        if (kernel && !index->kernel_count[kernel]++)
            index->kernel_first[kernel] = t;
    }
    return true;
}

static bool list_node_tasks(struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_csr *csr = &model->index.node_tasks;
    uint32_t nodes = rows->nodes.count, total = 0;
    csr->first = mi_mem_zero((size_t)nodes + 3, sizeof *csr->first);
    if (!csr->first)
        return false;
    csr->row_count = nodes;
    /* Counts stand two places ahead, so that after the fill first[n] is n's start. */
    for (struct mi_links at = mi_links_begin(rows); mi_links_next(&at);)
        csr->first[rows->executed.node[at.row].v + 2]++;
    csr->first[2] = 0; /* links to no node */
    for (uint32_t n = 2; n < nodes + 3; n++)
        total = csr->first[n] += csr->first[n - 1];
    csr->list = mi_mem_new(total, sizeof *csr->list);
    if (!csr->list)
        return false;
    for (struct mi_links at = mi_links_begin(rows); mi_links_next(&at);) {
        uint32_t node = rows->executed.node[at.row].v;
        if (node)
            csr->list[csr->first[node + 1]++] = at.task;
    }
    return true;
}

static bool index_links(struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_index *index = &model->index;
    uint32_t node_count = rows->nodes.count;
    index->fate_of = mi_mem_zero(node_count, sizeof *index->fate_of);
    index->birth_of = mi_mem_zero(node_count, sizeof *index->birth_of);
    index->track_first_task =
        mi_mem_zero((size_t)rows->tracks.count + 1, sizeof *index->track_first_task);
    index->track_first_slice =
        mi_mem_zero((size_t)rows->tracks.count + 1, sizeof *index->track_first_slice);
    if (!index->track_first_slice || !index->fate_of || !index->birth_of ||
        !index->track_first_task)
        return false;
    for (uint32_t f = 1; f < rows->fates.count; f++)
        index->fate_of[rows->fates.node[f].v] = f;
    for (uint32_t b = 1; b < rows->births.count; b++)
        index->birth_of[rows->births.node[b].v] = b;
    uint32_t task = 1, slice = 1;
    for (uint32_t t = 0; t <= rows->tracks.count; t++) {
        while (task < rows->tasks.count && rows->tasks.track[task].v < t)
            task++;
        index->track_first_task[t] = task;
        while (slice < rows->slices.count && rows->slices.track[slice].v < t)
            slice++;
        index->track_first_slice[t] = slice;
    }
    return count_kernel_tasks(model) && list_node_tasks(model) &&
           mi_csr_build(&index->compiled_of, node_count, (const uint32_t *)rows->lowered.framework,
                        rows->lowered.count) &&
           mi_csr_build(&index->framework_of, node_count, (const uint32_t *)rows->lowered.compiled,
                        rows->lowered.count);
}

bool mi_model_freeze(struct mi_model *model, struct mi_error *err)
{
    struct mi_tables *rows = &model->all.rows;
    if (mi_batch_failed(&model->all))
        return mi_fail(err, model->all.error.code, "%s", model->all.error.text);
    if (!sort_spans(rows, MI_T_tasks, rows->tasks.track, task_behind) ||
        !sort_spans(rows, MI_T_slices, rows->slices.track, slice_behind) || !mi_links_order(rows) ||
        !index_links(model))
        return mi_fail(err, MI_ENOMEM, "out of memory for lookups");
    mi_map_fini(&model->all.link_rows);
    model->frozen = true;
    return true;
}
