/* A Chrome trace while it is read: what the parts of the reader share. */
#ifndef MI_PARSE_FORMATS_CHROME_H
#define MI_PARSE_FORMATS_CHROME_H

#include "base/map.h"
#include "model/batch.h"
#include "parse/formats/chrome/chrome_event.h"
#include "parse/formats/msprof/msprof_types.h"
#include "parse/reader.h"

enum { MI_CHROME_NOTES = 48, MI_CHROME_TYPES = 16 };

/* What the rows of a process show, told by its name. */
enum mi_chrome_content {
    MI_CHROME_ANY,
    MI_CHROME_HARDWARE,
    MI_CHROME_CANN,
    MI_CHROME_PYTHON,
    MI_CHROME_COLLECTIVES,
    MI_CHROME_OVERLAP,
};

struct mi_chrome_process {
    struct mi_bytes text; /* its id as written */
    int64_t number;       /* the same; -1 = no number */
    mi_str_id name;
    uint8_t content;
    bool is_host, is_device; /* by its label */
    int64_t label_device;    /* -1 = its label names none */
    int64_t sort;            /* -1 = not stated */
};

/* A row of the trace: a pair of process and thread id. */
struct mi_chrome_lane {
    uint32_t process;
    struct mi_bytes text; /* thread id as written */
    int64_t number;       /* the same; -1 = no number */
    mi_str_id name;
    uint32_t thread; /* track of its spans; 0 = it has none yet */
    uint32_t stream; /* track of its tasks asked for last */
    int64_t stream_number;
    uint32_t group; /* lane of the group that this one is a plane of; set at the end */
    uint32_t next;  /* lane of the event that followed one of this lane last; 0 = none yet */
    bool is_group;  /* holds collectives */
};

/* One kind of diagnostic: counted here, put into the batch at the end. */
struct mi_chrome_note {
    const char *code, *text;
    enum mi_severity severity;
    uint64_t offset; /* of the first */
    uint32_t line;
    int64_t times;
};

/* A task type that was met. */
struct mi_chrome_type {
    struct mi_bytes text;
    mi_str_id id;
    const struct mi_msprof_type *type;
};

/* What makes two tasks runs of the same kernel. */
struct mi_chrome_kernel {
    mi_str_id name, type;
    uint32_t lane; /* of a group; else 0 */
    mi_kernel_id kernel;
    uint32_t next; /* place of the one that followed it last; 0 = none yet */
    int64_t model;
};

/* The beginning or end of a span that is written as two events. */
struct mi_chrome_mark {
    uint64_t key; /* lane, or hash of what ties asynchronous ones together */
    int64_t ts_ns;
    uint32_t slice; /* 0 = an end */
    uint32_t place; /* order in the file */
};

/* A row of a plane: what a collective does on one of its planes. */
struct mi_chrome_plane {
    int64_t start_ns, dur_ns, stream, task, context, model;
    uint64_t offset;
    uint32_t size, lane;
    mi_str_id name, type;
};

/* One end of an arrow. */
struct mi_chrome_point {
    uint64_t key;
    int64_t ts_ns;
    uint32_t lane;     /* in the end: the row that it binds to */
    uint32_t category; /* string; above it what kind of end */
};

enum { MI_CHROME_START, MI_CHROME_STEP, MI_CHROME_END, MI_CHROME_END_HERE };

struct mi_chrome {
    const struct mi_source *src;
    struct mi_batch *batch;
    struct mi_chrome_scan scan;
    struct mi_scratch scratch;
    uint32_t max_name_bytes;

    struct mi_chrome_process *processes; /* from 1 */
    struct mi_chrome_lane *lanes;        /* from 1 */
    uint32_t process_count, process_room, lane_count, lane_room;
    struct mi_map process_of_text, lane_of_text; /* hashes */
    uint32_t last_lane;
    mi_str_id last_call, last_level, last_arrow; /* names met last */
    uint32_t *lane_of_track;                     /* [track_room] */
    uint32_t track_room;
    struct mi_map track_of; /* (lane, stream) -> track of tasks */
    mi_clock_id host_clock;

    struct mi_chrome_kernel *kernels; /* from 1 */
    uint32_t kernel_count, kernel_room, last_kernel;
    struct mi_map kernel_of; /* hash -> place in `kernels` */
    struct mi_chrome_type types[MI_CHROME_TYPES];
    uint32_t type_count;

    struct mi_chrome_mark *marks;
    uint32_t mark_count, mark_room;
    struct mi_chrome_plane *planes;
    uint32_t plane_count, plane_room;
    struct mi_chrome_point *points;
    uint32_t point_count, point_room;
    struct mi_map counter_of;

    struct mi_chrome_note notes[MI_CHROME_NOTES];
    uint32_t note_count;
    uint32_t list_depth; /* of the list of events */
    size_t broken_at;    /* no event of the list was found from here on; SIZE_MAX: it is whole */
    bool has_list;       /* there was one */
    bool is_loose;       /* the file was read by what could be found in it */
    uint64_t event_at;   /* MI_NO_OFFSET: the whole file */
    int64_t base_ns;     /* baseTimeNanoseconds */
    int64_t rank;        /* of the process, where the file states it; -1 */
    bool has_base, is_kineto, has_tasks, has_endless;
    bool is_cann;   /* of Ascend devices; known at the end, like the next */
    int64_t python; /* process of the framework's rows, if there is one; -1 */
    bool has_plain; /* spans of which only the name of their process can tell what they are */
};

/* --- the ledger --- */

void mi_chrome_note(struct mi_chrome *c, enum mi_severity severity, const char *code,
                    const char *text);

/* The current event is left out on purpose, or cannot be used. */
void mi_chrome_skip(struct mi_chrome *c, const char *code, const char *text);
void mi_chrome_lose(struct mi_chrome *c, const char *code, const char *text);

/* Puts all notes into the batch. */
void mi_chrome_notes_flush(struct mi_chrome *c);

/* --- names --- */

/* A name without escapes, cut to the limit. */
mi_str_id mi_chrome_name(struct mi_chrome *c, struct mi_json_string text);

/* The same where mostly the name comes again that came last, which `last` holds. */
mi_str_id mi_chrome_name_again(struct mi_chrome *c, struct mi_json_string text, mi_str_id *last);

/* --- lanes (chrome_lane.c) --- */

/* The number of a lane, added if it is new; 0 once memory has run out. */
uint32_t mi_chrome_lane_of(struct mi_chrome *c, struct mi_bytes pid, struct mi_bytes tid);

/* Takes in a metadata event. */
void mi_chrome_metadata(struct mi_chrome *c, const struct mi_chrome_event *event);

/* The track of a lane's spans, or of its tasks on a stream; `group`: of collectives. */
mi_track_id mi_chrome_thread_track(struct mi_chrome *c, uint32_t lane);
mi_track_id mi_chrome_stream_track(struct mi_chrome *c, uint32_t lane, int64_t stream,
                                   int64_t device);
mi_track_id mi_chrome_group_track(struct mi_chrome *c, uint32_t lane);

/* Sets is_cann and python, once all names are there. */
void mi_chrome_look_at_processes(struct mi_chrome *c);

/* The device of a process; -1 = it is one of the host. */
int64_t mi_chrome_device(const struct mi_chrome *c, uint32_t process);

/* The name of the communication group of a lane; empty if it has none. */
struct mi_bytes mi_chrome_group_name(const struct mi_chrome *c, uint32_t lane);

/* Sets lanes.group. */
void mi_chrome_find_groups(struct mi_chrome *c);

/* --- kernels (chrome_kernel.c) --- */

/* The kernel of a task of the Ascend; `group`: the lane of a collective, else 0. */
mi_kernel_id mi_chrome_cann_kernel(struct mi_chrome *c, mi_str_id name, struct mi_bytes type,
                                   int64_t model, uint32_t group);

/* The same of an event that is a task of a stream; what the kernel before tells is tried first. */
mi_kernel_id mi_chrome_task_kernel(struct mi_chrome *c, const struct mi_chrome_event *event,
                                   int64_t model);

/* The kernel of a task that a category tells of: kernel, gpu_memcpy, ... */
mi_kernel_id mi_chrome_kineto_kernel(struct mi_chrome *c, mi_str_id name, struct mi_bytes category);

/* Engines and groups, which only the whole file tells. */
void mi_chrome_kernels_finish(struct mi_chrome *c);

/* --- rows (chrome_row.c) --- */

/* Takes in an event of phase X. */
void mi_chrome_complete(struct mi_chrome *c, const struct mi_chrome_event *event);

/* A span on a lane, which is not counted yet. */
mi_slice_id mi_chrome_add_span(struct mi_chrome *c, const struct mi_chrome_event *event,
                               uint32_t lane);

/* Puts the spans of lanes that turned out to hold something else where they belong. */
void mi_chrome_rows_finish(struct mi_chrome *c);

/* --- spans of two events (chrome_span.c) --- */

void mi_chrome_begin_or_end(struct mi_chrome *c, const struct mi_chrome_event *event);
void mi_chrome_async(struct mi_chrome *c, const struct mi_chrome_event *event);
void mi_chrome_spans_finish(struct mi_chrome *c);

/* --- counters (chrome_counter.c) --- */

void mi_chrome_counter(struct mi_chrome *c, const struct mi_chrome_event *event);
void mi_chrome_counters_finish(struct mi_chrome *c);

/* --- collectives (chrome_collective.c) --- */

void mi_chrome_plane(struct mi_chrome *c, const struct mi_chrome_event *event, uint32_t lane);

/* Rows of planes join their tasks, tasks their collective. */
void mi_chrome_collectives_finish(struct mi_chrome *c);

/* --- arrows (chrome_flow.c) --- */

void mi_chrome_flow(struct mi_chrome *c, const struct mi_chrome_event *event);
void mi_chrome_flows_finish(struct mi_chrome *c);

/* --- broken lists (chrome_mend.c) --- */

/* A note with a place of its own. */
void mi_chrome_note_at(struct mi_chrome *c, size_t at, enum mi_severity severity, const char *code,
                       const char *text);

/* The next event that begins in [from, to), SIZE_MAX: there is none. Leaves the scanner anywhere.
 */
size_t mi_chrome_next_event(struct mi_chrome *c, size_t from, size_t to);

/* Whether the object at `p` is an event: it states a phase, and is JSON up to there. Leaves the
 * scanner anywhere. */
bool mi_chrome_is_event(struct mi_chrome *c, size_t p);

/* Counts as lost what is left of events between two places; `next` SIZE_MAX: the end. False: there
 * is nothing of any. */
bool mi_chrome_lose_between(struct mi_chrome *c, size_t from, size_t next);

/* The event that begins at `start` is no JSON. True: reading goes on behind it. */
bool mi_chrome_mend_event(struct mi_chrome *c, size_t start);

/* An item without a phase was read. True: it holds events, with the first of which reading goes on.
 */
bool mi_chrome_mend_nested(struct mi_chrome *c, const struct mi_chrome_event *event);

/* Counts an event with zero bytes in it as lost: what stands in front of them and what stands
 * behind them may be of two events. */
void mi_chrome_lose_hole(struct mi_chrome *c, const struct mi_chrome_event *event);

/* A comma too many stands where an event should. True: it was stepped over. */
bool mi_chrome_mend_comma(struct mi_chrome *c, size_t start);

/* The scanner stopped between two events; `value`: the place of the item in front, which was no
 * object and was counted, else SIZE_MAX. True: it goes on. */
bool mi_chrome_mend_gap(struct mi_chrome *c, size_t value);

/* --- the list of events (chrome_trace.c) --- */

/* The scanner is inside the list. False only if the reader was stopped; if it could not go on,
 * `broken_at` is set and the scanner has failed. */
bool mi_chrome_read_events(struct mi_chrome *c, struct mi_error *err);

/* --- the file around it (chrome_file.c) --- */

bool mi_chrome_read_file(struct mi_chrome *c, struct mi_error *err);

/* --- sorting (chrome_sort.c) --- */

/* Puts row numbers into order, equal ones stay as they stand; `room` has space for as many. What is
 * in order costs one look at each. */
void mi_chrome_sort(uint32_t *list, uint32_t count, uint32_t *room,
                    bool (*stands_behind)(const void *context, uint32_t left, uint32_t right),
                    const void *context);

/* By key, then time, then kind and row; in place. */
void mi_chrome_sort_points(struct mi_chrome_point *points, uint32_t count);

/* --- the whole file (chrome_finish.c) --- */

/* Names, devices and clocks of tracks; facts. After all rows are there. */
void mi_chrome_finish(struct mi_chrome *c);

/* Lists the arguments of one event. */
void mi_chrome_metrics(const struct mi_record *record, mi_metric_fn *fn, void *user);

#endif
