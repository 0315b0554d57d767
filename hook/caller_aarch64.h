/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 64-bit ARM: the frame record lies anywhere in the wrapper's frame.  See hook/caller.h.
 *
 *        | the caller's frame       |
 *   sp   +--------------------------+ place + 16
 *        | locals, saved registers  |
 *        | return address           |
 *   x29  | the caller's x29         | record
 *
 * No call overwrites a word of its own accord: what the record holds may outlive the wrapper in a
 * hole of a later frame.  So the chain of frame records is followed too, from a call further in:
 * if it passes the record by, the wrapper is gone. */
#ifndef HOOK_CALLER_AARCH64_H
#define HOOK_CALLER_AARCH64_H

#include <stdbool.h>
#include <stdint.h>

#define CALLER_RECORDS_MAX	256u	/* an allocator's own calls; a handler's on top of them */
#define CALLER_MARK_BITS	48u	/* of the mark: the record; above: the return address's lowest ones */

struct caller {
	uintptr_t *record;
	uintptr_t place;
};

#if defined __clang__
#define CALLER_ENTRY_SP() ((uintptr_t)__builtin_sponentry())
#else
#define CALLER_ENTRY_SP() ((uintptr_t)__builtin_dwarf_cfa())
#endif

#define CALLER() ((struct caller){ (uintptr_t *)__builtin_frame_address(0), CALLER_ENTRY_SP() - 16 })

static inline uintptr_t caller_pc(struct caller c)
{
	return c.record[1];
}

static inline uintptr_t caller_fp(struct caller c)
{
	return c.record[0];
}

static inline uintptr_t caller_sp(struct caller c)
{
	return c.place + 16;
}

static inline uintptr_t caller_place(struct caller c)
{
	return c.place;
}

static inline uintptr_t caller_mark(struct caller c)
{
	return (uintptr_t)c.record ^ c.record[1] << CALLER_MARK_BITS;
}

/* Records further in than `record`, then it or one further out.  What is no record (the register is
 * free for other use in code without frame pointers) leaves the question open: yes. */
static inline bool caller_runs(uintptr_t place, uintptr_t mark, struct caller inner, uintptr_t low,
			       uintptr_t high)
{
	uintptr_t record = mark & (((uintptr_t)1 << CALLER_MARK_BITS) - 1);
	uintptr_t at = (uintptr_t)inner.record, next;

	if (record >= place || record < low || record & 7 ||
	    ((((const uintptr_t *)record)[1] << CALLER_MARK_BITS) ^ record) != mark)
		return false;
	if (at < low || at >= record)
		return true;
	for (unsigned n = 0; n < CALLER_RECORDS_MAX; n++) {
		next = *(const uintptr_t *)at;
		if (next == record || next <= at || next >= high || next & 7)
			return true;
		if (next > record)
			return false;
		at = next;
	}
	return true;
}

#endif
