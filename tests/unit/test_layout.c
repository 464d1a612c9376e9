/* Drawings of flat graphs: what must hold for every one of them, and what a chain looks like. */
#include "present/layout/layout.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "alloc_fail.h"
#include "rng.h"

enum { MOST_BOXES = 600, MOST_EDGES = 4000 };

struct shape {
    float width[MOST_BOXES], height[MOST_BOXES];
    uint32_t from[MOST_EDGES], to[MOST_EDGES];
    struct mi_layout_graph graph;
};

static void begin(struct shape *shape, uint32_t boxes, uint64_t *seed)
{
    shape->graph = (struct mi_layout_graph){.box_count = boxes,
                                            .width = shape->width,
                                            .height = shape->height,
                                            .from = shape->from,
                                            .to = shape->to};
    for (uint32_t v = 0; v < boxes; v++) {
        shape->width[v] = (float)(40 + rng_below(seed, 100));
        shape->height[v] = (float)(20 + rng_below(seed, 60));
    }
}

static void edge(struct shape *shape, uint32_t from, uint32_t to)
{
    if (shape->graph.edge_count == MOST_EDGES)
        return;
    shape->from[shape->graph.edge_count] = from;
    shape->to[shape->graph.edge_count++] = to;
}

static struct mi_layout draw(const struct shape *shape)
{
    struct mi_layout layout;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_layout_draw(&shape->graph, NULL, &layout, &err));
    return layout;
}

/* No two boxes meet; boxes lie in the drawing; every edge goes down from box to box. */
static void check(const struct shape *shape, const struct mi_layout *l)
{
    const struct mi_layout_graph *g = &shape->graph;
    for (uint32_t a = 0; a < g->box_count; a++) {
        assert_true(l->x[a] >= -0.01F && l->x[a] + g->width[a] <= l->width + 0.01F);
        assert_true(l->y[a] >= -0.01F && l->y[a] + g->height[a] <= l->height + 0.01F);
        for (uint32_t b = 0; b < a; b++) {
            bool apart_x = l->x[a] + g->width[a] <= l->x[b] + 0.01F ||
                           l->x[b] + g->width[b] <= l->x[a] + 0.01F;
            bool apart_y = l->y[a] + g->height[a] <= l->y[b] + 0.01F ||
                           l->y[b] + g->height[b] <= l->y[a] + 0.01F;
            assert_true(apart_x || apart_y);
        }
    }
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t count = l->first_point[e + 1] - l->first_point[e];
        const struct mi_layout_point *points = &l->points[l->first_point[e]];
        if (l->edge_flags[e] & (MI_EDGE_LOOP | MI_EDGE_REPEATED | MI_EDGE_STUB)) {
            assert_int_equal(count, 0);
            continue;
        }
        bool is_back = l->edge_flags[e] & MI_EDGE_BACK;
        assert_true(count >= 2);
        assert_true(is_back ? l->rank[g->from[e]] > l->rank[g->to[e]]
                            : l->rank[g->from[e]] < l->rank[g->to[e]]);
        for (uint32_t p = 1; p < count; p++)
            assert_true(is_back ? points[p].y <= points[p - 1].y : points[p].y >= points[p - 1].y);
        uint32_t upper = is_back ? g->to[e] : g->from[e], lower = is_back ? g->from[e] : g->to[e];
        const struct mi_layout_point *top = is_back ? &points[count - 1] : points;
        const struct mi_layout_point *end = is_back ? points : &points[count - 1];
        assert_true(top->x >= l->x[upper] && top->x <= l->x[upper] + g->width[upper]);
        assert_true(end->x >= l->x[lower] && end->x <= l->x[lower] + g->width[lower]);
    }
}

static void every_graph_is_drawn_without_overlaps(void **state)
{
    (void)state;
    static struct shape shape;
    uint64_t seed = 11;
    for (int round = 0; round < 120; round++) {
        uint32_t boxes = (uint32_t)rng_below(&seed, round < 100 ? 40 : MOST_BOXES);
        begin(&shape, boxes, &seed);
        size_t edges = boxes ? rng_below(&seed, boxes * 3) : 0;
        bool cyclic = round % 3 == 0;
        for (size_t i = 0; i < edges; i++) {
            uint32_t a = (uint32_t)rng_below(&seed, boxes), b = (uint32_t)rng_below(&seed, boxes);
            edge(&shape, cyclic || a < b ? a : b, cyclic || a < b ? b : a);
        }
        struct mi_layout layout = draw(&shape);
        check(&shape, &layout);
        mi_layout_fini(&layout);
    }
}

/* All edges that are no cycle's go down, so an acyclic graph has none that goes up. */
static void only_cycles_have_edges_upwards(void **state)
{
    (void)state;
    static struct shape shape;
    uint64_t seed = 5;
    begin(&shape, 4, &seed);
    edge(&shape, 0, 1);
    edge(&shape, 1, 2);
    edge(&shape, 2, 1);
    edge(&shape, 2, 3);
    edge(&shape, 3, 3);
    edge(&shape, 0, 1);
    struct mi_layout layout = draw(&shape);
    const uint8_t flags[] = {0, 0, MI_EDGE_BACK, 0, MI_EDGE_LOOP, MI_EDGE_REPEATED};
    assert_memory_equal(layout.edge_flags, flags, sizeof flags);
    check(&shape, &layout);
    mi_layout_fini(&layout);
}

/* Wires that pass by do not push a chain aside. */
static void a_chain_with_skips_is_a_straight_line(void **state)
{
    (void)state;
    static struct shape shape;
    uint64_t seed = 3;
    for (uint32_t skip = 2; skip <= 9; skip++) {
        begin(&shape, MOST_BOXES, &seed);
        for (uint32_t v = 0; v < MOST_BOXES; v++) {
            shape.width[v] = 100;
            if (v)
                edge(&shape, v - 1, v);
            if (v >= skip && v % skip == 0)
                edge(&shape, v - skip, v);
        }
        struct mi_layout layout = draw(&shape);
        assert_int_equal(layout.crossings, 0);
        for (uint32_t v = 1; v < MOST_BOXES; v++)
            assert_true(layout.x[v] == layout.x[0]);
        assert_true(layout.width < 150);
        mi_layout_fini(&layout);
    }
}

/* Boxes 0, 3, 6, ... are the chain; each but the first reads two boxes of its own, which read
 * nothing, and the last of every ten makes something that nobody reads. */
static void what_hangs_beside_a_chain_does_not_pull_it(void **state)
{
    (void)state;
    static struct shape shape;
    uint64_t seed = 3;
    begin(&shape, 60, &seed);
    for (uint32_t v = 0; v < 60; v++) {
        shape.width[v] = 100;
        if (v % 3 == 0 && v)
            edge(&shape, v - 3, v);
        if (v % 3 && v / 3 % 10 != 9 && v + 3 < 60)
            edge(&shape, v, v / 3 * 3 + 3);
        else if (v % 3)
            edge(&shape, v / 3 * 3, v);
    }
    struct mi_layout layout = draw(&shape);
    for (uint32_t v = 6; v < 60; v += 3) /* the first reads nothing either */
        assert_true(layout.x[v] == layout.x[3]);
    assert_true(layout.width < 700);
    mi_layout_fini(&layout);
}

static void wide_blocks_do_not_cross(void **state)
{
    (void)state;
    static struct shape shape;
    uint64_t seed = 3;
    begin(&shape, 60, &seed);
    for (uint32_t block = 0; block < 6; block++) {
        uint32_t head = block * 10, tail = head + 9;
        for (uint32_t k = 1; k < 9; k++) {
            edge(&shape, head, head + k);
            edge(&shape, head + k, tail);
        }
        if (block)
            edge(&shape, head - 1, head);
    }
    struct mi_layout layout = draw(&shape);
    assert_int_equal(layout.crossings, 0);
    assert_int_equal(layout.rank_count, 18);
    check(&shape, &layout);
    mi_layout_fini(&layout);
}

static void pinned_boxes_stand_at_the_ends(void **state)
{
    (void)state;
    static struct shape shape;
    static const uint8_t pin[5] = {MI_PIN_NONE, MI_PIN_TOP, MI_PIN_NONE, MI_PIN_BOTTOM,
                                   MI_PIN_NONE};
    uint64_t seed = 9;
    begin(&shape, 5, &seed);
    edge(&shape, 0, 2);
    edge(&shape, 2, 4);
    edge(&shape, 1, 4);
    edge(&shape, 0, 3);
    shape.graph.pin = pin;
    struct mi_layout layout = draw(&shape);
    assert_int_equal(layout.rank[1], 0);
    assert_int_equal(layout.rank[3], layout.rank_count - 1);
    for (uint32_t v = 0; v < 5; v++)
        assert_true(v == 1 || layout.rank[v] > 0);
    mi_layout_fini(&layout);
}

static void edges_over_too_many_ranks_are_stubs(void **state)
{
    (void)state;
    static struct shape shape;
    uint64_t seed = 9;
    begin(&shape, 100, &seed);
    for (uint32_t v = 1; v < 100; v++)
        edge(&shape, v - 1, v);
    edge(&shape, 0, 99);
    struct mi_layout layout = draw(&shape);
    assert_int_equal(layout.edge_flags[99], MI_EDGE_STUB);
    check(&shape, &layout);
    mi_layout_fini(&layout);
}

/* No endless row: a block that is about as wide as it is high. */
static void boxes_without_edges_become_a_block(void **state)
{
    (void)state;
    static struct shape shape;
    uint64_t seed = 4;
    begin(&shape, 402, &seed);
    edge(&shape, 400, 401);
    struct mi_layout layout = draw(&shape);
    check(&shape, &layout);
    assert_int_equal(layout.rank[400], 0);
    assert_true(layout.rank[0] >= 2);
    assert_true(layout.width > 0.7F * layout.height && layout.width < 1.7F * layout.height);
    mi_layout_fini(&layout);
}

/* Two graphs beside one another are twice as wide as what shows them, and half as legible. */
static void wide_boxes_without_edges_stand_below_each_other(void **state)
{
    (void)state;
    static struct shape shape;
    uint64_t seed = 4;
    begin(&shape, 2, &seed);
    for (int v = 0; v < 2; v++) {
        shape.width[v] = 1000;
        shape.height[v] = 350;
    }
    struct mi_layout layout = draw(&shape);
    check(&shape, &layout);
    assert_int_equal(layout.rank_count, 2);
    mi_layout_fini(&layout);
    shape.width[0] = shape.width[1] = 150;
    shape.height[0] = shape.height[1] = 48;
    layout = draw(&shape);
    assert_int_equal(layout.rank_count, 1);
    mi_layout_fini(&layout);
}

static void the_same_graph_gives_the_same_drawing(void **state)
{
    (void)state;
    static struct shape shape;
    uint64_t seed = 77;
    begin(&shape, 300, &seed);
    for (int i = 0; i < 700; i++)
        edge(&shape, (uint32_t)rng_below(&seed, 300), (uint32_t)rng_below(&seed, 300));
    struct mi_layout a = draw(&shape), b = draw(&shape);
    assert_memory_equal(a.x, b.x, 300 * sizeof *a.x);
    assert_memory_equal(a.y, b.y, 300 * sizeof *a.y);
    assert_int_equal(a.first_point[700], b.first_point[700]);
    assert_memory_equal(a.points, b.points, a.first_point[700] * sizeof *a.points);
    mi_layout_fini(&a);
    mi_layout_fini(&b);
}

static void without_memory_it_fails_and_leaks_nothing(void **state)
{
    (void)state;
    static struct shape shape;
    uint64_t seed = 21;
    begin(&shape, 30, &seed);
    for (int i = 0; i < 60; i++)
        edge(&shape, (uint32_t)rng_below(&seed, 30), (uint32_t)rng_below(&seed, 30));
    bool done = false;
    for (long n = 0; n < 500 && !done; n++) {
        struct mi_layout layout;
        struct mi_error err = MI_ERROR_INIT;
        alloc_left = n;
        done = mi_layout_draw(&shape.graph, NULL, &layout, &err);
        alloc_left = -1;
        assert_int_equal(err.code, done ? MI_OK : MI_ENOMEM);
        mi_layout_fini(&layout);
    }
    assert_true(done);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_graph_is_drawn_without_overlaps),
        cmocka_unit_test(only_cycles_have_edges_upwards),
        cmocka_unit_test(a_chain_with_skips_is_a_straight_line),
        cmocka_unit_test(what_hangs_beside_a_chain_does_not_pull_it),
        cmocka_unit_test(wide_blocks_do_not_cross),
        cmocka_unit_test(pinned_boxes_stand_at_the_ends),
        cmocka_unit_test(edges_over_too_many_ranks_are_stubs),
        cmocka_unit_test(boxes_without_edges_become_a_block),
        cmocka_unit_test(wide_boxes_without_edges_stand_below_each_other),
        cmocka_unit_test(the_same_graph_gives_the_same_drawing),
        cmocka_unit_test(without_memory_it_fails_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
