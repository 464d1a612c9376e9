#include "base/sink.h"
#include "base/decimal.h"
#include "base/mem.h"

#include <errno.h>
#include <unistd.h>

/* Size of the buffer in front of a file or callback. */
#define BUFFER_BYTES ((size_t)64 * 1024)

static bool send_to_fd(void *context, struct mi_bytes bytes, struct mi_error *err)
{
    int fd = *(const int *)context;
    while (bytes.len) {
        ssize_t done = write(fd, bytes.at, bytes.len);
        if (done > 0)
            bytes = mi_bytes_sub(bytes, (size_t)done, bytes.len);
        else if (done == 0 || errno != EINTR)
            return mi_fail(err, MI_EIO, "cannot write output: %s",
                           done ? strerror(errno) : "nothing was taken");
    }
    return true;
}

static void init(struct mi_sink *sink, mi_sink_fn *send, void *context)
{
    *sink = (struct mi_sink){.error = MI_ERROR_INIT, .send = send, .context = context, .fd = -1};
}

void mi_sink_init_fd(struct mi_sink *sink, int fd)
{
    init(sink, send_to_fd, NULL);
    sink->fd = fd;
}

void mi_sink_init_memory(struct mi_sink *sink)
{
    init(sink, NULL, NULL);
}

void mi_sink_init_callback(struct mi_sink *sink, mi_sink_fn *send, void *context)
{
    init(sink, send, context);
}

void mi_sink_fini(struct mi_sink *sink)
{
    mi_mem_free(sink->buffer);
    sink->buffer = NULL;
    sink->used = sink->room = 0;
}

static void send_out(struct mi_sink *sink, struct mi_bytes bytes)
{
    /* not stored at init: a sink may be moved by assignment */
    void *context = sink->send == send_to_fd ? &sink->fd : sink->context;
    if (!bytes.len || mi_sink_failed(sink))
        return;
    if (sink->send(context, bytes, &sink->error))
        sink->sent_bytes += bytes.len;
    else
        mi_fail(&sink->error, MI_EIO, "output was refused");
}

/* The slow part of reserve(). */
__attribute__((noinline)) static bool make_room(struct mi_sink *sink, size_t len)
{
    if (sink->send && sink->buffer) {
        send_out(sink, (struct mi_bytes){sink->buffer, sink->used});
        sink->used = 0;
        return !mi_sink_failed(sink) && len <= sink->room;
    }
    size_t room = sink->send ? BUFFER_BYTES : sink->room ? sink->room : 256;
    while (!sink->send && room - sink->used < len) {
        if (room > SIZE_MAX / 2) {
            mi_fail(&sink->error, MI_ENOMEM, "no memory for output");
            return false;
        }
        room *= 2;
    }
    uint8_t *buffer = mi_mem_resize(sink->buffer, room, 1);
    if (!buffer) {
        mi_fail(&sink->error, MI_ENOMEM, "no memory for output");
        return false;
    }
    sink->buffer = buffer;
    sink->room = room;
    return len <= room - sink->used;
}

/* Makes room for `len` more bytes in the buffer; false if they have to go around it or nowhere. */
static inline bool reserve(struct mi_sink *sink, size_t len)
{
    if (mi_sink_failed(sink))
        return false;
    return len <= sink->room - sink->used || make_room(sink, len);
}

void mi_sink_write(struct mi_sink *sink, struct mi_bytes bytes)
{
    if (!bytes.len)
        return;
    if (reserve(sink, bytes.len)) {
        memcpy(sink->buffer + sink->used, bytes.at, bytes.len);
        sink->used += bytes.len;
    } else if (!mi_sink_failed(sink)) {
        send_out(sink, bytes); /* larger than the buffer, which is empty now */
    }
}

void mi_sink_text(struct mi_sink *sink, const char *text)
{
    mi_sink_write(sink, mi_cstr(text));
}

void mi_sink_byte(struct mi_sink *sink, uint8_t byte)
{
    if (reserve(sink, 1))
        sink->buffer[sink->used++] = byte;
}

void mi_sink_repeat(struct mi_sink *sink, uint8_t byte, size_t count)
{
    for (; count && reserve(sink, 1);) {
        size_t piece = sink->room - sink->used < count ? sink->room - sink->used : count;
        memset(sink->buffer + sink->used, byte, piece);
        sink->used += piece;
        count -= piece;
    }
}

void mi_sink_i64(struct mi_sink *sink, int64_t value)
{
    char text[MI_DECIMAL_ROOM];
    size_t len = mi_decimal_format_i64(value, text);
    mi_sink_write(sink, (struct mi_bytes){(const uint8_t *)text, len});
}

void mi_sink_u64(struct mi_sink *sink, uint64_t value)
{
    char text[MI_DECIMAL_ROOM];
    size_t len = mi_decimal_format_u64(value, text);
    mi_sink_write(sink, (struct mi_bytes){(const uint8_t *)text, len});
}

uint64_t mi_sink_size(const struct mi_sink *sink)
{
    return sink->sent_bytes + sink->used;
}

bool mi_sink_flush(struct mi_sink *sink, struct mi_error *err)
{
    if (sink->send) {
        send_out(sink, (struct mi_bytes){sink->buffer, sink->used});
        sink->used = 0;
    }
    if (mi_sink_failed(sink) && err && err->code == MI_OK)
        *err = sink->error;
    return !mi_sink_failed(sink);
}

struct mi_bytes mi_sink_bytes(const struct mi_sink *sink)
{
    return (struct mi_bytes){sink->buffer, sink->used};
}

void mi_sink_clear(struct mi_sink *sink)
{
    if (!sink->send)
        sink->used = 0;
}

void mi_sink_fail(struct mi_sink *sink, enum mi_code code, const char *text)
{
    mi_fail(&sink->error, code, "%s", text);
}
