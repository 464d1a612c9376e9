/* The reader of offline models on small files of our own: code, values of single records, other
 * containers, attributes. */
#include "om_open.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
