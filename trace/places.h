/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where an allocator will probably put the next block, and which block is probably freed next: the
 * same guesses on both sides of an EVENTS record, made from the events before in it.  So most
 * addresses cost a small number, often the same one.  Internal to the codec.
 *
 *	lists	by size: the addresses freed last, newest first - allocators take them in that order
 *	live	the blocks allocated and not freed, newest last - programs free them in that order
 *
 * Invariants
 *  - Nothing here depends on what an address is, so nothing a trace says can do harm: every step
 *    is bounded by the constants below, but for dead entries, each of which is dropped once.
 *  - live holds indices of events of the record; DEAD where one was freed out of order. */
#ifndef TRACE_PLACES_H
#define TRACE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACES_LISTS	128u	/* half for sizes up to 1 KiB, half shared by the larger ones */
#define PLACES_DEPTH	16u	/* addresses in a list */
#define PLACES_LIVE	16384u
#define PLACES_SHIFT	32u	/* blocks younger than one freed close the gap if they are so few */
#define PLACES_DEAD	0xffffu
#define PLACES_NONE	UINT32_MAX

/* How a new block's address is told.  FIRST + 1, FIRST + 2 ...: by its place in its list; FAR + n:
 * it is that of n events before. */
enum place { PLACE_FIRST = 0, PLACE_FREED = 1, PLACE_BEHIND = 2, PLACE_FAR = PLACE_BEHIND + PLACES_DEPTH };

struct places_list {
	uint64_t items[PLACES_DEPTH];	/* items[(head - 1) % DEPTH] is the newest */
	uint32_t head, count;
};

struct places {
	struct places_list lists[PLACES_LISTS];
	uint64_t freed;			/* address freed last */
	uint32_t freed_list;		/* where it went, PLACES_NONE: nowhere */
	uint64_t behind;		/* the end of the newest block that took fresh memory */
	uint64_t newest, released;	/* addresses told before: of no free, of frees told in full */
	uint32_t base, count;		/* live[i] is the block number base + i */
	uint16_t live[PLACES_LIVE];
};

static inline void places_init(struct places *p)
{
	for (unsigned i = 0; i < PLACES_LISTS; i++)
		p->lists[i].head = p->lists[i].count = 0;
	p->freed = p->behind = p->newest = p->released = 0;
	p->freed_list = PLACES_NONE;
	p->base = p->count = 0;
}

/* What glibc takes for a block of that size: its chunk, in units of 16 bytes. */
static inline uint64_t places_units(uint64_t size)
{
	uint64_t units = (size + 8 + 15) >> 4;

	return units < 2 ? 2 : units;
}

static inline uint32_t places_list_of(uint64_t size)
{
	uint64_t units = places_units(size);

	if (units < PLACES_LISTS / 2)
		return (uint32_t)units;
	return PLACES_LISTS / 2 + (uint32_t)(units * 0x9e3779b97f4a7c15ull >> 58);
}

static inline uint64_t places_list_get(const struct places_list *l, uint32_t rank)
{
	return l->items[(l->head - 1 - rank) % PLACES_DEPTH];
}

static inline void places_list_push(struct places_list *l, uint64_t address)
{
	l->items[l->head++ % PLACES_DEPTH] = address;
	l->count += l->count < PLACES_DEPTH;
}

static inline void places_list_take(struct places_list *l, uint32_t rank)
{
	for (; rank; rank--)
		l->items[(l->head - 1 - rank) % PLACES_DEPTH] = l->items[(l->head - rank) % PLACES_DEPTH];
	l->head--;
	l->count--;
}

/* A new address was told as `place`: what follows from it. */
static inline void places_taken(struct places *p, uint64_t place, uint64_t address, uint64_t size)
{
	struct places_list *l = NULL;

	if (place == PLACE_BEHIND || place == PLACE_FAR)
		p->behind = address + 16 * places_units(size);
	else if (place == PLACE_FIRST)
		places_list_take(&p->lists[places_list_of(size)], 0);
	else if (place > PLACE_BEHIND && place < PLACE_FAR)
		places_list_take(&p->lists[places_list_of(size)], (uint32_t)place - PLACE_BEHIND);
	else if (place == PLACE_FREED && p->freed_list != PLACES_NONE)
		l = &p->lists[p->freed_list];
	if (l && l->count && places_list_get(l, 0) == address)
		places_list_take(l, 0);
	p->newest = address;
}

/* Event `index` is a new block; its number, or PLACES_NONE. */
static inline uint32_t places_live(struct places *p, uint32_t index)
{
	if (index >= PLACES_DEAD)
		return PLACES_NONE;
	if (p->count == PLACES_LIVE) {
		p->count /= 2;
		p->base += PLACES_LIVE / 2;
		for (uint32_t i = 0; i < p->count; i++)
			p->live[i] = p->live[i + PLACES_LIVE / 2];
	}
	p->live[p->count] = (uint16_t)index;
	return p->base + p->count++;
}

/* The block at live[at] is freed.  numbers: by event, the block's number, or NULL. */
static inline void places_dead(struct places *p, uint32_t at, uint32_t *numbers)
{
	p->live[at] = PLACES_DEAD;
	for (; p->count - at <= PLACES_SHIFT && at + 1 < p->count; at++) {
		uint16_t index = p->live[at + 1];

		p->live[at] = index;
		p->live[at + 1] = PLACES_DEAD;
		if (numbers && index != PLACES_DEAD)
			numbers[index] = p->base + at;
	}
	while (p->count && p->live[p->count - 1] == PLACES_DEAD)
		p->count--;
}

/* A block was freed whose allocation is known, or (list PLACES_NONE) is not. */
static inline void places_freed(struct places *p, uint64_t address, uint32_t list)
{
	if (list != PLACES_NONE)
		places_list_push(&p->lists[list], address);
	p->freed = address;
	p->freed_list = list;
}

#endif
