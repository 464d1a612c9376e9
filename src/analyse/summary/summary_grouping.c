#include "analyse/summary/summary_grouping.h"

#include "base/mem.h"
#include "base/vec.h"

#include <stdlib.h>

/* --- entities --- */

/* Entities 1 .. nodes.count - 1 are nodes; behind them come the names of tasks without a node,
 * which are looked up once per kernel. */
static bool add_name(struct mi_grouping *grouping, struct mi_map *names, uint32_t kernel,
                     uint32_t *of_kernel)
{
    const struct mi_kernels *kernels = &grouping->summary->model->all.rows.kernels;
    mi_str_id op = kernels->op[kernel].v ? kernels->op[kernel] : kernels->name[kernel];
    mi_str_id name =
        kernels->node_name[kernel].v ? kernels->node_name[kernel] : kernels->name[kernel];
    uint32_t *at = mi_map_at(names, mi_pair(name.v, op.v));
    if (!at)
        return false;
    if (!*at) {
        *at = ++grouping->entity_count;
        grouping->entities[*at] = (struct mi_summary_entity){op, name, kernels->category[kernel]};
    }
    of_kernel[kernel] = *at;
    return true;
}

static bool find_entities(struct mi_grouping *grouping)
{
    const struct mi_summary *summary = grouping->summary;
    const struct mi_tables *rows = &summary->model->all.rows;
    struct mi_map names = {0};
    uint32_t *of_kernel = mi_mem_zero(rows->kernels.count, sizeof *of_kernel);
    bool ok = of_kernel != NULL;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        grouping->entities[n] = (struct mi_summary_entity){rows->nodes.op[n], rows->nodes.name[n],
                                                           rows->nodes.category[n]};
    for (uint32_t t = 1; ok && t < rows->tasks.count; t++) {
        uint32_t link = summary->model->all.rows.tasks.link[t].v, kernel = rows->tasks.kernel[t].v;
        if (!mi_account_counts(summary->account, (mi_task_id){t}))
            continue;
        if (!link && !of_kernel[kernel])
            ok = add_name(grouping, &names, kernel, of_kernel);
        grouping->entity_of[t] = link ? rows->executed.node[link].v : of_kernel[kernel];
    }
    mi_map_fini(&names);
    mi_mem_free(of_kernel);
    return ok;
}

static size_t most_of(const struct mi_tables *rows)
{
    size_t most = (size_t)rows->nodes.count + rows->kernels.count;
    return most > rows->tracks.count ? most : rows->tracks.count;
}

bool mi_grouping_init(struct mi_grouping *grouping, const struct mi_summary *summary)
{
    const struct mi_tables *rows = &summary->model->all.rows;
    size_t most = most_of(rows) + 1;
    *grouping = (struct mi_grouping){.summary = summary, .entity_count = rows->nodes.count - 1};
    grouping->entities = mi_mem_zero(most, sizeof *grouping->entities);
    grouping->entity_of = mi_mem_zero(rows->tasks.count, sizeof *grouping->entity_of);
    grouping->known = mi_mem_zero(most, sizeof *grouping->known);
    grouping->last_group = mi_mem_zero(most, sizeof *grouping->last_group);
    return grouping->entities && grouping->entity_of && grouping->known && grouping->last_group &&
           find_entities(grouping);
}

void mi_grouping_fini(struct mi_grouping *grouping)
{
    mi_map_fini(&grouping->place);
    mi_map_fini(&grouping->seen);
    mi_mem_free(grouping->groups);
    mi_mem_free(grouping->entities);
    mi_mem_free(grouping->entity_of);
    mi_mem_free(grouping->known);
    mi_mem_free(grouping->last_group);
}

/* --- groups --- */

static void reset(struct mi_grouping *grouping)
{
    size_t most = most_of(&grouping->summary->model->all.rows) + 1;
    mi_map_fini(&grouping->place);
    mi_map_fini(&grouping->seen);
    memset(grouping->known, 0, most * sizeof *grouping->known);
    memset(grouping->last_group, 0, most * sizeof *grouping->last_group);
    grouping->group_count = 0;
}

/* Place + 1 of the group of `key`, new if there is none; 0: out of memory. */
static uint32_t find_group(struct mi_grouping *grouping, uint32_t key, uint32_t entity,
                           uint32_t task)
{
    uint32_t *at = mi_map_at(&grouping->place, key);
    if (at && !*at) {
        if (!mi_vec_room(&grouping->groups, &grouping->group_room, grouping->group_count,
                         sizeof *grouping->groups))
            return 0;
        grouping->groups[grouping->group_count] = (struct mi_summary_group){
            .key = key, .entity = entity, .first_task = task, .least_ns = INT64_MAX};
        *at = ++grouping->group_count;
    }
    return at ? *at : 0;
}

/* Adds one task (or with task 0 one node) to its group. */
static void add(struct mi_grouping *grouping, const struct mi_property *property, uint32_t entity,
                uint32_t task)
{
    uint32_t *known = &grouping->known[property->index_of(grouping, entity, task)];
    if (!*known)
        *known = find_group(grouping, property->key_of(grouping, entity, task), entity, task);
    if (!*known) {
        grouping->failed = true;
        return;
    }
    struct mi_summary_group *group = &grouping->groups[*known - 1];
    if (grouping->last_group[entity] != *known) { /* mostly an entity is in one group only */
        uint32_t *seen = mi_map_at(&grouping->seen, mi_pair(*known, entity));
        if (!seen) {
            grouping->failed = true;
            return;
        }
        group->nodes += !*seen;
        *seen = 1;
        grouping->last_group[entity] = *known;
    }
    group->category = grouping->entities[entity].category;
    if (!task)
        return;
    int64_t own_ns = grouping->summary->account->own_ns[task];
    group->tasks++;
    group->total_ns = mi_ns_add(group->total_ns, own_ns);
    group->least_ns = own_ns < group->least_ns ? own_ns : group->least_ns;
    group->greatest_ns = own_ns > group->greatest_ns ? own_ns : group->greatest_ns;
}

void mi_grouping_collect(struct mi_grouping *grouping, const struct mi_property *property)
{
    const struct mi_summary *summary = grouping->summary;
    const struct mi_tables *rows = &summary->model->all.rows;
    reset(grouping);
    if (summary->has_tasks) {
        for (uint32_t t = 1; t < rows->tasks.count && !grouping->failed; t++)
            if (grouping->entity_of[t])
                add(grouping, property, grouping->entity_of[t], t);
        return;
    }
    for (uint32_t n = 1; n < rows->nodes.count && !grouping->failed; n++)
        if (mi_node_layer(summary->model, (mi_node_id){n}) == summary->top_layer)
            add(grouping, property, n, 0);
}

static int compare_groups(const void *left, const void *right)
{
    const struct mi_summary_group *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    if (a->nodes != b->nodes)
        return a->nodes > b->nodes ? -1 : 1;
    int order = mi_bytes_compare(a->name, b->name);
    return order ? order : (a->key > b->key) - (a->key < b->key);
}

int64_t mi_grouping_sort(struct mi_grouping *grouping)
{
    int64_t all_ns = 0;
    for (uint32_t g = 0; g < grouping->group_count; g++)
        all_ns = mi_ns_add(all_ns, grouping->groups[g].total_ns);
    if (grouping->group_count)
        qsort(grouping->groups, grouping->group_count, sizeof *grouping->groups, compare_groups);
    return all_ns;
}
