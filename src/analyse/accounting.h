/* Time accounting: what one task adds to a sum, and which runs are counted.
 *
 * A task that encloses others (If, Loop) adds only the time that none of its sub-tasks covers, and
 * the envelopes of FFTS+ and MIX tasks add nothing: their sub-tasks are the work. A collective
 * counts as a whole, and what it is made of adds nothing. So a sum over all tasks counts every
 * moment of a lane once. Synchronisation tasks are no work: their time is waiting.
 *
 * Runs are numbered per device of a collection; where no task repeats, the steps that a file marks
 * are the runs. From three runs on the first ones are warm-up and kept apart; so is one that was
 * cut short, and what lies outside of all marked steps. */
#ifndef MI_ANALYSE_ACCOUNTING_H
#define MI_ANALYSE_ACCOUNTING_H

#include "model/model.h"

/* Tracks whose runs are numbered together: a device of a collection, or a process. */
struct mi_account_group {
    mi_source_id source;  /* file that names a track of it; 0 = none */
    int64_t device, rank; /* -1 none */
    uint32_t first_run, run_count;
};

struct mi_account_run {
    uint32_t group;
    uint32_t run;             /* as in the tasks table, or place of the marked step */
    mi_window_id window;      /* what a file marks as this run; 0 = nothing */
    bool is_outside;          /* of all marked steps */
    uint32_t counted_beside;  /* counted runs of its group */
    bool is_counted;          /* false: warm-up, or cut short */
    uint32_t tasks;           /* work tasks */
    int64_t total_ns;         /* sum of their own times */
    int64_t first_ns, end_ns; /* first start and last end of work tasks */
};

/* What a task is to sums. */
enum mi_account_part {
    MI_PART_WORK,
    MI_PART_SYNC,      /* waiting and stream control */
    MI_PART_CONTAINER, /* envelope of FFTS+ or MIX: its sub-tasks are the work */
    MI_PART_INSIDE,    /* of a collective, which is the work */
};

struct mi_account {
    const struct mi_model *model;
    const int64_t *own_ns;       /* [tasks.count] what the task adds to a sum */
    int64_t *own_room;           /* behind own_ns where it differs from the durations */
    uint8_t *part;               /* [tasks.count] enum mi_account_part; NULL: no task encloses */
    uint32_t *run_of;            /* [tasks.count] index into runs */
    struct mi_account_run *runs; /* [run_count], by group and run number */
    uint32_t run_count, counted_runs;
    struct mi_account_group *groups; /* [group_count], those that have tasks */
    uint32_t *group_of;              /* [tracks.count]; of no meaning for tracks without tasks */
    uint32_t group_count;
};

/* The model must be frozen. */
bool mi_account_init(struct mi_account *account, const struct mi_model *model,
                     struct mi_error *err);
void mi_account_fini(struct mi_account *account);

/* Compute, transfer, communication and what encloses them; not synchronisation. */
static inline bool mi_task_is_work(const struct mi_model *model, mi_task_id task)
{
    const struct mi_tables *rows = &model->all.rows;
    return rows->kernels.kind[rows->tasks.kernel[task.v].v] != MI_TASK_SYNC;
}

static inline enum mi_account_part mi_account_part(const struct mi_account *account, uint32_t task)
{
    if (account->part)
        return (enum mi_account_part)account->part[task];
    return mi_task_is_work(account->model, (mi_task_id){task}) ? MI_PART_WORK : MI_PART_SYNC;
}

/* Work of a counted run. */
static inline bool mi_account_counts(const struct mi_account *account, mi_task_id task)
{
    return account->runs[account->run_of[task.v]].is_counted &&
           mi_account_part(account, task.v) == MI_PART_WORK;
}

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

#endif
