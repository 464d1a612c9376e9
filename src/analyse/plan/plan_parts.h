/* The parts of the pass "plan"; see plan.c. */
#ifndef MI_ANALYSE_PLAN_PARTS_H
#define MI_ANALYSE_PLAN_PARTS_H

#include "analyse/report.h"
#include "model/model.h"

struct mi_plan {
    const struct mi_model *model;
    struct mi_report *out;
    struct mi_bytes type, node; /* filters; empty = any */
    int64_t stream, position;   /* -1 = any */
    bool unlinked;
};

/* --- plan.c --- */

/* Whether the filters let a planned task through. */
bool mi_plan_passes(const struct mi_plan *plan, uint32_t task);

bool mi_plan_is_filtered(const struct mi_plan *plan);

/* The name of its node, else the one that the model states. */
struct mi_bytes mi_plan_node_name(const struct mi_plan *plan, uint32_t task);

void mi_plan_fact(const struct mi_plan *plan, const char *name, const char *title, int64_t number);

static inline struct mi_cell mi_plan_number(int64_t number)
{
    return number >= 0 ? mi_cell_int(number) : mi_cell_none();
}

static inline struct mi_cell mi_plan_text(struct mi_bytes text)
{
    return text.len ? mi_cell_text(text) : mi_cell_none();
}

/* --- plan_events.c: records of events and the waits for them --- */
void mi_plan_events(const struct mi_plan *plan);

/* --- plan_kernels.c: the code in the model and who runs it --- */
bool mi_plan_kernels(const struct mi_plan *plan, struct mi_error *err);

#endif
