/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From call frame information to interned rules. */
#include "hook/rows_make.h"

#include <errno.h>

#include "hook/cfi.h"
#include "hook/modules.h"
#include "hook/rows.h"
#include "hook/unwind_cpu.h"
#include "hook/unwind_walk.h"
#include "trace/channel.h"

#define CHAINS	2048u	/* of the interned rules, by hash: one page */

struct rule *rows_rules;
static _Atomic uint16_t *chains;
static _Atomic uint32_t rules_used;	/* 1 .. ROWS_RULES_MAX */

size_t rules_reserve_bytes(void)
{
	return CHAINS * sizeof(*chains) + channel_page_up((ROWS_RULES_MAX + 1) * sizeof(struct rule));
}

void rules_init(void *reserved)
{
	chains = reserved;
	rows_rules = (void *)(chains + CHAINS);
	rows_rules[0] = (struct rule){ .flags = RULE_SPECIAL, .kind = RULE_MISS };
	if (!atomic_load(&rules_used))
		atomic_store(&rules_used, 1);
}

void rules_forget(void)
{
	atomic_store(&rules_used, 0);
}

const struct rule *rules_none(struct rule *scratch)
{
	*scratch = (struct rule){ .flags = RULE_SPECIAL, .kind = RULE_NONE };
	return scratch;
}

static uint64_t word_of(const struct rule *r)
{
	return (uint64_t)(uint32_t)r->cfa << 32 | (uint64_t)(uint16_t)r->fp << 16 | r->flags << 8 | r->kind;
}

static bool same_registers(const struct rule *a, const struct rule *b)
{
	bool same = true;

	for (unsigned i = 0; i < RULE_REGISTERS; i++)
		same &= a->reg[i] == b->reg[i];
	return same;
}

static uint32_t lookup(const struct rule *r, uint32_t number)
{
	while (number) {
		const struct rule *s = &rows_rules[number];

		if (word_of(s) == word_of(r) && s->frame == r->frame && s->fp == r->fp && s->ra == r->ra &&
		    same_registers(s, r))
			return number;
		number = atomic_load_explicit(&s->next, memory_order_relaxed);
	}
	return 0;
}

/* Number of the rule that equals *r; 0: the table is full. */
static uint32_t intern(const struct rule *r)
{
	uint64_t hash = (word_of(r) ^ r->frame ^ (uint64_t)(uint16_t)r->ra << 20) * 0x9e3779b97f4a7c15ull;
	_Atomic uint16_t *head = &chains[hash >> 53];
	uint16_t first = atomic_load_explicit(head, memory_order_acquire);
	uint32_t number = lookup(r, first);
	struct rule *own;

	if (number)
		return number;
	if (atomic_load_explicit(&rules_used, memory_order_relaxed) > ROWS_RULES_MAX)
		return 0;
	number = atomic_fetch_add(&rules_used, 1);
	if (number > ROWS_RULES_MAX)
		return 0;
	own = &rows_rules[number];
	own->frame = r->frame;
	own->cfa = r->cfa;
	own->fp = r->fp;
	own->flags = r->flags;
	own->kind = r->kind;
	own->ra = r->ra;
	for (unsigned i = 0; i < RULE_REGISTERS; i++)
		own->reg[i] = r->reg[i];
	do {
		atomic_store_explicit(&own->next, first, memory_order_relaxed);
	} while (!atomic_compare_exchange_weak_explicit(head, &first, (uint16_t)number, memory_order_release,
							memory_order_acquire));
	return number;
}

/* Sets where fp is found; false: in no way that a rule can say. */
static bool set_fp(struct rule *r, const struct cfi_row *row)
{
	r->fp = (cpu_slot)row->fp_offset;
	switch (row->fp_how) {
	case CFI_SAME:
		r->fp = r->ra;
		r->flags |= RULE_KEEPS_FP;
		return true;
	case CFI_AT_CFA:
		if (r->fp > r->ra)	/* above the return address: not a plain frame */
			r->flags |= RULE_SPECIAL;
		return r->fp == row->fp_offset;
	case CFI_AT_FP:
		r->flags |= RULE_FP_AT_FP | RULE_SPECIAL;
		return r->fp == row->fp_offset;
	default:
		r->fp = r->ra;
		r->flags |= RULE_FP_LOST | RULE_SPECIAL;
		return true;
	}
}

static bool set_ra(struct rule *r, const struct cfi_row *row)
{
	if (CPU_HAS_LINK && row->ra_how == CFI_SAME) {
		r->flags |= RULE_RA_KEPT | RULE_SPECIAL;
		return true;
	}
	return row->ra_how == CFI_REGISTER || (row->ra_how == CFI_AT_CFA && r->ra == row->ra_offset);
}

/* What is in registers that walks do not follow; false: nothing. */
static bool set_registers(struct rule *r, const struct cfi_row *row)
{
	bool any = false;

	r->reg[RULE_REG_CFA] = row->cfa_base == CFI_OTHER ? row->cfa_register : CFI_NO_REGISTER;
	r->reg[RULE_REG_PC] = row->ra_how == CFI_REGISTER ? (uint8_t)row->ra_offset : CFI_NO_REGISTER;
	r->reg[RULE_REG_SP] = row->sp_register;
	r->reg[RULE_REG_FP] = row->fp_how == CFI_REGISTER ? (uint8_t)row->fp_offset : CFI_NO_REGISTER;
	for (unsigned i = 0; i < RULE_REGISTERS; i++)
		any |= r->reg[i] != CFI_NO_REGISTER;
	return any;
}

static void to_rule(const struct cfi_row *row, struct rule *r)
{
	*r = (struct rule){ .cfa = row->cfa_offset, .ra = (cpu_slot)row->ra_offset, .kind = RULE_PLAIN };
	if (row->signal) {
		*r = (struct rule){ .kind = RULE_SIGNAL, .flags = RULE_SPECIAL };
		return;
	}
	if (row->ra_how == CFI_UNDEFINED) {
		*r = (struct rule){ .kind = RULE_END, .flags = RULE_SPECIAL };
		return;
	}
	if (row->cfa_base == CFI_FP || row->cfa_base == CFI_MEM_FP)
		r->flags |= RULE_FROM_FP;
	if (row->cfa_base == CFI_MEM_FP || row->cfa_base == CFI_MEM_SP)
		r->flags |= RULE_DEREF | RULE_SPECIAL;
	if (!cpu_plain_ra(row->ra_offset))
		r->flags |= RULE_SPECIAL;
	if (set_registers(r, row))
		r->flags |= RULE_SPECIAL;
	if (!set_fp(r, row) || !set_ra(r, row) ||
	    (row->cfa_base == CFI_OTHER && row->cfa_register >= CPU_DWARF_REGISTERS))
		*r = (struct rule){ .kind = RULE_NONE, .flags = RULE_SPECIAL };
	else if (r->flags & RULE_SPECIAL)
		r->kind = set_registers(r, row) ? RULE_OTHER : RULE_GENERAL;
}

/* The address lies in an object that has no row for it. */
static void without_cfi(const struct module *m, uintptr_t at, struct rule *r)
{
	uintptr_t end = cfi_readable_end(&m->tables, at);
	int pushed = end ? cpu_stub_bytes((const uint8_t *)at, at - m->code.start, end - at) : -1;

	rules_none(r);
	if (pushed >= 0)
		*r = (struct rule){ .cfa = pushed, .kind = RULE_GENERAL,
				    .flags = RULE_RA_KEPT | RULE_KEEPS_FP | RULE_SPECIAL };
	/* A return address minus 1, or an interrupted pc, of a restorer without CFI. */
	if (end && (cpu_is_sigreturn((const uint8_t *)at, end - at) ||
		    cpu_is_sigreturn((const uint8_t *)at + 1, end - at - 1)))
		r->kind = RULE_SIGNAL;
}

static bool calls(const struct module *m, uintptr_t pc)
{
	uintptr_t first = pc - CPU_CALL_BYTES, target;

	return cfi_readable_end(&m->tables, first) >= pc &&
	       cpu_is_call((const uint8_t *)first, CPU_CALL_BYTES, &target);
}

/* A return address that begins a function and follows no call was put there by whoever made the
 * stack: glibc's __start_context, for one.  It is the outermost frame. */
uint32_t rows_make(uintptr_t at, struct rule *scratch)
{
	struct module m;
	struct cfi_row row;
	bool made_up;
	int error;

	rules_none(scratch);
	if (!modules_find(at, &m))
		return 0;
	error = cfi_find(&m.tables, at, &row);
	if (!error) {
		cpu_mend(&row);
		to_rule(&row, scratch);
	} else {
		without_cfi(&m, at, scratch);
	}
	made_up = error == -ENOENT && !cfi_find(&m.tables, at + 1, &row) && !calls(&m, at + 1);
	if (made_up)
		scratch->kind = RULE_END;
	scratch->frame = (uint64_t)m.epoch << 48;
	/* Nothing called these: their names are found at the pc, not before it. */
	if (scratch->kind == RULE_SIGNAL || made_up)
		scratch->frame |= FRAME_EXACT;
	return m.shared ? intern(scratch) : 0;
}
