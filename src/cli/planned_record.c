/* What the file says of one planned task: arguments, addresses and whatever else has no column. */
#include "base/translate.h"
#include "cli/cli.h"

static const struct mi_report_column columns[] = {
    {"position", N_("no."), MI_CELL_INT, "", N_("place in the list of its model, from 0")},
    {"name", N_("field"), MI_CELL_TEXT, "",
     N_("name in the record; fields that are 0 are left out")},
    {"value", N_("value"), MI_CELL_TEXT, "",
     N_("as the record states it; of addresses the memory")},
};

struct values {
    struct mi_report *report;
    struct mi_report_table *table;
    int64_t position;
};

static void add_value(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    (void)is_number;
    struct values *values = user;
    struct mi_cell *row = mi_report_add_row(values->report, values->table);
    if (!row)
        return;
    row[0] = mi_cell_int(values->position);
    row[1] = mi_cell_text(mi_arena_copy(&values->report->arena, name));
    row[2] = mi_cell_text(mi_arena_copy(&values->report->arena, text));
}

bool mi_cli_planned_record(const struct mi_session *session, uint32_t planned,
                           struct mi_report *report, struct mi_error *err)
{
    const struct mi_tables *rows = &mi_session_model(session)->all.rows;
    mi_source_id source = rows->graphs.source[rows->planned.graph[planned].v];
    int64_t offset = rows->planned.record_offset[planned];
    uint32_t size_bytes = rows->planned.record_bytes[planned];
    if (!mi_session_metrics(session, source, offset, size_bytes, NULL, NULL))
        return true;
    struct values values = {.report = report, .position = rows->planned.position[planned]};
    values.table = mi_report_add_table(report, "planned_record", N_("Record of the planned task"),
                                       columns, sizeof columns / sizeof *columns);
    mi_session_metrics(session, source, offset, size_bytes, add_value, &values);
    return !report->failed || mi_fail(err, MI_ENOMEM, "out of memory");
}
