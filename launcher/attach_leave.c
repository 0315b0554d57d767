/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Out of a process, with nothing to go by but what is there. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "inject/remote.h"
#include "launcher/attach_inner.h"
#include "launcher/attached.h"

#define LOOKS	2

static int with_injection(pid_t pid, int stop_ms, int (*work)(struct injection *, char *),
			  char reason[ATTACH_REASON])
{
	const struct injection_options options = { .stop_ms = stop_ms, .leaving = true };
	struct injection *i;
	int rc = injection_open(&i, pid, &options, reason);

	if (rc)
		return rc;
	rc = work(i, reason);
	injection_close(i);
	return rc;
}

/* What the hook knew of blocks is void: 1/16 of the heap.  If no thread can be had it stays. */
static void give_back(struct injection *i, const struct attach_state *state)
{
	const uint64_t drop[6] = { state->shadow, state->shadow_bytes, MADV_DONTNEED };
	char reason[ATTACH_REASON];
	struct thread *t;
	int64_t result;

	if (!state->shadow || !state->shadow_bytes || threads_hold(i, 0, &t, reason))
		return;
	remote_syscall(i, t, SYS_madvise, drop, &result);
	thread_release(t);
}

static int stop_hook(struct injection *i, char reason[ATTACH_REASON])
{
	struct attach_state words;
	struct delivered d;
	uint64_t state;
	int rc = deliver_find(injection_pid(i), &d);

	if (rc)
		return rc == -ENOENT ? 0 : attach_fail(reason, "cannot look for the hook", rc);
	rc = deliver_symbol(i, &d, ATTACH_STATE, &state);
	if (!rc)
		rc = attach_image_stop(i, state);
	if (!rc && attach_image_state(i, state, &words) == 0)
		give_back(i, &words);
	return rc ? attach_fail(reason, "the hook in it cannot be stopped", rc) : 0;
}

static int restore(struct injection *i, char reason[ATTACH_REASON])
{
	int rc = attach_patches_remove(i, reason);

	return rc ? rc : stop_hook(i, reason);
}

int attach_unpatch(pid_t pid, int stop_ms, char reason[ATTACH_REASON])
{
	return with_injection(pid, stop_ms, attach_patches_remove, reason);
}

int attach_idle(pid_t pid)
{
	char reason[ATTACH_REASON];

	return with_injection(pid, 0, stop_hook, reason);
}

/* Children that fork themselves meanwhile may be seen only by another look. */
void attach_unpatch_children(uint64_t stubs)
{
	char reason[ATTACH_REASON];

	for (int look = 0; stubs && look < LOOKS; look++) {
		struct attached_pids pids = { 0 };

		attached_find_stubs(stubs, &pids);
		for (size_t i = 0; i < pids.count; i++)
			attach_unpatch(pids.items[i], 0, reason);
		vector_release(&pids);
	}
}

int attach_restore(pid_t pid, char reason[ATTACH_REASON])
{
	struct attached a;
	int known = attached_find(pid, &a), rc = with_injection(pid, 0, restore, reason);

	if (!known)
		attach_unpatch_children(a.stubs);
	return rc;
}
