/* Writes ONNX models for tests; see the header. */
#include "onnx_writer.h"

#include <stdlib.h>
#include <string.h>

static void *room(struct onnx_writer *w, size_t more)
{
    if (w->room - w->len < more) {
        w->room = 2 * w->room + more + 256;
        w->at = realloc(w->at, w->room);
        if (!w->at)
            abort();
    }
    return w->at + w->len;
}

void onnx_writer_fini(struct onnx_writer *w)
{
    free(w->at);
    *w = (struct onnx_writer){0};
}

static size_t encode(uint8_t out[10], uint64_t bits)
{
    size_t len = 0;
    for (; bits >= 0x80; bits >>= 7)
        out[len++] = (uint8_t)(bits | 0x80);
    out[len++] = (uint8_t)bits;
    return len;
}

void onnx_varint(struct onnx_writer *w, uint64_t bits)
{
    uint8_t *out = room(w, 10);
    w->len += encode(out, bits);
}

static void tag(struct onnx_writer *w, uint32_t field, unsigned type)
{
    onnx_varint(w, (uint64_t)field << 3 | type);
}

void onnx_int(struct onnx_writer *w, uint32_t field, int64_t value)
{
    tag(w, field, 0);
    onnx_varint(w, (uint64_t)value);
}

void onnx_float(struct onnx_writer *w, uint32_t field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    tag(w, field, 5);
    uint8_t *out = room(w, 4);
    for (unsigned i = 0; i < 4; i++)
        out[i] = (uint8_t)(bits >> (8 * i));
    w->len += 4;
}

void onnx_bytes(struct onnx_writer *w, uint32_t field, const void *at, size_t len)
{
    tag(w, field, 2);
    onnx_varint(w, len);
    if (len)
        memcpy(room(w, len), at, len);
    w->len += len;
}

void onnx_raw(struct onnx_writer *w, const void *at, size_t len)
{
    if (len)
        memcpy(room(w, len), at, len);
    w->len += len;
}

void onnx_text(struct onnx_writer *w, uint32_t field, const char *text)
{
    onnx_bytes(w, field, text, strlen(text));
}

size_t onnx_begin(struct onnx_writer *w, uint32_t field)
{
    tag(w, field, 2);
    return w->len;
}

void onnx_end(struct onnx_writer *w, size_t begin)
{
    uint8_t head[10];
    size_t content = w->len - begin, len = encode(head, content);
    room(w, len);
    memmove(w->at + begin + len, w->at + begin, content);
    memcpy(w->at + begin, head, len);
    w->len += len;
}

/* The names of a list with commas, one field each. */
static void names(struct onnx_writer *w, uint32_t field, const char *list)
{
    while (*list) {
        size_t len = strcspn(list, ",");
        onnx_bytes(w, field, list, len);
        list += len + (list[len] != 0);
    }
}

size_t onnx_node_begin(struct onnx_writer *w, const char *name, const char *op, const char *domain,
                       const char *inputs, const char *outputs)
{
    size_t begin = onnx_begin(w, 1);
    names(w, 1, inputs);
    names(w, 2, outputs);
    if (*name)
        onnx_text(w, 3, name);
    onnx_text(w, 4, op);
    if (*domain)
        onnx_text(w, 7, domain);
    return begin;
}

void onnx_node(struct onnx_writer *w, const char *name, const char *op, const char *domain,
               const char *inputs, const char *outputs)
{
    onnx_end(w, onnx_node_begin(w, name, op, domain, inputs, outputs));
}

size_t onnx_attr_begin(struct onnx_writer *w, const char *name, int type)
{
    size_t begin = onnx_begin(w, 5);
    onnx_text(w, 1, name);
    if (type)
        onnx_int(w, 20, type);
    return begin;
}

void onnx_attr_int(struct onnx_writer *w, const char *name, int64_t value)
{
    size_t begin = onnx_attr_begin(w, name, 2);
    onnx_int(w, 3, value);
    onnx_end(w, begin);
}

void onnx_attr_ints(struct onnx_writer *w, const char *name, const int64_t *values, size_t count)
{
    size_t begin = onnx_attr_begin(w, name, 7);
    for (size_t i = 0; i < count; i++)
        onnx_int(w, 8, values[i]);
    onnx_end(w, begin);
}

static void shape(struct onnx_writer *w, const char *dims)
{
    size_t begin = onnx_begin(w, 2);
    while (*dims) {
        size_t len = strcspn(dims, ","), dim = onnx_begin(w, 1);
        if (*dims >= '0' && *dims <= '9')
            onnx_int(w, 1, strtoll(dims, NULL, 10));
        else if (*dims != '?')
            onnx_bytes(w, 2, dims, len);
        onnx_end(w, dim);
        dims += len + (dims[len] != 0);
    }
    onnx_end(w, begin);
}

void onnx_value(struct onnx_writer *w, uint32_t field, const char *name, int elem, const char *dims)
{
    size_t value = onnx_begin(w, field);
    onnx_text(w, 1, name);
    size_t type = onnx_begin(w, 2), tensor = onnx_begin(w, 1);
    onnx_int(w, 1, elem);
    if (dims)
        shape(w, dims);
    onnx_end(w, tensor);
    onnx_end(w, type);
    onnx_end(w, value);
}

void onnx_tensor(struct onnx_writer *w, uint32_t field, const char *name, int elem,
                 const int64_t *dims, size_t dim_count, const void *raw, size_t raw_len)
{
    size_t begin = onnx_begin(w, field);
    for (size_t i = 0; i < dim_count; i++)
        onnx_int(w, 1, dims[i]);
    onnx_int(w, 2, elem);
    if (*name)
        onnx_text(w, 8, name);
    onnx_bytes(w, 9, raw, raw_len);
    onnx_end(w, begin);
}

void onnx_opset(struct onnx_writer *w, const char *domain, int64_t version)
{
    size_t begin = onnx_begin(w, 8);
    onnx_text(w, 1, domain);
    onnx_int(w, 2, version);
    onnx_end(w, begin);
}

/* --- whole models --- */

struct planning {
    struct onnx_writer *w;
    const struct onnx_plan *plan;
    uint32_t branches, per_branch, made, weight;
    char last[32]; /* tensor at the end of the branch */
};

/* Node i of branch b, or it and the next one as one. Returns how many it was. */
static uint32_t plan_node(struct planning *p, uint32_t b, uint32_t i)
{
    static const char *const ops[] = {"Relu", "Add", "Mul", "Neg"};
    char name[64], inputs[96];
    const char *op = ops[i % 4], *domain = "";
    bool is_binary = i % 4 == 1 || i % 4 == 2;
    bool is_pair = p->plan->is_optimised && i % 4 == 2 && i + 1 < p->per_branch &&
                   p->made + 1 < p->plan->nodes;
    snprintf(name, sizeof name, "/branch%u/%s_%u%s", b, op, i, is_pair ? "/fused" : "");
    if (is_binary && p->plan->weight_bytes == (uint64_t)p->plan->width * 4 &&
        p->weight < p->plan->weights)
        snprintf(inputs, sizeof inputs, "%s,w%u", p->last, p->weight++);
    else
        snprintf(inputs, sizeof inputs, is_binary ? "%s,x" : "%s", p->last);
    snprintf(p->last, sizeof p->last, "b%u_%u", b, i + is_pair);
    if (is_pair) {
        op = "MulNeg";
        domain = "com.microsoft";
    }
    onnx_node(p->w, name, op, domain, inputs, p->last);
    return 1 + is_pair;
}

static void plan_nodes(struct onnx_writer *w, const struct onnx_plan *plan)
{
    struct planning p = {.w = w, .plan = plan, .branches = plan->branches ? plan->branches : 1};
    char name[64], inputs[96], output[32], sum[32] = "";
    bool has_identity = !plan->is_optimised || p.branches == 1;
    p.per_branch = (plan->nodes + p.branches - 1) / p.branches;
    for (uint32_t b = 0; b < p.branches; b++) {
        snprintf(p.last, sizeof p.last, "x");
        for (uint32_t i = 0; i < p.per_branch && p.made < plan->nodes;) {
            uint32_t count = plan_node(&p, b, i);
            i += count;
            p.made += count;
        }
        if (b == 0 && !has_identity) {
            memcpy(sum, p.last, sizeof sum);
            continue;
        }
        snprintf(output, sizeof output, b + 1 == p.branches ? "y" : "sum%u", b);
        snprintf(inputs, sizeof inputs, "%s%s%s", sum, b ? "," : "", p.last);
        snprintf(name, sizeof name, "/join_%u", b);
        onnx_node(w, name, b == 0 ? "Identity" : "Add", "", inputs, output);
        memcpy(sum, output, sizeof sum);
    }
}

/* What ONNX Runtime imports whenever it writes a model. */
static void optimiser_opsets(struct onnx_writer *w)
{
    static const char *const domains[] = {"com.microsoft", "com.microsoft.nchwc",
                                          "ai.onnx.training", "ai.onnx.preview.training"};
    for (size_t i = 0; i < sizeof domains / sizeof *domains; i++)
        onnx_opset(w, domains[i], 1);
}

/* Everything of initialiser i before its data; the length counts the data. */
static void weight_head(struct onnx_writer *w, const struct onnx_plan *plan, uint32_t i)
{
    struct onnx_writer inner = {0};
    char name[32];
    snprintf(name, sizeof name, "w%u", i);
    onnx_int(&inner, 1, 1);
    onnx_int(&inner, 1, (int64_t)(plan->weight_bytes / 4));
    onnx_int(&inner, 2, 1);
    onnx_text(&inner, 8, name);
    tag(&inner, 9, 2);
    onnx_varint(&inner, plan->weight_bytes);
    tag(w, 5, 2);
    onnx_varint(w, inner.len + plan->weight_bytes);
    memcpy(room(w, inner.len), inner.at, inner.len);
    w->len += inner.len;
    onnx_writer_fini(&inner);
}

int onnx_write_plan(FILE *file, const struct onnx_plan *plan)
{
    struct onnx_writer head = {0}, nodes = {0}, weights = {0}, tail = {0};
    char dims[32];
    int failed = 0;
    plan_nodes(&nodes, plan);
    onnx_text(&nodes, 2, "synthetic");
    for (uint32_t i = 0; i < plan->weights; i++)
        weight_head(&weights, plan, i);
    snprintf(dims, sizeof dims, "1,%u", plan->width);
    onnx_value(&tail, 11, "x", 1, dims);
    onnx_value(&tail, 12, "y", 1, dims);
    onnx_int(&head, 1, 8);
    onnx_text(&head, 2, "model-inspector-tests");
    tag(&head, 7, 2);
    onnx_varint(&head, nodes.len + weights.len + plan->weights * plan->weight_bytes + tail.len);
    onnx_opset(&tail, "", 13);
    if (plan->is_optimised)
        optimiser_opsets(&tail);
    failed |= fwrite(head.at, 1, head.len, file) != head.len;
    failed |= fwrite(nodes.at, 1, nodes.len, file) != nodes.len;
    onnx_writer_fini(&weights);
    for (uint32_t i = 0; i < plan->weights; i++) {
        weights.len = 0;
        weight_head(&weights, plan, i);
        failed |= fwrite(weights.at, 1, weights.len, file) != weights.len;
        failed |= fseek(file, (long)plan->weight_bytes, SEEK_CUR) != 0;
    }
    failed |= fwrite(tail.at, 1, tail.len, file) != tail.len;
    failed |= fflush(file) != 0;
    onnx_writer_fini(&head);
    onnx_writer_fini(&nodes);
    onnx_writer_fini(&weights);
    onnx_writer_fini(&tail);
    return failed;
}
