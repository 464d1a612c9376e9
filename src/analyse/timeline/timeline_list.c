/* The longest tasks and the longest waits in the window, with what the waits waited for. */
#include "analyse/describe.h"
#include "analyse/timeline/timeline_parts.h"
#include "base/mem.h"
#include "base/translate.h"

#include <stdlib.h>

struct entry {
    int64_t dur_ns;
    uint32_t task;
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->dur_ns != b->dur_ns)
        return a->dur_ns > b->dur_ns ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

/* Keeps the `most` longest in order; 0 = all, in order once all are there. */
static uint32_t keep(struct entry *list, uint32_t count, uint32_t most, struct entry entry)
{
    uint32_t at = count;
    if (!most) {
        list[count] = entry;
        return count + 1;
    }
    if (count == most && compare_entries(&entry, &list[most - 1]) > 0)
        return count;
    for (at = count < most ? count : most - 1; at && compare_entries(&entry, &list[at - 1]) < 0;
         at--)
        list[at] = list[at - 1];
    list[at] = entry;
    return count < most ? count + 1 : most;
}

/* Tasks of the lanes shown that touch the window: waits, or work. Returns how many. */
static uint32_t gather(const struct mi_timeline *tl, bool is_wait, struct entry *list)
{
    const struct mi_tasks *tasks = &tl->model->all.rows.tasks;
    uint32_t count = 0;
    for (uint32_t t = 1; t < tasks->count; t++) {
        if (!tl->is_shown[tasks->track[t].v])
            continue;
        int64_t start_ns = mi_timeline_start(tl, t), end_ns = mi_ns_add(start_ns, tasks->dur_ns[t]);
        enum mi_lane_kind kind = mi_lane_kind(tl->account, t);
        if (start_ns >= tl->to_ns || end_ns <= tl->from_ns || kind == MI_LANE_NONE ||
            (kind == MI_LANE_WAIT) != is_wait)
            continue;
        count = keep(list, count, tl->top, (struct entry){tasks->dur_ns[t], t});
    }
    if (!tl->top && count)
        qsort(list, count, sizeof *list, compare_entries);
    return count;
}

static struct mi_bytes name_of(const struct mi_timeline *tl, uint32_t task)
{
    const struct mi_tables *rows = &tl->model->all.rows;
    uint32_t kernel = rows->tasks.kernel[task].v;
    mi_node_id node = rows->executed.node[rows->tasks.link[task].v];
    if (node.v)
        return mi_describe_node(tl->model, node, &tl->out->arena);
    return mi_model_text(tl->model, rows->kernels.node_name[kernel].v
                                        ? rows->kernels.node_name[kernel]
                                        : rows->kernels.name[kernel]);
}

/* --- work --- */

static const struct mi_report_column task_columns[] = {
    {"task", N_("task"), MI_CELL_TASK, "", N_("row of the task")},
    {"lane", N_("stream"), MI_CELL_TEXT, "", N_("stream, engine or group of collectives")},
    {"start_ns", N_("start"), MI_CELL_INT, "ns", N_("from the start of the first task")},
    {"dur_ns", N_("duration"), MI_CELL_INT, "ns", N_("with all its sub-tasks")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("name of the node, else of the task")},
};

static void put_task(const struct mi_timeline *tl, uint32_t task, struct mi_cell *row)
{
    const struct mi_tasks *tasks = &tl->model->all.rows.tasks;
    row[0] = mi_cell_int(task);
    row[1] = mi_cell_text(mi_describe_track(tl->model, tasks->track[task], &tl->out->arena));
    row[2] = mi_cell_int(mi_ns_sub(mi_timeline_start(tl, task), tl->zero_ns));
    row[3] = mi_cell_int(tasks->dur_ns[task]);
}

static void list_tasks(const struct mi_timeline *tl, struct entry *list)
{
    struct mi_report_table *table =
        mi_report_add_table(tl->out, "tasks", N_("Longest tasks in it"), task_columns,
                            sizeof task_columns / sizeof *task_columns);
    uint32_t count = gather(tl, false, list);
    for (uint32_t i = 0; i < count; i++) {
        struct mi_cell *row = mi_report_add_row(tl->out, table);
        if (!row)
            return;
        put_task(tl, list[i].task, row);
        row[4] = mi_cell_text(name_of(tl, list[i].task));
    }
}

/* --- waits --- */

static const struct mi_report_column wait_columns[] = {
    {"task", N_("task"), MI_CELL_TASK, "", N_("row of the waiting task")},
    {"lane", N_("stream"), MI_CELL_TEXT, "", N_("stream that waits")},
    {"start_ns", N_("start"), MI_CELL_INT, "ns", N_("from the start of the first task")},
    {"dur_ns", N_("duration"), MI_CELL_INT, "ns", N_("length of the wait")},
    {"record", N_("record"), MI_CELL_TASK, "", N_("task that records the event")},
    {"record_lane", N_("on"), MI_CELL_TEXT, "", N_("stream of that record")},
    {"behind", N_("behind"), MI_CELL_TEXT, "", N_("work in front of that record")},
    {"confidence", N_("link"), MI_CELL_WORD, "", N_("how sure the pair is")},
};

/* The last work in front of a task on its stream; 0 = none. */
static uint32_t work_before(const struct mi_timeline *tl, uint32_t task)
{
    uint32_t first = tl->model->index.track_first_task[tl->model->all.rows.tasks.track[task].v];
    while (task > first) {
        enum mi_lane_kind kind = mi_lane_kind(tl->account, --task);
        if (kind < MI_LANE_WORK_KINDS)
            return task;
    }
    return 0;
}

static void put_record(const struct mi_timeline *tl, uint32_t signal, struct mi_cell *row)
{
    const struct mi_tables *rows = &tl->model->all.rows;
    uint32_t record = rows->signals.record[signal].v, work = work_before(tl, record);
    row[4] = mi_cell_int(record);
    row[5] = mi_cell_text(mi_describe_track(tl->model, rows->tasks.track[record], &tl->out->arena));
    if (work)
        row[6] = mi_cell_text(name_of(tl, work));
    row[7] = mi_cell_word(mi_enum_name(MI_E_confidence, rows->signals.confidence[signal]));
}

static bool list_waits(const struct mi_timeline *tl, struct entry *list)
{
    const struct mi_signals *signals = &tl->model->all.rows.signals;
    struct mi_report_table *table =
        mi_report_add_table(tl->out, "waits", N_("Longest waits in it"), wait_columns,
                            sizeof wait_columns / sizeof *wait_columns);
    uint32_t count = gather(tl, true, list);
    struct mi_map wanted = {0};
    uint32_t *signal_of = mi_mem_zero((size_t)count + 1, sizeof *signal_of);
    bool ok = signal_of != NULL;
    for (uint32_t i = 0; ok && i < count; i++)
        ok = mi_map_set(&wanted, list[i].task, i + 1);
    for (uint32_t s = 1; ok && count && s < signals->count; s++) {
        uint32_t place = mi_map_get(&wanted, signals->wait[s].v);
        if (place && !signal_of[place])
            signal_of[place] = s;
    }
    for (uint32_t i = 0; ok && i < count; i++) {
        struct mi_cell *row = mi_report_add_row(tl->out, table);
        if (!row)
            break;
        put_task(tl, list[i].task, row);
        if (signal_of[i + 1])
            put_record(tl, signal_of[i + 1], row);
    }
    mi_map_fini(&wanted);
    mi_mem_free(signal_of);
    return ok;
}

bool mi_timeline_list(const struct mi_timeline *timeline)
{
    uint32_t tasks = timeline->model->all.rows.tasks.count;
    uint32_t most = timeline->top && timeline->top < tasks ? timeline->top : tasks;
    struct entry *list = mi_mem_new(most, sizeof *list);
    bool ok = list != NULL;
    if (ok) {
        list_tasks(timeline, list);
        ok = list_waits(timeline, list);
    }
    mi_mem_free(list);
    return ok;
}
