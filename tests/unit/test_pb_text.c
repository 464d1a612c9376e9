/* The protobuf text scanner: grammar, lists, strings, numbers, places of errors, real dumps. */
#include "base/pb_text.h"
#include "base/pb_text_scan.h"

#include "base/files.h"
#include "base/input.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rng.h"

static struct mi_error no_error(void)
{
    return MI_ERROR_INIT;
}

/* Renders the tree as "name=raw name{...}" so that tests can compare one string. */
static void render(struct mi_bytes input, char *out, size_t room, struct mi_error *err)
{
    struct mi_pbt t;
    size_t used = 0;
    mi_pbt_init(&t, input, err);
    out[0] = 0;
    for (;;) {
        uint32_t depth = t.depth;
        if (mi_pbt_next(&t)) {
            bool is_message = t.kind == MI_PBT_MESSAGE;
            used += (size_t)snprintf(out + used, room - used, "%.*s%s%.*s%s", (int)t.name.len,
                                     (const char *)t.name.at, is_message ? "" : "=", (int)t.raw.len,
                                     (const char *)t.raw.at, is_message ? "{" : " ");
            if (is_message)
                assert_true(mi_pbt_enter(&t));
        } else if (depth == 0 || err->code != MI_OK) {
            return;
        } else {
            used += (size_t)snprintf(out + used, room - used, "}");
        }
        assert_true(used < room);
    }
}

static void reads(const char *text, const char *want)
{
    char got[1024];
    struct mi_error err = no_error();
    render(mi_cstr(text), got, sizeof got, &err);
    assert_string_equal(err.text, "");
    assert_string_equal(got, want);
}

static void fails(const char *text, enum mi_code code, uint64_t offset, uint32_t line)
{
    char got[1024];
    size_t len = strlen(text);
    uint8_t *copy = malloc(len + !len); /* exact, for the sanitizer */
    assert_non_null(copy);
    memcpy(copy, text, len);
    struct mi_error err = no_error();
    render((struct mi_bytes){copy, len}, got, sizeof got, &err);
    free(copy);
    assert_int_equal(err.code, code);
    assert_int_equal(err.offset, offset);
    assert_int_equal(err.line, line);
}

static void the_grammar_is_read(void **state)
{
    (void)state;
    reads("", "");
    reads(" \r\n\t # only a comment", "");
    reads("\xef\xbb\xbf"
          "a: 1\r\nb: \"x\"\r\n",
          "a=1 b=\"x\" ");
    reads("a:1;b:2,c:3", "a=1 b=2 c=3 ");
    reads("op { name: \"data\" attr { key: 'k' value { i: -0 } } } x: T",
          "op{name=\"data\" attr{key='k' value{i=-0 }}}x=T ");
    reads("a: < b: 1 > c { } d:{}", "a{b=1 }c{}d{}");
    reads("a # comment }\n: # more\n 1 b{#}\n}", "a=1 b{}");
    reads("[type.googleapis.com/x.Y] { 1: 2 } [a.b]: 3", "type.googleapis.com/x.Y{1=2 }a.b=3 ");
    reads("f: 1e-05 g: -.5 h: - inf k: 0x1F l: 1.5f", "f=1e-05 g=-.5 h=- inf k=0x1F l=1.5f ");
}

static void lists_are_repeated_fields(void **state)
{
    (void)state;
    reads("a: [1, 2,3] b: [] c: ['x' 'y', \"z\"]", "a=1 a=2 a=3 c='x' 'y' c=\"z\" ");
    reads("m: [ {a: 1 n [{}, {b:2}] c: 3}, <>, {d: [4] } ] e: 5",
          "m{a=1 n{}n{b=2 }c=3 }m{}m{d=4 }e=5 ");
    struct mi_error err = no_error();
    struct mi_pbt t;
    mi_pbt_init(&t, MI_LIT("a: [1, {}] b: 1"), &err);
    assert_true(mi_pbt_next(&t) && t.is_list && t.kind == MI_PBT_NUMBER);
    assert_true(mi_pbt_next(&t) && t.is_list && t.kind == MI_PBT_MESSAGE);
    assert_true(mi_pbt_next(&t) && !t.is_list && mi_pbt_named(&t, "b"));
}

static void errors_have_a_place(void **state)
{
    (void)state;
    fails("a: 1\nb 2", MI_EFORMAT, 7, 2);
    fails("a: }", MI_EFORMAT, 3, 1);
    fails("}", MI_EFORMAT, 0, 1);
    fails("a {\n\n>", MI_EFORMAT, 5, 3);
    fails("a: [1 2]", MI_EFORMAT, 6, 1);
    fails("a: [1,]", MI_EFORMAT, 6, 1);
    fails("a: 'x\ny'", MI_EFORMAT, 3, 1);
    fails("a: -+1", MI_EFORMAT, 4, 1);
    fails("a: 1 \x01", MI_EFORMAT, 5, 1);
    fails("[a\"b]: 1", MI_EFORMAT, 2, 1);
    fails("a [1]", MI_EFORMAT, 3, 1);
}

static void cut_input_is_truncated(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a",     "a:",     "a: -", "a {",    "a { b: 1", "a: [",
        "a: [1", "a: [1,", "a: '", "a: '\\", "[a.b",     "a: 'long enough for vectors to see"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        fails(texts[i], MI_ETRUNCATED, strlen(texts[i]), 1);
    /* A sample cut at every byte: fine between fields at the top, else truncated; never else. */
    static const char whole[] = "op {\n  name: \"a\\\"b\" 'c'\n  list: [1, -2]\n  m: <x: T>\n}\n";
    for (size_t len = 0; len < sizeof whole; len++) {
        char got[256];
        uint8_t *copy = malloc(len + !len);
        assert_non_null(copy);
        memcpy(copy, whole, len);
        struct mi_error err = no_error();
        render((struct mi_bytes){copy, len}, got, sizeof got, &err);
        bool is_whole = len == 0 || len >= sizeof whole - 2;
        assert_int_equal(err.code, is_whole ? MI_OK : MI_ETRUNCATED);
        free(copy);
    }
}

static void values_are_skipped_unless_entered(void **state)
{
    (void)state;
    struct mi_error err = no_error();
    struct mi_pbt t;
    mi_pbt_init(&t, MI_LIT("a { b { c: '}' } # }\n d: [<>] } e { f: 1 g { h: 2 } i: [3, 4] } j: 5"),
                &err);
    assert_true(mi_pbt_next(&t) && mi_pbt_named(&t, "a"));
    assert_true(mi_pbt_next(&t) && mi_pbt_named(&t, "e"));
    assert_true(mi_pbt_enter(&t));
    assert_true(mi_pbt_next(&t) && mi_pbt_named(&t, "f"));
    assert_int_equal(t.depth, 1);
    assert_true(mi_pbt_next(&t) && mi_pbt_named(&t, "g"));
    assert_true(mi_pbt_next(&t) && mi_pbt_named(&t, "i"));
    assert_true(mi_pbt_leave(&t)); /* in the middle of a list */
    assert_int_equal(t.depth, 0);
    assert_true(mi_pbt_named(&t, "e"));
    assert_true(mi_pbt_next(&t) && mi_pbt_named(&t, "j"));
    assert_false(mi_pbt_next(&t));
    assert_int_equal(err.code, MI_OK);
    mi_pbt_init(&t, MI_LIT("a { b { } c: 1 } d: 2"), &err);
    assert_true(mi_pbt_next(&t) && mi_pbt_enter(&t) && mi_pbt_next(&t));
    assert_true(mi_pbt_leave(&t)); /* before a message nobody entered */
    assert_true(mi_pbt_next(&t) && mi_pbt_named(&t, "d"));
    assert_false(mi_pbt_enter(&t));
    assert_int_equal(err.code, MI_EFORMAT);
}

static void depth_is_limited(void **state)
{
    (void)state;
    char deep[2 * (MI_PBT_MAX_DEPTH + 1) + 1];
    for (unsigned i = 0; i <= MI_PBT_MAX_DEPTH; i++)
        memcpy(deep + (size_t)2 * i, "a{", 2);
    deep[sizeof deep - 1] = 0;
    struct mi_error err = no_error();
    struct mi_pbt t;
    mi_pbt_init(&t, mi_cstr(deep), &err);
    while (mi_pbt_next(&t) && mi_pbt_enter(&t))
        ;
    assert_int_equal(t.depth, MI_PBT_MAX_DEPTH);
    assert_int_equal(err.code, MI_ELIMIT);
    err = no_error();
    mi_pbt_init(&t, mi_cstr(deep), &err);
    assert_true(mi_pbt_next(&t));
    assert_false(mi_pbt_next(&t)); /* skipping */
    assert_int_equal(err.code, MI_ELIMIT);
}

static void decodes(const char *text, const void *want, size_t want_len)
{
    struct mi_error err = no_error();
    struct mi_pbt t;
    uint8_t into[256];
    size_t len = 0;
    mi_pbt_init(&t, mi_cstr(text), &err);
    assert_true(mi_pbt_next(&t));
    assert_int_equal(t.kind, MI_PBT_STRING);
    assert_true(mi_pbt_decode(&t, into, &len));
    assert_int_equal(len, want_len);
    assert_memory_equal(into, want, want_len);
    assert_true(len <= t.raw.len);
}

static void strings_become_bytes(void **state)
{
    (void)state;
    decodes("a: ''", "", 0);
    decodes("a: \"\\n\\r\\t\\a\\b\\f\\v\\\\\\'\\\"\\?\"", "\n\r\t\a\b\f\v\\'\"?", 11);
    decodes("a: '\\0\\12\\3777\\1234'", "\0\n\3777S4", 6);
    decodes("a: '\\x4\\x41g\\xfff'",
            "\4Ag\xff"
            "f",
            5);
    decodes("a: 'one' \"t'o\" # 'x'\n  '\\'3'", "onet'o'3", 8);
    decodes("a: '\\u00e9\\U0001F600'", "\xc3\xa9\xf0\x9f\x98\x80", 6);
    decodes("a: 'a\"b'", "a\"b", 3);
    struct mi_error err = no_error();
    struct mi_pbt t;
    mi_pbt_init(&t, MI_LIT("a: 'plain' b: 'x\\n' c: 'p' 'q' d: 1"), &err);
    assert_true(mi_pbt_next(&t) && !t.has_escape);
    assert_true(mi_bytes_equal(mi_pbt_text(&t), MI_LIT("plain")));
    assert_true(mi_pbt_next(&t) && t.has_escape);
    assert_true(mi_pbt_next(&t) && t.has_escape);
}

static void bad_escapes_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"\n\na: 'x\\q'", "\n\na: 'x\\xg'", "\n\na: 'x\\400'",
                                        "\n\na: 'x\\u12'", "\n\na: 'x\\U00110000'"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mi_error err = no_error();
        struct mi_pbt t;
        uint8_t into[64];
        size_t len;
        mi_pbt_init(&t, mi_cstr(texts[i]), &err);
        assert_true(mi_pbt_next(&t));
        assert_false(mi_pbt_decode(&t, into, &len));
        assert_int_equal(err.code, MI_EFORMAT);
        assert_int_equal(err.offset, 7);
        assert_int_equal(err.line, 3);
    }
}

static struct mi_pbt value_of(const char *text, struct mi_error *err)
{
    struct mi_pbt t;
    mi_pbt_init(&t, mi_cstr(text), err);
    assert_true(mi_pbt_next(&t));
    return t;
}

static void check_i64(const char *text, bool is_one, int64_t want)
{
    struct mi_error err = no_error();
    struct mi_pbt t = value_of(text, &err);
    int64_t got = 0;
    assert_int_equal(mi_pbt_i64(&t, &got), is_one);
    if (is_one)
        assert_true(got == want);
}

static void check_double(const char *text, bool is_one, double want)
{
    struct mi_error err = no_error();
    struct mi_pbt t = value_of(text, &err);
    double got = 0;
    assert_int_equal(mi_pbt_double(&t, &got), is_one);
    if (is_one)
        assert_true(isnan(want) ? isnan(got) : got == want);
}

static void numbers_are_read(void **state)
{
    (void)state;
    check_i64("a: 0", true, 0);
    check_i64("a: -  # sign\n 12", true, -12);
    check_i64("a: 9223372036854775807", true, INT64_MAX);
    check_i64("a: -9223372036854775808", true, INT64_MIN);
    check_i64("a: 9223372036854775808", false, 0);
    check_i64("a: 99999999999999999999", false, 0);
    check_i64("a: 0x1f", true, 31);
    check_i64("a: -017", true, -15);
    check_i64("a: 08", false, 0);
    check_i64("a: 0x", false, 0);
    check_i64("a: 1.0", false, 0);
    check_i64("a: T", false, 0);
    check_i64("a: '1'", false, 0);
    check_double("a: 1e-05", true, 1e-5);
    check_double("a: -1.5f", true, -1.5);
    check_double("a: 3F", true, 3);
    check_double("a: 0x10", true, 16);
    check_double("a: inf", true, HUGE_VAL);
    check_double("a: -Infinity", true, -HUGE_VAL);
    check_double("a: nan", true, NAN);
    check_double("a: 0.1", true, 0.1);
    check_double("a: 1e", false, 0);
    check_double("a: 1.2.3", false, 0);
    check_double("a: 1-2", false, 0);
    check_double("a: DT_FLOAT", false, 0);
    struct mi_error err = no_error();
    struct mi_pbt t = value_of("a: 18446744073709551615", &err);
    uint64_t u = 0;
    assert_true(mi_pbt_u64(&t, &u) && u == UINT64_MAX);
    t = value_of("a: -1", &err);
    assert_false(mi_pbt_u64(&t, &u));
    bool b = false;
    t = value_of("a: true", &err);
    assert_true(mi_pbt_bool(&t, &b) && b);
    t = value_of("a: 0", &err);
    assert_true(mi_pbt_bool(&t, &b) && !b);
    t = value_of("a: yes", &err);
    assert_false(mi_pbt_bool(&t, &b));
}

static void the_vector_twins_agree(void **state)
{
    (void)state;
    static const char alphabet[] = "ab\\\\\"'\n \t\r\v\f\xff\x85";
    uint64_t seed = 77;
    for (unsigned round = 0; round < 50000; round++) {
        size_t len = rng_below(&seed, 100);
        size_t plain = rng_below(&seed, 8); /* of 8, so that long runs occur as well */
        uint8_t *text = malloc(len + !len);
        assert_non_null(text);
        for (size_t i = 0; i < len; i++)
            text[i] = rng_below(&seed, 8) < plain
                          ? (uint8_t)(round % 2 ? ' ' : 'x')
                          : (uint8_t)alphabet[rng_below(&seed, sizeof alphabet - 1)];
        const uint8_t *end = text + len;
        assert_ptr_equal(mi_pbt_skip_space(text, end), mi_pbt_skip_space_scalar(text, end));
        struct mi_pbt_string_end a = mi_pbt_string(text, end, '"');
        struct mi_pbt_string_end b = mi_pbt_string_scalar(text, end, '"');
        assert_ptr_equal(a.at, b.at);
        assert_int_equal(a.has_escape, b.has_escape);
        free(text);
    }
}

static void long_strings_are_skipped(void **state)
{
    (void)state;
    size_t len = (size_t)4 << 20;
    char *text = malloc(len + 32);
    assert_non_null(text);
    memcpy(text, "w: \"", 4);
    for (size_t i = 4; i < len; i += 4)
        memcpy(text + i, "\\\"\\\\", 4);
    memcpy(text + len, "\" z: 1", 7);
    struct mi_error err = no_error();
    struct mi_pbt t;
    mi_pbt_init(&t, mi_cstr(text), &err);
    assert_true(mi_pbt_next(&t));
    assert_int_equal(t.raw.len, len - 4 + 2);
    assert_true(mi_pbt_next(&t) && mi_pbt_named(&t, "z"));
    free(text);
}

/* Walks everything, decoding every string; returns the number of fields. */
static unsigned walk(struct mi_bytes input, bool enter, struct mi_error *err)
{
    struct mi_pbt t;
    unsigned count = 0, open = 0;
    mi_pbt_init(&t, input, err);
    for (;;) {
        if (mi_pbt_next(&t)) {
            count++;
            if (t.kind == MI_PBT_MESSAGE && enter && mi_pbt_enter(&t))
                open++;
            if (t.kind == MI_PBT_STRING && enter) {
                uint8_t *into = malloc(t.raw.len);
                size_t len;
                assert_non_null(into);
                if (mi_pbt_decode(&t, into, &len))
                    assert_true(len <= t.raw.len - 2);
                free(into);
            }
        } else if (open-- == 0 || err->code != MI_OK) {
            return count;
        }
    }
}

static void flips_never_hurt(void **state)
{
    (void)state;
    static const char sample[] =
        "graph {\n  name: \"a\\001b\" 'c'\n  op <\n    attr { key: 'k' value { list { i: [1, -2] "
        "f: 1e-05 val_type: VT_LIST_INT } } }\n  > # note\n  [x.y]: \"\\\"\\xff\"\n}\nversion: "
        "0x1f\n";
    uint64_t seed = 4242;
    for (unsigned round = 0; round < 100000; round++) {
        size_t len = sizeof sample - 1 - (round % 4 == 0 ? rng_below(&seed, sizeof sample - 1) : 0);
        uint8_t *copy = malloc(len + !len);
        assert_non_null(copy);
        memcpy(copy, sample, len);
        for (size_t flips = rng_below(&seed, 4); flips > 0 && len > 0; flips--)
            copy[rng_below(&seed, len)] ^= (uint8_t)(1U << rng_below(&seed, 8));
        struct mi_error err = no_error();
        walk((struct mi_bytes){copy, len}, round % 3 != 0, &err);
        if (err.code != MI_OK)
            assert_true(err.offset <= len && err.line >= 1);
        free(copy);
    }
}

static void real_dumps_are_read(void **state)
{
    (void)state;
    char folder[4096];
    const char *root = getenv("MI_SHARED");
    snprintf(folder, sizeof folder, "%s%s", root ? root : MI_SOURCE_DIR "/../shared",
             "/samples/cann-static/ge-dump");
    struct mi_error err = no_error();
    struct mi_dir dir;
    if (!mi_dir_read(&dir, folder, MI_DIR_MAX_ENTRIES, &err))
        skip();
    assert_true(dir.count > 0);
    for (uint32_t i = 0; i < dir.count; i++) {
        char path[4400];
        struct mi_input input;
        snprintf(path, sizeof path, "%s/%s", folder, dir.entries[i].name);
        assert_true(mi_input_open(&input, path, NULL, &err));
        unsigned fields = walk(input.bytes, true, &err);
        if (err.code != MI_OK)
            fail_msg("%s:%u: %s", path, err.line, err.text);
        /* Scalars, openings and closings stand on lines of their own in these files. */
        unsigned lines = 0;
        for (size_t at = 0; at + 1 < input.bytes.len; at++)
            lines += input.bytes.at[at] == '\n';
        assert_true(fields > lines / 3 && fields <= lines + 1);
        assert_true(walk(input.bytes, false, &err) >= 1);
        assert_int_equal(err.code, MI_OK);
        mi_input_close(&input);
    }
    mi_dir_free(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_grammar_is_read),
        cmocka_unit_test(lists_are_repeated_fields),
        cmocka_unit_test(errors_have_a_place),
        cmocka_unit_test(cut_input_is_truncated),
        cmocka_unit_test(values_are_skipped_unless_entered),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(strings_become_bytes),
        cmocka_unit_test(bad_escapes_are_refused),
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(the_vector_twins_agree),
        cmocka_unit_test(long_strings_are_skipped),
        cmocka_unit_test(flips_never_hurt),
        cmocka_unit_test(real_dumps_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
