/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a stream of bytes began with, in a few words: enough to tell whether another stream, which is
 * still coming, is the same one. */
#ifndef MEMVIEW_PREFIX_H
#define MEMVIEW_PREFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PREFIX_BLOCK	4096
#define PREFIX_MARKS	52

/* The hash of all blocks so far, and as it was after 1, 2, 4, 8 ... blocks. */
struct prefix {
	uint64_t length;		/* bytes */
	uint64_t hash;			/* of whole blocks */
	uint64_t marks[PREFIX_MARKS];
	char block[PREFIX_BLOCK];	/* the last, not full */
};

/* All zero is the empty one. */
void prefix_add(struct prefix *prefix, const void *bytes, size_t length);

/* Whether two agree as far as both are known: at the marks that both have, and all of it when they
 * have the same length. */
bool prefix_agrees(const struct prefix *a, const struct prefix *b);

#endif
