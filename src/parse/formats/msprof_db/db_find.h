/* Finds the rows of a table by a column that is no key of it: all of its values are sorted once,
 * with the rows that hold them. */
#ifndef MI_PARSE_FORMATS_MSPROF_DB_FIND_H
#define MI_PARSE_FORMATS_MSPROF_DB_FIND_H

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;

struct mi_db_place {
    int64_t key, rowid;
};

struct mi_db_finder {
    struct mi_db_place *places; /* [count] by key, then row */
    uint32_t count, room;
    bool is_sorted;
};

/* Rows with one key, in the order of the table; valid as long as the finder. */
struct mi_db_found {
    const struct mi_db_place *rows;
    uint32_t count;
};

/* `table` and `column` are the same in all calls. Nothing is found where the table cannot be read
 * or memory is short. */
struct mi_db_found mi_db_finder_find(struct mi_db_finder *finder, struct sqlite3 *db,
                                     const char *table, const char *column, int64_t key);
void mi_db_finder_fini(struct mi_db_finder *finder);

#endif
