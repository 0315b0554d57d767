/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Addresses as people write them: what is taken can be written, and is taken again. */
#include "tests/fuzz/target.h"

#include <string.h>

#include "base/alloc.h"
#include "wire/address.h"

enum { PORTS, HOSTS, BRACKETS, REFUSED, MARKS };

static struct fuzz_mark marks[MARKS + 1] = {
	[PORTS] = { "a port alone", 0 }, [HOSTS] = { "a host", 0 }, [BRACKETS] = { "brackets", 0 },
	[REFUSED] = { "what is no address", 0 },
};

static void run(const uint8_t *data, size_t size)
{
	char *text = xmalloc(size + 1), written[WIRE_TEXT_MAX], again[WIRE_TEXT_MAX];
	struct wire_address address, copy;

	memcpy(text, data, size);
	text[size] = '\0';
	wire_address_likely(text);
	if (wire_address_parse(text, &address) == 0) {
		fuzz_rule(memchr(address.host, 0, sizeof(address.host)) != NULL);
		wire_address_format(&address, written, sizeof(written));
		fuzz_rule(wire_address_parse(written, &copy) == 0 && copy.port == address.port);
		wire_address_format(&copy, again, sizeof(again));
		fuzz_rule(!strcmp(written, again));
		marks[*address.host ? HOSTS : PORTS].count++;
		marks[BRACKETS].count += *text == '[';
	} else {
		marks[REFUSED].count++;
	}
	free(text);
}

const struct fuzz_target fuzz_address = { "address", marks, NULL, run };
