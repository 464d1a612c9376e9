/* The profiler of AscendCL: it writes a PROF_* folder with what a hook cannot see (times on the
 * device, counters).
 *
 *   after aclInit: aclprofInit(a folder of ours)     each device that is set: aclprofStart
 *   collect, stop, aclFinalize, the end: aclprofStop, aclprofFinalize
 *
 * The folder of ours, profiling-<pid>, holds what is being written; what is whole is moved up into
 * the capture folder, so that nobody exports half a profile. */
#include "collect/hook/aclprof.h"

#include "collect/hook/hook.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

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
    DEVICES_MAX = 64,
    PATH_BYTES = sizeof mi_hook.dir + 64
};

static struct {
    void *config; /* of this device; NULL = not started */
    uint32_t device;
} started[DEVICES_MAX];
static size_t started_count;

typedef int init_fn(const char *, size_t);
typedef void *config_fn(uint32_t *, uint32_t, int, const void *, uint64_t);
typedef int use_fn(const void *);
typedef int end_fn(void);

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

bool mi_aclprof_is_there(void)
{
    return find_init() != NULL;
}

static void name_folder(char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/profiling-%ld", mi_hook.dir, (long)getpid());
}

int mi_aclprof_begin(void)
{
    char path[PATH_BYTES];
    init_fn *init = find_init();
    name_folder(path);
    mkdir(path, 0700); /* where it cannot be made the profiler says so */
    int code = init ? init(path, strlen(path)) : -1;
    if (code) {
        rmdir(path);
        say("aclprofInit", code);
    }
    return code;
}

void mi_aclprof_start(uint32_t device)
{
    config_fn *configure = (config_fn *)mi_hook_real(MI_SYMBOL_aclprofCreateConfig);
    use_fn *start = (use_fn *)mi_hook_real(MI_SYMBOL_aclprofStart);
    for (size_t i = 0; i < started_count; i++)
        if (started[i].device == device)
            return;
    if (!configure || !start || started_count == DEVICES_MAX)
        return;
    void *config = configure(&device, 1, PIPE_UTILISATION, NULL,
                             ACL_API | TASK_TIME | CORE_METRICS | AICPU | HCCL_TRACE | RUNTIME_API);
    int code = config ? start(config) : -1;
    started[started_count].device = device;
    started[started_count++].config = code == 0 ? config : NULL;
    if (code)
        say("aclprofStart", code);
}

/* Out of the folder of what is being written. */
static void move_up(void)
{
    char path[PATH_BYTES], from[PATH_BYTES + 300], to[PATH_BYTES + 300];
    struct dirent *entry;
    name_folder(path);
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(from, sizeof from, "%s/%s", path, entry->d_name);
        snprintf(to, sizeof to, "%s/%s", mi_hook.dir, entry->d_name);
        if (rename(from, to) != 0)
            mi_hook_remark(MI_REC_note, "a profile could not be moved out of its folder");
        else /* several processes may share a folder: this one is ours */
            mi_hook_remark(MI_REC_profile, entry->d_name);
    }
    if (folder)
        closedir(folder);
    rmdir(path);
}

void mi_aclprof_end(void)
{
    use_fn *stop = (use_fn *)mi_hook_real(MI_SYMBOL_aclprofStop);
    use_fn *destroy = (use_fn *)mi_hook_real(MI_SYMBOL_aclprofDestroyConfig);
    end_fn *finish = (end_fn *)mi_hook_real(MI_SYMBOL_aclprofFinalize);
    for (size_t i = 0; i < started_count; i++) {
        if (started[i].config && stop)
            stop(started[i].config);
        if (started[i].config && destroy)
            destroy(started[i].config);
    }
    started_count = 0;
    if (finish)
        finish();
    move_up();
}

void mi_aclprof_forget(void)
{
    started_count = 0;
}
