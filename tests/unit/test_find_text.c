/* Finding text in names: any length, any place, any case, against a plain walk. Names lie in blocks
 * of exactly their size, so that sanitizers see a look beyond their end. */
#include "present/serve/find_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rng.h"

static uint8_t lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t)(c + 32) : c;
}

static size_t plain_find(struct mi_bytes name, struct mi_bytes text)
{
    for (size_t from = 0; from + text.len <= name.len; from++) {
        size_t k = 0;
        while (k < text.len && lower(name.at[from + k]) == lower(text.at[k]))
            k++;
        if (k == text.len)
            return from;
    }
    return SIZE_MAX;
}

static void known_places(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        size_t at;
    } cases[] = {
        {"", "", 0},
        {"", "a", SIZE_MAX},
        {"abc", "", 0},
        {"MatMul", "matmul", 0},
        {"/model/layers.12/MatMul", "matMUL", 17},
        {"/model/layers.12/block.3/attention/MatMul", "matmul", 35},
        {"/model/layers.12/block.3/attention/MatMu", "matmul", SIZE_MAX},
        {"0123456789abcdef0123456789abcdefX", "x", 32},
        {"0123456789abcde[", "{", SIZE_MAX}, /* they differ in the bit that tells cases apart */
        {"0123456789abcde@", "`", SIZE_MAX},
        {"0123456789abcdeA", "\x01", SIZE_MAX},
        {"0123456789abcde[", "[", 15},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "aab", 28},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(mi_find_text(mi_cstr(cases[i].name), mi_cstr(cases[i].text)), cases[i].at);
}

static void as_a_plain_walk(void **state)
{
    (void)state;
    static const uint8_t letters[] = "aAbB[{@`\x00\xc1\xe1/";
    uint64_t seed = 11;
    for (int round = 0; round < 200000; round++) {
        size_t len = rng_below(&seed, 70), text_len = rng_below(&seed, round % 2 ? 4 : 70);
        uint8_t *name = malloc(len ? len : 1), *text = malloc(text_len ? text_len : 1);
        assert_true(name && text);
        for (size_t i = 0; i < len; i++)
            name[i] = letters[rng_below(&seed, sizeof letters - 1)];
        for (size_t i = 0; i < text_len; i++)
            text[i] = letters[rng_below(&seed, sizeof letters - 1)];
        struct mi_bytes in = {name, len}, what = {text, text_len};
        if (len >= text_len && rng_below(&seed, 2)) /* else it hardly ever stands there */
            memcpy(text, name + rng_below(&seed, len - text_len + 1), text_len);
        assert_int_equal(mi_find_text(in, what), plain_find(in, what));
        free(name);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_places),
        cmocka_unit_test(as_a_plain_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
