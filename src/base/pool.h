/* Tasks over threads. No pool lives between calls: a run starts its threads and joins them. */
#ifndef MI_BASE_POOL_H
#define MI_BASE_POOL_H

#include "base/error.h"

#include <stdatomic.h>

/* A flag that asks long work to stop. Zero-initialised means "go on"; may be set from any thread
 * and from a signal handler. */
struct mi_cancel {
    atomic_bool is_set;
};

static inline void mi_cancel_set(struct mi_cancel *cancel)
{
    atomic_store_explicit(&cancel->is_set, true, memory_order_relaxed);
}

/* `cancel` may be NULL: never cancelled. */
static inline bool mi_cancelled(struct mi_cancel *cancel)
{
    return cancel && atomic_load_explicit(&cancel->is_set, memory_order_relaxed);
}

/* Asked now and then by work that may take long: whether to go on, and a sign of life for whoever
 * shows how far it is. */
struct mi_going {
    bool (*goes_on)(void *user);
    void *user;
};

/* `going` may be NULL: it goes on. */
static inline bool mi_goes_on(const struct mi_going *going)
{
    return !going || going->goes_on(going->user);
}

/* One task. `index` is 0..count-1; `worker` is 0..threads-1 and the same for all tasks that one
 * thread runs (for scratch memory). `err` is the task's own. */
typedef bool mi_pool_fn(void *context, uint32_t index, uint32_t worker, struct mi_error *err);

#define MI_POOL_MAX_THREADS 256

/* Processors this machine has online, at least 1, at most MI_POOL_MAX_THREADS. */
uint32_t mi_pool_cpus(void);

/* Runs fn for every index below `count`, handed out in rising order to at most `threads` threads
 * (0: mi_pool_cpus()); the caller's thread is one of them, and with one thread everything runs
 * inline. Returns after all threads were joined; what tasks wrote is then visible to the caller.
 *
 * A failed task stops the handing out; the error reported is that of the lowest index that failed,
 * whatever the number of threads, and all tasks below it have run. A set `cancel` stops the handing
 * out too and yields MI_ECANCELLED unless a task failed. If threads cannot be created the rest do
 * the work. */
bool mi_pool_run(uint32_t threads, uint32_t count, mi_pool_fn *fn, void *context,
                 struct mi_cancel *cancel, struct mi_error *err);

#endif
