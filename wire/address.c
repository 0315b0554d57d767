/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Network addresses as people write them. */
#include "wire/address.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Where the host ends and what port follows; host is "" when there is none. */
static int split(const char *text, const char **host, size_t *length, const char **port)
{
	const char *colon = strrchr(text, ':');

	*host = text;
	if (text[0] == '[') {
		const char *close = strchr(text, ']');

		if (!close || close[1] != ':')
			return -EINVAL;
		*host = text + 1;
		*length = (size_t)(close - *host);
		*port = close + 2;
		return *length ? 0 : -EINVAL;
	}
	*length = colon ? (size_t)(colon - text) : 0;
	*port = colon ? colon + 1 : text;
	/* A bare IPv6 number is ambiguous: "::1:80". */
	return memchr(text, ':', *length) ? -EINVAL : 0;
}

int wire_address_parse(const char *text, struct wire_address *address)
{
	const char *host, *port;
	size_t length;
	uint64_t number;

	if (split(text, &host, &length, &port) || length >= sizeof(address->host))
		return -EINVAL;
	if (strlen(port) > 5 || strspn(port, "0123456789") != strlen(port) ||
	    parse_number(port, &number) || number > UINT16_MAX)
		return -EINVAL;
	for (size_t i = 0; i < length; i++) {
		if ((unsigned char)host[i] <= ' ' || host[i] == 0x7f || strchr("/[]", host[i]))
			return -EINVAL;
	}
	memcpy(address->host, host, length);
	address->host[length] = '\0';
	address->port = (uint16_t)number;
	return 0;
}

bool wire_address_likely(const char *text)
{
	struct wire_address address;

	return strchr(text, ':') && wire_address_parse(text, &address) == 0;
}

char *wire_address_format(const struct wire_address *address, char *out, size_t size)
{
	const char *host = *address->host ? address->host : "127.0.0.1";

	snprintf(out, size, strchr(host, ':') ? "[%s]:%u" : "%s:%u", host, address->port);
	return out;
}

static int resolve_error(int err)
{
	switch (err) {
	case EAI_AGAIN:
		return -EAGAIN;
	case EAI_MEMORY:
		return -ENOMEM;
	case EAI_SYSTEM:
		return -errno;
	default:
		return -EDESTADDRREQ;
	}
}

int wire_address_resolve(const struct wire_address *address, bool to_listen,
			 struct wire_place *places, size_t max)
{
	bool any = !strcmp(address->host, "*");
	struct addrinfo hints = {
		.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | (any && to_listen ? AI_PASSIVE : 0),
	};
	const char *host = *address->host && !any ? address->host : NULL;
	struct addrinfo *found;
	char port[8];
	int count = 0, err;

	snprintf(port, sizeof(port), "%u", address->port);
	/* Without a host getaddrinfo would put ::1 first; loopback means 127.0.0.1 here. */
	if (!host && !any)
		host = "127.0.0.1";
	err = getaddrinfo(host, port, &hints, &found);
	if (err)
		return resolve_error(err);
	for (const struct addrinfo *i = found; i && (size_t)count < max; i = i->ai_next) {
		if (i->ai_addrlen > sizeof(places->address))
			continue;
		memcpy(&places[count].address, i->ai_addr, i->ai_addrlen);
		places[count++].length = i->ai_addrlen;
	}
	freeaddrinfo(found);
	return count ? count : -EDESTADDRREQ;
}

const char *wire_strerror(int err)
{
	if (err == -EDESTADDRREQ)
		return "no such host";
	return strerror(err < 0 ? -err : err);
}
