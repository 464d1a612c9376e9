/* Least squares over a graph of clocks.
 *
 * Unknown are an offset and a slope per clock, and one delay that all share. An observation says of
 * two clocks that (offset + slope * t) of the one, less that of the other, plus sign * delay, is so
 * much. Observations of one pair are kept as sums, so that the work does not depend on their
 * number. */
#ifndef MI_CORRELATE_CLOCKS_SOLVE_H
#define MI_CORRELATE_CLOCKS_SOLVE_H

#include <stdbool.h>
#include <stdint.h>

/* Sums over the observations of a pair; every term is times its weight. */
struct mi_sums {
    uint32_t low, high; /* numbers of clocks, from 0 */
    double w, t, tt;
    double s, st, ss; /* sign of the delay */
    double y, yt, ys; /* what was observed */
};

struct mi_system {
    const struct mi_sums *pairs;
    uint32_t pair_count, clock_count;
    double slope_weight;         /* how much each slope is drawn ... */
    const double *slope_towards; /* [clock_count] ... to this */
    double delay_weight, delay_towards;
};

static inline void mi_sums_add(struct mi_sums *sums, double w, double t, double sign, double y)
{
    sums->w += w;
    sums->t += w * t;
    sums->tt += w * t * t;
    sums->s += w * sign;
    sums->st += w * sign * t;
    sums->ss += w * sign * sign;
    sums->y += w * y;
    sums->yt += w * y * t;
    sums->ys += w * y * sign;
}

/* x [2 * clock_count + 1] becomes the offsets, the slopes and the delay; the offset of clock 0
 * stays 0. False: out of memory. */
bool mi_solve(const struct mi_system *system, double *x);

#endif
