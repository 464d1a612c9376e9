/* The ring of a thread: the thread puts records in, the writer takes them out, nobody waits. */
#include "collect/hook/hook.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local struct mi_hook_thread mi_hook_self
    __attribute__((tls_model("initial-exec"))) = {.device = -1};

/* Slots of the first threads lie on cache lines of their own. */
enum { SLOTS_OF_LINE = 4, SLOT_LINES = MI_REC_SLOTS / SLOTS_OF_LINE };

_Static_assert(SLOTS_OF_LINE *SLOT_LINES == MI_REC_SLOTS, "each slot is used");

static pthread_key_t end_of_thread;
static pthread_once_t has_key = PTHREAD_ONCE_INIT;

/* The thread ends: its ring is for another one as soon as it is empty. */
static void leave(void *ring)
{
    mi_hook_self.ring = NULL;
    mi_hook_self.is_over = true;
    atomic_store_explicit(&((struct mi_ring *)ring)->state, MI_RING_LEFT, memory_order_release);
}

static void make_key(void)
{
    pthread_key_create(&end_of_thread, leave);
}

static struct mi_rec_slot *slot_of(const struct mi_ring *ring)
{
    return (struct mi_rec_slot *)(void *)(mi_hook.head + 1) + ring->index;
}

struct mi_ring *mi_ring_take(enum mi_rec_slot_kind kind)
{
    for (uint32_t i = 0; i < MI_REC_SLOTS; i++) {
        struct mi_ring *ring = &mi_hook.rings[i];
        uint32_t is_free = MI_RING_FREE;
        if (!atomic_compare_exchange_strong(&ring->state, &is_free, MI_RING_USED))
            continue;
        if (!ring->data) {
            void *data = mmap(NULL, mi_hook.ring_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (data == MAP_FAILED) {
                atomic_store(&ring->state, MI_RING_FREE);
                return NULL;
            }
            ring->data = data;
        }
        ring->index = i % SLOT_LINES * SLOTS_OF_LINE + i / SLOT_LINES;
        ring->thread = (uint32_t)syscall(SYS_gettid);
        slot_of(ring)->thread = ring->thread;
        slot_of(ring)->kind = kind;
        uint32_t count = atomic_load(&mi_hook.ring_count);
        while (count <= i && !atomic_compare_exchange_weak(&mi_hook.ring_count, &count, i + 1))
            continue;
        return ring;
    }
    return NULL;
}

void mi_ring_forget(void)
{
    for (uint32_t i = 0; i < MI_REC_SLOTS; i++) {
        uint8_t *data = mi_hook.rings[i].data;
        mi_hook.rings[i] = (struct mi_ring){.data = data};
    }
    atomic_store(&mi_hook.ring_count, 0);
    pthread_once(&has_key, make_key);
    pthread_setspecific(end_of_thread, NULL);
    mi_hook_self.ring = NULL;
    mi_hook_self.is_busy = false;
    mi_hook_self.last_stream = 0;
    memset(mi_hook_self.streams, 0, sizeof mi_hook_self.streams);
}

/* The thread's ring, and the capture with the first one. */
static bool join_in(struct mi_hook_thread *self)
{
    bool was_busy = self->is_busy;
    self->is_busy = true;
    bool ok = mi_hook_begin_capture();
    if (ok && !self->ring && !self->is_over) {
        self->ring = mi_ring_take(MI_REC_SLOT_THREAD);
        if (self->ring) {
            pthread_once(&has_key, make_key);
            pthread_setspecific(end_of_thread, self->ring);
        }
    }
    if (ok && !self->ring)
        atomic_fetch_add((_Atomic uint64_t *)&mi_hook.head->refused, 1);
    self->is_busy = was_busy;
    return ok && self->ring;
}

void mi_ring_count(struct mi_ring *ring, uint32_t records)
{
    atomic_fetch_add_explicit(&ring->issued, records, memory_order_relaxed);
    atomic_fetch_add((_Atomic uint64_t *)&slot_of(ring)->issued, records);
}

/* The same for one record by the thread of the ring: nobody else writes there. */
static void count_own(struct mi_ring *ring)
{
    uint64_t issued = atomic_load_explicit(&ring->issued, memory_order_relaxed) + 1;
    atomic_store_explicit(&ring->issued, issued, memory_order_relaxed);
    atomic_store_explicit((_Atomic uint64_t *)&slot_of(ring)->issued, issued, memory_order_relaxed);
}

bool mi_hook_attach(void)
{
    struct mi_hook_thread *self = &mi_hook_self;
    if (atomic_load_explicit(&mi_hook.state, memory_order_relaxed) == MI_HOOK_OFF ||
        self->is_busy || !join_in(self))
        return false;
    if (self->device < 0)
        mi_hook_learn_device();
    return true;
}

/* Copies into the ring, around its end where need be. */
static void copy_in(const struct mi_ring *ring, uint64_t at, const void *bytes, size_t len)
{
    size_t place = (size_t)at & (mi_hook.ring_bytes - 1), room = mi_hook.ring_bytes - place;
    size_t first = len < room ? len : room;
    memcpy(ring->data + place, bytes, first);
    if (first < len)
        memcpy(ring->data, (const uint8_t *)bytes + first, len - first);
}

/* The tail moves every 10 ms and lies on a cache line of the writer: it is looked at only where
 * there seems to be no room. */
static bool has_room(struct mi_ring *ring, uint64_t head, size_t bytes)
{
    if (head - ring->tail_seen + bytes > mi_hook.ring_bytes)
        ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
    return head - ring->tail_seen + bytes <= mi_hook.ring_bytes &&
           !atomic_load_explicit(&mi_hook.is_broken, memory_order_relaxed);
}

void mi_hook_put(struct mi_rec *rec, const char *text)
{
    static const uint8_t zeros[8];
    struct mi_ring *ring = mi_hook_self.ring;
    size_t len = text ? strnlen(text, MI_REC_TEXT_MAX) : 0, padded = (len + 7) & ~(size_t)7;
    size_t bytes = sizeof *rec + padded;
    if (atomic_load_explicit(&mi_hook.state, memory_order_acquire) != MI_HOOK_ON)
        return; /* the capture ended while the call was going on: it is none of its calls */
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    count_own(ring);
    if (!has_room(ring, head, bytes)) {
        atomic_store_explicit(&ring->dropped,
                              atomic_load_explicit(&ring->dropped, memory_order_relaxed) + 1,
                              memory_order_release);
        return;
    }
    rec->bytes = (uint16_t)bytes;
    copy_in(ring, head, rec, sizeof *rec);
    if (len) {
        copy_in(ring, head + sizeof *rec, text, len);
        copy_in(ring, head + sizeof *rec + len, zeros, padded - len);
    }
    atomic_store_explicit(&ring->head, head + bytes, memory_order_release);
}

/* --- what every record has --- */

typedef int get_device_fn(int32_t *);
typedef int get_stream_id_fn(void *, int32_t *);
typedef int get_task_fn(uint32_t *);

void mi_hook_learn_device(void)
{
    struct mi_hook_thread *self = &mi_hook_self;
    get_device_fn *ask = (get_device_fn *)mi_hook_real(MI_SYMBOL_aclrtGetDevice);
    int32_t device = -1;
    bool was_busy = self->is_busy;
    self->is_busy = true;
    self->device = ask && ask(&device) == 0 ? device : -1;
    self->is_busy = was_busy;
}

/* A handle that this thread meets for the first time: its id goes ahead of the record. */
void mi_hook_tell_of_stream(uint64_t handle)
{
    struct mi_hook_thread *self = &mi_hook_self;
    uint64_t key = handle + 1;
    if (self->last_stream == key || !self->ring)
        return;
    self->last_stream = key;
    uint64_t *place = &self->streams[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
    if (*place == key)
        return;
    *place = key;
    get_stream_id_fn *ask = (get_stream_id_fn *)mi_hook_real(MI_SYMBOL_aclrtStreamGetId);
    int32_t id = -1;
    self->is_busy = true;
    bool ok = ask && ask((void *)(uintptr_t)handle, &id) == 0 && id >= 0;
    self->is_busy = false;
    if (!ok)
        return;
    mi_hook_put(&(struct mi_rec){.type = MI_REC_stream_seen,
                                 .start_ns = mi_hook_now(),
                                 .stream = handle,
                                 .size = (uint64_t)id,
                                 .task = MI_REC_NO_TASK,
                                 .device = self->device},
                NULL);
}

void mi_hook_note(struct mi_rec *rec, uint64_t start_ns, bool on_stream, const char *text)
{
    struct mi_hook_thread *self = &mi_hook_self;
    rec->start_ns = start_ns;
    uint64_t end_ns = mi_hook_now();
    rec->dur_ns = end_ns > start_ns ? end_ns - start_ns : 0;
    rec->task = MI_REC_NO_TASK;
    if (!self->ring)
        return;
    if (on_stream) {
        get_task_fn *ask = (get_task_fn *)mi_hook_real(MI_SYMBOL_aclrtGetThreadLastTaskId);
        uint32_t task;
        if (mi_hook_is_captured(rec->stream))
            rec->task = MI_REC_IN_GRAPH;
        else if (ask && rec->code == 0 && ask(&task) == 0)
            rec->task = task;
        mi_hook_tell_of_stream(rec->stream);
    }
    rec->device = self->device;
    mi_hook_put(rec, text);
}

void mi_hook_remark(enum mi_rec_type type, const char *text)
{
    if (atomic_load(&mi_hook.state) == MI_HOOK_OFF || !join_in(&mi_hook_self))
        return;
    mi_hook_put(&(struct mi_rec){.type = (uint16_t)type,
                                 .start_ns = mi_hook_now(),
                                 .task = MI_REC_NO_TASK,
                                 .device = mi_hook_self.device},
                text);
}
