#include "analyse/pass_params.h"
#include "base/translate.h"
#include "cli/cli.h"

#include <string.h>

/* --- counters of the tasks, read from their records in the input --- */

static const struct mi_report_column metric_columns[] = {
    {"task", N_("task"), MI_CELL_TASK, "", N_("row of the task")},
    {"metric", N_("counter"), MI_CELL_TEXT, "", N_("name in the record")},
    {"value", N_("value"), MI_CELL_TEXT, "", N_("as written in the record")},
};

static const struct mi_report_column call_metric_columns[] = {
    {"slice", N_("row"), MI_CELL_INT, "", N_("row of the call")},
    {"metric", N_("says"), MI_CELL_TEXT, "", N_("name in the record")},
    {"value", N_("value"), MI_CELL_TEXT, "", N_("as written in the record")},
};

struct metrics {
    struct mi_report *report;
    struct mi_report_table *table;
    int64_t row;          /* of the task or call */
    struct mi_bytes kind; /* of the note that tells of it; empty = its own record */
};

static void add_metric(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    (void)is_number;
    struct metrics *metrics = user;
    struct mi_cell *row = mi_report_add_row(metrics->report, metrics->table);
    if (!row)
        return;
    row[0] = mi_cell_int(metrics->row);
    row[1] = mi_cell_text(
        metrics->kind.len
            ? mi_arena_printf(&metrics->report->arena, "%.*s: %.*s", (int)metrics->kind.len,
                              (const char *)metrics->kind.at, (int)name.len, (const char *)name.at)
            : mi_arena_copy(&metrics->report->arena, name));
    row[2] = mi_cell_text(mi_arena_copy(&metrics->report->arena, text));
}

/* The first task of the report: one record is enough, others of the kind look alike. */
static int64_t first_task(const struct mi_report *report)
{
    for (uint32_t t = 0; t < report->table_count; t++)
        if (strcmp(report->tables[t].name, "tasks") == 0 && report->tables[t].row_count)
            return report->tables[t].cells[0].number;
    return 0;
}

static bool start_table(const struct mi_session *session, struct metrics *metrics,
                        mi_source_id source, int64_t offset, uint32_t size_bytes, bool is_call)
{
    if (!mi_session_metrics(session, source, offset, size_bytes, NULL, NULL))
        return false;
    if (!metrics->table && is_call)
        metrics->table = mi_report_add_table(
            metrics->report, "op_record", N_("What the profile says of the op"),
            call_metric_columns, sizeof call_metric_columns / sizeof *call_metric_columns);
    else if (!metrics->table)
        metrics->table =
            mi_report_add_table(metrics->report, "metrics", N_("Counters of the first task"),
                                metric_columns, sizeof metric_columns / sizeof *metric_columns);
    return true;
}

static void add_record(const struct mi_session *session, struct metrics *metrics,
                       mi_source_id source, int64_t offset, uint32_t size_bytes, bool is_call)
{
    if (start_table(session, metrics, source, offset, size_bytes, is_call))
        mi_session_metrics(session, source, offset, size_bytes, add_metric, metrics);
}

/* What files of their own tell of the same task or call. */
static void add_notes(const struct mi_session *session, struct metrics *metrics, bool is_call)
{
    const struct mi_model *model = mi_session_model(session);
    const struct mi_notes *notes = &model->all.rows.notes;
    for (uint32_t n = 1; n < notes->count; n++) {
        if ((is_call ? notes->slice[n].v : notes->task[n].v) != metrics->row)
            continue;
        metrics->kind = mi_model_text(model, notes->kind[n]);
        add_record(session, metrics, notes->source[n], notes->record_offset[n],
                   notes->record_bytes[n], is_call);
    }
}

static void add_task_metrics(const struct mi_session *session, struct mi_report *report)
{
    const struct mi_tables *rows = &mi_session_model(session)->all.rows;
    struct metrics metrics = {.report = report, .row = first_task(report)};
    if (!metrics.row)
        return;
    add_record(session, &metrics, rows->kernels.source[rows->tasks.kernel[metrics.row].v],
               rows->tasks.record_offset[metrics.row], rows->tasks.record_bytes[metrics.row],
               false);
    add_notes(session, &metrics, false);
}

/* The op among the calls of the report, whose record has the call stack; 0 = none. */
static int64_t first_op(const struct mi_report *report)
{
    enum { LEVEL = 1, SLICE = 7 };
    for (uint32_t t = 0; t < report->table_count; t++) {
        const struct mi_report_table *table = &report->tables[t];
        for (uint32_t r = 0; strcmp(table->name, "calls") == 0 && r < table->row_count; r++) {
            const struct mi_cell *row = &table->cells[(size_t)r * table->column_count];
            if (mi_bytes_equal(row[LEVEL].text, MI_LIT("op")))
                return row[SLICE].number;
        }
    }
    return 0;
}

static void add_op_metrics(const struct mi_session *session, struct mi_report *report)
{
    const struct mi_tables *rows = &mi_session_model(session)->all.rows;
    struct metrics metrics = {.report = report, .row = first_op(report)};
    if (!metrics.row)
        return;
    add_record(session, &metrics, rows->tracks.source[rows->slices.track[metrics.row].v],
               rows->slices.record_offset[metrics.row], rows->slices.record_bytes[metrics.row],
               true);
    add_notes(session, &metrics, true);
}

/* The first kernel that is planned for a node of the report; 0 = none. */
static uint32_t first_planned(const struct mi_session *session, const struct mi_report *report)
{
    const struct mi_planned *planned = &mi_session_model(session)->all.rows.planned;
    for (uint32_t i = 0; i < report->table_count; i++) {
        const struct mi_report_table *table = &report->tables[i];
        if (strcmp(table->name, "planned") != 0 || !table->row_count)
            continue;
        uint32_t node = (uint32_t)table->cells[0].number;
        for (uint32_t t = 1; t < planned->count; t++)
            if (planned->node[t].v == node && planned->kind[t] == MI_TASK_COMPUTE)
                return t;
    }
    return 0;
}

static bool add_metrics(const struct mi_session *session, const struct mi_args *args,
                        struct mi_report *report, struct mi_error *err)
{
    (void)args;
    uint32_t planned = first_planned(session, report);
    add_task_metrics(session, report);
    add_op_metrics(session, report);
    if (planned && !mi_cli_planned_record(session, planned, report, err))
        return false;
    return !report->failed || mi_fail(err, MI_ENOMEM, "out of memory");
}

static int run(struct mi_cli *cli, const struct mi_args *args)
{
    return mi_cli_pass(cli, &mi_command_show, args,
                       &(struct mi_cli_pass_options){
                           .pass = "show", .subject = &mi_params_show[0], .extend = add_metrics});
}

const struct mi_command mi_command_show = {
    .name = "show",
    .operands = "NODE|TASK INPUT...",
    .summary = N_("Everything about one node or task in all three layers."),
    .details = N_("NODE|TASK is the name of a node, a task or a tensor, or node:NUMBER and "
                  "task:NUMBER as other commands print them; framework:NAME and compiled:NAME "
                  "tell the layers apart. Shows attributes, inputs and outputs with shapes, fate "
                  "and origin, links with their evidence, kernels, tasks with their counters, the "
                  "host calls that led to them, and the neighbours on the stream."),
    .examples = "inspector-cli show /layer1/conv1/Conv capture/\n"
                "inspector-cli show task:17 capture/\n"
                "inspector-cli show --json node:3 model.onnx",
    .params = &mi_params_show[1],
    .run = run,
};
