/* Profiles of Ascend devices from the first byte to the answer: the task tables alone, and a run of
 * ten million tasks with its model (read, merged, joined, calibrated, frozen, summed) from tables
 * and from the database; beside memcpy and Python's csv, where python3 is there.
 *
 *     bench_whole [--size-mb N]     N million tasks in the long run (default 10) */
#include "base/input.h"
#include "model/links.h"
#include "pipeline/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "generate_trace.h"

#define PROGRAM (MI_BINARY_DIR "/inspector-cli")
#define PYTHON  "/usr/bin/python3"

enum { TABLE_TASKS = 1000000, MILLION = 1000000 };

static void check(bool ok, const struct mi_error *err)
{
    if (ok)
        return;
    fprintf(stderr, "%s: %s\n", err->input, err->text);
    abort();
}

/* --- task tables alone --- */

struct table {
    const char *path;
    struct mi_bytes bytes;
    uint8_t *copy;
};

static uint64_t run_copy(void *context)
{
    struct table *table = context;
    if (!table->copy)
        table->copy = malloc(table->bytes.len);
    if (!table->copy)
        abort();
    memcpy(table->copy, table->bytes.at, table->bytes.len);
    return table->copy[table->bytes.len / 2];
}

static uint64_t run_reader(void *context)
{
    const struct table *table = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_batch batch;
    check(mi_batch_init(&batch, table->bytes, &err), &err);
    struct mi_source source = {.path = table->path, .bytes = table->bytes, .role = ""};
    check(mi_reader_find("msprof_csv")->read(&source, &batch, &err), &err);
    uint64_t tasks = batch.rows.tasks.count - 1;
    mi_batch_fini(&batch);
    return tasks;
}

/* One slice of op_summary, and one of task_time. */
static void bench_table(struct bench *bench, const char *folder, const char *kind, const char *what)
{
    char name[64], text[96];
    struct mi_input file;
    struct mi_error err = MI_ERROR_INIT;
    snprintf(name, sizeof name, "%s_slice_0_20250109084924.csv", kind);
    struct table table = {.path = bench_path(folder, name)};
    const char *const python[] = {PYTHON, "-c",
                                  "import csv,sys\n"
                                  "print(sum(1 for row in csv.reader(open(sys.argv[1]))))",
                                  table.path, NULL};
    check(mi_input_open(&file, table.path, NULL, &err), &err);
    table.bytes = file.bytes;
    bench_group(bench, kind);
    bench_run(bench, "memcpy", run_copy, &table, table.bytes.len);
    if (access(PYTHON, X_OK) == 0)
        bench_program(bench, "python csv.reader, rows counted", python,
                      bench_path(folder, "output"), table.bytes.len);
    const struct bench_row *rows =
        bench_run(bench, "reader: rows of tasks, kernels", run_reader, &table, table.bytes.len);
    snprintf(text, sizeof text, "%s: rows built, one thread", what);
    bench_goal(bench, text, bench_speed(rows), BENCH_AT_LEAST, 0.4, "GB/s");
    snprintf(text, sizeof text, "%s: memory of the rows", what);
    bench_goal(bench, text,
               rows->is_ok && rows->result ? (double)rows->anon_bytes / (double)rows->result : -1,
               BENCH_AT_MOST, 64, "B/task");
    mi_input_close(&file);
}

static void bench_tables(struct bench *bench)
{
    const char *folder = bench_folder();
    struct trace *trace = trace_new(&(struct trace_plan){.tasks = TABLE_TASKS});
    trace_write_csv(trace, folder);
    trace_free(trace);
    bench_table(bench, folder, "op_summary", "op_summary");
    bench_table(bench, folder, "task_time", "task_time");
    bench_remove_folder(folder);
}

/* --- from the files to the answer --- */

static uint64_t run_session(void *context)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_session *session = mi_session_new(&(struct mi_session_options){.jobs = 2}, &err);
    check(session != NULL, &err);
    check(mi_session_add(session, context, &err) && mi_session_load(session, &err), &err);
    const struct mi_tables *rows = &mi_session_model(session)->all.rows;
    uint64_t linked = mi_links_count(rows);
    mi_session_free(session);
    return linked;
}

static void bench_whole(struct bench *bench, const struct trace *trace, const char *group,
                        uint64_t (*write)(const struct trace *, const char *), const char *name)
{
    const char *folder = bench_folder(), *output = bench_path(folder, "output.txt");
    unsigned rounds = bench->rounds;
    char text[96];
    trace_write_om(trace, bench_path(folder, "model.om"));
    uint64_t bytes = write(trace, name ? bench_path(folder, name) : folder);
    char *input = strdup(folder);
    const char *const summary[] = {PROGRAM, "summary", "--jobs", "2", input, NULL};
    if (!input)
        abort();
    bench_group(bench, group);
    bench->rounds = 1; /* takes its time */
    const struct bench_row *session =
        bench_run(bench, "session: read, joined, calibrated", run_session, input, bytes);
    const struct bench_row *program =
        bench_program(bench, "program: summary", summary, output, bytes);
    bench->rounds = rounds;
    snprintf(text, sizeof text, "%s: %.1f million tasks to the summary, two threads", group,
             (double)trace->task_count / MILLION);
    bench_goal(bench, text, program->is_ok ? program->seconds : -1, BENCH_AT_MOST, 30, "s");
    snprintf(text, sizeof text, "%s: peak of own memory of the session", group);
    bench_goal(bench, text,
               session->is_ok ? (double)session->anon_bytes / (double)trace->task_count : -1,
               BENCH_AT_MOST, 64, "B/task");
    free(input);
    bench_remove_folder(folder);
}

int main(int argc, char **argv)
{
    struct bench bench;
    bench_init(&bench, "whole", argc, argv);
    uint64_t millions = bench.size_bytes ? bench.size_bytes / MILLION : 10;
    struct trace *trace = trace_new(&(struct trace_plan){.tasks = millions * MILLION});
    bench_tables(&bench);
    bench_whole(&bench, trace, "tables", trace_write_csv, NULL);
    bench_whole(&bench, trace, "database", trace_write_db, "msprof_20250109084924.db");
    bench_whole(&bench, trace, "trace", trace_write_json, "msprof_20250109084924.json");
    trace_free(trace);
    return bench_report(&bench);
}
