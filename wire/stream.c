/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bytes over a connected socket. */
#include "wire/stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

ssize_t wire_send(int fd, const void *data, size_t length)
{
	ssize_t n;

	do
		n = send(fd, data, length, MSG_NOSIGNAL | MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

ssize_t wire_receive(int fd, void *data, size_t length)
{
	ssize_t n;

	do
		n = recv(fd, data, length, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

void wire_finish(int fd)
{
	shutdown(fd, SHUT_WR);
}

void wire_tune(int fd)
{
	const int on = 1, idle = 30, interval = 10, count = 3;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}
