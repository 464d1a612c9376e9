/* Columns of task tables, found by what the header says: op_summary, kernel_details, task_time. */
#ifndef MI_PARSE_FORMATS_MSPROF_COLUMNS_H
#define MI_PARSE_FORMATS_MSPROF_COLUMNS_H

#include "base/csv_scan.h"

enum mi_msprof_role {
    MI_MSPROF_DEVICE,
    MI_MSPROF_STREAM,
    MI_MSPROF_TASK,
    MI_MSPROF_OP_NAME, /* name of a node, or of an eager operator */
    MI_MSPROF_KERNEL,  /* symbol on the device */
    MI_MSPROF_OP,
    MI_MSPROF_TYPE,
    MI_MSPROF_START,
    MI_MSPROF_DUR,
    MI_MSPROF_STOP,
    MI_MSPROF_INPUT_SHAPES,
    MI_MSPROF_INPUT_TYPES,
    MI_MSPROF_OUTPUT_SHAPES,
    MI_MSPROF_OUTPUT_TYPES,
    MI_MSPROF_MODEL,
    MI_MSPROF_ROLES
};

struct mi_msprof_columns {
    uint32_t count;                 /* columns of the header */
    int32_t place[MI_MSPROF_ROLES]; /* index of the column; -1 = the table has none */
    uint8_t delimiter;
    bool is_out_of_memory; /* why the header could not be looked at */
};

/* From the header row at the start of `text`; false if it is not that of a task table. `room` is
 * how many bytes of a header are looked at. */
bool mi_msprof_columns_find(struct mi_msprof_columns *columns, struct mi_bytes text);

/* A row with more fields than the header has: newer exporters do not quote, so a comma stands in
 * the name. Fields behind the name are then found `surplus` places later. */
struct mi_msprof_row {
    const struct mi_msprof_columns *columns;
    const struct mi_csv_row *row;
    uint32_t surplus;
};

/* Which role a column has; MI_MSPROF_ROLES = none: a counter. */
enum mi_msprof_role mi_msprof_role_of(struct mi_bytes header);

/* Text without spaces and tabs around it. */
static inline struct mi_bytes mi_msprof_trim(struct mi_bytes text)
{
    while (text.len && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t'))
        text.len--;
    while (text.len && (*text.at == ' ' || *text.at == '\t'))
        text = (struct mi_bytes){text.at + 1, text.len - 1};
    return text;
}

/* The cell of a row that is longer than its header. */
struct mi_bytes mi_msprof_shifted_cell(const struct mi_msprof_row *row, uint32_t column);

/* A cell without blanks around it, by number of column. */
static inline struct mi_bytes mi_msprof_cell(const struct mi_msprof_row *row, uint32_t column)
{
    return row->surplus ? mi_msprof_shifted_cell(row, column)
                        : mi_msprof_trim(mi_csv_raw(row->row, column));
}

/* The same by role; empty if the table has no such column. */
static inline struct mi_bytes mi_msprof_field(const struct mi_msprof_row *row,
                                              enum mi_msprof_role role)
{
    int32_t place = row->columns->place[role];
    return place < 0 ? (struct mi_bytes){0} : mi_msprof_cell(row, (uint32_t)place);
}

/* "N/A" or nothing. */
bool mi_msprof_is_absent(struct mi_bytes text);

#endif
