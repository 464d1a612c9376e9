/* What a gate measures of a comparison: makespan, operators, operator types, each as a series of
 * one value per run of either side, with what noise alone would do to it.
 *
 * Operators and types are measured beside the level of each run, which is what is common to all its
 * operators: a run in which the whole device was slower says nothing about one of them. The level
 * is a series of its own; where it changed by more than chance, its change is put back on each of
 * them: many operators may have become slower at once. */
#ifndef MI_ANALYSE_GATE_MEASURES_H
#define MI_ANALYSE_GATE_MEASURES_H

#include "analyse/compare/compare.h"
#include "analyse/gate/noise.h"
#include "analyse/gate/rules.h"

/* Kind of the level, which no rule watches; in parts per million of the usual. */
#define MI_GATE_LEVEL MI_GATE_KINDS

struct mi_gate_measure {
    enum mi_gate_kind kind;  /* makespan, op_time, type_time or MI_GATE_LEVEL */
    uint32_t row;            /* op or type of the comparison */
    struct mi_bytes name;    /* in the arena that was given */
    int64_t base_ns, new_ns; /* medians as measured */
    int64_t share_ppm;       /* of the work of the base */
    bool is_collective;      /* an op, or a type of ops, that waits for other ranks */
    bool is_alarm;           /* set by who judges */
};

struct mi_gate_measures {
    struct mi_gate_measure *list;
    struct mi_noise noise; /* its series stand beside the list */
    int64_t *samples;      /* [count][samples of both sides] */
    uint32_t count;
    uint32_t left_out; /* operators beyond the costliest MI_GATE_MOST_OPS */
    bool is_levelled;  /* operators are measured beside what is common to them */
};

enum { MI_GATE_MOST_OPS = 2000 };

/* Measures what the rules look at, as far as both sides ran it. `arena` keeps names. False:
 * MI_ENOMEM. Free with mi_gate_measures_fini() in any case. */
bool mi_gate_measures_init(struct mi_gate_measures *measures, const struct mi_compare *compare,
                           const struct mi_gate_rules *rules, struct mi_arena *arena,
                           struct mi_error *err);
void mi_gate_measures_fini(struct mi_gate_measures *measures);

#endif
