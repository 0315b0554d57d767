/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The count that a soaking process keeps of itself, in a mapped file: complete however it ends.
 *
 * libsoakheap.so stands behind the hook: it is the allocator of the soaking program, so every call
 * that comes through the hook ends here, libc's own and the loader's included.  It takes no lock
 * and a signal handler may interrupt it anywhere.
 *
 * What a trace must show of an op:  sure - left <= count <= sure + nested (+ left for frees), and
 * nested and left are zero unless handlers interrupt allocator calls (soak -w).  Of releases, those
 * of blocks that no trace has heard of may be there or not. */
#ifndef TESTS_SOAK_SHADOW_H
#define TESTS_SOAK_SHADOW_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/functions.h"

/* The process PID writes PREFIX.PID, where PREFIX is this variable. */
#define SHADOW_ENV "SOAK_SHADOW"
#define SHADOW_MIN_ENV "SOAK_MIN_SIZE"	/* what memtrack got as --min-size */
#define SHADOW_THREADS 16384u
#define SHADOW_MAGIC 0x3177646873u

struct shadow_cell {
	_Atomic uint64_t count, bytes;
};

/* A life of a thread; a tid may have several. */
struct shadow_thread {
	_Atomic uint64_t tid;
	_Atomic uint64_t count, bytes;	/* of allocations, mappings included */
};

struct shadow_file {
	uint64_t magic, min_size;
	_Atomic uint64_t finished;		/* the process came to its planned end */
	_Atomic int64_t live_blocks, live_bytes;	/* of the heap, born in this process */
	_Atomic uint64_t signals, jumps, forks, names, failures;
	_Atomic uint64_t silent, foreign;	/* allocations inside others; releases of the parent's */
	_Atomic uint64_t thread_count;
	struct shadow_cell sure[OP_END];	/* calls that succeeded; bytes of frees: of the block */
	struct shadow_cell big[OP_END];		/* those of at least min_size */
	struct shadow_cell nested[OP_END];	/* calls by handlers that interrupted one */
	struct shadow_cell untold[OP_END];	/* releases of what was made inside another call */
	struct shadow_cell left[OP_END];	/* calls that a handler jumped out of, half done */
	struct shadow_thread threads[SHADOW_THREADS];
};

/* Of the calling thread. */
struct shadow_self {
	uint64_t calls;		/* that were counted */
	uint64_t nested;	/* calls are a handler's that interrupted one */
	uint64_t silent;	/* so many allocations to come are part of one that is reported */
	uint64_t silent_free;	/* releases, too */
	struct shadow_thread *row;
};

struct shadow_file *shadow(void);
struct shadow_self *shadow_self(void);

/* In a fork child, before any other call: counts begin anew, in a file of its own. */
void shadow_forked(void);

#endif
