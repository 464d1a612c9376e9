/* Device tasks and the compiled graph, between the parts of the matcher cann_tasks. */
#ifndef MI_CORRELATE_CANN_TASKS_H
#define MI_CORRELATE_CANN_TASKS_H

#include "model/model.h"

/* Where the tasks of each stream stand in the lists that the compiler planned. */
struct mi_cann_plan {
    struct mi_model *model;
    struct mi_map lists;       /* (graph, logical stream) -> list + 1 */
    bool has_cmo, has_barrier; /* the profile has tasks of these types */
    uint8_t *is_foreign;    /* [kernels.count] of a type that no list has: put in by the runtime */
    uint32_t *list_of;      /* [planned.count] list + 1; 0 = a part of another task */
    uint32_t *place;        /* [planned.count] place in its list */
    struct mi_csr items;    /* list + 1 -> planned tasks in order */
    uint32_t *task_of_node; /* [nodes.count] its one planned task that is no SYNC; 0 = none,
                               UINT32_MAX = several */
    struct mi_map seen;     /* (track, task id) -> a task of that id without a node */
    struct mi_map known;    /* (track, task id) -> place in `anchors` */
    uint32_t *anchor_of;    /* [kernels.count] the anchor noted last for a task of it; 0 = none */
    struct mi_cann_anchor *anchors; /* from 1; sorted once all are there */
    uint32_t anchor_count, anchor_room;
    uint32_t *track_first;       /* [tracks.count + 1] anchors of each track */
    int64_t *first_id, *last_id; /* [tracks.count] of its tasks that a list may have; -1 = none */
    uint8_t *ends;               /* [tracks.count] mi_cann_end: where the lists end with it */
};

enum mi_cann_end { MI_CANN_FRONT = 1, MI_CANN_BACK = 2 };

/* What holds a task in its place of the list. */
enum mi_cann_hold {
    MI_CANN_ONE_SIDE,  /* a known task in front of it or behind it */
    MI_CANN_TO_END,    /* ... and on its other side the stream ends with the list */
    MI_CANN_BOTH_SIDES /* known tasks in front of it and behind it */
};

struct mi_cann_anchor {
    uint32_t track, id, planned; /* planned 0: contradictory, not used */
    bool is_lone;                /* its whole stream was found by its types */
};

bool mi_cann_plan_init(struct mi_cann_plan *plan, struct mi_model *model);
void mi_cann_plan_fini(struct mi_cann_plan *plan);

/* Notes that the task belongs to this node. False: out of memory. */
bool mi_cann_plan_note(struct mi_cann_plan *plan, uint32_t task, uint32_t node);

/* Notes a task whose node its record does not tell. False: out of memory. */
bool mi_cann_plan_note_unknown(struct mi_cann_plan *plan, uint32_t task);

/* Adds a known place; false: out of memory. */
bool mi_cann_plan_anchor(struct mi_cann_plan *plan, const struct mi_cann_anchor *anchor);

/* After the last note or anchor. False: out of memory. */
bool mi_cann_plan_sort(struct mi_cann_plan *plan);

/* Which ids the streams have; once all tasks were noted. False: out of memory. */
bool mi_cann_plan_ids(struct mi_cann_plan *plan);

/* Anchors for streams that have none: where all their tasks fit only one place that no other stream
 * takes. Call it when sorted; leaves the plan sorted. False: out of memory. */
bool mi_cann_plan_lone(struct mi_cann_plan *plan);

/* Which streams begin or end where their list does, or where another one goes on with it; the last
 * step before mi_cann_plan_find(). False: out of memory. */
bool mi_cann_plan_ends(struct mi_cann_plan *plan);

/* A planned task on the device of a track, as a key. */
uint64_t mi_cann_plan_key(const struct mi_cann_plan *plan, uint32_t planned, uint32_t track);

/* Whether all tasks from `first` id to `last` agree with where the anchor puts them. */
bool mi_cann_plan_all_agree(const struct mi_cann_plan *plan, const struct mi_cann_anchor *anchor,
                            int64_t first, int64_t last);

/* The planned task that has this id if all is as the anchor says; 0 = beyond its list. */
uint32_t mi_cann_plan_step(const struct mi_cann_plan *plan, const struct mi_cann_anchor *anchor,
                           int64_t id);

/* Whether the type that the device reports and the planned one are the same thing. */
bool mi_cann_plan_agrees(const struct mi_cann_plan *plan, uint32_t task, uint32_t planned);

/* The planned task that a task of a stream is, by its place between those that are known; 0 = not
 * to be told. *hold: what holds it there. */
uint32_t mi_cann_plan_find(const struct mi_cann_plan *plan, uint32_t task, enum mi_cann_hold *hold);

/* What is known of a record or a wait by its place in the plan. */
struct mi_cann_event {
    uint32_t task, planned;
    bool is_sure; /* held on both sides */
};

/* Adds a row of `signals` for each wait among `events` whose planned record ran on the same device
 * in the same run and is there once. `collections`: see mi_cann_collections(). False: out of
 * memory. */
bool mi_cann_pair_events(struct mi_model *model, const uint32_t *collections,
                         const struct mi_cann_event *events, uint32_t count);

#endif
