/* Outlines for drawings: inputs and outputs as items, long groups cut into parts in the order of
 * the data. The nodes of the hand-made graph stand in the file in the opposite order of the data:
 *
 *     x -> n0 -> n1 -> ... -> n9 -> y        with a constant beside each node */
#include "analyse/outline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "alloc_fail.h"
#include "hand_model.h"

enum { NODES = 10 };

static void build(struct hand *hand, uint32_t nodes[NODES])
{
    struct mi_batch *all = &hand->model.all;
    uint32_t values[NODES + 1], places[NODES];
    struct mi_error err = MI_ERROR_INIT;
    hand_init(hand);
    mi_graph_id graph = hand_graph(hand, MI_LAYER_FRAMEWORK, 0);
    values[0] = hand_value(hand, "x", MI_VALUE_INPUT, "float32", 0);
    for (uint32_t i = NODES; i-- > 0;) { /* inputs are filled in below */
        char name[16], constant[16];
        snprintf(name, sizeof name, "n%u", i);
        snprintf(constant, sizeof constant, "c%u", i);
        hand_node(hand, constant, "Constant", "float32", (uint32_t[4]){0}, NULL);
        places[i] = mi_next_row(all, ports);
        nodes[i] =
            hand_node(hand, name, "Relu", "float32", (uint32_t[4]){values[0]}, &values[i + 1]);
    }
    for (uint32_t i = 0; i < NODES; i++)
        all->rows.ports.value[places[i]].v = values[i];
    all->rows.graphs.first_in[graph.v] = mi_next_row(all, ports);
    all->rows.graphs.in_count[graph.v] = 1;
    mi_add_port(all, &(struct mi_port_row){.value = {values[0]}});
    all->rows.graphs.first_out[graph.v] = mi_next_row(all, ports);
    all->rows.graphs.out_count[graph.v] = 1;
    mi_add_port(all, &(struct mi_port_row){.value = {values[NODES]}});
    assert_true(mi_model_index_graphs(&hand->model, &err));
    assert_true(mi_model_freeze(&hand->model, &err));
}

static void long_groups_are_cut_in_the_order_of_the_data(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_outline outline;
    uint32_t nodes[NODES];
    build(&hand, nodes);
    assert_true(mi_outline_init(
        &outline, &hand.model,
        &(struct mi_outline_options){
            .layer = MI_LAYER_FRAMEWORK, .flat = true, .with_ends = true, .most_children = 4},
        NULL));
    uint32_t before = 0, seen[4] = {0};
    for (uint32_t i = 0; i < NODES; i++) {
        const struct mi_outline_item *part =
            &outline.items[outline.items[outline.item_of_node[nodes[i]]].parent];
        assert_in_range(part->part, 1, 3); /* twelve boxes, four in each part */
        assert_true(part->part >= before);
        assert_int_equal(part->parent, outline.item_of_graph[1]);
        before = part->part;
        seen[before]++;
    }
    assert_int_equal(seen[1], 3); /* beside the input */
    assert_int_equal(seen[2], 4);
    assert_int_equal(seen[3], 3); /* beside the output */
    assert_int_equal(outline.items[outline.item_of_graph[1]].nodes, 2 * NODES);
    uint32_t first = outline.items[outline.item_of_graph[1]].first;
    assert_true(mi_bytes_equal(outline.items[first].label, MI_LIT("1/3")));
    mi_outline_fini(&outline);
    mi_model_fini(&hand.model);
}

/* data -> m/a -> trans_1 -> trans_2 -> m/x/b -> out: the two in the middle belong to m, and so does
 * what trans_1 signals to. */
static void nodes_without_a_scope_join_their_neighbours(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_outline outline;
    struct mi_error err = MI_ERROR_INIT;
    uint32_t value, trans[2];
    hand_init(&hand);
    hand_graph(&hand, MI_LAYER_COMPILED, 0);
    uint32_t data = hand_node(&hand, "data", "Data", "float32", (uint32_t[4]){0}, &value);
    uint32_t a = hand_node(&hand, "m/a", "Conv", "float32", (uint32_t[4]){value}, &value);
    trans[0] = hand_node(&hand, "trans_1", "TransData", "float32", (uint32_t[4]){value}, &value);
    trans[1] = hand_node(&hand, "trans_2", "Cast", "float16", (uint32_t[4]){value}, &value);
    hand_node(&hand, "m/x/b", "Conv", "float16", (uint32_t[4]){value}, &value);
    uint32_t end = hand_node(&hand, "out", "NetOutput", "float16", (uint32_t[4]){value}, NULL);
    uint32_t signal = hand_value(&hand, "trans_1:-1", MI_VALUE_ACTIVATION, "", 0);
    struct mi_tables *rows = &hand.model.all.rows;
    rows->values.producer[signal].v = trans[0];
    uint32_t send = hand_node(&hand, "Send_1", "Send", "", (uint32_t[4]){signal}, NULL);
    rows->ports.is_control[rows->nodes.first_in[send]] = 1;
    assert_true(mi_model_index_graphs(&hand.model, &err));
    assert_true(mi_model_freeze(&hand.model, &err));
    for (int adopt = 0; adopt < 2; adopt++) {
        assert_true(mi_outline_init(
            &outline, &hand.model,
            &(struct mi_outline_options){.layer = MI_LAYER_COMPILED, .adopt = adopt}, NULL));
        uint32_t graph = outline.item_of_graph[1];
        uint32_t m = outline.items[outline.item_of_node[a]].parent;
        assert_int_equal(outline.items[outline.item_of_node[data]].parent, graph);
        assert_int_equal(outline.items[outline.item_of_node[end]].parent, graph);
        for (int i = 0; i < 2; i++)
            assert_int_equal(outline.items[outline.item_of_node[trans[i]]].parent,
                             adopt ? m : graph);
        assert_int_equal(outline.items[outline.item_of_node[send]].parent, adopt ? m : graph);
        assert_int_equal(outline.items[m].nodes, adopt ? 5 : 2);
        assert_int_equal(outline.items[graph].nodes, 7);
        mi_outline_fini(&outline);
    }
    mi_model_fini(&hand.model);
}

static void inputs_and_outputs_are_items_where_wanted(void **state)
{
    (void)state;
    struct hand hand;
    struct mi_outline outline;
    uint32_t nodes[NODES], inputs = 0, outputs = 0;
    build(&hand, nodes);
    for (int ends = 0; ends < 2; ends++) {
        assert_true(mi_outline_init(
            &outline, &hand.model,
            &(struct mi_outline_options){.layer = MI_LAYER_FRAMEWORK, .with_ends = ends}, NULL));
        inputs = outputs = 0;
        for (uint32_t i = 1; i < outline.count; i++) {
            inputs += outline.items[i].value && !outline.items[i].is_output;
            outputs += outline.items[i].value && outline.items[i].is_output;
        }
        assert_int_equal(inputs, ends);
        assert_int_equal(outputs, ends);
        mi_outline_fini(&outline);
    }
    mi_model_fini(&hand.model);
}

static void without_memory_it_fails_and_leaks_nothing(void **state)
{
    (void)state;
    struct hand hand;
    uint32_t nodes[NODES];
    bool done = false;
    build(&hand, nodes);
    for (long n = 0; n < 2000 && !done; n++) {
        struct mi_outline outline;
        struct mi_error err = MI_ERROR_INIT;
        alloc_left = n;
        done = mi_outline_init(
            &outline, &hand.model,
            &(struct mi_outline_options){
                .layer = MI_LAYER_FRAMEWORK, .flat = true, .with_ends = true, .most_children = 4},
            &err);
        alloc_left = -1;
        assert_int_equal(err.code, done ? MI_OK : MI_ENOMEM);
        mi_outline_fini(&outline);
    }
    assert_true(done);
    mi_model_fini(&hand.model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_groups_are_cut_in_the_order_of_the_data),
        cmocka_unit_test(nodes_without_a_scope_join_their_neighbours),
        cmocka_unit_test(inputs_and_outputs_are_items_where_wanted),
        cmocka_unit_test(without_memory_it_fails_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
