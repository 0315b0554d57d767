/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A socket as the input of a trace: [HOST]:PORT, tried for a while until somebody listens. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "memview/now.h"
#include "memview/input_kinds.h"
#include "wire/command.h"
#include "wire/stream.h"

#define PATIENCE_MS 10000	/* a target that is just being started comes up in this time */
#define RETRY_MS 200

bool input_is_socket(const char *where)
{
	const char *colon = strrchr(where, ':');

	/* A port that is out of bounds is a mistake in an address, not the name of a file. */
	if (!colon || !colon[1] || strchr(where, '/') || colon[1 + strspn(colon + 1, "0123456789")])
		return false;
	return colon == where || access(where, F_OK) != 0;
}

static ssize_t try_later(struct input *input, int err)
{
	input->fd = -1;
	input->next_try = now_ms() + RETRY_MS;
	if (now_ms() >= input->deadline)
		return input_fail(input, "cannot connect to %s: %s; is memtrack --port running there?",
				   input->where, wire_strerror(err));
	input_say(input, "waiting for %s: %s", input->where, wire_strerror(err));
	return 0;
}

/* result: of wire_connect_start() or wire_connect_poll(). */
static ssize_t took(struct input *input, int result)
{
	if (result == -EINPROGRESS) {
		input->fd = input->connect.fd;
		return 0;
	}
	if (result < 0)
		return try_later(input, result);
	input->fd = result;
	input->state = INPUT_FLOWING;
	input->message[0] = 0;
	return 0;
}

static int socket_open(struct input *input)
{
	int result;

	if (wire_address_parse(input->where, &input->address) < 0 || !input->address.port) {
		input_fail(input, "%s is no address: [HOST]:PORT with a port from 1 to 65535", input->where);
		return -1;
	}
	input->state = INPUT_WAITING;
	input->deadline = now_ms() + PATIENCE_MS;
	result = wire_connect_start(&input->connect, &input->address);
	if (result == -EDESTADDRREQ) {
		input_fail(input, "cannot connect to %s: %s", input->where, wire_strerror(result));
		return -1;
	}
	took(input, result);
	return 0;
}

static ssize_t go_on(struct input *input)
{
	if (input->fd >= 0)
		return took(input, wire_connect_poll(&input->connect));
	if (now_ms() >= input->next_try)
		return took(input, wire_connect_start(&input->connect, &input->address));
	return 0;
}

static ssize_t socket_read(struct input *input, void *data, size_t size)
{
	ssize_t n;

	if (input->state == INPUT_WAITING)
		go_on(input);
	if (input->state != INPUT_FLOWING)
		return 0;
	if (!size)
		return 0;
	n = wire_receive(input->fd, data, size);
	if (n == -EINTR || n == -EAGAIN)
		return 0;
	if (n < 0) {
		input_say(input, "connection to %s lost: %s", input->where, wire_strerror((int)n));
		input->broken = true;
	}
	if (n <= 0)
		input->state = INPUT_ENDED;
	return n < 0 ? 0 : n;
}

/* A few bytes: there is room for them, or something is wrong. */
static int send_all(int fd, const char *data, size_t length)
{
	ssize_t n = send(fd, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);

	return n < 0 ? -errno : (size_t)n == length ? 0 : -EAGAIN;
}

int input_send(struct input *input, const char *greeting, const char *data, size_t length)
{
	int rc = input->state == INPUT_FLOWING && input->fd >= 0 ? 0 : -ENOTCONN;

	if (!rc && !input->greeted)
		rc = send_all(input->fd, greeting, strlen(greeting));
	if (rc)
		return rc;
	input->greeted = true;
	return send_all(input->fd, data, length);
}

bool input_is_near(const struct input *input)
{
	return input->fd >= 0 && wire_command_peer_is_near(input->fd);
}

const struct input_kind input_socket = { socket_open, socket_read };
