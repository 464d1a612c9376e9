#include "analyse/accounting.h"

#include "base/map.h"
#include "base/mem.h"

#include <stdlib.h>

static int compare_spans(const void *left, const void *right)
{
    const struct mi_span *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

int64_t mi_span_union(struct mi_span *spans, uint32_t count)
{
    int64_t busy_ns = 0, end_ns = INT64_MIN;
    if (count)
        qsort(spans, count, sizeof *spans, compare_spans);
    for (uint32_t i = 0; i < count; i++) {
        int64_t start_ns = spans[i].start_ns > end_ns ? spans[i].start_ns : end_ns;
        if (spans[i].end_ns > start_ns) {
            busy_ns = mi_ns_add(busy_ns, mi_ns_sub(spans[i].end_ns, start_ns));
            end_ns = spans[i].end_ns;
        }
    }
    return busy_ns;
}

bool mi_task_is_work(const struct mi_model *model, mi_task_id task)
{
    const struct mi_tables *rows = &model->all.rows;
    return rows->kernels.kind[rows->tasks.kernel[task.v].v] != MI_TASK_SYNC;
}

bool mi_account_counts(const struct mi_account *account, const struct mi_model *model,
                       mi_task_id task)
{
    return account->runs[account->run_of[task.v]].is_counted && mi_task_is_work(model, task);
}

/* Takes the union of the sub-tasks off the time of each task that has some. */
static bool subtract_sub_tasks(struct mi_account *account, const struct mi_tables *rows)
{
    const struct mi_tasks *tasks = &rows->tasks;
    struct mi_csr children = {0};
    struct mi_span *spans = mi_mem_new(tasks->count, sizeof *spans);
    bool ok = spans &&
              mi_csr_build(&children, tasks->count, (const uint32_t *)tasks->parent, tasks->count);
    for (uint32_t t = 1; ok && t < tasks->count; t++) {
        uint32_t count = 0;
        int64_t start_ns = tasks->start_ns[t], end_ns = mi_ns_add(start_ns, tasks->dur_ns[t]);
        for (uint32_t i = children.first[t]; i < children.first[t + 1]; i++) {
            uint32_t child = children.list[i];
            struct mi_span span = {tasks->start_ns[child],
                                   mi_ns_add(tasks->start_ns[child], tasks->dur_ns[child])};
            span.start_ns = span.start_ns < start_ns ? start_ns : span.start_ns;
            span.end_ns = span.end_ns > end_ns ? end_ns : span.end_ns;
            if (child != t)
                spans[count++] = span;
        }
        account->own_ns[t] -= mi_span_union(spans, count);
    }
    mi_csr_fini(&children);
    mi_mem_free(spans);
    return ok;
}

/* --- runs --- */

/* What numbers its runs from 0 on its own: a capture folder, or a file given by itself that comes
 * from a process of its own. All other tasks share one numbering. */
static uint64_t group_of(const struct mi_tables *rows, uint32_t task)
{
    uint32_t source = rows->kernels.source[rows->tasks.kernel[task].v].v;
    uint32_t capture = source ? rows->sources.capture[source] : 0;
    bool has_process = rows->tracks.process[rows->tasks.track[task].v] >= 0;
    if (capture)
        return (uint64_t)1 << 31 | capture;
    return source && has_process ? source : 0;
}

static uint64_t key_of(const struct mi_tables *rows, uint32_t task)
{
    return group_of(rows, task) << 32 | rows->tasks.run[task];
}

static int compare_runs(const void *left, const void *right)
{
    const struct mi_account_run *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->run > b->run) - (a->run < b->run);
}

/* The distinct runs in order, and for each task its place among them. */
static bool list_runs(struct mi_account *account, const struct mi_tables *rows)
{
    const struct mi_tasks *tasks = &rows->tasks;
    struct mi_map place = {0};
    bool ok = true;
    for (uint32_t t = 1; ok && t < tasks->count; t++) {
        uint32_t *at = mi_map_at(&place, key_of(rows, t));
        ok = at != NULL;
        if (ok && !*at)
            *at = ++account->run_count;
    }
    account->runs = mi_mem_zero((size_t)account->run_count + 1, sizeof *account->runs);
    ok = ok && account->runs;
    for (uint32_t t = 1; ok && t < tasks->count; t++) {
        struct mi_account_run *run = &account->runs[mi_map_get(&place, key_of(rows, t)) - 1];
        run->group = (uint32_t)group_of(rows, t);
        run->run = tasks->run[t];
        run->source = rows->kernels.source[tasks->kernel[t].v];
    }
    if (ok)
        qsort(account->runs, account->run_count, sizeof *account->runs, compare_runs);
    for (uint32_t r = 0; ok && r < account->run_count; r++)
        ok = mi_map_set(&place, (uint64_t)account->runs[r].group << 32 | account->runs[r].run,
                        r + 1);
    for (uint32_t t = 1; ok && t < tasks->count; t++)
        account->run_of[t] = mi_map_get(&place, key_of(rows, t)) - 1;
    mi_map_fini(&place);
    return ok;
}

/* A number that the collector of a run states about its capture; `otherwise` if it does not. */
static uint32_t stated(const struct mi_model *model, const struct mi_account_run *run,
                       const char *setting, uint32_t otherwise)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t f = 1; f < rows->facts.count; f++) {
        struct mi_bytes text = mi_model_text(model, rows->facts.text[f]);
        uint32_t number = 0, capture = rows->sources.capture[rows->facts.source[f].v];
        if (capture != rows->sources.capture[run->source.v] ||
            !mi_bytes_equal(mi_model_text(model, rows->facts.name[f]), mi_cstr(setting)))
            continue;
        for (size_t i = 0; i < text.len && number < 1000000; i++) {
            if (text.at[i] < '0' || text.at[i] > '9')
                return otherwise;
            number = number * 10 + (uint32_t)(text.at[i] - '0');
        }
        return number;
    }
    return otherwise;
}

/* Of the runs [count] of one group: from three on the first ones are warm-up, as many as the
 * collector says, at least one; what lies behind the last run that it saw the end of was cut short.
 * At least one counts. */
static void choose_counted(const struct mi_model *model, struct mi_account_run *runs,
                           uint32_t count)
{
    uint32_t warmup = stated(model, runs, "setting:warmup", 0);
    uint32_t done = stated(model, runs, "setting:runs-done", UINT32_MAX), counted = 0;
    warmup = count < 3 ? 0 : warmup ? warmup : 1;
    if (warmup >= count)
        warmup = count - 1;
    for (uint32_t r = 0; r < count; r++) {
        runs[r].is_counted = r >= warmup && (runs[r].run < done || r == warmup);
        counted += runs[r].is_counted;
    }
    for (uint32_t r = 0; r < count; r++)
        runs[r].counted_beside = counted;
}

static void sum_runs(struct mi_account *account, const struct mi_model *model)
{
    const struct mi_tasks *tasks = &model->all.rows.tasks;
    for (uint32_t r = 0, end; r < account->run_count; r = end) {
        for (end = r + 1; end < account->run_count; end++)
            if (account->runs[end].group != account->runs[r].group)
                break;
        choose_counted(model, &account->runs[r], end - r);
        account->counted_runs += account->runs[r].counted_beside;
        account->group_count++;
    }
    for (uint32_t t = 1; t < tasks->count; t++) {
        struct mi_account_run *run = &account->runs[account->run_of[t]];
        int64_t end_ns = mi_ns_add(tasks->start_ns[t], tasks->dur_ns[t]);
        if (!mi_task_is_work(model, (mi_task_id){t}))
            continue;
        run->first_ns =
            run->tasks && run->first_ns < tasks->start_ns[t] ? run->first_ns : tasks->start_ns[t];
        run->end_ns = run->tasks && run->end_ns > end_ns ? run->end_ns : end_ns;
        run->total_ns = mi_ns_add(run->total_ns, account->own_ns[t]);
        run->tasks++;
    }
}

bool mi_account_init(struct mi_account *account, const struct mi_model *model, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    *account = (struct mi_account){0};
    account->own_ns = mi_mem_new(rows->tasks.count, sizeof *account->own_ns);
    account->run_of = mi_mem_zero(rows->tasks.count, sizeof *account->run_of);
    bool ok = account->own_ns && account->run_of;
    for (uint32_t t = 1; ok && t < rows->tasks.count; t++)
        account->own_ns[t] = rows->tasks.dur_ns[t];
    ok = ok && subtract_sub_tasks(account, rows) && list_runs(account, rows);
    if (!ok) {
        mi_account_fini(account);
        return mi_fail(err, MI_ENOMEM, "out of memory");
    }
    sum_runs(account, model);
    return true;
}

void mi_account_fini(struct mi_account *account)
{
    mi_mem_free(account->own_ns);
    mi_mem_free(account->run_of);
    mi_mem_free(account->runs);
    *account = (struct mi_account){0};
}

/* --- times of nodes --- */

static void sum_tasks(struct mi_node_time *times, const struct mi_account *account,
                      const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        uint32_t link = model->index.task_link[t];
        if (!link || !mi_account_counts(account, model, (mi_task_id){t}))
            continue;
        struct mi_node_time *time = &times[rows->executed.node[link].v];
        time->tasks++;
        time->total_ns = mi_ns_add(time->total_ns, account->own_ns[t]);
        if (time->runs < account->runs[account->run_of[t]].counted_beside)
            time->runs = account->runs[account->run_of[t]].counted_beside;
    }
}

/* The group of one compiled node: framework ops whose results it computes. */
struct group {
    const struct mi_model *model;
    uint32_t *stamp; /* [nodes.count] compiled node whose group the op is in */
    uint32_t compiled;
};

static bool computes(const struct mi_lowered *links, uint32_t link)
{
    return links->role[link] == MI_ROLE_COMPUTED || links->role[link] == MI_ROLE_SHARED;
}

/* An op of the group reads a result of this one. */
static bool is_read_inside(const struct group *group, uint32_t op)
{
    const struct mi_tables *rows = &group->model->all.rows;
    const struct mi_csr *readers = &group->model->index.consumers;
    for (uint32_t i = 0; i < rows->nodes.out_count[op]; i++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[op] + i].v;
        for (uint32_t k = readers->first[value]; value && k < readers->first[value + 1]; k++)
            if (readers->list[k] != op && group->stamp[readers->list[k]] == group->compiled)
                return true;
    }
    return false;
}

/* The op of the group that no other of it reads; of several the last in the file. 0 = no group. */
static uint32_t last_of_group(const struct group *group)
{
    const struct mi_lowered *links = &group->model->all.rows.lowered;
    const struct mi_csr *of = &group->model->index.framework_of;
    uint32_t last = 0, any = 0, n = group->compiled;
    for (uint32_t i = of->first[n]; i < of->first[n + 1]; i++)
        if (computes(links, of->list[i]))
            group->stamp[links->framework[of->list[i]].v] = n;
    for (uint32_t i = of->first[n]; i < of->first[n + 1]; i++) {
        uint32_t op = links->framework[of->list[i]].v;
        if (group->stamp[op] != n)
            continue;
        any = op > any ? op : any;
        if (op > last && !is_read_inside(group, op))
            last = op;
    }
    return last ? last : any;
}

static bool hand_to_framework(struct mi_node_time *times, const struct mi_model *model)
{
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    struct group group = {.model = model, .stamp = mi_mem_zero(nodes->count, sizeof(uint32_t))};
    for (uint32_t n = 1; group.stamp && n < nodes->count; n++) {
        if (!times[n].tasks || mi_node_layer(model, (mi_node_id){n}) != MI_LAYER_COMPILED)
            continue;
        group.compiled = n;
        uint32_t op = last_of_group(&group);
        if (!op)
            continue;
        times[op].tasks += times[n].tasks;
        times[op].total_ns = mi_ns_add(times[op].total_ns, times[n].total_ns);
        if (times[op].runs < times[n].runs)
            times[op].runs = times[n].runs;
    }
    bool ok = group.stamp != NULL;
    mi_mem_free(group.stamp);
    return ok;
}

struct mi_node_time *mi_account_nodes(const struct mi_account *account,
                                      const struct mi_model *model)
{
    struct mi_node_time *times = mi_mem_zero(model->all.rows.nodes.count, sizeof *times);
    if (!times)
        return NULL;
    sum_tasks(times, account, model);
    if (!hand_to_framework(times, model)) {
        mi_mem_free(times);
        return NULL;
    }
    return times;
}

bool mi_node_times(const struct mi_model *model, struct mi_node_time **times, struct mi_error *err)
{
    struct mi_account account;
    *times = NULL;
    if (model->all.rows.tasks.count <= 1)
        return true;
    if (!mi_account_init(&account, model, err))
        return false;
    *times = mi_account_nodes(&account, model);
    mi_account_fini(&account);
    return *times || mi_fail(err, MI_ENOMEM, "out of memory");
}
