/* A report as Markdown, for comments on merge requests: what failed first, then facts and tables.
 * Names are hostile: what Markdown or HTML would act on is escaped. */
#include "base/translate.h"
#include "present/text/report_format.h"
#include "present/text/report_text.h"

#include <string.h>

enum { MOST_ROWS = 50 /* of one table: comments have a limit, and readers too */ };

/* Text that was made fit for a terminal, made fit for Markdown too. */
static void put_escaped(struct mi_sink *sink, struct mi_bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        uint8_t byte = text.at[i];
        if (byte == '<')
            mi_sink_text(sink, "&lt;");
        else if (byte == '>')
            mi_sink_text(sink, "&gt;");
        else if (byte == '&')
            mi_sink_text(sink, "&amp;");
        else if (byte == '@') /* nobody is called by a name in a file */
            mi_sink_text(sink, "&#64;");
        else {
            if (strchr("\\`*_{}[]#|!~$:", byte) && byte)
                mi_sink_byte(sink, '\\');
            mi_sink_byte(sink, byte);
        }
    }
}

static void put_words(struct mi_sink *sink, enum mi_lang lang, const char *words)
{
    put_escaped(sink, mi_cstr(mi_tr(lang, words)));
}

static void put_cell(struct mi_sink *sink, enum mi_lang lang, enum mi_cell_kind kind,
                     const char *unit, const struct mi_cell *cell)
{
    struct mi_sink plain;
    mi_sink_init_memory(&plain);
    mi_text_cell(&plain, lang, kind, unit, cell);
    put_escaped(sink, mi_sink_bytes(&plain));
    mi_sink_fini(&plain);
}

static bool is_number(enum mi_cell_kind kind)
{
    return kind == MI_CELL_INT || kind == MI_CELL_SHARE || kind == MI_CELL_REAL;
}

static bool is_empty(const struct mi_report_table *table, unsigned column)
{
    if (!table->columns[column].title)
        return true;
    for (uint32_t r = 0; r < table->row_count; r++)
        if (!table->cells[(size_t)r * table->column_count + column].is_none)
            return false;
    return true;
}

static void put_heading(struct mi_sink *sink, enum mi_lang lang,
                        const struct mi_report_table *table)
{
    for (unsigned c = 0; c < table->column_count; c++)
        if (!is_empty(table, c)) {
            mi_sink_text(sink, "| ");
            put_words(sink, lang, table->columns[c].title);
            if (table->columns[c].kind == MI_CELL_INT && strcmp(table->columns[c].unit, "ns") == 0)
                mi_sink_text(sink, " (us)");
            mi_sink_byte(sink, ' ');
        }
    mi_sink_text(sink, "|\n");
    for (unsigned c = 0; c < table->column_count; c++)
        if (!is_empty(table, c))
            mi_sink_text(sink, is_number(table->columns[c].kind) ? "| ---: " : "| --- ");
    mi_sink_text(sink, "|\n");
}

static void put_table(struct mi_sink *sink, enum mi_lang lang, const struct mi_report_table *table)
{
    mi_sink_text(sink, "\n### ");
    put_words(sink, lang, table->title);
    mi_sink_text(sink, "\n\n");
    put_heading(sink, lang, table);
    for (uint32_t r = 0; r < table->row_count && r < MOST_ROWS; r++) {
        const struct mi_cell *row = table->cells + (size_t)r * table->column_count;
        for (unsigned c = 0; c < table->column_count; c++)
            if (!is_empty(table, c)) {
                mi_sink_text(sink, "| ");
                put_cell(sink, lang, table->columns[c].kind, table->columns[c].unit, &row[c]);
                mi_sink_byte(sink, ' ');
            }
        mi_sink_text(sink, "|\n");
    }
    if (table->row_count > MOST_ROWS)
        mi_sink_text(sink, "\n...\n");
}

static void put_findings(struct mi_sink *sink, const struct mi_report *report,
                         const struct mi_report_about *about)
{
    for (uint32_t f = 0; f < report->finding_count; f++) {
        const struct mi_finding *finding = &report->findings[f];
        struct mi_sink plain;
        mi_sink_init_memory(&plain);
        mi_report_put_sentence(&plain, about->lang, finding);
        mi_sink_text(sink, mi_report_fails(about, finding) ? "- \xe2\x9d\x8c **" : "- **");
        put_words(sink, about->lang, mi_enum_name(MI_E_severity, finding->severity));
        mi_sink_text(sink, "** `");
        mi_sink_text(sink, finding->rule);
        mi_sink_text(sink, "` ");
        put_escaped(sink, mi_sink_bytes(&plain));
        mi_sink_byte(sink, '\n');
        mi_sink_fini(&plain);
    }
}

static void write(const struct mi_report *report, const struct mi_report_about *about,
                  struct mi_sink *sink)
{
    bool fails = false;
    for (uint32_t f = 0; f < report->finding_count; f++)
        fails = fails || mi_report_fails(about, &report->findings[f]);
    mi_sink_text(sink, "## model-inspector ");
    mi_sink_text(sink, about->command);
    mi_sink_text(sink, ": ");
    put_words(sink, about->lang, fails ? N_("alarm") : N_("passed"));
    mi_sink_text(sink, "\n\n");
    put_findings(sink, report, about);
    if (report->finding_count)
        mi_sink_byte(sink, '\n');
    for (uint32_t i = 0; i < report->fact_count; i++) {
        const struct mi_report_fact *fact = &report->facts[i];
        mi_sink_text(sink, "- ");
        put_words(sink, about->lang, fact->title);
        mi_sink_text(sink, "\\: ");
        put_cell(sink, about->lang, fact->kind, fact->unit, &fact->cell);
        mi_sink_byte(sink, '\n');
    }
    for (uint32_t t = 0; t < report->table_count; t++)
        if (report->tables[t].row_count)
            put_table(sink, about->lang, &report->tables[t]);
}

const struct mi_report_format mi_report_format_markdown = {.name = "markdown",
                                                           .suffixes = ".md .markdown",
                                                           .title = N_("for merge requests"),
                                                           .write = write};
