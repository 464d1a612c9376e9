/* The device is idle because the host comes late: nothing is left to do, and what comes next has
 * not been launched. Counted is the time from the last end of work on any stream to the launch - or
 * to the start of what only the application starts, where launches were not recorded. */
#include "analyse/doctor/doctor.h"
#include "base/decimal.h"
#include "base/mem.h"

#include <stdlib.h>

enum { MOST_SUBJECTS = 50 };

static const struct mi_doctor_limit limits[] = {
    {"least-idle-us", 5, N_("shorter idle times do not count")},
    MI_DOCTOR_LIMITS(20, 50),
    {.name = NULL}};

struct late {
    uint32_t vertex;
    int64_t ns;
};

struct started {
    int64_t start_ns;
    uint32_t vertex;
};

static int compare_starts(const void *left, const void *right)
{
    const struct started *a = left, *b = right;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static int compare_late(const void *left, const void *right)
{
    const struct late *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static bool is_named(const struct mi_doctor *d, const struct mi_taskgraph *graph, uint32_t v,
                     struct mi_bytes name)
{
    uint32_t kernel = d->rows->tasks.kernel[graph->task[v]].v;
    return mi_bytes_equal(mi_model_text(d->model, d->rows->kernels.name[kernel]), name);
}

/* When the host let the vertex go; INT64_MIN: it has nothing to do with it, or nobody knows. */
static int64_t let_go(const struct mi_doctor *d, const struct mi_taskgraph *graph, uint32_t v)
{
    if (graph->role[v] == MI_TG_WAIT || graph->role[v] == MI_TG_RECORD)
        return INT64_MIN;
    if (graph->release_ns[v] != INT64_MIN)
        return graph->binding[v] == MI_TG_BY_LAUNCH ? graph->release_ns[v] : INT64_MIN;
    bool by_application = d->rows->tasks.by[graph->task[v]] == MI_BY_APPLICATION ||
                          is_named(d, graph, v, MI_LIT("MODEL_EXECUTE"));
    bool is_return = graph->binding[v] == MI_TG_BY_EDGE &&
                     graph->edges[graph->binding_edge[v]].kind == MI_TG_RETURN;
    return by_application && !is_return ? graph->start_ns[v] : INT64_MIN;
}

/* Fills `late` [count] and returns how many; *sum_ns: all of them. */
static uint32_t find_late(const struct mi_doctor *d, const struct mi_taskgraph *graph,
                          struct started *order, struct late *late, int64_t *sum_ns)
{
    int64_t least_ns = mi_doctor_limit(d, "least-idle-us") * 1000, busy_to = 0;
    uint32_t count = 0;
    for (uint32_t v = 0; v < graph->count; v++)
        order[v] = (struct started){graph->start_ns[v], v};
    qsort(order, graph->count, sizeof *order, compare_starts);
    *sum_ns = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        uint32_t v = order[i].vertex;
        int64_t go_ns = let_go(d, graph, v);
        bool does = graph->role[v] == MI_TG_WORK || go_ns != INT64_MIN;
        int64_t idle_ns = go_ns == INT64_MIN ? 0 : mi_ns_sub(go_ns, busy_to);
        if (i && idle_ns >= least_ns) {
            late[count++] = (struct late){v, idle_ns};
            *sum_ns = mi_ns_add(*sum_ns, idle_ns);
        }
        if (does && graph->end_ns[v] > busy_to)
            busy_to = graph->end_ns[v];
    }
    return count;
}

static bool run(struct mi_doctor *d)
{
    int64_t cost_ns = 0, own_ns;
    struct late *late = NULL;
    uint32_t count = 0;
    bool ok = true;
    for (uint32_t r = d->run_count; ok && r-- > 0;) { /* the chosen run last: its list stays */
        const struct mi_taskgraph *graph = &d->runs[r].graph;
        struct started *order = mi_mem_new((size_t)graph->count + 1, sizeof *order);
        mi_mem_free(late);
        late = mi_mem_new((size_t)graph->count + 1, sizeof *late);
        ok = order && late;
        if (ok)
            count = find_late(d, graph, order, late, &own_ns);
        cost_ns = ok ? mi_ns_add(cost_ns, own_ns) : 0;
        mi_mem_free(order);
    }
    cost_ns /= d->run_count;
    if (ok && mi_doctor_matters(d, cost_ns) && count) {
        const struct mi_taskgraph *graph = &d->runs[0].graph;
        qsort(late, count, sizeof *late, compare_late);
        for (uint32_t i = 0; i < count && i < MOST_SUBJECTS; i++) {
            char span[MI_DECIMAL_ROOM];
            mi_decimal_format_span(late[i].ns, span);
            mi_doctor_subject(d, graph->node[late[i].vertex], graph->task[late[i].vertex],
                              mi_arena_printf(d->arena, N_("launched after %s of idling"), span));
        }
        mi_doctor_add(d, &(struct mi_finding){
                             .severity = MI_WARNING,
                             .task = {graph->task[late[0].vertex]},
                             .node = {graph->node[late[0].vertex]},
                             .sentence = N_("the device idles %1 times for %2 in all, as the host "
                                            "has not launched what comes next"),
                             .args = {mi_doctor_number(d, count), mi_doctor_span(d, cost_ns)},
                             .cost_ns = cost_ns,
                             .cost_from = N_("sum of times")});
    }
    mi_mem_free(late);
    return ok;
}

const struct mi_doctor_rule mi_doctor_rule_host_bound = {
    .name = "host_bound",
    .question = N_("idle time of the device that waits for the host"),
    .advice =
        N_("Let the host run ahead: prepare inputs of the next step meanwhile, avoid calls that "
           "synchronise, launch whole graphs instead of single ops, and give the launching thread "
           "a core of its own."),
    .needs = MI_DOCTOR_TASKS,
    .limits = limits,
    .run = run,
};
