/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for memtrack's death, or its word. */
#include "launcher/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "launcher/attach.h"
#include "launcher/keeper_find.h"

#define RETRY_NS	500000000L

static const char dismissed = 'd';

/* Of the terminal, the session and the files that memtrack was started with it keeps nothing. */
static void settle(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, KEEPER_NAME);
	for (int fd = 0; null >= 0 && fd <= 2; fd++)
		dup2(null, fd);
	if (chdir("/") < 0) {
		/* then a file system stays busy for a while */
	}
}

/* Whatever came by inheritance but the two: nobody's pipe stays open because of it. */
static void close_others(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b), high = (unsigned)(a < b ? b : a);

	if (low > 3)
		syscall(SYS_close_range, 3u, low - 1, 0u);
	if (high > low + 1)
		syscall(SYS_close_range, low + 1, high - 1, 0u);
	syscall(SYS_close_range, high + 1, ~0u, 0u);
}

/* False: dismissed, or the target is gone. */
static bool wait_for_death(int wire, int target_fd)
{
	struct pollfd fds[] = { { .fd = wire, .events = POLLIN }, { .fd = target_fd, .events = POLLIN } };
	char word = 0;

	while (poll(fds, 2, -1) < 0 || !(fds[0].revents | fds[1].revents))
		;
	if (fds[1].revents)
		return false;
	return read(wire, &word, 1) != 1 || word != dismissed;
}

static bool lives(int target_fd)
{
	struct pollfd fd = { .fd = target_fd, .events = POLLIN };

	return poll(&fd, 1, 0) == 0;
}

static void keep(pid_t target, int wire, int target_fd)
{
	const struct timespec pause = { .tv_nsec = RETRY_NS };
	char reason[ATTACH_REASON];

	settle();
	close_others(wire, target_fd);
	if (!wait_for_death(wire, target_fd))
		return;
	while (lives(target_fd)) {
		int rc = attach_restore(target, reason);

		if (rc == 0 || rc == -EALREADY)	/* the patches are of a newer memtrack, which has a keeper of its own */
			return;
		nanosleep(&pause, NULL);
	}
}

int keeper_start(struct keeper *keeper, pid_t target)
{
	int target_fd = (int)syscall(SYS_pidfd_open, target, 0), wires[2], rc = 0;

	*keeper = (struct keeper){ .wire = -1 };
	if (target_fd < 0)
		return -errno;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, wires) < 0) {
		rc = -errno;
		close(target_fd);
		return rc;
	}
	keeper->pid = fork();
	if (keeper->pid == 0) {
		close(wires[0]);
		keep(target, wires[1], target_fd);
		_exit(0);
	}
	if (keeper->pid < 0) {
		rc = -errno;
		keeper->pid = 0;
		close(wires[0]);
	} else {
		keeper->wire = wires[0];
	}
	close(wires[1]);
	close(target_fd);
	return rc;
}

void keeper_dismiss(struct keeper *keeper)
{
	if (!keeper->pid)
		return;
	if (send(keeper->wire, &dismissed, 1, MSG_NOSIGNAL) < 0) {
		/* it is gone, with the target */
	}
	close(keeper->wire);
	while (waitpid(keeper->pid, NULL, 0) < 0 && errno == EINTR)
		;
	keeper->pid = 0;
}

void keeper_leave(struct keeper *keeper)
{
	if (keeper->pid)
		close(keeper->wire);
	keeper->pid = 0;
}
