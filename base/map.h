/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A map from 64-bit keys to 64-bit values (numbers or pointers), open addressing.
 *
 * Every key and every value is allowed.  16 bytes a slot, at most three quarters full, linear
 * probing; removal shifts back, so there are no tombstones and long churn costs nothing. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
	uint64_t key, value;
};

/* slots[i].key == 0 is an empty slot; the key 0 itself lives in `zero`. */
struct map {
	struct map_slot *slots;
	size_t mask;		/* slots - 1; 0 while there are none */
	size_t used;		/* slots in use, the key 0 not counted */
	bool has_zero;
	uint64_t zero;
};

#define MAP_INIT { NULL, 0, 0, false, 0 }

void map_init(struct map *m);
void map_release(struct map *m);

/* Forgets all and keeps the memory. */
void map_clear(struct map *m);

/* Room for so many pairs in all, so that it need not grow. */
void map_reserve(struct map *m, size_t pairs);

/* Where the value of key is, or NULL.  Valid until the map changes. */
uint64_t *map_find(const struct map *m, uint64_t key);

/* True and *value set when key is there; *value is untouched otherwise. */
bool map_get(const struct map *m, uint64_t key, uint64_t *value);

/* Sets or replaces. */
void map_put(struct map *m, uint64_t key, uint64_t value);

/* The value's place, made with the value 0 if key is new (*created then says so; may be NULL). */
uint64_t *map_place(struct map *m, uint64_t key, bool *created);

/* True when key was there; its value goes to *value unless that is NULL. */
bool map_remove(struct map *m, uint64_t key, uint64_t *value);

static inline size_t map_count(const struct map *m)
{
	return m->used + m->has_zero;
}

/* Walks all pairs in no particular order:
 *	for (size_t at = 0; map_each(&m, &at, &key, &value); )
 * The map must not change meanwhile.  value may be NULL. */
bool map_each(const struct map *m, size_t *at, uint64_t *key, uint64_t *value);

#endif
