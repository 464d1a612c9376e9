/* Value numbers of the framework graph: tensors of equal number have equal contents, so a compiler
 * may have merged them. A number is a hash over operator, attributes and the numbers of the inputs;
 * Identity hands its input's number on; what draws random numbers, owns a body or lies on a cycle
 * has numbers of its own. */
#include "base/hash.h"
#include "correlate/cuts/cut.h"

/* Larger constants are told apart by where they lie; so are small ones beyond a sum per graph. */
#define SMALL_CONSTANT_BYTES 65536
#define HASHED_BYTES_MAX     67108864

struct numbering {
    struct mi_cut *cut;
    uint64_t *hash; /* [f.tensor_count] 0 = none yet */
    int64_t hashed_bytes;
};

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 32;
    return hash * UINT64_C(0xD6E8FEB86659FD93) ^ hash >> 29;
}

static uint64_t constant_hash(struct numbering *num, uint32_t value)
{
    const struct mi_tables *rows = &num->cut->model->all.rows;
    const struct mi_values *values = &rows->values;
    uint64_t hash = mix(mix(1, values->dtype[value].v), values->type[value].v);
    hash = mix(hash, values->has_shape[value]);
    for (uint32_t d = 0; d < values->dim_count[value]; d++)
        hash = mix(hash, (uint64_t)rows->dims.size[values->first_dim[value] + d]);
    int64_t offset = values->data_offset[value], bytes = values->data_bytes[value];
    uint32_t source = rows->graphs.source[values->graph[value].v].v;
    bool is_small = bytes > 0 && bytes <= SMALL_CONSTANT_BYTES &&
                    num->hashed_bytes + bytes <= HASHED_BYTES_MAX && !values->data_path[value].v;
    struct mi_bytes data = {0};
    if (offset >= 0 && is_small)
        data = mi_model_record(num->cut->model, (mi_source_id){source}, offset, bytes);
    if (data.len && data.len == (size_t)bytes) {
        num->hashed_bytes += bytes;
        return mix(hash, mi_hash64(data));
    }
    if (offset < 0)
        return mix(mix(hash, 2), value);
    hash = mix(mix(hash, 3), mix(source, values->data_path[value].v));
    return mix(mix(hash, (uint64_t)offset), (uint64_t)bytes);
}

static uint64_t item_hash(struct numbering *num, uint32_t item)
{
    const struct mi_items *items = &num->cut->model->all.rows.items;
    uint64_t bits = 0;
    memcpy(&bits, &items->real_value[item], sizeof bits);
    uint64_t hash = mix(mix(4, (uint64_t)items->int_value[item]), bits);
    hash = mix(hash, mi_pair(items->text[item].v, items->graph[item].v));
    return items->value[item].v ? mix(hash, constant_hash(num, items->value[item].v)) : hash;
}

/* Over all attributes, whatever their order. */
static uint64_t attrs_hash(struct numbering *num, const struct mi_flow_node *n)
{
    const struct mi_tables *rows = &num->cut->model->all.rows;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < rows->nodes.attr_count[n->node]; i++) {
        uint32_t attr = rows->nodes.first_attr[n->node] + i;
        uint64_t hash = mix(mix(5, rows->attrs.name[attr].v), rows->attrs.kind[attr]);
        for (uint32_t k = 0; k < rows->attrs.item_count[attr]; k++)
            hash = mix(hash, item_hash(num, rows->attrs.first_item[attr] + k));
        if (rows->attrs.kind[attr] == MI_ATTR_REFERENCE)
            hash = mix(hash, n->call); /* its value is the call's */
        sum += hash;
    }
    return sum;
}

/* The number of an input; graph inputs and constants get theirs on first use. */
static uint64_t tensor_hash(struct numbering *num, uint32_t tensor)
{
    const struct mi_flow_tensor *t = &num->cut->f.tensors[tensor];
    if (!num->hash[tensor])
        num->hash[tensor] = num->cut->model->all.rows.values.kind[t->value] == MI_VALUE_CONSTANT
                                ? constant_hash(num, t->value)
                                : mix(6, tensor);
    return num->hash[tensor];
}

static void number_node(struct numbering *num, uint32_t n, bool is_unique)
{
    const struct mi_flow *flow = &num->cut->f;
    const struct mi_flow_node *node = &flow->nodes[n];
    const struct mi_nodes *nodes = &num->cut->model->all.rows.nodes;
    uint32_t op = mi_flow_op(flow, node).v;
    uint64_t hash = mix(mix(7, op), nodes->domain[node->node].v);
    if (is_unique || node->scope_count || mi_flow_is_random(flow, node)) {
        hash = mix(hash, mi_pair(UINT32_MAX, n));
    } else {
        hash = mix(mix(hash, node->scope), attrs_hash(num, node));
        for (uint32_t i = 0; i < node->in_count; i++) {
            uint32_t tensor = mi_flow_in(flow, node, i);
            hash = mix(hash, tensor ? tensor_hash(num, tensor) : 8);
        }
    }
    for (uint32_t i = 0; i < node->out_count; i++) {
        uint32_t tensor = mi_flow_out(flow, node, i);
        if (flow->tensors[tensor].producer != n + 1 || !tensor)
            continue;
        bool is_same = op == num->cut->ops.identity && node->in_count == 1 && !is_unique &&
                       mi_flow_in(flow, node, 0);
        num->hash[tensor] =
            is_same ? tensor_hash(num, mi_flow_in(flow, node, 0)) : mix(hash, i + 1);
    }
}

/* Hashes to numbers 1 .. class_count. */
static bool number_classes(struct numbering *num)
{
    struct mi_cut *cut = num->cut;
    struct mi_map map = {0};
    bool ok = true;
    for (uint32_t t = 1; ok && t < cut->f.tensor_count; t++) {
        uint32_t *slot = mi_map_at(&map, tensor_hash(num, t));
        ok = slot != NULL;
        if (ok && !*slot)
            *slot = ++cut->class_count;
        if (ok)
            cut->class_of[t] = *slot;
    }
    mi_map_fini(&map);
    return ok;
}

bool mi_cut_classes(struct mi_cut *cut)
{
    struct numbering num = {.cut = cut};
    num.hash = mi_cut_array(cut, cut->f.tensor_count, sizeof *num.hash);
    cut->class_of = mi_cut_array(cut, cut->f.tensor_count, sizeof *cut->class_of);
    if (!num.hash || !cut->class_of)
        return false;
    uint32_t ordered = cut->f.node_count - cut->f.cyclic_count;
    for (uint32_t at = 0; at < cut->f.node_count; at++)
        number_node(&num, cut->f.order[at], at >= ordered);
    return number_classes(&num);
}
