/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A socket as the source of a trace: [HOST]:PORT, tried for a while until somebody listens. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "memview/now.h"
#include "memview/source_kinds.h"
#include "wire/stream.h"

#define PATIENCE_MS 10000	/* a target that is just being started comes up in this time */
#define RETRY_MS 200

bool source_is_socket(const char *where)
{
	const char *colon = strrchr(where, ':');

	/* A port that is out of bounds is a mistake in an address, not the name of a file. */
	if (!colon || !colon[1] || strchr(where, '/') || colon[1 + strspn(colon + 1, "0123456789")])
		return false;
	return colon == where || access(where, F_OK) != 0;
}

static ssize_t try_later(struct source *source, int err)
{
	source->fd = -1;
	source->next_try = now_ms() + RETRY_MS;
	if (now_ms() >= source->deadline)
		return source_fail(source, "cannot connect to %s: %s; is memtrack --port running there?",
				   source->where, wire_strerror(err));
	source_say(source, "waiting for %s: %s", source->where, wire_strerror(err));
	return 0;
}

/* result: of wire_connect_start() or wire_connect_poll(). */
static ssize_t took(struct source *source, int result)
{
	if (result == -EINPROGRESS) {
		source->fd = source->connect.fd;
		return 0;
	}
	if (result < 0)
		return try_later(source, result);
	source->fd = result;
	source->state = SOURCE_FLOWING;
	source->message[0] = 0;
	return 0;
}

static int socket_open(struct source *source)
{
	int result;

	if (wire_address_parse(source->where, &source->address) < 0 || !source->address.port) {
		source_fail(source, "%s is no address: [HOST]:PORT with a port from 1 to 65535", source->where);
		return -1;
	}
	source->state = SOURCE_WAITING;
	source->deadline = now_ms() + PATIENCE_MS;
	result = wire_connect_start(&source->connect, &source->address);
	if (result == -EDESTADDRREQ) {
		source_fail(source, "cannot connect to %s: %s", source->where, wire_strerror(result));
		return -1;
	}
	took(source, result);
	return 0;
}

static ssize_t go_on(struct source *source)
{
	if (source->fd >= 0)
		return took(source, wire_connect_poll(&source->connect));
	if (now_ms() >= source->next_try)
		return took(source, wire_connect_start(&source->connect, &source->address));
	return 0;
}

static ssize_t socket_read(struct source *source, void *data, size_t size)
{
	ssize_t n;

	if (source->state == SOURCE_WAITING)
		go_on(source);
	if (source->state != SOURCE_FLOWING)
		return 0;
	n = wire_receive(source->fd, data, size);
	if (n == -EINTR || n == -EAGAIN)
		return 0;
	if (n < 0)
		source_say(source, "connection to %s lost: %s; what came is shown", source->where,
			   wire_strerror((int)n));
	if (n <= 0)
		source->state = SOURCE_ENDED;
	return n < 0 ? 0 : n;
}

const struct source_kind source_socket = { socket_open, socket_read };
