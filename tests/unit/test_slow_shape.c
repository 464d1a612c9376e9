/* The doctor's rule slow_shape on models that are checked on paper: five nodes of one type, the
 * last of which is looked at. Times in us; tasks stand 1 us apart. */
#include "analyse/pass.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { US = 1000, NODES = 5, LAST = NODES - 1 };

struct row {
    int64_t rows, columns, dur_us;
    const char *kernel; /* NULL: the device names the node */
    const char *state, *compute, *moves;
};

/* Four that are alike and one to look at. */
struct scene {
    struct hand hand;
    bool is_product;
    struct row rows[NODES];
};

static bool list_values(void *values_of, mi_source_id source, int64_t offset, uint32_t size_bytes,
                        mi_value_fn *fn, void *user)
{
    const struct row *row = &((const struct scene *)values_of)->rows[offset];
    (void)source;
    (void)size_bytes;
    fn(user, MI_LIT("OP State"), mi_cstr(row->state), false);
    fn(user, MI_LIT("aiv_vec_ratio"), mi_cstr(row->compute), true);
    fn(user, MI_LIT("aiv_mte2_ratio"), mi_cstr(row->moves), true);
    return true;
}

static void shape(struct hand *hand, uint32_t value, const struct row *row)
{
    struct mi_batch *all = &hand->model.all;
    struct mi_values *values = &all->rows.values;
    values->has_shape[value] = 1;
    values->dim_count[value] = 2;
    values->first_dim[value] = mi_next_row(all, dims);
    values->format[value] = hand_str(hand, "ND");
    mi_add_dim(all, &(struct mi_dim_row){.size = row->rows});
    mi_add_dim(all, &(struct mi_dim_row){.size = row->columns});
}

static void build(struct scene *s)
{
    struct hand *hand = &s->hand;
    int64_t at_us = 0;
    hand_init(hand);
    hand_graph(hand, MI_LAYER_COMPILED, 0);
    uint32_t track = hand_track(hand, "s0", 0);
    for (int i = 0; i < NODES; i++) {
        static const char *const names[NODES] = {"a", "b", "c", "d", "e"};
        const struct row *row = &s->rows[i];
        uint32_t x = hand_value(hand, "x", MI_VALUE_INPUT, "float16", 0), out;
        shape(hand, x, row);
        uint32_t node = hand_node(hand, names[i], "SoftmaxV2", "float16", (uint32_t[4]){x}, &out);
        shape(hand, out, row);
        if (s->is_product)
            hand->model.all.rows.nodes.category[node] = MI_CATEGORY_FULLY_CONNECTED;
        uint32_t task =
            hand_task(hand, track, names[i], MI_TASK_COMPUTE, 0, at_us * US, row->dur_us * US, 0);
        hand->model.all.rows.tasks.record_offset[task] = i;
        struct mi_kernels *kernels = &hand->model.all.rows.kernels;
        if (row->kernel)
            kernels->name[kernels->count - 1] = hand_str(hand, row->kernel);
        hand_executed(hand, node, task);
        at_us += row->dur_us + 1;
    }
    hand_finish(hand);
    hand->model.list_values = list_values;
    hand->model.values_of = s;
}

/* Cost of the finding on the last node in us; -1: nothing is found. */
static int64_t cost_of(struct scene *s)
{
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    int64_t cost_ns = -1;
    build(s);
    mi_report_init(&report);
    assert_true(mi_pass_doctor.run(&s->hand.model, NULL, &report, &err));
    for (uint32_t f = 0; f < report.finding_count; f++)
        if (strcmp(report.findings[f].rule, "slow_shape") == 0) {
            assert_int_equal(cost_ns, -1);
            assert_int_equal(report.findings[f].severity, MI_WARNING);
            assert_int_equal(report.findings[f].node.v, NODES); /* nodes count from 1 */
            cost_ns = report.findings[f].cost_ns;
        }
    mi_report_fini(&report);
    hand_fini(&s->hand);
    return cost_ns < 0 ? -1 : cost_ns / US;
}

static struct scene usual(void)
{
    struct row row = {.rows = 256,
                      .columns = 64,
                      .dur_us = 100,
                      .state = "static",
                      .compute = "0.6",
                      .moves = "0.4"};
    return (struct scene){.rows = {row, row, row, row, row}};
}

/* The last one computes little and takes 400 us. */
static struct scene held_up(int64_t rows, int64_t columns)
{
    struct scene s = usual();
    s.rows[LAST] = (struct row){.rows = rows,
                                .columns = columns,
                                .dur_us = 400,
                                .state = "static",
                                .compute = "0.1",
                                .moves = "0.8"};
    return s;
}

static void sizes_that_are_no_whole_blocks(void **state)
{
    (void)state;
    static const struct {
        int64_t columns, dur_us;
        const char *compute, *moves;
        int64_t cost_us;
    } cases[] = {
        {63, 400, "0.1", "0.8", 300},  /* the signs together */
        {63, 250, "0.1", "0.8", 150},  /* just as slow as it takes ... */
        {63, 249, "0.1", "0.8", -1},   /* ... and not so slow */
        {80, 400, "0.1", "0.8", -1},   /* whole blocks of 16 */
        {63, 400, "0.36", "0.8", 300}, /* 60 hundredths of what others compute ... */
        {63, 400, "0.37", "0.8", -1},  /* ... and more */
        {63, 400, "0.1", "0.1", -1},   /* nothing else holds it up */
        {15, 400, "0.1", "0.8", -1},   /* too small for the others to be a measure */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene s = held_up(256, cases[i].columns);
        s.rows[LAST].dur_us = cases[i].dur_us;
        s.rows[LAST].compute = cases[i].compute;
        s.rows[LAST].moves = cases[i].moves;
        assert_int_equal(cost_of(&s), cases[i].cost_us);
    }
    struct scene s = held_up(256, 63); /* all of them are uneven: none is a measure */
    for (int i = 0; i < NODES; i++)
        s.rows[i].columns = 63;
    assert_int_equal(cost_of(&s), -1);
    s = held_up(8, 63); /* few rows have few ends */
    for (int i = 0; i < NODES; i++)
        s.rows[i].rows = 8;
    assert_int_equal(cost_of(&s), -1);
}

/* Of a product both axes are cut into blocks, of rows only they themselves. */
static void products(void **state)
{
    (void)state;
    struct scene s = held_up(250, 64);
    assert_int_equal(cost_of(&s), -1);
    s = held_up(250, 64);
    s.is_product = true;
    assert_int_equal(cost_of(&s), 300);
    s = held_up(250, 1); /* an axis of one is none */
    s.is_product = true;
    for (int i = 0; i < NODES; i++)
        s.rows[i].columns = 1;
    assert_int_equal(cost_of(&s), 300);
}

/* Times of 100, 120 and 140 us for 64, 96 and 128 columns say 150 us for 144. */
static void times_grow_with_the_work(void **state)
{
    (void)state;
    for (int64_t us = 374; us <= 375; us++) {
        struct scene s = usual();
        for (int i = 1; i < LAST; i++) {
            s.rows[i].columns = i < 3 ? 64 + 32 * i : 64;
            s.rows[i].dur_us = i < 3 ? 100 + 20 * i : 100;
        }
        s.rows[LAST].columns = 144;
        s.rows[LAST].dur_us = us;
        s.rows[LAST].state = "dynamic";
        assert_int_equal(cost_of(&s), us == 375 ? 225 : -1);
    }
}

static void sizes_known_at_run_time(void **state)
{
    (void)state;
    struct scene s = usual();
    s.rows[LAST].dur_us = 400;
    assert_int_equal(cost_of(&s), -1);
    s.rows[LAST].state = "dynamic";
    assert_int_equal(cost_of(&s), 300);
    s.rows[0].state = s.rows[1].state = s.rows[2].state = "dynamic"; /* one is left to compare */
    assert_int_equal(cost_of(&s), -1);
}

/* Kernels of the five, and the sizes of the first. */
static int64_t cost_of_kernels(const char *const kernels[NODES], int64_t columns)
{
    struct scene s = usual();
    for (int i = 0; i < NODES; i++)
        s.rows[i].kernel = kernels[i];
    s.rows[0].columns = columns;
    s.rows[LAST].columns = 32;
    s.rows[LAST].dur_us = 400;
    return cost_of(&s);
}

static void another_kernel(void **state)
{
    (void)state;
    const char *const apart[NODES] = {"k1", "k1", "k1", "k1", "k7"};
    const char *const same[NODES] = {"k1", "k1", "k1", "k1", "k1"};
    const char *const mixed[NODES] = {"k1", "k1", "k2", "k3", "k7"};
    assert_int_equal(cost_of_kernels(apart, 48), 300);
    assert_int_equal(cost_of_kernels(apart, 64), -1); /* a kernel of one size says nothing */
    assert_int_equal(cost_of_kernels(same, 48), -1);
    assert_int_equal(cost_of_kernels(mixed, 48), -1); /* nor does one among many */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_are_no_whole_blocks),
        cmocka_unit_test(products),
        cmocka_unit_test(times_grow_with_the_work),
        cmocka_unit_test(sizes_known_at_run_time),
        cmocka_unit_test(another_kernel),
    };
    return cmocka_run_group_tests_name("slow_shape", tests, NULL, NULL);
}
