/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls that are blocked on a file descriptor. */
#include "tests/attach/blocking.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

enum { PAGE = 4096 };

static int pipe_setup(struct blocking *b)
{
	return pipe2(b->fd, O_CLOEXEC);
}

static void pipe_feed(struct blocking *b)
{
	if (write(b->fd[1], "abc", 3) != 3)
		_exit(1);
}

static long read_block(struct blocking *b)
{
	char text[3];

	return read(b->fd[0], text, sizeof(text));
}

/* A pipe that is full; one page is read out at a time. */
static int full_setup(struct blocking *b)
{
	static const char page[PAGE];

	if (pipe2(b->fd, O_CLOEXEC) != 0 || fcntl(b->fd[1], F_SETFL, O_NONBLOCK) != 0)
		return 1;
	while (write(b->fd[1], page, sizeof(page)) == PAGE)
		;
	return fcntl(b->fd[1], F_SETFL, 0);
}

static void full_feed(struct blocking *b)
{
	char page[PAGE];

	if (read(b->fd[0], page, sizeof(page)) < 0)
		_exit(1);
}

static long write_block(struct blocking *b)
{
	char page[PAGE];

	memset(page, 1, sizeof(page));
	return write(b->fd[1], page, sizeof(page));
}

static int socket_setup(struct blocking *b)
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, b->fd);
}

static long recv_block(struct blocking *b)
{
	char text[3];

	return recv(b->fd[0], text, sizeof(text), MSG_WAITALL);
}

static int listen_setup(struct blocking *b)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };

	b->fd[0] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return b->fd[0] < 0 || bind(b->fd[0], (struct sockaddr *)&any, sizeof(sa_family_t)) != 0 ||
		listen(b->fd[0], 4) != 0;
}

static void listen_feed(struct blocking *b)
{
	struct sockaddr_un to;
	socklen_t size = sizeof(to);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	getsockname(b->fd[0], (struct sockaddr *)&to, &size);
	connect(fd, (struct sockaddr *)&to, size);
	close(fd);
}

static long accept_block(struct blocking *b)
{
	int fd = accept4(b->fd[0], NULL, NULL, SOCK_CLOEXEC);

	return fd < 0 ? -1 : close(fd);
}

static int eventfd_setup(struct blocking *b)
{
	b->fd[0] = eventfd(0, EFD_CLOEXEC);
	return b->fd[0] < 0;
}

static void eventfd_feed(struct blocking *b)
{
	eventfd_write(b->fd[0], 1);
}

static long eventfd_block(struct blocking *b)
{
	uint64_t value;

	return read(b->fd[0], &value, sizeof(value));
}

static int inotify_setup(struct blocking *b)
{
	char path[] = "/tmp/memtrack-watched-XXXXXX";
	int watch;

	b->fd[1] = mkostemp(path, O_CLOEXEC);
	b->fd[0] = inotify_init1(IN_CLOEXEC);
	watch = b->fd[1] < 0 ? -1 : inotify_add_watch(b->fd[0], path, IN_MODIFY);
	unlink(path);
	return watch < 0;
}

static void inotify_feed(struct blocking *b)
{
	if (pwrite(b->fd[1], "x", 1, 0) != 1)
		_exit(1);
}

static long inotify_block(struct blocking *b)
{
	char events[1024];

	return read(b->fd[0], events, sizeof(events)) > 0 ? 0 : -1;
}

static long poll_block(struct blocking *b)
{
	struct pollfd poll_fd = { .fd = b->fd[0], .events = POLLIN };
	long result = poll(&poll_fd, 1, -1);

	return result == 1 ? read_block(b) : result;
}

static int epoll_setup(struct blocking *b)
{
	struct epoll_event event = { .events = EPOLLIN };

	if (pipe_setup(b) != 0)
		return 1;
	b->id = epoll_create1(EPOLL_CLOEXEC);
	return b->id < 0 || epoll_ctl((int)b->id, EPOLL_CTL_ADD, b->fd[0], &event);
}

static long epoll_block(struct blocking *b)
{
	struct epoll_event event;
	long result = epoll_wait((int)b->id, &event, 1, -1);

	return result == 1 ? read_block(b) : result;
}

/* Two descriptions of one file: one holds the lock, the other waits for it. */
static int lock_setup(struct blocking *b)
{
	char path[64];

	b->fd[0] = memfd_create("locked", MFD_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", b->fd[0]);
	b->fd[1] = open(path, O_RDWR | O_CLOEXEC);
	return b->fd[1] < 0;
}

/* The helper holds the lock for a while, then lets go for a moment. */
static void flock_feed(struct blocking *b)
{
	flock(b->fd[1], LOCK_EX);
	usleep(BLOCKING_US);
	flock(b->fd[1], LOCK_UN);
	usleep(1000);
}

static long flock_block(struct blocking *b)
{
	return flock(b->fd[0], LOCK_EX) == 0 ? flock(b->fd[0], LOCK_UN) : -1;
}

static void record_feed(struct blocking *b)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };

	fcntl(b->fd[1], F_SETLKW, &lock);
	usleep(BLOCKING_US);
	lock.l_type = F_UNLCK;
	fcntl(b->fd[1], F_SETLKW, &lock);
	usleep(1000);
}

static long record_block(struct blocking *b)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1 };
	long result = fcntl(b->fd[0], F_SETLKW, &lock);
	int saved = errno;

	lock.l_type = F_UNLCK;
	fcntl(b->fd[0], F_SETLKW, &lock);
	errno = saved;
	return result;
}

const struct blocking_call blocking_files[] = {
	{ "read", pipe_setup, read_block, pipe_feed, 3, 0, NULL },
	{ "write", full_setup, write_block, full_feed, PAGE, 0, NULL },
	{ "recv", socket_setup, recv_block, pipe_feed, 3, 0, NULL },
	{ "accept", listen_setup, accept_block, listen_feed, 0, 0, NULL },
	{ "eventfd", eventfd_setup, eventfd_block, eventfd_feed, 8, 0, NULL },
	{ "inotify", inotify_setup, inotify_block, inotify_feed, 0, 0, NULL },
	{ "poll_pipe", pipe_setup, poll_block, pipe_feed, 3, 0, NULL },
	{ "epoll_pipe", epoll_setup, epoll_block, pipe_feed, 3, 0, NULL },
	{ "flock", lock_setup, flock_block, flock_feed, 0, 0, NULL },
	{ "setlkw", lock_setup, record_block, record_feed, 0, 0, NULL },
	{ NULL, NULL, NULL, NULL, 0, 0, NULL },
};
