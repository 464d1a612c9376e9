/* JSON values: escapes resolved, numbers as integers and times. The scanner itself is in
 * json_scan.c. */
#include "base/decimal.h"
#include "base/json_scan.h"
#include "base/simd.h"

#include <math.h>

static int hex_value(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* `raw` at the `u` of an escape: the four digits behind it, or -1. */
static int32_t hex4(struct mi_bytes raw)
{
    int32_t value = 0;
    if (raw.len < 5)
        return -1;
    for (size_t i = 1; i < 5; i++) {
        int digit = hex_value(raw.at[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* UTF-8 of any number up to 0x10ffff, surrogates included; returns the length. */
static size_t put_code(uint8_t *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (uint8_t)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (uint8_t)(0xc0 | code >> 6);
        out[1] = (uint8_t)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (uint8_t)(0xe0 | code >> 12);
        out[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
        out[2] = (uint8_t)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (uint8_t)(0xf0 | code >> 18);
    out[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
    out[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
    out[3] = (uint8_t)(0x80 | (code & 0x3f));
    return 4;
}

/* `raw` at the `u`. Writes the character, returns how many bytes of `raw` it took (0 = not an
 * escape). */
static size_t unescape_unicode(struct mi_bytes raw, uint8_t *out, size_t *written)
{
    int32_t high = hex4(raw);
    if (high < 0)
        return 0;
    if (high >= 0xd800 && high < 0xdc00 && raw.len >= 11 && raw.at[5] == '\\' && raw.at[6] == 'u') {
        int32_t low = hex4(mi_bytes_sub(raw, 6, 5));
        if (low >= 0xdc00 && low < 0xe000) {
            *written = put_code(out, (uint32_t)(0x10000 + (high - 0xd800) * 0x400 + low - 0xdc00));
            return 11;
        }
    }
    *written = put_code(out, (uint32_t)high);
    return 5;
}

/* `raw` at a backslash. Writes what it means, at most as many bytes as it took; returns how many
 * bytes of `raw` it took. The backslash of an unknown escape stands for itself. */
static size_t unescape_one(struct mi_bytes raw, uint8_t *out, size_t *written)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    uint8_t c = raw.len >= 2 ? raw.at[1] : 0;
    const char *letter = c ? strchr(letters, c) : NULL;
    size_t taken = c == 'u' ? unescape_unicode(mi_bytes_sub(raw, 1, raw.len), out, written) : 0;
    if (taken)
        return 1 + taken;
    *written = 1;
    *out = letter ? (uint8_t)meanings[letter - letters] : '\\';
    return letter ? 2 : 1;
}

size_t mi_json_unescape(struct mi_bytes raw, uint8_t *out)
{
    size_t used = 0;
    while (raw.len) {
        const uint8_t *backslash = memchr(raw.at, '\\', raw.len);
        size_t plain = backslash ? (size_t)(backslash - raw.at) : raw.len;
        memcpy(out + used, raw.at, plain);
        used += plain;
        raw = mi_bytes_sub(raw, plain, raw.len);
        if (raw.len) {
            size_t written, taken = unescape_one(raw, out + used, &written);
            used += written;
            raw = mi_bytes_sub(raw, taken, raw.len);
        }
    }
    return used;
}

bool mi_json_text(struct mi_json_string string, struct mi_scratch *scratch, struct mi_bytes *out)
{
    *out = string.raw;
    if (!string.has_escape)
        return true;
    uint8_t *room = mi_scratch_room(scratch, string.raw.len);
    if (!room) {
        *out = (struct mi_bytes){0};
        return false;
    }
    *out = (struct mi_bytes){room, mi_json_unescape(string.raw, room)};
    return true;
}

bool mi_json_escaped_is(struct mi_bytes raw, struct mi_bytes text)
{
    while (raw.len) {
        uint8_t piece[4] = {raw.at[0]};
        size_t written = 1, taken = 1;
        if (raw.at[0] == '\\')
            taken = unescape_one(raw, piece, &written);
        if (!mi_bytes_starts(text, (struct mi_bytes){piece, written}))
            return false;
        text = mi_bytes_sub(text, written, text.len);
        raw = mi_bytes_sub(raw, taken, raw.len);
    }
    return text.len == 0;
}

/* A number, or a string that may hold one. */
static bool number_text(struct mi_json *js, struct mi_bytes *text, bool *is_finite)
{
    struct mi_json_string string;
    struct mi_json_number number;
    *is_finite = true;
    if (mi_json_peek(js) == MI_JSON_STRING) {
        bool ok = mi_json_string(js, &string);
        *text = string.raw;
        return ok;
    }
    bool ok = mi_json_number(js, &number);
    *text = number.text;
    *is_finite = !ok || number.is_finite;
    return ok;
}

bool mi_json_i64(struct mi_json *js, int64_t *out, unsigned *flags)
{
    return mi_json_scaled(js, 0, out, flags);
}

bool mi_json_u64(struct mi_json *js, uint64_t *out, unsigned *flags)
{
    struct mi_bytes text;
    bool is_finite, ok = number_text(js, &text, &is_finite);
    *out = 0;
    *flags = ok ? mi_decimal_u64(text, out) : 0;
    return ok;
}

bool mi_json_scaled(struct mi_json *js, int exp10, int64_t *out, unsigned *flags)
{
    struct mi_json_number number;
    struct mi_json_string string;
    *out = 0;
    *flags = 0;
    if (mi_json_peek(js) == MI_JSON_STRING) {
        if (!mi_json_string(js, &string))
            return false;
        *flags = mi_decimal_scaled(string.raw, exp10, out);
        return true;
    }
    if (!mi_json_number(js, &number))
        return false;
    if (number.has_exponent || !number.is_finite) {
        *flags = mi_decimal_scaled(number.text, exp10, out);
        return true;
    }
    const uint8_t *whole = number.text.at + number.is_negative;
    *flags = mi_decimal_from_parts(
        number.is_negative, (struct mi_bytes){whole, number.whole_len},
        (struct mi_bytes){whole + number.whole_len + (number.fraction_len > 0),
                          number.fraction_len},
        exp10, out);
    return true;
}

bool mi_json_double(struct mi_json *js, double *out, unsigned *flags)
{
    struct mi_bytes text;
    bool is_finite, ok = number_text(js, &text, &is_finite);
    *out = 0;
    *flags = 0;
    if (ok && is_finite) {
        *flags = mi_decimal_double(text, out);
    } else if (ok) {
        bool negative = text.at[0] == '-';
        bool is_nan = (text.at[negative] | 0x20) == 'n';
        *out = is_nan ? (double)NAN : negative ? -(double)INFINITY : (double)INFINITY;
    }
    return ok;
}

static uint32_t count_lines(const struct mi_json *js, const uint8_t *p, const uint8_t *to)
{
    size_t count = 0;
#if MI_SIMD
    while (!js->options.force_scalar && to - p >= 16) {
        size_t blocks = (size_t)(to - p) / 16;
        blocks = blocks < 255 ? blocks : 255;
        count += mi_v16_count(p, (unsigned)blocks, '\n');
        p += 16 * blocks;
    }
#else
    (void)js;
#endif
    for (; p < to; p++)
        count += *p == '\n';
    return (uint32_t)count;
}

uint32_t mi_json_line(struct mi_json *js, size_t offset)
{
    size_t size = (size_t)(js->limit - js->begin);
    const uint8_t *to = js->begin + (offset < size ? offset : size);
    if (to >= js->line_at) {
        js->line += count_lines(js, js->line_at, to);
    } else if (to - js->begin >= js->line_at - to) {
        /* readers step back over one broken record at a time: count just that */
        js->line -= count_lines(js, to, js->line_at);
    } else {
        js->line = js->options.first_line + count_lines(js, js->begin, to);
    }
    js->line_at = to;
    return js->line;
}

size_t mi_json_next_line(const struct mi_json *js, size_t offset)
{
    size_t size = (size_t)(js->limit - js->begin);
    if (offset >= size)
        return size;
    const uint8_t *found = memchr(js->begin + offset, '\n', size - offset);
    return found ? (size_t)(found - js->begin) + 1 : size;
}
