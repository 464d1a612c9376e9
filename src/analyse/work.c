/* See work.h. A product or convolution is counted only where its shapes prove the count: those of
 * both operands and of the result must agree. */
#include "analyse/work.h"
#include "analyse/check/check_parts.h"
#include "analyse/describe.h"

static bool times(int64_t *product, int64_t factor)
{
    return factor >= 0 && !__builtin_mul_overflow(*product, factor, product);
}

bool mi_work_next(const struct mi_model *model, uint32_t node, uint32_t *at,
                  struct mi_work_tensor *tensor)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t ins = rows->nodes.in_count[node], all = ins + rows->nodes.out_count[node];
    while (*at < all) {
        uint32_t place = (*at)++;
        uint32_t port = place < ins ? rows->nodes.first_in[node] + place
                                    : rows->nodes.first_out[node] + (place - ins);
        mi_value_id value = mi_value_origin(model, rows->ports.value[port]);
        if (rows->ports.is_control[port] || !value.v)
            continue;
        *tensor = (struct mi_work_tensor){.value = value.v, .elements = 1};
        if (!rows->values.type[value.v].v) /* no sequence or the like */
            tensor->sizes = mi_check_plain_sizes(model, value.v, &tensor->rank);
        /* an empty record of the sizes before says nothing of a tensor that has dimensions */
        bool is_known = tensor->sizes && (tensor->rank || !rows->values.dim_count[value.v]);
        for (uint32_t i = 0; is_known && i < tensor->rank; i++)
            is_known = times(&tensor->elements, tensor->sizes[i]);
        if (!is_known)
            tensor->elements = -1;
        return true;
    }
    return false;
}

int mi_work_bits(const struct mi_model *model, mi_str_id dtype)
{
    static const struct {
        const char *name;
        int bits;
    } widths[] = {{"float64", 64}, {"float32", 32},   {"float16", 16},    {"bfloat16", 16},
                  {"int64", 64},   {"int32", 32},     {"int16", 16},      {"int8", 8},
                  {"uint64", 64},  {"uint32", 32},    {"uint16", 16},     {"uint8", 8},
                  {"bool", 8},     {"complex64", 64}, {"complex128", 128}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        if (mi_bytes_equal(mi_model_text(model, dtype), mi_cstr(widths[i].name)))
            return widths[i].bits;
    return 0;
}

static int64_t bytes_of(const struct mi_model *model, uint32_t node)
{
    struct mi_work_tensor tensor;
    int64_t sum = 0;
    uint32_t at = 0;
    bool is_any = false;
    while (mi_work_next(model, node, &at, &tensor)) {
        int64_t bytes = tensor.elements;
        int bits = mi_work_bits(model, model->all.rows.values.dtype[tensor.value]);
        if (!bits || bytes < 0 || !times(&bytes, bits / 8) ||
            __builtin_add_overflow(sum, bytes, &sum))
            return -1;
        is_any = true;
    }
    return is_any ? sum : -1;
}

/* --- products --- */

struct operands {
    struct mi_work_tensor left, right, result;
};

/* The first two data inputs and the first data output; false: not there or not known. */
static bool find_operands(const struct mi_model *model, uint32_t node, struct operands *of)
{
    uint32_t at = 0, ins = model->all.rows.nodes.in_count[node];
    if (!mi_work_next(model, node, &at, &of->left) || at > ins ||
        !mi_work_next(model, node, &at, &of->right) || at > ins)
        return false;
    at = ins;
    return mi_work_next(model, node, &at, &of->result) && of->left.elements > 0 &&
           of->right.elements > 0 && of->result.elements > 0;
}

/* Elements of the two innermost dimensions. */
static int64_t matrix_of(const struct mi_work_tensor *tensor)
{
    return tensor->sizes[tensor->rank - 1] * tensor->sizes[tensor->rank - 2];
}

/* Multiply-adds of each element of a matrix product: m k elements times k n make m n, whether
 * either is turned or not. 0: these are not such shapes. */
static int64_t product_depth(const struct operands *of)
{
    const struct mi_work_tensor *result = &of->result;
    if (of->left.rank < 2 || of->right.rank < 2 || result->rank < 2)
        return 0;
    int64_t m = result->sizes[result->rank - 2], n = result->sizes[result->rank - 1];
    int64_t depth = matrix_of(&of->left) / m;
    bool is_one = depth * m == matrix_of(&of->left) && matrix_of(&of->right) % n == 0 &&
                  matrix_of(&of->right) / n == depth;
    return is_one ? depth : 0;
}

/* --- convolutions --- */

/* Size of the dimension that the layout calls `letter`; 0: the layout does not say. ONNX has one
 * layout and states none. */
static int64_t size_of(const struct mi_model *model, const struct mi_work_tensor *tensor,
                       bool is_onnx, char letter)
{
    const struct mi_values *values = &model->all.rows.values;
    mi_str_id layout = values->origin_format[tensor->value];
    struct mi_bytes text = mi_model_text(model, layout.v ? layout : values->format[tensor->value]);
    if (!text.len && is_onnx && tensor->rank > 2)
        return tensor->sizes[letter == 'N' ? 0 : 1];
    for (size_t i = 0; text.len == tensor->rank && i < text.len; i++)
        if (text.at[i] == (unsigned char)letter)
            return tensor->sizes[i];
    return 0;
}

/* Multiply-adds of each element of a convolution: the weights of one channel that it makes. Groups
 * have fewer of them; depthwise ones count their channels in two dimensions. 0: no such shapes. */
static int64_t convolution_depth(const struct mi_model *model, const struct operands *of,
                                 bool is_onnx, bool is_depthwise)
{
    int64_t channels = size_of(model, &of->result, is_onnx, 'C');
    int64_t filters = size_of(model, &of->right, is_onnx, 'N');
    if (is_depthwise && !times(&filters, size_of(model, &of->right, is_onnx, 'C')))
        return 0;
    bool is_one = of->left.rank == of->result.rank && of->right.rank == of->result.rank &&
                  channels > 0 && filters == channels && of->right.elements % channels == 0;
    return is_one ? of->right.elements / channels : 0;
}

enum shape_of_work { OTHER, PRODUCT, ONNX_CONVOLUTION, CONVOLUTION, DEPTHWISE };

/* Types whose first two inputs are the operands; convolutions over blocked layouts are not. */
static enum shape_of_work kind_of(const struct mi_model *model, uint32_t node)
{
    static const struct {
        const char *op;
        enum shape_of_work kind;
    } kinds[] = {{"MatMul", PRODUCT},
                 {"MatMulV2", PRODUCT},
                 {"MatMulV3", PRODUCT},
                 {"BatchMatMul", PRODUCT},
                 {"BatchMatMulV2", PRODUCT},
                 {"BatchMatMulV3", PRODUCT},
                 {"Gemm", PRODUCT},
                 {"FusedGemm", PRODUCT},
                 {"FusedMatMul", PRODUCT},
                 {"FusedMatMulActivation", PRODUCT},
                 {"GemmFastGelu", PRODUCT},
                 {"MatMulInteger", PRODUCT},
                 {"TransposeMatMul", PRODUCT},
                 {"MatMulIntegerToFloat", PRODUCT},
                 {"Conv", ONNX_CONVOLUTION},
                 {"FusedConv", ONNX_CONVOLUTION},
                 {"Conv2D", CONVOLUTION},
                 {"ConvInteger", ONNX_CONVOLUTION},
                 {"Conv3D", CONVOLUTION},
                 {"DepthwiseConv2D", DEPTHWISE}};
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    struct mi_bytes op = mi_model_text(model, nodes->op[node]);
    struct mi_bytes domain = mi_model_text(model, nodes->domain[node]);
    if (domain.len && !mi_bytes_equal(domain, MI_LIT("ai.onnx")) &&
        !mi_bytes_equal(domain, MI_LIT("com.microsoft")))
        return OTHER;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (mi_bytes_equal(op, mi_cstr(kinds[i].op)))
            return kinds[i].kind;
    return OTHER;
}

static int64_t flops_of(const struct mi_model *model, uint32_t node)
{
    enum shape_of_work kind = kind_of(model, node);
    struct operands of;
    if (kind == OTHER || !find_operands(model, node, &of))
        return -1;
    int64_t depth = kind == PRODUCT ? product_depth(&of)
                                    : convolution_depth(model, &of, kind == ONNX_CONVOLUTION,
                                                        kind == DEPTHWISE);
    int64_t flops = of.result.elements;
    return depth > 0 && times(&flops, depth) && times(&flops, 2) ? flops : -1;
}

struct mi_work mi_work_of(const struct mi_model *model, mi_node_id node)
{
    return (struct mi_work){.bytes = bytes_of(model, node.v), .flops = flops_of(model, node.v)};
}
