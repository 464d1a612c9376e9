/* Device tasks of Ascend profiles to the nodes of the compiled graph.
 *
 * The table of operators states the name of the node that a task ran for; a name that one node of
 * the model has settles it. Names repeat, and events, labels and copies have none: these are told
 * by their place among the tasks whose node is known (cann_plan.c), confirmed by their type. Where
 * no compiled graph is at hand, names of the framework graph serve. */
#include "correlate/cann/cann_tasks.h"

#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "correlate/cann/cann_tables.h"
#include "correlate/ge/ge_graphs.h"
#include "correlate/matcher.h"
#include "model/links.h"

#include <stdlib.h>

#define SEVERAL UINT32_MAX

struct model_source { /* a file with a graph that tasks may belong to */
    uint32_t source, form;
    uint32_t kernels; /* names of kernels that it has */
};

struct matching {
    struct mi_model *model;
    const struct mi_tables *rows;
    uint32_t *collections;
    struct mi_map nodes; /* (source, name) -> node, or SEVERAL */
    struct mi_map fused; /* (source, name) -> op that went into a node of that name */
    struct model_source *sources;
    uint32_t source_count;
    uint32_t *node_of; /* [kernels.count] node that the name means; SEVERAL; 0 = none */
    uint8_t *is_rival; /* [kernels.count] another model has a node of that name too */
    uint8_t *is_fused; /* [kernels.count] the op went into a node of that name, with others */
    struct mi_cann_plan plan;
    struct mi_map placed;         /* (track, task id) -> planned task + 1 */
    struct mi_cann_event *events; /* records and waits that are planned */
    uint32_t event_count, event_room;
    mi_str_id rule, name_text, framework_text, fused_text, hold_texts[3], type_text, rival_text;
};

/* --- names --- */

static bool map_node(struct matching *m, uint32_t source, uint32_t node)
{
    uint32_t name = m->rows->nodes.name[node].v;
    uint32_t *at = name ? mi_map_at(&m->nodes, mi_pair(source, name)) : NULL;
    if (at)
        *at = *at ? SEVERAL : node;
    return at || !name;
}

/* All nodes of finished graphs of the layer; false: out of memory. */
static bool map_layer(struct matching *m, enum mi_layer layer)
{
    const struct mi_graphs *graphs = &m->rows->graphs;
    const uint32_t *first = m->model->index.graph_first_node;
    uint32_t *place = mi_mem_zero(m->rows->sources.count, sizeof *place);
    bool ok = place != NULL;
    for (uint32_t g = 1; ok && g < graphs->count; g++) {
        uint32_t source = graphs->source[g].v;
        if (graphs->layer[g] != layer || graphs->kind[g] == MI_GRAPH_FUNCTION ||
            (layer == MI_LAYER_COMPILED && !mi_is_ge_graph(m->model, g)))
            continue;
        if (!place[source]) {
            place[source] = ++m->source_count;
            m->sources[place[source] - 1] =
                (struct model_source){.source = source, .form = mi_ge_form(m->model, source)};
        }
        for (uint32_t n = first[g]; ok && n < first[g + 1]; n++)
            ok = map_node(m, source, n);
    }
    mi_mem_free(place);
    return ok;
}

/* Without a compiled graph: the profile may state which ops went into a node (fusion_op). The first
 * of them that the model has stands for all. */
static bool map_fused(struct matching *m)
{
    const struct mi_fusion_notes *notes = &m->rows->fusion_notes;
    for (uint32_t s = 0; s < m->source_count; s++)
        for (uint32_t f = 1; f < notes->count; f++) {
            uint32_t source = m->sources[s].source;
            uint32_t op = mi_map_get(&m->nodes, mi_pair(source, notes->original[f].v));
            if (!op || op == SEVERAL)
                continue;
            uint32_t *at = mi_map_at(&m->fused, mi_pair(source, notes->node_name[f].v));
            if (!at)
                return false;
            if (!*at)
                *at = op;
        }
    return true;
}

static uint32_t find_in(const struct matching *m, uint32_t source, uint32_t kernel)
{
    uint32_t name = m->rows->kernels.node_name[kernel].v;
    return name ? mi_map_get(&m->nodes, mi_pair(source, name)) : 0;
}

static int compare_sources(const void *left, const void *right)
{
    const struct model_source *a = left, *b = right;
    if (a->kernels != b->kernels)
        return a->kernels > b->kernels ? -1 : 1;
    if (a->form != b->form) /* an offline model has the tasks */
        return a->form > b->form ? -1 : 1;
    return (a->source > b->source) - (a->source < b->source);
}

static bool is_device_kernel(const struct matching *m, uint32_t kernel)
{
    return m->collections[m->rows->kernels.source[kernel].v] != 0;
}

static void name_fused(struct matching *m, uint32_t kernel)
{
    uint32_t name = m->rows->kernels.node_name[kernel].v;
    for (uint32_t s = 0; name && s < m->source_count && !m->node_of[kernel]; s++)
        m->node_of[kernel] = mi_map_get(&m->fused, mi_pair(m->sources[s].source, name));
    m->is_fused[kernel] = m->node_of[kernel] != 0;
}

/* The node of each kernel: of the model that has most of the names, then of the others. */
static void name_kernels(struct matching *m)
{
    uint32_t kernels = m->rows->kernels.count;
    for (uint32_t s = 0; s < m->source_count; s++)
        for (uint32_t k = 1; k < kernels; k++)
            if (is_device_kernel(m, k) && find_in(m, m->sources[s].source, k))
                m->sources[s].kernels++;
    if (m->source_count > 1)
        qsort(m->sources, m->source_count, sizeof *m->sources, compare_sources);
    for (uint32_t k = 1; k < kernels; k++) {
        uint32_t form = 0;
        for (uint32_t s = 0; s < m->source_count && is_device_kernel(m, k); s++) {
            uint32_t node = find_in(m, m->sources[s].source, k);
            if (node && m->node_of[k])
                m->is_rival[k] |= form == m->sources[s].form;
            if (node && !m->node_of[k]) {
                m->node_of[k] = node;
                form = m->sources[s].form;
            }
        }
        if (!m->node_of[k] && is_device_kernel(m, k))
            name_fused(m, k);
    }
}

/* --- links --- */

static void add_link(struct matching *m, uint32_t task, uint32_t node,
                     enum mi_confidence confidence, mi_str_id evidence, mi_str_id conflict)
{
    mi_link_add(&m->model->all, &(struct mi_executed_row){.node = {node},
                                                          .task = {task},
                                                          .confidence = (uint8_t)confidence,
                                                          .rule = m->rule,
                                                          .evidence = evidence,
                                                          .conflict = conflict});
}

static void link_by_name(struct matching *m, uint32_t task, uint32_t node)
{
    uint32_t kernel = m->rows->tasks.kernel[task].v, op = m->rows->kernels.op[kernel].v;
    bool is_compiled = mi_node_layer(m->model, (mi_node_id){node}) == MI_LAYER_COMPILED;
    mi_str_id evidence = is_compiled           ? m->name_text
                         : m->is_fused[kernel] ? m->fused_text
                                               : m->framework_text;
    mi_str_id conflict = MI_NO_STR;
    if (is_compiled && op && op != m->rows->nodes.op[node].v)
        conflict = m->type_text;
    else if (m->is_rival[kernel])
        conflict = m->rival_text;
    add_link(m, task, node, is_compiled && !conflict.v ? MI_CERTAIN : MI_LIKELY, evidence,
             conflict);
}

/* The planned task that a task without a name of its own is; kept per key, as iterations repeat. */
static bool place_task(struct matching *m, uint32_t task, uint32_t *planned,
                       enum mi_cann_hold *hold)
{
    uint64_t key = mi_pair(m->rows->tasks.track[task].v,
                           (uint32_t)mi_some_get(m->rows->tasks.native_id[task]));
    uint32_t *at = mi_map_at(&m->placed, key);
    if (!at)
        return false;
    if (!*at) {
        uint32_t found = mi_cann_plan_find(&m->plan, task, hold);
        *at = 1 + (found << 2 | *hold);
    }
    *planned = (*at - 1) >> 2;
    *hold = (enum mi_cann_hold)((*at - 1) & 3);
    return true;
}

/* Records and waits of pairs, to be carried over to the tasks of each run. */
static bool keep_event(struct matching *m, uint32_t task, uint32_t planned, bool is_sure)
{
    if (!m->rows->planned.peer[planned].v ||
        m->rows->kernels.sync[m->rows->tasks.kernel[task].v] == MI_SYNC_NONE)
        return true;
    if (!mi_vec_room(&m->events, &m->event_room, m->event_count, sizeof *m->events))
        return false;
    m->events[m->event_count++] =
        (struct mi_cann_event){.task = task, .planned = planned, .is_sure = is_sure};
    return true;
}

static bool link_by_place(struct matching *m, uint32_t task)
{
    struct mi_tasks *tasks = &m->model->all.rows.tasks;
    const struct mi_planned *table = &m->rows->planned;
    uint32_t planned, node;
    enum mi_cann_hold hold = MI_CANN_ONE_SIDE;
    if (!place_task(m, task, &planned, &hold) ||
        !keep_event(m, task, planned, hold != MI_CANN_ONE_SIDE))
        return false;
    node = planned ? table->node[planned].v : 0;
    if (planned && !node)
        tasks->by[task] = MI_BY_COMPILER;
    if (!node)
        return true;
    enum mi_confidence confidence = hold == MI_CANN_ONE_SIDE ? MI_GUESS : MI_LIKELY;
    if (table->confidence[planned] < confidence)
        confidence = (enum mi_confidence)table->confidence[planned];
    add_link(m, task, node, confidence, m->hold_texts[hold], MI_NO_STR);
    return true;
}

static uint32_t named_node(const struct matching *m, uint32_t task)
{
    uint32_t node = m->node_of[m->rows->tasks.kernel[task].v];
    return node == SEVERAL ? 0 : node;
}

static bool link_all(struct matching *m)
{
    uint32_t count = m->rows->tasks.count;
    bool ok = true;
    for (uint32_t t = 1; ok && t < count; t++) {
        uint32_t node = named_node(m, t);
        if (node)
            ok = mi_cann_plan_note(&m->plan, t, node);
        else if (is_device_kernel(m, m->rows->tasks.kernel[t].v))
            ok = mi_cann_plan_note_unknown(&m->plan, t);
    }
    ok = ok && mi_cann_plan_sort(&m->plan) && mi_cann_plan_ids(&m->plan) &&
         mi_cann_plan_lone(&m->plan) && mi_cann_plan_ends(&m->plan);
    for (uint32_t t = 1; ok && t < count; t++) {
        uint32_t node = named_node(m, t);
        if (node)
            link_by_name(m, t, node);
        else if (is_device_kernel(m, m->rows->tasks.kernel[t].v))
            ok = link_by_place(m, t);
    }
    return ok;
}

/* --- the matcher --- */

static void prepare_texts(struct matching *m)
{
    struct mi_batch *all = &m->model->all;
    m->rule = mi_batch_cstr(all, "cann_tasks");
    m->name_text = mi_batch_cstr(
        all, N_("the profile names the node, and one node of the model is called so"));
    m->framework_text = mi_batch_cstr(
        all, N_("the profile names a node, and one op of the framework graph is called so"));
    m->fused_text = mi_batch_cstr(
        all, N_("the profile names a node, and this op among those that went into it"));
    m->hold_texts[MI_CANN_BOTH_SIDES] = mi_batch_cstr(
        all, N_("its type and its place between known tasks of its stream are those of the plan"));
    m->hold_texts[MI_CANN_ONE_SIDE] = mi_batch_cstr(
        all, N_("its type and its place beside a known task of its stream are those of the plan"));
    m->hold_texts[MI_CANN_TO_END] = mi_batch_cstr(
        all, N_("its type and its place are those of the plan, counted from a known task to where "
                "both its stream and the list end"));
    m->type_text = mi_batch_cstr(all, N_("the profile states another operator type"));
    m->rival_text = mi_batch_cstr(all, N_("another model has a node of that name too"));
}

static bool match(struct matching *m)
{
    bool ok = map_layer(m, MI_LAYER_COMPILED);
    if (ok && !m->source_count)
        ok = map_layer(m, MI_LAYER_FRAMEWORK) && map_fused(m);
    if (!ok || !m->source_count)
        return ok;
    name_kernels(m);
    prepare_texts(m);
    return mi_cann_plan_init(&m->plan, m->model) && link_all(m) &&
           mi_cann_pair_events(m->model, m->collections, m->events, m->event_count);
}

static bool run(struct mi_model *model, struct mi_error *err)
{
    const struct mi_tables *rows = &model->all.rows;
    struct matching m = {.model = model, .rows = rows, .collections = mi_cann_collections(model)};
    bool ok = m.collections != NULL;
    if (ok && mi_cann_has_any(model, m.collections)) {
        m.sources = mi_mem_new(rows->sources.count, sizeof *m.sources);
        m.node_of = mi_mem_zero(rows->kernels.count, sizeof *m.node_of);
        m.is_rival = mi_mem_zero(rows->kernels.count, sizeof *m.is_rival);
        m.is_fused = mi_mem_zero(rows->kernels.count, sizeof *m.is_fused);
        ok = m.sources && m.node_of && m.is_rival && m.is_fused && match(&m);
    }
    mi_cann_plan_fini(&m.plan);
    mi_map_fini(&m.nodes);
    mi_map_fini(&m.fused);
    mi_map_fini(&m.placed);
    mi_mem_free(m.events);
    mi_mem_free(m.sources);
    mi_mem_free(m.node_of);
    mi_mem_free(m.is_rival);
    mi_mem_free(m.is_fused);
    mi_mem_free(m.collections);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while matching tasks with nodes");
}

const struct mi_matcher mi_matcher_cann_tasks = {
    .name = "cann_tasks",
    .title = N_("node names and places of tasks in Ascend profiles"),
    .needs = MI_HAS_TASKS,
    .run = run,
};
