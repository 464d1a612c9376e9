#include "base/sqlite_wal.h"

enum { HEADER_BYTES = 32, FRAME_BYTES = 24, MAGIC = 0x377f0682, VERSION = 3007000 };

struct sums {
    uint32_t a, b;
    bool is_big_endian;
};

static uint32_t load_big(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void add_up(struct sums *sums, struct mi_bytes bytes)
{
    for (size_t i = 0; i + 8 <= bytes.len; i += 8) {
        const uint8_t *at = bytes.at + i;
        sums->a += (sums->is_big_endian ? load_big(at) : mi_load_u32le(at)) + sums->b;
        sums->b += (sums->is_big_endian ? load_big(at + 4) : mi_load_u32le(at + 4)) + sums->a;
    }
}

static bool sums_agree(const struct sums *sums, const uint8_t *at)
{
    return load_big(at) == sums->a && load_big(at + 4) == sums->b;
}

static bool check_header(struct mi_bytes wal, uint32_t page_bytes, struct sums *sums)
{
    if (wal.len < HEADER_BYTES || (load_big(wal.at) & ~UINT32_C(1)) != MAGIC ||
        load_big(wal.at + 4) != VERSION || load_big(wal.at + 8) != page_bytes)
        return false;
    *sums = (struct sums){.is_big_endian = wal.at[3] & 1};
    add_up(sums, mi_bytes_sub(wal, 0, 24));
    return sums_agree(sums, wal.at + 24);
}

/* Frames are counted from 1; the caller knows that this one is there. */
static const uint8_t *frame_at(const struct mi_sqlite_wal *log, uint32_t number)
{
    return log->bytes.at + HEADER_BYTES + (number - 1) * ((size_t)FRAME_BYTES + log->page_bytes);
}

/* Counts the frames of ended transactions. */
static void find_end(struct mi_sqlite_wal *log, struct sums sums)
{
    size_t room = (log->bytes.len - HEADER_BYTES) / ((size_t)FRAME_BYTES + log->page_bytes);
    for (uint32_t number = 1; number <= room && number < UINT32_MAX; number++) {
        const uint8_t *frame = frame_at(log, number);
        add_up(&sums, (struct mi_bytes){frame, 8});
        add_up(&sums, (struct mi_bytes){frame + FRAME_BYTES, log->page_bytes});
        if (memcmp(frame + 8, log->bytes.at + 16, 8) != 0 || !sums_agree(&sums, frame + 16) ||
            load_big(frame) == 0)
            return;
        if (load_big(frame + 4)) {
            log->page_count = load_big(frame + 4);
            log->frame_count = number;
        }
    }
}

bool mi_sqlite_wal_read(struct mi_sqlite_wal *log, struct mi_bytes wal, uint32_t page_bytes,
                        struct mi_error *err)
{
    struct sums sums;
    *log = (struct mi_sqlite_wal){.bytes = wal, .page_bytes = page_bytes};
    if (!check_header(wal, page_bytes, &sums))
        return true;
    find_end(log, sums);
    for (uint32_t number = 1; number <= log->frame_count; number++) {
        if (mi_map_set(&log->frames, load_big(frame_at(log, number)), number))
            continue;
        mi_sqlite_wal_fini(log);
        return mi_fail(err, MI_ENOMEM, "out of memory for the pages of a write-ahead log");
    }
    return true;
}

void mi_sqlite_wal_fini(struct mi_sqlite_wal *log)
{
    mi_map_fini(&log->frames);
    *log = (struct mi_sqlite_wal){0};
}

struct mi_bytes mi_sqlite_wal_page(const struct mi_sqlite_wal *log, uint32_t page)
{
    uint32_t number = log->frame_count ? mi_map_get(&log->frames, page) : 0;
    if (!number)
        return (struct mi_bytes){0};
    return (struct mi_bytes){frame_at(log, number) + FRAME_BYTES, log->page_bytes};
}
