/* Waits: what streams waited for, whether they had to, and what it cost.
 *
 * Question: which waits are longest, for which task did each wait, does data flow between them, and
 * how much shorter would the run be without? It works on the graph of executed tasks of one run
 * (taskgraph/taskgraph.h). The gain is the difference of two simulations, an upper bound: cores and
 * memory are shared by streams, which no simulation here knows. Limits: what a task reads is known
 * only where it is linked to a node of a graph; ranks are looked at one by one. */
#include "analyse/waits/waits_parts.h"

#include "analyse/describe.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "analyse/taskgraph/choose.h"
#include "base/mem.h"

enum {
    BUDGET = 60000000,   /* vertices that are simulated in all */
    DOUBT_PER_MILLE = 20 /* so many edges seen the wrong way round: the clocks do not fit */
};

const struct mi_param mi_params_waits[] = {
    {.name = "min-wait",
     .kind = MI_PARAM_INT,
     .metavar = N_("US"),
     .min = 0,
     .max = 1000000000,
     .help = N_("Waits of at least so many microseconds (default: 5).")},
    {.name = "min-gain",
     .kind = MI_PARAM_INT,
     .metavar = N_("US"),
     .min = 0,
     .max = 1000000000,
     .help = N_("A finding needs a gain of so many microseconds (default: 5) ...")},
    {.name = "min-share",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = 1000,
     .help = N_("... and of so many thousandths of the run (default: 10).")},
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("At most N rows; 0 = all (default: 20).")},
    MI_TG_PARAMS,
    MI_FAIL_ON_PARAM,
    MI_PARAM_END};

/* Clocks that contradict each other say nothing about what streams wait for. */
static bool is_doubtful(const struct mi_taskgraph *graph)
{
    uint64_t wrong = (uint64_t)graph->violated_count + graph->dropped_count;
    uint64_t edges = (uint64_t)graph->signal_count + graph->data_count + graph->dropped_count;
    return wrong * 1000 > edges * DOUBT_PER_MILLE;
}

static void add_doubt(struct mi_waits_pass *p)
{
    struct mi_words seen = {.arena = &p->out->arena}, all = {.arena = &p->out->arena};
    const struct mi_taskgraph *graph = &p->graph;
    mi_words_printf(&seen, "%u", graph->violated_count + graph->dropped_count);
    mi_words_printf(&all, "%u", graph->signal_count + graph->data_count + graph->dropped_count);
    mi_report_add_finding(
        p->out,
        &(struct mi_finding){
            .rule = "not_checked",
            .severity = MI_NOTICE,
            .sentence = N_("%1 of %2 dependencies between streams were seen the wrong way round: "
                           "the clocks of the streams do not fit, so nothing is said about what "
                           "they wait for"),
            .args = {mi_words_get(&seen), mi_words_get(&all)},
            .cost_ns = -1});
}

/* A profile alone tells what ran and who launched it, not what was read. */
static void add_unknown_data(struct mi_waits_pass *p)
{
    const struct mi_taskgraph *graph = &p->graph;
    bool is_known = false, has_work = false;
    for (uint32_t v = 0; v < graph->count && !is_known; v++) {
        has_work |= graph->role[v] == MI_TG_WORK;
        is_known = graph->role[v] == MI_TG_WORK && graph->knows_data[v];
    }
    if (has_work && !is_known)
        mi_report_add_finding(
            p->out,
            &(struct mi_finding){
                .rule = "not_checked",
                .severity = MI_NOTICE,
                .sentence = N_("What these tasks read is not known, since a profile records no "
                               "data flow: whether they had to wait for events, or stood in the "
                               "wrong queue, is not judged. A compiled graph would tell."),
                .cost_ns = -1});
}

bool mi_waits_judge(struct mi_waits_pass *p, uint32_t chosen)
{
    struct mi_waits *waits = &p->waits;
    waits->graph = &p->graph;
    waits->budget = BUDGET;
    waits->least_wait_ns = mi_args_int(p->args, "min-wait", 5) * 1000;
    int64_t share_ns = p->graph.makespan_ns / 1000 * mi_args_int(p->args, "min-share", 10);
    p->least_gain_ns = mi_args_int(p->args, "min-gain", 5) * 1000;
    p->least_gain_ns = share_ns > p->least_gain_ns ? share_ns : p->least_gain_ns;
    p->is_doubtful = is_doubtful(&p->graph);
    if (p->is_doubtful)
        add_doubt(p);
    add_unknown_data(p);
    if (!mi_cover_init(&p->cover, &p->graph, &waits->is_judged, p->err))
        return false;
    waits->is_judged = waits->is_judged && !p->is_doubtful;
    mi_waits_find_events(waits, &p->cover);
    mi_waits_find_gaps(waits);
    if (!p->is_doubtful && !mi_waits_find_queues(waits))
        waits->failed = true;
    if (waits->failed)
        return mi_fail(p->err, MI_ENOMEM, "out of memory for the waits");
    if (!mi_waits_gain(p, chosen))
        return false;
    mi_waits_explain(p);
    mi_waits_findings(p);
    mi_waits_rows(p);
    return true;
}

void mi_waits_end(struct mi_waits_pass *p)
{
    mi_mem_free(p->waits.list);
    mi_cover_fini(&p->cover);
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct mi_waits_pass p = {.model = model, .args = args, .out = out, .err = err};
    uint32_t chosen = 0;
    bool ok = mi_account_init(&p.account, model, err) && mi_deps_init(&p.deps, model, err) &&
              mi_tg_units_init(&p.units, model, &p.account, err) &&
              mi_tg_choose(&p.units, &p.account, args, &chosen, err);
    const struct mi_tg_unit *unit = ok ? &p.units.list[chosen] : NULL;
    ok = ok && mi_taskgraph_init(&p.graph, model, &p.account, &p.deps, unit->run, unit->rank,
                                 unit->device, err);
    if (ok) {
        mi_tg_describe(&p.graph, &p.account, out);
        ok = mi_waits_judge(&p, chosen);
    }
    mi_waits_end(&p);
    mi_taskgraph_fini(&p.graph);
    mi_tg_units_fini(&p.units);
    mi_deps_fini(&p.deps);
    mi_account_fini(&p.account);
    return ok;
}

const struct mi_pass mi_pass_waits = {.name = "waits",
                                      .title = N_("What streams waited for, and what it cost"),
                                      .needs = MI_HAS_TASKS,
                                      .params = mi_params_waits,
                                      .run = run};
