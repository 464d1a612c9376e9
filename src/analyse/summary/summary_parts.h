/* The parts of the pass "summary"; see summary.c. */
#ifndef MI_ANALYSE_SUMMARY_PARTS_H
#define MI_ANALYSE_SUMMARY_PARTS_H

#include "analyse/accounting.h"
#include "analyse/pass.h"

enum mi_summary_by {
    MI_BY_ALL,
    MI_BY_TYPE,
    MI_BY_CATEGORY,
    MI_BY_STREAM,
    MI_BY_CORE,
    MI_BY_ITERATION,
    MI_BY_RANK,
    MI_BY_DEVICE,
    MI_BY_OP,
};

struct mi_summary {
    const struct mi_model *model;
    const struct mi_account *account;
    struct mi_report *out;
    uint32_t top;            /* rows per table; 0 = all */
    enum mi_summary_by by;   /* the one table that is wanted */
    enum mi_layer top_layer; /* layer whose nodes are counted: compiled, else framework */
    bool has_tasks;
};

/* Tables by_type, by_category, by_stream, by_core, by_device, by_rank, by_op and kernels. */
bool mi_summary_groups(const struct mi_summary *summary, struct mi_error *err);

/* Facts on makespans; table runs, which says what filled each where it is the one that is wanted.
 */
bool mi_summary_makespans(const struct mi_summary *summary, struct mi_error *err);
bool mi_summary_runs(const struct mi_summary *summary, struct mi_error *err);

/* Facts on explained time. */
void mi_summary_explained(const struct mi_summary *summary);

/* Tables links, fates, origins, unexplained. */
bool mi_summary_links(const struct mi_summary *summary, struct mi_error *err);

/* Tables planned and stated: what the compiler planned, for which chip and by which command. */
bool mi_summary_plan(const struct mi_summary *summary, struct mi_error *err);

/* Adds a fact of whole numbers. */
void mi_summary_fact(const struct mi_summary *summary, const char *name, const char *title,
                     enum mi_cell_kind kind, const char *unit, struct mi_cell cell);

#endif
