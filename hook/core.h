/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook's process-wide state: off, starting, recording.
 *
 *   OFF -------- core_start() finds no session -------------------> OFF (for ever: pass through)
 *    |                                                               ^
 *    +-- core_start() --> STARTING --> ON --> core_stop(reason) -----+
 *                                       |
 *                                       +-- fork child: the wiped word reads 0
 *                                             follow: claims a region, ON;  else OFF
 */
#ifndef HOOK_CORE_H
#define HOOK_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "hook/raw.h"
#include "trace/attach.h"
#include "trace/channel.h"

/* Alone in a page that fork wipes: the life while events are taken, 0 otherwise. */
struct hook_life {
	_Alignas(RAW_PAGE_MAX) _Atomic uint32_t now;
};

extern struct hook_life hook_life __attribute__((visibility("hidden")));

/* What every call looks at comes first. */
struct hook {
	_Alignas(64) uint32_t special;	/* calls need a closer look (call.h): thread filters, samples, a log, a
					 * slow clock */
	uint32_t depth;
	uint32_t free_stacks;
	uint32_t standalone;		/* no launcher: the hook writes a log itself (hook/log.h) */
	uint32_t own_new;		/* an operator new or delete is the program's: the library's build on it, and
					 * may get another address from it than malloc's */
	struct channel_event *events;	/* of chunk 0 */
	struct channel_thread *threads;
	struct channel_header *header;
	struct channel_region *region;
	struct channel_chunk *chunk_headers;
	struct channel_layout layout;

	/* Copies: the segment's own are read once. */
	char *counters;			/* NULL when every event is recorded */
	uint64_t min_size;
	uint64_t sample;
	uint32_t selective;		/* min_size or sample is set: some allocations are left out */
	uint32_t findings;
	uint32_t one_family;		/* the program has operators new of its own: see core.c */
	uint32_t own_free;		/* free is the program's: blocks that malloc below did not make never end */
	uint32_t follow, drop;
	uint32_t clock;
	uint32_t thread_chunks, wake_chunks;
	uint32_t threads_max, chunks_max, region_count;
	uint32_t filters;		/* thread names matter: some are not tracked or not unwound */
	uint32_t attached;		/* the process ran before: not all blocks are known (hook/attach.h) */
	uint64_t settle_until;		/* a stamp; 0: long ago.  See call.c */
	struct attach_range allocators[ATTACH_ALLOCATORS]; /* what they free themselves is no event */

	uint32_t life;			/* 1 to HOOK_LIFE_MAX: moves on in every fork child */
	uint32_t pid;			/* as this process sees itself */
	int32_t tid_offset;		/* of the tid from the thread pointer; 0: ask the kernel */
	uintptr_t main_stack_low, main_stack_high;
	_Atomic uint32_t state;		/* enum hook_state */
};

#define SETTLE_TICKS	(1ull << 31)

enum hook_state { HOOK_UNSTARTED, HOOK_STARTING, HOOK_ON, HOOK_OFF };

extern struct hook hook __attribute__((visibility("hidden")));

/* Region `index` of the segment: a fork child's, or 0. */
static inline struct channel_region *core_region(uint32_t index)
{
	const struct channel_header *h = hook.header;

	return (struct channel_region *)((char *)h + h->region_offset + index * h->region_bytes);
}

static inline bool core_recording(void)
{
	return likely(hook_life.now != 0);
}

/* Somebody has paused the recording: of this thread's session, so ask only with one. */
static inline uint32_t core_paused(void)
{
	return atomic_load_explicit(&hook.header->paused, memory_order_relaxed);
}

/* The slow side of core_recording() == false: starts the hook on the first call of a process,
 * settles a fork child. Returns whether this process records now. */
bool core_wake(void);

/* A session in a process that ran before, step by step (hook/attach.c): fork is to wipe the life; the
 * segment's settings; its first region, with nothing known from earlier sessions; recording. */
bool core_wipe_life(void);
void core_view(struct channel_header *header);
void core_claim_first(void);
void core_go(void);

/* Says anew whether calls need a closer look. */
void core_special(void);

/* The environment that the process began with; NULL: not known yet. */
char **core_environment(void);

/* Ends recording in this process for good; the reason reaches the report. */
void core_stop(const char *reason);

#endif
