/* One event of an ONNX Runtime profile, as text and numbers; see ort_profile.c for the format. */
#ifndef MI_PARSE_FORMATS_ORT_PROFILE_EVENT_H
#define MI_PARSE_FORMATS_ORT_PROFILE_EVENT_H

#include "base/json_scan.h"

enum mi_ort_category {
    MI_ORT_OTHER,
    MI_ORT_SESSION,
    MI_ORT_NODE,
    MI_ORT_KERNEL, /* a kernel on a GPU */
    MI_ORT_API
};

/* All texts are borrowed from the input, except `name` when `name_is_copy`: then it lives until the
 * next event is read. Texts of args are raw: between the quotes, as written. */
struct mi_ort_event {
    enum mi_ort_category category;
    bool has_name, has_start, has_dur, other_phase;
    bool name_is_copy;
    bool name_repaired; /* the name made the line invalid JSON */
    bool bad_number;    /* a number out of range or not a number */
    struct mi_bytes name;
    int64_t pid, tid, start_us, dur_ns;

    struct mi_bytes op, provider, node_index, inputs, outputs; /* of args; empty if absent */
    struct mi_bytes parent_name, stream;                       /* of args; for GPU kernels */
};

/* The scanner of a whole profile or of one record. */
struct mi_ort_scan {
    struct mi_json js;
    struct mi_scratch scratch;
    bool is_raw;                /* ORT's own layout: names are not escaped */
    const uint8_t *no_name_end; /* from here on no name is followed by args; NULL = not known */
};

/* `first_event`: a few bytes from the start of the first event, to tell ORT's own layout from that
 * of a JSON library that wrote the file anew. */
void mi_ort_scan_init(struct mi_ort_scan *scan, struct mi_bytes input, struct mi_bytes first_event);
void mi_ort_scan_fini(struct mi_ort_scan *scan);

/* Reads the event that comes next; scan->js tells of failures. */
bool mi_ort_event_read(struct mi_ort_scan *scan, struct mi_ort_event *event);

/* Steps into the members of `args` of the event that comes next, whatever its name. False: it has
 * none. */
bool mi_ort_event_enter_args(struct mi_ort_scan *scan);

/* Value of a decimal text; `fallback` if it is none. */
int64_t mi_ort_integer(struct mi_bytes text, int64_t fallback);

#endif
