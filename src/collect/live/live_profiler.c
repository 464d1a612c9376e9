/* Which profiler a program gets, as far as that is decided before it starts. */
#include "collect/live/live.h"

#include <stdio.h>
#include <string.h>

const char *const mi_live_profilers[] = {"auto", "aclprof", "mspti", "msprof", "none", NULL};

static bool has(const struct mi_live_fact *facts, size_t count, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= facts[i].is_found && strcmp(facts[i].name, name) == 0;
    return found;
}

const char *mi_live_choose(const struct mi_live_fact *facts, size_t count)
{
    if (has(facts, count, "PROFILER_SAMPLECONFIG") || has(facts, count, "PROFILING_MODE"))
        return "none";
    if (has(facts, count, "aclprofInit") && has(facts, count, "msprof"))
        return "aclprof";
    if (has(facts, count, "libmspti.so"))
        return "mspti";
    if (has(facts, count, "aclprofInit"))
        return "aclprof";
    /* A program that brings its own runtime may bring a profiler, too. */
    return has(facts, count, "libascendcl.so") && has(facts, count, "msprof") ? "msprof" : "none";
}

/* --- msprof in front of the program --- */

static char *copy_of(struct mi_arena *arena, struct mi_bytes text)
{
    struct mi_bytes copy = text.at ? mi_arena_copy(arena, text) : text;
    return (char *)(uintptr_t)copy.at;
}

/* The hook is preloaded into the program alone: the tool runs as it always does. */
char **mi_live_wrap(const struct mi_live *live, struct mi_arena *arena, struct mi_live_var *vars,
                    size_t *var_count, char *const *argv)
{
    static const char *const options[] = {"--task-time=l1",
                                          "--ascendcl=on",
                                          "--runtime-api=on",
                                          "--hccl=on",
                                          "--aicpu=on",
                                          "--ai-core=on",
                                          "--aic-mode=task-based",
                                          "--aic-metrics=PipeUtilization"};
    size_t given = 0, n = 0, option_count = sizeof options / sizeof *options;
    while (argv[given])
        given++;
    char **made = mi_arena_alloc(arena, (given + option_count + 5) * sizeof *made);
    if (!made)
        return NULL;
    made[n++] = copy_of(arena, mi_cstr("msprof"));
    made[n++] = copy_of(arena, mi_arena_printf(arena, "--output=%s", live->dir));
    for (size_t i = 0; i < option_count; i++)
        made[n++] = copy_of(arena, mi_cstr(options[i]));
    made[n++] = copy_of(arena, mi_cstr("/usr/bin/env"));
    for (size_t v = 0; v < *var_count; v++)
        if (strcmp(vars[v].name, "LD_PRELOAD") == 0) {
            made[n++] = copy_of(arena, mi_arena_printf(arena, "LD_PRELOAD=%s", vars[v].value));
            vars[v] = vars[--*var_count];
            break;
        }
    for (size_t i = 0; i < n; i++)
        if (!made[i])
            return NULL;
    memcpy(made + n, argv, (given + 1) * sizeof *argv);
    return made;
}
