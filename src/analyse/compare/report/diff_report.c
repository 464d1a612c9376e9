#include "analyse/compare/report/diff_report.h"

#include "base/decimal.h"
#include "base/mem.h"
#include "base/translate.h"

#include <stdio.h>

enum { LEAST_COST_NS = 5000, LEAST_SHARE = 100 /* one per cent of the makespan */ };

const struct mi_param mi_params_diff[] = {
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .default_text = NULL,
     .help = N_("At most N rows of each table; 0 = all (default: 20; all with --json).")},
    {.name = "min-cost",
     .kind = MI_PARAM_INT,
     .metavar = "US",
     .min = 0,
     .max = INT64_MAX / 1000,
     .help = N_("Warn of what costs at least so many microseconds (default: a hundredth of "
                "the run, at least 5).")},
    {.name = "renamed",
     .kind = MI_PARAM_FLAG,
     .help = N_("List nodes that differ by their name alone, too.")},
    {.name = "pairs",
     .kind = MI_PARAM_FLAG,
     .help = N_("List which node is which, and what that rests on.")},
    MI_CMP_PARAMS,
    MI_PARAM_END};

struct mi_cell *mi_diff_row(const struct mi_diff *diff, struct mi_report_table *table)
{
    if (!table || (diff->top && table->row_count >= diff->top))
        return NULL;
    return mi_report_add_row(diff->out, table);
}

struct mi_cell mi_diff_change(int64_t base, int64_t new)
{
    return mi_cell_share(mi_ns_sub(new, base), base);
}

/* --- facts --- */

static void add_fact(const struct mi_diff *diff, const char *name, const char *title,
                     enum mi_cell_kind kind, struct mi_cell cell)
{
    mi_report_add_fact(diff->out,
                       &(struct mi_report_fact){
                           .name = name, .title = title, .kind = kind, .unit = "", .cell = cell});
}

static void add_facts(const struct mi_diff *diff, const struct mi_bytes names[])
{
    const struct mi_compare *compare = diff->compare;
    const struct mi_cmp_side *base = &compare->side[MI_CMP_BASE], *new = &compare->side[MI_CMP_NEW];
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < compare->match.pair_count; i++)
        pairs += compare->op_of_node[MI_CMP_BASE][compare->match.pairs[i].node[MI_CMP_BASE]] != 0;
    add_fact(diff, "base", N_("Base"), MI_CELL_TEXT, mi_cell_text(names[MI_CMP_BASE]));
    add_fact(diff, "new", N_("New"), MI_CELL_TEXT, mi_cell_text(names[MI_CMP_NEW]));
    if (base->layer) {
        add_fact(diff, "layer", N_("Graphs compared"), MI_CELL_WORD,
                 mi_cell_word(mi_enum_name(MI_E_layer, base->layer)));
        add_fact(diff, "base_nodes", N_("Nodes of the base"), MI_CELL_INT,
                 mi_cell_int(base->node_count));
        add_fact(diff, "new_nodes", N_("Nodes of the new side"), MI_CELL_INT,
                 mi_cell_int(new->node_count));
        add_fact(diff, "pairs", N_("Nodes found on both sides"), MI_CELL_INT, mi_cell_int(pairs));
    }
    if (base->sample_count || new->sample_count) {
        add_fact(diff, "base_samples", N_("Runs of the base"), MI_CELL_INT,
                 mi_cell_int(base->sample_count));
        add_fact(diff, "new_samples", N_("Runs of the new side"), MI_CELL_INT,
                 mi_cell_int(new->sample_count));
    }
    if (base->sample_count && base->device >= 0)
        add_fact(diff, "base_device", N_("Device of the base"), MI_CELL_INT,
                 mi_cell_int(base->device));
    if (new->sample_count &&new->device >= 0)
        add_fact(diff, "new_device", N_("Device of the new side"), MI_CELL_INT,
                 mi_cell_int(new->device));
}

/* --- times --- */

static const struct mi_report_column time_columns[] = {
    {"what", N_("median of the runs"), MI_CELL_WORD, "", N_("what is measured")},
    {"base_ns", N_("base"), MI_CELL_INT, "ns", N_("at the base")},
    {"new_ns", N_("new"), MI_CELL_INT, "ns", N_("on the new side")},
    {"difference_ns", N_("difference"), MI_CELL_INT, "ns", N_("new - base")},
    {"change", N_("change"), MI_CELL_SHARE, "", N_("the difference as a share of the base")},
    {"base_share", N_("of the work"), MI_CELL_SHARE, "", N_("share of the work time of the base")},
    {"new_share", N_("of the new work"), MI_CELL_SHARE, "", N_("the same on the new side")},
};

static void add_time(const struct mi_diff *diff, struct mi_report_table *table, const char *what,
                     int64_t base_ns, int64_t new_ns, bool with_share)
{
    struct mi_cell *row = mi_report_add_row(diff->out, table);
    if (!row)
        return;
    row[0] = mi_cell_word(what);
    row[1] = mi_cell_int(base_ns);
    row[2] = mi_cell_int(new_ns);
    row[3] = mi_cell_int(mi_ns_sub(new_ns, base_ns));
    row[4] = mi_diff_change(base_ns, new_ns);
    if (with_share) {
        row[5] = mi_cell_share(base_ns, diff->compare->side[MI_CMP_BASE].work_ns);
        row[6] = mi_cell_share(new_ns, diff->compare->side[MI_CMP_NEW].work_ns);
    }
}

/* Of the iterations of median makespan: these add up to their makespans. */
static const char *const chain_words[MI_CMP_PIECES] = {
    [MI_TG_PIECE_WORK] = N_("critical chain: work"),
    [MI_TG_PIECE_WAIT] = N_("critical chain: waits for events"),
    [MI_TG_PIECE_GAP] = N_("critical chain: gaps"),
    [MI_TG_PIECE_LAUNCH] = N_("critical chain: launches by the host"),
};

static void list_times(const struct mi_diff *diff)
{
    const struct mi_cmp_side *base = &diff->compare->side[MI_CMP_BASE];
    const struct mi_cmp_side *new = &diff->compare->side[MI_CMP_NEW];
    if (!base->sample_count || !new->sample_count)
        return;
    struct mi_report_table *table =
        mi_report_add_table(diff->out, "times", N_("Time of a run"), time_columns,
                            sizeof time_columns / sizeof *time_columns);
    add_time(diff, table, N_("makespan"), base->makespan_ns, new->makespan_ns, false);
    add_time(diff, table, N_("work of all streams"), base->work_ns, new->work_ns, false);
    add_time(diff, table, N_("of it transfers"), base->transfer_ns, new->transfer_ns, true);
    if (!base->run.graph.count || !new->run.graph.count)
        return;
    for (unsigned kind = 0; kind < MI_CMP_PIECES; kind++)
        if (base->run.chain_ns[kind] || new->run.chain_ns[kind])
            add_time(diff, table, chain_words[kind], base->run.chain_ns[kind],
                     new->run.chain_ns[kind], false);
}

/* --- causes --- */

static const struct mi_report_column cause_columns[] = {
    {"rule", N_("cause"), MI_CELL_TEXT, "", N_("rule that names it, the same as in doctor")},
    {"what", N_("what"), MI_CELL_TEXT, "", N_("operator types, streams or element types")},
    {"ops", N_("ops"), MI_CELL_INT, "", N_("ops that it touches")},
    {"first", N_("first of them"), MI_CELL_TEXT, "", N_("the one whose time differs most")},
    {"time_ns", N_("time of the ops"), MI_CELL_INT, "ns", N_("difference of their times")},
    {"cost_ns", N_("cost"), MI_CELL_INT, "ns", N_("difference of the makespan, re-simulated")},
    {"share", N_("of the base"), MI_CELL_SHARE, "", N_("the cost as a share of its makespan")},
};

static void list_causes(const struct mi_diff *diff)
{
    const struct mi_compare *compare = diff->compare;
    struct mi_report_table *table =
        compare->cause_count
            ? mi_report_add_table(diff->out, "causes", N_("What made the difference"),
                                  cause_columns, sizeof cause_columns / sizeof *cause_columns)
            : NULL;
    bool timed = compare->side[0].sample_count && compare->side[1].sample_count;
    for (uint32_t i = 0; i < compare->cause_count; i++) {
        const struct mi_cmp_cause *cause = &compare->causes[i];
        struct mi_cell *row = mi_diff_row(diff, table);
        if (!row)
            return;
        row[0] = mi_cell_text(mi_cstr(cause->rule));
        if (cause->what.len)
            row[1] = mi_cell_text(mi_arena_copy(&diff->out->arena, cause->what));
        row[2] = mi_cell_int(cause->op_count);
        row[3] = mi_cell_text(mi_cmp_first_name(compare, cause, &diff->out->arena));
        if (timed)
            row[4] = mi_cell_int(cause->time_ns);
        if (cause->is_simulated) {
            row[5] = mi_cell_int(cause->cost_ns);
            row[6] = mi_cell_share(cause->cost_ns, compare->side[MI_CMP_BASE].makespan_ns);
        }
    }
}

/* --- findings --- */

static const struct {
    const char *rule, *sentence;
} sentences[] = {
    {"fusion_changed", N_("Fused otherwise: %1 (ops: %2, first: %3). Makespan %4.")},
    {"dtype_upcast", N_("Wider element type: %1 (ops: %2, first: %3). Makespan %4.")},
    {"dtype_changed", N_("Another element type: %1 (ops: %2, first: %3). Makespan %4.")},
    {"aicpu_fallback", N_("Runs on an AI CPU now: %1 (ops: %2, first: %3). Makespan %4.")},
    {"parallel_to_serial",
     N_("Ran at once with others and does no longer: %1 (ops: %2, first: %3). Makespan %4.")},
    {"missed_overlap",
     N_("Transfers no longer run beside work: %1 (ops: %2, first: %3). Makespan %4.")},
    {"stream_changed", N_("On another stream: %1 (ops: %2, first: %3). Makespan %4.")},
    {"inserted_transfers",
     N_("Transfers and conversions put in: %1 (ops: %2, first: %3). Makespan %4.")},
    {"host_bound", N_("Waits longer for the host, most before %3. Makespan %4.")},
    {"op_added", N_("New: %1 (ops: %2, first: %3). Makespan %4.")},
    {"op_removed", N_("Gone: %1 (ops: %2, first: %3). Makespan %4.")},
    {"slow_op", N_("Takes longer: %1 (ops: %2, first: %3). Makespan %4.")},
    {"collective_time", N_("Collectives take another time, that of waiting for other ranks "
                           "included: %1 (ops: %2, first: %3). Makespan %4.")},
    {"fast_op", N_("Takes less time: %1 (ops: %2, first: %3). Makespan %4.")},
};

static const char *sentence_of(const char *rule)
{
    for (size_t i = 0; i < sizeof sentences / sizeof *sentences; i++)
        if (strcmp(sentences[i].rule, rule) == 0)
            return sentences[i].sentence;
    return "";
}

static struct mi_bytes signed_span(struct mi_arena *arena, int64_t ns)
{
    char text[MI_DECIMAL_ROOM];
    mi_decimal_format_span(ns, text);
    return mi_arena_printf(arena, "%s%s", ns < 0 ? "" : "+", text);
}

/* The ops of a cause that are nodes of the new side. */
static uint32_t list_nodes(const struct mi_diff *diff, const struct mi_cmp_cause *cause,
                           mi_node_id **nodes)
{
    const struct mi_compare *compare = diff->compare;
    uint32_t count = 0;
    *nodes = mi_arena_alloc(&diff->out->arena, (cause->op_count + (size_t)1) * sizeof **nodes);
    for (uint32_t i = 0; *nodes && i < cause->op_count; i++) {
        uint32_t op = compare->cause_ops[cause->first_op + i];
        if (compare->ops[op].node[MI_CMP_NEW])
            (*nodes)[count++] = (mi_node_id){compare->ops[op].node[MI_CMP_NEW]};
    }
    diff->out->failed = diff->out->failed || !*nodes;
    return count;
}

static void add_cause(const struct mi_diff *diff, const struct mi_cmp_cause *cause)
{
    const struct mi_compare *compare = diff->compare;
    struct mi_arena *arena = &diff->out->arena;
    struct mi_bytes first = mi_cmp_first_name(compare, cause, arena);
    mi_node_id *nodes;
    uint32_t node_count = list_nodes(diff, cause, &nodes);
    mi_report_add_finding(
        diff->out, &(struct mi_finding){.rule = cause->rule,
                                        .severity = cause->cost_ns > 0 ? MI_WARNING : MI_INFO,
                                        .node = {node_count ? nodes[0].v : 0},
                                        .nodes = nodes,
                                        .node_count = node_count,
                                        .cost_from = N_("simulation"),
                                        .whole_ns = compare->side[MI_CMP_BASE].makespan_ns,
                                        .task = {cause->task},
                                        .subject = mi_arena_copy(arena, first),
                                        .sentence = sentence_of(cause->rule),
                                        .args = {mi_arena_copy(arena, cause->what),
                                                 mi_arena_printf(arena, "%u", cause->op_count),
                                                 first, signed_span(arena, cause->cost_ns)},
                                        .cost_ns = cause->cost_ns > 0 ? cause->cost_ns : -1});
}

static void put_note(const struct mi_diff *diff, const char *rule, enum mi_severity severity,
                     const char *sentence)
{
    mi_report_add_finding(
        diff->out, &(struct mi_finding){
                       .rule = rule, .severity = severity, .sentence = sentence, .cost_ns = -1});
}

static void add_findings(const struct mi_diff *diff)
{
    const struct mi_compare *compare = diff->compare;
    const struct mi_cmp_side *base = &compare->side[MI_CMP_BASE], *new = &compare->side[MI_CMP_NEW];
    bool timed = base->sample_count && new->sample_count;
    for (uint32_t i = 0; i < compare->cause_count; i++) {
        const struct mi_cmp_cause *cause = &compare->causes[i];
        int64_t size_ns = cause->cost_ns < 0 ? mi_ns_sub(0, cause->cost_ns) : cause->cost_ns;
        if (cause->is_simulated && size_ns >= diff->least_ns)
            add_cause(diff, cause);
    }
    if (!compare->change_count && !compare->cause_count && (timed || base->layer))
        put_note(diff, "no_difference", MI_INFO, N_("Nothing differs."));
    if (!base->layer && !timed)
        put_note(
            diff, "not_checked", MI_NOTICE,
            N_("The two sides have neither graphs of one kind nor tasks in common to compare."));
    if (base->sample_count != 0 && new->sample_count != 0 &&
        (base->sample_count < 3 || new->sample_count < 3))
        put_note(diff, "few_samples", MI_NOTICE,
                 N_("Fewer than three runs on one side: how much times scatter is not known, only "
                    "differences of a tenth and more are named."));
    if ((base->sample_count == 0) != (new->sample_count == 0))
        put_note(diff, "no_times", MI_NOTICE,
                 N_("Only one side has tasks: times are not compared."));
}

/* --- the report --- */

int64_t mi_diff_least_ns(const struct mi_compare *compare, const struct mi_args *args)
{
    const struct mi_arg *least = mi_args_find(args, "min-cost");
    int64_t share_ns = compare->side[MI_CMP_BASE].makespan_ns / LEAST_SHARE;
    if (least)
        return least->number * 1000;
    return share_ns > LEAST_COST_NS ? share_ns : LEAST_COST_NS;
}

void mi_diff_report(const struct mi_compare *compare, const struct mi_bytes names[],
                    const struct mi_args *args, struct mi_report *out)
{
    struct mi_diff diff = {.compare = compare,
                           .args = args,
                           .out = out,
                           .top = mi_args_int(args, "top", 0),
                           .least_ns = mi_diff_least_ns(compare, args)};
    diff.cause_of = mi_mem_zero(compare->op_count, sizeof *diff.cause_of);
    out->failed = out->failed || !diff.cause_of;
    if (!diff.cause_of)
        return;
    for (uint32_t i = 0; i < compare->cause_count; i++)
        for (uint32_t k = 0; k < compare->causes[i].op_count; k++)
            diff.cause_of[compare->cause_ops[compare->causes[i].first_op + k]] = i + 1;
    add_facts(&diff, names);
    list_times(&diff);
    list_causes(&diff);
    mi_diff_list_serials(&diff);
    mi_diff_list_types(&diff);
    mi_diff_list_ops(&diff);
    mi_diff_list_changes(&diff);
    if (mi_args_flag(args, "pairs"))
        mi_diff_list_pairs(&diff);
    add_findings(&diff);
    mi_mem_free(diff.cause_of);
}
