/* Which data a wait for an event makes sure of, and which waits nobody needs.
 *
 * Two things are followed through the graph, per vertex and lane, as the place of the last vertex:
 *   needs   what the vertex depends on by data or control edges
 *   covered what has certainly ended before it, by the order of lanes and by events
 * A wait is needed by the task right behind it if that needs something which the record covers and
 * which was not covered before. */
#ifndef MI_ANALYSE_WAITS_COVER_H
#define MI_ANALYSE_WAITS_COVER_H

#include "analyse/taskgraph/taskgraph.h"

enum mi_cover_verdict {
    MI_COVER_NO_SIGNAL, /* no record is known for this wait */
    MI_COVER_DATA,      /* needed by the task behind it */
    MI_COVER_CONTROL,   /* control flow, or a control edge of the graph, explains it */
    MI_COVER_REPEATED,  /* an earlier wait covers what the task behind it needs */
    MI_COVER_NEEDLESS,  /* the task behind it needs nothing of what it covers */
    MI_COVER_UNKNOWN    /* tasks without known data stand on one of its sides */
};

struct mi_cover {
    const struct mi_taskgraph *graph;
    uint32_t lanes;
    uint32_t *needs;      /* [count][lanes] vertex + 1 */
    uint32_t *covered;    /* [lanes][lanes] scratch */
    uint32_t *records;    /* [record_count][lanes] what a record covers */
    uint32_t *record_of;  /* [count] place in `records` + 1 of what somebody waits for; 0 = none */
    uint32_t *unknown_to; /* [count] work without known data on its lane, up to this vertex */
    uint8_t *verdict;     /* [count] enum mi_cover_verdict; of waits */
    uint8_t *is_bare;     /* [count] needs something that nothing covers, although all waits hold */
};

/* Too large a product of tasks and lanes is not judged: *is_judged. */
bool mi_cover_init(struct mi_cover *cover, const struct mi_taskgraph *graph, bool *is_judged,
                   struct mi_error *err);
void mi_cover_fini(struct mi_cover *cover);

/* The first task that needs something which nothing covers once this wait is gone; MI_TG_NONE:
 * nobody would miss it. */
uint32_t mi_cover_first_missing(struct mi_cover *cover, uint32_t wait);

/* The task behind a wait, over other waits and records; MI_TG_NONE at the end of a lane. */
uint32_t mi_cover_behind(const struct mi_taskgraph *graph, uint32_t wait);

#endif
