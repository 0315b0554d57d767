/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Out of a process, with nothing to go by but what is there. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "inject/leftover.h"
#include "inject/remote.h"
#include "launcher/attach_alone.h"
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

/* What the hook in it says.  False: there is none, or it cannot be read. */
static bool hook_state(struct injection *i, struct attach_state *state)
{
	struct delivered d;
	uint64_t at;

	return deliver_find(injection_pid(i), &d) == 0 && deliver_symbol(i, &d, ATTACH_STATE, &at) == 0 &&
		attach_image_state(i, at, state) == 0;
}

/* What the hook knew of blocks is void: 1/16 of the heap.  If no thread can be had it stays. */
static void give_back(struct injection *i)
{
	char reason[ATTACH_REASON];
	struct attach_state state;
	struct thread *t;

	if (!hook_state(i, &state) || !state.shadow || !state.shadow_bytes || state.recording)
		return;
	if (threads_hold(i, 0, &t, reason) == 0) {
		const uint64_t drop[6] = { state.shadow, state.shadow_bytes, MADV_DONTNEED };

		remote_ask(i, t, SYS_madvise, drop, NULL);
		thread_release(t);
	}
}

static int stop_hook(struct injection *i, char reason[ATTACH_REASON])
{
	struct delivered d;
	uint64_t state;
	int rc = deliver_find(injection_pid(i), &d);

	if (rc)
		return rc == -ENOENT ? 0 : attach_fail(reason, "cannot look for the hook", rc);
	rc = deliver_symbol(i, &d, ATTACH_STATE, &state);
	if (!rc)
		rc = attach_image_stop(i, state);
	return rc ? attach_fail(reason, "the hook in it cannot be stopped", rc) : 0;
}

static int clear(struct injection *i, char reason[ATTACH_REASON])
{
	int rc = patch_remove(i, NULL, reason);

	/* What a thread still goes by hinders nobody. */
	if (!rc && leftover_remove(i, reason) == -ESRCH)
		rc = -ESRCH;
	return rc;
}

int attach_clear(struct injection *i, char reason[ATTACH_REASON])
{
	int rc = patch_count(i);

	if (rc < 0)
		return attach_fail(reason, "cannot read what is patched in it", rc);
	return rc == 0 && !leftover_is_there(i) ? 0 : attach_alone(i, clear, reason);
}

static int end_session(struct injection *i, char reason[ATTACH_REASON])
{
	int rc = patch_remove(i, NULL, reason);

	rc = rc ? rc : stop_hook(i, reason);
	return rc ? rc : leftover_remove(i, reason);
}

/* Nothing is patched, recorded or left: no thread need be held. */
static bool is_over(struct injection *i)
{
	struct attach_state state;

	if (patch_count(i) != 0 || leftover_is_there(i))
		return false;
	return !hook_state(i, &state) || !state.recording;
}

static int restore(struct injection *i, char reason[ATTACH_REASON])
{
	int rc = is_over(i) ? 0 : attach_alone(i, end_session, reason);

	if (!rc)
		give_back(i);
	return rc;
}

int attach_unpatch(pid_t pid, int stop_ms, char reason[ATTACH_REASON])
{
	return with_injection(pid, stop_ms, attach_clear, reason);
}

static int look_left(struct injection *i, char reason[ATTACH_REASON])
{
	int count = patch_count(i);

	(void)reason;
	return count ? count : leftover_is_there(i);
}

int attach_left(pid_t pid)
{
	char reason[ATTACH_REASON];

	return with_injection(pid, 0, look_left, reason);
}

static int idle(struct injection *i, char reason[ATTACH_REASON])
{
	int rc = stop_hook(i, reason);

	if (!rc)
		give_back(i);
	return rc;
}

int attach_idle(pid_t pid)
{
	char reason[ATTACH_REASON];

	return with_injection(pid, 0, idle, reason);
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
