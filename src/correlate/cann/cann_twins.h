/* The parts of joining what several files of a collection tell. */
#ifndef MI_CORRELATE_CANN_TWINS_H
#define MI_CORRELATE_CANN_TWINS_H

#include "model/model.h"

struct mi_cann_count {
    int64_t times, offset; /* of the first */
};

struct mi_cann_tally { /* of one source */
    struct mi_cann_count twice, durations, kinds, repeated, alone;
    bool has_ops, has_all, has_collectives; /* what it tells of */
};

struct mi_cann_twins {
    struct mi_model *model;
    struct mi_tables *rows;
    const uint32_t *collections;
    uint32_t *order, order_count;
    uint32_t *instead;  /* [tasks.count] of a twin the row that stays; see mi_cann_is_alive() */
    uint8_t *is_parent; /* [tasks.count] */
    struct mi_cann_tally *tallies;
};

static inline uint32_t mi_cann_source_in(const struct mi_tables *rows, uint32_t task)
{
    return rows->kernels.source[rows->tasks.kernel[task].v].v;
}

static inline uint32_t mi_cann_source_of(const struct mi_cann_twins *tw, uint32_t task)
{
    return mi_cann_source_in(tw->rows, task);
}

static inline bool mi_cann_is_alive(const struct mi_cann_twins *tw, uint32_t task)
{
    return tw->instead[task] >= tw->rows->tasks.count;
}

/* Of a row that stays: the source of the last row that was found to be its task, 0 = none. It is
 * kept behind the numbers of rows, so that one list does for both. */
static inline uint32_t mi_cann_taken(const struct mi_cann_twins *tw, uint32_t task)
{
    return tw->instead[task] - tw->rows->tasks.count;
}

static inline void mi_cann_take(const struct mi_cann_twins *tw, uint32_t task, uint32_t source)
{
    tw->instead[task] = tw->rows->tasks.count + source;
}

static inline bool mi_cann_is_loose(const struct mi_cann_twins *tw, uint32_t task)
{
    return tw->rows->tracks.kind[tw->rows->tasks.track[task].v] != MI_TRACK_STREAM;
}

/* Counts a row and remembers the place of the first. */
void mi_cann_count_one(const struct mi_cann_twins *tw, struct mi_cann_count *count, uint32_t task);

/* What each source tells of; returns whether any rows have no stream. */
bool mi_cann_find_scopes(struct mi_cann_twins *tw);

/* Tasks that only one file tells of although another ought to. */
void mi_cann_count_alone(struct mi_cann_twins *tw);

/* Ledgers and notices. */
void mi_cann_report_twins(struct mi_cann_twins *tw);

/* One track for each stream, thread and communication lane. False: out of memory. */
bool mi_cann_unite_tracks(struct mi_model *model, const uint32_t *collections);

/* Takes out kernels and clocks that nothing refers to, and the tracks that had tasks
 * (had_tasks[tracks.count]) and have none any more. False: out of memory. */
bool mi_cann_drop_unused(struct mi_model *model, const uint32_t *collections,
                         const uint8_t *had_tasks);

/* What the row that stays does not know and the other does: symbol, engine, connection, parent. */
void mi_cann_hand_over(struct mi_model *model, uint32_t kept, uint32_t dropped);

/* How much the row of a task tells of its kernel. Tables have counters besides. */
unsigned mi_cann_richness(const struct mi_model *model, uint32_t task);

/* Host calls and windows that two files tell of stand once afterwards. False: out of
 * memory. */
bool mi_cann_merge_host_rows(struct mi_model *model, const uint32_t *collections);

/* The same for counters and their samples. False: out of memory. */
bool mi_cann_merge_counters(struct mi_model *model, const uint32_t *collections);

/* Sub-tasks of a collective that no file assigns to it. False: out of memory. */
bool mi_cann_find_sub_tasks(struct mi_model *model, const uint32_t *collections);

/* A notice about a source; none where `times` is 0. `offset`: the first place, -1 unknown. */
void mi_cann_notice(struct mi_model *model, uint32_t source, enum mi_severity severity,
                    const char *code, const char *text, int64_t times, int64_t offset);

#endif
