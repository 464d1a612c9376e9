/* Re-simulation of a task graph: its makespan after changes.
 *
 * Streams keep list order, durations, gaps and lags are those that were observed; a wait that no
 * longer blocks takes as long as waits that did not. Data still has to arrive: where an event is
 * taken away, DATA and CONTROL edges hold on. */
#ifndef MI_ANALYSE_TASKGRAPH_WHATIF_H
#define MI_ANALYSE_TASKGRAPH_WHATIF_H

#include "analyse/taskgraph/taskgraph.h"

enum { MI_WHATIF_TOUCHED = 64 };

struct mi_whatif {
    const struct mi_taskgraph *graph;
    uint32_t *prev, *next, *lane;                       /* [count] as changed */
    int64_t *gap_ns, *busy_ns;                          /* [count] as changed */
    uint8_t *marks;                                     /* [count] */
    uint32_t touched[MI_WHATIF_TOUCHED], touched_count; /* changed vertices; more: all */
    uint32_t apart;  /* last vertex that was moved to a lane of its own; MI_TG_NONE */
    int64_t *end_ns; /* [count] result of the last mi_whatif_run() */
};

bool mi_whatif_init(struct mi_whatif *whatif, const struct mi_taskgraph *graph,
                    struct mi_error *err);
void mi_whatif_fini(struct mi_whatif *whatif);

/* Changes add up until the reset. */
void mi_whatif_shorten(struct mi_whatif *whatif, uint32_t vertex, int64_t busy_ns);
void mi_whatif_launch(struct mi_whatif *whatif, uint32_t vertex, int64_t gap_ns);
void mi_whatif_remove(struct mi_whatif *whatif, uint32_t vertex); /* the task; events stay */
void mi_whatif_remove_wait(struct mi_whatif *whatif, uint32_t wait);

/* What runs behind the wait on its lane no longer waits for data from other lanes either, but for
 * what events tell: as if nobody cared whether the result is right. */
void mi_whatif_forget_data(struct mi_whatif *whatif, uint32_t wait);

/* The task runs on another lane, at its place in list order. The waits right before it and the
 * records right behind it lose their effect: the data says what they stood for. */
void mi_whatif_move(struct mi_whatif *whatif, uint32_t vertex, uint32_t lane);

/* The task runs on a lane that nothing else runs on, behind those that were moved there before; to
 * be called in list order. */
void mi_whatif_move_apart(struct mi_whatif *whatif, uint32_t vertex);
void mi_whatif_reset(struct mi_whatif *whatif);

int64_t mi_whatif_run(struct mi_whatif *whatif); /* makespan in ns */

#endif
