/* SQLite databases in memory: row for row what SQLite itself says, also behind damage, in circles,
 * with a log beside them. */
#include "base/sqlite_table.h"
#include "base/sqlite_wal.h"
#include "reading.h"
#include "rng.h"

#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_COLUMNS = 32 };

/* --- databases --- */

static void run(sqlite3 *db, const char *sql)
{
    char *error = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK)
        fail_msg("%s: %s", sql, error);
}

/* Rows of all types and sizes, deleted ones between, some that need several pages. */
static void fill(sqlite3 *db, int page_bytes, int rows)
{
    char sql[1024];
    snprintf(sql, sizeof sql, "PRAGMA page_size=%d;PRAGMA auto_vacuum=%d", page_bytes, rows & 1);
    run(db, sql);
    run(db, "CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT, c REAL, d BLOB, e);"
            "CREATE TABLE plain (x, y TEXT);CREATE TABLE empty (x)");
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i<%d)"
             "INSERT INTO t SELECT i*3-20, CASE i%%9 WHEN 0 THEN 0 WHEN 1 THEN 1 WHEN 2 THEN -1 "
             "WHEN 3 THEN 300 WHEN 4 THEN -70000 WHEN 5 THEN 1<<30 WHEN 6 THEN 1<<45 WHEN 7 THEN "
             "-(1<<60) ELSE NULL END, printf('text "
             "%%d',i)||substr(hex(zeroblob(i*i%%5000)),1,i*7%%3000),"
             "i*0.37, zeroblob(i%%300), i%%2 FROM n",
             rows);
    run(db, sql);
    run(db, "INSERT INTO plain SELECT id, b FROM t WHERE id%5<>0;DELETE FROM plain WHERE x%7=0;"
            "ALTER TABLE plain ADD COLUMN z DEFAULT NULL");
}

static uint8_t *make(int page_bytes, int rows, size_t *len)
{
    sqlite3 *db;
    sqlite3_int64 size;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    fill(db, page_bytes, rows);
    unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
    uint8_t *copy = malloc((size_t)size);
    assert_non_null(copy);
    memcpy(copy, image, (size_t)size);
    sqlite3_free(image);
    sqlite3_close(db);
    *len = (size_t)size;
    return copy;
}

/* --- comparing --- */

static void same_value(const struct mi_sqlite_value *ours, sqlite3_stmt *stmt, int column)
{
    int type = sqlite3_column_type(stmt, column);
    if (type == SQLITE_NULL) {
        assert_int_equal(ours->kind, MI_SQLITE_NULL);
    } else if (ours->kind == MI_SQLITE_INT) { /* whole numbers of real columns are stored so, too */
        assert_int_equal(ours->number, sqlite3_column_int64(stmt, column));
    } else if (ours->kind == MI_SQLITE_REAL) {
        assert_int_equal(type, SQLITE_FLOAT);
        assert_true(ours->real == sqlite3_column_double(stmt, column));
    } else {
        const void *bytes = sqlite3_column_blob(stmt, column);
        assert_int_equal(ours->kind, type == SQLITE_TEXT ? MI_SQLITE_TEXT : MI_SQLITE_BYTES);
        assert_int_equal(ours->bytes.len, sqlite3_column_bytes(stmt, column));
        if (ours->bytes.len)
            assert_memory_equal(ours->bytes.at, bytes, ours->bytes.len);
    }
}

/* Which column is the row number: its value is not in the record. */
static int row_column(sqlite3 *db, const char *table)
{
    sqlite3_stmt *stmt;
    char *sql = sqlite3_mprintf("PRAGMA table_info(%Q)", table);
    int found = -1, keys = 0;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        if (sqlite3_column_int(stmt, 5)) {
            keys++;
            if (sqlite3_stricmp((const char *)sqlite3_column_text(stmt, 2), "INTEGER") == 0)
                found = sqlite3_column_int(stmt, 0);
        }
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return keys == 1 ? found : -1;
}

/* The row that was walked to is found by its number, the one between it and the last is not. */
static void find_row(struct mi_sqlite_table *one, const struct mi_sqlite_table *walked,
                     int64_t last)
{
    assert_int_equal(mi_sqlite_table_find(one, walked->rowid), MI_SQLITE_ROW);
    assert_int_equal(one->rowid, walked->rowid);
    assert_true(mi_bytes_equal(one->record, walked->record));
    if (walked->rowid - last > 1)
        assert_int_equal(mi_sqlite_table_find(one, walked->rowid - 1), MI_SQLITE_END);
}

static uint32_t compare_table(const struct mi_sqlite *sqlite, const char *name, uint32_t root)
{
    struct mi_sqlite_table table, one;
    int64_t last = INT64_MIN / 2;
    struct mi_sqlite_value values[MAX_COLUMNS];
    sqlite3_stmt *stmt;
    uint32_t rows = 0;
    char *sql = sqlite3_mprintf("SELECT rowid,* FROM \"%w\" NOT INDEXED", name);
    int alias = row_column(sqlite->db, name);
    assert_int_equal(sqlite3_prepare_v2(sqlite->db, sql, -1, &stmt, NULL), SQLITE_OK);
    mi_sqlite_table_open(&table, sqlite, root);
    mi_sqlite_table_open(&one, sqlite, root);
    for (; sqlite3_step(stmt) == SQLITE_ROW; rows++, last = table.rowid) {
        int columns = sqlite3_column_count(stmt) - 1;
        assert_int_equal(mi_sqlite_table_next(&table), MI_SQLITE_ROW);
        assert_int_equal(table.rowid, sqlite3_column_int64(stmt, 0));
        assert_true(columns <= MAX_COLUMNS);
        assert_true(mi_sqlite_values(table.record, values, (unsigned)columns));
        for (int c = 0; c < columns; c++)
            if (c != alias)
                same_value(&values[c], stmt, c + 1);
        find_row(&one, &table, last);
    }
    assert_int_equal(mi_sqlite_table_find(&one, last + 1), MI_SQLITE_END);
    assert_int_equal(mi_sqlite_table_find(&one, INT64_MAX), MI_SQLITE_END);
    assert_int_equal(mi_sqlite_table_find(&one, INT64_MIN), MI_SQLITE_END);
    mi_sqlite_table_close(&one);
    assert_int_equal(mi_sqlite_table_next(&table), MI_SQLITE_END);
    assert_int_equal(mi_sqlite_table_next(&table), MI_SQLITE_END);
    assert_true(mi_sqlite_table_guess(sqlite, root) >= (rows && table.rowid >= rows ? rows : 0));
    mi_sqlite_table_close(&table);
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return rows;
}

static uint32_t compare_all(struct mi_bytes bytes, struct mi_bytes log)
{
    struct mi_sqlite sqlite;
    struct mi_error err = MI_ERROR_INIT;
    sqlite3_stmt *stmt;
    uint32_t rows = 0;
    if (!mi_sqlite_open(&sqlite, bytes, log, &err))
        fail_msg("%s", err.text);
    assert_int_equal(
        sqlite3_prepare_v2(sqlite.db, "SELECT name,rootpage FROM sqlite_schema WHERE type='table'",
                           -1, &stmt, NULL),
        SQLITE_OK);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        rows += compare_table(&sqlite, (const char *)sqlite3_column_text(stmt, 0),
                              (uint32_t)sqlite3_column_int(stmt, 1));
    sqlite3_finalize(stmt);
    mi_sqlite_close(&sqlite);
    return rows;
}

static void rows_are_those_of_sqlite(void **state)
{
    (void)state;
    static const int pages[] = {512, 1024, 4096, 65536};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        for (int rows = 0; rows < 3000; rows = rows * 5 + 7) {
            size_t len;
            uint8_t *bytes = make(pages[i], rows, &len);
            assert_true(compare_all((struct mi_bytes){bytes, len}, (struct mi_bytes){0}) >
                        (uint32_t)rows);
            free(bytes);
        }
}

static void real_databases(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "samples/cann-profiling/msprof_db_oldschema/msprof_0.db",
        "samples/cann-profiling/msprof_multi_device/analysis.db",
        "samples/cann-profiling/pytorch_alexnet_2rank/db/level1/rank0_ascend_pt/"
        "ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db",
        "samples/cann-profiling/pytorch_alexnet_2rank/db/level2/rank0_ascend_pt/"
        "ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct mi_input input;
        struct mi_error err = MI_ERROR_INIT;
        if (!mi_input_open(&input, shared_path(paths[i]), NULL, &err)) {
            print_message("skipped: no %s\n", shared_path(paths[i]));
            skip();
        }
        assert_true(compare_all(input.bytes, (struct mi_bytes){0}) > 0);
        mi_input_close(&input);
    }
}

/* --- logs --- */

static uint8_t *load(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *len = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*len ? *len : 1);
    assert_int_equal(fread(bytes, 1, *len, file), *len);
    fclose(file);
    return bytes;
}

/* Rows of `t` in a database whose log ends anywhere: those of the transactions that are whole. */
static void transactions_of_a_log(void **state)
{
    (void)state;
    char folder[] = "/tmp/test_sqlite.XXXXXX", path[64], log_path[80];
    sqlite3 *db;
    size_t len, log_len, frame = 24 + 512;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.db", folder);
    snprintf(log_path, sizeof log_path, "%s-wal", path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    fill(db, 512, 50);
    run(db, "PRAGMA journal_mode=WAL;PRAGMA wal_autocheckpoint=0;"
            "CREATE TABLE late (x);INSERT INTO late VALUES (1)");
    for (int i = 0; i < 5; i++)
        run(db, "INSERT INTO late SELECT hex(randomblob(150)) FROM t");
    run(db, "DELETE FROM t WHERE id>60");
    uint8_t *bytes = load(path, &len), *log = load(log_path, &log_len);
    sqlite3_close(db);
    unlink(path);
    unlink(log_path);
    rmdir(folder);
    uint32_t last = 0, steps = 0;
    for (size_t end = 0; end <= log_len; end += frame / 2) {
        size_t cut = end + frame > log_len ? log_len : end;
        uint32_t rows = compare_all((struct mi_bytes){bytes, len}, (struct mi_bytes){log, cut});
        steps += rows != last;
        last = rows;
    }
    assert_true(steps >= 7);       /* nothing, the table, five times more, and less in the end */
    log[32 + 2 * frame + 30] ^= 1; /* a sum that is wrong ends it */
    assert_true(compare_all((struct mi_bytes){bytes, len}, (struct mi_bytes){log, log_len}) < last);
    log[0] ^= 1; /* no log at all */
    struct mi_sqlite_wal read;
    assert_true(mi_sqlite_wal_read(&read, (struct mi_bytes){log, log_len}, 512, NULL));
    assert_int_equal(read.frame_count, 0);
    free(bytes);
    free(log);
}

/* --- damage --- */

struct tally {
    uint32_t rows, damages;
};

static struct tally walk(struct mi_bytes bytes, uint32_t root)
{
    struct mi_sqlite sqlite;
    struct mi_error err = MI_ERROR_INIT;
    struct mi_sqlite_table table;
    struct mi_sqlite_value values[MAX_COLUMNS];
    struct tally tally = {0, 0};
    if (!mi_sqlite_open(&sqlite, bytes, (struct mi_bytes){0}, &err))
        return tally;
    mi_sqlite_table_open(&table, &sqlite, root);
    for (enum mi_sqlite_step step; (step = mi_sqlite_table_next(&table)) != MI_SQLITE_END;) {
        bool is_good = step == MI_SQLITE_ROW && mi_sqlite_values(table.record, values, 6);
        tally.rows += is_good;
        tally.damages += !is_good;
        assert_true(tally.rows + tally.damages < 1000000);
    }
    for (int64_t row = -20; row < 400; row += 7) /* it ends, and within the file */
        if (mi_sqlite_table_find(&table, row) == MI_SQLITE_ROW)
            assert_int_equal(table.rowid, row);
    mi_sqlite_table_close(&table);
    mi_sqlite_close(&sqlite);
    return tally;
}

enum { T_ROOT = 2 }; /* of table t where no auto_vacuum keeps a page for itself */

static void a_damaged_leaf_costs_its_rows(void **state)
{
    (void)state;
    size_t len;
    uint8_t *bytes = make(1024, 1000, &len);
    struct mi_bytes file = {bytes, len};
    uint32_t all = walk(file, T_ROOT).rows, harmless = 0;
    assert_int_equal(all, 1001);
    for (size_t page = 2; page < len / 1024; page++) {
        uint8_t *at = bytes + page * 1024, type = *at;
        if (type != 13)
            continue;
        uint32_t on_it = (uint32_t)at[3] << 8 | at[4];
        *at = 77;
        struct tally tally = walk(file, T_ROOT);
        if (tally.damages) {
            assert_int_equal(tally.damages, 1);
            assert_int_equal(tally.rows + on_it, all);
        } else {
            harmless++; /* a leaf of another table, or content that looks like one */
        }
        *at = type;
    }
    assert_true(harmless < len / 1024 / 2);
    free(bytes);
}

static void circles_end(void **state)
{
    (void)state;
    size_t len;
    uint8_t *bytes = make(512, 3000, &len);
    uint8_t *root = bytes + 512 * (T_ROOT - 1);
    assert_int_equal(*root, 5);
    uint32_t cells = (uint32_t)root[3] << 8 | root[4];
    for (uint32_t i = 0; i < cells; i++) { /* all children are the root itself */
        uint8_t *child = root + ((size_t)root[12 + 2 * i] << 8 | root[13 + 2 * i]);
        memset(child, 0, 4);
        child[3] = T_ROOT;
    }
    struct tally tally = walk((struct mi_bytes){bytes, len}, T_ROOT);
    assert_true(tally.damages > 0);
    assert_true(tally.rows <= 3001);
    free(bytes);
}

static void flipped_bits_and_cuts(void **state)
{
    (void)state;
    size_t len;
    uint8_t *bytes = make(512, 120, &len);
    for (uint64_t n = 0; n < 20000; n++) {
        uint64_t random = n * UINT64_C(0x9e3779b97f4a7c15) + 1;
        size_t bit = rng_below(&random, len * 8);
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        uint8_t *copy = malloc(len); /* exact: sanitizers see a step beyond */
        memcpy(copy, bytes, len);
        struct tally tally = walk((struct mi_bytes){copy, len}, T_ROOT);
        assert_true(tally.rows <= 121);
        free(copy);
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    for (size_t cut = 0; cut < len; cut += 61) {
        uint8_t *copy = malloc(cut ? cut : 1);
        memcpy(copy, bytes, cut);
        assert_true(walk((struct mi_bytes){copy, cut}, T_ROOT).rows <= 121);
        free(copy);
    }
    free(bytes);
}

/* Nothing of the file's own making is run, and nothing is written. */
static void nothing_is_run_or_written(void **state)
{
    (void)state;
    sqlite3 *db;
    sqlite3_int64 size;
    struct mi_sqlite sqlite;
    struct mi_error err = MI_ERROR_INIT;
    sqlite3_stmt *stmt;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    run(db, "CREATE TABLE t (x);CREATE VIEW v AS SELECT * FROM t;INSERT INTO t VALUES (1)");
    unsigned char *image = sqlite3_serialize(db, "main", &size, 0);
    assert_true(mi_sqlite_open(&sqlite, (struct mi_bytes){image, (size_t)size},
                               (struct mi_bytes){0}, &err));
    assert_int_not_equal(sqlite3_prepare_v2(sqlite.db, "SELECT * FROM v", -1, &stmt, NULL),
                         SQLITE_OK);
    assert_int_not_equal(sqlite3_exec(sqlite.db, "INSERT INTO t VALUES (2)", NULL, NULL, NULL),
                         SQLITE_OK);
    assert_int_not_equal(
        sqlite3_exec(sqlite.db, "ATTACH '/tmp/test_sqlite.db' AS other", NULL, NULL, NULL),
        SQLITE_OK);
    mi_sqlite_close(&sqlite);
    sqlite3_free(image);
    sqlite3_close(db);
    assert_false(mi_sqlite_open(&sqlite, MI_LIT("SQLite format 3"), (struct mi_bytes){0}, &err));
    assert_int_equal(err.code, MI_EFORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_sqlite),
        cmocka_unit_test(real_databases),
        cmocka_unit_test(transactions_of_a_log),
        cmocka_unit_test(a_damaged_leaf_costs_its_rows),
        cmocka_unit_test(circles_end),
        cmocka_unit_test(flipped_bits_and_cuts),
        cmocka_unit_test(nothing_is_run_or_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
