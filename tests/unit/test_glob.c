/* Patterns over names, against a plain recursive definition and on inputs made to be slow. */
#include "base/glob.h"
#include "rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Row by row: match[t] tells whether the pattern so far matches the first t bytes. */
static bool slow_match(const char *pattern, const char *text)
{
    bool match[32] = {true};
    size_t len = strlen(text);
    for (; *pattern; pattern++) {
        bool next[32] = {*pattern == '*' && match[0]};
        for (size_t t = 1; t <= len; t++)
            next[t] = *pattern == '*'
                          ? match[t] || next[t - 1]
                          : match[t - 1] && (*pattern == '?' || *pattern == text[t - 1]);
        memcpy(match, next, sizeof match);
    }
    return match[len];
}

static void random_patterns(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 200000; i++) {
        char pattern[8] = "", text[10] = "";
        size_t pattern_len = rng_below(&seed, 8), text_len = rng_below(&seed, 10);
        for (size_t p = 0; p < pattern_len; p++)
            pattern[p] = "ab*?"[rng_below(&seed, 4)];
        for (size_t t = 0; t < text_len; t++)
            text[t] = "ab"[rng_below(&seed, 2)];
        if (mi_glob_match(mi_cstr(pattern), mi_cstr(text)) != slow_match(pattern, text))
            fail_msg("\"%s\" on \"%s\"", pattern, text);
    }
}

static void searching(void **state)
{
    (void)state;
    assert_true(mi_glob_search(MI_LIT("onv"), MI_LIT("/a/Conv_1")));
    assert_false(mi_glob_search(MI_LIT("conv"), MI_LIT("/a/Conv_1")));
    assert_false(mi_glob_search(MI_LIT("Conv*"), MI_LIT("/a/Conv_1")));
    assert_true(mi_glob_search(MI_LIT("*Conv*"), MI_LIT("/a/Conv_1")));
    assert_true(mi_glob_search(MI_LIT(""), MI_LIT("")));
    assert_int_equal(mi_bytes_find(MI_LIT("aab"), MI_LIT("ab")), 1);
    assert_int_equal(mi_bytes_find(MI_LIT("aa"), MI_LIT("aaa")), 2);
    assert_int_equal(mi_bytes_find(MI_LIT("a\0b"), MI_LIT("\0b")), 1);
}

static void slow_inputs_end(void **state)
{
    (void)state;
    static uint8_t text[20000], pattern[2000];
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = i % 2 ? 'a' : '*';
    pattern[sizeof pattern - 1] = 'b';
    assert_false(mi_glob_match((struct mi_bytes){pattern, sizeof pattern},
                               (struct mi_bytes){text, sizeof text}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_patterns),
        cmocka_unit_test(searching),
        cmocka_unit_test(slow_inputs_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
