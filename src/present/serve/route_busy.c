/* POST busy: how busy devices were in a window of time, as a binary frame; see time_wish.h for the
 * body and present/lod/busy.h for what a band is.
 *
 * One row per band: rank and device (-1 none), kind (0 compute, 1 transfer, 2 communication), and
 * the share of each step, of 255, in the column SHARE: STEPS numbers of the first band, then those
 * of the next.
 *
 * POST overview {"raw"}: the whole. One row per track with tasks: its number and the share of each
 * of STEPS steps; the long gaps without any task, ns from `base`; LEAST_GAP: how long they are at
 * least; END: of the last task, ns from `base`. */
#include "base/mem.h"
#include "present/serve/frame.h"
#include "present/serve/routes.h"
#include "present/serve/time_wish.h"

#include <string.h>

enum column { RANK = 1, DEVICE, KIND, STEPS, SHARE, TRACK, GAP_FROM, GAP_TO, LEAST_GAP, END };

enum { MOST_STEPS = 8192 };

/* --- a window --- */

/* The step that keeps the answer small, and how many there are. */
static uint32_t count_steps(struct mi_time_wish *wish)
{
    uint64_t span = (uint64_t)wish->to_ns - (uint64_t)wish->from_ns;
    while (span / (uint64_t)wish->step_ns >= MOST_STEPS && wish->step_ns <= INT64_MAX / 2)
        wish->step_ns *= 2;
    return (uint32_t)(span / (uint64_t)wish->step_ns) + 1;
}

static bool write_bands(const struct mi_busy *busy, struct mi_time_wish *wish,
                        struct mi_reply *reply)
{
    uint32_t steps = count_steps(wish), count = busy->band_count;
    double *rank = mi_mem_new((size_t)count + 1, sizeof *rank);
    double *device = mi_mem_new((size_t)count + 1, sizeof *device);
    uint8_t *kind = mi_mem_new((size_t)count + 1, 1);
    uint8_t *share = mi_mem_new((size_t)count * steps + 1, 1);
    bool ok = rank && device && kind && share;
    for (uint32_t i = 0; ok && i < count; i++) {
        rank[i] = (double)busy->bands[i].rank;
        device[i] = (double)busy->bands[i].device;
        kind[i] = busy->bands[i].kind;
        mi_busy_query(&busy->bands[i], wish->from_ns, wish->step_ns, steps,
                      share + (size_t)i * steps);
    }
    const struct mi_frame_column columns[] = {{RANK, MI_F_F64, count, rank},
                                              {DEVICE, MI_F_F64, count, device},
                                              {KIND, MI_F_U8, count, kind},
                                              {STEPS, MI_F_U32, 1, &steps},
                                              {SHARE, MI_F_U8, count * steps, share}};
    struct mi_frame frame = {.kind = MI_FRAME_BUSY,
                             .rows = count,
                             .base_ns = wish->from_ns,
                             .step_ns = wish->step_ns,
                             .columns = columns,
                             .column_count = sizeof columns / sizeof *columns};
    if (ok)
        mi_reply_frame(reply, &frame);
    mi_mem_free(rank);
    mi_mem_free(device);
    mi_mem_free(kind);
    mi_mem_free(share);
    return ok;
}

/* --- the whole --- */

static double since(int64_t ns, int64_t base_ns)
{
    return (double)mi_ns_sub(ns, base_ns);
}

static uint32_t list_tracks(const struct mi_busy *busy, const struct mi_model *model,
                            uint32_t *track, uint8_t *share)
{
    const uint32_t *first = model->index.track_first_task;
    uint32_t count = 0;
    for (uint32_t t = 1; t < busy->track_count; t++) {
        if (first[t + 1] == first[t])
            continue;
        track[count] = t;
        memcpy(share + (size_t)count++ * MI_BUSY_STEPS, busy->tracks + (size_t)t * MI_BUSY_STEPS,
               MI_BUSY_STEPS);
    }
    return count;
}

static bool write_whole(const struct mi_busy *busy, const struct mi_model *model,
                        struct mi_reply *reply)
{
    uint32_t *track = mi_mem_new((size_t)busy->track_count + 1, sizeof *track);
    uint8_t *share = mi_mem_new((size_t)busy->track_count + 1, MI_BUSY_STEPS);
    double *gap_from = mi_mem_new((size_t)busy->gap_count + 1, sizeof *gap_from);
    double *gap_to = mi_mem_new((size_t)busy->gap_count + 1, sizeof *gap_to);
    double least = (double)busy->least_gap_ns, end = since(busy->end_ns, busy->first_ns);
    bool ok = track && share && gap_from && gap_to;
    uint32_t count = ok ? list_tracks(busy, model, track, share) : 0, steps = MI_BUSY_STEPS;
    for (uint32_t i = 0; ok && i < busy->gap_count; i++) {
        gap_from[i] = since(busy->gaps[i].start_ns, busy->first_ns);
        gap_to[i] = since(busy->gaps[i].end_ns, busy->first_ns);
    }
    const struct mi_frame_column columns[] = {{STEPS, MI_F_U32, 1, &steps},
                                              {SHARE, MI_F_U8, count * MI_BUSY_STEPS, share},
                                              {TRACK, MI_F_U32, count, track},
                                              {GAP_FROM, MI_F_F64, busy->gap_count, gap_from},
                                              {GAP_TO, MI_F_F64, busy->gap_count, gap_to},
                                              {LEAST_GAP, MI_F_F64, 1, &least},
                                              {END, MI_F_F64, 1, &end}};
    struct mi_frame frame = {.kind = MI_FRAME_BUSY,
                             .rows = count,
                             .base_ns = busy->first_ns,
                             .step_ns = busy->step_ns,
                             .columns = columns,
                             .column_count = sizeof columns / sizeof *columns};
    if (ok)
        mi_reply_frame(reply, &frame);
    mi_mem_free(track);
    mi_mem_free(share);
    mi_mem_free(gap_from);
    mi_mem_free(gap_to);
    return ok;
}

static void answer(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply,
                   bool is_whole)
{
    struct mi_time_wish wish;
    struct mi_error err = MI_ERROR_INIT;
    if (!mi_time_wish_read(&wish, request, !is_whole, reply))
        return;
    const struct mi_busy *busy = mi_site_busy(site, wish.filter.is_raw, &err);
    if (busy && (is_whole ? write_whole(busy, mi_site_model(site), reply)
                          : write_bands(busy, &wish, reply)))
        return;
    mi_fail(&err, MI_ENOMEM, "out of memory for the timeline");
    mi_reply_failure(reply, &err);
}

void mi_route_busy(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    answer(site, request, reply, false);
}

void mi_route_overview(struct mi_site *site, const struct mi_request *request,
                       struct mi_reply *reply)
{
    answer(site, request, reply, true);
}
