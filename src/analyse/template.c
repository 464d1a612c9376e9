/* TEMPLATE of a pass: copy this file to <name>.c, rename, add MI_PASS(<name>) to passes.def.
 *
 * Question: how many nodes does each graph have? Formula: a count. Limits: none. */
#include "analyse/pass.h"
#include "base/translate.h"

static const struct mi_report_column columns[] = {
    {"graph", N_("graph"), MI_CELL_TEXT, "", N_("name of the graph")},
    {"nodes", N_("nodes"), MI_CELL_INT, "", N_("nodes in it")},
};

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    (void)args, (void)err; /* out of memory is remembered by the report */
    const struct mi_tables *rows = &model->all.rows;
    struct mi_report_table *table =
        mi_report_add_table(out, "graphs", N_("Graph"), columns, sizeof columns / sizeof *columns);
    for (uint32_t g = 1; g < rows->graphs.count; g++) {
        struct mi_cell *row = mi_report_add_row(out, table);
        if (!row)
            break;
        row[0] = mi_cell_text(mi_model_text(model, rows->graphs.name[g]));
        row[1] =
            mi_cell_int(model->index.graph_first_node[g + 1] - model->index.graph_first_node[g]);
    }
    return true;
}

static const struct mi_param params[] = {MI_PARAM_END};

const struct mi_pass mi_pass_template = {.name = "template",
                                         .title = N_("Template"),
                                         .needs = 0, /* MI_HAS_...: unmet, it is not run */
                                         .params = params,
                                         .run = run};
