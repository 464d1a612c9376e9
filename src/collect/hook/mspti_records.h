/* Records of MSPTI become records of the file, a block at a time; mspti_records.c. One thread at a
 * time: callers hold the lock of mspti.c. */
#ifndef MI_COLLECT_HOOK_MSPTI_RECORDS_H
#define MI_COLLECT_HOOK_MSPTI_RECORDS_H

#include "collect/hook/hook.h"

enum { MI_MSPTI_SUCCESS = 0, MI_MSPTI_END_OF_BUFFER = 3 /* msptiResult */ };

/* msptiActivityKind */
enum mi_mspti_kind {
    MI_MSPTI_MARKER = 1,
    MI_MSPTI_KERNEL = 2,
    MI_MSPTI_API = 3,
    MI_MSPTI_HCCL = 4,
    MI_MSPTI_MEMSET = 6,
    MI_MSPTI_MEMCPY = 7,
    MI_MSPTI_COMMUNICATION = 9,
    MI_MSPTI_ACL_API = 10,
    MI_MSPTI_NODE_API = 11,
    MI_MSPTI_RUNTIME_API = 12,
    MI_MSPTI_KINDS = 13
};

typedef int mi_mspti_next_fn(uint8_t *buffer, size_t bytes, void **record);

/* Where records go from now on; its memory stays empty. NULL: nowhere, as in a child, whose file
 * begins anew. */
void mi_mspti_records_to(struct mi_ring *ring);

/* Takes all records of a buffer, of which `bytes` are valid, by the library's own function. */
void mi_mspti_convert(uint8_t *data, size_t bytes, mi_mspti_next_fn *next);

/* Tells that something is missing. `records` of those that the ring was given are in no chunk for
 * it; the head counts them already. */
void mi_mspti_put_lost(enum mi_rec_lost why, uint64_t many, uint32_t records);

/* What is in the block goes into the file. */
void mi_mspti_write_block(void);

#endif
