#include "base/sqlite_file.h"

#include "base/mem.h"
#include "base/sqlite_wal.h"

#include <sqlite3.h>
#include <stdio.h>

enum {
    HEADER_BYTES = 100,
    MODE_AT = 18,      /* two bytes of the header: 1 = rollback journal, 2 = WAL */
    BEHIND_PAGE = 256, /* SQLite may look this far beyond a page that is damaged */
    NAME_BYTES = 40,
    MAX_VALUE_BYTES = 64 << 20,
};

struct mi_sqlite_disk {
    struct sqlite3_vfs vfs;
    char name[NAME_BYTES]; /* unique: the address of this */
    struct mi_bytes bytes;
    struct mi_sqlite_wal log;
    uint32_t page_bytes;
};

/* What SQLite allocates for an open file; begins with its own head. */
struct open_file {
    struct sqlite3_file head;
    struct mi_sqlite_disk *disk;
};

bool mi_sqlite_is(struct mi_bytes bytes)
{
    return bytes.len >= HEADER_BYTES && mi_bytes_starts(bytes, MI_LIT("SQLite format 3\0"));
}

bool mi_sqlite_has_log(struct mi_bytes bytes)
{
    return mi_sqlite_is(bytes) && bytes.at[MODE_AT] == 2;
}

/* --- what an open file can do --- */

static int64_t size_of(const struct mi_sqlite_disk *disk)
{
    if (disk->log.page_count)
        return (int64_t)disk->log.page_count * disk->page_bytes;
    return (int64_t)disk->bytes.len;
}

/* The bytes from `offset` to the end of its page, wherever they are newest. */
static struct mi_bytes piece_at(const struct mi_sqlite_disk *disk, uint64_t offset)
{
    uint64_t page = offset / disk->page_bytes, within = offset % disk->page_bytes;
    struct mi_bytes piece = {0};
    if (page < UINT32_MAX)
        piece = mi_sqlite_wal_page(&disk->log, (uint32_t)page + 1);
    if (!piece.len)
        piece = mi_bytes_sub(disk->bytes, (size_t)(page * disk->page_bytes), disk->page_bytes);
    return mi_bytes_sub(piece, (size_t)within, disk->page_bytes);
}

/* A database in WAL mode would want a log of its own beside it. */
static void hide_log_mode(uint8_t *out, uint64_t offset, size_t len)
{
    for (uint64_t at = MODE_AT; at < MODE_AT + 2; at++)
        if (at >= offset && at < offset + len && out[at - offset] == 2)
            out[at - offset] = 1;
}

static int read_file(struct sqlite3_file *file, void *into, int amount, sqlite3_int64 from)
{
    const struct mi_sqlite_disk *disk = ((struct open_file *)file)->disk;
    uint8_t *out = into;
    uint64_t offset = (uint64_t)from;
    size_t done = 0, want = (size_t)amount;
    while (done < want) {
        struct mi_bytes piece = mi_bytes_sub(piece_at(disk, offset + done), 0, want - done);
        if (!piece.len)
            break;
        memcpy(out + done, piece.at, piece.len);
        done += piece.len;
    }
    hide_log_mode(out, offset, done);
    memset(out + done, 0, want - done);
    return done < want ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

/* The first page is handed out by reading alone, since its mode is changed on the way. */
static int fetch(struct sqlite3_file *file, sqlite3_int64 from, int amount, void **page)
{
    const struct mi_sqlite_disk *disk = ((struct open_file *)file)->disk;
    *page = NULL;
    if (from < disk->page_bytes || from % disk->page_bytes || (uint32_t)amount != disk->page_bytes)
        return SQLITE_OK;
    struct mi_bytes piece = piece_at(disk, (uint64_t)from);
    struct mi_bytes whole = disk->bytes;
    if (piece.len != disk->page_bytes)
        return SQLITE_OK;
    if (piece.at < whole.at || piece.at >= whole.at + whole.len)
        whole = disk->log.bytes;
    if ((size_t)(whole.at + whole.len - piece.at) >= piece.len + BEHIND_PAGE)
        *page = (void *)(uintptr_t)piece.at; /* read-only: SQLite was told so */
    return SQLITE_OK;
}

static int unfetch(struct sqlite3_file *file, sqlite3_int64 from, void *page)
{
    (void)file, (void)from, (void)page;
    return SQLITE_OK;
}

static int file_size(struct sqlite3_file *file, sqlite3_int64 *size)
{
    *size = size_of(((struct open_file *)file)->disk);
    return SQLITE_OK;
}

static int close_file(struct sqlite3_file *file)
{
    (void)file;
    return SQLITE_OK;
}

static int refuse_write(struct sqlite3_file *file, const void *from, int amount, sqlite3_int64 at)
{
    (void)file, (void)from, (void)amount, (void)at;
    return SQLITE_READONLY;
}

static int refuse_truncate(struct sqlite3_file *file, sqlite3_int64 size)
{
    (void)file, (void)size;
    return SQLITE_READONLY;
}

static int no_sync(struct sqlite3_file *file, int flags)
{
    (void)file, (void)flags;
    return SQLITE_OK;
}

static int no_lock(struct sqlite3_file *file, int level)
{
    (void)file, (void)level;
    return SQLITE_OK;
}

static int nobody_locks(struct sqlite3_file *file, int *result)
{
    (void)file;
    *result = 0;
    return SQLITE_OK;
}

static int no_control(struct sqlite3_file *file, int op, void *argument)
{
    (void)file, (void)op, (void)argument;
    return SQLITE_NOTFOUND;
}

static int sector_size(struct sqlite3_file *file)
{
    (void)file;
    return 4096;
}

static int characteristics(struct sqlite3_file *file)
{
    (void)file;
    return SQLITE_IOCAP_IMMUTABLE;
}

static const struct sqlite3_io_methods methods = {
    .iVersion = 3,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = refuse_write,
    .xTruncate = refuse_truncate,
    .xSync = no_sync,
    .xFileSize = file_size,
    .xLock = no_lock,
    .xUnlock = no_lock,
    .xCheckReservedLock = nobody_locks,
    .xFileControl = no_control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xFetch = fetch,
    .xUnfetch = unfetch,
};

/* --- the file system: one file, no name, no clock --- */

static int open_file(struct sqlite3_vfs *vfs, const char *name, struct sqlite3_file *file,
                     int flags, int *flags_out)
{
    file->pMethods = NULL;
    if (!name || !(flags & SQLITE_OPEN_MAIN_DB))
        return SQLITE_CANTOPEN;
    ((struct open_file *)file)->disk = vfs->pAppData;
    file->pMethods = &methods;
    if (flags_out)
        *flags_out = SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB;
    return SQLITE_OK;
}

static int refuse_delete(struct sqlite3_vfs *vfs, const char *name, int sync)
{
    (void)vfs, (void)name, (void)sync;
    return SQLITE_READONLY;
}

static int nothing_there(struct sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
    (void)vfs, (void)name, (void)flags;
    *result = 0;
    return SQLITE_OK;
}

static int full_name(struct sqlite3_vfs *vfs, const char *name, int room, char *out)
{
    (void)vfs;
    snprintf(out, (size_t)room, "%s", name);
    return SQLITE_OK;
}

static int no_randomness(struct sqlite3_vfs *vfs, int amount, char *out)
{
    (void)vfs;
    memset(out, 0, (size_t)amount);
    return amount;
}

static int no_sleep(struct sqlite3_vfs *vfs, int microseconds)
{
    (void)vfs;
    return microseconds;
}

static int no_time(struct sqlite3_vfs *vfs, double *days)
{
    (void)vfs;
    *days = 2440587.5; /* 1970 */
    return SQLITE_OK;
}

static int no_error(struct sqlite3_vfs *vfs, int room, char *out)
{
    (void)vfs, (void)room, (void)out;
    return 0;
}

static void describe(struct mi_sqlite_disk *disk)
{
    snprintf(disk->name, sizeof disk->name, "model-inspector-%p", (void *)disk);
    disk->vfs = (struct sqlite3_vfs){.iVersion = 1,
                                     .szOsFile = sizeof(struct open_file),
                                     .mxPathname = 64,
                                     .zName = disk->name,
                                     .pAppData = disk,
                                     .xOpen = open_file,
                                     .xDelete = refuse_delete,
                                     .xAccess = nothing_there,
                                     .xFullPathname = full_name,
                                     .xRandomness = no_randomness,
                                     .xSleep = no_sleep,
                                     .xCurrentTime = no_time,
                                     .xGetLastError = no_error};
}

/* --- opening --- */

/* What a file may ask for; ours are far below. */
static void set_limits(struct sqlite3 *db)
{
    static const int limits[][2] = {{SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES},
                                    {SQLITE_LIMIT_SQL_LENGTH, 1 << 16},
                                    {SQLITE_LIMIT_COLUMN, 256},
                                    {SQLITE_LIMIT_EXPR_DEPTH, 64},
                                    {SQLITE_LIMIT_COMPOUND_SELECT, 2},
                                    {SQLITE_LIMIT_VDBE_OP, 20000},
                                    {SQLITE_LIMIT_FUNCTION_ARG, 8},
                                    {SQLITE_LIMIT_ATTACHED, 0},
                                    {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 64},
                                    {SQLITE_LIMIT_VARIABLE_NUMBER, 16},
                                    {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                    {SQLITE_LIMIT_WORKER_THREADS, 0}};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db, limits[i][0], limits[i][1]);
}

/* A broken entry of the schema must not hide the tables that are whole. SQLite allows that only
 * where the schema might be repaired (writable_schema); a write would fail all the same. */
static bool configure(struct sqlite3 *db)
{
    set_limits(db);
    return sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) == SQLITE_OK &&
           sqlite3_exec(db,
                        "PRAGMA writable_schema=ON;PRAGMA cell_size_check=ON;"
                        "PRAGMA query_only=ON;PRAGMA temp_store=MEMORY;"
                        "PRAGMA mmap_size=9000000000000000000",
                        NULL, NULL, NULL) == SQLITE_OK;
}

static uint32_t page_size_of(struct mi_bytes bytes)
{
    uint32_t size = (uint32_t)bytes.at[16] << 8 | bytes.at[17];
    if (size == 1)
        return 65536;
    return size >= 512 && (size & (size - 1)) == 0 ? size : 4096;
}

bool mi_sqlite_open(struct mi_sqlite *sqlite, struct mi_bytes bytes, struct mi_bytes wal,
                    struct mi_error *err)
{
    *sqlite = (struct mi_sqlite){0};
    if (!mi_sqlite_is(bytes))
        return mi_fail_at(err, MI_EFORMAT, 0, 0, "this is no SQLite database");
    struct mi_sqlite_disk *disk = mi_mem_zero(1, sizeof *disk);
    if (!disk)
        return mi_fail(err, MI_ENOMEM, "out of memory for a database");
    disk->bytes = bytes;
    disk->page_bytes = page_size_of(bytes);
    describe(disk);
    if (!mi_sqlite_wal_read(&disk->log, wal, disk->page_bytes, err)) {
        mi_mem_free(disk);
        return false;
    }
    sqlite->disk = disk;
    sqlite->log_frames = disk->log.frame_count;
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    if (sqlite3_vfs_register(&disk->vfs, 0) == SQLITE_OK &&
        sqlite3_open_v2("database", &sqlite->db, flags, disk->name) == SQLITE_OK &&
        configure(sqlite->db))
        return true;
    const char *why = sqlite->db ? sqlite3_errmsg(sqlite->db) : "out of memory";
    mi_fail_at(err, MI_EFORMAT, 0, 0, "SQLite cannot open this database: %s", why);
    mi_sqlite_close(sqlite);
    return false;
}

struct mi_bytes mi_sqlite_page(const struct mi_sqlite *sqlite, uint32_t page)
{
    const struct mi_sqlite_disk *disk = sqlite->disk;
    return page ? piece_at(disk, (uint64_t)(page - 1) * disk->page_bytes) : (struct mi_bytes){0};
}

uint32_t mi_sqlite_page_count(const struct mi_sqlite *sqlite)
{
    int64_t size = size_of(sqlite->disk), page_bytes = sqlite->disk->page_bytes;
    int64_t count = (size + page_bytes - 1) / page_bytes;
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX - 1;
}

void mi_sqlite_close(struct mi_sqlite *sqlite)
{
    if (sqlite->db)
        sqlite3_close(sqlite->db);
    if (sqlite->disk) {
        sqlite3_vfs_unregister(&sqlite->disk->vfs);
        mi_sqlite_wal_fini(&sqlite->disk->log);
        mi_mem_free(sqlite->disk);
    }
    *sqlite = (struct mi_sqlite){0};
}
