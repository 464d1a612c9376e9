/* Small vector helpers for the scanners: 16 bytes at a time, SSE2 on x86-64, NEON on aarch64.
 *
 * A helper returns a mask with MI_MASK_BITS bits per byte (1 on SSE2, 4 on NEON, where narrowing is
 * the cheap way to a scalar mask), lowest bits first. mi_mask_first() hides the difference.
 * mi_block_* work on 64 bytes and always give one bit per byte. The caller makes sure that all 16
 * or 64 bytes may be read. Where MI_SIMD is 0 none of them exists: every user has a scalar twin,
 * and tests compare both. */
#ifndef MI_BASE_SIMD_H
#define MI_BASE_SIMD_H

#include <stddef.h>
#include <stdint.h>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

#if defined(__SSE2__)

#define MI_SIMD      1
#define MI_MASK_BITS 1

static inline __m128i mi_v16_load(const uint8_t *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

static inline __m128i mi_v16_is(__m128i v, uint8_t byte)
{
    return _mm_cmpeq_epi8(v, _mm_set1_epi8((char)byte));
}

/* Bytes <= `most`, unsigned. */
static inline __m128i mi_v16_at_most(__m128i v, uint8_t most)
{
    return _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8((char)most)), v);
}

static inline uint64_t mi_v16_mask(__m128i v)
{
    return (uint32_t)_mm_movemask_epi8(v);
}

/* Quote, backslash and control characters below space: where a JSON string needs a look. */
static inline uint64_t mi_v16_json_special(const uint8_t *at)
{
    __m128i v = mi_v16_load(at);
    __m128i hit = _mm_or_si128(mi_v16_is(v, '"'), mi_v16_is(v, '\\'));
    return mi_v16_mask(_mm_or_si128(hit, mi_v16_at_most(v, 0x1f)));
}

/* Where `byte` stands, once the bits of `fold` are set in all bytes: 0x20 for letters in any case.
 */
static inline uint64_t mi_v16_folded(const uint8_t *at, uint8_t fold, uint8_t byte)
{
    return mi_v16_mask(mi_v16_is(_mm_or_si128(mi_v16_load(at), _mm_set1_epi8((char)fold)), byte));
}

/* Bytes that are not ASCII digits. */
static inline uint64_t mi_v16_not_digit(const uint8_t *at)
{
    __m128i v = _mm_sub_epi8(mi_v16_load(at), _mm_set1_epi8('0'));
    return mi_v16_mask(mi_v16_at_most(v, 9)) ^ 0xffff;
}

/* Bytes that are not space, tab, LF or CR. */
static inline uint64_t mi_v16_not_space(const uint8_t *at)
{
    __m128i v = mi_v16_load(at);
    __m128i hit = _mm_or_si128(_mm_or_si128(mi_v16_is(v, ' '), mi_v16_is(v, '\n')),
                               _mm_or_si128(mi_v16_is(v, '\t'), mi_v16_is(v, '\r')));
    return mi_v16_mask(hit) ^ 0xffff;
}

/* What a JSON writer cannot copy as it stands: control characters, quote, backslash, DEL and all
 * bytes beyond ASCII. */
static inline uint64_t mi_v16_json_unsafe(const uint8_t *at)
{
    __m128i v = mi_v16_load(at);
    __m128i hit = _mm_or_si128(mi_v16_is(v, '"'), mi_v16_is(v, '\\'));
    /* signed compare: bytes >= 0x80 are negative, so "< 0x20" catches both ends */
    hit = _mm_or_si128(hit, _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)));
    return mi_v16_mask(_mm_or_si128(hit, mi_v16_is(v, 0x7f)));
}

/* How often `byte` stands in 16 * `blocks` bytes; at most 255 blocks, since the lanes that count
 * are bytes. */
static inline uint32_t mi_v16_count(const uint8_t *at, unsigned blocks, uint8_t byte)
{
    __m128i lanes = _mm_setzero_si128();
    for (; blocks; blocks--, at += 16)
        lanes = _mm_sub_epi8(lanes, mi_v16_is(mi_v16_load(at), byte));
    __m128i sums = _mm_sad_epu8(lanes, _mm_setzero_si128());
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_unpackhi_epi64(sums, sums)));
}

static inline uint64_t mi_v16_not_ascii(const uint8_t *at)
{
    return mi_v16_mask(mi_v16_load(at));
}

#elif defined(__aarch64__) && defined(__ARM_NEON)

#define MI_SIMD      1
#define MI_MASK_BITS 4

static inline uint64_t mi_v16_mask(uint8x16_t v)
{
    return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(v), 4)), 0);
}

static inline uint8x16_t mi_v16_is(uint8x16_t v, uint8_t byte)
{
    return vceqq_u8(v, vdupq_n_u8(byte));
}

static inline uint64_t mi_v16_json_special(const uint8_t *at)
{
    uint8x16_t v = vld1q_u8(at);
    uint8x16_t hit = vorrq_u8(mi_v16_is(v, '"'), mi_v16_is(v, '\\'));
    return mi_v16_mask(vorrq_u8(hit, vcltq_u8(v, vdupq_n_u8(0x20))));
}

static inline uint64_t mi_v16_folded(const uint8_t *at, uint8_t fold, uint8_t byte)
{
    return mi_v16_mask(mi_v16_is(vorrq_u8(vld1q_u8(at), vdupq_n_u8(fold)), byte));
}

static inline uint64_t mi_v16_not_digit(const uint8_t *at)
{
    uint8x16_t v = vsubq_u8(vld1q_u8(at), vdupq_n_u8('0'));
    return mi_v16_mask(vcgtq_u8(v, vdupq_n_u8(9)));
}

static inline uint64_t mi_v16_not_space(const uint8_t *at)
{
    uint8x16_t v = vld1q_u8(at);
    uint8x16_t hit = vorrq_u8(vorrq_u8(mi_v16_is(v, ' '), mi_v16_is(v, '\n')),
                              vorrq_u8(mi_v16_is(v, '\t'), mi_v16_is(v, '\r')));
    return mi_v16_mask(vmvnq_u8(hit));
}

static inline uint64_t mi_v16_json_unsafe(const uint8_t *at)
{
    uint8x16_t v = vld1q_u8(at);
    uint8x16_t hit = vorrq_u8(mi_v16_is(v, '"'), mi_v16_is(v, '\\'));
    hit = vorrq_u8(hit, vcltq_u8(v, vdupq_n_u8(0x20)));
    return mi_v16_mask(vorrq_u8(hit, vcgeq_u8(v, vdupq_n_u8(0x7f))));
}

static inline uint32_t mi_v16_count(const uint8_t *at, unsigned blocks, uint8_t byte)
{
    uint8x16_t lanes = vdupq_n_u8(0);
    for (; blocks; blocks--, at += 16)
        lanes = vsubq_u8(lanes, mi_v16_is(vld1q_u8(at), byte));
    return vaddlvq_u8(lanes);
}

static inline uint64_t mi_v16_not_ascii(const uint8_t *at)
{
    return mi_v16_mask(vcgeq_u8(vld1q_u8(at), vdupq_n_u8(0x80)));
}

#else
#define MI_SIMD 0
#endif

/* Number of the lowest set bit; `word` must not be 0. */
static inline unsigned mi_low_bit(uint64_t word)
{
    return (unsigned)__builtin_ctzll(word);
}

#if MI_SIMD

/* Index of the first byte whose bits are set; `mask` must not be 0. */
static inline unsigned mi_mask_first(uint64_t mask)
{
    return mi_low_bit(mask) / MI_MASK_BITS;
}

#if defined(__AVX2__)

static inline uint64_t mi_half_csv(const uint8_t *at, uint8_t delimiter)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)at);
    __m256i a = _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8((char)delimiter)),
                                _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')));
    __m256i b = _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n')),
                                _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\r')));
    return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(a, b));
}

static inline uint64_t mi_block_csv(const uint8_t *at, uint8_t delimiter)
{
    return mi_half_csv(at, delimiter) | mi_half_csv(at + 32, delimiter) << 32;
}

#elif defined(__SSE2__)

static inline uint64_t mi_quarter_csv(const uint8_t *at, uint8_t delimiter)
{
    __m128i v = mi_v16_load(at);
    __m128i a = _mm_or_si128(mi_v16_is(v, delimiter), mi_v16_is(v, '"'));
    __m128i b = _mm_or_si128(mi_v16_is(v, '\n'), mi_v16_is(v, '\r'));
    return mi_v16_mask(_mm_or_si128(a, b));
}

/* 64 bytes: delimiter, quote, LF and CR; one bit per byte. */
static inline uint64_t mi_block_csv(const uint8_t *at, uint8_t delimiter)
{
    return mi_quarter_csv(at, delimiter) | mi_quarter_csv(at + 16, delimiter) << 16 |
           mi_quarter_csv(at + 32, delimiter) << 32 | mi_quarter_csv(at + 48, delimiter) << 48;
}

#else

static inline uint8x16_t mi_quarter_csv(const uint8_t *at, uint8_t delimiter)
{
    uint8x16_t v = vld1q_u8(at);
    return vorrq_u8(vorrq_u8(mi_v16_is(v, delimiter), mi_v16_is(v, '"')),
                    vorrq_u8(mi_v16_is(v, '\n'), mi_v16_is(v, '\r')));
}

/* Three rounds of pairwise addition turn weighted lanes into one bit per byte. */
static inline uint64_t mi_block_csv(const uint8_t *at, uint8_t delimiter)
{
    static const uint8_t weight[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t w = vld1q_u8(weight);
    uint8x16_t a = vandq_u8(mi_quarter_csv(at, delimiter), w);
    uint8x16_t b = vandq_u8(mi_quarter_csv(at + 16, delimiter), w);
    uint8x16_t c = vandq_u8(mi_quarter_csv(at + 32, delimiter), w);
    uint8x16_t d = vandq_u8(mi_quarter_csv(at + 48, delimiter), w);
    uint8x16_t sum = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u64(vreinterpretq_u64_u8(sum), 0);
}

#endif
#endif

#endif
