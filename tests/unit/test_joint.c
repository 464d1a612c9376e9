/* The graphs of a comparison as one: partners are one node, what is new stands in its place, no
 * wire is lost; and what each side has of the drawing. */
#include "alloc_fail.h"
#include "analyse/compare/joint.h"
#include "hand_model.h"
#include "present/serve/site_diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const uint32_t nothing[4] = {0};

struct two {
    struct hand hand[2];
    struct mi_match match;
    struct mi_joint joint;
};

static uint32_t named(const struct mi_model *model, const char *name)
{
    const struct mi_tables *rows = &model->all.rows;
    for (uint32_t n = 1; n < rows->nodes.count; n++)
        if (mi_bytes_equal(mi_model_text(model, rows->nodes.name[n]), mi_cstr(name)))
            return n;
    fail_msg("no node %s", name);
    return 0;
}

/* Whether the joint node of that name is on a side. */
static bool is_on(const struct two *two, unsigned side, const char *name)
{
    return two->joint.side_node[side][named(&two->joint.model, name)] != 0;
}

/* Wires from one node of the joint model to another. */
static uint32_t wires(const struct mi_model *model, const char *from, const char *to)
{
    const struct mi_tables *rows = &model->all.rows;
    uint32_t a = named(model, from), b = named(model, to), count = 0;
    for (uint32_t p = 0; p < rows->nodes.in_count[b]; p++) {
        uint32_t value = rows->ports.value[rows->nodes.first_in[b] + p].v;
        count += rows->values.producer[value].v == a;
    }
    return count;
}

static void finish(struct two *two)
{
    struct mi_error err = MI_ERROR_INIT;
    hand_finish(&two->hand[0]);
    hand_finish(&two->hand[1]);
    assert_true(mi_match_init(&two->match, &two->hand[0].model, &two->hand[1].model, &err));
    assert_true(mi_joint_init(&two->joint, &two->match, &err));
}

static void two_fini(struct two *two)
{
    mi_joint_fini(&two->joint);
    mi_match_fini(&two->match);
    hand_fini(&two->hand[0]);
    hand_fini(&two->hand[1]);
}

/* Base: in -> mul -> add -> out, gone beside; new: in -> mul -> cast -> add -> out. */
static void one_put_in(struct hand hand[2])
{
    for (int i = 0; i < 2; i++) {
        uint32_t in, mul, at, out;
        hand_init(&hand[i]);
        hand_graph(&hand[i], MI_LAYER_COMPILED, 0);
        hand_node(&hand[i], "in", "Data", "float16", nothing, &in);
        hand_node(&hand[i], "layer/mul", "MatMul", "float16", (uint32_t[4]){in}, &mul);
        at = mul;
        if (i)
            hand_node(&hand[i], "layer/cast", "Cast", "float32", (uint32_t[4]){mul}, &at);
        else
            hand_node(&hand[i], "layer/gone", "Exp", "float16", (uint32_t[4]){mul}, &out);
        hand_node(&hand[i], "layer/add", "Add", "float16",
                  i ? (uint32_t[4]){at, in} : (uint32_t[4]){at, in, out}, &out);
        hand_node(&hand[i], "out", "NetOutput", "float16", (uint32_t[4]){out}, NULL);
    }
}

static void partners_are_one_node(void **state)
{
    (void)state;
    struct two two;
    one_put_in(two.hand);
    finish(&two);
    const struct mi_model *model = &two.joint.model;
    assert_int_equal(model->all.rows.graphs.count - 1, 1);
    assert_int_equal(model->all.rows.nodes.count - 1, 6);
    for (unsigned side = 0; side < 2; side++) {
        assert_true(is_on(&two, side, "layer/mul") && is_on(&two, side, "layer/add"));
        assert_int_equal(is_on(&two, side, "layer/cast"), side == MI_CMP_NEW);
        assert_int_equal(is_on(&two, side, "layer/gone"), side == MI_CMP_BASE);
        for (uint32_t n = 1; n < two.hand[side].model.all.rows.nodes.count; n++)
            assert_int_equal(two.joint.side_node[side][two.joint.node_of[side][n]], n);
    }
    /* Wires of both sides, those of both once. */
    assert_int_equal(wires(model, "layer/mul", "layer/add"), 1);
    assert_int_equal(wires(model, "in", "layer/add"), 1);
    assert_int_equal(wires(model, "layer/mul", "layer/cast"), 1);
    assert_int_equal(wires(model, "layer/cast", "layer/add"), 1);
    assert_int_equal(wires(model, "layer/gone", "layer/add"), 1);
    /* What is new stands behind what it stood behind. */
    assert_int_equal(named(model, "layer/cast"), named(model, "layer/mul") + 1);
    two_fini(&two);
}

/* Fusion groups that share a node are one; links of both sides lead to joint nodes. */
static void groups_and_links(void **state)
{
    (void)state;
    struct two two;
    one_put_in(two.hand);
    for (int i = 0; i < 2; i++) {
        struct mi_batch *all = &two.hand[i].model.all;
        mi_group_id group =
            mi_add_group(all, &(struct mi_group_row){.graph = two.hand[i].graph,
                                                     .name = hand_str(&two.hand[i], "7")});
        for (uint32_t n = 2; n <= 4; n++)
            mi_add_member(all, &(struct mi_member_row){.group = group, .node = {n}});
    }
    finish(&two);
    const struct mi_tables *rows = &two.joint.model.all.rows;
    assert_int_equal(rows->groups.count - 1, 1);
    assert_int_equal(rows->members.count - 1, 4); /* mul, gone, add, cast */
    two_fini(&two);
}

/* Inputs and outputs that no node stands for; an input that was renamed is the one at its place. */
static void ends_of_graphs(void **state)
{
    (void)state;
    struct two two;
    for (int i = 0; i < 2; i++) {
        struct hand *hand = &two.hand[i];
        hand_init(hand);
        mi_graph_id graph = hand_graph(hand, MI_LAYER_FRAMEWORK, 0);
        uint32_t in = hand_value(hand, i ? "image:0" : "image", MI_VALUE_INPUT, "float16", 0);
        uint32_t relu;
        hand->model.all.rows.graphs.first_in[graph.v] = mi_next_row(&hand->model.all, ports);
        hand->model.all.rows.graphs.in_count[graph.v] = 1;
        mi_add_port(&hand->model.all, &(struct mi_port_row){.value = {in}});
        hand_node(hand, "relu", "Relu", "float16", (uint32_t[4]){in}, &relu);
        hand_output(hand, graph, relu);
    }
    finish(&two);
    const struct mi_tables *rows = &two.joint.model.all.rows;
    assert_int_equal(rows->values.count - 1, 2);
    assert_int_equal(rows->graphs.in_count[1], 1);
    assert_int_equal(rows->graphs.out_count[1], 1);
    assert_int_equal(rows->nodes.in_count[1], 1);
    two_fini(&two);
}

static void out_of_memory(void **state)
{
    (void)state;
    struct two two;
    bool ok = false;
    one_put_in(two.hand);
    finish(&two);
    mi_joint_fini(&two.joint);
    for (long n = 0; !ok; n++) {
        struct mi_error err = MI_ERROR_INIT;
        alloc_left = n;
        ok = mi_joint_init(&two.joint, &two.match, &err);
        alloc_left = -1;
        if (!ok) {
            assert_int_equal(err.code, MI_ENOMEM);
            mi_joint_fini(&two.joint);
        }
    }
    two_fini(&two);
}

/* --- drawings --- */

static uint32_t item_of(const struct mi_joint_drawn *drawn, const char *name)
{
    return drawn->drawn.outline.item_of_node[named(drawn->drawn.outline.model, name)];
}

static uint8_t tag(const struct mi_joint_drawn *drawn, const char *from, const char *to)
{
    const struct mi_scenery *scenery = &drawn->drawn.scenery;
    for (uint32_t e = 0; e < scenery->edge_count; e++)
        if (scenery->from[e] == item_of(drawn, from) && scenery->to[e] == item_of(drawn, to))
            return scenery->tags[e];
    fail_msg("no edge from %s to %s", from, to);
    return 0;
}

/* Each side knows what of the joint drawing it has, and groups what differs inside. */
static void sides_of_a_drawing(void **state)
{
    (void)state;
    struct hand hand[2];
    struct mi_error err = MI_ERROR_INIT;
    const struct mi_bytes names[] = {MI_LIT("old"), MI_LIT("new")};
    one_put_in(hand);
    hand_finish(&hand[0]);
    hand_finish(&hand[1]);
    struct mi_site *site = mi_site_new(&hand[1].model, &err);
    assert_true(mi_site_set_base(site, &hand[0].model, names, &err));
    const struct mi_joint_drawn *drawn =
        mi_site_joint_drawn(site, (struct mi_folding){.layer = MI_LAYER_COMPILED}, &err);
    assert_non_null(drawn);
    assert_ptr_equal(drawn,
                     mi_site_joint_drawn(mi_site_base(site),
                                         (struct mi_folding){.layer = MI_LAYER_COMPILED}, &err));
    const struct mi_joint_view *view = drawn->view;
    uint32_t cast = item_of(drawn, "layer/cast"), gone = item_of(drawn, "layer/gone");
    uint32_t layer = drawn->drawn.outline.items[cast].parent;
    assert_true(!view[0].is_there[cast] && view[1].is_there[cast]);
    assert_true(view[0].is_there[gone] && !view[1].is_there[gone]);
    assert_int_equal(view[0].nodes[layer], 3);
    assert_int_equal(view[1].nodes[layer], 3);
    assert_int_equal(drawn->changed[layer], 2);
    assert_int_equal(drawn->differs[layer], 1U << MI_CMP_APPEARED | 1U << MI_CMP_VANISHED);
    assert_int_equal(tag(drawn, "layer/mul", "layer/add"), 1);
    assert_int_equal(tag(drawn, "in", "layer/add"), 3);
    assert_int_equal(tag(drawn, "layer/cast", "layer/add"), 2);
    mi_site_free(site);
    hand_fini(&hand[0]);
    hand_fini(&hand[1]);
}

/* Base: mul reads w, add reads b; new: mul reads w2 under another name, add reads b and the new c.
 */
static void constants_read_at_the_same_place_are_partners(void **state)
{
    (void)state;
    struct hand hand[2];
    struct mi_error err = MI_ERROR_INIT;
    const struct mi_bytes names[] = {MI_LIT("old"), MI_LIT("new")};
    uint32_t w[2], b[2], c = 0;
    for (int i = 0; i < 2; i++) {
        uint32_t in, mul;
        hand_init(&hand[i]);
        hand_graph(&hand[i], MI_LAYER_COMPILED, 0);
        w[i] = hand_value(&hand[i], i ? "w2" : "w", MI_VALUE_CONSTANT, "float16", 0);
        b[i] = hand_value(&hand[i], "b", MI_VALUE_CONSTANT, "float16", 0);
        if (i)
            c = hand_value(&hand[i], "c", MI_VALUE_CONSTANT, "float16", 0);
        hand_node(&hand[i], "in", "Data", "float16", nothing, &in);
        hand_node(&hand[i], "layer/mul", "MatMul", "float16", (uint32_t[4]){in, w[i]}, &mul);
        hand_node(&hand[i], "layer/add", "Add", "float16", (uint32_t[4]){mul, b[i], c}, NULL);
        hand_finish(&hand[i]);
    }
    struct mi_site *site = mi_site_new(&hand[1].model, &err);
    assert_true(mi_site_set_base(site, &hand[0].model, names, &err));
    const struct mi_joint *joint = mi_site_joint(site, &err);
    struct mi_folding folding = {.layer = MI_LAYER_COMPILED, .with_constants = true};
    const struct mi_joint_drawn *drawn = mi_site_joint_drawn(site, folding, &err);
    assert_non_null(joint);
    assert_non_null(drawn);
    assert_int_not_equal(joint->value_of[0][w[0]], 0);
    assert_int_equal(joint->value_of[0][w[0]], joint->value_of[1][w[1]]);
    assert_int_equal(joint->value_of[0][b[0]], joint->value_of[1][b[1]]);
    uint32_t item_w = drawn->drawn.outline.item_of_value[joint->value_of[0][w[0]]];
    uint32_t item_c = drawn->drawn.outline.item_of_value[joint->value_of[1][c]];
    assert_true(drawn->view[0].is_there[item_w] && drawn->view[1].is_there[item_w]);
    assert_true(!drawn->view[0].is_there[item_c] && drawn->view[1].is_there[item_c]);
    assert_true(drawn->drawn.scenery.flags[item_w] & MI_BOX_CONSTANT);
    mi_site_free(site);
    hand_fini(&hand[0]);
    hand_fini(&hand[1]);
}

/* Whatever fails, the next request finds all in order. */
static void drawing_out_of_memory(void **state)
{
    (void)state;
    struct hand hand[2];
    const struct mi_bytes names[] = {MI_LIT("old"), MI_LIT("new")};
    one_put_in(hand);
    hand_finish(&hand[0]);
    hand_finish(&hand[1]);
    bool ok = false;
    for (long n = 0; !ok; n++) {
        struct mi_error err = MI_ERROR_INIT;
        alloc_left = n;
        struct mi_site *site = mi_site_new(&hand[1].model, &err);
        ok = site && mi_site_set_base(site, &hand[0].model, names, &err) &&
             mi_site_joint_drawn(site, (struct mi_folding){.layer = MI_LAYER_COMPILED}, &err);
        alloc_left = -1;
        assert_true(ok || err.code == MI_ENOMEM);
        mi_site_free(site);
    }
    hand_fini(&hand[0]);
    hand_fini(&hand[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partners_are_one_node),
        cmocka_unit_test(groups_and_links),
        cmocka_unit_test(ends_of_graphs),
        cmocka_unit_test(out_of_memory),
        cmocka_unit_test(sides_of_a_drawing),
        cmocka_unit_test(drawing_out_of_memory),
        cmocka_unit_test(constants_read_at_the_same_place_are_partners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
