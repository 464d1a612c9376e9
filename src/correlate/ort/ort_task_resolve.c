#include "correlate/ort/ort_task_names.h"

#include "base/decimal.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"

#include <stdio.h>

enum { MAX_SHAPE_CANDIDATES = 64, SHAPE_ROOM = 512 };

/* Kernels of unnamed nodes of one type in one place: the nodes they run are told apart by the order
 * of execution. */
struct group {
    uint32_t context_node; /* enclosing node; 0 = the main graph */
    mi_str_id op;
    uint32_t first, last; /* pairs, linked by next_in_group */
    uint32_t distinct;    /* node numbers among them */
};

struct resolving {
    const struct mi_ort_target *target;
    struct mi_ort_contexts *contexts;
    const struct mi_tables *rows;
    struct mi_batch *all;
    struct mi_map unnamed;  /* (graph, op) -> first unnamed node */
    uint32_t *next_unnamed; /* [nodes.count] next one of the same graph and op; 0 = none */
    struct mi_map group_of; /* (context node, op) -> group + 1 */
    struct mi_map rank_of;  /* (group, node number) -> its rank, from 1 */
    struct group *groups;   /* of one depth */
    uint32_t group_count, group_room;
    uint32_t *next_in_group; /* [pair_count] */
    uint32_t *candidates;    /* nodes that the current group may run, in the order of the file */
    uint32_t candidate_count, candidate_room;
};

/* --- words --- */

/* At most 80 bytes of a name, whole UTF-8 sequences. */
static int name_len(struct mi_bytes name)
{
    size_t len = name.len < 80 ? name.len : 80;
    while (len && len < name.len && (name.at[len] & 0xC0) == 0x80)
        len--;
    return (int)len;
}

#define NAME(text) name_len(text), (const char *)(text).at

static struct mi_bytes text_of(const struct resolving *r, mi_str_id id)
{
    return mi_strings_get(&r->all->strings, id);
}

static const char *model_word(const struct resolving *r)
{
    return r->target->layer == MI_LAYER_COMPILED ? "optimised" : "framework";
}

/* --- judging --- */

/* One level down, and why. The first reason stays. */
static void demote(struct mi_ort_pair *pair, mi_str_id conflict)
{
    if (pair->confidence > MI_GUESS)
        pair->confidence = (enum mi_confidence)(pair->confidence - 1);
    if (!pair->conflict.v)
        pair->conflict = conflict;
}

static bool ends_in_token(struct mi_bytes name)
{
    static const struct mi_bytes none;
    size_t digits = 0;
    while (digits < name.len && name.at[name.len - 1 - digits] >= '0' &&
           name.at[name.len - 1 - digits] <= '9')
        digits++;
    struct mi_bytes head = digits ? mi_bytes_sub(name, 0, name.len - digits) : none;
    return mi_bytes_ends(head, MI_LIT("_token_"));
}

/* Names that the layout pass makes up anew in every session. */
static bool is_generated(struct mi_bytes name)
{
    return ends_in_token(name) || mi_bytes_equal(name, MI_LIT("ReorderInput")) ||
           mi_bytes_equal(name, MI_LIT("ReorderOutput"));
}

/* Where the nesting of the tasks puts the node, against where it stands. */
static bool stands_in_place(const struct resolving *r, const struct mi_ort_pair *pair)
{
    uint32_t graph = r->rows->nodes.graph[pair->node].v;
    if (!pair->context)
        return graph == r->target->main_graph;
    uint32_t enclosing = r->contexts->pairs[pair->context].node;
    return !enclosing || r->rows->graphs.parent[graph].v == enclosing;
}

static void check(struct resolving *r, struct mi_ort_pair *pair)
{
    struct mi_bytes op = text_of(r, r->rows->kernels.op[pair->kernel]);
    struct mi_bytes node_op = text_of(r, r->rows->nodes.op[pair->node]);
    if (op.len && !mi_bytes_equal(op, node_op)) {
        if (r->target->layer == MI_LAYER_FRAMEWORK) { /* the name outlived what it named */
            pair->node = 0;
            return;
        }
        demote(pair, mi_batch_printf(r->all, "the profile says it is a %.*s, the node is a %.*s",
                                     NAME(op), NAME(node_op)));
    }
    if (!stands_in_place(r, pair))
        demote(pair,
               mi_batch_printf(r->all, "the task ran in another graph than the node stands in"));
    if (!pair->context && pair->task_count > r->contexts->run_count)
        demote(pair, mi_batch_printf(r->all, "the task ran %u times in %u runs", pair->task_count,
                                     r->contexts->run_count));
    if (r->target->rivals)
        demote(pair, mi_batch_printf(r->all, "the profile fits %u models equally well",
                                     r->target->rivals + 1));
}

/* --- by name --- */

static void link_unique(struct resolving *r, struct mi_ort_pair *pair, uint32_t node)
{
    struct mi_bytes name = text_of(r, r->rows->kernels.node_name[pair->kernel]);
    pair->node = node;
    if (r->target->layer == MI_LAYER_COMPILED && !r->target->same_session && is_generated(name)) {
        pair->confidence = MI_LIKELY;
        pair->evidence = mi_batch_printf(
            r->all,
            "the profile names node \"%.*s\"; such a name is made up anew in every session, and "
            "nothing says that profile and model are of the same one",
            NAME(name));
    } else if (r->target->layer == MI_LAYER_COMPILED) {
        pair->confidence = MI_CERTAIN;
        pair->evidence = mi_batch_printf(r->all,
                                         "the profile names node \"%.*s\", and one node of the "
                                         "optimised model has that name",
                                         NAME(name));
    } else {
        pair->confidence = MI_LIKELY;
        pair->evidence = mi_batch_printf(r->all,
                                         "no optimised model is known; the framework node \"%.*s\" "
                                         "has the name and type that the profile states",
                                         NAME(name));
    }
    check(r, pair);
}

struct choice {
    uint32_t node, fitting, all;
};

/* Nodes of this name in one graph, those of the kernel's type preferred. */
static void look_in_graph(const struct resolving *r, const struct mi_ort_pair *pair, uint32_t graph,
                          struct choice *choice)
{
    const struct mi_index *index = &r->target->model->index;
    mi_str_id name = r->rows->kernels.node_name[pair->kernel];
    uint32_t node = mi_map_get(&index->node_by_name, mi_pair(graph, name.v));
    for (; node; node = index->next_same_name[node]) {
        bool fits = r->rows->nodes.op[node].v == r->rows->kernels.op[pair->kernel].v;
        if (!choice->node || (fits && !choice->fitting))
            choice->node = node;
        choice->fitting += fits;
        choice->all++;
    }
}

/* The graphs that tasks within `context_node` can run: its bodies, or the main graph. */
struct graph_list {
    const uint32_t *at;
    uint32_t count;
};

static struct graph_list graphs_within(const struct resolving *r, uint32_t context_node)
{
    const struct mi_csr *inner = &r->target->model->index.inner;
    if (!context_node)
        return (struct graph_list){&r->target->main_graph, 1};
    if (context_node >= inner->row_count)
        return (struct graph_list){NULL, 0};
    return (struct graph_list){inner->list + inner->first[context_node],
                               mi_csr_count(inner, context_node)};
}

static void link_repeated(struct resolving *r, struct mi_ort_pair *pair)
{
    struct mi_bytes name = text_of(r, r->rows->kernels.node_name[pair->kernel]);
    uint32_t context_node = pair->context ? r->contexts->pairs[pair->context].node : 0;
    struct choice choice = {0};
    if (!pair->context || context_node) {
        struct graph_list graphs = graphs_within(r, context_node);
        for (uint32_t i = 0; i < graphs.count; i++)
            look_in_graph(r, pair, graphs.at[i], &choice);
    }
    bool in_place = choice.node != 0;
    for (uint32_t g = 1; !in_place && g < r->rows->graphs.count; g++)
        if (r->rows->graphs.source[g].v == r->target->graph_source)
            look_in_graph(r, pair, g, &choice);
    pair->node = choice.node;
    if (!choice.node)
        return;
    bool is_only = in_place && (choice.fitting == 1 || choice.all == 1);
    pair->confidence = is_only ? MI_LIKELY : MI_GUESS;
    pair->evidence = mi_batch_printf(
        r->all, "several nodes of the %s model are called \"%.*s\"; %s", model_word(r), NAME(name),
        is_only ? N_("one of them stands in the graph that the enclosing task runs")
                : N_("the first one that fits was taken"));
    check(r, pair);
}

/* --- unnamed nodes --- */

bool mi_ort_is_unnamed(const struct mi_model *model, uint32_t kernel)
{
    const struct mi_kernels *kernels = &model->all.rows.kernels;
    struct mi_bytes name = mi_model_text(model, kernels->node_name[kernel]);
    struct mi_bytes op = mi_model_text(model, kernels->op[kernel]);
    int64_t number;
    if (name.len == 0)
        return op.len != 0;
    if (name.len < op.len + 2 || !mi_bytes_starts(name, op) || name.at[op.len] != '_')
        return false;
    return mi_decimal_i64(mi_bytes_sub(name, op.len + 1, name.len), &number) == 0 &&
           number == kernels->node_index[kernel];
}

static bool list_unnamed(struct resolving *r)
{
    const struct mi_nodes *nodes = &r->rows->nodes;
    r->next_unnamed = mi_mem_zero((size_t)nodes->count + 1, sizeof *r->next_unnamed);
    if (!r->next_unnamed)
        return false;
    for (uint32_t n = nodes->count - 1; n >= 1 && nodes->count > 1; n--) {
        uint32_t graph = nodes->graph[n].v;
        if (nodes->name[n].v || r->rows->graphs.source[graph].v != r->target->graph_source)
            continue;
        uint64_t key = mi_pair(graph, nodes->op[n].v);
        r->next_unnamed[n] = mi_map_get(&r->unnamed, key);
        if (!mi_map_set(&r->unnamed, key, n))
            return false;
    }
    return true;
}

/* The unnamed nodes of the group's type in all graphs of its place. */
static bool list_candidates(struct resolving *r, const struct group *group)
{
    struct graph_list graphs = graphs_within(r, group->context_node);
    r->candidate_count = 0;
    for (uint32_t i = 0; i < graphs.count; i++) {
        uint32_t node = mi_map_get(&r->unnamed, mi_pair(graphs.at[i], group->op.v));
        for (; node; node = r->next_unnamed[node]) {
            if (!mi_vec_room(&r->candidates, &r->candidate_room, r->candidate_count,
                             sizeof *r->candidates))
                return false;
            r->candidates[r->candidate_count++] = node;
        }
    }
    return true;
}

/* Whether the first output of the node is known to have the type and shape of the kernel's. */
static bool shape_fits(const struct resolving *r, uint32_t node, uint32_t kernel)
{
    const struct mi_tables *rows = r->rows;
    struct mi_bytes outputs = text_of(r, rows->kernels.outputs[kernel]);
    const uint8_t *end = outputs.len ? memchr(outputs.at, ';', outputs.len) : NULL;
    if (end)
        outputs.len = (size_t)(end - outputs.at);
    uint32_t value =
        rows->nodes.out_count[node] ? rows->ports.value[rows->nodes.first_out[node]].v : 0;
    if (!value || !rows->values.has_shape[value] || !outputs.len)
        return false;
    struct mi_bytes dtype = text_of(r, rows->values.dtype[value]);
    char text[SHAPE_ROOM];
    int len = snprintf(text, sizeof text, "%.*s[", NAME(dtype));
    for (uint32_t d = 0; d < rows->values.dim_count[value] && len < SHAPE_ROOM - 32; d++)
        len += snprintf(text + len, sizeof text - (size_t)len, "%s%lld", d ? "," : "",
                        (long long)rows->dims.size[rows->values.first_dim[value] + d]);
    len += snprintf(text + len, sizeof text - (size_t)len, "]");
    return mi_bytes_equal(outputs, (struct mi_bytes){(const uint8_t *)text, (size_t)len});
}

/* The only candidate whose output has the kernel's shape; 0 = none or several. */
static uint32_t find_by_shape(const struct resolving *r, uint32_t kernel)
{
    uint32_t found = 0;
    if (r->candidate_count > MAX_SHAPE_CANDIDATES)
        return 0;
    for (uint32_t i = 0; i < r->candidate_count; i++) {
        if (!shape_fits(r, r->candidates[i], kernel))
            continue;
        if (found)
            return 0;
        found = r->candidates[i];
    }
    return found;
}

static void link_unnamed(struct resolving *r, struct mi_ort_pair *pair, const struct group *group,
                         uint32_t rank)
{
    struct mi_bytes op = text_of(r, group->op);
    uint32_t candidates = r->candidate_count;
    uint32_t by_rank = rank && rank <= candidates ? r->candidates[rank - 1] : 0;
    bool counts_agree = candidates == group->distinct;
    uint32_t by_shape = counts_agree && (r->contexts->is_serial || candidates == 1)
                            ? 0
                            : find_by_shape(r, pair->kernel);
    pair->node = by_shape ? by_shape : by_rank;
    if (!pair->node)
        return;
    if (by_shape)
        pair->evidence = mi_batch_printf(
            r->all, "the node has no name; of %u unnamed %.*s its output alone has the shape",
            candidates, NAME(op));
    else if (candidates == 1)
        pair->evidence = mi_batch_printf(
            r->all, "the node has no name, and it is the only unnamed %.*s of its graph", NAME(op));
    else
        pair->evidence = mi_batch_printf(
            r->all,
            "the node has no name; %u unnamed %.*s ran, %u stand in the graph: taken in order",
            group->distinct, NAME(op), candidates);
    bool is_sound = by_shape || (counts_agree && (candidates == 1 || r->contexts->is_serial));
    pair->confidence = is_sound && r->target->layer == MI_LAYER_COMPILED ? MI_LIKELY : MI_GUESS;
    check(r, pair);
}

static uint64_t rank_key(const struct resolving *r, uint32_t group, uint32_t kernel)
{
    int64_t number = r->rows->kernels.node_index[kernel];
    /* records without a number are told apart by their kernels */
    return mi_pair(group, number >= 0 ? (uint32_t)number : UINT32_MAX - kernel);
}

static bool add_to_group(struct resolving *r, uint32_t p)
{
    struct mi_ort_pair *pair = &r->contexts->pairs[p];
    uint32_t context_node = pair->context ? r->contexts->pairs[pair->context].node : 0;
    if (pair->context && !context_node)
        return true; /* inside something unknown */
    mi_str_id op = r->rows->kernels.op[pair->kernel];
    uint32_t *slot = mi_map_at(&r->group_of, mi_pair(context_node, op.v));
    if (!slot)
        return false;
    if (!*slot) {
        if (!mi_vec_room(&r->groups, &r->group_room, r->group_count, sizeof *r->groups))
            return false;
        r->groups[r->group_count++] = (struct group){.context_node = context_node, .op = op};
        *slot = r->group_count;
    }
    struct group *group = &r->groups[*slot - 1];
    uint32_t *rank = mi_map_at(&r->rank_of, rank_key(r, *slot, pair->kernel));
    if (!rank)
        return false;
    if (!*rank)
        *rank = ++group->distinct;
    if (group->last)
        r->next_in_group[group->last] = p;
    else
        group->first = p;
    group->last = p;
    return true;
}

/* Pairs stand in the order of execution; the nodes are taken in the order of the file. */
static bool link_group(struct resolving *r, uint32_t g)
{
    const struct group *group = &r->groups[g];
    if (!list_candidates(r, group))
        return false;
    for (uint32_t p = group->first; p; p = r->next_in_group[p]) {
        struct mi_ort_pair *pair = &r->contexts->pairs[p];
        link_unnamed(r, pair, group, mi_map_get(&r->rank_of, rank_key(r, g + 1, pair->kernel)));
    }
    return true;
}

/* --- all pairs --- */

static bool resolve_pair(struct resolving *r, uint32_t p)
{
    struct mi_ort_pair *pair = &r->contexts->pairs[p];
    mi_str_id name = r->rows->kernels.node_name[pair->kernel];
    uint32_t node = name.v ? mi_map_get(&r->target->names, name.v) : 0;
    if (node == MI_ORT_SEVERAL)
        link_repeated(r, pair);
    else if (node)
        link_unique(r, pair, node);
    else if (mi_ort_is_unnamed(r->target->model, pair->kernel))
        return add_to_group(r, p);
    return true;
}

bool mi_ort_resolve(const struct mi_ort_target *target, struct mi_ort_contexts *contexts)
{
    struct resolving r = {.target = target,
                          .contexts = contexts,
                          .rows = &target->model->all.rows,
                          .all = &target->model->all};
    uint32_t linked = 0, count = contexts->pair_count - 1;
    r.next_in_group = mi_mem_zero((size_t)contexts->pair_count + 1, sizeof *r.next_in_group);
    bool ok = r.next_in_group && list_unnamed(&r);
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = resolve_pair(&r, contexts->order[i]);
        uint32_t depth = contexts->pairs[contexts->order[i]].depth;
        bool is_last = i + 1 == count || contexts->pairs[contexts->order[i + 1]].depth != depth;
        for (; ok && is_last && linked < r.group_count; linked++)
            ok = link_group(&r, linked);
    }
    mi_map_fini(&r.unnamed);
    mi_map_fini(&r.group_of);
    mi_map_fini(&r.rank_of);
    mi_mem_free(r.next_unnamed);
    mi_mem_free(r.groups);
    mi_mem_free(r.next_in_group);
    mi_mem_free(r.candidates);
    return ok;
}
