/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enters a process by inject/ alone, without a session: what it does is told by words.
 *
 *	attach_tool PID hold|one|safe|syscall|dlopen|map|plant|work|remove...
 *
 * plant needs what dlopen or map delivered: tests/attach/passing.c.
 */
#include "inject/deliver.h"
#include "inject/memory.h"
#include "inject/patch.h"
#include "inject/remote.h"
#include "inject/safe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char reason[INJECTION_REASON];
static const char *hook, *map_hook;

static int do_hold(struct injection *i)
{
	int rc = threads_hold_all(i, reason);

	if (rc == 0 && threads_count(i) == 0)
		rc = -ECHILD;
	threads_release_all(i);
	return rc;
}

static int do_one(struct injection *i)
{
	struct thread *thread;
	int rc = threads_hold(i, 0, &thread, reason);

	if (rc == 0)
		thread_release(thread);
	return rc;
}

static int do_safe(struct injection *i)
{
	struct thread *thread;
	int rc = safe_thread(i, 5000, &thread, reason);

	if (rc == 0)
		thread_release(thread);
	return rc;
}

/* A system call whose result is known, in each thread. */
static int do_syscall(struct injection *i)
{
	const uint64_t none[6] = { 0 };
	int rc = threads_hold_all(i, reason);

	for (size_t n = 0; rc == 0 && n < threads_count(i); n++) {
		struct thread *thread = threads_at(i, n);
		int64_t result = 0;

		if (!thread_usable(thread))
			continue;
		rc = remote_syscall(i, thread, SYS_getpid, none, &result);
		if (rc == 0 && result != injection_pid_inside(i))
			rc = -EBADMSG;
		if (rc == -ESRCH)	/* that one thread was gone */
			rc = 0;
	}
	threads_release_all(i);
	return rc;
}

static uint64_t entry, passed;		/* in the target: where patched functions go, and how many came */

static int deliver(struct injection *i, enum deliver_method method)
{
	struct delivered delivered;
	int rc = deliver_hook(i, hook, map_hook, method, &delivered, reason);

	rc = rc ? rc : deliver_symbol(i, &delivered, "passing_entry", &entry);
	return rc ? rc : deliver_symbol(i, &delivered, "passing_count", &passed);
}

static int do_dlopen(struct injection *i)
{
	return deliver(i, DELIVER_DLOPEN);
}

static int do_map(struct injection *i)
{
	return deliver(i, DELIVER_MAP);
}

/* By the rules: planned before anything stops, planted while all are held. */
static int plant(struct injection *i, struct patch_plan *plan)
{
	struct thread *thread;
	int rc = threads_hold(i, 0, &thread, reason);

	rc = rc ? rc : patch_prepare(plan, i, thread, reason);
	threads_release_all(i);
	rc = rc ? rc : threads_hold_all(i, reason);
	rc = rc ? rc : patch_plant(plan, i, reason);
	threads_release_all(i);
	return rc;
}

static int do_plant(struct injection *i)
{
	static const char *const names[] = { "malloc", "free", "calloc", "realloc", "memalign", "posix_memalign" };
	enum { NAMES = sizeof(names) / sizeof(names[0]), WANTS = 64 };
	struct patch_want wants[WANTS];
	struct definitions all = { 0 };
	struct patch_plan *plan = NULL;
	size_t count = 0;
	int rc = definitions_find(i, names, NAMES, &all, reason);

	for (; rc == 0 && count < all.count && count < WANTS; count++)
		wants[count] = (struct patch_want){ &all.items[count], entry, names[all.items[count].names[0]] };
	rc = rc ? rc : patch_plan_make(i, wants, count, &plan, reason);
	rc = rc ? rc : plant(i, plan);
	for (size_t k = 0; rc == 0 && k < count; k++)
		if (patch_plan_row(plan, k)->how != PATCH_ENTRY) {
			snprintf(reason, sizeof(reason), "%s of %s: %s", wants[k].symbol, all.items[k].object,
				patch_plan_row(plan, k)->reason);
			rc = -ENOTSUP;
		}
	rc = rc == 0 && count < 4 ? -ENOENT : rc;
	patch_plan_free(plan);
	definitions_release(&all);
	return rc;
}

/* Something comes by the patches, in ten seconds at most. */
static int do_work(struct injection *i)
{
	uint64_t before = 0, now = 0;
	int rc = memory_read(i, passed, &before, sizeof(before));

	for (int n = 0; rc == 0 && n < 10000 && now <= before + 2; n++) {
		usleep(1000);
		rc = memory_read(i, passed, &now, sizeof(now));
	}
	if (rc == 0 && patch_count(i) < 4)
		return -ENOENT;
	return rc ? rc : now > before + 2 ? 0 : -ETIMEDOUT;
}

static int do_remove(struct injection *i)
{
	unsigned removed = 0;
	int rc = threads_hold_all(i, reason);

	rc = rc ? rc : patch_remove(i, &removed, reason);
	threads_release_all(i);
	if (rc == 0 && (removed < 4 || patch_count(i) != 0))
		rc = -EBADMSG;
	return rc;
}

static const struct {
	const char *name;
	int (*run)(struct injection *);
} words[] = {
	{ "hold", do_hold },
	{ "one", do_one },
	{ "safe", do_safe },
	{ "syscall", do_syscall },
	{ "dlopen", do_dlopen },
	{ "map", do_map },
	{ "plant", do_plant },
	{ "work", do_work },
	{ "remove", do_remove },
};

int main(int argc, char **argv)
{
	struct injection *i;
	int rc;

	if (argc < 3)
		return 2;
	hook = getenv("MEMTRACK_TEST_HOOK");
	map_hook = getenv("MEMTRACK_TEST_MAP_HOOK");
	rc = injection_open(&i, atoi(argv[1]), NULL, reason);
	for (int n = 2; rc == 0 && n < argc; n++) {
		rc = -EINVAL;
		for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
			if (strcmp(words[w].name, argv[n]) == 0)
				rc = words[w].run(i);
		if (rc)
			fprintf(stderr, "attach_tool: %s: %s: %s\n", argv[n], strerror(-rc), reason);
	}
	if (rc && !i)
		fprintf(stderr, "attach_tool: %s: %s\n", strerror(-rc), reason);
	injection_close(i);
	return rc ? 125 : 0;
}
