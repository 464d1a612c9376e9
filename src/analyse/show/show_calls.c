/* What is shown of the host side of a task: the calls that led to it, outwards, and the parts that
 * other ranks have in its collective. */
#include "analyse/accounting.h"
#include "analyse/describe.h"
#include "analyse/show/show_parts.h"
#include "base/translate.h"

enum { MOST_CALLS = 40, MAX_CLIMB = 4096 };

static const struct mi_report_column call_columns[] = {
    {"relation", N_("is"), MI_CELL_WORD, "", N_("how the call belongs to the task")},
    {"level", N_("level"), MI_CELL_TEXT, "", N_("op, queue, acl, node, ...")},
    {"call", N_("call"), MI_CELL_TEXT, "", N_("its name")},
    {"item", N_("about"), MI_CELL_TEXT, "", N_("node or model that it is about")},
    {"thread", N_("thread"), MI_CELL_TEXT, "", N_("host thread")},
    {"start_ns", N_("start"), MI_CELL_INT, "ns", N_("in capture time")},
    {"dur_ns", N_("duration"), MI_CELL_INT, "ns", N_("with all calls in it")},
    {"slice", N_("row"), MI_CELL_INT, "", N_("row of the call")},
};

static bool has_category(const struct mi_model *model, uint32_t slice, const char *category)
{
    return mi_bytes_equal(mi_model_text(model, model->all.rows.slices.category[slice]),
                          mi_cstr(category));
}

static bool starts_with(const struct mi_model *model, uint32_t slice, const char *start)
{
    return mi_bytes_starts(mi_model_text(model, model->all.rows.slices.name[slice]),
                           mi_cstr(start));
}

static uint32_t collection_of(const struct mi_tables *rows, uint32_t slice)
{
    return rows->sources.collection[rows->tracks.source[rows->slices.track[slice].v].v];
}

/* The Enqueue that belongs to a Dequeue; 0 = none. */
static uint32_t find_enqueue(const struct mi_model *model, uint32_t slice)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t id = mi_some_u32(rows->slices.correlation[slice]);
    if (id == MI_NO_CONNECTION || !has_category(model, slice, "queue") ||
        !starts_with(model, slice, "Dequeue"))
        return 0;
    for (uint32_t s = 1; s < rows->slices.count; s++)
        if (mi_some_u32(rows->slices.correlation[s]) == id && has_category(model, s, "queue") &&
            starts_with(model, s, "Enqueue") &&
            collection_of(rows, s) == collection_of(rows, slice))
            return s;
    return 0;
}

static void add_call(struct mi_show *show, struct mi_report_table *table, uint32_t slice,
                     const char *relation)
{
    const struct mi_model *model = show->model;
    const struct mi_slices *slices = &model->all.rows.slices;
    struct mi_cell *row = mi_report_add_row(show->out, table);
    if (!row)
        return;
    row[0] = mi_cell_word(relation);
    row[1] = mi_cell_text(mi_model_text(model, slices->category[slice]));
    row[2] = mi_cell_text(mi_model_text(model, slices->name[slice]));
    if (slices->item[slice].v)
        row[3] = mi_cell_text(mi_model_text(model, slices->item[slice]));
    row[4] = mi_cell_text(mi_describe_track(model, slices->track[slice], &show->out->arena));
    row[5] = mi_cell_int(slices->start_ns[slice]);
    row[6] = mi_cell_int(slices->dur_ns[slice]);
    row[7] = mi_cell_int(slice);
}

/* Frames of Python are many; those of modules tell where in the model the op is. */
static bool is_told(const struct mi_model *model, uint32_t slice)
{
    return !has_category(model, slice, "python") || starts_with(model, slice, "nn.Module: ");
}

/* The op that the trace draws an arrow from, or the database names; 0 = none. */
static uint32_t find_stated_op(const struct mi_model *model, uint32_t task)
{
    const struct mi_flows *flows = &model->all.rows.flows;
    for (uint32_t f = 1; f < flows->count; f++)
        if (flows->to_task[f].v == task && flows->from_slice[f].v &&
            has_category(model, flows->from_slice[f].v, "op"))
            return flows->from_slice[f].v;
    return 0;
}

/* Adds the calls from `slice` outwards; returns whether there was an op among them. */
static bool add_chain(struct mi_show *show, struct mi_report_table *table, uint32_t slice,
                      const char *relation)
{
    bool has_op = false;
    for (unsigned steps = 0; slice && steps < MAX_CLIMB && table->row_count < (uint32_t)MOST_CALLS;
         steps++) {
        if (is_told(show->model, slice))
            add_call(show, table, slice, relation);
        has_op |= has_category(show->model, slice, "op");
        uint32_t enqueue = find_enqueue(show->model, slice);
        slice = enqueue ? enqueue : show->model->all.rows.slices.parent[slice].v;
        relation = enqueue ? N_("put it into the queue") : N_("around that");
    }
    return has_op;
}

void mi_show_calls(struct mi_show *show)
{
    const struct mi_tables *rows = &show->model->all.rows;
    struct mi_report_table *table =
        mi_report_add_table(show->out, "calls", N_("Host calls that led to the first task"),
                            call_columns, sizeof call_columns / sizeof *call_columns);
    mi_report_mark_details(table, "item thread");
    if (!show->task_count)
        return;
    uint32_t task = show->tasks[0].v;
    if (!add_chain(show, table, rows->tasks.launch[task].v, N_("launched it")))
        add_chain(show, table, find_stated_op(show->model, task), N_("the profiler names it"));
}

/* --- collectives --- */

static const struct mi_report_column peer_columns[] = {
    {"rank", N_("rank"), MI_CELL_INT, "", N_("rank of the part")},
    {"task", N_("task"), MI_CELL_TASK, "", N_("row of the task")},
    {"name", N_("name"), MI_CELL_TEXT, "", N_("name of the collective there")},
    {"group", N_("group"), MI_CELL_TEXT, "", N_("communication group")},
    {"start_ns", N_("start"), MI_CELL_INT, "ns", N_("in capture time")},
    {"dur_ns", N_("duration"), MI_CELL_INT, "ns", N_("with all its sub-tasks")},
    {"end_after_ns", N_("end"), MI_CELL_INT, "ns", N_("after the end on the first rank")},
    {"confidence", N_("link"), MI_CELL_WORD, "", N_("how sure it is that they belong together")},
    {"evidence", N_("evidence"), MI_CELL_SENTENCE, "", N_("what that rests on")},
};

static int64_t end_of(const struct mi_tasks *tasks, uint32_t t)
{
    return mi_ns_add(tasks->start_ns[t], tasks->dur_ns[t]);
}

static void add_part(struct mi_show *show, struct mi_report_table *table, uint32_t task,
                     uint32_t first, uint32_t peer)
{
    const struct mi_tables *rows = &show->model->all.rows;
    struct mi_cell *row = mi_report_add_row(show->out, table);
    uint32_t kernel = rows->tasks.kernel[task].v;
    int64_t rank = rows->tracks.rank[rows->tasks.track[task].v];
    if (!row)
        return;
    if (rank >= 0)
        row[0] = mi_cell_int(rank);
    row[1] = mi_cell_int(task);
    row[2] = mi_cell_text(mi_model_text(show->model, rows->kernels.name[kernel]));
    if (rows->kernels.group[kernel].v)
        row[3] = mi_cell_text(mi_model_text(show->model, rows->kernels.group[kernel]));
    row[4] = mi_cell_int(rows->tasks.start_ns[task]);
    row[5] = mi_cell_int(rows->tasks.dur_ns[task]);
    row[6] = mi_cell_int(mi_ns_sub(end_of(&rows->tasks, task), end_of(&rows->tasks, first)));
    if (peer) {
        row[7] = mi_cell_word(mi_enum_name(MI_E_confidence, rows->peers.confidence[peer]));
        row[8] = mi_cell_text(mi_model_text(show->model, rows->peers.evidence[peer]));
    }
}

/* Whether the task is this collective, or the frame around it. */
static bool is_or_frames(const struct mi_tables *rows, uint32_t task, mi_task_id collective)
{
    return collective.v == task || rows->tasks.parent[collective.v].v == task;
}

void mi_show_peers(struct mi_show *show)
{
    const struct mi_tables *rows = &show->model->all.rows;
    const struct mi_peers *peers = &rows->peers;
    struct mi_report_table *table =
        mi_report_add_table(show->out, "peers", N_("The collective on all ranks"), peer_columns,
                            sizeof peer_columns / sizeof *peer_columns);
    mi_report_mark_details(table, "group confidence");
    uint32_t task = show->task_count ? show->tasks[0].v : 0, first = 0;
    for (unsigned depth = 0; task && !first && depth < 4; depth++) { /* or what it is a part of */
        for (uint32_t p = 1; p < peers->count && !first; p++)
            if (is_or_frames(rows, task, peers->task[p]) ||
                is_or_frames(rows, task, peers->first[p]))
                first = peers->first[p].v;
        task = rows->tasks.parent[task].v;
    }
    if (!first)
        return;
    add_part(show, table, first, first, 0);
    for (uint32_t p = 1; p < peers->count; p++)
        if (peers->first[p].v == first)
            add_part(show, table, peers->task[p].v, first, p);
}
