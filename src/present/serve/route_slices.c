/* POST slices: what a window of time shows, as a binary frame.
 *
 *   body   {"from_ns", "to_ns", "step_ns", "hidden": [category, ..], "text": "..",
 *           "tracks": [id, ..]}          all but the first three may be left out
 *
 * One row per lane: track, depth, whether it is of the host, end of its slices in the columns that
 * follow. Per slice: start and duration in steps from `base`, task (or slice of the host), how many
 * it stands for, category, flags, node; below NAMED slices also its name, as a number into the
 * names. Step and base stand in the head of the frame. */
#include "base/json_scan.h"
#include "base/mem.h"
#include "present/serve/frame.h"
#include "present/serve/routes.h"
#include "present/serve/site.h"

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
    COLUMNS = NAME_BYTES
};

enum slice_flag { IS_WAIT = 1, IS_RECORD = 2, IS_PARENT = 4, IS_GUESS = 8, HAS_NO_NODE = 16 };

enum {
    MOST_SLICES = 200000, /* of all lanes together */
    PER_LANE = 8192,      /* more than a screen has columns */
    NAMED = 5000,
    MOST_NAME = 200
};

struct wish {
    int64_t from_ns, to_ns, step_ns;
    struct mi_time_filter filter;
    bool has_tracks;
    struct mi_bytes tracks;
};

/* --- what is asked for --- */

static void read_hidden(struct mi_json *js, struct wish *wish)
{
    struct mi_json_string word;
    mi_json_begin_array(js);
    while (mi_json_next_item(js)) {
        if (mi_json_peek(js) != MI_JSON_STRING || !mi_json_string(js, &word))
            continue;
        for (unsigned c = 0; c < mi_enum_size(MI_E_category); c++)
            if (mi_bytes_equal(word.raw, mi_cstr(mi_enum_name(MI_E_category, c))))
                wish->filter.hidden |= 1U << c;
    }
}

static void read_wish(struct mi_json *js, struct wish *wish)
{
    struct mi_json_string key, word;
    unsigned flags;
    mi_json_begin_object(js);
    while (mi_json_next_key(js, &key)) {
        if (mi_bytes_equal(key.raw, MI_LIT("from_ns")))
            mi_json_i64(js, &wish->from_ns, &flags);
        else if (mi_bytes_equal(key.raw, MI_LIT("to_ns")))
            mi_json_i64(js, &wish->to_ns, &flags);
        else if (mi_bytes_equal(key.raw, MI_LIT("step_ns")))
            mi_json_i64(js, &wish->step_ns, &flags);
        else if (mi_bytes_equal(key.raw, MI_LIT("hidden")))
            read_hidden(js, wish);
        else if (mi_bytes_equal(key.raw, MI_LIT("text")) && mi_json_string(js, &word))
            wish->filter.text = word.raw;
        else if (mi_bytes_equal(key.raw, MI_LIT("tracks")))
            wish->has_tracks = mi_json_skip(js, &wish->tracks);
    }
}

/* [tracks.count] which tracks are wanted; NULL: out of memory. */
static uint8_t *wanted_tracks(const struct wish *wish, uint32_t count)
{
    uint8_t *is_wanted = mi_mem_zero(count, 1);
    struct mi_json js;
    unsigned flags;
    int64_t track;
    if (!is_wanted)
        return NULL;
    memset(is_wanted, !wish->has_tracks, count);
    mi_json_init(&js, wish->tracks, NULL);
    if (wish->has_tracks)
        mi_json_begin_array(&js);
    while (wish->has_tracks && mi_json_next_item(&js))
        if (mi_json_i64(&js, &track, &flags) && track >= 0 && track < count)
            is_wanted[track] = 1;
    return is_wanted;
}

/* --- the answer --- */

struct columns {
    uint32_t lanes, slices;
    uint32_t *lane_track, *lane_depth, *lane_end;
    uint8_t *lane_host;
    uint32_t *start, *duration, *id, *node, *name;
    uint16_t *count;
    uint8_t *category, *flags;
    struct mi_sink names; /* bytes of distinct names */
    uint32_t *name_end;
    uint32_t name_count;
    struct mi_map name_of; /* string -> number + 1 */
};

static bool make_room(struct columns *c, uint32_t lanes)
{
    mi_sink_init_memory(&c->names);
    c->lane_track = mi_mem_new(lanes + 1, sizeof *c->lane_track);
    c->lane_depth = mi_mem_new(lanes + 1, sizeof *c->lane_depth);
    c->lane_end = mi_mem_new(lanes + 1, sizeof *c->lane_end);
    c->lane_host = mi_mem_new(lanes + 1, 1);
    c->start = mi_mem_new(MOST_SLICES, sizeof *c->start);
    c->duration = mi_mem_new(MOST_SLICES, sizeof *c->duration);
    c->id = mi_mem_new(MOST_SLICES, sizeof *c->id);
    c->node = mi_mem_new(MOST_SLICES, sizeof *c->node);
    c->name = mi_mem_new(NAMED, sizeof *c->name);
    c->name_end = mi_mem_new(NAMED + 1, sizeof *c->name_end);
    c->count = mi_mem_new(MOST_SLICES, sizeof *c->count);
    c->category = mi_mem_new(MOST_SLICES, 1);
    c->flags = mi_mem_new(MOST_SLICES, 1);
    return c->lane_track && c->lane_depth && c->lane_end && c->lane_host && c->start &&
           c->duration && c->id && c->node && c->name && c->name_end && c->count && c->category &&
           c->flags;
}

static void columns_fini(struct columns *c)
{
    void *const all[] = {c->lane_track, c->lane_depth, c->lane_end, c->lane_host, c->start,
                         c->duration,   c->id,         c->node,     c->name,      c->name_end,
                         c->count,      c->category,   c->flags};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mi_mem_free(all[i]);
    mi_sink_fini(&c->names);
    mi_map_fini(&c->name_of);
}

static uint32_t in_steps(int64_t ns, int64_t step_ns)
{
    return ns <= 0 ? 0 : ns / step_ns >= UINT32_MAX ? UINT32_MAX : (uint32_t)(ns / step_ns);
}

static void describe_task(struct columns *c, const struct mi_model *model, uint32_t task,
                          uint32_t at)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t kernel = rows->tasks.kernel[task].v, link = model->index.task_link[task];
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
    c->category[at] = rows->kernels.category[kernel];
    c->flags[at] = flags;
    c->node[at] = link ? rows->executed.node[link].v : 0;
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
    c->name[at] = *slot - 1;
    return true;
}

static void add_lane(struct columns *c, const struct mi_lod *lod, uint32_t lane_no,
                     const struct wish *wish, struct mi_lod_slice *room)
{
    const struct mi_lod_lane *lane = &lod->lanes[lane_no];
    uint32_t left = MOST_SLICES - c->slices;
    uint32_t count = mi_lod_query(lod, lane_no, wish->from_ns, wish->to_ns, wish->step_ns, room,
                                  left < PER_LANE ? left : PER_LANE);
    for (uint32_t i = 0; i < count; i++, c->slices++) {
        uint32_t at = c->slices, steps = in_steps(room[i].dur_ns, wish->step_ns);
        int64_t start = room[i].start_ns - wish->from_ns; /* what began earlier begins at 0 */
        c->start[at] = in_steps(start, wish->step_ns);
        if (start < 0)
            steps = in_steps(room[i].dur_ns + start, wish->step_ns);
        c->duration[at] = steps ? steps : 1;
        c->id[at] = room[i].id;
        c->count[at] = room[i].count > UINT16_MAX ? UINT16_MAX : (uint16_t)room[i].count;
        c->category[at] = c->flags[at] = 0;
        c->node[at] = 0;
        if (!lane->is_host)
            describe_task(c, lod->model, room[i].id, at);
    }
    c->lane_track[c->lanes] = lane->track.v;
    c->lane_depth[c->lanes] = lane->depth;
    c->lane_host[c->lanes] = lane->is_host;
    c->lane_end[c->lanes++] = c->slices;
}

static bool add_names(struct columns *c, const struct mi_lod *lod)
{
    bool ok = true;
    for (uint32_t l = 0, at = 0; ok && c->slices < NAMED && l < c->lanes; l++)
        for (; ok && at < c->lane_end[l]; at++)
            ok = add_name(c, lod->model, name_of(lod->model, c->lane_host[l], c->id[at]), at);
    return ok;
}

static void write_frame(const struct columns *c, const struct wish *wish, struct mi_reply *reply)
{
    uint32_t named = c->slices < NAMED ? c->slices : 0;
    struct mi_bytes names = mi_sink_bytes(&c->names);
    const struct mi_frame_column columns[COLUMNS] = {
        {LANE_TRACK, MI_F_U32, c->lanes, c->lane_track},
        {LANE_DEPTH, MI_F_U32, c->lanes, c->lane_depth},
        {LANE_HOST, MI_F_U8, c->lanes, c->lane_host},
        {LANE_END, MI_F_U32, c->lanes, c->lane_end},
        {START, MI_F_U32, c->slices, c->start},
        {DURATION, MI_F_U32, c->slices, c->duration},
        {ID, MI_F_U32, c->slices, c->id},
        {COUNT, MI_F_U16, c->slices, c->count},
        {CATEGORY, MI_F_U8, c->slices, c->category},
        {FLAGS, MI_F_U8, c->slices, c->flags},
        {NODE, MI_F_U32, c->slices, c->node},
        {NAME, MI_F_U32, named, c->name},
        {NAME_END, MI_F_U32, c->name_count, c->name_end},
        {NAME_BYTES, MI_F_U8, (uint32_t)names.len, names.at},
    };
    struct mi_frame frame = {.kind = MI_FRAME_SLICES,
                             .rows = c->lanes,
                             .base_ns = wish->from_ns,
                             .step_ns = wish->step_ns,
                             .columns = columns,
                             .column_count = COLUMNS};
    reply->media = "application/octet-stream";
    mi_frame_write(&frame, &reply->body);
}

static bool fill(struct columns *c, const struct mi_lod *lod, const struct wish *wish)
{
    uint32_t tracks = lod->model->all.rows.tracks.count;
    uint8_t *is_wanted = wanted_tracks(wish, tracks);
    struct mi_lod_slice *room = mi_mem_new(PER_LANE, sizeof *room);
    bool ok = is_wanted && room && make_room(c, lod->lane_count);
    for (uint32_t l = 0; ok && l < lod->lane_count; l++)
        if (is_wanted[lod->lanes[l].track.v])
            add_lane(c, lod, l, wish, room);
    ok = ok && add_names(c, lod);
    mi_mem_free(is_wanted);
    mi_mem_free(room);
    return ok;
}

void mi_route_slices(struct mi_site *site, const struct mi_request *request, struct mi_reply *reply)
{
    struct wish wish = {.step_ns = 1};
    struct mi_error err = MI_ERROR_INIT;
    struct mi_json js;
    mi_json_init(&js, request->body, NULL);
    read_wish(&js, &wish);
    if (!mi_json_failed(&js) && (wish.step_ns < 1 || wish.to_ns <= wish.from_ns))
        mi_fail(&js.error, MI_EUSAGE, "a window of time wants from_ns < to_ns and step_ns >= 1");
    if (mi_json_failed(&js)) {
        mi_reply_failure(reply, &js.error);
        return;
    }
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
