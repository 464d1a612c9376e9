/* The thread that writes: takes records out of the rings and appends them to the file as chunks. */
#include "collect/hook/hook.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TICK_MS = 10, LOOK_TICKS = 100, WAIT_AT_EXIT_NS = 100000000 };

static pthread_mutex_t flushing = PTHREAD_MUTEX_INITIALIZER;
static pthread_t thread;
static bool is_running;
static _Atomic bool is_asked_to_stop;

/* --- chunks --- */

static uint16_t bytes_at(const struct mi_ring *ring, uint64_t at)
{
    uint16_t bytes;
    memcpy(&bytes, ring->data + (at & (mi_hook.ring_bytes - 1)), sizeof bytes);
    return bytes;
}

/* Whole records from `tail` on, as many as one chunk takes. */
static uint64_t end_of_chunk(const struct mi_ring *ring, uint64_t tail, uint64_t head,
                             uint32_t *records)
{
    uint64_t at = tail;
    for (*records = 0; at < head; ++*records) {
        uint16_t bytes = bytes_at(ring, at);
        if (at + bytes - tail > MI_REC_CHUNK_MAX)
            break;
        at += bytes;
    }
    return at;
}

/* Appends all parts or nothing: a torn end is cut off again. */
static bool append(const struct iovec *parts, int count)
{
    size_t whole = 0;
    if (!mi_hook_owns(mi_hook.file, mi_hook.file_device, mi_hook.file_inode)) {
        mi_hook.file = -1; /* not ours to close */
        mi_hook_break_off(EBADF);
        return false;
    }
    for (int i = 0; i < count; i++)
        whole += parts[i].iov_len;
    ssize_t done;
    do
        done = pwritev(mi_hook.file, parts, count, (off_t)mi_hook.file_bytes);
    while (done < 0 && errno == EINTR);
    if (done == (ssize_t)whole) {
        mi_hook.file_bytes += whole;
        return true;
    }
    int error = done < 0 ? errno : ENOSPC;
    if (ftruncate(mi_hook.file, (off_t)mi_hook.file_bytes) != 0)
        error = error ? error : errno;
    mi_hook_break_off(error);
    return false;
}

/* One chunk of records that lie in two pieces. */
static bool write_parts(const struct mi_ring *ring, const void *first, size_t first_len,
                        const void *second, size_t second_len, uint32_t records, uint32_t dropped)
{
    struct mi_rec_chunk chunk = {.version = MI_REC_VERSION,
                                 .head_bytes = sizeof chunk,
                                 .bytes = (uint32_t)(first_len + second_len),
                                 .records = records,
                                 .ring = ring->index,
                                 .thread = ring->thread,
                                 .dropped = dropped};
    mi_hook_read_clocks(&chunk.mono_ns, &chunk.real_ns);
    memcpy(chunk.magic, MI_REC_CHUNK_MAGIC, sizeof chunk.magic);
    chunk.checksum = mi_rec_sum(0, &chunk, offsetof(struct mi_rec_chunk, checksum));
    chunk.checksum = mi_rec_sum(chunk.checksum, first, first_len);
    chunk.checksum = mi_rec_sum(chunk.checksum, second, second_len);
    struct iovec parts[] = {{&chunk, sizeof chunk},
                            {(void *)(uintptr_t)first, first_len},
                            {(void *)(uintptr_t)second, second_len}};
    return append(parts, 3);
}

/* One chunk of the ring from tail to end; `end` == tail tells of dropped records alone. */
static bool write_chunk(const struct mi_ring *ring, uint64_t tail, uint64_t end, uint32_t records,
                        uint32_t dropped)
{
    size_t place = (size_t)tail & (mi_hook.ring_bytes - 1), len = (size_t)(end - tail);
    size_t first = len < mi_hook.ring_bytes - place ? len : mi_hook.ring_bytes - place;
    return write_parts(ring, ring->data + place, first, ring->data, len - first, records, dropped);
}

void mi_hook_shield(struct mi_hook_shield *shield)
{
    sigset_t set;
    sigpending(&set);
    shield->was_pending = sigismember(&set, SIGXFSZ) == 1;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, &shield->before);
}

void mi_hook_unshield(const struct mi_hook_shield *shield)
{
    int error = errno; /* why something failed meanwhile */
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    if (!shield->was_pending)
        while (sigtimedwait(&set, NULL, &(struct timespec){0}) > 0)
            continue;
    pthread_sigmask(SIG_SETMASK, &shield->before, NULL);
    errno = error;
}

static void drain(struct mi_ring *ring)
{
    uint32_t state = atomic_load_explicit(&ring->state, memory_order_acquire);
    if (state == MI_RING_FREE)
        return;
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    uint32_t dropped = atomic_load_explicit(&ring->dropped, memory_order_acquire);
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    uint32_t fresh = dropped - ring->chunk_dropped;
    while ((tail < head || fresh) && !atomic_load(&mi_hook.is_broken)) {
        uint32_t records;
        uint64_t end = end_of_chunk(ring, tail, head, &records);
        if (!write_chunk(ring, tail, end, records, fresh))
            break;
        ring->chunk_dropped += fresh;
        fresh = 0;
        tail = end;
        atomic_store_explicit(&ring->tail, tail, memory_order_release);
    }
    if (state == MI_RING_LEFT)
        atomic_store_explicit(&ring->state, MI_RING_FREE, memory_order_release);
}

static void drain_all(void)
{
    struct mi_hook_shield shield;
    uint32_t count = atomic_load(&mi_hook.ring_count);
    mi_hook_shield(&shield);
    for (uint32_t i = 0; mi_hook.file >= 0 && i < count; i++)
        drain(&mi_hook.rings[i]);
    mi_hook_unshield(&shield);
}

void mi_hook_flush(void)
{
    pthread_mutex_lock(&flushing);
    drain_all();
    pthread_mutex_unlock(&flushing);
}

void mi_hook_write_block(struct mi_ring *ring, const void *bytes, size_t len, uint32_t records,
                         uint32_t dropped)
{
    struct mi_hook_shield shield;
    mi_ring_count(ring, records);
    mi_hook_shield(&shield);
    pthread_mutex_lock(&flushing);
    if (mi_hook.file >= 0 && !atomic_load(&mi_hook.is_broken))
        write_parts(ring, bytes, len, NULL, 0, records, dropped);
    pthread_mutex_unlock(&flushing);
    mi_hook_unshield(&shield);
}

void mi_hook_flush_at_exit(void)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_AT_EXIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    if (pthread_mutex_timedlock(&flushing, &until) != 0)
        return;
    drain_all();
    if (mi_hook.head && !atomic_load(&mi_hook.is_broken))
        mi_hook.head->state = MI_REC_ENDED;
    pthread_mutex_unlock(&flushing);
}

void mi_writer_close(void)
{
    mi_hook_flush();
    pthread_mutex_lock(&flushing);
    if (mi_hook_owns(mi_hook.file, mi_hook.file_device, mi_hook.file_inode))
        close(mi_hook.file);
    mi_hook.file = -1;
    pthread_mutex_unlock(&flushing);
}

/* --- the thread --- */

/* Somebody removed the file or its folder: what is written then goes nowhere. */
static void look_after_file(void)
{
    struct stat info;
    if (mi_hook.file >= 0 && fstat(mi_hook.file, &info) == 0 && info.st_nlink == 0)
        mi_hook_break_off(ENOENT);
}

static void *write_on(void *user)
{
    int listener = (int)(intptr_t)user;
    mi_hook_self.is_busy = true; /* nothing that happens here is the program's */
    for (unsigned tick = 1; !atomic_load(&is_asked_to_stop); tick++) {
        struct pollfd wait = {.fd = listener, .events = POLLIN};
        if (poll(&wait, 1, TICK_MS) > 0 && wait.revents)
            listener = mi_control_answer(listener);
        mi_clock_compare();
        mi_hook_flush();
        if (tick % LOOK_TICKS == 0) {
            look_after_file();
            mi_profile_tick();
        }
    }
    mi_control_close(listener);
    return NULL;
}

bool mi_writer_start(void)
{
    sigset_t all, before;
    int listener = mi_control_open(); /* here: whoever sees the program's first words may ask */
    atomic_store(&is_asked_to_stop, false);
    sigfillset(&all); /* signals are the program's */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_running = pthread_create(&thread, NULL, write_on, (void *)(intptr_t)listener) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!is_running)
        mi_control_close(listener);
    return is_running;
}

void mi_writer_stop(void)
{
    atomic_store(&is_asked_to_stop, true);
    if (is_running && !pthread_equal(thread, pthread_self()))
        pthread_join(thread, NULL);
    else if (is_running)
        pthread_detach(thread);
    is_running = false;
}

void mi_writer_forget(void)
{
    is_running = false;
    pthread_mutex_init(&flushing, NULL);
}
