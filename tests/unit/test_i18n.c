/* Languages: what decides, and lookups in catalogues that may be damaged. */
#include "present/text/i18n.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void set_environment(const char *all, const char *messages, const char *lang,
                            const char *language)
{
    setenv("LC_ALL", all, 1);
    setenv("LC_MESSAGES", messages, 1);
    setenv("LANG", lang, 1);
    setenv("LANGUAGE", language, 1);
}

static void names_of_locales(void **state)
{
    (void)state;
    static const char *const chinese[] = {"zh",      "zh_CN",  "zh_CN.UTF-8",
                                          "zh-Hans", "zh.GBK", "zh@x"};
    static const char *const english[] = {"en", "en_GB.UTF-8", "C", "C.UTF-8", "POSIX"};
    static const char *const unknown[] = {"", "z", "zhx", "de_DE", "english", "_zh"};
    enum mi_lang lang;
    for (size_t i = 0; i < sizeof chinese / sizeof *chinese; i++) {
        lang = MI_LANG_EN;
        assert_true(mi_lang_parse(chinese[i], &lang));
        assert_int_equal(lang, MI_LANG_ZH_CN);
    }
    for (size_t i = 0; i < sizeof english / sizeof *english; i++) {
        lang = MI_LANG_ZH_CN;
        assert_true(mi_lang_parse(english[i], &lang));
        assert_int_equal(lang, MI_LANG_EN);
    }
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(mi_lang_parse(unknown[i], &lang));
    assert_false(mi_lang_parse(NULL, &lang));
}

static void the_first_variable_that_is_set_decides(void **state)
{
    (void)state;
    set_environment("", "", "", "");
    assert_int_equal(mi_lang_from_env(NULL), MI_LANG_EN);
    set_environment("", "", "", "zh_CN:en");
    assert_int_equal(mi_lang_from_env(NULL), MI_LANG_ZH_CN);
    set_environment("", "", "", "de:zh_CN:en");
    assert_int_equal(mi_lang_from_env(NULL), MI_LANG_ZH_CN);
    set_environment("", "", "en_US.UTF-8", "zh_CN");
    assert_int_equal(mi_lang_from_env(NULL), MI_LANG_EN);
    set_environment("", "zh_CN.UTF-8", "en_US.UTF-8", "");
    assert_int_equal(mi_lang_from_env(NULL), MI_LANG_ZH_CN);
    set_environment("C", "zh_CN.UTF-8", "zh_CN", "zh_CN");
    assert_int_equal(mi_lang_from_env(NULL), MI_LANG_EN);
    set_environment("de_DE.UTF-8", "zh_CN.UTF-8", "", "");
    assert_int_equal(mi_lang_from_env(NULL), MI_LANG_EN);
    set_environment("", "", "", ":::");
    assert_int_equal(mi_lang_from_env(NULL), MI_LANG_EN);
}

static void the_option_beats_the_environment(void **state)
{
    (void)state;
    set_environment("zh_CN.UTF-8", "", "", "");
    assert_int_equal(mi_lang_from_env("en"), MI_LANG_EN);
    assert_int_equal(mi_lang_from_env("zh_CN"), MI_LANG_ZH_CN);
    assert_int_equal(mi_lang_from_env("tlh"), MI_LANG_ZH_CN);
    assert_int_equal(mi_lang_from_env(""), MI_LANG_ZH_CN);
}

static void overlong_names_are_passed_over(void **state)
{
    (void)state;
    char list[600];
    memset(list, 'z', sizeof list);
    strcpy(list + 500, ":zh_CN");
    set_environment("", "", "", list);
    assert_int_equal(mi_lang_from_env(NULL), MI_LANG_ZH_CN);
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* A catalogue of `count` texts sorted by strcmp; returns its length. */
static size_t make_mo(uint8_t *mo, const char *const texts[][2], uint32_t count)
{
    put_u32(mo, 0x950412deU);
    put_u32(mo + 4, 0);
    put_u32(mo + 8, count);
    put_u32(mo + 12, 28);
    put_u32(mo + 16, 28 + 8 * count);
    put_u32(mo + 20, 0);
    put_u32(mo + 24, 0);
    uint32_t at = 28 + 16 * count;
    for (uint32_t column = 0; column < 2; column++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t len = (uint32_t)strlen(texts[i][column]);
            put_u32(mo + 28 + 8 * (column * count + i), len);
            put_u32(mo + 28 + 8 * (column * count + i) + 4, at);
            memcpy(mo + at, texts[i][column], len + 1);
            at += len + 1;
        }
    }
    return at;
}

static const char *const sample[][2] = {
    {"", "header"},    {"executed", "Z1"}, {"folded", "Z2"}, {"fused into %s", "Z3 %s"},
    {"removed", "Z4"},
};
enum { SAMPLE_COUNT = sizeof sample / sizeof *sample };

static void every_text_is_found(void **state)
{
    (void)state;
    uint8_t mo[512];
    struct mi_bytes bytes = {mo, make_mo(mo, sample, SAMPLE_COUNT)};
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const char *found = mi_mo_find(bytes, sample[i][0]);
        assert_non_null(found);
        assert_string_equal(found, sample[i][1]);
    }
    assert_null(mi_mo_find(bytes, "aaa"));
    assert_null(mi_mo_find(bytes, "execute"));
    assert_null(mi_mo_find(bytes, "executedx"));
    assert_null(mi_mo_find(bytes, "zzz"));
}

/* Each search runs on a heap copy of the exact size, so that the sanitizer sees any step outside.
 */
static void search_all(const uint8_t *mo, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, mo, len);
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const char *found = mi_mo_find((struct mi_bytes){copy, len}, sample[i][0]);
        if (found)
            assert_true((const uint8_t *)found + strlen(found) < copy + len);
    }
    free(copy);
}

static void damaged_catalogues_are_survived(void **state)
{
    (void)state;
    uint8_t mo[512];
    size_t len = make_mo(mo, sample, SAMPLE_COUNT);
    for (size_t cut = 0; cut <= len; cut++)
        search_all(mo, cut);
    for (size_t bit = 0; bit < 8 * len; bit++) {
        mo[bit / 8] ^= (uint8_t)(1U << bit % 8);
        search_all(mo, len);
        mo[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    static const uint32_t bad[] = {0xffffffffU, 0xfffffff8U, 0x80000000U, 0x7fffffffU};
    for (size_t at = 4; at + 4 <= 28 + 16 * SAMPLE_COUNT; at += 4) {
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            uint8_t keep[4];
            memcpy(keep, mo + at, 4);
            put_u32(mo + at, bad[i]);
            search_all(mo, len);
            memcpy(mo + at, keep, 4);
        }
    }
}

static void texts_without_translation_stay(void **state)
{
    (void)state;
    static const char text[] = "a text that no catalogue has";
    assert_ptr_equal(mi_tr(MI_LANG_EN, text), text);
    assert_ptr_equal(mi_tr(MI_LANG_ZH_CN, text), text);
    assert_string_equal(mi_tr(MI_LANG_ZH_CN, ""), "");
    assert_null(mi_tr(MI_LANG_ZH_CN, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_locales),
        cmocka_unit_test(the_first_variable_that_is_set_decides),
        cmocka_unit_test(the_option_beats_the_environment),
        cmocka_unit_test(overlong_names_are_passed_over),
        cmocka_unit_test(every_text_is_found),
        cmocka_unit_test(damaged_catalogues_are_survived),
        cmocka_unit_test(texts_without_translation_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
