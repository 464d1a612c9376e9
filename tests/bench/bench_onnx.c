/* Speed of the ONNX reader: a graph of 100,000 nodes beside memcpy and protobuf-c, and opening a
 * model with as many bytes of weights as --size-mb says, which are holes of a sparse file. Seconds
 * of the opening = bytes / speed; "peak MB" is what the rows take. */
#include "bench.h"
#include "onnx.pb-c.h"
#include "onnx_writer.h"
#include "reading.h"

#include <stdlib.h>
#include <unistd.h>

struct input {
    char path[64];
    struct mi_input file;
    uint8_t *copy;
};

static void make(struct input *in, const struct onnx_plan *plan)
{
    struct mi_error err = MI_ERROR_INIT;
    snprintf(in->path, sizeof in->path, "/tmp/bench_onnx_XXXXXX");
    int fd = mkstemp(in->path);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!file || onnx_write_plan(file, plan) || fclose(file) ||
        !mi_input_open(&in->file, in->path, NULL, &err)) {
        fprintf(stderr, "bench_onnx: cannot make a model in /tmp\n");
        exit(1);
    }
}

static void drop(struct input *in)
{
    mi_input_close(&in->file);
    unlink(in->path);
}

static uint64_t run_copy(void *context)
{
    struct input *in = context;
    memcpy(in->copy, in->file.bytes.at, in->file.bytes.len);
    return in->copy[in->file.bytes.len / 2];
}

/* From the name of a file to its rows, as the program does it. */
static uint64_t run_open(void *context)
{
    const struct input *in = context;
    struct reading reading;
    if (!reading_file(&reading, NULL, in->path) || !reading.ok)
        abort();
    uint64_t nodes = reading.batch.rows.nodes.count - 1;
    reading_fini(&reading);
    return nodes;
}

static uint64_t run_protobuf_c(void *context)
{
    const struct input *in = context;
    Oracle__Model *model = oracle__model__unpack(NULL, in->file.bytes.len, in->file.bytes.at);
    if (!model)
        abort();
    uint64_t nodes = model->graph->n_node;
    oracle__model__free_unpacked(model, NULL);
    return nodes;
}

int main(int argc, char **argv)
{
    struct bench bench;
    bench_init(&bench, argc, argv);
    struct input in = {.copy = NULL};

    make(&in, &(struct onnx_plan){.nodes = 100000, .branches = 8, .width = 16});
    in.copy = malloc(in.file.bytes.len);
    if (!in.copy)
        return 1;
    bench_group(&bench, "100k nodes");
    bench_run(&bench, "memcpy", run_copy, &in, in.file.bytes.len);
    bench_run(&bench, "open, recognise, rows", run_open, &in, in.file.bytes.len);
    bench_run(&bench, "protobuf-c", run_protobuf_c, &in, in.file.bytes.len);
    free(in.copy);
    drop(&in);

    uint32_t weights = (uint32_t)(bench.size_bytes / 4000000 + 1);
    make(&in, &(struct onnx_plan){.nodes = 2 * weights,
                                  .branches = 4,
                                  .width = 1000000,
                                  .weights = weights,
                                  .weight_bytes = 4000000});
    bench_group(&bench, "weights");
    bench_run(&bench, "open, recognise, rows", run_open, &in, in.file.bytes.len);
    drop(&in);
    return bench_report(&bench);
}
