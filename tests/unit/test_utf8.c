/* UTF-8: what is valid, how wide it is, and that nothing hostile reaches a terminal. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rng.h"

static void only_valid_sequences_decode(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned size;
        uint32_t code;
    } cases[] = {
        {"A", 1, 'A'},
        {"\xc3\xa9", 2, 0xe9},
        {"\xe2\x82\xac", 3, 0x20ac},
        {"\xf0\x9f\x98\x80", 4, 0x1f600},
        {"\xf4\x8f\xbf\xbf", 4, 0x10ffff},
        {"\x80", 0, 0},
        {"\xc0\x80", 0, 0},
        {"\xc1\xbf", 0, 0},
        {"\xe0\x9f\xbf", 0, 0},
        {"\xed\xa0\x80", 0, 0},
        {"\xf0\x8f\xbf\xbf", 0, 0},
        {"\xf4\x90\x80\x80", 0, 0},
        {"\xf5\x80\x80\x80", 0, 0},
        {"\xff", 0, 0},
        {"\xc3", 0, 0},
        {"\xe2\x82", 0, 0},
        {"\xc3(", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t code;
        struct mi_bytes text = mi_cstr(cases[i].text);
        assert_int_equal(mi_utf8_decode(text.at, text.len, &code), cases[i].size);
        assert_int_equal(code, cases[i].code);
        assert_true(mi_utf8_valid(text) == (cases[i].size != 0));
    }
    uint32_t code;
    assert_int_equal(mi_utf8_decode((const uint8_t *)"", 0, &code), 0);
    assert_true(mi_utf8_valid((struct mi_bytes){0}));
}

static size_t encode(uint32_t code, uint8_t out[4])
{
    if (code < 0x80)
        return out[0] = (uint8_t)code, 1;
    size_t size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i; i--, code >>= 6)
        out[i] = (uint8_t)(0x80 | (code & 0x3f));
    out[0] = (uint8_t)((0xf00u >> size & 0xff) | code);
    return size;
}

static void all_characters_decode(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        uint8_t text[4];
        uint32_t back;
        size_t size = encode(code, text);
        bool surrogate = code >= 0xd800 && code < 0xe000;
        assert_int_equal(mi_utf8_decode(text, size, &back), surrogate ? 0 : size);
        if (!surrogate)
            assert_int_equal(back, code);
    }
}

static void the_valid_part_is_found(void **state)
{
    (void)state;
    for (size_t len = 0; len < 70; len++)
        for (size_t bad = 0; bad <= len; bad++) {
            uint8_t text[72];
            memset(text, 'a', sizeof text);
            if (bad + 3 < len)
                memcpy(text + bad / 2, "\xc3\xa9", 2);
            if (bad < len)
                text[bad] = 0xff;
            size_t valid = mi_utf8_valid_len((struct mi_bytes){text, len});
            size_t want = 0;
            while (want < len) {
                uint32_t code;
                unsigned size = mi_utf8_decode(text + want, len - want, &code);
                if (!size)
                    break;
                want += size;
            }
            assert_int_equal(valid, want);
        }
}

static void check_shown(struct mi_bytes text, size_t most, const char *want, size_t width)
{
    struct mi_sink sink;
    mi_sink_init_memory(&sink);
    assert_int_equal(mi_utf8_show(&sink, text, most), width);
    mi_sink_byte(&sink, 0);
    assert_string_equal((const char *)mi_sink_bytes(&sink).at, want);
    mi_sink_fini(&sink);
}

static void hostile_text_is_shown_harmlessly(void **state)
{
    (void)state;
    check_shown(MI_LIT("conv1/Relu"), 0, "conv1/Relu", 10);
    check_shown(MI_LIT("a\nb\tc\rd\\e"), 0, "a\\nb\\tc\\rd\\\\e", 13);
    check_shown(MI_LIT("\x1b[31m\x7f\0"), 0, "\\x1b[31m\\x7f\\x00", 16);
    check_shown(MI_LIT("\x80\xff\xc3"), 0, "\\x80\\xff\\xc3", 12);
    check_shown(MI_LIT("\xc2\x9b"), 0, "\\u009b", 6);
    check_shown(MI_LIT("a\xe2\x80\xae"
                       "b\xe2\x81\xa6"),
                0, "a\\u202eb\\u2066", 14);
    check_shown(MI_LIT("\xf3\xa0\x81\x81"), 0, "\\U000e0041", 10);
    check_shown(MI_LIT("\xed\xa0\x80"), 0, "\\xed\\xa0\\x80", 12);
    check_shown(MI_LIT("\xe5\x8d\xb7\xe7\xa7\xaf"), 0, "\xe5\x8d\xb7\xe7\xa7\xaf", 4);
    check_shown(MI_LIT("e\xcc\x81"), 0, "e\xcc\x81", 1);
    check_shown((struct mi_bytes){0}, 5, "", 0);
}

static void long_text_is_cut_between_characters(void **state)
{
    (void)state;
    check_shown(MI_LIT("abcdef"), 6, "abcdef", 6);
    check_shown(MI_LIT("abcdefg"), 6, "abcde\xe2\x80\xa6", 6);
    check_shown(MI_LIT("abc\ndef"), 6, "abc\\n\xe2\x80\xa6", 6);
    check_shown(MI_LIT("abcd\ndef"), 6, "abcd\xe2\x80\xa6", 5);
    check_shown(MI_LIT("ab\xe5\x8d\xb7\xe5\x8d\xb7"), 4, "ab\xe2\x80\xa6", 3);
    check_shown(MI_LIT("ab"), 1, "\xe2\x80\xa6", 1);
    assert_int_equal(mi_utf8_shown_width(MI_LIT("ab\n"), 0), 4);
    assert_int_equal(mi_utf8_shown_width(MI_LIT("abcdefghij"), 3), 4);

    /* a million marks of no width do not come through */
    enum { MARKS = 1000000 };
    uint8_t *text = malloc(2 * MARKS);
    assert_non_null(text);
    for (size_t i = 0; i < MARKS; i++)
        memcpy(text + 2 * i, "\xcc\x81", 2);
    struct mi_sink sink;
    mi_sink_init_memory(&sink);
    assert_true(mi_utf8_show(&sink, (struct mi_bytes){text, 2 * MARKS}, 20) <= 20);
    assert_true(mi_sink_size(&sink) < 100);
    mi_sink_fini(&sink);
    free(text);
}

static void random_bytes_come_out_clean(void **state)
{
    (void)state;
    uint64_t rng = 1234567;
    for (int round = 0; round < 20000; round++) {
        uint8_t text[64];
        size_t len = rng_below(&rng, sizeof text), most = rng_below(&rng, 40), shown = 0;
        for (size_t i = 0; i < len; i++)
            text[i] = (uint8_t)rng_next(&rng);
        struct mi_sink sink;
        mi_sink_init_memory(&sink);
        size_t width = mi_utf8_show(&sink, (struct mi_bytes){text, len}, most);
        struct mi_bytes out = mi_sink_bytes(&sink);
        assert_true(mi_utf8_valid(out));
        for (size_t i = 0; i < out.len;) {
            uint32_t code;
            i += mi_utf8_decode(out.at + i, out.len - i, &code);
            assert_false(mi_utf8_is_hostile(code));
            shown += mi_utf8_width(code);
        }
        assert_int_equal(shown, width);
        assert_true(!most || width <= most);
        mi_sink_fini(&sink);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_valid_sequences_decode),
        cmocka_unit_test(all_characters_decode),
        cmocka_unit_test(the_valid_part_is_found),
        cmocka_unit_test(hostile_text_is_shown_harmlessly),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(random_bytes_come_out_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
