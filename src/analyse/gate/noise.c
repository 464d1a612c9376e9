#include "analyse/gate/noise.h"

#include "base/hash.h"
#include "base/mem.h"

#include <math.h>

/* Shuffles: enough for the two numbers of the fit; fewer where there is much to shuffle. */
enum { SHUFFLES = 1000, FEWEST_SHUFFLES = 200, WORK = 100000000 };

enum { CUT = 5 }; /* one part of so many is cut off at each end */

static const double EULER = 0.5772156649015329;            /* mean of the Gumbel law of scale 1 */
static const double GUMBEL_DEVIATION = 1.2825498301618641; /* pi / sqrt(6) */
static const double NINETY_NINE = 2.3263478740408408; /* deviations above 1 % of a normal law */
static const double LEAST_SPREAD = 0.0005;            /* of the middle: clocks have ticks */
static const double STEADY = 3; /* weight of the usual spread beside that of the series itself */

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

static void sift(double *values, uint32_t at, uint32_t count)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && values[child + 1] > values[child])
            child++;
        if (values[at] >= values[child])
            return;
        swap(&values[at], &values[child]);
    }
}

/* In place: a handful by insertion, more by a heap. */
static void sort(double *values, uint32_t count)
{
    enum { HANDFUL = 32 };
    if (count <= HANDFUL) {
        for (uint32_t i = 1; i < count; i++)
            for (uint32_t j = i; j > 0 && values[j - 1] > values[j]; j--)
                swap(&values[j - 1], &values[j]);
        return;
    }
    for (uint32_t i = count / 2; i > 0; i--)
        sift(values, i - 1, count);
    for (uint32_t i = count; i > 1; i--) {
        swap(&values[0], &values[i - 1]);
        sift(values, 0, i - 1);
    }
}

static double median(double *values, uint32_t count) /* which are sorted then */
{
    sort(values, count);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* --- middles --- */

struct middle {
    double mean;    /* of what is not cut off */
    double squares; /* sum of squared distances that tell how far the mean may be off: the ends
                       count as if they lay where the cut is, scaled for what the cut takes away */
};

static struct middle middle_of(double *values, uint32_t count) /* which are sorted then */
{
    uint32_t cut = count / CUT, kept = count - 2 * cut;
    struct middle middle = {0};
    double ends = 0;
    sort(values, count);
    for (uint32_t i = cut; i < count - cut; i++)
        middle.mean += values[i];
    ends = (middle.mean + cut * (values[cut] + values[count - cut - 1])) / count;
    middle.mean /= kept;
    for (uint32_t i = 0; i < count; i++) {
        double value = values[i < cut ? cut : i >= count - cut ? count - cut - 1 : i] - ends;
        middle.squares += value * value;
    }
    middle.squares *= (double)count / kept * count / kept;
    return middle;
}

/* --- shuffling --- */

static uint64_t next_random(uint64_t *state) /* splitmix64 */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void shuffle(uint32_t *order, uint32_t count, uint64_t *state)
{
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)((next_random(state) >> 32) * i >> 32), kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

/* --- one series --- */

struct bench {
    const struct mi_noise *noise;
    uint32_t total;
    double *values;  /* [series][total] distance from the middle of the side, as part of it */
    double *spreads; /* [series] of one sample; below 0: the series has no middle */
    double usual;    /* spread of the usual series */
    double *room;    /* [max(total, series)] */
    uint32_t *order; /* [total] */
    double *largest; /* [SHUFFLES] */
};

static double steady(const struct bench *b, double spread)
{
    return sqrt((spread * spread + STEADY * b->usual * b->usual) / (1 + STEADY));
}

static void read_series(const struct bench *b, uint32_t s)
{
    struct mi_noise_series *series = &b->noise->series[s];
    uint32_t base = b->noise->counts[0], new = b->noise->counts[1];
    for (uint32_t i = 0; i < b->total; i++)
        b->room[i] = (double)series->samples[i];
    series->base = middle_of(b->room, base).mean;
    series->new = middle_of(b->room + base, new).mean;
    series->change = series->base > 0 ? series->new / series->base - 1 : 0;
    series->chance = series->sure = (double)INFINITY;
    bool is_used = series->base > 0 && series->new > 0 && b->total > 2;
    /* Samples lie nearer to their own middle than to the true one: each side uses one up. */
    double spent = is_used ? sqrt(b->total / (b->total - 2.0)) : 0;
    double *values = b->values + (size_t)s * b->total;
    for (uint32_t i = 0; i < b->total; i++) {
        double middle = i < base ? series->base : series->new;
        values[i] = is_used ? spent * ((double)series->samples[i] / middle - 1) : 0;
        b->room[i] = values[i];
    }
    b->spreads[s] =
        is_used ? sqrt((middle_of(b->room, base).squares + middle_of(b->room + base, new).squares) /
                       b->total)
                : -1;
}

/* Difference of the sides, in spreads, if the samples lay on them as `order` says. */
static double shuffled_change(const struct bench *b, uint32_t s)
{
    const double *values = b->values + (size_t)s * b->total;
    uint32_t base = b->noise->counts[0];
    for (uint32_t i = 0; i < b->total; i++)
        b->room[i] = values[b->order[i]];
    struct middle before = middle_of(b->room, base);
    struct middle after = middle_of(b->room + base, b->total - base);
    double spread = sqrt((before.squares + after.squares) / (b->total - 2.0));
    return fabs(after.mean - before.mean) / steady(b, spread);
}

/* --- all series --- */

static uint32_t shuffle_count(const struct bench *b)
{
    uint64_t fit = WORK / ((uint64_t)b->noise->series_count * b->total + 1);
    return fit >= SHUFFLES ? SHUFFLES : fit < FEWEST_SHUFFLES ? FEWEST_SHUFFLES : (uint32_t)fit;
}

static uint64_t seed_of(const struct bench *b)
{
    uint64_t seed = b->total;
    for (uint32_t s = 0; s < b->noise->series_count; s++)
        seed = seed * 31 + mi_hash64((struct mi_bytes){
                               .at = (const void *)b->noise->series[s].samples,
                               .len = (size_t)b->total * sizeof *b->noise->series[s].samples});
    return seed;
}

static double largest_change(const struct bench *b)
{
    double largest = 0;
    for (uint32_t s = 0; s < b->noise->series_count; s++)
        if (b->spreads[s] >= 0)
            largest = fmax(largest, shuffled_change(b, s));
    return largest;
}

/* The difference, in spreads, that only the wanted share of comparisons exceeds by chance. */
static double largest_by_chance(const struct bench *b)
{
    uint64_t state = seed_of(b);
    uint32_t count = shuffle_count(b);
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < b->total; i++)
        b->order[i] = i;
    for (uint32_t k = 0; k < count; k++) {
        shuffle(b->order, b->total, &state);
        b->largest[k] = largest_change(b);
        sum += b->largest[k];
    }
    double mean = sum / count;
    for (uint32_t k = 0; k < count; k++)
        squares += (b->largest[k] - mean) * (b->largest[k] - mean);
    double scale = sqrt(squares / (count - 1)) / GUMBEL_DEVIATION;
    return mean - EULER * scale - scale * log(-log1p(-b->noise->false_alarms));
}

static void measure(struct bench *b)
{
    uint32_t count = b->noise->series_count, used = 0;
    for (uint32_t s = 0; s < count; s++)
        read_series(b, s);
    for (uint32_t s = 0; s < count; s++)
        if (b->spreads[s] >= 0)
            b->room[used++] = b->spreads[s];
    if (!b->noise->is_known || used == 0)
        return;
    b->usual = fmax(median(b->room, used), LEAST_SPREAD);
    double limit = largest_by_chance(b);
    double of_change = sqrt(1.0 / b->noise->counts[0] + 1.0 / b->noise->counts[1]);
    /* Spread and limit come from the samples, too: in other runs of the same they are others. By
     * experiment they scatter by about this. */
    double of_both = hypot(of_change, limit / sqrt(b->total - 2.0));
    for (uint32_t s = 0; s < count; s++)
        if (b->spreads[s] >= 0) {
            double spread = steady(b, b->spreads[s]);
            b->noise->series[s].chance = limit * spread;
            b->noise->series[s].sure = (limit + NINETY_NINE * of_both) * spread;
        }
}

bool mi_noise_measure(struct mi_noise *noise, struct mi_error *err)
{
    uint32_t total = noise->counts[0] + noise->counts[1], count = noise->series_count;
    noise->is_known = noise->counts[0] >= MI_NOISE_ENOUGH && noise->counts[1] >= MI_NOISE_ENOUGH;
    struct bench b = {.noise = noise,
                      .total = total,
                      .values = mi_mem_new((size_t)count * total + 1, sizeof *b.values),
                      .spreads = mi_mem_new((size_t)count + 1, sizeof *b.spreads),
                      .room = mi_mem_new((size_t)count + total, sizeof *b.room),
                      .order = mi_mem_new(total, sizeof *b.order),
                      .largest = mi_mem_new(SHUFFLES, sizeof *b.largest)};
    bool ok = b.values && b.spreads && b.room && b.order && b.largest;
    if (ok)
        measure(&b);
    else
        mi_fail(err, MI_ENOMEM, "out of memory");
    mi_mem_free(b.values);
    mi_mem_free(b.spreads);
    mi_mem_free(b.room);
    mi_mem_free(b.order);
    mi_mem_free(b.largest);
    return ok;
}

/* --- levels --- */

bool mi_noise_levels(const int64_t *const *series, uint32_t series_count, uint32_t sample_count,
                     double *levels, struct mi_error *err)
{
    double *middles = mi_mem_new((size_t)series_count + 1, sizeof *middles);
    double *room = mi_mem_new((size_t)series_count + sample_count + 1, sizeof *room);
    bool ok = middles && room;
    for (uint32_t s = 0; ok && s < series_count; s++) {
        for (uint32_t i = 0; i < sample_count; i++)
            room[i] = (double)series[s][i];
        middles[s] = sample_count > 0 ? median(room, sample_count) : 0;
    }
    for (uint32_t i = 0; ok && i < sample_count; i++) {
        uint32_t known = 0;
        for (uint32_t s = 0; s < series_count; s++)
            if (middles[s] > 0 && series[s][i] > 0)
                room[known++] = (double)series[s][i] / middles[s];
        levels[i] = known > 0 ? median(room, known) : 1;
    }
    mi_mem_free(middles);
    mi_mem_free(room);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}
