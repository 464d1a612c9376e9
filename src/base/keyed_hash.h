/* A hash that nobody can compute who has not the key: SipHash-2-4 (Aumasson and Bernstein,
 * "SipHash: a fast short-input PRF", 2012, section 2). For stand-ins of names, not for signing
 * anything. */
#ifndef MI_BASE_KEYED_HASH_H
#define MI_BASE_KEYED_HASH_H

#include "base/bytes.h"

struct mi_hash_key {
    uint64_t low, high; /* the first and the last eight bytes of the key, little-endian */
};

uint64_t mi_keyed_hash(struct mi_hash_key key, struct mi_bytes bytes);

/* A key made of any secret; it is as hard to guess as the secret is. */
struct mi_hash_key mi_hash_key_from(struct mi_bytes secret);

#endif
