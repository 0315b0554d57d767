/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The launcher's life as a target sees it: the beat, the orderly end, and SIGKILL. */
#include "launcher/heartbeat.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"

static const struct channel_settings settings = { .thread_chunks = 64, .wake_chunks = 8 };

/* As a hook does: says that it waits, then sleeps until the word changes.  True: woken, not timed out. */
static int wait_for_death(_Atomic uint32_t *owner, int seconds)
{
	struct timespec limit = { .tv_sec = seconds };
	uint32_t value = atomic_fetch_or(owner, FUTEX_WAITERS) | FUTEX_WAITERS;

	while (!(value & FUTEX_OWNER_DIED)) {
		if (syscall(SYS_futex, owner, FUTEX_WAIT, value, &limit, NULL, 0) < 0 &&
		    errno == ETIMEDOUT)
			return 0;
		value = atomic_load(owner);
	}
	return 1;
}

static void test_kill(void)
{
	struct segment s[2];
	pid_t pid;

	for (int i = 0; i < 2; i++)
		if (segment_new(&s[i], &settings, 1, UINT64_MAX))
			exit(99);
	pid = fork();
	if (pid == 0) {
		struct heartbeat *b;

		if (heartbeat_new(&b) || heartbeat_hold(b, &s[0]) || heartbeat_hold(b, &s[1]))
			_exit(1);
		for (;;)
			pause();
	}
	for (int i = 0; i < 2000 && !atomic_load(&s[1].header->heartbeat); i++)
		usleep(1000);
	ok(atomic_load(&s[0].header->owner) != 0, "the owner word is held");
	ok(atomic_load(&s[1].header->heartbeat) != 0, "the counter moves");
	ok(!(atomic_load(&s[0].header->owner) & FUTEX_OWNER_DIED), "the owner lives");
	if (fork() == 0) {
		usleep(100000);
		kill(pid, SIGKILL);
		_exit(0);
	}
	ok(wait_for_death(&s[0].header->owner, 5), "SIGKILL wakes a waiter");
	waitpid(pid, NULL, 0);
	ok(atomic_load(&s[1].header->owner) & FUTEX_OWNER_DIED, "SIGKILL marks every segment");
	wait(NULL);
	segment_release(&s[0]);
	segment_release(&s[1]);
}

static void test_order(void)
{
	struct heartbeat *b;
	struct segment s[3];

	ok(heartbeat_new(&b) == 0, "starts");
	for (int i = 0; i < 3; i++)
		ok(segment_new(&s[i], &settings, 1, UINT64_MAX) == 0 &&
		   heartbeat_hold(b, &s[i]) == 0, "holds segment %d", i);
	heartbeat_drop(b, &s[1]);
	ok(atomic_load(&s[1].header->closing) == 1 && atomic_load(&s[1].header->owner) == 0,
	   "an orderly end closes the segment and gives up its owner word");
	ok(atomic_load(&s[0].header->owner) && atomic_load(&s[2].header->owner),
	   "the others stay held");
	segment_release(&s[1]);
	heartbeat_free(b);
	ok(atomic_load(&s[0].header->closing) && atomic_load(&s[2].header->closing),
	   "the end of the thread closes the rest");
	segment_release(&s[0]);
	segment_release(&s[2]);
}

static void test_sizes(void)
{
	struct segment s;

	ok(segment_new(&s, &settings, SEGMENT_REGIONS_FOLLOW, UINT64_MAX) == 0, "full size");
	ok(s.region_count == SEGMENT_REGIONS_FOLLOW && !s.shrunk, "sixteen regions");
	ok(ftruncate(s.fd, 4096) < 0 && errno == EPERM, "the size is sealed");
	segment_release(&s);
	ok(segment_new(&s, &settings, SEGMENT_REGIONS_FOLLOW, 800ull << 20) == 0, "under RLIMIT_AS");
	ok(s.shrunk && s.bytes <= 200ull << 20, "it takes at most a quarter of the limit");
	ok(s.header->settings.thread_chunks <= s.chunks_max / 2, "one thread cannot have all chunks");
	segment_release(&s);
}

int main(void)
{
	test_sizes();
	test_order();
	test_kill();
	return done_testing();
}
