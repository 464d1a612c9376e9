/* What MSPTI delivers, as records of the file. Texts of its records are interned by the library
 * (they stay where they are), so each is written once and then known by a number.
 *
 * Layouts by the public description of MSPTI; fields are packed, so they are copied out. */
#include "collect/hook/mspti_records.h"

enum {
    BLOCK_BYTES = 64 << 10, /* of records, before they are written */
    NAMES = 8192            /* known by their address; a power of two */
};

/* Bytes of a record that we read, 0 = a kind that is not enabled. */
static const uint8_t sizes[MI_MSPTI_KINDS] = {
    [MI_MSPTI_MARKER] = 52,       [MI_MSPTI_KERNEL] = 52,   [MI_MSPTI_API] = 44,
    [MI_MSPTI_HCCL] = 52,         [MI_MSPTI_MEMSET] = 49,   [MI_MSPTI_MEMCPY] = 49,
    [MI_MSPTI_ACL_API] = 44,      [MI_MSPTI_NODE_API] = 44, [MI_MSPTI_RUNTIME_API] = 44,
    [MI_MSPTI_COMMUNICATION] = 72};

/* --- records of the file, a block at a time --- */

static struct mi_ring *ring;
static struct {
    _Alignas(8) uint8_t bytes[BLOCK_BYTES];
    size_t len;
    uint32_t records;
    uint32_t dropped; /* what its records tell of as lost or left out */
} block;
static struct {
    const char *text;
    uint32_t number;
} names[NAMES];
static uint32_t name_count;

void mi_mspti_records_to(struct mi_ring *to)
{
    if (ring == to)
        return;
    ring = to;
    block.len = 0; /* another file, which knows no name yet */
    block.records = block.dropped = 0;
    memset(names, 0, sizeof names);
    name_count = 0;
}

void mi_mspti_write_block(void)
{
    if (block.records)
        mi_hook_write_block(ring, block.bytes, block.len, block.records, block.dropped);
    block.len = 0;
    block.records = block.dropped = 0;
}

static void put(struct mi_rec rec, const char *text)
{
    size_t len = text ? strnlen(text, MI_REC_TEXT_MAX) : 0, padded = (len + 7) & ~(size_t)7;
    rec.bytes = (uint16_t)(sizeof rec + padded);
    if (rec.bytes > BLOCK_BYTES - block.len)
        mi_mspti_write_block();
    memcpy(block.bytes + block.len, &rec, sizeof rec);
    memset(block.bytes + block.len + sizeof rec, 0, padded);
    if (len)
        memcpy(block.bytes + block.len + sizeof rec, text, len);
    block.len += rec.bytes;
    block.records++;
}

/* The number of a text; it is written when first met, and again where another one took its place.
 */
static uint32_t number_of(uint64_t address)
{
    const char *text = (const char *)(uintptr_t)address;
    if (!text)
        return 0;
    size_t place = (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (NAMES - 1);
    if (names[place].text != text) {
        names[place].text = text;
        names[place].number = ++name_count;
        put((struct mi_rec){.type = MI_REC_mspti_name, .object = name_count, .device = -1}, text);
    }
    return names[place].number;
}

void mi_mspti_put_lost(enum mi_rec_lost why, uint64_t many, uint32_t records)
{
    put((struct mi_rec){.type = MI_REC_mspti_lost,
                        .code = (int32_t)why,
                        .start_ns = mi_hook_time(CLOCK_REALTIME),
                        .size = many,
                        .task = MI_REC_NO_TASK,
                        .device = -1},
        NULL);
    block.dropped += records;
}

/* --- one record of the library --- */

static uint32_t u32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint64_t pair(uint64_t first, uint64_t second)
{
    uint64_t number = number_of(second); /* both before the record that refers to them */
    return number_of(first) | number << 32;
}

static void set_times(struct mi_rec *rec, uint64_t start_ns, uint64_t end_ns)
{
    rec->start_ns = start_ns;
    rec->dur_ns = end_ns > start_ns ? end_ns - start_ns : 0;
}

static void convert_host(const uint8_t *at, enum mi_mspti_kind kind, struct mi_rec *rec)
{
    if (kind == MI_MSPTI_MARKER) {
        bool is_device = u32(at + 8) == 1;
        rec->type = MI_REC_mspti_marker;
        rec->code = (int32_t)u32(at + 4);
        rec->object = u64(at + 20);
        rec->stream = u32(at + 32);
        rec->device = is_device ? (int32_t)u32(at + 28) : -1;
        rec->task = is_device ? MI_REC_NO_TASK : u32(at + 28);
        set_times(rec, u64(at + 12), 0);
        rec->size = pair(u64(at + 36), u64(at + 44));
        return;
    }
    rec->type = kind == MI_MSPTI_API        ? MI_REC_mspti_aclnn
                : kind == MI_MSPTI_ACL_API  ? MI_REC_mspti_acl
                : kind == MI_MSPTI_NODE_API ? MI_REC_mspti_node
                                            : MI_REC_mspti_runtime;
    rec->task = u32(at + 20);
    rec->stream = u32(at + 24);
    rec->object = u64(at + 28);
    rec->device = -1;
    set_times(rec, u64(at + 4), u64(at + 12));
    rec->size = number_of(u64(at + 36));
}

static void convert_device(const uint8_t *at, enum mi_mspti_kind kind, struct mi_rec *rec)
{
    if (kind == MI_MSPTI_COMMUNICATION) {
        rec->type = MI_REC_mspti_communication;
        rec->code = (int32_t)u32(at + 4);
        rec->device = (int32_t)u32(at + 16);
        rec->stream = u32(at + 20);
        rec->object = u64(at + 64);
        set_times(rec, u64(at + 24), u64(at + 32));
        rec->size = pair(u64(at + 48), u64(at + 56));
        return;
    }
    rec->type = kind == MI_MSPTI_KERNEL ? MI_REC_mspti_kernel : MI_REC_mspti_hccl;
    rec->device = (int32_t)u32(at + 20);
    rec->stream = u32(at + 24);
    rec->object = kind == MI_MSPTI_KERNEL ? u64(at + 28) : 0;
    set_times(rec, u64(at + 4), u64(at + 12));
    /* kernel: its type, then its name; collective: its name, then its group */
    rec->size = kind == MI_MSPTI_KERNEL ? pair(u64(at + 44), u64(at + 36))
                                        : pair(u64(at + 36), u64(at + 44));
}

static void convert_copy(const uint8_t *at, enum mi_mspti_kind kind, struct mi_rec *rec)
{
    unsigned copy_kind = kind == MI_MSPTI_MEMCPY ? u32(at + 4) & 0xff : MI_REC_COPY_SET;
    rec->type = kind == MI_MSPTI_MEMCPY ? MI_REC_mspti_memcpy : MI_REC_mspti_memset;
    rec->size = MI_REC_COPY_BYTES(u64(at + 8)) | (uint64_t)copy_kind << 56;
    rec->device = (int32_t)u32(at + 32);
    rec->stream = u32(at + 36);
    rec->object = u64(at + 40);
    set_times(rec, u64(at + 16), u64(at + 24));
}

static void convert(const uint8_t *at, enum mi_mspti_kind kind)
{
    struct mi_rec rec = {.task = MI_REC_NO_TASK};
    if (kind == MI_MSPTI_KERNEL || kind == MI_MSPTI_HCCL || kind == MI_MSPTI_COMMUNICATION)
        convert_device(at, kind, &rec);
    else if (kind == MI_MSPTI_MEMCPY || kind == MI_MSPTI_MEMSET)
        convert_copy(at, kind, &rec);
    else
        convert_host(at, kind, &rec);
    put(rec, NULL);
}

/* What the library says is trusted no further than the buffer reaches. It is asked until it says no
 * more, since it counts for itself where it is in a buffer. */
void mi_mspti_convert(uint8_t *data, size_t bytes, mi_mspti_next_fn *next)
{
    uint32_t unknown = 0;
    size_t done = 0, cut = 0; /* bytes */
    void *record = NULL;
    int code = MI_MSPTI_SUCCESS;
    for (size_t i = 0; i <= bytes / 8 && (code = next(data, bytes, &record)) == MI_MSPTI_SUCCESS;
         i++) {
        size_t at = (size_t)((uintptr_t)record - (uintptr_t)data), room = bytes - at;
        if (cut || at < done || at >= bytes || room < 4) {
            cut = cut ? cut : bytes - done;
            continue;
        }
        uint32_t kind = u32(data + at);
        size_t size = kind < MI_MSPTI_KINDS && sizes[kind] ? sizes[kind] : 4;
        if (size > room)
            cut = room;
        else if (size == 4)
            unknown++;
        else
            convert(data + at, (enum mi_mspti_kind)kind);
        done = at + size;
    }
    if (code != MI_MSPTI_END_OF_BUFFER && !cut)
        cut = bytes - done;
    mi_ring_count(ring, unknown + (cut > 0));
    if (unknown)
        mi_mspti_put_lost(MI_REC_LOST_UNKNOWN, unknown, unknown);
    if (cut)
        mi_mspti_put_lost(MI_REC_LOST_CUT, cut, 1);
}
