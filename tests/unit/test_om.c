/* The reader of offline models on small files of our own: what every field becomes, and what is
 * left of files that are damaged, cut or strange. */
#include "ge_find.h"
#include "om_cases.h"

#include <stdlib.h>

struct file {
    struct onnx_writer w;
    struct reading r;
};

static void read_bytes(struct file *f, const struct mi_limits *limits)
{
    struct mi_bytes bytes = {f->w.at, f->w.len};
    reading_bytes(&f->r, &mi_reader_om, bytes, NULL, limits);
}

static struct file *open_case(const char *name)
{
    struct file *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->w = om_case_bytes(name);
    read_bytes(f, NULL);
    return f;
}

static void again(struct file *f)
{
    mi_batch_fini(&f->r.batch);
    read_bytes(f, NULL);
}

static void close_file(struct file *f)
{
    mi_batch_fini(&f->r.batch);
    onnx_writer_fini(&f->w);
    free(f);
}

static const struct mi_tables *rows_of(const struct file *f)
{
    return &f->r.batch.rows;
}

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

/* --- code, and what single tasks say --- */

static void binaries(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *name, *code;
    } wanted[] = {{"kernel", "te_mul",
                   "\x7f"
                   "ELF code"},
                  {"kernel", "te_unused",
                   "\x7f"
                   "ELF"},
                  {"aicpu_kernel", "host",
                   "\x7f"
                   "ELF more code"},
                  {"host_library", "libops.so", "so"},
                  {"custom_op", "MyCpuOp", "code"}};
    struct file *f = open_case("kernels");
    const struct mi_binaries *rows = &rows_of(f)->binaries;
    assert_int_equal(rows->count - 1, 5);
    for (uint32_t i = 0; i < 5; i++) {
        size_t len = strlen(wanted[i].code);
        assert_text(&f->r, rows->kind[i + 1], wanted[i].kind);
        assert_text(&f->r, rows->name[i + 1], wanted[i].name);
        assert_int_equal(rows->graph[i + 1].v, 1);
        assert_int_equal(rows->size_bytes[i + 1], len);
        assert_memory_equal(f->w.at + rows->offset_bytes[i + 1], wanted[i].code, len);
    }
    assert_text(&f->r, fact_named(&f->r, "kernels"), "2");
    assert_text(&f->r, fact_named(&f->r, "aicpu_kernels_bytes"), "14");
    close_file(f);
}

struct said {
    char text[4096];
    size_t len;
    bool any_number;
};

static void say(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct said *said = user;
    said->any_number = said->any_number || is_number;
    said->len += (size_t)snprintf(said->text + said->len, sizeof said->text - said->len,
                                  "%.*s=%.*s\n", (int)name.len, (const char *)name.at,
                                  (int)text.len, text.len ? (const char *)text.at : "");
    assert_true(said->len < sizeof said->text);
}

static void record_of(const struct file *f, uint32_t task, struct said *said)
{
    const struct mi_planned *planned = &rows_of(f)->planned;
    struct mi_record record = {.file = {f->w.at, f->w.len}, .key = planned->record_offset[task]};
    record.bytes = mi_bytes_sub(record.file, (size_t)record.key, planned->record_bytes[task]);
    *said = (struct said){.len = 0};
    mi_reader_om.metrics(&record, say, said);
}

static void records(void **state)
{
    (void)state;
    struct file *f = open_case("kernels");
    struct said said;
    record_of(f, 1, &said);
    assert_string_equal(said.text, "kernel.context.kernel_type=2 TE\n"
                                   "kernel.context.op_index=2\n"
                                   "kernel.context.args_offset=0, 8\n"
                                   "kernel.context.args_count=4\n"
                                   "kernel.context.origin_op_index=2\n"
                                   "kernel.context.args_format="
                                   "{i_instance0*}{i_instance1*}{o_instance0*}{#7}\n"
                                   "kernel.stub_func=2_-1_0_mul\n"
                                   "kernel.args[0] {i_instance0*}=0x80000200 (feature map + 512)\n"
                                   "kernel.args[1] {i_instance1*}=0x80010040 (weights + 64)\n"
                                   "kernel.args[2] {o_instance0*}=0x80000400 (feature map + 1024)\n"
                                   "kernel.args[3] {#7}=0x7\n"
                                   "kernel.args_info[0].arg_type=1 output\n"
                                   "kernel.args_info[0].start_index=-1\n");
    assert_true(said.any_number);
    record_of(f, 2, &said); /* without a format all are taken for addresses */
    assert_non_null(strstr(said.text, "\nkernel.args[1]=0x80000800 (feature map + 2048)\n"));
    record_of(f, 3, &said);
    assert_string_equal(said.text, "memcpy_async.dst=0x80001000 (feature map + 4096)\n"
                                   "memcpy_async.src=0x4000000000 (variables + 0)\n"
                                   "memcpy_async.count=16\n"
                                   "memcpy_async.op_index=4\n");
    record_of(f, 4, &said);
    assert_non_null(strstr(said.text, "kernel.args=3 bytes more\n"));
    assert_non_null(strstr(said.text, "kernel.so_name=libcust_aicpu.so\n"));
    close_file(f);
}

/* In files inside files the bases are those of the model around the task; a record cut anywhere
 * gives what stands before. */
static void records_inside(void **state)
{
    (void)state;
    struct file *f = calloc(1, sizeof *f);
    struct said said;
    f->w = om_case_bytes("kernels");
    for (int depth = 0; depth < 3; depth++) {
        struct onnx_writer sub = {0}, om = {0};
        onnx_text(&sub, 1, "sub");
        onnx_bytes(&sub, 3, f->w.at, f->w.len);
        struct om_part_of flow[] = {{7, sub.at, sub.len}};
        struct om_part_of bundle[] = {{25, "12345678", 8}, {24, f->w.at, f->w.len}};
        om_header(&om, &(struct om_head){.model_type = depth == 1 ? 5 : 3, .model_num = 1});
        om_table(&om, depth == 1 ? bundle : flow, depth == 1 ? 2 : 1, false, depth == 1);
        onnx_writer_fini(&f->w);
        onnx_writer_fini(&sub);
        f->w = om;
    }
    read_bytes(f, NULL);
    assert_true(f->r.ok);
    record_of(f, 1, &said);
    assert_non_null(strstr(said.text, "args[1] {i_instance1*}=0x80010040 (weights + 64)\n"));
    struct mi_planned *planned = &f->r.batch.rows.planned;
    for (uint32_t len = planned->record_bytes[1]; len-- > 0;) {
        planned->record_bytes[1] = len;
        record_of(f, 1, &said);
    }
    assert_int_equal(said.len, 0);
    close_file(f);
}

/* --- other containers --- */

static void old_container(void **state)
{
    (void)state;
    struct file *f = open_case("old");
    const struct mi_tables *rows = rows_of(f);
    assert_true(f->r.ok);
    uint32_t softmax = node_named(&f->r, "softmax");
    assert_int_equal(rows->nodes.native_id[softmax], 0);
    assert_text(&f->r, rows->recorded.name[1], "fw/softmax");
    assert_text(&f->r, rows->recorded.op[1], "Softmax"); /* one name, one type */
    assert_text(&f->r, rows->recorded.via[1], "original_op_names");
    assert_int_equal(rows->recorded.count - 1, 2);
    assert_int_equal(rows->recorded.node[2].v, softmax);
    assert_text(&f->r, rows->recorded.name[2], "fw/before");
    assert_text(&f->r, rows->recorded.via[2], "fm");
    assert_int_equal(rows->groups.count - 1, 1); /* scopes in fm; groups of one are none */
    assert_int_equal(rows->groups.kind[1], MI_GROUP_UB);
    assert_text(&f->r, rows->groups.name[1], "3");
    assert_int_equal(rows->groups.graph[1].v, 1);
    assert_int_equal(rows->members.count - 1, 2);
    assert_int_equal(rows->members.node[1].v, softmax);
    assert_int_equal(rows->members.node[2].v, node_named(&f->r, "scale"));
    assert_int_equal(rows->attrs.kind[node_attr(&f->r, softmax, "pass_name")], MI_ATTR_STRINGS);
    uint32_t value = rows->ports.value[rows->nodes.first_in[softmax]].v;
    assert_int_equal(rows->values.producer[value].v, node_named(&f->r, "c"));
    assert_int_equal(rows->values.data_bytes[value], 16);
    assert_int_equal(rows->values.data_offset[value], f->w.len - 64 + 16);
    close_file(f);
}

static void dynamic_container(void **state)
{
    (void)state;
    struct file *f = open_case("dynamic");
    const struct mi_tables *rows = rows_of(f);
    assert_true(f->r.ok);
    assert_int_equal(rows->graphs.count - 1, 2);
    assert_int_equal(rows->graphs.parent[2].v, node_named(&f->r, "call"));
    uint32_t lib = node_attr(&f->r, node_named(&f->r, "add"), "lib");
    assert_text(&f->r, rows->items.text[item(&f->r, lib, 0)], "one");
    assert_int_equal(rows->planned.graph[1].v, 2);
    assert_int_equal(rows->planned.op_index[1], 3);
    assert_int_equal(f->r.batch.counts.skipped, 1);
    close_file(f);
}

static void nested_files(void **state)
{
    (void)state;
    struct file *f = open_case("flow");
    const struct mi_tables *rows = rows_of(f);
    assert_true(f->r.ok);
    assert_int_equal(rows->graphs.count - 1, 3);
    assert_int_equal(rows->graphs.parent[graph_named(&f->r, "inner")].v, node_named(&f->r, "call"));
    assert_int_equal(rows->graphs.kind[graph_named(&f->r, "udf_graph")], MI_GRAPH_MAIN);
    assert_text(&f->r, fact_named(&f->r, "sub_model:inner"), "NPU");
    close_file(f);
    f = open_case("bundle");
    assert_true(f->r.ok);
    assert_int_equal(rows_of(f)->graphs.count - 1, 2);
    assert_text(&f->r, rows_of(f)->graphs.name[2], "decode");
    assert_text(&f->r, fact_named(&f->r, "model[1]:model_name"), "decode");
    close_file(f);
}

/* Files in files in files, deeper than anybody makes them. */
static void nested_too_deep(void **state)
{
    (void)state;
    struct file *f = calloc(1, sizeof *f);
    f->w = om_case_bytes("old");
    for (int depth = 0; depth < 20; depth++) {
        struct onnx_writer sub = {0}, om = {0};
        onnx_bytes(&sub, 3, f->w.at, f->w.len);
        struct om_part_of parts[] = {{7, sub.at, sub.len}};
        om_file(&om, &(struct om_head){.model_type = 3}, parts, 1);
        onnx_writer_fini(&f->w);
        onnx_writer_fini(&sub);
        f->w = om;
    }
    read_bytes(f, NULL);
    assert_true(f->r.ok);
    assert_int_equal(reading_diag(&f->r, "om.too_deep"), 1);
    assert_int_equal(count_nodes(&f->r, 0), 0);
    close_file(f);
}

/* --- attributes --- */

static void check_text(const struct file *f, uint32_t node, const char *name, uint32_t k,
                       enum mi_attr_kind kind, const char *text)
{
    uint32_t attr = node_attr(&f->r, node, name);
    assert_true(attr != 0);
    assert_int_equal(rows_of(f)->attrs.kind[attr], kind);
    assert_text(&f->r, rows_of(f)->items.text[item(&f->r, attr, k)], text);
}

static void every_attribute(void **state)
{
    (void)state;
    struct file *f = open_case("attributes");
    const struct mi_tables *rows = rows_of(f);
    uint32_t op = node_named(&f->r, "op"), attr = node_attr(&f->r, op, "float");
    assert_int_equal(rows->attrs.kind[attr], MI_ATTR_FLOAT);
    assert_true(rows->items.real_value[item(&f->r, attr, 0)] == 0.5);
    assert_int_equal(rows->attrs.kind[node_attr(&f->r, op, "bool")], MI_ATTR_BOOL);
    check_text(f, op, "bytes", 0, MI_ATTR_OPAQUE, "3 bytes");
    check_text(f, op, "dtype", 0, MI_ATTR_TYPE, "bfloat16");
    assert_int_equal(rows->attrs.kind[node_attr(&f->r, op, "nothing")], MI_ATTR_UNDEFINED);
    uint32_t tensor = rows->items.value[item(&f->r, node_attr(&f->r, op, "tensor"), 0)].v;
    assert_text(&f->r, rows->values.dtype[tensor], "int8");
    assert_int_equal(rows->values.data_bytes[tensor], 2);
    assert_memory_equal(f->w.at + rows->values.data_offset[tensor], "\x01\x02", 2);
    uint32_t shape = rows->items.value[item(&f->r, node_attr(&f->r, op, "shape"), 0)].v;
    assert_text(&f->r, rows->values.dtype[shape], "ge:99");
    assert_int_equal(rows->values.has_shape[shape], 0);
    check_text(f, op, "func", 0, MI_ATTR_OPAQUE, "f");
    check_text(f, op, "func", 1, MI_ATTR_OPAQUE, "k=f,k=5");
    attr = node_attr(&f->r, op, "ints");
    assert_int_equal(rows->attrs.item_count[attr], 3);
    assert_int_equal(rows->items.int_value[item(&f->r, attr, 0)], -1);
    assert_int_equal(rows->items.int_value[item(&f->r, attr, 2)], 3);
    assert_int_equal(rows->attrs.kind[node_attr(&f->r, op, "no_floats")], MI_ATTR_FLOATS);
    attr = node_attr(&f->r, op, "tensors");
    assert_int_equal(rows->attrs.item_count[attr], 2);
    assert_shape(&f->r, rows->items.value[item(&f->r, attr, 1)].v, "6");
    check_text(f, op, "nested", 0, MI_ATTR_OPAQUE, "[1,2]");
    check_text(f, op, "nested", 1, MI_ATTR_OPAQUE, "[3]");
    assert_int_equal(rows->attrs.item_count[node_attr(&f->r, op, "named")], 4);
    check_text(f, op, "with\x01key", 0, MI_ATTR_STRING, "v");
    assert_int_equal(reading_diag(&f->r, "ge.attr_deep"), 1);
    assert_text(&f->r, fact_named(&f->r, "GraphOptions:k"), "5");
    assert_int_equal(fact_named(&f->r, "_private").v, 0);
    close_file(f);
}

static void graphs_in_attributes(void **state)
{
    (void)state;
    struct file *f = open_case("attributes");
    const struct mi_tables *rows = rows_of(f);
    uint32_t sk = graph_named(&f->r, "sk"), before = graph_named(&f->r, "before");
    assert_int_equal(rows->graphs.parent[sk].v, node_named(&f->r, "super"));
    assert_text(&f->r, rows->graphs.role[sk], "_sk_sub_graph");
    assert_int_equal(rows->graphs.parent[before].v, node_named(&f->r, "part0"));
    assert_int_equal(rows->groups.count - 1, 2);
    assert_int_equal(rows->groups.kind[1], MI_GROUP_SUPER_KERNEL);
    assert_text(&f->r, rows->groups.name[1], "super");
    assert_int_equal(rows->groups.kind[2], MI_GROUP_UB);
    assert_int_equal(rows->members.count - 1, 3);
    uint32_t other = graph_named(&f->r, "other");
    assert_int_equal(rows->graphs.out_count[other], 1); /* from GraphDef.output */
    close_file(f);
}

static void equal_names(void **state)
{
    (void)state;
    struct file *f = open_case("attributes");
    const struct mi_tables *rows = rows_of(f);
    uint32_t first = node_named(&f->r, "twin"), second = first + 1;
    assert_text(&f->r, rows->nodes.op[second], "B");
    assert_int_equal(reading_diag(&f->r, "ge.node_name_twice"), 1);
    uint32_t in = rows->nodes.first_in[second];
    assert_int_equal(rows->ports.value[in].v, output_of(&f->r, first, 0));
    assert_int_equal(rows->ports.is_control[in + 1], 1); /* ^op */
    assert_int_equal(rows->values.kind[rows->ports.value[in + 2].v], MI_VALUE_DANGLING);
    close_file(f);
}

/* --- damage, row by row --- */

static void says(struct file *f, enum mi_code code, const char *word)
{
    assert_false(f->r.ok);
    assert_int_equal(f->r.err.code, code);
    assert_non_null(strstr(f->r.err.text, word));
}

static void not_this_format(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    f->w.len = 100;
    again(f);
    says(f, MI_ETRUNCATED, "header");
    f->w.at[0] = 'X';
    again(f);
    says(f, MI_EFORMAT, "IMOD");
    f->w.len = 0;
    again(f);
    says(f, MI_EFORMAT, "IMOD");
    close_file(f);
}

static void encrypted(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    f->w.at[80] = 1;
    again(f);
    says(f, MI_EUNSUPPORTED, "encrypted");
    assert_text(&f->r, fact_named(&f->r, "model_name"), "net");
    assert_int_equal(count_nodes(&f->r, 0), 0);
    close_file(f);
}

static void header_numbers(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    f->w.at[156] = 0; /* model_num 0 means 1 */
    again(f);
    assert_true(f->r.ok);
    assert_int_equal(count_nodes(&f->r, 0), 12);
    memset(f->w.at + 156, 0xff, 4); /* far beyond the end */
    again(f);
    assert_true(f->r.ok);
    assert_int_equal(count_nodes(&f->r, 0), 12);
    assert_int_equal(reading_diag(&f->r, "om.model_missing"), 1);
    f->w.at[156] = 1;
    memset(f->w.at + 157, 0, 3);
    memset(f->w.at + 184, 0, 8); /* claims a 32-bit table: the other width fits */
    again(f);
    assert_true(f->r.ok);
    assert_int_equal(count_nodes(&f->r, 0), 12);
    f->w.at[4] = 7; /* size of the header: 263, then 7 */
    again(f);
    assert_true(f->r.ok);
    assert_int_equal(reading_diag(&f->r, "om.header_size"), 1);
    f->w.at[5] = 0;
    again(f);
    assert_true(f->r.ok);
    assert_int_equal(reading_diag(&f->r, "om.header_size"), 1);
    close_file(f);
}

/* Entry i of the table: type, offset, size. */
static void set_entry(struct file *f, uint32_t i, int column, uint64_t value)
{
    uint8_t *at = f->w.at + 256 + 8 + 24 * i + (column ? 8 * (size_t)column : 0);
    for (int k = 0; k < 8 && (column || k < 4); k++)
        at[k] = (uint8_t)(value >> 8 * k);
}

static void partitions(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    set_entry(f, 4, 2, UINT64_MAX); /* tasks: offset + size overflows */
    again(f);
    says(f, MI_ETRUNCATED, "TASK_INFO");
    assert_int_equal(count_nodes(&f->r, 0), 12);
    assert_int_equal(rows_of(f)->planned.count - 1, 4);
    assert_int_equal(reading_diag(&f->r, "om.partition_clipped"), 1);
    set_entry(f, 4, 1, UINT64_MAX - 5); /* a wild offset: running offset instead */
    again(f);
    assert_int_equal(rows_of(f)->planned.count - 1, 4);
    close_file(f);
    f = open_case("plain");
    set_entry(f, 3, 0, 63); /* kernels of an unknown type */
    set_entry(f, 0, 0, 0);  /* two models: the first one is no ModelDef */
    again(f);
    assert_int_equal(reading_diag(&f->r, "om.partition_unknown"), 1);
    assert_int_equal(reading_diag(&f->r, "om.partition_twice"), 1);
    close_file(f);
    f = open_case("plain");
    set_entry(f, 4, 2, 0); /* no tasks */
    again(f);
    assert_true(f->r.ok);
    assert_int_equal(rows_of(f)->planned.count - 1, 0);
    memset(f->w.at + 256, 0xff, 4); /* 4 billion partitions */
    again(f);
    says(f, MI_EFORMAT, "partition table");
    assert_text(&f->r, fact_named(&f->r, "model_name"), "net");
    close_file(f);
}

/* A broken download: right size, the tail all zeros. */
static void zero_tail(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    size_t whole = (size_t)count_nodes(&f->r, 0);
    memset(f->w.at + 1400, 0, f->w.len - 1400);
    again(f);
    says(f, MI_EFORMAT, "MODEL_DEF");
    assert_in_range(f->r.err.offset, 1400, f->w.len);
    assert_in_range(count_nodes(&f->r, 0), 4, whole - 1);
    assert_text(&f->r, fact_named(&f->r, "model_name"), "net");
    close_file(f);
}

static void model_def_is_garbage(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    memset(f->w.at + 256 + 8 + 5 * 24 + 61, 0xff, 40);
    again(f);
    says(f, MI_EFORMAT, "MODEL_DEF");
    assert_int_equal(count_nodes(&f->r, 0), 0);
    assert_text(&f->r, fact_named(&f->r, "kernels"), "2");
    assert_text(&f->r, fact_named(&f->r, "input:x"), "bfloat16[6,8] NCHW, 96 bytes");
    assert_int_equal(rows_of(f)->planned.count - 1, 4);
    close_file(f);
}

static void tasks_are_foreign(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    f->w.at[f->w.len - 59] = 0x32; /* field 6 instead of 10 */
    again(f);
    assert_true(f->r.ok);
    assert_int_equal(reading_diag(&f->r, "om.tasks_foreign"), 1);
    assert_int_equal(count_nodes(&f->r, 0), 12);
    assert_int_equal(rows_of(f)->planned.count - 1, 0);
    f->w.at[f->w.len - 59] = 0x52;
    f->w.at[f->w.len - 1] = 0xff; /* the last task ends inside a number */
    again(f);
    assert_true(f->r.ok);
    assert_int_equal(rows_of(f)->planned.count - 1, 4);
    assert_int_equal(reading_diag(&f->r, "om.task_broken"), 1);
    close_file(f);
}

static void kernels_are_broken(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    f->w.at[f->w.len - 59 - 23] = 0; /* the magic number of the second kernel */
    again(f);
    assert_true(f->r.ok);
    assert_text(&f->r, fact_named(&f->r, "kernels"), "1");
    assert_int_equal(reading_diag(&f->r, "om.store_broken"), 1);
    close_file(f);
}

/* Fields and groups that nobody knows, texts written as bytes, a name with NUL, no ids and equal
 * ids: read around, and told apart by place. */
static void odd_ops(void **state)
{
    (void)state;
    struct file *f = calloc(1, sizeof *f);
    struct onnx_writer def = {0};
    size_t graph = om_graph(&def, "g");
    for (int i = 0; i < 3; i++) {
        const char name[2] = {(char)('a' + i), 0};
        size_t op = om_op_begin(&def, name, "Relu", i ? 7 : 0, i ? "a:0" : "");
        onnx_raw(&def, "\xa3\x06\x08\x01\x13\x0a\x01x\x14\xa4\x06", 11); /* groups 100 and 2 */
        onnx_text(&def, 99, "unknown");
        struct om_attr attr = om_attr_begin(&def, 10, "pass_name", 9);
        onnx_text(&def, 7, "Pass");
        om_attr_end(&def, attr);
        attr = om_attr_begin(&def, 10, "_datadump_original_op_names", 27);
        size_t list = onnx_begin(&def, 1);
        onnx_text(&def, 7, "fw/a");
        onnx_end(&def, list);
        om_attr_end(&def, attr);
        attr = om_attr_begin(&def, 10, "k\0ey", 4);
        onnx_int(&def, 3, 5);
        om_attr_end(&def, attr);
        onnx_end(&def, op);
    }
    onnx_end(&def, graph);
    struct om_part_of parts[] = {{0, def.at, def.len}};
    om_file(&f->w, &(struct om_head){0}, parts, 1);
    read_bytes(f, NULL);
    const struct mi_tables *rows = rows_of(f);
    assert_true(f->r.ok);
    assert_int_equal(rows->nodes.count - 1, 3);
    assert_int_equal(rows->nodes.native_id[1], 0);
    assert_int_equal(rows->nodes.native_id[2], 7);
    assert_int_equal(rows->nodes.native_id[3], 7);
    assert_int_equal(rows->nodes.position[3], 2);
    check_text(f, 2, "pass_name", 0, MI_ATTR_STRINGS, "Pass");
    assert_int_equal(rows->recorded.count - 1, 3);
    assert_text(&f->r, rows->recorded.name[3], "fw/a");
    uint32_t attr = rows->nodes.first_attr[1] + rows->nodes.attr_count[1] - 1;
    assert_true(
        mi_bytes_equal(mi_batch_text(&f->r.batch, rows->attrs.name[attr]), MI_LIT("k\0ey")));
    assert_int_equal(rows->diags.count - 1, 0);
    onnx_writer_fini(&def);
    close_file(f);
}

/* A model whose attributes are compressed and whose dictionary is missing. */
static void dictionary_is_missing(void **state)
{
    (void)state;
    struct file *f = calloc(1, sizeof *f);
    struct onnx_writer def = {0};
    const char *const keys[] = {"\0\x08", "\0\x01\x02", "\0", "\0\x01\0"};
    const size_t lengths[] = {2, 3, 1, 3};
    size_t graph = om_graph(&def, "g"), op = om_op_begin(&def, "n", "Relu", 0, "");
    for (int i = 0; i < 4; i++) {
        struct om_attr attr = om_attr_begin(&def, 10, keys[i], lengths[i]);
        onnx_int(&def, 3, i);
        om_attr_end(&def, attr);
    }
    onnx_end(&def, op);
    onnx_end(&def, graph);
    struct om_part_of parts[] = {{0, def.at, def.len}};
    om_file(&f->w, &(struct om_head){0}, parts, 1);
    read_bytes(f, NULL);
    assert_true(f->r.ok);
    assert_true(node_attr(&f->r, 1, "#7") != 0);
    assert_true(node_attr(&f->r, 1, "#127") != 0); /* little-endian, base 127 */
    assert_true(node_attr(&f->r, 1, "#?") != 0);
    assert_int_equal(reading_diag(&f->r, "ge.attr_name_unknown"), 4);
    onnx_writer_fini(&def);
    close_file(f);
}

/* Graphs in attributes of graphs in attributes, deeper than anybody makes them. */
static void graphs_too_deep(void **state)
{
    (void)state;
    enum { DEPTH = 60 };
    struct file *f = calloc(1, sizeof *f);
    struct onnx_writer def = {0};
    size_t open[DEPTH][2];
    struct om_attr attrs[DEPTH];
    for (int i = 0; i < DEPTH; i++) {
        open[i][0] = onnx_begin(&def, i ? 13 : 7);
        open[i][1] = om_op_begin(&def, "n", "Super", 0, "");
        attrs[i] = om_attr_begin(&def, 10, "g", 1);
    }
    for (int i = DEPTH - 1; i >= 0; i--) {
        om_attr_end(&def, attrs[i]);
        onnx_end(&def, open[i][1]);
        onnx_end(&def, open[i][0]);
    }
    struct om_part_of parts[] = {{0, def.at, def.len}};
    om_file(&f->w, &(struct om_head){0}, parts, 1);
    read_bytes(f, NULL);
    assert_true(f->r.ok);
    assert_int_equal(rows_of(f)->graphs.count - 1, 33);
    assert_int_equal(reading_diag(&f->r, "ge.too_deep"), 1);
    onnx_writer_fini(&def);
    close_file(f);
}

/* Owners in a circle, and one graph owned twice. */
static void owners_in_a_circle(void **state)
{
    (void)state;
    struct file *f = calloc(1, sizeof *f);
    struct onnx_writer def = {0};
    static const char *const owned[] = {"b", "a", "c", "b"};
    for (int i = 0; i < 4; i++) {
        const char name[2] = {(char)('a' + i), 0};
        size_t graph = om_graph(&def, name), op = om_op_begin(&def, "call", "Case", 0, "");
        onnx_text(&def, 35, owned[i]);
        onnx_end(&def, op);
        onnx_end(&def, graph);
    }
    struct om_part_of parts[] = {{0, def.at, def.len}};
    om_file(&f->w, &(struct om_head){0}, parts, 1);
    read_bytes(f, NULL);
    const struct mi_tables *rows = rows_of(f);
    assert_true(f->r.ok);
    assert_int_equal(rows->graphs.parent[2].v, 1);
    assert_text(&f->r, rows->graphs.role[2], "branches[0]");
    assert_int_equal(rows->graphs.parent[1].v, 0);
    assert_int_equal(rows->graphs.parent[3].v, 0);
    assert_int_equal(reading_diag(&f->r, "ge.subgraph_missing"), 3);
    onnx_writer_fini(&def);
    close_file(f);
}

static bool stop(void *user, uint64_t done)
{
    (void)done;
    ++*(int *)user;
    return false;
}

/* Limits and cancelling end the reading with an error of their own. */
static void limits(void **state)
{
    (void)state;
    struct file *f = open_case("plain");
    mi_batch_fini(&f->r.batch);
    read_bytes(f, &(struct mi_limits){.max_rows = 5});
    says(f, MI_ELIMIT, "5 rows");
    mi_batch_fini(&f->r.batch);
    read_bytes(f, &(struct mi_limits){.max_string_bytes = 4});
    assert_true(f->r.ok);
    assert_true(reading_diag(&f->r, "ge.string_cut") > 0);
    assert_text(&f->r, rows_of(f)->nodes.op[node_named(&f->r, "conv")], "Conv");
    close_file(f);
    struct onnx_writer def = {0}, om = {0};
    size_t graph = om_graph(&def, "g");
    for (int i = 0; i < 5000; i++)
        om_op(&def, "n", "Relu", 0, "");
    onnx_end(&def, graph);
    struct om_part_of parts[] = {{0, def.at, def.len}};
    om_file(&om, &(struct om_head){0}, parts, 1);
    struct mi_batch batch;
    struct mi_error err = MI_ERROR_INIT;
    int calls = 0;
    struct mi_source src = {
        .path = "x", .bytes = {om.at, om.len}, .role = "", .progress = stop, .user = &calls};
    assert_true(mi_batch_init(&batch, src.bytes, &err));
    assert_false(mi_reader_om.read(&src, &batch, &err));
    assert_int_equal(err.code, MI_ECANCELLED);
    assert_int_equal(calls, 1);
    mi_batch_fini(&batch);
    onnx_writer_fini(&def);
    onnx_writer_fini(&om);
}

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
        cmocka_unit_test(binaries),
        cmocka_unit_test(records),
        cmocka_unit_test(records_inside),
        cmocka_unit_test(old_container),
        cmocka_unit_test(dynamic_container),
        cmocka_unit_test(nested_files),
        cmocka_unit_test(nested_too_deep),
        cmocka_unit_test(every_attribute),
        cmocka_unit_test(graphs_in_attributes),
        cmocka_unit_test(equal_names),
        cmocka_unit_test(not_this_format),
        cmocka_unit_test(encrypted),
        cmocka_unit_test(header_numbers),
        cmocka_unit_test(partitions),
        cmocka_unit_test(zero_tail),
        cmocka_unit_test(model_def_is_garbage),
        cmocka_unit_test(tasks_are_foreign),
        cmocka_unit_test(kernels_are_broken),
        cmocka_unit_test(odd_ops),
        cmocka_unit_test(dictionary_is_missing),
        cmocka_unit_test(owners_in_a_circle),
        cmocka_unit_test(graphs_too_deep),
        cmocka_unit_test(limits),
        cmocka_unit_test(data_files_are_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
