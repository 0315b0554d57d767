/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of unwind rows: levels, insertion, growth, dropping. */
#include "hook/rows.h"

#include "hook/raw.h"
#include "hook/rows_make.h"
#include "trace/channel.h"

#define BITS_FIRST	12u
#define BITS_STEP	2u
#define LEVELS		5u	/* 2^12 .. 2^20 entries: half a million return addresses */

static _Atomic uint64_t *level_base[LEVELS];
static _Atomic uint32_t level_now;
static _Atomic uint32_t entries_used;	/* of the current level, about */
static _Atomic uint32_t growing;
_Atomic uint32_t rows_drop_count;	/* entries copied or made across a drop are not kept */

static unsigned level_bits(uint32_t level)
{
	return BITS_FIRST + BITS_STEP * level;
}

static size_t levels_bytes(uint32_t count)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += sizeof(uint64_t) << level_bits(i);
	return bytes;
}

size_t rows_reserve_bytes(void)
{
	return levels_bytes(LEVELS) + rules_reserve_bytes();
}

void rows_init(void *reserved)
{
	for (uint32_t i = 0; i < LEVELS; i++)
		level_base[i] = (void *)((char *)reserved + levels_bytes(i));
	rules_init((char *)reserved + levels_bytes(LEVELS));
	atomic_store(&growing, 0);
}

void rows_forget(void)
{
	atomic_store(&level_now, 0);
	atomic_store(&entries_used, 0);
	atomic_fetch_add(&rows_drop_count, 1);
	rules_forget();
}

struct rows rows_current(void)
{
	uint32_t level = atomic_load_explicit(&level_now, memory_order_acquire);

	return (struct rows){ level_base[level], 64 - level_bits(level) };
}

/* The entry of `at`, or the free one where it would go; NULL: the level is full. */
static _Atomic uint64_t *probe(uint32_t level, uintptr_t at, uint64_t *entry)
{
	uint64_t mask = (1ull << level_bits(level)) - 1;
	uint64_t slot = rows_slot(at, 64 - level_bits(level));

	for (uint64_t i = 0; i <= mask; i++) {
		_Atomic uint64_t *e = &level_base[level][(slot + i) & mask];

		*entry = atomic_load_explicit(e, memory_order_acquire);
		if (!*entry || *entry >> 16 == at)
			return e;
	}
	return NULL;
}

/* Sets the rule of `at`; true: it took a free entry. */
static bool insert(uint32_t level, uintptr_t at, uint32_t number)
{
	uint64_t wanted = (uint64_t)at << 16 | number, old;

	for (;;) {
		_Atomic uint64_t *e = probe(level, at, &old);

		if (!e)
			return false;
		if (atomic_compare_exchange_strong(e, &old, wanted))
			return !old;
	}
}

static void forget(uint32_t level, uintptr_t start, uintptr_t end)
{
	for (uint64_t i = 0; i < 1ull << level_bits(level); i++) {
		_Atomic uint64_t *e = &level_base[level][i];
		uint64_t old = atomic_load_explicit(e, memory_order_relaxed);

		while (old && old >> 16 >= start && old >> 16 < end &&
		       !atomic_compare_exchange_weak(e, &old, old & ~(uint64_t)0xffff))
			;
	}
}

/* Copies a level into the next and publishes that. Two threads may do it at once: same result. */
static void grow(uint32_t level)
{
	uint32_t before = atomic_load(&rows_drop_count), copied = 0;

	for (uint64_t i = 0; i < 1ull << level_bits(level); i++) {
		uint64_t old = atomic_load_explicit(&level_base[level][i], memory_order_acquire);

		if (old & 0xffff)
			copied += insert(level + 1, old >> 16, old & 0xffff);
	}
	if (!atomic_compare_exchange_strong(&level_now, &level, level + 1))
		return;
	atomic_store(&entries_used, copied);
	if (atomic_load(&rows_drop_count) != before)
		forget(level + 1, 0, ~(uintptr_t)0);
}

/* Half full: one thread copies, the others go on.  At three quarters nobody waits for it any
 * more: its copy may have been abandoned by a longjmp.  true: there is room in `level`. */
static bool make_room(uint32_t level)
{
	uint32_t used = atomic_load_explicit(&entries_used, memory_order_relaxed), none = 0;
	uint32_t size = 1u << level_bits(level);

	if (used < size / 2)
		return true;
	if (level + 1 == LEVELS)
		return used < size / 8 * 7;
	if (atomic_compare_exchange_strong(&growing, &none, 1) || used >= size / 4 * 3) {
		grow(level);
		atomic_store(&growing, 0);
		return false;
	}
	return true;
}

static void keep(uintptr_t at, uint32_t number, uint32_t drops_before)
{
	uint32_t level = atomic_load_explicit(&level_now, memory_order_acquire);

	if (!make_room(level) || atomic_load(&rows_drop_count) != drops_before)
		return;
	if (insert(level, at, number))
		atomic_fetch_add_explicit(&entries_used, 1, memory_order_relaxed);
}

const struct rule *rows_find(uintptr_t at, struct rule *scratch)
{
	uint32_t before = atomic_load(&rows_drop_count), number;
	uint64_t entry;

	if (unlikely(at >> 48))
		return rules_none(scratch);
	if (probe(atomic_load_explicit(&level_now, memory_order_acquire), at, &entry) && entry & 0xffff)
		return &rows_rules[entry & 0xffff];
	number = rows_make(at, scratch);
	if (!number)
		return scratch;
	keep(at, number, before);
	return &rows_rules[number];
}

/* A copy that is under way into the next level sees the count move and starts afresh. */
void rows_drop(uintptr_t start, uintptr_t end)
{
	atomic_fetch_add(&rows_drop_count, 1);
	forget(atomic_load(&level_now), start, end);
}
