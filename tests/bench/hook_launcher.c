/* Launches kernels: hook_launcher TASKS STEPS     each after so many steps of work
 * Prints, in ns per task: median and lowest tenth of batches by the clock of the wall, and the
 * processor time of the launching thread. */
#include "fake_acl/acl.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BATCH = 100, BATCHES_MAX = 100000 };

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

int main(int argc, char **argv)
{
    static double batches[BATCHES_MAX];
    long tasks = argc > 1 ? atol(argv[1]) : BATCH, steps = argc > 2 ? atol(argv[2]) : 0, done = 0;
    uint64_t state = 1;
    int count = 0;
    int64_t begin_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    for (; done + BATCH <= tasks && count < BATCHES_MAX; done += BATCH) {
        int64_t start_ns = now_ns(CLOCK_MONOTONIC);
        for (int i = 0; i < BATCH; i++) {
            state = work(state, steps);
            aclrtLaunchKernel((void *)0x10, 8, NULL, 0, (void *)0x20);
        }
        batches[count++] = (double)(now_ns(CLOCK_MONOTONIC) - start_ns) / BATCH;
    }
    double used_ns = (double)(now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns);
    qsort(batches, (size_t)count, sizeof *batches, compare);
    /* The lowest tenth is what the work takes; the rest shares the processor with other programs.
     */
    printf("%.1f %.1f %.2f ns per task: median, lowest tenth, processor; state %llu\n",
           count ? batches[count / 2] : 0.0, count ? batches[count / 10] : 0.0,
           done ? used_ns / (double)done : 0.0, (unsigned long long)state);
    return 0;
}
