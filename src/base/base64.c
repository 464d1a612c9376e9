#include "base/base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

enum { GROUPS = 1024 };

void mi_base64_write(struct mi_sink *sink, struct mi_bytes bytes)
{
    uint8_t text[4 * GROUPS];
    size_t used = 0;
    for (size_t i = 0; i < bytes.len; i += 3) {
        size_t left = bytes.len - i;
        uint32_t group = (uint32_t)bytes.at[i] << 16;
        group |= left > 1 ? (uint32_t)bytes.at[i + 1] << 8 : 0;
        group |= left > 2 ? (uint32_t)bytes.at[i + 2] : 0;
        text[used++] = (uint8_t)digits[group >> 18];
        text[used++] = (uint8_t)digits[group >> 12 & 63];
        text[used++] = left > 1 ? (uint8_t)digits[group >> 6 & 63] : '=';
        text[used++] = left > 2 ? (uint8_t)digits[group & 63] : '=';
        if (used == sizeof text) {
            mi_sink_write(sink, (struct mi_bytes){text, used});
            used = 0;
        }
    }
    mi_sink_write(sink, (struct mi_bytes){text, used});
}
