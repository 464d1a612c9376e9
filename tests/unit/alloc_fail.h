/* Lets the n-th allocation of the library fail. A test program that includes this must be linked
 * with ALLOC_FAIL_LINK of tests/unit/CMakeLists.txt, and only one of its files may include it. */
#ifndef MI_TESTS_ALLOC_FAIL_H
#define MI_TESTS_ALLOC_FAIL_H

#include <stdbool.h>
#include <stddef.h>

/* Allocations that still succeed before one fails; negative: none fails. */
static long alloc_left = -1;

static inline bool alloc_may(void)
{
    if (alloc_left < 0)
        return true;
    return alloc_left-- > 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *at, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *at, size_t size);

void *__wrap_malloc(size_t size)
{
    return alloc_may() ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size)
{
    return alloc_may() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *at, size_t size)
{
    return alloc_may() ? __real_realloc(at, size) : NULL;
}

#endif
