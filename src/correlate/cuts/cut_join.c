/* Joins one pair of main graphs by dataflow cuts: sets the work up, goes through the scopes from
 * the outside in, has the links written down. */
#include "correlate/cuts/cut.h"
#include "correlate/ge/ge_graphs.h"
#include "correlate/pairs.h"

/* Steps that the walks of one pair of graphs may take, per node of both. */
#define STEPS_PER_NODE 32u
#define STEPS_MIN      1000000u

void *mi_cut_array(struct mi_cut *cut, size_t count, size_t size)
{
    if (count > SIZE_MAX / 2 / size)
        return NULL;
    void *array = mi_arena_alloc(&cut->arena, count * size);
    return array ? memset(array, 0, count * size) : NULL;
}

bool mi_cut_pair(struct mi_cut *cut, uint32_t framework, uint32_t compiled)
{
    if (cut->is_paired[framework])
        return true;
    if (!mi_vec_room(&cut->scopes, &cut->scope_room, cut->scope_count, sizeof *cut->scopes))
        return false;
    cut->is_paired[framework] = 1;
    cut->scopes[cut->scope_count++] =
        (struct mi_scope_pair){.framework = framework, .compiled = compiled};
    return true;
}

/* --- setting up --- */

static bool map_tensors(struct mi_cut *cut)
{
    const struct mi_flow *f = &cut->f;
    for (uint32_t t = 1; t < f->tensor_count; t++) {
        const struct mi_flow_tensor *tensor = &f->tensors[t];
        mi_str_id name = mi_flow_name(f, t);
        if (tensor->scope == MI_FLOW_NONE || !name.v ||
            cut->model->all.rows.values.kind[tensor->value] == MI_VALUE_CONSTANT)
            continue;
        uint32_t *slot = mi_map_at(&cut->f_tensor, mi_pair(tensor->scope, name.v));
        if (!slot)
            return false;
        if (!*slot)
            *slot = tensor->alias ? tensor->alias : t;
    }
    return true;
}

static bool map_nodes(struct mi_cut *cut)
{
    const struct mi_flow *f = &cut->f;
    for (uint32_t n = 0; n < f->node_count; n++) {
        mi_str_id name = mi_flow_node_name(f, &f->nodes[n]);
        if (f->nodes[n].call || !name.v)
            continue;
        uint32_t *slot = mi_map_at(&cut->f_node, mi_pair(f->nodes[n].scope, name.v));
        if (!slot)
            return false;
        *slot = *slot ? MI_FLOW_NONE : n + 1;
    }
    return true;
}

static bool set_up_arrays(struct mi_cut *cut)
{
    cut->anchor = mi_cut_array(cut, cut->o.tensor_count, sizeof *cut->anchor);
    cut->unit_of = mi_cut_array(cut, cut->o.node_count, sizeof *cut->unit_of);
    cut->cover_count = mi_cut_array(cut, cut->f.node_count, sizeof *cut->cover_count);
    cut->node_seen = mi_cut_array(cut, cut->f.node_count, sizeof *cut->node_seen);
    cut->tensor_seen = mi_cut_array(cut, cut->f.tensor_count, sizeof *cut->tensor_seen);
    cut->origin = mi_cut_array(cut, cut->o.node_count, sizeof *cut->origin);
    cut->aligned_in = mi_cut_array(cut, cut->f.node_count, sizeof *cut->aligned_in);
    cut->is_paired = mi_cut_array(cut, cut->f.scope_count, 1);
    cut->branch_runs = mi_cut_array(cut, cut->f.scope_count, 1);
    cut->is_image = mi_cut_array(cut, cut->f.tensor_count, 1);
    size_t classes = (size_t)cut->class_count + 1;
    cut->is_anchored = mi_cut_array(cut, classes, 1);
    cut->class_in = mi_cut_array(cut, classes, sizeof *cut->class_in);
    cut->class_out = mi_cut_array(cut, classes, sizeof *cut->class_out);
    cut->class_hit = mi_cut_array(cut, classes, sizeof *cut->class_hit);
    return cut->anchor && cut->unit_of && cut->cover_count && cut->node_seen && cut->tensor_seen &&
           cut->origin && cut->is_image && cut->aligned_in && cut->branch_runs && cut->is_paired &&
           cut->is_anchored && cut->class_in && cut->class_out && cut->class_hit;
}

static bool prepare_cut(struct mi_cut *cut)
{
#define MI_CUT_OP(field, name) cut->ops.field = mi_known_op(cut->model, name).v;
    MI_CUT_OPS(MI_CUT_OP)
#undef MI_CUT_OP
    cut->budget = STEPS_MIN + (uint64_t)STEPS_PER_NODE * cut->f.node_count +
                  (uint64_t)STEPS_PER_NODE * cut->o.node_count;
    return mi_cut_classes(cut) && set_up_arrays(cut) && map_tensors(cut) && map_nodes(cut) &&
           (!cut->is_ge || mi_cut_ge_prepare(cut));
}

/* --- bodies --- */

/* The framework node that has the bodies of compiled node `n`: the only one of its type among those
 * that the unit covers, else the one of its name. As node + 1; 0 = none. */
static uint32_t owner_of(const struct mi_cut *cut, const struct mi_unit *unit,
                         const struct mi_flow_node *n, uint32_t scope)
{
    uint32_t op = mi_flow_op(&cut->o, n).v, name = mi_flow_node_name(&cut->o, n).v, found = 0;
    for (uint32_t i = 0; i < unit->covered_count; i++) {
        uint32_t q = cut->found.at[unit->first_covered + i];
        const struct mi_flow_node *node = &cut->f.nodes[q];
        if (mi_flow_op(&cut->f, node).v != op || !node->scope_count)
            continue;
        if (name && mi_flow_node_name(&cut->f, node).v == name)
            return q + 1;
        found = found ? MI_FLOW_NONE : q + 1;
    }
    if (found && found != MI_FLOW_NONE)
        return found;
    found = name ? mi_map_get(&cut->f_node, mi_pair(scope, name)) : 0;
    if (!found || found == MI_FLOW_NONE || mi_flow_op(&cut->f, &cut->f.nodes[found - 1]).v != op)
        return 0;
    return found;
}

static bool pair_bodies(struct mi_cut *cut, const struct mi_flow_node *n, uint32_t owner)
{
    const struct mi_graphs *graphs = &cut->model->all.rows.graphs;
    const struct mi_flow_node *q = &cut->f.nodes[owner - 1];
    for (uint32_t i = 0; i < n->scope_count; i++)
        for (uint32_t k = 0; k < q->scope_count; k++) {
            uint32_t compiled = n->first_scope + i, framework = q->first_scope + k;
            if (graphs->role[cut->o.scopes[compiled].graph].v !=
                    graphs->role[cut->f.scopes[framework].graph].v ||
                cut->is_paired[framework])
                continue;
            if (!mi_cut_pair(cut, framework, compiled))
                return false;
            break;
        }
    return true;
}

/* The body of a call that GE put in belongs to the scope around the call. */
static bool pair_parts(struct mi_cut *cut, const struct mi_flow_node *n, uint32_t framework)
{
    for (uint32_t i = 0; i < n->scope_count; i++) {
        if (!mi_vec_room(&cut->scopes, &cut->scope_room, cut->scope_count, sizeof *cut->scopes))
            return false;
        cut->scopes[cut->scope_count++] = (struct mi_scope_pair){
            .framework = framework, .compiled = n->first_scope + i, .is_part = true};
    }
    return true;
}

static bool pair_unit_bodies(struct mi_cut *cut, uint32_t u, uint32_t scope)
{
    for (uint32_t i = 0; i < cut->units[u].member_count; i++) {
        const struct mi_flow_node *n =
            &cut->o.nodes[cut->members.at[cut->units[u].first_member + i]];
        if (cut->is_ge && mi_ge_op_of(cut->model, n->node) == MI_GE_OP_CALL) {
            if (!pair_parts(cut, n, scope))
                return false;
            continue;
        }
        uint32_t owner = n->scope_count ? owner_of(cut, &cut->units[u], n, scope) : 0;
        if (owner && !pair_bodies(cut, n, owner))
            return false;
    }
    return true;
}

static bool do_scope(struct mi_cut *cut, struct mi_scope_pair pair)
{
    uint32_t first_unit = cut->unit_count;
    if (!mi_cut_anchors(cut, pair) || !mi_cut_units(cut, pair))
        return false;
    for (uint32_t u = first_unit; u < cut->unit_count; u++)
        if (!mi_cut_walk(cut, u) || !pair_unit_bodies(cut, u, pair.framework) ||
            !mi_cut_align(cut, u))
            return false;
    return true;
}

/* --- one pair of main graphs --- */

static void tell_limits(struct mi_cut *cut)
{
    if (cut->is_out_of_budget)
        mi_batch_diag(
            &cut->model->all, MI_NOTICE, "cuts.out_of_budget", MI_NO_OFFSET, 0,
            "the graphs have so few tensor names in common that joining them was given up");
    if (cut->f.is_cut_off || cut->o.is_cut_off)
        mi_batch_diag(&cut->model->all, MI_NOTICE, "cuts.functions_not_inlined", MI_NO_OFFSET, 0,
                      "functions that call functions expand too far to be followed");
}

static bool run_pair(struct mi_cut *cut, struct mi_graph_pair pair, struct mi_error *err)
{
    if (!mi_flow_init(&cut->f, cut->model, (mi_graph_id){pair.framework}, err) ||
        !mi_flow_init(&cut->o, cut->model, (mi_graph_id){pair.compiled}, err))
        return false;
    bool ok = prepare_cut(cut) && mi_cut_pair(cut, 0, 0);
    for (uint32_t s = 0; ok && s < cut->scope_count; s++)
        ok = do_scope(cut, cut->scopes[s]);
    ok = ok && mi_cut_emit(cut);
    tell_limits(cut);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while joining graphs");
}

static bool join_pair(struct mi_model *model, struct mi_graph_pair pair, const char *rule,
                      bool is_ge, struct mi_error *err)
{
    struct mi_cut cut = {.model = model, .rule = rule, .is_ge = is_ge};
    mi_arena_init(&cut.arena);
    bool ok = run_pair(&cut, pair, err);
    mi_flow_fini(&cut.f);
    mi_flow_fini(&cut.o);
    mi_map_fini(&cut.f_tensor);
    mi_map_fini(&cut.f_node);
    mi_csr_fini(&cut.ge.links);
    mi_mem_free(cut.scopes);
    mi_mem_free(cut.units);
    mi_u32s_fini(&cut.members);
    mi_u32s_fini(&cut.found);
    mi_u32s_fini(&cut.stack);
    mi_arena_fini(&cut.arena);
    return ok;
}

bool mi_cut_join(struct mi_model *model, const char *rule, bool is_ge, struct mi_error *err)
{
    struct mi_graph_pairs pairs;
    bool ok = mi_graph_pairs_find(&pairs, model, err);
    for (uint32_t p = 0; ok && p < pairs.main_count; p++)
        if (mi_is_ge_graph(model, pairs.at[p].compiled) == is_ge)
            ok = join_pair(model, pairs.at[p], rule, is_ge, err);
    mi_graph_pairs_fini(&pairs);
    return ok;
}
