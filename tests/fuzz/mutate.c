/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deterministic mutations, for machines without a fuzzer. */
#include "tests/fuzz/mutate.h"

#include <string.h>

#define CHANGES_MAX	5u
#define PIECE_MAX	64u

static uint64_t draw(uint64_t *seed, uint64_t below)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return below ? (*seed >> 33) % below : 0;
}

static size_t piece(uint64_t *seed, size_t most)
{
	return (size_t)draw(seed, (most < PIECE_MAX ? most : PIECE_MAX) + 1);
}

static void set_number(uint8_t *at, size_t left, uint64_t *seed)
{
	static const uint64_t numbers[] = {
		0, 1, 127, 128, 255, 4096, 65535, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, 1ull << 48, 10, 0x80,
	};
	uint64_t number = numbers[draw(seed, sizeof(numbers) / sizeof(numbers[0]))];
	size_t width = (size_t)1 << draw(seed, 4);

	memcpy(at, &number, width < left ? width : left);
}

static size_t insert(uint8_t *data, size_t size, size_t room, size_t at, const uint8_t *from, size_t length)
{
	if (length > room - size)
		length = room - size;
	memmove(data + at + length, data + at, size - at);
	memcpy(data + at, from, length);
	return size + length;
}

static size_t cut(uint8_t *data, size_t size, size_t at, size_t length)
{
	memmove(data + at, data + at + length, size - at - length);
	return size - length;
}

static size_t change(uint8_t *data, size_t size, size_t room, const uint8_t *other, size_t other_size, uint64_t *seed)
{
	size_t at = (size_t)draw(seed, size), from = (size_t)draw(seed, other_size);
	uint8_t copy[PIECE_MAX];
	size_t length;

	switch (draw(seed, 7)) {
	case 0:
		data[at] ^= (uint8_t)(1u << draw(seed, 8));
		return size;
	case 1:
		data[at] = (uint8_t)draw(seed, 256);
		return size;
	case 2:
		set_number(data + at, size - at, seed);
		return size;
	case 3:
		return cut(data, size, at, piece(seed, size - at));
	case 4:		/* a piece of itself, again */
		length = piece(seed, size - at);
		memcpy(copy, data + at, length);
		return insert(data, size, room, (size_t)draw(seed, size), copy, length);
	case 5:
		return insert(data, size, room, at, other + from, piece(seed, other_size - from));
	default:	/* the end of the other */
		length = other_size - from < room - at ? other_size - from : room - at;
		memcpy(data + at, other + from, length);
		return at + length;
	}
}

size_t mutate(uint8_t *data, size_t size, size_t room, const uint8_t *other, size_t other_size, uint64_t *seed)
{
	for (uint64_t n = 1 + draw(seed, CHANGES_MAX); n > 0; n--) {
		if (!size && room)
			data[size++] = (uint8_t)draw(seed, 256);
		size = change(data, size, room, other, other_size, seed);
	}
	return size;
}
