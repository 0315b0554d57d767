/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where in the target an area can be mapped. */
#include "inject/patch_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LOWEST		0x10000ull		/* vm.mmap_min_addr, as it is anywhere */
#define HIGHEST		0x7ffffffff000ull
#define HEAP_ROOM	(16ull << 30)		/* that the program break may want */

/* Where the program break starts; 0: not known. */
static uint64_t break_start(pid_t pid)
{
	char path[32], text[2048], *at;
	uint64_t value = 0;
	size_t length;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	length = fread(text, 1, sizeof(text) - 1, f);
	text[length] = '\0';
	fclose(f);
	at = strrchr(text, ')');
	for (int field = 2; at && field < 47; field++)
		at = strchr(at + 1, ' ');
	if (at)
		sscanf(at, "%" SCNu64, &value);
	return value;
}

static bool is_taken(const struct patch_areas *taken, uint64_t base)
{
	for (size_t i = 0; i < taken->count; i++)
		if (base < taken->items[i].base + AREA_BYTES && taken->items[i].base < base + AREA_BYTES)
			return true;
	return false;
}

bool area_reaches(uint64_t base, uint64_t low, uint64_t high)
{
	return code_reaches(base, low) && code_reaches(base + AREA_BYTES, low) &&
	       code_reaches(base, high) && code_reaches(base + AREA_BYTES, high);
}

/* The mapping that ends where a gap begins, and the one that begins where it ends. */
static bool may_grow_into(const struct map_entry *below, const struct map_entry *above, uint64_t brk,
			  uint64_t base)
{
	uint64_t bottom = below ? below->end : 0;

	if (strncmp(above->name, "[stack", 6) == 0)
		return true;
	if (below && strcmp(below->name, "[heap]") == 0 && base - bottom < HEAP_ROOM)
		return true;
	return brk >= bottom && brk < above->start && base - brk < HEAP_ROOM;
}

uint64_t patch_room(struct injection *in, const struct maps *maps, const struct patch_areas *taken, uint64_t low,
		    uint64_t high)
{
	uint64_t brk = break_start(injection_proc(in)), best = 0, best_distance = UINT64_MAX;

	for (size_t i = 0; i < maps->count; i++) {
		const struct map_entry *above = &maps->items[i], *below = i ? above - 1 : NULL;
		uint64_t bottom = below ? below->end : LOWEST, base = above->start - AREA_BYTES, distance;

		while (base < above->start && is_taken(taken, base))
			base -= AREA_BYTES;
		if (above->start > HIGHEST || base >= above->start || base < bottom || base < LOWEST ||
		    (high && !area_reaches(base, low, high)) || may_grow_into(below, above, brk, base))
			continue;
		distance = base > low ? base - low : low - base;
		if (distance < best_distance) {
			best_distance = distance;
			best = base;
		}
	}
	return best;
}
