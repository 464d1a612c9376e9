/* Sinks: all three kinds carry the same bytes; failures stick; large writes go around the buffer.
 */
#include "base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "rng.h"

struct collected {
    uint64_t digest;
    size_t len, refuse_at;
    unsigned calls;
    bool says_why;
};

static bool collect(void *context, struct mi_bytes bytes, struct mi_error *err)
{
    struct collected *all = context;
    assert_true(bytes.len > 0);
    all->calls++;
    if (all->refuse_at && all->len + bytes.len >= all->refuse_at)
        return all->says_why ? mi_fail(err, MI_ELIMIT, "full") : false;
    for (size_t i = 0; i < bytes.len; i++)
        all->digest = (all->digest ^ bytes.at[i]) * UINT64_C(1099511628211);
    all->len += bytes.len;
    return true;
}

/* The same random writes into any sink. */
static void write_much(struct mi_sink *sink)
{
    static uint8_t block[200000];
    uint64_t rng = 7;
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (uint8_t)rng_next(&rng);
    for (int i = 0; i < 3000; i++) {
        size_t len = i % 500 == 499 ? sizeof block - (size_t)i : rng_below(&rng, 300);
        mi_sink_write(sink, (struct mi_bytes){block, len});
        mi_sink_byte(sink, (uint8_t)i);
        mi_sink_text(sink, "text");
        mi_sink_i64(sink, -i);
        mi_sink_u64(sink, UINT64_MAX);
        mi_sink_repeat(sink, ' ', (size_t)i % 7);
    }
}

static void all_kinds_carry_the_same(void **state)
{
    (void)state;
    struct mi_sink memory, callback, file;
    struct mi_error err = MI_ERROR_INIT;
    struct collected all = {0}, again = {0};
    char path[] = "/tmp/mi-test-sink-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    mi_sink_init_memory(&memory);
    mi_sink_init_callback(&callback, collect, &all);
    mi_sink_init_fd(&file, fd);
    write_much(&memory);
    write_much(&callback);
    write_much(&file);
    assert_true(mi_sink_flush(&memory, &err) && mi_sink_flush(&callback, &err) &&
                mi_sink_flush(&file, &err));
    struct mi_bytes bytes = mi_sink_bytes(&memory);
    assert_int_equal(bytes.len, mi_sink_size(&memory));
    assert_int_equal(bytes.len, mi_sink_size(&callback));
    assert_int_equal(bytes.len, mi_sink_size(&file));
    assert_int_equal(bytes.len, all.len);
    assert_true(all.calls < 200);
    collect(&again, bytes, NULL);
    assert_true(again.digest == all.digest);
    uint8_t *back = malloc(bytes.len);
    assert_non_null(back);
    assert_int_equal(pread(fd, back, bytes.len, 0), bytes.len);
    assert_memory_equal(back, bytes.at, bytes.len);
    free(back);
    mi_sink_clear(&memory);
    assert_int_equal(mi_sink_bytes(&memory).len, 0);
    mi_sink_fini(&memory);
    mi_sink_fini(&callback);
    mi_sink_fini(&file);
    close(fd);
}

static void refusals_stick(void **state)
{
    (void)state;
    for (int says_why = 0; says_why < 2; says_why++) {
        struct collected all = {.refuse_at = 100000, .says_why = says_why};
        struct mi_error err = MI_ERROR_INIT;
        struct mi_sink sink;
        mi_sink_init_callback(&sink, collect, &all);
        write_much(&sink);
        unsigned calls = all.calls;
        write_much(&sink);
        assert_int_equal(all.calls, calls);
        assert_false(mi_sink_flush(&sink, &err));
        assert_int_equal(err.code, says_why ? MI_ELIMIT : MI_EIO);
        mi_sink_fini(&sink);
    }
}

static void a_full_device_is_an_error(void **state)
{
    (void)state;
    int fd = open("/dev/full", O_WRONLY);
    if (fd < 0)
        skip();
    struct mi_sink sink;
    struct mi_error err = MI_ERROR_INIT;
    mi_sink_init_fd(&sink, fd);
    mi_sink_text(&sink, "lost");
    assert_false(mi_sink_flush(&sink, &err));
    assert_int_equal(err.code, MI_EIO);
    assert_non_null(strstr(err.text, strerror(ENOSPC)));
    mi_sink_fini(&sink);
    close(fd);
}

static void own_failures_are_kept(void **state)
{
    (void)state;
    struct mi_sink sink;
    struct mi_error err = MI_ERROR_INIT;
    mi_sink_init_memory(&sink);
    mi_sink_text(&sink, "before");
    mi_sink_fail(&sink, MI_EINTERNAL, "no such value");
    mi_sink_text(&sink, "after");
    assert_int_equal(mi_sink_bytes(&sink).len, 6);
    assert_false(mi_sink_flush(&sink, &err));
    assert_string_equal(err.text, "no such value");
    mi_sink_fini(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_carry_the_same),
        cmocka_unit_test(refusals_stick),
        cmocka_unit_test(a_full_device_is_an_error),
        cmocka_unit_test(own_failures_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
