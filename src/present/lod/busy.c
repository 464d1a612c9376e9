#include "present/lod/busy.h"

#include "analyse/accounting/lanes.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { BANDS = MI_LANE_COMMUNICATION + 1, GAP_OF_RUN = 20, LEAST_GAP_NS = 1000 };

struct place { /* a track with tasks */
    int64_t rank, device;
    uint32_t track;
};

struct building {
    struct mi_busy *busy;
    const struct mi_account *account;
    const struct mi_tables *rows;
    const int64_t *start_ns;
    struct place *places; /* [place_count] by rank and device */
    uint32_t place_count;
    struct mi_spans kinds[BANDS]; /* of the device at hand */
    struct mi_spans track;        /* work of the track at hand */
    struct mi_spans whole;        /* all tasks of all devices */
};

static int64_t end_of(const struct building *b, uint32_t task)
{
    return mi_ns_add(b->start_ns[task], b->rows->tasks.dur_ns[task]);
}

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

static void find_extent(struct building *b)
{
    struct mi_busy *busy = b->busy;
    for (uint32_t t = 1; t < b->rows->tasks.count; t++) {
        int64_t end = end_of(b, t);
        busy->first_ns =
            t == 1 || b->start_ns[t] < busy->first_ns ? b->start_ns[t] : busy->first_ns;
        busy->end_ns = t == 1 || end > busy->end_ns ? end : busy->end_ns;
    }
    busy->step_ns = mi_ns_sub(busy->end_ns, busy->first_ns) / MI_BUSY_STEPS + 1;
}

static bool list_places(struct building *b)
{
    const struct mi_tracks *tracks = &b->rows->tracks;
    const uint32_t *first = b->account->model->index.track_first_task;
    b->places = mi_mem_new((size_t)tracks->count + 1, sizeof *b->places);
    if (!b->places)
        return false;
    for (uint32_t t = 1; t < tracks->count; t++)
        if (first[t + 1] > first[t])
            b->places[b->place_count++] = (struct place){tracks->rank[t], tracks->device[t], t};
    qsort(b->places, b->place_count, sizeof *b->places, compare_places);
    return true;
}

/* Adds how much of each step the intervals take; they are in order. */
static void add_steps(const struct mi_busy *busy, const struct mi_spans *spans, int64_t *taken)
{
    for (uint32_t i = 0; i < spans->count; i++) {
        int64_t at = mi_ns_sub(spans->list[i].start_ns, busy->first_ns);
        int64_t end = mi_ns_sub(spans->list[i].end_ns, busy->first_ns);
        while (at < end) {
            int64_t step = at / busy->step_ns, step_end = (step + 1) * busy->step_ns;
            int64_t stop = end < step_end ? end : step_end;
            if (step < 0 || step >= MI_BUSY_STEPS)
                break;
            taken[step] += stop - at;
            at = stop;
        }
    }
}

static uint8_t share_of(int64_t part_ns, int64_t step_ns)
{
    if (part_ns <= 0)
        return 0;
    double share = (double)part_ns / (double)step_ns * MI_BUSY_FULL;
    return share < 1 ? 1 : share > MI_BUSY_FULL ? MI_BUSY_FULL : (uint8_t)share;
}

static void share_track(struct building *b, uint32_t track)
{
    int64_t taken[MI_BUSY_STEPS] = {0};
    mi_spans_join(&b->track);
    add_steps(b->busy, &b->track, taken);
    for (uint32_t s = 0; s < MI_BUSY_STEPS; s++)
        b->busy->tracks[(size_t)track * MI_BUSY_STEPS + s] = share_of(taken[s], b->busy->step_ns);
}

static void add_track(struct building *b, uint32_t track)
{
    const uint32_t *first = b->account->model->index.track_first_task;
    b->track.count = 0;
    b->track.is_unsorted = false;
    for (uint32_t t = first[track]; t < first[track + 1]; t++) {
        enum mi_lane_kind kind = mi_lane_kind(b->account, t);
        int64_t start = b->start_ns[t], end = end_of(b, t);
        mi_spans_add(&b->whole, start, end);
        if (kind <= MI_LANE_COMMUNICATION)
            mi_spans_add(&b->kinds[kind], start, end);
        if (kind < MI_LANE_WORK_KINDS)
            mi_spans_add(&b->track, start, end);
    }
    share_track(b, track);
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

/* Takes the sets of the device at hand over. */
static bool add_bands(struct building *b, const struct place *place)
{
    struct mi_busy *busy = b->busy;
    for (uint8_t kind = 0; kind < BANDS; kind++) {
        struct mi_spans *spans = &b->kinds[kind];
        mi_spans_join(spans);
        if (spans->failed)
            return false;
        if (!spans->count)
            continue;
        struct mi_busy_band *band = &busy->bands[busy->band_count++];
        *band = (struct mi_busy_band){place->rank,  place->device, kind,
                                      spans->count, spans->list,   NULL};
        *spans = (struct mi_spans){0};
        if (!sum_up(band))
            return false;
    }
    return true;
}

static bool add_devices(struct building *b)
{
    for (uint32_t p = 0; p < b->place_count; p++) {
        const struct place *place = &b->places[p];
        bool is_last = p + 1 == b->place_count || place[1].rank != place->rank ||
                       place[1].device != place->device;
        add_track(b, place->track);
        if (b->track.failed || (is_last && !add_bands(b, place)))
            return false;
    }
    return true;
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

/* A gap is as long as a good part of a run. */
static int64_t least_gap(const struct building *b)
{
    const struct mi_account *account = b->account;
    int64_t runs = 0, least;
    for (uint32_t r = 0; r < account->run_count; r++)
        runs += account->runs[r].tasks > 0;
    least = mi_spans_measure(&b->whole) / (runs ? runs : 1) / GAP_OF_RUN;
    return least < LEAST_GAP_NS ? LEAST_GAP_NS : least;
}

/* The longest ones are kept. */
static bool find_gaps(struct building *b)
{
    struct mi_busy *busy = b->busy;
    const struct mi_spans *whole = &b->whole;
    mi_spans_join(&b->whole);
    busy->gaps = mi_mem_new((size_t)whole->count + 1, sizeof *busy->gaps);
    if (whole->failed || !busy->gaps)
        return false;
    busy->least_gap_ns = least_gap(b);
    for (uint32_t i = 1; i < whole->count; i++) {
        struct mi_span gap = {whole->list[i - 1].end_ns, whole->list[i].start_ns};
        if (mi_ns_sub(gap.end_ns, gap.start_ns) >= busy->least_gap_ns)
            busy->gaps[busy->gap_count++] = gap;
    }
    qsort(busy->gaps, busy->gap_count, sizeof *busy->gaps, compare_lengths);
    if (busy->gap_count > MI_BUSY_MOST_GAPS)
        busy->gap_count = MI_BUSY_MOST_GAPS;
    qsort(busy->gaps, busy->gap_count, sizeof *busy->gaps, compare_starts);
    struct mi_span *fitting =
        mi_mem_resize(busy->gaps, (size_t)busy->gap_count + 1, sizeof *busy->gaps);
    busy->gaps = fitting ? fitting : busy->gaps;
    return true;
}

/* --- all of it --- */

bool mi_busy_init(struct mi_busy *busy, const struct mi_account *account, const int64_t *start_ns,
                  struct mi_error *err)
{
    struct building b = {
        .busy = busy, .account = account, .rows = &account->model->all.rows, .start_ns = start_ns};
    uint32_t tracks = b.rows->tracks.count;
    *busy = (struct mi_busy){.track_count = tracks};
    busy->bands = mi_mem_new((size_t)tracks * BANDS + 1, sizeof *busy->bands);
    busy->tracks = mi_mem_zero((size_t)tracks + 1, MI_BUSY_STEPS);
    find_extent(&b);
    bool ok = busy->bands && busy->tracks && list_places(&b) && add_devices(&b) && find_gaps(&b);
    mi_mem_free(b.places);
    for (int kind = 0; kind < BANDS; kind++)
        mi_spans_fini(&b.kinds[kind]);
    mi_spans_fini(&b.track);
    mi_spans_fini(&b.whole);
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
