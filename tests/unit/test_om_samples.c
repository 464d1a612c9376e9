/* Offline models on real files: every number that their description states. */
#include "ge_find.h"

#define FOLDER "samples/cann-static/"

static bool open_sample(struct reading *r, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, FOLDER "%s", name);
    if (!reading_file(r, &mi_reader_om, shared_path(path)))
        skip();
    return true;
}

static void assert_edges(const struct reading *r, uint32_t graph, int data, int control, int empty)
{
    struct edges edges = count_edges(r, graph);
    assert_int_equal(edges.data, data);
    assert_int_equal(edges.control, control);
    if (empty >= 0)
        assert_int_equal(edges.empty, empty);
    assert_int_equal(edges.dangling, 0);
}

/* --- LaneNet --- */

static void lanenet_container(void **state)
{
    (void)state;
    struct reading r;
    open_sample(&r, "om/lanenet_ascend310b4.om");
    assert_true(r.ok);
    assert_text(&r, fact_named(&r, "om_version"), "0x20000000");
    assert_text(&r, fact_named(&r, "model_name"), "my_122_anenet");
    assert_text(&r, fact_named(&r, "platform_version"), "1.11.z.0");
    assert_text(&r, fact_named(&r, "om_ir_version"), "2");
    assert_text(&r, fact_named(&r, "partitions"),
                "MODEL_INOUT_INFO 507 bytes, MODEL_DEF 1297461 bytes, WEIGHTS_DATA 2203648 bytes, "
                "TBE_KERNELS 378946 bytes, TASK_INFO 79616 bytes");
    assert_text(&r, fact_named(&r, "kernels"), "129");
    assert_text(&r, fact_named(&r, "soc_version"), "Ascend310B4");
    assert_text(&r, fact_named(&r, "atc_version"), "7.6.0.1.220");
    assert_text(&r, fact_named(&r, "framework_type"), "Onnx");
    assert_text(&r, fact_named(&r, "stream_num"), "1");
    assert_text(&r, fact_named(&r, "input:input_image"),
                "float32[1,3,256,512] NCHW, 1572864 bytes");
    assert_true(fact_named(&r, "atc_cmdline").v != 0);
    for (uint32_t i = 1; i < r.batch.rows.facts.count; i++) /* copies and dictionaries are none */
        assert_true(mi_batch_text(&r.batch, r.batch.rows.facts.text[i]).len < 4096);
    reading_fini(&r);
}

static void lanenet_graph(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        int count;
    } ops[] = {{"Const", 393},
               {"Conv2D", 127},
               {"Conv2DTransposeD", 6},
               {"ResizeBilinearV2", 4},
               {"Cast", 3},
               {"TransData", 3},
               {"MaxPoolV3", 3},
               {"ConcatD", 3},
               {"AutomaticBufferFusionOp", 3},
               {"Data", 1},
               {"NetOutput", 1}};
    struct reading r;
    open_sample(&r, "om/lanenet_ascend310b4.om");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->graphs.count - 1, 1);
    assert_text(&r, rows->graphs.name[1], "my_122_anenet_0");
    assert_int_equal(rows->nodes.count - 1, 547);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        assert_int_equal(count_ops(&r, ops[i].op), ops[i].count);
    assert_edges(&r, 1, 593, 4, 1109);
    int from_nodes = 0;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        assert_int_equal(rows->nodes.native_id[n], n - 1);
        assert_int_equal(rows->nodes.stream[n], 0);
        for (uint32_t i = 0; i < rows->nodes.in_count[n]; i++) {
            uint32_t port = rows->nodes.first_in[n] + i, value = rows->ports.value[port].v;
            from_nodes += value && !rows->ports.is_control[port] &&
                          rows->values.kind[value] != MI_VALUE_CONSTANT;
        }
    }
    assert_int_equal(from_nodes, 195);
    assert_int_equal(rows->graphs.in_count[1], 1);
    assert_int_equal(rows->graphs.out_count[1], 2);
    assert_int_equal(rows->values.kind[rows->ports.value[rows->graphs.first_in[1]].v],
                     MI_VALUE_INPUT);
    uint32_t input = node_named(&r, "input_image");
    uint32_t lib = node_attr(&r, input, "_ge_attr_op_kernel_lib_name");
    assert_text(&r, rows->items.text[item(&r, lib, 0)], "DNN_VM_GE_LOCAL_OP_STORE");
    assert_int_equal(rows->attrs.kind[node_attr(&r, input, "OUTPUT_IS_VAR")], MI_ATTR_BOOLS);
    reading_fini(&r);
}

/* Names recorded on nodes: how many, and each framework op once. */
static void lanenet_origins(void **state)
{
    (void)state;
    struct reading r;
    open_sample(&r, "om/lanenet_ascend310b4.om");
    const struct mi_tables *rows = &r.batch.rows;
    int by_count[5] = {0, 0, 0, 0, 0}, empty = 0, const_empty = 0, const_absent = 0, absent = 0;
    for (uint32_t n = 1; n < rows->nodes.count; n++) {
        int count = count_recorded(&r, n);
        bool is_const = text_is(&r, rows->nodes.op[n], "Const");
        bool has = node_attr(&r, n, "_datadump_original_op_names") != 0;
        assert_in_range(count, 0, 4);
        by_count[count]++;
        assert_false(count && has);
        empty += !count && has && !is_const;
        absent += !count && !has && !is_const;
        const_empty += !count && has && is_const;
        const_absent += !count && !has && is_const;
    }
    assert_int_equal(by_count[1], 17);
    assert_int_equal(by_count[2], 87);
    assert_int_equal(by_count[3], 4);
    assert_int_equal(by_count[4], 38);
    assert_int_equal(empty, 7);
    assert_int_equal(absent, 1);
    assert_int_equal(const_empty, 267);
    assert_int_equal(const_absent, 126);
    assert_int_equal(rows->recorded.count - 1, 355);
    for (uint32_t i = 1; i < rows->recorded.count; i++) {
        assert_text(&r, rows->recorded.via[i], "_datadump_original_op_names");
        for (uint32_t k = 1; k < i; k++)
            assert_int_not_equal(rows->recorded.name[i].v, rows->recorded.name[k].v);
    }
    reading_fini(&r);
}

static void lanenet_fused_node(void **state)
{
    (void)state;
    struct reading r;
    open_sample(&r, "om/lanenet_ascend310b4.om");
    const struct mi_tables *rows = &r.batch.rows;
    uint32_t node = 0;
    for (uint32_t i = 1; i < rows->nodes.count; i++) {
        struct mi_bytes name = mi_batch_text(&r.batch, rows->nodes.name[i]);
        if (mi_bytes_starts(name, MI_LIT("/regular1_1/ext_conv3/")) &&
            mi_bytes_ends(name, MI_LIT("_pass.3")))
            node = i;
    }
    assert_true(node != 0);
    assert_int_equal(count_recorded(&r, node), 4);
    uint32_t value = output_of(&r, node, 0);
    assert_text(&r, rows->values.origin_name[value], "/regular1_1/out_activation/PRelu");
    assert_text(&r, rows->values.format[value], "NC1HWC0");
    assert_text(&r, rows->values.dtype[value], "float16");
    assert_shape(&r, value, "1,4,64,128,16");
    assert_int_equal(rows->items.int_value[item(&r, value_attr(&r, value, "C0"), 0)], 16);
    uint32_t shape = value_attr(&r, value, "origin_shape");
    assert_int_equal(rows->attrs.item_count[shape], 4);
    assert_int_equal(rows->items.int_value[item(&r, shape, 3)], 128);
    uint32_t cast = node_named(&r, "trans_Cast_2");
    uint32_t in = buffer_of(&r, cast, MI_BUFFER_INPUT, 0);
    uint32_t out = buffer_of(&r, cast, MI_BUFFER_OUTPUT, 0);
    assert_int_equal(rows->buffers.offset_bytes[in], 9702400);
    assert_int_equal(rows->buffers.offset_bytes[out], 4194816);
    assert_int_equal(rows->buffers.size_bytes[out], 786464);
    uint32_t conv = node_named(&r, "/initial_block/main_branch/Conv");
    uint32_t filter = buffer_of(&r, conv, MI_BUFFER_INPUT, 1);
    assert_text(&r, rows->buffers.memory[filter], "weights");
    assert_int_equal(rows->buffers.offset_bytes[filter], 1019392);
    uint32_t weight = rows->ports.value[rows->nodes.first_in[conv] + 1].v;
    assert_int_equal(rows->values.kind[weight], MI_VALUE_CONSTANT);
    assert_int_equal(rows->values.data_offset[weight], 0x13cfb0 + 1019392);
    reading_fini(&r);
}

static void lanenet_tasks(void **state)
{
    (void)state;
    struct reading r;
    open_sample(&r, "om/lanenet_ascend310b4.om");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->planned.count - 1, 410);
    assert_int_equal(count_tasks(&r, "KERNEL"), 152);
    assert_int_equal(count_tasks(&r, "CMO"), 188);
    assert_int_equal(count_tasks(&r, "BARRIER"), 67);
    assert_int_equal(count_tasks(&r, "FUSION_START"), 1);
    assert_int_equal(count_tasks(&r, "FUSION_END"), 1);
    assert_int_equal(count_tasks(&r, "END_GRAPH"), 1);
    assert_text(&r, rows->planned.op_name[1], "trans_Cast_2");
    assert_text(&r, rows->planned.op_name[4], "trans_TransData_3");
    assert_text(&r, rows->planned.type[4], "CMO");
    assert_text(&r, rows->planned.op_name[410], "Node_Output");
    bool seen[547] = {false};
    for (uint32_t p = 1; p < rows->planned.count; p++) {
        assert_int_equal(rows->planned.position[p], p - 1);
        assert_int_equal(rows->planned.stream[p], 0);
        assert_int_equal(rows->planned.graph[p].v, 1);
        if (!text_is(&r, rows->planned.type[p], "KERNEL")) {
            assert_int_equal(rows->planned.op_index[p], -1);
            continue;
        }
        int64_t id = rows->planned.op_index[p];
        assert_in_range(id, 0, 546);
        uint32_t node = (uint32_t)id + 1;
        assert_false(seen[id]);
        seen[id] = true;
        assert_int_equal(rows->planned.op_name[p].v, rows->nodes.name[node].v);
        uint32_t kernel = node_attr(&r, node, "_kernelname");
        assert_int_equal(rows->planned.kernel[p].v, rows->items.text[item(&r, kernel, 0)].v);
        assert_int_equal(rows->planned.block_dim[p], 1);
        assert_true(rows->planned.record_offset[p] >= 0x3b37f2);
    }
    assert_int_equal(rows->planned.record_offset[1], 0x3b37f2 + 2);
    assert_int_equal(rows->planned.record_bytes[1], 2);
    assert_int_equal(rows->planned.record_bytes[2], 191);
    assert_int_equal(r.batch.counts.in, 547 + 410);
    assert_int_equal(r.batch.counts.kept, 547 + 410);
    reading_fini(&r);
}

/* Every address in the arguments of a kernel is where the node has that input or output. */
struct arguments {
    const struct reading *r;
    uint32_t node;
    int inputs, outputs;
};

/* The k-th buffer of that kind. */
static uint32_t nth_buffer(const struct reading *r, uint32_t node, enum mi_buffer_kind kind,
                           unsigned k)
{
    const struct mi_buffers *buffers = &r->batch.rows.buffers;
    for (uint32_t i = 1; i < buffers->count; i++)
        if (buffers->node[i].v == node && buffers->kind[i] == kind && k-- == 0)
            return i;
    fail_msg("no such buffer of node %u", node);
    return 0;
}

static void check_argument(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct arguments *arguments = user;
    const struct mi_buffers *buffers = &arguments->r->batch.rows.buffers;
    char field[128], value[128], memory[16];
    unsigned at, k;
    unsigned long long address, offset;
    (void)is_number;
    snprintf(field, sizeof field, "%.*s", (int)name.len, (const char *)name.at);
    snprintf(value, sizeof value, "%.*s", (int)text.len, (const char *)text.at);
    bool is_input = sscanf(field, "kernel.args[%u] {i_instance%u*}", &at, &k) == 2;
    bool is_output = sscanf(field, "kernel.args[%u] {o_instance%u*}", &at, &k) == 2;
    if (!is_input && !is_output)
        return;
    arguments->inputs += is_input;
    arguments->outputs += is_output;
    if (sscanf(value, "0x%llx (%15[a-z ] + %llu)", &address, memory, &offset) != 3)
        fail_msg("%s = %s", field, value);
    uint32_t buffer =
        nth_buffer(arguments->r, arguments->node, is_input ? MI_BUFFER_INPUT : MI_BUFFER_OUTPUT, k);
    assert_int_equal(offset, buffers->offset_bytes[buffer]);
    assert_int_equal(memory[0] == 'w', text_is(arguments->r, buffers->memory[buffer], "weights"));
}

static void lanenet_arguments(void **state)
{
    (void)state;
    struct reading r;
    open_sample(&r, "om/lanenet_ascend310b4.om");
    const struct mi_planned *planned = &r.batch.rows.planned;
    struct arguments arguments = {.r = &r};
    for (uint32_t p = 1; p < planned->count; p++) {
        struct mi_record record = {.file = r.input.bytes, .key = planned->record_offset[p]};
        record.bytes = mi_bytes_sub(record.file, (size_t)record.key, planned->record_bytes[p]);
        arguments.node = (uint32_t)planned->op_index[p] + 1;
        mi_reader_om.metrics(&record, check_argument, &arguments);
    }
    assert_int_equal(arguments.outputs, 152);
    assert_in_range(arguments.inputs, 2 * 152, 5 * 152);
    assert_int_equal(r.batch.rows.binaries.count - 1, 129);
    reading_fini(&r);
}

/* --- the others --- */

static void dynamic_model(void **state)
{
    (void)state;
    static const int64_t root_ids[] = {0, 1, 2, 7, 8, 13};
    struct reading r;
    open_sample(&r, "om/dynamic_and_static_graph_without_unfold.om");
    const struct mi_tables *rows = &r.batch.rows;
    assert_true(r.ok);
    assert_text(&r, fact_named(&r, "sub_models"), "3");
    assert_int_equal(rows->graphs.count - 1, 3);
    uint32_t root = 1, sub1 = graph_named(&r, "sub_1"), sub2 = graph_named(&r, "sub_2");
    assert_int_equal(count_nodes(&r, root), 6);
    assert_int_equal(count_nodes(&r, sub1), 4);
    assert_int_equal(count_nodes(&r, sub2), 4);
    assert_edges(&r, root, 5, 0, -1);
    assert_edges(&r, sub1, 3, 0, -1);
    assert_edges(&r, sub2, 3, 0, -1);
    int found = 0;
    for (size_t i = 0; i < 6; i++)
        for (uint32_t n = 1; n <= 6; n++)
            found += rows->nodes.native_id[n] == root_ids[i];
    assert_int_equal(found, 6);
    assert_int_equal(rows->graphs.kind[sub1], MI_GRAPH_SUBGRAPH);
    assert_text(&r, rows->nodes.name[rows->graphs.parent[sub1].v], "known_op");
    assert_text(&r, rows->nodes.name[rows->graphs.parent[sub2].v], "unknown_op");
    assert_text(&r, rows->graphs.role[sub1], "f");
    assert_int_equal(rows->planned.count - 1, 3);
    static const int64_t op_index[] = {1, 5, 11};
    const uint32_t graphs[] = {root, sub1, sub2};
    for (uint32_t p = 1; p <= 3; p++) {
        assert_text(&r, rows->planned.type[p], "KERNEL");
        assert_int_equal(rows->planned.op_index[p], op_index[p - 1]);
        assert_int_equal(rows->planned.graph[p].v, graphs[p - 1]);
    }
    assert_text(&r, rows->planned.kernel[2], "name");
    uint32_t add = 0; /* names encoded twice */
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        if (rows->nodes.graph[n].v == sub1 && rows->nodes.native_id[n] == 5)
            add = n;
    uint32_t lib = node_attr(&r, add, "_ge_attr_op_kernel_lib_name");
    assert_text(&r, rows->items.text[item(&r, lib, 0)], "aicpu_ascend_kernel");
    assert_int_equal(r.batch.counts.skipped, 8);
    reading_fini(&r);
}

static void flow_model(void **state)
{
    (void)state;
    struct reading r;
    open_sample(&r, "om/flow_model.om");
    const struct mi_tables *rows = &r.batch.rows;
    assert_true(r.ok);
    assert_int_equal(rows->graphs.count - 1, 3);
    assert_int_equal(count_nodes(&r, 1), 3);
    assert_edges(&r, 1, 2, 0, -1);
    assert_text(&r, rows->nodes.op[1], "NetOutput");
    assert_int_equal(rows->nodes.native_id[1], 0);
    assert_text(&r, fact_named(&r, "sub_model:graph1"), "NPU");
    assert_text(&r, fact_named(&r, "sub_model:graph2"), "HOST_CPU");
    assert_text(&r, fact_named(&r, "graph1:model_name"), "graph1");
    assert_int_equal(count_nodes(&r, 2), 3);
    assert_int_equal(count_nodes(&r, 3), 3);
    reading_fini(&r);
}

static void root_model(void **state)
{
    (void)state;
    struct reading r;
    open_sample(&r, "om/root_model.om");
    assert_true(r.ok);
    assert_text(&r, r.batch.rows.graphs.name[1], "test_graph_cache");
    assert_int_equal(count_nodes(&r, 1), 3);
    assert_edges(&r, 1, 2, 0, -1);
    assert_int_equal(r.batch.rows.planned.count - 1, 0);
    assert_text(&r, r.batch.rows.nodes.op[1], "NetOutput"); /* its sources stand behind it */
    reading_fini(&r);
}

static void not_an_om(void **state)
{
    (void)state;
    struct reading r;
    open_sample(&r, "om/not_an_om_16_bytes.om");
    assert_false(r.ok);
    assert_int_equal(r.err.code, MI_EFORMAT);
    struct mi_probe probe = {.bytes = r.input.bytes, .head = r.input.bytes};
    assert_int_equal(mi_reader_om.sniff(&probe), 0);
    reading_fini(&r);
}

static void hiai_models(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        int nodes, edges, foreign;
    } files[] = {{"om-hiai/tf_conv_opversion_5.om", 7, 6, 0},
                 {"om-hiai/tf_softmax_hcs_cpucl.om", 3, 2, 1},
                 {"om-hiai/tf_softmax_hcs_npucl.om", 4, 3, 1},
                 {"om-hiai/tf_softmax_infershaped.om", 4, 3, 0},
                 {"om-hiai/tf_softmax_no_infershaped.om", 3, 2, 0},
                 {"om-hiai/tf_softmax_v100.om", 4, 3, 0}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct reading r;
        open_sample(&r, files[i].path);
        print_message("%s\n", files[i].path);
        assert_true(r.ok);
        assert_text(&r, fact_named(&r, "om_version"), "0x10000000");
        assert_int_equal(count_nodes(&r, 1), files[i].nodes);
        assert_edges(&r, 1, files[i].edges, 0, -1);
        assert_int_equal(reading_diag(&r, "om.tasks_foreign"), files[i].foreign);
        assert_int_equal(r.batch.rows.planned.count - 1, 0);
        assert_int_equal(reading_diag(&r, "ge.weights_outside"), 0);
        reading_fini(&r);
    }
}

/* A graph inside an attribute; constants by the older attribute. */
static void hiai_details(void **state)
{
    (void)state;
    struct reading r;
    open_sample(&r, "om-hiai/tf_softmax_hcs_cpucl.om");
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->graphs.count - 1, 2);
    assert_int_equal(rows->graphs.kind[2], MI_GRAPH_SUBGRAPH);
    assert_text(&r, rows->graphs.role[2], "subgraph");
    assert_text(&r, rows->nodes.op[rows->graphs.parent[2].v], "GraphOp");
    assert_int_equal(count_nodes(&r, 2), 3);
    reading_fini(&r);
    open_sample(&r, "om-hiai/tf_conv_opversion_5.om");
    int64_t weights = -1, most = 0;
    rows = &r.batch.rows;
    for (uint32_t v = 1; v < rows->values.count; v++)
        if (rows->values.kind[v] == MI_VALUE_CONSTANT && rows->values.data_offset[v] >= 0) {
            int64_t end = rows->values.data_offset[v] + rows->values.data_bytes[v];
            weights = rows->values.data_offset[v];
            most = end > most ? end : most;
        }
    assert_true(weights > 256);
    assert_true(most <= (int64_t)r.input.bytes.len);
    reading_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanenet_container), cmocka_unit_test(lanenet_graph),
        cmocka_unit_test(lanenet_origins),   cmocka_unit_test(lanenet_fused_node),
        cmocka_unit_test(lanenet_tasks),     cmocka_unit_test(lanenet_arguments),
        cmocka_unit_test(dynamic_model),     cmocka_unit_test(flow_model),
        cmocka_unit_test(root_model),        cmocka_unit_test(not_an_om),
        cmocka_unit_test(hiai_models),       cmocka_unit_test(hiai_details),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
