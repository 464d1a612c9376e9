/* All dependency paths through one node: its ancestors, itself, its descendants, in topological
 * order, with the types that flow and every change of the element type.
 *
 * Found by two linear sweeps; paths are counted, never listed. Within the cone the longest chain is
 * the one with the greatest sum of task times (average per counted run). */
#include "analyse/accounting.h"
#include "analyse/deps.h"
#include "analyse/describe.h"
#include "analyse/find.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "analyse/path/path_count.h"
#include "analyse/path/path_types.h"
#include "base/mem.h"
#include "base/translate.h"

enum { ANCESTOR = 1, DESCENDANT = 2, ITSELF = 4, IN_CHAIN = 8 };

struct cone {
    const struct mi_model *model;
    struct mi_report *out;
    struct mi_deps deps;
    mi_node_id node;
    uint8_t *marks;  /* [vertex_count] */
    uint32_t *order; /* [order_count] */
    uint32_t order_count;
    struct mi_node_time *times; /* [nodes.count]; NULL: no tasks */
    int64_t dtype_changes;
};

static bool is_node(const struct cone *cone, uint32_t vertex)
{
    return vertex < cone->model->all.rows.nodes.count;
}

/* --- the longest chain --- */

static int64_t time_of(const struct cone *cone, uint32_t vertex)
{
    const struct mi_node_time *time = is_node(cone, vertex) ? &cone->times[vertex] : NULL;
    return time && time->runs ? time->total_ns / time->runs : 0;
}

/* Marks the longest chain from the node outwards in one direction and returns its time without the
 * node's own. `best` and `next` [vertex_count] are scratch. */
static int64_t mark_chain(struct cone *cone, bool backwards, int64_t *best, uint32_t *next,
                          const uint32_t *rank)
{
    const struct mi_deps *deps = &cone->deps;
    const struct mi_csr *edges = backwards ? &deps->in : &deps->out;
    const uint32_t *ends = backwards ? deps->from : deps->to;
    uint8_t side = backwards ? ANCESTOR : DESCENDANT;
    for (uint32_t i = 0; i < cone->order_count; i++) {
        uint32_t vertex = cone->order[backwards ? i : cone->order_count - 1 - i];
        if (!(cone->marks[vertex] & (side | ITSELF)))
            continue;
        best[vertex] = 0;
        next[vertex] = 0;
        for (uint32_t e = edges->first[vertex]; e < edges->first[vertex + 1]; e++) {
            uint32_t other = ends[edges->list[e]];
            if (!(cone->marks[other] & side) || cone->marks[other] & ITSELF ||
                (backwards ? rank[other] >= rank[vertex] : rank[other] <= rank[vertex]))
                continue;
            int64_t length = mi_ns_add(best[other], time_of(cone, other));
            if (!next[vertex] || length > best[vertex] ||
                (length == best[vertex] && other < next[vertex])) {
                best[vertex] = length;
                next[vertex] = other;
            }
        }
    }
    for (uint32_t v = next[cone->node.v]; v; v = next[v])
        cone->marks[v] |= IN_CHAIN;
    return best[cone->node.v];
}

static bool has_tasks(const struct cone *cone)
{
    for (uint32_t i = 0; i < cone->order_count; i++)
        if (is_node(cone, cone->order[i]) && cone->times[cone->order[i]].tasks)
            return true;
    return false;
}

static bool find_chain(struct cone *cone, struct mi_error *err)
{
    if (!cone->times)
        return true;
    size_t count = cone->deps.vertex_count;
    int64_t *best = mi_mem_zero(count, sizeof *best);
    uint32_t *next = mi_mem_zero(count, sizeof *next), *rank = mi_mem_zero(count, sizeof *rank);
    bool ok = best && next && rank;
    if (ok) {
        for (uint32_t i = 0; i < cone->order_count; i++)
            rank[cone->order[i]] = i;
        int64_t chain_ns = time_of(cone, cone->node.v);
        chain_ns = mi_ns_add(chain_ns, mark_chain(cone, true, best, next, rank));
        chain_ns = mi_ns_add(chain_ns, mark_chain(cone, false, best, next, rank));
        bool has_time = has_tasks(cone);
        cone->marks[cone->node.v] |= IN_CHAIN;
        if (!has_time) /* no chain is longer than another */
            for (uint32_t i = 0; i < cone->order_count; i++)
                cone->marks[cone->order[i]] &= (uint8_t)~IN_CHAIN;
        mi_report_add_fact(
            cone->out,
            &(struct mi_report_fact){.name = "chain_ns",
                                     .title = N_("Longest chain by task time"),
                                     .kind = MI_CELL_INT,
                                     .unit = "ns",
                                     .cell = has_time ? mi_cell_int(chain_ns) : mi_cell_none()});
    }
    mi_mem_free(best);
    mi_mem_free(next);
    mi_mem_free(rank);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}

/* --- tables --- */

static const struct mi_report_column node_columns[] = {
    {"relation", N_("place"), MI_CELL_WORD, "", N_("ancestor, itself or descendant")},
    {"is_in_chain", N_("chain"), MI_CELL_BOOL, "", N_("lies on the longest chain by task time")},
    {"node", N_("node"), MI_CELL_NODE, "", N_("row of the node")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("name of the node")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"inputs", N_("takes"), MI_CELL_TEXT, "", N_("types of its inputs without constants")},
    {"outputs", N_("gives"), MI_CELL_TEXT, "", N_("types of its outputs")},
    {"dtype_change", N_("dtype change"), MI_CELL_TEXT, "", N_("element types that change here")},
    {"time_ns", N_("time"), MI_CELL_INT, "ns", N_("task time, average per counted run")},
};

static const struct mi_report_column tensor_columns[] = {
    {"direction", N_("direction"), MI_CELL_WORD, "", N_("input or output of the graph")},
    {"tensor", N_("tensor"), MI_CELL_TEXT, "", N_("name of the tensor")},
    {"type", N_("data type"), MI_CELL_TEXT, "", N_("element type, shape and layout")},
};

static void list_nodes(struct cone *cone)
{
    const struct mi_tables *rows = &cone->model->all.rows;
    struct mi_report_table *table =
        mi_report_add_table(cone->out, "nodes", N_("Nodes on the paths"), node_columns,
                            sizeof node_columns / sizeof *node_columns);
    mi_report_mark_details(table, "node inputs");
    for (uint32_t i = 0; i < cone->order_count; i++) {
        uint32_t n = cone->order[i];
        struct mi_dtype_set in = {.count = 0}, out = {.count = 0};
        struct mi_cell *row = is_node(cone, n) ? mi_report_add_row(cone->out, table) : NULL;
        if (!row)
            continue;
        row[0] = mi_cell_word(cone->marks[n] & ITSELF     ? N_("itself")
                              : cone->marks[n] & ANCESTOR ? N_("ancestor")
                                                          : N_("descendant"));
        if (cone->times) {
            row[1] = mi_cell_int((cone->marks[n] & IN_CHAIN) != 0);
            if (cone->times[n].tasks)
                row[8] = mi_cell_int(time_of(cone, n));
        }
        row[2] = mi_cell_int(n);
        row[3] = mi_cell_text(mi_describe_node(cone->model, (mi_node_id){n}, &cone->out->arena));
        row[4] = mi_cell_text(mi_describe_op(cone->model, (mi_node_id){n}, &cone->out->arena));
        row[5] = mi_path_types_at(cone->model, &cone->out->arena, rows->nodes.first_in[n],
                                  rows->nodes.in_count[n], &in);
        row[6] = mi_path_types_at(cone->model, &cone->out->arena, rows->nodes.first_out[n],
                                  rows->nodes.out_count[n], &out);
        /* What an owner of bodies reads is a condition or a count; its bodies stand for themselves.
         */
        bool is_owner = mi_csr_count(&cone->model->index.inner, n) > 0;
        struct mi_bytes change = {0};
        if (!is_owner)
            change = mi_path_changes(&cone->out->arena, &in, &out);
        cone->dtype_changes += change.len > 0;
        if (change.len)
            row[7] = mi_cell_text(change);
    }
}

static void add_tensor(struct cone *cone, struct mi_report_table *table, const char *direction,
                       mi_value_id value)
{
    struct mi_cell *row = mi_report_add_row(cone->out, table);
    if (!row)
        return;
    row[0] = mi_cell_word(direction);
    row[1] = mi_cell_text(mi_model_text(cone->model, cone->model->all.rows.values.name[value.v]));
    row[2] = mi_cell_text(mi_describe_type(cone->model, value, &cone->out->arena));
}

/* True if a node of the cone, on the given side, reads the value in its graph or in a body. */
static bool is_read(const struct cone *cone, uint32_t value)
{
    const struct mi_index *index = &cone->model->index;
    for (uint32_t i = index->consumers.first[value]; i < index->consumers.first[value + 1]; i++)
        if (cone->marks[index->consumers.list[i]] & (ANCESTOR | ITSELF))
            return true;
    for (uint32_t i = index->outer_uses.first[value]; i < index->outer_uses.first[value + 1]; i++) {
        uint32_t inner = index->outer_uses.list[i];
        for (uint32_t k = index->consumers.first[inner]; k < index->consumers.first[inner + 1]; k++)
            if (cone->marks[index->consumers.list[k]] & (ANCESTOR | ITSELF))
                return true;
    }
    return false;
}

/* Inputs of outermost graphs that lead to the node, and outputs that it leads to. */
static void list_tensors(struct cone *cone)
{
    const struct mi_tables *rows = &cone->model->all.rows;
    struct mi_report_table *table =
        mi_report_add_table(cone->out, "graph_tensors", N_("Where the paths begin and end"),
                            tensor_columns, sizeof tensor_columns / sizeof *tensor_columns);
    for (uint32_t g = 1; g < rows->graphs.count; g++) {
        if (rows->graphs.parent[g].v)
            continue;
        for (uint32_t i = 0; i < rows->graphs.in_count[g]; i++) {
            mi_value_id value = rows->ports.value[rows->graphs.first_in[g] + i];
            if (rows->values.kind[value.v] == MI_VALUE_INPUT && is_read(cone, value.v))
                add_tensor(cone, table, N_("input"), value);
        }
        for (uint32_t i = 0; i < rows->graphs.out_count[g]; i++) {
            mi_value_id value = rows->ports.value[rows->graphs.first_out[g] + i];
            uint32_t producer = rows->values.producer[value.v].v;
            if (producer && cone->marks[producer] & (DESCENDANT | ITSELF))
                add_tensor(cone, table, N_("output"), value);
        }
    }
}

/* --- the pass --- */

static void add_fact(struct cone *cone, const char *name, const char *title, enum mi_cell_kind kind,
                     struct mi_cell cell)
{
    mi_report_add_fact(cone->out,
                       &(struct mi_report_fact){
                           .name = name, .title = title, .kind = kind, .unit = "", .cell = cell});
}

/* Graphs that were made from the calls of a profile have nodes and nothing between them. */
static bool is_without_flow(const struct mi_model *model, mi_node_id node)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t graph = rows->nodes.graph[node.v].v;
    const uint32_t *first = model->index.graph_first_node;
    if (rows->graphs.in_count[graph] || rows->graphs.out_count[graph] ||
        first[graph + 1] - first[graph] < 2)
        return false;
    for (uint32_t n = first[graph]; n < first[graph + 1]; n++)
        if (rows->nodes.in_count[n] || rows->nodes.out_count[n])
            return false;
    return true;
}

/* "None" would be a statement. */
static void report_unknown(struct cone *cone)
{
    static const struct {
        const char *name, *title;
    } facts[] = {{"ancestors", N_("Ancestors")},
                 {"descendants", N_("Descendants")},
                 {"paths", N_("Paths through it")}};
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
        add_fact(cone, facts[i].name, facts[i].title, MI_CELL_INT, mi_cell_none());
    mi_report_add_finding(
        cone->out,
        &(struct mi_finding){.rule = "not_checked",
                             .severity = MI_NOTICE,
                             .node = cone->node,
                             .sentence = N_("This graph was made from the calls in a profile, "
                                            "which records no data flow: what the node depends on, "
                                            "and what depends on it, is not known."),
                             .cost_ns = -1});
}

static void count_nodes(struct cone *cone)
{
    int64_t ancestors = 0, descendants = 0;
    for (uint32_t n = 1; n < cone->model->all.rows.nodes.count; n++) {
        ancestors += (cone->marks[n] & ANCESTOR) != 0;
        descendants += (cone->marks[n] & DESCENDANT) != 0;
    }
    add_fact(cone, "ancestors", N_("Ancestors"), MI_CELL_INT, mi_cell_int(ancestors));
    add_fact(cone, "descendants", N_("Descendants"), MI_CELL_INT, mi_cell_int(descendants));
}

static bool sweep(struct cone *cone, struct mi_error *err)
{
    uint32_t cyclic = 0;
    if (!mi_deps_init(&cone->deps, cone->model, err))
        return false;
    cone->marks = mi_mem_zero(cone->deps.vertex_count, 1);
    cone->order = mi_mem_new(cone->deps.vertex_count, sizeof *cone->order);
    if (!cone->marks || !cone->order ||
        !mi_deps_reach(&cone->deps, cone->node.v, true, cone->marks, ANCESTOR) ||
        !mi_deps_reach(&cone->deps, cone->node.v, false, cone->marks, DESCENDANT))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    cone->marks[cone->node.v] = ITSELF;
    if (!mi_deps_order(&cone->deps, cone->marks, cone->order, &cone->order_count, &cyclic))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    if (cyclic)
        mi_report_add_finding(
            cone->out,
            &(struct mi_finding){.rule = "cycle",
                                 .severity = MI_ERROR,
                                 .node = cone->node,
                                 .sentence = N_("The graph has a cycle; %1 of the nodes below are "
                                                "on it or behind it."),
                                 .args = {mi_arena_printf(&cone->out->arena, "%u", cyclic)},
                                 .cost_ns = -1});
    return true;
}

static bool report_cone(struct cone *cone, struct mi_error *err)
{
    add_fact(cone, "name", N_("Node"), MI_CELL_TEXT,
             mi_cell_text(mi_describe_node(cone->model, cone->node, &cone->out->arena)));
    add_fact(cone, "layer", N_("Layer"), MI_CELL_WORD,
             mi_cell_word(mi_enum_name(MI_E_layer, mi_node_layer(cone->model, cone->node))));
    if (is_without_flow(cone->model, cone->node)) {
        report_unknown(cone);
        return true;
    }
    if (!sweep(cone, err) || !mi_node_times(cone->model, &cone->times, err))
        return false;
    count_nodes(cone);
    struct mi_bytes paths;
    if (!mi_path_count(&cone->deps, cone->marks, cone->order, cone->order_count, cone->node.v,
                       ANCESTOR, DESCENDANT, &cone->out->arena, &paths))
        return mi_fail(err, MI_ENOMEM, "out of memory");
    add_fact(cone, "paths", N_("Paths through it"), MI_CELL_TEXT, mi_cell_text(paths));
    if (!find_chain(cone, err))
        return false;
    list_tensors(cone);
    list_nodes(cone);
    add_fact(cone, "dtype_changes", N_("Nodes that change the data type"), MI_CELL_INT,
             mi_cell_int(cone->dtype_changes));
    return true;
}

/* The one node meant; with several of that name the compiled one if it is alone in its layer. */
static bool choose(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                   mi_node_id *node, struct mi_error *err)
{
    struct mi_found found;
    struct mi_bytes name = mi_cstr(mi_args_text(args, "name", ""));
    if (!mi_find(model, name, &out->arena, &found, err))
        return false;
    uint32_t counts[3] = {0};
    for (uint32_t i = 0; i < found.node_count; i++)
        counts[mi_node_layer(model, found.nodes[i]) % 3]++;
    enum mi_layer layer = counts[MI_LAYER_COMPILED] ? MI_LAYER_COMPILED : MI_LAYER_FRAMEWORK;
    for (uint32_t i = 0; i < found.node_count; i++)
        if (mi_node_layer(model, found.nodes[i]) == layer && counts[layer] == 1) {
            *node = found.nodes[i];
            return true;
        }
    if (!found.node_count)
        return mi_fail(err, MI_ENOTFOUND, "no node is known for the task \"%.80s\"",
                       mi_args_text(args, "name", ""));
    return mi_fail(err, MI_EUSAGE,
                   "%u nodes are called \"%.60s\", the first two are node:%u and node:%u; name one "
                   "by its number",
                   found.node_count, mi_args_text(args, "name", ""), found.nodes[0].v,
                   found.node_count > 1 ? found.nodes[1].v : 0);
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    struct cone cone = {.model = model, .out = out};
    if (!choose(model, args, out, &cone.node, err))
        return false;
    bool ok = report_cone(&cone, err);
    mi_deps_fini(&cone.deps);
    mi_mem_free(cone.marks);
    mi_mem_free(cone.order);
    mi_mem_free(cone.times);
    return ok;
}

const struct mi_param mi_params_path[] = {
    {.name = "name",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NODE"),
     .help = N_("Name of the node, node:NUMBER, framework:NAME or compiled:NAME.")},
    MI_PARAM_END};

const struct mi_pass mi_pass_path = {
    .name = "path",
    .title = N_("All dependency paths through one node"),
    .params = mi_params_path,
    .run = run,
};
