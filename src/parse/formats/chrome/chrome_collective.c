/* Collectives and their parts. A group's row is the collective; the rows of its planes tell once
 * more of tasks that stand on their stream already, with the ranks and sizes in their arguments:
 * these become notes of the tasks. Tasks belong to the collective that has their connection id and
 * encloses them; a plane says so too. */
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "model/sort.h"
#include "parse/formats/chrome/chrome.h"

void mi_chrome_plane(struct mi_chrome *c, const struct mi_chrome_event *event, uint32_t lane)
{
    if (!(event->flags & MI_CHROME_HAS_TS) ||
        event->flags & (MI_CHROME_BAD_TS | MI_CHROME_ENDLESS)) {
        mi_chrome_lose(c, "trace.no_time", N_("an event whose ts is missing or no number"));
        return;
    }
    if (!mi_vec_room(&c->planes, &c->plane_room, c->plane_count, sizeof *c->planes)) {
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for planes");
        return;
    }
    bool fits = event->size <= UINT32_MAX;
    c->planes[c->plane_count++] = (struct mi_chrome_plane){
        .start_ns = event->ts_ns,
        .dur_ns = event->dur_ns > 0 ? event->dur_ns : 0,
        .stream = mi_chrome_arg_number(event, MI_CHROME_ARG_PLANE_STREAM, -1),
        .task = mi_chrome_arg_number(event, MI_CHROME_ARG_PLANE_TASK, -1),
        .context = mi_chrome_arg_number(event, MI_CHROME_ARG_PLANE_CONTEXT, UINT32_MAX),
        .model = mi_chrome_arg_number(event, MI_CHROME_ARG_MODEL, -1),
        .offset = event->at,
        .size = fits ? (uint32_t)event->size : 0,
        .lane = lane,
        .name = mi_chrome_name(c, event->name),
        .type = mi_chrome_has_arg(event, MI_CHROME_ARG_PLANE_TYPE)
                    ? mi_chrome_name(c, event->arg[MI_CHROME_ARG_PLANE_TYPE])
                    : MI_NO_STR,
    };
    c->batch->counts.kept++;
}

/* --- tasks by start --- */

struct finder {
    struct mi_chrome *c;
    const struct mi_tables *rows;
    uint32_t *order, count;                  /* tasks by start, from 1 */
    uint32_t *collectives, collective_count; /* by track and start, from 1 */
};

static bool starts_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    return rows->tasks.start_raw[a] > rows->tasks.start_raw[b];
}

static bool stands_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_tasks *tasks = &rows->tasks;
    if (tasks->track[a].v != tasks->track[b].v)
        return tasks->track[a].v > tasks->track[b].v;
    return tasks->start_raw[a] > tasks->start_raw[b];
}

static bool is_collective(const struct finder *f, uint32_t task)
{
    return f->rows->tracks.kind[f->rows->tasks.track[task].v] == MI_TRACK_GROUP;
}

static bool list_collectives(struct finder *f)
{
    f->collective_count = 1;
    for (uint32_t t = 1; t < f->count; t++)
        f->collective_count += is_collective(f, t);
    f->collectives = mi_mem_new(f->collective_count, sizeof *f->collectives);
    if (!f->collectives)
        return false;
    uint32_t at = f->collectives[0] = 0;
    for (uint32_t t = 1; t < f->count; t++)
        if (is_collective(f, t))
            f->collectives[++at] = t;
    return mi_rows_sort(f->rows, f->collectives, f->collective_count, stands_behind);
}

static bool finder_init(struct finder *f, struct mi_chrome *c)
{
    *f = (struct finder){.c = c, .rows = &c->batch->rows, .count = c->batch->rows.tasks.count};
    f->order = mi_mem_new(f->count ? f->count : 1, sizeof *f->order);
    for (uint32_t t = 0; f->order && t < f->count; t++)
        f->order[t] = t;
    return f->order && mi_rows_sort(f->rows, f->order, f->count, starts_behind) &&
           list_collectives(f);
}

/* The first place in the order whose task does not start before `start_ns`. */
static uint32_t first_from(const struct finder *f, int64_t start_ns)
{
    uint32_t low = 1, high = f->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->rows->tasks.start_raw[f->order[middle]] < start_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t device_of(const struct finder *f, uint32_t task)
{
    uint32_t lane = f->c->lane_of_track[f->rows->tasks.track[task].v];
    return mi_chrome_device(f->c, f->c->lanes[lane].process);
}

/* --- parents --- */

/* Both durations are rounded, so a part may seem to end this much behind the whole. */
#define SLACK_NS 1

static bool connection_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_tasks *tasks = &rows->tasks;
    if (mi_some_u32(tasks->connection[a]) != mi_some_u32(tasks->connection[b]))
        return mi_some_u32(tasks->connection[a]) > mi_some_u32(tasks->connection[b]);
    return tasks->start_raw[a] > tasks->start_raw[b];
}

/* The last collective of a connection id that does not start behind a moment; 0 = none. */
static uint32_t launched_at(const struct finder *f, const uint32_t *list, uint32_t connection,
                            int64_t start_ns)
{
    const struct mi_tasks *tasks = &f->rows->tasks;
    uint32_t low = 1, high = f->collective_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, task = list[middle];
        if (mi_some_u32(tasks->connection[task]) < connection ||
            (mi_some_u32(tasks->connection[task]) == connection &&
             tasks->start_raw[task] <= start_ns))
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t found = low > 1 ? list[low - 1] : 0;
    return found && mi_some_u32(tasks->connection[found]) == connection ? found : 0;
}

/* Everything within a collective that has its connection id is a part of it. */
static bool adopt_parts(struct finder *f)
{
    struct mi_tasks *tasks = &f->c->batch->rows.tasks;
    size_t size = f->collective_count * sizeof *f->collectives;
    uint32_t *list = mi_mem_new(f->collective_count, sizeof *list);
    if (!list)
        return false;
    memcpy(list, f->collectives, size);
    bool ok = mi_rows_sort(f->rows, list, f->collective_count, connection_behind);
    for (uint32_t t = 1; ok && t < f->count; t++) {
        if (mi_some_u32(tasks->connection[t]) == MI_NO_CONNECTION || is_collective(f, t))
            continue;
        uint32_t all = launched_at(f, list, mi_some_u32(tasks->connection[t]), tasks->start_raw[t]);
        if (all &&
            tasks->start_raw[t] + tasks->dur_ns[t] <=
                tasks->start_raw[all] + tasks->dur_ns[all] + SLACK_NS &&
            device_of(f, t) == device_of(f, all))
            tasks->parent[t].v = all;
    }
    mi_mem_free(list);
    return ok;
}

/* The collective of a group that runs at that time; 0 = none. Those of one group follow each other,
 * so it is the last one begun. */
static uint32_t collective_at(const struct finder *f, uint32_t group, int64_t start_ns,
                              int64_t end_ns)
{
    const struct mi_tasks *tasks = &f->rows->tasks;
    uint32_t track = group ? mi_map_get(&f->c->track_of, mi_pair(group, UINT32_MAX)) : 0;
    uint32_t low = 1, high = f->collective_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2, task = f->collectives[middle];
        if (tasks->track[task].v < track ||
            (tasks->track[task].v == track && tasks->start_raw[task] <= start_ns))
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t task = low > 1 ? f->collectives[low - 1] : 0;
    bool is_in = task && tasks->track[task].v == track &&
                 tasks->start_raw[task] + tasks->dur_ns[task] + SLACK_NS >= end_ns;
    return is_in ? task : 0;
}

/* --- planes --- */

/* Whether the record of a task names this context. */
static bool has_context(const struct finder *f, uint32_t task, int64_t context)
{
    const struct mi_tasks *tasks = &f->rows->tasks;
    struct mi_chrome_scan scan;
    struct mi_chrome_event event;
    if (tasks->record_offset[task] < 0)
        return false;
    mi_chrome_scan_init(&scan, mi_bytes_sub(f->c->src->bytes, (size_t)tasks->record_offset[task],
                                            tasks->record_bytes[task]));
    return mi_chrome_event_read(&scan, &event) &&
           mi_chrome_arg_number(&event, MI_CHROME_ARG_SUBTASK, UINT32_MAX) == context;
}

static bool is_twin(const struct finder *f, uint32_t task, const struct mi_chrome_plane *plane,
                    int64_t device)
{
    const struct mi_tables *rows = f->rows;
    return mi_some_get(rows->tasks.native_id[task]) == plane->task && !is_collective(f, task) &&
           rows->tracks.native_id[rows->tasks.track[task].v] == plane->stream &&
           device_of(f, task) == device;
}

/* Tasks of one start that are looked at; devices have fewer streams that work at a time. */
enum { MOST_ALIKE = 256 };

/* The task that a plane's row tells of; of several with one start, the one of its context. */
static uint32_t twin_of(const struct finder *f, const struct mi_chrome_plane *plane)
{
    int64_t device = mi_chrome_device(f->c, f->c->lanes[plane->lane].process);
    uint32_t found = 0, alike = 0;
    uint32_t from = first_from(f, plane->start_ns), at;
    for (at = from; at < f->count && at - from < MOST_ALIKE; at++) {
        uint32_t task = f->order[at];
        if (f->rows->tasks.start_raw[task] != plane->start_ns)
            break;
        if (!is_twin(f, task, plane, device))
            continue;
        found = task;
        alike++;
    }
    if (alike < 2)
        return found;
    while (at-- > from)
        if (is_twin(f, f->order[at], plane, device) && has_context(f, f->order[at], plane->context))
            return f->order[at];
    return found;
}

static void add_note(struct mi_chrome *c, const struct mi_chrome_plane *plane, uint32_t task)
{
    mi_add_note(c->batch,
                &(struct mi_note_row){.kind = mi_batch_cstr(c->batch, "plane"),
                                      .name = plane->name,
                                      .device = mi_chrome_device(c, c->lanes[plane->lane].process),
                                      .stream = plane->stream,
                                      .native_id = plane->task,
                                      .start_raw = plane->start_ns,
                                      .record_offset = plane->size ? (int64_t)plane->offset : -1,
                                      .record_bytes = plane->size,
                                      .task = {task}});
}

/* A plane's row that tells of work that no stream shows. */
static void add_task(struct mi_chrome *c, const struct mi_chrome_plane *plane, uint32_t parent)
{
    struct mi_bytes type = mi_batch_text(c->batch, plane->type);
    mi_add_task(c->batch,
                &(struct mi_task_row){
                    .track = mi_chrome_stream_track(
                        c, plane->lane, plane->stream <= UINT32_MAX ? plane->stream : -1, -1),
                    .kernel = mi_chrome_cann_kernel(c, plane->name, type, plane->model, 0),
                    .native_id = plane->task,
                    .connection = parent ? mi_some_u32(c->batch->rows.tasks.connection[parent])
                                         : MI_NO_CONNECTION,
                    .parent = {parent},
                    .start_raw = plane->start_ns,
                    .dur_ns = plane->dur_ns,
                    .record_offset = plane->size ? (int64_t)plane->offset : -1,
                    .record_bytes = plane->size});
}

static void join_planes(struct finder *f)
{
    struct mi_chrome *c = f->c;
    for (uint32_t p = 0; p < c->plane_count && !mi_batch_failed(c->batch); p++) {
        const struct mi_chrome_plane *plane = &c->planes[p];
        uint32_t twin = twin_of(f, plane);
        uint32_t parent = twin ? c->batch->rows.tasks.parent[twin].v : 0;
        if (!parent)
            parent = collective_at(f, c->lanes[plane->lane].group, plane->start_ns,
                                   plane->start_ns + plane->dur_ns);
        if (!twin) {
            add_task(c, plane, parent);
            continue;
        }
        c->batch->rows.tasks.parent[twin].v = parent;
        add_note(c, plane, twin);
        mi_chrome_note(
            c, MI_INFO, "trace.plane_twin",
            N_("rows of planes that tell of tasks on a stream are kept as notes of these"));
    }
}

/* Copies that do nothing but the work of collectives are communication. */
static void judge_copies(struct mi_chrome *c)
{
    struct mi_tables *rows = &c->batch->rows;
    uint8_t *is_own = mi_mem_zero(rows->kernels.count, 1); /* does something else as well */
    for (uint32_t t = 1; is_own && t < rows->tasks.count; t++)
        is_own[rows->tasks.kernel[t].v] |= !rows->tasks.parent[t].v;
    for (uint32_t k = 1; is_own && k < rows->kernels.count; k++)
        if (!is_own[k] && rows->kernels.kind[k] == MI_TASK_TRANSFER)
            rows->kernels.kind[k] = MI_TASK_COMMUNICATION;
    if (!is_own)
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for collectives");
    mi_mem_free(is_own);
}

void mi_chrome_collectives_finish(struct mi_chrome *c)
{
    struct finder f;
    uint32_t collectives = 0;
    for (uint32_t l = 1; l < c->lane_count; l++)
        collectives += c->lanes[l].is_group;
    if ((!collectives && !c->plane_count) || mi_batch_failed(c->batch))
        return;
    mi_chrome_find_groups(c);
    if (!finder_init(&f, c) || !adopt_parts(&f)) {
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for collectives");
    } else {
        join_planes(&f);
        judge_copies(c);
    }
    mi_mem_free(f.order);
    mi_mem_free(f.collectives);
}
