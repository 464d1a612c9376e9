/* What the environment of a hooked program needs. */
#include "collect/live/live.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOOK_NAME "libmi_hook.so"

/* --- the library --- */

static bool try_hook(char *path, size_t size, const char *folder, const char *below)
{
    char real[PATH_MAX];
    int len = snprintf(path, size, "%s%s/" HOOK_NAME, folder, below);
    if (len < 0 || (size_t)len >= size || !realpath(path, real) || strlen(real) >= size)
        return false;
    memcpy(path, real, strlen(real) + 1);
    return access(path, R_OK) == 0;
}

bool mi_live_find_hook(char *path, size_t size, struct mi_error *err)
{
    static const char *const below[] = {"", "/../lib", "/../lib64", ("/../" MI_LIB_DIR)};
    const char *named = getenv("MI_HOOK_LIB");
    char folder[PATH_MAX];
    if (named && *named && strlen(named) < size && access(named, R_OK) == 0) {
        memcpy(path, named, strlen(named) + 1);
        return true;
    }
    ssize_t len = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (len > 0) {
        folder[len] = '\0';
        char *slash = strrchr(folder, '/');
        if (slash)
            *slash = '\0';
        for (size_t i = 0; i < sizeof below / sizeof *below; i++)
            if (try_hook(path, size, folder, below[i]))
                return true;
    }
    return mi_fail(err, MI_ENOTFOUND,
                   "libmi_hook.so is neither beside the program nor where it would be "
                   "installed; MI_HOOK_LIB can name it");
}

/* --- variables --- */

struct list {
    struct mi_arena *arena;
    struct mi_live_var *vars;
    size_t count;
    bool failed;
};

/* `value` NULL: it is not to be set. */
static void add(struct list *list, const char *name, const char *value)
{
    struct mi_bytes copy = mi_arena_copy(list->arena, mi_cstr(value ? value : ""));
    if (!copy.at || list->count == MI_LIVE_ENV_MAX) {
        list->failed = true;
        return;
    }
    list->vars[list->count++] = (struct mi_live_var){name, value ? (const char *)copy.at : NULL};
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

/* --- libraries --- */

/* The length of the next library of a list like LD_PRELOAD; *list moves to it. 0: none is left. */
static size_t next_library(const char **list)
{
    *list += strspn(*list, ": ");
    return strcspn(*list, ": ");
}

/* The hook, then what is preloaded already, without a hook of an earlier `start`. */
static struct mi_bytes libraries_of(const struct mi_live *live, struct mi_arena *arena)
{
    const char *list = getenv("LD_PRELOAD");
    struct mi_bytes all = mi_arena_printf(arena, "%s", live->hook);
    size_t len, name_len = sizeof HOOK_NAME - 1;
    for (list = list ? list : ""; all.at && (len = next_library(&list)); list += len)
        if (len < name_len || memcmp(list + len - name_len, HOOK_NAME, name_len) != 0)
            all = mi_arena_printf(arena, "%s:%.*s", (const char *)all.at, (int)len, list);
    return all;
}

/* --- graph dumps --- */

/* An earlier `start` in this shell has set them: no settings of the user's own. */
static bool has_our_dumps(void)
{
    const char *dir = getenv("MI_CAPTURE_DIR"), *dumps = getenv("DUMP_GRAPH_PATH");
    size_t len = dir ? strlen(dir) : 0;
    return len && dumps && strncmp(dumps, dir, len) == 0 &&
           strcmp(dumps + len, "/" MI_LIVE_DUMPS) == 0;
}

const char *mi_live_foreign_dumps(void)
{
    return is_set("NPU_COLLECT_PATH")                      ? "NPU_COLLECT_PATH"
           : is_set("DUMP_GRAPH_PATH") && !has_our_dumps() ? "DUMP_GRAPH_PATH"
                                                           : NULL;
}

/* Settings of the user's own stay as they are; those of an earlier capture do not. */
static void add_dumps(struct list *list, const struct mi_live *live, const char *folder)
{
    bool is_ours = has_our_dumps(), is_asked = is_set("DUMP_GE_GRAPH") && !is_ours;
    if (!live->wants_graph) {
        static const char *const names[] = {"DUMP_GE_GRAPH", "DUMP_GRAPH_LEVEL", "DUMP_GRAPH_PATH"};
        for (size_t i = 0; is_ours && i < sizeof names / sizeof *names; i++)
            add(list, names[i], NULL);
        return;
    }
    if (!is_asked) /* 2: no weights; level 3: the last stage, which is the graph that runs */
        add(list, "DUMP_GE_GRAPH", live->wants_weights ? "1" : "2");
    if (!is_asked && (is_ours || !is_set("DUMP_GRAPH_LEVEL")))
        add(list, "DUMP_GRAPH_LEVEL", "3");
    if (is_ours || !is_set("DUMP_GRAPH_PATH"))
        add(list, "DUMP_GRAPH_PATH", folder);
}

size_t mi_live_environment(const struct mi_live *live, struct mi_arena *arena,
                           struct mi_live_var vars[MI_LIVE_ENV_MAX])
{
    struct list list = {.arena = arena, .vars = vars};
    struct mi_bytes libraries = libraries_of(live, arena);
    struct mi_bytes dumps = mi_arena_printf(arena, "%s/" MI_LIVE_DUMPS, live->dir);
    if (!libraries.at || !dumps.at)
        return 0;
    add(&list, "MI_CAPTURE_DIR", live->dir);
    add(&list, "MI_CAPTURE_GRAPH", live->wants_graph ? "1" : "0");
    add(&list, "MI_CAPTURE_RUNTIME", live->wants_runtime ? "1" : "0");
    add(&list, "MI_CAPTURE_WEIGHTS", live->wants_weights ? "1" : "0");
    add(&list, "MI_CAPTURE_PROFILER", live->profiler ? live->profiler : "auto");
    add_dumps(&list, live, (const char *)dumps.at);
    add(&list, "LD_PRELOAD", (const char *)libraries.at);
    return list.failed ? 0 : list.count;
}
