/* Tables of a profiler's database, row by row: columns by name, whatever their order, type or
 * absence; damaged pages skipped. */
#ifndef MI_PARSE_FORMATS_MSPROF_DB_ROWS_H
#define MI_PARSE_FORMATS_MSPROF_DB_ROWS_H

#include "base/map.h"
#include "base/sqlite_table.h"
#include "model/batch.h"
#include "parse/reader.h"

struct sqlite3_stmt;

/* A database that is being read into a batch. */
struct mi_db {
    const struct mi_source *src;
    struct mi_batch *batch;
    struct mi_error *err;
    struct mi_sqlite sqlite;
    struct mi_strings tables; /* names of its real tables */
    struct mi_map roots;      /* string of `tables` -> first page */
    bool is_utf8;
    uint32_t max_name_bytes, max_rows;
    uint64_t done_rows; /* for progress */
    bool is_stopped;    /* by the user */
};

/* Opens the database of a source and lists its tables. On failure nothing is open. */
bool mi_db_open(struct mi_db *db, const struct mi_source *src, struct mi_batch *batch,
                struct mi_error *err);
void mi_db_close(struct mi_db *db);

/* Neither stopped nor out of memory or ids. */
bool mi_db_is_fine(const struct mi_db *db);

bool mi_db_has_table(const struct mi_db *db, const char *table);

enum { MI_DB_COLUMNS = 20, MI_DB_VALUES = 64 };

struct mi_db_rows {
    struct mi_db *db;
    const char *table;
    /* One of two ways to the rows: the pages of the table, or SQLite where the table is no plain
     * one (rows without numbers, computed columns, texts in UTF-16). */
    struct mi_sqlite_table pages;
    struct sqlite3_stmt *stmt;
    int64_t rowid;               /* of the current row; 0 where it has none */
    int8_t place[MI_DB_COLUMNS]; /* of each asked column in `values`; -1 = the table has none */
    int8_t row_column;           /* place of the column that is the row number; -1 = none */
    unsigned column_count, value_count;
    uint64_t row_count;
    struct mi_sqlite_value values[MI_DB_VALUES];
    char digits[32]; /* a number as text */
};

/* Starts over the rows of a table in the order of their ids. `columns` are the names that may be
 * asked for, by their place in this list, ending with NULL (none: rows alone). False if there is no
 * such table, or none of its columns is there, or it cannot be read (counted in the ledger). */
bool mi_db_rows_open(struct mi_db_rows *rows, struct mi_db *db, const char *table,
                     const char *const *columns);
void mi_db_rows_close(struct mi_db_rows *rows);

/* The same for single rows by their number. False: they have to be asked of SQLite; the ledger says
 * nothing of it. */
bool mi_db_rows_open_to_find(struct mi_db_rows *rows, struct mi_db *db, const char *table,
                             const char *const *columns);

/* Makes the row of that number the current one; no record of the ledger. False: there is none, or
 * its page is damaged. */
bool mi_db_rows_find(struct mi_db_rows *rows, int64_t rowid);

/* The next row; each one is counted as a record that came in. False at the end, and closes. A
 * damaged page or row is counted as one lost record; reading goes on behind it. */
bool mi_db_rows_next(struct mi_db_rows *rows);

/* Makes room in a table of the model for the rows of a table. */
void mi_db_make_room(struct mi_db *db, const char *table, enum mi_table_no which);

bool mi_db_has_column(const struct mi_db_rows *rows, unsigned column);

/* Whether the value is stored as text, not as a number. */
bool mi_db_is_text(const struct mi_db_rows *rows, unsigned column);

/* Whole numbers, also those written as text; `otherwise` where there is none. */
int64_t mi_db_int(const struct mi_db_rows *rows, unsigned column, int64_t otherwise);

/* The same; false where there is none. */
bool mi_db_get_int(const struct mi_db_rows *rows, unsigned column, int64_t *value);

/* False where there is no number. */
bool mi_db_get_real(const struct mi_db_rows *rows, unsigned column, double *value);

/* A decimal number times 10 to the power `exp10`, rounded; false where there is none. */
bool mi_db_scaled(struct mi_db_rows *rows, unsigned column, int exp10, int64_t *value);

/* Text, or a number as text; valid until the next row. */
struct mi_bytes mi_db_bytes(struct mi_db_rows *rows, unsigned column);

/* That text as a string of the model, cut if it is too long. */
mi_str_id mi_db_text(struct mi_db_rows *rows, unsigned column);

/* Keeps `text` as a string of the model, cut if it is too long. */
mi_str_id mi_db_keep(struct mi_db *db, struct mi_bytes text);

/* Ledger: the current row is kept, left out, or lost for the reason given. lose returns false. */
void mi_db_kept(struct mi_db_rows *rows);
void mi_db_skipped(struct mi_db_rows *rows, const char *code, const char *why);
bool mi_db_lose(struct mi_db_rows *rows, const char *why);
void mi_db_note(struct mi_db_rows *rows, const char *code, const char *what);

/* Start and end of a row to a raw start and a duration; false: they are no times, and the row is
 * counted as lost. An end in front of the start gives 0, with a notice. */
bool mi_db_span(struct mi_db_rows *rows, unsigned start_column, unsigned end_column,
                int64_t *start_raw, int64_t *dur_ns);

/* The time of a measurement; false: it is none, and the row is counted as lost. */
bool mi_db_moment(struct mi_db_rows *rows, unsigned column, int64_t *at_raw);

/* Record keys: a table of ours and the row in it. */
int64_t mi_db_key(unsigned table, int64_t rowid);
unsigned mi_db_key_table(int64_t key);
int64_t mi_db_key_row(int64_t key);

#endif
