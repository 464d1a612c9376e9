/* ZIP archives: any bytes; every member that can be opened is read. */
#include "base/zip.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mi_bytes bytes = {data, size};
    struct mi_error err = MI_ERROR_INIT;
    struct mi_zip zip;
    const struct mi_input_options options = {.max_bytes = 1 << 20};
    mi_zip_sniff(bytes);
    if (!mi_zip_open(&zip, bytes, 1000, &err)) {
        must(err.code != MI_OK);
        return 0;
    }
    for (uint32_t i = 0; i < zip.count; i++) {
        struct mi_input input;
        must(mi_zip_find(&zip, zip.members[i].name) != NULL);
        err = MI_ERROR_INIT;
        if (mi_zip_read(&zip, &zip.members[i], "a.zip", &options, &input, &err)) {
            touch(input.bytes);
            mi_input_close(&input);
        } else {
            must(err.code != MI_OK);
        }
    }
    mi_zip_close(&zip);
    return 0;
}
