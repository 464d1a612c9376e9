/* Units of several nodes in detail: which member computes which of the covered nodes.
 *
 * From the outputs of a unit both graphs are followed back side by side as long as the operators
 * are the same; so a function or a branch that the compiler put in place of its call is taken
 * apart. What stays is told apart by names where the compiler kept them at the end of its own
 * ("_inlfunc_F_relu"). Members that neither settles belong to the unit as a whole. */
#include "correlate/categories.h"
#include "correlate/cuts/cut.h"

#define MAX_HOPS 64u

struct align {
    struct mi_cut *cut;
    uint32_t stamp;      /* unit number + 1 */
    struct mi_u32s todo; /* pairs of tensors: compiled, framework */
    bool is_contradicted;
};

static struct mi_bytes member_name(const struct mi_cut *cut, uint32_t member)
{
    return mi_model_text(cut->model, mi_flow_node_name(&cut->o, &cut->o.nodes[member]));
}

/* --- branches that were inlined because their condition is a constant --- */

/* The branch of `owner` (no counterpart of its own) that a member's name tells of,
 * "_if_then_branch_": as scope + 1; 0 = none. */
static uint32_t branch_of(const struct mi_cut *cut, const struct mi_flow_node *owner,
                          uint32_t member)
{
    struct mi_bytes name = member_name(cut, member);
    if (!mi_bytes_starts(name, MI_LIT("_if_")))
        return 0;
    name = mi_bytes_sub(name, sizeof "_if_" - 1, name.len);
    for (uint32_t s = owner->first_scope; s < owner->first_scope + owner->scope_count; s++) {
        uint32_t graph = cut->f.scopes[s].graph;
        struct mi_bytes role = mi_model_text(cut->model, cut->model->all.rows.graphs.role[graph]);
        if (role.len && mi_bytes_starts(name, role))
            return s + 1;
    }
    return 0;
}

static bool is_dissolved(const struct mi_cut *cut, const struct mi_flow_node *n)
{
    return n->scope_count && !cut->is_paired[n->first_scope];
}

/* The tensor that a branch gives for output `tensor` of its owner; 0 = none. */
static uint32_t branch_output(const struct mi_cut *cut, const struct mi_flow_node *owner,
                              uint32_t scope, uint32_t tensor)
{
    const struct mi_flow_scope *branch = &cut->f.scopes[scope];
    for (uint32_t i = 0; i < owner->out_count && i < branch->out_count; i++)
        if (mi_flow_out(&cut->f, owner, i) == tensor)
            return cut->f.ports.at[branch->first_out + i];
    return 0;
}

/* --- side by side --- */

/* The framework node that makes `tensor`, seen through Identity and dissolved branches, as node
 * + 1.
 */
static uint32_t maker_of(struct align *a, uint32_t tensor, uint32_t member)
{
    struct mi_cut *cut = a->cut;
    bool is_identity = mi_flow_op(&cut->o, &cut->o.nodes[member]).v == cut->ops.identity;
    for (uint32_t hops = 0; tensor && hops < MAX_HOPS; hops++) {
        uint32_t producer = cut->f.tensors[tensor].producer;
        if (!producer)
            return 0;
        const struct mi_flow_node *q = &cut->f.nodes[producer - 1];
        uint32_t branch = is_dissolved(cut, q) ? branch_of(cut, q, member) : 0;
        if (branch) {
            cut->branch_runs[branch - 1] = 1;
            tensor = branch_output(cut, q, branch - 1, tensor);
        } else if (mi_flow_op(&cut->f, q).v == cut->ops.identity && !is_identity && q->in_count) {
            tensor = mi_flow_in(&cut->f, q, 0);
        } else {
            return producer;
        }
    }
    return 0;
}

static bool push_inputs(struct align *a, uint32_t member, uint32_t maker)
{
    struct mi_cut *cut = a->cut;
    const struct mi_flow_node *m = &cut->o.nodes[member], *q = &cut->f.nodes[maker];
    for (uint32_t i = 0; i < m->in_count && i < q->in_count; i++) {
        uint32_t compiled = mi_flow_in(&cut->o, m, i), framework = mi_flow_in(&cut->f, q, i);
        uint32_t producer = cut->o.tensors[compiled].producer;
        if (!producer || !framework || cut->unit_of[producer - 1] != a->stamp ||
            cut->anchor[compiled])
            continue;
        if (!mi_u32s_push(&a->todo, compiled) || !mi_u32s_push(&a->todo, framework))
            return false;
    }
    return true;
}

/* GE has names of its own for operators. */
static bool may_be_same(const struct mi_cut *cut, const struct mi_flow_node *framework,
                        const struct mi_flow_node *compiled)
{
    if (mi_flow_op(&cut->f, framework).v == mi_flow_op(&cut->o, compiled).v)
        return true;
    return cut->is_ge && mi_op_can_become(cut->model, (mi_node_id){framework->node},
                                          (mi_node_id){compiled->node});
}

/* Pairs the makers of one pair of tensors, if they may be the same. */
static bool pair_makers(struct align *a, uint32_t compiled, uint32_t framework)
{
    struct mi_cut *cut = a->cut;
    uint32_t member = cut->o.tensors[compiled].producer - 1;
    uint32_t maker = maker_of(a, framework, member);
    if (!maker)
        return true;
    const struct mi_flow_node *q = &cut->f.nodes[maker - 1];
    bool is_inside = cut->node_seen[maker - 1] == a->stamp || cut->branch_runs[q->scope];
    if (!is_inside || !may_be_same(cut, q, &cut->o.nodes[member]))
        return true;
    if (cut->origin[member] || cut->aligned_in[maker - 1] == a->stamp) {
        a->is_contradicted = a->is_contradicted || cut->origin[member] != maker;
        return true;
    }
    cut->origin[member] = maker;
    cut->aligned_in[maker - 1] = a->stamp;
    return push_inputs(a, member, maker - 1);
}

static bool follow(struct align *a, const struct mi_unit *unit)
{
    struct mi_cut *cut = a->cut;
    for (uint32_t m = 0; m < unit->member_count; m++) {
        const struct mi_flow_node *n = &cut->o.nodes[cut->members.at[unit->first_member + m]];
        for (uint32_t i = 0; i < n->out_count; i++) {
            uint32_t tensor = mi_flow_out(&cut->o, n, i);
            if (cut->anchor[tensor] &&
                (!mi_u32s_push(&a->todo, tensor) || !mi_u32s_push(&a->todo, cut->anchor[tensor])))
                return false;
        }
    }
    while (a->todo.count) {
        uint32_t framework = a->todo.at[--a->todo.count];
        uint32_t compiled = a->todo.at[--a->todo.count];
        if (!pair_makers(a, compiled, framework))
            return false;
    }
    return true;
}

static void forget(struct align *a, const struct mi_unit *unit)
{
    struct mi_cut *cut = a->cut;
    for (uint32_t m = 0; m < unit->member_count; m++) {
        uint32_t *origin = &cut->origin[cut->members.at[unit->first_member + m]];
        if (*origin)
            cut->aligned_in[*origin - 1] = 0;
        *origin = 0;
    }
}

/* --- by the end of names --- */

/* The framework node that a member is named after, as node + 1; 0 = none. `names` maps names to
 * nodes + 1. */
static uint32_t named_after(const struct mi_cut *cut, uint32_t member, const struct mi_map *names)
{
    struct mi_bytes name = member_name(cut, member);
    if (!mi_bytes_starts(name, MI_LIT("_inlfunc_")))
        return 0;
    for (size_t at = 1, tries = 0; at < name.len && tries < 64; at++) {
        if (name.at[at - 1] != '_')
            continue;
        tries++;
        mi_str_id id = mi_strings_find(&cut->model->all.strings, mi_bytes_sub(name, at, name.len));
        uint32_t q = id.v ? mi_map_get(names, id.v) : 0;
        if (q && q != MI_FLOW_NONE &&
            mi_flow_op(&cut->f, &cut->f.nodes[q - 1]).v ==
                mi_flow_op(&cut->o, &cut->o.nodes[member]).v)
            return q;
    }
    return 0;
}

static bool match_name_ends(struct align *a, const struct mi_unit *unit)
{
    struct mi_cut *cut = a->cut;
    struct mi_map names = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < unit->covered_count; i++) {
        uint32_t n = cut->found.at[unit->first_covered + i];
        uint32_t name = mi_flow_node_name(&cut->f, &cut->f.nodes[n]).v;
        if (!name || cut->aligned_in[n] == a->stamp)
            continue;
        uint32_t *slot = mi_map_at(&names, name);
        ok = slot != NULL;
        if (ok)
            *slot = *slot ? MI_FLOW_NONE : n + 1;
    }
    for (uint32_t m = 0; ok && m < unit->member_count; m++) {
        uint32_t member = cut->members.at[unit->first_member + m];
        uint32_t n = cut->origin[member] ? 0 : named_after(cut, member, &names);
        if (!n || cut->aligned_in[n - 1] == a->stamp)
            continue;
        cut->origin[member] = n;
        cut->aligned_in[n - 1] = a->stamp;
    }
    mi_map_fini(&names);
    return ok;
}

static bool covers_dissolved(const struct mi_cut *cut, const struct mi_unit *unit)
{
    for (uint32_t i = 0; i < unit->covered_count; i++)
        if (cut->f.nodes[cut->found.at[unit->first_covered + i]].scope_count)
            return true;
    return false;
}

bool mi_cut_align(struct mi_cut *cut, uint32_t unit_no)
{
    const struct mi_unit *unit = &cut->units[unit_no];
    struct align a = {.cut = cut, .stamp = unit_no + 1};
    if (unit->member_count == 1 && !covers_dissolved(cut, unit))
        return true;
    bool ok = follow(&a, unit);
    if (a.is_contradicted)
        forget(&a, unit);
    ok = ok && match_name_ends(&a, unit);
    mi_u32s_fini(&a.todo);
    return ok;
}
