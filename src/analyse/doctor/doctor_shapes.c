/* Nodes that are alike but for the sizes of their tensors: which sizes suit the hardware, and how
 * much one node has to do measured by another.
 *
 * Vector units take 32 bytes at once, and rows that are no multiple of it begin off a boundary; the
 * cube multiplies blocks of 16 by 16 (of narrow types 32 bytes wide). A part of a block costs as
 * much as a whole one, often more: it is masked, moved or computed element by element. */
#include "analyse/doctor/doctor.h"
#include "analyse/work.h"

#include <math.h>

enum { BLOCK_BYTES = 32, CUBE_BLOCK = 16, FEW_ROWS = 16, MOST_TIMES = 4 };

bool mi_doctor_is_about_compiling(struct mi_bytes name)
{
    static const char *const names[] = {"OwnerGraphIsUnknown", "fusion_scope", "imply_type",
                                        "tvm_blockdim", "tvm_magic"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (mi_bytes_equal(name, mi_cstr(names[i])))
            return true;
    return mi_bytes_starts(name, MI_LIT("_")) || mi_bytes_starts(name, MI_LIT("pass_name"));
}

/* The units compute on floats and signed integers. */
int64_t mi_doctor_width(const struct mi_doctor *d, mi_str_id dtype)
{
    struct mi_bytes name = mi_model_text(d->model, dtype);
    bool is_computed = mi_bytes_starts(name, MI_LIT("float")) ||
                       mi_bytes_starts(name, MI_LIT("bfloat")) ||
                       mi_bytes_starts(name, MI_LIT("int"));
    return is_computed ? mi_work_bits(d->model, dtype) / 8 : 0;
}

/* --- even sizes --- */

/* Place of the channels; -1: the layout does not say. */
static int64_t channels_of(const struct mi_doctor *d, const struct mi_work_tensor *tensor)
{
    const struct mi_values *values = &d->rows->values;
    struct mi_bytes now = mi_model_text(d->model, values->format[tensor->value]);
    struct mi_bytes before = mi_model_text(d->model, values->origin_format[tensor->value]);
    if (tensor->rank != 4)
        return -1;
    if (mi_bytes_equal(now, MI_LIT("NCHW")) || mi_bytes_equal(before, MI_LIT("NCHW")))
        return 1;
    return mi_bytes_equal(now, MI_LIT("NHWC")) || mi_bytes_equal(before, MI_LIT("NHWC")) ? 3 : -1;
}

static struct mi_doctor_uneven uneven_axis(const struct mi_work_tensor *tensor, int64_t axis,
                                           int64_t block)
{
    if (axis < 0 || axis >= tensor->rank || tensor->sizes[axis] == 1 ||
        tensor->sizes[axis] % block == 0)
        return (struct mi_doctor_uneven){0};
    return (struct mi_doctor_uneven){.size = tensor->sizes[axis], .block = block};
}

static struct mi_doctor_uneven uneven_tensor(const struct mi_doctor *d, uint32_t node,
                                             const struct mi_work_tensor *tensor, uint32_t place)
{
    struct mi_doctor_uneven none = {0}, uneven;
    int64_t last = (int64_t)tensor->rank - 1;
    int64_t bytes = mi_doctor_width(d, d->rows->values.dtype[tensor->value]);
    int64_t block = bytes ? BLOCK_BYTES / bytes : 1;
    int64_t cube_block = block > CUBE_BLOCK ? block : CUBE_BLOCK;
    bool is_output = place > d->rows->nodes.in_count[node];
    if (tensor->rank < 2 || !bytes)
        return none;
    switch (d->rows->nodes.category[node]) {
    case MI_CATEGORY_CONVOLUTION:
        return place == 1 || is_output ? uneven_axis(tensor, channels_of(d, tensor), cube_block)
                                       : none;
    case MI_CATEGORY_FULLY_CONNECTED:
        uneven = uneven_axis(tensor, last, cube_block);
        return uneven.size ? uneven : uneven_axis(tensor, last - 1, cube_block);
    default:
        if (tensor->elements / FEW_ROWS < tensor->sizes[last])
            return none;
        return uneven_axis(tensor, last, block);
    }
}

struct mi_doctor_uneven mi_doctor_find_uneven(const struct mi_doctor *d, uint32_t node)
{
    struct mi_doctor_uneven uneven = {0};
    struct mi_work_tensor tensor;
    uint32_t at = 0;
    while (!uneven.size && mi_work_next(d->model, node, &at, &tensor))
        if (tensor.elements > 0)
            uneven = uneven_tensor(d, node, &tensor, at);
    return uneven;
}

/* --- how much there is to do --- */

static bool same_item(const struct mi_items *items, uint32_t a, uint32_t b)
{
    return items->int_value[a] == items->int_value[b] &&
           memcmp(&items->real_value[a], &items->real_value[b], sizeof *items->real_value) == 0 &&
           items->text[a].v == items->text[b].v && items->value[a].v == items->value[b].v &&
           items->graph[a].v == items->graph[b].v;
}

/* The next attribute from *at on that says what is computed; UINT32_MAX: there is none left. */
static uint32_t next_attr(const struct mi_doctor *d, uint32_t node, uint32_t *at)
{
    const struct mi_tables *rows = d->rows;
    while (*at < rows->nodes.attr_count[node]) {
        uint32_t attr = rows->nodes.first_attr[node] + (*at)++;
        if (!mi_doctor_is_about_compiling(mi_model_text(d->model, rows->attrs.name[attr])))
            return attr;
    }
    return UINT32_MAX;
}

static bool same_attrs(const struct mi_doctor *d, uint32_t a, uint32_t b)
{
    const struct mi_attrs *attrs = &d->rows->attrs;
    uint32_t at_a = 0, at_b = 0;
    for (;;) {
        uint32_t left = next_attr(d, a, &at_a), right = next_attr(d, b, &at_b);
        if (left == UINT32_MAX || right == UINT32_MAX)
            return left == right;
        if (attrs->name[left].v != attrs->name[right].v ||
            attrs->item_count[left] != attrs->item_count[right])
            return false;
        for (uint32_t i = 0; i < attrs->item_count[left]; i++)
            if (!same_item(&d->rows->items, attrs->first_item[left] + i,
                           attrs->first_item[right] + i))
                return false;
    }
}

/* What two nodes have to do so far. */
struct both {
    double a_bytes, b_bytes; /* of all tensors */
    double product;          /* of the proportions of all tensors but biases */
};

/* False: these two cannot be compared. */
static bool add_tensors(const struct mi_doctor *d, const struct mi_work_tensor *a,
                        const struct mi_work_tensor *b, struct both *both)
{
    const struct mi_values *values = &d->rows->values;
    double a_elements = (double)a->elements, b_elements = (double)b->elements;
    if (a->elements <= 0 || b->elements <= 0 || a->rank != b->rank ||
        values->dtype[a->value].v != values->dtype[b->value].v ||
        values->format[a->value].v != values->format[b->value].v ||
        a_elements > MOST_TIMES * b_elements || b_elements > MOST_TIMES * a_elements)
        return false;
    int64_t width = mi_doctor_width(d, values->dtype[a->value]);
    both->a_bytes += a_elements * (double)(width ? width : 1);
    both->b_bytes += b_elements * (double)(width ? width : 1);
    both->product *= a->rank > 1 ? a_elements / b_elements : 1;
    return true;
}

bool mi_doctor_is_comparable(const struct mi_doctor *d, uint32_t a, uint32_t b, double *times)
{
    const struct mi_tables *rows = d->rows;
    const struct mi_csr *ops = &d->model->index.framework_of;
    struct both both = {.product = 1};
    struct mi_work_tensor left, right;
    uint32_t at_a = 0, at_b = 0;
    if (rows->nodes.op[a].v != rows->nodes.op[b].v || mi_csr_count(ops, a) != mi_csr_count(ops, b))
        return false;
    for (;;) {
        bool has_left = mi_work_next(d->model, a, &at_a, &left);
        if (has_left != mi_work_next(d->model, b, &at_b, &right))
            return false;
        if (!has_left)
            break;
        if (!add_tensors(d, &left, &right, &both))
            return false;
    }
    /* A product reads m k and k n elements and makes m n: all of them multiplied are the square of
     * its multiplications. The same holds of a convolution, n being the pixels. */
    bool is_cube = rows->nodes.category[a] == MI_CATEGORY_FULLY_CONNECTED ||
                   rows->nodes.category[a] == MI_CATEGORY_CONVOLUTION;
    *times = is_cube ? sqrt(both.product) : both.a_bytes / both.b_bytes;
    return both.b_bytes > 0 && same_attrs(d, a, b);
}
