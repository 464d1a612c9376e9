/* The summary: how much of what, how long, and how much of it is explained.
 *
 * Times are sums of own times (see accounting.h) over the work tasks of the counted runs. Shares
 * refer to the sum of their table. Without tasks the tables count the nodes of the graph; without a
 * graph they count what the tasks name. */
#include "analyse/pass_params.h"
#include "analyse/summary/summary_parts.h"
#include "base/translate.h"

void mi_summary_fact(const struct mi_summary *summary, const char *name, const char *title,
                     enum mi_cell_kind kind, const char *unit, struct mi_cell cell)
{
    mi_report_add_fact(summary->out,
                       &(struct mi_report_fact){
                           .name = name, .title = title, .kind = kind, .unit = unit, .cell = cell});
}

/* --- layers --- */

static const struct mi_report_column layer_columns[] = {
    {"layer", N_("layer"), MI_CELL_WORD, "", N_("framework or compiled")},
    {"graphs", N_("graphs"), MI_CELL_INT, "", N_("main graphs, bodies and functions")},
    {"nodes", N_("nodes"), MI_CELL_INT, "", N_("operators in all of them")},
    {"inputs", N_("inputs"), MI_CELL_INT, "", N_("inputs of the main graphs that are fed")},
    {"outputs", N_("outputs"), MI_CELL_INT, "", N_("outputs of the main graphs")},
    {"constants", N_("constants"), MI_CELL_INT, "", N_("weights and other constant tensors")},
    {"constant_bytes", N_("weights"), MI_CELL_INT, "B", N_("their size where it is known")},
};

struct layer_counts {
    int64_t graphs, nodes, inputs, outputs, constants, constant_bytes;
};

static void count_layers(const struct mi_tables *rows, struct layer_counts counts[3])
{
    for (uint32_t g = 1; g < rows->graphs.count; g++) {
        struct layer_counts *layer = &counts[rows->graphs.layer[g] % 3];
        layer->graphs++;
        if (rows->graphs.kind[g] == MI_GRAPH_MAIN)
            layer->outputs += rows->graphs.out_count[g];
        for (uint32_t i = 0; i < rows->graphs.in_count[g]; i++) {
            uint32_t value = rows->ports.value[rows->graphs.first_in[g] + i].v;
            layer->inputs +=
                rows->graphs.kind[g] == MI_GRAPH_MAIN && rows->values.kind[value] == MI_VALUE_INPUT;
        }
    }
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        counts[rows->graphs.layer[rows->nodes.graph[n].v] % 3].nodes++;
    for (uint32_t v = 1; v < rows->values.count; v++) {
        struct layer_counts *layer = &counts[rows->graphs.layer[rows->values.graph[v].v] % 3];
        if (rows->values.kind[v] != MI_VALUE_CONSTANT)
            continue;
        layer->constants++;
        if (rows->values.data_bytes[v] > 0)
            layer->constant_bytes = mi_ns_add(layer->constant_bytes, rows->values.data_bytes[v]);
    }
}

static void list_layers(const struct mi_summary *summary)
{
    struct layer_counts counts[3] = {{0}};
    count_layers(&summary->model->all.rows, counts);
    struct mi_report_table *table =
        mi_report_add_table(summary->out, "layers", N_("Layers"), layer_columns,
                            sizeof layer_columns / sizeof *layer_columns);
    for (unsigned l = MI_LAYER_FRAMEWORK; l <= MI_LAYER_COMPILED; l++) {
        struct mi_cell *row = counts[l].graphs ? mi_report_add_row(summary->out, table) : NULL;
        if (!row)
            continue;
        row[0] = mi_cell_word(mi_enum_name(MI_E_layer, l));
        row[1] = mi_cell_int(counts[l].graphs);
        row[2] = mi_cell_int(counts[l].nodes);
        row[3] = mi_cell_int(counts[l].inputs);
        row[4] = mi_cell_int(counts[l].outputs);
        row[5] = mi_cell_int(counts[l].constants);
        row[6] = mi_cell_int(counts[l].constant_bytes);
    }
}

/* --- totals --- */

/* What lies outside of all steps is no run, unless there is nothing else. */
static int64_t count_runs(const struct mi_account *account, int64_t *outside_tasks)
{
    int64_t runs = 0;
    for (uint32_t r = 0; r < account->run_count; r++) {
        const struct mi_account_run *run = &account->runs[r];
        bool is_beside = run->is_outside && account->groups[run->group].run_count > 1;
        runs += !is_beside;
        *outside_tasks += is_beside ? run->tasks : 0;
    }
    return runs;
}

static void add_totals(const struct mi_summary *summary)
{
    const struct mi_tables *rows = &summary->model->all.rows;
    const struct mi_account *account = summary->account;
    int64_t tasks = 0, total_ns = 0, sync_tasks = 0, sync_ns = 0;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        if (mi_account_counts(account, (mi_task_id){t})) {
            tasks++;
            total_ns = mi_ns_add(total_ns, account->own_ns[t]);
        } else if (mi_account_part(account, t) == MI_PART_SYNC &&
                   account->runs[account->run_of[t]].is_counted) {
            sync_tasks++;
            sync_ns = mi_ns_add(sync_ns, account->own_ns[t]);
        }
    }
    int64_t outside_tasks = 0;
    mi_summary_fact(summary, "runs", N_("Runs"), MI_CELL_INT, "",
                    mi_cell_int(count_runs(account, &outside_tasks)));
    mi_summary_fact(summary, "counted_runs", N_("Runs counted, without warm-up"), MI_CELL_INT, "",
                    mi_cell_int(account->counted_runs));
    if (outside_tasks)
        mi_summary_fact(summary, "outside_tasks", N_("Work tasks outside of all steps"),
                        MI_CELL_INT, "", mi_cell_int(outside_tasks));
    mi_summary_fact(summary, "tasks", N_("Work tasks in the counted runs"), MI_CELL_INT, "",
                    mi_cell_int(tasks));
    mi_summary_fact(summary, "total_ns", N_("Sum of their times"), MI_CELL_INT, "ns",
                    mi_cell_int(total_ns));
    if (sync_tasks) {
        mi_summary_fact(summary, "sync_tasks", N_("Synchronisation tasks, not in the sums"),
                        MI_CELL_INT, "", mi_cell_int(sync_tasks));
        mi_summary_fact(summary, "sync_ns", N_("Time spent in them"), MI_CELL_INT, "ns",
                        mi_cell_int(sync_ns));
    }
}

/* Everything, or the one table that was asked for; the facts in any case. */
static bool list_tables(const struct mi_summary *summary, struct mi_error *err)
{
    if (summary->by == MI_BY_ITERATION)
        return !summary->has_tasks || mi_summary_runs(summary, err);
    if (summary->by)
        return mi_summary_groups(summary, err);
    if (summary->model->all.rows.graphs.count > 1)
        list_layers(summary);
    return mi_summary_plan(summary, err) && mi_summary_groups(summary, err) &&
           (!summary->has_tasks || mi_summary_runs(summary, err));
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct mi_account account;
    const struct mi_arg *by = mi_args_find(args, "by");
    if (!mi_account_init(&account, model, err))
        return false;
    struct mi_summary summary = {.model = model,
                                 .account = &account,
                                 .out = out,
                                 .top = (uint32_t)mi_args_int(args, "top", 0),
                                 .by = by ? (enum mi_summary_by)(by->number + 1) : MI_BY_ALL,
                                 .top_layer = mi_model_has_layer(model, MI_LAYER_COMPILED)
                                                  ? MI_LAYER_COMPILED
                                                  : MI_LAYER_FRAMEWORK,
                                 .has_tasks = model->all.rows.tasks.count > 1};
    bool ok = true;
    if (summary.has_tasks) {
        add_totals(&summary);
        ok = mi_summary_makespans(&summary, err);
    }
    mi_summary_explained(&summary);
    ok = ok && list_tables(&summary, err) && (summary.by || mi_summary_links(&summary, err));
    mi_account_fini(&account);
    return ok;
}

/* In the order of enum mi_summary_by. */
static const char *const properties[] = {"type", "category", "stream", "core", "iteration",
                                         "rank", "device",   "op",     NULL};

const struct mi_param mi_params_summary[] = {
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("Rows per table, the greatest first; 0 = all (default: 30; all with --json).")},
    {.name = "by",
     .kind = MI_PARAM_CHOICE,
     .choices = properties,
     .help = N_("Only the table by this property; op also shows how the operators ran.")},
    MI_PARAM_END};

const struct mi_pass mi_pass_summary = {
    .name = "summary",
    .title = N_("How much of what, how long, and how much of it is explained"),
    .params = mi_params_summary,
    .run = run,
};
