/* What is shown of links and tasks. */
#include "analyse/accounting.h"
#include "analyse/describe.h"
#include "analyse/show/show_parts.h"
#include "base/translate.h"
#include "model/links.h"

/* --- links --- */

static const struct mi_report_column link_columns[] = {
    {"relation", N_("joins"), MI_CELL_WORD, "", N_("what is joined to what")},
    {"from", N_("from"), MI_CELL_TEXT, "", N_("framework op, or node that ran")},
    {"to", N_("to"), MI_CELL_TEXT, "", N_("compiled node, or kernel")},
    {"role", N_("role"), MI_CELL_WORD, "", N_("what the op is to the node")},
    {"confidence", N_("link"), MI_CELL_WORD, "", N_("how sure the link is")},
    {"times", N_("times"), MI_CELL_INT, "", N_("links of the same kind")},
    {"rule", N_("rule"), MI_CELL_TEXT, "", N_("matcher that made the link")},
    {"evidence", N_("evidence"), MI_CELL_SENTENCE, "", N_("what it rests on")},
    {"conflict", N_("contradiction"), MI_CELL_SENTENCE, "", N_("what contradicts it")},
};

static struct mi_cell text_or_none(const struct mi_model *model, mi_str_id text)
{
    return text.v ? mi_cell_text(mi_model_text(model, text)) : mi_cell_none();
}

static bool is_subject(const struct mi_show *show, mi_node_id node)
{
    for (uint32_t i = 0; i < show->subject_count; i++)
        if (show->nodes[i].node.v == node.v)
            return true;
    return false;
}

static void add_lowered(struct mi_show *show, struct mi_report_table *table, uint32_t link)
{
    const struct mi_lowered *lowered = &show->model->all.rows.lowered;
    struct mi_cell *row = mi_report_add_row(show->out, table);
    if (!row)
        return;
    row[0] = mi_cell_word(N_("framework op to compiled node"));
    row[1] =
        mi_cell_text(mi_describe_node(show->model, lowered->framework[link], &show->out->arena));
    row[2] =
        mi_cell_text(mi_describe_node(show->model, lowered->compiled[link], &show->out->arena));
    row[3] = mi_cell_word(mi_enum_name(MI_E_role, lowered->role[link]));
    row[4] = mi_cell_word(mi_enum_name(MI_E_confidence, lowered->confidence[link]));
    row[6] = text_or_none(show->model, lowered->rule[link]);
    row[7] = text_or_none(show->model, lowered->evidence[link]);
    row[8] = text_or_none(show->model, lowered->conflict[link]);
}

/* Links of one node to tasks, equal neighbours as one row: all iterations rest on the same
 * evidence. */
static void add_executed(struct mi_show *show, struct mi_report_table *table, uint32_t node)
{
    const struct mi_tables *rows = &show->model->all.rows;
    const struct mi_executed *executed = &rows->executed;
    struct mi_node_links at = mi_node_links_begin(show->model, node);
    struct mi_cell *row = NULL;
    uint32_t last = 0;
    while (mi_node_links_next(&at)) {
        uint32_t link = at.row;
        if (last && executed->rule[last].v == executed->rule[link].v &&
            executed->confidence[last] == executed->confidence[link] &&
            executed->evidence[last].v == executed->evidence[link].v &&
            executed->conflict[last].v == executed->conflict[link].v) {
            if (row)
                row[5].number++;
            continue;
        }
        last = link;
        row = mi_report_add_row(show->out, table);
        if (!row)
            return;
        uint32_t kernel = rows->tasks.kernel[at.task].v;
        row[0] = mi_cell_word(N_("node to task"));
        row[1] = mi_cell_text(mi_describe_node(show->model, (mi_node_id){node}, &show->out->arena));
        row[2] = mi_cell_text(mi_model_text(show->model, rows->kernels.name[kernel]));
        row[4] = mi_cell_word(mi_enum_name(MI_E_confidence, executed->confidence[link]));
        row[5] = mi_cell_int(1);
        row[6] = text_or_none(show->model, executed->rule[link]);
        row[7] = text_or_none(show->model, executed->evidence[link]);
        row[8] = text_or_none(show->model, executed->conflict[link]);
    }
}

void mi_show_links(struct mi_show *show)
{
    const struct mi_index *index = &show->model->index;
    struct mi_report_table *table = mi_report_add_table(
        show->out, "links", N_("Links"), link_columns, sizeof link_columns / sizeof *link_columns);
    mi_report_mark_details(table, "role times rule conflict");
    for (uint32_t i = 0; i < show->subject_count; i++) {
        uint32_t n = show->nodes[i].node.v;
        const struct mi_csr *compiled = &index->compiled_of, *framework = &index->framework_of;
        for (uint32_t k = compiled->first[n]; k < compiled->first[n + 1]; k++)
            add_lowered(show, table, compiled->list[k]);
        for (uint32_t k = framework->first[n]; k < framework->first[n + 1]; k++)
            if (!is_subject(show, show->model->all.rows.lowered.framework[framework->list[k]]))
                add_lowered(show, table, framework->list[k]);
    }
    for (uint32_t i = 0; i < show->node_count; i++)
        add_executed(show, table, show->nodes[i].node.v);
}

/* --- kernels --- */

static const struct mi_report_column kernel_columns[] = {
    {"kernel", N_("kernel"), MI_CELL_TEXT, "", N_("task name as the device reports it")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type that the record names")},
    {"kind", N_("kind"), MI_CELL_WORD, "", N_("compute, transfer, sync, ...")},
    {"engine", N_("engine"), MI_CELL_TEXT, "", N_("execution provider or core type")},
    {"inputs", N_("takes"), MI_CELL_TEXT, "", N_("types of its inputs as recorded")},
    {"outputs", N_("gives"), MI_CELL_TEXT, "", N_("types of its outputs as recorded")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("how often it ran, all runs")},
    {"total_ns", N_("total"), MI_CELL_INT, "ns", N_("sum of durations, all runs")},
    {"average_ns", N_("average"), MI_CELL_INT, "ns", N_("total by tasks")},
    {"least_ns", N_("least"), MI_CELL_INT, "ns", N_("shortest one")},
    {"greatest_ns", N_("greatest"), MI_CELL_INT, "ns", N_("longest one")},
};

static void add_kernel(struct mi_show *show, struct mi_report_table *table, uint32_t kernel)
{
    const struct mi_tables *rows = &show->model->all.rows;
    uint32_t count = show->model->index.kernel_count[kernel];
    int64_t total = 0, least = INT64_MAX, greatest = 0;
    struct mi_cell *row = count ? mi_report_add_row(show->out, table) : NULL;
    if (!row)
        return;
    uint32_t task = show->model->index.kernel_first[kernel];
    for (uint32_t left = count; left; task++) {
        if (rows->tasks.kernel[task].v != kernel)
            continue;
        left--;
        int64_t dur_ns = rows->tasks.dur_ns[task];
        total = mi_ns_add(total, dur_ns);
        least = dur_ns < least ? dur_ns : least;
        greatest = dur_ns > greatest ? dur_ns : greatest;
    }
    row[0] = mi_cell_text(mi_model_text(show->model, rows->kernels.name[kernel]));
    row[1] = text_or_none(show->model, rows->kernels.op[kernel]);
    row[2] = mi_cell_word(mi_enum_name(MI_E_task_kind, rows->kernels.kind[kernel]));
    row[3] = text_or_none(show->model, rows->kernels.engine[kernel]);
    row[4] = text_or_none(show->model, rows->kernels.inputs[kernel]);
    row[5] = text_or_none(show->model, rows->kernels.outputs[kernel]);
    row[6] = mi_cell_int(count);
    row[7] = mi_cell_int(total);
    row[8] = mi_cell_int(total / count);
    row[9] = mi_cell_int(least);
    row[10] = mi_cell_int(greatest);
}

void mi_show_kernels(struct mi_show *show)
{
    const struct mi_tasks *tasks = &show->model->all.rows.tasks;
    struct mi_report_table *table =
        mi_report_add_table(show->out, "kernels", N_("Kernels"), kernel_columns,
                            sizeof kernel_columns / sizeof *kernel_columns);
    mi_report_mark_details(table, "op_type kind engine total_ns least_ns greatest_ns");
    for (uint32_t i = 0; i < show->task_count; i++) {
        uint32_t kernel = tasks->kernel[show->tasks[i].v].v;
        bool is_new = kernel != 0;
        for (uint32_t k = 0; k < i; k++)
            is_new = is_new && tasks->kernel[show->tasks[k].v].v != kernel;
        if (is_new)
            add_kernel(show, table, kernel);
    }
}

/* --- tasks --- */

static const struct mi_report_column task_columns[] = {
    {"task", N_("task"), MI_CELL_TASK, "", N_("row of the task")},
    {"kernel", N_("kernel"), MI_CELL_TEXT, "", N_("task name as the device reports it")},
    {"run", N_("run"), MI_CELL_INT, "", N_("run of the model, from 0")},
    {"turn", N_("turn"), MI_CELL_INT, "", N_("turn of the loop body, from 0")},
    {"stream", N_("stream"), MI_CELL_TEXT, "", N_("stream or engine it ran on")},
    {"thread", N_("thread"), MI_CELL_TEXT, "", N_("host thread that ran or launched it")},
    {"start_ns", N_("start"), MI_CELL_INT, "ns", N_("in capture time")},
    {"dur_ns", N_("duration"), MI_CELL_INT, "ns", N_("with all its sub-tasks")},
    {"start_raw", N_("raw start"), MI_CELL_INT, "", N_("start in ticks of its own clock")},
    {"native_id", N_("own number"), MI_CELL_INT, "", N_("task id as exported")},
    {"parent", N_("within"), MI_CELL_TASK, "", N_("task that encloses it")},
};

void mi_show_tasks(struct mi_show *show)
{
    const struct mi_tables *rows = &show->model->all.rows;
    struct mi_report_table *table = mi_report_add_table(
        show->out, "tasks", N_("Tasks"), task_columns, sizeof task_columns / sizeof *task_columns);
    mi_report_mark_details(table, "kernel thread start_raw native_id");
    for (uint32_t i = 0; i < show->task_count; i++) {
        uint32_t t = show->tasks[i].v;
        struct mi_cell *row = mi_report_add_row(show->out, table);
        if (!row)
            return;
        row[0] = mi_cell_int(t);
        row[1] =
            mi_cell_text(mi_model_text(show->model, rows->kernels.name[rows->tasks.kernel[t].v]));
        if (rows->tasks.run[t] != MI_NO_RUN)
            row[2] = mi_cell_int(rows->tasks.run[t]);
        row[4] =
            mi_cell_text(mi_describe_track(show->model, rows->tasks.track[t], &show->out->arena));
        if (rows->tasks.thread[t].v)
            row[5] = mi_cell_text(
                mi_describe_track(show->model, rows->tasks.thread[t], &show->out->arena));
        row[6] = mi_cell_int(rows->tasks.start_ns[t]);
        row[7] = mi_cell_int(rows->tasks.dur_ns[t]);
        row[8] = mi_cell_int(rows->tasks.start_raw[t]);
        if (mi_some_get(rows->tasks.native_id[t]) >= 0)
            row[9] = mi_cell_int(mi_some_get(rows->tasks.native_id[t]));
        if (rows->tasks.parent[t].v) {
            row[3] = mi_cell_int(rows->tasks.turn[t]);
            row[10] = mi_cell_int(rows->tasks.parent[t].v);
        }
    }
}

/* --- neighbours --- */

enum { NEIGHBOURS = 2 };

static const struct mi_report_column neighbour_columns[] = {
    {"place", N_("place"), MI_CELL_INT, "", N_("0 = the task itself, -1 = the one before it")},
    {"task", N_("task"), MI_CELL_TASK, "", N_("row of the task")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("name of its node, else of the task")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"start_ns", N_("start"), MI_CELL_INT, "ns", N_("in capture time")},
    {"dur_ns", N_("duration"), MI_CELL_INT, "ns", N_("with all its sub-tasks")},
    {"gap_ns", N_("gap before"), MI_CELL_INT, "ns",
     N_("from the end of the one before to its start; negative: they overlap")},
};

void mi_show_neighbours(struct mi_show *show)
{
    const struct mi_model *model = show->model;
    const struct mi_tables *rows = &model->all.rows;
    struct mi_report_table *table = mi_report_add_table(
        show->out, "neighbours", N_("Neighbours of the first task on its stream"),
        neighbour_columns, sizeof neighbour_columns / sizeof *neighbour_columns);
    mi_report_mark_details(table, "op_type");
    if (!show->task_count)
        return;
    uint32_t centre = show->tasks[0].v, track = rows->tasks.track[centre].v;
    for (int place = -NEIGHBOURS; place <= NEIGHBOURS; place++) {
        int64_t t = (int64_t)centre + place;
        if (t < 1 || t >= rows->tasks.count || rows->tasks.track[t].v != track)
            continue;
        struct mi_cell *row = mi_report_add_row(show->out, table);
        if (!row)
            return;
        uint32_t kernel = rows->tasks.kernel[t].v;
        mi_node_id node = rows->executed.node[rows->tasks.link[t].v];
        row[0] = mi_cell_int(place);
        row[1] = mi_cell_int(t);
        row[2] = mi_cell_text(node.v ? mi_describe_node(model, node, &show->out->arena)
                                     : mi_model_text(model, rows->kernels.name[kernel]));
        row[3] = mi_cell_text(mi_model_text(model, rows->kernels.op[kernel]));
        row[4] = mi_cell_int(rows->tasks.start_ns[t]);
        row[5] = mi_cell_int(rows->tasks.dur_ns[t]);
        if (t > 1 && rows->tasks.track[t - 1].v == track)
            row[6] = mi_cell_int(
                mi_ns_sub(rows->tasks.start_ns[t],
                          mi_ns_add(rows->tasks.start_ns[t - 1], rows->tasks.dur_ns[t - 1])));
    }
}
