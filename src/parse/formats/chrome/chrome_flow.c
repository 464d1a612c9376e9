/* Arrows (s, t, f). Ends with one category, name and id belong together; ids are text, since some
 * have more than 64 bits. They are used again, ends may come first or several times: as many starts
 * as ends are paired in order of time, else each end takes the last start before it. An end binds
 * to the innermost span or task around its moment on its lane; one without "bp":"e" to the next. */
#include "base/hash.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/vec.h"
#include "parse/formats/chrome/chrome.h"

enum {
    KIND_SHIFT = 30,
    ROOM_STEP = 1 << 18,
    MAX_CLIMB = 4096 /* spans that are looked at for one around a moment */
};

/* Moments that miss their span by less than this are meant for it. */
#define NEAR_NS 1000

static uint32_t kind_of(const struct mi_chrome_point *point)
{
    return point->category >> KIND_SHIFT;
}

static bool room(struct mi_chrome *c)
{
    return mi_vec_room(&c->points, &c->point_room, c->point_count, sizeof *c->points) ||
           mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for arrows");
}

static uint64_t key_of(const struct mi_chrome_event *event)
{
    uint64_t key = mi_hash64(event->id);
    key = key * UINT64_C(0x9e3779b97f4a7c15) + mi_hash64(event->name.raw);
    return key * UINT64_C(0x9e3779b97f4a7c15) + mi_hash64(event->category.raw);
}

void mi_chrome_flow(struct mi_chrome *c, const struct mi_chrome_event *event)
{
    uint32_t lane = mi_chrome_lane_of(c, event->pid, event->tid);
    if (!lane || !room(c))
        return;
    if (!(event->flags & MI_CHROME_HAS_TS) || event->flags & MI_CHROME_BAD_TS) {
        mi_chrome_lose(c, "trace.no_time", N_("an event whose ts is missing or no number"));
        return;
    }
    uint32_t kind = event->phase == 's'                   ? MI_CHROME_START
                    : event->phase == 't'                 ? MI_CHROME_STEP
                    : event->flags & MI_CHROME_BINDS_HERE ? MI_CHROME_END_HERE
                                                          : MI_CHROME_END;
    c->points[c->point_count++] = (struct mi_chrome_point){
        .key = key_of(event),
        .ts_ns = event->ts_ns,
        .lane = lane,
        .category = mi_chrome_name_again(c, event->category, &c->last_arrow).v | kind
                                                                                     << KIND_SHIFT};
    c->batch->counts.kept++;
}

/* --- binding --- */

struct binder {
    struct mi_chrome *c;
    const struct mi_tables *rows;
    uint32_t all;     /* spans, then tasks: rows are numbered through, from 1 */
    uint32_t *first;  /* [lane_count + 1] places of a lane in `order` */
    uint32_t *cursor; /* [lane_count] place that was asked for last */
    uint32_t *order;  /* rows by lane and start, those around others first */
    uint32_t *around; /* [all] place of the row around the one at this place, + 1 */
    int64_t missed;
};

static bool is_task(const struct binder *b, uint32_t row)
{
    return row >= b->rows->slices.count;
}

static uint32_t task_of(const struct binder *b, uint32_t row)
{
    return row - b->rows->slices.count + 1;
}

static uint32_t lane_of(const struct binder *b, uint32_t row)
{
    uint32_t track =
        is_task(b, row) ? b->rows->tasks.track[task_of(b, row)].v : b->rows->slices.track[row].v;
    return b->c->lane_of_track[track];
}

static int64_t start_of(const struct binder *b, uint32_t row)
{
    return is_task(b, row) ? b->rows->tasks.start_raw[task_of(b, row)]
                           : b->rows->slices.start_raw[row];
}

static int64_t end_of(const struct binder *b, uint32_t row)
{
    return start_of(b, row) +
           (is_task(b, row) ? b->rows->tasks.dur_ns[task_of(b, row)] : b->rows->slices.dur_ns[row]);
}

static bool stands_behind(const void *context, uint32_t left, uint32_t right)
{
    const struct binder *b = context;
    int64_t left_start = start_of(b, left), right_start = start_of(b, right);
    if (left_start != right_start)
        return left_start > right_start;
    return end_of(b, left) < end_of(b, right);
}

/* The place of the row around each row of a lane. */
static void nest(struct binder *b, uint32_t lane)
{
    uint32_t open = 0; /* place + 1 */
    for (uint32_t at = b->first[lane]; at < b->first[lane + 1]; at++) {
        int64_t start = start_of(b, b->order[at]);
        while (open && end_of(b, b->order[open - 1]) <= start)
            open = b->around[open - 1];
        b->around[at] = open;
        open = at + 1;
    }
}

/* Rows by lane, then each lane by time: mostly they are in order already. */
static bool order_rows(struct binder *b)
{
    uint32_t lanes = b->c->lane_count;
    b->first = mi_mem_zero((size_t)lanes + 2, sizeof *b->first);
    b->cursor = mi_mem_new(lanes, sizeof *b->cursor);
    b->order = mi_mem_new(b->all, sizeof *b->order);
    b->around = mi_mem_new(b->all, sizeof *b->around);
    if (!b->first || !b->cursor || !b->order || !b->around)
        return false;
    for (uint32_t row = 1; row < b->all; row++)
        b->first[lane_of(b, row) + 2]++;
    for (uint32_t lane = 2; lane <= lanes; lane++)
        b->first[lane + 1] += b->first[lane];
    for (uint32_t row = 1; row < b->all; row++)
        b->order[b->first[lane_of(b, row) + 1]++] = row;
    for (uint32_t lane = 1; lane < lanes; lane++) {
        uint32_t count = b->first[lane + 1] - b->first[lane];
        mi_chrome_sort(b->order + b->first[lane], count, b->around + b->first[lane], stands_behind,
                       b); /* what stands in front of it is in use already */
        nest(b, lane);
        b->cursor[lane] = b->first[lane];
    }
    return true;
}

/* The first place of the lane whose row starts behind the moment. Points of a lane come in order
 * mostly, so the search begins where the last one ended. */
static uint32_t place_behind(struct binder *b, uint32_t lane, int64_t at_ns)
{
    uint32_t low = b->first[lane], high = b->first[lane + 1], at = b->cursor[lane];
    for (unsigned step = 0; step < 8; step++) {
        bool is_behind = at < high && start_of(b, b->order[at]) <= at_ns;
        bool is_before = at > low && start_of(b, b->order[at - 1]) > at_ns;
        if (!is_behind && !is_before)
            return b->cursor[lane] = at;
        low = is_behind ? at : low;
        high = is_before ? at : high;
        at += is_behind ? 1 : UINT32_MAX;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (start_of(b, b->order[middle]) <= at_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return b->cursor[lane] = low;
}

/* The row that a point belongs to; 0 = none. */
static uint32_t bind(struct binder *b, const struct mi_chrome_point *point)
{
    uint32_t behind = place_behind(b, point->lane, point->ts_ns);
    uint32_t next = behind < b->first[point->lane + 1] ? b->order[behind] : 0;
    uint32_t last = behind > b->first[point->lane] ? b->order[behind - 1] : 0;
    if (kind_of(point) == MI_CHROME_END) {
        if (last && start_of(b, last) == point->ts_ns)
            return last;
        if (next)
            return next;
    }
    for (uint32_t at = last ? behind : 0, steps = 0; at && steps < MAX_CLIMB;
         at = b->around[at - 1], steps++)
        if (end_of(b, b->order[at - 1]) >= point->ts_ns)
            return b->order[at - 1];
    b->missed++;
    if (next && start_of(b, next) - point->ts_ns < NEAR_NS)
        return next;
    return last && point->ts_ns - end_of(b, last) < NEAR_NS ? last : 0;
}

/* Afterwards `lane` of each point is its row. */
static bool bind_points(struct binder *b)
{
    bool ok = order_rows(b);
    for (uint32_t p = 0; ok && p < b->c->point_count; p++)
        b->c->points[p].lane = bind(b, &b->c->points[p]);
    mi_mem_free(b->first);
    mi_mem_free(b->cursor);
    mi_mem_free(b->order);
    mi_mem_free(b->around);
    return ok;
}

/* --- pairing --- */

/* The points of one key, by time. */
struct ends {
    const struct mi_chrome_point *at;
    uint32_t count;
};

enum { NO_POINT = -1 };

static void put_end(const struct binder *b, uint32_t row, mi_slice_id *slice, mi_task_id *task)
{
    if (row && is_task(b, row))
        task->v = task_of(b, row);
    else
        slice->v = row;
}

static void add_arrow(struct binder *b, const struct ends *ends, int64_t from, int64_t to)
{
    struct mi_chrome *c = b->c;
    struct mi_flow_row row = {
        .category = {ends->at[from >= 0 ? from : to].category & ((UINT32_C(1) << KIND_SHIFT) - 1)}};
    put_end(b, from >= 0 ? ends->at[from].lane : 0, &row.from_slice, &row.from_task);
    put_end(b, to >= 0 ? ends->at[to].lane : 0, &row.to_slice, &row.to_task);
    mi_add_flow(c->batch, &row);
    if (from < 0)
        mi_chrome_note(c, MI_NOTICE, "trace.arrow_from_nowhere",
                       N_("an arrow whose start is not in the file"));
    if (to < 0)
        mi_chrome_note(c, MI_NOTICE, "trace.arrow_to_nowhere",
                       N_("an arrow whose end is not in the file"));
}

static bool is_start(const struct mi_chrome_point *point)
{
    return kind_of(point) == MI_CHROME_START;
}

/* As many starts as ends: in order. */
static void pair_in_order(struct binder *b, const struct ends *ends)
{
    uint32_t start = 0, end = 0;
    for (;;) {
        while (start < ends->count && !is_start(&ends->at[start]))
            start++;
        while (end < ends->count && is_start(&ends->at[end]))
            end++;
        if (start >= ends->count)
            break;
        add_arrow(b, ends, start++, end++);
    }
}

/* Each end takes the last start (or step) before it, else the first one behind it. */
static void pair_by_time(struct binder *b, const struct ends *ends)
{
    int64_t first = NO_POINT, last = NO_POINT;
    bool was_taken = false; /* the last start by an end, or the first one in advance */
    for (uint32_t i = 0; i < ends->count && first < 0; i++)
        if (is_start(&ends->at[i]))
            first = i;
    for (uint32_t i = 0; i < ends->count; i++) {
        if (is_start(&ends->at[i])) {
            if (last >= 0 && !was_taken)
                add_arrow(b, ends, last, NO_POINT);
            was_taken = last < 0 && was_taken;
            last = i;
            continue;
        }
        add_arrow(b, ends, last >= 0 ? last : first, i);
        was_taken = true;
        if (kind_of(&ends->at[i]) == MI_CHROME_STEP)
            last = i;
    }
    if (last >= 0 && !was_taken)
        add_arrow(b, ends, last, NO_POINT);
}

static void pair_key(struct binder *b, const struct ends *ends)
{
    uint32_t starts = 0, steps = 0;
    for (uint32_t i = 0; i < ends->count; i++) {
        starts += is_start(&ends->at[i]);
        steps += kind_of(&ends->at[i]) == MI_CHROME_STEP;
    }
    if (starts * 2 == ends->count && !steps)
        pair_in_order(b, ends);
    else
        pair_by_time(b, ends);
}

/* From the last key to the first, giving back the room of those that are done. */
static void pair_points(struct binder *b)
{
    struct mi_chrome *c = b->c;
    mi_chrome_sort_points(c->points, c->point_count);
    while (c->point_count && !mi_batch_failed(c->batch)) {
        uint32_t from = c->point_count - 1;
        while (from && c->points[from - 1].key == c->points[from].key)
            from--;
        struct ends ends = {&c->points[from], c->point_count - from};
        pair_key(b, &ends);
        c->point_count = from;
        if (c->point_room - from <= ROOM_STEP)
            continue;
        void *smaller = mi_mem_resize(c->points, (size_t)from + 1, sizeof *c->points);
        if (smaller) {
            c->points = smaller;
            c->point_room = from + 1;
        }
    }
}

void mi_chrome_flows_finish(struct mi_chrome *c)
{
    struct binder b = {.c = c, .rows = &c->batch->rows};
    b.all = b.rows->slices.count + b.rows->tasks.count - 1;
    if (!c->point_count || mi_batch_failed(c->batch))
        return;
    if (!bind_points(&b)) {
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for arrows");
        return;
    }
    pair_points(&b);
    if (b.missed)
        mi_chrome_note(c, MI_NOTICE, "trace.arrow_off",
                       N_("ends of arrows that lie on no span or task of their lane"));
}
