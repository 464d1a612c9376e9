/* Collectives. HCCL makes many tasks of one, on streams of its own too, so that no id of a task is
 * told of it: MSPTI ties it to the device by a correlation id. */
#include "collect/hook/wrap.h"

/* The elements and their type as one number. */
static uint64_t pack(uint64_t count, int type)
{
    return (count & (((uint64_t)1 << 56) - 1)) | (uint64_t)(type & 0xff) << 56;
}

#define COLLECTIVE(name, count, type, ...)                                                         \
    do {                                                                                           \
        MI_CALL(name, (__VA_ARGS__));                                                              \
        if (is_noted)                                                                              \
            mi_hook_tell_of_stream(MI_ID(stream));                                                 \
        MI_NOTE(name, false, NULL, .stream = MI_ID(stream), .object = MI_ID(comm),                 \
                .size = pack(count, type));                                                        \
        return code;                                                                               \
    } while (0)

MI_WRAP(HcclAllReduce, void *from, void *to, uint64_t count, int type, int op, void *comm,
        void *stream)
{
    COLLECTIVE(HcclAllReduce, count, type, from, to, count, type, op, comm, stream);
}

MI_WRAP(HcclBroadcast, void *data, uint64_t count, int type, uint32_t root, void *comm,
        void *stream)
{
    COLLECTIVE(HcclBroadcast, count, type, data, count, type, root, comm, stream);
}

MI_WRAP(HcclReduceScatter, void *from, void *to, uint64_t count, int type, int op, void *comm,
        void *stream)
{
    COLLECTIVE(HcclReduceScatter, count, type, from, to, count, type, op, comm, stream);
}

MI_WRAP(HcclReduceScatterV, void *from, const void *counts, const void *places, void *to,
        uint64_t count, int type, int op, void *comm, void *stream)
{
    COLLECTIVE(HcclReduceScatterV, count, type, from, counts, places, to, count, type, op, comm,
               stream);
}

MI_WRAP(HcclScatter, void *from, void *to, uint64_t count, int type, uint32_t root, void *comm,
        void *stream)
{
    COLLECTIVE(HcclScatter, count, type, from, to, count, type, root, comm, stream);
}

MI_WRAP(HcclAllGather, void *from, void *to, uint64_t count, int type, void *comm, void *stream)
{
    COLLECTIVE(HcclAllGather, count, type, from, to, count, type, comm, stream);
}

MI_WRAP(HcclAllGatherV, void *from, uint64_t count, void *to, const void *counts,
        const void *places, int type, void *comm, void *stream)
{
    COLLECTIVE(HcclAllGatherV, count, type, from, count, to, counts, places, type, comm, stream);
}

MI_WRAP(HcclReduce, void *from, void *to, uint64_t count, int type, int op, uint32_t root,
        void *comm, void *stream)
{
    COLLECTIVE(HcclReduce, count, type, from, to, count, type, op, root, comm, stream);
}

MI_WRAP(HcclSend, void *data, uint64_t count, int type, uint32_t to, void *comm, void *stream)
{
    COLLECTIVE(HcclSend, count, type, data, count, type, to, comm, stream);
}

MI_WRAP(HcclRecv, void *data, uint64_t count, int type, uint32_t from, void *comm, void *stream)
{
    COLLECTIVE(HcclRecv, count, type, data, count, type, from, comm, stream);
}

MI_WRAP(HcclAlltoAll, const void *from, uint64_t count, int type, const void *to, uint64_t to_count,
        int to_type, void *comm, void *stream)
{
    COLLECTIVE(HcclAlltoAll, count, type, from, count, type, to, to_count, to_type, comm, stream);
}

/* --- of so many elements for each rank: how many that are in all is not asked --- */

MI_WRAP(HcclAlltoAllV, const void *from, const void *counts, const void *places, int type,
        const void *to, const void *to_counts, const void *to_places, int to_type, void *comm,
        void *stream)
{
    COLLECTIVE(HcclAlltoAllV, 0, type, from, counts, places, type, to, to_counts, to_places,
               to_type, comm, stream);
}

MI_WRAP(HcclAlltoAllVC, const void *from, const void *counts, int type, const void *to, int to_type,
        void *comm, void *stream)
{
    COLLECTIVE(HcclAlltoAllVC, 0, type, from, counts, type, to, to_type, comm, stream);
}

MI_WRAP(HcclBatchSendRecv, void *items, uint32_t count, void *comm, void *stream)
{
    COLLECTIVE(HcclBatchSendRecv, 0, MI_REC_NO_TYPE, items, count, comm, stream);
}

MI_WRAP(HcclBarrier, void *comm, void *stream)
{
    COLLECTIVE(HcclBarrier, 0, MI_REC_NO_TYPE, comm, stream);
}
