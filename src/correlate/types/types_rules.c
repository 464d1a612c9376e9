/* The rules of types.def, with their names looked up once, applied to one output of a node. */
#include "correlate/types/types.def"
#include "correlate/types/types_parts.h"

enum { MAX_RULES = 4 };

struct rule {
    const char *attr;
    int input; /* -1 = none */
    const char *dtype;
    int shape; /* input + 1; 0 = none */
};

#define UNKNOWN                                                                                    \
    {                                                                                              \
        NULL, -1, NULL, 0                                                                          \
    }
#define SAME(k)                                                                                    \
    {                                                                                              \
        NULL, k, NULL, 0                                                                           \
    }
#define SHAPED(k)                                                                                  \
    {                                                                                              \
        NULL, k, NULL, (k) + 1                                                                     \
    }
#define FIXED(d)                                                                                   \
    {                                                                                              \
        NULL, -1, d, 0                                                                             \
    }
#define FIXED_SHAPED(d, k)                                                                         \
    {                                                                                              \
        NULL, -1, d, (k) + 1                                                                       \
    }
#define ATTR(a, k, d)                                                                              \
    {                                                                                              \
        a, k, d, 0                                                                                 \
    }
#define ATTR_SHAPED(a, k, d, s)                                                                    \
    {                                                                                              \
        a, k, d, (s) + 1                                                                           \
    }
#define COUNT_OF(...) (sizeof((const struct rule[]){__VA_ARGS__}) / sizeof(struct rule))

static const struct row {
    const char *domain, *op;
    unsigned count;
    struct rule rules[MAX_RULES];
} table[] = {
#define ROW(domain, op, ...) {domain, op, COUNT_OF(__VA_ARGS__), {__VA_ARGS__}},
    MI_TYPE_RULES(ROW)
#undef ROW
};

#define ROW_COUNT (sizeof table / sizeof *table)

struct found_rule {
    mi_str_id attr, dtype;
};

struct mi_rules {
    struct mi_map rows;   /* (domain, operator) -> row + 1 */
    struct mi_map shapes; /* operator -> rule of types_shapes.c */
    struct found_rule found[ROW_COUNT][MAX_RULES];
    mi_str_id constant, value;
    mi_str_id nhwc; /* the domain of ONNX operators in the other layout */
    struct {
        mi_str_id attr, dtype;
        bool is_scalar;
    } of_constant[6];
};

/* --- looking the names up --- */

static void find_constant(struct mi_rules *rules, struct mi_types *types)
{
    static const struct {
        const char *attr;
        unsigned number;
        bool is_scalar;
    } attrs[] = {{"value_int", 7, true},    {"value_ints", 7, false},
                 {"value_float", 1, true},  {"value_floats", 1, false},
                 {"value_string", 8, true}, {"value_strings", 8, false}};
    const struct mi_strings *strings = &types->model->all.strings;
    rules->constant = mi_strings_find(strings, MI_LIT("Constant"));
    for (size_t i = 0; i < sizeof attrs / sizeof *attrs; i++) {
        rules->of_constant[i].attr = mi_strings_find(strings, mi_cstr(attrs[i].attr));
        rules->of_constant[i].dtype = types->dtypes[attrs[i].number];
        rules->of_constant[i].is_scalar = attrs[i].is_scalar;
    }
}

struct mi_rules *mi_rules_new(struct mi_types *types)
{
    struct mi_rules *rules = mi_mem_zero(1, sizeof *rules);
    struct mi_batch *all = &types->model->all;
    if (!rules)
        return NULL;
    for (size_t r = 0; r < ROW_COUNT; r++) {
        mi_str_id op = mi_strings_find(&all->strings, mi_cstr(table[r].op));
        mi_str_id domain = mi_strings_find(&all->strings, mi_cstr(table[r].domain));
        if (!op.v || (*table[r].domain && !domain.v))
            continue; /* the model does not use it */
        for (unsigned i = 0; i < table[r].count; i++) {
            const struct rule *rule = &table[r].rules[i];
            rules->found[r][i].attr = mi_strings_find(&all->strings, mi_cstr(rule->attr));
            rules->found[r][i].dtype = mi_batch_cstr(all, rule->dtype);
        }
        if (!mi_map_set(&rules->rows, mi_pair(domain.v, op.v), (uint32_t)r + 1)) {
            mi_rules_free(rules);
            return NULL;
        }
    }
    if (!mi_shapes_find(&rules->shapes, types->model)) {
        mi_rules_free(rules);
        return NULL;
    }
    rules->nhwc = mi_strings_find(&all->strings, MI_LIT("com.ms.internal.nhwc"));
    find_constant(rules, types);
    return rules;
}

void mi_rules_free(struct mi_rules *rules)
{
    if (rules) {
        mi_map_fini(&rules->rows);
        mi_map_fini(&rules->shapes);
    }
    mi_mem_free(rules);
}

/* --- applying them --- */

/* The row of the attribute of that name; 0 = none. */
static uint32_t find_attr(const struct mi_tables *rows, uint32_t node, mi_str_id name)
{
    uint32_t first = rows->nodes.first_attr[node];
    for (uint32_t a = first; name.v && a < first + rows->nodes.attr_count[node]; a++)
        if (rows->attrs.name[a].v == name.v)
            return a;
    return 0;
}

static struct mi_tensor_type fixed(mi_str_id dtype)
{
    return (struct mi_tensor_type){.dtype = dtype.v,
                                   .dtype_state = dtype.v ? MI_TYPE_KNOWN : MI_TYPE_NOTHING};
}

/* The type that an attribute names: a number, or that of a tensor. *is_there: it says something. */
static struct mi_tensor_type from_attr(const struct mi_types *types, uint32_t attr, bool *is_there)
{
    const struct mi_tables *rows = &types->model->all.rows;
    uint32_t item = rows->attrs.first_item[attr];
    *is_there = attr != 0;
    if (!attr || rows->attrs.item_count[attr] != 1)
        return fixed(MI_NO_STR);
    if (rows->attrs.kind[attr] == MI_ATTR_TENSOR)
        return mi_types_of(types, rows->items.value[item].v);
    int64_t number = rows->items.int_value[item];
    if (rows->attrs.kind[attr] != MI_ATTR_INT || number < 0 || number > MI_DTYPE_MAX)
        return fixed(MI_NO_STR);
    *is_there = number != 0; /* 0 is how "not given" is written out */
    return fixed(types->dtypes[number]);
}

static uint32_t input_of(const struct mi_tables *rows, uint32_t node, int input)
{
    return input >= 0 && (uint32_t)input < rows->nodes.in_count[node]
               ? rows->ports.value[rows->nodes.first_in[node] + (uint32_t)input].v
               : 0;
}

static struct mi_tensor_type apply_rule(const struct mi_types *types, uint32_t node,
                                        const struct rule *rule, const struct found_rule *found)
{
    const struct mi_tables *rows = &types->model->all.rows;
    bool is_there = false;
    struct mi_tensor_type type = from_attr(types, find_attr(rows, node, found->attr), &is_there);
    uint32_t input = input_of(rows, node, rule->input);
    if (!is_there)
        type = input ? mi_types_of(types, input) : fixed(found->dtype);
    type.shape_state = MI_TYPE_NOTHING;
    uint32_t like = rule->shape ? input_of(rows, node, rule->shape - 1) : 0;
    if (like) {
        struct mi_tensor_type shape = mi_types_of(types, like);
        type.shape_state = shape.shape_state;
        type.first_dim = shape.first_dim;
        type.dim_count = shape.dim_count;
    }
    return type;
}

/* A constant is what its one attribute is. */
static struct mi_tensor_type apply_constant(const struct mi_types *types, uint32_t node)
{
    const struct mi_tables *rows = &types->model->all.rows;
    const struct mi_rules *rules = types->rules;
    uint32_t first = rows->nodes.first_attr[node];
    for (uint32_t a = first; a < first + rows->nodes.attr_count[node]; a++) {
        bool is_there;
        if (rows->attrs.kind[a] == MI_ATTR_TENSOR)
            return from_attr(types, a, &is_there);
        for (size_t i = 0; i < sizeof rules->of_constant / sizeof *rules->of_constant; i++) {
            if (!rows->attrs.name[a].v || rows->attrs.name[a].v != rules->of_constant[i].attr.v)
                continue;
            struct mi_tensor_type type = fixed(rules->of_constant[i].dtype);
            type.shape_state = rules->of_constant[i].is_scalar ? MI_TYPE_KNOWN : MI_TYPE_NOTHING;
            return type;
        }
    }
    return fixed(MI_NO_STR);
}

struct mi_tensor_type mi_rules_apply(const struct mi_types *types, uint32_t node, uint32_t index)
{
    const struct mi_nodes *nodes = &types->model->all.rows.nodes;
    const struct mi_rules *rules = types->rules;
    mi_str_id domain = nodes->domain[node];
    bool is_nhwc = domain.v && domain.v == rules->nhwc.v;
    if (is_nhwc)
        domain = MI_NO_STR;
    if (!domain.v && nodes->op[node].v && nodes->op[node].v == rules->constant.v)
        return index ? fixed(MI_NO_STR) : apply_constant(types, node);
    uint32_t row = mi_map_get(&rules->rows, mi_pair(domain.v, nodes->op[node].v));
    if (!row--)
        return fixed(MI_NO_STR);
    unsigned i = index < table[row].count ? index : table[row].count - 1;
    struct mi_tensor_type type =
        apply_rule(types, node, &table[row].rules[i], &rules->found[row][i]);
    uint32_t shape = is_nhwc || domain.v ? 0 : mi_map_get(&rules->shapes, nodes->op[node].v);
    if (is_nhwc)
        type.shape_state = MI_TYPE_NOTHING;
    else if (shape && type.shape_state == MI_TYPE_NOTHING)
        mi_shapes_apply(types, shape, node, index, &type);
    return type;
}
