/* Beginning and end of the capture of a process: its folder, its file, forks and exits. */
#include "collect/hook/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    RING_BYTES = 512 << 10,
    RING_BYTES_MIN = 8 << 10,
    RING_BYTES_MAX = 64 << 20,
    NAMES = 1000,
    HIGH_NUMBER = 500
};

struct mi_hook mi_hook = {.file = -1, .ring_bytes = RING_BYTES};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool has_complained;

void mi_hook_complain(const char *what, const char *path, int error)
{
    char text[4096];
    if (atomic_exchange(&has_complained, true))
        return;
    int len =
        snprintf(text, sizeof text, "model-inspector: %s%s%s%s%s; the program goes on\n", what,
                 *path ? " " : "", path, error ? ": " : "", error ? strerror(error) : "");
    if (len > 0 &&
        write(STDERR_FILENO, text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1) < 0)
        return; /* nobody to tell */
}

void mi_hook_break_off(int error)
{
    if (atomic_exchange(&mi_hook.is_broken, true))
        return;
    if (mi_hook.head) {
        mi_hook.head->error = error;
        mi_hook.head->state = MI_REC_BROKEN_OFF;
    }
    mi_hook_complain("the capture cannot be written any further, in", mi_hook.dir, error);
}

/* --- the file --- */

bool mi_hook_owns(int file, uint64_t device, uint64_t inode)
{
    struct stat info;
    return file >= 0 && fstat(file, &info) == 0 && info.st_dev == device && info.st_ino == inode;
}

/* Out of the way of programs that expect the next free number. */
static void move_up(void)
{
    struct stat info;
    int higher = fcntl(mi_hook.file, F_DUPFD_CLOEXEC, HIGH_NUMBER);
    if (higher >= 0) {
        close(mi_hook.file);
        mi_hook.file = higher;
    }
    if (fstat(mi_hook.file, &info) == 0) {
        mi_hook.file_device = info.st_dev;
        mi_hook.file_inode = info.st_ino;
    }
}

/* The first page as memory that both the kernel and we see: what is in it when the process is
 * killed is in the file. Without room for it there is no capture anyway. */
static bool map_head(void)
{
    void *at = MAP_FAILED;
    int error = posix_fallocate(mi_hook.file, 0, MI_REC_HEAD_BYTES);
    if (!error)
        at = mmap(NULL, MI_REC_HEAD_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, mi_hook.file, 0);
    if (at == MAP_FAILED) {
        errno = error ? error : errno;
        return false;
    }
    mi_hook.head = at;
    mi_hook.head_is_mapped = true;
    return true;
}

static bool open_file(uint32_t parent)
{
    char path[sizeof mi_hook.dir + 64];
    for (int i = 0; i < NAMES && mi_hook.file < 0; i++) {
        snprintf(path, sizeof path, "%s/hook-%ld-%d" MI_REC_SUFFIX, mi_hook.dir, (long)getpid(), i);
        mi_hook.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (mi_hook.file < 0 && errno != EEXIST)
            break;
    }
    if (mi_hook.file < 0)
        return false;
    if (!map_head()) {
        int error = errno;
        unlink(path);
        close(mi_hook.file);
        mi_hook.file = -1;
        errno = error;
        return false;
    }
    /* Until the head is whole, a kill leaves a file that is none: nothing slow in between. */
    struct mi_rec_file *head = mi_hook.head;
    *head = (struct mi_rec_file){.version = MI_REC_VERSION,
                                 .head_bytes = sizeof *head,
                                 .process = (uint32_t)getpid(),
                                 .parent = parent};
    mi_hook_read_clocks(&head->mono_ns, &head->real_ns);
    memcpy(head->magic, MI_REC_MAGIC, sizeof head->magic);
    move_up();
    mi_clock_start();
    mi_hook.file_bytes = MI_REC_HEAD_BYTES;
    return true;
}

static uint32_t forked_from; /* set in a child until its own capture begins */

bool mi_hook_begin_capture(void)
{
    if (atomic_load(&mi_hook.state) != MI_HOOK_READY)
        return atomic_load(&mi_hook.state) == MI_HOOK_ON;
    pthread_mutex_lock(&lock);
    if (atomic_load(&mi_hook.state) == MI_HOOK_READY) {
        struct mi_hook_shield shield;
        mi_hook_shield(&shield);
        bool ok = open_file(forked_from);
        mi_hook_unshield(&shield);
        if (!ok)
            mi_hook_complain("nothing is captured, because no file can be made in", mi_hook.dir,
                             errno);
        if (ok && !mi_writer_start()) {
            ok = false;
            mi_hook_break_off(EAGAIN);
        }
        atomic_store(&mi_hook.state, ok ? MI_HOOK_ON : MI_HOOK_ENDED);
    }
    pthread_mutex_unlock(&lock);
    return atomic_load(&mi_hook.state) == MI_HOOK_ON;
}

void mi_hook_end_capture(void)
{
    pthread_mutex_lock(&lock);
    if (atomic_exchange(&mi_hook.state, MI_HOOK_ENDED) == MI_HOOK_ON) {
        mi_writer_stop();
        mi_writer_close();
        /* The page stays mapped: a thread may be putting a record this very moment. */
        if (!atomic_load(&mi_hook.is_broken))
            mi_hook.head->state = MI_REC_ENDED;
    }
    pthread_mutex_unlock(&lock);
}

/* --- settings --- */

static bool is_on(const char *name)
{
    const char *text = getenv(name);
    return text && *text && strcmp(text, "0") != 0;
}

/* Digits alone; anything else is the fallback. */
static size_t number(const char *name, size_t fallback)
{
    const char *text = getenv(name);
    size_t sum = 0;
    if (!text || !*text)
        return fallback;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || sum > RING_BYTES_MAX)
            return fallback;
        sum = sum * 10 + (size_t)(*text - '0');
    }
    return sum;
}

static void read_settings(void)
{
    const char *dir = getenv("MI_CAPTURE_DIR");
    size_t wanted = number("MI_HOOK_RING_BYTES", RING_BYTES), bytes = RING_BYTES_MIN;
    while (bytes < wanted && bytes < RING_BYTES_MAX)
        bytes *= 2;
    mi_hook.ring_bytes = bytes;
    mi_hook.wants_graph = is_on("MI_CAPTURE_GRAPH");
    mi_hook.wants_runtime = is_on("MI_CAPTURE_RUNTIME");
    mi_hook.wants_weights = is_on("MI_CAPTURE_WEIGHTS");
    if (!dir || !*dir || strlen(dir) >= sizeof mi_hook.dir)
        return;
    memcpy(mi_hook.dir, dir, strlen(dir) + 1);
    atomic_store(&mi_hook.state, MI_HOOK_READY);
}

/* --- forks --- */

static void before_fork(void)
{
    mi_profile_before_fork();
    pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&lock);
    mi_profile_after_fork();
}

/* The child has our memory but none of our threads; its capture is one of its own, begun by its
 * first call. What the rings hold is the parent's, who writes it. */
static void in_child(void)
{
    if (atomic_load(&mi_hook.state) == MI_HOOK_ON) {
        forked_from = mi_hook.head->process;
        munmap(mi_hook.head, MI_REC_HEAD_BYTES);
        mi_hook.head = NULL;
        if (mi_hook_owns(mi_hook.file, mi_hook.file_device, mi_hook.file_inode))
            close(mi_hook.file);
        mi_hook.file = -1;
        mi_ring_forget();
        mi_writer_forget();
        mi_control_forget();
        mi_profile_forget();
        atomic_store(&mi_hook.state, MI_HOOK_READY);
    }
    pthread_mutex_unlock(&lock);
}

/* --- loading and unloading --- */

__attribute__((constructor)) static void load(void)
{
    read_settings();
    pthread_atfork(before_fork, after_fork, in_child);
}

/* Children of frameworks end this way, without what normally runs at an end. A child of vfork()
 * shares our memory and is none of ours. */
MI_HOOK_EXPORT __attribute__((noreturn)) void _exit(int code)
{
    if (atomic_load(&mi_hook.state) == MI_HOOK_ON && mi_hook.head->process == (uint32_t)getpid())
        mi_hook_flush_at_exit();
    for (;;)
        syscall(SYS_exit_group, code);
}

MI_HOOK_EXPORT __attribute__((noreturn)) void _Exit(int code)
{
    _exit(code);
}

__attribute__((destructor)) static void unload(void)
{
    mi_profile_stop();
    mi_hook_end_capture();
}
