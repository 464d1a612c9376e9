#include "base/decimal.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Largest power of ten in a uint64, and digits that always fit one. */
#define SAFE_DIGITS 19

/* Exponents are clamped here while reading: far beyond every finite result, far from int overflow.
 */
#define EXP_CLAMP 1000000000L

static const uint64_t powers[SAFE_DIGITS + 1] = {UINT64_C(1),
                                                 UINT64_C(10),
                                                 UINT64_C(100),
                                                 UINT64_C(1000),
                                                 UINT64_C(10000),
                                                 UINT64_C(100000),
                                                 UINT64_C(1000000),
                                                 UINT64_C(10000000),
                                                 UINT64_C(100000000),
                                                 UINT64_C(1000000000),
                                                 UINT64_C(10000000000),
                                                 UINT64_C(100000000000),
                                                 UINT64_C(1000000000000),
                                                 UINT64_C(10000000000000),
                                                 UINT64_C(100000000000000),
                                                 UINT64_C(1000000000000000),
                                                 UINT64_C(10000000000000000),
                                                 UINT64_C(100000000000000000),
                                                 UINT64_C(1000000000000000000),
                                                 UINT64_C(10000000000000000000)};

/* The parts of a number: whole digits, fraction digits, exponent. */
struct parts {
    struct mi_bytes whole, fraction;
    long exponent;
    bool negative;
};

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct mi_bytes trim(struct mi_bytes text)
{
    while (text.len && is_blank(text.at[0]))
        text = mi_bytes_sub(text, 1, text.len);
    while (text.len && is_blank(text.at[text.len - 1]))
        text.len--;
    return text;
}

/* Takes the digits at the front of `text`. */
static struct mi_bytes take_digits(struct mi_bytes *text)
{
    size_t len = 0;
    while (len < text->len && text->at[len] >= '0' && text->at[len] <= '9')
        len++;
    struct mi_bytes digits = mi_bytes_sub(*text, 0, len);
    *text = mi_bytes_sub(*text, len, text->len);
    return digits;
}

static bool take_byte(struct mi_bytes *text, uint8_t byte)
{
    if (!text->len || text->at[0] != byte)
        return false;
    *text = mi_bytes_sub(*text, 1, text->len);
    return true;
}

static bool take_sign(struct mi_bytes *text)
{
    bool negative = take_byte(text, '-');
    if (!negative)
        take_byte(text, '+');
    return negative;
}

static bool take_exponent(struct mi_bytes *text, long *exponent)
{
    if (!take_byte(text, 'e') && !take_byte(text, 'E'))
        return true;
    bool negative = take_sign(text);
    struct mi_bytes digits = take_digits(text);
    if (!digits.len)
        return false;
    long value = 0;
    for (size_t i = 0; i < digits.len && value < EXP_CLAMP; i++)
        value = value * 10 + (digits.at[i] - '0');
    *exponent = negative ? -value : value;
    return true;
}

static bool split(struct mi_bytes text, struct parts *out)
{
    text = trim(text);
    *out = (struct parts){.negative = take_sign(&text)};
    out->whole = take_digits(&text);
    if (take_byte(&text, '.'))
        out->fraction = take_digits(&text);
    if (!out->whole.len && !out->fraction.len)
        return false;
    return take_exponent(&text, &out->exponent) && !text.len;
}

/* Digit `i` of whole and fraction written behind each other. */
static unsigned digit_at(const struct parts *p, size_t i)
{
    const uint8_t *at = i < p->whole.len ? p->whole.at + i : p->fraction.at + (i - p->whole.len);
    return (unsigned)(*at - '0');
}

/* Signed result from magnitude; `over` says that the magnitude did not even fit a uint64. */
static unsigned finish_i64(uint64_t magnitude, bool negative, bool over, unsigned flags,
                           int64_t *out)
{
    uint64_t most = (uint64_t)INT64_MAX + negative;
    if (over || magnitude > most) {
        *out = negative ? INT64_MIN : INT64_MAX;
        return MI_DECIMAL_OVERFLOW;
    }
    *out = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return flags;
}

/* Rounds what was cut off below one unit; `rest_half` compares that part with one half: <0, 0, >0.
 * Halves go upwards: away from zero for positive, towards zero for negative values. */
static uint64_t round_rest(uint64_t magnitude, int rest_half, bool negative)
{
    return magnitude + (rest_half > 0 || (rest_half == 0 && !negative));
}

/* Digit by digit: any number of digits, any exponent. Digits from `keep` on lie below one unit. */
static unsigned scale_slow(const struct parts *p, long shift, int64_t *out)
{
    size_t count = p->whole.len + p->fraction.len, first = 0;
    while (first < count && digit_at(p, first) == 0)
        first++;
    if (first == count) {
        *out = 0;
        return 0;
    }
    /* number of digits in front of the unit; may lie left of all digits or right of them */
    int64_t keep = (int64_t)count + shift - (int64_t)first;
    if (keep > SAFE_DIGITS) /* the first digit is not 0, so this exceeds int64 */
        return finish_i64(0, p->negative, true, 0, out);
    if (keep < 0) {
        *out = 0;
        return MI_DECIMAL_LOSS;
    }
    uint64_t magnitude = 0;
    size_t i = first;
    for (int64_t k = 0; k < keep; k++, i++)
        magnitude = magnitude * 10 + (i < count ? digit_at(p, i) : 0);
    unsigned half = i < count ? digit_at(p, i++) : 0;
    bool more = false;
    for (; i < count && !more; i++)
        more = digit_at(p, i) != 0;
    if (half || more) {
        int order = half != 5 ? (int)half - 5 : (int)more;
        magnitude = round_rest(magnitude, order, p->negative);
    }
    return finish_i64(magnitude, p->negative, false, half || more ? MI_DECIMAL_LOSS : 0, out);
}

static unsigned scale(const struct parts *p, int exp10, int64_t *out)
{
    size_t count = p->whole.len + p->fraction.len;
    *out = 0;
    if (p->fraction.len > (size_t)EXP_CLAMP || p->whole.len > (size_t)EXP_CLAMP)
        return MI_DECIMAL_BAD;
    long shift = p->exponent + exp10 - (long)p->fraction.len;
    if (count > SAFE_DIGITS || shift > SAFE_DIGITS || shift < -SAFE_DIGITS)
        return scale_slow(p, shift, out);
    uint64_t value = mi_decimal_digits(p->whole.at, p->whole.len);
    if (p->fraction.len)
        value =
            value * powers[p->fraction.len] + mi_decimal_digits(p->fraction.at, p->fraction.len);
    if (shift == 0)
        return finish_i64(value, p->negative, false, 0, out);
    if (shift > 0) {
        bool over = __builtin_mul_overflow(value, powers[shift], &value);
        return finish_i64(value, p->negative, over, 0, out);
    }
    uint64_t unit = powers[-shift], rest = value % unit, half = unit / 2;
    value /= unit;
    if (!rest)
        return finish_i64(value, p->negative, false, 0, out);
    value = round_rest(value, (rest > half) - (rest < half), p->negative);
    return finish_i64(value, p->negative, false, MI_DECIMAL_LOSS, out);
}

unsigned mi_decimal_from_parts(bool is_negative, struct mi_bytes whole, struct mi_bytes fraction,
                               int exp10, int64_t *out)
{
    const struct parts p = {.whole = whole, .fraction = fraction, .negative = is_negative};
    return scale(&p, exp10, out);
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Digits behind the last that counts: to the nearest, halves upwards. False: not only digits. */
static bool round_quick(const uint8_t *at, const uint8_t *end, uint64_t *value, unsigned *flags)
{
    *value += at < end && *at >= '5';
    for (; at < end && is_digit(*at); at++)
        *flags |= *at != '0' ? (unsigned)MI_DECIMAL_LOSS : 0;
    return at == end;
}

/* What numbers mostly are: digits, perhaps a point and digits. False: more than that, or too many.
 */
static bool scale_quick(struct mi_bytes text, unsigned exp10, int64_t *out, unsigned *flags)
{
    if (text.len == 0) /* perhaps without an address */
        return false;
    const uint8_t *at = text.at, *end = at + text.len;
    uint64_t value = 0;
    for (; end - at >= 8 && mi_decimal_is_eight(mi_load_u64le(at)) && at - text.at < 16; at += 8)
        value = value * 100000000 + mi_decimal_eight(mi_load_u64le(at));
    for (; at < end && is_digit(*at); at++)
        value = value * 10 + (uint64_t)(*at - '0');
    size_t digits = (size_t)(at - text.at) + exp10;
    if (digits == exp10 || digits > SAFE_DIGITS || (digits == SAFE_DIGITS && *text.at == '9'))
        return false; /* what begins with less than 9 has room */
    *flags = 0;
    if (at < end && *at++ != '.')
        return false;
    for (; exp10 && at < end && is_digit(*at); at++, exp10--)
        value = value * 10 + (uint64_t)(*at - '0');
    value *= powers[exp10];
    *out = (int64_t)value;
    if (at == end)
        return at[-1] != '.';
    bool is_number = !exp10 && round_quick(at, end, &value, flags);
    *out = (int64_t)value;
    return is_number;
}

/* Kept out of the way of the quick ones. */
__attribute__((noinline)) static unsigned scale_any(struct mi_bytes text, int exp10, int64_t *out)
{
    struct parts p;
    *out = 0;
    return split(text, &p) ? scale(&p, exp10, out) : (unsigned)MI_DECIMAL_BAD;
}

unsigned mi_decimal_scaled(struct mi_bytes text, int exp10, int64_t *out)
{
    unsigned flags;
    if (exp10 >= 0 && exp10 < SAFE_DIGITS && scale_quick(text, (unsigned)exp10, out, &flags))
        return flags;
    return scale_any(text, exp10, out);
}

/* Sign and magnitude of an integer. */
static unsigned read_integer(struct mi_bytes text, uint64_t *magnitude, bool *negative, bool *over)
{
    text = trim(text);
    *negative = take_sign(&text);
    *over = false;
    struct mi_bytes digits = take_digits(&text);
    *magnitude = 0;
    if (!digits.len || text.len)
        return MI_DECIMAL_BAD;
    while (digits.len > 1 && digits.at[0] == '0')
        digits = mi_bytes_sub(digits, 1, digits.len);
    if (digits.len > SAFE_DIGITS + 1) {
        *over = true;
        return 0;
    }
    size_t head = digits.len > SAFE_DIGITS ? SAFE_DIGITS : digits.len;
    *magnitude = mi_decimal_digits(digits.at, head);
    if (digits.len > head) {
        *over = __builtin_mul_overflow(*magnitude, (uint64_t)10, magnitude);
        *over |= __builtin_add_overflow(*magnitude, (uint64_t)(digits.at[head] - '0'), magnitude);
    }
    return 0;
}

unsigned mi_decimal_i64(struct mi_bytes text, int64_t *out)
{
    uint64_t magnitude;
    bool negative, over;
    *out = 0;
    if (read_integer(text, &magnitude, &negative, &over))
        return MI_DECIMAL_BAD;
    return finish_i64(magnitude, negative, over, 0, out);
}

unsigned mi_decimal_u64(struct mi_bytes text, uint64_t *out)
{
    bool negative, over;
    if (read_integer(text, out, &negative, &over))
        return MI_DECIMAL_BAD;
    if (negative && (over || *out)) {
        *out = 0;
        return MI_DECIMAL_OVERFLOW;
    }
    if (over)
        *out = UINT64_MAX;
    return over ? MI_DECIMAL_OVERFLOW : 0;
}

/* Enough significant digits to decide every rounding; one more digit stands for all that follow. */
#define MOST_DIGITS 780

/* Rewrites the number as digits and exponent without a point, the one form strtod() reads alike in
 * every locale. */
static double read_double(const struct parts *p)
{
    char text[MOST_DIGITS + 32];
    size_t count = p->whole.len + p->fraction.len, used = 0, i = 0;
    while (i < count && digit_at(p, i) == 0)
        i++;
    for (; i < count && used < MOST_DIGITS; i++)
        text[used++] = (char)('0' + digit_at(p, i));
    int64_t exponent = p->exponent - (int64_t)p->fraction.len + (int64_t)(count - i);
    bool more = false;
    for (; i < count && !more; i++)
        more = digit_at(p, i) != 0;
    if (more) {
        text[used++] = '1';
        exponent--;
    }
    if (!used)
        return 0.0;
    if (exponent > 100000)
        exponent = 100000;
    if (exponent < -100000)
        exponent = -100000;
    snprintf(text + used, sizeof text - used, "e%d", (int)exponent);
    return strtod(text, NULL);
}

unsigned mi_decimal_double(struct mi_bytes text, double *out)
{
    static const double exact[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    struct parts p;
    *out = 0;
    if (!split(text, &p))
        return MI_DECIMAL_BAD;
    long shift = p.fraction.len <= 64 ? p.exponent - (long)p.fraction.len : LONG_MIN;
    double value;
    if (p.whole.len + p.fraction.len <= 15 && shift >= -22 && shift <= 22) {
        /* both factors are exact doubles, so one operation rounds once */
        uint64_t digits = mi_decimal_digits(p.whole.at, p.whole.len);
        if (p.fraction.len)
            digits =
                digits * powers[p.fraction.len] + mi_decimal_digits(p.fraction.at, p.fraction.len);
        value = shift < 0 ? (double)digits / exact[-shift] : (double)digits * exact[shift];
    } else {
        value = read_double(&p);
    }
    *out = p.negative ? -value : value;
    return isinf(value) ? MI_DECIMAL_OVERFLOW : 0;
}

size_t mi_decimal_format_u64(uint64_t value, char out[MI_DECIMAL_ROOM])
{
    char digits[MI_DECIMAL_ROOM];
    size_t len = 0;
    do
        digits[len++] = (char)('0' + value % 10);
    while (value /= 10);
    for (size_t i = 0; i < len; i++)
        out[i] = digits[len - 1 - i];
    out[len] = '\0';
    return len;
}

size_t mi_decimal_format_i64(int64_t value, char out[MI_DECIMAL_ROOM])
{
    if (value >= 0)
        return mi_decimal_format_u64((uint64_t)value, out);
    char digits[MI_DECIMAL_ROOM];
    size_t len = mi_decimal_format_u64(0 - (uint64_t)value, digits);
    out[0] = '-';
    memcpy(out + 1, digits, len + 1);
    return len + 1;
}

size_t mi_decimal_format_us(int64_t ns, char out[MI_DECIMAL_ROOM])
{
    uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    unsigned fraction = (unsigned)(magnitude % 1000);
    char whole[MI_DECIMAL_ROOM];
    size_t len = mi_decimal_format_u64(magnitude / 1000, whole), used = 0;
    if (ns < 0)
        out[used++] = '-';
    memcpy(out + used, whole, len);
    used += len;
    out[used++] = '.';
    out[used++] = (char)('0' + fraction / 100);
    out[used++] = (char)('0' + fraction / 10 % 10);
    out[used++] = (char)('0' + fraction % 10);
    out[used] = '\0';
    return used;
}

size_t mi_decimal_format_span(int64_t ns, char out[MI_DECIMAL_ROOM])
{
    static const char *const units[] = {" us", " ms", " s"};
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns, step = 1;
    size_t unit = 0, used = 0;
    if (size < 1000) {
        used = mi_decimal_format_i64(ns, out);
        memcpy(out + used, " ns", sizeof " ns");
        return used + strlen(" ns");
    }
    /* thousandths of the unit are what is counted; those below a whole million show as they are */
    while (unit + 1 < sizeof units / sizeof *units && (size + step / 2) / step >= 1000000) {
        step *= 1000;
        unit++;
    }
    uint64_t thousandths = (size + step / 2) / step;
    used = mi_decimal_format_us((ns < 0 ? -1 : 1) * (int64_t)thousandths, out);
    memcpy(out + used, units[unit], strlen(units[unit]) + 1);
    return used + strlen(units[unit]);
}

/* Shortest digits (no trailing zeros) of a finite positive double; value = 0.d1d2d3... * 10^*point.
 */
static size_t shortest_digits(double value, char digits[MI_DECIMAL_ROOM], int *point)
{
    /* 15 digits always survive the way through a normal double, so fewer need not be tried */
    for (int precision = value < DBL_MIN ? 1 : 15;; precision++) {
        char text[64], back[64];
        snprintf(text, sizeof text, "%.*e", precision - 1, value);
        size_t len = 0;
        const char *c = text;
        for (; *c != 'e'; c++) /* whatever the locale's point looks like, it is no digit */
            if (*c >= '0' && *c <= '9')
                digits[len++] = *c;
        int exponent = (int)strtol(c + 1, NULL, 10);
        while (len > 1 && digits[len - 1] == '0')
            len--;
        digits[len] = '\0';
        *point = exponent + 1;
        snprintf(back, sizeof back, "%se%d", digits, exponent + 1 - (int)len);
        if (precision == 17 || strtod(back, NULL) == value)
            return len;
    }
}

size_t mi_decimal_format_double(double value, char out[MI_DECIMAL_ROOM])
{
    if (isnan(value))
        return (size_t)snprintf(out, MI_DECIMAL_ROOM, "nan");
    if (isinf(value))
        return (size_t)snprintf(out, MI_DECIMAL_ROOM, value < 0 ? "-inf" : "inf");
    if (value == 0)
        return (size_t)snprintf(out, MI_DECIMAL_ROOM, signbit(value) ? "-0" : "0");
    const char *sign = value < 0 ? "-" : "";
    char digits[MI_DECIMAL_ROOM];
    int point;
    int len = (int)shortest_digits(fabs(value), digits, &point);
    int used;
    if (point > 21 || point < -5)
        used = snprintf(out, MI_DECIMAL_ROOM, "%s%.1s%s%se%+d", sign, digits, len > 1 ? "." : "",
                        digits + 1, point - 1);
    else if (point <= 0)
        used = snprintf(out, MI_DECIMAL_ROOM, "%s0.%.*s%s", sign, -point, "00000", digits);
    else if (len <= point)
        used = snprintf(out, MI_DECIMAL_ROOM, "%s%s%.*s", sign, digits, point - len,
                        "00000000000000000000");
    else
        used = snprintf(out, MI_DECIMAL_ROOM, "%s%.*s.%s", sign, point, digits, digits + point);
    return (size_t)used;
}
