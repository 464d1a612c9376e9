/* What the pass `waits` finds, as findings of the doctor. */
#include "analyse/doctor/doctor.h"
#include "analyse/waits/waits_parts.h"

/* Runs and graph are those of the doctor: nothing is read or built twice. */
static bool judge(struct mi_doctor *d)
{
    static const struct mi_args all; /* default thresholds of its own */
    struct mi_waits_pass p = {.model = d->model,
                              .args = &all,
                              .out = &d->waits,
                              .err = d->err,
                              .account = d->account,
                              .deps = d->deps,
                              .units = d->units,
                              .graph = d->runs[0].graph};
    mi_report_init(&d->waits);
    d->has_waits = true;
    bool ok = mi_waits_judge(&p, d->chosen);
    mi_waits_end(&p);
    return ok;
}

static int64_t cell_of(const struct mi_report_table *table, uint32_t row, const char *name)
{
    for (unsigned c = 0; c < table->column_count; c++)
        if (strcmp(table->columns[c].name, name) == 0) {
            const struct mi_cell *cell = &table->cells[(size_t)row * table->column_count + c];
            return cell->is_none ? 0 : cell->number;
        }
    return 0;
}

/* The task that was held back, and the one that it waited for. */
static void add_parties(struct mi_doctor *d, const struct mi_finding *finding)
{
    const struct mi_report_table *table = &d->waits.tables[0];
    for (uint32_t r = 0; r < table->row_count; r++) {
        int64_t task = cell_of(table, r, "task"), wait = cell_of(table, r, "wait_task");
        int64_t cause = cell_of(table, r, "cause_task");
        if (task != finding->task.v && wait != finding->task.v)
            continue;
        if (task != finding->task.v)
            mi_doctor_subject(d, (uint32_t)cell_of(table, r, "node"), (uint32_t)task,
                              mi_cstr(N_("held back")));
        if (cause) {
            uint32_t link = d->model->all.rows.tasks.link[cause].v;
            mi_doctor_subject(d, link ? d->rows->executed.node[link].v : 0, (uint32_t)cause,
                              mi_cstr(N_("what it waited for")));
        }
        return;
    }
}

bool mi_doctor_take_waits(struct mi_doctor *d, const char *rule)
{
    if (!d->has_waits && !judge(d))
        return false;
    for (uint32_t f = 0; f < d->waits.finding_count; f++) {
        struct mi_finding finding = d->waits.findings[f];
        if (strcmp(finding.rule, "not_checked") == 0)
            d->not_checked = N_("needs clocks that fit: see the pass clocks");
        if (strcmp(finding.rule, rule) != 0)
            continue;
        finding.cost_from = N_("up to, by simulation");
        mi_doctor_subject(d, finding.node.v, finding.task.v, (struct mi_bytes){0});
        add_parties(d, &finding);
        mi_doctor_add(d, &finding);
    }
    return true;
}
