/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sampled traces: what a recorded block stands for, and how sure the sums of such are.
 *
 * With --sample R a block of s bytes is recorded with the probability p = 1 - exp(-max(s, 1) / R), so
 * it stands for w = 1 / p blocks and s w bytes (Horvitz-Thompson), whatever else was recorded: a sum
 * over any set of blocks is unbiased, and (1 - p) / p^2 v^2 summed up over its recorded blocks (v: 1
 * or s) is an unbiased estimate of its variance.  What is net is a sum over what lives, so it has a
 * variance of its own and is not the difference of two estimates.
 *
 * Weights are no whole numbers.  The books keep them in fixed point, rounded once for each size,
 * so that what a block added is exactly what its end takes away again, and nothing turns negative:
 * counts in 1/65536 (off by at most 1/131072 a block), bytes in 1/256 (1/512 byte a block of at
 * least R bytes' weight).  Variances are whole numbers of 128 bits for the same reason.  In other
 * traces the shifts are 0 and the books hold plain numbers.
 *
 * For the files of model/ alone. */
#ifndef MODEL_WEIGHT_H
#define MODEL_WEIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

struct heap;
struct account;
struct heap_margin;

#define WEIGHT_COUNT_SHIFT	16u
#define WEIGHT_BYTES_SHIFT	8u
#define WEIGHT_PERIOD_MAX	(1ull << 40)
#define WEIGHT_SLOTS		256u

typedef unsigned __int128 noise_sum;

/* Variances: of a number of blocks in 1/65536, of bytes in whole square bytes. */
struct noise {
	noise_sum count, bytes;
};

struct weight {
	uint64_t size;		/* whose it is */
	bool known;
	uint64_t count, bytes;	/* in units of the books */
	struct noise noise;
};

/* The variances of what a site, thread or the heap has made, has alive, had alive at the peak ... */
struct noise_books {
	struct noise made, live, gone, peak, leaked;
};

struct sampling {
	bool on;
	unsigned count_shift, bytes_shift;	/* of the books; 0 when all blocks were recorded */
	double period;
	uint64_t count_half, bytes_half;	/* for rounding */
	struct weight *cache;			/* WEIGHT_SLOTS */
	VECTOR(struct noise_books) sites, threads;
	struct noise_books total;
};

/* The trace says that it was sampled: 0, or -EBUSY when blocks were counted already. */
int sampling_start(struct heap *heap, uint64_t period);
void sampling_release(struct sampling *s);

/* The weight of a size.  Valid until the next call. */
const struct weight *sampling_weight(struct sampling *s, uint64_t size);

/* The books of variance, told by account.c. */
void noise_put_aside(struct heap *heap, uint32_t site);
void noise_alloc(struct heap *heap, const struct account *a, bool peak, bool leaked);
void noise_leave(struct heap *heap, const struct account *a, bool leaked);
void noise_gone(struct heap *heap, const struct account *a);
void noise_leak(struct heap *heap, const struct account *a);

static inline void noise_add(struct noise *noise, const struct noise *more, bool enter)
{
	noise->count += enter ? more->count : -more->count;
	noise->bytes += enter ? more->bytes : -more->bytes;
}

/* Half the width of the 95 % interval, rounded up; 0 of no variance. */
uint64_t noise_count_margin(noise_sum count);
uint64_t noise_bytes_margin(noise_sum bytes);

/* All that the books tell; peak_aside: the put-aside value is that of the peak. */
void noise_margin(const struct noise_books *books, bool peak_aside, struct heap_margin *out);

/* One that may not be there yet (no block was counted for it): all zero then. */
const struct noise_books *noise_of_site(const struct heap *heap, uint32_t site);
const struct noise_books *noise_of_thread(const struct heap *heap, uint32_t thread);

#endif
