/* ONNX readers on real files: who claims them, and how much is in them. */
#include "reading.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_and_counts),
        cmocka_unit_test(edges),
        cmocka_unit_test(bodies_see_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
