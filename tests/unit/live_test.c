/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of live blocks against a plain map, while it grows and blocks come and go. */
#include "tests/tap.h"

#include "base/map.h"
#include "model/live.h"

#define ROUNDS	400000u

static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % below;
}

struct both {
	struct live_table live;
	struct map map;
	unsigned wrong, moving, old_found;
};

static void place(struct both *b, uint64_t ptr)
{
	bool found, created;
	uint64_t *value = map_place(&b->map, ptr, &created);
	struct live_block *block = live_place(&b->live, ptr, &found);

	b->wrong += found == created || block->ptr != ptr || (found && block->size != *value);
	block->size = *value = draw(1000);
	b->moving += b->live.old != NULL;
}

static void take(struct both *b, uint64_t ptr)
{
	struct live_block *block = live_find(&b->live, ptr);
	uint64_t value = 0;
	bool there = map_remove(&b->map, ptr, &value);

	b->wrong += !block == there || (block && block->size != value);
	b->old_found += block && b->live.old && block >= b->live.old && block <= b->live.old + b->live.old_mask;
	if (block)
		live_remove(&b->live, block);
}

static void compare(struct both *b, const char *what)
{
	uint64_t key, value;
	size_t at = 0, there = 0, walked = 0, slots;

	while (map_each(&b->map, &at, &key, &value)) {
		const struct live_block *block = live_find(&b->live, key);

		b->wrong += !block || block->size != value;
	}
	is_int(b->live.count, map_count(&b->map), "%s: as many blocks", what);
	is_int(b->wrong, 0, "%s: the same ones", what);
	while (!live_walked(&b->live, walked))
		for (slots = 1 + draw(50); live_walk(&b->live, &walked, &slots);)
			there++;
	is_int(there, b->live.count, "%s: a walk in pieces meets each once", what);
}

/* addresses: of which blocks are; many: few are alive twice, few: nearly all. */
static void test(uint64_t addresses, unsigned takes, const char *what)
{
	struct both b = { 0 };

	live_init(&b.live);
	map_init(&b.map);
	for (unsigned i = 0; i < ROUNDS; i++) {
		place(&b, 16 * (1 + draw(addresses)));
		for (unsigned k = 0; k < takes; k++)
			take(&b, 16 * (1 + draw(addresses)));
	}
	compare(&b, what);
	ok(b.moving > 100 && (!takes || b.old_found > 10), "%s: blocks were on the move (%u, %u)", what, b.moving,
	   b.old_found);
	live_clear(&b.live);
	map_clear(&b.map);
	place(&b, 16);
	compare(&b, "cleared");
	live_release(&b.live);
	map_release(&b.map);
}

int main(void)
{
	test(1u << 30, 0, "only more");
	test(300000, 1, "come and go");
	test(90000, 1, "few addresses");
	return done_testing();
}
