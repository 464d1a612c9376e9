/* make_onnx OUT [NODES [BRANCHES [WIDTH [WEIGHTS [WEIGHT_BYTES]]]]]: a synthetic model that ONNX
 * Runtime can run; see struct onnx_plan. 100,000 nodes: `make_onnx m.onnx 100000`; 800 MB of
 * weights that cost no disk: `make_onnx m.onnx 400 4 1000000 200 4000000`. */
#include "onnx_writer.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    uint64_t numbers[] = {16, 1, 16, 0, 0};
    if (argc < 2 || argc > 7) {
        fprintf(stderr,
                "usage: make_onnx OUT [NODES [BRANCHES [WIDTH [WEIGHTS [WEIGHT_BYTES]]]]]\n");
        return 2;
    }
    for (int i = 2; i < argc; i++)
        numbers[i - 2] = strtoull(argv[i], NULL, 10);
    struct onnx_plan plan = {.nodes = (uint32_t)numbers[0],
                             .branches = (uint32_t)numbers[1],
                             .width = (uint32_t)numbers[2],
                             .weights = (uint32_t)numbers[3],
                             .weight_bytes = numbers[4]};
    FILE *file = fopen(argv[1], "wb");
    if (!file || onnx_write_plan(file, &plan) || fclose(file)) {
        fprintf(stderr, "make_onnx: cannot write %s\n", argv[1]);
        return 3;
    }
    return 0;
}
