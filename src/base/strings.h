/* Interned strings: equal bytes have equal ids, so names are compared as numbers.
 *
 * Id 0 is "none" and reads as the empty string; interning an empty string gives it. Bytes are
 * borrowed unless the caller asks for a copy; a borrowed string must outlive the pool (it lies in a
 * mapping that the model keeps). Strings longer than 4 GiB are cut. One thread at a time while
 * strings are added. */
#ifndef MI_BASE_STRINGS_H
#define MI_BASE_STRINGS_H

#include "base/arena.h"
#include "base/bytes.h"

typedef struct {
    uint32_t v;
} mi_str_id;

#define MI_NO_STR ((mi_str_id){0})

struct mi_string {
    const uint8_t *at;
    uint32_t len, hash;
};

struct mi_strings {
    struct mi_string *list; /* [count]; list[0] is the empty string */
    uint32_t *slots;        /* [slot_count] ids, 0 = free; open addressing */
    uint32_t count, room, slot_count;
    struct mi_arena arena; /* copies */
};

bool mi_strings_init(struct mi_strings *strings); /* false: out of memory */
void mi_strings_fini(struct mi_strings *strings);

/* The id of `text`, added if new; `copy`: keep a copy instead of borrowing. Out of memory: none,
 * and
 * `*failed` (may be NULL) is set. */
mi_str_id mi_strings_add(struct mi_strings *strings, struct mi_bytes text, bool copy, bool *failed);

/* The id of `text`, or none if it was never added. */
mi_str_id mi_strings_find(const struct mi_strings *strings, struct mi_bytes text);

/* The bytes of `id`; valid as long as the pool (and the mapping they were borrowed from). */
static inline struct mi_bytes mi_strings_get(const struct mi_strings *strings, mi_str_id id)
{
    const struct mi_string *string = &strings->list[id.v < strings->count ? id.v : 0];
    return (struct mi_bytes){string->at, string->len};
}

#endif
