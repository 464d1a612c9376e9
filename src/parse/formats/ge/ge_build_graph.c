/* The builder of GE graphs: what can only be said when a graph or a model is complete. Inputs find
 * their sources, outputs get their ports, scopes become groups, sub-graphs find their owners. */
#include "base/mem.h"
#include "parse/formats/ge/ge_state.h"

#include <stdlib.h>

#define ANY_UNIT UINT32_MAX

/* --- inputs and their sources --- */

/* "src:idx" split at the last colon that digits or -1 follow; else all of it is the name, output 0.
 * "^src" is the other spelling of "src:-1". */
static struct mi_bytes split(struct mi_bytes text, int64_t *index)
{
    *index = 0;
    if (mi_bytes_starts(text, MI_LIT("^"))) {
        *index = -1;
        return mi_bytes_sub(text, 1, text.len);
    }
    size_t at = text.len, digits = 0;
    int64_t number = 0, weight = 1;
    while (at > 0 && digits < 10 && text.at[at - 1] >= '0' && text.at[at - 1] <= '9') {
        number += weight * (text.at[--at] - '0');
        weight *= 10;
        digits++;
    }
    bool is_minus = digits == 1 && number == 1 && at > 1 && text.at[at - 1] == '-';
    at -= is_minus;
    if (!digits || at == 0 || text.at[at - 1] != ':')
        return text;
    *index = is_minus ? -1 : number;
    return mi_bytes_sub(text, 0, at - 1);
}

/* The node that an input means, or NULL. */
static struct ge_node *source_of(const struct mi_ge *ge, struct mi_bytes name)
{
    mi_str_id id = mi_strings_find(&ge->out->strings, name);
    uint32_t at = id.v ? mi_map_get(&ge->s->names, id.v) : 0;
    return at ? &ge->s->nodes[at - 1] : NULL;
}

/* The whole text may be a name, too: one that ends like an edge. */
static struct ge_node *find_source(const struct mi_ge *ge, mi_str_id text, int64_t *index)
{
    struct mi_bytes all = mi_batch_text(ge->out, text);
    struct ge_node *node = source_of(ge, split(all, index));
    if (node || *index == 0)
        return node;
    node = source_of(ge, all);
    if (node)
        *index = 0;
    return node;
}

/* Counts which outputs of each node are read. */
static void count_uses(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    uint64_t extras = 0;
    for (uint32_t i = 0; i < s->uses_count; i++) {
        int64_t index;
        struct ge_node *node = find_source(ge, s->uses[i].text, &index);
        if (!node)
            continue;
        if (index < 0) {
            node->has_control = true;
            continue;
        }
        uint32_t have = node->descs > node->used ? node->descs : node->used;
        if (index < have || index >= (int64_t)node->descs + GE_MAX_EXTRA || extras > GE_MAX_EXTRAS)
            continue;
        extras += (uint64_t)index + 1 - have;
        node->used = (uint32_t)index + 1;
    }
}

static uint32_t outputs_of(const struct ge_node *node)
{
    return node->descs > node->used ? node->descs : node->used;
}

/* Output ports: descriptors, outputs beyond them that are read, and one for control edges. */
static void add_ports(struct mi_ge *ge, uint32_t at)
{
    struct mi_ge_state *s = ge->s;
    struct mi_nodes *rows = &ge->out->rows.nodes;
    struct ge_node *node = &s->nodes[at];
    uint32_t row = s->first_node + at, count = outputs_of(node);
    rows->first_out[row] = mi_next_row(ge->out, ports);
    rows->out_count[row] = count + node->has_control;
    for (uint32_t k = 0; k < count; k++)
        mi_add_port(ge->out,
                    &(struct mi_port_row){.value = {k < node->descs ? node->first_value + k : 0}});
    if (node->has_control)
        mi_add_port(ge->out, &(struct mi_port_row){.is_control = true});
}

static mi_value_id add_value(struct mi_ge *ge, mi_str_id name, enum mi_value_kind kind,
                             uint32_t producer)
{
    return mi_add_value(ge->out, &(struct mi_value_row){.graph = ge->graph,
                                                        .name = name,
                                                        .kind = (uint8_t)kind,
                                                        .producer = {producer},
                                                        .data_offset = -1,
                                                        .data_bytes = -1});
}

/* The value of a port of the source, made where there is none yet. */
static mi_value_id value_at(struct mi_ge *ge, const struct ge_node *node, uint32_t port,
                            mi_str_id name)
{
    struct mi_tables *rows = &ge->out->rows;
    uint32_t row = ge->s->first_node + (uint32_t)(node - ge->s->nodes);
    mi_value_id value = rows->ports.value[rows->nodes.first_out[row] + port];
    if (!value.v) {
        static const uint8_t kinds[] = {MI_VALUE_ACTIVATION, MI_VALUE_INPUT, MI_VALUE_CONSTANT,
                                        MI_VALUE_ACTIVATION};
        value = add_value(ge, name, (enum mi_value_kind)kinds[node->role], row);
        rows->ports.value[rows->nodes.first_out[row] + port] = value;
    }
    if (value.v && !rows->values.name[value.v].v)
        rows->values.name[value.v] = name;
    return value;
}

static mi_value_id dangling(struct mi_ge *ge, mi_str_id text, struct mi_map *known)
{
    struct mi_bytes name = mi_batch_text(ge->out, text);
    mi_batch_diag(ge->out, MI_NOTICE, "ge.dangling", MI_NO_OFFSET, 0,
                  "the input \"%.*s\" names an output that no node of the graph has",
                  GE_SHOW(name));
    uint32_t *slot = mi_map_at(known, text.v);
    if (!slot) {
        mi_batch_fail(ge->out, MI_ENOMEM, "out of memory for the inputs of a graph");
        return (mi_value_id){0};
    }
    if (!*slot)
        *slot = add_value(ge, text, MI_VALUE_DANGLING, 0).v;
    return (mi_value_id){*slot};
}

static mi_value_id value_of(struct mi_ge *ge, mi_str_id text, struct mi_map *known)
{
    int64_t index;
    struct mi_tables *rows = &ge->out->rows;
    const struct ge_node *node = find_source(ge, text, &index);
    if (!node || index >= (int64_t)outputs_of(node))
        return dangling(ge, text, known);
    if (index >= 0)
        return value_at(ge, node, (uint32_t)index, text);
    mi_value_id value = value_at(ge, node, outputs_of(node), text);
    if (value.v) {
        rows->values.type[value.v] = ge->s->control;
        rows->values.kind[value.v] = MI_VALUE_ACTIVATION;
    }
    return value;
}

/* Outputs that nobody reads are called like those that are. */
static void name_outputs(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    struct mi_tables *rows = &ge->out->rows;
    for (uint32_t i = 0; i < s->nodes_count; i++) {
        struct mi_bytes name = mi_batch_text(ge->out, rows->nodes.name[s->first_node + i]);
        for (uint32_t k = 0; k < s->nodes[i].descs; k++) {
            uint32_t value = s->nodes[i].first_value + k;
            if (!rows->values.name[value].v && name.len <= INT32_MAX)
                rows->values.name[value] = mi_batch_printf(
                    ge->out, "%.*s:%u", (int)name.len, name.len ? (const char *)name.at : "", k);
        }
    }
}

/* --- inputs and outputs of the graph --- */

struct order {
    int64_t order;
    uint32_t nth, value;
};

static int by_order(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (x->nth > y->nth) - (x->nth < y->nth);
}

static void add_ordered(struct mi_ge *ge, struct order *list, uint32_t count)
{
    qsort(list, count, sizeof *list, by_order);
    for (uint32_t i = 0; i < count; i++)
        mi_add_port(ge->out, &(struct mi_port_row){.value = {list[i].value}});
}

/* Data in the order of their index; those without one by appearance, as GE does. */
static uint32_t list_inputs(const struct mi_ge *ge, struct order *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ge->s->nodes_count; i++) {
        const struct ge_node *node = &ge->s->nodes[i];
        if (node->role != MI_GE_ROLE_INPUT || !node->descs)
            continue;
        list[count] = (struct order){.order = node->order >= 0 ? node->order : (int64_t)count,
                                     .nth = count,
                                     .value = node->first_value};
        count++;
    }
    return count;
}

static uint32_t list_outputs(const struct mi_ge *ge, struct order *list)
{
    const struct mi_tables *rows = &ge->out->rows;
    uint32_t net = ge->s->net_output.v, count = 0;
    for (uint32_t i = 0; i < rows->nodes.in_count[net]; i++) {
        uint32_t port = rows->nodes.first_in[net] + i;
        if (rows->ports.is_control[port])
            continue;
        int64_t order = i < ge->s->graph_order_count ? ge->s->graph_order[i] : -1;
        list[count] = (struct order){
            .order = order >= 0 ? order : (int64_t)i, .nth = i, .value = rows->ports.value[port].v};
        count++;
    }
    return count;
}

static void add_graph_ports(struct mi_ge *ge, struct mi_map *known)
{
    struct mi_ge_state *s = ge->s;
    struct mi_tables *rows = &ge->out->rows;
    uint32_t net = s->net_output.v, room = s->nodes_count;
    if (net && rows->nodes.in_count[net] > room)
        room = rows->nodes.in_count[net];
    struct order *list = mi_mem_new((size_t)room + 1, sizeof *list);
    if (!list) {
        mi_batch_fail(ge->out, MI_ENOMEM, "out of memory for the inputs of a graph");
        return;
    }
    rows->graphs.first_in[ge->graph.v] = mi_next_row(ge->out, ports);
    rows->graphs.in_count[ge->graph.v] = list_inputs(ge, list);
    add_ordered(ge, list, rows->graphs.in_count[ge->graph.v]);
    rows->graphs.first_out[ge->graph.v] = mi_next_row(ge->out, ports);
    if (net) {
        rows->graphs.out_count[ge->graph.v] = list_outputs(ge, list);
        add_ordered(ge, list, rows->graphs.out_count[ge->graph.v]);
    }
    mi_mem_free(list);
    for (uint32_t i = 0; !net && i < s->uses_count; i++)
        if (!s->uses[i].port) {
            mi_value_id value = value_of(ge, s->uses[i].text, known);
            rows->graphs.out_count[ge->graph.v] +=
                mi_add_port(ge->out, &(struct mi_port_row){.value = value}).v != 0;
        }
}

/* Buffers that lie in the weights. */
static void mark_weights(struct mi_ge *ge, uint32_t first_buffer)
{
    struct mi_tables *rows = &ge->out->rows;
    mi_str_id weights = mi_batch_cstr(ge->out, "weights");
    for (uint32_t i = first_buffer; i < rows->buffers.count; i++) {
        uint32_t node = rows->buffers.node[i].v, port = rows->buffers.port[i];
        bool is_input = rows->buffers.kind[i] == MI_BUFFER_INPUT;
        if (node < ge->s->first_node || rows->buffers.kind[i] == MI_BUFFER_WORKSPACE ||
            port >= (is_input ? rows->nodes.in_count[node] : rows->nodes.out_count[node]))
            continue;
        mi_value_id value = rows->ports.value[port + (is_input ? rows->nodes.first_in[node]
                                                               : rows->nodes.first_out[node])];
        if (value.v && rows->values.kind[value.v] == MI_VALUE_CONSTANT)
            rows->buffers.memory[i] = weights;
    }
}

void mi_ge_resolve(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    struct mi_tables *rows = &ge->out->rows;
    struct mi_map known = {0}; /* text -> DANGLING value */
    count_uses(ge);
    uint64_t ports = 0;
    for (uint32_t i = 0; i < s->nodes_count; i++)
        ports += outputs_of(&s->nodes[i]) + s->nodes[i].has_control;
    if (ports < UINT32_MAX / 4)
        mi_table_reserve(rows, MI_T_ports, (uint32_t)ports);
    for (uint32_t i = 0; i < s->nodes_count && !mi_batch_failed(ge->out); i++)
        add_ports(ge, i);
    for (uint32_t i = 0; i < s->uses_count && !mi_batch_failed(ge->out); i++)
        if (s->uses[i].port) {
            mi_value_id value = value_of(ge, s->uses[i].text, &known);
            rows->ports.value[s->uses[i].port] = value;
        }
    if (!mi_batch_failed(ge->out))
        add_graph_ports(ge, &known);
    if (!mi_batch_failed(ge->out))
        name_outputs(ge);
    if (!mi_batch_failed(ge->out))
        mark_weights(ge, s->first_buffer);
    mi_map_fini(&known);
}

/* --- groups --- */

struct group {
    uint32_t count, id;
    mi_str_id pass;
};

static void add_groups(struct mi_ge *ge, mi_graph_id graph, struct mi_map *numbers,
                       struct group *groups)
{
    struct mi_ge_state *s = ge->s;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->scopes_count; i++) {
        const struct ge_scope *scope = &s->scopes[i];
        uint32_t *slot = mi_map_at(numbers, mi_pair(scope->kind, scope->key.v));
        if (!slot) {
            mi_batch_fail(ge->out, MI_ENOMEM, "out of memory for groups");
            return;
        }
        if (!*slot) {
            groups[count] = (struct group){.count = 0};
            *slot = ++count;
        }
        groups[*slot - 1].count++;
        if (!groups[*slot - 1].pass.v)
            groups[*slot - 1].pass = scope->pass;
    }
    for (uint32_t i = 0; i < s->scopes_count; i++) {
        const struct ge_scope *scope = &s->scopes[i];
        struct group *group = &groups[mi_map_get(numbers, mi_pair(scope->kind, scope->key.v)) - 1];
        if (group->count < 2)
            continue;
        if (!group->id)
            group->id = mi_add_group(ge->out, &(struct mi_group_row){.graph = graph,
                                                                     .kind = scope->kind,
                                                                     .name = scope->key,
                                                                     .pass = group->pass})
                            .v;
        mi_add_member(ge->out,
                      &(struct mi_member_row){.group = {group->id}, .node = {scope->node}});
    }
}

/* A graph inside an attribute that holds what its owner was made of: one group. */
static void group_inner(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    const struct mi_tables *rows = &ge->out->rows;
    mi_node_id owner = rows->graphs.parent[ge->graph.v];
    mi_str_id role = rows->graphs.role[ge->graph.v];
    uint32_t known = role.v ? mi_map_get(&s->known, role.v) : 0;
    if (!owner.v || !known || owner.v >= rows->nodes.count ||
        (known - 1 != GE_INNER_SUPER && known - 1 != GE_INNER_UB))
        return;
    mi_group_id group = mi_add_group(
        ge->out, &(struct mi_group_row){.graph = ge->graph,
                                        .kind = known - 1 == GE_INNER_UB ? MI_GROUP_UB
                                                                         : MI_GROUP_SUPER_KERNEL,
                                        .name = rows->nodes.name[owner.v]});
    for (uint32_t i = 0; i < s->nodes_count; i++)
        mi_add_member(ge->out,
                      &(struct mi_member_row){.group = group, .node = {s->first_node + i}});
}

/* Groups of the scopes that are known. */
static void group_scopes(struct mi_ge *ge, mi_graph_id graph)
{
    struct mi_ge_state *s = ge->s;
    struct mi_map numbers = {0}; /* (kind, key) -> place in `groups`, from 1 */
    struct group *groups = mi_mem_new((size_t)s->scopes_count + 1, sizeof *groups);
    if (groups)
        add_groups(ge, graph, &numbers, groups);
    else
        mi_batch_fail(ge->out, MI_ENOMEM, "out of memory for groups");
    mi_mem_free(groups);
    mi_map_fini(&numbers);
}

void mi_ge_groups(struct mi_ge *ge)
{
    group_scopes(ge, ge->graph);
    if (!mi_batch_failed(ge->out))
        group_inner(ge);
}

void mi_ge_scope(struct mi_ge *ge, enum mi_group_kind kind, int64_t number, mi_node_id node)
{
    struct ge_scope scope = {.kind = (uint8_t)kind, .node = node.v};
    scope.key = mi_batch_printf(ge->out, "%lld", (long long)number);
    if (scope.key.v)
        GE_PUSH(ge, scopes, scope);
}

void mi_ge_scopes_end(struct mi_ge *ge, mi_graph_id graph)
{
    if (ge->s->scopes_count && !mi_batch_failed(ge->out))
        group_scopes(ge, graph);
    ge->s->scopes_count = 0;
}

/* --- owners of sub-graphs --- */

static mi_str_id role_of(struct mi_ge *ge, const struct ge_owned *owned)
{
    struct mi_bytes op = mi_batch_text(ge->out, ge->out->rows.nodes.op[owned->node.v]);
    bool is_if = mi_bytes_equal(op, MI_LIT("If")) || mi_bytes_equal(op, MI_LIT("StatelessIf"));
    bool is_while =
        mi_bytes_equal(op, MI_LIT("While")) || mi_bytes_equal(op, MI_LIT("StatelessWhile"));
    if (is_if && owned->nth < 2)
        return mi_batch_cstr(ge->out, owned->nth ? "else_branch" : "then_branch");
    if (is_while && owned->nth < 2)
        return mi_batch_cstr(ge->out, owned->nth ? "body" : "cond");
    if (mi_bytes_equal(op, MI_LIT("Case")) || mi_bytes_equal(op, MI_LIT("StatelessCase")))
        return mi_batch_printf(ge->out, "branches[%u]", owned->nth);
    if (owned->count == 1)
        return mi_batch_cstr(ge->out, "f");
    return mi_batch_printf(ge->out, "subgraph[%u]", owned->nth);
}

/* Whether `graph` may stand inside `node`: not inside itself, and not too deep. */
static bool may_own(const struct mi_ge *ge, mi_node_id node, uint32_t graph)
{
    const struct mi_tables *rows = &ge->out->rows;
    for (uint32_t depth = 0; depth < ge->s->options.max_depth; depth++) {
        uint32_t around = rows->nodes.graph[node.v].v;
        if (around == graph)
            return false;
        node = rows->graphs.parent[around];
        if (!node.v)
            return true;
    }
    return false;
}

/* (unit, name) and (any unit, name) -> the first graph of that name that has no owner. */
static void index_graphs(struct mi_ge *ge, struct mi_map *by_name)
{
    const struct mi_ge_state *s = ge->s;
    const struct mi_graphs *graphs = &ge->out->rows.graphs;
    uint32_t unit = 0;
    for (uint32_t g = s->first_graph; g < graphs->count; g++) {
        while (unit < s->units_count && g >= s->units[unit])
            unit++;
        if (!graphs->name[g].v || graphs->parent[g].v)
            continue;
        uint64_t keys[2] = {mi_pair(unit, graphs->name[g].v), mi_pair(ANY_UNIT, graphs->name[g].v)};
        for (int i = 0; i < 2; i++)
            if (!mi_map_get(by_name, keys[i]) && !mi_map_set(by_name, keys[i], g))
                mi_batch_fail(ge->out, MI_ENOMEM, "out of memory for graphs");
    }
}

static void find_owned(struct mi_ge *ge, const struct ge_owned *owned, const struct mi_map *by_name)
{
    struct mi_graphs *graphs = &ge->out->rows.graphs;
    struct mi_bytes name = mi_batch_text(ge->out, owned->name);
    uint32_t graph = mi_map_get(by_name, mi_pair(owned->unit, owned->name.v));
    if (!graph)
        graph = mi_map_get(by_name, mi_pair(ANY_UNIT, owned->name.v));
    if (!graph || graphs->parent[graph].v || !may_own(ge, owned->node, graph)) {
        mi_batch_diag(ge->out, MI_NOTICE, "ge.subgraph_missing", MI_NO_OFFSET, 0,
                      "the sub-graph \"%.*s\" of a node is not in the file, or is owned twice",
                      GE_SHOW(name));
        return;
    }
    mi_str_id role = role_of(ge, owned);
    graphs->parent[graph] = owned->node;
    graphs->role[graph] = role;
    graphs->kind[graph] = MI_GRAPH_SUBGRAPH;
}

void mi_ge_model_end(struct mi_ge *ge)
{
    struct mi_ge_state *s = ge->s;
    struct mi_map by_name = {0};
    mi_ge_graph_end(ge);
    if (s->owned_count && !mi_batch_failed(ge->out))
        index_graphs(ge, &by_name);
    for (uint32_t i = 0; i < s->owned_count && !mi_batch_failed(ge->out); i++)
        find_owned(ge, &s->owned[i], &by_name);
    mi_map_fini(&by_name);
    s->owned_count = s->units_count = 0;
    s->first_graph = mi_next_row(ge->out, graphs);
}
