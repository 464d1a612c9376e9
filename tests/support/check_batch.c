/* What must hold for the rows of any reader; see the header. */
#include "check_batch.h"

#include <stdio.h>

static char complaint[256];

static const char *say(const struct mi_table_info *table, const struct mi_column_info *column,
                       uint32_t row)
{
    snprintf(complaint, sizeof complaint, "row %u of %s: %s is out of range", row, table->name,
             column->name);
    return complaint;
}

static uint32_t rows_of(const struct mi_batch *batch, int which)
{
    const char *tables = (const char *)&batch->rows;
    return ((const struct mi_any_table *)(const void *)(tables + mi_table_infos[which].at))->count;
}

static bool fits(const struct mi_batch *batch, const struct mi_any_table *any,
                 const struct mi_column_info *column, uint32_t row)
{
    if (column->kind == MI_KIND_F64)
        return true;
    int64_t value = mi_column_int(any, column, row);
    switch (column->kind) {
    case MI_KIND_STR:
        return value >= 0 && value < batch->strings.count;
    case MI_KIND_ID:
        return value >= 0 && value < rows_of(batch, column->extra);
    case MI_KIND_FIRST: /* the next column is the length of the run */
        return value + mi_column_int(any, column + 1, row) <= rows_of(batch, column->extra);
    case MI_KIND_ENUM:
        return value >= 0 && value < mi_enum_size((enum mi_enum_no)column->extra);
    case MI_KIND_BOOL:
        return value == 0 || value == 1;
    case MI_KIND_COUNT:
    case MI_KIND_U32:
    case MI_KIND_SOME:
    case MI_KIND_I64:
    case MI_KIND_F64:
    case MI_KIND_NS:
    case MI_KIND_TICKS:
        break;
    }
    return true;
}

static const char *check_order(const struct mi_batch *batch)
{
    const struct mi_nodes *nodes = &batch->rows.nodes;
    const struct mi_counts *counts = &batch->counts;
    for (uint32_t i = 2; i < nodes->count; i++)
        if (nodes->graph[i].v < nodes->graph[i - 1].v)
            return "the nodes do not stand in the order of their graphs";
    if (counts->in != counts->kept + counts->skipped + counts->lost)
        return "the ledger does not add up";
    return NULL;
}

const char *check_batch(const struct mi_batch *batch)
{
    for (int t = 0; t < MI_TABLE_COUNT; t++) {
        const struct mi_table_info *table = &mi_table_infos[t];
        const char *at = (const char *)&batch->rows + table->at;
        const struct mi_any_table *any = (const struct mi_any_table *)(const void *)at;
        for (unsigned c = 0; c < table->column_count; c++)
            for (uint32_t row = 1; row < any->count; row++)
                if (!fits(batch, any, &table->columns[c], row))
                    return say(table, &table->columns[c], row);
    }
    return check_order(batch);
}

static uint64_t mix(uint64_t sum, const void *at, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ ((const uint8_t *)at)[i]) * UINT64_C(0x100000001b3);
    return sum ^ len;
}

uint64_t sum_batch(const struct mi_batch *batch)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (int t = 0; t < MI_TABLE_COUNT; t++) {
        const struct mi_table_info *table = &mi_table_infos[t];
        const char *at = (const char *)&batch->rows + table->at;
        const struct mi_any_table *any = (const struct mi_any_table *)(const void *)at;
        for (unsigned c = 0; c < table->column_count && any->count > 1; c++) {
            const struct mi_column_info *column = &table->columns[c];
            const char *array = mi_column_array(any, column);
            sum = mix(sum, array + column->size, column->size * (any->count - 1));
        }
    }
    for (uint32_t i = 1; i < batch->strings.count; i++) {
        struct mi_bytes text = mi_strings_get(&batch->strings, (mi_str_id){i});
        sum = mix(sum, text.at, text.len);
    }
    return sum;
}

/* --- records --- */

enum { MOST_RECORDS = 8 }; /* of a table */

struct touched {
    uint64_t sum, count;
};

static void touch(void *user, struct mi_bytes name, struct mi_bytes text, bool is_number)
{
    struct touched *touched = user;
    touched->sum = mix(touched->sum, name.at, name.len);
    touched->sum = mix(touched->sum, text.at, text.len) + is_number;
    touched->count++;
}

static void touch_table(const struct mi_reader *reader, const struct mi_table_info *table,
                        const struct mi_any_table *any, struct mi_bytes file,
                        struct touched *touched)
{
    for (unsigned c = 0; c + 1 < table->column_count; c++) {
        if (strcmp(table->columns[c].name, "record_offset") != 0)
            continue;
        uint32_t step = any->count / MOST_RECORDS + 1;
        for (uint32_t row = 1; row < any->count; row += step) {
            int64_t key = mi_column_int(any, &table->columns[c], row);
            int64_t size = mi_column_int(any, &table->columns[c + 1], row);
            struct mi_record record = {.file = file, .key = key};
            if (key >= 0 && size > 0)
                record.bytes = mi_bytes_sub(file, (size_t)key, (size_t)size);
            if (key >= 0)
                reader->metrics(&record, touch, touched);
        }
    }
}

uint64_t touch_records(const struct mi_reader *reader, const struct mi_batch *batch,
                       struct mi_bytes file)
{
    struct touched touched = {0};
    for (int t = 0; t < MI_TABLE_COUNT && reader->metrics; t++) {
        const struct mi_table_info *table = &mi_table_infos[t];
        const char *at = (const char *)&batch->rows + table->at;
        touch_table(reader, table, (const struct mi_any_table *)(const void *)at, file, &touched);
    }
    return touched.count + (touched.sum == 1); /* so that nothing of it is left out */
}
