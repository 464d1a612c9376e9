/* The graph as an indented list: nodes below the scopes that their names spell
 * ("/layer1/attn/MatMul"), bodies below the nodes that own them. */
#include "analyse/describe.h"
#include "analyse/outline.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
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

struct listing {
    const struct mi_outline *outline;
    struct mi_report *out;
    uint32_t *level; /* [items] scopes and bodies above it, for --depth */
};

static void fill_node(const struct listing *l, const struct mi_outline_item *item,
                      struct mi_cell *row)
{
    const struct mi_model *model = l->outline->model;
    const struct mi_tables *rows = &model->all.rows;
    mi_node_id node = {item->node};
    uint32_t fate = model->index.fate_of[node.v], birth = model->index.birth_of[node.v];
    row[KIND] = mi_cell_word(N_("node"));
    row[OP_TYPE] = mi_cell_text(mi_describe_op(model, node, &l->out->arena));
    struct mi_bytes outputs = mi_describe_outputs(model, node, &l->out->arena);
    if (outputs.len)
        row[OUTPUTS] = mi_cell_text(outputs);
    if (l->outline->times && l->outline->times[node.v].tasks) {
        row[TASKS] = mi_cell_int(l->outline->times[node.v].tasks);
        row[TOTAL] = mi_cell_int(l->outline->times[node.v].total_ns);
    }
    if (fate)
        row[FATE] = mi_cell_word(mi_enum_name(MI_E_fate, rows->fates.fate[fate]));
    if (birth)
        row[ORIGIN] = mi_cell_word(mi_enum_name(MI_E_origin, rows->births.origin[birth]));
    row[NODE] = mi_cell_int(node.v);
    row[NAME] = mi_cell_text(mi_model_text(model, rows->nodes.name[node.v]));
}

static void fill_group(const struct listing *l, const struct mi_outline_item *item,
                       struct mi_cell *row)
{
    const struct mi_tables *rows = &l->outline->model->all.rows;
    row[KIND] = mi_cell_word(item->graph ? N_("graph") : item->group ? N_("group") : N_("scope"));
    if (item->group && item->group >= rows->groups.count) {
        mi_node_id node = {item->group - rows->groups.count};
        row[OP_TYPE] = mi_cell_text(mi_describe_op(l->outline->model, node, &l->out->arena));
        row[NODE] = mi_cell_int(node.v);
        row[NAME] = mi_cell_text(mi_model_text(l->outline->model, rows->nodes.name[node.v]));
    } else if (item->group) {
        row[NAME] = mi_cell_text(mi_model_text(l->outline->model, rows->groups.name[item->group]));
    }
    if (item->graph) {
        unsigned kind = rows->graphs.kind[item->graph];
        row[GRAPH] = mi_cell_word(kind != MI_GRAPH_MAIN
                                      ? mi_enum_name(MI_E_graph_kind, kind)
                                      : mi_enum_name(MI_E_layer, rows->graphs.layer[item->graph]));
        row[NAME] = mi_cell_text(mi_model_text(l->outline->model, rows->graphs.name[item->graph]));
    }
    row[NODES] = mi_cell_int(item->nodes);
    if (item->tasks) {
        row[TASKS] = mi_cell_int(item->tasks);
        row[TOTAL] = mi_cell_int(item->total_ns);
    }
}

/* Walks the outline without a stack: down to the first child, on to the next, up to the parent. */
static void list_items(struct listing *l, uint32_t max_level)
{
    struct mi_report_table *table = mi_report_add_table(l->out, "graph", N_("Graph"), columns,
                                                        sizeof columns / sizeof *columns);
    const struct mi_outline *outline = l->outline;
    bool is_filtered = outline->options.name.len || outline->options.type.len;
    mi_report_mark_details(table, "tasks fate origin");
    uint32_t at = outline->items[0].first;
    int64_t depth = 0;
    while (at) {
        struct mi_bytes label;
        uint32_t shown = mi_outline_unwrap(outline, at, &label);
        const struct mi_outline_item *item = &outline->items[shown];
        bool is_group = !item->node, is_empty = is_group && item->nodes == 0;
        if (!is_empty || !is_filtered) {
            struct mi_cell *row = mi_report_add_row(l->out, table);
            if (!row)
                return;
            row[DEPTH] = mi_cell_int(depth);
            row[LABEL] = mi_cell_text(label);
            if (item->node)
                fill_node(l, item, row);
            else
                fill_group(l, item, row);
        }
        /* The graphs on top do not count as a level. */
        l->level[shown] = l->level[item->parent] + (is_group && item->parent ? 1 : 0);
        if (item->first && shown == at &&
            (!max_level || !is_group || l->level[shown] <= max_level)) {
            at = item->first;
            depth++;
            continue;
        }
        while (at && !outline->items[at].next) {
            at = outline->items[at].parent;
            depth--;
        }
        at = at ? outline->items[at].next : 0;
    }
}

static const enum mi_layer layer_of[] = {MI_LAYER_FRAMEWORK, MI_LAYER_COMPILED, MI_LAYER_STAGE};

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    const struct mi_arg *fold = mi_args_find(args, "fold"), *layer = mi_args_find(args, "layer");
    struct mi_outline_options options = {
        .layer = layer ? (int)layer_of[layer->number] : -1,
        .by_group = fold && fold->number == 1,
        .flat = mi_args_flag(args, "flat"),
        .name = mi_cstr(mi_args_text(args, "name", NULL)),
        .type = mi_cstr(mi_args_text(args, "type", NULL)),
    };
    bool filtered = options.name.len || options.type.len;
    const struct mi_arg *depth = mi_args_find(args, "depth");
    /* A default has no text; with a filter it gives way, so that what was asked for is seen. */
    uint32_t max_level = depth && (*depth->text || !filtered) ? (uint32_t)depth->number : 0;
    struct mi_outline outline;
    struct listing listing = {.outline = &outline, .out = out};
    bool ok = mi_outline_init(&outline, model, &options, err);
    if (ok) {
        listing.level = mi_mem_zero(outline.count, sizeof *listing.level);
        ok = listing.level || mi_fail(err, MI_ENOMEM, "out of memory");
    }
    if (ok)
        list_items(&listing, max_level);
    mi_mem_free(listing.level);
    mi_arena_adopt(&out->arena, &outline.arena); /* the report shows its labels */
    mi_outline_fini(&outline);
    return ok;
}

const struct mi_pass mi_pass_graph = {
    .name = "graph",
    .title = N_("The graph as an indented list"),
    .params = mi_params_graph,
    .run = run,
};
