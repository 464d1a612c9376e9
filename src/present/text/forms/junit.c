/* A report as JUnit XML, which CI servers show as tests: a test case per rule, its findings as
 * failures. What the schema in docs/schema/junit.xsd allows; readers agree on no more than that. */
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "present/text/report_format.h"

#include <string.h>

enum { MOST_RULES = 4096 };

struct test_case {
    struct mi_bytes rule;
    const char *needs; /* why it was not checked */
};

/* XML has no way at all to write most control characters: they come as people see them. */
static void put_xml(struct mi_sink *sink, struct mi_bytes text)
{
    struct mi_sink plain;
    mi_sink_init_memory(&plain);
    mi_utf8_show(&plain, text, 0);
    struct mi_bytes shown = mi_sink_bytes(&plain);
    for (size_t i = 0; i < shown.len;) {
        uint32_t code = 0;
        unsigned len = mi_utf8_decode(shown.at + i, shown.len - i, &code);
        if (len == 0 || code == 0xfffe || code == 0xffff)
            mi_sink_text(sink, "\xef\xbf\xbd");
        else if (code == '<')
            mi_sink_text(sink, "&lt;");
        else if (code == '>')
            mi_sink_text(sink, "&gt;");
        else if (code == '&')
            mi_sink_text(sink, "&amp;");
        else if (code == '"')
            mi_sink_text(sink, "&quot;");
        else
            mi_sink_write(sink, mi_bytes_sub(shown, i, len));
        i += len ? len : 1;
    }
    mi_sink_fini(&plain);
}

static void put_member(struct mi_sink *sink, const char *name, struct mi_bytes text)
{
    mi_sink_byte(sink, ' ');
    mi_sink_text(sink, name);
    mi_sink_text(sink, "=\"");
    put_xml(sink, text);
    mi_sink_byte(sink, '"');
}

static void put_number(struct mi_sink *sink, const char *name, uint64_t number)
{
    mi_sink_byte(sink, ' ');
    mi_sink_text(sink, name);
    mi_sink_text(sink, "=\"");
    mi_sink_u64(sink, number);
    mi_sink_byte(sink, '"');
}

static bool is_of(const struct mi_finding *finding, struct mi_bytes rule)
{
    bool is_about = strcmp(finding->rule, "not_checked") == 0 && finding->subject.len;
    return mi_bytes_equal(is_about ? finding->subject : mi_cstr(finding->rule), rule);
}

static uint32_t failures_of(const struct mi_report *report, const struct mi_report_about *about,
                            struct mi_bytes rule)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < report->finding_count; f++)
        count += is_of(&report->findings[f], rule) && mi_report_fails(about, &report->findings[f]);
    return count;
}

/* --- cases --- */

struct cases {
    struct test_case list[MOST_RULES];
    uint32_t count;
};

static void add_case(struct cases *cases, struct mi_bytes rule, const char *needs)
{
    if (cases->count < MOST_RULES)
        cases->list[cases->count++] = (struct test_case){.rule = rule, .needs = needs};
}

static bool has_case(const struct cases *cases, struct mi_bytes rule)
{
    for (uint32_t i = 0; i < cases->count; i++)
        if (mi_bytes_equal(cases->list[i].rule, rule))
            return true;
    return false;
}

static void list_cases(struct cases *cases, const struct mi_report *report)
{
    const struct mi_report_table *table = mi_report_rules(report);
    int rule_at = table ? mi_report_column_at(table, "rule") : -1;
    int needs_at = table ? mi_report_column_at(table, "not_checked") : -1;
    for (uint32_t r = 0; table && r < table->row_count; r++) {
        const struct mi_cell *row = table->cells + (size_t)r * table->column_count;
        bool is_skipped = needs_at >= 0 && !row[needs_at].is_none;
        add_case(cases, row[rule_at].text, is_skipped ? row[needs_at].word : NULL);
    }
    for (uint32_t f = 0; f < report->finding_count; f++)
        if (!has_case(cases, mi_cstr(report->findings[f].rule)) &&
            strcmp(report->findings[f].rule, "not_checked") != 0)
            add_case(cases, mi_cstr(report->findings[f].rule), NULL);
    if (cases->count == 0)
        add_case(cases, MI_LIT("checked"), NULL);
}

/* A rule that stands several times: its findings are told at the first. */
static bool is_first(const struct cases *cases, uint32_t at)
{
    for (uint32_t i = 0; i < at; i++)
        if (mi_bytes_equal(cases->list[i].rule, cases->list[at].rule))
            return false;
    return true;
}

static void put_sentence(struct mi_sink *sink, const struct mi_finding *finding)
{
    struct mi_sink plain;
    mi_sink_init_memory(&plain);
    mi_report_put_sentence(&plain, MI_LANG_EN, finding);
    put_xml(sink, mi_sink_bytes(&plain));
    mi_sink_fini(&plain);
}

/* Readers show one failure of a case: the first as its message, all of them inside. */
static void put_failure(struct mi_sink *sink, const struct mi_report *report,
                        const struct mi_report_about *about, struct mi_bytes rule)
{
    bool is_open = false;
    for (uint32_t f = 0; f < report->finding_count; f++) {
        const struct mi_finding *finding = &report->findings[f];
        if (!is_of(finding, rule) || !mi_report_fails(about, finding))
            continue;
        if (!is_open) {
            mi_sink_text(sink, "      <failure");
            put_member(sink, "type", mi_cstr(mi_enum_name(MI_E_severity, finding->severity)));
            mi_sink_text(sink, " message=\"");
            put_sentence(sink, finding);
            mi_sink_text(sink, "\">");
            is_open = true;
        }
        put_sentence(sink, finding);
        mi_sink_byte(sink, '\n');
    }
    mi_sink_text(sink, "</failure>\n");
}

static void put_case(struct mi_sink *sink, const struct mi_report *report,
                     const struct mi_report_about *about, const struct test_case *test,
                     bool tells_failures)
{
    mi_sink_text(sink, "    <testcase");
    put_member(sink, "classname", mi_cstr(about->command));
    put_member(sink, "name", test->rule);
    mi_sink_text(sink, " time=\"0\"");
    bool fails = tells_failures && failures_of(report, about, test->rule);
    if (!fails && !test->needs) {
        mi_sink_text(sink, "/>\n");
        return;
    }
    mi_sink_text(sink, ">\n");
    if (fails) {
        put_failure(sink, report, about, test->rule);
    } else {
        mi_sink_text(sink, "      <skipped");
        put_member(sink, "message", mi_cstr(test->needs));
        mi_sink_text(sink, "/>\n");
    }
    mi_sink_text(sink, "    </testcase>\n");
}

static void put_suite(struct mi_sink *sink, const struct mi_report *report,
                      const struct mi_report_about *about, const struct cases *cases)
{
    uint32_t failed = 0, skipped = 0;
    for (uint32_t i = 0; i < cases->count; i++) {
        bool fails = is_first(cases, i) && failures_of(report, about, cases->list[i].rule);
        failed += fails;
        skipped += !fails && cases->list[i].needs;
    }
    mi_sink_text(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    put_member(sink, "name", mi_cstr(about->command));
    put_number(sink, "tests", cases->count);
    put_number(sink, "failures", failed);
    put_number(sink, "errors", 0);
    put_number(sink, "skipped", skipped);
    mi_sink_text(sink, " time=\"0\">\n");
    for (uint32_t i = 0; i < cases->count; i++)
        put_case(sink, report, about, &cases->list[i], is_first(cases, i));
    mi_sink_text(sink, "  </testsuite>\n</testsuites>\n");
}

static void write(const struct mi_report *report, const struct mi_report_about *about,
                  struct mi_sink *sink)
{
    struct cases *cases = mi_mem_zero(1, sizeof *cases);
    if (!cases) {
        mi_sink_fail(sink, MI_ENOMEM, "out of memory");
        return;
    }
    list_cases(cases, report);
    put_suite(sink, report, about, cases);
    mi_mem_free(cases);
}

const struct mi_report_format mi_report_format_junit = {
    .name = "junit", .suffixes = ".xml", .title = N_("JUnit XML, for CI servers"), .write = write};
