#include "present/text/report_format.h"

#include "base/translate.h"
#include "present/text/report_json.h"
#include "present/text/report_text.h"

#include <string.h>

/* --- forms that every command prints, as files --- */

static void write_text(const struct mi_report *report, const struct mi_report_about *about,
                       struct mi_sink *sink)
{
    mi_report_write_text(report, &(struct mi_text_options){.lang = about->lang}, sink);
}

static const struct mi_report_format text = {
    .name = "text", .suffixes = ".txt", .title = N_("for people"), .write = write_text};

static void write_json(const struct mi_report *report, const struct mi_report_about *about,
                       struct mi_sink *sink)
{
    (void)about;
    mi_report_write_json(report, sink, NULL);
}

static const struct mi_report_format json = {
    .name = "json", .suffixes = ".json", .title = N_("for scripts"), .write = write_json};

static void write_lines(const struct mi_report *report, const struct mi_report_about *about,
                        struct mi_sink *sink)
{
    (void)about;
    mi_report_write_lines(report, sink, NULL);
}

static const struct mi_report_format lines = {.name = "lines",
                                              .suffixes = ".jsonl .ndjson",
                                              .title = N_("for scripts, an object a line"),
                                              .write = write_lines};

/* --- finding one --- */

const struct mi_report_format *const mi_report_formats[] = {&text, &json, &lines,
#define MI_REPORT_FORMAT(name) &mi_report_format_##name,
#include "present/text/report_formats.def"
#undef MI_REPORT_FORMAT
                                                            NULL};

static bool ends_with(const char *path, const char *suffix, size_t len)
{
    size_t path_len = strlen(path);
    return path_len > len && memcmp(path + path_len - len, suffix, len) == 0;
}

const struct mi_report_format *mi_report_format_of(const char *path)
{
    const struct mi_report_format *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; mi_report_formats[i]; i++)
        for (const char *at = mi_report_formats[i]->suffixes; *at;) {
            size_t len = strcspn(at, " ");
            if (len > longest && ends_with(path, at, len)) {
                longest = len;
                found = mi_report_formats[i];
            }
            at += len + (at[len] == ' ');
        }
    return found;
}

/* --- for the forms --- */

int mi_report_column_at(const struct mi_report_table *table, const char *name)
{
    for (unsigned c = 0; c < table->column_count; c++)
        if (strcmp(table->columns[c].name, name) == 0)
            return (int)c;
    return -1;
}

const struct mi_report_table *mi_report_rules(const struct mi_report *report)
{
    for (uint32_t t = 0; t < report->table_count; t++)
        if (strcmp(report->tables[t].name, "rules") == 0 &&
            mi_report_column_at(&report->tables[t], "rule") >= 0)
            return &report->tables[t];
    return NULL;
}

void mi_report_put_sentence(struct mi_sink *sink, enum mi_lang lang,
                            const struct mi_finding *finding)
{
    mi_text_sentence(sink, mi_tr(lang, finding->sentence), finding->args,
                     sizeof finding->args / sizeof *finding->args);
}
