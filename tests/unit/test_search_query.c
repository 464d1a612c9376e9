/* The language of the search box, on a small graph in both layers and two streams. */
#include "present/export/relate.h"
#include "present/serve/search_query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "hand_model.h"

static struct hand hand;
static uint32_t conv, cast, relu, weight, made, knot;

/* layer1/weight and layer1/conv (float32) -> layer1/cast (float16) -> layer10/relu, whose two tasks
 * of 600 us run on stream 7; beside them a constant of a node without a name. */
static int set_up(void **state)
{
    (void)state;
    struct mi_batch *all = &hand.model.all;
    struct mi_error err = MI_ERROR_INIT;
    uint32_t a, b;
    hand_init(&hand);
    hand_graph(&hand, MI_LAYER_COMPILED, 0);
    uint32_t input = hand_value(&hand, "in", MI_VALUE_INPUT, "float32", 0);
    weight = hand_value(&hand, "layer1/weight", MI_VALUE_CONSTANT, "float32", 0);
    knot = hand_value(&hand, "knot", MI_VALUE_CONSTANT, "float32", 0);
    all->rows.values.outer[knot].v = knot; /* a broken input: it stands for itself */
    conv = hand_node(&hand, "layer1/conv", "Conv", "float32", (uint32_t[4]){input, weight}, &a);
    cast = hand_node(&hand, "layer1/cast", "Cast", "float16", (uint32_t[4]){a}, &b);
    relu = hand_node(&hand, "layer10/relu", "Relu", "bfloat16", (uint32_t[4]){b}, NULL);
    made = hand_node(&hand, "", "Constant", "int64", (uint32_t[4]){0}, &b);
    all->rows.values.name[b] = hand_str(&hand, "axes_of_mean");
    mi_track_id track = mi_add_track(
        all, &(struct mi_track_row){.source = hand.source, .native_id = 7, .device = 0});
    mi_kernel_id kernel =
        mi_add_kernel(all, &(struct mi_kernel_row){.name = hand_str(&hand, "relu_k")});
    mi_kernel_id lone =
        mi_add_kernel(all, &(struct mi_kernel_row){.name = hand_str(&hand, "memcpy"),
                                                   .op = hand_str(&hand, "Copy")});
    for (int i = 0; i < 2; i++) {
        mi_task_id task = mi_add_task(
            all, &(struct mi_task_row){
                     .track = track, .kernel = kernel, .start_ns = i * 1000000, .dur_ns = 600000});
        mi_link_add(all, &(struct mi_executed_row){.node = {relu}, .task = task});
    }
    mi_add_task(all, &(struct mi_task_row){.track = track, .kernel = lone, .start_ns = 5000000});
    assert_true(mi_model_index_graphs(&hand.model, &err));
    assert_true(mi_model_freeze(&hand.model, &err));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    mi_model_fini(&hand.model);
    return 0;
}

/* One digit per node: conv, cast, relu. */
static int fits(const char *text)
{
    struct mi_query query = mi_query_read(mi_cstr(text));
    return (mi_query_node(&query, &hand.model, conv) > 0) * 100 +
           (mi_query_node(&query, &hand.model, cast) > 0) * 10 +
           (mi_query_node(&query, &hand.model, relu) > 0);
}

static void words_fit_names_types_and_scopes(void **state)
{
    (void)state;
    assert_int_equal(fits("LAYER1"), 111);
    assert_int_equal(fits("layer1 relu"), 1);
    assert_int_equal(fits("layer1 re layer10"), 1); /* any number of words */
    assert_int_equal(fits("\"layer1/\" \"conv\""), 100);
    assert_int_equal(fits("op:c"), 110);
    assert_int_equal(fits("op:c cast"), 10);
    assert_int_equal(fits("ns:layer1"), 110);
    assert_int_equal(fits("ns:layer1/"), 110);
    assert_int_equal(fits("ns:relu"), 0); /* a name, no scope */
    assert_int_equal(fits("layer:comp"), 111);
    assert_int_equal(fits("layer:framework"), 0);
    assert_int_equal(fits("\"op:c\""), 0);
    assert_int_equal(fits("\"layer1/c"), 110); /* the closing quote is not typed yet */
}

static void words_fit_types_streams_and_times(void **state)
{
    (void)state;
    assert_int_equal(fits("dtype:f32"), 110);
    assert_int_equal(fits("dtype:f16"), 11);
    assert_int_equal(fits("dtype:bf16"), 1);
    assert_int_equal(fits("dtype:float16"), 11); /* also within bfloat16 */
    assert_int_equal(fits("stream:7"), 1);
    assert_int_equal(fits("stream:70"), 0);
    assert_int_equal(fits("dur>1ms"), 1);
    assert_int_equal(fits("dur>1.2ms"), 0);
    assert_int_equal(fits("dur>=1.2ms"), 1);
    assert_int_equal(fits("dur<1200"), 110);
    assert_int_equal(fits("dur<=1200µs"), 111);
    assert_int_equal(fits("dur>0.0012s"), 0);
    assert_int_equal(fits("unmapped"), 110);
    assert_int_equal(fits("dur>"), 111); /* half typed */
    assert_int_equal(fits("dur>x"), 111);
    assert_int_equal(fits("dur<99999999999999999999s"), 111);
}

static void tasks_without_a_node_are_found_by_their_names(void **state)
{
    (void)state;
    struct mi_query query = mi_query_read(MI_LIT("op:copy mem"));
    assert_true(query.has_text_only);
    assert_int_equal(mi_query_kernel(&query, &hand.model, 1), 0);
    assert_int_equal(mi_query_kernel(&query, &hand.model, 2), 2);
    assert_false(mi_query_read(MI_LIT("mem dur>1")).has_text_only);
}

static int fits_weight(const char *text)
{
    struct mi_query query = mi_query_read(mi_cstr(text));
    return mi_query_constant(&query, &hand.model, weight);
}

static void constants_are_found_by_what_they_are_known_as(void **state)
{
    (void)state;
    assert_int_equal(fits_weight("WEIGHT"), 2);
    assert_int_equal(fits_weight("eight"), 1);
    assert_int_equal(fits_weight("conv"), 0);
    assert_int_equal(fits_weight("op:const weight"), 2);
    assert_int_equal(fits_weight("op:conv"), 0);
    assert_int_equal(fits_weight("ns:layer1 dtype:f32 layer:compiled"), 1);
    assert_int_equal(fits_weight("ns:weight"), 0);
    assert_int_equal(fits_weight("dtype:f16"), 0);
    assert_int_equal(fits_weight("layer:framework"), 0);
    assert_int_equal(fits_weight("weight dur<1s"), 0); /* of what reads it */
    assert_int_equal(fits_weight("weight unmapped"), 0);
}

static void constants_lead_to_what_reads_them(void **state)
{
    (void)state;
    assert_int_equal(mi_relate_first_reader(&hand.model, (mi_value_id){weight}).v, conv);
    assert_int_equal(mi_relate_first_reader(&hand.model, (mi_value_id){knot}).v, 0);
}

static void nodes_without_a_name_are_found_by_what_they_make(void **state)
{
    (void)state;
    struct mi_query query = mi_query_read(MI_LIT("axes"));
    assert_int_equal(mi_query_node(&query, &hand.model, made), 2);
    assert_int_equal(mi_query_node(&query, &hand.model, conv), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words_fit_names_types_and_scopes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_fit_types_streams_and_times, set_up, tear_down),
        cmocka_unit_test_setup_teardown(constants_are_found_by_what_they_are_known_as, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(constants_lead_to_what_reads_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nodes_without_a_name_are_found_by_what_they_make, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(tasks_without_a_node_are_found_by_their_names, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
