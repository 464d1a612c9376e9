/* Speed of opening ONNX models: one that is nearly all weights, which must stay untouched, and
 * graphs of 100,000 nodes in several shapes, which the program walks from start to end. */
#include "base/input.h"
#include "pipeline/session.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "onnx.pb-c.h"
#include "onnx_writer.h"

#define SIZE_BYTES   ((size_t)800 * 1000 * 1000) /* of weights */
#define WEIGHT_BYTES ((uint64_t)4 * 1000 * 1000) /* of one of them */
#define PROGRAM      (MI_BINARY_DIR "/inspector-cli")

enum { NODES = 100000 };

struct input {
    const char *model, *twin; /* twin: the optimised model; NULL = none */
    struct mi_bytes bytes;    /* of the model */
    uint8_t *copy;
};

/* --- inputs --- */

static const char *write_model(const char *folder, const char *name, const struct onnx_plan *plan)
{
    const char *path = bench_path(folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || onnx_write_plan(file, plan) || fclose(file)) {
        fprintf(stderr, "bench_onnx: cannot write %s\n", path);
        exit(1);
    }
    return path;
}

/* Brings the whole file into the page cache. */
static void warm(const char *path)
{
    char *room = malloc(1 << 20);
    FILE *file = fopen(path, "rb");
    while (room && file && fread(room, 1, 1 << 20, file) > 0)
        continue;
    if (file)
        fclose(file);
    free(room);
}

static void map_model(struct input *in, struct mi_input *file)
{
    struct mi_error err = MI_ERROR_INIT;
    warm(in->model);
    if (!mi_input_open(file, in->model, NULL, &err)) {
        fprintf(stderr, "%s: %s\n", err.input, err.text);
        exit(1);
    }
    in->bytes = file->bytes;
}

/* --- cases --- */

static uint64_t run_copy(void *context)
{
    struct input *in = context;
    if (!in->copy)
        in->copy = malloc(in->bytes.len);
    if (!in->copy)
        abort();
    memcpy(in->copy, in->bytes.at, in->bytes.len);
    return in->copy[in->bytes.len / 2];
}

static uint64_t run_protobuf_c(void *context)
{
    const struct input *in = context;
    Oracle__Model *model = oracle__model__unpack(NULL, in->bytes.len, in->bytes.at);
    if (!model)
        abort();
    uint64_t nodes = model->graph->n_node;
    oracle__model__free_unpacked(model, NULL);
    return nodes;
}

/* From the names of the files to the frozen model. */
static uint64_t run_session(void *context)
{
    const struct input *in = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_session *session = mi_session_new(&(struct mi_session_options){.jobs = 1}, &err);
    if (!session || !mi_session_add(session, in->model, &err) ||
        (in->twin && !mi_session_add(session, in->twin, &err)) || !mi_session_load(session, &err)) {
        fprintf(stderr, "%s: %s\n", err.input, err.text);
        abort();
    }
    uint64_t nodes = mi_session_model(session)->all.rows.nodes.count - 1;
    mi_session_free(session);
    return nodes;
}

/* --- weights --- */

static double to_ms(const struct bench_row *row)
{
    return row->is_ok ? row->seconds * 1e3 : -1;
}

static double touched_share(const struct bench_row *row, const struct input *in)
{
    return row->is_ok ? (double)row->file_bytes / (double)in->bytes.len : -1;
}

static void bench_weights(struct bench *bench, size_t size_bytes)
{
    const char *folder = bench_folder();
    const char *output = bench_path(folder, "output");
    uint32_t weights = (uint32_t)(size_bytes / WEIGHT_BYTES + 1);
    struct mi_input file;
    struct input in = {.model = write_model(folder, "weights.onnx",
                                            &(struct onnx_plan){.nodes = 2 * weights,
                                                                .branches = 4,
                                                                .width = WEIGHT_BYTES / 4,
                                                                .weights = weights,
                                                                .weight_bytes = WEIGHT_BYTES})};
    const char *const inputs[] = {PROGRAM, "inputs", in.model, NULL};
    const char *const summary[] = {PROGRAM, "summary", in.model, NULL};
    map_model(&in, &file);
    bench_group(bench, "weights.onnx");
    bench_run(bench, "memcpy", run_copy, &in, in.bytes.len);
    bench_run(bench, "protobuf-c, unpacked", run_protobuf_c, &in, in.bytes.len);
    const struct bench_row *open = bench_run(bench, "session", run_session, &in, in.bytes.len);
    const struct bench_row *program =
        bench_program(bench, "program: inputs", inputs, output, in.bytes.len);
    const struct bench_row *total =
        bench_program(bench, "program: summary", summary, output, in.bytes.len);
    bench_goal(bench, "model of 800 MB opened by the library", to_ms(open), BENCH_AT_MOST, 50,
               "ms");
    bench_goal(bench, "... share of it mapped in (64 KiB around the head of a tensor)",
               touched_share(open, &in), BENCH_AT_MOST, 0.05, "x input");
    bench_goal(bench, "... by inspector-cli inputs, whole process", to_ms(program), BENCH_AT_MOST,
               50, "ms");
    bench_goal(bench, "... by inspector-cli summary, whole process", to_ms(total), BENCH_AT_MOST,
               50, "ms");
    mi_input_close(&file);
    bench_remove_folder(folder);
}

/* --- nodes --- */

struct shape {
    const char *group, *node;
    uint32_t branches;
};

static void bench_shape(struct bench *bench, const struct shape *shape)
{
    const char *folder = bench_folder(), *output = bench_path(folder, "output");
    struct onnx_plan plan = {.nodes = NODES, .branches = shape->branches, .width = 16};
    struct mi_input file;
    struct input in = {.model = write_model(folder, "model.onnx", &plan)};
    struct input both = {.model = in.model};
    plan.is_optimised = true;
    both.twin = write_model(folder, "optimised.onnx", &plan);
    const struct {
        const char *name, *goal;
        const char *arguments[10];
    } programs[] = {
        {"program: graph", "graph", {PROGRAM, "graph", in.model}},
        {"program: graph, nothing folded", NULL, {PROGRAM, "graph", "--depth", "0", in.model}},
        {"program: path", "path", {PROGRAM, "path", shape->node, in.model}},
        {"program: map, with its twin", "map", {PROGRAM, "map", in.model, both.twin}},
        {"program: summary, with its twin", NULL, {PROGRAM, "summary", in.model, both.twin}},
        {"program: export, with its twin",
         NULL,
         {PROGRAM, "export", "--format", "json", "-o", folder, in.model, both.twin}},
    };
    map_model(&in, &file);
    warm(both.twin);
    bench_group(bench, shape->group);
    bench_run(bench, "memcpy", run_copy, &in, in.bytes.len);
    bench_run(bench, "protobuf-c, unpacked", run_protobuf_c, &in, in.bytes.len);
    bench_run(bench, "session", run_session, &in, in.bytes.len);
    bench_run(bench, "session, with its twin", run_session, &both, in.bytes.len);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const struct bench_row *row =
            bench_program(bench, programs[i].name, programs[i].arguments, output, 0);
        char text[96];
        if (!programs[i].goal)
            continue;
        snprintf(text, sizeof text, "100,000 nodes, %s: %s", shape->group, programs[i].goal);
        bench_goal(bench, text, row->is_ok ? row->cpu_seconds : -1, BENCH_AT_MOST, 0.5, "cpu s");
    }
    mi_input_close(&file);
    bench_remove_folder(folder);
}

int main(int argc, char **argv)
{
    static const struct shape shapes[] = {
        {"chain.onnx", "/branch0/Relu_50000", 1},
        {"branches.onnx", "/branch3/Relu_6000", 8},
        {"wide.onnx", "/branch12000/Neg_3", 25000},
    };
    struct bench bench;
    bench_init(&bench, "onnx", argc, argv);
    bench_weights(&bench, bench.size_bytes ? bench.size_bytes : SIZE_BYTES);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        bench_shape(&bench, &shapes[i]);
    return bench_report(&bench);
}
