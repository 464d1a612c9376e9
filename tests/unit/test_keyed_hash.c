/* The keyed hash: check values of its paper, and that every bit of key and text counts. */
#include "base/keyed_hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct mi_hash_key counted = {UINT64_C(0x0706050403020100),
                                           UINT64_C(0x0f0e0d0c0b0a0908)};

static void known_values_come_out(void **state)
{
    (void)state;
    uint8_t text[15];
    for (uint8_t i = 0; i < sizeof text; i++)
        text[i] = i;
    /* Appendix A of the paper; and nothing, as every implementation has it. */
    assert_true(mi_keyed_hash(counted, (struct mi_bytes){text, 15}) ==
                UINT64_C(0xa129ca6149be45e5));
    assert_true(mi_keyed_hash(counted, (struct mi_bytes){NULL, 0}) == UINT64_C(0x726fdb47dd0e0e31));
}

static void every_bit_counts(void **state)
{
    (void)state;
    uint8_t text[17] = "a name of a node";
    uint64_t before = mi_keyed_hash(counted, (struct mi_bytes){text, 16});
    for (int bit = 0; bit < 128; bit++) {
        struct mi_hash_key key = counted;
        *(bit < 64 ? &key.low : &key.high) ^= UINT64_C(1) << bit % 64;
        assert_true(mi_keyed_hash(key, (struct mi_bytes){text, 16}) != before);
        text[bit / 8] ^= (uint8_t)(1U << bit % 8);
        assert_true(mi_keyed_hash(counted, (struct mi_bytes){text, 16}) != before);
        text[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    assert_true(mi_keyed_hash(counted, (struct mi_bytes){text, 15}) != before);
}

static void keys_differ_with_their_secret(void **state)
{
    (void)state;
    struct mi_hash_key a = mi_hash_key_from(MI_LIT("one secret")),
                       b = mi_hash_key_from(MI_LIT("one secreu"));
    assert_true(a.low != a.high && a.low != b.low && a.high != b.high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values_come_out),
        cmocka_unit_test(every_bit_counts),
        cmocka_unit_test(keys_differ_with_their_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
