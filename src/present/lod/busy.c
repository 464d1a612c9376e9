/* All of it in one walk over the tasks of all tracks, in the order of their starts: so every set of
 * moments grows at its end only, and nothing has to be sorted. */
#include "present/lod/busy.h"

#include "analyse/accounting/lanes.h"
#include "base/mem.h"

#include <stdlib.h>

enum { BANDS = MI_LANE_COMMUNICATION + 1, GAP_OF_RUN = 20, LEAST_GAP_NS = 1000 };

struct place { /* a track with tasks */
    int64_t rank, device;
    uint32_t track;
    uint32_t unit;    /* its device: place among them */
    uint32_t at, end; /* tasks still to come */
    int64_t until_ns; /* its work is told up to here */
    uint32_t step;    /* of the overview, at hand ... */
    int64_t taken_ns; /* ... and how much of it is taken */
};

struct unit { /* a device of a rank */
    int64_t rank, device;
    struct mi_spans kinds[BANDS];
};

struct building {
    struct mi_busy *busy;
    const struct mi_account *account;
    const struct mi_tables *rows;
    const int64_t *start_ns;
    struct place *places; /* [place_count] by rank and device */
    struct unit *units;   /* [unit_count] */
    uint32_t *heap;       /* [heap_count] places, that whose task starts first on top */
    uint32_t place_count, unit_count, heap_count, gap_room;
    int64_t until_ns, whole_ns; /* tasks seen so far: their last end, how long any ran */
    bool failed;                /* sticky: out of memory */
};

/* --- tracks --- */

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int by = compare(a->rank, b->rank);
    by = by ? by : compare(a->device, b->device);
    return by ? by : compare(a->track, b->track);
}

static int64_t end_of(const struct building *b, uint32_t task)
{
    return mi_ns_add(b->start_ns[task], b->rows->tasks.dur_ns[task]);
}

static void find_extent(struct building *b)
{
    struct mi_busy *busy = b->busy;
    for (uint32_t t = 1; t < b->rows->tasks.count; t++) {
        int64_t start = b->start_ns[t], end = end_of(b, t);
        busy->first_ns = t == 1 || start < busy->first_ns ? start : busy->first_ns;
        busy->end_ns = t == 1 || end > busy->end_ns ? end : busy->end_ns;
    }
    busy->step_ns = mi_ns_sub(busy->end_ns, busy->first_ns) / MI_BUSY_STEPS + 1;
    b->until_ns = busy->first_ns;
}

static bool list_places(struct building *b)
{
    const struct mi_tracks *tracks = &b->rows->tracks;
    const uint32_t *first = b->account->model->index.track_first_task;
    b->places = mi_mem_new((size_t)tracks->count + 1, sizeof *b->places);
    b->units = mi_mem_zero((size_t)tracks->count + 1, sizeof *b->units);
    b->heap = mi_mem_new((size_t)tracks->count + 1, sizeof *b->heap);
    if (!b->places || !b->units || !b->heap)
        return false;
    for (uint32_t t = 1; t < tracks->count; t++)
        if (first[t + 1] > first[t])
            b->places[b->place_count++] = (struct place){.rank = tracks->rank[t],
                                                         .device = tracks->device[t],
                                                         .track = t,
                                                         .at = first[t],
                                                         .end = first[t + 1],
                                                         .until_ns = b->busy->first_ns};
    qsort(b->places, b->place_count, sizeof *b->places, compare_places);
    for (uint32_t p = 0; p < b->place_count; p++) {
        struct place *place = &b->places[p];
        if (!p || place[-1].rank != place->rank || place[-1].device != place->device)
            b->units[b->unit_count++] = (struct unit){.rank = place->rank, .device = place->device};
        place->unit = b->unit_count - 1;
    }
    return true;
}

/* --- tasks of all tracks by their starts --- */

static bool is_earlier(const struct building *b, uint32_t left, uint32_t right)
{
    int64_t l = b->start_ns[b->places[left].at], r = b->start_ns[b->places[right].at];
    return l != r ? l < r : left < right;
}

static void sink_down(struct building *b, uint32_t at)
{
    uint32_t moving = b->heap[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < b->heap_count && is_earlier(b, b->heap[child + 1], b->heap[child]))
            child++;
        if (child >= b->heap_count || !is_earlier(b, b->heap[child], moving))
            break;
        b->heap[at] = b->heap[child];
        at = child;
    }
    b->heap[at] = moving;
}

static void make_heap(struct building *b)
{
    for (uint32_t p = 0; p < b->place_count; p++)
        b->heap[p] = p;
    b->heap_count = b->place_count;
    for (uint32_t at = b->heap_count / 2; at-- > 0;)
        sink_down(b, at);
}

/* --- how busy a track was --- */

static uint8_t share_of(int64_t part_ns, int64_t step_ns)
{
    if (part_ns <= 0)
        return 0;
    double share = (double)part_ns / (double)step_ns * MI_BUSY_FULL;
    return share < 1 ? 1 : share > MI_BUSY_FULL ? MI_BUSY_FULL : (uint8_t)share;
}

static void tell_step(struct building *b, const struct place *place)
{
    struct mi_busy *busy = b->busy;
    busy->tracks[(size_t)place->track * MI_BUSY_STEPS + place->step] =
        share_of(place->taken_ns, busy->step_ns);
}

/* Adds what is new of a task to the steps it lies in. */
static void add_share(struct building *b, struct place *place, int64_t start_ns, int64_t end_ns)
{
    const struct mi_busy *busy = b->busy;
    int64_t from = start_ns > place->until_ns ? start_ns : place->until_ns;
    int64_t at = mi_ns_sub(from, busy->first_ns), end = mi_ns_sub(end_ns, busy->first_ns);
    while (at < end) {
        uint32_t step = (uint32_t)(at / busy->step_ns);
        int64_t step_end = mi_ns_add((int64_t)step * busy->step_ns, busy->step_ns);
        int64_t stop = end < step_end ? end : step_end;
        if (step >= MI_BUSY_STEPS)
            break;
        if (step != place->step) {
            tell_step(b, place);
            place->step = step;
            place->taken_ns = 0;
        }
        place->taken_ns += stop - at;
        at = stop;
    }
    if (end_ns > place->until_ns)
        place->until_ns = end_ns;
}

/* --- gaps --- */

static int compare_lengths(const void *left, const void *right)
{
    const struct mi_span *a = left, *b = right;
    int by = compare(mi_ns_sub(b->end_ns, b->start_ns), mi_ns_sub(a->end_ns, a->start_ns));
    return by ? by : compare(a->start_ns, b->start_ns);
}

static int compare_starts(const void *left, const void *right)
{
    const struct mi_span *a = left, *b = right;
    return compare(a->start_ns, b->start_ns);
}

/* Keeps up to twice as many as are wanted; then the shorter half goes. */
static void add_gap(struct building *b, int64_t start_ns, int64_t end_ns)
{
    struct mi_busy *busy = b->busy;
    if (mi_ns_sub(end_ns, start_ns) < LEAST_GAP_NS)
        return;
    if (busy->gap_count == b->gap_room) {
        if (b->gap_room >= 2 * MI_BUSY_MOST_GAPS) {
            qsort(busy->gaps, busy->gap_count, sizeof *busy->gaps, compare_lengths);
            busy->gap_count = MI_BUSY_MOST_GAPS;
        } else {
            uint32_t room = b->gap_room ? b->gap_room * 2 : 64;
            struct mi_span *grown = mi_mem_resize(busy->gaps, room, sizeof *grown);
            b->failed = b->failed || !grown;
            if (!grown)
                return;
            busy->gaps = grown;
            b->gap_room = room;
        }
    }
    busy->gaps[busy->gap_count++] = (struct mi_span){start_ns, end_ns};
}

/* A gap is as long as a good part of a run. */
static int64_t least_gap(const struct building *b)
{
    const struct mi_account *account = b->account;
    int64_t runs = 0, least;
    for (uint32_t r = 0; r < account->run_count; r++)
        runs += account->runs[r].tasks > 0;
    least = b->whole_ns / (runs ? runs : 1) / GAP_OF_RUN;
    return least < LEAST_GAP_NS ? LEAST_GAP_NS : least;
}

static void choose_gaps(struct building *b)
{
    struct mi_busy *busy = b->busy;
    busy->least_gap_ns = least_gap(b);
    if (busy->gap_count) /* qsort(NULL) is not defined */
        qsort(busy->gaps, busy->gap_count, sizeof *busy->gaps, compare_lengths);
    uint32_t kept = 0;
    while (kept < busy->gap_count && kept < MI_BUSY_MOST_GAPS &&
           mi_ns_sub(busy->gaps[kept].end_ns, busy->gaps[kept].start_ns) >= busy->least_gap_ns)
        kept++;
    busy->gap_count = kept;
    if (kept)
        qsort(busy->gaps, kept, sizeof *busy->gaps, compare_starts);
}

/* --- the walk --- */

static void take_task(struct building *b, struct place *place, uint32_t task)
{
    enum mi_lane_kind kind = mi_lane_kind(b->account, task);
    int64_t start = b->start_ns[task], end = end_of(b, task);
    if (start > b->until_ns)
        add_gap(b, b->until_ns, start);
    if (end > b->until_ns) {
        int64_t from = start > b->until_ns ? start : b->until_ns;
        b->whole_ns = mi_ns_add(b->whole_ns, mi_ns_sub(end, from));
        b->until_ns = end;
    }
    if (kind <= MI_LANE_COMMUNICATION)
        mi_spans_add(&b->units[place->unit].kinds[kind], start, end);
    if (kind < MI_LANE_WORK_KINDS)
        add_share(b, place, start, end);
}

static void walk(struct building *b)
{
    make_heap(b);
    while (b->heap_count) {
        struct place *place = &b->places[b->heap[0]];
        take_task(b, place, place->at);
        if (++place->at == place->end) {
            tell_step(b, place);
            b->heap[0] = b->heap[--b->heap_count];
        }
        if (b->heap_count)
            sink_down(b, 0);
    }
}

/* --- bands --- */

static bool sum_up(struct mi_busy_band *band)
{
    band->before_ns = mi_mem_new((size_t)band->count + 1, sizeof *band->before_ns);
    if (!band->before_ns)
        return false;
    band->before_ns[0] = 0;
    for (uint32_t i = 0; i < band->count; i++)
        band->before_ns[i + 1] = mi_ns_add(
            band->before_ns[i], mi_ns_sub(band->spans[i].end_ns, band->spans[i].start_ns));
    return true;
}

/* Takes the sets of a device over. */
static bool add_bands(struct building *b, struct unit *unit)
{
    struct mi_busy *busy = b->busy;
    for (uint8_t kind = 0; kind < BANDS; kind++) {
        struct mi_spans *spans = &unit->kinds[kind];
        mi_spans_join(spans); /* nothing to do unless exported times are out of order */
        if (spans->failed)
            return false;
        if (!spans->count)
            continue;
        struct mi_busy_band *band = &busy->bands[busy->band_count++];
        *band = (struct mi_busy_band){.rank = unit->rank,
                                      .device = unit->device,
                                      .kind = kind,
                                      .count = spans->count,
                                      .spans = spans->list};
        *spans = (struct mi_spans){0};
        if (!sum_up(band))
            return false;
    }
    return true;
}

static bool build(struct building *b)
{
    struct mi_busy *busy = b->busy;
    uint32_t tracks = busy->track_count;
    busy->bands = mi_mem_new((size_t)tracks * BANDS + 1, sizeof *busy->bands);
    busy->tracks = mi_mem_zero((size_t)tracks + 1, MI_BUSY_STEPS);
    find_extent(b);
    if (!busy->bands || !busy->tracks || !list_places(b))
        return false;
    walk(b);
    choose_gaps(b);
    for (uint32_t u = 0; u < b->unit_count; u++)
        if (!add_bands(b, &b->units[u]))
            return false;
    return !b->failed;
}

bool mi_busy_init(struct mi_busy *busy, const struct mi_account *account, const int64_t *start_ns,
                  struct mi_error *err)
{
    struct building b = {
        .busy = busy, .account = account, .rows = &account->model->all.rows, .start_ns = start_ns};
    *busy = (struct mi_busy){.track_count = b.rows->tracks.count};
    bool ok = build(&b);
    for (uint32_t u = 0; u < b.unit_count; u++)
        for (int kind = 0; kind < BANDS; kind++)
            mi_spans_fini(&b.units[u].kinds[kind]);
    mi_mem_free(b.places);
    mi_mem_free(b.units);
    mi_mem_free(b.heap);
    if (ok)
        return true;
    mi_busy_fini(busy);
    return mi_fail(err, MI_ENOMEM, "out of memory for the timeline");
}

void mi_busy_fini(struct mi_busy *busy)
{
    for (uint32_t i = 0; i < busy->band_count; i++) {
        mi_mem_free(busy->bands[i].spans);
        mi_mem_free(busy->bands[i].before_ns);
    }
    mi_mem_free(busy->bands);
    mi_mem_free(busy->tracks);
    mi_mem_free(busy->gaps);
    *busy = (struct mi_busy){0};
}

/* How long the band was busy before `ns`. */
static int64_t busy_before(const struct mi_busy_band *band, int64_t ns)
{
    uint32_t low = 0, high = band->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (band->spans[middle].start_ns < ns)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    const struct mi_span *last = &band->spans[low - 1];
    int64_t end = ns < last->end_ns ? ns : last->end_ns;
    return mi_ns_add(band->before_ns[low - 1], mi_ns_sub(end, last->start_ns));
}

void mi_busy_query(const struct mi_busy_band *band, int64_t from_ns, int64_t step_ns,
                   uint32_t steps, uint8_t *out)
{
    int64_t before = busy_before(band, from_ns), at = from_ns;
    for (uint32_t s = 0; s < steps; s++) {
        at = mi_ns_add(at, step_ns);
        int64_t now = busy_before(band, at);
        out[s] = share_of(mi_ns_sub(now, before), step_ns);
        before = now;
    }
}
