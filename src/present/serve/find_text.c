/* A million names are looked through per key stroke: most of them are told by the first and the
 * last byte of the text, which are looked for at sixteen places at a time. */
#include "present/serve/find_text.h"

#include "base/simd.h"

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

static bool stands_at(const uint8_t *at, struct mi_bytes text)
{
    for (size_t k = 0; k < text.len; k++)
        if (lower(at[k]) != lower(text.at[k]))
            return false;
    return true;
}

#if MI_SIMD

enum { BLOCK = 16 };

/* Where a byte stands in a block, a letter in any case. */
static inline uint64_t places_of(const uint8_t *block, uint8_t byte)
{
    byte = lower(byte);
    return mi_v16_folded(block, byte >= 'a' && byte <= 'z' ? 0x20 : 0, byte);
}

/* The first of the places in `mask` where the text stands, SIZE_MAX if at none of them. */
static size_t first_of(uint64_t mask, const uint8_t *block, struct mi_bytes text)
{
    const uint64_t place = (UINT64_C(1) << MI_MASK_BITS) - 1;
    for (; mask; mask &= ~(place << mi_mask_first(mask) * MI_MASK_BITS))
        if (stands_at(block + mi_mask_first(mask), text))
            return mi_mask_first(mask);
    return SIZE_MAX;
}

/* Fewer places than a block has, in a name that has room for one: the last bytes are looked for in
 * the last block of the name. */
static size_t find_in_few(struct mi_bytes name, struct mi_bytes text, size_t places)
{
    uint64_t last = places_of(name.at + name.len - BLOCK, text.at[text.len - 1]);
    uint64_t mask = places_of(name.at, *text.at) & last >> (BLOCK - places) * MI_MASK_BITS;
    return first_of(mask, name.at, text);
}

static size_t find_in_blocks(struct mi_bytes name, struct mi_bytes text, size_t places)
{
    for (size_t from = 0; from < places; from += BLOCK) {
        /* the last sixteen places once more rather than one by one */
        const uint8_t *block = name.at + (from + BLOCK <= places ? from : places - BLOCK);
        uint64_t mask =
            places_of(block, *text.at) & places_of(block + text.len - 1, text.at[text.len - 1]);
        size_t at = mask ? first_of(mask, block, text) : SIZE_MAX;
        if (at != SIZE_MAX)
            return (size_t)(block - name.at) + at;
    }
    return SIZE_MAX;
}

#endif

size_t mi_find_text(struct mi_bytes name, struct mi_bytes text)
{
    if (!text.len)
        return 0;
    if (text.len > name.len)
        return SIZE_MAX;
    size_t places = name.len - text.len + 1;
#if MI_SIMD
    if (places >= BLOCK)
        return find_in_blocks(name, text, places);
    if (name.len >= BLOCK)
        return find_in_few(name, text, places);
#endif
    for (size_t from = 0; from < places; from++)
        if (stands_at(name.at + from, text))
            return from;
    return SIZE_MAX;
}
