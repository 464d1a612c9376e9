/* POST counters: what counters showed in a window of time, as a binary frame; see time_wish.h for
 * the body, in which "tracks" are numbers of counters.
 *
 * One row per counter with samples: its number, the range of all its samples, end of its entries in
 * the columns that follow. Per entry, one per step at most: time in ns from `base` (the first may
 * lie before it), least, greatest and last value. */
#include "base/mem.h"
#include "present/serve/frame.h"
#include "present/serve/routes.h"
#include "present/serve/time_wish.h"

enum column { COUNTER = 1, LEAST, GREATEST, ENTRY_END, AT, ENTRY_LEAST, ENTRY_GREATEST, LAST };

enum { MOST_ENTRIES = 8000, PER_COUNTER = 2048 };

struct columns {
    uint32_t *counter, *end;
    double *least, *greatest;
    uint32_t counters, entries;
    double at[MOST_ENTRIES];
    float entry_least[MOST_ENTRIES], entry_greatest[MOST_ENTRIES], last[MOST_ENTRIES];
    struct mi_counter_step room[PER_COUNTER];
};

static void add_counter(struct columns *c, const struct mi_counter_series *series, uint32_t counter,
                        const struct mi_time_wish *wish)
{
    uint32_t left = MOST_ENTRIES - c->entries;
    uint32_t count =
        mi_counter_series_query(series, counter, wish->from_ns, wish->to_ns, wish->step_ns, c->room,
                                left < PER_COUNTER ? left : PER_COUNTER);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = c->entries++;
        c->at[at] = (double)mi_ns_sub(c->room[i].at_ns, wish->from_ns);
        c->entry_least[at] = (float)c->room[i].least;
        c->entry_greatest[at] = (float)c->room[i].greatest;
        c->last[at] = (float)c->room[i].last;
    }
    c->counter[c->counters] = counter;
    c->least[c->counters] = series->least[counter];
    c->greatest[c->counters] = series->greatest[counter];
    c->end[c->counters++] = c->entries;
}

static bool fill(struct columns *c, const struct mi_counter_series *series,
                 const struct mi_time_wish *wish)
{
    uint32_t count = series->model->all.rows.counters.count;
    uint8_t *is_wanted = mi_time_wish_tracks(wish, count);
    c->counter = mi_mem_new((size_t)count + 1, sizeof *c->counter);
    c->end = mi_mem_new((size_t)count + 1, sizeof *c->end);
    c->least = mi_mem_new((size_t)count + 1, sizeof *c->least);
    c->greatest = mi_mem_new((size_t)count + 1, sizeof *c->greatest);
    bool ok = is_wanted && c->counter && c->end && c->least && c->greatest;
    for (uint32_t i = 1; ok && i < count; i++)
        if (is_wanted[i] && mi_csr_count(&series->samples, i))
            add_counter(c, series, i, wish);
    mi_mem_free(is_wanted);
    return ok;
}

static void write_frame(const struct columns *c, const struct mi_time_wish *wish,
                        struct mi_reply *reply)
{
    const struct mi_frame_column columns[] = {
        {COUNTER, MI_F_U32, c->counters, c->counter},
        {LEAST, MI_F_F64, c->counters, c->least},
        {GREATEST, MI_F_F64, c->counters, c->greatest},
        {ENTRY_END, MI_F_U32, c->counters, c->end},
        {AT, MI_F_F64, c->entries, c->at},
        {ENTRY_LEAST, MI_F_F32, c->entries, c->entry_least},
        {ENTRY_GREATEST, MI_F_F32, c->entries, c->entry_greatest},
        {LAST, MI_F_F32, c->entries, c->last}};
    struct mi_frame frame = {.kind = MI_FRAME_COUNTERS,
                             .rows = c->counters,
                             .base_ns = wish->from_ns,
                             .step_ns = wish->step_ns,
                             .columns = columns,
                             .column_count = sizeof columns / sizeof *columns};
    mi_reply_frame(reply, &frame);
}

void mi_route_counters(struct mi_site *site, const struct mi_request *request,
                       struct mi_reply *reply)
{
    struct mi_time_wish wish;
    struct mi_error err = MI_ERROR_INIT;
    if (!mi_time_wish_read(&wish, request, true, reply))
        return;
    const struct mi_counter_series *series = mi_site_counters(site, &err);
    struct columns *c = series ? mi_mem_zero(1, sizeof *c) : NULL;
    if (c && fill(c, series, &wish))
        write_frame(c, &wish, reply);
    else {
        mi_fail(&err, MI_ENOMEM, "out of memory for the timeline");
        mi_reply_failure(reply, &err);
    }
    if (c) {
        mi_mem_free(c->counter);
        mi_mem_free(c->end);
        mi_mem_free(c->least);
        mi_mem_free(c->greatest);
    }
    mi_mem_free(c);
}
