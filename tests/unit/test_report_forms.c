/* Reports as Markdown, JUnit, SARIF and lines: what hostile names become, and what fails. */
#include "present/text/report_format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define HOSTILE "a<b>&\"'`|*_@\x01\xff\xe2\x80\xae]](x)"

static const struct mi_report_column columns[] = {
    {"rule", "rule", MI_CELL_TEXT, "", ""},
    {"looks_for", "looks for", MI_CELL_WORD, "", ""},
    {"not_checked", "not checked", MI_CELL_WORD, "", ""},
};

static void make_report(struct mi_report *report)
{
    mi_report_init(report);
    struct mi_report_table *table = mi_report_add_table(report, "rules", "Rules", columns, 3);
    struct mi_cell *row = mi_report_add_row(report, table);
    row[0] = mi_cell_text(MI_LIT("slow"));
    row[1] = mi_cell_word("what is slow");
    row = mi_report_add_row(report, table);
    row[0] = mi_cell_text(MI_LIT("fast"));
    row[2] = mi_cell_word("needs more");
    mi_report_add_finding(report, &(struct mi_finding){.rule = "slow",
                                                       .severity = MI_WARNING,
                                                       .subject = MI_LIT(HOSTILE),
                                                       .sentence = "%1 is slow.",
                                                       .args = {MI_LIT(HOSTILE)},
                                                       .cost_ns = 1500});
    mi_report_add_finding(report, &(struct mi_finding){.rule = "other",
                                                       .severity = MI_INFO,
                                                       .sentence = "By the way.",
                                                       .cost_ns = -1});
}

static struct mi_sink written(const char *path, enum mi_severity fail_on)
{
    struct mi_report_about about = {.command = "gate", .lang = MI_LANG_EN, .fail_on = fail_on};
    struct mi_report report;
    struct mi_sink sink;
    make_report(&report);
    mi_sink_init_memory(&sink);
    mi_report_format_of(path)->write(&report, &about, &sink);
    mi_sink_byte(&sink, '\0');
    assert_false(mi_sink_failed(&sink));
    mi_report_fini(&report);
    return sink;
}

static const char *text_of(const struct mi_sink *sink)
{
    return (const char *)mi_sink_bytes(sink).at;
}

static void test_the_name_tells_the_form(void **state)
{
    (void)state;
    assert_string_equal(mi_report_format_of("a/b.md")->name, "markdown");
    assert_string_equal(mi_report_format_of("a.xml")->name, "junit");
    assert_string_equal(mi_report_format_of("a.sarif")->name, "sarif");
    assert_string_equal(mi_report_format_of("a.sarif.json")->name, "sarif");
    assert_string_equal(mi_report_format_of("a.json")->name, "json");
    assert_string_equal(mi_report_format_of("a.jsonl")->name, "lines");
    assert_string_equal(mi_report_format_of("a.txt")->name, "text");
    assert_null(mi_report_format_of("a.pdf"));
    assert_null(mi_report_format_of(".md"));
    assert_null(mi_report_format_of(""));
}

static void test_junit(void **state)
{
    (void)state;
    struct mi_sink sink = written("x.xml", MI_WARNING);
    const char *text = text_of(&sink);
    assert_non_null(strstr(text, "tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""));
    assert_non_null(strstr(text, "a&lt;b&gt;&amp;&quot;'`|*_@"));
    assert_non_null(strstr(text, "<skipped message=\"needs more\"/>"));
    assert_null(strchr(text, '\x01'));
    assert_null(strstr(text, "\xff"));
    mi_sink_fini(&sink);
    sink = written("x.xml", MI_ERROR);
    assert_non_null(strstr(text_of(&sink), "failures=\"0\""));
    assert_null(strstr(text_of(&sink), "<failure"));
    mi_sink_fini(&sink);
}

static void test_markdown(void **state)
{
    (void)state;
    struct mi_sink sink = written("x.md", MI_WARNING);
    const char *text = text_of(&sink);
    assert_non_null(strstr(text, "model-inspector gate: alarm"));
    assert_non_null(strstr(text, "a&lt;b&gt;&amp;\"'\\`\\|\\*\\_&#64;"));
    assert_non_null(strstr(text, "\\]\\](x)"));
    assert_non_null(strstr(text, "| rule | looks for | not checked |\n| --- | --- | --- |"));
    mi_sink_fini(&sink);
    sink = written("x.md", MI_ERROR);
    assert_non_null(strstr(text_of(&sink), "model-inspector gate: passed"));
    mi_sink_fini(&sink);
}

static void test_sarif(void **state)
{
    (void)state;
    struct mi_sink sink = written("x.sarif", MI_WARNING);
    const char *text = text_of(&sink);
    assert_non_null(strstr(text, "\"level\": \"warning\""));
    assert_non_null(strstr(text, "\"level\": \"note\""));
    assert_non_null(strstr(text, "\"text\": \"what is slow\""));
    assert_non_null(strstr(text, "\"fullyQualifiedName\""));
    mi_sink_fini(&sink);
}

static void test_lines(void **state)
{
    (void)state;
    struct mi_sink sink = written("x.jsonl", MI_WARNING);
    const char *text = text_of(&sink);
    assert_non_null(strstr(text, "\n{\"kind\":\"finding\",\"rule\":\"slow\""));
    assert_non_null(strstr(text, "\n{\"kind\":\"finding\",\"rule\":\"other\""));
    mi_sink_fini(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_name_tells_the_form),
                                       cmocka_unit_test(test_junit),
                                       cmocka_unit_test(test_markdown),
                                       cmocka_unit_test(test_sarif), cmocka_unit_test(test_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
