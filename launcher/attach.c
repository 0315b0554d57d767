/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entering a running process. */
#include "launcher/attach_inner.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/numbers.h"
#include "inject/memory.h"
#include "inject/registers.h"
#include "inject/remote.h"
#include "launcher/namespaces.h"
#include "launcher/preload.h"

#define CALL_MS		5000
#define TIDS		4	/* threads whose control blocks are compared */
#define TID_MS		100	/* for each to stop */

int attach_open(struct attachment **result, const struct launch *launch, char reason[ATTACH_REASON])
{
	struct attachment *a = xcalloc(1, sizeof(*a));
	int rc = injection_open(&a->injection, launch->pid, NULL, reason);

	a->launch = launch;
	if (!rc) {
		rc = attach_describe(a->injection, launch->pid, &a->request);
		if (rc)
			attach_fail(reason, "cannot read what /proc says of it", rc);
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
	const char *given = getenv("MEMTRACK_HOOK");
	struct preload preload;
	char *mapped;
	int rc = preload_find(&preload);

	if (rc && given && *given) {
		snprintf(reason, ATTACH_REASON, "cannot find '%.120s', which MEMTRACK_HOOK names; unset it or correct it", given);
		return rc;
	}
	if (rc) {
		snprintf(reason, ATTACH_REASON, "cannot find memtrack.so beside memtrack or in " PKGLIBDIR
			 "; set MEMTRACK_HOOK to its path");
		return rc;
	}
	mapped = beside(preload.hook, DELIVER_MAP_NAME);
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
		return attach_fail(reason, "the hook in it cannot be used", rc);
	if (state.segment && state.segment_bytes) {
		a->earlier = state.segment;
		a->request.segment_bytes = state.segment_bytes;
	}
	return 0;
}

int attach_enter(struct attachment *a, struct segment *segment, char reason[ATTACH_REASON])
{
	int rc = attach_clear(a->injection, reason);	/* of a memtrack that died */

	if (!rc)
		rc = deliver(a, reason);
	if (!rc)
		rc = read_image(a, reason);
	if (!rc)
		rc = attach_patches_plan(&a->patches, a->injection, &a->image.entries, reason);
	return rc ? rc : attach_bring_in(a, segment, reason);
}

/* Threads are looked at one after the other: the process runs on. */
static void find_tid_offset(struct attachment *a)
{
	struct attach_thread threads[TIDS];
	DIR *tasks = numbers_threads(a->launch->pid);
	char reason[ATTACH_REASON];
	size_t count = 0;
	pid_t tid;

	while (count < TIDS && (tid = numbers_next(tasks)) != 0) {
		pid_t inner = tid;
		struct thread *t;

		if (threads_hold_for(a->injection, tid, TID_MS, &t, reason))
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
	return rc ? attach_fail(reason, "the hook does not start in it", rc) : 0;
}

int attach_begin(struct attachment *a, char reason[ATTACH_REASON])
{
	int rc = a->earlier ? attach_move_segment(a, reason) : 0;

	if (rc)
		return rc;
	find_tid_offset(a);
	attach_patches_allocators(&a->patches, &a->image.entries, a->request.allocators);
	rc = call_hook(a, reason);
	if (!rc) {
		rc = attach_patches_plant(&a->patches, a->injection, &a->image.entries, a->image.state, reason);
		if (rc)
			attach_image_stop(a->injection, a->image.state);
	}
	if (rc)
		return rc;
	snprintf(a->method, sizeof(a->method), "inject (%s), %s", a->delivered.mapped_form ? "mapped" : "dlopen",
		 attach_patches_kind(&a->patches));
	return 0;
}

/* The new ones beside the old ones, which stay as they are. */
static int extend(struct attachment *a, struct attach_patches *fresh, char reason[ATTACH_REASON])
{
	struct thread *t;
	int rc = threads_hold(a->injection, 0, &t, reason);

	if (rc)
		return rc;
	rc = patch_prepare(fresh->plan, a->injection, t, reason);
	thread_release(t);
	return rc ? rc : attach_patches_plant(fresh, a->injection, &a->image.entries, 0, reason);
}

/* What the hook takes over with the answer. */
static void tell_more(struct attachment *a, const struct attach_patches *fresh, const struct segment *segment)
{
	struct channel_region *region = segment_region(segment, 0);

	segment->header->settings.one_family |= fresh->one_family;
	attach_patches_allocators(fresh, &a->image.entries, a->request.allocators);
	for (size_t i = 0; i < ATTACH_ALLOCATORS; i++) {
		region->allocators[i].start = a->request.allocators[i].low;
		region->allocators[i].end = a->request.allocators[i].high;
	}
}

int attach_extend(struct attachment *a, const struct segment *segment, const char **added,
		  char reason[ATTACH_REASON])
{
	struct attach_patches fresh = { 0 };
	const char *file;
	char why[ATTACH_REASON];
	int rc = attach_patches_plan(&fresh, a->injection, &a->image.entries, why);

	*added = "";
	file = rc ? "what was loaded" : attach_patches_new(&fresh);
	if (!rc && file) {
		tell_more(a, &fresh, segment);
		rc = extend(a, &fresh, why);
	}
	if (rc || !file) {
		if (rc)
			snprintf(reason, ATTACH_REASON, "an allocator's functions in %.60s came after the attach and are not "
				 "traced: %.120s", file, why);
		attach_patches_release(&fresh);
		return rc;
	}
	attach_patches_release(&a->patches);
	a->patches = fresh;
	*added = buffer_text(&a->patches.added);
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
