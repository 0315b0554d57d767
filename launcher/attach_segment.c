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

#define INSIDE_TRIES	200	/* for all threads to be outside the hook */
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

/* One system call.  0 or what went wrong, its own error among it. */
static int call_system(struct attachment *a, struct thread *t, long number, const uint64_t arguments[6],
		       uint64_t *result)
{
	int64_t value = 0;
	int rc = remote_syscall(a->injection, t, number, arguments, &value);

	if (rc)
		return rc;
	if (value < 0 && value > -4096)
		return (int)value;
	if (result)
		*result = (uint64_t)value;
	return 0;
}

/* Maps the memfd that the target has as `remote`, which is closed there. */
static int map_segment(struct attachment *a, struct thread *t, int remote)
{
	const uint64_t map[6] = { 0, a->request.segment_bytes, PROT_READ | PROT_WRITE,
				  MAP_SHARED, (uint64_t)remote, 0 };
	const uint64_t shut[6] = { (uint64_t)remote };
	int rc = call_system(a, t, SYS_mmap, map, &a->request.segment), rc2;

	rc2 = call_system(a, t, SYS_close, shut, NULL);
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

int attach_move_segment(struct attachment *a, char reason[ATTACH_REASON])
{
	const struct timespec nap = { .tv_nsec = INSIDE_NAP_NS };
	struct thread *t;
	int rc = -EBUSY;

	for (int i = 0; i < INSIDE_TRIES && rc == -EBUSY; i++) {
		const uint64_t move[6] = { a->request.segment, a->request.segment_bytes, a->request.segment_bytes,
					   MREMAP_MAYMOVE | MREMAP_FIXED, a->earlier, 0 };

		rc = threads_hold_all(a->injection, reason);
		if (rc)
			return rc;
		t = attach_usable_thread(a->injection);
		if (!t || attach_inside(a->injection, a->image.code_start, a->image.code_end))
			rc = -EBUSY;
		else
			rc = call_system(a, t, SYS_mremap, move, NULL);
		threads_release_all(a->injection);
		if (rc == -EBUSY)
			nanosleep(&nap, NULL);
	}
	if (!rc)
		a->request.segment = a->earlier;
	else if (rc == -EBUSY)
		snprintf(reason, ATTACH_REASON, "a thread has been in memtrack's hook since the last session; try again");
	else
		attach_fail(reason, "cannot map the trace's buffers in it", rc);
	return rc;
}
