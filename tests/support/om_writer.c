#include "om_writer.h"

#include <stdlib.h>
#include <string.h>

/* --- container --- */

void om_u32(struct onnx_writer *w, uint32_t value)
{
    uint8_t bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    onnx_raw(w, bytes, sizeof bytes);
}

void om_u64(struct onnx_writer *w, uint64_t value)
{
    om_u32(w, (uint32_t)value);
    om_u32(w, (uint32_t)(value >> 32));
}

void om_header(struct onnx_writer *w, const struct om_head *head)
{
    struct onnx_writer h = {0};
    uint8_t bytes[256] = {0};
    uint32_t version = head->version ? head->version : 0x20000000u;
    const char *name = head->name ? head->name : "net";
    size_t len = strlen(name) < 31 ? strlen(name) : 31;
    onnx_raw(&h, "IMOD", 4);
    om_u32(&h, 256);
    om_u32(&h, version);
    memcpy(bytes, h.at, h.len);
    bytes[80] = head->is_encrypted;
    bytes[82] = head->model_type;
    memcpy(bytes + 84, name, len);
    bytes[152] = 2;
    if (version >= 0x20000000u) {
        bytes[156] = (uint8_t)head->model_num;
        bytes[157] = (uint8_t)(head->model_num >> 8);
        memcpy(bytes + 160, "1.2.3", 5);
        bytes[184] = head->is_narrow ? 0 : 1; /* any length but 0: wide tables */
        bytes[193] = head->is_dynamic;
    } else {
        memcpy(bytes + 156, "3.51.z.0", 8);
    }
    onnx_raw(w, bytes, sizeof bytes);
    onnx_writer_fini(&h);
}

void om_table(struct onnx_writer *w, const struct om_part_of *parts, uint32_t count, bool is_narrow,
              bool from_header)
{
    uint64_t at = from_header ? 8 + 24 * (uint64_t)count : 0;
    om_u32(w, count);
    if (!is_narrow)
        om_u32(w, 0);
    for (uint32_t i = 0; i < count; i++) {
        om_u32(w, parts[i].type);
        if (is_narrow) {
            om_u32(w, (uint32_t)at);
            om_u32(w, (uint32_t)parts[i].len);
        } else {
            om_u32(w, 0);
            om_u64(w, at);
            om_u64(w, parts[i].len);
        }
        at += parts[i].len;
    }
    for (uint32_t i = 0; i < count; i++)
        onnx_raw(w, parts[i].at, parts[i].len);
}

void om_file(struct onnx_writer *w, const struct om_head *head, const struct om_part_of *parts,
             uint32_t count)
{
    om_header(w, head);
    om_table(w, parts, count, head->is_narrow, false);
}

/* --- ge.proto --- */

size_t om_graph(struct onnx_writer *w, const char *name)
{
    size_t graph = onnx_begin(w, 7);
    onnx_text(w, 1, name);
    return graph;
}

static void words(struct onnx_writer *w, uint32_t field, const char *list)
{
    while (*list) {
        size_t len = strcspn(list, " ");
        onnx_bytes(w, field, list, len == 1 && *list == '-' ? 0 : len);
        list += len + (list[len] == ' ');
    }
}

size_t om_op_begin(struct onnx_writer *w, const char *name, const char *type, int64_t id,
                   const char *inputs)
{
    size_t op = onnx_begin(w, 6);
    onnx_text(w, 1, name);
    onnx_text(w, 2, type);
    words(w, 5, inputs);
    if (id)
        onnx_int(w, 21, id);
    return op;
}

void om_op(struct onnx_writer *w, const char *name, const char *type, int64_t id,
           const char *inputs)
{
    onnx_end(w, om_op_begin(w, name, type, id, inputs));
}

struct om_attr om_attr_begin(struct onnx_writer *w, uint32_t field, const void *key, size_t key_len)
{
    struct om_attr attr = {.entry = onnx_begin(w, field)};
    onnx_bytes(w, 1, key, key_len);
    attr.value = onnx_begin(w, 2);
    return attr;
}

void om_attr_end(struct onnx_writer *w, struct om_attr attr)
{
    onnx_end(w, attr.value);
    onnx_end(w, attr.entry);
}

void om_attr_int(struct onnx_writer *w, uint32_t field, const char *key, int64_t value)
{
    struct om_attr attr = om_attr_begin(w, field, key, strlen(key));
    onnx_int(w, 3, value);
    om_attr_end(w, attr);
}

void om_attr_bool(struct onnx_writer *w, uint32_t field, const char *key, bool value)
{
    struct om_attr attr = om_attr_begin(w, field, key, strlen(key));
    onnx_int(w, 5, value);
    om_attr_end(w, attr);
}

void om_attr_text(struct onnx_writer *w, uint32_t field, const char *key, const char *value)
{
    struct om_attr attr = om_attr_begin(w, field, key, strlen(key));
    onnx_text(w, 2, value);
    om_attr_end(w, attr);
}

void om_attr_texts(struct onnx_writer *w, uint32_t field, const char *key, const char *list)
{
    struct om_attr attr = om_attr_begin(w, field, key, strlen(key));
    size_t value = onnx_begin(w, 1);
    words(w, 2, list);
    onnx_int(w, 20, 1);
    onnx_end(w, value);
    om_attr_end(w, attr);
}

void om_numbers(struct onnx_writer *w, uint32_t field, const char *numbers)
{
    size_t packed = onnx_begin(w, field);
    while (*numbers) {
        char *end;
        onnx_varint(w, (uint64_t)strtoll(numbers, &end, 10));
        numbers = *end == ',' ? end + 1 : end;
    }
    onnx_end(w, packed);
}

size_t om_desc(struct onnx_writer *w, uint32_t field, int dtype, const char *layout,
               const char *dims)
{
    size_t desc = onnx_begin(w, field);
    if (dtype)
        onnx_int(w, 2, dtype);
    size_t shape = onnx_begin(w, 3);
    if (*dims)
        om_numbers(w, 1, dims);
    onnx_end(w, shape);
    onnx_text(w, 4, layout);
    return desc;
}

size_t om_task(struct onnx_writer *w, uint32_t type, uint32_t stream)
{
    size_t task = onnx_begin(w, 10);
    if (type)
        onnx_int(w, 2, type);
    if (stream)
        onnx_int(w, 10, stream);
    return task;
}
