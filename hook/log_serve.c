/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The server of MEMTRACK_PORT. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <sys/socket.h>

#include "hook/log_open.h"
#include "hook/memory.h"
#include "hook/raw.h"

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static bool same_text(const char *a, size_t n, const char *b)
{
	return hook_strlen(b) == n && memcmp(a, b, n) == 0;
}

/* Decimal, at most `most`; moves *at behind it. */
static bool take_number(const char **at, const char *end, unsigned most, unsigned *value)
{
	const char *from = *at;

	for (*value = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		*value = *value * 10 + (unsigned)(**at - '0');
		if (*value > most)
			return false;
	}
	return *at > from;
}

static bool parse_v4(const char *at, const char *end, uint8_t bytes[4])
{
	unsigned value;

	for (int i = 0; i < 4; i++) {
		if (i && (at == end || *at++ != '.'))
			return false;
		if (!take_number(&at, end, 255, &value))
			return false;
		bytes[i] = (uint8_t)value;
	}
	return at == end;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Groups up to "::" or the end; returns how many, -1 if they are none. */
static int take_groups(const char **at, const char *end, uint8_t *bytes)
{
	int groups = 0;

	while (*at < end && **at != ':') {
		unsigned value = 0, digits = 0;

		for (; *at < end && hex_digit(**at) >= 0 && digits < 4; ++*at, digits++)
			value = value * 16 + (unsigned)hex_digit(**at);
		if (!digits || groups == 8)
			return -1;
		bytes[2 * groups] = (uint8_t)(value >> 8);
		bytes[2 * groups + 1] = (uint8_t)value;
		groups++;
		if (*at == end)
			break;
		if (**at != ':')
			return -1;
		if (end - *at >= 2 && (*at)[1] != ':')
			++*at;
		else if (end - *at < 2)
			return -1;
	}
	return groups;
}

static bool parse_v6(const char *at, const char *end, uint8_t bytes[16])
{
	uint8_t tail[16];
	int head, rest;

	memset(bytes, 0, 16);
	head = take_groups(&at, end, bytes);
	if (head < 0 || at == end)
		return head == 8;
	if (end - at < 2 || at[0] != ':' || at[1] != ':')
		return false;
	at += 2;
	rest = take_groups(&at, end, tail);
	if (rest < 0 || at != end || head + rest > 7)
		return false;
	memcpy(bytes + 16 - 2 * rest, tail, (size_t)(2 * rest));
	return true;
}

static bool parse_host(const char *host, const char *end, union address *a, socklen_t *size)
{
	size_t n = (size_t)(end - host);

	if (n >= 2 && host[0] == '[' && end[-1] == ']') {
		a->v6.sin6_family = AF_INET6;
		*size = sizeof a->v6;
		return parse_v6(host + 1, end - 1, a->v6.sin6_addr.s6_addr);
	}
	a->v4.sin_family = AF_INET;
	*size = sizeof a->v4;
	if (!n || same_text(host, n, "localhost"))
		return parse_host("127.0.0.1", &"127.0.0.1"[9], a, size);
	if (same_text(host, n, "*"))
		return true;
	return parse_v4(host, end, (uint8_t *)&a->v4.sin_addr);
}

static bool parse_address(const char *text, union address *a, socklen_t *size)
{
	const char *end = text + hook_strlen(text), *port = end, *host_end;
	unsigned value;

	memset(a, 0, sizeof *a);
	while (port > text && port[-1] >= '0' && port[-1] <= '9')
		port--;
	host_end = port > text ? port - 1 : text;
	if (port > text && *host_end != ':')
		return false;
	if (!take_number(&port, end, 65535, &value) || !value || !parse_host(text, host_end, a, size))
		return false;
	a->v4.sin_port = (uint16_t)(value >> 8 | value << 8);	/* the same place in both */
	return true;
}

static long listen_on(const union address *a, socklen_t size)
{
	long fd = raw_call(RAW_NR_socket, a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0, 0, 0), r;
	int one = 1;

	if (fd < 0)
		return fd;
	raw_call(RAW_NR_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	r = raw_call(RAW_NR_bind, fd, a, size, 0, 0);
	if (!r)
		r = raw_call(RAW_NR_listen, fd, 1, 0, 0, 0);
	if (!r)
		return fd;
	raw_call(RAW_NR_close, fd, 0, 0, 0, 0);
	return r;
}

/* Who hung up before we looked does not count. */
static long accept_one(long listener)
{
	int one = 1;
	long fd;

	do {
		fd = raw_call(RAW_NR_accept4, listener, NULL, NULL, SOCK_CLOEXEC, 0);
	} while (fd == -EINTR || fd == -ECONNABORTED);
	if (fd >= 0)
		raw_call(RAW_NR_setsockopt, fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return fd;
}

long log_serve(const char *text)
{
	union address address;
	socklen_t size = 0;
	long listener, fd;

	if (!parse_address(text, &address, &size))
		return -EINVAL;
	listener = listen_on(&address, size);
	if (listener < 0)
		return listener;
	fd = accept_one(listener);
	raw_call(RAW_NR_close, listener, 0, 0, 0, 0);
	return fd;
}
