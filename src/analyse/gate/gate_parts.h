/* What the files of the gate share; see gate.h. */
#ifndef MI_ANALYSE_GATE_PARTS_H
#define MI_ANALYSE_GATE_PARTS_H

#include "analyse/gate/gate.h"

/* What became of one rule. */
struct mi_gate_outcome {
    uint32_t checked, alarms;   /* how much was looked at, how much of it is beyond the limit */
    int64_t worst;              /* in the unit of the rule, of what was looked at */
    struct mi_bytes worst_name; /* of whom; empty: of the whole */
    const char *needs;          /* message id: why it was not checked; NULL: it was */
};

struct mi_gate {
    const struct mi_compare *compare;
    const struct mi_gate_rules *rules;
    const struct mi_args *args;
    struct mi_gate_measures measures;
    struct mi_report *out;
};

/* Judge one rule and add its findings; gate_times.c, gate_counts.c. */
struct mi_gate_outcome mi_gate_check_times(struct mi_gate *gate, const struct mi_gate_rule *rule);
struct mi_gate_outcome mi_gate_check_shares(struct mi_gate *gate, const struct mi_gate_rule *rule);
struct mi_gate_outcome mi_gate_check_counts(struct mi_gate *gate, const struct mi_gate_rule *rule);

/* Notes one value; true if it is beyond the limit. */
bool mi_gate_note(struct mi_gate_outcome *outcome, int64_t value, int64_t limit,
                  struct mi_bytes name);

/* "12.3 %", "2.0 points", "3", in the arena of the report. */
struct mi_bytes mi_gate_amount(const struct mi_gate *gate, enum mi_gate_unit unit, int64_t value);

#endif
