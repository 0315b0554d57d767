/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which threads of a target have ended: their slots can be given back. */
#include "launcher/drain.h"
#include "launcher/thread_numbers.h"

/* It has said so, or another one has what was its own. */
static bool is_leaving(const struct region *r, size_t slot)
{
	return r->own.items[slot].exited ||
		atomic_load_explicit(&r->threads[slot].state, memory_order_relaxed) == THREAD_EXITED;
}

/* A thread that is marked was in the table before it was looked for, so a new one that got the
 * number of an old one is never taken for it. */
void thread_watch(struct region *r, pid_t pid, bool all)
{
	struct thread_numbers numbers = { 0 };

	for (size_t i = 0; i < r->own.count; i++) {
		struct region_thread *t = &r->own.items[i];

		if (!t->serial || t->gone || !t->tid || !(all || is_leaving(r, i)) || t->tid == r->main_tid)
			continue;
		t->gone = !thread_numbers_exists(&numbers, pid, t->tid);
	}
	thread_numbers_release(&numbers);
}
