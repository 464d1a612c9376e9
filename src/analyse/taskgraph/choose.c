#include "analyse/taskgraph/choose.h"

#include "analyse/describe.h"
#include "base/mem.h"

#include <stdlib.h>

struct sized {
    int64_t makespan_ns;
    uint32_t unit;
};

static int compare_sizes(const void *left, const void *right)
{
    const struct sized *a = left, *b = right;
    if (a->makespan_ns != b->makespan_ns)
        return a->makespan_ns < b->makespan_ns ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static bool is_asked_for(const struct mi_tg_unit *unit, const struct mi_args *args)
{
    const struct mi_arg *device = mi_args_find(args, "device"), *rank = mi_args_find(args, "rank");
    return (!device || unit->device == device->number) && (!rank || unit->rank == rank->number);
}

static bool is_same_device(const struct mi_tg_unit *a, const struct mi_tg_unit *b,
                           const struct mi_account *account)
{
    return a->device == b->device && a->rank == b->rank &&
           account->runs[a->run].group == account->runs[b->run].group;
}

/* Unless a run is asked for: those that count, and odds and ends outside of marked steps only where
 * there is nothing else. */
static bool is_of_run(const struct mi_tg_unit *unit, const struct mi_account *account,
                      const struct mi_arg *run, bool with_outside)
{
    const struct mi_account_run *own = &account->runs[unit->run];
    return run ? own->run == run->number : unit->is_counted && (with_outside || !own->is_outside);
}

bool mi_tg_choose(const struct mi_tg_units *units, const struct mi_account *account,
                  const struct mi_args *args, uint32_t *chosen, struct mi_error *err)
{
    const struct mi_arg *run = mi_args_find(args, "run");
    struct sized *list = mi_mem_new((size_t)units->count + 1, sizeof *list);
    uint32_t count = 0, first = UINT32_MAX;
    if (!list)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    for (int with_outside = 0; !count && with_outside < 2; with_outside++)
        for (uint32_t u = 0; u < units->count; u++) {
            const struct mi_tg_unit *unit = &units->list[u];
            if (!is_asked_for(unit, args) || !is_of_run(unit, account, run, with_outside) ||
                (first != UINT32_MAX && !is_same_device(unit, &units->list[first], account)))
                continue;
            first = first == UINT32_MAX ? u : first;
            list[count++] = (struct sized){mi_ns_sub(unit->end_ns, unit->begin_ns), u};
        }
    if (count) {
        qsort(list, count, sizeof *list, compare_sizes);
        *chosen = list[(count - 1) / 2].unit;
    }
    mi_mem_free(list);
    return count || mi_fail(err, MI_ENOTFOUND, "there are no tasks of that run, device and rank");
}

static void add_fact(struct mi_report *out, const char *name, const char *title, const char *unit,
                     struct mi_cell cell)
{
    mi_report_add_fact(
        out, &(struct mi_report_fact){
                 .name = name, .title = title, .kind = MI_CELL_INT, .unit = unit, .cell = cell});
}

void mi_tg_describe(const struct mi_taskgraph *graph, const struct mi_account *account,
                    struct mi_report *out)
{
    const struct mi_account_run *run = &account->runs[graph->run];
    add_fact(out, "run", N_("Run"), "", run->is_outside ? mi_cell_none() : mi_cell_int(run->run));
    add_fact(out, "device", N_("Device"), "",
             graph->device >= 0 ? mi_cell_int(graph->device) : mi_cell_none());
    if (graph->rank >= 0)
        add_fact(out, "rank", N_("Rank"), "", mi_cell_int(graph->rank));
    add_fact(out, "makespan_ns", N_("From the first start to the last end"), "ns",
             mi_cell_int(graph->makespan_ns));
    add_fact(out, "tasks", N_("Tasks"), "", mi_cell_int(graph->count));
    add_fact(out, "streams", N_("Streams"), "", mi_cell_int(graph->lane_count));
    add_fact(out, "event_pairs", N_("Pairs of events between streams"), "",
             mi_cell_int(graph->signal_count));
    add_fact(out, "data_edges", N_("Data that goes from stream to stream"), "",
             mi_cell_int(graph->data_count));
    add_fact(out, "contradicted", N_("Of these seen the wrong way round"), "",
             mi_cell_int((int64_t)graph->violated_count + graph->dropped_count));
}

struct mi_bytes mi_tg_name(const struct mi_taskgraph *graph, uint32_t vertex,
                           struct mi_arena *arena)
{
    const struct mi_tables *rows = &graph->model->all.rows;
    uint32_t kernel = rows->tasks.kernel[graph->task[vertex]].v;
    if (graph->node[vertex])
        return mi_describe_node(graph->model, (mi_node_id){graph->node[vertex]}, arena);
    return mi_model_text(graph->model, rows->kernels.name[kernel]);
}

struct mi_bytes mi_tg_lane_name(const struct mi_taskgraph *graph, uint32_t lane,
                                struct mi_arena *arena)
{
    return mi_describe_track(graph->model, (mi_track_id){graph->track[lane]}, arena);
}
