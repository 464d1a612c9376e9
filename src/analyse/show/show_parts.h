/* The parts of the pass "show"; see show.c. */
#ifndef MI_ANALYSE_SHOW_PARTS_H
#define MI_ANALYSE_SHOW_PARTS_H

#include "analyse/report.h"
#include "model/model.h"

enum { MI_SHOW_MOST_NODES = 100, MI_SHOW_MOST_TASKS = 20 };

struct mi_show_node {
    mi_node_id node;
    const char *relation; /* message id */
};

struct mi_show {
    const struct mi_model *model;
    struct mi_report *out;
    const char *name;
    struct mi_show_node nodes[MI_SHOW_MOST_NODES]; /* subjects first, then relatives */
    uint32_t node_count, subject_count;
    mi_task_id tasks[MI_SHOW_MOST_TASKS];
    uint32_t task_count, all_tasks;
};

/* --- show_nodes.c --- */
void mi_show_nodes(struct mi_show *show);
void mi_show_attributes(struct mi_show *show);
void mi_show_ports(struct mi_show *show); /* inputs and outputs with producers and consumers */

/* --- show_tasks.c --- */
void mi_show_links(struct mi_show *show);
void mi_show_kernels(struct mi_show *show);
void mi_show_tasks(struct mi_show *show);
void mi_show_neighbours(struct mi_show *show); /* before and after the first task on its stream */

/* --- show_calls.c: the host side --- */
void mi_show_calls(struct mi_show *show);
void mi_show_peers(struct mi_show *show); /* of a collective, on all ranks */

/* --- show_plan.c: what the compiler planned --- */
void mi_show_planned(struct mi_show *show);
void mi_show_memory(struct mi_show *show);
void mi_show_groups(struct mi_show *show);

/* What the stages of the build did to it; nothing without dumps of stages. */
bool mi_show_history(struct mi_show *show, struct mi_error *err);

#endif
