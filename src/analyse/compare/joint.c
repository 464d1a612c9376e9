#include "analyse/compare/joint_parts.h"
#include "base/mem.h"

/* --- graphs --- */

static bool is_stage(const struct joiner *j, unsigned side, uint32_t graph)
{
    return joiner_rows(j, side)->graphs.layer[graph] == MI_LAYER_STAGE;
}

static void add_graph(struct joiner *j, unsigned side, uint32_t graph)
{
    const struct mi_graphs *graphs = &joiner_rows(j, side)->graphs;
    j->joint->graph_of[side][graph] =
        mi_add_graph(j->out,
                     &(struct mi_graph_row){.layer = graphs->layer[graph],
                                            .kind = graphs->kind[graph],
                                            .name = joiner_text(j, side, graphs->name[graph]),
                                            .domain = joiner_text(j, side, graphs->domain[graph]),
                                            .role = joiner_text(j, side, graphs->role[graph])})
            .v;
}

/* The graph of the base that most nodes of a new one have their partners in; 0 = none. `votes`
 * [graphs of the base] is all 0 before and after. */
static uint32_t likest_graph(const struct joiner *j, uint32_t graph, uint32_t *votes)
{
    const uint32_t *first = j->match->model[MI_CMP_NEW]->index.graph_first_node;
    const uint32_t *other = j->match->other[MI_CMP_NEW];
    const struct mi_nodes *nodes = &joiner_rows(j, MI_CMP_BASE)->nodes;
    uint32_t best = 0;
    for (uint32_t n = first[graph]; n < first[graph + 1]; n++) {
        uint32_t at = other[n] ? nodes->graph[other[n]].v : 0;
        votes[at] += at != 0;
        if (votes[at] > votes[best] || (votes[at] == votes[best] && at < best))
            best = at;
    }
    for (uint32_t n = first[graph]; n < first[graph + 1]; n++)
        votes[other[n] ? nodes->graph[other[n]].v : 0] = 0;
    return best;
}

static bool add_graphs(struct joiner *j)
{
    uint32_t *graph_of[MI_CMP_SIDES] = {j->joint->graph_of[0], j->joint->graph_of[1]};
    uint32_t base_count = joiner_rows(j, MI_CMP_BASE)->graphs.count;
    uint32_t *votes = mi_mem_zero(base_count, sizeof *votes);
    uint8_t *is_taken = mi_mem_zero(base_count, 1);
    bool ok = votes && is_taken;
    for (uint32_t g = 1; ok && g < base_count; g++)
        if (!is_stage(j, MI_CMP_BASE, g))
            add_graph(j, MI_CMP_BASE, g);
    for (uint32_t g = 1; ok && g < joiner_rows(j, MI_CMP_NEW)->graphs.count; g++) {
        uint32_t like = is_stage(j, MI_CMP_NEW, g) ? 0 : likest_graph(j, g, votes);
        if (like && !is_taken[like])
            graph_of[MI_CMP_NEW][g] = graph_of[MI_CMP_BASE][like];
        else if (!is_stage(j, MI_CMP_NEW, g))
            add_graph(j, MI_CMP_NEW, g);
        is_taken[like] = 1;
    }
    mi_mem_free(votes);
    mi_mem_free(is_taken);
    return ok;
}

/* --- nodes --- */

static void add_node(struct joiner *j, unsigned side, uint32_t node, uint32_t graph)
{
    const struct mi_nodes *nodes = &joiner_rows(j, side)->nodes;
    uint32_t other = j->match->other[side][node];
    uint32_t joint =
        mi_add_node(j->out,
                    &(struct mi_node_row){.graph = {graph},
                                          .name = joiner_text(j, side, nodes->name[node]),
                                          .op = joiner_text(j, side, nodes->op[node]),
                                          .domain = joiner_text(j, side, nodes->domain[node]),
                                          .position = mi_next_row(j->out, nodes),
                                          .native_id = -1,
                                          .stream = -1,
                                          .category = nodes->category[node]})
            .v;
    j->joint->node_of[side][node] = joint;
    if (other)
        j->joint->node_of[!side][other] = joint;
}

/* Nodes of the new side without partner, from `node` to the next one that has one. */
static void add_new_from(struct joiner *j, uint32_t node, uint32_t end, uint32_t graph)
{
    for (; node < end && !j->match->other[MI_CMP_NEW][node]; node++)
        if (!j->joint->node_of[MI_CMP_NEW][node])
            add_node(j, MI_CMP_NEW, node, graph);
}

/* In the order of the base; what is new stands behind what it stood behind on the new side. */
static void add_nodes_of(struct joiner *j, uint32_t graph, uint32_t base, uint32_t new)
{
    const uint32_t *first[MI_CMP_SIDES] = {j->match->model[0]->index.graph_first_node,
                                           j->match->model[1]->index.graph_first_node};
    uint32_t begin = new ? first[MI_CMP_NEW][new] : 0;
    uint32_t end = new ? first[MI_CMP_NEW][new + 1] : 0;
    add_new_from(j, begin, end, graph);
    for (uint32_t n = base ? first[MI_CMP_BASE][base] : 0; base && n < first[MI_CMP_BASE][base + 1];
         n++) {
        uint32_t other = j->match->other[MI_CMP_BASE][n];
        add_node(j, MI_CMP_BASE, n, graph);
        if (other >= begin && other < end)
            add_new_from(j, other + 1, end, graph);
    }
}

/* The rows of both sides that each joint row stands for. */
static bool turn_round(uint32_t *back[], uint32_t count, uint32_t *const of[],
                       const uint32_t side_count[])
{
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        back[side] = mi_mem_zero(count, sizeof **back);
        for (uint32_t row = 1; back[side] && row < side_count[side]; row++)
            back[side][of[side][row]] = row;
        if (!back[side])
            return false;
        back[side][0] = 0;
    }
    return true;
}

/* Graph by graph, as look-ups expect it. */
static bool add_nodes(struct joiner *j)
{
    struct mi_joint *joint = j->joint;
    const uint32_t graphs[] = {joiner_rows(j, 0)->graphs.count, joiner_rows(j, 1)->graphs.count};
    const uint32_t nodes[] = {joiner_rows(j, 0)->nodes.count, joiner_rows(j, 1)->nodes.count};
    uint32_t count = mi_next_row(j->out, graphs);
    if (!turn_round(joint->side_graph, count, joint->graph_of, graphs))
        return false;
    for (uint32_t g = 1; g < count; g++)
        add_nodes_of(j, g, joint->side_graph[MI_CMP_BASE][g], joint->side_graph[MI_CMP_NEW][g]);
    if (mi_batch_failed(j->out) ||
        !turn_round(joint->side_node, mi_next_row(j->out, nodes), joint->node_of, nodes))
        return false;
    for (uint32_t g = 1; g < count; g++) {
        unsigned side = joint->side_graph[MI_CMP_BASE][g] ? MI_CMP_BASE : MI_CMP_NEW;
        mi_node_id owner = joiner_rows(j, side)->graphs.parent[joint->side_graph[side][g]];
        j->out->rows.graphs.parent[g].v = joint->node_of[side][owner.v];
    }
    return true;
}

/* --- the whole --- */

static bool make_maps(struct joiner *j)
{
    struct mi_joint *joint = j->joint;
    bool ok = true;
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        const struct mi_tables *rows = joiner_rows(j, side);
        joint->graph_of[side] = mi_mem_zero(rows->graphs.count, sizeof(uint32_t));
        joint->node_of[side] = mi_mem_zero(rows->nodes.count, sizeof(uint32_t));
        joint->value_of[side] = mi_mem_zero(rows->values.count, sizeof(uint32_t));
        ok = ok && joint->graph_of[side] && joint->node_of[side] && joint->value_of[side];
    }
    j->stamp =
        mi_mem_zero((size_t)joiner_rows(j, 0)->values.count + joiner_rows(j, 1)->values.count,
                    sizeof *j->stamp);
    j->is_paired = mi_mem_zero(joiner_rows(j, MI_CMP_BASE)->values.count, 1);
    return ok && j->stamp && j->is_paired;
}

bool mi_joint_init(struct mi_joint *joint, const struct mi_match *match, struct mi_error *err)
{
    *joint = (struct mi_joint){0};
    struct joiner j = {.joint = joint, .match = match, .out = &joint->model.all};
    if (!mi_model_init(&joint->model, err))
        return false;
    bool ok = make_maps(&j) && add_graphs(&j) && add_nodes(&j);
    if (ok)
        mi_joint_add_values(&j);
    ok = ok && mi_joint_add_groups(&j) && !mi_batch_failed(j.out);
    mi_mem_free(j.stamp);
    mi_mem_free(j.is_paired);
    if (!ok)
        return mi_fail(err, MI_ENOMEM, "out of memory for a joint graph");
    return mi_model_index_graphs(&joint->model, err) && mi_model_freeze(&joint->model, err);
}

void mi_joint_fini(struct mi_joint *joint)
{
    mi_model_fini(&joint->model);
    for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
        mi_mem_free(joint->graph_of[side]);
        mi_mem_free(joint->node_of[side]);
        mi_mem_free(joint->value_of[side]);
        mi_mem_free(joint->side_graph[side]);
        mi_mem_free(joint->side_node[side]);
    }
    *joint = (struct mi_joint){0};
}
