/* Drawings of folded graphs, on a graph small enough to check on paper:
 *
 *     data -> a/x -> a/y -> b/x -> last
 *                      \-> b/z ----^      and a constant that b/x reads */
#include "present/layout/box_text.h"
#include "present/layout/scene.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "alloc_fail.h"
#include "hand_model.h"

struct fixture {
    struct hand hand;
    struct mi_outline outline;
    struct mi_scenery set;
    uint8_t *open;
};

static struct fixture f;

static uint32_t item_named(const char *label)
{
    for (uint32_t i = 1; i < f.outline.count; i++)
        if (mi_bytes_equal(f.outline.items[i].label, mi_cstr(label)))
            return i;
    fail_msg("no item %s", label);
    return 0;
}

static uint32_t box_of(const struct mi_scene *scene, uint32_t item)
{
    for (uint32_t b = 1; b < scene->box_count; b++)
        if (scene->boxes[b].item == item && !(scene->boxes[b].flags & MI_BOX_PORT))
            return b;
    return 0;
}

static void build_model(void)
{
    uint32_t data, x, y, bx, bz;
    hand_init(&f.hand);
    hand_graph(&f.hand, MI_LAYER_FRAMEWORK, 0);
    hand_node(&f.hand, "data", "Data", "float32", (uint32_t[4]){0}, &data);
    hand_node(&f.hand, "a/x", "Conv", "float32", (uint32_t[4]){data}, &x);
    hand_node(&f.hand, "a/y", "Relu", "float32", (uint32_t[4]){x}, &y);
    uint32_t constant;
    hand_node(&f.hand, "weights", "Constant", "float32", (uint32_t[4]){0}, &constant);
    hand_node(&f.hand, "b/x", "Cast", "float16", (uint32_t[4]){y, constant}, &bx);
    hand_node(&f.hand, "b/z", "Relu", "float32", (uint32_t[4]){y}, &bz);
    hand_node(&f.hand, "last", "Add", "float16", (uint32_t[4]){bx, bz}, NULL);
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_model_index_graphs(&f.hand.model, &err));
    assert_true(mi_model_freeze(&f.hand.model, &err));
}

static int set_up(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    build_model();
    assert_true(mi_outline_init(&f.outline, &f.hand.model,
                                &(struct mi_outline_options){.layer = -1}, &err));
    assert_true(mi_scenery_init(&f.set, &f.outline, &err));
    f.open = calloc(f.outline.count, 1);
    f.open[f.outline.item_of_graph[1]] = 1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(f.open);
    mi_scenery_fini(&f.set);
    mi_outline_fini(&f.outline);
    mi_model_fini(&f.hand.model);
    return 0;
}

static struct mi_scene draw(uint32_t max_boxes)
{
    struct mi_scene scene;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_scene_options options = {.max_boxes = max_boxes};
    assert_true(mi_scene_draw(&f.set, 0, f.open, &options, &scene, &err));
    return scene;
}

/* Children lie within their parents; wires end at the sides of their boxes. */
static void check(const struct mi_scene *scene)
{
    for (uint32_t b = 1; b < scene->box_count; b++) {
        const struct mi_scene_box *box = &scene->boxes[b];
        assert_true(box->parent < b);
        if (!box->parent || box->flags & MI_BOX_PORT)
            continue;
        const struct mi_scene_box *parent = &scene->boxes[box->parent];
        assert_true(parent->flags & MI_BOX_OPEN);
        assert_true(box->x >= parent->x && box->x + box->width <= parent->x + parent->width);
        assert_true(box->y >= parent->y && box->y + box->height <= parent->y + parent->height);
    }
    for (uint32_t e = 0; e < scene->edge_count; e++) {
        const struct mi_scene_edge *edge = &scene->edges[e];
        if (edge[1].first_point == edge->first_point)
            continue;
        const struct mi_scene_box *from = &scene->boxes[edge->from], *to = &scene->boxes[edge->to];
        struct mi_layout_point first = scene->points[edge->first_point];
        struct mi_layout_point last = scene->points[edge[1].first_point - 1];
        assert_true(first.x >= from->x && first.x <= from->x + from->width);
        assert_true(last.x >= to->x && last.x <= to->x + to->width);
        if (!(from->flags & MI_BOX_PORT))
            assert_true(fabsf(first.y - from->y - from->height) < 0.01F);
        if (!(to->flags & MI_BOX_PORT))
            assert_true(fabsf(last.y - to->y) < 0.01F);
    }
}

static void closed_groups_stand_for_what_is_in_them(void **state)
{
    (void)state;
    struct mi_scene scene = draw(0);
    uint32_t a = box_of(&scene, item_named("a")), b = box_of(&scene, item_named("b"));
    assert_int_equal(scene.box_count - 1, 5); /* the graph; data, a, b, last */
    assert_int_equal(scene.edge_count, 3);
    assert_true(scene.boxes[a].flags & MI_BOX_GROUP);
    assert_int_equal(box_of(&scene, item_named("x")), 0);
    bool found = false;
    for (uint32_t e = 0; e < scene.edge_count; e++)
        if (scene.edges[e].from == a && scene.edges[e].to == b) {
            assert_int_equal(scene.edges[e].weight, 2);
            found = true;
        }
    assert_true(found);
    check(&scene);
    mi_scene_fini(&scene);
}

static void open_groups_have_ports_at_their_sides(void **state)
{
    (void)state;
    f.open[item_named("a")] = f.open[item_named("b")] = 1;
    struct mi_scene scene = draw(0);
    uint32_t ports = 0;
    for (uint32_t b = 1; b < scene.box_count; b++)
        ports += (scene.boxes[b].flags & MI_BOX_PORT) != 0;
    assert_int_equal(ports, 5); /* into a, out of a, into b, and two ways out of b */
    check(&scene);
    mi_scene_fini(&scene);
}

static void constants_are_no_boxes(void **state)
{
    (void)state;
    f.open[item_named("b")] = 1;
    struct mi_scene scene = draw(0);
    assert_int_equal(box_of(&scene, item_named("weights")), 0);
    mi_scene_fini(&scene);
}

static void a_change_of_type_is_marked(void **state)
{
    (void)state;
    f.open[item_named("b")] = 1;
    struct mi_scene scene = draw(0);
    uint32_t b = item_named("b"), cast = box_of(&scene, f.outline.items[b].first);
    assert_true(scene.boxes[cast].flags & MI_BOX_DTYPE);
    assert_false(scene.boxes[box_of(&scene, item_named("z"))].flags & MI_BOX_DTYPE);
    mi_scene_fini(&scene);
}

static void boxes_tell_types_and_constants(void **state)
{
    (void)state;
    struct mi_arena arena;
    mi_arena_init(&arena);
    uint32_t cast = f.outline.items[item_named("b")].first, a = item_named("a");
    struct mi_box_text text = mi_box_text(&f.outline, cast, &arena);
    assert_true(mi_bytes_equal(text.op, MI_LIT("Cast")));
    assert_true(mi_bytes_equal(text.label, MI_LIT("x")));
    assert_true(mi_bytes_equal(text.type, MI_LIT("f16")));
    assert_true(mi_bytes_equal(text.change, MI_LIT("f32→f16")));
    assert_int_equal(text.constants, 1); /* made by a Constant node */
    assert_int_equal(text.members, 0);
    float wide = mi_box_text_width(&f.outline, cast, &arena);
    text = mi_box_text(&f.outline, a, &arena);
    assert_true(mi_bytes_equal(text.label, MI_LIT("a")));
    assert_int_equal(text.op.len + text.type.len + text.change.len, 0);
    assert_true(mi_box_text_width(&f.outline, a, &arena) < wide);
    mi_arena_fini(&arena);
}

static void too_many_boxes_close_groups_again(void **state)
{
    (void)state;
    f.open[item_named("a")] = f.open[item_named("b")] = 1;
    struct mi_scene scene = draw(7);
    assert_int_equal(scene.closed_count, 1);
    assert_int_equal(box_of(&scene, item_named("y")) != 0, box_of(&scene, item_named("z")) == 0);
    check(&scene);
    mi_scene_fini(&scene);
}

static void without_memory_it_fails_and_leaks_nothing(void **state)
{
    (void)state;
    bool done = false;
    f.open[item_named("a")] = f.open[item_named("b")] = 1;
    for (long n = 0; n < 2000 && !done; n++) {
        struct mi_scene scene;
        struct mi_error err = MI_ERROR_INIT;
        alloc_left = n;
        done = mi_scene_draw(&f.set, 0, f.open, &(struct mi_scene_options){.max_boxes = 7}, &scene,
                             &err);
        alloc_left = -1;
        assert_int_equal(err.code, done ? MI_OK : MI_ENOMEM);
        mi_scene_fini(&scene);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(closed_groups_stand_for_what_is_in_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(open_groups_have_ports_at_their_sides, set_up, tear_down),
        cmocka_unit_test_setup_teardown(constants_are_no_boxes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_change_of_type_is_marked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(boxes_tell_types_and_constants, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_many_boxes_close_groups_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_memory_it_fails_and_leaks_nothing, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
