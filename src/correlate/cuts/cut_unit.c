/* Units: compiled nodes that are joined by tensors without an anchor. Mostly one node. */
#include "correlate/cuts/cut.h"

static uint32_t find_root(uint32_t *parent, uint32_t n)
{
    while (parent[n] != n) {
        parent[n] = parent[parent[n]];
        n = parent[n];
    }
    return n;
}

/* The root is the smallest number, so units come out in the order of their first nodes. */
static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = find_root(parent, a);
    b = find_root(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

static void join_all(const struct mi_cut *cut, const struct mi_flow_scope *scope, uint32_t *parent)
{
    const struct mi_flow *o = &cut->o;
    for (uint32_t i = 0; i < scope->node_count; i++) {
        const struct mi_flow_node *n = &o->nodes[scope->first_node + i];
        for (uint32_t k = 0; k < mi_flow_all_in(n); k++) {
            uint32_t tensor = mi_flow_in(o, n, k), producer = o->tensors[tensor].producer;
            if (!producer || cut->anchor[tensor] || mi_flow_is_const(o, tensor))
                continue;
            if (o->nodes[producer - 1].scope == n->scope)
                join(parent, i, producer - 1 - scope->first_node);
        }
    }
}

/* Counts the members of each unit in `size`, at its root; opens the units. */
static bool open_units(struct mi_cut *cut, const struct mi_flow_scope *scope, uint32_t *parent,
                       uint32_t *unit_at)
{
    for (uint32_t i = 0; i < scope->node_count; i++) {
        uint32_t root = find_root(parent, i);
        if (root == i) {
            if (!mi_vec_room(&cut->units, &cut->unit_room, cut->unit_count, sizeof *cut->units))
                return false;
            cut->units[cut->unit_count] = (struct mi_unit){0};
            unit_at[i] = cut->unit_count++;
        }
        cut->units[unit_at[root]].member_count++;
    }
    return true;
}

static bool list_members(struct mi_cut *cut, const struct mi_flow_scope *scope, uint32_t *parent,
                         const uint32_t *unit_at, uint32_t first_unit)
{
    uint32_t at = cut->members.count;
    for (uint32_t i = 0; i < scope->node_count; i++)
        if (!mi_u32s_push(&cut->members, 0))
            return false;
    for (uint32_t u = first_unit; u < cut->unit_count; u++) {
        cut->units[u].first_member = at;
        at += cut->units[u].member_count;
        cut->units[u].member_count = 0;
    }
    for (uint32_t i = 0; i < scope->node_count; i++) {
        struct mi_unit *unit = &cut->units[unit_at[find_root(parent, i)]];
        uint32_t n = scope->first_node + i;
        cut->members.at[unit->first_member + unit->member_count++] = n;
        cut->unit_of[n] = (uint32_t)(unit - cut->units) + 1;
    }
    return true;
}

bool mi_cut_units(struct mi_cut *cut, struct mi_scope_pair pair)
{
    const struct mi_flow_scope *scope = &cut->o.scopes[pair.compiled];
    uint32_t first_unit = cut->unit_count;
    uint32_t *parent = mi_mem_new(scope->node_count, sizeof *parent);
    uint32_t *unit_at = mi_mem_new(scope->node_count, sizeof *unit_at);
    bool ok = parent && unit_at;
    if (ok) {
        for (uint32_t i = 0; i < scope->node_count; i++)
            parent[i] = i;
        join_all(cut, scope, parent);
        ok = open_units(cut, scope, parent, unit_at) &&
             list_members(cut, scope, parent, unit_at, first_unit);
    }
    mi_mem_free(parent);
    mi_mem_free(unit_at);
    return ok;
}
