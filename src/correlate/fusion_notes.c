/* What the profile states of fused nodes (fusion_op): the name of a compiled node and the names of
 * the ops that went into it, at most 8 of them.
 *
 * Where the compiler's own files record no origins of the node, a list of less than 8 counts as its
 * record, and the matchers behind this one go by it. A longer one may be cut: its names are links,
 * and the node may have other origins. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/ge/ge_names.h"
#include "correlate/matcher.h"

#define SEVERAL UINT32_MAX

enum { MOST_ORIGINALS = 8 };

struct fusion {
    struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_ge_names names;
    struct mi_map compiled; /* name -> node of a compiled graph, or SEVERAL */
    struct mi_map linked;   /* (framework, compiled) -> 1 */
    uint8_t *is_recorded;   /* [nodes.count] the compiler recorded its origins */
    mi_str_id rule, via, text;
};

static bool map_compiled(struct fusion *f)
{
    const struct mi_nodes *nodes = &f->rows->nodes;
    for (uint32_t n = 1; n < nodes->count; n++) {
        if (!nodes->name[n].v || !f->names.framework_of[nodes->graph[n].v])
            continue;
        uint32_t *at = mi_map_at(&f->compiled, nodes->name[n].v);
        if (!at)
            return false;
        *at = *at ? SEVERAL : n;
    }
    return true;
}

static bool link(struct fusion *f, uint32_t note, uint32_t compiled)
{
    enum mi_name_fit fit;
    uint32_t graph = f->rows->nodes.graph[compiled].v;
    uint32_t op = mi_ge_name_find(&f->names, graph, f->rows->fusion_notes.original[note], &fit);
    if (!op)
        return true;
    uint32_t *at = mi_map_at(&f->linked, mi_pair(op, compiled));
    if (!at)
        return false;
    if (*at)
        return true;
    *at = 1;
    mi_add_lowered(&f->model->all, &(struct mi_lowered_row){
                                       .framework = {op},
                                       .compiled = {compiled},
                                       .role = MI_ROLE_COMPUTED,
                                       .confidence = fit == MI_NAME_UNIQUE ? MI_CERTAIN : MI_LIKELY,
                                       .rule = f->rule,
                                       .evidence = f->text});
    return true;
}

static bool take_list(struct fusion *f, uint32_t from, uint32_t end, uint32_t compiled)
{
    bool is_cut = end - from >= MOST_ORIGINALS, ok = true;
    for (uint32_t n = from; ok && n < end; n++) {
        if (is_cut)
            ok = link(f, n, compiled);
        else
            mi_add_recorded(&f->model->all,
                            &(struct mi_recorded_row){.node = {compiled},
                                                      .name = f->rows->fusion_notes.original[n],
                                                      .via = f->via});
    }
    if (!is_cut)
        f->is_recorded[compiled] = 1; /* once, though the graph may have been loaded again */
    return ok;
}

/* The notes of one node stand together. */
static bool link_all(struct fusion *f)
{
    const struct mi_fusion_notes *notes = &f->rows->fusion_notes;
    bool ok = true;
    for (uint32_t from = 1, end; ok && from < notes->count; from = end) {
        for (end = from + 1; end < notes->count && notes->source[end].v == notes->source[from].v &&
                             notes->node_name[end].v == notes->node_name[from].v &&
                             notes->model[end] == notes->model[from];
             end++)
            ;
        uint32_t compiled = mi_map_get(&f->compiled, notes->node_name[from].v);
        if (compiled && compiled != SEVERAL && !f->is_recorded[compiled])
            ok = take_list(f, from, end, compiled);
    }
    return ok && !mi_batch_failed(&f->model->all);
}

static bool run(struct mi_model *model, struct mi_error *err)
{
    struct fusion f = {.model = model, .rows = &model->all.rows};
    struct mi_graph_pairs pairs;
    if (model->all.rows.fusion_notes.count <= 1)
        return true;
    if (!mi_graph_pairs_find(&pairs, model, err))
        return false;
    f.rule = mi_batch_cstr(&model->all, "fusion_notes");
    f.via = mi_batch_cstr(&model->all, "fusion_op");
    f.text = mi_batch_cstr(&model->all, N_("the profile names it among the ops of the fused node, "
                                           "of which it lists 8 at most"));
    f.is_recorded = mi_mem_zero(model->all.rows.nodes.count, 1);
    for (uint32_t r = 1; f.is_recorded && r < model->all.rows.recorded.count; r++)
        f.is_recorded[model->all.rows.recorded.node[r].v] = 1;
    bool ok = f.is_recorded && mi_ge_names_init(&f.names, model, &pairs) && map_compiled(&f) &&
              link_all(&f);
    mi_ge_names_fini(&f.names);
    mi_map_fini(&f.compiled);
    mi_map_fini(&f.linked);
    mi_mem_free(f.is_recorded);
    mi_graph_pairs_fini(&pairs);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for links");
}

const struct mi_matcher mi_matcher_fusion_notes = {
    .name = "fusion_notes",
    .title = N_("fused nodes and their ops, as the profile states them"),
    .needs = MI_HAS_FRAMEWORK_GRAPH | MI_HAS_COMPILED_GRAPH,
    .run = run,
};
