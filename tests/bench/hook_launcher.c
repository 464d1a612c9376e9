/* Launches kernels: hook_launcher TASKS STEPS     each after so many steps of work
 * Prints, in ns per task: median and lowest tenth of batches by the clock of the wall, and the
 * lowest tenth by the processor time of the launching thread. What the first calls cost once (a
 * file, a thread, memory) is over before it begins. */
#include "fake_acl/acl.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 100, BATCHES_MAX = 100000, WARM_UP = 20000, PAUSE_US = 50000 };

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The same number of steps with and without the hook: a fixed amount of work, not a fixed time. */
static uint64_t work(uint64_t state, long steps)
{
    for (long i = 0; i < steps; i++)
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return state;
}

static double lowest_tenth(double *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, compare);
    return count ? list[count / 10] : 0;
}

int main(int argc, char **argv)
{
    static double wall[BATCHES_MAX], processor[BATCHES_MAX];
    long tasks = argc > 1 ? atol(argv[1]) : BATCH, steps = argc > 2 ? atol(argv[2]) : 0;
    uint64_t state = 1;
    int count = 0;
    for (int i = 0; i < WARM_UP; i++)
        aclrtLaunchKernel((void *)0x10, 8, NULL, 0, (void *)0x20);
    usleep(PAUSE_US);
    for (long done = 0; done + BATCH <= tasks && count < BATCHES_MAX; done += BATCH) {
        int64_t used_ns = now_ns(CLOCK_THREAD_CPUTIME_ID), start_ns = now_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < BATCH; i++) {
            state = work(state, steps);
            aclrtLaunchKernel((void *)0x10, 8, NULL, 0, (void *)0x20);
        }
        wall[count] = (double)(now_ns(CLOCK_MONOTONIC) - start_ns) / BATCH;
        processor[count++] = (double)(now_ns(CLOCK_THREAD_CPUTIME_ID) - used_ns) / BATCH;
    }
    /* The lowest tenth is what the work takes; the rest shares the processor with other programs.
     */
    double low = lowest_tenth(wall, count);
    printf("%.1f %.1f %.2f ns per task: median, lowest tenth, of processor time; state %llu\n",
           count ? wall[count / 2] : 0.0, low, lowest_tenth(processor, count),
           (unsigned long long)state);
    return 0;
}
