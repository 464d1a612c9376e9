/* Speed and memory of reading ONNX Runtime profiles on one thread, from the bytes of the file to
 * the rows of the model, beside memcpy and two JSON libraries. */
#include "base/input.h"
#include "base/mem.h"
#include "capture/manifest.h"
#include "model/links.h"
#include "pipeline/session.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <yajl/yajl_parse.h>

#include "bench.h"
#include "support/make_ort_profile.h"
#include "support/onnx_writer.h"

#define SIZE_BYTES  ((size_t)500 * 1000 * 1000)
#define SLICE_BYTES ((size_t)100 * 1000 * 1000)
#define EVENT_BYTES 677u /* of a kernel event, about */

struct input {
    const char *folder;  /* a capture: profile, model, capture.json */
    const char *profile; /* its profile */
    struct mi_bytes bytes;
    uint8_t *copy;
    unsigned jobs;
};

static void check(bool ok, const struct mi_error *err)
{
    if (ok)
        return;
    fprintf(stderr, "%s: %s\n", err->input, err->text);
    abort();
}

/* --- inputs --- */

static FILE *create(const char *folder, const char *name)
{
    FILE *file = fopen(bench_path(folder, name), "wb");
    if (!file)
        abort();
    return file;
}

static bool write_all(void *context, struct mi_bytes bytes, struct mi_error *err)
{
    (void)err;
    return fwrite(bytes.at, 1, bytes.len, context) == bytes.len;
}

static void write_profile(const char *folder, const struct mi_make_ort_profile *options)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_sink sink;
    FILE *file = create(folder, "profile.json");
    mi_sink_init_callback(&sink, write_all, file);
    mi_make_ort_profile(&sink, options);
    check(mi_sink_flush(&sink, &err) && fclose(file) == 0, &err);
    mi_sink_fini(&sink);
}

/* The Loop that a profile may end its runs with, and its body. */
static void put_loop(struct onnx_writer *w, const char *from, const char *to)
{
    size_t node = onnx_node_begin(w, "/cell/Loop", "Loop", "", from, to);
    size_t attribute = onnx_attr_begin(w, "body", 5), graph = onnx_begin(w, 6);
    onnx_node(w, "/cell/body/Gemm", "Gemm", "", from, "b0");
    onnx_node(w, "/cell/body/Add", "Add", "", "b0", "b1");
    onnx_node(w, "/cell/body/Tanh", "Tanh", "", "b1", "b2");
    onnx_text(w, 2, "body");
    onnx_value(w, 12, "b2", 1, "1,32");
    onnx_end(w, graph);
    onnx_end(w, attribute);
    onnx_end(w, node);
}

/* The optimised model that the profile speaks of: a chain of its nodes, with the imports by which
 * files that ONNX Runtime wrote are told. */
static void write_model(const char *folder, const struct mi_make_ort_profile *options)
{
    static const char *const domains[] = {"", "com.microsoft", "com.microsoft.nchwc",
                                          "ai.onnx.training", "ai.onnx.preview.training"};
    struct onnx_writer w = {0};
    char name[128], from[32] = "x", to[32];
    onnx_int(&w, 1, 8);
    size_t graph = onnx_begin(&w, 7);
    for (uint32_t i = 0; i < options->nodes_per_run; i++) {
        const char *op = mi_make_ort_profile_node(name, sizeof name, i);
        snprintf(to, sizeof to, "t%u", i);
        if (options->loop_turns && i + 1 == options->nodes_per_run)
            put_loop(&w, from, to);
        else
            onnx_node(&w, name, op, "", from, to);
        memcpy(from, to, sizeof from);
    }
    onnx_text(&w, 2, "main");
    onnx_value(&w, 11, "x", 1, "1,16,56,56");
    onnx_value(&w, 12, from, 1, "1,16,56,56");
    onnx_end(&w, graph);
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        onnx_opset(&w, domains[i], 1);
    FILE *file = create(folder, "optimised.onnx");
    if (fwrite(w.at, 1, w.len, file) != w.len || fclose(file))
        abort();
    onnx_writer_fini(&w);
}

static void write_manifest(const char *folder)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_manifest manifest;
    mi_manifest_init(&manifest);
    manifest.collector = "bench";
    manifest.complete = true;
    manifest.start_unix_ns = INT64_C(1700000000000000000);
    mi_manifest_add_file(&manifest, &(struct mi_manifest_file){.path = "optimised.onnx",
                                                               .role = MI_ROLE_OPTIMISED_MODEL,
                                                               .reader = "ort_onnx",
                                                               .hash = "",
                                                               .size_bytes = -1});
    mi_manifest_add_file(&manifest,
                         &(struct mi_manifest_file){.path = "profile.json",
                                                    .role = MI_ROLE_PROFILE,
                                                    .reader = "ort_profile",
                                                    .hash = "",
                                                    .size_bytes = -1,
                                                    .clock_unix_ns = manifest.start_unix_ns});
    check(mi_manifest_write(&manifest, folder, &err), &err);
    mi_manifest_fini(&manifest);
}

static void make(struct input *in, const struct mi_make_ort_profile *options)
{
    in->folder = bench_folder();
    in->profile = bench_path(in->folder, "profile.json");
    in->jobs = 1;
    write_profile(in->folder, options);
    write_model(in->folder, options);
    write_manifest(in->folder);
}

static void open_bytes(struct input *in, struct mi_input *file)
{
    struct mi_error err = MI_ERROR_INIT;
    check(mi_input_open(file, in->profile, NULL, &err), &err);
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

/* Opening, mapping and reading included, as a rows of one batch. */
static uint64_t run_reader(void *context)
{
    const struct input *in = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_input file;
    struct mi_batch batch;
    check(mi_input_open(&file, in->profile, NULL, &err), &err);
    check(mi_batch_init(&batch, file.bytes, &err), &err);
    struct mi_source source = {.path = in->profile, .bytes = file.bytes, .role = ""};
    check(mi_reader_find("ort_profile")->read(&source, &batch, &err), &err);
    uint64_t rows = batch.rows.tasks.count;
    mi_batch_fini(&batch);
    mi_input_close(&file);
    return rows;
}

/* Everything: both files, merged, put into capture time, tasks joined to nodes, sorted, indexed. */
static uint64_t run_session(void *context)
{
    const struct input *in = context;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_session *session =
        mi_session_new(&(struct mi_session_options){.jobs = in->jobs}, &err);
    check(session != NULL, &err);
    check(mi_session_add(session, in->folder, &err) && mi_session_load(session, &err), &err);
    const struct mi_tables *rows = &mi_session_model(session)->all.rows;
    uint64_t linked = mi_links_count(rows);
    if (linked + 1 < rows->tasks.count)
        abort();
    mi_session_free(session);
    return linked;
}

static int count_text(void *context, const unsigned char *text, size_t len)
{
    (void)text;
    *(uint64_t *)context += len;
    return 1;
}

static int count_number(void *context, const char *text, size_t len)
{
    (void)text;
    *(uint64_t *)context += len;
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

static uint64_t run_jansson(void *context)
{
    const struct input *in = context;
    json_t *root =
        json_loadb((const char *)in->bytes.at, in->bytes.len, JSON_DISABLE_EOF_CHECK, NULL);
    if (!root)
        abort();
    size_t size = json_array_size(root);
    json_decref(root);
    return size;
}

/* --- groups --- */

static double memory_ratio(const struct bench_row *row)
{
    return row->is_ok ? (double)row->anon_bytes / (double)row->bytes : -1;
}

/* The library is slow: it gets a part, once. */
static void bench_tree(struct bench *bench, struct mi_make_ort_profile options)
{
    struct mi_sink sink;
    unsigned rounds = bench->rounds;
    options.event_count = SLICE_BYTES / EVENT_BYTES;
    mi_sink_init_memory(&sink);
    mi_make_ort_profile(&sink, &options);
    struct input slice = {.bytes = mi_sink_bytes(&sink)};
    bench->rounds = 1;
    bench_run(bench, "jansson, tree, of a part", run_jansson, &slice, slice.bytes.len);
    bench->rounds = rounds;
    mi_sink_fini(&sink);
}

/* One kind of profile: yardsticks, the reader alone, a whole session on one thread. */
static void bench_kind(struct bench *bench, const char *group, const char *what,
                       const struct mi_make_ort_profile *options, bool with_others)
{
    struct input in = {0};
    struct mi_input file;
    char text[96];
    make(&in, options);
    open_bytes(&in, &file);
    bench_group(bench, group);
    bench_run(bench, "memcpy", run_copy, &in, in.bytes.len);
    if (with_others) {
        unsigned rounds = bench->rounds;
        bench->rounds = 1;
        bench_run(bench, "yajl, callbacks that count", run_yajl, &in, in.bytes.len);
        bench->rounds = rounds;
        bench_tree(bench, *options);
    }
    const struct bench_row *rows =
        bench_run(bench, "reader: rows of tasks, kernels", run_reader, &in, in.bytes.len);
    const struct bench_row *all =
        bench_run(bench, "session: joined, sorted, indexed", run_session, &in, in.bytes.len);
    snprintf(text, sizeof text, "%s: rows built, one thread", what);
    bench_goal(bench, text, bench_speed(rows), BENCH_AT_LEAST, 0.5, "GB/s");
    snprintf(text, sizeof text, "%s: and joined, sorted, indexed", what);
    bench_goal(bench, text, bench_speed(all), BENCH_AT_LEAST, 0.5, "GB/s");
    snprintf(text, sizeof text, "%s: anonymous memory of the session", what);
    bench_goal(bench, text, memory_ratio(all), BENCH_AT_MOST, 0.25, "x input");
    mi_input_close(&file);
    bench_remove_folder(in.folder);
}

int main(int argc, char **argv)
{
    struct bench bench;
    bench_init(&bench, "profile", argc, argv);
    size_t size_bytes = bench.size_bytes ? bench.size_bytes : SIZE_BYTES;
    uint32_t events = (uint32_t)(size_bytes / EVENT_BYTES);
    bench_kind(&bench, "profile.json", "profile",
               &(struct mi_make_ort_profile){.event_count = events, .nodes_per_run = 1000}, true);
    bench_kind(
        &bench, "loops.json", "profile of loops, sorted",
        &(struct mi_make_ort_profile){.event_count = events, .nodes_per_run = 40, .loop_turns = 5},
        false);
    bench_kind(&bench, "full.json", "profile that was cut at 1,000,000 events",
               &(struct mi_make_ort_profile){
                   .event_count = 1000000, .nodes_per_run = 1000, .fences = true, .unclosed = true},
               false);
    return bench_report(&bench);
}
