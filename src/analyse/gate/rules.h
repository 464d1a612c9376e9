/* Rules of a gate: what is watched, and how much of a change is an alarm.
 *
 * A rules file is JSON, described in docs/schema/gate-rules.schema.json:
 *
 *   {"schema": "model-inspector-gate-rules/1", "false_alarms": 0.001,
 *    "rules": [{"rule": "makespan", "limit_percent": 2.5},
 *              {"rule": "op_time", "names": ["*attention*"], "limit_percent": 1, "least_percent":
 * 0},
 *              {"rule": "inserted_transfers", "limit_count": 3, "severity": "warning"}]}
 *
 * With a file only its rules count; a rule may stand there several times, for other names. Unknown
 * words are refused: a misspelt limit must not let everything pass. */
#ifndef MI_ANALYSE_GATE_RULES_H
#define MI_ANALYSE_GATE_RULES_H

#include "base/arena.h"
#include "base/error.h"
#include "model/tables.h"

#define MI_GATE_SCHEMA "model-inspector-gate-rules/1"

enum mi_gate_unit { MI_GATE_PERCENT, MI_GATE_POINTS, MI_GATE_COUNT };

enum mi_gate_kind {
#define MI_GATE_RULE(id, unit, limit, unknown, least_share, severity, question) MI_GATE_##id,
#include "analyse/gate/rules.def"
#undef MI_GATE_RULE
    MI_GATE_KINDS
};

struct mi_gate_kind_facts {
    const char *name; /* "op_time" */
    enum mi_gate_unit unit;
    int64_t limit, unknown_limit, least_share;
    enum mi_severity severity;
    const char *question; /* message id: what it looks for */
};

extern const struct mi_gate_kind_facts mi_gate_kinds[MI_GATE_KINDS];

struct mi_gate_rule {
    enum mi_gate_kind kind;
    enum mi_severity severity;
    int64_t limit;          /* ppm, or a count: more is an alarm */
    int64_t unknown_limit;  /* the same where the noise is not known */
    int64_t least_share;    /* ppm of the work of the base: less is not looked at */
    struct mi_bytes *names; /* [name_count] patterns of operators or types; none: all */
    uint32_t name_count;
};

struct mi_gate_rules {
    struct mi_gate_rule *list; /* [count] */
    uint32_t count;
    int64_t false_alarms_ppm; /* wanted share of comparisons of equals with any alarm */
    bool are_given;           /* by a file: one that cannot be checked does not pass */
    struct mi_arena arena;
};

/* One rule of each kind. */
bool mi_gate_rules_default(struct mi_gate_rules *rules, struct mi_error *err);

/* Reads a rules file; errors have line and offset. */
bool mi_gate_rules_read(struct mi_gate_rules *rules, struct mi_bytes text, struct mi_error *err);

void mi_gate_rules_fini(struct mi_gate_rules *rules);

/* Whether the rule looks at what has this name. */
bool mi_gate_rule_names(const struct mi_gate_rule *rule, struct mi_bytes name);

#endif
