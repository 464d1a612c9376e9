/* What the files of the reader of hook files share. Private to mi_hook.c and hook/.
 *
 *   mi_hook.c        the file: recognising it, what it says about itself, the ledger
 *   hook_chunks.c    chunks, and where records are missing
 *   hook_handles.c   what handles stand for at a time: streams, functions, recordings of events
 *   hook_calls.c     records to rows
 *   hook_activity.c  the same for what MSPTI delivered */
#ifndef MI_PARSE_FORMATS_HOOK_READ_H
#define MI_PARSE_FORMATS_HOOK_READ_H

#include "base/map.h"
#include "capture/record.h"
#include "parse/reader.h"

struct hook_chunk {
    struct mi_rec_chunk head;
    uint64_t at; /* of its records in the file */
};

/* A handle stood for this from a time on. */
struct hook_meaning {
    uint64_t handle, from_ns;
    int64_t id;     /* stream id; -1 = gone */
    mi_str_id name; /* of a function */
    uint32_t place; /* order of finding: settles equal times */
};

struct hook_meanings {
    struct hook_meaning *list;
    uint32_t count, room;
};

/* What happened to an event. */
struct hook_event_op {
    uint64_t handle, start_ns, end_ns;
    uint32_t place;
    uint8_t role;    /* enum mi_rec_role */
    uint32_t launch; /* row of RECORD and WAIT */
};

/* A node that was launched, as MSPTI tells. */
struct hook_node {
    uint32_t name; /* number of its NAME record */
    uint32_t thread;
    uint64_t at_ns; /* the middle of the call */
};

/* A call and how long it took. */
struct hook_window {
    uint32_t thread;
    uint32_t model; /* of a load */
    uint32_t slice; /* of a launch */
    uint64_t start_ns, end_ns;
};

struct hook {
    const struct mi_source *src;
    struct mi_batch *out;
    struct mi_rec_file file;
    struct hook_chunk *chunks; /* of whole ones, in the order of the file */
    uint32_t chunk_count, chunk_room;
    int64_t dropped;        /* records that found their ring full */
    int64_t refused;        /* records of threads that no ring was left for */
    int64_t lost_records;   /* in no chunk, or in a broken one */
    int64_t lost_activity;  /* the same for records of MSPTI */
    uint64_t sure_until_ns; /* nothing is missing before */
    struct hook_meanings streams, functions;
    struct hook_meanings bundles, bundle_copies; /* their files */
    struct hook_meanings graphs;                 /* ids: 1, 2, ... */
    struct hook_event_op *events;
    uint32_t event_count, event_room;
    struct mi_map threads; /* thread id -> track */
    struct mi_map loads;   /* model id -> its last row of loads */
    mi_clock_id clock, device_clock;
    mi_str_id acl;

    /* --- of MSPTI --- */
    bool has_activity;
    struct mi_map names;    /* number -> string */
    struct mi_map node_of;  /* correlation id -> place in nodes + 1 */
    struct mi_map launched; /* correlation ids of calls that are no node's */
    struct hook_node *nodes;
    uint32_t node_count, node_room;
    struct hook_window *windows; /* loads, by thread and time */
    uint32_t window_count, window_room;
    struct hook_window *calls; /* that put tasks onto streams, likewise */
    uint32_t call_count, call_room;
    struct mi_map tracks; /* (device, stream) -> track */
    struct mi_map kernel_of_id, kernel_of_name, kernel_of_loose, kernel_of_group;
    struct mi_map ranges; /* id -> place of its start / 8 */
};

/* --- hook_chunks.c --- */

bool mi_hook_find_chunks(struct hook *h); /* false: out of memory */

/* Room for row `count` of the list whose pointer `block` points to; false: out of memory. */
bool mi_hook_room(void *block, uint32_t *room, uint32_t count, size_t size);

/* Calls `fn` for every record, in the order of the file; `at`: its offset in the file. */
typedef void hook_record_fn(struct hook *h, const struct hook_chunk *chunk,
                            const struct mi_rec *rec, struct mi_bytes text, uint64_t at);
bool mi_hook_each(struct hook *h, hook_record_fn *fn);

/* The role of a type and the name of its call; NULL: not known here. */
const char *mi_hook_call(uint16_t type, enum mi_rec_role *role);

/* --- hook_handles.c --- */

void mi_hook_learn(struct hook *h, const struct hook_chunk *chunk, const struct mi_rec *rec,
                   struct mi_bytes text, uint64_t at);
void mi_hook_sort_meanings(struct hook *h);
const struct hook_meaning *mi_hook_meaning(const struct hook_meanings *meanings, uint64_t handle,
                                           uint64_t at_ns); /* NULL = not known */
bool mi_hook_add_event(struct hook *h, const struct mi_rec *rec, enum mi_rec_role role,
                       uint32_t launch);
void mi_hook_pair_events(struct hook *h);

/* --- hook_calls.c --- */

void mi_hook_make_rows(struct hook *h, const struct hook_chunk *chunk, const struct mi_rec *rec,
                       struct mi_bytes text, uint64_t at);

/* The same for what MSPTI delivered, once all calls have their rows. */
void mi_hook_make_later(struct hook *h, const struct hook_chunk *chunk, const struct mi_rec *rec,
                        struct mi_bytes text, uint64_t at);
mi_track_id mi_hook_thread_track(struct hook *h, uint32_t thread);
void mi_hook_metrics(const struct mi_record *record, mi_metric_fn *fn, void *user);

/* --- hook_activity.c --- */

void mi_hook_learn_activity(struct hook *h, const struct hook_chunk *chunk,
                            const struct mi_rec *rec, struct mi_bytes text);
void mi_hook_sort_windows(struct hook *h);

/* A record of MSPTI; counts it but as `in`. */
void mi_hook_make_activity(struct hook *h, const struct mi_rec *rec, enum mi_rec_role role,
                           uint64_t at);
void mi_hook_free_activity(struct hook *h);

#endif
