/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening a process for injection, and closing it. */
#include "inject/process.h"

#include "base/alloc.h"
#include "inject/cpu.h"
#include "inject/memory.h"
#include "inject/filter.h"
#include "inject/refuse.h"
#include "inject/threads.h"
#include "inject/tracer.h"
#include "symbols/living.h"
#include "symbols/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STOP_MS		2000

static int open_pidfd(pid_t pid, char *reason)
{
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	if (fd >= 0)
		return fd;
	fd = -errno;
	snprintf(reason, INJECTION_REASON, fd == -ESRCH ? "there is no such process"
		 : fd == -EINVAL || fd == -ENOENT ? "it is a thread; give the number of its process"
		 : "cannot watch it: %s", strerror(-fd));
	return fd == -ENOENT ? -EINVAL : fd;
}

/* Opens what stays open.  The descriptors are closed by the caller on failure. */
static int open_descriptors(struct injection *i, struct process_status *s, char *reason)
{
	char path[32];
	int rc;

	i->pidfd = open_pidfd(i->pid, reason);
	if (i->pidfd < 0)
		return i->pidfd;
	rc = status_read(i->pid, 0, s);
	if (rc) {
		snprintf(reason, INJECTION_REASON, "there is no such process");
		return rc;
	}
	rc = refuse_process(i->pid, s, reason);
	rc = rc ? rc : refuse_program(injection_proc(i), reason);
	if (rc)
		return rc;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)injection_proc(i));
	i->mem = open(path, O_RDWR | O_CLOEXEC);
	if (i->mem >= 0)
		return 0;
	rc = -errno;
	if (rc == -EACCES || rc == -EPERM)
		return refuse_permission(i->pid, s, reason);
	if (rc == -ENOENT || rc == -ESRCH) {
		snprintf(reason, INJECTION_REASON, "the process went away");
		return -ESRCH;
	}
	snprintf(reason, INJECTION_REASON, "cannot open its memory: %s", strerror(-rc));
	return rc;
}

static void close_descriptors(struct injection *i)
{
	if (i->mem >= 0)
		close(i->mem);
	if (i->pidfd >= 0)
		close(i->pidfd);
}

int injection_open(struct injection **result, pid_t pid, const struct injection_options *options,
		   char reason[INJECTION_REASON])
{
	struct injection *i = xcalloc(1, sizeof(*i));
	struct process_status s;
	int rc = -ENOTSUP;

	*result = NULL;
	*reason = '\0';
	i->pid = pid;
	i->mem = i->pidfd = -1;
	i->stop_ms = options && options->stop_ms > 0 ? options->stop_ms : STOP_MS;
	if (!cpu_supported()) {
		snprintf(reason, INJECTION_REASON, "memtrack cannot enter running programs on this CPU");
		goto fail;
	}
	rc = open_descriptors(i, &s, reason);
	rc = rc ? rc : refuse_preloaded(injection_proc(i), reason);
	rc = rc ? rc : refuse_confined(&s, options && options->leaving, &i->seccomp_suspended, reason);
	if (rc)
		goto fail;
	i->inside = s.inside;
	i->start_time = s.start_time;
	i->was_stopped = s.state == 'T';
	snprintf(i->name, sizeof(i->name), "%.*s", (int)sizeof(i->name) - 1, s.name);
	rc = tracer_start(i);
	if (rc)
		snprintf(reason, INJECTION_REASON, "cannot start a thread: %s", strerror(-rc));
	if (rc == 0 && s.seccomp) {
		rc = filter_look(i, reason);
		rc = options && options->leaving ? 0 : rc;
		if (rc)
			tracer_stop(i);
	}
	if (rc == 0) {
		*result = i;
		return 0;
	}
	vector_release(&i->threads);
fail:
	close_descriptors(i);
	free(i);
	return rc;
}

void injection_close(struct injection *i)
{
	if (!i)
		return;
	threads_release_all(i);
	tracer_stop(i);
	vector_release(&i->threads);
	close_descriptors(i);
	free(i);
}

pid_t injection_pid(const struct injection *i)
{
	return i->pid;
}

pid_t injection_proc(const struct injection *i)
{
	return living_proc(i->pid);
}

pid_t injection_pid_inside(const struct injection *i)
{
	return i->inside;
}

bool injection_stopped(const struct injection *i)
{
	return i->was_stopped;
}

bool injection_gone(struct injection *i)
{
	struct pollfd end = { .fd = i->pidfd, .events = POLLIN };
	struct maps maps;
	char byte;
	bool gone = i->executed || poll(&end, 1, 0) > 0 || maps_read(injection_proc(i), &maps) != 0;

	if (gone)
		return true;
	/* Any page of it that can be read; after an exec none can through the old descriptor. */
	gone = true;
	for (size_t k = 0; k < maps.count && gone; k++)
		gone = !maps.items[k].read || memory_read(i, maps.items[k].start, &byte, 1) != 0;
	maps_release(&maps);
	return gone;
}

static int open_if(const char *path, uint64_t inode)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);	/* it may be a FIFO by now */
	struct stat st;

	if (fd < 0)
		return -errno;
	/* The inode may differ on overlays for map_files, so it is asked only where a name was looked up. */
	if (inode == 0 || (fstat(fd, &st) == 0 && st.st_ino == inode))
		return fd;
	close(fd);
	return -ENOENT;
}

int injection_open_mapped(const struct injection *i, uint64_t start, uint64_t end, const char *name,
			  uint64_t inode)
{
	char path[64], *rooted;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)injection_proc(i), start, end);
	fd = open_if(path, 0);
	if (fd >= 0 || name[0] != '/')
		return fd;
	rooted = xasprintf("/proc/%d/root%s", (int)injection_proc(i), name);
	fd = open_if(rooted, inode);
	free(rooted);
	return fd;
}
