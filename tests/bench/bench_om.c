/* Speed of opening an offline model of 100,000 ops, whose attributes are compressed and whose
 * weights and kernels must stay untouched. */
#include "base/input.h"
#include "pipeline/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "ge.pb-c.h"
#include "om_writer.h"

#define PROGRAM (MI_BINARY_DIR "/inspector-cli")

enum { OPS = 100000, WEIGHT_BYTES = 512, NAMES = 30 };

struct input {
    const char *model;
    struct mi_bytes bytes, def; /* the file, its MODEL_DEF */
    uint8_t *copy;
};

/* --- the model: Const and MatMul in turn, as compilers write them --- */

static void key_int(struct onnx_writer *w, uint32_t field, int key, int64_t value)
{
    const uint8_t bytes[2] = {0, (uint8_t)(key + 1)};
    struct om_attr attr = om_attr_begin(w, field, bytes, 2);
    onnx_int(w, 3, value);
    om_attr_end(w, attr);
}

static void key_ints(struct onnx_writer *w, int key, const char *values)
{
    const uint8_t bytes[2] = {0, (uint8_t)(key + 1)};
    struct om_attr attr = om_attr_begin(w, 10, bytes, 2);
    size_t list = onnx_begin(w, 1);
    om_numbers(w, 3, values);
    onnx_int(w, 20, 2);
    onnx_end(w, list);
    om_attr_end(w, attr);
}

static void put_desc(struct onnx_writer *w, uint32_t field, const char *dims, bool is_output)
{
    size_t desc = om_desc(w, field, 2, "FRACTAL_NZ", dims);
    for (int key = is_output ? 20 : 21; key < 30; key++)
        key_int(w, 5, key, key == 26 ? 83886083 : key - 20);
    onnx_int(w, 10, 4096);
    onnx_end(w, desc);
}

static void put_op(struct onnx_writer *w, int i)
{
    char name[64], inputs[160], numbers[64];
    bool is_const = i % 2 == 0;
    snprintf(name, sizeof name, "/model/layer.%d/block/%s", i / 2, is_const ? "weight" : "MatMul");
    snprintf(inputs, sizeof inputs,
             "/model/layer.%d/block/MatMul:0 /model/layer.%d/block/weight:0 -",
             i < 2 ? 0 : i / 2 - 1, i / 2);
    size_t op = om_op_begin(w, name, is_const ? "Const" : "MatMulV2", i, is_const ? "" : inputs);
    for (int key = 0; key < (is_const ? 6 : 16); key++)
        key_int(w, 10, key, key < 10 ? key : i % 100);
    snprintf(numbers, sizeof numbers, "%d,%d", i % 1000, i % 1000 + 1);
    if (!is_const)
        key_ints(w, 19, numbers);
    if (is_const) {
        struct om_attr attr = om_attr_begin(w, 10, "value", 5);
        size_t tensor = onnx_begin(w, 12), desc = om_desc(w, 1, 2, "FRACTAL_NZ", "16,16");
        onnx_int(w, 11, WEIGHT_BYTES);
        onnx_int(w, 18, (int64_t)i / 2 * WEIGHT_BYTES);
        onnx_end(w, desc);
        onnx_end(w, tensor);
        om_attr_end(w, attr);
    } else {
        om_numbers(w, 28, "4096,512");
        put_desc(w, 33, "1,16,16,16", false);
        put_desc(w, 33, "16,16", false);
    }
    if (!is_const) /* helpers, which stand in every op and are no attributes of the model */
        om_attr_texts(w, 10, "_input_name_key", "x1 x2 bias");
    om_attr_texts(w, 10, "_output_name_key", "y");
    om_attr_texts(w, 10, "_ir_inputs_key", "x1 x2 bias");
    om_attr_texts(w, 10, "_ir_outputs_key", "y");
    om_attr_texts(w, 10, "_ir_attr_names", "transpose_x1 transpose_x2 offset_x");
    om_numbers(w, 29, "8192");
    put_desc(w, 34, is_const ? "16,16" : "1,16,16,16", true);
    onnx_end(w, op);
}

static void put_dictionary(struct onnx_writer *w)
{
    static const char *const known[] = {"_ge_attr_op_kernel_lib_name", "_kernelname", "_pattern",
                                        "_engine_type", "_cube_vector_core_type"};
    struct om_attr attr = om_attr_begin(w, 11, "attr_name_enum", 14);
    size_t list = onnx_begin(w, 1);
    for (int i = 0; i < NAMES; i++) {
        char name[32];
        snprintf(name, sizeof name, "_attribute_%d", i);
        onnx_text(w, 2, i < 5 ? known[i] : i == 26 ? "format_for_int" : name);
    }
    onnx_end(w, list);
    om_attr_end(w, attr);
    attr = om_attr_begin(w, 11, "attrs_use_string_value", 22);
    list = onnx_begin(w, 1);
    om_numbers(w, 5, "1,1,1,1,1,1,1,1,1,1");
    onnx_end(w, list);
    om_attr_end(w, attr);
    om_attr_texts(w, 11, "attr_value_enum",
                  "AIcoreEngine te_matmul0 te_matmul1 Opaque AIC AIV a b c d e f g h");
}

static void put_tasks(struct onnx_writer *w)
{
    const uint8_t args[24] = {0};
    for (int i = 1; i < OPS; i += 2) {
        size_t task = om_task(w, 0, 0), kernel = onnx_begin(w, 20), context = onnx_begin(w, 1);
        onnx_int(w, 1, 2);
        onnx_int(w, 4, i);
        onnx_text(w, 10, "{i_instance0*}{i_instance1*}{o_instance0*}");
        onnx_end(w, context);
        onnx_int(w, 11, 8);
        onnx_bytes(w, 13, args, sizeof args);
        onnx_text(w, 17, i % 4 == 1 ? "te_matmul0" : "te_matmul1");
        onnx_end(w, kernel);
        onnx_end(w, task);
    }
}

static const char *write_model(const char *folder)
{
    struct onnx_writer def = {0}, tasks = {0}, om = {0};
    const char *path = bench_path(folder, "model.om");
    uint8_t *weights = calloc(OPS / 2, WEIGHT_BYTES);
    size_t graph = om_graph(&def, "bench");
    for (int i = 0; i < OPS; i++)
        put_op(&def, i);
    onnx_end(&def, graph);
    put_dictionary(&def);
    put_tasks(&tasks);
    struct om_part_of parts[] = {{0, def.at, def.len},
                                 {1, weights, (size_t)OPS / 2 * WEIGHT_BYTES},
                                 {2, tasks.at, tasks.len}};
    om_file(&om, &(struct om_head){.model_num = 1}, parts, 3);
    FILE *file = fopen(path, "wb");
    if (!weights || !file || fwrite(om.at, 1, om.len, file) != om.len || fclose(file)) {
        fprintf(stderr, "bench_om: cannot write %s\n", path);
        exit(1);
    }
    free(weights);
    onnx_writer_fini(&def);
    onnx_writer_fini(&tasks);
    onnx_writer_fini(&om);
    return path;
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
    Oracle__GeModel *model = oracle__ge_model__unpack(NULL, in->def.len, in->def.at);
    if (!model)
        abort();
    uint64_t ops = model->graph[0]->n_op;
    oracle__ge_model__free_unpacked(model, NULL);
    return ops;
}

/* From the name of the file to the frozen model. */
static uint64_t run_session(void *context)
{
    const struct input *in = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_session *session = mi_session_new(&(struct mi_session_options){.jobs = 1}, &err);
    if (!session || !mi_session_add(session, in->model, &err) || !mi_session_load(session, &err)) {
        fprintf(stderr, "%s: %s\n", err.input, err.text);
        abort();
    }
    const struct mi_tables *rows = &mi_session_model(session)->all.rows;
    uint64_t result = rows->nodes.count + rows->planned.count - 2;
    mi_session_free(session);
    return result;
}

/* The reader alone. */
static uint64_t run_reader(void *context)
{
    const struct input *in = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_batch batch;
    struct mi_source src = {.path = in->model, .bytes = in->bytes, .role = ""};
    if (!mi_batch_init(&batch, in->bytes, &err) || !mi_reader_om.read(&src, &batch, &err))
        abort();
    uint64_t result = batch.rows.nodes.count + batch.rows.planned.count - 2;
    mi_batch_fini(&batch);
    return result;
}

int main(int argc, char **argv)
{
    struct bench bench;
    bench_init(&bench, "om", argc, argv);
    const char *folder = bench_folder(), *output = bench_path(folder, "output");
    struct input in = {.model = write_model(folder)};
    struct mi_input file;
    struct mi_error err = MI_ERROR_INIT;
    if (!mi_input_open(&file, in.model, NULL, &err)) {
        fprintf(stderr, "%s: %s\n", err.input, err.text);
        return 1;
    }
    in.bytes = file.bytes;
    in.def =
        mi_bytes_sub(file.bytes, 256 + 8 + 3 * 24, mi_load_u32le(file.bytes.at + 256 + 8 + 16));
    double allowed = (double)in.def.len + 100.0 * OPS; /* an edge per op */
    const char *const inputs[] = {PROGRAM, "inputs", in.model, NULL};
    bench_group(&bench, "model.om");
    bench_run(&bench, "memcpy", run_copy, &in, in.bytes.len);
    bench_run(&bench, "protobuf-c, unpacked, MODEL_DEF alone", run_protobuf_c, &in, in.def.len);
    const struct bench_row *reader = bench_run(&bench, "reader", run_reader, &in, in.bytes.len);
    const struct bench_row *session = bench_run(&bench, "session", run_session, &in, in.bytes.len);
    const struct bench_row *program =
        bench_program(&bench, "program: inputs", inputs, output, in.bytes.len);
    bench_goal(&bench, "100,000 ops opened by the library",
               session->is_ok ? session->cpu_seconds : -1, BENCH_AT_MOST, 0.5, "cpu s");
    bench_goal(&bench, "... by inspector-cli inputs, whole process",
               program->is_ok ? program->cpu_seconds : -1, BENCH_AT_MOST, 0.5, "cpu s");
    bench_goal(&bench, "memory of the reader, of MODEL_DEF + 100 B per edge",
               reader->is_ok ? (double)reader->anon_bytes / allowed : -1, BENCH_AT_MOST, 1, "x");
    bench_goal(&bench, "memory of the session, of the same",
               session->is_ok ? (double)session->anon_bytes / allowed : -1, BENCH_AT_MOST, 1, "x");
    mi_input_close(&file);
    bench_remove_folder(folder);
    return bench_report(&bench);
}
