/* Pictures of lanes, on paper: ten columns of ten nanoseconds each. */
#include "analyse/pass.h"
#include "analyse/pass_params.h"
#include "hand_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static const struct mi_report_table *table_of(const struct mi_report *report, const char *name)
{
    for (uint32_t t = 0; t < report->table_count; t++)
        if (strcmp(report->tables[t].name, name) == 0)
            return &report->tables[t];
    fail_msg("no table %s", name);
    return NULL;
}

static const struct mi_cell *cell_of(const struct mi_report *report, const char *table_name,
                                     uint32_t row, const char *column)
{
    const struct mi_report_table *table = table_of(report, table_name);
    assert_true(row < table->row_count);
    for (unsigned c = 0; c < table->column_count; c++)
        if (strcmp(table->columns[c].name, column) == 0)
            return &table->cells[row * table->column_count + c];
    fail_msg("no column %s", column);
    return NULL;
}

static struct mi_arg arg(const char *name, const char *text, int64_t number)
{
    for (const struct mi_param *param = mi_params_timeline; param->name; param++)
        if (strcmp(param->name, name) == 0)
            return (struct mi_arg){.param = param, .text = text, .number = number};
    fail_msg("no parameter %s", name);
    return (struct mi_arg){0};
}

/* 42 columns: 6 for the name, 16 beside it, 20 for the picture. */
static struct mi_report draw(const struct hand *hand, const struct mi_arg *more, size_t count)
{
    struct mi_arg list[8] = {arg("ascii", "", 1), arg("width", "", 42)};
    struct mi_report report;
    struct mi_error err = MI_ERROR_INIT;
    for (size_t i = 0; i < count; i++)
        list[2 + i] = more[i];
    mi_report_init(&report);
    assert_true(mi_pass_timeline.run(
        &hand->model, &(struct mi_args){.list = list, .count = count + 2}, &report, &err));
    assert_false(report.failed);
    return report;
}

static void assert_picture(const struct mi_report *report, uint32_t row, const char *expected)
{
    struct mi_bytes text = cell_of(report, "lanes", row, "picture")->text;
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.at, expected, text.len);
}

/* Two streams of 400 ns, 20 ns per column: compute [0, 100), wait [100, 220), compute [220, 228);
 * copy [20, 60), record [215, 216), and something long that ends at 400. */
static uint32_t build(struct hand *hand)
{
    hand_init(hand);
    uint32_t one = hand_track(hand, "one", 1), two = hand_track(hand, "two", 2);
    hand_task(hand, one, "k", MI_TASK_COMPUTE, 0, 0, 100, 0);
    uint32_t wait = hand_task(hand, one, "wait", MI_TASK_SYNC, 0, 100, 120, 0);
    hand_task(hand, one, "short", MI_TASK_COMPUTE, 0, 220, 8, 0);
    hand_task(hand, two, "copy", MI_TASK_TRANSFER, 0, 20, 40, 0);
    hand_task(hand, two, "hcom", MI_TASK_COMMUNICATION, 0, 230, 170, 0);
    uint32_t record = hand_task(hand, two, "record", MI_TASK_SYNC, 0, 215, 1, 0);
    struct mi_tables *rows = &hand->model.all.rows;
    rows->kernels.sync[rows->tasks.kernel[wait].v] = MI_SYNC_WAIT;
    rows->kernels.sync[rows->tasks.kernel[record].v] = MI_SYNC_RECORD;
    mi_add_signal(
        &hand->model.all,
        &(struct mi_signal_row){.record = {record}, .wait = {wait}, .confidence = MI_LIKELY});
    return wait;
}

static void pictures(void **state)
{
    (void)state;
    struct hand hand;
    build(&hand);
    hand_finish(&hand);
    struct mi_report report = draw(&hand, NULL, 0);
    assert_picture(&report, 0, "|0.000");
    assert_picture(&report, 1, "#####......+        ");
    assert_picture(&report, 2, " TT        CCCCCCCCC");
    assert_int_equal(cell_of(&report, "lanes", 1, "busy_ns")->number, 108);
    assert_int_equal(cell_of(&report, "lanes", 1, "wait_ns")->number, 120);
    assert_int_equal(cell_of(&report, "lanes", 2, "busy_share")->number, 525000);
    assert_int_equal(table_of(&report, "signs")->row_count, 4);
    /* the wait, its record, and the work in front of that */
    assert_int_equal(table_of(&report, "waits")->row_count, 1);
    assert_int_equal(cell_of(&report, "waits", 0, "dur_ns")->number, 120);
    assert_memory_equal(cell_of(&report, "waits", 0, "record_lane")->text.at, "two", 3);
    assert_memory_equal(cell_of(&report, "waits", 0, "behind")->text.at, "copy", 4);
    assert_memory_equal(cell_of(&report, "tasks", 0, "name")->text.at, "hcom", 4);
    mi_report_fini(&report);
    hand_fini(&hand);
}

static void windows(void **state)
{
    (void)state;
    struct hand hand;
    build(&hand);
    hand_finish(&hand);
    const struct mi_arg part[] = {arg("from", "40ns", 0), arg("to", "0.12", 0),
                                  arg("lanes", "t*", 0)};
    struct mi_report report = draw(&hand, part, 3);
    assert_int_equal(table_of(&report, "lanes")->row_count, 2);
    assert_picture(&report, 1, "TTTTT               ");
    assert_int_equal(cell_of(&report, "lanes", 1, "tasks")->number, 1);
    mi_report_fini(&report);
    const struct mi_arg around[] = {arg("around", "short", 0)};
    report = draw(&hand, around, 1);
    assert_int_equal(table_of(&report, "lanes")->row_count, 4);
    /* 20 us on both sides of 8 ns: it stands on the edge of two columns */
    assert_picture(&report, 3, "         ^^         ");
    mi_report_fini(&report);
    hand_fini(&hand);
}

/* The second clock runs 100 ns ahead: as exported its tasks stand to the right. */
static void raw_times(void **state)
{
    (void)state;
    struct hand hand;
    build(&hand);
    mi_clock_id clock = mi_add_clock(&hand.model.all, &(struct mi_clock_row){.ns_per_tick = 1});
    hand.model.all.rows.tracks.clock[2] = clock;
    mi_add_fit(&hand.model.all, &(struct mi_fit_row){.clock = clock, .offset_ns = 100});
    hand_finish(&hand);
    const struct mi_arg part[] = {arg("to", "400ns", 0), arg("raw", "", 1)};
    struct mi_report report = draw(&hand, part, 2);
    assert_picture(&report, 2, "      TT        CCCC");
    mi_report_fini(&report);
    hand_fini(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures),
        cmocka_unit_test(windows),
        cmocka_unit_test(raw_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
