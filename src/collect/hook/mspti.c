/* MSPTI, the profiler that delivers what ran while it runs: libmspti.so of CANN 8.1 and later.
 *
 *   subscribe, register the two callbacks, enable kinds       as early as can be
 *   request: a buffer of ours, or none where all are in use   on any thread of the library
 *   complete: records of a buffer become records of the file  on a thread of the library
 *   each second, and to collect or stop: flush
 *
 * Nothing of a buffer is kept: memory is what BUFFERS take, whatever the program does. What could
 * not be kept is counted and told of in the file. Texts of records are interned by the library
 * (they stay where they are), so each is written once and then known by a number.
 *
 * Layouts by the public description of MSPTI; fields are packed, so they are copied out. */
#include "collect/hook/mspti.h"

#include "collect/hook/hook.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

enum {
    BUFFERS = 16,
    BUFFER_BYTES = 2 << 20, /* the least that the library wants */
    BLOCK_BYTES = 64 << 10, /* of records, before they are written */
    NAMES = 8192,           /* known by their address; a power of two */
    SUCCESS = 0,
    END_OF_BUFFER = 3 /* msptiResult */
};

enum kind {
    MARKER = 1,
    KERNEL = 2,
    API = 3,
    HCCL = 4,
    MEMSET = 6,
    MEMCPY = 7,
    COMMUNICATION = 9,
    ACL_API = 10,
    NODE_API = 11,
    RUNTIME_API = 12,
    KINDS = 13
};

/* Bytes of a record that we read, 0 = a kind that is not enabled. */
static const uint8_t sizes[KINDS] = {
    [MARKER] = 52, [KERNEL] = 52,  [API] = 44,      [HCCL] = 52,        [MEMSET] = 49,
    [MEMCPY] = 49, [ACL_API] = 44, [NODE_API] = 44, [RUNTIME_API] = 44, [COMMUNICATION] = 72};

typedef int subscribe_fn(void **, void (*)(void *, int, uint32_t, const void *), void *);
typedef int unsubscribe_fn(void *);
typedef int register_fn(void (*)(uint8_t **, size_t *, size_t *),
                        void (*)(uint8_t *, size_t, size_t));
typedef int kind_fn(int);
typedef int next_fn(uint8_t *, size_t, void **);
typedef int flush_fn(uint32_t);

static struct {
    subscribe_fn *subscribe;
    unsubscribe_fn *unsubscribe;
    register_fn *register_callbacks;
    kind_fn *enable, *disable;
    next_fn *next;
    flush_fn *flush;
    void *subscriber;
} lib;

static bool is_enabled[KINDS];

/* --- the library --- */

static bool take(void *handle, const char *name, void *function)
{
    void *at = dlsym(handle, name);
    memcpy(function, &at, sizeof at);
    return at != NULL;
}

bool mi_mspti_is_there(void)
{
    static void *handle;
    if (handle)
        return lib.flush != NULL;
    handle = dlopen("libmspti.so", RTLD_LAZY | RTLD_LOCAL);
    return handle && take(handle, "msptiSubscribe", &lib.subscribe) &&
           take(handle, "msptiUnsubscribe", &lib.unsubscribe) &&
           take(handle, "msptiActivityRegisterCallbacks", &lib.register_callbacks) &&
           take(handle, "msptiActivityEnable", &lib.enable) &&
           take(handle, "msptiActivityDisable", &lib.disable) &&
           take(handle, "msptiActivityGetNextRecord", &lib.next) &&
           take(handle, "msptiActivityFlushAll", &lib.flush);
}

/* --- buffers --- */

static struct buffer {
    _Atomic bool is_used;
    uint8_t *_Atomic data;
} buffers[BUFFERS];
static _Atomic uint64_t refused; /* requests that found none; taken by complete() */

static void request(uint8_t **data, size_t *bytes, size_t *most_records)
{
    *data = NULL;
    *bytes = *most_records = 0; /* as many records as there is room for */
    for (int i = 0; i < BUFFERS; i++) {
        bool is_free = false;
        if (!atomic_compare_exchange_strong(&buffers[i].is_used, &is_free, true))
            continue;
        if (!buffers[i].data) {
            void *at = mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            buffers[i].data = at == MAP_FAILED ? NULL : at;
        }
        if (buffers[i].data) {
            *data = buffers[i].data;
            *bytes = BUFFER_BYTES;
            return;
        }
        atomic_store(&buffers[i].is_used, false);
        break;
    }
    atomic_fetch_add(&refused, 1);
}

static void give_back(const uint8_t *data)
{
    for (int i = 0; i < BUFFERS; i++)
        if (data && buffers[i].data == data)
            atomic_store(&buffers[i].is_used, false);
}

/* --- records of the file, a block at a time; all under `converting` --- */

static pthread_mutex_t converting = PTHREAD_MUTEX_INITIALIZER;
static struct mi_ring *ring; /* counts the records; its memory stays empty */
static struct {
    _Alignas(8) uint8_t bytes[BLOCK_BYTES];
    size_t len;
    uint32_t records;
} block;
static struct {
    const char *text;
    uint32_t number;
} names[NAMES];
static uint32_t name_count;

static void write_block(void)
{
    if (block.records)
        mi_hook_write_block(ring, block.bytes, block.len, block.records);
    block.len = 0;
    block.records = 0;
}

static void put(struct mi_rec rec, const char *text)
{
    size_t len = text ? strnlen(text, MI_REC_TEXT_MAX) : 0, padded = (len + 7) & ~(size_t)7;
    rec.bytes = (uint16_t)(sizeof rec + padded);
    if (rec.bytes > BLOCK_BYTES - block.len)
        write_block();
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

static void put_lost(enum mi_rec_lost why, uint64_t many)
{
    if (many)
        put((struct mi_rec){.type = MI_REC_mspti_lost,
                            .code = (int32_t)why,
                            .start_ns = mi_hook_time(CLOCK_REALTIME),
                            .size = many,
                            .task = MI_REC_NO_TASK,
                            .device = -1},
            NULL);
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

static void convert_host(const uint8_t *at, enum kind kind, struct mi_rec *rec)
{
    if (kind == MARKER) {
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
    rec->type = kind == API        ? MI_REC_mspti_aclnn
                : kind == ACL_API  ? MI_REC_mspti_acl
                : kind == NODE_API ? MI_REC_mspti_node
                                   : MI_REC_mspti_runtime;
    rec->task = u32(at + 20);
    rec->stream = u32(at + 24);
    rec->object = u64(at + 28);
    rec->device = -1;
    set_times(rec, u64(at + 4), u64(at + 12));
    rec->size = number_of(u64(at + 36));
}

static void convert_device(const uint8_t *at, enum kind kind, struct mi_rec *rec)
{
    if (kind == COMMUNICATION) {
        rec->type = MI_REC_mspti_communication;
        rec->code = (int32_t)u32(at + 4);
        rec->device = (int32_t)u32(at + 16);
        rec->stream = u32(at + 20);
        rec->object = u64(at + 64);
        set_times(rec, u64(at + 24), u64(at + 32));
        rec->size = pair(u64(at + 48), u64(at + 56));
        return;
    }
    rec->type = kind == KERNEL ? MI_REC_mspti_kernel : MI_REC_mspti_hccl;
    rec->device = (int32_t)u32(at + 20);
    rec->stream = u32(at + 24);
    rec->object = kind == KERNEL ? u64(at + 28) : 0;
    set_times(rec, u64(at + 4), u64(at + 12));
    /* kernel: its type, then its name; collective: its name, then its group */
    rec->size =
        kind == KERNEL ? pair(u64(at + 44), u64(at + 36)) : pair(u64(at + 36), u64(at + 44));
}

static void convert_copy(const uint8_t *at, enum kind kind, struct mi_rec *rec)
{
    unsigned copy_kind = kind == MEMCPY ? u32(at + 4) & 0xff : MI_REC_COPY_SET;
    rec->type = kind == MEMCPY ? MI_REC_mspti_memcpy : MI_REC_mspti_memset;
    rec->size = MI_REC_COPY_BYTES(u64(at + 8)) | (uint64_t)copy_kind << 56;
    rec->device = (int32_t)u32(at + 32);
    rec->stream = u32(at + 36);
    rec->object = u64(at + 40);
    set_times(rec, u64(at + 16), u64(at + 24));
}

static void convert(const uint8_t *at, enum kind kind)
{
    struct mi_rec rec = {.task = MI_REC_NO_TASK};
    if (kind == KERNEL || kind == HCCL || kind == COMMUNICATION)
        convert_device(at, kind, &rec);
    else if (kind == MEMCPY || kind == MEMSET)
        convert_copy(at, kind, &rec);
    else
        convert_host(at, kind, &rec);
    put(rec, NULL);
}

/* What the library says is trusted no further than the buffer reaches. It is asked until it says no
 * more, since it counts for itself where it is in a buffer. */
static void convert_all(uint8_t *data, size_t bytes)
{
    uint64_t unknown = 0;
    size_t done = 0, cut = 0; /* bytes */
    void *record = NULL;
    int code = SUCCESS;
    for (size_t i = 0; i <= bytes / 8 && (code = lib.next(data, bytes, &record)) == SUCCESS; i++) {
        size_t at = (size_t)((uintptr_t)record - (uintptr_t)data), room = bytes - at;
        if (cut || at < done || at >= bytes || room < 4) {
            cut = cut ? cut : bytes - done;
            continue;
        }
        uint32_t kind = u32(data + at);
        size_t size = kind < KINDS && sizes[kind] ? sizes[kind] : 4;
        if (size > room)
            cut = room;
        else if (size == 4)
            unknown++;
        else
            convert(data + at, (enum kind)kind);
        done = at + size;
    }
    if (code != END_OF_BUFFER && !cut)
        cut = bytes - done;
    put_lost(MI_REC_LOST_UNKNOWN, unknown);
    put_lost(MI_REC_LOST_CUT, cut);
}

static void complete(uint8_t *data, size_t bytes, size_t valid)
{
    pthread_mutex_lock(&converting);
    if (ring) {
        put_lost(MI_REC_LOST_NO_BUFFER, atomic_exchange(&refused, 0));
        if (data && valid <= bytes && bytes == BUFFER_BYTES)
            convert_all(data, valid);
        write_block();
    }
    give_back(data);
    pthread_mutex_unlock(&converting);
}

/* --- beginning and end --- */

static void say(const char *what, int code)
{
    char text[128];
    snprintf(text, sizeof text, "MSPTI: %s gave %d", what, code);
    mi_hook_remark(MI_REC_note, text);
}

static void enable_kinds(void)
{
    static const uint8_t wanted[] = {KERNEL, API,    ACL_API, NODE_API,      RUNTIME_API,
                                     MEMCPY, MEMSET, MARKER,  COMMUNICATION, HCCL};
    for (size_t i = 0; i < sizeof wanted; i++) /* HCCL is the older form of COMMUNICATION */
        is_enabled[wanted[i]] =
            !(wanted[i] == HCCL && is_enabled[COMMUNICATION]) && lib.enable(wanted[i]) == SUCCESS;
}

static void disable_kinds(void)
{
    for (int kind = 0; kind < KINDS; kind++)
        if (is_enabled[kind])
            lib.disable(kind);
}

/* One is wanted; none of its events are. */
static void hear(void *user, int domain, uint32_t id, const void *data)
{
    (void)user, (void)domain, (void)id, (void)data;
}

int mi_mspti_start(void)
{
    int code = lib.subscribe(&lib.subscriber, hear, NULL);
    if (code)
        return code;
    ring = ring ? ring : mi_ring_take(MI_REC_SLOT_MSPTI);
    code = ring ? lib.register_callbacks(request, complete) : -1;
    if (code == SUCCESS) {
        enable_kinds();
        if (is_enabled[KERNEL])
            return SUCCESS;
        code = -1;
        disable_kinds();
    }
    say("starting", code);
    lib.unsubscribe(lib.subscriber);
    return code;
}

void mi_mspti_flush(void)
{
    lib.flush(1);
}

void mi_mspti_stop(bool for_good)
{
    disable_kinds(); /* has the library fetch what is still on the device */
    lib.flush(1);
    if (for_good)
        lib.unsubscribe(lib.subscriber);
    else
        enable_kinds();
    complete(NULL, 0, 0); /* what was refused meanwhile is told */
}

void mi_mspti_forget(void)
{
    pthread_mutex_init(&converting, NULL);
    ring = NULL;
}
