/* The sqlite export as SQLite sees it: intact, complete, and the queries of docs/exports.md run. */
#include "export_model.h"
#include "present/exporter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <sqlite3.h>

struct memory_target {
    struct mi_target base;
    struct mi_sink sink;
};

static struct mi_sink *open_memory(struct mi_target *base, const char *name, struct mi_error *err)
{
    (void)err;
    assert_string_equal(name, "export.sqlite");
    return &((struct memory_target *)(void *)base)->sink;
}

static bool close_memory(struct mi_target *base, struct mi_error *err)
{
    return mi_sink_flush(&((struct memory_target *)(void *)base)->sink, err);
}

struct fixture {
    struct mi_model model;
    struct export_ids ids;
    struct memory_target target;
    sqlite3 *db;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct mi_error err = MI_ERROR_INIT;
    if (!export_model(&f.model, &f.ids))
        return -1;
    f.target.base = (struct mi_target){open_memory, close_memory};
    mi_sink_init_memory(&f.target.sink);
    struct mi_view view = {.model = &f.model};
    if (!mi_exporter_sqlite.write(&view, &f.target.base, &err))
        return -1;
    struct mi_bytes file = mi_sink_bytes(&f.target.sink);
    unsigned char *copy = sqlite3_malloc64(file.len);
    memcpy(copy, file.at, file.len);
    sqlite3_open(":memory:", &f.db);
    *state = &f;
    return sqlite3_deserialize(f.db, "main", copy, (sqlite3_int64)file.len, (sqlite3_int64)file.len,
                               SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    sqlite3_close(f->db);
    mi_sink_fini(&f->target.sink);
    mi_model_fini(&f->model);
    return 0;
}

/* The first column of the first row as text; "" for no row and for NULL. */
static const char *ask(sqlite3 *db, const char *sql)
{
    static char text[256];
    sqlite3_stmt *query = NULL;
    if (sqlite3_prepare_v2(db, sql, -1, &query, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    bool has_row = sqlite3_step(query) == SQLITE_ROW;
    const char *found = has_row ? (const char *)sqlite3_column_text(query, 0) : NULL;
    snprintf(text, sizeof text, "%s", found ? found : "");
    sqlite3_finalize(query);
    return text;
}

static void the_file_is_intact(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(ask(f->db, "PRAGMA integrity_check"), "ok");
    assert_string_equal(ask(f->db, "PRAGMA foreign_key_check"), "");
    assert_string_equal(ask(f->db, "PRAGMA application_id"), "1296658003");
    assert_string_equal(ask(f->db, "SELECT schema FROM capture"), "model-inspector-sqlite/1");
    assert_string_equal(ask(f->db, "SELECT start_unix_ns FROM capture"), "1736412474723783388");
}

static void every_row_of_every_table_is_there(void **state)
{
    struct fixture *f = *state;
    for (int t = 0; t < MI_TABLE_COUNT; t++) {
        char sql[128], count[32];
        snprintf(sql, sizeof sql, "SELECT count(*) FROM \"%s\"", mi_table_infos[t].name);
        snprintf(count, sizeof count, "%u",
                 t == MI_T_executed
                     ? mi_links_count(&f->model.all.rows)
                     : mi_any_table_of(&f->model.all.rows, (enum mi_table_no)t)->count - 1);
        assert_string_equal(ask(f->db, sql), count);
        snprintf(sql, sizeof sql, "SELECT count(*) FROM columns WHERE table_name = '%s'",
                 mi_table_infos[t].name);
        snprintf(count, sizeof count, "%u", mi_table_infos[t].column_count - (t == MI_T_tasks));
        assert_string_equal(ask(f->db, sql), count);
    }
}

static void values_are_resolved(void **state)
{
    struct fixture *f = *state;
    assert_string_equal(ask(f->db, "SELECT node_id FROM nodes WHERE id = 9"), "4");
    assert_string_equal(ask(f->db, "SELECT fate FROM v_nodes WHERE name = 'conv'"), "fused_into");
    assert_string_equal(ask(f->db, "SELECT hex(name) FROM nodes WHERE op = 'Custom'"),
                        "3D312B31E2908022273C7363726970743E5C20E280AEEFBFBD0A2C3BE4B8AD");
    assert_string_equal(ask(f->db, "SELECT parent IS NULL FROM tasks WHERE id = 1"), "1");
    assert_string_equal(ask(f->db, "SELECT group_concat(framework_name, '+') FROM v_links"
                                   " WHERE compiled_name = 'conv+relu' AND role = 'computed'"),
                        "conv+relu");
    assert_string_equal(ask(f->db, "SELECT start_raw FROM v_tasks WHERE node_name = 'cast'"),
                        "1736412474723781888");
    /* The If encloses the Add and counts for nothing. */
    assert_string_equal(ask(f->db, "SELECT total_ns FROM v_by_type WHERE op_type = 'Add'"), "2002");
    assert_string_equal(ask(f->db, "SELECT count(*) FROM v_by_type WHERE op_type = 'If'"), "0");
    assert_string_equal(ask(f->db, "SELECT to_node FROM v_edges WHERE from_node = 2 AND"
                                   " to_node <> 3"),
                        "6");
}

/* Runs each ```sql block of the page; all of them find something in a model that has everything. */
static void the_documented_queries_run(void **state)
{
    struct fixture *f = *state;
    static char page[65536];
    FILE *file = fopen(MI_SOURCE_DIR "/docs/exports.md", "rb");
    assert_non_null(file);
    size_t len = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    page[len] = '\0';
    int count = 0;
    for (char *at = page; (at = strstr(at, "```sql\n")) != NULL; count++) {
        char *start = at + 7, *end = strstr(start, "```");
        assert_non_null(end);
        *end = '\0';
        if (!*ask(f->db, start) && !strstr(start, "lag("))
            fail_msg("finds nothing: %s", start);
        at = end + 1;
    }
    assert_true(count >= 7);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_is_intact),
        cmocka_unit_test(every_row_of_every_table_is_there),
        cmocka_unit_test(values_are_resolved),
        cmocka_unit_test(the_documented_queries_run),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
