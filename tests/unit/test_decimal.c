/* Decimals: exact values, rounding, overflow, text that is no number; 128-bit arithmetic as judge.
 */
#include "base/decimal.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rng.h"

__extension__ typedef __int128 wide;

/* All lengths of digits, with other bytes on both sides. */
static void digits_of_any_length(void **state)
{
    (void)state;
    const uint8_t *text = (const uint8_t *)"x9876543210123456789xyzuvw";
    for (size_t from = 1; from < 20; from++) {
        uint64_t want = 0;
        for (size_t len = 1; from + len <= 20; len++) {
            want = want * 10 + (uint64_t)(text[from + len - 1] - '0');
            assert_int_equal(mi_decimal_digits(text + from, len), want);
            if (len <= 8)
                assert_int_equal(mi_decimal_up_to_eight(text + from, len), want);
        }
    }
    for (unsigned byte = 0; byte < 256; byte++) {
        for (size_t at = 0; at < 8; at++) {
            uint8_t word[] = "09182736";
            word[at] = (uint8_t)byte;
            assert_int_equal(mi_decimal_is_eight(mi_load_u64le(word)), byte >= '0' && byte <= '9');
        }
    }
}

static void equal_bytes(void **state)
{
    (void)state;
    uint8_t a[40], b[40];
    for (size_t i = 0; i < sizeof a; i++)
        a[i] = b[i] = (uint8_t)(i * 7);
    for (size_t len = 0; len < sizeof a; len++) {
        assert_true(mi_bytes_same(a, b, len));
        for (size_t at = 0; at < sizeof a; at++) {
            b[at] ^= 0x80;
            assert_int_equal(mi_bytes_same(a, b, len), at >= len);
            b[at] ^= 0x80;
        }
    }
}

static void scaled_cases(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int exp10;
        int64_t want;
        unsigned flags;
    } cases[] = {
        {"1736412474723783.388", 3, INT64_C(1736412474723783388), 0},
        {"1736412474723783.388\t", 3, INT64_C(1736412474723783388), 0},
        {" \t+12.5", 3, 12500, 0},
        {"-0.001", 3, -1, 0},
        {"0.0001", 3, 0, MI_DECIMAL_LOSS},
        {"0.0005", 3, 1, MI_DECIMAL_LOSS},
        {"8999999999999999.9995", 3, INT64_C(9000000000000000000), MI_DECIMAL_LOSS},
        {"9000000000000000.0004", 3, INT64_C(9000000000000000000), MI_DECIMAL_LOSS},
        {"12345678.12345678", 3, INT64_C(12345678123), MI_DECIMAL_LOSS},
        {"12345678123456781", 2, INT64_C(1234567812345678100), 0},
        {"1234567/12345678", 3, 0, MI_DECIMAL_BAD},
        {"12345678.1:", 3, 0, MI_DECIMAL_BAD},
        {"1234567\xb1", 3, 0, MI_DECIMAL_BAD},
        {"-0.0005", 3, 0, MI_DECIMAL_LOSS},
        {"-0.00051", 3, -1, MI_DECIMAL_LOSS},
        {"-1.0005", 3, -1000, MI_DECIMAL_LOSS},
        {"1.9999", 3, 2000, MI_DECIMAL_LOSS},
        {"0.29999999999999999", 3, 300, MI_DECIMAL_LOSS},
        {"1.50000000000000000000000000000000000000000000000000", 3, 1500, 0},
        {"0.00050000000000000000000000000000000000000000000001", 3, 1, MI_DECIMAL_LOSS},
        {"-0.00050000000000000000000000000000000000000000000001", 3, -1, MI_DECIMAL_LOSS},
        {"0.00000000000000000000000000000000000000000000000001", 3, 0, MI_DECIMAL_LOSS},
        {"000000000000000000000000000000000000000000000012", 0, 12, 0},
        {"1e3", 0, 1000, 0},
        {"1.5E+3", 0, 1500, 0},
        {"1500e-3", 3, 1500, 0},
        {"9223372036854775.807", 3, INT64_MAX, 0},
        {"-9223372036854775.808", 3, INT64_MIN, 0},
        {"9223372036854775.808", 3, INT64_MAX, MI_DECIMAL_OVERFLOW},
        {"9223372036854775.8075", 3, INT64_MAX, MI_DECIMAL_OVERFLOW},
        {"-9223372036854775.8085", 3, INT64_MIN, MI_DECIMAL_LOSS},
        {"18446744073709551615", 0, INT64_MAX, MI_DECIMAL_OVERFLOW},
        {"18446744073709551615.9", 0, INT64_MAX, MI_DECIMAL_OVERFLOW},
        {"-18446744073709551616", 3, INT64_MIN, MI_DECIMAL_OVERFLOW},
        {"1e400", 0, INT64_MAX, MI_DECIMAL_OVERFLOW},
        {"0e999999999999999999999", 0, 0, 0},
        {"1e999999999999999999999", 3, INT64_MAX, MI_DECIMAL_OVERFLOW},
        {"1e-999999999999999999999", 3, 0, MI_DECIMAL_LOSS},
        {".5", 1, 5, 0},
        {"5.", 1, 50, 0},
        {"", 3, 0, MI_DECIMAL_BAD},
        {".", 3, 0, MI_DECIMAL_BAD},
        {"-", 3, 0, MI_DECIMAL_BAD},
        {"1e", 3, 0, MI_DECIMAL_BAD},
        {"1e+", 3, 0, MI_DECIMAL_BAD},
        {"e1", 3, 0, MI_DECIMAL_BAD},
        {"1 2", 3, 0, MI_DECIMAL_BAD},
        {"1.2.3", 3, 0, MI_DECIMAL_BAD},
        {"0x10", 3, 0, MI_DECIMAL_BAD},
        {"--1", 3, 0, MI_DECIMAL_BAD},
        {"nan", 3, 0, MI_DECIMAL_BAD},
        {"N/A", 3, 0, MI_DECIMAL_BAD},
        {"1,5", 3, 0, MI_DECIMAL_BAD},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t got = 99;
        unsigned flags = mi_decimal_scaled(mi_cstr(cases[i].text), cases[i].exp10, &got);
        if (flags != cases[i].flags || got != cases[i].want)
            fail_msg("%s: %lld, flags %u", cases[i].text, (long long)got, flags);
    }
    int64_t got;
    assert_int_equal(mi_decimal_scaled((struct mi_bytes){0}, 3, &got), MI_DECIMAL_BAD);
    assert_int_equal(mi_decimal_scaled((struct mi_bytes){(const uint8_t *)"1\0", 2}, 3, &got),
                     MI_DECIMAL_BAD);
}

static void integers(void **state)
{
    (void)state;
    int64_t i64;
    uint64_t u64;
    assert_int_equal(mi_decimal_i64(MI_LIT("-9223372036854775808"), &i64), 0);
    assert_true(i64 == INT64_MIN);
    assert_int_equal(mi_decimal_i64(MI_LIT("-9223372036854775809"), &i64), MI_DECIMAL_OVERFLOW);
    assert_true(i64 == INT64_MIN);
    assert_int_equal(mi_decimal_i64(MI_LIT("\t42 \r\n"), &i64), 0);
    assert_int_equal(i64, 42);
    assert_int_equal(mi_decimal_i64(MI_LIT("4.2"), &i64), MI_DECIMAL_BAD);
    assert_int_equal(mi_decimal_i64(MI_LIT("1e2"), &i64), MI_DECIMAL_BAD);
    assert_int_equal(mi_decimal_i64(MI_LIT(""), &i64), MI_DECIMAL_BAD);
    assert_int_equal(mi_decimal_i64(MI_LIT("00000000000000000000000007"), &i64), 0);
    assert_int_equal(i64, 7);
    assert_int_equal(mi_decimal_u64(MI_LIT("18446744073709551615"), &u64), 0);
    assert_true(u64 == UINT64_MAX);
    assert_int_equal(mi_decimal_u64(MI_LIT("18446744073709551616"), &u64), MI_DECIMAL_OVERFLOW);
    assert_true(u64 == UINT64_MAX);
    assert_int_equal(mi_decimal_u64(MI_LIT("99999999999999999999999999"), &u64),
                     MI_DECIMAL_OVERFLOW);
    assert_int_equal(mi_decimal_u64(MI_LIT("-1"), &u64), MI_DECIMAL_OVERFLOW);
    assert_true(u64 == 0);
    assert_int_equal(mi_decimal_u64(MI_LIT("-0"), &u64), 0);
}

/* The definition, in arithmetic wide enough never to overflow: floor(digits * 10^shift + 1/2). */
static unsigned judge(wide digits, int shift, int64_t *out)
{
    unsigned flags = 0;
    for (; shift > 0; shift--)
        digits *= 10;
    if (shift < 0) {
        wide unit = 1;
        for (; shift < 0; shift++)
            unit *= 10;
        if (digits % unit)
            flags = MI_DECIMAL_LOSS;
        wide twice = 2 * digits + unit, floor = twice / (2 * unit);
        if (twice % (2 * unit) < 0)
            floor--;
        digits = floor;
    }
    if (digits > INT64_MAX || digits < INT64_MIN)
        flags = MI_DECIMAL_OVERFLOW;
    *out = digits > INT64_MAX ? INT64_MAX : digits < INT64_MIN ? INT64_MIN : (int64_t)digits;
    return flags;
}

static void wide_arithmetic_agrees(void **state)
{
    (void)state;
    uint64_t rng = 4711;
    for (int round = 0; round < 300000; round++) {
        char text[64];
        size_t used = 0, whole = 1 + rng_below(&rng, 13), fraction = rng_below(&rng, 13);
        bool negative = rng_below(&rng, 2), fives = rng_below(&rng, 4) == 0;
        wide digits = 0;
        if (negative)
            text[used++] = '-';
        for (size_t i = 0; i < whole + fraction; i++) {
            unsigned digit = (unsigned)rng_below(&rng, 10);
            if (fives)
                digit = i == whole + 2 ? 5 : 0;
            if (i == whole)
                text[used++] = '.';
            text[used++] = (char)('0' + digit);
            digits = digits * 10 + (wide)digit;
        }
        int exp10 = (int)rng_below(&rng, 9) - 3, exponent = (int)rng_below(&rng, 9) - 4;
        used += (size_t)snprintf(text + used, sizeof text - used, "e%d", exponent);
        int64_t got, want;
        unsigned flags = mi_decimal_scaled((struct mi_bytes){(uint8_t *)text, used}, exp10, &got);
        unsigned want_flags =
            judge(negative ? -digits : digits, exp10 + exponent - (int)fraction, &want);
        if (flags != want_flags || got != want)
            fail_msg("%.*s shift %d: %lld (%u), not %lld (%u)", (int)used, text, exp10,
                     (long long)got, flags, (long long)want, want_flags);
    }
}

static void formats_read_back(void **state)
{
    (void)state;
    uint64_t rng = 99;
    char text[MI_DECIMAL_ROOM];
    assert_int_equal(mi_decimal_format_us(-1, text), 6);
    assert_string_equal(text, "-0.001");
    mi_decimal_format_us(INT64_MIN, text);
    assert_string_equal(text, "-9223372036854775.808");
    mi_decimal_format_us(12500, text);
    assert_string_equal(text, "12.500");
    mi_decimal_format_i64(INT64_MIN, text);
    assert_string_equal(text, "-9223372036854775808");
    mi_decimal_format_u64(UINT64_MAX, text);
    assert_string_equal(text, "18446744073709551615");
    mi_decimal_format_u64(0, text);
    assert_string_equal(text, "0");
    for (int i = 0; i < 100000; i++) {
        int64_t value = (int64_t)(rng_next(&rng) >> rng_below(&rng, 64)), back;
        if (rng_below(&rng, 2))
            value = -value;
        size_t len = mi_decimal_format_us(value, text);
        assert_int_equal(mi_decimal_scaled((struct mi_bytes){(uint8_t *)text, len}, 3, &back), 0);
        assert_true(back == value);
        len = mi_decimal_format_i64(value, text);
        assert_int_equal(mi_decimal_i64((struct mi_bytes){(uint8_t *)text, len}, &back), 0);
        assert_true(back == value);
    }
}

static void double_layout(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {100, "100"},
        {123456789012345680000.0, "123456789012345680000"},
        {1e21, "1e+21"},
        {1.5e300, "1.5e+300"},
        {0.000001, "0.000001"},
        {0.00000125, "0.00000125"},
        {1e-7, "1e-7"},
        {5e-324, "5e-324"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {9007199254740993.0, "9007199254740992"},
        {1.0 / 3, "0.3333333333333333"},
    };
    char text[MI_DECIMAL_ROOM];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t len = mi_decimal_format_double(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
        assert_int_equal(len, strlen(text));
    }
    mi_decimal_format_double(-(double)INFINITY, text);
    assert_string_equal(text, "-inf");
    mi_decimal_format_double((double)NAN, text);
    assert_string_equal(text, "nan");
}

static void doubles_read_back(void **state)
{
    (void)state;
    uint64_t rng = 31337;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = rng_next(&rng);
        double value, back;
        char text[MI_DECIMAL_ROOM];
        memcpy(&value, &bits, sizeof value);
        if (i % 2)
            value = (double)(int64_t)(bits >> rng_below(&rng, 64)) / 1000.0;
        if (!isfinite(value))
            continue;
        size_t len = mi_decimal_format_double(value, text);
        assert_true(len < MI_DECIMAL_ROOM);
        assert_int_equal(mi_decimal_double((struct mi_bytes){(uint8_t *)text, len}, &back), 0);
        assert_memory_equal(&back, &value, sizeof value);
        assert_true(strtod(text, NULL) == value);
    }
}

static void hard_doubles(void **state)
{
    (void)state;
    double value;
    char text[2000];
    assert_int_equal(mi_decimal_double(MI_LIT("1e400"), &value), MI_DECIMAL_OVERFLOW);
    assert_true(isinf(value));
    assert_int_equal(mi_decimal_double(MI_LIT("-1e-400"), &value), 0);
    assert_true(value == 0 && signbit(value));
    assert_int_equal(mi_decimal_double(MI_LIT("0e99999999999"), &value), 0);
    assert_true(value == 0);
    assert_int_equal(mi_decimal_double(MI_LIT("x"), &value), MI_DECIMAL_BAD);
    /* half way between 1 and the next double, decided by the last of 1500 digits */
    static const char half[] = "1.00000000000000011102230246251565404236316680908203125";
    memset(text, '0', sizeof text);
    memcpy(text, half, sizeof half - 1);
    assert_int_equal(mi_decimal_double((struct mi_bytes){(uint8_t *)text, 1500}, &value), 0);
    assert_true(value == 1.0);
    text[1499] = '1';
    assert_int_equal(mi_decimal_double((struct mi_bytes){(uint8_t *)text, 1500}, &value), 0);
    assert_true(value == 1.0 + DBL_EPSILON);
}

static void spans_have_the_unit_that_fits(void **state)
{
    (void)state;
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {{0, "0 ns"},
                 {-1, "-1 ns"},
                 {999, "999 ns"},
                 {1000, "1.000 us"},
                 {5004, "5.004 us"},
                 {-5004, "-5.004 us"},
                 {999999, "999.999 us"},
                 {1000000, "1.000 ms"},
                 {127475886, "127.476 ms"},
                 {999999499, "999.999 ms"},
                 {999999500, "1.000 s"},
                 {INT64_C(3600000000000), "3600.000 s"},
                 {INT64_MIN, "-9223372036.855 s"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MI_DECIMAL_ROOM];
        assert_int_equal(mi_decimal_format_span(cases[i].ns, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_have_the_unit_that_fits),
        cmocka_unit_test(digits_of_any_length),
        cmocka_unit_test(equal_bytes),
        cmocka_unit_test(scaled_cases),
        cmocka_unit_test(integers),
        cmocka_unit_test(wide_arithmetic_agrees),
        cmocka_unit_test(formats_read_back),
        cmocka_unit_test(double_layout),
        cmocka_unit_test(doubles_read_back),
        cmocka_unit_test(hard_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
