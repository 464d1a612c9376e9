/* Reports for eyes: facts as a list, tables with aligned columns, findings as sentences.
 *
 * Names are hostile and always escaped. Numbers are set to the right with thousands marked,
 * nanoseconds are shown as microseconds with three decimals, shares as per cent with one. A column
 * without a single value is left out. */
#ifndef MI_PRESENT_TEXT_REPORT_TEXT_H
#define MI_PRESENT_TEXT_REPORT_TEXT_H

#include "analyse/report.h"
#include "base/sink.h"
#include "present/text/i18n.h"

struct mi_text_options {
    enum mi_lang lang;
    unsigned
        columns; /* width of the terminal: longer names are shortened in the middle; 0 = never */
    bool color;  /* ANSI sequences for headings and severities */
};

/* Writes all of it; failures stick in the sink. */
void mi_report_write_text(const struct mi_report *report, const struct mi_text_options *options,
                          struct mi_sink *sink);

/* One sentence of a report with %1 .. %9 replaced by the arguments, which are escaped. */
void mi_text_sentence(struct mi_sink *sink, const char *sentence, const struct mi_bytes *args,
                      unsigned arg_count);

/* One cell as people see it; names are escaped. */
void mi_text_cell(struct mi_sink *sink, enum mi_lang lang, enum mi_cell_kind kind, const char *unit,
                  const struct mi_cell *cell);

/* `number` with thousands marked; `ns` as microseconds likewise: "1,234.567". */
void mi_text_number(struct mi_sink *sink, int64_t number);
void mi_text_us(struct mi_sink *sink, int64_t ns);

/* parts per million as "12.3 %", rounded half up. */
void mi_text_share(struct mi_sink *sink, int64_t ppm);

#endif
