/* Reports for programs: the same tables, facts and findings as JSON members.
 *
 *   "facts":    {NAME: VALUE, ...}
 *   "tables":   {NAME: [{COLUMN: VALUE, ...}, ...], ...}
 *   "findings": [{"rule", "severity", "node", "task", "sentence", "cost_ns"}, ...]
 *
 * Nothing is translated. Names of columns and facts end in their unit (_ns, _bytes). Shares are
 * numbers from 0 to 1 with six decimals, nodes and tasks are their row numbers, what is not known
 * is null. Text that is not valid UTF-8 has its bytes as hex beside it, under the column's name and
 * "_hex". */
#ifndef MI_PRESENT_TEXT_REPORT_JSON_H
#define MI_PRESENT_TEXT_REPORT_JSON_H

#include "analyse/report.h"
#include "base/json_write.h"

#define MI_REPORT_SCHEMA "model-inspector-report/1"

/* Writes the three members into the object that is open in `jw`. */
void mi_report_write_members(const struct mi_report *report, struct mi_jw *jw);

/* A whole document: "schema" and the three members. */
bool mi_report_write_json(const struct mi_report *report, struct mi_sink *sink,
                          struct mi_error *err);

/* One object per line, each with a "kind": "facts" with the facts, "row" with "table" and the
 * columns of the row, "finding" with its members. */
bool mi_report_write_lines(const struct mi_report *report, struct mi_sink *sink,
                           struct mi_error *err);

#endif
