/* Links between tasks and nodes. A model that runs again and again links its tasks for the same few
 * reasons, so a row of `executed` - node, confidence, rule, evidence, conflict - stands for all
 * tasks whose column `link` names it, and its own column `task` is empty. A link that a task has
 * beside that one is a row of its own with `task` set; such rows are rare and stand behind the
 * others. Whoever lists links sees one per task and row, whatever they are kept as. */
#ifndef MI_MODEL_LINKS_H
#define MI_MODEL_LINKS_H

#include "model/model.h"

/* Adds a link of link->task; of several the strongest becomes the task's own: the one with the
 * greatest confidence, then the least node, then the first. A failure is the batch's. Between
 * mi_link_add() and the next walk stands mi_links_order(), unless no task was given a second link.
 */
void mi_link_add(struct mi_batch *batch, const struct mi_executed_row *link);

/* Puts a task's own link in another one's place; links beside it stay. */
void mi_link_replace(struct mi_batch *batch, const struct mi_executed_row *link);

/* Puts the links beside the own ones into the order of their tasks. False: out of memory. */
bool mi_links_order(struct mi_tables *rows);

/* A walk over all links in the order of their tasks, of each task the strongest first:
 *     for (struct mi_links at = mi_links_begin(rows); mi_links_next(&at);)
 *         ... at.task, at.row (of `executed`) */
struct mi_links {
    const struct mi_tables *rows;
    uint32_t task, row;
    uint32_t beside; /* next link beside an own one */
};

struct mi_links mi_links_begin(const struct mi_tables *rows);
bool mi_links_next(struct mi_links *at);

/* How many there are. */
uint32_t mi_links_count(const struct mi_tables *rows);

/* A walk over the links of one node of a frozen model, in the order of their tasks. */
struct mi_node_links {
    const struct mi_model *model;
    uint32_t node, task, row;
    uint32_t place, end; /* in index.node_tasks.list */
    uint32_t beside;
};

struct mi_node_links mi_node_links_begin(const struct mi_model *model, uint32_t node);
bool mi_node_links_next(struct mi_node_links *at);

#endif
