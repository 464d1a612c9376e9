/* A comparison as a report: what costs how much, then tables of times, types, ops and changes. Rows
 * of either side's tables mean nothing to a reader who has one model only: nodes stand there by
 * name. */
#ifndef MI_ANALYSE_DIFF_REPORT_H
#define MI_ANALYSE_DIFF_REPORT_H

#include "analyse/compare/compare.h"
#include "analyse/report.h"
#include "base/param.h"

extern const struct mi_param mi_params_diff[];

/* `names`: what the two sides are called. Out of memory is remembered by the report. */
void mi_diff_report(const struct mi_compare *compare, const struct mi_bytes names[],
                    const struct mi_args *args, struct mi_report *out);

/* What a cause has to cost to be a finding: --min-cost, else one per cent of the run, at least 5
 * us. */
int64_t mi_diff_least_ns(const struct mi_compare *compare, const struct mi_args *args);

/* --- parts --- */

struct mi_diff {
    const struct mi_compare *compare;
    const struct mi_args *args;
    struct mi_report *out;
    int64_t top;        /* rows of a table; 0 = all */
    uint32_t *cause_of; /* [op_count] cause + 1; 0 = none */
    int64_t least_ns;   /* smaller costs are no findings */
};

/* Adds a row, or NULL if the table has `top` rows already (or memory is out). */
struct mi_cell *mi_diff_row(const struct mi_diff *diff, struct mi_report_table *table);

/* A difference, and the same as a share of the base; none where the base is 0. */
struct mi_cell mi_diff_change(int64_t base, int64_t new);

void mi_diff_list_ops(const struct mi_diff *diff);     /* diff_ops.c */
void mi_diff_list_serials(const struct mi_diff *diff); /* diff_ops.c */
void mi_diff_list_types(const struct mi_diff *diff);   /* diff_ops.c */
void mi_diff_list_changes(const struct mi_diff *diff); /* diff_nodes.c */
void mi_diff_list_pairs(const struct mi_diff *diff);   /* diff_nodes.c */

#endif
