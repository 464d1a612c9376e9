/* One event of a Chrome trace, as written: nothing is decided yet. */
#ifndef MI_PARSE_FORMATS_CHROME_EVENT_H
#define MI_PARSE_FORMATS_CHROME_EVENT_H

#include "base/json_scan.h"

/* Values of `args` that some dialect has a use for; all others stay in the file. */
enum mi_chrome_arg {
    MI_CHROME_ARG_NAME,      /* of metadata */
    MI_CHROME_ARG_LABELS,    /* of metadata */
    MI_CHROME_ARG_SORT,      /* of metadata */
    MI_CHROME_ARG_TASK_TYPE, /* Ascend tasks */
    MI_CHROME_ARG_MODEL,
    MI_CHROME_ARG_STREAM, /* physical, where both are told; also of Kineto */
    MI_CHROME_ARG_TASK,
    MI_CHROME_ARG_SUBTASK,
    MI_CHROME_ARG_CONNECTION,
    MI_CHROME_ARG_LEVEL, /* CANN calls */
    MI_CHROME_ARG_ITEM,
    MI_CHROME_ARG_ALGORITHM, /* collectives */
    MI_CHROME_ARG_PLANE_TYPE,
    MI_CHROME_ARG_PLANE_STREAM,
    MI_CHROME_ARG_PLANE_TASK,
    MI_CHROME_ARG_PLANE_CONTEXT,
    MI_CHROME_ARG_ITERATION, /* step trace */
    MI_CHROME_ARG_QUEUE,     /* number of an enqueue and its dequeue */
    MI_CHROME_ARG_CORRELATION,
    MI_CHROME_ARG_EXTERNAL,
    MI_CHROME_ARG_DEVICE,
    MI_CHROME_ARGS
};

/* Which fields an event has. */
enum {
    MI_CHROME_HAS_TS = 1,
    MI_CHROME_HAS_DUR = 2,
    MI_CHROME_BAD_TS = 4,       /* no number */
    MI_CHROME_BAD_DUR = 8,      /* no number */
    MI_CHROME_ENDLESS = 16,     /* a duration beyond all time: the event was never finished */
    MI_CHROME_ROUNDED = 32,     /* parts of a nanosecond */
    MI_CHROME_KEY_TWICE = 64,   /* the last value counts */
    MI_CHROME_ODD_ESCAPE = 256, /* a backslash in front of something that is no escape */
    MI_CHROME_ZERO_BYTES = 512, /* within its texts: a hole in the file */
    MI_CHROME_BINDS_HERE = 128  /* a flow ends at the span around it, not at the next one */
};

struct mi_chrome_event {
    size_t at, size; /* of the record in the file */
    unsigned flags;
    uint32_t args_given; /* one bit per mi_chrome_arg */
    char phase;          /* 0 = none is stated */
    struct mi_json_string name, category;
    struct mi_bytes pid, tid, id, scope; /* as written, without quotes */
    bool id_is_local;                    /* to its process */
    int64_t ts_ns, dur_ns;
    struct mi_bytes args;    /* the whole object */
    uint32_t number_is_read; /* one bit per mi_chrome_arg: `number` holds what its text says */
    struct mi_json_string arg[MI_CHROME_ARGS];
    int64_t number[MI_CHROME_ARGS];
};

/* Events of one writer mostly have the same keys in the same order: each key is first compared with
 * the one that stood in its place in the event before. */
struct mi_chrome_guess {
    uint8_t key[32];
    unsigned at;
};

/* A value of an event as part of its shape: what stands in front of it, and what it is. */
struct mi_chrome_slot {
    const uint8_t *literal; /* keys and signs, in the file where they were met first */
    uint32_t literal_len;
    uint8_t field; /* 0 = nobody needs it; MI_CHROME_FIELD_ARG on: an argument; else a key */
    bool is_text;  /* the quotes belong to the literals */
};

enum { MI_CHROME_SLOTS = 40, MI_CHROME_SHAPES = 8, MI_CHROME_FIELD_ARG = 32 };

/* Events of one writer are alike but for their values: what lies between the values is compared as
 * a whole, so that keys need no looking up. An event of another shape is read key by key. */
struct mi_chrome_shape {
    struct mi_chrome_slot slots[MI_CHROME_SLOTS];
    uint32_t count; /* 0 = none */
    const uint8_t *tail;
    uint32_t tail_len;
    uint32_t args_given;
    uint32_t args_slot, args_at; /* `args` begin so far in the literal of that slot ... */
    uint32_t end_slot, end_at;   /* ... and end so far in that of this one; count = the tail */
    bool has_args;
    uint32_t next; /* shape that followed it last */
};

struct mi_chrome_scan {
    struct mi_json js;
    struct mi_chrome_guess outer, inner;
    struct mi_chrome_shape shapes[MI_CHROME_SHAPES];
    uint32_t shape_count, last_shape, oldest;
    struct mi_chrome_shape draft; /* of the event that is read key by key */
    const uint8_t *draft_from;    /* behind its last value; NULL: it cannot be a shape */
};

void mi_chrome_scan_init(struct mi_chrome_scan *scan, struct mi_bytes bytes);

/* Reads the value that comes next. False: it is no JSON, see scan->js.error. A value that is no
 * object gives an event without fields. */
bool mi_chrome_event_read(struct mi_chrome_scan *scan, struct mi_chrome_event *event);

/* --- between the parts --- */

/* Empties all but arg[], which args_given tells of. */
void mi_chrome_event_clear(struct mi_chrome_event *event);

/* Takes in the value of a field. (Not as struct mi_json_string, which would travel through memory.)
 */
void mi_chrome_take(struct mi_chrome_event *event, unsigned field, struct mi_bytes text,
                    bool has_escape);

/* Reads an event that has the shape of an earlier one. False: it has none of them; nothing was
 * read. */
bool mi_chrome_shape_read(struct mi_chrome_scan *scan, struct mi_chrome_event *event);

/* The event that is read key by key, as it goes on: begins, has a value (NULL: one that no shape
 * can have), has its arguments, ends. */
void mi_chrome_draft_begin(struct mi_chrome_scan *scan, const uint8_t *at);
void mi_chrome_draft_value(struct mi_chrome_scan *scan, const struct mi_json_string *value,
                           unsigned field);
void mi_chrome_draft_args(struct mi_chrome_scan *scan, struct mi_bytes args, bool is_end);
void mi_chrome_draft_end(struct mi_chrome_scan *scan, const struct mi_chrome_event *event);

static inline bool mi_chrome_has_arg(const struct mi_chrome_event *event, enum mi_chrome_arg arg)
{
    return event->args_given >> arg & 1;
}

/* An argument as a whole number; false if it is none or not there. */
bool mi_chrome_arg_whole(const struct mi_chrome_event *event, enum mi_chrome_arg arg,
                         int64_t *number);

/* An argument as a number of at least 0; `otherwise` if it is none, is not there, or is beyond
 * 2^53. */
int64_t mi_chrome_arg_number(const struct mi_chrome_event *event, enum mi_chrome_arg arg,
                             int64_t otherwise);

/* A text as a whole number; false if it is none. */
bool mi_chrome_number(struct mi_bytes text, int64_t *number);

#endif
