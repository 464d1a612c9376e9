/* Values of the cells of a row, or the row counted as lost. */
#ifndef MI_PARSE_FORMATS_MSPROF_SHEET_CELLS_H
#define MI_PARSE_FORMATS_MSPROF_SHEET_CELLS_H

#include "parse/formats/msprof/msprof_sheet_rows.h"

enum { MI_SHEET_NUMBER_BYTES = 64 };

/* The cell of a role in the current row. */
static inline struct mi_bytes mi_sheet_here(const struct mi_sheet_reading *r,
                                            enum mi_sheet_role role)
{
    return mi_sheet_field(&r->sheet, r->row, role);
}

/* Counts the current row as lost; false. */
bool mi_sheet_lose(struct mi_sheet_reading *r, const char *code, const char *text);

/* Text of a cell: doubled quotes made single. */
mi_str_id mi_sheet_text(struct mi_sheet_reading *r, enum mi_sheet_role role);

/* Spreadsheets of some countries write 12,5 and separate cells by semicolons. */
struct mi_bytes mi_sheet_with_point(const struct mi_sheet_reading *r, struct mi_bytes text,
                                    uint8_t buffer[MI_SHEET_NUMBER_BYTES]);

/* A time in ns, or `otherwise` where the cell says nothing. `is_moment`: digits that are gone make
 * it worthless. False: the row is lost. */
bool mi_sheet_time(struct mi_sheet_reading *r, enum mi_sheet_role role, bool is_moment,
                   int64_t otherwise, int64_t *ns);

/* A number, or -1 where the cell says nothing; "NPU:1" and "host" are devices 1 and -1. False: the
 * row is lost. */
bool mi_sheet_number(struct mi_sheet_reading *r, enum mi_sheet_role role, int64_t *number);

#endif
