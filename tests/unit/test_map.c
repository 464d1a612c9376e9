/* Maps from keys to numbers: what was put in comes out, whatever the keys have in common, and keys
 * that follow each other stand beside each other. */
#include "base/map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { KEYS = 20000, NEIGHBOURS = 8 };

/* The n-th key of a kind; keys of one kind differ. */
static uint64_t key_of(unsigned kind, uint32_t n)
{
    switch (kind) {
    case 0: /* ids */
        return n;
    case 1: /* ids of which only some come */
        return (uint64_t)n * 4096;
    case 2: /* ids of streams */
        return mi_pair(n % 7, n / 7);
    case 3: /* numbers that are the same in both halves */
        return mi_pair(n, n);
    default: /* hashes */
        return (n + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    }
}

static void any_keys(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 5; kind++) {
        struct mi_map map = {0};
        for (uint32_t n = 0; n < KEYS; n++)
            assert_true(mi_map_set(&map, key_of(kind, n), n + 1));
        assert_int_equal(map.count, KEYS);
        for (uint32_t n = 0; n < KEYS; n++) {
            assert_int_equal(mi_map_get(&map, key_of(kind, n)), n + 1);
            assert_int_equal(*mi_map_at(&map, key_of(kind, n)), n + 1);
        }
        for (uint32_t n = KEYS; n < 2 * KEYS; n++)
            assert_int_equal(mi_map_get(&map, key_of(kind, n)), 0);
        assert_int_equal(map.count, KEYS);
        mi_map_fini(&map);
    }
}

static void neighbours(void **state)
{
    (void)state;
    struct mi_map map = {0};
    assert_true(mi_map_reserve(&map, KEYS));
    for (uint32_t n = 0; n < NEIGHBOURS; n++)
        assert_true(mi_map_set(&map, mi_pair(3, 16 + n), 1));
    uint32_t first = 0, last = 0;
    for (uint32_t slot = map.slot_count; slot--;)
        first = map.slots[slot].value ? slot : first;
    for (uint32_t slot = 0; slot < map.slot_count; slot++)
        last = map.slots[slot].value ? slot : last;
    assert_int_equal(last - first, NEIGHBOURS - 1);
    mi_map_fini(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_keys),
        cmocka_unit_test(neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
