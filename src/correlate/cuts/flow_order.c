/* What follows from the edges of a flow: an order, the readers of each tensor, constants. */
#include "correlate/cuts/flow_build.h"

static bool index_readers(struct mi_flow *flow)
{
    struct mi_csr *csr = &flow->readers;
    csr->row_count = flow->tensor_count;
    csr->first = mi_mem_zero((size_t)flow->tensor_count + 3, sizeof *csr->first);
    csr->list = mi_mem_new(flow->ports.count, sizeof *csr->list);
    if (!csr->first || !csr->list)
        return false;
    /* Counting sort; counts stand two places ahead, so that first[t] ends as the start of t. */
    for (uint32_t n = 0; n < flow->node_count; n++)
        for (uint32_t i = 0; i < mi_flow_all_in(&flow->nodes[n]); i++)
            csr->first[mi_flow_in(flow, &flow->nodes[n], i) + 2]++;
    csr->first[2] = 0; /* absent inputs have no readers */
    for (uint32_t t = 2; t < flow->tensor_count + 3; t++)
        csr->first[t] += csr->first[t - 1];
    for (uint32_t n = 0; n < flow->node_count; n++)
        for (uint32_t i = 0; i < mi_flow_all_in(&flow->nodes[n]); i++) {
            uint32_t tensor = mi_flow_in(flow, &flow->nodes[n], i);
            if (tensor)
                csr->list[csr->first[tensor + 1]++] = n + 1;
        }
    return true;
}

/* Inputs of a node that a node makes. */
static uint32_t count_made(const struct mi_flow *flow, const struct mi_flow_node *n)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < mi_flow_all_in(n); i++)
        made += flow->tensors[mi_flow_in(flow, n, i)].producer != 0;
    return made;
}

/* Kahn's order, `order` serving as the queue. */
static bool sort_nodes(struct mi_flow *flow)
{
    flow->order = mi_mem_new(flow->node_count, sizeof *flow->order);
    uint32_t *waits_for = mi_mem_new(flow->node_count, sizeof *waits_for);
    if (!flow->order || !waits_for) {
        mi_mem_free(waits_for);
        return false;
    }
    uint32_t count = 0;
    for (uint32_t n = 0; n < flow->node_count; n++) {
        waits_for[n] = count_made(flow, &flow->nodes[n]);
        if (!waits_for[n])
            flow->order[count++] = n;
    }
    for (uint32_t at = 0; at < count; at++) {
        uint32_t n = flow->order[at];
        for (uint32_t i = 0; i < flow->nodes[n].out_count; i++) {
            uint32_t tensor = mi_flow_out(flow, &flow->nodes[n], i);
            if (flow->tensors[tensor].producer != n + 1)
                continue;
            for (uint32_t k = flow->readers.first[tensor]; k < flow->readers.first[tensor + 1]; k++)
                if (--waits_for[flow->readers.list[k] - 1] == 0)
                    flow->order[count++] = flow->readers.list[k] - 1;
        }
    }
    flow->cyclic_count = flow->node_count - count;
    for (uint32_t n = 0; flow->cyclic_count && n < flow->node_count; n++)
        if (waits_for[n])
            flow->order[count++] = n;
    mi_mem_free(waits_for);
    return true;
}

mi_str_id mi_known_op(const struct mi_model *model, const char *name)
{
    mi_str_id id = mi_strings_find(&model->all.strings, mi_cstr(name));
    return id.v ? id : (mi_str_id){UINT32_MAX};
}

bool mi_flow_is_random(const struct mi_flow *flow, const struct mi_flow_node *node)
{
    static const char *const names[] = {"RandomNormal",      "RandomNormalLike", "RandomUniform",
                                        "RandomUniformLike", "Multinomial",      "Bernoulli"};
    struct mi_bytes op = mi_model_text(flow->model, mi_flow_op(flow, node));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mi_bytes_equal(op, mi_cstr(names[i])))
            return true;
    /* A third input switches training on. */
    return node->in_count > 2 && mi_flow_in(flow, node, 2) && mi_bytes_equal(op, MI_LIT("Dropout"));
}

struct kinds {
    uint32_t constant, constant2, shape, size;
};

/* Flags that all outputs of a node have. */
static uint32_t flags_of(const struct mi_flow *flow, const struct mi_flow_node *n,
                         const struct kinds *ops)
{
    uint32_t op = mi_flow_op(flow, n).v, present = 0;
    bool is_const = true, is_shape = true;
    if (n->scope_count || mi_flow_is_random(flow, n))
        return 0;
    if (op == ops->shape || op == ops->size)
        return n->in_count && mi_flow_is_const(flow, mi_flow_in(flow, n, 0))
                   ? MI_FLOW_CONST | MI_FLOW_SHAPE
                   : MI_FLOW_SHAPE;
    for (uint32_t i = 0; i < mi_flow_all_in(n); i++) {
        uint32_t tensor = mi_flow_in(flow, n, i);
        if (!tensor)
            continue;
        present++;
        is_const = is_const && mi_flow_is_const(flow, tensor);
        is_shape = is_shape && (flow->tensors[tensor].flags & (MI_FLOW_CONST | MI_FLOW_SHAPE));
    }
    if (!present)
        return op == ops->constant || op == ops->constant2 ? MI_FLOW_CONST | MI_FLOW_SHAPE : 0;
    return (is_const ? (uint32_t)MI_FLOW_CONST : 0) | (is_shape ? (uint32_t)MI_FLOW_SHAPE : 0);
}

static void flow_flags(struct mi_flow *flow)
{
    struct kinds ops = {mi_known_op(flow->model, "Constant").v, mi_known_op(flow->model, "Const").v,
                        mi_known_op(flow->model, "Shape").v, mi_known_op(flow->model, "Size").v};
    for (uint32_t at = 0; at < flow->node_count - flow->cyclic_count; at++) {
        const struct mi_flow_node *n = &flow->nodes[flow->order[at]];
        uint32_t flags = flags_of(flow, n, &ops);
        for (uint32_t i = 0; flags && i < n->out_count; i++)
            if (mi_flow_out(flow, n, i))
                flow->tensors[mi_flow_out(flow, n, i)].flags |= flags;
    }
}

bool mi_flow_finish(struct mi_flow *flow)
{
    if (!index_readers(flow) || !sort_nodes(flow))
        return false;
    flow_flags(flow);
    return true;
}
