/* Export "sqlite": a database with every table of the model, views that join them, and a table
 * `columns` that says what each column means. Names are written out, ids of none are NULL.
 *
 * The database is built in memory and handed out as a whole, so that nothing but the finished file
 * ever reaches the disk. SQLite is the only writer; page size, order of rows and pragmas are fixed,
 * hence equal models give equal bytes (with one version of SQLite, which marks files with its
 * version). The application id "MInS" tells our own files from others. */
#include "base/translate.h"
#include "present/export/common.h"
#include "present/export/table_rows.h"

#include <sqlite3.h>
#include <stdio.h>

struct writer {
    const struct mi_model *model;
    struct mi_relate relate;
    sqlite3 *db;
    struct mi_sink text; /* SQL, or one cell */
    struct mi_error *err;
};

static bool fail_sql(struct writer *w)
{
    int code = sqlite3_errcode(w->db);
    return mi_fail(w->err, code == SQLITE_NOMEM ? MI_ENOMEM : MI_EINTERNAL, "SQLite: %s",
                   sqlite3_errmsg(w->db));
}

static bool run(struct writer *w, const char *sql)
{
    return sqlite3_exec(w->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail_sql(w);
}

/* Runs the SQL gathered in w->text. */
static bool run_text(struct writer *w)
{
    mi_sink_byte(&w->text, 0);
    bool ok = !mi_sink_failed(&w->text);
    if (ok)
        ok = run(w, (const char *)mi_sink_bytes(&w->text).at);
    else
        mi_fail(w->err, MI_ENOMEM, "out of memory for the database");
    mi_sink_clear(&w->text);
    return ok;
}

/* --- tables --- */

static const char *sql_type(enum mi_column_kind kind)
{
    switch (kind) {
    case MI_KIND_STR:
    case MI_KIND_ENUM:
        return "TEXT";
    case MI_KIND_F64:
        return "REAL";
    case MI_KIND_ID:
    case MI_KIND_FIRST:
    case MI_KIND_COUNT:
    case MI_KIND_BOOL:
    case MI_KIND_U32:
    case MI_KIND_SOME:
    case MI_KIND_I64:
    case MI_KIND_NS:
    case MI_KIND_TICKS:
        break;
    }
    return "INTEGER";
}

static bool create_table(struct writer *w, enum mi_table_no which)
{
    const struct mi_table_info *info = &mi_table_infos[which];
    mi_sink_text(&w->text, "CREATE TABLE \"");
    mi_sink_text(&w->text, info->name);
    mi_sink_text(&w->text, "\" (id INTEGER PRIMARY KEY");
    for (unsigned c = 0; c < info->column_count; c++) {
        const struct mi_column_info *column = &info->columns[c];
        if (!mi_table_rows_has(column))
            continue;
        mi_sink_text(&w->text, ", \"");
        mi_sink_text(&w->text, column->name);
        mi_sink_text(&w->text, "\" ");
        mi_sink_text(&w->text, sql_type(column->kind));
        if (column->kind == MI_KIND_ID) {
            mi_sink_text(&w->text, " REFERENCES \"");
            mi_sink_text(&w->text, mi_table_infos[column->extra].name);
            mi_sink_text(&w->text, "\"");
        }
    }
    mi_sink_text(&w->text, which == MI_T_nodes ? ", node_id INTEGER)" : ")");
    return run_text(w);
}

static sqlite3_stmt *prepare_insert(struct writer *w, const char *table, unsigned column_count)
{
    sqlite3_stmt *insert = NULL;
    mi_sink_text(&w->text, "INSERT INTO \"");
    mi_sink_text(&w->text, table);
    mi_sink_text(&w->text, "\" VALUES (?");
    for (unsigned c = 1; c < column_count; c++)
        mi_sink_text(&w->text, ",?");
    mi_sink_text(&w->text, ")");
    mi_sink_byte(&w->text, 0);
    if (mi_sink_failed(&w->text))
        mi_fail(w->err, MI_ENOMEM, "out of memory for the database");
    else if (sqlite3_prepare_v2(w->db, (const char *)mi_sink_bytes(&w->text).at, -1, &insert,
                                NULL) != SQLITE_OK)
        fail_sql(w);
    mi_sink_clear(&w->text);
    return insert;
}

static int bind_text(struct writer *w, sqlite3_stmt *insert, int at, struct mi_bytes text)
{
    mi_sink_clear(&w->text);
    mi_export_clean_text(&w->text, text);
    struct mi_bytes clean = mi_sink_bytes(&w->text);
    if (mi_sink_failed(&w->text))
        return SQLITE_NOMEM;
    const char *start = clean.len ? (const char *)clean.at : "";
    return sqlite3_bind_text64(insert, at, start, clean.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static int bind_cell(struct writer *w, sqlite3_stmt *insert, int at,
                     const struct mi_table_rows *rows, const struct mi_column_info *column)
{
    const struct mi_any_table *table = mi_any_table_of(&w->model->all.rows, rows->which);
    int64_t value = column->kind == MI_KIND_F64 ? 0 : mi_table_rows_int(rows, column);
    double real;
    switch (column->kind) {
    case MI_KIND_STR:
        return bind_text(w, insert, at, mi_model_text(w->model, (mi_str_id){(uint32_t)value}));
    case MI_KIND_ENUM:
        return sqlite3_bind_text(insert, at,
                                 mi_enum_name((enum mi_enum_no)column->extra, (unsigned)value), -1,
                                 SQLITE_STATIC);
    case MI_KIND_F64:
        memcpy(&real,
               (const char *)mi_column_array(table, column) + (size_t)rows->row * sizeof real,
               sizeof real);
        return sqlite3_bind_double(insert, at, real);
    case MI_KIND_ID:
        return value ? sqlite3_bind_int64(insert, at, value) : sqlite3_bind_null(insert, at);
    case MI_KIND_FIRST:
    case MI_KIND_COUNT:
    case MI_KIND_BOOL:
    case MI_KIND_U32:
    case MI_KIND_SOME:
    case MI_KIND_I64:
    case MI_KIND_NS:
    case MI_KIND_TICKS:
        break;
    }
    return sqlite3_bind_int64(insert, at, value);
}

static bool insert_row(struct writer *w, sqlite3_stmt *insert, const struct mi_table_rows *rows)
{
    const struct mi_table_info *info = &mi_table_infos[rows->which];
    int place = 1;
    bool ok = sqlite3_bind_int64(insert, place++, rows->id) == SQLITE_OK;
    for (unsigned c = 0; ok && c < info->column_count; c++)
        if (mi_table_rows_has(&info->columns[c]))
            ok = bind_cell(w, insert, place++, rows, &info->columns[c]) == SQLITE_OK;
    if (ok && rows->which == MI_T_nodes)
        ok = sqlite3_bind_int64(insert, place, w->relate.public_id[rows->row]) == SQLITE_OK;
    ok = ok && sqlite3_step(insert) == SQLITE_DONE && sqlite3_reset(insert) == SQLITE_OK;
    return ok || fail_sql(w);
}

static unsigned listed_columns(enum mi_table_no which)
{
    const struct mi_table_info *info = &mi_table_infos[which];
    unsigned count = 0;
    for (unsigned c = 0; c < info->column_count; c++)
        count += mi_table_rows_has(&info->columns[c]);
    return count;
}

static bool fill_table(struct writer *w, enum mi_table_no which)
{
    unsigned columns = listed_columns(which) + 1 + (which == MI_T_nodes);
    sqlite3_stmt *insert = prepare_insert(w, mi_table_infos[which].name, columns);
    struct mi_table_rows rows = mi_table_rows_begin(w->model, which);
    bool ok = insert != NULL;
    while (ok && mi_table_rows_next(&rows))
        ok = insert_row(w, insert, &rows);
    sqlite3_finalize(insert);
    mi_sink_clear(&w->text);
    return ok;
}

/* --- the tables about the tables --- */

static bool describe_column(struct writer *w, sqlite3_stmt *insert, const char *table,
                            const struct mi_column_info *column)
{
    bool ok = sqlite3_bind_text(insert, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_text(insert, 2, column->name, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_text(insert, 3, column->unit, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_text(insert, 4, column->meaning, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_step(insert) == SQLITE_DONE && sqlite3_reset(insert) == SQLITE_OK;
    return ok || fail_sql(w);
}

static bool describe_tables(struct writer *w)
{
    if (!run(w,
             "CREATE TABLE columns (table_name TEXT, column_name TEXT, unit TEXT, meaning TEXT)"))
        return false;
    sqlite3_stmt *insert = prepare_insert(w, "columns", 4);
    bool ok = insert != NULL;
    for (int t = 0; ok && t < MI_TABLE_COUNT; t++)
        for (unsigned c = 0; ok && c < mi_table_infos[t].column_count; c++)
            ok = !mi_table_rows_has(&mi_table_infos[t].columns[c]) ||
                 describe_column(w, insert, mi_table_infos[t].name, &mi_table_infos[t].columns[c]);
    sqlite3_finalize(insert);
    return ok;
}

static bool describe_capture(struct writer *w)
{
    char sql[256];
    snprintf(sql, sizeof sql,
             "CREATE TABLE capture (schema TEXT, start_unix_ns INTEGER);"
             "INSERT INTO capture VALUES ('model-inspector-sqlite/1', nullif(%lld, 0))",
             (long long)w->model->start_unix_ns);
    return run(w, sql);
}

/* --- the whole --- */

static bool open_database(struct writer *w)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    if (sqlite3_open_v2("file:export?vfs=memdb", &w->db, flags, NULL) != SQLITE_OK)
        return mi_fail(w->err, MI_ENOMEM, "SQLite cannot open a database in memory");
    sqlite3_int64 most_bytes = INT64_C(1) << 40;
    sqlite3_file_control(w->db, "main", SQLITE_FCNTL_SIZE_LIMIT, &most_bytes);
    return run(w, "PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8'; PRAGMA journal_mode = OFF;"
                  "PRAGMA synchronous = OFF; PRAGMA application_id = 0x4d496e53;"
                  "PRAGMA user_version = 1; BEGIN");
}

static bool build(struct writer *w)
{
    bool ok = open_database(w) && describe_capture(w) && describe_tables(w);
    for (int t = 0; ok && t < MI_TABLE_COUNT; t++)
        ok = create_table(w, (enum mi_table_no)t) && fill_table(w, (enum mi_table_no)t);
    return ok && run(w, mi_export_sql_views) && run(w, "COMMIT");
}

static bool write_sqlite(const struct mi_view *view, struct mi_target *target, struct mi_error *err)
{
    struct writer w = {.model = view->model, .err = err};
    mi_sink_init_memory(&w.text);
    bool ok = mi_relate_init(&w.relate, view->model, err) && build(&w);
    sqlite3_int64 size = 0;
    unsigned char *file =
        ok ? sqlite3_serialize(w.db, "main", &size, SQLITE_SERIALIZE_NOCOPY) : NULL;
    if (ok && !file)
        ok = mi_fail(err, MI_ENOMEM, "out of memory for the database");
    struct mi_sink *sink = ok ? target->open(target, "export.sqlite", err) : NULL;
    if (sink)
        mi_sink_write(sink, (struct mi_bytes){file, (size_t)size});
    ok = sink && target->close(target, err);
    sqlite3_close(w.db);
    mi_sink_fini(&w.text);
    mi_relate_fini(&w.relate);
    return ok;
}

const struct mi_exporter mi_exporter_sqlite = {
    .name = "sqlite",
    .title = N_("a SQLite database: every table, views that join them"),
    .suffix = ".sqlite",
    .media_type = "application/vnd.sqlite3",
    .write = write_sqlite,
};
