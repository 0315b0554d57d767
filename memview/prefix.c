/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hashing in blocks, so that it does not matter in which pieces the bytes came. */
#include "memview/prefix.h"

#include <string.h>

#include "base/hash.h"

static uint64_t blocks_of(const struct prefix *prefix)
{
	return prefix->length / PREFIX_BLOCK;
}

static void take_block(struct prefix *prefix)
{
	uint64_t count = blocks_of(prefix);

	prefix->hash = hash_pair(prefix->hash, hash_bytes(prefix->block, PREFIX_BLOCK));
	if ((count & (count - 1)) == 0)
		prefix->marks[__builtin_ctzll(count)] = prefix->hash;
}

void prefix_add(struct prefix *prefix, const void *bytes, size_t length)
{
	const char *from = bytes;

	while (length) {
		size_t filled = prefix->length % PREFIX_BLOCK, n = PREFIX_BLOCK - filled;

		if (n > length)
			n = length;
		memcpy(prefix->block + filled, from, n);
		prefix->length += n;
		from += n;
		length -= n;
		if (prefix->length % PREFIX_BLOCK == 0)
			take_block(prefix);
	}
}

bool prefix_agrees(const struct prefix *a, const struct prefix *b)
{
	uint64_t least = blocks_of(a) < blocks_of(b) ? blocks_of(a) : blocks_of(b);

	for (unsigned i = 0; i < PREFIX_MARKS && 1ull << i <= least; i++)
		if (a->marks[i] != b->marks[i])
			return false;
	return a->length != b->length ||
	       (a->hash == b->hash && memcmp(a->block, b->block, a->length % PREFIX_BLOCK) == 0);
}
