/* A task begins no earlier than the host call that launched it; what a synchronous run of a model
 * waited for ends no later than the call. There are as many of these as tasks, so only the tightest
 * of each stretch of time are kept. */
#include "base/mem.h"
#include "correlate/clocks/parts.h"

enum { STRETCHES = 128 };

struct mi_launches {
    struct mi_map pairs;                    /* (host unit, unit) -> list + 1 */
    struct mi_point (*tight)[2][STRETCHES]; /* of each list: task behind call, call behind task */
    uint32_t (*units)[2];                   /* host unit, unit */
    uint32_t count, tight_room, unit_room;
    int64_t first, length; /* of a stretch */
};

/* Only the plain call waits until the model is done. */
static bool is_synchronous(const struct mi_model *model, uint32_t slice)
{
    const struct mi_slices *slices = &model->all.rows.slices;
    uint32_t parent = slices->parent[slice].v;
    return parent &&
           mi_bytes_equal(mi_model_text(model, slices->category[slice]), MI_LIT("model")) &&
           mi_bytes_equal(mi_model_text(model, slices->name[parent]), MI_LIT("aclmdlExecute"));
}

static void tighten(struct mi_launches *l, uint32_t list, int side, const struct mi_point *point)
{
    double at = (point->effect - (double)l->first) / (double)l->length;
    int stretch = at <= 0 ? 0 : at >= STRETCHES - 1 ? STRETCHES - 1 : (int)at;
    struct mi_point *best = &l->tight[list][side][stretch];
    if (!best->flags || point->effect - point->cause < best->effect - best->cause)
        *best = *point;
}

static bool find_list(struct mi_launches *l, uint32_t host, uint32_t unit, uint32_t *list)
{
    uint32_t *at = mi_map_at(&l->pairs, mi_pair(host, unit));
    if (!at)
        return false;
    if (!*at) {
        if (!mi_vec_room(&l->tight, &l->tight_room, l->count, sizeof *l->tight) ||
            !mi_vec_room(&l->units, &l->unit_room, l->count, sizeof *l->units))
            return false;
        memset(&l->tight[l->count], 0, sizeof *l->tight);
        l->units[l->count][0] = host;
        l->units[l->count][1] = unit;
        *at = ++l->count;
    }
    *list = *at - 1;
    return true;
}

static bool look_at_task(struct mi_launches *l, const struct mi_calibration *c, uint32_t task)
{
    const struct mi_tasks *tasks = &c->rows->tasks;
    const struct mi_slices *slices = &c->rows->slices;
    uint32_t slice = tasks->launch[task].v, list;
    uint32_t unit = c->unit_of[tasks->track[task].v];
    uint32_t host = slice ? c->unit_of[slices->track[slice].v] : 0;
    if (!host || !unit || host == unit)
        return true;
    if (!find_list(l, host, unit, &list))
        return false;
    struct mi_point point = {.cause = mi_since_base(c, slices->start_ns[slice]),
                             .effect = mi_since_base(c, tasks->start_ns[task]),
                             .flags = MI_POINT_LOOSE};
    tighten(l, list, 0, &point);
    if (!is_synchronous(c->model, slice))
        return true;
    point.cause = mi_since_base(c, tasks->start_ns[task]) + (double)tasks->dur_ns[task];
    point.effect = mi_since_base(c, slices->start_ns[slice]) + (double)slices->dur_ns[slice];
    point.cause_dur = (float)tasks->dur_ns[task];
    tighten(l, list, 1, &point);
    return true;
}

static bool look_at_all(struct mi_launches *l, const struct mi_calibration *c)
{
    const struct mi_tasks *tasks = &c->rows->tasks;
    double first = 0, last = 0;
    for (uint32_t t = 1; t < tasks->count; t++) {
        double at = mi_since_base(c, tasks->start_ns[t]);
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    l->first = (int64_t)first;
    l->length = (int64_t)((last - first) / STRETCHES) + 1;
    bool ok = true;
    for (uint32_t t = 1; ok && t < tasks->count; t++)
        if (tasks->launch[t].v)
            ok = look_at_task(l, c, t);
    return ok;
}

bool mi_ties_of_launches(struct mi_collector *k)
{
    if (!k->launches) {
        k->launches = mi_mem_zero(1, sizeof *k->launches);
        if (!k->launches || !look_at_all(k->launches, k->c))
            return false;
    }
    const struct mi_launches *l = k->launches;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t s = 0; s < 2 * STRETCHES; s++) {
            bool is_back = s >= STRETCHES;
            const struct mi_point *point = &l->tight[i][is_back][s % STRETCHES];
            if (point->flags &&
                !mi_ties_add_point(k, l->units[i][is_back], l->units[i][!is_back], *point))
                return false;
        }
    return true;
}

void mi_launches_fini(struct mi_launches *l)
{
    if (!l)
        return;
    mi_map_fini(&l->pairs);
    mi_mem_free(l->tight);
    mi_mem_free(l->units);
    mi_mem_free(l);
}
