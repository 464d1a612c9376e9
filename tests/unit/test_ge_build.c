/* GE's vocabularies, and the builder as readers of text call it: names instead of numbers, parts in
 * any order, things left open or given up. */
#include "ge_find.h"
#include "parse/formats/ge/ge_build.h"

#include <math.h>

/* --- vocabularies --- */

static void two_numberings_of_types(void **state)
{
    (void)state;
    static const struct {
        int64_t ge, proto;
        const char *dump, *name;
        unsigned bits;
    } types[] = {
        {0, 1, "DT_FLOAT", "float32", 32},     {1, 2, "DT_FLOAT16", "float16", 16},
        {3, 7, "DT_INT32", "int32", 32},       {12, 11, "DT_BOOL", "bool", 8},
        {27, 27, "DT_BF16", "bfloat16", 16},   {28, 0, "DT_UNDEFINED", "", 0},
        {29, 28, "DT_INT4", "int4", 4},        {36, 35, "DT_FLOAT8_E4M3FN", "float8e4m3fn", 8},
        {42, 41, "DT_HIFLOAT4", "hifloat4", 4}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        assert_string_equal(mi_ge_dtype_of_ge(types[i].ge), types[i].name);
        assert_string_equal(mi_ge_dtype_of_proto(types[i].proto), types[i].name);
        assert_string_equal(mi_ge_dtype_of_name(mi_cstr(types[i].dump)), types[i].name);
        assert_int_equal(mi_ge_dtype_bits(mi_cstr(types[i].name)), types[i].bits);
    }
    assert_string_equal(mi_ge_dtype_of_name(MI_LIT("DT_BFLOAT16")), "bfloat16");
    assert_string_equal(mi_ge_dtype_of_name(MI_LIT("RESERVED")), "");
    assert_null(mi_ge_dtype_of_name(MI_LIT("DT_NEW")));
    assert_null(mi_ge_dtype_of_ge(5)); /* reserved */
    assert_null(mi_ge_dtype_of_ge(-1));
    assert_null(mi_ge_dtype_of_proto(1000));
}

static void every_type_has_one_number(void **state)
{
    (void)state;
    int proto = 0, ge = 0;
    for (int64_t i = 0; i < 64; i++) {
        proto += mi_ge_dtype_of_proto(i) != NULL;
        ge += mi_ge_dtype_of_ge(i) != NULL;
    }
    assert_int_equal(ge, 42);
    assert_int_equal(proto, 42);
    for (int64_t i = 0; i <= 51; i++)
        assert_non_null(mi_ge_format_name(i));
    for (int64_t i = 0; i <= 50; i++)
        assert_non_null(mi_ge_task_type(i));
    assert_null(mi_ge_task_type(51));
    assert_null(mi_ge_task_type(-1));
    assert_null(mi_ge_format_name(52));
    assert_string_equal(mi_ge_kernel_type_name(11), "MIX_AICORE");
    assert_null(mi_ge_kernel_type_name(13));
    assert_null(mi_ge_context_type(5));
    assert_null(mi_ge_context_type(21));
}

static void layouts(void **state)
{
    (void)state;
    struct mi_bytes sub;
    struct mi_ge_format format = mi_ge_format_unpack(83886083);
    assert_string_equal(mi_ge_format_name(format.primary), "NC1HWC0");
    assert_int_equal(format.c0, 16);
    assert_int_equal(format.sub, 0);
    format = mi_ge_format_unpack(4 | 32 << 8);
    assert_int_equal(format.sub, 32);
    assert_int_equal(format.c0, 0);
    assert_true(
        mi_bytes_equal(mi_ge_layout_name(MI_LIT("FRACTAL_Z:32"), &sub), MI_LIT("FRACTAL_Z")));
    assert_true(mi_bytes_equal(sub, MI_LIT("32")));
    assert_int_equal(mi_ge_layout_name(MI_LIT("FORMAT_RESERVED"), &sub).len, 0);
    assert_int_equal(mi_ge_layout_name(MI_LIT("RESERVED"), &sub).len, 0);
    assert_true(mi_bytes_equal(mi_ge_layout_name(MI_LIT("ND"), &sub), MI_LIT("ND")));
    assert_int_equal(sub.len, 0);
    assert_int_equal(mi_ge_val_type_of_name(MI_LIT("VT_LIST_FLOAT")), 3);
    assert_int_equal(mi_ge_val_type_of_name(MI_LIT("7")), 7);
    assert_int_equal(mi_ge_val_type_of_name(MI_LIT("VT_NEW")), 0);
}

/* --- the builder --- */

struct built {
    struct reading r;
    struct mi_ge ge;
};

static struct mi_ge *begin(struct built *b, const struct mi_ge_options *options)
{
    static const struct mi_ge_options usual = {.layer = MI_LAYER_COMPILED};
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_batch_init(&b->r.batch, (struct mi_bytes){NULL, 0}, &err));
    assert_true(mi_ge_init(&b->ge, &b->r.batch, options ? options : &usual));
    return &b->ge;
}

static void finish(struct built *b)
{
    mi_ge_fini(&b->ge);
    mi_batch_fini(&b->r.batch);
}

static void op(struct mi_ge *ge, const char *name, const char *type)
{
    mi_ge_op_begin(ge);
    mi_ge_op_name(ge, mi_cstr(name));
    mi_ge_op_type(ge, mi_cstr(type));
}

/* Descriptors before attributes, name last, everything by name. */
static void any_order_by_names(void **state)
{
    (void)state;
    struct built b;
    struct mi_ge *ge = begin(&b, NULL);
    mi_ge_graph_begin(ge, (mi_graph_id){0});
    mi_ge_op_begin(ge);
    struct mi_ge_desc *desc = mi_ge_desc_begin(ge, MI_GE_OUT);
    desc->size_bytes = 64;
    assert_true(mi_ge_attr_begin(ge, MI_LIT("_datadump_origin_name")));
    mi_ge_attr_text(ge, MI_LIT("fw"));
    mi_ge_attr_end(ge);
    mi_ge_desc_dim(ge, 4);
    mi_ge_desc_layout(ge, MI_LIT("FRACTAL_NZ"));
    mi_ge_desc_dtype_name(ge, MI_LIT("DT_BF16"));
    mi_ge_desc_end(ge);
    mi_ge_op_number(ge, MI_GE_OUTPUT_I, 128);
    assert_true(mi_ge_attr_begin(ge, MI_LIT("_datadump_original_op_names")));
    mi_ge_attr_list(ge, 0);
    mi_ge_attr_text(ge, MI_LIT("a"));
    mi_ge_attr_text(ge, MI_LIT(""));
    mi_ge_attr_text(ge, MI_LIT("b"));
    mi_ge_attr_end(ge);
    assert_false(mi_ge_attr_begin(ge, MI_LIT("_tbe_kernel_buffer")));
    mi_ge_op_name(ge, MI_LIT("n"));
    mi_ge_op_type(ge, MI_LIT("MatMulV2"));
    mi_ge_op_end(ge);
    mi_ge_graph_name(ge, MI_LIT("g"));
    mi_ge_graph_end(ge);
    mi_ge_model_end(ge);
    const struct mi_tables *rows = &b.r.batch.rows;
    uint32_t value = output_of(&b.r, 1, 0);
    assert_text(&b.r, rows->values.name[value], "n:0");
    assert_text(&b.r, rows->values.dtype[value], "bfloat16");
    assert_text(&b.r, rows->values.format[value], "FRACTAL_NZ");
    assert_text(&b.r, rows->values.origin_name[value], "fw");
    assert_shape(&b.r, value, "4");
    assert_int_equal(count_recorded(&b.r, 1), 2);
    assert_int_equal(rows->buffers.size_bytes[buffer_of(&b.r, 1, MI_BUFFER_OUTPUT, 0)], 64);
    assert_int_equal(rows->nodes.native_id[1], 0);
    assert_text(&b.r, rows->graphs.name[1], "g");
    finish(&b);
}

static void stages_without_numbers(void **state)
{
    (void)state;
    struct built b;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_batch_init(&b.r.batch, (struct mi_bytes){NULL, 0}, &err));
    struct mi_ge_options options = {.layer = MI_LAYER_COMPILED,
                                    .stage = mi_batch_cstr(&b.r.batch, "PreRunBegin"),
                                    .stage_index = 4,
                                    .without_ids = true};
    assert_true(mi_ge_init(&b.ge, &b.r.batch, &options));
    mi_ge_graph_begin(&b.ge, (mi_graph_id){0});
    op(&b.ge, "x", "Data");
    mi_ge_op_id(&b.ge, 5);
    mi_ge_op_stream(&b.ge, 1);
    mi_ge_model_end(&b.ge); /* ends op and graph, too */
    const struct mi_tables *rows = &b.r.batch.rows;
    assert_int_equal(rows->nodes.native_id[1], -1);
    assert_int_equal(rows->nodes.stream[1], -1);
    assert_text(&b.r, rows->graphs.stage[1], "PreRunBegin");
    assert_int_equal(rows->graphs.stage_index[1], 4);
    finish(&b);
}

static void facts_of_graph_and_model(void **state)
{
    (void)state;
    struct built b;
    struct mi_ge *ge = begin(&b, NULL);
    for (int g = 0; g < 2; g++) {
        mi_ge_graph_begin(ge, (mi_graph_id){0});
        if (mi_ge_attr_begin(ge, MI_LIT("GraphOptions"))) {
            assert_int_equal(g, 0); /* of the first graph alone */
            assert_true(mi_ge_attr_func_begin(ge));
            mi_ge_attr_func_name(ge, MI_LIT("GraphOptions"));
            assert_true(mi_ge_attr_begin(ge, MI_LIT("ge.socVersion")));
            mi_ge_attr_text(ge, MI_LIT("Ascend910"));
            mi_ge_attr_end(ge);
            mi_ge_attr_func_end(ge);
            mi_ge_attr_end(ge);
        }
        mi_ge_graph_end(ge);
    }
    ge->fact_prefix = mi_batch_cstr(&b.r.batch, "sub");
    assert_true(mi_ge_attr_begin(ge, MI_LIT("sizes")));
    mi_ge_attr_list(ge, 2);
    mi_ge_attr_int(ge, 1);
    mi_ge_attr_int(ge, -2);
    mi_ge_attr_end(ge);
    assert_false(mi_ge_attr_begin(ge, MI_LIT("tasks")));
    mi_ge_model_end(ge);
    assert_text(&b.r, fact_named(&b.r, "GraphOptions:ge.socVersion"), "Ascend910");
    assert_text(&b.r, fact_named(&b.r, "sub:sizes"), "1,-2");
    finish(&b);
}

/* What damaged input leaves open is closed by what comes next. */
static void left_open(void **state)
{
    (void)state;
    struct built b;
    struct mi_ge *ge = begin(&b, NULL);
    mi_ge_graph_begin(ge, (mi_graph_id){0});
    op(ge, "a", "Relu");
    mi_ge_attr_begin(ge, MI_LIT("one"));
    mi_ge_attr_int(ge, 1);
    mi_ge_attr_func_begin(ge);
    mi_ge_attr_begin(ge, MI_LIT("inner"));
    mi_ge_attr_int(ge, 7);
    mi_ge_desc_begin(ge, MI_GE_OUT); /* none of the three was ended */
    mi_ge_desc_dtype(ge, 1);
    mi_ge_attr_begin(ge, MI_LIT("C"));
    op(ge, "b", "Relu");
    mi_ge_attr_inner_end(ge); /* nothing is open */
    mi_ge_attr_end(ge);
    mi_ge_desc_end(ge);
    mi_ge_attr_func_end(ge);
    mi_ge_attr_int(ge, 5);
    mi_ge_desc_dim(ge, 5);
    mi_ge_graph_begin(ge, (mi_graph_id){0});
    mi_ge_model_end(ge);
    const struct mi_tables *rows = &b.r.batch.rows;
    assert_int_equal(rows->nodes.count - 1, 2);
    assert_true(node_attr(&b.r, 1, "one") != 0);
    assert_text(&b.r, rows->values.dtype[output_of(&b.r, 1, 0)], "float32");
    assert_int_equal(rows->graphs.count - 1, 2);
    assert_int_equal(b.r.batch.counts.kept, 2);
    finish(&b);
}

static void given_up(void **state)
{
    (void)state;
    struct built b;
    struct mi_ge *ge = begin(&b, NULL);
    mi_ge_graph_begin(ge, (mi_graph_id){0});
    op(ge, "lost", "Relu");
    mi_ge_op_input(ge, MI_LIT("nowhere:0"));
    mi_ge_attr_begin(ge, MI_LIT("fusion_scope"));
    mi_ge_attr_int(ge, 1);
    mi_ge_attr_end(ge);
    mi_ge_op_drop(ge);
    for (int i = 0; i < 3; i++) { /* of the scopes 1, 1, -1 the last makes no group */
        op(ge, i ? "b" : "a", "Relu");
        mi_ge_attr_begin(ge, MI_LIT("fusion_scope"));
        mi_ge_attr_int(ge, i < 2 ? 1 : -1);
        mi_ge_attr_end(ge);
        mi_ge_op_end(ge);
    }
    mi_ge_model_end(ge);
    const struct mi_tables *rows = &b.r.batch.rows;
    assert_int_equal(rows->nodes.count - 1, 3);
    assert_int_equal(rows->ports.count - 1, 0);
    assert_int_equal(b.r.batch.counts.in, 4);
    assert_int_equal(b.r.batch.counts.lost, 1);
    assert_int_equal(rows->groups.count - 1, 1);
    assert_int_equal(rows->members.count - 1, 2);
    finish(&b);
}

static void names_with_colons(void **state)
{
    (void)state;
    static const char *const inputs[] = {"scope:0/x:0", "scope:0/x", "scope:0/x:1x", "x:y:-1",
                                         "y:3"};
    struct built b;
    struct mi_ge *ge = begin(&b, NULL);
    mi_ge_graph_begin(ge, (mi_graph_id){0});
    op(ge, "scope:0/x", "Data");
    mi_ge_desc_begin(ge, MI_GE_OUT);
    mi_ge_desc_end(ge);
    op(ge, "x:y", "NoOp");
    op(ge, "y:3", "Data"); /* a name that looks like an edge */
    op(ge, "end", "NetOutput");
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        mi_ge_op_input(ge, mi_cstr(inputs[i]));
    mi_ge_model_end(ge);
    const struct mi_tables *rows = &b.r.batch.rows;
    uint32_t in = rows->nodes.first_in[4];
    assert_int_equal(rows->values.producer[rows->ports.value[in].v].v, 1);
    assert_int_equal(rows->ports.value[in + 1].v, rows->ports.value[in].v);
    assert_int_equal(rows->values.kind[rows->ports.value[in + 2].v], MI_VALUE_DANGLING);
    assert_int_equal(rows->values.producer[rows->ports.value[in + 3].v].v, 2);
    assert_int_equal(rows->ports.is_control[in + 3], 1);
    assert_int_equal(rows->values.producer[rows->ports.value[in + 4].v].v, 3);
    finish(&b);
}

/* Equal elements share a row; those that differ do not. */
static void shared_elements(void **state)
{
    (void)state;
    struct built b;
    struct mi_ge *ge = begin(&b, NULL);
    mi_ge_graph_begin(ge, (mi_graph_id){0});
    for (int i = 0; i < 100; i++) {
        op(ge, "n", "Relu");
        mi_ge_attr_begin(ge, MI_LIT("int"));
        mi_ge_attr_int(ge, i % 2);
        mi_ge_attr_end(ge);
        mi_ge_attr_begin(ge, MI_LIT("bool"));
        mi_ge_attr_bool(ge, i % 2);
        mi_ge_attr_end(ge);
        mi_ge_attr_begin(ge, MI_LIT("float"));
        mi_ge_attr_float(ge, i % 2 ? -0.0 : 0.0);
        mi_ge_attr_end(ge);
        mi_ge_op_end(ge);
    }
    mi_ge_model_end(ge);
    const struct mi_tables *rows = &b.r.batch.rows;
    assert_true(rows->items.count - 1 <= 8);
    for (uint32_t n = 1; n <= 100; n++) {
        uint32_t real = item(&b.r, node_attr(&b.r, n, "float"), 0);
        assert_int_equal(rows->items.int_value[item(&b.r, node_attr(&b.r, n, "int"), 0)],
                         (n - 1) % 2);
        assert_true((signbit(rows->items.real_value[real]) != 0) == ((n - 1) % 2 != 0));
    }
    finish(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_numberings_of_types),
        cmocka_unit_test(every_type_has_one_number),
        cmocka_unit_test(layouts),
        cmocka_unit_test(any_order_by_names),
        cmocka_unit_test(stages_without_numbers),
        cmocka_unit_test(facts_of_graph_and_model),
        cmocka_unit_test(left_open),
        cmocka_unit_test(given_up),
        cmocka_unit_test(names_with_colons),
        cmocka_unit_test(shared_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
