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

static void add(struct list *list, const char *name, const char *value)
{
    struct mi_bytes copy = mi_arena_copy(list->arena, mi_cstr(value));
    if (!copy.at || list->count == MI_LIVE_ENV_MAX) {
        list->failed = true;
        return;
    }
    list->vars[list->count++] = (struct mi_live_var){name, (const char *)copy.at};
}

/* Settings of the user's own stay as they are. */
static void add_unless_set(struct list *list, const char *name, const char *value)
{
    if (!getenv(name))
        add(list, name, value);
}

size_t mi_live_environment(const struct mi_live *live, struct mi_arena *arena,
                           struct mi_live_var vars[MI_LIVE_ENV_MAX])
{
    struct list list = {.arena = arena, .vars = vars};
    const char *preload = getenv("LD_PRELOAD");
    struct mi_bytes libraries = preload && *preload
                                    ? mi_arena_printf(arena, "%s:%s", live->hook, preload)
                                    : mi_arena_printf(arena, "%s", live->hook);
    struct mi_bytes dumps = mi_arena_printf(arena, "%s/" MI_LIVE_DUMPS, live->dir);
    if (!libraries.at || !dumps.at)
        return 0;
    add(&list, "MI_CAPTURE_DIR", live->dir);
    add(&list, "MI_CAPTURE_GRAPH", live->wants_graph ? "1" : "0");
    add(&list, "MI_CAPTURE_RUNTIME", live->wants_runtime ? "1" : "0");
    add(&list, "MI_CAPTURE_WEIGHTS", live->wants_weights ? "1" : "0");
    if (live->profiler && strcmp(live->profiler, "auto") != 0)
        add(&list, "MI_CAPTURE_PROFILER", live->profiler);
    if (live->wants_graph && !getenv("DUMP_GE_GRAPH")) {
        /* 2: no weights; level 3: the last stage, which is the graph that runs. */
        add(&list, "DUMP_GE_GRAPH", live->wants_weights ? "1" : "2");
        add_unless_set(&list, "DUMP_GRAPH_LEVEL", "3");
        add_unless_set(&list, "DUMP_GRAPH_PATH", (const char *)dumps.at);
    }
    add(&list, "LD_PRELOAD", (const char *)libraries.at);
    return list.failed ? 0 : list.count;
}
