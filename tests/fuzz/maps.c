/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/PID/maps, whose names are the target's, and mangled names. */
#include "tests/fuzz/target.h"

#include <string.h>

#include "base/alloc.h"
#include "symbols/demangle.h"
#include "symbols/maps.h"

enum { MAPPINGS, DELETED, OBJECTS, DEMANGLED, MARKS };

static struct fuzz_mark marks[MARKS + 1] = {
	[MAPPINGS] = { "mappings", 0 }, [DELETED] = { "a deleted file", 0 }, [OBJECTS] = { "objects", 0 },
	[DEMANGLED] = { "readable names", 0 },
};

static void check_maps(const struct maps *maps)
{
	size_t first, last;

	for (size_t i = 0; i < maps->count; i++) {
		const struct map_entry *e = &maps->items[i];

		fuzz_rule(e->start < e->end && (!i || maps->items[i - 1].end <= e->start));
		fuzz_rule(e->name && strlen(e->name) < 1u << 20);
		fuzz_rule(maps_find(maps, e->start) == e && maps_find(maps, e->end - 1) == e);
		marks[DELETED].count += e->deleted;
		if (maps_object(maps, e->start, &first, &last)) {
			fuzz_rule(first <= i && i <= last && last < maps->count);
			marks[OBJECTS].count++;
		}
	}
	marks[MAPPINGS].count += maps->count;
}

static void check_name(const char *name)
{
	char out[DEMANGLE_OUTPUT_MAX + 1], cut[20];

	memset(cut, 'x', sizeof(cut));
	if (demangle(name, out, sizeof(out)))
		marks[DEMANGLED].count++;
	fuzz_rule(memchr(out, 0, sizeof(out)) != NULL);
	demangle(name, cut, sizeof(cut));
	fuzz_rule(memchr(cut, 0, sizeof(cut)) != NULL);
}

static void run(const uint8_t *data, size_t size)
{
	struct maps maps;
	char *name;

	if (maps_parse((const char *)data, size, &maps) == 0) {
		check_maps(&maps);
		maps_release(&maps);
	}
	name = xstrndup((const char *)data, size);
	check_name(name);
	free(name);
}

const struct fuzz_target fuzz_maps = { "maps", marks, NULL, run };
