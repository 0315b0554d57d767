/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The consuming end of one region of a channel: published events out, chunks and slots back.
 *
 *   slot i:  first_chunk -> [256 events] -next-> [256 events] -next-> [events ... | not yet]
 *                            consumed: given back              ^ chunk, slot
 *
 * A pass visits every thread once:
 *
 *	region_pass_begin(r, ticks, bound, ns);
 *	do {
 *		all = region_read(r, &batch);
 *		... write what the batch and r->news hold, empty them ...
 *	} while (!all);
 *	complete = region_pass_end(r);
 *
 * The target may scribble on everything shared.  What decides about memory or loops is kept here:
 * which chunks are held, their generations, where each thread is.  A thread whose chain makes no
 * sense is read no further (broken).
 *
 * Invariants
 *  - held[c] is set from the moment a thread's reader enters chunk c until it is given back, so no
 *    chunk is read for two threads and no chain is followed in a circle within a pass.
 *  - A slot is passed over only when it is abandoned: see struct channel_thread. */
#ifndef LAUNCHER_REGION_H
#define LAUNCHER_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "launcher/session.h"
#include "trace/format.h"

#define BATCH_EVENTS	65536u	/* 2 MiB: what is copied before it is encoded */
#define AHEAD_EVENTS	16384u	/* and of that, ahead of the pass: it delays the next SYNC */

/* A run of one thread's events in a batch. */
struct batch_run {
	uint32_t thread;	/* serial */
	uint32_t slot;
	size_t first, count;
	uint64_t hidden;	/* bytes the thread allocated so far in blocks below min_size */
};

/* Copied, checked events; stamps in quanta, stack ids as the region has them. */
struct batch {
	struct trace_event *events;
	size_t count;
	VECTOR_STRUCT(batch_runs, struct batch_run) runs;
};

void batch_init(struct batch *b);
void batch_release(struct batch *b);
void batch_clear(struct batch *b);

/* Something to be said about a thread before its next events. */
struct region_news {
	uint32_t thread, tid;
	uint64_t stamp;		/* quanta */
	uint64_t lost;		/* events lost since the last time; 0: this is about its name */
	bool named;		/* name is what the hook saw; else only the kernel knows it */
	char name[CHANNEL_NAME_MAX];
};

/* Where the reader of one slot's thread is.  Zeroed: nobody there. */
struct region_thread {
	uint32_t serial;	/* 0: no thread known */
	uint32_t life, tid, name_seq;
	uint32_t chunk;		/* index + 1; 0 before the first event */
	uint32_t slot, ordinal, generation;
	uint64_t last_ticks;	/* stamp of the newest event taken */
	uint64_t busy, busy_since_ns;
	uint64_t lost;
	uint64_t counted;	/* calls in the counters that were written last */
	uint64_t shown, hidden;	/* bytes in events, and those the hook counted beyond */
	bool exited;		/* its EXIT event was taken */
	bool gone;		/* the kernel has it no more: nothing follows what is published */
	bool broken;
};

/* The counters of one thread: a run of r->cells. */
struct region_tally {
	uint32_t thread;	/* serial */
	size_t first, count;
};

struct region {
	struct channel_header *header;
	struct channel_region *shared;
	struct channel_thread *threads;
	struct channel_module *modules;
	struct depot_node *nodes;
	struct channel_chunk *chunks;
	struct channel_event *events;
	char *counters;				/* NULL when every event is recorded */
	uint32_t threads_max, nodes_max, chunks_max;
	unsigned shift;

	VECTOR(struct region_thread) own;	/* by slot */
	uint32_t *uses;				/* by chunk: the true generation counter */
	bool *held;				/* by chunk */
	VECTOR_STRUCT(region_newses, struct region_news) news;
	VECTOR_STRUCT(region_tallies, struct region_tally) tallies;
	VECTOR_STRUCT(region_cells, struct trace_counter) cells;
	uint32_t *serials;			/* the session's newest thread serial */
	bool count_hidden;			/* there is a min_size, and somebody wants totals */
	uint32_t main_tid;			/* has no EXIT event made up for it */

	size_t at;				/* slot the pass has come to */
	size_t taken;				/* events of that slot in this pass */
	uint64_t pass_ticks, pass_ns, bound;	/* bound: ticks up to which all is complete */
	size_t pass_events;
	uint32_t returned;			/* chunks given back since waiters were last woken */
	bool final;				/* the producers are dead */
	struct batch ahead;			/* what region_relieve took */
	size_t ahead_left;			/* how much more it may take in this pass */
	struct map orphans;			/* final: owner << 32 | ordinal -> chunk index */

	uint64_t lost, unslotted, garbage, broken;
	uint64_t exits;
};

/* index < channel->region_count.  *serials counts the threads of the session. */
void region_init(struct region *r, const struct session_channel *channel, unsigned index, unsigned shift,
		 uint32_t *serials);
void region_release(struct region *r);

/* bound_ticks: a moment so long ago that a store made then is visible on every CPU. */
void region_pass_begin(struct region *r, uint64_t now_ticks, uint64_t bound_ticks, uint64_t now_ns);

/* Appends to the batch and to r->news.  False: the batch is full, call again in the same pass. */
bool region_read(struct region *r, struct batch *b);

/* While a batch that region_read filled is being written, which takes long: copies what the batch's threads
 * have published meanwhile, so that they find chunks that they have used before.  The next
 * region_read hands it out. */
void region_relieve(struct region *r, const struct batch *b);

/* Between two passes, after region_pass_begin: copies what all threads have published, gives their chunks back,
 * and leaves the rest to the next pass.  Returns how many events wait for that now. */
size_t region_gather(struct region *r);

/* The quantum up to which everything was taken, but for threads stuck in a call for over a second. */
uint64_t region_pass_end(struct region *r);

/* From now on passes take whatever is published, past holes and unlinked chunks, and give
 * nothing back: nobody writes any more, or nobody shall. */
void region_finalise(struct region *r);

/* The thread with this tid will write no more: its slot is given back once all is taken. */
void region_thread_gone(struct region *r, uint32_t tid);

/* All slots are taken: a new thread would find none. */
bool region_scarce(const struct region *r);

/* region_chunks.c: for region.c. */
bool chunks_enter_first(struct region *r, uint32_t slot, struct region_thread *t);
bool chunks_enter_next(struct region *r, uint32_t slot, struct region_thread *t);
void chunks_leave(struct region *r, struct region_thread *t);
void chunks_wake(struct region *r);
void chunks_find_orphans(struct region *r);

#endif
