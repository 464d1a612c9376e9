/* Writes a made-up profile to look at: make_trace TASKS FOLDER [eager] [csv] [json] [db] [nodes=N].
 * The folder then holds the model and one folder for each form that is named, or for all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "generate_trace.h"

static const char *folder_in(const char *folder, const char *name)
{
    const char *path = bench_path(folder, name);
    mkdir(path, 0777);
    return path;
}

static void write_csv(const struct trace *trace, const char *folder)
{
    const char *to = folder_in(folder, "PROF_000001_20250109084754730_CSVCSVCS");
    printf("csv %llu\n", (unsigned long long)trace_write_csv(trace, to));
}

static void write_json(const struct trace *trace, const char *folder)
{
    const char *to = folder_in(folder, "PROF_000002_20250109084754730_JSONJSON");
    const char *path = bench_path(to, "msprof_20250109084924.json");
    printf("json %llu\n", (unsigned long long)trace_write_json(trace, path));
}

static void write_db(const struct trace *trace, const char *folder)
{
    const char *to = folder_in(folder, "PROF_000003_20250109084754730_DBDBDBDB");
    const char *path = bench_path(to, "msprof_20250109084924.db");
    printf("db %llu\n", (unsigned long long)trace_write_db(trace, path));
}

static const struct {
    const char *name;
    void (*write)(const struct trace *trace, const char *folder);
} forms[] = {{"csv", write_csv}, {"json", write_json}, {"db", write_db}};

enum { FORMS = sizeof forms / sizeof *forms };

int main(int argc, char **argv)
{
    struct trace_plan plan = {.tasks = argc > 2 ? strtoull(argv[1], NULL, 10) : 0};
    unsigned wanted = 0;
    for (int i = 3; i < argc; i++) {
        if (!strcmp(argv[i], "eager"))
            plan.is_eager = true;
        if (!strncmp(argv[i], "nodes=", 6))
            plan.nodes = (uint32_t)strtoul(argv[i] + 6, NULL, 10);
        for (unsigned f = 0; f < FORMS; f++)
            wanted |= (unsigned)!strcmp(argv[i], forms[f].name) << f;
    }
    if (!plan.tasks) {
        fprintf(stderr, "usage: %s TASKS FOLDER [eager] [csv] [json] [db] [nodes=N]\n", argv[0]);
        return 2;
    }
    struct trace *trace = trace_new(&plan);
    mkdir(argv[2], 0777);
    if (!plan.is_eager)
        trace_write_om(trace, bench_path(argv[2], "model.om"));
    printf("%llu tasks in %u runs\n", (unsigned long long)trace->task_count, trace->runs);
    for (unsigned f = 0; f < FORMS; f++)
        if (!wanted || wanted >> f & 1)
            forms[f].write(trace, argv[2]);
    trace_free(trace);
    return 0;
}
