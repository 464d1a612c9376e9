/* The forms in which a report of verdicts is kept: by whoever runs a check in CI and wants it shown
 * by other programs. A form is one file and one row in report_formats.def. */
#ifndef MI_PRESENT_TEXT_REPORT_FORMAT_H
#define MI_PRESENT_TEXT_REPORT_FORMAT_H

#include "analyse/report.h"
#include "base/sink.h"
#include "present/text/i18n.h"

/* What the report does not know about itself. */
struct mi_report_about {
    const char *command;      /* "gate" */
    enum mi_lang lang;        /* of forms for people */
    enum mi_severity fail_on; /* findings of this severity and above are failures */
};

struct mi_report_format {
    const char *name; /* "junit" */
    const char
        *suffixes;     /* ".xml", several separated by blanks: the name of a file tells its form */
    const char *title; /* message id: who reads it */
    void (*write)(const struct mi_report *report, const struct mi_report_about *about,
                  struct mi_sink *sink);
};

#define MI_REPORT_FORMAT(name) extern const struct mi_report_format mi_report_format_##name;
#include "present/text/report_formats.def"
#undef MI_REPORT_FORMAT

extern const struct mi_report_format *const mi_report_formats[]; /* then NULL */

/* The form that the name of a file asks for, or NULL. */
const struct mi_report_format *mi_report_format_of(const char *path);

/* --- for the forms --- */

/* Column of a table by name, or -1. */
int mi_report_column_at(const struct mi_report_table *table, const char *name);

/* The table "rules" of a report that lists what it checked, or NULL: then the rules are those of
 * its findings. */
const struct mi_report_table *mi_report_rules(const struct mi_report *report);

/* The sentence of a finding in `lang`. */
void mi_report_put_sentence(struct mi_sink *sink, enum mi_lang lang,
                            const struct mi_finding *finding);

/* Whether the finding is a failure. */
static inline bool mi_report_fails(const struct mi_report_about *about,
                                   const struct mi_finding *finding)
{
    return finding->severity >= about->fail_on;
}

#endif
