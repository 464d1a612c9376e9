/* make_onnx_text IN OUT: a model from text (onnx_text.h). */
#include "onnx_text.h"

#include <stdbool.h>

int main(int argc, char **argv)
{
    static char text[1 << 20];
    FILE *in = argc == 3 ? fopen(argv[1], "rb") : NULL, *out = in ? fopen(argv[2], "wb") : NULL;
    if (!out) {
        fprintf(stderr, "usage: make_onnx_text IN OUT\n");
        return 2;
    }
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    struct onnx_writer w = {0};
    onnx_from_text(&w, text);
    bool ok = fwrite(w.at, 1, w.len, out) == w.len && !fclose(out);
    onnx_writer_fini(&w);
    fclose(in);
    return ok ? 0 : 3;
}
