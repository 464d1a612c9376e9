/* Typed ids, enums, row structs and column tables, all generated from tables.def and enums.def. */
#ifndef MI_MODEL_TABLES_H
#define MI_MODEL_TABLES_H

#include "base/strings.h"
#include "model/enums.def"
#include "model/tables.def"

/* --- enums: enum mi_layer { MI_LAYER_NONE, ... } and their names --- */

#define MI_VALUE(enumerator, name) enumerator,
#define MI_ENUM(tag, VALUES)       enum mi_##tag{VALUES(MI_VALUE)};
MI_ENUMS(MI_ENUM)
#undef MI_ENUM
#undef MI_VALUE

enum mi_enum_no {
#define MI_ENUM(tag, VALUES) MI_E_##tag,
    MI_ENUMS(MI_ENUM)
#undef MI_ENUM
        MI_ENUM_COUNT
};

/* The name of one value, "?" when out of range; and how many values the enum has. */
const char *mi_enum_name(enum mi_enum_no which, unsigned value);
unsigned mi_enum_size(enum mi_enum_no which);

/* --- ids: one struct type per table, so that they cannot be mixed up --- */

#define MI_TABLE(row, table, COLUMNS)                                                              \
    typedef struct {                                                                               \
        uint32_t v;                                                                                \
    } mi_##row##_id;
MI_TABLES(MI_TABLE)
#undef MI_TABLE

enum mi_table_no {
#define MI_TABLE(row, table, COLUMNS) MI_T_##table,
    MI_TABLES(MI_TABLE)
#undef MI_TABLE
        MI_TABLE_COUNT
};

/* Columns of connection ids: 0 is one, this is none. */
#define MI_NO_CONNECTION UINT32_MAX

/* tasks.run of what is of no run, beside some. */
#define MI_NO_RUN UINT32_MAX

/* --- numbers of 32 bits of which 0 is one --- */

/* Kept as one more, so that none is zero, which takes no memory. */
typedef struct {
    uint32_t plus_one;
} mi_some;

/* How a row says that there is none, and how exports write it. */
enum mi_none { MI_NONE_NEGATIVE, MI_NONE_GREATEST }; /* -1; 4294967295 */

/* What is negative, or 4294967295 and above, is none. */
static inline mi_some mi_some_of(int64_t number)
{
    return (mi_some){number < 0 || number >= UINT32_MAX ? 0 : (uint32_t)number + 1};
}

/* -1 is none. */
static inline int64_t mi_some_get(mi_some some)
{
    return (int64_t)some.plus_one - 1;
}

/* MI_NO_CONNECTION is none. */
static inline uint32_t mi_some_u32(mi_some some)
{
    return some.plus_one - 1;
}

/* What one value of a column is kept as, by the kind of the column. */
#define MI_CELL_STR(type)   type
#define MI_CELL_ID(type)    type
#define MI_CELL_FIRST(type) type
#define MI_CELL_COUNT(type) type
#define MI_CELL_ENUM(type)  type
#define MI_CELL_BOOL(type)  type
#define MI_CELL_U32(type)   type
#define MI_CELL_SOME(type)  mi_some
#define MI_CELL_I64(type)   type
#define MI_CELL_F64(type)   type
#define MI_CELL_NS(type)    type
#define MI_CELL_TICKS(type) type

/* --- struct mi_nodes { count, room, one array per column } and struct mi_node_row --- */

#define MI_COL(T, name, type, kind, extra, unit, meaning) MI_CELL_##kind(type) * name;
#define MI_TABLE(row, table, COLUMNS)                                                              \
    struct mi_##table {                                                                            \
        uint32_t count, room; /* rows in use including the unused row 0; rows allocated */         \
        uint32_t used;        /* rows behind these were never written and read as zeros */         \
        COLUMNS(MI_COL, table)                                                                     \
    };
MI_TABLES(MI_TABLE)
#undef MI_TABLE
#undef MI_COL

#define MI_COL(T, name, type, kind, extra, unit, meaning) type name;
#define MI_TABLE(row, table, COLUMNS)                                                              \
    struct mi_##row##_row {                                                                        \
        COLUMNS(MI_COL, table)                                                                     \
    };
MI_TABLES(MI_TABLE)
#undef MI_TABLE
#undef MI_COL

struct mi_tables {
#define MI_TABLE(row, table, COLUMNS) struct mi_##table table;
    MI_TABLES(MI_TABLE)
#undef MI_TABLE
};

/* --- descriptions, for code that handles any table: merge, exports, schema --- */

enum mi_column_kind {
    MI_KIND_STR,
    MI_KIND_ID,
    MI_KIND_FIRST,
    MI_KIND_COUNT,
    MI_KIND_ENUM,
    MI_KIND_BOOL,
    MI_KIND_U32,
    MI_KIND_SOME,
    MI_KIND_I64,
    MI_KIND_F64,
    MI_KIND_NS,
    MI_KIND_TICKS
};

/* What the strings of a column are. */
enum mi_str_kind {
    MI_S_NAME, /* whoever made the model or the program chose it */
    MI_S_WORD, /* of the vocabulary of a stack, or ours */
    MI_S_TEXT, /* sentences with names in them, paths */
    MI_S_KINDS
};

struct mi_column_info {
    const char *name, *unit, *meaning;
    enum mi_column_kind kind;
    int extra;        /* MI_T_... of ID, FIRST; MI_E_... of ENUM; MI_S_... of STR; MI_NONE_... */
    size_t array_at;  /* offset of the array pointer in struct mi_<table> */
    size_t size;      /* bytes per value */
    size_t in_row_at; /* offset of the field in struct mi_<row>_row */
};

struct mi_table_info {
    const char *name; /* "nodes" */
    const char *row;  /* "node" */
    size_t at;        /* offset in struct mi_tables */
    const struct mi_column_info *columns;
    unsigned column_count;
};

extern const struct mi_table_info mi_table_infos[MI_TABLE_COUNT];

/* Any table seen as its first fields; arrays are reached through mi_column_array(). */
struct mi_any_table {
    uint32_t count, room, used;
};

static inline struct mi_any_table *mi_any_table(struct mi_tables *tables, enum mi_table_no which)
{
    return (struct mi_any_table *)(void *)((char *)tables + mi_table_infos[which].at);
}

static inline const struct mi_any_table *mi_any_table_of(const struct mi_tables *tables,
                                                         enum mi_table_no which)
{
    return (const struct mi_any_table *)(const void *)((const char *)tables +
                                                       mi_table_infos[which].at);
}

/* The array of one column: [table->count] values of column->size bytes. */
void *mi_column_array(const struct mi_any_table *table, const struct mi_column_info *column);

/* One value as an integer: ids, counts, enums, bools and integers; not for F64. Where there is no
 * number it is what MI_NONE_... says. */
int64_t mi_column_int(const struct mi_any_table *table, const struct mi_column_info *column,
                      uint32_t row);

/* All tables empty with only the unused row 0 (allocated on first use). */
void mi_tables_init(struct mi_tables *tables);
void mi_tables_fini(struct mi_tables *tables);

/* Frees the array of one column; the table is of no use any more until it is cleared. */
void mi_column_clear(struct mi_any_table *table, const struct mi_column_info *column);

/* Frees the arrays of one table, which is empty afterwards. */
void mi_table_clear(struct mi_tables *tables, enum mi_table_no which);

/* Gives back the memory of rows that were dropped from the end. */
void mi_table_forget(struct mi_tables *tables, enum mi_table_no which);

/* Room for `more` rows behind the last; false: out of memory or 2^32 rows. */
bool mi_table_reserve(struct mi_tables *tables, enum mi_table_no which, uint32_t more);

#endif
