/* Reports as text and JSON: widths, hostile names, what is left out, messages in another language.
 */
#include "present/text/message.h"
#include "present/text/report_json.h"
#include "present/text/report_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void assert_sink(const struct mi_sink *sink, const char *text)
{
    struct mi_bytes bytes = mi_sink_bytes(sink);
    char copy[4096];
    assert_false(mi_sink_failed(sink));
    assert_true(bytes.len < sizeof copy);
    if (bytes.len)
        memcpy(copy, bytes.at, bytes.len);
    copy[bytes.len] = 0;
    assert_string_equal(copy, text);
}

static void numbers(void **state)
{
    (void)state;
    static const struct {
        int64_t number;
        const char *grouped, *us, *share;
    } cases[] = {
        {0, "0", "0.000", "0.0 %"},
        {-1, "-1", "-0.001", "0.0 %"},
        {999, "999", "0.999", "0.1 %"},
        {1000, "1,000", "1.000", "0.1 %"},
        {-123456, "-123,456", "-123.456", "-12.3 %"},
        {1000000, "1,000,000", "1,000.000", "100.0 %"},
        {420999, "420,999", "420.999", "42.1 %"},
        {INT64_MAX, "9,223,372,036,854,775,807", "9,223,372,036,854,775.807", NULL},
        {INT64_MIN, "-9,223,372,036,854,775,808", "-9,223,372,036,854,775.808", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mi_sink sink;
        mi_sink_init_memory(&sink);
        mi_text_number(&sink, cases[i].number);
        assert_sink(&sink, cases[i].grouped);
        mi_sink_clear(&sink);
        mi_text_us(&sink, cases[i].number);
        assert_sink(&sink, cases[i].us);
        mi_sink_clear(&sink);
        if (cases[i].share) {
            mi_text_share(&sink, cases[i].number);
            assert_sink(&sink, cases[i].share);
        }
        mi_sink_fini(&sink);
    }
}

static const struct mi_report_column columns[] = {
    {"name", "name", MI_CELL_TEXT, "", ""},       {"never", "never", MI_CELL_INT, "", ""},
    {"total_ns", "total", MI_CELL_INT, "ns", ""}, {"fate", "fate", MI_CELL_WORD, "", ""},
    {"hidden", NULL, MI_CELL_INT, "", ""},
};

static void fill(struct mi_report *report, struct mi_bytes first)
{
    mi_report_init(report);
    struct mi_report_table *table = mi_report_add_table(report, "things", "Things", columns, 5);
    struct mi_cell *row = mi_report_add_row(report, table);
    row[0] = mi_cell_text(first);
    row[2] = mi_cell_int(1234567);
    row[3] = mi_cell_word("fused_into");
    row[4] = mi_cell_int(7);
    row = mi_report_add_row(report, table);
    row[0] = mi_cell_text(MI_LIT("b"));
    row[3] = mi_cell_word("folded");
}

static void write_text(const struct mi_report *report, unsigned width, struct mi_sink *sink)
{
    mi_sink_init_memory(sink);
    mi_report_write_text(report, &(struct mi_text_options){.columns = width}, sink);
}

static void columns_are_aligned(void **state)
{
    (void)state;
    struct mi_report report;
    struct mi_sink sink;
    fill(&report, MI_LIT("\xe5\x8d\xb7\xe7\xa7\xaf")); /* two wide characters */
    write_text(&report, 0, &sink);
    assert_sink(&sink, "Things\n"
                       "  name  total (us)  fate\n"
                       "  \xe5\x8d\xb7\xe7\xa7\xaf   1,234.567  fused into\n"
                       "  b              -  folded\n");
    mi_sink_fini(&sink);
    mi_report_fini(&report);
}

static void names_lose_their_middle_on_a_terminal(void **state)
{
    (void)state;
    struct mi_report report;
    struct mi_sink sink;
    fill(&report, MI_LIT("/model/layers.0/attention/query/MatMul"));
    write_text(&report, 42, &sink);
    assert_sink(&sink, "Things\n"
                       "  name              total (us)  fate\n"
                       "  /model/\xe2\x80\xa6y/MatMul   1,234.567  fused into\n"
                       "  b                          -  folded\n");
    mi_sink_fini(&sink);
    write_text(&report, 0, &sink); /* a pipe keeps it whole */
    assert_non_null(strstr((const char *)mi_sink_bytes(&sink).at,
                           "/model/layers.0/attention/query/MatMul   1,234.567"));
    mi_sink_fini(&sink);
    mi_report_fini(&report);
}

static void details_go_first(void **state)
{
    (void)state;
    struct mi_report report;
    struct mi_sink sink;
    fill(&report, MI_LIT("/model/layers.0/attention/query/MatMul"));
    mi_report_mark_details(&report.tables[0], "total_ns fate nonsense");
    write_text(&report, 38, &sink);
    assert_sink(&sink, "Things\n"
                       "  name                      total (us)\n"
                       "  /model/laye\xe2\x80\xa6query/MatMul   1,234.567\n"
                       "  b                                  -\n"
                       "  (--wide also shows: fate)\n");
    mi_sink_fini(&sink);
    mi_report_fini(&report);
}

static void hostile_names_are_escaped(void **state)
{
    (void)state;
    struct mi_report report;
    struct mi_sink sink;
    fill(&report, MI_LIT("a\n\x1b[31m\xff\xe2\x80\xae\0z"));
    write_text(&report, 0, &sink);
    struct mi_bytes text = mi_sink_bytes(&sink);
    assert_non_null(strstr((const char *)text.at, "a\\n\\x1b[31m\\xff\\u202e\\x00z"));
    for (size_t i = 0; i < text.len; i++)
        assert_true(text.at[i] == '\n' || (text.at[i] >= 0x20 && text.at[i] < 0x7f));
    mi_sink_fini(&sink);
    mi_sink_init_memory(&sink);
    assert_true(mi_report_write_json(&report, &sink, NULL));
    mi_sink_byte(&sink, 0);
    assert_non_null(strstr((const char *)mi_sink_bytes(&sink).at, "\"name_hex\": \"610a1b"));
    mi_sink_fini(&sink);
    mi_report_fini(&report);
}

static void a_huge_name_does_not_widen_every_row(void **state)
{
    (void)state;
    struct mi_report report;
    struct mi_sink sink;
    mi_report_init(&report);
    uint8_t *name = mi_arena_alloc(&report.arena, 1 << 20);
    memset(name, 'n', 1 << 20);
    struct mi_bytes huge = {name, 1 << 20};
    struct mi_report_table *table = mi_report_add_table(&report, "things", "Things", columns, 5);
    for (int i = 0; i < 100; i++) {
        struct mi_cell *row = mi_report_add_row(&report, table);
        row[0] = mi_cell_text(i ? MI_LIT("x") : huge);
        row[2] = mi_cell_int(i);
    }
    write_text(&report, 0, &sink);
    assert_true(mi_sink_bytes(&sink).len < (1 << 20) + 20000);
    mi_sink_fini(&sink);
    write_text(&report, 80, &sink);
    assert_true(mi_sink_bytes(&sink).len < 101 * 90);
    mi_sink_fini(&sink);
    mi_report_fini(&report);
}

static void lists_are_indented(void **state)
{
    (void)state;
    static const struct mi_report_column list[] = {{"depth", "", MI_CELL_DEPTH, "", ""},
                                                   {"name", "name", MI_CELL_TEXT, "", ""},
                                                   {"n", "n", MI_CELL_INT, "", ""}};
    struct mi_report report;
    struct mi_sink sink;
    mi_report_init(&report);
    struct mi_report_table *table = mi_report_add_table(&report, "list", "List", list, 3);
    for (int i = 0; i < 3; i++) {
        struct mi_cell *row = mi_report_add_row(&report, table);
        row[0] = mi_cell_int(i);
        row[1] = mi_cell_text(MI_LIT("x"));
        if (i == 1)
            row[2] = mi_cell_int(5);
    }
    write_text(&report, 0, &sink);
    assert_sink(&sink, "List\n  name   n\n  x\n    x    5\n      x\n");
    mi_sink_fini(&sink);
    mi_report_fini(&report);
}

static void json_of_a_report(void **state)
{
    (void)state;
    struct mi_report report;
    struct mi_sink sink;
    fill(&report, MI_LIT("a"));
    mi_report_add_fact(&report, &(struct mi_report_fact){.name = "share",
                                                         .title = "Share",
                                                         .kind = MI_CELL_SHARE,
                                                         .cell = mi_cell_share(1, 3)});
    mi_report_add_finding(&report, &(struct mi_finding){.rule = "r",
                                                        .severity = MI_NOTICE,
                                                        .sentence = "%2 before %1",
                                                        .args = {MI_LIT("b"), MI_LIT("a\n")},
                                                        .cost_ns = -1});
    mi_sink_init_memory(&sink);
    assert_true(mi_report_write_json(&report, &sink, NULL));
    assert_sink(&sink,
                "{\n \"schema\": \"model-inspector-report/1\",\n \"facts\": {\n  \"share\": "
                "0.333333\n },\n \"tables\": {\n  \"things\": [\n   {\n    \"name\": \"a\",\n    "
                "\"never\": null,\n    \"total_ns\": 1234567,\n    \"fate\": \"fused_into\",\n    "
                "\"hidden\": 7\n   },\n   {\n    \"name\": \"b\",\n    \"never\": null,\n    "
                "\"total_ns\": null,\n    \"fate\": \"folded\",\n    \"hidden\": null\n   }\n  "
                "]\n },\n \"findings\": [\n  {\n   \"rule\": \"r\",\n   \"severity\": "
                "\"notice\",\n   \"node\": null,\n   \"task\": null,\n   \"sentence\": "
                "\"a\\\\n before b\",\n   \"cost_ns\": null\n  }\n ]\n}\n");
    mi_sink_fini(&sink);
    mi_report_fini(&report);
}

/* --- messages --- */

static void assert_message(const char *message, const char *expected)
{
    struct mi_sink sink;
    mi_sink_init_memory(&sink);
    mi_text_message(&sink, MI_LANG_ZH_CN, mi_cstr(message));
    assert_sink(&sink, expected);
    mi_sink_fini(&sink);
}

/* "there is no command \"%.60s\"; is \"%s\" meant?" and its shorter brother. */
static void messages_find_their_format(void **state)
{
    (void)state;
    assert_message("there is no command \"a\"; is \"b\" meant?",
                   "没有命令 \"a\"；是否想用 \"b\"？");
    assert_message("there is no command \"a\"", "没有命令 \"a\"");
    assert_message("named in _origin_names", "写在 _origin_names 中");
    assert_message("named in _origin_names, which names several ops",
                   "写在 _origin_names 中，该名称对应多个算子");
    assert_message("there is no command \"\"; is \"\"; is \"x\" meant?",
                   "没有命令 \"\"；是否想用 \"\"; is \"x\"？");
    assert_message("no such message, ever \x1b", "no such message, ever \\x1b");
    assert_message("", "");
}

static void errors_tell_their_place(void **state)
{
    (void)state;
    struct mi_sink sink;
    struct mi_error err = MI_ERROR_INIT;
    mi_fail_at(&err, MI_EFORMAT, 12, 3, "what\nis this");
    mi_error_in(&err, "a\tb");
    mi_sink_init_memory(&sink);
    mi_text_error(&sink, MI_LANG_EN, &err);
    assert_sink(&sink, "a\\tb, line 3, byte 12: what\\nis this");
    mi_sink_fini(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(columns_are_aligned),
        cmocka_unit_test(names_lose_their_middle_on_a_terminal),
        cmocka_unit_test(details_go_first),
        cmocka_unit_test(hostile_names_are_escaped),
        cmocka_unit_test(a_huge_name_does_not_widen_every_row),
        cmocka_unit_test(lists_are_indented),
        cmocka_unit_test(json_of_a_report),
        cmocka_unit_test(messages_find_their_format),
        cmocka_unit_test(errors_tell_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
