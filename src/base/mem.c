#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef __wasi__
#include <sys/mman.h>
#endif

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

/* --- blocks that are zero where nothing was written --- */

enum { PIECE = 4096 };

bool mi_mem_is_zero(const void *block, size_t bytes)
{
    const uint8_t *at = block;
    return !bytes || (!at[0] && !memcmp(at, at + 1, bytes - 1));
}

void mi_mem_sparse_copy(void *to, const void *from, size_t bytes)
{
    uint8_t *dst = to;
    const uint8_t *src = from;
    for (size_t at = 0; at < bytes; at += PIECE) {
        size_t piece = bytes - at < PIECE ? bytes - at : PIECE;
        if (!mi_mem_is_zero(src + at, piece))
            memcpy(dst + at, src + at, piece);
    }
}

#ifdef __wasi__ /* no mappings: memory that the module gains is zero, but is paid for at once */

void *mi_mem_sparse(size_t bytes)
{
    return calloc(1, bytes ? bytes : 1);
}

void mi_mem_sparse_free(void *block, size_t bytes)
{
    (void)bytes;
    free(block);
}

#else

void *mi_mem_sparse(size_t bytes)
{
    if (bytes < LARGE_BYTES)
        return calloc(1, bytes ? bytes : 1);
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : with_huge_pages(block, bytes);
}

void mi_mem_sparse_free(void *block, size_t bytes)
{
    if (bytes < LARGE_BYTES)
        free(block);
    else if (block)
        munmap(block, bytes);
}

#endif
