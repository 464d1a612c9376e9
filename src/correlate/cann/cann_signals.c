/* Records and waits of the plan, carried over to the tasks of each run.
 *
 * The plan says which record a wait waits for. Both are looked for among the tasks of the same
 * device and run, so that numbers used again, iterations and lost records never shift a pair: what
 * is not there is left out. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/cann/cann_tables.h"
#include "correlate/cann/cann_tasks.h"

#define TWICE UINT32_MAX

struct pairing {
    struct mi_model *model;
    const struct mi_tables *rows;
    uint32_t *device_of;   /* [tracks.count] number of its collection and device, from 1 */
    struct mi_map places;  /* (planned record, device) -> number, from 1 */
    struct mi_map records; /* (that number, run) -> event + 1, or TWICE */
    const struct mi_cann_event *events;
    uint32_t count, place_count;
};

static uint64_t place_key(const struct pairing *p, uint32_t planned, uint32_t task)
{
    return mi_pair(planned, p->device_of[p->rows->tasks.track[task].v]);
}

static bool note_record(struct pairing *p, uint32_t event)
{
    uint32_t task = p->events[event].task;
    uint32_t *place = mi_map_at(&p->places, place_key(p, p->events[event].planned, task));
    if (!place)
        return false;
    if (!*place)
        *place = ++p->place_count;
    uint32_t *at = mi_map_at(&p->records, mi_pair(*place, p->rows->tasks.run[task]));
    if (at)
        *at = *at ? TWICE : event + 1;
    return at != NULL;
}

/* The record of a wait in its run; 0 = none, else event + 1. */
static uint32_t find_record(const struct pairing *p, uint32_t task, uint32_t record)
{
    uint32_t place = mi_map_get(&p->places, place_key(p, record, task));
    uint32_t at = place ? mi_map_get(&p->records, mi_pair(place, p->rows->tasks.run[task])) : 0;
    return at == TWICE ? 0 : at;
}

static bool is(const struct pairing *p, uint32_t event, enum mi_sync sync)
{
    return p->rows->kernels.sync[p->rows->tasks.kernel[p->events[event].task].v] == sync;
}

static void pair_waits(struct pairing *p)
{
    struct mi_batch *all = &p->model->all;
    mi_str_id rule = mi_batch_cstr(all, "planned");
    mi_str_id sure = mi_batch_cstr(all, N_("the plan pairs them by the number of their event"));
    mi_str_id unsure = mi_batch_cstr(
        all, N_("the plan pairs them by the number of their event, and one of them is a guess"));
    for (uint32_t e = 0; e < p->count; e++) {
        uint32_t wait = p->events[e].task;
        uint32_t planned = p->events[e].planned, record = p->rows->planned.peer[planned].v;
        uint32_t found = is(p, e, MI_SYNC_WAIT) ? find_record(p, wait, record) : 0;
        if (!found)
            continue;
        /* a wait in front of its record in the list may mean that of the run before */
        bool is_sure = p->events[e].is_sure && p->events[found - 1].is_sure && record < planned;
        mi_add_signal(all, &(struct mi_signal_row){.record = {p->events[found - 1].task},
                                                   .wait = {wait},
                                                   .confidence = is_sure ? MI_LIKELY : MI_GUESS,
                                                   .rule = rule,
                                                   .evidence = is_sure ? sure : unsure});
    }
}

bool mi_cann_pair_events(struct mi_model *model, const uint32_t *collections,
                         const struct mi_cann_event *events, uint32_t count)
{
    struct pairing p = {.model = model, .rows = &model->all.rows, .events = events, .count = count};
    if (!count)
        return true;
    p.device_of = mi_cann_devices(model, collections);
    bool ok = p.device_of != NULL;
    for (uint32_t e = 0; ok && e < count; e++)
        if (is(&p, e, MI_SYNC_RECORD))
            ok = note_record(&p, e);
    if (ok)
        pair_waits(&p);
    mi_mem_free(p.device_of);
    mi_map_fini(&p.places);
    mi_map_fini(&p.records);
    return ok && !mi_batch_failed(&model->all);
}
