#include "model/links.h"

#include "base/hash.h"
#include "base/mem.h"
#include "model/sort.h"

/* --- adding --- */

static bool is_same(const struct mi_executed *links, uint32_t row,
                    const struct mi_executed_row *link)
{
    return links->node[row].v == link->node.v && links->rule[row].v == link->rule.v &&
           links->evidence[row].v == link->evidence.v &&
           links->conflict[row].v == link->conflict.v &&
           links->confidence[row] == link->confidence && !links->task[row].v;
}

static uint64_t key_of(const struct mi_executed_row *link)
{
    uint64_t key = mi_hash_mix(link->confidence, mi_pair(link->node.v, link->rule.v));
    return mi_hash_mix(key, mi_pair(link->evidence.v, link->conflict.v));
}

/* The row that stands for all links like this one, which is made if there is none. */
static uint32_t shared_row(struct mi_batch *batch, const struct mi_executed_row *link)
{
    for (uint64_t key = key_of(link);; key++) {
        uint32_t *at = mi_map_at(&batch->link_rows, key);
        if (!at) {
            mi_batch_fail(batch, MI_ENOMEM, "out of memory for links");
            return 0;
        }
        if (!*at) {
            struct mi_executed_row row = *link;
            row.task.v = 0;
            *at = mi_add_executed(batch, &row).v;
        } else if (!is_same(&batch->rows.executed, *at, link)) {
            continue; /* another one with the same hash */
        }
        return *at;
    }
}

void mi_link_replace(struct mi_batch *batch, const struct mi_executed_row *link)
{
    if (link->task.v && !mi_batch_failed(batch))
        batch->rows.tasks.link[link->task.v].v = shared_row(batch, link);
}

static struct mi_executed_row row_of(const struct mi_executed *links, uint32_t row, mi_task_id task)
{
    return (struct mi_executed_row){.node = links->node[row],
                                    .task = task,
                                    .confidence = links->confidence[row],
                                    .rule = links->rule[row],
                                    .evidence = links->evidence[row],
                                    .conflict = links->conflict[row]};
}

void mi_link_add(struct mi_batch *batch, const struct mi_executed_row *link)
{
    if (!link->task.v || mi_batch_failed(batch))
        return;
    uint32_t own = batch->rows.tasks.link[link->task.v].v;
    if (!own) {
        mi_link_replace(batch, link);
        return;
    }
    struct mi_executed_row other = row_of(&batch->rows.executed, own, link->task);
    bool is_stronger = link->confidence != other.confidence ? link->confidence > other.confidence
                                                            : link->node.v < other.node.v;
    if (is_stronger)
        mi_link_replace(batch, link);
    mi_add_executed(batch, is_stronger ? &other : link);
}

/* --- order --- */

/* Rows that stand for many tasks stay in front, in the order in which they were made. */
static bool link_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_executed *links = &rows->executed;
    if (links->task[a].v != links->task[b].v)
        return links->task[a].v > links->task[b].v;
    if (!links->task[a].v)
        return false;
    if (links->confidence[a] != links->confidence[b])
        return links->confidence[a] < links->confidence[b];
    return links->node[a].v > links->node[b].v;
}

bool mi_links_order(struct mi_tables *rows)
{
    uint32_t *new_row;
    if (!mi_table_sort(rows, MI_T_executed, NULL, link_behind, &new_row))
        return false;
    for (uint32_t t = 1; new_row && t < rows->tasks.count; t++)
        rows->tasks.link[t].v = new_row[rows->tasks.link[t].v];
    mi_mem_free(new_row);
    return true;
}

/* --- walking --- */

/* The first link beside an own one whose task is `task` or a later one. */
static uint32_t first_beside(const struct mi_executed *links, uint32_t task)
{
    uint32_t from = 1, to = links->count;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (links->task[middle].v < task)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

struct mi_links mi_links_begin(const struct mi_tables *rows)
{
    return (struct mi_links){.rows = rows, .beside = first_beside(&rows->executed, 1)};
}

bool mi_links_next(struct mi_links *at)
{
    const struct mi_executed *links = &at->rows->executed;
    const struct mi_tasks *tasks = &at->rows->tasks;
    if (links->count <= 1)
        return false;
    if (at->beside < links->count && links->task[at->beside].v == at->task) {
        at->row = at->beside++;
        return true;
    }
    for (at->task++; at->task < tasks->count; at->task++)
        if (tasks->link[at->task].v) {
            at->row = tasks->link[at->task].v;
            return true;
        }
    return false;
}

uint32_t mi_links_count(const struct mi_tables *rows)
{
    uint32_t count = 0;
    for (struct mi_links at = mi_links_begin(rows); mi_links_next(&at);)
        count++;
    return count;
}

struct mi_node_links mi_node_links_begin(const struct mi_model *model, uint32_t node)
{
    const struct mi_csr *of = &model->index.node_tasks;
    return (struct mi_node_links){
        .model = model, .node = node, .place = of->first[node], .end = of->first[node + 1]};
}

bool mi_node_links_next(struct mi_node_links *at)
{
    const struct mi_executed *links = &at->model->all.rows.executed;
    if (at->place == at->end)
        return false;
    uint32_t task = at->model->index.node_tasks.list[at->place++];
    if (task != at->task) {
        at->task = task;
        at->row = at->model->all.rows.tasks.link[task].v;
        at->beside = first_beside(links, task);
        if (links->node[at->row].v == at->node)
            return true;
    }
    /* the list has the task once for each of its links to this node */
    while (links->node[at->beside].v != at->node)
        at->beside++;
    at->row = at->beside++;
    return true;
}
