#include "present/lod/lod.h"

#include "base/mem.h"

struct rows { /* tasks or slices */
    const int64_t *start_ns, *dur_ns;
};

static struct rows rows_of(const struct mi_lod *lod, bool is_host)
{
    const struct mi_tables *all = &lod->model->all.rows;
    return is_host ? (struct rows){all->slices.start_ns, all->slices.dur_ns}
                   : (struct rows){lod->task_start_ns, all->tasks.dur_ns};
}

static int64_t end_of(const struct rows *rows, uint32_t id)
{
    int64_t end;
    return __builtin_add_overflow(rows->start_ns[id], rows->dur_ns[id], &end) ? INT64_MAX : end;
}

static uint32_t id_at(const struct mi_lod_lane *lane, uint32_t place)
{
    return lane->ids ? lane->ids[place] : lane->first_id + place;
}

/* --- lanes --- */

struct track_rows { /* rows of one track that take part, by start */
    mi_track_id track;
    bool is_host;
    uint32_t first, end;
};

struct building {
    struct mi_lod *lod;
    const struct mi_lod_filter *filter;
    uint32_t lane_room, id_count;
    uint8_t *depth; /* [rows of the longest track] */
};

static bool takes_part(const struct building *b, bool is_host, uint32_t id)
{
    if (!b->filter)
        return true;
    if (is_host)
        return !b->filter->slices || b->filter->slices[id];
    return !b->filter->kernels || b->filter->kernels[b->lod->model->all.rows.tasks.kernel[id].v];
}

static bool add_lane(struct building *b, const struct mi_lod_lane *lane)
{
    struct mi_lod *lod = b->lod;
    if (lod->lane_count == b->lane_room) {
        uint32_t room = b->lane_room ? b->lane_room * 2 : 32;
        struct mi_lod_lane *lanes = mi_mem_resize(lod->lanes, room, sizeof *lanes);
        if (!lanes)
            return false;
        lod->lanes = lanes;
        b->lane_room = room;
    }
    lod->lanes[lod->lane_count++] = *lane;
    return true;
}

/* Each row goes to the first depth that is free at its start, whether others take part or not, so
 * that a filter moves nothing; returns how many depths are used. Rows beyond the last depth overlap
 * there. */
static uint32_t find_depths(const struct building *b, const struct track_rows *t, bool *has_gaps)
{
    struct rows rows = rows_of(b->lod, t->is_host);
    int64_t free_from[MI_LOD_MOST_DEPTH];
    uint32_t used = 0;
    *has_gaps = false;
    for (uint32_t id = t->first; id < t->end; id++) {
        uint32_t depth = 0;
        while (depth < used && free_from[depth] > rows.start_ns[id])
            depth++;
        if (depth == MI_LOD_MOST_DEPTH)
            depth--;
        if (depth == used)
            used++;
        free_from[depth] = end_of(&rows, id);
        bool is_in = takes_part(b, t->is_host, id);
        b->depth[id - t->first] = is_in ? (uint8_t)depth : UINT8_MAX;
        *has_gaps = *has_gaps || !is_in;
    }
    return used;
}

static bool add_track(struct building *b, const struct track_rows *t)
{
    bool has_gaps;
    uint32_t depths = find_depths(b, t, &has_gaps);
    for (uint32_t d = 0; d < depths; d++) {
        struct mi_lod_lane lane = {.track = t->track, .depth = d, .is_host = t->is_host};
        if (depths == 1 && !has_gaps) {
            lane.first_id = t->first;
            lane.count = t->end - t->first;
        } else {
            lane.ids = b->lod->ids + b->id_count;
            for (uint32_t id = t->first; id < t->end; id++)
                if (b->depth[id - t->first] == d)
                    b->lod->ids[b->id_count + lane.count++] = id;
            b->id_count += lane.count;
        }
        if (lane.count && !add_lane(b, &lane))
            return false;
    }
    return true;
}

static struct track_rows track_rows(const struct mi_model *model, uint32_t track, bool is_host)
{
    const struct mi_index *index = &model->index;
    const uint32_t *first = is_host ? index->track_first_slice : index->track_first_task;
    return (struct track_rows){{track}, is_host, first[track], first[track + 1]};
}

static bool list_lanes(struct building *b)
{
    const struct mi_model *model = b->lod->model;
    const struct mi_tables *rows = &model->all.rows;
    uint32_t longest = 0;
    for (uint32_t t = 0; t < rows->tracks.count; t++)
        for (int host = 0; host < 2; host++) {
            struct track_rows range = track_rows(model, t, host);
            if (range.end - range.first > longest)
                longest = range.end - range.first;
        }
    b->lod->ids = mi_mem_new((size_t)rows->tasks.count + rows->slices.count, sizeof *b->lod->ids);
    b->depth = mi_mem_new((size_t)longest + 1, 1);
    if (!b->lod->ids || !b->depth)
        return false;
    for (int host = 0; host < 2; host++)
        for (uint32_t t = 0; t < rows->tracks.count; t++) {
            struct track_rows range = track_rows(model, t, host);
            if (range.end > range.first && !add_track(b, &range))
                return false;
        }
    return true;
}

/* --- the longest of a run --- */

static uint32_t longer_of(const struct rows *rows, const struct mi_lod_lane *lane, uint32_t a,
                          uint32_t b)
{
    return rows->dur_ns[id_at(lane, b)] > rows->dur_ns[id_at(lane, a)] ? b : a;
}

static bool index_lane(const struct mi_lod *lod, struct mi_lod_lane *lane)
{
    struct rows rows = rows_of(lod, lane->is_host);
    uint32_t below = lane->count;
    for (int level = 0; level < MI_LOD_LEVELS && below > MI_LOD_RADIX; level++) {
        uint32_t count = (below + MI_LOD_RADIX - 1) / MI_LOD_RADIX;
        uint32_t *list = mi_mem_new(count, sizeof *list);
        if (!list)
            return false;
        lane->longest[level] = list;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t from = i * MI_LOD_RADIX, best = 0;
            uint32_t end = from + MI_LOD_RADIX < below ? from + MI_LOD_RADIX : below;
            for (uint32_t k = from; k < end; k++) {
                uint32_t place = level ? lane->longest[level - 1][k] : k;
                best = k == from ? place : longer_of(&rows, lane, best, place);
            }
            list[i] = best;
        }
        below = count;
    }
    return true;
}

/* Place of the longest of [from, end), which is not empty; the first of equal ones. */
static uint32_t longest_in(const struct rows *rows, const struct mi_lod_lane *lane, uint32_t from,
                           uint32_t end)
{
    uint32_t best = from, at = from + 1;
    while (at < end) {
        uint32_t size = 1;
        int level = -1;
        while (level + 1 < MI_LOD_LEVELS && lane->longest[level + 1] &&
               at % (size * MI_LOD_RADIX) == 0 && end - at >= size * MI_LOD_RADIX) {
            size *= MI_LOD_RADIX;
            level++;
        }
        best = longer_of(rows, lane, best, level < 0 ? at : lane->longest[level][at / size]);
        at += size;
    }
    return best;
}

bool mi_lod_init(struct mi_lod *lod, const struct mi_model *model,
                 const struct mi_lod_filter *filter, struct mi_error *err)
{
    struct building b = {.lod = lod, .filter = filter};
    *lod = (struct mi_lod){.model = model, .task_start_ns = model->all.rows.tasks.start_ns};
    if (filter && filter->task_start_ns)
        lod->task_start_ns = filter->task_start_ns;
    bool ok = list_lanes(&b);
    for (uint32_t l = 0; ok && l < lod->lane_count; l++)
        ok = index_lane(lod, &lod->lanes[l]);
    mi_mem_free(b.depth);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory for the timeline");
}

void mi_lod_fini(struct mi_lod *lod)
{
    for (uint32_t l = 0; l < lod->lane_count; l++)
        for (int level = 0; level < MI_LOD_LEVELS; level++)
            mi_mem_free(lod->lanes[l].longest[level]);
    mi_mem_free(lod->lanes);
    mi_mem_free(lod->ids);
    *lod = (struct mi_lod){0};
}

/* --- asking --- */

/* The first place from `from` on that starts at `ns` or later: in strides that double, then
 * halving. */
static uint32_t first_from(const struct rows *rows, const struct mi_lod_lane *lane, uint32_t from,
                           int64_t ns)
{
    uint32_t stride = 1, low = from;
    while (low + stride < lane->count && rows->start_ns[id_at(lane, low + stride)] < ns) {
        low += stride;
        stride *= 2;
    }
    uint32_t high = lane->count - low > stride ? low + stride : lane->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows->start_ns[id_at(lane, middle)] < ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t add_clamped(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

/* End of the step, counted from from_ns, in which `ns` lies; what lies before is in the first. */
static int64_t end_of_step(int64_t from_ns, int64_t ns, int64_t step_ns)
{
    int64_t since, steps;
    if (ns < from_ns)
        return add_clamped(from_ns, step_ns);
    if (__builtin_sub_overflow(ns, from_ns, &since) ||
        __builtin_mul_overflow(since / step_ns + 1, step_ns, &steps))
        return INT64_MAX;
    return add_clamped(from_ns, steps);
}

/* One entry for the rows [from, end) of a lane. */
static struct mi_lod_slice summarise(const struct rows *rows, const struct mi_lod_lane *lane,
                                     uint32_t from, uint32_t end)
{
    uint32_t longest = id_at(lane, longest_in(rows, lane, from, end));
    int64_t start = rows->start_ns[id_at(lane, from)];
    int64_t stop = end_of(rows, id_at(lane, end - 1)), span;
    if (__builtin_sub_overflow(stop, start, &span))
        span = INT64_MAX;
    return (struct mi_lod_slice){
        .start_ns = start, .dur_ns = span < 0 ? 0 : span, .id = longest, .count = end - from};
}

uint32_t mi_lod_query(const struct mi_lod *lod, uint32_t lane_no, int64_t from_ns, int64_t to_ns,
                      int64_t step_ns, struct mi_lod_slice *out, uint32_t room)
{
    const struct mi_lod_lane *lane = &lod->lanes[lane_no];
    struct rows rows = rows_of(lod, lane->is_host);
    uint32_t filled = 0, at = first_from(&rows, lane, 0, from_ns);
    if (step_ns < 1)
        step_ns = 1;
    if (at && end_of(&rows, id_at(lane, at - 1)) > from_ns)
        at--;
    while (at < lane->count && filled < room) {
        int64_t start = rows.start_ns[id_at(lane, at)];
        if (start >= to_ns)
            break;
        int64_t bucket_end = end_of_step(from_ns, start, step_ns);
        uint32_t end = first_from(&rows, lane, at, bucket_end < to_ns ? bucket_end : to_ns);
        if (end == at)
            end = at + 1;
        out[filled++] = summarise(&rows, lane, at, end);
        at = end;
    }
    return filled;
}

/* --- finding --- */

uint32_t mi_lod_place_of(const struct mi_lod_lane *lane, uint32_t id)
{
    uint32_t low = 0, high = lane->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (id_at(lane, middle) < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < lane->count && id_at(lane, low) == id ? low : UINT32_MAX;
}

static bool lane_is_before(const struct mi_lod_lane *lane, bool is_host, uint32_t track)
{
    return lane->is_host != is_host ? !lane->is_host : lane->track.v < track;
}

uint32_t mi_lod_lane_of(const struct mi_lod *lod, bool is_host, uint32_t id)
{
    const struct mi_tables *rows = &lod->model->all.rows;
    uint32_t track = is_host ? rows->slices.track[id].v : rows->tasks.track[id].v;
    uint32_t low = 0, high = lod->lane_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (lane_is_before(&lod->lanes[middle], is_host, track))
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < lod->lane_count; low++) {
        const struct mi_lod_lane *lane = &lod->lanes[low];
        if (lane->is_host != is_host || lane->track.v != track)
            break;
        if (mi_lod_place_of(lane, id) != UINT32_MAX)
            return low;
    }
    return UINT32_MAX;
}
