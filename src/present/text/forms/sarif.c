/* A report as SARIF 2.1.0 (OASIS), which code hosting sites show as alerts. Findings are about
 * nodes and tasks, not about lines of text: their places are logical ones. */
#include "base/json_write.h"
#include "base/mem.h"
#include "base/translate.h"
#include "model-inspector/inspector.h"
#include "present/text/report_format.h"

#include <string.h>

enum { MOST_RULES = 1024 };

struct rules {
    const char *name[MOST_RULES];
    const char *sentence[MOST_RULES]; /* what it looks for; NULL = not known */
    uint32_t count;
};

static uint32_t rule_at(struct rules *rules, const char *name)
{
    uint32_t at = 0;
    while (at < rules->count && strcmp(rules->name[at], name) != 0)
        at++;
    if (at == rules->count && rules->count < MOST_RULES) {
        rules->name[at] = name;
        rules->sentence[at] = NULL;
        rules->count++;
    }
    return at;
}

/* What a rule looks for, as the table "rules" says it. */
static void describe_rules(struct rules *rules, const struct mi_report *report)
{
    const struct mi_report_table *table = mi_report_rules(report);
    int rule = table ? mi_report_column_at(table, "rule") : -1;
    int what = table ? mi_report_column_at(table, "looks_for") : -1;
    for (uint32_t r = 0; what >= 0 && r < table->row_count; r++) {
        const struct mi_cell *row = table->cells + (size_t)r * table->column_count;
        for (uint32_t i = 0; i < rules->count; i++)
            if (!row[what].is_none && mi_bytes_equal(row[rule].text, mi_cstr(rules->name[i])))
                rules->sentence[i] = row[what].word;
    }
}

static void put_text(struct mi_jw *jw, const char *key, struct mi_bytes text)
{
    mi_jw_key(jw, key);
    mi_jw_begin_object(jw);
    mi_jw_member_string(jw, "text", text);
    mi_jw_end(jw);
}

static void put_driver(struct mi_jw *jw, const struct rules *rules)
{
    mi_jw_key(jw, "tool");
    mi_jw_begin_object(jw);
    mi_jw_key(jw, "driver");
    mi_jw_begin_object(jw);
    mi_jw_member_text(jw, "name", "model-inspector");
    mi_jw_member_text(jw, "semanticVersion", MI_VERSION);
    mi_jw_key(jw, "rules");
    mi_jw_begin_array(jw);
    for (uint32_t i = 0; i < rules->count; i++) {
        mi_jw_begin_object(jw);
        mi_jw_member_text(jw, "id", rules->name[i]);
        if (rules->sentence[i])
            put_text(jw, "shortDescription", mi_cstr(rules->sentence[i]));
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
    mi_jw_end(jw);
    mi_jw_end(jw);
}

static const char *level_of(enum mi_severity severity)
{
    if (severity >= MI_ERROR)
        return "error";
    return severity >= MI_WARNING ? "warning" : "note";
}

static void put_place(struct mi_jw *jw, const struct mi_finding *finding)
{
    mi_jw_key(jw, "locations");
    mi_jw_begin_array(jw);
    if (finding->subject.len) {
        mi_jw_begin_object(jw);
        mi_jw_key(jw, "logicalLocations");
        mi_jw_begin_array(jw);
        mi_jw_begin_object(jw);
        mi_jw_member_string(jw, "fullyQualifiedName", finding->subject);
        mi_jw_end(jw);
        mi_jw_end(jw);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
}

static void put_result(struct mi_jw *jw, const struct mi_finding *finding, uint32_t rule)
{
    struct mi_sink sentence;
    mi_sink_init_memory(&sentence);
    mi_report_put_sentence(&sentence, MI_LANG_EN, finding);
    mi_jw_begin_object(jw);
    mi_jw_member_text(jw, "ruleId", finding->rule);
    mi_jw_member_i64(jw, "ruleIndex", rule);
    mi_jw_member_text(jw, "level", level_of(finding->severity));
    put_text(jw, "message", mi_sink_bytes(&sentence));
    put_place(jw, finding);
    if (finding->cost_ns >= 0) {
        mi_jw_key(jw, "properties");
        mi_jw_begin_object(jw);
        mi_jw_member_i64(jw, "cost_ns", finding->cost_ns);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
    mi_sink_fini(&sentence);
}

static void put_run(struct mi_jw *jw, const struct mi_report *report, struct rules *rules)
{
    mi_jw_begin_object(jw);
    for (uint32_t f = 0; f < report->finding_count; f++)
        rule_at(rules, report->findings[f].rule);
    describe_rules(rules, report);
    put_driver(jw, rules);
    mi_jw_member_text(jw, "columnKind", "utf16CodeUnits");
    mi_jw_key(jw, "results");
    mi_jw_begin_array(jw);
    for (uint32_t f = 0; f < report->finding_count; f++)
        put_result(jw, &report->findings[f], rule_at(rules, report->findings[f].rule));
    mi_jw_end(jw);
    mi_jw_end(jw);
}

static void write(const struct mi_report *report, const struct mi_report_about *about,
                  struct mi_sink *sink)
{
    struct rules *rules = mi_mem_zero(1, sizeof *rules);
    struct mi_jw jw;
    (void)about;
    if (!rules) {
        mi_sink_fail(sink, MI_ENOMEM, "out of memory");
        return;
    }
    mi_jw_init(&jw, sink, &(struct mi_jw_options){.indent = 2});
    mi_jw_begin_object(&jw);
    mi_jw_member_text(&jw, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    mi_jw_member_text(&jw, "version", "2.1.0");
    mi_jw_key(&jw, "runs");
    mi_jw_begin_array(&jw);
    put_run(&jw, report, rules);
    mi_jw_end(&jw);
    mi_jw_end(&jw);
    mi_sink_byte(sink, '\n');
    mi_mem_free(rules);
}

const struct mi_report_format mi_report_format_sarif = {.name = "sarif",
                                                        .suffixes = ".sarif .sarif.json",
                                                        .title = N_("SARIF, for code hosting"),
                                                        .write = write};
