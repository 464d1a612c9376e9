/* Speed and memory of reading Chrome traces of Ascend on one thread, from the bytes of the file to
 * rows, beside memcpy, a JSON library and Python's. */
#include "base/input.h"
#include "base/mem.h"
#include "parse/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <yajl/yajl_parse.h>

#include "bench.h"
#include "generate_trace.h"

#define SIZE_BYTES   ((size_t)500 * 1000 * 1000)
#define PYTHON_BYTES ((size_t)50 * 1000 * 1000)

struct input {
    struct mi_bytes bytes;
    const char *path;
    uint8_t *copy;
};

/* A trace of about so many bytes. */
static uint64_t write_trace(const char *path, size_t size, bool is_eager)
{
    struct trace_plan plan = {.tasks = size / (is_eager ? 830 : 290), .is_eager = is_eager};
    struct trace *trace = trace_new(&plan);
    uint64_t written = trace_write_json(trace, path);
    trace_free(trace);
    return written;
}

static uint64_t run_copy(void *context)
{
    const struct input *in = context;
    memcpy(in->copy, in->bytes.at, in->bytes.len);
    return in->copy[in->bytes.len / 2];
}

static uint64_t run_read(void *context)
{
    const struct input *in = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_source src = {.path = "trace", .bytes = in->bytes, .role = ""};
    struct mi_batch batch;
    if (!mi_batch_init(&batch, in->bytes, &err) ||
        !mi_reader_find("chrome_trace")->read(&src, &batch, &err) || batch.counts.lost)
        abort();
    uint64_t rows = batch.rows.tasks.count + batch.rows.slices.count + batch.rows.flows.count;
    mi_batch_fini(&batch);
    return rows;
}

static int count_text(void *context, const unsigned char *text, size_t length)
{
    (void)text;
    *(uint64_t *)context += length;
    return 1;
}

static int count_number(void *context, const char *text, size_t length)
{
    (void)text;
    *(uint64_t *)context += length;
    return 1;
}

static uint64_t run_yajl(void *context)
{
    const struct input *in = context;
    const yajl_callbacks callbacks = {
        .yajl_number = count_number, .yajl_string = count_text, .yajl_map_key = count_text};
    uint64_t sum = 0;
    yajl_handle yajl = yajl_alloc(&callbacks, NULL, &sum);
    yajl_config(yajl, yajl_dont_validate_strings, 1); /* as we do: no check of UTF-8 */
    if (yajl_parse(yajl, in->bytes.at, in->bytes.len) != yajl_status_ok ||
        yajl_complete_parse(yajl) != yajl_status_ok)
        abort();
    yajl_free(yajl);
    return sum;
}

static const struct bench_row *run_group(struct bench *bench, const char *name, bool is_eager)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_input file;
    const char *folder = bench_folder(), *path = bench_path(folder, "msprof_1.json");
    write_trace(path, bench->size_bytes ? bench->size_bytes : SIZE_BYTES, is_eager);
    if (!mi_input_open(&file, path, NULL, &err))
        abort();
    struct input in = {.bytes = file.bytes, .path = path, .copy = mi_mem_new(file.bytes.len, 1)};
    if (!in.copy)
        abort();
    bench_group(bench, name);
    bench_run(bench, "memcpy", run_copy, &in, in.bytes.len);
    mi_mem_free(in.copy);
    const struct bench_row *row = bench_run(bench, "read to rows", run_read, &in, in.bytes.len);
    bench_run(bench, "yajl, callbacks that count", run_yajl, &in, in.bytes.len);
    mi_input_close(&file);

    const char *small = bench_path(folder, "small.json");
    uint64_t bytes = write_trace(small, PYTHON_BYTES, is_eager);
    const char *const python[] = {"/usr/bin/python3", "-c",
                                  "import json, sys; print(len(json.load(open(sys.argv[1]))))",
                                  small, NULL};
    if (fopen(python[0], "rb"))
        bench_program(bench, "python json, 50 MB, no rows", python,
                      bench_path(folder, "python.txt"), bytes);
    bench_remove_folder(folder);
    return row;
}

int main(int argc, char **argv)
{
    struct bench bench;
    bench_init(&bench, "trace", argc, argv);
    for (int eager = 0; eager < 2; eager++) {
        const struct bench_row *row =
            run_group(&bench, eager ? "eager run" : "offline model", eager);
        bench_goal(&bench, eager ? "an eager run is read at" : "an offline model is read at",
                   bench_speed(row), BENCH_AT_LEAST, 0.5, "GB/s");
        bench_goal(&bench, "its own memory, beside the input",
                   row->is_ok && row->bytes ? (double)row->anon_bytes / (double)row->bytes : -1,
                   BENCH_AT_MOST, 0.25, "");
    }
    return bench_report(&bench);
}
