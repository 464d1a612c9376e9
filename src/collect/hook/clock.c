/* The monotonic clock, read without asking for it.
 *
 * clock_gettime() holds up the processor until all that came before is done; around each call of a
 * program that is dearer than all the rest of a record. The counter of the processor can be read
 * in passing. The writer compares both clocks at each of its rounds and publishes how to turn
 * ticks into ns; time never jumps by that: what a round finds wrong is made good over the next
 * ones.
 *
 * Only where the kernel itself keeps time by that counter, which means that it is the same on all
 * processors and never stops; else, and until the first comparison, the clock is asked. */
#include "collect/hook/hook.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    WRONG_NS = 1000000,     /* the counter is not what it seemed: the clock is asked from now on */
    MAKE_GOOD_NS = 50000000 /* over this time an error is made good */
};

struct mi_hook_clock mi_hook_clock;

static bool is_possible;
static uint64_t first_ticks, first_ns;

static bool is_kernels_own(void)
{
#if defined(__x86_64__)
    static const char wanted[] = "tsc\n";
#elif defined(__aarch64__)
    static const char wanted[] = "arch_sys_counter\n";
#else
    static const char wanted[] = "";
#endif
    char name[32] = "";
    int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                    O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, name, sizeof name - 1) : -1;
    if (file >= 0)
        close(file);
    return got > 0 && wanted[0] && strcmp(name, wanted) == 0;
}

static uint64_t read_both(uint64_t *ticks)
{
    uint64_t least = UINT64_MAX, ns = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t before = mi_hook_ticks(), now_ns = mi_hook_time(CLOCK_MONOTONIC);
        uint64_t gap = mi_hook_ticks() - before;
        if (gap >= least)
            continue;
        least = gap;
        *ticks = before + gap / 2;
        ns = now_ns;
    }
    return ns;
}

static void publish(uint64_t ticks, uint64_t ns, uint64_t ns_per_tick)
{
    struct mi_hook_clock *c = &mi_hook_clock;
    uint32_t round = atomic_load_explicit(&c->round, memory_order_relaxed);
    atomic_store_explicit(&c->round, round + 1, memory_order_relaxed); /* odd: being written */
    atomic_store_explicit(&c->ticks, ticks, memory_order_release);
    atomic_store_explicit(&c->ns, ns, memory_order_release);
    atomic_store_explicit(&c->ns_per_tick, ns_per_tick, memory_order_release);
    atomic_store_explicit(&c->round, round + 2, memory_order_release);
}

void mi_clock_start(void)
{
    const char *choice = getenv("MI_HOOK_CLOCK");
    is_possible = !(choice && strcmp(choice, "system") == 0) && is_kernels_own();
    first_ns = read_both(&first_ticks);
}

void mi_clock_compare(void)
{
    uint64_t ticks, ns = read_both(&ticks);
    if (!is_possible || ticks <= first_ticks || ns <= first_ns)
        return;
    uint64_t rate =
        (uint64_t)(((__uint128_t)(ns - first_ns) << MI_HOOK_CLOCK_BITS) / (ticks - first_ticks));
    if (!atomic_load_explicit(&mi_hook_clock.ns_per_tick, memory_order_relaxed)) {
        publish(ticks, ns, rate);
        return;
    }
    uint64_t thought_ns = mi_hook_clock_at(ticks);
    int64_t off_ns = (int64_t)(ns - thought_ns);
    if (off_ns > WRONG_NS || off_ns < -WRONG_NS) {
        is_possible = false;
        publish(ticks, ns, 0);
        return;
    }
    publish(ticks, thought_ns, rate + (uint64_t)((int64_t)rate / MAKE_GOOD_NS * off_ns));
}
