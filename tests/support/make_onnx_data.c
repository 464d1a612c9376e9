/* make_onnx_data FOLDER: writes the small models of onnx_cases.h to FOLDER/<reader>/<name>.onnx.
 * For tests/data: `build/tests/support/make_onnx_data tests/data`. */
#include "onnx_cases.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_onnx_data FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < onnx_case_count; i++) {
        char path[4096];
        struct onnx_writer w = {0};
        onnx_cases[i].write(&w);
        snprintf(path, sizeof path, "%s/%s/%s.onnx", argv[1], onnx_cases[i].reader,
                 onnx_cases[i].name);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(w.at, 1, w.len, file) != w.len || fclose(file)) {
            fprintf(stderr, "make_onnx_data: cannot write %s\n", path);
            return 3;
        }
        onnx_writer_fini(&w);
    }
    return 0;
}
