#include "model/tables.h"

#include "base/mem.h"

#include <stddef.h>

/* --- enum names --- */

#define MI_VALUE(enumerator, name) name,
#define MI_ENUM(tag, VALUES)       static const char *const names_##tag[] = {VALUES(MI_VALUE)};
MI_ENUMS(MI_ENUM)
#undef MI_ENUM
#undef MI_VALUE

static const struct {
    const char *const *names;
    unsigned count;
} enums[] = {
#define MI_ENUM(tag, VALUES) {names_##tag, sizeof names_##tag / sizeof *names_##tag},
    MI_ENUMS(MI_ENUM)
#undef MI_ENUM
};

const char *mi_enum_name(enum mi_enum_no which, unsigned value)
{
    return value < enums[which].count ? enums[which].names[value] : "?";
}

unsigned mi_enum_size(enum mi_enum_no which)
{
    return enums[which].count;
}

/* --- table descriptions --- */

#define MI_TABLE(row, table, COLUMNS)                                                              \
    typedef struct mi_##table table_##table;                                                       \
    typedef struct mi_##row##_row row_##table;
MI_TABLES(MI_TABLE)
#undef MI_TABLE

#define MI_COL(T, name, type, kind, extra, unit, meaning)                                          \
    {#name,                                                                                        \
     unit,                                                                                         \
     meaning,                                                                                      \
     MI_KIND_##kind,                                                                               \
     (int)(extra),                                                                                 \
     offsetof(table_##T, name),                                                                    \
     sizeof(MI_CELL_##kind(type)),                                                                 \
     offsetof(row_##T, name)},
#define MI_TABLE(row, table, COLUMNS)                                                              \
    static const struct mi_column_info columns_##table[] = {COLUMNS(MI_COL, table)};
MI_TABLES(MI_TABLE)
#undef MI_TABLE
#undef MI_COL

const struct mi_table_info mi_table_infos[MI_TABLE_COUNT] = {
#define MI_TABLE(row, table, COLUMNS)                                                              \
    [MI_T_##table] = {#table, #row, offsetof(struct mi_tables, table), columns_##table,            \
                      sizeof columns_##table / sizeof *columns_##table},
    MI_TABLES(MI_TABLE)
#undef MI_TABLE
};

/* Columns of the widest table, and a few more: the array is checked against the list. */
enum { MOST_COLUMNS = 40 };

#define MI_COL(T, name, type, kind, extra, unit, meaning) +1
#define MI_TABLE(row, table, COLUMNS)                                                              \
    _Static_assert(0 COLUMNS(MI_COL, table) <= MOST_COLUMNS, "a table with too many columns");
MI_TABLES(MI_TABLE)
#undef MI_TABLE
#undef MI_COL

/* --- arrays --- */

/* Where a table keeps the pointer to a column's array. Arrays have different element types, so the
 * pointer itself is copied as bytes. */
static void *get_array(const struct mi_any_table *table, const struct mi_column_info *column)
{
    void *array;
    memcpy(&array, (const char *)table + column->array_at, sizeof array);
    return array;
}

static void set_array(struct mi_any_table *table, const struct mi_column_info *column, void *array)
{
    memcpy((char *)table + column->array_at, &array, sizeof array);
}

void *mi_column_array(const struct mi_any_table *table, const struct mi_column_info *column)
{
    return get_array(table, column);
}

int64_t mi_column_int(const struct mi_any_table *table, const struct mi_column_info *column,
                      uint32_t row)
{
    const char *at = (const char *)get_array(table, column) + (size_t)row * column->size;
    if (column->size == 1)
        return *(const uint8_t *)at;
    if (column->size == 4) {
        uint32_t value;
        memcpy(&value, at, sizeof value);
        if (column->kind != MI_KIND_SOME)
            return value;
        mi_some some = {value};
        return column->extra == MI_NONE_NEGATIVE ? mi_some_get(some) : (int64_t)mi_some_u32(some);
    }
    int64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

void mi_tables_init(struct mi_tables *tables)
{
    memset(tables, 0, sizeof *tables);
    for (int t = 0; t < MI_TABLE_COUNT; t++)
        *mi_any_table(tables, (enum mi_table_no)t) = (struct mi_any_table){.count = 1, .used = 1};
}

void mi_column_clear(struct mi_any_table *table, const struct mi_column_info *column)
{
    mi_mem_sparse_free(get_array(table, column), (size_t)table->room * column->size);
    set_array(table, column, NULL);
}

void mi_table_clear(struct mi_tables *tables, enum mi_table_no which)
{
    struct mi_any_table *table = mi_any_table(tables, which);
    const struct mi_table_info *info = &mi_table_infos[which];
    for (unsigned c = 0; c < info->column_count; c++)
        mi_column_clear(table, &info->columns[c]);
    *table = (struct mi_any_table){.count = 1, .used = 1};
}

void mi_tables_fini(struct mi_tables *tables)
{
    for (int t = 0; t < MI_TABLE_COUNT; t++)
        mi_table_clear(tables, (enum mi_table_no)t);
}

/* Makes the arrays of all columns larger; without memory for all of them nothing changes. Small
 * ones move into new blocks, which are taken before anything else is touched. */
static bool grow(struct mi_any_table *table, const struct mi_table_info *info, uint32_t room)
{
    void *arrays[MOST_COLUMNS];
    unsigned made = 0;
    for (; made < info->column_count; made++) {
        size_t size = info->columns[made].size, old_bytes = table->room * size;
        arrays[made] = mi_mem_sparse_can_extend(old_bytes)
                           ? mi_mem_sparse_extend(get_array(table, &info->columns[made]), old_bytes,
                                                  room * size)
                           : mi_mem_sparse(room * size);
        if (!arrays[made])
            break;
    }
    bool ok = made == info->column_count;
    for (unsigned c = 0; c < made; c++) {
        const struct mi_column_info *column = &info->columns[c];
        size_t old_bytes = table->room * column->size, bytes = room * column->size;
        void *old = get_array(table, column);
        if (mi_mem_sparse_can_extend(old_bytes)) {
            set_array(table, column,
                      ok ? arrays[c] : mi_mem_sparse_extend(arrays[c], bytes, old_bytes));
        } else if (ok) {
            mi_mem_sparse_copy(arrays[c], old, old ? table->used * column->size : 0);
            mi_mem_sparse_free(old, old_bytes);
            set_array(table, column, arrays[c]);
        } else {
            mi_mem_sparse_free(arrays[c], bytes);
        }
    }
    if (ok)
        table->room = room;
    return ok;
}

/* A table with many rows is given room where its columns grow without being copied: what is not
 * written yet takes no memory. */
enum { MANY_ROWS = 1 << 14, ROOM_FOR_MANY = 1 << 18 };

bool mi_table_reserve(struct mi_tables *tables, enum mi_table_no which, uint32_t more)
{
    struct mi_any_table *table = mi_any_table(tables, which);
    uint64_t want = (uint64_t)table->count + more;
    if (want <= table->room)
        return true;
    if (want > UINT32_MAX)
        return false;
    uint64_t room = table->room ? (uint64_t)table->room * 2 : 16;
    if (room >= MANY_ROWS && room < ROOM_FOR_MANY &&
        mi_mem_sparse_can_extend(ROOM_FOR_MANY * sizeof(uint32_t)))
        room = ROOM_FOR_MANY;
    if (room < want)
        room = want;
    if (room > UINT32_MAX)
        room = UINT32_MAX;
    return grow(table, &mi_table_infos[which], (uint32_t)room);
}

void mi_table_forget(struct mi_tables *tables, enum mi_table_no which)
{
    struct mi_any_table *table = mi_any_table(tables, which);
    const struct mi_table_info *info = &mi_table_infos[which];
    for (unsigned c = 0; c < info->column_count && table->used > table->count; c++) {
        size_t size = info->columns[c].size;
        mi_mem_sparse_forget(get_array(table, &info->columns[c]), table->room * size,
                             table->count * size, table->used * size);
    }
    table->used = table->count;
}
