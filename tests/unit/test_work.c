/* What nodes have to do, against figures worked out by hand. Sizes: 0 ends a list, -1 is not known
 * before the run. */
#include "analyse/work.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST_RANK = 5, OPERANDS = 3 };

struct tensor {
    const char *dtype, *format;
    int64_t sizes[MOST_RANK];
    int64_t before[MOST_RANK]; /* recorded sizes before its layout was changed */
};

struct node {
    const char *op, *domain;
    struct tensor tensors[OPERANDS]; /* two inputs, one output; without a type: absent */
};

static uint32_t rank_of(const int64_t sizes[MOST_RANK])
{
    uint32_t rank = 0;
    while (rank < MOST_RANK && sizes[rank])
        rank++;
    return rank;
}

static void add_sizes(struct hand *hand, uint32_t value, const struct tensor *tensor)
{
    struct mi_batch *all = &hand->model.all;
    struct mi_values *values = &all->rows.values;
    uint32_t before = rank_of(tensor->before);
    values->has_shape[value] = 1;
    values->format[value] = hand_str(hand, tensor->format);
    values->dim_count[value] = rank_of(tensor->sizes);
    values->first_dim[value] = mi_next_row(all, dims);
    for (uint32_t i = 0; i < values->dim_count[value]; i++)
        mi_add_dim(all, &(struct mi_dim_row){.size = tensor->sizes[i]});
    if (!before)
        return;
    values->first_attr[value] = mi_next_row(all, attrs);
    values->attr_count[value] = 1;
    mi_add_attr(all, &(struct mi_attr_row){.name = hand_str(hand, "origin_shape"),
                                           .kind = MI_ATTR_INTS,
                                           .first_item = mi_next_row(all, items),
                                           .item_count = before});
    for (uint32_t i = 0; i < before; i++)
        mi_add_item(all, &(struct mi_item_row){.int_value = tensor->before[i]});
}

static struct mi_work work_of(const struct node *node)
{
    struct hand hand;
    uint32_t in[4] = {0}, count = 0, out;
    hand_init(&hand);
    hand_graph(&hand, MI_LAYER_COMPILED, 0);
    for (int i = 0; i < OPERANDS - 1; i++)
        if (node->tensors[i].dtype) {
            in[count] = hand_value(&hand, "in", MI_VALUE_INPUT, node->tensors[i].dtype, 0);
            add_sizes(&hand, in[count++], &node->tensors[i]);
        }
    const struct tensor *result = &node->tensors[OPERANDS - 1];
    uint32_t n = hand_node(&hand, "n", node->op, result->dtype, in, &out);
    add_sizes(&hand, out, result);
    if (node->domain)
        hand.model.all.rows.nodes.domain[n] = hand_str(&hand, node->domain);
    hand_finish(&hand);
    struct mi_work work = mi_work_of(&hand.model, (mi_node_id){n});
    hand_fini(&hand);
    return work;
}

static void expect(const struct node *node, int64_t bytes, int64_t flops)
{
    struct mi_work work = work_of(node);
    assert_int_equal(work.bytes, bytes);
    assert_int_equal(work.flops, flops);
}

static void products(void **state)
{
    (void)state;
    struct node node = {"MatMulV2",
                        NULL,
                        {{"float16", "ND", {3, 5}, {0}},
                         {"float16", "ND", {5, 7}, {0}},
                         {"float32", "ND", {3, 7}, {0}}}};
    expect(&node, 2 * 15 + 2 * 35 + 4 * 21, 2 * 3 * 5 * 7);
    node.tensors[1] = (struct tensor){"float16", "ND", {7, 5}, {0}}; /* turned */
    expect(&node, 2 * 15 + 2 * 35 + 4 * 21, 2 * 3 * 5 * 7);
    node.op = "BatchMatMulV2"; /* one right operand for all of a batch */
    node.tensors[0] = (struct tensor){"float16", "ND", {4, 3, 5}, {0}};
    node.tensors[2] = (struct tensor){"float32", "ND", {4, 3, 7}, {0}};
    expect(&node, 2 * 60 + 2 * 35 + 4 * 84, 2 * 4 * 3 * 5 * 7);
    node.op = "SoftmaxV2"; /* nothing is said about other types */
    expect(&node, 2 * 60 + 2 * 35 + 4 * 84, -1);
}

/* 16 channels into 32 by 3 by 3, 8 by 8 pixels; what the device stores is blocked. */
static void convolutions(void **state)
{
    (void)state;
    struct node node = {"Conv2D",
                        NULL,
                        {{"float16", "NC1HWC0", {1, 1, 8, 8, 16}, {1, 16, 8, 8}},
                         {"float16", "FRACTAL_Z", {9, 2, 16, 16}, {32, 16, 3, 3}},
                         {"float16", "NC1HWC0", {1, 2, 8, 8, 16}, {1, 32, 8, 8}}}};
    int64_t bytes = 2 * (16 * 64 + 32 * 16 * 9 + 32 * 64);
    expect(&node, bytes, -1); /* which size is the channels is not said */
    for (int i = 0; i < OPERANDS; i++)
        node.tensors[i].format = "NCHW";
    expect(&node, bytes, 2 * 64 * 32 * 16 * 9);
    node.tensors[1].before[1] = 4; /* in four groups */
    expect(&node, 2 * (16 * 64 + 32 * 4 * 9 + 32 * 64), 2 * 64 * 32 * 4 * 9);
    node.tensors[1].before[0] = 64; /* contradicts the result */
    expect(&node, 2 * (16 * 64 + 64 * 4 * 9 + 32 * 64), -1);
    struct node onnx = {"Conv",
                        NULL,
                        {{"float32", "", {1, 16, 8, 8}, {0}},
                         {"float32", "", {32, 16, 3, 3}, {0}},
                         {"float32", "", {1, 32, 8, 8}, {0}}}};
    expect(&onnx, 2 * bytes, 2 * 64 * 32 * 16 * 9);
    onnx.domain = "com.microsoft.nchwc"; /* sizes of another layout under the same type */
    expect(&onnx, 2 * bytes, -1);
}

static void not_known(void **state)
{
    (void)state;
    const struct node node = {"MatMul",
                              NULL,
                              {{"float16", "ND", {3, 5}, {0}},
                               {"float16", "ND", {5, 7}, {0}},
                               {"float16", "ND", {3, 7}, {0}}}};
    struct node other = node;
    other.tensors[0].sizes[0] = -1;
    expect(&other, -1, -1);
    other = node;
    other.tensors[1] = (struct tensor){"float16", "FRACTAL_NZ", {1, 1, 16, 16}, {0}};
    expect(&other, -1, -1);
    other.tensors[1].before[0] = 5;
    other.tensors[1].before[1] = 7;
    expect(&other, 2 * (15 + 35 + 21), 2 * 3 * 5 * 7);
    other = node;
    other.tensors[1].dtype = "string";
    expect(&other, -1, 2 * 3 * 5 * 7);
    other = node;
    other.tensors[0].sizes[0] = INT64_MAX;
    expect(&other, -1, -1);
    other = node;
    other.tensors[1].dtype = NULL;
    expect(&other, 2 * (15 + 21), -1);
    other = node;
    other.tensors[1].sizes[0] = 6; /* contradicts the other operand */
    expect(&other, 2 * (15 + 42 + 21), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products),
        cmocka_unit_test(convolutions),
        cmocka_unit_test(not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
