/* libmi_hook.so: what its files share.
 *
 * It lives in somebody else's process. So: libc alone, no allocation and no lock on the path of a
 * call, nothing that could end or slow down the program, no word on its output but one sentence
 * when a capture cannot be written. Calls of the runtime are interposed (wrap_*.c), noted in the
 * ring of their thread (ring.c), and written to the file by a thread of our own (writer.c);
 * record.h tells of the file. */
#ifndef MI_COLLECT_HOOK_HOOK_H
#define MI_COLLECT_HOOK_HOOK_H

#include "capture/record.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#define MI_HOOK_EXPORT __attribute__((visibility("default")))

/* --- rings: one per thread, one writer each; ring.c --- */

struct mi_ring {
    /* Of the thread, on cache lines of its own: threads do not slow each other. */
    _Alignas(128) _Atomic uint64_t head; /* bytes put in, ever */
    uint64_t tail_seen;                  /* `tail` when it was looked at last */
    _Atomic uint64_t issued;
    _Atomic uint32_t dropped; /* since the beginning */
    uint32_t thread;
    uint32_t index; /* of its slot in the file */
    uint8_t *data;  /* [mi_hook.ring_bytes] */
    /* Of the writer. */
    _Alignas(128) _Atomic uint64_t tail; /* bytes taken out, ever */
    _Atomic uint32_t state;              /* enum mi_ring_state */
    uint32_t chunk_dropped;              /* what the chunks have told of `dropped` */
};

enum mi_ring_state { MI_RING_FREE, MI_RING_USED, MI_RING_LEFT /* its thread has ended */ };

/* --- the capture of this process; capture.c --- */

enum mi_hook_state {
    MI_HOOK_OFF,   /* no capture is wanted */
    MI_HOOK_READY, /* wanted; the first call begins it */
    MI_HOOK_ON,
    MI_HOOK_ENDED
};

struct mi_hook {
    /* What every call looks at, on one cache line. */
    _Alignas(64) _Atomic int state; /* enum mi_hook_state */
    _Atomic bool is_broken;
    size_t ring_bytes;        /* a power of two */
    struct mi_rec_file *head; /* mapped first page of the file, or memory of our own */

    _Alignas(64) char dir[3072]; /* capture folder, "" = none */
    bool wants_graph, wants_runtime, wants_weights;
    int file; /* -1 = none */
    bool head_is_mapped;
    uint64_t file_device, file_inode; /* of that file; see mi_hook_owns() */
    uint64_t file_bytes;              /* written so far */
    struct mi_ring rings[MI_REC_SLOTS];
    _Atomic uint32_t ring_count; /* used ever */
    _Atomic uint64_t model_count, step_count;
};

extern struct mi_hook mi_hook;

/* Begins the capture if one is wanted and not begun; true if records are taken from now on. */
bool mi_hook_begin_capture(void);

/* Writes out what the rings hold; from any thread. */
void mi_hook_flush(void);

/* Appends a chunk of whole records; from any thread. What cannot be written counts as missing.
 * `dropped`: records that the ring was given before and that will be in no chunk. */
void mi_hook_write_block(struct mi_ring *ring, const void *bytes, size_t len, uint32_t records,
                         uint32_t dropped);

/* The same for a process that ends at once, perhaps within a signal handler: waits for others 100
 * ms at most. */
void mi_hook_flush_at_exit(void);

/* While we write, the signal of a file that grows beyond a limit (ulimit -f) is ours to take: for
 * the program it would be the end. */
struct mi_hook_shield {
    sigset_t before;
    bool was_pending;
};
void mi_hook_shield(struct mi_hook_shield *shield);
void mi_hook_unshield(const struct mi_hook_shield *shield);

/* Ends the capture: everything is written, later calls pass through unseen. */
void mi_hook_end_capture(void);

/* Whether the number still stands for the file that we opened: programs close numbers that they do
 * not know, and open files of their own under them. */
bool mi_hook_owns(int file, uint64_t device, uint64_t inode);

/* One sentence on standard error, once per process. */
void mi_hook_complain(const char *what, const char *path, int error);

/* The file cannot be written any more: says so once and takes no more records. */
void mi_hook_break_off(int error);

/* --- time --- */

static inline uint64_t mi_hook_time(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* clock.c: how ticks of the processor's counter become ns of CLOCK_MONOTONIC. */
struct mi_hook_clock {
    _Alignas(64) _Atomic uint32_t round; /* odd: being written */
    _Atomic uint64_t ticks, ns;          /* one moment */
    _Atomic uint64_t ns_per_tick;        /* << MI_HOOK_CLOCK_BITS; 0 = the clock is to be asked */
};

enum { MI_HOOK_CLOCK_BITS = 40 };

extern struct mi_hook_clock mi_hook_clock;

void mi_clock_start(void);   /* when the capture begins */
void mi_clock_compare(void); /* by the writer, each round */

static inline uint64_t mi_hook_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

/* The time at that tick; 0 = not to be had. */
static inline uint64_t mi_hook_clock_at(uint64_t ticks)
{
    const struct mi_hook_clock *c = &mi_hook_clock;
    uint32_t round = atomic_load_explicit(&c->round, memory_order_acquire);
    uint64_t from = atomic_load_explicit(&c->ticks, memory_order_acquire);
    uint64_t ns = atomic_load_explicit(&c->ns, memory_order_acquire);
    uint64_t rate = atomic_load_explicit(&c->ns_per_tick, memory_order_acquire);
    if (!rate || round % 2 || atomic_load_explicit(&c->round, memory_order_relaxed) != round)
        return 0;
    __int128_t passed = (__int128_t)(int64_t)(ticks - from) * (int64_t)rate;
    return ns + (uint64_t)(int64_t)(passed >> MI_HOOK_CLOCK_BITS);
}

static inline uint64_t mi_hook_now(void)
{
    uint64_t ns = mi_hook_clock_at(mi_hook_ticks());
    return ns ? ns : mi_hook_time(CLOCK_MONOTONIC);
}

/* One moment on both clocks. A thread may lose the processor between two readings, so the closest
 * of some tries counts. */
static inline void mi_hook_read_clocks(uint64_t *mono_ns, uint64_t *real_ns)
{
    uint64_t least_ns = UINT64_MAX;
    for (int i = 0; i < 4; i++) {
        uint64_t before_ns = mi_hook_time(CLOCK_MONOTONIC);
        uint64_t real = mi_hook_time(CLOCK_REALTIME);
        uint64_t gap_ns = mi_hook_time(CLOCK_MONOTONIC) - before_ns;
        if (gap_ns >= least_ns)
            continue;
        least_ns = gap_ns;
        *mono_ns = before_ns + gap_ns / 2;
        *real_ns = real;
    }
}

/* --- what wrappers use; ring.c --- */

struct mi_hook_thread {
    struct mi_ring *ring; /* NULL: none yet */
    bool is_over;         /* none any more */
    bool is_busy;         /* the hook itself is calling: nothing is noted */
    int32_t device;       /* -1 unknown */
    uint64_t last_stream; /* the handle that it told of last, + 1 */
    uint64_t streams[64]; /* handles that it has told of, by their hash */
};

extern _Thread_local struct mi_hook_thread mi_hook_self __attribute__((tls_model("initial-exec")));

/* Whether this call is to be noted: the ring of the thread is there. */
bool mi_hook_attach(void);

static inline bool mi_hook_notes(void)
{
    if (atomic_load_explicit(&mi_hook.state, memory_order_relaxed) == MI_HOOK_ON &&
        mi_hook_self.ring && !mi_hook_self.is_busy)
        return true;
    return mi_hook_attach();
}

/* Puts a record into the ring, or counts it as dropped; sets rec->bytes. `text` may be NULL. */
void mi_hook_put(struct mi_rec *rec, const char *text);

/* A record of a call that began at start_ns and ends now. Adds what every record has: the current
 * device, and for `on_stream` the id of the task and, the first time, the id of the stream. */
void mi_hook_note(struct mi_rec *rec, uint64_t start_ns, bool on_stream, const char *text);

/* Tells of the id of the stream, the first time; mi_hook_note() does it where `on_stream`. */
void mi_hook_tell_of_stream(uint64_t handle);

/* wrap_graph.c: graphs that are being captured just now. */
extern _Atomic uint32_t mi_hook_graphs;
bool mi_hook_asks_whether_captured(uint64_t stream);

/* Whether calls on the stream do not run but are put into a graph. */
static inline bool mi_hook_is_captured(uint64_t stream)
{
    return atomic_load_explicit(&mi_hook_graphs, memory_order_relaxed) &&
           mi_hook_asks_whether_captured(stream);
}

/* Sets the thread's device anew, as the runtime knows it. */
void mi_hook_learn_device(void);

void mi_ring_forget(void); /* in a child */

/* A ring for records that mi_hook_write_block() writes, not those of a thread; NULL: none is left.
 */
struct mi_ring *mi_ring_take(enum mi_rec_slot_kind kind);

/* So many records more for such a ring, for whoever counts what is missing; from any thread. */
void mi_ring_count(struct mi_ring *ring, uint32_t records);

/* So many records more for such a ring, for whoever counts what is missing; from any thread. */
void mi_ring_count(struct mi_ring *ring, uint32_t records);

/* A sentence of the hook itself in the file: for whoever reads the capture. */
void mi_hook_remark(enum mi_rec_type type, const char *text);

/* --- the real functions; symbols.c --- */

enum mi_symbol {
#define MI_HOOK_SYMBOL(name) MI_SYMBOL_##name,
#include "collect/hook/symbols.def"
#undef MI_HOOK_SYMBOL
    MI_SYMBOL_COUNT
};

typedef void mi_hook_fn(void); /* to be cast to what the symbol is */

/* The runtime's function, or NULL where it has none. */
mi_hook_fn *mi_hook_real(enum mi_symbol symbol);

/* What wrappers return where the runtime lacks a function that the program calls all the same. */
enum { MI_HOOK_UNSUPPORTED = 207000 /* ACL_ERROR_RT_FEATURE_NOT_SUPPORT */ };

/* --- aclnn.c --- */

/* True where `name` may be an operator's; `partner` gets the name of the function that goes with
 * it.
 */
bool mi_aclnn_partner(const char *name, char *partner, size_t size);

/* What a program gets that looked the operator up: a function of ours; NULL = none is left. */
void *mi_aclnn_stub(const char *name, void *real);

/* --- writer.c --- */

bool mi_writer_start(void);
void mi_writer_stop(void);
void mi_writer_close(void);  /* the last chunks, then the file */
void mi_writer_forget(void); /* in a child: the thread is not there any more */

/* --- control.c: the socket in the capture folder --- */

int mi_control_open(void); /* -1 = none */
void mi_control_close(int listener);
int mi_control_answer(int listener); /* the same, or -1 where it is not ours any more */
void mi_control_forget(void);

/* --- api.c: collect.h for the program --- */

/* Marks that graphs are complete and writes everything out; says in the file where there are none.
 */
void mi_hook_snapshot(void);
bool mi_hook_dumps_graphs(void);

/* Makes the folder a capture, if it is none yet. */
bool mi_hook_mark_folder(bool is_complete);

/* --- models.c: copies of offline models, without weights --- */

/* `name` gets the path of the copy within the capture folder, "" if there is none. */
void mi_hook_copy_file(const char *path, char *name, size_t size);
void mi_hook_copy_memory(const void *model, size_t bytes, char *name, size_t size);

/* --- profile.c: MSPTI, or the profiler of AscendCL --- */

void mi_profile_prepare(void);          /* before aclInit */
void mi_profile_initialise(void);       /* after aclInit */
void mi_profile_device(int32_t device); /* after a device was set: starts it there */

/* Ends a step: what was profiled is whole afterwards. The next step begins at once. */
void mi_profile_collect(void);

/* The same at aclFinalize(): another aclInit() may begin it anew. */
void mi_profile_pause(void);

/* The same before the process becomes another program; mi_profile_initialise() resumes. */
void mi_profile_suspend(void);

/* Ends what is running for good. */
void mi_profile_stop(void);

/* About once a second, by the writer: what a kill would lose is written. */
void mi_profile_tick(void);

/* Around a fork, in the parent. */
void mi_profile_before_fork(void);
void mi_profile_after_fork(void);
void mi_profile_forget(void); /* in a child */
const char *mi_profile_state(void);
const char *mi_profile_name(void); /* which profiler it is; "none" */

#endif
