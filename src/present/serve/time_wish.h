/* What the routes of the timeline are asked for, in the body of a POST:
 *
 *   {"from_ns", "to_ns", "step_ns",       the window, and how finely it is wanted
 *    "raw": true,                         times as exported, not calibrated
 *    "hidden": [category, ..], "text"     which tasks and calls take part
 *    "tracks": [id, ..],                  which tracks, all if left out
 *    "most_bytes",                        how large the answer may be, in about
 *    "task" or "slice",                   of one task or call of the host
 *    "tasks": [id, ..],                   of several
 *    "kinds": ["launch", "signal"]}       of arrows */
#ifndef MI_PRESENT_SERVE_TIME_WISH_H
#define MI_PRESENT_SERVE_TIME_WISH_H

#include "present/serve/http.h"
#include "present/serve/site.h"

struct mi_time_wish {
    int64_t from_ns, to_ns, step_ns;
    int64_t task, slice; /* 0 = none */
    int64_t most_bytes;  /* 0 = as large as it may be */
    unsigned kinds;      /* bit per enum mi_arrow_kind */
    bool has_tracks;
    struct mi_bytes tracks, tasks; /* JSON */
    struct mi_time_filter filter;
};

/* False: the reply says what is wrong. A window is only looked at where `wants_window`. */
bool mi_time_wish_read(struct mi_time_wish *wish, const struct mi_request *request,
                       bool wants_window, struct mi_reply *reply);

/* [count] which tracks are wanted; NULL: out of memory. Freed with mi_mem_free(). */
uint8_t *mi_time_wish_tracks(const struct mi_time_wish *wish, uint32_t count);

#endif
