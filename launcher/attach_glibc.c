/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where glibc's allocator is.  When a thread ends it passes the freed blocks that it kept for it to its
 * own free, by a direct call: patched, that would be a second free of each. */
#include "launcher/attach_patches.h"

#include <string.h>

#include "trace/functions.h"

static bool has(const struct definition *d, const struct attach_entries *entries, unsigned op)
{
	for (size_t n = 0; n < d->name_count; n++)
		if (entries->items[d->names[n]].op == op)
			return true;
	return false;
}

/* One of malloc.c: not strdup, which calls malloc like everybody else. */
static bool is_allocators(const struct definition *d, const struct attach_entries *entries)
{
	static const unsigned ops[] = {
		OP_MALLOC, OP_CALLOC, OP_REALLOC, OP_FREE, OP_POSIX_MEMALIGN, OP_ALIGNED_ALLOC, OP_MEMALIGN, OP_VALLOC,
		OP_PVALLOC,
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (has(d, entries, ops[i]))
			return true;
	return false;
}

/* From its first function to its last: it is one compilation unit. */
static struct attach_range extent(const struct definitions *found, const struct attach_entries *entries,
				  const struct definition *of)
{
	struct attach_range range = { of->address, of->address + of->size };

	for (size_t i = 0; i < found->count; i++) {
		const struct definition *d = &found->items[i];

		if (d->bias != of->bias || strcmp(d->object, of->object) || !is_allocators(d, entries))
			continue;
		if (d->address < range.low)
			range.low = d->address;
		if (d->address + d->size > range.high)
			range.high = d->address + d->size;
	}
	return range;
}

void attach_patches_allocators(const struct attach_patches *p, const struct attach_entries *entries,
			       struct attach_range ranges[ATTACH_ALLOCATORS])
{
	size_t count = 0;

	memset(ranges, 0, ATTACH_ALLOCATORS * sizeof(*ranges));
	for (size_t i = 0; i < p->found.count && count < ATTACH_ALLOCATORS; i++) {
		const struct definition *d = &p->found.items[i];

		if (has(d, entries, OP_FREE) && has(d, entries, OP_LIBC_FREE))
			ranges[count++] = extent(&p->found, entries, d);
	}
}
