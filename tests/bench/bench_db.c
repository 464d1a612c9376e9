/* Speed of reading databases of the Ascend profilers into rows, beside SQLite's own walk over the
 * same tables. --size-mb is the size of the database; 0 gives 2,000,000 tasks. */
#include "base/input.h"
#include "parse/reader.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "generate_trace.h"

enum { TASKS = 2000000, BYTES_PER_TASK = 110 };

struct input {
    const char *path;
    struct mi_bytes bytes;
    const char *const *tables; /* for SQLite's walk; NULL ends the list */
    uint8_t *copy;
    uint64_t tasks;
};

static uint64_t copy_all(void *context)
{
    struct input *input = context;
    memcpy(input->copy, input->bytes.at, input->bytes.len);
    return input->copy[input->bytes.len / 2];
}

/* Every value of every row, as any program would ask for them. */
static uint64_t walk(void *context)
{
    struct input *input = context;
    sqlite3 *db = NULL;
    uint64_t rows = 0, sum = 0;
    if (sqlite3_open_v2(input->path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
            SQLITE_OK ||
        sqlite3_exec(db, "PRAGMA mmap_size=2000000000", NULL, NULL, NULL) != SQLITE_OK)
        abort();
    for (const char *const *table = input->tables; *table; table++) {
        char sql[64];
        sqlite3_stmt *stmt;
        snprintf(sql, sizeof sql, "SELECT * FROM %s", *table);
        if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
            abort();
        int columns = sqlite3_column_count(stmt);
        for (; sqlite3_step(stmt) == SQLITE_ROW; rows++)
            for (int c = 0; c < columns; c++)
                sum += (uint64_t)sqlite3_column_int64(stmt, c);
        sqlite3_finalize(stmt);
    }
    sqlite3_close(db);
    return rows + (sum == 0);
}

static uint64_t read_rows(void *context)
{
    const struct input *input = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_batch batch;
    struct mi_source src = {.path = input->path, .bytes = input->bytes, .role = ""};
    if (!mi_batch_init(&batch, input->bytes, &err) ||
        !mi_reader_find("msprof_db")->read(&src, &batch, &err) || batch.counts.lost)
        abort();
    uint64_t rows = (uint64_t)batch.counts.kept;
    mi_batch_fini(&batch);
    return rows;
}

static double per_second(const struct bench_row *row, uint64_t tasks)
{
    return row->is_ok && row->cpu_seconds > 0 ? (double)tasks / row->cpu_seconds / 1e6 : -1;
}

static void run(struct bench *bench, const char *folder, const char *group, bool is_eager)
{
    static const char *const tasks_alone[] = {"TASK", NULL};
    static const char *const all[] = {"TASK", "COMPUTE_TASK_INFO", "CANN_API", NULL};
    char text[96];
    struct mi_error err = MI_ERROR_INIT;
    struct mi_input file;
    struct input input = {.path = bench_path(folder, is_eager ? "eager.db" : "model.db")};
    struct trace *trace = trace_new(&(struct trace_plan){
        .tasks = bench->size_bytes ? bench->size_bytes / BYTES_PER_TASK : TASKS,
        .is_eager = is_eager});
    trace_write_db(trace, input.path);
    input.tasks = trace->task_count;
    trace_free(trace);
    if (!mi_input_open(&file, input.path, NULL, &err))
        abort();
    input.bytes = file.bytes;
    input.copy = malloc(file.bytes.len);
    if (!input.copy)
        abort();
    bench_group(bench, group);
    bench_run(bench, "memcpy", copy_all, &input, file.bytes.len);
    input.tables = tasks_alone;
    bench_run(bench, "sqlite: SELECT * FROM TASK", walk, &input, file.bytes.len);
    input.tables = all;
    bench_run(bench, "sqlite: SELECT * of what is read", walk, &input, file.bytes.len);
    const struct bench_row *row = bench_run(bench, "rows", read_rows, &input, file.bytes.len);
    snprintf(text, sizeof text, "%s: tasks with what is known of them", group);
    bench_goal(bench, text, per_second(row, input.tasks), BENCH_AT_LEAST, 1.5, "M tasks/s");
    snprintf(text, sizeof text, "%s: memory of its own", group);
    bench_goal(bench, text, row->is_ok ? (double)row->anon_bytes / (double)input.tasks : -1,
               BENCH_AT_MOST, 64, "B/task");
    free(input.copy);
    mi_input_close(&file);
}

int main(int argc, char **argv)
{
    struct bench bench;
    bench_init(&bench, "db", argc, argv);
    const char *folder = bench_folder();
    run(&bench, folder, "a model that runs again and again", false);
    run(&bench, folder, "an eager run", true);
    bench_remove_folder(folder);
    return bench_report(&bench);
}
