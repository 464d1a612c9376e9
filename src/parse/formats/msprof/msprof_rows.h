/* The rows of a table of the Ascend profilers, one after the other: those that are whole. What is
 * broken among them is counted as lost, with its place, and takes no other row along. */
#ifndef MI_PARSE_FORMATS_MSPROF_ROWS_H
#define MI_PARSE_FORMATS_MSPROF_ROWS_H

#include "base/csv_scan.h"
#include "model/batch.h"

struct mi_msprof_rows {
    struct mi_csv csv;
    struct mi_batch *out;
    uint32_t columns;            /* of the header */
    size_t clean_from, clean_to; /* a stretch without zero bytes */
};

enum mi_msprof_rows_result {
    MI_ROWS_END,
    MI_ROWS_ROW,  /* a row with at least as many fields as the header */
    MI_ROWS_LOST, /* something was lost; there may be more */
    MI_ROWS_FAIL, /* out of memory */
};

/* Steps over the header, which has so many `columns`. `bytes` must outlive the rows. */
void mi_msprof_rows_init(struct mi_msprof_rows *rows, struct mi_bytes bytes, uint8_t delimiter,
                         uint32_t columns, struct mi_batch *out);
void mi_msprof_rows_fini(struct mi_msprof_rows *rows);

/* The next row, borrowed until the one after it. A row that is given is not counted yet; for one
 * that is lost `row` has its place alone. */
enum mi_msprof_rows_result mi_msprof_rows_next(struct mi_msprof_rows *rows, struct mi_csv_row *row,
                                               struct mi_error *err);

#endif
