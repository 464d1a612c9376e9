/* Borrowed bytes: a pointer and a length, never freed through this and not NUL-terminated. */
#ifndef MI_BASE_BYTES_H
#define MI_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct mi_bytes {
    const uint8_t *at;
    size_t len;
};

/* The bytes of a string literal, without its NUL. */
#define MI_LIT(text) ((struct mi_bytes){(const uint8_t *)(text), sizeof(text) - 1})

/* The bytes of a C string; NULL gives none. */
static inline struct mi_bytes mi_cstr(const char *text)
{
    return (struct mi_bytes){(const uint8_t *)text, text ? strlen(text) : 0};
}

static inline bool mi_bytes_equal(struct mi_bytes a, struct mi_bytes b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

/* Order by bytes, shorter first on a common prefix: <0, 0, >0. */
static inline int mi_bytes_compare(struct mi_bytes a, struct mi_bytes b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int order = n ? memcmp(a.at, b.at, n) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

static inline bool mi_bytes_starts(struct mi_bytes a, struct mi_bytes prefix)
{
    return a.len >= prefix.len && (prefix.len == 0 || memcmp(a.at, prefix.at, prefix.len) == 0);
}

static inline bool mi_bytes_ends(struct mi_bytes a, struct mi_bytes suffix)
{
    return a.len >= suffix.len &&
           (suffix.len == 0 || memcmp(a.at + (a.len - suffix.len), suffix.at, suffix.len) == 0);
}

/* `a` from byte `from` on, at most `len` bytes; never beyond the end. */
static inline struct mi_bytes mi_bytes_sub(struct mi_bytes a, size_t from, size_t len)
{
    if (from > a.len)
        from = a.len;
    if (len > a.len - from)
        len = a.len - from;
    return (struct mi_bytes){a.at ? a.at + from : NULL, len};
}

/* Little-endian loads from unaligned memory; compilers turn them into single loads. */
static inline uint32_t mi_load_u32le(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t mi_load_u64le(const uint8_t *at)
{
    return (uint64_t)mi_load_u32le(at) | (uint64_t)mi_load_u32le(at + 4) << 32;
}

/* mi_bytes_equal() for short texts in the innermost loops: words that overlap beat a call. */
static inline bool mi_bytes_same(const uint8_t *a, const uint8_t *b, size_t len)
{
    if (len >= 8) {
        for (size_t at = 0; at + 8 < len; at += 8)
            if (mi_load_u64le(a + at) != mi_load_u64le(b + at))
                return false;
        return mi_load_u64le(a + len - 8) == mi_load_u64le(b + len - 8);
    }
    if (len >= 4)
        return mi_load_u32le(a) == mi_load_u32le(b) &&
               mi_load_u32le(a + len - 4) == mi_load_u32le(b + len - 4);
    return !len || (a[0] == b[0] && a[len / 2] == b[len / 2] && a[len - 1] == b[len - 1]);
}

#endif
