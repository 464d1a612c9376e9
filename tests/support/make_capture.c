/* make_capture FOLDER: writes a small capture with all three layers into an existing folder. For
 * tests/data: `build/tests/support/make_capture tests/data/capture/small`.
 *
 * Source: Conv and Relu, which the compiler fuses; a Cast; an Identity, which it removes; an If
 * whose else branch never runs; a name with a line feed in it. The optimised model adds a
 * ReorderOutput. Three runs. */
#include "onnx_writer.h"

#include <stdlib.h>

enum { FLOAT = 1, BOOL = 9, FLOAT16 = 10 };

static const int64_t kernel_dims[] = {4, 3, 3, 3};
static const uint8_t kernel[4 * 3 * 3 * 3 * 4] = {1};

static void branch(struct onnx_writer *w, const char *attribute, const char *node, const char *op,
                   const char *output)
{
    size_t attr = onnx_attr_begin(w, attribute, 5), graph = onnx_begin(w, 6);
    onnx_node(w, node, op, "", "wide,wide", output);
    onnx_text(w, 2, attribute);
    onnx_value(w, 12, output, FLOAT16, "1,4,6,6");
    onnx_end(w, graph);
    onnx_end(w, attr);
}

static void choice(struct onnx_writer *w)
{
    size_t node = onnx_node_begin(w, "/head/If", "If", "", "flag", "picked");
    branch(w, "then_branch", "/head/then/Add", "Add", "sum");
    branch(w, "else_branch", "/head/else/Sub", "Sub", "difference");
    onnx_end(w, node);
}

static void cast(struct onnx_writer *w)
{
    size_t node = onnx_node_begin(w, "/head/Cast", "Cast", "", "relu_out", "half");
    onnx_attr_int(w, "to", FLOAT16);
    onnx_end(w, node);
}

static size_t begin(struct onnx_writer *w)
{
    onnx_int(w, 1, 8);
    onnx_text(w, 2, "model-inspector tests");
    return onnx_begin(w, 7);
}

static void end(struct onnx_writer *w, size_t graph)
{
    onnx_text(w, 2, "small");
    onnx_tensor(w, 5, "kernel", FLOAT, kernel_dims, 4, kernel, sizeof kernel);
    onnx_value(w, 11, "image", FLOAT, "1,3,8,8");
    onnx_value(w, 11, "flag", BOOL, "");
    onnx_value(w, 12, "result", FLOAT16, "1,4,6,6");
    onnx_value(w, 13, "relu_out", FLOAT, "1,4,6,6");
    onnx_value(w, 13, "half", FLOAT16, "1,4,6,6");
    onnx_end(w, graph);
    onnx_opset(w, "", 17);
}

static void source(struct onnx_writer *w)
{
    size_t graph = begin(w);
    onnx_node(w, "/block/Conv", "Conv", "", "image,kernel", "conv_out");
    onnx_node(w, "/block/Relu", "Relu", "", "conv_out", "relu_out");
    cast(w);
    onnx_node(w, "/head/Identity", "Identity", "", "half", "wide");
    choice(w);
    onnx_node(w, "last\nline", "Neg", "", "picked", "result");
    onnx_value(w, 13, "conv_out", FLOAT, "1,4,6,6");
    end(w, graph);
}

static void optimised(struct onnx_writer *w)
{
    size_t graph = begin(w);
    size_t conv =
        onnx_node_begin(w, "/block/Conv", "FusedConv", "com.microsoft", "image,kernel", "reorder");
    size_t activation = onnx_attr_begin(w, "activation", 3);
    onnx_text(w, 4, "Relu");
    onnx_end(w, activation);
    onnx_end(w, conv);
    onnx_node(w, "ReorderOutput", "ReorderOutput", "com.microsoft.nchwc", "reorder", "relu_out");
    size_t node = onnx_node_begin(w, "/head/Cast", "Cast", "", "relu_out", "wide");
    onnx_attr_int(w, "to", FLOAT16);
    onnx_end(w, node);
    choice(w);
    onnx_node(w, "last\nline", "Neg", "", "picked", "result");
    end(w, graph);
    onnx_opset(w, "com.microsoft", 1);
    onnx_opset(w, "com.microsoft.nchwc", 1);
}

/* --- the profile: events in the order of their ends --- */

static void session_event(FILE *file, const char *name, int start_us, int dur_us)
{
    fprintf(file,
            ",\n{\"cat\" : \"Session\",\"pid\" :7,\"tid\" :7,\"dur\" :%d,\"ts\" :%d,\"ph\" : "
            "\"X\",\"name\" :\"%s\",\"args\" : {}}",
            dur_us, start_us, name);
}

static void kernel_event(FILE *file, const char *name, const char *op, int index, int start_us,
                         int dur_us, const char *in, const char *out)
{
    fprintf(file,
            ",\n{\"cat\" : \"Node\",\"pid\" :7,\"tid\" :7,\"dur\" :%d,\"ts\" :%d,\"ph\" : "
            "\"X\",\"name\" :\"%s_kernel_time\",\"args\" : {\"input_type_shape\" : [%s],"
            "\"output_type_shape\" : [%s],\"output_size\" : \"576\",\"parameter_size\" : "
            "\"432\",\"thread_scheduling_stats\" : \"\",\"provider\" : "
            "\"CPUExecutionProvider\",\"node_index\" : \"%d\",\"op_name\" : \"%s\"}}",
            dur_us, start_us, name, in, out, index, op);
}

static void profile(FILE *file)
{
    static const char image[] = "{\"float\":[1,3,8,8]}", wide[] = "{\"float\":[1,4,6,6]}";
    static const char half[] = "{\"float16\":[1,4,6,6]}";
    fputs("[\n{\"cat\" : \"Session\",\"pid\" :7,\"tid\" :7,\"dur\" :900,\"ts\" :50,\"ph\" : "
          "\"X\",\"name\" :\"session_initialization\",\"args\" : {}}",
          file);
    for (int run = 0; run < 3; run++) {
        int at = 1000 + 500 * run, slow = run == 0 ? 100 : 0; /* the first run is warm-up */
        kernel_event(file, "/block/Conv", "FusedConv", 0, at + 2, 120 + slow + run, image, wide);
        kernel_event(file, "ReorderOutput", "ReorderOutput", 1, at + 230, 10, wide, wide);
        kernel_event(file, "/head/Cast", "Cast", 2, at + 242, 6, wide, half);
        kernel_event(file, "/head/then/Add", "Add", 0, at + 255, 9, half, half);
        session_event(file, "SequentialExecutor::Execute", at + 253, 12);
        kernel_event(file, "/head/If", "If", 3, at + 250, 20, "{\"bool\":[]}", half);
        kernel_event(file, "last\nline", "Neg", 4, at + 272, 5, half, half);
        session_event(file, "SequentialExecutor::Execute", at + 1, 280);
        session_event(file, "model_run", at, 285);
    }
    fputs("\n]\n", file);
}

/* --- files --- */

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) {
        fprintf(stderr, "make_capture: cannot write %s\n", path);
        exit(3);
    }
    return file;
}

static void write_model(const char *folder, const char *name, void (*make)(struct onnx_writer *))
{
    struct onnx_writer w = {0};
    FILE *file = open_in(folder, name);
    make(&w);
    if (fwrite(w.at, 1, w.len, file) != w.len || fclose(file))
        exit(3);
    onnx_writer_fini(&w);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_capture FOLDER\n");
        return 2;
    }
    write_model(argv[1], "model.onnx", source);
    write_model(argv[1], "optimised.onnx", optimised);
    FILE *file = open_in(argv[1], "profile.json");
    profile(file);
    fclose(file);
    file = open_in(argv[1], "capture.json");
    fputs(
        "{\"schema\": \"model-inspector-capture/1\", \"collector\": \"ort\", \"complete\": true,\n"
        " \"start_unix_ns\": \"1700000000000000000\",\n \"files\": [\n"
        "  {\"path\": \"model.onnx\", \"role\": \"source\", \"reader\": \"onnx\"},\n"
        "  {\"path\": \"optimised.onnx\", \"role\": \"optimised\", \"reader\": \"ort_onnx\"},\n"
        "  {\"path\": \"profile.json\", \"role\": \"profile\", \"reader\": \"ort_profile\",\n"
        "   \"clock_unix_ns\": \"1700000000000000000\"}],\n"
        " \"settings\": {\"runs\": \"2\", \"warmup\": \"1\"}, \"versions\": {}, \"notes\": []}\n",
        file);
    return fclose(file) ? 3 : 0;
}
