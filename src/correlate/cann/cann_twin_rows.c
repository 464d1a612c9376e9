/* Host calls and windows that several files of a collection tell of.
 *
 * A call is the same if thread, start, length, level and name are: threads are numbered alike in
 * all files. The row of the first file stays and takes over the ids that the other knows. */
#include "base/mem.h"
#include "base/translate.h"
#include "correlate/cann/cann_twins.h"
#include "model/drop.h"
#include "model/sort.h"

/* --- calls --- */

static uint32_t source_of(const struct mi_tables *rows, uint32_t slice)
{
    return rows->tracks.source[rows->slices.track[slice].v].v;
}

static bool same_thread(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_tracks *tracks = &rows->tracks;
    uint32_t x = rows->slices.track[a].v, y = rows->slices.track[b].v;
    return tracks->native_id[x] == tracks->native_id[y] &&
           rows->sources.collection[tracks->source[x].v] ==
               rows->sources.collection[tracks->source[y].v];
}

static bool slice_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_slices *slices = &rows->slices;
    const struct mi_tracks *tracks = &rows->tracks;
    if (slices->start_raw[a] != slices->start_raw[b])
        return slices->start_raw[a] > slices->start_raw[b];
    if (slices->dur_ns[a] != slices->dur_ns[b])
        return slices->dur_ns[a] > slices->dur_ns[b];
    if (slices->name[a].v != slices->name[b].v)
        return slices->name[a].v > slices->name[b].v;
    if (slices->category[a].v != slices->category[b].v)
        return slices->category[a].v > slices->category[b].v;
    int64_t x = tracks->native_id[slices->track[a].v], y = tracks->native_id[slices->track[b].v];
    return x != y ? x > y : source_of(rows, a) > source_of(rows, b);
}

static bool same_call(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_slices *slices = &rows->slices;
    return slices->start_raw[a] == slices->start_raw[b] && slices->dur_ns[a] == slices->dur_ns[b] &&
           slices->name[a].v == slices->name[b].v &&
           slices->category[a].v == slices->category[b].v && same_thread(rows, a, b);
}

static void hand_over(struct mi_slices *slices, uint32_t kept, uint32_t dropped)
{
    if (mi_some_u32(slices->connection[kept]) == MI_NO_CONNECTION)
        slices->connection[kept] = slices->connection[dropped];
    if (mi_some_u32(slices->correlation[kept]) == MI_NO_CONNECTION)
        slices->correlation[kept] = slices->correlation[dropped];
    if (!slices->item[kept].v)
        slices->item[kept] = slices->item[dropped];
}

/* [sources.count] 1 for sources with calls that share their collection with another such source;
 * `twins` of them. NULL: out of memory. */
static uint8_t *find_rivals(const struct mi_tables *rows, const uint32_t *collections, bool *any)
{
    uint32_t sources = rows->sources.count;
    uint8_t *has = mi_mem_zero(sources, 1);
    *any = false;
    for (uint32_t s = 1; has && s < rows->slices.count; s++)
        has[source_of(rows, s)] = 1;
    for (uint32_t a = 1; has && a < sources; a++)
        for (uint32_t b = a + 1; has[a] && collections[a] && b < sources; b++)
            if (has[b] && collections[a] == collections[b]) {
                has[a] = has[b] = 2;
                *any = true;
            }
    return has;
}

struct calls {
    struct mi_model *model;
    struct mi_tables *rows;
    uint32_t *order, count; /* calls of sources with a rival, by start */
    uint32_t *instead;      /* [slices.count] */
    int64_t *twice;         /* [sources.count] */
};

static void join_calls(struct calls *c)
{
    struct mi_slices *slices = &c->rows->slices;
    for (uint32_t i = 2; i < c->count; i++) {
        uint32_t kept = c->instead[c->order[i - 1]], slice = c->order[i];
        if (source_of(c->rows, c->order[i - 1]) == source_of(c->rows, slice) ||
            !same_call(c->rows, kept, slice))
            continue;
        hand_over(slices, kept, slice);
        c->instead[slice] = kept;
        c->twice[source_of(c->rows, slice)]++;
    }
}

static void list_calls(struct calls *c, const uint8_t *has)
{
    c->count = 1;
    c->order[0] = 0;
    for (uint32_t s = 0; s < c->rows->slices.count; s++) {
        c->instead[s] = s;
        if (s && has[source_of(c->rows, s)] == 2)
            c->order[c->count++] = s;
    }
}

static void report_twice(struct calls *c, const char *code, const char *text)
{
    struct mi_sources *sources = &c->rows->sources;
    for (uint32_t s = 1; s < sources->count; s++) {
        sources->records_kept[s] -= c->twice[s];
        sources->records_skipped[s] += c->twice[s];
        mi_cann_notice(c->model, s, MI_INFO, code, text, c->twice[s], -1);
    }
}

static bool merge_calls(struct mi_model *model, const uint32_t *collections)
{
    struct mi_tables *rows = &model->all.rows;
    struct calls c = {.model = model, .rows = rows};
    bool any;
    uint8_t *has = find_rivals(rows, collections, &any);
    if (has && !any) {
        mi_mem_free(has);
        return true;
    }
    c.order = mi_mem_new(rows->slices.count, sizeof *c.order);
    c.instead = mi_mem_new(rows->slices.count, sizeof *c.instead);
    c.twice = mi_mem_zero(rows->sources.count, sizeof *c.twice);
    bool ok = has && c.order && c.instead && c.twice;
    if (ok)
        list_calls(&c, has);
    ok = ok && mi_rows_sort(rows, c.order, c.count, slice_behind);
    if (ok) {
        join_calls(&c);
        report_twice(&c, "msprof.call_twice",
                     N_("host calls that another file tells of too are counted once"));
    }
    ok = ok && mi_table_drop(rows, MI_T_slices, c.instead);
    mi_mem_free(has);
    mi_mem_free(c.order);
    mi_mem_free(c.instead);
    mi_mem_free(c.twice);
    return ok;
}

/* --- windows --- */

static bool window_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_windows *w = &rows->windows;
    if (w->kind[a].v != w->kind[b].v)
        return w->kind[a].v > w->kind[b].v;
    if (w->number[a] != w->number[b])
        return w->number[a] > w->number[b];
    if (w->model[a] != w->model[b])
        return w->model[a] > w->model[b];
    if (w->device[a] != w->device[b])
        return w->device[a] > w->device[b];
    uint32_t x = rows->sources.collection[w->source[a].v];
    uint32_t y = rows->sources.collection[w->source[b].v];
    if (x != y)
        return x > y;
    return w->start_raw[a] != w->start_raw[b] ? w->start_raw[a] > w->start_raw[b] : a > b;
}

static bool same_window(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    const struct mi_windows *w = &rows->windows;
    return w->kind[a].v == w->kind[b].v && w->number[a] == w->number[b] &&
           w->model[a] == w->model[b] && w->device[a] == w->device[b] &&
           w->source[a].v != w->source[b].v && w->start_raw[a] == w->start_raw[b] &&
           rows->sources.collection[w->source[a].v] == rows->sources.collection[w->source[b].v];
}

static bool merge_windows(struct mi_model *model, const uint32_t *collections)
{
    struct mi_tables *rows = &model->all.rows;
    struct calls c = {.model = model, .rows = rows};
    c.order = mi_mem_new(rows->windows.count, sizeof *c.order);
    c.instead = mi_mem_new(rows->windows.count, sizeof *c.instead);
    c.twice = mi_mem_zero(rows->sources.count, sizeof *c.twice);
    bool ok = c.order && c.instead && c.twice;
    for (uint32_t w = 0; ok && w < rows->windows.count; w++)
        c.order[w] = c.instead[w] = w;
    ok = ok && mi_rows_sort(rows, c.order, rows->windows.count, window_behind);
    for (uint32_t i = 2; ok && i < rows->windows.count; i++) {
        uint32_t kept = c.instead[c.order[i - 1]], window = c.order[i];
        if (!collections[rows->windows.source[window].v] || !same_window(rows, kept, window))
            continue;
        c.instead[window] = kept;
        c.twice[rows->windows.source[window].v]++;
    }
    if (ok)
        report_twice(&c, "msprof.window_twice",
                     N_("windows that another file tells of too are counted once"));
    ok = ok && mi_table_drop(rows, MI_T_windows, c.instead);
    mi_mem_free(c.order);
    mi_mem_free(c.instead);
    mi_mem_free(c.twice);
    return ok;
}

bool mi_cann_merge_host_rows(struct mi_model *model, const uint32_t *collections)
{
    return merge_calls(model, collections) && merge_windows(model, collections);
}
