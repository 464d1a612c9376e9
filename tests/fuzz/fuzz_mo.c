/* Catalogues: lookups in any bytes stay inside them. */
#include "fuzz.h"
#include "present/text/i18n.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const texts[] = {"", "a", "executed", "\xff\xff"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *found = mi_mo_find((struct mi_bytes){data, size}, texts[i]);
        must(!found || (const uint8_t *)found + strlen(found) < data + size);
    }
    return 0;
}
