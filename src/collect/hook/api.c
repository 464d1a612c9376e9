/* collect.h: what a program itself may call. */
#include "model-inspector/collect.h"

#include "collect/hook/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_ours; /* capture.json was written here, not by the command line */

/* The least that makes a folder a capture; the command line writes more. */
bool mi_hook_mark_folder(bool is_complete)
{
    char path[sizeof mi_hook.dir + 32], made[sizeof path + 32], text[512];
    struct stat info;
    snprintf(path, sizeof path, "%s/capture.json", mi_hook.dir);
    if (!is_ours && stat(path, &info) == 0)
        return true;
    snprintf(made, sizeof made, "%s.%ld.part", path, (long)getpid());
    int len = snprintf(text, sizeof text,
                       "{\"schema\": \"model-inspector-capture/1\", \"collector\": \"cann\",\n"
                       " \"complete\": %s,\n"
                       " \"files\": [{\"path\": \".\", \"role\": \"profile\"}],\n"
                       " \"settings\": {\"graph\": \"%s\", \"runtime\": \"%s\"}}\n",
                       is_complete ? "true" : "false", mi_hook.wants_graph ? "on" : "off",
                       mi_hook.wants_runtime ? "on" : "off");
    int file = open(made, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool ok = file >= 0 && write(file, text, (size_t)len) == len;
    if (file >= 0)
        close(file);
    ok = ok && rename(made, path) == 0;
    if (!ok)
        unlink(made);
    is_ours |= ok;
    return ok;
}

/* Whether the graph engine has been told to dump; it looks when it begins. */
bool mi_hook_dumps_graphs(void)
{
    const char *level = getenv("DUMP_GE_GRAPH");
    return level && *level >= '1' && *level <= '3';
}

void mi_hook_snapshot(void)
{
    mi_hook_remark(MI_REC_snapshot, NULL);
    if (!mi_hook.wants_graph)
        mi_hook_remark(MI_REC_note, "a snapshot was asked for, but graphs are not collected");
    else if (!mi_hook_dumps_graphs())
        mi_hook_remark(MI_REC_note,
                       "a snapshot was asked for, but the graph engine was not told to "
                       "dump its graphs (DUMP_GE_GRAPH): there are the loaded models "
                       "alone");
    mi_hook_flush();
}

static int begin(const char *folder, unsigned what)
{
    char path[PATH_MAX];
    if (atomic_load(&mi_hook.state) != MI_HOOK_OFF)
        return EALREADY;
    if (!folder || !*folder || !(what & (MI_COLLECT_GRAPH | MI_COLLECT_RUNTIME)))
        return EINVAL;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return errno;
    if (!realpath(folder, path)) /* the program may change its folder */
        return errno;
    if (strlen(path) >= sizeof mi_hook.dir)
        return ENAMETOOLONG;
    memcpy(mi_hook.dir, path, strlen(path) + 1);
    mi_hook.wants_graph = what & MI_COLLECT_GRAPH;
    mi_hook.wants_runtime = what & MI_COLLECT_RUNTIME;
    mi_hook.wants_weights = what & MI_COLLECT_WEIGHTS;
    if (!mi_hook_mark_folder(false))
        return errno ? errno : EIO;
    atomic_store(&mi_hook.state, MI_HOOK_READY);
    return mi_hook_begin_capture() ? 0 : EIO;
}

int MI_HOOK_EXPORT mi_collect_start(const char *folder, unsigned what)
{
    pthread_mutex_lock(&lock);
    int error = begin(folder, what);
    pthread_mutex_unlock(&lock);
    return error;
}

/* 0, or why there is nothing to collect. */
static int check(void)
{
    int state = atomic_load(&mi_hook.state);
    return state == MI_HOOK_OFF || state == MI_HOOK_ENDED ? ENODEV
           : atomic_load(&mi_hook.is_broken)              ? EIO
                                                          : 0;
}

int MI_HOOK_EXPORT mi_collect_snapshot_graph(void)
{
    int error = check();
    if (error)
        return error;
    mi_hook_snapshot();
    return 0;
}

int MI_HOOK_EXPORT mi_collect_runtime(void)
{
    int error = check();
    if (error)
        return error;
    mi_profile_collect();
    mi_hook_remark(MI_REC_collect, NULL);
    mi_hook_flush();
    return 0;
}

int MI_HOOK_EXPORT mi_collect_stop(void)
{
    int error = check();
    if (error)
        return error;
    mi_profile_stop();
    mi_hook_end_capture();
    pthread_mutex_lock(&lock);
    if (is_ours)
        mi_hook_mark_folder(!atomic_load(&mi_hook.is_broken));
    pthread_mutex_unlock(&lock);
    return 0;
}
