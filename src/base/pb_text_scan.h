/* Byte searches of the protobuf text scanner: SIMD (SSE2, NEON) and the scalar twins that also do
 * the last bytes. Private to pb_text*.c and their test. */
#ifndef MI_BASE_PB_TEXT_SCAN_H
#define MI_BASE_PB_TEXT_SCAN_H

#include "base/bytes.h"
#include "base/simd.h"

static inline bool mi_pbt_is_space(uint8_t byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

/* First byte in [at, end) that is no white space, or `end`. */
static inline const uint8_t *mi_pbt_skip_space_scalar(const uint8_t *at, const uint8_t *end)
{
    while (at < end && mi_pbt_is_space(*at))
        at++;
    return at;
}

/* How a string token ends. */
struct mi_pbt_string_end {
    const uint8_t *at; /* the closing quote, a raw newline (not allowed), or `end` */
    bool has_escape;
};

/* Searches the end of a string from `at` (behind the opening quote); a backslash hides the byte
 * behind it. */
static inline struct mi_pbt_string_end mi_pbt_string_scalar(const uint8_t *at, const uint8_t *end,
                                                            uint8_t quote)
{
    bool has_escape = false;
    while (at < end && *at != quote && *at != '\n') {
        if (*at == '\\') {
            has_escape = true;
            at++;
            if (at == end)
                break;
        }
        at++;
    }
    return (struct mi_pbt_string_end){at, has_escape};
}

#if MI_SIMD

#if defined(__SSE2__)

static inline uint64_t mi_pbt_not_space(const uint8_t *at)
{
    __m128i v = mi_v16_load(at);
    /* \t..\r are 9..13: at most 4 after the subtraction. */
    __m128i control = mi_v16_at_most(_mm_sub_epi8(v, _mm_set1_epi8('\t')), 4);
    return mi_v16_mask(_mm_or_si128(mi_v16_is(v, ' '), control)) ^ 0xffff;
}

static inline uint64_t mi_pbt_string_stops(const uint8_t *at, uint8_t quote)
{
    __m128i v = mi_v16_load(at);
    __m128i hit = _mm_or_si128(mi_v16_is(v, quote), mi_v16_is(v, '\\'));
    return mi_v16_mask(_mm_or_si128(hit, mi_v16_is(v, '\n')));
}

#else

static inline uint64_t mi_pbt_not_space(const uint8_t *at)
{
    uint8x16_t v = vld1q_u8(at);
    uint8x16_t control = vcleq_u8(vsubq_u8(v, vdupq_n_u8('\t')), vdupq_n_u8(4));
    return ~mi_v16_mask(vorrq_u8(mi_v16_is(v, ' '), control));
}

static inline uint64_t mi_pbt_string_stops(const uint8_t *at, uint8_t quote)
{
    uint8x16_t v = vld1q_u8(at);
    uint8x16_t hit = vorrq_u8(mi_v16_is(v, quote), mi_v16_is(v, '\\'));
    return mi_v16_mask(vorrq_u8(hit, mi_v16_is(v, '\n')));
}

#endif

static inline const uint8_t *mi_pbt_skip_space(const uint8_t *at, const uint8_t *end)
{
    while (end - at >= 16) {
        uint64_t mask = mi_pbt_not_space(at);
        if (mask)
            return at + mi_mask_first(mask);
        at += 16;
    }
    return mi_pbt_skip_space_scalar(at, end);
}

static inline struct mi_pbt_string_end mi_pbt_string(const uint8_t *at, const uint8_t *end,
                                                     uint8_t quote)
{
    const uint64_t pair = MI_MASK_BITS == 1 ? 3 : 0xff; /* a stop and the byte behind it */
    bool has_escape = false;
    while (end - at >= 16) {
        uint64_t mask = mi_pbt_string_stops(at, quote);
        unsigned step = 16;
        while (mask) {
            unsigned i = mi_mask_first(mask);
            if (at[i] != '\\')
                return (struct mi_pbt_string_end){at + i, has_escape};
            has_escape = true;
            step = i == 15 ? 17 : 16; /* the hidden byte opens the next block */
            mask &= ~(pair << i * MI_MASK_BITS);
        }
        if ((size_t)(end - at) < step)
            return (struct mi_pbt_string_end){end, has_escape};
        at += step;
    }
    struct mi_pbt_string_end tail = mi_pbt_string_scalar(at, end, quote);
    tail.has_escape |= has_escape;
    return tail;
}

#else

#define mi_pbt_skip_space mi_pbt_skip_space_scalar
#define mi_pbt_string     mi_pbt_string_scalar

#endif

#endif
