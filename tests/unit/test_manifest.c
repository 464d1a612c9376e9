/* capture.json: what is written reads back, hostile ones are refused with a place. */
#include "base/input.h"
#include "capture/manifest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define START "{\"schema\": \"" MI_CAPTURE_SCHEMA "\""

static char dir[] = "/tmp/mi-manifest-XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/%s", dir, MI_CAPTURE_FILE);
    unlink(path);
    return rmdir(dir);
}

static bool read_text(struct mi_manifest *manifest, const char *text, struct mi_error *err)
{
    *err = MI_ERROR_INIT;
    mi_manifest_init(manifest);
    return mi_manifest_read(manifest, mi_cstr(text), "dir/capture.json", err);
}

static void written_and_read_back(void **state)
{
    (void)state;
    struct mi_manifest a, b;
    struct mi_input input;
    struct mi_error err = MI_ERROR_INIT;
    char path[128];
    mi_manifest_init(&a);
    a.collector = "ort";
    a.complete = true;
    a.start_unix_ns = 1736412474723783388;
    assert_true(
        mi_manifest_add_file(&a, &(struct mi_manifest_file){.path = "/models/m\xff.onnx",
                                                            .role = MI_ROLE_SOURCE_MODEL,
                                                            .reader = "onnx",
                                                            .hash = "xxh3:0123",
                                                            .size_bytes = INT64_C(1) << 60}));
    assert_true(
        mi_manifest_add_file(&a, &(struct mi_manifest_file){.path = "p \"q\"\n.json",
                                                            .role = MI_ROLE_PROFILE,
                                                            .size_bytes = -1,
                                                            .clock_unix_ns = 1736412474723783389}));
    for (int i = 0; i < 100; i++) {
        char name[32], text[32];
        snprintf(name, sizeof name, "setting%d", i);
        snprintf(text, sizeof text, "<%d>", i);
        assert_true(mi_manifest_add_setting(&a, name, text));
    }
    assert_true(mi_manifest_add_version(&a, "onnxruntime", "1.28.2"));
    assert_true(mi_manifest_add_note(&a, "first"));
    assert_true(mi_manifest_add_note(&a, ""));
    assert_true(mi_manifest_write(&a, dir, &err));

    snprintf(path, sizeof path, "%s/%s", dir, MI_CAPTURE_FILE);
    assert_true(mi_input_open(&input, path, NULL, &err));
    mi_manifest_init(&b);
    assert_true(mi_manifest_read(&b, input.bytes, path, &err));
    assert_string_equal(b.collector, "ort");
    assert_true(b.complete);
    assert_int_equal(b.start_unix_ns, a.start_unix_ns);
    assert_int_equal(b.file_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(b.files[i].path, a.files[i].path);
        assert_string_equal(b.files[i].role, a.files[i].role);
        assert_string_equal(b.files[i].reader, a.files[i].reader);
        assert_string_equal(b.files[i].hash, a.files[i].hash);
        assert_int_equal(b.files[i].size_bytes, a.files[i].size_bytes);
        assert_int_equal(b.files[i].clock_unix_ns, a.files[i].clock_unix_ns);
    }
    assert_int_equal(b.setting_count, 100);
    assert_string_equal(mi_manifest_setting(&b, "setting77"), "<77>");
    assert_null(mi_manifest_setting(&b, "setting100"));
    assert_string_equal(mi_manifest_version(&b, "onnxruntime"), "1.28.2");
    assert_int_equal(b.note_count, 2);
    assert_string_equal(b.notes[0], "first");
    assert_string_equal(b.notes[1], "");
    mi_input_close(&input);
    mi_manifest_fini(&a);
    mi_manifest_fini(&b);
}

static void missing_things_have_defaults(void **state)
{
    (void)state;
    struct mi_manifest m;
    struct mi_error err;
    assert_true(
        read_text(&m,
                  "{\"unknown\": [1, {\"a\": null}], \"files\": [{\"path\": \"a/..b/c\", "
                  "\"more\": 1}], \"settings\": {\"runs\": 3, \"spin\": false}, \"schema\": "
                  "\"model-inspector-capture/1\", \"start_unix_ns\": 5}",
                  &err));
    assert_string_equal(m.collector, "");
    assert_false(m.complete);
    assert_int_equal(m.start_unix_ns, 5);
    assert_string_equal(m.files[0].role, "");
    assert_string_equal(m.files[0].reader, "");
    assert_int_equal(m.files[0].size_bytes, -1);
    assert_int_equal(m.files[0].clock_unix_ns, 0);
    assert_string_equal(mi_manifest_setting(&m, "runs"), "3");
    assert_string_equal(mi_manifest_setting(&m, "spin"), "false");
    mi_manifest_fini(&m);
}

static void paths_stay_inside(void **state)
{
    (void)state;
    static const char *const bad[] = {"/etc/passwd", "..",         "../x", "a/../../x",
                                      "a/..",        "\\u002e./x", "/",    "a/b/../c"};
    static const char *const fine[] = {"a", "a/b", "..a", "a..", "a/...", "./a", ".hidden"};
    struct mi_manifest m;
    struct mi_error err;
    char text[256];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text,
                 START ",\n\"files\": [{\"path\": \"%s\", \"role\": \"profile\"}]}", bad[i]);
        assert_false(read_text(&m, text, &err));
        assert_int_equal(err.code, MI_EFORMAT);
        assert_int_equal(err.line, 2);
        assert_string_equal(err.input, "dir/capture.json");
        mi_manifest_fini(&m);
        /* the user's own model may lie anywhere; its role may stand behind the path */
        snprintf(text, sizeof text, START ",\"files\": [{\"path\": \"%s\", \"role\": \"source\"}]}",
                 bad[i]);
        assert_true(read_text(&m, text, &err));
        mi_manifest_fini(&m);
    }
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        snprintf(text, sizeof text, START ",\"files\": [{\"path\": \"%s\"}]}", fine[i]);
        assert_true(read_text(&m, text, &err));
        assert_string_equal(m.files[0].path, fine[i]);
        mi_manifest_fini(&m);
    }
}

static void refused_with_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum mi_code code;
    } cases[] = {
        {"", MI_ETRUNCATED},
        {"[]", MI_EFORMAT},
        {"{}", MI_EFORMAT}, /* no schema */
        {"{\"schema\": \"model-inspector-capture/2\"}", MI_EUNSUPPORTED},
        {"{\"schema\": 1}", MI_EFORMAT},
        {START, MI_ETRUNCATED},
        {START "} x", MI_EFORMAT},
        {START ", \"files\": {}}", MI_EFORMAT},
        {START ", \"files\": [{}]}", MI_EFORMAT},
        {START ", \"files\": [{\"path\": \"\"}]}", MI_EFORMAT},
        {START ", \"files\": [{\"path\": \"a\\u0000b\"}]}", MI_EFORMAT},
        {START ", \"files\": [{\"path\": \"a\", \"size_bytes\": \"many\"}]}", MI_EFORMAT},
        {START ", \"start_unix_ns\": 1e99}", MI_EFORMAT},
        {START ", \"complete\": 1}", MI_EFORMAT},
        {START ", \"notes\": [1]}", MI_EFORMAT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mi_manifest m;
        struct mi_error err;
        assert_false(read_text(&m, cases[i].text, &err));
        assert_int_equal(err.code, cases[i].code);
        assert_int_equal(err.line, 1);
        assert_true(err.text[0] != '\0');
        mi_manifest_fini(&m);
    }
}

static void limits_hold(void **state)
{
    (void)state;
    struct mi_manifest m;
    struct mi_error err;
    size_t room = (size_t)4 << 20, len = 0;
    char *text = malloc(room);
    assert_non_null(text);
    len += (size_t)snprintf(text, room, START ", \"notes\": [\"\"");
    for (int i = 0; i < 100000; i++)
        len += (size_t)snprintf(text + len, room - len, ",\"\"");
    snprintf(text + len, room - len, "]}");
    assert_false(read_text(&m, text, &err));
    assert_int_equal(err.code, MI_ELIMIT);
    mi_manifest_fini(&m);

    len = (size_t)snprintf(text, room, START ", \"collector\": \"");
    memset(text + len, 'x', 70000);
    snprintf(text + len + 70000, room - len - 70000, "\"}");
    assert_false(read_text(&m, text, &err));
    assert_int_equal(err.code, MI_ELIMIT);
    mi_manifest_fini(&m);
    free(text);
}

/* Any prefix and any changed byte ends in a manifest or in an error with a place. */
static void damaged_manifests(void **state)
{
    (void)state;
    static const char text[] = START
        ", \"collector\": \"ort\", \"complete\": true, \"start_unix_ns\": \"17\",\n"
        "\"files\": [{\"path\": \"m\", \"path_hex\": \"6dff\", \"role\": \"source\", "
        "\"reader\": \"onnx\", \"hash\": \"h\", \"size_bytes\": 4, \"clock_unix_ns\": \"9\"}],\n"
        "\"settings\": {\"a\": \"b\\u0041\"}, \"versions\": {\"c\": 1}, \"notes\": [\"n\"]}\n";
    char copy[sizeof text];
    struct mi_manifest m;
    struct mi_error err;
    for (size_t i = 0; i < sizeof text - 2; i++) {
        memcpy(copy, text, i);
        copy[i] = '\0';
        assert_false(read_text(&m, copy, &err));
        assert_int_not_equal(err.code, MI_OK);
        mi_manifest_fini(&m);
    }
    for (size_t i = 0; i < sizeof text - 1; i++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, text, sizeof text);
            copy[i] = (char)(copy[i] ^ (1 << bit));
            bool ok = read_text(&m, copy, &err);
            assert_int_equal(ok, err.code == MI_OK);
            mi_manifest_fini(&m);
        }
}

static void unwritable_folder(void **state)
{
    (void)state;
    struct mi_manifest m;
    struct mi_error err = MI_ERROR_INIT;
    mi_manifest_init(&m);
    assert_false(mi_manifest_write(&m, "/nonexistent/folder", &err));
    assert_true(err.code == MI_EIO || err.code == MI_ENOTFOUND);
    mi_manifest_fini(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_and_read_back), cmocka_unit_test(missing_things_have_defaults),
        cmocka_unit_test(paths_stay_inside),     cmocka_unit_test(refused_with_a_place),
        cmocka_unit_test(limits_hold),           cmocka_unit_test(damaged_manifests),
        cmocka_unit_test(unwritable_folder),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
