/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NSpid of all of /proc/PID/task. */
#include "launcher/thread_numbers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/numbers.h"
#include "launcher/namespaces.h"

#define LOOKS	4	/* at a process whose threads come and go */

static bool path_exists(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 || errno != ENOENT;
}

static bool proc_exists(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	return path_exists(path);
}

static void learn_depth(struct thread_numbers *n, pid_t pid)
{
	if (!n->depth)
		n->depth = namespace_depth(pid, NULL);
}

/* /proc/PID/task, or with pid 0 /proc. */
static void list(struct thread_numbers *n, pid_t pid)
{
	DIR *folder = pid ? numbers_threads(pid) : opendir("/proc");
	pid_t outer;

	vector_clear(&n->items);
	while ((outer = numbers_next(folder)) != 0)
		vector_push(&n->items, (struct thread_number){ outer, 0 });
	if (folder)
		closedir(folder);
	n->listed = true;
}

static pid_t inner_of(struct thread_number *number)
{
	pid_t inner = -1;

	if (!number->inner)
		number->inner = namespace_depth(number->outer, &inner) ? inner : -1;
	return number->inner;
}

/* From the newest on: it is mostly asked for that one. */
static pid_t find(struct thread_numbers *n, uint32_t tid)
{
	for (size_t i = n->items.count; i-- > 0;)
		if (inner_of(&n->items.items[i]) == (pid_t)tid)
			return n->items.items[i].outer;
	return 0;
}

pid_t thread_numbers_outer(struct thread_numbers *n, pid_t pid, uint32_t tid)
{
	learn_depth(n, pid);
	if (n->depth == 1)
		return (pid_t)tid;
	if (!n->listed)
		list(n, pid);
	return find(n, tid);
}

/* A listing may miss threads when others end meanwhile.  It has not where it had as many as there were then, and
 * each of them lived on. */
static bool is_complete(struct thread_numbers *n, pid_t pid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if (!n->items.count || stat(path, &st) < 0 || st.st_nlink != n->items.count + 2)
		return false;
	for (size_t i = 0; i < n->items.count; i++) {
		n->items.items[i].inner = 0;
		if (inner_of(&n->items.items[i]) < 0)
			return false;
	}
	return true;
}

static void list_all(struct thread_numbers *n, pid_t pid)
{
	for (int look = 0; look < LOOKS && !n->complete; look++) {
		list(n, pid);
		n->complete = is_complete(n, pid);
	}
}

static bool same_namespace(pid_t pid, pid_t other)
{
	char path[32], ours[64] = "", theirs[64] = "";

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	if (readlink(path, ours, sizeof(ours) - 1) <= 0)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)other);
	return readlink(path, theirs, sizeof(theirs) - 1) <= 0 ? errno != ENOENT : strcmp(ours, theirs) == 0;
}

/* Its namespace has processes of these numbers, which may have its memory. */
static bool is_process(const struct thread_numbers *known, pid_t pid, uint32_t tid)
{
	struct thread_numbers all = { 0 };
	bool found = false;

	list(&all, 0);
	for (size_t i = 0; i < all.items.count && !found; i++) {
		pid_t other = all.items.items[i].outer, inner = 0;

		found = namespace_depth(other, &inner) >= known->depth && inner == (pid_t)tid &&
			same_namespace(pid, other);
	}
	thread_numbers_release(&all);
	return found;
}

bool thread_numbers_exists(struct thread_numbers *n, pid_t pid, uint32_t tid)
{
	learn_depth(n, pid);
	if (n->depth == 1)	/* /proc/TID is there for any thread, also one that shares only the memory */
		return proc_exists((pid_t)tid) || !proc_exists(pid);
	if (!n->depth)
		return true;
	if (!n->complete)
		list_all(n, pid);
	return !n->complete || find(n, tid) || is_process(n, pid, tid);
}

void thread_numbers_release(struct thread_numbers *n)
{
	vector_release(&n->items);
}
