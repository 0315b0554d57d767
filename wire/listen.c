/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for viewers on a TCP port. */
#include "wire/listen.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "wire/stream.h"

#define BACKLOG	16

static int listen_on(const struct wire_place *place)
{
	const int on = 1, off = 0;
	int fd = socket(place->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (place->address.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(fd, (const struct sockaddr *)&place->address, place->length) == 0 &&
	    listen(fd, BACKLOG) == 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* "*" means both families, which one IPv6 socket can serve: it comes first, and IPv4 is for
 * machines without IPv6. */
static void prefer_v6(struct wire_place *places, int count)
{
	for (int i = 1; i < count; i++) {
		if (places[i].address.ss_family == AF_INET6) {
			struct wire_place first = places[0];

			places[0] = places[i];
			places[i] = first;
			return;
		}
	}
}

int wire_listen(const struct wire_address *address)
{
	struct wire_place places[WIRE_PLACES_MAX];
	int count = wire_address_resolve(address, true, places, WIRE_PLACES_MAX);
	int fd = count;

	if (!strcmp(address->host, "*"))
		prefer_v6(places, count);
	for (int i = 0; i < count; i++) {
		fd = listen_on(&places[i]);
		if (fd >= 0)
			break;
	}
	return fd;
}

int wire_listen_port(int fd)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &length) < 0)
		return -errno;
	if (address.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
	return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

int wire_accept(int fd)
{
	int viewer;

	do
		viewer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
	while (viewer < 0 && (errno == EINTR || errno == ECONNABORTED));
	if (viewer < 0)
		return -errno;
	wire_tune(viewer);
	return viewer;
}
