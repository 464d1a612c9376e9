/* The rows of a table as exports list them: what the model keeps once for many is written for each.
 */
#ifndef MI_PRESENT_EXPORT_TABLE_ROWS_H
#define MI_PRESENT_EXPORT_TABLE_ROWS_H

#include "model/links.h"

/* for (struct mi_table_rows at = mi_table_rows_begin(model, which); mi_table_rows_next(&at);) */
struct mi_table_rows {
    const struct mi_model *model;
    enum mi_table_no which;
    uint32_t id, row; /* number in the list, from 1; row of the model that has its cells */
    struct mi_links links;
};

struct mi_table_rows mi_table_rows_begin(const struct mi_model *model, enum mi_table_no which);
bool mi_table_rows_next(struct mi_table_rows *at);

/* One cell as an integer, like mi_column_int(). */
int64_t mi_table_rows_int(const struct mi_table_rows *at, const struct mi_column_info *column);

/* False for columns that only say how the model keeps a table. */
bool mi_table_rows_has(const struct mi_column_info *column);

#endif
