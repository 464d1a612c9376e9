/* The migration check: what differs between the framework graph and what was compiled of it.
 *
 * Question: which ops were replaced, which tensors changed element type, shape or layout, what
 * vanished, what was added, and what depends on it? It reads the links, fates and origins that
 * correlating has found (docs/correlation.md) and compares tensors that carry the same value.
 * Limits: it compares what is declared or follows from definitions, not numbers. */
#include "analyse/check/check_parts.h"
#include "analyse/describe.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"

#include <stdlib.h>

enum { MOST_FINDINGS = 20 /* of one kind, further ones are counted */, MOST_OPS = 8 };

/* By the words of --severity. */
static const enum mi_severity severity_of[] = {MI_INFO, MI_NOTICE, MI_WARNING, MI_ERROR};

const struct mi_param mi_params_check[] = {
    {.name = "severity",
     .kind = MI_PARAM_CHOICE,
     .choices = mi_severity_choices,
     .help =
         N_("List differences of this severity or higher (default: notice; info with --json).")},
    MI_FAIL_ON_PARAM,
    MI_PARAM_END};

const char *const mi_check_names[MI_CHECK_KINDS] = {
    [MI_CHECK_VANISHED] = N_("vanished"), [MI_CHECK_SHAPE] = N_("shape"),
    [MI_CHECK_DTYPE] = N_("dtype"),       [MI_CHECK_KEPT] = N_("kept_dtype"),
    [MI_CHECK_AI_CPU] = N_("ai_cpu"),     [MI_CHECK_ADDED] = N_("added"),
    [MI_CHECK_REPLACED] = N_("replaced"), [MI_CHECK_LAYOUT] = N_("layout"),
    [MI_CHECK_REMOVED] = N_("removed")};

bool mi_check_add(struct mi_check *check, const struct mi_check_change *change)
{
    if (!mi_vec_room(&check->changes, &check->room, check->count, sizeof *check->changes))
        return false;
    check->changes[check->count++] = *change;
    return true;
}

/* The gravest first, then by kind, then in the order of the graphs. */
static int compare_changes(const void *left, const void *right)
{
    const struct mi_check_change *a = left, *b = right;
    if (a->severity != b->severity)
        return a->severity > b->severity ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->framework.v != b->framework.v)
        return a->framework.v < b->framework.v ? -1 : 1;
    if (a->compiled.v != b->compiled.v)
        return a->compiled.v < b->compiled.v ? -1 : 1;
    return (a->before.v > b->before.v) - (a->before.v < b->before.v);
}

/* --- the two sides of a change --- */

static struct mi_bytes layout_of(const struct mi_check *check, mi_str_id format)
{
    struct mi_bytes text = mi_model_text(check->model, format);
    return text.len ? text : MI_LIT("ND");
}

static void sides(const struct mi_check *check, const struct mi_check_change *change,
                  struct mi_arena *arena, struct mi_bytes side[2])
{
    const struct mi_tables *rows = &check->model->all.rows;
    const struct mi_values *values = &rows->values;
    side[0] = side[1] = (struct mi_bytes){0};
    switch (change->kind) {
    case MI_CHECK_DTYPE:
    case MI_CHECK_KEPT:
        side[0] = mi_model_text(check->model,
                                mi_check_dtype_before(check, change->before, change->after));
        side[1] = mi_model_text(check->model, values->dtype[change->after.v]);
        return;
    case MI_CHECK_SHAPE:
        side[0] = mi_describe_type(check->model, change->before, arena);
        side[1] = mi_describe_type(check->model, change->after, arena);
        return;
    case MI_CHECK_LAYOUT:
        side[0] = layout_of(check, values->format[change->before.v].v
                                       ? values->format[change->before.v]
                                       : values->origin_format[change->after.v]);
        side[1] = layout_of(check, values->format[change->after.v]);
        return;
    case MI_CHECK_REPLACED:
        side[0] = mi_describe_op(check->model, change->framework, arena);
        side[1] = mi_describe_op(check->model, change->compiled, arena);
        return;
    case MI_CHECK_ADDED:
        side[1] = mi_describe_op(check->model, change->compiled, arena);
        return;
    case MI_CHECK_VANISHED:
    case MI_CHECK_REMOVED:
    case MI_CHECK_AI_CPU:
    case MI_CHECK_KINDS:
        return;
    }
}

/* --- rows --- */

static const struct mi_report_column columns[] = {
    {"severity", N_("severity"), MI_CELL_WORD, "", N_("how much it matters")},
    {"change", N_("change"), MI_CELL_WORD, "", N_("what compiling did")},
    {"node", N_("node"), MI_CELL_NODE, "",
     N_("row of the framework op; of what is added: served op")},
    {"name", N_("framework op"), MI_CELL_TEXT, "", N_("its name")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("its operator type")},
    {"before", N_("before"), MI_CELL_TEXT, "", N_("type, shape, layout or operator type there")},
    {"after", N_("after"), MI_CELL_TEXT, "", N_("the same in the compiled graph")},
    {"compiled_node", N_("row"), MI_CELL_NODE, "", N_("row of the compiled node")},
    {"compiled", N_("compiled node"), MI_CELL_TEXT, "", N_("its name")},
    {"with", N_("together with"), MI_CELL_TEXT, "", N_("other ops in that compiled node")},
    {"is_model_wide", N_("model-wide"), MI_CELL_BOOL, "", N_("so are most tensors of that type")},
    {"reason", N_("reason"), MI_CELL_WORD, "", N_("why the op is gone")},
};

static struct mi_bytes companions(const struct mi_check *check,
                                  const struct mi_check_change *change, struct mi_arena *arena)
{
    const struct mi_csr *of = &check->model->index.framework_of;
    struct mi_words words = {.arena = arena};
    uint32_t count = 0, node = change->compiled.v;
    for (uint32_t i = of->first[node]; i < of->first[node + 1]; i++) {
        mi_node_id op = check->model->all.rows.lowered.framework[of->list[i]];
        if (op.v == change->framework.v || count++ >= MOST_OPS)
            continue;
        mi_words_put(&words, words.len ? MI_LIT(", ") : MI_LIT(""));
        mi_words_put(&words, mi_describe_node(check->model, op, arena));
    }
    if (count > MOST_OPS)
        mi_words_printf(&words, ", ... (%u)", count);
    return mi_words_get(&words);
}

static void add_row(const struct mi_check *check, const struct mi_check_change *change,
                    struct mi_report *out, struct mi_report_table *table)
{
    const struct mi_model *model = check->model;
    struct mi_cell *row = mi_report_add_row(out, table);
    struct mi_bytes side[2];
    if (!row)
        return;
    sides(check, change, &out->arena, side);
    row[0] = mi_cell_word(mi_enum_name(MI_E_severity, change->severity));
    row[1] = mi_cell_word(mi_check_names[change->kind]);
    if (change->framework.v) {
        row[2] = mi_cell_int(change->framework.v);
        row[3] = mi_cell_text(mi_describe_node(model, change->framework, &out->arena));
        row[4] = mi_cell_text(mi_describe_op(model, change->framework, &out->arena));
    }
    if (side[0].len)
        row[5] = mi_cell_text(side[0]);
    if (side[1].len)
        row[6] = mi_cell_text(side[1]);
    if (change->compiled.v) {
        struct mi_bytes others = companions(check, change, &out->arena);
        row[7] = mi_cell_int(change->compiled.v);
        row[8] = mi_cell_text(mi_describe_node(model, change->compiled, &out->arena));
        if (others.len && change->kind != MI_CHECK_ADDED)
            row[9] = mi_cell_text(others);
    }
    if (change->kind == MI_CHECK_DTYPE)
        row[10] = mi_cell_int(change->is_model_wide);
    uint32_t fate = model->index.fate_of[change->framework.v];
    if (fate && (change->kind == MI_CHECK_VANISHED || change->kind == MI_CHECK_REMOVED))
        row[11] = mi_cell_word(mi_enum_name(MI_E_reason, model->all.rows.fates.reason[fate]));
}

static void list_changes(const struct mi_check *check, enum mi_severity least,
                         struct mi_report *out)
{
    struct mi_report_table *table = mi_report_add_table(out, "changes", N_("Differences"), columns,
                                                        sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "compiled_node with is_model_wide reason");
    for (uint32_t i = 0; i < check->count; i++)
        if (check->changes[i].severity >= least)
            add_row(check, &check->changes[i], out, table);
}

/* --- findings --- */

static struct mi_bytes number(struct mi_report *out, uint32_t value)
{
    return mi_arena_printf(&out->arena, "%u", value);
}

/* One change as a sentence. */
static void add_single(const struct mi_check *check, const struct mi_check_change *change,
                       uint32_t downstream, struct mi_report *out)
{
    static const char *const sentences[MI_CHECK_KINDS] = {
        [MI_CHECK_DTYPE] = N_("%1 computes in %3 instead of %2; %4 ops depend on it."),
        [MI_CHECK_KEPT] = N_("%1 stays %2 while most tensors of that type changed."),
        [MI_CHECK_SHAPE] = N_("%1 gives %3 instead of %2."),
        [MI_CHECK_VANISHED] = N_("%1 is in no compiled node, and nothing explains it."),
        [MI_CHECK_AI_CPU] = N_("%1 runs on an AI CPU."),
        [MI_CHECK_REPLACED] = N_("%1 was %2 and became %3, another kind of operator."),
    };
    struct mi_bytes side[2];
    mi_node_id subject = change->framework.v ? change->framework : change->compiled;
    sides(check, change, &out->arena, side);
    mi_report_add_finding(
        out, &(struct mi_finding){.rule = mi_check_names[change->kind],
                                  .severity = change->severity,
                                  .node = subject,
                                  .sentence = sentences[change->kind],
                                  .args = {mi_describe_node(check->model, subject, &out->arena),
                                           side[0], side[1], number(out, downstream)},
                                  .cost_ns = -1});
}

static void add_counted(const struct mi_check_change *change, const char *sentence, uint32_t count,
                        const struct mi_bytes side[2], struct mi_report *out)
{
    mi_report_add_finding(out, &(struct mi_finding){.rule = mi_check_names[change->kind],
                                                    .severity = change->severity,
                                                    .sentence = sentence,
                                                    .args = {number(out, count), side[0], side[1]},
                                                    .cost_ns = -1});
}

/* Changes of a kind that are told together are those with the same two sides. */
static bool is_told_together(const struct mi_check_change *change)
{
    return change->kind == MI_CHECK_ADDED || change->kind == MI_CHECK_LAYOUT ||
           change->kind == MI_CHECK_REMOVED || change->severity == MI_INFO;
}

static const char *sentence_together(enum mi_check_kind kind)
{
    switch (kind) {
    case MI_CHECK_DTYPE:
        return N_("%1 tensors became %3 instead of %2, as most of that type did.");
    case MI_CHECK_ADDED:
        return N_("%1 nodes of type %3 were added.");
    case MI_CHECK_LAYOUT:
        return N_("%1 tensors are laid out as %3 instead of %2.");
    case MI_CHECK_REMOVED:
        return N_("%1 ops were removed for a known reason.");
    case MI_CHECK_REPLACED:
        return N_("%1 ops of type %2 became %3.");
    case MI_CHECK_VANISHED:
    case MI_CHECK_SHAPE:
    case MI_CHECK_KEPT:
    case MI_CHECK_AI_CPU:
    case MI_CHECK_KINDS:
        break;
    }
    return N_("%1 differences of this kind.");
}

static bool same_sides(const struct mi_check *check, const struct mi_check_change *a,
                       const struct mi_check_change *b, struct mi_arena *arena)
{
    struct mi_bytes left[2], right[2];
    if (a->kind != b->kind || a->severity != b->severity)
        return false;
    sides(check, a, arena, left);
    sides(check, b, arena, right);
    return mi_bytes_equal(left[0], right[0]) && mi_bytes_equal(left[1], right[1]);
}

struct together {
    const struct mi_check_change *first;
    uint32_t count;
};

/* Adds to the group of the same sides; there are few. */
static void tell_together(const struct mi_check *check, const struct mi_check_change *change,
                          struct together *list, uint32_t *count, struct mi_arena *arena)
{
    uint32_t i = 0;
    while (i < *count && !same_sides(check, list[i].first, change, arena))
        i++;
    if (i == MOST_FINDINGS * 4)
        return;
    if (i == *count)
        list[(*count)++] = (struct together){change, 0};
    list[i].count++;
}

static void add_findings(const struct mi_check *check, const uint32_t *downstream,
                         struct mi_report *out)
{
    struct together together[MOST_FINDINGS * 4];
    struct mi_arena arena;
    uint32_t together_count = 0, told[MI_CHECK_KINDS] = {0};
    mi_arena_init(&arena);
    for (uint32_t i = 0; i < check->count; i++) {
        const struct mi_check_change *change = &check->changes[i];
        if (is_told_together(change))
            tell_together(check, change, together, &together_count, &arena);
        else if (told[change->kind]++ < MOST_FINDINGS)
            add_single(check, change, downstream[i], out);
    }
    for (unsigned kind = 0; kind < MI_CHECK_KINDS; kind++)
        if (told[kind] > MOST_FINDINGS)
            mi_report_add_finding(
                out, &(struct mi_finding){
                         .rule = mi_check_names[kind],
                         .severity = MI_INFO,
                         .sentence = N_("%1 more of this kind: see the table of differences."),
                         .args = {number(out, told[kind] - MOST_FINDINGS)},
                         .cost_ns = -1});
    for (uint32_t i = 0; i < together_count; i++) {
        struct mi_bytes side[2];
        sides(check, together[i].first, &out->arena, side);
        add_counted(together[i].first, sentence_together(together[i].first->kind),
                    together[i].count, side, out);
    }
    mi_arena_fini(&arena);
}

/* --- the pass --- */

static void add_facts(const struct mi_check *check, struct mi_report *out)
{
    static const char *const titles[] = {N_("Of severity info"), N_("Of severity notice"),
                                         N_("Of severity warning"), N_("Of severity error")};
    uint32_t compared = 0;
    for (uint32_t v = 1; v < check->model->all.rows.values.count; v++)
        compared += check->carrier[v] != 0;
    mi_report_add_fact(out, &(struct mi_report_fact){.name = "tensors_compared",
                                                     .title = N_("Tensors compared"),
                                                     .kind = MI_CELL_INT,
                                                     .unit = "",
                                                     .cell = mi_cell_int(compared)});
    for (size_t s = 0; s < sizeof titles / sizeof *titles; s++) {
        int64_t count = 0;
        for (uint32_t i = 0; i < check->count; i++)
            count += check->changes[i].severity == severity_of[s];
        mi_report_add_fact(out, &(struct mi_report_fact){.name = mi_severity_choices[s],
                                                         .title = titles[s],
                                                         .kind = MI_CELL_INT,
                                                         .unit = "",
                                                         .cell = mi_cell_int(count)});
    }
}

static bool fill(struct mi_check *check, const struct mi_args *args, struct mi_report *out,
                 struct mi_error *err)
{
    if (!mi_check_carry(check) || !mi_check_tensors(check) || !mi_check_nodes(check))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    if (check->count)
        qsort(check->changes, check->count, sizeof *check->changes, compare_changes);
    const struct mi_arg *least = mi_args_find(args, "severity");
    uint32_t *downstream = mi_mem_zero((size_t)check->count + 1, sizeof *downstream);
    bool ok = downstream || mi_fail(err, MI_ENOMEM, "out of memory");
    if (ok) {
        add_facts(check, out);
        list_changes(check, least ? severity_of[least->number] : MI_INFO, out);
        ok = mi_check_downstream(check, out, downstream, err);
    }
    if (ok)
        add_findings(check, downstream, out);
    mi_mem_free(downstream);
    return ok;
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct mi_check check = {.model = model};
    bool ok = fill(&check, args, out, err);
    mi_mem_free(check.carrier);
    mi_mem_free(check.part_of);
    mi_mem_free(check.changes);
    return ok;
}

const struct mi_pass mi_pass_check = {
    .name = "check",
    .title = N_("What compiling changed: types, shapes, layouts, ops gone, replaced and added"),
    .needs = MI_HAS_FRAMEWORK_GRAPH | MI_HAS_COMPILED_GRAPH,
    .params = mi_params_check,
    .run = run,
};
