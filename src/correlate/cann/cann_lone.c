/* Streams none of whose tasks has a node by name: pieces of a long stream that the runtime has
 * split, where all names repeat, and streams that only copy. The whole sequence of types is looked
 * for in what the other streams leave of the lists.
 *
 * The program's own copies look like those of a model: a stream without kernels is looked for only
 * where it records or waits for events, and starts no model. */
#include "base/mem.h"
#include "correlate/cann/cann_tasks.h"

enum { LEAST_TASKS = 2, MOST_TASKS = 1024 };

enum { HAS_COMPUTE = 1, HAS_EVENT = 2, HAS_START = 4 };

struct lone {
    struct mi_cann_plan *plan;
    const struct mi_tables *rows;
    uint8_t *has;                      /* [tracks.count] */
    uint32_t *places, *firsts;         /* [tracks.count] planned task of its first, and that */
    struct mi_map claims;              /* (planned, device) -> streams that fit there */
    uint8_t *is_taken;                 /* [planned.count] a stream with anchors reaches over it */
    uint32_t tasks[MOST_TASKS], count; /* of the stream at hand, without those of the runtime */
    uint32_t steps[MOST_TASKS];        /* from the first of them; a lost task leaves a hole */
};

static uint32_t task_at(const struct lone *l, uint32_t track, int64_t id)
{
    return mi_map_get(&l->plan->seen, mi_pair(track, (uint32_t)id));
}

static bool is_foreign(const struct lone *l, uint32_t task)
{
    return l->plan->is_foreign[l->rows->tasks.kernel[task].v];
}

static bool starts_model(const struct lone *l, uint32_t kernel)
{
    return mi_bytes_equal(mi_model_text(l->plan->model, l->rows->kernels.name[kernel]),
                          MI_LIT("MODEL_EXECUTE"));
}

static void look_at_tasks(struct lone *l)
{
    const struct mi_tasks *tasks = &l->rows->tasks;
    for (uint32_t t = 1; t < tasks->count; t++) {
        uint8_t *has = &l->has[tasks->track[t].v];
        uint32_t kernel = tasks->kernel[t].v;
        if (mi_some_get(tasks->native_id[t]) < 0 || is_foreign(l, t)) {
            *has |= starts_model(l, kernel) ? HAS_START : 0;
            continue;
        }
        *has |= l->rows->kernels.sync[kernel] != MI_SYNC_NONE ? HAS_EVENT : 0;
        *has |= l->rows->kernels.kind[kernel] == MI_TASK_COMPUTE ? HAS_COMPUTE : 0;
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
    uint32_t from = mi_cann_plan_step(plan, front, plan->first_id[track]);
    uint32_t to = mi_cann_plan_step(plan, back, plan->last_id[track]);
    uint32_t list = plan->list_of[front->planned];
    if (list != plan->list_of[back->planned])
        return;
    uint32_t last = to ? plan->place[to] : plan->place[back->planned];
    for (uint32_t i = from ? plan->place[from] : plan->place[front->planned]; i <= last; i++)
        l->is_taken[plan->items.list[plan->items.first[list] + i]] = 1;
}

static void list_tasks(struct lone *l, uint32_t track)
{
    const struct mi_cann_plan *plan = l->plan;
    uint32_t step = 0;
    l->count = 0;
    for (int64_t id = plan->first_id[track]; id <= plan->last_id[track]; id++) {
        uint32_t task = task_at(l, track, id);
        if (task && is_foreign(l, task))
            continue;
        if (task) {
            l->steps[l->count] = step;
            l->tasks[l->count++] = task;
        }
        step++;
    }
}

static bool fits(const struct lone *l, const uint32_t *items)
{
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t item = items[l->steps[i]];
        if (l->is_taken[item] || !mi_cann_plan_agrees(l->plan, l->tasks[i], item))
            return false;
    }
    return true;
}

/* The planned task of the first one, 0 where there is no place or several. */
static uint32_t find_place(const struct lone *l)
{
    const struct mi_csr *items = &l->plan->items;
    uint32_t found = 0, last = l->steps[l->count - 1];
    for (uint32_t list = 1; list < items->row_count; list++)
        for (uint32_t i = items->first[list]; i + last < items->first[list + 1]; i++)
            if (fits(l, &items->list[i])) {
                if (found)
                    return 0;
                found = items->list[i];
            }
    return found;
}

/* Streams of one device cannot be one place: what two of them fit is left out. */
static uint32_t *claim(struct lone *l, uint32_t track, uint32_t planned)
{
    return mi_map_at(&l->claims, mi_cann_plan_key(l->plan, planned, track));
}

static bool place_track(struct lone *l, uint32_t track)
{
    const struct mi_cann_plan *plan = l->plan;
    bool is_likely =
        l->has[track] & HAS_COMPUTE || (l->has[track] & (HAS_EVENT | HAS_START)) == HAS_EVENT;
    if (plan->track_first[track] != plan->track_first[track + 1] || !is_likely ||
        plan->last_id[track] - plan->first_id[track] >= MOST_TASKS)
        return true;
    list_tasks(l, track);
    uint32_t planned = l->count >= LEAST_TASKS ? find_place(l) : 0;
    uint32_t *claims = planned ? claim(l, track, planned) : NULL;
    if (claims)
        ++*claims;
    l->places[track] = planned;
    l->firsts[track] = l->count ? l->tasks[0] : 0;
    return claims || !planned;
}

static bool anchor_track(struct lone *l, uint32_t track)
{
    uint32_t planned = l->places[track];
    const uint32_t *claims = planned ? claim(l, track, planned) : NULL;
    if (!claims || *claims > 1)
        return claims || !planned;
    struct mi_cann_anchor anchor = {
        .track = track,
        .id = (uint32_t)mi_some_get(l->rows->tasks.native_id[l->firsts[track]]),
        .planned = planned,
        .is_lone = true,
    };
    return mi_cann_plan_anchor(l->plan, &anchor);
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
    l->has = mi_mem_zero(tracks, 1);
    l->is_taken = mi_mem_zero(rows->planned.count, 1);
    l->places = mi_mem_zero(tracks, sizeof *l->places);
    l->firsts = mi_mem_zero(tracks, sizeof *l->firsts);
    bool ok = l->has && l->is_taken && l->places && l->firsts;
    if (ok)
        look_at_tasks(l);
    for (uint32_t track = 1; ok && track < tracks; track++)
        take(l, track);
    for (uint32_t track = 1; ok && track < tracks; track++)
        ok = place_track(l, track);
    for (uint32_t track = 1; ok && track < tracks; track++)
        ok = anchor_track(l, track);
    ok = ok && mi_cann_plan_sort(plan);
    mi_mem_free(l->has);
    mi_mem_free(l->is_taken);
    mi_mem_free(l->places);
    mi_mem_free(l->firsts);
    mi_map_fini(&l->claims);
    mi_mem_free(l);
    return ok;
}
