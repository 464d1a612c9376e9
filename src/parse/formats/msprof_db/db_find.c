#include "parse/formats/msprof_db/db_find.h"

#include "base/mem.h"
#include "base/vec.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

static bool add_place(struct mi_db_finder *finder, int64_t key, int64_t rowid)
{
    if (!mi_vec_room(&finder->places, &finder->room, finder->count, sizeof *finder->places))
        return false;
    finder->places[finder->count++] = (struct mi_db_place){key, rowid};
    return true;
}

static int by_key(const void *left, const void *right)
{
    const struct mi_db_place *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->rowid > b->rowid) - (a->rowid < b->rowid);
}

/* Rows rise in a table that is in order; one that runs in circles ends there. */
static void gather(struct mi_db_finder *finder, struct sqlite3 *db, const char *table,
                   const char *column)
{
    char sql[256];
    sqlite3_stmt *stmt = NULL;
    int64_t last = 0;
    snprintf(sql, sizeof sql, "SELECT rowid,%s FROM %s NOT INDEXED", column, table);
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK)
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            int64_t rowid = sqlite3_column_int64(stmt, 0);
            if ((finder->count && rowid <= last) ||
                !add_place(finder, sqlite3_column_int64(stmt, 1), rowid))
                break;
            last = rowid;
        }
    sqlite3_finalize(stmt);
    if (finder->count)
        qsort(finder->places, finder->count, sizeof *finder->places, by_key);
    finder->is_sorted = true;
}

struct mi_db_found mi_db_finder_find(struct mi_db_finder *finder, struct sqlite3 *db,
                                     const char *table, const char *column, int64_t key)
{
    struct mi_db_found found = {0};
    if (!finder->is_sorted)
        gather(finder, db, table, column);
    uint32_t low = 0, high = finder->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (finder->places[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < finder->count)
        found.rows = finder->places + low;
    while (low + found.count < finder->count && found.rows[found.count].key == key)
        found.count++;
    return found;
}

void mi_db_finder_fini(struct mi_db_finder *finder)
{
    mi_mem_free(finder->places);
    *finder = (struct mi_db_finder){0};
}
