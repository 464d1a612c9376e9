/* Anchors in GE graphs: which tensor of the framework graph a tensor of the compiled graph is.
 *
 *   G1  inputs and outputs of the graph, by name or by place
 *   G2  a tensor whose origin is recorded is the output of that op
 *   G3  a node whose origins are recorded makes the one tensor that leaves these ops
 *   G4  ... and its one input of unknown origin is the one tensor that these ops read besides
 *   G5  a conversion that the compiler put in leaves a tensor what it is
 *   G6  a node without any record stands for the ops in its name and for those around them that no
 *       other node is recorded or called after; G3 and G4 hold for these
 */
#include "correlate/categories.h"
#include "correlate/cuts/cut.h"
#include "correlate/ge/ge_graphs.h"

#define MAX_GROWN   64u /* ops of one set that is grown; readers of one tensor looked at */
#define MAX_ROUNDS  8u
#define MAX_ORIGINS 4096u /* of one node; more are not looked into */

struct ge_anchors {
    struct mi_cut *cut;
    struct mi_scope_pair pair;
    uint32_t *in_set;       /* [f.node_count] stamp of the node of which the op is an origin */
    uint32_t *class_known;  /* [class_count + 1] stamp of the node that reads it by anchor */
    struct mi_u32s set;     /* origins of the node at hand: nodes of f */
    struct mi_u32s changed; /* tensors of o that got an anchor */
    mi_str_id parent_index;
    bool failed;
};

/* --- what earlier matchers found --- */

static void note_link(struct mi_cut *cut, uint32_t link, uint32_t recorded_rule,
                      uint32_t names_rule, uint32_t *keys)
{
    const struct mi_lowered *links = &cut->model->all.rows.lowered;
    uint32_t compiled = links->compiled[link].v, q = cut->ge.flow_node[links->framework[link].v];
    cut->ge.is_linked[compiled] = 1;
    if (links->rule[link].v != recorded_rule && links->rule[link].v != names_rule)
        return;
    keys[link] = compiled;
    if (q)
        cut->ge.named_by[q - 1] = compiled;
    if (links->rule[link].v != recorded_rule)
        return;
    cut->ge.is_complete[compiled] = 1;
    if (q)
        cut->ge.is_claimed[q - 1] = 1;
}

bool mi_cut_ge_prepare(struct mi_cut *cut)
{
    const struct mi_lowered *links = &cut->model->all.rows.lowered;
    uint32_t nodes = cut->model->all.rows.nodes.count;
    uint32_t recorded = mi_known_op(cut->model, "recorded").v;
    uint32_t named = mi_known_op(cut->model, "names").v;
    cut->ge.flow_node = mi_cut_array(cut, nodes, sizeof *cut->ge.flow_node);
    cut->ge.is_complete = mi_cut_array(cut, nodes, 1);
    cut->ge.is_linked = mi_cut_array(cut, nodes, 1);
    cut->ge.is_claimed = mi_cut_array(cut, cut->f.node_count, 1);
    cut->ge.named_by = mi_cut_array(cut, cut->f.node_count, sizeof *cut->ge.named_by);
    cut->ge.in_set = mi_cut_array(cut, cut->f.node_count, sizeof *cut->ge.in_set);
    cut->ge.class_known =
        mi_cut_array(cut, (size_t)cut->class_count + 1, sizeof *cut->ge.class_known);
    uint32_t *keys = mi_cut_array(cut, links->count, sizeof *keys);
    if (!cut->ge.flow_node || !cut->ge.is_complete || !cut->ge.is_linked || !cut->ge.is_claimed ||
        !cut->ge.named_by || !cut->ge.in_set || !cut->ge.class_known || !keys)
        return false;
    for (uint32_t n = 0; n < cut->f.node_count; n++)
        if (!cut->f.nodes[n].call)
            cut->ge.flow_node[cut->f.nodes[n].node] = n + 1;
    for (uint32_t r = 1; r < links->count; r++)
        note_link(cut, r, recorded, named, keys);
    return mi_csr_build(&cut->ge.links, nodes, keys, links->count ? links->count : 1);
}

/* --- setting anchors --- */

static void set_anchor(struct ge_anchors *a, uint32_t tensor, uint32_t source)
{
    if (!tensor || !source || a->cut->anchor[tensor] || mi_flow_is_const(&a->cut->o, tensor))
        return;
    a->cut->anchor[tensor] = source;
    a->failed = a->failed || !mi_u32s_push(&a->changed, tensor);
}

static uint32_t tensor_named(const struct ge_anchors *a, mi_str_id name)
{
    return name.v ? mi_map_get(&a->cut->f_tensor, mi_pair(a->pair.framework, name.v)) : 0;
}

/* Output `index` of the op of that name in the framework scope at hand; 0 = none. */
static uint32_t output_of_named(const struct ge_anchors *a, mi_str_id name, uint32_t index)
{
    const struct mi_cut *cut = a->cut;
    uint32_t q = name.v ? mi_map_get(&cut->f_node, mi_pair(a->pair.framework, name.v)) : 0;
    if (!q || q == MI_FLOW_NONE || index >= cut->f.nodes[q - 1].out_count)
        return 0;
    return mi_flow_out(&cut->f, &cut->f.nodes[q - 1], index);
}

/* --- G1 --- */

static uint32_t row_of_producer(const struct ge_anchors *a, uint32_t tensor)
{
    uint32_t producer = a->cut->o.tensors[tensor].producer;
    return producer ? a->cut->o.nodes[producer - 1].node : 0;
}

/* Inputs of a body stand for inputs of the node that owns it. */
static uint32_t owners_input(const struct ge_anchors *a, const struct mi_flow_scope *scope,
                             uint32_t data)
{
    const struct mi_flow_node *owner = &a->cut->o.nodes[scope->owner - 1];
    int64_t index = mi_node_int(a->cut->model, data, a->parent_index, -1);
    if (index < 0 || index >= (int64_t)owner->in_count)
        return 0;
    uint32_t tensor = mi_flow_in(&a->cut->o, owner, (uint32_t)index);
    return tensor ? a->cut->anchor[tensor] : 0;
}

static void anchor_boundary(struct ge_anchors *a)
{
    struct mi_cut *cut = a->cut;
    const struct mi_flow_scope *o = &cut->o.scopes[a->pair.compiled];
    const struct mi_flow_scope *f = &cut->f.scopes[a->pair.framework];
    for (uint32_t i = 0; i < o->in_count; i++) {
        uint32_t tensor = cut->o.ports.at[o->first_in + i], data = row_of_producer(a, tensor);
        mi_str_id name = cut->model->all.rows.nodes.name[data];
        set_anchor(a, tensor, o->owner ? owners_input(a, o, data) : tensor_named(a, name));
        if (o->in_count == f->in_count && !a->pair.is_part)
            set_anchor(a, tensor, cut->f.ports.at[f->first_in + i]);
    }
    for (uint32_t i = 0; i < o->out_count && o->out_count == f->out_count && !a->pair.is_part; i++)
        set_anchor(a, cut->o.ports.at[o->first_out + i], cut->f.ports.at[f->first_out + i]);
}

/* --- G2 --- */

static void anchor_origins(struct ge_anchors *a, const struct mi_flow_node *n)
{
    const struct mi_cut *cut = a->cut;
    const struct mi_values *values = &cut->model->all.rows.values;
    for (uint32_t i = 0; i < n->out_count; i++) {
        uint32_t tensor = mi_flow_out(&cut->o, n, i), value = cut->o.tensors[tensor].value;
        if (tensor)
            set_anchor(a, tensor,
                       output_of_named(a, values->origin_name[value], values->origin_index[value]));
    }
}

/* --- G3, G4 --- */

/* Lists the origins of a node; false: they are not all ops of the framework graph at hand. */
static bool find_set(struct ge_anchors *a, const struct mi_flow_node *n)
{
    const struct mi_csr *csr = &a->cut->ge.links;
    const struct mi_lowered *links = &a->cut->model->all.rows.lowered;
    uint32_t count = mi_csr_count(csr, n->node);
    a->set.count = 0;
    a->cut->ge.stamp++;
    if (!count || count > MAX_ORIGINS)
        return false;
    for (uint32_t i = csr->first[n->node]; i < csr->first[n->node + 1]; i++) {
        uint32_t q = a->cut->ge.flow_node[links->framework[csr->list[i]].v];
        if (!q)
            return false;
        a->in_set[q - 1] = a->cut->ge.stamp;
        if (!mi_u32s_push(&a->set, q - 1)) {
            a->failed = true;
            return false;
        }
    }
    return true;
}

static bool leaves_set(const struct ge_anchors *a, uint32_t tensor)
{
    const struct mi_flow *f = &a->cut->f;
    if (f->tensors[tensor].flags & MI_FLOW_OUTPUT)
        return true;
    for (uint32_t k = f->readers.first[tensor]; k < f->readers.first[tensor + 1]; k++)
        if (a->in_set[f->readers.list[k] - 1] != a->cut->ge.stamp)
            return true;
    return false;
}

/* --- G5 --- */

static bool hands_on(const struct ge_anchors *a, const struct mi_flow_node *n)
{
    return !a->cut->ge.is_linked[n->node] && n->in_count && n->out_count &&
           mi_ge_op_of(a->cut->model, n->node) == MI_GE_OP_CONVERSION;
}

static void hand_on(struct ge_anchors *a, const struct mi_flow_node *n)
{
    struct mi_cut *cut = a->cut;
    if (!hands_on(a, n))
        return;
    uint32_t in = mi_flow_in(&cut->o, n, 0), out = mi_flow_out(&cut->o, n, 0);
    if (!in || !out)
        return;
    set_anchor(a, out, cut->anchor[in]);
    set_anchor(a, in, cut->anchor[out]);
}

/* --- G6: the ops around those in a name --- */

static void add_to_set(struct ge_anchors *a, uint32_t q)
{
    a->in_set[q] = a->cut->ge.stamp;
    a->failed = a->failed || !mi_u32s_push(&a->set, q);
}

static bool is_in_set(const struct ge_anchors *a, uint32_t q)
{
    return a->in_set[q] == a->cut->ge.stamp;
}

/* Some op of the set reads this tensor. */
static bool is_read_by_set(const struct ge_anchors *a, uint32_t tensor)
{
    const struct mi_flow *f = &a->cut->f;
    for (uint32_t k = f->readers.first[tensor], tries = 0;
         k < f->readers.first[tensor + 1] && tries < MAX_GROWN; k++, tries++)
        if (is_in_set(a, f->readers.list[k] - 1))
            return true;
    return false;
}

/* All that the op reads is constant, made by the set, or read by the set. */
static bool reads_only_set(const struct ge_anchors *a, const struct mi_flow_node *q, bool strictly)
{
    const struct mi_flow *f = &a->cut->f;
    for (uint32_t i = 0; i < q->in_count; i++) {
        uint32_t tensor = mi_flow_in(f, q, i), producer = f->tensors[tensor].producer;
        if (!tensor || f->tensors[tensor].flags & (MI_FLOW_CONST | MI_FLOW_SHAPE) ||
            (producer && is_in_set(a, producer - 1)) || (!strictly && is_read_by_set(a, tensor)))
            continue;
        return false;
    }
    return !q->scope_count;
}

static bool is_free(const struct ge_anchors *a, uint32_t q)
{
    return !a->cut->ge.named_by[q] && !is_in_set(a, q);
}

/* What GE puts into a convolution or a matrix product: the normalisation or the bias behind it. */
static bool is_put_into(const struct ge_anchors *a, uint32_t head, uint32_t q, bool may_add)
{
    const struct mi_cut *cut = a->cut;
    const struct mi_nodes *nodes = &cut->model->all.rows.nodes;
    unsigned into = nodes->category[cut->f.nodes[head].node];
    unsigned what = nodes->category[cut->f.nodes[q].node];
    bool takes = into == MI_CATEGORY_CONVOLUTION || into == MI_CATEGORY_FULLY_CONNECTED;
    bool is_bias = may_add && mi_flow_op(&cut->f, &cut->f.nodes[q]).v == cut->ops.add;
    return takes && (what == MI_CATEGORY_NORMALISATION || is_bias) &&
           reads_only_set(a, &cut->f.nodes[q], true);
}

/* Adds ops behind the set that no node is named after. */
static void grow_forward(struct ge_anchors *a, bool without_end, bool may_add)
{
    const struct mi_flow *f = &a->cut->f;
    for (uint32_t at = 0; at < a->set.count && a->set.count < MAX_GROWN; at++) {
        uint32_t head = a->set.at[at];
        for (uint32_t i = 0; i < f->nodes[head].out_count; i++) {
            uint32_t tensor = mi_flow_out(f, &f->nodes[head], i);
            uint32_t first = f->readers.first[tensor], count = f->readers.first[tensor + 1] - first;
            for (uint32_t k = 0; tensor && k < count && k < MAX_GROWN; k++) {
                uint32_t q = f->readers.list[first + k] - 1;
                if (is_free(a, q) && (without_end ? reads_only_set(a, &f->nodes[q], false)
                                                  : count == 1 && is_put_into(a, head, q, may_add)))
                    add_to_set(a, q);
            }
        }
    }
}

/* Something that the node reads comes from a node of which nothing is known, not even a name. */
static bool reads_unknown(const struct ge_anchors *a, const struct mi_flow_node *n)
{
    const struct mi_flow *o = &a->cut->o;
    for (uint32_t i = 0; i < n->in_count; i++) {
        uint32_t tensor = mi_flow_in(o, n, i), hops = 0;
        uint32_t producer = a->cut->anchor[tensor] ? 0 : o->tensors[tensor].producer;
        while (producer && hands_on(a, &o->nodes[producer - 1]) && hops++ < MAX_ROUNDS)
            producer = o->tensors[mi_flow_in(o, &o->nodes[producer - 1], 0)].producer;
        if (producer && !a->cut->ge.is_linked[o->nodes[producer - 1].node] &&
            mi_ge_op_of(a->cut->model, o->nodes[producer - 1].node) == MI_GE_OP_PLAIN)
            return true;
    }
    return false;
}

/* Adds ops before the set that no node is named after and nothing else reads. */
static void grow_backward(struct ge_anchors *a)
{
    const struct mi_flow *f = &a->cut->f;
    for (uint32_t at = 0; at < a->set.count && a->set.count < MAX_GROWN; at++) {
        const struct mi_flow_node *q = &f->nodes[a->set.at[at]];
        for (uint32_t i = 0; i < q->in_count; i++) {
            uint32_t tensor = mi_flow_in(f, q, i), producer = f->tensors[tensor].producer;
            if (!tensor || !producer ||
                f->tensors[tensor].flags & (MI_FLOW_CONST | MI_FLOW_SHAPE) ||
                !is_free(a, producer - 1) || leaves_set(a, tensor))
                continue;
            add_to_set(a, producer - 1);
        }
    }
}

/* The set of a node that has only its name: first of all, what no one else has been found to do. */
static void grow_named(struct ge_anchors *a, const struct mi_flow_node *n)
{
    const struct mi_cut *cut = a->cut;
    const struct mi_flow_node *q = &cut->f.nodes[a->set.at[0]];
    bool is_alone = a->set.count == 1;
    bool is_other =
        is_alone && !mi_op_can_become(cut->model, (mi_node_id){q->node}, (mi_node_id){n->node});
    grow_forward(a, is_other, !is_alone || n->in_count > q->in_count);
    for (uint32_t i = 0; i < a->set.count; i++)
        cut->ge.named_by[a->set.at[i]] = n->node;
}

static void anchor_result(struct ge_anchors *a, const struct mi_flow_node *n)
{
    const struct mi_flow *f = &a->cut->f;
    uint32_t out = n->out_count ? mi_flow_out(&a->cut->o, n, 0) : 0, found = 0;
    if (!out || a->cut->anchor[out] || (n->out_count > 1 && mi_flow_out(&a->cut->o, n, 1)))
        return;
    for (uint32_t i = 0; i < a->set.count; i++) {
        const struct mi_flow_node *q = &f->nodes[a->set.at[i]];
        for (uint32_t k = 0; k < q->out_count; k++) {
            uint32_t tensor = mi_flow_out(f, q, k);
            if (!tensor || !leaves_set(a, tensor))
                continue;
            if (found)
                return;
            found = tensor;
        }
    }
    set_anchor(a, out, found);
}

/* The inputs of the node that have no anchor: 0, the only one, or MI_FLOW_NONE. Those that have one
 * are noted by class. */
static uint32_t open_input(struct ge_anchors *a, const struct mi_flow_node *n)
{
    const struct mi_cut *cut = a->cut;
    uint32_t open = 0;
    for (uint32_t i = 0; i < n->in_count; i++) {
        uint32_t tensor = mi_flow_in(&cut->o, n, i);
        if (!tensor || mi_flow_is_const(&cut->o, tensor))
            continue;
        if (cut->anchor[tensor])
            a->class_known[cut->class_of[cut->anchor[tensor]]] = a->cut->ge.stamp;
        else
            open = open && open != tensor ? MI_FLOW_NONE : tensor;
    }
    return open;
}

/* The tensor of another class that the origins read from elsewhere: 0, or the only one. */
static uint32_t unread_by_node(struct ge_anchors *a)
{
    const struct mi_cut *cut = a->cut;
    uint32_t found = 0;
    for (uint32_t i = 0; i < a->set.count; i++) {
        const struct mi_flow_node *q = &cut->f.nodes[a->set.at[i]];
        for (uint32_t k = 0; k < q->in_count; k++) {
            uint32_t tensor = mi_flow_in(&cut->f, q, k), producer = cut->f.tensors[tensor].producer;
            if (!tensor || (cut->f.tensors[tensor].flags & (MI_FLOW_CONST | MI_FLOW_SHAPE)) ||
                (producer && a->in_set[producer - 1] == a->cut->ge.stamp) ||
                a->class_known[cut->class_of[tensor]] == a->cut->ge.stamp)
                continue;
            if (found && cut->class_of[found] != cut->class_of[tensor])
                return 0;
            found = tensor;
        }
    }
    return found;
}

/* Of one origin with as many inputs: by place. */
static void anchor_inputs_by_place(struct ge_anchors *a, const struct mi_flow_node *n)
{
    const struct mi_flow_node *q = &a->cut->f.nodes[a->set.at[0]];
    for (uint32_t i = 0; i < n->in_count && n->in_count == q->in_count; i++) {
        uint32_t source = mi_flow_in(&a->cut->f, q, i);
        if (source && a->class_known[a->cut->class_of[source]] != a->cut->ge.stamp)
            set_anchor(a, mi_flow_in(&a->cut->o, n, i), source);
    }
}

static void anchor_reads(struct ge_anchors *a, const struct mi_flow_node *n)
{
    uint32_t open = open_input(a, n);
    if (open && open != MI_FLOW_NONE)
        set_anchor(a, open, unread_by_node(a));
    else if (open && a->set.count == 1)
        anchor_inputs_by_place(a, n);
}

/* From the tensors that have changed to their neighbours, until nothing changes. */
static void spread(struct ge_anchors *a)
{
    const struct mi_flow *o = &a->cut->o;
    for (uint32_t at = 0; at < a->changed.count && !a->failed; at++) {
        uint32_t tensor = a->changed.at[at], producer = o->tensors[tensor].producer;
        if (producer)
            hand_on(a, &o->nodes[producer - 1]);
        for (uint32_t k = o->readers.first[tensor]; k < o->readers.first[tensor + 1]; k++)
            hand_on(a, &o->nodes[o->readers.list[k] - 1]);
    }
    a->changed.count = 0;
}

/* --- one pair of scopes --- */

/* Anchors from what nodes read, until nothing changes; with `by_name` also of those that have only
 * their name. */
static void anchor_all_reads(struct ge_anchors *a, const struct mi_flow_scope *scope, bool by_name)
{
    for (uint32_t round = 0; round < MAX_ROUNDS && !a->failed; round++) {
        spread(a);
        for (uint32_t i = scope->node_count; i-- > 0 && !a->failed;) {
            const struct mi_flow_node *n = &a->cut->o.nodes[scope->first_node + i];
            bool is_complete = a->cut->ge.is_complete[n->node];
            if ((!is_complete && !by_name) || !find_set(a, n))
                continue;
            if (!is_complete && !reads_unknown(a, n))
                grow_backward(a);
            anchor_reads(a, n);
        }
        if (!a->changed.count)
            return;
    }
}

static void anchor_scope(struct ge_anchors *a)
{
    const struct mi_flow *o = &a->cut->o;
    const struct mi_flow_scope *scope = &o->scopes[a->pair.compiled];
    uint32_t first = scope->first_node, end = first + scope->node_count;
    anchor_boundary(a);
    for (uint32_t n = first; n < end; n++)
        anchor_origins(a, &o->nodes[n]);
    for (uint32_t n = first; n < end; n++)
        if (a->cut->ge.is_complete[o->nodes[n].node] && find_set(a, &o->nodes[n]))
            anchor_result(a, &o->nodes[n]);
    anchor_all_reads(a, scope, false);
    for (uint32_t n = first; n < end; n++)
        if (!a->cut->ge.is_complete[o->nodes[n].node] && find_set(a, &o->nodes[n])) {
            grow_named(a, &o->nodes[n]);
            anchor_result(a, &o->nodes[n]);
        }
    anchor_all_reads(a, scope, true);
    spread(a);
}

bool mi_cut_ge_anchors(struct mi_cut *cut, struct mi_scope_pair pair)
{
    struct ge_anchors a = {.cut = cut, .pair = pair};
    a.parent_index = mi_strings_find(&cut->model->all.strings, MI_LIT("_parent_node_index"));
    a.in_set = cut->ge.in_set;
    a.class_known = cut->ge.class_known;
    anchor_scope(&a);
    mi_u32s_fini(&a.set);
    mi_u32s_fini(&a.changed);
    return !a.failed;
}
