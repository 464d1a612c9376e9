/* Rules on times and on shares of time. */
#include "analyse/describe.h"
#include "analyse/gate/gate_parts.h"
#include "base/translate.h"

#include <math.h>

enum { MILLION = 1000000, MOST_FINDINGS = 5 /* of one rule */ };

static int64_t to_ppm(double share)
{
    return share < 1e12 ? (int64_t)(share * MILLION + (share < 0 ? -0.5 : 0.5)) : INT64_MAX;
}

/* --- times --- */

static const char *time_sentence(enum mi_gate_kind kind)
{
    if (kind == MI_GATE_makespan)
        return N_("Runs take %4 longer: %2 instead of %3.");
    if (kind == MI_GATE_op_time)
        return N_("%1 takes %4 longer: %2 instead of %3.");
    return N_("Operator type %1 takes %4 longer: %2 instead of %3.");
}

static void add_time(const struct mi_gate *gate, const struct mi_gate_rule *rule,
                     const struct mi_gate_measure *measure, const struct mi_noise_series *series)
{
    struct mi_finding finding = {
        .rule = mi_gate_kinds[rule->kind].name,
        .severity = rule->severity,
        .subject = measure->name,
        .sentence = time_sentence(rule->kind),
        .args = {measure->name, mi_describe_span(measure->new_ns, &gate->out->arena),
                 mi_describe_span(measure->base_ns, &gate->out->arena),
                 mi_gate_amount(gate, MI_GATE_PERCENT, to_ppm(series->change))},
        .cost_ns = measure->new_ns > measure->base_ns ? measure->new_ns - measure->base_ns : -1,
        .cost_from = N_("difference of the medians"),
        .whole_ns = gate->compare->side[MI_CMP_BASE].makespan_ns};
    mi_report_add_finding(gate->out, &finding);
}

/* People read the costliest; the table has the rest. */
static void add_more(const struct mi_gate *gate, const struct mi_gate_rule *rule, uint32_t count)
{
    mi_report_add_finding(
        gate->out,
        &(struct mi_finding){.rule = mi_gate_kinds[rule->kind].name,
                             .severity = rule->severity,
                             .sentence = N_("And %1 more like these, which take less time."),
                             .args = {mi_arena_printf(&gate->out->arena, "%u", count)},
                             .cost_ns = -1});
}

/* How long a rank waits for others in one run: collectives are not looked at where noise is not
 * known, unless they are named. */
static bool is_chance(const struct mi_gate *gate, const struct mi_gate_rule *rule)
{
    return !gate->measures.noise.is_known && !rule->name_count;
}

struct mi_gate_outcome mi_gate_check_times(struct mi_gate *gate, const struct mi_gate_rule *rule)
{
    struct mi_gate_outcome outcome = {0};
    const struct mi_noise *noise = &gate->measures.noise;
    int64_t limit = noise->is_known ? rule->limit : rule->unknown_limit;
    uint32_t most = mi_args_int(gate->args, "top", 0) ? MOST_FINDINGS : UINT32_MAX;
    if (!gate->measures.count)
        outcome.needs = N_("needs tasks on both sides");
    for (uint32_t m = 0; m < gate->measures.count; m++) {
        struct mi_gate_measure *measure = &gate->measures.list[m];
        const struct mi_noise_series *series = &noise->series[m];
        if (measure->kind != rule->kind || measure->share_ppm < rule->least_share ||
            !mi_gate_rule_names(rule, measure->name) ||
            (measure->is_collective && is_chance(gate, rule)))
            continue;
        bool is_beyond = mi_gate_note(&outcome, to_ppm(series->change), limit, measure->name);
        if (!is_beyond || (noise->is_known && series->change <= series->chance))
            continue;
        measure->is_alarm = true;
        if (outcome.alarms++ < most)
            add_time(gate, rule, measure, series);
    }
    if (outcome.alarms > most)
        add_more(gate, rule, outcome.alarms - most);
    if (!outcome.needs && !outcome.checked)
        outcome.needs = N_("nothing that both sides ran is looked at by it");
    return outcome;
}

/* --- shares --- */

static void add_share(const struct mi_gate *gate, const struct mi_gate_rule *rule,
                      const char *sentence, struct mi_bytes name, int64_t base, int64_t new)
{
    mi_report_add_finding(
        gate->out, &(struct mi_finding){.rule = mi_gate_kinds[rule->kind].name,
                                        .severity = rule->severity,
                                        .subject = name,
                                        .sentence = sentence,
                                        .args = {name, mi_gate_amount(gate, MI_GATE_PERCENT, new),
                                                 mi_gate_amount(gate, MI_GATE_PERCENT, base)},
                                        .cost_ns = -1});
}

static int64_t share_of(int64_t part, int64_t whole)
{
    return whole > 0 ? mi_cell_share(part, whole).number : 0;
}

static void check_types(struct mi_gate *gate, const struct mi_gate_rule *rule, int64_t limit,
                        struct mi_gate_outcome *outcome)
{
    const struct mi_compare *compare = gate->compare;
    int64_t whole[MI_CMP_SIDES] = {0};
    for (uint32_t y = 1; y < compare->type_count; y++)
        for (unsigned side = 0; side < MI_CMP_SIDES; side++)
            whole[side] = mi_ns_add(whole[side], compare->types[y].total_ns[side]);
    for (uint32_t y = 1; y < compare->type_count; y++) {
        struct mi_bytes name = mi_arena_copy(&gate->out->arena, mi_cmp_type_name(compare, y));
        int64_t base = share_of(compare->types[y].total_ns[MI_CMP_BASE], whole[MI_CMP_BASE]);
        int64_t new = share_of(compare->types[y].total_ns[MI_CMP_NEW], whole[MI_CMP_NEW]);
        if ((!base && !new) || !mi_gate_rule_names(rule, name) ||
            (compare->types[y].is_collective && is_chance(gate, rule)) ||
            !mi_gate_note(outcome, new - base, limit, name))
            continue;
        outcome->alarms++;
        add_share(gate, rule, N_("Operator type %1 takes %2 of the work instead of %3."), name,
                  base, new);
    }
}

struct mi_gate_outcome mi_gate_check_shares(struct mi_gate *gate, const struct mi_gate_rule *rule)
{
    struct mi_gate_outcome outcome = {0};
    const struct mi_cmp_side *sides = gate->compare->side;
    int64_t limit = gate->measures.noise.is_known ? rule->limit : rule->unknown_limit;
    if (!gate->measures.count) {
        outcome.needs = N_("needs tasks on both sides");
        return outcome;
    }
    if (rule->kind == MI_GATE_type_share) {
        check_types(gate, rule, limit, &outcome);
        return outcome;
    }
    int64_t base = share_of(sides[MI_CMP_BASE].transfer_ns, sides[MI_CMP_BASE].work_ns);
    int64_t new = share_of(sides[MI_CMP_NEW].transfer_ns, sides[MI_CMP_NEW].work_ns);
    if (mi_gate_note(&outcome, new - base, limit, (struct mi_bytes){0})) {
        outcome.alarms++;
        add_share(gate, rule, N_("Transfers take %2 of the work instead of %3."),
                  (struct mi_bytes){0}, base, new);
    }
    return outcome;
}
