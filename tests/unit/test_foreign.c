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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_are_called_by_their_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
