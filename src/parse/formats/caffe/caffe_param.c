/* Parameters of Caffe layers as attributes called convolution_param.kernel_size. In text the names
 * stand in the file, so any parameter is read; in wire format only those of the table below. */
#include "base/translate.h"
#include "parse/formats/caffe/caffe_read.h"

#define MAX_NEST 8u

/* LayerParameter field, its name, field inside (0: none known), what it holds, its name. Kinds:
 * i integer, b boolean, f float, s string, d BlobShape, p PoolMethod, e EltwiseOp. */
static const struct param {
    uint16_t outer, inner;
    char kind;
    const char *group, *name;
} params[] = {{104, 2, 'i', "concat_param", "axis"},
              {104, 1, 'i', "concat_param", "concat_dim"},
              {106, 1, 'i', "convolution_param", "num_output"},
              {106, 2, 'b', "convolution_param", "bias_term"},
              {106, 3, 'i', "convolution_param", "pad"},
              {106, 4, 'i', "convolution_param", "kernel_size"},
              {106, 5, 'i', "convolution_param", "group"},
              {106, 6, 'i', "convolution_param", "stride"},
              {106, 9, 'i', "convolution_param", "pad_h"},
              {106, 10, 'i', "convolution_param", "pad_w"},
              {106, 11, 'i', "convolution_param", "kernel_h"},
              {106, 12, 'i', "convolution_param", "kernel_w"},
              {106, 13, 'i', "convolution_param", "stride_h"},
              {106, 14, 'i', "convolution_param", "stride_w"},
              {106, 16, 'i', "convolution_param", "axis"},
              {106, 18, 'i', "convolution_param", "dilation"},
              {108, 1, 'f', "dropout_param", "dropout_ratio"},
              {110, 1, 'e', "eltwise_param", "operation"},
              {110, 2, 'f', "eltwise_param", "coeff"},
              {117, 1, 'i', "inner_product_param", "num_output"},
              {117, 2, 'b', "inner_product_param", "bias_term"},
              {117, 5, 'i', "inner_product_param", "axis"},
              {117, 6, 'b', "inner_product_param", "transpose"},
              {118, 1, 'i', "lrn_param", "local_size"},
              {118, 2, 'f', "lrn_param", "alpha"},
              {118, 3, 'f', "lrn_param", "beta"},
              {118, 4, 'i', "lrn_param", "norm_region"},
              {118, 5, 'f', "lrn_param", "k"},
              {120, 1, 'b', "mvn_param", "normalize_variance"},
              {120, 2, 'b', "mvn_param", "across_channels"},
              {121, 1, 'p', "pooling_param", "pool"},
              {121, 2, 'i', "pooling_param", "kernel_size"},
              {121, 3, 'i', "pooling_param", "stride"},
              {121, 4, 'i', "pooling_param", "pad"},
              {121, 5, 'i', "pooling_param", "kernel_h"},
              {121, 6, 'i', "pooling_param", "kernel_w"},
              {121, 7, 'i', "pooling_param", "stride_h"},
              {121, 8, 'i', "pooling_param", "stride_w"},
              {121, 9, 'i', "pooling_param", "pad_h"},
              {121, 10, 'i', "pooling_param", "pad_w"},
              {121, 12, 'b', "pooling_param", "global_pooling"},
              {122, 1, 'f', "power_param", "power"},
              {122, 2, 'f', "power_param", "scale"},
              {122, 3, 'f', "power_param", "shift"},
              {123, 1, 'f', "relu_param", "negative_slope"},
              {125, 2, 'i', "softmax_param", "axis"},
              {126, 1, 'i', "slice_param", "slice_dim"},
              {126, 2, 'i', "slice_param", "slice_point"},
              {126, 3, 'i', "slice_param", "axis"},
              {130, 1, 's', "python_param", "module"},
              {130, 2, 's', "python_param", "layer"},
              {130, 3, 's', "python_param", "param_str"},
              {131, 2, 'b', "prelu_param", "channel_shared"},
              {133, 1, 'd', "reshape_param", "shape.dim"},
              {133, 2, 'i', "reshape_param", "axis"},
              {133, 3, 'i', "reshape_param", "num_axes"},
              {135, 1, 'i', "flatten_param", "axis"},
              {135, 2, 'i', "flatten_param", "end_axis"},
              {139, 1, 'b', "batch_norm_param", "use_global_stats"},
              {139, 2, 'f', "batch_norm_param", "moving_average_fraction"},
              {139, 3, 'f', "batch_norm_param", "eps"},
              {142, 1, 'i', "scale_param", "axis"},
              {142, 2, 'i', "scale_param", "num_axes"},
              {142, 4, 'b', "scale_param", "bias_term"},
              {143, 1, 'd', "input_param", "shape.dim"},
              {144, 1, 'i', "crop_param", "axis"},
              {144, 2, 'i', "crop_param", "offset"}};

#define PARAM_COUNT (sizeof params / sizeof *params)

/* Field of V1LayerParameter and the field of today's layer that holds the same message. */
static const uint16_t legacy_fields[][2] = {{9, 104},  {10, 106}, {12, 108}, {17, 117},
                                            {18, 118}, {19, 121}, {21, 122}, {24, 110},
                                            {30, 123}, {31, 126}, {34, 120}, {39, 125}};

/* V1LayerParameter.LayerType by number: as text spells it, and today's name. */
static const struct legacy {
    const char *word, *type;
} legacy_types[] = {{"NONE", ""},
                    {"ACCURACY", "Accuracy"},
                    {"BNLL", "BNLL"},
                    {"CONCAT", "Concat"},
                    {"CONVOLUTION", "Convolution"},
                    {"DATA", "Data"},
                    {"DROPOUT", "Dropout"},
                    {"EUCLIDEAN_LOSS", "EuclideanLoss"},
                    {"FLATTEN", "Flatten"},
                    {"HDF5_DATA", "HDF5Data"},
                    {"HDF5_OUTPUT", "HDF5Output"},
                    {"IM2COL", "Im2col"},
                    {"IMAGE_DATA", "ImageData"},
                    {"INFOGAIN_LOSS", "InfogainLoss"},
                    {"INNER_PRODUCT", "InnerProduct"},
                    {"LRN", "LRN"},
                    {"MULTINOMIAL_LOGISTIC_LOSS", "MultinomialLogisticLoss"},
                    {"POOLING", "Pooling"},
                    {"RELU", "ReLU"},
                    {"SIGMOID", "Sigmoid"},
                    {"SOFTMAX", "Softmax"},
                    {"SOFTMAX_LOSS", "SoftmaxWithLoss"},
                    {"SPLIT", "Split"},
                    {"TANH", "TanH"},
                    {"WINDOW_DATA", "WindowData"},
                    {"ELTWISE", "Eltwise"},
                    {"POWER", "Power"},
                    {"SIGMOID_CROSS_ENTROPY_LOSS", "SigmoidCrossEntropyLoss"},
                    {"HINGE_LOSS", "HingeLoss"},
                    {"MEMORY_DATA", "MemoryData"},
                    {"ARGMAX", "ArgMax"},
                    {"THRESHOLD", "Threshold"},
                    {"DUMMY_DATA", "DummyData"},
                    {"SLICE", "Slice"},
                    {"MVN", "MVN"},
                    {"ABSVAL", "AbsVal"},
                    {"SILENCE", "Silence"},
                    {"CONTRASTIVE_LOSS", "ContrastiveLoss"},
                    {"EXP", "Exp"},
                    {"DECONVOLUTION", "Deconvolution"}};

#define LEGACY_COUNT ((int64_t)(sizeof legacy_types / sizeof *legacy_types))

const char *mi_caffe_legacy_type(const struct mi_msg *field)
{
    int64_t number = -1;
    if (field->text && field->text->kind == MI_PBT_WORD) {
        for (int64_t i = 0; i < LEGACY_COUNT; i++)
            if (mi_bytes_equal(field->text->raw, mi_cstr(legacy_types[i].word)))
                number = i;
    } else {
        number = mi_msg_int(field, NULL, 0);
    }
    return number >= 0 && number < LEGACY_COUNT ? legacy_types[number].type : NULL;
}

static enum mi_attr_kind plural(enum mi_attr_kind kind)
{
    switch ((unsigned)kind) {
    case MI_ATTR_INT:
        return MI_ATTR_INTS;
    case MI_ATTR_FLOAT:
        return MI_ATTR_FLOATS;
    case MI_ATTR_BOOL:
        return MI_ATTR_BOOLS;
    case MI_ATTR_STRING:
        return MI_ATTR_STRINGS;
    default:
        return kind;
    }
}

/* A field that is repeated makes one list, whose elements stand behind each other. */
static void add(struct caffe *c, mi_str_id name, enum mi_attr_kind kind,
                const struct mi_item_row *row, uint64_t at)
{
    struct mi_attrs *attrs = &c->fw.out->rows.attrs;
    uint32_t first = mi_next_row(c->fw.out, items), last = attrs->count - 1;
    if (mi_batch_failed(c->fw.out))
        return;
    bool is_more = last >= c->first_attr && attrs->name[last].v == name.v &&
                   attrs->item_count[last] &&
                   attrs->first_item[last] + attrs->item_count[last] == first &&
                   plural((enum mi_attr_kind)attrs->kind[last]) == plural(kind);
    if (is_more && attrs->item_count[last] >= MI_FW_MAX_ITEMS) {
        mi_batch_diag(c->fw.out, MI_NOTICE, "caffe.attr_long", at, 0,
                      "an attribute with more elements than are kept");
        return;
    }
    if (!mi_add_item(c->fw.out, row).v)
        return;
    if (!is_more) {
        mi_fw_attr(&c->fw, name, kind, first);
        return;
    }
    attrs->kind[last] = (uint8_t)plural(kind);
    attrs->item_count[last]++;
}

/* --- text --- */

static void add_scalar(struct caffe *c, const struct mi_msg *field, mi_str_id name)
{
    const struct mi_pbt *t = field->text;
    struct mi_item_row row = {.int_value = 0};
    uint64_t at = mi_pbt_offset(t);
    bool truth;
    if (t->kind == MI_PBT_STRING) {
        row.text = mi_fw_name(&c->fw, mi_msg_bytes(field), at);
        add(c, name, MI_ATTR_STRING, &row, at);
    } else if (t->kind == MI_PBT_NUMBER && mi_pbt_i64(t, &row.int_value)) {
        add(c, name, MI_ATTR_INT, &row, at);
    } else if (t->kind == MI_PBT_NUMBER && mi_pbt_double(t, &row.real_value)) {
        add(c, name, MI_ATTR_FLOAT, &row, at);
    } else if (t->raw.len > 1 && mi_pbt_bool(t, &truth)) {
        row.int_value = truth;
        add(c, name, MI_ATTR_BOOL, &row, at);
    } else {
        row.text = mi_fw_name(&c->fw, t->raw, at);
        add(c, name, MI_ATTR_STRING, &row, at);
    }
}

/* Names of open messages, joined by points; what does not fit is cut. */
struct path {
    char text[256];
    size_t len, lens[MAX_NEST + 1];
};

static void push(struct path *path, uint32_t level, struct mi_bytes name)
{
    path->lens[level] = path->len;
    if (path->len && path->len < sizeof path->text)
        path->text[path->len++] = '.';
    name = mi_bytes_sub(name, 0, sizeof path->text - path->len);
    memcpy(path->text + path->len, name.at, name.len);
    path->len += name.len;
}

static mi_str_id path_name(struct caffe *c, const struct path *path)
{
    return mi_batch_str(c->fw.out, (struct mi_bytes){(const uint8_t *)path->text, path->len});
}

static void text_param(struct caffe *c, const struct mi_msg *field)
{
    struct mi_pbt *t = field->text;
    struct path path = {.len = 0};
    uint32_t base = t->depth;
    push(&path, 0, t->name);
    if (t->kind != MI_PBT_MESSAGE) {
        add_scalar(c, field, path_name(c, &path));
        return;
    }
    if (!mi_pbt_enter(t))
        return;
    while (t->depth > base) {
        if (!mi_pbt_next(t)) {
            if (t->err->code)
                return;
            path.len = path.lens[t->depth - base];
            continue;
        }
        uint32_t level = t->depth - base;
        if (level >= MAX_NEST)
            continue; /* skipped as a whole */
        push(&path, level, t->name);
        if (t->kind == MI_PBT_MESSAGE) {
            if (!mi_pbt_enter(t))
                return;
            continue;
        }
        add_scalar(c, field, path_name(c, &path));
        path.len = path.lens[level];
    }
}

/* --- wire --- */

static void add_word(struct caffe *c, mi_str_id name, const char *const *words, size_t count,
                     const struct mi_pb *pb)
{
    struct mi_item_row row = {.int_value = 0};
    if (mi_pb_type(pb) == MI_PB_VARINT && pb->value < count) {
        row.text = mi_batch_cstr(c->fw.out, words[pb->value]);
        add(c, name, MI_ATTR_STRING, &row, mi_pb_offset(pb));
    }
}

static void add_numbers(struct caffe *c, mi_str_id name, enum mi_attr_kind kind,
                        const struct mi_pb *pb, enum mi_pb_type type)
{
    if (mi_pb_type(pb) != type && mi_pb_type(pb) != MI_PB_LEN)
        return;
    for (struct mi_pb_packed it = mi_pb_packed(pb, type); mi_pb_packed_next(&it);) {
        struct mi_item_row row = {.int_value = 0};
        if (type == MI_PB_VARINT)
            row.int_value = mi_pb_to_i64(it.value);
        else
            row.real_value = (double)mi_pb_to_float(it.value);
        add(c, name, kind, &row, mi_pb_offset(pb));
    }
}

static void add_inner(struct caffe *c, const struct param *param, const struct mi_pb *pb)
{
    static const char *const pools[] = {"MAX", "AVE", "STOCHASTIC"};
    static const char *const operations[] = {"PROD", "SUM", "MAX"};
    mi_str_id name = mi_batch_printf(c->fw.out, "%s.%s", param->group, param->name);
    switch (param->kind) {
    case 'i':
        add_numbers(c, name, MI_ATTR_INT, pb, MI_PB_VARINT);
        break;
    case 'b':
        add_numbers(c, name, MI_ATTR_BOOL, pb, MI_PB_VARINT);
        break;
    case 'f':
        add_numbers(c, name, MI_ATTR_FLOAT, pb, MI_PB_FIXED32);
        break;
    case 'p':
        add_word(c, name, pools, 3, pb);
        break;
    case 'e':
        add_word(c, name, operations, 3, pb);
        break;
    default:
        if (mi_pb_type(pb) != MI_PB_LEN)
            break;
        if (param->kind == 's') {
            struct mi_item_row row = {.text =
                                          mi_fw_name(&c->fw, pb->bytes, mi_pb_payload_offset(pb))};
            add(c, name, MI_ATTR_STRING, &row, mi_pb_offset(pb));
            break;
        }
        for (struct mi_pb shape = mi_pb_sub(pb); mi_pb_next(&shape);)
            if (mi_pb_field(&shape) == 1)
                add_numbers(c, name, MI_ATTR_INT, &shape, MI_PB_VARINT);
    }
}

static void unknown(struct caffe *c, const struct mi_pb *pb)
{
    mi_batch_diag(c->fw.out, MI_INFO, "caffe.unknown_field", mi_pb_offset(pb), 0,
                  "field %u of a layer or of its parameters is not known here and was skipped",
                  mi_pb_field(pb));
}

static void wire_param(struct caffe *c, const struct mi_pb *field, bool is_legacy)
{
    uint32_t outer = mi_pb_field(field);
    if (is_legacy) {
        uint32_t old = outer;
        outer = 0;
        for (size_t i = 0; i < sizeof legacy_fields / sizeof *legacy_fields; i++)
            if (legacy_fields[i][0] == old)
                outer = legacy_fields[i][1];
    }
    if (mi_pb_type(field) != MI_PB_LEN || outer < 100) {
        unknown(c, field);
        return;
    }
    for (struct mi_pb pb = mi_pb_sub(field); mi_pb_next(&pb) && !mi_batch_failed(c->fw.out);) {
        const struct param *found = NULL;
        for (size_t i = 0; i < PARAM_COUNT && !found; i++)
            if (params[i].outer == outer && params[i].inner == mi_pb_field(&pb))
                found = &params[i];
        if (found)
            add_inner(c, found, &pb);
        else
            unknown(c, &pb);
    }
}

void mi_caffe_param(struct caffe *c, const struct mi_msg *field, bool is_legacy)
{
    if (field->text)
        text_param(c, field);
    else
        wire_param(c, &field->pb, is_legacy);
}
