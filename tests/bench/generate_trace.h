/* Profiles of an Ascend device of any size for benches, in every form that msprof exports, and the
 * offline model that ran: always the same bytes for the same plan.
 *
 * A model of `nodes` operators runs again and again: a chain on one stream, from which short side
 * chains branch off to the others and come back, tied by events; before each run a copy in and the
 * start of the model, behind it a copy out. Streams keep their order, a wait ends behind its
 * record.
 *
 *     struct trace *trace = trace_new(&(struct trace_plan){.tasks = 10000000});
 *     trace_write_csv(trace, folder);
 *     trace_write_om(trace, bench_path(folder, "model.om"));
 *     trace_free(trace);
 *
 * Whatever fails ends the program. */
#ifndef MI_TESTS_GENERATE_TRACE_H
#define MI_TESTS_GENERATE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

struct trace_plan {
    uint64_t tasks;      /* at least so many, in whole runs */
    uint32_t nodes;      /* operators that compute; 0 = 1000 */
    uint32_t streams;    /* of the model; 0 = 4 */
    uint32_t slice_rows; /* rows of one CSV file; 0 = 1,000,000, as exporters have it */
    bool is_bare;        /* op_summary without counters */
    bool is_eager;       /* no model: each kernel is launched by a call of its own */
};

enum trace_kind {
    TRACE_NODE,
    TRACE_RECORD,
    TRACE_WAIT,
    TRACE_COPY_IN,
    TRACE_EXECUTE,
    TRACE_COPY_OUT,
};

/* One entry of a run, the same in each. */
struct trace_item {
    enum trace_kind kind;
    uint32_t node;      /* place of its node in the model: operator, Send or Recv */
    uint32_t event;     /* of a record or wait */
    uint32_t logic;     /* stream in the model; the host's stream has the last number */
    uint32_t stream;    /* as exported in the tables */
    uint32_t place;     /* in the list of its stream */
    uint32_t op;        /* of TRACE_NODE: which operator type, see trace_op() */
    uint32_t inputs[3]; /* of TRACE_NODE: node + 1 it reads; 0 = none */
    int64_t mean_ns;
    char name[64];
};

struct trace_op {
    const char *type, *core, *host_type, *hardware_type, *shapes, *dtype;
    uint32_t cores;
    int64_t mean_ns;
};

struct trace {
    struct trace_plan plan;
    struct trace_item *items; /* [item_count] in the order in which they are submitted */
    uint32_t item_count, event_count, runs;
    uint64_t task_count, kernel_count; /* kernel: of TRACE_NODE */
    uint32_t *stream_items;            /* [streams + 1] items of each stream */
};

/* One execution. */
struct trace_task {
    const struct trace_item *item;
    uint32_t run, task_id, batch, connection;
    int64_t start_ns, dur_ns;
};

struct trace *trace_new(const struct trace_plan *plan);
void trace_free(struct trace *trace);

const struct trace_op *trace_op(const struct trace_item *item);

/* Calls `fn` for every task of all runs, by start. */
typedef void trace_fn(void *user, const struct trace_task *task);
void trace_each(const struct trace *trace, trace_fn *fn, void *user);

/* op_summary and task_time, in slices; returns their bytes. */
uint64_t trace_write_csv(const struct trace *trace, const char *folder);
/* msprof_*.json: tasks, host calls, flows; returns its bytes. */
uint64_t trace_write_json(const struct trace *trace, const char *path);
/* msprof_*.db: TASK, COMPUTE_TASK_INFO, CANN_API and what they refer to; returns its bytes. */
uint64_t trace_write_db(const struct trace *trace, const char *path);
/* The model, compiled, with its list of planned tasks. */
void trace_write_om(const struct trace *trace, const char *path);

/* --- between the writers --- */

enum { TRACE_HOST_PID = 437675, TRACE_BASE_STREAM = 35 };

#define TRACE_NONE  UINT32_C(4294967295)
#define TRACE_START INT64_C(1736412474000000000)

/* Text of one item without its times, put together once. */
struct trace_text {
    char *at;
    unsigned len;
};
struct trace_text trace_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A file that is written through a buffer. */
struct trace_out;
struct trace_out *trace_open(const char *path);
uint64_t trace_close(struct trace_out *out); /* its bytes */
void trace_put(struct trace_out *out, const char *at, unsigned len);
void trace_put_text(struct trace_out *out, const char *text);
void trace_put_number(struct trace_out *out, uint64_t value);
void trace_put_us(struct trace_out *out, int64_t ns);    /* three decimals */
void trace_put_short(struct trace_out *out, int64_t ns); /* microseconds, no zeros at the end */

#endif
