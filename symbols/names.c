/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interned names; demangling happens when a readable name is first asked for. */
#include "symbols/names.h"

#include "base/alloc.h"
#include "base/intern.h"
#include "base/vector.h"
#include "symbols/demangle.h"

#include <stdio.h>
#include <string.h>

struct names {
	struct intern *raw;
	VECTOR(char *) readable;	/* by id - 1; NULL: not asked for yet */
	size_t bytes;
	char scratch[DEMANGLE_OUTPUT_MAX + 1];
};

/* Stands in readable for "the same as raw". */
static char same[1];

struct names *names_new(void)
{
	struct names *n = xcalloc(1, sizeof(*n));

	n->raw = intern_new();
	return n;
}

void names_free(struct names *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->readable.count; i++)
		if (n->readable.items[i] != same)
			free(n->readable.items[i]);
	vector_release(&n->readable);
	intern_free(n->raw);
	free(n);
}

uint32_t names_put(struct names *n, const char *raw)
{
	size_t len = raw ? strnlen(raw, NAME_LENGTH_MAX + 1) : 0;
	uint32_t id;

	if (len == 0 || len > NAME_LENGTH_MAX)
		return 0;
	id = intern_put(n->raw, raw, len);
	if (id > n->readable.count) {
		vector_resize(&n->readable, id);
		n->bytes += len + 64;
	}
	return id;
}

uint32_t names_put_path(struct names *n, const char *dir, const char *path)
{
	int len;

	if (!path || path[0] == '/' || !dir)
		return names_put(n, path);
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	len = snprintf(n->scratch, sizeof(n->scratch), "%s/%s", dir, path);
	return names_put(n, len > 0 && (size_t)len < sizeof(n->scratch) ? n->scratch : path);
}

const char *names_raw(struct names *n, uint32_t id)
{
	return id ? intern_text(n->raw, id, NULL) : NULL;
}

const char *names_readable(struct names *n, uint32_t id)
{
	const char *raw = names_raw(n, id);
	char **slot;

	if (!raw)
		return NULL;
	slot = &n->readable.items[id - 1];
	if (!*slot) {
		*slot = same;
		if (demangle(raw, n->scratch, sizeof(n->scratch))) {
			*slot = xstrdup(n->scratch);
			n->bytes += strlen(*slot) + 16;
		}
	}
	return *slot == same ? raw : *slot;
}

bool names_mangled(struct names *n, uint32_t id)
{
	return id && names_readable(n, id) != names_raw(n, id);
}

size_t names_bytes(const struct names *n)
{
	return n->bytes;
}
