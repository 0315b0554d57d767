/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the hook knows about each block by its address: a byte for every 16 bytes of heap.
 *
 *   top[address >> 26]  -> leaf, 1 .. count; 0: nothing there yet; NONE: the pool is used up
 *   leaf[address >> 4 & 0x3fffff]  -> LIVE or FREED, ASIDE, family
 *
 * It tells a wrong release before the allocator sees it, and which blocks were left out of the
 * recording (small, not sampled, part of another call), so that their releases are left out too.
 * The memory is private, reserved at the start and costs the pages that get used: 1/16 of the
 * heap's span.  Addresses for which there is no leaf are untold; so are those that are no multiple
 * of 16, once a block had such a one: before, they are known to be no block's.  Nor is what lies
 * beyond the address space.
 *
 * A byte belongs to whoever owns the block: it is set after the real allocation and before the
 * real release, so two threads never meet at one. */
#ifndef HOOK_SHADOW_H
#define HOOK_SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/raw.h"
#include "trace/functions.h"

#define SHADOW_LIVE	0x80u
#define SHADOW_FREED	0x40u
#define SHADOW_ASIDE	0x20u	/* live, but its allocation is not in the trace */
#define SHADOW_UNTOLD	0x10u	/* nothing is known about this address */
#define SHADOW_HALF	0x08u	/* in a wide leaf: the upper one of the two addresses */
#define SHADOW_FAMILY	0x07u	/* enum op_family */
#define SHADOW_HALF_BIT	3u

#define SHADOW_UNIT_BITS	26u	/* what a leaf covers: 64 MiB, the size of an arena's heap */
#define SHADOW_LEAF_BITS	22u
#define SHADOW_ADDRESS_BITS	RAW_ADDRESS_BITS
#define SHADOW_NONE		0xffffu

struct shadow {
	uint16_t *top;		/* NULL: there is no table */
	uint8_t *leaves;
	uint32_t count;
	_Atomic uint32_t used;
	uint32_t wide;		/* leaves 1 .. wide have a byte for 32 bytes */
	uint32_t odd;		/* an allocator here returns addresses that are no multiple of 16 */
};

extern struct shadow shadow __attribute__((visibility("hidden")));

/* Start-up only. False: no memory for it. */
bool shadow_init(void);

/* From shadow.top on; 0: there is no table. */
uint64_t shadow_bytes(void);

/* Nothing is known about any block any more. */
void shadow_forget(void);

/* Start-up only: from `address` on, up to a GiB, blocks are at least 32 bytes apart: half the pages. */
void shadow_widen(uintptr_t address);

/* A leaf for this address; 0 when there is none left. */
uint32_t shadow_grow(uintptr_t address);

/* The address in units of 16 bytes; out of range if it is no multiple of that, or no address. */
static inline uint64_t shadow_unit(uintptr_t address)
{
	return address >> 4 | address << 60;
}

static inline bool shadow_in_range(uint64_t unit)
{
	return likely(!(unit >> (SHADOW_ADDRESS_BITS - 4)));
}

/* A block's byte, NULL: it has none; and the bit by which it is told from the other address that may
 * share the byte. */
struct shadow_place {
	uint8_t *byte;
	unsigned half;
};

static inline struct shadow_place shadow_at(uint32_t leaf, uint64_t unit)
{
	unsigned wide = leaf <= shadow.wide;
	uint64_t index = (unit & ((1u << SHADOW_LEAF_BITS) - 1)) >> wide;

	return (struct shadow_place){ shadow.leaves + ((size_t)(leaf - 1) << SHADOW_LEAF_BITS) + index,
				      (unsigned)unit << SHADOW_HALF_BIT & wide << SHADOW_HALF_BIT };
}

/* The block's place if there is memory for it already. */
static inline struct shadow_place shadow_known(uintptr_t address)
{
	uint64_t unit = shadow_unit(address);
	struct shadow_place none = { NULL, 0 };
	uint32_t leaf;

	if (unlikely(!shadow.top) || !shadow_in_range(unit))
		return none;
	leaf = shadow.top[unit >> SHADOW_LEAF_BITS];
	return likely(leaf - 1u < SHADOW_NONE - 1u) ? shadow_at(leaf, unit) : none;
}

static inline struct shadow_place shadow_place(uintptr_t address)
{
	struct shadow_place place = shadow_known(address);
	uint32_t leaf;

	if (likely(place.byte) || !shadow.top || !shadow_in_range(shadow_unit(address)))
		return place;
	leaf = shadow_grow(address);
	return leaf ? shadow_at(leaf, shadow_unit(address)) : place;
}

/* Of a block for which there is no memory yet. */
void shadow_put_first(const void *block, unsigned state);

static inline void shadow_put(const void *block, unsigned state)
{
	struct shadow_place place = shadow_known((uintptr_t)block);

	if (likely(place.byte))
		*place.byte = (uint8_t)(state | place.half);
	else
		shadow_put_first(block, state);
}

static inline bool shadow_is_live(const void *block)
{
	struct shadow_place place = shadow_known((uintptr_t)block);

	return place.byte && (*place.byte & (SHADOW_LIVE | SHADOW_HALF)) == (SHADOW_LIVE | place.half);
}

/* Ends a block: returns what was known about it, SHADOW_UNTOLD if nothing can be. */
static inline unsigned shadow_retire(const void *block)
{
	struct shadow_place place = shadow_place((uintptr_t)block);
	unsigned old;

	if (unlikely(!place.byte))
		return shadow.top && (((uintptr_t)block & 15 && !shadow.odd) ||
				      (uintptr_t)block >> SHADOW_ADDRESS_BITS) ? 0 : SHADOW_UNTOLD;
	old = *place.byte ^ place.half;
	if (unlikely(old & SHADOW_HALF))	/* the other address's */
		return 0;
	*place.byte = (uint8_t)(SHADOW_FREED | (old & SHADOW_FAMILY) | place.half);
	return old;
}

#endif
