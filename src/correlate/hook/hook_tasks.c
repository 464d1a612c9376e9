/* Calls and the tasks that they put onto streams. Both have device, stream and task id. Ids wrap,
 * so one key may have several of each: they stand in one order on both sides, that of the stream.
 */
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "correlate/hook/hook_parts.h"

#include <stdlib.h>

struct entry {
    uint64_t place, key; /* (home, device), (stream, task id) */
    int64_t start_ns;
    uint32_t row;    /* of tasks or submissions */
    uint32_t source; /* of the call */
    bool is_task;
};

struct entries {
    struct entry *list;
    uint32_t count, room;
};

static bool add(struct entries *e, uint32_t home, int64_t device, int64_t stream, int64_t id,
                struct entry entry)
{
    if (!home || device < 0 || stream < 0 || id < 0 || device > UINT32_MAX || stream > UINT32_MAX ||
        id > UINT32_MAX)
        return true;
    if (!mi_vec_room(&e->list, &e->room, e->count, sizeof *e->list))
        return false;
    entry.place = mi_pair(home, (uint32_t)device);
    entry.key = mi_pair((uint32_t)stream, (uint32_t)id);
    e->list[e->count++] = entry;
    return true;
}

/* Each among those of its process and, where there are tasks of which no process is known, among
 * those of the capture. */
static bool list_calls(const struct mi_model *model, const uint32_t *owners, bool has_loose,
                       struct entries *e)
{
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_submissions *calls = &rows->submissions;
    bool ok = true;
    for (uint32_t s = 1; ok && s < calls->count; s++) {
        uint32_t slice = calls->slice[s].v,
                 source = rows->tracks.source[rows->slices.track[slice].v].v;
        struct entry entry = {.start_ns = rows->slices.start_ns[slice], .row = s, .source = source};
        ok = add(e, mi_hook_home(model, owners, source), calls->device[s], calls->stream[s],
                 calls->native_id[s], entry) &&
             (!has_loose || add(e, rows->sources.capture[source], calls->device[s],
                                calls->stream[s], calls->native_id[s], entry));
    }
    return ok;
}

static bool list_tasks(const struct mi_model *model, const uint32_t *owners, bool *has_loose,
                       struct entries *e)
{
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_tasks *tasks = &rows->tasks;
    bool ok = true;
    for (uint32_t t = 1; ok && t < tasks->count; t++) {
        uint32_t track = tasks->track[t].v, source = rows->tracks.source[track].v;
        if (rows->tracks.kind[track] != MI_TRACK_STREAM || tasks->parent[t].v)
            continue;
        *has_loose |= !owners[source];
        ok = add(e, mi_hook_home(model, owners, source), rows->tracks.device[track],
                 rows->tracks.native_id[track], mi_some_get(tasks->native_id[t]),
                 (struct entry){.start_ns = tasks->start_ns[t], .row = t, .is_task = true});
    }
    return ok;
}

static int by_key(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->is_task != b->is_task)
        return a->is_task ? 1 : -1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static void tie(struct mi_tables *rows, uint32_t call, uint32_t task)
{
    rows->submissions.task[call].v = task;
    if (!rows->tasks.launch[task].v)
        rows->tasks.launch[task] = rows->submissions.slice[call];
}

/* Calls [0, calls) and tasks [calls, count) of one key, each in order. Where the numbers differ
 * (the profile covers a part of the run), a task is of the last call before it; several tasks for
 * which that would be the same call are left alone. */
static void tie_group(struct mi_tables *rows, const struct entry *group, uint32_t calls,
                      uint32_t count)
{
    uint32_t tasks = count - calls, c = 0, last = UINT32_MAX;
    for (uint32_t k = 0; tasks == calls && k < calls; k++)
        tie(rows, group[k].row, group[calls + k].row);
    for (uint32_t k = 0; tasks != calls && calls && k < tasks; k++) {
        const struct entry *task = &group[calls + k];
        while (c + 1 < calls && group[c + 1].start_ns <= task->start_ns)
            c++;
        if (group[c].start_ns <= task->start_ns && c != last)
            tie(rows, group[c].row, task->row);
        last = c;
    }
}

/* Calls of several processes with one key, and it is not known whose the tasks are. */
static bool is_doubtful(const struct entry *group, uint32_t calls)
{
    for (uint32_t k = 1; k < calls; k++)
        if (group[k].source != group[0].source)
            return true;
    return false;
}

static void tie_all(struct mi_tables *rows, const struct entries *e)
{
    for (uint32_t from = 0, to; from < e->count; from = to) {
        uint32_t calls = 0;
        for (to = from; to < e->count && e->list[to].place == e->list[from].place &&
                        e->list[to].key == e->list[from].key;
             to++)
            calls += !e->list[to].is_task;
        if (!is_doubtful(&e->list[from], calls))
            tie_group(rows, &e->list[from], calls, to - from);
    }
}

/* MSPTI states no ids of tasks, but of their launch; a call that launched several is of the first.
 */
static bool tie_launches(struct mi_tables *rows)
{
    struct mi_map task_of = {0}; /* call -> first task that it launched */
    struct mi_submissions *calls = &rows->submissions;
    bool ok = true;
    for (uint32_t t = 1; ok && t < rows->tasks.count; t++) {
        uint32_t launch = rows->tasks.launch[t].v;
        while (launch && rows->slices.parent[launch].v &&
               mi_some_u32(rows->slices.connection[rows->slices.parent[launch].v]) ==
                   mi_some_u32(rows->tasks.connection[t]))
            launch = rows->slices.parent[launch].v;
        uint32_t *at = launch && mi_some_get(rows->tasks.native_id[t]) < 0
                           ? mi_map_at(&task_of, launch)
                           : NULL;
        ok = at || !launch || mi_some_get(rows->tasks.native_id[t]) >= 0;
        if (at && !*at)
            *at = t;
    }
    for (uint32_t s = 1; ok && s < calls->count; s++)
        if (!calls->task[s].v)
            calls->task[s].v = mi_map_get(&task_of, calls->slice[s].v);
    mi_map_fini(&task_of);
    return ok;
}

/* Waits whose task and whose record's task are both known. */
static void add_signals(struct mi_model *model)
{
    struct mi_batch *all = &model->all;
    const struct mi_submissions *calls = &all->rows.submissions;
    mi_str_id rule = mi_batch_cstr(all, "hook_calls");
    mi_str_id sure = mi_batch_cstr(
        all, N_("the program recorded the event and then asked to wait for it: a hook saw both"));
    mi_str_id unsure =
        mi_batch_cstr(all, N_("a hook saw both calls, but the event may have been recorded once "
                              "more in between"));
    for (uint32_t s = 1; s < calls->count; s++) {
        uint32_t record = calls->peer[s].v;
        if (calls->sync[s] != MI_SYNC_WAIT || !record || !calls->task[s].v ||
            !calls->task[record].v)
            continue;
        bool is_sure = calls->confidence[s] == MI_CERTAIN;
        mi_add_signal(all, &(struct mi_signal_row){.record = calls->task[record],
                                                   .wait = calls->task[s],
                                                   .confidence = calls->confidence[s],
                                                   .rule = rule,
                                                   .evidence = is_sure ? sure : unsure});
    }
}

bool mi_hook_join_tasks(struct mi_model *model, const uint32_t *owners)
{
    struct mi_tables *rows = &model->all.rows;
    struct entries e = {0};
    bool has_loose = false;
    bool ok = list_tasks(model, owners, &has_loose, &e) && list_calls(model, owners, has_loose, &e);
    if (ok && e.count)
        qsort(e.list, e.count, sizeof *e.list, by_key);
    if (ok) {
        tie_all(rows, &e);
        ok = tie_launches(rows);
        add_signals(model);
    }
    mi_mem_free(e.list);
    return ok && !mi_batch_failed(&model->all);
}
