/* Speed of reading GE's dumps as text into rows, beside memcpy and the bare scanner: ops with the
 * attributes and descriptors that real dumps have. protobuf-c has no parser for text, so there is
 * nothing of its kind to compare with. */
#include "base/input.h"
#include "base/pb_text.h"
#include "parse/reader.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

#define SIZE_BYTES ((size_t)200 * 1000 * 1000)

struct input {
    const char *path;
    struct mi_bytes bytes;
    uint8_t *copy;
};

/* --- a dump --- */

static void put_attr(FILE *file, const char *indent, const char *key, const char *value)
{
    fprintf(file, "%sattr {\n%s  key: \"%s\"\n%s  value {\n%s    %s\n%s  }\n%s}\n", indent, indent,
            key, indent, indent, value, indent, indent);
}

static void put_desc(FILE *file, const char *side, uint32_t n)
{
    fprintf(file,
            "    %s {\n      dtype: DT_FLOAT16\n      shape {\n        dim: 1\n        dim: %u\n"
            "        dim: 56\n        dim: 56\n        dim: 16\n      }\n"
            "      layout: \"NC1HWC0\"\n",
            side, n % 64 + 1);
    put_attr(file, "      ", "_datadump_origin_data_type", "s: \"DT_FLOAT\"");
    put_attr(file, "      ", "format_for_int", "i: 83886083");
    put_attr(file, "      ", "origin_data_type", "s: \"DT_FLOAT16\"");
    put_attr(file, "      ", "origin_format", "s: \"NCHW\"");
    put_attr(file, "      ", "origin_format_is_set", "b: true");
    put_attr(file, "      ", "origin_shape",
             "list {\n            i: 1\n            i: 64\n            i: 56\n            i: 56\n"
             "            val_type: VT_LIST_INT\n          }");
    fprintf(file, "      has_out_attr: true\n      size: 401440\n      device_type: \"NPU\"\n"
                  "      real_dim_cnt: 4\n    }\n");
}

static void put_op(FILE *file, uint32_t n)
{
    char text[160];
    fprintf(file, "  op {\n    name: \"stage/block_%u/conv_%u\"\n    type: \"Conv2D\"\n", n / 16,
            n);
    for (uint32_t i = 1; i <= 2 && i <= n; i++)
        fprintf(file, "    input: \"stage/block_%u/conv_%u:0\"\n", (n - i) / 16, n - i);
    snprintf(text, sizeof text,
             "list {\n          s: \"conv_%u\"\n          s: \"relu_%u\"\n"
             "          val_type: VT_LIST_STRING\n        }",
             n, n);
    put_attr(file, "    ", "_datadump_original_op_names", text);
    put_attr(file, "    ", "_fe_imply_type", "i: 6");
    put_attr(file, "    ", "_ge_attr_op_kernel_lib_name", "s: \"AIcoreEngine\"");
    put_attr(file, "    ", "_input_name_key",
             "list {\n          s: \"x\"\n          s: \"filter\"\n        }");
    snprintf(text, sizeof text, "s: \"te_conv2d_%08x_1__kernel0\"", n * 2654435761u);
    put_attr(file, "    ", "_kernelname", text);
    put_attr(file, "    ", "dilations",
             "list {\n          i: 1\n          i: 1\n          i: 1\n          i: 1\n"
             "          val_type: VT_LIST_INT\n        }");
    put_attr(file, "    ", "pass_name", "list {\n          s: \"ConvReluFusionPass\"\n        }");
    put_attr(file, "    ", "strides",
             "list {\n          i: 1\n          i: 1\n          i: 2\n          i: 2\n"
             "          val_type: VT_LIST_INT\n        }");
    put_attr(file, "    ", "tvm_magic", "s: \"RT_DEV_BINARY_MAGIC_ELF\"");
    fprintf(file, "    has_out_attr: true\n    id: %u\n    stream_id: %u\n", n, n % 4);
    fprintf(file, "    src_name: \"stage/block_%u/conv_%u\"\n    src_index: 0\n", n / 16, n);
    fprintf(file, "    input_i: %u\n    output_i: %u\n    is_input_const: false\n", n * 512,
            n * 512);
    put_desc(file, "input_desc", n);
    put_desc(file, "input_desc", n + 1);
    put_desc(file, "output_desc", n);
    fprintf(file, "  }\n");
}

static void write_dump(const char *path, size_t size_bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        abort();
    fprintf(file, "graph {\n  name: \"net\"\n");
    for (uint32_t n = 0; ftell(file) >= 0 && (size_t)ftell(file) < size_bytes; n++)
        put_op(file, n);
    fprintf(file, "}\n");
    if (fclose(file))
        abort();
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

static uint64_t run_scan(void *context)
{
    const struct input *in = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt t;
    uint64_t fields = 0;
    mi_pbt_init(&t, in->bytes, &err);
    for (;;) {
        bool is_inside = t.depth > 0;
        if (mi_pbt_next(&t)) {
            fields++;
            if (t.kind == MI_PBT_MESSAGE)
                mi_pbt_enter(&t);
        } else if (!is_inside || err.code != MI_OK) {
            break;
        }
    }
    return fields;
}

static uint64_t run_reader(void *context)
{
    const struct input *in = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_source src = {.path = in->path, .bytes = in->bytes, .role = ""};
    struct mi_batch batch;
    if (!mi_batch_init(&batch, in->bytes, &err) ||
        !mi_reader_find("ge_proto")->read(&src, &batch, &err))
        abort();
    uint64_t rows = batch.rows.nodes.count + batch.rows.attrs.count;
    mi_batch_fini(&batch);
    return rows;
}

int main(int argc, char **argv)
{
    struct bench bench;
    struct mi_input file;
    struct mi_error err = MI_ERROR_INIT;
    bench_init(&bench, "ge_text", argc, argv);
    const char *folder = bench_folder();
    struct input in = {.path = bench_path(folder, "ge_proto_00000001_Build.txt")};
    write_dump(in.path, bench.size_bytes ? bench.size_bytes : SIZE_BYTES);
    if (!mi_input_open(&file, in.path, NULL, &err)) {
        fprintf(stderr, "%s: %s\n", err.input, err.text);
        return 1;
    }
    in.bytes = file.bytes;
    bench_group(&bench, "ge_proto");
    bench_run(&bench, "memcpy", run_copy, &in, in.bytes.len);
    bench_run(&bench, "scanner alone", run_scan, &in, in.bytes.len);
    const struct bench_row *row =
        bench_run(&bench, "reader, into rows", run_reader, &in, in.bytes.len);
    bench_goal(&bench, "GE dump read at", bench_speed(row) * 1e3, BENCH_AT_LEAST, 150,
               "MB/s per core");
    mi_input_close(&file);
    bench_remove_folder(folder);
    return bench_report(&bench);
}
