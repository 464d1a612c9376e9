/* Changes of the stage dumps as rows of reports: for the pass "stages" and the history in "show".
 */
#ifndef MI_ANALYSE_STAGES_PARTS_H
#define MI_ANALYSE_STAGES_PARTS_H

#include "analyse/report.h"
#include "analyse/series/series.h"

struct mi_history {
    const struct mi_model *model;
    struct mi_series series;
    struct mi_csr parts; /* track -> tracks that went into it */
    bool *wanted;        /* [track_count] what is asked for */
};

/* An empty one where there are no dumps of stages. Free in any case. */
bool mi_history_init(struct mi_history *history, const struct mi_model *model,
                     struct mi_error *err);
void mi_history_fini(struct mi_history *history);

/* Marks the nodes that are called `name` in any stage, else those on which it is recorded, else
 * (`loose`) those with it in their name or that match it with * and ?; and with them what they went
 * into and what went into them. *found: there is one. False: out of memory. */
bool mi_history_want(struct mi_history *history, struct mi_bytes name, bool loose, bool *found);

/* Marks the track of a node of a stage in the same way; *found: it is in a stage. */
bool mi_history_want_node(struct mi_history *history, mi_node_id node, bool *found);

/* The changes of marked tracks (all: every track) that pass, as a table. `kind` -1: all kinds;
 * `stage`: glob, empty = all. */
struct mi_history_filter {
    struct mi_bytes stage;
    int kind;
    bool all;
};

void mi_history_list(const struct mi_history *history, const struct mi_history_filter *filter,
                     const char *title, struct mi_report *out);
void mi_history_list_edges(const struct mi_history *history, const struct mi_history_filter *filter,
                           struct mi_report *out);

#endif
