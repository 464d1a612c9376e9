/* The parts of the pass "summary"; see summary.c. */
#ifndef MI_ANALYSE_SUMMARY_PARTS_H
#define MI_ANALYSE_SUMMARY_PARTS_H

#include "analyse/accounting.h"
#include "analyse/pass.h"

struct mi_summary {
    const struct mi_model *model;
    const struct mi_account *account;
    struct mi_report *out;
    uint32_t top;            /* rows per table; 0 = all */
    enum mi_layer top_layer; /* layer whose nodes are counted: compiled, else framework */
    bool has_tasks;
};

/* Tables by_type, by_category, by_stream. */
bool mi_summary_groups(const struct mi_summary *summary, struct mi_error *err);

/* Tables links, fates, origins, unexplained and the facts on explained time. */
bool mi_summary_links(const struct mi_summary *summary, struct mi_error *err);

/* Tables planned and stated: what the compiler planned, for which chip and by which command. */
bool mi_summary_plan(const struct mi_summary *summary, struct mi_error *err);

/* Adds a fact of whole numbers. */
void mi_summary_fact(const struct mi_summary *summary, const char *name, const char *title,
                     enum mi_cell_kind kind, const char *unit, struct mi_cell cell);

#endif
