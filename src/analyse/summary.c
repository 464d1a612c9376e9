/* The summary: how much of what, how long, and how much of it is explained.
 *
 * Times are sums of own times (see accounting.h) over the work tasks of the counted runs. Shares
 * refer to the sum of their table. Without tasks the tables count the nodes of the graph; without a
 * graph they count what the tasks name. */
#include "analyse/pass_params.h"
#include "analyse/summary/summary_parts.h"
#include "base/mem.h"
#include "base/translate.h"

#include <stdlib.h>

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

/* --- runs --- */

static const struct mi_report_column run_columns[] = {
    {"run", N_("run"), MI_CELL_INT, "", N_("number of the run, from 0")},
    {"is_counted", N_("counted"), MI_CELL_BOOL, "", N_("no: warm-up, or cut short")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("work tasks")},
    {"total_ns", N_("total"), MI_CELL_INT, "ns", N_("sum of their times")},
    {"makespan_ns", N_("makespan"), MI_CELL_INT, "ns", N_("first start to last end of its tasks")},
    {"input", N_("input"), MI_CELL_TEXT, "", N_("file that its tasks stand in")},
};
enum { RUN_COLUMNS = sizeof run_columns / sizeof *run_columns };

static int compare_times(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* Median (of two middle ones their mean), least and greatest makespan of the counted runs. */
static bool add_makespans(const struct mi_summary *summary, struct mi_error *err)
{
    const struct mi_account *account = summary->account;
    int64_t *spans = mi_mem_new(account->run_count, sizeof *spans);
    uint32_t count = 0;
    if (!spans)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    for (uint32_t r = 0; r < account->run_count; r++)
        if (account->runs[r].is_counted && account->runs[r].tasks)
            spans[count++] = mi_ns_sub(account->runs[r].end_ns, account->runs[r].first_ns);
    if (count) {
        qsort(spans, count, sizeof *spans, compare_times);
        int64_t low = spans[(count - 1) / 2], high = spans[count / 2];
        mi_summary_fact(summary, "makespan_ns",
                        count > 1 ? N_("Makespan of a run, median") : N_("Makespan of the run"),
                        MI_CELL_INT, "ns", mi_cell_int(low + (high - low) / 2));
    }
    if (count > 1) {
        mi_summary_fact(summary, "makespan_least_ns", N_("Makespan of a run, least"), MI_CELL_INT,
                        "ns", mi_cell_int(spans[0]));
        mi_summary_fact(summary, "makespan_greatest_ns", N_("Makespan of a run, greatest"),
                        MI_CELL_INT, "ns", mi_cell_int(spans[count - 1]));
    }
    mi_mem_free(spans);
    return true;
}

static void list_runs(const struct mi_summary *summary)
{
    const struct mi_account *account = summary->account;
    const struct mi_sources *sources = &summary->model->all.rows.sources;
    bool names_input = account->group_count > 1;
    struct mi_report_table *table = mi_report_add_table(
        summary->out, "runs", N_("Runs"), run_columns, names_input ? RUN_COLUMNS : RUN_COLUMNS - 1);
    uint32_t shown = account->run_count;
    if (summary->top && shown > summary->top)
        shown = summary->top;
    for (uint32_t r = 0; r < shown; r++) {
        const struct mi_account_run *run = &account->runs[r];
        struct mi_cell *row = mi_report_add_row(summary->out, table);
        if (!row)
            return;
        row[0] = mi_cell_int(run->run);
        row[1] = mi_cell_int(run->is_counted);
        row[2] = mi_cell_int(run->tasks);
        row[3] = mi_cell_int(run->total_ns);
        if (run->tasks)
            row[4] = mi_cell_int(mi_ns_sub(run->end_ns, run->first_ns));
        if (names_input && run->source.v)
            row[5] = mi_cell_text(mi_model_text(summary->model, sources->path[run->source.v]));
    }
}

/* --- totals --- */

static void add_totals(const struct mi_summary *summary)
{
    const struct mi_tables *rows = &summary->model->all.rows;
    const struct mi_account *account = summary->account;
    int64_t tasks = 0, total_ns = 0, sync_tasks = 0, sync_ns = 0;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        if (mi_account_counts(account, summary->model, (mi_task_id){t})) {
            tasks++;
            total_ns = mi_ns_add(total_ns, account->own_ns[t]);
        } else if (!mi_task_is_work(summary->model, (mi_task_id){t}) &&
                   account->runs[account->run_of[t]].is_counted) {
            sync_tasks++;
            sync_ns = mi_ns_add(sync_ns, account->own_ns[t]);
        }
    }
    mi_summary_fact(summary, "runs", N_("Runs"), MI_CELL_INT, "", mi_cell_int(account->run_count));
    mi_summary_fact(summary, "counted_runs", N_("Runs counted, without warm-up"), MI_CELL_INT, "",
                    mi_cell_int(account->counted_runs));
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

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct mi_account account;
    if (!mi_account_init(&account, model, err))
        return false;
    struct mi_summary summary = {.model = model,
                                 .account = &account,
                                 .out = out,
                                 .top = (uint32_t)mi_args_int(args, "top", 0),
                                 .top_layer = mi_model_has_layer(model, MI_LAYER_COMPILED)
                                                  ? MI_LAYER_COMPILED
                                                  : MI_LAYER_FRAMEWORK,
                                 .has_tasks = model->all.rows.tasks.count > 1};
    bool ok = true;
    if (summary.has_tasks) {
        add_totals(&summary);
        ok = add_makespans(&summary, err);
    }
    if (model->all.rows.graphs.count > 1)
        list_layers(&summary);
    ok = ok && mi_summary_plan(&summary, err) && mi_summary_groups(&summary, err);
    if (summary.has_tasks)
        list_runs(&summary);
    ok = ok && mi_summary_links(&summary, err);
    mi_account_fini(&account);
    return ok;
}

const struct mi_param mi_params_summary[] = {
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("Rows per table, the greatest first; 0 = all (default: 30; all with --json).")},
    MI_PARAM_END};

const struct mi_pass mi_pass_summary = {
    .name = "summary",
    .title = N_("How much of what, how long, and how much of it is explained"),
    .params = mi_params_summary,
    .run = run,
};
