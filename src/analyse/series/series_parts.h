/* What the files of the series share; see series.h. */
#ifndef MI_ANALYSE_SERIES_PARTS_H
#define MI_ANALYSE_SERIES_PARTS_H

#include "analyse/series/series.h"
#include "base/vec.h"

struct mi_series_edge {
    uint32_t from, port, to; /* tracks, output of `from` */
    uint32_t in_port;
    bool is_control;
};

/* The step from one stage to the next. */
struct mi_step {
    const struct mi_model *model;
    struct mi_series *series;
    uint32_t stage; /* the later one */
    /* Tracks that were there before this stage, in the order of their nodes. */
    uint32_t *live;
    uint32_t live_count, live_room;
    /* Nodes of this stage, in the order of rows; 0 in track_of until they are matched. */
    uint32_t *nodes;
    uint32_t node_count, node_room;
    uint32_t *seen; /* [track_room] stage in which the track was seen last, + 1 */
    uint32_t seen_room;
    uint32_t *out_port; /* [values.count] place of a value among its producer's outputs */
    struct mi_series_edge *before,
        *after; /* edges of the last whole stage and of this one, sorted */
    uint32_t before_count, before_room, after_count, after_room;
    bool has_edges; /* `before` holds those of a whole stage of this build */
};

/* --- series.c --- */

/* A new track that begins with `node` in the stage of the step; 0: out of memory. */
uint32_t mi_series_begin(struct mi_step *step, mi_node_id node);

/* `track` goes on with `node`. */
void mi_series_go_on(struct mi_step *step, uint32_t track, mi_node_id node);

bool mi_series_add(struct mi_step *step, const struct mi_change *change);

static inline bool mi_series_is_seen(const struct mi_step *step, uint32_t track)
{
    return step->seen[track] == step->stage + 1;
}

/* Const and its like. */
bool mi_series_is_constant(const struct mi_model *model, mi_node_id node);

/* A border of a part of the graph. */
bool mi_series_is_border(const struct mi_model *model, mi_node_id node);

/* --- series_builds.c: fills builds, stages and their graphs --- */
bool mi_series_find_builds(struct mi_series *series, const struct mi_model *model);

/* --- series_match.c: fills track_of for all nodes of the stage; changes of nodes that appear, go
 * on under other names, or go --- */
bool mi_series_match(struct mi_step *step);

/* What became of a track that is not seen in this stage. */
struct mi_series_fate {
    uint32_t into;  /* node that holds its ops now; 0 = none */
    bool is_shared; /* several nodes do */
};

/* What an unmatched node comes from. */
struct mi_series_birth {
    uint32_t from;    /* track; 0 = none */
    uint32_t sources; /* tracks that went into it as a whole */
    bool is_split;    /* one of several that come from that track */
};

struct mi_series_verdicts {
    struct mi_series_fate *fates;   /* [live_count] */
    struct mi_series_birth *births; /* [node_count] */
};

/* A track goes on under another name. */
bool mi_series_rename(struct mi_step *step, uint32_t track, mi_node_id node);

/* --- series_origins.c: by the names of the ops that nodes stand for --- */
bool mi_series_match_origins(struct mi_step *step, struct mi_series_verdicts *verdicts);

/* --- series_alike.c: by type and neighbours --- */
bool mi_series_match_alike(struct mi_step *step, const struct mi_series_verdicts *verdicts);

/* --- series_compare.c: changes of nodes that go on --- */
bool mi_series_compare(struct mi_step *step);

/* --- series_edges.c --- */
bool mi_series_edges(struct mi_step *step);

#endif
