/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which threads of a target have ended: their slots can be given back. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "launcher/drain.h"
#include "launcher/namespaces.h"

static bool path_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 || errno != ENOENT;
}

/* False only when it is certain: the process itself is visible (no hidepid) and knows its threads
 * by the numbers that we know.  /proc/TID is there for any thread, also one that shares only the
 * memory. */
bool thread_exists(pid_t pid, uint32_t tid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	if (path_exists(path))
		return true;
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return !path_exists(path);
}

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
	bool known = false;

	for (size_t i = 0; i < r->own.count; i++) {
		struct region_thread *t = &r->own.items[i];

		if (!t->serial || t->gone || !t->tid || !(all || is_leaving(r, i)) || t->tid == r->main_tid)
			continue;
		if (!known && namespace_depth(pid, NULL) != 1)
			return;
		known = true;
		t->gone = !thread_exists(pid, t->tid);
	}
}
