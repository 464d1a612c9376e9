/* Base64 (RFC 4648), for bytes inside of text. */
#ifndef MI_BASE_BASE64_H
#define MI_BASE_BASE64_H

#include "base/sink.h"

/* Characters that `bytes` take, padding included. */
static inline uint64_t mi_base64_size(uint64_t bytes)
{
    return (bytes + 2) / 3 * 4;
}

void mi_base64_write(struct mi_sink *sink, struct mi_bytes bytes);

#endif
