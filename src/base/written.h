/* Which parts of a block of our own anything was ever written to. Not every kernel keeps a page of
 * zeros: under some, also who only reads is given memory. So what reads as zeros is not read where
 * the kernel says that there is nothing. */
#ifndef MI_BASE_WRITTEN_H
#define MI_BASE_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A walk over such a block, by one thread. */
struct mi_written {
    const uint8_t *at; /* the stretch at hand */
    size_t bytes;
    const uint8_t *next, *end;
    int pages; /* what the kernel knows of our pages; -1: it does not say */
};

/* `block`: memory of our own, not of a file. Small ones are one stretch. */
struct mi_written mi_written_begin(const void *block, size_t bytes);

/* The next stretch that may hold something else than zeros; false: there is none. */
bool mi_written_next(struct mi_written *walk);

void mi_written_end(struct mi_written *walk);

#endif
