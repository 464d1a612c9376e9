/* A stand-in for AscendCL, for machines without an NPU: libascendcl.so with the symbols that the
 * hook interposes, behaving as their documentation says.
 *
 * A stream is a thread with a queue, an event a counter that streams really wait for, a model the
 * task list of a real .om, run task by task. Everything that ran is written to the file that
 * FAKE_ACL_TRUTH names when the process ends (or aclFinalize is called), as lines: model ID PATH
 * task DEVICE STREAM TASK MODEL TYPE START_NS DUR_NS NAME pair RECORD_STREAM RECORD_TASK
 * RECORD_START_NS WAIT_STREAM WAIT_TASK WAIT_START_NS execute MODEL START_NS DUR_NS aclprof writes
 * what it saw as the raw part of a PROF_* folder; fake_msprof exports it. */
#ifndef TESTS_FAKE_ACL_FAKE_H
#define TESTS_FAKE_ACL_FAKE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_API __attribute__((visibility("default")))

enum { FAKE_NO_MODEL = -1, FAKE_NAME_BYTES = 256 };

struct fake_event;
struct fake_model;
struct fake_graph;

enum fake_kind {
    FAKE_KERNEL,
    FAKE_COPY,
    FAKE_RECORD,
    FAKE_WAIT,
    FAKE_MODEL,
    FAKE_SIGNAL,
    FAKE_COLLECTIVE,
    FAKE_OTHER
};

struct fake_task {
    enum fake_kind kind;
    uint32_t id;
    int64_t model; /* FAKE_NO_MODEL = launched by the program */
    uint32_t work_ns;
    const char *type, *op;    /* task type as profiles write it; operator type */
    const char *name;         /* of the node or kernel; lives as long as the library */
    const char *symbol;       /* kernel function; NULL = as the name */
    uint64_t correlation;     /* id of MSPTI; 0 = none */
    struct fake_event *event; /* RECORD, WAIT */
    uint64_t turn;            /* of the event: which recording it is, or is waited for */
    struct fake_model *run;   /* MODEL: to be run; SIGNAL: of which a stream is through */
    struct fake_task *next;
};

struct fake_stream {
    int32_t device, id;
    uint32_t next_task;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t change;
    struct fake_task *first, *last;
    uint64_t put, done; /* tasks ever */
    bool is_ending;
    struct fake_graph *graph; /* that it is captured for; NULL = its tasks run */
    struct fake_stream *next; /* of all */
};

struct fake_event {
    pthread_mutex_t lock;
    pthread_cond_t change;
    uint64_t asked, reached;  /* recordings put onto streams, and passed by them */
    uint64_t recorded_id;     /* of the last one that was put: stream and task */
    struct fake_graph *graph; /* that the last one is a part of; NULL = none */
};

struct fake_model {
    uint32_t id;
    struct fake_stream **streams; /* [stream_count] physical ones of the logical streams */
    uint32_t stream_count;
    struct planned *list; /* [count] in the order of TASK_INFO */
    uint32_t count;
    struct fake_event *events;
    uint32_t event_count;
    uint64_t turn; /* runs so far */
    pthread_mutex_t lock;
    pthread_cond_t change;
    uint32_t streams_left; /* of the run at hand */
    bool is_gone;
    void *storage; /* of model.c */
};

struct planned {
    uint32_t stream; /* index */
    enum fake_kind kind;
    uint32_t event, id;
    const char *type, *op, *name, *symbol;
    uint64_t correlation;
};

uint64_t fake_now(void); /* since 1970 */

/* --- engine.c --- */

struct fake_stream *fake_stream_new(int32_t device);
void fake_stream_end(struct fake_stream *stream);
void fake_stream_wait(struct fake_stream *stream);
struct fake_stream *fake_stream_default(int32_t device); /* made when first asked for */
void fake_streams_wait(int32_t device);
void fake_event_init(struct fake_event *event);

/* Puts a copy of the task onto the stream; gives it the stream's next id unless it belongs to a
 * model. */
uint32_t fake_put(struct fake_stream *stream, struct fake_task task);

/* --- model.c --- */

struct fake_model *fake_model_load(const void *bytes, size_t size, int32_t device);
void fake_model_run(struct fake_model *model); /* to the end */
void fake_model_signal(struct fake_model *model);
struct fake_model *fake_model_find(uint32_t id);

/* --- newer.c --- */

void fake_graph_join(struct fake_graph *graph, struct fake_stream *stream);
uint32_t fake_graph_take(struct fake_graph *graph, const struct fake_task *task);

/* --- log.c --- */

void fake_log_task(const struct fake_stream *stream, const struct fake_task *task,
                   uint64_t start_ns, uint64_t end_ns);
void fake_log_model(uint32_t id, const char *path);
void fake_log_execute(uint32_t id, uint64_t start_ns, uint64_t end_ns);
/* `word`: pair, or planned_pair for events within a model. */
void fake_log_pair(const char *word, int32_t record_stream, uint32_t record_task,
                   int32_t wait_stream, uint32_t wait_task);
void fake_log_write(void);
/* --- report.c: to the stand-in for MSPTI; nothing where it is not loaded --- */

void fake_report_find(void);
uint64_t fake_report_begin(void); /* correlation id of the call */
void fake_report_end(int kind, const char *name, uint64_t start_ns, uint64_t id);
void fake_report_kernel(const struct fake_stream *stream, const struct fake_task *task,
                        uint64_t start_ns, uint64_t end_ns);
void fake_report_copy(int32_t device, int32_t stream, uint64_t bytes, int kind, uint64_t start_ns,
                      uint64_t id);

int fake_profile_init(const char *dir, size_t length);
void fake_profile_switch(bool on);
int fake_profile_write(void);

#endif
