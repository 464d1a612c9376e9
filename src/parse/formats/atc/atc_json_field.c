/* Members of a ge.proto message in JSON, by the message that they stand in. */
#include "base/decimal.h"
#include "parse/formats/atc/atc_json.h"

#include <float.h>
#include <math.h>

static struct atc_frame *top(struct atc_json *w)
{
    return &w->frames[w->depth - 1];
}

/* --- scalars --- */

static void broken_value(struct atc_json *w, const char *wanted)
{
    mi_batch_diag(w->g->ge.out, MI_LOSS, "ge.value_broken", w->g->ge.offset, 0,
                  "a value is not %s and was skipped", wanted);
}

static int64_t number(struct atc_json *w, bool *ok)
{
    int64_t value = 0;
    unsigned flags = 0;
    enum mi_json_type type = mi_json_peek(&w->js);
    bool fits = type == MI_JSON_NUMBER || type == MI_JSON_STRING;
    *ok = fits && mi_json_i64(&w->js, &value, &flags) && !flags;
    if (!*ok && !mi_json_failed(&w->js))
        broken_value(w, "a whole number");
    return value;
}

/* Resolves the escapes of C in place; returns the new length. */
static size_t unescape_c(uint8_t *at, size_t len)
{
    static const char letters[] = "nrtabfv", bytes[] = "\n\r\t\a\b\f\v";
    size_t to = 0;
    for (size_t i = 0; i < len;) {
        if (at[i] != '\\' || i + 1 == len) {
            at[to++] = at[i++];
            continue;
        }
        uint8_t kind = at[++i];
        unsigned value = 0, digits = 0;
        for (; digits < 3 && i < len && at[i] >= '0' && at[i] <= '7'; digits++)
            value = value * 8 + (at[i++] - '0');
        if (digits) {
            at[to++] = (uint8_t)value;
            continue;
        }
        const char *letter = kind ? strchr(letters, kind) : NULL;
        at[to++] = letter ? (uint8_t)bytes[letter - letters] : kind;
        i++;
    }
    return to;
}

/* A text, or a number as written; `is_c`: escaped like C within. Empty after a failure. */
static struct mi_bytes text_of(struct atc_json *w, bool is_c)
{
    struct mi_ge_text *g = w->g;
    struct mi_json_string string;
    struct mi_json_number digits;
    struct mi_bytes text = {NULL, 0};
    if (mi_json_peek(&w->js) == MI_JSON_NUMBER)
        return mi_json_number(&w->js, &digits) ? digits.text : text;
    if (mi_json_peek(&w->js) != MI_JSON_STRING) {
        broken_value(w, "a text");
        return text;
    }
    if (!mi_json_string(&w->js, &string))
        return text;
    if (!mi_json_text(string, &g->scratch, &text))
        mi_batch_fail(g->ge.out, MI_ENOMEM, "out of memory for a string");
    if (is_c && string.has_escape && text.at == g->scratch.at)
        text.len = unescape_c(g->scratch.at, text.len);
    if (text.len > g->max_string_bytes) {
        mi_batch_diag(g->ge.out, MI_NOTICE, "ge.string_cut", g->ge.offset, 0,
                      "a text of %zu bytes was cut to %u", text.len, g->max_string_bytes);
        text.len = g->max_string_bytes;
    }
    return text;
}

static void put_float(struct atc_json *w)
{
    double value;
    unsigned flags;
    if (!mi_json_double(&w->js, &value, &flags) || (flags & MI_DECIMAL_BAD)) {
        broken_value(w, "a number");
        return;
    }
    /* The field is of single precision: the same number as in the binary form. */
    if (isfinite(value) && fabs(value) <= (double)FLT_MAX)
        value = (double)(float)value;
    mi_ge_attr_float(&w->g->ge, value);
}

static void put_bool(struct atc_json *w)
{
    bool value;
    if (mi_json_peek(&w->js) == MI_JSON_BOOL) {
        if (mi_json_bool(&w->js, &value))
            mi_ge_attr_bool(&w->g->ge, value);
        return;
    }
    struct mi_bytes text = text_of(w, false);
    if (text.len)
        mi_ge_attr_bool(&w->g->ge,
                        mi_bytes_equal(text, MI_LIT("true")) || mi_bytes_equal(text, MI_LIT("1")));
}

/* A value whose kind is that of its JSON type. */
static void put_any(struct atc_json *w)
{
    struct mi_json_number digits;
    int64_t whole;
    double real;
    enum mi_json_type type = mi_json_peek(&w->js);
    if (type == MI_JSON_STRING) {
        mi_ge_attr_text(&w->g->ge, text_of(w, false));
    } else if (type == MI_JSON_BOOL) {
        put_bool(w);
    } else if (type == MI_JSON_NUMBER && mi_json_number(&w->js, &digits)) {
        if (digits.is_integer && !mi_decimal_i64(digits.text, &whole))
            mi_ge_attr_int(&w->g->ge, whole);
        else if (!(mi_decimal_double(digits.text, &real) & MI_DECIMAL_BAD))
            mi_ge_attr_float(&w->g->ge, real);
    }
}

/* --- containers --- */

static struct atc_frame *push(struct atc_json *w, enum atc_in in)
{
    struct atc_frame *frame = &w->frames[w->depth++];
    *frame = (struct atc_frame){.in = (uint8_t)in};
    mi_json_begin_object(&w->js); /* when it fails, the frame is unwound like all others */
    return frame;
}

static void push_array(struct atc_json *w, enum atc_field field)
{
    struct atc_frame *frame = &w->frames[w->depth];
    *frame = *top(w);
    frame->is_array = true;
    frame->is_begun = false;
    frame->field = (uint8_t)field;
    w->depth++;
    mi_json_begin_array(&w->js);
}

static bool is_object(struct atc_json *w)
{
    if (mi_json_peek(&w->js) == MI_JSON_OBJECT)
        return true;
    if (mi_json_peek(&w->js) != MI_JSON_NULL)
        broken_value(w, "an object");
    return false;
}

static void push_desc(struct atc_json *w, enum atc_in in, enum mi_ge_side side)
{
    if (!is_object(w))
        return;
    struct mi_ge_desc *desc = mi_ge_desc_begin(&w->g->ge, side);
    if (!desc)
        return;
    struct atc_frame *frame = push(w, in);
    frame->desc = desc;
    frame->side = (uint8_t)side;
}

void mi_atc_pop(struct atc_json *w, bool is_broken)
{
    struct mi_ge *ge = &w->g->ge;
    const struct atc_frame *frame = &w->frames[--w->depth];
    if (frame->is_begun)
        mi_ge_attr_end(ge);
    if (frame->is_array && frame->in != ATC_PART)
        return;
    switch ((enum atc_in)frame->in) {
    case ATC_GRAPH:
        mi_ge_graph_end(ge);
        break;
    case ATC_OP:
        if (is_broken)
            mi_ge_op_drop(ge);
        else
            mi_ge_op_end(ge);
        break;
    case ATC_FUNC:
        mi_ge_attr_func_end(ge);
        break;
    case ATC_INNER:
    case ATC_PART:
        mi_ge_attr_inner_end(ge);
        break;
    case ATC_DESC:
    case ATC_TENSOR:
        mi_ge_desc_end(ge);
        break;
    case ATC_MODEL:
    case ATC_INNER_GRAPH:
    case ATC_ATTRS:
    case ATC_ENTRY:
    case ATC_VALUE:
    case ATC_TYPED:
    case ATC_LIST:
    case ATC_LISTS:
    case ATC_SHAPE:
    case ATC_TENSOR_DESC:
        break;
    }
}

/* --- attributes --- */

/* Looks for the key of the entry that the scanner stands in front of, without moving. False: the
 * object is no entry, but attributes by their names. */
static bool open_entry(struct atc_json *w, bool *is_begun)
{
    const struct mi_json here = w->js;
    struct mi_json_string key;
    bool is_entry = false;
    mi_json_begin_object(&w->js);
    while (!is_entry && mi_json_next_key(&w->js, &key)) {
        is_entry = mi_json_string_is(key, MI_LIT("key")) && mi_json_peek(&w->js) == MI_JSON_STRING;
        if (!is_entry && !mi_json_string_is(key, MI_LIT("value")))
            break;
    }
    if (is_entry)
        *is_begun = mi_ge_attr_begin(&w->g->ge, text_of(w, false));
    w->js = here;
    return is_entry;
}

static void push_entry(struct atc_json *w, bool may_be_names)
{
    bool is_begun = false;
    if (!is_object(w))
        return;
    bool is_entry = open_entry(w, &is_begun);
    if (!is_entry && !may_be_names)
        broken_value(w, "an attribute with its key");
    else
        push(w, is_entry ? ATC_ENTRY : ATC_ATTRS)->is_begun = is_begun;
}

/* A member of {"name": value}. */
static void named_attr(struct atc_json *w, struct mi_json_string key)
{
    struct mi_ge *ge = &w->g->ge;
    struct mi_bytes name;
    enum mi_json_type type = mi_json_peek(&w->js);
    if (!mi_json_text(key, &w->g->scratch, &name)) {
        mi_batch_fail(ge->out, MI_ENOMEM, "out of memory for a string");
        return;
    }
    if (!mi_ge_attr_begin(ge, name))
        return;
    if (type == MI_JSON_OBJECT) {
        push(w, ATC_TYPED)->is_begun = true;
    } else if (type == MI_JSON_ARRAY) {
        mi_ge_attr_list(ge, 0);
        push_array(w, ATC_F_PART);
        top(w)->is_begun = true;
    } else {
        put_any(w);
        mi_ge_attr_end(ge);
    }
}

static void typed_field(struct atc_json *w, enum atc_field field)
{
    static const char *const types[] = {"",           "list_string", "list_int",
                                        "list_float", "list_bool",   "list_bytes"};
    if (field == ATC_F_VALUE) {
        put_any(w);
        return;
    }
    struct mi_bytes type = text_of(w, false);
    for (int i = 1; i < (int)(sizeof types / sizeof *types); i++)
        if (mi_bytes_equal(type, mi_cstr(types[i])))
            mi_ge_attr_list(&w->g->ge, i);
}

/* A graph inside an attribute: read when the graph around it has ended. */
static void queue_graph(struct atc_json *w)
{
    struct mi_bytes raw;
    if (!is_object(w))
        return;
    mi_graph_id graph = mi_ge_attr_graph(&w->g->ge);
    if (!graph.v || !mi_json_skip(&w->js, &raw))
        return;
    size_t at = (size_t)(raw.at - w->g->src->bytes.at);
    mi_ge_text_queue_at(w->g, at, at + raw.len, graph);
}

/* Name and type of the op or function that was entered: atc writes them behind its attributes,
 * whose meaning depends on them. */
static void look_at_name(struct atc_json *w, bool is_op)
{
    const struct mi_json here = w->js;
    struct mi_json_string key;
    while (mi_json_next_key(&w->js, &key)) {
        if (is_op && mi_json_string_is(key, MI_LIT("type")))
            mi_ge_op_type(&w->g->ge, text_of(w, false));
        if (!mi_json_string_is(key, MI_LIT("name")))
            continue;
        if (is_op)
            mi_ge_op_name(&w->g->ge, text_of(w, false));
        else
            mi_ge_attr_func_name(&w->g->ge, text_of(w, false));
    }
    w->js = here;
}

static void value_field(struct atc_json *w, enum atc_field field)
{
    struct mi_ge *ge = &w->g->ge;
    bool ok;
    int64_t value;
    switch ((unsigned)field) {
    case ATC_F_S:
        mi_ge_attr_text(ge, text_of(w, top(w)->in == ATC_VALUE));
        break;
    case ATC_F_I:
        value = number(w, &ok);
        if (ok)
            mi_ge_attr_int(ge, value);
        break;
    case ATC_F_F:
        put_float(w);
        break;
    case ATC_F_B:
        put_bool(w);
        break;
    case ATC_F_DT:
        value = number(w, &ok);
        if (ok)
            mi_ge_attr_dtype(ge, value);
        break;
    case ATC_F_BT:
        if (mi_ge_attr_is_text(ge))
            mi_ge_attr_text(ge, text_of(w, true));
        else
            mi_ge_attr_blob(ge, text_of(w, true).len);
        break;
    case ATC_F_TD:
        push_desc(w, ATC_DESC, MI_GE_VALUE);
        break;
    case ATC_F_T:
        push_desc(w, ATC_TENSOR, MI_GE_VALUE);
        break;
    case ATC_F_G:
        queue_graph(w);
        break;
    case ATC_F_LIST:
        if (is_object(w)) {
            mi_ge_attr_list(ge, 0);
            push(w, ATC_LIST);
        }
        break;
    case ATC_F_FUNC:
        if (is_object(w) && mi_ge_attr_func_begin(ge)) {
            push(w, ATC_FUNC);
            look_at_name(w, false);
        }
        break;
    case ATC_F_LISTS:
        if (is_object(w))
            push(w, ATC_LISTS);
        break;
    case ATC_F_INNER:
        if (is_object(w)) {
            mi_ge_attr_inner_begin(ge);
            push(w, ATC_INNER);
        }
        break;
    case ATC_F_VAL_TYPE:
        mi_ge_attr_list(ge, mi_ge_val_type_of_name(text_of(w, false)));
        break;
    default:
        break;
    }
}

/* --- descriptors, ops, graphs, models --- */

static void put_dim(struct atc_json *w)
{
    bool ok;
    int64_t value = number(w, &ok);
    if (ok)
        mi_ge_desc_dim(&w->g->ge, value);
}

static void desc_field(struct atc_json *w, enum atc_field field)
{
    struct mi_ge *ge = &w->g->ge;
    struct mi_ge_desc *desc = top(w)->desc;
    bool ok = false;
    int64_t value = 0;
    if (field == ATC_F_SIZE || field == ATC_F_WEIGHT_SIZE || field == ATC_F_DATA_OFFSET)
        value = number(w, &ok);
    if (field == ATC_F_DTYPE)
        mi_ge_desc_dtype_name(ge, text_of(w, false));
    else if (field == ATC_F_LAYOUT)
        mi_ge_desc_layout(ge, text_of(w, false));
    else if (field == ATC_F_SHAPE && mi_json_peek(&w->js) == MI_JSON_NUMBER)
        put_dim(w);
    else if (field == ATC_F_SHAPE && is_object(w))
        push(w, ATC_SHAPE);
    else if (field == ATC_F_SIZE && ok)
        desc->size_bytes = value;
    else if (field == ATC_F_WEIGHT_SIZE && ok)
        desc->weight_bytes = value;
    else if (field == ATC_F_DATA_OFFSET && ok)
        desc->weight_offset = value;
}

static void push_tensor_desc(struct atc_json *w)
{
    struct mi_ge_desc *desc = top(w)->desc;
    if (is_object(w))
        push(w, ATC_TENSOR_DESC)->desc = desc;
}

/* Of the data of a tensor only the size is kept. */
static void tensor_data(struct atc_json *w)
{
    struct mi_ge_desc *desc = top(w)->desc;
    size_t size = text_of(w, true).len;
    if (size)
        desc->data_bytes = (int64_t)size;
}

static void op_field(struct atc_json *w, enum atc_field field)
{
    struct mi_ge *ge = &w->g->ge;
    bool ok = false;
    int64_t value = 0;
    if (field == ATC_F_ID || field == ATC_F_STREAM ||
        (field >= ATC_F_INPUT_I && field <= ATC_F_WORKSPACE_BYTES))
        value = number(w, &ok);
    if (field == ATC_F_INPUT)
        mi_ge_op_input(ge, text_of(w, false));
    else if (field == ATC_F_SUBGRAPH)
        mi_ge_op_subgraph(ge, text_of(w, false));
    else if (field == ATC_F_INPUT_DESC)
        push_desc(w, ATC_DESC, MI_GE_IN);
    else if (field == ATC_F_OUTPUT_DESC)
        push_desc(w, ATC_DESC, MI_GE_OUT);
    else if (field == ATC_F_ID && ok)
        mi_ge_op_id(ge, value);
    else if (field == ATC_F_STREAM && ok)
        mi_ge_op_stream(ge, value);
    else if (field >= ATC_F_INPUT_I && field <= ATC_F_WORKSPACE_BYTES && ok)
        mi_ge_op_number(ge, (enum mi_ge_list)(field - ATC_F_INPUT_I), value);
}

static void add_fact(struct atc_json *w, const char *name)
{
    struct mi_batch *out = w->g->ge.out;
    mi_str_id text = mi_batch_str(out, text_of(w, false));
    if (text.v)
        mi_add_fact(out, &(struct mi_fact_row){.name = mi_batch_cstr(out, name), .text = text});
}

static void graph_or_model_field(struct atc_json *w, enum atc_field field)
{
    struct mi_ge *ge = &w->g->ge;
    if (field == ATC_F_OP) {
        if (is_object(w) && mi_ge_text_step(w->g)) {
            mi_ge_op_begin(ge);
            push(w, ATC_OP);
            look_at_name(w, true);
        }
    } else if (field == ATC_F_GRAPH) {
        if (is_object(w)) {
            mi_ge_graph_begin(ge, (mi_graph_id){0});
            push(w, ATC_GRAPH);
        }
    } else if (field == ATC_F_MODEL) {
        if (is_object(w))
            push(w, ATC_MODEL);
    } else if (field == ATC_F_OUTPUT) {
        mi_ge_graph_output(ge, text_of(w, false));
    } else if (field == ATC_F_MODEL_NAME) {
        add_fact(w, "model_name");
    } else if (field == ATC_F_VERSION) {
        add_fact(w, "model_version");
    } else if (field == ATC_F_PLATFORM) {
        add_fact(w, "platform_version");
    }
}

static bool wants_attrs(struct atc_json *w)
{
    const struct atc_frame *frame = top(w);
    return (frame->in != ATC_DESC && frame->in != ATC_TENSOR_DESC) ||
           mi_ge_wants_desc_attrs(&w->g->ge, (enum mi_ge_side)frame->side);
}

/* One value of a field, by the object that the field is of. */
static void field_value(struct atc_json *w, enum atc_field field, bool is_item)
{
    enum atc_in in = (enum atc_in)top(w)->in;
    if (field == ATC_F_ATTR)
        push_entry(w, !is_item);
    else if (field == ATC_F_NAME)
        mi_ge_graph_name(&w->g->ge, text_of(w, false));
    else if (field == ATC_F_DIM)
        put_dim(w);
    else if (field == ATC_F_DESC)
        push_tensor_desc(w);
    else if (field == ATC_F_DATA)
        tensor_data(w);
    else if (field == ATC_F_PART)
        put_any(w);
    else if (in == ATC_TYPED)
        typed_field(w, field);
    else if (in == ATC_DESC || in == ATC_TENSOR_DESC)
        desc_field(w, field);
    else if (in == ATC_OP)
        op_field(w, field);
    else if (field == ATC_F_VALUE) {
        if (top(w)->is_begun && is_object(w))
            push(w, ATC_VALUE);
    } else if (in == ATC_MODEL || in == ATC_GRAPH || in == ATC_INNER_GRAPH)
        graph_or_model_field(w, field);
    else
        value_field(w, field);
}

void mi_atc_element(struct atc_json *w)
{
    enum atc_field field = (enum atc_field)top(w)->field;
    if (mi_json_peek(&w->js) != MI_JSON_ARRAY) {
        field_value(w, field, true);
    } else if (field == ATC_F_PART && top(w)->in != ATC_PART) {
        mi_ge_attr_inner_begin(&w->g->ge);
        push_array(w, ATC_F_PART);
        top(w)->in = ATC_PART;
    } else {
        broken_value(w, "a single value");
    }
}

void mi_atc_member(struct atc_json *w, struct mi_json_string key)
{
    enum atc_in in = (enum atc_in)top(w)->in;
    if (in == ATC_ATTRS) {
        named_attr(w, key);
        return;
    }
    enum atc_field field = mi_atc_field(in, key);
    if (field == ATC_F_NONE) {
        int len = key.raw.len < 64 ? (int)key.raw.len : 64;
        mi_batch_diag(w->g->ge.out, MI_INFO, "ge.unknown_field", w->g->ge.offset, 0,
                      "field \"%.*s\" is not known here and was skipped", len,
                      (const char *)key.raw.at);
    } else if (field == ATC_F_IGNORED || field == ATC_F_KEY ||
               (field == ATC_F_ATTR && !wants_attrs(w))) {
        return; /* the scanner skips what nobody reads */
    } else if (mi_json_peek(&w->js) != MI_JSON_ARRAY) {
        field_value(w, field, false);
    } else if (in == ATC_TYPED) {
        push_array(w, ATC_F_PART);
    } else {
        push_array(w, field);
    }
}
