/* Which compiled tensor carries the value of which framework tensor: the compiler records the op
 * and the output that a tensor was; else the outputs of a compiled node are those of the last of
 * the ops that it computes. */
#include "analyse/check/check_parts.h"
#include "base/mem.h"

/* A link that something contradicts was surer before: what contradicts it is what is looked for. */
static bool is_computed(const struct mi_lowered *lowered, uint32_t link)
{
    return (lowered->role[link] == MI_ROLE_COMPUTED || lowered->role[link] == MI_ROLE_SHARED) &&
           (lowered->confidence[link] >= MI_LIKELY || lowered->conflict[link].v);
}

/* Marks the ops of a compiled node, so that each is found at once. */
static void look_at(struct mi_check *check, mi_node_id compiled)
{
    const struct mi_lowered *lowered = &check->model->all.rows.lowered;
    const struct mi_csr *of = &check->model->index.framework_of;
    if (check->looked_at == compiled.v)
        return;
    check->looked_at = compiled.v;
    for (uint32_t i = of->first[compiled.v]; i < of->first[compiled.v + 1]; i++)
        check->part_of[lowered->framework[of->list[i]].v] = compiled.v;
}

static bool computes(struct mi_check *check, mi_node_id compiled, uint32_t op)
{
    look_at(check, compiled);
    return check->part_of[op] == compiled.v;
}

/* No reader of its outputs is part of the same compiled node. */
static bool is_last(struct mi_check *check, mi_node_id op, mi_node_id compiled)
{
    const struct mi_tables *rows = &check->model->all.rows;
    const struct mi_csr *readers = &check->model->index.consumers;
    for (uint32_t p = 0; p < rows->nodes.out_count[op.v]; p++) {
        uint32_t value = rows->ports.value[rows->nodes.first_out[op.v] + p].v;
        for (uint32_t i = readers->first[value]; i < readers->first[value + 1]; i++)
            if (readers->list[i] != op.v && computes(check, compiled, readers->list[i]))
                return false;
    }
    return true;
}

mi_node_id mi_check_op_of(struct mi_check *check, mi_node_id compiled)
{
    const struct mi_lowered *lowered = &check->model->all.rows.lowered;
    const struct mi_csr *of = &check->model->index.framework_of;
    mi_node_id first = {0};
    for (uint32_t i = of->first[compiled.v]; i < of->first[compiled.v + 1]; i++) {
        mi_node_id op = lowered->framework[of->list[i]];
        if (!is_computed(lowered, of->list[i]))
            continue;
        if (is_last(check, op, compiled))
            return op;
        if (!first.v)
            first = op;
    }
    return first;
}

/* --- by what the compiler recorded --- */

#define SEVERAL UINT32_MAX

/* The framework op of each name; SEVERAL of one name are none. */
static bool list_ops(const struct mi_check *check, struct mi_map *ops)
{
    const struct mi_nodes *nodes = &check->model->all.rows.nodes;
    for (uint32_t n = 1; n < nodes->count; n++) {
        if (!nodes->name[n].v || mi_check_layer(check, (mi_node_id){n}) != MI_LAYER_FRAMEWORK)
            continue;
        uint32_t *at = mi_map_at(ops, nodes->name[n].v);
        if (!at)
            return false;
        *at = *at ? SEVERAL : n;
    }
    return true;
}

static void carry_recorded(struct mi_check *check, const struct mi_map *ops)
{
    const struct mi_tables *rows = &check->model->all.rows;
    const struct mi_values *values = &rows->values;
    for (uint32_t v = 1; v < values->count; v++) {
        mi_node_id producer = values->producer[v];
        if (!values->origin_name[v].v || !producer.v ||
            mi_check_layer(check, producer) != MI_LAYER_COMPILED)
            continue;
        uint32_t birth = check->model->index.birth_of[producer.v];
        mi_node_id op = {mi_map_get(ops, values->origin_name[v].v)};
        uint32_t port = values->origin_index[v];
        /* A conversion that was inserted repeats the name of what it converts. */
        if (!op.v || op.v == SEVERAL || port >= rows->nodes.out_count[op.v] ||
            (birth && rows->births.origin[birth] == MI_ORIGIN_INSERTED))
            continue;
        uint32_t *at = &check->carrier[rows->ports.value[rows->nodes.first_out[op.v] + port].v];
        if (!*at || computes(check, producer, op.v))
            *at = v;
    }
}

/* --- by links --- */

static void carry_outputs(struct mi_check *check, mi_node_id op, mi_node_id compiled)
{
    const struct mi_tables *rows = &check->model->all.rows;
    uint32_t count = rows->nodes.out_count[op.v];
    if (count > rows->nodes.out_count[compiled.v])
        count = rows->nodes.out_count[compiled.v];
    for (uint32_t p = 0; p < count; p++) {
        uint32_t from = rows->ports.value[rows->nodes.first_out[op.v] + p].v;
        uint32_t to = rows->ports.value[rows->nodes.first_out[compiled.v] + p].v;
        if (from && !check->carrier[from])
            check->carrier[from] = to;
    }
}

/* Compiled node by compiled node, so that each one's ops are marked once. */
static void carry_linked(struct mi_check *check)
{
    const struct mi_lowered *lowered = &check->model->all.rows.lowered;
    const struct mi_csr *of = &check->model->index.framework_of;
    for (uint32_t n = 1; n < check->model->all.rows.nodes.count; n++)
        for (uint32_t i = of->first[n]; i < of->first[n + 1]; i++) {
            mi_node_id op = lowered->framework[of->list[i]], node = {n};
            if (op.v && is_computed(lowered, of->list[i]) && is_last(check, op, node))
                carry_outputs(check, op, node);
        }
}

bool mi_check_carry(struct mi_check *check)
{
    const struct mi_tables *rows = &check->model->all.rows;
    struct mi_map ops = {0};
    check->carrier = mi_mem_zero(rows->values.count, sizeof *check->carrier);
    check->part_of = mi_mem_zero(rows->nodes.count, sizeof *check->part_of);
    bool ok = check->carrier && check->part_of && list_ops(check, &ops);
    if (ok) {
        carry_recorded(check, &ops);
        carry_linked(check);
        check->carrier[0] = 0;
    }
    mi_map_fini(&ops);
    return ok;
}
