/* What is shown of nodes: what they are, their attributes, their tensors. */
#include "analyse/describe.h"
#include "analyse/show/show_parts.h"
#include "base/translate.h"

enum { MOST_PEERS = 8, MOST_VALUES = 64 };

static const struct mi_report_column node_columns[] = {
    {"relation", N_("is"), MI_CELL_WORD, "", N_("the subject, or how it belongs to it")},
    {"layer", N_("layer"), MI_CELL_WORD, "", N_("framework or compiled")},
    {"node", N_("node"), MI_CELL_NODE, "", N_("row of the node")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("name of the node")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"category", N_("category"), MI_CELL_WORD, "", N_("kind of operator")},
    {"graph", N_("graph"), MI_CELL_TEXT, "", N_("graph that it stands in")},
    {"position", N_("position"), MI_CELL_INT, "", N_("place in the list of its graph, from 0")},
    {"native_id", N_("own number"), MI_CELL_INT, "", N_("number that the stack gave it")},
    {"logical_stream", N_("logical stream"), MI_CELL_INT, "", N_("stream in the graph")},
    {"is_fused", N_("fused"), MI_CELL_BOOL, "", N_("joined with other ops in one node")},
    {"origin", N_("origin"), MI_CELL_WORD, "", N_("of a compiled node: where it comes from")},
    {"fate", N_("fate"), MI_CELL_WORD, "", N_("of a framework op: what became of it")},
    {"reason", N_("reason"), MI_CELL_WORD, "", N_("why")},
    {"fate_confidence", N_("sure"), MI_CELL_WORD, "", N_("how sure the fate is")},
    {"evidence", N_("evidence"), MI_CELL_SENTENCE, "", N_("what fate or origin rest on")},
    {"serves", N_("serves"), MI_CELL_TEXT, "", N_("tensor that it moves or converts")},
};

static bool is_fused(const struct mi_model *model, uint32_t node)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t fate = model->index.fate_of[node], birth = model->index.birth_of[node];
    return (birth && rows->births.origin[birth] == MI_ORIGIN_FUSED) ||
           (fate && rows->fates.fate[fate] == MI_FATE_FUSED_INTO);
}

void mi_show_nodes(struct mi_show *show)
{
    const struct mi_model *model = show->model;
    const struct mi_tables *rows = &model->all.rows;
    struct mi_report_table *table = mi_report_add_table(
        show->out, "nodes", N_("Nodes"), node_columns, sizeof node_columns / sizeof *node_columns);
    mi_report_mark_details(
        table, "category graph position native_id logical_stream reason fate_confidence evidence");
    for (uint32_t i = 0; i < show->node_count; i++) {
        mi_node_id node = show->nodes[i].node;
        uint32_t n = node.v, graph = rows->nodes.graph[n].v;
        uint32_t fate = model->index.fate_of[n], birth = model->index.birth_of[n];
        struct mi_cell *row = mi_report_add_row(show->out, table);
        if (!row)
            return;
        row[0] = mi_cell_word(show->nodes[i].relation);
        row[1] = mi_cell_word(mi_enum_name(MI_E_layer, rows->graphs.layer[graph]));
        row[2] = mi_cell_int(n);
        row[3] = mi_cell_text(mi_describe_node(model, node, &show->out->arena));
        row[4] = mi_cell_text(mi_describe_op(model, node, &show->out->arena));
        row[5] = mi_cell_word(mi_enum_name(MI_E_category, rows->nodes.category[n]));
        row[6] = mi_cell_text(mi_model_text(model, rows->graphs.name[graph]));
        row[7] = mi_cell_int(rows->nodes.position[n]);
        if (rows->nodes.native_id[n] >= 0)
            row[8] = mi_cell_int(rows->nodes.native_id[n]);
        if (rows->nodes.stream[n] >= 0)
            row[9] = mi_cell_int(rows->nodes.stream[n]);
        if (fate || birth)
            row[10] = mi_cell_int(is_fused(model, n));
        if (birth) {
            row[11] = mi_cell_word(mi_enum_name(MI_E_origin, rows->births.origin[birth]));
            if (rows->births.evidence[birth].v)
                row[15] = mi_cell_text(mi_model_text(model, rows->births.evidence[birth]));
            mi_value_id serves = rows->births.serves[birth];
            if (serves.v)
                row[16] = mi_cell_text(mi_model_text(model, rows->values.name[serves.v]));
        }
        if (fate) {
            row[12] = mi_cell_word(mi_enum_name(MI_E_fate, rows->fates.fate[fate]));
            row[13] = mi_cell_word(mi_enum_name(MI_E_reason, rows->fates.reason[fate]));
            row[14] = mi_cell_word(mi_enum_name(MI_E_confidence, rows->fates.confidence[fate]));
            if (rows->fates.evidence[fate].v)
                row[15] = mi_cell_text(mi_model_text(model, rows->fates.evidence[fate]));
        }
    }
}

static const struct mi_report_column attr_columns[] = {
    {"node", N_("node"), MI_CELL_NODE, "", N_("row of the node")},
    {"attribute", N_("attribute"), MI_CELL_TEXT, "", N_("name of the attribute")},
    {"kind", N_("kind"), MI_CELL_WORD, "", N_("type of its value")},
    {"value", N_("value"), MI_CELL_TEXT, "", N_("its value; long lists are cut")},
};

void mi_show_attributes(struct mi_show *show)
{
    const struct mi_tables *rows = &show->model->all.rows;
    struct mi_report_table *table =
        mi_report_add_table(show->out, "attributes", N_("Attributes"), attr_columns,
                            sizeof attr_columns / sizeof *attr_columns);
    for (uint32_t i = 0; i < show->node_count; i++) {
        uint32_t n = show->nodes[i].node.v, first = rows->nodes.first_attr[n];
        for (uint32_t a = first; a < first + rows->nodes.attr_count[n]; a++) {
            struct mi_cell *row = mi_report_add_row(show->out, table);
            if (!row)
                return;
            row[0] = mi_cell_int(n);
            row[1] = mi_cell_text(mi_model_text(show->model, rows->attrs.name[a]));
            row[2] = mi_cell_word(mi_enum_name(MI_E_attr_kind, rows->attrs.kind[a]));
            row[3] =
                mi_cell_text(mi_describe_attr(show->model, (mi_attr_id){a}, &show->out->arena));
        }
    }
}

/* --- tensors --- */

static const struct mi_report_column port_columns[] = {
    {"node", N_("node"), MI_CELL_NODE, "", N_("row of the node")},
    {"direction", N_("direction"), MI_CELL_WORD, "",
     N_("input or output; back edge: an input from the round before of a loop")},
    {"index", N_("no."), MI_CELL_INT, "", N_("place among the inputs or outputs, from 0")},
    {"tensor", N_("tensor"), MI_CELL_TEXT, "", N_("its name")},
    {"type", N_("data type"), MI_CELL_TEXT, "", N_("element type, shape and layout")},
    {"dtype_from", N_("dtype is"), MI_CELL_WORD, "", N_("how the element type is known")},
    {"shape_from", N_("shape is"), MI_CELL_WORD, "", N_("how the shape is known")},
    {"kind", N_("kind"), MI_CELL_WORD, "", N_("how the tensor comes into being")},
    {"size_bytes", N_("size"), MI_CELL_INT, "B", N_("of constant data")},
    {"peers", N_("from / to"), MI_CELL_TEXT, "", N_("producer of an input, readers of an output")},
};

/* Names of the nodes that read one value; returns how many there are. `shown` were written before.
 */
static uint32_t put_readers(const struct mi_show *show, mi_value_id value, uint32_t shown,
                            struct mi_words *words)
{
    const struct mi_csr *of = &show->model->index.consumers;
    uint32_t count = 0, last = 0;
    for (uint32_t i = of->first[value.v]; i < of->first[value.v + 1]; i++) {
        mi_node_id reader = {of->list[i]};
        if (reader.v == last) /* listed once per port */
            continue;
        last = reader.v;
        if (shown + count++ >= MOST_PEERS)
            continue;
        mi_words_put(words, words->len ? MI_LIT(", ") : MI_LIT(""));
        mi_words_put(words, mi_describe_node(show->model, reader, words->arena));
    }
    return count;
}

/* Readers of a value in its own graph and in the bodies that capture it. */
static struct mi_bytes readers(const struct mi_show *show, mi_value_id value)
{
    const struct mi_csr *inner = &show->model->index.outer_uses;
    struct mi_words words = {.arena = &show->out->arena};
    mi_value_id open[MOST_VALUES] = {value};
    uint32_t count = 0, open_count = 1;
    for (uint32_t i = 0; i < open_count; i++) {
        count += put_readers(show, open[i], count, &words);
        for (uint32_t k = inner->first[open[i].v];
             k < inner->first[open[i].v + 1] && open_count < MOST_VALUES; k++)
            open[open_count++] = (mi_value_id){inner->list[k]};
    }
    if (count > MOST_PEERS)
        mi_words_printf(&words, ", ... (%u)", count);
    return mi_words_get(&words);
}

static void add_port(struct mi_show *show, struct mi_report_table *table, uint32_t node,
                     bool is_input, uint32_t index, mi_value_id value)
{
    const struct mi_tables *rows = &show->model->all.rows;
    struct mi_cell *row = mi_report_add_row(show->out, table);
    if (!row)
        return;
    row[0] = mi_cell_int(node);
    bool is_back = is_input && rows->ports.is_back[rows->nodes.first_in[node] + index];
    row[1] = mi_cell_word(is_back ? N_("back edge") : is_input ? N_("input") : N_("output"));
    row[2] = mi_cell_int(index);
    if (!value.v)
        return;
    mi_value_id origin = mi_value_origin(show->model, value);
    struct mi_bytes type = mi_describe_type(show->model, value, &show->out->arena);
    row[3] = mi_cell_text(mi_model_text(show->model, rows->values.name[value.v]));
    if (type.len)
        row[4] = mi_cell_text(type);
    if (rows->values.dtype_from[origin.v] != MI_KNOWN_NOT)
        row[5] = mi_cell_word(mi_enum_name(MI_E_known, rows->values.dtype_from[origin.v]));
    if (rows->values.shape_from[origin.v] != MI_KNOWN_NOT)
        row[6] = mi_cell_word(mi_enum_name(MI_E_known, rows->values.shape_from[origin.v]));
    row[7] = mi_cell_word(mi_enum_name(MI_E_value_kind, rows->values.kind[value.v]));
    if (rows->values.kind[origin.v] == MI_VALUE_CONSTANT && rows->values.data_bytes[origin.v] >= 0)
        row[8] = mi_cell_int(rows->values.data_bytes[origin.v]);
    struct mi_bytes peers =
        is_input ? mi_describe_node(show->model, rows->values.producer[origin.v], &show->out->arena)
                 : readers(show, value);
    if (peers.len)
        row[9] = mi_cell_text(peers);
}

void mi_show_ports(struct mi_show *show)
{
    const struct mi_tables *rows = &show->model->all.rows;
    struct mi_report_table *table =
        mi_report_add_table(show->out, "tensors", N_("Inputs and outputs"), port_columns,
                            sizeof port_columns / sizeof *port_columns);
    mi_report_mark_details(table, "index dtype_from shape_from kind size_bytes");
    for (uint32_t i = 0; i < show->node_count; i++) {
        uint32_t n = show->nodes[i].node.v;
        for (uint32_t p = 0; p < rows->nodes.in_count[n]; p++)
            add_port(show, table, n, true, p, rows->ports.value[rows->nodes.first_in[n] + p]);
        for (uint32_t p = 0; p < rows->nodes.out_count[n]; p++)
            add_port(show, table, n, false, p, rows->ports.value[rows->nodes.first_out[n] + p]);
    }
}
