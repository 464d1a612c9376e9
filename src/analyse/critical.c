/* The critical chain: what the length of a run is made of.
 *
 * Question: which tasks, waits and gaps, one behind the other, fill the run from its first start to
 * its last end, and how much later could all others have ended? Formula: from the last end back
 * over what each task waited for last (taskgraph/taskgraph.h); the pieces add up to the makespan.
 * Limits: those of the graph; ranks are looked at one by one. */
#include "analyse/describe.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "analyse/taskgraph/choose.h"
#include "base/mem.h"

#include <stdlib.h>

enum { SHOWN = 50, PIECES = 4 };

const struct mi_param mi_params_critical[] = {
    {.name = "slack",
     .kind = MI_PARAM_FLAG,
     .help = N_("List all tasks too, with the time that they could have ended later.")},
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("At most N rows of each table; 0 = all (default: 50; all with --json).")},
    MI_TG_PARAMS,
    MI_PARAM_END};

static const char *const piece_words[PIECES] = {[MI_TG_PIECE_WORK] = N_("work"),
                                                [MI_TG_PIECE_WAIT] = N_("wait"),
                                                [MI_TG_PIECE_GAP] = N_("gap"),
                                                [MI_TG_PIECE_LAUNCH] = N_("host launch")};

struct critical {
    const struct mi_model *model;
    struct mi_report *out;
    struct mi_account account;
    struct mi_deps deps;
    struct mi_tg_units units;
    struct mi_taskgraph graph;
    struct mi_tg_chain chain;
    int64_t top;
};

/* --- the chain --- */

static const struct mi_report_column chain_columns[] = {
    {"piece", N_("piece"), MI_CELL_WORD, "", N_("work, wait, gap or host launch")},
    {"start_ns", N_("start"), MI_CELL_INT, "ns", N_("from the start of the run")},
    {"dur_ns", N_("time"), MI_CELL_INT, "ns", N_("length of the piece")},
    {"share", N_("of the run"), MI_CELL_SHARE, "", N_("share of the makespan")},
    {"name", N_("task"), MI_CELL_TEXT, "", N_("the task; of gaps and launches the one behind")},
    {"stream", N_("stream"), MI_CELL_TEXT, "", N_("stream of that task")},
    {"node", N_("node"), MI_CELL_NODE, "", N_("node of that task")},
    {"task", N_("row"), MI_CELL_TASK, "", N_("row of that task")},
};

static void add_piece(struct critical *c, struct mi_report_table *table,
                      const struct mi_tg_piece *piece)
{
    const struct mi_taskgraph *graph = &c->graph;
    struct mi_cell *row = mi_report_add_row(c->out, table);
    if (!row)
        return;
    int64_t dur_ns = piece->end_ns - piece->start_ns;
    row[0] = mi_cell_word(piece_words[piece->kind]);
    row[1] = mi_cell_int(piece->start_ns);
    row[2] = mi_cell_int(dur_ns);
    row[3] = mi_cell_share(dur_ns, graph->makespan_ns);
    row[4] = mi_cell_text(mi_tg_name(graph, piece->vertex, &c->out->arena));
    row[5] = mi_cell_text(mi_tg_lane_name(graph, graph->lane[piece->vertex], &c->out->arena));
    if (graph->node[piece->vertex])
        row[6] = mi_cell_int(graph->node[piece->vertex]);
    row[7] = mi_cell_int(graph->task[piece->vertex]);
}

static void add_sum(struct critical *c, const char *name, const char *title, int64_t sum_ns)
{
    mi_report_add_fact(c->out, &(struct mi_report_fact){.name = name,
                                                        .title = title,
                                                        .kind = MI_CELL_INT,
                                                        .unit = "ns",
                                                        .cell = mi_cell_int(sum_ns)});
}

static void list_chain(struct critical *c)
{
    int64_t sums[PIECES] = {0};
    struct mi_report_table *table =
        mi_report_add_table(c->out, "chain", N_("Critical chain"), chain_columns,
                            sizeof chain_columns / sizeof *chain_columns);
    mi_report_mark_details(table, "share node task");
    for (uint32_t i = 0; i < c->chain.count; i++) {
        const struct mi_tg_piece *piece = &c->chain.pieces[i];
        sums[piece->kind] += piece->end_ns - piece->start_ns;
        if (!c->top || i < c->top)
            add_piece(c, table, piece);
    }
    mi_report_add_fact(c->out, &(struct mi_report_fact){.name = "pieces",
                                                        .title = N_("Pieces of the chain"),
                                                        .kind = MI_CELL_INT,
                                                        .unit = "",
                                                        .cell = mi_cell_int(c->chain.count)});
    add_sum(c, "work_ns", N_("Work on the chain"), sums[MI_TG_PIECE_WORK]);
    add_sum(c, "wait_ns", N_("Synchronisation on the chain"), sums[MI_TG_PIECE_WAIT]);
    add_sum(c, "gap_ns", N_("Gaps on the chain"), sums[MI_TG_PIECE_GAP]);
    add_sum(c, "launch_ns", N_("Late launches on the chain"), sums[MI_TG_PIECE_LAUNCH]);
}

/* --- slack --- */

static const struct mi_report_column slack_columns[] = {
    {"slack_ns", N_("slack"), MI_CELL_INT, "ns",
     N_("the task could have ended so much later without the run ending later")},
    {"dur_ns", N_("time"), MI_CELL_INT, "ns", N_("duration of the task")},
    {"start_ns", N_("start"), MI_CELL_INT, "ns", N_("from the start of the run")},
    {"name", N_("task"), MI_CELL_TEXT, "", N_("name of the task")},
    {"stream", N_("stream"), MI_CELL_TEXT, "", N_("stream of that task")},
    {"node", N_("node"), MI_CELL_NODE, "", N_("node of that task")},
    {"task", N_("row"), MI_CELL_TASK, "", N_("row of that task")},
};

struct slack {
    int64_t slack_ns, dur_ns;
    uint32_t vertex;
};

/* The least slack first, then the longest. */
static int compare_slacks(const void *left, const void *right)
{
    const struct slack *a = left, *b = right;
    if (a->slack_ns != b->slack_ns)
        return a->slack_ns < b->slack_ns ? -1 : 1;
    if (a->dur_ns != b->dur_ns)
        return a->dur_ns > b->dur_ns ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static void add_slack(struct critical *c, struct mi_report_table *table, const struct slack *slack)
{
    const struct mi_taskgraph *graph = &c->graph;
    struct mi_cell *row = mi_report_add_row(c->out, table);
    if (!row)
        return;
    row[0] = mi_cell_int(slack->slack_ns);
    row[1] = mi_cell_int(slack->dur_ns);
    row[2] = mi_cell_int(graph->start_ns[slack->vertex]);
    row[3] = mi_cell_text(mi_tg_name(graph, slack->vertex, &c->out->arena));
    row[4] = mi_cell_text(mi_tg_lane_name(graph, graph->lane[slack->vertex], &c->out->arena));
    if (graph->node[slack->vertex])
        row[5] = mi_cell_int(graph->node[slack->vertex]);
    row[6] = mi_cell_int(graph->task[slack->vertex]);
}

static bool list_slack(struct critical *c, struct mi_error *err)
{
    const struct mi_taskgraph *graph = &c->graph;
    int64_t *slack_ns = mi_tg_slack(graph);
    struct slack *list = mi_mem_new((size_t)graph->count + 1, sizeof *list);
    bool ok = slack_ns && list;
    uint32_t count = 0;
    for (uint32_t v = 0; ok && v < graph->count; v++)
        if (graph->role[v] == MI_TG_WORK)
            list[count++] = (struct slack){slack_ns[v], graph->end_ns[v] - graph->start_ns[v], v};
    if (ok && count)
        qsort(list, count, sizeof *list, compare_slacks);
    struct mi_report_table *table =
        ok ? mi_report_add_table(c->out, "slack", N_("Tasks, those with least slack first"),
                                 slack_columns, sizeof slack_columns / sizeof *slack_columns)
           : NULL;
    mi_report_mark_details(table, "node task");
    for (uint32_t i = 0; table && i < count && (!c->top || i < c->top); i++)
        add_slack(c, table, &list[i]);
    mi_mem_free(slack_ns);
    mi_mem_free(list);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for the slack of tasks");
}

/* --- the pass --- */

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct critical c = {.model = model, .out = out, .top = mi_args_int(args, "top", SHOWN)};
    uint32_t chosen = 0;
    bool ok = mi_account_init(&c.account, model, err) && mi_deps_init(&c.deps, model, err) &&
              mi_tg_units_init(&c.units, model, &c.account, err) &&
              mi_tg_choose(&c.units, &c.account, args, &chosen, err);
    const struct mi_tg_unit *unit = ok ? &c.units.list[chosen] : NULL;
    ok = ok &&
         mi_taskgraph_init(&c.graph, model, &c.account, &c.deps, unit->run, unit->rank,
                           unit->device, err) &&
         mi_tg_chain_init(&c.chain, &c.graph, err);
    if (ok) {
        mi_tg_describe(&c.graph, &c.account, out);
        list_chain(&c);
        ok = !mi_args_flag(args, "slack") || list_slack(&c, err);
    }
    mi_tg_chain_fini(&c.chain);
    mi_taskgraph_fini(&c.graph);
    mi_tg_units_fini(&c.units);
    mi_deps_fini(&c.deps);
    mi_account_fini(&c.account);
    return ok;
}

const struct mi_pass mi_pass_critical = {.name = "critical",
                                         .title = N_("The critical chain of a run"),
                                         .needs = MI_HAS_TASKS,
                                         .params = mi_params_critical,
                                         .run = run};
