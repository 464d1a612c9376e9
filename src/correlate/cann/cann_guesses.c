/* Records and waits that no list pairs, by time: a wait that blocked ended just behind its record.
 *
 * Waits that did not block say nothing, nor do those that ended behind records of several streams.
 * Devices end such a wait some 400 ns behind the record. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/cann/cann_tables.h"

#include <stdlib.h>

enum {
    BEHIND_NS = 600, /* a wait ends this far behind its record at most */
    SAMPLE_MAX = 4096
};

struct moment { /* the end of a record */
    uint32_t device, track, task;
    int64_t end;
};

struct guessing {
    struct mi_model *model;
    const struct mi_tables *rows;
    uint32_t *device_of; /* [tracks.count] */
    uint8_t *is_told;    /* [tasks.count] a wait with a signal */
    struct moment *records;
    uint32_t record_count;
    int64_t blocked_ns; /* what lasts longer has blocked */
};

static enum mi_sync sync_of(const struct guessing *g, uint32_t task)
{
    const struct mi_tasks *tasks = &g->rows->tasks;
    return g->device_of[tasks->track[task].v]
               ? (enum mi_sync)g->rows->kernels.sync[tasks->kernel[task].v]
               : MI_SYNC_NONE;
}

static int64_t end_of(const struct guessing *g, uint32_t task)
{
    int64_t end;
    return __builtin_add_overflow(g->rows->tasks.start_ns[task], g->rows->tasks.dur_ns[task], &end)
               ? INT64_MAX
               : end;
}

static int compare_moments(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

static int compare_durations(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static bool list_records(struct guessing *g)
{
    const struct mi_tasks *tasks = &g->rows->tasks;
    uint32_t total = 0, count = 0;
    for (uint32_t t = 1; t < tasks->count; t++)
        total += sync_of(g, t) == MI_SYNC_RECORD;
    g->records = mi_mem_new((size_t)total + 1, sizeof *g->records);
    int64_t *sample = mi_mem_new(SAMPLE_MAX, sizeof *sample);
    bool ok = g->records && sample;
    for (uint32_t t = 1; ok && t < tasks->count; t++) {
        if (sync_of(g, t) != MI_SYNC_RECORD)
            continue;
        uint32_t track = tasks->track[t].v;
        g->records[g->record_count++] =
            (struct moment){g->device_of[track], track, t, end_of(g, t)};
    }
    for (uint32_t i = 0; ok && i < g->record_count; i += g->record_count / SAMPLE_MAX + 1)
        sample[count++] = tasks->dur_ns[g->records[i].task];
    if (ok && count) {
        qsort(sample, count, sizeof *sample, compare_durations);
        g->blocked_ns = 50 + sample[count - 1 - count / 50] / 4 * 5;
        qsort(g->records, g->record_count, sizeof *g->records, compare_moments);
    }
    mi_mem_free(sample);
    return ok;
}

/* The first record of the device that ends behind `end`. */
static uint32_t first_behind(const struct guessing *g, uint32_t device, int64_t end)
{
    uint32_t lo = 0, hi = g->record_count;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        const struct moment *m = &g->records[middle];
        if (m->device < device || (m->device == device && m->end <= end))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The last record in front of the end of the wait, if all that come into question are on one other
 * stream; else 0. */
static uint32_t find_record(const struct guessing *g, uint32_t wait)
{
    const struct mi_tasks *tasks = &g->rows->tasks;
    uint32_t track = tasks->track[wait].v, device = g->device_of[track], found = 0, stream = 0;
    int64_t end = end_of(g, wait), start = tasks->start_ns[wait];
    int64_t from = end - BEHIND_NS > start ? end - BEHIND_NS : start;
    for (uint32_t i = first_behind(g, device, end); i-- > 0;) {
        const struct moment *m = &g->records[i];
        if (m->device != device || m->end <= from)
            break;
        if (m->track == track)
            continue;
        if (stream && m->track != stream)
            return 0;
        stream = m->track;
        found = found ? found : m->task;
    }
    return found;
}

static bool guess(struct guessing *g)
{
    struct mi_batch *all = &g->model->all;
    const struct mi_tasks *tasks = &g->rows->tasks;
    const struct mi_signals *signals = &g->rows->signals;
    for (uint32_t s = 1; s < signals->count; s++)
        g->is_told[signals->wait[s].v] = 1;
    if (!list_records(g))
        return false;
    mi_str_id rule = mi_batch_cstr(all, "timing");
    mi_str_id evidence =
        mi_batch_cstr(all, N_("the wait ended just behind this record, and no other stream's"));
    for (uint32_t t = 1; t < tasks->count && g->record_count; t++) {
        if (g->is_told[t] || sync_of(g, t) != MI_SYNC_WAIT || tasks->dur_ns[t] <= g->blocked_ns)
            continue;
        uint32_t record = find_record(g, t);
        if (record)
            mi_add_signal(all, &(struct mi_signal_row){.record = {record},
                                                       .wait = {t},
                                                       .confidence = MI_GUESS,
                                                       .rule = rule,
                                                       .evidence = evidence});
    }
    return !mi_batch_failed(all);
}

bool mi_cann_guess_signals(struct mi_model *model, struct mi_error *err)
{
    struct guessing g = {.model = model, .rows = &model->all.rows};
    uint32_t *collections = mi_cann_collections(model);
    bool ok = collections != NULL;
    if (ok && mi_cann_has_any(model, collections)) {
        g.device_of = mi_cann_devices(model, collections);
        g.is_told = mi_mem_zero(g.rows->tasks.count, 1);
        ok = g.device_of && g.is_told && guess(&g);
    }
    mi_mem_free(collections);
    mi_mem_free(g.device_of);
    mi_mem_free(g.is_told);
    mi_mem_free(g.records);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory while pairing records and waits");
}
