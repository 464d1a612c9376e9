/* XXH3 hashes of bytes and files: identity of inputs, keys of hash tables. Not for security. */
#ifndef MI_BASE_HASH_H
#define MI_BASE_HASH_H

#include "base/bytes.h"
#include "base/error.h"
#include "base/pool.h"

struct mi_hash128 {
    uint64_t low, high;
};

uint64_t mi_hash64(struct mi_bytes bytes);
struct mi_hash128 mi_hash128(struct mi_bytes bytes);

/* Adds a number to a hash made of several; the order matters. */
static inline uint64_t mi_hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

/* Lower-case hex as `xxhsum -H3` and `xxhsum -H2` print it, NUL-terminated. */
#define MI_HASH64_HEX  17
#define MI_HASH128_HEX 33
void mi_hash64_hex(uint64_t hash, char text[MI_HASH64_HEX]);
void mi_hash128_hex(struct mi_hash128 hash, char text[MI_HASH128_HEX]);

/* Called every few MiB with the bytes read so far and the size of the file when it was opened. */
typedef void mi_progress_fn(void *context, uint64_t done_bytes, uint64_t total_bytes);

/* Hashes a file as it is on disk, read in pieces (never mapped). `progress` and `cancel` may be
 * NULL. Fails with MI_EIO, MI_ECANCELLED or MI_ENOMEM. */
bool mi_hash_file(const char *path, mi_progress_fn *progress, void *context,
                  struct mi_cancel *cancel, struct mi_hash128 *hash, uint64_t *size_bytes,
                  struct mi_error *err);

#endif
