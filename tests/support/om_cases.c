#include "om_cases.h"

#include <stdlib.h>
#include <string.h>

/* --- plain: compressed attributes, edges of all kinds, memory, fusion, tasks --- */

/* Dictionary of the case, in this order. */
enum { N_LIB, N_ORIGIN, N_PASS, N_KERNEL, N_SCOPE, N_FORMAT_INT, N_ORIGIN_NAME, N_COUNT };

static const char *const names[] = {"_ge_attr_op_kernel_lib_name",
                                    "_datadump_original_op_names",
                                    "pass_name",
                                    "conv_kernelname",
                                    "fusion_scope",
                                    "format_for_int",
                                    "_datadump_origin_name"};
static const char texts[] = "AIcoreEngine fw/conv fw/relu ConvReluPass te_conv fw/last";

static void key_int(struct onnx_writer *w, uint32_t field, int key, int64_t value)
{
    const uint8_t bytes[2] = {0, (uint8_t)(key + 1)};
    struct om_attr attr = om_attr_begin(w, field, bytes, 2);
    onnx_int(w, 3, value);
    om_attr_end(w, attr);
}

static void key_ints(struct onnx_writer *w, uint32_t field, int key, const char *values)
{
    const uint8_t bytes[2] = {0, (uint8_t)(key + 1)};
    struct om_attr attr = om_attr_begin(w, field, bytes, 2);
    size_t list = onnx_begin(w, 1);
    om_numbers(w, 3, values);
    onnx_int(w, 20, 2);
    onnx_end(w, list);
    om_attr_end(w, attr);
}

static void dictionary(struct onnx_writer *w)
{
    struct om_attr attr;
    om_attr_int(w, 11, "om_compress_version", 1);
    attr = om_attr_begin(w, 11, "attr_name_enum", 14);
    size_t list = onnx_begin(w, 1);
    for (int i = 0; i < N_COUNT; i++)
        onnx_text(w, 2, names[i]);
    onnx_end(w, list);
    om_attr_end(w, attr);
    om_attr_texts(w, 11, "attr_value_enum", texts);
    attr = om_attr_begin(w, 11, "attrs_use_string_value", 22);
    list = onnx_begin(w, 1);
    om_numbers(w, 5, "1,1,1,1,0,0,1");
    onnx_end(w, list);
    om_attr_end(w, attr);
}

static void plain_ops(struct onnx_writer *w)
{
    size_t op = om_op_begin(w, "x", "Data", 0, "-");
    om_attr_int(w, 10, "index", 0);
    om_numbers(w, 29, "4096");
    onnx_end(w, om_desc(w, 34, 1, "NCHW", "1,3,-1,8"));
    onnx_end(w, op);

    op = om_op_begin(w, "w:0", "Const", 1, "");
    struct om_attr attr = om_attr_begin(w, 10, "value", 5);
    size_t tensor = onnx_begin(w, 12), desc = om_desc(w, 1, 2, "FRACTAL_Z:32", "4,16");
    onnx_int(w, 11, 128);
    onnx_int(w, 18, 64);
    onnx_end(w, desc);
    onnx_end(w, tensor);
    om_attr_end(w, attr);
    onnx_end(w, om_desc(w, 34, 2, "FRACTAL_Z:32", "4,16"));
    onnx_end(w, op);

    op = om_op_begin(w, "conv", "Conv2D", 2, "x:0 w:0:0 - x:-1");
    key_int(w, 10, N_LIB, 0);
    key_ints(w, 10, N_ORIGIN, "1,2");
    key_int(w, 10, N_PASS, 3);
    key_int(w, 10, N_KERNEL, 4);
    key_int(w, 10, N_SCOPE, 7);
    om_attr_text(w, 10, "pass_name_ub", "TbeConvPass");
    om_attr_texts(w, 10, "_input_name_key", "x filter bias");
    om_numbers(w, 28, "4096,64");
    om_numbers(w, 29, "8192");
    om_numbers(w, 30, "16384");
    om_numbers(w, 31, "512");
    desc = om_desc(w, 33, 1, "NCHW", "1,3,-1,8");
    onnx_int(w, 10, 1000);
    onnx_end(w, desc);
    desc = om_desc(w, 33, 2, "FRACTAL_Z:32", "4,16");
    onnx_int(w, 10, 160);
    onnx_end(w, desc);
    onnx_end(w, om_desc(w, 33, 0, "FORMAT_RESERVED", ""));
    desc = om_desc(w, 34, 2, "NC1HWC0", "1,1,-1,8,16");
    key_int(w, 5, N_FORMAT_INT, 83886083);
    key_int(w, 5, N_ORIGIN_NAME, 5);
    om_attr_int(w, 5, "_datadump_origin_output_index", 1);
    om_attr_text(w, 5, "_datadump_origin_data_type", "DT_FLOAT");
    om_attr_text(w, 5, "_datadump_origin_format", "RESERVED");
    om_attr_text(w, 5, "origin_format", "NCHW");
    onnx_int(w, 10, 2048);
    onnx_int(w, 12, 1);
    onnx_end(w, desc);
    onnx_end(w, op);

    op = om_op_begin(w, "relu", "Relu", 3, "conv:0");
    key_int(w, 10, N_SCOPE, 7);
    om_attr_texts(w, 10, "_datadump_original_op_names", "");
    onnx_end(w, om_desc(w, 34, 27, "ND", "-2"));
    onnx_end(w, op);
}

static void if_ops(struct onnx_writer *w)
{
    size_t op = om_op_begin(w, "if", "If", 4, "relu:0 relu:0");
    onnx_text(w, 35, "then_graph");
    onnx_text(w, 35, "else_graph");
    onnx_int(w, 22, -1);
    onnx_end(w, om_desc(w, 34, 2, "ND", ""));
    onnx_end(w, op);
    op = om_op_begin(w, "out", "NetOutput", 9, "if:0 nowhere:1 relu:5");
    onnx_end(w, op);
}

static void branch(struct onnx_writer *w, const char *name, int64_t id)
{
    size_t graph = om_graph(w, name), op, desc;
    for (int i = 1; i >= 0; i--) { /* the second input stands first */
        op = om_op_begin(w, i ? "b" : "a", "Data", id + i, "");
        om_attr_int(w, 10, "_parent_node_index", i);
        onnx_end(w, om_desc(w, 34, 2, "ND", ""));
        onnx_end(w, op);
    }
    op = om_op_begin(w, "end", "NetOutput", id + 2, "b:0 a:0");
    for (int i = 0; i < 2; i++) {
        desc = om_desc(w, 33, 2, "ND", "");
        om_attr_int(w, 5, "_parent_node_index", 1 - i);
        onnx_end(w, desc);
    }
    onnx_end(w, op);
    onnx_end(w, graph);
}

static void plain_tasks(struct onnx_writer *w)
{
    onnx_end(w, om_task(w, 3, 0));
    size_t task = om_task(w, 0, 0), kernel = onnx_begin(w, 20), context = onnx_begin(w, 1);
    onnx_int(w, 1, 2);
    onnx_int(w, 4, 2);
    onnx_end(w, context);
    onnx_text(w, 10, "2_0_0_conv");
    onnx_int(w, 11, 8);
    onnx_text(w, 17, "te_conv");
    onnx_end(w, kernel);
    onnx_end(w, onnx_begin(w, 40)); /* kernels carry one of these, too */
    onnx_end(w, task);
    task = om_task(w, 1, 1); /* event 0 is not written */
    size_t event = onnx_begin(w, 26);
    onnx_int(w, 1, 3);
    onnx_end(w, event);
    onnx_end(w, task);
    task = om_task(w, 99, 1);
    onnx_end(w, task);
}

static void plain(struct onnx_writer *w)
{
    struct onnx_writer def = {0}, tasks = {0}, kernels = {0}, inout = {0};
    const uint8_t weights[256] = {1};
    onnx_text(&def, 1, "net");
    onnx_int(&def, 2, 2);
    size_t graph = om_graph(&def, "net_0");
    plain_ops(&def);
    if_ops(&def);
    onnx_end(&def, graph);
    branch(&def, "then_graph", 10);
    branch(&def, "else_graph", 20);
    om_attr_text(&def, 11, "soc_version", "Ascend310B4");
    om_attr_texts(&def, 11, "task_index_op_name", "out conv relu");
    dictionary(&def);
    plain_tasks(&tasks);
    for (int i = 0; i < 2; i++) {
        om_u32(&kernels, 0x5d776efd);
        om_u32(&kernels, 7);
        om_u32(&kernels, 4);
        onnx_raw(&kernels,
                 "te_conv\x7f"
                 "ELF",
                 11);
    }
    om_u32(&inout, 0);
    om_u32(&inout, 4 + 32 + 1 + 16);
    om_u32(&inout, 1);
    om_u64(&inout, 96);
    om_u32(&inout, 0);
    om_u32(&inout, 27);
    om_u32(&inout, 1);
    om_u32(&inout, 16);
    om_u32(&inout, 0);
    om_u32(&inout, 0);
    onnx_raw(&inout, "x", 1);
    om_u64(&inout, 6);
    om_u64(&inout, 8);
    struct om_part_of parts[] = {{8, inout.at, inout.len},
                                 {0, def.at, def.len},
                                 {1, weights, sizeof weights},
                                 {3, kernels.at, kernels.len},
                                 {2, tasks.at, tasks.len}};
    om_file(w, &(struct om_head){.model_num = 1}, parts, 5);
    onnx_writer_fini(&def);
    onnx_writer_fini(&tasks);
    onnx_writer_fini(&kernels);
    onnx_writer_fini(&inout);
}

/* --- tasks: one of every type, parts of those that have them --- */

/* A message in `field` with one number, or none for field 0. */
static void number_message(struct onnx_writer *w, uint32_t field, uint32_t number_field,
                           int64_t value)
{
    size_t message = onnx_begin(w, field);
    if (number_field)
        onnx_int(w, number_field, value);
    onnx_end(w, message);
}

static void context_message(struct onnx_writer *w, uint32_t field, int64_t op_index)
{
    size_t message = onnx_begin(w, field);
    number_message(w, 1, 4, op_index);
    onnx_end(w, message);
}

/* The payload of each type, and where it holds the number of the op; 0 = none, -1 = in a context.
 */
static const struct payload {
    int field, op_index;
} payloads[] = {{20, -1}, {26, 1},  {26, 1},  {0, 0},   {0, 0},   {21, 4}, {25, 8}, {32, 1},
                {33, 1},  {37, 1},  {0, 0},   {0, 0},   {28, 0},  {31, 6}, {0, 0},  {0, 0},
                {0, 0},   {0, 0},   {0, 0},   {0, 0},   {36, 1},  {0, 0},  {31, 6}, {39, 1},
                {38, 1},  {0, 0},   {40, -1}, {28, 0},  {41, 1},  {42, 1}, {43, 1}, {44, 0},
                {45, 0},  {46, 4},  {47, 2},  {48, 1},  {49, 4},  {50, 2}, {51, 2}, {20, -1},
                {40, -1}, {52, 1},  {0, 0},   {20, -1}, {20, -1}, {26, 1}, {26, 1}, {53, 1},
                {20, -1}, {20, -1}, {20, -1}};

static void each_task(struct onnx_writer *w)
{
    for (uint32_t type = 0; type < sizeof payloads / sizeof *payloads; type++) {
        const struct payload *p = &payloads[type];
        size_t task = om_task(w, type, type % 3);
        onnx_int(w, 1, 1000 + type);
        onnx_int(w, 11, 2000 + type);
        onnx_int(w, 12, 3000 + type);
        if (p->op_index < 0)
            context_message(w, (uint32_t)p->field, 100 + type);
        else if (p->field)
            number_message(w, (uint32_t)p->field, (uint32_t)p->op_index, 100 + type);
        onnx_end(w, task);
    }
}

static void ffts_tasks(struct onnx_writer *w)
{
    size_t task = om_task(w, 29, 0), plus = onnx_begin(w, 42);
    onnx_int(w, 1, 7);
    for (uint32_t field = 6; field <= 20; field++) {
        size_t context = onnx_begin(w, 4);
        onnx_int(w, 1, field);
        onnx_text(w, 2, "unique");
        size_t inner = onnx_begin(w, field);
        if (field == 6)
            onnx_text(w, 24, "aic_kernel");
        if (field == 7)
            onnx_text(w, 23, "mix_kernel");
        if (field == 11) {
            size_t cpu = onnx_begin(w, 20);
            onnx_text(w, 4, "cpu_kernel");
            onnx_end(w, cpu);
        }
        onnx_end(w, inner);
        onnx_end(w, context);
    }
    onnx_end(w, plus);
    onnx_end(w, task);
    task = om_task(w, 28, 0);
    size_t ffts = onnx_begin(w, 41), sub = onnx_begin(w, 5), manual;
    onnx_int(w, 1, 1);
    manual = onnx_begin(w, 9);
    onnx_text(w, 12, "stub");
    onnx_end(w, manual);
    onnx_end(w, sub);
    onnx_end(w, ffts);
    onnx_end(w, task);
}

static void merged_tasks(struct onnx_writer *w)
{
    size_t task = om_task(w, 44, 0), kernel = onnx_begin(w, 20), context = onnx_begin(w, 1);
    onnx_int(w, 4, 5);
    om_numbers(w, 8, "5,6,7");
    onnx_end(w, context);
    onnx_end(w, kernel);
    onnx_end(w, task);
    task = om_task(w, 47, 0);
    size_t fusion = onnx_begin(w, 53), sub = onnx_begin(w, 4), payload, inner;
    onnx_int(w, 1, 2);
    payload = onnx_begin(w, 2);
    inner = onnx_begin(w, 3);
    number_message(w, 1, 4, 8);
    onnx_end(w, inner);
    onnx_end(w, payload);
    onnx_end(w, sub);
    onnx_end(w, fusion);
    onnx_end(w, task);
}

/* The task list is only in the model's attribute. */
static void tasks(struct onnx_writer *w)
{
    struct onnx_writer def = {0}, list = {0};
    each_task(&list);
    ffts_tasks(&list);
    merged_tasks(&list);
    size_t graph = om_graph(&def, "tasks");
    om_op(&def, "x", "Data", 0, "");
    onnx_end(&def, graph);
    struct om_attr attr = om_attr_begin(&def, 11, "tasks", 5);
    onnx_bytes(&def, 7, list.at, list.len);
    om_attr_end(&def, attr);
    struct om_part_of parts[] = {{0, def.at, def.len}};
    om_file(w, &(struct om_head){.is_narrow = true}, parts, 1);
    onnx_writer_fini(&def);
    onnx_writer_fini(&list);
}

/* --- old: version 0x10000000 --- */

/* The model attribute fm: one OpDef per op, here empty, one with a name, and scopes. */
static void merged_names(struct onnx_writer *w)
{
    struct onnx_writer op = {0}, scope = {0}, alone = {0};
    om_attr_texts(&op, 10, "original_op_names", "fw/before -");
    om_attr_int(&op, 10, "fusion_scope", 0x20003); /* L1 group 2, UB group 3 */
    om_attr_int(&scope, 10, "fusion_scope", 3);
    om_attr_int(&alone, 10, "fusion_scope", -1);
    struct om_attr attr = om_attr_begin(w, 11, "fm", 2);
    size_t list = onnx_begin(w, 1);
    onnx_bytes(w, 7, "", 0);
    onnx_bytes(w, 7, op.at, op.len);
    onnx_bytes(w, 7, scope.at, scope.len);
    onnx_bytes(w, 7, alone.at, alone.len);
    onnx_bytes(w, 7, alone.at, alone.len);
    onnx_end(w, list);
    om_attr_end(w, attr);
    onnx_writer_fini(&op);
    onnx_writer_fini(&scope);
    onnx_writer_fini(&alone);
}

static void old(struct onnx_writer *w)
{
    struct onnx_writer def = {0};
    const uint8_t weights[64] = {1};
    size_t graph = om_graph(&def, "old"), op = om_op_begin(&def, "c", "Const", 1, "");
    struct om_attr attr = om_attr_begin(&def, 10, "value", 5);
    size_t tensor = onnx_begin(&def, 12), desc = om_desc(&def, 1, 1, "NCHW", "4");
    om_attr_int(&def, 5, "merged_offset", 16);
    onnx_end(&def, desc);
    onnx_end(&def, tensor);
    om_attr_end(&def, attr);
    onnx_end(&def, op);
    op = om_op_begin(&def, "softmax", "Softmax", 0, "c"); /* no colon: output 0 */
    om_attr_texts(&def, 10, "original_op_names", "fw/softmax");
    om_attr_texts(&def, 10, "_datadump_original_op_types", "Softmax");
    om_attr_text(&def, 10, "pass_name", "OldPass");
    onnx_end(&def, op);
    om_op(&def, "scale", "Scale", 2, "softmax:0");
    om_op(&def, "a", "Abs", 3, "scale:0");
    om_op(&def, "b", "Abs", 4, "a:0");
    onnx_end(&def, graph);
    merged_names(&def);
    struct om_part_of parts[] = {{0, def.at, def.len}, {1, weights, sizeof weights}};
    om_file(w, &(struct om_head){.version = 0x10000000, .model_type = 3, .is_narrow = true}, parts,
            2);
    onnx_writer_fini(&def);
}

/* --- dynamic: sub-models, names encoded twice --- */

static void list_of_keys(struct onnx_writer *w, const char *key, const uint8_t *bytes, size_t count)
{
    struct om_attr attr = om_attr_begin(w, 11, key, strlen(key));
    size_t list = onnx_begin(w, 1);
    for (size_t i = 0; i < count; i++) {
        const uint8_t name[2] = {0, bytes[i]};
        onnx_bytes(w, 2, name, 2);
    }
    onnx_end(w, list);
    om_attr_end(w, attr);
}

static void sub_graph(struct onnx_writer *w, bool is_encoded)
{
    size_t graph = om_graph(w, "sub"), op = om_op_begin(w, "add", "Add", 3, "");
    if (is_encoded)
        key_int(w, 10, 0, 1);
    onnx_end(w, op);
    onnx_end(w, graph);
}

static void dynamic(struct onnx_writer *w)
{
    struct onnx_writer root = {0}, sub = {0}, list = {0};
    const uint8_t second[1] = {2};
    size_t graph = om_graph(&root, "root"),
           op = om_op_begin(&root, "call", "PartitionedCall", 1, "");
    onnx_text(&root, 35, "sub");
    onnx_end(&root, op);
    onnx_end(&root, graph);
    sub_graph(&root, false);
    om_attr_texts(&root, 11, "attr_name_enum", "first lib");
    om_attr_texts(&root, 11, "attr_value_enum", "zero one");
    struct om_attr attr = om_attr_begin(&root, 11, "attrs_use_string_value", 22);
    size_t flags = onnx_begin(&root, 1);
    om_numbers(&root, 5, "0,1");
    onnx_end(&root, flags);
    om_attr_end(&root, attr);
    sub_graph(&sub, true);
    list_of_keys(&sub, "attr_name_enum", second, 1);
    size_t task = om_task(&list, 0, 0);
    context_message(&list, 20, 3);
    onnx_end(&list, task);
    struct om_part_of first[] = {{0, root.at, root.len}};
    struct om_part_of other[] = {{0, sub.at, sub.len}, {2, list.at, list.len}};
    om_header(w, &(struct om_head){.model_num = 2, .is_dynamic = 1});
    om_table(w, first, 1, false, false);
    om_table(w, other, 2, false, false);
    onnx_writer_fini(&root);
    onnx_writer_fini(&sub);
    onnx_writer_fini(&list);
}

/* --- files inside files --- */

static void small_file(struct onnx_writer *w, const char *name)
{
    struct onnx_writer def = {0};
    size_t graph = om_graph(&def, name);
    om_op(&def, "x", "Data", 0, "");
    om_op(&def, "y", "NetOutput", 1, "x:0");
    onnx_end(&def, graph);
    struct om_part_of parts[] = {{0, def.at, def.len}};
    om_file(w, &(struct om_head){.model_num = 1, .name = name}, parts, 1);
    onnx_writer_fini(&def);
}

static void flow(struct onnx_writer *w)
{
    struct onnx_writer def = {0}, first = {0}, second = {0}, inner = {0};
    size_t graph = om_graph(&def, "root"), op = om_op_begin(&def, "call", "PartitionedCall", 0, "");
    onnx_text(&def, 35, "inner");
    onnx_end(&def, op);
    onnx_end(&def, graph);
    small_file(&inner, "inner");
    onnx_text(&first, 1, "inner");
    onnx_text(&first, 2, "NPU");
    onnx_bytes(&first, 3, inner.at, inner.len);
    onnx_text(&second, 1, "udf");
    onnx_text(&second, 2, "UDF");
    graph = onnx_begin(&second, 4);
    onnx_text(&second, 1, "udf_graph");
    om_op(&second, "f", "Func", 0, "");
    onnx_end(&second, graph);
    struct om_part_of parts[] = {
        {0, def.at, def.len}, {6, "", 0}, {7, first.at, first.len}, {7, second.at, second.len}};
    om_file(w, &(struct om_head){.model_type = 3}, parts, 4);
    onnx_writer_fini(&def);
    onnx_writer_fini(&first);
    onnx_writer_fini(&second);
    onnx_writer_fini(&inner);
}

static void bundle(struct onnx_writer *w)
{
    struct onnx_writer a = {0}, b = {0};
    const uint8_t size[8] = {0};
    small_file(&a, "prefill");
    small_file(&b, "decode");
    struct om_part_of parts[] = {{25, size, 8}, {24, a.at, a.len}, {24, b.at, b.len}};
    om_header(w, &(struct om_head){.model_type = 5, .model_num = 2});
    om_table(w, parts, 3, false, true);
    onnx_writer_fini(&a);
    onnx_writer_fini(&b);
}

/* --- attributes: every kind of value, graphs and functions inside --- */

static struct om_attr value(struct onnx_writer *w, const char *key)
{
    return om_attr_begin(w, 10, key, strlen(key));
}

static void function(struct onnx_writer *w, uint32_t field, int depth)
{
    size_t open[80][3], n = 0;
    for (; n < (size_t)depth; n++) {
        open[n][0] = onnx_begin(w, n ? 10 : field);
        onnx_text(w, 1, "f");
        open[n][1] = onnx_begin(w, 2);
        onnx_text(w, 1, "k");
        open[n][2] = onnx_begin(w, 2);
    }
    onnx_int(w, 3, 5);
    while (n-- > 0)
        for (int i = 2; i >= 0; i--)
            onnx_end(w, open[n][i]);
}

static void scalar_values(struct onnx_writer *w)
{
    struct om_attr attr = value(w, "float");
    onnx_float(w, 4, 0.5f);
    om_attr_end(w, attr);
    om_attr_bool(w, 10, "bool", false);
    attr = value(w, "bytes");
    onnx_bytes(w, 7, "abc", 3);
    om_attr_end(w, attr);
    attr = value(w, "dtype");
    onnx_int(w, 15, 27);
    om_attr_end(w, attr);
    attr = value(w, "nothing");
    om_attr_end(w, attr);
    attr = value(w, "tensor");
    size_t tensor = onnx_begin(w, 12);
    onnx_end(w, om_desc(w, 1, 3, "ND", "2"));
    onnx_bytes(w, 2, "\x01\x02", 2);
    onnx_end(w, tensor);
    om_attr_end(w, attr);
    attr = value(w, "shape");
    onnx_end(w, om_desc(w, 11, 99, "XYZ", "-3"));
    om_attr_end(w, attr);
    attr = value(w, "func");
    function(w, 10, 2);
    om_attr_end(w, attr);
    attr = value(w, "deep");
    function(w, 10, 60);
    om_attr_end(w, attr);
}

static void list_values(struct onnx_writer *w)
{
    struct om_attr attr = value(w, "ints");
    size_t list = onnx_begin(w, 1), inner;
    onnx_int(w, 3, -1); /* not packed, then packed */
    om_numbers(w, 3, "2,3");
    onnx_end(w, list);
    om_attr_end(w, attr);
    attr = value(w, "no_floats");
    list = onnx_begin(w, 1);
    onnx_int(w, 20, 3);
    onnx_end(w, list);
    om_attr_end(w, attr);
    attr = value(w, "tensors");
    list = onnx_begin(w, 1);
    onnx_end(w, om_desc(w, 8, 1, "ND", "5"));
    onnx_end(w, om_desc(w, 8, 1, "ND", "6"));
    onnx_end(w, list);
    om_attr_end(w, attr);
    attr = value(w, "nested");
    list = onnx_begin(w, 14);
    for (int i = 0; i < 2; i++) {
        inner = onnx_begin(w, 1);
        om_numbers(w, 1, i ? "3" : "1,2");
        onnx_end(w, inner);
    }
    onnx_end(w, list);
    om_attr_end(w, attr);
    attr = value(w, "named");
    list = onnx_begin(w, 1);
    function(w, 11, 1);
    function(w, 11, 1);
    onnx_end(w, list);
    om_attr_end(w, attr);
}

/* A graph in an attribute, and in it one more. */
static void inner_graphs(struct onnx_writer *w)
{
    size_t op = om_op_begin(w, "super", "SuperKernel", 2, "");
    struct om_attr outer = value(w, "_sk_sub_graph");
    size_t graph = onnx_begin(w, 13), inner_op, inner_graph;
    onnx_text(w, 1, "sk");
    inner_op = om_op_begin(w, "part0", "MatMulV2", 0, "");
    struct om_attr attr = value(w, "_original_fusion_graph");
    inner_graph = onnx_begin(w, 13);
    onnx_text(w, 1, "before");
    om_op(w, "mul", "Mul", 0, "");
    onnx_end(w, inner_graph);
    om_attr_end(w, attr);
    onnx_end(w, inner_op);
    om_op(w, "part1", "Add", 1, "part0:0 part0:1");
    onnx_end(w, graph);
    om_attr_end(w, outer);
    onnx_end(w, op);
}

static void attributes(struct onnx_writer *w)
{
    struct onnx_writer def = {0};
    size_t graph = om_graph(&def, "attributes");
    struct om_attr attr = om_attr_begin(&def, 11, "GraphOptions", 12);
    function(&def, 10, 1);
    om_attr_end(&def, attr);
    om_attr_int(&def, 11, "_private", 1);
    size_t op = om_op_begin(&def, "op", "Custom", 1, "");
    scalar_values(&def);
    list_values(&def);
    om_attr_text(&def, 10, "with\x01key", "v");
    onnx_end(&def, op);
    inner_graphs(&def);
    om_op(&def, "twin", "A", 3, "");
    om_op(&def, "twin", "B", 4, "twin:0 ^op op:1000000");
    onnx_end(&def, graph);
    graph = om_graph(&def, "other");
    om_op(&def, "z", "Data", 0, "");
    onnx_text(&def, 5, "z:0"); /* no NetOutput */
    onnx_end(&def, graph);
    struct om_part_of parts[] = {{0, def.at, def.len}, {2, "", 0}, {40, "x", 1}, {0, "", 0}};
    om_file(w, &(struct om_head){.model_num = 1}, parts, 4);
    onnx_writer_fini(&def);
}

const struct om_case om_cases[] = {{"plain", plain},
                                   {"tasks", tasks},
                                   {"old", old},
                                   {"dynamic", dynamic},
                                   {"flow", flow},
                                   {"bundle", bundle},
                                   {"attributes", attributes},
                                   {"kernels", om_case_kernels}};
const size_t om_case_count = sizeof om_cases / sizeof *om_cases;

struct onnx_writer om_case_bytes(const char *name)
{
    struct onnx_writer w = {0};
    for (size_t i = 0; i < om_case_count; i++)
        if (strcmp(om_cases[i].name, name) == 0) {
            om_cases[i].write(&w);
            return w;
        }
    abort();
}
