/* MSPTI, the profiler that delivers what ran while it runs: libmspti.so of CANN 8.1 and later.
 *
 *   subscribe, register the two callbacks, enable kinds       as early as can be
 *   request: a buffer of ours, or none where all are in use   on any thread of the library
 *   complete: records of a buffer become records of the file  on a thread of the library
 *   each second, and to collect or stop: flush
 *
 * Nothing of a buffer is kept: memory is what BUFFERS take, whatever the program does. What could
 * not be kept is counted and told of in the file. */
#include "collect/hook/mspti.h"

#include "collect/hook/hook.h"
#include "collect/hook/mspti_records.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

enum {
    BUFFERS = 16,
    BUFFER_BYTES = 2 << 20 /* the least that the library wants */
};

typedef int subscribe_fn(void **, void (*)(void *, int, uint32_t, const void *), void *);
typedef int unsubscribe_fn(void *);
typedef int register_fn(void (*)(uint8_t **, size_t *, size_t *),
                        void (*)(uint8_t *, size_t, size_t));
typedef int kind_fn(int);
typedef int flush_fn(uint32_t);

static struct {
    subscribe_fn *subscribe;
    unsubscribe_fn *unsubscribe;
    register_fn *register_callbacks;
    kind_fn *enable, *disable;
    mi_mspti_next_fn *next;
    flush_fn *flush;
    void *subscriber;
} lib;

static bool is_enabled[MI_MSPTI_KINDS];

/* --- the library --- */

static bool take(void *handle, const char *name, void *function)
{
    void *at = dlsym(handle, name);
    memcpy(function, &at, sizeof at);
    return at != NULL;
}

bool mi_mspti_is_there(void)
{
    static void *handle;
    if (handle)
        return lib.flush != NULL;
    handle = dlopen("libmspti.so", RTLD_LAZY | RTLD_LOCAL);
    return handle && take(handle, "msptiSubscribe", &lib.subscribe) &&
           take(handle, "msptiUnsubscribe", &lib.unsubscribe) &&
           take(handle, "msptiActivityRegisterCallbacks", &lib.register_callbacks) &&
           take(handle, "msptiActivityEnable", &lib.enable) &&
           take(handle, "msptiActivityDisable", &lib.disable) &&
           take(handle, "msptiActivityGetNextRecord", &lib.next) &&
           take(handle, "msptiActivityFlushAll", &lib.flush);
}

/* --- buffers --- */

static pthread_mutex_t converting = PTHREAD_MUTEX_INITIALIZER;
static struct buffer {
    _Atomic bool is_used;
    uint8_t *_Atomic data;
} buffers[BUFFERS];
static struct mi_ring *ring;     /* counts the records; its memory stays empty */
static _Atomic uint64_t refused; /* requests that found none; complete() tells of them */

static void request(uint8_t **data, size_t *bytes, size_t *most_records)
{
    *data = NULL;
    *bytes = *most_records = 0; /* as many records as there is room for */
    for (int i = 0; i < BUFFERS; i++) {
        bool is_free = false;
        if (!atomic_compare_exchange_strong(&buffers[i].is_used, &is_free, true))
            continue;
        if (!buffers[i].data) {
            void *at = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            buffers[i].data = at == MAP_FAILED ? NULL : at;
        }
        if (buffers[i].data) {
            *data = buffers[i].data;
            *bytes = BUFFER_BYTES;
            return;
        }
        atomic_store(&buffers[i].is_used, false);
        break;
    }
    mi_ring_count(ring, 1); /* first here, where a kill cannot take it away */
    atomic_fetch_add(&refused, 1);
}

static void give_back(const uint8_t *data)
{
    for (int i = 0; i < BUFFERS; i++)
        if (data && buffers[i].data == data)
            atomic_store(&buffers[i].is_used, false);
}

static void put_refused(void)
{
    uint64_t many = atomic_exchange(&refused, 0);
    if (many)
        mi_mspti_put_lost(MI_REC_LOST_NO_BUFFER, many, (uint32_t)many);
}

static void complete(uint8_t *data, size_t bytes, size_t valid)
{
    pthread_mutex_lock(&converting);
    if (ring) {
        put_refused();
        if (data && valid <= bytes && bytes == BUFFER_BYTES)
            mi_mspti_convert(data, valid, lib.next);
        mi_mspti_write_block();
    }
    give_back(data);
    pthread_mutex_unlock(&converting);
}

/* --- beginning and end --- */

static void say(const char *what, int code)
{
    char text[128];
    snprintf(text, sizeof text, "MSPTI: %s gave %d", what, code);
    mi_hook_remark(MI_REC_note, text);
}

static void enable_kinds(void)
{
    static const uint8_t wanted[] = {
        MI_MSPTI_KERNEL,        MI_MSPTI_API,    MI_MSPTI_ACL_API, MI_MSPTI_NODE_API,
        MI_MSPTI_RUNTIME_API,   MI_MSPTI_MEMCPY, MI_MSPTI_MEMSET,  MI_MSPTI_MARKER,
        MI_MSPTI_COMMUNICATION, MI_MSPTI_HCCL};
    for (size_t i = 0; i < sizeof wanted;
         i++) /* MI_MSPTI_HCCL is the older form of MI_MSPTI_COMMUNICATION */
        is_enabled[wanted[i]] =
            !(wanted[i] == MI_MSPTI_HCCL && is_enabled[MI_MSPTI_COMMUNICATION]) &&
            lib.enable(wanted[i]) == MI_MSPTI_SUCCESS;
}

static void disable_kinds(void)
{
    for (int kind = 0; kind < MI_MSPTI_KINDS; kind++)
        if (is_enabled[kind])
            lib.disable(kind);
}

/* One is wanted; none of its events are. */
static void hear(void *user, int domain, uint32_t id, const void *data)
{
    (void)user, (void)domain, (void)id, (void)data;
}

int mi_mspti_start(void)
{
    int code = lib.subscribe(&lib.subscriber, hear, NULL);
    if (code)
        return code;
    ring = ring ? ring : mi_ring_take(MI_REC_SLOT_MSPTI);
    mi_mspti_records_to(ring);
    code = ring ? lib.register_callbacks(request, complete) : -1;
    if (code == MI_MSPTI_SUCCESS) {
        enable_kinds();
        if (is_enabled[MI_MSPTI_KERNEL])
            return MI_MSPTI_SUCCESS;
        code = -1;
        disable_kinds();
    }
    say("starting", code);
    lib.unsubscribe(lib.subscriber);
    return code;
}

void mi_mspti_flush(void)
{
    lib.flush(1);
}

void mi_mspti_stop(bool for_good)
{
    disable_kinds(); /* has the library fetch what is still on the device */
    lib.flush(1);
    if (for_good)
        lib.unsubscribe(lib.subscriber);
    else
        enable_kinds();
    complete(NULL, 0, 0); /* what was refused meanwhile is told */
}

void mi_mspti_forget(void)
{
    pthread_mutex_init(&converting, NULL);
    ring = NULL;
    atomic_store(&refused, 0);
    mi_mspti_records_to(NULL);
}
