#include "base/utf8.h"
#include "base/simd.h"

unsigned mi_utf8_decode(const uint8_t *at, size_t len, uint32_t *code)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    *code = 0;
    if (!len)
        return 0;
    if (at[0] < 0x80) {
        *code = at[0];
        return 1;
    }
    unsigned size = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || len < size)
        return 0;
    uint32_t value = at[0] & (0x7fu >> size);
    for (unsigned i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3fu);
    }
    if (value < least[size] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    *code = value;
    return size;
}

size_t mi_utf8_valid_len(struct mi_bytes text)
{
    size_t i = 0;
    while (i < text.len) {
#if MI_SIMD
        if (text.len - i >= 16) {
            uint64_t mask = mi_v16_not_ascii(text.at + i);
            size_t ascii = mask ? mi_mask_first(mask) : 16;
            i += ascii;
            if (ascii == 16)
                continue;
        }
#endif
        uint32_t code;
        unsigned size = mi_utf8_decode(text.at + i, text.len - i, &code);
        if (!size)
            break;
        i += size;
    }
    return i;
}

struct range {
    uint32_t first, last;
};

static bool in_ranges(uint32_t code, const struct range *ranges, size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (code > ranges[middle].last)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && code >= ranges[low].first;
}

#define IN(code, ranges) in_ranges(code, ranges, sizeof(ranges) / sizeof((ranges)[0]))

unsigned mi_utf8_width(uint32_t code)
{
    /* blocks, rounded to what matters for names; Unicode 15 */
    static const struct range zero[] = {
        {0x0300, 0x036f}, {0x0483, 0x0489},   {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f},
        {0x06d6, 0x06dc}, {0x0900, 0x0902},   {0x093c, 0x093c}, {0x0941, 0x0948}, {0x094d, 0x094d},
        {0x0e31, 0x0e31}, {0x0e34, 0x0e3a},   {0x0e47, 0x0e4e}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff},
        {0x200c, 0x200d}, {0x20d0, 0x20ff},   {0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f},
        {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
    };
    static const struct range wide[] = {
        {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
        {0x2614, 0x2615},   {0x26a1, 0x26a1},   {0x2705, 0x2705},   {0x2728, 0x2728},
        {0x274c, 0x274c},   {0x2753, 0x2755},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},
        {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},
        {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},
        {0xffe0, 0xffe6},   {0x16fe0, 0x18cff}, {0x1b000, 0x1b2ff}, {0x1f200, 0x1f2ff},
        {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7eb}, {0x1f900, 0x1f9ff},
        {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
    };
    if (code < 0x300)
        return 1;
    return IN(code, zero) ? 0 : IN(code, wide) ? 2 : 1;
}

bool mi_utf8_is_hostile(uint32_t code)
{
    static const struct range hostile[] = {
        {0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad}, {0x061c, 0x061c},
        {0x180e, 0x180e}, {0x200b, 0x200b}, {0x200e, 0x200f}, {0x2028, 0x202e},
        {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };
    return IN(code, hostile);
}

/* What is shown for the front of a text. */
struct piece {
    uint8_t bytes[10]; /* \UNNNNNNNN is the longest */
    uint8_t len, width;
};

static void put_hex(struct piece *piece, char letter, uint32_t value, unsigned digits)
{
    static const char hex[] = "0123456789abcdef";
    piece->bytes[0] = '\\';
    piece->bytes[1] = (uint8_t)letter;
    for (unsigned i = 0; i < digits; i++)
        piece->bytes[2 + i] = (uint8_t)hex[value >> (4 * (digits - 1 - i)) & 15];
    piece->len = piece->width = (uint8_t)(2 + digits);
}

/* The letter of a two-character escape, 0 if `code` has none. */
static uint8_t short_escape(uint32_t code)
{
    switch (code) {
    case '\\':
        return '\\';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\t':
        return 't';
    default:
        return 0;
    }
}

/* Fills `piece` from the front of a text that is not empty; returns how many bytes it took. */
static size_t next_piece(struct mi_bytes text, struct piece *piece)
{
    uint32_t code;
    unsigned size = mi_utf8_decode(text.at, text.len, &code);
    if (!size) {
        put_hex(piece, 'x', text.at[0], 2);
        return 1;
    }
    uint8_t letter = short_escape(code);
    if (letter) {
        piece->bytes[0] = '\\';
        piece->bytes[1] = letter;
        piece->len = piece->width = 2;
    } else if (!mi_utf8_is_hostile(code)) {
        memcpy(piece->bytes, text.at, size);
        piece->len = (uint8_t)size;
        piece->width = (uint8_t)mi_utf8_width(code);
    } else if (code < 0x80) {
        put_hex(piece, 'x', code, 2);
    } else if (code < 0x10000) {
        put_hex(piece, 'u', code, 4);
    } else {
        put_hex(piece, 'U', code, 8);
    }
    return size;
}

/* Bytes at the front that are shown as they stand, one column each: printable ASCII. Quotes and
 * backslashes end it too, whether they are shown otherwise or not. */
static size_t plain_front(struct mi_bytes text)
{
    size_t len = 0;
#if MI_SIMD
    for (; text.len - len >= 16; len += 16) {
        uint64_t mask = mi_v16_json_unsafe(text.at + len);
        if (mask)
            return len + mi_mask_first(mask);
    }
#endif
    while (len < text.len && text.at[len] >= ' ' && text.at[len] < 0x7f && text.at[len] != '"' &&
           text.at[len] != '\\')
        len++;
    return len;
}

size_t mi_utf8_shown_width(struct mi_bytes text, size_t most)
{
    size_t width = 0;
    struct piece piece;
    while (text.len && (!most || width <= most)) {
        text = mi_bytes_sub(text, next_piece(text, &piece), text.len);
        width += piece.width;
    }
    return width;
}

/* Shows as much as fits into `columns`, with at most as many marks of no width (a name may consist
 * of a million of them). Returns whether that was all; `sink` NULL only measures. */
static bool show_front(struct mi_sink *sink, struct mi_bytes text, size_t columns, size_t *width)
{
    struct piece piece;
    size_t marks = 0;
    *width = 0;
    while (text.len) {
        size_t plain = plain_front(text);
        plain = plain < columns - *width ? plain : columns - *width;
        if (plain) {
            if (sink)
                mi_sink_write(sink, mi_bytes_sub(text, 0, plain));
            *width += plain;
            text = mi_bytes_sub(text, plain, text.len);
            continue;
        }
        text = mi_bytes_sub(text, next_piece(text, &piece), text.len);
        marks += piece.width == 0;
        if (piece.width > columns - *width || marks > columns)
            return false;
        if (sink)
            mi_sink_write(sink, (struct mi_bytes){piece.bytes, piece.len});
        *width += piece.width;
    }
    return true;
}

size_t mi_utf8_show(struct mi_sink *sink, struct mi_bytes text, size_t most_columns)
{
    size_t width;
    if (!most_columns || show_front(NULL, text, most_columns, &width)) {
        show_front(sink, text, SIZE_MAX, &width);
        return width;
    }
    show_front(sink, text, most_columns - 1, &width);
    mi_sink_text(sink, "\xe2\x80\xa6");
    return width + 1;
}
