/* Shared by the fuzz targets. */
#ifndef MI_TESTS_FUZZ_H
#define MI_TESTS_FUZZ_H

#include "base/bytes.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Mixes bytes into a running value: reads each of them, so that a sanitizer sees a stretch that is
 * longer than it may be, and makes two walks comparable. */
static inline uint64_t mix(uint64_t sum, struct mi_bytes bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        sum = (sum ^ bytes.at[i]) * 0x100000001b3U;
    return sum * 31 + bytes.len;
}

/* Reads each byte. */
static inline void touch(struct mi_bytes bytes)
{
    volatile uint64_t sum = mix(0, bytes);
    (void)sum;
}

static inline uint64_t mix_number(uint64_t sum, uint64_t number)
{
    return (sum ^ number) * 0x9e3779b97f4a7c15U;
}

/* What must hold. */
static inline void must(bool holds)
{
    if (!holds)
        abort();
}

#endif
