/* Sorting rows: whatever order they come in, they are in order afterwards, and rows that are alike
 * keep theirs. */
#include "base/mem.h"
#include "model/batch.h"
#include "model/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rng.h"

enum { MOST_ROWS = 6000 };

static bool start_behind(const struct mi_tables *rows, uint32_t a, uint32_t b)
{
    return rows->tasks.start_raw[a] > rows->tasks.start_raw[b];
}

/* The start of a row: in order, a few places off, now and then far off, backwards, any, few
 * different ones. */
static int64_t start_of(unsigned kind, uint32_t row, uint64_t *seed)
{
    switch (kind) {
    case 0:
        return row;
    case 1:
        return (int64_t)row + (int64_t)rng_below(seed, 12);
    case 2:
        return row % 50 ? (int64_t)row + (int64_t)rng_below(seed, 3)
                        : (int64_t)rng_below(seed, MOST_ROWS);
    case 3:
        return -(int64_t)row;
    case 4:
        return (int64_t)rng_below(seed, 1000000);
    default:
        return (int64_t)rng_below(seed, 5);
    }
}

/* `native_id` tells rows apart that start together. */
static void fill(struct mi_batch *batch, unsigned kind, uint32_t count, uint64_t *seed)
{
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_batch_init(batch, (struct mi_bytes){0}, &err));
    for (uint32_t row = 1; row <= count; row++)
        mi_add_task(
            batch, &(struct mi_task_row){.native_id = row, .start_raw = start_of(kind, row, seed)});
}

static void assert_order(const struct mi_tables *rows, const uint32_t *order, uint32_t count)
{
    const struct mi_tasks *tasks = &rows->tasks;
    uint8_t *seen = calloc(count, 1);
    assert_non_null(seen);
    for (uint32_t at = 1; at < count; at++) {
        uint32_t row = order ? order[at] : at, before = order ? order[at - 1] : at - 1;
        assert_false(seen[mi_some_get(tasks->native_id[row]) - 1]);
        seen[mi_some_get(tasks->native_id[row]) - 1] = 1;
        if (at > 1 && tasks->start_raw[before] == tasks->start_raw[row])
            assert_true(mi_some_get(tasks->native_id[before]) < mi_some_get(tasks->native_id[row]));
        else if (at > 1)
            assert_true(tasks->start_raw[before] < tasks->start_raw[row]);
    }
    free(seen);
}

static void any_order(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (unsigned kind = 0; kind < 6; kind++)
        for (uint32_t count = 0; count <= MOST_ROWS; count = count * 2 + 1 + kind) {
            struct mi_batch batch;
            fill(&batch, kind, count, &seed);
            struct mi_tables *rows = &batch.rows;
            uint32_t *order = calloc((size_t)count + 1, sizeof *order), *new_row;
            assert_non_null(order);
            for (uint32_t row = 1; row <= count; row++)
                order[row] = row;
            assert_true(mi_rows_sort(rows, order, count + 1, start_behind));
            assert_order(rows, order, count + 1);
            assert_true(mi_table_sort(rows, MI_T_tasks, NULL, start_behind, &new_row));
            assert_order(rows, NULL, count + 1);
            for (uint32_t at = 1; new_row && at <= count; at++) /* both say the same */
                assert_int_equal(new_row[order[at]], at);
            mi_mem_free(new_row);
            free(order);
            mi_batch_fini(&batch);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
