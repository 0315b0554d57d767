/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Network addresses as people write them: [HOST]:PORT. */
#ifndef WIRE_ADDRESS_H
#define WIRE_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define WIRE_HOST_MAX	256u
#define WIRE_TEXT_MAX	(WIRE_HOST_MAX + 16u)
#define WIRE_PLACES_MAX	8u	/* addresses of one host that are tried */

struct wire_address {
	char host[WIRE_HOST_MAX];	/* name or number; "" is loopback, "*" all interfaces */
	uint16_t port;			/* 0: any free one (listening only) */
};

/* "PORT", ":PORT", "HOST:PORT", "1.2.3.4:PORT", "[::1]:PORT", "*:PORT"; a port is 0 to 65535.
 * 0 or -EINVAL. */
int wire_address_parse(const char *text, struct wire_address *address);

/* True for "[HOST]:PORT" with the colon, so that a viewer's operand is no file name. */
bool wire_address_likely(const char *text);

/* As it is written, with the loopback's number for no host: "127.0.0.1:8080", "[::1]:8080". */
char *wire_address_format(const struct wire_address *address, char *out, size_t size);

/* What a host means to the system.  May ask a name server, and so wait, when it is a name. */
struct wire_place {
	struct sockaddr_storage address;
	socklen_t length;
};

/* The places, best first: how many (1 .. max), or -EDESTADDRREQ for a host that does not exist,
 * -EAGAIN when names cannot be resolved now. */
int wire_address_resolve(const struct wire_address *address, bool to_listen,
			 struct wire_place *places, size_t max);

/* An error of wire/ in words; as strerror(), with words of its own for -EDESTADDRREQ. */
const char *wire_strerror(int err);

#endif
