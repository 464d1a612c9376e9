#include "analyse/accounting.h"

#include "analyse/accounting/account_runs.h"
#include "analyse/accounting/spans.h"
#include "base/mem.h"

enum { MOST_DEPTH = 64 }; /* of tasks in tasks; deeper ones do not occur, and circles end */

static enum mi_task_kind kind_of(const struct mi_tables *rows, uint32_t task)
{
    return (enum mi_task_kind)rows->kernels.kind[rows->tasks.kernel[task].v];
}

static bool is_in_collective(const struct mi_tables *rows, uint32_t task)
{
    for (int depth = 0; task && depth < MOST_DEPTH; depth++) {
        task = rows->tasks.parent[task].v;
        if (task && kind_of(rows, task) == MI_TASK_COMMUNICATION)
            return true;
    }
    return false;
}

/* What is left of the task's time once the union of its sub-tasks is taken off. */
static int64_t own_time(const struct mi_tables *rows, const struct mi_csr *children, uint32_t task,
                        struct mi_spans *spans)
{
    const struct mi_tasks *tasks = &rows->tasks;
    int64_t start_ns = tasks->start_ns[task], end_ns = mi_ns_add(start_ns, tasks->dur_ns[task]);
    spans->count = 0;
    spans->is_unsorted = false;
    for (uint32_t i = children->first[task]; i < children->first[task + 1]; i++) {
        uint32_t child = children->list[i];
        int64_t from_ns = tasks->start_ns[child], to_ns = mi_ns_add(from_ns, tasks->dur_ns[child]);
        if (child != task)
            mi_spans_add(spans, from_ns > start_ns ? from_ns : start_ns,
                         to_ns < end_ns ? to_ns : end_ns);
    }
    mi_spans_join(spans);
    return tasks->dur_ns[task] - mi_spans_measure(spans);
}

/* Envelopes of the device say what type of task they are; the bodies of graphs (If, Loop) have
 * none, and what is left of their time is theirs. */
static bool is_envelope(const struct mi_tables *rows, uint32_t task)
{
    enum mi_task_kind kind = kind_of(rows, task);
    return kind != MI_TASK_COMMUNICATION &&
           (kind != MI_TASK_CONTROL || rows->kernels.type[rows->tasks.kernel[task].v].v);
}

static void judge_task(struct mi_account *account, const struct mi_csr *children, uint32_t task,
                       struct mi_spans *spans)
{
    const struct mi_tables *rows = &account->model->all.rows;
    enum mi_task_kind kind = kind_of(rows, task);
    bool encloses = mi_csr_count(children, task) > 0;
    account->own_room[task] = rows->tasks.dur_ns[task];
    if (rows->tasks.parent[task].v && is_in_collective(rows, task))
        account->part[task] = MI_PART_INSIDE;
    else if (kind == MI_TASK_SYNC)
        account->part[task] = MI_PART_SYNC;
    else if (encloses && is_envelope(rows, task))
        account->part[task] = MI_PART_CONTAINER;
    else
        account->part[task] = MI_PART_WORK;
    if (account->part[task] == MI_PART_INSIDE || account->part[task] == MI_PART_CONTAINER)
        account->own_room[task] = 0;
    else if (encloses && kind != MI_TASK_COMMUNICATION)
        account->own_room[task] = own_time(rows, children, task, spans);
}

/* Where no task encloses another, durations are own times, and nothing is stored. */
static bool find_parts(struct mi_account *account)
{
    const struct mi_tasks *tasks = &account->model->all.rows.tasks;
    struct mi_csr children = {0};
    struct mi_spans spans = {0};
    bool has_parents = false;
    account->own_ns = tasks->dur_ns;
    for (uint32_t t = 1; t < tasks->count && !has_parents; t++)
        has_parents = tasks->parent[t].v != 0;
    if (!has_parents)
        return true;
    account->own_ns = account->own_room = mi_mem_zero(tasks->count, sizeof *account->own_room);
    account->part = mi_mem_zero(tasks->count, sizeof *account->part);
    bool ok = account->own_room && account->part &&
              mi_csr_build(&children, tasks->count, (const uint32_t *)tasks->parent, tasks->count);
    for (uint32_t t = 1; ok && t < tasks->count && !spans.failed; t++)
        judge_task(account, &children, t, &spans);
    ok = ok && !spans.failed;
    mi_spans_fini(&spans);
    mi_csr_fini(&children);
    return ok;
}

bool mi_account_init(struct mi_account *account, const struct mi_model *model, struct mi_error *err)
{
    *account = (struct mi_account){.model = model};
    if (!find_parts(account) || !mi_account_find_runs(account)) {
        mi_account_fini(account);
        return mi_fail(err, MI_ENOMEM, "out of memory");
    }
    return true;
}

void mi_account_fini(struct mi_account *account)
{
    mi_mem_free(account->own_room);
    mi_mem_free(account->part);
    mi_mem_free(account->run_of);
    mi_mem_free(account->runs);
    mi_mem_free(account->groups);
    mi_mem_free(account->group_of);
    *account = (struct mi_account){0};
}
