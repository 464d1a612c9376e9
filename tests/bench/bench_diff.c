/* Comparing two captures and looking for faults in one, by the public API: a model of 100,000
 * operators with 2,000,000 tasks, and the same model with a hundredth of its operators less.
 *
 *     bench_diff [--size-mb N]     N million tasks in each capture (default 2) */
#include "model-inspector/inspector.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "generate_trace.h"

enum { MILLION = 1000000, NODES = 100000, SIDES = 2 };

static void check(bool ok, const struct mi_error *err)
{
    if (ok)
        return;
    fprintf(stderr, "bench_diff: %s %s\n", err->input, err->text);
    abort();
}

static void write_capture(const char *folder, uint64_t tasks, uint32_t nodes)
{
    struct trace *trace = trace_new(&(struct trace_plan){.tasks = tasks, .nodes = nodes});
    trace_write_om(trace, bench_path(folder, "model.om"));
    trace_write_db(trace, bench_path(folder, "msprof_20250109084924.db"));
    trace_free(trace);
}

static struct mi_inspector *load(const char *folder)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_inspector *side = mi_inspector_new(NULL, &err);
    check(side && mi_inspector_add(side, folder, &err) && mi_inspector_load(side, &err), &err);
    return side;
}

static bool count_bytes(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)user += size;
    return true;
}

static uint64_t run_diff(void *context)
{
    const struct mi_inspector *const *sides = context;
    struct mi_error err = MI_ERROR_INIT;
    uint64_t bytes = 0;
    check(mi_inspector_diff(&sides[0], 1, &sides[1], 1, NULL, 0, count_bytes, &bytes, &err), &err);
    return bytes;
}

static uint64_t run_doctor(void *context)
{
    const struct mi_inspector *const *sides = context;
    struct mi_error err = MI_ERROR_INIT;
    uint64_t bytes = 0;
    check(mi_inspector_report(sides[0], "doctor", NULL, 0, count_bytes, &bytes, &err), &err);
    return bytes;
}

static uint64_t run_read_and_diff(void *context)
{
    const char *const *folders = context;
    struct mi_inspector *sides[SIDES] = {load(folders[0]), load(folders[1])};
    uint64_t bytes = run_diff(sides);
    for (int side = 0; side < SIDES; side++)
        mi_inspector_free(sides[side]);
    return bytes;
}

static void add_memory_goal(struct bench *bench, const char *text, const struct bench_row *row)
{
    bench_goal(bench, text, row->is_ok && row->rounds ? (double)row->anon_bytes / MILLION : -1,
               BENCH_AT_MOST, 1000, "MB");
}

static void add_goal(struct bench *bench, const char *text, const struct bench_row *row)
{
    bench_goal(bench, text, row->is_ok && row->rounds ? row->cpu_seconds : -1, BENCH_AT_MOST, 3,
               "cpu s");
}

static void bench_loaded(struct bench *bench, const char *const *folders)
{
    struct mi_inspector *sides[SIDES];
    for (int side = 0; side < SIDES; side++)
        sides[side] = load(folders[side]);
    bench_group(bench, "once they are read");
    const struct bench_row *row = bench_run(bench, "diff", run_diff, sides, 0);
    add_goal(bench, "diff of two captures, once they are read", row);
    add_memory_goal(bench, "... its own memory", row);
    row = bench_run(bench, "doctor", run_doctor, sides, 0);
    add_goal(bench, "doctor on one capture, once it is read", row);
    for (int side = 0; side < SIDES; side++)
        mi_inspector_free(sides[side]);
}

int main(int argc, char **argv)
{
    struct bench bench;
    bench_init(&bench, "diff", argc, argv);
    uint64_t tasks = bench.size_bytes ? bench.size_bytes : UINT64_C(2) * MILLION;
    const char *const folders[SIDES] = {bench_folder(), bench_folder()};
    write_capture(folders[0], tasks, NODES);
    write_capture(folders[1], tasks, NODES - NODES / 100);
    bench_loaded(&bench, folders);

    bench_group(&bench, "with reading");
    const struct bench_row *row =
        bench_run(&bench, "read both, diff", run_read_and_diff, (void *)(uintptr_t)folders, 0);
    add_memory_goal(&bench, "both captures read and compared: own memory", row);
    for (int side = 0; side < SIDES; side++)
        bench_remove_folder(folders[side]);
    return bench_report(&bench);
}
