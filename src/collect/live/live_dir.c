/* The capture folder of a live collection, before and after. */
#include "base/files.h"
#include "base/input.h"
#include "capture/manifest.h"
#include "capture/record.h"
#include "collect/live/live.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool is_there(const char *dir, const char *name)
{
    char path[MI_LIVE_PATH + 64];
    struct stat info;
    return (size_t)snprintf(path, sizeof path, "%s/%s", dir, name) < sizeof path &&
           stat(path, &info) == 0;
}

/* --- before --- */

static bool add_sources(const struct mi_live *live, struct mi_manifest *manifest,
                        struct mi_error *err)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < live->source_count; i++) {
        if (!realpath(live->sources[i], path)) {
            mi_fail(err, MI_ENOTFOUND, "no such file or folder");
            return mi_error_in(err, live->sources[i]);
        }
        if (!mi_manifest_add_file(manifest, &(struct mi_manifest_file){.path = path,
                                                                       .role = MI_ROLE_SOURCE_MODEL,
                                                                       .reader = "",
                                                                       .hash = "",
                                                                       .size_bytes = -1}))
            return mi_fail(err, MI_ENOMEM, "out of memory");
    }
    return true;
}

static bool describe(const struct mi_live *live, struct mi_manifest *manifest, struct mi_error *err)
{
    struct utsname host;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    manifest->collector = "cann";
    manifest->start_unix_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    bool ok =
        mi_manifest_add_file(manifest, &(struct mi_manifest_file){.path = ".",
                                                                  .role = MI_ROLE_PROFILE,
                                                                  .reader = "",
                                                                  .hash = "",
                                                                  .size_bytes = -1}) &&
        mi_manifest_add_setting(manifest, "graph", live->wants_graph ? "on" : "off") &&
        mi_manifest_add_setting(manifest, "runtime", live->wants_runtime ? "on" : "off") &&
        mi_manifest_add_setting(manifest, "weights", live->wants_weights ? "on" : "off") &&
        mi_manifest_add_setting(manifest, "profiler", live->profiler ? live->profiler : "auto") &&
        mi_manifest_add_version(manifest, "model-inspector", live->program);
    if (ok && uname(&host) == 0)
        ok = mi_manifest_add_version(manifest, "system", host.sysname) &&
             mi_manifest_add_version(manifest, "kernel", host.release) &&
             mi_manifest_add_version(manifest, "machine", host.machine);
    return ok || mi_fail(err, MI_ENOMEM, "out of memory");
}

static bool refuse(const char *dir, struct mi_error *err)
{
    mi_fail(err, MI_EUSAGE,
            is_there(dir, MI_CAPTURE_FILE)
                ? "the folder holds a capture already: --replace removes it, or name another folder"
                : "the folder is not empty and holds no capture; name a new or empty one");
    return mi_error_in(err, dir);
}

bool mi_live_has_no_capture(const char *dir, struct mi_error *err)
{
    return !is_there(dir, MI_CAPTURE_FILE) || refuse(dir, err);
}

/* Whether the folder is empty or, if it may be, emptied of the capture in it. */
static bool make_empty(const char *dir, bool may_replace, struct mi_error *err)
{
    struct mi_dir listing;
    if (!mi_make_dirs(dir, err) || !mi_dir_read(&listing, dir, MI_DIR_MAX_ENTRIES, err))
        return false;
    bool is_empty = listing.count == 0;
    mi_dir_free(&listing);
    if (is_empty)
        return true;
    if (may_replace && is_there(dir, MI_CAPTURE_FILE))
        return mi_live_remove_capture(dir, err);
    return refuse(dir, err);
}

bool mi_live_prepare(struct mi_live *live, const char *dir, bool may_replace, struct mi_error *err)
{
    struct mi_manifest manifest;
    char path[PATH_MAX], dumps[MI_LIVE_PATH + 64];
    if (!make_empty(dir, may_replace, err))
        return false;
    if (!realpath(dir, path) || strlen(path) >= sizeof live->dir) {
        mi_fail(err, MI_ELIMIT, "the path of the folder is longer than %d bytes", MI_LIVE_PATH - 1);
        return mi_error_in(err, dir);
    }
    memcpy(live->dir, path, strlen(path) + 1);
    snprintf(dumps, sizeof dumps, "%s/" MI_LIVE_DUMPS, live->dir);
    if (live->wants_graph && !mi_make_dirs(dumps, err))
        return false;
    mi_manifest_init(&manifest);
    bool ok = describe(live, &manifest, err) && add_sources(live, &manifest, err) &&
              mi_manifest_write(&manifest, live->dir, err);
    mi_manifest_fini(&manifest);
    return ok;
}

/* --- after --- */

struct ending {
    uint32_t files, not_ended, broken;
    int error; /* of the first broken one */
};

static bool read_head(const char *path, struct mi_rec_file *head)
{
    FILE *file = fopen(path, "rb");
    bool ok = file && fread(head, sizeof *head, 1, file) == 1 &&
              memcmp(head->magic, MI_REC_MAGIC, sizeof head->magic) == 0;
    if (file)
        fclose(file);
    return ok;
}

static void look_at_files(const char *dir, struct ending *ending)
{
    struct mi_dir listing;
    char path[MI_LIVE_PATH + 512];
    if (!mi_dir_read(&listing, dir, MI_DIR_MAX_ENTRIES, NULL))
        return;
    for (uint32_t i = 0; i < listing.count; i++) {
        const char *name = listing.entries[i].name;
        size_t len = strlen(name);
        struct mi_rec_file head;
        if (len < sizeof MI_REC_SUFFIX ||
            strcmp(name + len - (sizeof MI_REC_SUFFIX - 1), MI_REC_SUFFIX) != 0 ||
            (size_t)snprintf(path, sizeof path, "%s/%s", dir, name) >= sizeof path ||
            !read_head(path, &head))
            continue;
        ending->files++;
        ending->not_ended += head.state == MI_REC_RUNNING;
        if (head.state == MI_REC_BROKEN_OFF && !ending->broken++)
            ending->error = head.error;
    }
    mi_dir_free(&listing);
}

static void add_note(struct mi_manifest *manifest, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_note(struct mi_manifest *manifest, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    mi_manifest_add_note(manifest, text);
}

static void judge(struct mi_manifest *manifest, const struct ending *ending, int status)
{
    if (!ending->files)
        add_note(manifest, "the program called nothing of AscendCL, or not through a library that "
                           "could be hooked");
    if (ending->not_ended)
        add_note(manifest,
                 "%u processes were killed or still run; what they had not written is "
                 "missing",
                 ending->not_ended);
    if (ending->broken)
        add_note(manifest, "the capture could not be written to its end: %s",
                 strerror(ending->error));
    if (status >= 0 && WIFSIGNALED(status))
        add_note(manifest, "the program was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    manifest->complete = ending->files && !ending->not_ended && !ending->broken;
}

/* Keeps what the manifest says of the beginning. */
bool mi_live_close(const struct mi_live *live, int status, struct mi_error *err)
{
    char path[MI_LIVE_PATH + 64];
    struct ending ending = {0};
    struct mi_manifest manifest;
    struct mi_input json;
    snprintf(path, sizeof path, "%s/" MI_CAPTURE_FILE, live->dir);
    if (!mi_input_open(&json, path, &(struct mi_input_options){.keep_packed = true}, err))
        return false;
    mi_manifest_init(&manifest);
    bool ok = mi_manifest_read(&manifest, json.bytes, path, err);
    if (ok) {
        look_at_files(live->dir, &ending);
        judge(&manifest, &ending, status);
        ok = mi_manifest_write(&manifest, live->dir, err);
    }
    mi_input_close(&json);
    mi_manifest_fini(&manifest);
    return ok;
}
