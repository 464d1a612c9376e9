#include "base/map.h"

#include "base/mem.h"

enum { FIRST_SLOTS = 64, GROUP_BITS = 3 };

void mi_map_fini(struct mi_map *map)
{
    mi_mem_free(map->slots);
    *map = (struct mi_map){0};
}

/* Keys are mostly ids that are asked for one behind the other: eight of them stand together, in two
 * lines of the cache, and only where these stand is random. */
static uint32_t first_slot(uint64_t key, uint32_t slot_count)
{
    key ^= key >> 32;
    uint64_t group = (key >> GROUP_BITS) * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    return (uint32_t)(group << GROUP_BITS | (key & ((1 << GROUP_BITS) - 1))) & (slot_count - 1);
}

static struct mi_map_slot *find(const struct mi_map *map, uint64_t key)
{
    uint32_t slot = first_slot(key, map->slot_count);
    while (map->slots[slot].value && map->slots[slot].key != key)
        slot = (slot + 1) & (map->slot_count - 1);
    return &map->slots[slot];
}

static bool grow(struct mi_map *map, uint32_t slot_count)
{
    struct mi_map bigger = {.slot_count = slot_count, .count = map->count};
    bigger.slots = mi_mem_zero(bigger.slot_count, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (uint32_t i = 0; i < map->slot_count; i++)
        if (map->slots[i].value)
            *find(&bigger, map->slots[i].key) = map->slots[i];
    mi_mem_free(map->slots);
    *map = bigger;
    return true;
}

bool mi_map_reserve(struct mi_map *map, uint32_t more)
{
    uint32_t slot_count = map->slot_count ? map->slot_count : FIRST_SLOTS;
    if (more >= UINT32_MAX / 4 - map->count)
        return false;
    while (map->count + more > slot_count / 2)
        slot_count *= 2;
    return slot_count == map->slot_count || grow(map, slot_count);
}

uint32_t *mi_map_at(struct mi_map *map, uint64_t key)
{
    if (map->count >= map->slot_count / 2 && !mi_map_reserve(map, 1))
        return NULL;
    struct mi_map_slot *slot = find(map, key);
    if (!slot->value) {
        slot->key = key;
        map->count++;
    }
    return &slot->value;
}

bool mi_map_set(struct mi_map *map, uint64_t key, uint32_t value)
{
    uint32_t *at = mi_map_at(map, key);
    if (at)
        *at = value;
    return at != NULL;
}

uint32_t mi_map_get(const struct mi_map *map, uint64_t key)
{
    return map->slot_count ? find(map, key)->value : 0;
}
