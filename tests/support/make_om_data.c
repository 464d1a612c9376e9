/* make_om_data FOLDER: writes the small models of om_cases.h to FOLDER/om/<name>.om. For
 * tests/data: `build/tests/support/make_om_data tests/data`. */
#include "om_cases.h"

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_om_data FOLDER\n");
        return 2;
    }
    for (size_t i = 0; i < om_case_count; i++) {
        char path[4096];
        struct onnx_writer w = {0};
        om_cases[i].write(&w);
        snprintf(path, sizeof path, "%s/om/%s.om", argv[1], om_cases[i].name);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(w.at, 1, w.len, file) != w.len || fclose(file)) {
            fprintf(stderr, "make_om_data: cannot write %s\n", path);
            return 3;
        }
        onnx_writer_fini(&w);
    }
    return 0;
}
