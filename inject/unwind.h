/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stacks of held threads, by libdw. */
#ifndef INJECT_UNWIND_H
#define INJECT_UNWIND_H

#include "inject/threads.h"

struct unwinder;

#define UNWIND_FRAMES	512u

struct unwind_frame {
	uint64_t pc;			/* for all but the innermost and interrupted ones a return address */
	uint64_t sp;			/* as it is in this frame: the CFA of the one it called */
	bool activation;		/* interrupted here, not calling */
};

struct unwind_stack {
	struct unwind_frame frames[UNWIND_FRAMES];
	size_t count;
	bool complete;			/* the last one is where the thread began */
};

/* Reads what is mapped now. */
int unwinder_open(struct injection *, struct unwinder **);
void unwinder_close(struct unwinder *);

/* Whether the mappings have changed since. */
bool unwinder_stale(const struct unwinder *);

/* 0, or -errno: nothing at all was found. */
int unwinder_walk(struct unwinder *, const struct thread *, struct unwind_stack *);

/* The object around an address: where it starts and its path as in /proc/PID/maps; NULL: none.  Lives as
 * long as the unwinder. */
const char *unwinder_object(const struct unwinder *, uint64_t address, uint64_t *start);

/* Where the function that holds an address starts, by the object's symbols.  false: no symbol holds it. */
bool unwinder_function(struct unwinder *, uint64_t address, uint64_t *start);

#endif
