/* ONNX readers on real files: who claims them, and how much is in them. */
#include "onnx_cases.h"
#include "reading.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Counts taken by other programs; -1: not known. */
static const struct sample {
    const char *path;
    bool is_compiled;
    int nodes, graphs, constants;
} samples[] = {
    {"samples/onnxruntime/resnet18_q.onnx", false, 101, 1, -1},
    {"samples/onnxruntime/resnet18_q.seq1.opt.onnx", true, 25, 1, -1},
    {"samples/onnxruntime/resnet18_q.seq2.opt.onnx", true, 25, 1, -1},
    {"samples/onnxruntime/mobilenetv3_w25.onnx", false, 227, 1, -1},
    {"samples/onnxruntime/mobilenetv3_w25.seq1.opt.onnx", true, 112, 1, -1},
    {"samples/onnxruntime/bert_tiny.onnx", false, 161, 1, -1},
    {"samples/onnxruntime/bert_tiny.seq1.opt.onnx", true, 69, 1, -1},
    {"samples/onnxruntime/bert_tiny.ort1201seq1.opt.onnx", true, 63, 1, -1},
    {"samples/onnxruntime/bert_attention.onnx", false, 250, 1, -1},
    {"samples/onnxruntime/bert_attention.seq1.opt.onnx", true, 35, 1, -1},
    {"samples/onnxruntime/control_flow.onnx", false, 21, 4, -1},
    {"samples/onnxruntime/control_flow.seq1.opt.onnx", true, 14, 4, -1},
    {"samples/onnxruntime/custom_domain.onnx", false, 7, 1, -1},
    {"samples/onnxruntime/custom_domain.seq1.opt.onnx", true, 9, 1, -1},
    {"samples/onnxruntime/functions.onnx", false, -1, 3, -1},
    {"samples/onnxruntime/functions.seq1.opt.onnx", true, 6, 1, -1},
    {"samples/onnxruntime/inception_branches.onnx", false, 60, 1, -1},
    {"samples/onnxruntime/inception_branches.seq1.opt.onnx", true, 22, 1, -1},
    {"samples/onnxruntime/inception_branches.seq2.opt.onnx", true, 22, 1, -1},
    {"samples/onnxruntime/inception_branches.par2.opt.onnx", true, 22, 1, -1},
    {"samples/onnxruntime/inception_branches.streams4.opt.onnx", true, 22, 1, -1},
    {"samples/onnxruntime/inception_branches.ort1131par.opt.onnx", true, 22, 1, -1},
    {"samples/onnxruntime/qdq_net.onnx", false, 28, 1, -1},
    {"samples/onnxruntime/qdq_net.seq1.opt.onnx", true, 11, 1, -1},
    {"samples/cann-static/framework/lanenet_epoch_122_batch_8_AUG.onnx", false, 462, 1, 403},
    {"samples/cann-static/framework/onnx_conv2d.onnx", false, 1, 1, -1},
    {"samples/cann-static/framework/onnx_clip_v9.onnx", false, 1, 1, -1},
    {"samples/cann-static/framework/onnx_const_type.onnx", false, 6, 1, -1},
};

static int count_constants(const struct mi_batch *batch)
{
    const struct mi_values *values = &batch->rows.values;
    int count = 0;
    for (uint32_t i = 1; i < values->count; i++)
        count += values->kind[i] == MI_VALUE_CONSTANT && values->name[i].v;
    return count;
}

static void claims_and_counts(void **state)
{
    (void)state;
    int read = 0;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct reading reading;
        if (!reading_file(&reading, NULL, shared_path(samples[i].path)))
            continue;
        const struct mi_tables *rows = &reading.batch.rows;
        read++;
        print_message("%s: %u nodes, %u graphs, %u values\n", samples[i].path,
                      rows->nodes.count - 1, rows->graphs.count - 1, rows->values.count - 1);
        if (!reading.ok)
            fail_msg("%s", reading.err.text);
        assert_int_equal(rows->graphs.layer[1],
                         samples[i].is_compiled ? MI_LAYER_COMPILED : MI_LAYER_FRAMEWORK);
        if (samples[i].nodes >= 0)
            assert_int_equal(rows->nodes.count - 1, samples[i].nodes);
        assert_int_equal(rows->graphs.count - 1, samples[i].graphs);
        if (samples[i].constants >= 0)
            assert_int_equal(count_constants(&reading.batch), samples[i].constants);
        assert_int_equal(reading.batch.counts.in, reading.batch.counts.kept);
        assert_int_equal(reading.batch.counts.kept, rows->nodes.count - 1);
        for (uint32_t d = 1; d < rows->diags.count; d++)
            print_message("  %.*s\n", (int)mi_batch_text(&reading.batch, rows->diags.text[d]).len,
                          (const char *)mi_batch_text(&reading.batch, rows->diags.text[d]).at);
        reading_fini(&reading);
    }
    if (read == 0)
        skip();
}

/* Node to node edges, and every named body tensor resolved. */
static void edges(void **state)
{
    (void)state;
    struct reading reading;
    if (!reading_file(
            &reading, NULL,
            shared_path("samples/cann-static/framework/lanenet_epoch_122_batch_8_AUG.onnx")))
        skip();
    const struct mi_tables *rows = &reading.batch.rows;
    int count = 0;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        for (uint32_t p = 0; p < rows->nodes.in_count[n]; p++)
            count += rows->values.producer[rows->ports.value[rows->nodes.first_in[n] + p].v].v != 0;
    assert_int_equal(count, 523);
    reading_fini(&reading);
}

static void bodies_see_outside(void **state)
{
    (void)state;
    struct reading reading;
    if (!reading_file(&reading, NULL, shared_path("samples/onnxruntime/control_flow.onnx")))
        skip();
    const struct mi_tables *rows = &reading.batch.rows;
    int outer = 0;
    for (uint32_t v = 1; v < rows->values.count; v++) {
        assert_int_not_equal(rows->values.kind[v], MI_VALUE_DANGLING);
        if (rows->values.kind[v] != MI_VALUE_OUTER)
            continue;
        mi_value_id of = rows->values.outer[v];
        mi_node_id owner = rows->graphs.parent[rows->values.graph[v].v];
        assert_true(of.v && owner.v);
        assert_int_equal(rows->values.graph[of.v].v, rows->nodes.graph[owner.v].v);
        assert_int_equal(rows->values.name[of.v].v, rows->values.name[v].v);
        outer++;
    }
    assert_true(outer > 0);
    reading_fini(&reading);
}

/* What is no ONNX model is not claimed, whatever it is: in all folders of samples. */
static int count_claims(const char *folder, int *seen)
{
    char name[2048];
    int claims = 0;
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        struct mi_input input;
        struct mi_error err = MI_ERROR_INIT;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || mi_bytes_ends(mi_cstr(name), MI_LIT(".onnx")) ||
            !mi_input_open(&input, name, NULL, &err))
            continue;
        struct mi_probe probe = {.path = name, .bytes = input.bytes};
        probe.head = mi_bytes_sub(input.bytes, 0, 4096);
        bool is_claimed = mi_reader_find("onnx")->sniff(&probe) > 0 ||
                          mi_reader_find("ort_onnx")->sniff(&probe) > 0;
        if (is_claimed)
            print_message("%s: claimed\n", name);
        claims += is_claimed;
        ++*seen;
        mi_input_close(&input);
    }
    if (dir)
        closedir(dir);
    return claims;
}

static void others_are_left_alone(void **state)
{
    (void)state;
    static const char *const folders[] = {"samples/onnxruntime",
                                          "samples/onnxruntime/capture",
                                          "samples/cann-static/framework",
                                          "samples/cann-static/ge-dump",
                                          "samples/cann-static/kernel-meta",
                                          "samples/cann-static/om",
                                          "samples/cann-static/om-hiai",
                                          "samples/cann-profiling"};
    int seen = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_int_equal(count_claims(shared_path(folders[i]), &seen), 0);
    print_message("%d files\n", seen);
    if (seen == 0)
        skip();
}

/* The stored files are what the cases write. */
static void stored_files_are_fresh(void **state)
{
    (void)state;
    for (size_t i = 0; i < onnx_case_count; i++) {
        char path[2048];
        struct mi_input input;
        struct mi_error err = MI_ERROR_INIT;
        struct onnx_writer w = {0};
        onnx_cases[i].write(&w);
        snprintf(path, sizeof path, "%s/tests/data/%s/%s.onnx", MI_SOURCE_DIR, onnx_cases[i].reader,
                 onnx_cases[i].name);
        if (!mi_input_open(&input, path, NULL, &err) ||
            !mi_bytes_equal(input.bytes, (struct mi_bytes){w.at, w.len}))
            fail_msg("%s is stale; run make_onnx_data", path);
        mi_input_close(&input);
        onnx_writer_fini(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_are_left_alone), cmocka_unit_test(stored_files_are_fresh),
        cmocka_unit_test(claims_and_counts),     cmocka_unit_test(edges),
        cmocka_unit_test(bodies_see_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
