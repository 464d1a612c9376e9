/* Links by name: a compiled node that kept the name of a framework node. */
#include "base/translate.h"
#include "correlate/categories.h"
#include "correlate/ge/ge_graphs.h"
#include "correlate/matcher.h"
#include "correlate/pairs.h"

struct namesakes {
    struct mi_model *model;
    const struct mi_tables *rows;
    mi_str_id rule;
};

/* All outputs that either has bear the same names. */
static bool same_outputs(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    if (rows->nodes.out_count[a] != rows->nodes.out_count[b] || !rows->nodes.out_count[a])
        return false;
    for (uint32_t i = 0; i < rows->nodes.out_count[a]; i++) {
        uint32_t x = rows->ports.value[rows->nodes.first_out[a] + i].v;
        uint32_t y = rows->ports.value[rows->nodes.first_out[b] + i].v;
        if (rows->values.name[x].v != rows->values.name[y].v || !x != !y)
            return false;
    }
    return true;
}

static bool is_unique(const struct namesakes *s, uint32_t graph, uint32_t n)
{
    uint32_t first =
        mi_map_get(&s->model->index.node_by_name, mi_pair(graph, s->rows->nodes.name[n].v));
    return first == n && !s->model->index.next_same_name[n];
}

static void add_name_link(struct namesakes *s, uint32_t framework, uint32_t compiled,
                          enum mi_confidence confidence, const char *evidence)
{
    mi_add_lowered(&s->model->all,
                   &(struct mi_lowered_row){.framework = {framework},
                                            .compiled = {compiled},
                                            .role = MI_ROLE_COMPUTED,
                                            .confidence = (uint8_t)confidence,
                                            .rule = s->rule,
                                            .evidence = mi_batch_cstr(&s->model->all, evidence)});
}

static void match_name(struct namesakes *s, struct mi_graph_pair pair, uint32_t n)
{
    const struct mi_nodes *nodes = &s->rows->nodes;
    uint32_t name = nodes->name[n].v;
    uint32_t q =
        name ? mi_map_get(&s->model->index.node_by_name, mi_pair(pair.framework, name)) : 0;
    if (!q)
        return;
    bool unique = is_unique(s, pair.framework, q) && is_unique(s, pair.compiled, n);
    bool same_op = nodes->op[q].v == nodes->op[n].v && nodes->domain[q].v == nodes->domain[n].v;
    if (!unique)
        return; /* equal names within a graph: the dataflow tells them apart, the name does not */
    if (same_op && same_outputs(s->rows, q, n))
        add_name_link(s, q, n, MI_CERTAIN, N_("same name, type and outputs"));
    else if (same_op)
        add_name_link(s, q, n, MI_LIKELY, N_("same name and type"));
    else if (mi_op_can_become(s->model, (mi_node_id){q}, (mi_node_id){n}))
        add_name_link(s, q, n, MI_GUESS, N_("same name, related type"));
}

static bool run_names(struct mi_model *model, struct mi_error *err)
{
    struct namesakes s = {.model = model, .rows = &model->all.rows};
    struct mi_graph_pairs pairs;
    if (!mi_graph_pairs_find(&pairs, model, err))
        return false;
    s.rule = mi_batch_cstr(&model->all, "names");
    for (uint32_t p = 0; p < pairs.count; p++) {
        if (mi_is_ge_graph(model, pairs.at[p].compiled))
            continue; /* GE records what a name would only hint at */
        uint32_t end = model->index.graph_first_node[pairs.at[p].compiled + 1];
        for (uint32_t n = model->index.graph_first_node[pairs.at[p].compiled]; n < end; n++)
            match_name(&s, pairs.at[p], n);
    }
    mi_graph_pairs_fini(&pairs);
    return !mi_batch_failed(&model->all) || mi_fail(err, MI_ENOMEM, "out of memory for links");
}

const struct mi_matcher mi_matcher_names = {
    .name = "names",
    .title = N_("equal node names"),
    .needs = MI_HAS_FRAMEWORK_GRAPH | MI_HAS_COMPILED_GRAPH,
    .run = run_names,
};
