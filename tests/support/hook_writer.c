#include "support/hook_writer.h"

#include <stdio.h>

enum { CALL_NS = 1000, GAP_NS = 500 };
#define MONO_NS UINT64_C(5000000000)
#define REAL_NS UINT64_C(1796060392000000000)

void hook_begin(struct hook_writer *w, uint32_t process, enum mi_rec_state state)
{
    struct mi_rec_file file = {.version = MI_REC_VERSION,
                               .head_bytes = sizeof file,
                               .process = process,
                               .state = state,
                               .mono_ns = MONO_NS,
                               .real_ns = REAL_NS};
    memset(w, 0, sizeof *w);
    memcpy(file.magic, MI_REC_MAGIC, sizeof file.magic);
    memcpy(w->bytes, &file, sizeof file);
    w->len = MI_REC_HEAD_BYTES;
    w->now_ns = MONO_NS + GAP_NS;
}

static void close_chunk(struct hook_writer *w)
{
    struct mi_rec_chunk chunk;
    if (!w->chunk)
        return;
    memcpy(&chunk, w->bytes + w->chunk, sizeof chunk);
    chunk.bytes = (uint32_t)(w->len - w->chunk - sizeof chunk);
    chunk.mono_ns = w->now_ns;
    chunk.real_ns = REAL_NS + (w->now_ns - MONO_NS);
    chunk.checksum = mi_rec_sum(0, &chunk, offsetof(struct mi_rec_chunk, checksum));
    chunk.checksum = mi_rec_sum(chunk.checksum, w->bytes + w->chunk + sizeof chunk, chunk.bytes);
    memcpy(w->bytes + w->chunk, &chunk, sizeof chunk);
    w->chunk = 0;
}

void hook_chunk(struct hook_writer *w, uint32_t ring, uint32_t thread, uint32_t dropped)
{
    struct mi_rec_chunk chunk = {.version = MI_REC_VERSION,
                                 .head_bytes = sizeof chunk,
                                 .ring = ring,
                                 .thread = thread,
                                 .dropped = dropped};
    close_chunk(w);
    memcpy(chunk.magic, MI_REC_CHUNK_MAGIC, sizeof chunk.magic);
    w->chunk = w->len;
    memcpy(w->bytes + w->len, &chunk, sizeof chunk);
    w->len += sizeof chunk;
}

void hook_call(struct hook_writer *w, enum mi_rec_type type, uint64_t stream, uint64_t object,
               uint64_t size, uint32_t task, const char *text)
{
    size_t text_len = text ? strlen(text) : 0, padded = (text_len + 7) & ~(size_t)7;
    struct mi_rec rec = {.bytes = (uint16_t)(sizeof rec + padded),
                         .type = (uint16_t)type,
                         .code = type == MI_REC_mspti_lost ? MI_REC_LOST_NO_BUFFER : 0,
                         .start_ns = w->now_ns,
                         .dur_ns = CALL_NS,
                         .stream = stream,
                         .object = object,
                         .size = size,
                         .task = task};
    struct mi_rec_chunk chunk;
    memcpy(w->bytes + w->len, &rec, sizeof rec);
    if (text_len)
        memcpy(w->bytes + w->len + sizeof rec, text, text_len);
    w->len += rec.bytes;
    memcpy(&chunk, w->bytes + w->chunk, sizeof chunk);
    chunk.records++;
    memcpy(w->bytes + w->chunk, &chunk, sizeof chunk);
    w->now_ns += CALL_NS + GAP_NS;
}

void hook_end(struct hook_writer *w, const uint64_t *issued, uint32_t rings)
{
    close_chunk(w);
    for (uint32_t r = 0; r < rings; r++) {
        struct mi_rec_slot slot = {.thread = 100 + r, .issued = issued[r]};
        memcpy(w->bytes + sizeof(struct mi_rec_file) + r * sizeof slot, &slot, sizeof slot);
    }
}

bool hook_save(const struct hook_writer *w, const char *path)
{
    FILE *file = fopen(path, "wb");
    bool ok = file && fwrite(w->bytes, 1, w->len, file) == w->len;
    return file && fclose(file) == 0 && ok;
}

void hook_example(struct hook_writer *w, enum mi_rec_state state)
{
    enum { COMPUTE = 0xa0, SIDE = 0xb0, EVENT = 0xe0, KERNEL = 0xf0 };
    const uint32_t none = MI_REC_NO_TASK;
    hook_begin(w, 4242, state);
    hook_chunk(w, 0, 100, 0);
    hook_call(w, MI_REC_aclInit, 0, 0, 0, none, NULL);
    hook_call(w, MI_REC_aclrtSetDevice, 0, 0, 0, none, NULL);
    hook_call(w, MI_REC_aclmdlLoadFromFile, 0, 1, 0, none, "/models/net.om");
    hook_call(w, MI_REC_model_copied, 0, 1, 0, none, "models/0123456789abcdef.om");
    hook_call(w, MI_REC_aclrtCreateStream, COMPUTE, 0, 6, none, NULL);
    hook_call(w, MI_REC_aclrtCreateStream, SIDE, 0, 7, none, NULL);
    hook_call(w, MI_REC_aclrtCreateEvent, 0, EVENT, 0, none, NULL);
    hook_call(w, MI_REC_aclrtBinaryGetFunction, 0, KERNEL, 0, none, "te_adam_1__kernel0");
    for (uint32_t step = 0; step < 2; step++) {
        hook_chunk(w, 1, 101, 0);
        hook_call(w, MI_REC_aclrtMemcpyAsync, SIDE, 0x1000, 256 | UINT64_C(1) << 56, 2 * step,
                  NULL);
        hook_call(w, MI_REC_aclrtRecordEvent, SIDE, EVENT, 0, 2 * step + 1, NULL);
        hook_chunk(w, 0, 100, 0);
        hook_call(w, MI_REC_aclrtStreamWaitEvent, COMPUTE, EVENT, 0, 3 * step, NULL);
        hook_call(w, MI_REC_aclmdlExecuteAsync, COMPUTE, 1, 1, 3 * step + 1, NULL);
        hook_call(w, MI_REC_aclrtLaunchKernel, COMPUTE, KERNEL, 8, 3 * step + 2, NULL);
    }
    hook_call(w, MI_REC_aclrtSynchronizeStream, COMPUTE, 0, 0, none, NULL);
    hook_call(w, MI_REC_aclmdlUnload, 0, 1, 0, none, NULL);
    hook_end(w, (const uint64_t[]){16, 4}, 2);
}
