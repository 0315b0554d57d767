/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the soaking program. */
#ifndef TESTS_SOAK_SOAK_H
#define TESTS_SOAK_SOAK_H

#include <setjmp.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/soak/shadow.h"

struct options {
	unsigned milliseconds;
	unsigned threads;
	unsigned children;	/* forked or spawned by this process, in all */
	unsigned generation;
	uint64_t seed;
	uint64_t operations;	/* of a worker, at most */
	bool wild;		/* handlers allocate in and jump out of allocator calls */
	bool exec;		/* the process executes itself at its end */
	const char *plugins;	/* the folder of plugin.so, plugin2.so, plugin3.so */
	const char *program;
};

extern struct options options;
extern _Atomic bool stopping;

/* What a handler must know of the thread that it interrupts. */
struct worker {
	sigjmp_buf jump;
	volatile int op;		/* enum op of the allocator call under way, or 0 */
	volatile size_t bytes, old_bytes;
	volatile uint64_t calls;	/* counted before it */
	volatile int locked;		/* inside something that a jump would break */
	volatile int may_jump;
	uint64_t random, handler_random;
};

extern __thread struct worker worker;

uint64_t random_next(uint64_t *state);
static inline unsigned random_below(uint64_t *state, unsigned n)
{
	return (unsigned)(random_next(state) >> 33) % n;
}

/* One allocator call: a handler sees that it is under way. */
static inline void call_enter(enum op op, size_t bytes)
{
	worker.calls = shadow_self()->calls;
	worker.bytes = bytes;
	atomic_signal_fence(memory_order_seq_cst);
	worker.op = op;
	atomic_signal_fence(memory_order_seq_cst);
}

static inline void call_leave(void)
{
	atomic_signal_fence(memory_order_seq_cst);
	worker.op = 0;
}

/* blocks.c: blocks of all kinds in a shared table, freed by whoever comes next. */
void blocks_step(void);
void blocks_drain(void);

/* pages.c */
void pages_step(void);

/* threads.c: plugins, short threads, names, exceptions. */
void plugins_step(void);
void throw_step(void);
void churn_step(void);
void loader_lock(void);
void loader_unlock(void);
void *worker_main(void *seed);
void worker_run(uint64_t operations);

/* signals.c */
void signals_start(void);
void signals_stop(void);
void signals_stack(bool use);
void signals_block(bool block);

/* children.c */
void children_start(void);
void children_wait(void);
void children_exec(void);
int process_run(void);

void complain(const char *what);

#endif
