/* Fusion groups of the joint graph, and which framework ops became which compiled nodes. */
#include "analyse/compare/joint_parts.h"
#include "base/map.h"
#include "base/mem.h"

/* --- groups --- */

static void add_group(struct joiner *j, unsigned side, uint32_t group, uint32_t *group_of)
{
    const struct mi_groups *groups = &joiner_rows(j, side)->groups;
    uint32_t graph = j->joint->graph_of[side][groups->graph[group].v];
    group_of[group] =
        graph
            ? mi_add_group(
                  j->out, &(struct mi_group_row){.graph = {graph},
                                                 .kind = groups->kind[group],
                                                 .name = joiner_text(j, side, groups->name[group]),
                                                 .pass = joiner_text(j, side, groups->pass[group])})
                  .v
            : 0;
}

/* A node is a member of one group: that of the base, if it has one there. `member_of` [joint
 * nodes]. A group of the new side that shares a node with one of the base is the same. */
static void add_members(struct joiner *j, unsigned side, uint32_t *group_of, uint32_t *member_of)
{
    const struct mi_tables *rows = joiner_rows(j, side);
    for (uint32_t m = 1; m < rows->members.count; m++) {
        uint32_t node = j->joint->node_of[side][rows->members.node[m].v];
        uint32_t group = rows->members.group[m].v;
        if (node && member_of[node] && !group_of[group])
            group_of[group] = member_of[node];
    }
    for (uint32_t m = 1; m < rows->members.count; m++) {
        uint32_t node = j->joint->node_of[side][rows->members.node[m].v];
        uint32_t group = rows->members.group[m].v;
        if (!node || member_of[node])
            continue;
        if (!group_of[group])
            add_group(j, side, group, group_of);
        member_of[node] = group_of[group];
        if (member_of[node])
            mi_add_member(j->out,
                          &(struct mi_member_row){.group = {group_of[group]}, .node = {node}});
    }
}

/* --- links --- */

/* An op leads where it led at the base; ops of the new side alone, and those that lead nowhere at
 * the base, where they lead there. */
static bool add_lowered(struct joiner *j, unsigned side, struct mi_map *known, uint8_t *is_known)
{
    const struct mi_lowered *lowered = &joiner_rows(j, side)->lowered;
    uint32_t from = mi_next_row(j->out, lowered);
    for (uint32_t l = 1; l < lowered->count; l++) {
        uint32_t op = j->joint->node_of[side][lowered->framework[l].v];
        uint32_t node = j->joint->node_of[side][lowered->compiled[l].v];
        if (!op || !node || is_known[op])
            continue;
        uint32_t *at = mi_map_at(known, mi_pair(op, node));
        if (!at)
            return false;
        if (!*at)
            mi_add_lowered(j->out, &(struct mi_lowered_row){.framework = {op}, .compiled = {node}});
        *at = 1;
    }
    for (uint32_t l = from; l < mi_next_row(j->out, lowered); l++)
        is_known[j->out->rows.lowered.framework[l].v] = 1;
    return true;
}

bool mi_joint_add_groups(struct joiner *j)
{
    uint32_t nodes = mi_next_row(j->out, nodes);
    uint32_t *member_of = mi_mem_zero(nodes, sizeof *member_of);
    uint8_t *is_known = mi_mem_zero(nodes, 1);
    struct mi_map known = {0};
    bool ok = member_of && is_known;
    for (unsigned side = 0; ok && side < MI_CMP_SIDES; side++) {
        uint32_t *group_of = mi_mem_zero(joiner_rows(j, side)->groups.count, sizeof *group_of);
        ok = group_of != NULL;
        if (ok)
            add_members(j, side, group_of, member_of);
        mi_mem_free(group_of);
        ok = ok && add_lowered(j, side, &known, is_known);
    }
    mi_map_fini(&known);
    mi_mem_free(member_of);
    mi_mem_free(is_known);
    return ok;
}
