/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packed resident pages: they come back as they went in, and no damaged ones do harm. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "trace/decode.h"
#include "trace/resident.h"

#define PAGES	2000u

static uint64_t seed = 88172645463325252ull;

static uint64_t random_next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* Pages: 0 in no mapping, 1 absent, 2 present, and 4 where a mapping begins. */
static void random_pages(uint8_t *pages)
{
	uint8_t kind = 0;

	for (size_t i = 0; i < PAGES; i++) {
		uint8_t last = kind;

		if (random_next() % 5 == 0)
			kind = (uint8_t)(random_next() % 3);
		pages[i] = kind;
		if (kind && (!last || random_next() % 40 == 0))
			pages[i] |= 4;
	}
}

static size_t pack(const uint8_t *pages, uint8_t *bytes, size_t capacity, uint64_t *count)
{
	struct trace_out out = { bytes, 0, capacity };
	struct resident_pack p = { .out = &out };

	for (size_t i = 0; i < PAGES; i++) {
		if (pages[i] & 4) {
			struct resident_map map = { .first = i, .pages = 1, .flags = i % 2 };

			while (i + map.pages < PAGES && pages[i + map.pages] && !(pages[i + map.pages] & 4))
				map.pages++;
			resident_pack_map(&p, &map);
		}
		if (pages[i])
			resident_pack_run(&p, (pages[i] & 3) == 2, 1);
		if (pages[i] && (i + 1 == PAGES || !pages[i + 1] || pages[i + 1] & 4))
			resident_pack_end(&p);
	}
	*count = p.count;
	return p.full ? 0 : out.length;
}

/* Reads them back; returns what the walk said last. */
static int unpack(const uint8_t *bytes, size_t length, uint64_t count, uint8_t *pages)
{
	struct trace_resident r = { .count = count, .packed = { (const char *)bytes, length } };
	struct resident_map map;
	struct resident_walk w;
	uint64_t first, run;
	int got, in = 0;

	resident_walk_init(&w, &r);
	memset(pages, 0, PAGES);
	while ((got = resident_walk_map(&w, &map)) == 1) {
		for (uint64_t i = 0; i < map.pages && map.first + i < PAGES; i++)
			pages[map.first + i] = 1;
		while ((in = resident_walk_run(&w, &first, &run)) == 1)
			for (uint64_t i = 0; i < run && first + i < PAGES; i++)
				pages[first + i] = 2;
		if (map.first < PAGES)
			pages[map.first] |= (map.flags == map.first % 2) ? 4 : 8;
		if (in < 0)
			return in;
	}
	return got;
}

static void test_round_trip(void)
{
	uint8_t in[PAGES], out[PAGES], bytes[8 * PAGES];
	unsigned good = 0, rounds = 200;

	for (unsigned i = 0; i < rounds; i++) {
		uint64_t count;
		size_t length;

		random_pages(in);
		length = pack(in, bytes, sizeof(bytes), &count);
		good += length && unpack(bytes, length, count, out) == 0 && !memcmp(in, out, PAGES);
	}
	ok(good == rounds, "%u of %u address spaces come back", good, rounds);
}

static void test_full(void)
{
	uint8_t in[PAGES], bytes[64];
	uint64_t count;

	random_pages(in);
	ok(!pack(in, bytes, sizeof(bytes), &count), "what does not fit is told");
}

/* From blocks that end where the bytes do, for a sanitizer. */
static void test_damage(void)
{
	uint8_t in[PAGES], out[PAGES], bytes[8 * PAGES];
	unsigned refused = 0;

	for (unsigned i = 0; i < 2000; i++) {
		uint64_t count;
		uint8_t *exact;
		size_t length;

		random_pages(in);
		length = pack(in, bytes, sizeof(bytes), &count);
		if (i % 2)
			bytes[random_next() % length] = (uint8_t)random_next();
		else
			length = random_next() % length;
		exact = malloc(length ? length : 1);
		memcpy(exact, bytes, length);
		refused += unpack(exact, length, count, out) == -EBADMSG;
		free(exact);
	}
	ok(refused > 900, "damage is found: %u times", refused);
}

int main(void)
{
	test_round_trip();
	test_full();
	test_damage();
	return done_testing();
}
