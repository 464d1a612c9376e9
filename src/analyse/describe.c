#include "analyse/describe.h"

#include "base/decimal.h"

#include <stdarg.h>
#include <stdio.h>

/* Nested bodies are far fewer; only damaged links between values make more steps. */
#define MAX_OUTER_STEPS 1024
#define MAX_LIST_ITEMS  16

/* --- growing text --- */

static bool make_room(struct mi_words *words, size_t more)
{
    if (words->room - words->len >= more)
        return true;
    size_t room = (words->len + more) * 2 + 32;
    uint8_t *at = mi_arena_alloc(words->arena, room);
    if (!at)
        return false;
    if (words->len)
        memcpy(at, words->at, words->len);
    words->at = at;
    words->room = room;
    return true;
}

void mi_words_put(struct mi_words *words, struct mi_bytes text)
{
    if (!text.len || !make_room(words, text.len))
        return;
    memcpy(words->at + words->len, text.at, text.len);
    words->len += text.len;
}

void mi_words_printf(struct mi_words *words, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (len > 0)
        mi_words_put(words,
                     (struct mi_bytes){(const uint8_t *)text,
                                       (size_t)len < sizeof text ? (size_t)len : sizeof text - 1});
}

/* --- types of values --- */

mi_value_id mi_value_origin(const struct mi_model *model, mi_value_id value)
{
    const struct mi_values *values = &model->all.rows.values;
    for (int i = 0; i < MAX_OUTER_STEPS && values->kind[value.v] == MI_VALUE_OUTER; i++) {
        if (!values->outer[value.v].v || values->outer[value.v].v == value.v)
            break;
        value = values->outer[value.v];
    }
    return value;
}

struct mi_bytes mi_describe_dtype(const struct mi_model *model, mi_value_id value)
{
    value = mi_value_origin(model, value);
    return mi_model_text(model, model->all.rows.values.dtype[value.v]);
}

static void put_shape(struct mi_words *words, const struct mi_model *model, mi_value_id value)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t first = rows->values.first_dim[value.v];
    mi_words_put(words, MI_LIT("["));
    for (uint32_t i = 0; i < rows->values.dim_count[value.v]; i++) {
        if (i)
            mi_words_put(words, MI_LIT(","));
        struct mi_bytes symbol = mi_model_text(model, rows->dims.symbol[first + i]);
        char digits[MI_DECIMAL_ROOM];
        if (rows->dims.size[first + i] >= 0)
            mi_words_put(words, (struct mi_bytes){
                                    (const uint8_t *)digits,
                                    mi_decimal_format_i64(rows->dims.size[first + i], digits)});
        else
            mi_words_put(words, symbol.len ? symbol : MI_LIT("?"));
    }
    mi_words_put(words, MI_LIT("]"));
}

struct mi_bytes mi_describe_shape(const struct mi_model *model, mi_value_id value,
                                  struct mi_arena *arena)
{
    struct mi_words words = {.arena = arena};
    value = mi_value_origin(model, value);
    if (model->all.rows.values.has_shape[value.v])
        put_shape(&words, model, value);
    return mi_words_get(&words);
}

struct mi_bytes mi_describe_type(const struct mi_model *model, mi_value_id value,
                                 struct mi_arena *arena)
{
    const struct mi_values *values = &model->all.rows.values;
    value = mi_value_origin(model, value);
    struct mi_words words = {.arena = arena};
    struct mi_bytes type = mi_model_text(model, values->type[value.v]);
    struct mi_bytes dtype = mi_model_text(model, values->dtype[value.v]);
    struct mi_bytes format = mi_model_text(model, values->format[value.v]);
    mi_words_put(&words, type);
    if (type.len && dtype.len)
        mi_words_put(&words, MI_LIT(" "));
    mi_words_put(&words, dtype);
    if (values->has_shape[value.v])
        put_shape(&words, model, value);
    if (format.len) {
        mi_words_put(&words, MI_LIT(" "));
        mi_words_put(&words, format);
    }
    return mi_words_get(&words);
}

/* --- attributes --- */

static void put_item(struct mi_words *words, const struct mi_model *model, enum mi_attr_kind kind,
                     uint32_t item)
{
    const struct mi_tables *rows = &model->all.rows;
    char digits[MI_DECIMAL_ROOM];
    size_t len;
    switch (kind) {
    case MI_ATTR_INT:
    case MI_ATTR_INTS:
        len = mi_decimal_format_i64(rows->items.int_value[item], digits);
        mi_words_put(words, (struct mi_bytes){(const uint8_t *)digits, len});
        return;
    case MI_ATTR_BOOL:
    case MI_ATTR_BOOLS:
        mi_words_put(words, rows->items.int_value[item] ? MI_LIT("true") : MI_LIT("false"));
        return;
    case MI_ATTR_FLOAT:
    case MI_ATTR_FLOATS:
        len = mi_decimal_format_double(rows->items.real_value[item], digits);
        mi_words_put(words, (struct mi_bytes){(const uint8_t *)digits, len});
        return;
    case MI_ATTR_TENSOR:
    case MI_ATTR_TENSORS:
        mi_words_put(words, mi_describe_type(model, rows->items.value[item], words->arena));
        return;
    case MI_ATTR_GRAPH:
    case MI_ATTR_GRAPHS:
        mi_words_printf(words, "graph:%u ", rows->items.graph[item].v);
        mi_words_put(words, mi_model_text(model, rows->graphs.name[rows->items.graph[item].v]));
        return;
    case MI_ATTR_UNDEFINED:
    case MI_ATTR_STRING:
    case MI_ATTR_STRINGS:
    case MI_ATTR_TYPE:
    case MI_ATTR_TYPES:
    case MI_ATTR_REFERENCE:
    case MI_ATTR_OPAQUE:
        mi_words_put(words, mi_model_text(model, rows->items.text[item]));
        return;
    }
}

static bool is_list(enum mi_attr_kind kind)
{
    return kind == MI_ATTR_INTS || kind == MI_ATTR_FLOATS || kind == MI_ATTR_STRINGS ||
           kind == MI_ATTR_BOOLS || kind == MI_ATTR_TYPES || kind == MI_ATTR_TENSORS ||
           kind == MI_ATTR_GRAPHS;
}

struct mi_bytes mi_describe_attr(const struct mi_model *model, mi_attr_id attr,
                                 struct mi_arena *arena)
{
    const struct mi_attrs *attrs = &model->all.rows.attrs;
    struct mi_words words = {.arena = arena};
    enum mi_attr_kind kind = (enum mi_attr_kind)attrs->kind[attr.v];
    uint32_t count = attrs->item_count[attr.v];
    if (is_list(kind))
        mi_words_put(&words, MI_LIT("["));
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            mi_words_put(&words, MI_LIT(", "));
        if (i == MAX_LIST_ITEMS && count > MAX_LIST_ITEMS + 4) {
            mi_words_printf(&words, "... (%u)", count);
            break;
        }
        put_item(&words, model, kind, attrs->first_item[attr.v] + i);
    }
    if (is_list(kind))
        mi_words_put(&words, MI_LIT("]"));
    return mi_words_get(&words);
}

/* --- nodes and tracks --- */

struct mi_bytes mi_describe_node(const struct mi_model *model, mi_node_id node,
                                 struct mi_arena *arena)
{
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    struct mi_bytes name = mi_model_text(model, nodes->name[node.v]);
    if (name.len || !node.v)
        return name;
    struct mi_words words = {.arena = arena};
    mi_words_put(&words, MI_LIT("("));
    mi_words_put(&words, mi_model_text(model, nodes->op[node.v]));
    mi_words_printf(&words, " #%u)", nodes->position[node.v]);
    return mi_words_get(&words);
}

struct mi_bytes mi_describe_span(int64_t ns, struct mi_arena *arena)
{
    char text[MI_DECIMAL_ROOM];
    return mi_arena_copy(
        arena, (struct mi_bytes){(const uint8_t *)text, mi_decimal_format_span(ns, text)});
}

struct mi_bytes mi_node_known_as(const struct mi_model *model, mi_node_id node)
{
    const struct mi_tables *rows = &model->all.rows;
    mi_str_id name = rows->nodes.name[node.v];
    if (!name.v && rows->nodes.out_count[node.v])
        name = rows->values.name[rows->ports.value[rows->nodes.first_out[node.v]].v];
    return mi_model_text(model, name);
}

struct mi_bytes mi_describe_op(const struct mi_model *model, mi_node_id node,
                               struct mi_arena *arena)
{
    const struct mi_nodes *nodes = &model->all.rows.nodes;
    struct mi_bytes op = mi_model_text(model, nodes->op[node.v]);
    struct mi_bytes domain = mi_model_text(model, nodes->domain[node.v]);
    if (!domain.len || mi_bytes_equal(domain, MI_LIT("ai.onnx")))
        return op;
    struct mi_words words = {.arena = arena};
    mi_words_put(&words, domain);
    mi_words_put(&words, MI_LIT("."));
    mi_words_put(&words, op);
    return mi_words_get(&words);
}

struct mi_bytes mi_describe_track(const struct mi_model *model, mi_track_id track,
                                  struct mi_arena *arena)
{
    const struct mi_tracks *tracks = &model->all.rows.tracks;
    struct mi_bytes name = mi_model_text(model, tracks->name[track.v]);
    if (name.len || !track.v)
        return name;
    struct mi_words words = {.arena = arena};
    mi_words_printf(&words, "%s %lld", mi_enum_name(MI_E_track_kind, tracks->kind[track.v]),
                    (long long)tracks->native_id[track.v]);
    return mi_words_get(&words);
}

struct mi_bytes mi_describe_outputs(const struct mi_model *model, mi_node_id node,
                                    struct mi_arena *arena)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t first = rows->nodes.first_out[node.v], count = rows->nodes.out_count[node.v];
    if (count == 1)
        return mi_describe_type(model, rows->ports.value[first], arena);
    struct mi_words words = {.arena = arena};
    bool is_known = false;
    for (uint32_t i = 0; i < count && i <= MAX_LIST_ITEMS; i++) {
        if (i)
            mi_words_put(&words, MI_LIT("; "));
        if (i == MAX_LIST_ITEMS) {
            mi_words_printf(&words, "... (%u)", count);
            break;
        }
        struct mi_bytes type = mi_describe_type(model, rows->ports.value[first + i], arena);
        is_known = is_known || type.len;
        mi_words_put(&words, type.len ? type : MI_LIT("?"));
    }
    return is_known ? mi_words_get(&words) : (struct mi_bytes){0};
}
