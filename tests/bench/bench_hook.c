/* What the hook costs: a program that launches kernels, with and without it, on a runtime that does
 * nothing. Processor time of all threads counts, so that of the hook's writer is in it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

#define BURST "4000000"
#define PACED "300000"
#define STEPS "7000" /* some 10 us: 100,000 tasks a second */

/* What the launcher has printed itself, in ns per task. */
struct printed {
    double median, low; /* negative: nothing */
};

static struct printed printed_in(const char *path)
{
    struct printed p = {-1, -1};
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%lf %lf", &p.median, &p.low) != 2)
        p = (struct printed){-1, -1};
    if (file)
        fclose(file);
    return p;
}

static double cost_ns(const struct bench_row *with, const struct bench_row *without, double tasks)
{
    return with->is_ok && without->is_ok ? (with->cpu_seconds - without->cpu_seconds) * 1e9 / tasks
                                         : -1;
}

int main(int argc, char **argv)
{
    struct bench bench;
    char preload[4096], capture[4096];
    const char *folder = bench_folder(), *output = bench_path(folder, "output");
    bench_init(&bench, "hook", argc, argv);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s/libmi_hook.so", MI_BINARY_DIR);
    snprintf(capture, sizeof capture, "MI_CAPTURE_DIR=%s", folder);
    const char *const burst[] = {MI_BINARY_DIR "/tests/bench/hook_launcher", BURST, NULL};
    const char *const paced[] = {MI_BINARY_DIR "/tests/bench/hook_launcher", PACED, STEPS, NULL};
    const char *const burst_hooked[] = {"/usr/bin/env", preload, capture, burst[0], BURST, NULL};
    const char *const paced_hooked[] = {"/usr/bin/env", preload, capture, burst[0],
                                        PACED,          STEPS,   NULL};

    bench_group(&bench, "4,000,000 launches, one after the other");
    struct bench_row plain = *bench_program(&bench, "without hook", burst, output, 0);
    struct printed plain_ns = printed_in(output);
    struct bench_row hooked = *bench_program(&bench, "with hook", burst_hooked, output, 0);
    struct printed hooked_ns = printed_in(output);
    bench_group(&bench, "300,000 launches, some 100,000 per second");
    bench_program(&bench, "without hook", paced, output, 0);
    struct printed slow = printed_in(output);
    bench_program(&bench, "with hook", paced_hooked, output, 0);
    struct printed slow_hooked = printed_in(output);

    bench_goal(&bench, "a launch costs its thread, median", hooked_ns.median - plain_ns.median,
               BENCH_AT_MOST, 100, "ns");
    bench_goal(&bench, "a launch costs in all, with writing", cost_ns(&hooked, &plain, 4e6),
               BENCH_AT_MOST, 150, "ns");
    bench_goal(&bench, "100,000 launches a second are slower by",
               slow.low > 0 && slow_hooked.low > 0 ? 100 * (slow_hooked.low / slow.low - 1) : -1,
               BENCH_AT_MOST, 1, "%");
    bench_remove_folder(folder);
    return bench_report(&bench);
}
