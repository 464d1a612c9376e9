#include "analyse/gate/gate_parts.h"

#include "analyse/pass_params.h"
#include "base/mem.h"
#include "base/translate.h"

#include <math.h>
#include <stdlib.h>

enum { MILLION = 1000000 };

const struct mi_param mi_params_gate[] = {
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("At most N rows of measured times; 0 = all (default: 20; all with --json).")},
    MI_CMP_PARAMS,
    {.name = "fail-on",
     .kind = MI_PARAM_CHOICE,
     .metavar = N_("SEVERITY"),
     .choices = mi_severity_choices,
     .default_text = "warning",
     .help = N_("Exit with 1 if there is an alarm of this severity or higher (default: warning).")},
    MI_PARAM_END};

/* --- amounts --- */

struct mi_bytes mi_gate_amount(const struct mi_gate *gate, enum mi_gate_unit unit, int64_t value)
{
    struct mi_arena *arena = &gate->out->arena;
    if (unit == MI_GATE_COUNT)
        return mi_arena_printf(arena, "%lld", (long long)value);
    int64_t size = value < 0 ? -value : value;
    int64_t tenths = (size + MILLION / 2000) / (MILLION / 1000); /* of a per cent */
    return mi_arena_printf(arena, "%s%lld.%lld %s", value < 0 && tenths ? "-" : "",
                           (long long)(tenths / 10), (long long)(tenths % 10),
                           unit == MI_GATE_PERCENT ? "%" : "points");
}

bool mi_gate_note(struct mi_gate_outcome *outcome, int64_t value, int64_t limit,
                  struct mi_bytes name)
{
    if (!outcome->checked++ || value > outcome->worst) {
        outcome->worst = value;
        outcome->worst_name = name;
    }
    return value > limit;
}

/* --- rules --- */

static const struct mi_report_column rule_columns[] = {
    {"rule", N_("rule"), MI_CELL_TEXT, "", N_("name of the rule")},
    {"looks_for", N_("looks for"), MI_CELL_WORD, "", N_("what is an alarm")},
    {"state", N_("state"), MI_CELL_WORD, "", N_("passed, alarm or not checked")},
    {"limit", N_("limit"), MI_CELL_TEXT, "", N_("more than this is an alarm")},
    {"worst", N_("worst"), MI_CELL_TEXT, "", N_("the largest of what was looked at")},
    {"whose", N_("of"), MI_CELL_TEXT, "", N_("whose it is")},
    {"checked", N_("checked"), MI_CELL_INT, "", N_("how much was looked at")},
    {"alarms", N_("alarms"), MI_CELL_INT, "", N_("how much of it is beyond limit and noise")},
    {"not_checked", N_("not checked"), MI_CELL_WORD, "", N_("why it was not checked")},
};

static struct mi_gate_outcome check(struct mi_gate *gate, const struct mi_gate_rule *rule)
{
    if (rule->kind == MI_GATE_makespan || rule->kind == MI_GATE_op_time ||
        rule->kind == MI_GATE_type_time)
        return mi_gate_check_times(gate, rule);
    if (mi_gate_kinds[rule->kind].unit == MI_GATE_POINTS)
        return mi_gate_check_shares(gate, rule);
    return mi_gate_check_counts(gate, rule);
}

static void put_row(const struct mi_gate *gate, struct mi_report_table *table,
                    const struct mi_gate_rule *rule, const struct mi_gate_outcome *outcome)
{
    const struct mi_gate_kind_facts *facts = &mi_gate_kinds[rule->kind];
    struct mi_cell *row = mi_report_add_row(gate->out, table);
    bool is_wide = !gate->measures.noise.is_known && facts->unit != MI_GATE_COUNT;
    if (!row)
        return;
    row[0] = mi_cell_text(mi_cstr(facts->name));
    row[1] = mi_cell_word(facts->question);
    row[2] = mi_cell_word(outcome->needs    ? N_("not checked")
                          : outcome->alarms ? N_("alarm")
                                            : N_("passed"));
    row[3] = mi_cell_text(
        mi_gate_amount(gate, facts->unit, is_wide ? rule->unknown_limit : rule->limit));
    row[6] = mi_cell_int(outcome->checked);
    row[7] = mi_cell_int(outcome->alarms);
    if (outcome->needs) {
        row[8] = mi_cell_word(outcome->needs);
        return;
    }
    row[4] = mi_cell_text(mi_gate_amount(gate, facts->unit, outcome->worst));
    if (outcome->worst_name.len)
        row[5] = mi_cell_text(outcome->worst_name);
}

static void put_not_checked(const struct mi_gate *gate, const struct mi_gate_rule *rule,
                            const char *needs)
{
    mi_report_add_finding(
        gate->out,
        &(struct mi_finding){.rule = "not_checked",
                             .severity = MI_ERROR,
                             .subject = mi_cstr(mi_gate_kinds[rule->kind].name),
                             .sentence = N_("Rule %1 of the rules file was not checked: %2."),
                             .args = {mi_cstr(mi_gate_kinds[rule->kind].name), mi_cstr(needs)},
                             .cost_ns = -1});
}

static void check_rules(struct mi_gate *gate)
{
    struct mi_report_table *table = mi_report_add_table(
        gate->out, "rules", N_("Rules"), rule_columns, sizeof rule_columns / sizeof *rule_columns);
    uint32_t checked = 0;
    mi_report_mark_details(table, "looks_for checked");
    for (uint32_t i = 0; table && i < gate->rules->count; i++) {
        const struct mi_gate_rule *rule = &gate->rules->list[i];
        struct mi_gate_outcome outcome = check(gate, rule);
        put_row(gate, table, rule, &outcome);
        checked += outcome.needs == NULL;
        if (outcome.needs && gate->rules->are_given)
            put_not_checked(gate, rule, outcome.needs);
    }
    if (!checked && !gate->rules->are_given)
        mi_report_add_finding(gate->out,
                              &(struct mi_finding){.rule = "not_checked",
                                                   .severity = MI_ERROR,
                                                   .sentence = N_("Nothing could be checked: the "
                                                                  "two sides have neither graphs "
                                                                  "of one kind nor tasks."),
                                                   .cost_ns = -1});
}

/* --- measured times --- */

static const struct mi_report_column measure_columns[] = {
    {"kind", N_("what"), MI_CELL_TEXT, "", N_("rule that looks at it")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("operator or operator type")},
    {"base_ns", N_("base"), MI_CELL_INT, "ns", N_("median of the runs of the base")},
    {"new_ns", N_("new"), MI_CELL_INT, "ns", N_("median of the runs of the new side")},
    {"change", N_("change"), MI_CELL_SHARE, "",
     N_("of the means of the middle three fifths, beside what is common to all operators")},
    {"chance", N_("noise"), MI_CELL_SHARE, "", N_("as much could be chance; none: not known")},
    {"sure", N_("seen from"), MI_CELL_SHARE, "",
     N_("a change of this size would be found 99 times of 100")},
    {"alarm", N_("alarm"), MI_CELL_BOOL, "", N_("beyond limit and noise")},
};

struct place {
    bool is_alarm;
    double change;
    uint32_t row;
};

static int by_change(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->is_alarm != b->is_alarm)
        return a->is_alarm ? -1 : 1;
    if (a->change != b->change)
        return a->change > b->change ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

static struct mi_cell share_cell(double share)
{
    if (!isfinite(share) || fabs(share) > 1e9)
        return mi_cell_none();
    return mi_cell_int((int64_t)(share * MILLION + (share < 0 ? -0.5 : 0.5)));
}

static void put_measure(const struct mi_gate *gate, struct mi_report_table *table, uint32_t m)
{
    const struct mi_gate_measure *measure = &gate->measures.list[m];
    const struct mi_noise_series *series = &gate->measures.noise.series[m];
    struct mi_cell *row = mi_report_add_row(gate->out, table);
    if (!row)
        return;
    row[0] = mi_cell_text(mi_cstr(mi_gate_kinds[measure->kind].name));
    if (measure->name.len)
        row[1] = mi_cell_text(measure->name);
    row[2] = mi_cell_int(measure->base_ns);
    row[3] = mi_cell_int(measure->new_ns);
    row[4] = share_cell(series->change);
    row[5] = share_cell(series->chance);
    row[6] = share_cell(series->sure);
    row[7] = (struct mi_cell){.number = measure->is_alarm};
}

static void list_measures(const struct mi_gate *gate)
{
    uint32_t count = gate->measures.count;
    int64_t top = mi_args_int(gate->args, "top", 0);
    struct place *places = count ? mi_mem_new(count, sizeof *places) : NULL;
    if (!places) {
        gate->out->failed = gate->out->failed || count > 0;
        return;
    }
    for (uint32_t m = 0; m < count; m++)
        places[m] = (struct place){.is_alarm = gate->measures.list[m].is_alarm,
                                   .change = gate->measures.noise.series[m].change,
                                   .row = m};
    qsort(places, count, sizeof *places, by_change);
    struct mi_report_table *table =
        mi_report_add_table(gate->out, "measured", N_("Measured times"), measure_columns,
                            sizeof measure_columns / sizeof *measure_columns);
    for (uint32_t m = 0; table && m < count && (top == 0 || table->row_count < top); m++)
        if (gate->measures.list[places[m].row].kind != MI_GATE_LEVEL)
            put_measure(gate, table, places[m].row);
    mi_mem_free(places);
}

/* --- facts --- */

static void add_fact(const struct mi_gate *gate, const char *name, const char *title,
                     enum mi_cell_kind kind, struct mi_cell cell)
{
    mi_report_add_fact(gate->out,
                       &(struct mi_report_fact){
                           .name = name, .title = title, .kind = kind, .unit = "", .cell = cell});
}

static void add_facts(const struct mi_gate *gate, const struct mi_bytes names[])
{
    const struct mi_noise *noise = &gate->measures.noise;
    add_fact(gate, "base", N_("Base"), MI_CELL_TEXT, mi_cell_text(names[MI_CMP_BASE]));
    add_fact(gate, "new", N_("New"), MI_CELL_TEXT, mi_cell_text(names[MI_CMP_NEW]));
    if (!gate->measures.count)
        return;
    add_fact(gate, "base_samples", N_("Runs of the base"), MI_CELL_INT,
             mi_cell_int(noise->counts[MI_CMP_BASE]));
    add_fact(gate, "new_samples", N_("Runs of the new side"), MI_CELL_INT,
             mi_cell_int(noise->counts[MI_CMP_NEW]));
    add_fact(gate, "noise", N_("Noise"), MI_CELL_WORD,
             mi_cell_word(noise->is_known
                              ? N_("known from the runs")
                              : N_("not known, wider limits: five runs of each side are needed")));
    if (noise->is_known)
        add_fact(gate, "seen_from", N_("Change of the makespan that is surely seen"), MI_CELL_SHARE,
                 share_cell(noise->series[0].sure));
    if (gate->measures.left_out)
        add_fact(gate, "left_out", N_("Operators not measured: they take least"), MI_CELL_INT,
                 mi_cell_int(gate->measures.left_out));
}

bool mi_gate_report(const struct mi_compare *compare, const struct mi_gate_rules *rules,
                    const struct mi_bytes names[], const struct mi_args *args,
                    struct mi_report *out, struct mi_error *err)
{
    struct mi_gate gate = {.compare = compare, .rules = rules, .args = args, .out = out};
    bool ok = mi_gate_measures_init(&gate.measures, compare, rules, &out->arena, err);
    if (ok) {
        add_facts(&gate, names);
        check_rules(&gate);
        list_measures(&gate);
    }
    mi_gate_measures_fini(&gate.measures);
    if (ok && out->failed)
        return mi_fail(err, MI_ENOMEM, "out of memory");
    return ok;
}
