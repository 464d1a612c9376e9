/* Anchors: which tensor of the framework graph a tensor of the compiled graph is.
 *
 *   R1  equal names
 *   R2  a node called T_nchwc computes T
 *   R3  ... or what was fused behind T since it got its name: a residual Add, an activation
 *   R4  a node that kept the name of a framework node computes its output; quantised forms compute
 *       what the QuantizeLinear behind it gives
 *   R5  data movement leaves a tensor what it is
 *
 * R2 and R3 are about names that ONNX Runtime's NCHWc pass gives; elsewhere nothing bears them. */
#include "correlate/cuts/cut.h"

#define MAX_HOPS 64u /* along nodes that follow one another alone */

/* --- names --- */

/* Without "_token_17" at the end; as it is if there is none. */
static struct mi_bytes without_token(struct mi_bytes name)
{
    size_t end = name.len;
    while (end && name.at[end - 1] >= '0' && name.at[end - 1] <= '9')
        end--;
    struct mi_bytes head = mi_bytes_sub(name, 0, end);
    if (end == name.len || !mi_bytes_ends(head, MI_LIT("_token_")))
        return name;
    return mi_bytes_sub(name, 0, end - (sizeof "_token_" - 1));
}

static struct mi_bytes without(struct mi_bytes name, struct mi_bytes suffix)
{
    return mi_bytes_ends(name, suffix) ? mi_bytes_sub(name, 0, name.len - suffix.len) : name;
}

static uint32_t lookup(const struct mi_cut *cut, const struct mi_map *map, uint32_t scope,
                       struct mi_bytes name)
{
    mi_str_id id = name.len ? mi_strings_find(&cut->model->all.strings, name) : MI_NO_STR;
    return id.v ? mi_map_get(map, mi_pair(scope, id.v)) : 0;
}

/* --- steps in the framework graph --- */

/* The one reader of a tensor that is no output of its graph, as node + 1; Identity is stepped over.
 */
static uint32_t only_reader(const struct mi_cut *cut, uint32_t tensor)
{
    const struct mi_flow *f = &cut->f;
    for (uint32_t hops = 0; hops < MAX_HOPS; hops++) {
        uint32_t first = f->readers.first[tensor];
        if (f->readers.first[tensor + 1] - first != 1 || f->tensors[tensor].flags & MI_FLOW_OUTPUT)
            return 0;
        const struct mi_flow_node *n = &f->nodes[f->readers.list[first] - 1];
        if (mi_flow_op(f, n).v != cut->ops.identity || !n->out_count || !mi_flow_out(f, n, 0))
            return f->readers.list[first];
        tensor = mi_flow_out(f, n, 0);
    }
    return 0;
}

static uint32_t first_output(const struct mi_flow *flow, uint32_t node_plus_1)
{
    const struct mi_flow_node *n = &flow->nodes[node_plus_1 - 1];
    return n->out_count ? mi_flow_out(flow, n, 0) : 0;
}

/* The tensor behind `tensor` if only an `op` reads it; else `tensor`. */
static uint32_t step_over(const struct mi_cut *cut, uint32_t tensor, uint32_t op)
{
    uint32_t reader = only_reader(cut, tensor);
    if (!reader || mi_flow_op(&cut->f, &cut->f.nodes[reader - 1]).v != op)
        return tensor;
    uint32_t next = first_output(&cut->f, reader);
    return next ? next : tensor;
}

/* The text of a node's attribute `activation`, or none. */
static uint32_t activation_of(const struct mi_cut *cut, const struct mi_flow_node *n)
{
    const struct mi_tables *rows = &cut->model->all.rows;
    for (uint32_t i = 0; i < rows->nodes.attr_count[n->node]; i++) {
        uint32_t attr = rows->nodes.first_attr[n->node] + i;
        if (rows->attrs.item_count[attr] &&
            mi_bytes_equal(mi_model_text(cut->model, rows->attrs.name[attr]), MI_LIT("activation")))
            return rows->items.text[rows->attrs.first_item[attr]].v;
    }
    return 0;
}

/* --- the rules --- */

/* R3 */
static uint32_t slide(const struct mi_cut *cut, const struct mi_flow_node *n, uint32_t tensor)
{
    if (n->in_count > 3 && mi_flow_in(&cut->o, n, 3))
        tensor = step_over(cut, tensor, cut->ops.add);
    uint32_t activation = activation_of(cut, n), producer = cut->f.tensors[tensor].producer;
    if (activation && producer && mi_flow_op(&cut->f, &cut->f.nodes[producer - 1]).v != activation)
        tensor = step_over(cut, tensor, activation);
    return tensor;
}

static uint32_t by_nchwc_name(const struct mi_cut *cut, const struct mi_flow_node *n,
                              uint32_t scope)
{
    struct mi_bytes name = without_token(mi_model_text(cut->model, mi_flow_node_name(&cut->o, n)));
    if (!mi_bytes_ends(name, MI_LIT("_nchwc")))
        return 0;
    uint32_t tensor = lookup(cut, &cut->f_tensor, scope, without(name, MI_LIT("_nchwc")));
    return tensor ? slide(cut, n, tensor) : 0;
}

/* Computes on quantised values: its output is that of the QuantizeLinear behind the operator. */
static bool is_quantised(struct mi_bytes op)
{
    if (mi_bytes_starts(op, MI_LIT("QLinear")) || mi_bytes_starts(op, MI_LIT("QGemm")))
        return true;
    for (size_t i = 0; i + sizeof "Integer" - 1 <= op.len; i++)
        if (mi_bytes_starts(mi_bytes_sub(op, i, op.len), MI_LIT("Integer")))
            return true;
    return false;
}

static uint32_t quantised_output(const struct mi_cut *cut, uint32_t tensor)
{
    for (uint32_t hops = 0; tensor && hops < MAX_HOPS; hops++) {
        uint32_t reader = only_reader(cut, tensor);
        if (!reader)
            return 0;
        tensor = first_output(&cut->f, reader);
        if (mi_flow_op(&cut->f, &cut->f.nodes[reader - 1]).v == cut->ops.quantize)
            return tensor;
    }
    return 0;
}

/* The framework node that a compiled node is named after, as node + 1. */
static uint32_t namesake(const struct mi_cut *cut, const struct mi_flow_node *n, uint32_t scope)
{
    struct mi_bytes name = mi_model_text(cut->model, mi_flow_node_name(&cut->o, n));
    struct mi_bytes tries[3];
    tries[0] = name;
    tries[1] = without(without_token(name), MI_LIT("/duplicated"));
    tries[2] = without_token(tries[1]);
    for (int i = 0; i < 3; i++) {
        uint32_t q = lookup(cut, &cut->f_node, scope, tries[i]);
        if (q)
            return q == MI_FLOW_NONE ? 0 : q;
    }
    return 0;
}

static void by_node_name(struct mi_cut *cut, const struct mi_flow_node *n, uint32_t scope)
{
    uint32_t q = namesake(cut, n, scope);
    if (!q)
        return;
    const struct mi_flow_node *node = &cut->f.nodes[q - 1];
    mi_str_id op = mi_flow_op(&cut->o, n);
    bool is_same = op.v == mi_flow_op(&cut->f, node).v;
    if (!is_same && !is_quantised(mi_model_text(cut->model, op)))
        return;
    for (uint32_t i = 0; i < n->out_count && i < node->out_count; i++) {
        uint32_t tensor = mi_flow_out(&cut->o, n, i), source = mi_flow_out(&cut->f, node, i);
        if (!is_same)
            source = i ? 0 : quantised_output(cut, source);
        if (tensor && source && !cut->anchor[tensor])
            cut->anchor[tensor] = source;
    }
}

/* R1 to R4 for the outputs of one node. */
static void anchor_outputs(struct mi_cut *cut, const struct mi_flow_node *n, uint32_t scope)
{
    bool is_open = false;
    for (uint32_t i = 0; i < n->out_count; i++) {
        uint32_t tensor = mi_flow_out(&cut->o, n, i);
        if (!tensor || cut->anchor[tensor])
            continue;
        mi_str_id name = mi_flow_name(&cut->o, tensor);
        cut->anchor[tensor] = name.v ? mi_map_get(&cut->f_tensor, mi_pair(scope, name.v)) : 0;
        is_open = is_open || !cut->anchor[tensor];
    }
    uint32_t first = n->out_count ? mi_flow_out(&cut->o, n, 0) : 0;
    if (first && !cut->anchor[first])
        cut->anchor[first] = by_nchwc_name(cut, n, scope);
    if (is_open)
        by_node_name(cut, n, scope);
}

/* --- R5: along data movement, to a fixed point --- */

static bool moves_forward(const struct mi_cut_ops *ops, uint32_t op)
{
    return op == ops->reorder_input || op == ops->reorder_output || op == ops->transpose ||
           op == ops->reshape || op == ops->cast;
}

static bool moves_backward(const struct mi_cut_ops *ops, uint32_t op)
{
    return moves_forward(ops, op) || op == ops->squeeze || op == ops->unsqueeze ||
           op == ops->flatten;
}

/* What a node says about its input, when its output is known; 0 = nothing. */
static uint32_t source_of(const struct mi_cut *cut, uint32_t op, uint32_t output)
{
    uint32_t producer = cut->f.tensors[output].producer;
    if (!producer || mi_flow_op(&cut->f, &cut->f.nodes[producer - 1]).v != op)
        return output;
    const struct mi_flow_node *p = &cut->f.nodes[producer - 1];
    return p->in_count ? mi_flow_in(&cut->f, p, 0) : 0;
}

/* Applies R5 to one node and puts the tensor that it anchored on the list. */
static bool move(struct mi_cut *cut, const struct mi_flow_node *n, struct mi_u32s *changed)
{
    uint32_t op = mi_flow_op(&cut->o, n).v;
    if (!n->in_count || !n->out_count || !moves_backward(&cut->ops, op))
        return true;
    uint32_t in = mi_flow_in(&cut->o, n, 0), out = mi_flow_out(&cut->o, n, 0);
    if (!in || !out || mi_flow_is_const(&cut->o, in))
        return true;
    if (cut->anchor[out] && !cut->anchor[in]) {
        cut->anchor[in] = source_of(cut, op, cut->anchor[out]);
        return !cut->anchor[in] || mi_u32s_push(changed, in);
    }
    if (cut->anchor[in] && !cut->anchor[out] && moves_forward(&cut->ops, op)) {
        cut->anchor[out] = cut->anchor[in];
        return mi_u32s_push(changed, out);
    }
    return true;
}

static bool spread(struct mi_cut *cut, const struct mi_flow_scope *scope)
{
    const struct mi_flow *o = &cut->o;
    struct mi_u32s changed = {0};
    bool ok = true;
    for (uint32_t n = 0; ok && n < scope->node_count; n++)
        ok = move(cut, &o->nodes[scope->first_node + n], &changed);
    for (uint32_t at = 0; ok && at < changed.count; at++) {
        uint32_t tensor = changed.at[at], producer = o->tensors[tensor].producer;
        if (producer)
            ok = move(cut, &o->nodes[producer - 1], &changed);
        for (uint32_t k = o->readers.first[tensor]; ok && k < o->readers.first[tensor + 1]; k++)
            ok = move(cut, &o->nodes[o->readers.list[k] - 1], &changed);
    }
    mi_u32s_fini(&changed);
    return ok;
}

/* --- one pair of scopes --- */

/* Inputs of the graph: by name; those of a body also by place. */
static void anchor_inputs(struct mi_cut *cut, struct mi_scope_pair pair)
{
    const struct mi_flow_scope *o = &cut->o.scopes[pair.compiled];
    const struct mi_flow_scope *f = &cut->f.scopes[pair.framework];
    bool by_place = o->owner && o->in_count == f->in_count;
    for (uint32_t i = 0; i < o->in_count; i++) {
        uint32_t tensor = cut->o.ports.at[o->first_in + i];
        if (!tensor || cut->anchor[tensor] || mi_flow_is_const(&cut->o, tensor))
            continue;
        mi_str_id name = mi_flow_name(&cut->o, tensor);
        cut->anchor[tensor] =
            name.v ? mi_map_get(&cut->f_tensor, mi_pair(pair.framework, name.v)) : 0;
        if (!cut->anchor[tensor] && by_place)
            cut->anchor[tensor] = cut->f.ports.at[f->first_in + i];
    }
}

static bool anchor_by_name(struct mi_cut *cut, struct mi_scope_pair pair)
{
    const struct mi_flow_scope *scope = &cut->o.scopes[pair.compiled];
    anchor_inputs(cut, pair);
    for (uint32_t n = 0; n < scope->node_count; n++)
        anchor_outputs(cut, &cut->o.nodes[scope->first_node + n], pair.framework);
    return spread(cut, scope);
}

bool mi_cut_anchors(struct mi_cut *cut, struct mi_scope_pair pair)
{
    const struct mi_flow_scope *scope = &cut->o.scopes[pair.compiled];
    if (cut->is_ge ? !mi_cut_ge_anchors(cut, pair) : !anchor_by_name(cut, pair))
        return false;
    for (uint32_t n = 0; n < scope->node_count; n++) {
        const struct mi_flow_node *node = &cut->o.nodes[scope->first_node + n];
        for (uint32_t i = 0; i < node->out_count; i++) {
            uint32_t tensor = mi_flow_out(&cut->o, node, i);
            if (!cut->anchor[tensor])
                continue;
            cut->is_anchored[cut->class_of[cut->anchor[tensor]]] = 1;
            cut->is_image[cut->anchor[tensor]] = 1;
        }
    }
    return true;
}
