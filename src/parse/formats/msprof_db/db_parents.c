/* Rows that enclose others: a FFTS+ or MIX task stands there as itself and as its parts, which have
 * a context of their own; a collective encloses its parts. The enclosing ones must not count twice.
 *
 * Task ids come again (they wrap, graphs run again), so a part belongs to the row of its stream and
 * id that lies around it in time. */
#include "base/mem.h"
#include "base/vec.h"
#include "parse/formats/msprof_db/db_read.h"

#include <stdlib.h>

/* A row that may enclose others. */
struct span {
    uint64_t key;
    int64_t start, stop;
    uint32_t task;
};

struct spans {
    struct span *at;
    uint32_t count, room;
};

static bool add_span(struct spans *spans, const struct mi_tasks *tasks, uint64_t key, uint32_t task)
{
    if (!mi_vec_room(&spans->at, &spans->room, spans->count, sizeof *spans->at))
        return false;
    int64_t start = tasks->start_raw[task];
    spans->at[spans->count++] = (struct span){key, start, start + tasks->dur_ns[task], task};
    return true;
}

static int by_key_and_start(const void *left, const void *right)
{
    const struct span *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

static void sort_spans(struct spans *spans)
{
    if (spans->count)
        qsort(spans->at, spans->count, sizeof *spans->at, by_key_and_start);
}

/* The last span of this key that begins no later than the task; it must reach to its end. */
static uint32_t around(const struct spans *spans, const struct mi_tasks *tasks, uint64_t key,
                       uint32_t task)
{
    int64_t start = tasks->start_raw[task], stop = start + tasks->dur_ns[task];
    uint32_t low = 0, high = spans->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct span *span = &spans->at[middle];
        if (span->key < key || (span->key == key && span->start <= start))
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || spans->at[low - 1].key != key || spans->at[low - 1].stop < stop)
        return 0;
    return spans->at[low - 1].task;
}

static uint64_t key_of(const struct mi_tasks *tasks, uint32_t task)
{
    return mi_pair(tasks->track[task].v, (uint32_t)mi_some_get(tasks->native_id[task]));
}

/* --- FFTS+ and MIX --- */

/* All rows without a context on streams and of ids that have rows with one. */
static bool gather_parents(struct mi_db_reading *r, struct spans *spans)
{
    const struct mi_tasks *tasks = &r->db.batch->rows.tasks;
    const struct mi_db_list *children = &r->children;
    struct mi_map keys = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < children->count; i++)
        ok = mi_map_set(&keys, key_of(tasks, children->at[i]), 1);
    for (uint32_t t = 1, next = 0; ok && t < r->first_collective; t++) {
        if (next < children->count && children->at[next] == t)
            next++;
        else if (mi_map_get(&keys, key_of(tasks, t)))
            ok = add_span(spans, tasks, key_of(tasks, t), t);
    }
    mi_map_fini(&keys);
    sort_spans(spans);
    return ok;
}

static bool set_parents(struct mi_db_reading *r)
{
    struct mi_tasks *tasks = &r->db.batch->rows.tasks;
    struct spans spans = {0};
    bool ok = gather_parents(r, &spans);
    for (uint32_t i = 0; ok && i < r->children.count; i++) {
        uint32_t child = r->children.at[i];
        tasks->parent[child].v = around(&spans, tasks, key_of(tasks, child), child);
    }
    mi_mem_free(spans.at);
    return ok;
}

/* --- collectives --- */

static bool contains(const struct mi_tasks *tasks, uint32_t outer, uint32_t inner)
{
    return tasks->start_raw[outer] <= tasks->start_raw[inner] &&
           tasks->start_raw[inner] + tasks->dur_ns[inner] <=
               tasks->start_raw[outer] + tasks->dur_ns[outer];
}

/* A part names its collective, but in a graph that runs again it always names the same one: then
 * the one of that name and group around it is meant. */
static void place_part(struct mi_db_reading *r, const struct spans *spans, uint32_t part,
                       uint32_t collective)
{
    struct mi_tasks *tasks = &r->db.batch->rows.tasks;
    if (!contains(tasks, collective, part))
        collective = around(spans, tasks, tasks->kernel[collective].v, part);
    if (!collective) {
        mi_batch_diag(r->db.batch, MI_NOTICE, "msprof_db.part_outside", MI_NO_OFFSET, 0,
                      "a part of a collective lies outside of it");
        return;
    }
    uint32_t frame = tasks->parent[part].v;
    tasks->parent[part].v = collective;
    if (frame && contains(tasks, frame, collective))
        tasks->parent[collective].v = frame;
    else if (frame && contains(tasks, collective, frame))
        tasks->parent[frame].v = collective;
}

static bool place_parts(struct mi_db_reading *r)
{
    const struct mi_tasks *tasks = &r->db.batch->rows.tasks;
    struct mi_db_ids task_of = {0}; /* opId -> collective */
    struct spans spans = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < r->collective_count; i++) {
        uint32_t task = r->first_collective + i;
        ok = mi_db_ids_set(&task_of, r->collective_ids[i], task) &&
             add_span(&spans, tasks, tasks->kernel[task].v, task);
    }
    sort_spans(&spans);
    for (uint32_t i = 0; ok && i < r->part_tasks.count; i++) {
        uint32_t collective = mi_db_ids_get(&task_of, r->parts[r->part_ids.at[i]].op);
        if (collective)
            place_part(r, &spans, r->part_tasks.at[i], collective);
    }
    mi_db_ids_fini(&task_of);
    mi_mem_free(spans.at);
    return ok;
}

/* --- what encloses others is a frame, no work of its own --- */

static uint32_t frame_kernel(struct mi_db_reading *r, struct mi_map *frames, uint32_t kernel)
{
    struct mi_batch *batch = r->db.batch;
    const struct mi_kernels *kernels = &batch->rows.kernels;
    uint32_t *at = mi_map_at(frames, kernel);
    if (at && !*at) {
        struct mi_kernel_row row = {.name = kernels->name[kernel],
                                    .node_name = kernels->node_name[kernel],
                                    .node_index = -1,
                                    .op = kernels->op[kernel],
                                    .kind = MI_TASK_CONTROL,
                                    .engine = kernels->engine[kernel],
                                    .type = kernels->type[kernel],
                                    .model = kernels->model[kernel],
                                    .group = kernels->group[kernel]};
        *at = mi_add_kernel(batch, &row).v;
    }
    return at ? *at : 0;
}

static bool mark_frames(struct mi_db_reading *r)
{
    struct mi_tables *rows = &r->db.batch->rows;
    struct mi_map frames = {0}; /* kernel -> the same as a frame */
    bool ok = true;
    for (uint32_t t = 1; ok && t < rows->tasks.count; t++) {
        uint32_t parent = rows->tasks.parent[t].v;
        uint32_t kernel = rows->tasks.kernel[parent].v;
        if (!parent || parent >= r->first_collective ||
            rows->kernels.kind[kernel] == MI_TASK_CONTROL)
            continue;
        rows->tasks.kernel[parent].v = frame_kernel(r, &frames, kernel);
        ok = rows->tasks.kernel[parent].v != 0;
    }
    mi_map_fini(&frames);
    return ok;
}

bool mi_db_set_parents(struct mi_db_reading *r)
{
    if (!mi_db_is_fine(&r->db))
        return false;
    bool ok = (!r->children.count || set_parents(r)) && (!r->part_tasks.count || place_parts(r)) &&
              (!(r->children.count || r->part_tasks.count) || mark_frames(r));
    if (!ok)
        mi_batch_fail(r->db.batch, MI_ENOMEM, "out of memory for enclosing tasks");
    return mi_db_is_fine(&r->db);
}
