/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Typed growing arrays:
 *
 *	VECTOR(struct frame) frames = { 0 };
 *	vector_push(&frames, frame);
 *	for (size_t i = 0; i < frames.count; i++) use(&frames.items[i]);
 *	vector_release(&frames);
 *
 * A zeroed one is empty.  items moves when it grows.  VECTOR makes a new anonymous struct type at
 * each use: give it a tag of your own with VECTOR_STRUCT to pass it to functions. */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define VECTOR(type) struct { type *items; size_t count, capacity; }
#define VECTOR_STRUCT(tag, type) struct tag { type *items; size_t count, capacity; }

/* Grows *items to hold `want` of `size` bytes, at least half as many again as before. */
void *vector_grow(void *items, size_t *capacity, size_t want, size_t size);

/* Makes room for `want` items in total. */
#define vector_reserve(v, want) \
	do { \
		if ((want) > (v)->capacity) \
			(v)->items = vector_grow((v)->items, &(v)->capacity, (want), \
						 sizeof(*(v)->items)); \
	} while (0)

/* The item may be a compound literal, commas and all. */
#define vector_push(v, ...) \
	do { \
		vector_reserve(v, (v)->count + 1); \
		(v)->items[(v)->count] = (__VA_ARGS__); \
		(v)->count++; \
	} while (0)

/* Sets the count; items that come into being are zero. */
#define vector_resize(v, n) \
	do { \
		size_t vector_n_ = (n); \
		vector_reserve(v, vector_n_); \
		if (vector_n_ > (v)->count) \
			memset((v)->items + (v)->count, 0, \
			       (vector_n_ - (v)->count) * sizeof(*(v)->items)); \
		(v)->count = vector_n_; \
	} while (0)

#define vector_last(v)	((v)->items[(v)->count - 1])
#define vector_clear(v)	((void)((v)->count = 0))

#define vector_release(v) \
	do { \
		free((v)->items); \
		(v)->items = NULL; \
		(v)->count = (v)->capacity = 0; \
	} while (0)

#endif
