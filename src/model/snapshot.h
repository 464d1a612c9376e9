/* A frozen model as one block of bytes, for programs that have the model but not its inputs: the
 * page of a one-file report.
 *
 *   "MISNAP1\n"   then, all numbers little-endian:
 *   u64           hash of names, kinds and sizes of all columns: other tables, other format
 *   i64           capture time 0, ns since 1970
 *   number        strings, then the length of each, then their bytes
 *   per table     number of rows, then per column u8 form and its values for row 1 and on:
 *                   0  nothing: all are zero
 *                   1  bytes as they are: columns of one byte, and reals (8 bytes each)
 *                   2  per row a number: the difference to the row before, zigzag
 *
 * A "number" has 7 bits per byte, low ones first, the top bit set in all but the last byte. A table
 * with rows has at least one column that is written out, so a count never exceeds the bytes left.
 *
 * Then the values of the records of some tasks, see snapshot_values.c. All else that lies in the
 * input files stays there. */
#ifndef MI_MODEL_SNAPSHOT_H
#define MI_MODEL_SNAPSHOT_H

#include "base/sink.h"
#include "model/model.h"

#define MI_SNAPSHOT_MAGIC "MISNAP1\n"

struct mi_snapshot_options {
    /* Per table the rows that are written, [count] with 1 each; NULL: all. What refers to another
     * row refers to none. */
    const uint8_t *keep[MI_TABLE_COUNT];
    /* What is written instead of a string; borrowed until the snapshot is written. NULL: the string
     * itself. */
    struct mi_bytes (*rename)(void *user, enum mi_str_kind kind, struct mi_bytes text);
    void *user;
    /* Tasks whose records are read from the inputs and written too, [tasks.count]; NULL: none. */
    const uint8_t *values;
};

/* `options` may be NULL. */
bool mi_snapshot_write(const struct mi_model *model, const struct mi_snapshot_options *options,
                       struct mi_sink *sink, struct mi_error *err);

/* Fills an initialised model, which is frozen afterwards and borrows from `bytes`. Damaged bytes
 * fail with MI_EFORMAT: no id, run of rows, string or enum leaves its table. Of the
 * records of the inputs it lists the values of those that were written. */
bool mi_snapshot_read(struct mi_model *model, struct mi_bytes bytes, struct mi_error *err);

/* The hash in the head. */
uint64_t mi_snapshot_shape(void);

#endif
