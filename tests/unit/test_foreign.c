/* Files that are no models are called by their name. */
#include "parse/foreign.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void files_are_called_by_their_name(void **state)
{
    (void)state;
    static const struct {
        struct mi_bytes bytes;
        const char *word;
    } cases[] = {
        {MI_LIT("version https://git-lfs.github.com/spec/v1\noid sha256:1\n"), "git lfs pull"},
        {MI_LIT("\n <!DOCTYPE HTML><html>"), "web page"},
        {MI_LIT("\xef\xbb\xbf<html>"), "web page"},
        {MI_LIT("\x7f"
                "ELF\x02"),
         "ELF"},
        {MI_LIT("PK\x03\x04rest"), "ZIP"},
        {MI_LIT(" [1, 2]"), "JSON"},
        {MI_LIT("just some words"), "text"},
        {MI_LIT("\0\0\0\0\0"), "zeros"},
        {MI_LIT("\x01\x02\x03"), "no reader"},
        {MI_LIT(""), "empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        mi_explain_foreign(cases[i].bytes, text, sizeof text);
        assert_non_null(strstr(text, cases[i].word));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_are_called_by_their_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
