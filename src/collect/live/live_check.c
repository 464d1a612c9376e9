/* What a machine has of what a live collection needs. */
#include "base/translate.h"
#include "collect/live/live.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A library, or a function of the one before. */
struct wanted {
    const char *library, *function, *serves;
};

static const struct wanted wanted[] = {
    {"libascendcl.so", NULL, N_("the runtime itself")},
    {NULL, "aclrtStreamGetId", N_("which stream a call is for")},
    {NULL, "aclrtGetThreadLastTaskId", N_("which task a call has made")},
    {NULL, "aclprofInit", N_("device times, by the profiler of AscendCL")},
    {"libmsprofiler.so", NULL, N_("the profiler of AscendCL, where it is a library of its own")},
    {NULL, "aclprofInit", N_("device times, by the profiler of AscendCL")},
    {"libmspti.so", NULL, N_("device times, by MSPTI, without any tool")},
    {"libge_runner.so", NULL, N_("the graph engine, whose dumps are collected")}};

enum { WANTED = sizeof wanted / sizeof *wanted };

/* In a child: opening a library runs code of it. */
static void look(int report)
{
    void *library = NULL;
    for (size_t i = 0; i < WANTED; i++) {
        bool is_found;
        if (wanted[i].library) {
            library = dlopen(wanted[i].library, RTLD_LAZY);
            is_found = library != NULL;
        } else {
            is_found = library && dlsym(library, wanted[i].function);
        }
        if (write(report, &is_found, sizeof is_found) != sizeof is_found)
            break;
    }
    _exit(0);
}

static void look_apart(bool seen[WANTED])
{
    int ends[2], status;
    if (pipe(ends) != 0)
        return;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        look(ends[1]);
    }
    close(ends[1]);
    for (size_t i = 0; pid > 0 && i < WANTED; i++)
        if (read(ends[0], &seen[i], sizeof seen[i]) != sizeof seen[i]) {
            seen[i] = false;
            break;
        }
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, &status, 0);
}

/* The program of that name in PATH. */
static bool find_program(const char *name, char *path, size_t size)
{
    const char *list = getenv("PATH");
    while (list && *list) {
        const char *end = strchr(list, ':');
        size_t len = end ? (size_t)(end - list) : strlen(list);
        if ((size_t)snprintf(path, size, "%.*s/%s", (int)len, list, name) < size &&
            access(path, X_OK) == 0)
            return true;
        list = end ? end + 1 : NULL;
    }
    path[0] = '\0';
    return false;
}

static struct mi_live_fact variable(const char *name, const char *serves)
{
    struct mi_live_fact fact = {.name = name, .serves = serves};
    const char *value = getenv(name);
    fact.is_found = value && *value;
    snprintf(fact.detail, sizeof fact.detail, "%s", fact.is_found ? value : "");
    return fact;
}

size_t mi_live_check(struct mi_live_fact facts[MI_LIVE_FACTS_MAX])
{
    bool seen[WANTED] = {false};
    char path[MI_LIVE_PATH];
    size_t count = 0;
    facts[count] =
        (struct mi_live_fact){.name = "libmi_hook.so", .serves = N_("sees the calls of a program")};
    facts[count].is_found = mi_live_find_hook(path, sizeof path, NULL);
    if (facts[count].is_found)
        snprintf(facts[count].detail, sizeof facts[count].detail, "%.255s", path);
    count++;
    look_apart(seen);
    for (size_t i = 0; i < WANTED; i++) {
        facts[count] = (struct mi_live_fact){.name = wanted[i].library ? wanted[i].library
                                                                       : wanted[i].function,
                                             .is_found = seen[i],
                                             .serves = wanted[i].serves};
        count++;
    }
    facts[count] = (struct mi_live_fact){
        .name = "msprof", .serves = N_("makes tables of what the profiler has left")};
    facts[count].is_found = find_program("msprof", facts[count].detail, sizeof facts[count].detail);
    count++;
    facts[count++] = variable("DUMP_GE_GRAPH", N_("a setting of yours for graph dumps, kept as it "
                                                  "is"));
    facts[count++] =
        variable("DUMP_GRAPH_PATH", N_("where you have graphs dumped, instead of the capture"));
    facts[count++] = variable("NPU_COLLECT_PATH", N_("where you have graphs dumped, instead of the "
                                                     "capture"));
    facts[count++] =
        variable("PROFILER_SAMPLECONFIG", N_("msprof profiles already: ours stays away"));
    facts[count++] =
        variable("PROFILING_MODE", N_("another profiler is prepared: ours stays away"));
    facts[count++] = variable("LD_PRELOAD", N_("libraries of yours, kept behind the hook"));
    return count;
}
