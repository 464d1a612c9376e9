/* The transfers and collectives that no compute hides, and what they could hide behind.
 *
 * A transfer whose node is known could run beside every operator that neither feeds it nor needs
 * it: their time in a run is the most that can be won by issuing it earlier or on another stream.
 * A copy that the application issues before the first operator of a run could go beside the run
 * before, one behind the last operator beside the run after. */
#include "analyse/deps.h"
#include "analyse/describe.h"
#include "analyse/overlap/overlap_parts.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"

#include <stdlib.h>

enum { MOST_CHANCES = 100 }; /* rows that are worth a walk through the graph */

/* --- collecting --- */

static struct mi_exposed *exposed_of(struct mi_overlap *o, uint32_t task, enum mi_lane_kind kind)
{
    const struct mi_tables *rows = &o->model->all.rows;
    uint32_t link = o->model->all.rows.tasks.link[task].v, kernel = rows->tasks.kernel[task].v;
    uint32_t name = link ? rows->executed.node[link].v : rows->kernels.name[kernel].v;
    uint64_t lane = (uint64_t)rows->tasks.track[task].v << 2 | (uint64_t)kind << 1 | (link != 0);
    uint32_t *at = mi_map_at(&o->places, mi_pair(name, (uint32_t)lane));
    if (!at)
        return NULL;
    if (!*at) {
        if (!mi_vec_room(&o->exposed, &o->exposed_room, o->exposed_count, sizeof *o->exposed))
            return NULL;
        o->exposed[o->exposed_count] = (struct mi_exposed){
            .entity = link ? rows->executed.node[link].v : 0, .kind = kind, .longest = task};
        *at = ++o->exposed_count;
    }
    return &o->exposed[*at - 1];
}

static bool collect_task(struct mi_overlap *o, uint32_t task)
{
    const struct mi_tasks *tasks = &o->model->all.rows.tasks;
    enum mi_lane_kind kind = mi_lane_kind(o->account, task);
    if (!mi_account_counts(o->account, (mi_task_id){task}) ||
        (kind != MI_LANE_TRANSFER && kind != MI_LANE_COMMUNICATION))
        return true;
    int64_t start_ns = tasks->start_ns[task], dur_ns = tasks->dur_ns[task];
    int64_t exposed_ns = dur_ns - mi_spans_within(&o->device.kinds[MI_LANE_COMPUTE], start_ns,
                                                  mi_ns_add(start_ns, dur_ns));
    struct mi_exposed *exposed = exposed_of(o, task, kind);
    if (!exposed)
        return false;
    exposed->tasks++;
    exposed->total_ns = mi_ns_add(exposed->total_ns, dur_ns);
    exposed->exposed_ns = mi_ns_add(exposed->exposed_ns, exposed_ns);
    if (exposed_ns > exposed->longest_ns) {
        exposed->longest_ns = exposed_ns;
        exposed->longest = task;
    }
    return true;
}

bool mi_overlap_collect_exposed(struct mi_overlap *o, uint32_t group)
{
    const struct mi_tracks *tracks = &o->model->all.rows.tracks;
    const uint32_t *first = o->model->index.track_first_task;
    for (uint32_t track = 0; track < tracks->count; track++) {
        if (first[track] == first[track + 1] || o->account->group_of[track] != group)
            continue;
        for (uint32_t t = first[track]; t < first[track + 1]; t++)
            if (!collect_task(o, t))
                return false;
    }
    return true;
}

void mi_overlap_free_exposed(struct mi_overlap *o)
{
    mi_map_fini(&o->places);
    mi_mem_free(o->exposed);
}

/* --- what they could hide behind --- */

struct hiding {
    const struct mi_overlap *o;
    struct mi_deps deps;
    struct mi_node_time *times; /* [nodes.count] */
    uint8_t *marks;             /* [deps.vertex_count] */
};

/* Of the operators that could run beside the node: their time in a run, and the longest. *is_known
 * is false where nothing is known of what feeds the node and what needs it. */
static bool find_independent(struct hiding *h, uint32_t node, int64_t *time_ns, uint32_t *longest,
                             bool *is_known)
{
    const struct mi_model *model = h->o->model;
    const struct mi_tables *rows = &model->all.rows;
    enum mi_layer layer = mi_node_layer(model, (mi_node_id){node});
    int64_t longest_ns = 0;
    memset(h->marks, 0, h->deps.vertex_count);
    if (!mi_deps_reach(&h->deps, node, false, h->marks, 1) ||
        !mi_deps_reach(&h->deps, node, true, h->marks, 2))
        return false;
    *time_ns = *longest = 0;
    *is_known = false;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        const struct mi_node_time *time = &h->times[n];
        *is_known = *is_known || h->marks[n];
        if (n == node || h->marks[n] || !time->runs ||
            rows->nodes.category[n] == MI_CATEGORY_DATA_MOVEMENT ||
            rows->nodes.category[n] == MI_CATEGORY_COMMUNICATION ||
            mi_node_layer(model, (mi_node_id){n}) != layer)
            continue;
        int64_t run_ns = time->total_ns / time->runs;
        *time_ns = mi_ns_add(*time_ns, run_ns);
        if (run_ns > longest_ns) {
            longest_ns = run_ns;
            *longest = n;
        }
    }
    return true;
}

/* The first task of the track that starts at or behind the moment. */
static uint32_t task_from(const struct mi_model *model, uint32_t track, int64_t at_ns)
{
    uint32_t low = model->index.track_first_task[track];
    uint32_t high = model->index.track_first_task[track + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (model->all.rows.tasks.start_ns[middle] < at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether something of the same run and device computes before the task starts, and behind. */
static void look_around(const struct mi_overlap *o, uint32_t task, bool *has_before,
                        bool *has_behind)
{
    const struct mi_tables *rows = &o->model->all.rows;
    const uint32_t *first = o->model->index.track_first_task;
    uint32_t number = o->account->run_of[task];
    const struct mi_account_run *run = &o->account->runs[number];
    *has_before = *has_behind = false;
    for (uint32_t track = 0; track < rows->tracks.count; track++) {
        if (first[track] == first[track + 1] || o->account->group_of[track] != run->group)
            continue;
        for (uint32_t t = task_from(o->model, track, run->first_ns);
             t < first[track + 1] && rows->tasks.start_ns[t] < run->end_ns; t++) {
            if (o->account->run_of[t] != number || mi_lane_kind(o->account, t) != MI_LANE_COMPUTE)
                continue;
            if (rows->tasks.start_ns[t] < rows->tasks.start_ns[task])
                *has_before = true;
            else
                *has_behind = true;
        }
    }
}

static bool put_chance(struct hiding *h, const struct mi_exposed *exposed, struct mi_cell *row)
{
    const struct mi_overlap *o = h->o;
    const struct mi_account_group *group =
        &o->account->groups[o->account->runs[o->account->run_of[exposed->longest]].group];
    bool has_before = false, has_behind = false, is_known = false;
    uint32_t longest = 0;
    int64_t time_ns = 0;
    if (exposed->entity) {
        if (!find_independent(h, exposed->entity, &time_ns, &longest, &is_known))
            return false;
        if (!is_known)
            return true;
        row[8] = mi_cell_int(time_ns);
        row[9] = mi_cell_word(longest ? N_("operators that do not depend on it")
                                      : N_("nothing: all operators depend on it"));
        if (longest) {
            row[10] = mi_cell_int(longest);
            row[11] =
                mi_cell_text(mi_describe_node(o->model, (mi_node_id){longest}, &o->out->arena));
        }
        return true;
    }
    look_around(o, exposed->longest, &has_before, &has_behind);
    if (group->run_count > 1 && has_behind && !has_before)
        row[9] = mi_cell_word(N_("the run before"));
    else if (group->run_count > 1 && has_before && !has_behind)
        row[9] = mi_cell_word(N_("the run after"));
    return true;
}

/* --- the table --- */

static const struct mi_report_column columns[] = {
    {"name", N_("name"), MI_CELL_TEXT, "", N_("name of the node, else of the task")},
    {"kind", N_("kind"), MI_CELL_WORD, "", N_("transfer or communication")},
    {"stream", N_("stream"), MI_CELL_TEXT, "", N_("stream that it ran on")},
    {"tasks", N_("tasks"), MI_CELL_INT, "", N_("work tasks in the counted runs")},
    {"total_ns", N_("total"), MI_CELL_INT, "ns", N_("sum of their times")},
    {"exposed_ns", N_("exposed"), MI_CELL_INT, "ns", N_("of it while the device did not compute")},
    {"longest", N_("longest"), MI_CELL_TASK, "", N_("task with the longest exposed part")},
    {"node", N_("node"), MI_CELL_NODE, "", N_("node that it ran")},
    {"behind_ns", N_("could hide behind"), MI_CELL_INT, "ns",
     N_("time of a run in operators that neither feed it nor need it")},
    {"behind", N_("which are"), MI_CELL_WORD, "", N_("what it could run beside")},
    {"behind_node", NULL, MI_CELL_NODE, "", N_("the longest of them")},
    {"behind_name", N_("the longest"), MI_CELL_TEXT, "", N_("name of the longest of them")},
};

static int compare_exposed(const void *left, const void *right)
{
    const struct mi_exposed *a = left, *b = right;
    if (a->exposed_ns != b->exposed_ns)
        return a->exposed_ns > b->exposed_ns ? -1 : 1;
    return (a->longest > b->longest) - (a->longest < b->longest);
}

static void put_row(const struct mi_overlap *o, const struct mi_exposed *exposed,
                    struct mi_cell *row)
{
    const struct mi_tables *rows = &o->model->all.rows;
    uint32_t kernel = rows->tasks.kernel[exposed->longest].v;
    struct mi_bytes name =
        exposed->entity ? mi_describe_node(o->model, (mi_node_id){exposed->entity}, &o->out->arena)
                        : mi_model_text(o->model, rows->kernels.name[kernel]);
    row[0] = mi_cell_text(name);
    row[1] = mi_cell_word(mi_enum_name(MI_E_task_kind, exposed->kind == MI_LANE_TRANSFER
                                                           ? MI_TASK_TRANSFER
                                                           : MI_TASK_COMMUNICATION));
    row[2] = mi_cell_text(
        mi_describe_track(o->model, rows->tasks.track[exposed->longest], &o->out->arena));
    row[3] = mi_cell_int(exposed->tasks);
    row[4] = mi_cell_int(exposed->total_ns);
    row[5] = mi_cell_int(exposed->exposed_ns);
    row[6] = mi_cell_int(exposed->longest);
    if (exposed->entity)
        row[7] = mi_cell_int(exposed->entity);
}

bool mi_overlap_list_exposed(struct mi_overlap *o)
{
    struct hiding h = {.o = o};
    struct mi_error err = MI_ERROR_INIT;
    struct mi_report_table *table =
        mi_report_add_table(o->out, "exposed", N_("Longest exposed transfers and collectives"),
                            columns, sizeof columns / sizeof *columns);
    mi_report_mark_details(table, "kind tasks total_ns node behind_name");
    if (o->exposed_count)
        qsort(o->exposed, o->exposed_count, sizeof *o->exposed, compare_exposed);
    bool ok = mi_deps_init(&h.deps, o->model, &err);
    h.times = ok ? mi_account_nodes(o->account, o->model) : NULL;
    h.marks = ok ? mi_mem_zero((size_t)h.deps.vertex_count + 1, 1) : NULL;
    ok = ok && h.times && h.marks;
    for (uint32_t i = 0; ok && i < o->exposed_count && (!o->top || i < o->top); i++) {
        struct mi_cell *row =
            o->exposed[i].exposed_ns > 0 ? mi_report_add_row(o->out, table) : NULL;
        if (!row)
            break;
        put_row(o, &o->exposed[i], row);
        ok = i >= MOST_CHANCES || put_chance(&h, &o->exposed[i], row);
    }
    mi_deps_fini(&h.deps);
    mi_mem_free(h.times);
    mi_mem_free(h.marks);
    return ok;
}
