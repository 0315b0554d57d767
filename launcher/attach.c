/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entering a running process. */
#include "launcher/attach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "inject/memory.h"
#include "inject/registers.h"
#include "inject/remote.h"
#include "launcher/attach_image.h"
#include "launcher/attach_inside.h"
#include "launcher/attach_patches.h"
#include "launcher/attach_request.h"
#include "launcher/attached.h"
#include "launcher/namespaces.h"
#include "launcher/preload.h"

#define MAP_NAME	"memtrack-map.so"
#define CALL_MS		5000
#define INSIDE_TRIES	200	/* for all threads to be outside the hook */
#define INSIDE_NAP_NS	5000000L
#define TIDS		4	/* threads whose control blocks are compared */

_Static_assert(ATTACH_REASON == INJECTION_REASON, "one line is one line");

struct attachment {
	const struct launch *launch;
	struct injection *injection;
	struct delivered delivered;
	struct attach_image image;
	struct attach_patches patches;
	struct attach_request request;
	uint64_t earlier;		/* where an earlier session's segment is mapped; 0: there was none */
	char method[80];
};

static int fail(char reason[ATTACH_REASON], const char *what, int rc)
{
	snprintf(reason, ATTACH_REASON, "%s: %s", what, strerror(-rc));
	return rc;
}

int attach_open(struct attachment **result, const struct launch *launch, char reason[ATTACH_REASON])
{
	struct attachment *a = xcalloc(1, sizeof(*a));
	int rc = injection_open(&a->injection, launch->pid, NULL, reason);

	a->launch = launch;
	if (!rc) {
		rc = attach_describe(launch->pid, &a->request);
		if (rc)
			fail(reason, "cannot read what /proc says of it", rc);
	}
	if (rc) {
		injection_close(a->injection);
		free(a);
		return rc;
	}
	*result = a;
	return 0;
}

/* A file beside memtrack.so, or NULL. */
static char *beside(const char *hook, const char *name)
{
	const char *slash = strrchr(hook, '/');
	char *path = xasprintf("%.*s%s", slash ? (int)(slash + 1 - hook) : 0, hook, name);

	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return NULL;
}

static int deliver(struct attachment *a, char reason[ATTACH_REASON])
{
	static const enum deliver_method methods[] = {
		[INJECT_AUTO] = DELIVER_AUTO, [INJECT_DLOPEN] = DELIVER_DLOPEN, [INJECT_MAP] = DELIVER_MAP,
	};
	struct preload preload;
	char *mapped;
	int rc = preload_find(&preload);

	if (rc) {
		snprintf(reason, ATTACH_REASON, "cannot find memtrack.so beside memtrack or in " PKGLIBDIR
			 "; set MEMTRACK_HOOK to its path");
		return rc;
	}
	mapped = beside(preload.hook, MAP_NAME);
	rc = deliver_hook(a->injection, preload.hook, mapped, methods[a->launch->inject], &a->delivered, reason);
	free(mapped);
	preload_release(&preload);
	return rc;
}

/* What the image has of earlier sessions.  None is under way: its memtrack is dead. */
static int read_image(struct attachment *a, char reason[ATTACH_REASON])
{
	struct attach_state state;
	int rc = attach_image_read(a->injection, &a->delivered, &a->image, reason);

	if (rc)
		return rc;
	rc = attach_image_state(a->injection, a->image.state, &state);
	if (!rc && state.recording)
		rc = attach_image_stop(a->injection, a->image.state);
	if (rc)
		return fail(reason, "the hook in it cannot be used", rc);
	if (state.segment && state.segment_bytes) {
		a->earlier = state.segment;
		a->request.segment_bytes = state.segment_bytes;
	}
	return 0;
}

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

static int make_segment(struct attachment *a, struct segment *segment, char reason[ATTACH_REASON])
{
	struct thread *t;
	int remote = -1, local = -1, rc;

	a->request.segment_bytes = segment_bytes(a);
	rc = threads_hold(a->injection, 0, &t, reason);
	if (rc)
		return rc;
	rc = deliver_memfd(a->injection, t, SEGMENT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING,
			   a->request.segment_bytes, &remote, &local, reason);
	if (!rc) {
		rc = map_segment(a, t, remote);
		if (rc)
			fail(reason, "cannot map the trace's buffers in it", rc);
	}
	thread_release(t);
	if (rc) {
		if (local >= 0)
			close(local);
		return rc;
	}
	rc = segment_adopt(segment, local, a->request.segment_bytes, &a->launch->settings);
	return rc ? fail(reason, "cannot map the trace's buffers", rc) : 0;
}

int attach_enter(struct attachment *a, struct segment *segment, char reason[ATTACH_REASON])
{
	int rc = attach_patches_remove(a->injection, reason);	/* of a memtrack that died */

	if (!rc)
		rc = deliver(a, reason);
	if (!rc)
		rc = read_image(a, reason);
	if (!rc)
		rc = attach_patches_plan(&a->patches, a->injection, &a->image.entries, reason);
	return rc ? rc : make_segment(a, segment, reason);
}

/* Moves the new segment over the old one while no thread has anything of the hook's at hand. */
static int move_segment(struct attachment *a, char reason[ATTACH_REASON])
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
		fail(reason, "cannot map the trace's buffers in it", rc);
	return rc;
}

/* Threads are looked at one after the other: the process runs on. */
static void find_tid_offset(struct attachment *a)
{
	struct attach_thread threads[TIDS];
	char reason[ATTACH_REASON], path[32];
	size_t count = 0;
	DIR *tasks;
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)a->launch->pid);
	tasks = opendir(path);
	while (tasks && count < TIDS && (entry = readdir(tasks))) {
		pid_t tid = (pid_t)atoi(entry->d_name), inner = tid;
		struct thread *t;

		if (tid <= 0 || threads_hold(a->injection, tid, &t, reason))
			continue;
		namespace_depth(tid, &inner);
		threads[count++] = (struct attach_thread){ inner, thread_pointer(t) };
		thread_release(t);
	}
	if (tasks)
		closedir(tasks);
	a->request.tid_offset = attach_tid_offset(a->launch->pid, threads, count);
}

/* The hook gets its session; the other threads run. */
static int call_hook(struct attachment *a, char reason[ATTACH_REASON])
{
	uint64_t arguments[6] = { 0 }, result = 0;
	struct thread *t;
	int rc = threads_hold(a->injection, 0, &t, reason);

	if (rc)
		return rc;
	rc = remote_scratch(a->injection, t, sizeof(a->request), &arguments[0]);
	if (!rc)
		rc = memory_write(a->injection, arguments[0], &a->request, sizeof(a->request));
	if (!rc)
		rc = remote_call(a->injection, t, a->image.attach, arguments, &result, CALL_MS);
	thread_release(t);
	if (!rc && (int64_t)result < 0)
		rc = (int)(int64_t)result;
	return rc ? fail(reason, "the hook does not start in it", rc) : 0;
}

int attach_begin(struct attachment *a, char reason[ATTACH_REASON])
{
	int rc = a->earlier ? move_segment(a, reason) : 0;

	if (rc)
		return rc;
	find_tid_offset(a);
	rc = call_hook(a, reason);
	if (!rc) {
		rc = attach_patches_plant(&a->patches, a->injection, reason);
		if (rc)
			attach_image_stop(a->injection, a->image.state);
	}
	if (rc)
		return rc;
	snprintf(a->method, sizeof(a->method), "inject (%s), %s", a->delivered.mapped_form ? "mapped" : "dlopen",
		 attach_patches_kind(&a->patches));
	return 0;
}

const char *attach_method(const struct attachment *a)
{
	return a->method;
}

const char *attach_patched(const struct attachment *a)
{
	return buffer_text(&a->patches.done);
}

const char *attach_missed(const struct attachment *a)
{
	return buffer_text(&a->patches.missed);
}

uint64_t attach_segment(const struct attachment *a)
{
	return a->request.segment;
}

void attach_close(struct attachment *a)
{
	attach_patches_release(&a->patches);
	attach_image_release(&a->image);
	injection_close(a->injection);
	free(a);
}

static int with_injection(pid_t pid, int (*work)(struct injection *, char *), char reason[ATTACH_REASON])
{
	struct injection *i;
	int rc = injection_open(&i, pid, NULL, reason);

	if (rc)
		return rc;
	rc = work(i, reason);
	injection_close(i);
	return rc;
}

static int stop_hook(struct injection *i, char reason[ATTACH_REASON])
{
	struct delivered d;
	uint64_t state;
	int rc = deliver_find(injection_pid(i), &d);

	if (rc)
		return rc == -ENOENT ? 0 : fail(reason, "cannot look for the hook", rc);
	rc = deliver_symbol(i, &d, ATTACH_STATE, &state);
	if (!rc)
		rc = attach_image_stop(i, state);
	return rc ? fail(reason, "the hook in it cannot be stopped", rc) : 0;
}

static int restore(struct injection *i, char reason[ATTACH_REASON])
{
	int rc = attach_patches_remove(i, reason);

	return rc ? rc : stop_hook(i, reason);
}

int attach_unpatch(pid_t pid, char reason[ATTACH_REASON])
{
	return with_injection(pid, attach_patches_remove, reason);
}

int attach_idle(pid_t pid)
{
	char reason[ATTACH_REASON];

	return with_injection(pid, stop_hook, reason);
}

int attach_restore(pid_t pid, char reason[ATTACH_REASON])
{
	return with_injection(pid, restore, reason);
}
