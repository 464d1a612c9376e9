/* Which differences are more than chance: found where they are, no alarm where there are none. */
#include "alloc_fail.h"
#include "analyse/gate/noise.h"
#include "base/mem.h"
#include "rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { OPS = 20, RUNS = 12, SERIES = OPS + 1, MAKESPAN = OPS };

struct runs {
    unsigned side; /* runs of each */
    int64_t samples[SERIES][2 * RUNS];
    struct mi_noise_series series[SERIES];
};

static double triangle(uint64_t *state) /* from -1 to 1 */
{
    double a = (double)rng_below(state, 1000000) / 1e6, b = (double)rng_below(state, 1000000) / 1e6;
    return a + b - 1;
}

/* Runs that scatter by 3 % each as a whole, operators by 3 % each beside; the first operator of the
 * new side takes `factor` times as long. */
static void make_runs(struct runs *runs, unsigned side, double factor, uint64_t *state)
{
    double mean[OPS];
    for (unsigned op = 0; op < OPS; op++)
        mean[op] = op == 0 ? 100000 : 5000 + (double)rng_below(state, 200000);
    *runs = (struct runs){.side = side};
    for (unsigned i = 0; i < 2 * side; i++) {
        double run = 1 + 0.03 * triangle(state);
        for (unsigned op = 0; op < OPS; op++) {
            double ns = mean[op] * run * (1 + 0.03 * triangle(state));
            if (op == 0 && i >= side)
                ns *= factor;
            runs->samples[op][i] = (int64_t)ns;
            runs->samples[MAKESPAN][i] += (int64_t)ns;
        }
    }
    for (unsigned s = 0; s < SERIES; s++)
        runs->series[s].samples = runs->samples[s];
}

static void level(struct runs *runs)
{
    const int64_t *rows[OPS];
    double levels[2 * RUNS];
    for (unsigned op = 0; op < OPS; op++)
        rows[op] = runs->samples[op];
    assert_true(mi_noise_levels(rows, OPS, 2 * runs->side, levels, NULL));
    for (unsigned op = 0; op < OPS; op++)
        for (unsigned i = 0; i < 2 * runs->side; i++)
            runs->samples[op][i] = (int64_t)((double)runs->samples[op][i] / levels[i]);
}

static struct mi_noise measure(struct runs *runs)
{
    struct mi_noise noise = {.counts = {runs->side, runs->side},
                             .false_alarms = 0.0005,
                             .series = runs->series,
                             .series_count = SERIES};
    assert_true(mi_noise_measure(&noise, NULL));
    return noise;
}

static unsigned alarms_of(const struct runs *runs)
{
    unsigned count = 0;
    for (unsigned s = 0; s < SERIES; s++)
        count += runs->series[s].change > runs->series[s].chance;
    return count;
}

/* --- tests --- */

static void test_five_per_cent_are_found(void **state)
{
    (void)state;
    struct runs runs;
    uint64_t random = 7;
    unsigned found = 0, others = 0;
    for (unsigned pair = 0; pair < 200; pair++) {
        make_runs(&runs, RUNS, 1.05, &random);
        level(&runs);
        measure(&runs);
        bool hit = runs.series[0].change > runs.series[0].chance;
        found += hit;
        others +=
            alarms_of(&runs) - hit - (runs.series[MAKESPAN].change > runs.series[MAKESPAN].chance);
    }
    assert_true(found >= 198);
    assert_int_equal(others, 0);
}

static void test_equals_raise_no_alarm(void **state)
{
    (void)state;
    struct runs runs;
    uint64_t random = 11;
    unsigned alarms = 0;
    double least = 1;
    for (unsigned pair = 0; pair < 300; pair++) {
        make_runs(&runs, RUNS, 1, &random);
        level(&runs);
        assert_true(measure(&runs).is_known);
        alarms += alarms_of(&runs) > 0;
        least = fmin(least, runs.series[0].chance);
        assert_true(runs.series[0].sure > runs.series[0].chance);
    }
    assert_int_equal(alarms, 0);
    assert_true(least > 0.01); /* a limit that nothing reaches would pass the line above too */
}

/* What equal runs say would be seen is seen in others, by and large 99 times of 100. */
static void test_what_would_be_seen_is_seen(void **state)
{
    (void)state;
    struct runs runs;
    uint64_t random = 3;
    for (unsigned side = 5; side <= RUNS; side += RUNS - 5) {
        unsigned found = 0;
        double most = 0;
        for (unsigned pair = 0; pair < 100; pair++) {
            make_runs(&runs, side, 1, &random);
            level(&runs);
            measure(&runs);
            double sure = runs.series[0].sure;
            most = fmax(most, sure);
            make_runs(&runs, side, 1 + sure, &random);
            level(&runs);
            measure(&runs);
            found += runs.series[0].change > runs.series[0].chance;
        }
        assert_true(found >= 97);
        assert_true(most < (side == 5 ? 0.15 : 0.06)); /* and it is not just far off */
    }
}

/* Without the level of each run its noise is that of every operator. */
static void test_levels_take_out_what_is_common(void **state)
{
    (void)state;
    struct runs with, without;
    uint64_t random = 5;
    make_runs(&without, RUNS, 1, &random);
    with = without;
    for (unsigned s = 0; s < SERIES; s++)
        with.series[s].samples = with.samples[s];
    level(&with);
    measure(&with);
    for (unsigned s = 0; s < SERIES; s++)
        without.series[s].samples = without.samples[s];
    measure(&without);
    assert_true(with.series[0].chance < 0.9 * without.series[0].chance);
}

static void test_levels_of_a_hand_made_run(void **state)
{
    (void)state;
    static const int64_t a[] = {100, 200, 100}, b[] = {10, 20, 10}, gone[] = {0, 0, 0};
    const int64_t *rows[] = {a, b, gone};
    double levels[3];
    assert_true(mi_noise_levels(rows, 3, 3, levels, NULL));
    assert_true(levels[0] == 1 && levels[1] == 2 && levels[2] == 1);
}

static void test_a_stray_run_moves_nothing(void **state)
{
    (void)state;
    static const int64_t samples[] = {100, 101, 99, 100, 9000, 100, 101, 99, 100, 100};
    struct mi_noise_series series = {.samples = samples};
    struct mi_noise noise = {
        .counts = {5, 5}, .false_alarms = 0.001, .series = &series, .series_count = 1};
    assert_true(mi_noise_measure(&noise, NULL));
    assert_true(fabs(series.change) < 0.01);
}

static void test_few_samples_say_nothing(void **state)
{
    (void)state;
    static const int64_t samples[] = {100, 100, 100, 100, 200, 200, 200, 200};
    struct mi_noise_series series = {.samples = samples};
    struct mi_noise noise = {
        .counts = {4, 4}, .false_alarms = 0.001, .series = &series, .series_count = 1};
    assert_true(mi_noise_measure(&noise, NULL));
    assert_false(noise.is_known);
    assert_true(series.change == 1 && isinf(series.chance) && isinf(series.sure));
}

static void test_same_samples_same_answer(void **state)
{
    (void)state;
    struct runs first, second;
    uint64_t random = 3;
    make_runs(&first, RUNS, 1.01, &random);
    second = first;
    for (unsigned s = 0; s < SERIES; s++)
        second.series[s].samples = second.samples[s];
    measure(&first);
    measure(&second);
    for (unsigned s = 0; s < SERIES; s++)
        assert_true(first.series[s].chance == second.series[s].chance);
}

static void test_nothing_is_compared_with_nothing(void **state)
{
    (void)state;
    static const int64_t zeros[10] = {0};
    struct mi_noise_series series = {.samples = zeros};
    struct mi_noise noise = {
        .counts = {5, 5}, .false_alarms = 0.001, .series = &series, .series_count = 1};
    assert_true(mi_noise_measure(&noise, NULL));
    assert_true(series.change == 0 && isinf(series.chance));
}

static void test_memory(void **state)
{
    (void)state;
    static const int64_t samples[10] = {1, 2, 3, 4, 5, 1, 2, 3, 4, 5};
    const int64_t *rows[] = {samples};
    double levels[10];
    for (unsigned after = 0; after < 6; after++) {
        struct mi_noise_series series = {.samples = samples};
        struct mi_noise noise = {
            .counts = {5, 5}, .false_alarms = 0.001, .series = &series, .series_count = 1};
        struct mi_error err = MI_ERROR_INIT;
        alloc_left = (long)after;
        bool ok = mi_noise_measure(&noise, &err) && mi_noise_levels(rows, 1, 10, levels, &err);
        alloc_left = -1;
        assert_false(ok);
        assert_int_equal(err.code, MI_ENOMEM);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_five_per_cent_are_found),
        cmocka_unit_test(test_equals_raise_no_alarm),
        cmocka_unit_test(test_what_would_be_seen_is_seen),
        cmocka_unit_test(test_levels_take_out_what_is_common),
        cmocka_unit_test(test_levels_of_a_hand_made_run),
        cmocka_unit_test(test_a_stray_run_moves_nothing),
        cmocka_unit_test(test_few_samples_say_nothing),
        cmocka_unit_test(test_same_samples_same_answer),
        cmocka_unit_test(test_nothing_is_compared_with_nothing),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
