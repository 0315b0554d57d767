/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hook's unwinder as a library of its own, for programs that know what their stacks are. */
#ifndef TESTS_AARCH64_CAPTURE_H
#define TESTS_AARCH64_CAPTURE_H

#include <stdint.h>

#define CAPTURE_DEPTH	64u

struct capture_frame {
	uint64_t pc;
	uint32_t exact;		/* interrupted there, or not called from there */
};

struct capture {
	uint64_t pc, sp, fp;	/* where it began */
	uint32_t root;		/* enum stack_root */
	uint32_t count;
	struct capture_frame frames[CAPTURE_DEPTH];
};

/* The stack that captures will be taken on. */
void capture_init(uintptr_t low, uintptr_t high);

/* The stack of the caller, twice: with what is known from the newest one, and without.  False: they
 * are not the same.  Both must see it from the same point. */
int capture_here(struct capture *c);

/* The same from registers. */
int capture_from(struct capture *c);

#endif
