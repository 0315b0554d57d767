/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hashes. */
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t hash_bytes(const void *data, size_t length)
{
	return XXH3_64bits(data, length);
}
