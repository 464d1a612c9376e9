/* Errors: the first failure wins, the place is kept, long paths keep their tail. */
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void first_failure_wins(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    assert_false(mi_fail_at(&err, MI_EFORMAT, 42, 7, "bad %s", "tag"));
    assert_false(mi_fail(&err, MI_EIO, "later"));
    assert_int_equal(err.code, MI_EFORMAT);
    assert_int_equal(err.offset, 42);
    assert_int_equal(err.line, 7);
    assert_string_equal(err.text, "bad tag");
}

static void a_null_error_is_allowed(void **state)
{
    (void)state;
    assert_false(mi_fail(NULL, MI_EIO, "nobody listens"));
    assert_false(mi_error_in(NULL, "file"));
}

static void the_input_is_set_once(void **state)
{
    (void)state;
    struct mi_error err = MI_ERROR_INIT;
    mi_fail(&err, MI_EIO, "gone");
    mi_error_in(&err, "inner");
    mi_error_in(&err, "outer");
    assert_string_equal(err.input, "inner");
}

static void long_paths_keep_their_tail(void **state)
{
    (void)state;
    char path[1024];
    memset(path, 'd', sizeof path - 1);
    memcpy(path + sizeof path - 11, "/model.onn", 11);
    struct mi_error err = MI_ERROR_INIT;
    mi_fail(&err, MI_EIO, "gone");
    mi_error_in(&err, path);
    size_t len = strlen(err.input);
    assert_true(len < sizeof err.input && len > 100);
    assert_string_equal(err.input + len - 10, "/model.onn");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_failure_wins),
        cmocka_unit_test(a_null_error_is_allowed),
        cmocka_unit_test(the_input_is_set_once),
        cmocka_unit_test(long_paths_keep_their_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
