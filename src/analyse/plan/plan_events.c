#include "analyse/plan/plan_parts.h"
#include "base/translate.h"

static const struct mi_report_column columns[] = {
    {"model", N_("model"), MI_CELL_TEXT, "", N_("graph of the model that owns the list")},
    {"event", N_("event"), MI_CELL_INT, "", N_("event or notify number")},
    {"record", N_("record"), MI_CELL_INT, "", N_("place of the record in the list")},
    {"from_stream", N_("from stream"), MI_CELL_INT, "", N_("stream of the record")},
    {"after", N_("after"), MI_CELL_TEXT, "", N_("node that records")},
    {"wait", N_("wait"), MI_CELL_INT, "", N_("place of the wait in the list")},
    {"to_stream", N_("to stream"), MI_CELL_INT, "", N_("stream of the wait")},
    {"before", N_("before"), MI_CELL_TEXT, "", N_("node that waits")},
};

enum role { NO_EVENT, RECORD, WAIT };

static enum role role_of(const struct mi_model *model, uint32_t task)
{
    const struct mi_planned *planned = &model->all.rows.planned;
    struct mi_bytes type = mi_model_text(model, planned->type[task]);
    if (planned->kind[task] != MI_TASK_SYNC || planned->event[task] < 0)
        return NO_EVENT;
    if (mi_bytes_ends(type, MI_LIT("RECORD")))
        return RECORD;
    return mi_bytes_ends(type, MI_LIT("WAIT")) ? WAIT : NO_EVENT;
}

/* `record` or `wait` 0: there is none. */
static void add_row(const struct mi_plan *plan, uint32_t record, uint32_t wait,
                    struct mi_report_table *table)
{
    const struct mi_model *model = plan->model;
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_planned *planned = &rows->planned;
    uint32_t any = record ? record : wait;
    struct mi_cell *row = mi_report_add_row(plan->out, table);
    if (!row)
        return;
    row[0] = mi_plan_text(mi_model_text(model, rows->graphs.name[planned->graph[any].v]));
    row[1] = mi_cell_int(planned->event[any]);
    if (record) {
        row[2] = mi_cell_int(planned->position[record]);
        row[3] = mi_plan_number(planned->stream[record]);
        row[4] = mi_plan_text(mi_plan_node_name(plan, record));
    }
    if (wait) {
        row[5] = mi_cell_int(planned->position[wait]);
        row[6] = mi_plan_number(planned->stream[wait]);
        row[7] = mi_plan_text(mi_plan_node_name(plan, wait));
    }
}

/* One row for each wait, and one for each record that nothing waits for. */
void mi_plan_events(const struct mi_plan *plan)
{
    const struct mi_planned *planned = &plan->model->all.rows.planned;
    struct mi_report_table *table = mi_report_add_table(plan->out, "events", N_("Events"), columns,
                                                        sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "model");
    for (uint32_t t = 1; t < planned->count; t++) {
        enum role role = role_of(plan->model, t);
        uint32_t peer = planned->peer[t].v, record = role == WAIT ? peer : t;
        if (role == NO_EVENT || (role == RECORD && peer) ||
            !(mi_plan_passes(plan, t) || (record && mi_plan_passes(plan, record))))
            continue;
        add_row(plan, record, role == WAIT ? t : 0, table);
    }
}
