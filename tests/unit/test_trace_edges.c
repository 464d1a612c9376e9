/* Traces at the edges of what their reader tells apart: numbers at a limit, times that are equal,
 * keys that come twice in events that are alike. */
#include "reading.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void read_text(struct reading *r, const char *text)
{
    reading_bytes(r, mi_reader_find("chrome_trace"), mi_cstr(text), NULL, NULL);
    const struct mi_counts *counts = &r->batch.counts;
    assert_true(r->ok);
    assert_int_equal(counts->in, counts->kept + counts->skipped + counts->lost);
}

/* Of an end and a beginning at one moment the one that stands first in the file comes first: spans
 * that follow each other are no spans within each other. */
static void ends_and_beginnings_at_one_moment(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, "[{\"ph\":\"B\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":10},"
                  "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":20},"
                  "{\"ph\":\"B\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":20},"
                  "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":35}]");
    const struct mi_slices *slices = &r.batch.rows.slices;
    assert_int_equal(slices->count - 1, 2);
    for (uint32_t s = 1; s < slices->count; s++)
        assert_int_equal(slices->dur_ns[s], slices->start_raw[s] == 10000 ? 10000 : 15000);
    assert_int_equal(r.batch.rows.diags.count, 1);
    reading_fini(&r);
}

/* Beyond the year 2116 and as far before 1970 there are no times; sums of those within fit. */
static void times_beyond_all_time(void **state)
{
    (void)state;
    static const struct {
        const char *ts;
        bool is_kept;
    } cases[] = {{"4611686018427387.9", true},      {"4611686018427388", false},
                 {"-4611686018427387.9", true},     {"-4611686018427388", false},
                 {"9999999999999999999999", false}, {"-9999999999999999999999", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading r;
        char text[128];
        snprintf(text, sizeof text, "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":%s,\"dur\":1}]",
                 cases[i].ts);
        read_text(&r, text);
        assert_int_equal(r.batch.counts.kept, cases[i].is_kept);
        assert_int_equal(reading_diag(&r, "trace.no_time"), !cases[i].is_kept);
        reading_fini(&r);
    }
}

/* A duration far below zero is a negative one, not one without end. */
static void durations_beyond_all_time(void **state)
{
    (void)state;
    struct reading r;
    read_text(&r, "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":5,\"dur\":-99999999999999999999},"
                  "{\"ph\":\"X\",\"name\":\"b\",\"ts\":7,\"dur\":99999999999999999999}]");
    assert_int_equal(reading_diag(&r, "trace.duration_negative"), 1);
    assert_int_equal(reading_diag(&r, "trace.unfinished"), 1);
    assert_int_equal(r.batch.rows.slices.dur_ns[1], 0);
    reading_fini(&r);
}

/* Events that are alike are read by the shape of the first: what was wrong with that is told of
 * each of them. */
static void keys_twice_in_events_that_are_alike(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "[{\"ph\":\"X\",\"ts\":1,\"ts\":4,\"dur\":1},{\"ph\":\"X\",\"ts\":2,\"ts\":5,\"dur\":1},"
        "{\"ph\":\"X\",\"ts\":3,\"ts\":6,\"dur\":1}]",
        "[{\"ph\":\"X\",\"ts\":4,\"dur\":1,\"args\":{\"level\":\"a\",\"level\":\"b\"}},"
        "{\"ph\":\"X\",\"ts\":5,\"dur\":1,\"args\":{\"level\":\"a\",\"level\":\"b\"}},"
        "{\"ph\":\"X\",\"ts\":6,\"dur\":1,\"args\":{\"level\":\"a\",\"level\":\"b\"}}]"};
    for (size_t f = 0; f < 2; f++) {
        struct reading r;
        read_text(&r, forms[f]);
        assert_int_equal(reading_diag(&r, "trace.key_twice"), 3);
        for (uint32_t s = 1; s <= 3; s++)
            assert_int_equal(r.batch.rows.slices.start_raw[s], 3000 + 1000 * s);
        reading_fini(&r);
    }
}

/* A lane of steps names its model, or has its number behind 70000; any other number is none. */
static void models_of_step_traces(void **state)
{
    (void)state;
    static const struct {
        const char *tid, *name;
        int64_t model;
    } lanes[] = {{"70003", "Step Trace", 3},
                 {"70000", "Step Trace", 0},
                 {"60000", "Step Trace", -1},
                 {"5", "Step Trace(Model ID:9)", 9}};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes; i++) {
        struct reading r;
        char text[768];
        snprintf(text, sizeof text,
                 "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,"
                 "\"args\":{\"name\":\"Ascend Hardware\"}},"
                 "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":%s,"
                 "\"args\":{\"name\":\"%s\"}},"
                 "{\"ph\":\"X\",\"name\":\"Iteration 2\",\"pid\":1,\"tid\":%s,\"ts\":10,\"dur\":5,"
                 "\"args\":{\"Iteration ID\":2}}]",
                 lanes[i].tid, lanes[i].name, lanes[i].tid);
        read_text(&r, text);
        assert_int_equal(r.batch.rows.windows.count - 1, 1);
        assert_int_equal(r.batch.rows.windows.number[1], 2);
        assert_int_equal(r.batch.rows.windows.model[1], lanes[i].model);
        reading_fini(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_and_beginnings_at_one_moment),
        cmocka_unit_test(times_beyond_all_time),
        cmocka_unit_test(durations_beyond_all_time),
        cmocka_unit_test(keys_twice_in_events_that_are_alike),
        cmocka_unit_test(models_of_step_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
