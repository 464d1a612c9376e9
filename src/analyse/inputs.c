/* The ledger: what each input was recognised as, what became of its records, what was lost and
 * where. */
#include "analyse/pass.h"
#include "base/mem.h"
#include "base/translate.h"

static const struct mi_report_column source_columns[] = {
    {"path", N_("input"), MI_CELL_TEXT, "", N_("path as given; outer!inner for members")},
    {"reader", N_("read as"), MI_CELL_TEXT, "", N_("format; none: nothing recognised it")},
    {"role", N_("role"), MI_CELL_TEXT, "", N_("part it plays in its capture")},
    {"layer", N_("layer"), MI_CELL_WORD, "", N_("layer of the graph it holds")},
    {"size_bytes", N_("size"), MI_CELL_INT, "B", N_("size on disk")},
    {"nodes", N_("nodes"), MI_CELL_INT, "", N_("nodes of its graphs")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("tasks it tells of")},
    {"records_in", N_("records"), MI_CELL_INT, "", N_("records seen: nodes, events, rows")},
    {"records_kept", N_("kept"), MI_CELL_INT, "", N_("records that became rows")},
    {"records_skipped", N_("skipped"), MI_CELL_INT, "", N_("records left out on purpose")},
    {"records_lost", N_("lost"), MI_CELL_INT, "", N_("records that could not be read")},
};

static const struct mi_report_column diag_columns[] = {
    {"path", N_("input"), MI_CELL_TEXT, "", N_("input it is about")},
    {"severity", N_("severity"), MI_CELL_WORD, "", N_("info, notice, loss or error")},
    {"code", N_("code"), MI_CELL_TEXT, "", N_("name for scripts")},
    {"times", N_("times"), MI_CELL_INT, "", N_("how often")},
    {"line", N_("line"), MI_CELL_INT, "", N_("line of the first one, from 1")},
    {"offset_bytes", N_("at byte"), MI_CELL_INT, "", N_("offset of the first one")},
    {"sentence", N_("first one"), MI_CELL_SENTENCE, "", N_("the first one as a sentence")},
};

static const struct mi_report_column fact_columns[] = {
    {"path", N_("input"), MI_CELL_TEXT, "", N_("input that states it")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("for example producer, opset:ai.onnx")},
    {"text", N_("stated"), MI_CELL_TEXT, "", N_("its value as text")},
};

enum {
    COUNT_OF_SOURCES = sizeof source_columns / sizeof *source_columns,
    COUNT_OF_DIAGS = sizeof diag_columns / sizeof *diag_columns,
    COUNT_OF_FACTS = sizeof fact_columns / sizeof *fact_columns
};

struct yield {
    int64_t nodes, tasks;
    uint8_t layer;
};

/* What each source yielded: [sources.count]. */
static struct yield *count_yields(const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    struct yield *yields = mi_mem_zero(rows->sources.count, sizeof *yields);
    if (!yields)
        return NULL;
    for (uint32_t g = 1; g < rows->graphs.count; g++)
        yields[rows->graphs.source[g].v].layer = rows->graphs.layer[g];
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        yields[rows->graphs.source[rows->nodes.graph[n].v].v].nodes++;
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        yields[rows->kernels.source[rows->tasks.kernel[t].v].v].tasks++;
    return yields;
}

static struct mi_cell text_or_none(struct mi_bytes text)
{
    return text.len ? mi_cell_text(text) : mi_cell_none();
}

static void list_sources(const struct mi_model *model, const struct yield *yields,
                         struct mi_report *out)
{
    const struct mi_sources *sources = &model->all.rows.sources;
    struct mi_report_table *table =
        mi_report_add_table(out, "sources", N_("Inputs"), source_columns, COUNT_OF_SOURCES);
    mi_report_mark_details(table, "role layer size_bytes");
    for (uint32_t s = 1; s < sources->count; s++) {
        struct mi_cell *row = mi_report_add_row(out, table);
        if (!row)
            return;
        row[0] = mi_cell_text(mi_model_text(model, sources->path[s]));
        row[1] = text_or_none(mi_model_text(model, sources->reader[s]));
        row[2] = text_or_none(mi_model_text(model, sources->role[s]));
        if (yields[s].layer)
            row[3] = mi_cell_word(mi_enum_name(MI_E_layer, yields[s].layer));
        row[4] = mi_cell_int(sources->size_bytes[s]);
        row[5] = yields[s].nodes ? mi_cell_int(yields[s].nodes) : mi_cell_none();
        row[6] = yields[s].tasks ? mi_cell_int(yields[s].tasks) : mi_cell_none();
        row[7] = mi_cell_int(sources->records_in[s]);
        row[8] = mi_cell_int(sources->records_kept[s]);
        row[9] = mi_cell_int(sources->records_skipped[s]);
        row[10] = mi_cell_int(sources->records_lost[s]);
        if (sources->records_in[s] !=
            sources->records_kept[s] + sources->records_skipped[s] + sources->records_lost[s])
            mi_report_add_finding(
                out, &(struct mi_finding){
                         .rule = "ledger_open",
                         .severity = MI_ERROR,
                         .sentence = N_("The records of %1 do not add up: not all of them were "
                                        "kept, skipped or lost."),
                         .args = {mi_model_text(model, sources->path[s])},
                         .cost_ns = -1});
    }
}

static void list_diags(const struct mi_model *model, struct mi_report *out)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_report_table *table = mi_report_add_table(
        out, "diagnostics", N_("What was noticed while reading"), diag_columns, COUNT_OF_DIAGS);
    mi_report_mark_details(table, "code offset_bytes");
    for (uint32_t d = 1; d < rows->diags.count; d++) {
        struct mi_cell *row = mi_report_add_row(out, table);
        if (!row)
            return;
        row[0] = mi_cell_text(mi_model_text(model, rows->sources.path[rows->diags.source[d].v]));
        row[1] = mi_cell_word(mi_enum_name(MI_E_severity, rows->diags.severity[d]));
        row[2] = mi_cell_text(mi_model_text(model, rows->diags.code[d]));
        row[3] = mi_cell_int(rows->diags.times[d]);
        if (rows->diags.line[d])
            row[4] = mi_cell_int(rows->diags.line[d]);
        if (rows->diags.offset[d] >= 0)
            row[5] = mi_cell_int(rows->diags.offset[d]);
        row[6] = mi_cell_text(mi_model_text(model, rows->diags.text[d]));
    }
}

static void list_facts(const struct mi_model *model, struct mi_report *out)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_report_table *table = mi_report_add_table(out, "facts", N_("What the inputs state"),
                                                        fact_columns, COUNT_OF_FACTS);
    for (uint32_t f = 1; f < rows->facts.count; f++) {
        struct mi_cell *row = mi_report_add_row(out, table);
        if (!row)
            return;
        row[0] = mi_cell_text(mi_model_text(model, rows->sources.path[rows->facts.source[f].v]));
        row[1] = mi_cell_text(mi_model_text(model, rows->facts.name[f]));
        row[2] = mi_cell_text(mi_model_text(model, rows->facts.text[f]));
    }
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    (void)args;
    struct yield *yields = count_yields(model);
    if (!yields)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    list_sources(model, yields, out);
    list_diags(model, out);
    list_facts(model, out);
    mi_mem_free(yields);
    return true;
}

static const struct mi_param params[] = {MI_PARAM_END};

const struct mi_pass mi_pass_inputs = {
    .name = "inputs",
    .title = N_("What was recognised, and what was lost where"),
    .params = params,
    .run = run,
};
