/* POST flows: arrows of one task or call of the host, or of a window of time, as a binary frame;
 * see time_wish.h for the body and present/lod/flows.h for what arrows there are.
 *
 * One row per arrow: kind, confidence, and of both ends the task (or slice of the host), whether it
 * is one of the host, track, depth of the lane, and time in ns from `base`. TOTAL: how many there
 * are, where no more than MOST_ARROWS are told. */
#include "base/mem.h"
#include "present/serve/frame.h"
#include "present/serve/routes.h"
#include "present/serve/time_wish.h"

enum column {
    KIND = 1,
    CONFIDENCE,
    TOTAL,
    FROM_ID,
    FROM_HOST,
    FROM_TRACK,
    FROM_DEPTH,
    FROM_AT,
    TO_ID,
    TO_HOST,
    TO_TRACK,
    TO_DEPTH,
    TO_AT,
    COLUMNS = TO_AT
};

enum { MOST_ARROWS = 500 };

struct end_columns {
    uint32_t id[MOST_ARROWS], track[MOST_ARROWS], depth[MOST_ARROWS];
    uint8_t is_host[MOST_ARROWS];
    double at[MOST_ARROWS];
};

struct columns {
    uint8_t kind[MOST_ARROWS], confidence[MOST_ARROWS];
    struct end_columns from, to;
    struct mi_arrow arrows[MOST_ARROWS];
    uint32_t count, total;
};

static void put_end(struct end_columns *c, uint32_t at, const struct mi_lod *lod, int64_t base_ns,
                    const struct mi_arrow_end *end)
{
    int64_t since;
    c->id[at] = end->id;
    c->is_host[at] = end->is_host;
    c->track[at] = lod->lanes[end->lane].track.v;
    c->depth[at] = lod->lanes[end->lane].depth;
    c->at[at] = __builtin_sub_overflow(end->at_ns, base_ns, &since)
                    ? (end->at_ns < base_ns ? -9e18 : 9e18)
                    : (double)since;
}

static void write_frame(struct columns *c, const struct mi_lod *lod, int64_t base_ns,
                        struct mi_reply *reply)
{
    uint32_t n = c->count;
    for (uint32_t i = 0; i < n; i++) {
        c->kind[i] = (uint8_t)c->arrows[i].kind;
        c->confidence[i] = c->arrows[i].confidence;
        put_end(&c->from, i, lod, base_ns, &c->arrows[i].from);
        put_end(&c->to, i, lod, base_ns, &c->arrows[i].to);
    }
    const struct mi_frame_column columns[COLUMNS] = {
        {KIND, MI_F_U8, n, c->kind},
        {CONFIDENCE, MI_F_U8, n, c->confidence},
        {TOTAL, MI_F_U32, 1, &c->total},
        {FROM_ID, MI_F_U32, n, c->from.id},
        {FROM_HOST, MI_F_U8, n, c->from.is_host},
        mi_frame_narrow(FROM_TRACK, c->from.track, n),
        mi_frame_narrow(FROM_DEPTH, c->from.depth, n),
        {FROM_AT, MI_F_F64, n, c->from.at},
        {TO_ID, MI_F_U32, n, c->to.id},
        {TO_HOST, MI_F_U8, n, c->to.is_host},
        mi_frame_narrow(TO_TRACK, c->to.track, n),
        mi_frame_narrow(TO_DEPTH, c->to.depth, n),
        {TO_AT, MI_F_F64, n, c->to.at},
    };
    struct mi_frame frame = {.kind = MI_FRAME_FLOWS,
                             .rows = n,
                             .base_ns = base_ns,
                             .step_ns = 1,
                             .columns = columns,
                             .column_count = COLUMNS};
    mi_reply_frame(reply, &frame);
}

static bool find(struct columns *c, const struct mi_arrows *arrows, const struct mi_lod *lod,
                 const struct mi_time_wish *wish)
{
    const struct mi_tables *rows = &lod->model->all.rows;
    if (wish->task || wish->slice) {
        int64_t id = wish->task ? wish->task : wish->slice;
        if (id < 1 || id >= (wish->task ? rows->tasks.count : rows->slices.count))
            return false;
        c->count =
            mi_arrows_at(arrows, lod, !wish->task, (uint32_t)id, c->arrows, MOST_ARROWS, &c->total);
    } else {
        c->count = mi_arrows_in(arrows, lod, wish->kinds, wish->from_ns, wish->to_ns, c->arrows,
                                MOST_ARROWS, &c->total);
    }
    return true;
}

void mi_route_flows(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    struct mi_time_wish wish;
    struct mi_error err = MI_ERROR_INIT;
    if (!mi_time_wish_read(&wish, request, false, reply))
        return;
    const struct mi_lod *lod = mi_site_lod(site, &wish.filter, &err);
    const struct mi_arrows *arrows = lod ? mi_site_arrows(site, &err) : NULL;
    struct columns *c = arrows ? mi_mem_zero(1, sizeof *c) : NULL;
    if (c && find(c, arrows, lod, &wish))
        write_frame(c, lod, wish.from_ns, reply);
    else if (c)
        mi_reply_error(reply, 404, "not_found", "there is no such task or slice");
    else {
        mi_fail(&err, MI_ENOMEM, "out of memory for the timeline");
        mi_reply_failure(reply, &err);
    }
    mi_mem_free(c);
    if (lod)
        mi_site_lod_done(site, lod);
}
