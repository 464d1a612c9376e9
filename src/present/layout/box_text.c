#include "present/layout/box_text.h"

#include "analyse/deps.h"
#include "analyse/describe.h"
#include "base/decimal.h"

enum { MOST_DIMS = 8, MOST_LETTERS = 30, MOST_OPS = 4 };

/* --- types --- */

static const struct {
    const char *prefix, *brief;
} brief_names[] = {{"float", "f"}, {"bfloat", "bf"}, {"uint", "u"}, {"int", "i"}, {"complex", "c"}};

/* "float16" is "f16" in a box, where room is dear. */
static void put_dtype(struct mi_words *words, struct mi_bytes dtype)
{
    for (size_t i = 0; i < sizeof brief_names / sizeof *brief_names; i++) {
        struct mi_bytes prefix = mi_cstr(brief_names[i].prefix);
        bool has_number =
            dtype.len > prefix.len && dtype.at[prefix.len] >= '0' && dtype.at[prefix.len] <= '9';
        if (!has_number || !mi_bytes_starts(dtype, prefix))
            continue;
        mi_words_put(words, mi_cstr(brief_names[i].brief));
        mi_words_put(words, mi_bytes_sub(dtype, prefix.len, dtype.len));
        return;
    }
    mi_words_put(words, dtype);
}

static void put_shape(struct mi_words *words, const struct mi_model *model, mi_value_id value)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t first = rows->values.first_dim[value.v], count = rows->values.dim_count[value.v];
    for (uint32_t i = 0; i < count && i < MOST_DIMS; i++) {
        char digits[MI_DECIMAL_ROOM];
        int64_t size = rows->dims.size[first + i];
        size_t len = size >= 0 ? mi_decimal_format_i64(size, digits) : 0;
        mi_words_put(words, i ? MI_LIT("×") : MI_LIT(" "));
        mi_words_put(words, len ? (struct mi_bytes){(const uint8_t *)digits, len} : MI_LIT("?"));
    }
    if (count > MOST_DIMS)
        mi_words_put(words, MI_LIT("×…"));
}

static struct mi_bytes brief_type(const struct mi_model *model, mi_value_id value,
                                  struct mi_arena *arena)
{
    const struct mi_values *values = &model->all.rows.values;
    struct mi_words words = {.arena = arena};
    value = mi_value_origin(model, value);
    if (!value.v)
        return (struct mi_bytes){0};
    mi_words_put(&words, mi_model_text(model, values->type[value.v]));
    put_dtype(&words, mi_model_text(model, values->dtype[value.v]));
    if (values->has_shape[value.v])
        put_shape(&words, model, value);
    struct mi_bytes format = mi_model_text(model, values->format[value.v]);
    if (format.len && words.len) {
        mi_words_put(&words, MI_LIT(" "));
        mi_words_put(&words, format);
    }
    return mi_words_get(&words);
}

static bool is_data(const struct mi_model *model, uint32_t port)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t value = rows->ports.value[port].v;
    return value && !rows->ports.is_control[port] &&
           rows->values.kind[mi_value_origin(model, (mi_value_id){value}).v] != MI_VALUE_CONSTANT;
}

mi_str_id mi_box_dtype(const struct mi_model *model, uint32_t node, bool of_input)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t first = of_input ? rows->nodes.first_in[node] : rows->nodes.first_out[node];
    uint32_t count = of_input ? rows->nodes.in_count[node] : rows->nodes.out_count[node];
    for (uint32_t p = first; p < first + count; p++) {
        mi_value_id value = mi_value_origin(model, rows->ports.value[p]);
        if (is_data(model, p) && rows->values.dtype[value.v].v)
            return rows->values.dtype[value.v];
    }
    return MI_NO_STR;
}

bool mi_box_is_dynamic(const struct mi_model *model, uint32_t node)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t first = rows->nodes.first_out[node], count = rows->nodes.out_count[node];
    for (uint32_t p = first; p < first + count; p++) {
        uint32_t value = rows->ports.value[p].v, dims = rows->values.dim_count[value];
        for (uint32_t d = 0; value && d < dims; d++)
            if (rows->dims.size[rows->values.first_dim[value] + d] < 0)
                return true;
    }
    return false;
}

/* --- boxes --- */

static uint32_t count_constants(const struct mi_model *model, uint32_t node)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t first = rows->nodes.first_in[node], count = rows->nodes.in_count[node], found = 0;
    for (uint32_t p = first; p < first + count; p++) {
        mi_value_id value = mi_value_origin(model, rows->ports.value[p]);
        found += value.v && (rows->values.kind[value.v] == MI_VALUE_CONSTANT ||
                             mi_is_constant_node(model, rows->values.producer[value.v]));
    }
    return found;
}

static void fill_node(struct mi_box_text *text, const struct mi_outline *outline, uint32_t node,
                      struct mi_arena *arena)
{
    const struct mi_model *model = outline->model;
    const struct mi_tables *rows = &model->all.rows;
    mi_str_id in = mi_box_dtype(model, node, true), out = mi_box_dtype(model, node, false);
    uint32_t members = mi_csr_count(&model->index.framework_of, node);
    text->op = mi_model_text(model, rows->nodes.op[node]);
    text->constants = outline->options.with_constants ? 0 : count_constants(model, node);
    text->members = members > 1 ? members : 0;
    if (rows->nodes.out_count[node])
        text->type = brief_type(model, rows->ports.value[rows->nodes.first_out[node]], arena);
    if (in.v && out.v && in.v != out.v) {
        struct mi_words words = {.arena = arena};
        put_dtype(&words, mi_model_text(model, in));
        mi_words_put(&words, MI_LIT("→"));
        put_dtype(&words, mi_model_text(model, out));
        text->change = mi_words_get(&words);
    }
}

/* "Conv+Relu": the operator types of a fusion group, in the order of its nodes. */
static struct mi_bytes group_ops(const struct mi_outline *outline, uint32_t item,
                                 struct mi_arena *arena)
{
    const struct mi_model *model = outline->model;
    struct mi_words words = {.arena = arena};
    uint32_t count = 0;
    for (uint32_t c = outline->items[item].first; c; c = outline->items[c].next) {
        uint32_t node = outline->items[c].node;
        if (!node || mi_is_constant_node(model, (mi_node_id){node}))
            continue;
        if (count == MOST_OPS) {
            mi_words_put(&words, MI_LIT("+…"));
            break;
        }
        mi_words_put(&words, count++ ? MI_LIT("+") : MI_LIT(""));
        mi_words_put(&words, mi_model_text(model, model->all.rows.nodes.op[node]));
    }
    return mi_words_get(&words);
}

struct mi_box_text mi_box_text(const struct mi_outline *outline, uint32_t item,
                               struct mi_arena *arena)
{
    struct mi_box_text text = {0};
    uint32_t inner = mi_outline_unwrap(outline, item, &text.label);
    const struct mi_outline_item *at = &outline->items[inner];
    struct mi_bytes known_as = mi_node_known_as(outline->model, (mi_node_id){at->node});
    if (at->node && inner == item && known_as.len &&
        !outline->model->all.rows.nodes.name[at->node].v)
        text.label = known_as;
    if (at->node)
        fill_node(&text, outline, at->node, arena);
    else if (at->value)
        text.type = brief_type(outline->model, (mi_value_id){at->value}, arena);
    if (at->group) {
        text.members = at->nodes > UINT32_MAX ? UINT32_MAX : (uint32_t)at->nodes;
        text.op = group_ops(outline, inner, arena);
    }
    return text;
}

/* Letters, not bytes, as wide as those of a wide font are on the average; those of Chinese are
 * about twice as wide. */
static float width_of(struct mi_bytes text, float letter)
{
    float width = 0;
    uint32_t letters = 0;
    for (size_t i = 0; i < text.len && letters < MOST_LETTERS; i++) {
        if ((text.at[i] & 0xC0) == 0x80)
            continue;
        width += text.at[i] >= 0xE3 ? 2 * letter : letter;
        letters++;
    }
    return width;
}

float mi_box_text_width(const struct mi_outline *outline, uint32_t item, struct mi_arena *arena)
{
    static const float bold = 8.0F, plain = 6.9F, small = 5.9F, padding = 22, tag = 30;
    struct mi_box_text text = mi_box_text(outline, item, arena);
    float widest = width_of(text.op, bold) + (text.members ? tag : 0);
    float label = width_of(text.label, text.op.len ? plain : bold);
    float type = width_of(text.type, small);
    widest = label > widest ? label : widest;
    return (type > widest ? type : widest) + padding;
}
