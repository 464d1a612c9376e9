/* Tables of a profiler's database, row by row: columns by name, whatever their order, type or
 * absence; damaged pages skipped. */
#ifndef MI_PARSE_FORMATS_MSPROF_DB_ROWS_H
#define MI_PARSE_FORMATS_MSPROF_DB_ROWS_H

#include "base/scratch.h"
#include "base/sqlite_file.h"
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

enum { MI_DB_COLUMNS = 20 };

struct mi_db_rows {
    struct mi_db *db;
    const char *table;
    struct sqlite3_stmt *stmt;
    int64_t rowid; /* of the current row */
    int8_t
        place[MI_DB_COLUMNS]; /* of each asked column in the statement; -1 = the table has none */
    unsigned column_count;
    bool has_rowid, has_row;
    bool is_backward;  /* behind a damaged place, from the end towards it */
    int64_t hole_from; /* last row in front of that place */
};

/* Starts over the rows of a table in the order of their ids. `columns` are the names that may be
 * asked for, by their place in this list, ending with NULL (none: rows alone). False if there is no
 * such table, or none of its columns is there, or it cannot be read (counted in the ledger). */
bool mi_db_rows_open(struct mi_db_rows *rows, struct mi_db *db, const char *table,
                     const char *const *columns);
void mi_db_rows_close(struct mi_db_rows *rows);

/* The next row; each one is counted as a record that came in. False at the end, and closes. A
 * damaged page is counted as a lost record; reading goes on from the end of the table backwards. */
bool mi_db_rows_next(struct mi_db_rows *rows);

bool mi_db_has_column(const struct mi_db_rows *rows, unsigned column);

/* Whole numbers, also those written as text; `otherwise` where there is none. */
int64_t mi_db_int(const struct mi_db_rows *rows, unsigned column, int64_t otherwise);

/* The same; false where there is none. */
bool mi_db_get_int(const struct mi_db_rows *rows, unsigned column, int64_t *value);

/* False where there is no number. */
bool mi_db_get_real(const struct mi_db_rows *rows, unsigned column, double *value);

/* A decimal number times 10 to the power `exp10`, rounded; false where there is none. */
bool mi_db_scaled(const struct mi_db_rows *rows, unsigned column, int exp10, int64_t *value);

/* Text, or a number as text; valid until the next row. */
struct mi_bytes mi_db_bytes(const struct mi_db_rows *rows, unsigned column);

/* That text as a string of the model, cut if it is too long. */
mi_str_id mi_db_text(const struct mi_db_rows *rows, unsigned column);

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
