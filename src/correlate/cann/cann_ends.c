/* Where streams begin and end in the lists: what stands between a known task and the end of its
 * stream is confirmed where the list ends there, too, or where the next task of the list begins
 * another stream (the runtime splits long ones). */
#include "base/mem.h"
#include "correlate/cann/cann_tasks.h"

struct ends {
    struct mi_cann_plan *plan;
    uint32_t *from, *to;          /* [tracks.count] planned tasks of the first task and the last */
    struct mi_map begins, closes; /* (planned task, device) -> track that begins or ends with it */
};

uint64_t mi_cann_plan_key(const struct mi_cann_plan *plan, uint32_t planned, uint32_t track)
{
    const struct mi_tables *rows = &plan->model->all.rows;
    uint32_t collection = rows->sources.collection[rows->tracks.source[track].v];
    return mi_pair(planned, collection << 8 | ((uint32_t)rows->tracks.device[track] & 0xff));
}

bool mi_cann_plan_ids(struct mi_cann_plan *plan)
{
    const struct mi_tables *rows = &plan->model->all.rows;
    plan->first_id = mi_mem_new(rows->tracks.count, sizeof *plan->first_id);
    plan->last_id = mi_mem_new(rows->tracks.count, sizeof *plan->last_id);
    if (!plan->first_id || !plan->last_id)
        return false;
    for (uint32_t track = 0; track < rows->tracks.count; track++)
        plan->first_id[track] = plan->last_id[track] = -1;
    for (uint32_t t = 1; t < rows->tasks.count; t++) {
        uint32_t track = rows->tasks.track[t].v;
        int64_t id = mi_some_get(rows->tasks.native_id[t]), *first = &plan->first_id[track];
        if (id < 0 || plan->is_foreign[rows->tasks.kernel[t].v])
            continue;
        *first = *first < 0 || id < *first ? id : *first;
        plan->last_id[track] = id > plan->last_id[track] ? id : plan->last_id[track];
    }
    return true;
}

/* The first and last planned task of a stream, as far as its tasks agree. */
static bool find_range(struct ends *e, uint32_t track)
{
    const struct mi_cann_plan *plan = e->plan;
    uint32_t begin = plan->track_first[track], end = plan->track_first[track + 1];
    if (begin == end)
        return true;
    const struct mi_cann_anchor *front = &plan->anchors[begin], *back = &plan->anchors[end - 1];
    int64_t first = plan->first_id[track], last = plan->last_id[track];
    if (mi_cann_plan_all_agree(plan, front, first, (int64_t)front->id - 1))
        e->from[track] = mi_cann_plan_step(plan, front, first);
    if (mi_cann_plan_all_agree(plan, back, (int64_t)back->id + 1, last))
        e->to[track] = mi_cann_plan_step(plan, back, last);
    return (!e->from[track] ||
            mi_map_set(&e->begins, mi_cann_plan_key(plan, e->from[track], track), track)) &&
           (!e->to[track] ||
            mi_map_set(&e->closes, mi_cann_plan_key(plan, e->to[track], track), track));
}

/* The neighbour of a planned task in its list, 0 at the end. */
static uint32_t beside(const struct mi_cann_plan *plan, uint32_t planned, int step)
{
    uint32_t list = plan->list_of[planned];
    int64_t place = (int64_t)plan->place[planned] + step;
    if (place < 0 || place >= (int64_t)mi_csr_count(&plan->items, list))
        return 0;
    return plan->items.list[plan->items.first[list] + (uint32_t)place];
}

static bool is_confirmed(const struct ends *e, uint32_t track, uint32_t planned, int step)
{
    if (!planned)
        return false;
    uint32_t next = beside(e->plan, planned, step);
    const struct mi_map *others = step > 0 ? &e->begins : &e->closes;
    return !next || mi_map_get(others, mi_cann_plan_key(e->plan, next, track));
}

static void confirm(struct ends *e, uint32_t track)
{
    struct mi_cann_plan *plan = e->plan;
    bool front = is_confirmed(e, track, e->from[track], -1);
    bool back = is_confirmed(e, track, e->to[track], 1);
    uint32_t anchor = plan->track_first[track];
    /* what was found by types alone has nothing but its ends */
    bool is_lone = anchor < plan->track_first[track + 1] && plan->anchors[anchor].is_lone;
    if (is_lone)
        front = back = front && back;
    plan->ends[track] = (uint8_t)((front ? MI_CANN_FRONT : 0) | (back ? MI_CANN_BACK : 0));
}

bool mi_cann_plan_ends(struct mi_cann_plan *plan)
{
    uint32_t tracks = plan->model->all.rows.tracks.count;
    struct ends e = {.plan = plan,
                     .from = mi_mem_zero(tracks, sizeof *e.from),
                     .to = mi_mem_zero(tracks, sizeof *e.to)};
    plan->ends = mi_mem_zero(tracks, sizeof *plan->ends);
    bool ok = e.from && e.to && plan->ends;
    for (uint32_t track = 1; ok && track < tracks; track++)
        ok = find_range(&e, track);
    for (uint32_t track = 1; ok && track < tracks; track++)
        confirm(&e, track);
    mi_mem_free(e.from);
    mi_mem_free(e.to);
    mi_map_fini(&e.begins);
    mi_map_fini(&e.closes);
    return ok;
}
