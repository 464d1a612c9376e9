#include "base/strings.h"

#include "base/mem.h"

#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL /* short keys hash at full speed */
#endif
#include <xxhash.h>

enum { FIRST_ROOM = 64, FIRST_SLOTS = 128 };

bool mi_strings_init(struct mi_strings *strings)
{
    *strings = (struct mi_strings){0};
    strings->list = mi_mem_zero(FIRST_ROOM, sizeof *strings->list);
    strings->slots = mi_mem_zero(FIRST_SLOTS, sizeof *strings->slots);
    if (!strings->list || !strings->slots) {
        mi_strings_fini(strings);
        return false;
    }
    strings->list[0].at = (const uint8_t *)"";
    strings->count = 1;
    strings->room = FIRST_ROOM;
    strings->slot_count = FIRST_SLOTS;
    return true;
}

void mi_strings_fini(struct mi_strings *strings)
{
    mi_mem_free(strings->list);
    mi_mem_free(strings->slots);
    mi_arena_fini(&strings->arena);
    *strings = (struct mi_strings){0};
}

static uint32_t hash_of(struct mi_bytes text)
{
    uint64_t hash = XXH3_64bits(text.at, text.len);
    return (uint32_t)(hash ^ hash >> 32);
}

/* The slot that holds `text`, or the free slot where it belongs. */
static uint32_t find_slot(const struct mi_strings *strings, struct mi_bytes text, uint32_t hash)
{
    uint32_t mask = strings->slot_count - 1, slot = hash & mask;
    for (;; slot = (slot + 1) & mask) {
        uint32_t id = strings->slots[slot];
        if (!id)
            return slot;
        const struct mi_string *have = &strings->list[id];
        if (have->hash == hash && have->len == text.len && !memcmp(have->at, text.at, text.len))
            return slot;
    }
}

static bool grow(struct mi_strings *strings)
{
    if (strings->count == strings->room) {
        if (strings->room > UINT32_MAX / 4)
            return false;
        void *list = mi_mem_resize(strings->list, (size_t)strings->room * 2, sizeof *strings->list);
        if (!list)
            return false;
        strings->list = list;
        strings->room *= 2;
    }
    if (strings->count >= strings->slot_count / 2) {
        uint32_t slot_count = strings->slot_count * 2, mask = slot_count - 1;
        uint32_t *slots = mi_mem_zero(slot_count, sizeof *slots);
        if (!slots)
            return false;
        for (uint32_t id = 1; id < strings->count; id++) {
            uint32_t slot = strings->list[id].hash & mask;
            while (slots[slot])
                slot = (slot + 1) & mask;
            slots[slot] = id;
        }
        mi_mem_free(strings->slots);
        strings->slots = slots;
        strings->slot_count = slot_count;
    }
    return true;
}

mi_str_id mi_strings_add(struct mi_strings *strings, struct mi_bytes text, bool copy, bool *failed)
{
    if (text.len == 0)
        return MI_NO_STR;
    if (text.len > UINT32_MAX)
        text.len = UINT32_MAX;
    uint32_t hash = hash_of(text), slot = find_slot(strings, text, hash);
    if (strings->slots[slot])
        return (mi_str_id){strings->slots[slot]};
    if (copy)
        text = mi_arena_copy(&strings->arena, text);
    uint32_t slots_before = strings->slot_count;
    if (!text.at || !grow(strings)) {
        if (failed)
            *failed = true;
        return MI_NO_STR;
    }
    if (strings->slot_count != slots_before)
        slot = find_slot(strings, text, hash);
    uint32_t id = strings->count++;
    strings->list[id] = (struct mi_string){text.at, (uint32_t)text.len, hash};
    strings->slots[slot] = id;
    return (mi_str_id){id};
}

mi_str_id mi_strings_find(const struct mi_strings *strings, struct mi_bytes text)
{
    if (text.len == 0 || text.len > UINT32_MAX)
        return MI_NO_STR;
    return (mi_str_id){strings->slots[find_slot(strings, text, hash_of(text))]};
}
