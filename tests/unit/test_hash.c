/* Hashes: published check values, files against memory, progress, cancellation. */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static void known_values_come_out(void **state)
{
    (void)state;
    char text[MI_HASH128_HEX];
    /* XXH3 of nothing, as every implementation has it. */
    mi_hash64_hex(mi_hash64((struct mi_bytes){NULL, 0}), text);
    assert_string_equal(text, "2d06800538d394c2");
    mi_hash128_hex(mi_hash128((struct mi_bytes){NULL, 0}), text);
    assert_string_equal(text, "99aa06d3014798d86001c324468d497f");
    assert_true(mi_hash64(MI_LIT("a")) != mi_hash64(MI_LIT("b")));
}

struct seen {
    uint64_t calls, done, total;
    struct mi_cancel cancel;
    bool stops;
};

static void note(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    struct seen *seen = context;
    assert_true(done_bytes > seen->done);
    seen->calls++;
    seen->done = done_bytes;
    seen->total = total_bytes;
    if (seen->stops)
        mi_cancel_set(&seen->cancel);
}

static void files_hash_as_their_bytes(void **state)
{
    (void)state;
    char path[] = "/tmp/mi-test-hash-XXXXXX";
    size_t len = 3500001;
    uint8_t *bytes = malloc(len);
    assert_non_null(bytes);
    for (size_t i = 0; i < len; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
    struct mi_hash128 want = mi_hash128((struct mi_bytes){bytes, len}), got = {0, 0};
    struct seen seen = {.calls = 0};
    struct mi_error err = MI_ERROR_INIT;
    uint64_t size = 0;
    assert_true(mi_hash_file(path, note, &seen, &seen.cancel, &got, &size, &err));
    assert_true(got.low == want.low && got.high == want.high);
    assert_int_equal(size, len);
    assert_true(seen.calls >= 2);
    assert_int_equal(seen.done, len);
    assert_int_equal(seen.total, len);
    seen = (struct seen){.stops = true};
    assert_false(mi_hash_file(path, note, &seen, &seen.cancel, &got, &size, &err));
    assert_int_equal(err.code, MI_ECANCELLED);
    assert_string_equal(err.input, path);
    assert_true(seen.done < len);
    free(bytes);
    unlink(path);
    err = MI_ERROR_INIT;
    assert_false(mi_hash_file(path, NULL, NULL, NULL, &got, &size, &err));
    assert_int_equal(err.code, MI_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values_come_out),
        cmocka_unit_test(files_hash_as_their_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
