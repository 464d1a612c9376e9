/* What is left of offline models that are damaged, cut or strange, row by row. */
#include "om_open.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(graphs_too_deep),
        cmocka_unit_test(owners_in_a_circle),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
