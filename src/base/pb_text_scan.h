/* Byte searches of the protobuf text scanner: SIMD (SSE2, NEON) and the scalar twins that also do
 * the last bytes. Private to pb_text*.c and their test. */
#ifndef MI_BASE_PB_TEXT_SCAN_H
#define MI_BASE_PB_TEXT_SCAN_H

#include "base/bytes.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#define MI_PBT_SIMD 1
#elif defined(__aarch64__)
#include <arm_neon.h>
#define MI_PBT_SIMD 1
#else
#define MI_PBT_SIMD 0
#endif

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

#if MI_PBT_SIMD

#if defined(__SSE2__)

/* One bit per byte of a block. */
#define MI_PBT_BITS_PER_BYTE 1U

static inline uint64_t mi_pbt_mask(__m128i hits)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(hits);
}

static inline uint64_t mi_pbt_not_space(const uint8_t *at)
{
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i blank = _mm_cmpeq_epi8(block, _mm_set1_epi8(' '));
    /* \t..\r are 9..13: below 5 after the subtraction, unsigned. */
    __m128i low = _mm_sub_epi8(block, _mm_set1_epi8('\t'));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(low, _mm_set1_epi8(4)), low);
    return mi_pbt_mask(_mm_or_si128(blank, control)) ^ 0xffff;
}

static inline uint64_t mi_pbt_string_stops(const uint8_t *at, uint8_t quote)
{
    __m128i block = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i quotes = _mm_cmpeq_epi8(block, _mm_set1_epi8((char)quote));
    __m128i slashes = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    __m128i newlines = _mm_cmpeq_epi8(block, _mm_set1_epi8('\n'));
    return mi_pbt_mask(_mm_or_si128(_mm_or_si128(quotes, slashes), newlines));
}

#else

/* NEON has no movemask; narrowing leaves four bits per byte. */
#define MI_PBT_BITS_PER_BYTE 4U

static inline uint64_t mi_pbt_mask(uint8x16_t hits)
{
    uint8x8_t narrow = vshrn_n_u16(vreinterpretq_u16_u8(hits), 4);
    return vget_lane_u64(vreinterpret_u64_u8(narrow), 0);
}

static inline uint64_t mi_pbt_not_space(const uint8_t *at)
{
    uint8x16_t block = vld1q_u8(at);
    uint8x16_t blank = vceqq_u8(block, vdupq_n_u8(' '));
    uint8x16_t control = vcltq_u8(vsubq_u8(block, vdupq_n_u8('\t')), vdupq_n_u8(5));
    return ~mi_pbt_mask(vorrq_u8(blank, control));
}

static inline uint64_t mi_pbt_string_stops(const uint8_t *at, uint8_t quote)
{
    uint8x16_t block = vld1q_u8(at);
    uint8x16_t quotes = vceqq_u8(block, vdupq_n_u8(quote));
    uint8x16_t slashes = vceqq_u8(block, vdupq_n_u8('\\'));
    uint8x16_t newlines = vceqq_u8(block, vdupq_n_u8('\n'));
    return mi_pbt_mask(vorrq_u8(vorrq_u8(quotes, slashes), newlines));
}

#endif

static inline unsigned mi_pbt_first(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask) / MI_PBT_BITS_PER_BYTE;
}

static inline const uint8_t *mi_pbt_skip_space(const uint8_t *at, const uint8_t *end)
{
    while (end - at >= 16) {
        uint64_t mask = mi_pbt_not_space(at);
        if (mask)
            return at + mi_pbt_first(mask);
        at += 16;
    }
    return mi_pbt_skip_space_scalar(at, end);
}

static inline struct mi_pbt_string_end mi_pbt_string(const uint8_t *at, const uint8_t *end,
                                                     uint8_t quote)
{
    const uint64_t pair = MI_PBT_BITS_PER_BYTE == 1 ? 3 : 0xff; /* a stop and the byte behind it */
    bool has_escape = false;
    while (end - at >= 16) {
        uint64_t mask = mi_pbt_string_stops(at, quote);
        unsigned step = 16;
        while (mask) {
            unsigned i = mi_pbt_first(mask);
            if (at[i] != '\\')
                return (struct mi_pbt_string_end){at + i, has_escape};
            has_escape = true;
            step = i == 15 ? 17 : 16; /* the hidden byte opens the next block */
            mask &= ~(pair << i * MI_PBT_BITS_PER_BYTE);
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
