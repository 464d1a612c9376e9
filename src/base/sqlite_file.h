/* An SQLite database that lies in memory (a mapped file), opened for reading and nothing else.
 *
 * SQLite reads through a file system of our own that serves these bytes: pages are used where they
 * lie, nothing is created beside the file, and nothing can be written. A database that was left in
 * WAL mode opens like any other, since its header is shown as that of a plain one; the pages of the
 * log beside it count where they belong to ended transactions.
 *
 * The content is not trusted: views, triggers and generated columns are never run, damaged pages
 * end the scan that meets them and nothing else. */
#ifndef MI_BASE_SQLITE_FILE_H
#define MI_BASE_SQLITE_FILE_H

#include "base/bytes.h"
#include "base/error.h"

struct sqlite3;

struct mi_sqlite {
    struct sqlite3 *db;          /* NULL when closed */
    struct mi_sqlite_disk *disk; /* what its file system serves */
    uint32_t log_frames;         /* pages taken from the log */
};

/* Whether the bytes start like a database. */
bool mi_sqlite_is(struct mi_bytes bytes);

/* Whether a database is in WAL mode: a log may lie beside it. */
bool mi_sqlite_has_log(struct mi_bytes bytes);

/* `bytes` and `wal` (may be empty) must outlive the connection. One thread at a time. On failure
 * `sqlite` is closed already. */
bool mi_sqlite_open(struct mi_sqlite *sqlite, struct mi_bytes bytes, struct mi_bytes wal,
                    struct mi_error *err);

/* A page as SQLite sees it, by number from 1: that of the log if it is newer. Empty beyond the end;
 * shorter than the others where the file is cut. */
struct mi_bytes mi_sqlite_page(const struct mi_sqlite *sqlite, uint32_t page);
uint32_t mi_sqlite_page_count(const struct mi_sqlite *sqlite);

/* Also right on a zeroed or closed one. Statements must be finalised. */
void mi_sqlite_close(struct mi_sqlite *sqlite);

#endif
