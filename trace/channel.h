/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shared-memory channel between a traced process and the launcher.
 *
 *   segment (sealed memfd, sparse at its full size; touched pages are the only cost)
 *   +--------+----------+----------+-- ... --+
 *   | header | region 0 | region 1 |         |     region 0: the process that was exec'ed
 *   +--------+----------+----------+-- ... --+     region n: a fork child of the same image;
 *                                                  given out again when that process is gone
 *
 *   region   +--------+---------+---------+--------------+-------------+------------+--------+
 *            | header | threads | modules | depot index  | depot nodes | chunk hdrs | chunks |  and,
 *            +--------+---------+---------+--------------+-------------+------------+--------+
 *                                                            when sampling, the threads' counters
 *
 * The target may write any of it at any moment: the launcher copies a word once, then checks it.
 * All fields are native-endian and native-width of the target (x86-64 and aarch64 agree).
 *
 * Invariants
 *  - An event is published by ONE 64-bit release store of its tag, last of its four words; the
 *    tag carries the chunk's generation, so a slot of an earlier use of the chunk is never taken
 *    for a new one, and whatever was published survives the death of either side.
 *  - Slots of a thread are in reservation order, so a slot that is not yet published hides those
 *    behind it; a thread voids the slot that a longjmp abandoned on its next outer call.
 *  - A stack id is valid before any event that carries it is published.
 *  - The producer takes chunks from the region's free list and links them (next); the consumer
 *    gives them back.  Nobody else moves them.
 *  - A region on the header's free list reads as zeros but for its link.
 */
#ifndef TRACE_CHANNEL_H
#define TRACE_CHANNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CHANNEL_MAGIC		0x314b5254u	/* "TRK1" */
#define CHANNEL_VERSION		6u
#define CHANNEL_PAGE		4096u

#define CHANNEL_THREADS_MAX	8192u
#define CHANNEL_MODULES_MAX	4096u
#define CHANNEL_NODES_MAX	(1u << 22)	/* 64 MiB of depot when full */
#define CHANNEL_INDEX_SLOTS	512u		/* in a page of the index, its head included */
#define CHANNEL_INDEX_DEPTHS	16u		/* of its directory: 2^0 .. 2^15 entries */
#define CHANNEL_INDEX_RETIRED	16u		/* old pages that wait for being used again */
#define CHANNEL_INDEX_FILL	200u		/* entries that a page has on average at least, if hashes are any good */
#define CHANNEL_CHUNKS_MAX	16384u		/* 128 MiB of events when full */
#define CHANNEL_CHUNK_SLOTS	256u
#define CHANNEL_CHUNK_BYTES	(CHANNEL_CHUNK_SLOTS * sizeof(struct channel_event))
#define CHANNEL_RANGES_MAX	1024u
#define CHANNEL_OWN_MAX		4u
#define CHANNEL_CHILDREN_MAX	64u
#define CHANNEL_NOTES_MAX	64u
#define CHANNEL_NAME_MAX	16u		/* a kernel thread name, NUL included */
#define CHANNEL_LIST_MAX	512u		/* comma-separated thread name filters */
#define CHANNEL_PATH_MAX	392u
#define CHANNEL_COUNTER_ROWS	112u	/* ops of functions; row 0: the releasing half of realloc */
#define CHANNEL_COUNTER_BUCKETS	10u
#define CHANNEL_UNRECORDED	16u	/* lines of counters, so that threads seldom meet at one */

/* One event, 32 bytes.
 *   tag   bits 0-31 stack id, 32-39 op (trace/functions.h), 40-63 generation of the chunk
 *   size  bits 0-47 bytes, bit 63 EVENT_INNER */
struct channel_event {
	uint64_t stamp;		/* clock ticks (settings.clock) */
	uint64_t ptr;
	uint64_t size;
	_Atomic uint64_t tag;
};

#define EVENT_SIZE_MASK		0xffffffffffffull
#define EVENT_INNER		(1ull << 63)	/* pages taken inside a heap call: outside heap totals */

#define EVENT_TAG(stack, op, gen) \
	((uint64_t)(uint32_t)(stack) | (uint64_t)(uint8_t)(op) << 32 | (uint64_t)(gen) << 40)
#define EVENT_TAG_STACK(tag)	((uint32_t)(tag))
#define EVENT_TAG_OP(tag)	((uint8_t)((tag) >> 32))
#define EVENT_TAG_GEN(tag)	((uint32_t)((tag) >> 40))

/* The generation that valid tags of a chunk carry, from chunk.uses: 1 .. 2^24-1, never 0. */
static inline uint32_t channel_generation(uint32_t uses)
{
	return uses % 0xffffffu + 1;
}

/* Stack ids below DEPOT_FIRST are not nodes.  Ids 1..4 are also the parents of outermost frames,
 * so a whole stack says for itself how it ended. */
enum stack_root {
	STACK_NONE = 0,		/* no stack was asked for */
	STACK_COMPLETE = 1,	/* reached the thread's first frame */
	STACK_CUT_DEPTH = 2,	/* more frames than the depth limit */
	STACK_CUT_UNREADABLE = 3, /* memory that could not be proven readable */
	STACK_CUT_UNKNOWN = 4,	/* no unwind information and no usable frame pointer (JIT code) */
	STACK_DEPOT_FULL = 5,	/* the depot had no room: the stack is unknown, counted */
	DEPOT_FIRST = 8,
};

/* A frame under its caller.  frame = pc | (uint64_t)epoch << 48; 0 means "not written yet".
 * pc is a return address (look up pc - 1), or DEPOT_EXACT marks the interrupted pc of a signal
 * frame.  Two nodes may hold the same frame under the same parent (an index was growing):
 * readers merge them. */
struct depot_node {
	_Atomic uint64_t frame;
	uint32_t parent;
	uint32_t flags;		/* DEPOT_EXACT */
};
#define DEPOT_EXACT		1u
#define DEPOT_PC(frame)		((frame) & 0xffffffffffffull)
#define DEPOT_EPOCH(frame)	((uint16_t)((frame) >> 48))

enum thread_state { THREAD_FREE, THREAD_LIVE, THREAD_EXITED };

/* One traced thread.  Line 0 is written at every event by its owner.
 *
 * pos packs what one unlocked xadd must hand out together: (chunk index + 1) << 40 |
 * generation << 16 | next slot.  A value of 0 means no chunk yet; a slot number of
 * CHUNK_SLOTS or more means that the chunk is full.
 *
 * A slot below pos whose tag is not valid is being written, or was abandoned by a longjmp out of
 * a signal handler.  It is abandoned for certain when busy is seen 0 after pos was read and the
 * tag is still not valid: reservations happen only while busy. */
struct channel_thread {
	_Alignas(64) _Atomic uint64_t pos;
	_Atomic uint64_t busy;		/* 0 between calls; inside one: no event that this call will
					 * still publish is stamped earlier than this value */
	_Atomic uint64_t last_stamp;	/* stamp of its newest published event */
	_Atomic uint64_t bytes;		/* cumulative bytes allocated, filtered ones included */
	uint64_t pending;		/* owner: nonzero while a reserved event is not published */
	uint64_t guard;			/* owner: frame of the outer call, 0 outside */
	uint64_t guard_mark;		/* owner: the return address in that frame: still alive? */
	_Atomic uint32_t state;		/* enum thread_state */
	uint32_t filter;		/* owner: THREAD_STACKS | THREAD_TRACKED */

	_Alignas(64) _Atomic uint32_t tid;	/* as the target's pid namespace sees it */
	_Atomic uint32_t life;		/* counts the uses of this slot; odd while being claimed */
	_Atomic uint32_t first_chunk;	/* chunk index + 1; 0 until the first event */
	_Atomic uint32_t name_seq;	/* seqlock of name: odd while being written; 0 = never set */
	char name[CHANNEL_NAME_MAX];
	uint64_t stack_low, stack_high;	/* owner: proven bounds of its stack, 0 when unknown */
	_Atomic uint64_t lost;		/* events dropped (gap, --drop, no chunk) */
	_Atomic uint32_t free_next;	/* free list link: slot index + 1 */
	_Atomic uint32_t consumed;	/* launcher: ordinal of the chunk it is reading */
};
#define CHANNEL_POS(chunk, gen)	((uint64_t)((chunk) + 1) << 40 | (uint64_t)(gen) << 16)
#define CHANNEL_POS_SLOT(pos)	((uint32_t)((pos) & 0xffff))
#define CHANNEL_POS_GEN(pos)	((uint32_t)((pos) >> 16) & 0xffffff)
#define CHANNEL_POS_CHUNK(pos)	((uint32_t)((pos) >> 40))	/* index + 1 */
#define THREAD_TRACKED		1u
#define THREAD_STACKS		2u

struct channel_chunk {
	_Atomic uint32_t uses;		/* bumped by the launcher when it gives the chunk back */
	_Atomic uint32_t next;		/* chunk index + 1 of the owner's next chunk; 0 = none yet */
	_Atomic uint32_t owner;		/* thread slot index */
	_Atomic uint32_t ordinal;	/* position in the owner's sequence, from 1 */
	_Atomic uint32_t free_next;	/* free list link: chunk index + 1 */
	uint32_t pad[3];
};

/* A sampled thread's exact counts, by op and size bucket (trace/format.h); only its owner writes.
 * Zeroed by the launcher before the slot is used again. */
struct channel_counter {
	_Atomic uint64_t count, bytes;
};
struct channel_counters {
	int64_t left;		/* owner: bytes up to the next sample; 0 before the first use */
	uint64_t random;	/* owner: state of its generator; 0: none yet */
	_Atomic uint64_t used[2]; /* bit r: something was counted in row r */
	struct channel_counter cells[CHANNEL_COUNTER_ROWS][CHANNEL_COUNTER_BUCKETS];
};
#define CHANNEL_COUNTERS_STRIDE	(5 * CHANNEL_PAGE)

/* A loaded ELF object, found when the first of its pcs was met.  ready is stored last. */
struct channel_module {
	uint64_t start, end;		/* mapped range */
	uint64_t bias;			/* add to the file's vaddr to get an address */
	uint64_t load_stamp;
	_Atomic uint64_t unload_stamp;	/* 0 while loaded */
	_Atomic uint32_t ready;
	uint16_t load_epoch;
	_Atomic uint16_t unload_epoch;	/* first epoch in which it is gone; valid with unload_stamp */
	uint32_t build_id_len;
	uint8_t build_id[32];
	char path[CHANNEL_PATH_MAX];	/* link map name; empty for the executable; may be cut */
};

/* Readable memory of the target that is no thread's own stack (coroutine stacks, alternate
 * signal stacks).  Filled by the launcher from /proc/PID/maps when ranges_wanted moves. */
struct channel_range {
	_Atomic uint64_t start, end;
};

/* With -f: what a process, or a child that has no region yet, is about to become.  The launcher
 * takes them out; whoever does not connect then was not traced. */
enum channel_note_state { NOTE_FREE, NOTE_WRITING, NOTE_READY };
enum channel_note_kind {
	NOTE_EXEC = 1,		/* pid executes path (if that does not fail) */
	NOTE_SPAWN,		/* pid was made by posix_spawn and executes path */
	NOTE_NO_ROOM,		/* pid forked, and no region was free in time */
};
struct channel_note {
	_Atomic uint32_t state;
	uint32_t kind, pid;
	uint32_t carries;	/* bool: its environment carries the session */
	uint64_t stamp;		/* clock ticks; whoever is traced connects later than that */
	char path[232];		/* may be cut */
};

struct channel_child {
	_Atomic uint32_t pid;
	char name[60];			/* last component of what it executed, or the parent's name */
};

/* Allocations that were not recorded, because recording was paused; a thread counts in the line that
 * its slot falls to. */
struct channel_unrecorded {
	_Alignas(64) _Atomic uint64_t calls;
	_Atomic uint64_t bytes;
};

enum region_state { REGION_FREE, REGION_CLAIMING, REGION_READY };

/* Heads of free lists: index + 1 in the low half, a tag against ABA in the high half. */
struct channel_region {
	_Alignas(64) _Atomic uint32_t state;	/* enum region_state */
	_Atomic uint32_t pid;		/* as the target's pid namespace sees it */
	_Atomic uint32_t parent_pid;
	_Atomic uint32_t epoch;		/* module epoch: bumped when a known module goes away */
	_Atomic uint64_t start_stamp;
	_Atomic uint32_t free_next;	/* free list link: region index + 1 */

	_Alignas(64) _Atomic uint64_t chunk_free;
	_Atomic uint32_t chunk_fresh;	/* chunks never used yet start here (bump) */
	_Atomic uint32_t drain_seq;	/* futex: bumped when chunks came back */
	_Atomic uint32_t waiters;	/* producers asleep on drain_seq */
	_Atomic uint64_t stalls;	/* times a producer had to wait */

	_Alignas(64) _Atomic uint64_t thread_free;
	_Atomic uint32_t thread_fresh;	/* slots in use lie below */
	_Atomic uint32_t module_count;
	_Atomic uint64_t unslotted;	/* events of threads without a slot: lost, counted */

	_Alignas(64) _Atomic uint32_t node_fresh; /* nodes in use: DEPOT_FIRST .. node_fresh-1 */
	_Atomic uint32_t index_depth;	/* of the index's directory */
	_Atomic uint32_t index_pages;	/* in use beside page 0 */
	_Atomic uint32_t index_lock;	/* one thread splits a page */
	uint32_t index_retired_first, index_retired_next;	/* under the lock, as all of this line */
	uint16_t index_retired[CHANNEL_INDEX_RETIRED];
	_Atomic uint64_t depot_full;	/* stacks not stored */

	_Alignas(64) _Atomic uint32_t ranges_wanted; /* hook: bumped when an unknown stack was met */
	_Atomic uint32_t ranges_seq;	/* seqlock of ranges[] */
	_Atomic uint32_t ranges_count;
	_Atomic uint32_t child_count;	/* children not traced; the first CHILDREN_MAX are named */
	_Atomic uint32_t stopped;	/* hook: recording ended; reason in stop_reason */
	char stop_reason[100];
	struct channel_range own[CHANNEL_OWN_MAX];	/* memory of the hook: no part of the heap */
	_Atomic uint32_t load_asked;	/* hook, attached: an object with an allocator came; it waits ... */
	_Atomic uint32_t load_answered;	/* futex; launcher: ... for the same number here */
	struct channel_range allocators[4];	/* with the answer: see attach_request */
	/* What a start writes ends here, in the region's first page. */
	struct channel_child children[CHANNEL_CHILDREN_MAX];
	struct channel_range ranges[CHANNEL_RANGES_MAX];
	_Atomic uint32_t notes_lost;	/* for which there was no place */
	struct channel_note notes[CHANNEL_NOTES_MAX];
	struct channel_unrecorded unrecorded[CHANNEL_UNRECORDED];
};

enum channel_clock { CLOCK_TSC = 1, CLOCK_MONOTONIC_NS = 2 };

/* Written by the launcher before the target sees the segment, then constant. */
struct channel_settings {
	uint32_t stack_depth;		/* frames per event, 0..256 */
	uint32_t free_stacks;		/* bool */
	uint32_t follow;		/* bool: fork children claim a region */
	uint32_t drop;			/* bool: never wait */
	uint32_t clock;			/* enum channel_clock */
	uint32_t wait_start;		/* bool: the target waits for `go` before main */
	uint32_t findings;		/* bool: keep the shadow table and tell wrong frees */
	uint32_t one_family;		/* bool: the program has operators new and delete inside it, which
					 * the hook does not see: families are not compared */
	uint64_t min_size;
	uint64_t sample;		/* mean bytes between samples; 0: every event is recorded */
	uint32_t thread_chunks;		/* most chunks one thread may have undrained */
	uint32_t wake_chunks;		/* undrained chunks of a thread at which the launcher is woken */
	char stack_threads[CHANNEL_LIST_MAX];	/* empty: all */
	char track_threads[CHANNEL_LIST_MAX];
};

struct channel_header {
	uint32_t magic, version;
	uint64_t segment_bytes, region_bytes, region_offset; /* region i at region_offset + i * region_bytes */
	uint32_t region_count;
	uint32_t nodes_max, chunks_max, threads_max; /* smaller under RLIMIT_AS */
	_Atomic uint32_t regions_used;	/* regions ever claimed lie below */
	struct channel_settings settings;

	/* The launcher's life.  owner is a robust futex held by its heartbeat thread: FUTEX_OWNER_DIED
	 * appears there when it dies, however.  heartbeat moves while it is not stopped. */
	_Alignas(64) _Atomic uint32_t owner;
	_Atomic uint32_t heartbeat;
	_Atomic uint32_t closing;	/* the launcher ends the session: stop recording, let run */
	_Atomic uint32_t go;		/* futex: 1 when the target may start */
	_Atomic uint32_t paused;	/* launcher: new blocks are left out of the recording, the ends of others are not */

	/* Regions whose processes are gone.  A fork child that finds none waits for region_seq to move. */
	_Alignas(64) _Atomic uint64_t region_free;
	_Atomic uint32_t region_seq;	/* futex: bumped when one came back */
	_Atomic uint32_t region_waiters;
	_Atomic uint32_t region_vain;	/* region_seq + 1 for which somebody waited in vain */

	_Alignas(64) _Atomic uint32_t doorbell;	/* futex the drain sleeps on */
	_Atomic uint32_t asleep;	/* the drain sleeps: ring if there is something for it */
};

/* Offsets inside a region, the same for all regions of a segment. */
struct channel_layout {
	uint64_t threads, modules, index, nodes, chunk_headers, chunks;
	uint64_t counters;	/* of slot i at counters + i * STRIDE; none when not sampling */
	uint64_t bytes;
};

static inline uint64_t channel_page_up(uint64_t n)
{
	return (n + CHANNEL_PAGE - 1) & ~(uint64_t)(CHANNEL_PAGE - 1);
}

/* The index of the depot (hook/depot_index.h): its directory, two bytes an entry, then pages. */
static inline uint64_t channel_index_pages_offset(void)
{
	return channel_page_up((2ull << CHANNEL_INDEX_DEPTHS) * 2);
}

static inline uint32_t channel_index_pages(uint32_t nodes)
{
	uint32_t pages = nodes / CHANNEL_INDEX_FILL + 2;

	return pages < 65535 ? pages : 65535;
}

static inline struct channel_layout channel_layout(uint32_t threads, uint32_t nodes, uint32_t chunks,
						    bool sampling)
{
	struct channel_layout l;

	l.threads = channel_page_up(sizeof(struct channel_region));
	l.modules = l.threads + channel_page_up(threads * sizeof(struct channel_thread));
	l.index = l.modules + channel_page_up(CHANNEL_MODULES_MAX * sizeof(struct channel_module));
	l.nodes = l.index + channel_index_pages_offset() +
		  (uint64_t)channel_index_pages(nodes) * CHANNEL_PAGE;
	l.chunk_headers = l.nodes + channel_page_up((uint64_t)nodes * sizeof(struct depot_node));
	l.chunks = l.chunk_headers + channel_page_up((uint64_t)chunks * sizeof(struct channel_chunk));
	l.counters = l.chunks + channel_page_up((uint64_t)chunks * CHANNEL_CHUNK_BYTES);
	l.bytes = l.counters + (sampling ? (uint64_t)threads * CHANNEL_COUNTERS_STRIDE : 0);
	return l;
}

/* The hook finds the launcher here: the name of an abstract unix stream socket.  The hook
 * connects and receives one byte with the segment's fd (SCM_RIGHTS), with -f also that of a page
 * which it maps and never touches: while somebody has it mapped, the launcher waits.  The launcher tells who
 * it is by SO_PEERCRED.  Both close at once. */
#define CHANNEL_ENV_SOCKET	"MEMTRACK_SOCKET"

_Static_assert(sizeof(struct channel_event) == 32, "event");
_Static_assert(sizeof(struct channel_thread) == 128, "thread slot");
_Static_assert(sizeof(struct depot_node) == 16, "depot node");
_Static_assert(sizeof(struct channel_chunk) == 32, "chunk header");
_Static_assert(sizeof(struct channel_counters) <= CHANNEL_COUNTERS_STRIDE, "counters");

#endif
