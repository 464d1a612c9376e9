/* Recognising GE graphs in protobuf text and JSON. */
#include "parse/formats/ge/ge_look.h"

#include "base/json_scan.h"
#include "base/pb_text.h"

enum { LOOK_TEXT_BYTES = 64 << 10, LOOK_JSON_BYTES = 1 << 20, LOOK_FIELDS = 4096 };

/* --- protobuf text --- */

static bool text_is(const struct mi_pbt *t, const char *text)
{
    return t->kind == MI_PBT_STRING && mi_bytes_equal(mi_pbt_text(t), mi_cstr(text));
}

static bool text_starts(const struct mi_pbt *t, const char *prefix)
{
    return t->kind == MI_PBT_STRING && mi_bytes_starts(mi_pbt_text(t), mi_cstr(prefix));
}

/* An OpDef: a type as text. The lists of operators that TensorFlow writes have none. */
static bool is_op(struct mi_pbt *t)
{
    unsigned left = LOOK_FIELDS;
    while (left-- && mi_pbt_next(t)) {
        if (mi_pbt_named(t, "type"))
            return t->kind == MI_PBT_STRING;
        if (mi_pbt_named(t, "input_arg") || mi_pbt_named(t, "op_type"))
            return false;
    }
    return false;
}

/* A node as GE writes it into ONNX. */
static bool is_onnx_node(struct mi_pbt *t)
{
    unsigned left = LOOK_FIELDS;
    while (left-- && mi_pbt_next(t))
        if (mi_pbt_named(t, "op_type"))
            return text_starts(t, "ge:") || text_is(t, "subgraph");
    return false;
}

/* A node as TorchAir writes it for TensorBoard: a descriptor stands among the attributes. */
static bool is_torchair_node(struct mi_pbt *t)
{
    unsigned left = LOOK_FIELDS;
    while (left-- && mi_pbt_next(t)) {
        if (!mi_pbt_named(t, "attr") || !mi_pbt_enter(t))
            continue;
        while (mi_pbt_next(t))
            if (mi_pbt_named(t, "key") && (text_starts(t, "[i]") || text_starts(t, "[o]")))
                return true;
    }
    return false;
}

static enum mi_ge_look look_into_graph(struct mi_pbt *t)
{
    unsigned left = LOOK_FIELDS;
    while (left-- && mi_pbt_next(t)) {
        if (mi_pbt_named(t, "op"))
            return t->kind == MI_PBT_MESSAGE && mi_pbt_enter(t) && is_op(t) ? MI_GE_LOOK_PROTO
                                                                            : MI_GE_LOOK_NONE;
        if (mi_pbt_named(t, "node"))
            return t->kind == MI_PBT_MESSAGE && mi_pbt_enter(t) && is_onnx_node(t)
                       ? MI_GE_LOOK_ONNX
                       : MI_GE_LOOK_NONE;
    }
    return MI_GE_LOOK_NONE;
}

enum mi_ge_look mi_ge_look_text(struct mi_bytes bytes)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt t;
    unsigned left = LOOK_FIELDS;
    mi_pbt_init(&t, mi_bytes_sub(bytes, 0, LOOK_TEXT_BYTES), &err);
    while (left-- && mi_pbt_next(&t)) {
        if (t.kind != MI_PBT_MESSAGE)
            continue;
        if (mi_pbt_named(&t, "graph")) {
            enum mi_ge_look look = mi_pbt_enter(&t) ? look_into_graph(&t) : MI_GE_LOOK_NONE;
            if (look)
                return look;
        } else if (mi_pbt_named(&t, "op")) {
            return mi_pbt_enter(&t) && is_op(&t) ? MI_GE_LOOK_PROTO : MI_GE_LOOK_NONE;
        } else if (mi_pbt_named(&t, "node")) {
            if (mi_pbt_enter(&t) && is_torchair_node(&t))
                return MI_GE_LOOK_TORCHAIR;
        } else if (mi_pbt_named(&t, "layer") || mi_pbt_named(&t, "layers")) {
            return MI_GE_LOOK_NONE;
        }
    }
    return MI_GE_LOOK_NONE;
}

/* --- JSON --- */

static bool key_in(struct mi_json_string key, const char *const *names)
{
    for (; *names; names++)
        if (mi_json_string_is(key, mi_cstr(*names)))
            return true;
    return false;
}

static bool is_json_op(struct mi_json *js)
{
    static const char *const fields[] = {
        "name",       "type",           "input",       "attr",          "attr_groups",
        "id",         "has_out_attr",   "stream_id",   "input_name",    "src_name",
        "src_index",  "dst_name",       "dst_index",   "input_i",       "output_i",
        "input_desc", "is_input_const", "output_desc", "subgraph_name", NULL};
    static const char *const telling[] = {"type", "input_desc", "output_desc", "has_out_attr",
                                          NULL};
    struct mi_json_string key;
    if (!mi_json_begin_object(js))
        return false;
    while (mi_json_next_key(js, &key)) {
        if (!key_in(key, fields))
            return false;
        if (key_in(key, telling))
            return true;
    }
    return mi_json_failed(js); /* the first op is longer than what is looked at */
}

static bool is_json_graph(struct mi_json *js)
{
    static const char *const fields[] = {"name",        "input", "output", "attr",
                                         "attr_groups", "op",    NULL};
    struct mi_json_string key;
    if (!mi_json_begin_object(js))
        return false;
    while (mi_json_next_key(js, &key)) {
        if (!key_in(key, fields))
            return false;
        if (!mi_json_string_is(key, MI_LIT("op")))
            continue;
        if (mi_json_peek(js) == MI_JSON_ARRAY && mi_json_begin_array(js) && !mi_json_next_item(js))
            return false;
        return is_json_op(js);
    }
    return false;
}

bool mi_ge_look_json(struct mi_bytes bytes)
{
    static const char *const fields[] = {
        "name", "version", "custom_version", "attr", "attr_groups", "graph", NULL};
    struct mi_json js;
    struct mi_json_string key, text;
    mi_json_init(&js, mi_bytes_sub(bytes, 0, LOOK_JSON_BYTES),
                 &(struct mi_json_options){.allow_control = true});
    if (mi_json_peek(&js) != MI_JSON_OBJECT || !mi_json_begin_object(&js))
        return false;
    while (mi_json_next_key(&js, &key)) {
        if (mi_json_string_is(key, MI_LIT("format")))
            return mi_json_string(&js, &text) && mi_json_string_is(text, MI_LIT("ge_visual_json"));
        if (!key_in(key, fields))
            return false;
        if (!mi_json_string_is(key, MI_LIT("graph")))
            continue;
        if (mi_json_peek(&js) == MI_JSON_ARRAY && mi_json_begin_array(&js) &&
            !mi_json_next_item(&js))
            return false;
        return is_json_graph(&js);
    }
    return false;
}
