/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Substring lists. */
#include "hook/names.h"

#include <stddef.h>

#include "hook/memory.h"

static bool contains(const char *name, const char *part, size_t length)
{
	size_t n = hook_strlen(name);

	for (size_t i = 0; i + length <= n; i++) {
		if (memcmp(name + i, part, length) == 0)
			return true;
	}
	return false;
}

bool names_match(const char *list, const char *name)
{
	if (!*list)
		return true;
	while (*list) {
		size_t n = 0;

		while (list[n] && list[n] != ',')
			n++;
		if (n && contains(name, list, n))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}
