/* Rows of a table of the Ascend profilers to rows of the model. */
#ifndef MI_PARSE_FORMATS_MSPROF_SHEET_ROWS_H
#define MI_PARSE_FORMATS_MSPROF_SHEET_ROWS_H

#include "base/map.h"
#include "parse/formats/msprof/msprof_sheet.h"
#include "parse/reader.h"

struct mi_sheet_reading {
    struct mi_sheet sheet;
    const struct mi_source *src;
    struct mi_batch *out;
    const struct mi_csv_row *row;
    struct mi_csv header_csv; /* keeps the fields of the header */
    struct mi_csv_row header;
    double *factors;       /* [header.count] of series: 0 = no values; bytes in the unit, or 1 */
    mi_clock_id clock;     /* of all times in the table; none until there is one */
    struct mi_map series;  /* (name, column and device) -> counter */
    struct mi_map threads; /* (process, thread) -> track */
    struct mi_scratch scratch;
};

/* Once the header is known. False: out of memory. */
bool mi_sheet_start(struct mi_sheet_reading *r);
void mi_sheet_end(struct mi_sheet_reading *r);

/* Adds one row of the table, or counts it as lost. */
void mi_sheet_add_row(struct mi_sheet_reading *r);

#endif
