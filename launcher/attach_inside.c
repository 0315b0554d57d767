/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Program counters, also those that signal frames keep. */
#include "launcher/attach_inside.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "inject/memory.h"
#include "inject/registers.h"

#define STACK_BYTES	(256u * 1024)	/* that are searched: a handler's frame is not far from where it runs */
#define USER_SEGMENT	0x33		/* cs in a signal frame, two words behind the pc */

struct thread *attach_usable_thread(struct injection *i)
{
	for (size_t n = 0; n < threads_count(i); n++)
		if (thread_usable(threads_at(i, n)))
			return threads_at(i, n);
	return NULL;
}

/* On x86-64 rip, eflags and cs lie side by side in the frame that the kernel made. */
static bool frame_inside(struct injection *i, uint64_t sp, uint64_t start, uint64_t end, uint64_t *words)
{
	ssize_t n = memory_read_some(i, sp & ~7ull, words, STACK_BYTES);

	for (ssize_t w = 0; w + 2 < n / (ssize_t)sizeof(*words); w++)
		if (words[w] >= start && words[w] < end && (words[w + 2] & 0xffff) == USER_SEGMENT)
			return true;
	return false;
}

bool attach_inside(struct injection *i, uint64_t start, uint64_t end)
{
	uint64_t *words = xmalloc(STACK_BYTES);
	bool found = false;

	for (size_t n = 0; n < threads_count(i) && !found; n++) {
		const struct thread *t = threads_at(i, n);

		found = (thread_pc(t) >= start && thread_pc(t) < end) ||
			frame_inside(i, thread_sp(t), start, end, words);
	}
	free(words);
	return found;
}
