#include "model/drop.h"

#include "base/mem.h"

/* Row by row upwards, so nothing is overwritten before it has moved. */
static void move_up(struct mi_any_table *table, const struct mi_table_info *info,
                    const uint32_t *instead)
{
    for (unsigned c = 0; c < info->column_count; c++) {
        size_t size = info->columns[c].size;
        uint8_t *array = mi_column_array(table, &info->columns[c]);
        uint32_t kept = 1, end;
        if (mi_mem_is_zero(array, table->count * size))
            continue;
        for (uint32_t row = 1; row < table->count; row = end + 1) { /* stretches that stay */
            for (end = row; end < table->count && instead[end] == end; end++)
                ;
            if (kept != row)
                memmove(array + kept * size, array + row * size, (end - row) * size);
            kept += end - row;
        }
    }
}

static void renumber(struct mi_tables *rows, enum mi_table_no which, const uint32_t *new_row)
{
    for (int t = 0; t < MI_TABLE_COUNT; t++) {
        const struct mi_table_info *info = &mi_table_infos[t];
        struct mi_any_table *table = mi_any_table(rows, (enum mi_table_no)t);
        for (unsigned c = 0; c < info->column_count && table->count > 1; c++) {
            const struct mi_column_info *column = &info->columns[c];
            if (column->kind != MI_KIND_ID || column->extra != (int)which)
                continue;
            uint32_t *list = mi_column_array(table, column);
            if (mi_mem_is_zero(list, table->count * sizeof *list))
                continue;
            for (uint32_t row = 1; row < table->count; row++)
                if (list[row]) /* what is zero may take no memory */
                    list[row] = new_row[list[row]];
        }
    }
}

bool mi_table_drop(struct mi_tables *rows, enum mi_table_no which, const uint32_t *instead)
{
    struct mi_any_table *table = mi_any_table(rows, which);
    uint32_t *new_row = mi_mem_new(table->count, sizeof *new_row);
    uint32_t kept = 1;
    if (!new_row)
        return false;
    new_row[0] = 0;
    for (uint32_t row = 1; row < table->count; row++)
        if (instead[row] == row)
            new_row[row] = kept++;
    if (kept == table->count) { /* all stay where they are */
        mi_mem_free(new_row);
        return true;
    }
    for (uint32_t row = 1; row < table->count; row++)
        if (instead[row] != row)
            new_row[row] = instead[row] ? new_row[instead[row]] : 0;
    move_up(table, &mi_table_infos[which], instead);
    table->count = kept;
    mi_table_forget(rows, which);
    renumber(rows, which, new_row);
    mi_mem_free(new_row);
    return true;
}
