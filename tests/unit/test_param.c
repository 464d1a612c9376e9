/* Parameters: parsing, limits, look-up. */
#include "base/param.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char *const words[] = {"json", "csv", NULL};
static const struct mi_param params[] = {
    {.name = "jobs", .kind = MI_PARAM_INT, .min = 1, .max = 64},
    {.name = "format", .kind = MI_PARAM_CHOICE, .choices = words},
    {.name = "shape", .kind = MI_PARAM_TEXT, .repeats = true},
    {.name = "json", .kind = MI_PARAM_FLAG},
    MI_PARAM_END,
};

static void whole_numbers_only(void **state)
{
    (void)state;
    struct mi_arg arg;
    assert_true(mi_param_parse(&params[0], "64", &arg, NULL));
    assert_int_equal(arg.number, 64);
    const char *const bad[] = {"",   " 1", "+1", "1 ", "0x1", "1.0",
                               "65", "0",  "-",  "-1", "1e3", "99999999999999999999",
                               NULL};
    for (int i = 0; bad[i]; i++) {
        struct mi_error err = MI_ERROR_INIT;
        assert_false(mi_param_parse(&params[0], bad[i], &arg, &err));
        assert_int_equal(err.code, MI_EUSAGE);
        assert_non_null(strstr(err.text, "--jobs"));
    }
}

static void choices_name_what_is_allowed(void **state)
{
    (void)state;
    struct mi_arg arg;
    struct mi_error err = MI_ERROR_INIT;
    assert_true(mi_param_parse(&params[1], "csv", &arg, &err));
    assert_int_equal(arg.number, 1);
    assert_false(mi_param_parse(&params[1], "xml", &arg, &err));
    assert_non_null(strstr(err.text, "json, csv"));
}

static void the_last_value_counts(void **state)
{
    (void)state;
    struct mi_arg list[] = {{&params[2], "a=1", 0}, {&params[0], "3", 3}, {&params[2], "b=2", 0}};
    struct mi_args args = {.list = list, .count = 3};
    assert_string_equal(mi_args_find(&args, "shape")->text, "b=2");
    assert_string_equal(mi_args_nth(&args, "shape", 0)->text, "a=1");
    assert_string_equal(mi_args_nth(&args, "shape", 1)->text, "b=2");
    assert_null(mi_args_nth(&args, "shape", 2));
    assert_int_equal(mi_args_int(&args, "jobs", 9), 3);
    assert_int_equal(mi_args_int(NULL, "jobs", 9), 9);
    assert_false(mi_args_flag(&args, "json"));
    assert_string_equal(mi_args_text(&args, "format", "csv"), "csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_only),
        cmocka_unit_test(choices_name_what_is_allowed),
        cmocka_unit_test(the_last_value_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
