#include "base/keyed_hash.h"

enum { ROUNDS_PER_WORD = 2, ROUNDS_AT_END = 4 };

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4], int rounds)
{
    while (rounds-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void take(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix(v, ROUNDS_PER_WORD);
    v[0] ^= word;
}

/* Up to eight bytes as a little-endian number. */
static uint64_t word_at(const uint8_t *at, size_t count)
{
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)at[i] << (8 * i);
    return word;
}

uint64_t mi_keyed_hash(struct mi_hash_key key, struct mi_bytes bytes)
{
    uint64_t v[4] = {
        key.low ^ UINT64_C(0x736f6d6570736575), key.high ^ UINT64_C(0x646f72616e646f6d),
        key.low ^ UINT64_C(0x6c7967656e657261), key.high ^ UINT64_C(0x7465646279746573)};
    size_t whole = bytes.len & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8)
        take(v, word_at(bytes.at + i, 8));
    take(v, word_at(bytes.at + whole, bytes.len - whole) | (uint64_t)bytes.len << 56);
    v[2] ^= 0xff;
    mix(v, ROUNDS_AT_END);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

struct mi_hash_key mi_hash_key_from(struct mi_bytes secret)
{
    return (struct mi_hash_key){mi_keyed_hash((struct mi_hash_key){1, 0}, secret),
                                mi_keyed_hash((struct mi_hash_key){2, 0}, secret)};
}
