#include "base/arena.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

enum { FIRST_BYTES = 64 * 1024, MOST_BYTES = 8 * 1024 * 1024, ALIGN = 8 };

struct mi_arena_block {
    struct mi_arena_block *next;
    uint64_t data[]; /* keeps the space aligned */
};

void mi_arena_init(struct mi_arena *arena)
{
    *arena = (struct mi_arena){0};
}

void mi_arena_fini(struct mi_arena *arena)
{
    for (struct mi_arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        mi_mem_free(block);
    }
    mi_arena_init(arena);
}

static struct mi_arena_block *new_block(size_t bytes)
{
    return bytes > SIZE_MAX / 4 ? NULL : mi_mem_new(1, sizeof(struct mi_arena_block) + bytes);
}

/* Blocks grow with what was handed out, so that a big arena consists of few and large ones. */
static size_t next_block_bytes(const struct mi_arena *arena)
{
    size_t bytes = FIRST_BYTES;
    while (bytes < MOST_BYTES && bytes < arena->used_bytes / 2)
        bytes *= 2;
    return bytes;
}

/* Large requests get a block of their own behind the current one, whose free space stays in use. */
static void *alloc_large(struct mi_arena *arena, size_t size)
{
    struct mi_arena_block *block = new_block(size);
    if (!block)
        return NULL;
    if (arena->blocks) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        block->next = NULL;
        arena->blocks = block;
    }
    arena->used_bytes += size;
    return block->data;
}

void *mi_arena_alloc(struct mi_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 4)
        return NULL;
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (size > (size_t)(arena->end - arena->at)) {
        if (size > FIRST_BYTES / 4)
            return alloc_large(arena, size);
        size_t block_bytes = next_block_bytes(arena);
        struct mi_arena_block *block = new_block(block_bytes);
        if (!block)
            return NULL;
        block->next = arena->blocks;
        arena->blocks = block;
        arena->at = (uint8_t *)block->data;
        arena->end = arena->at + block_bytes;
    }
    void *result = arena->at;
    arena->at += size;
    arena->used_bytes += size;
    return result;
}

struct mi_bytes mi_arena_copy(struct mi_arena *arena, struct mi_bytes bytes)
{
    uint8_t *copy = bytes.len < SIZE_MAX ? mi_arena_alloc(arena, bytes.len + 1) : NULL;
    if (!copy)
        return (struct mi_bytes){0};
    if (bytes.len)
        memcpy(copy, bytes.at, bytes.len);
    copy[bytes.len] = 0;
    return (struct mi_bytes){copy, bytes.len};
}

struct mi_bytes mi_arena_printf(struct mi_arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    uint8_t *text = len < 0 ? NULL : mi_arena_alloc(arena, (size_t)len + 1);
    if (text)
        vsnprintf((char *)text, (size_t)len + 1, format, again);
    va_end(again);
    return (struct mi_bytes){text, text ? (size_t)len : 0};
}

void mi_arena_adopt(struct mi_arena *into, struct mi_arena *from)
{
    if (!from->blocks)
        return;
    if (!into->blocks) {
        *into = *from;
    } else {
        struct mi_arena_block *last = from->blocks;
        while (last->next)
            last = last->next;
        last->next = into->blocks->next;
        into->blocks->next = from->blocks;
        into->used_bytes += from->used_bytes;
    }
    mi_arena_init(from);
}
