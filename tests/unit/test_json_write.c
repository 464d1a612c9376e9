/* The JSON writer: layout, escapes, misuse; what it writes is read back by jansson and by our
 * scanner. */
#include "base/json_scan.h"
#include "base/json_write.h"
#include "base/utf8.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "rng.h"

static void write_sample(struct mi_jw *jw)
{
    mi_jw_begin_object(jw);
    mi_jw_member_text(jw, "name", "conv \"1\"");
    mi_jw_member_i64(jw, "min", INT64_MIN);
    mi_jw_key(jw, "max");
    mi_jw_u64(jw, UINT64_MAX);
    mi_jw_key(jw, "ns");
    mi_jw_i64_string(jw, INT64_C(1736412474723783388));
    mi_jw_key(jw, "us");
    mi_jw_us(jw, -1500);
    mi_jw_key(jw, "empty");
    mi_jw_begin_array(jw);
    mi_jw_end(jw);
    mi_jw_key(jw, "list");
    mi_jw_begin_array(jw);
    mi_jw_double(jw, 0.1);
    mi_jw_double(jw, (double)NAN);
    mi_jw_bool(jw, true);
    mi_jw_null(jw);
    mi_jw_text(jw, NULL);
    mi_jw_raw(jw, MI_LIT("{\"x\":1}"));
    mi_jw_begin_object(jw);
    mi_jw_member_bool(jw, "deep", false);
    mi_jw_end(jw);
    mi_jw_end(jw);
    mi_jw_end(jw);
}

static void check_layout(unsigned indent, const char *want)
{
    struct mi_sink sink;
    struct mi_jw jw;
    struct mi_error err = MI_ERROR_INIT;
    const struct mi_jw_options options = {.indent = indent};
    mi_sink_init_memory(&sink);
    mi_jw_init(&jw, &sink, &options);
    write_sample(&jw);
    assert_true(mi_jw_finish(&jw, &err));
    mi_sink_byte(&sink, 0);
    assert_string_equal((const char *)mi_sink_bytes(&sink).at, want);
    mi_sink_fini(&sink);
}

static void both_layouts(void **state)
{
    (void)state;
    check_layout(0,
                 "{\"name\":\"conv \\\"1\\\"\",\"min\":-9223372036854775808,"
                 "\"max\":18446744073709551615,\"ns\":\"1736412474723783388\",\"us\":-1.500,"
                 "\"empty\":[],\"list\":[0.1,null,true,null,null,{\"x\":1},{\"deep\":false}]}\n");
    check_layout(1, "{\n \"name\": \"conv \\\"1\\\"\",\n \"min\": -9223372036854775808,\n"
                    " \"max\": 18446744073709551615,\n \"ns\": \"1736412474723783388\",\n"
                    " \"us\": -1.500,\n \"empty\": [],\n \"list\": [\n  0.1,\n  null,\n  true,\n"
                    "  null,\n  null,\n  {\"x\":1},\n  {\n   \"deep\": false\n  }\n ]\n}\n");
}

static void siblings_get_their_commas(void **state)
{
    (void)state;
    struct mi_sink sink;
    struct mi_jw jw;
    mi_sink_init_memory(&sink);
    mi_jw_init(&jw, &sink, NULL);
    mi_jw_begin_array(&jw);
    for (int i = 0; i < 3; i++) {
        mi_jw_begin_array(&jw);
        if (i < 2)
            mi_jw_i64(&jw, i);
        mi_jw_end(&jw);
    }
    mi_jw_end(&jw);
    assert_true(mi_jw_finish(&jw, NULL));
    assert_true(mi_bytes_equal(mi_sink_bytes(&sink), MI_LIT("[[0],[1],[]]\n")));
    mi_sink_fini(&sink);
}

static void check_escape(struct mi_bytes text, bool html_safe, const char *want, uint64_t invalid)
{
    struct mi_sink sink;
    mi_sink_init_memory(&sink);
    assert_int_equal(mi_json_escape(&sink, text, html_safe), invalid);
    mi_sink_byte(&sink, 0);
    assert_string_equal((const char *)mi_sink_bytes(&sink).at, want);
    mi_sink_fini(&sink);
}

static void escapes(void **state)
{
    (void)state;
    check_escape(MI_LIT("\"\\/\b\f\n\r\t\x01\x1f\x7f"), false,
                 "\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f", 0);
    check_escape(MI_LIT("a\0b"), false, "a\\u0000b", 0);
    check_escape(MI_LIT("\xc2\x9b\xc3\xa9\xe5\x8d\xb7\xf0\x9f\x98\x80"), false,
                 "\\u009b\xc3\xa9\xe5\x8d\xb7\xf0\x9f\x98\x80", 0);
    check_escape(MI_LIT("</script>&\xe2\x80\xa8\xe2\x80\xae"), false,
                 "</script>&\xe2\x80\xa8\xe2\x80\xae", 0);
    check_escape(MI_LIT("</script>&\xe2\x80\xa8\xe2\x80\xae\xf3\xa0\x80\x81"), true,
                 "\\u003c/script\\u003e\\u0026\\u2028\\u202e\\udb40\\udc01", 0);
    check_escape(MI_LIT("x\xff\xed\xa0\x80y\xc3"), false,
                 "x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdy\xef\xbf\xbd", 5);
}

static void invalid_names_keep_a_note(void **state)
{
    (void)state;
    struct mi_sink sink;
    struct mi_jw jw;
    struct mi_error err = MI_ERROR_INIT;
    mi_sink_init_memory(&sink);
    mi_jw_init(&jw, &sink, NULL);
    mi_jw_begin_object(&jw);
    mi_jw_member_string(&jw, "name", MI_LIT("a\xff"));
    mi_jw_hex_note(&jw, "name_hex", MI_LIT("a\xff"));
    mi_jw_hex_note(&jw, "other_hex", MI_LIT("fine"));
    mi_jw_end(&jw);
    assert_true(mi_jw_finish(&jw, &err));
    assert_int_equal(jw.invalid_bytes, 1);
    assert_true(mi_bytes_equal(mi_sink_bytes(&sink),
                               MI_LIT("{\"name\":\"a\xef\xbf\xbd\",\"name_hex\":\"61ff\"}\n")));
    mi_sink_fini(&sink);
}

/* Each letter is one call. */
static enum mi_code misuse(const char *calls)
{
    struct mi_sink sink;
    struct mi_jw jw;
    struct mi_error err = MI_ERROR_INIT;
    mi_sink_init_memory(&sink);
    mi_jw_init(&jw, &sink, NULL);
    for (; *calls; calls++) {
        if (*calls == '{')
            mi_jw_begin_object(&jw);
        else if (*calls == '[')
            mi_jw_begin_array(&jw);
        else if (*calls == 'e')
            mi_jw_end(&jw);
        else if (*calls == 'k')
            mi_jw_key(&jw, "k");
        else
            mi_jw_i64(&jw, 1);
    }
    mi_jw_finish(&jw, &err);
    mi_sink_fini(&sink);
    return err.code;
}

static void misuse_is_reported(void **state)
{
    (void)state;
    static const char *const bad[] = {"",   "{", "{k",   "{ke",  "{v",  "k",    "[k",
                                      "vv", "e", "{kkv", "{}ee", "[ee", "{k{e", "{kve v"};
    static const char *const good[] = {"v", "{e", "[e", "{kve", "[vvve", "{k{k[eee", "[[e{ee"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (misuse(bad[i]) != MI_EINTERNAL)
            fail_msg("%s was accepted", bad[i]);
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        assert_int_equal(misuse(good[i]), MI_OK);
    char deep[2 * MI_JW_DEPTH_MOST + 3];
    memset(deep, '[', MI_JW_DEPTH_MOST);
    memset(deep + MI_JW_DEPTH_MOST, 'e', MI_JW_DEPTH_MOST);
    deep[2 * MI_JW_DEPTH_MOST] = '\0';
    assert_int_equal(misuse(deep), MI_OK);
    memset(deep, '[', MI_JW_DEPTH_MOST + 1);
    assert_int_equal(misuse(deep), MI_EINTERNAL);
}

/* Random bytes with many special ones: valid for jansson, and valid text comes back unchanged. */
static void strings_read_back(void **state)
{
    (void)state;
    static const char *const parts[] = {"\"",
                                        "\\",
                                        "\n",
                                        "\x01",
                                        "\x7f",
                                        "<",
                                        "&",
                                        "\xc3\xa9",
                                        "\xe2\x80\xae",
                                        "\xf0\x9f\x98\x80",
                                        "a",
                                        "kernel_time_0123456789",
                                        "\xff",
                                        "\xed\xa0\x80",
                                        "\xc2\x85",
                                        "/"};
    uint64_t rng = 3;
    unsigned valid = 0;
    for (int round = 0; round < 30000; round++) {
        uint8_t text[400];
        size_t len = 0, kinds = rng_below(&rng, 2) ? 16 : 12;
        for (size_t n = rng_below(&rng, 16); n; n--) {
            const char *part = parts[rng_below(&rng, kinds)];
            memcpy(text + len, part, strlen(part));
            len += strlen(part);
        }
        struct mi_sink sink;
        struct mi_jw jw;
        struct mi_error err = MI_ERROR_INIT;
        const struct mi_jw_options options = {.html_safe = round % 2};
        mi_sink_init_memory(&sink);
        mi_jw_init(&jw, &sink, &options);
        mi_jw_string(&jw, (struct mi_bytes){text, len});
        assert_true(mi_jw_finish(&jw, &err));
        struct mi_bytes out = mi_sink_bytes(&sink);
        assert_true(mi_utf8_valid(out));
        for (size_t i = 0; i + 1 < out.len; i++) {
            bool is_c1 = out.at[i] == 0xc2 && out.at[i + 1] < 0xa0;
            assert_false(out.at[i] < 0x20 || out.at[i] == 0x7f || is_c1);
            assert_false(options.html_safe && (out.at[i] == '<' || out.at[i] == '&'));
        }
        json_t *root = json_loadb((const char *)out.at, out.len, JSON_DECODE_ANY, NULL);
        assert_true(json_is_string(root));
        struct mi_json js;
        struct mi_json_string string;
        struct mi_scratch scratch = {0};
        struct mi_bytes back;
        mi_json_init(&js, out, NULL);
        assert_true(mi_json_string(&js, &string) && mi_json_done(&js));
        assert_true(mi_json_text(string, &scratch, &back));
        assert_true(mi_bytes_equal(back, (struct mi_bytes){(const uint8_t *)json_string_value(root),
                                                           json_string_length(root)}));
        if (jw.invalid_bytes == 0) {
            valid++;
            assert_true(mi_bytes_equal(back, (struct mi_bytes){text, len}));
        }
        assert_true(mi_utf8_valid((struct mi_bytes){text, len}) == (jw.invalid_bytes == 0));
        json_decref(root);
        mi_scratch_fini(&scratch);
        mi_sink_fini(&sink);
    }
    assert_true(valid > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_layouts),
        cmocka_unit_test(siblings_get_their_commas),
        cmocka_unit_test(escapes),
        cmocka_unit_test(invalid_names_keep_a_note),
        cmocka_unit_test(misuse_is_reported),
        cmocka_unit_test(strings_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
