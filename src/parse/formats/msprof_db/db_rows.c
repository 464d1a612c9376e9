#include "parse/formats/msprof_db/db_rows.h"

#include "base/decimal.h"

#include <sqlite3.h>
#include <stdio.h>

enum {
    SQL_BYTES = 2048,
    DEFAULT_NAME_BYTES = 16 << 20,
    STEPS_PER_ASK = 200000, /* of SQLite's machine between two looks at the user's wish to stop */
    ROWID_BITS = 56,
};

/* Times beyond this are nonsense (the year 2112), and differences of such would overflow. */
#define MAX_NS INT64_C(4500000000000000000)

/* --- the database --- */

static int ask(void *context)
{
    struct mi_db *db = context;
    uint64_t done = db->done_rows * 64;
    if (done > db->src->bytes.len)
        done = db->src->bytes.len;
    db->is_stopped =
        db->is_stopped || (db->src->progress && !db->src->progress(db->src->user, done));
    return db->is_stopped;
}

static bool list_tables(struct mi_db *db)
{
    sqlite3_stmt *stmt = NULL;
    bool failed = false;
    int code = sqlite3_prepare_v2(
        db->sqlite.db, "SELECT name FROM sqlite_schema WHERE type='table' AND rootpage>0", -1,
        &stmt, NULL);
    while (code == SQLITE_OK && !failed && sqlite3_step(stmt) == SQLITE_ROW) {
        const void *name = sqlite3_column_text(stmt, 0);
        size_t len = (size_t)sqlite3_column_bytes(stmt, 0);
        mi_strings_add(&db->tables, (struct mi_bytes){name, name ? len : 0}, true, &failed);
    }
    if (failed)
        return mi_fail(db->err, MI_ENOMEM, "out of memory for the names of tables");
    int end = stmt ? sqlite3_finalize(stmt) : code;
    if (code == SQLITE_OK && (end == SQLITE_OK || db->tables.count > 1))
        return true;
    return mi_fail_at(db->err, MI_EFORMAT, 0, 0, "the list of tables cannot be read: %s",
                      sqlite3_errmsg(db->sqlite.db));
}

bool mi_db_open(struct mi_db *db, const struct mi_source *src, struct mi_batch *batch,
                struct mi_error *err)
{
    const struct mi_limits *limits = &src->limits;
    *db = (struct mi_db){.src = src,
                         .batch = batch,
                         .err = err,
                         .max_name_bytes = limits->max_string_bytes ? limits->max_string_bytes
                                                                    : DEFAULT_NAME_BYTES,
                         .max_rows = limits->max_rows ? limits->max_rows : UINT32_MAX - 2};
    if (!mi_strings_init(&db->tables))
        return mi_fail(err, MI_ENOMEM, "out of memory for a database");
    if (mi_sqlite_open(&db->sqlite, src->bytes, src->companion, err)) {
        sqlite3_progress_handler(db->sqlite.db, STEPS_PER_ASK, ask, db);
        if (list_tables(db))
            return true;
    }
    mi_db_close(db);
    return false;
}

void mi_db_close(struct mi_db *db)
{
    mi_sqlite_close(&db->sqlite);
    mi_strings_fini(&db->tables);
}

bool mi_db_is_fine(const struct mi_db *db)
{
    return !db->is_stopped && !mi_batch_failed(db->batch);
}

bool mi_db_has_table(const struct mi_db *db, const char *table)
{
    return mi_strings_find(&db->tables, mi_cstr(table)).v != 0;
}

/* --- opening a table --- */

/* Which of the asked columns the table has. Generated ones are not among them. */
static uint32_t find_columns(struct mi_db *db, const char *table, const char *const *columns)
{
    char sql[SQL_BYTES];
    sqlite3_stmt *stmt = NULL;
    uint32_t found = 0;
    snprintf(sql, sizeof sql, "PRAGMA table_info(\"%s\")", table);
    if (sqlite3_prepare_v2(db->sqlite.db, sql, -1, &stmt, NULL) != SQLITE_OK)
        return 0;
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 1);
        for (unsigned i = 0; name && columns[i]; i++)
            if (sqlite3_stricmp(name, columns[i]) == 0)
                found |= UINT32_C(1) << i;
    }
    sqlite3_finalize(stmt);
    return found;
}

static bool prepare(struct mi_db_rows *rows, const char *const *columns, const char *behind)
{
    char sql[SQL_BYTES];
    int len = snprintf(sql, sizeof sql, "SELECT %s", rows->has_rowid ? "rowid" : "NULL");
    for (unsigned i = 0; i < rows->column_count; i++)
        if (rows->place[i] >= 0)
            len += snprintf(sql + len, sizeof sql - (size_t)len, ",\"%s\"", columns[i]);
    snprintf(sql + len, sizeof sql - (size_t)len, " FROM \"%s\" NOT INDEXED %s", rows->table,
             behind);
    return sqlite3_prepare_v2(rows->db->sqlite.db, sql, -1, &rows->stmt, NULL) == SQLITE_OK;
}

bool mi_db_rows_open(struct mi_db_rows *rows, struct mi_db *db, const char *table,
                     const char *const *columns)
{
    int8_t next = 1;
    *rows = (struct mi_db_rows){.db = db, .table = table, .has_rowid = true};
    if (!mi_db_is_fine(db) || !mi_db_has_table(db, table))
        return false;
    uint32_t found = find_columns(db, table, columns);
    for (unsigned i = 0; columns[i]; i++, rows->column_count++)
        rows->place[i] = found >> i & 1 ? next++ : -1;
    bool is_known = found || !columns[0];
    if (is_known && prepare(rows, columns, ""))
        return true;
    rows->has_rowid = false;
    if (is_known && prepare(rows, columns, ""))
        return true;
    db->batch->counts.in++;
    db->batch->counts.lost++;
    mi_batch_diag(db->batch, MI_LOSS, "msprof_db.table_unreadable", MI_NO_OFFSET, 0,
                  "table %s cannot be read: %s", table,
                  is_known ? sqlite3_errmsg(db->sqlite.db) : "it has none of the known columns");
    return false;
}

void mi_db_rows_close(struct mi_db_rows *rows)
{
    sqlite3_finalize(rows->stmt);
    rows->stmt = NULL;
}

/* --- stepping --- */

/* After damage: the same statement from the end of the table. The place of its text is reused. */
static bool turn_round(struct mi_db_rows *rows)
{
    char sql[SQL_BYTES];
    const char *before = sqlite3_sql(rows->stmt);
    sqlite3_stmt *stmt = NULL;
    if (rows->is_backward || !rows->has_rowid)
        return false;
    snprintf(sql, sizeof sql, "%s ORDER BY rowid DESC", before);
    if (sqlite3_prepare_v2(rows->db->sqlite.db, sql, -1, &stmt, NULL) != SQLITE_OK)
        return false;
    sqlite3_finalize(rows->stmt);
    rows->stmt = stmt;
    rows->is_backward = true;
    rows->hole_from = rows->has_row ? rows->rowid : INT64_MIN;
    rows->has_row = false;
    return true;
}

/* Ids rise from row to row, or the tree of the table is broken and may even run in circles. */
static bool is_in_order(const struct mi_db_rows *rows, int64_t rowid)
{
    if (!rows->has_rowid || !rows->has_row)
        return true;
    return rows->is_backward ? rowid < rows->rowid : rowid > rows->rowid;
}

static void count_hole(struct mi_db_rows *rows, const char *why)
{
    struct mi_batch *batch = rows->db->batch;
    batch->counts.in++;
    batch->counts.lost++;
    mi_batch_diag(batch, MI_LOSS, "msprof_db.page_damaged", MI_NO_OFFSET, 0,
                  "table %s, behind row %lld: %s", rows->table,
                  rows->has_row ? (long long)rows->rowid : 0LL, why);
}

static bool end(struct mi_db_rows *rows)
{
    mi_db_rows_close(rows);
    return false;
}

static bool take_row(struct mi_db_rows *rows)
{
    struct mi_batch *batch = rows->db->batch;
    rows->rowid = sqlite3_column_int64(rows->stmt, 0);
    rows->has_row = true;
    rows->db->done_rows++;
    batch->counts.in++;
    return true;
}

bool mi_db_rows_next(struct mi_db_rows *rows)
{
    struct mi_db *db = rows->db;
    while (mi_db_is_fine(db)) {
        int code = sqlite3_step(rows->stmt);
        if (code == SQLITE_DONE)
            return end(rows);
        if (code == SQLITE_NOMEM)
            mi_batch_fail(db->batch, MI_ENOMEM, "out of memory for the rows of a table");
        else if (db->is_stopped)
            mi_fail(db->err, MI_ECANCELLED, "stopped");
        else if (code == SQLITE_ROW) {
            int64_t rowid = sqlite3_column_int64(rows->stmt, 0);
            if (rows->is_backward && rowid <= rows->hole_from)
                return end(rows);
            if (is_in_order(rows, rowid))
                return take_row(rows);
        }
        if (!mi_db_is_fine(db))
            break;
        if (!rows->is_backward)
            count_hole(rows, code == SQLITE_ROW ? "rows are out of order"
                                                : sqlite3_errmsg(db->sqlite.db));
        if (!turn_round(rows))
            break;
    }
    return end(rows);
}

/* --- values --- */

bool mi_db_has_column(const struct mi_db_rows *rows, unsigned column)
{
    return rows->place[column] >= 0;
}

struct mi_bytes mi_db_bytes(const struct mi_db_rows *rows, unsigned column)
{
    int place = rows->place[column];
    if (place < 0)
        return (struct mi_bytes){0};
    const void *text = sqlite3_column_text(rows->stmt, place);
    return (struct mi_bytes){text, text ? (size_t)sqlite3_column_bytes(rows->stmt, place) : 0};
}

bool mi_db_get_int(const struct mi_db_rows *rows, unsigned column, int64_t *value)
{
    int place = rows->place[column];
    if (place < 0)
        return false;
    int type = sqlite3_column_type(rows->stmt, place);
    *value = sqlite3_column_int64(rows->stmt, place);
    if (type == SQLITE_INTEGER)
        return true;
    if (type == SQLITE_TEXT)
        return mi_decimal_i64(mi_db_bytes(rows, column), value) == 0;
    double real = type == SQLITE_FLOAT ? sqlite3_column_double(rows->stmt, place) : 0.5;
    return real >= -9e15 && real <= 9e15 && (double)*value == real;
}

int64_t mi_db_int(const struct mi_db_rows *rows, unsigned column, int64_t otherwise)
{
    int64_t value;
    return mi_db_get_int(rows, column, &value) ? value : otherwise;
}

bool mi_db_get_real(const struct mi_db_rows *rows, unsigned column, double *value)
{
    int place = rows->place[column];
    if (place < 0)
        return false;
    int type = sqlite3_column_type(rows->stmt, place);
    if (type == SQLITE_TEXT)
        return mi_decimal_double(mi_db_bytes(rows, column), value) == 0;
    *value = sqlite3_column_double(rows->stmt, place);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

bool mi_db_scaled(const struct mi_db_rows *rows, unsigned column, int exp10, int64_t *value)
{
    char digits[MI_DECIMAL_ROOM];
    int place = rows->place[column];
    struct mi_bytes text;
    if (place < 0 || sqlite3_column_type(rows->stmt, place) == SQLITE_NULL)
        return false;
    if (sqlite3_column_type(rows->stmt, place) == SQLITE_FLOAT) {
        text.at = (const uint8_t *)digits;
        text.len = mi_decimal_format_double(sqlite3_column_double(rows->stmt, place), digits);
    } else {
        text = mi_db_bytes(rows, column);
    }
    return (mi_decimal_scaled(text, exp10, value) & ~(unsigned)MI_DECIMAL_LOSS) == 0;
}

mi_str_id mi_db_keep(struct mi_db *db, struct mi_bytes text)
{
    if (text.len > db->max_name_bytes) {
        mi_batch_diag(db->batch, MI_NOTICE, "msprof_db.name_cut", MI_NO_OFFSET, 0,
                      "a name of %zu bytes was cut", text.len);
        text.len = db->max_name_bytes;
    }
    return mi_batch_str(db->batch, text);
}

mi_str_id mi_db_text(const struct mi_db_rows *rows, unsigned column)
{
    return mi_db_keep(rows->db, mi_db_bytes(rows, column));
}

/* --- the ledger --- */

void mi_db_kept(struct mi_db_rows *rows)
{
    struct mi_batch *batch = rows->db->batch;
    batch->counts.kept++;
}

void mi_db_note(struct mi_db_rows *rows, const char *code, const char *what)
{
    mi_batch_diag(rows->db->batch, MI_NOTICE, code, MI_NO_OFFSET, 0, "table %s, row %lld: %s",
                  rows->table, (long long)rows->rowid, what);
}

void mi_db_skipped(struct mi_db_rows *rows, const char *code, const char *why)
{
    rows->db->batch->counts.skipped++;
    mi_db_note(rows, code, why);
}

bool mi_db_lose(struct mi_db_rows *rows, const char *why)
{
    rows->db->batch->counts.lost++;
    mi_batch_diag(rows->db->batch, MI_LOSS, "msprof_db.row_broken", MI_NO_OFFSET, 0,
                  "table %s, row %lld: %s", rows->table, (long long)rows->rowid, why);
    return false;
}

bool mi_db_span(struct mi_db_rows *rows, unsigned start_column, unsigned end_column,
                int64_t *start_raw, int64_t *dur_ns)
{
    int64_t stop;
    if (!mi_db_get_int(rows, start_column, start_raw) || !mi_db_get_int(rows, end_column, &stop))
        return mi_db_lose(rows, "a start or an end that is no number");
    if (*start_raw > MAX_NS || *start_raw < -MAX_NS || stop > MAX_NS || stop < -MAX_NS)
        return mi_db_lose(rows, "a start or an end beyond all time");
    *dur_ns = stop - *start_raw;
    if (*dur_ns < 0) {
        mi_db_note(rows, "msprof_db.duration_negative", "an end in front of the start: taken as 0");
        *dur_ns = 0;
    }
    return true;
}

bool mi_db_moment(struct mi_db_rows *rows, unsigned column, int64_t *at_raw)
{
    if (!mi_db_get_int(rows, column, at_raw) || *at_raw > MAX_NS || *at_raw < -MAX_NS)
        return mi_db_lose(rows, "a moment that is no number");
    return true;
}

int64_t mi_db_key(unsigned table, int64_t rowid)
{
    int64_t most = (INT64_C(1) << ROWID_BITS) - 1;
    return rowid < 0 || rowid > most ? -1 : (int64_t)table << ROWID_BITS | rowid;
}

unsigned mi_db_key_table(int64_t key)
{
    return (unsigned)((uint64_t)key >> ROWID_BITS);
}

int64_t mi_db_key_row(int64_t key)
{
    return key & ((INT64_C(1) << ROWID_BITS) - 1);
}
