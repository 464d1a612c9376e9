/* Links by what a front end noted of its own lowering: it made a node of that name for a framework
 * node (TorchAir's Python dump), and a compiled graph of another file has the node, or one that
 * says it was made of it. A front end may make a node late, for the op that first needs it, so the
 * links are likely, not certain. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/ge/ge_names.h"
#include "correlate/matcher.h"

#define MOST_REPEATS 64u /* links of one node that are compared with a new one */

struct notes {
    struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_ge_names names;
    struct mi_map first;    /* (framework graph, name) -> note */
    uint32_t *next;         /* [lowering_notes.count] further notes of that name; 0 = no more */
    struct mi_csr recorded; /* node -> rows of recorded */
    mi_str_id rule;
};

/* Notes of one name keep their order: the list is built from its end. */
static bool index_notes(struct notes *o)
{
    const struct mi_lowering_notes *notes = &o->rows->lowering_notes;
    o->next = mi_mem_zero(notes->count, sizeof *o->next);
    for (uint32_t i = notes->count; o->next && i-- > 1;) {
        uint32_t graph = o->rows->nodes.graph[notes->framework[i].v].v;
        uint32_t *at = mi_map_at(&o->first, mi_pair(graph, notes->compiled_name[i].v));
        if (!at)
            return false;
        o->next[i] = *at;
        *at = i;
    }
    return o->next != NULL;
}

static bool has_link(const struct notes *o, uint32_t first_link, uint32_t framework)
{
    const struct mi_lowered *links = &o->rows->lowered;
    for (uint32_t i = first_link; i < links->count && i - first_link < MOST_REPEATS; i++)
        if (links->framework[i].v == framework)
            return true;
    return false;
}

/* Links node n with the framework nodes that `name` was made for; those of its own file are told by
 * its records. */
static void match_name(struct notes *o, uint32_t n, mi_str_id name, uint32_t first_link)
{
    const struct mi_nodes *nodes = &o->rows->nodes;
    const struct mi_graphs *graphs = &o->rows->graphs;
    uint32_t graph = nodes->graph[n].v, framework = o->names.framework_of[graph];
    uint32_t i = name.v ? mi_map_get(&o->first, mi_pair(framework, name.v)) : 0;
    if (graphs->source[graph].v == graphs->source[framework].v)
        return;
    struct mi_bytes text = mi_model_text(o->model, name);
    for (; i; i = o->next[i]) {
        mi_node_id made_for = o->rows->lowering_notes.framework[i];
        if (has_link(o, first_link, made_for.v))
            continue;
        struct mi_bytes via = mi_model_text(o->model, o->rows->lowering_notes.via[i]);
        mi_str_id evidence =
            mi_batch_printf(&o->model->all, "%.*s: \"%.*s\" was made for it",
                            (int)(via.len < 40 ? via.len : 40), via.len ? (const char *)via.at : "",
                            (int)(text.len < 80 ? text.len : 80), (const char *)text.at);
        mi_add_lowered(&o->model->all, &(struct mi_lowered_row){.framework = made_for,
                                                                .compiled = {n},
                                                                .role = MI_ROLE_COMPUTED,
                                                                .confidence = MI_LIKELY,
                                                                .rule = o->rule,
                                                                .evidence = evidence});
    }
}

/* By the names that went into the node; by its own if none is recorded. */
static void match_node(struct notes *o, uint32_t n)
{
    uint32_t first_link = o->rows->lowered.count;
    const struct mi_csr *csr = &o->recorded;
    for (uint32_t i = csr->first[n]; i < csr->first[n + 1]; i++)
        match_name(o, n, o->rows->recorded.name[csr->list[i]], first_link);
    if (csr->first[n] == csr->first[n + 1])
        match_name(o, n, o->rows->nodes.name[n], first_link);
}

static bool run_notes(struct notes *o)
{
    const struct mi_nodes *nodes = &o->rows->nodes;
    for (uint32_t n = 1; n < nodes->count && !mi_batch_failed(&o->model->all); n++)
        if (o->names.framework_of[nodes->graph[n].v])
            match_node(o, n);
    return !mi_batch_failed(&o->model->all);
}

static bool run(struct mi_model *model, struct mi_error *err)
{
    struct notes o = {.model = model, .rows = &model->all.rows};
    struct mi_graph_pairs pairs;
    if (o.rows->lowering_notes.count <= 1)
        return true;
    if (!mi_graph_pairs_find(&pairs, model, err))
        return false;
    o.rule = mi_batch_cstr(&model->all, "lowering_notes");
    bool ok = index_notes(&o) && mi_ge_names_init(&o.names, model, &pairs) &&
              mi_csr_build(&o.recorded, o.rows->nodes.count,
                           (const uint32_t *)o.rows->recorded.node, o.rows->recorded.count) &&
              run_notes(&o);
    mi_ge_names_fini(&o.names);
    mi_csr_fini(&o.recorded);
    mi_map_fini(&o.first);
    mi_mem_free(o.next);
    mi_graph_pairs_fini(&pairs);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for links");
}

const struct mi_matcher mi_matcher_lowering_notes = {
    .name = "lowering_notes",
    .title = N_("nodes that a front end made for an op"),
    .needs = MI_HAS_FRAMEWORK_GRAPH | MI_HAS_COMPILED_GRAPH,
    .is_whole = true,
    .run = run,
};
