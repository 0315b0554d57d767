/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hashes: 64-bit, the same in every run on every machine. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* XXH3 of the bytes. */
uint64_t hash_bytes(const void *data, size_t length);

/* Mixes all bits of one word into all bits (the finaliser of splitmix64; a bijection). */
static inline uint64_t hash_mix64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

static inline uint64_t hash_pair(uint64_t a, uint64_t b)
{
	return hash_mix64(hash_mix64(a) + 0x9e3779b97f4a7c15ull + b);
}

#endif
