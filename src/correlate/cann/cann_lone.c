/* Streams none of whose tasks has a node by name: pieces of a long stream that the runtime has
 * split, where all names repeat. The whole sequence of types is looked for in what the other
 * streams leave of the lists. */
#include "base/mem.h"
#include "correlate/cann/cann_tasks.h"

enum { LEAST_TASKS = 2, MOST_TASKS = 1024 };

struct ids { /* of one track */
    int64_t first, last;
    bool has_compute;
};

struct lone {
    struct mi_cann_plan *plan;
    const struct mi_tables *rows;
    struct ids *ids;                   /* [tracks.count] */
    uint8_t *is_taken;                 /* [planned.count] a stream with anchors reaches over it */
    uint32_t tasks[MOST_TASKS], count; /* of the stream at hand, without those of the runtime */
};

static uint32_t task_at(const struct lone *l, uint32_t track, int64_t id)
{
    return mi_map_get(&l->plan->seen, mi_pair(track, (uint32_t)id));
}

static bool is_foreign(const struct lone *l, uint32_t task)
{
    return l->plan->is_foreign[l->rows->tasks.kernel[task].v];
}

static void find_ids(struct lone *l)
{
    const struct mi_tasks *tasks = &l->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        struct ids *ids = &l->ids[tasks->track[t].v];
        int64_t id = tasks->native_id[t];
        if (id < 0 || is_foreign(l, t))
            continue;
        ids->first = ids->last < 0 || id < ids->first ? id : ids->first;
        ids->last = id > ids->last ? id : ids->last;
        ids->has_compute |= l->rows->kernels.kind[tasks->kernel[t].v] == MI_TASK_COMPUTE;
    }
}

/* From the first task of the stream to its last. */
static void take(struct lone *l, uint32_t track)
{
    const struct mi_cann_plan *plan = l->plan;
    uint32_t begin = plan->track_first[track], end = plan->track_first[track + 1];
    if (begin == end)
        return;
    const struct mi_cann_anchor *front = &plan->anchors[begin], *back = &plan->anchors[end - 1];
    uint32_t from = mi_cann_plan_step(plan, front, l->ids[track].first);
    uint32_t to = mi_cann_plan_step(plan, back, l->ids[track].last);
    uint32_t list = plan->list_of[front->planned];
    if (list != plan->list_of[back->planned])
        return;
    uint32_t last = to ? plan->place[to] : plan->place[back->planned];
    for (uint32_t i = from ? plan->place[from] : plan->place[front->planned]; i <= last; i++)
        l->is_taken[plan->items.list[plan->items.first[list] + i]] = 1;
}

static void list_tasks(struct lone *l, uint32_t track)
{
    l->count = 0;
    for (int64_t id = l->ids[track].first; id <= l->ids[track].last; id++) {
        uint32_t task = task_at(l, track, id);
        if (task && !is_foreign(l, task))
            l->tasks[l->count++] = task;
    }
}

static bool fits(const struct lone *l, const uint32_t *items)
{
    for (uint32_t i = 0; i < l->count; i++)
        if (l->is_taken[items[i]] || !mi_cann_plan_agrees(l->plan, l->tasks[i], items[i]))
            return false;
    return true;
}

/* The planned task of the first one, 0 where there is no place or several. */
static uint32_t find_place(const struct lone *l)
{
    const struct mi_csr *items = &l->plan->items;
    uint32_t found = 0;
    for (uint32_t list = 1; list < items->row_count; list++)
        for (uint32_t i = items->first[list]; i + l->count <= items->first[list + 1]; i++)
            if (fits(l, &items->list[i])) {
                if (found)
                    return 0;
                found = items->list[i];
            }
    return found;
}

static bool place_track(struct lone *l, uint32_t track)
{
    const struct ids *ids = &l->ids[track];
    if (l->plan->track_first[track] != l->plan->track_first[track + 1] || !ids->has_compute ||
        ids->last - ids->first >= MOST_TASKS)
        return true;
    list_tasks(l, track);
    uint32_t planned = l->count >= LEAST_TASKS ? find_place(l) : 0;
    return !planned ||
           mi_cann_plan_anchor(l->plan, &(struct mi_cann_anchor){
                                            .track = track,
                                            .id = (uint32_t)l->rows->tasks.native_id[l->tasks[0]],
                                            .planned = planned});
}

bool mi_cann_plan_lone(struct mi_cann_plan *plan)
{
    const struct mi_tables *rows = &plan->model->all.rows;
    uint32_t tracks = rows->tracks.count;
    if (plan->items.row_count <= 1)
        return true;
    struct lone *l = mi_mem_zero(1, sizeof *l);
    if (!l)
        return false;
    l->plan = plan;
    l->rows = rows;
    l->ids = mi_mem_zero(tracks, sizeof *l->ids);
    l->is_taken = mi_mem_zero(rows->planned.count, 1);
    bool ok = l->ids && l->is_taken;
    for (uint32_t track = 0; ok && track < tracks; track++)
        l->ids[track].last = -1;
    if (ok)
        find_ids(l);
    for (uint32_t track = 1; ok && track < tracks; track++)
        take(l, track);
    for (uint32_t track = 1; ok && track < tracks; track++)
        ok = place_track(l, track);
    ok = ok && mi_cann_plan_sort(plan);
    mi_mem_free(l->ids);
    mi_mem_free(l->is_taken);
    mi_mem_free(l);
    return ok;
}
