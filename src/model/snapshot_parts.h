/* Parts of snapshots that have files of their own. */
#ifndef MI_MODEL_SNAPSHOT_PARTS_H
#define MI_MODEL_SNAPSHOT_PARTS_H

#include "model/snapshot.h"

/* --- writing --- */

struct mi_snapshot_writing {
    const struct mi_model *model;
    const struct mi_snapshot_options *options;
    struct mi_sink *sink;
    /* Of tables with rows left out: kept rows below row r, [count + 1]; new row of a kept r is that
     * + 1. */
    uint32_t *below[MI_TABLE_COUNT];
    uint32_t *number_of[MI_S_KINDS]; /* [strings] number in the snapshot, + 1; 0 = not used yet */
    struct mi_strings out;
    struct mi_arena arena; /* strings that the model does not hold */
    bool failed;           /* no memory */
};

void mi_snapshot_put(struct mi_sink *sink, uint64_t number);

/* The row that `row` is in the snapshot; 0: left out. */
uint32_t mi_snapshot_row(const struct mi_snapshot_writing *w, int table, uint32_t row);

/* The number of a text that is no string of the model. */
uint32_t mi_snapshot_text(struct mi_snapshot_writing *w, enum mi_str_kind kind,
                          struct mi_bytes text);

/* Values of the records of tasks: their strings first, then they themselves. */
void mi_snapshot_number_values(struct mi_snapshot_writing *w);
void mi_snapshot_write_values(struct mi_snapshot_writing *w);

/* --- reading --- */

struct mi_snapshot_reading {
    struct mi_model *model;
    const uint8_t *at, *end;
    struct mi_error *err;
};

bool mi_snapshot_get(struct mi_snapshot_reading *r, uint64_t *number);

/* A count of things of at least one byte each. */
bool mi_snapshot_get_count(struct mi_snapshot_reading *r, uint32_t *count);

/* Reads them, when all tables are there and checked. */
bool mi_snapshot_read_values(struct mi_snapshot_reading *r);

#endif
