/* What users of traces have met in the wild, row by row: docs/formats/robustness.md lists which
 * test stands for which row. Each case is a whole file: what comes of it, and what the ledger says.
 */
#include "joining.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void read_bytes(struct reading *r, struct mi_bytes bytes)
{
    reading_bytes(r, mi_reader_find("chrome_trace"), bytes, NULL, NULL);
    const struct mi_counts *counts = &r->batch.counts;
    assert_true(r->ok);
    assert_int_equal(counts->in, counts->kept + counts->skipped + counts->lost);
}

static void assert_name(const struct reading *r, uint32_t slice, struct mi_bytes wanted)
{
    struct mi_bytes name = mi_batch_text(&r->batch, r->batch.rows.slices.name[slice]);
    assert_int_equal(name.len, wanted.len);
    assert_memory_equal(name.at, wanted.at, wanted.len);
}

#define X(name, ts)                                                                                \
    "{\"ph\":\"X\",\"name\":\"" name "\",\"pid\":1,\"tid\":1,\"ts\":" ts ",\"dur\":1}"

/* --- the container --- */

static void containers(void **state)
{
    (void)state;
    const struct {
        struct mi_bytes text;
        int64_t in, lost;
        const char *code; /* told once; NULL = nothing to tell */
    } cases[] = {
        {MI_LIT("[" X("a", "1") "," X("b", "2") "]"), 2, 0, NULL},
        {MI_LIT("[\r\n" X("a", "1") ",\r\n" X("b", "2") "\r\n]\r\n"), 2, 0, NULL},
        {MI_LIT("\xef\xbb\xbf[" X("a", "1") "]"), 1, 0, NULL},
        {MI_LIT("[" X("a", "1") "," X("b", "2") ",]"), 2, 0,
         NULL}, /* so common that nothing is said */
        {MI_LIT("[" X("a", "1") X("b", "2") "]"), 2, 0, "trace.comma"},
        {MI_LIT("[" X("a", "1") "," X("b", "2")), 2, 0, "trace.unclosed_list"},
        {MI_LIT("[" X("a", "1") "][" X("b", "2") "]"), 2, 0, "trace.second_list"},
        {MI_LIT("{\"traceEvents\":[" X("a", "1") "]}{\"traceEvents\":[" X("b", "2") "]}"), 2, 0,
         "trace.second_list"},
        {MI_LIT("[" X("a", "1") "]\nwritten by x"), 1, 0, "trace.trailing"},
        {MI_LIT("{\"samples\":[],\"stackFrames\":{\"1\":{}},\"displayTimeUnit\":\"ms\","
                "\"traceEvents\":[" X("a", "1") "],\"otherData\":{\"x\":[1,{}]}}"),
         1, 0, NULL},
        {MI_LIT("[" X("a", "1") "," X("b", "NaN") "," X("c", "-Infinity") "]"), 3, 2,
         "trace.no_time"},
        {MI_LIT("[" X("a", "1") ",{\"ph\":\"X\",\"name\":\"a \"b\" c\",\"ts\":2}," X("b", "3") "]"),
         3, 1, "trace.event_broken"},
        {MI_LIT("[" X("a", "1") ",\n" X("b", "2") ",\n{\"ph\":\"X\",\"na"), 3, 1,
         "trace.truncated"},
        /* a list within an event that is never closed swallows no other event */
        {MI_LIT("[" X("a", "1") ",{\"ph\":\"X\",\"ts\":2,\"args\":[1,2," X("c", "3") "," X(
             "d", "4") "]"),
         4, 1, "trace.event_broken"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading r;
        read_bytes(&r, cases[i].text);
        assert_int_equal(r.batch.counts.in, cases[i].in);
        assert_int_equal(r.batch.counts.lost, cases[i].lost);
        assert_int_equal(r.batch.rows.slices.count - 1, cases[i].in - cases[i].lost);
        if (cases[i].code)
            assert_true(reading_diag(&r, cases[i].code) >= 1);
        else
            assert_int_equal(r.batch.rows.diags.count, 1);
        reading_fini(&r);
    }
}

/* What stands behind a list with a fault in it still counts. */
static void keys_behind_a_broken_list(void **state)
{
    (void)state;
    static const char *const faults[] = {";", ",,", "}",
                                         "{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":x},"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct reading r;
        char text[512];
        int len = snprintf(
            text, sizeof text,
            "{\"traceEvents\":[" X("a", "1") ",%s" X("b", "2") "],"
                                                               "\"baseTimeNanoseconds\":7000}",
            faults[i]);
        read_bytes(&r, (struct mi_bytes){(const uint8_t *)text, (size_t)len});
        const struct mi_tables *rows = &r.batch.rows;
        assert_int_equal(rows->slices.count - 1, 2);
        uint32_t clock = rows->tracks.clock[rows->slices.track[1].v].v;
        assert_int_equal(rows->clocks.ref_ns[clock] - rows->clocks.ref_raw[clock], 7000);
        reading_fini(&r);
    }
}

/* --- names --- */

static void names(void **state)
{
    (void)state;
    const struct {
        const char *file;
        struct mi_bytes name;
    } cases[] = {{X("\x01\n\t", "1"), MI_LIT("\x01\n\t")},      /* bare control characters */
                 {X("\xff\xfe z", "1"), MI_LIT("\xff\xfe z")},  /* no UTF-8: as it stands */
                 {X("\\ud83d!", "1"), MI_LIT("\xed\xa0\xbd!")}, /* half of a pair */
                 {X("C:\\dir", "1"), MI_LIT("C:\\dir")},        /* no escape */
                 {X("a\\u0000b", "1"), MI_LIT("a\0b")},
                 {X("</script>\\u202e", "1"), MI_LIT("</script>\xe2\x80\xae")}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading r;
        char text[256];
        int len = snprintf(text, sizeof text, "[%s]", cases[i].file);
        read_bytes(&r, (struct mi_bytes){(const uint8_t *)text, (size_t)len});
        assert_int_equal(r.batch.rows.slices.count - 1, 1);
        assert_name(&r, 1, cases[i].name);
        reading_fini(&r);
    }
}

/* Events of a page and of many MB, in one line: what stands behind them is read. */
static void great_events(void **state)
{
    (void)state;
    enum { STACK = 24 << 20 };
    char *text = malloc(STACK + 4096);
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, 4096,
                                   "[" X("a", "1") ",{\"ph\":\"X\",\"name\":\"b\",\"ts\":2,"
                                                   "\"dur\":1,\"args\":{\"Call stack\":\"");
    memset(text + used, 's', STACK);
    used += STACK;
    used += (size_t)snprintf(text + used, 1024, "\"}}," X("c", "3") "]");
    struct reading r;
    read_bytes(&r, (struct mi_bytes){(const uint8_t *)text, used});
    assert_int_equal(r.batch.counts.in, 3);
    assert_int_equal(r.batch.rows.slices.count - 1, 3);
    assert_int_equal(r.batch.rows.slices.record_bytes[2] > STACK, 1);
    reading_fini(&r);
    free(text);
}

/* --- times --- */

/* Microseconds since 1970 have more digits than a double holds. */
static void times_are_exact(void **state)
{
    (void)state;
    static const struct {
        const char *ts, *dur;
        int64_t start_ns, dur_ns;
    } cases[] = {{"1736408883674584.732", "0.020", 1736408883674584732, 20},
                 {"\"1736408883674584.733\"", "\"1.001\"", 1736408883674584733, 1001},
                 {"1736408883674584.7311", "2", 1736408883674584731, 2000},
                 {"1736408883674584731e-3", "2e3", 1736408883674584731, 2000000},
                 {"1.736408883674584731E15", "0", 1736408883674584731, 0},
                 {"-5.5", "-1", -5500, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading r;
        char text[256];
        int len =
            snprintf(text, sizeof text, "[{\"ph\":\"X\",\"name\":\"a\",\"ts\":%s,\"dur\":%s}]",
                     cases[i].ts, cases[i].dur);
        read_bytes(&r, (struct mi_bytes){(const uint8_t *)text, (size_t)len});
        assert_int_equal(r.batch.rows.slices.count - 1, 1);
        assert_int_equal(r.batch.rows.slices.start_raw[1], cases[i].start_ns);
        assert_int_equal(r.batch.rows.slices.dur_ns[1], cases[i].dur_ns);
        assert_int_equal(reading_diag(&r, "trace.time_rounded"), i == 2);
        reading_fini(&r);
    }
}

/* Lengths that are missing, no number, negative or near 2^64. */
static void lengths(void **state)
{
    (void)state;
    static const struct {
        const char *dur, *code;
        int64_t dur_ns;
    } cases[] = {{"", "trace.no_duration", 0},
                 {",\"dur\":\"x\"", "trace.no_duration", 0},
                 {",\"dur\":null", "trace.no_duration", 0},
                 {",\"dur\":-3", "trace.duration_negative", 0},
                 {",\"dur\":18446744073709551615", "trace.unfinished", 89000},
                 {",\"dur\":18446744073709551.615", "trace.unfinished", 89000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reading r;
        char text[256];
        int len = snprintf(text, sizeof text,
                           "[" X("last", "100") ",{\"ph\":\"X\",\"name\":\"a\",\"ts\":12%s}]",
                           cases[i].dur);
        read_bytes(&r, (struct mi_bytes){(const uint8_t *)text, (size_t)len});
        assert_int_equal(r.batch.rows.slices.count - 1, 2);
        assert_int_equal(reading_diag(&r, cases[i].code), 1);
        assert_int_equal(r.batch.rows.slices.dur_ns[2], cases[i].dur_ns); /* to the end: 101 us */
        reading_fini(&r);
    }
}

/* --- lanes and ids --- */

static void lanes_are_pairs_as_written(void **state)
{
    (void)state;
    static const char text[] =
        "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1},"
        "{\"ph\":\"X\",\"pid\":\"1\",\"tid\":\"1\",\"ts\":2,\"dur\":1},"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":\"stream 7\",\"ts\":3,\"dur\":1},"
        "{\"ph\":\"X\",\"pid\":18446744073709551615,\"tid\":-1,\"ts\":4,\"dur\":1},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":9,\"tid\":9,\"args\":{\"name\":\"nobody\"}}"
        ","
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"old\"}},"
        "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"new\"}}]";
    struct reading r;
    read_bytes(&r, mi_cstr(text));
    const struct mi_tables *rows = &r.batch.rows;
    assert_int_equal(rows->slices.count - 1, 4);
    assert_int_equal(rows->slices.track[1].v, rows->slices.track[2].v);
    assert_int_not_equal(rows->slices.track[1].v, rows->slices.track[3].v);
    assert_int_not_equal(rows->slices.track[1].v, rows->slices.track[4].v);
    assert_true(mi_bytes_equal(mi_batch_text(&r.batch, rows->tracks.name[rows->slices.track[1].v]),
                               MI_LIT("new"))); /* names come last, the last one counts */
    assert_int_equal(reading_diag(&r, "trace.renamed"), 1);
    reading_fini(&r);
}

/* Ids of 64 bits and more, as numbers and as text, keep all their digits. */
static void ids_are_text(void **state)
{
    (void)state;
    static const char text[] =
        "[" X("a", "0") ",{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":2,\"ts\":50,\"dur\":9},"
                        "{\"ph\":\"X\",\"name\":\"c\",\"pid\":1,\"tid\":2,\"ts\":60,\"dur\":9},"
                        "{\"ph\":\"s\",\"name\":\"n\",\"id\":123456789012345678901,\"pid\":1,"
                        "\"tid\":1,\"ts\":0},"
                        "{\"ph\":\"s\",\"name\":\"n\",\"id\":\"0x112210f47de98115f\",\"pid\":1,"
                        "\"tid\":1,\"ts\":0},"
                        "{\"ph\":\"f\",\"name\":\"n\",\"id\":123456789012345678901,\"bp\":\"e\","
                        "\"pid\":1,\"tid\":2,"
                        "\"ts\":51},"
                        "{\"ph\":\"f\",\"name\":\"n\",\"id\":\"0x112210f47de98115f\",\"bp\":\"e\","
                        "\"pid\":1,\"tid\":2,"
                        "\"ts\":61},"
                        "{\"ph\":\"f\",\"name\":\"n\",\"id\":123456789012345678902,\"bp\":\"e\","
                        "\"pid\":1,\"tid\":2,"
                        "\"ts\":61}]";
    struct reading r;
    read_bytes(&r, mi_cstr(text));
    const struct mi_flows *flows = &r.batch.rows.flows;
    uint32_t whole = 0;
    assert_int_equal(flows->count - 1, 3);
    for (uint32_t f = 1; f < flows->count; f++)
        whole += flows->from_slice[f].v == 1 && flows->to_slice[f].v >= 2;
    assert_int_equal(whole, 2);
    assert_int_equal(reading_diag(&r, "trace.arrow_from_nowhere"), 1);
    reading_fini(&r);
}

/* Of two values the last counts; a number that ties rows has 32 bits. */
static void arguments_that_tie(void **state)
{
    (void)state;
    static const char text[] =
        "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"args\":{\"correlation\":5,\"correlation\":6}},"
        "{\"ph\":\"X\",\"ts\":2,\"dur\":1,\"args\":{\"correlation\":4294967301}},"
        "{\"ph\":\"X\",\"ts\":3,\"dur\":1,\"args\":{\"correlation\":4294967295}}]";
    struct reading r;
    read_bytes(&r, mi_cstr(text));
    const struct mi_slices *slices = &r.batch.rows.slices;
    assert_int_equal(mi_some_u32(slices->connection[1]), 6);
    assert_int_equal(mi_some_u32(slices->connection[2]), MI_NO_CONNECTION);
    assert_int_equal(mi_some_u32(slices->connection[3]), MI_NO_CONNECTION);
    assert_int_equal(reading_diag(&r, "trace.key_twice"), 1);
    assert_int_equal(reading_diag(&r, "trace.connection_long"), 1);
    reading_fini(&r);
}

/* So has the number of a task. */
static void long_task_ids(void **state)
{
    (void)state;
    static const char text[] =
        "[{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"Ascend "
        "Hardware\"}},"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"a\",\"ts\":1,\"dur\":1,"
        "\"args\":{\"Task Id\":4294967294,\"Stream Id\":2,\"Task Type\":\"AI_CORE\"}},"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"name\":\"b\",\"ts\":2,\"dur\":1,"
        "\"args\":{\"Task Id\":4294967296,\"Stream Id\":2,\"Task Type\":\"AI_CORE\"}}]";
    struct reading r;
    read_bytes(&r, mi_cstr(text));
    const struct mi_tasks *tasks = &r.batch.rows.tasks;
    assert_int_equal(tasks->count - 1, 2);
    assert_true(mi_some_get(tasks->native_id[1]) == 4294967294);
    assert_true(mi_some_get(tasks->native_id[2]) == -1);
    assert_int_equal(reading_diag(&r, "trace.task_long"), 1);
    reading_fini(&r);
}

/* --- asynchronous spans --- */

/* Ties are category, id and scope, and the process for local ids; a span may end anywhere. */
static void asynchronous_spans(void **state)
{
    (void)state;
    static const char text[] =
        "[{\"ph\":\"e\",\"cat\":\"a\",\"id\":1,\"pid\":1,\"tid\":9,\"ts\":30},"
        "{\"ph\":\"b\",\"cat\":\"a\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":10},"
        "{\"ph\":\"b\",\"cat\":\"b\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":11},"
        "{\"ph\":\"e\",\"cat\":\"b\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":15},"
        "{\"ph\":\"b\",\"cat\":\"b\",\"id\":1,\"scope\":\"s\",\"pid\":1,\"tid\":1,\"ts\":12},"
        "{\"ph\":\"e\",\"cat\":\"b\",\"id\":1,\"scope\":\"s\",\"pid\":1,\"tid\":1,\"ts\":20},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"id2\":{\"local\":1},\"pid\":1,\"tid\":1,\"ts\":13},"
        "{\"ph\":\"b\",\"cat\":\"c\",\"id2\":{\"local\":1},\"pid\":2,\"tid\":1,\"ts\":14},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id2\":{\"local\":1},\"pid\":1,\"tid\":1,\"ts\":40},"
        "{\"ph\":\"e\",\"cat\":\"c\",\"id2\":{\"local\":1},\"pid\":2,\"tid\":1,\"ts\":50},"
        "{\"ph\":\"b\",\"cat\":\"d\",\"id2\":{\"global\":1},\"pid\":1,\"tid\":1,\"ts\":16},"
        "{\"ph\":\"e\",\"cat\":\"d\",\"id2\":{\"global\":1},\"pid\":2,\"tid\":1,\"ts\":60}]";
    static const struct {
        int64_t start_ns, dur_ns;
    } spans[] = {{10000, 20000}, {11000, 4000},  {12000, 8000},
                 {13000, 27000}, {14000, 36000}, {16000, 44000}};
    struct reading r;
    read_bytes(&r, mi_cstr(text));
    const struct mi_slices *slices = &r.batch.rows.slices;
    assert_int_equal(slices->count - 1, 6);
    for (uint32_t s = 1; s < slices->count; s++)
        for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
            if (slices->start_raw[s] == spans[i].start_ns)
                assert_int_equal(slices->dur_ns[s], spans[i].dur_ns);
    assert_int_equal(r.batch.rows.diags.count, 1);
    reading_fini(&r);
}

/* B and E by time, not by place in the file; the last opened closes first. */
static void nested_spans_in_any_order(void **state)
{
    (void)state;
    static const char text[] = "[{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":90},"
                               "{\"ph\":\"B\",\"name\":\"inner\",\"pid\":1,\"tid\":1,\"ts\":20},"
                               "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":30},"
                               "{\"ph\":\"B\",\"name\":\"outer\",\"pid\":1,\"tid\":1,\"ts\":10},"
                               "{\"ph\":\"B\",\"name\":\"next\",\"pid\":1,\"tid\":1,\"ts\":40},"
                               "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":55},"
                               "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":5}]";
    struct reading r;
    read_bytes(&r, mi_cstr(text));
    const struct mi_slices *slices = &r.batch.rows.slices;
    assert_int_equal(slices->count - 1, 3);
    for (uint32_t s = 1; s < slices->count; s++)
        assert_int_equal(slices->dur_ns[s], slices->start_raw[s] == 10000   ? 80000
                                            : slices->start_raw[s] == 20000 ? 10000
                                                                            : 15000);
    assert_int_equal(reading_diag(&r, "trace.end_stray"), 1);
    assert_int_equal(r.batch.counts.kept, 6);
    reading_fini(&r);
}

/* --- arrows --- */

/* A step is an end and the start of what follows; several ends leave the last start before them. */
static void arrows_with_steps_and_several_ends(void **state)
{
    (void)state;
    static const char text[] =
        "[" X("a", "0") "," X("b", "10") "," X("c", "20") "," X("d", "30") "," X(
            "e", "40") ","
                       "{\"ph\":\"s\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":0},"
                       "{\"ph\":\"t\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":10},"
                       "{\"ph\":\"f\",\"id\":1,\"bp\":\"e\",\"pid\":1,\"tid\":1,\"ts\":20},"
                       "{\"ph\":\"s\",\"id\":2,\"pid\":1,\"tid\":1,\"ts\":0},"
                       "{\"ph\":\"f\",\"id\":2,\"bp\":\"e\",\"pid\":1,\"tid\":1,\"ts\":10},"
                       "{\"ph\":\"s\",\"id\":2,\"pid\":1,\"tid\":1,\"ts\":20},"
                       "{\"ph\":\"f\",\"id\":2,\"bp\":\"e\",\"pid\":1,\"tid\":1,\"ts\":30},"
                       "{\"ph\":\"f\",\"id\":2,\"bp\":\"e\",\"pid\":1,\"tid\":1,\"ts\":40},"
                       "{\"ph\":\"s\",\"cat\":\"x\",\"id\":3,\"pid\":1,\"tid\":1,\"ts\":0},"
                       "{\"ph\":\"f\",\"cat\":\"y\",\"id\":3,\"bp\":\"e\",\"pid\":1,\"tid\":1,"
                       "\"ts\":40},"
                       "{\"ph\":\"s\",\"id\":4,\"pid\":1,\"tid\":1,\"ts\":0.5},"
                       "{\"ph\":\"f\",\"id\":4,\"pid\":1,\"tid\":1,\"ts\":11.5}]"; /* no bp: the
                                                                                      next, c */
    static const int64_t wanted[][2] = {{0, 10000},     {10000, 20000}, {0, 10000},
                                        {20000, 30000}, {20000, 40000}, {0, 20000}};
    struct reading r;
    read_bytes(&r, mi_cstr(text));
    const struct mi_tables *rows = &r.batch.rows;
    uint32_t found[sizeof wanted / sizeof *wanted] = {0}, halves = 0;
    for (uint32_t f = 1; f < rows->flows.count; f++) {
        uint32_t from = rows->flows.from_slice[f].v, to = rows->flows.to_slice[f].v;
        halves += !from || !to;
        for (size_t i = 0; from && to && i < sizeof wanted / sizeof *wanted; i++)
            found[i] += rows->slices.start_raw[from] == wanted[i][0] &&
                        rows->slices.start_raw[to] == wanted[i][1];
    }
    assert_int_equal(rows->flows.count - 1, 8);
    assert_int_equal(halves, 2); /* x and y are no pair */
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_int_equal(found[i], i == 0 || i == 2 ? 2 : 1);
    reading_fini(&r);
}

/* Of spans that begin at once the shorter is the inner one, however they stand in the file. */
static void arrows_find_the_innermost(void **state)
{
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        struct reading r;
        char text[512];
        const char *outer = "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":90},";
        const char *inner = "{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":20},";
        int len = snprintf(text, sizeof text,
                           "[%s%s{\"ph\":\"s\",\"id\":1,\"pid\":1,\"tid\":1,\"ts\":15},"
                           "{\"ph\":\"f\",\"id\":1,\"bp\":\"e\",\"pid\":1,\"tid\":1,\"ts\":50}]",
                           turn ? inner : outer, turn ? outer : inner);
        read_bytes(&r, (struct mi_bytes){(const uint8_t *)text, (size_t)len});
        const struct mi_tables *rows = &r.batch.rows;
        assert_int_equal(rows->flows.count - 1, 1);
        assert_int_equal(rows->slices.dur_ns[rows->flows.from_slice[1].v], 20000);
        assert_int_equal(rows->slices.dur_ns[rows->flows.to_slice[1].v], 90000);
        reading_fini(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(containers),
        cmocka_unit_test(keys_behind_a_broken_list),
        cmocka_unit_test(names),
        cmocka_unit_test(great_events),
        cmocka_unit_test(times_are_exact),
        cmocka_unit_test(lengths),
        cmocka_unit_test(lanes_are_pairs_as_written),
        cmocka_unit_test(ids_are_text),
        cmocka_unit_test(arguments_that_tie),
        cmocka_unit_test(long_task_ids),
        cmocka_unit_test(asynchronous_spans),
        cmocka_unit_test(nested_spans_in_any_order),
        cmocka_unit_test(arrows_with_steps_and_several_ends),
        cmocka_unit_test(arrows_find_the_innermost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
