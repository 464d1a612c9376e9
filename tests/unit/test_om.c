/* The reader of offline models on small files of our own: what every field of graph and tasks
 * becomes. What single records say and other containers: test_om_records.c; damage:
 * test_om_damage.c. */
#include "om_open.h"

/* --- what becomes what --- */

static void edges_and_ports(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    const struct mi_tables *rows = rows_of(f);
    assert_true(f->r.ok);
    struct edges edges = count_edges(&f->r, 1);
    assert_int_equal(edges.data, 8);
    assert_int_equal(edges.control, 1);
    assert_int_equal(edges.empty, 2);
    assert_int_equal(edges.dangling, 1);
    uint32_t x = node_named(&f->r, "x"), conv = node_named(&f->r, "conv");
    uint32_t const_node = node_named(&f->r, "w:0"), relu = node_named(&f->r, "relu");
    uint32_t in = rows->nodes.first_in[conv];
    assert_int_equal(rows->nodes.in_count[conv], 4);
    assert_int_equal(rows->ports.value[in].v, output_of(&f->r, x, 0));
    assert_int_equal(rows->ports.value[in + 1].v, output_of(&f->r, const_node, 0));
    assert_text(&f->r, rows->values.name[rows->ports.value[in + 1].v], "w:0:0");
    assert_int_equal(rows->ports.value[in + 2].v, 0);
    assert_int_equal(rows->ports.is_control[in + 3], 1);
    uint32_t control = rows->ports.value[in + 3].v;
    assert_int_equal(control, output_of(&f->r, x, 1));
    assert_text(&f->r, rows->values.type[control], "control");
    assert_int_equal(rows->values.producer[control].v, x);
    assert_int_equal(rows->values.kind[output_of(&f->r, x, 0)], MI_VALUE_INPUT);
    assert_int_equal(rows->nodes.out_count[relu], 6); /* the last one is read without descriptor */
    assert_int_equal(rows->ports.value[rows->nodes.first_out[relu] + 3].v, 0);
    assert_int_not_equal(output_of(&f->r, relu, 5), 0);
    assert_int_equal(rows->graphs.in_count[1], 1);
    assert_int_equal(rows->graphs.out_count[1], 3);
    close_file(f);
}

static void tensors(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    const struct mi_tables *rows = rows_of(f);
    uint32_t value = output_of(&f->r, node_named(&f->r, "conv"), 0);
    assert_text(&f->r, rows->values.dtype[value], "float16");
    assert_text(&f->r, rows->values.format[value], "NC1HWC0");
    assert_shape(&f->r, value, "1,1,-1,8,16");
    assert_text(&f->r, rows->values.origin_name[value], "fw/last");
    assert_int_equal(rows->values.origin_index[value], 1);
    assert_text(&f->r, rows->values.origin_dtype[value], "float32");
    assert_text(&f->r, rows->values.origin_format[value], "NCHW"); /* RESERVED says nothing */
    assert_int_equal(rows->items.int_value[item(&f->r, value_attr(&f->r, value, "C0"), 0)], 16);
    uint32_t reuse = value_attr(&f->r, value, "reuse_input");
    assert_int_equal(rows->items.int_value[item(&f->r, reuse, 0)], 0);
    value = output_of(&f->r, node_named(&f->r, "w:0"), 0);
    assert_int_equal(rows->values.kind[value], MI_VALUE_CONSTANT);
    assert_text(&f->r, rows->values.format[value], "FRACTAL_Z");
    uint32_t sub = value_attr(&f->r, value, "sub_format");
    assert_int_equal(rows->items.int_value[item(&f->r, sub, 0)], 32);
    assert_int_equal(rows->values.data_bytes[value], 128);
    assert_int_equal(f->w.at[rows->values.data_offset[value] - 64], 1); /* the first weight */
    value = output_of(&f->r, node_named(&f->r, "relu"), 0);
    assert_text(&f->r, rows->values.dtype[value], "bfloat16");
    assert_int_equal(rows->values.has_shape[value], 0); /* -2: not even the rank */
    value = output_of(&f->r, node_named(&f->r, "if"), 0);
    assert_int_equal(rows->values.has_shape[value], 1); /* a scalar */
    assert_int_equal(rows->values.dim_count[value], 0);
    close_file(f);
}

static void recorded_and_groups(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    const struct mi_tables *rows = rows_of(f);
    uint32_t conv = node_named(&f->r, "conv"), relu = node_named(&f->r, "relu");
    assert_int_equal(rows->recorded.count - 1, 2);
    assert_int_equal(rows->recorded.node[1].v, conv);
    assert_text(&f->r, rows->recorded.name[1], "fw/conv");
    assert_text(&f->r, rows->recorded.name[2], "fw/relu");
    assert_int_equal(rows->recorded.op[1].v, 0);
    assert_int_equal(node_attr(&f->r, conv, "_datadump_original_op_names"), 0);
    uint32_t empty = node_attr(&f->r, relu, "_datadump_original_op_names");
    assert_int_equal(rows->attrs.item_count[empty], 0);
    assert_int_equal(rows->attrs.kind[empty], MI_ATTR_STRINGS);
    assert_int_equal(rows->groups.count - 1, 1);
    assert_int_equal(rows->groups.kind[1], MI_GROUP_UB);
    assert_text(&f->r, rows->groups.name[1], "7");
    assert_text(&f->r, rows->groups.pass[1], "TbeConvPass");
    assert_int_equal(rows->members.count - 1, 2);
    assert_int_equal(rows->members.node[1].v, conv);
    assert_int_equal(rows->members.node[2].v, relu);
    uint32_t pass = node_attr(&f->r, conv, "pass_name");
    assert_int_equal(rows->attrs.kind[pass], MI_ATTR_STRINGS);
    assert_text(&f->r, rows->items.text[item(&f->r, pass, 0)], "ConvReluPass");
    uint32_t kernel = node_attr(&f->r, conv, "_kernelname"); /* written as conv_kernelname */
    assert_text(&f->r, rows->items.text[item(&f->r, kernel, 0)], "te_conv");
    assert_int_equal(node_attr(&f->r, conv, "_input_name_key"), 0);
    close_file(f);
}

static void memory(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    const struct mi_buffers *buffers = &rows_of(f)->buffers;
    uint32_t conv = node_named(&f->r, "conv");
    uint32_t in = buffer_of(&f->r, conv, MI_BUFFER_INPUT, 0);
    assert_int_equal(buffers->offset_bytes[in], 4096);
    assert_int_equal(buffers->size_bytes[in], 1000);
    assert_int_equal(buffers->memory[in].v, 0);
    in = buffer_of(&f->r, conv, MI_BUFFER_INPUT, 1);
    assert_int_equal(buffers->offset_bytes[in], 64);
    assert_text(&f->r, buffers->memory[in], "weights");
    uint32_t out = buffer_of(&f->r, conv, MI_BUFFER_OUTPUT, 0);
    assert_int_equal(buffers->offset_bytes[out], 8192);
    assert_int_equal(buffers->size_bytes[out], 2048);
    uint32_t space = buffer_of(&f->r, conv, MI_BUFFER_WORKSPACE, 0);
    assert_int_equal(buffers->offset_bytes[space], 16384);
    assert_int_equal(buffers->size_bytes[space], 512);
    close_file(f);
}

static void branches(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    const struct mi_tables *rows = rows_of(f);
    uint32_t graph = graph_named(&f->r, "then_graph");
    assert_int_equal(rows->graphs.kind[graph], MI_GRAPH_SUBGRAPH);
    assert_text(&f->r, rows->graphs.role[graph], "then_branch");
    assert_text(&f->r, rows->graphs.role[graph_named(&f->r, "else_graph")], "else_branch");
    assert_int_equal(rows->graphs.parent[graph].v, node_named(&f->r, "if"));
    assert_int_equal(rows->nodes.stream[node_named(&f->r, "if")], -1);
    uint32_t first = rows->ports.value[rows->graphs.first_in[graph]].v;
    assert_text(&f->r, rows->values.name[first], "a:0"); /* ordered by _parent_node_index */
    first = rows->ports.value[rows->graphs.first_out[graph]].v;
    assert_text(&f->r, rows->values.name[first], "a:0");
    close_file(f);
}

static void plain_facts_and_tasks(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    const struct mi_planned *planned = &rows_of(f)->planned;
    assert_text(&f->r, fact_named(&f->r, "soc_version"), "Ascend310B4");
    assert_text(&f->r, fact_named(&f->r, "kernels"), "2");
    assert_text(&f->r, fact_named(&f->r, "kernels_bytes"), "8");
    assert_text(&f->r, fact_named(&f->r, "input:x"), "bfloat16[6,8] NCHW, 96 bytes");
    assert_int_equal(planned->count - 1, 4);
    assert_text(&f->r, planned->type[1], "FUSION_START");
    assert_text(&f->r, planned->op_name[1], "out");
    assert_text(&f->r, planned->kernel[2], "te_conv");
    assert_int_equal(planned->op_index[2], 2);
    assert_int_equal(planned->block_dim[2], 8);
    assert_int_equal(planned->event[2], -1);
    assert_text(&f->r, planned->type[3], "EVENT_RECORD");
    assert_int_equal(planned->event[3], 0);
    assert_int_equal(planned->stream[3], 1);
    assert_int_equal(planned->op_index[3], 3);
    assert_text(&f->r, planned->type[4], "TASK_99");
    assert_int_equal(planned->op_name[4].v, 0);
    assert_int_equal(reading_diag(&f->r, "om.task_unknown"), 1);
    close_file(f);
}

/* --- tasks of every type --- */

static void every_task_type(void **state)
{
    (void)state;
    static const int64_t no_op[] = {3, 4, 10, 11, 12, 16, 17, 18, 19, 21, 25, 27, 31, 32, 42};
    struct file *f = open_case("tasks");
    const struct mi_planned *planned = &rows_of(f)->planned;
    for (int64_t type = 0; type <= 50; type++) {
        uint32_t row = (uint32_t)type + 1;
        const struct mi_ge_task_type *known = mi_ge_task_type(type);
        assert_non_null(known);
        assert_text(&f->r, planned->type[row], known->name);
        assert_int_equal(planned->kind[row], known->kind);
        assert_int_equal(planned->stream[row], type % 3);
        int64_t op = 100 + type;
        for (size_t i = 0; i < sizeof no_op / sizeof *no_op; i++)
            op = no_op[i] == type ? -1 : op;
        if (type == 14 || type == 15) /* notify: the task's own number */
            op = 1000 + type;
        if (planned->op_index[row] != op)
            fail_msg("type %lld: %lld", (long long)type, (long long)planned->op_index[row]);
        bool is_event = type == 1 || type == 2 || type == 18 || type == 45 || type == 46;
        bool is_notify = type == 14 || type == 15;
        assert_int_equal(planned->event[row], is_event    ? 2000 + type
                                              : is_notify ? 3000 + type
                                                          : -1);
    }
    assert_int_equal(f->r.batch.counts.kept, 1 + 51 + 4);
    close_file(f);
}

static uint32_t task_at(const struct file *f, uint32_t position)
{
    const struct mi_planned *planned = &rows_of(f)->planned;
    for (uint32_t p = 1; p < planned->count; p++)
        if (!planned->parent[p].v && planned->position[p] == position)
            return p;
    fail_msg("no task %u", position);
    return 0;
}

static void parts_of_tasks(void **state)
{
    (void)state;
    struct file *f = open_case("tasks");
    const struct mi_planned *planned = &rows_of(f)->planned;
    uint32_t plus = task_at(f, 51);
    assert_text(&f->r, planned->type[plus], "FFTS_PLUS");
    assert_int_equal(planned->op_index[plus], 7);
    for (uint32_t k = 0; k < 15; k++) {
        assert_int_equal(planned->parent[plus + 1 + k].v, plus);
        assert_int_equal(planned->position[plus + 1 + k], k);
        assert_int_equal(planned->op_index[plus + 1 + k], 6 + k);
        assert_text(&f->r, planned->type[plus + 1 + k], mi_ge_context_type(6 + k)->name);
    }
    assert_text(&f->r, planned->kernel[plus + 1], "aic_kernel");
    assert_text(&f->r, planned->kernel[plus + 2], "mix_kernel");
    assert_text(&f->r, planned->kernel[plus + 3], "unique");
    assert_text(&f->r, planned->kernel[plus + 6], "cpu_kernel");
    uint32_t ffts = task_at(f, 52);
    assert_int_equal(planned->parent[ffts + 1].v, ffts);
    assert_text(&f->r, planned->type[ffts + 1], "FFTS_AIV");
    assert_text(&f->r, planned->kernel[ffts + 1], "stub");
    uint32_t super = task_at(f, 53);
    assert_int_equal(planned->op_index[super], 5);
    for (uint32_t k = 0; k < 3; k++) {
        assert_text(&f->r, planned->type[super + 1 + k], "MERGED_OP");
        assert_int_equal(planned->op_index[super + 1 + k], 5 + k);
    }
    uint32_t fusion = task_at(f, 54);
    assert_text(&f->r, planned->type[fusion + 1], "FUSION_AICORE");
    assert_int_equal(planned->op_index[fusion + 1], 8);
    close_file(f);
}

/* --- the files themselves --- */

/* The files of tests/data are the cases as they are written now. */
static void data_files_are_current(void **state)
{
    (void)state;
    for (size_t i = 0; i < om_case_count; i++) {
        char path[1024];
        struct mi_input input;
        struct mi_error err = MI_ERROR_INIT;
        struct onnx_writer w = om_case_bytes(om_cases[i].name);
        snprintf(path, sizeof path, "%s/tests/data/om/%s.om", MI_SOURCE_DIR, om_cases[i].name);
        assert_true(mi_input_open(&input, path, NULL, &err));
        if (input.bytes.len != w.len || memcmp(input.bytes.at, w.at, w.len) != 0)
            fail_msg("%s: write it anew with make_om_data", path);
        mi_input_close(&input);
        onnx_writer_fini(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_and_ports),
        cmocka_unit_test(tensors),
        cmocka_unit_test(recorded_and_groups),
        cmocka_unit_test(memory),
        cmocka_unit_test(branches),
        cmocka_unit_test(plain_facts_and_tasks),
        cmocka_unit_test(every_task_type),
        cmocka_unit_test(parts_of_tasks),
        cmocka_unit_test(data_files_are_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
