/* What a compiled model says before it has run: its planned tasks by type, and how it was made. */
#include "analyse/summary/summary_parts.h"
#include "base/mem.h"
#include "base/translate.h"

#include <stdlib.h>

/* --- planned tasks --- */

static const struct mi_report_column planned_columns[] = {
    {"type", N_("planned task"), MI_CELL_TEXT, "", N_("type of the planned task")},
    {"kind", N_("kind"), MI_CELL_WORD, "", N_("compute, transfer, sync, ...")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("planned tasks of that type")},
    {"linked", N_("with node"), MI_CELL_INT, "", N_("of them tied to a node")},
    {"share", N_("share"), MI_CELL_SHARE, "", N_("of all planned tasks")},
};

struct planned_type {
    uint32_t type, kind;
    int64_t tasks, linked;
    struct mi_bytes name; /* for the order of equals */
};

static int compare_types(const void *left, const void *right)
{
    const struct planned_type *a = left, *b = right;
    if (a->tasks != b->tasks)
        return a->tasks > b->tasks ? -1 : 1;
    return mi_bytes_compare(a->name, b->name);
}

/* Counts the types into `types` [planned.count]; returns how many there are, 0 also without memory.
 */
static uint32_t count_types(const struct mi_summary *summary, struct planned_type *types)
{
    const struct mi_planned *planned = &summary->model->all.rows.planned;
    struct mi_map place = {0};
    uint32_t count = 0;
    for (uint32_t t = 1; t < planned->count; t++) {
        uint32_t *at = mi_map_at(&place, planned->type[t].v);
        if (!at) {
            count = 0;
            break;
        }
        if (!*at) {
            types[count] =
                (struct planned_type){.type = planned->type[t].v,
                                      .kind = planned->kind[t],
                                      .name = mi_model_text(summary->model, planned->type[t])};
            *at = ++count;
        }
        types[*at - 1].tasks++;
        types[*at - 1].linked += planned->node[t].v != 0;
    }
    mi_map_fini(&place);
    return count;
}

static bool list_planned(const struct mi_summary *summary, struct mi_error *err)
{
    const struct mi_planned *planned = &summary->model->all.rows.planned;
    struct planned_type *types = mi_mem_new(planned->count, sizeof *types);
    uint32_t count = types ? count_types(summary, types) : 0;
    if (!count) {
        mi_mem_free(types);
        return mi_fail(err, MI_ENOMEM, "out of memory");
    }
    qsort(types, count, sizeof *types, compare_types);
    struct mi_report_table *table =
        mi_report_add_table(summary->out, "planned", N_("Planned tasks"), planned_columns,
                            sizeof planned_columns / sizeof *planned_columns);
    for (uint32_t i = 0; i < count; i++) {
        struct mi_cell *row = mi_report_add_row(summary->out, table);
        if (!row)
            break;
        row[0] = mi_cell_text(types[i].name);
        row[1] = mi_cell_word(mi_enum_name(MI_E_task_kind, types[i].kind));
        row[2] = mi_cell_int(types[i].tasks);
        row[3] = mi_cell_int(types[i].linked);
        row[4] = mi_cell_share(types[i].tasks, (int64_t)planned->count - 1);
    }
    mi_mem_free(types);
    return true;
}

/* --- what the compiler states --- */

static const struct {
    const char *name, *title;
} wanted[] = {
    {"soc_version", N_("chip")},
    {"atc_cmdline", N_("command")},
    {"atc_version", N_("compiler version")},
    {"opp_version", N_("operator library version")},
    {"framework_type", N_("framework")},
    {"stream_num", N_("streams")},
    {"event_num", N_("events")},
    {"memory_size", N_("feature map bytes")},
    {"weight_size", N_("weight bytes")},
};

static const struct mi_report_column stated_columns[] = {
    {"input", N_("input"), MI_CELL_TEXT, "", N_("file that states it")},
    {"name", NULL, MI_CELL_TEXT, "", N_("name in the file")},
    {"what", N_("what"), MI_CELL_WORD, "", N_("the same in words")},
    {"value", N_("stated"), MI_CELL_TEXT, "", N_("its value")},
};

static void list_stated(const struct mi_summary *summary)
{
    const struct mi_model *model = summary->model;
    const struct mi_facts *facts = &model->all.rows.facts;
    struct mi_report_table *table =
        mi_report_add_table(summary->out, "stated", N_("How it was compiled"), stated_columns,
                            sizeof stated_columns / sizeof *stated_columns);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        for (uint32_t f = 1; f < facts->count; f++) {
            if (!mi_bytes_equal(mi_model_text(model, facts->name[f]), mi_cstr(wanted[i].name)))
                continue;
            struct mi_cell *row = mi_report_add_row(summary->out, table);
            if (!row)
                return;
            row[0] = mi_cell_text(
                mi_model_text(model, model->all.rows.sources.path[facts->source[f].v]));
            row[1] = mi_cell_text(mi_cstr(wanted[i].name));
            row[2] = mi_cell_word(wanted[i].title);
            row[3] = mi_cell_text(mi_model_text(model, facts->text[f]));
        }
}

bool mi_summary_plan(const struct mi_summary *summary, struct mi_error *err)
{
    if (summary->model->all.rows.planned.count <= 1)
        return true;
    list_stated(summary);
    return summary->has_tasks || list_planned(summary, err);
}
