/* One track for each stream, host thread and communication lane of a collection, whichever of its
 * files name it.
 *
 * Threads of one file are joined by their number alone: a trace draws what a thread did in Python
 * and what it did in CANN as two lanes, and the numbers of threads are unique on a host. Those of
 * two files stay apart, since the records of a call are looked up in the file of its track. Tables
 * of some exporters do not name the device; then it is the one that the other files name. */
#include "base/mem.h"
#include "correlate/cann/cann_tables.h"
#include "correlate/cann/cann_twins.h"
#include "model/drop.h"

struct uniting {
    struct mi_model *model;
    struct mi_tracks *tracks;
    const uint32_t *collections;
    uint32_t *instead;     /* [tracks.count] */
    struct mi_map classes; /* (collection, kind and device) -> class */
    struct mi_map first;   /* (class, stream, thread or name) -> track */
};

/* --- devices --- */

static bool is_device_track(const struct mi_tracks *tracks, uint32_t t)
{
    return tracks->kind[t] != MI_TRACK_THREAD;
}

static bool state_devices(struct uniting *u)
{
    struct mi_tracks *tracks = u->tracks;
    uint32_t sources = u->model->all.rows.sources.count;
    int64_t *stated = mi_mem_new((size_t)sources + 1, sizeof *stated); /* [collection] */
    for (uint32_t c = 0; stated && c <= sources; c++)
        stated[c] = -1;
    for (uint32_t t = 1; stated && t < tracks->count; t++) {
        uint32_t c = u->collections[tracks->source[t].v];
        if (c && is_device_track(tracks, t) && tracks->device[t] >= 0 && stated[c] < 0)
            stated[c] = tracks->device[t];
    }
    for (uint32_t t = 1; stated && t < tracks->count; t++) {
        uint32_t c = u->collections[tracks->source[t].v];
        if (c && is_device_track(tracks, t) && tracks->device[t] < 0)
            tracks->device[t] = stated[c] < 0 ? 0 : stated[c];
    }
    mi_mem_free(stated);
    return stated != NULL;
}

/* --- tracks --- */

static bool is_same(const struct uniting *u, uint32_t a, uint32_t b)
{
    const struct mi_tracks *tracks = u->tracks;
    return tracks->kind[a] == tracks->kind[b] && tracks->native_id[a] == tracks->native_id[b] &&
           (tracks->kind[a] == MI_TRACK_THREAD ? tracks->source[a].v == tracks->source[b].v
                                               : tracks->device[a] == tracks->device[b]) &&
           (tracks->kind[a] != MI_TRACK_GROUP || tracks->name[a].v == tracks->name[b].v) &&
           u->collections[tracks->source[a].v] == u->collections[tracks->source[b].v];
}

/* What the track may share with others, as one key; 0: out of memory. */
static uint64_t key_of(struct uniting *u, uint32_t t)
{
    const struct mi_tracks *tracks = u->tracks;
    uint32_t kind = tracks->kind[t];
    uint32_t device =
        (kind == MI_TRACK_THREAD ? tracks->source[t].v : (uint32_t)tracks->device[t]) & 0xffffff;
    uint32_t *class =
        mi_map_at(&u->classes, mi_pair(u->collections[tracks->source[t].v], device << 8 | kind));
    if (!class)
        return 0;
    if (!*class)
        *class = u->classes.count;
    return mi_pair(*class,
                   kind == MI_TRACK_GROUP ? tracks->name[t].v : (uint32_t)tracks->native_id[t]);
}

static bool unite(struct uniting *u)
{
    for (uint32_t t = 1; t < u->tracks->count; t++) {
        if (!u->collections[u->tracks->source[t].v])
            continue;
        uint64_t key = key_of(u, t);
        uint32_t *at = key ? mi_map_at(&u->first, key) : NULL;
        if (!at)
            return false;
        if (!*at)
            *at = t;
        else if (is_same(u, *at, t))
            u->instead[t] = *at;
    }
    return true;
}

bool mi_cann_unite_tracks(struct mi_model *model, const uint32_t *collections)
{
    struct mi_tables *rows = &model->all.rows;
    struct uniting u = {.model = model,
                        .tracks = &rows->tracks,
                        .collections = collections,
                        .instead = mi_mem_new(rows->tracks.count, sizeof *u.instead)};
    for (uint32_t t = 0; u.instead && t < rows->tracks.count; t++)
        u.instead[t] = t;
    bool ok =
        u.instead && state_devices(&u) && unite(&u) && mi_table_drop(rows, MI_T_tracks, u.instead);
    mi_map_fini(&u.classes);
    mi_map_fini(&u.first);
    mi_mem_free(u.instead);
    return ok;
}

/* --- what is left over --- */

/* Counts how often each row is used by a column of another table. */
static void mark(uint32_t *used, const void *column, uint32_t count)
{
    const uint32_t *ids = column;
    if (mi_mem_is_zero(ids, count * sizeof *ids))
        return;
    for (uint32_t i = 1; i < count; i++)
        used[ids[i]] = ids[i];
}

static bool drop_kernels(struct mi_tables *rows, const uint32_t *collections)
{
    uint32_t count = rows->kernels.count, *instead = mi_mem_zero(count, sizeof *instead);
    if (!instead)
        return false;
    mark(instead, rows->tasks.kernel, rows->tasks.count);
    for (uint32_t k = 1; k < count; k++)
        if (!collections[rows->kernels.source[k].v])
            instead[k] = k;
    bool ok = mi_table_drop(rows, MI_T_kernels, instead);
    mi_mem_free(instead);
    return ok;
}

/* Lanes all of whose tasks turned out to be twins. */
static bool drop_lanes(struct mi_tables *rows, const uint8_t *had_tasks)
{
    uint32_t count = rows->tracks.count, *instead = mi_mem_zero(count, sizeof *instead);
    if (!instead)
        return false;
    mark(instead, rows->tasks.track, rows->tasks.count);
    mark(instead, rows->tasks.thread, rows->tasks.count);
    mark(instead, rows->slices.track, rows->slices.count);
    for (uint32_t t = 1; t < count; t++)
        if (!had_tasks[t])
            instead[t] = t;
    bool ok = mi_table_drop(rows, MI_T_tracks, instead);
    mi_mem_free(instead);
    return ok;
}

static bool drop_clocks(struct mi_tables *rows)
{
    uint32_t count = rows->clocks.count, *instead = mi_mem_zero(count, sizeof *instead);
    if (!instead)
        return false;
    mark(instead, rows->tracks.clock, rows->tracks.count);
    mark(instead, rows->counters.clock, rows->counters.count);
    mark(instead, rows->windows.clock, rows->windows.count);
    bool ok = mi_table_drop(rows, MI_T_clocks, instead);
    mi_mem_free(instead);
    return ok;
}

bool mi_cann_drop_unused(struct mi_model *model, const uint32_t *collections,
                         const uint8_t *had_tasks)
{
    struct mi_tables *rows = &model->all.rows;
    return drop_kernels(rows, collections) && drop_lanes(rows, had_tasks) && drop_clocks(rows);
}
