/* POST slices: what a window of time shows, as a binary frame; see time_wish.h for the body.
 *
 * One row per lane, also those of tracks that are not wanted: track, depth, whether it is of the
 * host, end of its slices in the columns that follow. Per slice: start and duration in steps from
 * `base`, task (or slice of the host), how many it stands for, category, flags, node (a number into
 * the nodes), and the number + 1 of its name, 0 where there was no room for names: the widest get
 * theirs first. The head of the frame says the step, which is twice the wanted one, or four times
 * .., where that keeps the answer within MOST_BYTES. Numbers take as few bytes as the largest of
 * their column needs. */
#include "base/mem.h"
#include "present/serve/frame.h"
#include "present/serve/routes.h"
#include "present/serve/time_wish.h"

#include <string.h>

enum column {
    LANE_TRACK = 1,
    LANE_DEPTH,
    LANE_HOST,
    LANE_END,
    START,
    DURATION,
    ID,
    COUNT,
    CATEGORY,
    FLAGS,
    NODE,
    NAME,
    NAME_END,
    NAME_BYTES,
    NODE_ID,
    COLUMNS = NODE_ID
};

enum slice_flag {
    IS_WAIT = 1,
    IS_RECORD = 2,
    IS_PARENT = 4,
    IS_GUESS = 8,
    HAS_NO_NODE = 16,
    IS_OVERLAPPING = 32, /* on a stream, with a task that does not enclose it */
    IS_CONTRADICTED = 64 /* something speaks against its link */
};

enum {
    MOST_BYTES = 160000, /* of columns that grow with the slices */
    SLICE_BYTES = 14,    /* of one, as a rule */
    MOST_SLICES = 11000, /* of all lanes together */
    FEWEST_SLICES = 500,
    PER_LANE = 8192, /* more than a screen has columns */
    WIDE_STEPS = 12, /* a label may fit */
    MOST_NAME = 160
};

/* --- the answer --- */

struct columns {
    uint32_t lanes, slices;
    uint32_t *lane_track, *lane_depth, *lane_end;
    uint8_t *lane_host;
    uint32_t *start, *duration, *id, *count, *node, *name;
    uint8_t *category, *flags;
    struct mi_sink names; /* bytes of distinct names */
    uint32_t *name_end;
    uint32_t name_count;
    struct mi_map name_of; /* string -> number + 1 */
    uint32_t *node_id;
    uint32_t node_count;
    struct mi_map node_of; /* node -> number + 1 */
};

static bool make_room(struct columns *c, uint32_t lanes)
{
    uint32_t **const numbers[] = {&c->start, &c->duration, &c->id,       &c->count,
                                  &c->node,  &c->name,     &c->name_end, &c->node_id};
    bool ok = true;
    mi_sink_init_memory(&c->names);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i] = mi_mem_new(MOST_SLICES + 1, sizeof **numbers[i]);
        ok = ok && *numbers[i];
    }
    c->lane_track = mi_mem_new((size_t)lanes + 1, sizeof *c->lane_track);
    c->lane_depth = mi_mem_new((size_t)lanes + 1, sizeof *c->lane_depth);
    c->lane_end = mi_mem_new((size_t)lanes + 1, sizeof *c->lane_end);
    c->lane_host = mi_mem_new((size_t)lanes + 1, 1);
    c->category = mi_mem_new(MOST_SLICES, 1);
    c->flags = mi_mem_new(MOST_SLICES, 1);
    return ok && c->lane_track && c->lane_depth && c->lane_end && c->lane_host && c->category &&
           c->flags;
}

static void columns_fini(struct columns *c)
{
    void *const all[] = {c->lane_track, c->lane_depth, c->lane_end, c->lane_host, c->start,
                         c->duration,   c->id,         c->node,     c->name,      c->name_end,
                         c->count,      c->category,   c->flags,    c->node_id};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mi_mem_free(all[i]);
    mi_sink_fini(&c->names);
    mi_map_fini(&c->name_of);
    mi_map_fini(&c->node_of);
}

static uint32_t in_steps(int64_t ns, int64_t step_ns)
{
    return ns <= 0 ? 0 : ns / step_ns >= UINT32_MAX ? UINT32_MAX : (uint32_t)(ns / step_ns);
}

static uint8_t flags_of(const struct mi_model *model, uint32_t task, uint32_t depth)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t kernel = rows->tasks.kernel[task].v, link = rows->tasks.link[task].v;
    uint8_t flags = 0;
    if (rows->kernels.sync[kernel] == MI_SYNC_WAIT)
        flags |= IS_WAIT;
    if (rows->kernels.sync[kernel] == MI_SYNC_RECORD)
        flags |= IS_RECORD;
    if (rows->kernels.kind[kernel] == MI_TASK_CONTROL)
        flags |= IS_PARENT;
    if (!link)
        flags |= HAS_NO_NODE;
    else if (rows->executed.confidence[link] == MI_GUESS)
        flags |= IS_GUESS;
    if (link && rows->executed.conflict[link].v)
        flags |= IS_CONTRADICTED;
    if (depth && !rows->tasks.parent[task].v &&
        rows->tracks.kind[rows->tasks.track[task].v] == MI_TRACK_STREAM)
        flags |= IS_OVERLAPPING;
    return flags;
}

/* False: out of memory. */
static bool describe_task(struct columns *c, const struct mi_model *model, uint32_t task,
                          uint32_t depth, uint32_t at)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t link = model->all.rows.tasks.link[task].v,
             node = link ? rows->executed.node[link].v : 0;
    c->category[at] = rows->kernels.category[rows->tasks.kernel[task].v];
    c->flags[at] = flags_of(model, task, depth);
    if (!node)
        return true;
    uint32_t *slot = mi_map_at(&c->node_of, node);
    if (!slot)
        return false;
    if (!*slot) {
        c->node_id[c->node_count] = node;
        *slot = ++c->node_count;
    }
    c->node[at] = *slot;
    return true;
}

static mi_str_id name_of(const struct mi_model *model, bool is_host, uint32_t id)
{
    const struct mi_tables *rows = &model->all.rows;
    if (is_host)
        return rows->slices.name[id];
    uint32_t kernel = rows->tasks.kernel[id].v;
    return rows->kernels.node_name[kernel].v ? rows->kernels.node_name[kernel]
                                             : rows->kernels.name[kernel];
}

static bool add_name(struct columns *c, const struct mi_model *model, mi_str_id id, uint32_t at)
{
    uint32_t *slot = mi_map_at(&c->name_of, id.v);
    if (!slot)
        return false;
    if (!*slot) {
        struct mi_bytes text = mi_model_text(model, id);
        mi_sink_write(&c->names, mi_bytes_sub(text, 0, MOST_NAME));
        c->name_end[c->name_count] = (uint32_t)mi_sink_size(&c->names);
        *slot = ++c->name_count;
    }
    c->name[at] = *slot;
    return true;
}

static uint32_t most_bytes(const struct mi_time_wish *wish)
{
    bool is_small = wish->most_bytes > 0 && wish->most_bytes < MOST_BYTES;
    return is_small ? (uint32_t)wish->most_bytes : MOST_BYTES;
}

static uint32_t most_slices(const struct mi_time_wish *wish)
{
    uint32_t most = most_bytes(wish) / SLICE_BYTES;
    return most < FEWEST_SLICES ? FEWEST_SLICES : most < MOST_SLICES ? most : MOST_SLICES;
}

/* False: out of memory, or out of room (then `is_full`) unless it `is_last_try`: then what has no
 * room is left out. */
static bool add_slices(struct columns *c, const struct mi_lod *lod, uint32_t lane_no,
                       const struct mi_time_wish *wish, struct mi_lod_slice *room, bool is_last_try,
                       bool *is_full)
{
    const struct mi_lod_lane *lane = &lod->lanes[lane_no];
    uint32_t left = most_slices(wish) - c->slices, most = left < PER_LANE ? left : PER_LANE;
    uint32_t count =
        mi_lod_query(lod, lane_no, wish->from_ns, wish->to_ns, wish->step_ns, room, most);
    *is_full = count == most;
    if (*is_full && !is_last_try)
        return false;
    for (uint32_t i = 0; i < count; i++, c->slices++) {
        uint32_t at = c->slices, steps = in_steps(room[i].dur_ns, wish->step_ns);
        int64_t start = mi_ns_sub(room[i].start_ns, wish->from_ns); /* earlier: begins at 0 */
        c->start[at] = in_steps(start, wish->step_ns);
        if (start < 0)
            steps = in_steps(mi_ns_add(room[i].dur_ns, start), wish->step_ns);
        c->duration[at] = steps ? steps : 1;
        c->id[at] = room[i].id;
        c->count[at] = room[i].count > UINT16_MAX ? UINT16_MAX : room[i].count;
        c->category[at] = c->flags[at] = 0;
        c->node[at] = c->name[at] = 0;
        if (!lane->is_host && !describe_task(c, lod->model, room[i].id, lane->depth, at))
            return false;
    }
    return true;
}

/* Slices of all lanes in steps of wish->step_ns; as add_slices(). */
static bool add_lanes(struct columns *c, const struct mi_lod *lod, const uint8_t *is_wanted,
                      const struct mi_time_wish *wish, struct mi_lod_slice *room, bool is_last_try,
                      bool *is_full)
{
    c->lanes = c->slices = c->node_count = 0;
    mi_map_fini(&c->node_of);
    *is_full = false;
    for (uint32_t l = 0; l < lod->lane_count; l++) {
        const struct mi_lod_lane *lane = &lod->lanes[l];
        if (is_wanted[lane->track.v] && !add_slices(c, lod, l, wish, room, is_last_try, is_full))
            return false;
        c->lane_track[c->lanes] = lane->track.v;
        c->lane_depth[c->lanes] = lane->depth;
        c->lane_host[c->lanes] = lane->is_host;
        c->lane_end[c->lanes++] = c->slices;
    }
    return true;
}

/* Names of slices that are at least `least` and less than `most` steps wide, while there is room.
 * False: out of memory. */
static bool add_names(struct columns *c, const struct mi_lod *lod, const struct mi_time_wish *wish,
                      uint32_t least, uint32_t most)
{
    size_t taken = (size_t)c->slices * SLICE_BYTES, all = most_bytes(wish);
    size_t room = taken < all ? all - taken : 0;
    for (uint32_t l = 0, at = 0; l < c->lanes; l++)
        for (; at < c->lane_end[l]; at++) {
            if (c->duration[at] < least || c->duration[at] >= most)
                continue;
            if (mi_sink_size(&c->names) + c->name_count * sizeof *c->name_end > room)
                return true;
            if (!add_name(c, lod->model, name_of(lod->model, c->lane_host[l], c->id[at]), at))
                return false;
        }
    return true;
}

static bool fill(struct columns *c, const struct mi_lod *lod, struct mi_time_wish *wish)
{
    uint8_t *is_wanted = mi_time_wish_tracks(wish, lod->model->all.rows.tracks.count);
    struct mi_lod_slice *room = mi_mem_new(PER_LANE, sizeof *room);
    uint64_t span = (uint64_t)wish->to_ns - (uint64_t)wish->from_ns;
    bool is_full = false, is_last_try = false;
    bool ok = is_wanted && room && make_room(c, lod->lane_count);
    while (ok && !add_lanes(c, lod, is_wanted, wish, room, is_last_try, &is_full)) {
        ok = is_full && !is_last_try;
        is_last_try = wish->step_ns > INT64_MAX / 4 || (uint64_t)wish->step_ns >= span;
        wish->step_ns *= is_last_try ? 1 : 2;
    }
    ok = ok && add_names(c, lod, wish, WIDE_STEPS, UINT32_MAX) &&
         add_names(c, lod, wish, 0, WIDE_STEPS);
    mi_mem_free(is_wanted);
    mi_mem_free(room);
    return ok;
}

static void write_frame(const struct columns *c, const struct mi_time_wish *wish,
                        struct mi_reply *reply)
{
    struct mi_bytes names = mi_sink_bytes(&c->names);
    const struct mi_frame_column columns[COLUMNS] = {
        mi_frame_narrow(LANE_TRACK, c->lane_track, c->lanes),
        mi_frame_narrow(LANE_DEPTH, c->lane_depth, c->lanes),
        {LANE_HOST, MI_F_U8, c->lanes, c->lane_host},
        mi_frame_narrow(LANE_END, c->lane_end, c->lanes),
        mi_frame_narrow(START, c->start, c->slices),
        mi_frame_narrow(DURATION, c->duration, c->slices),
        mi_frame_narrow(ID, c->id, c->slices),
        mi_frame_narrow(COUNT, c->count, c->slices),
        {CATEGORY, MI_F_U8, c->slices, c->category},
        {FLAGS, MI_F_U8, c->slices, c->flags},
        mi_frame_narrow(NODE, c->node, c->slices),
        mi_frame_narrow(NAME, c->name, c->slices),
        {NAME_END, MI_F_U32, c->name_count, c->name_end},
        {NAME_BYTES, MI_F_U8, (uint32_t)names.len, names.at},
        {NODE_ID, MI_F_U32, c->node_count, c->node_id},
    };
    struct mi_frame frame = {.kind = MI_FRAME_SLICES,
                             .rows = c->lanes,
                             .base_ns = wish->from_ns,
                             .step_ns = wish->step_ns,
                             .columns = columns,
                             .column_count = COLUMNS};
    mi_reply_frame(reply, &frame);
}

void mi_route_slices(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    struct mi_time_wish wish;
    struct mi_error err = MI_ERROR_INIT;
    if (!mi_time_wish_read(&wish, request, true, reply))
        return;
    const struct mi_lod *lod = mi_site_lod(site, &wish.filter, &err);
    struct columns c = {.lanes = 0};
    if (lod && fill(&c, lod, &wish))
        write_frame(&c, &wish, reply);
    else {
        mi_fail(&err, MI_ENOMEM, "out of memory for the timeline");
        mi_reply_failure(reply, &err);
    }
    if (lod) {
        columns_fini(&c);
        mi_site_lod_done(site, lod);
    }
}
