/* Nodes and times summed by one property; the engine below the tables of summary_groups.c. */
#ifndef MI_ANALYSE_SUMMARY_GROUPING_H
#define MI_ANALYSE_SUMMARY_GROUPING_H

#include "analyse/accounting/spans.h"
#include "analyse/summary/summary_parts.h"

/* One row of a table to be. */
struct mi_summary_group {
    uint32_t key; /* what the property's key_of() gives */
    uint8_t category;
    int64_t nodes, tasks, total_ns, busy_ns;
    int64_t least_ns, greatest_ns; /* own times of its tasks */
    uint32_t entity, first_task;   /* the first that was met */
    struct mi_bytes name;          /* for the order of equals */
};

/* What is counted: nodes, and names in tasks that belong to no node. */
struct mi_summary_entity {
    mi_str_id op;
    mi_str_id name;
    uint8_t category;
};

struct mi_grouping {
    const struct mi_summary *summary;
    struct mi_summary_entity *entities; /* [entity_count + 1], from 1; first those of the nodes */
    uint32_t *entity_of;                /* [tasks.count]; 0 = the task does not count */
    uint32_t entity_count;
    struct mi_summary_group *groups; /* [group_count] */
    uint32_t group_count, group_room;
    struct mi_map place, seen; /* key -> group + 1; (group, entity) -> 1 */
    uint32_t *known;           /* index of a property -> group + 1 */
    uint32_t *last_group;      /* entity -> group + 1 in which it was met last */
    bool failed;
};

/* A property: tasks of one index have one key. Task 0: of a node that is not timed. */
struct mi_property {
    uint32_t (*index_of)(const struct mi_grouping *grouping, uint32_t entity, uint32_t task);
    uint32_t (*key_of)(const struct mi_grouping *grouping, uint32_t entity, uint32_t task);
};

bool mi_grouping_init(struct mi_grouping *grouping, const struct mi_summary *summary);
void mi_grouping_fini(struct mi_grouping *grouping);

/* Sums all counted tasks, without tasks all nodes of the layer that counts. */
void mi_grouping_collect(struct mi_grouping *grouping, const struct mi_property *property);

/* Puts the groups in order, most time first, and returns the sum of their times. */
int64_t mi_grouping_sort(struct mi_grouping *grouping);

/* Table `kernels`: how the operators of a grouping by operator ran. False: out of memory. */
bool mi_summary_kernels(const struct mi_grouping *grouping);

#endif
