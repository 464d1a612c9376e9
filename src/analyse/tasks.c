/* Tasks as rows: what ran when on which stream, and for which node. */
#include "analyse/accounting.h"
#include "analyse/describe.h"
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "base/decimal.h"
#include "base/glob.h"
#include "base/mem.h"
#include "base/translate.h"

#include <stdlib.h>

enum sort { BY_STREAM, BY_TIME, BY_DURATION };

static const char *const sorts[] = {"stream", "time", "duration", NULL};
static const char *const kinds[] = {"compute", "transfer", "communication", "sync", "control",
                                    "other",   NULL};

const struct mi_param mi_params_tasks[] = {
    {.name = "stream",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NAME"),
     .help = N_("Only tasks of streams with this name or number (* and ? stand for anything).")},
    {.name = "type",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("TYPE"),
     .help = N_("Only tasks of this operator type (* and ? stand for anything).")},
    {.name = "node",
     .kind = MI_PARAM_TEXT,
     .metavar = N_("NAME"),
     .help = N_("Only tasks of nodes with this in their name, or that match it with * and ?.")},
    {.name = "kind",
     .kind = MI_PARAM_CHOICE,
     .choices = kinds,
     .help = N_("Only tasks of this kind.")},
    {.name = "run",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("Only tasks of this run, counted from 0.")},
    {.name = "unlinked", .kind = MI_PARAM_FLAG, .help = N_("Only tasks that belong to no node.")},
    {.name = "sort",
     .kind = MI_PARAM_CHOICE,
     .choices = sorts,
     .default_text = "stream",
     .help = N_("Order: by stream and start, by start alone, or the longest first.")},
    {.name = "top",
     .kind = MI_PARAM_INT,
     .metavar = "N",
     .min = 0,
     .max = UINT32_MAX,
     .help = N_("At most N rows; 0 = all (default: 1000; all with --json).")},
    MI_PARAM_END};

static const struct mi_report_column columns[] = {
    {"task", N_("task"), MI_CELL_TASK, "", N_("row of the task")},
    {"run", N_("run"), MI_CELL_INT, "", N_("run of the model, from 0")},
    {"stream", N_("stream"), MI_CELL_TEXT, "", N_("stream or engine it ran on")},
    {"thread", N_("thread"), MI_CELL_TEXT, "", N_("host thread that ran or launched it")},
    {"start_ns", N_("start"), MI_CELL_INT, "ns", N_("in capture time")},
    {"dur_ns", N_("duration"), MI_CELL_INT, "ns", N_("with all its sub-tasks")},
    {"node", N_("node"), MI_CELL_NODE, "", N_("node that it ran")},
    {"node_name", N_("name"), MI_CELL_TEXT, "", N_("name of the node, else of the task")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"kind", N_("kind"), MI_CELL_WORD, "", N_("compute, transfer, sync, ...")},
    {"engine", N_("engine"), MI_CELL_TEXT, "", N_("execution provider or core type")},
    {"confidence", N_("link"), MI_CELL_WORD, "", N_("how sure it is that it ran that node")},
    {"start_raw", NULL, MI_CELL_INT, "", N_("start in ticks of its own clock")},
};

struct filter {
    struct mi_bytes stream, type, node;
    int64_t run; /* -1 = any */
    int kind;    /* -1 = any */
    bool unlinked;
};

static struct filter read_filter(const struct mi_args *args)
{
    const struct mi_arg *kind = mi_args_find(args, "kind");
    return (struct filter){.stream = mi_cstr(mi_args_text(args, "stream", NULL)),
                           .type = mi_cstr(mi_args_text(args, "type", NULL)),
                           .node = mi_cstr(mi_args_text(args, "node", NULL)),
                           .run = mi_args_int(args, "run", -1),
                           .kind = kind ? (int)kind->number : -1,
                           .unlinked = mi_args_flag(args, "unlinked")};
}

static mi_node_id node_of(const struct mi_model *model, uint32_t task)
{
    return model->all.rows.executed.node[model->all.rows.tasks.link[task].v];
}

static struct mi_bytes name_of(const struct mi_model *model, uint32_t task, struct mi_arena *arena)
{
    const struct mi_tables *rows = &model->all.rows;
    mi_node_id node = node_of(model, task);
    uint32_t kernel = rows->tasks.kernel[task].v;
    if (node.v)
        return mi_describe_node(model, node, arena);
    return mi_model_text(model, rows->kernels.node_name[kernel].v ? rows->kernels.node_name[kernel]
                                                                  : rows->kernels.name[kernel]);
}

static struct mi_bytes type_of(const struct mi_model *model, uint32_t task)
{
    const struct mi_tables *rows = &model->all.rows;
    mi_node_id node = node_of(model, task);
    return mi_model_text(model, node.v ? rows->nodes.op[node.v]
                                       : rows->kernels.op[rows->tasks.kernel[task].v]);
}

/* For each track whether its tasks pass: [tracks.count]. */
static bool *pass_tracks(const struct mi_model *model, const struct filter *filter,
                         struct mi_arena *arena)
{
    const struct mi_tracks *tracks = &model->all.rows.tracks;
    bool *passes = mi_mem_zero(tracks->count, sizeof *passes);
    for (uint32_t t = 0; passes && t < tracks->count; t++) {
        char digits[MI_DECIMAL_ROOM];
        size_t len = mi_decimal_format_i64(tracks->native_id[t], digits);
        passes[t] =
            !filter->stream.len ||
            mi_glob_match(filter->stream, mi_describe_track(model, (mi_track_id){t}, arena)) ||
            (t && mi_glob_match(filter->stream, (struct mi_bytes){(const uint8_t *)digits, len}));
    }
    return passes;
}

static bool passes(const struct mi_model *model, const struct filter *filter, const bool *tracks,
                   uint32_t task, struct mi_arena *arena)
{
    const struct mi_tables *rows = &model->all.rows;
    if (!tracks[rows->tasks.track[task].v] ||
        (filter->run >= 0 && rows->tasks.run[task] != filter->run) ||
        (filter->kind >= 0 &&
         strcmp(mi_enum_name(MI_E_task_kind, rows->kernels.kind[rows->tasks.kernel[task].v]),
                kinds[filter->kind]) != 0) ||
        (filter->unlinked && model->all.rows.tasks.link[task].v))
        return false;
    return (!filter->type.len || mi_glob_match(filter->type, type_of(model, task))) &&
           (!filter->node.len || mi_glob_search(filter->node, name_of(model, task, arena)));
}

/* --- order --- */

struct key {
    int64_t first; /* ascending */
    uint32_t task;
};

static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

/* --- rows --- */

static void add_row(const struct mi_model *model, uint32_t task, struct mi_report *out,
                    struct mi_report_table *table)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_cell *row = mi_report_add_row(out, table);
    if (!row)
        return;
    uint32_t kernel = rows->tasks.kernel[task].v, link = rows->tasks.link[task].v;
    struct mi_bytes engine = mi_model_text(model, rows->kernels.engine[kernel]);
    row[0] = mi_cell_int(task);
    if (rows->tasks.run[task] != MI_NO_RUN)
        row[1] = mi_cell_int(rows->tasks.run[task]);
    row[2] = mi_cell_text(mi_describe_track(model, rows->tasks.track[task], &out->arena));
    if (rows->tasks.thread[task].v)
        row[3] = mi_cell_text(mi_describe_track(model, rows->tasks.thread[task], &out->arena));
    row[4] = mi_cell_int(rows->tasks.start_ns[task]);
    row[5] = mi_cell_int(rows->tasks.dur_ns[task]);
    if (link) {
        row[6] = mi_cell_int(node_of(model, task).v);
        row[11] = mi_cell_word(mi_enum_name(MI_E_confidence, rows->executed.confidence[link]));
    }
    row[7] = mi_cell_text(name_of(model, task, &out->arena));
    row[8] = mi_cell_text(type_of(model, task));
    row[9] = mi_cell_word(mi_enum_name(MI_E_task_kind, rows->kernels.kind[kernel]));
    if (engine.len)
        row[10] = mi_cell_text(engine);
    row[12] = mi_cell_int(rows->tasks.start_raw[task]);
}

static void add_fact(struct mi_report *out, const char *name, const char *title, const char *unit,
                     int64_t number)
{
    mi_report_add_fact(out, &(struct mi_report_fact){.name = name,
                                                     .title = title,
                                                     .kind = MI_CELL_INT,
                                                     .unit = unit,
                                                     .cell = mi_cell_int(number)});
}

/* The tasks that pass, sorted, in `keys` [tasks.count]; returns how many. */
static uint32_t select_tasks(const struct mi_model *model, const struct filter *filter,
                             enum sort sort, const bool *tracks, struct key *keys,
                             struct mi_arena *arena)
{
    const struct mi_tasks *tasks = &model->all.rows.tasks;
    uint32_t count = 0;
    for (uint32_t t = 1; t < tasks->count; t++)
        if (passes(model, filter, tracks, t, arena))
            keys[count++] = (struct key){sort == BY_STREAM ? t
                                         : sort == BY_TIME ? tasks->start_ns[t]
                                                           : -tasks->dur_ns[t],
                                         t};
    if (count && sort != BY_STREAM) /* rows are sorted by stream and start already */
        qsort(keys, count, sizeof *keys, compare_keys);
    return count;
}

static bool run(const struct mi_model *model, const struct mi_args *args, struct mi_report *out,
                struct mi_error *err)
{
    const struct mi_tasks *tasks = &model->all.rows.tasks;
    struct filter filter = read_filter(args);
    const struct mi_arg *sort = mi_args_find(args, "sort");
    int64_t top = mi_args_int(args, "top", 0), dur_ns = 0;
    bool *tracks = pass_tracks(model, &filter, &out->arena);
    struct key *keys = mi_mem_new(tasks->count, sizeof *keys);
    if (!tracks || !keys) {
        mi_mem_free(tracks);
        mi_mem_free(keys);
        return mi_fail(err, MI_ENOMEM, "out of memory");
    }
    uint32_t count = select_tasks(model, &filter, sort ? (enum sort)sort->number : BY_STREAM,
                                  tracks, keys, &out->arena);
    uint32_t shown = top && top < count ? (uint32_t)top : count;
    struct mi_report_table *table =
        mi_report_add_table(out, "tasks", N_("Tasks"), columns, sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "run thread kind engine");
    for (uint32_t i = 0; i < count; i++)
        dur_ns = mi_ns_add(dur_ns, tasks->dur_ns[keys[i].task]);
    for (uint32_t i = 0; i < shown; i++)
        add_row(model, keys[i].task, out, table);
    add_fact(out, "matching", N_("Tasks that match"), "", count);
    add_fact(out, "shown", N_("Tasks shown"), "", shown);
    add_fact(out, "dur_ns", N_("Sum of durations of all that match"), "ns", dur_ns);
    mi_mem_free(tracks);
    mi_mem_free(keys);
    return true;
}

const struct mi_pass mi_pass_tasks = {
    .name = "tasks",
    .title = N_("What ran when on which stream, and for which node"),
    .needs = MI_HAS_TASKS,
    .params = mi_params_tasks,
    .run = run,
};
