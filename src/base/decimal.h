/* Exact decimal text: to int64 without ever going through a double, and back.
 *
 * Text that is accepted: optional blanks (space, tab, CR, LF) around an optional sign, digits with
 * an optional point (a digit on at least one side), and an optional exponent. This is wider than
 * JSON's numbers on purpose: traces carry "12.5\t", "+3" and ".5". Pure functions, any thread, no
 * locale. */
#ifndef MI_BASE_DECIMAL_H
#define MI_BASE_DECIMAL_H

#include "base/bytes.h"

/* What happened to the value; 0 = exact. */
enum mi_decimal_flag {
    MI_DECIMAL_LOSS = 1,     /* digits below one unit were rounded away */
    MI_DECIMAL_OVERFLOW = 2, /* outside the range: its nearest end was returned; comes alone */
    MI_DECIMAL_BAD = 4,      /* not a decimal number: 0 was returned */
};

/* `text` times 10 to the power `exp10` as int64. Rounds to the nearest unit, halves upwards, so
 * that shifting all times by a constant keeps their differences. exp10 = 3 turns microseconds into
 * ns. Returns mi_decimal_flag bits. */
unsigned mi_decimal_scaled(struct mi_bytes text, int exp10, int64_t *out);

/* The same for a number without exponent whose digits are known: `whole` in front of the point,
 * `fraction` behind it, both only digits, either may be empty. */
unsigned mi_decimal_from_parts(bool is_negative, struct mi_bytes whole, struct mi_bytes fraction,
                               int exp10, int64_t *out);

/* An integer: blanks, sign, digits, nothing else. Returns mi_decimal_flag bits (never LOSS). */
unsigned mi_decimal_i64(struct mi_bytes text, int64_t *out);

/* Same for 0 .. 2^64-1; a minus sign in front of anything but zero gives OVERFLOW and 0. */
unsigned mi_decimal_u64(struct mi_bytes text, uint64_t *out);

/* Nearest double, correctly rounded, whatever the locale. OVERFLOW: the value became infinite. */
unsigned mi_decimal_double(struct mi_bytes text, double *out);

#define MI_DECIMAL_ROOM 32

/* Each writes text and a NUL, returns the length without the NUL. */
size_t mi_decimal_format_i64(int64_t value, char out[MI_DECIMAL_ROOM]);
size_t mi_decimal_format_u64(uint64_t value, char out[MI_DECIMAL_ROOM]);

/* `ns` as microseconds with exactly three decimals: -1 -> "-0.001". */
size_t mi_decimal_format_us(int64_t ns, char out[MI_DECIMAL_ROOM]);

/* `ns` in the unit that fits, with three decimals, rounded: "512 ns", "5.004 us", "127.476 ms",
 * "12.300 s". */
size_t mi_decimal_format_span(int64_t ns, char out[MI_DECIMAL_ROOM]);

/* The shortest digits that read back as the same double, laid out as ECMAScript does (fixed
 * notation for 1e-6 <= |x| < 1e21, else d.ddde+x); a point is always '.'. NaN and infinities give
 * "nan", "inf", "-inf". */
size_t mi_decimal_format_double(double value, char out[MI_DECIMAL_ROOM]);

/* Whether all eight bytes are ASCII digits. */
static inline bool mi_decimal_is_eight(uint64_t word)
{
    /* digits become 0 to 9; what is above sets the highest bit of its byte, or has it already */
    word ^= UINT64_C(0x3030303030303030);
    return !(((word + UINT64_C(0x7676767676767676)) | word) & UINT64_C(0x8080808080808080));
}

/* The value of eight ASCII digits: pairs, then fours, then all eight. */
static inline uint64_t mi_decimal_eight(uint64_t word)
{
    word -= UINT64_C(0x3030303030303030);
    word = word * 10 + (word >> 8);
    return ((word & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
            ((word >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
           32;
}

/* The value of `len` ASCII digits, 1 to 8, where eight bytes may be read. */
static inline uint64_t mi_decimal_up_to_eight(const uint8_t *at, size_t len)
{
    /* moved up, so that digits that are missing become noughts in front */
    uint64_t word = mi_load_u64le(at) << (64 - 8 * len);
    return mi_decimal_eight(word | (UINT64_C(0x3030303030303030) >> 1 >> (8 * len - 1)));
}

/* Value of `len` ASCII digits, 0 <= len <= 19; the caller has checked that they are digits. */
static inline uint64_t mi_decimal_digits(const uint8_t *at, size_t len)
{
    uint64_t value = 0;
    for (; len >= 8; at += 8, len -= 8)
        value = value * 100000000 + mi_decimal_eight(mi_load_u64le(at));
    for (; len; at++, len--)
        value = value * 10 + (uint64_t)(*at - '0');
    return value;
}

#endif
