/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wait statuses, our children's and others'. */
#include "launcher/exit_code.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* As linux/pidfd.h of Linux 6.15 has it (headers may be older than the kernel). */
struct pidfd_exit_info {
	uint64_t mask, cgroup;
	uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
	int32_t exit_code;
	uint32_t spare[8];
};
#define PIDFD_EXIT_MASK		(1ull << 3)
#define PIDFD_EXIT_REQUEST	_IOC(_IOC_READ | _IOC_WRITE, 0xff, 11, sizeof(struct pidfd_exit_info))

#define STAT_EXIT_CODE	52	/* field of /proc/PID/stat, from 1; see proc_pid_stat(5) */

void exit_code_of_child(int status, enum trace_end_how *how, uint32_t *value)
{
	if (WIFSIGNALED(status)) {
		*how = TRACE_END_SIGNAL;
		*value = (uint32_t)WTERMSIG(status);
	} else {
		*how = TRACE_END_EXIT;
		*value = (uint32_t)WEXITSTATUS(status);
	}
}

static int zombie_status(pid_t pid, int *status)
{
	char path[64], text[1024], *at;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	at = strrchr(text, ')');
	if (!at || at[1] != ' ' || at[2] != 'Z')
		return -1;
	for (int i = 2; at && i < STAT_EXIT_CODE; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return -1;
	*status = atoi(at + 1);
	return 0;
}

static int remembered_status(int pidfd, int *status)
{
	struct pidfd_exit_info info = { .mask = PIDFD_EXIT_MASK };

	if (pidfd < 0 || ioctl(pidfd, PIDFD_EXIT_REQUEST, &info) < 0 ||
	    !(info.mask & PIDFD_EXIT_MASK))
		return -1;
	*status = info.exit_code;
	return 0;
}

void exit_code_of_other(pid_t pid, int pidfd, enum trace_end_how *how, uint32_t *value)
{
	int status = 0;

	if (zombie_status(pid, &status) && remembered_status(pidfd, &status)) {
		*how = TRACE_END_UNKNOWN;
		*value = 0;
	} else {
		exit_code_of_child(status, how, value);
	}
}

int exit_code_for_shell(enum trace_end_how how, uint32_t value)
{
	return how == TRACE_END_SIGNAL ? 128 + (int)value : (int)value;
}
