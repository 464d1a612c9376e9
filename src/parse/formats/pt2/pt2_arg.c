/* Arguments of PyTorch's exported programs: a JSON object with one member, whose name says what it
 * is (as_tensor, as_ints, ...). */
#include "parse/formats/pt2/pt2_read.h"

#include "base/decimal.h"

/* ScalarType of the export schema, with bits per element; those that are missing do not exist. */
static const struct dtype {
    int64_t number;
    const char *name;
    unsigned bits;
} dtypes[] = {{0, "", 0},
              {1, "uint8", 8},
              {2, "int8", 8},
              {3, "int16", 16},
              {4, "int32", 32},
              {5, "int64", 64},
              {6, "float16", 16},
              {7, "float32", 32},
              {8, "float64", 64},
              {9, "complex32", 32},
              {10, "complex64", 64},
              {11, "complex128", 128},
              {12, "bool", 8},
              {13, "bfloat16", 16},
              {28, "uint16", 16},
              {29, "float8e4m3fn", 8},
              {30, "float8e5m2", 8},
              {31, "float8e4m3fnuz", 8},
              {32, "float8e5m2fnuz", 8},
              {33, "uint32", 32},
              {34, "uint64", 64}};

static const struct dtype *dtype_of(struct mi_bytes text)
{
    int64_t number = 0;
    if (!mi_decimal_i64(text, &number))
        for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
            if (dtypes[i].number == number)
                return &dtypes[i];
    return NULL;
}

static mi_str_id dtype_name(struct pt2 *p, struct mi_bytes text)
{
    const struct dtype *dtype = dtype_of(text);
    if (dtype)
        return mi_batch_cstr(p->fw.out, dtype->name);
    mi_batch_diag(p->fw.out, MI_NOTICE, "pt2.type_unknown", mi_pt2_offset(p, text), 0,
                  "an element type with the unknown number %.*s", MI_FW_SHOW(text));
    return mi_batch_printf(p->fw.out, "pt2:%.*s", MI_FW_SHOW(text));
}

/* --- tensors --- */

/* One more size: {"as_int": 3}, or {"as_expr": {"expr_str": "s0"}}. */
static void add_size(struct pt2 *p, struct mi_bytes text, uint32_t *count)
{
    struct pt2_member kinds[] = {{.name = "as_int"}, {.name = "as_expr"}};
    struct pt2_member parts[] = {{.name = "expr_str"}};
    int64_t size = -1;
    mi_str_id symbol = MI_NO_STR;
    mi_pt2_members(p, text, kinds, 2);
    if (kinds[0].text.len) {
        if (mi_decimal_i64(kinds[0].text, &size))
            size = -1;
    } else if (kinds[1].text.len) {
        mi_pt2_members(p, kinds[1].text, parts, 1);
        symbol = mi_pt2_string(p, parts[0].text);
    }
    mi_fw_dim(&p->fw, size, symbol, mi_pt2_offset(p, text), count);
}

void mi_pt2_meta(struct pt2 *p, struct mi_bytes text, mi_value_id value)
{
    struct pt2_member meta[] = {{.name = "dtype"}, {.name = "sizes"}};
    struct mi_values *values = &p->fw.out->rows.values;
    struct mi_value_row row = {.has_shape = true};
    mi_pt2_members(p, text, meta, 2);
    row.first_dim = mi_next_row(p->fw.out, dims);
    if (meta[1].text.len) {
        struct mi_json js;
        struct mi_bytes size;
        mi_pt2_scan(p, meta[1].text, &js);
        mi_json_begin_array(&js);
        while (mi_json_next_item(&js) && mi_json_skip(&js, &size))
            add_size(p, size, &row.dim_count);
        mi_pt2_damage(p, &js);
    }
    mi_str_id dtype = dtype_name(p, meta[0].text);
    if (!value.v || mi_batch_failed(p->fw.out))
        return;
    const struct dtype *known = dtype_of(meta[0].text);
    values->dtype[value.v] = dtype;
    values->has_shape[value.v] = meta[1].text.len > 0;
    values->first_dim[value.v] = row.first_dim;
    values->dim_count[value.v] = row.dim_count;
    if (values->kind[value.v] == MI_VALUE_CONSTANT && known)
        values->data_bytes[value.v] = mi_fw_bytes(&p->fw, &row, known->bits);
}

static void add_port(struct pt2 *p, struct pt2_target *target, mi_str_id name)
{
    enum mi_value_kind kind = target->use == PT2_DEFINE  ? MI_VALUE_ACTIVATION
                              : target->use == PT2_INPUT ? MI_VALUE_INPUT
                                                         : MI_VALUE_DANGLING;
    mi_node_id producer = target->use == PT2_DEFINE ? target->node : (mi_node_id){0};
    mi_value_id value = mi_pt2_value(p, target->graph, name, kind, producer);
    if (!target->first.v)
        target->first = name;
    mi_add_port(p->fw.out, &(struct mi_port_row){.value = value});
}

/* {"name": "x"}, or what is optional: {"as_tensor": {"name": "x"}}, {"as_none": true}. */
static void add_tensor(struct pt2 *p, struct pt2_target *target, struct mi_bytes text)
{
    struct pt2_member parts[] = {{.name = "name"}, {.name = "as_tensor"}};
    mi_pt2_members(p, text, parts, 2);
    if (parts[1].text.len) {
        struct pt2_member inner[] = {{.name = "name"}};
        mi_pt2_members(p, parts[1].text, inner, 1);
        parts[0].text = inner[0].text;
    }
    add_port(p, target, mi_pt2_string(p, parts[0].text));
}

static void add_tensors(struct pt2 *p, struct pt2_target *target, struct mi_bytes text)
{
    struct mi_json js;
    struct mi_bytes item;
    mi_pt2_scan(p, text, &js);
    mi_json_begin_array(&js);
    while (mi_json_next_item(&js) && mi_json_skip(&js, &item))
        add_tensor(p, target, item);
    mi_pt2_damage(p, &js);
}

/* --- attributes --- */

static enum mi_attr_kind add_item(struct pt2 *p, struct mi_json *js)
{
    struct mi_item_row row = {.int_value = 0};
    enum mi_attr_kind kind = MI_ATTR_OPAQUE;
    struct mi_json_number number;
    struct mi_bytes raw;
    bool truth;
    switch (mi_json_peek(js)) {
    case MI_JSON_NUMBER:
        if (!mi_json_number(js, &number))
            return MI_ATTR_UNDEFINED;
        kind = number.is_integer && !mi_decimal_i64(number.text, &row.int_value) ? MI_ATTR_INT
                                                                                 : MI_ATTR_FLOAT;
        if (kind == MI_ATTR_FLOAT)
            mi_decimal_double(number.text, &row.real_value);
        break;
    case MI_JSON_BOOL:
        if (!mi_json_bool(js, &truth))
            return MI_ATTR_UNDEFINED;
        row.int_value = truth;
        kind = MI_ATTR_BOOL;
        break;
    case MI_JSON_STRING:
    case MI_JSON_OBJECT:
    case MI_JSON_ARRAY:
    case MI_JSON_NULL:
    case MI_JSON_NONE:
        kind = mi_json_peek(js) == MI_JSON_STRING ? MI_ATTR_STRING : MI_ATTR_OPAQUE;
        if (!mi_json_skip(js, &raw))
            return MI_ATTR_UNDEFINED;
        row.text = mi_pt2_string(p, raw);
    }
    mi_add_item(p->fw.out, &row);
    return kind;
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
        return MI_ATTR_OPAQUE;
    }
}

/* Integers among floats are floats; other mixtures are kept as they are told by the first. */
static void as_floats(struct pt2 *p, uint32_t first)
{
    struct mi_items *items = &p->fw.out->rows.items;
    for (uint32_t i = first; i < items->count; i++)
        if (items->real_value[i] == 0 && items->int_value[i])
            items->real_value[i] = (double)items->int_value[i];
}

static void add_list(struct pt2 *p, const struct pt2_target *target, struct mi_bytes text,
                     enum mi_attr_kind empty)
{
    struct mi_json js;
    uint32_t first = mi_next_row(p->fw.out, items), count = 0;
    enum mi_attr_kind kind = MI_ATTR_UNDEFINED;
    mi_pt2_scan(p, text, &js);
    mi_json_begin_array(&js);
    while (mi_json_next_item(&js)) {
        if (count++ >= MI_FW_MAX_ITEMS) {
            mi_batch_diag(p->fw.out, MI_NOTICE, "pt2.attr_long", mi_pt2_offset(p, text), 0,
                          "an attribute with more elements than are kept");
            break;
        }
        enum mi_attr_kind one = plural(add_item(p, &js));
        if (kind == MI_ATTR_UNDEFINED)
            kind = one;
        if (kind == MI_ATTR_INTS && one == MI_ATTR_FLOATS)
            kind = MI_ATTR_FLOATS;
    }
    mi_pt2_damage(p, &js);
    kind = kind == MI_ATTR_UNDEFINED ? empty : kind;
    if (kind == MI_ATTR_FLOATS)
        as_floats(p, first);
    mi_fw_attr(&p->fw, target->name, kind, first);
}

static void add_scalar(struct pt2 *p, const struct pt2_target *target, struct mi_bytes text,
                       bool is_float)
{
    struct mi_json js;
    uint32_t first = mi_next_row(p->fw.out, items);
    mi_pt2_scan(p, text, &js);
    enum mi_attr_kind kind = add_item(p, &js);
    if (is_float && kind == MI_ATTR_INT) {
        as_floats(p, first);
        kind = MI_ATTR_FLOAT;
    }
    mi_fw_attr(&p->fw, target->name, kind, first);
}

static void add_text(struct pt2 *p, const struct pt2_target *target, enum mi_attr_kind kind,
                     mi_str_id text)
{
    uint32_t first = mi_next_row(p->fw.out, items);
    mi_add_item(p->fw.out, &(struct mi_item_row){.text = text});
    mi_fw_attr(&p->fw, target->name, kind, first);
}

static void add_word(struct pt2 *p, const struct pt2_target *target, struct mi_bytes text,
                     const char *const *words, int64_t count)
{
    int64_t number = 0;
    bool is_known = !mi_decimal_i64(text, &number) && number >= 0 && number < count;
    add_text(p, target, MI_ATTR_STRING,
             is_known ? mi_batch_cstr(p->fw.out, words[number]) : mi_pt2_string(p, text));
}

static void add_device(struct pt2 *p, const struct pt2_target *target, struct mi_bytes text)
{
    struct pt2_member parts[] = {{.name = "type"}, {.name = "index"}};
    mi_pt2_members(p, text, parts, 2);
    mi_str_id type = mi_pt2_string(p, parts[0].text);
    struct mi_bytes word = mi_batch_text(p->fw.out, type);
    if (parts[1].text.len && !mi_bytes_equal(parts[1].text, MI_LIT("null")))
        type = mi_batch_printf(p->fw.out, "%.*s:%.*s", MI_FW_SHOW(word), MI_FW_SHOW(parts[1].text));
    add_text(p, target, MI_ATTR_STRING, type);
}

static void add_graph(struct pt2 *p, const struct pt2_target *target, struct mi_bytes text)
{
    struct pt2_member parts[] = {{.name = "name"}, {.name = "graph"}};
    mi_pt2_members(p, text, parts, 2);
    mi_str_id name = mi_pt2_string(p, parts[0].text);
    mi_graph_id graph = {0};
    uint32_t first = mi_next_row(p->fw.out, items);
    if (parts[1].text.len)
        graph = mi_pt2_queue(p, parts[1].text, MI_GRAPH_SUBGRAPH, target->node, target->name, name,
                             target->depth + 1);
    mi_add_item(p->fw.out, &(struct mi_item_row){.text = name, .graph = graph});
    mi_fw_attr(&p->fw, target->name, graph.v ? MI_ATTR_GRAPH : MI_ATTR_OPAQUE, first);
}

/* {"as_name": "s0"} is a value like a tensor, {"as_int": 4} a number. */
static void add_symbol(struct pt2 *p, struct pt2_target *target, struct mi_bytes text)
{
    struct pt2_member parts[] = {
        {.name = "as_name"}, {.name = "as_int"}, {.name = "as_float"}, {.name = "as_bool"}};
    mi_pt2_members(p, text, parts, 4);
    if (parts[0].text.len)
        add_port(p, target, mi_pt2_string(p, parts[0].text));
    for (size_t i = 1; i < 4 && !parts[0].text.len; i++)
        if (parts[i].text.len)
            add_scalar(p, target, parts[i].text, i == 2);
}

/* A list of both: names become ports, and all of it stands in the attribute. */
static void add_symbols(struct pt2 *p, struct pt2_target *target, struct mi_bytes text)
{
    struct mi_json js;
    struct mi_bytes item;
    uint32_t first = mi_next_row(p->fw.out, items);
    mi_pt2_scan(p, text, &js);
    mi_json_begin_array(&js);
    while (mi_json_next_item(&js) && mi_json_skip(&js, &item)) {
        struct pt2_member parts[] = {
            {.name = "as_name"}, {.name = "as_int"}, {.name = "as_float"}, {.name = "as_bool"}};
        mi_pt2_members(p, item, parts, 4);
        for (size_t i = 0; i < 4; i++) {
            if (!parts[i].text.len)
                continue;
            mi_str_id word = mi_pt2_string(p, parts[i].text);
            mi_add_item(p->fw.out, &(struct mi_item_row){.text = word});
            if (i == 0)
                add_port(p, target, word);
            break;
        }
    }
    mi_pt2_damage(p, &js);
    mi_fw_attr(&p->fw, target->name, MI_ATTR_STRINGS, first);
}

/* --- the union --- */

enum form {
    NONE,
    TENSOR,
    TENSORS,
    SYMBOL,
    SYMBOLS,
    SCALAR,
    REAL,
    INTS,
    FLOATS,
    STRINGS,
    BOOLS,
    TYPE,
    MEMORY,
    LAYOUT,
    DEVICE,
    GRAPH
};

static const struct form_name {
    const char *name;
    enum form form;
} forms[] = {{"as_none", NONE},
             {"as_tensor", TENSOR},
             {"as_tensors", TENSORS},
             {"as_optional_tensor", TENSOR},
             {"as_optional_tensors", TENSORS},
             {"as_custom_obj", TENSOR},
             {"as_sym_int", SYMBOL},
             {"as_sym_float", SYMBOL},
             {"as_sym_bool", SYMBOL},
             {"as_sym_ints", SYMBOLS},
             {"as_sym_floats", SYMBOLS},
             {"as_sym_bools", SYMBOLS},
             {"as_int", SCALAR},
             {"as_bool", SCALAR},
             {"as_string", SCALAR},
             {"as_operator", SCALAR},
             {"as_float", REAL},
             {"as_ints", INTS},
             {"as_floats", FLOATS},
             {"as_strings", STRINGS},
             {"as_bools", BOOLS},
             {"as_scalar_type", TYPE},
             {"as_memory_format", MEMORY},
             {"as_layout", LAYOUT},
             {"as_device", DEVICE},
             {"as_graph", GRAPH}};

static void add_form(struct pt2 *p, struct pt2_target *target, enum form form, struct mi_bytes text)
{
    static const char *const memory[] = {"unknown", "contiguous_format", "channels_last",
                                         "channels_last_3d", "preserve_format"};
    static const char *const layouts[] = {"unknown",    "sparse_coo", "sparse_csr", "sparse_csc",
                                          "sparse_bsr", "sparse_bsc", "_mkldnn",    "strided"};
    switch (form) {
    case NONE:
        add_text(p, target, MI_ATTR_OPAQUE, mi_batch_cstr(p->fw.out, "None"));
        break;
    case TENSOR:
        add_tensor(p, target, text);
        break;
    case TENSORS:
        add_tensors(p, target, text);
        break;
    case SYMBOL:
        add_symbol(p, target, text);
        break;
    case SYMBOLS:
        add_symbols(p, target, text);
        break;
    case SCALAR:
    case REAL:
        add_scalar(p, target, text, form == REAL);
        break;
    case INTS:
    case FLOATS:
    case STRINGS:
    case BOOLS:
        add_list(p, target, text,
                 form == INTS     ? MI_ATTR_INTS
                 : form == FLOATS ? MI_ATTR_FLOATS
                 : form == BOOLS  ? MI_ATTR_BOOLS
                                  : MI_ATTR_STRINGS);
        break;
    case TYPE:
        add_text(p, target, MI_ATTR_TYPE, dtype_name(p, text));
        break;
    case MEMORY:
        add_word(p, target, text, memory, 5);
        break;
    case LAYOUT:
        add_word(p, target, text, layouts, 8);
        break;
    case DEVICE:
        add_device(p, target, text);
        break;
    case GRAPH:
        add_graph(p, target, text);
        break;
    }
}

void mi_pt2_arg(struct pt2 *p, struct mi_bytes text, struct pt2_target *target)
{
    struct mi_json js;
    struct mi_json_string key;
    mi_pt2_scan(p, text, &js);
    mi_json_begin_object(&js);
    while (mi_json_next_key(&js, &key) && !mi_batch_failed(p->fw.out)) {
        struct mi_bytes part;
        const struct form_name *found = NULL;
        if (!mi_json_skip(&js, &part))
            break;
        for (size_t i = 0; i < sizeof forms / sizeof *forms && !found; i++)
            if (mi_json_string_is(key, mi_cstr(forms[i].name)))
                found = &forms[i];
        if (found)
            add_form(p, target, found->form, part);
        else if (!mi_bytes_equal(part, MI_LIT("null")))
            add_text(p, target, MI_ATTR_OPAQUE, mi_pt2_string(p, part));
    }
    mi_pt2_damage(p, &js);
}
