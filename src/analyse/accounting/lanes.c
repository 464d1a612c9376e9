#include "analyse/accounting/lanes.h"

enum mi_lane_kind mi_lane_kind(const struct mi_account *account, uint32_t task)
{
    const struct mi_tables *rows = &account->model->all.rows;
    uint32_t kernel = rows->tasks.kernel[task].v;
    enum mi_task_kind kind = (enum mi_task_kind)rows->kernels.kind[kernel];
    enum mi_account_part part = mi_account_part(account, task);
    if (part == MI_PART_CONTAINER)
        return MI_LANE_NONE;
    if (kind == MI_TASK_SYNC)
        return rows->kernels.sync[kernel] == MI_SYNC_WAIT ? MI_LANE_WAIT : MI_LANE_NONE;
    if (part == MI_PART_INSIDE || kind == MI_TASK_COMMUNICATION)
        return MI_LANE_COMMUNICATION;
    if (kind == MI_TASK_TRANSFER)
        return MI_LANE_TRANSFER;
    return kind == MI_TASK_COMPUTE || kind == MI_TASK_CONTROL ? MI_LANE_COMPUTE : MI_LANE_OTHER;
}

void mi_lanes_add_task(struct mi_lanes *lanes, const struct mi_account *account, uint32_t task)
{
    const struct mi_tasks *tasks = &account->model->all.rows.tasks;
    enum mi_lane_kind kind = mi_lane_kind(account, task);
    if (kind != MI_LANE_NONE)
        mi_spans_add(&lanes->kinds[kind], tasks->start_ns[task],
                     mi_ns_add(tasks->start_ns[task], tasks->dur_ns[task]));
}

void mi_lanes_add_track(struct mi_lanes *lanes, const struct mi_account *account, uint32_t track)
{
    const uint32_t *first = account->model->index.track_first_task;
    for (uint32_t t = first[track]; t < first[track + 1]; t++)
        if (account->runs[account->run_of[t]].is_counted)
            mi_lanes_add_task(lanes, account, t);
}

bool mi_lanes_join(struct mi_lanes *lanes)
{
    bool failed = false;
    lanes->work.count = 0; /* joined again where tasks were added since */
    for (int k = 0; k < MI_LANE_KINDS; k++) {
        mi_spans_join(&lanes->kinds[k]);
        failed = failed || lanes->kinds[k].failed;
        if (k < MI_LANE_WORK_KINDS)
            mi_spans_add_all(&lanes->work, &lanes->kinds[k]);
    }
    mi_spans_join(&lanes->work);
    return !failed && !lanes->work.failed;
}

void mi_lanes_clear(struct mi_lanes *lanes)
{
    for (int k = 0; k < MI_LANE_KINDS; k++) {
        lanes->kinds[k].count = 0;
        lanes->kinds[k].is_unsorted = false;
    }
    lanes->work.count = 0;
    lanes->work.is_unsorted = false;
}

void mi_lanes_fini(struct mi_lanes *lanes)
{
    for (int k = 0; k < MI_LANE_KINDS; k++)
        mi_spans_fini(&lanes->kinds[k]);
    mi_spans_fini(&lanes->work);
}
