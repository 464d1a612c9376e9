/* Random numbers for tests: the same on every machine and in every run. */
#ifndef MI_TESTS_RNG_H
#define MI_TESTS_RNG_H

#include <stddef.h>
#include <stdint.h>

/* xorshift64*; any seed but 0. */
static inline uint64_t rng_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

/* 0 .. below - 1 */
static inline size_t rng_below(uint64_t *state, size_t below)
{
    return (size_t)((rng_next(state) >> 33) % below);
}

#endif
