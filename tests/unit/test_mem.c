/* Blocks that are zero where nothing was written: what they read as, that they grow, and that pages
 * nobody wrote to take no memory. */
#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)

/* Sizes around the one from which on blocks come from the kernel, and around huge pages. */
static const size_t sizes[] = {0,   1,       4095,        4096,    100000,      MIB - 1,
                               MIB, MIB + 1, 2 * MIB - 1, 2 * MIB, 2 * MIB + 1, 5 * MIB + 7};

enum { SIZES = sizeof sizes / sizeof *sizes };

/* A pattern that tells bytes and pages apart. */
static uint8_t byte_at(size_t at)
{
    return (uint8_t)(1 + (at ^ at >> 8 ^ at >> 12) % 255);
}

static void fill(uint8_t *block, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++)
        block[at] = byte_at(at);
}

static void check_filled(const uint8_t *block, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++)
        if (block[at] != byte_at(at))
            fail_msg("byte %zu is %u", at, block[at]);
}

/* Own pages of this process that lie in memory. */
static size_t resident_bytes(void)
{
    long size = 0, resident = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    int found = fscanf(file, "%ld %ld %ld", &size, &resident, &shared);
    fclose(file);
    return found == 3 ? (size_t)(resident - shared) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

static void is_zero(void **state)
{
    (void)state;
    uint8_t bytes[100] = {0};
    assert_true(mi_mem_is_zero(bytes, 0));
    for (size_t len = 1; len <= sizeof bytes; len++) {
        assert_true(mi_mem_is_zero(bytes, len));
        for (size_t at = 0; at < len; at++) {
            bytes[at] = 1;
            assert_false(mi_mem_is_zero(bytes, len));
            bytes[at] = 0;
        }
    }
}

static void new_blocks_are_zero(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SIZES; s++) {
        uint8_t *block = mi_mem_sparse(sizes[s]);
        assert_non_null(block);
        assert_true(mi_mem_is_zero(block, sizes[s]));
        fill(block, 0, sizes[s]);
        check_filled(block, 0, sizes[s]);
        mi_mem_sparse_free(block, sizes[s]);
    }
    mi_mem_sparse_free(NULL, 0);
    mi_mem_sparse_free(NULL, 9 * MIB);
    assert_null(mi_mem_sparse(SIZE_MAX));
    assert_null(mi_mem_sparse(SIZE_MAX - 4096));
}

static void copies_leave_out_zeros(void **state)
{
    (void)state;
    enum { BYTES = 64 << 10 };
    uint8_t *from = mi_mem_sparse(BYTES), *to = mi_mem_sparse(BYTES);
    assert_true(from && to);
    from[0] = 1;
    from[5000] = 2;
    from[BYTES - 1] = 3;
    for (size_t bytes = BYTES - 3; bytes <= BYTES; bytes++) {
        memset(to, 0, BYTES);
        to[20000] = 9; /* in front of a stretch of zeros, which is not written */
        mi_mem_sparse_copy(to, from, bytes);
        assert_int_equal(to[20000], 9);
        to[20000] = 0;
        assert_memory_equal(to, from, bytes);
    }
    mi_mem_sparse_free(from, BYTES);
    mi_mem_sparse_free(to, BYTES);
}

static void blocks_are_made_longer(void **state)
{
    (void)state;
    for (unsigned a = 0; a < SIZES; a++) {
        for (unsigned b = a; b < SIZES && mi_mem_sparse_can_extend(sizes[a]); b++) {
            uint8_t *block = mi_mem_sparse(sizes[a]);
            assert_non_null(block);
            fill(block, 0, sizes[a]);
            block = mi_mem_sparse_extend(block, sizes[a], sizes[b]);
            assert_non_null(block);
            check_filled(block, 0, sizes[a]);
            assert_true(mi_mem_is_zero(block + sizes[a], sizes[b] - sizes[a]));
            fill(block, sizes[a], sizes[b]);
            block = mi_mem_sparse_extend(block, sizes[b], sizes[a]); /* and back */
            assert_non_null(block);
            check_filled(block, 0, sizes[a]);
            mi_mem_sparse_free(block, sizes[a]);
        }
    }
    assert_false(mi_mem_sparse_can_extend(1000)); /* what malloc() gave */
}

static void too_long_leaves_the_old_one(void **state)
{
    (void)state;
    if (!mi_mem_sparse_can_extend(9 * MIB))
        skip();
    uint8_t *block = mi_mem_sparse(9 * MIB);
    assert_non_null(block);
    fill(block, 0, 9 * MIB);
    assert_null(mi_mem_sparse_extend(block, 9 * MIB, SIZE_MAX / 2));
    assert_null(mi_mem_sparse_extend(block, 9 * MIB, SIZE_MAX));
    check_filled(block, 0, 9 * MIB);
    mi_mem_sparse_free(block, 9 * MIB);
}

static void forgotten_bytes_are_zero(void **state)
{
    (void)state;
    static const size_t cuts[] = {0,       1,           4096,    64 * KIB - 1, 64 * KIB,
                                  2 * MIB, 2 * MIB + 1, 3 * MIB, 4 * MIB - 1,  4 * MIB};
    enum { CUTS = sizeof cuts / sizeof *cuts };
    static const size_t blocks[] = {200 * KIB, 4 * MIB};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned a = 0; a < CUTS; a++) {
            for (unsigned b = a; b < CUTS && cuts[b] <= blocks[i]; b++) {
                uint8_t *block = mi_mem_sparse(blocks[i]);
                assert_non_null(block);
                fill(block, 0, blocks[i]);
                mi_mem_sparse_forget(block, blocks[i], cuts[a], cuts[b]);
                check_filled(block, 0, cuts[a]);
                assert_true(mi_mem_is_zero(block + cuts[a], cuts[b] - cuts[a]));
                check_filled(block, cuts[b], blocks[i]);
                mi_mem_sparse_free(block, blocks[i]);
            }
        }
    }
}

/* What sparse blocks are for. The bounds leave room for huge pages at both ends. */
static void untouched_bytes_take_no_memory(void **state)
{
    (void)state;
    size_t bytes = 256 * MIB, before = resident_bytes();
    uint8_t *block = mi_mem_sparse(bytes);
    assert_non_null(block);
    if (!before || !mi_mem_sparse_can_extend(bytes))
        skip();
    assert_true(resident_bytes() < before + 8 * MIB);
    memset(block, 1, 64 * MIB);
    assert_true(resident_bytes() > before + 60 * MIB);
    block = mi_mem_sparse_extend(block, bytes, 2 * bytes);
    assert_non_null(block);
    assert_true(resident_bytes() < before + 72 * MIB);
    uint8_t *copy = mi_mem_sparse(bytes);
    assert_non_null(copy);
    mi_mem_sparse_copy(copy, block + 32 * MIB, bytes);
    assert_true(resident_bytes() < before + 108 * MIB);
    mi_mem_sparse_forget(block, 2 * bytes, 4 * MIB, 64 * MIB);
    assert_true(resident_bytes() < before + 48 * MIB);
    mi_mem_sparse_free(block, 2 * bytes);
    mi_mem_sparse_free(copy, bytes);
    assert_true(resident_bytes() < before + 8 * MIB);
}

/* A single byte is found wherever it is, and looking for it takes no memory. */
static void only_what_was_written_is_read(void **state)
{
    (void)state;
    static const size_t places[] = {0, 4095, 2 * MIB, 77 * MIB + 4097, 128 * MIB - 1};
    size_t bytes = 128 * MIB;
    for (unsigned i = 0; i < sizeof places / sizeof *places; i++) {
        size_t before = resident_bytes(), at = places[i];
        uint8_t *block = mi_mem_sparse(bytes);
        assert_non_null(block);
        assert_true(mi_mem_is_zero(block, bytes));
        block[at] = 1;
        assert_false(mi_mem_is_zero(block, bytes));
        assert_false(mi_mem_is_zero(block + at, bytes - at));
        assert_false(mi_mem_is_zero(block, at + 1));
        assert_true(mi_mem_is_zero(block, at));
        assert_true(mi_mem_is_zero(block + at + 1, bytes - at - 1));
        if (before && mi_mem_sparse_can_extend(bytes))
            assert_true(resident_bytes() < before + 8 * MIB);
        mi_mem_sparse_free(block, bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_zero),
        cmocka_unit_test(new_blocks_are_zero),
        cmocka_unit_test(copies_leave_out_zeros),
        cmocka_unit_test(blocks_are_made_longer),
        cmocka_unit_test(too_long_leaves_the_old_one),
        cmocka_unit_test(forgotten_bytes_are_zero),
        cmocka_unit_test(untouched_bytes_take_no_memory),
        cmocka_unit_test(only_what_was_written_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
