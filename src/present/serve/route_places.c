/* POST places: where tasks stand in the timeline, as a binary frame; see time_wish.h for the body.
 * Asked for are "tasks": [id, ..], at most MOST of them; those that a filter hides are left out.
 *
 * One row per task, in the order of the body: task, track, depth of its lane, start and duration in
 * ns (the start from `base`), its place in the lane from 0, how many the lane holds, the tasks
 * before and behind it there (0 = none), category, and its name as a number into the names. */
#include "base/json_scan.h"
#include "base/mem.h"
#include "present/serve/frame.h"
#include "present/serve/routes.h"
#include "present/serve/time_wish.h"

enum column {
    TASK = 1,
    TRACK,
    DEPTH,
    START,
    DURATION,
    PLACE,
    PLACES,
    BEFORE,
    BEHIND,
    CATEGORY,
    NAME_END,
    NAME_BYTES,
    COLUMNS = NAME_BYTES
};

enum { MOST = 2000, MOST_NAME = 200 };

struct columns {
    uint32_t task[MOST], track[MOST], depth[MOST], place[MOST], places[MOST], before[MOST],
        behind[MOST], name_end[MOST];
    double start[MOST], duration[MOST];
    uint8_t category[MOST];
    uint32_t count;
    struct mi_sink names;
};

static uint32_t id_at(const struct mi_lod_lane *lane, uint32_t place)
{
    return lane->ids ? lane->ids[place] : lane->first_id + place;
}

static void add_task(struct columns *c, const struct mi_lod *lod, uint32_t task, int64_t base_ns)
{
    const struct mi_model *model = lod->model;
    const struct mi_tables *rows = &model->all.rows;
    uint32_t lane_no = mi_lod_lane_of(lod, false, task), kernel = rows->tasks.kernel[task].v;
    if (lane_no == UINT32_MAX)
        return;
    const struct mi_lod_lane *lane = &lod->lanes[lane_no];
    uint32_t at = c->count++, place = mi_lod_place_of(lane, task);
    mi_str_id name = rows->kernels.node_name[kernel].v ? rows->kernels.node_name[kernel]
                                                       : rows->kernels.name[kernel];
    c->task[at] = task;
    c->track[at] = lane->track.v;
    c->depth[at] = lane->depth;
    c->start[at] = (double)mi_ns_sub(lod->task_start_ns[task], base_ns);
    c->duration[at] = (double)rows->tasks.dur_ns[task];
    c->place[at] = place;
    c->places[at] = lane->count;
    c->before[at] = place ? id_at(lane, place - 1) : 0;
    c->behind[at] = place + 1 < lane->count ? id_at(lane, place + 1) : 0;
    c->category[at] = rows->kernels.category[kernel];
    mi_sink_write(&c->names, mi_bytes_sub(mi_model_text(model, name), 0, MOST_NAME));
    c->name_end[at] = (uint32_t)mi_sink_size(&c->names);
}

static void add_all(struct columns *c, const struct mi_lod *lod, const struct mi_time_wish *wish)
{
    struct mi_json js;
    unsigned flags;
    int64_t task;
    mi_json_init(&js, wish->tasks, NULL);
    mi_json_begin_array(&js);
    while (c->count < MOST && mi_json_next_item(&js))
        if (mi_json_i64(&js, &task, &flags) && task > 0 && task < lod->model->all.rows.tasks.count)
            add_task(c, lod, (uint32_t)task, wish->from_ns);
}

static void write_frame(struct columns *c, int64_t base_ns, struct mi_reply *reply)
{
    uint32_t n = c->count;
    struct mi_bytes names = mi_sink_bytes(&c->names);
    const struct mi_frame_column columns[COLUMNS] = {
        {TASK, MI_F_U32, n, c->task},         {TRACK, MI_F_U32, n, c->track},
        {DEPTH, MI_F_U32, n, c->depth},       {START, MI_F_F64, n, c->start},
        {DURATION, MI_F_F64, n, c->duration}, {PLACE, MI_F_U32, n, c->place},
        {PLACES, MI_F_U32, n, c->places},     {BEFORE, MI_F_U32, n, c->before},
        {BEHIND, MI_F_U32, n, c->behind},     {CATEGORY, MI_F_U8, n, c->category},
        {NAME_END, MI_F_U32, n, c->name_end}, {NAME_BYTES, MI_F_U8, (uint32_t)names.len, names.at},
    };
    struct mi_frame frame = {.kind = MI_FRAME_PLACES,
                             .rows = n,
                             .base_ns = base_ns,
                             .step_ns = 1,
                             .columns = columns,
                             .column_count = COLUMNS};
    mi_reply_frame(reply, &frame);
}

void mi_route_places(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    struct mi_time_wish wish;
    struct mi_error err = MI_ERROR_INIT;
    if (!mi_time_wish_read(&wish, request, false, reply))
        return;
    const struct mi_lod *lod = mi_site_lod(site, &wish.filter, &err);
    struct columns *c = lod ? mi_mem_zero(1, sizeof *c) : NULL;
    if (c) {
        mi_sink_init_memory(&c->names);
        add_all(c, lod, &wish);
        write_frame(c, wish.from_ns, reply);
        mi_sink_fini(&c->names);
    } else {
        mi_fail(&err, MI_ENOMEM, "out of memory for the timeline");
        mi_reply_failure(reply, &err);
    }
    mi_mem_free(c);
    if (lod)
        mi_site_lod_done(site, lod);
}
