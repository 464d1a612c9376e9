#include "parse/formats/msprof/msprof_columns.h"

static const struct {
    const char *header;
    enum mi_msprof_role role;
} headers[] = {
    {"Device_id", MI_MSPROF_DEVICE},
    {"Device Id", MI_MSPROF_DEVICE},
    {"Stream ID", MI_MSPROF_STREAM},
    {"stream_id", MI_MSPROF_STREAM},
    {"Task ID", MI_MSPROF_TASK},
    {"task_id", MI_MSPROF_TASK},
    {"Op Name", MI_MSPROF_OP_NAME},
    {"Name", MI_MSPROF_OP_NAME},
    {"kernel_name", MI_MSPROF_KERNEL},
    {"OP Type", MI_MSPROF_OP},
    {"Type", MI_MSPROF_OP},
    {"Task Type", MI_MSPROF_TYPE},
    {"Accelerator Core", MI_MSPROF_TYPE},
    {"kernel_type", MI_MSPROF_TYPE},
    {"Task Start Time(us)", MI_MSPROF_START},
    {"Start Time(us)", MI_MSPROF_START},
    {"task_start(us)", MI_MSPROF_START},
    {"Task Duration(us)", MI_MSPROF_DUR},
    {"Duration(us)", MI_MSPROF_DUR},
    {"task_time(us)", MI_MSPROF_DUR},
    {"task_stop(us)", MI_MSPROF_STOP},
    {"Input Shapes", MI_MSPROF_INPUT_SHAPES},
    {"Input Data Types", MI_MSPROF_INPUT_TYPES},
    {"Output Shapes", MI_MSPROF_OUTPUT_SHAPES},
    {"Output Data Types", MI_MSPROF_OUTPUT_TYPES},
    {"Model ID", MI_MSPROF_MODEL},
};

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c;
}

static bool same_header(struct mi_bytes a, struct mi_bytes b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++)
        if (lower(a.at[i]) != lower(b.at[i]))
            return false;
    return true;
}

enum mi_msprof_role mi_msprof_role_of(struct mi_bytes header)
{
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        if (same_header(header, mi_cstr(headers[i].header)))
            return headers[i].role;
    return MI_MSPROF_ROLES;
}

bool mi_msprof_is_absent(struct mi_bytes text)
{
    return text.len == 0 || (text.len == 3 && memcmp(text.at, "N/A", 3) == 0);
}

static bool find_with(struct mi_msprof_columns *columns, struct mi_bytes text, uint8_t delimiter)
{
    struct mi_csv csv;
    struct mi_csv_row row;
    *columns = (struct mi_msprof_columns){.delimiter = delimiter};
    for (unsigned r = 0; r < MI_MSPROF_ROLES; r++)
        columns->place[r] = -1;
    mi_csv_init(&csv, text, &(struct mi_csv_options){.delimiter = delimiter});
    bool ok = mi_csv_next(&csv, &row);
    for (uint32_t i = 0; ok && i < row.count; i++) {
        enum mi_msprof_role role = mi_msprof_role_of(mi_msprof_trim(row.fields[i].raw));
        if (role != MI_MSPROF_ROLES && columns->place[role] < 0)
            columns->place[role] = (int32_t)i;
    }
    columns->count = ok ? row.count : 0;
    columns->is_out_of_memory = csv.error.code == MI_ENOMEM;
    mi_csv_fini(&csv);
    const int32_t *place = columns->place;
    return place[MI_MSPROF_START] >= 0 && place[MI_MSPROF_DUR] >= 0 && place[MI_MSPROF_TYPE] >= 0 &&
           (place[MI_MSPROF_OP_NAME] >= 0 || place[MI_MSPROF_KERNEL] >= 0);
}

bool mi_msprof_columns_find(struct mi_msprof_columns *columns, struct mi_bytes text)
{
    return find_with(columns, text, ',') ||
           (!columns->is_out_of_memory && find_with(columns, text, ';'));
}

/* Where the unquoted name may have grown. */
static uint32_t name_column(const struct mi_msprof_columns *columns)
{
    int32_t op = columns->place[MI_MSPROF_OP_NAME];
    return (uint32_t)(op >= 0 ? op : columns->place[MI_MSPROF_KERNEL]);
}

struct mi_bytes mi_msprof_shifted_cell(const struct mi_msprof_row *row, uint32_t column)
{
    uint32_t name = name_column(row->columns);
    if (column > name)
        column += row->surplus;
    struct mi_bytes first = mi_csv_raw(row->row, column);
    if (column == name) {
        struct mi_bytes last = mi_csv_raw(row->row, column + row->surplus);
        first.len = (size_t)(last.at - first.at) + last.len;
    }
    return mi_msprof_trim(first);
}
