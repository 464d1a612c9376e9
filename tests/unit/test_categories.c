/* The table of operator categories: its order, spellings, and every operator of the samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>

#include "correlate/categories.h"
#include "joining.h"
#include "onnx_text.h"

#include "correlate/categories.def"
#include "correlate/categories/torch_ops.def"

struct row {
    const char *op;
    enum mi_category category;
};

static const struct row table[] = {
#define MI_ROW(op, category) {op, MI_CATEGORY_##category},
    MI_CATEGORY_TABLE(MI_ROW)
#undef MI_ROW
};

static const struct row torch[] = {
#define MI_ROW(op, category) {op, MI_CATEGORY_##category},
    MI_TORCH_TABLE(MI_ROW)
#undef MI_ROW
};

static enum mi_category find(const char *domain, const char *op)
{
    return mi_category_find(mi_cstr(domain), mi_cstr(op));
}

static int compare_lower(const char *a, const char *b)
{
    for (;; a++, b++) {
        int x = *a >= 'A' && *a <= 'Z' ? *a + 32 : *a, y = *b >= 'A' && *b <= 'Z' ? *b + 32 : *b;
        if (x != y || !x)
            return x - y;
    }
}

static void test_order(void **state)
{
    (void)state;
    size_t count = sizeof table / sizeof *table;
    for (size_t i = 1; i < count; i++)
        if (compare_lower(table[i - 1].op, table[i].op) >= 0)
            fail_msg("%s stands before %s", table[i - 1].op, table[i].op);
    for (size_t i = 0; i < count; i++) {
        if (find("", table[i].op) != table[i].category)
            fail_msg("%s is not found", table[i].op);
        assert_int_not_equal(table[i].category, MI_CATEGORY_CUSTOM);
    }
}

static void test_torch(void **state)
{
    (void)state;
    size_t count = sizeof torch / sizeof *torch;
    char op[128];
    for (size_t i = 0; i < count; i++) {
        if (i && strcmp(torch[i - 1].op, torch[i].op) >= 0)
            fail_msg("%s stands before %s", torch[i - 1].op, torch[i].op);
        snprintf(op, sizeof op, "aten.%s.default", torch[i].op);
        if (find("", op) != torch[i].category)
            fail_msg("%s is not found", op);
    }
}

static void test_examples(void **state)
{
    (void)state;
    static const struct {
        const char *domain, *op;
        enum mi_category category;
    } examples[] = {
        {"", "Conv", MI_CATEGORY_CONVOLUTION},
        {"ai.onnx", "Gemm", MI_CATEGORY_FULLY_CONNECTED},
        {"com.microsoft.nchwc", "Conv", MI_CATEGORY_CONVOLUTION},
        {"com.microsoft.nchwc", "ReorderInput", MI_CATEGORY_DATA_MOVEMENT},
        {"com.microsoft", "FusedMatMul", MI_CATEGORY_FULLY_CONNECTED},
        {"com.microsoft", "SkipLayerNormalization", MI_CATEGORY_NORMALISATION},
        {"com.microsoft", "BiasGelu", MI_CATEGORY_ACTIVATION},
        {"ai.onnx.ml", "Scaler", MI_CATEGORY_NORMALISATION},
        {"", "If", MI_CATEGORY_CONTROL},
        {"", "Constant", MI_CATEGORY_OTHER},
        {"", "", MI_CATEGORY_OTHER},
        /* other stacks */
        {"", "Conv2D", MI_CATEGORY_CONVOLUTION},
        {"", "MatMulV2", MI_CATEGORY_FULLY_CONNECTED},
        {"", "MatMulV3", MI_CATEGORY_FULLY_CONNECTED},
        {"", "BNInference", MI_CATEGORY_NORMALISATION},
        {"", "LayerNorm", MI_CATEGORY_NORMALISATION},
        {"", "LayerNormV4", MI_CATEGORY_NORMALISATION},
        {"", "SoftmaxV2", MI_CATEGORY_ACTIVATION},
        {"", "TransData", MI_CATEGORY_DATA_MOVEMENT},
        {"", "MemcpyAsync", MI_CATEGORY_DATA_MOVEMENT},
        {"", "TensorMove", MI_CATEGORY_DATA_MOVEMENT},
        {"", "MEMCPY_ASYNC", MI_CATEGORY_DATA_MOVEMENT},
        {"", "HcomAllReduce", MI_CATEGORY_COMMUNICATION},
        {"", "hcom_allReduce__123_0", MI_CATEGORY_COMMUNICATION},
        {"", "Send", MI_CATEGORY_SYNCHRONISATION},
        {"", "EVENT_WAIT", MI_CATEGORY_SYNCHRONISATION},
        {"", "LabelSwitchByIndex", MI_CATEGORY_CONTROL},
        /* spellings: case, versions, variants with fixed attributes */
        {"", "conv2d", MI_CATEGORY_CONVOLUTION},
        {"", "GatherV2D", MI_CATEGORY_DATA_MOVEMENT},
        {"", "ConcatD", MI_CATEGORY_DATA_MOVEMENT},
        {"", "ReduceSumV17", MI_CATEGORY_REDUCTION_POOLING},
        {"", "ReluV2D", MI_CATEGORY_ACTIVATION},
        {"", "AdaptiveAvgPool3dGrad", MI_CATEGORY_REDUCTION_POOLING},
        {"", "AdaptiveMaxPool3dGradV2D", MI_CATEGORY_REDUCTION_POOLING},
        {"", "Grad", MI_CATEGORY_CUSTOM},
        {"", "QuickActGrad", MI_CATEGORY_CUSTOM},
        {"", "AutomaticBufferFusionOp", MI_CATEGORY_ELEMENTWISE},
        /* PyTorch: namespace, overload, private and in-place variants, versions, gradients */
        {"", "aten.linear.default", MI_CATEGORY_FULLY_CONNECTED},
        {"", "torch.ops.aten.addmm", MI_CATEGORY_FULLY_CONNECTED},
        {"", "aten._softmax.default", MI_CATEGORY_ACTIVATION},
        {"", "aten.relu_.default", MI_CATEGORY_ACTIVATION},
        {"", "aten.select.int", MI_CATEGORY_DATA_MOVEMENT},
        {"", "prims.convert_element_type.default", MI_CATEGORY_ELEMENTWISE},
        {"", "npu.npu_rms_norm.default", MI_CATEGORY_NORMALISATION},
        {"", "npu.npu_fusion_attention_v2.default", MI_CATEGORY_FULLY_CONNECTED},
        {"", "aten.native_group_norm_backward.default", MI_CATEGORY_NORMALISATION},
        {"", "_c10d_functional.all_reduce.default", MI_CATEGORY_COMMUNICATION},
        {"", "aten.sym_size.int", MI_CATEGORY_OTHER},
        {"", "aten.never_heard_of.default", MI_CATEGORY_OTHER},
        {"", "aten..", MI_CATEGORY_OTHER},
        /* as its profiles call them */
        {"", "aten::addmm", MI_CATEGORY_FULLY_CONNECTED},
        {"", "aten::relu_", MI_CATEGORY_ACTIVATION},
        {"", "aten::_local_scalar_dense", MI_CATEGORY_OTHER},
        {"", "c10d::allreduce_", MI_CATEGORY_COMMUNICATION},
        {"", "npu::npu_rms_norm", MI_CATEGORY_NORMALISATION},
        {"", "aten::", MI_CATEGORY_OTHER},
        {"", "aten:", MI_CATEGORY_CUSTOM},
        {"", "mylib::addmm", MI_CATEGORY_CUSTOM},
        /* calls of CANN's libraries */
        {"", "aclnnReduceSum", MI_CATEGORY_REDUCTION_POOLING},
        {"", "aclnnInplaceRelu", MI_CATEGORY_ACTIVATION},
        {"", "aclnnMm", MI_CATEGORY_FULLY_CONNECTED},
        {"", "aclnnMuls", MI_CATEGORY_ELEMENTWISE},
        {"", "aclnnInplaceFillScalar", MI_CATEGORY_DATA_MOVEMENT},
        {"", "aclnnEqTensor", MI_CATEGORY_ELEMENTWISE},
        {"", "aclnnThresholdBackward", MI_CATEGORY_ACTIVATION},
        {"", "aclnnNeverHeardOf", MI_CATEGORY_OTHER},
        {"", "aclnn", MI_CATEGORY_OTHER},
        {"example", "aclnnMm", MI_CATEGORY_CUSTOM},
        {"", "HcclAllreduce", MI_CATEGORY_COMMUNICATION},
        /* what no stack ships */
        {"", "mylib.linear.default", MI_CATEGORY_CUSTOM},
        {"example", "aten.linear.default", MI_CATEGORY_CUSTOM},
        {"", "aten", MI_CATEGORY_OTHER},
        {"example.inspect", "QuickAct", MI_CATEGORY_CUSTOM},
        {"example.inspect", "Conv", MI_CATEGORY_CUSTOM},
        {"", "QuickAct", MI_CATEGORY_CUSTOM},
        {"", "FastFilter", MI_CATEGORY_CUSTOM},
        {"", "V2", MI_CATEGORY_CUSTOM},
        {"", "D", MI_CATEGORY_CUSTOM},
        {"", "AddCustom", MI_CATEGORY_CUSTOM},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (find(examples[i].domain, examples[i].op) != examples[i].category)
            fail_msg("%s:%s is %s", examples[i].domain, examples[i].op,
                     mi_enum_name(MI_E_category, find(examples[i].domain, examples[i].op)));
}

static void test_hostile(void **state)
{
    (void)state;
    static uint8_t name[1 << 20];
    memset(name, 'V', sizeof name);
    for (size_t i = 1; i < sizeof name; i += 2)
        name[i] = '2';
    assert_int_equal(mi_category_find((struct mi_bytes){0}, (struct mi_bytes){name, sizeof name}),
                     MI_CATEGORY_CUSTOM);
    assert_int_equal(mi_category_find((struct mi_bytes){0}, MI_LIT("Conv\0x")), MI_CATEGORY_CUSTOM);
}

/* A call of a function that the model brings along is not foreign. */
static void test_columns(void **state)
{
    (void)state;
    struct joining joining;
    struct onnx_writer w = {0};
    onnx_from_text(
        &w, "in x\nout y\na Conv x a\nb loc:Gelu a b\nc loc:Thing b c\nd foreign:Gelu c y\n"
            "function loc Gelu p q\nr Erf p q\nend\nfunction loc Thing p q\nr Abs p q\nend\n");
    joining_init(&joining);
    joining_bytes(&joining, "onnx", (struct mi_bytes){w.at, w.len}, "m");
    assert_true(joining_run(&joining));
    const uint8_t *category = joining.model.all.rows.nodes.category;
    assert_int_equal(category[1], MI_CATEGORY_CONVOLUTION);
    assert_int_equal(category[2], MI_CATEGORY_ACTIVATION);
    assert_int_equal(category[3], MI_CATEGORY_OTHER);
    assert_int_equal(category[4], MI_CATEGORY_CUSTOM);
    joining_fini(&joining);
    onnx_writer_fini(&w);
}

/* Only the operator that the custom domain brings is custom, in all samples. */
static void test_samples(void **state)
{
    (void)state;
    char folder[4096], path[8192];
    snprintf(folder, sizeof folder, "%s", shared_path("samples/onnxruntime"));
    DIR *dir = opendir(folder);
    if (!dir)
        skip();
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        size_t len = strlen(entry->d_name);
        if (len < 5 || strcmp(entry->d_name + len - 5, ".onnx") != 0)
            continue;
        struct joining joining;
        joining_init(&joining);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_true(joining_file(&joining, "onnx", path));
        assert_true(joining_run(&joining));
        const struct mi_nodes *nodes = &joining.model.all.rows.nodes;
        for (uint32_t n = 1; n < nodes->count; n++) {
            struct mi_bytes op = mi_model_text(&joining.model, nodes->op[n]);
            bool is_custom = nodes->category[n] == MI_CATEGORY_CUSTOM;
            if (is_custom != mi_bytes_equal(op, MI_LIT("QuickAct")))
                fail_msg("%s: %.*s", entry->d_name, (int)op.len, (const char *)op.at);
        }
        joining_fini(&joining);
    }
    closedir(dir);
}

/* What CANN ships is not custom: all kernels of all tables of operators at hand. */
static void test_kernels_of_samples(void **state)
{
    (void)state;
    static const char *const tables[] = {
        "pytorch_alexnet_2rank/text/level1/rank0_ascend_pt/ASCEND_PROFILER_OUTPUT/"
        "kernel_details.csv",
        "pytorch_l0cmetrics_2023/rank0/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
        "pytorch_l0cmetrics_2023/rank1/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
        "mstt_2024/kernel_details_arith.csv"};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        struct joining joining;
        char path[512];
        joining_init(&joining);
        snprintf(path, sizeof path, "samples/cann-profiling/%s", tables[i]);
        if (!joining_file(&joining, "msprof_csv", shared_path(path)))
            skip();
        assert_true(joining_run(&joining));
        const struct mi_kernels *kernels = &joining.model.all.rows.kernels;
        assert_true(kernels->count > 10);
        for (uint32_t k = 1; k < kernels->count; k++) {
            struct mi_bytes op = mi_model_text(&joining.model, kernels->op[k]);
            if (kernels->category[k] == MI_CATEGORY_CUSTOM)
                fail_msg("%s: %.*s", tables[i], (int)op.len, (const char *)op.at);
        }
        joining_fini(&joining);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_torch),
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_kernels_of_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
