/* What each stage of a build did: the pass scrubber.
 *
 * Question: which stage inserted, removed, fused, split, re-typed or converted this node, and which
 * put or cut this edge? Input: the dumps of the graph after each stage. Matching: series.h. A
 * change is named by the first dumped stage that shows it; what happens between two dumps is one
 * step. */
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "analyse/series/stages_parts.h"
#include "base/translate.h"

const struct mi_param mi_params_stages[] = {
    {.name = "name",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NODE"),
     .help = N_("Only this node, what went into it and what it went into.")},
    {.name = "stage",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("STAGE"),
     .help = N_("Only changes of this stage (* and ? stand for anything).")},
    {.name = "change",
     .kind = MI_PARAM_CHOICE,
     .choices = mi_change_names,
     .help = N_("Only changes of this kind.")},
    {.name = "edges",
     .kind = MI_PARAM_FLAG,
     .help = N_("Edges as well (default with a node and with --json).")},
    MI_PARAM_END};

/* --- stages --- */

static const struct mi_report_column stage_columns[] = {
    {"build", N_("build"), MI_CELL_INT, "", N_("number of the build, from 1")},
    {"stage_number", N_("no."), MI_CELL_INT, "", N_("place of the stage in its build")},
    {"stage", N_("stage"), MI_CELL_TEXT, "", N_("name of the stage in the name of its dump")},
    {"file", N_("file"), MI_CELL_TEXT, "", N_("its first dump")},
    {"is_part", N_("part"), MI_CELL_BOOL, "", N_("holds a part of the graph only")},
    {"nodes", N_("nodes"), MI_CELL_INT, "", N_("nodes after it, borders of parts left out")},
    {"edges", N_("edges"), MI_CELL_INT, "", N_("edges after it")},
    {"inserted", N_("inserted"), MI_CELL_INT, "", N_("nodes")},
    {"removed", N_("removed"), MI_CELL_INT, "", N_("nodes that left nothing behind")},
    {"fused", N_("fused"), MI_CELL_INT, "", N_("nodes that went into others")},
    {"split", N_("split"), MI_CELL_INT, "", N_("nodes that split off")},
    {"renamed", N_("renamed"), MI_CELL_INT, "", N_("nodes")},
    {"retyped", N_("retyped"), MI_CELL_INT, "", N_("nodes with another operator type")},
    {"dtypes", N_("dtypes"), MI_CELL_INT, "", N_("nodes with another element type")},
    {"formats", N_("layouts"), MI_CELL_INT, "", N_("nodes with another layout")},
    {"shapes", N_("shapes"), MI_CELL_INT, "", N_("nodes with another shape")},
    {"edges_inserted", N_("edges in"), MI_CELL_INT, "", N_("edges that were not there before")},
    {"edges_removed", N_("edges out"), MI_CELL_INT, "", N_("edges that are no more")},
};

enum { FIRST_COUNT = 7, EDGES_IN = 16, EDGES_OUT = 17 };

/* The column that counts changes of a kind; 0: none does. */
static unsigned column_of(enum mi_change_kind kind)
{
    static const unsigned columns[MI_CHANGE_KINDS] = {
        [MI_CHANGE_INSERTED] = FIRST_COUNT,       [MI_CHANGE_REMOVED] = FIRST_COUNT + 1,
        [MI_CHANGE_FUSED_INTO] = FIRST_COUNT + 2, [MI_CHANGE_SPLIT] = FIRST_COUNT + 3,
        [MI_CHANGE_RENAMED] = FIRST_COUNT + 4,    [MI_CHANGE_RETYPED] = FIRST_COUNT + 5,
        [MI_CHANGE_DTYPE] = FIRST_COUNT + 6,      [MI_CHANGE_FORMAT] = FIRST_COUNT + 7,
        [MI_CHANGE_SHAPE] = FIRST_COUNT + 8};
    return columns[kind];
}

static void count_changes(const struct mi_series *series, struct mi_report_table *table)
{
    unsigned width = table->column_count;
    for (uint32_t i = 0; i < series->change_count; i++) {
        unsigned column = column_of(series->changes[i].kind);
        if (column)
            table->cells[series->changes[i].stage * width + column].number++;
    }
    for (uint32_t i = 0; i < series->edge_count; i++)
        table
            ->cells[series->edges[i].stage * width +
                    (series->edges[i].is_gone ? EDGES_OUT : EDGES_IN)]
            .number++;
}

static void list_stages(const struct mi_model *model, const struct mi_series *series,
                        struct mi_report *out)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_report_table *table = mi_report_add_table(
        out, "stages", N_("Stages"), stage_columns, sizeof stage_columns / sizeof *stage_columns);
    mi_report_mark_details(table, "build file is_part edges renamed shapes edges_inserted "
                                  "edges_removed");
    for (uint32_t s = 0; s < series->stage_count; s++) {
        const struct mi_stage *stage = &series->stages[s];
        struct mi_cell *row = mi_report_add_row(out, table);
        if (!row)
            return;
        row[0] = mi_cell_int(stage->build);
        row[1] = mi_cell_int(stage->number);
        row[2] = mi_cell_text(mi_model_text(model, stage->name));
        row[3] = mi_cell_text(mi_model_text(model, rows->sources.path[stage->source.v]));
        row[4] = mi_cell_int(stage->is_part);
        row[5] = mi_cell_int(stage->nodes);
        if (!stage->is_part)
            row[6] = mi_cell_int(stage->edges);
        for (unsigned c = FIRST_COUNT; c < table->column_count && !stage->is_first; c++)
            row[c] = mi_cell_int(0);
    }
    count_changes(series, table);
}

/* --- the pass --- */

static void add_fact(struct mi_report *out, const char *name, const char *title, int64_t number)
{
    mi_report_add_fact(out, &(struct mi_report_fact){.name = name,
                                                     .title = title,
                                                     .kind = MI_CELL_INT,
                                                     .unit = "",
                                                     .cell = mi_cell_int(number)});
}

static void add_notes(const struct mi_series *series, struct mi_report *out)
{
    if (!series->stage_count)
        mi_report_add_finding(
            out, &(struct mi_finding){.rule = "no_stages",
                                      .severity = MI_NOTICE,
                                      .sentence = N_("The inputs hold no dumps of compile stages."),
                                      .cost_ns = -1});
    else if (series->stage_count == series->build_count)
        mi_report_add_finding(
            out, &(struct mi_finding){
                     .rule = "single_stage",
                     .severity = MI_NOTICE,
                     .sentence = N_("There is one stage only, nothing to compare it with."),
                     .cost_ns = -1});
    if (series->left_out)
        mi_report_add_finding(
            out, &(struct mi_finding){
                     .rule = "other_format",
                     .severity = MI_INFO,
                     .sentence = N_("%1 dumps of another format in the same folder are left out: "
                                    "their numbers are counted apart."),
                     .args = {mi_arena_printf(&out->arena, "%u", series->left_out)},
                     .cost_ns = -1});
}

static bool fill(struct mi_history *history, const struct mi_args *args, struct mi_report *out,
                 struct mi_error *err)
{
    const struct mi_series *series = &history->series;
    const char *name = mi_args_text(args, "name", NULL);
    const struct mi_arg *change = mi_args_find(args, "change");
    struct mi_history_filter filter = {.stage = mi_cstr(mi_args_text(args, "stage", NULL)),
                                       .kind = change ? (int)change->number : -1,
                                       .all = !name};
    bool found = true;
    if (name && !mi_history_want(history, mi_cstr(name), true, &found))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    if (!found && series->stage_count)
        return mi_fail(err, MI_ENOTFOUND, "no node of any stage is called \"%.80s\"", name);
    add_fact(out, "stages", N_("Stages"), series->stage_count);
    add_fact(out, "changes", N_("Changes of nodes"), series->change_count);
    add_fact(out, "edge_changes", N_("Changes of edges"), series->edge_count);
    add_notes(series, out);
    if (!name)
        list_stages(history->model, series, out);
    mi_history_list(history, &filter, name ? N_("History") : N_("Changes"), out);
    if (name || mi_args_flag(args, "edges"))
        mi_history_list_edges(history, &filter, out);
    return true;
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct mi_history history;
    bool ok = mi_history_init(&history, model, err) && fill(&history, args, out, err);
    mi_history_fini(&history);
    return ok;
}

const struct mi_pass mi_pass_stages = {
    .name = "stages",
    .title = N_("What each stage of a build did to nodes and edges"),
    .params = mi_params_stages,
    .run = run,
};
