/* The tables of nodes and times by one property each. */
#include "analyse/describe.h"
#include "analyse/summary/summary_grouping.h"
#include "base/mem.h"
#include "base/translate.h"

/* --- properties --- */

static uint32_t entity_itself(const struct mi_grouping *grouping, uint32_t entity, uint32_t task)
{
    (void)grouping, (void)task;
    return entity;
}

static uint32_t type_of(const struct mi_grouping *grouping, uint32_t entity, uint32_t task)
{
    (void)task;
    return grouping->entities[entity].op.v;
}

static uint32_t category_of(const struct mi_grouping *grouping, uint32_t entity, uint32_t task)
{
    (void)task;
    return (uint32_t)grouping->entities[entity].category + 1;
}

static uint32_t track_of(const struct mi_grouping *grouping, uint32_t entity, uint32_t task)
{
    (void)entity;
    return grouping->summary->model->all.rows.tasks.track[task].v;
}

static uint32_t kernel_of(const struct mi_grouping *grouping, uint32_t entity, uint32_t task)
{
    (void)entity;
    return grouping->summary->model->all.rows.tasks.kernel[task].v;
}

/* The core as it was named, else the type of the task. */
static uint32_t core_of(const struct mi_grouping *grouping, uint32_t entity, uint32_t task)
{
    const struct mi_kernels *kernels = &grouping->summary->model->all.rows.kernels;
    uint32_t kernel = kernel_of(grouping, entity, task);
    return kernels->engine[kernel].v ? kernels->engine[kernel].v : kernels->type[kernel].v;
}

static uint32_t device_of(const struct mi_grouping *grouping, uint32_t entity, uint32_t task)
{
    return grouping->summary->account->group_of[track_of(grouping, entity, task)];
}

/* Ranks from -1 on, as numbers from 0. */
static uint32_t rank_of(const struct mi_grouping *grouping, uint32_t entity, uint32_t task)
{
    const struct mi_tracks *tracks = &grouping->summary->model->all.rows.tracks;
    return (uint32_t)(tracks->rank[track_of(grouping, entity, task)] + 1);
}

/* --- columns --- */

#define NUMBER_COLUMNS                                                                             \
    {"nodes", N_("nodes"), MI_CELL_INT, "", N_("distinct nodes; with tasks: those that ran")},     \
        {"tasks", N_("tasks"), MI_CELL_INT, "", N_("work tasks in the counted runs")},             \
        {"total_ns", N_("total"), MI_CELL_INT, "ns", N_("sum of their times, sub-tasks once")},    \
        {"average_ns", N_("average"), MI_CELL_INT, "ns", N_("total by tasks")},                    \
    {                                                                                              \
        "share", N_("share"), MI_CELL_SHARE, "", N_("of the sum of this table")                    \
    }

static const struct mi_report_column type_columns[] = {
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"category", N_("category"), MI_CELL_WORD, "", N_("kind of operator")},
    NUMBER_COLUMNS,
};

static const struct mi_report_column category_columns[] = {
    {"category", N_("category"), MI_CELL_WORD, "", N_("kind of operator")},
    NUMBER_COLUMNS,
};

#define BUSY_COLUMN                                                                                \
    {                                                                                              \
        "busy_ns", N_("busy"), MI_CELL_INT, "ns", N_("time in which at least one task ran on it")  \
    }

static const struct mi_report_column stream_columns[] = {
    {"stream", N_("stream"), MI_CELL_TEXT, "", N_("stream, engine or thread that ran the tasks")},
    NUMBER_COLUMNS,
    BUSY_COLUMN,
};

static const struct mi_report_column core_columns[] = {
    {"core", N_("core"), MI_CELL_TEXT, "", N_("core type or execution provider")},
    NUMBER_COLUMNS,
};

static const struct mi_report_column device_columns[] = {
    {"device", N_("device"), MI_CELL_INT, "", N_("number of the device")},
    {"rank", N_("rank"), MI_CELL_INT, "", N_("rank of the process that used it")},
    {"input", N_("input"), MI_CELL_TEXT, "", N_("file that names one of its streams")},
    NUMBER_COLUMNS,
    BUSY_COLUMN,
};

static const struct mi_report_column rank_columns[] = {
    {"rank", N_("rank"), MI_CELL_INT, "", N_("rank of the process that used it")},
    NUMBER_COLUMNS,
    BUSY_COLUMN,
};

static const struct mi_report_column op_columns[] = {
    {"node", N_("node"), MI_CELL_NODE, "", N_("node that ran; none: a name in the tasks")},
    {"node_name", N_("name"), MI_CELL_TEXT, "", N_("name of the node, else of the task")},
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    NUMBER_COLUMNS,
    {"least_ns", N_("least"), MI_CELL_INT, "ns", N_("shortest of its tasks")},
    {"greatest_ns", N_("greatest"), MI_CELL_INT, "ns", N_("longest of its tasks")},
};

/* --- rows --- */

/* A table: what stands in front of the numbers, and behind them. */
struct plan {
    const char *name, *title;
    const struct mi_report_column *columns;
    unsigned column_count, head_count; /* head: columns in front of the numbers */
    struct mi_property property;
    struct mi_bytes (*name_of)(const struct mi_grouping *, const struct mi_summary_group *);
    void (*put_head)(const struct mi_grouping *, const struct mi_summary_group *, struct mi_cell *);
    bool has_busy, has_range, is_cut;
};

static struct mi_bytes text_of(const struct mi_grouping *grouping, uint32_t id)
{
    return mi_model_text(grouping->summary->model, (mi_str_id){id});
}

static struct mi_bytes key_name(const struct mi_grouping *grouping,
                                const struct mi_summary_group *group)
{
    return text_of(grouping, group->key);
}

static struct mi_bytes no_name(const struct mi_grouping *grouping,
                               const struct mi_summary_group *group)
{
    (void)grouping, (void)group;
    return (struct mi_bytes){NULL, 0};
}

static struct mi_bytes stream_name(const struct mi_grouping *grouping,
                                   const struct mi_summary_group *group)
{
    return mi_describe_track(grouping->summary->model, (mi_track_id){group->key},
                             &grouping->summary->out->arena);
}

static struct mi_bytes op_name(const struct mi_grouping *grouping,
                               const struct mi_summary_group *group)
{
    const struct mi_model *model = grouping->summary->model;
    if (group->entity < model->all.rows.nodes.count)
        return mi_describe_node(model, (mi_node_id){group->entity}, &grouping->summary->out->arena);
    return text_of(grouping, grouping->entities[group->entity].name.v);
}

static void put_name(const struct mi_grouping *grouping, const struct mi_summary_group *group,
                     struct mi_cell *row)
{
    (void)grouping;
    row[0] = group->name.len ? mi_cell_text(group->name) : mi_cell_none();
}

static void put_type(const struct mi_grouping *grouping, const struct mi_summary_group *group,
                     struct mi_cell *row)
{
    put_name(grouping, group, row);
    row[1] = mi_cell_word(mi_enum_name(MI_E_category, group->category));
}

static void put_category(const struct mi_grouping *grouping, const struct mi_summary_group *group,
                         struct mi_cell *row)
{
    (void)grouping;
    row[0] = mi_cell_word(mi_enum_name(MI_E_category, group->key - 1));
}

static void put_device(const struct mi_grouping *grouping, const struct mi_summary_group *group,
                       struct mi_cell *row)
{
    const struct mi_account *account = grouping->summary->account;
    const struct mi_account_group *device = &account->groups[group->key];
    if (device->device >= 0)
        row[0] = mi_cell_int(device->device);
    if (device->rank >= 0)
        row[1] = mi_cell_int(device->rank);
    if (device->source.v && account->group_count > 1)
        row[2] = mi_cell_text(
            text_of(grouping, account->model->all.rows.sources.path[device->source.v].v));
}

static void put_rank(const struct mi_grouping *grouping, const struct mi_summary_group *group,
                     struct mi_cell *row)
{
    (void)grouping;
    row[0] = group->key ? mi_cell_int((int64_t)group->key - 1) : mi_cell_none();
}

static void put_op(const struct mi_grouping *grouping, const struct mi_summary_group *group,
                   struct mi_cell *row)
{
    struct mi_bytes type = text_of(grouping, grouping->entities[group->entity].op.v);
    if (group->entity < grouping->summary->model->all.rows.nodes.count)
        row[0] = mi_cell_int(group->entity);
    row[1] = mi_cell_text(group->name);
    row[2] = type.len ? mi_cell_text(type) : mi_cell_none();
}

#define COLUMNS(list) list, sizeof list / sizeof *list

static const struct plan plans[] = {
    [MI_BY_CATEGORY - 1] = {"by_category",
                            N_("By category"),
                            COLUMNS(category_columns),
                            1,
                            {entity_itself, category_of},
                            no_name,
                            put_category,
                            false,
                            false,
                            false},
    [MI_BY_TYPE - 1] = {"by_type",
                        N_("By operator type"),
                        COLUMNS(type_columns),
                        2,
                        {entity_itself, type_of},
                        key_name,
                        put_type,
                        false,
                        false,
                        true},
    [MI_BY_STREAM - 1] = {"by_stream",
                          N_("By stream"),
                          COLUMNS(stream_columns),
                          1,
                          {track_of, track_of},
                          stream_name,
                          put_name,
                          true,
                          false,
                          false},
    [MI_BY_CORE - 1] = {"by_core",
                        N_("By core"),
                        COLUMNS(core_columns),
                        1,
                        {kernel_of, core_of},
                        key_name,
                        put_name,
                        false,
                        false,
                        false},
    [MI_BY_DEVICE - 1] = {"by_device",
                          N_("By device"),
                          COLUMNS(device_columns),
                          3,
                          {track_of, device_of},
                          no_name,
                          put_device,
                          true,
                          false,
                          false},
    [MI_BY_RANK - 1] = {"by_rank",
                        N_("By rank"),
                        COLUMNS(rank_columns),
                        1,
                        {track_of, rank_of},
                        no_name,
                        put_rank,
                        true,
                        false,
                        false},
    [MI_BY_OP - 1] = {"by_op",
                      N_("By operator"),
                      COLUMNS(op_columns),
                      3,
                      {entity_itself, entity_itself},
                      op_name,
                      put_op,
                      false,
                      true,
                      true},
};

static void put_numbers(const struct mi_grouping *grouping, const struct plan *plan,
                        const struct mi_summary_group *group, struct mi_cell *row, int64_t all_ns)
{
    struct mi_cell *cells = row + plan->head_count;
    cells[0] = mi_cell_int(group->nodes);
    if (!grouping->summary->has_tasks)
        return;
    cells[1] = mi_cell_int(group->tasks);
    cells[2] = mi_cell_int(group->total_ns);
    if (group->tasks)
        cells[3] = mi_cell_int(group->total_ns / group->tasks);
    cells[4] = mi_cell_share(group->total_ns, all_ns);
    if (plan->has_busy)
        cells[5] = mi_cell_int(group->busy_ns);
    if (plan->has_range && group->tasks && group->least_ns != INT64_MAX) {
        cells[5] = mi_cell_int(group->least_ns);
        cells[6] = mi_cell_int(group->greatest_ns);
    }
}

/* Union of the intervals of the counted work tasks of each group of tracks. */
static void measure_busy(struct mi_grouping *grouping, const struct mi_property *property)
{
    const struct mi_model *model = grouping->summary->model;
    const struct mi_tasks *tasks = &model->all.rows.tasks;
    const uint32_t *first = model->index.track_first_task;
    struct mi_spans *spans = mi_mem_zero((size_t)grouping->group_count + 1, sizeof *spans);
    grouping->failed = grouping->failed || !spans;
    for (uint32_t track = 0; spans && track < model->all.rows.tracks.count; track++)
        for (uint32_t t = first[track]; t < first[track + 1]; t++) {
            uint32_t entity = grouping->entity_of[t];
            uint32_t group = entity ? grouping->known[property->index_of(grouping, entity, t)] : 0;
            if (group)
                mi_spans_add(&spans[group - 1], tasks->start_ns[t],
                             mi_ns_add(tasks->start_ns[t], tasks->dur_ns[t]));
        }
    for (uint32_t g = 0; spans && g < grouping->group_count; g++) {
        mi_spans_join(&spans[g]);
        grouping->failed = grouping->failed || spans[g].failed;
        grouping->groups[g].busy_ns = mi_spans_measure(&spans[g]);
        mi_spans_fini(&spans[g]);
    }
    mi_mem_free(spans);
}

/* Folds everything behind the first `top` groups into one. Returns how many rows there are to be.
 */
static uint32_t fold_rest(const struct mi_grouping *grouping, struct mi_summary_group *rest)
{
    uint32_t top = grouping->summary->top;
    *rest = (struct mi_summary_group){.least_ns = INT64_MAX};
    if (!top || grouping->group_count <= top)
        return grouping->group_count;
    for (uint32_t g = top; g < grouping->group_count; g++) {
        const struct mi_summary_group *group = &grouping->groups[g];
        rest->nodes += group->nodes;
        rest->tasks += group->tasks;
        rest->total_ns = mi_ns_add(rest->total_ns, group->total_ns);
        rest->least_ns = group->least_ns < rest->least_ns ? group->least_ns : rest->least_ns;
        rest->greatest_ns =
            group->greatest_ns > rest->greatest_ns ? group->greatest_ns : rest->greatest_ns;
    }
    return top;
}

static void list_groups(struct mi_grouping *grouping, const struct plan *plan)
{
    const struct mi_summary *summary = grouping->summary;
    struct mi_report_table *table = mi_report_add_table(summary->out, plan->name, plan->title,
                                                        plan->columns, plan->column_count);
    struct mi_summary_group rest;
    for (uint32_t g = 0; g < grouping->group_count; g++)
        grouping->groups[g].name = plan->name_of(grouping, &grouping->groups[g]);
    int64_t all_ns = mi_grouping_sort(grouping);
    uint32_t count = plan->is_cut ? fold_rest(grouping, &rest) : grouping->group_count;
    for (uint32_t g = 0; g < count; g++) {
        struct mi_cell *row = mi_report_add_row(summary->out, table);
        if (!row)
            return;
        plan->put_head(grouping, &grouping->groups[g], row);
        put_numbers(grouping, plan, &grouping->groups[g], row, all_ns);
    }
    struct mi_cell *row =
        count < grouping->group_count ? mi_report_add_row(summary->out, table) : NULL;
    if (row) {
        row[plan->head_count > 2 ? 1 : 0] = mi_cell_text(
            mi_arena_printf(&summary->out->arena, "... (%u)", grouping->group_count - count));
        put_numbers(grouping, plan, &rest, row, all_ns);
    }
}

/* What says nothing where there is only one: cores, devices, ranks. */
static bool is_worth_it(const struct mi_grouping *grouping, enum mi_summary_by by)
{
    return grouping->summary->by == by || grouping->group_count > 1 ||
           (by != MI_BY_CORE && by != MI_BY_DEVICE && by != MI_BY_RANK);
}

bool mi_summary_groups(const struct mi_summary *summary, struct mi_error *err)
{
    static const enum mi_summary_by order[] = {MI_BY_CATEGORY, MI_BY_TYPE, MI_BY_CORE, MI_BY_STREAM,
                                               MI_BY_DEVICE,   MI_BY_RANK, MI_BY_OP};
    struct mi_grouping grouping;
    bool ok = mi_grouping_init(&grouping, summary);
    for (size_t i = 0; ok && i < sizeof order / sizeof *order; i++) {
        const struct plan *plan = &plans[order[i] - 1];
        bool is_timed = order[i] != MI_BY_CATEGORY && order[i] != MI_BY_TYPE;
        if (summary->by ? summary->by != order[i] : order[i] == MI_BY_OP)
            continue;
        if (is_timed && !summary->has_tasks)
            continue;
        mi_grouping_collect(&grouping, &plan->property);
        if (!grouping.failed && is_worth_it(&grouping, order[i])) {
            if (plan->has_busy)
                measure_busy(&grouping, &plan->property);
            list_groups(&grouping, plan);
        }
        if (!grouping.failed && order[i] == MI_BY_OP)
            grouping.failed = !mi_summary_kernels(&grouping);
        ok = !grouping.failed;
    }
    mi_grouping_fini(&grouping);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}
