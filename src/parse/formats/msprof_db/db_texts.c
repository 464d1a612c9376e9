/* STRING_IDS: nearly all texts of a database stand there once and are meant by number. They are
 * looked up when they are needed: call stacks alone may be many times what the tasks name. */
#include "parse/formats/msprof/msprof_columns.h"
#include "parse/formats/msprof_db/db_read.h"

#include <sqlite3.h>

enum { ID, VALUE };

static const char *const columns[] = {"id", "value", NULL};

static uint32_t *place_of(struct mi_db_reading *r, int64_t id)
{
    uint32_t *at = mi_map_at(&r->texts, (uint64_t)id);
    if (!at)
        mi_batch_fail(r->db.batch, MI_ENOMEM, "out of memory for texts");
    return at;
}

/* Where the number is not the key of the table a search would go through all of it. */
static bool is_key(struct mi_db_reading *r)
{
    sqlite3_stmt *stmt = NULL;
    bool found = false;
    int code =
        sqlite3_prepare_v2(r->db.sqlite.db, "PRAGMA table_info(STRING_IDS)", -1, &stmt, NULL);
    while (code == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(stmt, 1);
        const char *type = (const char *)sqlite3_column_text(stmt, 2);
        if (name && type && sqlite3_stricmp(name, "id") == 0)
            found = sqlite3_column_int(stmt, 5) == 1 && sqlite3_stricmp(type, "INTEGER") == 0;
    }
    sqlite3_finalize(stmt);
    return found;
}

static bool read_all(struct mi_db_reading *r)
{
    struct mi_db_rows rows;
    if (!mi_db_rows_open(&rows, &r->db, "STRING_IDS", columns))
        return mi_db_is_fine(&r->db);
    while (mi_db_rows_next(&rows)) {
        uint32_t *at = place_of(r, mi_db_int(&rows, ID, -1));
        if (at)
            *at = mi_db_text(&rows, VALUE).v + 1;
        r->db.batch->counts.in--; /* a text is no record */
    }
    return mi_db_is_fine(&r->db);
}

bool mi_db_texts_open(struct mi_db_reading *r)
{
    if (!mi_db_has_table(&r->db, "STRING_IDS"))
        return true;
    if (!is_key(r))
        return read_all(r);
    r->has_text_rows = mi_db_rows_open_to_find(&r->text_rows, &r->db, "STRING_IDS", columns);
    sqlite3_prepare_v2(r->db.sqlite.db, "SELECT value FROM STRING_IDS WHERE id=?", -1, &r->find,
                       NULL);
    return true;
}

void mi_db_texts_close(struct mi_db_reading *r)
{
    if (r->has_text_rows)
        mi_db_rows_close(&r->text_rows);
    sqlite3_finalize(r->find);
    mi_map_fini(&r->texts);
}

/* Straight from the pages, where the text is one. */
static bool look_up_quick(struct mi_db_reading *r, int64_t id, mi_str_id *string)
{
    if (!r->has_text_rows || !mi_db_rows_find(&r->text_rows, id) ||
        !mi_db_is_text(&r->text_rows, VALUE))
        return false;
    *string = mi_db_text(&r->text_rows, VALUE);
    return true;
}

static bool look_up(struct mi_db_reading *r, int64_t id, mi_str_id *string)
{
    bool found = false;
    if (look_up_quick(r, id, string))
        return true;
    if (!r->find)
        return false;
    sqlite3_bind_int64(r->find, 1, id);
    if (sqlite3_step(r->find) == SQLITE_ROW) {
        const void *text = sqlite3_column_text(r->find, 0);
        size_t len = text ? (size_t)sqlite3_column_bytes(r->find, 0) : 0;
        *string = mi_db_keep(&r->db, (struct mi_bytes){text, len});
        found = true;
    }
    sqlite3_reset(r->find);
    return found;
}

mi_str_id mi_db_string(struct mi_db_reading *r, int64_t id)
{
    mi_str_id string = MI_NO_STR;
    if (id == -1 || id == UINT32_MAX)
        return string;
    uint32_t *at = place_of(r, id);
    if (!at)
        return string;
    if (*at)
        return (mi_str_id){*at - 1};
    if (!look_up(r, id, &string)) {
        mi_batch_diag(r->db.batch, MI_NOTICE, "msprof_db.text_missing", MI_NO_OFFSET, 0,
                      "STRING_IDS has no text of number %lld; the number stands for it",
                      (long long)id);
        string = mi_batch_printf(r->db.batch, "%lld", (long long)id);
    }
    *at = string.v + 1;
    return string;
}

mi_str_id mi_db_name(struct mi_db_reading *r, int64_t id)
{
    mi_str_id string = mi_db_string(r, id);
    return mi_msprof_is_absent(mi_batch_text(r->db.batch, string)) ? MI_NO_STR : string;
}

/* --- lists of names: ENUM_... --- */

static void read_enum(struct mi_db_reading *r, struct mi_db_enum *names, const char *table)
{
    static const char *const enum_columns[] = {"id", "name", NULL};
    struct mi_db_rows rows;
    names->is_read = true;
    if (!mi_db_rows_open(&rows, &r->db, table, enum_columns))
        return;
    while (mi_db_rows_next(&rows)) {
        uint32_t *at = mi_map_at(&names->strings, (uint64_t)mi_db_int(&rows, 0, -1));
        r->db.batch->counts.in--; /* a name is no record */
        if (at)
            *at = mi_db_text(&rows, 1).v + 1;
        else
            mi_batch_fail(r->db.batch, MI_ENOMEM, "out of memory for texts");
    }
}

mi_str_id mi_db_enum_name(struct mi_db_reading *r, struct mi_db_enum *names, const char *table,
                          int64_t number)
{
    if (!names->is_read)
        read_enum(r, names, table);
    uint32_t string = mi_map_get(&names->strings, (uint64_t)number);
    return (mi_str_id){string ? string - 1 : 0};
}

mi_str_id mi_db_module(struct mi_db_reading *r, int64_t number)
{
    mi_str_id name = mi_db_enum_name(r, &r->modules, "ENUM_MODULE", number);
    return name.v ? name : mi_batch_printf(r->db.batch, "module %lld", (long long)number);
}
