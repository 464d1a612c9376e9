/* Choosing rows: tables as a whole, then tasks by time, then what refers to them. */
#include "present/offline/cut.h"

#include "base/mem.h"

#include <stdlib.h>

/* Tables that go as a whole, together; those of a step are of no use without each other. */
static const struct {
    enum mi_table_no tables[3];
    unsigned count;
} steps[] = {
    {{MI_T_statistics, MI_T_notes}, 2}, /* sums and rows beside the tasks */
    {{MI_T_samples, MI_T_counters}, 2}, /* values over time */
    {{MI_T_attrs, MI_T_items}, 2},      /* attributes of nodes and tensors */
    {{MI_T_planned, MI_T_buffers}, 2},  /* the compiler's plan */
    {{MI_T_slices, MI_T_flows}, 2},     /* host calls */
};

enum { STEPS = sizeof steps / sizeof *steps, FEWEST_TASKS = 100 };

/* Rows of these make no sense without all that they refer to. */
static const enum mi_table_no links[] = {MI_T_executed, MI_T_signals, MI_T_peers, MI_T_flows};

void mi_cut_init(struct mi_cut *cut, const struct mi_model *model)
{
    *cut = (struct mi_cut){.model = model, .tasks_kept = model->all.rows.tasks.count - 1};
}

void mi_cut_fini(struct mi_cut *cut)
{
    for (int t = 0; t < MI_TABLE_COUNT; t++)
        mi_mem_free(cut->keep[t]);
    mi_mem_free(cut->starts);
}

static uint32_t rows_of(const struct mi_cut *cut, enum mi_table_no which)
{
    return mi_any_table_of(&cut->model->all.rows, which)->count;
}

/* [rows] all 1, unless the table was looked at before. */
static uint8_t *keep_of(struct mi_cut *cut, enum mi_table_no which)
{
    if (!cut->keep[which]) {
        cut->keep[which] = mi_mem_new(rows_of(cut, which), 1);
        if (cut->keep[which])
            memset(cut->keep[which], 1, rows_of(cut, which));
    }
    return cut->keep[which];
}

static bool drop_all(struct mi_cut *cut, enum mi_table_no which)
{
    uint8_t *keep = keep_of(cut, which);
    if (keep)
        memset(keep, 0, rows_of(cut, which));
    return keep;
}

/* --- links --- */

static bool refers_to_dropped(const struct mi_cut *cut, const struct mi_any_table *table,
                              const struct mi_table_info *info, uint32_t row)
{
    for (unsigned c = 0; c < info->column_count; c++) {
        const struct mi_column_info *column = &info->columns[c];
        const uint8_t *keep = column->kind == MI_KIND_ID ? cut->keep[column->extra] : NULL;
        int64_t other = keep ? mi_column_int(table, column, row) : 0;
        if (other && !keep[other])
            return true;
    }
    return false;
}

static bool drop_links(struct mi_cut *cut)
{
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        const struct mi_any_table *table = mi_any_table_of(&cut->model->all.rows, links[i]);
        uint8_t *keep = keep_of(cut, links[i]);
        if (!keep)
            return false;
        for (uint32_t r = 1; r < table->count; r++)
            if (refers_to_dropped(cut, table, &mi_table_infos[links[i]], r))
                keep[r] = 0;
    }
    return true;
}

/* --- tasks --- */

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static bool sort_starts(struct mi_cut *cut)
{
    const struct mi_tasks *tasks = &cut->model->all.rows.tasks;
    if (cut->starts)
        return true;
    cut->starts = mi_mem_new(tasks->count, sizeof *cut->starts);
    if (!cut->starts)
        return false;
    memcpy(cut->starts, tasks->start_ns + 1, (size_t)(tasks->count - 1) * sizeof *cut->starts);
    qsort(cut->starts, tasks->count - 1, sizeof *cut->starts, compare_times);
    return true;
}

/* Keeps the tasks that begin before the moment at which `want` have begun. */
static bool drop_late_tasks(struct mi_cut *cut, uint32_t want)
{
    const struct mi_tasks *tasks = &cut->model->all.rows.tasks;
    uint8_t *keep = keep_of(cut, MI_T_tasks);
    if (!keep || !sort_starts(cut))
        return false;
    int64_t end = cut->starts[want];
    cut->tasks_kept = 0;
    for (uint32_t t = 1; t < tasks->count; t++) {
        keep[t] = tasks->start_ns[t] < end;
        cut->tasks_kept += keep[t];
    }
    return true;
}

enum mi_cut_result mi_cut_more(struct mi_cut *cut, uint32_t parts_per_1000)
{
    bool ok = true;
    while (cut->step < STEPS) {
        uint32_t gone = 0;
        for (unsigned i = 0; i < steps[cut->step].count; i++) {
            gone += rows_of(cut, steps[cut->step].tables[i]) - 1;
            ok = ok && drop_all(cut, steps[cut->step].tables[i]);
        }
        cut->step++;
        if (gone || !ok)
            return ok ? MI_CUT_DONE : MI_CUT_NO_MEMORY;
    }
    uint32_t want = (uint32_t)((uint64_t)cut->tasks_kept * parts_per_1000 / 1000);
    if (cut->tasks_kept <= FEWEST_TASKS || want >= cut->tasks_kept)
        return MI_CUT_NOTHING_LEFT;
    ok = drop_late_tasks(cut, want) && drop_links(cut);
    return ok ? MI_CUT_DONE : MI_CUT_NO_MEMORY;
}

/* --- what is said of it --- */

void mi_cut_describe(const struct mi_cut *cut, struct mi_jw *jw)
{
    mi_jw_begin_array(jw);
    for (int t = 0; t < MI_TABLE_COUNT; t++) {
        uint32_t count = rows_of(cut, (enum mi_table_no)t), kept = 0;
        for (uint32_t r = 1; cut->keep[t] && r < count; r++)
            kept += cut->keep[t][r];
        if (!cut->keep[t] || kept == count - 1)
            continue;
        mi_jw_begin_object(jw);
        mi_jw_member_text(jw, "table", mi_table_infos[t].name);
        mi_jw_member_i64(jw, "kept", kept);
        mi_jw_member_i64(jw, "of", count - 1);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
}
