/* A million names are looked through per key stroke: most of them are told by the first byte of the
 * text, sixteen places at a time. */
#include "present/serve/find_text.h"

#include "base/simd.h"

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

/* The last byte is asked first: many names begin as the text does and then go on otherwise. */
static bool stands_at(const uint8_t *at, struct mi_bytes text)
{
    if (lower(at[text.len - 1]) != lower(text.at[text.len - 1]))
        return false;
    for (size_t k = 0; k + 1 < text.len; k++)
        if (lower(at[k]) != lower(text.at[k]))
            return false;
    return true;
}

size_t mi_find_text(struct mi_bytes name, struct mi_bytes text)
{
    if (!text.len)
        return 0;
    if (text.len > name.len)
        return SIZE_MAX;
    size_t places = name.len - text.len + 1, from = 0;
#if MI_SIMD
    uint8_t first = lower(*text.at), fold = first >= 'a' && first <= 'z' ? 0x20 : 0;
    while (from < places && name.len >= 16) {
        /* the last sixteen bytes once more rather than one by one */
        size_t block = from + 16 <= name.len ? from : name.len - 16;
        uint64_t mask = mi_v16_folded(name.at + block, fold, first);
        while (mask) {
            size_t at = block + mi_mask_first(mask);
            if (at >= places)
                return SIZE_MAX;
            if (at >= from && stands_at(name.at + at, text))
                return at;
            mask &= ~(((UINT64_C(1) << MI_MASK_BITS) - 1) << mi_mask_first(mask) * MI_MASK_BITS);
        }
        from = block + 16;
    }
#endif
    for (; from < places; from++)
        if (stands_at(name.at + from, text))
            return from;
    return SIZE_MAX;
}
