/* Export "dot": one layer as a Graphviz digraph. Boxes are nodes coloured by category, clusters are
 * the bodies of control-flow nodes, arrows carry dtype and shape. Names are escaped so that they
 * stand as text whatever they hold, and are cut at 80 columns. */
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "present/export/common.h"

enum { MAX_COLUMNS = 80 };

struct writer {
    const struct mi_model *model;
    const struct mi_tables *rows;
    struct mi_sink *sink;
    struct mi_sink text; /* scratch */
};

/* Fill colours, light enough for black text. */
static const char *const colours[] = {
    [MI_CATEGORY_OTHER] = "#eeeeee",
    [MI_CATEGORY_CONVOLUTION] = "#9ecae1",
    [MI_CATEGORY_FULLY_CONNECTED] = "#c6dbef",
    [MI_CATEGORY_NORMALISATION] = "#c7e9c0",
    [MI_CATEGORY_ACTIVATION] = "#fdd0a2",
    [MI_CATEGORY_ELEMENTWISE] = "#fee6ce",
    [MI_CATEGORY_REDUCTION_POOLING] = "#dadaeb",
    [MI_CATEGORY_DATA_MOVEMENT] = "#d9d9d9",
    [MI_CATEGORY_COMMUNICATION] = "#bcbddc",
    [MI_CATEGORY_SYNCHRONISATION] = "#bdbdbd",
    [MI_CATEGORY_CONTROL] = "#fdae6b",
    [MI_CATEGORY_CUSTOM] = "#fcbba1",
};

/* Text within double quotes. mi_utf8_show() has no quotes to escape but writes backslashes, which
 * Graphviz would take for its own escapes. */
static void write_text(struct writer *w, struct mi_bytes name)
{
    mi_sink_clear(&w->text);
    mi_utf8_show(&w->text, name, MAX_COLUMNS);
    struct mi_bytes shown = mi_sink_bytes(&w->text);
    if (mi_sink_failed(&w->text))
        mi_sink_fail(w->sink, MI_ENOMEM, "out of memory for a name");
    for (size_t i = 0; i < shown.len; i++) {
        if (shown.at[i] == '"' || shown.at[i] == '\\')
            mi_sink_byte(w->sink, '\\');
        mi_sink_byte(w->sink, shown.at[i]);
    }
}

static void write_number(struct writer *w, const char *before, uint32_t number)
{
    mi_sink_text(w->sink, before);
    mi_sink_u64(w->sink, number);
}

/* "float32 1x3xheightx?" */
static void write_type(struct writer *w, uint32_t value)
{
    const struct mi_values *values = &w->rows->values;
    const struct mi_dims *dims = &w->rows->dims;
    write_text(w, mi_model_text(w->model, values->dtype[value]));
    if (!values->has_shape[value])
        return;
    mi_sink_text(w->sink, " ");
    for (uint32_t i = 0; i < values->dim_count[value]; i++) {
        uint32_t dim = values->first_dim[value] + i;
        mi_sink_text(w->sink, i ? "x" : "");
        if (dims->size[dim] >= 0)
            mi_sink_i64(w->sink, dims->size[dim]);
        else if (dims->symbol[dim].v)
            write_text(w, mi_model_text(w->model, dims->symbol[dim]));
        else
            mi_sink_text(w->sink, "?");
    }
}

static void write_node(struct writer *w, uint32_t node)
{
    const struct mi_nodes *nodes = &w->rows->nodes;
    unsigned category = nodes->category[node];
    const char *colour =
        category < sizeof colours / sizeof *colours ? colours[category] : "#eeeeee";
    write_number(w, "n", node);
    mi_sink_text(w->sink, " [label=\"");
    write_text(w, mi_model_text(w->model, nodes->op[node]));
    mi_sink_text(w->sink, "\\n");
    write_text(w, mi_model_text(w->model, nodes->name[node]));
    mi_sink_text(w->sink, "\", fillcolor=\"");
    mi_sink_text(w->sink, colour);
    mi_sink_text(w->sink, mi_relate_is_fused(w->model, (mi_node_id){node}) ? "\", peripheries=2];\n"
                                                                           : "\"];\n");
}

static void write_edges_into(struct writer *w, uint32_t node)
{
    const struct mi_nodes *nodes = &w->rows->nodes;
    for (uint32_t i = 0; i < nodes->in_count[node]; i++) {
        uint32_t port = nodes->first_in[node] + i;
        mi_value_id value = mi_relate_real_value(w->model, w->rows->ports.value[port]);
        uint32_t producer = value.v ? w->rows->values.producer[value.v].v : 0;
        if (!producer)
            continue;
        write_number(w, "n", producer);
        write_number(w, " -> n", node);
        mi_sink_text(w->sink, " [label=\"");
        write_type(w, value.v);
        mi_sink_text(w->sink, w->rows->ports.is_control[port] ? "\", style=dashed];\n" : "\"];\n");
    }
}

static void open_cluster(struct writer *w, uint32_t graph)
{
    const struct mi_graphs *graphs = &w->rows->graphs;
    const uint32_t *first = w->model->index.graph_first_node;
    write_number(w, "subgraph cluster_", graph);
    mi_sink_text(w->sink, " {\nlabel=\"");
    if (graphs->role[graph].v) {
        write_text(w, mi_model_text(w->model, graphs->role[graph]));
        mi_sink_text(w->sink, " ");
    }
    write_text(w, mi_model_text(w->model, graphs->name[graph]));
    mi_sink_text(w->sink, "\";\n");
    for (uint32_t n = first[graph]; n < first[graph + 1]; n++)
        write_node(w, n);
}

/* Graphs by the graph that owns them: child[g] is the first, next[g] the following one. */
struct nesting {
    uint32_t *child, *next;
};

static bool find_nesting(const struct mi_tables *rows, struct nesting *nesting)
{
    const struct mi_graphs *graphs = &rows->graphs;
    nesting->child = mi_mem_zero(graphs->count, sizeof *nesting->child);
    nesting->next = mi_mem_zero(graphs->count, sizeof *nesting->next);
    if (!nesting->child || !nesting->next)
        return false;
    for (uint32_t g = graphs->count; g-- > 1;) {
        uint32_t owner = graphs->parent[g].v ? rows->nodes.graph[graphs->parent[g].v].v : 0;
        nesting->next[g] = nesting->child[owner];
        nesting->child[owner] = g;
    }
    return true;
}

/* The clusters of one layer, inner ones inside: down to the first child, else on to the next
 * sibling, else back up to the owner. */
static void write_clusters(struct writer *w, const struct nesting *nesting, enum mi_layer layer)
{
    const struct mi_graphs *graphs = &w->rows->graphs;
    for (uint32_t top = nesting->child[0]; top; top = nesting->next[top]) {
        if (graphs->layer[top] != layer)
            continue;
        uint32_t at = top;
        open_cluster(w, at);
        for (;;) {
            if (nesting->child[at]) {
                at = nesting->child[at];
                open_cluster(w, at);
                continue;
            }
            mi_sink_text(w->sink, "}\n");
            while (at != top && !nesting->next[at]) {
                at = w->rows->nodes.graph[graphs->parent[at].v].v;
                mi_sink_text(w->sink, "}\n");
            }
            if (at == top)
                break;
            at = nesting->next[at];
            open_cluster(w, at);
        }
    }
}

/* --layer, else the compiled graph where there is one. */
static enum mi_layer wanted_layer(const struct mi_view *view)
{
    const char *word = mi_args_text(view->args, "layer", "");
    for (unsigned layer = 1; layer < mi_enum_size(MI_E_layer); layer++)
        if (strcmp(word, mi_enum_name(MI_E_layer, layer)) == 0)
            return (enum mi_layer)layer;
    return mi_model_has_layer(view->model, MI_LAYER_COMPILED) ? MI_LAYER_COMPILED
                                                              : MI_LAYER_FRAMEWORK;
}

static void write_layer(struct writer *w, const struct nesting *nesting, enum mi_layer layer)
{
    mi_sink_text(w->sink, "// model-inspector-dot/1\ndigraph \"");
    mi_sink_text(w->sink, mi_enum_name(MI_E_layer, layer));
    mi_sink_text(w->sink, "\" {\nrankdir=TB;\nnode [shape=box, style=\"filled,rounded\", "
                          "fontname=\"sans-serif\"];\nedge [fontname=\"sans-serif\", "
                          "fontsize=9];\n");
    write_clusters(w, nesting, layer);
    for (uint32_t n = 1; n < w->rows->nodes.count && !mi_sink_failed(w->sink); n++)
        if (mi_node_layer(w->model, (mi_node_id){n}) == layer)
            write_edges_into(w, n);
    mi_sink_text(w->sink, "}\n");
}

static bool write_dot(const struct mi_view *view, struct mi_target *target, struct mi_error *err)
{
    struct writer w = {.model = view->model, .rows = &view->model->all.rows};
    struct nesting nesting = {0};
    bool ok = find_nesting(w.rows, &nesting) || mi_fail(err, MI_ENOMEM, "out of memory");
    w.sink = ok ? target->open(target, "export.dot", err) : NULL;
    if (w.sink) {
        mi_sink_init_memory(&w.text);
        write_layer(&w, &nesting, wanted_layer(view));
        mi_sink_fini(&w.text);
    }
    mi_mem_free(nesting.child);
    mi_mem_free(nesting.next);
    return w.sink && target->close(target, err);
}

const struct mi_exporter mi_exporter_dot = {
    .name = "dot",
    .title = N_("one layer's graph for Graphviz (--layer)"),
    .suffix = ".dot",
    .media_type = "text/vnd.graphviz; charset=utf-8",
    .write = write_dot,
};
