/* What AscendCL's profiler leaves is raw; msprof, which comes with CANN, makes tables of it. */
#include "base/decimal.h"
#include "base/files.h"
#include "collect/live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL     "msprof"
#define LOG_NAME "msprof.log"

static bool is_exported(const char *profile)
{
    char path[2 * MI_LIVE_PATH];
    struct stat info;
    return (size_t)snprintf(path, sizeof path, "%s/mindstudio_profiler_output", profile) <
               sizeof path &&
           stat(path, &info) == 0;
}

static bool run_tool(const char *dir, const char *profile)
{
    char log_path[MI_LIVE_PATH + 64], output[2 * MI_LIVE_PATH + 16];
    struct stat info;
    int status = 0;
    snprintf(log_path, sizeof log_path, "%s/" LOG_NAME, dir);
    snprintf(output, sizeof output, "--output=%s", profile);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        int log = open(log_path, O_WRONLY | O_CREAT | O_APPEND, 0666);
        if (log >= 0) {
            dup2(log, STDOUT_FILENO);
            dup2(log, STDERR_FILENO);
        }
        unsetenv("LD_PRELOAD"); /* a tool is no program to be looked at */
        execlp(TOOL, TOOL, "--export=on", output, (char *)NULL);
        _exit(127);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (stat(log_path, &info) == 0 && info.st_size == 0)
        unlink(log_path); /* it had nothing to say */
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void export_in(const char *dir, const char *folder, const struct mi_dir *listing,
                      uint32_t *exported, uint32_t *missing)
{
    char profile[2 * MI_LIVE_PATH];
    for (uint32_t i = 0; i < listing->count; i++) {
        const struct mi_dir_entry *entry = &listing->entries[i];
        if (entry->kind != MI_FILE_DIR || strncmp(entry->name, "PROF_", 5) != 0 ||
            (size_t)snprintf(profile, sizeof profile, "%s/%s", folder, entry->name) >=
                sizeof profile ||
            is_exported(profile))
            continue;
        if (run_tool(dir, profile) && is_exported(profile))
            ++*exported;
        else
            ++*missing;
    }
}

/* Whether the profile that this folder is for is cut off: its process is gone. */
static bool is_left_behind(const char *name)
{
    int64_t process;
    return strncmp(name, "profiling-", 10) == 0 &&
           mi_decimal_i64(mi_cstr(name + 10), &process) == 0 && process > 0 &&
           process <= INT32_MAX && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

bool mi_live_export_profiles(const char *dir, uint32_t *exported, uint32_t *missing,
                             struct mi_error *err)
{
    struct mi_dir listing, inner;
    char folder[2 * MI_LIVE_PATH];
    *exported = *missing = 0;
    if (!mi_dir_read(&listing, dir, MI_DIR_MAX_ENTRIES, err))
        return false;
    export_in(dir, dir, &listing, exported, missing);
    for (uint32_t i = 0; i < listing.count; i++) {
        const struct mi_dir_entry *entry = &listing.entries[i];
        if (entry->kind != MI_FILE_DIR || !is_left_behind(entry->name) ||
            (size_t)snprintf(folder, sizeof folder, "%s/%s", dir, entry->name) >= sizeof folder ||
            !mi_dir_read(&inner, folder, MI_DIR_MAX_ENTRIES, NULL))
            continue;
        export_in(dir, folder, &inner, exported, missing);
        mi_dir_free(&inner);
    }
    mi_dir_free(&listing);
    return true;
}
