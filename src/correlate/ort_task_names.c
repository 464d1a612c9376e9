/* Kernel events of an ONNX Runtime profile to the nodes of the optimised model of the same session.
 *
 * The profile states the name of the node that each kernel belongs to. Where several graphs of the
 * model have a node of that name, the enclosing control-flow task tells which one is meant; nodes
 * without a name are told apart by type and order of execution. Without an optimised model the
 * framework graph is taken, where name and type agree. Files of different captures never meet. */
#include "correlate/ort/ort_task_names.h"

#include "base/mem.h"
#include "base/translate.h"
#include "correlate/matcher.h"
#include "model/links.h"

#include <stdio.h>

static bool is_profile(const struct mi_model *model, uint32_t source)
{
    return mi_source_is_read_by(model, source, "ort_profile");
}

/* --- which graph --- */

static bool list_names_of(struct mi_ort_target *target, struct mi_map *unnamed_ops, uint32_t graph)
{
    const struct mi_nodes *nodes = &target->model->all.rows.nodes;
    const uint32_t *first_node = target->model->index.graph_first_node;
    for (uint32_t n = first_node[graph]; n < first_node[graph + 1]; n++) {
        uint32_t *at = nodes->name[n].v ? mi_map_at(&target->names, nodes->name[n].v)
                                        : mi_map_at(unnamed_ops, nodes->op[n].v);
        if (!at)
            return false;
        *at = *at ? MI_ORT_SEVERAL : n;
    }
    return true;
}

static bool list_names(struct mi_ort_target *target, struct mi_map *unnamed_ops)
{
    const struct mi_graphs *graphs = &target->model->all.rows.graphs;
    bool ok = true;
    for (uint32_t g = 1; ok && g < graphs->count; g++)
        if (graphs->source[g].v == target->graph_source && graphs->kind[g] != MI_GRAPH_FUNCTION)
            ok = list_names_of(target, unnamed_ops, g);
    return ok;
}

/* Kernels of the profile that this source may hold the nodes of. */
static uint32_t count_matches(const struct mi_ort_target *target, const struct mi_map *unnamed_ops)
{
    const struct mi_kernels *kernels = &target->model->all.rows.kernels;
    uint32_t count = 0;
    for (uint32_t k = 1; k < kernels->count; k++) {
        if (kernels->source[k].v != target->profile)
            continue;
        uint32_t name = kernels->node_name[k].v;
        if (name && mi_map_get(&target->names, name))
            count++;
        else if (mi_ort_is_unnamed(target->model, k))
            count += mi_map_get(unnamed_ops, kernels->op[k].v) != 0;
    }
    return count;
}

/* Bytes that the paths of two sources have in common at the start: files of one run are mostly
 * named alike. */
static size_t common_path(const struct mi_model *model, uint32_t a, uint32_t b)
{
    struct mi_bytes x = mi_model_text(model, model->all.rows.sources.path[a]);
    struct mi_bytes y = mi_model_text(model, model->all.rows.sources.path[b]);
    size_t n = 0;
    while (n < x.len && n < y.len && x.at[n] == y.at[n])
        n++;
    return n;
}

struct candidate {
    uint32_t main_graph, matches;
    size_t common;
};

/* The main graph of this layer, in the capture of the profile, that has most of its names; then the
 * one whose file is named most alike. target->rivals counts those with as many names. */
static bool find_graph(struct mi_ort_target *target, enum mi_layer layer)
{
    const struct mi_tables *rows = &target->model->all.rows;
    struct candidate best = {0};
    bool ok = true;
    target->rivals = 0;
    for (uint32_t g = 1; ok && g < rows->graphs.count; g++) {
        uint32_t source = rows->graphs.source[g].v;
        if (rows->graphs.kind[g] != MI_GRAPH_MAIN || rows->graphs.layer[g] != layer ||
            rows->sources.capture[source] != rows->sources.capture[target->profile])
            continue;
        struct mi_ort_target attempt = {
            .model = target->model, .profile = target->profile, .graph_source = source};
        struct mi_map unnamed_ops = {0};
        ok = list_names(&attempt, &unnamed_ops);
        struct candidate found = {g, ok ? count_matches(&attempt, &unnamed_ops) : 0,
                                  common_path(target->model, source, target->profile)};
        mi_map_fini(&unnamed_ops);
        mi_map_fini(&attempt.names);
        if (found.matches && found.matches == best.matches)
            target->rivals++;
        else if (found.matches > best.matches)
            target->rivals = 0;
        if (found.matches > best.matches ||
            (found.matches && found.matches == best.matches && found.common > best.common))
            best = found;
    }
    target->layer = layer;
    target->main_graph = best.main_graph;
    target->graph_source = rows->graphs.source[best.main_graph].v;
    return ok;
}

/* --- links --- */

static void add_notice(struct mi_model *model, uint32_t profile, const char *code, const char *text,
                       int64_t times)
{
    mi_add_diag(&model->all, &(struct mi_diag_row){.source = {profile},
                                                   .code = mi_batch_cstr(&model->all, code),
                                                   .severity = MI_NOTICE,
                                                   .times = times,
                                                   .offset = -1,
                                                   .text = mi_batch_cstr(&model->all, text)});
}

static void emit(struct mi_model *model, uint32_t profile, const struct mi_ort_contexts *contexts)
{
    mi_str_id rule = mi_batch_cstr(&model->all, "ort_task_names");
    int64_t unmatched = 0;
    for (uint32_t t = contexts->first_task; t < contexts->task_end; t++) {
        uint32_t p = contexts->pair_of[t - contexts->first_task];
        const struct mi_ort_pair *pair = &contexts->pairs[p];
        if (!p)
            continue;
        if (!pair->node) {
            unmatched++;
            continue;
        }
        mi_link_add(&model->all, &(struct mi_executed_row){.node = {pair->node},
                                                           .task = {t},
                                                           .confidence = (uint8_t)pair->confidence,
                                                           .rule = rule,
                                                           .evidence = pair->evidence,
                                                           .conflict = pair->conflict});
    }
    if (unmatched)
        add_notice(model, profile, "ort.kernels_unmatched",
                   N_("kernels whose node was not found in the model"), unmatched);
}

/* Rows of tasks of one source. */
struct range {
    uint32_t first, end;
};

static bool match_profile(struct mi_model *model, uint32_t profile, struct range tasks,
                          struct mi_error *err)
{
    struct mi_ort_target target = {.model = model, .profile = profile};
    struct mi_map unnamed_ops = {0};
    struct mi_ort_contexts contexts = {0};
    bool ok = find_graph(&target, MI_LAYER_COMPILED);
    if (ok && !target.main_graph)
        ok = find_graph(&target, MI_LAYER_FRAMEWORK);
    if (ok && !target.main_graph) {
        if (mi_model_has_layer(model, MI_LAYER_COMPILED) ||
            mi_model_has_layer(model, MI_LAYER_FRAMEWORK))
            add_notice(model, profile, "ort.model_mismatch",
                       N_("no model of the same capture has a node that this profile names"), 1);
        return true;
    }
    target.same_session = model->all.rows.sources.capture[profile] != 0;
    ok = ok && list_names(&target, &unnamed_ops) &&
         mi_ort_contexts_init(&contexts, model, profile, tasks.first, tasks.end) &&
         mi_ort_resolve(&target, &contexts);
    if (ok)
        emit(model, profile, &contexts);
    mi_ort_contexts_fini(&contexts);
    mi_map_fini(&unnamed_ops);
    mi_map_fini(&target.names);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while matching tasks with nodes");
}

/* Where the tasks of each source lie: [sources.count]; NULL: out of memory. */
static struct range *find_ranges(const struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    struct range *ranges = mi_mem_zero(rows->sources.count, sizeof *ranges);
    for (uint32_t t = 1; ranges && t < rows->tasks.count; t++) {
        struct range *range = &ranges[rows->kernels.source[rows->tasks.kernel[t].v].v];
        if (!range->first)
            range->first = t;
        range->end = t + 1;
    }
    return ranges;
}

static bool run(struct mi_model *model, struct mi_error *err)
{
    uint32_t sources = model->all.rows.sources.count;
    struct range *ranges = find_ranges(model);
    if (!ranges)
        return mi_fail(err, MI_ENOMEM, "out of memory while matching tasks with nodes");
    bool ok = true;
    for (uint32_t s = 1; ok && s < sources; s++)
        if (ranges[s].first && is_profile(model, s))
            ok = match_profile(model, s, ranges[s], err);
    mi_mem_free(ranges);
    return ok;
}

const struct mi_matcher mi_matcher_ort_task_names = {
    .name = "ort_task_names",
    .title = N_("node names that ONNX Runtime wrote into the profile"),
    .needs = MI_HAS_TASKS,
    .run = run,
};
