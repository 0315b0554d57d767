/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shadow table's memory. */
#include "hook/shadow.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/resource.h>

#include "hook/memory.h"
#include "hook/raw.h"

#define LEAVES_MAX	256u	/* 16 GiB of heap */
#define LEAVES_MIN	4u
#define WIDE_MAX	16u
#define TOP_BYTES	(sizeof(uint16_t) << (SHADOW_ADDRESS_BITS - SHADOW_UNIT_BITS))

struct shadow shadow;

static uint64_t address_space(void)
{
	struct rlimit limit = { 0, 0 };

	if (raw_call(RAW_NR_prlimit64, 0, RLIMIT_AS, NULL, &limit, 0))
		return UINT64_MAX;
	return limit.rlim_cur;
}

/* One mapping, the top table first: a smaller one where the address space is limited, most of which
 * is for the program. */
bool shadow_init(void)
{
	uint64_t least = TOP_BYTES + ((uint64_t)LEAVES_MIN << SHADOW_LEAF_BITS), room = address_space() / 16;
	char *memory = NULL;
	uint32_t count = LEAVES_MAX;

	if (room < least)
		room = least;
	for (; count >= LEAVES_MIN; count /= 2) {
		uint64_t bytes = TOP_BYTES + ((uint64_t)count << SHADOW_LEAF_BITS);

		if (bytes <= room)
			memory = hook_reserve(bytes);
		if (memory)
			break;
	}
	if (!memory)
		return false;
	shadow.leaves = (uint8_t *)memory + TOP_BYTES;
	shadow.count = count;
	shadow.top = (uint16_t *)memory;
	return true;
}

uint64_t shadow_bytes(void)
{
	return shadow.top ? TOP_BYTES + ((uint64_t)shadow.count << SHADOW_LEAF_BITS) : 0;
}

void shadow_forget(void)
{
	hook_clear(shadow.top, shadow_bytes());
	shadow.used = shadow.wide = shadow.odd = 0;
}

void shadow_widen(uintptr_t address)
{
	uint64_t first = address >> SHADOW_UNIT_BITS;
	uint32_t count = shadow.count / 2 < WIDE_MAX ? shadow.count / 2 : WIDE_MAX;

	if (!shadow.top || shadow.used || address >> SHADOW_ADDRESS_BITS)
		return;
	for (uint32_t i = 0; i < count && first + i < 1u << (SHADOW_ADDRESS_BITS - SHADOW_UNIT_BITS); i++)
		shadow.top[first + i] = (uint16_t)(i + 1);
	shadow.wide = count;
	shadow.used = count;
}

uint32_t shadow_grow(uintptr_t address)
{
	_Atomic uint16_t *entry = (_Atomic uint16_t *)&shadow.top[address >> SHADOW_UNIT_BITS];
	uint16_t now = 0;
	uint32_t leaf;

	if (atomic_load(entry) == SHADOW_NONE)
		return 0;
	leaf = shadow.used < shadow.count ? atomic_fetch_add(&shadow.used, 1) + 1 : SHADOW_NONE;
	if (leaf > shadow.count)
		leaf = SHADOW_NONE;
	/* Whoever loses this race wastes a leaf: address space, no memory. */
	if (!atomic_compare_exchange_strong(entry, &now, (uint16_t)leaf))
		leaf = now;
	return leaf == SHADOW_NONE ? 0 : leaf;
}

void shadow_put_first(const void *block, unsigned state)
{
	struct shadow_place place = shadow_place((uintptr_t)block);

	if (place.byte)
		*place.byte = (uint8_t)(state | place.half);
	else if (((uintptr_t)block & 15) && !shadow.odd)
		shadow.odd = 1;
}
