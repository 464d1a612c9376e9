/* What the cuts say, written down: links, births of nodes that have no counterpart, and the fates
 * of framework nodes that no compiled node computes. */
#include "correlate/cuts/cut.h"

#include "base/translate.h"
#include "correlate/categories.h"
#include "correlate/ge/ge_graphs.h"
#include "correlate/verdict.h"

/* Members times covered nodes of one unit that are linked each with each; beyond, only the member
 * that makes the unit's first output is. */
#define PAIRS_MAX 4096u

struct emit {
    struct mi_cut *cut;
    struct mi_batch *out;
    mi_str_id rule;
    uint32_t *unit_of_class; /* [class_count + 1] first unit that computes it, + 1 */
    uint8_t *is_live;        /* [f.node_count] leads to an output of the graph */
    uint8_t *is_done;        /* [f.node_count] has a link or a verdict */
    uint32_t *named_in; /* [f.node_count] last unit + 1 of which one member alone computes it */
    mi_str_id align_evidence, branch_evidence;
};

size_t mi_cut_name_len(struct mi_bytes text)
{
    size_t len = text.len < MI_NAME_MAX ? text.len : MI_NAME_MAX;
    while (len < text.len && len && (text.at[len] & 0xC0) == 0x80)
        len--;
    return len;
}

static struct mi_bytes tensor_name(const struct emit *e, uint32_t tensor)
{
    return mi_model_text(e->cut->model, mi_flow_name(&e->cut->f, tensor));
}

static uint32_t row_of(const struct mi_flow *flow, uint32_t n)
{
    return flow->nodes[n].node;
}

static uint32_t first_out(const struct mi_flow *flow, uint32_t n)
{
    const struct mi_flow_node *node = &flow->nodes[n];
    return node->out_count ? mi_flow_out(flow, node, 0) : 0;
}

static bool has_flag(const struct mi_flow *flow, uint32_t n, uint32_t flag)
{
    return (flow->tensors[first_out(flow, n)].flags & flag) != 0;
}

/* --- evidence --- */

/* Up to two tensors of the framework graph that the unit reads, and how many there are. */
static uint32_t list_inputs(const struct emit *e, const struct mi_unit *unit, uint32_t shown[2])
{
    const struct mi_cut *cut = e->cut;
    uint32_t count = 0, stamp = (uint32_t)(unit - cut->units) + 1;
    for (uint32_t m = 0; m < unit->member_count; m++) {
        const struct mi_flow_node *n = &cut->o.nodes[cut->members.at[unit->first_member + m]];
        for (uint32_t i = 0; i < mi_flow_all_in(n); i++) {
            uint32_t tensor = mi_flow_in(&cut->o, n, i), anchor = cut->anchor[tensor];
            uint32_t producer = cut->o.tensors[tensor].producer;
            if (!anchor || mi_flow_is_const(&cut->o, tensor) ||
                (producer && cut->unit_of[producer - 1] == stamp) ||
                (count && anchor == shown[0]) || (count > 1 && anchor == shown[1]))
                continue;
            if (count < 2)
                shown[count] = anchor;
            count++;
        }
    }
    return count;
}

static mi_str_id cut_evidence(struct emit *e, const struct mi_unit *unit)
{
    uint32_t shown[2] = {0, 0}, count = list_inputs(e, unit, shown);
    const char *closed = unit->state == MI_UNIT_EXACT ? "" : N_(", not closed");
    struct mi_bytes to = tensor_name(e, unit->target);
    struct mi_bytes a = tensor_name(e, shown[0]), b = tensor_name(e, shown[1]);
    if (!count)
        return mi_batch_printf(e->out, "makes %.*s from constants%s", MI_NAME(to), closed);
    if (count == 1)
        return mi_batch_printf(e->out, "makes %.*s from %.*s%s", MI_NAME(to), MI_NAME(a), closed);
    return mi_batch_printf(e->out, "makes %.*s from %.*s, %.*s%s%s", MI_NAME(to), MI_NAME(a),
                           MI_NAME(b), count > 2 ? ", ..." : "", closed);
}

/* --- roles --- */

/* The attribute `perm` of a Transpose; NULL = none, the order is turned round. */
static const int64_t *order_of(const struct mi_cut *cut, const struct mi_flow_node *n,
                               uint32_t *count)
{
    const struct mi_tables *rows = &cut->model->all.rows;
    uint32_t first = rows->nodes.first_attr[n->node];
    for (uint32_t a = first; a < first + rows->nodes.attr_count[n->node]; a++) {
        *count = rows->attrs.item_count[a];
        if (rows->attrs.kind[a] == MI_ATTR_INTS &&
            mi_bytes_equal(mi_model_text(cut->model, rows->attrs.name[a]), MI_LIT("perm")))
            return &rows->items.int_value[rows->attrs.first_item[a]];
    }
    return NULL;
}

/* One Transpose after the other leaves all dimensions where they were. */
static bool do_orders_cancel(const struct mi_cut *cut, const struct mi_flow_node *first,
                             const struct mi_flow_node *second)
{
    uint32_t first_count = 0, second_count = 0;
    const int64_t *a = order_of(cut, first, &first_count);
    const int64_t *b = order_of(cut, second, &second_count);
    uint32_t rank = a ? first_count : second_count;
    if (a && b && first_count != second_count)
        return false;
    for (uint32_t i = 0; (a || b) && i < rank; i++) {
        int64_t middle = b ? b[i] : (int64_t)(rank - 1 - i);
        if (middle < 0 || middle >= rank || (a ? a[middle] : (int64_t)rank - 1 - middle) != i)
            return false;
    }
    return true;
}

/* A Cast that casts back what the Cast before it did, or a Transpose likewise. */
static bool undoes_producer(const struct mi_cut *cut, uint32_t n)
{
    const struct mi_flow *f = &cut->f;
    const struct mi_values *values = &cut->model->all.rows.values;
    const struct mi_flow_node *second = &f->nodes[n];
    uint32_t between = second->in_count ? mi_flow_in(f, second, 0) : 0, out = first_out(f, n);
    uint32_t first = f->tensors[between].producer;
    if (!first || !out || mi_flow_op(f, &f->nodes[first - 1]).v != mi_flow_op(f, second).v ||
        f->nodes[first - 1].in_count == 0)
        return false;
    if (mi_flow_op(f, second).v == cut->ops.transpose)
        return do_orders_cancel(cut, &f->nodes[first - 1], second);
    uint32_t in = mi_flow_in(f, &f->nodes[first - 1], 0);
    mi_str_id before = values->dtype[f->tensors[in].value];
    return in && before.v && before.v == values->dtype[f->tensors[out].value].v;
}

/* One of two Casts or Transposes of which nothing remains together. */
static bool is_half_of_pair(const struct mi_cut *cut, uint32_t n)
{
    const struct mi_flow *f = &cut->f;
    uint32_t op = mi_flow_op(f, &f->nodes[n]).v;
    if (!op || (op != cut->ops.cast && op != cut->ops.transpose))
        return false;
    if (undoes_producer(cut, n))
        return true;
    uint32_t out = first_out(f, n);
    if (!out || f->readers.first[out + 1] - f->readers.first[out] != 1)
        return false;
    uint32_t reader = f->readers.list[f->readers.first[out]] - 1;
    return mi_flow_op(f, &f->nodes[reader]).v == op && undoes_producer(cut, reader);
}

/* True if one of the node's branches stands in its place. */
static bool is_dissolved(const struct mi_cut *cut, const struct mi_flow_node *n)
{
    for (uint32_t s = n->first_scope; s < n->first_scope + n->scope_count; s++)
        if (cut->branch_runs[s])
            return true;
    return false;
}

static enum mi_role role_of(const struct emit *e, const struct mi_unit *unit, uint32_t n)
{
    const struct mi_cut *cut = e->cut;
    uint32_t op = mi_flow_op(&cut->f, &cut->f.nodes[n]).v;
    const struct mi_flow_node *member = &cut->o.nodes[cut->members.at[unit->first_member]];
    bool is_alone = unit->covered_count == 1;
    bool is_kept = unit->member_count == 1 && mi_flow_op(&cut->o, member).v == op;
    if ((op == cut->ops.identity || op == cut->ops.dropout) && !(is_alone && is_kept))
        return MI_ROLE_ABSORBED;
    if (is_dissolved(cut, &cut->f.nodes[n]))
        return MI_ROLE_ABSORBED;
    if (!is_alone && mi_flow_op(&cut->o, member).v != op && is_half_of_pair(cut, n))
        return MI_ROLE_ABSORBED;
    if (has_flag(&cut->f, n, MI_FLOW_SHAPE) &&
        !(cut->f.tensors[unit->target].flags & MI_FLOW_SHAPE))
        return MI_ROLE_FOLDED;
    return cut->cover_count[n] > 1 ? MI_ROLE_SHARED : MI_ROLE_COMPUTED;
}

/* --- rows --- */

static void add_fate(struct emit *e, uint32_t n, enum mi_fate fate, enum mi_reason reason,
                     uint32_t into, enum mi_confidence confidence, mi_str_id evidence)
{
    e->is_done[n] = 1;
    struct mi_fate_row row = {.node = {row_of(&e->cut->f, n)},
                              .fate = (uint8_t)fate,
                              .reason = (uint8_t)reason,
                              .into = {into},
                              .confidence = (uint8_t)confidence,
                              .evidence = evidence};
    mi_add_fate(e->out, &row);
    for (uint32_t call = e->cut->f.nodes[n].call; call; call = e->cut->f.calls[call].parent) {
        row.node.v = e->cut->f.calls[call].node;
        mi_add_fate(e->out, &row);
    }
}

static void add_link(struct emit *e, uint32_t n, uint32_t compiled, enum mi_role role,
                     enum mi_confidence confidence, mi_str_id evidence)
{
    struct mi_lowered_row row = {.framework = {row_of(&e->cut->f, n)},
                                 .compiled = {compiled},
                                 .role = (uint8_t)role,
                                 .confidence = (uint8_t)confidence,
                                 .rule = e->rule,
                                 .evidence = evidence};
    e->is_done[n] = 1;
    mi_add_lowered(e->out, &row);
    for (uint32_t call = e->cut->f.nodes[n].call; call; call = e->cut->f.calls[call].parent) {
        row.framework.v = e->cut->f.calls[call].node;
        mi_add_lowered(e->out, &row);
    }
}

/* A node of GE that computes nothing itself: Data, NetOutput, the call of a part of the graph. */
static bool is_frame(const struct mi_cut *cut, uint32_t member)
{
    if (!cut->is_ge)
        return false;
    enum mi_ge_op op = mi_ge_op_of(cut->model, row_of(&cut->o, member));
    return op == MI_GE_OP_BOUNDARY || op == MI_GE_OP_CALL;
}

/* The compiler wrote down all origins of this node of the compiled flow. */
static bool is_complete(const struct mi_cut *cut, uint32_t member)
{
    return cut->is_ge && (cut->ge.is_complete[row_of(&cut->o, member)] || is_frame(cut, member));
}

/* Nothing follows from a unit of such nodes, whatever is known about their tensors. */
static bool is_boundary(const struct mi_cut *cut, const struct mi_unit *unit)
{
    for (uint32_t m = 0; m < unit->member_count; m++)
        if (!is_frame(cut, cut->members.at[unit->first_member + m]))
            return false;
    return true;
}

static bool is_all_complete(const struct mi_cut *cut, const struct mi_unit *unit)
{
    for (uint32_t m = 0; m < unit->member_count; m++)
        if (!is_complete(cut, cut->members.at[unit->first_member + m]))
            return false;
    return true;
}

static enum mi_confidence trust_in(const struct mi_unit *unit)
{
    return unit->state == MI_UNIT_EXACT ? MI_LIKELY : MI_GUESS;
}

/* The member that makes the unit's first output. */
static uint32_t main_member(const struct mi_cut *cut, const struct mi_unit *unit)
{
    for (uint32_t m = unit->member_count; m-- > 0;) {
        uint32_t n = cut->members.at[unit->first_member + m];
        for (uint32_t i = 0; i < cut->o.nodes[n].out_count; i++)
            if (cut->anchor[mi_flow_out(&cut->o, &cut->o.nodes[n], i)] == unit->target)
                return n;
    }
    return cut->members.at[unit->first_member];
}

/* In GE graphs a node that is called after the op takes it for itself; what has all its origins
 * recorded takes nothing, nor does a conversion beside other nodes. */
static bool may_link(const struct mi_cut *cut, const struct mi_unit *unit, uint32_t n,
                     uint32_t member, enum mi_role role)
{
    if (cut->origin[member])
        return false; /* it is all that this one computes */
    if (!cut->is_ge || role == MI_ROLE_FOLDED || role == MI_ROLE_ABSORBED)
        return true;
    uint32_t row = row_of(&cut->o, member), owner = cut->ge.named_by[n];
    for (uint32_t m = 0; owner && m < unit->member_count; m++)
        if (row_of(&cut->o, cut->members.at[unit->first_member + m]) == owner)
            return row == owner;
    return !is_complete(cut, member) &&
           (unit->member_count == 1 || mi_ge_op_of(cut->model, row) == MI_GE_OP_PLAIN);
}

/* How many members of a unit of GE may be the one that computes the op. */
static uint32_t count_takers(const struct mi_cut *cut, const struct mi_unit *unit, uint32_t n,
                             enum mi_role role)
{
    uint32_t count = 0;
    for (uint32_t m = 0; cut->is_ge && m < unit->member_count; m++)
        count += may_link(cut, unit, n, cut->members.at[unit->first_member + m], role);
    return count;
}

/* Links one framework node to the members of the unit, or to the one that bears its name. */
static void link_node(struct emit *e, const struct mi_unit *unit, uint32_t n, enum mi_role role,
                      uint32_t main)
{
    enum mi_confidence confidence = trust_in(unit);
    uint32_t linked = unit->covered_count + unit->folded_count;
    if ((uint64_t)linked * unit->member_count > PAIRS_MAX) {
        add_link(e, n, row_of(&e->cut->o, main), role, confidence, unit->evidence);
        return;
    }
    bool is_linked = false;
    if (role == MI_ROLE_COMPUTED && count_takers(e->cut, unit, n, role) > 1)
        confidence = MI_GUESS; /* one of them does it, or each a part */
    for (uint32_t m = 0; m < unit->member_count; m++) {
        uint32_t member = e->cut->members.at[unit->first_member + m];
        if (!may_link(e->cut, unit, n, member, role))
            continue;
        add_link(e, n, row_of(&e->cut->o, member), role, confidence, unit->evidence);
        is_linked = true;
    }
    if (!is_linked)
        add_link(e, n, row_of(&e->cut->o, main), role, confidence, unit->evidence);
}

/* A covered node that is not computed has a verdict of its own. */
static void judge_role(struct emit *e, uint32_t n, enum mi_role role, uint32_t into,
                       const struct mi_unit *unit)
{
    enum mi_confidence confidence = trust_in(unit);
    uint32_t op = mi_flow_op(&e->cut->f, &e->cut->f.nodes[n]).v;
    if (role == MI_ROLE_FOLDED && mi_flow_is_const(&e->cut->f, first_out(&e->cut->f, n)))
        add_fate(e, n, MI_FATE_FOLDED, MI_REASON_CONSTANT, into, confidence, unit->evidence);
    else if (role == MI_ROLE_FOLDED)
        add_fate(e, n, MI_FATE_FOLDED, MI_REASON_SHAPE_KNOWN, into, confidence, unit->evidence);
    else if (role == MI_ROLE_ABSORBED && e->cut->f.nodes[n].scope_count)
        add_fate(
            e, n, MI_FATE_REMOVED, MI_REASON_ABSORBED, into, confidence,
            mi_batch_cstr(e->out, N_("its condition is constant: one branch stands in its place")));
    else if (role == MI_ROLE_ABSORBED && op != e->cut->ops.identity && op != e->cut->ops.dropout)
        add_fate(e, n, MI_FATE_REMOVED, MI_REASON_ABSORBED, into, confidence, unit->evidence);
    else if (role == MI_ROLE_ABSORBED)
        add_fate(e, n, MI_FATE_REMOVED, MI_REASON_IDENTITY, into, confidence, unit->evidence);
}

/* Members that alone compute one node each. */
static void link_aligned(struct emit *e, const struct mi_unit *unit)
{
    struct mi_cut *cut = e->cut;
    for (uint32_t m = 0; m < unit->member_count; m++) {
        uint32_t member = cut->members.at[unit->first_member + m], n = cut->origin[member];
        if (!n || is_complete(cut, member))
            continue;
        e->named_in[n - 1] = (uint32_t)(unit - cut->units) + 1;
        add_link(e, n - 1, row_of(&cut->o, member), MI_ROLE_COMPUTED, trust_in(unit),
                 unit->member_count > 1 ? e->align_evidence : unit->evidence);
    }
}

static bool moves_data(const struct mi_cut *cut, uint32_t n)
{
    uint32_t op = mi_flow_op(&cut->f, &cut->f.nodes[n]).v;
    return op == cut->ops.identity || op == cut->ops.dropout ||
           mi_op_converts(mi_model_text(cut->model, (mi_str_id){op}));
}

static void emit_cut(struct emit *e, struct mi_unit *unit)
{
    struct mi_cut *cut = e->cut;
    unit->evidence = cut_evidence(e, unit);
    uint32_t main = main_member(cut, unit), stamp = (uint32_t)(unit - cut->units) + 1;
    bool is_recorded = is_all_complete(cut, unit);
    link_aligned(e, unit);
    for (uint32_t i = 0; i < unit->covered_count + unit->folded_count; i++) {
        bool is_folded = i >= unit->covered_count;
        uint32_t n = is_folded ? cut->found.at[unit->first_folded + i - unit->covered_count]
                               : cut->found.at[unit->first_covered + i];
        enum mi_role role = is_folded ? MI_ROLE_FOLDED : role_of(e, unit, n);
        if (cut->is_ge && cut->ge.is_claimed[n]) {
            e->is_done[n] = 1;
            continue;
        }
        if (is_recorded && role != MI_ROLE_FOLDED && !moves_data(cut, n))
            continue; /* the record would have named it */
        if (is_recorded && role != MI_ROLE_FOLDED)
            role = MI_ROLE_ABSORBED; /* between what the node computes, and no part of it */
        uint32_t out = first_out(&cut->f, n);
        if (!is_folded && out && !e->unit_of_class[cut->class_of[out]])
            e->unit_of_class[cut->class_of[out]] = stamp;
        if (e->named_in[n] == stamp)
            continue;
        link_node(e, unit, n, role, main);
        judge_role(e, n, role, row_of(&cut->o, main), unit);
    }
}

static void emit_birth(struct emit *e, const struct mi_unit *unit)
{
    struct mi_cut *cut = e->cut;
    bool is_inserted = unit->state == MI_UNIT_INSERTED;
    struct mi_birth_row row = {.origin = is_inserted ? MI_ORIGIN_INSERTED : MI_ORIGIN_CONSTANT};
    if (is_inserted) {
        row.serves.v = cut->f.tensors[unit->target].value;
        row.evidence =
            mi_batch_printf(e->out, "reads and makes %.*s", MI_NAME(tensor_name(e, unit->target)));
    } else {
        row.evidence = mi_batch_cstr(e->out, N_("all its inputs are constants"));
    }
    for (uint32_t m = 0; m < unit->member_count; m++) {
        uint32_t member = cut->members.at[unit->first_member + m];
        row.node.v = row_of(&cut->o, member);
        if (!is_complete(cut, member))
            mi_add_birth(e->out, &row);
    }
}

/* --- branches that were inlined because their condition is a constant --- */

/* True if the scope, or one around it, is the branch that an inlined If does not take. */
static bool is_dropped_branch(const struct emit *e, uint32_t scope)
{
    const struct mi_flow *f = &e->cut->f;
    for (; f->scopes[scope].owner; scope = f->scopes[scope].parent) {
        const struct mi_flow_node *owner = &f->nodes[f->scopes[scope].owner - 1];
        for (uint32_t s = 0; s < owner->scope_count; s++)
            if (e->cut->branch_runs[owner->first_scope + s] && !e->cut->branch_runs[scope])
                return true;
    }
    return false;
}

/* What is left of the branch that runs: somewhere among the members, or folded. */
static void link_branch(struct emit *e, const struct mi_unit *unit, uint32_t scope)
{
    struct mi_cut *cut = e->cut;
    const struct mi_flow_scope *branch = &cut->f.scopes[scope];
    uint32_t main = main_member(cut, unit);
    for (uint32_t n = branch->first_node; n < branch->first_node + branch->node_count; n++) {
        uint32_t op = mi_flow_op(&cut->f, &cut->f.nodes[n]).v;
        if (e->is_done[n] || has_flag(&cut->f, n, MI_FLOW_CONST) || op == cut->ops.identity)
            continue;
        add_link(e, n, row_of(&cut->o, main), MI_ROLE_COMPUTED, MI_GUESS, e->branch_evidence);
    }
}

static void link_branches(struct emit *e)
{
    struct mi_cut *cut = e->cut;
    for (uint32_t u = 0; u < cut->unit_count; u++) {
        const struct mi_unit *unit = &cut->units[u];
        for (uint32_t i = 0; i < unit->covered_count; i++) {
            const struct mi_flow_node *n = &cut->f.nodes[cut->found.at[unit->first_covered + i]];
            for (uint32_t s = n->first_scope; s < n->first_scope + n->scope_count; s++)
                if (cut->branch_runs[s])
                    link_branch(e, unit, s);
        }
    }
}

/* --- framework nodes that no unit covers --- */

/* Marks what leads to an output of the main graph, through bodies of nodes that do. */
static bool mark_live(struct emit *e)
{
    struct mi_cut *cut = e->cut;
    const struct mi_flow *f = &cut->f;
    struct mi_u32s *stack = &cut->stack;
    stack->count = 0;
    for (uint32_t i = 0; i < f->scopes[0].out_count; i++)
        if (!mi_u32s_push(stack, f->ports.at[f->scopes[0].first_out + i]))
            return false;
    while (stack->count) {
        uint32_t producer = f->tensors[stack->at[--stack->count]].producer;
        if (!producer || e->is_live[producer - 1])
            continue;
        e->is_live[producer - 1] = 1;
        const struct mi_flow_node *n = &f->nodes[producer - 1];
        for (uint32_t i = 0; i < mi_flow_all_in(n); i++)
            if (!mi_u32s_push(stack, mi_flow_in(f, n, i)))
                return false;
        for (uint32_t s = n->first_scope; s < n->first_scope + n->scope_count; s++)
            for (uint32_t i = 0; i < f->scopes[s].out_count; i++)
                if (!mi_u32s_push(stack, f->ports.at[f->scopes[s].first_out + i]))
                    return false;
    }
    return true;
}

static void judge_merged(struct emit *e, uint32_t n, uint32_t unit_no)
{
    const struct mi_cut *cut = e->cut;
    const struct mi_unit *unit = &cut->units[unit_no - 1];
    add_fate(e, n, MI_FATE_REMOVED, MI_REASON_MERGED, row_of(&cut->o, main_member(cut, unit)),
             MI_LIKELY,
             mi_batch_printf(e->out, "computes the same as %.*s",
                             MI_NAME(tensor_name(e, unit->target))));
}

static void judge_uncovered(struct emit *e, uint32_t n)
{
    const struct mi_cut *cut = e->cut;
    const struct mi_flow *f = &cut->f;
    uint32_t out = first_out(f, n), op = mi_flow_op(f, &f->nodes[n]).v;
    uint32_t twin = out ? e->unit_of_class[cut->class_of[out]] : 0;
    if (is_dropped_branch(e, f->nodes[n].scope))
        add_fate(e, n, MI_FATE_NOT_EXECUTED, MI_REASON_BRANCH_NOT_TAKEN, 0, MI_LIKELY,
                 mi_batch_cstr(e->out, N_("the compiler found that the condition is constant")));
    else if (has_flag(f, n, MI_FLOW_CONST))
        add_fate(e, n, MI_FATE_FOLDED, MI_REASON_CONSTANT, 0, MI_LIKELY,
                 mi_batch_cstr(e->out, N_("computed from constants alone")));
    else if (!cut->is_paired[f->nodes[n].scope])
        return; /* follows from the node that owns the body */
    else if (!e->is_live[n])
        add_fate(e, n, MI_FATE_REMOVED, MI_REASON_DEAD, 0, MI_LIKELY,
                 mi_batch_cstr(e->out, N_("no output of the graph depends on it")));
    else if (op == cut->ops.identity || op == cut->ops.dropout)
        add_fate(e, n, MI_FATE_REMOVED, MI_REASON_IDENTITY, 0, MI_LIKELY,
                 mi_batch_cstr(e->out, N_("hands its input on")));
    else if (twin)
        judge_merged(e, n, twin);
    else if (has_flag(f, n, MI_FLOW_SHAPE))
        add_fate(e, n, MI_FATE_FOLDED, MI_REASON_SHAPE_KNOWN, 0, MI_LIKELY,
                 mi_batch_cstr(e->out, N_("depends on shapes alone")));
    else
        add_fate(e, n, MI_FATE_REMOVED, MI_REASON_UNLINKED, 0, MI_GUESS,
                 mi_batch_cstr(e->out, N_("no compiled node covers it")));
}

bool mi_cut_emit(struct mi_cut *cut)
{
    struct emit e = {.cut = cut, .out = &cut->model->all};
    e.rule = mi_batch_cstr(e.out, cut->rule);
    e.unit_of_class = mi_cut_array(cut, (size_t)cut->class_count + 1, sizeof *e.unit_of_class);
    e.is_live = mi_cut_array(cut, cut->f.node_count, 1);
    e.is_done = mi_cut_array(cut, cut->f.node_count, 1);
    e.named_in = mi_cut_array(cut, cut->f.node_count, sizeof *e.named_in);
    e.align_evidence = mi_batch_cstr(e.out, N_("at its place in the cut"));
    e.branch_evidence = mi_batch_cstr(e.out, N_("in the branch that stands here"));
    if (!e.unit_of_class || !e.is_live || !e.is_done || !e.named_in || !mark_live(&e))
        return false;
    for (uint32_t u = 0; u < cut->unit_count; u++) {
        if (is_boundary(cut, &cut->units[u]))
            continue;
        if (cut->units[u].state == MI_UNIT_EXACT || cut->units[u].state == MI_UNIT_INEXACT)
            emit_cut(&e, &cut->units[u]);
        else if (cut->units[u].state != MI_UNIT_UNANCHORED)
            emit_birth(&e, &cut->units[u]);
    }
    link_branches(&e);
    for (uint32_t n = 0; n < cut->f.node_count; n++)
        if (!e.is_done[n])
            judge_uncovered(&e, n);
    return !mi_batch_failed(e.out);
}
