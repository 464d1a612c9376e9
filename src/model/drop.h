/* Taking rows out of a table that is filled already. */
#ifndef MI_MODEL_DROP_H
#define MI_MODEL_DROP_H

#include "model/tables.h"

/* Takes out every row r of [count] with instead[r] != r. Whatever refers to it refers to the row
 * instead[r] afterwards, which has to stay, or to nothing where instead[r] is 0. The others keep
 * their order and are numbered anew. Not for tables that others point into with runs of rows.
 * False: out of memory, nothing has changed. */
bool mi_table_drop(struct mi_tables *rows, enum mi_table_no which, const uint32_t *instead);

#endif
