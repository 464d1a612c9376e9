/* Comparisons over the public API: what it says, and what it refuses. */
#include "model-inspector/inspector.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct text {
    char at[65536];
    size_t len;
};

static bool keep(void *user, const void *bytes, size_t len)
{
    struct text *text = user;
    if (len >= sizeof text->at - text->len)
        return false;
    memcpy(text->at + text->len, bytes, len);
    text->len += len;
    text->at[text->len] = '\0';
    return true;
}

static bool refuse(void *user, const void *bytes, size_t len)
{
    (void)user, (void)bytes, (void)len;
    return false;
}

static struct mi_inspector *open_data(const char *name)
{
    struct mi_error err = MI_ERROR_INIT;
    char path[512];
    snprintf(path, sizeof path, "%s/tests/data/diff/%s", MI_SOURCE_DIR, name);
    struct mi_inspector *insp = mi_inspector_new(NULL, &err);
    assert_non_null(insp);
    assert_true(mi_inspector_add(insp, path, &err) && mi_inspector_load(insp, &err));
    return insp;
}

static void names_the_causes(void **state)
{
    (void)state;
    static struct text text;
    struct mi_error err = MI_ERROR_INIT;
    const char *params[] = {"top=2", "min-cost=20"};
    struct mi_inspector *opened[] = {open_data("v1"), open_data("v1"), open_data("v2")};
    const struct mi_inspector *base[] = {opened[0], opened[1]}, *later[] = {opened[2]};
    assert_true(mi_inspector_diff(base, 2, later, 1, params, 2, keep, &text, &err));
    assert_non_null(strstr(text.at, "\"base_samples\": 6"));
    const char *findings = strstr(text.at, "\"findings\"");
    assert_non_null(findings);
    assert_non_null(strstr(findings, "parallel_to_serial"));
    assert_non_null(strstr(findings, "fusion_changed"));
    assert_null(strstr(findings, "inserted_transfers")); /* costs less than 20 us */
    assert_false(mi_inspector_diff(base, 2, later, 1, NULL, 0, refuse, NULL, &err));
    assert_int_equal(err.code, MI_EIO);
    for (int i = 0; i < 3; i++)
        mi_inspector_free(opened[i]);
}

static void refuses(void **state)
{
    (void)state;
    static struct text text;
    struct mi_inspector *empty = mi_inspector_new(NULL, NULL), *full = open_data("v1");
    const struct mi_inspector *one[9] = {full, full, full, full, full, full, full, full, full};
    const struct mi_inspector *none[] = {empty};
    const char *wrong[] = {"speed=2"};
    const struct {
        const struct mi_inspector *const *base;
        size_t base_count;
        const struct mi_inspector *const *later;
        size_t later_count;
        const char *const *params;
        size_t param_count;
    } cases[] = {{one, 1, none, 1, NULL, 0},
                 {none, 1, one, 1, NULL, 0},
                 {one, 0, one, 1, NULL, 0},
                 {one, 9, one, 1, NULL, 0},
                 {one, 1, one, 1, wrong, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mi_error err = MI_ERROR_INIT;
        assert_false(mi_inspector_diff(cases[i].base, cases[i].base_count, cases[i].later,
                                       cases[i].later_count, cases[i].params, cases[i].param_count,
                                       keep, &text, &err));
        assert_int_equal(err.code, MI_EUSAGE);
    }
    mi_inspector_free(empty);
    mi_inspector_free(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_the_causes),
                                       cmocka_unit_test(refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
