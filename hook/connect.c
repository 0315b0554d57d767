/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unix socket, SCM_RIGHTS, mmap: raw system calls, at start only. */
#include "hook/connect.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "hook/memory.h"
#include "hook/raw.h"
#include "hook/ring.h"
#include "trace/channel.h"

#define MAP_SHARED_RW_PROT	3
#define MAP_SHARED_FLAG		1
#define SEEK_TO_END		2

static void close_fd(long fd)
{
	raw_call(RAW_NR_close, fd, 0, 0, 0, 0);
}

static long connect_to(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t n = hook_strlen(name);
	long fd, r;

	if (!n || n > sizeof address.sun_path - 1)
		return -1;
	memcpy(address.sun_path + 1, name, n);
	fd = raw_call(RAW_NR_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, 0, 0);
	if (fd < 0)
		return fd;
	r = raw_call(RAW_NR_connect, fd, &address,
		     offsetof(struct sockaddr_un, sun_path) + 1 + n, 0, 0);
	if (r < 0) {
		close_fd(fd);
		return r;
	}
	return fd;
}

/* fds[1] is -1 if there is one only.  0, or negative. */
static long receive_fds(long socket, int fds[2])
{
	char byte;
	struct iovec iov = { &byte, 1 };
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(2 * sizeof(int))];
	} control;
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof control,
	};
	struct cmsghdr *c;
	long r;

	do {
		r = raw_call(RAW_NR_recvmsg, socket, &message, MSG_CMSG_CLOEXEC, 0, 0);
	} while (r == -4 /* EINTR */);
	c = CMSG_FIRSTHDR(&message);
	if (r != 1 || !c || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return -1;
	fds[1] = -1;
	memcpy(fds, CMSG_DATA(c), c->cmsg_len >= CMSG_LEN(2 * sizeof(int)) ? 2 * sizeof(int) : sizeof(int));
	return 0;
}

static void *map_segment(long fd, size_t bytes)
{
	long p = raw_call6(RAW_NR_mmap, 0, (long)bytes, MAP_SHARED_RW_PROT, MAP_SHARED_FLAG, fd, 0);

	return p < 0 && p > -4096 ? NULL : (void *)p;
}

/* Mapped once, by its size: it is sealed, and a first touch of its head costs as much as ten calls. */
static struct channel_header *map_checked(long fd)
{
	long bytes = raw_call(RAW_NR_lseek, fd, 0, SEEK_TO_END, 0, 0);
	struct channel_header *head = bytes >= (long)CHANNEL_PAGE ? map_segment(fd, (size_t)bytes) : NULL;

	if (!head || (head->magic == CHANNEL_MAGIC && head->version == CHANNEL_VERSION &&
		      head->segment_bytes == (uint64_t)bytes))
		return head;
	raw_call(RAW_NR_munmap, head, bytes, 0, 0, 0);
	return NULL;
}

struct channel_header *connect_launcher(const char *name)
{
	struct channel_header *header = NULL;
	long socket = connect_to(name);
	int fds[2];

	if (socket < 0)
		return NULL;
	if (receive_fds(socket, fds) == 0) {
		header = map_checked(fds[0]);
		close_fd(fds[0]);
		if (fds[1] >= 0) {
			map_segment(fds[1], CHANNEL_PAGE);
			close_fd(fds[1]);
		}
	}
	close_fd(socket);
	return header;
}

void connect_wait_go(struct channel_header *header)
{
	while (header->settings.wait_start && !header->go && ring_launcher_lives(header))
		ring_sleep(&header->go, 0, 100);
}
