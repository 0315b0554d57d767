/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reaching a launcher that serves a trace. */
#include "wire/connect.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "wire/stream.h"

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int begin(struct wire_connect *c, const struct wire_place *place)
{
	int err;

	c->fd = socket(place->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (c->fd < 0)
		return -errno;
	c->deadline = now_ms() + WIRE_CONNECT_MS;
	if (connect(c->fd, (const struct sockaddr *)&place->address, place->length) == 0)
		return 0;
	if (errno == EINPROGRESS || errno == EINTR)
		return -EINPROGRESS;
	err = -errno;
	wire_connect_cancel(c);
	return err;
}

static int finish(struct wire_connect *c)
{
	int fd = c->fd;

	c->fd = -1;
	wire_tune(fd);
	return fd;
}

/* Tries the places that are left; err is the failure of the one before. */
static int try_next(struct wire_connect *c, int err)
{
	while (c->next < c->count) {
		err = begin(c, &c->places[c->next++]);
		if (err == 0)
			return finish(c);
		if (err == -EINPROGRESS)
			return err;
	}
	return err;
}

int wire_connect_start(struct wire_connect *c, const struct wire_address *address)
{
	c->fd = -1;
	c->next = 0;
	c->count = address->port ? wire_address_resolve(address, false, c->places, WIRE_PLACES_MAX) :
				   -EADDRNOTAVAIL;
	return c->count < 0 ? c->count : try_next(c, -EHOSTUNREACH);
}

/* 0 when the socket is connected, -EINPROGRESS, or why not. */
static int outcome(const struct wire_connect *c)
{
	struct pollfd p = { c->fd, POLLOUT, 0 };
	socklen_t length = sizeof(int);
	int err = 0;

	if (poll(&p, 1, 0) <= 0)
		return now_ms() < c->deadline ? -EINPROGRESS : -ETIMEDOUT;
	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &err, &length) < 0)
		return -errno;
	return -err;
}

int wire_connect_poll(struct wire_connect *c)
{
	int err = outcome(c);

	if (err == -EINPROGRESS)
		return err;
	if (err == 0)
		return finish(c);
	wire_connect_cancel(c);
	return try_next(c, err);
}

int wire_connect_wait(const struct wire_connect *c)
{
	int64_t left = c->deadline - now_ms();

	return left > 0 ? (int)left : 0;
}

void wire_connect_cancel(struct wire_connect *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

int wire_connect(const struct wire_address *address, int timeout_ms)
{
	int64_t end = now_ms() + timeout_ms;
	struct wire_connect c;
	int err = wire_connect_start(&c, address);

	while (err == -EINPROGRESS) {
		struct pollfd p = { c.fd, POLLOUT, 0 };
		int64_t left = end - now_ms();
		int wait = wire_connect_wait(&c);

		if (left <= 0) {
			wire_connect_cancel(&c);
			return -ETIMEDOUT;
		}
		poll(&p, 1, left < wait ? (int)left : wait);
		err = wire_connect_poll(&c);
	}
	return err;
}
