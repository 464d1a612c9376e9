/* Tensors of the joint graph, and who makes and reads them. An output of partners is one tensor;
 * what a side reads in addition stands behind what the base reads. */
#include "analyse/compare/joint_parts.h"
#include "analyse/describe.h"

/* --- tensors --- */

static uint32_t add_value(struct joiner *j, unsigned side, uint32_t value, uint32_t producer)
{
    const struct mi_tables *rows = joiner_rows(j, side);
    const struct mi_values *values = &rows->values;
    struct mi_value_row row = {.graph = {j->joint->graph_of[side][values->graph[value].v]},
                               .name = joiner_text(j, side, values->name[value]),
                               .kind = values->kind[value],
                               .producer = {producer},
                               .type = joiner_text(j, side, values->type[value]),
                               .dtype = joiner_text(j, side, values->dtype[value]),
                               .format = joiner_text(j, side, values->format[value]),
                               .has_shape = values->has_shape[value],
                               .first_dim = mi_next_row(j->out, dims),
                               .dim_count = values->dim_count[value],
                               .data_offset = -1,
                               .data_bytes = -1};
    for (uint32_t d = 0; d < values->dim_count[value]; d++)
        mi_add_dim(j->out,
                   &(struct mi_dim_row){.size = rows->dims.size[values->first_dim[value] + d]});
    uint32_t joint = mi_add_value(j->out, &row).v;
    j->joint->value_of[side][value] = joint;
    return joint;
}

/* The joint tensor of one that a node or a graph reads. */
static uint32_t value_for(struct joiner *j, unsigned side, mi_value_id value)
{
    const struct mi_values *values = &joiner_rows(j, side)->values;
    value = mi_value_origin(j->match->model[side], value);
    uint32_t joint = j->joint->value_of[side][value.v];
    if (joint || !value.v)
        return joint;
    return add_value(j, side, value.v, j->joint->node_of[side][values->producer[value.v].v]);
}

/* --- outputs of nodes --- */

static uint32_t out_value(const struct joiner *j, unsigned side, uint32_t node, uint32_t port)
{
    const struct mi_tables *rows = joiner_rows(j, side);
    return node && port < rows->nodes.out_count[node]
               ? rows->ports.value[rows->nodes.first_out[node] + port].v
               : 0;
}

static void add_outputs(struct joiner *j, uint32_t joint, const uint32_t node[])
{
    uint32_t count = 0;
    j->out->rows.nodes.first_out[joint] = mi_next_row(j->out, ports);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        uint32_t own = node[side] ? joiner_rows(j, side)->nodes.out_count[node[side]] : 0;
        count = own > count ? own : count;
    }
    j->out->rows.nodes.out_count[joint] = count;
    for (uint32_t p = 0; p < count; p++) {
        uint32_t found = 0;
        bool is_control = false;
        for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
            uint32_t value = out_value(j, side, node[side], p);
            if (!value)
                continue;
            const struct mi_tables *rows = joiner_rows(j, side);
            uint32_t port = rows->nodes.first_out[node[side]] + p;
            is_control |= !found && rows->ports.is_control[port];
            if (!found)
                found = j->joint->value_of[side][value];
            if (!found)
                found = add_value(j, side, value, joint);
            j->joint->value_of[side][value] = found;
        }
        mi_add_port(j->out, &(struct mi_port_row){.value = {found}, .is_control = is_control});
    }
}

/* --- inputs of graphs --- */

/* An input of the base of that name that no other is matched with; else the one at its place. */
static uint32_t input_like(const struct joiner *j, uint32_t base, uint32_t new, uint32_t at)
{
    const struct mi_tables *a = joiner_rows(j, MI_CMP_BASE), *b = joiner_rows(j, MI_CMP_NEW);
    uint32_t value = b->ports.value[b->graphs.first_in[new] + at].v;
    for (uint32_t i = 0; i < a->graphs.in_count[base]; i++) {
        uint32_t like = a->ports.value[a->graphs.first_in[base] + i].v;
        if (like && b->values.name[value].v &&
            mi_match_text(j->match, MI_CMP_BASE, a->values.name[like]) ==
                mi_match_text(j->match, MI_CMP_NEW, b->values.name[value]))
            return like;
    }
    if (a->graphs.in_count[base] != b->graphs.in_count[new])
        return 0;
    return a->ports.value[a->graphs.first_in[base] + at].v;
}

static void match_inputs(struct joiner *j, uint32_t base, uint32_t new)
{
    const struct mi_tables *b = joiner_rows(j, MI_CMP_NEW);
    for (uint32_t i = 0; i < b->graphs.in_count[new]; i++) {
        uint32_t value = b->ports.value[b->graphs.first_in[new] + i].v;
        uint32_t *at = &j->joint->value_of[MI_CMP_NEW][value];
        uint32_t like = value && !*at ? input_like(j, base, new, i) : 0;
        uint32_t joint = like ? value_for(j, MI_CMP_BASE, (mi_value_id){like}) : 0;
        if (joint && j->stamp[joint] != UINT32_MAX) { /* one partner each */
            *at = joint;
            j->stamp[joint] = UINT32_MAX;
        }
    }
}

/* --- what is read --- */

/* Ports of one list of a side, those that stand there already left out. Returns how many. */
static uint32_t add_ports(struct joiner *j, unsigned side, uint32_t first, uint32_t count,
                          uint32_t reader)
{
    const struct mi_ports *ports = &joiner_rows(j, side)->ports;
    uint32_t added = 0;
    for (uint32_t p = first; p < first + count; p++) {
        uint32_t value = value_for(j, side, ports->value[p]);
        if (!value || j->stamp[value] == reader)
            continue;
        j->stamp[value] = reader;
        mi_add_port(j->out, &(struct mi_port_row){.value = {value},
                                                  .is_control = ports->is_control[p],
                                                  .is_back = ports->is_back[p]});
        added++;
    }
    return added;
}

/* What a port of a node reads, if that is a constant that no node holds; 0 = it is not. */
static uint32_t constant_at(const struct joiner *j, unsigned side, uint32_t node, uint32_t port)
{
    const struct mi_tables *rows = joiner_rows(j, side);
    if (port >= rows->nodes.in_count[node])
        return 0;
    mi_value_id value = mi_value_origin(j->match->model[side],
                                        rows->ports.value[rows->nodes.first_in[node] + port]);
    bool is_constant =
        rows->values.kind[value.v] == MI_VALUE_CONSTANT && !rows->values.producer[value.v].v;
    return is_constant ? value.v : 0;
}

/* Constants that partners read at the same place are partners, one each. */
static void match_constants(struct joiner *j, const uint32_t node[])
{
    const struct mi_nodes *nodes = &joiner_rows(j, MI_CMP_NEW)->nodes;
    for (uint32_t p = 0; p < nodes->in_count[node[MI_CMP_NEW]]; p++) {
        uint32_t new = constant_at(j, MI_CMP_NEW, node[MI_CMP_NEW], p);
        uint32_t base = constant_at(j, MI_CMP_BASE, node[MI_CMP_BASE], p);
        if (!new || !base || j->joint->value_of[MI_CMP_NEW][new] || j->is_paired[base])
            continue;
        j->is_paired[base] = 1;
        j->joint->value_of[MI_CMP_NEW][new] = value_for(j, MI_CMP_BASE, (mi_value_id){base});
    }
}

static void add_inputs(struct joiner *j, uint32_t joint, const uint32_t node[])
{
    if (node[MI_CMP_BASE] && node[MI_CMP_NEW])
        match_constants(j, node);
    uint32_t first = mi_next_row(j->out, ports), added = 0;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        const struct mi_nodes *nodes = &joiner_rows(j, side)->nodes;
        if (node[side])
            added +=
                add_ports(j, side, nodes->first_in[node[side]], nodes->in_count[node[side]], joint);
    }
    j->out->rows.nodes.first_in[joint] = first;
    j->out->rows.nodes.in_count[joint] = added;
}

static void add_ends(struct joiner *j, uint32_t joint, const uint32_t graph[])
{
    struct mi_graphs *to = &j->out->rows.graphs;
    for (int outputs = 0; outputs < 2; outputs++) {
        uint32_t first = mi_next_row(j->out, ports), added = 0;
        for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
            const struct mi_graphs *from = &joiner_rows(j, side)->graphs;
            uint32_t g = graph[side];
            if (g)
                added += add_ports(j, side, outputs ? from->first_out[g] : from->first_in[g],
                                   outputs ? from->out_count[g] : from->in_count[g],
                                   UINT32_MAX - 2 * joint - (uint32_t)outputs);
        }
        *(outputs ? &to->first_out[joint] : &to->first_in[joint]) = first;
        *(outputs ? &to->out_count[joint] : &to->in_count[joint]) = added;
    }
}

/* --- all of them --- */

void mi_joint_add_values(struct joiner *j)
{
    const struct mi_joint *joint = j->joint;
    uint32_t nodes = mi_next_row(j->out, nodes), graphs = mi_next_row(j->out, graphs);
    for (uint32_t n = 1; n < nodes; n++)
        add_outputs(j, n, (const uint32_t[]){joint->side_node[0][n], joint->side_node[1][n]});
    for (uint32_t g = 1; g < graphs; g++)
        if (joint->side_graph[0][g] && joint->side_graph[1][g])
            match_inputs(j, joint->side_graph[0][g], joint->side_graph[1][g]);
    for (uint32_t n = 1; n < nodes; n++)
        add_inputs(j, n, (const uint32_t[]){joint->side_node[0][n], joint->side_node[1][n]});
    for (uint32_t g = 1; g < graphs; g++)
        add_ends(j, g, (const uint32_t[]){joint->side_graph[0][g], joint->side_graph[1][g]});
}
