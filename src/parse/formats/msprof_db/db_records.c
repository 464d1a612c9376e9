#include "parse/formats/msprof_db/db_records.h"

#include "base/decimal.h"
#include "base/mem.h"
#include "base/scratch.h"
#include "parse/formats/msprof_db/db_columns.h"
#include "parse/formats/msprof_db/db_find.h"
#include "parse/formats/msprof_db/db_read.h"

#include <sqlite3.h>
#include <stdio.h>

/* --- an open database --- */

enum { BY_COMPUTE, BY_PART, BY_COPY, BY_COUNTER, BY_STACK, SEARCHES };

static const struct {
    const char *table, *key;
} searches[SEARCHES] = {{"COMPUTE_TASK_INFO", "globalTaskId"},
                        {"COMMUNICATION_TASK_INFO", "globalTaskId"},
                        {"MEMCPY_INFO", "globalTaskId"},
                        {"TASK_PMU_INFO", "globalTaskId"},
                        {"PYTORCH_CALLCHAINS", "id"}};

/* Statements are prepared once; what they are for tells them apart. */
struct prepared {
    const void *purpose;
    sqlite3_stmt *stmt;
    uint32_t found; /* columns of the list that the table has */
};

enum { MAX_PREPARED = 32 };

struct records {
    struct mi_sqlite sqlite;
    struct prepared prepared[MAX_PREPARED];
    unsigned prepared_count;
    struct mi_db_finder finders[SEARCHES];
    struct mi_scratch scratch;
};

/* What one listing needs. */
struct listing {
    struct records *all;
    struct sqlite3 *db;
    mi_metric_fn *fn;
    void *user;
};

void *mi_db_records_open(struct mi_bytes file, struct mi_bytes companion)
{
    struct records *all = mi_mem_zero(1, sizeof *all);
    if (all && !mi_sqlite_open(&all->sqlite, file, companion, NULL)) {
        mi_mem_free(all);
        return NULL;
    }
    return all;
}

void mi_db_records_close(void *records)
{
    struct records *all = records;
    if (!all)
        return;
    for (unsigned i = 0; i < all->prepared_count; i++)
        sqlite3_finalize(all->prepared[i].stmt);
    for (unsigned i = 0; i < SEARCHES; i++)
        mi_db_finder_fini(&all->finders[i]);
    mi_sqlite_close(&all->sqlite);
    mi_scratch_fini(&all->scratch);
    mi_mem_free(all);
}

/* --- single values --- */

static struct prepared *find_prepared(struct records *all, const void *purpose)
{
    for (unsigned i = 0; i < all->prepared_count; i++)
        if (all->prepared[i].purpose == purpose)
            return &all->prepared[i];
    return NULL;
}

/* NULL where the table has no such columns. */
static struct prepared *prepare(struct records *all, const void *purpose, const char *sql)
{
    struct prepared *p = find_prepared(all, purpose);
    if (!p && all->prepared_count < MAX_PREPARED) {
        p = &all->prepared[all->prepared_count++];
        *p = (struct prepared){.purpose = purpose};
        sqlite3_prepare_v2(all->sqlite.db, sql, -1, &p->stmt, NULL);
    }
    return p && p->stmt ? p : NULL;
}

/* The first row that the statement gives for a number, or NULL; reset it when done. */
static sqlite3_stmt *first_row(struct prepared *p, int64_t number)
{
    if (!p)
        return NULL;
    if (sqlite3_bind_int64(p->stmt, 1, number) == SQLITE_OK && sqlite3_step(p->stmt) == SQLITE_ROW)
        return p->stmt;
    sqlite3_reset(p->stmt);
    return NULL;
}

/* The text that a statement gives for a number; it lies in the scratch. */
static bool text_of(struct listing *l, struct prepared *p, int64_t number, struct mi_bytes *text)
{
    sqlite3_stmt *stmt = first_row(p, number);
    if (!stmt)
        return false;
    const void *at = sqlite3_column_text(stmt, 0);
    size_t len = at ? (size_t)sqlite3_column_bytes(stmt, 0) : 0;
    uint8_t *copy = mi_scratch_room(&l->all->scratch, len);
    if (copy && len)
        memcpy(copy, at, len);
    *text = (struct mi_bytes){copy, copy ? len : 0};
    sqlite3_reset(stmt);
    return text->len != 0;
}

static bool string_of(struct listing *l, int64_t number, struct mi_bytes *text)
{
    static const char sql[] = "SELECT value FROM STRING_IDS WHERE id=?";
    return text_of(l, prepare(l->all, sql, sql), number, text);
}

static bool enum_of(struct listing *l, const char *table, int64_t number, struct mi_bytes *text)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT name FROM %s WHERE id=?", table);
    return text_of(l, prepare(l->all, table, sql), number, text);
}

static bool is_absent(struct mi_bytes text)
{
    return !text.len || mi_bytes_equal(text, MI_LIT("N/A"));
}

static void give(struct listing *l, const char *name, sqlite3_stmt *stmt, int place,
                 const struct mi_db_column *column)
{
    struct mi_bytes text = {0};
    char digits[MI_DECIMAL_ROOM];
    int type = sqlite3_column_type(stmt, place);
    int64_t number = sqlite3_column_int64(stmt, place);
    bool is_number = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
    bool is_named =
        is_number && ((column->holds == MI_DB_TEXT && string_of(l, number, &text)) ||
                      (column->holds == MI_DB_ENUM && enum_of(l, column->names, number, &text)));
    if (type == SQLITE_NULL)
        return;
    if (!is_named && type == SQLITE_FLOAT) {
        text.at = (const uint8_t *)digits;
        text.len = mi_decimal_format_double(sqlite3_column_double(stmt, place), digits);
    } else if (!is_named) {
        text.at = sqlite3_column_text(stmt, place);
        text.len = text.at ? (size_t)sqlite3_column_bytes(stmt, place) : 0;
    }
    if (!is_absent(text))
        l->fn(l->user, mi_cstr(name), text, is_number && !is_named);
}

/* --- rows --- */

/* A statement for the columns of the list that the table has; NULL: none. */
static struct prepared *prepare_columns(struct listing *l, const char *table,
                                        const struct mi_db_column *columns)
{
    sqlite3_stmt *stmt = NULL;
    char sql[1024];
    uint32_t found = 0;
    struct prepared *known = find_prepared(l->all, columns);
    if (known)
        return known->stmt ? known : NULL;
    snprintf(sql, sizeof sql, "PRAGMA table_info(%s)", table);
    if (sqlite3_prepare_v2(l->db, sql, -1, &stmt, NULL) == SQLITE_OK)
        while (sqlite3_step(stmt) == SQLITE_ROW)
            for (unsigned i = 0; columns[i].name; i++)
                if (sqlite3_stricmp((const char *)sqlite3_column_text(stmt, 1), columns[i].name) ==
                    0)
                    found |= UINT32_C(1) << i;
    sqlite3_finalize(stmt);
    int len = snprintf(sql, sizeof sql, "SELECT NULL");
    for (unsigned i = 0; columns[i].name; i++)
        if (found >> i & 1)
            len += snprintf(sql + len, sizeof sql - (size_t)len, ",%s", columns[i].name);
    snprintf(sql + len, sizeof sql - (size_t)len, " FROM %s WHERE rowid=?", table);
    struct prepared *p = prepare(l->all, columns, sql);
    if (p)
        p->found = found;
    return p;
}

static void give_row(struct listing *l, const char *table, int64_t rowid,
                     const struct mi_db_column *columns)
{
    struct prepared *p = prepare_columns(l, table, columns);
    sqlite3_stmt *stmt = first_row(p, rowid);
    int place = 1;
    for (unsigned i = 0; stmt && columns[i].name; i++) {
        if (!(p->found >> i & 1))
            continue;
        const char *name = mi_db_shown_name(columns, p->found, i);
        struct mi_db_column column = columns[i];
        if (name && strcmp(name, "blockDim") == 0)
            column.holds = MI_DB_TEXT;
        if (name)
            give(l, name, stmt, place, &column);
        place++;
    }
    sqlite3_reset(stmt);
}

/* `sql` must stay where it is: its place tells statements apart. */
static int64_t number_in(struct listing *l, const char *sql, int64_t rowid)
{
    sqlite3_stmt *stmt = first_row(prepare(l->all, sql, sql), rowid);
    int64_t number =
        stmt && sqlite3_column_type(stmt, 0) == SQLITE_INTEGER ? sqlite3_column_int64(stmt, 0) : -1;
    sqlite3_reset(stmt);
    return number;
}

/* All rows of a table that tell of this key. */
static struct mi_db_found rows_about(struct listing *l, unsigned search, int64_t key)
{
    return mi_db_finder_find(&l->all->finders[search], l->db, searches[search].table,
                             searches[search].key, key);
}

/* --- counters and call stacks --- */

static void give_counter(struct listing *l, int64_t rowid)
{
    static const struct mi_db_column value = {"value", MI_DB_NUMBER, NULL};
    static const char sql[] = "SELECT name,value FROM TASK_PMU_INFO WHERE rowid=?";
    sqlite3_stmt *stmt = first_row(prepare(l->all, sql, sql), rowid);
    struct mi_bytes text;
    char name[128];
    if (stmt && string_of(l, sqlite3_column_int64(stmt, 0), &text)) {
        snprintf(name, sizeof name, "%.*s", (int)(text.len < 100 ? text.len : 100),
                 (const char *)text.at);
        give(l, name, stmt, 1, &value);
    }
    sqlite3_reset(stmt);
}

enum { MAX_FRAMES = 512, MAX_STACK_BYTES = 1 << 16 };

/* The frames from the innermost out, as the trace of the same profiler writes them. */
static void give_stack(struct listing *l, int64_t chain)
{
    static const char sql[] = "SELECT stack FROM PYTORCH_CALLCHAINS WHERE rowid=?";
    struct mi_db_found found = rows_about(l, BY_STACK, chain);
    struct mi_scratch joined = {0};
    uint8_t *text = found.count ? mi_scratch_room(&joined, MAX_STACK_BYTES) : NULL;
    size_t len = 0;
    for (uint32_t i = 0; text && i < found.count && i < MAX_FRAMES; i++) {
        struct mi_bytes frame;
        int64_t number = number_in(l, sql, found.rows[i].rowid);
        if (!string_of(l, number, &frame) || len + frame.len + 2 > MAX_STACK_BYTES)
            continue;
        if (len)
            memcpy(text + len, "; ", 2);
        len += len ? 2 : 0;
        memcpy(text + len, frame.at, frame.len);
        len += frame.len;
    }
    if (len)
        l->fn(l->user, MI_LIT("Call stack"), (struct mi_bytes){text, len}, false);
    mi_scratch_fini(&joined);
}

/* --- records --- */

static void give_all_about(struct listing *l, unsigned search, int64_t key,
                           const struct mi_db_column *columns)
{
    struct mi_db_found found = rows_about(l, search, key);
    if (found.count)
        give_row(l, searches[search].table, found.rows[0].rowid, columns);
}

static void give_task(struct listing *l, int64_t rowid)
{
    static const char sql[] = "SELECT globalTaskId FROM TASK WHERE rowid=?";
    int64_t key = number_in(l, sql, rowid);
    give_row(l, "TASK", rowid, mi_db_task_columns);
    give_all_about(l, BY_COMPUTE, key, mi_db_compute_columns);
    give_all_about(l, BY_PART, key, mi_db_part_columns);
    give_all_about(l, BY_COPY, key, mi_db_copy_columns);
    struct mi_db_found counters = rows_about(l, BY_COUNTER, key);
    for (uint32_t i = 0; i < counters.count; i++)
        give_counter(l, counters.rows[i].rowid);
}

static void give_record(struct listing *l, int64_t key)
{
    static const char chain[] = "SELECT callchainId FROM PYTORCH_API WHERE rowid=?";
    int64_t rowid = mi_db_key_row(key);
    switch (mi_db_key_table(key)) {
    case MI_DB_TASK:
        give_task(l, rowid);
        break;
    case MI_DB_COLLECTIVE:
        give_row(l, "COMMUNICATION_OP", rowid, mi_db_collective_columns);
        break;
    case MI_DB_TORCH_API:
        give_row(l, "PYTORCH_API", rowid, mi_db_torch_columns);
        give_stack(l, number_in(l, chain, rowid));
        break;
    case MI_DB_MSTX:
        give_row(l, "MSTX_EVENTS", rowid, mi_db_range_columns);
        break;
    case MI_DB_OP_MEMORY:
        give_row(l, "OP_MEMORY", rowid, mi_db_op_memory_columns);
        break;
    case MI_DB_NPU_OP_MEM:
        give_row(l, "NPU_OP_MEM", rowid, mi_db_npu_op_mem_columns);
        break;
    case MI_DB_COMM_TIME:
        give_row(l, "CommAnalyzerTime", rowid, mi_db_comm_time_columns);
        break;
    case MI_DB_COMM_WAY:
        give_row(l, "CommAnalyzerBandwidth", rowid, mi_db_comm_way_columns);
        break;
    case MI_DB_COMM_LINK:
        give_row(l, "CommAnalyzerMatrix", rowid, mi_db_comm_link_columns);
        break;
    default: /* rows that have nothing beside the columns of the model */
        break;
    }
}

void mi_db_records_list(const struct mi_record *record, mi_metric_fn *fn, void *user)
{
    struct records *all =
        record->opened ? record->opened : mi_db_records_open(record->file, record->companion);
    if (all) {
        struct listing l = {.all = all, .db = all->sqlite.db, .fn = fn, .user = user};
        give_record(&l, record->key);
    }
    if (!record->opened)
        mi_db_records_close(all);
}
