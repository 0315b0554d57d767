/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fresh regions, the free list, waiting. */
#include "hook/regions.h"

#include "hook/core.h"
#include "hook/ring.h"

#define NAP_MS		20
#define VAIN_NAPS	100	/* naps in which no region came back: all belong to long-lived processes */
#define NAPS_MAX	1500	/* others are always faster */

static bool pop_region(uint32_t *region)
{
	_Atomic uint64_t *list = &hook.header->region_free;
	uint64_t head = *list;

	while ((uint32_t)head && (uint32_t)head <= hook.region_count) {
		uint64_t next = core_region((uint32_t)head - 1)->free_next | ((head >> 32) + 1) << 32;

		if (atomic_compare_exchange_weak(list, &head, next)) {
			*region = (uint32_t)head - 1;
			return true;
		}
	}
	return false;
}

static bool fresh_region(uint32_t *region)
{
	_Atomic uint32_t *used = &hook.header->regions_used;
	uint32_t n = *used;

	while (n < hook.region_count) {
		if (atomic_compare_exchange_weak(used, &n, n + 1)) {
			*region = n;
			return true;
		}
	}
	return false;
}

/* Used ones first: their pages are there already. */
static bool take(uint32_t *region)
{
	return pop_region(region) || fresh_region(region);
}

static bool wait_for_region(uint32_t *region)
{
	struct channel_header *h = hook.header;
	uint32_t seen = h->region_seq;
	unsigned vain = 0;

	for (unsigned naps = 0; naps < NAPS_MAX; naps++) {
		uint32_t seq = h->region_seq;

		if (take(region))
			return true;
		if (!ring_launcher_lives(h) || h->region_vain == seq + 1)
			return false;
		vain = seq == seen ? vain + 1 : 0;
		seen = seq;
		if (vain > VAIN_NAPS) {
			h->region_vain = seq + 1;	/* spare the next ones the time */
			return false;
		}
		ring_sleep(&h->region_seq, seq, NAP_MS);
	}
	return false;
}

bool regions_take(uint32_t *region)
{
	_Atomic uint32_t *waiters = &hook.header->region_waiters;
	bool taken = take(region);

	if (taken)
		return true;
	atomic_fetch_add(waiters, 1);
	taken = wait_for_region(region);
	atomic_fetch_sub(waiters, 1);
	return taken;
}
