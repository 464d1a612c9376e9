/* What must hold for the rows of any reader, whatever it was given. */
#ifndef MI_TESTS_CHECK_BATCH_H
#define MI_TESTS_CHECK_BATCH_H

#include "parse/reader.h"

/* Ids, runs, strings and enums stay in their tables; nodes stand in the order of their graphs;
 * the ledger adds up. NULL if all holds, else what does not (static memory, overwritten by the next
 * call). */
const char *check_batch(const struct mi_batch *batch);

/* Sum over all rows and strings: equal rows have equal sums, wherever their memory lies. */
uint64_t sum_batch(const struct mi_batch *batch);

/* Has the reader list the values of some records of each table that points to records, and reads
 * every byte of them. Returns how many values there were. */
uint64_t touch_records(const struct mi_reader *reader, const struct mi_batch *batch,
                       struct mi_bytes file);

#endif
