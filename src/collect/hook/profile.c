/* Which profiler tells what a hook cannot see, and when it begins, hands over and ends.
 *
 * Only one may be at work in a process. Where another one is (msprof, the framework's), ours stays
 * away and says so. MI_CAPTURE_PROFILER names one; else it is, in this order,
 *
 *   aclprof  where msprof is there too, which makes tables of what it leaves: ids of tasks, models,
 *            counters
 *   mspti    delivers into the capture by itself: times of kernels, no tool needed
 *   aclprof  whose profile stays raw here, to be exported elsewhere */
#include "collect/hook/aclprof.h"
#include "collect/hook/hook.h"
#include "collect/hook/mspti.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ALREADY_SUBSCRIBED = 2 /* msptiResult */, DEVICES_MAX = 64, PATH_BYTES = 4096 };

enum stage { NOT_WANTED, NOT_BEGUN, ELSEWHERE, FAILED, RUNNING, OVER };

enum tool { NONE, ACLPROF, MSPTI, MSPROF };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int stage = NOT_BEGUN;
static _Atomic int tool = NONE;
static uint64_t devices; /* a bit for each that was set */

const char *mi_profile_state(void)
{
    static const char *const words[] = {"off", "waiting", "another", "failed", "running", "ended"};
    return words[atomic_load(&stage)];
}

const char *mi_profile_name(void)
{
    static const char *const words[] = {"none", "aclprof", "mspti", "msprof"};
    return words[atomic_load(&tool)];
}

/* --- the choice --- */

static bool has_program(const char *name)
{
    const char *list = getenv("PATH");
    char path[PATH_BYTES];
    while (list && *list) {
        const char *end = strchr(list, ':');
        size_t len = end ? (size_t)(end - list) : strlen(list);
        if ((size_t)snprintf(path, sizeof path, "%.*s/%s", (int)len, list, name) < sizeof path &&
            access(path, X_OK) == 0)
            return true;
        list = end ? end + 1 : NULL;
    }
    return false;
}

static bool is_choice(const char *choice, const char *word)
{
    return choice && strcmp(choice, word) == 0;
}

/* Sets tool, and stage where there is none for us. */
static void choose(void)
{
    const char *choice = getenv("MI_CAPTURE_PROFILER");
    bool is_auto = !choice || !*choice || is_choice(choice, "auto");
    if (is_choice(choice, "none")) {
        atomic_store(&stage, NOT_WANTED);
    } else if (is_choice(choice, "msprof")) {
        atomic_store(&tool, MSPROF);
        atomic_store(&stage, ELSEWHERE);
    } else if (getenv("PROFILER_SAMPLECONFIG") || getenv("PROFILING_MODE")) {
        atomic_store(&stage, ELSEWHERE);
    } else if ((is_choice(choice, "aclprof") || (is_auto && has_program("msprof"))) &&
               mi_aclprof_is_there()) {
        atomic_store(&tool, ACLPROF);
    } else if ((is_choice(choice, "mspti") || is_auto) && mi_mspti_is_there()) {
        atomic_store(&tool, MSPTI);
    } else if (is_auto && mi_aclprof_is_there()) {
        atomic_store(&tool, ACLPROF);
    } else {
        atomic_store(&stage, FAILED);
        mi_hook_remark(MI_REC_note, is_auto ? "there is no profiler: neither aclprof nor MSPTI"
                                            : "the profiler that was asked for is not there");
    }
}

/* --- beginning; all under the lock, and nothing of it is the program's --- */

/* Libraries that were loaded later are gone when our own end comes. */
static void end_in_time(void)
{
    atexit(mi_profile_stop);
}

static bool enter(void)
{
    pthread_mutex_lock(&lock);
    bool was_busy = mi_hook_self.is_busy;
    mi_hook_self.is_busy = true;
    return was_busy;
}

static void leave(bool was_busy)
{
    mi_hook_self.is_busy = was_busy;
    pthread_mutex_unlock(&lock);
}

static pthread_once_t has_end = PTHREAD_ONCE_INIT;

static void begin_mspti(void)
{
    int code = mi_mspti_start();
    atomic_store(&stage, !code ? RUNNING : code == ALREADY_SUBSCRIBED ? ELSEWHERE : FAILED);
    pthread_once(&has_end, end_in_time);
}

static void begin_aclprof(void)
{
    atomic_store(&stage, mi_aclprof_begin() == 0 ? RUNNING : FAILED);
    for (uint32_t d = 0; d < DEVICES_MAX && atomic_load(&stage) == RUNNING; d++)
        if (devices >> d & 1)
            mi_aclprof_start(d);
    pthread_once(&has_end, end_in_time);
}

static bool is_wanted(void)
{
    return mi_hook.wants_runtime && mi_hook.dir[0] && atomic_load(&stage) == NOT_BEGUN &&
           mi_hook_notes();
}

void mi_profile_prepare(void)
{
    if (!is_wanted())
        return;
    bool was_busy = enter();
    if (atomic_load(&stage) == NOT_BEGUN && atomic_load(&tool) == NONE)
        choose();
    if (atomic_load(&stage) == NOT_BEGUN && atomic_load(&tool) == MSPTI)
        begin_mspti();
    leave(was_busy);
}

void mi_profile_initialise(void)
{
    mi_profile_prepare();
    if (!is_wanted())
        return;
    bool was_busy = enter();
    if (atomic_load(&stage) == NOT_BEGUN && atomic_load(&tool) == ACLPROF)
        begin_aclprof();
    leave(was_busy);
}

void mi_profile_device(int32_t device)
{
    if (atomic_load(&stage) == NOT_BEGUN)
        mi_profile_initialise(); /* aclInit was called where we did not see it */
    if (device < 0 || device >= DEVICES_MAX || atomic_load(&stage) != RUNNING)
        return;
    bool was_busy = enter();
    if (!(devices >> device & 1) && atomic_load(&stage) == RUNNING) {
        devices |= UINT64_C(1) << device;
        if (atomic_load(&tool) == ACLPROF)
            mi_aclprof_start((uint32_t)device);
    }
    leave(was_busy);
}

/* --- handing over --- */

static void end_step(enum stage next)
{
    if (atomic_load(&stage) != RUNNING)
        return;
    bool was_busy = enter();
    if (atomic_load(&stage) == RUNNING && atomic_load(&tool) == MSPTI) {
        mi_mspti_stop(next != RUNNING);
        atomic_store(&stage, next);
    } else if (atomic_load(&stage) == RUNNING) {
        mi_aclprof_end();
        atomic_store(&stage, next);
        if (next == RUNNING)
            begin_aclprof();
    }
    leave(was_busy);
}

void mi_profile_collect(void)
{
    end_step(RUNNING);
}

void mi_profile_suspend(void)
{
    end_step(NOT_BEGUN);
}

/* MSPTI has threads, and waits for them at its end: a child that has the library without its
 * threads would wait for ever. So it rests while the process forks. */
void mi_profile_before_fork(void)
{
    if (atomic_load(&tool) == MSPTI)
        mi_profile_suspend();
}

void mi_profile_after_fork(void)
{
    if (atomic_load(&tool) == MSPTI)
        mi_profile_initialise();
}

void mi_profile_pause(void)
{
    end_step(NOT_BEGUN);
    bool was_busy = enter();
    devices = 0;
    leave(was_busy);
}

void mi_profile_stop(void)
{
    end_step(OVER);
}

void mi_profile_tick(void)
{
    if (atomic_load(&stage) != RUNNING || atomic_load(&tool) != MSPTI ||
        pthread_mutex_trylock(&lock) != 0)
        return;
    if (atomic_load(&stage) == RUNNING)
        mi_mspti_flush();
    pthread_mutex_unlock(&lock);
}

/* A profiler that runs is the parent's, and so are its threads. */
void mi_profile_forget(void)
{
    pthread_mutex_init(&lock, NULL);
    if (atomic_load(&stage) == RUNNING)
        atomic_store(&stage, NOT_WANTED);
    mi_aclprof_forget();
    mi_mspti_forget();
}
