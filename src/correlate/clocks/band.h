/* Lines that stay between two sets of points: what inequalities say about two clocks.
 *
 * A cause on one clock and its effect on the other bound the difference D of the two clocks at that
 * moment from one side: points (t, y) with D(t) <= y from above, or D(t) >= y from below. D is a
 * line with a slope of at most so much, so only the convex hulls of both sets matter. */
#ifndef MI_CORRELATE_CLOCKS_BAND_H
#define MI_CORRELATE_CLOCKS_BAND_H

#include <stdbool.h>
#include <stdint.h>

struct mi_place {
    double t, y;
};

struct mi_band {
    struct mi_place *above; /* hull of the upper bounds */
    struct mi_place *below; /* hull of the lower bounds, y negated */
    uint32_t above_count, below_count;
    double max_slope;
};

/* Sorts the points and leaves only those of their lower hull; returns how many. */
uint32_t mi_hull_of(struct mi_place *points, uint32_t count);

/* The widest gap between upper and lower bounds over all slopes: negative if no line fits, infinite
 * with bounds on one side only. *slope: where it is widest. */
double mi_band_width(const struct mi_band *band, double *slope);

/* Least and greatest D(t) of the lines that fit, infinite where nothing bounds them. Where no line
 * fits all bounds are moved apart until one does. */
void mi_band_at(const struct mi_band *band, double t, double *low, double *high);

#endif
