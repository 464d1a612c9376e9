/* Runs of a device, made ready to be simulated, and what nodes cost in them. */
#include "analyse/doctor/doctor.h"
#include "analyse/taskgraph/choose.h"
#include "base/mem.h"

enum { MOST_VERTICES = 600000 }; /* of all runs together; beyond the first, fewer runs are taken */

/* --- runs --- */

static bool place_nodes(struct mi_doctor_run *run, uint32_t node_count)
{
    const struct mi_taskgraph *graph = &run->graph;
    uint32_t *keys = mi_mem_new((size_t)graph->count + 1, sizeof *keys);
    if (!keys)
        return false;
    keys[0] = 0;
    for (uint32_t v = 0; v < graph->count; v++)
        keys[v + 1] = graph->role[v] == MI_TG_WORK ? graph->node[v] : 0;
    bool ok = mi_csr_build(&run->places, node_count, keys, graph->count + 1);
    mi_mem_free(keys);
    return ok;
}

static bool add_run(struct mi_doctor *d, const struct mi_tg_unit *unit)
{
    struct mi_doctor_run *run = &d->runs[d->run_count];
    if (!mi_taskgraph_init(&run->graph, d->model, &d->account, &d->deps, unit->run, unit->rank,
                           unit->device, d->err))
        return false;
    d->run_count++;
    if (!mi_whatif_init(&run->whatif, &run->graph, d->err))
        return false;
    if (!place_nodes(run, d->rows->nodes.count))
        return mi_fail(d->err, MI_ENOMEM, "out of memory for a run");
    run->base_ns = mi_whatif_run(&run->whatif);
    return true;
}

/* The run that was chosen, then others of the same device and capture. */
static bool add_runs(struct mi_doctor *d)
{
    const struct mi_tg_unit *mine = &d->units.list[d->chosen];
    bool is_asked_for = mi_args_find(d->args, "run") != NULL;
    int64_t room = MOST_VERTICES - (int64_t)mine->tasks, sum_ns = 0;
    if (!add_run(d, mine))
        return false;
    for (uint32_t u = 0; u < d->units.count && d->run_count < MI_DOCTOR_RUNS && !is_asked_for;
         u++) {
        const struct mi_tg_unit *unit = &d->units.list[u];
        if (u == d->chosen || !unit->is_counted || unit->device != mine->device ||
            unit->rank != mine->rank || room < (int64_t)unit->tasks ||
            d->account.runs[unit->run].is_outside != d->account.runs[mine->run].is_outside ||
            d->account.runs[unit->run].group != d->account.runs[mine->run].group)
            continue;
        room -= unit->tasks;
        if (!add_run(d, unit))
            return false;
    }
    for (uint32_t r = 0; r < d->run_count; r++)
        sum_ns = mi_ns_add(sum_ns, d->runs[r].graph.makespan_ns);
    d->makespan_ns = sum_ns / d->run_count;
    return true;
}

/* --- nodes --- */

static bool time_nodes(struct mi_doctor *d)
{
    uint32_t node_count = d->rows->nodes.count;
    d->node_ns = mi_mem_zero(node_count, sizeof *d->node_ns);
    uint32_t *type = mi_mem_zero(node_count, sizeof *type);
    bool ok = d->node_ns && type;
    for (uint32_t r = 0; ok && r < d->run_count; r++) {
        const struct mi_taskgraph *graph = &d->runs[r].graph;
        for (uint32_t v = 0; v < graph->count; v++)
            if (graph->role[v] == MI_TG_WORK)
                d->node_ns[graph->node[v]] =
                    mi_ns_add(d->node_ns[graph->node[v]], graph->end_ns[v] - graph->start_ns[v]);
    }
    for (uint32_t n = 0; ok && n < node_count; n++) {
        d->node_ns[n] /= d->run_count;
        type[n] = mi_doctor_ran(d, n) ? d->rows->nodes.op[n].v : 0;
    }
    ok = ok && mi_csr_build(&d->of_type, d->model->all.strings.count, type, node_count);
    mi_mem_free(type);
    return ok || mi_fail(d->err, MI_ENOMEM, "out of memory for the nodes");
}

static unsigned find_has(const struct mi_doctor *d)
{
    unsigned has = 0;
    if (mi_model_has_layer(d->model, MI_LAYER_FRAMEWORK))
        has |= MI_DOCTOR_FRAMEWORK;
    if (mi_model_has_layer(d->model, MI_LAYER_COMPILED))
        has |= MI_DOCTOR_COMPILED;
    if (d->run_count)
        has |= MI_DOCTOR_TASKS;
    for (uint32_t v = 0; d->run_count && v < d->runs[0].graph.count; v++)
        if (d->runs[0].graph.node[v])
            has |= MI_DOCTOR_LINKS;
    for (uint32_t u = 1; u < d->units.count; u++)
        if (d->units.list[u].rank != d->units.list[0].rank && d->units.list[u].is_counted)
            has |= MI_DOCTOR_RANKS;
    return has;
}

bool mi_doctor_open(struct mi_doctor *d)
{
    d->layer =
        mi_model_has_layer(d->model, MI_LAYER_COMPILED) ? MI_LAYER_COMPILED : MI_LAYER_FRAMEWORK;
    d->claimed = mi_mem_zero(d->rows->nodes.count, 1);
    if (!d->claimed)
        return mi_fail(d->err, MI_ENOMEM, "out of memory");
    if (d->rows->tasks.count > 1) {
        if (!mi_account_init(&d->account, d->model, d->err) ||
            !mi_deps_init(&d->deps, d->model, d->err) ||
            !mi_tg_units_init(&d->units, d->model, &d->account, d->err) ||
            !mi_tg_choose(&d->units, &d->account, d->args, &d->chosen, d->err) || !add_runs(d) ||
            !time_nodes(d))
            return false;
        mi_tg_describe(&d->runs[0].graph, &d->account, d->out);
    }
    d->has = find_has(d);
    return true;
}

void mi_doctor_close(struct mi_doctor *d)
{
    for (uint32_t r = 0; r < d->run_count; r++) {
        mi_csr_fini(&d->runs[r].places);
        mi_whatif_fini(&d->runs[r].whatif);
        mi_taskgraph_fini(&d->runs[r].graph);
    }
    if (d->has_waits) { /* findings that were taken over point into it */
        mi_arena_adopt(d->arena, &d->waits.arena);
        mi_report_fini(&d->waits);
    }
    mi_mem_free(d->node_ns);
    mi_csr_fini(&d->of_type);
    mi_mem_free(d->claimed);
    mi_mem_free(d->found);
    mi_mem_free(d->subjects);
    mi_tg_units_fini(&d->units);
    mi_deps_fini(&d->deps);
    mi_account_fini(&d->account);
}

/* --- changes --- */

int64_t mi_doctor_gain(struct mi_doctor *d, mi_doctor_change *change, const void *user)
{
    int64_t sum_ns = 0;
    for (uint32_t r = 0; r < d->run_count; r++) {
        struct mi_doctor_run *run = &d->runs[r];
        change(&run->whatif, run, user);
        sum_ns = mi_ns_add(sum_ns, run->base_ns - mi_whatif_run(&run->whatif));
        mi_whatif_reset(&run->whatif);
    }
    return d->run_count ? sum_ns / d->run_count : 0;
}

void mi_doctor_leave_out(struct mi_whatif *whatif, const struct mi_doctor_run *run, uint32_t node)
{
    for (uint32_t i = run->places.first[node]; i < run->places.first[node + 1]; i++)
        mi_whatif_remove(whatif, run->places.list[i] - 1);
}

void mi_doctor_scale(struct mi_whatif *whatif, const struct mi_doctor_run *run, uint32_t node,
                     int64_t part, int64_t whole)
{
    for (; part > INT32_MAX || whole > INT32_MAX; part /= 2) /* keeps the products in range */
        whole /= 2;
    whole = whole > 0 ? whole : 1;
    for (uint32_t i = run->places.first[node]; i < run->places.first[node + 1]; i++) {
        uint32_t v = run->places.list[i] - 1;
        int64_t busy_ns = whatif->busy_ns[v];
        mi_whatif_shorten(whatif, v, busy_ns / whole * part + busy_ns % whole * part / whole);
    }
}

static void leave_out_all(struct mi_whatif *whatif, const struct mi_doctor_run *run,
                          const void *user)
{
    const struct mi_doctor_nodes *nodes = user;
    for (uint32_t i = 0; i < nodes->count; i++)
        mi_doctor_leave_out(whatif, run, nodes->list[i]);
}

int64_t mi_doctor_gain_without(struct mi_doctor *d, struct mi_doctor_nodes nodes)
{
    return mi_doctor_gain(d, leave_out_all, &nodes);
}
