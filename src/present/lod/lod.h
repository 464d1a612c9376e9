/* The timeline in as much detail as a screen shows: of all that starts within one step of time, the
 * longest, and how many it stands for.
 *
 * A lane is what is drawn in one row: tasks of a track, or calls of a host thread, that do not
 * overlap; what lies within others, or beside them on a device, goes to deeper lanes of the track.
 * Nothing is dropped: the counts of a query add up to what starts in its window (and the one before
 * that reaches into it). */
#ifndef MI_PRESENT_LOD_LOD_H
#define MI_PRESENT_LOD_LOD_H

#include "model/model.h"

enum { MI_LOD_RADIX = 16, MI_LOD_LEVELS = 8, MI_LOD_MOST_DEPTH = 64 };

struct mi_lod_lane {
    mi_track_id track;
    uint32_t depth;      /* 0 = outermost */
    bool is_host;        /* rows of slices; else of tasks */
    uint32_t count;      /* > 0 */
    const uint32_t *ids; /* [count] rows by start; NULL: first_id, first_id + 1, ... */
    uint32_t first_id;
    uint32_t *longest[MI_LOD_LEVELS]; /* place of the longest of each run of RADIX^(level + 1) */
};

struct mi_lod {
    const struct mi_model *model;
    const int64_t *task_start_ns; /* [tasks.count] */
    struct mi_lod_lane *lanes;    /* [lane_count] by track, then depth; tasks before slices */
    uint32_t lane_count;
    uint32_t *ids; /* behind lanes that are not one run of rows */
};

/* Which rows take part, and when tasks start. NULL in place of a list: all; as the model says. */
struct mi_lod_filter {
    const uint8_t *kernels;       /* [kernels.count] */
    const uint8_t *slices;        /* [slices.count] */
    const int64_t *task_start_ns; /* [tasks.count] in about the same order within a track; kept */
};

/* The model must be frozen and outlive it. Read by any number of threads. `filter` may be NULL. */
bool mi_lod_init(struct mi_lod *lod, const struct mi_model *model,
                 const struct mi_lod_filter *filter, struct mi_error *err);
void mi_lod_fini(struct mi_lod *lod);

struct mi_lod_slice {
    int64_t start_ns, dur_ns; /* of the longest; of several: from the first start to the last end */
    uint32_t id;              /* of the longest: a row of tasks or slices */
    uint32_t count;           /* how many it stands for */
};

/* What is seen of a lane in [from_ns, to_ns), one entry per step at most; returns how many of `out`
 * [room] were filled, in the order of time. Ends early when `out` is full. */
uint32_t mi_lod_query(const struct mi_lod *lod, uint32_t lane, int64_t from_ns, int64_t to_ns,
                      int64_t step_ns, struct mi_lod_slice *out, uint32_t room);

/* The lane that shows a task or a slice of the host; UINT32_MAX: none does. Its place there. */
uint32_t mi_lod_lane_of(const struct mi_lod *lod, bool is_host, uint32_t id);
uint32_t mi_lod_place_of(const struct mi_lod_lane *lane, uint32_t id);

#endif
