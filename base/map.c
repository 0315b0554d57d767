/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A map from 64-bit keys to 64-bit values. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

void map_init(struct map *m)
{
	*m = (struct map)MAP_INIT;
}

void map_release(struct map *m)
{
	free(m->slots);
	map_init(m);
}

void map_clear(struct map *m)
{
	if (m->used)
		memset(m->slots, 0, (m->mask + 1) * sizeof(*m->slots));
	m->used = 0;
	m->has_zero = false;
}

/* The slot of key, or the empty one where it would go.  There is always an empty slot. */
static size_t slot_of(const struct map *m, uint64_t key)
{
	size_t i = hash_mix64(key) & m->mask;

	while (m->slots[i].key && m->slots[i].key != key)
		i = (i + 1) & m->mask;
	return i;
}

static void grow(struct map *m, size_t slots)
{
	struct map old = *m;

	m->slots = xcalloc(slots, sizeof(*m->slots));
	m->mask = slots - 1;
	for (size_t i = 0; old.slots && i <= old.mask; i++) {
		if (old.slots[i].key)
			m->slots[slot_of(m, old.slots[i].key)] = old.slots[i];
	}
	free(old.slots);
}

void map_reserve(struct map *m, size_t pairs)
{
	size_t slots = 16;

	while (slots * 3 < pairs * 4)
		slots *= 2;
	if (!m->slots || slots > m->mask + 1)
		grow(m, slots);
}

uint64_t *map_find(const struct map *m, uint64_t key)
{
	struct map_slot *slot;

	if (!key)
		return m->has_zero ? (uint64_t *)&m->zero : NULL;
	if (!m->slots)
		return NULL;
	slot = &m->slots[slot_of(m, key)];
	return slot->key ? &slot->value : NULL;
}

bool map_get(const struct map *m, uint64_t key, uint64_t *value)
{
	const uint64_t *found = map_find(m, key);

	if (!found)
		return false;
	*value = *found;
	return true;
}

static uint64_t *place_zero(struct map *m, bool *created)
{
	*created = !m->has_zero;
	if (*created)
		m->zero = 0;
	m->has_zero = true;
	return &m->zero;
}

uint64_t *map_place(struct map *m, uint64_t key, bool *created)
{
	bool ignored;
	size_t i;

	if (!created)
		created = &ignored;
	if (!key)
		return place_zero(m, created);
	if (!m->slots || (m->used + 1) * 4 > (m->mask + 1) * 3)
		grow(m, m->slots ? (m->mask + 1) * 2 : 16);
	i = slot_of(m, key);
	*created = !m->slots[i].key;
	if (*created) {
		m->slots[i] = (struct map_slot){ key, 0 };
		m->used++;
	}
	return &m->slots[i].value;
}

void map_put(struct map *m, uint64_t key, uint64_t value)
{
	*map_place(m, key, NULL) = value;
}

/* Closes the gap at `hole`: whoever probed past it moves up. */
static void shift_back(struct map *m, size_t hole)
{
	for (size_t i = (hole + 1) & m->mask; m->slots[i].key; i = (i + 1) & m->mask) {
		size_t home = hash_mix64(m->slots[i].key) & m->mask;

		if (((i - home) & m->mask) >= ((i - hole) & m->mask)) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].key = 0;
}

static bool remove_zero(struct map *m, uint64_t *value)
{
	bool was = m->has_zero;

	if (was && value)
		*value = m->zero;
	m->has_zero = false;
	return was;
}

bool map_remove(struct map *m, uint64_t key, uint64_t *value)
{
	size_t i;

	if (!key)
		return remove_zero(m, value);
	if (!m->slots)
		return false;
	i = slot_of(m, key);
	if (!m->slots[i].key)
		return false;
	if (value)
		*value = m->slots[i].value;
	shift_back(m, i);
	m->used--;
	return true;
}

bool map_each(const struct map *m, size_t *at, uint64_t *key, uint64_t *value)
{
	size_t slots = m->slots ? m->mask + 1 : 0;
	size_t i = *at;

	while (i < slots && !m->slots[i].key)
		i++;
	*at = i + 1;
	if (i > slots || (i == slots && !m->has_zero))
		return false;
	*key = i < slots ? m->slots[i].key : 0;
	if (value)
		*value = i < slots ? m->slots[i].value : m->zero;
	return true;
}
