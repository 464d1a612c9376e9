#include "present/text/report_json.h"

#include "present/text/report_text.h"

#include <stdio.h>

static void write_share(struct mi_jw *jw, int64_t ppm)
{
    char text[32];
    int64_t positive = ppm < 0 ? -ppm : ppm;
    int len = snprintf(text, sizeof text, "%s%lld.%06lld", ppm < 0 ? "-" : "",
                       (long long)(positive / 1000000), (long long)(positive % 1000000));
    mi_jw_raw(jw, (struct mi_bytes){(const uint8_t *)text, (size_t)len});
}

static void write_cell(struct mi_jw *jw, enum mi_cell_kind kind, const struct mi_cell *cell)
{
    if (cell->is_none) {
        mi_jw_null(jw);
        return;
    }
    switch (kind) {
    case MI_CELL_TEXT:
    case MI_CELL_SENTENCE:
        mi_jw_string(jw, cell->text);
        return;
    case MI_CELL_WORD:
        mi_jw_text(jw, cell->word);
        return;
    case MI_CELL_INT:
    case MI_CELL_NODE:
    case MI_CELL_TASK:
    case MI_CELL_DEPTH:
        mi_jw_i64(jw, cell->number);
        return;
    case MI_CELL_SHARE:
        write_share(jw, cell->number);
        return;
    case MI_CELL_REAL:
        mi_jw_double(jw, cell->real);
        return;
    case MI_CELL_BOOL:
        mi_jw_bool(jw, cell->number != 0);
        return;
    }
}

static void write_member(struct mi_jw *jw, const char *name, enum mi_cell_kind kind,
                         const struct mi_cell *cell)
{
    mi_jw_key(jw, name);
    write_cell(jw, kind, cell);
    if (kind == MI_CELL_TEXT && !cell->is_none) {
        char key[80];
        snprintf(key, sizeof key, "%s_hex", name);
        mi_jw_hex_note(jw, key, cell->text);
    }
}

static void write_columns(struct mi_jw *jw, const struct mi_report_table *table, uint32_t r)
{
    for (unsigned c = 0; c < table->column_count; c++)
        write_member(jw, table->columns[c].name, table->columns[c].kind,
                     &table->cells[(size_t)r * table->column_count + c]);
}

static void write_table(struct mi_jw *jw, const struct mi_report_table *table)
{
    mi_jw_key(jw, table->name);
    mi_jw_begin_array(jw);
    for (uint32_t r = 0; r < table->row_count; r++) {
        mi_jw_begin_object(jw);
        write_columns(jw, table, r);
        mi_jw_end(jw);
    }
    mi_jw_end(jw);
}

static void write_sentence(struct mi_jw *jw, const char *key, const char *sentence,
                           const struct mi_finding *finding)
{
    struct mi_sink text;
    mi_sink_init_memory(&text);
    mi_text_sentence(&text, sentence, finding->args, sizeof finding->args / sizeof *finding->args);
    mi_jw_member_string(jw, key, mi_sink_bytes(&text));
    mi_sink_fini(&text);
}

static void write_ids(struct mi_jw *jw, const char *key, const uint32_t *ids, uint32_t count)
{
    mi_jw_key(jw, key);
    mi_jw_begin_array(jw);
    for (uint32_t i = 0; i < count; i++)
        mi_jw_i64(jw, ids[i]);
    mi_jw_end(jw);
}

/* What findings with advice, or with several subjects, say besides. */
static void write_more(struct mi_jw *jw, const struct mi_finding *finding)
{
    struct mi_cell share =
        finding->cost_ns >= 0 ? mi_cell_share(finding->cost_ns, finding->whole_ns) : mi_cell_none();
    write_member(jw, "cost_share", MI_CELL_SHARE, &share);
    mi_jw_member_text(jw, "cost_from", finding->cost_from);
    mi_jw_key(jw, "subject");
    if (finding->subject.len)
        mi_jw_string(jw, finding->subject);
    else
        mi_jw_null(jw);
    write_ids(jw, "nodes", (const uint32_t *)finding->nodes, finding->node_count);
    write_ids(jw, "tasks", (const uint32_t *)finding->tasks, finding->task_count);
    mi_jw_member_bool(jw, "is_experimental", finding->is_experimental);
    if (finding->advice)
        write_sentence(jw, "advice", finding->advice, finding);
}

static void write_finding_members(struct mi_jw *jw, const struct mi_finding *finding)
{
    mi_jw_member_text(jw, "rule", finding->rule);
    mi_jw_member_text(jw, "severity", mi_enum_name(MI_E_severity, finding->severity));
    mi_jw_key(jw, "node");
    if (finding->node.v)
        mi_jw_i64(jw, finding->node.v);
    else
        mi_jw_null(jw);
    mi_jw_key(jw, "task");
    if (finding->task.v)
        mi_jw_i64(jw, finding->task.v);
    else
        mi_jw_null(jw);
    write_sentence(jw, "sentence", finding->sentence, finding);
    mi_jw_key(jw, "cost_ns");
    if (finding->cost_ns >= 0)
        mi_jw_i64(jw, finding->cost_ns);
    else
        mi_jw_null(jw);
    if (finding->advice || finding->node_count || finding->task_count)
        write_more(jw, finding);
}

static void write_finding(struct mi_jw *jw, const struct mi_finding *finding)
{
    mi_jw_begin_object(jw);
    write_finding_members(jw, finding);
    mi_jw_end(jw);
}

static void write_facts(struct mi_jw *jw, const struct mi_report *report)
{
    mi_jw_key(jw, "facts");
    mi_jw_begin_object(jw);
    for (uint32_t f = 0; f < report->fact_count; f++)
        write_member(jw, report->facts[f].name, report->facts[f].kind, &report->facts[f].cell);
    mi_jw_end(jw);
}

void mi_report_write_members(const struct mi_report *report, struct mi_jw *jw)
{
    write_facts(jw, report);
    mi_jw_key(jw, "tables");
    mi_jw_begin_object(jw);
    for (uint32_t t = 0; t < report->table_count; t++)
        write_table(jw, &report->tables[t]);
    mi_jw_end(jw);
    mi_jw_key(jw, "findings");
    mi_jw_begin_array(jw);
    for (uint32_t f = 0; f < report->finding_count; f++)
        write_finding(jw, &report->findings[f]);
    mi_jw_end(jw);
}

bool mi_report_write_json(const struct mi_report *report, struct mi_sink *sink,
                          struct mi_error *err)
{
    struct mi_jw jw;
    mi_jw_init(&jw, sink, &(struct mi_jw_options){.indent = 1});
    mi_jw_begin_object(&jw);
    mi_jw_member_text(&jw, "schema", MI_REPORT_SCHEMA);
    mi_report_write_members(report, &jw);
    mi_jw_end(&jw);
    return mi_jw_finish(&jw, err);
}

/* --- lines --- */

static void begin_line(struct mi_jw *jw, struct mi_sink *sink, const char *kind)
{
    mi_jw_init(jw, sink, NULL);
    mi_jw_begin_object(jw);
    mi_jw_member_text(jw, "kind", kind);
}

static void end_line(struct mi_jw *jw)
{
    mi_jw_end(jw);
    mi_sink_byte(jw->sink, '\n');
}

bool mi_report_write_lines(const struct mi_report *report, struct mi_sink *sink,
                           struct mi_error *err)
{
    struct mi_jw jw;
    begin_line(&jw, sink, "facts");
    mi_jw_member_text(&jw, "schema", MI_REPORT_SCHEMA);
    write_facts(&jw, report);
    end_line(&jw);
    for (uint32_t t = 0; t < report->table_count; t++)
        for (uint32_t r = 0; r < report->tables[t].row_count; r++) {
            begin_line(&jw, sink, "row");
            mi_jw_member_text(&jw, "table", report->tables[t].name);
            write_columns(&jw, &report->tables[t], r);
            end_line(&jw);
        }
    for (uint32_t f = 0; f < report->finding_count; f++) {
        begin_line(&jw, sink, "finding");
        write_finding_members(&jw, &report->findings[f]);
        end_line(&jw);
    }
    return mi_sink_flush(sink, err);
}
