/* Arrows (s, t, f). Ends with one category, name and id belong together; ids are text, since some
 * have more than 64 bits. They are used again, ends may come first or several times: as many starts
 * as ends are paired in order of time, else each end takes the last start before it. An end binds
 * to the innermost span or task around its moment on its lane; one without "bp":"e" to the next. */
#include "base/hash.h"
#include "base/mem.h"
#include "base/translate.h"
#include "parse/formats/chrome/chrome.h"

#include <stdlib.h>

enum { KIND_SHIFT = 30 };

/* Moments that miss their span by less than this are meant for it. */
#define NEAR_NS 1000

static uint32_t kind_of(const struct mi_chrome_point *point)
{
    return point->category >> KIND_SHIFT;
}

static bool room(struct mi_chrome *c)
{
    if (c->points && c->point_count < c->point_room)
        return true;
    uint32_t more = c->point_room ? c->point_room * 2 : 1024;
    struct mi_chrome_point *grown =
        more > c->point_room ? mi_mem_resize(c->points, more, sizeof *grown) : NULL;
    if (!grown)
        return mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for arrows");
    c->points = grown;
    c->point_room = more;
    return true;
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
        .category = mi_chrome_name(c, event->category).v | kind << KIND_SHIFT};
    c->batch->counts.kept++;
}

/* --- binding --- */

/* A span or task as a place to bind to: tasks are numbered behind the slices. */
struct binder {
    struct mi_chrome *c;
    const struct mi_tables *rows;
    uint32_t *order, count; /* rows by lane, start, longest first */
    uint32_t *open;         /* rows around the moment, outermost first */
    uint32_t open_count;
    uint32_t *bound; /* [point_count] the row, 0 = none */
    uint8_t *wanted; /* [lane_count] lanes with arrows */
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

static int64_t dur_of(const struct binder *b, uint32_t row)
{
    return is_task(b, row) ? b->rows->tasks.dur_ns[task_of(b, row)] : b->rows->slices.dur_ns[row];
}

struct place { /* of a row or of a point, for sorting */
    int64_t at_ns, dur_ns;
    uint32_t lane, number;
};

static int by_lane(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->dur_ns != y->dur_ns)
        return x->dur_ns > y->dur_ns ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Rows of the lanes that arrows touch, in order; NULL: out of memory. */
static struct place *place_rows(struct binder *b, uint32_t *count)
{
    uint32_t all = b->rows->slices.count + b->rows->tasks.count - 1;
    struct place *places = mi_mem_new(all ? all : 1, sizeof *places);
    *count = 0;
    for (uint32_t row = 1; places && row < all; row++) {
        uint32_t lane = lane_of(b, row);
        if (b->wanted[lane])
            places[(*count)++] = (struct place){start_of(b, row), dur_of(b, row), lane, row};
    }
    if (places)
        qsort(places, *count, sizeof *places, by_lane);
    return places;
}

static struct place *place_points(const struct mi_chrome *c)
{
    struct place *places = mi_mem_new(c->point_count, sizeof *places);
    for (uint32_t p = 0; places && p < c->point_count; p++)
        places[p] = (struct place){c->points[p].ts_ns, 0, c->points[p].lane, p};
    if (places)
        qsort(places, c->point_count, sizeof *places, by_lane);
    return places;
}

/* The row that a point belongs to. `before`: rows [0, before) begin no later than the point. */
static uint32_t bind(struct binder *b, const struct place *rows, uint32_t count, uint32_t before,
                     const struct place *point)
{
    const struct place *next =
        before < count && rows[before].lane == point->lane ? &rows[before] : NULL;
    const struct place *last =
        before && rows[before - 1].lane == point->lane ? &rows[before - 1] : NULL;
    uint32_t kind = kind_of(&b->c->points[point->number]);
    if (kind == MI_CHROME_END && last && last->at_ns == point->at_ns)
        return last->number;
    if (kind == MI_CHROME_END && next)
        return next->number;
    while (b->open_count) {
        const struct place *around = &rows[b->open[b->open_count - 1]];
        if (around->lane == point->lane && around->at_ns + around->dur_ns >= point->at_ns)
            return around->number;
        b->open_count--;
    }
    b->missed++;
    if (next && next->at_ns - point->at_ns < NEAR_NS)
        return next->number;
    if (last && point->at_ns - (last->at_ns + last->dur_ns) < NEAR_NS)
        return last->number;
    return 0;
}

static void bind_all(struct binder *b, const struct place *rows, uint32_t count,
                     const struct place *points)
{
    uint32_t row = 0;
    for (uint32_t p = 0; p < b->c->point_count; p++) {
        const struct place *point = &points[p];
        for (; row < count && (rows[row].lane < point->lane ||
                               (rows[row].lane == point->lane && rows[row].at_ns <= point->at_ns));
             row++) {
            while (b->open_count) {
                const struct place *around = &rows[b->open[b->open_count - 1]];
                if (around->lane == rows[row].lane &&
                    around->at_ns + around->dur_ns > rows[row].at_ns)
                    break;
                b->open_count--;
            }
            b->open[b->open_count++] = row;
        }
        b->bound[point->number] = bind(b, rows, count, row, point);
    }
}

static bool bind_points(struct binder *b)
{
    uint32_t count = 0;
    b->bound = mi_mem_zero(b->c->point_count, sizeof *b->bound);
    b->wanted = mi_mem_zero(b->c->lane_count, 1);
    for (uint32_t p = 0; b->wanted && p < b->c->point_count; p++)
        b->wanted[b->c->points[p].lane] = 1;
    struct place *rows = b->wanted ? place_rows(b, &count) : NULL;
    struct place *points = place_points(b->c);
    b->open = mi_mem_new(count + 1, sizeof *b->open);
    bool ok = b->bound && rows && points && b->open;
    if (ok)
        bind_all(b, rows, count, points);
    mi_mem_free(rows);
    mi_mem_free(points);
    mi_mem_free(b->open);
    mi_mem_free(b->wanted);
    return ok;
}

/* --- pairing --- */

struct tie {
    uint64_t key;
    int64_t ts_ns;
    uint32_t point;
};

static int by_key(const void *a, const void *b)
{
    const struct tie *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->ts_ns != y->ts_ns)
        return x->ts_ns < y->ts_ns ? -1 : 1;
    return x->point < y->point ? -1 : x->point > y->point;
}

enum { NO_POINT = -1 };

static void add_arrow(struct binder *b, int64_t from, int64_t to)
{
    struct mi_chrome *c = b->c;
    uint32_t category = c->points[from >= 0 ? from : to].category;
    struct mi_flow_row row = {.category = {category & ((UINT32_C(1) << KIND_SHIFT) - 1)}};
    uint32_t start = from >= 0 ? b->bound[from] : 0, end = to >= 0 ? b->bound[to] : 0;
    if (start && is_task(b, start))
        row.from_task.v = task_of(b, start);
    else
        row.from_slice.v = start;
    if (end && is_task(b, end))
        row.to_task.v = task_of(b, end);
    else
        row.to_slice.v = end;
    mi_add_flow(c->batch, &row);
    if (from < 0)
        mi_chrome_note(c, MI_NOTICE, "trace.arrow_from_nowhere",
                       N_("an arrow whose start is not in the file"));
    if (to < 0)
        mi_chrome_note(c, MI_NOTICE, "trace.arrow_to_nowhere",
                       N_("an arrow whose end is not in the file"));
}

static bool is_start(const struct binder *b, const struct tie *tie)
{
    return kind_of(&b->c->points[tie->point]) == MI_CHROME_START;
}

/* As many starts as ends: in order. */
static void pair_in_order(struct binder *b, const struct tie *ties, uint32_t count)
{
    uint32_t s = 0, e = 0;
    for (;;) {
        while (s < count && !is_start(b, &ties[s]))
            s++;
        while (e < count && is_start(b, &ties[e]))
            e++;
        if (s >= count)
            break;
        add_arrow(b, ties[s++].point, ties[e++].point);
    }
}

/* Each end takes the last start (or step) before it, else the first one behind it. */
static void pair_by_time(struct binder *b, const struct tie *ties, uint32_t count)
{
    int64_t first = NO_POINT, last = NO_POINT;
    bool was_taken = false; /* the last start by an end, or the first one in advance */
    for (uint32_t i = 0; i < count && first < 0; i++)
        if (is_start(b, &ties[i]))
            first = ties[i].point;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = kind_of(&b->c->points[ties[i].point]);
        if (kind == MI_CHROME_START) {
            if (last >= 0 && !was_taken)
                add_arrow(b, last, NO_POINT);
            was_taken = last < 0 && was_taken;
            last = ties[i].point;
            continue;
        }
        add_arrow(b, last >= 0 ? last : first, ties[i].point);
        was_taken = true;
        if (kind == MI_CHROME_STEP)
            last = ties[i].point;
    }
    if (last >= 0 && !was_taken)
        add_arrow(b, last, NO_POINT);
}

static void pair_key(struct binder *b, const struct tie *ties, uint32_t count)
{
    uint32_t starts = 0, steps = 0;
    for (uint32_t i = 0; i < count; i++) {
        starts += is_start(b, &ties[i]);
        steps += kind_of(&b->c->points[ties[i].point]) == MI_CHROME_STEP;
    }
    if (starts * 2 == count && !steps)
        pair_in_order(b, ties, count);
    else
        pair_by_time(b, ties, count);
}

static bool pair_points(struct binder *b)
{
    struct mi_chrome *c = b->c;
    struct tie *ties = mi_mem_new(c->point_count, sizeof *ties);
    if (!ties)
        return false;
    for (uint32_t p = 0; p < c->point_count; p++)
        ties[p] = (struct tie){c->points[p].key, c->points[p].ts_ns, p};
    qsort(ties, c->point_count, sizeof *ties, by_key);
    for (uint32_t from = 0, to; from < c->point_count; from = to) {
        for (to = from + 1; to < c->point_count; to++)
            if (ties[to].key != ties[from].key)
                break;
        pair_key(b, ties + from, to - from);
    }
    mi_mem_free(ties);
    return true;
}

void mi_chrome_flows_finish(struct mi_chrome *c)
{
    struct binder b = {.c = c, .rows = &c->batch->rows};
    if (!c->point_count || mi_batch_failed(c->batch))
        return;
    if (!bind_points(&b) || !pair_points(&b))
        mi_batch_fail(c->batch, MI_ENOMEM, "out of memory for arrows");
    if (b.missed)
        mi_chrome_note(c, MI_NOTICE, "trace.arrow_off",
                       N_("ends of arrows that lie on no span or task of their lane"));
    mi_mem_free(b.bound);
}
