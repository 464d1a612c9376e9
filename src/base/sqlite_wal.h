/* The write-ahead log that lies beside an SQLite database ("-wal"): pages that are newer than those
 * of the database itself.
 *
 *   header (32 bytes, big-endian words)   magic 0x377f0682 (sums over little-endian words) or ..83
 *     (big-endian), version 3007000, size of a page, number of the checkpoint, two salts, two sums
 *   then frames   page number, pages of the database if this frame ends a transaction (else 0), the
 *     salts again, two running sums; behind these 24 bytes the page
 *
 * A frame counts if its salts and sums are right and a frame at or behind it ends its transaction.
 * What follows the first wrong frame is left over from an earlier use of the file. */
#ifndef MI_BASE_SQLITE_WAL_H
#define MI_BASE_SQLITE_WAL_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/map.h"

struct mi_sqlite_wal {
    struct mi_bytes bytes;
    struct mi_map frames; /* page number -> number of its newest frame, from 1 */
    uint32_t page_bytes;
    uint32_t page_count;  /* of the database after the last transaction; 0 = no transaction */
    uint32_t frame_count; /* that belong to ended transactions */
};

/* `wal` may be empty or damaged: what is not in order does not count. False: out of memory. */
bool mi_sqlite_wal_read(struct mi_sqlite_wal *log, struct mi_bytes wal, uint32_t page_bytes,
                        struct mi_error *err);
void mi_sqlite_wal_fini(struct mi_sqlite_wal *log);

/* The newest content of a page, or none if the log does not have it. */
struct mi_bytes mi_sqlite_wal_page(const struct mi_sqlite_wal *log, uint32_t page);

#endif
