/* The file that libmi_hook.so leaves for every process it runs in: hook-<pid>-<n>.mirec.
 *
 * Written inside somebody else's process, so this header needs libc alone. All numbers are
 * little-endian.
 *
 *   OFFSET  SIZE  MEANING
 *        0    64  struct mi_rec_file
 *       64  4032  252 x struct mi_rec_slot: how many records each ring was given; mapped, so
 *                   that it is right even where the process was killed
 *     4096     -  chunks: struct mi_rec_chunk, then `bytes` of records of one thread
 *
 * Chunks are appended whole and carry a checksum: whatever ends the process, every chunk in front
 * of the end is good. Within a chunk records follow each other without gaps; `bytes` of each leads
 * to the next, so that readers step over types they do not know and fields that were added behind.
 * Times are CLOCK_MONOTONIC; each chunk brings a pair of readings that ties it to the time since
 * 1970. */
#ifndef MI_CAPTURE_RECORD_H
#define MI_CAPTURE_RECORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MI_REC_MAGIC       "MIHOOK\r\n"
#define MI_REC_CHUNK_MAGIC "MICHUNK\n"
#define MI_REC_SUFFIX      ".mirec"

enum {
    MI_REC_VERSION = 1,
    MI_REC_HEAD_BYTES = 4096,
    MI_REC_SLOTS = 252,
    MI_REC_CHUNK_BYTES = 64,    /* of its header */
    MI_REC_CHUNK_MAX = 1 << 20, /* of its records */
    MI_REC_TEXT_MAX = 4096      /* longer names and paths are cut */
};

enum mi_rec_state {
    MI_REC_RUNNING,   /* or killed */
    MI_REC_ENDED,     /* everything was written */
    MI_REC_BROKEN_OFF /* the file could not be written any further: `error` says why */
};

struct mi_rec_file {
    uint8_t magic[8];
    uint16_t version, head_bytes;
    uint32_t process;
    uint32_t state;            /* enum mi_rec_state */
    int32_t error;             /* errno that ended the file; 0 = none */
    uint64_t mono_ns, real_ns; /* one moment on both clocks */
    uint64_t refused;          /* records of threads that no ring was left for */
    uint32_t parent;           /* process that it was forked from, with the hook in it; 0 = none */
    uint32_t reserved[3];
};

enum mi_rec_slot_kind {
    MI_REC_SLOT_THREAD, /* calls of a thread */
    MI_REC_SLOT_MSPTI   /* what MSPTI delivered */
};

struct mi_rec_slot {
    uint32_t thread, kind; /* enum mi_rec_slot_kind */
    uint64_t issued;       /* records that this ring was given, those dropped included; for MSPTI
                            * also requests that found no buffer, ends that are cut, and records
                            * of unknown kinds */
};

struct mi_rec_chunk {
    uint8_t magic[8];
    uint16_t version, head_bytes;
    uint32_t bytes; /* of the records behind this header */
    uint32_t records;
    uint32_t ring, thread;
    uint32_t dropped; /* records that found the ring full, since its chunk before; of MSPTI, those
                       * that its mspti_lost tell of */
    uint64_t mono_ns, real_ns;
    uint64_t reserved;
    uint64_t checksum; /* mi_rec_sum() of this header up to here and of the records */
};

/* One call, or one thing that the hook found out. What a field means for a call stands in
 * calls.def. */
struct mi_rec {
    uint16_t bytes; /* of this record with its text, a multiple of 8 */
    uint16_t type;  /* a number of calls.def */
    int32_t code;   /* what the call returned */
    uint64_t start_ns, dur_ns;
    uint64_t stream; /* handle; 0 = the default stream, or none */
    uint64_t object; /* handle of an event or function, number of a model, destination of a copy */
    uint64_t size;   /* bytes copied, cores asked for, ... */
    uint32_t task;   /* id that the runtime gave the task; MI_REC_NO_TASK, MI_REC_IN_GRAPH */
    int32_t device;  /* current device of the thread; -1 unknown */
    /* text, padded with zeros: path, kernel, operator type */
};

#define MI_REC_NO_TASK  UINT32_MAX
#define MI_REC_IN_GRAPH (UINT32_MAX - 1) /* nothing ran: it was put into a captured graph */

/* `size` of a copy: its kind in the upper 8 bits (aclrtMemcpyKind), its bytes in the others. */
#define MI_REC_COPY_BYTES(size) ((size) & ((UINT64_C(1) << 56) - 1))
#define MI_REC_COPY_KIND(size)  ((unsigned)((size) >> 56))
enum { MI_REC_COPY_SET = 0xff /* it is filled, not copied */ };

/* `size` of a collective is packed likewise: its elements, 0 = not stated, and HcclDataType. */
enum { MI_REC_NO_TYPE = 0xff };

/* `size` of a model of a bundle. */
#define MI_REC_BUNDLE(size)       ((uint32_t)(size))
#define MI_REC_BUNDLE_PLACE(size) ((uint32_t)((size) >> 32))

_Static_assert(sizeof(struct mi_rec_file) == 64, "the layout is a format");
_Static_assert(sizeof(struct mi_rec_slot) == 16, "the layout is a format");
_Static_assert(sizeof(struct mi_rec_chunk) == MI_REC_CHUNK_BYTES, "the layout is a format");
_Static_assert(sizeof(struct mi_rec) == 56, "the layout is a format");
_Static_assert(sizeof(struct mi_rec_file) + MI_REC_SLOTS * sizeof(struct mi_rec_slot) ==
                   MI_REC_HEAD_BYTES,
               "the layout is a format");

enum mi_rec_type {
#define MI_HOOK_CALL(number, name, role) MI_REC_##name = number,
#include "capture/calls.def"
#undef MI_HOOK_CALL
};

/* What a call is for; the reader treats all calls of one role alike. */
enum mi_rec_role {
    MI_REC_ROLE_OTHER,
    MI_REC_ROLE_SEEN,
    MI_REC_ROLE_LOAD,
    MI_REC_ROLE_UNLOAD,
    MI_REC_ROLE_BUNDLE,
    MI_REC_ROLE_MEMBER,
    MI_REC_ROLE_EXECUTE,
    MI_REC_ROLE_CAPTURE,
    MI_REC_ROLE_REPLAY,
    MI_REC_ROLE_COLLECTIVE_CALL,
    MI_REC_ROLE_STREAM,
    MI_REC_ROLE_STREAM_END,
    MI_REC_ROLE_EVENT,
    MI_REC_ROLE_EVENT_END,
    MI_REC_ROLE_RECORD,
    MI_REC_ROLE_WAIT,
    MI_REC_ROLE_RESET,
    MI_REC_ROLE_FUNCTION,
    MI_REC_ROLE_LAUNCH,
    MI_REC_ROLE_COPY,
    MI_REC_ROLE_SYNC,
    MI_REC_ROLE_DEVICE,
    MI_REC_ROLE_MARK,
    MI_REC_ROLE_NAME,
    MI_REC_ROLE_KERNEL,
    MI_REC_ROLE_API,
    MI_REC_ROLE_COLLECTIVE,
    MI_REC_ROLE_COPY_CALL,
    MI_REC_ROLE_RANGE,
    MI_REC_ROLE_LOST
};

/* Why records of MSPTI are missing: `code` of mspti_lost. */
enum mi_rec_lost {
    MI_REC_LOST_NO_BUFFER = 1, /* `size` times it asked for a buffer and all were in use */
    MI_REC_LOST_CUT,           /* `size` bytes at the end of a buffer are no whole record */
    MI_REC_LOST_UNKNOWN        /* `size` records of a kind that this hook does not know */
};

/* The two numbers of names in `size`. */
#define MI_REC_NAME_FIRST(size)  ((uint32_t)(size))
#define MI_REC_NAME_SECOND(size) ((uint32_t)((size) >> 32))

/* Continues a sum over `bytes`, a multiple of 8. Not against malice: against torn and lost writes.
 */
static inline uint64_t mi_rec_sum(uint64_t sum, const void *data, size_t bytes)
{
    const uint8_t *at = data;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, at + i, 8);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        sum ^= sum >> 29;
    }
    return sum;
}

#endif
