/* All lines of a group at once: least squares over the waits that blocked, then as little as needed
 * for every effect to follow its cause. */
#include "base/mem.h"
#include "correlate/clocks/parts.h"
#include "correlate/clocks/solve.h"

#include <math.h>
#include <stdlib.h>

#define USUAL_SLOPE   5e-5  /* of the clocks of one machine, as a standard deviation */
#define USUAL_DELAY   200.0 /* ns from a record to the end of its wait: 60 .. 460 have been seen */
#define DELAY_SCATTER 200.0
#define LEAST_DELAY   60.0
#define LEAST_NOISE   40.0
#define MARGIN_NS     10.0   /* effects are put this far behind their causes */
#define REJECT_NS     5000.0 /* contradictions beyond this and the noise are wrong pairs */
#define MAX_DRIFT     1e-3

enum { FIRST_ROUNDS = 5, ROUNDS = 10, PUSHES = 40 };

struct joint {
    struct mi_calibration *c;
    const uint32_t *units, *ties; /* of the group; ties are numbered from 1 */
    uint32_t unit_count, tie_count;
    struct mi_sums *sums;   /* [tie_count] of the waits that blocked */
    struct mi_sums *pushed; /* [tie_count] the same, and what must not be crossed */
    double *x, *towards;
    double misfit_ns;    /* of waits that blocked, from the lines at hand */
    double middle, half; /* time is (t - middle) / half for the solver */
    struct mi_place *hulls;
    uint32_t hull_room, hull_count;
    struct edge {
        uint32_t first, above, below; /* places in `hulls` */
    } * edges;                        /* [tie_count] */
};

static struct mi_tie *tie_at(const struct joint *j, uint32_t i)
{
    return &j->c->ties[j->ties[i] - 1];
}

static void find_span(struct joint *j)
{
    double first = INFINITY, last = -INFINITY;
    for (uint32_t i = 0; i < j->tie_count; i++) {
        const struct mi_tie *tie = tie_at(j, i);
        for (uint32_t k = 0; k < tie->count; k++) {
            double t;
            mi_point_gap(j->c, tie, &j->c->points[tie->first + k], &t);
            first = fmin(first, t);
            last = fmax(last, t);
        }
    }
    j->middle = first + (last - first) / 2;
    j->half = fmax((last - first) / 2, 1000);
}

/* --- waits that blocked --- */

/* How long the wait ended behind its record, less what is usual. */
static double misfit(const struct joint *j, const struct mi_tie *tie, const struct mi_point *point,
                     double *t)
{
    double gap = mi_point_gap(j->c, tie, point, t);
    return (point->flags & MI_POINT_FORWARD ? gap : -gap) - j->c->delay_ns;
}

static int compare_values(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

static double least_noise(const struct mi_calibration *c)
{
    return fmax(c->scatter_ns, LEAST_NOISE);
}

/* At first lines are off, and what they leave is no noise: it would let none of them turn. */
static void measure_noise(struct joint *j, bool is_first)
{
    struct mi_calibration *c = j->c;
    uint64_t total = 0, seen = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < j->tie_count; i++)
        total += tie_at(j, i)->blocked;
    uint64_t step = total / MI_SAMPLE_MAX + 1;
    for (uint32_t i = 0; i < j->tie_count; i++) {
        const struct mi_tie *tie = tie_at(j, i);
        for (uint32_t k = 0; k < tie->count; k++) {
            const struct mi_point *point = &c->points[tie->first + k];
            double t;
            if ((point->flags & MI_POINT_BLOCKED) && seen++ % step == 0)
                c->sample[count++] = fabs(misfit(j, tie, point, &t));
        }
    }
    if (count)
        qsort(c->sample, count, sizeof *c->sample, compare_values);
    j->misfit_ns = fmax(count ? 1.4826 * c->sample[count / 2] : 0, least_noise(c));
    c->noise_ns = is_first ? least_noise(c) : j->misfit_ns;
}

static double scaled(const struct joint *j, double t)
{
    return (t - j->middle) / j->half;
}

/* Biweight: what is far off counts nothing. */
static double weight_of(const struct joint *j, double off)
{
    double cut = fmax(6 * j->misfit_ns, 300), part = off / cut;
    double keep = 1 - part * part;
    return keep > 0 ? keep * keep / (j->c->noise_ns * j->c->noise_ns) : 0;
}

/* Without waits that blocked the middle of the band is all there is: at its first moment, and at
 * its last. */
static void add_middle(struct joint *j, const struct mi_tie *tie, struct mi_sums *sums)
{
    struct mi_band band;
    double low, high, first = INFINITY, last = -INFINITY;
    mi_tie_band(j->c, tie, &band, &(struct mi_slack){.max_slope = 2 * USUAL_SLOPE});
    for (uint32_t i = 0; i < band.above_count; i++) {
        first = fmin(first, band.above[i].t);
        last = fmax(last, band.above[i].t);
    }
    for (int end = 0; end < 2; end++) {
        double t = end ? last : first;
        mi_band_at(&band, t, &low, &high);
        double scatter = fmax((high - low) / 4, j->c->noise_ns);
        mi_sums_add(sums, 0.5 / (scatter * scatter), scaled(j, t), 0, low + (high - low) / 2);
    }
}

static void sum_up(struct joint *j)
{
    for (uint32_t i = 0; i < j->tie_count; i++) {
        const struct mi_tie *tie = tie_at(j, i);
        struct mi_sums *sums = &j->sums[i];
        *sums =
            (struct mi_sums){.low = j->c->place_of[tie->low], .high = j->c->place_of[tie->high]};
        for (uint32_t k = 0; k < tie->count; k++) {
            const struct mi_point *point = &j->c->points[tie->first + k];
            double t, off = misfit(j, tie, point, &t), weight = weight_of(j, off);
            bool forward = point->flags & MI_POINT_FORWARD;
            if ((point->flags & MI_POINT_BLOCKED) && weight > 0)
                mi_sums_add(sums, weight, scaled(j, t), forward ? 1 : -1, forward ? off : -off);
        }
        if (tie->strength == MI_TIE_BAND || tie->strength == MI_TIE_LOOSE)
            add_middle(j, tie, sums);
    }
}

static bool solve(struct joint *j, const struct mi_sums *sums)
{
    double slope = USUAL_SLOPE * j->half;
    for (uint32_t u = 0; u < j->unit_count; u++)
        j->towards[u] = -j->c->units[j->units[u]].line.drift * j->half;
    return mi_solve(&(struct mi_system){.pairs = sums,
                                        .pair_count = j->tie_count,
                                        .clock_count = j->unit_count,
                                        .slope_weight = 1 / (slope * slope),
                                        .slope_towards = j->towards,
                                        .delay_weight = 1 / (DELAY_SCATTER * DELAY_SCATTER),
                                        .delay_towards = USUAL_DELAY - j->c->delay_ns},
                    j->x);
}

/* Puts what was found on top of the lines. */
static void compose(struct joint *j)
{
    for (uint32_t u = 0; u < j->unit_count; u++) {
        struct mi_line *line = &j->c->units[j->units[u]].line;
        double offset = j->x[u], drift = j->x[j->unit_count + u] / j->half;
        line->offset += offset + drift * (line->at - line->offset - j->middle);
        line->drift += drift * (1 - line->drift);
        line->drift = fmin(fmax(line->drift, -MAX_DRIFT), MAX_DRIFT);
    }
    j->c->delay_ns += j->x[2 * j->unit_count];
}

/* --- what must not be crossed --- */

static void reject(struct joint *j)
{
    double limit = -(REJECT_NS + 6 * j->c->noise_ns);
    for (uint32_t i = 0; i < j->tie_count; i++) {
        const struct mi_tie *tie = tie_at(j, i);
        for (uint32_t k = 0; k < tie->count; k++) {
            struct mi_point *point = &j->c->points[tie->first + k];
            double t, gap = misfit(j, tie, point, &t) + j->c->delay_ns;
            point->flags |= gap < limit ? MI_POINT_REJECTED : 0;
        }
    }
}

static bool keep_hulls(struct joint *j)
{
    for (uint32_t i = 0; i < j->tie_count; i++) {
        struct mi_band band;
        mi_tie_band(j->c, tie_at(j, i), &band, &(struct mi_slack){.is_shown = true});
        j->edges[i] = (struct edge){j->hull_count, band.above_count, band.below_count};
        for (uint32_t k = 0; k < band.above_count + band.below_count; k++) {
            if (!mi_vec_room(&j->hulls, &j->hull_room, j->hull_count, sizeof *j->hulls))
                return false;
            j->hulls[j->hull_count++] =
                k < band.above_count ? band.above[k] : band.below[k - band.above_count];
        }
    }
    return true;
}

/* Adds an observation for each bound that the solution at hand crosses; returns the worst. */
static double push(struct joint *j, double margin)
{
    double worst = 0, heavy = 0;
    for (uint32_t i = 0; i < j->tie_count; i++)
        heavy = fmax(heavy, j->sums[i].w);
    heavy = 100 * heavy + 1e-2;
    for (uint32_t i = 0; i < j->tie_count; i++) {
        const struct edge *edge = &j->edges[i];
        struct mi_sums *sums = &j->pushed[i];
        *sums = j->sums[i];
        for (uint32_t k = 0; k < edge->above + edge->below; k++) {
            const struct mi_place *place = &j->hulls[edge->first + k];
            double t = scaled(j, place->t), sign = k < edge->above ? 1 : -1;
            double at = j->x[sums->high] - j->x[sums->low] +
                        t * (j->x[j->unit_count + sums->high] - j->x[j->unit_count + sums->low]);
            double left = place->y - sign * at; /* how far the effect is behind its cause */
            if (left < margin)
                mi_sums_add(sums, heavy, t, 0, sign * (place->y - margin));
            worst = fmin(worst, left - margin);
        }
    }
    return worst;
}

static bool keep_order(struct joint *j)
{
    /* scatter alone makes some effects seem early: they are no proof */
    double margin = MARGIN_NS - fmax(0, 3 * j->c->scatter_ns - LEAST_DELAY);
    for (int i = 0; i < PUSHES; i++)
        if (push(j, margin) > -MARGIN_NS / 2)
            return true;
        else if (!solve(j, j->pushed))
            return false;
    return true;
}

/* --- the step --- */

static bool refine(struct joint *j)
{
    find_span(j);
    for (int i = 0; i < ROUNDS; i++) {
        measure_noise(j, i < FIRST_ROUNDS);
        sum_up(j);
        if (!solve(j, j->sums))
            return false;
        compose(j);
    }
    measure_noise(j, false);
    reject(j);
    sum_up(j);
    if (!keep_hulls(j) || !solve(j, j->sums) || !keep_order(j))
        return false;
    compose(j);
    return true;
}

bool mi_joint_refine(struct mi_calibration *c, uint32_t group)
{
    struct joint j = {.c = c,
                      .units = &c->group_units.list[c->group_units.first[group]],
                      .ties = &c->group_ties.list[c->group_ties.first[group]],
                      .unit_count = mi_csr_count(&c->group_units, group),
                      .tie_count = mi_csr_count(&c->group_ties, group)};
    j.sums = mi_mem_zero((size_t)j.tie_count + 1, sizeof *j.sums);
    j.pushed = mi_mem_zero((size_t)j.tie_count + 1, sizeof *j.pushed);
    j.edges = mi_mem_zero((size_t)j.tie_count + 1, sizeof *j.edges);
    j.x = mi_mem_zero(2 * (size_t)j.unit_count + 1, sizeof *j.x);
    j.towards = mi_mem_zero((size_t)j.unit_count + 1, sizeof *j.towards);
    c->delay_ns = USUAL_DELAY;
    bool ok = j.sums && j.pushed && j.edges && j.x && j.towards;
    for (uint32_t u = 0; ok && u < j.unit_count; u++)
        c->place_of[j.units[u]] = u;
    ok = ok && refine(&j);
    mi_mem_free(j.sums);
    mi_mem_free(j.pushed);
    mi_mem_free(j.edges);
    mi_mem_free(j.x);
    mi_mem_free(j.towards);
    mi_mem_free(j.hulls);
    return ok;
}
