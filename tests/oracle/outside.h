/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unwinds a thread of another process with libdw. */
#ifndef TESTS_ORACLE_OUTSIDE_H
#define TESTS_ORACLE_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define OUTSIDE_FRAMES_MAX	400u

struct outside_frame {
	uint64_t pc;
	bool exact;	/* the pc was interrupted, not called from */
};

/* A thread's stack, innermost first. */
struct outside_stack {
	unsigned count;
	struct outside_frame frames[OUTSIDE_FRAMES_MAX];
	const char *end;	/* why libdw went no further; NULL: the outermost frame */
};

/* Stops the thread, unwinds it and lets it go.  0 or -errno: it is gone, somebody else traces it. */
int outside_unwind(pid_t pid, pid_t tid, struct outside_stack *stack);

/* For pcs of the last stack.  Is it in an object of that name? */
bool outside_is_in(uint64_t pc, const char *base_name);

/* What keeps it from being unwound, as far as .eh_frame goes; NULL: nothing. */
const char *outside_lacks(uint64_t pc);

/* libdw (0.188 at least) thinks that a function which does not mention rbx does not keep it: its table of
 * the ABI's defaults names register 0 instead of 3.  Does the CFA of the frame at `pc` hang on an rbx
 * that is lost so in the frame inside of it? */
bool outside_lost_rbx(uint64_t pc, uint64_t inner_pc);

/* "OBJECT+ADDRESS SYMBOL", address as in the file. */
void outside_name(uint64_t pc, char *text, size_t size);

#endif
