/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of allocations and the costs taken from them. */
#include "model/amounts.h"

#include "model/state.h"

static const struct {
	const char *name;
	bool bytes;
} costs[COSTS] = {
	[COST_ALLOCATED] = { "allocated", true }, [COST_COUNT] = { "count", false },
	[COST_TEMPORARY] = { "temporary", false }, [COST_PEAK] = { "peak", true },
	[COST_LEAKED] = { "leaked", true }, [COST_LIVE] = { "live", true },
};

const char *cost_name(enum cost cost)
{
	return costs[cost].name;
}

bool cost_is_bytes(enum cost cost)
{
	return costs[cost].bytes;
}

uint64_t cost_of(const struct amounts *a, enum cost cost)
{
	switch (cost) {
	case COST_COUNT: return a->count;
	case COST_TEMPORARY: return a->temporary;
	case COST_PEAK: return a->peak_bytes;
	case COST_LEAKED: return a->leaked_bytes;
	case COST_LIVE: return a->live_bytes;
	default: return a->bytes;
	}
}

void amounts_add(struct amounts *a, const struct amounts *more, uint64_t sign)
{
	a->count += more->count * sign;
	a->bytes += more->bytes * sign;
	a->live += more->live * sign;
	a->live_bytes += more->live_bytes * sign;
	a->leaked += more->leaked * sign;
	a->leaked_bytes += more->leaked_bytes * sign;
	a->peak += more->peak * sign;
	a->peak_bytes += more->peak_bytes * sign;
	a->temporary += more->temporary * sign;
}

void amounts_whole(const struct heap *heap, const struct amounts *units, struct amounts *out)
{
	*out = (struct amounts){
		.count = heap_count(heap, units->count), .bytes = heap_bytes(heap, units->bytes),
		.live = heap_count(heap, units->live), .live_bytes = heap_bytes(heap, units->live_bytes),
		.leaked = heap_count(heap, units->leaked),
		.leaked_bytes = heap_bytes(heap, units->leaked_bytes),
		.peak = heap_count(heap, units->peak), .peak_bytes = heap_bytes(heap, units->peak_bytes),
		.temporary = heap_count(heap, units->temporary),
	};
}
