/* The walk: from the outputs of a unit back through the framework graph to what the unit reads.
 *
 * Constants are not crossed but collected; what only asks for the shape of a tensor that the unit
 * does not read was answered while compiling. Each walk costs what it visits; what all walks may
 * visit together is bounded, because in a graph made to hurt each could visit everything. */
#include "correlate/cuts/cut.h"

struct walk {
    struct mi_cut *cut;
    struct mi_unit *unit;
    uint32_t stamp; /* unit number + 1 */
    uint32_t read_count, hit_count;
    bool all_read,
        all_hit_read; /* every input has an anchor; every stop is something that is read */
    bool all_const, has_output;
};

static bool spend(struct mi_cut *cut)
{
    if (cut->budget == 0)
        cut->is_out_of_budget = true;
    else
        cut->budget--;
    return !cut->is_out_of_budget;
}

/* --- what the unit reads and writes --- */

static void see_inputs(struct walk *w, const struct mi_flow_node *n)
{
    struct mi_cut *cut = w->cut;
    for (uint32_t i = 0; i < mi_flow_all_in(n); i++) {
        uint32_t tensor = mi_flow_in(&cut->o, n, i), producer = cut->o.tensors[tensor].producer;
        if (!tensor || mi_flow_is_const(&cut->o, tensor) ||
            (producer && cut->unit_of[producer - 1] == w->stamp))
            continue;
        uint32_t anchor = cut->anchor[tensor];
        if (!anchor) {
            w->all_read = false;
        } else if (cut->class_in[cut->class_of[anchor]] != w->stamp) {
            cut->class_in[cut->class_of[anchor]] = w->stamp;
            w->read_count++;
        }
    }
}

/* Marks the outputs and puts them on the stack. */
static bool see_outputs(struct walk *w, const struct mi_flow_node *n)
{
    struct mi_cut *cut = w->cut;
    for (uint32_t i = 0; i < n->out_count; i++) {
        uint32_t tensor = mi_flow_out(&cut->o, n, i);
        if (!tensor)
            continue;
        w->has_output = true;
        w->all_const = w->all_const && mi_flow_is_const(&cut->o, tensor);
        uint32_t anchor = cut->anchor[tensor];
        if (!anchor)
            continue;
        cut->class_out[cut->class_of[anchor]] = w->stamp;
        if (!mi_u32s_push(&cut->stack, anchor))
            return false;
    }
    return true;
}

/* --- the walk --- */

static bool is_stop(const struct walk *w, uint32_t tensor)
{
    const struct mi_cut *cut = w->cut;
    uint32_t class_no = cut->class_of[tensor];
    return cut->class_in[class_no] == w->stamp ||
           (cut->is_anchored[class_no] && cut->class_out[class_no] != w->stamp) ||
           !cut->f.tensors[tensor].producer;
}

static void note_stop(struct walk *w, uint32_t tensor)
{
    struct mi_cut *cut = w->cut;
    uint32_t class_no = cut->class_of[tensor];
    if (cut->class_hit[class_no] == w->stamp)
        return;
    cut->class_hit[class_no] = w->stamp;
    w->hit_count++;
    w->all_hit_read = w->all_hit_read && cut->class_in[class_no] == w->stamp;
}

/* The tensor is the output of an Identity that the compiled graph does without: the walk goes on to
 * the tensor that it copies. */
static bool is_dropped_identity(const struct mi_cut *cut, uint32_t tensor)
{
    uint32_t producer = cut->f.tensors[tensor].producer;
    return producer && !cut->is_image[tensor] &&
           mi_flow_op(&cut->f, &cut->f.nodes[producer - 1]).v == cut->ops.identity;
}

/* Visits one input of a covered node: stops there, puts it on the stack, or (constants) on the list
 * of folded ones. `op` is the covered node's. */
static bool visit(struct walk *w, uint32_t tensor, uint32_t op, struct mi_u32s *folded)
{
    struct mi_cut *cut = w->cut;
    if (!tensor || cut->tensor_seen[tensor] == w->stamp)
        return true;
    bool reads_it = cut->class_in[cut->class_of[tensor]] == w->stamp;
    if ((op == cut->ops.shape || op == cut->ops.size) && !reads_it &&
        !mi_flow_is_const(&cut->f, tensor))
        return true; /* not marked as seen: something else may read its data */
    cut->tensor_seen[tensor] = w->stamp;
    if (mi_flow_is_const(&cut->f, tensor))
        return mi_u32s_push(folded, tensor);
    if (is_stop(w, tensor)) {
        /* A result of shapes that the unit does not read was known while compiling. */
        if (reads_it || !(cut->f.tensors[tensor].flags & MI_FLOW_SHAPE))
            note_stop(w, tensor);
        if (!is_dropped_identity(cut, tensor))
            return true;
    }
    return mi_u32s_push(&cut->stack, tensor);
}

static bool visit_inputs(struct walk *w, uint32_t n, struct mi_u32s *folded)
{
    struct mi_cut *cut = w->cut;
    const struct mi_flow_node *node = &cut->f.nodes[n];
    for (uint32_t i = 0; i < mi_flow_all_in(node); i++)
        if (!visit(w, mi_flow_in(&cut->f, node, i), mi_flow_op(&cut->f, node).v, folded))
            return false;
    return true;
}

/* Pops tensors until none is left; their producers are what the unit covers. */
static bool cover(struct walk *w, struct mi_u32s *folded)
{
    struct mi_cut *cut = w->cut;
    while (cut->stack.count) {
        uint32_t tensor = cut->stack.at[--cut->stack.count];
        uint32_t producer = cut->f.tensors[tensor].producer;
        if (!producer || cut->node_seen[producer - 1] == w->stamp)
            continue;
        if (!spend(cut)) {
            w->all_hit_read = false;
            cut->stack.count = 0;
            return true;
        }
        cut->node_seen[producer - 1] = w->stamp;
        cut->cover_count[producer - 1]++;
        if (!mi_u32s_push(&cut->found, producer - 1) || !visit_inputs(w, producer - 1, folded))
            return false;
        w->unit->covered_count++;
    }
    return true;
}

/* Constant tensors on the list: their producers, and what these were computed from. */
static bool fold(struct walk *w, struct mi_u32s *folded)
{
    struct mi_cut *cut = w->cut;
    while (folded->count) {
        uint32_t producer = cut->f.tensors[folded->at[--folded->count]].producer;
        if (!producer || cut->node_seen[producer - 1] == w->stamp)
            continue;
        cut->node_seen[producer - 1] = w->stamp;
        if (!spend(cut))
            return true;
        if (!mi_u32s_push(&cut->found, producer - 1))
            return false;
        w->unit->folded_count++;
        const struct mi_flow_node *n = &cut->f.nodes[producer - 1];
        for (uint32_t i = 0; i < mi_flow_all_in(n); i++) {
            uint32_t tensor = mi_flow_in(&cut->f, n, i);
            if (tensor && cut->tensor_seen[tensor] != w->stamp) {
                cut->tensor_seen[tensor] = w->stamp;
                if (!mi_u32s_push(folded, tensor))
                    return false;
            }
        }
    }
    return true;
}

/* --- the verdict --- */

/* The unit only hands on what it reads. */
static bool is_inserted(const struct walk *w)
{
    const struct mi_cut *cut = w->cut;
    for (uint32_t i = 0; i < cut->stack.count; i++)
        if (cut->class_in[cut->class_of[cut->stack.at[i]]] != w->stamp)
            return false;
    return cut->stack.count != 0;
}

/* An Identity that was kept under its own name is not inserted, though it changes nothing. */
static bool is_kept_identity(const struct walk *w)
{
    const struct mi_cut *cut = w->cut;
    if (w->unit->member_count != 1)
        return false;
    const struct mi_flow_node *n = &cut->o.nodes[cut->members.at[w->unit->first_member]];
    uint32_t producer = cut->f.tensors[cut->stack.at[0]].producer;
    return mi_flow_op(&cut->o, n).v == cut->ops.identity && n->out_count && producer &&
           mi_flow_op(&cut->f, &cut->f.nodes[producer - 1]).v == cut->ops.identity &&
           mi_flow_name(&cut->o, mi_flow_out(&cut->o, n, 0)).v ==
               mi_flow_name(&cut->f, cut->stack.at[0]).v;
}

/* Outputs that hand on an input, beside others that do not: nothing leads back from them. */
static void drop_passed_on(struct walk *w)
{
    struct mi_cut *cut = w->cut;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < cut->stack.count; i++)
        if (cut->class_in[cut->class_of[cut->stack.at[i]]] != w->stamp)
            cut->stack.at[kept++] = cut->stack.at[i];
    cut->stack.count = kept;
    w->unit->target = cut->stack.at[0];
}

static bool walk_unit(struct walk *w)
{
    struct mi_cut *cut = w->cut;
    struct mi_u32s folded = {0};
    w->unit->first_covered = cut->found.count;
    bool ok = cover(w, &folded);
    w->unit->first_folded = cut->found.count;
    ok = ok && fold(w, &folded);
    mi_u32s_fini(&folded);
    bool is_exact = w->all_read && w->all_hit_read && w->hit_count == w->read_count &&
                    !cut->is_out_of_budget && w->unit->covered_count;
    w->unit->state = is_exact ? MI_UNIT_EXACT : MI_UNIT_INEXACT;
    return ok;
}

bool mi_cut_walk(struct mi_cut *cut, uint32_t unit)
{
    struct walk w = {.cut = cut,
                     .unit = &cut->units[unit],
                     .stamp = unit + 1,
                     .all_read = true,
                     .all_hit_read = true,
                     .all_const = true};
    cut->stack.count = 0;
    for (uint32_t i = 0; i < w.unit->member_count; i++) {
        const struct mi_flow_node *n = &cut->o.nodes[cut->members.at[w.unit->first_member + i]];
        see_inputs(&w, n);
        if (!see_outputs(&w, n))
            return false;
    }
    w.unit->target = cut->stack.count ? cut->stack.at[0] : 0;
    if (w.all_const && w.has_output)
        w.unit->state = MI_UNIT_CONST;
    else if (!cut->stack.count)
        w.unit->state = MI_UNIT_UNANCHORED;
    else if (!is_inserted(&w))
        drop_passed_on(&w);
    else if (!is_kept_identity(&w))
        w.unit->state = MI_UNIT_INSERTED;
    return w.unit->state != MI_UNIT_UNANCHORED || !cut->stack.count || walk_unit(&w);
}
