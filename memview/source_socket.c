/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A socket as the source of a trace: [HOST]:PORT, tried for a while until somebody listens. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "memview/now.h"
#include "memview/source_kinds.h"

#define PATIENCE_MS 10000	/* a target that is just being started comes up in this time */
#define RETRY_MS 200
#define CONNECT_MS 5000

bool source_is_socket(const char *where)
{
	const char *colon = strrchr(where, ':');
	size_t digits;

	if (!colon || strchr(where, '/'))
		return false;
	digits = strspn(colon + 1, "0123456789");
	if (!digits || colon[1 + digits])
		return false;
	return colon == where || access(where, F_OK) != 0;
}

/* HOST without its brackets; "" and a missing one are this machine. */
static char *host_of(const char *where)
{
	size_t length = (size_t)(strrchr(where, ':') - where);

	if (length >= 2 && where[0] == '[' && where[length - 1] == ']')
		return xstrndup(where + 1, length - 2);
	return length ? xstrndup(where, length) : xstrdup("127.0.0.1");
}

static int socket_open(struct source *source)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found = NULL, *each;
	const char *port = strrchr(source->where, ':') + 1;
	char *host;
	int err;

	if (strlen(port) > 5 || atoi(port) < 1 || atoi(port) > 65535) {
		source_fail(source, "%s is no port: 1 to 65535", port);
		return -1;
	}
	host = host_of(source->where);
	err = getaddrinfo(host, port, &hints, &found);
	free(host);
	if (err) {
		source_fail(source, "cannot find the host of %s: %s", source->where, gai_strerror(err));
		return -1;
	}
	for (each = found; each && source->addresses < 4; each = each->ai_next) {
		memcpy(&source->address[source->addresses], each->ai_addr, each->ai_addrlen);
		source->address_length[source->addresses++] = each->ai_addrlen;
	}
	freeaddrinfo(found);
	source->deadline = now_ms() + PATIENCE_MS;
	source_say(source, "connecting to %s", source->where);
	source->state = SOURCE_WAITING;
	return 0;
}

/* This attempt came to nothing: the next address, after a pause once all were tried. */
static void try_later(struct source *source, int why)
{
	uint64_t now = now_ms();

	if (source->fd >= 0)
		close(source->fd);
	source->fd = -1;
	source->current = (source->current + 1) % source->addresses;
	if (source->current == 0)
		source->next_try = now + RETRY_MS;
	if (now >= source->deadline)
		source_fail(source, "cannot connect to %s: %s; is memtrack --port running there?",
			    source->where, strerror(why));
	else
		source_say(source, "waiting for %s: %s", source->where, strerror(why));
}

static void attempt(struct source *source)
{
	const struct sockaddr_storage *to = &source->address[source->current];

	source->fd = socket(to->ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (source->fd < 0) {
		try_later(source, errno);
		return;
	}
	if (connect(source->fd, (const struct sockaddr *)to, source->address_length[source->current]) < 0 &&
	    errno != EINPROGRESS)
		try_later(source, errno);
	else
		source->next_try = now_ms() + CONNECT_MS;
}

static void connected_or_not(struct source *source)
{
	struct pollfd ready = { .fd = source->fd, .events = POLLOUT };
	socklen_t length = sizeof(int);
	int why = 0;

	if (poll(&ready, 1, 0) <= 0) {
		if (now_ms() >= source->next_try)
			try_later(source, ETIMEDOUT);
		return;
	}
	getsockopt(source->fd, SOL_SOCKET, SO_ERROR, &why, &length);
	if (why) {
		try_later(source, why);
		return;
	}
	source->state = SOURCE_FLOWING;
	source->message[0] = 0;
}

static ssize_t socket_read(struct source *source, void *data, size_t size)
{
	ssize_t n;

	if (source->state == SOURCE_WAITING && source->fd < 0 && now_ms() >= source->next_try)
		attempt(source);
	if (source->state == SOURCE_WAITING && source->fd >= 0)
		connected_or_not(source);
	if (source->state != SOURCE_FLOWING)
		return 0;
	n = recv(source->fd, data, size, MSG_DONTWAIT);
	if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK))
		return 0;
	if (n < 0) {
		source_say(source, "connection to %s lost: %s; what came is shown", source->where, strerror(errno));
		source->state = SOURCE_ENDED;
		return 0;
	}
	if (n == 0)
		source->state = SOURCE_ENDED;
	return n;
}

const struct source_kind source_socket = { socket_open, socket_read };
