/* The JSON scanner: values, nesting, recovery, limits; the scalar twin; jansson as judge of the
 * grammar. */
#include "base/decimal.h"
#include "base/json_scan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "json_random.h"

static const struct mi_json_options scalar_only = {.force_scalar = true};
static const struct mi_json_options lenient = {
    .allow_trailing_comma = true, .allow_control = true, .allow_non_finite = true};

static void check_text(struct mi_json_string string, const char *want)
{
    struct mi_scratch scratch = {0};
    struct mi_bytes text;
    assert_true(mi_json_text(string, &scratch, &text));
    assert_int_equal(text.len, strlen(want));
    assert_memory_equal(text.at, want, text.len);
    assert_true(mi_json_string_is(string, mi_cstr(want)));
    mi_scratch_fini(&scratch);
}

static void an_event_is_read(void **state)
{
    (void)state;
    struct mi_bytes input = MI_LIT("[ {\"name\" : \"conv\\u0031\", \"ts\":1736412474723783.388,\n"
                                   "\"dur\":\"12.5\", \"ok\":true,\"none\":null,"
                                   "\"args\":{\"shape\":[1,[2,\"]\"]],\"x\":{}} , \"pid\": -7}]\n");
    struct mi_json js;
    struct mi_json_string key, name = {0};
    int64_t ts = 0, dur = 0, pid = 0;
    unsigned flags = 0;
    bool ok = false;
    struct mi_bytes args = {0};
    mi_json_init(&js, input, NULL);
    assert_int_equal(mi_json_peek(&js), MI_JSON_ARRAY);
    assert_true(mi_json_begin_array(&js));
    assert_true(mi_json_next_item(&js));
    assert_true(mi_json_begin_object(&js));
    assert_int_equal(mi_json_depth(&js), 2);
    while (mi_json_next_key(&js, &key)) {
        if (mi_json_string_is(key, MI_LIT("name")))
            assert_true(mi_json_string(&js, &name));
        else if (mi_json_string_is(key, MI_LIT("ts")))
            assert_true(mi_json_scaled(&js, 3, &ts, &flags) && !flags);
        else if (mi_json_string_is(key, MI_LIT("dur")))
            assert_true(mi_json_scaled(&js, 3, &dur, &flags) && !flags);
        else if (mi_json_string_is(key, MI_LIT("ok")))
            assert_true(mi_json_bool(&js, &ok));
        else if (mi_json_string_is(key, MI_LIT("args")))
            assert_true(mi_json_skip(&js, &args));
        else if (mi_json_string_is(key, MI_LIT("pid")))
            assert_true(mi_json_i64(&js, &pid, &flags) && !flags);
    }
    assert_false(mi_json_next_item(&js));
    assert_true(mi_json_done(&js));
    assert_false(mi_json_failed(&js));
    assert_true(name.has_escape);
    check_text(name, "conv1");
    assert_int_equal(ts, INT64_C(1736412474723783388));
    assert_int_equal(dur, 12500);
    assert_int_equal(pid, -7);
    assert_true(ok);
    assert_true(mi_bytes_equal(args, MI_LIT("{\"shape\":[1,[2,\"]\"]],\"x\":{}}")));
}

static void peek_tells_types(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum mi_json_type type;
    } cases[] = {{"{", MI_JSON_OBJECT}, {" [", MI_JSON_ARRAY},  {"\n\"", MI_JSON_STRING},
                 {"-", MI_JSON_NUMBER}, {"7", MI_JSON_NUMBER},  {"true", MI_JSON_BOOL},
                 {"f", MI_JSON_BOOL},   {"null", MI_JSON_NULL}, {"", MI_JSON_NONE},
                 {"]", MI_JSON_NONE},   {"nan", MI_JSON_NULL},  {"Infinity", MI_JSON_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mi_json js;
        mi_json_init(&js, mi_cstr(cases[i].text), NULL);
        assert_int_equal(mi_json_peek(&js), cases[i].type);
        assert_int_equal(mi_json_offset(&js), 0);
    }
    struct mi_json js;
    mi_json_init(&js, MI_LIT("nan"), &lenient);
    assert_int_equal(mi_json_peek(&js), MI_JSON_NUMBER);
}

static void escapes_are_resolved(void **state)
{
    (void)state;
    static const struct {
        const char *raw, *text;
    } cases[] = {
        {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"},
        {"\\u0041\\u00e9\\u20ac", "A\xc3\xa9\xe2\x82\xac"},
        {"\\uD83D\\uDE00!", "\xf0\x9f\x98\x80!"},
        {"\\ud83d", "\xed\xa0\xbd"},
        {"\\ude00x", "\xed\xb8\x80x"},
        {"\\ud800\\ud801\\udc00", "\xed\xa0\x80\xf0\x90\x90\x80"},
        {"\\ud83d\\u0041", "\xed\xa0\xbd"
                           "A"},
        {"\\udc00\\udc01", "\xed\xb0\x80\xed\xb0\x81"},
        {"\\u12", "\\u12"},
        {"\\q\\", "\\q\\"},
        {"plain", "plain"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_text((struct mi_json_string){mi_cstr(cases[i].raw), true}, cases[i].text);
        assert_false(mi_json_string_is((struct mi_json_string){mi_cstr(cases[i].raw), true},
                                       MI_LIT("other")));
    }
    uint8_t out[8];
    assert_int_equal(mi_json_unescape(MI_LIT("a\\u0000b"), out), 3);
    assert_memory_equal(out, "a\0b", 3);
}

static void numbers_keep_their_text(void **state)
{
    (void)state;
    struct mi_json js;
    struct mi_json_number number;
    mi_json_init(&js, MI_LIT("-12345678901234567890123.5e-3 "), NULL);
    assert_true(mi_json_number(&js, &number));
    assert_true(mi_bytes_equal(number.text, MI_LIT("-12345678901234567890123.5e-3")));
    assert_false(number.is_integer);
    mi_json_init(&js, MI_LIT("12345678901234567890"), NULL);
    assert_true(mi_json_number(&js, &number));
    assert_true(number.is_integer && number.is_finite);

    int64_t i64;
    uint64_t u64;
    double d;
    unsigned flags;
    mi_json_init(&js, MI_LIT("12345678901234567890"), NULL);
    assert_true(mi_json_i64(&js, &i64, &flags));
    assert_int_equal(flags, MI_DECIMAL_OVERFLOW);
    assert_int_equal(i64, INT64_MAX);
    mi_json_init(&js, MI_LIT("12345678901234567890"), NULL);
    assert_true(mi_json_u64(&js, &u64, &flags));
    assert_int_equal(flags, 0);
    assert_true(u64 == UINT64_C(12345678901234567890));
    mi_json_init(&js, MI_LIT("\"stream 7\""), NULL);
    assert_true(mi_json_i64(&js, &i64, &flags));
    assert_int_equal(flags, MI_DECIMAL_BAD);
    mi_json_init(&js, MI_LIT("0.1"), NULL);
    assert_true(mi_json_double(&js, &d, &flags));
    assert_true(d == 0.1 && !flags);
    mi_json_init(&js, MI_LIT("-Infinity"), &lenient);
    assert_true(mi_json_double(&js, &d, &flags));
    assert_true(isinf(d) && d < 0);
    mi_json_init(&js, MI_LIT("nan"), &lenient);
    assert_true(mi_json_double(&js, &d, &flags));
    assert_true(isnan(d));
    mi_json_init(&js, MI_LIT("[NaN,-inf,nan,null]"), &lenient);
    assert_true(mi_json_skip(&js, NULL) && mi_json_done(&js));
}

/* Checks a document as a whole; returns the code of the first failure. */
static enum mi_code check(struct mi_bytes input, const struct mi_json_options *options,
                          struct mi_json *js)
{
    mi_json_init(js, input, options);
    if (mi_json_skip(js, NULL))
        mi_json_done(js);
    return js->error.code;
}

static void broken_documents_name_the_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum mi_code code;
        uint64_t offset;
        uint32_t line;
    } cases[] = {
        {"", MI_ETRUNCATED, 0, 1},          {"[1,\n2", MI_ETRUNCATED, 5, 2},
        {"[1,\n2}", MI_EFORMAT, 5, 2},      {"[1,]", MI_EFORMAT, 3, 1},
        {"{\"a\":1,}", MI_EFORMAT, 7, 1},   {"[,1]", MI_EFORMAT, 1, 1},
        {"{\"a\" 1}", MI_EFORMAT, 5, 1},    {"{a:1}", MI_EFORMAT, 1, 1},
        {"{\"a\":}", MI_EFORMAT, 5, 1},     {"\"abc", MI_ETRUNCATED, 4, 1},
        {"\"a\\", MI_ETRUNCATED, 3, 1},     {"\"a\\u12", MI_ETRUNCATED, 6, 1},
        {"\"a\\u12g4\"", MI_EFORMAT, 6, 1}, {"\"a\\x\"", MI_EFORMAT, 2, 1},
        {"\n\n\"a\nb\"", MI_EFORMAT, 4, 3}, {"tru", MI_ETRUNCATED, 3, 1},
        {"trie", MI_EFORMAT, 2, 1},         {"01", MI_EFORMAT, 1, 1},
        {"-", MI_ETRUNCATED, 1, 1},         {"1.", MI_ETRUNCATED, 2, 1},
        {"1.x", MI_EFORMAT, 2, 1},          {"1e+", MI_ETRUNCATED, 3, 1},
        {".5", MI_EFORMAT, 0, 1},           {"+5", MI_EFORMAT, 0, 1},
        {"1 2", MI_EFORMAT, 2, 1},          {"[]]", MI_EFORMAT, 2, 1},
        {"NaN", MI_EFORMAT, 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mi_json js;
        assert_int_equal(check(mi_cstr(cases[i].text), NULL, &js), cases[i].code);
        assert_int_equal(js.error.offset, cases[i].offset);
        assert_int_equal(js.error.line, cases[i].line);
        assert_true(js.error.text[0]);
    }
}

static void options_loosen_the_grammar(void **state)
{
    (void)state;
    struct mi_json js;
    assert_int_equal(check(MI_LIT("[1,{\"a\":\"x\ny\",},NaN,-Infinity,]"), &lenient, &js), MI_OK);
    assert_int_equal(check(MI_LIT("[1,,]"), &lenient, &js), MI_EFORMAT);
    assert_int_equal(check(MI_LIT("[,]"), &lenient, &js), MI_EFORMAT);
    mi_json_init(&js, MI_LIT("[1,]"), &lenient);
    mi_json_begin_array(&js);
    assert_true(mi_json_next_item(&js));
    assert_false(mi_json_next_item(&js));
    assert_true(mi_json_done(&js));
    const struct mi_json_options shifted = {.first_offset = 1000, .first_line = 50};
    assert_int_equal(check(MI_LIT("[\n?"), &shifted, &js), MI_EFORMAT);
    assert_int_equal(js.error.offset, 1002);
    assert_int_equal(js.error.line, 51);
    assert_int_equal(check(MI_LIT("\xef\xbb\xbf[]"), NULL, &js), MI_OK);
}

static void nesting_is_limited(void **state)
{
    (void)state;
    enum { MOST = 100000 };
    char *text = malloc(MOST);
    struct mi_json js;
    assert_non_null(text);
    memset(text, '[', MOST);
    struct mi_bytes input = {(const uint8_t *)text, MOST};
    assert_int_equal(check(input, NULL, &js), MI_ELIMIT);
    assert_int_equal(js.error.offset, MI_JSON_DEPTH_DEFAULT);
    const struct mi_json_options deep = {.depth_limit = UINT32_MAX}, flat = {.depth_limit = 2};
    assert_int_equal(check(input, &deep, &js), MI_ELIMIT);
    assert_int_equal(js.error.offset, MI_JSON_DEPTH_MOST);
    assert_int_equal(check(MI_LIT("[{}]"), &flat, &js), MI_OK);
    assert_int_equal(check(MI_LIT("[[[]]]"), &flat, &js), MI_ELIMIT);
    memset(text + MI_JSON_DEPTH_DEFAULT, ']', MI_JSON_DEPTH_DEFAULT);
    input.len = 2 * MI_JSON_DEPTH_DEFAULT;
    assert_int_equal(check(input, NULL, &js), MI_OK);
    free(text);
}

static void failures_stick_until_a_seek(void **state)
{
    (void)state;
    struct mi_bytes input = MI_LIT("[\n{\"name\":\"a\"b}],\n{\"name\":\"c\"}\n,]");
    struct mi_json js;
    struct mi_json_string key, name;
    struct mi_json_number number;
    int64_t value = 5;
    unsigned flags = 5;
    mi_json_init(&js, input, &lenient);
    mi_json_begin_array(&js);
    assert_true(mi_json_next_item(&js));
    size_t start = mi_json_offset(&js);
    mi_json_begin_object(&js);
    assert_true(mi_json_next_key(&js, &key));
    assert_true(mi_json_string(&js, &name));
    assert_false(mi_json_next_key(&js, &key));
    struct mi_error first = js.error;
    assert_int_equal(first.code, MI_EFORMAT);
    assert_int_equal(first.line, 2);
    assert_false(mi_json_next_key(&js, &key));
    assert_false(mi_json_next_item(&js));
    assert_false(mi_json_string(&js, &name) || name.raw.at || name.raw.len);
    assert_false(mi_json_number(&js, &number));
    assert_false(mi_json_i64(&js, &value, &flags));
    assert_int_equal(value, 0);
    assert_int_equal(flags, 0);
    assert_false(mi_json_skip(&js, NULL));
    assert_false(mi_json_done(&js));
    assert_memory_equal(&first, &js.error, sizeof first);

    size_t next = mi_json_next_line(&js, start + 1);
    assert_int_equal(input.at[next], '{');
    assert_true(mi_json_seek(&js, next, 1));
    assert_false(mi_json_failed(&js));
    assert_true(mi_json_next_item(&js));
    mi_json_begin_object(&js);
    assert_true(mi_json_next_key(&js, &key));
    assert_true(mi_json_string(&js, &name));
    check_text(name, "c");
    assert_false(mi_json_next_key(&js, &key));
    assert_false(mi_json_next_item(&js));
    assert_true(mi_json_done(&js));

    /* in front of the comma, and at the bracket */
    assert_true(mi_json_seek(&js, input.len - 2, 1));
    assert_false(mi_json_next_item(&js));
    assert_true(mi_json_done(&js));
    assert_false(mi_json_seek(&js, 0, 3));
    assert_int_equal(js.error.code, MI_EINTERNAL);
    assert_int_equal(mi_json_next_line(&js, input.len + 5), input.len);
}

static void misuse_is_an_error_not_a_crash(void **state)
{
    (void)state;
    struct mi_json js;
    struct mi_json_string key;
    mi_json_init(&js, MI_LIT("[1]"), NULL);
    mi_json_begin_array(&js);
    assert_false(mi_json_next_key(&js, &key));
    assert_int_equal(js.error.code, MI_EINTERNAL);
    mi_json_init(&js, MI_LIT("1"), NULL);
    assert_false(mi_json_next_item(&js));
    assert_int_equal(js.error.code, MI_EINTERNAL);
    mi_json_init(&js, (struct mi_bytes){0}, NULL);
    assert_false(mi_json_begin_object(&js));
    assert_int_equal(js.error.code, MI_ETRUNCATED);
}

/* Walks a document through the pull calls alone and through skip, both must agree. */
static enum mi_code walk(struct mi_bytes input, const struct mi_json_options *options,
                         struct mi_json *js, uint64_t *digest)
{
    struct mi_json_string string = {0};
    struct mi_json_number number;
    bool is_object[16] = {false}, flag;
    uint32_t depth = 0;
    mi_json_init(js, input, options);
    *digest = 14695981039346656037u;
    for (;;) {
        if (depth && is_object[depth - 1] ? mi_json_next_key(js, &string)
            : depth                       ? mi_json_next_item(js)
                                          : !mi_json_failed(js)) {
            struct mi_bytes text = string.raw;
            enum mi_json_type type = mi_json_peek(js);
            *digest = (*digest ^ (uint64_t)type ^ text.len << 8) * 1099511628211u;
            if (type == MI_JSON_OBJECT || type == MI_JSON_ARRAY) {
                is_object[depth++ % 16] = type == MI_JSON_OBJECT;
                if (depth > 15)
                    return MI_ELIMIT;
                type == MI_JSON_OBJECT ? mi_json_begin_object(js) : mi_json_begin_array(js);
                continue;
            }
            if (type == MI_JSON_STRING && mi_json_string(js, &string))
                *digest = (*digest ^ string.raw.len ^ string.has_escape) * 1099511628211u;
            else if (type == MI_JSON_NUMBER && mi_json_number(js, &number))
                *digest = (*digest ^ number.text.len ^ number.is_integer) * 1099511628211u;
            else if (type == MI_JSON_BOOL)
                mi_json_bool(js, &flag);
            else if (type == MI_JSON_NULL)
                mi_json_null(js);
            else if (type == MI_JSON_NONE)
                mi_json_skip(js, NULL);
        } else if (mi_json_failed(js)) {
            return js->error.code;
        } else {
            depth--;
        }
        if (!depth) {
            mi_json_done(js);
            return js->error.code;
        }
    }
}

/* Differences that are meant: jansson refuses what is a question of meaning, not of grammar. */
static bool jansson_accepts(struct mi_bytes input, bool *differs_by_design)
{
    json_error_t error;
    json_t *root =
        json_loadb((const char *)input.at, input.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    *differs_by_design = false;
    if (!root) {
        enum json_error_code code = json_error_code(&error);
        *differs_by_design =
            code == json_error_invalid_utf8 || code == json_error_numeric_overflow ||
            code == json_error_null_byte_in_key || strstr(error.text, "invalid Unicode");
        return false;
    }
    json_decref(root);
    return true;
}

static void jansson_agrees_on_damaged_documents(void **state)
{
    (void)state;
    struct json_random doc = {.rng = 20240229};
    unsigned accepted = 0, refused = 0;
    for (int round = 0; round < 60000; round++) {
        struct mi_json js, twin;
        uint64_t digest, twin_digest;
        json_random_make(&doc);
        for (size_t n = rng_below(&doc.rng, 4); n; n--)
            json_random_damage(&doc);
        /* an exact copy on the heap, so that the address sanitizer sees a read too far */
        uint8_t *copy = malloc(doc.len);
        assert_non_null(copy);
        memcpy(copy, doc.text, doc.len);
        struct mi_bytes input = {copy, doc.len};
        bool by_design, theirs = jansson_accepts(input, &by_design);
        enum mi_code ours = check(input, NULL, &js);
        if (!by_design && theirs != (ours == MI_OK))
            fail_msg("jansson %d, we %s: %.*s", theirs, js.error.text, (int)doc.len, doc.text);
        ours == MI_OK ? accepted++ : refused++;

        assert_int_equal(check(input, &scalar_only, &twin), ours);
        assert_memory_equal(&js.error, &twin.error, sizeof js.error);
        assert_int_equal(walk(input, NULL, &twin, &digest), ours);
        if (ours != MI_OK)
            assert_int_equal(twin.error.offset, js.error.offset);
        assert_int_equal(walk(input, &scalar_only, &twin, &twin_digest), ours);
        assert_true(digest == twin_digest);
        free(copy);
    }
    assert_true(accepted > 10000 && refused > 10000);
}

static void every_cut_is_truncation(void **state)
{
    (void)state;
    struct json_random doc = {.rng = 77};
    for (int round = 0; round < 200; round++) {
        json_random_make(&doc);
        for (size_t len = 0; len < doc.len; len++) {
            struct mi_json js;
            uint8_t *copy = malloc(len + 1);
            assert_non_null(copy);
            memcpy(copy, doc.text, len);
            assert_int_equal(check((struct mi_bytes){copy, len}, NULL, &js), MI_ETRUNCATED);
            assert_int_equal(js.error.offset, len);
            free(copy);
        }
    }
}

/* Every length and place of a special byte around the vector width. */
static void vector_edges(void **state)
{
    (void)state;
    static const char specials[] = "\"\\\x1f\x20\x7f\x80\xff";
    for (size_t len = 0; len < 70; len++)
        for (size_t at = 0; at <= len; at++)
            for (size_t s = 0; s < sizeof specials - 1; s++) {
                struct mi_json js, twin;
                uint8_t text[80] = {'"'};
                memset(text + 1, 'a', len);
                if (at < len)
                    text[1 + at] = (uint8_t)specials[s];
                text[1 + len] = '"';
                struct mi_bytes input = {text, len + 2};
                assert_int_equal(check(input, NULL, &js), check(input, &scalar_only, &twin));
                assert_memory_equal(&js.error, &twin.error, sizeof js.error);
                memset(text, (signed char)specials[s] < 0 ? '7' : ' ', len + 2);
                text[at] = (signed char)specials[s] < 0 ? '7' : '1';
                assert_int_equal(check(input, NULL, &js), check(input, &scalar_only, &twin));
                assert_memory_equal(&js.error, &twin.error, sizeof js.error);
            }
}

static void lines_are_counted_both_ways(void **state)
{
    (void)state;
    char text[400];
    uint64_t rng = 5;
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = rng_below(&rng, 5) ? 'x' : '\n';
    struct mi_json js, twin;
    struct mi_bytes input = {(const uint8_t *)text, sizeof text};
    mi_json_init(&js, input, NULL);
    mi_json_init(&twin, input, &scalar_only);
    for (int i = 0; i < 500; i++) {
        size_t offset = rng_below(&rng, sizeof text + 20);
        uint32_t line = 1;
        for (size_t k = 0; k < offset && k < sizeof text; k++)
            line += text[k] == '\n';
        assert_int_equal(mi_json_line(&js, offset), line);
        assert_int_equal(mi_json_line(&twin, offset), line);
    }
}

static bool lies_inside(struct mi_bytes part, struct mi_bytes whole)
{
    return !part.at || (part.at >= whole.at && part.len <= whole.len &&
                        part.at + part.len <= whole.at + whole.len);
}

/* One call of any kind; whatever it gives must lie inside the input. */
static void random_call(struct mi_json *js, struct mi_bytes input, uint64_t *rng)
{
    struct mi_json_string string = {0};
    struct mi_json_number number = {0};
    struct mi_bytes raw = {0};
    int64_t value;
    double real;
    unsigned flags;
    bool ok = false, flag;
    switch (rng_below(rng, 12)) {
    case 0:
        ok = mi_json_begin_object(js);
        break;
    case 1:
        ok = mi_json_begin_array(js);
        break;
    case 2:
    case 3:
        ok = mi_json_next_key(js, &string);
        break;
    case 4:
    case 5:
        ok = mi_json_next_item(js);
        break;
    case 6:
        ok = mi_json_string(js, &string);
        break;
    case 7:
        ok = mi_json_number(js, &number);
        break;
    case 8:
        ok = rng_below(rng, 2) ? mi_json_scaled(js, 3, &value, &flags)
                               : mi_json_double(js, &real, &flags);
        break;
    case 9:
        ok = mi_json_skip(js, &raw);
        break;
    case 10:
        ok = mi_json_bool(js, &flag) || mi_json_null(js);
        break;
    default:
        ok = mi_json_done(js);
    }
    assert_true(lies_inside(string.raw, input) && lies_inside(number.text, input) &&
                lies_inside(raw, input));
    assert_true(mi_json_offset(js) <= input.len);
    assert_false(ok && mi_json_failed(js));
}

/* Readers make mistakes too: calls in any order, seeks to anywhere. */
static void any_order_of_calls_is_safe(void **state)
{
    (void)state;
    struct json_random doc = {.rng = 987654321};
    for (int round = 0; round < 20000; round++) {
        struct mi_json js;
        json_random_make(&doc);
        json_random_damage(&doc);
        uint8_t *copy = malloc(doc.len);
        assert_non_null(copy);
        memcpy(copy, doc.text, doc.len);
        struct mi_bytes input = {copy, doc.len};
        mi_json_init(&js, input, round % 3 ? &lenient : NULL);
        for (int calls = 0; calls < 60; calls++) {
            bool failed = mi_json_failed(&js);
            random_call(&js, input, &doc.rng);
            assert_true(!failed || mi_json_failed(&js));
            if (mi_json_failed(&js) && rng_below(&doc.rng, 3) == 0)
                mi_json_seek(&js, rng_below(&doc.rng, doc.len + 2),
                             (uint32_t)rng_below(&doc.rng, 4));
        }
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_is_read),
        cmocka_unit_test(peek_tells_types),
        cmocka_unit_test(escapes_are_resolved),
        cmocka_unit_test(numbers_keep_their_text),
        cmocka_unit_test(broken_documents_name_the_place),
        cmocka_unit_test(options_loosen_the_grammar),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(failures_stick_until_a_seek),
        cmocka_unit_test(misuse_is_an_error_not_a_crash),
        cmocka_unit_test(jansson_agrees_on_damaged_documents),
        cmocka_unit_test(every_cut_is_truncation),
        cmocka_unit_test(vector_edges),
        cmocka_unit_test(any_order_of_calls_is_safe),
        cmocka_unit_test(lines_are_counted_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
