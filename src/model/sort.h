/* Putting the rows of a table into order. */
#ifndef MI_MODEL_SORT_H
#define MI_MODEL_SORT_H

#include "model/tables.h"

/* Whether row `a` has to stand behind row `b`; false for equal ones. */
typedef bool mi_stands_behind(const struct mi_tables *rows, uint32_t a, uint32_t b);

/* The first thing that `behind` looks at, where it is a number: sorting begins with it, which costs
 * far less than comparing. */
struct mi_keys {
    const uint32_t *of_row; /* [rows] below count */
    uint32_t count;
};

/* Sorts the table, `keys` may be NULL; equal rows keep their order. *new_row [count] tells where
 * each row went, 0 for row 0; the caller frees it. It is NULL if nothing had to move, or without
 * memory (false). What refers to the rows is left as it is. Rows that are nearly in order, as those
 * of files mostly are, cost little, and memory is 4 bytes per row beyond the result. */
bool mi_table_sort(struct mi_tables *rows, enum mi_table_no which, const struct mi_keys *keys,
                   mi_stands_behind *behind, uint32_t **new_row);

/* Sorts a list of row numbers in the same way; place 0 of `order` [count] is left alone. */
bool mi_rows_sort(const struct mi_tables *rows, uint32_t *order, uint32_t count,
                  mi_stands_behind *behind);

#endif
