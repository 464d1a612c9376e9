#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>

void *mi_mem_new(size_t count, size_t size)
{
    return mi_mem_resize(NULL, count, size);
}

void *mi_mem_zero(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

void *mi_mem_resize(void *block, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size)
        return NULL;
    size_t bytes = count * size;
    return realloc(block, bytes ? bytes : 1);
}

void mi_mem_free(void *block)
{
    free(block);
}
