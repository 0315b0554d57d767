/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that makes it hard to attach to it: workers that never leave the allocator, the loader,
 * signal handlers or the kernel alone, each checking what only it can see.
 *
 *	hostile [-b FD] [-s SECONDS] [-1] [SETUP...] WORKER[:COUNT]...
 *
 * -b: the board is this inherited file; else a private one.  -s: ends by itself.  -1: the only worker
 * runs on the main thread and no other thread is ever made.  It prints OK and exits 0 if nothing was
 * wrong. */
#ifndef TESTS_ATTACH_HOSTILE_H
#define TESTS_ATTACH_HOSTILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/attach/board.h"

extern struct board *board;
extern char **hostile_argv;

/* What a worker is run with. */
struct worker {
	const char *argument;		/* what stood behind "/", as in block/read; or NULL */
	unsigned number;		/* of its counter on the board */
	void *private;			/* what its setup made */
};

struct worker_kind {
	const char *name;
	void (*setup)(struct worker *);	/* on the main thread, before any other is made; or NULL */
	void (*work)(struct worker *);	/* until hostile_stopped() */
	void (*finish)(struct worker *);	/* afterwards, on the main thread; or NULL */
};

extern const struct worker_kind heap_workers[], loader_workers[], signal_workers[], blocking_workers[],
	process_workers[], register_workers[];

/* A state that the whole process is put in before the workers start. */
struct setup_kind {
	const char *name;
	void (*set)(void);
};

extern const struct setup_kind setups[];

/* The stack of the workers, 0 for the usual one; the main thread leaves by pthread_exit. */
extern size_t hostile_stack;
extern bool hostile_main_leaves;

static inline bool hostile_stopped(void)
{
	return atomic_load_explicit(&board->stop, memory_order_relaxed) != 0;
}

static inline void hostile_progress(struct worker *w)
{
	atomic_fetch_add_explicit(&board->progress[w->number], 1, memory_order_relaxed);
}

/* Something is not as it must be; the text is printed at the end. */
void hostile_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A child that dies with its parent and sees the same board; work() runs in it, then it is gone. */
int hostile_helper(void (*work)(struct worker *), struct worker *);

/* Without the allocator: sleeps so long, also if signals come. */
void hostile_sleep_us(unsigned us);
uint64_t hostile_now_us(void);

/* A block is taken, grown, given back; what it holds is checked (heap workers and others). */
void hostile_heap_round(uint32_t *seed);

#endif
