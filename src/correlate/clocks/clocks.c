#include "correlate/clocks/clocks.h"

#include <math.h>

static int64_t add_clamped(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

static int64_t multiply_clamped(int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product))
        return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
    return product;
}

/* ticks * ns_per_tick. The whole part is multiplied as integers, so that a tick of 1000 ns never
 * meets a double; only the fraction of a fitted clock is rounded, halves away from zero. */
static int64_t ticks_to_ns(int64_t ticks, double ns_per_tick)
{
    double whole = floor(ns_per_tick), fraction = ns_per_tick - whole;
    if (!(whole >= -9.0e15 && whole <= 9.0e15))
        return 0;
    int64_t ns = multiply_clamped(ticks, (int64_t)whole);
    if (fraction > 0)
        ns = add_clamped(ns, llround((double)ticks * fraction));
    return ns;
}

/* The origin of a clock, raw time 0, on its own scale of ns. One that counts since 1970 has seen
 * nothing of that time: it begins with its first moment. */
static int64_t origin_of(const struct mi_clocks *clocks, uint32_t clock)
{
    if (clocks->ns_per_tick[clock] == 1.0 && clocks->ref_raw[clock] == clocks->ref_ns[clock])
        return clocks->ref_ns[clock];
    int64_t back = ticks_to_ns(clocks->ref_raw[clock], clocks->ns_per_tick[clock]);
    return add_clamped(clocks->ref_ns[clock], multiply_clamped(back, -1));
}

static bool is_known(const struct mi_clocks *clocks, uint32_t clock)
{
    return clocks->note[clock].v != 0;
}

int64_t mi_clock_to_capture(const struct mi_model *model, mi_clock_id clock, int64_t raw)
{
    const struct mi_clocks *clocks = &model->all.rows.clocks;
    if (!clock.v || clock.v >= clocks->count)
        return raw;
    int64_t ticks = add_clamped(raw, multiply_clamped(clocks->ref_raw[clock.v], -1));
    int64_t ns = ticks_to_ns(ticks, clocks->ns_per_tick[clock.v]);
    if (!is_known(clocks, clock.v))
        return ns;
    int64_t since_start =
        add_clamped(clocks->ref_ns[clock.v], multiply_clamped(model->start_unix_ns, -1));
    return add_clamped(since_start, ns);
}

static void take_origin(struct mi_model *model, mi_clock_id clock)
{
    const struct mi_clocks *clocks = &model->all.rows.clocks;
    if (!clock.v || !is_known(clocks, clock.v))
        return;
    int64_t origin = origin_of(clocks, clock.v);
    if (!model->start_unix_ns || origin < model->start_unix_ns)
        model->start_unix_ns = origin;
}

/* Capture time begins with the first task or span; memory and the like is measured long before, and
 * counts only where there is nothing else. */
static void find_start(struct mi_model *model)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t t = 1; t < rows->tracks.count; t++)
        take_origin(model, rows->tracks.clock[t]);
    for (uint32_t c = 1; c < rows->clocks.count && !model->start_unix_ns; c++)
        take_origin(model, (mi_clock_id){c});
}

void mi_clocks_apply(struct mi_model *model)
{
    struct mi_tables *rows = &model->all.rows;
    if (!model->start_unix_ns)
        find_start(model);
    for (uint32_t t = 1; t < rows->tasks.count; t++)
        rows->tasks.start_ns[t] = mi_clock_to_capture(
            model, rows->tracks.clock[rows->tasks.track[t].v], rows->tasks.start_raw[t]);
    for (uint32_t s = 1; s < rows->slices.count; s++)
        rows->slices.start_ns[s] = mi_clock_to_capture(
            model, rows->tracks.clock[rows->slices.track[s].v], rows->slices.start_raw[s]);
    for (uint32_t s = 1; s < rows->samples.count; s++)
        rows->samples.at_ns[s] = mi_clock_to_capture(
            model, rows->counters.clock[rows->samples.counter[s].v], rows->samples.at_raw[s]);
    for (uint32_t w = 1; w < rows->windows.count; w++)
        rows->windows.start_ns[w] =
            mi_clock_to_capture(model, rows->windows.clock[w], rows->windows.start_raw[w]);
}
