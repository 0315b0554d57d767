/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The .mtk record kinds, what each carries, and the limits a reader enforces.
 *
 * A trace is a sequence of chunks (store/); a chunk's payload, decompressed, is a sequence of
 * records.  A record is
 *
 *     kind (1 byte)  length (varint)  payload (length bytes)
 *
 * Integers in payloads are LEB128 varints unless a fixed width is named; signed ones are zigzag;
 * strings are a varint length and bytes, not terminated, any bytes.  A reader skips kinds it
 * does not know, and bytes behind the fields it knows.  memtrack-trace(5) describes the same.
 *
 * Stamps count quanta of the trace's clock; struct trace_clock turns them into nanoseconds.
 */
#ifndef TRACE_FORMAT_H
#define TRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define TRACE_FORMAT_VERSION	2
#define TRACE_STRING_MAX	65535u		/* longest string a reader accepts */
#define TRACE_RECORD_MAX	(3u << 20)	/* longest record a reader accepts */
#define TRACE_BATCH_MAX		65536u		/* most events in one EVENTS record */
#define TRACE_EVENT_COLUMNS	8u		/* of an EVENTS record */

/* X(id, number, what): numbers are the format; never reused. */
#define TRACE_RECORDS(X) \
	X(FACT,        1,  "a fact of the run: key, value") \
	X(CLOCK,       2,  "how stamps become time") \
	X(THREAD,      3,  "a thread, or its new name") \
	X(MODULE,      4,  "a loaded ELF object") \
	X(MODULE_END,  5,  "an object was unloaded") \
	X(STACKS,      6,  "nodes of the stack table") \
	X(EVENTS,      7,  "a run of one thread's events") \
	X(SYMBOLS,     8,  "resolved frames of addresses") \
	X(STRING,      9,  "a string of the table that SYMBOLS refers to") \
	X(RSS,         10, "a sample of the process's resident memory") \
	X(SYNC,        11, "the order is complete up to this stamp") \
	X(LOST,        12, "events of a thread that were not recorded") \
	X(EXEC,        13, "the process executed a new image: all blocks are gone") \
	X(CHILD,       14, "a child that was not traced") \
	X(NOTE,        15, "a warning for people") \
	X(END,         16, "the process ended; nothing of it follows") \
	X(COUNTERS,    17, "exact counts of a thread's calls, beside its samples") \
	X(RELATIVE,    18, "another traced process of the run, so far") \
	X(RESIDENT,    19, "which pages of the allocator's mappings are resident") \
	X(MARKER,      20, "somebody marked this moment") \
	X(PAUSE,       21, "recording was paused or resumed")

enum trace_kind {
#define X(id, number, what) TRACE_##id = number,
	TRACE_RECORDS(X)
#undef X
};

/* A string inside somebody else's buffer; not terminated, any bytes. */
struct trace_string {
	const char *data;
	size_t length;
};

struct trace_fact {
	struct trace_string key, value;
};
/* Keys: program (memtrack VERSION), command, exe, pid, ppid, host, kernel, started (RFC 3339),
 * method, options, stack-depth, free-stacks (0/1), min-size, findings (0/1: wrong frees are told),
 * follow (0/1), track-threads and stack-threads (lists, if given), clock (tsc|monotonic), sample (mean bytes between samples; absent or 0: every event is there),
 * allocator (a name) and allocator-in (whose it is, if not libc's: library|program|inside|go; libc
 * after an exec), residency (why there are no samples of resident pages, or no more),
 * attached (1: the process ran before the trace began), patched (functions and where), unpatched (what is missed),
 * commands (the newest version of wire/command.h that this memtrack takes), answer (to commands: a number that counts
 * them, a blank and words for people; the newest holds), named (the newest snapshot before whose marker all functions are named).
 * With -f: number (of the process in the run, from 0), came (start|fork|exec), parent (what ran in
 * the process ppid), parent-trace (its file), root (pid of the process that memtrack started),
 * root-name, root-trace.  The last two lack in the root's own trace. */

/* ns = (stamp - base) * mult >> 32, as 128-bit arithmetic.  The newest CLOCK record holds. */
struct trace_clock {
	uint64_t base;		/* the stamp that counts as time 0 */
	uint64_t mult;		/* ns per quantum, 32.32 fixed point */
};

struct trace_thread {
	uint32_t thread;	/* serial in this trace, from 1; tids are reused, serials are not */
	uint32_t tid;
	uint64_t stamp;		/* since when it has this name */
	struct trace_string name; /* raw bytes of the kernel's name */
};

struct trace_module {
	uint32_t module;	/* serial, from 1 */
	uint32_t epoch;		/* first module epoch in which it is there */
	uint64_t start, end, bias;
	uint64_t stamp;
	struct trace_string path;
	struct trace_string build_id; /* raw bytes; empty when it has none */
};

struct trace_module_end {
	uint32_t module;
	uint32_t epoch;		/* first epoch in which it is gone */
	uint64_t stamp;
};

/* STACKS: varint first id, varint count, then column after column: count zigzag varints, node's id
 * - 1 - parent; count zigzag varints, frame (pc | epoch << 48) less the frame before (from 0);
 * count varints flags.  Parents may refer to ids of later records only if they are roots. */
struct trace_stack_node {
	uint32_t id, parent, flags;
	uint64_t frame;
};

/* EVENTS: varint thread, varint count, varint first stamp, then eight columns, each behind its byte
 * length (varint):
 *   ops    count bytes
 *   stamps count zigzag varints, each the difference from the one before (from the first stamp)
 *   news   a varint for every event that is no free of a heap block: where its address is (enum
 *          place of trace/places.h)
 *   frees  a varint for every free of a heap block: 1 + how many blocks allocated in this record
 *          after the freed one are live, 0: it was not allocated in this record
 *   new ptrs, free ptrs
 *          a varint for each address that those two do not tell: the difference d from the new
 *          address before (from 0), or from the free of that kind before; d % 16 == 0:
 *          zigzag(d / 16) << 1, else zigzag(d) << 1 | 1
 *   sizes  a varint for every event: size << 1 | inner  (frees of heap blocks: left out)
 *   stacks a zigzag varint for every event that has one (flag bit 7 of its op byte is set):
 *          difference from the stack id before (from 0)
 * Ops are the numbers of trace/functions.h, 1..111 for functions; pseudo ops 192..207 are stored
 * as 127 - (op - 192), so that bit 7 is free for "has a stack". */
struct trace_event {
	uint64_t stamp;
	uint64_t ptr;
	uint64_t size;
	uint32_t stack;		/* node id or enum stack_root */
	uint8_t op;		/* enum op */
	uint8_t inner;		/* pages taken inside a heap call */
	uint16_t pad;
};

/* SYMBOLS: for one address of one module: varint module (0: none), varint address (file vaddr,
 * the pc that was looked up; absolute when module is 0), varint offset, varint count, then count frames,
 * innermost inline first: varint function string, varint file string, varint line.
 * String 0 is "unknown".  offset is that of the address in its function symbol. */
#define TRACE_INLINE_MAX	64u	/* most frames in one SYMBOLS record */
struct trace_symbol_frame {
	uint32_t function, file, line;
};
struct trace_symbols {
	uint32_t module;
	uint64_t address;
	uint64_t offset;
	uint32_t count;
	const struct trace_symbol_frame *frames;
};

struct trace_string_def {
	uint32_t id;		/* from 1 */
	struct trace_string text;
};

/* Kilobytes, from smaps_rollup and status. */
struct trace_rss {
	uint64_t stamp;
	uint64_t rss, anon, file, shmem, swap, stacks;
};

/* The private anonymous mappings a heap may lie in, and which of their pages are resident:
 * stamp, page size, flags, count, then the mappings as a string of any length (trace/resident.h). */
#define TRACE_RESIDENT_MAX	(1u << 20)	/* bytes of the mappings */
struct trace_resident {
	uint64_t stamp;
	uint64_t page;		/* bytes of a page */
	uint32_t flags;		/* 0 */
	uint64_t count;		/* of mappings */
	struct trace_string packed;
};

struct trace_sync {
	uint64_t stamp;
};

struct trace_lost {
	uint32_t thread;	/* 0: no thread known */
	uint64_t stamp, count;
};

struct trace_exec {
	uint64_t stamp;
	struct trace_string exe;
};

struct trace_child {
	uint32_t pid;
	struct trace_string name;
	struct trace_string reason; /* why not; empty: nobody asked for it (no -f) */
};

/* How a process came to be traced. */
enum trace_came { TRACE_CAME_START = 1, TRACE_CAME_FORK = 2, TRACE_CAME_EXEC = 3 };

/* The newest record of a number holds.  how 0: it ran when this was written. */
struct trace_relative {
	uint32_t number;	/* of its session: counts the processes of a run, the first is 0 */
	uint32_t pid, parent;
	uint32_t came;		/* enum trace_came */
	uint32_t how, value;	/* as in END */
	struct trace_string name;
	struct trace_string file; /* of its trace; empty: the same stream as this one */
};

struct trace_note {
	struct trace_string text;
};

/* Comes when all events up to its stamp have been written, as far as that is known within a second. */
struct trace_marker {
	uint64_t stamp;
	struct trace_string name; /* may be empty */
};

/* While recording is paused, new blocks and mappings are left out, and so are then their ends; the ends of
 * recorded ones are recorded.  A call that was under way at the stamp may count as before or behind it.  A record
 * of the state that holds already brings new figures. */
struct trace_pause {
	uint64_t stamp;
	uint32_t paused;	/* 0: resumed */
	uint64_t calls, bytes;	/* left out so far, in all pauses */
};

/* What a thread did in all, recorded or not: written when the trace is sampled.  Counts are
 * cumulative, the newest record of a thread holds.  varint thread, stamp, number of cells, then
 * for each varint op, bucket, count, bytes.  Releases count in bucket 0 with no bytes; the
 * releasing half of a realloc is op REALLOC_FREE, stored as 0. */
#define TRACE_COUNTERS_MAX	1120u	/* cells of one record */
struct trace_counter {
	uint8_t op;
	uint8_t bucket;		/* 0-9: sizes up to 16, 64, 256, 1K, 4K, 16K, 64K, 256K, 1M, above */
	uint64_t count, bytes;
};
struct trace_counters {
	uint32_t thread;
	uint64_t stamp;
	uint32_t count;		/* of cells */
	const struct trace_counter *cells;
};

enum trace_end_how { TRACE_END_EXIT = 1, TRACE_END_SIGNAL = 2, TRACE_END_DETACH = 3,
	TRACE_END_UNKNOWN = 4 /* gone; nobody could see how */ };
struct trace_end {
	uint64_t stamp;
	uint32_t how;		/* enum trace_end_how */
	uint32_t value;		/* exit status or signal */
	uint64_t events;	/* in the whole trace */
};

#endif
