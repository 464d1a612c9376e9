/* The executed task graph of one run on one device, and what would have happened if.
 *
 * Vertices are tasks 0 .. count - 1 in list order: the order of the compiler's list where an
 * offline model plans the tasks, else the order of their ends. Every edge leads from a lower number
 * to a higher one, so one sweep settles everything. A task that encloses others on its own stream
 * (FFTS+, MIX, If) stands for them; a collective on a lane of its group is left out where its
 * sub-tasks are there.
 *
 * A lane is a stream; `prev` and `next` are its order. The other dependencies are edges:
 *   SIGNAL   record of an event -> wait for it (table `signals`)
 *   DATA     task that makes a tensor -> task that reads it, over nodes that need no task
 *   CONTROL  the same by a control edge of the graph
 *   START    task that starts a model or a stream -> first task of a stream
 *   RETURN   last tasks of a model -> what the application does once it has ended
 * Launches by the host are no edges but times (`release_ns`).
 *
 * How a vertex came to start, which is also how it is simulated:
 *   start = max(end of prev - overlap, release, end of `from` + lag over its edges) + gap
 *   end   = start + busy
 *   end of a wait = max(start + busy, end of record + lag over its SIGNAL edges)
 * `gap` is what is left of the observed start and belongs to the task: its own launch latency.
 * Lags are what was observed where a wait really blocked, else the median of these, but never more
 * than what was observed; a lane starts as late as it did, but for the median gap of its first
 * task. DATA and CONTROL edges count only between lanes: on one lane the order keeps them. So the
 * simulation of the unchanged graph gives the observed times.
 *
 * All times are relative to `begin_ns`. Only doctor, diff and whatif of the same model share it;
 * built anew for each run. */
#ifndef MI_ANALYSE_TASKGRAPH_H
#define MI_ANALYSE_TASKGRAPH_H

#include "analyse/accounting.h"
#include "analyse/deps.h"

#define MI_TG_NONE UINT32_MAX

enum mi_tg_kind { MI_TG_SIGNAL, MI_TG_DATA, MI_TG_CONTROL, MI_TG_START, MI_TG_RETURN };

enum mi_tg_role {
    MI_TG_WORK,   /* compute, transfer, communication, and what is not known */
    MI_TG_WAIT,   /* waits for an event */
    MI_TG_RECORD, /* records one */
    MI_TG_LABEL,  /* control flow of the device: labels, switches, activation of streams */
    MI_TG_MARK    /* other tasks of the runtime without effect on data */
};

struct mi_tg_edge {
    uint32_t from, to;
    int64_t lag_ns;
    uint8_t kind;        /* enum mi_tg_kind */
    uint8_t confidence;  /* enum mi_confidence; of SIGNAL */
    uint8_t is_violated; /* the effect was seen before its cause: a clock, or the edge, is wrong */
};

/* What a vertex waited for last. */
enum mi_tg_binding {
    MI_TG_BY_NOTHING, /* the first of its lane without a known start */
    MI_TG_BY_ORDER,   /* the task before it on its lane */
    MI_TG_BY_LAUNCH,  /* the host */
    MI_TG_BY_EDGE     /* binding_edge */
};

struct mi_taskgraph {
    const struct mi_model *model;
    uint32_t run;         /* place in mi_account.runs */
    int64_t rank, device; /* -1: none */
    uint32_t count, lane_count;
    uint32_t edge_count;
    int64_t begin_ns; /* capture time */
    int64_t makespan_ns;
    bool is_planned_order; /* vertices are in the order of the compiler's list */

    uint32_t *task;             /* [count] row of tasks */
    uint32_t *node;             /* [count] its node; 0 = none */
    uint32_t *lane;             /* [count] */
    uint32_t *prev, *next;      /* [count] on the lane; MI_TG_NONE = none */
    uint8_t *role;              /* [count] enum mi_tg_role */
    uint8_t *knows_data;        /* [count] all that it reads and makes is known */
    int64_t *start_ns, *end_ns; /* [count] observed */
    int64_t *gap_ns, *busy_ns;  /* [count] see above */
    int64_t *overlap_ns;        /* [count] it began so long before the end of prev */
    int64_t *release_ns;        /* [count] launch by the host; INT64_MIN = not known */
    uint8_t *binding;           /* [count] enum mi_tg_binding */
    uint32_t *binding_edge;     /* [count] */

    struct mi_tg_edge *edges; /* [edge_count], by `to` */
    uint32_t *first_in;       /* [count + 1] edges of a vertex */
    struct mi_csr out;        /* vertex + 1 -> edges + 1 */

    uint32_t *track;      /* [lane_count] row of tracks */
    uint32_t *lane_first; /* [lane_count + 1] place of its vertices in lane_list ... */
    uint32_t *lane_list;  /* ... in list order */

    uint32_t signal_count, data_count; /* edges of these kinds between lanes */
    uint32_t violated_count;           /* of these the contradicted ones */
    uint32_t dropped_count;            /* edges left out: they lead backwards in every order */
    int64_t event_lag_ns; /* typical time from the end of a task to that of a wait for it */
};

/* One run on one device; `deps` are those of the model, shared by all graphs. */
bool mi_taskgraph_init(struct mi_taskgraph *graph, const struct mi_model *model,
                       const struct mi_account *account, const struct mi_deps *deps, uint32_t run,
                       int64_t rank, int64_t device, struct mi_error *err);
void mi_taskgraph_fini(struct mi_taskgraph *graph);

/* The runs and devices that a graph can be made of, largest mean makespan of the device first, then
 * by device and run. */
struct mi_tg_unit {
    uint32_t run;
    int64_t rank, device;
    int64_t begin_ns, end_ns; /* first start, last end */
    int64_t mean_makespan_ns; /* of this device over its counted runs of the same capture */
    uint32_t tasks;
    bool is_counted; /* neither warm-up nor cut short */
};
struct mi_tg_units {
    struct mi_tg_unit *list;
    uint32_t count;
};
bool mi_tg_units_init(struct mi_tg_units *units, const struct mi_model *model,
                      const struct mi_account *account, struct mi_error *err);
void mi_tg_units_fini(struct mi_tg_units *units);

/* --- reading --- */

/* When all that a vertex reads had arrived: the latest end (+ lag) over DATA and CONTROL edges; 0
 * if it reads nothing that was made in this run. */
int64_t mi_tg_ready(const struct mi_taskgraph *graph, uint32_t vertex);

/* The last vertex with role WORK before `vertex` on its lane (itself excluded); MI_TG_NONE. */
uint32_t mi_tg_work_before(const struct mi_taskgraph *graph, uint32_t vertex);
uint32_t mi_tg_work_after(const struct mi_taskgraph *graph, uint32_t vertex);

/* [count] how much later each vertex could end without moving the end of the run. NULL: out of
 * memory. Freed with mi_mem_free(). */
int64_t *mi_tg_slack(const struct mi_taskgraph *graph);

/* The critical chain: from the last end back over what each vertex waited for, in time order.
 * Pieces touch each other, so their lengths add up to the makespan. */
enum mi_tg_piece_kind {
    MI_TG_PIECE_WORK,
    MI_TG_PIECE_WAIT,  /* synchronisation: from the end of a record to that of the wait */
    MI_TG_PIECE_GAP,   /* the device could have begun and did not yet */
    MI_TG_PIECE_LAUNCH /* it had nothing to do: the host had not launched it */
};
struct mi_tg_piece {
    uint8_t kind;
    uint32_t vertex; /* the task; of gaps and launches the one behind */
    int64_t start_ns, end_ns;
};
struct mi_tg_chain {
    struct mi_tg_piece *pieces;
    uint32_t count;
};
bool mi_tg_chain_init(struct mi_tg_chain *chain, const struct mi_taskgraph *graph,
                      struct mi_error *err);
void mi_tg_chain_fini(struct mi_tg_chain *chain);

#endif
