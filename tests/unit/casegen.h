/* Cases made by the generator of ground truth (../shared/casegen), for tests that compare what is
 * read of them with what it says is in them. Skipped where the generator or Python is not at hand.
 *
 *   static void check(const char *folder, const json_t *truth) { ... }
 *   static void test(void **state) { casegen_each(recipes, count, "--stages none", check); }
 *   ... cmocka_run_group_tests(tests, casegen_setup, casegen_teardown) */
#ifndef MI_TESTS_CASEGEN_H
#define MI_TESTS_CASEGEN_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "reading.h"

static char casegen_folder[] = "/tmp/mi-casegen-XXXXXX";

__attribute__((format(printf, 1, 2))) static inline int casegen_run(const char *format, ...)
{
    char command[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    return system(command);
}

static inline int casegen_setup(void **state)
{
    (void)state;
    return mkdtemp(casegen_folder) ? 0 : -1;
}

static inline int casegen_teardown(void **state)
{
    (void)state;
    return casegen_run("rm -rf %s", casegen_folder) ? -1 : 0;
}

static inline const char *casegen_text(const json_t *from, const char *key)
{
    const char *value = json_string_value(json_object_get(from, key));
    return value ? value : "";
}

static inline int64_t casegen_number(const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);
    if (!json_is_integer(value))
        fail_msg("the truth has no number %s", key);
    return json_integer_value(value);
}

/* Gets the folder of a case and what it says. */
typedef void casegen_check(const char *folder, const json_t *truth);

/* Makes one case after the other, each by the options of its recipe and those of all. */
static inline void casegen_each(const char *const *recipes, size_t count, const char *options,
                                casegen_check *check)
{
    char folder[256], path[512];
    if (access(shared_path("casegen/__main__.py"), R_OK) ||
        casegen_run("python3 -c pass 2>/dev/null"))
        skip();
    snprintf(folder, sizeof folder, "%s/case", casegen_folder);
    snprintf(path, sizeof path, "%s/truth.json", folder);
    for (size_t i = 0; i < count; i++) {
        print_message("%s\n", recipes[i]);
        if (casegen_run("cd '%s' && python3 -B -m casegen gen --out %s --force --skip csv,json,db "
                        "%s %s >/dev/null",
                        shared_path("."), folder, options, recipes[i]))
            fail_msg("the generator failed");
        json_t *truth = json_load_file(path, 0, NULL);
        assert_non_null(truth);
        check(folder, truth);
        json_decref(truth);
    }
}

#endif
