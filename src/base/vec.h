/* A list of 32-bit numbers that grows; and room for lists of anything. */
#ifndef MI_BASE_VEC_H
#define MI_BASE_VEC_H

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct mi_u32s {
    uint32_t *at;
    uint32_t count, room;
};

/* Room for row `count` of the block whose pointer `block` points to, rows of `size` bytes; false:
 * out of memory or numbers. */
static inline bool mi_vec_room(void *block, uint32_t *room, uint32_t count, size_t size)
{
    if (count < *room)
        return true;
    if (*room >= UINT32_MAX / 2)
        return false;
    void *at;
    memcpy(&at, block, sizeof at);
    at = mi_mem_resize(at, *room ? (size_t)*room * 2 : 64, size);
    if (!at)
        return false;
    memcpy(block, &at, sizeof at);
    *room = *room ? *room * 2 : 64;
    return true;
}

static inline bool mi_u32s_push(struct mi_u32s *list, uint32_t value)
{
    if (!mi_vec_room(&list->at, &list->room, list->count, sizeof *list->at))
        return false;
    list->at[list->count++] = value;
    return true;
}

static inline void mi_u32s_fini(struct mi_u32s *list)
{
    mi_mem_free(list->at);
    *list = (struct mi_u32s){0};
}

#endif
