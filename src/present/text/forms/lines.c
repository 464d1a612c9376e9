/* Findings as JSON lines: one object per line, for scripts that read as it comes. The members are
 * those of the whole report's "findings". */
#include "base/json_write.h"
#include "base/translate.h"
#include "present/text/report_format.h"
#include "present/text/report_json.h"

static void write(const struct mi_report *report, const struct mi_report_about *about,
                  struct mi_sink *sink)
{
    (void)about;
    for (uint32_t f = 0; f < report->finding_count; f++) {
        struct mi_jw jw;
        mi_jw_init(&jw, sink, NULL);
        mi_report_write_finding(&jw, &report->findings[f]);
        mi_sink_byte(sink, '\n');
    }
}

const struct mi_report_format mi_report_format_lines = {.name = "lines",
                                                        .suffixes = ".jsonl .ndjson",
                                                        .title = N_("findings, one a line"),
                                                        .write = write};
