/* Clears a folder of the capture that it holds, and of nothing else: first all is looked at, and if
 * there is one thing that no capture leaves, or a process that still writes, nothing is removed. */
#include "base/files.h"
#include "base/input.h"
#include "capture/manifest.h"
#include "collect/live/live.h"

#include <errno.h>
#include <fnmatch.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPEN_FOLDERS = 16 };

/* What a capture leaves in its folder; a folder of these names is its own with all that is in it.
 */
static const struct {
    const char *pattern;
    bool is_folder;
} own[] = {{MI_CAPTURE_FILE, false}, {MI_CAPTURE_FILE ".*.part", false},
           {"hook-*.mirec", false},  {"control-*.sock", false},
           {"msprof.log", false},    {"graph.json", false},
           {"trace.json", false},    {"summary.json", false},
           {"models", true},         {MI_LIVE_DUMPS, true},
           {"PROF_[0-9]*", true},    {"profiling-[0-9]*", true}};

static bool is_own(const struct mi_dir_entry *entry)
{
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i].is_folder == (entry->kind == MI_FILE_DIR) &&
            fnmatch(own[i].pattern, entry->name, 0) == 0)
            return true;
    return false;
}

static bool is_capture(const char *dir, struct mi_error *err)
{
    char path[2 * MI_LIVE_PATH];
    struct mi_manifest manifest;
    struct mi_input json;
    snprintf(path, sizeof path, "%s/" MI_CAPTURE_FILE, dir);
    if (!mi_input_open(&json, path, &(struct mi_input_options){.keep_packed = true}, err))
        return false;
    mi_manifest_init(&manifest);
    bool ok = mi_manifest_read(&manifest, json.bytes, path, err);
    mi_manifest_fini(&manifest);
    mi_input_close(&json);
    return ok;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)place;
    return kind == FTW_DP ? rmdir(path) : unlink(path);
}

static bool remove_all(const char *dir, const struct mi_dir *listing, struct mi_error *err)
{
    char path[2 * MI_LIVE_PATH];
    for (uint32_t i = 0; i < listing->count; i++) {
        const struct mi_dir_entry *entry = &listing->entries[i];
        int code = -1;
        errno = ENAMETOOLONG;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, entry->name) < sizeof path)
            code = entry->kind == MI_FILE_DIR
                       ? nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT)
                       : unlink(path);
        if (code != 0) {
            mi_fail(err, MI_EIO, "the capture that is there cannot be removed: %s",
                    strerror(errno));
            return mi_error_in(err, path);
        }
    }
    return true;
}

bool mi_live_remove_capture(const char *dir, struct mi_error *err)
{
    static struct mi_live_answer answers[MI_LIVE_ANSWERS_MAX];
    struct mi_dir listing;
    const char *foreign = NULL;
    if (!is_capture(dir, err))
        return false;
    if (mi_live_ask(dir, "status", answers)) {
        mi_fail(err, MI_EUSAGE,
                "a process of the capture in this folder still runs: stop it first");
        return mi_error_in(err, dir);
    }
    if (!mi_dir_read(&listing, dir, MI_DIR_MAX_ENTRIES, err))
        return false;
    for (uint32_t i = 0; i < listing.count && !foreign; i++)
        foreign = is_own(&listing.entries[i]) ? NULL : listing.entries[i].name;
    bool ok = !foreign;
    if (ok)
        ok = remove_all(dir, &listing, err);
    else
        mi_fail(err, MI_EUSAGE,
                "beside a capture the folder holds \"%.100s\", which is none of it: nothing was "
                "removed, name another folder",
                foreign);
    mi_dir_free(&listing);
    return ok || mi_error_in(err, dir);
}
