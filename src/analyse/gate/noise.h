/* Noise of repeated measurements: which differences of two sides are more than chance.
 *
 * A side is a list of samples (runs, or captures); a series is one quantity measured in each of
 * them: the makespan, the time of an operator. Sides are compared by their middle, the mean of the
 * middle three fifths of the samples: nearly as sharp as the mean, and a stray sample moves
 * nothing.
 *
 * What chance alone does is asked of the samples: each side is moved to a common middle, the
 * samples of all series are shuffled over the sides together, and the largest difference over all
 * series is kept. A difference counts if it is larger than what all but a wanted share of such
 * shuffles show - over all series together, so a hundred operators raise no more false alarms than
 * one. That share is below what a thousand shuffles can show by counting, so the largest
 * differences are fitted with the Gumbel law, which is that of largest values.
 *
 * Differences are measured in spreads. That of one series, known from a dozen samples, is steadied
 * by that of the usual series. */
#ifndef MI_ANALYSE_GATE_NOISE_H
#define MI_ANALYSE_GATE_NOISE_H

#include "base/error.h"

#include <stdint.h>

/* Fewer samples than this on a side: their spread says too little to rely on. */
enum { MI_NOISE_ENOUGH = 5 };

struct mi_noise_series {
    const int64_t *samples; /* [counts[0] + counts[1]], first those of the base; any unit */
    double base, new;       /* middles */
    double change;          /* new / base - 1; 0 where the base is 0 */
    double chance;          /* the least |change| that is more than chance; INFINITY: not known */
    double sure;            /* a change that would be found 99 times of 100; INFINITY: not known */
};

struct mi_noise {
    uint32_t counts[2];             /* samples per side, each >= 1 */
    double false_alarms;            /* wanted share of comparisons with any, above 0, below 1 */
    struct mi_noise_series *series; /* [series_count], samples given, the rest filled */
    uint32_t series_count;
    bool is_known; /* filled: both sides have enough samples; else every chance is INFINITY */
};

/* Same samples, same answer: the shuffles start from the samples themselves. Time: O(shuffles x
 * series x samples). False: MI_ENOMEM. */
bool mi_noise_measure(struct mi_noise *noise, struct mi_error *err);

/* What is common to all series in each sample, as parts of its usual size: a device that lowers its
 * clock slows all operators of a run alike. `levels` [sample_count] is written: the median over the
 * series of sample / median of the series; 1 where nothing is known. Samples below 1 do not count.
 * False: MI_ENOMEM. */
bool mi_noise_levels(const int64_t *const *series, uint32_t series_count, uint32_t sample_count,
                     double *levels, struct mi_error *err);

#endif
