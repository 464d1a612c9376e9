/* Time accounting: what one task adds to a sum, and which runs are counted.
 *
 * A task that encloses others (If, Loop, FFTS+) adds only the time that none of its sub-tasks
 * covers, so a sum over all tasks counts every moment of a lane once. Synchronisation tasks are no
 * work: their time is waiting. Runs are numbered per capture; from three runs on the first ones are
 * warm-up and kept apart; so is one that was cut short. */
#ifndef MI_ANALYSE_ACCOUNTING_H
#define MI_ANALYSE_ACCOUNTING_H

#include "model/model.h"

struct mi_account_run {
    uint32_t group;           /* equal for runs that are numbered together: those of a capture */
    uint32_t run;             /* as in the tasks table */
    mi_source_id source;      /* file that a task of it stands in; 0 = none */
    uint32_t counted_beside;  /* counted runs of its group */
    bool is_counted;          /* false: warm-up, or cut short */
    uint32_t tasks;           /* work tasks */
    int64_t total_ns;         /* sum of their own times */
    int64_t first_ns, end_ns; /* first start and last end of work tasks */
};

struct mi_account {
    int64_t *own_ns;             /* [tasks.count] duration without sub-tasks */
    uint32_t *run_of;            /* [tasks.count] index into runs */
    struct mi_account_run *runs; /* [run_count], by group and run number */
    uint32_t run_count, counted_runs, group_count;
};

/* The model must be frozen. */
bool mi_account_init(struct mi_account *account, const struct mi_model *model,
                     struct mi_error *err);
void mi_account_fini(struct mi_account *account);

/* Compute, transfer, communication and what encloses them; not synchronisation. */
bool mi_task_is_work(const struct mi_model *model, mi_task_id task);

/* Work of a counted run. */
bool mi_account_counts(const struct mi_account *account, const struct mi_model *model,
                       mi_task_id task);

struct mi_node_time {
    int64_t tasks, total_ns;
    uint32_t runs; /* counted runs of the capture that the tasks are of */
};

/* What the counted work tasks of each node add up to: [nodes.count], by the strongest link of each
 * task. The time of a compiled node stands at the compiled node and, once, in the framework graph:
 * at the op of its group that makes the node's result. The other ops of the group have no tasks.
 * NULL: out of memory. Freed with mi_mem_free(). */
struct mi_node_time *mi_account_nodes(const struct mi_account *account,
                                      const struct mi_model *model);

/* The same in one call. *times is NULL where the model has no tasks. */
bool mi_node_times(const struct mi_model *model, struct mi_node_time **times, struct mi_error *err);

/* a + b, held at the ends of the range. */
static inline int64_t mi_ns_add(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return b > 0 ? INT64_MAX : INT64_MIN;
    return sum;
}

static inline int64_t mi_ns_sub(int64_t a, int64_t b)
{
    int64_t difference;
    if (__builtin_sub_overflow(a, b, &difference))
        return b < 0 ? INT64_MAX : INT64_MIN;
    return difference;
}

struct mi_span {
    int64_t start_ns, end_ns;
};

/* Measure of the union of `spans` [count]; sorts them. */
int64_t mi_span_union(struct mi_span *spans, uint32_t count);

#endif
