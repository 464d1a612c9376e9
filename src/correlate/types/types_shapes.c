/* Shapes of what operators of ONNX give, where these follow from the shapes of the inputs, the
 * attributes and small constants. What is not certain is left out: an operator whose rule wants
 * something that is not known gives nothing, and a size that may be one of two is unknown.
 *
 * The rules hold for all versions of an operator: where something moved from an attribute to an
 * input, the attribute is asked first. */
#include "correlate/types/types_ask.h"

enum { MAX_INPUTS = 64, UNKNOWN_SIZE = -1 };

/* False: not known. */
typedef bool shape_rule(struct mi_ask *ask, struct mi_shape *out);

/* Counts negative axes from the end. */
static bool normal_axis(int64_t *axis, uint32_t rank)
{
    if (*axis < 0)
        *axis += rank;
    return *axis >= 0 && *axis < rank;
}

static void put(struct mi_shape *out, struct mi_size size)
{
    if (out->rank < MI_ASK_RANK)
        out->at[out->rank] = size;
    out->rank++; /* a rank beyond the limit is seen by the caller of the rule */
}

static void put_number(struct mi_shape *out, int64_t size)
{
    put(out, (struct mi_size){size, 0});
}

/* --- elementwise --- */

/* False: the sizes do not go together. */
static bool broadcast_size(struct mi_size a, struct mi_size b, struct mi_size *out)
{
    *out = a;
    if (a.size == 1 || b.size == 1) {
        *out = a.size == 1 ? b : a;
    } else if (a.size < 0 && b.size < 0) {
        if (a.symbol != b.symbol)
            *out = (struct mi_size){UNKNOWN_SIZE, 0};
    } else if (a.size < 0) {
        *out = b; /* it is 1 or the same */
    } else {
        return b.size < 0 || a.size == b.size;
    }
    return true;
}

static bool broadcast(const struct mi_shape *a, const struct mi_shape *b, struct mi_shape *out)
{
    struct mi_shape sum = {.rank = a->rank > b->rank ? a->rank : b->rank};
    for (uint32_t i = 0; i < sum.rank; i++) {
        const struct mi_size one = {1, 0};
        struct mi_size left = i < a->rank ? a->at[a->rank - 1 - i] : one;
        struct mi_size right = i < b->rank ? b->at[b->rank - 1 - i] : one;
        if (!broadcast_size(left, right, &sum.at[sum.rank - 1 - i]))
            return false;
    }
    *out = sum;
    return true;
}

static bool rule_broadcast(struct mi_ask *ask, struct mi_shape *out)
{
    uint32_t count = ask->rows->nodes.in_count[ask->node];
    struct mi_shape next;
    if (!count || count > MAX_INPUTS || !mi_ask_shape(ask, 0, out))
        return false;
    if (mi_ask_attr(ask, "broadcast")) /* before version 7 the first input has the shape */
        return true;
    for (uint32_t i = 1; i < count; i++)
        if (!mi_ask_shape(ask, i, &next) || !broadcast(out, &next, out))
            return false;
    return true;
}

/* --- matrices --- */

static bool are_equal(struct mi_size a, struct mi_size b)
{
    return a.size < 0 || b.size < 0 || a.size == b.size;
}

static bool rule_matmul(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape a, b, batch;
    if (!mi_ask_shape(ask, 0, &a) || !mi_ask_shape(ask, 1, &b) || !a.rank || !b.rank ||
        !are_equal(a.at[a.rank - 1], b.at[b.rank > 1 ? b.rank - 2 : 0]))
        return false;
    struct mi_shape left = a, right = b;
    left.rank = a.rank > 1 ? a.rank - 2 : 0;
    right.rank = b.rank > 1 ? b.rank - 2 : 0;
    if (!broadcast(&left, &right, &batch))
        return false;
    *out = batch;
    if (a.rank > 1)
        put(out, a.at[a.rank - 2]);
    if (b.rank > 1)
        put(out, b.at[b.rank - 1]);
    return true;
}

static bool rule_gemm(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape a, b;
    bool turn_a = mi_ask_int(ask, "transA", 0) != 0, turn_b = mi_ask_int(ask, "transB", 0) != 0;
    if (!mi_ask_shape(ask, 0, &a) || !mi_ask_shape(ask, 1, &b) || a.rank != 2 || b.rank != 2 ||
        !are_equal(a.at[!turn_a], b.at[turn_b]))
        return false;
    out->rank = 0;
    put(out, a.at[turn_a]);
    put(out, b.at[!turn_b]);
    return true;
}

/* --- windows --- */

struct windows {
    struct mi_int_list kernel, strides, dilations, pads; /* pads: [2 * count] */
    bool is_same;                                        /* auto_pad SAME_...: only strides count */
};

static bool fill(struct mi_int_list *list, bool is_there, uint32_t count, int64_t otherwise)
{
    if (!is_there) {
        list->count = count;
        for (uint32_t i = 0; i < count; i++)
            list->at[i] = otherwise;
    }
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] < 0 || list->at[i] > MI_ASK_SIZE / 4)
            return false;
    return list->count == count;
}

/* Attributes for `count` dimensions; the kernel is there already where `has_kernel`. */
static bool read_windows(const struct mi_ask *ask, uint32_t count, bool has_kernel,
                         struct windows *out)
{
    bool has_strides, has_dilations, has_pads, has_own = true;
    if (2 * count > MI_ASK_RANK ||
        (!has_kernel && !mi_ask_ints(ask, "kernel_shape", &out->kernel, &has_own)) || !has_own ||
        !mi_ask_ints(ask, "strides", &out->strides, &has_strides) ||
        !mi_ask_ints(ask, "dilations", &out->dilations, &has_dilations) ||
        !mi_ask_ints(ask, "pads", &out->pads, &has_pads))
        return false;
    uint32_t automatic = mi_ask_attr(ask, "auto_pad");
    struct mi_bytes word = {NULL, 0};
    if (automatic && ask->rows->attrs.item_count[automatic] == 1)
        word = mi_model_text(ask->types->model,
                             ask->rows->items.text[ask->rows->attrs.first_item[automatic]]);
    out->is_same = mi_bytes_starts(word, MI_LIT("SAME_"));
    if (mi_bytes_equal(word, MI_LIT("VALID")))
        has_pads = false;
    return fill(&out->kernel, true, count, 0) && fill(&out->strides, has_strides, count, 1) &&
           fill(&out->dilations, has_dilations, count, 1) &&
           fill(&out->pads, has_pads, 2 * count, 0);
}

/* Number of windows along dimension `i`; `ceils`: the last one may be partial, which versions see
 * differently, so it is known only where all are whole. */
static int64_t count_windows(const struct windows *w, uint32_t i, int64_t size, bool ceils)
{
    int64_t stride = w->strides.at[i];
    if (size < 0 || !stride)
        return UNKNOWN_SIZE;
    if (w->is_same)
        return (size + stride - 1) / stride;
    int64_t reach = (w->kernel.at[i] - 1) * w->dilations.at[i] + 1;
    int64_t room = size + w->pads.at[i] + w->pads.at[w->kernel.count + i] - reach;
    if (room < 0 || w->kernel.at[i] < 1 || (ceils && room % stride))
        return UNKNOWN_SIZE;
    return room / stride + 1;
}

static bool rule_conv(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape x, weights;
    struct windows w;
    if (!mi_ask_shape(ask, 0, &x) || !mi_ask_shape(ask, 1, &weights) || x.rank < 3 ||
        weights.rank != x.rank)
        return false;
    w.kernel.count = x.rank - 2;
    for (uint32_t i = 0; i < w.kernel.count; i++)
        w.kernel.at[i] = weights.at[i + 2].size;
    if (!read_windows(ask, x.rank - 2, true, &w))
        return false;
    out->rank = 0;
    put(out, x.at[0]);
    put(out, weights.at[0]);
    for (uint32_t i = 0; i < x.rank - 2; i++)
        put_number(out, count_windows(&w, i, x.at[i + 2].size, false));
    return true;
}

static bool rule_pool(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape x;
    struct windows w;
    if (!mi_ask_shape(ask, 0, &x) || x.rank < 3 || !read_windows(ask, x.rank - 2, false, &w))
        return false;
    out->rank = 0;
    put(out, x.at[0]);
    put(out, x.at[1]);
    for (uint32_t i = 0; i < x.rank - 2; i++)
        put_number(out,
                   count_windows(&w, i, x.at[i + 2].size, mi_ask_int(ask, "ceil_mode", 0) != 0));
    return true;
}

static bool rule_global_pool(struct mi_ask *ask, struct mi_shape *out)
{
    if (!mi_ask_shape(ask, 0, out) || out->rank < 3)
        return false;
    for (uint32_t i = 2; i < out->rank; i++)
        out->at[i] = (struct mi_size){1, 0};
    return true;
}

/* --- reductions --- */

static bool rule_reduce(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape x;
    struct mi_int_list axes;
    bool is_there, reduced[MI_ASK_RANK] = {false};
    if (!mi_ask_shape(ask, 0, &x) || !mi_ask_list(ask, "axes", 1, &axes, &is_there))
        return false;
    bool is_empty = !is_there || !axes.count, keeps = mi_ask_int(ask, "keepdims", 1) != 0;
    if (is_empty && mi_ask_int(ask, "noop_with_empty_axes", 0)) {
        *out = x;
        return true;
    }
    for (uint32_t i = 0; !is_empty && i < axes.count; i++) {
        if (!normal_axis(&axes.at[i], x.rank))
            return false;
        reduced[axes.at[i]] = true;
    }
    out->rank = 0;
    for (uint32_t i = 0; i < x.rank; i++)
        if (!is_empty && !reduced[i])
            put(out, x.at[i]);
        else if (keeps)
            put_number(out, 1);
    return true;
}

static bool rule_arg(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape x;
    int64_t axis = mi_ask_int(ask, "axis", 0);
    if (!mi_ask_shape(ask, 0, &x) || !normal_axis(&axis, x.rank))
        return false;
    out->rank = 0;
    for (uint32_t i = 0; i < x.rank; i++)
        if (i != axis)
            put(out, x.at[i]);
        else if (mi_ask_int(ask, "keepdims", 1))
            put_number(out, 1);
    return true;
}

/* --- data movement --- */

static bool rule_transpose(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape x;
    struct mi_int_list order;
    bool is_there;
    if (!mi_ask_shape(ask, 0, &x) || !mi_ask_ints(ask, "perm", &order, &is_there) ||
        (is_there && order.count != x.rank))
        return false;
    out->rank = 0;
    for (uint32_t i = 0; i < x.rank; i++) {
        int64_t from = is_there ? order.at[i] : (int64_t)(x.rank - 1 - i);
        if (!normal_axis(&from, x.rank))
            return false;
        put(out, x.at[from]);
    }
    return true;
}

/* Product of the sizes [first, end); unknown where one is, or where it is too large. */
static int64_t product(const struct mi_shape *x, uint32_t first, uint32_t end)
{
    int64_t size = 1;
    for (uint32_t i = first; i < end; i++) {
        if (x->at[i].size < 0 || (x->at[i].size && size > MI_ASK_SIZE / x->at[i].size))
            return UNKNOWN_SIZE;
        size *= x->at[i].size;
    }
    return size;
}

static bool rule_flatten(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape x;
    int64_t axis = mi_ask_int(ask, "axis", 1);
    if (!mi_ask_shape(ask, 0, &x))
        return false;
    axis += axis < 0 ? x.rank : 0;
    if (axis < 0 || axis > x.rank)
        return false;
    out->rank = 0;
    if (axis == 1)
        put(out, x.at[0]); /* it may have a name */
    else
        put_number(out, product(&x, 0, (uint32_t)axis));
    put_number(out, product(&x, (uint32_t)axis, x.rank));
    return true;
}

static bool rule_reshape(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape x;
    struct mi_int_list wanted;
    bool is_there, zero_is_zero = mi_ask_int(ask, "allowzero", 0) != 0;
    uint32_t open = MI_ASK_RANK;
    if (!mi_ask_list(ask, "shape", 1, &wanted, &is_there) || !is_there || !mi_ask_shape(ask, 0, &x))
        return false;
    out->rank = 0;
    for (uint32_t i = 0; i < wanted.count; i++) {
        if (wanted.at[i] > MI_ASK_SIZE || wanted.at[i] < -1 ||
            (!wanted.at[i] && !zero_is_zero && i >= x.rank) ||
            (wanted.at[i] == -1 && open < MI_ASK_RANK))
            return false;
        if (wanted.at[i] == -1)
            open = i;
        if (!wanted.at[i] && !zero_is_zero)
            put(out, x.at[i]);
        else
            put_number(out, wanted.at[i]);
    }
    if (open == MI_ASK_RANK)
        return true;
    out->at[open].size = 1;
    int64_t all = product(&x, 0, x.rank), rest = product(out, 0, out->rank);
    out->at[open].size = all >= 0 && rest > 0 && all % rest == 0 ? all / rest : UNKNOWN_SIZE;
    return true;
}

static bool rule_concat(struct mi_ask *ask, struct mi_shape *out)
{
    uint32_t count = ask->rows->nodes.in_count[ask->node];
    int64_t axis = mi_ask_int(ask, "axis", 1);
    struct mi_shape next;
    if (!count || count > 4096 || !mi_ask_shape(ask, 0, out) || !normal_axis(&axis, out->rank))
        return false;
    for (uint32_t i = 1; i < count; i++) {
        if (!mi_ask_shape(ask, i, &next) || next.rank != out->rank)
            return false;
        for (uint32_t d = 0; d < out->rank; d++) {
            if (d != axis && out->at[d].size < 0)
                out->at[d] = next.at[d].size < 0 ? out->at[d] : next.at[d];
            if (d == axis)
                out->at[d] = out->at[d].size < 0 || next.at[d].size < 0 ||
                                     out->at[d].size > MI_ASK_SIZE - next.at[d].size
                                 ? (struct mi_size){UNKNOWN_SIZE, 0}
                                 : (struct mi_size){out->at[d].size + next.at[d].size, 0};
        }
    }
    return true;
}

static bool rule_split(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_int_list parts;
    bool is_there;
    uint32_t count = ask->rows->nodes.out_count[ask->node];
    int64_t axis = mi_ask_int(ask, "axis", 0);
    if (!mi_ask_list(ask, "split", 1, &parts, &is_there) || !mi_ask_shape(ask, 0, out) ||
        !normal_axis(&axis, out->rank) || (is_there && ask->index >= parts.count))
        return false;
    int64_t whole = out->at[axis].size, part = UNKNOWN_SIZE;
    if (is_there)
        part = parts.at[ask->index] < 0 ? UNKNOWN_SIZE : parts.at[ask->index];
    else if (whole >= 0 && whole % count == 0)
        part = whole / count;
    out->at[axis] = (struct mi_size){part, 0};
    return true;
}

static bool rule_squeeze(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape x;
    struct mi_int_list axes;
    bool is_there, gone[MI_ASK_RANK] = {false};
    if (!mi_ask_shape(ask, 0, &x) || !mi_ask_list(ask, "axes", 1, &axes, &is_there))
        return false;
    for (uint32_t i = 0; is_there && i < axes.count; i++) {
        if (!normal_axis(&axes.at[i], x.rank))
            return false;
        gone[axes.at[i]] = true;
    }
    out->rank = 0;
    for (uint32_t i = 0; i < x.rank; i++) {
        if (!is_there && x.at[i].size < 0)
            return false; /* it may be 1 */
        if (is_there ? !gone[i] : x.at[i].size != 1)
            put(out, x.at[i]);
    }
    return true;
}

static bool rule_unsqueeze(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape x;
    struct mi_int_list axes;
    bool is_there, is_new[MI_ASK_RANK] = {false};
    if (!mi_ask_shape(ask, 0, &x) || !mi_ask_list(ask, "axes", 1, &axes, &is_there) || !is_there ||
        x.rank + axes.count > MI_ASK_RANK)
        return false;
    for (uint32_t i = 0; i < axes.count; i++) {
        if (!normal_axis(&axes.at[i], x.rank + axes.count) || is_new[axes.at[i]])
            return false;
        is_new[axes.at[i]] = true;
    }
    out->rank = 0;
    for (uint32_t i = 0, from = 0; i < x.rank + axes.count; i++)
        put(out, is_new[i] ? (struct mi_size){1, 0} : x.at[from++]);
    return true;
}

static bool rule_gather(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape data, indices;
    int64_t axis = mi_ask_int(ask, "axis", 0);
    if (!mi_ask_shape(ask, 0, &data) || !mi_ask_shape(ask, 1, &indices) ||
        !normal_axis(&axis, data.rank))
        return false;
    out->rank = 0;
    for (uint32_t i = 0; i < axis; i++)
        put(out, data.at[i]);
    for (uint32_t i = 0; i < indices.rank; i++)
        put(out, indices.at[i]);
    for (uint32_t i = (uint32_t)axis + 1; i < data.rank; i++)
        put(out, data.at[i]);
    return true;
}

static bool rule_shape(struct mi_ask *ask, struct mi_shape *out)
{
    struct mi_shape x;
    if (mi_ask_attr(ask, "start") || mi_ask_attr(ask, "end") || !mi_ask_shape(ask, 0, &x))
        return false;
    out->rank = 0;
    put_number(out, x.rank);
    return true;
}

/* --- the table --- */

/* Sorted; the rule goes for all outputs. */
static const struct row {
    const char *op;
    shape_rule *rule;
} table[] = {
    {"Add", rule_broadcast},
    {"And", rule_broadcast},
    {"ArgMax", rule_arg},
    {"ArgMin", rule_arg},
    {"AveragePool", rule_pool},
    {"BitShift", rule_broadcast},
    {"BitwiseAnd", rule_broadcast},
    {"BitwiseOr", rule_broadcast},
    {"BitwiseXor", rule_broadcast},
    {"Concat", rule_concat},
    {"Conv", rule_conv},
    {"ConvInteger", rule_conv},
    {"Div", rule_broadcast},
    {"Equal", rule_broadcast},
    {"Flatten", rule_flatten},
    {"Gather", rule_gather},
    {"Gemm", rule_gemm},
    {"GlobalAveragePool", rule_global_pool},
    {"GlobalLpPool", rule_global_pool},
    {"GlobalMaxPool", rule_global_pool},
    {"Greater", rule_broadcast},
    {"GreaterOrEqual", rule_broadcast},
    {"Less", rule_broadcast},
    {"LessOrEqual", rule_broadcast},
    {"LpPool", rule_pool},
    {"MatMul", rule_matmul},
    {"MatMulInteger", rule_matmul},
    {"Max", rule_broadcast},
    {"MaxPool", rule_pool},
    {"Mean", rule_broadcast},
    {"Min", rule_broadcast},
    {"Mod", rule_broadcast},
    {"Mul", rule_broadcast},
    {"Or", rule_broadcast},
    {"Pow", rule_broadcast},
    {"ReduceL1", rule_reduce},
    {"ReduceL2", rule_reduce},
    {"ReduceLogSum", rule_reduce},
    {"ReduceLogSumExp", rule_reduce},
    {"ReduceMax", rule_reduce},
    {"ReduceMean", rule_reduce},
    {"ReduceMin", rule_reduce},
    {"ReduceProd", rule_reduce},
    {"ReduceSum", rule_reduce},
    {"ReduceSumSquare", rule_reduce},
    {"Reshape", rule_reshape},
    {"Shape", rule_shape},
    {"Split", rule_split},
    {"Squeeze", rule_squeeze},
    {"Sub", rule_broadcast},
    {"Sum", rule_broadcast},
    {"Transpose", rule_transpose},
    {"Unsqueeze", rule_unsqueeze},
    {"Where", rule_broadcast},
    {"Xor", rule_broadcast},
};

bool mi_shapes_find(struct mi_map *rules, const struct mi_model *model)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        mi_str_id op = mi_strings_find(&model->all.strings, mi_cstr(table[i].op));
        if (op.v && !mi_map_set(rules, op.v, (uint32_t)i + 1))
            return false;
    }
    return true;
}

/* Rows of mi_dims; those of the last time where nothing has changed. */
static void write_shape(const struct mi_types *types, const struct mi_shape *shape,
                        const struct mi_tensor_type *before, struct mi_tensor_type *type)
{
    struct mi_batch *all = &types->model->all;
    bool is_same = before->shape_state == MI_TYPE_KNOWN && before->dim_count == shape->rank;
    for (uint32_t d = 0; is_same && d < shape->rank; d++)
        is_same = all->rows.dims.size[before->first_dim + d] == shape->at[d].size &&
                  all->rows.dims.symbol[before->first_dim + d].v == shape->at[d].symbol;
    type->first_dim = is_same ? before->first_dim : mi_next_row(all, dims);
    type->dim_count = shape->rank;
    type->shape_state = MI_TYPE_KNOWN;
    for (uint32_t d = 0; !is_same && d < shape->rank; d++)
        mi_add_dim(
            all, &(struct mi_dim_row){.size = shape->at[d].size, .symbol = {shape->at[d].symbol}});
}

void mi_shapes_apply(const struct mi_types *types, uint32_t rule, uint32_t node, uint32_t index,
                     struct mi_tensor_type *type)
{
    const struct mi_tables *rows = &types->model->all.rows;
    struct mi_ask ask = {.types = types, .rows = rows, .node = node, .index = index};
    uint32_t value = rows->ports.value[rows->nodes.first_out[node] + index].v;
    struct mi_shape shape = {0};
    bool is_known = value && table[rule - 1].rule(&ask, &shape) && shape.rank <= MI_ASK_RANK;
    if (ask.varies)
        type->shape_state = MI_TYPE_VARIES;
    else if (is_known)
        write_shape(types, &shape, &types->derived[value], type);
}
