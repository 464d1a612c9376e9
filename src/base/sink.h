/* Where output goes: a file descriptor, a growing block of memory, or a callback.
 *
 * A sink is sticky: after a failure writing is a no-op and `error` keeps the first failure, so
 * writers check once, at mi_sink_flush(). Nothing depends on the locale. One sink, one thread. */
#ifndef MI_BASE_SINK_H
#define MI_BASE_SINK_H

#include "base/bytes.h"
#include "base/error.h"

/* Takes all of `bytes` (never empty) or fails. */
typedef bool mi_sink_fn(void *context, struct mi_bytes bytes, struct mi_error *err);

/* Fields are private except `error`. */
struct mi_sink {
    struct mi_error error;
    uint8_t *buffer;
    size_t used, room;
    uint64_t sent_bytes; /* already handed to fd or callback */
    mi_sink_fn *send;    /* NULL: memory */
    void *context;
    int fd;
};

/* `fd` stays the caller's; it is not closed. Interrupted and partial writes are continued. */
void mi_sink_init_fd(struct mi_sink *sink, int fd);
void mi_sink_init_memory(struct mi_sink *sink);
void mi_sink_init_callback(struct mi_sink *sink, mi_sink_fn *send, void *context);

/* Frees the buffer; what was not flushed is dropped. */
void mi_sink_fini(struct mi_sink *sink);

static inline bool mi_sink_failed(const struct mi_sink *sink)
{
    return sink->error.code != MI_OK;
}

void mi_sink_write(struct mi_sink *sink, struct mi_bytes bytes);
void mi_sink_text(struct mi_sink *sink, const char *text);
void mi_sink_byte(struct mi_sink *sink, uint8_t byte);
void mi_sink_repeat(struct mi_sink *sink, uint8_t byte, size_t count);
void mi_sink_i64(struct mi_sink *sink, int64_t value); /* decimal */
void mi_sink_u64(struct mi_sink *sink, uint64_t value);

/* Bytes written so far, whether sent or not. */
uint64_t mi_sink_size(const struct mi_sink *sink);

/* Sends what is buffered and copies a failure, this one or an earlier one, to `err`. */
bool mi_sink_flush(struct mi_sink *sink, struct mi_error *err);

/* All bytes of a memory sink, borrowed until the next write. */
struct mi_bytes mi_sink_bytes(const struct mi_sink *sink);

/* Empties a memory sink, keeping its memory. */
void mi_sink_clear(struct mi_sink *sink);

/* Puts a failure of the writer's own into the sink, for instance a value that cannot be written. */
void mi_sink_fail(struct mi_sink *sink, enum mi_code code, const char *text);

#endif
