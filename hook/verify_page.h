/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the verifying hooks of a family share with a test: a file that MEMTRACK_VERIFY names, mapped
 * by all of them.  They count there what they compared; and if `every` is set, one that reaches that
 * many captures shows its stack and sleeps until the test has looked at it from outside:
 *
 *   hook: sampler = tid; pid, root, count, frames; asked++; wake
 *   test: stops tid, unwinds it, lets it go; sampler = 0; answered = asked; wake */
#ifndef HOOK_VERIFY_PAGE_H
#define HOOK_VERIFY_PAGE_H

#include <stdatomic.h>
#include <stdint.h>

#define VERIFY_ENV		"MEMTRACK_VERIFY"
#define VERIFY_FRAMES_MAX	256u
#define VERIFY_EXACT		(1ull << 63)	/* in a frame: its pc was interrupted, not called from */

struct verify_page {
	_Atomic uint64_t captures, frames;	/* compared */
	_Atomic uint64_t unsure;	/* memory became known, or unknown, between the walks */
	_Atomic uint64_t skipped;	/* no memory for the comparison */
	_Atomic uint64_t different;
	_Atomic uint64_t every;		/* test: captures from one sample to the next; 0: none */

	_Alignas(64) _Atomic uint32_t sampler;	/* tid of whose sample this is; 0: free */
	_Atomic uint32_t asked, answered;	/* futexes */
	uint32_t pid;
	uint32_t root;			/* enum stack_root */
	uint32_t count;
	uint64_t stack[VERIFY_FRAMES_MAX];	/* innermost first: pc | VERIFY_EXACT, as the depot has it */
};

#endif
