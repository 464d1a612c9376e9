/* A batch: the rows that one reader (or one matcher) adds. One writer, no locks.
 *
 * Readers fill a batch of their own per source; the batches are merged into the model in the order
 * of the sources, so the result does not depend on the number of threads. Ids in a batch count from
 * 1 in each table and are shifted by the merge.
 *
 * Sticky: once memory, ids or a limit have run out, every add returns none and mi_batch_failed()
 * says so; a reader checks once per record. */
#ifndef MI_MODEL_BATCH_H
#define MI_MODEL_BATCH_H

#include "base/error.h"
#include "base/map.h"
#include "model/tables.h"

/* Records of the input, for the ledger: in = kept + skipped + lost must hold for every source. A
 * record is what the format calls one: a node, an event, a row. */
struct mi_counts {
    int64_t in, kept, skipped, lost;
};

struct mi_batch {
    struct mi_tables rows;
    struct mi_counts counts; /* set by the reader, copied to the source's row by the merge */
    struct mi_strings strings;
    struct mi_bytes mapping; /* strings inside are borrowed, all others copied */
    struct mi_error error;   /* sticky */
    struct mi_map link_rows; /* links by their hash -> row that stands for them: model/links.h */
    uint32_t diag_hint;      /* last diagnostic row that was counted up */
};

/* `mapping`: bytes that outlive the model this batch ends up in (may be empty). */
bool mi_batch_init(struct mi_batch *batch, struct mi_bytes mapping, struct mi_error *err);
void mi_batch_fini(struct mi_batch *batch);

static inline bool mi_batch_failed(const struct mi_batch *batch)
{
    return batch->error.code != MI_OK;
}

/* Records a failure (no memory, a limit) that makes the batch unusable from here on; returns false.
 */
bool mi_batch_fail(struct mi_batch *batch, enum mi_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Interns `text`: borrowed if it lies in the batch's mapping, else copied. Empty gives none. */
mi_str_id mi_batch_str(struct mi_batch *batch, struct mi_bytes text);
mi_str_id mi_batch_cstr(struct mi_batch *batch, const char *text);
mi_str_id mi_batch_printf(struct mi_batch *batch, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static inline struct mi_bytes mi_batch_text(const struct mi_batch *batch, mi_str_id id)
{
    return mi_strings_get(&batch->strings, id);
}

/* mi_add_node(batch, &(struct mi_node_row){.name = ..., .op = ...}) appends one row and returns its
 * id, or none once the batch has failed. Fields left out are 0; those where 0 is a wrong default
 * (native_id, data_offset, ... "-1 unknown") must be given. */
#define MI_TABLE(row, table, COLUMNS)                                                              \
    mi_##row##_id mi_add_##row(struct mi_batch *batch, const struct mi_##row##_row *fields);
MI_TABLES(MI_TABLE)
#undef MI_TABLE

/* The place of the first row that the next adds will fill: for FIRST columns. */
#define mi_next_row(batch, table) ((batch)->rows.table.count)

/* Counts a diagnostic: the first of each (source, code) keeps its place and sentence, later ones
 * only count. offset MI_NO_OFFSET and line 0 mean unknown. `source` is the id in this batch (none:
 * the source that the batch belongs to). */
void mi_batch_diag(struct mi_batch *batch, enum mi_severity severity, const char *code,
                   uint64_t offset, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

#endif
