/* Protobuf text scalars: strings to bytes, numbers, booleans. */
#include "base/decimal.h"
#include "base/pb_text.h"
#include "base/pb_text_scan.h"

#include <math.h>

static int hex_digit(uint8_t byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 0x20;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

/* Reads up to `most` digits of base 8 or 16; returns how many there were. */
static unsigned take_digits(const uint8_t **at, const uint8_t *end, unsigned base, unsigned most,
                            uint32_t *value)
{
    unsigned count = 0;
    *value = 0;
    while (count < most && *at < end) {
        int digit = hex_digit(**at);
        if (digit < 0 || (unsigned)digit >= base)
            break;
        *value = *value * base + (unsigned)digit;
        ++*at;
        count++;
    }
    return count;
}

static uint8_t *put_utf8(uint8_t *to, uint32_t point)
{
    if (point < 0x80) {
        *to++ = (uint8_t)point;
        return to;
    }
    unsigned tail = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (uint8_t)(lead[tail] | point >> (6 * tail));
    while (tail-- > 0)
        *to++ = (uint8_t)(0x80 | (point >> (6 * tail) & 0x3f));
    return to;
}

/* One escape; *at stands behind the backslash. False if there is no such escape. */
static bool escape(const uint8_t **at, const uint8_t *end, uint8_t **to)
{
    static const char from[] = "abfnrtv\\'\"?", into[] = "\a\b\f\n\r\t\v\\'\"?";
    uint32_t value;
    uint8_t kind = **at;
    const char *simple = kind ? strchr(from, kind) : NULL;
    if (simple) {
        *(*to)++ = (uint8_t)into[simple - from];
        ++*at;
        return true;
    }
    if (kind >= '0' && kind <= '7') {
        take_digits(at, end, 8, 3, &value);
        *(*to)++ = (uint8_t)value;
        return value <= 255;
    }
    ++*at;
    if (kind == 'x' || kind == 'X') {
        unsigned count = take_digits(at, end, 16, 2, &value);
        *(*to)++ = (uint8_t)value;
        return count > 0;
    }
    if (kind == 'u' || kind == 'U') {
        unsigned want = kind == 'u' ? 4 : 8;
        if (take_digits(at, end, 16, want, &value) != want || value > 0x10ffff)
            return false;
        *to = put_utf8(*to, value);
        return true;
    }
    return false;
}

/* From a piece's opening quote to behind its closing one. */
static bool decode_piece(const struct mi_pbt *t, const uint8_t **from, const uint8_t *end,
                         uint8_t **to)
{
    const uint8_t *at = *from;
    uint8_t quote = *at++;
    while (*at != quote) {
        if (*at != '\\') {
            *(*to)++ = *at++;
            continue;
        }
        const uint8_t *place = at++;
        if (!escape(&at, end, to)) {
            uint64_t offset = (uint64_t)(place - t->start);
            return mi_fail_at(t->err, MI_EFORMAT, offset, mi_pbt_line(t),
                              "protobuf text: unknown escape in a string");
        }
    }
    *from = at + 1;
    return true;
}

bool mi_pbt_decode(const struct mi_pbt *t, uint8_t *into, size_t *len)
{
    const uint8_t *at = t->raw.at, *end = at + t->raw.len;
    uint8_t *to = into;
    *len = 0;
    if (t->kind != MI_PBT_STRING)
        return mi_fail_at(t->err, MI_EFORMAT, mi_pbt_offset(t), mi_pbt_line(t),
                          "protobuf text: expected a string");
    while (at < end) {
        if (*at == '"' || *at == '\'') {
            if (!decode_piece(t, &at, end, &to))
                return false;
        } else if (*at == '#') {
            const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
            at = newline ? newline : end;
        } else {
            at++;
        }
    }
    *len = (size_t)(to - into);
    return true;
}

/* Splits off the sign; false if the value is no number. */
static bool magnitude(const struct mi_pbt *t, struct mi_bytes *digits, bool *is_negative)
{
    const uint8_t *at = t->raw.at, *end = at + t->raw.len;
    if (t->kind != MI_PBT_NUMBER && t->kind != MI_PBT_WORD)
        return false;
    *is_negative = at < end && *at == '-';
    if (*is_negative)
        for (at = mi_pbt_skip_space(at + 1, end); at < end && *at == '#';) {
            at = memchr(at, '\n', (size_t)(end - at));
            if (!at)
                return false;
            at = mi_pbt_skip_space(at, end);
        }
    *digits = (struct mi_bytes){at, (size_t)(end - at)};
    return at < end;
}

static bool parse_unsigned(struct mi_bytes digits, uint64_t *value)
{
    const uint8_t *at = digits.at, *end = at + digits.len;
    unsigned base = 10;
    if (digits.len > 2 && at[0] == '0' && (at[1] | 0x20) == 'x') {
        base = 16;
        at += 2;
    } else if (digits.len > 1 && at[0] == '0') {
        base = 8;
        at++;
    }
    *value = 0;
    for (; at < end; at++) {
        int digit = hex_digit(*at);
        if (digit < 0 || (unsigned)digit >= base || *value > (UINT64_MAX - (unsigned)digit) / base)
            return false;
        *value = *value * base + (unsigned)digit;
    }
    return digits.len > 0;
}

bool mi_pbt_u64(const struct mi_pbt *t, uint64_t *value)
{
    struct mi_bytes digits;
    bool is_negative;
    return magnitude(t, &digits, &is_negative) && parse_unsigned(digits, value) &&
           (!is_negative || *value == 0);
}

bool mi_pbt_i64(const struct mi_pbt *t, int64_t *value)
{
    struct mi_bytes digits;
    bool is_negative;
    uint64_t size;
    if (!magnitude(t, &digits, &is_negative) || !parse_unsigned(digits, &size) ||
        size > (uint64_t)INT64_MAX + is_negative)
        return false;
    *value = (int64_t)(is_negative ? 0 - size : size);
    return true;
}

static bool equal_nocase(struct mi_bytes word, const char *lower)
{
    size_t i = 0;
    for (; i < word.len && lower[i]; i++)
        if ((word.at[i] | 0x20) != (uint8_t)lower[i])
            return false;
    return i == word.len && !lower[i];
}

static bool parse_double(struct mi_bytes digits, double *value)
{
    const uint8_t *at = digits.at, *end = at + digits.len;
    uint64_t whole;
    if (equal_nocase(digits, "inf") || equal_nocase(digits, "infinity")) {
        *value = HUGE_VAL;
        return true;
    }
    if (equal_nocase(digits, "nan")) {
        *value = NAN;
        return true;
    }
    if (digits.len > 1 && *at == '0' && parse_unsigned(digits, &whole)) {
        *value = (double)whole;
        return true;
    }
    if (digits.len > 1 && (end[-1] | 0x20) == 'f')
        digits.len--;
    return !(mi_decimal_double(digits, value) & MI_DECIMAL_BAD);
}

bool mi_pbt_double(const struct mi_pbt *t, double *value)
{
    struct mi_bytes digits;
    bool is_negative;
    if (!magnitude(t, &digits, &is_negative) || !parse_double(digits, value))
        return false;
    if (is_negative)
        *value = -*value;
    return true;
}

bool mi_pbt_bool(const struct mi_pbt *t, bool *value)
{
    static const char *const words[] = {"false", "f", "False", "0", "true", "t", "True", "1"};
    if (t->kind != MI_PBT_WORD && t->kind != MI_PBT_NUMBER)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (mi_bytes_equal(t->raw, mi_cstr(words[i]))) {
            *value = i >= 4;
            return true;
        }
    }
    return false;
}
