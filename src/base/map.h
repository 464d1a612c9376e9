/* A hash map from 64-bit keys to 32-bit values. Key 0 is allowed; value 0 means "absent".
 * Keys are ids or pairs of ids (mi_pair). Iteration order is never exposed: nothing may depend on
 * it. */
#ifndef MI_BASE_MAP_H
#define MI_BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct mi_map {
    struct mi_map_slot {
        uint64_t key;
        uint32_t value; /* 0 = free slot */
    } * slots;
    uint32_t count, slot_count; /* slot_count is 0 or a power of two */
};

static inline uint64_t mi_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

void mi_map_fini(struct mi_map *map); /* a zeroed map is an empty one: no init */

/* Room for `more` further keys, so that adding them does not grow the map step by step. */
bool mi_map_reserve(struct mi_map *map, uint32_t more);

/* Sets key -> value (value != 0), replacing an older value. false: out of memory. */
bool mi_map_set(struct mi_map *map, uint64_t key, uint32_t value);

uint32_t mi_map_get(const struct mi_map *map, uint64_t key); /* 0 = absent */

/* The place of key's value, added as 0 if absent (set it to non-zero at once); NULL: out of memory.
 * Valid until the next change of the map. */
uint32_t *mi_map_at(struct mi_map *map, uint64_t key);

#endif
