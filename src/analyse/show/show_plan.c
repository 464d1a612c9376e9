/* What is shown of the compiler's plan: tasks, memory, fusion groups, and the history of the build.
 */
#include "analyse/describe.h"
#include "analyse/series/stages_parts.h"
#include "analyse/show/show_parts.h"
#include "base/translate.h"

enum { MOST_MEMBERS = 16 };

static bool is_shown(const struct mi_show *show, mi_node_id node)
{
    for (uint32_t i = 0; node.v && i < show->node_count; i++)
        if (show->nodes[i].node.v == node.v)
            return true;
    return false;
}

static struct mi_cell text_or_none(const struct mi_model *model, mi_str_id text)
{
    return text.v ? mi_cell_text(mi_model_text(model, text)) : mi_cell_none();
}

static struct mi_cell known_or_none(int64_t number)
{
    return number >= 0 ? mi_cell_int(number) : mi_cell_none();
}

/* --- planned tasks --- */

static const struct mi_report_column planned_columns[] = {
    {"node", N_("node"), MI_CELL_NODE, "", N_("row of the node")},
    {"position", N_("no."), MI_CELL_INT, "", N_("place in the list of its model, from 0")},
    {"stream", N_("stream"), MI_CELL_INT, "", N_("logical stream")},
    {"type", N_("planned task"), MI_CELL_TEXT, "", N_("type of the planned task")},
    {"event", N_("event"), MI_CELL_INT, "", N_("event or notify number")},
    {"kernel", N_("kernel"), MI_CELL_TEXT, "", N_("kernel function")},
    {"block_dim", N_("cores"), MI_CELL_INT, "", N_("cores asked for")},
    {"confidence", N_("link"), MI_CELL_WORD, "", N_("how sure it is that it belongs to the node")},
    {"rule", N_("rule"), MI_CELL_TEXT, "", N_("rule that tied it to the node")},
    {"evidence", N_("evidence"), MI_CELL_SENTENCE, "", N_("what it rests on")},
};

void mi_show_planned(struct mi_show *show)
{
    const struct mi_planned *planned = &show->model->all.rows.planned;
    struct mi_report_table *table =
        mi_report_add_table(show->out, "planned", N_("Planned tasks"), planned_columns,
                            sizeof planned_columns / sizeof *planned_columns);
    mi_report_mark_details(table, "rule evidence");
    for (uint32_t t = 1; t < planned->count; t++) {
        struct mi_cell *row =
            is_shown(show, planned->node[t]) ? mi_report_add_row(show->out, table) : NULL;
        if (!row)
            continue;
        row[0] = mi_cell_int(planned->node[t].v);
        row[1] = mi_cell_int(planned->position[t]);
        row[2] = known_or_none(planned->stream[t]);
        row[3] = mi_cell_text(mi_model_text(show->model, planned->type[t]));
        row[4] = known_or_none(planned->event[t]);
        row[5] = text_or_none(show->model, planned->kernel[t]);
        row[6] = known_or_none(planned->block_dim[t]);
        row[7] = mi_cell_word(mi_enum_name(MI_E_confidence, planned->confidence[t]));
        row[8] = text_or_none(show->model, planned->rule[t]);
        row[9] = text_or_none(show->model, planned->evidence[t]);
    }
}

/* --- memory --- */

static const struct mi_report_column memory_columns[] = {
    {"node", N_("node"), MI_CELL_NODE, "", N_("row of the node")},
    {"kind", N_("buffer"), MI_CELL_WORD, "", N_("input, output or workspace")},
    {"index", N_("no."), MI_CELL_INT, "", N_("which of them, from 0")},
    {"tensor", N_("tensor"), MI_CELL_TEXT, "", N_("its name")},
    {"offset_bytes", N_("offset"), MI_CELL_INT, "B", N_("in its memory")},
    {"size_bytes", N_("size"), MI_CELL_INT, "B", N_("size of the buffer")},
    {"memory", N_("memory"), MI_CELL_TEXT, "", N_("which memory; empty: feature map")},
    {"reuses", N_("reuses input"), MI_CELL_INT, "", N_("input whose memory the output takes over")},
    {"shared_with", N_("also there"), MI_CELL_TEXT, "",
     N_("another node whose output begins at the same place: the memory is used again")},
};

static mi_value_id value_of(const struct mi_tables *rows, uint32_t buffer)
{
    uint32_t node = rows->buffers.node[buffer].v, port = rows->buffers.port[buffer];
    if (rows->buffers.kind[buffer] == MI_BUFFER_INPUT && port < rows->nodes.in_count[node])
        return rows->ports.value[rows->nodes.first_in[node] + port];
    if (rows->buffers.kind[buffer] == MI_BUFFER_OUTPUT && port < rows->nodes.out_count[node])
        return rows->ports.value[rows->nodes.first_out[node] + port];
    return (mi_value_id){0};
}

/* The integer attribute of a value; -1: it has none of that name. */
static int64_t value_attr(const struct mi_model *model, mi_value_id value, const char *name)
{
    const struct mi_tables *rows = &model->all.rows;
    mi_str_id text = mi_strings_find(&model->all.strings, mi_cstr(name));
    uint32_t first = rows->values.first_attr[value.v];
    for (uint32_t a = first; text.v && a < first + rows->values.attr_count[value.v]; a++)
        if (rows->attrs.name[a].v == text.v && rows->attrs.item_count[a])
            return rows->items.int_value[rows->attrs.first_item[a]];
    return -1;
}

/* The next node of the same graph whose output begins at the same place. */
static mi_node_id sharer(const struct mi_tables *rows, uint32_t buffer)
{
    const struct mi_buffers *buffers = &rows->buffers;
    mi_node_id node = buffers->node[buffer];
    for (uint32_t i = 1; i < buffers->count; i++) {
        uint32_t b = buffer + i < buffers->count ? buffer + i : buffer + i - buffers->count + 1;
        if (buffers->kind[b] == MI_BUFFER_OUTPUT && buffers->node[b].v != node.v &&
            buffers->offset_bytes[b] == buffers->offset_bytes[buffer] &&
            buffers->memory[b].v == buffers->memory[buffer].v &&
            rows->nodes.graph[buffers->node[b].v].v == rows->nodes.graph[node.v].v)
            return buffers->node[b];
    }
    return (mi_node_id){0};
}

static void fill_buffer(struct mi_show *show, uint32_t buffer, struct mi_cell *row)
{
    const struct mi_model *model = show->model;
    const struct mi_tables *rows = &model->all.rows;
    mi_value_id value = value_of(rows, buffer);
    row[0] = mi_cell_int(rows->buffers.node[buffer].v);
    row[1] = mi_cell_word(mi_enum_name(MI_E_buffer_kind, rows->buffers.kind[buffer]));
    row[2] = mi_cell_int(rows->buffers.port[buffer]);
    row[3] =
        value.v ? mi_cell_text(mi_model_text(model, rows->values.name[value.v])) : mi_cell_none();
    row[4] = known_or_none(rows->buffers.offset_bytes[buffer]);
    row[5] = known_or_none(rows->buffers.size_bytes[buffer]);
    row[6] = text_or_none(model, rows->buffers.memory[buffer]);
    if (rows->buffers.kind[buffer] != MI_BUFFER_OUTPUT)
        return;
    row[7] = known_or_none(value_attr(model, value, "reuse_input"));
    mi_node_id other =
        rows->buffers.offset_bytes[buffer] >= 0 ? sharer(rows, buffer) : (mi_node_id){0};
    if (other.v)
        row[8] = mi_cell_text(mi_describe_node(model, other, &show->out->arena));
}

void mi_show_memory(struct mi_show *show)
{
    const struct mi_buffers *buffers = &show->model->all.rows.buffers;
    struct mi_report_table *table =
        mi_report_add_table(show->out, "memory", N_("Memory"), memory_columns,
                            sizeof memory_columns / sizeof *memory_columns);
    mi_report_mark_details(table, "memory tensor");
    for (uint32_t b = 1; b < buffers->count; b++) {
        struct mi_cell *row =
            is_shown(show, buffers->node[b]) ? mi_report_add_row(show->out, table) : NULL;
        if (row)
            fill_buffer(show, b, row);
    }
}

/* --- groups --- */

static const struct mi_report_column group_columns[] = {
    {"kind", N_("group"), MI_CELL_WORD, "", N_("what makes it a group")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("its number or name")},
    {"pass", N_("made by"), MI_CELL_TEXT, "", N_("fusion rule or pass that made it")},
    {"nodes", N_("nodes"), MI_CELL_INT, "", N_("nodes in it")},
    {"members", N_("members"), MI_CELL_TEXT, "", N_("their names")},
};

static void fill_group(struct mi_show *show, uint32_t group, struct mi_cell *row)
{
    const struct mi_tables *rows = &show->model->all.rows;
    struct mi_words words = {.arena = &show->out->arena};
    uint32_t count = 0;
    for (uint32_t m = 1; m < rows->members.count; m++) {
        if (rows->members.group[m].v != group)
            continue;
        if (count++ >= MOST_MEMBERS)
            continue;
        mi_words_put(&words, words.len ? MI_LIT(", ") : MI_LIT(""));
        mi_words_put(&words,
                     mi_describe_node(show->model, rows->members.node[m], &show->out->arena));
    }
    if (count > MOST_MEMBERS)
        mi_words_put(&words, MI_LIT(", ..."));
    row[0] = mi_cell_word(mi_enum_name(MI_E_group_kind, rows->groups.kind[group]));
    row[1] = text_or_none(show->model, rows->groups.name[group]);
    row[2] = text_or_none(show->model, rows->groups.pass[group]);
    row[3] = mi_cell_int(count);
    row[4] = mi_cell_text(mi_words_get(&words));
}

void mi_show_groups(struct mi_show *show)
{
    const struct mi_members *members = &show->model->all.rows.members;
    struct mi_report_table *table =
        mi_report_add_table(show->out, "groups", N_("Fusion groups"), group_columns,
                            sizeof group_columns / sizeof *group_columns);
    uint32_t last = 0; /* members of one group are neighbours */
    for (uint32_t m = 1; m < members->count; m++) {
        if (members->group[m].v == last || !is_shown(show, members->node[m]))
            continue;
        struct mi_cell *row = mi_report_add_row(show->out, table);
        if (!row)
            return;
        last = members->group[m].v;
        fill_group(show, last, row);
    }
}

/* --- history --- */

/* Nodes of stages are followed themselves, all others by their name. */
static bool want(struct mi_history *history, const struct mi_show *show)
{
    const struct mi_model *model = show->model;
    bool ok = true, found;
    for (uint32_t i = 0; ok && i < show->subject_count; i++) {
        mi_node_id node = show->nodes[i].node;
        mi_str_id name = model->all.rows.nodes.name[node.v];
        ok = mi_history_want_node(history, node, &found);
        if (ok && !found && name.v)
            ok = mi_history_want(history, mi_model_text(model, name), false, &found);
    }
    return ok;
}

bool mi_show_history(struct mi_show *show, struct mi_error *err)
{
    struct mi_history history;
    bool ok = mi_history_init(&history, show->model, err);
    if (ok && history.series.stage_count) {
        if (!want(&history, show))
            ok = mi_fail(err, MI_ENOMEM, "out of memory");
        mi_history_list(&history, &(struct mi_history_filter){.kind = -1}, N_("History"),
                        show->out);
    }
    mi_history_fini(&history);
    return ok;
}
