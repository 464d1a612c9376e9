/* Nodes and times grouped by operator type, by category and by stream. */
#include "analyse/describe.h"
#include "analyse/summary/summary_parts.h"
#include "base/mem.h"
#include "base/translate.h"

#include <stdlib.h>

/* One row of a table to be. */
struct group {
    uint32_t key; /* string id of the type, category + 1, or track */
    uint8_t category;
    int64_t nodes, tasks, total_ns, busy_ns;
    struct mi_bytes name; /* for the order of equals */
};

/* What is grouped: nodes, and names in tasks that belong to no node. */
struct entity {
    mi_str_id op;
    uint8_t category;
};

struct grouping {
    const struct mi_summary *summary;
    struct entity *entities; /* [entity_count + 1], from 1 */
    uint32_t *entity_of;     /* [tasks.count]; 0 = the task does not count */
    uint32_t entity_count;
    struct group *groups; /* [group_count] */
    uint32_t group_count, group_room;
    struct mi_map place, seen; /* key -> group + 1; (group, entity) -> 1 */
    bool failed;
};

/* --- entities --- */

static bool is_counted_node(const struct mi_summary *summary, uint32_t node)
{
    return mi_node_layer(summary->model, (mi_node_id){node}) == summary->top_layer;
}

/* Entities 1 .. nodes.count - 1 are nodes; behind them come the names of tasks without a node. */
static bool find_entities(struct grouping *grouping)
{
    const struct mi_summary *summary = grouping->summary;
    const struct mi_tables *rows = &summary->model->all.rows;
    struct mi_map names = {0};
    size_t most = (size_t)rows->nodes.count + rows->kernels.count;
    grouping->entities = mi_mem_zero(most + 1, sizeof *grouping->entities);
    grouping->entity_of = mi_mem_zero(rows->tasks.count, sizeof *grouping->entity_of);
    grouping->entity_count = rows->nodes.count - 1;
    if (!grouping->entities || !grouping->entity_of)
        return false;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        grouping->entities[n] = (struct entity){rows->nodes.op[n], rows->nodes.category[n]};
    bool ok = true;
    for (uint32_t t = 1; ok && t < rows->tasks.count; t++) {
        uint32_t link = summary->model->index.task_link[t], k = rows->tasks.kernel[t].v;
        if (!mi_account_counts(summary->account, summary->model, (mi_task_id){t}))
            continue;
        if (link) {
            grouping->entity_of[t] = rows->executed.node[link].v;
            continue;
        }
        mi_str_id op = rows->kernels.op[k].v ? rows->kernels.op[k] : rows->kernels.name[k];
        mi_str_id name =
            rows->kernels.node_name[k].v ? rows->kernels.node_name[k] : rows->kernels.name[k];
        uint32_t *at = mi_map_at(&names, mi_pair(name.v, op.v));
        ok = at != NULL;
        if (ok && !*at) {
            *at = ++grouping->entity_count;
            grouping->entities[*at] = (struct entity){op, rows->kernels.category[k]};
        }
        if (ok)
            grouping->entity_of[t] = *at;
    }
    mi_map_fini(&names);
    return ok;
}

/* --- groups --- */

static void reset(struct grouping *grouping)
{
    mi_map_fini(&grouping->place);
    mi_map_fini(&grouping->seen);
    grouping->group_count = 0;
}

/* The group of `key`, new if there is none; NULL: out of memory. */
static struct group *group_of(struct grouping *grouping, uint32_t key)
{
    uint32_t *at = mi_map_at(&grouping->place, key);
    if (at && !*at) {
        if (grouping->group_count == grouping->group_room) {
            uint32_t room = grouping->group_room ? grouping->group_room * 2 : 64;
            struct group *groups = mi_mem_resize(grouping->groups, room, sizeof *groups);
            if (!groups) {
                grouping->failed = true;
                return NULL;
            }
            grouping->groups = groups;
            grouping->group_room = room;
        }
        grouping->groups[grouping->group_count] = (struct group){.key = key};
        *at = ++grouping->group_count;
    }
    grouping->failed = grouping->failed || !at;
    return at ? &grouping->groups[*at - 1] : NULL;
}

/* Adds one task (or with task 0 one node) to the group of `key`. */
static void add(struct grouping *grouping, uint32_t key, uint32_t entity, uint32_t task)
{
    struct group *group = group_of(grouping, key);
    if (!group)
        return;
    uint32_t *seen =
        mi_map_at(&grouping->seen, mi_pair((uint32_t)(group - grouping->groups) + 1, entity));
    if (!seen) {
        grouping->failed = true;
        return;
    }
    group->nodes += !*seen;
    *seen = 1;
    group->category = grouping->entities[entity].category;
    if (task) {
        group->tasks++;
        group->total_ns = mi_ns_add(group->total_ns, grouping->summary->account->own_ns[task]);
    }
}

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    if (a->nodes != b->nodes)
        return a->nodes > b->nodes ? -1 : 1;
    int order = mi_bytes_compare(a->name, b->name);
    return order ? order : (a->key > b->key) - (a->key < b->key);
}

static void fill_numbers(const struct grouping *grouping, const struct group *group,
                         struct mi_cell *cells, int64_t all_ns)
{
    cells[0] = mi_cell_int(group->nodes);
    if (!grouping->summary->has_tasks)
        return;
    cells[1] = mi_cell_int(group->tasks);
    cells[2] = mi_cell_int(group->total_ns);
    if (group->tasks)
        cells[3] = mi_cell_int(group->total_ns / group->tasks);
    cells[4] = mi_cell_share(group->total_ns, all_ns);
}

/* Sorts the groups and returns the sum of their times. */
static int64_t sort_groups(struct grouping *grouping)
{
    int64_t all_ns = 0;
    for (uint32_t g = 0; g < grouping->group_count; g++)
        all_ns = mi_ns_add(all_ns, grouping->groups[g].total_ns);
    if (grouping->group_count)
        qsort(grouping->groups, grouping->group_count, sizeof *grouping->groups, compare_groups);
    return all_ns;
}

/* Folds everything behind the first `top` groups into one. Returns how many rows there are to be.
 */
static uint32_t fold_rest(struct grouping *grouping, struct group *rest)
{
    uint32_t top = grouping->summary->top;
    *rest = (struct group){0};
    if (!top || grouping->group_count <= top)
        return grouping->group_count;
    for (uint32_t g = top; g < grouping->group_count; g++) {
        rest->nodes += grouping->groups[g].nodes;
        rest->tasks += grouping->groups[g].tasks;
        rest->total_ns = mi_ns_add(rest->total_ns, grouping->groups[g].total_ns);
    }
    return top;
}

#define NUMBER_COLUMNS                                                                             \
    {"nodes", N_("nodes"), MI_CELL_INT, "", N_("distinct nodes; with tasks: those that ran")},     \
        {"tasks", N_("tasks"), MI_CELL_INT, "", N_("work tasks in the counted runs")},             \
        {"total_ns", N_("total"), MI_CELL_INT, "ns", N_("sum of their times, sub-tasks once")},    \
        {"average_ns", N_("average"), MI_CELL_INT, "ns", N_("total by tasks")},                    \
    {                                                                                              \
        "share", N_("share"), MI_CELL_SHARE, "", N_("of the sum of this table")                    \
    }

/* --- by type --- */

static const struct mi_report_column type_columns[] = {
    {"op_type", N_("type"), MI_CELL_TEXT, "", N_("operator type")},
    {"category", N_("category"), MI_CELL_WORD, "", N_("kind of operator")},
    NUMBER_COLUMNS,
};

static void by_type(struct grouping *grouping)
{
    const struct mi_summary *summary = grouping->summary;
    struct mi_report_table *table =
        mi_report_add_table(summary->out, "by_type", N_("By operator type"), type_columns,
                            sizeof type_columns / sizeof *type_columns);
    for (uint32_t g = 0; g < grouping->group_count; g++)
        grouping->groups[g].name =
            mi_model_text(summary->model, (mi_str_id){grouping->groups[g].key});
    int64_t all_ns = sort_groups(grouping);
    struct group rest;
    uint32_t count = fold_rest(grouping, &rest);
    for (uint32_t g = 0; g < count; g++) {
        const struct group *group = &grouping->groups[g];
        struct mi_cell *row = mi_report_add_row(summary->out, table);
        if (!row)
            return;
        row[0] = group->name.len ? mi_cell_text(group->name) : mi_cell_none();
        row[1] = mi_cell_word(mi_enum_name(MI_E_category, group->category));
        fill_numbers(grouping, group, row + 2, all_ns);
    }
    struct mi_cell *row =
        count < grouping->group_count ? mi_report_add_row(summary->out, table) : NULL;
    if (row) {
        row[0] = mi_cell_text(
            mi_arena_printf(&summary->out->arena, "... (%u)", grouping->group_count - count));
        fill_numbers(grouping, &rest, row + 2, all_ns);
    }
}

/* --- by category --- */

static const struct mi_report_column category_columns[] = {
    {"category", N_("category"), MI_CELL_WORD, "", N_("kind of operator")},
    NUMBER_COLUMNS,
};

static void by_category(struct grouping *grouping)
{
    const struct mi_summary *summary = grouping->summary;
    struct mi_report_table *table =
        mi_report_add_table(summary->out, "by_category", N_("By category"), category_columns,
                            sizeof category_columns / sizeof *category_columns);
    int64_t all_ns = sort_groups(grouping);
    for (uint32_t g = 0; g < grouping->group_count; g++) {
        struct mi_cell *row = mi_report_add_row(summary->out, table);
        if (!row)
            return;
        row[0] = mi_cell_word(mi_enum_name(MI_E_category, grouping->groups[g].key - 1));
        fill_numbers(grouping, &grouping->groups[g], row + 1, all_ns);
    }
}

/* --- by stream --- */

static const struct mi_report_column stream_columns[] = {
    {"stream", N_("stream"), MI_CELL_TEXT, "", N_("stream, engine or thread that ran the tasks")},
    NUMBER_COLUMNS,
    {"busy_ns", N_("busy"), MI_CELL_INT, "ns", N_("time in which at least one task ran on it")},
};

/* Union of the intervals of the counted work tasks of one track; `spans` has room for them. */
static int64_t busy_time(const struct grouping *grouping, uint32_t track, struct mi_span *spans)
{
    const struct mi_model *model = grouping->summary->model;
    const struct mi_tasks *tasks = &model->all.rows.tasks;
    const uint32_t *first = model->index.track_first_task;
    uint32_t count = 0;
    for (uint32_t t = first[track]; t < first[track + 1]; t++)
        if (grouping->entity_of[t])
            spans[count++] = (struct mi_span){tasks->start_ns[t],
                                              mi_ns_add(tasks->start_ns[t], tasks->dur_ns[t])};
    return mi_span_union(spans, count);
}

static void by_stream(struct grouping *grouping)
{
    const struct mi_summary *summary = grouping->summary;
    struct mi_span *spans = mi_mem_new(summary->model->all.rows.tasks.count, sizeof *spans);
    struct mi_report_table *table =
        mi_report_add_table(summary->out, "by_stream", N_("By stream"), stream_columns,
                            sizeof stream_columns / sizeof *stream_columns);
    grouping->failed = grouping->failed || !spans;
    if (!spans)
        return;
    for (uint32_t g = 0; g < grouping->group_count; g++) {
        struct group *group = &grouping->groups[g];
        group->name =
            mi_describe_track(summary->model, (mi_track_id){group->key}, &summary->out->arena);
        group->busy_ns = busy_time(grouping, group->key, spans);
    }
    mi_mem_free(spans);
    int64_t all_ns = sort_groups(grouping);
    for (uint32_t g = 0; g < grouping->group_count; g++) {
        struct mi_cell *row = mi_report_add_row(summary->out, table);
        if (!row)
            return;
        row[0] = mi_cell_text(grouping->groups[g].name);
        fill_numbers(grouping, &grouping->groups[g], row + 1, all_ns);
        row[6] = mi_cell_int(grouping->groups[g].busy_ns);
    }
}

/* --- all three --- */

enum by { BY_TYPE, BY_CATEGORY, BY_STREAM };

static uint32_t key_of(const struct grouping *grouping, enum by by, uint32_t entity, uint32_t task)
{
    if (by == BY_STREAM)
        return grouping->summary->model->all.rows.tasks.track[task].v;
    return by == BY_TYPE ? grouping->entities[entity].op.v
                         : (uint32_t)grouping->entities[entity].category + 1;
}

static void collect(struct grouping *grouping, enum by by)
{
    const struct mi_tables *rows = &grouping->summary->model->all.rows;
    reset(grouping);
    if (grouping->summary->has_tasks) {
        for (uint32_t t = 1; t < rows->tasks.count && !grouping->failed; t++)
            if (grouping->entity_of[t])
                add(grouping, key_of(grouping, by, grouping->entity_of[t], t),
                    grouping->entity_of[t], t);
        return;
    }
    for (uint32_t n = 1; n < rows->nodes.count && !grouping->failed; n++)
        if (is_counted_node(grouping->summary, n))
            add(grouping, key_of(grouping, by, n, 0), n, 0);
}

bool mi_summary_groups(const struct mi_summary *summary, struct mi_error *err)
{
    struct grouping grouping = {.summary = summary};
    grouping.failed = !find_entities(&grouping);
    if (!grouping.failed) {
        collect(&grouping, BY_CATEGORY);
        by_category(&grouping);
        collect(&grouping, BY_TYPE);
        by_type(&grouping);
    }
    if (!grouping.failed && summary->has_tasks) {
        collect(&grouping, BY_STREAM);
        by_stream(&grouping);
    }
    reset(&grouping);
    mi_mem_free(grouping.groups);
    mi_mem_free(grouping.entities);
    mi_mem_free(grouping.entity_of);
    return !grouping.failed || mi_fail(err, MI_ENOMEM, "out of memory");
}
