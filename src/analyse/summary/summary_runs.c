/* Runs of the model, or the steps that a file marks: how long each took and what filled it. */
#include "analyse/accounting/lanes.h"
#include "analyse/summary/summary_parts.h"
#include "base/mem.h"
#include "base/translate.h"

#include <stdlib.h>

/* --- makespans --- */

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static int64_t makespan_of(const struct mi_account_run *run)
{
    return mi_ns_sub(run->end_ns, run->first_ns);
}

/* Of the first run of each group that was left out as warm-up the longest, to be seen beside the
 * others. */
static void add_first(const struct mi_summary *summary)
{
    const struct mi_account *account = summary->account;
    int64_t longest_ns = -1;
    for (uint32_t g = 0; g < account->group_count; g++) {
        const struct mi_account_run *run = &account->runs[account->groups[g].first_run];
        if (!run->is_counted && !run->is_outside && run->tasks && makespan_of(run) > longest_ns)
            longest_ns = makespan_of(run);
    }
    if (longest_ns >= 0)
        mi_summary_fact(summary, "makespan_first_ns", N_("Makespan of the first run, not counted"),
                        MI_CELL_INT, "ns", mi_cell_int(longest_ns));
}

/* Median (of two middle ones their mean), least and greatest makespan of the counted runs. */
bool mi_summary_makespans(const struct mi_summary *summary, struct mi_error *err)
{
    const struct mi_account *account = summary->account;
    int64_t *spans = mi_mem_new((size_t)account->run_count + 1, sizeof *spans);
    uint32_t count = 0;
    if (!spans)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    for (uint32_t r = 0; r < account->run_count; r++)
        if (account->runs[r].is_counted && !account->runs[r].is_outside && account->runs[r].tasks)
            spans[count++] = makespan_of(&account->runs[r]);
    if (count) {
        qsort(spans, count, sizeof *spans, compare_times);
        int64_t low = spans[(count - 1) / 2], high = spans[count / 2];
        mi_summary_fact(summary, "makespan_ns",
                        count > 1 ? N_("Makespan of a run, median") : N_("Makespan of the run"),
                        MI_CELL_INT, "ns", mi_cell_int(low + (high - low) / 2));
    }
    if (count > 1) {
        mi_summary_fact(summary, "makespan_least_ns", N_("Makespan of a run, least"), MI_CELL_INT,
                        "ns", mi_cell_int(spans[0]));
        mi_summary_fact(summary, "makespan_greatest_ns", N_("Makespan of a run, greatest"),
                        MI_CELL_INT, "ns", mi_cell_int(spans[count - 1]));
    }
    mi_mem_free(spans);
    add_first(summary);
    return true;
}

/* --- the table --- */

static const struct mi_report_column columns[] = {
    {"run", N_("run"), MI_CELL_INT, "",
     N_("number of the run, from 0; none: outside of all steps")},
    {"step", N_("step"), MI_CELL_INT, "", N_("number of the iteration or step that a file marks")},
    {"device", N_("device"), MI_CELL_INT, "", N_("number of the device")},
    {"rank", N_("rank"), MI_CELL_INT, "", N_("rank of the process that used it")},
    {"is_counted", N_("counted"), MI_CELL_BOOL, "", N_("no: warm-up, or cut short")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("work tasks")},
    {"total_ns", N_("total"), MI_CELL_INT, "ns", N_("sum of their times")},
    {"makespan_ns", N_("makespan"), MI_CELL_INT, "ns", N_("first start to last end of its tasks")},
    {"marked_ns", N_("marked"), MI_CELL_INT, "ns", N_("length of the step as the file marks it")},
    {"compute_ns", N_("compute"), MI_CELL_INT, "ns", N_("time in which something computed")},
    {"transfer_ns", N_("transfer"), MI_CELL_INT, "ns", N_("time in which data was moved")},
    {"communication_ns", N_("communication"), MI_CELL_INT, "ns",
     N_("time in which devices talked to each other")},
    {"idle_ns", N_("idle"), MI_CELL_INT, "ns", N_("makespan in which nothing worked")},
    {"input", N_("input"), MI_CELL_TEXT, "", N_("file that its tasks stand in")},
};
enum { COLUMNS = sizeof columns / sizeof *columns, INPUT = COLUMNS - 1 };

static void put_run(const struct mi_summary *summary, uint32_t r, struct mi_cell *row)
{
    const struct mi_account *account = summary->account;
    const struct mi_tables *rows = &summary->model->all.rows;
    const struct mi_account_run *run = &account->runs[r];
    const struct mi_account_group *group = &account->groups[run->group];
    if (!run->is_outside)
        row[0] = mi_cell_int(run->run);
    if (run->window.v && rows->windows.number[run->window.v] >= 0)
        row[1] = mi_cell_int(rows->windows.number[run->window.v]);
    if (account->group_count > 1 && group->device >= 0)
        row[2] = mi_cell_int(group->device);
    if (account->group_count > 1 && group->rank >= 0)
        row[3] = mi_cell_int(group->rank);
    row[4] = mi_cell_int(run->is_counted);
    row[5] = mi_cell_int(run->tasks);
    row[6] = mi_cell_int(run->total_ns);
    if (run->tasks)
        row[7] = mi_cell_int(makespan_of(run));
    if (run->window.v)
        row[8] = mi_cell_int(rows->windows.dur_ns[run->window.v]);
    if (account->group_count > 1 && group->source.v)
        row[INPUT] =
            mi_cell_text(mi_model_text(summary->model, rows->sources.path[group->source.v]));
}

/* What filled the run: its tasks are `list` [count]. */
static bool put_filling(const struct mi_account *account, const struct mi_account_run *run,
                        const uint32_t *list, uint32_t count, struct mi_lanes *lanes,
                        struct mi_cell *row)
{
    mi_lanes_clear(lanes);
    for (uint32_t i = 0; i < count; i++)
        mi_lanes_add_task(lanes, account, list[i]);
    if (!mi_lanes_join(lanes))
        return false;
    for (int k = 0; k < MI_LANE_OTHER; k++)
        row[9 + k] = mi_cell_int(mi_spans_measure(&lanes->kinds[k]));
    if (run->tasks)
        row[12] = mi_cell_int(mi_ns_sub(makespan_of(run), mi_spans_measure(&lanes->work)));
    return true;
}

/* The tasks of each run: in mi_csr rows are counted from 1. */
static bool list_tasks(const struct mi_account *account, struct mi_csr *tasks)
{
    uint32_t count = account->model->all.rows.tasks.count;
    uint32_t *keys = mi_mem_new(count, sizeof *keys);
    for (uint32_t t = 0; keys && t < count; t++)
        keys[t] = account->run_of[t] + 1;
    bool ok = keys && mi_csr_build(tasks, account->run_count + 1, keys, count);
    mi_mem_free(keys);
    return ok;
}

bool mi_summary_runs(const struct mi_summary *summary, struct mi_error *err)
{
    const struct mi_account *account = summary->account;
    bool is_full = summary->by == MI_BY_ITERATION;
    struct mi_report_table *table =
        mi_report_add_table(summary->out, "runs", N_("Runs"), columns, COLUMNS);
    uint32_t shown = account->run_count;
    struct mi_csr tasks = {0};
    struct mi_lanes lanes = {0};
    bool ok = !is_full || list_tasks(account, &tasks);
    if (summary->top && shown > summary->top)
        shown = summary->top;
    for (uint32_t r = 0; ok && r < shown; r++) {
        /* marks of the profiler in front of the steps and behind them */
        bool is_empty = account->runs[r].is_outside && !account->runs[r].tasks;
        struct mi_cell *row = is_empty ? NULL : mi_report_add_row(summary->out, table);
        if (!row)
            continue;
        put_run(summary, r, row);
        if (is_full)
            ok = put_filling(account, &account->runs[r], &tasks.list[tasks.first[r + 1]],
                             mi_csr_count(&tasks, r + 1), &lanes, row);
    }
    mi_csr_fini(&tasks);
    mi_lanes_fini(&lanes);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}
