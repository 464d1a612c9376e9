#include "correlate/clocks/band.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 64 }; /* of a search for a slope: beyond the precision of a double */

static int compare_places(const void *left, const void *right)
{
    const struct mi_place *a = left, *b = right;
    if (a->t != b->t)
        return a->t < b->t ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y);
}

static bool is_sorted(const struct mi_place *points, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (compare_places(&points[i - 1], &points[i]) > 0)
            return false;
    return true;
}

/* Whether b lies on or above the line from a to c. */
static bool is_above(const struct mi_place *a, const struct mi_place *b, const struct mi_place *c)
{
    return (b->y - a->y) * (c->t - a->t) >= (c->y - a->y) * (b->t - a->t);
}

uint32_t mi_hull_of(struct mi_place *points, uint32_t count)
{
    uint32_t kept = 0;
    if (!is_sorted(points, count))
        qsort(points, count, sizeof *points, compare_places);
    for (uint32_t i = 0; i < count; i++) {
        struct mi_place next = points[i];
        if (kept && points[kept - 1].t == next.t) /* the lower one came first */
            continue;
        while (kept > 1 && is_above(&points[kept - 2], &points[kept - 1], &next))
            kept--;
        points[kept++] = next;
    }
    return kept;
}

/* Greatest D(0) of a line of this slope that is under all upper bounds. */
static double top(const struct mi_band *band, double slope)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < band->above_count; i++)
        best = fmin(best, band->above[i].y - slope * band->above[i].t);
    return best;
}

/* Least D(0) of a line of this slope that is over all lower bounds. */
static double bottom(const struct mi_band *band, double slope)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < band->below_count; i++)
        best = fmin(best, band->below[i].y + slope * band->below[i].t);
    return -best;
}

/* What is maximised over slopes; all of them concave. */
enum goal { WIDTH, HIGHEST, LOWEST };

static double value(const struct mi_band *band, enum goal goal, double t, double slope)
{
    switch (goal) {
    case HIGHEST:
        return top(band, slope) + slope * t;
    case LOWEST:
        return -(bottom(band, slope) + slope * t);
    case WIDTH:
        break;
    }
    return top(band, slope) - bottom(band, slope);
}

static double search(const struct mi_band *band, enum goal goal, double t, double from, double to)
{
    for (int i = 0; i < STEPS; i++) {
        double a = from + (to - from) / 3, b = to - (to - from) / 3;
        if (value(band, goal, t, a) < value(band, goal, t, b))
            from = a;
        else
            to = b;
    }
    return from + (to - from) / 2;
}

double mi_band_width(const struct mi_band *band, double *slope)
{
    *slope = 0;
    if (!band->above_count || !band->below_count)
        return INFINITY;
    *slope = search(band, WIDTH, 0, -band->max_slope, band->max_slope);
    return value(band, WIDTH, 0, *slope);
}

/* The slope furthest from `fits` towards `end` at which a line still fits. */
static double limit(const struct mi_band *band, double fits, double end, double slack)
{
    if (value(band, WIDTH, 0, end) + slack >= 0)
        return end;
    for (int i = 0; i < STEPS; i++) {
        double middle = fits + (end - fits) / 2;
        if (value(band, WIDTH, 0, middle) + slack >= 0)
            fits = middle;
        else
            end = middle;
    }
    return fits;
}

void mi_band_at(const struct mi_band *band, double t, double *low, double *high)
{
    double slope, width = mi_band_width(band, &slope), slack = width < 0 ? -width : 0;
    double from = limit(band, slope, -band->max_slope, slack);
    double to = limit(band, slope, band->max_slope, slack);
    *low = -INFINITY;
    *high = INFINITY;
    if (band->above_count)
        *high = value(band, HIGHEST, t, search(band, HIGHEST, t, from, to)) + slack / 2;
    if (band->below_count)
        *low = -value(band, LOWEST, t, search(band, LOWEST, t, from, to)) - slack / 2;
}
