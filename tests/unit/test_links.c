/* Links of tasks: kept once for many, listed one by one; any number of them per task. */
#include "base/mem.h"
#include "model/links.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rng.h"

enum { TASKS = 400, NODES = 9, MOST = 3 * TASKS };

/* What was added, in the order in which it has to be listed. `place` is that of adding. */
struct added {
    uint32_t start, node, place;
    uint8_t confidence;
};

static int compare(const void *left, const void *right)
{
    const struct added *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->confidence != b->confidence)
        return a->confidence > b->confidence ? -1 : 1;
    if (a->node != b->node)
        return a->node < b->node ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void make_rows(struct mi_model *model)
{
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_model_init(model, &err));
    struct mi_batch *all = &model->all;
    mi_graph_id graph = mi_add_graph(all, &(struct mi_graph_row){.layer = MI_LAYER_COMPILED});
    for (uint32_t n = 1; n < NODES; n++)
        mi_add_node(all, &(struct mi_node_row){.graph = graph});
    mi_track_id track = mi_add_track(all, &(struct mi_track_row){0});
    for (uint32_t t = 1; t <= TASKS; t++) /* the last one starts first */
        mi_add_task(all, &(struct mi_task_row){.track = track, .start_ns = TASKS - t});
}

/* One link each from 0 to `most` rounds; returns how many. */
static uint32_t add_links(struct mi_model *model, struct added *list, uint32_t rounds,
                          uint64_t *seed)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rounds * TASKS; i++) {
        uint32_t task = i % TASKS + 1;
        if (rng_below(seed, 4) == 0)
            continue;
        struct added link = {.start = TASKS - task,
                             .node = (uint32_t)rng_below(seed, NODES),
                             .confidence = (uint8_t)rng_below(seed, 4),
                             .place = count};
        mi_link_add(&model->all, &(struct mi_executed_row){.node = {link.node},
                                                           .task = {task},
                                                           .confidence = link.confidence});
        list[count++] = link;
    }
    qsort(list, count, sizeof *list, compare);
    return count;
}

static void check_node(const struct mi_model *model, uint32_t node, const struct added *list,
                       uint32_t count)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_node_links at = mi_node_links_begin(model, node);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].node != node)
            continue;
        assert_true(mi_node_links_next(&at));
        assert_int_equal(rows->tasks.start_ns[at.task], list[i].start);
        assert_int_equal(rows->executed.node[at.row].v, node);
        assert_int_equal(rows->executed.confidence[at.row], list[i].confidence);
    }
    assert_false(mi_node_links_next(&at));
}

static void check(const struct mi_model *model, const struct added *list, uint32_t count)
{
    const struct mi_tables *rows = &model->all.rows;
    struct mi_links at = mi_links_begin(rows);
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(mi_links_next(&at));
        assert_int_equal(rows->tasks.start_ns[at.task], list[i].start);
        assert_int_equal(rows->executed.node[at.row].v, list[i].node);
        assert_int_equal(rows->executed.confidence[at.row], list[i].confidence);
        if (at.task != last) /* the strongest is its own */
            assert_int_equal(rows->tasks.link[at.task].v, at.row);
        last = at.task;
    }
    assert_false(mi_links_next(&at));
    assert_int_equal(mi_links_count(rows), count);
    for (uint32_t node = 1; node < NODES; node++)
        check_node(model, node, list, count);
}

static void all_are_listed(void **state)
{
    (void)state;
    static struct added list[MOST];
    for (uint64_t seed = 1; seed <= 12; seed++) {
        uint64_t random = seed;
        uint32_t rounds = (uint32_t)(seed % 4);
        struct mi_model model;
        struct mi_error err = MI_ERROR_INIT;
        make_rows(&model);
        uint32_t count = add_links(&model, list, rounds, &random);
        assert_true(mi_links_order(&model.all.rows));
        assert_int_equal(mi_links_count(&model.all.rows), count);
        assert_true(mi_model_index_graphs(&model, &err) && mi_model_freeze(&model, &err));
        check(&model, list, count);
        mi_model_fini(&model);
    }
}

/* Thousands of tasks that rest on the same take one row and no memory of their own. */
static void equal_ones_are_kept_once(void **state)
{
    (void)state;
    struct mi_model model;
    make_rows(&model);
    struct mi_batch *all = &model.all;
    struct mi_executed_row link = {.node = {3}, .confidence = MI_CERTAIN};
    for (uint32_t t = 1; t <= TASKS; t++) {
        link.task.v = t;
        mi_link_add(all, &link);
    }
    assert_int_equal(all->rows.executed.count - 1, 1);
    assert_int_equal(all->rows.executed.task[1].v, 0);
    assert_int_equal(mi_links_count(&all->rows), TASKS);
    link = (struct mi_executed_row){.node = {3}, .task = {7}, .confidence = MI_LIKELY};
    mi_link_replace(all, &link);
    assert_int_equal(all->rows.executed.count - 1, 2);
    assert_int_equal(all->rows.executed.confidence[all->rows.tasks.link[7].v], MI_LIKELY);
    assert_int_equal(all->rows.executed.confidence[all->rows.tasks.link[8].v], MI_CERTAIN);
    assert_int_equal(mi_links_count(&all->rows), TASKS);
    mi_link_add(all, &(struct mi_executed_row){.node = {1}}); /* of no task */
    assert_int_equal(all->rows.executed.count - 1, 2);
    mi_model_fini(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_listed),
        cmocka_unit_test(equal_ones_are_kept_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
