/* The rows of one table of an SQLite database, straight from its pages: many times as fast as
 * asking SQLite for them, and a damaged page costs no more than the rows that lie on it.
 *
 *   page (big-endian)     at its start, on the first page behind 100 bytes of header: type 5
 * (inner) or 13 (leaf), first free block, number of cells, start of the cells, free bytes; inner
 * pages then name their last child. Then 2 bytes for each cell: where it lies. cell of an inner
 * page child (4 bytes), largest row below it (variable) cell of a leaf        size of the record,
 * row (both variable), the record; what does not fit lies on a chain of pages: next page (4 bytes),
 * content record                size of its head, a type for each column (all variable), the values
 *
 * Types: 0 NULL; 1 to 6 whole numbers of 1, 2, 3, 4, 6, 8 bytes; 7 real; 8 and 9 the numbers 0 and
 * 1; from 12 on, even: bytes, odd: text, their length (type - 12) / 2. */
#ifndef MI_BASE_SQLITE_TABLE_H
#define MI_BASE_SQLITE_TABLE_H

#include "base/scratch.h"
#include "base/sqlite_file.h"

enum mi_sqlite_kind {
    MI_SQLITE_NULL,
    MI_SQLITE_INT,
    MI_SQLITE_REAL,
    MI_SQLITE_TEXT, /* bytes of the database's encoding */
    MI_SQLITE_BYTES
};

struct mi_sqlite_value {
    enum mi_sqlite_kind kind;
    union {
        int64_t number;
        double real;
    };
    struct mi_bytes bytes;
};

enum mi_sqlite_step { MI_SQLITE_END, MI_SQLITE_ROW, MI_SQLITE_DAMAGE };

enum { MI_SQLITE_DEPTH = 20 };

struct mi_sqlite_table {
    const struct mi_sqlite *sqlite;
    uint32_t usable_bytes; /* of a page */
    struct mi_sqlite_level {
        uint32_t page;
        const uint8_t *at;    /* of the page; usable_bytes are there */
        uint32_t head;        /* where its own head begins */
        uint32_t cells, next; /* next: cell to look at */
        bool is_leaf;
    } levels[MI_SQLITE_DEPTH];
    unsigned level_count;
    uint64_t pages_left; /* that may be looked at: a tree has no page twice */
    uint64_t most_bytes; /* of a record */
    bool has_row;
    int64_t rowid;          /* of the current row */
    struct mi_bytes record; /* of the current row; valid until the next step */
    uint32_t damaged_page;  /* after MI_SQLITE_DAMAGE */
    struct mi_scratch scratch;
};

/* Starts over the table whose tree has this first page. */
void mi_sqlite_table_open(struct mi_sqlite_table *table, const struct mi_sqlite *sqlite,
                          uint32_t root);
void mi_sqlite_table_close(struct mi_sqlite_table *table);

/* The next row, by rising row number. After DAMAGE - a page that is none, a row that does not fit
 * its page - it goes on behind it. */
enum mi_sqlite_step mi_sqlite_table_next(struct mi_sqlite_table *table);

/* The row of that number, wherever the table stands: END = there is none. Of no use for
 * mi_sqlite_table_next() afterwards. */
enum mi_sqlite_step mi_sqlite_table_find(struct mi_sqlite_table *table, int64_t rowid);

/* How many rows the table has at most, seen from its last row: to make room, not to rely on. */
uint32_t mi_sqlite_table_guess(const struct mi_sqlite *sqlite, uint32_t root);

/* The first `count` values of a record; those that it does not have are NULL. False: it is damaged.
 */
bool mi_sqlite_values(struct mi_bytes record, struct mi_sqlite_value *values, unsigned count);

#endif
