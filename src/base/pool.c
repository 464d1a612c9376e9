/* Tasks over threads. */
#include "base/pool.h"

#include <pthread.h>
#include <unistd.h>

struct run {
    mi_pool_fn *fn;
    void *context;
    struct mi_cancel *cancel;
    uint32_t count;
    _Atomic uint64_t next;     /* 64 bits: may step past `count` once per thread */
    atomic_bool has_failed;    /* stops the handing out */
    atomic_bool was_cancelled; /* a task was left undone because of `cancel` */
    pthread_mutex_t lock;      /* guards the two below */
    uint32_t failed_index;
    struct mi_error error;
};

struct worker {
    struct run *run;
    uint32_t number;
    pthread_t thread;
};

static void note_failure(struct run *run, uint32_t index, const struct mi_error *error)
{
    pthread_mutex_lock(&run->lock);
    if (run->error.code == MI_OK || index < run->failed_index) {
        run->failed_index = index;
        run->error = *error;
    }
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->has_failed, true);
}

static void *work(void *arg)
{
    const struct worker *worker = arg;
    struct run *run = worker->run;
    while (!atomic_load(&run->has_failed)) {
        uint64_t index = atomic_fetch_add(&run->next, 1);
        if (index >= run->count)
            break;
        if (mi_cancelled(run->cancel)) {
            atomic_store(&run->was_cancelled, true);
            break;
        }
        struct mi_error error = MI_ERROR_INIT;
        if (!run->fn(run->context, (uint32_t)index, worker->number, &error)) {
            mi_fail(&error, MI_EINTERNAL, "task %u failed without saying why", (unsigned)index);
            note_failure(run, (uint32_t)index, &error);
        }
    }
    return NULL;
}

uint32_t mi_pool_cpus(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    if (cpus < 1)
        return 1;
    return cpus > MI_POOL_MAX_THREADS ? MI_POOL_MAX_THREADS : (uint32_t)cpus;
}

/* Starts workers 1..want-1; returns how many there are, the caller's own included. */
static uint32_t start(struct worker *workers, uint32_t want)
{
    uint32_t have = 1;
    while (have < want && pthread_create(&workers[have].thread, NULL, work, &workers[have]) == 0)
        have++;
    return have;
}

bool mi_pool_run(uint32_t threads, uint32_t count, mi_pool_fn *fn, void *context,
                 struct mi_cancel *cancel, struct mi_error *err)
{
    struct worker workers[MI_POOL_MAX_THREADS];
    struct run run = {.fn = fn, .context = context, .cancel = cancel, .count = count};
    if (threads == 0)
        threads = mi_pool_cpus();
    if (threads > MI_POOL_MAX_THREADS)
        threads = MI_POOL_MAX_THREADS;
    if (threads > count)
        threads = count ? count : 1;
    run.error = MI_ERROR_INIT;
    if (pthread_mutex_init(&run.lock, NULL) != 0)
        return mi_fail(err, MI_ENOMEM, "no memory for a lock");
    for (uint32_t i = 0; i < threads; i++)
        workers[i] = (struct worker){.run = &run, .number = i};
    uint32_t have = threads > 1 ? start(workers, threads) : 1;
    work(&workers[0]);
    for (uint32_t i = 1; i < have; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_mutex_destroy(&run.lock);
    if (run.error.code != MI_OK) {
        if (err && err->code == MI_OK)
            *err = run.error;
        return false;
    }
    if (atomic_load(&run.was_cancelled))
        return mi_fail(err, MI_ECANCELLED, "cancelled");
    return true;
}
