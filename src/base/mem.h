/* The only door to malloc. Sizes are multiplied with an overflow check; failure is NULL, never
 * exit. */
#ifndef MI_BASE_MEM_H
#define MI_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* A block of count * size bytes with undefined content, or NULL. Freed with mi_mem_free(). */
void *mi_mem_new(size_t count, size_t size);

/* Same, zeroed (by the kernel for large blocks: untouched pages cost nothing). */
void *mi_mem_zero(size_t count, size_t size);

/* Grows or shrinks a block from mi_mem_new (or NULL); on failure the old block stays valid. */
void *mi_mem_resize(void *block, size_t count, size_t size);

void mi_mem_free(void *block); /* NULL is fine */

/* A block that reads as zeros; where it is large, what was never written takes no memory. Freed
 * with mi_mem_sparse_free(), which wants to know its size (NULL is fine). */
void *mi_mem_sparse(size_t bytes);
void mi_mem_sparse_free(void *block, size_t bytes);

/* Whether a block of that size from mi_mem_sparse() can be given another large size without being
 * copied. */
bool mi_mem_sparse_can_extend(size_t bytes);

/* Makes such a block longer, or shorter, which always works for one that was made longer before;
 * its address changes, what is new reads as zeros. NULL: the old one stays as it was. */
void *mi_mem_sparse_extend(void *block, size_t bytes, size_t new_bytes);

/* Bytes `from` to `to` of such a block (of any size) read as zeros again; where it is large, they
 * take no memory any more. */
void mi_mem_sparse_forget(void *block, size_t bytes, size_t from, size_t to);

/* Both without reading what was never written, which would take memory on some kernels. */
bool mi_mem_is_zero(const void *block, size_t bytes);

/* Copies to a place that reads as zeros, leaving out stretches of zeros. */
void mi_mem_sparse_copy(void *to, const void *from, size_t bytes);

#endif
