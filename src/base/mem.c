/* For mremap(), where there is one; without it blocks are copied. */
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "base/mem.h"

#include "base/written.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef __wasi__
#include <sys/mman.h>
#endif

#define PAGE        ((uintptr_t)64 << 10) /* the largest that processors use for small ones */
#define HUGE_PAGE   ((size_t)2 << 20)
#define LARGE_BYTES ((size_t)1 << 20)
#define LONG_BYTES  ((size_t)8 << 20)

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

static bool is_zero(const uint8_t *at, size_t bytes)
{
    return !bytes || (!at[0] && !memcmp(at, at + 1, bytes - 1));
}

bool mi_mem_is_zero(const void *block, size_t bytes)
{
    bool all = true;
    struct mi_written written = mi_written_begin(block, bytes);
    while (all && mi_written_next(&written))
        all = is_zero(written.at, written.bytes);
    mi_written_end(&written);
    return all;
}

void mi_mem_sparse_copy(void *to, const void *from, size_t bytes)
{
    uint8_t *dst = to;
    const uint8_t *src = from;
    struct mi_written written = mi_written_begin(from, bytes);
    while (mi_written_next(&written)) {
        const uint8_t *end = written.at + written.bytes;
        for (const uint8_t *at = written.at; at < end; at += PIECE) {
            size_t piece = (size_t)(end - at) < PIECE ? (size_t)(end - at) : PIECE;
            if (!is_zero(at, piece))
                memcpy(dst + (at - src), at, piece);
        }
    }
    mi_written_end(&written);
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

/* Large blocks are whole huge pages: then kernels put them where huge pages fit, also when they are
 * moved. What is not used of the last one is address space only. */
static size_t mapped_bytes(size_t bytes)
{
    return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

/* A column ends within its last huge page, and there are many columns: only long ones are worth
 * that. */
static void *with_huge_pages_if_long(void *block, size_t bytes)
{
    return bytes >= LONG_BYTES ? with_huge_pages(block, bytes) : block;
}

void *mi_mem_sparse(size_t bytes)
{
    if (bytes < LARGE_BYTES)
        return calloc(1, bytes ? bytes : 1);
    if (bytes > SIZE_MAX - HUGE_PAGE)
        return NULL;
    void *block =
        mmap(NULL, mapped_bytes(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return block == MAP_FAILED ? NULL : with_huge_pages_if_long(block, mapped_bytes(bytes));
}

void mi_mem_sparse_free(void *block, size_t bytes)
{
    if (bytes < LARGE_BYTES)
        free(block);
    else if (block)
        munmap(block, mapped_bytes(bytes));
}

#endif

/* --- blocks that change their size where they lie --- */

#ifdef MREMAP_MAYMOVE

bool mi_mem_sparse_can_extend(size_t bytes)
{
    return bytes >= LARGE_BYTES;
}

void *mi_mem_sparse_extend(void *block, size_t bytes, size_t new_bytes)
{
    if (new_bytes > SIZE_MAX - HUGE_PAGE)
        return NULL;
    void *moved = mremap(block, mapped_bytes(bytes), mapped_bytes(new_bytes), MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : with_huge_pages_if_long(moved, mapped_bytes(new_bytes));
}

void mi_mem_sparse_forget(void *block, size_t bytes, size_t from, size_t to)
{
    uint8_t *at = block;
    size_t first = (from + PAGE - 1) / PAGE * PAGE, last = to / PAGE * PAGE;
    if (bytes >= LARGE_BYTES && first < last && !madvise(at + first, last - first, MADV_DONTNEED)) {
        memset(at + from, 0, first - from);
        from = last;
    }
    memset(at + from, 0, to - from);
}

#else

bool mi_mem_sparse_can_extend(size_t bytes)
{
    (void)bytes;
    return false;
}

void *mi_mem_sparse_extend(void *block, size_t bytes, size_t new_bytes)
{
    (void)block, (void)bytes, (void)new_bytes;
    return NULL;
}

void mi_mem_sparse_forget(void *block, size_t bytes, size_t from, size_t to)
{
    (void)bytes;
    memset((uint8_t *)block + from, 0, to - from);
}

#endif
