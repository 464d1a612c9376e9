/* Writes files as libmi_hook.so leaves them, with times and ids that the caller chooses. */
#ifndef TESTS_SUPPORT_HOOK_WRITER_H
#define TESTS_SUPPORT_HOOK_WRITER_H

#include "capture/record.h"

#include <stdbool.h>

struct hook_writer {
    uint8_t bytes[64 << 10];
    size_t len, chunk; /* chunk: place of the open one, 0 = none */
    uint64_t now_ns;   /* moved on by hook_call() */
};

void hook_begin(struct hook_writer *w, uint32_t process, enum mi_rec_state state);
void hook_chunk(struct hook_writer *w, uint32_t ring, uint32_t thread, uint32_t dropped);

/* A call of the open chunk that begins now and takes 1,000 ns. */
void hook_call(struct hook_writer *w, enum mi_rec_type type, uint64_t stream, uint64_t object,
               uint64_t size, uint32_t task, const char *text);

/* Says that the ring was given `issued` records in all; closes the open chunk. */
void hook_end(struct hook_writer *w, const uint64_t *issued, uint32_t rings);
bool hook_save(const struct hook_writer *w, const char *path);

/* Two threads on two streams: a model from a file, steps with events, a copy, kernels. */
void hook_example(struct hook_writer *w, enum mi_rec_state state);

#endif
