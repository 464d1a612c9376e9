/* The graph as an indented list: nodes below the scopes that their names spell
 * ("/layer1/attn/MatMul"), bodies below the nodes that own them. */
#include "analyse/accounting.h"
#include "analyse/describe.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/translate.h"

static const char *const folds[] = {"scope", "group", NULL};
static const char *const layers[] = {"framework", "compiled", "stage", NULL};

const struct mi_param mi_params_graph[] = {
    {.name = "layer",
     .kind = MI_PARAM_CHOICE,
     .choices = layers,
     .help = N_("Only the graph of this layer.")},
    {.name = "name",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NAME"),
     .help = N_("Only nodes with this in their name, or that match it with * and ?.")},
    {.name = "type",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("TYPE"),
     .help = N_("Only nodes of this operator type (* and ? stand for anything).")},
    {.name = "depth",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = 1000,
     .help = N_("Open scopes and bodies down to this depth, show deeper ones as one line; 0 = open "
                "all (default: 2, all with --json or a filter).")},
    {.name = "flat",
     .kind = MI_PARAM_FLAG,
     .help = N_("No scopes: nodes in the order of the file.")},
    {.name = "fold",
     .kind = MI_PARAM_CHOICE,
     .choices = folds,
     .default_text = "scope",
     .help = N_("Put nodes below the scopes of their names, or below the fusion groups that the "
                "compiler made.")},
    MI_PARAM_END};

static const struct mi_report_column columns[] = {
    {"depth", NULL, MI_CELL_DEPTH, "", N_("nesting in the list")},
    {"label", N_("name"), MI_CELL_TEXT, "", N_("last part of the name")},
    {"kind", NULL, MI_CELL_WORD, "", N_("graph, scope, group or node")},
    {"graph", N_("graph"), MI_CELL_WORD, "", N_("layer of a main graph, or what else it is")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"nodes", N_("nodes"), MI_CELL_INT, "", N_("nodes in the graph or scope, bodies included")},
    {"outputs", N_("gives"), MI_CELL_TEXT, "", N_("types of the outputs")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("work tasks in the counted runs")},
    {"total_ns", N_("total"), MI_CELL_INT, "ns", N_("sum of their times")},
    {"fate", N_("fate"), MI_CELL_WORD, "", N_("of a framework op: what became of it")},
    {"origin", N_("origin"), MI_CELL_WORD, "", N_("of a compiled node: where it comes from")},
    {"node", N_("node"), MI_CELL_NODE, "", N_("row of the node")},
    {"name", NULL, MI_CELL_TEXT, "", N_("whole name of the node or graph")},
};

enum cell {
    DEPTH,
    LABEL,
    KIND,
    GRAPH,
    OP_TYPE,
    NODES,
    OUTPUTS,
    TASKS,
    TOTAL,
    FATE,
    ORIGIN,
    NODE,
    NAME
};

enum {
    MAX_SCOPES = 64,    /* deeper parts of a name stay in the label */
    MAX_NESTING = 4096, /* a chain of owners that is longer is a damaged one */
    NO_ITEM = 0
};

/* One line to be. Items form a tree below item 0. */
struct item {
    uint32_t parent, first, last, next; /* items; 0 = none */
    uint32_t graph, node, group;        /* what it shows; all 0: a scope */
    uint32_t level;                     /* scopes and bodies above it, for --depth */
    struct mi_bytes label;
    int64_t nodes, tasks, total_ns; /* of a graph or scope: all below */
};

struct tree {
    const struct mi_model *model;
    struct mi_report *out;
    struct item *items; /* [count] */
    uint32_t count, room;
    uint32_t *item_of_graph; /* [graphs.count] */
    uint32_t *item_of_node;  /* [nodes.count] */
    struct mi_map scopes;    /* (item, part of the name) -> item of the scope */
    struct mi_strings parts; /* parts of names */
    struct mi_node_time *times;
    struct mi_bytes name, type;
    int layer; /* index into layers; -1 = both */
    bool flat;
    /* Fusion groups by row, and behind them compiled nodes as the groups of their framework ops. */
    uint32_t *group_of;      /* [nodes.count]; 0 = none. NULL: not folded by groups */
    uint32_t *item_of_group; /* [groups.count + nodes.count] */
};

/* --- building --- */

static uint32_t add_item(struct tree *tree, struct item item)
{
    if (tree->count == tree->room) {
        uint32_t room = tree->room ? tree->room * 2 : 1024;
        struct item *items =
            room > tree->room ? mi_mem_resize(tree->items, room, sizeof *items) : NULL;
        if (!items)
            return NO_ITEM;
        tree->items = items;
        tree->room = room;
    }
    tree->items[tree->count] = item;
    return tree->count++;
}

static void attach(struct tree *tree, uint32_t child, uint32_t parent)
{
    struct item *items = tree->items;
    items[child].parent = parent;
    if (items[parent].last)
        items[items[parent].last].next = child;
    else
        items[parent].first = child;
    items[parent].last = child;
}

/* The scope `part` below item `parent`, new if there is none; NO_ITEM: out of memory. */
static uint32_t scope_below(struct tree *tree, uint32_t parent, struct mi_bytes part)
{
    bool failed = false;
    mi_str_id name = mi_strings_add(&tree->parts, part, false, &failed);
    uint32_t *at = failed ? NULL : mi_map_at(&tree->scopes, mi_pair(parent, name.v));
    if (!at)
        return NO_ITEM;
    if (!*at) {
        uint32_t item = add_item(tree, (struct item){.label = part});
        if (item) {
            *at = item;
            attach(tree, item, parent);
        }
    }
    return *at;
}

static struct mi_bytes group_label(const struct tree *tree, uint32_t group)
{
    const struct mi_groups *groups = &tree->model->all.rows.groups;
    struct mi_words words = {.arena = &tree->out->arena};
    if (group >= groups->count)
        return mi_describe_node(tree->model, (mi_node_id){group - groups->count},
                                &tree->out->arena);
    struct mi_bytes pass = mi_model_text(tree->model, groups->pass[group]);
    mi_words_put(&words, mi_cstr(mi_enum_name(MI_E_group_kind, groups->kind[group])));
    mi_words_put(&words, MI_LIT(" "));
    mi_words_put(&words, mi_model_text(tree->model, groups->name[group]));
    mi_words_put(&words, pass.len ? MI_LIT(": ") : MI_LIT(""));
    mi_words_put(&words, pass);
    return mi_words_get(&words);
}

/* The item of the node's fusion group, where its first node stands; `below` without one. */
static uint32_t group_below(struct tree *tree, uint32_t node, uint32_t below)
{
    uint32_t group = tree->group_of ? tree->group_of[node] : 0;
    if (!group)
        return below;
    if (!tree->item_of_group[group]) {
        uint32_t item =
            add_item(tree, (struct item){.group = group, .label = group_label(tree, group)});
        if (item)
            attach(tree, item, below);
        tree->item_of_group[group] = item;
    }
    /* What stands in another graph stays there. */
    uint32_t item = tree->item_of_group[group];
    return !item || tree->items[item].parent == below ? item : below;
}

static bool add_node(struct tree *tree, uint32_t node, uint32_t below)
{
    below = group_below(tree, node, below);
    if (!below)
        return false;
    struct mi_bytes name = mi_model_text(tree->model, tree->model->all.rows.nodes.name[node]);
    size_t from = 0;
    for (int i = 0; !tree->flat && i < MAX_SCOPES; i++) {
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
    struct mi_bytes label = mi_bytes_sub(name, tree->flat ? 0 : from, name.len);
    if (!label.len)
        label = mi_describe_node(tree->model, (mi_node_id){node}, &tree->out->arena);
    uint32_t item = add_item(tree, (struct item){.node = node, .label = label});
    if (!item)
        return false;
    tree->item_of_node[node] = item;
    attach(tree, item, below);
    return true;
}

static bool passes(const struct tree *tree, uint32_t node)
{
    const struct mi_nodes *nodes = &tree->model->all.rows.nodes;
    return (!tree->name.len ||
            mi_glob_search(tree->name, mi_model_text(tree->model, nodes->name[node]))) &&
           (!tree->type.len ||
            mi_glob_match(tree->type, mi_model_text(tree->model, nodes->op[node])));
}

static struct mi_bytes graph_label(const struct tree *tree, uint32_t graph)
{
    const struct mi_graphs *graphs = &tree->model->all.rows.graphs;
    struct mi_words words = {.arena = &tree->out->arena};
    struct mi_bytes role = mi_model_text(tree->model, graphs->role[graph]);
    struct mi_bytes domain = mi_model_text(tree->model, graphs->domain[graph]);
    mi_words_put(&words, role);
    mi_words_put(&words, role.len ? MI_LIT(": ") : MI_LIT(""));
    mi_words_put(&words, domain);
    mi_words_put(&words, domain.len ? MI_LIT(".") : MI_LIT(""));
    mi_words_put(&words, mi_model_text(tree->model, graphs->name[graph]));
    return mi_words_get(&words);
}

/* Items of all graphs of the wanted layers with their nodes; bodies are attached afterwards, since
 * their owners may come later in the table. */
static bool build(struct tree *tree)
{
    const struct mi_tables *rows = &tree->model->all.rows;
    const uint32_t *first = tree->model->index.graph_first_node;
    add_item(tree, (struct item){0});
    for (uint32_t g = 1; g < rows->graphs.count; g++) {
        const char *layer = mi_enum_name(MI_E_layer, rows->graphs.layer[g]);
        /* Stages of a build only where they are asked for: there are dozens of much the same. */
        if (tree->layer >= 0 ? strcmp(layer, layers[tree->layer]) != 0
                             : rows->graphs.layer[g] == MI_LAYER_STAGE)
            continue;
        uint32_t item = add_item(tree, (struct item){.graph = g, .label = graph_label(tree, g)});
        if (!item)
            return false;
        tree->item_of_graph[g] = item;
        for (uint32_t n = first[g]; n < first[g + 1]; n++)
            if (passes(tree, n) && !add_node(tree, n, item))
                return false;
    }
    for (uint32_t g = 1; g < rows->graphs.count; g++)
        if (tree->item_of_graph[g])
            attach(tree, tree->item_of_graph[g], tree->item_of_node[rows->graphs.parent[g].v]);
    return true;
}

/* Adds each node to everything above it. */
static void sum_up(struct tree *tree)
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

/* --- writing --- */

static void fill_node(const struct tree *tree, const struct item *item, struct mi_cell *row)
{
    const struct mi_model *model = tree->model;
    const struct mi_tables *rows = &model->all.rows;
    mi_node_id node = {item->node};
    uint32_t fate = model->index.fate_of[node.v], birth = model->index.birth_of[node.v];
    row[KIND] = mi_cell_word(N_("node"));
    row[OP_TYPE] = mi_cell_text(mi_describe_op(model, node, &tree->out->arena));
    struct mi_bytes outputs = mi_describe_outputs(model, node, &tree->out->arena);
    if (outputs.len)
        row[OUTPUTS] = mi_cell_text(outputs);
    if (tree->times && tree->times[node.v].tasks) {
        row[TASKS] = mi_cell_int(tree->times[node.v].tasks);
        row[TOTAL] = mi_cell_int(tree->times[node.v].total_ns);
    }
    if (fate)
        row[FATE] = mi_cell_word(mi_enum_name(MI_E_fate, rows->fates.fate[fate]));
    if (birth)
        row[ORIGIN] = mi_cell_word(mi_enum_name(MI_E_origin, rows->births.origin[birth]));
    row[NODE] = mi_cell_int(node.v);
    row[NAME] = mi_cell_text(mi_model_text(model, rows->nodes.name[node.v]));
}

static void fill_group(const struct tree *tree, const struct item *item, struct mi_cell *row)
{
    const struct mi_tables *rows = &tree->model->all.rows;
    row[KIND] = mi_cell_word(item->graph ? N_("graph") : item->group ? N_("group") : N_("scope"));
    if (item->group && item->group >= rows->groups.count) {
        mi_node_id node = {item->group - rows->groups.count};
        row[OP_TYPE] = mi_cell_text(mi_describe_op(tree->model, node, &tree->out->arena));
        row[NODE] = mi_cell_int(node.v);
        row[NAME] = mi_cell_text(mi_model_text(tree->model, rows->nodes.name[node.v]));
    } else if (item->group) {
        row[NAME] = mi_cell_text(mi_model_text(tree->model, rows->groups.name[item->group]));
    }
    if (item->graph) {
        unsigned kind = rows->graphs.kind[item->graph];
        row[GRAPH] = mi_cell_word(kind != MI_GRAPH_MAIN
                                      ? mi_enum_name(MI_E_graph_kind, kind)
                                      : mi_enum_name(MI_E_layer, rows->graphs.layer[item->graph]));
        row[NAME] = mi_cell_text(mi_model_text(tree->model, rows->graphs.name[item->graph]));
    }
    row[NODES] = mi_cell_int(item->nodes);
    if (item->tasks) {
        row[TASKS] = mi_cell_int(item->tasks);
        row[TOTAL] = mi_cell_int(item->total_ns);
    }
}

/* A scope around a single node is no help: the node itself, with the scope in its label. */
static uint32_t unwrap(const struct tree *tree, uint32_t at, struct mi_bytes *label)
{
    const struct item *items = tree->items;
    *label = items[at].label;
    if (items[at].node || items[at].graph || items[at].group || items[at].nodes != 1)
        return at;
    while (!items[at].node)
        at = items[at].first;
    /* The label of a scope lies within the name of its first node. */
    label->len = (size_t)(items[at].label.at + items[at].label.len - label->at);
    return at;
}

/* Walks the tree without a stack: down to the first child, on to the next, up to the parent. */
static void list_items(struct tree *tree, uint32_t max_level)
{
    struct mi_report_table *table = mi_report_add_table(tree->out, "graph", N_("Graph"), columns,
                                                        sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "tasks fate origin");
    uint32_t at = tree->items[0].first;
    int64_t depth = 0;
    while (at) {
        struct mi_bytes label;
        struct item *item = &tree->items[unwrap(tree, at, &label)];
        bool is_group = !item->node, is_empty = is_group && item->nodes == 0;
        bool is_filtered = tree->name.len || tree->type.len;
        if (!is_empty || !is_filtered) {
            struct mi_cell *row = mi_report_add_row(tree->out, table);
            if (!row)
                return;
            row[DEPTH] = mi_cell_int(depth);
            row[LABEL] = mi_cell_text(label);
            if (item->node)
                fill_node(tree, item, row);
            else
                fill_group(tree, item, row);
        }
        /* The graphs on top do not count as a level. */
        item->level = tree->items[item->parent].level + (is_group && item->parent ? 1 : 0);
        if (item->first && item == &tree->items[at] &&
            (!max_level || !is_group || item->level <= max_level)) {
            at = item->first;
            depth++;
            continue;
        }
        while (at && !tree->items[at].next) {
            at = tree->items[at].parent;
            depth--;
        }
        at = at ? tree->items[at].next : 0;
    }
}

static void fini(struct tree *tree)
{
    mi_mem_free(tree->items);
    mi_mem_free(tree->item_of_graph);
    mi_mem_free(tree->item_of_node);
    mi_mem_free(tree->times);
    mi_mem_free(tree->group_of);
    mi_mem_free(tree->item_of_group);
    mi_map_fini(&tree->scopes);
    mi_strings_fini(&tree->parts);
}

/* Framework ops of one compiled node are a group if it has several; in several nodes: the first. */
static void group_ops(struct tree *tree)
{
    const struct mi_tables *rows = &tree->model->all.rows;
    for (uint32_t l = rows->lowered.count; l-- > 1;) {
        mi_node_id node = rows->lowered.compiled[l];
        if (mi_csr_count(&tree->model->index.framework_of, node.v) > 1)
            tree->group_of[rows->lowered.framework[l].v] = rows->groups.count + node.v;
    }
}

/* A node in several groups goes into the first. */
static bool list_groups(struct tree *tree)
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

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    const struct mi_arg *fold = mi_args_find(args, "fold");
    bool by_group = fold && fold->number == 1;
    const struct mi_arg *layer = mi_args_find(args, "layer");
    struct tree tree = {.model = model,
                        .out = out,
                        .name = mi_cstr(mi_args_text(args, "name", NULL)),
                        .type = mi_cstr(mi_args_text(args, "type", NULL)),
                        .layer = layer ? (int)layer->number : -1,
                        .flat = by_group || mi_args_flag(args, "flat")};
    bool filtered = tree.name.len || tree.type.len;
    const struct mi_arg *depth = mi_args_find(args, "depth");
    /* A default has no text; with a filter it gives way, so that what was asked for is seen. */
    uint32_t max_level = depth && (*depth->text || !filtered) ? (uint32_t)depth->number : 0;
    if (!mi_node_times(model, &tree.times, err))
        return false;
    tree.item_of_graph = mi_mem_zero(model->all.rows.graphs.count, sizeof *tree.item_of_graph);
    tree.item_of_node = mi_mem_zero(model->all.rows.nodes.count, sizeof *tree.item_of_node);
    bool ok = mi_strings_init(&tree.parts) && tree.item_of_graph && tree.item_of_node &&
              (!by_group || list_groups(&tree)) && build(&tree) && tree.count;
    if (ok) {
        sum_up(&tree);
        list_items(&tree, max_level);
    }
    fini(&tree);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}

const struct mi_pass mi_pass_graph = {
    .name = "graph",
    .title = N_("The graph as an indented list"),
    .params = mi_params_graph,
    .run = run,
};
