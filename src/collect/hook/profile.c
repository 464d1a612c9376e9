/* The profiler of AscendCL, driven from inside: it writes a PROF_* folder into the capture, with
 * what a hook cannot see (times on the device, counters).
 *
 *   after aclInit: aclprofInit(capture folder)       each device that is set: aclprofStart
 *   collect, stop, aclFinalize, the end: aclprofStop, aclprofFinalize; the folder is whole then
 *
 * Only one profiler may be at work in a process. Where another one is (msprof, the framework's,
 * MSPTI), this one stays away and says so. */
#include "collect/hook/hook.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Task times, counters of the cores, AI CPU, communication, calls of the runtime: aclprof's data
 * types. */
enum {
    ACL_API = 0x1,
    TASK_TIME = 0x2,
    CORE_METRICS = 0x4,
    AICPU = 0x8,
    HCCL_TRACE = 0x20,
    RUNTIME_API = 0x100,
    PIPE_UTILISATION = 1, /* aclprofAicoreMetrics */
    DEVICES_MAX = 64
};

enum stage { NOT_WANTED, NOT_BEGUN, ELSEWHERE, FAILED, INITIALISED, OVER };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int stage = NOT_BEGUN;
static struct {
    void *config; /* of this device; NULL = not started */
    uint32_t device;
} started[DEVICES_MAX];
static size_t started_count;

typedef int init_fn(const char *, size_t);
typedef void *config_fn(uint32_t *, uint32_t, int, const void *, uint64_t);
typedef int use_fn(const void *);
typedef int end_fn(void);

const char *mi_profile_state(void)
{
    static const char *const words[] = {"off", "waiting", "another", "failed", "running", "ended"};
    return words[atomic_load(&stage)];
}

/* Who else profiles this process. */
static bool is_taken(void)
{
    const char *choice = getenv("MI_CAPTURE_PROFILER");
    return getenv("PROFILER_SAMPLECONFIG") || getenv("PROFILING_MODE") ||
           (choice && strcmp(choice, "none") == 0);
}

static void say(const char *what, int code)
{
    char text[128];
    snprintf(text, sizeof text, "aclprof: %s gave %d", what, code);
    mi_hook_remark(MI_REC_note, text);
}

/* In libascendcl, or in a library of its own, which nobody may have opened yet. */
static init_fn *find_init(void)
{
    mi_hook_fn *init = mi_hook_real(MI_SYMBOL_aclprofInit);
    if (!init && dlopen("libmsprofiler.so", RTLD_LAZY | RTLD_GLOBAL))
        init = mi_hook_real(MI_SYMBOL_aclprofInit);
    return (init_fn *)init;
}

void mi_profile_initialise(void)
{
    if (!mi_hook.wants_runtime || !mi_hook.dir[0] || atomic_load(&mi_hook.state) != MI_HOOK_ON)
        return;
    pthread_mutex_lock(&lock);
    bool was_busy = mi_hook_self.is_busy;
    if (atomic_load(&stage) == NOT_BEGUN) {
        int code = 0;
        init_fn *init = is_taken() ? NULL : find_init();
        if (is_taken()) {
            atomic_store(&stage, ELSEWHERE);
        } else if (!init) {
            atomic_store(&stage, FAILED);
            mi_hook_remark(MI_REC_note, "the runtime has no aclprofInit");
        } else {
            mi_hook_self.is_busy = true;
            code = init(mi_hook.dir, strlen(mi_hook.dir));
            mi_hook_self.is_busy = was_busy;
            atomic_store(&stage, code ? FAILED : INITIALISED);
            if (code)
                say("aclprofInit", code);
        }
    }
    pthread_mutex_unlock(&lock);
}

static void start_on(uint32_t device)
{
    config_fn *configure = (config_fn *)mi_hook_real(MI_SYMBOL_aclprofCreateConfig);
    use_fn *start = (use_fn *)mi_hook_real(MI_SYMBOL_aclprofStart);
    if (!configure || !start || started_count == DEVICES_MAX)
        return;
    bool was_busy = mi_hook_self.is_busy;
    mi_hook_self.is_busy = true;
    void *config = configure(&device, 1, PIPE_UTILISATION, NULL,
                             ACL_API | TASK_TIME | CORE_METRICS | AICPU | HCCL_TRACE | RUNTIME_API);
    int code = config ? start(config) : -1;
    mi_hook_self.is_busy = was_busy;
    started[started_count].device = device;
    started[started_count++].config = code == 0 ? config : NULL;
    if (code)
        say("aclprofStart", code);
}

void mi_profile_device(int32_t device)
{
    if (atomic_load(&stage) == NOT_BEGUN)
        mi_profile_initialise(); /* aclInit was called where we did not see it */
    if (device < 0 || atomic_load(&stage) != INITIALISED)
        return;
    pthread_mutex_lock(&lock);
    bool is_there = false;
    for (size_t i = 0; i < started_count; i++)
        is_there |= started[i].device == (uint32_t)device;
    if (!is_there && atomic_load(&stage) == INITIALISED)
        start_on((uint32_t)device);
    pthread_mutex_unlock(&lock);
}

bool mi_profile_stop(void)
{
    use_fn *stop = (use_fn *)mi_hook_real(MI_SYMBOL_aclprofStop);
    use_fn *destroy = (use_fn *)mi_hook_real(MI_SYMBOL_aclprofDestroyConfig);
    end_fn *finish = (end_fn *)mi_hook_real(MI_SYMBOL_aclprofFinalize);
    if (atomic_load(&stage) != INITIALISED)
        return false;
    pthread_mutex_lock(&lock);
    bool was_running = atomic_load(&stage) == INITIALISED, was_busy = mi_hook_self.is_busy;
    mi_hook_self.is_busy = true;
    for (size_t i = 0; was_running && i < started_count; i++) {
        if (started[i].config && stop)
            stop(started[i].config);
        if (started[i].config && destroy)
            destroy(started[i].config);
    }
    if (was_running && finish)
        finish();
    started_count = 0;
    atomic_store(&stage, OVER);
    mi_hook_self.is_busy = was_busy;
    pthread_mutex_unlock(&lock);
    return was_running;
}
