/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The process's table of unwind rows: code address -> rule, made on the first miss.
 *
 *   entry   | code address (48 bits) | rule number (16 bits) |   one 64-bit word, 0: free
 *
 * Look-ups are one load and one compare; insertion is one compare-and-swap.  The address of an
 * entry never changes once it is set, its rule number may.  Full: entries are copied into the
 * next, four times larger level; what other threads insert into the old one meanwhile is made
 * again on its next miss.  Rules repeat a lot (some hundred in a process) and are interned.
 * Rule 0 says "make it": a row of an object that went away. */
#ifndef HOOK_ROWS_H
#define HOOK_ROWS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hook/unwind_cpu.h"

#define ROWS_RULES_MAX	65535u

enum rule_kind {
	RULE_MISS,		/* rule 0: no row yet */
	RULE_PLAIN,		/* cfa = sp or fp + cfa; return address at cfa + ra; fp saved at cfa + fp or kept */
	RULE_GENERAL,		/* anything else that needs sp, fp and memory only */
	RULE_OTHER,		/* the same, but what reg[] names is in other registers */
	RULE_SIGNAL,		/* a signal frame */
	RULE_END,		/* the outermost frame */
	RULE_NONE,		/* no unwind information, or not understood */
};

/* flags.  Those of RULE_PLAIN come first. */
#define RULE_FROM_FP	1u	/* cfa is relative to fp, not sp */
#define RULE_KEEPS_FP	2u	/* fp is the caller's already (then .fp is .ra: readable) */
#define RULE_SPECIAL	4u	/* kind is not RULE_PLAIN */
#define RULE_DEREF	8u	/* cfa is the word there */
#define RULE_FP_AT_FP	16u	/* fp is saved at fp + .fp, not cfa + .fp */
#define RULE_FP_LOST	32u
#define RULE_RA_KEPT	64u	/* still in its register: good only where the frame was interrupted */

/* Of RULE_OTHER: what the cfa is relative to, and what holds the caller's pc, sp and fp. */
enum rule_register { RULE_REG_CFA, RULE_REG_PC, RULE_REG_SP, RULE_REG_FP, RULE_REGISTERS };

struct rule {
	uint64_t frame;		/* epoch << 48, FRAME_EXACT: with a pc or'ed to it, the frame of a walk */
	int32_t cfa;
	cpu_slot fp;
	uint8_t flags;
	uint8_t kind;		/* enum rule_kind */
	cpu_slot ra;		/* from the cfa */
	_Atomic uint16_t next;	/* in its hash chain */
	uint8_t reg[RULE_REGISTERS];	/* DWARF numbers or CFI_NO_REGISTER */
};

/* One level of the table, as a walk keeps it in registers. */
struct rows {
	const _Atomic uint64_t *entries;
	unsigned shift;
};

extern struct rule *rows_rules __attribute__((visibility("hidden")));

size_t rows_reserve_bytes(void);
void rows_init(void *reserved);

/* With its memory zero again. */
void rows_forget(void);

struct rows rows_current(void);

static inline uint64_t rows_slot(uintptr_t at, unsigned shift)
{
	return at * 0x9e3779b97f4a7c15ull >> shift;
}

/* The rule for code address `at` when its first slot has it, else NULL. */
static inline const struct rule *rows_get(struct rows rows, uintptr_t at)
{
	uint64_t entry = atomic_load_explicit(&rows.entries[rows_slot(at, rows.shift)],
					      memory_order_acquire);
	uint64_t number = entry - ((uint64_t)at << 16);

	return __builtin_expect(number <= ROWS_RULES_MAX, 1) ? &rows_rules[number] : NULL;
}

/* The rule for `at`, wherever; makes it when there is none.  *scratch holds it when it cannot be
 * kept.  Never NULL. */
const struct rule *rows_find(uintptr_t at, struct rule *scratch);

/* Forgets the rows of [start, end). */
void rows_drop(uintptr_t start, uintptr_t end);

/* Counts the calls of rows_drop: what was unwound before the newest one may be wrong now. */
extern _Atomic uint32_t rows_drop_count __attribute__((visibility("hidden")));

static inline uint32_t rows_drops(void)
{
	return atomic_load_explicit(&rows_drop_count, memory_order_relaxed);
}

#endif
