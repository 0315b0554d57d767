/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for a thread that is not held. */
#include "inject/hold_reason.h"

#include "inject/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Number of the system call that a thread is in; -1: none, or not known. */
static long system_call_of(const struct injection *i, pid_t tid)
{
	char path[64], text[32];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)i->pid, (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (n <= 0 || text[0] < '0' || text[0] > '9')
		return -1;
	text[n] = '\0';
	return strtol(text, NULL, 10);
}

/* Only vfork and its like wait without ever stopping for us. */
static const long forks[] = {
#ifdef SYS_vfork
	SYS_vfork,
#endif
	SYS_clone,
	SYS_clone3,
};

bool hold_waits_for_child(const struct injection *i, pid_t tid)
{
	long number = status_state(i->pid, tid) == 'D' ? system_call_of(i, tid) : -1;

	for (size_t k = 0; k < sizeof(forks) / sizeof(*forks); k++)
		if (number >= 0 && forks[k] == number)
			return true;
	return false;
}

static void tell_timeout(const struct injection *i, pid_t tid, char *reason)
{
	if (hold_waits_for_child(i, tid))
		snprintf(reason, INJECTION_REASON, "thread %d waits for its vfork child to run a program or end, and cannot be stopped; try again later",
			 (int)tid);
	else
		snprintf(reason, INJECTION_REASON, "thread %d did not stop within %d ms (is it waiting for a disk or a device?); try again later",
			 (int)tid, i->stop_ms);
}

int hold_reason(const struct injection *i, pid_t tid, int rc, char reason[INJECTION_REASON])
{
	if (rc == -ESRCH)
		snprintf(reason, INJECTION_REASON, "the process went away");
	else if (rc == -EINTR)
		snprintf(reason, INJECTION_REASON, "the process executed another program meanwhile; try again");
	else if (rc == -EPERM)
		snprintf(reason, INJECTION_REASON, "a thread of it may not be traced (somebody else traces it?)");
	else if (rc == -EAGAIN)
		snprintf(reason, INJECTION_REASON, "no thread was found at a place where it can be used; try again");
	else if (rc == -ETIMEDOUT)
		tell_timeout(i, tid, reason);
	else
		snprintf(reason, INJECTION_REASON, "a thread of it cannot be stopped: %s", strerror(-rc));
	return rc;
}
