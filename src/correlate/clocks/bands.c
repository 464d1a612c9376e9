/* What a group goes by, and how far off each of its lines may be. */
#include "base/mem.h"
#include "correlate/clocks/parts.h"

#include <math.h>
#include <stdlib.h>

#define SLOPE_LEFT    2e-4   /* the speed of a fitted clock may be off by */
#define LEAST_DELAY   500.0  /* ns: a wait that blocked may end this far behind its record */
#define SAME_CLOCK_NS 2000.0 /* clocks that show the same time within this agree */

enum { KNOTS = 3 };

struct spread { /* of one tie: how far off its difference may be, at some moments */
    double low[KNOTS], high[KNOTS];
};

struct bands {
    struct mi_calibration *c;
    const uint32_t *units, *ties; /* of the group; ties are numbered from 1 */
    uint32_t unit_count, tie_count;
    double first, last;     /* the moments of the first and last knot */
    struct spread *spreads; /* [tie_count] */
};

static int compare_values(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* --- the reference --- */

struct candidate {
    double offset;
    uint32_t unit, agreeing;
    bool is_sure; /* not by a single wait: nothing that rests on one has a known uncertainty */
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (a->unit > b->unit) - (a->unit < b->unit);
}

static bool is_better(const struct mi_calibration *c, const struct candidate *a,
                      const struct candidate *b)
{
    if (a->agreeing != b->agreeing)
        return a->agreeing > b->agreeing;
    if (a->is_sure != b->is_sure)
        return a->is_sure;
    if (c->units[a->unit].tasks != c->units[b->unit].tasks)
        return c->units[a->unit].tasks > c->units[b->unit].tasks;
    return a->unit < b->unit;
}

static uint32_t find_host(const struct bands *b)
{
    for (uint32_t i = 0; i < b->unit_count; i++)
        if (b->c->units[b->units[i]].is_host)
            return b->units[i];
    return 0;
}

/* The host; else the clock with which most others agree, then the one with most tasks of those that
 * more than a single wait ties. 0: out of memory. */
static uint32_t find_reference(const struct bands *b)
{
    if (find_host(b))
        return find_host(b);
    struct candidate *list = mi_mem_new(b->unit_count, sizeof *list);
    double near = SAME_CLOCK_NS + 2 * b->c->noise_ns;
    if (!list)
        return 0;
    for (uint32_t i = 0; i < b->unit_count; i++)
        list[i] = (struct candidate){
            .offset = b->c->units[b->units[i]].line.offset,
            .unit = b->units[i],
            .is_sure = mi_tie_strongest(b->c, b->units[i]) >= MI_TIE_BAND,
        };
    qsort(list, b->unit_count, sizeof *list, compare_candidates);
    uint32_t from = 0, to = 0, best = 0;
    for (uint32_t i = 0; i < b->unit_count; i++) {
        while (list[from].offset < list[i].offset - near)
            from++;
        while (to < b->unit_count && list[to].offset <= list[i].offset + near)
            to++;
        list[i].agreeing = to - from;
        if (is_better(b->c, &list[i], &list[best]))
            best = i;
    }
    uint32_t unit = list[best].unit;
    mi_mem_free(list);
    return unit;
}

/* --- how far off --- */

static void find_span(struct bands *b)
{
    b->first = INFINITY;
    b->last = -INFINITY;
    for (uint32_t i = 0; i < b->tie_count; i++) {
        const struct mi_tie *tie = &b->c->ties[b->ties[i] - 1];
        for (uint32_t k = 0; k < tie->count; k++) {
            double t;
            mi_point_gap(b->c, tie, &b->c->points[tie->first + k], &t);
            b->first = fmin(b->first, t);
            b->last = fmax(b->last, t);
        }
    }
}

/* What nearly all waits that blocked did not exceed, and by how much effects seem early. */
static struct mi_slack find_slack(const struct bands *b)
{
    struct mi_calibration *c = b->c;
    uint32_t count = 0;
    double earliest = 0;
    for (uint32_t i = 0; i < b->tie_count; i++) {
        const struct mi_tie *tie = &c->ties[b->ties[i] - 1];
        uint32_t step = tie->count / (MI_SAMPLE_MAX / b->tie_count + 1) + 1;
        for (uint32_t k = 0; k < tie->count; k++) {
            const struct mi_point *point = &c->points[tie->first + k];
            double t, gap = mi_point_gap(c, tie, point, &t);
            gap = point->flags & MI_POINT_FORWARD ? gap : -gap;
            if (point->flags & MI_POINT_REJECTED)
                continue;
            earliest = fmin(earliest, gap);
            if ((point->flags & MI_POINT_BLOCKED) && k % step == 0 && count < MI_SAMPLE_MAX)
                c->sample[count++] = gap;
        }
    }
    if (count)
        qsort(c->sample, count, sizeof *c->sample, compare_values);
    double longest = count ? c->sample[count - 1 - count / 50] : 0;
    return (struct mi_slack){.max_slope = SLOPE_LEFT,
                             .noise_ns = -earliest,
                             .delay_ns = fmin(fmax(1.2 * longest, LEAST_DELAY),
                                              c->delay_ns + LEAST_DELAY + 6 * c->noise_ns)};
}

static void spread_ties(struct bands *b)
{
    struct mi_slack slack = find_slack(b);
    for (uint32_t i = 0; i < b->tie_count; i++) {
        struct mi_tie *tie = &b->c->ties[b->ties[i] - 1];
        struct mi_band band;
        tie->place = i;
        mi_tie_band(b->c, tie, &band, &slack);
        for (int k = 0; k < KNOTS; k++) {
            double t = b->first + (b->last - b->first) * k / (KNOTS - 1);
            mi_band_at(&band, t, &b->spreads[i].low[k], &b->spreads[i].high[k]);
        }
        tie->width = b->spreads[i].high[1] - b->spreads[i].low[1];
    }
}

/* Between two knots the true bounds are no further apart than a straight line. */
static void spread_at(const struct bands *b, uint32_t tie, double t, double *low, double *high)
{
    const struct spread *s = &b->spreads[b->c->ties[tie].place];
    double at = fmin(fmax(t, b->first), b->last), length = b->last - b->first;
    double place = length > 0 ? (at - b->first) / length * (KNOTS - 1) : 0;
    int k = place >= KNOTS - 1 ? KNOTS - 2 : (int)place;
    double part = place - k, beyond = SLOPE_LEFT * fabs(t - at);
    *low = s->low[k] + part * (s->low[k + 1] - s->low[k]) - beyond;
    *high = s->high[k] + part * (s->high[k + 1] - s->high[k]) + beyond;
}

/* The way to the reference over the narrowest ties. */
static bool find_ways(struct bands *b, uint32_t reference)
{
    struct mi_calibration *c = b->c;
    double *far = mi_mem_new(c->unit_count, sizeof *far);
    uint8_t *is_done = mi_mem_zero(c->unit_count, 1);
    bool ok = far && is_done;
    for (uint32_t i = 0; ok && i < b->unit_count; i++) {
        far[b->units[i]] = b->units[i] == reference ? 0 : INFINITY;
        c->units[b->units[i]].via = 0;
    }
    for (uint32_t round = 0; ok && round < b->unit_count; round++) {
        uint32_t next = 0;
        for (uint32_t i = 0; i < b->unit_count; i++)
            if (!is_done[b->units[i]] && (!next || far[b->units[i]] < far[next]))
                next = b->units[i];
        is_done[next] = 1;
        for (uint32_t e = c->unit_ties.first[next]; e < c->unit_ties.first[next + 1]; e++) {
            uint32_t t = (c->unit_ties.list[e] - 1) / 2;
            const struct mi_tie *tie = &c->ties[t];
            uint32_t other = tie->low == next ? tie->high : tie->low;
            if (tie->strength == MI_TIE_NONE || is_done[other] ||
                !(far[next] + tie->width < far[other]))
                continue;
            far[other] = far[next] + tie->width;
            c->units[other].via = t + 1;
        }
    }
    mi_mem_free(far);
    mi_mem_free(is_done);
    return ok;
}

static void bound(struct bands *b, uint32_t unit)
{
    struct mi_calibration *c = b->c;
    struct mi_unit *own = &c->units[unit];
    double low = 0, high = 0;
    for (uint32_t at = unit; c->units[at].via;) {
        const struct mi_tie *tie = &c->ties[c->units[at].via - 1];
        double least, most;
        own->is_unsure |= tie->strength == MI_TIE_ONE;
        spread_at(b, c->units[at].via - 1, mi_line_apply(&own->line, own->line.at), &least, &most);
        low += at == tie->high ? least : -most;
        high += at == tie->high ? most : -least;
        at = at == tie->high ? tie->low : tie->high;
    }
    own->low = fmin(low, 0);
    own->high = fmax(high, 0);
}

/* What a group goes by is as good as its best tie. */
static void bound_reference(struct bands *b, uint32_t reference)
{
    struct mi_unit *unit = &b->c->units[reference];
    double best = INFINITY;
    bool is_sure = false;
    for (uint32_t i = 0; i < b->tie_count; i++) {
        const struct mi_tie *tie = &b->c->ties[b->ties[i] - 1];
        double low, high;
        if (tie->strength == MI_TIE_NONE || (tie->low != reference && tie->high != reference))
            continue;
        spread_at(b, b->ties[i] - 1, mi_line_apply(&unit->line, unit->line.at), &low, &high);
        best = fmin(best, fmax(-low, high));
        is_sure |= tie->strength != MI_TIE_ONE;
    }
    unit->is_unsure = !is_sure && !unit->is_host;
    unit->low = unit->is_host ? 0 : -best;
    unit->high = unit->is_host ? 0 : best;
}

static bool find(struct bands *b)
{
    struct mi_calibration *c = b->c;
    uint32_t reference = find_reference(b);
    if (!reference)
        return false;
    struct mi_line by = c->units[reference].line;
    if (!c->units[reference].is_host) /* whose speed is right is not known: all share the drift */
        by.drift = 0;
    for (uint32_t i = 0; i < b->unit_count; i++) {
        struct mi_line *line = &c->units[b->units[i]].line;
        line->offset -= by.offset + by.drift * (line->at - by.at);
        line->drift -= by.drift;
    }
    c->units[reference].is_reference = true;
    find_span(b);
    spread_ties(b);
    if (!find_ways(b, reference))
        return false;
    for (uint32_t i = 0; i < b->unit_count; i++)
        bound(b, b->units[i]);
    bound_reference(b, reference);
    return true;
}

bool mi_bands_find(struct mi_calibration *c, uint32_t group)
{
    struct bands b = {.c = c,
                      .units = &c->group_units.list[c->group_units.first[group]],
                      .ties = &c->group_ties.list[c->group_ties.first[group]],
                      .unit_count = mi_csr_count(&c->group_units, group),
                      .tie_count = mi_csr_count(&c->group_ties, group)};
    b.spreads = mi_mem_zero((size_t)b.tie_count + 1, sizeof *b.spreads);
    bool ok = b.spreads && find(&b);
    mi_mem_free(b.spreads);
    return ok;
}
