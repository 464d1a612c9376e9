/* Whether bytes are an ONNX model, by its structure: protobuf has no magic number. Only tags and
 * lengths of the top level and of the first node are looked at, so the size does not matter. */
#include "parse/formats/onnx/onnx_read.h"

#define MAX_TOP_FIELDS   65536u
#define MAX_GRAPH_FIELDS 256u

/* Wire type that field i of a message must have; NO: there is no such field. */
enum { NO = -1, V = MI_PB_VARINT, L = MI_PB_LEN };

static const int8_t model_fields[] = {NO, V,  L,  L,  L,  V,  L, L,  L,  NO, NO, NO, NO, NO,
                                      L,  NO, NO, NO, NO, NO, L, NO, NO, NO, NO, L,  L};
static const int8_t graph_fields[] = {NO, L, L, NO, NO, L, NO, NO, NO, NO, L, L, L, L, L, L, L};
static const int8_t node_fields[] = {NO, L, L, L, L, L, L, L, L, L, L};

/* 1: as it must be, 0: not in the schema, -1: another type than it must have. */
static int judge(const struct mi_pb *pb, const int8_t *fields, size_t count)
{
    uint32_t field = mi_pb_field(pb);
    if (field >= count || fields[field] == NO)
        return 0;
    return fields[field] == (int8_t)mi_pb_type(pb) ? 1 : -1;
}

#define JUDGE(pb, fields) judge(pb, fields, sizeof(fields))

/* Operator types are words as a rule. */
static bool is_word(struct mi_bytes text)
{
    size_t len = text.len < 256 ? text.len : 256;
    for (size_t i = 0; i < len; i++)
        if (text.at[i] <= ' ' || text.at[i] == 0x7f)
            return false;
    return len > 0;
}

/* 2: an operator, 1: could be one, 0: is none. */
static int rate_node(struct mi_pb pb)
{
    bool has_op = false, has_word = true;
    while (mi_pb_next(&pb)) {
        int verdict = JUDGE(&pb, node_fields);
        if (verdict < 0 || (verdict == 0 && mi_pb_field(&pb) < 11))
            return 0;
        if (mi_pb_field(&pb) == 4 && !is_word(pb.bytes))
            has_word = false;
        has_op = has_op || mi_pb_field(&pb) == 4;
    }
    return has_op ? 1 + has_word : 0;
}

/* 2: has a node, 1: could be a graph, 0: is none. */
static int rate_graph(struct mi_pb pb)
{
    unsigned left = MAX_GRAPH_FIELDS, known = 0;
    while (left-- && mi_pb_next(&pb)) {
        int verdict = JUDGE(&pb, graph_fields);
        if (verdict < 0)
            return 0;
        known += verdict > 0;
        if (mi_pb_field(&pb) == 1)
            return pb.is_clipped ? 2 : rate_node(mi_pb_sub(&pb));
    }
    return pb.err->code || (known == 0 && pb.end != pb.start) ? 0 : 1;
}

/* The operator sets that only ONNX Runtime knows of, one bit each. */
static unsigned domain_bit(struct mi_pb pb)
{
    static const char *const domains[] = {
        "com.microsoft",    "com.microsoft.nchwc",        "com.microsoft.experimental",
        "ai.onnx.training", "ai.onnx.preview.training",   "com.ms.internal.nhwc",
        "org.pytorch.aten", "com.microsoft.mlfeaturizers"};
    struct mi_bytes domain = {NULL, 0};
    while (mi_pb_next(&pb))
        if (pb.key == MI_PB_KEY(1, MI_PB_LEN))
            domain = pb.bytes;
    for (unsigned i = 0; i < sizeof domains / sizeof *domains; i++)
        if (mi_bytes_equal(domain, mi_cstr(domains[i])))
            return 1u << i;
    return 0;
}

/* Both own sets of the runtime and at least two more that it registers by itself: a model that only
 * uses its operators imports com.microsoft alone. */
static bool is_ort_writer(unsigned domains)
{
    unsigned others = 0;
    for (unsigned rest = domains >> 2; rest; rest >>= 1)
        others += rest & 1;
    return (domains & 3) == 3 && others >= 2;
}

struct onnx_look mi_onnx_look(struct mi_bytes bytes)
{
    struct mi_error err = MI_ERROR_INIT, cut = MI_ERROR_INIT;
    struct mi_pb pb = mi_pb_init(bytes, 0, &err);
    int graph = -1;
    unsigned domains = 0, left = MAX_TOP_FIELDS;
    bool has_version = false, has_other = false;
    mi_pb_keep_truncated(&pb, &cut);
    while (left-- && mi_pb_next(&pb)) {
        int verdict = JUDGE(&pb, model_fields);
        if (verdict < 0 || (verdict == 0 && graph < 0 && !has_version))
            return (struct onnx_look){0, false};
        if (pb.key == MI_PB_KEY(1, MI_PB_VARINT))
            has_version = pb.value >= 1 && pb.value < 1000;
        else if (pb.key == MI_PB_KEY(8, MI_PB_LEN))
            domains |= domain_bit(mi_pb_sub(&pb));
        else if (pb.key == MI_PB_KEY(7, MI_PB_LEN) && graph < 1)
            graph = rate_graph(mi_pb_sub(&pb));
        has_other = has_other || (verdict > 0 && mi_pb_field(&pb) != 1 && mi_pb_field(&pb) != 7);
    }
    int score =
        graph == 2 ? (has_version ? 95 : 70) : (graph == 1 && has_version && has_other ? 60 : 0);
    return (struct onnx_look){score, is_ort_writer(domains)};
}
