/* Reading snapshots: first the columns, then whether everything that they refer to is there. */
#include "model/snapshot_parts.h"

#include "base/mem.h"

enum { MAGIC_BYTES = 8 };

static bool fail(struct mi_snapshot_reading *r, const char *what)
{
    return mi_fail(r->err, MI_EFORMAT, "%s", what);
}

static size_t left(const struct mi_snapshot_reading *r)
{
    return (size_t)(r->end - r->at);
}

static bool get_u64(struct mi_snapshot_reading *r, uint64_t *value)
{
    if (left(r) < 8)
        return fail(r, "the snapshot ends too early");
    *value = mi_load_u64le(r->at);
    r->at += 8;
    return true;
}

bool mi_snapshot_get(struct mi_snapshot_reading *r, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        uint8_t byte = *r->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return fail(r, "the snapshot is damaged: a number does not end");
}

bool mi_snapshot_get_count(struct mi_snapshot_reading *r, uint32_t *count)
{
    uint64_t value;
    if (!mi_snapshot_get(r, &value))
        return false;
    if (value > left(r) || value >= UINT32_MAX)
        return fail(r, "the snapshot is damaged: a count exceeds what follows");
    *count = (uint32_t)value;
    return true;
}

/* --- strings --- */

static bool read_strings(struct mi_snapshot_reading *r)
{
    struct mi_strings *strings = &r->model->all.strings;
    uint32_t count;
    bool failed = false;
    if (!mi_snapshot_get_count(r, &count))
        return false;
    struct mi_snapshot_reading lengths =
        *r; /* read twice: to find the end of the lengths, and then them */
    for (uint32_t s = 1; s < count; s++) {
        uint64_t ignored;
        if (!mi_snapshot_get(r, &ignored))
            return false;
    }
    for (uint32_t s = 1; s < count; s++) {
        uint64_t len;
        if (!mi_snapshot_get(&lengths, &len) || len == 0 || len > left(r))
            return fail(r, "the snapshot is damaged: a string exceeds what follows");
        mi_str_id id =
            mi_strings_add(strings, (struct mi_bytes){r->at, (size_t)len}, false, &failed);
        if (failed)
            return mi_fail(r->err, MI_ENOMEM, "out of memory for names");
        if (id.v != s)
            return fail(r, "the snapshot is damaged: a string stands in it twice");
        r->at += len;
    }
    return true;
}

/* --- columns --- */

static void put(void *array, size_t size, uint32_t row, uint64_t value)
{
    uint32_t narrow = (uint32_t)value;
    if (size == 4)
        memcpy((uint8_t *)array + (size_t)row * 4, &narrow, 4);
    else
        memcpy((uint8_t *)array + (size_t)row * 8, &value, 8);
}

static bool read_bytes(struct mi_snapshot_reading *r, const struct mi_column_info *column,
                       uint8_t *array, uint32_t rows)
{
    if (left(r) / column->size < rows)
        return fail(r, "the snapshot is damaged: a column is cut short");
    if (column->size == 1)
        memcpy(array + 1, r->at, rows);
    for (uint32_t i = 0; column->size == 8 && i < rows; i++)
        put(array, 8, i + 1, mi_load_u64le(r->at + (size_t)i * 8));
    r->at += (size_t)rows * column->size;
    return true;
}

static bool read_numbers(struct mi_snapshot_reading *r, const struct mi_column_info *column,
                         void *array, uint32_t rows)
{
    uint64_t value = 0, step;
    for (uint32_t row = 1; row <= rows; row++) {
        if (!mi_snapshot_get(r, &step))
            return false;
        value += step >> 1 ^ (step & 1 ? UINT64_MAX : 0);
        if (column->size == 4 && value > UINT32_MAX)
            return fail(r, "the snapshot is damaged: a number is too large for its column");
        put(array, column->size, row, value);
    }
    return true;
}

static bool read_table(struct mi_snapshot_reading *r, enum mi_table_no which)
{
    const struct mi_table_info *info = &mi_table_infos[which];
    struct mi_any_table *table = mi_any_table(&r->model->all.rows, which);
    uint32_t rows;
    bool has_values = false;
    if (!mi_snapshot_get_count(r, &rows))
        return false;
    if (!mi_table_reserve(&r->model->all.rows, which, rows))
        return mi_fail(r->err, MI_ENOMEM, "out of memory for rows");
    for (unsigned c = 0; rows && c < info->column_count; c++) {
        const struct mi_column_info *column = &info->columns[c];
        bool is_bytes = column->size == 1 || column->kind == MI_KIND_F64;
        if (!left(r))
            return fail(r, "the snapshot ends too early");
        uint8_t form = *r->at++;
        if (form > 2 || (form && form != (is_bytes ? 1 : 2)))
            return fail(r, "the snapshot is damaged: a column has a form that is not known");
        has_values = has_values || form;
        if (form == 1 && !read_bytes(r, column, mi_column_array(table, column), rows))
            return false;
        if (form == 2 && !read_numbers(r, column, mi_column_array(table, column), rows))
            return false;
    }
    if (rows && !has_values)
        return fail(r, "the snapshot is damaged: a table has rows without values");
    table->count = table->used = rows + 1;
    return true;
}

/* --- what columns refer to --- */

static bool is_within(const struct mi_tables *rows, const struct mi_strings *strings,
                      const struct mi_any_table *table, const struct mi_column_info *column,
                      uint32_t row)
{
    uint64_t value = (uint64_t)mi_column_int(table, column, row);
    switch (column->kind) {
    case MI_KIND_STR:
        return value < strings->count;
    case MI_KIND_ID:
        return value < mi_any_table_of(rows, (enum mi_table_no)column->extra)->count;
    case MI_KIND_FIRST:
        return value + (uint64_t)mi_column_int(table, &column[1], row) <=
               mi_any_table_of(rows, (enum mi_table_no)column->extra)->count;
    case MI_KIND_ENUM:
        return value < mi_enum_size((enum mi_enum_no)column->extra);
    case MI_KIND_BOOL:
        return value <= 1;
    case MI_KIND_COUNT: /* looked at with its FIRST */
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

static bool check_table(struct mi_snapshot_reading *r, enum mi_table_no which)
{
    const struct mi_tables *rows = &r->model->all.rows;
    const struct mi_table_info *info = &mi_table_infos[which];
    const struct mi_any_table *table = mi_any_table_of(rows, which);
    for (unsigned c = 0; c < info->column_count; c++)
        for (uint32_t row = 1; row < table->count; row++)
            if (!is_within(rows, &r->model->all.strings, table, &info->columns[c], row))
                return mi_fail(r->err, MI_EFORMAT, "the snapshot is damaged: %s.%s of row %u",
                               info->name, info->columns[c].name, row);
    return true;
}

/* Files without bytes, so that asking for a record finds nothing. */
static bool make_files(struct mi_snapshot_reading *r)
{
    struct mi_model *model = r->model;
    model->files = mi_mem_zero(model->all.rows.sources.count, sizeof *model->files);
    return model->files || mi_fail(r->err, MI_ENOMEM, "out of memory");
}

bool mi_snapshot_read(struct mi_model *model, struct mi_bytes bytes, struct mi_error *err)
{
    struct mi_snapshot_reading r = {model, bytes.at, bytes.at + bytes.len, err};
    uint64_t shape = 0, start = 0;
    if (!mi_bytes_starts(bytes, MI_LIT(MI_SNAPSHOT_MAGIC)))
        return fail(&r, "this is no snapshot");
    r.at += MAGIC_BYTES;
    if (!get_u64(&r, &shape) || !get_u64(&r, &start))
        return false;
    if (shape != mi_snapshot_shape())
        return mi_fail(err, MI_EFORMAT, "the snapshot is of another version of this program");
    model->start_unix_ns = (int64_t)start;
    model->all.mapping = bytes;
    if (!read_strings(&r))
        return false;
    for (int t = 0; t < MI_TABLE_COUNT; t++)
        if (!read_table(&r, (enum mi_table_no)t))
            return false;
    for (int t = 0; t < MI_TABLE_COUNT; t++)
        if (!check_table(&r, (enum mi_table_no)t))
            return false;
    if (!mi_snapshot_read_values(&r))
        return false;
    if (left(&r))
        return fail(&r, "the snapshot is damaged: bytes follow its end");
    return make_files(&r) && mi_model_index_graphs(model, err) && mi_model_freeze(model, err);
}
