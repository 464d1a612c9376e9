/* Decompression: any bytes as gzip, zstd and raw deflate; what comes out stays below the limit. */
#include "base/unpack.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mi_bytes input = {data, size};
    static const enum mi_packing kinds[] = {MI_PACKING_GZIP, MI_PACKING_ZSTD, MI_PACKING_DEFLATE};
    const uint64_t limit = 1 << 20;
    mi_packing_sniff(input);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct mi_error err = MI_ERROR_INIT;
        struct mi_unpacked out = {0};
        if (mi_unpack_all(kinds[i], input, limit, NULL, &out, &err)) {
            must(out.len <= limit && out.ignored_bytes <= size);
            touch((struct mi_bytes){out.at, out.len});
            free(out.at);
        } else {
            must(err.code != MI_OK);
        }
    }
    return 0;
}
