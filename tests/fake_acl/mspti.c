/* A stand-in for MSPTI: libmspti.so with its symbols, behaving as its documentation says. Records
 * go into buffers that the subscriber gives; full ones are handed back from a thread of its own,
 * all by msptiActivityFlushAll(). The stand-in for AscendCL reports to it (mspti.h).
 *
 * FAKE_MSPTI, words separated by commas, makes it difficult:
 *   old      knows no kinds beyond 8, as CANN 8.1
 *   fill     a buffer counts as full after 40,000 bytes
 *   slow     hands a buffer back only after a while: the subscriber runs out of them
 *   late     a flush returns before its buffers are handed back
 *   odd      now and then a record of a kind that nobody knows
 *   cut      the last record of a buffer is not whole
 *   taken    somebody else has subscribed
 * What was dropped is written to FAKE_ACL_TRUTH.mspti when the process ends. */
#include "mspti.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

enum {
    OK = 0,
    INVALID = 1,
    MULTIPLE = 2,
    END = 3,
    NO_PRELOAD = 6,
    KINDS = 13,
    ODD_KIND = 99,
    ODD_BYTES = 16,
    SMALL = 40000,
    QUEUE = 64,
    PAUSE_US = 20000
};

static const uint8_t sizes[KINDS] = {0, 56, 56, 48, 56, 64, 56, 56, 24, 72, 48, 48, 48};

typedef void callback_fn(void *, int, uint32_t, const void *);
typedef void request_fn(uint8_t **, size_t *, size_t *);
typedef void complete_fn(uint8_t *, size_t, size_t);

struct buffer {
    uint8_t *data;
    size_t bytes, len;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t change = PTHREAD_COND_INITIALIZER;
static pthread_t thread;
static bool has_thread, is_ending;
static struct buffer current, queue[QUEUE];
static size_t queued;
static bool is_current;
static _Atomic bool enabled[KINDS];
static callback_fn *callback;
static request_fn *request;
static complete_fn *complete;
static _Atomic uint64_t last_id;
static uint64_t put_count, dropped, odd;

static bool is_set(const char *word)
{
    const char *words = getenv("FAKE_MSPTI");
    return words && strstr(words, word);
}

static bool is_preloaded(void)
{
    const char *list = getenv("LD_PRELOAD");
    return list && strstr(list, "libmspti.so");
}

/* --- buffers; under the lock but for calls of the subscriber --- */

static void *hand_back(void *user)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (!queued && !is_ending)
            pthread_cond_wait(&change, &lock);
        if (!queued)
            break;
        struct buffer first = queue[0];
        memmove(queue, queue + 1, --queued * sizeof *queue);
        pthread_mutex_unlock(&lock);
        if (is_set("slow") || is_set("late"))
            usleep(PAUSE_US);
        complete(first.data, first.bytes, first.len);
        pthread_mutex_lock(&lock);
    }
    pthread_mutex_unlock(&lock);
    return user;
}

static void enqueue(void)
{
    if (queued == QUEUE)
        return;
    if (is_set("cut") && current.len > 100)
        current.len -= 20;
    queue[queued++] = current;
    is_current = false;
    pthread_cond_broadcast(&change);
}

static bool make_room(size_t bytes)
{
    size_t most = is_set("fill") ? SMALL : current.bytes * 8 / 10;
    if (is_current && current.len + bytes > most)
        enqueue();
    if (!is_current && queued < QUEUE) {
        size_t records = 0;
        current = (struct buffer){0};
        request(&current.data, &current.bytes, &records);
        is_current = current.data != NULL;
    }
    return is_current && current.len + bytes <= current.bytes;
}

static void put(int kind, const void *record)
{
    pthread_mutex_lock(&lock);
    if (enabled[kind] && request) {
        put_count++;
        if (is_set("odd") && put_count % 50 == 0 && make_room(ODD_BYTES)) {
            int32_t head[ODD_BYTES / 4] = {ODD_KIND};
            memcpy(current.data + current.len, head, ODD_BYTES);
            current.len += ODD_BYTES;
            odd++;
        }
        if (make_room(sizes[kind])) {
            memcpy(current.data + current.len, record, sizes[kind]);
            current.len += sizes[kind];
        } else {
            dropped++;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Hands back what is queued; a thread that is not there any more, in a child, is waited for in
 * vain. */
static void end_thread(void)
{
    pthread_mutex_lock(&lock);
    is_ending = true;
    pthread_cond_broadcast(&change);
    pthread_mutex_unlock(&lock);
    if (has_thread)
        pthread_join(thread, NULL);
    has_thread = is_ending = false;
}

/* --- records, packed as MSPTI's --- */

static void put32(uint8_t *at, uint32_t value)
{
    memcpy(at, &value, sizeof value);
}

static void put64(uint8_t *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
}

/* The same text always has the same address. */
static const char *intern(const char *text)
{
    static const char *texts[4096];
    static size_t count;
    static pthread_mutex_t texts_lock = PTHREAD_MUTEX_INITIALIZER;
    const char *found = NULL;
    pthread_mutex_lock(&texts_lock);
    for (size_t i = 0; i < count && !found; i++)
        found = strcmp(texts[i], text) == 0 ? texts[i] : NULL;
    if (!found) {
        found = strdup(text);
        if (count < sizeof texts / sizeof *texts)
            texts[count++] = found;
    }
    pthread_mutex_unlock(&texts_lock);
    return found;
}

API void fake_mspti_kernel(uint32_t device, uint32_t stream, uint64_t start_ns, uint64_t end_ns,
                           uint64_t id, const char *type, const char *name)
{
    uint8_t at[56] = {2};
    put64(at + 4, start_ns);
    put64(at + 12, end_ns);
    put32(at + 20, device);
    put32(at + 24, stream);
    put64(at + 28, id);
    put64(at + 36, (uint64_t)(uintptr_t)intern(type));
    put64(at + 44, (uint64_t)(uintptr_t)intern(name));
    put(2, at);
}

API void fake_mspti_api(int kind, const char *name, uint64_t start_ns, uint64_t end_ns, uint64_t id)
{
    uint8_t at[48] = {(uint8_t)kind};
    put64(at + 4, start_ns);
    put64(at + 12, end_ns);
    put32(at + 20, (uint32_t)getpid());
    put32(at + 24, (uint32_t)gettid());
    put64(at + 28, id);
    put64(at + 36, (uint64_t)(uintptr_t)intern(name));
    put(kind, at);
}

API void fake_mspti_copy(uint32_t device, uint32_t stream, uint64_t bytes, int kind,
                         uint64_t start_ns, uint64_t end_ns, uint64_t id)
{
    uint8_t at[56] = {7};
    put32(at + 4, (uint32_t)kind);
    put64(at + 8, bytes);
    put64(at + 16, start_ns);
    put64(at + 24, end_ns);
    put32(at + 32, device);
    put32(at + 36, stream);
    put64(at + 40, id);
    at[48] = 1;
    put(7, at);
}

API void fake_mspti_communication(uint32_t device, uint32_t stream, uint64_t start_ns,
                                  uint64_t end_ns, uint64_t id, const char *name)
{
    uint8_t at[72] = {9};
    put32(at + 4, 4); /* float32 */
    put64(at + 8, 1024);
    put32(at + 16, device);
    put32(at + 20, stream);
    put64(at + 24, start_ns);
    put64(at + 32, end_ns);
    put64(at + 40, (uint64_t)(uintptr_t)intern("RING"));
    put64(at + 48, (uint64_t)(uintptr_t)intern(name));
    put64(at + 56, (uint64_t)(uintptr_t)intern("group_0"));
    put64(at + 64, id);
    put(9, at);
}

API uint64_t fake_mspti_new_id(void)
{
    return atomic_fetch_add(&last_id, 1) + 1;
}

/* --- the symbols --- */

API int msptiSubscribe(void **subscriber, callback_fn *function, void *user)
{
    if (callback || is_set("taken"))
        return MULTIPLE;
    callback = function;
    (void)user;
    *subscriber = &callback;
    return OK;
}

API int msptiUnsubscribe(void *subscriber)
{
    if (subscriber != &callback)
        return INVALID;
    callback = NULL;
    if (!is_set("late"))
        end_thread();
    return OK;
}

API int msptiActivityRegisterCallbacks(request_fn *ask, complete_fn *give)
{
    if (!ask || !give)
        return INVALID;
    pthread_mutex_lock(&lock);
    request = ask;
    complete = give;
    if (!has_thread)
        has_thread = pthread_create(&thread, NULL, hand_back, NULL) == 0;
    pthread_mutex_unlock(&lock);
    return OK;
}

API int msptiActivityEnable(int kind)
{
    bool wants_preload = kind == 4 || kind == 6 || kind == 7;
    if (kind < 1 || kind >= KINDS || (is_set("old") && kind > 8))
        return INVALID;
    if (wants_preload && !is_preloaded())
        return NO_PRELOAD;
    atomic_store(&enabled[kind], true);
    return OK;
}

API int msptiActivityDisable(int kind)
{
    if (kind < 1 || kind >= KINDS)
        return INVALID;
    atomic_store(&enabled[kind], false);
    return OK;
}

API int msptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record)
{
    static _Thread_local size_t place; /* counted here and not by *record, as the real one does */
    int32_t kind;
    if (place >= valid) {
        place = 0;
        return END;
    }
    memcpy(&kind, buffer + place, sizeof kind);
    *record = buffer + place;
    place += kind > 0 && kind < KINDS ? sizes[kind] : ODD_BYTES;
    return OK;
}

API int msptiActivityFlushAll(uint32_t flag)
{
    struct buffer taken[QUEUE];
    size_t count = 0;
    (void)flag;
    pthread_mutex_lock(&lock);
    if (is_current)
        enqueue();
    if (!is_set("late")) {
        count = queued;
        memcpy(taken, queue, count * sizeof *taken);
        queued = 0;
    }
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < count; i++)
        complete(taken[i].data, taken[i].bytes, taken[i].len);
    return OK;
}

__attribute__((destructor)) static void end(void)
{
    char path[4200];
    const char *truth = getenv("FAKE_ACL_TRUTH");
    end_thread();
    snprintf(path, sizeof path, "%s.mspti", truth ? truth : "");
    FILE *file = truth && *truth ? fopen(path, "w") : NULL;
    if (file) {
        fprintf(file, "dropped %llu\nodd %llu\n", (unsigned long long)dropped,
                (unsigned long long)odd);
        fclose(file);
    }
}
