/* Writes a made-up profile to look at: make_trace TASKS FOLDER [eager]. The folder then holds the
 * model and one folder each with the CSV tables, the trace and the database. */
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

int main(int argc, char **argv)
{
    struct trace_plan plan = {.tasks = argc > 2 ? strtoull(argv[1], NULL, 10) : 0,
                              .is_eager = argc > 3 && !strcmp(argv[3], "eager")};
    if (!plan.tasks) {
        fprintf(stderr, "usage: %s TASKS FOLDER [eager]\n", argv[0]);
        return 2;
    }
    struct trace *trace = trace_new(&plan);
    const char *csv = folder_in(argv[2], "PROF_000001_20250109084754730_CSVCSVCS");
    const char *json = folder_in(argv[2], "PROF_000002_20250109084754730_JSONJSON");
    const char *db = folder_in(argv[2], "PROF_000003_20250109084754730_DBDBDBDB");
    if (!plan.is_eager)
        trace_write_om(trace, bench_path(argv[2], "model.om"));
    printf("%llu tasks in %u runs\n", (unsigned long long)trace->task_count, trace->runs);
    printf("csv %llu\n", (unsigned long long)trace_write_csv(trace, csv));
    printf("json %llu\n", (unsigned long long)trace_write_json(
                              trace, bench_path(json, "msprof_20250109084924.json")));
    printf("db %llu\n",
           (unsigned long long)trace_write_db(trace, bench_path(db, "msprof_20250109084924.db")));
    trace_free(trace);
    return 0;
}
