/* Fields of ge.proto messages in text, by the message that they stand in. The grammar stands in
 * ge_text.c. */
#include "parse/formats/ge/ge_text_walk.h"
#include "parse/formats/ge/ge_wire.h"

#include <float.h>
#include <math.h>

#define IS(w, name) mi_pbt_named(&(w)->t, name)

/* --- scalars --- */

static void broken_value(struct ge_text_walk *w, const char *wanted)
{
    mi_batch_diag(w->ge->out, MI_LOSS, "ge.value_broken", w->ge->offset, 0,
                  "field \"%.*s\" is not %s and was skipped", (int)w->t.name.len,
                  (const char *)w->t.name.at, wanted);
}

static void unknown_field(struct ge_text_walk *w, const char *message)
{
    int len = w->t.name.len < 64 ? (int)w->t.name.len : 64;
    mi_batch_diag(w->ge->out, MI_INFO, "ge.unknown_field", w->ge->offset, 0,
                  "field \"%.*s\" of a %s is not known here and was skipped", len,
                  (const char *)w->t.name.at, message);
}

static bool is_message(struct ge_text_walk *w)
{
    if (w->t.kind == MI_PBT_MESSAGE)
        return true;
    broken_value(w, "a message");
    return false;
}

static struct mi_bytes text_of(struct ge_text_walk *w)
{
    return mi_ge_text_string(w->g, &w->t);
}

/* How many bytes the string stands for, without decoding it. */
static uint64_t size_of(const struct ge_text_walk *w)
{
    const uint8_t *at = w->t.raw.at, *end = at + w->t.raw.len;
    uint64_t size = 0;
    if (w->t.kind != MI_PBT_STRING)
        return 0;
    if (!w->t.has_escape)
        return w->t.raw.len - 2;
    while (at < end) {
        if (*at != '\\') {
            size += *at != '"';
            at++;
            continue;
        }
        const uint8_t *digits = ++at;
        while (at < end && at - digits < 3 && *at >= '0' && *at <= '7')
            at++;
        at += at == digits;
        size++;
    }
    return size;
}

static bool number(struct ge_text_walk *w, int64_t *value)
{
    if (mi_pbt_i64(&w->t, value))
        return true;
    broken_value(w, "a whole number");
    return false;
}

static void put_float(struct ge_text_walk *w)
{
    double value;
    if (!mi_pbt_double(&w->t, &value)) {
        broken_value(w, "a number");
        return;
    }
    /* The field is of single precision: the same number as in the binary form. */
    if (isfinite(value) && fabs(value) <= (double)FLT_MAX)
        value = (double)(float)value;
    mi_ge_attr_float(w->ge, value);
}

static void put_bool(struct ge_text_walk *w)
{
    bool value;
    if (mi_pbt_bool(&w->t, &value))
        mi_ge_attr_bool(w->ge, value);
    else
        broken_value(w, "true or false");
}

static void put_int(struct ge_text_walk *w)
{
    int64_t value;
    if (!number(w, &value))
        return;
    if (w->frames[w->depth - 1].has_texts)
        mi_ge_attr_text_id(w->ge, mi_ge_text_dict_text(w->g, value));
    else
        mi_ge_attr_int(w->ge, value);
}

static void put_dtype(struct ge_text_walk *w)
{
    int64_t value;
    if (number(w, &value))
        mi_ge_attr_dtype(w->ge, value);
}

/* --- frames --- */

static struct ge_text_frame *push(struct ge_text_walk *w, enum ge_text_in kind)
{
    bool has_texts = (kind == IN_VALUE || kind == IN_LIST) && w->frames[w->depth - 1].has_texts;
    struct ge_text_frame *frame = &w->frames[w->depth++];
    *frame = (struct ge_text_frame){.kind = (uint8_t)kind, .has_texts = has_texts};
    mi_pbt_enter(&w->t); /* when it fails, the frame is unwound like all others */
    return frame;
}

/* Opens a descriptor; nothing when the builder does not want it. */
static void push_desc(struct ge_text_walk *w, enum ge_text_in kind, enum mi_ge_side side)
{
    if (!is_message(w))
        return;
    struct mi_ge_desc *desc = mi_ge_desc_begin(w->ge, side);
    if (!desc)
        return;
    struct ge_text_frame *frame = push(w, kind);
    frame->desc = desc;
    frame->side = (uint8_t)side;
}

static void push_entry(struct ge_text_walk *w)
{
    if (is_message(w))
        push(w, IN_ENTRY);
}

void mi_ge_text_pop(struct ge_text_walk *w, bool is_broken)
{
    const struct ge_text_frame *frame = &w->frames[--w->depth];
    switch ((enum ge_text_in)frame->kind) {
    case IN_GRAPH:
        mi_ge_graph_end(w->ge);
        break;
    case IN_OP:
        if (is_broken)
            mi_ge_op_drop(w->ge);
        else
            mi_ge_op_end(w->ge);
        break;
    case IN_ENTRY:
        if (frame->is_begun)
            mi_ge_attr_end(w->ge);
        break;
    case IN_FUNC:
        mi_ge_attr_func_end(w->ge);
        break;
    case IN_INNER:
        mi_ge_attr_inner_end(w->ge);
        break;
    case IN_DESC:
    case IN_TENSOR:
        mi_ge_desc_end(w->ge);
        break;
    case IN_TOP_MODEL:
    case IN_TOP_GRAPH:
    case IN_TOP_VALUE:
    case IN_TOP_DESC:
    case IN_VALUE:
    case IN_LIST:
    case IN_LISTS:
    case IN_SHAPE:
    case IN_TENSOR_DESC:
        break;
    }
}

/* --- fields, by the message that they stand in --- */

/* A graph inside an attribute: read when the graph around it has ended. */
static void queue_graph(struct ge_text_walk *w)
{
    struct mi_ge_text *g = w->g;
    if (!is_message(w) || w->is_part)
        return;
    mi_graph_id graph = mi_ge_attr_graph(w->ge);
    if (!graph.v)
        return;
    mi_ge_text_queue(g, &w->t, graph);
}

static void open_entry(struct ge_text_walk *w, struct ge_text_frame *frame)
{
    struct mi_bytes key = text_of(w);
    uint64_t index;
    frame->has_key = true;
    if (mi_ge_dict_index(key, &index))
        frame->is_begun =
            mi_ge_attr_begin_id(w->ge, mi_ge_text_dict_name(w->g, index, &frame->has_texts));
    else
        frame->is_begun = mi_ge_attr_begin(w->ge, key);
}

/* The value stands in front of its key. */
static void look_for_key(struct ge_text_walk *w, struct ge_text_frame *frame)
{
    struct mi_error err = MI_ERROR_INIT;
    struct mi_pbt here = w->t;
    w->t.err = &err;
    while (!frame->has_key && mi_pbt_next(&w->t))
        if (IS(w, "key"))
            open_entry(w, frame);
    w->t = here;
}

static void entry_field(struct ge_text_walk *w, struct ge_text_frame *frame)
{
    if (IS(w, "key")) {
        if (!frame->has_key)
            open_entry(w, frame);
    } else if (IS(w, "value")) {
        if (!is_message(w))
            return;
        if (!frame->has_key)
            look_for_key(w, frame);
        if (frame->is_begun)
            push(w, IN_VALUE);
    } else {
        unknown_field(w, "map of attributes");
    }
}

static void push_func(struct ge_text_walk *w)
{
    if (is_message(w) && mi_ge_attr_func_begin(w->ge))
        push(w, IN_FUNC);
}

/* What an AttrDef and its ListValue have in common. */
static bool value_or_element(struct ge_text_walk *w)
{
    struct mi_bytes name = w->t.name;
    if (name.len == 1) {
        switch (name.at[0]) {
        case 's':
            mi_ge_attr_text(w->ge, text_of(w));
            return true;
        case 'i':
            put_int(w);
            return true;
        case 'f':
            put_float(w);
            return true;
        case 'b':
            put_bool(w);
            return true;
        case 't':
            push_desc(w, IN_TENSOR, MI_GE_VALUE);
            return true;
        case 'g':
            queue_graph(w);
            return true;
        default:
            return false;
        }
    }
    if (IS(w, "bt") && mi_ge_attr_is_text(w->ge))
        mi_ge_attr_text(w->ge, text_of(w));
    else if (IS(w, "bt"))
        mi_ge_attr_blob(w->ge, size_of(w));
    else if (IS(w, "td"))
        push_desc(w, IN_DESC, MI_GE_VALUE);
    else if (IS(w, "dt"))
        put_dtype(w);
    else
        return false;
    return true;
}

static void value_field(struct ge_text_walk *w)
{
    if (value_or_element(w))
        return;
    if (IS(w, "list")) {
        if (is_message(w)) {
            mi_ge_attr_list(w->ge, 0);
            push(w, IN_LIST);
        }
    } else if (IS(w, "func")) {
        push_func(w);
    } else if (IS(w, "list_list_int") || IS(w, "list_list_float")) {
        if (is_message(w))
            push(w, IN_LISTS);
    } else if (IS(w, "expression")) {
        mi_ge_attr_blob(w->ge, size_of(w));
    } else {
        unknown_field(w, "value of an attribute");
    }
}

/* Lists of texts that were compressed still say that they hold numbers. */
static void put_list_type(struct ge_text_walk *w)
{
    int64_t type = mi_ge_val_type_of_name(w->t.raw);
    mi_ge_attr_list(w->ge, w->frames[w->depth - 1].has_texts && type == 2 ? 1 : type);
}

static void list_field(struct ge_text_walk *w)
{
    if (value_or_element(w))
        return;
    if (IS(w, "val_type"))
        put_list_type(w);
    else if (IS(w, "na"))
        push_func(w);
    else
        unknown_field(w, "list of an attribute");
}

static void func_field(struct ge_text_walk *w)
{
    if (IS(w, "name"))
        mi_ge_attr_func_name(w->ge, text_of(w));
    else if (IS(w, "attr"))
        push_entry(w);
    else
        unknown_field(w, "function");
}

static void lists_field(struct ge_text_walk *w)
{
    if (!IS(w, "list_list_i") && !IS(w, "list_list_f")) {
        unknown_field(w, "list of lists");
    } else if (is_message(w)) {
        mi_ge_attr_inner_begin(w->ge);
        push(w, IN_INNER);
    }
}

static void inner_field(struct ge_text_walk *w)
{
    if (IS(w, "list_i"))
        put_int(w);
    else if (IS(w, "list_f"))
        put_float(w);
    else
        unknown_field(w, "list of lists");
}

static void desc_name_or_type(struct ge_text_walk *w)
{
    if (w->t.kind == MI_PBT_WORD || w->t.kind == MI_PBT_NUMBER)
        mi_ge_desc_dtype_name(w->ge, w->t.raw);
    else
        broken_value(w, "a data type");
}

/* Fields that say nothing a model keeps. */
static bool is_known_desc_field(const struct ge_text_walk *w)
{
    static const char *const names[] = {
        "name",          "has_out_attr", "device_type", "real_dim_cnt", "cmps_size",
        "output_tensor", "input_tensor", "cmps_tab",    "attr_groups",  "cmps_tab_offset"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (IS(w, names[i]))
            return true;
    return false;
}

static void desc_field(struct ge_text_walk *w, struct mi_ge_desc *desc, enum mi_ge_side side)
{
    int64_t value;
    if (IS(w, "attr")) {
        if (mi_ge_wants_desc_attrs(w->ge, side))
            push_entry(w);
    } else if (IS(w, "dtype")) {
        desc_name_or_type(w);
    } else if (IS(w, "shape")) {
        if (is_message(w))
            push(w, IN_SHAPE);
    } else if (IS(w, "layout")) {
        mi_ge_desc_layout(w->ge, text_of(w));
    } else if (IS(w, "size")) {
        if (number(w, &value))
            desc->size_bytes = value;
    } else if (IS(w, "weight_size")) {
        if (number(w, &value))
            desc->weight_bytes = value;
    } else if (IS(w, "reuse_input")) {
        bool is_reused;
        if (mi_pbt_bool(&w->t, &is_reused) && is_reused && desc->reuse_input < 0)
            desc->reuse_input = 0;
    } else if (IS(w, "reuse_input_index")) {
        if (number(w, &value) && desc->reuse_input >= 0)
            desc->reuse_input = value;
    } else if (IS(w, "data_offset")) {
        if (number(w, &value))
            desc->weight_offset = value;
    } else if (!is_known_desc_field(w)) {
        unknown_field(w, "tensor descriptor");
    }
}

static void tensor_field(struct ge_text_walk *w, struct mi_ge_desc *desc)
{
    if (IS(w, "desc")) {
        if (is_message(w))
            push(w, IN_TENSOR_DESC)->desc = desc;
    } else if (IS(w, "data")) {
        uint64_t size = size_of(w);
        if (size > 0 && size <= INT64_MAX)
            desc->data_bytes = (int64_t)size;
    } else {
        unknown_field(w, "tensor");
    }
}

static void shape_field(struct ge_text_walk *w)
{
    int64_t value;
    if (!IS(w, "dim"))
        unknown_field(w, "shape");
    else if (number(w, &value))
        mi_ge_desc_dim(w->ge, value);
}

static void op_number(struct ge_text_walk *w, enum mi_ge_list list)
{
    int64_t value;
    if (number(w, &value))
        mi_ge_op_number(w->ge, list, value);
}

static bool is_known_op_field(const struct ge_text_walk *w)
{
    static const char *const names[] = {"src_name",  "src_index",  "is_input_const", "dst_name",
                                        "dst_index", "input_name", "has_out_attr",   "attr_groups"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (IS(w, names[i]))
            return true;
    return false;
}

static bool op_scalar(struct ge_text_walk *w)
{
    int64_t value;
    if (IS(w, "input"))
        mi_ge_op_input(w->ge, text_of(w));
    else if (IS(w, "input_i"))
        op_number(w, MI_GE_INPUT_I);
    else if (IS(w, "output_i"))
        op_number(w, MI_GE_OUTPUT_I);
    else if (IS(w, "name"))
        mi_ge_op_name(w->ge, text_of(w));
    else if (IS(w, "type"))
        mi_ge_op_type(w->ge, text_of(w));
    else if (IS(w, "workspace"))
        op_number(w, MI_GE_WORKSPACE);
    else if (IS(w, "workspace_bytes"))
        op_number(w, MI_GE_WORKSPACE_BYTES);
    else if (IS(w, "subgraph_name"))
        mi_ge_op_subgraph(w->ge, text_of(w));
    else if (IS(w, "id")) {
        if (number(w, &value))
            mi_ge_op_id(w->ge, value);
    } else if (IS(w, "stream_id")) {
        if (number(w, &value))
            mi_ge_op_stream(w->ge, value);
    } else {
        return false;
    }
    return true;
}

static void op_field(struct ge_text_walk *w)
{
    if (IS(w, "attr"))
        push_entry(w);
    else if (IS(w, "input_desc"))
        push_desc(w, IN_DESC, MI_GE_IN);
    else if (IS(w, "output_desc"))
        push_desc(w, IN_DESC, MI_GE_OUT);
    else if (!op_scalar(w) && !is_known_op_field(w))
        unknown_field(w, "node");
}

static void graph_field(struct ge_text_walk *w)
{
    if (IS(w, "op")) {
        if (is_message(w) && mi_ge_text_step(w->g)) {
            mi_ge_op_begin(w->ge);
            push(w, IN_OP);
        }
    } else if (IS(w, "name")) {
        mi_ge_graph_name(w->ge, text_of(w));
    } else if (IS(w, "output")) {
        mi_ge_graph_output(w->ge, text_of(w));
    } else if (IS(w, "attr")) {
        push_entry(w);
    } else if (!IS(w, "input") && !IS(w, "attr_groups")) {
        unknown_field(w, "graph");
    }
}

static void add_fact(struct ge_text_walk *w, const char *name, struct mi_bytes text)
{
    if (text.len == 0)
        return;
    mi_str_id text_id = mi_batch_str(w->ge->out, text);
    mi_add_fact(w->ge->out,
                &(struct mi_fact_row){.name = mi_batch_cstr(w->ge->out, name), .text = text_id});
}

static void model_field(struct ge_text_walk *w)
{
    if (IS(w, "graph")) {
        if (is_message(w)) {
            mi_ge_graph_begin(w->ge, (mi_graph_id){0});
            push(w, IN_GRAPH);
        }
    } else if (IS(w, "attr")) {
        push_entry(w);
    } else if (IS(w, "name")) {
        add_fact(w, "model_name", text_of(w));
    } else if (IS(w, "custom_version")) {
        add_fact(w, "platform_version", text_of(w));
    } else if (IS(w, "version")) {
        add_fact(w, "model_version", w->t.raw);
    } else if (!IS(w, "attr_groups")) {
        unknown_field(w, "model");
    }
}

void mi_ge_text_field(struct ge_text_walk *w)
{
    struct ge_text_frame *frame = &w->frames[w->depth - 1];
    switch ((enum ge_text_in)frame->kind) {
    case IN_TOP_MODEL:
        model_field(w);
        break;
    case IN_TOP_GRAPH:
    case IN_GRAPH:
        graph_field(w);
        break;
    case IN_OP:
        op_field(w);
        break;
    case IN_ENTRY:
        entry_field(w, frame);
        break;
    case IN_TOP_VALUE:
    case IN_VALUE:
        value_field(w);
        break;
    case IN_LIST:
        list_field(w);
        break;
    case IN_FUNC:
        func_field(w);
        break;
    case IN_LISTS:
        lists_field(w);
        break;
    case IN_INNER:
        inner_field(w);
        break;
    case IN_TOP_DESC:
    case IN_DESC:
    case IN_TENSOR_DESC:
        desc_field(w, frame->desc, (enum mi_ge_side)frame->side);
        break;
    case IN_SHAPE:
        shape_field(w);
        break;
    case IN_TENSOR:
        tensor_field(w, frame->desc);
        break;
    }
}
