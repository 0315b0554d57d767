/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Listening, checking credentials, handing out the segment. */
#include "launcher/door.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG	512	/* a parallel make starts many at once */

static int draw_name(struct door *door)
{
	uint64_t random[2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -errno;
	snprintf(door->name, sizeof(door->name), "memtrack-%016llx%016llx",
		 (unsigned long long)random[0], (unsigned long long)random[1]);
	return 0;
}

int door_open(struct door *door)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length;
	int rc = draw_name(door);

	if (rc)
		return rc;
	length = strlen(door->name);
	memcpy(address.sun_path + 1, door->name, length);
	length += offsetof(struct sockaddr_un, sun_path) + 1;
	door->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (door->fd < 0)
		return -errno;
	if (bind(door->fd, (struct sockaddr *)&address, (socklen_t)length) == 0 &&
	    listen(door->fd, BACKLOG) == 0)
		return 0;
	rc = -errno;
	door_close(door);
	return rc;
}

void door_close(struct door *door)
{
	if (door->fd >= 0)
		close(door->fd);
	door->fd = -1;
}

int door_accept(struct door *door, struct door_guest *guest)
{
	struct ucred who;
	socklen_t length = sizeof(who);
	int fd = accept4(door->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return -errno;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &length) < 0) {
		int rc = -errno;

		close(fd);
		return rc;
	}
	*guest = (struct door_guest){ .fd = fd, .pid = who.pid, .uid = who.uid };
	return 0;
}

int door_admit(struct door_guest *guest, int segment_fd, int life_fd)
{
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(2 * sizeof(int))];
	} control = { .header = {
		.cmsg_len = CMSG_LEN((life_fd < 0 ? 1 : 2) * sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
	} };
	char byte = 1;
	struct iovec data = { &byte, 1 };
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int fds[2] = { segment_fd, life_fd }, rc = 0;

	memcpy(CMSG_DATA(&control.header), fds, sizeof(fds));
	if (sendmsg(guest->fd, &message, MSG_NOSIGNAL) != 1)
		rc = -errno;
	close(guest->fd);
	guest->fd = -1;
	return rc;
}

void door_refuse(struct door_guest *guest)
{
	close(guest->fd);
	guest->fd = -1;
}
