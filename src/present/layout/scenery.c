/* What the drawings of one outline have in common. */
#include "analyse/deps.h"
#include "analyse/describe.h"
#include "base/mem.h"
#include "present/layout/box_text.h"
#include "present/layout/scene.h"

enum { CATEGORIES = MI_CATEGORY_CUSTOM + 1 };

/* --- items --- */

/* Parents before children, without a stack: down to the first child, on to the next, up again. */
static void order_items(struct mi_scenery *set)
{
    const struct mi_outline_item *items = set->outline->items;
    uint32_t at = items[0].first;
    set->order[set->order_count++] = 0;
    while (at) {
        set->depth[at] = set->depth[items[at].parent] + 1;
        set->order[set->order_count++] = at;
        if (items[at].first) {
            at = items[at].first;
            continue;
        }
        while (at && !items[at].next)
            at = items[at].parent;
        at = at ? items[at].next : 0;
    }
}

/* Children stand behind their parents, so backwards a group knows what is in it. */
static void hide_constants(struct mi_scenery *set)
{
    const struct mi_outline *outline = set->outline;
    for (uint32_t k = set->order_count; k-- > 1;) {
        uint32_t item = set->order[k], node = outline->items[item].node;
        bool is_hidden = node && !outline->options.with_constants &&
                         mi_is_constant_node(outline->model, (mi_node_id){node});
        if (!node && !outline->items[item].value) {
            is_hidden = true;
            for (uint32_t c = outline->items[item].first; c; c = outline->items[c].next)
                is_hidden = is_hidden && set->is_hidden[c];
        }
        set->is_hidden[item] = is_hidden;
    }
}

/* --- edges --- */

static uint32_t item_of_vertex(const struct mi_outline *outline, uint32_t vertex)
{
    uint32_t nodes = outline->model->all.rows.nodes.count;
    return vertex < nodes ? outline->item_of_node[vertex] : outline->item_of_graph[vertex - nodes];
}

static void add_edge(struct mi_scenery *set, uint32_t from, uint32_t to)
{
    if (!from || !to)
        return;
    set->from[set->edge_count] = from;
    set->to[set->edge_count++] = to;
}

/* Inputs that a graph writes as nodes carry no data dependency, but people look for them. */
static void add_inputs(struct mi_scenery *set, uint32_t *room)
{
    const struct mi_values *values = &set->outline->model->all.rows.values;
    const struct mi_csr *readers = &set->outline->model->index.consumers;
    for (uint32_t v = 1; v < values->count; v++) {
        uint32_t item = set->outline->item_of_node[values->producer[v].v];
        if (values->kind[v] != MI_VALUE_INPUT || !values->producer[v].v)
            continue;
        for (uint32_t i = readers->first[v]; set->from && i < readers->first[v + 1]; i++)
            add_edge(set, item, set->outline->item_of_node[readers->list[i]]);
        *room += readers->first[v + 1] - readers->first[v];
    }
}

/* From the boxes of a graph's inputs to all that reads them, also from within bodies. Returns how
 * many; with set->from NULL it only counts. */
static uint32_t add_input_boxes(struct mi_scenery *set)
{
    const struct mi_outline *outline = set->outline;
    const struct mi_csr *readers = &outline->model->index.consumers;
    uint32_t count = 0;
    for (uint32_t v = 1; outline->item_of_value && v < outline->model->all.rows.values.count; v++) {
        uint32_t from = outline->item_of_value[mi_value_origin(outline->model, (mi_value_id){v}).v];
        for (uint32_t i = readers->first[v]; from && i < readers->first[v + 1]; i++, count++)
            if (set->from)
                add_edge(set, from, outline->item_of_node[readers->list[i]]);
    }
    return count;
}

/* From nodes that hold constants to all that reads them. Those that no node makes are wired like
 * inputs. Returns how many; with set->from NULL it only counts. */
static uint32_t add_constant_nodes(struct mi_scenery *set)
{
    const struct mi_outline *outline = set->outline;
    const struct mi_values *values = &outline->model->all.rows.values;
    const struct mi_csr *readers = &outline->model->index.consumers;
    uint32_t count = 0;
    for (uint32_t v = 1; outline->options.with_constants && v < values->count; v++) {
        uint32_t value = mi_value_origin(outline->model, (mi_value_id){v}).v;
        uint32_t from = outline->item_of_node[values->producer[value].v];
        /* What is an input besides has its edges already. */
        if (!from || values->kind[v] == MI_VALUE_INPUT || !mi_outline_is_constant(outline, from))
            continue;
        for (uint32_t i = readers->first[v]; i < readers->first[v + 1]; i++, count++)
            if (set->from)
                add_edge(set, from, outline->item_of_node[readers->list[i]]);
    }
    return count;
}

static uint32_t add_output_boxes(struct mi_scenery *set)
{
    const struct mi_outline *outline = set->outline;
    const struct mi_values *values = &outline->model->all.rows.values;
    uint32_t count = 0;
    for (uint32_t i = 1; i < outline->count; i++) {
        uint32_t value = outline->items[i].value;
        if (!outline->items[i].is_output)
            continue;
        uint32_t node = values->producer[value].v;
        count++;
        if (set->from)
            add_edge(set, node ? outline->item_of_node[node] : outline->item_of_value[value], i);
    }
    return count;
}

/* What only waits or signals has no data: it hangs on what it is tied to. Returns how many; with
 * set->from NULL it only counts. */
static uint32_t add_ties(struct mi_scenery *set, const struct mi_deps *deps)
{
    const struct mi_outline *outline = set->outline;
    const struct mi_tables *rows = &outline->model->all.rows;
    uint32_t count = 0;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        uint32_t first = rows->nodes.first_in[n];
        bool is_lone = !mi_csr_count(&deps->in, n) && !mi_csr_count(&deps->out, n);
        for (uint32_t p = first; p < first + rows->nodes.in_count[n]; p++) {
            uint32_t from = rows->values.producer[rows->ports.value[p].v].v;
            if (!rows->ports.is_control[p] || !from ||
                !(is_lone || (!mi_csr_count(&deps->in, from) && !mi_csr_count(&deps->out, from))))
                continue;
            count++;
            if (set->from)
                add_edge(set, outline->item_of_node[from], outline->item_of_node[n]);
        }
    }
    return count;
}

static bool list_edges(struct mi_scenery *set, struct mi_error *err)
{
    struct mi_deps deps;
    uint32_t inputs = 0;
    if (!mi_deps_init(&deps, set->outline->model, err))
        return false;
    add_inputs(set, &inputs);
    inputs += add_input_boxes(set) + add_constant_nodes(set) + add_output_boxes(set) +
              add_ties(set, &deps);
    size_t room = (size_t)deps.edge_count + inputs + 1;
    set->to = mi_mem_new(room, sizeof *set->to);
    set->from = set->to ? mi_mem_new(room, sizeof *set->from) : NULL;
    bool ok = set->from != NULL;
    for (uint32_t e = 1; ok && e < deps.edge_count; e++)
        add_edge(set, item_of_vertex(set->outline, deps.from[e]),
                 item_of_vertex(set->outline, deps.to[e]));
    if (ok) {
        add_inputs(set, &inputs);
        add_input_boxes(set);
        add_constant_nodes(set);
        add_output_boxes(set);
        add_ties(set, &deps);
    }
    mi_deps_fini(&deps);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for edges");
}

/* --- marks --- */

static uint16_t marks_of(const struct mi_model *model, uint32_t node)
{
    const struct mi_tables *rows = &model->all.rows;
    const struct mi_index *index = &model->index;
    uint32_t fate = index->fate_of[node], birth = index->birth_of[node];
    mi_str_id in = mi_box_dtype(model, node, true);
    mi_str_id out = mi_box_dtype(model, node, false);
    uint16_t flags = 0;
    if (fate && rows->fates.fate[fate] == MI_FATE_NOT_EXECUTED)
        flags |= MI_BOX_NOT_EXECUTED;
    if (birth && rows->births.origin[birth] == MI_ORIGIN_INSERTED)
        flags |= MI_BOX_INSERTED;
    if (birth && rows->births.origin[birth] == MI_ORIGIN_FUSED)
        flags |= MI_BOX_FUSED;
    if (in.v && out.v && in.v != out.v)
        flags |= MI_BOX_DTYPE;
    if (mi_box_is_dynamic(model, node))
        flags |= MI_BOX_DYNAMIC;
    return flags;
}

/* A group looks like what takes most time in it; without times, like what there is most of. */
static bool mark_items(struct mi_scenery *set)
{
    const struct mi_outline *outline = set->outline;
    const struct mi_nodes *nodes = &outline->model->all.rows.nodes;
    uint32_t groups = 0, *slot = mi_mem_zero(outline->count, sizeof *slot);
    for (uint32_t i = 0; slot && i < outline->count; i++)
        if (outline->items[i].first)
            slot[i] = ++groups;
    int64_t(*sums)[CATEGORIES] = mi_mem_zero((size_t)groups + 1, sizeof *sums);
    for (uint32_t k = set->order_count; slot && sums && k-- > 0;) {
        uint32_t i = set->order[k], node = outline->items[i].node;
        uint32_t above = slot[outline->items[i].parent];
        if (outline->items[i].value)
            set->flags[i] = outline->items[i].is_output ? MI_BOX_OUTPUT : MI_BOX_INPUT;
        if (outline->items[i].part)
            set->flags[i] |= MI_BOX_PART;
        if (outline->items[i].group)
            set->flags[i] |= MI_BOX_FUSED;
        if (node) {
            set->flags[i] = marks_of(outline->model, node);
            set->category[i] = nodes->category[node];
            int64_t ns = outline->times ? outline->times[node].total_ns : 0;
            sums[above][set->category[i]] =
                mi_ns_add(sums[above][set->category[i]], mi_ns_add(ns, 1));
        } else if (slot[i]) {
            for (uint8_t c = 1; c < CATEGORIES; c++)
                if (sums[slot[i]][c] > sums[slot[i]][set->category[i]])
                    set->category[i] = c;
        }
        for (int c = 0; slot[i] && i && c < CATEGORIES; c++)
            sums[above][c] = mi_ns_add(sums[above][c], sums[slot[i]][c]);
        if (mi_outline_is_constant(outline, i))
            set->flags[i] = MI_BOX_CONSTANT;
        bool is_lone = !node && !outline->items[i].graph && !outline->items[i].part &&
                       outline->items[i].nodes == 1;
        struct mi_bytes label;
        if (outline->items[i].first && is_lone) /* a scope around one node stands for it */
            set->flags[i] |= set->flags[mi_outline_unwrap(outline, i, &label)];
        else if (outline->items[i].first)
            set->flags[i] |= MI_BOX_GROUP;
    }
    bool ok = slot && sums;
    mi_mem_free(slot);
    mi_mem_free(sums);
    return ok;
}

bool mi_scenery_init(struct mi_scenery *set, const struct mi_outline *outline, struct mi_error *err)
{
    *set = (struct mi_scenery){.outline = outline};
    set->depth = mi_mem_zero(outline->count, sizeof *set->depth);
    set->order = mi_mem_new(outline->count, sizeof *set->order);
    set->flags = mi_mem_zero(outline->count, sizeof *set->flags);
    set->category = mi_mem_zero(outline->count, sizeof *set->category);
    set->is_hidden = mi_mem_zero(outline->count, sizeof *set->is_hidden);
    if (!set->is_hidden || !set->depth || !set->order || !set->flags || !set->category)
        return mi_fail(err, MI_ENOMEM, "out of memory for groups");
    order_items(set);
    hide_constants(set);
    if (!mark_items(set))
        return mi_fail(err, MI_ENOMEM, "out of memory for groups");
    return list_edges(set, err);
}

void mi_scenery_fini(struct mi_scenery *set)
{
    mi_mem_free(set->depth);
    mi_mem_free(set->order);
    mi_mem_free(set->flags);
    mi_mem_free(set->category);
    mi_mem_free(set->is_hidden);
    mi_mem_free(set->from);
    mi_mem_free(set->to);
    mi_mem_free(set->tags);
    *set = (struct mi_scenery){0};
}
