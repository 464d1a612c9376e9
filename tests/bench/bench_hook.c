/* What the hook costs: a program that launches kernels, with and without it, on a runtime that does
 * nothing. Processor time of all threads counts, so that of the hook's writer is in it. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

#define BURST "4000000"
#define PACED "30000"
#define STEPS "7000" /* some 10 us: 100,000 tasks a second */

enum { PAIRS = 40, COMMAND_BYTES = 12000 };

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

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Processor time of the launching thread, lowest tenth of its batches, ns per task; negative: it
 * failed. */
static double paced_ns(const char *environment)
{
    char command[COMMAND_BYTES];
    double ns = -1, ignored;
    snprintf(command, sizeof command, "env %s %s/tests/bench/hook_launcher " PACED " " STEPS,
             environment, MI_BINARY_DIR);
    FILE *output = popen(command, "r");
    if (output && fscanf(output, "%lf %lf %lf", &ignored, &ignored, &ns) != 3)
        ns = -1;
    if (output)
        pclose(output);
    return ns;
}

struct slower { /* in percent: median over all pairs, and the middle half */
    double median, low, high;
};

static struct slower sort_out(double ratios[PAIRS], int count)
{
    qsort(ratios, (size_t)count, sizeof *ratios, compare);
    return count ? (struct slower){ratios[count / 2], ratios[count / 4], ratios[count * 3 / 4]}
                 : (struct slower){-1, -1, -1};
}

/* Without, with, without the hook, in changing order: what both of the outer ones differ by is the
 * machine's own doing (`scatter`). */
static void compare_paced(const char *hooked, struct slower *slower, struct slower *scatter)
{
    double with[PAIRS], without[PAIRS];
    int count = 0;
    for (int i = 0; i < PAIRS; i++) {
        double a = paced_ns(""), h = i % 2 ? paced_ns(hooked) : -1, b = paced_ns("");
        h = i % 2 ? h : paced_ns(hooked);
        if (a <= 0 || b <= 0 || h <= 0)
            continue;
        with[count] = 100 * (h / ((a + b) / 2) - 1);
        without[count++] = 100 * (b / a - 1);
    }
    *slower = sort_out(with, count);
    *scatter = sort_out(without, count);
}

/* Faster with the hook is what the machine scatters, not a failure to measure. */
static double not_below_zero(double percent)
{
    return percent < 0 ? 0 : percent;
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
    const char *const burst_hooked[] = {"/usr/bin/env", preload, capture, burst[0], BURST, NULL};
    char hooked_environment[sizeof preload + sizeof capture];
    struct slower slower, scatter;

    bench_group(&bench, "4,000,000 launches, one after the other");
    struct bench_row plain = *bench_program(&bench, "without hook", burst, output, 0);
    struct printed plain_ns = printed_in(output);
    struct bench_row hooked = *bench_program(&bench, "with hook", burst_hooked, output, 0);
    struct printed hooked_ns = printed_in(output);
    snprintf(hooked_environment, sizeof hooked_environment, "%s %s", preload, capture);
    compare_paced(hooked_environment, &slower, &scatter);

    bench_goal(&bench, "a launch costs its thread, median", hooked_ns.median - plain_ns.median,
               BENCH_AT_MOST, 100, "ns");
    bench_goal(&bench, "a launch costs in all, with writing", cost_ns(&hooked, &plain, 4e6),
               BENCH_AT_MOST, 150, "ns");
    bench_goal(&bench, "100,000 launches a second: processor time more, median of 40 pairs",
               not_below_zero(slower.median), BENCH_AT_MOST, 1, "%");
    bench_goal(&bench, "... and its middle half ends at", not_below_zero(slower.high),
               BENCH_AT_MOST, 1, "%");
    bench_goal(&bench, "... the same program against itself, middle half, width",
               scatter.high - scatter.low, BENCH_NO_TARGET, 0, "%");
    bench_remove_folder(folder);
    return bench_report(&bench);
}
