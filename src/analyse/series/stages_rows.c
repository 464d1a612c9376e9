/* Rows about changes of stages, and which of them are asked for. */
#include "analyse/describe.h"
#include "analyse/series/stages_parts.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/translate.h"

enum { MOST_NAMES = 8 };

bool mi_history_init(struct mi_history *history, const struct mi_model *model, struct mi_error *err)
{
    *history = (struct mi_history){.model = model};
    if (!mi_series_init(&history->series, model, err))
        return false;
    const struct mi_series *series = &history->series;
    uint32_t *into = mi_mem_zero((size_t)series->track_count + 1, sizeof *into);
    history->wanted = mi_mem_zero((size_t)series->track_count + 1, sizeof *history->wanted);
    for (uint32_t t = 1; into && t < series->track_count; t++)
        into[t] = series->tracks[t].into;
    bool ok = into && history->wanted &&
              mi_csr_build(&history->parts, series->track_count, into, series->track_count);
    mi_mem_free(into);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}

void mi_history_fini(struct mi_history *history)
{
    mi_series_fini(&history->series);
    mi_csr_fini(&history->parts);
    mi_mem_free(history->wanted);
}

/* --- what is asked for --- */

/* A track goes into one that appears or goes on in the same stage, so a chain is no longer than
 * there are stages. */
static void want_forward(struct mi_history *history, uint32_t track)
{
    const struct mi_series *series = &history->series;
    for (uint32_t i = 0; track && i <= series->stage_count; i++) {
        history->wanted[track] = true;
        track = series->tracks[track].into;
    }
}

/* Tracks that went into one of `seeds`, over any number of steps. */
static void want_backward(struct mi_history *history, const bool *seeds)
{
    const struct mi_series *series = &history->series;
    for (uint32_t t = 1; t < series->track_count; t++) {
        uint32_t at = t;
        for (uint32_t i = 0; at && !seeds[at] && i <= series->stage_count; i++)
            at = series->tracks[at].into;
        if (at)
            history->wanted[t] = true;
    }
}

static bool want_seeds(struct mi_history *history, bool *seeds)
{
    bool found = false;
    for (uint32_t t = 1; t < history->series.track_count; t++)
        if (seeds[t]) {
            found = true;
            want_forward(history, t);
        }
    if (found)
        want_backward(history, seeds);
    return found;
}

static void seed_called(const struct mi_history *history, mi_str_id name, bool *seeds)
{
    const struct mi_nodes *nodes = &history->model->all.rows.nodes;
    for (uint32_t n = 1; name.v && n < nodes->count; n++)
        if (nodes->name[n].v == name.v)
            seeds[history->series.track_of[n]] = true;
    seeds[0] = false;
}

static void seed_recorded(const struct mi_history *history, mi_str_id name, bool *seeds)
{
    const struct mi_recorded *recorded = &history->model->all.rows.recorded;
    for (uint32_t r = 1; name.v && r < recorded->count; r++)
        if (recorded->name[r].v == name.v)
            seeds[history->series.track_of[recorded->node[r].v]] = true;
    seeds[0] = false;
}

static void seed_like(const struct mi_history *history, struct mi_bytes name, bool *seeds)
{
    const struct mi_nodes *nodes = &history->model->all.rows.nodes;
    for (uint32_t n = 1; n < nodes->count; n++) {
        uint32_t track = history->series.track_of[n];
        if (track && !seeds[track])
            seeds[track] = mi_glob_search(name, mi_model_text(history->model, nodes->name[n]));
    }
}

bool mi_history_want(struct mi_history *history, struct mi_bytes name, bool loose, bool *found)
{
    mi_str_id text = mi_strings_find(&history->model->all.strings, name);
    *found = false;
    if (!history->series.stage_count)
        return true;
    bool *seeds = mi_mem_zero(history->series.track_count, sizeof *seeds);
    if (!seeds)
        return false;
    seed_called(history, text, seeds);
    *found = want_seeds(history, seeds);
    if (!*found) {
        seed_recorded(history, text, seeds);
        *found = want_seeds(history, seeds);
    }
    if (!*found && loose) {
        seed_like(history, name, seeds);
        *found = want_seeds(history, seeds);
    }
    mi_mem_free(seeds);
    return true;
}

bool mi_history_want_node(struct mi_history *history, mi_node_id node, bool *found)
{
    uint32_t track = history->series.stage_count ? history->series.track_of[node.v] : 0;
    *found = track != 0;
    bool *seeds = track ? mi_mem_zero(history->series.track_count, sizeof *seeds) : NULL;
    if (!seeds)
        return !track;
    seeds[track] = true;
    want_seeds(history, seeds);
    mi_mem_free(seeds);
    return true;
}

/* --- rows --- */

static const struct mi_report_column change_columns[] = {
    {"build", N_("build"), MI_CELL_INT, "", N_("number of the build, from 1")},
    {"stage_number", N_("no."), MI_CELL_INT, "", N_("place of the stage in its build")},
    {"stage", N_("stage"), MI_CELL_TEXT, "", N_("stage after which the change is seen")},
    {"change", N_("change"), MI_CELL_WORD, "", N_("what the stage did to the node")},
    {"node", N_("node"), MI_CELL_NODE, "", N_("row of the node in that stage, else before it")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("name of the node")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"output", N_("output"), MI_CELL_INT, "", N_("first output that changed")},
    {"before", N_("before"), MI_CELL_TEXT, "", N_("name, type, element type, layout or shape")},
    {"after", N_("after"), MI_CELL_TEXT, "", N_("the same after the stage")},
    {"with", N_("with"), MI_CELL_TEXT, "",
     N_("nodes that it was made of, that it went into, or whose ops it took in")},
    {"pass", N_("pass"), MI_CELL_TEXT, "", N_("fusion rules and passes that the node records")},
};

enum column { BUILD, NUMBER, STAGE, CHANGE, NODE, NAME, TYPE, OUTPUT, BEFORE, AFTER, WITH, PASS };

static void put_name(struct mi_words *words, struct mi_bytes name, uint32_t *count)
{
    if ((*count)++ >= MOST_NAMES)
        return;
    mi_words_put(words, words->len ? MI_LIT(", ") : MI_LIT(""));
    mi_words_put(words, name);
}

static struct mi_bytes end_names(struct mi_words *words, uint32_t count)
{
    if (count > MOST_NAMES)
        mi_words_printf(words, ", ... (%u)", count);
    return mi_words_get(words);
}

/* Names of the tracks that went into one at that stage. */
static struct mi_bytes parts_of(const struct mi_history *history, const struct mi_change *change,
                                struct mi_arena *arena)
{
    const struct mi_csr *parts = &history->parts;
    const struct mi_series *series = &history->series;
    struct mi_words words = {.arena = arena};
    uint32_t count = 0;
    for (uint32_t i = parts->first[change->track]; i < parts->first[change->track + 1]; i++) {
        const struct mi_track *part = &series->tracks[parts->list[i]];
        if (part->gone == change->stage)
            put_name(&words, mi_describe_node(history->model, part->last, arena), &count);
    }
    if (!count && change->other) /* split off: one that may go on itself */
        put_name(&words,
                 mi_describe_node(history->model, series->tracks[change->other].last, arena),
                 &count);
    return end_names(&words, count);
}

static bool is_recorded(const struct mi_history *history, mi_node_id node, mi_str_id name)
{
    const struct mi_tables *rows = &history->model->all.rows;
    const struct mi_csr *of = &history->series.recorded;
    if (rows->nodes.name[node.v].v == name.v)
        return true;
    for (uint32_t i = of->first[node.v]; i < of->first[node.v + 1]; i++)
        if (rows->recorded.name[of->list[i]].v == name.v)
            return true;
    return false;
}

/* Recorded names that are new since the stage before. */
static struct mi_bytes new_names(const struct mi_history *history, const struct mi_change *change,
                                 struct mi_arena *arena)
{
    const struct mi_tables *rows = &history->model->all.rows;
    const struct mi_csr *of = &history->series.recorded;
    struct mi_words words = {.arena = arena};
    uint32_t count = 0, node = change->after.v;
    for (uint32_t i = of->first[node]; i < of->first[node + 1]; i++) {
        mi_str_id name = rows->recorded.name[of->list[i]];
        if (name.v && !is_recorded(history, change->before, name))
            put_name(&words, mi_model_text(history->model, name), &count);
    }
    return end_names(&words, count);
}

/* The text of one side of a change of an output. */
static struct mi_bytes side(const struct mi_history *history, enum mi_change_kind kind,
                            mi_value_id value, struct mi_arena *arena)
{
    const struct mi_values *values = &history->model->all.rows.values;
    if (kind == MI_CHANGE_DTYPE)
        return mi_model_text(history->model, values->dtype[value.v]);
    if (kind == MI_CHANGE_FORMAT)
        return mi_model_text(history->model, values->format[value.v]);
    return mi_describe_shape(history->model, value, arena);
}

static void fill_sides(const struct mi_history *history, const struct mi_change *change,
                       struct mi_cell *row, struct mi_arena *arena)
{
    const struct mi_model *model = history->model;
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    struct mi_bytes with = {0}, gives = {0};
    switch (change->kind) {
    case MI_CHANGE_FUSED:
    case MI_CHANGE_SPLIT:
        with = parts_of(history, change, arena);
        gives = mi_describe_outputs(model, change->after, arena);
        break;
    case MI_CHANGE_INSERTED:
        gives = mi_describe_outputs(model, change->after, arena);
        break;
    case MI_CHANGE_RENAMED:
        row[BEFORE] = mi_cell_text(mi_describe_node(model, change->before, arena));
        gives = mi_describe_node(model, change->after, arena);
        break;
    case MI_CHANGE_RETYPED:
        row[BEFORE] = mi_cell_text(mi_model_text(model, nodes->op[change->before.v]));
        gives = mi_model_text(model, nodes->op[change->after.v]);
        break;
    case MI_CHANGE_ABSORBED:
        with = new_names(history, change, arena);
        break;
    case MI_CHANGE_DTYPE:
    case MI_CHANGE_FORMAT:
    case MI_CHANGE_SHAPE:
        row[OUTPUT] = mi_cell_int(change->output);
        row[BEFORE] = mi_cell_text(side(history, change->kind, change->was, arena));
        gives = side(history, change->kind, change->is, arena);
        break;
    case MI_CHANGE_FUSED_INTO:
    case MI_CHANGE_SPLIT_INTO:
        with = mi_describe_node(model, change->after, arena);
        break;
    case MI_CHANGE_REMOVED:
    case MI_CHANGE_KINDS:
        break;
    }
    if (with.len)
        row[WITH] = mi_cell_text(with);
    if (gives.len)
        row[AFTER] = mi_cell_text(gives);
}

/* What the compiler notes about the passes that touched a node. */
static struct mi_bytes passes_of(const struct mi_model *model, mi_node_id node,
                                 struct mi_arena *arena)
{
    static const char *const names[] = {"pass_name", "pass_name_ub"};
    const struct mi_tables *rows = &model->all.rows;
    struct mi_words words = {.arena = arena};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        mi_str_id name = mi_strings_find(&model->all.strings, mi_cstr(names[i]));
        for (uint32_t a = 0; name.v && a < rows->nodes.attr_count[node.v]; a++) {
            mi_attr_id attr = {rows->nodes.first_attr[node.v] + a};
            if (rows->attrs.name[attr.v].v != name.v)
                continue;
            for (uint32_t k = 0; k < rows->attrs.item_count[attr.v]; k++)
                put_name(&words,
                         mi_model_text(model, rows->items.text[rows->attrs.first_item[attr.v] + k]),
                         &count);
        }
    }
    return end_names(&words, count);
}

static void fill(const struct mi_history *history, const struct mi_change *change,
                 struct mi_cell *row, struct mi_arena *arena)
{
    const struct mi_model *model = history->model;
    const struct mi_stage *stage = &history->series.stages[change->stage];
    bool ends = change->kind >= MI_CHANGE_FUSED_INTO;
    mi_node_id node = ends ? change->before : change->after;
    row[BUILD] = mi_cell_int(stage->build);
    row[NUMBER] = mi_cell_int(stage->number);
    row[STAGE] = mi_cell_text(mi_model_text(model, stage->name));
    row[CHANGE] = mi_cell_word(mi_change_names[change->kind]);
    row[NODE] = mi_cell_int(node.v);
    row[NAME] = mi_cell_text(mi_describe_node(model, node, arena));
    row[TYPE] = mi_cell_text(mi_describe_op(model, node, arena));
    fill_sides(history, change, row, arena);
    struct mi_bytes passes = passes_of(model, change->after.v ? change->after : node, arena);
    if (passes.len)
        row[PASS] = mi_cell_text(passes);
}

static bool stage_passes(const struct mi_history *history, const struct mi_history_filter *filter,
                         uint32_t stage)
{
    return !filter->stage.len ||
           mi_glob_match(filter->stage,
                         mi_model_text(history->model, history->series.stages[stage].name));
}

void mi_history_list(const struct mi_history *history, const struct mi_history_filter *filter,
                     const char *title, struct mi_report *out)
{
    const struct mi_series *series = &history->series;
    struct mi_report_table *table = mi_report_add_table(
        out, "changes", title, change_columns, sizeof change_columns / sizeof *change_columns);
    mi_report_mark_details(table, "build stage_number output pass");
    for (uint32_t i = 0; i < series->change_count; i++) {
        const struct mi_change *change = &series->changes[i];
        if ((!filter->all && !history->wanted[change->track]) ||
            (filter->kind >= 0 && (int)change->kind != filter->kind) ||
            !stage_passes(history, filter, change->stage))
            continue;
        struct mi_cell *row = mi_report_add_row(out, table);
        if (!row)
            return;
        fill(history, change, row, &out->arena);
    }
}

/* --- edges --- */

static const struct mi_report_column edge_columns[] = {
    {"build", N_("build"), MI_CELL_INT, "", N_("number of the build, from 1")},
    {"stage_number", N_("no."), MI_CELL_INT, "", N_("place of the stage in its build")},
    {"stage", N_("stage"), MI_CELL_TEXT, "", N_("stage after which the change is seen")},
    {"change", N_("change"), MI_CELL_WORD, "",
     N_("inserted, removed, or split by a node put onto the edge")},
    {"from", N_("from"), MI_CELL_TEXT, "", N_("node that the edge leaves")},
    {"output", N_("output"), MI_CELL_INT, "", N_("place among its outputs")},
    {"to", N_("to"), MI_CELL_TEXT, "", N_("node that the edge enters")},
    {"input", N_("input"), MI_CELL_INT, "", N_("place among its inputs")},
    {"is_control", N_("control"), MI_CELL_BOOL, "", N_("orders only, carries no data")},
    {"by", N_("by"), MI_CELL_TEXT, "", N_("first of the nodes put onto the edge")},
};

static void fill_edge(const struct mi_history *history, const struct mi_edge_change *edge,
                      struct mi_cell *row, struct mi_arena *arena)
{
    const struct mi_stage *stage = &history->series.stages[edge->stage];
    row[0] = mi_cell_int(stage->build);
    row[1] = mi_cell_int(stage->number);
    row[2] = mi_cell_text(mi_model_text(history->model, stage->name));
    row[3] = mi_cell_word(!edge->is_gone ? N_("inserted") : edge->by ? N_("split") : N_("removed"));
    row[4] = mi_cell_text(mi_describe_node(history->model, edge->from_node, arena));
    row[5] = mi_cell_int(edge->from.port);
    row[6] = mi_cell_text(mi_describe_node(history->model, edge->to_node, arena));
    row[7] = mi_cell_int(edge->to.port);
    row[8] = mi_cell_int(edge->is_control);
    if (edge->by)
        row[9] = mi_cell_text(
            mi_describe_node(history->model, history->series.tracks[edge->by].first, arena));
}

void mi_history_list_edges(const struct mi_history *history, const struct mi_history_filter *filter,
                           struct mi_report *out)
{
    const struct mi_series *series = &history->series;
    struct mi_report_table *table = mi_report_add_table(out, "edges", N_("Edges"), edge_columns,
                                                        sizeof edge_columns / sizeof *edge_columns);
    mi_report_mark_details(table, "build stage_number output input is_control");
    for (uint32_t i = 0; i < series->edge_count; i++) {
        const struct mi_edge_change *edge = &series->edges[i];
        bool wanted =
            filter->all || history->wanted[edge->from.track] || history->wanted[edge->to.track];
        if (!wanted || !stage_passes(history, filter, edge->stage))
            continue;
        struct mi_cell *row = mi_report_add_row(out, table);
        if (!row)
            return;
        fill_edge(history, edge, row, &out->arena);
    }
}
