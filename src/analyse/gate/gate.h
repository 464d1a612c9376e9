/* The gate: is the new side worse than the base by more than the rules allow and than chance does?
 *
 * A time is an alarm if it is beyond the limit of its rule and beyond what noise alone would do
 * (noise.h); where too few samples were taken to know the noise, the wider limit counts instead.
 * What is counted in graphs has no noise. */
#ifndef MI_ANALYSE_GATE_H
#define MI_ANALYSE_GATE_H

#include "analyse/gate/measures.h"
#include "analyse/report.h"
#include "base/param.h"

extern const struct mi_param mi_params_gate[];

/* Fills a report: facts, tables "rules" (one row per rule, its state) and "measured", and a finding
 * per alarm. `names`: what the two sides are called. Parameters: `top`, rows of "measured". False:
 * MI_ENOMEM. */
bool mi_gate_report(const struct mi_compare *compare, const struct mi_gate_rules *rules,
                    const struct mi_bytes names[], const struct mi_args *args,
                    struct mi_report *out, struct mi_error *err);

#endif
