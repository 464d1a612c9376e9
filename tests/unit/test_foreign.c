/* Files that are no models are called by their name. */
#include "parse/foreign.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Content and length: some hold NUL. */
#define BYTES(text) text, sizeof(text) - 1

static void files_are_called_by_their_name(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
        const char *word;
    } cases[] = {
        {BYTES("version https://git-lfs.github.com/spec/v1\noid sha256:1\n"), "git lfs pull"},
        {BYTES("\n <!DOCTYPE HTML><html>"), "web page"},
        {BYTES("\xef\xbb\xbf<html>"), "web page"},
        {BYTES("\x7f"
               "ELF\x02"),
         "ELF"},
        {BYTES("PK\x03\x04rest"), "ZIP"},
        {BYTES("\x10\0\0\0MSL2 rest"), ".mindir"},
        {BYTES(" [1, 2]"), "JSON"},
        {BYTES("\x08\x02\x10\x01\x42\x01x\x4a\x08\0\0\0\0\0\0\0\0"), "one ONNX tensor"},
        {BYTES("ir_version: 8\ngraph {\n}\n"), "ONNX model as text"},
        {BYTES("<\n  ir_version: 8,\n  opset_import: [\"\" : 17]\n>\n"), "ONNX model as text"},
        {BYTES("\x18\0\0\0ORTM"), "own format"},
        {BYTES("\x18\0\0\0TFL3"), "TensorFlow Lite"},
        {BYTES("\x89HDF\r\n\x1a\n"), "HDF5"},
        {BYTES("\x10\0\0\0\0\0\0\0{\"a\":{}}"), "safetensors"},
        {BYTES("just some words"), "text"},
        {BYTES("\0\0\0\0\0"), "zeros"},
        {BYTES("\x01\x02\x03"), "no reader"},
        {BYTES(""), "empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        mi_explain_foreign((struct mi_bytes){(const uint8_t *)cases[i].bytes, cases[i].len}, text,
                           sizeof text);
        assert_non_null(strstr(text, cases[i].word));
    }
}

/* An archive of empty members. */
struct archive {
    uint8_t at[2048];
    size_t len;
};

static void put(struct archive *zip, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++, value >>= 8)
        zip->at[zip->len++] = (uint8_t)value;
}

static void put_text(struct archive *zip, const char *text)
{
    memcpy(zip->at + zip->len, text, strlen(text));
    zip->len += strlen(text);
}

static void make_archive(struct archive *zip, const char *const *names, size_t count)
{
    size_t places[8];
    zip->len = 0;
    for (size_t i = 0; i < count; i++) {
        places[i] = zip->len;
        put(zip, 0x04034b50, 4);
        put(zip, 20, 4);
        put(zip, 0, 18);
        put(zip, strlen(names[i]), 2);
        put(zip, 0, 2);
        put_text(zip, names[i]);
    }
    size_t directory = zip->len;
    for (size_t i = 0; i < count; i++) {
        put(zip, 0x02014b50, 4);
        put(zip, 20, 2);
        put(zip, 20, 4);
        put(zip, 0, 18);
        put(zip, strlen(names[i]), 2);
        put(zip, 0, 12);
        put(zip, places[i], 4);
        put_text(zip, names[i]);
    }
    size_t size = zip->len - directory;
    put(zip, 0x06054b50, 4);
    put(zip, 0, 4);
    put(zip, count, 2);
    put(zip, count, 2);
    put(zip, size, 4);
    put(zip, directory, 4);
    put(zip, 0, 2);
}

static void packages_of_cann(void **state)
{
    (void)state;
    static const char *const names[] = {"pkg/manifest.json", "pkg/data/model_0/model_meta.json",
                                        "pkg/data/constants/constant_0"};
    char text[256];
    struct archive zip;
    make_archive(&zip, names, 3);
    mi_explain_foreign((struct mi_bytes){zip.at, zip.len}, text, sizeof text);
    assert_non_null(strstr(text, "OM2"));
    assert_non_null(strstr(text, "ge_visual"));
    make_archive(&zip, names, 1); /* any archive may have a manifest */
    mi_explain_foreign((struct mi_bytes){zip.at, zip.len}, text, sizeof text);
    assert_null(strstr(text, "OM2"));
    assert_non_null(strstr(text, "ZIP"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_are_called_by_their_name),
                                       cmocka_unit_test(packages_of_cann)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
