/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The segment in the process: a memfd made there, mapped there, and opened from here. */
#include "launcher/attach_inner.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "inject/remote.h"
#include "launcher/attach_inside.h"
#include "launcher/attach_stale.h"
#include "launcher/process.h"

#define INSIDE_NS	5000000000ull	/* for all threads to be outside the hook: a machine may be busy */
#define INSIDE_NAP_NS	5000000L

static uint64_t segment_bytes(const struct attachment *a)
{
	struct rlimit limit;

	if (a->request.segment_bytes)
		return a->request.segment_bytes;
	if (prlimit(a->launch->pid, RLIMIT_AS, NULL, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY)
		return segment_attach_bytes(UINT64_MAX);
	return segment_attach_bytes(limit.rlim_cur);
}

/* Locked memory (mlockall) would all be there at once. */
static int open_segment(struct attachment *a, struct thread *t)
{
	const uint64_t open[6] = { a->request.segment, a->request.segment_bytes, PROT_READ | PROT_WRITE };

	remote_ask(a->injection, t, SYS_munlock, open, NULL);
	return remote_ask(a->injection, t, SYS_mprotect, open, NULL);
}

/* Maps the memfd that the target has as `remote`, which is closed there. */
static int map_segment(struct attachment *a, struct thread *t, int remote)
{
	const uint64_t map[6] = { 0, a->request.segment_bytes, PROT_NONE, MAP_SHARED, (uint64_t)remote, 0 };
	const uint64_t shut[6] = { (uint64_t)remote };
	int rc = remote_ask(a->injection, t, SYS_mmap, map, &a->request.segment), rc2;

	rc = rc ? rc : open_segment(a, t);

	rc2 = remote_ask(a->injection, t, SYS_close, shut, NULL);
	return rc ? rc : rc2;
}

int attach_bring_in(struct attachment *a, struct segment *segment, char reason[ATTACH_REASON])
{
	struct thread *t;
	struct channel_settings settings = a->launch->settings;
	int remote = -1, local = -1, rc;

	a->request.segment_bytes = segment_bytes(a);
	rc = threads_hold(a->injection, 0, &t, reason);
	if (rc)
		return rc;
	attach_drop_stale(a->injection, t, a->earlier);
	rc = patch_prepare(a->patches.plan, a->injection, t, reason);
	if (!rc)
		rc = deliver_memfd(a->injection, t, SEGMENT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING,
				   a->request.segment_bytes, &remote, &local, reason);
	if (!rc) {
		rc = map_segment(a, t, remote);
		if (rc)
			attach_fail(reason, "cannot map the trace's buffers in it", rc);
	}
	thread_release(t);
	if (rc) {
		if (local >= 0)
			close(local);
		return rc;
	}
	settings.one_family |= a->patches.one_family;
	rc = segment_adopt(segment, local, a->request.segment_bytes, &settings);
	return rc ? attach_fail(reason, "cannot map the trace's buffers", rc) : 0;
}

struct move {
	struct attachment *attachment;
	int result;
};

static int move_now(struct injection *i, void *argument, char reason[ATTACH_REASON])
{
	struct move *m = argument;
	const struct attachment *a = m->attachment;
	const uint64_t arguments[6] = { a->request.segment, a->request.segment_bytes, a->request.segment_bytes,
					MREMAP_MAYMOVE | MREMAP_FIXED, a->earlier, 0 };
	struct thread *t = attach_usable_thread(i);

	(void)reason;
	if (!t || attach_inside(i, a->image.code_start, a->image.code_end))
		m->result = -EBUSY;
	else
		m->result = remote_ask(i, t, SYS_mremap, arguments, NULL);
	return 0;
}

/* The new one is of no use. */
static void drop_segment(struct attachment *a)
{
	const uint64_t arguments[6] = { a->request.segment, a->request.segment_bytes };
	char reason[ATTACH_REASON];
	struct thread *t;

	if (threads_hold(a->injection, 0, &t, reason))
		return;
	remote_ask(a->injection, t, SYS_munmap, arguments, NULL);
	thread_release(t);
}

int attach_move_segment(struct attachment *a, char reason[ATTACH_REASON])
{
	const struct timespec nap = { .tv_nsec = INSIDE_NAP_NS };
	uint64_t until = process_now() + INSIDE_NS;
	struct move m = { a, -EBUSY };
	int rc, held;

	while ((held = threads_with_all(a->injection, move_now, &m, reason)) == 0 && m.result == -EBUSY &&
	       process_now() < until)
		nanosleep(&nap, NULL);
	rc = m.result;
	if (rc)
		drop_segment(a);
	if (held)
		return held;
	if (!rc)
		a->request.segment = a->earlier;
	else if (rc == -EBUSY)
		snprintf(reason, ATTACH_REASON, "a thread has been in memtrack's hook since the last session; try again");
	else
		attach_fail(reason, "cannot map the trace's buffers in it", rc);
	return rc;
}
