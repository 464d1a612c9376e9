#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE        ((uintptr_t)64 << 10) /* the largest that processors use for small ones */
#define LARGE_BYTES ((size_t)1 << 20)

/* Asks for huge pages under a large block: rows are filled from end to end, and with small pages
 * half of the time goes into one fault per 4 KiB. The pages at both ends are included, since
 * neighbours that are large too share a huge page. It is advice: what comes of it does not matter.
 */
static void *with_huge_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (block && bytes >= LARGE_BYTES) {
        size_t before = (uintptr_t)block & (PAGE - 1);
        madvise((char *)block - before, bytes + before, MADV_HUGEPAGE);
    }
#else
    (void)bytes;
#endif
    return block;
}

void *mi_mem_new(size_t count, size_t size)
{
    return mi_mem_resize(NULL, count, size);
}

void *mi_mem_zero(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    return with_huge_pages(block, count * size); /* it exists, so the product fits */
}

void *mi_mem_resize(void *block, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size)
        return NULL;
    size_t bytes = count * size;
    return with_huge_pages(realloc(block, bytes ? bytes : 1), bytes);
}

void mi_mem_free(void *block)
{
    free(block);
}
