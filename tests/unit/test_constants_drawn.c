/* Constants as boxes of their own. The graph, with constants at the left of what reads them:
 *
 *     main: in -> s/a -> s/b -> t/lone -> many/0 .. many/19      w, shared -> s/a, s/b
 *                          \-> loop (a body with an addition)    held (a node) -> s/b
 *                                                                 s/deep (a node) -> t/lone
 *                                                                 alone -> t/lone
 *                                                                 mask -> many/..
 *                                                                 outer -> the addition in the body
 *                                                                 unread -> nothing */
#include "present/layout/box_text.h"
#include "present/layout/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alloc_fail.h"
#include "hand_model.h"

enum { MANY = 20 };

struct fixture {
    struct hand hand;
    uint32_t a, b, lone, held, deep, loop, add, many[MANY];
    uint32_t w, shared, alone, mask, outer, unread; /* values */
    struct mi_outline plain, outline;               /* without constants, and with them */
    struct mi_scenery set;
    uint8_t *open;
};

static struct fixture f;

static uint32_t constant(const char *name)
{
    return hand_value(&f.hand, name, MI_VALUE_CONSTANT, "float32", 0);
}

static uint32_t node(const char *name, const char *op, const uint32_t in[4], uint32_t *out)
{
    return hand_node(&f.hand, name, op, "float32", in, out);
}

static void build_model(void)
{
    uint32_t a, b, lone, held, deep;
    hand_init(&f.hand);
    hand_graph(&f.hand, MI_LAYER_FRAMEWORK, 0);
    uint32_t in = hand_value(&f.hand, "in", MI_VALUE_INPUT, "float32", 0);
    f.w = constant("w");
    f.shared = constant("shared");
    f.alone = constant("alone");
    f.mask = constant("mask");
    f.outer = constant("outer");
    f.unread = constant("unread");
    f.held = node("held", "Constant", (uint32_t[4]){0}, &held);
    f.deep = node("s/deep", "Constant", (uint32_t[4]){0}, &deep);
    f.a = node("s/a", "Conv", (uint32_t[4]){in, f.w, f.shared}, &a);
    f.b = node("s/b", "Conv", (uint32_t[4]){a, f.shared, held}, &b);
    f.lone = node("t/lone", "Add", (uint32_t[4]){b, deep, f.alone}, &lone);
    for (uint32_t i = 0; i < MANY; i++) {
        char name[16];
        snprintf(name, sizeof name, "many/%u", i);
        f.many[i] = node(name, "Mul", (uint32_t[4]){lone, f.mask}, NULL);
    }
    f.loop = node("loop", "Loop", (uint32_t[4]){b}, NULL);
    hand_graph(&f.hand, MI_LAYER_FRAMEWORK, f.loop);
    uint32_t captured = hand_value(&f.hand, "outer", MI_VALUE_OUTER, "float32", f.outer);
    f.add = node("add", "Add", (uint32_t[4]){captured, captured}, NULL);
    hand_finish(&f.hand);
}

static bool make(struct mi_outline *outline, bool with_constants, uint32_t most_children,
                 struct mi_error *err)
{
    struct mi_outline_options options = {.layer = MI_LAYER_FRAMEWORK,
                                         .with_ends = true,
                                         .with_constants = with_constants,
                                         .adopt = true,
                                         .most_children = most_children};
    return mi_outline_init(outline, &f.hand.model, &options, err);
}

static int set_up(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    build_model();
    assert_true(make(&f.plain, false, 0, &err));
    assert_true(make(&f.outline, true, 0, &err));
    assert_true(mi_scenery_init(&f.set, &f.outline, &err));
    f.open = calloc(f.outline.count, 1);
    memset(f.open, 1, f.outline.count);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(f.open);
    mi_scenery_fini(&f.set);
    mi_outline_fini(&f.outline);
    mi_outline_fini(&f.plain);
    hand_fini(&f.hand);
    return 0;
}

static uint32_t parent_of_node(uint32_t node)
{
    return f.outline.items[f.outline.item_of_node[node]].parent;
}

static uint32_t parent_of_value(uint32_t value)
{
    return f.outline.items[f.outline.item_of_value[value]].parent;
}

static void constants_lie_beside_what_reads_them(void **state)
{
    (void)state;
    uint32_t main = f.outline.item_of_graph[1], s = parent_of_node(f.a);
    assert_int_equal(parent_of_value(f.w), s);
    assert_int_equal(parent_of_value(f.shared), s);
    assert_int_equal(parent_of_node(f.held), s);      /* no name puts it anywhere else */
    assert_int_equal(parent_of_node(f.deep), s);      /* its name does */
    assert_int_equal(parent_of_value(f.alone), main); /* a scope around one node is one box */
    assert_int_equal(parent_of_value(f.outer), main); /* its own graph */
    assert_int_equal(parent_of_value(f.mask), parent_of_node(f.many[0]));
    assert_int_equal(f.outline.item_of_value[f.unread], 0);
    assert_int_equal(f.outline.items[s].nodes, 4);
    assert_int_equal(f.outline.items[main].nodes, f.plain.items[main].nodes);
}

static void all_other_items_are_the_same(void **state)
{
    (void)state;
    assert_int_equal(f.outline.count, f.plain.count + 5);
    for (uint32_t i = 1; i < f.plain.count; i++) {
        const struct mi_outline_item *with = &f.outline.items[i], *without = &f.plain.items[i];
        assert_int_equal(with->node, without->node);
        assert_int_equal(with->value, without->value);
        assert_true(mi_bytes_equal(with->label, without->label));
        if (with->node != f.held)
            assert_int_equal(with->parent, without->parent);
        assert_false(mi_outline_is_constant(&f.plain, i));
        assert_int_equal(mi_outline_is_constant(&f.outline, i),
                         with->node && (with->node == f.held || with->node == f.deep));
    }
}

static struct mi_scene draw(void)
{
    struct mi_scene scene;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_scene_draw(&f.set, 0, f.open, NULL, &scene, &err));
    return scene;
}

static uint32_t box_of(const struct mi_scene *scene, uint32_t item)
{
    for (uint32_t b = 1; b < scene->box_count; b++)
        if (scene->boxes[b].item == item && !(scene->boxes[b].flags & MI_BOX_PORT))
            return b;
    return 0;
}

static uint32_t wires_between(const struct mi_scene *scene, uint32_t from, uint32_t to,
                              uint8_t flags)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < scene->edge_count; e++)
        count += scene->edges[e].from == box_of(scene, from) &&
                 scene->edges[e].to == box_of(scene, to) && scene->edges[e].flags == flags;
    return count;
}

static void each_is_one_box_with_wires(void **state)
{
    (void)state;
    struct mi_scene scene = draw();
    uint32_t w = f.outline.item_of_value[f.w], shared = f.outline.item_of_value[f.shared];
    uint32_t held = f.outline.item_of_node[f.held], boxes = 0;
    for (uint32_t b = 1; b < scene.box_count; b++)
        boxes += (scene.boxes[b].flags & MI_BOX_CONSTANT) != 0;
    assert_int_equal(boxes, 7);
    assert_int_equal(wires_between(&scene, w, f.outline.item_of_node[f.a], 0), 1);
    assert_int_equal(wires_between(&scene, shared, f.outline.item_of_node[f.a], 0), 1);
    assert_int_equal(wires_between(&scene, shared, f.outline.item_of_node[f.b], 0), 1);
    assert_int_equal(wires_between(&scene, held, f.outline.item_of_node[f.b], 0), 1);
    assert_true(scene.boxes[box_of(&scene, w)].height <
                scene.boxes[box_of(&scene, f.outline.item_of_node[f.a])].height);
    mi_scene_fini(&scene);
}

static void what_many_read_is_a_hub(void **state)
{
    (void)state;
    struct mi_scene scene = draw();
    uint32_t mask = f.outline.item_of_value[f.mask];
    assert_true(scene.boxes[box_of(&scene, mask)].flags & MI_BOX_HUB);
    for (uint32_t i = 0; i < MANY; i++)
        assert_int_equal(
            wires_between(&scene, mask, f.outline.item_of_node[f.many[i]], MI_EDGE_STUB), 1);
    mi_scene_fini(&scene);
}

static void bodies_are_fed_from_outside(void **state)
{
    (void)state;
    struct mi_scene scene = draw();
    uint32_t outer = box_of(&scene, f.outline.item_of_value[f.outer]), way_in = 0;
    uint32_t main = box_of(&scene, f.outline.item_of_graph[1]);
    assert_int_equal(scene.boxes[outer].parent, main);
    for (uint32_t e = 0; e < scene.edge_count; e++)
        way_in += scene.edges[e].from == outer;
    assert_int_equal(way_in, 1);
    mi_scene_fini(&scene);
}

static void boxes_do_not_count_what_is_a_box(void **state)
{
    (void)state;
    struct mi_arena arena;
    mi_arena_init(&arena);
    uint32_t item = f.outline.item_of_node[f.a];
    assert_int_equal(mi_box_text(&f.plain, item, &arena).constants, 2);
    assert_int_equal(mi_box_text(&f.outline, item, &arena).constants, 0);
    struct mi_box_text text = mi_box_text(&f.outline, f.outline.item_of_value[f.w], &arena);
    assert_true(mi_bytes_equal(text.label, MI_LIT("w")));
    assert_true(mi_bytes_equal(text.type, MI_LIT("f32")));
    mi_arena_fini(&arena);
}

static void two_drawings_are_the_same(void **state)
{
    (void)state;
    struct mi_scene one = draw(), two = draw();
    assert_int_equal(one.box_count, two.box_count);
    assert_int_equal(one.point_count, two.point_count);
    for (uint32_t b = 1; b < one.box_count; b++) {
        assert_int_equal(one.boxes[b].item, two.boxes[b].item);
        assert_true(one.boxes[b].x == two.boxes[b].x && one.boxes[b].y == two.boxes[b].y);
    }
    assert_memory_equal(one.points, two.points, one.point_count * sizeof *one.points);
    mi_scene_fini(&one);
    mi_scene_fini(&two);
}

/* Cut into parts, constants go into that of what reads them; without the switch into the last. */
static void parts_hold_the_constants_that_they_read(void **state)
{
    (void)state;
    struct mi_outline plain, with;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(make(&plain, false, 3, &err) && make(&with, true, 3, &err));
    uint32_t held = with.item_of_node[f.held];
    assert_true(plain.items[plain.items[held].parent].part);
    assert_int_equal(with.items[held].parent, with.items[with.item_of_node[f.b]].parent);
    uint32_t many = with.items[with.item_of_value[f.mask]].parent;
    assert_false(with.items[many].part); /* readers in several parts: what holds these */
    for (uint32_t i = 1; i < plain.count; i++)
        if (i != held)
            assert_int_equal(with.items[i].parent, plain.items[i].parent);
    mi_outline_fini(&plain);
    mi_outline_fini(&with);
}

static void without_memory_it_fails_and_leaks_nothing(void **state)
{
    (void)state;
    bool done = false;
    for (long n = 0; n < 2000 && !done; n++) {
        struct mi_outline outline;
        struct mi_scenery set;
        struct mi_error err = MI_ERROR_INIT;
        alloc_left = n;
        done = make(&outline, true, 4, &err);
        if (done) {
            done = mi_scenery_init(&set, &outline, &err);
            mi_scenery_fini(&set);
        }
        alloc_left = -1;
        assert_int_equal(err.code, done ? MI_OK : MI_ENOMEM);
        mi_outline_fini(&outline);
    }
    assert_true(done);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(constants_lie_beside_what_reads_them),
        TEST(all_other_items_are_the_same),
        TEST(each_is_one_box_with_wires),
        TEST(what_many_read_is_a_hub),
        TEST(bodies_are_fed_from_outside),
        TEST(boxes_do_not_count_what_is_a_box),
        TEST(two_drawings_are_the_same),
        TEST(parts_hold_the_constants_that_they_read),
        TEST(without_memory_it_fails_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
