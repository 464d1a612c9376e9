/* A lock for what several threads share. In the page of a report (WebAssembly) there is one thread,
 * and it costs nothing. */
#ifndef MI_BASE_LOCK_H
#define MI_BASE_LOCK_H

#ifdef __wasi__

struct mi_lock {
    char unused;
};

static inline void mi_lock_init(struct mi_lock *lock)
{
    (void)lock;
}

static inline void mi_lock_fini(struct mi_lock *lock)
{
    (void)lock;
}

static inline void mi_lock_take(struct mi_lock *lock)
{
    (void)lock;
}

static inline void mi_lock_give(struct mi_lock *lock)
{
    (void)lock;
}

#else

#include <pthread.h>

struct mi_lock {
    pthread_mutex_t mutex;
};

static inline void mi_lock_init(struct mi_lock *lock)
{
    pthread_mutex_init(&lock->mutex, NULL); /* a plain one cannot fail */
}

static inline void mi_lock_fini(struct mi_lock *lock)
{
    pthread_mutex_destroy(&lock->mutex);
}

static inline void mi_lock_take(struct mi_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

static inline void mi_lock_give(struct mi_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

#endif

#endif
