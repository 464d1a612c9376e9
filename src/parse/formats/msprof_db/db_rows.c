#include "parse/formats/msprof_db/db_rows.h"

#include "base/decimal.h"

#include <sqlite3.h>
#include <stdio.h>

enum {
    SQL_BYTES = 2048,
    DEFAULT_NAME_BYTES = 16 << 20,
    STEPS_PER_ASK = 200000, /* of SQLite's machine between two looks at the user's wish to stop */
    ROWS_PER_ASK = 1 << 16,
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

static bool add_table(struct mi_db *db, sqlite3_stmt *stmt)
{
    const void *name = sqlite3_column_text(stmt, 0);
    size_t len = name ? (size_t)sqlite3_column_bytes(stmt, 0) : 0;
    int64_t root = sqlite3_column_int64(stmt, 1);
    bool failed = false;
    mi_str_id id = mi_strings_add(&db->tables, (struct mi_bytes){name, len}, true, &failed);
    uint32_t page = root < UINT32_MAX ? (uint32_t)root : 0;
    return (!failed && (!page || mi_map_set(&db->roots, id.v, page))) ||
           mi_fail(db->err, MI_ENOMEM, "out of memory for the names of tables");
}

static bool is_utf8(struct mi_db *db)
{
    sqlite3_stmt *stmt = NULL;
    bool result =
        sqlite3_prepare_v2(db->sqlite.db, "PRAGMA encoding", -1, &stmt, NULL) == SQLITE_OK &&
        sqlite3_step(stmt) == SQLITE_ROW &&
        sqlite3_stricmp((const char *)sqlite3_column_text(stmt, 0), "UTF-8") == 0;
    sqlite3_finalize(stmt);
    return result;
}

static bool list_tables(struct mi_db *db)
{
    sqlite3_stmt *stmt = NULL;
    bool ok = true;
    int code = sqlite3_prepare_v2(
        db->sqlite.db, "SELECT name,rootpage FROM sqlite_schema WHERE type='table' AND rootpage>0",
        -1, &stmt, NULL);
    while (code == SQLITE_OK && ok && sqlite3_step(stmt) == SQLITE_ROW)
        ok = add_table(db, stmt);
    int end = stmt ? sqlite3_finalize(stmt) : code;
    if (!ok)
        return false;
    db->is_utf8 = is_utf8(db);
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
    mi_map_fini(&db->roots);
}

bool mi_db_is_fine(const struct mi_db *db)
{
    return !db->is_stopped && !mi_batch_failed(db->batch);
}

bool mi_db_has_table(const struct mi_db *db, const char *table)
{
    return mi_strings_find(&db->tables, mi_cstr(table)).v != 0;
}

static uint32_t root_of(const struct mi_db *db, const char *table)
{
    return mi_map_get(&db->roots, mi_strings_find(&db->tables, mi_cstr(table)).v);
}

/* Without the room it grows step by step, so failing means nothing. */
void mi_db_make_room(struct mi_db *db, const char *table, enum mi_table_no which)
{
    uint32_t root = root_of(db, table);
    if (root)
        mi_table_reserve(&db->batch->rows, which, mi_sqlite_table_guess(&db->sqlite, root));
}

/* --- opening a table --- */

/* What the schema says of the columns that are asked for. */
struct layout {
    bool is_plain; /* each value lies where its column stands */
    unsigned found, last, keys;
};

static void take_column(struct mi_db_rows *rows, struct layout *layout, sqlite3_stmt *stmt,
                        const char *const *columns)
{
    int64_t number = sqlite3_column_int64(stmt, 0);
    const char *name = (const char *)sqlite3_column_text(stmt, 1);
    const char *type = (const char *)sqlite3_column_text(stmt, 2);
    bool is_key = sqlite3_column_int(stmt, 5) > 0;
    bool is_number = type && sqlite3_stricmp(type, "INTEGER") == 0;
    if (sqlite3_column_int(stmt, 6)) { /* computed: never asked for, but it shifts the others */
        layout->is_plain = false;
        return;
    }
    layout->keys += is_key;
    if (is_key && is_number && number < MI_DB_VALUES)
        rows->row_column = (int8_t)number;
    for (unsigned i = 0; name && columns[i]; i++)
        if (sqlite3_stricmp(name, columns[i]) == 0 && rows->place[i] < 0) {
            layout->found++;
            layout->is_plain = layout->is_plain && number < MI_DB_VALUES;
            rows->place[i] = number < MI_DB_VALUES ? (int8_t)number : 0;
            if (number >= layout->last)
                layout->last = (unsigned)number + 1;
        }
}

static struct layout look_at_columns(struct mi_db_rows *rows, const char *const *columns)
{
    struct layout layout = {.is_plain = rows->db->is_utf8};
    char sql[SQL_BYTES];
    sqlite3_stmt *stmt = NULL;
    for (rows->column_count = 0; columns[rows->column_count]; rows->column_count++)
        rows->place[rows->column_count] = -1;
    rows->row_column = -1;
    snprintf(sql, sizeof sql, "PRAGMA table_xinfo(\"%s\")", rows->table);
    if (sqlite3_prepare_v2(rows->db->sqlite.db, sql, -1, &stmt, NULL) == SQLITE_OK)
        while (sqlite3_step(stmt) == SQLITE_ROW)
            take_column(rows, &layout, stmt, columns);
    sqlite3_finalize(stmt);
    if (layout.keys != 1)
        rows->row_column = -1;
    return layout;
}

/* A table whose rows have no numbers has the tree of an index. */
static bool open_pages(struct mi_db_rows *rows, const struct layout *layout)
{
    enum { INDEX_LEAF = 10, INDEX_INNER = 2 };
    uint32_t root = root_of(rows->db, rows->table);
    struct mi_bytes page = mi_sqlite_page(&rows->db->sqlite, root);
    if (!layout->is_plain || !root ||
        (page.len && root > 1 && (page.at[0] == INDEX_LEAF || page.at[0] == INDEX_INNER)))
        return false;
    mi_sqlite_table_open(&rows->pages, &rows->db->sqlite, root);
    rows->value_count = layout->last;
    return true;
}

/* Asks SQLite instead: the values come in the order in which they are asked for. */
static bool open_statement(struct mi_db_rows *rows, const char *const *columns)
{
    char sql[SQL_BYTES];
    int len = snprintf(sql, sizeof sql, "SELECT ");
    for (unsigned i = 0; i < rows->column_count; i++)
        if (rows->place[i] >= 0) {
            len += snprintf(sql + len, sizeof sql - (size_t)len, "\"%s\",", columns[i]);
            rows->place[i] = (int8_t)rows->value_count++;
        }
    rows->row_column = -1;
    snprintf(sql + len, sizeof sql - (size_t)len, "NULL FROM \"%s\" NOT INDEXED", rows->table);
    return sqlite3_prepare_v2(rows->db->sqlite.db, sql, -1, &rows->stmt, NULL) == SQLITE_OK;
}

static void count_hole(struct mi_db_rows *rows, uint32_t page, const char *why)
{
    struct mi_batch *batch = rows->db->batch;
    uint64_t page_bytes = mi_sqlite_page(&rows->db->sqlite, 1).len;
    batch->counts.in++;
    batch->counts.lost++;
    mi_batch_diag(batch, MI_LOSS, "msprof_db.page_damaged",
                  page ? (page - 1) * page_bytes : MI_NO_OFFSET, 0, "table %s, page %u: %s",
                  rows->table, page, why);
}

bool mi_db_rows_open(struct mi_db_rows *rows, struct mi_db *db, const char *table,
                     const char *const *columns)
{
    *rows = (struct mi_db_rows){.db = db, .table = table};
    if (!mi_db_is_fine(db) || !mi_db_has_table(db, table))
        return false;
    struct layout layout = look_at_columns(rows, columns);
    if ((layout.found || !columns[0]) &&
        (open_pages(rows, &layout) || open_statement(rows, columns)))
        return true;
    db->batch->counts.in++;
    db->batch->counts.lost++;
    mi_batch_diag(db->batch, MI_LOSS, "msprof_db.table_unreadable", MI_NO_OFFSET, 0,
                  "table %s cannot be read: %s", table,
                  layout.found ? sqlite3_errmsg(db->sqlite.db)
                               : "it has none of the known columns");
    return false;
}

bool mi_db_rows_open_to_find(struct mi_db_rows *rows, struct mi_db *db, const char *table,
                             const char *const *columns)
{
    *rows = (struct mi_db_rows){.db = db, .table = table};
    struct layout layout = look_at_columns(rows, columns);
    return layout.found == rows->column_count && open_pages(rows, &layout);
}

void mi_db_rows_close(struct mi_db_rows *rows)
{
    mi_sqlite_table_close(&rows->pages);
    sqlite3_finalize(rows->stmt);
    rows->stmt = NULL;
}

/* --- stepping --- */

static bool take_row(struct mi_db_rows *rows)
{
    struct mi_db *db = rows->db;
    db->batch->counts.in++;
    if (++rows->row_count > db->max_rows)
        return mi_batch_fail(db->batch, MI_ELIMIT, "table %s holds more than %u rows", rows->table,
                             db->max_rows);
    if ((++rows->db->done_rows & (ROWS_PER_ASK - 1)) == 0)
        ask(rows->db);
    return true;
}

/* The values of the row that the pages stand at. */
static bool take_values(struct mi_db_rows *rows)
{
    if (!mi_sqlite_values(rows->pages.record, rows->values, rows->value_count))
        return false;
    rows->rowid = rows->pages.rowid;
    if (rows->row_column >= 0 && rows->row_column < (int)rows->value_count &&
        rows->values[rows->row_column].kind == MI_SQLITE_NULL)
        rows->values[rows->row_column] =
            (struct mi_sqlite_value){.kind = MI_SQLITE_INT, .number = rows->rowid};
    return true;
}

bool mi_db_rows_find(struct mi_db_rows *rows, int64_t rowid)
{
    return mi_sqlite_table_find(&rows->pages, rowid) == MI_SQLITE_ROW && take_values(rows);
}

static bool step_pages(struct mi_db_rows *rows)
{
    enum mi_sqlite_step step;
    while ((step = mi_sqlite_table_next(&rows->pages)) != MI_SQLITE_END) {
        if (step == MI_SQLITE_ROW && take_values(rows))
            return take_row(rows);
        if (step == MI_SQLITE_ROW)
            rows->pages.damaged_page = rows->pages.levels[rows->pages.level_count - 1].page;
        count_hole(rows, rows->pages.damaged_page, "a row or all rows of it cannot be read");
    }
    return false;
}

static void take_column_value(struct mi_sqlite_value *value, sqlite3_stmt *stmt, int column)
{
    int type = sqlite3_column_type(stmt, column);
    *value = (struct mi_sqlite_value){.kind = MI_SQLITE_NULL};
    if (type == SQLITE_INTEGER) {
        value->kind = MI_SQLITE_INT;
        value->number = sqlite3_column_int64(stmt, column);
    } else if (type == SQLITE_FLOAT) {
        value->kind = MI_SQLITE_REAL;
        value->real = sqlite3_column_double(stmt, column);
    } else if (type != SQLITE_NULL) {
        value->kind = MI_SQLITE_TEXT;
        value->bytes.at = sqlite3_column_text(stmt, column);
        value->bytes.len = value->bytes.at ? (size_t)sqlite3_column_bytes(stmt, column) : 0;
    }
}

static bool step_statement(struct mi_db_rows *rows)
{
    struct mi_db *db = rows->db;
    int code = sqlite3_step(rows->stmt);
    if (code == SQLITE_ROW) {
        for (unsigned i = 0; i < rows->value_count; i++)
            take_column_value(&rows->values[i], rows->stmt, (int)i);
        return take_row(rows);
    }
    if (code == SQLITE_NOMEM)
        mi_batch_fail(db->batch, MI_ENOMEM, "out of memory for the rows of a table");
    else if (code != SQLITE_DONE && !db->is_stopped)
        count_hole(rows, 0, sqlite3_errmsg(db->sqlite.db));
    return false;
}

bool mi_db_rows_next(struct mi_db_rows *rows)
{
    struct mi_db *db = rows->db;
    if (mi_db_is_fine(db) && (rows->stmt ? step_statement(rows) : step_pages(rows)) &&
        mi_db_is_fine(db))
        return true;
    if (db->is_stopped)
        mi_fail(db->err, MI_ECANCELLED, "stopped");
    mi_db_rows_close(rows);
    return false;
}

/* --- values --- */

static const struct mi_sqlite_value *value_of(const struct mi_db_rows *rows, unsigned column)
{
    static const struct mi_sqlite_value nothing = {.kind = MI_SQLITE_NULL};
    int place = rows->place[column];
    return place < 0 ? &nothing : &rows->values[place];
}

bool mi_db_has_column(const struct mi_db_rows *rows, unsigned column)
{
    return rows->place[column] >= 0;
}

bool mi_db_is_text(const struct mi_db_rows *rows, unsigned column)
{
    return value_of(rows, column)->kind == MI_SQLITE_TEXT;
}

struct mi_bytes mi_db_bytes(struct mi_db_rows *rows, unsigned column)
{
    const struct mi_sqlite_value *value = value_of(rows, column);
    size_t len = 0;
    if (value->kind == MI_SQLITE_INT)
        len = mi_decimal_format_i64(value->number, rows->digits);
    else if (value->kind == MI_SQLITE_REAL)
        len = mi_decimal_format_double(value->real, rows->digits);
    else
        return value->bytes;
    return (struct mi_bytes){(const uint8_t *)rows->digits, len};
}

bool mi_db_get_int(const struct mi_db_rows *rows, unsigned column, int64_t *value)
{
    const struct mi_sqlite_value *have = value_of(rows, column);
    *value = have->number;
    if (have->kind == MI_SQLITE_INT)
        return true;
    if (have->kind == MI_SQLITE_TEXT)
        return mi_decimal_i64(have->bytes, value) == 0;
    if (have->kind != MI_SQLITE_REAL || !(have->real >= -9e15 && have->real <= 9e15))
        return false;
    *value = (int64_t)have->real;
    return (double)*value == have->real;
}

int64_t mi_db_int(const struct mi_db_rows *rows, unsigned column, int64_t otherwise)
{
    int64_t value;
    return mi_db_get_int(rows, column, &value) ? value : otherwise;
}

bool mi_db_get_real(const struct mi_db_rows *rows, unsigned column, double *value)
{
    const struct mi_sqlite_value *have = value_of(rows, column);
    if (have->kind == MI_SQLITE_TEXT)
        return mi_decimal_double(have->bytes, value) == 0;
    *value = have->kind == MI_SQLITE_INT ? (double)have->number : have->real;
    return have->kind == MI_SQLITE_INT || have->kind == MI_SQLITE_REAL;
}

bool mi_db_scaled(struct mi_db_rows *rows, unsigned column, int exp10, int64_t *value)
{
    struct mi_bytes text = mi_db_bytes(rows, column);
    return text.len && (mi_decimal_scaled(text, exp10, value) & ~(unsigned)MI_DECIMAL_LOSS) == 0;
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

mi_str_id mi_db_text(struct mi_db_rows *rows, unsigned column)
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
