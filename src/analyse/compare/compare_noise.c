/* Is a difference of times more than noise? Samples are compared by their medians; the scatter is
 * the median of the absolute deviations (MAD), scaled to a standard deviation - of the op at hand,
 * but not less than what is usual among all ops, since a few samples may agree by chance. */
#include "analyse/compare/compare_parts.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

enum {
    FEW = 8,                  /* quartiles of fewer samples are chance: the whole range is used */
    LEAST_SAMPLES = 3,        /* of fewer the scatter says nothing */
    LEAST_PPM = 30000,        /* smaller differences are not worth a word */
    LEAST_ALONE_PPM = 100000, /* the same where there are too few samples */
    LEAST_NS = 500,
    SIGMAS = 5 /* so many standard errors: there may be 100 000 ops to be compared */
};

/* Of a sorted list. The upper middle: one of few deviations is that of the median itself, 0. */
static int64_t mad_of(const int64_t *list, uint32_t count, int64_t *room)
{
    int64_t middle = list[(count - 1) / 2];
    for (uint32_t i = 0; i < count; i++)
        room[i] = list[i] > middle ? mi_ns_sub(list[i], middle) : mi_ns_sub(middle, list[i]);
    mi_cmp_median(room, count); /* sorts */
    return room[count / 2];
}

static int64_t share_of(int64_t mad, int64_t middle)
{
    return middle <= 0 ? 0 : mad < INT64_MAX / 1000000 ? mad * 1000000 / middle : 1000000;
}

static int64_t noise_of_work(const struct mi_cmp_side *side, int64_t *list, int64_t *room)
{
    for (uint32_t i = 0; i < side->sample_count; i++)
        list[i] = side->samples[i].work_ns;
    int64_t middle = mi_cmp_median(list, side->sample_count);
    return side->sample_count ? share_of(mad_of(list, side->sample_count, room), middle) : 0;
}

bool mi_cmp_find_noise(const struct mi_compare *compare, struct mi_cmp_noise *noise)
{
    const struct mi_cmp_side *sides = compare->side;
    uint32_t most = sides[0].sample_count > sides[1].sample_count ? sides[0].sample_count
                                                                  : sides[1].sample_count;
    int64_t *list = mi_mem_new((size_t)most + 1, sizeof *list);
    int64_t *room = mi_mem_new((size_t)most + 1, sizeof *room);
    int64_t *shares = mi_mem_new(2 * (size_t)compare->op_count, sizeof *shares);
    bool ok = list && room && shares;
    uint32_t count = 0;
    for (uint32_t o = 1; ok && o < compare->op_count; o++)
        for (unsigned side = 0; side < MI_CMP_SIDES; side++) {
            const struct mi_cmp_op *op = &compare->ops[o];
            /* Only ops that run in every sample; the others would scatter by what they do. */
            if (sides[side].sample_count < LEAST_SAMPLES || op->median_ns[side] <= 0 ||
                op->time_count[side] != sides[side].sample_count)
                continue;
            mi_cmp_op_samples(compare, side, o, list);
            int64_t middle = mi_cmp_median(list, sides[side].sample_count);
            int64_t mad = mad_of(list, sides[side].sample_count, room);
            shares[count++] = share_of(mad, middle);
        }
    *noise = (struct mi_cmp_noise){.op_ppm = count ? mi_cmp_median(shares, count) : 0};
    for (unsigned side = 0; ok && side < MI_CMP_SIDES; side++) {
        int64_t ppm = noise_of_work(&sides[side], list, room);
        noise->work_ppm = ppm > noise->work_ppm ? ppm : noise->work_ppm;
    }
    mi_mem_free(list);
    mi_mem_free(room);
    mi_mem_free(shares);
    return ok;
}

/* Variance of the median of a sorted list. */
static double variance_of(const int64_t *list, uint32_t count, int64_t noise_ppm)
{
    double middle = (double)list[(count - 1) / 2];
    uint32_t cut = count < FEW ? 0 : count / 4;
    double range = (double)list[count - 1 - cut] - (double)list[cut];
    double spread = range / (cut ? 2 : 3); /* the MAD of a symmetric scatter, about */
    double least = middle * (double)noise_ppm / 1e6;
    double sigma = 1.4826 * (spread > least ? spread : least);
    return 1.5708 * sigma * sigma / count;
}

bool mi_cmp_differs(int64_t *base, uint32_t base_count, int64_t *new, uint32_t new_count,
                    int64_t noise_ppm)
{
    int64_t was = mi_cmp_median(base, base_count), is = mi_cmp_median(new, new_count);
    int64_t difference = is > was ? mi_ns_sub(is, was) : mi_ns_sub(was, is);
    int64_t least = was > is ? is : was; /* the smaller one: up and down count alike */
    bool alone = base_count < LEAST_SAMPLES || new_count < LEAST_SAMPLES;
    if (difference < LEAST_NS ||
        (double)difference * 1e6 < (double)least * (alone ? LEAST_ALONE_PPM : LEAST_PPM))
        return false;
    if (alone)
        return true;
    double error =
        sqrt(variance_of(base, base_count, noise_ppm) + variance_of(new, new_count, noise_ppm));
    return (double)difference >= SIGMAS * error;
}
