/* Arenas, interned strings, the id map. */
#include "base/arena.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void arena_blocks_are_aligned_and_apart(void **state)
{
    (void)state;
    struct mi_arena arena;
    mi_arena_init(&arena);
    uint8_t *last = NULL;
    for (size_t size = 1; size < 40000; size = size * 3 + 1)
        for (int i = 0; i < 20; i++) {
            uint8_t *block = mi_arena_alloc(&arena, size);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % 8, 0);
            memset(block, 0xAB, size);
            if (last)
                assert_int_equal(*last, 0xAB);
            last = block;
        }
    assert_null(mi_arena_alloc(&arena, SIZE_MAX));
    assert_null(mi_arena_alloc(&arena, SIZE_MAX / 2));
    mi_arena_fini(&arena);
}

static void adopted_blocks_stay_valid(void **state)
{
    (void)state;
    struct mi_arena into, from;
    mi_arena_init(&into);
    mi_arena_init(&from);
    struct mi_bytes mine = mi_arena_copy(&into, MI_LIT("mine"));
    struct mi_bytes theirs = mi_arena_printf(&from, "%s-%d", "theirs", 7);
    mi_arena_adopt(&into, &from);
    mi_arena_fini(&from); /* owns nothing any more */
    assert_true(mi_bytes_equal(mine, MI_LIT("mine")));
    assert_true(mi_bytes_equal(theirs, MI_LIT("theirs-7")));
    assert_int_equal(theirs.at[theirs.len], 0);
    mi_arena_fini(&into);
}

static void equal_bytes_have_equal_ids(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct mi_strings strings;
    assert_true(mi_strings_init(&strings));
    uint32_t *ids = mi_mem_new(COUNT, sizeof *ids);
    char text[32];
    bool failed = false;
    for (int i = 0; i < COUNT; i++) {
        int len = snprintf(text, sizeof text, "name/%d", i);
        ids[i] =
            mi_strings_add(&strings, (struct mi_bytes){(uint8_t *)text, (size_t)len}, true, &failed)
                .v;
        assert_int_equal(ids[i], i + 1);
    }
    for (int i = 0; i < COUNT; i++) {
        int len = snprintf(text, sizeof text, "name/%d", i);
        struct mi_bytes bytes = {(uint8_t *)text, (size_t)len};
        assert_int_equal(mi_strings_add(&strings, bytes, true, &failed).v, ids[i]);
        assert_int_equal(mi_strings_find(&strings, bytes).v, ids[i]);
        assert_true(mi_bytes_equal(mi_strings_get(&strings, (mi_str_id){ids[i]}), bytes));
    }
    assert_false(failed);
    assert_int_equal(mi_strings_find(&strings, MI_LIT("name/100000")).v, 0);
    mi_mem_free(ids);
    mi_strings_fini(&strings);
}

static void none_and_odd_names(void **state)
{
    (void)state;
    struct mi_strings strings;
    assert_true(mi_strings_init(&strings));
    assert_int_equal(mi_strings_add(&strings, MI_LIT(""), true, NULL).v, 0);
    assert_int_equal(mi_strings_get(&strings, MI_NO_STR).len, 0);
    assert_int_equal(mi_strings_get(&strings, (mi_str_id){12345}).len, 0);
    mi_str_id nul = mi_strings_add(&strings, MI_LIT("a\0b"), true, NULL);
    mi_str_id plain = mi_strings_add(&strings, MI_LIT("a"), true, NULL);
    assert_int_not_equal(nul.v, plain.v);
    assert_int_equal(mi_strings_get(&strings, nul).len, 3);
    mi_strings_fini(&strings);
}

static void map_holds_what_was_set(void **state)
{
    (void)state;
    struct mi_map map = {0};
    assert_int_equal(mi_map_get(&map, 0), 0);
    for (uint32_t i = 0; i < 50000; i++)
        assert_true(mi_map_set(&map, mi_pair(i % 7, i), i + 1));
    assert_true(mi_map_set(&map, mi_pair(3, 3), 99));
    for (uint32_t i = 0; i < 50000; i++)
        assert_int_equal(mi_map_get(&map, mi_pair(i % 7, i)), i == 3 ? 99 : i + 1);
    assert_int_equal(mi_map_get(&map, mi_pair(8, 1)), 0);
    assert_int_equal(map.count, 50000);
    mi_map_fini(&map);
}

static void sizes_that_overflow_are_refused(void **state)
{
    (void)state;
    assert_null(mi_mem_new(SIZE_MAX / 2, 16));
    assert_null(mi_mem_resize(NULL, SIZE_MAX, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_blocks_are_aligned_and_apart),
        cmocka_unit_test(adopted_blocks_stay_valid),
        cmocka_unit_test(equal_bytes_have_equal_ids),
        cmocka_unit_test(none_and_odd_names),
        cmocka_unit_test(map_holds_what_was_set),
        cmocka_unit_test(sizes_that_overflow_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
