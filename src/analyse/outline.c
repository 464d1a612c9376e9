#include "analyse/outline.h"

#include "analyse/describe.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/vec.h"

#include <string.h>

enum {
    MAX_SCOPES = 64,    /* deeper parts of a name stay in the label */
    MAX_NESTING = 4096, /* a chain of owners that is longer is a damaged one */
    NO_ITEM = 0
};

/* --- building --- */

uint32_t mi_outline_add(struct mi_outline *tree, struct mi_outline_item item)
{
    if (!mi_vec_room(&tree->items, &tree->room, tree->count, sizeof *tree->items))
        return NO_ITEM;
    tree->items[tree->count] = item;
    return tree->count++;
}

void mi_outline_attach(struct mi_outline *tree, uint32_t child, uint32_t parent)
{
    struct mi_outline_item *items = tree->items;
    items[child].parent = parent;
    if (items[parent].last)
        items[items[parent].last].next = child;
    else
        items[parent].first = child;
    items[parent].last = child;
}

/* The scope `part` below item `parent`, new if there is none; NO_ITEM: out of memory. */
static uint32_t scope_below(struct mi_outline *tree, uint32_t parent, struct mi_bytes part)
{
    bool failed = false;
    mi_str_id name = mi_strings_add(&tree->parts, part, false, &failed);
    uint32_t *at = failed ? NULL : mi_map_at(&tree->scopes, mi_pair(parent, name.v));
    if (!at)
        return NO_ITEM;
    if (!*at) {
        uint32_t item = mi_outline_add(tree, (struct mi_outline_item){.label = part});
        if (item) {
            *at = item;
            mi_outline_attach(tree, item, parent);
        }
    }
    return *at;
}

static struct mi_bytes group_label(struct mi_outline *tree, uint32_t group)
{
    const struct mi_groups *groups = &tree->model->all.rows.groups;
    struct mi_words words = {.arena = &tree->arena};
    if (group >= groups->count)
        return mi_describe_node(tree->model, (mi_node_id){group - groups->count}, &tree->arena);
    struct mi_bytes pass = mi_model_text(tree->model, groups->pass[group]);
    mi_words_put(&words, mi_cstr(mi_enum_name(MI_E_group_kind, groups->kind[group])));
    mi_words_put(&words, MI_LIT(" "));
    mi_words_put(&words, mi_model_text(tree->model, groups->name[group]));
    mi_words_put(&words, pass.len ? MI_LIT(": ") : MI_LIT(""));
    mi_words_put(&words, pass);
    return mi_words_get(&words);
}

/* The item of the node's fusion group, where its first node stands; `below` without one. */
static uint32_t group_below(struct mi_outline *tree, uint32_t node, uint32_t below)
{
    uint32_t group = tree->group_of ? tree->group_of[node] : 0;
    if (!group)
        return below;
    if (!tree->item_of_group[group]) {
        uint32_t item = mi_outline_add(
            tree, (struct mi_outline_item){.group = group, .label = group_label(tree, group)});
        if (item)
            mi_outline_attach(tree, item, below);
        tree->item_of_group[group] = item;
    }
    /* What stands in another graph stays there. */
    uint32_t item = tree->item_of_group[group];
    return !item || tree->items[item].parent == below ? item : below;
}

static bool add_node(struct mi_outline *tree, uint32_t node, uint32_t below)
{
    below = group_below(tree, node, below);
    if (!below)
        return false;
    struct mi_bytes name = mi_model_text(tree->model, tree->model->all.rows.nodes.name[node]);
    size_t from = 0;
    for (int i = 0; !tree->options.flat && i < MAX_SCOPES; i++) {
        while (from < name.len && name.at[from] == '/')
            from++;
        const uint8_t *slash =
            from < name.len ? memchr(name.at + from, '/', name.len - from) : NULL;
        if (!slash || slash + 1 == name.at + name.len)
            break;
        size_t end = (size_t)(slash - name.at);
        below = scope_below(tree, below, mi_bytes_sub(name, from, end - from));
        if (!below)
            return false;
        from = end + 1;
    }
    struct mi_bytes label = mi_bytes_sub(name, tree->options.flat ? 0 : from, name.len);
    if (!label.len)
        label = mi_describe_node(tree->model, (mi_node_id){node}, &tree->arena);
    uint32_t item = mi_outline_add(tree, (struct mi_outline_item){.node = node, .label = label});
    if (!item)
        return false;
    tree->item_of_node[node] = item;
    mi_outline_attach(tree, item, below);
    return true;
}

static bool passes(const struct mi_outline *tree, uint32_t node)
{
    const struct mi_nodes *nodes = &tree->model->all.rows.nodes;
    return (!tree->options.name.len ||
            mi_glob_search(tree->options.name, mi_model_text(tree->model, nodes->name[node]))) &&
           (!tree->options.type.len ||
            mi_glob_match(tree->options.type, mi_model_text(tree->model, nodes->op[node])));
}

static struct mi_bytes graph_label(struct mi_outline *tree, uint32_t graph)
{
    const struct mi_graphs *graphs = &tree->model->all.rows.graphs;
    struct mi_words words = {.arena = &tree->arena};
    struct mi_bytes role = mi_model_text(tree->model, graphs->role[graph]);
    struct mi_bytes domain = mi_model_text(tree->model, graphs->domain[graph]);
    mi_words_put(&words, role);
    mi_words_put(&words, role.len ? MI_LIT(": ") : MI_LIT(""));
    mi_words_put(&words, domain);
    mi_words_put(&words, domain.len ? MI_LIT(".") : MI_LIT(""));
    mi_words_put(&words, mi_model_text(tree->model, graphs->name[graph]));
    return mi_words_get(&words);
}

/* --- inputs and outputs --- */

/* A graph that ends in a node of its own (NetOutput) needs no second end. */
static bool is_read_by_an_end(const struct mi_model *model, uint32_t value)
{
    const struct mi_csr *readers = &model->index.consumers;
    for (uint32_t i = readers->first[value]; i < readers->first[value + 1]; i++)
        if (!model->all.rows.nodes.out_count[readers->list[i]])
            return true;
    return false;
}

static bool add_end(struct mi_outline *tree, uint32_t value, bool is_output, uint32_t below)
{
    struct mi_bytes name = mi_model_text(tree->model, tree->model->all.rows.values.name[value]);
    uint32_t item = mi_outline_add(
        tree, (struct mi_outline_item){.value = value, .is_output = is_output, .label = name});
    if (!item)
        return false;
    if (!is_output)
        tree->item_of_value[value] = item;
    mi_outline_attach(tree, item, below);
    return true;
}

static bool add_ends(struct mi_outline *tree, uint32_t graph, bool outputs, uint32_t below)
{
    const struct mi_tables *rows = &tree->model->all.rows;
    uint32_t first = outputs ? rows->graphs.first_out[graph] : rows->graphs.first_in[graph];
    uint32_t count = outputs ? rows->graphs.out_count[graph] : rows->graphs.in_count[graph];
    if (!tree->item_of_value || rows->graphs.parent[graph].v)
        return true;
    for (uint32_t p = first; p < first + count; p++) {
        uint32_t value = rows->ports.value[p].v;
        bool is_input =
            rows->values.kind[value] == MI_VALUE_INPUT && !rows->values.producer[value].v;
        bool is_wanted = outputs ? !is_read_by_an_end(tree->model, value)
                                 : is_input && !tree->item_of_value[value];
        if (value && is_wanted && !add_end(tree, value, outputs, below))
            return false;
    }
    return true;
}

/* Items of all graphs of the wanted layers with their nodes; bodies are attached afterwards, since
 * their owners may come later in the table. */
static bool build(struct mi_outline *tree)
{
    const struct mi_tables *rows = &tree->model->all.rows;
    const uint32_t *first = tree->model->index.graph_first_node;
    mi_outline_add(tree, (struct mi_outline_item){0});
    for (uint32_t g = 1; g < rows->graphs.count; g++) {
        /* Stages of a build only where they are asked for: there are dozens of much the same. */
        int layer = rows->graphs.layer[g];
        if (tree->options.layer >= 0 ? layer != tree->options.layer : layer == MI_LAYER_STAGE)
            continue;
        uint32_t item = mi_outline_add(
            tree, (struct mi_outline_item){.graph = g, .label = graph_label(tree, g)});
        if (!item)
            return false;
        tree->item_of_graph[g] = item;
        if (!add_ends(tree, g, false, item))
            return false;
        for (uint32_t n = first[g]; n < first[g + 1]; n++)
            if (passes(tree, n) && !add_node(tree, n, item))
                return false;
        if (!add_ends(tree, g, true, item))
            return false;
    }
    for (uint32_t g = 1; g < rows->graphs.count; g++)
        if (tree->item_of_graph[g])
            mi_outline_attach(tree, tree->item_of_graph[g],
                              tree->item_of_node[rows->graphs.parent[g].v]);
    return true;
}

/* Adds each node to everything above it. */
static void sum_up(struct mi_outline *tree)
{
    for (uint32_t i = 1; i < tree->count; i++) {
        uint32_t node = tree->items[i].node, above = tree->items[i].parent;
        struct mi_node_time time =
            node && tree->times ? tree->times[node] : (struct mi_node_time){0};
        for (int step = 0; node && above && step < MAX_NESTING; step++) {
            tree->items[above].nodes++;
            tree->items[above].tasks += time.tasks;
            tree->items[above].total_ns = mi_ns_add(tree->items[above].total_ns, time.total_ns);
            above = tree->items[above].parent;
        }
    }
}

/* Framework ops of one compiled node are a group if it has several; in several nodes: the first. */
static void group_ops(struct mi_outline *tree)
{
    const struct mi_tables *rows = &tree->model->all.rows;
    for (uint32_t l = rows->lowered.count; l-- > 1;) {
        mi_node_id node = rows->lowered.compiled[l];
        if (mi_csr_count(&tree->model->index.framework_of, node.v) > 1)
            tree->group_of[rows->lowered.framework[l].v] = rows->groups.count + node.v;
    }
}

/* A node in several groups goes into the first. */
static bool list_groups(struct mi_outline *tree)
{
    const struct mi_tables *rows = &tree->model->all.rows;
    if (rows->groups.count > UINT32_MAX - rows->nodes.count)
        return false;
    tree->group_of = mi_mem_zero(rows->nodes.count, sizeof *tree->group_of);
    tree->item_of_group =
        mi_mem_zero((size_t)rows->groups.count + rows->nodes.count, sizeof *tree->item_of_group);
    if (!tree->group_of || !tree->item_of_group)
        return false;
    group_ops(tree);
    for (uint32_t m = rows->members.count; m-- > 1;)
        tree->group_of[rows->members.node[m].v] = rows->members.group[m].v;
    return true;
}

/* --- the whole --- */

uint32_t mi_outline_unwrap(const struct mi_outline *outline, uint32_t at, struct mi_bytes *label)
{
    const struct mi_outline_item *items = outline->items;
    *label = items[at].label;
    if (items[at].node || items[at].graph || items[at].group || items[at].part ||
        items[at].nodes != 1)
        return at;
    while (!items[at].node)
        at = items[at].first;
    /* The label of a scope lies within the name of its first node. */
    label->len = (size_t)(items[at].label.at + items[at].label.len - label->at);
    return at;
}

bool mi_outline_init(struct mi_outline *outline, const struct mi_model *model,
                     const struct mi_outline_options *options, struct mi_error *err)
{
    *outline = (struct mi_outline){.model = model, .options = *options};
    outline->options.flat |= options->by_group;
    mi_arena_init(&outline->arena);
    if (!mi_node_times(model, &outline->times, err))
        return false;
    outline->item_of_graph =
        mi_mem_zero(model->all.rows.graphs.count, sizeof *outline->item_of_graph);
    outline->item_of_node = mi_mem_zero(model->all.rows.nodes.count, sizeof *outline->item_of_node);
    if (options->with_ends)
        outline->item_of_value =
            mi_mem_zero(model->all.rows.values.count, sizeof *outline->item_of_value);
    bool ok = mi_strings_init(&outline->parts) && outline->item_of_graph && outline->item_of_node &&
              (!options->with_ends || outline->item_of_value) &&
              (!options->by_group || list_groups(outline)) && build(outline) && outline->count &&
              (!options->adopt || mi_outline_adopt(outline, err)) &&
              (!options->most_children || mi_outline_cut(outline, err));
    if (ok)
        sum_up(outline);
    ok = ok && (!options->with_constants || mi_outline_add_constants(outline, err));
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}

void mi_outline_fini(struct mi_outline *outline)
{
    mi_mem_free(outline->items);
    mi_mem_free(outline->item_of_graph);
    mi_mem_free(outline->item_of_node);
    mi_mem_free(outline->item_of_value);
    mi_mem_free(outline->times);
    mi_mem_free(outline->group_of);
    mi_mem_free(outline->item_of_group);
    mi_map_fini(&outline->scopes);
    mi_strings_fini(&outline->parts);
    mi_arena_fini(&outline->arena);
    *outline = (struct mi_outline){0};
}
