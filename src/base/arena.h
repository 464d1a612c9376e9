/* Arena: many small allocations that are freed as a whole with their owner. One thread at a time.
 */
#ifndef MI_BASE_ARENA_H
#define MI_BASE_ARENA_H

#include "base/bytes.h"

struct mi_arena_block;

struct mi_arena {
    struct mi_arena_block *blocks; /* newest first */
    uint8_t *at, *end;             /* free space of the newest block */
    size_t used_bytes;             /* handed out so far, for statistics */
};

void mi_arena_init(struct mi_arena *arena);
void mi_arena_fini(struct mi_arena *arena);

/* `size` bytes, aligned to 8, content undefined; NULL when memory is out. Lives until fini. */
void *mi_arena_alloc(struct mi_arena *arena, size_t size);

/* A copy of `bytes` followed by a NUL (not counted in len), so it also serves as a C string when it
 * holds no NUL itself. `at` is NULL when memory is out. */
struct mi_bytes mi_arena_copy(struct mi_arena *arena, struct mi_bytes bytes);

/* printf into the arena; len 0 and at NULL when memory is out. */
struct mi_bytes mi_arena_printf(struct mi_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Moves all blocks of `from` to `into`; `from` is empty afterwards. */
void mi_arena_adopt(struct mi_arena *into, struct mi_arena *from);

#endif
