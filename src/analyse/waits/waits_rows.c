/* Waits as rows and findings of a report. */
#include "analyse/waits/waits_parts.h"

#include "analyse/describe.h"
#include "analyse/taskgraph/choose.h"

enum { SHOWN = 20 };

const char *const mi_wait_words[MI_WAIT_VERDICTS] = {
    [MI_WAIT_DATA] = N_("data"),
    [MI_WAIT_EARLY] = N_("too early"),
    [MI_WAIT_ORDER] = N_("order only"),
    [MI_WAIT_REDUNDANT] = N_("covered before"),
    [MI_WAIT_NEEDLESS] = N_("needless"),
    [MI_WAIT_QUEUE] = N_("queue"),
    [MI_WAIT_LAUNCH] = N_("host launch"),
    [MI_WAIT_START] = N_("start of model"),
    [MI_WAIT_GAP] = N_("gap"),
    [MI_WAIT_UNKNOWN] = N_("event"),
};

/* --- explanations --- */

static bool costs(const struct mi_waits_pass *p, const struct mi_wait *wait)
{
    return wait->gain_ns >= p->least_gain_ns;
}

void mi_waits_explain(struct mi_waits_pass *p)
{
    for (uint32_t i = 0; i < p->waits.count; i++) {
        struct mi_wait *wait = &p->waits.list[i];
        if (wait->verdict == MI_WAIT_QUEUE) {
            wait->cause = mi_waits_blocker(&p->graph, wait->vertex,
                                           p->graph.start_ns[wait->vertex] - wait->wait_ns);
        } else if ((wait->verdict == MI_WAIT_NEEDLESS || wait->verdict == MI_WAIT_REDUNDANT) &&
                   costs(p, wait)) {
            wait->later = mi_cover_first_missing(&p->cover, wait->wait);
            if (wait->later != MI_TG_NONE)
                wait->verdict = MI_WAIT_EARLY;
        }
    }
}

/* --- rows --- */

static const struct mi_report_column columns[] = {
    {"verdict", N_("verdict"), MI_CELL_WORD, "", N_("why it waited; see docs/passes/waits.md")},
    {"wait_ns", N_("waited"), MI_CELL_INT, "ns", N_("so long it was held back in this run")},
    {"gain_ns", N_("gain up to"), MI_CELL_INT, "ns",
     N_("the run would be so much shorter without, by simulation, mean over runs")},
    {"gain_share", N_("of the run"), MI_CELL_SHARE, "", N_("that gain as a share of the run")},
    {"name", N_("held back"), MI_CELL_TEXT, "", N_("task that was held back")},
    {"stream", N_("stream"), MI_CELL_TEXT, "", N_("stream that it ran on")},
    {"cause", N_("waited for"), MI_CELL_TEXT, "", N_("task that it waited for")},
    {"cause_stream", N_("stream"), MI_CELL_TEXT, "", N_("stream of that task")},
    {"better_stream", N_("could run on"), MI_CELL_TEXT, "",
     N_("stream of its neighbours that was idle")},
    {"needed_by", N_("needed by"), MI_CELL_TEXT, "", N_("later task that does need the wait")},
    {"start_ns", N_("start"), MI_CELL_INT, "ns", N_("start of the task from that of the run")},
    {"node", N_("node"), MI_CELL_NODE, "", N_("node of the task")},
    {"task", N_("task"), MI_CELL_TASK, "", N_("row of the task")},
    {"wait_task", N_("wait"), MI_CELL_TASK, "", N_("row of the task that waits for the event")},
    {"cause_task", N_("cause"), MI_CELL_TASK, "", N_("row of the task that it waited for")},
    {"confidence", N_("link"), MI_CELL_WORD, "", N_("how sure the pair of events is")},
};

static struct mi_cell name_cell(struct mi_waits_pass *p, uint32_t vertex)
{
    return vertex == MI_TG_NONE ? mi_cell_none()
                                : mi_cell_text(mi_tg_name(&p->graph, vertex, &p->out->arena));
}

static struct mi_cell lane_cell(struct mi_waits_pass *p, uint32_t lane)
{
    return lane == MI_TG_NONE ? mi_cell_none()
                              : mi_cell_text(mi_tg_lane_name(&p->graph, lane, &p->out->arena));
}

static struct mi_cell task_cell(const struct mi_waits_pass *p, uint32_t vertex)
{
    return vertex == MI_TG_NONE ? mi_cell_none() : mi_cell_int(p->graph.task[vertex]);
}

static void add_row(struct mi_waits_pass *p, struct mi_report_table *table,
                    const struct mi_wait *wait)
{
    const struct mi_taskgraph *graph = &p->graph;
    struct mi_cell *row = mi_report_add_row(p->out, table);
    if (!row)
        return;
    row[0] = mi_cell_word(mi_wait_words[wait->verdict]);
    row[1] = mi_cell_int(wait->wait_ns);
    if (wait->gain_ns >= 0) {
        row[2] = mi_cell_int(wait->gain_ns);
        row[3] = mi_cell_share(wait->gain_ns, graph->makespan_ns);
    }
    row[4] = name_cell(p, wait->vertex);
    row[5] = lane_cell(p, graph->lane[wait->vertex]);
    row[6] = name_cell(p, wait->cause);
    if (wait->cause != MI_TG_NONE)
        row[7] = lane_cell(p, graph->lane[wait->cause]);
    row[8] = lane_cell(p, wait->lane);
    row[9] = name_cell(p, wait->later);
    row[10] = mi_cell_int(graph->start_ns[wait->vertex]);
    if (graph->node[wait->vertex])
        row[11] = mi_cell_int(graph->node[wait->vertex]);
    row[12] = task_cell(p, wait->vertex);
    row[13] = task_cell(p, wait->wait);
    row[14] = task_cell(p, wait->cause);
    if (wait->wait != MI_TG_NONE && wait->confidence)
        row[15] = mi_cell_word(mi_enum_name(MI_E_confidence, wait->confidence));
}

static void add_sum(struct mi_waits_pass *p)
{
    int64_t sums[MI_WAIT_VERDICTS] = {0};
    for (uint32_t i = 0; i < p->waits.count; i++)
        sums[p->waits.list[i].verdict] =
            mi_ns_add(sums[p->waits.list[i].verdict], p->waits.list[i].wait_ns);
    mi_report_add_fact(p->out, &(struct mi_report_fact){.name = "waits",
                                                        .title = N_("Waits found"),
                                                        .kind = MI_CELL_INT,
                                                        .unit = "",
                                                        .cell = mi_cell_int(p->waits.count)});
    mi_report_add_fact(p->out,
                       &(struct mi_report_fact){.name = "data_wait_ns",
                                                .title = N_("Waits for data, sum over streams"),
                                                .kind = MI_CELL_INT,
                                                .unit = "ns",
                                                .cell = mi_cell_int(sums[MI_WAIT_DATA])});
}

void mi_waits_rows(struct mi_waits_pass *p)
{
    int64_t top = mi_args_int(p->args, "top", SHOWN);
    struct mi_report_table *table =
        mi_report_add_table(p->out, "waits", N_("Waits, those that cost most first"), columns,
                            sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "gain_share cause_stream needed_by start_ns node task wait_task "
                                  "cause_task confidence");
    for (uint32_t i = 0; i < p->waits.count && (!top || i < top); i++)
        add_row(p, table, &p->waits.list[i]);
    add_sum(p);
}

/* --- findings --- */

static struct mi_bytes name_of(struct mi_waits_pass *p, uint32_t vertex)
{
    return vertex == MI_TG_NONE ? MI_LIT("?") : mi_tg_name(&p->graph, vertex, &p->out->arena);
}

static void add_queue(struct mi_waits_pass *p, const struct mi_wait *wait)
{
    const struct mi_taskgraph *graph = &p->graph;
    mi_report_add_finding(
        p->out,
        &(struct mi_finding){
            .rule = "pseudo_dependency",
            .severity = MI_WARNING,
            .node = {graph->node[wait->vertex]},
            .task = {graph->task[wait->vertex]},
            .sentence = N_("%1 is ready but queues on %2 behind %3, on which it does not depend; "
                           "%4, where its data comes from or goes to, was idle"),
            .args = {name_of(p, wait->vertex),
                     mi_tg_lane_name(graph, graph->lane[wait->vertex], &p->out->arena),
                     name_of(p, wait->cause), mi_tg_lane_name(graph, wait->lane, &p->out->arena)},
            .cost_ns = wait->gain_ns});
}

static void add_event(struct mi_waits_pass *p, const struct mi_wait *wait)
{
    const struct mi_taskgraph *graph = &p->graph;
    bool is_early = wait->verdict == MI_WAIT_EARLY;
    mi_report_add_finding(
        p->out,
        &(struct mi_finding){
            .rule = "redundant_sync",
            .severity = MI_WARNING,
            .node = {graph->node[wait->wait]},
            .task = {graph->task[wait->wait]},
            .sentence = is_early ? N_("%1 is held back by an event until %2 has ended and needs "
                                      "nothing of it; the first task that does is %3")
                                 : N_("%1 is held back by an event until %2 has ended and needs "
                                      "nothing of it; no later task needs that event either"),
            .args = {name_of(p, wait->vertex), name_of(p, wait->cause), name_of(p, wait->later)},
            .cost_ns = wait->gain_ns});
}

void mi_waits_findings(struct mi_waits_pass *p)
{
    for (uint32_t i = 0; i < p->waits.count; i++) {
        const struct mi_wait *wait = &p->waits.list[i];
        if (!costs(p, wait))
            continue;
        if (wait->verdict == MI_WAIT_QUEUE)
            add_queue(p, wait);
        else if (wait->verdict == MI_WAIT_EARLY || wait->verdict == MI_WAIT_REDUNDANT ||
                 wait->verdict == MI_WAIT_NEEDLESS)
            add_event(p, wait);
    }
}
