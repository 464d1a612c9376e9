/* Rules on what is counted in the graphs, and on what ran at once. */
#include "analyse/gate/gate_parts.h"
#include "base/translate.h"

struct count {
    int64_t number;
    struct mi_bytes first, second; /* whom it is about */
};

static struct mi_bytes printed(const struct mi_gate *gate, int64_t number)
{
    return mi_arena_printf(&gate->out->arena, "%lld", (long long)number);
}

static void add_count(const struct mi_gate *gate, const struct mi_gate_rule *rule,
                      const char *sentence, const struct count *count)
{
    mi_report_add_finding(gate->out, &(struct mi_finding){.rule = mi_gate_kinds[rule->kind].name,
                                                          .severity = rule->severity,
                                                          .subject = count->first,
                                                          .sentence = sentence,
                                                          .args = {printed(gate, count->number),
                                                                   printed(gate, rule->limit),
                                                                   count->first, count->second},
                                                          .cost_ns = -1});
}

static void keep_first(struct count *count, struct mi_bytes name)
{
    if (!count->first.len)
        count->first = name;
}

/* Conversions that are new, less those that are gone: one that moved was not put in. */
static struct count count_transfers(const struct mi_gate *gate)
{
    const struct mi_compare *compare = gate->compare;
    struct count count = {0};
    for (uint32_t i = 0; i < compare->change_count; i++) {
        const struct mi_cmp_change *change = &compare->changes[i];
        if (!change->op || !mi_cmp_is_conversion(compare, change->op))
            continue;
        if (change->kind == MI_CMP_APPEARED) {
            keep_first(&count, mi_cmp_op_name(compare, change->op, &gate->out->arena));
            count.number++;
        } else if (change->kind == MI_CMP_VANISHED) {
            count.number--;
        }
    }
    return count;
}

static struct count count_dtypes(const struct mi_gate *gate)
{
    const struct mi_compare *compare = gate->compare;
    struct count count = {0};
    for (uint32_t i = 0; i < compare->change_count; i++) {
        const struct mi_cmp_change *change = &compare->changes[i];
        if (change->kind != MI_CMP_DTYPE || !change->op)
            continue;
        keep_first(&count, mi_cmp_op_name(compare, change->op, &gate->out->arena));
        count.number++;
    }
    return count;
}

static struct count count_serials(const struct mi_gate *gate)
{
    const struct mi_compare *compare = gate->compare;
    struct count count = {0};
    for (uint32_t i = 0; i < compare->serial_count; i++) {
        if (compare->serials[i].order == MI_CMP_TIMING)
            continue; /* nothing keeps them apart */
        if (!count.number++) {
            const uint32_t *ops = compare->serials[i].op;
            count.first = mi_cmp_op_name(compare, ops[0], &gate->out->arena);
            count.second = mi_cmp_op_name(compare, ops[1], &gate->out->arena);
        }
    }
    return count;
}

static void check_nodes(struct mi_gate *gate, const struct mi_gate_rule *rule,
                        struct mi_gate_outcome *outcome)
{
    uint32_t base = gate->compare->side[MI_CMP_BASE].node_count;
    uint32_t new = gate->compare->side[MI_CMP_NEW].node_count;
    int64_t distance = new > base ? (int64_t) new - base : (int64_t)base - new;
    if (!base || !mi_gate_note(outcome, mi_cell_share(distance, base).number, rule->limit,
                               (struct mi_bytes){0}))
        return;
    outcome->alarms++;
    mi_report_add_finding(
        gate->out, &(struct mi_finding){.rule = mi_gate_kinds[rule->kind].name,
                                        .severity = rule->severity,
                                        .sentence = N_("The graph has %1 nodes instead of %2."),
                                        .args = {printed(gate, new), printed(gate, base)},
                                        .cost_ns = -1});
}

struct mi_gate_outcome mi_gate_check_counts(struct mi_gate *gate, const struct mi_gate_rule *rule)
{
    struct mi_gate_outcome outcome = {0};
    const char *sentence = NULL;
    struct count count = {0};
    bool has_graphs = gate->compare->side[MI_CMP_BASE].layer != MI_LAYER_NONE;
    if (rule->kind == MI_GATE_parallel_to_serial ? !gate->measures.count : !has_graphs) {
        outcome.needs = rule->kind == MI_GATE_parallel_to_serial
                            ? N_("needs tasks on both sides")
                            : N_("needs graphs of one kind on both sides");
        return outcome;
    }
    if (rule->kind == MI_GATE_node_count) {
        check_nodes(gate, rule, &outcome);
        return outcome;
    }
    if (rule->kind == MI_GATE_inserted_transfers) {
        sentence = N_("Conversions or copies put in: %1 (allowed: %2), first: %3.");
        count = count_transfers(gate);
    } else if (rule->kind == MI_GATE_dtype_changes) {
        sentence = N_("Nodes with another element type: %1 (allowed: %2), first: %3.");
        count = count_dtypes(gate);
    } else {
        sentence = N_(
            "Pairs that ran at once and run one after the other: %1 (allowed: %2), first: %3, %4.");
        count = count_serials(gate);
    }
    if (mi_gate_note(&outcome, count.number, rule->limit, count.first)) {
        outcome.alarms++;
        add_count(gate, rule, sentence, &count);
    }
    return outcome;
}
