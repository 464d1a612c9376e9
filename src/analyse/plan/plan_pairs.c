#include "analyse/plan/plan_pairs.h"

#include "base/mem.h"

enum mi_planned_sync mi_planned_sync(const struct mi_model *model, uint32_t planned)
{
    const struct mi_planned *rows = &model->all.rows.planned;
    struct mi_bytes type = mi_model_text(model, rows->type[planned]);
    if (rows->kind[planned] != MI_TASK_SYNC || rows->event[planned] < 0)
        return MI_PLANNED_NO_SYNC;
    if (mi_bytes_ends(type, MI_LIT("RECORD")))
        return MI_PLANNED_RECORD;
    return mi_bytes_ends(type, MI_LIT("WAIT")) ? MI_PLANNED_WAIT : MI_PLANNED_NO_SYNC;
}

/* Events and notifies are numbered apart. */
static uint64_t key_of(const struct mi_model *model, uint32_t task)
{
    const struct mi_planned *rows = &model->all.rows.planned;
    bool is_event = mi_bytes_starts(mi_model_text(model, rows->type[task]), MI_LIT("EVENT"));
    return mi_pair(rows->graph[task].v << 1 | is_event, (uint32_t)rows->event[task]);
}

static void join(uint32_t *pairs, uint32_t wait, uint32_t record)
{
    pairs[wait] = record;
    if (!pairs[record])
        pairs[record] = wait;
}

/* Forwards each wait finds the last record before it, backwards those left find the next behind. */
static bool find_pairs(const struct mi_model *model, uint32_t *pairs)
{
    uint32_t count = model->all.rows.planned.count;
    struct mi_map last = {0}, next = {0};
    bool ok = true;
    for (uint32_t t = 1; ok && t < count; t++) {
        enum mi_planned_sync sync = mi_planned_sync(model, t);
        uint32_t record = sync == MI_PLANNED_WAIT ? mi_map_get(&last, key_of(model, t)) : 0;
        if (sync == MI_PLANNED_RECORD)
            ok = mi_map_set(&last, key_of(model, t), t);
        if (record)
            join(pairs, t, record);
    }
    for (uint32_t t = count; ok && t-- > 1;) {
        enum mi_planned_sync sync = mi_planned_sync(model, t);
        uint32_t record =
            sync == MI_PLANNED_WAIT && !pairs[t] ? mi_map_get(&next, key_of(model, t)) : 0;
        if (sync == MI_PLANNED_RECORD)
            ok = mi_map_set(&next, key_of(model, t), t);
        if (record)
            join(pairs, t, record);
    }
    mi_map_fini(&last);
    mi_map_fini(&next);
    return ok;
}

uint32_t *mi_planned_pairs(const struct mi_model *model)
{
    uint32_t *pairs = mi_mem_zero((size_t)model->all.rows.planned.count + 1, sizeof *pairs);
    if (pairs && !find_pairs(model, pairs)) {
        mi_mem_free(pairs);
        return NULL;
    }
    return pairs;
}
