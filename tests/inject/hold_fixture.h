/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Targets of the hold tests: children that run a function of the test itself, so that addresses are known. */
#ifndef TESTS_INJECT_HOLD_FIXTURE_H
#define TESTS_INJECT_HOLD_FIXTURE_H

#include "inject/process.h"
#include "inject/remote.h"
#include "inject/threads.h"
#include "tests/tap.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One page that test and targets share; zeroed for each target. */
struct shared {
	_Atomic int ready, stop, seen, progress, more;
	_Atomic long value;
};

static struct shared *shared;

static inline void shared_init(void)
{
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static inline void nap_ms(int milliseconds)
{
	struct timespec t = { milliseconds / 1000, milliseconds % 1000 * 1000000l };

	while (nanosleep(&t, &t) != 0)
		;
}

static inline long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits at most 20 s; whether it became so. */
#define wait_until(condition) \
	({ \
		bool became_; \
		for (int left_ = 20000; !(became_ = (condition)) && left_ > 0; left_--) \
			nap_ms(1); \
		became_; \
	})

/* Runs target in a child that dies with the test; its value is the exit status. */
static inline pid_t target_start(int (*target)(void))
{
	pid_t pid;

	memset(shared, 0, sizeof(*shared));
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(target());
	}
	return pid;
}

static inline bool target_ready(void)
{
	return wait_until(atomic_load(&shared->ready));
}

/* The status as from waitpid; -1: it did not end, and was killed. */
static inline int target_end(pid_t pid)
{
	int status = -1;

	atomic_store(&shared->stop, 1);
	if (wait_until(waitpid(pid, &status, WNOHANG | __WALL) == pid))
		return status;
	kill(pid, SIGKILL);
	waitpid(pid, &status, __WALL);
	return -1;
}

/* The state letter of a thread, from /proc. */
static inline char state_of(pid_t pid, pid_t tid)
{
	char path[64], text[256] = "", *p;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		*text = '\0';
	close(fd);
	p = strrchr(text, ')');
	return p ? p[2] : 0;
}

static inline struct injection *open_target(pid_t pid, int stop_ms)
{
	const struct injection_options options = { .stop_ms = stop_ms };
	char reason[INJECTION_REASON];
	struct injection *i;
	int rc = injection_open(&i, pid, &options, reason);

	if (!ok(rc == 0, "opens the process"))
		printf("# %d: %s\n", rc, reason);
	return i;
}

/* One remote function on one thread; its result, -1 when it could not be called. */
static inline long call_in(struct injection *i, uint64_t function, uint64_t argument, int *rc)
{
	const uint64_t arguments[6] = { argument };
	char reason[INJECTION_REASON];
	uint64_t result = 0;
	struct thread *t;

	*rc = threads_hold(i, 0, &t, reason);
	if (*rc)
		return -1;
	*rc = remote_call(i, t, function, arguments, &result, 5000);
	thread_release(t);
	return *rc ? -1 : (long)result;
}

#endif
