/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collecting, sorting, searching. */
#include "hook/cfi_frames.h"

#include "hook/cfi.h"
#define ENTRY_LEAST	16u	/* bytes of an entry */

struct function {
	uintptr_t start, entry;
};

static struct function *functions;
static size_t count;
static uintptr_t first;

static void sift(size_t at, size_t n)
{
	struct function f = functions[at];

	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && functions[child + 1].start > functions[child].start)
			child++;
		if (functions[child].start <= f.start)
			break;
		functions[at] = functions[child];
	}
	functions[at] = f;
}

static void sort(void)
{
	for (size_t i = count / 2; i-- > 0;)
		sift(i, count);
	for (size_t n = count; n-- > 1;) {
		struct function last = functions[n];

		functions[n] = functions[0];
		functions[0] = last;
		sift(0, n);
	}
}

size_t cfi_frames_reserve_bytes(uint64_t bytes)
{
	return bytes / ENTRY_LEAST * sizeof(struct function);
}

void cfi_frames_index(void *reserved, uintptr_t frames, uint64_t bytes)
{
	struct cfi_tables tables = { .count = 1, .readable = { { frames, frames + bytes } } };
	size_t most = bytes / ENTRY_LEAST;
	struct cfi_entry e;

	functions = reserved;
	for (uintptr_t at = frames, next; count < most && (next = cfi_next(&tables, at, &e)); at = next) {
		if (e.size)
			functions[count++] = (struct function){ e.start, at };
	}
	sort();
	first = frames;
}

uintptr_t cfi_frames_start(void)
{
	return count ? first : 0;
}

uintptr_t cfi_frames_find(uintptr_t at)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? functions[low - 1].entry : 0;
}
