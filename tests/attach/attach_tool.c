/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Enters a process by inject/ alone, without a session: what it does is told by words.
 *
 *	attach_tool PID hold|one|safe|syscall|call|dlopen|map...
 */
#include "inject/deliver.h"
#include "inject/memory.h"
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

static int deliver(struct injection *i, enum deliver_method method)
{
	struct delivered delivered;
	uint64_t address;
	int rc = deliver_hook(i, hook, map_hook, method, &delivered, reason);

	rc = rc ? rc : deliver_symbol(i, &delivered, "memtrack_state", &address);
	return rc;
}

static int do_dlopen(struct injection *i)
{
	return deliver(i, DELIVER_DLOPEN);
}

static int do_map(struct injection *i)
{
	return deliver(i, DELIVER_MAP);
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
